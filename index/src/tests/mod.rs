#![expect(clippy::disallowed_methods, reason = "projects created for the tests")]

mod accesses;
mod blueprint;
mod bodies;
mod checkout;
mod components;
mod dead;
mod export;
mod freshness;
mod growth;
mod labels;
mod mounts;
mod names;
mod namespace_texts;
mod namespaces;
mod processes;
mod projects;
mod purity;
mod questions;
mod resolution;
mod revision;
mod series;
mod sql;

use crate::{Update, refresh, store};
use aidd_engine::project::config::Config;
use aidd_engine::text::files::Disk;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A project with these files.
pub(crate) fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        write(dir.path(), path, text);
    }
    dir
}

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

pub(crate) fn update(root: &Path) -> Update {
    refresh(&Disk::new(root), &Config::default()).expect("an index")
}

/// All rows of the index, with keys instead of ids.
pub(crate) fn dump(root: &Path) -> BTreeMap<&'static str, Vec<String>> {
    const QUERIES: &[(&str, &str)] = &[
        (
            "files",
            "SELECT path, language, hash, size, lines, test, package, theme, generated FROM files",
        ),
        (
            "symbols",
            "SELECT s.key, f.path, s.name, s.qualified, s.kind, s.start_line, s.start_column,
              s.end_line, s.end_column, s.name_line, s.name_column, s.body_start_line,
              s.body_end_line, s.signature, s.parameters, s.return_type, s.doc, s.exported, s.test,
              p.key, s.complexity, s.body_hash FROM symbols s JOIN files f ON f.id = s.file
              LEFT JOIN symbols p ON p.id = s.parent",
        ),
        (
            "refs",
            "SELECT f.path, r.line, r.column, r.name, r.kind, s.key, t.key, r.certainty,
              (SELECT group_concat(k, ' ') FROM (SELECT c.key AS k FROM candidates JOIN symbols c
                ON c.id = symbol WHERE ref = r.id ORDER BY c.key))
              FROM refs r JOIN files f ON f.id = r.file
              LEFT JOIN symbols s ON s.id = r.source LEFT JOIN symbols t ON t.id = r.target",
        ),
        (
            "routes",
            "SELECT f.path, r.line, r.method, r.path, r.framework, s.key FROM routes r
              JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.handler",
        ),
        (
            "accesses",
            "SELECT f.path, s.key, a.kind, a.certainty, a.line, a.code FROM accesses a
              JOIN files f ON f.id = a.file LEFT JOIN symbols s ON s.id = a.symbol",
        ),
        (
            "purity",
            "SELECT s.key, p.purity_level, p.side_effects, p.bits FROM purity p
              LEFT JOIN symbols s ON s.id = p.symbol",
        ),
        (
            "calls",
            "SELECT t.key, s.key FROM indirect_calls c LEFT JOIN symbols s ON s.id = c.source
              LEFT JOIN symbols t ON t.id = c.target",
        ),
        (
            "imports",
            "SELECT f.path, i.module, t.path, i.line, i.external FROM imports i
              JOIN files f ON f.id = i.file LEFT JOIN files t ON t.id = i.target_file",
        ),
        (
            "bindings",
            "SELECT f.path, b.local, b.imported, b.exported, i.module, i.line FROM bindings b
              JOIN files f ON f.id = b.file LEFT JOIN imports i ON i.id = b.import",
        ),
    ];
    let connection = store::open_read_only(root).expect("an index");
    let read = |sql: &str| {
        let mut statement = connection.prepare(sql).expect("a statement");
        let count = statement.column_count();
        let rows = statement.query_map([], |row| {
            let cells = (0..count).map(|at| row.get_ref(at).map(|cell| format!("{cell:?}")));
            Ok(cells.collect::<Result<Vec<_>, _>>()?.join("|"))
        });
        let mut rows: Vec<String> = rows.expect("rows").map(|row| row.expect("a row")).collect();
        rows.sort();
        rows
    };
    QUERIES.iter().map(|(name, sql)| (*name, read(sql))).collect()
}

/// The rows of an index that is built from scratch.
pub(crate) fn dump_fresh(root: &Path) -> BTreeMap<&'static str, Vec<String>> {
    store::remove(root).expect("removed");
    update(root);
    dump(root)
}
