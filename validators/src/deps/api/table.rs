//! The table of removed and deprecated APIs.

use aho_corasick::AhoCorasick;
use aidd_engine::project::stack::Version;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// The packages and their APIs. A path names an API: `module#name.member` in JavaScript, TypeScript
/// and Go, and `module.name.member` in Python. `()` is the result of a call; a path in Python that
/// ends with it means only calls. The path of a module without a name means the whole module, and a
/// path that ends with `/` all modules below it.
const TABLE: &str = include_str!("../data/apis.json");

/// What declares the version of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Origin {
    Npm,
    Pypi,
    /// A module of Go.
    Module,
    /// The version of Node.js: `engines` in `package.json`.
    Node,
    /// The version of Python: `requires-python` in `pyproject.toml`.
    Python,
    /// The version of Go: the directive `go` in `go.mod`.
    Go,
}

/// A package with APIs that are removed or deprecated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Package {
    pub(super) origin: Origin,
    /// The name in the registry, or the name of the language or runtime.
    pub(super) name: String,
    /// The page of the publisher, for the APIs that name no other page.
    source: &'static str,
    /// The paths of results that are values of another path: `pandas.read_csv()`.
    #[serde(default)]
    results: BTreeMap<String, String>,
    apis: Vec<Row>,
}

/// An API, as written in the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    path: &'static str,
    /// The keyword argument that is removed or deprecated, if it is not the function itself.
    #[serde(borrow)]
    argument: Option<&'static str>,
    /// The first version without the API.
    #[serde(borrow)]
    removed: Option<&'static str>,
    /// The first version in which the API is deprecated.
    #[serde(borrow)]
    deprecated: Option<&'static str>,
    /// The first version that has the API again.
    #[serde(borrow)]
    until: Option<&'static str>,
    /// The replacement, as a part of a sentence.
    #[serde(borrow)]
    instead: Option<&'static str>,
    /// The new name, if only the name differs.
    #[serde(borrow)]
    rename: Option<&'static str>,
    /// The built-in name that the whole expression is equivalent to.
    #[serde(borrow)]
    replace: Option<&'static str>,
    #[serde(borrow)]
    source: Option<&'static str>,
}

/// An API that a version removed or deprecated.
#[derive(Debug)]
pub(super) struct Api {
    /// The index of the package.
    pub(super) package: usize,
    pub(super) path: &'static str,
    pub(super) argument: Option<&'static str>,
    pub(super) removed: Option<Version>,
    pub(super) deprecated: Option<Version>,
    pub(super) until: Option<Version>,
    pub(super) instead: Option<&'static str>,
    pub(super) rename: Option<&'static str>,
    pub(super) replace: Option<&'static str>,
    pub(super) source: &'static str,
}

/// The table, with its indexes.
pub(super) struct Table {
    pub(super) packages: Vec<Package>,
    pub(super) apis: Vec<Api>,
    /// Path → index of the API.
    by_path: HashMap<&'static str, usize>,
    /// Path of a function → the APIs that are arguments of the function.
    by_function: HashMap<&'static str, Vec<usize>>,
    /// The beginnings of the paths of modules of which all modules are removed.
    prefixes: Vec<(&'static str, usize)>,
    results: HashMap<String, String>,
    /// The beginnings of the modules of the APIs.
    modules: AhoCorasick,
    /// For each pattern of `modules`: the last words of its APIs.
    last_words: Vec<LastWords>,
}

/// The last words of the APIs of a module.
struct LastWords {
    words: Vec<&'static str>,
    /// The automaton of the words, built when a file imports the module.
    finder: OnceLock<AhoCorasick>,
}

/// The table, parsed when a file is first checked.
pub(super) static APIS: LazyLock<Table> = LazyLock::new(|| Table::read(TABLE));

impl Table {
    /// Parts of the text are not copied: thousands of small strings that remain would keep pages of the
    /// heap among values that are freed.
    fn read(text: &'static str) -> Self {
        // A test ensures that the shipped table can be read.
        let mut packages: Vec<Package> = serde_json::from_str(text).unwrap_or_default();
        let mut apis = Vec::new();
        let mut results = HashMap::new();
        for (index, package) in packages.iter_mut().enumerate() {
            results.extend(std::mem::take(&mut package.results));
            for row in std::mem::take(&mut package.apis) {
                let version = |text: Option<&str>| text.and_then(Version::read);
                apis.push(Api {
                    package: index,
                    path: row.path,
                    argument: row.argument,
                    removed: version(row.removed),
                    deprecated: version(row.deprecated),
                    until: version(row.until),
                    instead: row.instead,
                    rename: row.rename,
                    replace: row.replace,
                    source: row.source.unwrap_or(package.source),
                });
            }
        }
        let mut by_path = HashMap::new();
        let mut by_function: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut prefixes = Vec::new();
        let mut by_module: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (index, api) in apis.iter().enumerate() {
            if api.argument.is_some() {
                by_function.entry(api.path).or_default().push(index);
            } else if api.path.ends_with('/') {
                prefixes.push((api.path, index));
            } else {
                by_path.insert(api.path, index);
            }
            let (module, last) = words_of(api);
            by_module.entry(module).or_default().insert(last);
        }
        let modules = automaton(by_module.keys());
        let last_words = by_module
            .into_values()
            .map(|words| LastWords { words: words.into_iter().collect(), finder: OnceLock::new() });
        let last_words = last_words.collect();
        Self { modules, last_words, packages, by_path, by_function, prefixes, results, apis }
    }

