//! Saved reports: files that one job passes to another, such as a shard to the job that merges, or
//! the run of a fork's pull request to the run with write access.
//!
//! A file from another workflow is untrusted: its size, structure, counts, paths and names are
//! validated before use.

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
    /// The checked commit and pull request, according to the run that saved the report.
    pub context: Context,
    /// The shard of the run; `None` for a whole run.
    pub shard: Option<Shard>,
    /// The findings and the other results.
    pub document: Document,
    /// One key for each finding of the document. A new and a fixed finding with equal keys are one
    /// finding that moved. An empty key means that the finding is already matched.
    pub match_keys: Vec<String>,
    /// Path → the line ranges of the head that the diff shows, each as first and last line.
    pub diff_lines: BTreeMap<String, Vec<(u32, u32)>>,
}

/// The checked commit and pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Context {
    /// The repository, `owner/name`; for a pull request, the target repository.
    pub repository: Option<String>,
    /// The pull request number.
    pub pull: Option<u64>,
    /// The checked commit; for a pull request, its newest commit.
    pub head_sha: Option<String>,
    /// The commit with which the checked commit was compared.
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

/// The job that wrote a saved report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A job of the same workflow, with the same permissions as this one.
    SameWorkflow,
    /// A job that the author of a pull request can control. Characters that control or reorder text
    /// are removed, and so is everything that could become a link: `aidd ci post` fills in the
    /// repository and the commit from its own event.
    Untrusted,
}

impl Context {
    /// The context of an event and of the base of its comparison.
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
    /// Fails when the file cannot be written, or when the report or a text in it is too large to be
    /// read again.
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
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).with_context(|| name.clone())?;
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
    /// Fails when the bytes are not a saved report; the error contains the reason.
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
            let not_saved = || {
                format!("not a saved report: {}", describe_json_error(&error, "`aidd ci --save`"))
            };
            refuse(other_version(bytes).unwrap_or_else(not_saved))
        })?;
        valid::check(&saved).map_err(refuse)?;
        if writer == Writer::Untrusted {
            valid::sanitize(&mut saved).map_err(refuse)?;
        }
        Ok(saved)
    }

    /// Retains the findings for which `keep` returns true, with their keys.
    pub fn retain(&mut self, mut keep: impl FnMut(&Finding, &str) -> bool) {
        let keys = std::mem::take(&mut self.match_keys).into_iter();
        let findings = std::mem::take(&mut self.document.findings).into_iter();
        let retained = findings.zip(keys).filter(|(finding, key)| keep(finding, key));
        (self.document.findings, self.match_keys) = retained.unzip();
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
/// `postprocess` is called once on the findings of all shards in their final order; see
/// [`match_moved`].
///
/// # Errors
/// Fails when a shard is missing or duplicate, or the shards belong to different runs.
pub fn merge(mut shards: Vec<Saved>, postprocess: impl FnOnce(&mut Saved)) -> Result<Saved> {
    shards.sort_by_key(|saved| saved.shard.map(|shard| shard.index));
    ensure_complete(&shards)?;
    let mut shards = shards.into_iter();
    let Some(mut merged) = shards.next() else {
        return Err(UserError::new("no reports to merge").into());
    };
    let mut owners = HashMap::new();
    record_owners(&merged, &mut owners)?;
    for other in shards {
        ensure_same_run(&merged, &other)?;
        record_owners(&other, &mut owners)?;
        add_shard(&mut merged, other);
    }
    merged.shard = None;
    sort(&mut merged);
    postprocess(&mut merged);
    clear_new_only_data(&mut merged.document);
    Ok(merged)
}

/// Marks findings that are new in one shard and fixed in another as moved, as an unsharded run
/// does.
pub fn match_moved(saved: &mut Saved) {
    let findings = &saved.document.findings;
    let with_status = |status: Status| {
        let keyed = findings.iter().zip(&saved.match_keys).enumerate();
        let matching = keyed
            .filter(move |(_, (finding, key))| finding.status == status && !key.is_empty())
            .map(|(position, (_, key))| (position, key.as_str()));
        matching.unzip::<usize, &str, Vec<_>, Vec<_>>()
    };
    let ((new, new_keys), (fixed, fixed_keys)) =
        (with_status(Status::New), with_status(Status::Fixed));
    let pairs = match_moves(&new_keys, &fixed_keys);
    let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(a, b)| (new[a], fixed[b])).collect();
    for &(to, from) in &pairs {
        let from = &saved.document.findings[from];
        let line = u32::try_from(from.start.line).unwrap_or(u32::MAX);
        let reason = moved_from(&from.path, line);
        let to = &mut saved.document.findings[to];
        (to.status, to.reason) = (Status::Moved, Some(reason));
    }
    let fixed: HashSet<usize> = pairs.into_iter().map(|(_, from)| from).collect();
    let mut position = 0..;
    saved.retain(|_, _| position.next().is_none_or(|position| !fixed.contains(&position)));
}

