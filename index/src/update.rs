//! Brings the index up to date: builds it if there is none; otherwise, reads the changed files again
//! and resolves the references that the changes can affect.

mod edit;
mod stale;

use crate::effects::Spread;
use crate::facts::{self, Target, hash_of};
use crate::resolve::Resolver;
use crate::resolve::world::{Entry, Table, World};
use crate::rows::{self, ReadFile, assign_ids, stamp_number};
use crate::{IndexError, store};
use aidd_engine::forms::generated::is_generated;
use aidd_engine::project::config::Config;
use aidd_engine::project::imports::{Facts, ImportTarget, ImportTargets, Name};
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::walk::{self, Stamped};
use edit::Edit;
use rusqlite::{Connection, TransactionBehavior};
use stale::{
    Known, is_settled, known_files, manifest_hash, manifest_stamp, same_for_git, stale,
    store_manifests, stored, unchanged,
};
pub(crate) use stale::{is_manifest, sources, stamped};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum number of threads that read files.
const MAX_THREADS: usize = 16;
/// Minimum number of files per thread.
const FILES_PER_THREAD: usize = 24;

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

/// Brings the index of the project up to date.
///
/// # Errors
/// When the database cannot be written.
pub fn refresh(disk: &Disk, config: &Config) -> Result<Update, IndexError> {
    refresh_for(disk, config, Process::Continues)
}

/// Like [`refresh`], for a process that ends soon: the memory of a build is not freed, because the
/// system frees it faster.
///
/// # Errors
/// When the database cannot be written.
pub fn refresh_before_exit(disk: &Disk, config: &Config) -> Result<Update, IndexError> {
    refresh_for(disk, config, Process::Ends)
}

/// What a process does after an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    Continues,
    Ends,
}

fn refresh_for(disk: &Disk, config: &Config, process: Process) -> Result<Update, IndexError> {
    let is_stamped = |name: &str| facts::language(name).is_some() || is_manifest(name);
    refresh_listed(disk, &walk::list_stamped(config, disk, &is_stamped)?, process)
}

/// Brings the index of the listed files up to date. `listed` are all files of the project, sorted; source
/// files and manifests have stamps.
pub(crate) fn refresh_listed(
    disk: &Disk,
    listed: &[Stamped],
    process: Process,
) -> Result<Update, IndexError> {
    let mut update = compare_listed(disk, listed, process)?;
    update.unread = sources(listed).count().saturating_sub(update.files);
    Ok(update)
}

