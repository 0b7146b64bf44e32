//! Drafts, tried on the project as `aidd check` would try them: all files, one walk.

use aidd_engine::check::{Checked, Engine, REDACTED, SKIPPED, Selection};
use aidd_engine::forms::commits::{CHANGE, Commit, Touch, Work, members, told_at};
use aidd_engine::project::git::Repository;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Disk;
use aidd_engine::text::finding::{RuleId, Status};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::commit_checks;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::{self, FileReport, Walk};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Places of a draft that are kept.
const PLACES: usize = 8;
/// Most characters of a line that is shown.
const LINE: usize = 160;
/// The last commits whose messages are judged.
const COMMITS: usize = 100;
/// The last commits whose changes are judged: each is two trees to compare.
const CHANGES: usize = 30;

/// What a draft catches in the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    /// How many findings.
    pub findings: usize,
    /// In how many files or commits.
    pub files: usize,
    /// How many files, folders, imports or commits it judged.
    pub judged: usize,
    /// The first places.
    pub first: Vec<Catch>,
}

/// One place that a draft catches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catch {
    /// The file, or `commit/…`.
    pub path: String,
    /// Its line, from 1; 0: the file as such.
    pub line: usize,
    /// The line, without secrets.
    pub text: String,
    /// What the finding says.
    pub message: String,
    /// Lines around it, for examples.
    pub(super) near: Vec<String>,
    /// Whether something in the line must not be shown.
    pub(super) is_secret: bool,
}

/// What all drafts catch.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) caught: BTreeMap<RuleId, Caught>,
    files: BTreeMap<RuleId, BTreeSet<String>>,
    /// What was not, or not wholly, tried.
    pub(super) notes: Vec<String>,
}

/// How long, and until when, a trial may run.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) stop: Arc<AtomicBool>,
    pub(super) time: Duration,
}

