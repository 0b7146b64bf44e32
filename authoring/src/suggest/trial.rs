//! Tries a rule on the project as `aidd check` would run it: all files in one walk, and the most
//! recent commits if it checks commits.

use super::error::SuggestError;
use aidd_engine::check::{CheckResult, Engine, REDACTED, SKIPPED};
use aidd_engine::forms::commits::{
    CHANGE_PATH, Commit, CommitInput, TouchedFile, commit_path, members,
};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::Disk;
use aidd_engine::text::finding::{Finding, RuleId, Status};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::commit_checks;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::{self, Walk};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of findings that are reported.
const MAX_SAMPLES: usize = 8;
/// Maximum number of characters of a reported line.
const MAX_LINE: usize = 160;
/// Number of recent commits whose messages are checked.
const MAX_COMMITS: usize = 100;
/// Number of recent commits whose changes are checked; each requires a comparison of two trees.
const MAX_CHANGES: usize = 30;

/// The limits of a trial.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The trial stops after this time; its result covers the files checked so far.
    pub time: Duration,
    /// When set, stops the trial.
    pub stop: Arc<AtomicBool>,
}

/// The findings of a rule in the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trial {
    /// The number of findings.
    pub findings: usize,
    /// The number of files or commits with findings.
    pub files: usize,
    /// The number of files, directories, imports or commits that were checked.
    #[serde(rename = "judged")]
    pub evaluated: usize,
    /// The first findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// Descriptions of the items that were not checked, or only partly checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A finding of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sample {
    /// The path of the file, or `commit/…`.
    pub path: String,
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The line, with secrets masked; empty for the file as a whole.
    pub text: String,
    /// The message of the finding.
    pub message: String,
}

