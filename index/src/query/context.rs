//! The context of a symbol: its callers and callees, the tests that reach it, and the calls from an
//! entry point to it. Only proved references are counted.

use super::{Purity, Reader, RouteRow, SymbolRow};
use crate::IndexError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of calls between a test and a symbol that it reaches.
pub const TEST_DEPTH: usize = 3;
/// Maximum number of calls between an entry point and a symbol.
const MAX_CHAIN: usize = 8;
/// Maximum number of symbols that the search for an entry point or for tests visits.
const MAX_VISITED: usize = 2000;

/// A caller or callee of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The name of the symbol; empty for code outside of all symbols.
    pub name: String,
    /// For callers, the path of the file with the reference; for callees, of the declaration.
    pub path: String,
    /// For callers, the line of the first reference; for callees, of the declaration; from 1.
    pub line: u32,
    /// Whether the symbol is in test code.
    pub test: bool,
}

/// The context of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Surroundings {
    /// The symbols that refer to the symbol or, for a type, to its members; tests last.
    pub callers: Vec<Use>,
    /// The number of places that possibly refer to the symbol.
    pub possible: usize,
    /// The symbols to which the symbol refers, in the order of the references.
    pub callees: Vec<Use>,
    /// The tests that reach the symbol with at most [`TEST_DEPTH`] calls, nearest first.
    pub tests: Vec<Use>,
    /// Without tests, the routes that lead to the symbol.
    pub routes: Vec<RouteRow>,
    /// The calls from an entry point to the symbol, which is the last element; empty if nothing
    /// calls the symbol.
    pub chain: Vec<SymbolRow>,
    /// The members, if the symbol is a type or a module.
    pub members: Vec<SymbolRow>,
    /// Whether the symbol is a pure function; `None` if effects are not determined.
    pub purity: Option<Purity>,
}

fn read_use(row: &rusqlite::Row<'_>) -> rusqlite::Result<Use> {
    Ok(Use { name: row.get(0)?, path: row.get(1)?, line: row.get(2)?, test: row.get(3)? })
}

