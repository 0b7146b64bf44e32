//! Replays the migrations of a directory in order, and checks them against the schema that they
//! define.

use super::dialect::{Dialect, dialect_in_file_name};
use super::file::{File, read_sibling, shared_evidence};
use super::migration::{Migration, ordered_paths};
use super::statement::{Action, Column, Constraint, ConstraintKind, Name, StatementKind};
use aidd_engine::text::files::{Files, MIN_STAMP_AGE};
use aidd_engine::text::source::Span;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const UNINDEXED: &str = "sql/unindexed-foreign-key";
pub(super) const DUPLICATE_COLUMN: &str = "sql/duplicate-column";
pub(super) const DUPLICATE_TABLE: &str = "sql/duplicate-table";
pub(super) const UNKNOWN_COLUMN: &str = "sql/unknown-column";

/// The rules that need the schema.
pub(super) const RULES: &[&str] = &[UNINDEXED, DUPLICATE_COLUMN, DUPLICATE_TABLE, UNKNOWN_COLUMN];

/// A finding of the replay.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
}

/// The result of replaying the migrations of one directory.
#[derive(Default)]
pub(super) struct Replay {
    by_path: HashMap<String, Vec<Found>>,
    /// The hash of the text of each file; `None` for a file that was not read.
    texts: HashMap<String, Option<u64>>,
    /// The parsed files by path, until [`Replay::take`] removes them.
    files: Mutex<HashMap<String, Arc<Migrated>>>,
}

/// A migration whose text was read.
struct Migrated {
    /// The hash of the text.
    text: u64,
    /// `None` if the file is a template.
    file: Option<File>,
}

impl Migrated {
    fn parse(path: &str, text: &str, files: &dyn Files) -> Self {
        Self { text: hash(text), file: File::read(path, text, files) }
    }

    /// Reads another migration; `None` if it cannot be read. An editor replays the migrations of a
    /// directory after each key press: unchanged files are not read again.
    fn read(path: &str, evidence: impl Hash, files: &dyn Files) -> Option<Arc<Self>> {
        let cache = files.run_cache().filter(|cache| cache.outlives_changes());
        let stamp = cache.and_then(|cache| Some((cache, files.content_stamp(path)?)));
        if let Some((cache, (time, size))) = stamp
            && time.elapsed().is_ok_and(|age| age > MIN_STAMP_AGE)
        {
            let key = format!("{path} {time:?} {size}");
            let read = || read_sibling(path, files).map(|text| Self::parse(path, &text, files));
            let known = cache.get_or_parse(evidence, &key, || read().map(Arc::new));
            return (*known).clone();
        }
        Some(Arc::new(Self::parse(path, &read_sibling(path, files)?, files)))
    }
}

impl Replay {
    /// Replays the migrations of the directory of `migration`. `own` is the path of a file and the
    /// text that replaces its stored text.
    pub(super) fn new(migration: &Migration, own: Option<(&str, &str)>, files: &dyn Files) -> Self {
        let mut paths = ordered_paths(migration, files).to_vec();
        if let Some((path, _)) = own.filter(|(path, _)| !paths.iter().any(|known| known == path)) {
            paths.push(path.to_owned());
        }
        let mut replay = Self::default();
        let evidence = paths.first().map(|path| shared_evidence(path, Some(migration), files));
        for (dialect, paths) in by_dialect(paths) {
            replay.run(dialect, &paths, own, &evidence, files);
        }
        replay
    }

