//! The project as a whole, kept up to date: which files there are, and what the second pass finds in
//! them. A look at what changed says the same as a look at all.

use super::globs;
use super::stamps::Stamps;
use super::tree::{Mark, Tree};
use super::whole::{ask_git, asks_git};
use crate::check::Engine;
use crate::project::config::Config;
use crate::project::git::Repository;
use crate::text::files::{Disk, Files, SETTLED, stamp_of};
use crate::text::listing::Listing;
use crate::text::paths::GlobError;
use crate::workspace::project_checks::{Joins, News, Settled};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A project, looked at.
#[derive(Debug)]
pub struct Kept {
    tree: Tree,
    joins: Joins,
    /// What Git's branch and index are known by; `None`: there is no repository that could be read.
    git: Option<Vec<(PathBuf, Mark)>>,
    /// What files were known by when all were asked for last, and when that was; `None`: only once
    /// so far.
    stamps: Stamps,
    looked: Option<Instant>,
    /// What is to be looked at each time, as of a number of runs of the rules; see [`Joins::apart`].
    apart: (Option<u64>, Vec<String>),
}

/// How long what is told is taken to be all: a watcher may have lost something, or leave folders out.
const TRUSTED: Duration = Duration::from_secs(30);

/// What is known to have changed since the last look.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Files that came, went or changed, by path from the root; also those whose unsaved text counts
    /// or counted instead.
    pub files: &'a BTreeSet<String>,
    /// Whether to look for other files that changed: the time and length of each is asked for, which
    /// takes tens of milliseconds where there are tens of thousands.
    pub and_rest: bool,
}

impl Kept {
    /// Looks at the project. `files` is what the checks may read.
    ///
    /// # Errors
    /// When a glob of the configuration is malformed.
    pub fn new(
        engine: &Engine,
        config: &Config,
        disk: &Disk,
        files: &dyn Files,
    ) -> Result<Self, GlobError> {
        let globs = globs(config)?;
        let tree = Tree::new(disk);
        let (git, listing) = described(engine, disk, Listing::new(tree.files()));
        let mut stamps = Stamps::default();
        let _ = stamps.again(disk, &tree);
        let joins = Joins::new(engine, &globs, files, listing);
        Ok(Self { tree, joins, git, stamps, looked: None, apart: (None, Vec::new()) })
    }

    /// The list of files, with no question about them answered.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.joins.listing().unanswered()
    }

    /// What the second pass finds.
    #[must_use]
    pub fn settled(&self) -> Arc<Settled> {
        self.joins.settled()
    }

    /// Whether to look for files that changed beside those that somebody told of; `is_all`: who
    /// tells means to tell of all. Now and then it is so all the same.
    #[must_use]
    pub fn wants_rest(&self, is_all: bool) -> bool {
        !is_all || self.looked.is_none_or(|looked| looked.elapsed() >= TRUSTED)
    }

    /// Looks again; returns the paths with other findings. Engine, configuration and disk are those
    /// of the first look.
    pub fn again(
        &mut self,
        engine: &Engine,
        config: &Config,
        disk: &Disk,
        files: &dyn Files,
        told: Told<'_>,
    ) -> BTreeSet<String> {
        let Ok(globs) = globs(config) else { return BTreeSet::new() };
        let looked = self.tree.again(disk, told.files.iter().map(String::as_str));
        let mut news = News { listing: None, files: told.files.clone(), folders: looked.folders };
        if looked.differs || self.is_git_changed(engine) {
            let paths = if looked.differs {
                Listing::new(self.tree.files())
            } else {
                self.joins.listing().undescribed()
            };
            let (git, listing) = described(engine, disk, paths);
            self.git = git;
            news.listing = (!listing.is_as(self.joins.listing())).then_some(listing);
        }
        self.look_apart(!news.folders.is_empty());
        news.files.extend(self.apart.1.iter().cloned());
        if told.and_rest {
            news.files.extend(self.stamps.again(disk, &self.tree));
            self.looked = Some(Instant::now());
        }
        self.joins.again(engine, &globs, files, news)
    }

    /// Finds which files are to be looked at each time, unless nothing happened to that.
    fn look_apart(&mut self, is_tree_changed: bool) {
        let runs = self.joins.runs();
        if is_tree_changed || self.apart.0 != Some(runs) {
            let tree = &self.tree;
            self.apart = (Some(runs), self.joins.apart(&|folder| tree.enters(folder)));
        }
    }

    fn is_git_changed(&self, engine: &Engine) -> bool {
        let is_still =
            |(place, mark): &(PathBuf, Mark)| Mark::of(stamp_of(place), SETTLED).is_still(*mark);
        asks_git(engine) && !self.git.as_ref().is_some_and(|files| files.iter().all(is_still))
    }
}

/// Adds what the rules ask of Git, and what that is known by.
fn described(
    engine: &Engine,
    disk: &Disk,
    listing: Listing,
) -> (Option<Vec<(PathBuf, Mark)>>, Listing) {
    if !asks_git(engine) {
        return (None, listing);
    }
    let repository = Repository::open(disk.root()).ok();
    // Before they are read: what comes later changes the time.
    let known = repository.as_ref().map(|repository| {
        let mark = |place: PathBuf| (place.clone(), Mark::of(stamp_of(&place), SETTLED));
        repository.state_files().map(mark).to_vec()
    });
    let (tracked, branch) = ask_git(engine, repository);
    (known, listing.with_tracked(tracked).on_branch(branch))
}
