//! The effect of a change: compares the findings before and after it, line by line.
//!
//! A finding is classified by its position in the base, not only by whether its line was changed.
//! It is pre-existing if the base has it at the corresponding position, moved if the base had the
//! same rule on the same text elsewhere, and new otherwise. Findings of the base without a match
//! are fixed.

mod lines;
mod match_findings;
mod moved_in;
mod project_pass;
mod renames;
mod rules;
mod stricter;

use crate::check::{Engine, EngineError, text_keys};
use crate::project::config::Config;
use crate::project::git::{Change, Snapshot};
use crate::project::ignored::IgnoreFiles;
use crate::text::attributes::Attributes;
use crate::text::files::{Disk, Files, Memory, WithBase};
use crate::text::finding::{Finding, Status};
use crate::text::paths::Globs;
use crate::text::source::Encoding;
use crate::workspace::walk::{
    self, CheckedPaths, ExcludedCounts, FileReport, Outcome, Skipped, Walk,
};
use lines::{LineMap, hunks_of};
use match_findings::{Side, Verdict, pair};
use renames::Renames;
use rules::Rules;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

pub use lines::{Hunk, hunks};
pub use match_findings::{ALLOW_COMMENT_REMOVED, match_moves, moved_from};
pub use stricter::Reason;

/// The side of a change whose findings are reported.
#[expect(clippy::large_enum_variant, reason = "one value per comparison")]
pub enum Head<'a> {
    /// The files on the disk.
    WorkTree {
        /// The project's files.
        disk: &'a Disk,
        /// The options of the walk; the comparison sets `only`, or clears it to check all files.
        walk: Walk,
        /// Whether every file is checked, not only the changed ones.
        check_all: bool,
    },
    /// A revision or the index.
    Snapshot {
        /// The files of that commit or of the index.
        files: &'a Snapshot,
        /// The store from which `.aiddignore` files and `.gitattributes` are read; it differs from the snapshot if the
        /// snapshot is not trusted. All other tracked files are checked, regardless of other ignore
        /// files.
        ignores: &'a dyn Files,
        /// The name of the branch, if Git does not know it: CI runners check out a detached head.
        branch: Option<String>,
    },
}

impl std::fmt::Debug for Head<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WorkTree { walk, check_all, .. } => f
                .debug_struct("WorkTree")
                .field("walk", walk)
                .field("check_all", check_all)
                .finish(),
            Self::Snapshot { .. } => f.debug_struct("Snapshot").finish_non_exhaustive(),
        }
    }
}

/// The result of comparing both sides of a change.
#[derive(Debug, Default)]
pub struct CompareResult {
    /// The findings of the head, with their statuses.
    pub outcome: Outcome,
    /// The files of the base with fixed findings, containing only those findings.
    pub fixed: Vec<FileReport>,
    /// Path of a changed file in the head → its changed lines. Only for files with findings.
    pub hunks: BTreeMap<String, Vec<Hunk>>,
    /// The number of changed files that were checked.
    pub changed: usize,
    /// The number of findings before the change in the checked files, without allowed ones, in the
    /// order of [`Severity::ALL`](crate::text::finding::Severity::ALL).
    pub before: [usize; 3],
}

