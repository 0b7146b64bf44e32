//! Search data that the store saves with each memory: its terms in a full-text table, its vector,
//! and the files that it names.
//!
//! Texts are split into terms before they are stored, so that this table and an index in RAM give
//! the same results; the table's own tokenizer only splits at spaces.

use super::{COLUMNS as ENTRY, Sqlite, entry, error, parse_json, parse_word};
use crate::MemoryError;
use crate::id::{canonical, digest};
use crate::recall::prepare::{COLUMNS, PreparedMemory, SCHEME};
use crate::similarity::{Sketch, SketchRow};
use crate::store::{Counts, Durability, SearchData, StorageBackend};
use crate::types::{Entry, Outcome, Status};
use crate::words::topic_key;
use aidd_engine::parse::lines::duplicates::duplicate_key;
use aidd_lexicon::embedding::NAME;
use aidd_lexicon::embedding::Vector;
use rusqlite::{ErrorCode, Row, params};
use serde_json::json;

/// The columns of the search table that [`indexed`] reads, in its order.
const SEARCH_COLUMNS: &str =
    "s.row, s.id, s.type, s.status, s.created_at, s.topic_key, s.session_id,
    s.branch, s.outcome, s.files, s.length, s.model = ?1 AND s.scheme = ?2, s.vector, s.layer,
    s.is_question";
/// Condition for the memories that changed after a change number.
const CHANGED_CONDITION: &str = "WHERE m.seq > ?3 AND s.type IS NOT NULL";

/// Number of memories prepared again in one write, so that other writers do not wait long.
const BATCH_SIZE: usize = 256;

impl Sqlite {
    /// Whether the store contains the search data of `entry`, prepared by the current `SCHEME`. The
    /// status is not compared.
    pub(super) fn is_prepared(&self, entry: &Entry) -> Result<bool, MemoryError> {
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
        Ok(self.query_one(sql, values, |_| Ok(()))?.is_some())
    }

    /// The row of the search data of a memory.
    pub(super) fn search_row(&self, id: &str) -> Result<Option<i64>, MemoryError> {
        self.query_one("SELECT row FROM search WHERE id = ?1", [id], |row| row.get(0))
    }

