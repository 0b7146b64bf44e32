//! The files of the index as the resolver sees them: all in memory during a build, loaded on demand
//! after an edit.

use super::SymbolId;
use crate::IndexError;
use crate::facts::FileFacts;
use crate::outline::{Kind, Symbol};
use rusqlite::{Connection, OptionalExtension};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// A table with a fast hash.
pub(crate) type Table<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// One indexed file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The path relative to the root.
    pub path: String,
    /// The facts, if they are loaded.
    pub facts: OnceCell<Arc<FileFacts>>,
    /// The symbols, ordered by name and position.
    names: OnceCell<Vec<SymbolId>>,
}

impl Entry {
    /// An entry; facts that are `None` are loaded on demand.
    #[must_use]
    pub(crate) fn new(path: String, facts: Option<Arc<FileFacts>>) -> Self {
        let facts = facts.map_or_else(OnceCell::new, OnceCell::from);
        Self { path, facts, names: OnceCell::new() }
    }
}

/// All files of the index.
#[derive(Debug)]
pub(crate) struct World<'c> {
    /// File id → file.
    pub files: Table<u32, Entry>,
    by_path: Table<String, u32>,
    /// Directory and language family → files, for languages whose packages are directories.
    by_dir: Table<String, Vec<u32>>,
    by_package: HashMap<String, Vec<u32>>,
    /// Name → symbols; if `None`, symbols are looked up in the database.
    by_name: Option<Table<String, Vec<SymbolId>>>,
    connection: Option<&'c Connection>,
    cached_names: RefCell<Table<String, Arc<Vec<SymbolId>>>>,
}

impl<'c> World<'c> {
    /// The index of `files`; facts that are not loaded are read from `connection`.
    #[must_use]
    pub(crate) fn new(
        files: Table<u32, Entry>,
        packages: HashMap<String, Vec<u32>>,
        connection: Option<&'c Connection>,
    ) -> Self {
        let by_path = files.iter().map(|(id, file)| (file.path.clone(), *id)).collect();
        let mut by_dir: Table<String, Vec<u32>> = Table::default();
        for (id, file) in files.iter().filter(|(_, file)| file.path.ends_with(".go")) {
            let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
            by_dir.entry(dir.to_owned()).or_default().push(*id);
        }
        let path = |id: &u32| files.get(id).map(|file| file.path.clone());
        by_dir.values_mut().for_each(|files| files.sort_by_cached_key(path));
        let mut world = Self {
            files,
            by_path,
            by_dir,
            by_package: packages,
            by_name: None,
            connection,
            cached_names: RefCell::default(),
        };
        if connection.is_none() {
            world.collect_names();
        }
        world
    }

    fn collect_names(&mut self) {
        let mut all: Table<String, Vec<SymbolId>> = Table::default();
        for (id, file) in &self.files {
            let symbols = file.facts.get().map_or(&[][..], |facts| &facts.outline.symbols);
            for (at, symbol) in (0_u32..).zip(symbols) {
                if !is_looked_up(&file.path, symbol) {
                    continue;
                }
                let at = SymbolId { file: *id, at };
                match all.get_mut(&symbol.name) {
                    Some(known) => known.push(at),
                    None => drop(all.insert(symbol.name.clone(), vec![at])),
                }
            }
        }
        self.by_name = Some(all);
    }

    /// The facts of a file.
    #[must_use]
    pub(crate) fn facts(&self, file: u32) -> Option<&Arc<FileFacts>> {
        let entry = self.files.get(&file)?;
        if let Some(facts) = entry.facts.get() {
            return Some(facts);
        }
        let facts = Arc::new(load(self.connection?, file).ok()??);
        Some(entry.facts.get_or_init(|| facts))
    }

    /// The path of a file.
    #[must_use]
    pub(crate) fn path(&self, file: u32) -> &str {
        self.files.get(&file).map_or("", |file| &file.path)
    }

