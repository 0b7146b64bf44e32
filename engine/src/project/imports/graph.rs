//! The import graph: which file imports which file or package, and unresolved imports.

use super::resolve::{Resolution, ResolveContext, Resolver};
use super::{Facts, Import, Language, Specifier, is_test_path};
use crate::text::files::Files;
use crate::text::listing::Listing;
use crate::text::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// A file that has imports or is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path, relative to the root.
    pub path: String,
    /// Whether the file is for tests only.
    pub test: bool,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Files of the project, as indexes into [`Graph::files`]; several if the language imports
    /// whole packages.
    Files(Vec<usize>),
    /// An external package: `npm:lodash/fp`, `py:requests`, `crate:serde`, `go:fmt`,
    /// `java:java.util.List`.
    Package(String),
}

/// A resolved import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The index of the importing file.
    pub from: usize,
    /// The imported files or package.
    pub to: Target,
    /// The span of the import in the importing file.
    pub span: Span,
    /// Whether only types are imported.
    pub type_only: bool,
    /// Whether the import runs in a function, not when the file is loaded.
    pub deferred: bool,
    /// Whether the import is for tests only.
    pub test: bool,
    /// For a JavaScript import statement that binds names: the kind of its specifier.
    pub binds: Option<Specifier>,
}

/// An import that refers to a missing part of the project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    /// The path of the importing file.
    pub path: String,
    /// The span of the import in that file.
    pub span: Span,
    /// The imported name.
    pub name: String,
}

/// The import graph of a project.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The files, ordered by path.
    pub files: Vec<File>,
    /// The imports, ordered by file and position.
    pub edges: Vec<Edge>,
    /// The unresolved imports, ordered.
    pub unresolved: Vec<Unresolved>,
}

impl Graph {
    /// Builds the graph from the imports and declarations of each file (by path from the root).
    /// `listing` contains all files of the project; `files` is used only to read manifests and
    /// configurations.
    #[must_use]
    pub fn new(files: &dyn Files, listing: &Listing, facts: &BTreeMap<String, Arc<Facts>>) -> Self {
        Self::with_context(&ResolveContext::new(files, listing, facts), listing, facts)
    }

    /// Like [`Graph::new`], with the data for resolving imports already loaded.
    pub(super) fn with_context(
        context: &ResolveContext,
        listing: &Listing,
        facts: &BTreeMap<String, Arc<Facts>>,
    ) -> Self {
        let resolver = Resolver::new(listing, context);
        let mut build = Builder { resolver: &resolver, found: Vec::new(), unresolved: Vec::new() };
        for (path, facts) in facts {
            build.add_file(path, facts);
        }
        let missing = context.crates.missing.iter().map(|missing| Unresolved {
            path: missing.file.clone(),
            span: missing.span,
            name: format!("mod {}", missing.name),
        });
        build.unresolved.extend(missing);
        let (found, mut unresolved) = (build.found, build.unresolved);
        unresolved.sort();
        unresolved.dedup();
        Self::from_resolved(&found, unresolved, facts, context)
    }

    /// Updates the imports of the file at `path` from its current `facts`. Returns `false` without
    /// changing anything if an import leads to a file that is not in the graph. Unresolved imports
    /// are not updated.
    pub(super) fn update_file(
        &mut self,
        context: &ResolveContext,
        listing: &Listing,
        path: &str,
        facts: &Facts,
    ) -> bool {
        let resolver = Resolver::new(listing, context);
        let mut build = Builder { resolver: &resolver, found: Vec::new(), unresolved: Vec::new() };
        build.add_file(path, facts);
        let index_of = |path: &str| self.files.binary_search_by(|file| (*file.path).cmp(path)).ok();
        let edge = |import: &Resolved<'_>| edge(import, &self.files, &index_of);
        let known = |import: &Resolved<'_>| match &import.to {
            Resolution::Files(paths) => paths.iter().all(|path| index_of(path).is_some()),
            _ => true,
        };
        let Some(from) = index_of(path).filter(|_| build.found.iter().all(known)) else {
            return false;
        };
        let edges: Vec<Edge> = build.found.iter().filter_map(edge).collect();
        let range = self.range(from);
        self.edges.splice(range, edges);
        true
    }

    /// The range of the edges of one file.
    pub(super) fn range(&self, file: usize) -> Range<usize> {
        let start = self.edges.partition_point(|edge| edge.from < file);
        let end = self.edges.partition_point(|edge| edge.from <= file);
        start..end
    }

    fn from_resolved(
        found: &[Resolved<'_>],
        unresolved: Vec<Unresolved>,
        facts: &BTreeMap<String, Arc<Facts>>,
        context: &ResolveContext,
    ) -> Self {
        let mut names: BTreeSet<&str> = facts.keys().map(String::as_str).collect();
        for import in found {
            if let Resolution::Files(paths) = &import.to {
                names.extend(paths.iter().map(String::as_str));
            }
        }
        let is_test = |path: &str| {
            let language = facts.get(path).map(|facts| facts.language);
            language.is_some_and(|language| is_test_path(language, path))
                || context.crates.tests.contains(path)
        };
        let files: Vec<File> = names
            .iter()
            .map(|path| File { path: (*path).to_owned(), test: is_test(path) })
            .collect();
        let index: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, path)| (*path, at)).collect();
        let index_of = |path: &str| index.get(path).copied();
        let edges = found.iter().filter_map(|import| edge(import, &files, &index_of)).collect();
        Self { files, edges, unresolved }
    }
}

