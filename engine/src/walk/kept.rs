//! The project as a whole, kept up to date: which files there are, and what the second pass finds in
//! them. A look at what changed says the same as a look at all.

use super::globs;
use super::tree::{Mark, Tree};
use super::whole::{ask_git, asks_git};
use crate::check::Engine;
use crate::config::Config;
use crate::files::{Disk, Files, SETTLED, Stamp, stamp_of};
use crate::git::Repository;
use crate::listing::Listing;
use crate::project_checks::{Joins, News, Settled};
use std::collections::{BTreeSet, HashMap};
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
    /// What files were known by when all were looked at last, and when that was; `None`: only once
    /// so far.
    stamps: HashMap<String, Stamp>,
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
    /// All files that changed are among them. Else the time and length of each file tell; now and
    /// then they do all the same.
    pub is_all: bool,
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
    ) -> Result<Self, String> {
        let globs = globs(config)?;
        let tree = Tree::new(disk);
        let (git, listing) = described(engine, disk, Listing::new(tree.files()));
        let mut stamps = HashMap::new();
        let _ = restamp(&mut stamps, files, &listing);
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
        let is_trusted = self.looked.is_some_and(|looked| looked.elapsed() < TRUSTED);
        if !told.is_all || !is_trusted {
            let listing = news.listing.as_ref().unwrap_or_else(|| self.joins.listing());
            news.files.extend(restamp(&mut self.stamps, files, listing));
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

/// Notes what the files of `listing` are known by now, of those that were not written just now; those
/// that may be others than when it was noted last.
fn restamp(
    stamps: &mut HashMap<String, Stamp>,
    files: &dyn Files,
    listing: &Listing,
) -> Vec<String> {
    let mut changed = Vec::new();
    for path in listing.files() {
        let stamp = files.known_by(path);
        if stamp.is_some() && stamps.get(path) == stamp.as_ref() {
            continue;
        }
        changed.push(path.clone());
        match stamp.filter(|stamp| stamp.0.elapsed().is_ok_and(|age| age > SETTLED)) {
            Some(stamp) => stamps.insert(path.clone(), stamp),
            None => stamps.remove(path),
        };
    }
    if stamps.len() > listing.files().len() {
        stamps.retain(|path, _| listing.has_file(path));
    }
    changed
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
