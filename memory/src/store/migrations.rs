//! The schema of the SQLite store, version by version.
//!
//! A migration runs under a lock, in one transaction, after a verified backup.

use super::{lock, ownership};
use crate::MemoryError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};

/// Version n is the result of the first n steps. A released step is never changed.
pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE counter (value INTEGER NOT NULL);
    INSERT INTO counter VALUES (0);
    CREATE TABLE memories (
        id TEXT PRIMARY KEY NOT NULL,
        type TEXT NOT NULL,
        layer TEXT NOT NULL,
        topic TEXT,
        topic_key TEXT,
        content TEXT NOT NULL,
        metadata TEXT NOT NULL,
        status TEXT NOT NULL,
        session_id TEXT,
        branch TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        schema_version INTEGER NOT NULL,
        heads TEXT NOT NULL,
        extra TEXT NOT NULL,
        seq INTEGER NOT NULL
    );
    CREATE INDEX memories_by_type ON memories (type, status, updated_at);
    CREATE INDEX memories_by_time ON memories (created_at);
    CREATE INDEX memories_by_update ON memories (updated_at);
    CREATE INDEX memories_by_topic ON memories (topic_key) WHERE topic_key IS NOT NULL;
    CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;
    CREATE UNIQUE INDEX memories_by_seq ON memories (seq);
    CREATE TABLE links (
        from_id TEXT NOT NULL,
        to_id TEXT NOT NULL,
        relation TEXT NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (from_id, relation, to_id)
    ) WITHOUT ROWID;
    CREATE INDEX links_by_end ON links (to_id);
    CREATE TABLE lines (
        file TEXT NOT NULL,
        rev TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        present INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (file, rev)
    );
    CREATE INDEX lines_by_memory ON lines (memory_id);
    CREATE TABLE meta (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE sessions (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE INDEX sessions_by_time ON sessions (at);
    CREATE TABLE lifecycles (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE analytics (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE INDEX analytics_by_time ON analytics (at);
",
    "
    ALTER TABLE counter ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE search (
        row INTEGER PRIMARY KEY NOT NULL,
        id TEXT NOT NULL UNIQUE,
        model TEXT NOT NULL,
        scheme INTEGER NOT NULL,
        length INTEGER NOT NULL,
        vector BLOB NOT NULL,
        outcome TEXT,
        files TEXT NOT NULL
    );
    CREATE INDEX search_by_scheme ON search (model, scheme);
    CREATE VIRTUAL TABLE search_text USING fts5(
        topic, title, body, rest, tokenize = 'ascii', columnsize = 0
    );
    CREATE VIRTUAL TABLE search_terms USING fts5vocab(search_text, instance);
    -- Of no scheme: what is there is prepared when the store is next opened, which is at once.
    INSERT INTO search (id, model, scheme, length, vector, files)
        SELECT id, '', 0, 0, x'', '[]' FROM memories;
",
    // Lets a short-lived process run its first search, and find conflicts and open sessions,
    // without reading all rows.
    "
    ALTER TABLE search ADD COLUMN type TEXT;
    ALTER TABLE search ADD COLUMN status TEXT;
    ALTER TABLE search ADD COLUMN created_at INTEGER;
    ALTER TABLE search ADD COLUMN topic_key TEXT;
    ALTER TABLE search ADD COLUMN session_id TEXT;
    ALTER TABLE search ADD COLUMN branch TEXT;
    UPDATE search SET (type, status, created_at, topic_key, session_id, branch) =
        (SELECT type, status, created_at, topic_key, session_id, branch
            FROM memories m WHERE m.id = search.id);
    CREATE INDEX memories_contested ON memories (id) WHERE instr(heads, ',') > 0;
    CREATE INDEX memories_holding ON memories (id)
        WHERE layer = 'permanent' AND status = 'active';
    CREATE INDEX decisions_on_topic ON memories (topic_key, id)
        WHERE layer = 'permanent' AND status = 'active' AND type = 'decision'
            AND topic_key IS NOT NULL;
    CREATE INDEX links_by_relation ON links (relation, to_id);
    -- A document that is no JSON must not keep the store from being opened.
    CREATE INDEX sessions_open ON sessions (at DESC, id DESC)
        WHERE CASE WHEN json_valid(data) THEN data ->> '$.endedAt' END IS NULL;
    CREATE INDEX sessions_by_thread ON sessions (
        CASE WHEN json_valid(data)
            THEN coalesce(data ->> '$.memorySessionId', data ->> '$.memory_session_id') END,
        at DESC, id DESC);
",
    // Adds the layer to the search data, and the column `meaning_key` for the duplicate key of each
    // memory. The keys are written when the store is opened: it then prepares the memories again,
    // with the new `SCHEME`.
    "
    ALTER TABLE search ADD COLUMN layer TEXT;
    UPDATE search SET layer = (SELECT layer FROM memories m WHERE m.id = search.id);
    ALTER TABLE memories ADD COLUMN meaning_key TEXT;
    CREATE INDEX memories_by_meaning ON memories (meaning_key) WHERE meaning_key IS NOT NULL;
",
    // Adds the sketches that are compared on saving. They are written when the store is opened, as
    // above. The index contains all that is compared.
    "
    ALTER TABLE search ADD COLUMN sketch BLOB;
    CREATE INDEX search_sketches ON search (type, scheme, sketch)
        WHERE layer = 'permanent' AND status = 'active';
",
    // Marks texts that end with a question. The marks are written when the store is opened, as above;
    // then the column `meaning_key` also gets hashes instead of whole keys.
    "
    ALTER TABLE search ADD COLUMN is_question INTEGER;
",
];

/// The schema version of a store.
fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Schema versions above this are treated as damage.
const MAX_SCHEMA: i64 = 10_000;

/// The newest version that `steps` create.
pub(super) fn newest_version(steps: &[&str]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// The error for a store with a newer schema than `known`.
pub(super) fn newer_schema_error(path: &Path, found: i64, known: i64) -> MemoryError {
    if found > MAX_SCHEMA {
        return MemoryError::Corrupt(format!("invalid schema version {found}"));
    }
    MemoryError::Newer { path: path.display().to_string(), found, known }
}

/// Returns a description of the damage if the schema version contradicts the existence of tables.
fn describe_damage(connection: &Connection, found: i64) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT count(*) FROM sqlite_master";
    let tables: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok((found < 0 || (found == 0) != (tables == 0))
        .then(|| format!("it has {tables} tables and indexes, and its schema version is {found}")))
}

/// Migrates the store at `path` to the newest version; returns a notice if a backup was made.
pub(super) fn run(
    connection: &mut Connection,
    path: &Path,
    steps: &[&str],
    now: i64,
) -> Result<Option<String>, MemoryError> {
    let known = newest_version(steps);
    let found = version(connection).map_err(super::sqlite::error)?;
    if found > known {
        return Err(newer_schema_error(path, found, known));
    }
    if found == known {
        set_application_id(connection);
        return Ok(None);
    }
    let _lock = lock::take(&path.with_extension("lock"))?;
    // Another process could have migrated the store first.
    let found = version(connection).map_err(super::sqlite::error)?;
    if found >= known {
        return if found > known { Err(newer_schema_error(path, found, known)) } else { Ok(None) };
    }
    if let Some(damage) = describe_damage(connection, found).map_err(super::sqlite::error)? {
        return Err(MemoryError::Corrupt(damage));
    }
    let backup = if found > 0 { Some(back_up(connection, path, found, known, now)?) } else { None };
    apply(connection, steps, found).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => super::sqlite::error(error),
        // The step failed: the store is unchanged.
        _ => MemoryError::Store(format!(
            "cannot migrate the schema from {found} to {known}: {error}"
        )),
    })?;
    Ok(backup.map(|backup| {
        format!(
            "the store was migrated from schema {found} to {known}; the old store was saved as {}",
            backup.display()
        )
    }))
}

/// Sets the application id of an older store. If the id cannot be written, the store is recognised
/// by its tables.
fn set_application_id(connection: &Connection) {
    let id = connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0));
    if id.is_ok_and(|id| id != ownership::APPLICATION_ID) {
        let _ = connection.pragma_update(None, "application_id", ownership::APPLICATION_ID);
    }
}

