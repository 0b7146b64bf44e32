//! The database file: where it is, how it is opened, and the lock between processes that write it.

use crate::IndexError;
use crate::outline;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The directory of the database, relative to the root.
pub const DIR: &str = ".aidd";
/// The name of the database.
pub const NAME: &str = "data.index.db";

/// The name of the lock file.
const LOCK: &str = "data.index.lock";

/// The version of the schema. A database with another version is rebuilt.
const SCHEMA_VERSION: u32 = 8;
const SCHEMA: &str = include_str!("schema.sql");
const VIEWS: &str = include_str!("views.sql");
const INDEXES: &str = include_str!("indexes.sql");
/// Maximum time to wait for another process that writes the index.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// Content of the ignore file in a new directory; the memory writes the same.
const IGNORE_RULES: &str = "# Local data of aidd, for this checkout only.\n/data.*\n/.gitignore\n";

/// The directory of the indexes of commits, in [`DIR`].
const COMMITS: &str = "data.index.commits";
/// Maximum number of indexes of commits.
const MAX_COMMITS: usize = 4;

/// The root of the index of a commit, a directory with the name `key` in the data of the project at
/// `root`. Creates the directory, and removes those that were not used for the longest time.
#[expect(clippy::disallowed_methods, reason = "indexes are not files of the project")]
pub(crate) fn commit_root(root: &Path, key: &str) -> Result<PathBuf, IndexError> {
    drop(lock(root)?);
    let all = root.join(DIR).join(COMMITS);
    let found = all.join(key);
    for dir in [&all, &found] {
        refuse_link(dir)?;
        fs::create_dir_all(dir).map_err(IndexError::io(dir))?;
    }
    let lock = lock(&found)?;
    // The time of the last use.
    let _ = lock.0.set_modified(SystemTime::now());
    drop(lock);
    let used =
        |dir: &PathBuf| fs::metadata(dir.join(DIR).join(LOCK)).and_then(|data| data.modified());
    let others =
        fs::read_dir(&all).map_err(IndexError::io(&all))?.flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> = others.filter(|dir| *dir != found).collect();
    others.sort_by_cached_key(|dir| used(dir).ok());
    let extra = (others.len() + 1).saturating_sub(MAX_COMMITS);
    for dir in others.iter().take(extra) {
        let _ = fs::remove_dir_all(dir);
    }
    Ok(found)
}

/// The path of the database of the project at `root`.
#[must_use]
pub fn path(root: &Path) -> PathBuf {
    root.join(DIR).join(NAME)
}

/// `path` with a suffix after its name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The version in `meta` of a current database.
fn version() -> String {
    format!("{SCHEMA_VERSION}.{}.{}", outline::VERSION, env!("CARGO_PKG_VERSION"))
}

fn refuse_link(path: &Path) -> Result<(), IndexError> {
    if fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_symlink()) {
        return Err(IndexError::Link(path.to_owned()));
    }
    Ok(())
}

/// A lock between processes; released when dropped, and by the system when the process dies.
#[derive(Debug)]
pub(crate) struct Lock(File);

/// Takes the lock for writing; creates the directory if it does not exist.
pub(crate) fn lock(root: &Path) -> Result<Lock, IndexError> {
    let dir = root.join(DIR);
    refuse_link(&dir)?;
    fs::create_dir_all(&dir).map_err(IndexError::io(&dir))?;
    let ignore = OpenOptions::new().write(true).create_new(true).open(dir.join(".gitignore"));
    let _ = ignore.and_then(|mut file| file.write_all(IGNORE_RULES.as_bytes()));
    let path = dir.join(LOCK);
    refuse_link(&path)?;
    for suffix in ["", "-wal", "-shm", ".new"] {
        refuse_link(&with_suffix(&self::path(root), suffix))?;
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(IndexError::io(&path))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                let busy = std::io::Error::from(std::io::ErrorKind::WouldBlock);
                return Err(IndexError::io(&path)(busy));
            }
            Err(TryLockError::Error(error)) => return Err(IndexError::io(&path)(error)),
        }
    }
}

