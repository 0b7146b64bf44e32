//! Whole trees: which files there are, read and checked in parallel, in the same order every time.

mod index;
mod job;
mod kept;
mod rules;
mod scope;
mod stamps;
mod tree;
mod uncommitted;
mod whole;
mod within;

use crate::check::{Checked, Engine};
use crate::project::config::Config;
use crate::project::git::{Change, GitError, Repository, Snapshot};
use crate::text::files::{Disk, Files, Listed};
use crate::text::finding::RuleId;
use crate::text::paths::{GlobError, Globs};
use crate::text::source::Source;
use ignore::{DirEntry, WalkBuilder, WalkState};
use job::Job;
use scope::{Cause, Scope, from_root};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use crate::text::paths::relative;
pub use job::is_binary;
pub use kept::{Kept, Told};
pub use scope::LeftOut;
pub use uncommitted::{Uncommitted, uncommitted};
pub use whole::{joined, listing, typed};
pub use within::{Part, Within};

/// Most threads that one run starts.
const MOST_JOBS: usize = 256;
/// The stores of version control. In a work tree and in a submodule the store is a file that names a
/// folder elsewhere.
const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Why a file that settings or memories are read from is not.
pub const IRREGULAR: &str = "cannot be read: it is a pipe, a socket or a device; put a regular file \
                             in its place or delete it";

/// Which files to check, and how.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Files and folders to check, as the user gave them; they lie below the root.
    pub paths: Vec<PathBuf>,
    /// Threads; 0: one a processor; at most 256.
    pub jobs: usize,
    /// Do not read ignore files.
    pub no_ignore: bool,
    /// The revision whose `.aiddignore` files count, when those of the disk are not to be trusted.
    pub base_ignores: Option<Snapshot>,
    /// Leave out files and folders whose name begins with a dot.
    pub no_hidden: bool,
    /// Check these files only, by their paths from the root, where the walk meets them.
    pub only: Option<BTreeSet<String>>,
    /// Check the files of one part only.
    pub part: Option<Part>,
    /// The branch, where that is not what Git calls it: a runner checks out none.
    pub branch: Option<String>,
    /// The paths that the change under judgement touches.
    pub change: Option<BTreeSet<String>>,
    /// Begin no further file once this is set: what comes of the walk is then a part of it.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Walk {
    /// A walk over `paths` that reads what Git tracks, and what is neither tracked nor ignored.
    #[must_use]
    pub fn over(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            jobs: 0,
            no_ignore: false,
            base_ignores: None,
            no_hidden: false,
            only: None,
            part: None,
            branch: None,
            change: None,
            stop: None,
        }
    }

    /// Where it looks, in the project at `root`.
    #[must_use]
    pub fn within(&self, root: &Path) -> Within {
        Within::new(root, &self.paths, self.part)
    }

    /// What stops it.
    #[must_use]
    pub fn stop(&self) -> Option<&AtomicBool> {
        self.stop.as_deref()
    }
}

/// A checked file with findings, or a window of one.
#[derive(Debug)]
pub struct FileReport {
    /// Its text.
    pub source: Source,
    /// Its findings.
    pub checked: Checked,
}

/// A file that was not, or not wholly, checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: String,
    /// Whether it should have been checked: it could not be read.
    pub failed: bool,
}

/// What a run over a tree gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files with findings, by path, then place.
    pub files: Vec<FileReport>,
    /// How many files were checked.
    pub checked: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// What was not, or not wholly, checked, by path.
    pub skipped: Vec<Skipped>,
    /// The files that no ignore file and no glob left out, read or not.
    pub met: BTreeSet<String>,
    /// How many tracked files were left out; of a walk over all that lies below its paths.
    pub left_out: LeftOut,
    /// Those of them in which not every rule looked: binary, too large, or not to be read.
    pub partly: BTreeSet<String>,
    /// What the checks of the project as a whole found, as long as it is not among `files`.
    pub joined: Vec<FileReport>,
    /// Rule of the project pass → how many files, folders or imports it judged.
    pub judged: BTreeMap<RuleId, usize>,
    /// What else there is to tell of a rule.
    pub notes: Vec<(RuleId, String)>,
    /// Findings on allow comments that stand unless the project pass needs the comment.
    pub waiting: Vec<FileReport>,
}

impl Outcome {
    /// Takes in what the checks of one file gave.
    pub fn keep(&mut self, source: Source, mut checked: Checked) {
        let waiting = std::mem::take(&mut checked.waiting);
        if !waiting.is_empty() {
            let (findings, secrets) = (waiting, checked.secrets.clone());
            let source = Source::new(source.path(), source.text());
            let checked = Checked { findings, secrets, ..Checked::default() };
            self.waiting.push(FileReport { source, checked });
        }
        if !checked.findings.is_empty() {
            self.files.push(FileReport { source, checked });
        }
    }

