//! The outline of a source file: its symbols, its references to symbols, and the facts from which the
//! type of a receiver is determined. Everything is read in one pass over the syntax tree, without
//! access to other files.

mod body;
pub(crate) mod build;
mod comments;
mod csharp;
mod csharp_values;
mod go;
mod grammars;
mod java;
mod kotlin;
mod kotlin_values;
pub(crate) mod namespaces;
mod nodes;
mod php;
mod php_values;
mod python;
mod python_values;
mod ruby;
mod ruby_values;
mod rust;
mod rust_values;
mod script;
mod script_members;
mod script_values;
#[cfg(test)]
mod tests;
mod uses;

use crate::components;
use crate::effects::Visited;
use aidd_engine::parse::syntax::Parsed;
use ast_grep_language::SupportLang;
use build::Build;
use serde::{Deserialize, Serialize};

/// The version of the outlines. A database with another version is rebuilt.
pub const VERSION: u32 = 6;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A namespace or inline module.
    Module,
    /// A type declared with `class`.
    Class,
    /// A type without code, which other types implement.
    Interface,
    /// A structure or record.
    Struct,
    /// An enumeration.
    Enum,
    /// A trait, in Rust or PHP.
    Trait,
    /// A Ruby module, which can contain methods.
    Mixin,
    /// A type alias.
    Type,
    /// A function that belongs to no type.
    Function,
    /// A function that belongs to a type or an object.
    Method,
    /// A field or property.
    Field,
    /// A variant of an enumeration.
    Variant,
    /// A variable that is assigned only once.
    Constant,
    /// A variable at the top level of a module.
    Variable,
    /// A definition that is expanded at compile time.
    Macro,
    /// A test case whose name is its title.
    Test,
    /// A component of Vue, Svelte or Astro, which is a file.
    Component,
}

impl Kind {
    /// The name stored in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Module | Self::Mixin => "module",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Function => "function",
            Self::Method => "method",
            Self::Field => "field",
            Self::Variant => "variant",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Macro => "macro",
            Self::Test => "test",
            Self::Component => "component",
        }
    }

    /// Whether values can have this type.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Interface
                | Self::Struct
                | Self::Enum
                | Self::Trait
                | Self::Mixin
                | Self::Type
                | Self::Component
        )
    }

    /// Whether the symbol is a function.
    #[must_use]
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }
}

/// The kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RefKind {
    /// A call of a function.
    Call,
    /// The creation of an object.
    New,
    /// A name that is passed as an argument, assigned, or used as a JSX element.
    Use,
    /// A class that is extended.
    Extends,
    /// An interface or trait that is implemented.
    Implements,
    /// A decorator.
    Decorates,
    /// A type annotation.
    Type,
    /// A name anywhere else in an expression; it counts if it refers to a function or type.
    Value,
}

impl RefKind {
    /// The name stored in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::New => "new",
            Self::Use | Self::Value => "use",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::Decorates => "decorates",
            Self::Type => "type",
        }
    }
}

/// The start of an expression or type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Root {
    /// Nothing is known about the value.
    Unknown,
    /// A literal, or a value of a built-in type.
    Literal,
    /// A name, resolved in the scope where it is used.
    Name(String),
    /// `this`, `self`: an instance of the enclosing type.
    Instance,
    /// `cls`, `Self`: the enclosing type.
    Class,
    /// The base types of the enclosing type.
    Super,
    /// A sequence of values.
    List(Box<Chain>),
}

/// An operation on a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// Access to a member.
    Member(String),
    /// The result of calling the value.
    Call,
    /// The elements of a sequence.
    Element,
    /// An instance of a type.
    Instance,
}

/// An expression or type, reduced to what determines the type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chain {
    /// The start.
    pub root: Root,
    /// The operations, in order.
    pub steps: Vec<Step>,
}

impl Chain {
    /// A chain without steps.
    #[must_use]
    pub fn of(root: Root) -> Self {
        Self { root, steps: Vec::new() }
    }

    /// A chain that consists of an identifier.
    #[must_use]
    pub fn name(name: &str) -> Self {
        Self::of(Root::Name(name.to_owned()))
    }

    /// This chain with another step.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        if self.root != Root::Unknown {
            self.steps.push(step);
        }
        self
    }

    /// The member `name` of this value.
    #[must_use]
    pub fn member(self, name: &str) -> Self {
        self.then(Step::Member(name.to_owned()))
    }

    /// The names in this chain.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut first = match &self.root {
            Root::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let inner: Vec<&str> = match &self.root {
            Root::List(inner) => inner.names().collect(),
            _ => Vec::new(),
        };
        let steps = self.steps.iter().filter_map(|step| match step {
            Step::Member(name) => Some(name.as_str()),
            _ => None,
        });
        first.take().into_iter().chain(inner).chain(steps)
    }
}

/// A position in a file: offset, line and column in bytes, all from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The offset in bytes.
    pub offset: u32,
    /// The number of line breaks before it.
    pub line: u32,
    /// The number of bytes between the start of the line and the position.
    pub column: u32,
}

