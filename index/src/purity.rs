//! Whether the functions of a text are pure, without a project.

use crate::effects::{Collector, Effect, Spread};
use crate::facts::{self, Target};
use crate::outline::{Kind, Symbol};
use crate::resolve::Resolver;
use crate::resolve::world::{Entry, Table, World};
use aidd_engine::parse::syntax::parse_text;
use aidd_engine::project::imports::Name;
use ast_grep_core::Language as _;
use ast_grep_language::SupportLang;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// The languages whose functions are examined, each with a file name in this language.
const LANGUAGES: &[(&str, &str)] = &[
    ("python", "code.py"),
    ("typescript", "code.ts"),
    ("javascript", "code.js"),
    ("rust", "code.rs"),
    ("go", "code.go"),
];

/// A function, and whether it is pure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionPurity {
    /// The name, qualified by the names of the enclosing symbols.
    pub function: String,
    /// The line, from 1.
    pub line: u32,
    /// `pure`, `effectful` or `unknown`.
    pub purity_level: String,
    /// The effects; for an unknown function, the code that can have an effect.
    pub side_effects: Vec<Effect>,
}

/// The name of the language of a text: the one in which it has functions and the fewest syntax errors.
#[must_use]
pub fn guess_language(text: &str) -> Option<&'static str> {
    let errors = |path: &str| {
        let tree = parse_text(text, SupportLang::from_path(path)?)?;
        let (mut cursor, mut count) = (tree.root().get_inner_node().walk(), 0_usize);
        loop {
            count += usize::from(cursor.node().is_error() || cursor.node().is_missing());
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(count);
                }
            }
        }
    };
    let with_functions = LANGUAGES.iter().filter(|(_, path)| {
        functions_of(path, text).is_some_and(|functions| !functions.is_empty())
    });
    with_functions
        .filter_map(|(name, path)| Some((errors(path)?, *name)))
        .min_by_key(|(count, _)| *count)
        .map(|(_, name)| name)
}

/// The functions of a text. `language` is `python`, `javascript`, `typescript`, `rust` or `go`, or an
/// extension of files in one of them. `None` if effects are not determined in this language.
#[must_use]
pub fn functions_in(language: &str, text: &str) -> Option<Vec<FunctionPurity>> {
    let language = language.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(name, _)| *name == language);
    let path = known.map_or_else(|| format!("code.{language}"), |(_, path)| (*path).to_owned());
    functions_of(&path, text)
}

/// The functions of the file at `path` with this text. `None` if effects are not determined in its
/// language.
#[must_use]
pub fn functions_of(path: &str, text: &str) -> Option<Vec<FunctionPurity>> {
    if !crate::effects::is_supported(facts::language(path)?) {
        return None;
    }
    let mut facts = facts::read(path, text)?;
    let target = |name: &Name| Target { files: Vec::new(), package: Some(name.display()) };
    facts.targets = facts.imports.imports.iter().map(|import| target(&import.name)).collect();
    facts.ids = (0..).take(facts.outline.symbols.len()).collect();
    let facts = Arc::new(facts);
    let files = Table::from_iter([(1, Entry::new(path.to_owned(), Some(facts.clone())))]);
    let world = World::new(files, HashMap::new(), None);
    let resolver = Resolver::new(&world);
    let mut collector = Collector::new(&resolver, 1, &facts);
    for found in &facts.outline.refs {
        collector.add(found, &resolver.resolve(1, found));
    }
    let mut spread = Spread::default();
    spread.add(1, path, collector.equations());
    let symbol = |id: i64| {
        let symbol: Option<&Symbol> = facts.outline.symbols.get(usize::try_from(id).ok()?);
        symbol.filter(|symbol| matches!(symbol.kind, Kind::Function | Kind::Method))
    };
    let results = spread.results().into_iter();
    let functions = results.filter_map(|(id, (level, effects))| {
        let symbol = symbol(id)?;
        Some(FunctionPurity {
            function: symbol.qualified.clone(),
            line: symbol.start.line + 1,
            purity_level: level.to_owned(),
            side_effects: effects,
        })
    });
    Some(functions.collect())
}
