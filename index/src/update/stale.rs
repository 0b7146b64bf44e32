//! The differences between the files and the index.

use crate::IndexError;
use crate::facts::{self, hash_of};
use crate::rows::stamp_number;
use aidd_engine::project::git::Unchanged;
use aidd_engine::text::files::{Disk, Files, MIN_STAMP_AGE, Stamp};
use aidd_engine::workspace::walk::Stamped;
use rusqlite::Connection;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::time::SystemTime;

/// Minimum number of changed stamps for which Git's index is read.
const MIN_FOR_GIT: usize = if cfg!(test) { 1 } else { 16 };

/// The files whose content determines the targets of imports.
pub(super) const MANIFESTS: &[&str] = &[
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "pnpm-workspace.yaml",
    "deno.json",
];

/// A row of the table of files.
pub(super) struct Known {
    pub(super) id: u32,
    pub(super) hash: i64,
    pub(super) stamp: Option<i64>,
    pub(super) size: i64,
}

/// The differences between the files and the index.
#[derive(Default)]
pub(super) struct Stale {
    /// Files that are new or can have changed.
    pub(super) read: Vec<String>,
    /// Files that no longer exist.
    pub(super) removed: Vec<String>,
    /// Whether a manifest can have changed.
    pub(super) manifests: bool,
}

impl Stale {
    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.removed.is_empty() && !self.manifests
    }
}

pub(super) fn known_files(connection: &Connection) -> Result<HashMap<String, Known>, IndexError> {
    let mut statement = connection.prepare("SELECT id, path, hash, stamp, size FROM files")?;
    let rows = statement.query_map([], |row| {
        let known =
            Known { id: row.get(0)?, hash: row.get(2)?, stamp: row.get(3)?, size: row.get(4)? };
        Ok((row.get(1)?, known))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether the content of a file with this name determines the targets of imports.
pub(crate) fn is_manifest(name: &str) -> bool {
    let is_config = name.starts_with("tsconfig") && name.ends_with(".json");
    is_config || MANIFESTS.contains(&name)
}

pub(super) fn manifests(listed: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    listed.iter().filter(|path| has_manifest_name(path))
}

fn has_manifest_name(path: &str) -> bool {
    is_manifest(path.rsplit('/').next().unwrap_or(path))
}

/// A hash of the paths and stamps of the manifests.
pub(super) fn manifest_stamp(disk: &Disk, listed: &BTreeSet<String>) -> String {
    stamps_hash(manifests(listed).map(|path| (path, disk.content_stamp(path))))
}

fn stamps_hash<'l>(stamps: impl Iterator<Item = (&'l String, Option<Stamp>)>) -> String {
    let text = stamps.fold(String::new(), |mut text, (path, stamp)| {
        let _ = write!(text, "{path}{:?}", stamp_number(stamp));
        text
    });
    hash_of(text.as_bytes()).to_string()
}

/// The numbers of indexed files and of `sources`, if the index is up to date. `listed` are all files of
/// the project, and `sources` those in languages of the index; both have stamps, and are sorted.
pub(super) fn unchanged<'l>(
    connection: &Connection,
    listed: &[Stamped],
    sources: impl Iterator<Item = &'l Stamped>,
) -> Result<Option<(usize, usize)>, IndexError> {
    let found = listed.iter().filter(|(path, _)| has_manifest_name(path));
    let manifests = stamps_hash(found.map(|(path, stamp)| (path, *stamp)));
    if stored(connection, "manifests") != Some(manifests) {
        return Ok(None);
    }
    let sql = "SELECT path, stamp, size FROM files ORDER BY path";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let (mut indexed, mut total) = (0, 0);
    for (path, stamp) in sources {
        total += 1;
        let Some(stamp) = stamp.filter(|stamp| stamp.1 <= facts::MAX_BYTES) else { continue };
        let Some(row) = rows.next()? else { return Ok(None) };
        let known: Option<i64> = row.get(1)?;
        let is_same = row.get_ref(0)?.as_str().is_ok_and(|known| known == path)
            && known.is_some()
            && known == stamp_number(Some(stamp))
            && row.get_ref(2)?.as_i64().is_ok_and(|size| u64::try_from(size) == Ok(stamp.1));
        if !is_same {
            return Ok(None);
        }
        indexed += 1;
    }
    Ok(rows.next()?.is_none().then_some((indexed, total)))
}

