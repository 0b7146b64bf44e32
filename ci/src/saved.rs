//! Saved reports: files that one job passes to another, such as a shard to the job that merges, or
//! the run of a fork's pull request to the run with write access.
//!
//! A file from elsewhere is untrusted: its size, structure, counts, paths and names are validated
//! before use.

mod valid;

use crate::event::Event;
use aidd_engine::workspace::diff::{match_moves, moved_from};
use aidd_report::document::VERSION as DOCUMENT_VERSION;
use aidd_report::exit::{UserError, describe_json_error};
use aidd_report::wire::{Comparison, Finding, Severities, Status};
use aidd_report::{Document, one_line};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Version of the file format; incremented when a field is removed or changes its meaning.
const VERSION: u32 = 1;
/// Maximum file size: 64 MiB.
const MAX_BYTES: u64 = 64 << 20;

/// A saved report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Saved {
    /// Version of the file format.
    pub schema_version: u32,
    /// What was checked, according to the run that saved the report.
    pub context: Context,
    /// The shard of the run; `None` for a whole run.
    pub shard: Option<Shard>,
    /// The findings and the other results.
    pub document: Document,
    /// One key per finding of the document: a new and a fixed finding with equal keys are one moved
    /// finding. An empty key means that the finding is already matched.
    pub match_keys: Vec<String>,
    /// Path → the lines of the head that the diff shows, first and last.
    pub diff_lines: BTreeMap<String, Vec<(u32, u32)>>,
}

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Context {
    /// The repository, `owner/name`; for a pull request, the target repository.
    pub repository: Option<String>,
    /// The pull request number.
    pub pull: Option<u64>,
    /// The commit under check; for a pull request, its newest commit.
    pub head_sha: Option<String>,
    /// The commit it was compared with.
    pub base_sha: Option<String>,
    /// The id of the workflow run, the same in all shards.
    pub run_id: Option<u64>,
}

/// One shard of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The index of this shard, from 1.
    pub index: u32,
    /// The number of shards of the run.
    pub count: u32,
}

/// Who wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A job of the same workflow, with the same permissions as this one.
    Ourselves,
    /// Possibly the author of a pull request. Characters that control or reorder text are removed,
    /// and so is everything that could become a link: the poster fills in the repository and commit
    /// that it knows.
    Strangers,
}

impl Context {
    /// The context of an event, with the commit that was compared with.
    #[must_use]
    pub fn from_event(event: &Event, base_sha: Option<&str>) -> Self {
        let repository = event.repository.as_ref();
        let run = event.run_url.as_deref().and_then(|url| url.rsplit_once("/runs/"));
        let head = event.pull.as_ref().map(|pull| &pull.head_sha).or(event.sha.as_ref());
        Self {
            repository: repository.map(|known| format!("{}/{}", known.owner, known.name)),
            pull: event.pull.as_ref().map(|pull| pull.number),
            head_sha: head.cloned(),
            base_sha: base_sha.map(str::to_owned),
            run_id: run.and_then(|(_, id)| id.split('/').next()?.parse().ok()),
        }
    }
}

impl Saved {
    /// A report of a whole run, without match keys and diff lines.
    #[must_use]
    pub fn new(context: Context, document: Document) -> Self {
        let match_keys = vec![String::new(); document.findings.len()];
        let diff_lines = BTreeMap::new();
        Self { schema_version: VERSION, context, shard: None, document, match_keys, diff_lines }
    }

    /// Writes the report to `path`.
    ///
    /// # Errors
    /// Fails when the file cannot be written, or could not be read again because the report or a
    /// text in it is too large.
    pub fn write(&self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        valid::check(self).map_err(|why| UserError::new(format!("{name}: {why}")))?;
        let mut text = serde_json::to_vec(self).with_context(|| name.clone())?;
        text.push(b'\n');
        if text.len() as u64 > MAX_BYTES {
            let message =
                format!("{name}: the report has {} bytes; the maximum is {MAX_BYTES}", text.len());
            return Err(UserError::new(message).hint("split the run into more shards").into());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| name.clone())?;
        }
        fs::write(path, text).with_context(|| name)
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Fails when it cannot be read, or is not a saved report.
    pub fn open(path: &Path, writer: Writer) -> Result<Self> {
        let name = path.display().to_string();
        let file = fs::File::open(path).with_context(|| name.clone())?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| name.clone())?;
        Self::read(&name, &bytes, writer)
    }

    /// Parses the bytes of the file `name`.
    ///
    /// # Errors
    /// Fails when they are not a saved report, with the reason.
    pub fn read(name: &str, bytes: &[u8], writer: Writer) -> Result<Self> {
        let refuse = |why: String| {
            let why: String = one_line(&why).chars().take(300).collect();
            UserError::new(format!("{name}: {why}"))
                .hint("write the report with `aidd ci --save REPORT`")
        };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(refuse(format!("more than {MAX_BYTES} bytes")).into());
        }
        let mut saved: Self = serde_json::from_slice(bytes).map_err(|error| {
            let wrong = || {
                format!("not a saved report: {}", describe_json_error(&error, "`aidd ci --save`"))
            };
            refuse(other_version(bytes).unwrap_or_else(wrong))
        })?;
        valid::check(&saved).map_err(refuse)?;
        if writer == Writer::Strangers {
            valid::sanitize(&mut saved).map_err(refuse)?;
        }
        Ok(saved)
    }

    /// Retains the findings for which `keep` returns true, with their keys.
    pub fn retain(&mut self, mut keep: impl FnMut(&Finding, &str) -> bool) {
        let keys = std::mem::take(&mut self.match_keys).into_iter();
        let findings = std::mem::take(&mut self.document.findings).into_iter();
        let kept = findings.zip(keys).filter(|(finding, key)| keep(finding, key));
        (self.document.findings, self.match_keys) = kept.unzip();
    }
}