    /// Replays files in order, and retains the findings in the files whose names contain `dialect`.
    /// If `dialect` is `None`, these are the files whose names contain no dialect.
    fn run(
        &mut self,
        dialect: Option<Dialect>,
        paths: &[String],
        own: Option<(&str, &str)>,
        evidence: impl Hash + Copy,
        files: &dyn Files,
    ) {
        let parsed = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut schema = Schema::default();
        for (index, path) in paths.iter().enumerate() {
            let migrated = match own {
                Some((own, text)) if own == path => {
                    Some(Arc::new(Migrated::parse(path, text, files)))
                }
                _ if !super::is_sql(path) => None,
                _ => Migrated::read(path, evidence, files),
            };
            self.texts.insert(path.clone(), migrated.as_ref().map(|migrated| migrated.text));
            let Some((migrated, file)) =
                migrated.as_ref().and_then(|migrated| Some((migrated, migrated.file.as_ref()?)))
            else {
                // The effect of the file on the schema is unknown.
                schema.forget();
                continue;
            };
            schema.apply(index, file);
            parsed.insert(path.clone(), migrated.clone());
        }
        schema.finish();
        for (index, found) in schema.found {
            if let Some(path) =
                paths.get(index).filter(|path| dialect_in_file_name(path) == dialect)
            {
                self.by_path.entry(path.clone()).or_default().push(found);
            }
        }
    }

    /// Whether the file at `path` had this text; `None` if it was not replayed.
    pub(super) fn is_current(&self, path: &str, text: &str) -> Option<bool> {
        let known = self.texts.get(path)?;
        Some(known.is_none_or(|known| known == hash(text)))
    }

    /// The findings in the file at `path`.
    pub(super) fn findings_in(&self, path: &str) -> &[Found] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// Removes the parsed file at `path`, and returns it if its text is `text`.
    pub(super) fn take(&self, path: &str, text: &str) -> Option<File> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let migrated = files.remove(path).filter(|migrated| migrated.text == hash(text))?;
        migrated.file.clone()
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Groups the migrations by the dialect that the name of a file contains. A file whose name
/// contains no dialect belongs to all groups.
fn by_dialect(paths: Vec<String>) -> Vec<(Option<Dialect>, Vec<String>)> {
    let dialects: BTreeSet<Dialect> =
        paths.iter().filter_map(|path| dialect_in_file_name(path)).collect();
    if dialects.is_empty() {
        return vec![(None, paths)];
    }
    let for_dialect = |dialect: Dialect| {
        let is_used =
            |path: &&String| dialect_in_file_name(path).is_none_or(|named| named == dialect);
        (Some(dialect), paths.iter().filter(is_used).cloned().collect())
    };
    dialects.into_iter().map(for_dialect).collect()
}

/// A table, as far as the migrations define it.
#[derive(Default)]
struct Table {
    columns: HashMap<String, ()>,
    /// Whether all columns are known.
    is_complete: bool,
    /// The epoch of the schema in which the table was created.
    epoch: u32,
    /// The columns of each index, key and unique constraint, with the name of the index.
    indexes: Vec<(String, Vec<String>)>,
    foreign_keys: Vec<ForeignKey>,
}

struct ForeignKey {
    columns: Vec<String>,
    file: usize,
    span: Span,
    needs_index: bool,
}

#[derive(Default)]
struct Schema {
    tables: HashMap<String, Table>,
    /// The name of the table of each index, by the name of the index.
    index_tables: HashMap<String, String>,
    /// Increased when all tables are discarded.
    epoch: u32,
    found: Vec<(usize, Found)>,
}

impl Schema {
    /// Discards all tables, after a statement with unknown effects.
    fn forget(&mut self) {
        self.epoch += 1;
    }

    fn table(&mut self, key: &str) -> Option<&mut Table> {
        let epoch = self.epoch;
        self.tables.get_mut(key).filter(|table| table.epoch == epoch)
    }

    fn report(&mut self, file: usize, rule: &'static str, span: Span, message: String) {
        self.found.push((file, Found { rule, span, message }));
    }

