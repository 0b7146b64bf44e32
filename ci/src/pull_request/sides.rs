//! The two sides of the comparison, base and head. Each is read from the disk or from Git,
//! depending on trust and availability.

use super::Job;
use super::weakened::Difference;
use crate::base::{self, Base};
use crate::progress::Progress;
use aidd_engine::check::Distribution;
use aidd_engine::check::Engine;
use aidd_engine::project::git::{Change, Repository, Snapshot};
use aidd_engine::text::attributes;
use aidd_engine::text::kind::{CONFIG_PATH, is_memory_path, is_page_path};
use aidd_engine::workspace::diff::{CompareResult, Head};
use aidd_engine::workspace::walk::{CheckedPaths, relative};
use aidd_engine::workspace::weakened::is_ignore_file;
use aidd_report::enforcement::tracked;
use aidd_report::error::RunError;
use aidd_report::number;
use aidd_report::project::Project;
use aidd_report::run::commits::{self, Line, Sides};
use aidd_report::run::compare;
use anyhow::{Context as _, Result};
use std::path::Path;

/// Opens the project at `commit`, the newest commit of a pull request's target, and returns it with
/// the files of that commit. The fork point is not used: the author of the pull request chooses the
/// fork point, and could choose a commit that does not have the rules yet.
pub(super) fn open_trusted(
    distribution: &'static Distribution,
    start: &Path,
    commit: &str,
    (config, baseline): (Option<&Path>, Option<&Path>),
    log: &mut dyn FnMut(&str),
) -> Result<(Project, Snapshot)> {
    let top = start.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(start);
    base::ensure_commit(distribution, top, commit, "the target of the pull request", log)?;
    let snapshot_at = |directory: &Path| {
        let repository = Repository::open(directory).map_err(RunError::Git)?;
        repository.snapshot(commit).map_err(RunError::Git)
    };
    // A directory with settings is the root of a project, but only if Git tracks the settings.
    let directory = Path::new(CONFIG_PATH).parent().unwrap_or(Path::new(""));
    let mut root = top;
    for ancestor in start.ancestors().take_while(|ancestor| *ancestor != top) {
        if ancestor.is_dir()
            && !snapshot_at(ancestor)?.below(&directory.to_string_lossy())?.is_empty()
        {
            root = ancestor;
            break;
        }
    }
    let snapshot = snapshot_at(root)?;
    let set_by_option = [config, baseline].into_iter().flatten();
    let settings = settings_files(&snapshot, set_by_option.map(|path| relative(root, path)))?;
    fetch_contents(distribution, root, settings.iter().map(|path| (&snapshot, path.as_str())))?;
    Ok((Project::open_trusting(distribution, root, snapshot.clone(), config)?, snapshot))
}

/// The files of a snapshot that contain settings, and the files in `named`.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn settings_files(
    snapshot: &Snapshot,
    named: impl IntoIterator<Item = String>,
) -> Result<Vec<String>> {
    let mut files: Vec<String> = named.into_iter().chain(tracked()).collect();
    let directory = CONFIG_PATH.split('/').next().unwrap_or_default();
    let is_settings = |path: &String| {
        path.split('/').next() == Some(directory)
            || is_page_path(path)
            || is_memory_path(path)
            || is_ignore_file(path)
            || path == attributes::PATH
    };
    let all = snapshot.below("").context("cannot list the files of the base")?;
    files.extend(all.into_iter().filter(is_settings));
    Ok(files)
}

