//! The project as a whole, updated incrementally: its files, and the findings of the project pass.
//! An update gives the same result as a full run.

use super::globs;
use super::project::{needs_git, read_git};
use super::stamps::Stamps;
use super::tree::{Mark, Tree};
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
    joins: ProjectPassCache,
    /// The files that determine Git's branch and index, with their stamps; `None`: no readable
    /// repository.
    git: Option<Vec<(PathBuf, Mark)>>,
    /// The stamps of all files at the last complete comparison, and its time; `None`: compared only
    /// once so far.
    stamps: Stamps,
    looked: Option<Instant>,
    /// The files to compare on each update, as of a run counter; see [`ProjectPassCache::unobservable`].
    apart: (Option<u64>, Vec<String>),
}

/// How long notifications are assumed to be complete: a watcher can lose events or skip
/// directories.
const TRUST_DURATION: Duration = Duration::from_secs(30);

/// The known changes since the last update.
#[derive(Clone, Copy, Debug)]
pub struct ReportedChanges<'a> {
    /// Files that were added, deleted or changed, relative to the root; also those whose unsaved
    /// text is or was used instead.
    pub files: &'a BTreeSet<String>,
    /// Whether to look for other changed files: this reads the modification time and length of each
    /// file, which takes tens of milliseconds for tens of thousands of files.
    pub look_for_others: bool,
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
        let _ = stamps.update(disk, &tree);
        let joins = ProjectPassCache::new(engine, &globs, files, listing);
        Ok(Self { tree, joins, git, stamps, looked: None, apart: (None, Vec::new()) })
    }

    /// The listing, without cached lookups.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.joins.listing().without_answers()
    }

    /// The findings of the project pass.
    #[must_use]
    pub fn checked_files(&self) -> Arc<CheckedFiles> {
        self.joins.checked_files()
    }

    /// Whether to look for changed files other than those in the notification; `is_all`: the client
    /// intends to report all changes. Returns true periodically even then.
    #[must_use]
    pub fn should_look_for_others(&self, is_all: bool) -> bool {
        !is_all || self.looked.is_none_or(|looked| looked.elapsed() >= TRUST_DURATION)
    }

    /// Updates the state; returns the paths whose findings differ. Engine, configuration and disk
    /// must be those of [`ProjectCache::new`].
    pub fn update(
        &mut self,
        engine: &Engine,
        config: &Config,
        disk: &Disk,
        files: &dyn Files,
        reported: ReportedChanges<'_>,
    ) -> BTreeSet<String> {
        let Ok(globs) = globs(config) else { return BTreeSet::new() };
        let looked = self.tree.update(disk, reported.files.iter().map(String::as_str));
        let mut news =
            Changes { listing: None, files: reported.files.clone(), folders: looked.folders };
        if looked.differs || self.is_git_changed(engine) {
            let paths = if looked.differs {
                Listing::new(self.tree.files())
            } else {
                self.joins.listing().files_only()
            };
            let (git, listing) = with_git_data(engine, disk, paths);
            self.git = git;
            news.listing = (!listing.is_same(self.joins.listing())).then_some(listing);
        }
        self.update_unobservable(!news.folders.is_empty());
        news.files.extend(self.apart.1.iter().cloned());
        if reported.look_for_others {
            news.files.extend(self.stamps.update(disk, &self.tree));
            self.looked = Some(Instant::now());
        }
        self.joins.update(engine, &globs, files, news)
    }

    /// Determines the files to compare on each update, unless nothing relevant changed.
    fn update_unobservable(&mut self, is_tree_changed: bool) {
        let runs = self.joins.runs();
        if is_tree_changed || self.apart.0 != Some(runs) {
            let tree = &self.tree;
            self.apart = (Some(runs), self.joins.unobservable(&|folder| tree.enters(folder)));
        }
    }

    fn is_git_changed(&self, engine: &Engine) -> bool {
        let is_still = |(place, mark): &(PathBuf, Mark)| {
            Mark::of(stamp_of(place), MIN_STAMP_AGE).is_still(*mark)
        };
        needs_git(engine) && !self.git.as_ref().is_some_and(|files| files.iter().all(is_still))
    }
}

/// Adds the Git data that the rules need, and the stamps of its files.
fn with_git_data(
    engine: &Engine,
    disk: &Disk,
    listing: Listing,
) -> (Option<Vec<(PathBuf, Mark)>>, Listing) {
    if !needs_git(engine) {
        return (None, listing);
    }
    let repository = Repository::open(disk.root()).ok();
    // Taken before the files are read, so that a later change is detected.
    let known = repository.as_ref().map(|repository| {
        let mark = |place: PathBuf| (place.clone(), Mark::of(stamp_of(&place), MIN_STAMP_AGE));
        repository.state_files().map(mark).to_vec()
    });
    let (tracked, branch) = read_git(engine, repository);
    (known, listing.with_tracked(tracked).on_branch(branch))
}
