//! Compares the findings of the project pass. A change to one file can cause such a finding in
//! another file, so both sides are checked completely and compared by finding id.

use super::match_findings::pair_edited_files;
use super::renames::Renames;
use super::{CompareResult, keyed};
use crate::check::{Engine, EngineError};
use crate::project::config::Config;
use crate::project::git::Snapshot;
use crate::project::ignored::IgnoreFiles;
use crate::text::attributes;
use crate::text::files::Files;
use crate::text::finding::{Finding, Severity, Status};
use crate::text::listing::Listing;
use crate::workspace::project_checks;
use crate::workspace::walk::{self, CheckedPaths, FileReport, Outcome};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The files of a snapshot that `.aiddignore` does not exclude, if a rule needs the listing.
pub(super) fn listing(
    engine: &Engine,
    files: &Snapshot,
    ignores: &dyn Files,
    (change, branch): (&BTreeSet<String>, Option<&str>),
) -> Option<Listing> {
    let has_attributes = files.exists(attributes::PATH);
    if !project_checks::has_any(engine) && !engine.needs_listing() && !has_attributes {
        return None;
    }
    let tracked = files.below("").ok()?;
    let mut ignored = IgnoreFiles::new(ignores);
    let included: Vec<String> =
        tracked.iter().filter(|path| !ignored.excludes(path)).cloned().collect();
    let branch = branch.map(str::to_owned).or_else(|| files.branch());
    let listing = Listing::new(included).with_change(Some(change.clone())).on_branch(branch);
    Some(listing.with_tracked(Some(tracked)))
}

/// The findings of the project pass in a snapshot.
pub(super) fn findings_of_snapshot(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    listing: Option<&Listing>,
    outcome: &mut Outcome,
) -> Result<(), EngineError> {
    match listing.filter(|_| project_checks::has_any(engine)) {
        Some(listing) => Ok(walk::check_project(engine, config, files, listing, outcome)?),
        None => Ok(()),
    }
}

