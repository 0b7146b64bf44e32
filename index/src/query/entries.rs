//! Queries on the symbols at which flows begin.

use super::{Reader, SymbolRow};
use crate::IndexError;
use crate::names::{self, Named};
use serde::Serialize;
use std::path::Path;

/// A symbol at which a flow begins, or the files of a flow without such a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryRow {
    /// The name that people gave to the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// `None` for a flow that consists of files.
    #[serde(flatten)]
    pub symbol: Option<SymbolRow>,
    /// The files and directories of a flow without symbols.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Reader {
    /// The entry points of the flows that people named, by name, and at most `limit` others.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn flow_entries(
        &self,
        root: &Path,
        named: &[Named],
        limit: u32,
    ) -> Result<Vec<EntryRow>, IndexError> {
        let starts = names::entries(root, named)?;
        let mut flows: Vec<&Named> = named.iter().filter(|named| named.is_flow).collect();
        flows.sort_by_key(|named| &named.name);
        let mut found = Vec::new();
        for flow in flows {
            let before = found.len();
            let name = Some(flow.name.clone());
            for (id, _) in starts.iter().filter(|(_, name)| *name == flow.name) {
                let symbols = self.symbols("s.id = ?1", &[id])?;
                found.extend(symbols.into_iter().map(|symbol| EntryRow {
                    flow: name.clone(),
                    symbol: Some(symbol),
                    paths: Vec::new(),
                }));
            }
            if found.len() == before {
                found.push(EntryRow { flow: name, symbol: None, paths: flow.paths.clone() });
            }
        }
        let is_named = |symbol: &SymbolRow| starts.iter().any(|(id, _)| *id == symbol.id);
        let all = limit.saturating_add(u32::try_from(starts.len()).unwrap_or(u32::MAX));
        let derived = self.entries(all)?.into_iter().filter(|symbol| !is_named(symbol));
        let derived = derived.take(limit as usize);
        found.extend(derived.map(|symbol| EntryRow {
            flow: None,
            symbol: Some(symbol),
            paths: Vec::new(),
        }));
        Ok(found)
    }

    /// The entry points, where flows begin: functions that handle a route, are called `main`, or are
    /// exported and not called in the project.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn entries(&self, limit: u32) -> Result<Vec<SymbolRow>, IndexError> {
        let condition = "s.kind IN ('function', 'method') AND NOT s.test AND NOT f.test
            AND (s.name = 'main' OR s.exported)
            AND (s.id IN (SELECT handler FROM declared_routes)
              OR NOT EXISTS(SELECT 1 FROM refs r WHERE r.target = s.id AND r.source IS NOT NULL))
            ORDER BY s.name <> 'main', s.id NOT IN (SELECT handler FROM declared_routes WHERE handler IS NOT NULL), (SELECT count(DISTINCT r.target) FROM refs r
              WHERE r.source = s.id) DESC, f.path, s.start_line LIMIT ?1";
        self.symbols(condition, &[&limit])
    }
}
