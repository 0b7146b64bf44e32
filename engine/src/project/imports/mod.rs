//! Who imports whom: the imports of a file, read from its syntax tree, and the files and packages
//! of the project that they stand for.
//!
//! [`read`] gives the facts of one file and looks at nothing else; [`Graph::new`] joins the facts of
//! all files. What looks like a part of the project and leads nowhere is kept, not dropped.

mod gather;
mod go;
mod go_modules;
mod graph;
mod java;
mod kept;
mod places;
mod python;
mod python_roots;
mod resolve;
mod rust;
mod rust_modules;
mod script;
mod script_config;
mod script_resolve;
#[cfg(test)]
mod tests;

pub use gather::{Again, Memo, gather};
pub use graph::{Edge, File, Graph, Target, Unresolved};
pub use kept::{Difference, Kept};

use crate::parse::syntax::Parsed;
use crate::text::source::Span;
use ast_grep_core::Language as _;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;

/// A node of a syntax tree.
type Node<'r> = ast_grep_core::Node<'r, StrDoc<SupportLang>>;

/// The languages whose imports are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// JavaScript and TypeScript.
    Script,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
}

/// One thing that a file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is named.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Where all stands that the same statement names.
    pub statement: Span,
    /// Only types are taken: nothing of it is there when the program runs.
    pub type_only: bool,
    /// It is made when a function runs, not when the file is loaded.
    pub deferred: bool,
    /// It stands in code for tests.
    pub test: bool,
    /// A path in the midst of code, not a statement that imports.
    pub inline: bool,
}

/// What an import names, as its language has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// The specifier of JavaScript: `./a`, `@scope/pkg/sub`.
    Script(String),
    /// A module of Python, and what is taken from it.
    Python {
        /// Leading dots; 0 for an absolute name.
        level: usize,
        /// `a.b`; may be empty after dots.
        module: String,
        /// What `from … import` names, which may be a module.
        member: Option<String>,
    },
    /// A path of Rust: its segments, and the modules within the file that it stands in.
    Rust {
        /// `crate`, `a`, `B`; an empty first one for `::a`.
        path: Vec<String>,
        /// Names of the inline modules around it, outermost first.
        inside: Vec<String>,
    },
    /// The path of a package of Go.
    Go(String),
    /// A class, a member of one, or a package of Java.
    Java {
        /// `a.b.C`.
        name: String,
        /// `a.b.*`.
        all: bool,
    },
}

impl Name {
    /// The name as a reader knows it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Script(name) | Self::Go(name) => name.clone(),
            Self::Python { level, module, member } => {
                let dots = ".".repeat(*level);
                match member {
                    Some(member) if module.is_empty() => format!("{dots}{member}"),
                    Some(member) => format!("{dots}{module}.{member}"),
                    None => format!("{dots}{module}"),
                }
            }
            Self::Rust { path, .. } => path.join("::"),
            Self::Java { name, all } => format!("{name}{}", if *all { ".*" } else { "" }),
        }
    }
}

/// A module that a file of Rust declares: `mod a;`, or the inline `mod a { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Names of the inline modules around it, outermost first.
    pub inside: Vec<String>,
    /// What `#[path = "…"]` says.
    pub path: Option<String>,
    /// Its text lies in another file.
    pub is_elsewhere: bool,
    /// It is for tests only.
    pub test: bool,
    /// Where its name stands.
    pub span: Span,
}

/// What one file imports, and what others need to know to import it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its language.
    pub language: Language,
    /// Its imports, in order.
    pub imports: Vec<Import>,
    /// The modules it declares (Rust).
    pub modules: Vec<Module>,
    /// The package it belongs to (Java).
    pub package: Option<String>,
}

impl Facts {
    fn new(language: Language) -> Self {
        Self { language, imports: Vec::new(), modules: Vec::new(), package: None }
    }
}

/// Whether the imports of a file at `path` are understood.
#[must_use]
pub fn is_read(path: &str) -> bool {
    language_of(path).is_some()
}

/// Reads the imports of the file at `path` with this text; `None` when its language is none of
/// those understood. Broken code gives what its unbroken parts import.
#[must_use]
pub fn read(path: &str, text: &str) -> Option<Facts> {
    let (_, grammar) = language_of(path)?;
    read_tree(path, &grammar.ast_grep(text))
}

/// As [`read`], of a tree that was parsed already.
#[must_use]
pub fn read_tree(path: &str, tree: &Parsed) -> Option<Facts> {
    let (language, _) = language_of(path)?;
    let mut facts = Facts::new(language);
    let root = tree.root();
    match language {
        Language::Script => script::read(&root, &mut facts),
        Language::Python => python::read(&root, &mut facts),
        Language::Rust => rust::read(&root, &mut facts),
        Language::Go => go::read(&root, &mut facts),
        Language::Java => java::read(&root, &mut facts),
    }
    Some(facts)
}

fn language_of(path: &str) -> Option<(Language, SupportLang)> {
    let grammar = SupportLang::from_path(path)?;
    let language = match grammar {
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => Language::Script,
        SupportLang::Python => Language::Python,
        SupportLang::Rust => Language::Rust,
        SupportLang::Go => Language::Go,
        SupportLang::Java => Language::Java,
        _ => return None,
    };
    Some((language, grammar))
}

/// Whether a file is for tests, by the customs of its language.
#[must_use]
pub fn is_test_path(language: Language, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let has_folder = |names: &[&str]| folder.split('/').any(|part| names.contains(&part));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    match language {
        Language::Script => {
            has_folder(&["__tests__", "__mocks__", "test", "tests", "e2e"])
                || [".test.", ".spec.", ".cy."].iter().any(|mark| name.contains(mark))
        }
        Language::Python => {
            has_folder(&["test", "tests"])
                || stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "conftest"
        }
        Language::Rust => has_folder(&["tests", "benches"]),
        Language::Go => stem.ends_with("_test") || has_folder(&["testdata"]),
        Language::Java => path.contains("src/test/") || path.contains("src/integrationTest/"),
    }
}

fn span(node: &Node<'_>) -> Span {
    Span::from(node.range())
}
