//! The code lens with the number of allowed findings at the top of a file.

use crate::convert;
use crate::snapshot::Snapshot;
use aidd_engine::text::escape;
use aidd_engine::text::finding::Status;
use serde::Serialize;
use serde_json::json;
use tower_lsp_server::ls_types::{CodeLens, Command, Range};

/// The command of the lens; its only argument is the URI of the document.
pub const SHOW_ALLOWED: &str = "aidd.showAllowed";

/// A finding allowed by a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Allowed {
    /// The rule id.
    pub rule: String,
    /// The message of the finding.
    pub message: String,
    /// The reason in the allow comment.
    pub reason: String,
    /// The range of the finding.
    pub range: Range,
}

/// A lens with the number of allowed findings in the file; none if there are no such findings.
#[must_use]
pub fn lenses(snapshot: &Snapshot) -> Vec<CodeLens> {
    let title = match allowed(snapshot).len() {
        0 => return Vec::new(),
        1 => "1 finding allowed in this file".to_owned(),
        count => format!("{count} findings allowed in this file"),
    };
    let arguments = Some(vec![json!(snapshot.uri)]);
    let command = Command { title, command: SHOW_ALLOWED.to_owned(), arguments };
    vec![CodeLens { range: Range::default(), command: Some(command), data: None }]
}

/// The findings allowed by comments in the file.
#[must_use]
pub fn allowed(snapshot: &Snapshot) -> Vec<Allowed> {
    let allowed =
        snapshot.checked.findings.iter().filter(|finding| finding.status == Status::Allowed);
    let to_allowed = |finding: &aidd_engine::text::finding::Finding| Allowed {
        rule: finding.rule.to_string(),
        message: finding.message.clone(),
        reason: finding.reason.clone().unwrap_or_default(),
        range: convert::range(&snapshot.source, finding.span, snapshot.encoding),
    };
    allowed.map(to_allowed).collect()
}

/// The allowed findings as a message, one line each.
#[must_use]
pub fn message(allowed: &[Allowed]) -> String {
    let line = |finding: &Allowed| {
        format!(
            "{}: {}: {} ({})",
            finding.range.start.line + 1,
            finding.rule,
            finding.message,
            finding.reason
        )
    };
    escape::lines(&allowed.iter().map(line).collect::<Vec<_>>().join("\n")).into_owned()
}
