//! Links from rule names to their pages, and the definitions of rules.

use crate::convert;
use crate::hover;
use crate::snapshot::Snapshot;
use aidd_engine::check::allow;
use tower_lsp_server::ls_types::{DocumentLink, Location, Position, Range};

/// The pages of the project that define the rules named at `position`. A shipped rule has no file in
/// the project; its hover and its link show it.
#[must_use]
pub fn definitions(snapshot: &Snapshot, position: Position) -> Vec<Location> {
    let offset = convert::offset(&snapshot.source, position, snapshot.encoding);
    let (rules, _) = hover::named_at(snapshot, offset).unwrap_or_default();
    let pages = rules.into_iter().filter(|rule| rule.path.is_some());
    let pages = pages.filter_map(|rule| convert::page(&snapshot.workspace, rule));
    pages.map(|uri| Location { uri, range: Range::default() }).collect()
}

/// A link for each rule named in an allow comment.
#[must_use]
pub fn links(snapshot: &Snapshot) -> Vec<DocumentLink> {
    let registry = snapshot.workspace.engine.registry();
    let link = |span| {
        let rule = registry.named(snapshot.source.slice(span)).next()?;
        Some(DocumentLink {
            range: convert::range(&snapshot.source, span, snapshot.encoding),
            target: Some(convert::page(&snapshot.workspace, rule)?),
            tooltip: Some(rule.summary.clone()),
            data: None,
        })
    };
    allow::names(&snapshot.source).into_iter().filter_map(link).collect()
}
