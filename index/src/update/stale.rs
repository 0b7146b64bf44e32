//! The differences between the files and the index.

use crate::IndexError;
use crate::facts::{self, hash_of};
use crate::query::templates;
use crate::rows::stamp_number;
use aidd_engine::project::git::Unchanged;
use aidd_engine::text::files::{Disk, Files, MIN_STAMP_AGE, Stamp};
use aidd_engine::workspace::walk::{Stamped, is_binary};
use rusqlite::{Connection, Row};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::time::SystemTime;

/// Minimum number of changed stamps for which Git's index is read.
const MIN_FOR_GIT: usize = if cfg!(test) { 1 } else { 16 };
/// Maximum number of files that are read to find out whether the index is up to date.
const MAX_UNSURE: usize = 16;

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

/// The listed files in languages of the index.
pub(crate) fn sources(listed: &[Stamped]) -> impl Iterator<Item = &Stamped> {
    listed.iter().filter(|(path, _)| facts::language(path).is_some())
}

fn manifests(listed: &[Stamped]) -> impl Iterator<Item = &Stamped> {
    listed.iter().filter(|(path, _)| is_manifest(path.rsplit('/').next().unwrap_or(path)))
}

/// A hash of the paths and stamps of the manifests, and of the numbers of templates.
pub(super) fn manifest_stamp(listed: &[Stamped]) -> String {
    let templates = templates::counts(listed.iter().map(|(path, _)| path.as_str()));
    let text = manifests(listed).fold(templates, |mut text, (path, stamp)| {
        let _ = write!(text, "{path}{:?}", stamp_number(*stamp));
        text
    });
    hash_of(text.as_bytes()).to_string()
}

/// The number of indexed files, if the index is up to date. Files that were written so recently that
/// their stamps prove nothing, and files that can be binary, are read, if they are few; nothing is
/// stored for them.
pub(super) fn unchanged(
    connection: &Connection,
    disk: &Disk,
    listed: &[Stamped],
) -> Result<Option<usize>, IndexError> {
    if stored(connection, "manifests") != Some(manifest_stamp(listed)) {
        return Ok(None);
    }
    let sql = "SELECT path, stamp, size, hash FROM files ORDER BY path";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let (mut indexed, mut unsure, now) = (0, Vec::new(), SystemTime::now());
    let mut row = rows.next()?;
    for (path, stamp) in sources(listed) {
        let Some(stamp) = stamp.filter(|stamp| stamp.1 <= facts::MAX_BYTES) else { continue };
        let is_known =
            |row: &&Row<'_>| row.get_ref(0).is_ok_and(|known| known.as_str() == Ok(path));
        let Some(known) = row.filter(is_known) else {
            unsure.push((path, None));
            continue;
        };
        let mark: Option<i64> = known.get(1)?;
        if i64::try_from(stamp.1) != Ok(known.get(2)?) {
            return Ok(None);
        }
        if mark.is_none() || mark != stamp_number(Some(stamp)) {
            if is_settled(&stamp, now) {
                return Ok(None);
            }
            unsure.push((path, Some(known.get(3)?)));
        }
        indexed += 1;
        row = rows.next()?;
    }
    let is_same = |(path, hash): &(&String, Option<i64>)| {
        disk.read(path, facts::MAX_BYTES + 1).is_ok_and(|bytes| match hash {
            Some(hash) => hash_of(&bytes) == *hash,
            None => is_binary(&bytes),
        })
    };
    let is_complete = row.is_none() && unsure.len() <= MAX_UNSURE && unsure.iter().all(is_same);
    Ok(is_complete.then_some(indexed))
}

/// A hash of the paths and contents of the manifests.
pub(super) fn manifest_hash(files: &dyn Files, listed: &[Stamped]) -> String {
    let mut text = String::new();
    for (path, _) in manifests(listed) {
        let hash = files.read(path, facts::MAX_BYTES).map(|bytes| hash_of(&bytes));
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
    listed: &[Stamped],
    stamp: &str,
    hash: &str,
) -> Result<(), IndexError> {
    let templates = templates::counts(listed.iter().map(|(path, _)| path.as_str()));
    let values = [("manifests", stamp), ("manifest_hash", hash), (templates::KEY, &templates)];
    for (key, value) in values {
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", (key, value))?;
    }
    Ok(())
}

pub(super) fn stale(
    listed: &[Stamped],
    known: &HashMap<String, Known>,
    manifests: &str,
    connection: &Connection,
) -> Result<Stale, IndexError> {
    let mut stale = Stale::default();
    let mut indexed = HashSet::with_capacity(known.len());
    for (path, stamp) in sources(listed) {
        let Some(stamp) = stamp.filter(|stamp| stamp.1 <= facts::MAX_BYTES) else { continue };
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
    stale.removed = known.keys().filter(|path| !indexed.contains(path)).cloned().collect();
    stale.removed.sort();
    stale.manifests = stored(connection, "manifests").as_deref() != Some(manifests);
    Ok(stale)
}

/// The files, with the stamps of source files and manifests, which are read by directory.
pub(crate) fn stamped(disk: &Disk, paths: BTreeSet<String>) -> Vec<Stamped> {
    let mut by_dir: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    let mut stamps = vec![None; paths.len()];
    for (at, path) in paths.iter().enumerate() {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        if facts::language(path).is_some() || is_manifest(name) {
            by_dir.entry(dir).or_default().push((at, name));
        }
    }
    for (dir, names) in by_dir {
        let found = disk.stamps(dir, names.iter().map(|(_, name)| *name));
        for ((at, _), stamp) in names.into_iter().zip(found) {
            stamps[at] = stamp;
        }
    }
    paths.into_iter().zip(stamps).collect()
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