    /// Adds the paths of settings that are [irregular](IRREGULAR).
    pub fn skip_irregular(&mut self, paths: Vec<String>) {
        let skipped = |path| Skipped { path, why: IRREGULAR.to_owned(), failed: true };
        self.skipped.extend(paths.into_iter().map(skipped));
        self.skipped.sort();
    }

    /// Adds what another run found in other files, before the project pass.
    pub(crate) fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.waiting.extend(other.waiting);
        self.skipped.extend(other.skipped);
        self.checked += other.checked;
        self.bytes += other.bytes;
        self.met.extend(other.met);
        self.partly.extend(other.partly);
    }

    /// Puts what the project pass found among the files.
    pub fn join(&mut self) {
        self.files.append(&mut self.joined);
        by_path(&mut self.files);
    }
}

/// Checks the files of a tree, then the project as a whole. `done` is told of each file, from any
/// thread.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn check_tree(
    engine: &Engine,
    config: &Config,
    disk: &Disk,
    walk: &Walk,
    done: &(dyn Fn() + Sync),
) -> Result<Outcome, GlobError> {
    let mut outcome = check_apart(engine, config, disk, walk, done)?;
    let within = walk.within(disk.root());
    outcome.joined.retain(|file| within.holds(file.source.path()));
    outcome.join();
    Ok(outcome)
}

/// As [`check_tree`], with what the project pass found left apart, and all of it: also outside of
/// [`Walk::within`].
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn check_apart(
    engine: &Engine,
    config: &Config,
    disk: &Disk,
    walk: &Walk,
    done: &(dyn Fn() + Sync),
) -> Result<Outcome, GlobError> {
    let globs = globs(config)?;
    let indexes = Arc::default();
    let listing = engine.asks_listing().then(|| whole::listed(engine, disk, walk, &indexes));
    let scope = Arc::new(Scope::of_walk(walk, disk, indexes.clone()));
    let mut outcome = match &listing {
        Some(listing) => {
            let files = Listed { files: disk, listing };
            check_walked(engine, &globs, (disk, &files), (walk, &scope), done)
        }
        None => check_walked(engine, &globs, (disk, disk), (walk, &scope), done),
    };
    whole::check(engine, config, disk, (walk, &indexes), listing, &mut outcome)?;
    Ok(outcome)
}

/// Checks the files that a walk meets.
fn check_walked(
    engine: &Engine,
    globs: &Globs,
    (disk, files): (&Disk, &dyn Files),
    (walk, scope): (&Walk, &Arc<Scope>),
    done: &(dyn Fn() + Sync),
) -> Outcome {
    let total = Mutex::new(Outcome::default());
    let Some(builder) = filtered(walk, disk, (globs, scope)) else { return Outcome::default() };
    let seen = (walk.paths.len() > 1).then(Mutex::default);
    builder.build_parallel().run(|| {
        let mut job = Job {
            engine,
            files,
            root: disk.root(),
            globs,
            scope: Some(scope),
            part: walk.part,
            seen: seen.as_ref(),
            total: &total,
            outcome: Outcome::default(),
        };
        Box::new(move |entry| {
            if is_set(walk.stop()) {
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => job.entry(&entry, done),
                Err(error) => job.error(&error),
            }
            WalkState::Continue
        })
    });
    let mut outcome = sorted(total);
    if walk.only.is_none() && !is_set(walk.stop()) {
        outcome.left_out = scope.left_out();
    }
    let unread = scope.problems().into_iter();
    outcome.skipped.extend(unread.map(|(path, why)| Skipped { path, why, failed: false }));
    outcome.skipped.sort();
    outcome
}

/// Checks the files at `paths` of a store, as [`check_tree`] would. Which of them the ignore files
/// leave out is not asked here. Once `stop` is set no further file is begun.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn check_files(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    paths: &[String],
    jobs: usize,
    stop: Option<&AtomicBool>,
) -> Result<Outcome, GlobError> {
    let globs = globs(config)?;
    let total = Mutex::new(Outcome::default());
    let next = AtomicUsize::new(0);
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = if jobs == 0 { processors } else { jobs }.min(MOST_JOBS).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut job = Job {
                    engine,
                    files,
                    root: Path::new(""),
                    globs: &globs,
                    scope: None,
                    part: None,
                    seen: None,
                    total: &total,
                    outcome: Outcome::default(),
                };
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if is_set(stop) {
                        break;
                    }
                    job.stored(path);
                }
            });
        }
    });
    Ok(sorted(total))
}

