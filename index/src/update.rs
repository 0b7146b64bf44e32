//! Brings the index up to date: builds it if there is none; otherwise, reads the changed files again
//! and resolves the references that the changes can affect.

mod edit;

use crate::effects::Spread;
use crate::facts::{self, Target, hash_of};
use crate::resolve::Resolver;
use crate::resolve::world::{Entry, World};
use crate::rows::{self, ReadFile, assign_ids, stamp_number};
use crate::{IndexError, store};
use aidd_engine::project::config::Config;
use aidd_engine::project::imports::{Facts, ImportTarget, ImportTargets, Name};
use aidd_engine::text::files::{Disk, Files, MIN_STAMP_AGE, Stamp};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::walk::{self, Walk};
use edit::Edit;
use rusqlite::{Connection, TransactionBehavior};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum number of threads that read files.
const MAX_THREADS: usize = 16;
/// Minimum number of files per thread.
const FILES_PER_THREAD: usize = 24;

/// The files whose content determines the targets of imports.
const MANIFESTS: &[&str] = &[
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

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The number of indexed files.
    pub files: usize,
    /// The number of files that were read again or removed.
    pub changed: usize,
    /// The number of files whose references were resolved again.
    pub resolved: usize,
    /// Whether the index was built from all files.
    pub built: bool,
    /// The number of source files that are not in the index: too large, binary or not readable.
    pub unread: usize,
}

/// A row of the table of files.
struct Known {
    id: u32,
    hash: i64,
    stamp: Option<i64>,
    size: i64,
}

/// Brings the index of the project up to date.
///
/// # Errors
/// When the database cannot be written.
pub fn refresh(disk: &Disk, config: &Config) -> Result<Update, IndexError> {
    let walk = Walk::over(vec![disk.root().to_owned()]);
    let listed = walk::list(config, disk, &walk)?;
    refresh_listed(disk, &listed)
}

/// Brings the index of the listed files up to date.
pub(crate) fn refresh_listed(disk: &Disk, listed: &BTreeSet<String>) -> Result<Update, IndexError> {
    let mut update = compare_listed(disk, listed)?;
    let sources = listed.iter().filter(|path| facts::language(path).is_some()).count();
    update.unread = sources.saturating_sub(update.files);
    Ok(update)
}

fn compare_listed(disk: &Disk, listed: &BTreeSet<String>) -> Result<Update, IndexError> {
    if let Some(connection) = store::open(disk.root())? {
        let known = known_files(&connection)?;
        let stale = stale(disk, listed, &known, manifest_stamp(disk, listed), &connection)?;
        if stale.is_empty() {
            return Ok(Update { files: known.len(), ..Update::default() });
        }
    }
    let _lock = store::lock(disk.root())?;
    // Another process can have updated the index in the meantime.
    match store::open(disk.root())? {
        Some(mut connection) => match edit(disk, listed, &mut connection) {
            Err(IndexError::Database(error)) if is_damaged(&error) => build(disk, listed),
            Err(IndexError::Damaged(_)) => build(disk, listed),
            result => result,
        },
        None => build(disk, listed),
    }
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

/// The differences between the files and the index.
#[derive(Default)]
struct Stale {
    /// Files that are new or can have changed.
    read: Vec<String>,
    /// Files that no longer exist.
    removed: Vec<String>,
    /// Whether a manifest changed.
    manifests: bool,
}

impl Stale {
    fn is_empty(&self) -> bool {
        self.read.is_empty() && self.removed.is_empty() && !self.manifests
    }
}

fn known_files(connection: &Connection) -> Result<HashMap<String, Known>, IndexError> {
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

/// A hash of the paths and stamps of the manifests.
fn manifest_stamp(disk: &Disk, listed: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for path in listed {
        if is_manifest(path.rsplit('/').next().unwrap_or(path)) {
            let stamp = disk.content_stamp(path);
            text.push_str(path);
            text.push_str(&format!("{:?}", stamp_number(stamp)));
        }
    }
    hash_of(text.as_bytes()).to_string()
}

fn stale(
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
    let sql = "SELECT value FROM meta WHERE key = 'manifests'";
    let stored: Option<String> = connection.query_row(sql, [], |row| row.get(0)).ok();
    stale.manifests = stored != Some(manifests);
    Ok(stale)
}

/// The source files that exist, with their stamps; grouped by directory.
fn source_stamps<'l>(disk: &Disk, listed: &'l BTreeSet<String>) -> Vec<(&'l str, Stamp)> {
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

/// Reads files in parallel; the result has the order of `paths`. Files whose hash is the same as in
/// `known` are returned without facts.
fn read_files(disk: &Disk, paths: &[String], known: &HashMap<String, Known>) -> Vec<ReadFile> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (paths.len() / FILES_PER_THREAD).clamp(1, processors.min(MAX_THREADS));
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(paths.len())));
    let now = SystemTime::now();
    let work = || {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(at) else { break };
            let hash = known.get(path).map(|known| known.hash);
            found.extend(read_file(disk, path, hash, now).map(|file| (at, file)));
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).append(&mut found);
    };
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    let mut all = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, file)| file).collect()
}

