//! The parser's errors, as findings say them: what was found, what was expected. Where the parser
//! and Mermaid are known to disagree, Mermaid is right.

use super::{Diagram, Fault, span};
use aidd_engine::text::source::{Source, Span};
use merman_core::{EditorSemanticDiagnostic, EditorSemanticDiagnosticKind, Error, ParseDiagnostic};

/// What Mermaid draws although the parser refuses it: type, start of the parser's message. An empty
/// type means any. Measured against Mermaid 11.17 and 12.3 on valid diagrams.
const TOLERATED: &[(&str, &str)] = &[
    ("flowchart-v2", "Invalid edge label: quoted strings"),
    ("stateDiagram", "unexpected struct stop"),
    ("stateDiagram", "Authored state id"),
    ("stateDiagram", "unexpected text; expected newline, node identifier"),
    ("timeline", "unexpected content after timeline header"),
    ("treeView", "unexpected tokens after tree node name"),
    ("treeView", "unterminated"),
    ("classDiagram", "invalid class direction"),
    ("c4", "expected string field"),
    ("c4", "unterminated macro call"),
    ("c4", "unexpected trailing tokens after string"),
    ("gantt", "unresolved startTime"),
    ("gantt", "invalid excludes"),
    ("packet", "Packet bit range arithmetic"),
    ("packet", "packet.bitsPerRow"),
    ("mindmap", "expected mindmap header"),
    ("quadrantChart", "expected quadrantChart"),
    ("xychart", "invalid chart orientation"),
    ("treemap", "unexpected tokens after leaf"),
];

/// What the parser calls a thing in its lists of expected tokens, and what we call it.
const WORDS: &[(&str, &str)] = &[
    ("sep", "a new line"),
    ("newline", "a new line"),
    ("statement separator", "end of line"),
    ("amp", "`&`"),
    ("comma", "`,`"),
    ("colon", "`:`"),
    ("text", "`: text`"),
    ("style sep", "`:::`"),
    ("style separator", "`:::`"),
    ("node label", "a label in brackets"),
    ("node identifier", "a node id"),
    ("identifier", "a name"),
    ("arrow", "an arrow"),
    ("signal type", "an arrow"),
    ("edge id", "an edge id"),
    ("edge state", "`[*]`"),
    ("shape data", "`@{…}`"),
    ("num", "a number"),
    ("str", "a quoted string"),
    ("label", "`: label`"),
    ("ext", "`<|`"),
    ("dep", "`<` or `>`"),
    ("comp", "`*`"),
    ("agg", "`o`"),
    ("lollipop", "`()`"),
    ("line", "`--`"),
    ("dotted line", "`..`"),
];

/// Keeps the place of the first fault the recovery met, for errors without one.
pub(super) fn remember(diagram: &mut Diagram, diagnostics: &[EditorSemanticDiagnostic]) {
    let fault = diagnostics.iter().find_map(|diagnostic| {
        let recovered = diagnostic.kind == EditorSemanticDiagnosticKind::ParserRecovery;
        diagnostic.span.filter(|_| recovered)
    });
    if let Some(found) = fault {
        let found = Span::new(found.start.min(found.end), found.end);
        diagram.fault = Some(Fault::Syntax { span: found, message: String::new() });
    }
}

/// The fault behind an error of the parser, if Mermaid agrees that it is one.
pub(super) fn of_error(
    error: &Error,
    source: &Source,
    diagram: &Diagram,
    front_matter: Option<Span>,
) -> Option<Fault> {
    Some(match error {
        Error::DetectType(_) => {
            // Mermaid looks for the bare word here, whatever follows it.
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
            message: "the front matter is not closed by a line `---`".to_owned(),
        },
        Error::InvalidFrontMatterYaml { message } => Fault::Config {
            span: yaml_place(message, source, front_matter.unwrap_or_default()),
            message: format!("the front matter is not valid YAML: {}", without_place(message)),
        },
        Error::InvalidDirectiveJson { message } => Fault::Config {
            span: source.text().find("%%{").map_or_else(Span::default, |at| {
                let end = source.text()[at..].find("}%%").map_or(at + 3, |end| at + end + 3);
                Span::new(at, end)
            }),
            message: format!("the directive is not valid JSON: {message}"),
        },
        other => Fault::Skipped(other.to_string()),
    })
}

fn syntax(diagnostic: &ParseDiagnostic, source: &Source, diagram: &Diagram) -> Option<Fault> {
    let message = diagnostic.message();
    let tolerated = TOLERATED.iter().any(|&(family, start)| {
        diagram.family == family && message.trim_start_matches("task ").contains(start)
    });
    if tolerated {
        return None;
    }
    if let Some(date) = message.strip_prefix("Invalid date:") {
        return dates(date.trim(), source, diagram);
    }
    let place = diagnostic.span().map(|place| span(place, source));
    if place.is_some_and(|place| allowed_text(message, place, source, diagram)) {
        return None;
    }
    let place = place.or_else(|| quoted_place(message, source, diagram)).unwrap_or(diagram.header);
    if message.starts_with("unexpected") && message.contains("statement: ") {
        let message = format!("`{}` is no statement of this type", shortened(source.slice(place)));
        return Some(Fault::Syntax { span: place, message });
    }
    Some(Fault::Syntax { span: place, message: reword(message, place, source) })
}

