//! The changes of memories in a transaction: their numbers, and the page cache that many of them need.

use super::{Sqlite, error};
use crate::MemoryError;

/// Number of changes after which a transaction gets a larger page cache: otherwise SQLite writes and
/// reads the same pages of the indexes again and again.
const MANY: usize = 512;
/// Size of the page cache for many changes, in KiB.
const LARGE_CACHE: i64 = 16_000;
/// Size of the page cache otherwise, which is the default of SQLite.
const SMALL_CACHE: i64 = 2_000;

/// The changes of memories in the current transaction.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The number of the last change. It is stored on commit, because SQLite writes the new rows of
    /// the full-text table before each update of the counter.
    number: Option<i64>,
    count: usize,
    /// Whether the page cache is as large as [`LARGE_CACHE`].
    has_large_cache: bool,
}

impl Changes {
    /// Discards the numbers after a rollback.
    pub(super) fn discard(&mut self) {
        (self.number, self.count) = (None, 0);
    }
}

impl Sqlite {
    pub(super) fn last_change_number(&self) -> Result<i64, MemoryError> {
        match self.changes.number {
            Some(number) => Ok(number),
            None => self.value("SELECT value FROM counter"),
        }
    }

    /// Counts a change of a memory and returns its number.
    pub(super) fn next_change_number(&mut self) -> Result<i64, MemoryError> {
        let number = self.last_change_number()? + 1;
        self.changes.number = Some(number);
        self.changes.count += 1;
        if self.changes.count == MANY {
            self.set_cache(true)?;
        }
        Ok(number)
    }

    /// Stores the number of the last change, before a commit.
    pub(super) fn store_change_number(&mut self) -> Result<(), MemoryError> {
        if let Some(number) = self.changes.number.take() {
            self.run("UPDATE counter SET value = ?1", [number])?;
        }
        // The next part of an import is likely to need the same pages.
        if std::mem::take(&mut self.changes.count) < MANY {
            self.set_cache(false)?;
        }
        Ok(())
    }

    /// Sets the size of the page cache, if it changes.
    fn set_cache(&mut self, is_large: bool) -> Result<(), MemoryError> {
        if self.changes.has_large_cache != is_large {
            let kibibytes = if is_large { LARGE_CACHE } else { SMALL_CACHE };
            self.connection.pragma_update(None, "cache_size", -kibibytes).map_err(error)?;
            self.changes.has_large_cache = is_large;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::connect::connect;
    use super::*;
    use crate::log::{Revision, fold};
    use crate::privacy::Gate;
    use crate::store::{Durability, StorageBackend, steps};
    use crate::types::Kind;
    use rusqlite::StatementStatus;
    use tempfile::TempDir;

    #[test]
    fn many_changes_take_few_steps_of_the_database() {
        let (folder, gate) =
            (TempDir::new().expect("a directory"), Gate::new(&crate::DISTRIBUTION));
        let path = folder.path().join("data.db");
        let (mut store, _) = connect(&path, steps(), 7).expect("a store");
        let segments = "SELECT count(*) FROM search_text_data";
        let put = |store: &mut Sqlite, n: i64| {
            let line = Revision::first(Kind::Decision, format!("decision_{n}_a"), n, "Use Redis");
            let entry = fold(&[line.with_rev()]).expect("a memory").entry;
            store.put_entry(&gate.clean(&entry).expect("clean")).expect("put");
            store.superseding(&entry.id).expect("read");
        };
        store.begin(Durability::Normal).expect("begun");
        put(&mut store, 1);
        let before: i64 = store.value(segments).expect("a count");
        (2..=600).for_each(|n| put(&mut store, n));
        // The full-text table is not written after each memory.
        assert_eq!(store.value::<i64>(segments).expect("a count"), before);
        assert_eq!(store.change_number().expect("a number"), 600);
        store.rollback();
        assert_eq!(store.change_number().expect("a number"), 0);
        store.begin(Durability::Normal).expect("begun");
        (1..=600).for_each(|n| put(&mut store, n));
        store.commit().expect("committed");
        let (mut other, _) = connect(&path, steps(), 7).expect("a store");
        assert_eq!(other.change_number().expect("a number"), 600);
        let cache_size = |store: &Sqlite| store.value::<i64>("PRAGMA cache_size").expect("a size");
        assert_eq!(cache_size(&store), -LARGE_CACHE);
        store.begin(Durability::Normal).expect("begun");
        put(&mut store, 601);
        store.commit().expect("committed");
        assert_eq!(cache_size(&store), -SMALL_CACHE);
        // Statements are not compiled again.
        let sql = "SELECT from_id FROM links WHERE relation = 'supersedes' AND to_id = ?1
            ORDER BY from_id";
        let statement = store.connection.prepare_cached(sql).expect("a statement");
        assert!(statement.get_status(StatementStatus::Run) > 600);
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