fn compare_listed(disk: &Disk, listed: &[Stamped], process: Process) -> Result<Update, IndexError> {
    if let Some(connection) = store::open(disk.root())?
        && let Some(files) = unchanged(&connection, disk, listed)?
    {
        return Ok(Update { files, ..Update::default() });
    }
    let _lock = store::lock(disk.root())?;
    // Another process can have updated the index in the meantime.
    match store::open(disk.root())? {
        Some(mut connection) => match edit(disk, listed, &mut connection) {
            Err(IndexError::Database(error)) if is_damaged(&error) => build(disk, listed, process),
            Err(IndexError::Damaged(_)) => build(disk, listed, process),
            result => result,
        },
        None => build(disk, listed, process),
    }
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

/// Reads files in parallel; the result has the order of `paths`. Files whose hash is the same as in
/// `known` are returned without facts.
fn read_files(
    files: &dyn Files,
    paths: &[String],
    known: &HashMap<String, Known>,
) -> Vec<ReadFile> {
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
            found.extend(read_file(files, path, hash, now).map(|file| (at, file)));
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

fn read_file(
    files: &dyn Files,
    path: &str,
    known: Option<i64>,
    now: SystemTime,
) -> Option<ReadFile> {
    let stamp = files.content_stamp(path);
    let bytes = files.read(path, facts::MAX_BYTES + 1).ok()?;
    if bytes.len() as u64 > facts::MAX_BYTES || walk::is_binary(&bytes) {
        return None;
    }
    let (hash, size) = (hash_of(&bytes), bytes.len() as u64);
    let stamp = stamp.filter(|stamp| is_settled(stamp, now));
    let mut file = ReadFile {
        path: path.to_owned(),
        hash,
        stamp,
        size,
        lines: 0,
        generated: false,
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
    file.generated = is_generated(path, text) || has_generated_name(path);
    file.facts = Some(facts::read(path, text)?);
    Some(file)
}

/// Whether a file has a name that generators of code give: protoc, controller-gen, build_runner, Roslyn.
fn has_generated_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.ends_with("_pb2")
        || stem.ends_with("_pb2_grpc")
        || [".pb", ".pb.gw", "_grpc.pb", ".g", ".freezed", ".generated", ".Designer", "_generated"]
            .iter()
            .any(|end| stem.ends_with(end))
        || name.starts_with("zz_generated")
        || path.split('/').any(|part| part == "__generated__")
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

/// Builds the index of the work tree from all files.
fn build(disk: &Disk, listed: &[Stamped], process: Process) -> Result<Update, IndexError> {
    build_from(disk, listed, (disk.root(), disk.root()), process)
}

/// Builds an index from all of `content`, which are the files of the project at `project`, for the root
/// `root`.
pub(crate) fn build_from(
    content: &dyn Files,
    listed: &[Stamped],
    (root, project): (&Path, &Path),
    process: Process,
) -> Result<Update, IndexError> {
    let manifests = manifest_stamp(listed);
    // Before anything reads the manifests: a later change has another hash.
    let manifest_hash = manifest_hash(content, listed);
    let paths: Vec<String> = sources(listed).map(|(path, _)| path.clone()).collect();
    let mut files = read_files(content, &paths, &HashMap::new());
    files.retain(|file| file.facts.is_some());
    let fresh = store::create(root, project)?;
    let connection = &fresh.connection;
    connection.execute_batch("BEGIN")?;
    let ids: HashMap<String, u32> =
        files.iter().zip(1_u32..).map(|(file, id)| (file.path.clone(), id)).collect();
    let by_path: BTreeMap<String, Arc<Facts>> = files
        .iter()
        .filter(|file| !facts::has_namespaces(&file.path))
        .filter_map(|file| Some((file.path.clone(), file.facts.as_ref()?.imports.clone())))
        .collect();
    let listing = Listing::new(listed.iter().map(|(path, _)| path.clone()));
    let imports = ImportTargets::new(content, &listing, &by_path);
    let (mut next, mut entries) = (0, Table::default());
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
        (*id, entry.facts.get().and_then(|facts| facts.imports.package.clone()))
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
    store_manifests(connection, listed, &manifests, &manifest_hash)?;
    store::set_generation(connection)?;
    connection.execute_batch("COMMIT")?;
    fresh.finish()?;
    if process == Process::Ends {
        std::mem::forget((world, spread));
    }
    Ok(Update { files: count, changed: count, resolved: count, built: true, unread: 0 })
}

/// Updates the index after changes.
fn edit(
    disk: &Disk,
    listed: &[Stamped],
    connection: &mut Connection,
) -> Result<Update, IndexError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let manifests = manifest_stamp(listed);
    let known = known_files(&transaction)?;
    let stale = stale(listed, &known, &manifests, &transaction)?;
    let mut stamps = same_for_git(disk, &stale.read, &known);
    let others = stale.read.iter().filter(|path| !stamps.contains_key(path.as_str()));
    let mut read = read_files(disk, &others.cloned().collect::<Vec<_>>(), &known);
    let found: HashSet<String> = read.iter().map(|file| file.path.clone()).collect();
    let same: Vec<ReadFile> = read.extract_if(.., |file| file.facts.is_none()).collect();
    stamps.extend(same.iter().map(|file| (file.path.as_str(), file.stamp)));
    for (path, stamp) in &stamps {
        let Some(known) = known.get(*path) else { continue };
        transaction
            .prepare_cached("UPDATE files SET stamp = ?2 WHERE id = ?1")?
            .execute((known.id, stamp_number(*stamp)))?;
    }
    // A file that can no longer be parsed is removed.
    let mut removed = stale.removed.clone();
    let is_kept = |path: &String| found.contains(path) || stamps.contains_key(path.as_str());
    removed.extend(
        stale.read.iter().filter(|path| known.contains_key(*path) && !is_kept(path)).cloned(),
    );
    let mut update = Update { files: known.len(), ..Update::default() };
    update.changed = read.len() + removed.len();
    // Before anything reads the manifests: a later change has another hash.
    let manifest_hash = stale.manifests.then(|| manifest_hash(disk, listed));
    let is_manifest_changed =
        manifest_hash.is_some() && manifest_hash != stored(&transaction, "manifest_hash");
    if update.changed > 0 || is_manifest_changed {
        Edit { disk, listed, connection: &transaction, known: &known }.apply(
            read,
            &removed,
            is_manifest_changed,
            &mut update,
        )?;
    }
    if let Some(hash) = manifest_hash {
        store_manifests(&transaction, listed, &manifests, &hash)?;
    }
    store::set_generation(&transaction)?;
    transaction.commit()?;
    Ok(update)
}
