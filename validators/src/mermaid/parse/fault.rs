//! Converts the parser's errors to findings: what was found, what was expected. Where the parser
//! and Mermaid are known to differ, Mermaid decides.

use super::texts::{self, Code, Token};
use super::{Diagram, Fault, Syntax, Type, span};
use aidd_engine::text::source::{Source, Span};
use merman_core::{EditorSemanticDiagnostic, EditorSemanticDiagnosticKind, Error, ParseDiagnostic};

/// Stores the location of the first error of the recovery, for errors without a location.
pub(super) fn store_location(diagram: &mut Diagram, diagnostics: &[EditorSemanticDiagnostic]) {
    let fault = diagnostics.iter().find_map(|diagnostic| {
        let recovered = diagnostic.kind == EditorSemanticDiagnosticKind::ParserRecovery;
        diagnostic.span.filter(|_| recovered)
    });
    if let Some(found) = fault {
        let found = Span::new(found.start.min(found.end), found.end);
        diagram.fault = Some(Fault::Syntax(Syntax { span: found, ..Syntax::default() }));
    }
}

/// The fault for a parser error, if Mermaid also rejects it.
pub(super) fn from_error(
    error: &Error,
    source: &Source,
    diagram: &Diagram,
    front_matter: Option<Span>,
) -> Option<Fault> {
    Some(match error {
        Error::DetectType(_) => {
            // Mermaid only matches the bare word here, with any suffix.
            if source.slice(diagram.header).starts_with("ishikawa") {
                return None;
            }
            Fault::UnknownType
        }
        Error::UnsupportedDiagram { .. } => return None,
        Error::DiagramParse { diagnostic, .. } => {
            return syntax(diagnostic, source, diagram);
        }
        Error::MalformedFrontMatter => Fault::Config {
            span: diagram.lines.first().copied().unwrap_or_default(),
            message: "front matter is not closed by a line `---`".to_owned(),
        },
        Error::InvalidFrontMatterYaml { message } => {
            let (message, line) = texts::without_place(message);
            Fault::Config {
                span: yaml_span(line, source, front_matter.unwrap_or_default()),
                message: format!("invalid YAML in front matter: {message}"),
            }
        }
        Error::InvalidDirectiveJson { message } => Fault::Config {
            span: source.text().find("%%{").map_or_else(Span::default, |at| {
                let end = source.text()[at..].find("}%%").map_or(at + 3, |end| at + end + 3);
                Span::new(at, end)
            }),
            message: format!("invalid JSON in directive: {message}"),
        },
        other => Fault::Skipped(other.to_string()),
    })
}

fn syntax(diagnostic: &ParseDiagnostic, source: &Source, diagram: &Diagram) -> Option<Fault> {
    let message = diagnostic.message();
    let (code, rest) = Code::from_message(diagram.kind, message).unzip();
    if code.is_some_and(Code::is_rendered) {
        return None;
    }
    let rest = rest.unwrap_or_default();
    if code == Some(Code::Date) {
        return date_fault(rest.trim(), source, diagram);
    }
    let place = diagnostic.span().map(|place| span(place, source));
    if place.is_some_and(|place| is_allowed_text(code, message, place, source, diagram)) {
        return None;
    }
    let span = place.or_else(|| quoted_span(message, source, diagram)).unwrap_or(diagram.header);
    let found = truncate(source.slice(span));
    let mut expected = Vec::new();
    let message = match (code, texts::expected_tokens(message)) {
        (Some(Code::Statement | Code::RequirementStatement), _) => {
            format!("`{found}` is not a statement of this diagram type")
        }
        (Some(Code::NodeLabel | Code::ShapeData), _) => {
            let missing = rest.split('`').next().unwrap_or_default();
            format!("the label is not closed by `{missing}`")
        }
        (Some(Code::Character), _) => {
            let mut found = source.text()[span.start as usize..].chars();
            found.next().map_or_else(
                || "unexpected end of the diagram".to_owned(),
                |c| format!("unexpected character `{}`", c.escape_debug()),
            )
        }
        (_, Some(tokens)) => {
            let list;
            (list, expected) = expected_list(tokens);
            format!("expected {list}, found {}", found_text(code, span, source))
        }
        _ => normalize_message(message),
    };
    Some(Fault::Syntax(Syntax { span, message, code, expected }))
}

