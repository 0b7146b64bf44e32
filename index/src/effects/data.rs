//! The effects of packages and built-in functions, from `data/<language>.json`.

use super::{CLOCK, ENV, GLOBAL, IO, Map, RANDOM, Set};
use ast_grep_language::SupportLang;
use serde::Deserialize;
use std::sync::LazyLock;

/// Languages with the same built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    Script,
    Rust,
    Go,
}

/// The family of a language.
pub(super) fn family(language: SupportLang) -> Option<Family> {
    Some(match language {
        SupportLang::Python => Family::Python,
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => Family::Script,
        SupportLang::Rust => Family::Rust,
        SupportLang::Go => Family::Go,
        _ => return None,
    })
}

/// The functions, members and methods with effects. A name that ends with `*` is for all names
/// with this beginning; the longest match applies.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Page {
    io: Vec<String>,
    clock: Vec<String>,
    random: Vec<String>,
    env: Vec<String>,
    global: Vec<String>,
    /// Functions without effects, and constants.
    pure: Vec<String>,
    /// Names about which nothing is known, although a wildcard matches them.
    unknown: Vec<String>,
    /// Functions that have an effect only if they are called without arguments.
    without_arguments: Vec<String>,
    /// Function → the numbers of the arguments that it changes, from 1.
    changes: Map<String, Vec<usize>>,
    /// Methods of any type.
    methods: Methods,
    /// Built-in type → its methods.
    types: Map<String, Methods>,
    /// Type → the functions and `.methods` that return a new value of this type.
    returns: Map<String, Vec<String>>,
    /// Type → the names with which it is written in annotations.
    annotations: Map<String, Vec<String>>,
    /// Function or `.method` → the numbers of the arguments that it calls.
    callbacks: Map<String, Vec<usize>>,
    /// Decorators that do not change what the function does.
    decorators: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Methods {
    pure: Vec<String>,
    io: Vec<String>,
    clock: Vec<String>,
    random: Vec<String>,
    /// Methods that change the receiver.
    mutation: Vec<String>,
    /// Methods that change the receiver although it is shared.
    interior: Vec<String>,
    /// Methods without effects that use up the receiver, if it is an iterator.
    consumes: Vec<String>,
}

/// What a function or method does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub bits: u64,
    /// Whether the receiver is changed.
    pub changes_receiver: bool,
    /// Whether that also holds for shared receivers.
    pub interior: bool,
    /// Whether the receiver is used up, if it is an iterator.
    pub consumes: bool,
}

/// The effects of one language, by name.
#[derive(Debug)]
pub(super) struct Table {
    names: Map<&'static str, Option<u64>>,
    /// Beginnings of names that end with a separator.
    paths: Map<&'static str, Option<u64>>,
    /// Other beginnings of names, the longest first.
    beginnings: Vec<(&'static str, Option<u64>)>,
    without_arguments: Vec<&'static str>,
    changes: Map<&'static str, &'static [usize]>,
    methods: Map<&'static str, Known>,
    types: Map<&'static str, Map<&'static str, Known>>,
    /// The methods that change the receiver of some type.
    changing: Set<&'static str>,
    returns: Map<&'static str, &'static str>,
    /// Type of the receiver and method → the type that it returns.
    returns_of: Map<(&'static str, &'static str), &'static str>,
    annotations: Map<&'static str, &'static str>,
    callbacks: Map<&'static str, &'static [usize]>,
    decorators: Vec<&'static str>,
}

/// The table of a family.
pub(super) fn table(family: Family) -> &'static Table {
    static PAGES: LazyLock<[Page; 4]> = LazyLock::new(|| {
        [
            include_str!("data/python.json"),
            include_str!("data/script.json"),
            include_str!("data/rust.json"),
            include_str!("data/go.json"),
        ]
        .map(parse)
    });
    static TABLES: LazyLock<[Table; 4]> =
        LazyLock::new(|| std::array::from_fn(|at| Table::new(&PAGES[at])));
    &TABLES[family as usize]
}

/// The page in a text; a test parses every page.
fn parse(text: &str) -> Page {
    serde_json::from_str(text).unwrap_or_default()
}

