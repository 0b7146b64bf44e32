//! The code lenses: the number of allowed findings and of the memories that name the file at its
//! top, and the memories that name a symbol at its declaration.

use crate::convert;
use crate::memory::{self, Memories};
use crate::snapshot::Snapshot;
use aidd_engine::text::escape;
use aidd_engine::text::finding::Status;
use aidd_engine::text::source::Span;
use aidd_memory::MemoryError;
use aidd_memory::recall::naming::Naming;
use serde::Serialize;
use serde_json::json;
use tower_lsp_server::ls_types::{CodeLens, Command, Range};

/// The command of the lens; its only argument is the URI of the document.
pub const SHOW_ALLOWED: &str = "aidd.showAllowed";

/// The command of the lenses about memories; its arguments are the URI of the document and, for the
/// memories that name a symbol, the name of the symbol.
pub const SHOW_MEMORY: &str = "aidd.showMemory";

/// Maximum number of symbols in a file for which memories are searched.
const MAX_SYMBOLS: usize = 400;
/// Maximum length of a memory in a title, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// A finding allowed by a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Allowed {
    /// The id of the rule.
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

/// The lenses about the memories that name the file or one of its symbols.
///
/// # Errors
/// When the memory cannot be read.
pub fn memory_lenses(
    snapshot: &Snapshot,
    memories: &Memories,
) -> Result<Vec<CodeLens>, MemoryError> {
    let (source, workspace) = (&snapshot.source, &snapshot.workspace);
    let lens = |range: Range, title: String, symbol: Option<&str>| {
        let symbol = symbol.map(|symbol| json!(symbol));
        let arguments = Some([json!(snapshot.uri)].into_iter().chain(symbol).collect());
        let command = Command { title, command: SHOW_MEMORY.to_owned(), arguments };
        CodeLens { range, command: Some(command), data: None }
    };
    let mut lenses = Vec::new();
    let named = memories.naming(workspace, Some(source.path()), &[])?;
    if !named.is_empty() {
        let title = format!("{} in the project memory", memory::counts(&named));
        lenses.push(lens(Range::default(), title, None));
    }
    let outline = aidd_index::outline_of(source.path(), source.text());
    for symbol in outline.iter().flat_map(|outline| &outline.symbols).take(MAX_SYMBOLS) {
        let named = memories.naming(workspace, None, std::slice::from_ref(&symbol.name))?;
        if named.is_empty() {
            continue;
        }
        let at = Span { start: symbol.at.offset, end: symbol.at.offset };
        let range = convert::range(source, at, snapshot.encoding);
        lenses.push(lens(range, title(&named), Some(&symbol.name)));
    }
    Ok(lenses)
}

/// The title of the lens about the memories that name a symbol: the memory if there is only one.
fn title(named: &[Naming]) -> String {
    match named {
        [only] => {
            let brief = &only.brief;
            escape::lines(&format!("{}: {}", brief.entry.kind, brief.line(MAX_TITLE_CHARS)))
                .into_owned()
        }
        _ => memory::counts(named),
    }
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
