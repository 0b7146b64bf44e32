//! What the check of a memory finds in the project as it is: whoever adds one sees at once whether it
//! says what was meant.

use crate::exit::UserError;
use crate::number;
use crate::project::Project;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::Status;
use aidd_engine::text::kind::{MEMORY_FILES, MEMORY_FOLDER, PLAIN_MEMORY_FOLDER};
use aidd_engine::text::source::Encoding;
use aidd_engine::workspace::remembered;
use aidd_engine::workspace::walk::{Walk, check_tree};
use aidd_page::{CheckHeader, Form};
use anyhow::Result;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Places that are named.
const PLACES: usize = 5;
/// The longest that the project is looked through: the check is kept whatever it finds.
const LONGEST: Duration = Duration::from_secs(3);

/// What is said of a check that another memory brings already.
pub const ELSEWHERE: &str = "Not enforced by itself: another memory carries the same check.";

/// What a check finds now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Caught {
    /// The rule that enforces it.
    pub rule: String,
    /// How many findings there are that nothing allows.
    pub count: usize,
    /// In how many files.
    pub files: usize,
    /// How many files were looked at.
    pub checked: usize,
    /// The first of them: `path:line:column`.
    pub places: Vec<String>,
    /// Why the figures are not those of the whole project, or say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Caught {
    /// In a sentence or two.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut text = format!("Enforced as {}", self.rule);
        if self.checked > 0 {
            let files = number(self.checked, "file");
            text += &match self.count {
                0 => format!(": it finds nothing in {files}"),
                count => format!(
                    ": it finds {} in {} of {files}: {}{}",
                    number(count, "place"),
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

/// What the check of the memory with this id finds in `project`, as it is on the disk now; `None`
/// when the memory is not enforced. A few seconds at most, and until `stop` is set.
///
/// # Errors
/// When the project's settings do not hold.
pub fn look(project: &Project, id: &str, stop: &AtomicBool) -> Result<Option<Caught>> {
    let pages = remembered::of(&project.disk).pages;
    let Some(page) = pages.iter().find(|page| page.memory == id) else { return Ok(None) };
    let mut caught = Caught {
        rule: page.rule.clone(),
        count: 0,
        files: 0,
        checked: 0,
        places: Vec::new(),
        note: None,
    };
    let all = project.engine(&Selection::default())?;
    let Some(rule) = all.registry().get(&page.rule) else { return Ok(None) };
    if !all.may_run(&rule.id) {
        caught.note = Some("the configuration has it switched off".to_owned());
        return Ok(Some(caught));
    }
    if rule.check.as_ref().and_then(CheckHeader::form) == Some(Form::Commit) {
        caught.note = Some("it judges commits, which are not looked at now".to_owned());
        return Ok(Some(caught));
    }
    let only = Selection { only: vec![page.rule.clone()], ..Selection::default() };
    let engine = project.engine(&only)?;
    let begun = Instant::now();
    let enough = Arc::new(AtomicBool::new(false));
    let met = || {
        if stop.load(Ordering::Relaxed) || begun.elapsed() > LONGEST {
            enough.store(true, Ordering::Relaxed);
        }
    };
    let walk = Walk { stop: Some(enough.clone()), ..Walk::over(vec![project.root().to_owned()]) };
    let mut outcome = check_tree(&engine, &project.config, &project.disk, &walk, &met)
        .map_err(|why| UserError::new(format!("include or exclude: {why}")))?;
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
            if caught.places.len() < PLACES {
                let at = file.source.position(finding.span.start, Encoding::CodePoints);
                let place = format!("{}:{}:{}", file.source.path(), at.line + 1, at.column + 1);
                caught.places.push(place);
            }
        }
    }
    if enough.load(Ordering::Relaxed) {
        caught.note = Some("the project was not looked through to its end".to_owned());
    }
    Ok(Some(caught))
}

/// Where the memory lies that may be enforced, from the root, and what decides in which folder that
/// is.
pub fn tracked() -> impl Iterator<Item = String> {
    [MEMORY_FOLDER, PLAIN_MEMORY_FOLDER].into_iter().flat_map(|folder| {
        let path = move |name: &str| format!("{folder}/{name}");
        MEMORY_FILES
            .into_iter()
            .flat_map(move |name| [path(name), path(name.trim_end_matches('l'))])
    })
}