    /// The file at a path.
    #[must_use]
    pub(crate) fn file_at(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// The Go files in the directory of a file.
    #[must_use]
    pub(crate) fn dir_of(&self, file: u32) -> &[u32] {
        let dir = self.path(file).rsplit_once('/').map_or("", |(dir, _)| dir);
        self.by_dir.get(dir).map_or(&[], Vec::as_slice)
    }

    /// The files of a Java package.
    #[must_use]
    pub(crate) fn package(&self, name: &str) -> &[u32] {
        self.by_package.get(name).map_or(&[], Vec::as_slice)
    }

    /// The symbols with this name in a file, in order.
    #[must_use]
    pub(crate) fn named_in(&self, file: u32, name: &str) -> &[SymbolId] {
        let Some(facts) = self.facts(file) else { return &[] };
        let Some(entry) = self.files.get(&file) else { return &[] };
        let symbols = &facts.outline.symbols;
        let name_of = |id: &SymbolId| symbols[id.at as usize].name.as_str();
        let all = entry.names.get_or_init(|| {
            let mut all: Vec<SymbolId> =
                (0_u32..).take(symbols.len()).map(|at| SymbolId { file, at }).collect();
            all.sort_unstable_by_key(|id| (name_of(id), id.at));
            all
        });
        let start = all.partition_point(|id| name_of(id) < name);
        let count = all[start..].iter().take_while(|id| name_of(id) == name).count();
        &all[start..start + count]
    }

    /// All functions and types with this name, ordered by path and position.
    #[must_use]
    pub(crate) fn named(&self, name: &str) -> Arc<Vec<SymbolId>> {
        if let Some(known) = self.cached_names.borrow().get(name) {
            return known.clone();
        }
        let mut found = match &self.by_name {
            Some(all) => all.get(name).cloned().unwrap_or_default(),
            None => self.stored(name).unwrap_or_default(),
        };
        found.sort_by(|a, b| (self.path(a.file), a.at).cmp(&(self.path(b.file), b.at)));
        let found = Arc::new(found);
        self.cached_names.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn stored(&self, name: &str) -> Result<Vec<SymbolId>, IndexError> {
        let Some(connection) = self.connection else { return Ok(Vec::new()) };
        let mut statement =
            connection.prepare_cached("SELECT DISTINCT file FROM symbols WHERE name = ?1")?;
        let mut files: Vec<u32> =
            statement.query_map([name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        // The loaded files can have symbols that are not in the database yet.
        files.extend(self.files.iter().filter(|(_, f)| f.facts.get().is_some()).map(|(id, _)| *id));
        files.sort_unstable();
        files.dedup();
        let all = files.into_iter().filter(|file| self.files.contains_key(file));
        let all = all.flat_map(|file| self.named_in(file, name).iter().copied());
        Ok(all
            .filter(|at| {
                let path = self.path(at.file);
                self.symbol(*at, |symbol| is_looked_up(path, symbol)) == Some(true)
            })
            .collect())
    }

    /// Reads a property of a symbol.
    pub(crate) fn symbol<T>(&self, id: SymbolId, read: impl FnOnce(&Symbol) -> T) -> Option<T> {
        self.facts(id.file)?.outline.symbols.get(id.at as usize).map(read)
    }

    /// The id of a symbol in the database.
    #[must_use]
    pub(crate) fn stored_id(&self, id: SymbolId) -> Option<i64> {
        self.facts(id.file)?.ids.get(id.at as usize).copied()
    }
}

/// Whether a symbol is looked up by its name in all files.
fn is_looked_up(path: &str, symbol: &Symbol) -> bool {
    let is_constant = || matches!(symbol.kind, Kind::Constant | Kind::Variable);
    let has_namespaces = || [".kt", ".php", ".rb"].iter().any(|end| path.ends_with(end));
    symbol.kind.is_function() || symbol.kind.is_type() || is_constant() && has_namespaces()
}

/// The stored facts of a file.
pub(crate) fn load(connection: &Connection, file: u32) -> Result<Option<FileFacts>, IndexError> {
    let mut statement = connection.prepare_cached("SELECT facts FROM facts WHERE file = ?1")?;
    let bytes: Option<Vec<u8>> = statement.query_row([file], |row| row.get(0)).optional()?;
    Ok(bytes.map(|bytes| postcard::from_bytes(&bytes)).transpose()?)
}
