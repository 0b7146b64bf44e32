//! Runs the check of a memory on the current project, so that its author sees at once whether it
//! finds what was intended.

use crate::error::RunError;
use crate::number;
use crate::project::Project;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::Status;
use aidd_engine::text::kind::{LEGACY_MEMORY_DIR, MEMORY_DIR, MEMORY_FILES};
use aidd_engine::text::source::Encoding;
use aidd_engine::workspace::remembered;
use aidd_engine::workspace::walk::{Walk, check_tree};
use aidd_page::{CheckHeader, Form};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of listed locations.
const MAX_PLACES: usize = 5;
/// Time limit for the check. The memory is stored whatever the result.
const MAX_DURATION: Duration = Duration::from_secs(3);

/// Note on a check that another memory already provides.
pub const DUPLICATE_NOTE: &str = "Not enforced separately: another memory has the same check.";

/// The current findings of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnforcementPreview {
    /// The rule that enforces it.
    pub rule: String,
    /// Number of findings that no comment or baseline allows.
    pub count: usize,
    /// Number of files with findings.
    pub files: usize,
    /// Number of files checked.
    pub checked: usize,
    /// The first locations, as `path:line:column`.
    pub places: Vec<String>,
    /// Why the counts are missing or do not cover the whole project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl EnforcementPreview {
    /// Describes the result in one or two sentences.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut text = format!("Enforced as {}", self.rule);
        if self.checked > 0 {
            let files = number(self.checked, "file");
            text += &match self.count {
                0 => format!(": no findings in {files}"),
                count => format!(
                    ": {} in {} of {files}: {}{}",
                    number(count, "finding"),
                    self.files,
                    self.places.join(", "),
                    if count > self.places.len() { ", …" } else { "" },
                ),
            };
        }
        if let Some(note) = &self.note {
            text += "; ";
            text += note;
        }
        text + "."
    }
}

/// The findings of the memory with this id in `project`, as it is on disk; `None` if the memory is
/// not enforced. Takes a few seconds at most, and ends early when `stop` is set.
///
/// # Errors
/// Fails when the project's settings are invalid.
pub fn preview(
    project: &Project,
    id: &str,
    stop: &AtomicBool,
) -> Result<Option<EnforcementPreview>, RunError> {
    let pages = remembered::read(&project.disk).pages;
    let Some(page) = pages.iter().find(|page| page.memory == id) else { return Ok(None) };
    let mut caught = EnforcementPreview {
        rule: page.rule.clone(),
        count: 0,
        files: 0,
        checked: 0,
        places: Vec::new(),
        note: None,
    };
    let all = project.engine(&Selection::default())?;
    let Some(rule) = all.registry().get(&page.rule) else { return Ok(None) };
    if !all.is_enabled_anywhere(&rule.id) {
        caught.note = Some("disabled in the configuration".to_owned());
        return Ok(Some(caught));
    }
    if rule.check.as_ref().and_then(CheckHeader::form) == Some(Form::Commit) {
        caught.note = Some("applies to commits, which were not checked".to_owned());
        return Ok(Some(caught));
    }
    let only = Selection { only: vec![page.rule.clone()], ..Selection::default() };
    let engine = project.engine(&only)?;
    let begun = Instant::now();
    let enough = Arc::new(AtomicBool::new(false));
    let met = || {
        if stop.load(Ordering::Relaxed) || begun.elapsed() > MAX_DURATION {
            enough.store(true, Ordering::Relaxed);
        }
    };
    let walk = Walk { stop: Some(enough.clone()), ..Walk::over(vec![project.root().to_owned()]) };
    let mut outcome = check_tree(&engine, &project.config, &project.disk, &walk, &met)?;
    outcome.join();
    caught.checked = outcome.checked;
    for file in &outcome.files {
        let findings = file.checked.findings.iter();
        let mut own = findings
            .filter(|found| found.rule == rule.id && found.status == Status::New)
            .peekable();
        caught.files += usize::from(own.peek().is_some());
        for finding in own {
            caught.count += 1;
            if caught.places.len() < MAX_PLACES {
                let at = file.source.position(finding.span.start, Encoding::CodePoints);
                let place = format!("{}:{}:{}", file.source.path(), at.line + 1, at.column + 1);
                caught.places.push(place);
            }
        }
    }
    if enough.load(Ordering::Relaxed) {
        caught.note = Some("the check stopped before the end of the project".to_owned());
    }
    Ok(Some(caught))
}

/// The paths, relative to the root, of the memory files whose checks can be enforced, in each
/// directory that can contain them.
pub fn tracked() -> impl Iterator<Item = String> {
    [MEMORY_DIR, LEGACY_MEMORY_DIR].into_iter().flat_map(|folder| {
        let path = move |name: &str| format!("{folder}/{name}");
        MEMORY_FILES
            .into_iter()
            .flat_map(move |name| [path(name), path(name.trim_end_matches('l'))])
    })
}
