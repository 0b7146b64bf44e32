//! Queries on symbols and their references.

mod connection;
pub mod context;
mod dead;
mod entries;
mod files;
mod graph;
mod http;
mod map;
pub mod places;
mod purity;
mod ranked;
pub mod reach;
mod routes;
mod scip;
mod search;
mod tags;
pub(crate) mod templates;

pub(crate) use connection::Idle;
pub use dead::Dead;
pub use entries::EntryRow;
pub use files::AccessRow;
pub use purity::{EffectChain, Purity};
pub use routes::RouteRow;

use crate::{IndexError, store};
use rusqlite::{Row, ToSql};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// Maximum number of symbols that [`Reader::impact`] returns.
pub const MAX_REACH: usize = 500;
/// Maximum number of symbols that [`Reader::flow`] returns.
const MAX_FLOW: usize = 60;

/// A declared symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolRow {
    /// The id in this database.
    pub id: i64,
    /// The key, which does not change when lines move.
    pub key: String,
    /// The path of the file.
    pub path: String,
    /// The name, qualified by the names of the enclosing symbols.
    pub qualified: String,
    /// What is declared, such as `function`.
    pub kind: String,
    /// The first line, from 1.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The text before the body.
    pub signature: String,
    /// The first sentence of the documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Whether other files can use the symbol.
    pub exported: bool,
    /// Whether the symbol is in test code.
    pub test: bool,
    /// Whether the file is generated or minified.
    #[serde(skip)]
    pub generated: bool,
}

const COLUMNS: &str = "s.id, s.key, f.path, s.qualified, s.kind, s.start_line, s.end_line, \
    s.signature, s.doc, s.exported, s.test OR f.test, f.generated";

fn symbol_row(row: &Row<'_>) -> rusqlite::Result<SymbolRow> {
    Ok(SymbolRow {
        id: row.get(0)?,
        key: row.get(1)?,
        path: row.get(2)?,
        qualified: row.get(3)?,
        kind: row.get(4)?,
        line: row.get(5)?,
        end_line: row.get(6)?,
        signature: row.get(7)?,
        doc: row.get(8)?,
        exported: row.get(9)?,
        test: row.get(10)?,
        generated: row.get(11)?,
    })
}

/// A reference to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallRow {
    /// For callers, the symbol that contains the reference; for callees, the symbol that is called.
    /// `None` for code outside all symbols.
    pub symbol: Option<SymbolRow>,
    /// The path of the file that contains the reference.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The kind of reference.
    pub kind: String,
    /// `proved` or `possible`.
    pub certainty: String,
}

/// A symbol that a change reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// The declaration that is reached.
    #[serde(flatten)]
    pub symbol: SymbolRow,
    /// The number of references on the way from the changed symbol to this symbol.
    pub depth: usize,
    /// The key of the symbol that this symbol refers to.
    pub via: String,
}

/// Counts of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Language → number of files.
    pub files: BTreeMap<String, i64>,
    /// Kind → number of symbols.
    pub symbols: BTreeMap<String, i64>,
    /// Certainty → number of references.
    pub refs: BTreeMap<String, i64>,
    /// Size of the database in bytes.
    pub bytes: u64,
}

/// An open index.
#[derive(Debug)]
pub struct Reader {
    connection: connection::Held,
    bytes: u64,
}

impl Reader {
    /// Opens the index of the project at `root`, which must be [up to date](crate::refresh).
    ///
    /// # Errors
    /// When there is no index.
    pub fn open(root: &Path) -> Result<Self, IndexError> {
        Self::open_with(root, &Idle::default())
    }

    /// Opens the index of the project at `root`, if possible with the connection of an earlier
    /// reader.
    pub(crate) fn open_with(root: &Path, idle: &Idle) -> Result<Self, IndexError> {
        let connection = connection::Held::open(root, idle)?;
        let bytes = std::fs::metadata(store::path(root)).map_or(0, |data| data.len());
        Ok(Self { connection, bytes })
    }

