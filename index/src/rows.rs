//! Writes the rows of files, symbols and references.

mod mounts;

use crate::IndexError;
use crate::accesses::Accesses;
use crate::effects::{Collector, Spread};
use crate::facts::FileFacts;
use crate::outline::RefKind;
use crate::resolve::Resolver;
use crate::resolve::world::Table;
use crate::routes::constants;
use aidd_engine::project::imports::Imported;
use aidd_engine::text::files::Stamp;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::time::UNIX_EPOCH;

/// Common names of directories above the sources, which do not name a theme.
const ROOTS: &[&str] = &[
    "apps", "com", "crates", "internal", "io", "java", "kotlin", "lib", "main", "net", "org",
    "packages", "pkg", "src", "test", "tests",
];

/// A file that was read.
#[derive(Debug)]
pub(crate) struct ReadFile {
    pub(crate) path: String,
    pub(crate) hash: i64,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) size: u64,
    pub(crate) lines: u32,
    /// Whether the file is generated or minified.
    pub(crate) generated: bool,
    /// The offset of the start of each line.
    pub(crate) line_starts: Vec<u32>,
    /// `None` if the file is unchanged.
    pub(crate) facts: Option<FileFacts>,
}

/// The time of a stamp, in nanoseconds since 1970.
pub(crate) fn stamp_number(stamp: Option<Stamp>) -> Option<i64> {
    let (time, _) = stamp?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// Assigns ids to the symbols of a file: an id in `before` for the same key is reused, other symbols
/// get the ids after `next`. Returns the keys.
pub(crate) fn assign_ids(
    path: &str,
    facts: &mut FileFacts,
    before: &HashMap<String, i64>,
    next: &mut i64,
) -> Vec<String> {
    let FileFacts { outline, ids, .. } = facts;
    let mut counts: Table<(&str, &str), u32> = Table::default();
    let mut keys = Vec::with_capacity(outline.symbols.len());
    ids.clear();
    for symbol in &outline.symbols {
        let kind = symbol.kind.name();
        let count = counts.entry((&symbol.qualified, kind)).or_default();
        *count += 1;
        let key = match *count {
            1 => format!("{path}#{}~{kind}", symbol.qualified),
            count => format!("{path}#{}~{kind}~{count}", symbol.qualified),
        };
        let id = before.get(&key).copied().unwrap_or_else(|| {
            *next += 1;
            *next
        });
        ids.push(id);
        keys.push(key);
    }
    keys
}

/// Writes a file and its symbols.
pub(crate) fn write_file(
    connection: &Connection,
    id: u32,
    file: &ReadFile,
    facts: &FileFacts,
    keys: &[String],
) -> Result<(), IndexError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO symbols VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23)",
    )?;
    for (at, symbol) in facts.outline.symbols.iter().enumerate() {
        let parameters = (!symbol.parameters.is_empty())
            .then(|| serde_json::Value::from(symbol.parameters.clone()).to_string());
        insert.execute(params![
            facts.ids[at],
            keys[at],
            id,
            symbol.name,
            symbol.qualified,
            symbol.kind.name(),
            symbol.start.line + 1,
            symbol.start.column,
            symbol.end.line + 1,
            symbol.end.column,
            symbol.at.line + 1,
            symbol.at.column,
            symbol.body.map(|(start, _)| start.line + 1),
            symbol.body.map(|(_, end)| end.line + 1),
            symbol.signature,
            parameters,
            symbol.return_type,
            symbol.doc,
            symbol.exported,
            symbol.test,
            symbol.parent.map(|parent| facts.ids[parent as usize]),
            symbol.complexity,
            symbol.body_hash,
        ])?;
    }
    write_stored(connection, id, file, facts)
}

/// Writes what was read from a file; most facts are shorter than its text, which has `size` bytes.
pub(crate) fn write_facts(
    connection: &Connection,
    id: u32,
    facts: &FileFacts,
    size: usize,
) -> Result<(), IndexError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO facts VALUES (?1,?2)")?
        .execute((id, postcard::to_extend(facts, Vec::with_capacity(size))?))?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO mentions VALUES (?1,?2)")?
        .execute((id, postcard::to_allocvec(&facts.mentions(id))?))?;
    Ok(())
}