/// A hash of the paths and contents of the manifests.
pub(super) fn manifest_hash(disk: &Disk, listed: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for path in manifests(listed) {
        let hash = disk.read(path, facts::MAX_BYTES).map(|bytes| hash_of(&bytes));
        text.push_str(&format!("{path} {:?}\n", hash.ok()));
    }
    hash_of(text.as_bytes()).to_string()
}

/// The stored value with this key.
pub(super) fn stored(connection: &Connection, key: &str) -> Option<String> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    connection.query_row(sql, [key], |row| row.get(0)).ok()
}

/// Stores the state of the manifests.
pub(super) fn store_manifests(
    connection: &Connection,
    stamp: &str,
    hash: &str,
) -> Result<(), IndexError> {
    for (key, value) in [("manifests", stamp), ("manifest_hash", hash)] {
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (key, value))?;
    }
    Ok(())
}

pub(super) fn stale(
    disk: &Disk,
    listed: &BTreeSet<String>,
    known: &HashMap<String, Known>,
    manifests: String,
    connection: &Connection,
) -> Result<Stale, IndexError> {
    let mut stale = Stale::default();
    let mut indexed = HashSet::with_capacity(known.len());
    for (path, stamp) in source_stamps(disk, listed) {
        if stamp.1 > facts::MAX_BYTES {
            continue;
        }
        let is_same = known.get(path).is_some_and(|known| {
            known.stamp.is_some()
                && known.stamp == stamp_number(Some(stamp))
                && known.size == i64::try_from(stamp.1).unwrap_or(i64::MAX)
        });
        if !is_same {
            stale.read.push(path.to_owned());
        }
        indexed.insert(path);
    }
    stale.read.sort();
    stale.removed = known.keys().filter(|path| !indexed.contains(&***path)).cloned().collect();
    stale.removed.sort();
    stale.manifests = stored(connection, "manifests") != Some(manifests);
    Ok(stale)
}

/// The source files that exist, with their stamps; grouped by directory.
pub(super) fn source_stamps<'l>(
    disk: &Disk,
    listed: &'l BTreeSet<String>,
) -> Vec<(&'l str, Stamp)> {
    let mut by_dir: HashMap<&str, Vec<&str>> = HashMap::new();
    for path in listed.iter().filter(|path| facts::language(path).is_some()) {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        by_dir.entry(dir).or_default().push(path);
    }
    let mut found = Vec::new();
    for (dir, paths) in by_dir {
        let names = paths.iter().map(|path| path.rsplit('/').next().unwrap_or(path));
        let stamps = disk.stamps(dir, names);
        let with_stamp = |(path, stamp): (&&'l str, Option<Stamp>)| Some((*path, stamp?));
        found.extend(paths.iter().zip(stamps).filter_map(with_stamp));
    }
    found
}

/// Whether a later change of a file changes its stamp.
pub(super) fn is_settled(stamp: &Stamp, now: SystemTime) -> bool {
    now.duration_since(stamp.0).is_ok_and(|age| age > MIN_STAMP_AGE)
}

/// The files whose content is the indexed one according to Git's index, with their stamps. After a
/// checkout, all files have new stamps.
pub(super) fn same_for_git<'p>(
    disk: &Disk,
    paths: &'p [String],
    known: &HashMap<String, Known>,
) -> HashMap<&'p str, Option<Stamp>> {
    let git = (paths.len() >= MIN_FOR_GIT).then(|| Unchanged::open(disk.root()).ok()).flatten();
    let Some(git) = git else { return HashMap::new() };
    let now = SystemTime::now();
    let same = paths.iter().filter_map(|path| {
        let known = known.get(path)?;
        let (stamp, id) = git.content_id(path)?;
        let is_same = id.cast_signed() == known.hash && i64::try_from(stamp.1) == Ok(known.size);
        is_same.then(|| (path.as_str(), Some(stamp).filter(|stamp| is_settled(stamp, now))))
    });
    same.collect()
}
