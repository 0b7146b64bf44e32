//! Runs the `layers` checks in the project pass.

use super::super::project_form::{ProjectFinding, ProjectResult, Scope};
use super::{Breach, LayersCheck, LayersError};
use crate::project::imports::{FactsCache, Graph, gather};
use crate::text::files::{Files, RunCache};
use crate::text::finding::Related;
use crate::text::listing::Listing;
use crate::text::source::Source;
use aidd_page::LayersHeader;
use std::sync::{Arc, OnceLock};

/// Maximum number of unresolved imports that a note lists.
const MAX_LISTED: usize = 5;

/// The import graph of a project, built when the first rule needs it.
#[derive(Debug)]
pub struct Imports<'a> {
    cache: &'a FactsCache,
    graph: OnceLock<(Arc<Graph>, usize)>,
    shared: RunCache,
}

impl<'a> Imports<'a> {
    /// Creates an import graph that is built on demand; `cache` stores the imports that are read
    /// from each file.
    #[must_use]
    pub fn new(cache: &'a FactsCache) -> Self {
        Self { cache, graph: OnceLock::new(), shared: RunCache::default() }
    }

    /// Builds the graph of the files in `cache`, with the file of `source` replaced by its current
    /// text. Only manifests are read.
    #[must_use]
    pub fn with_source(
        cache: &'a FactsCache,
        files: &dyn Files,
        listing: &Listing,
        source: &Source,
    ) -> Self {
        let facts = cache.facts_with(listing, source.path(), source.text());
        Self::from_graph(cache, Arc::new(Graph::new(files, listing, &facts)))
    }

    /// Wraps a graph that is already built.
    #[must_use]
    pub fn from_graph(cache: &'a FactsCache, graph: Arc<Graph>) -> Self {
        Self { cache, graph: (graph, 0).into(), shared: RunCache::default() }
    }

    /// Other values that the rules of one run share.
    pub(crate) fn shared(&self) -> &RunCache {
        &self.shared
    }

    /// The graph, and the number of files that are too large to read.
    pub(crate) fn graph(&self, scope: &Scope<'_>) -> &(Arc<Graph>, usize) {
        self.graph.get_or_init(|| {
            let (facts, too_large) = gather(scope.files, scope.listing, self.cache);
            (Arc::new(Graph::new(scope.files, scope.listing, &facts)), too_large)
        })
    }
}

/// Runs the check in `header` over the project.
///
/// # Errors
/// The errors of [`LayersCheck::new`].
pub fn run(
    header: &LayersHeader,
    scope: &Scope<'_>,
    imports: &Imports<'_>,
) -> Result<ProjectResult, LayersError> {
    let layers = LayersCheck::new(header, scope.base)?;
    let (graph, too_large) = imports.graph(scope);
    let is_checked = |path: &str| layers.applies_to(path) && scope.covers(path);
    let checked_count =
        graph.edges.iter().filter(|edge| is_checked(&graph.files[edge.from].path)).count();
    let found =
        layers.check(graph, &|path| scope.covers(path)).into_iter().map(to_finding).collect();
    let mut notes = Vec::new();
    let unresolved: Vec<&crate::project::imports::Unresolved> =
        graph.unresolved.iter().filter(|unresolved| is_checked(&unresolved.path)).collect();
    if !unresolved.is_empty() {
        let listed = unresolved.iter().take(MAX_LISTED);
        let listed =
            listed.map(|unresolved| format!("`{}` in {}", unresolved.name, unresolved.path));
        let mut text = format!(
            "{} look{} like a part of the project, but {} to a file: {}",
            if unresolved.len() == 1 {
                "1 import".to_owned()
            } else {
                format!("{} imports", unresolved.len())
            },
            if unresolved.len() == 1 { "s" } else { "" },
            if unresolved.len() == 1 { "does not resolve" } else { "do not resolve" },
            listed.collect::<Vec<_>>().join(", "),
        );
        if let Some(more @ 1..) = unresolved.len().checked_sub(MAX_LISTED) {
            text.push_str(&format!(" and {more} more"));
        }
        notes.push(text);
    }
    if *too_large > 0 {
        notes.push(match *too_large {
            1 => "1 file is too large, so its imports were not read".to_owned(),
            count => format!("{count} files are too large, so their imports were not read"),
        });
    }
    Ok(ProjectResult { found, checked: checked_count, notes })
}

fn to_finding(breach: Breach) -> ProjectFinding {
    let Breach { path, span, message, from, to, steps } = breach;
    // Related locations must be in the file of the finding, so each step is attached to the import.
    let related = steps
        .into_iter()
        .map(|step| Related { span, message: format!("`{}` imports `{}`", step.path, step.to) });
    ProjectFinding {
        path,
        span: Some(span),
        message,
        names: vec![("from".to_owned(), from), ("to".to_owned(), to)],
        related: related.collect(),
        ..ProjectFinding::default()
    }
}