/// Writes the row of a file, with its facts and imports.
fn write_stored(
    connection: &Connection,
    id: u32,
    file: &ReadFile,
    facts: &FileFacts,
) -> Result<(), IndexError> {
    let language = crate::facts::language_name(&file.path);
    let is_test = crate::facts::is_test(&file.path, &facts.imports);
    connection
        .prepare_cached("INSERT OR REPLACE INTO files VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")?
        .execute(params![
            id,
            file.path,
            language.unwrap_or_default(),
            file.hash,
            stamp_number(file.stamp),
            i64::try_from(file.size).unwrap_or(i64::MAX),
            file.lines,
            is_test,
            facts.imports.package,
            theme(&file.path),
            file.generated,
        ])?;
    write_facts(connection, id, facts, usize::try_from(file.size).unwrap_or_default())?;
    write_imports(connection, id, &file.line_starts, facts)
}

/// The theme of a file: its directory, cut after the second name that is not in [`ROOTS`].
fn theme(path: &str) -> &str {
    let Some((dir, _)) = path.rsplit_once('/') else { return "." };
    let mut left = 2;
    for (at, _) in dir.match_indices('/').chain([(dir.len(), "")]) {
        let name = dir[..at].rsplit('/').next().unwrap_or_default();
        if !ROOTS.contains(&name) {
            left -= 1;
        }
        if left == 0 {
            return &dir[..at];
        }
    }
    dir
}

fn write_imports(
    connection: &Connection,
    id: u32,
    line_starts: &[u32],
    facts: &FileFacts,
) -> Result<(), IndexError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO imports(file, module, target_file, line, external) VALUES (?1,?2,?3,?4,?5)",
    )?;
    let mut rows = Vec::with_capacity(facts.imports.imports.len());
    for (index, import) in facts.imports.imports.iter().enumerate() {
        if import.inline {
            rows.push(0);
            continue;
        }
        let target = facts.targets.get(index);
        let line = line_starts.partition_point(|start| *start <= import.span.start);
        insert.execute(params![
            id,
            import.name.display(),
            target.and_then(|target| target.files.first()),
            i64::try_from(line).unwrap_or(i64::MAX),
            target.is_some_and(|target| target.package.is_some()),
        ])?;
        rows.push(connection.last_insert_rowid());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO bindings(file, local, imported, exported, import) VALUES (?1,?2,?3,?4,?5)",
    )?;
    for binding in &facts.imports.bindings {
        let imported = match &binding.imported {
            Imported::Member(name) => name.as_str(),
            Imported::Default => "default",
            Imported::Module => ".",
            Imported::All => "*",
        };
        let row = rows.get(binding.import).copied().unwrap_or_default();
        insert.execute(params![id, binding.local, imported, binding.exported, row])?;
    }
    Ok(())
}

/// Removes the references of a file.
pub(crate) fn remove_refs(connection: &Connection, file: u32) -> Result<(), IndexError> {
    connection
        .prepare_cached(
            "DELETE FROM candidates WHERE ref IN (SELECT id FROM refs WHERE file = ?1)",
        )?
        .execute([file])?;
    connection.prepare_cached("DELETE FROM refs WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM accesses WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM declared_routes WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM mounts WHERE file = ?1")?.execute([file])?;
    Ok(())
}

/// Removes the imports and bindings of a file.
pub(crate) fn remove_imports(connection: &Connection, file: u32) -> Result<(), IndexError> {
    connection.prepare_cached("DELETE FROM imports WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM bindings WHERE file = ?1")?.execute([file])?;
    Ok(())
}