/// Whether the fault is only due to the parser's stricter definition of a name or label.
fn is_allowed_text(
    code: Option<Code>,
    message: &str,
    place: Span,
    source: &Source,
    diagram: &Diagram,
) -> bool {
    let text = source.text();
    let at = place.start as usize;
    let rest = &text[at..];
    match code {
        // An id in a flowchart can contain most ASCII characters.
        Some(Code::Character) if diagram.is_flowchart() => {
            let is_end = |c: char| c.is_whitespace() || c == ';';
            let start = text[..at].rfind(is_end).map_or(0, |end| end + 1);
            let word =
                text.get(start..).unwrap_or_default().split(is_end).next().unwrap_or_default();
            let fits = |c: char| c.is_ascii_alphanumeric() || "!\"#$%&'*+.,:?\\_/=`->".contains(c);
            word.chars().all(fits) && !matches!(word, ":" | "," | "->" | "")
        }
        // A label can continue on the next line.
        Some(Code::NodeEnd) => {
            rest.split_once('\n').is_some_and(|(_, rest)| rest.contains([']', ')', '}']))
        }
        Some(Code::JourneyHeader) => {
            ["title ", "section ", "%%"].iter().any(|word| rest.starts_with(word))
        }
        // Bare words name a class.
        Some(Code::End | Code::Expectation) if diagram.kind == Some(Type::ClassDiagram) => {
            let line = source.slice(source.line_span(source.line_of(place.start)));
            let bare = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '~');
            let first = texts::expected_tokens(message).and_then(|mut tokens| tokens.next());
            first.and_then(Token::from_text).is_some_and(|(token, _)| token == Token::Ext)
                && line.chars().all(bare)
        }
        _ => false,
    }
}

/// A date that does not match `dateFormat`. Text with a digit is not reported: the browser parses
/// it, and accepts most dates.
fn date_fault(date: &str, source: &Source, diagram: &Diagram) -> Option<Fault> {
    if date.is_empty() || date.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let span = find(date, source, diagram)?;
    Some(Fault::Dates { span, message: format!("`{date}` is not a date or a reference to a task") })
}

/// The first occurrence in the code of the text quoted in a message. Some errors have no span; they
/// quote text of the source.
fn quoted_span(message: &str, source: &Source, diagram: &Diagram) -> Option<Span> {
    let quoted = message.split(['"', '\'', '`']).nth(1).filter(|text| !text.is_empty());
    let bracketed = || message.rsplit_once('(').and_then(|(_, rest)| rest.split(')').next());
    let after_colon =
        || message.rsplit_once(": ").map(|(_, rest)| rest.lines().next().unwrap_or(rest));
    [after_colon(), quoted, bracketed()]
        .into_iter()
        .flatten()
        .find_map(|text| find(text.trim(), source, diagram))
}

fn find(text: &str, source: &Source, diagram: &Diagram) -> Option<Span> {
    if text.is_empty() {
        return None;
    }
    diagram.lines.iter().skip(1).find_map(|&line| {
        let at = source.slice(line).find(text)? + line.start as usize;
        Some(Span::new(at, at + text.len()))
    })
}

/// The description of the expected tokens, and the tokens.
fn expected_list<'a>(tokens: impl Iterator<Item = &'a str>) -> (String, Vec<Token>) {
    let mut known = Vec::new();
    let mut list: Vec<String> = tokens
        .map(|text| match Token::from_text(text) {
            Some((token, ours)) => {
                known.push(token);
                ours.to_owned()
            }
            None => text.replace('"', "`"),
        })
        .collect();
    list.dedup();
    match list.as_slice() {
        [] => (String::new(), known),
        [one] => (one.clone(), known),
        // A long list is the start of any statement, which is not informative.
        many if many.len() > 8 => ("a statement".to_owned(), Vec::new()),
        [many @ .., last] => (format!("{} or {last}", many.join(", ")), known),
    }
}

fn found_text(code: Option<Code>, place: Span, source: &Source) -> String {
    let text = source.slice(place).trim();
    if code == Some(Code::End) {
        "the end of the diagram".to_owned()
    } else if text.is_empty() {
        "the end of the line".to_owned()
    } else {
        format!("`{}`", truncate(text))
    }
}

/// The message without the parser's capitals and full stops.
fn normalize_message(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim().trim_end_matches('.');
    let mut chars = line.chars();
    chars.next().map_or_else(
        || "the diagram cannot be parsed".to_owned(),
        |first| {
            let second = chars.clone().next().is_some_and(char::is_lowercase);
            let first = if second { first.to_ascii_lowercase() } else { first };
            format!("{first}{}", chars.as_str())
        },
    )
}

fn truncate(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// The span of a line of the front matter, counted from the line after its opening fence.
fn yaml_span(line: Option<usize>, source: &Source, front_matter: Span) -> Span {
    let fence = source.line_of(front_matter.start);
    let line = line.map(|line| source.line_span(fence + line));
    let line = line.filter(|line| front_matter.contains(*line) && !line.is_empty());
    line.unwrap_or_else(|| source.line_span(fence))
}
