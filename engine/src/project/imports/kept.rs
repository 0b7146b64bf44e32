//! A cached import graph, updated only when the imports of a file change.

use super::gather::Again;
use super::graph::{Edge, Graph};
use super::resolve::Ground;
use super::{Facts, Module};
use crate::text::files::Files;
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A graph with the data used to resolve its imports. Valid for one list of files and one state of
/// the manifests.
#[derive(Debug)]
pub struct Kept {
    graph: Arc<Graph>,
    ground: Ground,
}

/// How the imports of a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The targets are the same; only positions changed.
    Places,
    /// The targets changed.
    Targets,
    /// The way other files import it changed; the graph must be rebuilt.
    Everything,
}

impl Kept {
    /// Builds the graph from `facts`; see [`Graph::new`].
    #[must_use]
    pub fn new(files: &dyn Files, listing: &Listing, facts: &BTreeMap<String, Arc<Facts>>) -> Self {
        let ground = Ground::new(files, listing, facts);
        Self { graph: Arc::new(Graph::on(&ground, listing, facts)), ground }
    }

    /// The graph. Its unresolved imports are those from when it was built.
    #[must_use]
    pub fn graph(&self) -> Arc<Graph> {
        self.graph.clone()
    }

    /// Updates the graph after a file changed.
    pub fn rejoin(&mut self, listing: &Listing, again: &Again) -> Difference {
        let (Some(before), Some(after)) = (&again.before, &again.after) else {
            return Difference::Everything;
        };
        if before.package != after.package || !is_alike(&before.modules, &after.modules) {
            return Difference::Everything;
        }
        let graph = Arc::make_mut(&mut self.graph);
        let old = edges(graph, &again.path);
        if !graph.rejoin(&self.ground, listing, &again.path, after) {
            return Difference::Everything;
        }
        let new = edges(graph, &again.path);
        let ends = |edge: &Edge| (edge.to.clone(), edge.type_only, edge.deferred, edge.test);
        if old.iter().map(ends).eq(new.iter().map(ends)) {
            Difference::Places
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
fn is_alike(before: &[Module], after: &[Module]) -> bool {
    let one = |module: &Module| Module { span: Default::default(), ..module.clone() };
    before.iter().map(one).eq(after.iter().map(one))
}
