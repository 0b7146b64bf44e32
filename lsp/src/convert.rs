//! Conversion between engine and protocol types. Only this module converts byte offsets to
//! positions and findings to diagnostics.

use crate::examples::FailedExample;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape;
use aidd_engine::text::finding::{Finding, Severity, Status};
use aidd_engine::text::source::{Encoding, Position as SourcePosition, Source, Span};
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Position, PositionEncodingKind, Range, Uri,
};

/// The `source` of diagnostics.
pub const SOURCE: &str = "aidd";

/// The position encoding, chosen from the encodings that the client offers: UTF-8, which needs no
/// conversion, otherwise the default of the protocol.
#[must_use]
pub fn encoding(offered: Option<&[PositionEncodingKind]>) -> Encoding {
    let offered = offered.unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        Encoding::Utf8
    } else if offered.contains(&PositionEncodingKind::UTF32)
        && !offered.contains(&PositionEncodingKind::UTF16)
    {
        Encoding::CodePoints
    } else {
        Encoding::Utf16
    }
}

/// The protocol's name of an encoding.
#[must_use]
pub fn encoding_kind(encoding: Encoding) -> PositionEncodingKind {
    match encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::CodePoints => PositionEncodingKind::UTF32,
    }
}

/// The position of a byte offset.
#[must_use]
pub fn position(source: &Source, offset: u32, encoding: Encoding) -> Position {
    let SourcePosition { line, column } = source.position(offset, encoding);
    Position::new(line, column)
}

/// The range of a span.
#[must_use]
pub fn range(source: &Source, span: Span, encoding: Encoding) -> Range {
    Range::new(position(source, span.start, encoding), position(source, span.end, encoding))
}

/// The byte offset of a position. Positions past the end of the line or the text are clamped.
#[must_use]
pub fn offset(source: &Source, position: Position, encoding: Encoding) -> u32 {
    let Position { line, character: column } = position;
    if line as usize >= source.line_count() {
        return Span::at(source.text().len()).end;
    }
    source.offset(SourcePosition { line, column }, encoding)
}

/// The span of a range; empty if the range ends before it starts.
#[must_use]
pub fn span(source: &Source, range: Range, encoding: Encoding) -> Span {
    let start = offset(source, range.start, encoding);
    Span { start, end: offset(source, range.end, encoding).max(start) }
}

/// Whether an editor shows the finding. Findings allowed by a comment are not shown.
#[must_use]
pub fn is_shown(finding: &Finding) -> bool {
    !matches!(finding.status, Status::Allowed | Status::Fixed)
}

/// The diagnostics of all shown findings, and of the failing examples of a rule page.
#[must_use]
pub fn diagnostics(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let shown = snapshot.checked.findings.iter().filter(|finding| is_shown(finding));
    let findings = shown.map(|finding| diagnostic(snapshot, finding));
    let failed = snapshot.failed_examples.iter().map(|failed| failed_example(snapshot, failed));
    findings.chain(failed).collect()
}

