//! Reads the SQLite databases of other programs.
//!
//! A database is copied together with its write-ahead log, and only the copy is opened: the
//! original is never locked or changed, and its program can be running. The copy is untrusted. Only
//! ordinary tables with known names are read, so that no view, trigger, virtual table or generated
//! column of the database runs, and rows, sizes and time are limited.
#![expect(clippy::disallowed_methods, reason = "copies a database that the user names")]

use super::{Format, ImportOptions, ImportedFile, aidd_md, aifp, claude_mem, mama};
use crate::MemoryError;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Maximum size of a database with its log, in bytes.
const MAX_BYTES: u64 = 2 << 30;
/// Maximum size of a value, in bytes; larger values are left out.
const MAX_VALUE_BYTES: usize = 1 << 20;
/// Maximum size of all values that are read, in bytes.
const MAX_TOTAL_BYTES: usize = 512 << 20;
/// Maximum size of a row that SQLite reads, in bytes.
const MAX_ROW_BYTES: i32 = 64 << 20;
/// Maximum number of rows of a table.
const MAX_ROWS: usize = 1_000_000;
/// Maximum time for reading a database.
const MAX_TIME: Duration = Duration::from_secs(20);
/// Number of attempts to copy a database that is being written.
const MAX_ATTEMPTS: usize = 20;

/// Whether these are the first bytes of an SQLite database.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A table that a form requires, with columns that it must have.
type RequiredTable = (&'static str, &'static [&'static str]);

/// The forms of databases, by their tables. The first form whose tables all exist applies.
const FORMS: [(Format, &[RequiredTable], Option<&str>); 4] = [
    (
        Format::AiddMd,
        &[("permanent_memory", &["title", "content", "type"]), ("observations", &["session_id"])],
        Some("sdk_sessions"),
    ),
    (
        Format::ClaudeMem,
        &[
            ("sdk_sessions", &["project"]),
            ("observations", &["id", "project"]),
            ("session_summaries", &["id"]),
        ],
        Some("permanent_memory"),
    ),
    (
        Format::Mama,
        &[
            ("decisions", &["id", "topic", "decision"]),
            ("decision_edges", &["from_id", "to_id", "relationship"]),
        ],
        None,
    ),
    (
        Format::Aifp,
        &[
            ("completion_path", &["name"]),
            ("milestones", &["name"]),
            ("tasks", &["milestone_id"]),
            ("notes", &["note_type"]),
            ("themes", &["name"]),
            ("flows", &["name"]),
        ],
        None,
    ),
];

/// An open copy of a database, with the tables that can be read.
pub(super) struct Database {
    connection: Connection,
    /// The columns of each ordinary table.
    tables: BTreeMap<String, Vec<String>>,
    /// Names of everything else, for the message about an unknown database.
    others: Vec<String>,
    /// The directory of the copy; deleted at the end.
    _folder: tempfile::TempDir,
    name: String,
    read_bytes: std::cell::Cell<usize>,
}

/// Reads the database at `path`; `name` is its name in messages.
pub(super) fn read(
    path: &Path,
    name: &str,
    options: &ImportOptions,
) -> Result<ImportedFile, MemoryError> {
    let database = Database::open(path, name)?;
    let format = database.format()?;
    if options.format.is_some_and(|requested| requested != format) {
        return Err(MemoryError::Invalid(format!(
            "{name} is a database of another program than the one selected"
        )));
    }
    match format {
        Format::AiddMd => aidd_md::read(&database),
        Format::ClaudeMem => claude_mem::read_database(&database, options),
        Format::Mama => mama::read_database(&database, options),
        _ => aifp::read(&database),
    }
}

impl Database {
    fn open(path: &Path, name: &str) -> Result<Self, MemoryError> {
        let (folder, copy) = copy_consistently(path, name)?;
        // Writable, so that SQLite can apply the log to the copy.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let damaged = |error: rusqlite::Error| damaged(name, &error);
        let mut connection = Connection::open_with_flags(&copy, flags).map_err(damaged)?;
        for (setting, value) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] {
            connection.set_db_config(setting, value).map_err(damaged)?;
        }
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        ] {
            connection.set_limit(limit, value).map_err(damaged)?;
        }
        let start = Instant::now();
        connection
            .progress_handler(1000, Some(move || start.elapsed() > MAX_TIME))
            .map_err(damaged)?;
        connection.pragma_update(None, "query_only", true).map_err(damaged)?;
        let mut database = Self {
            connection,
            tables: BTreeMap::new(),
            others: Vec::new(),
            _folder: folder,
            name: name.to_owned(),
            read_bytes: std::cell::Cell::new(0),
        };
        database.read_schema().map_err(damaged)?;
        Ok(database)
    }

    fn read_schema(&mut self) -> rusqlite::Result<()> {
        // Views and virtual tables have no root page.
        let sql = "SELECT name, type = 'table' AND rootpage > 0 FROM sqlite_master
            WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' ORDER BY name";
        let rows: Vec<(String, bool)> = self
            .connection
            .prepare(sql)?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (name, is_table) in rows {
            if !is_table {
                self.others.push(name);
                continue;
            }
            // Generated columns are not listed.
            let mut columns = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let columns =
                columns.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
            self.tables.insert(name, columns);
        }
        Ok(())
    }

    /// Whether a table exists.
    pub(super) fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    fn format(&self) -> Result<Format, MemoryError> {
        let has_columns = |table: &str, columns: &[&str]| {
            self.tables
                .get(table)
                .is_some_and(|own| columns.iter().all(|column| own.iter().any(|it| it == column)))
        };
        if has_columns("memories", &["heads"]) || has_columns("lines", &["memory_id"]) {
            return Err(MemoryError::Invalid(format!(
                "{} is a store of aidd; run `aidd memory export` in its project and import the output",
                self.name
            )));
        }
        let found = FORMS.iter().find(|(_, tables, without)| {
            tables.iter().all(|(table, columns)| has_columns(table, columns))
                && without.is_none_or(|without| !self.has(without))
        });
        found.map(|(format, ..)| *format).ok_or_else(|| {
            const MAX_NAMED: usize = 5;
            let names: Vec<&str> =
                self.tables.keys().chain(&self.others).map(String::as_str).collect();
            let listed = names.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
            let tables = match names.len() {
                0 => "it has no tables".to_owned(),
                count if count > MAX_NAMED => format!("its tables are {listed}, …"),
                _ => format!("its tables are {listed}"),
            };
            MemoryError::Invalid(format!(
                "{} is not a database of a supported program: {tables}",
                self.name
            ))
        })
    }

    /// The rows of a table as JSON objects, in the order of the table; none when the table does not
    /// exist. Only the named columns that exist are read. Values that are not text or numbers, or
    /// that are too large, are null.
    pub(super) fn rows(&self, table: &str, columns: &[&str]) -> Result<Vec<Value>, MemoryError> {
        let Some(own) = self.tables.get(table) else { return Ok(Vec::new()) };
        let columns: Vec<&str> =
            columns.iter().copied().filter(|column| own.iter().any(|it| it == column)).collect();
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        self.read_rows(table, &columns).map_err(|error| match error {
            ReadError::Sqlite(error) => damaged(&self.name, &error),
            ReadError::Limit(what) => {
                MemoryError::Invalid(format!("{}: the table {table} has {what}", self.name))
            }
        })
    }

    fn read_rows(&self, table: &str, columns: &[&str]) -> Result<Vec<Value>, ReadError> {
        let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let sql = format!("SELECT {} FROM main.\"{table}\"", quoted.join(", "));
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            if items.len() == MAX_ROWS {
                return Err(ReadError::Limit("more than 1,000,000 rows"));
            }
            let mut item = Map::new();
            for (index, column) in columns.iter().enumerate() {
                let value = row.get_ref(index)?;
                if let ValueRef::Text(bytes) = value {
                    let total = self.read_bytes.get() + bytes.len().min(MAX_VALUE_BYTES);
                    if total > MAX_TOTAL_BYTES {
                        return Err(ReadError::Limit("more than 512 MB of text"));
                    }
                    self.read_bytes.set(total);
                }
                item.insert((*column).to_owned(), to_json(value));
            }
            items.push(Value::Object(item));
        }
        Ok(items)
    }

    /// The number of rows of a table; 0 when the table does not exist.
    pub(super) fn count(&self, table: &str) -> Result<usize, MemoryError> {
        let first = self.tables.get(table).and_then(|columns| columns.first().cloned());
        match first {
            Some(column) => Ok(self.rows(table, &[&column])?.len()),
            None => Ok(0),
        }
    }
}

