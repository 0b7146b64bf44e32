//! The files of a revision or of the index, read from the object store.

use super::id;
use crate::files::Files;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Stage;
use gix::{ObjectId, ThreadSafeRepository};
use std::io;
use std::sync::Arc;

/// Most bytes of one object that are read: a quarter of a GiB, as it is held in memory.
const OBJECT_LIMIT: u64 = 256 << 20;
/// Most folders below one another that are entered.
const MOST_FOLDERS: usize = 64;

/// The files of a revision or of the index. Paths are those below the folder that the repository
/// is seen from.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) repository: ThreadSafeRepository,
    pub(super) prefix: BString,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Tree(ObjectId),
    Index(Arc<gix::index::File>),
}

impl Snapshot {
    /// The blob at `path`.
    fn find(&self, path: &str) -> io::Result<Option<ObjectId>> {
        let whole = format!("{}{path}", self.prefix);
        match &self.content {
            Content::Index(index) => Ok(in_index(index, &whole)),
            Content::Tree(tree) => self.in_tree(*tree, &whole),
        }
    }

    fn in_tree(&self, tree: ObjectId, path: &str) -> io::Result<Option<ObjectId>> {
        let repository = self.repository.to_thread_local();
        let mut at = tree;
        let mut segments = path.split('/').peekable();
        while let Some(segment) = segments.next() {
            let tree = repository.find_tree(at).map_err(io::Error::other)?;
            let tree = tree.decode().map_err(io::Error::other)?;
            let found = tree.entries.iter().find(|entry| is_named(entry.filename, segment));
            let Some(entry) = found else { return Ok(None) };
            match segments.peek() {
                Some(_) if entry.mode.is_tree() => at = entry.oid.to_owned(),
                None if entry.mode.is_blob() => return Ok(Some(entry.oid.to_owned())),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The id of the object that holds the file at `path`; `None` when there is no such file.
    ///
    /// # Errors
    /// When a folder on the way cannot be read.
    pub fn object(&self, path: &str) -> io::Result<Option<String>> {
        Ok(self.find(path)?.map(|id| id.to_string()))
    }

    /// The files below `folder`, sorted; of the root when it is empty.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn below(&self, folder: &str) -> io::Result<Vec<String>> {
        let tree = match &self.content {
            Content::Tree(tree) => *tree,
            Content::Index(index) => return Ok(self.index_below(index, folder)),
        };
        let repository = self.repository.to_thread_local();
        let whole = format!("{}{folder}", self.prefix);
        let whole = whole.trim_end_matches('/');
        let start = if whole.is_empty() {
            Some(tree)
        } else {
            let tree = repository.find_tree(tree).map_err(io::Error::other)?;
            let entry = tree.lookup_entry_by_path(whole).map_err(io::Error::other)?;
            entry.filter(|entry| entry.mode().is_tree()).map(|entry| entry.object_id())
        };
        let mut left: Vec<(ObjectId, String, usize)> =
            start.map(|id| (id, folder.to_owned(), 0)).into_iter().collect();
        let mut found = Vec::new();
        while let Some((id, folder, depth)) = left.pop() {
            let tree = repository.find_tree(id).map_err(io::Error::other)?;
            for entry in tree.decode().map_err(io::Error::other)?.entries {
                let name = entry.filename.to_str_lossy();
                let path =
                    if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") };
                if entry.mode.is_blob() {
                    found.push(path);
                } else if entry.mode.is_tree() && depth < MOST_FOLDERS {
                    left.push((entry.oid.to_owned(), path, depth + 1));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn index_below(&self, index: &gix::index::State, folder: &str) -> Vec<String> {
        use gix::index::entry::Mode;
        let slash = if folder.is_empty() { "" } else { "/" };
        let whole = format!("{}{folder}{slash}", self.prefix);
        let files = index.entries().iter().filter(|entry| {
            matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
                && entry.path(index).starts_with(whole.as_bytes())
        });
        let skip = self.prefix.len();
        let paths = files.map(|entry| entry.path(index)[skip..].to_str_lossy().into_owned());
        let mut found: Vec<String> = paths.collect();
        // A file in conflict stands there once a side.
        found.dedup();
        found
    }

    /// The branch that is checked out in its repository, when one is.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        let name = self.repository.to_thread_local().head_name().ok()??;
        Some(name.shorten().to_str_lossy().into_owned())
    }

    /// Whether the contents of an object are here: a clone may have left them out.
    #[must_use]
    pub fn has_object(&self, object: &str) -> bool {
        let repository = self.repository.to_thread_local();
        id(object).is_ok_and(|id| repository.has_object(id))
    }
}

/// Whether a name in the store is the one shown as `shown`.
fn is_named(name: &BStr, shown: &str) -> bool {
    name == shown.as_bytes() || shown.contains('\u{FFFD}') && name.to_str_lossy() == shown
}

fn in_index(index: &gix::index::State, path: &str) -> Option<ObjectId> {
    use gix::index::entry::Mode;
    let entry = if path.contains('\u{FFFD}') {
        index.entries().iter().find(|entry| is_named(entry.path(index), path))
    } else {
        // Of a file in conflict, our side.
        let stages = [Stage::Unconflicted, Stage::Ours, Stage::Theirs];
        stages.into_iter().find_map(|at| index.entry_by_path_and_stage(path.into(), at))
    }?;
    matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE).then_some(entry.id)
}

impl Files for Snapshot {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let id = self.find(path)?.ok_or(io::ErrorKind::NotFound)?;
        let repository = self.repository.to_thread_local();
        let size = repository.find_header(id).map_err(io::Error::other)?.size();
        if size > OBJECT_LIMIT {
            let why = format!("{size} bytes are more than are read of one object ({OBJECT_LIMIT})");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        let mut bytes = repository.find_blob(id).map_err(io::Error::other)?.take_data();
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn exists(&self, path: &str) -> bool {
        self.find(path).is_ok_and(|found| found.is_some())
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let before = format!("{folder}{slash}");
        let below = self.below(folder).unwrap_or_default().into_iter();
        let names = below.filter_map(|path| path.strip_prefix(&before).map(str::to_owned));
        names.filter(|name| !name.contains('/')).collect()
    }
}