/// Opens the database if it exists and is current.
pub(crate) fn open(root: &Path) -> Result<Option<Connection>, IndexError> {
    let path = path(root);
    refuse_link(&root.join(DIR))?;
    refuse_link(&path)?;
    if !path.is_file() {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = Connection::open_with_flags(&path, flags) else { return Ok(None) };
    // A file that is not a database, or that another version wrote, is rebuilt.
    if prepare(&connection).is_err() || stored_version(&connection) != Some(version()) {
        return Ok(None);
    }
    Ok(Some(connection))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")
}

fn stored_version(connection: &Connection) -> Option<String> {
    let sql = "SELECT value FROM meta WHERE key = 'version'";
    connection.query_row(sql, [], |row| row.get(0)).optional().ok().flatten()
}

/// Marks the database as changed. Each state has a different mark, also after a new build.
pub(crate) fn set_generation(connection: &Connection) -> rusqlite::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mark = format!("{now:x}.{:x}", std::process::id());
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?1)", [mark])?;
    Ok(())
}

/// Opens the database read-only.
pub(crate) fn open_read_only(root: &Path) -> Result<Connection, IndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path(root), flags)?)
}

/// The identity of a file, which a replacement does not have: device and inode.
pub(crate) type FileId = (u64, u64);

/// The identity of the database at `root`; `None` if there is none, or on a platform without inodes.
pub(crate) fn file_id(root: &Path) -> Option<FileId> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let data = fs::metadata(path(root)).ok()?;
        Some((data.dev(), data.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = root;
        None
    }
}

/// A new database next to the current one, which it replaces when it is complete.
pub(crate) struct Fresh {
    /// The name of the project.
    name: String,
    pub(crate) connection: Connection,
    at: PathBuf,
    path: PathBuf,
}

/// Creates an empty database next to the current one, for the project at `project`. The caller holds
/// the lock.
pub(crate) fn create(root: &Path, project: &Path) -> Result<Fresh, IndexError> {
    let path = path(root);
    let at = with_suffix(&path, ".new");
    let _ = fs::remove_file(&at);
    let connection = Connection::open(&at)?;
    connection.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16000;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(SCHEMA)?;
    connection.execute_batch(VIEWS)?;
    // The project is named after its directory.
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let name = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Fresh { name, connection, at, path })
}

impl Fresh {
    /// Creates the indexes of the tables and replaces the current database.
    pub(crate) fn finish(self) -> Result<(), IndexError> {
        self.connection.execute_batch(INDEXES)?;
        let sql = "INSERT OR REPLACE INTO meta VALUES ('project', ?1)";
        self.connection.execute(sql, [self.name])?;
        let sql = "INSERT OR REPLACE INTO meta VALUES ('version', ?1)";
        self.connection.execute(sql, [version()])?;
        self.connection.execute_batch("PRAGMA locking_mode = NORMAL;")?;
        self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        drop(self.connection);
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(with_suffix(&self.at, suffix));
            let _ = fs::remove_file(with_suffix(&self.path, suffix));
        }
        fs::rename(&self.at, &self.path).map_err(IndexError::io(&self.path))
    }
}

/// Whether the project at `root` has an index.
#[must_use]
pub fn exists(root: &Path) -> bool {
    path(root).exists()
}

/// Removes the database, and those of commits; returns whether there was one.
///
/// # Errors
/// When the lock cannot be taken.
pub fn remove(root: &Path) -> Result<bool, IndexError> {
    if !root.join(DIR).is_dir() {
        return Ok(false);
    }
    let _lock = lock(root)?;
    let (path, commits) = (path(root), root.join(DIR).join(COMMITS));
    refuse_link(&commits)?;
    let was_there = path.exists() || commits.exists();
    let _ = fs::remove_dir_all(&commits);
    for suffix in ["", "-wal", "-shm", ".new"] {
        let _ = fs::remove_file(with_suffix(&path, suffix));
    }
    Ok(was_there)
}