/// The message for a file of another version, whose fields can differ.
fn other_version(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head {
        schema_version: u32,
    }
    let Head { schema_version } = serde_json::from_slice(bytes).ok()?;
    (schema_version != VERSION).then(|| {
        format!("unsupported schema version {schema_version}; this aidd reads version {VERSION}")
    })
}

/// Merges the shards of a run into the report that an unsharded run would have written.
///
/// `then` is called once on the findings of all shards in their final order; see [`match_moved`].
///
/// # Errors
/// Fails when a shard is missing or duplicate, or the shards belong to different runs.
pub fn merge(mut shards: Vec<Saved>, then: impl FnOnce(&mut Saved)) -> Result<Saved> {
    shards.sort_by_key(|saved| saved.shard.map(|shard| shard.index));
    ensure_complete(&shards)?;
    let mut shards = shards.into_iter();
    let Some(mut whole) = shards.next() else {
        return Err(UserError::new("no reports to merge").into());
    };
    let mut owners = HashMap::new();
    claim(&whole, &mut owners)?;
    for other in shards {
        is_same_run(&whole, &other)?;
        claim(&other, &mut owners)?;
        add(&mut whole, other);
    }
    whole.shard = None;
    order(&mut whole);
    then(&mut whole);
    clear_new_only_data(&mut whole.document);
    Ok(whole)
}

/// Marks findings that are new in one shard and fixed in another as moved, as an unsharded run
/// does.
pub fn match_moved(saved: &mut Saved) {
    let findings = &saved.document.findings;
    let with = |status: Status| {
        let keyed = findings.iter().zip(&saved.match_keys).enumerate();
        let there = keyed
            .filter(move |(_, (finding, key))| finding.status == status && !key.is_empty())
            .map(|(at, (_, key))| (at, key.as_str()));
        there.unzip::<usize, &str, Vec<_>, Vec<_>>()
    };
    let ((new, new_keys), (gone, gone_keys)) = (with(Status::New), with(Status::Fixed));
    let pairs = match_moves(&new_keys, &gone_keys);
    let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(a, b)| (new[a], gone[b])).collect();
    for &(to, from) in &pairs {
        let from = &saved.document.findings[from];
        let line = u32::try_from(from.start.line).unwrap_or(u32::MAX);
        let reason = moved_from(&from.path, line);
        let to = &mut saved.document.findings[to];
        (to.status, to.reason) = (Status::Moved, Some(reason));
    }
    let gone: HashSet<usize> = pairs.into_iter().map(|(_, from)| from).collect();
    let mut at = 0..;
    saved.retain(|_, _| at.next().is_none_or(|at| !gone.contains(&at)));
}

fn ensure_complete(shards: &[Saved]) -> Result<(), UserError> {
    let count = match shards {
        [] | [Saved { shard: None, .. }] => return Ok(()),
        [first, ..] => first.shard.map(|shard| shard.count),
    };
    for (saved, wanted) in shards.iter().zip(1..) {
        let Some(shard) = saved.shard else {
            return Err(UserError::new("one of the reports is not a shard")
                .hint("merge reports of `aidd ci --shard I/N --save REPORT`"));
        };
        if Some(shard.count) != count {
            return Err(UserError::new(format!(
                "the shards belong to different runs: one has {} shards, the other {}",
                count.unwrap_or_default(),
                shard.count
            )));
        }
        if shard.index < wanted {
            let message = format!("duplicate shard {}/{}", shard.index, shard.count);
            return Err(UserError::new(message));
        }
        if shard.index > wanted {
            return Err(missing_shard(wanted, shard.count));
        }
    }
    match count.unwrap_or_default() {
        count if shards.len() < count as usize => {
            Err(missing_shard(u32::try_from(shards.len()).unwrap_or(u32::MAX) + 1, count))
        }
        _ => Ok(()),
    }
}

fn missing_shard(index: u32, count: u32) -> UserError {
    UserError::new(format!("shard {index}/{count} is missing"))
        .hint("pass the reports of all shards")
}