enum ReadError {
    Sqlite(rusqlite::Error),
    Limit(&'static str),
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) if bytes.len() <= MAX_VALUE_BYTES => {
            String::from_utf8_lossy(bytes).into_owned().into()
        }
        _ => Value::Null,
    }
}

fn damaged(name: &str, error: &rusqlite::Error) -> MemoryError {
    let message = match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => {
            format!("reading {name} takes more than {} seconds", MAX_TIME.as_secs())
        }
        Some(ErrorCode::TooBig) => format!("{name} contains a row of more than 64 MB"),
        _ => format!("{name} is a damaged SQLite database ({error}); restore it from a backup"),
    };
    MemoryError::Invalid(message)
}

/// The size and the modification time of each file of a database.
type Stamps = Vec<Option<(u64, Option<SystemTime>)>>;

/// The files of a database: the log and the journal belong to it.
const SUFFIXES: [&str; 3] = ["", "-wal", "-journal"];

/// Copies the files of a database to a private directory. A copy during which a file changed is
/// repeated.
fn copy_consistently(path: &Path, name: &str) -> Result<(tempfile::TempDir, PathBuf), MemoryError> {
    let folder = tempfile::TempDir::new().map_err(MemoryError::io(&std::env::temp_dir()))?;
    let copy = folder.path().join("copy.db");
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        let before = stamps(path);
        let total: u64 = before.iter().flatten().map(|(length, _)| length).sum();
        if total > MAX_BYTES {
            return Err(MemoryError::Invalid(format!("{name} is larger than 2 GB")));
        }
        for suffix in SUFFIXES {
            let (from, to) = (with_suffix(path, suffix), with_suffix(&copy, suffix));
            match copy_file(&from, &to) {
                Err(error)
                    if error.kind() == std::io::ErrorKind::NotFound && !suffix.is_empty() =>
                {
                    let _ = fs::remove_file(&to);
                }
                other => other.map_err(MemoryError::io(&from))?,
            }
        }
        if stamps(path) == before {
            return Ok((folder, copy));
        }
    }
    Err(MemoryError::Invalid(format!(
        "{name} is being written; close the program that uses it, then import it again"
    )))
}

/// Copies at most [`MAX_BYTES`]: the file can grow while it is copied.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut source = File::open(from)?.take(MAX_BYTES);
    let mut target = File::create(to)?;
    std::io::copy(&mut source, &mut target).map(|_| ())
}

fn stamps(path: &Path) -> Stamps {
    let stamp = |suffix: &&str| {
        let metadata = fs::metadata(with_suffix(path, suffix)).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    };
    SUFFIXES.iter().map(stamp).collect()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
