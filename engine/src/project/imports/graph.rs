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
    /// Files of the project, as indexes into [`Graph::files`]; several where a language imports
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
    /// How an import statement of JavaScript that binds names refers to its target.
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
    /// Builds the graph from the facts of files (by path from the root). `listing` contains all
    /// files of the project; `files` is used to read manifests and configurations only.
    #[must_use]
    pub fn new(files: &dyn Files, listing: &Listing, facts: &BTreeMap<String, Arc<Facts>>) -> Self {
        Self::with_context(&ResolveContext::new(files, listing, facts), listing, facts)
    }

    /// The same as [`Graph::new`], with the data for resolving imports already loaded.
    pub(super) fn with_context(
        ground: &ResolveContext,
        listing: &Listing,
        facts: &BTreeMap<String, Arc<Facts>>,
    ) -> Self {
        let resolver = Resolver::new(listing, ground);
        let mut build = Builder { resolver: &resolver, found: Vec::new(), unresolved: Vec::new() };
        for (path, facts) in facts {
            build.file(path, facts);
        }
        let lost = ground.crates.missing.iter().map(|lost| Unresolved {
            path: lost.file.clone(),
            span: lost.span,
            name: format!("mod {}", lost.name),
        });
        build.unresolved.extend(lost);
        let (found, mut unresolved) = (build.found, build.unresolved);
        unresolved.sort();
        unresolved.dedup();
        Self::from_resolved(&found, unresolved, facts, ground)
    }

    /// Updates the imports of the file at `path` from its current `facts`. Returns `false` without
    /// changing anything if an import leads to a file that is not in the graph. Unresolved imports
    /// are not updated.
    pub(super) fn update_file(
        &mut self,
        ground: &ResolveContext,
        listing: &Listing,
        path: &str,
        facts: &Facts,
    ) -> bool {
        let resolver = Resolver::new(listing, ground);
        let mut build = Builder { resolver: &resolver, found: Vec::new(), unresolved: Vec::new() };
        build.file(path, facts);
        let place = |path: &str| self.files.binary_search_by(|file| (*file.path).cmp(path)).ok();
        let edge = |one: &Resolved<'_>| edge(one, &self.files, &place);
        let known = |one: &Resolved<'_>| match &one.to {
            Resolution::Files(paths) => paths.iter().all(|path| place(path).is_some()),
            _ => true,
        };
        let Some(from) = place(path).filter(|_| build.found.iter().all(known)) else {
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
        ground: &ResolveContext,
    ) -> Self {
        let mut names: BTreeSet<&str> = facts.keys().map(String::as_str).collect();
        for one in found {
            if let Resolution::Files(paths) = &one.to {
                names.extend(paths.iter().map(String::as_str));
            }
        }
        let is_test = |path: &str| {
            let language = facts.get(path).map(|facts| facts.language);
            language.is_some_and(|language| is_test_path(language, path))
                || ground.crates.tests.contains(path)
        };
        let files: Vec<File> = names
            .iter()
            .map(|path| File { path: (*path).to_owned(), test: is_test(path) })
            .collect();
        let index: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, path)| (*path, at)).collect();
        let place = |path: &str| index.get(path).copied();
        let edges = found.iter().filter_map(|one| edge(one, &files, &place)).collect();
        Self { files, edges, unresolved }
    }
}

/// Converts a resolved import to an edge; `place` maps a path to its index in `files`.
fn edge(one: &Resolved<'_>, files: &[File], place: &dyn Fn(&str) -> Option<usize>) -> Option<Edge> {
    let from = place(one.from)?;
    let to = match &one.to {
        Resolution::Files(paths) => {
            Target::Files(paths.iter().filter_map(|path| place(path)).collect())
        }
        Resolution::Package(name) => Target::Package(name.clone()),
        Resolution::Missing | Resolution::Unknown => return None,
    };
    let test = one.test || files[from].test;
    let (type_only, deferred, binds) = (one.type_only, one.deferred, one.binds);
    Some(Edge { from, to, span: one.span, type_only, deferred, test, binds })
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
    fn file(&mut self, path: &'a str, facts: &'a Facts) {
        let first = self.found.len();
        // Grouped by statement: `use a::{B, C}` from one file is one import.
        for group in facts.imports.chunk_by(|a, b| a.statement == b.statement) {
            self.statement(path, facts.language, group);
        }
        drop_repeated(&mut self.found, first, facts);
    }

    fn statement(&mut self, path: &'a str, language: Language, group: &'a [Import]) {
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
        if let [one] = &mut self.found[start..]
            && (is_path || language == Language::Python)
            && let Some(first) = group.first()
        {
            one.span = first.statement;
        }
    }
}

/// Removes repeated inline paths: of several with the same target only the first is retained, and
/// none if a statement also imports the target.
fn drop_repeated(found: &mut Vec<Resolved<'_>>, first: usize, facts: &Facts) {
    let inline: BTreeSet<Span> =
        facts.imports.iter().filter(|import| import.inline).map(|import| import.span).collect();
    if inline.is_empty() {
        return;
    }
    let is_inline = |one: &Resolved<'_>| inline.contains(&one.span);
    // The target, and whether the import is for tests; a test import does not hide a regular one.
    let mut known: BTreeSet<(Resolution, bool)> = found[first..]
        .iter()
        .filter(|one| !is_inline(one))
        .map(|one| (one.to.clone(), one.test))
        .collect();
    let mut at = 0;
    found.retain(|one| {
        at += 1;
        if at <= first || !is_inline(one) {
            return true;
        }
        if one.test && known.contains(&(one.to.clone(), false)) {
            return false;
        }
        known.insert((one.to.clone(), one.test))
    });
}
