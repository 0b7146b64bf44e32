//! The filterable fields of the memories in the index, without an allocation per memory: a project
//! can have 100,000 memories.

use crate::store::SearchData;
use crate::types::{Kind, Outcome};
use std::collections::HashMap;
use std::ops::Range;

/// A memory in the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doc<'a> {
    pub(super) id: &'a str,
    pub(super) kind: Kind,
    pub(super) created_at: i64,
    pub(super) session: Option<&'a str>,
    pub(super) branch: Option<&'a str>,
    pub(super) outcome: Option<Outcome>,
    /// The files, each followed by the character NUL.
    files: &'a str,
}

impl<'a> Doc<'a> {
    /// The files that the memory names.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.files.split_terminator('\0')
    }
}

/// The fields of one memory.
#[derive(Clone, Copy, Debug)]
struct Fields {
    /// Row number in the store's own index.
    row: i64,
    created_at: i64,
    /// The position of the id in the texts; the files follow it, up to the next id.
    id: u32,
    files: u32,
    /// The numbers of the session and of the branch.
    session: Option<NameNumber>,
    branch: Option<NameNumber>,
    kind: Kind,
    outcome: Option<Outcome>,
}

/// The memories, by slot.
#[derive(Debug, Default)]
pub(super) struct Docs {
    fields: Vec<Fields>,
    texts: String,
    names: Names,
}

impl Docs {
    /// Number of slots, also of deleted memories.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The memory in a slot.
    pub(super) fn get(&self, slot: usize) -> Option<Doc<'_>> {
        let fields = self.fields.get(slot)?;
        let end = match self.fields.get(slot + 1) {
            Some(next) => next.id as usize,
            None => self.texts.len(),
        };
        let text = |range: Range<usize>| self.texts.get(range).unwrap_or_default();
        Some(Doc {
            id: text(fields.id as usize..fields.files as usize),
            kind: fields.kind,
            created_at: fields.created_at,
            session: self.names.get(fields.session),
            branch: self.names.get(fields.branch),
            outcome: fields.outcome,
            files: text(fields.files as usize..end),
        })
    }

    /// The row of the memory in a slot.
    pub(super) fn row(&self, slot: u32) -> Option<i64> {
        self.fields.get(slot as usize).map(|fields| fields.row)
    }

    /// All memories, in the order of their slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = Doc<'_>> {
        (0..self.len()).filter_map(|slot| self.get(slot))
    }

    /// Adds a memory. Returns its slot; `None` when there are too many memories.
    pub(super) fn push(&mut self, indexed: &SearchData) -> Option<u32> {
        let slot = u32::try_from(self.fields.len()).ok()?;
        let id = u32::try_from(self.texts.len()).ok()?;
        let files = u32::try_from(self.texts.len() + indexed.id.len()).ok()?;
        let session = self.names.number(indexed.session_id.as_deref());
        let branch = self.names.number(indexed.branch.as_deref());
        self.texts.push_str(&indexed.id);
        for file in &indexed.files {
            self.texts.push_str(file);
            self.texts.push('\0');
        }
        self.fields.push(Fields {
            row: indexed.row,
            created_at: indexed.created_at,
            id,
            files,
            session,
            branch,
            kind: indexed.kind,
            outcome: indexed.outcome,
        });
        Some(slot)
    }
}

/// The number of a name, from 1.
type NameNumber = std::num::NonZeroU32;

/// The names of sessions and branches, which many memories share.
#[derive(Debug, Default)]
struct Names {
    /// The name with the number 1 comes first.
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, NameNumber>,
}

impl Names {
    fn get(&self, number: Option<NameNumber>) -> Option<&str> {
        self.names.get(number?.get() as usize - 1).map(|name| &**name)
    }

    /// The number of a name, which is new if the name is.
    fn number(&mut self, name: Option<&str>) -> Option<NameNumber> {
        let name = name?;
        if let Some(known) = self.numbers.get(name) {
            return Some(*known);
        }
        let number = NameNumber::new(u32::try_from(self.names.len() + 1).ok()?)?;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Layer, Status};

    #[test]
    fn the_fields_of_each_memory_are_returned_unchanged() {
        let memory = |n: i64, session: Option<&str>, files: &[&str]| SearchData {
            row: n,
            id: format!("decision_{n}_é").into(),
            kind: if n == 1 { Kind::Mistake } else { Kind::Decision },
            layer: Layer::Permanent,
            status: Status::Active,
            created_at: -n,
            topic_key: None,
            session_id: session.map(Into::into),
            branch: (n == 2).then(|| "main".into()),
            outcome: (n == 3).then_some(Outcome::Failed),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            length: 0,
            is_question: false,
            vector: None,
            columns: None,
        };
        let all = [
            memory(1, Some("s1"), &["src/a.rs", "b"]),
            memory(2, Some("main"), &[]),
            memory(3, None, &["c"]),
            memory(4, Some("s1"), &[]),
        ];
        let mut docs = Docs::default();
        assert_eq!(all.each_ref().map(|memory| docs.push(memory)), [0, 1, 2, 3].map(Some));
        for ((slot, doc), memory) in (0..).zip(docs.iter()).zip(&all) {
            assert_eq!(docs.row(slot), Some(memory.row));
            assert_eq!((doc.id, doc.kind), (&*memory.id, memory.kind));
            assert_eq!((doc.created_at, doc.outcome), (memory.created_at, memory.outcome));
            assert_eq!(doc.session, memory.session_id.as_deref());
            assert_eq!(doc.branch, memory.branch.as_deref());
            assert_eq!(doc.files().collect::<Vec<_>>(), memory.files);
        }
        assert!(docs.get(4).is_none());
    }
}