    fn apply(&mut self, index: usize, file: &File) {
        let dialect = file.detected.map(|detected| detected.dialect);
        let is_checked = dialect.is_some_and(Dialect::is_parsed);
        if !is_checked || file.postgres.is_none() && dialect == Some(Dialect::Postgres) {
            self.forget();
            return;
        }
        // A statement with an error can have any effect.
        let has_errors = file.unbalanced.is_some();
        if has_errors {
            self.forget();
        }
        // MySQL creates an index for each foreign key; ClickHouse has no foreign keys.
        let needs_index =
            matches!(dialect, Some(Dialect::Postgres | Dialect::Sqlite | Dialect::SqlServer));
        for statement in &file.statements {
            let reverts =
                file.migration.as_ref().is_some_and(|migration| migration.reverts(statement.span));
            if !reverts {
                self.apply_statement((index, needs_index), &statement.kind);
            }
        }
    }

    fn apply_statement(&mut self, context: (usize, bool), kind: &StatementKind) {
        let (index, _) = context;
        match kind {
            StatementKind::CreateTable(create) if !create.is_temporary => {
                let exists = self.table(&create.name.key).is_some();
                if exists && create.if_not_exists {
                    return;
                }
                if exists {
                    let message = format!("table `{}` already exists", create.name.key);
                    self.report(index, DUPLICATE_TABLE, create.name.span, message);
                    return;
                }
                // If the table already exists, its columns are unknown.
                let is_complete = !create.has_other_columns && !create.if_not_exists;
                let epoch = self.epoch;
                let table = Table { is_complete, epoch, ..Table::default() };
                self.tables.insert(create.name.key.clone(), table);
                for column in &create.columns {
                    self.add_column(context, &create.name.key, column);
                }
                for constraint in &create.constraints {
                    self.add_constraint(context, &create.name.key, constraint);
                }
            }
            StatementKind::DropTable { names, .. } => {
                for name in names {
                    self.tables.remove(&name.key);
                }
            }
            StatementKind::RenameTable { from, to } => self.rename_table(&from.key, &to.key),
            StatementKind::AlterTable { table, actions } => {
                for action in actions {
                    self.apply_action(context, &table.key, action);
                }
            }
            StatementKind::CreateIndex(create) => {
                if create.is_partial || create.is_special {
                    return;
                }
                let name = create.name.as_ref().map(|name| name.key.clone()).unwrap_or_default();
                if let Some(table) = self.table(&create.table.key) {
                    table.indexes.push((name.clone(), create.columns.clone()));
                    self.index_tables.insert(name, create.table.key.clone());
                }
            }
            StatementKind::DropIndex { names, .. } => {
                for name in names {
                    if let Some(table) = self.index_tables.remove(&name.key)
                        && let Some(table) = self.tables.get_mut(&table)
                    {
                        table.indexes.retain(|(index, _)| *index != name.key);
                    }
                }
            }
            StatementKind::Opaque => self.forget(),
            _ => {}
        }
    }

    fn apply_action(&mut self, context: (usize, bool), key: &str, action: &Action) {
        let (index, _) = context;
        match action {
            Action::AddColumn { column, if_not_exists, .. } => {
                let is_known = self.table(key).is_some_and(|table| {
                    table.is_complete && table.columns.contains_key(&column.name.key)
                });
                if is_known && !if_not_exists {
                    let message = format!("column `{}` of `{key}` already exists", column.name.key);
                    self.report(index, DUPLICATE_COLUMN, column.name.span, message);
                } else if !is_known {
                    self.add_column(context, key, column);
                }
            }
            Action::DropColumn { name, if_exists } => {
                self.remove_column(index, key, name, *if_exists);
                if let Some(table) = self.table(key) {
                    table.indexes.retain(|(_, columns)| !columns.contains(&name.key));
                    table.foreign_keys.retain(|foreign| !foreign.columns.contains(&name.key));
                }
            }
            Action::RenameColumn { from, to } | Action::ChangeColumn { from, to, .. } => {
                if from.key == to.key {
                    return;
                }
                self.remove_column(index, key, from, false);
                if let Some(table) = self.table(key) {
                    table.columns.insert(to.key.clone(), ());
                    let lists = table.indexes.iter_mut().map(|(_, columns)| columns);
                    let keys = table.foreign_keys.iter_mut().map(|foreign| &mut foreign.columns);
                    for column in lists.chain(keys).flatten().filter(|name| **name == from.key) {
                        column.clone_from(&to.key);
                    }
                }
            }
            Action::RenameTable { to } => self.rename_table(key, &to.key),
            Action::AddConstraint(constraint) => self.add_constraint(context, key, constraint),
            Action::Opaque => {
                self.tables.remove(key);
            }
            _ => {}
        }
    }

