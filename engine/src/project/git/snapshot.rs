//! The files of a revision or of the index, read from the object store.

use super::parse_object_id;
use crate::text::files::Files;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Stage;
use gix::{ObjectId, ThreadSafeRepository};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum size of an object that is read, in bytes: objects are loaded into memory.
const OBJECT_LIMIT: u64 = 256 << 20;
/// Maximum depth of nested directories.
const MAX_DEPTH: usize = 64;

/// The files of a revision or of the index. Paths are relative to the directory that the repository
/// was opened from.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) repository: ThreadSafeRepository,
    pub(super) prefix: BString,
    pub(super) content: Content,
    /// The directories read so far, by path from the top of the work tree.
    pub(super) folders: Arc<Mutex<HashMap<String, Arc<Directory>>>>,
}

/// The direct entries of a directory, by name. Bytes that are not UTF-8 become U+FFFD.
#[derive(Debug, Default)]
pub(super) struct Directory {
    files: HashMap<String, ObjectId>,
    folders: HashMap<String, ObjectId>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entry at a path of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// There is no entry.
    Absent,
    /// A tree object: a directory with at least one file.
    Directory,
    /// A regular file.
    File,
    /// A link or submodule at the path or at one of its parent directories. The target of a link is
    /// not part of the snapshot.
    Other,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Tree(ObjectId),
    Index(Arc<gix::index::File>),
}

impl Snapshot {
    /// The same files, with paths relative to the top of the work tree.
    #[must_use]
    pub fn at_top(&self) -> Self {
        Self { prefix: BString::default(), ..self.clone() }
    }

    /// The object id of the blob at `path`.
    fn find(&self, path: &str) -> io::Result<Option<ObjectId>> {
        let full_path = format!("{}{path}", self.prefix);
        match &self.content {
            Content::Index(index) => Ok(find_in_index(index, &full_path)),
            Content::Tree(tree) => self.find_in_tree(*tree, &full_path),
        }
    }