/// Tries `rules` of the project with the pages `drafts` added.
pub(super) fn run(
    project: &Project,
    pages: &[(String, String)],
    rules: &BTreeSet<RuleId>,
    limit: &Limit,
) -> Result<Trial, String> {
    let mut only: Vec<String> = rules.iter().map(ToString::to_string).collect();
    only.push(SKIPPED.to_owned());
    let selection = Selection { only, ..Selection::default() };
    let distribution = project.distribution();
    let registry = Registry::new(distribution.pages, pages);
    let engine = Engine::new(distribution, registry, &project.config, &selection)
        .map_err(|error| error.to_string())?;
    let mut trial = Trial::default();
    if rules.is_empty() {
        return Ok(trial);
    }
    let root = || Walk::over(vec![project.root().to_owned()]);
    let stop = Arc::new(AtomicBool::new(false));
    let walk = Walk { stop: Some(stop.clone()), ..root() };
    let begun = Instant::now();
    let done = || {
        let is_over = begun.elapsed() > limit.time || limit.stop.load(Ordering::Relaxed);
        if is_over {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let outcome = walk::check_tree(&engine, &project.config, &project.disk, &walk, &done)?;
    if stop.load(Ordering::Relaxed) {
        let (seconds, count) = (limit.time.as_secs(), outcome.checked);
        trial.notes.push(format!(
            "the trial was stopped after {seconds} s and {count} files: the counts are of these, and \
             imports and names were not looked at"
        ));
    }
    for report in &outcome.files {
        trial.take(report);
    }
    let listing = walk::listing(&engine, &project.disk, &root());
    trial.judged(&engine, project, rules, &listing, &outcome.judged);
    trial.history(&engine, &project.disk, &listing);
    trial.settle();
    Ok(trial)
}

impl Trial {
    fn take(&mut self, report: &FileReport) {
        let FileReport { source, checked } = report;
        self.take_as(source, checked, source.path());
    }

    fn take_as(&mut self, source: &Source, checked: &Checked, path: &str) {
        for finding in checked.findings.iter().filter(|one| one.status == Status::New) {
            if &*finding.rule == SKIPPED {
                self.notes.push(format!("not wholly tried: {path}: {}", finding.message));
                continue;
            }
            let caught = self.caught.entry(finding.rule.clone()).or_default();
            caught.findings += 1;
            self.files.entry(finding.rule.clone()).or_default().insert(path.to_owned());
            if caught.first.len() < PLACES {
                caught.first.push(place(
                    source,
                    checked,
                    finding.span.start,
                    &finding.message,
                    path,
                ));
            }
        }
    }

    /// How much each rule looked at.
    fn judged(
        &mut self,
        engine: &Engine,
        project: &Project,
        rules: &BTreeSet<RuleId>,
        listing: &Listing,
        joined: &BTreeMap<RuleId, usize>,
    ) {
        for id in rules {
            let Some(rule) = engine.registry().get(id) else { continue };
            let judged = joined.get(id).copied().or_else(|| {
                project_checks::selected(engine, rule, &project.disk, listing)
                    .map(|(count, _)| count)
            });
            let is_commit = rule.check.as_ref().is_some_and(|check| check.commit.is_some());
            let entry = self.caught.entry(id.clone()).or_default();
            if !is_commit {
                // A rule in Rust does not say; it had findings at least.
                entry.judged = judged.unwrap_or(entry.findings);
            }
        }
    }

    /// Judges the last commits, where a rule asks for that.
    fn history(&mut self, engine: &Engine, disk: &Disk, listing: &Listing) {
        if !commit_checks::asked(engine).any {
            return;
        }
        let Ok(repository) = Repository::open(disk.root()) else { return };
        let Ok(head) = repository.commit("HEAD") else { return };
        let Ok(found) = repository.between(&[], &head, COMMITS) else {
            self.notes.push("the history cannot be read: no commit was judged".to_owned());
            return;
        };
        let members = members(disk, listing.files().iter().map(String::as_str));
        let commits: Vec<Commit> = found
            .iter()
            .map(|commit| Commit {
                hash: commit.id.clone(),
                message: commit.message.clone(),
                author: commit.author.clone(),
                is_merge: commit.is_merge,
            })
            .collect();
        let work = Work { commits, branch: repository.branch(), members, ..Work::default() };
        let report = commit_checks::run(engine, &work, disk);
        for (source, checked) in &report.texts {
            self.take_as(source, checked, source.path());
        }
        for (rule, judged) in report.judged {
            self.caught.entry(rule).or_default().judged += judged;
        }
        for commit in found.iter().filter(|commit| !commit.is_merge).take(CHANGES) {
            let Some(touched) = touched(&repository, &commit.id) else { continue };
            let work = Work { touched: Some(touched), ..Work::default() };
            let report = commit_checks::run(engine, &work, disk);
            for (source, checked) in
                report.texts.iter().filter(|(source, _)| source.path() == CHANGE)
            {
                self.take_as(source, checked, &told_at(&commit.id));
            }
            for (rule, judged) in report.judged {
                self.caught.entry(rule).or_default().judged += judged;
            }
        }
    }

    fn settle(&mut self) {
        for (rule, files) in &self.files {
            if let Some(caught) = self.caught.get_mut(rule) {
                caught.files = files.len();
                caught.judged = caught.judged.max(files.len());
            }
        }
        self.notes.sort();
        self.notes.dedup();
    }
}

/// What a commit touches, against its first parent.
fn touched(repository: &Repository, commit: &str) -> Option<Vec<Touch>> {
    let after = repository.snapshot(commit).ok()?;
    let before = match repository.parents(commit).ok()?.first() {
        Some(parent) => repository.snapshot(parent).ok()?,
        None => repository.nothing(),
    };
    let changes = repository.changes(&before, &after).ok()?;
    let touch = |change: &aidd_engine::project::git::Change| Touch {
        path: change.path().to_owned(),
        added: change.base.is_none(),
        lines: 0,
    };
    Some(changes.iter().map(touch).collect())
}

/// The place of a finding, with the line as it may be shown.
fn place(source: &Source, checked: &Checked, start: u32, message: &str, path: &str) -> Catch {
    let whole = source.text();
    let message = message.to_owned();
    if whole.is_empty() {
        let path = path.to_owned();
        return Catch {
            path,
            line: 0,
            text: String::new(),
            message,
            near: Vec::new(),
            is_secret: false,
        };
    }
    let line = source.position(start, Encoding::CodePoints).line as usize;
    let begin = whole[..start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = whole[start as usize..].find('\n').map_or(whole.len(), |at| start as usize + at);
    let mut text = whole[begin..end].to_owned();
    let mut is_secret = false;
    for secret in checked.secrets.iter().rev() {
        let (from, to) = (secret.start as usize, secret.end as usize);
        if from < end && begin < to {
            is_secret = true;
            text.replace_range(from.max(begin) - begin..to.min(end) - begin, REDACTED);
        }
    }
    let near = if checked.secrets.is_empty() { neighbours(whole, line) } else { Vec::new() };
    let text: String = text.trim().chars().take(LINE).collect();
    Catch { path: path.to_owned(), line: line + 1, text, message, near, is_secret }
}

/// Lines around one, the nearest first, that may stand alone.
fn neighbours(text: &str, line: usize) -> Vec<String> {
    let from = line.saturating_sub(6);
    let mut near: Vec<(usize, &str)> = text.lines().enumerate().skip(from).take(13).collect();
    near.retain(|(at, text)| *at != line && stands_alone(text.trim()));
    near.sort_by_key(|(at, _)| at.abs_diff(line));
    near.into_iter().map(|(_, text)| text.trim().to_owned()).collect()
}

/// Whether a line can be read without those around it.
pub(super) fn stands_alone(line: &str) -> bool {
    let balance =
        |open: char, close: char| line.matches(open).count() == line.matches(close).count();
    let is_comment =
        ["//", "#", "/*", "*", "--", "<!--", "\"\"\""].iter().any(|mark| line.starts_with(mark));
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    (8..=LINE).contains(&line.chars().count())
        && letters >= 6
        && !is_comment
        && !line.starts_with(['.', ',', ')', '}', ']', '|', '&', '?', ':', '+'])
        && !line.ends_with([',', '(', '{', '[', '\\', '=', '|', '&', '.', ':'])
        && [('(', ')'), ('{', '}'), ('[', ']')].iter().all(|(open, close)| balance(*open, *close))
        && line.matches('"').count().is_multiple_of(2)
        && line.matches('\'').count().is_multiple_of(2)
        && line.matches('`').count().is_multiple_of(2)
}
