//! Runs the `layers` checks in the project pass.

use super::super::project_form::{ProjectFinding, ProjectResult, Scope};
use super::{Breach, LayersCheck, LayersError};
use crate::project::imports::{FactsCache, Graph, gather};
use crate::text::files::Files;
use crate::text::finding::Related;
use crate::text::listing::Listing;
use crate::text::source::Source;
use aidd_page::LayersHeader;
use std::sync::{Arc, OnceLock};

/// Maximum number of unresolved imports that a note lists.
const MAX_NAMED: usize = 5;

/// The import graph of a project, built when the first rule needs it.
#[derive(Debug)]
pub struct Imports<'a> {
    memo: &'a FactsCache,
    graph: OnceLock<(Arc<Graph>, usize)>,
}

impl<'a> Imports<'a> {
    /// An import graph that is built on demand; `memo` caches what is read from each file.
    #[must_use]
    pub fn new(memo: &'a FactsCache) -> Self {
        Self { memo, graph: OnceLock::new() }
    }

    /// The graph of the files in `memo`, with the file of `source` replaced by its current text.
    /// Only manifests are read.
    #[must_use]
    pub fn with(
        memo: &'a FactsCache,
        files: &dyn Files,
        listing: &Listing,
        source: &Source,
    ) -> Self {
        let facts = memo.facts_with(listing, source.path(), source.text());
        Self::from_graph(memo, Arc::new(Graph::new(files, listing, &facts)))
    }

    /// Wraps a graph that is already built.
    #[must_use]
    pub fn from_graph(memo: &'a FactsCache, graph: Arc<Graph>) -> Self {
        Self { memo, graph: (graph, 0).into() }
    }

    fn of(&self, scope: &Scope<'_>) -> &(Arc<Graph>, usize) {
        self.graph.get_or_init(|| {
            let (facts, too_large) = gather(scope.files, scope.listing, self.memo);
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
    let (graph, too_large) = imports.of(scope);
    let judges = |path: &str| layers.applies_to(path) && scope.covers(path);
    let judged = graph.edges.iter().filter(|edge| judges(&graph.files[edge.from].path)).count();
    let found =
        layers.check(graph, &|path| scope.covers(path)).into_iter().map(to_finding).collect();
    let mut notes = Vec::new();
    let lost: Vec<&crate::project::imports::Unresolved> =
        graph.unresolved.iter().filter(|lost| judges(&lost.path)).collect();
    if !lost.is_empty() {
        let named = lost.iter().take(MAX_NAMED);
        let named = named.map(|lost| format!("`{}` in {}", lost.name, lost.path));
        let mut text = format!(
            "{} look{} like a part of the project and resolve{} to no file: {}",
            if lost.len() == 1 { "1 import".to_owned() } else { format!("{} imports", lost.len()) },
            if lost.len() == 1 { "s" } else { "" },
            if lost.len() == 1 { "s" } else { "" },
            named.collect::<Vec<_>>().join(", "),
        );
        if let Some(more @ 1..) = lost.len().checked_sub(MAX_NAMED) {
            text.push_str(&format!(" and {more} more"));
        }
        notes.push(text);
    }
    if *too_large > 0 {
        notes.push(format!("{too_large} files are too large to read their imports"));
    }
    Ok(ProjectResult { found, checked: judged, notes })
}

fn to_finding(breach: Breach) -> ProjectFinding {
    let Breach { path, span, message, from, to, steps } = breach;
    // Related places must be in the file of the finding, so each step is attached to the import.
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
