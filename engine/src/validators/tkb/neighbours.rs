//! What an entry says of files beside it: links to them, and entries on the same thing. Files are
//! looked for by the names they would have; no folder is listed.

use super::entry::Entry;
use crate::files::{Files, SIDE_FILE_LIMIT, side_file};
use crate::kind::{self, KNOWLEDGE_CATEGORIES};
use crate::source::{Source, Span};
use std::collections::BTreeSet;

/// Most names that other entries are looked for by.
const NAMES: usize = 12;

/// The links of an entry that lead to no file of the project. What leads out of it is not judged.
pub(super) fn dead_links(entry: &Entry, path: &str, files: &dyn Files) -> Vec<(String, Span)> {
    let is_dead = |address: &str| {
        let Some(target) = target(path, address) else { return false };
        let name = target.rsplit('/').next().unwrap_or(&target);
        // Without an ending it may be a folder, which files do not tell.
        name.contains('.') && !files.exists(&target)
    };
    let dead = entry.links.iter().filter(|(address, _)| is_dead(address));
    dead.map(|(address, span)| (address.clone(), *span)).collect()
}

/// The path that a relative address in the file at `path` means.
fn target(path: &str, address: &str) -> Option<String> {
    let plain = address.split(['#', '?']).next().unwrap_or_default();
    if plain.is_empty() || plain.starts_with('/') || plain.contains(':') {
        return None;
    }
    let plain = plain.replace("%20", " ");
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in plain.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The entries in the other folders of the same knowledge base that have a name or alias of this
/// one: path, and the name.
pub(super) fn twins(entry: &Entry, path: &str, files: &dyn Files) -> Vec<(String, String)> {
    let Some((root, _)) = kind::knowledge_root(path) else { return Vec::new() };
    let mut own: BTreeSet<String> = names(entry);
    own.extend(path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).map(slug));
    let mut found = Vec::new();
    for name in own.iter().take(NAMES) {
        let below = KNOWLEDGE_CATEGORIES.iter().map(|folder| format!("{root}/{folder}/{name}.md"));
        for other in below.chain([format!("{root}/{name}.md")]) {
            if other == path || !files.exists(&other) {
                continue;
            }
            let Some(text) =
                side_file(files, &other).filter(|text| text.len() as u64 <= SIDE_FILE_LIMIT)
            else {
                continue;
            };
            let theirs = names(&Entry::of(&Source::new(other.as_str(), text)));
            if let Some(shared) = names(entry).intersection(&theirs).next()
                && !found.iter().any(|(path, _)| *path == other)
            {
                found.push((other, shared.clone()));
            }
        }
    }
    found
}

/// What an entry goes by, as file names are written.
fn names(entry: &Entry) -> BTreeSet<String> {
    let name = entry.field("name").map(|(name, _)| name);
    let all = entry.list("aliases").into_iter().chain(name);
    all.map(slug).filter(|name| !name.is_empty()).collect()
}

fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let lower = name.to_lowercase().chars().map(plain).collect::<String>();
    lower.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
