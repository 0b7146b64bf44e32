//! Reads the checks of the current memories from the tracked files.
//!
//! A project is opened for every check, so thousands of memories must cost next to nothing: files
//! are searched for the key first, and only the lines of memories with a check and of memories that
//! supersede them are parsed.

use super::{CHECK, RulePage, check_of, page_of};
use crate::parse::lines::active_set::ActiveSet;
use crate::parse::lines::id;
use crate::parse::lines::log::{self, Folded, Revision};
use crate::text::files::Files;
use crate::text::kind::{MEMORY_DIR, MEMORY_FILES, memory_dir};
use memchr::memmem::Finder;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::Range;

/// Maximum size in bytes of a memory file, as in the memory crate.
const LIMIT: u64 = 256 << 20;

/// The checks in the memory of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChecks {
    /// The pages of the well-formed checks, oldest memory first.
    pub pages: Vec<RulePage>,
    /// The malformed checks: path of the file, id of the memory, and what is wrong.
    pub malformed: Vec<(String, String, String)>,
}

/// The checks of the memory below the root of `files`, and of the memories of the directories
/// `nested`, which apply below them.
#[must_use]
pub fn read_all(files: &dyn Files, nested: &[String]) -> MemoryChecks {
    let mut all = read(files);
    for folder in nested {
        let MemoryChecks { pages, malformed: wrong } =
            in_folder(&Below { files, folder }, MEMORY_DIR);
        all.pages.extend(
            pages
                .into_iter()
                .map(|page| RulePage { path: format!("{folder}/{}", page.path), ..page }),
        );
        all.malformed
            .extend(wrong.into_iter().map(|(path, id, why)| (format!("{folder}/{path}"), id, why)));
    }
    all
}

/// The files of a directory, with paths relative to it.
struct Below<'a> {
    files: &'a dyn Files,
    folder: &'a str,
}

impl Files for Below<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.files.read(&format!("{}/{path}", self.folder), limit)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(&format!("{}/{path}", self.folder))
    }
}

/// The checks of the memory below the root of `files`.
#[must_use]
pub fn read(files: &dyn Files) -> MemoryChecks {
    in_folder(files, memory_dir(|path| files.exists(path)))
}

/// The checks of the memory in `folder`.
fn in_folder(files: &dyn Files, folder: &str) -> MemoryChecks {
    let mut unread = Vec::new();
    let mut read = |name: &str| {
        let path = format!("{folder}/{name}");
        // Tested first, because opening a pipe can block forever.
        if !files.exists(&path) {
            return Vec::new();
        }
        files.read(&path, LIMIT).unwrap_or_else(|error| {
            let why = format!("cannot be read, so nothing in it is enforced: {error}");
            unread.push((path, "the whole file".to_owned(), why));
            Vec::new()
        })
    };
    let key = format!("\"{CHECK}\"");
    let carries = Finder::new(key.as_bytes());
    let [decisions, carrying @ ..] = MEMORY_FILES;
    let mut texts: Vec<Vec<u8>> = carrying.into_iter().map(&mut read).collect();
    let mut remembered = MemoryChecks::default();
    if texts.iter().any(|text| carries.find(text).is_some()) {
        // A decision has no check, but can supersede a memory with one.
        texts.push(read(decisions));
        remembered = pages(&memories(&texts, &carries));
        if folder != MEMORY_DIR {
            let pages = remembered.pages.iter_mut().map(|page| &mut page.path);
            for path in pages.chain(remembered.malformed.iter_mut().map(|(path, ..)| path)) {
                *path = path.replacen(MEMORY_DIR, folder, 1);
            }
        }
    }
    remembered.malformed.extend(unread);
    remembered
}

/// The memories with a check, and those that supersede them, as far as single lines show. Each file
/// is searched as a whole, because most lines contain neither.
fn memories(texts: &[Vec<u8>], carries: &Finder<'_>) -> Vec<Folded> {
    let id = Finder::new("\"id\"");
    let with = |key: &Finder<'_>| -> Vec<&[u8]> {
        texts.iter().flat_map(|text| lines_with(text, key)).collect()
    };
    let mut wanted: HashSet<&[u8]> = HashSet::new();
    let mut new: Vec<&[u8]> =
        with(carries).into_iter().flat_map(|line| values(line, &id)).map(|(_, id)| id).collect();
    let to = Finder::new("\"to\"");
    let mut above: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for line in with(&Finder::new("supersedes")) {
        for (_, other) in values(line, &to) {
            above.entry(other).or_default().extend(values(line, &id).map(|(_, id)| id));
        }
    }
    // Follows the chain to the last memory that supersedes; in a cycle all memories stay active.
    while let Some(id) = new.pop() {
        if wanted.insert(id) {
            new.extend(above.get(id).into_iter().flatten());
        }
    }
    let lines = texts.iter().flat_map(|text| {
        let named = values(text, &id).filter(|(_, id)| wanted.contains(id));
        named.map(|(at, _)| &text[line_at(text, at)])
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
fn pages(memories: &[Folded]) -> MemoryChecks {
    let standing = ActiveSet::new(memories);
    let holding = memories.iter().map(|memory| &memory.entry);
    let mut holding: Vec<_> = holding
        .filter(|entry| check_of(entry).is_some() && standing.is_active(&entry.id))
        .collect();
    holding.sort_by_key(|entry| (entry.created_at, &entry.id));
    let mut remembered = MemoryChecks::default();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for entry in holding {
        let Some(page) = page_of(entry) else { continue };
        let said = check_of(entry).map(id::canonical).unwrap_or_default();
        match page {
            Err(why) => {
                let file = entry.kind.file().unwrap_or_default();
                let path = format!("{MEMORY_DIR}/{file}.jsonl");
                remembered.malformed.push((path, entry.id.clone(), why.to_string()));
            }
            // Two branches added the same memory: it is one rule.
            Ok(page) if known.get(&page.rule) == Some(&said) => {}
            Ok(page) if known.contains_key(&page.rule) => {
                remembered.pages.push(renamed(page));
            }
            Ok(page) => {
                known.insert(page.rule.clone(), said);
                remembered.pages.push(page);
            }
        }
    }
    remembered
}

/// Renames a page whose name an older memory has, so that neither is lost.
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
fn lines_with<'t>(text: &'t [u8], key: &Finder<'_>) -> Vec<&'t [u8]> {
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
    let places: Vec<usize> = key.find_iter(text).collect();
    places.into_iter().filter_map(move |at| Some((at, value(text, at + length)?)))
}

/// The string value after a key that ends at `at`; ids contain no characters that JSON escapes.
fn value(text: &[u8], at: usize) -> Option<&[u8]> {
    let rest = text.get(at..)?.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}
