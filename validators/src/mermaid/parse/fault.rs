//! Converts the parser's errors to faults that state the found and the expected text. Where the
//! parser and Mermaid are known to differ, the result follows Mermaid.

use super::texts::{self, Code, Token};
use super::{Diagram, Fault, Syntax, Type, span};
use aidd_engine::text::source::{Source, Span};
use merman_core::{EditorSemanticDiagnostic, EditorSemanticDiagnosticKind, Error, ParseDiagnostic};
use regex::Regex;
use std::sync::LazyLock;

/// Stores the location of the first error that the parser recovered from, for errors without a
/// location.
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
            if is_ishikawa(source.slice(diagram.header)) {
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
            message: "front matter is not closed by a `---` line".to_owned(),
        },
        Error::InvalidFrontMatterYaml { message } => {
            let (message, line) = texts::split_position(message);
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

/// The fault for a directive that Mermaid does not recognize. Such a directive remains in the text
/// as code.
pub(super) fn from_directives(source: &Source, diagram: &Diagram) -> Option<Fault> {
    // Other grammars treat such a directive as a comment.
    let is_strict =
        diagram.is_flowchart() || matches!(diagram.kind, Some(Type::StateDiagram | Type::Timeline));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = source.text();
    text.match_indices("%%{").find_map(|(at, _)| {
        if !text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
            && !text[..at].trim().is_empty()
        {
            return None;
        }
        let rest = text[at + 3..].trim_start();
        let value = rest.trim_start_matches(is_word);
        let has_name = value.len() < rest.len();
        let value = value.trim_start();
        let value = value.strip_prefix(':').unwrap_or(value).trim_start();
        let after = value.trim_start_matches(is_word);
        let is_recognized = after.len() == value.len() || after.trim_start().starts_with("}%%");
        ((!has_name && is_strict) || (has_name && !is_recognized)).then(|| Fault::Config {
            span: Span::new(at, at + 3),
            message: "the directive is not of the form `%%{init: { … }}%%`".to_owned(),
        })
    })
}

/// The fault for front matter with a value that has no key.
pub(super) fn from_front_matter(front_matter: Span, source: &Source) -> Option<Fault> {
    let lines = source.line_of(front_matter.start)..source.line_of(front_matter.end);
    let mut lines = lines.map(|line| source.line_span(line));
    let span = lines.find(|&line| {
        let text = source.slice(line).trim();
        text == ":" || text.starts_with(": ")
    })?;
    Some(Fault::Config {
        span,
        message: "invalid YAML in front matter: a key is missing".to_owned(),
    })
}

/// Whether Mermaid detects an Ishikawa diagram: the word is case-insensitive, and can have any suffix
/// after `-`.
pub(super) fn is_ishikawa(word: &str) -> bool {
    let name = "ishikawa";
    let starts = word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    starts && !word[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether the error is a subgraph whose quoted title is followed by spaces, which Mermaid accepts.
fn is_title_before_space(message: &str, location: Span, source: &Source) -> bool {
    let line = source.slice(source.line_span(source.line_of(location.start)));
    let title = line.trim().strip_prefix("subgraph").map(str::trim);
    let inner = title.and_then(|title| title.strip_prefix('"')?.strip_suffix('"'));
    message.to_ascii_lowercase().starts_with("invalid subgraph header: quoted strings")
        && inner.is_some_and(|inner| !inner.contains('"'))
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
    let location = diagnostic.span().map(|location| span(location, source));
    if location.is_some_and(|location| is_allowed_text(code, message, location, source, diagram)) {
        return None;
    }
    if location.is_some_and(|location| is_title_before_space(message, location, source)) {
        return None;
    }
    let span = location.or_else(|| quoted_span(message, source, diagram)).unwrap_or(diagram.header);
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

/// The characters, besides letters and digits, that an id of a flowchart can contain.
const ID_PUNCTUATION: &str = "!\"#$%&'*+,.:?\\_/=`-";

/// The source in which letters replace the punctuation in the id at `error`, if the error is only
/// due to the parser's stricter definition of an id. The offsets remain the same.
pub(super) fn with_plain_id(error: &Error, text: &str, diagram: &Diagram) -> Option<String> {
    let Error::DiagramParse { diagnostic, .. } = error else { return None };
    let (code, _) = Code::from_message(diagram.kind, diagnostic.message())?;
    if code != Code::Character || !diagram.is_flowchart() {
        return None;
    }
    let at = text.floor_char_boundary(diagnostic.span()?.start);
    let in_id = |c: char| c.is_ascii_alphanumeric() || ID_PUNCTUATION.contains(c);
    let start = text[..at].rfind(|c| !in_id(c)).map_or(0, |end| end + 1);
    let end = text[at..].find(|c| !in_id(c)).map_or(text.len(), |end| at + end);
    let id = text.get(start..end)?;
    // An arrow ends the id.
    let id = ["--", "==", "-."]
        .iter()
        .filter_map(|arrow| id.find(arrow))
        .min()
        .map_or(id, |end| &id[..end]);
    let end = start + id.len();
    let is_not_id = matches!(id, "" | ":" | "," | "-" | "=") || at >= end;
    (!is_not_id && id != "x".repeat(id.len())).then(|| {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { 'x' };
        format!("{}{}{}", &text[..start], id.chars().map(letter).collect::<String>(), &text[end..])
    })
}

/// Whether the fault is only due to the parser's stricter definition of a name or label.
fn is_allowed_text(
    code: Option<Code>,
    message: &str,
    location: Span,
    source: &Source,
    diagram: &Diagram,
) -> bool {
    let text = source.text();
    let at = location.start as usize;
    let rest = &text[at..];
    match code {
        // A label can continue on the next line.
        Some(Code::NodeEnd) => {
            rest.split_once('\n').is_some_and(|(_, rest)| rest.contains([']', ')', '}']))
        }
        Some(Code::JourneyHeader) => {
            ["title ", "section ", "%%"].iter().any(|word| rest.starts_with(word))
        }
        // A name can consist of several words, and a body can end after a member.
        Some(Code::End | Code::Expectation | Code::BodyEnd)
            if diagram.kind == Some(Type::ClassDiagram) =>
        {
            let line_span = source.line_span(source.line_of(location.start));
            let line = source.slice(line_span);
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '~');
            let is_name_text = |c: char| is_word(c) || c.is_whitespace();
            let before = text[line_span.start as usize..at].trim_end();
            let has_several_words =
                diagram.lines.first().is_some_and(|first| location.start > first.end)
                    && before.ends_with(is_word)
                    && SEVERAL_WORDS.is_match(line.trim());
            let first = texts::expected_tokens(message).and_then(|mut tokens| tokens.next());
            let first = first.and_then(Token::from_text).map(|(token, _)| token);
            has_several_words
                || (first == Some(Token::Ext) && line.chars().all(is_name_text))
                || (code == Some(Code::BodyEnd) && bodies_end(source, diagram))
        }
        _ => false,
    }
}

/// Matches names of several words, and their relation, in a class diagram.
static SEVERAL_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"[\w~]+(?: +[\w~]+)*";
    let relation = r"(?:<\||[<*o])?(?:--|\.\.)(?:\|>|[>*o])?";
    let body = format!(r"(?:class|namespace) +{name} *\{{");
    let pattern = format!(r"^(?:{body}|{name}(?: *{relation} *{name})?(?:\s*:[^:]+)?)$");
    Regex::new(&pattern).expect("the pattern is valid")
});

/// Whether every class body is closed, assuming that a `}` at the end of a member line also closes
/// its body.
fn bodies_end(source: &Source, diagram: &Diagram) -> bool {
    let mut open = 0_i32;
    for &line in &diagram.lines {
        let text = source.slice(line);
        open += i32::from(text.ends_with('{'));
        open -= i32::from(text.ends_with('}') && !text.contains('{'));
    }
    open <= 0
}

/// The fault for a date that does not match `dateFormat`. Text with a digit is not reported,
/// because the browser parses such text and accepts most dates.
fn date_fault(date: &str, source: &Source, diagram: &Diagram) -> Option<Fault> {
    if date.is_empty() || date.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let span = find(date, source, diagram)?;
    Some(Fault::Dates { span, message: format!("`{date}` is not a date or a reference to a task") })
}

/// The first occurrence, in the code, of the text that a message quotes. Some errors have no span,
/// but quote text of the source.
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
pub(super) fn expected_list<'a>(tokens: impl Iterator<Item = &'a str>) -> (String, Vec<Token>) {
    let mut known = Vec::new();
    let mut list: Vec<String> = tokens
        .map(|text| match Token::from_text(text) {
            Some((token, description)) => {
                known.push(token);
                description.to_owned()
            }
            None => text.replace('"', "`"),
        })
        .collect();
    list.dedup();
    match list.as_slice() {
        [] => (String::new(), known),
        [only] => (only.clone(), known),
        // A long list contains every token that can start a statement, which is not informative.
        items if items.len() > 8 => ("a statement".to_owned(), Vec::new()),
        [others @ .., last] => (format!("{} or {last}", others.join(", ")), known),
    }
}

fn found_text(code: Option<Code>, location: Span, source: &Source) -> String {
    let text = source.slice(location).trim();
    if code == Some(Code::End) {
        "the end of the diagram".to_owned()
    } else if text.is_empty() {
        "the end of the line".to_owned()
    } else {
        format!("`{}`", truncate(text))
    }
}

/// The first line of the message, without a capital letter at the start and a full stop at the end.
fn normalize_message(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim().trim_end_matches('.');
    let mut chars = line.chars();
    chars.next().map_or_else(
        || "the diagram cannot be parsed".to_owned(),
        |first| {
            let is_word = chars.clone().next().is_some_and(char::is_lowercase);
            let first = if is_word { first.to_ascii_lowercase() } else { first };
            format!("{first}{}", chars.as_str())
        },
    )
}

pub(super) fn truncate(text: &str) -> String {
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