impl Reader {
    /// The context of `symbol`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn surroundings(&self, symbol: &SymbolRow) -> Result<Surroundings, IndexError> {
        let members = self.members(symbol)?;
        let targets: Vec<i64> =
            std::iter::once(symbol.id).chain(members.iter().map(|member| member.id)).collect();
        let tests = self.tests(&targets)?;
        let routes = if tests.is_empty() { self.routes_to(&targets)? } else { Vec::new() };
        Ok(Surroundings {
            callers: self.users(symbol, &targets)?,
            possible: self.possible(&targets)?,
            callees: self.used(symbol)?,
            tests,
            routes,
            chain: self.chain(symbol)?,
            members,
            purity: self.purity(symbol.id)?,
        })
    }

    /// `symbol` and its members.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn with_members(&self, symbol: &SymbolRow) -> Result<Vec<SymbolRow>, IndexError> {
        let mut all = vec![symbol.clone()];
        all.extend(self.members(symbol)?);
        Ok(all)
    }

    /// Orders symbols by the number of references to them; tests last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn most_used_first(&self, symbols: Vec<SymbolRow>) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = "SELECT count(*) FROM refs WHERE target = ?1";
        let mut counted: Vec<(u32, SymbolRow)> = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            let count = self.rows(sql, &[&symbol.id], |row| row.get(0))?.pop().unwrap_or_default();
            counted.push((count, symbol));
        }
        counted.sort_by_key(|(count, symbol)| {
            (symbol.test, symbol.generated, std::cmp::Reverse(*count))
        });
        Ok(counted.into_iter().map(|(_, symbol)| symbol).collect())
    }

    /// The paths of the files that import the file at `path`, and whether each is a test file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn importers(&self, path: &str) -> Result<Vec<(String, bool)>, IndexError> {
        let sql = "SELECT DISTINCT f.path, f.test FROM imports i JOIN files f ON f.id = i.file
            JOIN files t ON t.id = i.target_file WHERE t.path = ?1 ORDER BY f.path";
        self.rows(sql, &[&path], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The members of a type or module.
    fn members(&self, symbol: &SymbolRow) -> Result<Vec<SymbolRow>, IndexError> {
        let kinds = ["class", "component", "interface", "struct", "enum", "trait", "module"];
        if !kinds.contains(&&*symbol.kind) {
            return Ok(Vec::new());
        }
        self.symbols("s.parent = ?1 ORDER BY s.start_line, s.start_column", &[&symbol.id])
    }

    /// The symbols that refer to `targets` from outside `symbol`.
    fn users(&self, symbol: &SymbolRow, targets: &[i64]) -> Result<Vec<Use>, IndexError> {
        let sql =
            "SELECT coalesce(s.qualified, ''), f.path, min(r.line), f.test OR coalesce(s.test, 0)
            FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
            WHERE r.target = ?1
              AND NOT (f.path = ?2 AND r.line BETWEEN ?3 AND ?4)
            GROUP BY r.file, r.source";
        let mut all: BTreeMap<(bool, String, String), Use> = BTreeMap::new();
        for target in targets {
            let parameters: [&dyn rusqlite::ToSql; 4] =
                [target, &symbol.path, &symbol.line, &symbol.end_line];
            for found in self.rows(sql, &parameters, read_use)? {
                let key = (found.test, found.path.clone(), found.name.clone());
                let first = all.entry(key).or_insert_with(|| found.clone());
                first.line = first.line.min(found.line);
            }
        }
        let mut found: Vec<Use> = all.into_values().collect();
        let own = |user: &Use| user.path == symbol.path;
        found.sort_by(|a, b| {
            let key = |user: &Use| (user.test, !own(user), user.path.clone(), user.line);
            key(a).cmp(&key(b))
        });
        Ok(found)
    }

    pub(super) fn possible(&self, targets: &[i64]) -> Result<usize, IndexError> {
        let sql = "SELECT count(*) FROM candidates WHERE symbol = ?1";
        let mut count: u32 = 0;
        for target in targets {
            count += self.rows(sql, &[target], |row| row.get::<_, u32>(0))?.iter().sum::<u32>();
        }
        Ok(count as usize)
    }

    /// The symbols to which the lines of `symbol` refer, without types and without its members.
    fn used(&self, symbol: &SymbolRow) -> Result<Vec<Use>, IndexError> {
        let sql = "SELECT t.qualified, tf.path, t.start_line, t.test OR tf.test, min(r.line)
            FROM refs r JOIN files f ON f.id = r.file
            JOIN symbols t ON t.id = r.target JOIN files tf ON tf.id = t.file
            WHERE f.path = ?1 AND r.line BETWEEN ?2 AND ?3 AND r.kind <> 'type'
              AND NOT (tf.id = f.id AND t.start_line >= ?2 AND t.end_line <= ?3)
            GROUP BY t.id ORDER BY 5, t.qualified";
        let parameters: [&dyn rusqlite::ToSql; 3] = [&symbol.path, &symbol.line, &symbol.end_line];
        self.rows(sql, &parameters, read_use)
    }

    /// The tests that reach one of `targets`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tests(&self, targets: &[i64]) -> Result<Vec<Use>, IndexError> {
        let sql = "SELECT DISTINCT r.source, s.qualified, f.path, s.start_line, f.test OR s.test
            FROM refs r JOIN symbols s ON s.id = r.source JOIN files f ON f.id = s.file
            WHERE r.target = ?1 ORDER BY f.path, s.start_line";
        let mut seen: std::collections::BTreeSet<i64> = targets.iter().copied().collect();
        let mut pending: VecDeque<(i64, usize)> = targets.iter().map(|id| (*id, 0)).collect();
        let mut found = Vec::new();
        while let Some((id, depth)) = pending.pop_front() {
            if depth == TEST_DEPTH || seen.len() > MAX_VISITED {
                continue;
            }
            let rows = self.rows(sql, &[&id], |row| {
                let user = Use {
                    name: row.get(1)?,
                    path: row.get(2)?,
                    line: row.get(3)?,
                    test: row.get(4)?,
                };
                Ok((row.get::<_, i64>(0)?, user))
            })?;
            for (source, user) in rows {
                if !seen.insert(source) {
                    continue;
                }
                if user.test {
                    found.push(user);
                } else {
                    pending.push_back((source, depth + 1));
                }
            }
        }
        Ok(found)
    }

    /// The shortest chain of proved calls from a symbol that nothing calls; without tests.
    fn chain(&self, symbol: &SymbolRow) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = "SELECT DISTINCT r.source FROM refs r JOIN symbols s ON s.id = r.source
            JOIN files f ON f.id = s.file
            WHERE r.target = ?1 AND r.source <> ?1 AND r.kind IN ('call', 'new', 'use')
              AND NOT s.test AND NOT f.test ORDER BY f.path, s.start_line";
        let mut next_of: BTreeMap<i64, Option<i64>> = BTreeMap::from([(symbol.id, None)]);
        let mut pending = VecDeque::from([(symbol.id, 0)]);
        while let Some((id, depth)) = pending.pop_front() {
            let callers: Vec<i64> = self.rows(sql, &[&id], |row| row.get(0))?;
            let is_entry = callers.is_empty() && id != symbol.id;
            if is_entry || depth == MAX_CHAIN || next_of.len() > MAX_VISITED {
                let mut chain = Vec::new();
                let mut at = Some(id);
                while let Some(id) = at {
                    chain.extend(self.symbols("s.id = ?1", &[&id])?);
                    at = next_of.get(&id).copied().flatten();
                }
                return Ok(if chain.len() > 1 { chain } else { Vec::new() });
            }
            for caller in callers {
                if let std::collections::btree_map::Entry::Vacant(entry) = next_of.entry(caller) {
                    entry.insert(Some(id));
                    pending.push_back((caller, depth + 1));
                }
            }
        }
        Ok(Vec::new())
    }
}
