//! Walks whole trees: lists, reads and checks files in parallel, with deterministic results.

mod cache;
mod checked_paths;
mod entries;
mod file_cache;
mod full_listing;
mod ignore_rules;
mod index;
mod job;
mod names;
mod project;
mod scope;
mod stamps;
mod tree;
mod uncommitted;
mod watch;

use crate::check::{CheckResult, Engine};
use crate::project::config::Config;
use crate::project::git::{Change, GitError, Repository, Snapshot};
use crate::text::files::{Disk, Files, ForRun, Listed, ListedOnDemand};
use crate::text::finding::RuleId;
use crate::text::paths::{GlobError, Globs};
use crate::text::source::Source;
use entries::{check_entries, completed, in_parallel};
use ignore::{DirEntry, WalkBuilder, WalkState};
use index::Indexes;
use job::{Job, may_be_reported};
use scope::{Cause, Scope, from_root};
pub use scope::{covers, retain_listed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use crate::text::paths::relative;
pub use cache::{ProjectCache, ReportedChanges};
pub use checked_paths::{CheckedPaths, Part};
pub use file_cache::FileCache;
pub use full_listing::{Stamped, list_stamped};
pub use job::{is_binary, too_large};
pub use project::{check_project, check_unsaved_text, listing};
pub use scope::ExcludedCounts;
pub use uncommitted::{UncommittedChanges, uncommitted};

/// Maximum number of threads of one run.
const MAX_JOBS: usize = 256;
/// The directories of version control systems. In a linked work tree and in a submodule `.git` is a
/// file that refers to a directory elsewhere.
const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The reason why a file with settings or memories is not read.
pub const IRREGULAR: &str = "cannot be read: not a regular file (pipe, socket or device); \
                         replace it with a regular file or delete it";

/// The files to check, and the options of the check.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Files and directories to check, as specified by the user; they must be below the root.
    pub paths: Vec<PathBuf>,
    /// Number of threads, at most 256; 0: one per processor.
    pub jobs: usize,
    /// Do not read ignore files.
    pub no_ignore: bool,
    /// The revision whose `.aiddignore` files apply if the files on disk are not trusted.
    pub base_ignores: Option<Snapshot>,
    /// Exclude files and directories whose name begins with a dot.
    pub no_hidden: bool,
    /// Only check the files at these paths (relative to the root), if the walk reaches them.
    pub only: Option<BTreeSet<String>>,
    /// Only check the files of one shard of a sharded run.
    pub part: Option<Part>,
    /// The name of the branch, if Git does not know it: CI runners check out a detached head.
    pub branch: Option<String>,
    /// The paths that the checked change touches.
    pub change: Option<BTreeSet<String>>,
    /// Once this is set, no more files are checked, and the result is incomplete.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Walk {
    /// A walk over `paths` that covers tracked files, and files that are neither tracked nor
    /// ignored.
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

    /// The paths that the walk covers, in the project at `root`.
    #[must_use]
    pub fn within(&self, root: &Path) -> CheckedPaths {
        CheckedPaths::new(root, &self.paths, self.part)
    }

    /// The flag that stops the walk.
    #[must_use]
    pub fn stop(&self) -> Option<&AtomicBool> {
        self.stop.as_deref()
    }
}

/// A checked file with findings, or one window of a file that is too large to parse.
#[derive(Debug)]
pub struct FileReport {
    /// The text of the file.
    pub source: Source,
    /// The findings of the file.
    pub checked: CheckResult,
}

/// A file that was not checked, or only in part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path from the root.
    pub path: String,
    /// The reason.
    pub why: String,
    /// Whether this is an error: the file should have been checked but could not be read.
    pub failed: bool,
}

/// The result of a run over a tree.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files with findings, sorted by path, then position.
    pub files: Vec<FileReport>,
    /// The number of checked files.
    pub checked: usize,
    /// The total size of the checked files, in bytes.
    pub bytes: u64,
    /// The files that were not checked, or only in part, sorted by path.
    pub skipped: Vec<Skipped>,
    /// The files that no ignore file and no glob excluded, read or not.
    pub visited: BTreeSet<String>,
    /// The number of excluded tracked files, for a walk over everything below its paths.
    pub excluded: ExcludedCounts,
    /// The files of `visited` that not every rule could check: binary, too large, or unreadable.
    pub incomplete: BTreeSet<String>,
    /// The files of `incomplete` that the families for large files checked as a whole.
    pub checked_large: BTreeSet<String>,
    /// The findings of the project pass, until they are merged into `files`.
    pub project_findings: Vec<FileReport>,
    /// Rule of the project pass → the number of files, directories or imports that it checked.
    pub checked_by_rule: BTreeMap<RuleId, usize>,
    /// Notes on rules.
    pub notes: Vec<(RuleId, String)>,
    /// Findings on unused allow comments that are reported unless the project pass needs the
    /// comment.
    pub pending_allows: Vec<FileReport>,
}