/// Removes a file and everything in it.
pub(crate) fn remove_file(connection: &Connection, file: u32) -> Result<(), IndexError> {
    remove_refs(connection, file)?;
    remove_imports(connection, file)?;
    connection.prepare_cached("DELETE FROM symbols WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM facts WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM mentions WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([file])?;
    Ok(())
}

/// Resolves and writes the references of a file.
pub(crate) fn write_refs(
    connection: &Connection,
    resolver: &Resolver<'_, '_>,
    file: u32,
    spread: &mut Spread,
) -> Result<(), IndexError> {
    let Some(facts) = resolver.world.facts(file) else { return Ok(()) };
    let mut collector = Collector::new(resolver, file, facts);
    let mut insert = connection.prepare_cached(
        "INSERT INTO refs(file, line, column, name, kind, source, target, certainty)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
    )?;
    let mut candidate =
        connection.prepare_cached("INSERT OR IGNORE INTO candidates VALUES (?1,?2)")?;
    let accesses = Accesses::new(resolver, file, facts.clone());
    let mut access_row = connection.prepare_cached(
        "INSERT INTO accesses(file, symbol, kind, certainty, line, code) VALUES (?1,?2,?3,?4,?5,?6)",
    )?;
    for found in &facts.outline.refs {
        let resolved = resolver.resolve(file, found);
        if resolved.target.is_none()
            && let Some(access) = accesses.of(found)
        {
            let symbol = found.source.map(|at| facts.ids[at as usize]);
            let certainty = if access.is_proved { "proved" } else { "possible" };
            let line = found.at.line + 1;
            access_row.execute(params![file, symbol, access.kind, certainty, line, access.code])?;
        }
        if found.kind != RefKind::Value {
            collector.add(found, &resolved);
        }
        let is_call = matches!(found.kind, RefKind::Call | RefKind::New);
        // An annotation of a package: the package uses what it marks.
        let is_annotation = found.kind == RefKind::Decorates && resolver.has_field_uses(file);
        // Other names of the language and of packages are listed only where they are called.
        let is_known = resolved.target.is_some() || !resolved.candidates.is_empty();
        if !is_known && !is_call && !is_annotation {
            continue;
        }
        insert.execute(params![
            file,
            found.at.line + 1,
            found.at.column,
            found.name,
            resolved.kind.name(),
            found.source.map(|at| facts.ids[at as usize]),
            resolved.target.and_then(|id| resolver.world.stored_id(id)),
            resolved.certainty.name(),
        ])?;
        if !resolved.candidates.is_empty() {
            let row = connection.last_insert_rowid();
            for id in resolved.candidates {
                if let Some(id) = resolver.world.stored_id(id) {
                    candidate.execute(params![row, id])?;
                }
            }
        }
    }
    spread.add(file, resolver.world.path(file), collector.equations());
    write_routes(connection, resolver, file, facts)?;
    Ok(())
}

/// Resolves and writes the routes of a file, and the files of imports that name a namespace.
fn write_routes(
    connection: &Connection,
    resolver: &Resolver<'_, '_>,
    file: u32,
    facts: &FileFacts,
) -> Result<(), IndexError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO declared_routes(file, line, method, base, path, framework, handler, router, scope)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
    )?;
    for route in &facts.routes {
        let handler = match (route.symbol, &route.handler) {
            (Some(at), _) => facts.ids.get(at as usize).copied(),
            (None, Some(chain)) => resolver
                .function(file, route.offset, chain)
                .and_then(|id| resolver.world.stored_id(id)),
            (None, None) => None,
        };
        if route.implied && handler.is_none() {
            continue;
        }
        let value = |name: &str| resolver.constant(file, route.offset, name);
        // A prefix that is not known is left out.
        let base = constants::replaced(&route.base, value).unwrap_or_default();
        let Some(path) = constants::replaced(&route.path, value) else { continue };
        let (router, scope) = mounts::keys(resolver, file, facts, &route.origin, route.offset);
        insert.execute(params![
            file,
            route.line + 1,
            route.method,
            base.trim_end_matches('/'),
            path,
            route.framework,
            handler,
            router,
            scope,
        ])?;
    }
    mounts::write(connection, resolver, file, facts)?;
    if !crate::facts::has_namespaces(resolver.world.path(file)) {
        return Ok(());
    }
    let targets = resolver.namespace_targets(file);
    let rows: Vec<i64> = connection
        .prepare_cached("SELECT id FROM imports WHERE file = ?1 ORDER BY id")?
        .query_map([file], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for (row, target) in rows.into_iter().zip(targets) {
        let Some(target) = target else { continue };
        connection
            .prepare_cached("UPDATE imports SET target_file = ?2, external = ?3 WHERE id = ?1")?
            .execute((row, target, target.is_none()))?;
    }
    Ok(())
}