/// Checks both sides of the `changes` that are `within` the run and classifies the findings of the
/// head. `changes` contains the changes of the whole project, because a directory may have moved
/// with its rules, and a finding of the project pass may have moved from one part of the project to
/// another. A moved finding belongs to its path in the head. `done` is called for each file of the
/// head, from any thread. If the walk of the head is stopped, the result is incomplete.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn compare(
    engine: &Engine,
    config: &Config,
    (base, head): (&Snapshot, Head<'_>),
    (changes, within): (&[Change], &CheckedPaths),
    done: &(dyn Fn() + Sync),
) -> Result<CompareResult, EngineError> {
    let all_changes = changes;
    let changes: Vec<&Change> =
        all_changes.iter().filter(|change| within.contains(change.path())).collect();
    let (rules, base_rules) = Rules::for_both_sides(engine, all_changes)?;
    let (jobs, stop) = match &head {
        Head::WorkTree { walk, .. } => (walk.jobs, walk.stop.clone()),
        Head::Snapshot { .. } => (0, None),
    };
    let stop = stop.as_deref();
    let heads = changes.iter().filter_map(|change| change.head.clone());
    // The paths of the whole change, so that each part of a run applies the same rules.
    let touched: BTreeSet<String> = all_changes
        .iter()
        .flat_map(|change| [&change.head, &change.base])
        .flatten()
        .cloned()
        .collect();
    let branch = match &head {
        Head::WorkTree { walk, .. } => walk.branch.clone(),
        Head::Snapshot { branch, .. } => branch.clone(),
    };
    let (base_ignores, no_ignores);
    let (ignores, is_full_check): (&dyn Files, bool) = match &head {
        Head::WorkTree { disk, walk, check_all } => {
            base_ignores = walk.base_ignores.clone();
            no_ignores = Memory::default();
            match &base_ignores {
                _ if walk.no_ignore => (&no_ignores, *check_all),
                Some(base) => (base, *check_all),
                None => (*disk, *check_all),
            }
        }
        Head::Snapshot { ignores, .. } => (*ignores, false),
    };
    let mut ignored = IgnoreFiles::new(ignores);
    // Counted over the whole change, so that each part of a run reports the same numbers.
    let excluded = excluded_count(
        &mut ignored,
        &walk::globs(config)?,
        all_changes.iter().filter_map(|change| change.head.clone()),
    );
    let base_files = moved_in::Base::new(base, all_changes);
    let base_paths = base_paths(all_changes);
    let (mut outcome, files): (Outcome, &dyn Files) = match head {
        Head::WorkTree { disk, mut walk, check_all } => {
            walk.only = (!check_all).then(|| heads.collect());
            walk.change = Some(touched.clone());
            let files = WithBase { files: disk, base: &base_files, base_paths };
            (walk::check_unmerged(engine, config, (disk, &files), &walk, done)?, disk)
        }
        Head::Snapshot { files, branch, .. } => {
            let paths: Vec<String> = heads.filter(|path| !ignored.excludes(path)).collect();
            let listing =
                project_pass::listing(engine, files, ignores, (&touched, branch.as_deref()));
            let listed = listing.as_ref();
            // A change must not lower the severity of its own findings.
            if let Some(listing) = listed {
                listing.attributes(|| Attributes::read(ignores));
            }
            let with_base = WithBase { files, base: &base_files, base_paths };
            let mut outcome = rules.check(config, &with_base, listed, (&paths, jobs, stop))?;
            project_pass::findings_of_snapshot(
                rules.project_engine(),
                config,
                files,
                listed,
                &mut outcome,
            )?;
            let unread = ignored.problems().iter().map(|(path, error)| Skipped {
                path: path.clone(),
                why: format!("not read as an ignore file: {error}"),
                failed: false,
            });
            outcome.skipped.extend(unread);
            (outcome, files)
        }
    };
    if !is_full_check {
        outcome.excluded = excluded;
    }
    let was_visited = |path: &String| outcome.visited.contains(path);
    // A deleted file counts as checked if the current ignore files do not exclude it.
    let checked_changes: Vec<Change> = changes
        .into_iter()
        .filter(|change| match &change.head {
            Some(head) => was_visited(head),
            None => change.base.as_ref().is_some_and(|base| !ignored.excludes(base)),
        })
        .map(moved_in::with_base)
        .collect();
    let bases: Vec<String> =
        checked_changes.iter().filter_map(|change| change.base.clone()).collect();
    let listing = project_pass::listing(engine, base, ignores, (&touched, branch.as_deref()));
    let checked = (&*bases, jobs, stop);
    let mut before = base_rules.check(config, &base_files, listing.as_ref(), checked)?;
    base_files.without_own_rules(engine, &mut before);
    project_pass::findings_of_snapshot(
        base_rules.project_engine(),
        config,
        base,
        listing.as_ref(),
        &mut before,
    )?;
    let base_project_findings = std::mem::take(&mut before.project_findings);
    let mut comparison =
        CompareResult { outcome, changed: checked_changes.len(), ..CompareResult::default() };
    comparison.classify(&checked_changes, (&base_files, files), before);
    let renames = Renames::new(all_changes, listing.as_ref());
    comparison.classify_project_findings(base_project_findings, &renames, within);
    Ok(comparison)
}

/// The paths in the base of the files whose path differs; see [`WithBase`].
fn base_paths(changes: &[Change]) -> HashMap<&str, Option<&str>> {
    let changed = changes.iter().filter_map(|change| {
        let head = change.head.as_deref()?;
        // A file that moved in from outside of the project is read at its new path.
        let base = change.base.as_deref().or(change.outside.is_some().then_some(head));
        (base != Some(head)).then_some((head, base))
    });
    changed.collect()
}

/// The number of tracked files among `paths` that are excluded.
fn excluded_count(
    ignored: &mut IgnoreFiles<'_>,
    globs: &Globs,
    paths: impl Iterator<Item = String>,
) -> ExcludedCounts {
    let mut counts = ExcludedCounts::default();
    for path in paths {
        if globs.excludes(&path) {
            counts.exclude += 1;
        } else if ignored.excludes(&path) {
            counts.aiddignore += 1;
        }
    }
    counts
}

