//! A cached import graph, updated only when the imports of a file change.

use super::gather::ChangedFacts;
use super::graph::{Edge, Graph};
use super::resolve::ResolveContext;
use super::{Facts, Module};
use crate::text::files::Files;
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A graph with the data used to resolve its imports. Valid for one list of files and one state of
/// the manifests.
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
    /// The way other files import it changed; the graph must be rebuilt.
    All,
}

impl CachedGraph {
    /// Builds the graph from `facts`; see [`Graph::new`].
    #[must_use]
    pub fn new(files: &dyn Files, listing: &Listing, facts: &BTreeMap<String, Arc<Facts>>) -> Self {
        let ground = ResolveContext::new(files, listing, facts);
        Self { graph: Arc::new(Graph::with_context(&ground, listing, facts)), context: ground }
    }

    /// The graph. Its unresolved imports are those from when it was built.
    #[must_use]
    pub fn graph(&self) -> Arc<Graph> {
        self.graph.clone()
    }

    /// Updates the graph after a file changed.
    pub fn update(&mut self, listing: &Listing, again: &ChangedFacts) -> Difference {
        let (Some(before), Some(after)) = (&again.before, &again.after) else {
            return Difference::All;
        };
        if before.package != after.package || !declares_same(&before.modules, &after.modules) {
            return Difference::All;
        }
        let graph = Arc::make_mut(&mut self.graph);
        let old = edges(graph, &again.path);
        if !graph.update_file(&self.context, listing, &again.path, after) {
            return Difference::All;
        }
        let new = edges(graph, &again.path);
        let ends =
            |edge: &Edge| (edge.to.clone(), edge.type_only, edge.deferred, edge.test, edge.binds);
        if old.iter().map(ends).eq(new.iter().map(ends)) {
            Difference::Positions
        } else {
            Difference::Targets
        }
    }
}

fn edges(graph: &Graph, path: &str) -> Vec<Edge> {
    let place = graph.files.binary_search_by(|file| (*file.path).cmp(path));
    place.map_or_else(|_| Vec::new(), |file| graph.edges[graph.range(file)].to_vec())
}

/// Whether both declare the same modules, ignoring positions.
fn declares_same(before: &[Module], after: &[Module]) -> bool {
    let one = |module: &Module| Module { span: Default::default(), ..module.clone() };
    before.iter().map(one).eq(after.iter().map(one))
}
