//! Converts database rows to records.

use crate::MemoryError;
use crate::store::MirroredLine;
use crate::types::Entry;
use rusqlite::{ErrorCode, Row};
use serde::de::DeserializeOwned;
use std::str::FromStr;

pub(in crate::store) const COLUMNS: &str =
    "id, type, layer, topic, content, metadata, status, session_id, branch,
    created_at, updated_at, schema_version, heads, extra";

/// Parses a column that contains the word of an enum value.
pub(super) fn parse_word<T: FromStr<Err = String>>(
    row: &Row<'_>,
    index: usize,
) -> rusqlite::Result<T> {
    row.get_ref(index)?.as_str()?.parse().map_err(|error: String| conversion_error(index, error))
}

/// Parses a column that contains JSON.
pub(in crate::store) fn parse_json<T: DeserializeOwned>(
    row: &Row<'_>,
    index: usize,
) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    serde_json::from_str(text).map_err(|error| conversion_error(index, error.to_string()))
}

fn conversion_error(index: usize, why: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, why.into())
}

pub(in crate::store) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        kind: parse_word(row, 1)?,
        layer: parse_word(row, 2)?,
        topic: row.get(3)?,
        content: row.get(4)?,
        metadata: parse_json(row, 5)?,
        status: parse_word(row, 6)?,
        session_id: row.get(7)?,
        branch: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        schema_version: row.get(11)?,
        heads: parse_json(row, 12)?,
        extra: parse_json(row, 13)?,
    })
}

pub(in crate::store) fn mirrored(row: &Row<'_>) -> rusqlite::Result<MirroredLine> {
    Ok(MirroredLine { file: row.get(0)?, present: row.get(1)?, line: parse_json(row, 2)? })
}

/// Converts a SQLite error to a [`MemoryError`].
#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
pub(in crate::store) fn error(error: rusqlite::Error) -> MemoryError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            MemoryError::Corrupt(error.to_string())
        }
        _ => match &error {
            // A column contains a value of the wrong type or format.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..) => MemoryError::Corrupt(error.to_string()),
            // A table or column is missing: the schema does not match its version.
            rusqlite::Error::SqliteFailure(_, Some(message)) if message.contains("no such ") => {
                MemoryError::Corrupt(error.to_string())
            }
            rusqlite::Error::SqlInputError { msg, .. } if msg.contains("no such ") => {
                MemoryError::Corrupt(error.to_string())
            }
            _ => MemoryError::Store(error.to_string()),
        },
    }
}