/// Ensures that two shards belong to one run; the error names the difference.
fn is_same_run(one: &Saved, other: &Saved) -> Result<(), UserError> {
    let (a, b) = (&one.document, &other.document);
    let base = |saved: &Saved| {
        let compared = saved.document.comparison.as_ref();
        compared.map(|known| (known.base.clone(), known.base_sha.clone(), known.whole_tree))
    };
    let differing = [
        (a.tool != b.tool, "versions of aidd"),
        (one.context.repository != other.context.repository, "repositories"),
        (one.context.pull != other.context.pull, "pull requests"),
        (one.context.head_sha != other.context.head_sha, "commits"),
        (one.context.base_sha != other.context.base_sha || base(one) != base(other), "bases"),
        (a.version_control != b.version_control, "commits"),
        (a.fail_on != b.fail_on, "`failOn` settings"),
        (a.category != b.category, "categories"),
        (a.baseline != b.baseline || a.suppressed != b.suppressed, "options"),
    ];
    let Some((_, what)) = differing.into_iter().find(|(differs, _)| *differs) else {
        return Ok(());
    };
    let index = |saved: &Saved| saved.shard.map_or(1, |shard| shard.index);
    let message = format!("shards {} and {} have different {what}", index(one), index(other));
    Err(UserError::new(message).hint("merge the shards of one run"))
}

/// Records which shard checked each file: a file checked by two shards would be counted twice.
fn claim(saved: &Saved, owners: &mut HashMap<String, u32>) -> Result<(), UserError> {
    let own = saved.shard.map_or(1, |shard| shard.index);
    for finding in &saved.document.findings {
        if finding.status == Status::Fixed {
            continue;
        }
        let owner = *owners.entry(finding.path.clone()).or_insert(own);
        if owner != own {
            let path = one_line(&finding.path);
            return Err(UserError::new(format!("{path}: checked by shards {owner} and {own}")));
        }
    }
    Ok(())
}

fn add(whole: &mut Saved, other: Saved) {
    let (to, from) = (&mut whole.document, other.document);
    to.findings.extend(from.findings);
    whole.match_keys.extend(other.match_keys);
    for (path, lines) in from.line_hashes {
        to.line_hashes.entry(path).or_default().extend(lines);
    }
    to.withheld_fixes.extend(from.withheld_fixes);
    to.skipped.extend(from.skipped);
    for (sum, more) in [
        (&mut to.checked, from.checked),
        (&mut to.ignored, from.ignored),
        (&mut to.stale, from.stale),
    ] {
        *sum = sum.saturating_add(more);
    }
    if let (Some(to), Some(from)) = (&mut to.comparison, from.comparison) {
        compare(to, &from);
    }
    // Runners can have their checkouts in different directories.
    to.root = to.root.take().filter(|root| Some(root) == from.root.as_ref());
    for note in from.notes {
        if !to.notes.contains(&note) {
            to.notes.push(note);
        }
    }
    to.elapsed = to.elapsed.max(from.elapsed);
    whole.diff_lines.extend(other.diff_lines);
}

fn compare(to: &mut Comparison, from: &Comparison) {
    to.changed_files = to.changed_files.saturating_add(from.changed_files);
    let sum = |to: &mut Severities, from: &Severities| {
        to.error = to.error.saturating_add(from.error);
        to.warning = to.warning.saturating_add(from.warning);
        to.info = to.info.saturating_add(from.info);
    };
    sum(&mut to.before, &from.before);
    sum(&mut to.after, &from.after);
    // Each shard lists what the whole change weakens, and what its own files weaken.
    to.weakened.extend(from.weakened.iter().cloned());
    to.weakened.sort();
    to.weakened.dedup();
}

/// Sorts everything in the order of an unsharded run. The findings of one file are already sorted,
/// and come from one shard.
fn order(whole: &mut Saved) {
    let findings = std::mem::take(&mut whole.document.findings).into_iter();
    let mut both: Vec<_> = findings.zip(std::mem::take(&mut whole.match_keys)).collect();
    both.sort_by(|(a, _), (b, _)| {
        (a.status == Status::Fixed, &a.path).cmp(&(b.status == Status::Fixed, &b.path))
    });
    (whole.document.findings, whole.match_keys) = both.into_iter().unzip();
    whole.document.skipped.sort();
    // Every shard reports a directory that cannot be read.
    whole.document.skipped.dedup();
}

/// Removes data that only new findings have from findings that are no longer new.
fn clear_new_only_data(document: &mut Document) {
    let Document { findings, withheld_fixes, .. } = document;
    for finding in findings.iter_mut().filter(|finding| finding.status != Status::New) {
        finding.gate = None;
    }
    let new = findings.iter().filter(|finding| finding.status == Status::New);
    let new: HashSet<&str> = new.map(|finding| &*finding.id).collect();
    withheld_fixes.retain(|id, _| new.contains(&**id));
}