    /// Prepares a memory for search and stores the result in `known_row` if there is one.
    pub(super) fn put_prepared(
        &self,
        entry: &Entry,
        known_row: Option<i64>,
    ) -> Result<(), MemoryError> {
        let prepared = PreparedMemory::from_entry(entry);
        // With `RETURNING`, SQLite would write the new rows of the full-text table each time.
        let sql = "INSERT INTO search (id, model, scheme, length, vector, outcome, files,
                type, status, created_at, topic_key, session_id, branch, layer, sketch, is_question)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            ON CONFLICT (id) DO UPDATE SET model = excluded.model, scheme = excluded.scheme,
                length = excluded.length, vector = excluded.vector, outcome = excluded.outcome,
                files = excluded.files, type = excluded.type, status = excluded.status,
                created_at = excluded.created_at, topic_key = excluded.topic_key,
                session_id = excluded.session_id, branch = excluded.branch,
                layer = excluded.layer, sketch = excluded.sketch,
                is_question = excluded.is_question";
        let values = params![
            entry.id,
            NAME,
            SCHEME,
            prepared.length,
            prepared.vector.to_bytes(),
            entry.outcome().map(Outcome::word),
            json!(prepared.files).to_string(),
            entry.kind.word(),
            entry.status.word(),
            entry.created_at,
            topic_of(entry),
            entry.session_id,
            entry.branch,
            entry.layer.word(),
            prepared.sketch.to_bytes(),
            prepared.is_question,
        ];
        self.run(sql, values)?;
        let row = known_row.unwrap_or_else(|| self.connection.last_insert_rowid());
        let [topic, title, body, rest] = &prepared.columns;
        let put = |verb: &str| {
            let sql = format!(
                "{verb} INTO search_text (rowid, topic, title, body, rest)
                    VALUES (?1, ?2, ?3, ?4, ?5)"
            );
            let mut run = self.connection.prepare_cached(&sql)?;
            run.execute(params![row, topic, title, body, rest])
        };
        // Replacing a row also searches for the old one.
        let mut result = put(if known_row.is_none() { "INSERT" } else { "REPLACE" });
        let is_constraint = |error: &rusqlite::Error| {
            error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
        };
        if result.as_ref().is_err_and(is_constraint) {
            // A damaged store can have a text without a memory.
            result = put("REPLACE");
        }
        result.map(|_| ()).map_err(error)
    }

    /// Updates the status of a memory in its search data.
    pub(super) fn put_status(&self, id: &str, status: Status) -> Result<(), MemoryError> {
        let sql = "UPDATE search SET status = ?2 WHERE id = ?1 AND status IS NOT ?2";
        self.run(sql, [id, status.word()]).map(|_| ())
    }

    /// Updates the comparison keys of a memory if another `SCHEME` computed them differently.
    fn put_keys(&self, entry: &Entry) -> Result<(), MemoryError> {
        let sql = "UPDATE memories SET topic_key = ?2, meaning_key = ?3
            WHERE id = ?1 AND (topic_key IS NOT ?2 OR meaning_key IS NOT ?3)";
        self.run(sql, params![entry.id, topic_of(entry), meaning_key_of(entry)]).map(|_| ())
    }

    /// The permanent memories, except removed ones, with this duplicate key.
    pub(super) fn with_duplicate_key(&self, key: &str) -> Result<Vec<Entry>, MemoryError> {
        let sql = format!(
            "SELECT {ENTRY} FROM memories WHERE meaning_key = ?1
                AND +layer = 'permanent' AND +status <> 'removed' ORDER BY id"
        );
        let mut equal = self.query_all(&sql, [digest(&[key])], entry)?;
        equal.retain(|entry| duplicate_key(entry).as_deref() == Some(key));
        Ok(equal)
    }

    /// The other permanent memories, except removed ones, with the hash of the duplicate key of a
    /// memory.
    pub(super) fn with_equal_key(&self, id: &str) -> Result<Vec<String>, MemoryError> {
        let sql = "SELECT other.id FROM memories own
            JOIN memories other ON other.meaning_key = own.meaning_key
            WHERE own.id = ?1 AND other.id <> own.id
                AND +other.layer = 'permanent' AND +other.status <> 'removed'";
        self.query_all(sql, [id], |row| row.get(0))
    }

    /// Deletes the search data of a memory.
    pub(super) fn drop_prepared(&self, id: &str) -> Result<(), MemoryError> {
        let sql = "DELETE FROM search WHERE id = ?1 RETURNING row";
        if let Some(row) = self.query_one(sql, [id], |row| row.get::<_, i64>(0))? {
            self.run("DELETE FROM search_text WHERE rowid = ?1", [row])?;
        }
        Ok(())
    }

    /// Prepares the memories that were prepared with another `SCHEME` again, a few at a time.
    pub(super) fn prepare_stale(&mut self) -> Result<(), MemoryError> {
        // Four index ranges, because comparing both columns would scan the whole table.
        let sql = format!(
            "SELECT id FROM (SELECT id FROM search WHERE model < ?1
                UNION ALL SELECT id FROM search WHERE model > ?1
                UNION ALL SELECT id FROM search WHERE model = ?1 AND scheme < ?2
                UNION ALL SELECT id FROM search WHERE model = ?1 AND scheme > ?2) LIMIT {BATCH_SIZE}"
        );
        let mut has_more = true;
        while has_more {
            let stale =
                self.query_all(&sql, params![NAME, SCHEME], |row| row.get::<_, String>(0))?;
            has_more = stale.len() == BATCH_SIZE;
            if stale.is_empty() {
                break;
            }
            self.begin(Durability::Normal)?;
            let result = stale.iter().try_for_each(|id| match self.entry(id)? {
                Some(entry) => {
                    let row = self.search_row(id)?;
                    self.put_prepared(&entry, row).and_then(|()| self.put_keys(&entry))
                }
                None => self.drop_prepared(id),
            });
            if let Err(error) = result.and_then(|()| self.commit()) {
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
        take: &mut dyn FnMut(SearchData),
    ) -> Result<(), MemoryError> {
        let sql = match (after, with_columns) {
            // All memories: the search table alone is sufficient.
            (None, false) => {
                format!("SELECT {SEARCH_COLUMNS} FROM search s WHERE s.type IS NOT NULL")
            }
            (Some(_), false) => {
                format!(
                    "SELECT {SEARCH_COLUMNS} FROM memories m JOIN search s ON s.id = m.id {CHANGED_CONDITION}"
                )
            }
            (_, true) => format!(
                "SELECT {SEARCH_COLUMNS}, t.topic, t.title, t.body, t.rest FROM memories m
                    JOIN search s ON s.id = m.id JOIN search_text t ON t.rowid = s.row {CHANGED_CONDITION}"
            ),
        };
        let read = if with_columns { indexed_with_terms } else { indexed };
        let mut all = |sql| -> rusqlite::Result<()> {
            let mut run = self.connection.prepare_cached(sql)?;
            let after = after.unwrap_or(i64::MIN);
            // SQLite rejects parameters that a statement does not have.
            let mut rows = match (run.parameter_count(), with_columns) {
                (2, _) => run.query(params![NAME, SCHEME])?,
                _ => run.query(params![NAME, SCHEME, after])?,
            };
            while let Some(row) = rows.next()? {
                take(read(row)?);
            }
            Ok(())
        };
        all(&sql).map_err(error)
    }

    pub(super) fn sketches_after(
        &self,
        after: Option<i64>,
        take: &mut dyn FnMut(SketchRow),
    ) -> Result<(), MemoryError> {
        let sql = match after {
            None => {
                "SELECT row, type, scheme = ?1, sketch, 1 FROM search
                    WHERE layer = 'permanent' AND status = 'active'"
            }
            Some(_) => {
                "SELECT s.row, s.type, s.scheme = ?1, s.sketch, m.status = 'active'
                    FROM memories m JOIN search s ON s.id = m.id
                    WHERE m.seq > ?2 AND m.layer = 'permanent' AND s.type IS NOT NULL"
            }
        };
        let mut all = |sql| -> rusqlite::Result<()> {
            let mut run = self.connection.prepare_cached(sql)?;
            let mut rows = match after {
                None => run.query([SCHEME])?,
                Some(after) => run.query([SCHEME, after])?,
            };
            while let Some(row) = rows.next()? {
                let bytes = if row.get(2)? { row.get_ref(3)?.as_blob_or_null()? } else { None };
                let sketch = bytes.and_then(Sketch::from_bytes).unwrap_or(Sketch::UNKNOWN);
                let (kind, is_active) = (parse_word(row, 1)?, row.get(4)?);
                take(SketchRow { row: row.get(0)?, kind, is_active, sketch });
            }
            Ok(())
        };
        all(sql).map_err(error)
    }

    pub(super) fn postings_of(&self, term: &str) -> Result<Vec<(i64, Counts)>, MemoryError> {
        let mut postings: Vec<(i64, Counts)> = Vec::new();
        let mut all = |sql| -> rusqlite::Result<()> {
            let mut run = self.connection.prepare_cached(sql)?;
            let mut rows = run.query([term])?;
            while let Some(row) = rows.next()? {
                let row_number = row.get(0)?;
                if postings.last().is_none_or(|(last, _)| *last != row_number) {
                    postings.push((row_number, Counts::default()));
                }
                let column = row.get_ref(1)?.as_str()?;
                let column = COLUMNS.iter().position(|(name, _)| *name == column);
                let counts = postings.last_mut().map(|(_, counts)| counts);
                if let Some((counts, column)) = counts.zip(column) {
                    counts[column] = counts[column].saturating_add(1);
                }
            }
            Ok(())
        };
        all("SELECT doc, col FROM search_terms WHERE term = ?1").map_err(error)?;
        Ok(postings)
    }
}

