//! Keeps what a process knows about the index between its questions, so that an unchanged index is
//! not compared with the files again.

use crate::query::{Idle, Reader};
use crate::update::{self, Process, Update};
use crate::{IndexError, facts};
use aidd_engine::project::config::Config;
use aidd_engine::text::files::Disk;
use aidd_engine::workspace::walk::FileCache;

/// The index of one project, for a process that asks several questions.
#[derive(Debug, Default)]
pub struct Session {
    files: Option<FileCache>,
    connection: Idle,
    /// The globs with which the index was brought up to date.
    globs: (Option<Vec<String>>, Option<Vec<String>>),
    /// The state of the database after the last update.
    generation: Option<String>,
    /// The counts of the last update.
    last: Update,
}

impl Session {
    /// Brings the index up to date and opens it. `disk` must be the same in each call.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub fn open(&mut self, disk: &Disk, config: &Config) -> Result<(Reader, Update), IndexError> {
        let files = self.files.get_or_insert_with(|| FileCache::new(disk));
        let mut is_changed = files.update(disk, is_relevant);
        let globs = (config.include.clone(), config.exclude.clone());
        is_changed |= self.globs != globs;
        // Another process can have changed or removed the database.
        if !is_changed
            && self.generation.is_some()
            && let Ok(reader) = Reader::open_with(disk.root(), &self.connection)
            && reader.generation().ok() == Some(self.generation.clone())
        {
            let update = Update { changed: 0, resolved: 0, built: false, ..self.last };
            return Ok((reader, update));
        }
        // After an error, everything is compared again.
        self.generation = None;
        let listed = update::stamped(disk, files.files(config)?);
        let update = update::refresh_listed(disk, &listed, Process::Continues)?;
        let reader = Reader::open_with(disk.root(), &self.connection)?;
        (self.generation, self.globs, self.last) = (reader.generation()?, globs, update);
        Ok((reader, update))
    }
}

/// Whether a file with this name is in the index, or determines the targets of imports.
fn is_relevant(name: &str) -> bool {
    facts::language(name).is_some() || update::is_manifest(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{dump, dump_fresh, project, update, write};
    use std::time::Duration;

    #[test]
    fn a_session_sees_the_changes_of_files_and_of_other_processes() {
        let dir = project(&[("a.py", "def one():\n    pass\n"), ("b.txt", "")]);
        let disk = Disk::new(dir.path());
        std::thread::sleep(Duration::from_millis(2100));
        let (mut session, config) = (Session::default(), Config::default());
        let mut open = |config: &Config| session.open(&disk, config).expect("an index");
        assert!(open(&config).1.built);
        let (reader, done) = open(&config);
        assert_eq!((done.files, done.changed), (1, 0));
        assert_eq!(reader.named("one").expect("read").len(), 1);
        write(dir.path(), "a.py", "def two():\n    pass\n");
        let (reader, done) = open(&config);
        assert_eq!(done.changed, 1);
        assert_eq!(reader.named("two").expect("read").len(), 1);
        write(dir.path(), "sub/c.py", "from a import two\n\ndef three():\n    two()\n");
        assert_eq!(open(&config).1.files, 2);
        // Another process brings the index up to date first.
        write(dir.path(), "d.py", "def four():\n    pass\n");
        update(dir.path());
        let (reader, done) = open(&config);
        assert_eq!((done.files, done.changed), (3, 0));
        assert_eq!(reader.named("four").expect("read").len(), 1);
        crate::store::remove(dir.path()).expect("removed");
        assert!(open(&config).1.built);
        let excluded = Config { exclude: Some(vec!["sub/**".to_owned()]), ..Config::default() };
        assert_eq!(open(&excluded).1.files, 2);
        assert_eq!(open(&config).1.files, 3);
        assert_eq!(dump(dir.path()), dump_fresh(dir.path()));
    }
}
