//! What a change reaches: the changed symbols, their callers, and the tests that run them.

use super::context::Use;
use super::{Reader, RouteRow, SymbolRow};
use crate::IndexError;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Maximum number of changed symbols whose tests are searched.
const MAX_CHANGED: usize = 400;

/// What a change reaches; proved references only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The symbols whose lines changed, outside of tests.
    pub changed: Vec<SymbolRow>,
    /// The symbols that directly refer to a changed symbol, without the changed symbols and tests.
    pub callers: Vec<Use>,
    /// The symbols that reach a changed symbol through other symbols, and the files whose code outside
    /// of all symbols does; without tests.
    pub indirect: usize,
    /// The files of the tests that reach a changed symbol.
    pub tests: Vec<String>,
    /// The changed functions and types that no test reaches within
    /// [`TEST_DEPTH`](super::context::TEST_DEPTH) calls, except what requests reach and what a test
    /// possibly refers to.
    pub untested: Vec<SymbolRow>,
    /// The number of places that possibly refer to a changed symbol.
    pub possible: usize,
    /// The routes that lead to changed functions which no test reaches.
    pub routes: Vec<RouteRow>,
}

impl Reach {
    /// The number of files with callers.
    #[must_use]
    pub fn caller_files(&self) -> usize {
        self.callers.iter().map(|user| &user.path).collect::<BTreeSet<_>>().len()
    }
}

impl Reader {
    /// The innermost symbols that contain lines of `ranges` (zero-based, end exclusive) in the file
    /// at `path`. An empty range marks a position where lines were removed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn at_lines(
        &self,
        path: &str,
        ranges: &[Range<u32>],
    ) -> Result<Vec<SymbolRow>, IndexError> {
        let all = self.in_files(&[path.to_owned()])?;
        let mut found: BTreeMap<(u32, i64), SymbolRow> = BTreeMap::new();
        for range in ranges {
            let (first, last) = (range.start + 1, range.end.max(range.start + 1));
            let overlaps = |symbol: &&SymbolRow| symbol.line <= last && symbol.end_line >= first;
            let overlapping: Vec<&SymbolRow> = all.iter().filter(overlaps).collect();
            for symbol in &overlapping {
                // The outer symbol counts as changed if a line outside its inner symbols changed.
                let inner = overlapping.iter().filter(|other| {
                    other.id != symbol.id
                        && other.line >= symbol.line
                        && other.end_line <= symbol.end_line
                });
                let covered = |line: u32| {
                    inner.clone().any(|other| (other.line..=other.end_line).contains(&line))
                };
                let start = first.max(symbol.line);
                let end = last.min(symbol.end_line);
                if (start..=end).any(|line| !covered(line)) {
                    found.insert((symbol.line, symbol.id), (*symbol).clone());
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// What a change to these lines reaches: path → changed lines, zero-based, end exclusive.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn reach_of_lines(
        &self,
        changes: &BTreeMap<String, Vec<Range<u32>>>,
    ) -> Result<Reach, IndexError> {
        let mut changed = Vec::new();
        for (path, ranges) in changes {
            changed.extend(self.at_lines(path, ranges)?);
        }
        self.reach(changed)
    }

    /// What a change to `changed` reaches.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn reach(&self, mut changed: Vec<SymbolRow>) -> Result<Reach, IndexError> {
        changed.retain(|symbol| !symbol.test);
        let ids: Vec<i64> = changed.iter().map(|symbol| symbol.id).collect();
        let known: BTreeSet<i64> = ids.iter().copied().collect();
        let sql = "SELECT r.source, coalesce(s.qualified, ''), f.path, min(r.line)
            FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
            WHERE r.target = ?1 AND NOT f.test AND NOT coalesce(s.test, 0)
            GROUP BY r.file, r.source";
        let mut callers: BTreeMap<(String, String), Use> = BTreeMap::new();
        for id in &ids {
            let rows = self.rows(sql, &[id], |row| {
                let user =
                    Use { name: row.get(1)?, path: row.get(2)?, line: row.get(3)?, test: false };
                Ok((row.get::<_, Option<i64>>(0)?, user))
            })?;
            for (source, user) in rows {
                if source.is_none_or(|source| !known.contains(&source)) {
                    let key = (user.path.clone(), user.name.clone());
                    let first = callers.entry(key).or_insert_with(|| user.clone());
                    first.line = first.line.min(user.line);
                }
            }
        }
        let (reached, modules) = self.impact_with_modules(&ids, usize::MAX)?;
        let modules = self.files_with_test(&modules)?;
        let direct = |path: &String| callers.contains_key(&(path.clone(), String::new()));
        let indirect = reached.iter().filter(|found| found.depth > 1 && !found.symbol.test).count()
            + modules.iter().filter(|(path, test)| !test && !direct(path)).count();
        let tests = reached.iter().filter(|found| found.symbol.test);
        let mut tests: BTreeSet<String> = tests.map(|found| found.symbol.path.clone()).collect();
        tests.extend(modules.into_iter().filter(|(_, test)| *test).map(|(path, _)| path));
        let tests = tests.into_iter().collect();
        let has_code =
            |symbol: &&SymbolRow| matches!(&*symbol.kind, "function" | "method" | "macro");
        let (mut untested, mut routes): (Vec<SymbolRow>, Vec<RouteRow>) = Default::default();
        for symbol in changed.iter().filter(has_code).take(MAX_CHANGED) {
            if self.tests(&[symbol.id])?.is_empty() {
                let leading = self.routes_to(&[symbol.id])?;
                if leading.is_empty() && !self.is_possibly_tested(symbol.id)? {
                    untested.push(symbol.clone());
                }
                for route in leading {
                    if !routes.contains(&route) {
                        routes.push(route);
                    }
                }
            }
        }
        let callers = callers.into_values().collect();
        let possible = self.possible(&ids)?;
        Ok(Reach { changed, callers, indirect, tests, untested, possible, routes })
    }

    /// Whether a test possibly refers to a symbol.
    fn is_possibly_tested(&self, symbol: i64) -> Result<bool, IndexError> {
        let sql = "SELECT 1 FROM candidates c JOIN refs r ON r.id = c.ref
            JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
            WHERE c.symbol = ?1 AND (f.test OR s.test) LIMIT 1";
        Ok(!self.rows(sql, &[&symbol], |row| row.get::<_, i64>(0))?.is_empty())
    }

    /// The paths of the files `ids`, each with whether it is a test file.
    fn files_with_test(&self, ids: &BTreeSet<i64>) -> Result<Vec<(String, bool)>, IndexError> {
        let sql = "SELECT path, test FROM files WHERE id = ?1";
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(self.rows(sql, &[id], |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        Ok(found)
    }
}