fn methods(of: &'static Methods) -> Map<&'static str, Known> {
    let mut all = Map::default();
    let kinds = [(&of.pure, 0), (&of.io, IO), (&of.clock, CLOCK), (&of.random, RANDOM)];
    for (names, bits) in kinds {
        let known = Known { bits, ..Known::default() };
        all.extend(names.iter().map(|name| (name.as_str(), known)));
    }
    let consumes = Known { consumes: true, ..Known::default() };
    all.extend(of.consumes.iter().map(|name| (name.as_str(), consumes)));
    for (names, interior) in [(&of.mutation, false), (&of.interior, true)] {
        let known = Known { changes_receiver: true, interior, ..Known::default() };
        all.extend(names.iter().map(|name| (name.as_str(), known)));
    }
    all
}

impl Table {
    fn new(page: &'static Page) -> Self {
        let mut names = Map::default();
        let kinds = [
            (&page.pure, Some(0)),
            (&page.unknown, None),
            (&page.io, Some(IO)),
            (&page.clock, Some(CLOCK)),
            (&page.random, Some(RANDOM)),
            (&page.env, Some(ENV)),
            (&page.global, Some(GLOBAL)),
        ];
        for (list, bits) in kinds {
            names.extend(list.iter().map(|name| (name.as_str(), bits)));
        }
        let is_path = |start: &str| start.ends_with(['.', ':', '/']);
        let wildcards = || {
            let all = names.iter();
            all.filter_map(|(name, bits): (&&'static str, _)| {
                Some((name.strip_suffix('*')?, *bits))
            })
        };
        let paths = wildcards().filter(|(start, _)| is_path(start)).collect();
        let mut beginnings: Vec<_> = wildcards().filter(|(start, _)| !is_path(start)).collect();
        beginnings.sort_unstable_by_key(|(start, _)| (usize::MAX - start.len(), *start));
        let types: Map<_, _> =
            page.types.iter().map(|(name, of)| (name.as_str(), methods(of))).collect();
        let methods = methods(&page.methods);
        // Only a few regular expressions have a state.
        let others = types.iter().filter(|(kind, _)| **kind != "global_regexp");
        let others = others.flat_map(|(_, methods): (_, &Map<&'static str, Known>)| methods);
        let changing = methods.iter().chain(others).filter(|(_, known)| known.changes_receiver);
        let changing = changing.map(|(name, _)| *name).collect();
        fn reversed(of: &'static Map<String, Vec<String>>) -> Map<&'static str, &'static str> {
            let pairs = of.iter().flat_map(|(kind, names)| {
                names.iter().map(move |name| (name.as_str(), kind.as_str()))
            });
            pairs.collect()
        }
        let returns = reversed(&page.returns);
        let strs = |list: &'static [String]| list.iter().map(String::as_str).collect();
        fn numbers(of: &'static Map<String, Vec<usize>>) -> Map<&'static str, &'static [usize]> {
            of.iter().map(|(name, list)| (name.as_str(), list.as_slice())).collect()
        }
        Self {
            names,
            paths,
            beginnings,
            without_arguments: strs(&page.without_arguments),
            changes: numbers(&page.changes),
            methods,
            types,
            changing,
            returns_of: returns
                .iter()
                .filter_map(|(path, kind)| Some((path.rsplit_once('.')?, *kind)))
                .collect(),
            returns,
            annotations: reversed(&page.annotations),
            callbacks: numbers(&page.callbacks),
            decorators: strs(&page.decorators),
        }
    }

    /// The effects of a function or member of a package. `None`: unknown.
    pub(super) fn effects(&self, path: &str, arguments: Option<usize>) -> Option<u64> {
        let exact = self.names.get(path).copied();
        if exact.is_some() && arguments.is_some_and(|count| count > 0) {
            let is_harmless = self.without_arguments.contains(&path);
            return if is_harmless { Some(0) } else { exact? };
        }
        if let Some(found) = exact {
            return found;
        }
        if let Some((_, found)) = self.beginnings.iter().find(|(start, _)| path.starts_with(start))
        {
            return *found;
        }
        let mut end = path.len();
        while let Some(at) = path[..end].rfind(['.', ':', '/']) {
            if let Some(found) = self.paths.get(&path[..=at]) {
                return *found;
            }
            end = at;
        }
        None
    }

    /// The effects of reading a member of a package without a call.
    pub(super) fn member_effects(&self, path: &str, wildcards: bool) -> Option<u64> {
        match wildcards {
            true => self.effects(path, None),
            false => self.names.get(path).copied().flatten(),
        }
    }

    /// The numbers of the arguments that a function changes, from 1.
    pub(super) fn changes(&self, path: &str) -> &'static [usize] {
        self.changes.get(path).copied().unwrap_or_default()
    }

    /// What a method does. `kind` is the built-in type of the receiver, or empty.
    pub(super) fn method(&self, kind: &str, name: &str) -> Option<Known> {
        match self.types.get(kind) {
            Some(methods) => methods.get(name).copied(),
            None => self.methods.get(name).copied(),
        }
    }

    /// Whether a method of this name can change its receiver. `kind` is the built-in type of the
    /// receiver, or empty.
    pub(super) fn can_change(&self, kind: &str, name: &str) -> bool {
        if self.has_type(kind) {
            return self.method(kind, name).is_some_and(|known| known.changes_receiver);
        }
        self.changing.contains(name)
    }

    /// Whether the methods of a type are listed.
    pub(super) fn has_type(&self, kind: &str) -> bool {
        self.types.contains_key(kind)
    }

    /// The type of the new value that a function or `.method` returns.
    pub(super) fn returned(&self, path: &str) -> Option<&'static str> {
        self.returns.get(path).copied()
    }

    /// The type of the new value that a method returns. `kind` is the built-in type of the receiver, or
    /// empty.
    pub(super) fn returned_by(&self, kind: &str, name: &str) -> Option<&'static str> {
        self.returns_of.get(&(kind, name)).copied()
    }

    /// The built-in type that is written as `name`.
    pub(super) fn annotation(&self, name: &str) -> Option<&'static str> {
        self.annotations.get(name).copied()
    }

    /// The numbers of the arguments that a function or `.method` calls.
    pub(super) fn callbacks(&self, path: &str) -> Option<&'static [usize]> {
        self.callbacks.get(path).copied()
    }

    /// Whether a decorator does not change what the function does.
    pub(super) fn is_plain_decorator(&self, name: &str) -> bool {
        self.decorators.contains(&name)
    }
}