fn apply(connection: &mut Connection, steps: &[&str], found: i64) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
    let applied = usize::try_from(found).unwrap_or_default();
    for step in &steps[applied.min(steps.len())..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", newest_version(steps))?;
    transaction.pragma_update(None, "application_id", ownership::APPLICATION_ID)?;
    transaction.commit()
}

/// Creates a copy of the store including its log, and verifies that every table has the same number
/// of rows.
fn back_up(
    connection: &Connection,
    path: &Path,
    found: i64,
    known: i64,
    now: i64,
) -> Result<PathBuf, MemoryError> {
    let backup = path.with_extension(format!("db.v{found}-to-v{known}-{now}.bak"));
    let target = backup.to_string_lossy().into_owned();
    connection.execute("VACUUM INTO ?1", [&target]).map_err(super::sqlite::error)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Connection::open_with_flags(&backup, flags).map_err(super::sqlite::error)?;
    let same_counts = row_counts(connection).and_then(|counts| Ok(counts == row_counts(&copy)?));
    let integrity = copy.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
    match (same_counts, integrity) {
        (Ok(true), Ok(integrity)) if integrity == "ok" => Ok(backup),
        _ => Err(MemoryError::Store(format!(
            "the backup {target} does not match the store; nothing was changed"
        ))),
    }
}

/// The number of rows of each table.
fn row_counts(connection: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let names: Vec<String> =
        connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    names
        .into_iter()
        .map(|name| {
            let quoted = name.replace('"', "\"\"");
            let sql = format!("SELECT count(*) FROM \"{quoted}\"");
            Ok((name, connection.query_row(&sql, [], |row| row.get(0))?))
        })
        .collect()
}