    fn find_in_tree(&self, tree: ObjectId, path: &str) -> io::Result<Option<ObjectId>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(tree, folder)?;
        Ok(folder.and_then(|folder| folder.files.get(name).copied()))
    }

    /// The direct entries of the directory at `path` from the top of the work tree; `None` when
    /// there is no such directory. Cached, because a change can query a directory for thousands of
    /// files.
    fn folder(&self, tree: ObjectId, path: &str) -> io::Result<Option<Arc<Directory>>> {
        let known = |at: &str| lock(&self.folders).get(at).cloned();
        if let Some(known) = known(path) {
            return Ok(Some(known));
        }
        let (mut at, mut next) = (0, Some(tree));
        loop {
            let Some(id) = next else { return Ok(None) };
            let folder = match known(&path[..at]) {
                Some(known) => known,
                None => {
                    let read = Arc::new(self.read_folder(id)?);
                    lock(&self.folders).insert(path[..at].to_owned(), read.clone());
                    read
                }
            };
            if at == path.len() {
                return Ok(Some(folder));
            }
            let start = if at == 0 { 0 } else { at + 1 };
            let rest = &path[start..];
            let name = rest.split('/').next().unwrap_or(rest);
            next = folder.folders.get(name).copied();
            at = start + name.len();
        }
    }

    fn read_folder(&self, id: ObjectId) -> io::Result<Directory> {
        let repository = self.repository.to_thread_local();
        let tree = repository.find_tree(id).map_err(io::Error::other)?;
        let mut folder = Directory::default();
        for entry in tree.decode().map_err(io::Error::other)?.entries {
            let names = if entry.mode.is_blob() {
                &mut folder.files
            } else if entry.mode.is_tree() {
                &mut folder.folders
            } else {
                continue;
            };
            let name = entry.filename.to_str_lossy().into_owned();
            names.entry(name).or_insert_with(|| entry.oid.to_owned());
        }
        Ok(folder)
    }

    /// The id of the object with the content of `path`; `None` when there is no such file.
    ///
    /// # Errors
    /// When a directory on the path cannot be read.
    pub fn object(&self, path: &str) -> io::Result<Option<String>> {
        Ok(self.find(path)?.map(|id| id.to_string()))
    }

    /// The entry at `path`. Names are compared ignoring case, like on case-insensitive disks.
    ///
    /// # Errors
    /// When a directory on the path cannot be read.
    pub fn entry(&self, path: &str) -> io::Result<Entry> {
        let full_path = format!("{}{path}", self.prefix);
        let tree = match &self.content {
            Content::Tree(tree) => *tree,
            Content::Index(index) => return Ok(entry_of_index(index, &full_path)),
        };
        let repository = self.repository.to_thread_local();
        let mut remaining = vec![(tree, full_path.as_str())];
        let mut found = Entry::Absent;
        while let Some((tree, path)) = remaining.pop() {
            let (segment, rest) = path.split_once('/').unwrap_or((path, ""));
            let tree = repository.find_tree(tree).map_err(io::Error::other)?;
            for entry in tree.decode().map_err(io::Error::other)?.entries {
                if !entry.filename.eq_ignore_ascii_case(segment.as_bytes()) {
                    continue;
                }
                let (is_tree, is_blob) = (entry.mode.is_tree(), entry.mode.is_blob());
                match (is_tree, rest.is_empty()) {
                    (true, true) => found = found.max(Entry::Directory),
                    (true, false) => remaining.push((entry.oid.to_owned(), rest)),
                    (false, true) if is_blob => found = found.max(Entry::File),
                    // A file cannot be a directory on the path.
                    (false, false) if is_blob => {}
                    (false, _) => found = Entry::Other,
                }
            }
        }
        Ok(found)
    }

    /// The files below `folder` (empty for the root), sorted.
    ///
    /// # Errors
    /// When a directory cannot be read.
    pub fn below(&self, folder: &str) -> io::Result<Vec<String>> {
        let tree = match &self.content {
            Content::Tree(tree) => *tree,
            Content::Index(index) => return Ok(self.index_below(index, folder)),
        };
        let repository = self.repository.to_thread_local();
        let full_path = format!("{}{folder}", self.prefix);
        let full_path = full_path.trim_end_matches('/');
        let start = if full_path.is_empty() {
            Some(tree)
        } else {
            let tree = repository.find_tree(tree).map_err(io::Error::other)?;
            let entry = tree.lookup_entry_by_path(full_path).map_err(io::Error::other)?;
            entry.filter(|entry| entry.mode().is_tree()).map(|entry| entry.object_id())
        };
        let mut remaining: Vec<(ObjectId, String, usize)> =
            start.map(|id| (id, folder.to_owned(), 0)).into_iter().collect();
        let mut found = Vec::new();
        while let Some((id, folder, depth)) = remaining.pop() {
            let tree = repository.find_tree(id).map_err(io::Error::other)?;
            for entry in tree.decode().map_err(io::Error::other)?.entries {
                let name = entry.filename.to_str_lossy();
                let path =
                    if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") };
                if entry.mode.is_blob() {
                    found.push(path);
                } else if entry.mode.is_tree() && depth < MAX_DEPTH {
                    remaining.push((entry.oid.to_owned(), path, depth + 1));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn index_below(&self, index: &gix::index::State, folder: &str) -> Vec<String> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let full_path = format!("{}{folder}{slash}", self.prefix);
        let from_root = |path: &[u8]| format!("{folder}{slash}{}", path.to_str_lossy());
        let paths = files_below(index, full_path.as_bytes()).map(from_root);
        let mut found: Vec<String> = paths.collect();
        // A file in conflict has an entry for each side.
        found.dedup();
        found
    }

    /// The checked out branch of the repository, if any.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        let name = self.repository.to_thread_local().head_name().ok()??;
        Some(name.shorten().to_str_lossy().into_owned())
    }

    /// Whether the content of an object is available; partial clones omit the content of some
    /// objects.
    #[must_use]
    pub fn has_object(&self, object: &str) -> bool {
        let repository = self.repository.to_thread_local();
        parse_object_id(object).is_ok_and(|id| repository.has_object(id))
    }
}

/// Whether the stored name `name` is displayed as `displayed`.
fn is_named(name: &BStr, displayed: &str) -> bool {
    name == displayed.as_bytes()
        || displayed.contains('\u{FFFD}') && name.to_str_lossy() == displayed
}

fn entry_of_index(index: &gix::index::State, path: &str) -> Entry {
    use gix::index::entry::Mode;
    let is_below = |path: &str, dir: &str| {
        let rest = path.get(..dir.len()).filter(|prefix| prefix.eq_ignore_ascii_case(dir));
        rest.is_some() && path.as_bytes().get(dir.len()) == Some(&b'/')
    };
    let kinds = index.entries().iter().map(|entry| {
        let name = entry.path(index).to_str_lossy();
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if name.eq_ignore_ascii_case(path) {
            if is_file { Entry::File } else { Entry::Other }
        } else if !is_file && is_below(path, &name) {
            Entry::Other
        } else if is_below(&name, path) {
            Entry::Directory
        } else {
            Entry::Absent
        }
    });
    kinds.max().unwrap_or(Entry::Absent)
}

fn find_in_index(index: &gix::index::State, path: &str) -> Option<ObjectId> {
    use gix::index::entry::Mode;
    let entry = if path.contains('\u{FFFD}') {
        index.entries().iter().find(|entry| is_named(entry.path(index), path))
    } else {
        // For a file in conflict, prefer our side.
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
            let why = format!("object of {size} bytes exceeds the limit of {OBJECT_LIMIT} bytes");
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
        let full_path = format!("{}{folder}{slash}", self.prefix);
        match &self.content {
            Content::Tree(tree) => {
                let found = self.folder(*tree, full_path.trim_end_matches('/'));
                found
                    .ok()
                    .flatten()
                    .map_or_else(Vec::new, |found| found.files.keys().cloned().collect())
            }
            Content::Index(index) => {
                let names = files_below(index, full_path.as_bytes());
                let names = names.filter(|name| !name.contains(&b'/'));
                let mut names: Vec<String> =
                    names.map(|name| name.to_str_lossy().into_owned()).collect();
                names.dedup();
                names
            }
        }
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let full_path = format!("{}{folder}{slash}", self.prefix);
        match &self.content {
            Content::Tree(tree) => {
                let found = self.folder(*tree, full_path.trim_end_matches('/'));
                found
                    .ok()
                    .flatten()
                    .map_or_else(Vec::new, |found| found.folders.keys().cloned().collect())
            }
            Content::Index(index) => {
                let names = files_below(index, full_path.as_bytes());
                let dirs = names.filter_map(|name| name.split_once_str("/").map(|(dir, _)| dir));
                let mut dirs: Vec<String> =
                    dirs.map(|dir| dir.to_str_lossy().into_owned()).collect();
                dirs.dedup();
                dirs
            }
        }
    }
}

/// The regular files below `folder`, which ends in a slash: their relative paths, ordered.
fn files_below<'a>(
    index: &'a gix::index::State,
    folder: &'a [u8],
) -> impl Iterator<Item = &'a [u8]> {
    use gix::index::entry::Mode;
    let entries = if folder.is_empty() {
        Some(index.entries())
    } else {
        index.prefixed_entries(folder.as_bstr())
    };
    let files = entries.into_iter().flatten();
    let files = files.filter(|entry| matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE));
    files.filter_map(move |entry| entry.path(index).strip_prefix(folder))
}
