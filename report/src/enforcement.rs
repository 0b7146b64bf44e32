//! Runs the check of a memory on the current project, so that the author of the memory sees at once
//! whether the check works as intended.

use crate::error::RunError;
use crate::number;
use crate::project::Project;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::Status;
use aidd_engine::text::kind::{LEGACY_MEMORY_DIR, MEMORY_DIR, MEMORY_FILES};
use aidd_engine::text::source::Encoding;
use aidd_engine::workspace::memory_checks;
use aidd_engine::workspace::walk::{Walk, check_tree};
use aidd_page::{CheckHeader, Form};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of listed locations.
const MAX_LOCATIONS: usize = 5;
/// Time limit for the check. The memory is stored regardless of the result.
const MAX_DURATION: Duration = Duration::from_secs(3);

/// The note on a memory if another memory already contains the same check.
pub const DUPLICATE_NOTE: &str = "Not enforced separately: another memory has the same check.";

/// The current findings of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnforcementPreview {
    /// The id of the rule that runs the check.
    pub rule: String,
    /// Number of findings, without findings allowed by a comment or in the baseline.
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

/// Checks the files of `project` on disk with the check of the memory with this id; `None` if the
/// memory is not enforced. Takes a few seconds at most, and ends early when `stop` is set.
///
/// # Errors
/// Fails when the project's settings are invalid.
pub fn preview(
    project: &Project,
    id: &str,
    stop: &AtomicBool,
) -> Result<Option<EnforcementPreview>, RunError> {
    let pages = memory_checks::read(&project.disk).pages;
    let Some(page) = pages.iter().find(|page| page.memory == id) else { return Ok(None) };
    let mut result = EnforcementPreview {
        rule: page.rule.clone(),
        count: 0,
        files: 0,
        checked: 0,
        places: Vec::new(),
        note: None,
    };
    let default_engine = project.engine(&Selection::default())?;
    let Some(rule) = default_engine.registry().get(&page.rule) else { return Ok(None) };
    if !default_engine.is_enabled_anywhere(&rule.id) {
        result.note = Some("disabled in the configuration".to_owned());
        return Ok(Some(result));
    }
    if rule.check.as_ref().and_then(CheckHeader::form) == Some(Form::Commit) {
        result.note = Some("applies to commits, which were not checked".to_owned());
        return Ok(Some(result));
    }
    let selection = Selection { only: vec![page.rule.clone()], ..Selection::default() };
    let engine = project.engine(&selection)?;
    let started = Instant::now();
    let is_stopped = Arc::new(AtomicBool::new(false));
    let check_limits = || {
        if stop.load(Ordering::Relaxed) || started.elapsed() > MAX_DURATION {
            is_stopped.store(true, Ordering::Relaxed);
        }
    };
    let walk =
        Walk { stop: Some(is_stopped.clone()), ..Walk::over(vec![project.root().to_owned()]) };
    let mut outcome = check_tree(&engine, &project.config, &project.disk, &walk, &check_limits)?;
    outcome.merge_project_findings();
    result.checked = outcome.checked;
    for file in &outcome.files {
        let findings = file.checked.findings.iter();
        let mut new_findings = findings
            .filter(|found| found.rule == rule.id && found.status == Status::New)
            .peekable();
        result.files += usize::from(new_findings.peek().is_some());
        for finding in new_findings {
            result.count += 1;
            if result.places.len() < MAX_LOCATIONS {
                let start = file.source.position(finding.span.start, Encoding::CodePoints);
                let (line, column) = (start.line + 1, start.column + 1);
                result.places.push(format!("{}:{line}:{column}", file.source.path()));
            }
        }
    }
    if is_stopped.load(Ordering::Relaxed) {
        result.note = Some("the check was stopped before all files were checked".to_owned());
    }
    Ok(Some(result))
}

/// The paths, relative to the root, of all files that can contain memories with checks: one path
/// for each file name and each directory in which memory can be stored.
pub fn tracked() -> impl Iterator<Item = String> {
    [MEMORY_DIR, LEGACY_MEMORY_DIR].into_iter().flat_map(|directory| {
        let path = move |name: &str| format!("{directory}/{name}");
        MEMORY_FILES
            .into_iter()
            .flat_map(move |name| [path(name), path(name.trim_end_matches('l'))])
    })
}
