//! The memories that name certain files or symbols: what the project decided about a piece of code.

use super::index::Index;
use super::prepare;
use crate::MemoryError;
use crate::brief::Brief;
use crate::project::ProjectMemory;
use crate::store::{Layers, StorageBackend};
use crate::types::{Entry, Kind};
use aidd_lexicon::terms;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of terms of a name.
const MAX_TERMS: usize = 8;
/// Maximum number of memories that are read to compare their texts with a name.
const MAX_CANDIDATES: usize = 64;
/// The types that are project knowledge.
const KINDS: [Kind; 3] = [Kind::Decision, Kind::Mistake, Kind::Convention];

/// A memory, and the file or symbol that it names.
#[derive(Clone, Debug, PartialEq)]
pub struct Naming {
    /// The memory in its short form.
    pub brief: Brief,
    /// The file or symbol as the caller wrote it.
    pub name: String,
}

impl Naming {
    /// The topic and the beginning of the memory, its marks, and the remedy of a mistake or the
    /// reason of a decision or convention, on one line; each text has at most `chars` characters.
    #[must_use]
    pub fn line(&self, chars: usize) -> String {
        let entry = &self.brief.entry;
        let field = |name: &str| {
            let text = entry.metadata.get(name).and_then(Value::as_str).unwrap_or_default();
            let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
            Some(match line.char_indices().nth(chars) {
                None => line.to_owned(),
                Some((end, _)) => format!("{}…", line[..end].trim_end()),
            })
        };
        let remedy = match entry.kind {
            Kind::Mistake => field("prevention").or_else(|| field("fix")),
            Kind::Decision => field("reasoning"),
            _ => field("rationale"),
        };
        let remedy = remedy.map(|remedy| format!(" — {remedy}")).unwrap_or_default();
        format!("{}{remedy}", self.brief.line(chars))
    }
}

impl ProjectMemory {
    /// The active decisions, mistakes and conventions of the project that name one of `symbols` or
    /// `files`, or a directory that contains one of `files`; symbols first, at most `limit`. A symbol
    /// counts only as a whole word: one with capitals, digits or underscores inside, or in
    /// backticks, or with parentheses.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn naming(
        &mut self,
        files: &[String],
        symbols: &[String],
        limit: usize,
    ) -> Result<Vec<Naming>, MemoryError> {
        let found = self.read_indexed(&mut |store, index| {
            index.refresh(store)?;
            let mut found: Vec<(Entry, String)> = Vec::new();
            let mut seen = BTreeSet::new();
            for symbol in symbols {
                for slot in slots_with(index, store, last_part(symbol))? {
                    add(index, store, (slot, symbol), (&mut seen, &mut found), &|entry| {
                        mentions(entry, symbol)
                    })?;
                }
            }
            for file in files {
                let requested = prepare::normalise_path(file);
                for slot in 0..index.docs().len() {
                    let names = |own: &str| prepare::matches_file(own, &requested);
                    if index.docs().get(slot).is_some_and(|doc| doc.files().any(names)) {
                        add(index, store, (slot, file), (&mut seen, &mut found), &|_| true)?;
                    }
                }
                if let Some((folder, _)) = requested.rsplit_once('/') {
                    for slot in slots_with(index, store, folder)? {
                        add(index, store, (slot, file), (&mut seen, &mut found), &|entry| {
                            names_folder(entry, &requested)
                        })?;
                    }
                }
            }
            found.truncate(limit);
            Ok(found)
        })?;
        let mut named = Vec::new();
        for (entry, name) in found {
            named.push(Naming { brief: self.brief(&entry)?, name });
        }
        Ok(named)
    }
}

/// The slots of the project's active memories that contain the first terms of `name`.
fn slots_with(
    index: &mut Index,
    store: &mut dyn StorageBackend,
    name: &str,
) -> Result<Vec<usize>, MemoryError> {
    let wanted = terms::distinct_terms(name, MAX_TERMS);
    // The first directory of a path is enough: a memory can name any of the directories.
    let wanted = if name.contains('/') { wanted.get(..1).unwrap_or_default() } else { &wanted };
    let mut common: Option<BTreeSet<u32>> = None;
    for term in wanted {
        index.load_postings(store, term)?;
        let slots: BTreeSet<u32> = index.postings(term).iter().map(|(slot, _)| *slot).collect();
        common = Some(match common {
            Some(known) => known.intersection(&slots).copied().collect(),
            None => slots,
        });
    }
    let common = common.unwrap_or_default().into_iter().map(|slot| slot as usize);
    Ok(common.filter(|slot| is_knowledge(index, *slot)).take(MAX_CANDIDATES).collect())
}

/// Whether the memory in a slot is active project knowledge.
fn is_knowledge(index: &Index, slot: usize) -> bool {
    let (Some(doc), Some(brief)) = (index.docs().get(slot), index.briefs().get(slot)) else {
        return false;
    };
    brief.is_live
        && !brief.is_superseded
        && Layers::PERMANENT.contains(brief.layer)
        && KINDS.contains(&doc.kind)
}

/// Adds the memory in a slot if it is project knowledge and `is_match`.
fn add(
    index: &Index,
    store: &mut dyn StorageBackend,
    (slot, name): (usize, &str),
    (seen, found): (&mut BTreeSet<usize>, &mut Vec<(Entry, String)>),
    is_match: &dyn Fn(&Entry) -> bool,
) -> Result<(), MemoryError> {
    if seen.contains(&slot) || !is_knowledge(index, slot) {
        return Ok(());
    }
    let Some(doc) = index.docs().get(slot) else { return Ok(()) };
    if let Some(entry) = store.entry(doc.id)?.filter(is_match) {
        seen.insert(slot);
        found.push((entry, name.to_owned()));
    }
    Ok(())
}

/// The name of a symbol without the names of what contains it.
fn last_part(symbol: &str) -> &str {
    symbol.rsplit(['.', ':', '#']).next().unwrap_or(symbol)
}

/// Calls `visit` with each text of a memory.
fn for_each_text(entry: &Entry, visit: &mut dyn FnMut(&str)) {
    entry.topic.iter().for_each(|topic| visit(topic));
    visit(&entry.content);
    prepare::for_each_metadata_text(entry, &mut |text| visit(text));
}

/// Whether a text of the memory contains `symbol` as a whole word.
fn mentions(entry: &Entry, symbol: &str) -> bool {
    let last = last_part(symbol);
    let inner = last.get(1..).unwrap_or_default();
    let is_distinct = last.len() > 3
        && (inner.contains(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '_'));
    let mut is_named = false;
    for_each_text(entry, &mut |text| {
        is_named |= text.match_indices(last).any(|(at, _)| {
            let (before, after) = (text.get(..at), text.get(at + last.len()..));
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
            let is_code = after.starts_with('(')
                || before.ends_with(['`', '.']) && (after.starts_with(['`', '(', '.']))
                || before.ends_with("::");
            is_whole && (is_distinct || is_code)
        });
    });
    is_named
}

/// Whether a text of the memory names a directory that contains the file: at least two components,
/// or one with a slash at the end.
fn names_folder(entry: &Entry, file: &str) -> bool {
    let mut is_named = false;
    for_each_text(entry, &mut |text| {
        let is_separator = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|=*".contains(c);
        is_named |= text.split(is_separator).any(|word| {
            let word = word.trim_start_matches("./").trim_end_matches(['.', ':', '!', '?']);
            let folder = word.trim_end_matches('/');
            let is_path = folder.contains('/') || word.ends_with('/') && folder.len() > 1;
            is_path && file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        });
    });
    is_named
}