impl Outcome {
    /// Adds the result of checking one file.
    pub fn add_checked(&mut self, source: Source, mut checked: CheckResult) {
        if let Some(why) = checked.unchecked.take() {
            let path = source.path().to_owned();
            self.skipped.push(Skipped { path, why, failed: false });
        }
        let pending_allows = std::mem::take(&mut checked.pending_allows);
        if !pending_allows.is_empty() {
            let (findings, secrets) = (pending_allows, checked.secrets.clone());
            let source = Source::new(source.path(), source.text());
            let checked = CheckResult { findings, secrets, ..CheckResult::default() };
            self.pending_allows.push(FileReport { source, checked });
        }
        if !checked.findings.is_empty() {
            self.files.push(FileReport { source, checked });
        }
    }

    /// Adds the paths of settings that are [irregular](IRREGULAR), except those that the walk has
    /// reported.
    pub fn skip_irregular(&mut self, mut paths: Vec<String>) {
        let known: BTreeSet<&str> = self.skipped.iter().map(|skipped| &*skipped.path).collect();
        paths.retain(|path| !known.contains(&**path));
        let skipped = |path| Skipped { path, why: IRREGULAR.to_owned(), failed: true };
        self.skipped.extend(paths.into_iter().map(skipped));
        self.skipped.sort();
    }

    /// Adds the results of another run over other files, before the project pass.
    pub(crate) fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.pending_allows.extend(other.pending_allows);
        self.skipped.extend(other.skipped);
        self.checked += other.checked;
        self.bytes += other.bytes;
        self.visited.extend(other.visited);
        self.incomplete.extend(other.incomplete);
        self.checked_large.extend(other.checked_large);
    }

    /// Merges the findings of the project pass into `files`.
    pub fn merge_project_findings(&mut self) {
        self.files.append(&mut self.project_findings);
        sort_by_path(&mut self.files);
    }
}

/// Checks the files of a tree, then the project as a whole. `done` is called for each file, from
/// any thread.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn check_tree(
    engine: &Engine,
    config: &Config,
    disk: &Disk,
    walk: &Walk,
    done: &(dyn Fn() + Sync),
) -> Result<Outcome, GlobError> {
    let mut outcome = check_unmerged(engine, config, (disk, disk), walk, done)?;
    let within = walk.within(disk.root());
    outcome.project_findings.retain(|file| within.contains(file.source.path()));
    outcome.merge_project_findings();
    Ok(outcome)
}

/// Like [`check_tree`], but does not merge the findings of the project pass, and includes findings
/// outside of [`Walk::within`]. `files` gives access to the files that checks read.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn check_unmerged(
    engine: &Engine,
    config: &Config,
    (disk, files): (&Disk, &dyn Files),
    walk: &Walk,
    done: &(dyn Fn() + Sync),
) -> Result<Outcome, GlobError> {
    let globs = globs(config)?;
    let indexes = Arc::<Indexes>::default();
    let scope = Arc::new(Scope::of_walk(walk, disk, indexes.clone()));
    let entries = walk.covers_project(disk.root());
    let entries = entries.then(|| full_listing::entries(disk.root(), &globs, &scope)).flatten();
    let (mut outcome, listing) = match entries {
        Some(entries) => {
            let list = || project::with_git_data(engine, disk, walk, entries.listing());
            let listing = engine.needs_listing().then(list);
            let listed = listing.as_ref().map(|listing| Listed { files, listing });
            let files = listed.as_ref().map_or(files, |listed| listed);
            let on_disk = (disk, files);
            (check_entries(engine, &globs, on_disk, (walk, &scope), entries, done), listing)
        }
        None if engine.needs_listing() => {
            let list = || project::listing_with(engine, disk, walk, &indexes);
            let listed = ListedOnDemand::new(files, &list);
            let outcome = check_walked(engine, &globs, (disk, &listed), (walk, &scope), done);
            (outcome, listed.into_listing())
        }
        None => (check_walked(engine, &globs, (disk, files), (walk, &scope), done), None),
    };
    project::check(engine, config, disk, (walk, &indexes), listing, &mut outcome)?;
    Ok(outcome)
}

/// Checks the files that a walk covers.
fn check_walked(
    engine: &Engine,
    globs: &Globs,
    (disk, files): (&Disk, &dyn Files),
    (walk, scope): (&Walk, &Arc<Scope>),
    done: &(dyn Fn() + Sync),
) -> Outcome {
    let total = Mutex::new(Outcome::default());
    let Some(builder) = filtered(walk, disk, (globs, scope)) else { return Outcome::default() };
    let files = &ForRun::new(files);
    let seen = (walk.paths.len() > 1).then(Mutex::default);
    let visitor = || {
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
        move |entry: Result<DirEntry, ignore::Error>| {
            if is_set(walk.stop()) {
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => job.entry(&entry, done),
                Err(error) => job.error(&error),
            }
            WalkState::Continue
        }
    };
    if let [path] = &*walk.paths
        && path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
    {
        // Threads would take longer to start than to check one file.
        builder.build().map(visitor()).take_while(|state| *state != WalkState::Quit).for_each(drop);
    } else {
        builder.build_parallel().run(|| Box::new(visitor()));
    }
    completed(sorted(total), walk, scope)
}

