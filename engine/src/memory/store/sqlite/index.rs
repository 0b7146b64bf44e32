//! What the store keeps for searches beside each memory, written with it: its terms in a full-text
//! table, its vector, the files it names.
//!
//! Texts are cut into terms before they come here, so that this table and an index in memory give
//! the same; the table's own tokenizer only splits at spaces.

use super::{Sqlite, parsed, word};
use crate::embedding::Vector;
use crate::memory::MemoryError;
use crate::memory::id::canonical;
use crate::memory::recall::prepare::{COLUMNS, Prepared, SCHEME, outcome};
use crate::memory::store::{Counts, Durability, Indexed, StorageBackend};
use crate::memory::types::{Entry, Outcome};
use crate::memory::words::topic_key;
use aidd_content::embedding::NAME;
use rusqlite::{Row, params};
use serde_json::json;

/// Memories prepared anew in one write, so that others need not wait long.
const AT_ONCE: usize = 256;

impl Sqlite {
    /// Whether the store holds `entry`, prepared by this scheme, but for how it stands.
    pub(super) fn holds_prepared(&self, entry: &Entry) -> Result<bool, MemoryError> {
        let sql = "SELECT 1 FROM memories m JOIN search s ON s.id = m.id WHERE m.id = ?1
            AND m.type = ?2 AND m.topic IS ?3 AND m.content = ?4 AND m.metadata = ?5
            AND m.session_id IS ?6 AND m.branch IS ?7 AND m.created_at = ?8
            AND s.model = ?9 AND s.scheme = ?10";
        let values = params![
            entry.id,
            entry.kind.word(),
            entry.topic,
            entry.content,
            canonical(&json!(entry.metadata)),
            entry.session_id,
            entry.branch,
            entry.created_at,
            NAME,
            SCHEME,
        ];
        Ok(self.one(sql, values, |_| Ok(()))?.is_some())
    }

    /// Prepares a memory for searches.
    pub(super) fn put_prepared(&self, entry: &Entry) -> Result<(), MemoryError> {
        let prepared = Prepared::of(entry);
        let sql = "INSERT INTO search (id, model, scheme, length, vector, outcome, files)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (id) DO UPDATE SET model = excluded.model, scheme = excluded.scheme,
                length = excluded.length, vector = excluded.vector, outcome = excluded.outcome,
                files = excluded.files
            RETURNING row";
        let values = params![
            entry.id,
            NAME,
            SCHEME,
            prepared.length(),
            prepared.vector.to_bytes(),
            outcome(entry).map(Outcome::word),
            json!(prepared.files).to_string(),
        ];
        let row = self.one(sql, values, |row| row.get::<_, i64>(0))?.unwrap_or_default();
        let [topic, title, body, rest] = &prepared.columns;
        self.run(
            "INSERT OR REPLACE INTO search_text (rowid, topic, title, body, rest)
                VALUES (?1, ?2, ?3, ?4, ?5)",
            params![row, topic, title, body, rest],
        )
        .map(|_| ())
    }

    /// Writes the topic of a memory as it is compared, where another scheme compared it otherwise.
    fn put_topic(&self, entry: &Entry) -> Result<(), MemoryError> {
        let sql = "UPDATE memories SET topic_key = ?2 WHERE id = ?1 AND topic_key IS NOT ?2";
        self.run(sql, params![entry.id, topic_of(entry)]).map(|_| ())
    }

    /// Forgets what was prepared of a memory.
    pub(super) fn drop_prepared(&self, id: &str) -> Result<(), MemoryError> {
        let sql = "DELETE FROM search WHERE id = ?1 RETURNING row";
        if let Some(row) = self.one(sql, [id], |row| row.get::<_, i64>(0))? {
            self.run("DELETE FROM search_text WHERE rowid = ?1", [row])?;
        }
        Ok(())
    }

    /// Prepares those memories anew that were prepared by another scheme, a few at a time.
    pub(super) fn prepare_stale(&mut self) -> Result<(), MemoryError> {
        let sql = format!(
            "SELECT id FROM search WHERE (model, scheme) < (?1, ?2) OR (model, scheme) > (?1, ?2)
                LIMIT {AT_ONCE}"
        );
        let mut left = true;
        while left {
            let stale = self.all(&sql, params![NAME, SCHEME], |row| row.get::<_, String>(0))?;
            left = stale.len() == AT_ONCE;
            if stale.is_empty() {
                break;
            }
            self.begin(Durability::Normal)?;
            let done = stale.iter().try_for_each(|id| match self.entry(id)? {
                Some(entry) => self.put_prepared(&entry).and_then(|()| self.put_topic(&entry)),
                None => self.drop_prepared(id),
            });
            if let Err(error) = done.and_then(|()| self.commit()) {
                self.rollback();
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) fn indexed_after(
        &self,
        after: Option<i64>,
        with_columns: bool,
    ) -> Result<Vec<Indexed>, MemoryError> {
        let (columns, text) = if with_columns {
            (", t.topic, t.title, t.body, t.rest", "JOIN search_text t ON t.rowid = s.row")
        } else {
            ("", "")
        };
        let sql = format!(
            "SELECT s.row, m.id, m.type, m.status, m.created_at, m.topic_key, m.session_id,
                m.branch, s.outcome, s.files, s.length, s.model = ?2 AND s.scheme = ?3,
                s.vector {columns}
            FROM memories m JOIN search s ON s.id = m.id {text} WHERE m.seq > ?1"
        );
        let values = params![after.unwrap_or(i64::MIN), NAME, SCHEME];
        self.all(&sql, values, if with_columns { with_text } else { indexed })
    }

    pub(super) fn places_of(&self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError> {
        let sql = "SELECT doc, col FROM search_terms WHERE term = ?1";
        let mut places: Vec<(i64, Counts)> = Vec::new();
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
        for (row, column) in self.all(sql, [term], read)? {
            if places.last().is_none_or(|(last, _)| *last != row) {
                places.push((row, Counts::default()));
            }
            let column = COLUMNS.iter().position(|(name, _)| *name == column);
            let counts = places.last_mut().map(|(_, counts)| counts);
            if let Some((counts, column)) = counts.zip(column) {
                counts[column] = counts[column].saturating_add(1);
            }
        }
        Ok(places)
    }
}

/// The topic of a memory as it is compared, if it names anything.
pub(super) fn topic_of(entry: &Entry) -> Option<String> {
    entry.topic.as_deref().map(topic_key).filter(|key| !key.is_empty())
}

fn indexed(row: &Row<'_>) -> rusqlite::Result<Indexed> {
    let outcome: Option<String> = row.get(8)?;
    let vector = if row.get(11)? { Vector::from_bytes(row.get_ref(12)?.as_blob()?) } else { None };
    Ok(Indexed {
        row: row.get(0)?,
        id: row.get(1)?,
        kind: word(row, 2)?,
        status: word(row, 3)?,
        created_at: row.get(4)?,
        topic_key: row.get(5)?,
        session_id: row.get(6)?,
        branch: row.get(7)?,
        outcome: outcome.and_then(|outcome| outcome.parse().ok()),
        files: parsed(row, 9)?,
        length: row.get(10)?,
        vector,
        columns: None,
    })
}

fn with_text(row: &Row<'_>) -> rusqlite::Result<Indexed> {
    let columns = Some([row.get(13)?, row.get(14)?, row.get(15)?, row.get(16)?]);
    Ok(Indexed { columns, ..indexed(row)? })
}
