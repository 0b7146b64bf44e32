//! Reads the checks of the current memories from the tracked files.
//!
//! A project is opened for every check, so reading thousands of memories must be fast: files are
//! searched for the key first, and only the lines of memories with a check, and of memories that
//! supersede such memories, are parsed.

use super::{CHECK, RulePage, check_of, page_of};
use crate::parse::lines::active_set::ActiveSet;
use crate::parse::lines::id;
use crate::parse::lines::log::{self, FoldedMemory, Revision};
use crate::text::files::Files;
use crate::text::kind::{MEMORY_DIR, MEMORY_FILES, memory_dir};
use memchr::memmem::Finder;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::Range;

/// Maximum size of a memory file in bytes, as in the memory crate.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The checks in the memory of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChecks {
    /// The pages of the well-formed checks, oldest memory first.
    pub pages: Vec<RulePage>,
    /// The malformed checks: path of the file, id of the memory, and the fault.
    pub malformed: Vec<(String, String, String)>,
}

/// The checks of the memory at the root of `files`, and of the memories in the directories
/// `nested`, which apply below these directories.
#[must_use]
pub fn read_all(files: &dyn Files, nested: &[String]) -> MemoryChecks {
    let mut all = read(files);
    for dir in nested {
        let MemoryChecks { pages, malformed } = read_dir(&FilesBelow { files, dir }, MEMORY_DIR);
        all.pages.extend(
            pages.into_iter().map(|page| RulePage { path: format!("{dir}/{}", page.path), ..page }),
        );
        all.malformed.extend(
            malformed.into_iter().map(|(path, id, why)| (format!("{dir}/{path}"), id, why)),
        );
    }
    all
}

/// The files below a directory, with paths relative to this directory.
struct FilesBelow<'a> {
    files: &'a dyn Files,
    dir: &'a str,
}

impl Files for FilesBelow<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.files.read(&format!("{}/{path}", self.dir), limit)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(&format!("{}/{path}", self.dir))
    }
}

/// The checks of the memory at the root of `files`.
#[must_use]
pub fn read(files: &dyn Files) -> MemoryChecks {
    read_dir(files, memory_dir(|path| files.exists(path)))
}

/// The checks of the memory in `dir`.
fn read_dir(files: &dyn Files, dir: &str) -> MemoryChecks {
    let mut unread = Vec::new();
    let mut read = |name: &str| {
        let path = format!("{dir}/{name}");
        // The file type is tested first, because opening a pipe can block forever.
        if !files.exists(&path) {
            return Vec::new();
        }
        files.read(&path, MAX_FILE_BYTES).unwrap_or_else(|error| {
            let why = format!("cannot be read, so nothing in it is enforced: {error}");
            unread.push((path, "the whole file".to_owned(), why));
            Vec::new()
        })
    };
    let key = format!("\"{CHECK}\"");
    let check_key = Finder::new(key.as_bytes());
    let [decisions, check_files @ ..] = MEMORY_FILES;
    let mut texts: Vec<Vec<u8>> = check_files.into_iter().map(&mut read).collect();
    let mut checks = MemoryChecks::default();
    if texts.iter().any(|text| check_key.find(text).is_some()) {
        // A decision has no check, but can supersede a memory with one.
        texts.push(read(decisions));
        checks = pages(&memories(&texts, &check_key));
        if dir != MEMORY_DIR {
            let pages = checks.pages.iter_mut().map(|page| &mut page.path);
            for path in pages.chain(checks.malformed.iter_mut().map(|(path, ..)| path)) {
                *path = path.replacen(MEMORY_DIR, dir, 1);
            }
        }
    }
    checks.malformed.extend(unread);
    checks
}

