//! Caches the files of a project and the findings of the project pass, and updates them
//! incrementally. An update gives the same result as a full run.

use super::globs;
use super::project::{needs_git, past_files, read_git};
use super::stamps::Stamps;
use super::tree::{PathState, Tree};
use crate::check::Engine;
use crate::project::config::Config;
use crate::project::git::Repository;
use crate::text::files::{Disk, Files, MIN_STAMP_AGE, stamp_of};
use crate::text::listing::Listing;
use crate::text::paths::GlobError;
use crate::workspace::project_checks::{Changes, CheckedFiles, ProjectPassCache};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The state of a project after the last update.
#[derive(Debug)]
pub struct ProjectCache {
    tree: Tree,
    project_pass: ProjectPassCache,
    /// The files that determine Git's branch and index, with their stamps; `None` if there is no
    /// readable repository.
    git: Option<Vec<(PathBuf, PathState)>>,
    /// The stamps of all files at the last complete comparison.
    stamps: Stamps,
    last_full_comparison: Option<Instant>,
    /// The files to compare on each update (see [`ProjectPassCache::unobservable`]), and the value of
    /// the run counter at which they were determined.
    unobservable: (Option<u64>, Vec<String>),
}

/// How long notifications are assumed to be complete: a watcher can lose events or skip
/// directories.
const TRUST_DURATION: Duration = Duration::from_secs(30);

/// The known changes since the last update.
#[derive(Clone, Copy, Debug)]
pub struct ReportedChanges<'a> {
    /// Files that were added, deleted or changed, relative to the root; also files whose unsaved
    /// text is or was used instead.
    pub files: &'a BTreeSet<String>,
    /// Whether to scan for changed files that were not reported. The scan reads the modification
    /// time and length of each file, which takes tens of milliseconds for tens of thousands of
    /// files.
    pub find_unreported: bool,
}

impl ProjectCache {
    /// Lists and checks the project. `files` gives access to the files that checks read.
    ///
    /// # Errors
    /// A malformed glob in the configuration.
    pub fn new(
        engine: &Engine,
        config: &Config,
        disk: &Disk,
        files: &dyn Files,
    ) -> Result<Self, GlobError> {
        let globs = globs(config)?;
        let tree = Tree::new(disk);
        let (git, listing) = with_git_data(engine, disk, Listing::new(tree.files()));
        let mut stamps = Stamps::default();
        let _ = stamps.update(disk, &tree, |_| true);
        let project_pass = ProjectPassCache::new(engine, &globs, files, listing);
        Ok(Self {
            tree,
            project_pass,
            git,
            stamps,
            last_full_comparison: None,
            unobservable: (None, Vec::new()),
        })
    }

    /// The listing, without cached lookups.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.project_pass.listing().without_answers()
    }

    /// The findings of the project pass.
    #[must_use]
    pub fn checked_files(&self) -> Arc<CheckedFiles> {
        self.project_pass.checked_files()
    }

    /// Whether to scan for changed files that the client did not report. If `client_reports_all`
    /// (the client intends to report all changes), a scan is due only periodically.
    #[must_use]
    pub fn is_scan_due(&self, client_reports_all: bool) -> bool {
        !client_reports_all
            || self
                .last_full_comparison
                .is_none_or(|last_full_comparison| last_full_comparison.elapsed() >= TRUST_DURATION)
    }

    /// Updates the state; returns the paths whose findings differ. Engine, configuration and disk
    /// must be the same as in [`ProjectCache::new`].
    pub fn update(
        &mut self,
        engine: &Engine,
        config: &Config,
        disk: &Disk,
        files: &dyn Files,
        reported: ReportedChanges<'_>,
    ) -> BTreeSet<String> {
        let Ok(globs) = globs(config) else { return BTreeSet::new() };
        let tree_update = self.tree.update(disk, reported.files.iter().map(String::as_str));
        let mut changes =
            Changes { listing: None, files: reported.files.clone(), dirs: tree_update.dirs };
        if tree_update.differs || self.is_git_changed(engine) {
            let paths = if tree_update.differs {
                Listing::new(self.tree.files())
            } else {
                self.project_pass.listing().files_only()
            };
            let (git, listing) = with_git_data(engine, disk, paths);
            self.git = git;
            changes.listing = (!listing.is_same(self.project_pass.listing())).then_some(listing);
        }
        self.update_unobservable(!changes.dirs.is_empty());
        changes.files.extend(self.unobservable.1.iter().cloned());
        if reported.find_unreported {
            changes.files.extend(self.stamps.update(disk, &self.tree, |_| true));
            self.last_full_comparison = Some(Instant::now());
        }
        self.project_pass.update(engine, &globs, files, changes)
    }

    /// Determines the files to compare on each update, unless nothing relevant changed.
    fn update_unobservable(&mut self, is_tree_changed: bool) {
        let runs = self.project_pass.runs();
        if is_tree_changed || self.unobservable.0 != Some(runs) {
            let tree = &self.tree;
            self.unobservable =
                (Some(runs), self.project_pass.unobservable(&|dir| tree.enters(dir)));
        }
    }

    fn is_git_changed(&self, engine: &Engine) -> bool {
        let is_unchanged = |(path, state): &(PathBuf, PathState)| {
            PathState::from_stamp(stamp_of(path), MIN_STAMP_AGE).is_unchanged_since(*state)
        };
        needs_git(engine) && !self.git.as_ref().is_some_and(|files| files.iter().all(is_unchanged))
    }
}

/// Adds the Git data that the rules need, and the stamps of its files.
fn with_git_data(
    engine: &Engine,
    disk: &Disk,
    listing: Listing,
) -> (Option<Vec<(PathBuf, PathState)>>, Listing) {
    if !needs_git(engine) {
        return (None, listing);
    }
    let repository = Repository::open(disk.root()).ok();
    // The stamps are taken before the files are read, so that a later change is detected.
    let known = repository.as_ref().map(|repository| {
        let with_state =
            |path: PathBuf| (path.clone(), PathState::from_stamp(stamp_of(&path), MIN_STAMP_AGE));
        repository.state_files().map(with_state).to_vec()
    });
    let (tracked, branch) = read_git(repository);
    let listing = listing.with_tracked(tracked).on_branch(branch);
    (known, listing.with_past(past_files(disk)))
}