/// The diagnostic of a failing example, at the beginning of its block. It has no code, because it is
/// not the finding of a rule.
fn failed_example(snapshot: &Snapshot, failed: &FailedExample) -> Diagnostic {
    let source = &snapshot.source;
    let line = failed.line.saturating_sub(1).min(source.line_count().saturating_sub(1));
    Diagnostic {
        range: range(source, source.line_span(line), snapshot.encoding),
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some(SOURCE.to_owned()),
        message: escape::lines(&format!("the example fails: {}", failed.message)).into_owned(),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a finding. `data` contains the id and the status of the finding, so that
/// clients and later requests can identify the finding.
#[must_use]
pub fn diagnostic(snapshot: &Snapshot, finding: &Finding) -> Diagnostic {
    let rule = snapshot.workspace.engine.registry().get(&finding.rule);
    let page = rule.and_then(|rule| page(&snapshot.workspace, rule));
    let related = finding.related.iter().map(|related| DiagnosticRelatedInformation {
        location: Location::new(
            snapshot.uri.clone(),
            range(&snapshot.source, related.span, snapshot.encoding),
        ),
        message: escape::lines(&related.message).into_owned(),
    });
    let related: Vec<_> = related.collect();
    let tags = rule.map(tags).unwrap_or_default();
    Diagnostic {
        range: range(&snapshot.source, finding.span, snapshot.encoding),
        severity: Some(severity(finding)),
        code: Some(NumberOrString::String(escape::line(&finding.rule).into_owned())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: message(finding),
        related_information: (!related.is_empty()).then_some(related),
        tags: (!tags.is_empty()).then_some(tags),
        data: Some(json!({ "id": finding.id, "status": finding.status.to_string() })),
    }
}

/// The severity of a finding. A baselined finding is a hint: it does not affect the result of a
/// check, but can be fixed.
fn severity(finding: &Finding) -> DiagnosticSeverity {
    match (finding.status, finding.severity) {
        (Status::Baselined, _) => DiagnosticSeverity::HINT,
        (_, Severity::Error) => DiagnosticSeverity::ERROR,
        (_, Severity::Warning) => DiagnosticSeverity::WARNING,
        (_, Severity::Info) => DiagnosticSeverity::INFORMATION,
    }
}

/// The message and the help of a finding.
fn message(finding: &Finding) -> String {
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        text.push('\n');
        text.push_str(help);
    }
    if finding.status == Status::Baselined {
        text.push_str("\n(baselined)");
    }
    escape::lines(&text).into_owned()
}

/// The diagnostic tags of a rule that reports text without effect or deprecated text.
fn tags(rule: &Rule) -> Vec<DiagnosticTag> {
    let tag = |tag: &String| match tag.as_str() {
        "unnecessary" | "unused" => Some(DiagnosticTag::UNNECESSARY),
        "deprecated" => Some(DiagnosticTag::DEPRECATED),
        _ => None,
    };
    rule.tags.iter().filter_map(tag).collect()
}

/// URI of a rule's page: the project's own file, or the page in the aidd repository.
#[must_use]
pub fn page(workspace: &Workspace, rule: &Rule) -> Option<Uri> {
    if let Some(path) = &rule.path {
        return Uri::from_file_path(workspace.project.root().join(path));
    }
    let repository = env!("CARGO_PKG_REPOSITORY");
    format!("{repository}/blob/main/content/rules/{}.md", rule.id).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_offered_encoding_is_chosen() {
        use PositionEncodingKind as Kind;
        assert_eq!(encoding(None), Encoding::Utf16);
        assert_eq!(encoding(Some(&[Kind::UTF16, Kind::UTF32, Kind::UTF8])), Encoding::Utf8);
        assert_eq!(encoding(Some(&[Kind::UTF32])), Encoding::CodePoints);
        assert_eq!(encoding(Some(&[Kind::UTF32, Kind::UTF16])), Encoding::Utf16);
        for chosen in [Encoding::Utf8, Encoding::Utf16, Encoding::CodePoints] {
            assert_eq!(encoding(Some(&[encoding_kind(chosen)])), chosen);
        }
    }

    #[test]
    fn positions_past_the_end_are_clamped() {
        let source = Source::new("x", "a😀b\r\nc");
        let at = |line, column, encoding| offset(&source, Position::new(line, column), encoding);
        assert_eq!(at(0, 3, Encoding::Utf16), 5);
        assert_eq!(at(0, 2, Encoding::CodePoints), 5);
        assert_eq!(at(0, 99, Encoding::Utf16), 6, "before the line break");
        assert_eq!(at(9, 0, Encoding::Utf16), 9, "after the last line");
        assert_eq!(at(0, 2, Encoding::Utf16), 1, "within a character");
        let backwards = Range::new(Position::new(1, 0), Position::new(0, 0));
        assert_eq!(span(&source, backwards, Encoding::Utf8), Span { start: 8, end: 8 });
    }
}