/// Converts a resolved import to an edge; `index_of` maps a path to its index in `files`.
fn edge(
    import: &Resolved<'_>,
    files: &[File],
    index_of: &dyn Fn(&str) -> Option<usize>,
) -> Option<Edge> {
    let from = index_of(import.from)?;
    let to = match &import.to {
        Resolution::Files(paths) => {
            Target::Files(paths.iter().filter_map(|path| index_of(path)).collect())
        }
        Resolution::Package(name) => Target::Package(name.clone()),
        Resolution::Missing | Resolution::Unknown => return None,
    };
    let test = import.test || files[from].test;
    let (type_only, deferred, binds) = (import.type_only, import.deferred, import.binds);
    Some(Edge { from, to, span: import.span, type_only, deferred, test, binds })
}

/// An import with its target.
struct Resolved<'a> {
    from: &'a str,
    to: Resolution,
    span: Span,
    type_only: bool,
    deferred: bool,
    test: bool,
    binds: Option<Specifier>,
}

struct Builder<'a, 'r> {
    resolver: &'r Resolver<'r>,
    found: Vec<Resolved<'a>>,
    unresolved: Vec<Unresolved>,
}

impl<'a> Builder<'a, '_> {
    fn add_file(&mut self, path: &'a str, facts: &'a Facts) {
        let first = self.found.len();
        // Imports are grouped by statement: `use a::{B, C}` is one import if both names are in one
        // file.
        for group in facts.imports.chunk_by(|a, b| a.statement == b.statement) {
            self.add_statement(path, facts.language, group);
        }
        drop_repeated(&mut self.found, first, facts);
    }

    fn add_statement(&mut self, path: &'a str, language: Language, group: &'a [Import]) {
        let start = self.found.len();
        for import in group {
            match self.resolver.resolve(path, &import.name) {
                Resolution::Unknown => {}
                Resolution::Missing => self.unresolved.push(Unresolved {
                    path: path.to_owned(),
                    span: import.span,
                    name: import.name.display(),
                }),
                to => {
                    let is_self = matches!(&to, Resolution::Files(files) if files.iter().all(|to| to == path));
                    if is_self {
                        continue;
                    }
                    let known = self.found[start..].iter_mut().find(|known| known.to == to);
                    match known {
                        Some(known) => {
                            known.type_only &= import.type_only;
                            known.deferred &= import.deferred;
                        }
                        None => self.found.push(Resolved {
                            from: path,
                            to,
                            span: import.span,
                            type_only: import.type_only,
                            deferred: import.deferred,
                            test: import.test,
                            binds: import.binds,
                        }),
                    }
                }
            }
        }
        // If a statement has a single target, use the span of the whole statement.
        let is_path = language == Language::Rust && group.len() > 1;
        if let [only] = &mut self.found[start..]
            && (is_path || language == Language::Python)
            && let Some(first) = group.first()
        {
            only.span = first.statement;
        }
    }
}

/// Removes repeated paths that are written out in code (`a::b::c()`) instead of imported. Of the
/// paths with the same target, only the first is retained, and none is retained if a statement also
/// imports the target.
fn drop_repeated(found: &mut Vec<Resolved<'_>>, first: usize, facts: &Facts) {
    let inline: BTreeSet<Span> =
        facts.imports.iter().filter(|import| import.inline).map(|import| import.span).collect();
    if inline.is_empty() {
        return;
    }
    let is_inline = |path: &Resolved<'_>| inline.contains(&path.span);
    // The target, and whether the import is for tests; a test import does not hide a regular
    // import.
    let mut known: BTreeSet<(Resolution, bool)> = found[first..]
        .iter()
        .filter(|path| !is_inline(path))
        .map(|path| (path.to.clone(), path.test))
        .collect();
    let mut at = 0;
    found.retain(|path| {
        at += 1;
        if at <= first || !is_inline(path) {
            return true;
        }
        if path.test && known.contains(&(path.to.clone(), false)) {
            return false;
        }
        known.insert((path.to.clone(), path.test))
    });
}