impl CompareResult {
    /// Compares the findings of the project pass, and adds the findings `within` the run to the
    /// other findings.
    pub(super) fn classify_project_findings(
        &mut self,
        mut base: Vec<FileReport>,
        renames: &Renames<'_>,
        within: &CheckedPaths,
    ) {
        let is_within =
            |path: &str| within.contains(&renames.head_path(path).unwrap_or(path.into()));
        let base_ids: HashSet<String> = ids(&base).collect();
        let head_ids: HashSet<String> = ids(&self.outcome.project_findings).collect();
        let allowed: HashSet<String> = base
            .iter()
            .flat_map(findings)
            .filter(is_allowed)
            .map(|finding| finding.id.clone())
            .collect();
        let files_within = base.iter().filter(|file| is_within(file.source.path()));
        for finding in files_within.flat_map(findings).filter(|finding| !is_allowed(finding)) {
            let at = Severity::ALL.iter().position(|&severity| severity == finding.severity);
            self.before[at.unwrap_or_default()] += 1;
        }
        // A finding moves with its text, or with a file or directory whose path changed.
        let (base_indexes, base_keys) =
            keyed(&base, |finding| !head_ids.contains(&finding.id), |path| renames.head_path(path));
        let (head_indexes, head_keys) = keyed(
            &self.outcome.project_findings,
            |finding| !base_ids.contains(&finding.id),
            |path| Some(path.into()),
        );
        let moves: HashMap<(usize, usize), (usize, usize)> =
            super::match_moves(&head_keys, &base_keys)
                .into_iter()
                .map(|(to, from)| (head_indexes[to], base_indexes[from]))
                .collect();
        let mut moved: HashSet<(usize, usize)> = moves.values().copied().collect();
        let mut edited = HashMap::new();
        let open_heads = head_indexes.into_iter().filter(|at| !moves.contains_key(at));
        let open_bases = base_indexes.into_iter().filter(|at| !moved.contains(at));
        let pairs = pair_files(
            (&base, open_bases.collect()),
            (&self.outcome.project_findings, open_heads.collect()),
            renames,
        );
        for ((from, base_open), (to, head_open)) in pairs {
            let (verdicts, matched) = pair_edited_files(
                (&base[from], &base_open),
                (&self.outcome.project_findings[to], &head_open),
            );
            edited.extend(
                verdicts.into_iter().map(|(at, status, reason)| ((to, at), (status, reason))),
            );
            moved.extend(matched.into_iter().map(|at| (from, at)));
        }
        for (index, file) in self.outcome.project_findings.iter_mut().enumerate() {
            for (at, finding) in file.checked.findings.iter_mut().enumerate() {
                if finding.status != Status::New {
                    continue;
                }
                let (status, reason) = match moves.get(&(index, at)) {
                    _ if allowed.contains(&finding.id) => {
                        (Status::New, super::ALLOW_COMMENT_REMOVED.to_owned())
                    }
                    _ if base_ids.contains(&finding.id) => {
                        (Status::PreExisting, "already present in the base".to_owned())
                    }
                    Some(&(from, at)) if is_allowed(&&findings(&base[from])[at]) => {
                        (Status::New, super::ALLOW_COMMENT_REMOVED.to_owned())
                    }
                    Some((from, _)) if base[*from].source.path() == file.source.path() => (
                        Status::PreExisting,
                        "already present in the base, elsewhere in the file".to_owned(),
                    ),
                    Some((from, _)) => {
                        (Status::Moved, format!("moved from `{}`", base[*from].source.path()))
                    }
                    None => edited
                        .remove(&(index, at))
                        .unwrap_or_else(|| (Status::New, "not present in the base".to_owned())),
                };
                (finding.status, finding.reason) = (status, Some(reason));
            }
        }
        for (index, file) in base.iter_mut().enumerate() {
            let mut indexes = 0..;
            file.checked.findings.retain_mut(|finding| {
                let at = indexes.next().unwrap_or(usize::MAX);
                let is_fixed = !head_ids.contains(&finding.id)
                    && !moved.contains(&(index, at))
                    && finding.status != Status::Allowed;
                let reason = "fixed by this change".to_owned();
                (finding.status, finding.reason, finding.fix) = (Status::Fixed, Some(reason), None);
                is_fixed
            });
        }
        base.retain(|file| !file.checked.findings.is_empty() && is_within(file.source.path()));
        self.fixed.append(&mut base);
        walk::sort_by_path(&mut self.fixed);
        self.outcome.project_findings.retain(|file| within.contains(file.source.path()));
        self.outcome.merge_project_findings();
    }
}

/// The index of a file, and the indexes of its open findings.
type OpenFile = (usize, Vec<usize>);

/// Pairs the two versions of the files in which both sides have open findings.
fn pair_files(
    (base, base_open): (&[FileReport], Vec<(usize, usize)>),
    (head, head_open): (&[FileReport], Vec<(usize, usize)>),
    renames: &Renames<'_>,
) -> Vec<(OpenFile, OpenFile)> {
    let mut heads: HashMap<&str, OpenFile> = by_file(head_open)
        .into_iter()
        .filter(|(file, _)| !head[*file].source.text().is_empty())
        .map(|(file, open)| (head[file].source.path(), (file, open)))
        .collect();
    let pairs = by_file(base_open).into_iter().filter_map(|(file, open)| {
        let path = base[file].source.path();
        let head = heads.remove(&*renames.head_path(path).unwrap_or(path.into()))?;
        Some(((file, open), head))
    });
    pairs.collect()
}

fn by_file(open: Vec<(usize, usize)>) -> BTreeMap<usize, Vec<usize>> {
    let mut files: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (file, at) in open {
        files.entry(file).or_default().push(at);
    }
    files
}

fn findings(file: &FileReport) -> &[Finding] {
    &file.checked.findings
}

fn is_allowed(finding: &&Finding) -> bool {
    finding.status == Status::Allowed
}

fn ids(files: &[FileReport]) -> impl Iterator<Item = String> {
    files.iter().flat_map(findings).map(|finding| finding.id.clone())
}