    /// Whether the text contains the last word of an API whose module occurs in `imports`, the part
    /// of the text with the imports. Otherwise, the file uses no API of the table.
    pub(super) fn may_use(&self, text: &str, imports: &str) -> bool {
        let mut known = HashSet::new();
        let modules = self.modules.find_overlapping_iter(imports);
        let mut modules = modules.filter(|module| is_word(imports, module.range()));
        modules.any(|module| {
            let index = module.pattern().as_usize();
            let Some(last) = self.last_words.get(index).filter(|_| known.insert(index)) else {
                return false;
            };
            let finder = last.finder.get_or_init(|| automaton(&last.words));
            finder.find_overlapping_iter(text).any(|word| is_word(text, word.range()))
        })
    }

    /// The API with this path.
    pub(super) fn get(&self, path: &str) -> Option<&Api> {
        self.by_path.get(path).and_then(|&index| self.apis.get(index))
    }

    /// The API that is the module with this path, or contains it.
    pub(super) fn module(&self, path: &str) -> Option<&Api> {
        self.get(path).or_else(|| {
            let (_, index) = self.prefixes.iter().find(|(prefix, _)| path.starts_with(*prefix))?;
            self.apis.get(*index)
        })
    }

    /// The arguments of the function with this path that are removed or deprecated.
    pub(super) fn arguments(&self, function: &str) -> impl Iterator<Item = &Api> {
        let indexes = self.by_function.get(function).into_iter().flatten();
        indexes.filter_map(|&index| self.apis.get(index))
    }

    /// The path of the values of `path`.
    pub(super) fn result(&self, path: String) -> String {
        self.results.get(&path).cloned().unwrap_or(path)
    }
}

/// The automaton that finds the words.
fn automaton(words: impl IntoIterator<Item: AsRef<[u8]>>) -> AhoCorasick {
    let finder = AhoCorasick::new(words).or_else(|_| AhoCorasick::new([""; 0]));
    #[expect(clippy::expect_used, reason = "an automaton without patterns is always valid")]
    finder.expect("an empty automaton")
}

/// Whether the text in the range is a whole word.
fn is_word(text: &str, range: Range<usize>) -> bool {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    };
    let bytes = text.as_bytes();
    let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
    !is_part(before) && !is_part(bytes.get(range.end))
}

/// The beginning of the module of an API, and the last word that each use contains.
fn words_of(api: &Api) -> (&'static str, &'static str) {
    let path = api.path.trim_end_matches('/');
    let path = path.strip_suffix("()").unwrap_or(path);
    let (module, name) = path.split_once('#').unwrap_or((path, ""));
    let end = |text: &str| text.find(['.', '(']).unwrap_or(text.len());
    match (api.argument, name) {
        (Some(argument), "") => (&path[..end(path)], argument),
        (Some(argument), _) => (module, argument),
        // The name of a default import differs in each file.
        (None, "default") => (module, module),
        (None, "") => (&path[..end(path)], path.rsplit('.').next().unwrap_or(path)),
        (None, name) => (module, name.rsplit(['.', ')']).next().unwrap_or(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_well_formed() {
        let packages: Vec<Package> = serde_json::from_str(TABLE).expect("a well-formed table");
        let mut known = HashSet::new();
        for package in &packages {
            for row in &package.apis {
                let key = (&row.path, &row.argument);
                assert!(known.insert(key), "{key:?} twice");
                let versions = [&row.removed, &row.deprecated];
                assert!(versions.iter().any(|version| version.is_some()), "{}", row.path);
                for version in versions.into_iter().flatten() {
                    assert!(Version::read(version).is_some(), "{}: {version}", row.path);
                }
                let source = row.source.as_ref().unwrap_or(&package.source);
                assert!(source.starts_with("https://"), "{}: {source}", row.path);
                let is_dotted = matches!(package.origin, Origin::Pypi | Origin::Python);
                assert!(!is_dotted || !row.path.contains('#'), "{}", row.path);
            }
        }
        let names: HashSet<&str> = packages.iter().map(|package| &*package.name).collect();
        assert!(names.len() >= 25 && known.len() >= 120, "{} {}", names.len(), known.len());
    }

    #[test]
    fn words_of_an_api_occur_in_each_use() {
        let table = &*APIS;
        let words = |path: &str| words_of(table.get(path).expect("an API"));
        assert_eq!(words("react-dom#render"), ("react-dom", "render"));
        assert_eq!(words("django.utils.six"), ("django", "six"));
        assert_eq!(words("vue#default"), ("vue", "vue"));
        assert_eq!(words("pandas.DataFrame().append"), ("pandas", "append"));
        let may_use = |text| table.may_use(text, text);
        assert!(may_use("import { render } from 'react-dom'"));
        assert!(!may_use("import { createPortal } from 'react-dom'"));
        assert!(!may_use("from django.shortcuts import render"));
        assert!(may_use("import imp") && !may_use("import time"));
    }
}
