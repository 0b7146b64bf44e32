//! The import graph of a project: reads the imports of a file from its syntax tree, and resolves
//! them to files and packages.
//!
//! [`read`] returns the facts of one file without access to other files; [`Graph::new`] combines
//! the facts of all files. Imports of missing parts of the project are retained as unresolved.

mod bindings;
mod cached_graph;
mod gather;
mod go;
mod go_modules;
mod graph;
mod java;
mod prefix;
mod project_files;
mod python;
mod python_roots;
mod resolve;
mod resolved;
mod rust;
mod rust_modules;
mod script;
mod script_config;
mod script_resolve;
#[cfg(test)]
mod tests;
mod words;

pub use bindings::{Binding, Imported};
pub use cached_graph::{CachedGraph, Difference};
pub use gather::{ChangedFacts, FactsCache, gather};
pub use graph::{Edge, File, Graph, Target, Unresolved};
pub use resolved::{ImportTarget, ImportTargets};

use crate::parse::syntax::{Parsed, parse_text};
use crate::text::source::Span;
use ast_grep_core::Language as _;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use words::with_words;

/// A node of a syntax tree.
type Node<'r> = ast_grep_core::Node<'r, StrDoc<SupportLang>>;

/// The languages whose imports can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Language {
    /// JavaScript and TypeScript, including JSX and TSX.
    Script,
    /// Python modules and packages.
    Python,
    /// Rust crates and modules.
    Rust,
    /// Go packages.
    Go,
    /// Java classes and packages.
    Java,
}

/// A single import in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The imported name.
    pub name: Name,
    /// The span of the name.
    pub span: Span,
    /// The span of all names in the same statement.
    pub statement: Span,
    /// Whether only types are imported, so that the import does not exist at run time.
    pub type_only: bool,
    /// Whether the import runs in a function, not when the file is loaded.
    pub deferred: bool,
    /// Whether the import is in test code.
    pub test: bool,
    /// Whether the import is a path within code instead of an import statement.
    pub inline: bool,
    /// For a JavaScript import statement that binds names: the kind of its specifier; `None` for
    /// any other import.
    pub binds: Option<Specifier>,
}

/// How a JavaScript specifier refers to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Specifier {
    /// By a relative path or a common prefix of the project: `./a`, `@/a`, `~/a`, `#a`.
    Local,
    /// By the name of a package, or by an alias that looks like the name of a package.
    Bare,
}

impl Specifier {
    /// Classifies a specifier.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let starts = ["./", "../", "@/", "~/", "#"];
        let is_local =
            matches!(text, "." | "..") || starts.iter().any(|start| text.starts_with(start));
        if is_local { Self::Local } else { Self::Bare }
    }
}

/// An imported name, by language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Name {
    /// A JavaScript specifier: `./a`, `@scope/pkg/sub`.
    Script(String),
    /// A Python module, and the member imported from it.
    Python {
        /// The number of leading dots; 0 for an absolute name.
        level: usize,
        /// The module, such as `a.b`; can be empty after dots.
        module: String,
        /// The name after `from … import`, which can be the name of a module.
        member: Option<String>,
    },
    /// A Rust path, and the inline modules that contain it.
    Rust {
        /// The segments, such as `crate`, `a`, `B`; the first is empty for `::a`.
        path: Vec<String>,
        /// The names of the enclosing inline modules, outermost first.
        inside: Vec<String>,
    },
    /// A Go package path.
    Go(String),
    /// A Java class, class member or package.
    Java {
        /// The name, such as `a.b.C`.
        name: String,
        /// Whether the import is a wildcard import such as `a.b.*`.
        all: bool,
    },
}

impl Name {
    /// The name as displayed to users.
    #[must_use]
    pub fn display(&self) -> String {
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

/// A module declared in a Rust file: `mod a;`, or the inline `mod a { … }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The name of the module.
    pub name: String,
    /// The names of the enclosing inline modules, outermost first.
    pub inside: Vec<String>,
    /// The path in `#[path = "…"]`, if there is one.
    pub path: Option<String>,
    /// Whether the content of the module is in another file.
    pub is_external: bool,
    /// Whether the module is for tests only.
    pub test: bool,
    /// The span of the name.
    pub span: Span,
}

/// The imports of a file, and the declarations needed to import it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The language of the file.
    pub language: Language,
    /// The imports, in order.
    pub imports: Vec<Import>,
    /// The names that the imports bind, in order.
    pub bindings: Vec<Binding>,
    /// The declared modules (Rust only).
    pub modules: Vec<Module>,
    /// The package of the file (Java only).
    pub package: Option<String>,
}

impl Facts {
    fn new(language: Language) -> Self {
        Self {
            language,
            imports: Vec::new(),
            bindings: Vec::new(),
            modules: Vec::new(),
            package: None,
        }
    }
}

/// Whether the imports of a file at `path` can be read.
#[must_use]
pub fn is_supported(path: &str) -> bool {
    language_of(path).is_some()
}

/// Reads the imports of the file at `path` with this text; `None` when its language is not
/// supported, or parsing exceeded the time limit. In malformed code, the imports of the well-formed
/// parts are read.
#[must_use]
pub fn read(path: &str, text: &str) -> Option<Facts> {
    let (language, grammar) = language_of(path)?;
    match prefix::with_imports(language, text) {
        Some("") => Some(Facts::new(language)),
        Some(part) => {
            let tree = parse_text(part, grammar)?;
            let is_complete = !tree.root().get_inner_node().has_error();
            if is_complete { read_tree(path, &tree) } else { read_whole(path, text) }
        }
        None => read_whole(path, text),
    }
}

fn read_whole(path: &str, text: &str) -> Option<Facts> {
    let (_, grammar) = language_of(path)?;
    read_tree(path, &parse_text(text, grammar)?)
}

/// The same as [`read`], for a tree that is already parsed.
#[must_use]
pub fn read_tree(path: &str, tree: &Parsed) -> Option<Facts> {
    read_grammar(SupportLang::from_path(path)?, tree)
}

/// The same as [`read_tree`], for code in a known grammar, such as a script in another file.
#[must_use]
pub fn read_grammar(grammar: SupportLang, tree: &Parsed) -> Option<Facts> {
    let language = language_in(grammar)?;
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
    Some((language_in(grammar)?, grammar))
}

fn language_in(grammar: SupportLang) -> Option<Language> {
    Some(match grammar {
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => Language::Script,
        SupportLang::Python => Language::Python,
        SupportLang::Rust => Language::Rust,
        SupportLang::Go => Language::Go,
        SupportLang::Java => Language::Java,
        _ => return None,
    })
}

/// Whether a file is for tests, according to the conventions of its language.
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
