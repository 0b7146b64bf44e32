//! The lines of the work tree that differ from a revision.

use crate::{IndexError, facts};
use aidd_engine::project::git::{Change, Repository};
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::{diff, walk};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Path in the work tree → changed lines, zero-based, end exclusive. An empty range marks a position
/// where lines were removed.
pub type ChangedLines = BTreeMap<String, Vec<Range<u32>>>;

/// The lines that changed since the merge base with `rev`, or since the last commit if `rev` is
/// `None`; only in indexed files. New files are changed completely.
///
/// # Errors
/// When there is no repository, or no such revision.
pub fn changed_lines(disk: &Disk, rev: Option<&str>) -> Result<ChangedLines, IndexError> {
    changed_lines_since(disk, &base_commit(disk.root(), rev)?)
}

/// The hash of the merge base with `rev`, or of the last commit if `rev` is `None`.
///
/// # Errors
/// When there is no repository, or no such revision.
pub fn base_commit(root: &Path, rev: Option<&str>) -> Result<String, IndexError> {
    let repository = Repository::open(root)?;
    let head = repository.commit("HEAD")?;
    let Some(rev) = rev else { return Ok(head) };
    let commit = repository.commit(rev)?;
    let bases = repository.merge_bases(&commit, &head)?;
    bases.into_iter().next().ok_or_else(|| IndexError::NoCommonCommit(rev.to_owned()))
}

/// The lines that differ from a commit, like those of [`changed_lines`].
///
/// # Errors
/// When there is no repository, or no such commit.
pub fn changed_lines_since(disk: &Disk, commit: &str) -> Result<ChangedLines, IndexError> {
    let repository = Repository::open(disk.root())?;
    let snapshot = repository.snapshot(commit)?;
    let changes = walk::work_tree_changes(&repository, &snapshot, disk)?;
    Ok(changes.iter().filter_map(|change| lines_of(change, (&snapshot, disk))).collect())
}

fn lines_of(
    change: &Change,
    (base, head): (&dyn Files, &dyn Files),
) -> Option<(String, Vec<Range<u32>>)> {
    let path = change.head.as_deref().filter(|path| facts::language(path).is_some())?;
    let read = |files: &dyn Files, path: &str| {
        let bytes = files.read(path, facts::MAX_BYTES + 1).ok()?;
        (bytes.len() as u64 <= facts::MAX_BYTES).then(|| Source::decode(path, bytes))
    };
    let after = read(head, path)?;
    // A file that is not in the index has no earlier version: packs are stored until the index changes.
    let before = change.base.as_deref().filter(|path| facts::language(path).is_some());
    let before = before.and_then(|path| read(base, path));
    let hunks = diff::hunks(before.as_ref().map_or("", Source::text), after.text());
    Some((path.to_owned(), hunks.into_iter().map(|hunk| hunk.head).collect()))
}