/// The memories with a check, and the memories that supersede them, selected by the keys in single
/// lines. Each file is searched as a whole, because most lines belong to neither.
fn memories(texts: &[Vec<u8>], check_key: &Finder<'_>) -> Vec<FoldedMemory> {
    let id = Finder::new("\"id\"");
    let lines_with_key = |key: &Finder<'_>| -> Vec<&[u8]> {
        texts.iter().flat_map(|text| lines_containing(text, key)).collect()
    };
    let mut relevant_ids: HashSet<&[u8]> = HashSet::new();
    let mut pending: Vec<&[u8]> = lines_with_key(check_key)
        .into_iter()
        .flat_map(|line| values(line, &id))
        .map(|(_, id)| id)
        .collect();
    let to = Finder::new("\"to\"");
    let mut superseding: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for line in lines_with_key(&Finder::new("supersedes")) {
        for (_, superseded) in values(line, &to) {
            superseding.entry(superseded).or_default().extend(values(line, &id).map(|(_, id)| id));
        }
    }
    // Follows the chain up to the last superseding memory; in a cycle all memories stay active.
    while let Some(id) = pending.pop() {
        if relevant_ids.insert(id) {
            pending.extend(superseding.get(id).into_iter().flatten());
        }
    }
    let lines = texts.iter().flat_map(|text| {
        let relevant = values(text, &id).filter(|(_, id)| relevant_ids.contains(id));
        relevant.map(|(at, _)| &text[line_at(text, at)])
    });
    let mut revisions: BTreeMap<String, Vec<Revision>> = BTreeMap::new();
    for line in lines {
        for revision in log::read("", line).0 {
            revisions.entry(revision.id.clone()).or_default().push(revision);
        }
    }
    revisions.values().filter_map(|revisions| log::fold(revisions)).collect()
}

/// The pages of the active memories.
fn pages(memories: &[FoldedMemory]) -> MemoryChecks {
    let active_set = ActiveSet::new(memories);
    let active_entries = memories.iter().map(|memory| &memory.entry);
    let mut active_entries: Vec<_> = active_entries
        .filter(|entry| check_of(entry).is_some() && active_set.is_active(&entry.id))
        .collect();
    active_entries.sort_by_key(|entry| (entry.created_at, &entry.id));
    let mut checks = MemoryChecks::default();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for entry in active_entries {
        let Some(page) = page_of(entry) else { continue };
        let content = check_of(entry).map(id::canonical).unwrap_or_default();
        match page {
            Err(why) => {
                let file = entry.kind.file().unwrap_or_default();
                let path = format!("{MEMORY_DIR}/{file}.jsonl");
                checks.malformed.push((path, entry.id.clone(), why.to_string()));
            }
            // Two branches added the same memory, which is a single rule.
            Ok(page) if known.get(&page.rule) == Some(&content) => {}
            Ok(page) if known.contains_key(&page.rule) => {
                checks.pages.push(renamed(page));
            }
            Ok(page) => {
                known.insert(page.rule.clone(), content);
                checks.pages.push(page);
            }
        }
    }
    checks
}

/// Renames a page whose name is used by an older memory, so that both rules exist.
fn renamed(page: RulePage) -> RulePage {
    let hash = id::digest(&[&page.memory]);
    let rule = format!("{}-{}", page.rule, &hash[..6]);
    let text = page.text.replacen(&format!("\n# {}\n", page.rule), &format!("\n# {rule}\n"), 1);
    RulePage { rule, text, ..page }
}

/// The byte range of the line around an offset in a file.
fn line_at(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
    start..end
}

/// The lines of a file that contain `key`, without duplicates.
fn lines_containing<'t>(text: &'t [u8], key: &Finder<'_>) -> Vec<&'t [u8]> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(at) = key.find(&text[from..]) {
        let line = line_at(text, from + at);
        from = line.end;
        lines.push(&text[line]);
    }
    lines
}

/// The string values that follow a key, with the offset of the key. Includes keys inside other
/// values.
fn values<'t>(text: &'t [u8], key: &Finder<'_>) -> impl Iterator<Item = (usize, &'t [u8])> {
    let length = key.needle().len();
    let positions: Vec<usize> = key.find_iter(text).collect();
    positions.into_iter().filter_map(move |at| Some((at, value(text, at + length)?)))
}

/// The string value after a key that ends at `at`; ids contain no characters that JSON escapes.
fn value(text: &[u8], at: usize) -> Option<&[u8]> {
    let rest = text.get(at..)?.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}