/// A named part of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name; for a test, the title.
    pub name: String,
    /// The name with the names of the enclosing symbols.
    pub qualified: String,
    /// The index of the enclosing symbol.
    pub parent: Option<u32>,
    /// What is declared.
    pub kind: Kind,
    /// The start, without decorators, annotations and attributes.
    pub start: Position,
    /// The position after the last byte.
    pub end: Position,
    /// The position of the name.
    pub at: Position,
    /// The offsets of the body, and its first and last line.
    pub body: Option<(Position, Position)>,
    /// Whether other files can use the symbol.
    pub exported: bool,
    /// Whether the symbol is a test or exists for tests only.
    pub test: bool,
    /// Whether reading the member calls the function, as with a getter.
    pub property: bool,
    /// Whether a variable can be called.
    pub callable: bool,
    /// Whether the function is called as if it were a member of another type.
    pub extension: bool,
    /// The minimum and maximum number of arguments; 255: unlimited.
    pub arity: (u8, u8),
    /// For a method declared outside its type: that type.
    pub owner: Option<Chain>,
    /// The type of a value, the result of a function, or the aliased type.
    pub value: Option<Chain>,
    /// The extended and implemented types.
    pub bases: Vec<Chain>,
    /// The text before the body, in one line.
    #[serde(skip)]
    pub signature: String,
    /// The names of the parameters.
    #[serde(skip)]
    pub parameters: Vec<String>,
    /// The annotated return type.
    #[serde(skip)]
    pub return_type: Option<String>,
    /// The first sentence of the documentation.
    #[serde(skip)]
    pub doc: Option<String>,
    /// For a function with a body, one more than the number of branches.
    #[serde(skip)]
    pub complexity: Option<u32>,
    /// For a function with a body, the hash of the body without indentation.
    #[serde(skip)]
    pub body_hash: Option<i64>,
}

/// A reference to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref {
    /// How the reference uses the symbol.
    pub kind: RefKind,
    /// The identifier in the text.
    pub name: String,
    /// The position of the name.
    pub at: Position,
    /// The index of the enclosing symbol.
    pub source: Option<u32>,
    /// The value or type whose member is used; `None` for a plain name.
    pub receiver: Option<Chain>,
    /// The number of arguments; 255: unknown.
    pub arguments: u8,
}

/// A variable or parameter of a function, visible in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// The identifier in the text.
    pub name: String,
    /// The value or type.
    pub value: Chain,
    /// The offset from which the name is visible.
    pub from: u32,
    /// The end of the function.
    pub to: u32,
    /// The position of the assignment.
    pub at: u32,
}

/// A field that is not in [`Outline::symbols`], because its type only assigns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The index of the type.
    pub class: u32,
    /// The identifier in the text.
    pub name: String,
    /// The value or type.
    pub value: Chain,
}

/// The outline of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The symbols, in order of their start.
    pub symbols: Vec<Symbol>,
    /// The references, in order.
    pub refs: Vec<Ref>,
    /// The variables of functions, ordered by name.
    pub locals: Vec<Local>,
    /// The assigned fields.
    pub fields: Vec<Field>,
    /// Exported name → local name, where they can differ (JavaScript).
    pub exports: Vec<(String, String)>,
}

/// Whether files in `language` have an outline.
#[must_use]
pub fn is_supported(language: SupportLang) -> bool {
    name_of(language).is_some()
}

/// The name of a supported language.
#[must_use]
pub fn name_of(language: SupportLang) -> Option<&'static str> {
    Some(match language {
        SupportLang::JavaScript => "javascript",
        SupportLang::TypeScript => "typescript",
        SupportLang::Tsx => "tsx",
        SupportLang::Python => "python",
        SupportLang::Rust => "rust",
        SupportLang::Go => "go",
        SupportLang::Java => "java",
        SupportLang::Kotlin => "kotlin",
        SupportLang::CSharp => "csharp",
        SupportLang::Ruby => "ruby",
        SupportLang::Php => "php",
        _ => return None,
    })
}

/// Reads the outline of the file at `path`, whose text was parsed to `tree`. Malformed parts of the
/// code are skipped.
#[must_use]
pub fn read(path: &str, text: &str, language: SupportLang, tree: &Parsed) -> Outline {
    let mut build = Build::new(path, text, language);
    walk(&mut build, tree);
    build.finish()
}

/// Like [`read`], with references for the names that are used as values, and with the nodes whose kind
/// is set in `kinds`. `imported`: the names that the file imports, if it sees no other names of other
/// files.
pub(crate) fn read_uses<'t>(
    (path, text, language): (&'t str, &'t str, SupportLang),
    tree: &'t Parsed,
    imported: Option<&[&str]>,
    kinds: &'static [u8],
) -> (Outline, Vec<Visited<'t>>) {
    let mut build = Build::new(path, text, language);
    build.visited = (kinds, Vec::with_capacity(text.len() / 24));
    build.branches.weights = body::weights(language);
    walk(&mut build, tree);
    build.finish_with(imported)
}

fn walk<'t>(build: &mut Build<'t>, tree: &'t Parsed) {
    let root = tree.root().get_inner_node();
    match build.language {
        language @ (SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx) => {
            if let Some(name) = components::name_of(build.path) {
                script_members::component(build, name);
            }
            build.walk(root, script::wanted(language), script::visit);
        }
        SupportLang::Python => build.walk(root, python::wanted(), python::visit),
        SupportLang::Rust => build.walk(root, rust::wanted(), rust::visit),
        SupportLang::Go => build.walk(root, go::wanted(), go::visit),
        SupportLang::Java => build.walk(root, java::wanted(), java::visit),
        SupportLang::Kotlin => build.walk(root, kotlin::wanted(), kotlin::visit),
        SupportLang::CSharp => build.walk(root, csharp::wanted(), csharp::visit),
        SupportLang::Ruby => build.walk(root, ruby::wanted(), ruby::visit),
        SupportLang::Php => build.walk(root, php::wanted(), php::visit),
        _ => {}
    }
}
