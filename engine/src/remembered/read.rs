//! The checks of the memories in the tracked files that hold.
//!
//! A project is opened for every check, so that thousands of memories must cost next to nothing:
//! files without the key are only searched for it, and of the others no line is parsed but those on
//! a memory with a check and on what takes its place.

use super::{CHECK, RulePage, check_of, page_of};
use crate::files::Files;
use crate::kind::{MEMORY_FILES, MEMORY_FOLDER};
use crate::lines::id;
use crate::lines::log::{self, Folded, Revision};
use crate::lines::standing::Standing;
use memchr::memmem::Finder;
use std::collections::{BTreeMap, HashMap, HashSet};

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

/// The checks of the memory below the root of `files`.
#[must_use]
pub fn of(files: &dyn Files) -> Remembered {
    let mut unread = Vec::new();
    let mut read = |name: &str| {
        let path = format!("{MEMORY_FOLDER}/{name}");
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
    }
    remembered.wrong.extend(unread);
    remembered
}

/// The memories with a check, and those that supersede them, as far as lines tell.
fn memories(texts: &[Vec<u8>], carries: &Finder<'_>) -> Vec<Folded> {
    let lines: Vec<Line<'_>> = texts.iter().flat_map(|text| lines(text)).collect();
    let mut wanted: HashSet<&[u8]> = HashSet::new();
    let mut new: Vec<&[u8]> =
        lines.iter().filter(|line| carries.find(line.text).is_some()).map(|line| line.id).collect();
    let supersedes = Finder::new("supersedes");
    let to = Finder::new("\"to\"");
    let mut above: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for line in lines.iter().filter(|line| supersedes.find(line.text).is_some()) {
        for at in to.find_iter(line.text) {
            let other = value(line.text, at + to.needle().len());
            above.entry(other.unwrap_or_default()).or_default().push(line.id);
        }
    }
    // Up to the last that supersedes: a circle of them holds as a whole.
    while let Some(id) = new.pop() {
        if wanted.insert(id) {
            new.extend(above.get(id).into_iter().flatten());
        }
    }
    let mut revisions: BTreeMap<String, Vec<Revision>> = BTreeMap::new();
    for line in lines.iter().filter(|line| wanted.contains(line.id)) {
        for revision in log::read("", line.text).0 {
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
                remembered.wrong.push((path, entry.id.clone(), why));
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

/// A line that names a memory.
struct Line<'a> {
    id: &'a [u8],
    text: &'a [u8],
}

/// The lines of a file that name a memory. One that has an `id` inside of another value, too, is
/// there under each.
fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let key = Finder::new("\"id\"");
    let mut lines = Vec::new();
    for at in key.find_iter(text) {
        let Some(id) = value(text, at + key.needle().len()) else { continue };
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        lines.push(Line { id, text: &text[start..end] });
    }
    lines
}

/// The text that follows a key, which ends at `at`; no id has what JSON writes by a backslash.
fn value(text: &[u8], at: usize) -> Option<&[u8]> {
    let rest = text.get(at..)?.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}