impl CompareResult {
    fn classify(&mut self, changes: &[Change], sides: (&dyn Files, &dyn Files), base: Outcome) {
        let mut heads = Side::new(&self.outcome.files);
        let mut bases = Side::new(&base.files);
        for change in changes {
            let (head_range, base_range) =
                (heads.at(change.head.as_deref()), bases.at(change.base.as_deref()));
            if head_range.is_empty() && base_range.is_empty() {
                continue;
            }
            let hunks = hunks_of(change, sides);
            let lines = LineMap(hunks.as_deref());
            pair(
                &mut heads.findings[head_range.clone()],
                &mut bases.findings[base_range.clone()],
                &lines,
            );
            let contains = |paths: &BTreeSet<String>, path: &Option<String>| {
                path.as_ref().is_some_and(|path| paths.contains(path))
            };
            // The same rules check two large versions of a file.
            let is_equal = contains(&base.checked_large, &change.base)
                && contains(&self.outcome.checked_large, &change.head);
            let is_base_incomplete = contains(&base.incomplete, &change.base) && !is_equal;
            for finding in &mut heads.findings[head_range] {
                finding.classify_new(change.base.is_none(), is_base_incomplete, &lines);
            }
            let is_head_incomplete = contains(&self.outcome.incomplete, &change.head) && !is_equal;
            for finding in &mut bases.findings[base_range] {
                finding.classify_fixed(change.head.is_none(), is_head_incomplete, &lines);
            }
            if let (Some(head), Some(hunks)) = (&change.head, hunks) {
                self.hunks.insert(head.clone(), hunks);
            }
        }
        self.before = bases.count_active();
        for (total, count) in self.before.iter_mut().zip(heads.count_active_untouched()) {
            *total += count;
        }
        let verdicts = heads.verdicts();
        for (at, status, reason) in verdicts {
            let finding = &mut self.outcome.files[at.0].checked.findings[at.1];
            if finding.status == Status::New {
                finding.status = status;
                finding.reason = Some(reason);
            }
        }
        let fixed = bases.verdicts();
        self.fixed = fixed_files(base.files, fixed);
    }
}

impl CompareResult {
    /// Matches new findings with findings that disappeared from other files, and marks them as
    /// moved. Must be called after the baseline was applied.
    pub fn match_across(&mut self) {
        if self.fixed.is_empty() {
            return;
        }
        let is_new = |finding: &Finding| {
            finding.status == Status::New
                && finding.reason.as_deref() != Some(ALLOW_COMMENT_REMOVED)
        };
        let (new, new_keys) = keyed(&self.outcome.files, is_new, |_| None);
        let (removed, removed_keys) = keyed(&self.fixed, |_| true, |_| None);
        let mut moved = HashSet::new();
        for (to, from) in match_moves(&new_keys, &removed_keys) {
            let (file, at) = removed[from];
            let FileReport { source, checked } = &self.fixed[file];
            let start = checked.findings[at].span.start;
            let line = source.position(start, Encoding::CodePoints).line + 1;
            let reason = moved_from(source.path(), line);
            let (file, at) = new[to];
            let finding = &mut self.outcome.files[file].checked.findings[at];
            (finding.status, finding.reason) = (Status::Moved, Some(reason));
            moved.insert(removed[from]);
        }
        for (index, file) in self.fixed.iter_mut().enumerate() {
            let mut indexes = 0..;
            let is_remaining =
                |_: &Finding| indexes.next().is_some_and(|at| !moved.contains(&(index, at)));
            file.checked.findings.retain(is_remaining);
        }
        self.fixed.retain(|file| !file.checked.findings.is_empty());
    }
}

/// The indexes (file, finding) of the findings that `is_wanted` selects, and their keys. A finding
/// on a whole file has no text for a key and is omitted, unless `head_path` returns the path of the
/// file in the head.
fn keyed<'a>(
    files: &'a [FileReport],
    is_wanted: impl Fn(&Finding) -> bool,
    head_path: impl Fn(&'a str) -> Option<Cow<'a, str>>,
) -> (Vec<(usize, usize)>, Vec<String>) {
    let mut found = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let findings = &file.checked.findings;
        if !findings.iter().any(&is_wanted) {
            continue;
        }
        if file.source.text().is_empty() {
            let Some(path) = head_path(file.source.path()) else { continue };
            let keyed = findings.iter().enumerate().filter(|(_, finding)| is_wanted(finding));
            let key = |finding: &Finding| format!("{} {path}", finding.rule);
            found.extend(keyed.map(|(at, finding)| ((index, at), key(finding))));
        } else {
            let keyed = findings.iter().enumerate().zip(text_keys(&file.source, findings));
            let keyed = keyed.filter(|((_, finding), _)| is_wanted(finding));
            found.extend(keyed.map(|((at, _), key)| ((index, at), key)));
        }
    }
    found.into_iter().unzip()
}

/// Retains only the fixed findings and sets their status and reason.
fn fixed_files(mut files: Vec<FileReport>, fixed: Vec<Verdict>) -> Vec<FileReport> {
    let fixed: HashMap<(usize, usize), (Status, String)> =
        fixed.into_iter().map(|(at, status, reason)| (at, (status, reason))).collect();
    for (index, file) in files.iter_mut().enumerate() {
        let findings = std::mem::take(&mut file.checked.findings);
        let retained = findings.into_iter().enumerate().filter_map(|(at, mut finding)| {
            let (status, reason) = fixed.get(&(index, at))?.clone();
            (finding.status, finding.reason, finding.fix) = (status, Some(reason), None);
            Some(finding)
        });
        file.checked.findings = retained.collect();
    }
    files.retain(|file| !file.checked.findings.is_empty());
    files
}
