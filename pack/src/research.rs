//! The research pack: the code that a ticket touches or reaches, with evidence, from the code index.

use crate::budget::{Column, Draft, Section};
use crate::code::Code;
use crate::documents::{Document, Role};
use crate::markdown::BlockKind;
use aidd_index::query::SymbolRow;
use aidd_index::query::context::Use;
use aidd_index::{ChangedLines, IndexError};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The schema of the pack.
pub(crate) const SCHEMA: &str = "aidd.research.rlm.v1";

const FILES: &[Column] = &[("path", 160), ("role", 12), ("hash", 16)];
const SYMBOLS: &[Column] =
    &[("key", 160), ("kind", 16), ("lines", 16), ("signature", 140), ("doc", 120)];
const LINKS: &[Column] = &[("from", 120), ("to", 120), ("evidence", 180)];
const TESTS: &[Column] = &[("", 160)];

/// Maximum number of changed files whose callers are determined.
const MAX_CHANGED: usize = 40;
/// Maximum number of symbols whose callers are listed.
const MAX_LINKED: usize = 10;

/// The files and symbols of a ticket.
struct Scope {
    /// Path → role: touched, named or used.
    files: BTreeMap<String, &'static str>,
    /// Files of the most used symbols, if nothing is known of the ticket.
    used: Vec<String>,
    symbols: Vec<SymbolRow>,
    tests: Vec<String>,
}

/// The paths in code spans of the documents of the ticket.
fn named_paths(documents: &[Document]) -> BTreeSet<&str> {
    let own = documents.iter().filter(|document| document.role == Role::Ticket);
    let blocks = own.flat_map(|document| &document.blocks);
    let codes = blocks.filter_map(|block| match &block.kind {
        BlockKind::Text { codes, .. } => Some(codes),
        _ => None,
    });
    codes.flatten().map(String::as_str).filter(|code| code.contains(['/', '.'])).collect()
}

fn scope(
    code: &mut Code<'_>,
    changed: &ChangedLines,
    modified: &[String],
    documents: &[Document],
) -> Result<Scope, IndexError> {
    let reader = code.reader();
    let mut scope =
        Scope { files: BTreeMap::new(), used: Vec::new(), symbols: Vec::new(), tests: Vec::new() };
    let lines: ChangedLines = changed
        .iter()
        .take(MAX_CHANGED)
        .map(|(path, lines)| (path.clone(), lines.clone()))
        .collect();
    if !lines.is_empty() {
        let reach = reader.reach_of_lines(&lines)?;
        for path in lines.keys() {
            scope.files.insert(path.clone(), "touched");
        }
        for user in &reach.callers {
            scope.files.entry(user.path.clone()).or_insert("reached");
        }
        scope.symbols = reach.changed;
        scope.tests = reach.tests;
    }
    let named = named_paths(documents);
    let further = modified.iter().map(String::as_str).map(|path| (path, "touched"));
    for (path, role) in further.chain(named.into_iter().map(|path| (path, "named"))) {
        if reader.content_hash(path)?.is_some() && !scope.files.contains_key(path) {
            scope.files.insert(path.to_owned(), role);
            let symbols = reader.in_files(&[path.to_owned()])?;
            scope.symbols.extend(symbols.into_iter().filter(|symbol| symbol.exported));
        }
    }
    if scope.symbols.is_empty() {
        scope.symbols = code.used()?;
        for symbol in &scope.symbols {
            if !scope.files.contains_key(&symbol.path) && !scope.used.contains(&symbol.path) {
                scope.used.push(symbol.path.clone());
            }
        }
    }
    Ok(scope)
}

fn lines(symbol: &SymbolRow) -> String {
    format!("{}-{}", symbol.line, symbol.end_line)
}

/// A reference as evidence: the place and the content hash of the file.
fn link(symbol: &SymbolRow, caller: &Use, hash: &str) -> Vec<Value> {
    let from = if caller.name.is_empty() { "(module)" } else { &caller.name };
    let evidence = format!("{}:{}@{}", caller.path, caller.line, hash.get(..8).unwrap_or(hash));
    vec![from.into(), symbol.qualified.clone().into(), evidence.into()]
}

/// The pack of the code that the ticket touches.
pub(crate) fn pack(
    code: Option<&mut Code<'_>>,
    changed: &ChangedLines,
    modified: &[String],
    documents: &[Document],
    head: Vec<(&'static str, Value)>,
) -> Result<Draft, IndexError> {
    let mut files = Section::new("files", FILES);
    let mut symbols = Section::new("symbols", SYMBOLS);
    let mut links = Section::new("links", LINKS);
    let mut tests = Section::new("tests", TESTS);
    if let Some(code) = code {
        let scope = scope(code, changed, modified, documents)?;
        let reader = code.reader();
        let mut listed: Vec<(&String, &str)> =
            scope.files.iter().map(|(path, role)| (path, *role)).collect();
        let rank = |role: &str| ["touched", "named"].iter().position(|known| *known == role);
        listed.sort_by_key(|(path, role)| (rank(role).unwrap_or(2), *path));
        listed.extend(scope.used.iter().map(|path| (path, "used")));
        for (path, role) in listed {
            let hash = reader.content_hash(path)?.unwrap_or_default();
            files.rows.push(vec![path.clone().into(), role.into(), hash.into()]);
        }
        for symbol in &scope.symbols {
            symbols.rows.push(vec![
                symbol.key.clone().into(),
                symbol.kind.clone().into(),
                lines(symbol).into(),
                symbol.signature.clone().into(),
                symbol.doc.clone().unwrap_or_default().into(),
            ]);
        }
        for symbol in scope.symbols.iter().take(MAX_LINKED) {
            for caller in code.callers(symbol)? {
                let hash = reader.content_hash(&caller.path)?.unwrap_or_default();
                links.rows.push(link(symbol, &caller, &hash));
            }
        }
        tests.rows = scope.tests.into_iter().map(|path| vec![path.into()]).collect();
    }
    Ok(Draft {
        head,
        sections: vec![files, symbols, links, tests],
        drop_order: &["tests", "links", "symbols", "files"],
        stats: Map::new(),
    })
}
