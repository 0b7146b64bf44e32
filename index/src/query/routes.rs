//! Queries on routes.

use super::{Reader, SymbolRow};
use crate::IndexError;
use rusqlite::ToSql;
use serde::Serialize;

/// A route and its handler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RouteRow {
    /// The HTTP method; `*` for any.
    pub method: String,
    /// The path, with the prefixes under which other files serve the router.
    pub path: String,
    /// The name of the framework that serves the route.
    pub framework: String,
    /// The path of the file that declares the route.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The handler; `None` if it has no name or is unknown.
    pub handler: Option<SymbolRow>,
}

impl Reader {
    /// The routes whose method, path or framework contains `text`, ordered by path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn routes(&self, text: Option<&str>, limit: u32) -> Result<Vec<RouteRow>, IndexError> {
        let sql = "SELECT r.method, r.path, r.framework, f.path, r.line, r.handler
            FROM routes r JOIN files f ON f.id = r.file
            WHERE ?1 IS NULL OR instr(lower(r.method || ' ' || r.path || ' ' || r.framework), lower(?1))
            ORDER BY f.test, r.path, r.method, f.path, r.line LIMIT ?2";
        self.read_routes(sql, &[&text, &limit])
    }

    /// The routes with this handler, ordered by path.
    pub(super) fn routes_of(&self, handler: i64, limit: u32) -> Result<Vec<RouteRow>, IndexError> {
        let sql = "SELECT r.method, r.path, r.framework, f.path, r.line, r.handler
            FROM routes r JOIN files f ON f.id = r.file
            WHERE r.handler = ?1 ORDER BY r.path, r.method, f.path, r.line LIMIT ?2";
        self.read_routes(sql, &[&handler, &limit])
    }

    fn read_routes(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<RouteRow>, IndexError> {
        type Found = (RouteRow, Option<i64>);
        let rows: Vec<Found> = self.rows(sql, parameters, |row| {
            let route = RouteRow {
                method: row.get(0)?,
                path: row.get(1)?,
                framework: row.get(2)?,
                file: row.get(3)?,
                line: row.get(4)?,
                handler: None,
            };
            Ok((route, row.get(5)?))
        })?;
        let mut found = Vec::with_capacity(rows.len());
        for (mut route, handler) in rows {
            if let Some(id) = handler {
                route.handler = self.symbols("s.id = ?1", &[&id])?.pop();
            }
            found.push(route);
        }
        Ok(found)
    }
}
