//! Collects the files that differ between trees, the index and the work tree.

use super::similar::{self, Blob};
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::status::index_worktree;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::mem::take;

/// A file that differs between two sides. Bytes of a path that are not UTF-8 become U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The current path; `None` when the file was deleted.
    pub head: Option<String>,
    /// The path in the base; `None` when the file is new. Differs from `head` when the file was
    /// renamed.
    pub base: Option<String>,
    /// The path in the base, relative to the top of the work tree, if that path is outside the
    /// directory that the repository was opened from. In this case, `base` is `None`.
    pub outside: Option<String>,
}

impl Change {
    /// The current path; for a deleted file, the path in the base.
    #[must_use]
    pub fn path(&self) -> &str {
        self.head.as_deref().or(self.base.as_deref()).unwrap_or_default()
    }
}

/// The changed files by current path, and the deleted files.
#[derive(Default)]
pub(super) struct Changes {
    /// Current path → path in the base.
    current: BTreeMap<BString, Option<BString>>,
    deleted: BTreeSet<BString>,
    /// Files that exist on one side only, until [`Changes::pair_renames`] determines which of them
    /// were renamed.
    added: Vec<Blob>,
    removed: Vec<Blob>,
}

impl Changes {
    pub(super) fn add(&mut self, path: BString, id: ObjectId) {
        self.added.push(Blob { path, id });
    }

    pub(super) fn remove(&mut self, path: BString, id: ObjectId) {
        self.removed.push(Blob { path, id });
    }

    /// Records a file whose text or type changed. `was_file` specifies whether the path was a
    /// regular file, and `is_file` whether it is a regular file now.
    pub(super) fn modify(&mut self, path: BString, was_file: bool, is_file: bool) {
        if is_file {
            self.current.insert(path.clone(), was_file.then_some(path));
        } else if was_file {
            self.deleted.insert(path);
        }
    }

    pub(super) fn apply_index_change(&mut self, change: gix::diff::index::Change) {
        use gix::diff::index::ChangeRef as Staged;
        use gix::index::entry::Mode;
        let is_file = |mode: Mode| mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE;
        match change {
            Staged::Addition { location, entry_mode, id, .. } if is_file(entry_mode) => {
                self.add(location.into_owned(), id.into_owned());
            }
            Staged::Deletion { location, entry_mode, id, .. } if is_file(entry_mode) => {
                self.remove(location.into_owned(), id.into_owned());
            }
            Staged::Modification { location, previous_entry_mode, entry_mode, .. } => {
                let (before, after) = (is_file(previous_entry_mode), is_file(entry_mode));
                self.modify(location.into_owned(), before, after);
            }
            _ => {}
        }
    }

    /// Pairs renamed files among the files that exist on one side only: first the files with equal
    /// contents, then the remaining files by similarity.
    pub(super) fn pair_renames(&mut self, repository: &gix::Repository) {
        let (mut added, mut removed) = (take(&mut self.added), take(&mut self.removed));
        added.sort();
        removed.sort();
        // All empty files are equal; only the name identifies them.
        let by_name = |blob: &Blob| Some(file_name(&blob.path).to_owned());
        let by_content = |blob: &Blob| (!blob.id.is_empty_blob()).then(BString::default);
        let mut pairs = pair_equal(&mut added, &mut removed, by_name);
        pairs.extend(pair_equal(&mut added, &mut removed, by_content));
        // A partial clone can lack the contents of old files; in this case, only renames with equal
        // contents are detected.
        pairs.extend(similar::similar_pairs(repository, &added, &removed));
        let mut base_of: HashMap<BString, BString> = pairs.into_iter().collect();
        let renamed: HashSet<BString> = base_of.values().cloned().collect();
        let remaining = removed.into_iter().map(|blob| blob.path);
        self.deleted.extend(remaining.filter(|path| !renamed.contains(path)));
        for Blob { path, .. } in added {
            let base = base_of.remove(&path);
            self.current.insert(path, base);
        }
        self.current.extend(base_of.into_iter().map(|(head, base)| (head, Some(base))));
    }

    /// Applies a change in the work tree on top of the changes of the index.
    pub(super) fn apply_work_tree_change(&mut self, item: &index_worktree::Item) {
        let Some(summary) = item.summary() else { return };
        let path = item.rela_path().to_owned();
        use gix::status::plumbing::index_as_worktree_with_renames::Summary;
        match summary {
            Summary::Removed => {
                let base = self.current.remove(&path).unwrap_or(Some(path));
                self.deleted.extend(base);
            }
            Summary::Added | Summary::IntentToAdd => self.untracked(path),
            _ => {
                self.current.entry(path.clone()).or_insert(Some(path));
            }
        }
    }

    /// Adds a file of the work tree that is not in the index.
    pub(super) fn untracked(&mut self, path: BString) {
        // A file removed from the index can still exist in the work tree.
        let base = self.deleted.take(&path);
        self.current.insert(path, base);
    }

    pub(super) fn below(self, prefix: &BStr) -> Vec<Change> {
        let relative_path = |path: &BString| {
            path.strip_prefix(prefix.as_bytes()).map(|path| path.to_str_lossy().into_owned())
        };
        let current = self.current.iter().map(|(head, base)| (Some(head), base.as_ref()));
        let deleted = self.deleted.iter().map(|base| (None, Some(base)));
        let mut changes: Vec<Change> = current
            .chain(deleted)
            .map(|(head, base)| {
                let (head, inside) = (head.and_then(relative_path), base.and_then(relative_path));
                let moved_in = base.filter(|_| head.is_some() && inside.is_none());
                let outside = moved_in.map(|path| path.to_str_lossy().into_owned());
                Change { head, base: inside, outside }
            })
            .filter(|change| change.head.is_some() || change.base.is_some())
            .collect();
        changes.sort();
        changes
    }
}

/// Removes files with equal contents and equal `key` from both lists; returns current path and path
/// in the base.
fn pair_equal(
    added: &mut Vec<Blob>,
    removed: &mut Vec<Blob>,
    key: impl Fn(&Blob) -> Option<BString>,
) -> Vec<(BString, BString)> {
    let mut by_content: HashMap<(ObjectId, BString), VecDeque<usize>> = HashMap::new();
    for (at, blob) in removed.iter().enumerate() {
        if let Some(key) = key(blob) {
            by_content.entry((blob.id, key)).or_default().push_back(at);
        }
    }
    let mut pairs = Vec::new();
    let mut renamed = HashSet::new();
    added.retain(|blob| {
        let same = key(blob).and_then(|key| by_content.get_mut(&(blob.id, key)));
        let Some(at) = same.and_then(VecDeque::pop_front) else { return true };
        pairs.push((blob.path.clone(), removed[at].path.clone()));
        renamed.insert(at);
        false
    });
    let mut indexes = 0..;
    removed.retain(|_| indexes.next().is_some_and(|at| !renamed.contains(&at)));
    pairs
}

fn file_name(path: &BString) -> &BStr {
    path.rfind_byte(b'/').map_or(path.as_ref(), |at| path[at + 1..].as_bstr())
}
