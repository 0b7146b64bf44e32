//! One state of one document, checked.

use crate::workspace::Workspace;
use aidd_engine::check::Checked;
use aidd_engine::text::source::{Encoding, Source};
use std::sync::Arc;
use tower_lsp_server::ls_types::Uri;

/// One document as it was checked: immutable, shared.
#[derive(Debug)]
pub struct Snapshot {
    /// What the client calls it.
    pub uri: Uri,
    /// The client's version; `None` for a file that is not open.
    pub version: Option<i32>,
    /// Its text, under its path from the root of the workspace.
    pub source: Source,
    /// Its findings, all of them: also those baselined or allowed.
    pub checked: Checked,
    /// The project it belongs to.
    pub workspace: Arc<Workspace>,
    /// The units in which the client counts columns.
    pub encoding: Encoding,
}