fn ensure_complete(shards: &[Saved]) -> Result<(), UserError> {
    let count = match shards {
        [] | [Saved { shard: None, .. }] => return Ok(()),
        [first, ..] => first.shard.map(|shard| shard.count),
    };
    for (saved, expected) in shards.iter().zip(1..) {
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
        if shard.index < expected {
            let message = format!("duplicate shard {}/{}", shard.index, shard.count);
            return Err(UserError::new(message));
        }
        if shard.index > expected {
            return Err(missing_shard(expected, shard.count));
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
fn ensure_same_run(first: &Saved, second: &Saved) -> Result<(), UserError> {
    let (a, b) = (&first.document, &second.document);
    let base = |saved: &Saved| {
        let comparison = saved.document.comparison.as_ref();
        comparison.map(|comparison| {
            (comparison.base.clone(), comparison.base_sha.clone(), comparison.whole_tree)
        })
    };
    let differing = [
        (a.tool != b.tool, "versions of aidd"),
        (first.context.repository != second.context.repository, "repositories"),
        (first.context.pull != second.context.pull, "pull requests"),
        (first.context.head_sha != second.context.head_sha, "commits"),
        (first.context.base_sha != second.context.base_sha || base(first) != base(second), "bases"),
        (a.version_control != b.version_control, "commits"),
        (a.fail_on != b.fail_on, "`failOn` settings"),
        (a.category != b.category, "categories"),
        (a.baseline != b.baseline || a.suppressed != b.suppressed, "options"),
    ];
    let Some((_, difference)) = differing.into_iter().find(|(differs, _)| *differs) else {
        return Ok(());
    };
    let index = |saved: &Saved| saved.shard.map_or(1, |shard| shard.index);
    let message =
        format!("shards {} and {} have different {difference}", index(first), index(second));
    Err(UserError::new(message).hint("merge the shards of one run"))
}

/// Records which shard checked each file: a file checked by two shards would be counted twice.
fn record_owners(saved: &Saved, owners: &mut HashMap<String, u32>) -> Result<(), UserError> {
    let index = saved.shard.map_or(1, |shard| shard.index);
    for finding in &saved.document.findings {
        if finding.status == Status::Fixed {
            continue;
        }
        let owner = *owners.entry(finding.path.clone()).or_insert(index);
        if owner != index {
            let path = one_line(&finding.path);
            return Err(UserError::new(format!("{path}: checked by shards {owner} and {index}")));
        }
    }
    Ok(())
}

fn add_shard(merged: &mut Saved, other: Saved) {
    let (to, from) = (&mut merged.document, other.document);
    to.findings.extend(from.findings);
    merged.match_keys.extend(other.match_keys);
    for (path, lines) in from.line_hashes {
        to.line_hashes.entry(path).or_default().extend(lines);
    }
    to.withheld_fixes.extend(from.withheld_fixes);
    to.excerpts.extend(from.excerpts);
    to.skipped.extend(from.skipped);
    for (sum, more) in [
        (&mut to.checked, from.checked),
        (&mut to.ignored, from.ignored),
        (&mut to.stale, from.stale),
    ] {
        *sum = sum.saturating_add(more);
    }
    if let (Some(to), Some(from)) = (&mut to.comparison, from.comparison) {
        add_comparison(to, &from);
    }
    // Runners can have their checkouts in different directories.
    to.root = to.root.take().filter(|root| Some(root) == from.root.as_ref());
    for note in from.notes {
        if !to.notes.contains(&note) {
            to.notes.push(note);
        }
    }
    to.elapsed = to.elapsed.max(from.elapsed);
    merged.diff_lines.extend(other.diff_lines);
}

fn add_comparison(merged: &mut Comparison, other: &Comparison) {
    merged.changed_files = merged.changed_files.saturating_add(other.changed_files);
    let sum = |merged: &mut Severities, other: &Severities| {
        merged.error = merged.error.saturating_add(other.error);
        merged.warning = merged.warning.saturating_add(other.warning);
        merged.info = merged.info.saturating_add(other.info);
    };
    sum(&mut merged.before, &other.before);
    sum(&mut merged.after, &other.after);
    // Each shard lists the weakenings of the whole change and of its own files.
    merged.weakened.extend(other.weakened.iter().cloned());
    merged.weakened.sort();
    merged.weakened.dedup();
}

/// Sorts findings and skipped files in the order of an unsharded run. The findings of one file come
/// from one shard and are already sorted.
fn sort(merged: &mut Saved) {
    let findings = std::mem::take(&mut merged.document.findings).into_iter();
    let mut both: Vec<_> = findings.zip(std::mem::take(&mut merged.match_keys)).collect();
    both.sort_by(|(a, _), (b, _)| {
        (a.status == Status::Fixed, &a.path).cmp(&(b.status == Status::Fixed, &b.path))
    });
    (merged.document.findings, merged.match_keys) = both.into_iter().unzip();
    merged.document.skipped.sort();
    // All shards report the same unreadable directories.
    merged.document.skipped.dedup();
}

/// Removes data that only new findings have from findings that are no longer new.
fn clear_new_only_data(document: &mut Document) {
    let Document { findings, withheld_fixes, excerpts, .. } = document;
    for finding in findings.iter_mut().filter(|finding| finding.status != Status::New) {
        finding.gate = None;
    }
    let new = findings.iter().filter(|finding| finding.status == Status::New);
    let new: HashSet<&str> = new.map(|finding| &*finding.id).collect();
    withheld_fixes.retain(|id, _| new.contains(&**id));
    excerpts.retain(|id, _| new.contains(&**id));
}