/// Whether the fault is one only by the parser's narrower idea of a name or label.
fn allowed_text(message: &str, place: Span, source: &Source, diagram: &Diagram) -> bool {
    let text = source.text();
    let at = place.start as usize;
    let line = source.slice(source.line_span(source.line_of(place.start)));
    match &*diagram.family {
        // An id of a flowchart may hold most of ASCII.
        "flowchart-v2" | "flowchart-elk" | "swimlane"
            if message.starts_with("Unexpected character at ") =>
        {
            let is_end = |c: char| c.is_whitespace() || c == ';';
            let start = text[..at].rfind(is_end).map_or(0, |end| end + 1);
            let word =
                text.get(start..).unwrap_or_default().split(is_end).next().unwrap_or_default();
            let fits = |c: char| c.is_ascii_alphanumeric() || "!\"#$%&'*+.,:?\\_/=`->".contains(c);
            word.chars().all(fits) && !matches!(word, ":" | "," | "->" | "")
        }
        // Bare words name a class.
        "classDiagram" if message.contains("expected ext") => {
            line.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '~'))
        }
        // A label may go on in the next line.
        "mindmap" | "kanban" if message.starts_with("unterminated node delimiter") => {
            let rest = text.get(at..).unwrap_or_default();
            rest.split_once('\n').is_some_and(|(_, rest)| rest.contains([']', ')', '}']))
        }
        "journey" if message.contains("after journey header") => {
            let rest = text.get(at..).unwrap_or_default();
            ["title ", "section ", "%%"].iter().any(|word| rest.starts_with(word))
        }
        _ => false,
    }
}

/// A date that does not follow `dateFormat`. A text with a digit is left alone: the browser has
/// the last word on those, and reads most of them.
fn dates(date: &str, source: &Source, diagram: &Diagram) -> Option<Fault> {
    if date.is_empty() || date.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let span = find(date, source, diagram)?;
    Some(Fault::Dates {
        span,
        message: format!("`{date}` is neither a date nor a task to wait for"),
    })
}

/// The first place in the code of what a message quotes.
fn quoted_place(message: &str, source: &Source, diagram: &Diagram) -> Option<Span> {
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

/// `unexpected x; expected a, b` as "expected a or b, found `…`".
fn reword(message: &str, place: Span, source: &Source) -> String {
    let Some((found, expected)) =
        message.strip_prefix("unexpected ").and_then(|rest| rest.split_once("; expected "))
    else {
        return plain(message, place, source);
    };
    let mut list: Vec<String> = expected.split(", ").map(word).collect();
    list.dedup();
    let list = match list.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        // A long list is the start of any statement: it says nothing.
        many if many.len() > 8 => "a statement".to_owned(),
        [many @ .., last] => format!("{} or {last}", many.join(", ")),
    };
    format!("expected {list}, found {}", found_words(found, place, source))
}

fn found_words(found: &str, place: Span, source: &Source) -> String {
    let text = source.slice(place).trim();
    if found.contains("end of input") {
        "the end of the diagram".to_owned()
    } else if text.is_empty() {
        "the end of the line".to_owned()
    } else {
        format!("`{}`", shortened(text))
    }
}

/// The message without the parser's habits: offsets, capitals, final stops.
fn plain(message: &str, place: Span, source: &Source) -> String {
    if message.starts_with("Unexpected character at ") {
        let text = source.slice(place);
        let text = text
            .chars()
            .next()
            .map_or_else(|| source.text()[place.start as usize..].chars().next(), Some);
        return text.map_or_else(
            || "unexpected end of the diagram".to_owned(),
            |c| format!("unexpected character `{}`", c.escape_debug()),
        );
    }
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

fn word(token: &str) -> String {
    let token = token.trim();
    let known = WORDS.iter().find(|(theirs, _)| *theirs == token);
    known.map_or_else(|| token.replace('"', "`"), |(_, ours)| (*ours).to_owned())
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// The place in `… line 1 column 8`, counted from the line after the opening fence.
fn yaml_place(message: &str, source: &Source, front_matter: Span) -> Span {
    let number = |name: &str| -> Option<usize> {
        let rest = &message[message.rfind(name)? + name.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let fence = source.line_of(front_matter.start);
    let line = number("line ").map(|line| source.line_span(fence + line));
    let line = line.filter(|line| front_matter.contains(*line) && !line.is_empty());
    line.unwrap_or_else(|| source.line_span(fence))
}

fn without_place(message: &str) -> &str {
    let message = message.lines().next().unwrap_or_default();
    message.rfind(" at char ").map_or(message, |at| &message[..at])
}