    fn remove_column(&mut self, index: usize, key: &str, name: &Name, if_exists: bool) {
        let Some(table) = self.table(key) else { return };
        if table.columns.remove(&name.key).is_none() && table.is_complete && !if_exists {
            let message = format!("column `{}` of `{key}` does not exist", name.key);
            self.report(index, UNKNOWN_COLUMN, name.span, message);
        }
    }

    fn rename_table(&mut self, from: &str, to: &str) {
        // In `ALTER TABLE shop.orders RENAME TO sales`, the new name has the schema of the old
        // name.
        let to = match from.rsplit_once('.') {
            Some((schema, _)) if !to.contains('.') => format!("{schema}.{to}"),
            _ => to.to_owned(),
        };
        if let Some(table) = self.tables.remove(from) {
            for (index, _) in &table.indexes {
                if let Some(table) = self.index_tables.get_mut(index) {
                    table.clone_from(&to);
                }
            }
            self.tables.insert(to, table);
        }
    }

    fn add_column(&mut self, (file, needs_index): (usize, bool), key: &str, column: &Column) {
        let Some(table) = self.table(key) else { return };
        let name = &column.name.key;
        table.columns.insert(name.clone(), ());
        if column.is_primary || column.is_unique {
            table.indexes.push((String::new(), vec![name.clone()]));
        }
        if let Some(span) = column.references {
            let columns = vec![name.clone()];
            table.foreign_keys.push(ForeignKey { columns, file, span, needs_index });
        }
    }

    fn add_constraint(
        &mut self,
        (file, needs_index): (usize, bool),
        key: &str,
        constraint: &Constraint,
    ) {
        let Some(table) = self.table(key) else { return };
        let columns = constraint.columns.clone();
        match constraint.kind {
            ConstraintKind::Primary | ConstraintKind::Unique | ConstraintKind::Index => {
                table.indexes.push((String::new(), columns));
            }
            ConstraintKind::Foreign if !columns.is_empty() => {
                let span = constraint.span;
                table.foreign_keys.push(ForeignKey { columns, file, span, needs_index });
            }
            _ => {}
        }
    }

    /// Reports the foreign keys without an index in the final schema.
    fn finish(&mut self) {
        let mut found = Vec::new();
        for (key, table) in &self.tables {
            if table.epoch != self.epoch {
                continue;
            }
            let widths: BTreeSet<usize> =
                table.foreign_keys.iter().map(|foreign| foreign.columns.len()).collect();
            // The first columns of each index, in any order.
            let starts: HashSet<Vec<&String>> = table
                .indexes
                .iter()
                .flat_map(|(_, columns)| widths.iter().filter_map(|&width| columns.get(..width)))
                .map(sorted)
                .collect();
            for foreign in table.foreign_keys.iter().filter(|foreign| foreign.needs_index) {
                if !starts.contains(&sorted(&foreign.columns)) {
                    let columns = foreign.columns.join(", ");
                    let message = format!("foreign key on `{key}` ({columns}) has no index");
                    found.push((foreign.file, foreign.span, message));
                }
            }
        }
        for (file, span, message) in found {
            self.report(file, UNINDEXED, span, message);
        }
    }
}

fn sorted(columns: &[String]) -> Vec<&String> {
    let mut columns: Vec<&String> = columns.iter().collect();
    columns.sort_unstable();
    columns
}