/// The files that [`check_tree`] would check, by path.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn list(config: &Config, disk: &Disk, walk: &Walk) -> Result<BTreeSet<String>, GlobError> {
    let globs = globs(config)?;
    let scope = Arc::new(Scope::of_walk(walk, disk, Arc::default()));
    let filtered = filtered(walk, disk, (&globs, &scope));
    let Some(builder) = filtered else { return Ok(BTreeSet::new()) };
    let files = builder.build().flatten().filter_map(|entry| {
        let path = relative(disk.root(), entry.path());
        job::is_checked(&entry, &path, &globs, walk.part).then_some(path)
    });
    Ok(files.collect())
}

/// Checks the files at `paths` of `disk`, which [`list`] gave, on this thread and one after the
/// other, until `stop` is set. `files` is what the checks may read beside them.
#[must_use]
pub fn check_listed<'a>(
    engine: &Engine,
    disk: &Disk,
    files: &dyn Files,
    paths: impl IntoIterator<Item = &'a str>,
    stop: &AtomicBool,
) -> Outcome {
    let total = Mutex::new(Outcome::default());
    let globs = Globs::all();
    let mut job = Job {
        engine,
        files,
        root: disk.root(),
        globs: &globs,
        scope: None,
        part: None,
        seen: None,
        total: &total,
        outcome: Outcome::default(),
    };
    for path in paths {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        job.listed(disk, path);
    }
    drop(job);
    sorted(total)
}

fn is_set(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

pub(crate) fn globs(config: &Config) -> Result<Globs, GlobError> {
    let none = Vec::new();
    Globs::new(config.include.as_ref().unwrap_or(&none), config.exclude.as_ref().unwrap_or(&none))
}

fn sorted(total: Mutex<Outcome>) -> Outcome {
    ordered(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Files and what was left out, by path.
pub(crate) fn ordered(mut outcome: Outcome) -> Outcome {
    by_path(&mut outcome.files);
    outcome.skipped.sort();
    outcome
}

pub(crate) fn by_path(files: &mut [FileReport]) {
    files.sort_by(|a, b| {
        (a.source.path(), a.source.origin()).cmp(&(b.source.path(), b.source.origin()))
    });
}

/// Whether a walk over the root meets the file at `path`, if it is there.
#[must_use]
pub fn meets(disk: &Disk, path: &str) -> bool {
    Scope::new(disk, Arc::default()).meets(path)
}

/// The files that differ between `base` and the work tree of the repository that `disk` lies in, with
/// those that Git does not know yet, sorted.
///
/// # Errors
/// As for [`Repository::work_tree_changes`].
pub fn work_tree_changes(
    repository: &Repository,
    base: &Snapshot,
    disk: &Disk,
) -> Result<Vec<Change>, GitError> {
    let scope = Arc::new(Scope::new(disk, Arc::default()));
    let mut untracked = whole::all_in(disk, &Walk::over(vec![disk.root().to_owned()]), &scope);
    untracked.retain(|path| !scope.is_tracked(path));
    repository.work_tree_changes(base, untracked)
}

/// A walk that enters only what it has to.
fn filtered(
    walk: &Walk,
    disk: &Disk,
    (globs, scope): (&Globs, &Arc<Scope>),
) -> Option<WalkBuilder> {
    let mut builder = builder(walk)?;
    let (root, globs, scope) = (disk.root().to_owned(), globs.clone(), scope.clone());
    let only = walk.only.as_ref().map(whole::with_folders);
    builder.filter_entry(move |entry| {
        let path = from_root(&root, entry.path());
        // What the user named is always entered.
        if entry.depth() == 0 {
            return only.as_ref().is_none_or(|only| only.contains(&*path));
        }
        if is_store(entry) || only.as_ref().is_some_and(|only| !only.contains(&*path)) {
            return false;
        }
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_dir && globs.excludes(&format!("{path}/")) {
            scope.leave_out(&path, Cause::Exclude);
            return false;
        }
        meets_entry(&scope, entry, &path)
    });
    Some(builder)
}

/// A walk that reads no ignore file by itself: what it meets its filter decides.
fn builder(walk: &Walk) -> Option<WalkBuilder> {
    let mut paths = walk.paths.iter();
    let mut builder = WalkBuilder::new(paths.next()?);
    for path in paths {
        builder.add(path);
    }
    builder
        .standard_filters(false)
        .hidden(walk.no_hidden)
        .follow_links(false)
        .threads(walk.jobs.min(MOST_JOBS));
    Some(builder)
}

fn is_store(entry: &DirEntry) -> bool {
    STORES.iter().any(|store| entry.file_name() == *store)
}

/// Whether a walk takes a file, or goes into a directory. A link or a device is not looked at.
fn meets_entry(scope: &Scope, entry: &DirEntry, path: &str) -> bool {
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_dir && scope.takes(path, true) || is_file && scope.takes(path, false)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "trees made for the tests")]
mod tests;
