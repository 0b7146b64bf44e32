//! Which files differ, gathered from trees, the index and the work tree.

use gix::bstr::{BStr, BString, ByteSlice};
use gix::diff::Rewrites;
use gix::status::index_worktree;
use std::collections::BTreeMap;

/// Git's own default: two files at least half alike are one renamed file.
const SIMILARITY: f32 = 0.5;
/// Most pairs of files that are compared in search of renames; Git's default.
const RENAME_LIMIT: usize = 1000;

/// One file that differs. Bytes of a path that are not UTF-8 are U+FFFD, as everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Its path now; absent when it is gone.
    pub head: Option<String>,
    /// Its path in the base; absent when it is new. Another one than now: it was renamed.
    pub base: Option<String>,
}

impl Change {
    /// The path now, or the last one it had.
    #[must_use]
    pub fn path(&self) -> &str {
        self.head.as_deref().or(self.base.as_deref()).unwrap_or_default()
    }
}

/// How renamed files are found.
pub(super) fn rewrites() -> Rewrites {
    Rewrites { copies: None, percentage: Some(SIMILARITY), limit: RENAME_LIMIT, track_empty: false }
}

/// Changes by the path now, and those files that are gone.
#[derive(Default)]
pub(super) struct Changes {
    /// Path now → path in the base.
    now: BTreeMap<BString, Option<BString>>,
    gone: Vec<BString>,
}

impl Changes {
    pub(super) fn add(&mut self, base: Option<BString>, head: Option<BString>) {
        match head {
            Some(head) => {
                self.now.insert(head, base);
            }
            None => self.gone.extend(base),
        }
    }

    pub(super) fn staged(&mut self, change: gix::diff::index::Change) {
        use gix::diff::index::ChangeRef as Staged;
        let path = |path: std::borrow::Cow<'_, BStr>| path.into_owned();
        let is_file = |mode: gix::index::entry::Mode| {
            mode == gix::index::entry::Mode::FILE
                || mode == gix::index::entry::Mode::FILE_EXECUTABLE
        };
        match change {
            Staged::Addition { location, entry_mode, .. } if is_file(entry_mode) => {
                self.add(None, Some(path(location)));
            }
            Staged::Deletion { location, entry_mode, .. } if is_file(entry_mode) => {
                self.add(Some(path(location)), None);
            }
            Staged::Modification { location, previous_entry_mode, entry_mode, .. } => {
                let location = path(location);
                let before = is_file(previous_entry_mode).then(|| location.clone());
                self.add(before, is_file(entry_mode).then_some(location));
            }
            Staged::Rewrite {
                source_location,
                source_entry_mode,
                location,
                entry_mode,
                copy,
                ..
            } => {
                let before = is_file(source_entry_mode) && !copy;
                let before = before.then(|| path(source_location));
                self.add(before, is_file(entry_mode).then(|| path(location)));
            }
            _ => {}
        }
    }

    /// Lays a change of the work tree over those of the index.
    pub(super) fn worked(&mut self, item: &index_worktree::Item) {
        let Some(summary) = item.summary() else { return };
        let path = item.rela_path().to_owned();
        use gix::status::plumbing::index_as_worktree_with_renames::Summary;
        match summary {
            Summary::Removed => {
                let base = self.now.remove(&path).unwrap_or(Some(path));
                self.gone.extend(base);
            }
            Summary::Added | Summary::IntentToAdd => {
                // What the index has taken out may still lie in the work tree.
                let back = self.gone.iter().position(|gone| *gone == path);
                let base = back.map(|at| self.gone.swap_remove(at));
                self.now.insert(path, base);
            }
            _ => {
                self.now.entry(path.clone()).or_insert(Some(path));
            }
        }
    }

    pub(super) fn below(self, prefix: &BStr) -> Vec<Change> {
        let shown = |path: &BString| {
            path.strip_prefix(prefix.as_bytes()).map(|path| path.to_str_lossy().into_owned())
        };
        let now = self.now.iter().map(|(head, base)| (Some(head), base.as_ref()));
        let gone = self.gone.iter().map(|base| (None, Some(base)));
        let mut changes: Vec<Change> = now
            .chain(gone)
            .map(|(head, base)| Change { head: head.and_then(shown), base: base.and_then(shown) })
            .filter(|change| change.head.is_some() || change.base.is_some())
            .collect();
        changes.sort();
        changes
    }
}
