//! The checked state of a document.

use crate::examples::FailedExample;
use crate::workspace::Workspace;
use aidd_engine::check::CheckResult;
use aidd_engine::text::source::{Encoding, Source};
use std::sync::Arc;
use tower_lsp_server::ls_types::Uri;

/// A checked document and its findings; immutable and shared.
#[derive(Debug)]
pub struct Snapshot {
    /// The client's URI.
    pub uri: Uri,
    /// The client's version; `None` for a file that is not open.
    pub version: Option<i32>,
    /// The text of the document, and its path relative to the root of the workspace.
    pub source: Source,
    /// All findings, including baselined and allowed findings.
    pub checked: CheckResult,
    /// The failing examples of an open rule page.
    pub failed_examples: Vec<FailedExample>,
    /// The project of the document.
    pub workspace: Arc<Workspace>,
    /// The position encoding of the client.
    pub encoding: Encoding,
}