impl Job<'_> {
    /// Checks the changes since `base`. If `untrusted` is set, the head is read from this commit
    /// instead of the checkout.
    pub(super) fn compare(
        &mut self,
        engine: &Engine,
        base: &Base,
        untrusted: Option<&str>,
    ) -> Result<CompareResult> {
        let root = self.project.root();
        let repository = Repository::open(root).map_err(RunError::Git)?;
        let before = repository.snapshot(&base.sha).map_err(RunError::Git)?;
        let commit =
            untrusted.map_or_else(|| repository.commit("HEAD"), |head| Ok(head.to_owned()));
        let commit = commit.map_err(RunError::Git)?;
        let head = repository.snapshot(&commit).map_err(RunError::Git)?;
        let mut all = repository.changes(&before, &head).map_err(RunError::Git)?;
        let within = CheckedPaths::new(root, &self.paths, self.args.shard);
        let in_scope = |all: &[Change]| -> Vec<Change> {
            all.iter().filter(|change| within.contains(change.path())).cloned().collect()
        };
        let mut changes = in_scope(&all);
        // In a sparse checkout, changed files can be missing.
        let heads = changes.iter().filter_map(|change| change.head.as_deref());
        let missing: Vec<&str> =
            heads.filter(|path| root.join(path).symlink_metadata().is_err()).collect();
        let stored = untrusted.is_some() || !missing.is_empty() && !self.checks_all_files();
        // A file whose name is not UTF-8 cannot be found by its display name, so do not count it.
        let missing = missing.iter().filter(|path| !path.contains('\u{FFFD}')).count();
        let bases = changes.iter().filter_map(|change| Some((&before, change.base.as_deref()?)));
        let heads = changes.iter().filter_map(|change| Some((&head, change.head.as_deref()?)));
        let top = before.at_top();
        let outside = changes.iter().filter_map(|change| Some((&top, change.outside.as_deref()?)));
        if fetch_contents(
            self.project.distribution(),
            root,
            bases.chain(outside).chain(heads.filter(|_| stored)),
        )? {
            // Renames are detected by content.
            all = repository.changes(&before, &head).map_err(RunError::Git)?;
            changes = in_scope(&all);
        }
        let side = if stored {
            let ignores = self.trusted.as_ref().unwrap_or(&head);
            let branch = self.event.head_name().map(str::to_owned);
            Head::Snapshot { files: &head, ignores, branch }
        } else {
            let disk = &self.project.disk;
            Head::WorkTree { disk, walk: self.walk(), check_all: self.checks_all_files() }
        };
        let sides = (&before, side);
        let progress = Progress::start();
        let mut compared =
            compare::check_sides(&self.project, engine, sides, (&all, &within), &|| {
                progress.advance(1);
            })?;
        progress.finish();
        let difference =
            Difference { before: &before, head: &head, all: &all, in_scope: &changes, stored };
        let mut weakened = self.find_weakened(engine, &compared, &difference)?;
        // Only the first shard checks the commits.
        if self.args.shard.is_none_or(|part| part.index == 1) {
            let commits = (&repository, base, &*commit);
            let notes = self.check_commits(engine, commits, &difference, &mut compared)?;
            if let Some(base) = &mut weakened.base {
                self.check_commits(&base.engine, commits, &difference, &mut base.compared)?;
            }
            self.notes.extend(notes);
        }
        self.notes.append(&mut weakened.notes);
        self.weakened = weakened;
        if missing > 0 && !stored {
            let files = number(missing, "changed file");
            self.notes.push(format!("Not checked, because not checked out: {files}"));
        }
        Ok(compared)
    }

    /// Checks the commits, the branch name, the title and the set of changes; returns notes for the
    /// report.
    fn check_commits(
        &self,
        engine: &Engine,
        (repository, base, commit): (&Repository, &Base, &str),
        difference: &Difference<'_>,
        compared: &mut CompareResult,
    ) -> Result<Vec<String>> {
        let (before, head) = (difference.before, difference.head);
        let pull = self.event.pull.as_ref();
        // The checkout can be a test merge, which contains commits of the target.
        let newest = pull.map(|pull| pull.head_sha.as_str());
        let newest = newest.filter(|newest| repository.commit(newest).is_ok()).unwrap_or(commit);
        let bases = std::iter::once(base.sha.as_str());
        let bases = bases.chain(pull.map(|pull| pull.base_sha.as_str())).collect();
        let branch = pull.map(|pull| pull.head_ref.clone()).filter(|name| !name.is_empty());
        let branch = branch.or_else(|| self.event.branch().map(str::to_owned));
        let title = self.event.title.clone();
        let line = Line { repository, bases, head: newest, branch, title };
        let paths = head.below("").unwrap_or_default();
        let sides = Sides { before, after: head, paths, changes: difference.all };
        Ok(commits::check(engine, line, &sides, &mut compared.outcome)?)
    }
}

/// In a partial clone, fetches the contents of the given files in one request; returns whether a
/// fetch was needed.
pub(super) fn fetch_contents<'a>(
    distribution: &'static Distribution,
    root: &Path,
    files: impl Iterator<Item = (&'a Snapshot, &'a str)>,
) -> Result<bool> {
    let mut missing = Vec::new();
    for (snapshot, path) in files {
        let object = snapshot.object(path).with_context(|| path.to_owned())?;
        missing.extend(object.filter(|object| !snapshot.has_object(object)));
    }
    if missing.is_empty() {
        return Ok(false);
    }
    base::ensure_blobs(distribution, root, &missing)?;
    Ok(true)
}
