//! The two sides that are compared, read from where they can be had and may be trusted.

use super::Job;
use crate::base::{self, Base};
use crate::commits::{self, Line, Sides};
use crate::compare;
use crate::project::Project;
use crate::report::number;
use aidd_engine::check::Engine;
use aidd_engine::diff::{Compared, Head};
use aidd_engine::git::{Change, Repository, Snapshot};
use aidd_engine::kind::{CONFIG_PATH, RULE_FOLDERS};
use aidd_engine::walk::relative;
use anyhow::{Context as _, Result};
use std::path::Path;

/// The project as the target of a pull request has it, at `commit`, its newest one. Not where the
/// pull request left it: its author chooses that, and may choose a day before the rules were made.
/// With it the files of that commit.
pub(super) fn trusted(
    start: &Path,
    commit: &str,
    (config, baseline): (Option<&Path>, Option<&Path>),
    say: &mut dyn FnMut(&str),
) -> Result<(Project, Snapshot)> {
    let top = start.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(start);
    base::have_commit(top, commit, "the target of the pull request", say)?;
    let seen = |folder: &Path| {
        let repository = Repository::open(folder).map_err(compare::broken)?;
        repository.snapshot(commit).map_err(compare::broken)
    };
    // Settings that only lie on the disk make no project.
    let folder = Path::new(CONFIG_PATH).parent().unwrap_or(Path::new(""));
    let mut root = top;
    for above in start.ancestors().take_while(|above| *above != top) {
        if above.is_dir() && !seen(above)?.below(&folder.to_string_lossy())?.is_empty() {
            root = above;
            break;
        }
    }
    let snapshot = seen(root)?;
    let named = [config, baseline].into_iter().flatten();
    let mut own: Vec<String> = named.map(|path| relative(root, path)).collect();
    for folder in [&*folder.to_string_lossy()].iter().chain(&RULE_FOLDERS) {
        own.extend(snapshot.below(folder).with_context(|| (*folder).to_owned())?);
    }
    have_contents(root, own.iter().map(|path| (&snapshot, path.as_str())))?;
    Ok((Project::trusting(root, snapshot.clone(), config)?, snapshot))
}

impl Job<'_> {
    /// Checks and judges what changed since `base`; `other`: in this commit, which is not to be
    /// trusted, instead of what is checked out.
    pub(super) fn compare(
        &mut self,
        engine: &Engine,
        base: &Base,
        other: Option<&str>,
    ) -> Result<Compared> {
        let root = self.project.root();
        let repository = Repository::open(root).map_err(compare::broken)?;
        let before = repository.snapshot(&base.sha).map_err(compare::broken)?;
        let commit = other.map_or_else(|| repository.commit("HEAD"), |head| Ok(head.to_owned()));
        let commit = commit.map_err(compare::broken)?;
        let head = repository.snapshot(&commit).map_err(compare::broken)?;
        let mut changes = self.changes(&repository, (&before, &head))?;
        // A sparse check-out lacks files that changed.
        let heads = changes.iter().filter_map(|change| change.head.as_deref());
        let lacking: Vec<&str> =
            heads.filter(|path| root.join(path).symlink_metadata().is_err()).collect();
        let stored = other.is_some() || !lacking.is_empty() && !self.is_whole();
        // By the name that is shown, a file whose name is not UTF-8 is never found.
        let lacking = lacking.iter().filter(|path| !path.contains('\u{FFFD}')).count();
        let bases = changes.iter().filter_map(|change| Some((&before, change.base.as_deref()?)));
        let heads = changes.iter().filter_map(|change| Some((&head, change.head.as_deref()?)));
        if have_contents(root, bases.chain(heads.filter(|_| stored)))? {
            // Renamed files are known by their contents.
            changes = self.changes(&repository, (&before, &head))?;
        }
        let side = if stored {
            Head::Snapshot { files: &head, ignores: self.trusted.as_ref().unwrap_or(&head) }
        } else {
            let disk = &self.project.disk;
            Head::WorkTree { disk, walk: self.walk(), whole: self.is_whole() }
        };
        let mut compared = compare::judge(&self.project, engine, (&before, side), &changes)?;
        // One part of several judges the work as a whole.
        if self.args.shard.is_none_or(|part| part.index == 1) {
            self.commits(engine, (&repository, base, &commit), (&before, &head), &mut compared)?;
        }
        if lacking > 0 && !stored {
            let files = number(lacking, "changed file");
            self.notes.push(format!("Not checked out, and so not checked: {files}"));
        }
        Ok(compared)
    }

    /// Judges the commits of the work, its branch, its title and what it changes.
    fn commits(
        &mut self,
        engine: &Engine,
        (repository, base, commit): (&Repository, &Base, &str),
        (before, head): (&Snapshot, &Snapshot),
        compared: &mut Compared,
    ) -> Result<()> {
        let pull = self.event.pull.as_ref();
        // What is checked out may be the merge into a target that has gone on since.
        let own = pull.map(|pull| pull.head_sha.as_str());
        let own = own.filter(|own| repository.commit(own).is_ok()).unwrap_or(commit);
        let bases = std::iter::once(base.sha.as_str());
        let bases = bases.chain(pull.map(|pull| pull.base_sha.as_str())).collect();
        let branch = pull.map(|pull| pull.head_ref.clone()).filter(|name| !name.is_empty());
        let branch = branch.or_else(|| self.event.branch().map(str::to_owned));
        let title = self.event.title.clone();
        let line = Line { repository, bases, head: own, branch, title };
        let changes = repository.changes(before, head).map_err(compare::broken)?;
        let paths = head.below("").unwrap_or_default();
        let sides = Sides { before, after: head, paths, changes: &changes };
        self.notes.extend(commits::judge(engine, line, &sides, &mut compared.outcome)?);
        Ok(())
    }

    /// The changes that this run judges.
    fn changes(
        &self,
        repository: &Repository,
        (before, head): (&Snapshot, &Snapshot),
    ) -> Result<Vec<Change>> {
        let changes = repository.changes(before, head).map_err(compare::broken)?;
        let mut changes = compare::below(changes, self.project.root(), &self.paths);
        changes.retain(|change| self.args.shard.is_none_or(|part| part.holds(change.path())));
        Ok(changes)
    }
}

/// In a clone that left contents out, fetches those of the files named, in one go; whether it had
/// to.
fn have_contents<'a>(
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
    base::have_blobs(root, &missing)?;
    Ok(true)
}
