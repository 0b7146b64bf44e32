//! The checks of the memories in the tracked files that hold.
//!
//! A project is opened for every check, so that thousands of memories must cost next to nothing:
//! files without the key are only searched for it, and of the others no line is parsed but those on
//! a memory with a check and on what takes its place.

use super::{CHECK, RulePage, check_of, page_of};
use crate::parse::lines::id;
use crate::parse::lines::log::{self, Folded, Revision};
use crate::parse::lines::standing::Standing;
use crate::text::files::Files;
use crate::text::kind::{MEMORY_FILES, MEMORY_FOLDER, memory_folder};
use memchr::memmem::Finder;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::Range;

/// Bytes of the longest file that is read, as the memory itself has it.
const LIMIT: u64 = 256 << 20;

/// The checks that a project's memory carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The pages of those that can be read so far, the oldest memory first.
    pub pages: Vec<RulePage>,
    /// Where a check is misshapen, and why: path of the file, id of the memory, what is wrong.
    pub wrong: Vec<(String, String, String)>,
}

/// The checks of the memory below the root of `files`, and of those of the folders `nested`, which
/// hold below them.
#[must_use]
pub fn of_all(files: &dyn Files, nested: &[String]) -> Remembered {
    let mut all = of(files);
    for folder in nested {
        let Remembered { pages, wrong } = in_folder(&Below { files, folder }, MEMORY_FOLDER);
        all.pages.extend(
            pages
                .into_iter()
                .map(|page| RulePage { path: format!("{folder}/{}", page.path), ..page }),
        );
        all.wrong
            .extend(wrong.into_iter().map(|(path, id, why)| (format!("{folder}/{path}"), id, why)));
    }
    all
}

/// The files of a folder, seen from there.
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
pub fn of(files: &dyn Files) -> Remembered {
    in_folder(files, memory_folder(|path| files.exists(path)))
}

/// The checks of the memory in `folder`.
fn in_folder(files: &dyn Files, folder: &str) -> Remembered {
    let mut unread = Vec::new();
    let mut read = |name: &str| {
        let path = format!("{folder}/{name}");
        // Looked at first: to open what is no file may take forever.
        if !files.exists(&path) {
            return Vec::new();
        }
        files.read(&path, LIMIT).unwrap_or_else(|error| {
            let why = format!("nothing in it is enforced, for it cannot be read: {error}");
            unread.push((path, "the whole file".to_owned(), why));
            Vec::new()
        })
    };
    let key = format!("\"{CHECK}\"");
    let carries = Finder::new(key.as_bytes());
    let [decisions, carrying @ ..] = MEMORY_FILES;
    let mut texts: Vec<Vec<u8>> = carrying.into_iter().map(&mut read).collect();
    let mut remembered = Remembered::default();
    if texts.iter().any(|text| carries.find(text).is_some()) {
        // A decision carries no check, and may take the place of what does.
        texts.push(read(decisions));
        remembered = pages(&memories(&texts, &carries));
        if folder != MEMORY_FOLDER {
            let pages = remembered.pages.iter_mut().map(|page| &mut page.path);
            for path in pages.chain(remembered.wrong.iter_mut().map(|(path, ..)| path)) {
                *path = path.replacen(MEMORY_FOLDER, folder, 1);
            }
        }
    }
    remembered.wrong.extend(unread);
    remembered
}

/// The memories with a check, and those that supersede them, as far as lines tell. Each file is
/// searched as a whole, for most lines are of neither.
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
    // Up to the last that supersedes: a circle of them holds as a whole.
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

/// The pages of those that hold.
fn pages(memories: &[Folded]) -> Remembered {
    let standing = Standing::of(memories);
    let holding = memories.iter().map(|memory| &memory.entry);
    let mut holding: Vec<_> =
        holding.filter(|entry| check_of(entry).is_some() && standing.holds(&entry.id)).collect();
    holding.sort_by_key(|entry| (entry.created_at, &entry.id));
    let mut remembered = Remembered::default();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for entry in holding {
        let Some(page) = page_of(entry) else { continue };
        let said = check_of(entry).map(id::canonical).unwrap_or_default();
        match page {
            Err(why) => {
                let file = entry.kind.file().unwrap_or_default();
                let path = format!("{MEMORY_FOLDER}/{file}.jsonl");
                remembered.wrong.push((path, entry.id.clone(), why.to_string()));
            }
            // Two branches brought the same: it is one rule.
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

/// A page whose name an older memory has: neither is lost.
fn renamed(page: RulePage) -> RulePage {
    let hash = id::digest(&[&page.memory]);
    let rule = format!("{}-{}", page.rule, &hash[..6]);
    let text = page.text.replacen(&format!("\n# {}\n", page.rule), &format!("\n# {rule}\n"), 1);
    RulePage { rule, text, ..page }
}

/// The line around a place in a file.
fn line_at(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
    start..end
}

/// The lines of a file that hold `key`, each once.
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

/// The texts that follow a key, and where it stands. One inside of another value is among them.
fn values<'t>(text: &'t [u8], key: &Finder<'_>) -> impl Iterator<Item = (usize, &'t [u8])> {
    let length = key.needle().len();
    let places: Vec<usize> = key.find_iter(text).collect();
    places.into_iter().filter_map(move |at| Some((at, value(text, at + length)?)))
}

/// The text that follows a key, which ends at `at`; no id has what JSON writes by a backslash.
fn value(text: &[u8], at: usize) -> Option<&[u8]> {
    let rest = text.get(at..)?.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}
