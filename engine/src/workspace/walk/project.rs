//! Lists the files of a project and runs the project pass.

use super::index::Indexes;
use super::scope::{Scope, from_root};
use super::{
    FileReport, Outcome, Walk, builder, globs, includes_entry, is_set, is_store, sort_by_path, tree,
};
use crate::check::{CheckResult, Engine};
use crate::project::config::Config;
use crate::project::git::{PastRevisions, Repository};
use crate::text::files::{Disk, Files};
use crate::text::listing::Listing;
use crate::text::paths::GlobError;
use crate::text::source::{Source, Span};
use crate::workspace::project::marked_root;
use crate::workspace::project_checks;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// All files of the project that are not ignored, regardless of the paths of the walk, with the Git
/// data that the rules of `engine` need.
#[must_use]
pub fn listing(engine: &Engine, disk: &Disk, walk: &Walk) -> Listing {
    listing_with(engine, disk, walk, &Arc::default())
}

/// Whether a walk covers only single files that belong to no project: its root has neither `.aidd`
/// nor `.git`, and can be a home directory or the root of a disk.
fn is_detached(disk: &Disk, walk: &Walk) -> bool {
    !walk.paths.is_empty()
        && walk.paths.iter().all(|path| path.is_file())
        && marked_root(disk.root()).is_none()
}

/// Like [`listing`], with the indexes shared with another walk.
pub(super) fn listing_with(
    engine: &Engine,
    disk: &Disk,
    walk: &Walk,
    indexes: &Arc<Indexes>,
) -> Listing {
    if is_detached(disk, walk) {
        return Listing::new(
            walk.paths.iter().map(|path| from_root(disk.root(), path).into_owned()),
        );
    }
    let root = Walk { paths: vec![disk.root().to_owned()], ..walk.clone() };
    let scope = Arc::new(Scope::of_walk(&root, disk, indexes.clone()));
    with_git_data(engine, disk, walk, Listing::new(list_all(disk, &root, &scope)))
}

/// Adds the Git data that the rules need.
pub(super) fn with_git_data(
    engine: &Engine,
    disk: &Disk,
    walk: &Walk,
    listing: Listing,
) -> Listing {
    let repository = needs_git(engine).then(|| Repository::open(disk.root()).ok()).flatten();
    let (tracked, branch) = read_git(repository);
    let branch = walk.branch.clone().or(branch);
    let listing = listing.with_tracked(tracked).on_branch(branch).with_change(walk.change.clone());
    listing.with_past(past_files(disk))
}

/// Looks up whether an earlier revision has a path. The history is read on first use.
pub(super) fn past_files(disk: &Disk) -> impl Fn(&str) -> bool + Send + Sync + 'static {
    let root = disk.root().to_owned();
    let past = OnceLock::new();
    let read = move || Repository::open(&root).and_then(|repository| repository.past_revisions());
    move |path| {
        let past: &Option<PastRevisions> = past.get_or_init(|| read().ok());
        past.as_ref().is_some_and(|past| past.has(path))
    }
}

/// Whether rules need the contents of the Git index, or the branch.
pub(super) fn needs_git(engine: &Engine) -> bool {
    project_checks::needs_index(engine) || engine.needs_listing()
}

/// Reads the contents of the Git index, and the branch.
pub(super) fn read_git(repository: Option<Repository>) -> (Option<Vec<String>>, Option<String>) {
    let tracked = repository.as_ref().and_then(|repository| {
        let index = repository.staged(None).ok()?;
        index.below("").ok()
    });
    (tracked, repository.and_then(|repository| repository.branch()))
}

/// The paths that `scope` includes below the paths of a walk, found by several threads.
pub(super) fn list_all(disk: &Disk, walk: &Walk, scope: &Arc<Scope>) -> Vec<String> {
    let Some(mut builder) = builder(walk) else { return Vec::new() };
    let (root, scope) = (disk.root().to_owned(), scope.clone());
    builder.filter_entry(move |entry| {
        let is_included = || includes_entry(&scope, entry, &from_root(&root, entry.path()));
        entry.depth() == 0 || !is_store(entry) && is_included()
    });
    tree::list_parallel(&builder, disk)
}

/// Runs the project pass, regardless of the part of the project that the walk covers.
pub(super) fn check(
    engine: &Engine,
    config: &Config,
    disk: &Disk,
    (walk, indexes): (&Walk, &Arc<Indexes>),
    listing: Option<Listing>,
    outcome: &mut Outcome,
) -> Result<(), GlobError> {
    // The project pass needs all files, so it does not run on an incomplete walk.
    if !project_checks::has_any(engine) || is_set(walk.stop()) || is_detached(disk, walk) {
        return Ok(());
    }
    let is_root = |path: &PathBuf| path == disk.root();
    // The files of the walk are all files, unless some were excluded.
    let covers_all_files = walk.only.is_none()
        && walk.part.is_none()
        && walk.paths.iter().any(is_root)
        && config.include.as_ref().is_none_or(Vec::is_empty)
        && config.exclude.as_ref().is_none_or(Vec::is_empty);
    let listing = match listing {
        Some(listing) => listing,
        None if covers_all_files => {
            with_git_data(engine, disk, walk, Listing::new(outcome.visited.iter().cloned()))
        }
        None => listing_with(engine, disk, walk, indexes),
    };
    check_project(engine, config, disk, &listing, outcome)
}

/// Checks the project of the files in `listing`, and adds the findings to `outcome`, separately
/// from its files.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn check_project(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    listing: &Listing,
    outcome: &mut Outcome,
) -> Result<(), GlobError> {
    let report = project_checks::run(engine, &globs(config)?, files, listing);
    for FileReport { source, mut checked } in std::mem::take(&mut outcome.pending_allows) {
        let in_same_file = report.files.iter().filter(|(other, _)| other.path() == source.path());
        let allowing: Vec<Span> =
            in_same_file.flat_map(|(_, checked_file)| &checked_file.allowing).copied().collect();
        checked.findings.retain(|finding| !allowing.contains(&finding.span));
        if checked.findings.is_empty() {
            continue;
        }
        match outcome.files.iter_mut().find(|file| file.source.path() == source.path()) {
            Some(file) => {
                file.checked.findings.append(&mut checked.findings);
                file.checked.findings.sort_by(|a, b| (a.span, &a.rule).cmp(&(b.span, &b.rule)));
            }
            None => outcome.files.push(FileReport { source, checked }),
        }
    }
    sort_by_path(&mut outcome.files);
    let found = report.files.into_iter();
    outcome.project_findings.extend(found.map(|(source, checked)| FileReport { source, checked }));
    outcome.checked_by_rule = report.checked_by_rule;
    outcome.notes = report.notes;
    Ok(())
}

/// Like [`check_project`], but only for the findings of the rules on imports in an unsaved
/// text; see [`project_checks::check_text`].
#[must_use]
pub fn check_unsaved_text(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    listing: &Listing,
    source: &Source,
) -> Option<CheckResult> {
    project_checks::check_text(engine, &globs(config).ok()?, files, listing, source)
}

/// The parent directories of all paths, including the root, and the paths themselves.
pub(super) fn with_parent_dirs(paths: &BTreeSet<String>) -> HashSet<String> {
    let mut all: HashSet<String> = [String::new()].into();
    for path in paths {
        let prefix_ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        all.extend(prefix_ends.map(|end| path[..end].to_owned()));
    }
    all
}
