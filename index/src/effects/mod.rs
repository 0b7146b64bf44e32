//! What the functions of a file do besides returning a result, as far as the file itself shows it:
//! direct effects, and the calls whose effects depend on other functions. Which calls of packages and
//! built-in functions have effects is data, in `data/<language>.json`.
//!
//! Effects and values share one set of bits. In a value, the bits name what a change to the value also
//! changes: parameters, variables of the enclosing function, global state, or something unknown.

mod analyse;
mod class;
mod collect;
mod data;
mod file;
mod go;
mod python;
mod rust;
mod scan;
mod script;
mod spread;

use crate::outline::Outline;
use aidd_engine::parse::syntax::Parsed;
use aidd_engine::project::imports;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

pub(crate) use collect::Collector;
pub(crate) use spread::{Spread, callee_of};

/// A table with a fast hash; the order of its items differs from run to run.
type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;
/// A set with the same hash.
type Set<T> = HashSet<T, foldhash::fast::RandomState>;

/// The bit of the receiver; the bits of the parameters follow.
pub(crate) const RECEIVER: u64 = 1;
/// The bits of the receiver and the parameters. All parameters from the fifteenth share a bit.
pub(crate) const PARAMETERS: u64 = 0xFFFF;
/// The distance between the bits of a parameter, of the values in it, and of the values in these.
pub(crate) const LEVEL: u32 = 16;
/// The bits of parameters on all levels.
pub(crate) const ALL_LEVELS: u64 = PARAMETERS | PARAMETERS << LEVEL | PARAMETERS << (2 * LEVEL);
/// A variable of the directly enclosing function.
pub(crate) const CAPTURED: u64 = 1 << 48;
/// A global variable, or state of a class.
pub(crate) const GLOBAL: u64 = 1 << 49;
/// Files, network, database, console, processes, logs.
pub(crate) const IO: u64 = 1 << 50;
/// The function reads the current time.
pub(crate) const CLOCK: u64 = 1 << 51;
/// The function draws random numbers.
pub(crate) const RANDOM: u64 = 1 << 52;
/// Environment variables, arguments of the process, and similar.
pub(crate) const ENV: u64 = 1 << 53;
/// A change of a value that belongs neither to the function nor to its parameters.
pub(crate) const MUTATION: u64 = 1 << 54;
/// Something that could have an effect.
pub(crate) const UNKNOWN: u64 = 1 << 55;

/// The bit of a parameter that the function calls, for the receiver; the bits of seven parameters
/// follow. Calls of other parameters are unknown.
pub(crate) const CALLS: u32 = 56;
/// The bits of all parameters that are called.
pub(crate) const ALL_CALLS: u64 = 0xFF << CALLS;

/// The effects, in the order in which they are reported.
pub(crate) const EFFECTS: &[(&str, u64)] = &[
    ("io", IO),
    ("clock", CLOCK),
    ("random", RANDOM),
    ("env", ENV),
    ("global", GLOBAL),
    ("mutation", ALL_LEVELS | CAPTURED | MUTATION),
    ("unknown", UNKNOWN | ALL_CALLS),
];

/// The methods that create an instance.
pub(crate) const CONSTRUCTORS: &[&str] = &["__init__", "__new__", "__post_init__", "constructor"];

/// The bit of the parameter with this index.
pub(crate) fn parameter(index: usize) -> u64 {
    1 << (index + 1).min(15)
}

/// Something in a function that has an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// The effects of the place, as bits.
    pub bits: u64,
    /// The line, from 0.
    pub line: u32,
    /// The code of the place, shortened.
    pub text: String,
}

/// What a change to a value changes, to the values in it, to the values in these, and what a call of
/// the value does.
pub(crate) type Levels = (u64, u64, u64, u64);

