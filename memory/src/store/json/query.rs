//! Queries that read many records, and changes of several records.

use super::log::{Json, read};
use super::{CHANGE_NUMBER, ENTRIES, LINES, LINKS, key};
use crate::MemoryError;
use crate::store::{Layers, MirroredLine, Order, Query, StorageBackend};
use crate::types::{Entry, Link, Status};
use aidd_engine::parse::lines::duplicates::duplicate_key;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Json {
    /// Reads and thereby validates every record.
    pub(super) fn read_all(&mut self) -> Result<(), MemoryError> {
        let all = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
        self.entries(&all)?;
        for (_, link) in self.range(LINKS, "") {
            read::<Link>(link)?;
        }
        for (_, line) in self.range(LINES, "") {
            read::<MirroredLine>(line)?;
        }
        Ok(())
    }

    /// Increases the change number of the store, and stores it as the change number of the memory.
    pub(super) fn advance_change_number(&mut self, id: &str) -> Result<(), MemoryError> {
        let number = self.change_number()? + 1;
        self.change(CHANGE_NUMBER, "", Some(json!(number)))?;
        self.change(CHANGE_NUMBER, id, Some(json!(number)))
    }

    /// Deletes the links from a memory, at both of their ends.
    pub(super) fn drop_links(&mut self, from: &str) -> Result<(), MemoryError> {
        self.refresh()?;
        let links: Vec<Value> =
            self.range(LINKS, &key(&[from, ">", ""])).map(|(_, link)| link.clone()).collect();
        for link in links {
            let link: Link = read(&link)?;
            self.change(LINKS, &key(&[from, ">", link.relation.word(), &link.to]), None)?;
            self.change(LINKS, &key(&[&link.to, "<", link.relation.word(), from]), None)?;
        }
        Ok(())
    }

    /// Those of the memories `ids` that have the same key as another memory, and these others.
    pub(super) fn find_duplicates(
        &mut self,
        ids: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, MemoryError> {
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in self.entries(&Query::new(Layers::PERMANENT))? {
            if let Some(key) = duplicate_key(&entry) {
                groups.entry(key).or_default().insert(entry.id);
            }
        }
        let mut duplicates = BTreeSet::new();
        for id in ids {
            let key = self.entry(id)?.as_ref().and_then(duplicate_key);
            let group = key.and_then(|key| groups.get(&key));
            if let Some(group) = group.filter(|group| group.iter().any(|other| other != id)) {
                duplicates.insert(id.clone());
                duplicates.extend(group.iter().cloned());
            }
        }
        Ok(duplicates)
    }

    /// The memories that match a query.
    pub(super) fn find_entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError> {
        self.refresh()?;
        let numbers: BTreeMap<&str, i64> = self
            .range(CHANGE_NUMBER, "")
            .filter_map(|(id, number)| Some((id, number.as_i64()?)))
            .collect();
        let last_change = |id: &str| numbers.get(id).copied().unwrap_or_default();
        let mut found = Vec::new();
        for (id, value) in self.range(ENTRIES, "") {
            if query.after.is_some_and(|after| last_change(id) <= after) {
                continue;
            }
            let entry: Entry = read(value)?;
            if query.matches(&entry) {
                found.push(entry);
            }
        }
        match query.order {
            Order::Newest => {
                found.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
            }
            Order::LastCreated => {
                found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
            }
            Order::Oldest => {
                found.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
            }
            Order::Change => found.sort_by_key(|entry| last_change(&entry.id)),
        }
        found.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(found)
    }
}
