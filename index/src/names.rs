//! Themes and flows that people named. In queries, their names replace the derived ones.

use crate::{IndexError, store};
use rusqlite::Connection;
use std::path::Path;

const TABLES: &str = include_str!("named_tables.sql");
const VIEWS: &str = include_str!("named_views.sql");

/// The themes of files, without names of people.
const DERIVED: &str = "CREATE TEMP VIEW file_themes AS SELECT id AS file_id, theme FROM main.files";

/// The files of themes: of several themes that contain a file, the one with the longest path.
const FILES: &str = "INSERT INTO named_files SELECT file, name FROM (
    SELECT f.id AS file, p.name, row_number() OVER (
      PARTITION BY f.id ORDER BY length(p.path) DESC, p.name) AS rank
    FROM main.files f JOIN named_paths p ON p.kind = 'theme' AND (
      f.path = p.path OR p.path = '' OR substr(f.path, 1, length(p.path) + 1) = p.path || '/')
  ) WHERE rank = 1";

/// The symbols at which flows begin: an entry is the name of a derived flow, or a key, a path with a
/// qualified name, a qualified name or a name of a symbol. A symbol belongs to one flow.
const ENTRIES: &str = "INSERT INTO named_entries SELECT symbol, flow FROM (
    SELECT symbol, flow, row_number() OVER (PARTITION BY symbol ORDER BY flow) AS first FROM (
      SELECT symbol, flow, rank() OVER (PARTITION BY flow, entry ORDER BY quality) AS best FROM (
        SELECT d.id AS symbol, s.flow, s.entry, 0 AS quality
        FROM named_starts s JOIN main.flows d ON d.name = s.entry
        UNION ALL
        SELECT y.id, s.flow, s.entry, CASE
          WHEN y.key = s.entry OR substr(y.key, 1, length(s.entry) + 1) = s.entry || '~' THEN 1
          WHEN y.qualified = s.entry THEN 2 ELSE 3 END
        FROM named_starts s JOIN main.symbols y ON y.name = s.entry OR y.qualified = s.entry
          OR y.key = s.entry OR substr(y.key, 1, length(s.entry) + 1) = s.entry || '~'
      )
    ) WHERE best = 1
  ) WHERE first = 1";

/// A theme or flow that people named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Whether it is a flow; otherwise, it is a theme.
    pub is_flow: bool,
    /// Unique among the themes or among the flows.
    pub name: String,
    /// What it contains or does.
    pub description: Option<String>,
    /// Files and directories, relative to the root.
    pub paths: Vec<String>,
    /// For a flow: the symbols at which it begins, or the names of derived flows. Without them, a
    /// derived flow of the same name is meant.
    pub entries: Vec<String>,
    /// For a flow: the names of its themes; without them, the themes of its files.
    pub themes: Vec<String>,
    /// The place in the file of the names, for problems.
    pub place: String,
}

impl Named {
    fn kind(&self) -> &'static str {
        if self.is_flow { "flow" } else { "theme" }
    }
}

/// A path without the `./` at its start and the `/` at its end; `.` is the root.
fn normalized(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    if path == "." { "" } else { path }
}

/// Creates the tables and views that `sql` refers to. Without names, the views of the index remain.
pub(crate) fn install_for(
    connection: &Connection,
    named: &[Named],
    sql: &str,
) -> Result<(), IndexError> {
    let sql = sql.to_ascii_lowercase();
    match named {
        _ if !sql.contains("theme") && !sql.contains("flow") => Ok(()),
        [] => Ok(connection.execute_batch(DERIVED)?),
        named => install(connection, named),
    }
}

/// Creates the temporary tables and views.
fn install(connection: &Connection, named: &[Named]) -> Result<(), IndexError> {
    connection.execute_batch(TABLES)?;
    for (item, id) in named.iter().zip(1_i64..) {
        connection.execute(
            "INSERT OR IGNORE INTO named VALUES (?1, ?2, ?3, ?4)",
            (id, item.kind(), &item.name, &item.description),
        )?;
        for path in &item.paths {
            let sql = "INSERT INTO named_paths VALUES (?1, ?2, ?3)";
            connection.execute(sql, (item.kind(), &item.name, normalized(path)))?;
        }
        let own_name = [item.name.clone()];
        let entries = match (item.is_flow, &item.entries[..]) {
            (true, []) => &own_name,
            (_, entries) => entries,
        };
        for entry in entries {
            let is_name = item.entries.is_empty();
            // Without entry points, only a derived flow is meant, not a symbol of this name.
            let sql = match is_name {
                true => {
                    "INSERT INTO named_starts SELECT ?1, ?2 FROM main.flows WHERE name = ?2 LIMIT 1"
                }
                false => "INSERT INTO named_starts VALUES (?1, ?2)",
            };
            connection.execute(sql, (&item.name, entry))?;
        }
        for theme in &item.themes {
            let sql = "INSERT INTO named_flow_themes VALUES (?1, ?2)";
            connection.execute(sql, (&item.name, theme))?;
        }
    }
    connection.execute_batch(FILES)?;
    connection.execute_batch(ENTRIES)?;
    connection.execute_batch(VIEWS)?;
    Ok(())
}

/// The ids of the symbols at which named flows begin, each with the name of the flow, in the order of
/// the files.
pub(crate) fn entries(root: &Path, named: &[Named]) -> Result<Vec<(i64, String)>, IndexError> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let connection = store::open_read_only(root)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    install(&connection, named)?;
    let sql = "SELECT e.symbol, e.flow FROM named_entries e JOIN main.symbols s ON s.id = e.symbol
        JOIN main.files f ON f.id = s.file ORDER BY f.path, s.start_line";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Paths without indexed files, entry points without a symbol and unknown themes; each with the place
/// of the entry.
///
/// # Errors
/// When the index cannot be read.
pub fn problems(root: &Path, named: &[Named]) -> Result<Vec<String>, IndexError> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let connection = store::open_read_only(root)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    install(&connection, named)?;
    let exists = |sql: &str, value: &str| -> Result<bool, IndexError> {
        Ok(connection.prepare_cached(sql)?.exists([value])?)
    };
    let file = "SELECT 1 FROM main.files WHERE path = ?1 OR ?1 = '' OR substr(path, 1, length(?1) + 1) = ?1 || '/'";
    let symbol = "SELECT 1 FROM main.symbols WHERE name = ?1 OR qualified = ?1 OR key = ?1
        OR substr(key, 1, length(?1) + 1) = ?1 || '~' UNION ALL SELECT 1 FROM main.flows WHERE name = ?1";
    let theme = "SELECT 1 FROM themes WHERE name = ?1";
    let mut problems = Vec::new();
    for item in named {
        let what = format!("{}: {} `{}`", item.place, item.kind(), item.name);
        for path in &item.paths {
            if !exists(file, normalized(path))? {
                problems
                    .push(format!("{what}: no indexed file matches `{path}`; correct the path"));
            }
        }
        for entry in &item.entries {
            if !exists(symbol, entry)? {
                problems.push(format!("{what}: unknown symbol `{entry}`; correct the entry point"));
            }
        }
        for name in &item.themes {
            if !exists(theme, name)? {
                problems.push(format!("{what}: unknown theme `{name}`; correct the name"));
            }
        }
    }
    Ok(problems)
}