fn read_file(disk: &Disk, path: &str, known: Option<i64>, now: SystemTime) -> Option<ReadFile> {
    let stamp = disk.content_stamp(path);
    let bytes = disk.read(path, facts::MAX_BYTES + 1).ok()?;
    if bytes.len() as u64 > facts::MAX_BYTES || walk::is_binary(&bytes) {
        return None;
    }
    let (hash, size) = (hash_of(&bytes), bytes.len() as u64);
    // A file that was just written could be written again without a change to its time stamp.
    let is_settled =
        |stamp: &Stamp| now.duration_since(stamp.0).is_ok_and(|age| age > MIN_STAMP_AGE);
    let stamp = stamp.filter(is_settled);
    let mut file = ReadFile {
        path: path.to_owned(),
        hash,
        stamp,
        size,
        lines: 0,
        line_starts: Vec::new(),
        facts: None,
    };
    if known == Some(hash) {
        return Some(file);
    }
    let source = Source::decode(path, bytes);
    let text = source.text();
    let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    file.line_starts = std::iter::once(0)
        .chain(starts.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
        .collect();
    file.lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    file.facts = Some(facts::read(path, text)?);
    Some(file)
}

/// Resolves the imports of a file.
fn targets(
    resolver: &ImportTargets<'_>,
    path: &str,
    facts: &Facts,
    ids: &HashMap<String, u32>,
) -> Vec<Target> {
    let resolve = |import: &aidd_engine::project::imports::Import| match resolver
        .target(path, &import.name)
    {
        ImportTarget::Files(files) => Target {
            files: files.iter().filter_map(|file| ids.get(file).copied()).collect(),
            package: None,
        },
        ImportTarget::Package(package) => Target { files: Vec::new(), package: Some(package) },
        ImportTarget::Unresolved => Target::default(),
    };
    if facts::has_namespaces(path) {
        return facts.imports.iter().map(|import| ruby_target(path, &import.name, ids)).collect();
    }
    facts.imports.iter().map(resolve).collect()
}

/// The file that `require_relative` loads. Imports of namespaces have no target files: the resolver
/// finds their symbols.
fn ruby_target(path: &str, name: &Name, ids: &HashMap<String, u32>) -> Target {
    let Name::Script(name) = name else { return Target::default() };
    if !name.starts_with('.') {
        return Target { files: Vec::new(), package: Some(format!("gem:{name}")) };
    }
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    let target = format!("{}.rb", parts.join("/").trim_end_matches(".rb"));
    Target { files: ids.get(&target).copied().into_iter().collect(), package: None }
}

fn packages<'f>(
    files: impl Iterator<Item = (u32, Option<&'f String>)>,
) -> HashMap<String, Vec<u32>> {
    let mut all: HashMap<String, Vec<u32>> = HashMap::new();
    for (id, package) in files {
        if let Some(package) = package {
            all.entry(package.clone()).or_default().push(id);
        }
    }
    all
}

/// Builds the index from all files.
fn build(disk: &Disk, listed: &BTreeSet<String>) -> Result<Update, IndexError> {
    let manifests = manifest_stamp(disk, listed);
    let paths: Vec<String> =
        listed.iter().filter(|path| facts::language(path).is_some()).cloned().collect();
    let mut files = read_files(disk, &paths, &HashMap::new());
    files.retain(|file| file.facts.is_some());
    let fresh = store::create(disk.root())?;
    let connection = &fresh.connection;
    connection.execute_batch("BEGIN")?;
    let ids: HashMap<String, u32> =
        files.iter().zip(1_u32..).map(|(file, id)| (file.path.clone(), id)).collect();
    let by_path: BTreeMap<String, Arc<Facts>> = files
        .iter()
        .filter(|file| !facts::has_namespaces(&file.path))
        .filter_map(|file| Some((file.path.clone(), file.facts.as_ref()?.imports.clone())))
        .collect();
    let listing = Listing::new(listed.iter().cloned());
    let imports = ImportTargets::new(disk, &listing, &by_path);
    let (mut next, mut entries) = (0, HashMap::new());
    for (mut file, id) in files.into_iter().zip(1_u32..) {
        let Some(mut facts) = file.facts.take() else { continue };
        facts.targets = targets(&imports, &file.path, &facts.imports, &ids);
        let keys = assign_ids(&file.path, &mut facts, &HashMap::new(), &mut next);
        rows::write_file(connection, id, &file, &facts, &keys)?;
        for symbol in &mut facts.outline.symbols {
            symbol.signature = String::new();
            symbol.doc = None;
        }
        entries.insert(id, Entry::new(file.path, Some(Arc::new(facts))));
    }
    let count = entries.len();
    let found = entries.iter().map(|(id, entry)| {
        let facts = entry.facts.borrow();
        (*id, facts.as_ref().and_then(|facts| facts.imports.package.clone()))
    });
    let found: Vec<_> = found.collect();
    let mut packages = packages(found.iter().map(|(id, package)| (*id, package.as_ref())));
    packages.values_mut().for_each(|files| files.sort_unstable());
    let world = World::new(entries, packages, None);
    let resolver = Resolver::new(&world);
    let mut spread = Spread::default();
    for id in (1..).take(count) {
        rows::write_refs(connection, &resolver, id, &mut spread)?;
    }
    spread.write_all(connection)?;
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('manifests', ?1)", [manifests])?;
    store::set_generation(connection)?;
    connection.execute_batch("COMMIT")?;
    fresh.finish()?;
    Ok(Update { files: count, changed: count, resolved: count, built: true, unread: 0 })
}

/// Updates the index after changes.
fn edit(
    disk: &Disk,
    listed: &BTreeSet<String>,
    connection: &mut Connection,
) -> Result<Update, IndexError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let manifests = manifest_stamp(disk, listed);
    let known = known_files(&transaction)?;
    let stale = stale(disk, listed, &known, manifests.clone(), &transaction)?;
    let mut read = read_files(disk, &stale.read, &known);
    for file in read.iter().filter(|file| file.facts.is_none()) {
        let Some(known) = known.get(&file.path) else { continue };
        transaction
            .prepare_cached("UPDATE files SET stamp = ?2 WHERE id = ?1")?
            .execute((known.id, stamp_number(file.stamp)))?;
    }
    // A file that can no longer be parsed is removed.
    let mut removed = stale.removed.clone();
    let is_read = |path: &String| read.iter().any(|file| file.path == *path);
    removed.extend(
        stale.read.iter().filter(|path| known.contains_key(*path) && !is_read(path)).cloned(),
    );
    read.retain(|file| file.facts.is_some());
    let mut update = Update { files: known.len(), ..Update::default() };
    update.changed = read.len() + removed.len();
    if update.changed > 0 || stale.manifests {
        Edit { disk, listed, connection: &transaction, known: &known }.apply(
            read,
            &removed,
            stale.manifests,
            &mut update,
        )?;
    }
    transaction.execute("INSERT OR REPLACE INTO meta VALUES ('manifests', ?1)", [manifests])?;
    store::set_generation(&transaction)?;
    transaction.commit()?;
    Ok(update)
}
