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
use crate::project::ignored::Ignored;
use crate::text::files::{Disk, Files, Memory};
use crate::text::finding::{Finding, Status};
use crate::text::paths::Globs;
use crate::text::source::Encoding;
use crate::workspace::walk::{self, ExcludedCounts, FileReport, Outcome, Skipped, Walk, Within};
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
        /// Which of them to check; `only` is set by the comparison, or unset to check all.
        walk: Walk,
        /// Whether every file is checked, not only the changed ones.
        check_all: bool,
    },
    /// A revision or the index.
    Snapshot {
        /// The files of that commit or of the index.
        files: &'a Snapshot,
        /// The files with the `.aiddignore` files that apply: its own, unless they are not trusted.
        /// All other tracked files are checked, regardless of other ignore files.
        ignores: &'a dyn Files,
        /// The name of the branch, if Git does not know it: CI runners check out a detached head.
        branch: Option<String>,
    },
}

impl std::fmt::Debug for Head<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WorkTree { walk, check_all: whole, .. } => {
                f.debug_struct("WorkTree").field("walk", walk).field("whole", whole).finish()
            }
            Self::Snapshot { .. } => f.debug_struct("Snapshot").finish_non_exhaustive(),
        }
    }
}

/// The result of comparing both sides of a change.
#[derive(Debug, Default)]
pub struct Compared {
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

/// Checks both sides of those `changes` that are `within` the run and classifies the findings of
/// the head. `changes` are those of the whole project: a directory can have moved with its rules,
/// and a finding of the project pass from one part to another. A moved finding belongs to its path
/// in the head. `done` is called for each file of the head, from any thread. If the walk of the
/// head is stopped, the result is incomplete.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn compare(
    engine: &Engine,
    config: &Config,
    (base, head): (&Snapshot, Head<'_>),
    (changes, within): (&[Change], &Within),
    done: &(dyn Fn() + Sync),
) -> Result<Compared, EngineError> {
    let all = changes;
    let changes: Vec<&Change> = all.iter().filter(|one| within.contains(one.path())).collect();
    let (rules, base_rules) = Rules::of_both_sides(engine, all)?;
    let (jobs, stop) = match &head {
        Head::WorkTree { walk, .. } => (walk.jobs, walk.stop.clone()),
        Head::Snapshot { .. } => (0, None),
    };
    let stop = stop.as_deref();
    let heads = changes.iter().filter_map(|change| change.head.clone());
    // The paths of the whole change, so that each part of a run applies the same rules.
    let touched: BTreeSet<String> =
        all.iter().flat_map(|change| [&change.head, &change.base]).flatten().cloned().collect();
    let branch = match &head {
        Head::WorkTree { walk, .. } => walk.branch.clone(),
        Head::Snapshot { branch, .. } => branch.clone(),
    };
    let (base_ignores, nothing);
    let (ignores, is_whole): (&dyn Files, bool) = match &head {
        Head::WorkTree { disk, walk, check_all: whole } => {
            base_ignores = walk.base_ignores.clone();
            nothing = Memory::default();
            match &base_ignores {
                _ if walk.no_ignore => (&nothing, *whole),
                Some(base) => (base, *whole),
                None => (*disk, *whole),
            }
        }
        Head::Snapshot { ignores, .. } => (*ignores, false),
    };
    let mut ignored = Ignored::new(ignores);
    // Of the whole change, so that each part of a run reports the same.
    let left_out = excluded_count(
        &mut ignored,
        &walk::globs(config)?,
        all.iter().filter_map(|one| one.head.clone()),
    );
    let (mut outcome, files): (Outcome, &dyn Files) = match head {
        Head::WorkTree { disk, mut walk, check_all: whole } => {
            walk.only = (!whole).then(|| heads.collect());
            walk.change = Some(touched.clone());
            (walk::check_apart(engine, config, disk, &walk, done)?, disk)
        }
        Head::Snapshot { files, branch, .. } => {
            let paths: Vec<String> = heads.filter(|path| !ignored.excludes(path)).collect();
            let listing =
                project_pass::listing(engine, files, ignores, (&touched, branch.as_deref()));
            let listed = listing.as_ref();
            let mut outcome = rules.check(config, files, listed, (&paths, jobs, stop))?;
            project_pass::findings_of_snapshot(
                rules.of_project(),
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
    if !is_whole {
        outcome.excluded = left_out;
    }
    let met = |path: &String| outcome.met.contains(path);
    // A deleted file counts as checked if it would be checked now.
    let counts: Vec<Change> = changes
        .into_iter()
        .filter(|change| match &change.head {
            Some(head) => met(head),
            None => change.base.as_ref().is_some_and(|base| !ignored.excludes(base)),
        })
        .map(moved_in::with_base)
        .collect();
    let bases: Vec<String> = counts.iter().filter_map(|change| change.base.clone()).collect();
    let listing = project_pass::listing(engine, base, ignores, (&touched, branch.as_deref()));
    let base_files = moved_in::Base::new(base, all);
    let checked = (&*bases, jobs, stop);
    let mut before = base_rules.check(config, &base_files, listing.as_ref(), checked)?;
    base_files.without_own_rules(engine, &mut before);
    project_pass::findings_of_snapshot(
        base_rules.of_project(),
        config,
        base,
        listing.as_ref(),
        &mut before,
    )?;
    let before_joined = std::mem::take(&mut before.project_findings);
    let mut comparison = Compared { outcome, changed: counts.len(), ..Compared::default() };
    comparison.classify(&counts, (&base_files, files), before);
    let renames = Renames::new(all, listing.as_ref());
    comparison.classify_project_findings(before_joined, &renames, within);
    Ok(comparison)
}

/// The number of tracked files among `paths` that are excluded.
fn excluded_count(
    ignored: &mut Ignored<'_>,
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

impl Compared {
    fn classify(&mut self, changes: &[Change], sides: (&dyn Files, &dyn Files), base: Outcome) {
        let mut heads = Side::new(&self.outcome.files);
        let mut bases = Side::new(&base.files);
        for change in changes {
            let (now, then) = (heads.at(change.head.as_deref()), bases.at(change.base.as_deref()));
            if now.is_empty() && then.is_empty() {
                continue;
            }
            let hunks = hunks_of(change, sides);
            let lines = LineMap(hunks.as_deref());
            pair(&mut heads.placed[now.clone()], &mut bases.placed[then.clone()], &lines);
            for placed in &mut heads.placed[now] {
                let unknown = change.base.as_ref().is_some_and(|path| base.partly.contains(path));
                placed.classify_new(change.base.is_none(), unknown, &lines);
            }
            let lost = change.head.as_ref().is_some_and(|head| self.outcome.partly.contains(head));
            for placed in &mut bases.placed[then] {
                placed.classify_fixed(change.head.is_none(), lost, &lines);
            }
            if let (Some(head), Some(hunks)) = (&change.head, hunks) {
                self.hunks.insert(head.clone(), hunks);
            }
        }
        self.before = bases.count_active();
        for (to, count) in self.before.iter_mut().zip(heads.count_active_untouched()) {
            *to += count;
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

impl Compared {
    /// Matches new findings with findings that disappeared from other files: they moved. To be
    /// called after the baseline is applied.
    pub fn match_across(&mut self) {
        let is_new = |finding: &Finding| {
            finding.status == Status::New
                && finding.reason.as_deref() != Some(ALLOW_COMMENT_REMOVED)
        };
        let (new, new_keys) = keyed(&self.outcome.files, is_new, |_| None);
        let (gone, gone_keys) = keyed(&self.fixed, |_| true, |_| None);
        let mut moved = HashSet::new();
        for (to, from) in match_moves(&new_keys, &gone_keys) {
            let (file, at) = gone[from];
            let FileReport { source, checked } = &self.fixed[file];
            let start = checked.findings[at].span.start;
            let line = source.position(start, Encoding::CodePoints).line + 1;
            let reason = moved_from(source.path(), line);
            let (file, at) = new[to];
            let finding = &mut self.outcome.files[file].checked.findings[at];
            (finding.status, finding.reason) = (Status::Moved, Some(reason));
            moved.insert(gone[from]);
        }
        for (index, file) in self.fixed.iter_mut().enumerate() {
            let mut places = 0..;
            let left = |_: &Finding| places.next().is_some_and(|at| !moved.contains(&(index, at)));
            file.checked.findings.retain(left);
        }
        self.fixed.retain(|file| !file.checked.findings.is_empty());
    }
}

/// The indexes (file, finding) of the wanted findings, and their keys. A finding on a whole file
/// has no text for a key: it is omitted, unless `head_path` returns the path of the file in the
/// head.
fn keyed<'a>(
    files: &'a [FileReport],
    wanted: impl Fn(&Finding) -> bool,
    head_path: impl Fn(&'a str) -> Option<Cow<'a, str>>,
) -> (Vec<(usize, usize)>, Vec<String>) {
    let mut found = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let findings = &file.checked.findings;
        if !findings.iter().any(&wanted) {
            continue;
        }
        if file.source.text().is_empty() {
            let Some(path) = head_path(file.source.path()) else { continue };
            let keyed = findings.iter().enumerate().filter(|(_, finding)| wanted(finding));
            let key = |finding: &Finding| format!("{} {path}", finding.rule);
            found.extend(keyed.map(|(at, finding)| ((index, at), key(finding))));
        } else {
            let keyed = findings.iter().enumerate().zip(text_keys(&file.source, findings));
            let keyed = keyed.filter(|((_, finding), _)| wanted(finding));
            found.extend(keyed.map(|((at, _), key)| ((index, at), key)));
        }
    }
    found.into_iter().unzip()
}

/// Only the fixed findings, with their verdicts.
fn fixed_files(mut files: Vec<FileReport>, fixed: Vec<Verdict>) -> Vec<FileReport> {
    let fixed: HashMap<(usize, usize), (Status, String)> =
        fixed.into_iter().map(|(at, status, reason)| (at, (status, reason))).collect();
    for (index, file) in files.iter_mut().enumerate() {
        let findings = std::mem::take(&mut file.checked.findings);
        let gone = findings.into_iter().enumerate().filter_map(|(at, mut finding)| {
            let (status, reason) = fixed.get(&(index, at))?.clone();
            (finding.status, finding.reason, finding.fix) = (status, Some(reason), None);
            Some(finding)
        });
        file.checked.findings = gone.collect();
    }
    files.retain(|file| !file.checked.findings.is_empty());
    files
}