    /// The mark of the state of the database, which each update changes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn generation(&self) -> Result<Option<String>, IndexError> {
        let sql = "SELECT value FROM meta WHERE key = 'generation'";
        Ok(self.rows(sql, &[], |row| row.get(0))?.pop())
    }

    fn rows<T>(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(parameters, read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn symbols(
        &self,
        condition: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM symbols s JOIN files f ON f.id = s.file WHERE {condition}"
        );
        self.rows(&sql, parameters, symbol_row)
    }

    /// The symbols that `text` names: a key, `path:line`, a qualified name, or a name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn named(&self, text: &str) -> Result<Vec<SymbolRow>, IndexError> {
        let order = "ORDER BY s.test OR f.test, f.generated, s.exported DESC, f.path, s.start_line LIMIT 50";
        if text.contains('#') {
            let found = self.symbols("s.key = ?1", &[&text])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Some((path, line)) = text.rsplit_once(':')
            && let Ok(line) = line.parse::<u32>()
        {
            let condition = "f.path = ?1 AND s.start_line <= ?2 AND s.end_line >= ?2
                ORDER BY s.end_line - s.start_line LIMIT 1";
            return self.symbols(condition, &[&path, &line]);
        }
        let last = text.rsplit(['.', ':']).next().unwrap_or(text);
        let plain = text.replace("::", ".");
        let condition = format!("s.name = ?1 AND replace(s.qualified, '::', '.') = ?2 {order}");
        let found = self.symbols(&condition, &[&last, &plain])?;
        if !found.is_empty() {
            return Ok(found);
        }
        let condition = format!(
            "s.name = ?1 AND (?2 = ?1 OR replace(s.qualified, '::', '.') LIKE '%.' || ?2) {order}"
        );
        self.symbols(&condition, &[&last, &plain])
    }

    /// The symbols whose names contain `text`, exact matches first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn find(&self, text: &str, limit: u32) -> Result<Vec<SymbolRow>, IndexError> {
        let mut found = self.named(text)?;
        let known: BTreeSet<i64> = found.iter().map(|symbol| symbol.id).collect();
        // LIKE ignores the case of letters as `lower` does, and is twice as fast.
        let mut pattern = String::from("%");
        for character in text.chars() {
            if matches!(character, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern.push('%');
        let condition = "s.qualified LIKE ?3 ESCAPE '\\'
            ORDER BY lower(s.name) <> lower(?1), instr(lower(s.name), lower(?1)) <> 1,
              s.test OR f.test, length(s.name), f.path, s.start_line LIMIT ?2";
        let more = self.symbols(condition, &[&text, &limit, &pattern])?;
        found.extend(more.into_iter().filter(|symbol| !known.contains(&symbol.id)));
        found.truncate(limit as usize);
        Ok(found)
    }

    /// The references to a symbol. With `possible`, also the possible references.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn callers(&self, id: i64, possible: bool) -> Result<Vec<CallRow>, IndexError> {
        let sql = "SELECT r.source, f.path, r.line, r.kind, r.certainty
            FROM refs r JOIN files f ON f.id = r.file WHERE r.target = ?1
            ORDER BY f.test, f.path, r.line, r.column";
        let mut found = self.calls(sql, id)?;
        if possible {
            let sql = "SELECT r.source, f.path, r.line, r.kind, r.certainty
                FROM candidates c JOIN refs r ON r.id = c.ref JOIN files f ON f.id = r.file
                WHERE c.symbol = ?1 ORDER BY f.test, f.path, r.line, r.column";
            found.extend(self.calls(sql, id)?);
        }
        Ok(found)
    }

    /// The references in a symbol to other symbols. With `possible`, also the possible references.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn callees(&self, id: i64, possible: bool) -> Result<Vec<CallRow>, IndexError> {
        let sql = "SELECT r.target, f.path, r.line, r.kind, r.certainty
            FROM refs r JOIN files f ON f.id = r.file
            WHERE r.source = ?1 AND r.target IS NOT NULL ORDER BY r.line, r.column";
        let mut found = self.calls(sql, id)?;
        if possible {
            let sql = "SELECT c.symbol, f.path, r.line, r.kind, r.certainty
                FROM refs r JOIN candidates c ON c.ref = r.id JOIN files f ON f.id = r.file
                WHERE r.source = ?1 ORDER BY r.line, r.column, c.symbol";
            found.extend(self.calls(sql, id)?);
        }
        Ok(found)
    }

    fn calls(&self, sql: &str, id: i64) -> Result<Vec<CallRow>, IndexError> {
        type Found = (Option<i64>, String, u32, String, String);
        let rows: Vec<Found> = self.rows(sql, &[&id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?;
        let mut found = Vec::with_capacity(rows.len());
        for (symbol, path, line, kind, certainty) in rows {
            let symbol = match symbol {
                Some(id) => self.symbols("s.id = ?1", &[&id])?.pop(),
                None => None,
            };
            found.push(CallRow { symbol, path, line, kind, certainty });
        }
        Ok(found)
    }

    /// The symbols that refer to the symbols `ids`, directly or through others; proved references
    /// only.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn impact(&self, ids: &[i64], depth: usize) -> Result<Vec<Reached>, IndexError> {
        Ok(self.impact_with_modules(ids, depth)?.0)
    }

    /// Like [`Reader::impact`], with the ids of the files whose code outside of all symbols refers to the
    /// symbols or to a symbol that reaches them.
    pub(crate) fn impact_with_modules(
        &self,
        ids: &[i64],
        depth: usize,
    ) -> Result<(Vec<Reached>, BTreeSet<i64>), IndexError> {
        let sql = "SELECT DISTINCT r.source, CASE WHEN r.source IS NULL THEN r.file END
            FROM refs r WHERE r.target = ?1 ORDER BY r.source";
        self.follow(ids, depth, MAX_REACH, sql)
    }

    /// The symbols that the symbol `id` calls, directly or through others; proved references only.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn flow(&self, id: i64, depth: usize) -> Result<Vec<Reached>, IndexError> {
        let sql = "SELECT DISTINCT r.target, NULL FROM refs r
            WHERE r.source = ?1 AND r.target IS NOT NULL AND r.kind IN ('call', 'new')
            ORDER BY r.line, r.column";
        Ok(self.follow(&[id], depth, MAX_FLOW, sql)?.0)
    }

    /// The symbols that `sql` finds from `ids`, directly or through others, and the ids of files that it
    /// finds for code outside of all symbols.
    fn follow(
        &self,
        ids: &[i64],
        depth: usize,
        limit: usize,
        sql: &str,
    ) -> Result<(Vec<Reached>, BTreeSet<i64>), IndexError> {
        let mut seen: BTreeSet<i64> = ids.iter().copied().collect();
        let mut pending = VecDeque::new();
        for id in ids {
            let key = self.symbols("s.id = ?1", &[id])?.pop().map(|symbol| symbol.key);
            pending.push_back((*id, 0, key.unwrap_or_default()));
        }
        let (mut found, mut modules) = (Vec::new(), BTreeSet::new());
        while let Some((id, at, key)) = pending.pop_front() {
            if at == depth || found.len() >= limit {
                continue;
            }
            let next: Vec<(Option<i64>, Option<i64>)> =
                self.rows(sql, &[&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            for (other, module) in next {
                modules.extend(module);
                let Some(other) = other else { continue };
                if !seen.insert(other) || found.len() >= limit {
                    continue;
                }
                let Some(symbol) = self.symbols("s.id = ?1", &[&other])?.pop() else { continue };
                pending.push_back((other, at + 1, symbol.key.clone()));
                found.push(Reached { symbol, depth: at + 1, via: key.clone() });
            }
        }
        Ok((found, modules))
    }

    /// A path of proved calls from one of the symbols `from` to one of the symbols `to`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn path(&self, from: &[i64], to: &[i64]) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = "SELECT DISTINCT target FROM refs WHERE source = ?1 AND target IS NOT NULL";
        let mut came_from: BTreeMap<i64, Option<i64>> = from.iter().map(|id| (*id, None)).collect();
        let mut pending: VecDeque<i64> = from.iter().copied().collect();
        while let Some(id) = pending.pop_front() {
            if to.contains(&id) {
                let mut path = Vec::new();
                let mut at = Some(id);
                while let Some(id) = at {
                    path.extend(self.symbols("s.id = ?1", &[&id])?);
                    at = came_from.get(&id).copied().flatten();
                }
                path.reverse();
                return Ok(path);
            }
            let next: Vec<i64> = self.rows(sql, &[&id], |row| row.get(0))?;
            for other in next {
                if let std::collections::btree_map::Entry::Vacant(entry) = came_from.entry(other) {
                    entry.insert(Some(id));
                    pending.push_back(other);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The symbols of the files at `paths`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn in_files(&self, paths: &[String]) -> Result<Vec<SymbolRow>, IndexError> {
        let mut found = Vec::new();
        for path in paths {
            found.extend(
                self.symbols("f.path = ?1 ORDER BY s.start_line, s.start_column", &[path])?,
            );
        }
        Ok(found)
    }

    /// Counts of the index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn stats(&self) -> Result<Stats, IndexError> {
        let count = |sql: &str| -> Result<BTreeMap<String, i64>, IndexError> {
            Ok(self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
        };
        Ok(Stats {
            files: count("SELECT language, count(*) FROM files GROUP BY language")?,
            symbols: count("SELECT kind, count(*) FROM symbols GROUP BY kind")?,
            refs: count("SELECT certainty, count(*) FROM refs GROUP BY certainty")?,
            bytes: self.bytes,
        })
    }

    /// The number of indexed files.
    pub(crate) fn file_count(&self) -> Result<usize, IndexError> {
        let found: Vec<u32> = self.rows("SELECT count(*) FROM files", &[], |row| row.get(0))?;
        Ok(found.first().map_or(0, |count| *count as usize))
    }

    /// The problems in the database; empty if there are none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn problems(&self) -> Result<Vec<String>, IndexError> {
        let mut found: Vec<String> = self.rows("PRAGMA quick_check", &[], |row| row.get(0))?;
        found.retain(|line| line != "ok");
        for (sql, what) in [
            ("SELECT count(*) FROM refs WHERE target NOT IN (SELECT id FROM symbols)", "target"),
            ("SELECT count(*) FROM refs WHERE source NOT IN (SELECT id FROM symbols)", "source"),
        ] {
            let count: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
            if count > 0 {
                found.push(format!("{count} references have a {what} that does not exist"));
            }
        }
        Ok(found)
    }
}