/// Checks the files at `paths`, read through `files`, in the same way as [`check_tree`]. Ignore
/// files are not evaluated. Once `stop` is set, no more files are checked.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn check_files(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    paths: &[String],
    jobs: usize,
    stop: Option<&AtomicBool>,
) -> Result<Outcome, GlobError> {
    let globs = globs(config)?;
    let files = &ForRun::new(files);
    let total = Mutex::new(Outcome::default());
    in_parallel(jobs, paths.len(), &|indexes| {
        let mut job = Job::for_list(engine, files, Path::new(""), &globs, &total);
        for path in indexes.filter_map(|index| paths.get(index)) {
            if is_set(stop) {
                break;
            }
            job.check_stored_file(path);
        }
    });
    Ok(sorted(total))
}

/// The files that [`check_tree`] would check, sorted by path.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn list(config: &Config, disk: &Disk, walk: &Walk) -> Result<BTreeSet<String>, GlobError> {
    let globs = globs(config)?;
    let scope = Arc::new(Scope::of_walk(walk, disk, Arc::default()));
    if walk.covers_project(disk.root()) {
        return Ok(full_listing::paths(disk.root(), &globs, &scope));
    }
    let Some(builder) = filtered(walk, disk, (&globs, &scope)) else { return Ok(BTreeSet::new()) };
    let files = builder.build().flatten().filter_map(|entry| {
        let path = relative(disk.root(), entry.path());
        job::is_checked(&entry, &path, &globs, walk.part).then_some(path)
    });
    Ok(files.collect())
}

/// Checks the files at `paths` of `disk`, as returned by [`list`], sequentially on this thread
/// until `stop` is set. `files` gives access to other files that checks read.
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
    let mut job = Job::for_list(engine, files, disk.root(), &globs, &total);
    for path in paths {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        job.check_listed_file(disk, path);
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

/// Sorts files and skipped files by path.
pub(crate) fn ordered(mut outcome: Outcome) -> Outcome {
    sort_by_path(&mut outcome.files);
    outcome.skipped.sort();
    outcome
}

pub(crate) fn sort_by_path(files: &mut [FileReport]) {
    files.sort_by(|a, b| {
        (a.source.path(), a.source.origin()).cmp(&(b.source.path(), b.source.origin()))
    });
}

/// The files that differ between `base` and the work tree of the repository that contains `disk`,
/// including untracked files, sorted.
///
/// # Errors
/// The errors of [`Repository::work_tree_changes`].
pub fn work_tree_changes(
    repository: &Repository,
    base: &Snapshot,
    disk: &Disk,
) -> Result<Vec<Change>, GitError> {
    let scope = Arc::new(Scope::new(disk, Arc::default()));
    let mut untracked = project::list_all(disk, &Walk::over(vec![disk.root().to_owned()]), &scope);
    untracked.retain(|path| !scope.is_tracked(path));
    repository.work_tree_changes(base, untracked)
}

/// A walk that enters only the directories that it needs.
fn filtered(
    walk: &Walk,
    disk: &Disk,
    (globs, scope): (&Globs, &Arc<Scope>),
) -> Option<WalkBuilder> {
    let mut builder = builder(walk)?;
    let (root, globs, scope) = (disk.root().to_owned(), globs.clone(), scope.clone());
    let only = walk.only.as_ref().map(project::with_parent_dirs);
    builder.filter_entry(move |entry| {
        let path = from_root(&root, entry.path());
        // Paths that the user specified are always entered.
        if entry.depth() == 0 {
            return only.as_ref().is_none_or(|only| only.contains(&*path));
        }
        if is_store(entry) || only.as_ref().is_some_and(|only| !only.contains(&*path)) {
            return false;
        }
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_dir && globs.excludes(&format!("{path}/")) {
            scope.record_excluded(&path, Cause::Exclude);
            return false;
        }
        includes_entry(&scope, entry, &path) || may_be_reported(&scope, entry, &path)
    });
    Some(builder)
}

/// A walk with the standard filters of the `ignore` crate disabled; the caller adds a filter that
/// decides which entries are included.
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
        .threads(walk.jobs.min(MAX_JOBS));
    Some(builder)
}

fn is_store(entry: &DirEntry) -> bool {
    STORES.iter().any(|store| entry.file_name() == *store)
}

/// Whether a walk includes a file, or enters a directory. Links and devices are not included.
fn includes_entry(scope: &Scope, entry: &DirEntry, path: &str) -> bool {
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_dir && scope.includes(path, true) || is_file && scope.includes(path, false)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories created for the tests")]
mod tests;
