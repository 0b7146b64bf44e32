//! Detects whether the database at the store's path belongs to aidd or to another program. The
//! database of another program is never written, migrated or reported as damaged; it is renamed
//! unchanged.
#![expect(clippy::disallowed_methods, reason = "reads and writes the store's files")]

use super::lock;
use crate::times;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// `PRAGMA application_id` of aidd's databases: "aidd" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x6169_6464;

/// The first bytes of every SQLite database, and the offset of its application id: see "The
/// Database Header" of SQLite's file format.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const ID_OFFSET: usize = 68;

/// Programs whose databases are recognised by their tables, and can be imported: name, tables, and
/// the name to which the database is moved, if it is not the general one.
const PROGRAMS: [(&str, &[&str], Option<&str>); 4] = [
    (
        "aidd.md, an earlier version of aidd",
        &["permanent_memory", "observations"],
        Some("data.aidd-md"),
    ),
    ("MAMA", &["decisions", "decision_edges"], None),
    ("claude-mem", &["sdk_sessions", "observations"], None),
    ("AIFP", &["completion_path", "milestones"], None),
];

/// A database of another program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForeignDatabase {
    /// Name or description of the program.
    program: String,
    /// Whether its memories can be imported.
    is_importable: bool,
    /// The name to which the database is moved, if it is not the general one.
    name: Option<&'static str>,
}

impl ForeignDatabase {
    /// The notice for the user after the database was moved to `aside`.
    pub(super) fn notice(&self, path: &Path, aside: &Path) -> String {
        let file = aside.file_name().unwrap_or_default().to_string_lossy();
        let remedy = match (self.is_importable, self.name) {
            (true, Some(_)) => format!(
                "; stop the program if it is running, and import its memories with `aidd memory \
                 import .aidd/{file} --dry-run`, then without --dry-run"
            ),
            (true, None) => {
                format!("; import its memories with `aidd memory import .aidd/{file} --dry-run`")
            }
            (false, _) => String::new(),
        };
        format!(
            "{} is the database of another program ({}); it was moved unchanged to {}, and a new \
             store was created{remedy}",
            path.display(),
            self.program,
            aside.display()
        )
    }
}

/// Detects another program's database at `path`. `None` for a database of aidd (with or without the
/// application id), for a new database, and for an unreadable file, whose error is reported when
/// the store is opened.
pub(super) fn detect_foreign(path: &Path) -> Option<ForeignDatabase> {
    let mut header = [0; 100];
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    if metadata.len() < 100 {
        return None;
    }
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let id: [u8; 4] = header[ID_OFFSET..ID_OFFSET + 4].try_into().ok()?;
    if &header[..16] != MAGIC || i32::from_be_bytes(id) == APPLICATION_ID {
        return None;
    }
    // The database is opened read-only, so that the write-ahead log is read but not checkpointed.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    connection.busy_timeout(lock::LOCK_TIMEOUT).ok()?;
    detect_by_schema(&connection).ok()?
}

fn detect_by_schema(connection: &Connection) -> rusqlite::Result<Option<ForeignDatabase>> {
    // The application id could still be only in the write-ahead log.
    let id: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    // Databases of aidd without the application id, or with a damaged id, are recognised by unique
    // columns.
    let has = |sql: &str| connection.prepare(sql).is_ok();
    if id == APPLICATION_ID
        || has("SELECT heads FROM memories LIMIT 0")
        || has("SELECT memory_id FROM lines LIMIT 0")
    {
        return Ok(None);
    }
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
        ORDER BY name";
    let tables: Vec<String> =
        connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if tables.is_empty() && id == 0 {
        return Ok(None);
    }
    let has_tables =
        |required: &&[&str]| required.iter().all(|name| tables.iter().any(|own| own == name));
    let known = PROGRAMS.iter().find(|(_, required, _)| has_tables(required));
    Ok(Some(match known {
        Some((program, _, name)) => {
            ForeignDatabase { program: (*program).to_owned(), is_importable: true, name: *name }
        }
        None => {
            let program = describe(id, &tables);
            ForeignDatabase { program, is_importable: false, name: None }
        }
    }))
}

/// Describes the database of an unknown program.
fn describe(id: i32, tables: &[String]) -> String {
    const MAX_NAMED_TABLES: usize = 4;
    let mut names = tables.iter().take(MAX_NAMED_TABLES).cloned().collect::<Vec<_>>().join(", ");
    if tables.len() > MAX_NAMED_TABLES {
        names += ", …";
    }
    match (id, names.is_empty()) {
        (0, _) => format!("its tables are {names}"),
        (_, true) => format!("application id {id:#x}, without tables"),
        _ => format!("application id {id:#x}; its tables are {names}"),
    }
}

impl ForeignDatabase {
    /// Returns the path to which the database is moved; `n` numbers the databases that have the
    /// same name otherwise. Git ignores this path like the rest of the store.
    pub(super) fn name_aside(&self, folder: &Path, now: i64, n: u32) -> PathBuf {
        let counter = if n > 1 { format!("-{n}") } else { String::new() };
        match self.name {
            Some(name) => folder.join(format!("{name}{counter}.db")),
            None => folder.join(format!("data.foreign-{}{counter}.db", times::day(now))),
        }
    }
}