/// The topic's comparison key, unless it is empty.
pub(super) fn topic_of(entry: &Entry) -> Option<String> {
    entry.topic.as_deref().map(topic_key).filter(|key| !key.is_empty())
}

/// The hash of the memory's duplicate key: an index of whole keys would be as large as the texts, and
/// an import would write its pages in random order.
pub(super) fn meaning_key_of(entry: &Entry) -> Option<String> {
    duplicate_key(entry).map(|key| digest(&[&key]))
}

fn indexed(row: &Row<'_>) -> rusqlite::Result<SearchData> {
    let text = |index: usize| Ok::<_, rusqlite::Error>(row.get_ref(index)?.as_str_or_null()?);
    let vector = if row.get(11)? { Vector::from_bytes(row.get_ref(12)?.as_blob()?) } else { None };
    // Most memories name no file.
    let files = if text(9)? == Some("[]") { Vec::new() } else { parse_json(row, 9)? };
    Ok(SearchData {
        row: row.get(0)?,
        id: text(1)?.unwrap_or_default().into(),
        kind: parse_word(row, 2)?,
        layer: parse_word(row, 13)?,
        status: parse_word(row, 3)?,
        created_at: row.get(4)?,
        topic_key: text(5)?.map(Into::into),
        session_id: text(6)?.map(Into::into),
        branch: text(7)?.map(Into::into),
        outcome: text(8)?.and_then(|outcome| outcome.parse().ok()),
        files,
        length: row.get(10)?,
        is_question: row.get_ref(14)?.as_i64_or_null()? == Some(1),
        vector,
        columns: None,
    })
}

fn indexed_with_terms(row: &Row<'_>) -> rusqlite::Result<SearchData> {
    let columns = Some([row.get(15)?, row.get(16)?, row.get(17)?, row.get(18)?]);
    Ok(SearchData { columns, ..indexed(row)? })
}