/// Runs `rule`; only this rule and [`SKIPPED`] are enabled in `engine`.
pub(super) fn run(
    project: &Project,
    engine: &Engine,
    rule: &RuleId,
    limit: &Limit,
) -> Result<Trial, SuggestError> {
    let root = || Walk::over(vec![project.root().to_owned()]);
    let stop = Arc::new(AtomicBool::new(false));
    let walk = Walk { stop: Some(stop.clone()), ..root() };
    let start = Instant::now();
    let after_file = || {
        if start.elapsed() > limit.time || limit.stop.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let outcome = walk::check_tree(engine, &project.config, &project.disk, &walk, &after_file)?;
    let mut collector = Collector::default();
    if stop.load(Ordering::Relaxed) {
        collector.note(format!(
            "stopped after {} s and {} files; the counts cover only these files",
            limit.time.as_secs(),
            outcome.checked
        ));
    }
    for report in &outcome.files {
        collector.add_findings(&report.source, &report.checked, report.source.path());
    }
    let notes = outcome.notes.iter().filter(|(id, _)| id == rule);
    notes.for_each(|(_, note)| collector.note(note.clone()));
    let listing = walk::listing(engine, &project.disk, &root());
    let checks_commits = commit_checks::required_inputs(engine).any;
    if checks_commits {
        check_history(engine, rule, &project.disk, &listing, &mut collector);
    } else if let Some(rule) = engine.registry().get(rule) {
        let checked_count = outcome.checked_by_rule.get(&rule.id).copied();
        let selected = || project_checks::selected(engine, rule, &project.disk, &listing);
        collector.trial.evaluated =
            checked_count.or_else(|| selected().map(|(count, _)| count)).unwrap_or_default();
    }
    Ok(collector.finish())
}

/// Checks the most recent commits: their messages, and their changes.
fn check_history(
    engine: &Engine,
    rule: &RuleId,
    disk: &Disk,
    listing: &Listing,
    collector: &mut Collector,
) {
    let Ok(repository) = Repository::open(disk.root()) else { return };
    let Ok(head) = repository.commit("HEAD") else { return };
    let Ok(history) = repository.commits_between(&[], &head, MAX_COMMITS) else {
        collector.note("the history cannot be read: no commits were checked".to_owned());
        return;
    };
    let members = members(disk, listing.files().iter().map(String::as_str));
    let commits = history.iter().map(|commit| Commit {
        hash: commit.id.clone(),
        message: commit.message.clone(),
        author: commit.author.clone(),
        is_merge: commit.is_merge,
    });
    let commits: Vec<Commit> = commits.collect();
    let input =
        CommitInput { commits, branch: repository.branch(), members, ..CommitInput::default() };
    let report = commit_checks::run(engine, &input, disk);
    for (source, checked) in &report.texts {
        collector.add_findings(source, checked, source.path());
    }
    collector.trial.evaluated += report.checked_by_rule.get(rule).copied().unwrap_or_default();
    for commit in history.iter().filter(|commit| !commit.is_merge).take(MAX_CHANGES) {
        let Some(touched) = commit_changes(&repository, &commit.id) else { continue };
        let input = CommitInput { touched: Some(touched), ..CommitInput::default() };
        let report = commit_checks::run(engine, &input, disk);
        for (source, checked) in report.texts.iter().filter(|(text, _)| text.path() == CHANGE_PATH)
        {
            collector.add_findings(source, checked, &commit_path(&commit.id));
        }
        collector.trial.evaluated += report.checked_by_rule.get(rule).copied().unwrap_or_default();
    }
}

/// The changes of a commit, relative to its first parent.
fn commit_changes(repository: &Repository, commit: &str) -> Option<Vec<TouchedFile>> {
    let after = repository.snapshot(commit).ok()?;
    let before = match repository.parents(commit).ok()?.first() {
        Some(parent) => repository.snapshot(parent).ok()?,
        None => repository.empty_snapshot(),
    };
    let changes = repository.changes(&before, &after).ok()?;
    let touch = |change: &aidd_engine::project::git::Change| TouchedFile {
        path: change.path().to_owned(),
        added: change.base.is_none(),
        lines: 0,
    };
    Some(changes.iter().map(touch).collect())
}

#[derive(Default)]
struct Collector {
    trial: Trial,
    files: BTreeSet<String>,
}

impl Collector {
    fn note(&mut self, note: String) {
        self.trial.notes.push(note);
    }

    fn add_findings(&mut self, source: &Source, checked: &CheckResult, path: &str) {
        for finding in checked.findings.iter().filter(|finding| finding.status == Status::New) {
            if &*finding.rule == SKIPPED {
                self.note(format!("not fully checked: {path}: {}", finding.message));
                continue;
            }
            self.trial.findings += 1;
            self.files.insert(path.to_owned());
            if self.trial.samples.len() < MAX_SAMPLES {
                self.trial.samples.push(sample_of(source, checked, finding, path));
            }
        }
    }

    fn finish(mut self) -> Trial {
        self.trial.files = self.files.len();
        self.trial.evaluated = self.trial.evaluated.max(self.trial.files);
        self.trial.notes.sort();
        self.trial.notes.dedup();
        self.trial
    }
}

/// A finding at `path`, with the text of its line.
pub(crate) fn sample_of(
    source: &Source,
    checked: &CheckResult,
    finding: &Finding,
    path: &str,
) -> Sample {
    let (line, text) = line_at(source, checked, finding.span.start);
    Sample { path: path.to_owned(), line, text, message: finding.message.clone() }
}

/// The line at an offset: its number, and its text with secrets masked.
fn line_at(source: &Source, checked: &CheckResult, offset: u32) -> (usize, String) {
    let source_text = source.text();
    if source_text.is_empty() {
        return (0, String::new());
    }
    let start = source_text.floor_char_boundary(offset as usize);
    let line_start = source_text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = source_text[start..].find('\n').map_or(source_text.len(), |at| start + at);
    let mut text = source_text[line_start..line_end].to_owned();
    for secret in checked.secrets.iter().rev() {
        let (from, to) = (secret.start as usize, secret.end as usize);
        if from < line_end && line_start < to {
            let range = from.max(line_start) - line_start..to.min(line_end) - line_start;
            text.replace_range(range, REDACTED);
        }
    }
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    let line = source.position(start, Encoding::CodePoints).line as usize + 1;
    (line, text.trim().chars().take(MAX_LINE).collect())
}