/// A call whose effects depend on its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallFact {
    /// The offset of the name of the function, as in the reference of the outline.
    pub at: u32,
    /// The line, from 0.
    pub line: u32,
    /// The function, as written.
    pub text: String,
    /// The effects if the target is not in the project; `None` if they are unknown.
    pub known: Option<u64>,
    /// Whether the receiver has a built-in type, so that the target is not in the project.
    pub certain: bool,
    /// What the values refer to: the receiver, the arguments, and all named arguments.
    pub receiver: Levels,
    pub arguments: Vec<Levels>,
    pub rest: Levels,
    /// The functions in this file, if there is no reference: getters.
    pub symbols: Vec<u32>,
}

/// A name from outside the function and the file whose value is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadFact {
    /// The name, and the member that is read, if any.
    pub name: String,
    pub member: Option<String>,
    pub at: u32,
    /// The line, from 0.
    pub line: u32,
    /// The effects if the name is not declared in the project; `None` if they are unknown.
    pub known: Option<u64>,
}

/// What is known about one function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FunctionFacts {
    /// The index of the symbol.
    pub symbol: u32,
    pub causes: Vec<Cause>,
    pub calls: Vec<CallFact>,
    pub reads: Vec<ReadFact>,
}

/// How a variable of a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Variability {
    /// It is assigned once and refers to a value that does not change.
    Constant,
    /// It is not changed in the file, but can be changed by others.
    Unchanged,
    /// A function changes it.
    Changed,
}

/// What is known about the functions and variables of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEffects {
    pub functions: Vec<FunctionFacts>,
    /// The index of the symbol of each variable that is not constant.
    pub variables: Vec<(u32, Variability)>,
}

/// Whether effects are determined in a language.
#[must_use]
pub(crate) fn is_supported(language: SupportLang) -> bool {
    data::family(language).is_some()
}

/// An effect of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// `io`, `clock`, `random`, `env`, `global`, `mutation` or `unknown`.
    pub effect: String,
    /// The path of the file of the function.
    pub path: String,
    /// The line in the function, from 1.
    pub line: u32,
    /// The code at this line that has the effect, or calls a function with the effect.
    pub code: String,
    /// Whether the code calls a function of the project with the effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inherited: bool,
}

/// Where the target of a call is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Nested {
    /// In the calling function.
    Inner,
    /// In the same function as the calling function.
    Sibling,
    Other,
}

/// A call of a function of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edge {
    /// The id of the called function.
    pub target: i64,
    /// The line, from 0.
    pub line: u32,
    /// The function, as written.
    pub text: String,
    pub receiver: Levels,
    pub arguments: Vec<Levels>,
    pub rest: Levels,
    pub nested: Nested,
    /// Whether no reference names the function: a constructor or getter.
    pub indirect: bool,
}

/// What determines the effects of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Equation {
    pub causes: Vec<Cause>,
    pub edges: Vec<Edge>,
}

/// A node that [`read`] reads, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited<'t> {
    pub node: Node<'t>,
    /// The field of the parent, in Python.
    pub field: Option<&'t str>,
    /// The number of ancestors.
    pub depth: u32,
}

/// For each kind of node, whether [`read`] reads the nodes of this kind; empty if effects are not
/// determined in the language.
pub(crate) fn kinds(language: SupportLang) -> &'static [u8] {
    data::family(language).map_or(&[], |family| scan::grammar(language, family).kinds)
}

/// Reads the effects of a file from the nodes of its tree.
pub(crate) fn read<'t>(
    text: &'t str,
    language: SupportLang,
    (tree, visited): (&'t Parsed, Vec<Visited<'t>>),
    outline: &'t Outline,
    imports: &imports::Facts,
) -> FileEffects {
    let Some(family) = data::family(language) else { return FileEffects::default() };
    if outline.symbols.is_empty() || visited.is_empty() {
        return FileEffects::default();
    }
    let root = tree.root().get_inner_node();
    let scan = scan::scan((text, language, family), (root, visited), outline);
    analyse::analyse(&scan, imports)
}
