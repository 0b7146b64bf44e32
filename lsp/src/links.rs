//! Links from rule names in allow comments to their pages.

use crate::convert;
use crate::snapshot::Snapshot;
use aidd_engine::check::allow;
use tower_lsp_server::ls_types::DocumentLink;

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
