//! A cached import graph, updated only when the imports of a file change.

use super::gather::ChangedFacts;
use super::graph::{Edge, Graph};
use super::resolve::ResolveContext;
use super::{Facts, Module};
use crate::text::files::Files;
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A graph with the data used to resolve its imports. The graph is valid only as long as the list
/// of files and the manifests do not change.
#[derive(Debug)]
pub struct CachedGraph {
    graph: Arc<Graph>,
    context: ResolveContext,
}

/// How the imports of a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The targets are the same; only positions changed.
    Positions,
    /// The targets changed.
    Targets,
    /// The names by which other files can import the file changed; the graph must be rebuilt.
    All,
}

impl CachedGraph {
    /// Builds the graph from `facts`; see [`Graph::new`].
    #[must_use]
    pub fn new(files: &dyn Files, listing: &Listing, facts: &BTreeMap<String, Arc<Facts>>) -> Self {
        let context = ResolveContext::new(files, listing, facts);
        Self { graph: Arc::new(Graph::with_context(&context, listing, facts)), context }
    }

    /// The graph. Unresolved imports are not updated after the graph was built.
    #[must_use]
    pub fn graph(&self) -> Arc<Graph> {
        self.graph.clone()
    }

    /// Updates the graph after a file changed.
    pub fn update(&mut self, listing: &Listing, change: &ChangedFacts) -> Difference {
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            return Difference::All;
        };
        if before.package != after.package || !declares_same(&before.modules, &after.modules) {
            return Difference::All;
        }
        let graph = Arc::make_mut(&mut self.graph);
        let old = edges(graph, &change.path);
        if !graph.update_file(&self.context, listing, &change.path, after) {
            return Difference::All;
        }
        let new = edges(graph, &change.path);
        let target =
            |edge: &Edge| (edge.to.clone(), edge.type_only, edge.deferred, edge.test, edge.binds);
        if old.iter().map(target).eq(new.iter().map(target)) {
            Difference::Positions
        } else {
            Difference::Targets
        }
    }
}

fn edges(graph: &Graph, path: &str) -> Vec<Edge> {
    let index = graph.files.binary_search_by(|file| (*file.path).cmp(path));
    index.map_or_else(|_| Vec::new(), |file| graph.edges[graph.range(file)].to_vec())
}

/// Whether both lists declare the same modules, ignoring positions.
fn declares_same(before: &[Module], after: &[Module]) -> bool {
    let without_span = |module: &Module| Module { span: Default::default(), ..module.clone() };
    before.iter().map(without_span).eq(after.iter().map(without_span))
}
