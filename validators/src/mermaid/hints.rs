//! Hints for common syntax errors.

use super::parse::{Code, Syntax, Token, Type};
use super::{Diagram, line_at};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Finding};
use aidd_engine::text::source::{Source, Span};

/// Reports a syntax error, with the first hint that applies.
pub(super) fn report(diagram: &Diagram, fault: &Syntax, report: &mut Report<'_>) {
    let source = report.source();
    let hint = HINTS.iter().find_map(|hint_fn| hint_fn(diagram, source, fault));
    let hint = hint.unwrap_or_default();
    let span = hint.span.unwrap_or_else(|| position(diagram, fault.span));
    let finding = report.at(span, hint.message.unwrap_or_else(|| fault.message.clone()));
    if let Some(help) = hint.help {
        finding.help(help);
    }
    if let Some((title, edit)) = hint.fix {
        set_fix(finding, hint.is_certain, title, edit);
    }
}

/// The position of an error in the last line of the diagram, if the parser found the error only
/// after it, such as at the closing fence.
fn position(diagram: &Diagram, span: Span) -> Span {
    match diagram.lines.last() {
        Some(last) if span.start > last.end => *last,
        _ => span,
    }
}

fn set_fix(finding: &mut Finding, is_certain: bool, title: String, edit: Edit) {
    if is_certain {
        finding.fix(title, vec![edit]);
    } else {
        finding.fix_unsafe(title, vec![edit]);
    }
}

/// Details of a finding that replace the details of the parser's error.
#[derive(Default)]
struct Hint {
    span: Option<Span>,
    message: Option<String>,
    help: Option<String>,
    fix: Option<(String, Edit)>,
    /// Whether no other fix is plausible.
    is_certain: bool,
}

type HintFn = fn(&Diagram, &Source, &Syntax) -> Option<Hint>;

/// The hints in order of precedence; the first hint that applies is used.
const HINTS: [HintFn; 12] = [
    second_diagram,
    direction,
    single_dash,
    unclosed_block,
    reserved_end,
    unquoted_label,
    unclosed_label,
    space_in_id,
    missing_colon,
    unclosed_brace,
    unknown_branch,
    missing_role,
];

/// The directions of a diagram.
pub(super) const DIRECTIONS: [&str; 5] = ["TB", "TD", "BT", "LR", "RL"];
/// The directions of an arrow in a block diagram.
const ARROW_DIRECTIONS: [&str; 6] = ["right", "left", "up", "down", "x", "y"];
/// The sides of a service at which an edge ends.
const SIDES: [&str; 4] = ["L", "R", "T", "B"];

fn direction(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if !matches!(fault.code, Some(Code::FlowDirection | Code::Direction))
        && !fault.expected.contains(&Token::Direction)
    {
        return None;
    }
    let word = source.slice(fault.span).trim();
    let known: &[&str] = match diagram.kind? {
        Type::Block => &ARROW_DIRECTIONS,
        Type::Architecture if word.contains(char::is_whitespace) => return None,
        Type::Architecture => &SIDES,
        _ => &DIRECTIONS,
    };
    let help = Some(format!("Use one of {}", known.join(", ")));
    let matching = known.iter().find(|known| known.eq_ignore_ascii_case(word));
    let fix = matching.map(|known| (format!("Write `{known}`"), Edit::replace(fault.span, *known)));
    let message =
        (!word.is_empty() && diagram.is_flowchart()).then(|| format!("unknown direction `{word}`"));
    Some(Hint { help, message, is_certain: fix.is_some(), fix, ..Hint::default() })
}

/// Suggests `-->` for `A -> B`, the arrow of sequence diagrams.
fn single_dash(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if !diagram.is_flowchart() {
        return None;
    }
    let line = line_at(diagram, fault.span.start)?;
    let text = source.slice(line);
    let at = text.find("->").filter(|&at| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| matches!(c, '-' | '.' | '=' | '<' | '~'))
    })?;
    // Within a label, `->` is part of the text.
    if text[..at].matches(['[', '(', '{', '"', '|']).count()
        > text[..at].matches([']', ')', '}', '"', '|']).count()
        || text[..at].matches('"').count() % 2 == 1
    {
        return None;
    }
    let start = line.start as usize + at;
    // `->>` is an arrow of sequence diagrams.
    let arrow = if text[at..].starts_with("->>") { "->>" } else { "->" };
    let span = Span::new(start, start + arrow.len());
    Some(Hint {
        span: Some(span),
        message: Some(format!("`{arrow}` is not a flowchart arrow")),
        help: Some("Write `-->`".to_owned()),
        fix: Some(("Write `-->`".to_owned(), Edit::replace(span, "-->"))),
        is_certain: true,
    })
}

/// Keywords that open a block that `end` closes, by type.
const BLOCKS: [(Type, &[&str]); 3] = [
    (Type::FlowchartV2, &["subgraph"]),
    (
        Type::Sequence,
        &["loop", "alt", "opt", "par", "par_over", "critical", "break", "rect", "box"],
    ),
    (Type::Block, &["block"]),
];

fn unclosed_block(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    let family = if diagram.is_flowchart() { Type::FlowchartV2 } else { diagram.kind? };
    let (_, openers) = BLOCKS.iter().find(|(kind, _)| *kind == family)?;
    let last = diagram.lines.last()?.end;
    if fault.code != Some(Code::End) && fault.span.start < last {
        return None;
    }
    let mut open: Vec<(Span, &str)> = Vec::new();
    for &line in &diagram.lines {
        let text = source.slice(line);
        let word = text
            .split(|c: char| c.is_whitespace() || matches!(c, ':' | ';'))
            .next()
            .unwrap_or_default();
        if word == "end" {
            open.pop();
        } else if openers.contains(&word) {
            let start = line.start as usize;
            open.push((Span::new(start, start + word.len()), word));
        }
    }
    let (span, word) = open.pop()?;
    Some(Hint {
        span: Some(span),
        message: Some(format!("`{word}` is not closed")),
        help: Some("Close it with a line `end`".to_owned()),
        ..Hint::default()
    })
}

fn reserved_end(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    let word = source.slice(fault.span).trim();
    if word != "end" || !(diagram.is_flowchart() || diagram.kind == Some(Type::Sequence)) {
        return None;
    }
    let is_alone =
        line_at(diagram, fault.span.start).is_some_and(|line| source.slice(line) == "end");
    Some(Hint {
        message: Some(if is_alone {
            "unmatched `end`".to_owned()
        } else {
            "`end` is a reserved word".to_owned()
        }),
        help: (!is_alone)
            .then(|| "Write `End`, or use a different id with the label: `e[end]`".to_owned()),
        ..Hint::default()
    })
}

/// Reports brackets in a label that is not quoted: `A[f(x)]`.
fn unquoted_label(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    let is_label_error = matches!(fault.code, Some(Code::Label | Code::NodeLabel))
        || fault.expected.iter().any(|token| matches!(token, Token::NodeLabel | Token::EdgeLabel));
    if !diagram.is_flowchart() || !is_label_error {
        return None;
    }
    // The error can be reported after the line with the label.
    let before = diagram.lines.partition_point(|line| line.start <= fault.span.start);
    let mut lines = diagram.lines[..before].iter().rev();
    let label = lines.find_map(|&line| bracketed_label(source, line))?;
    let text = source.slice(label);
    let quoted = format!("\"{}\"", text.trim().replace('"', "#quot;"));
    Some(Hint {
        span: Some(label),
        message: Some("a label with brackets must be quoted".to_owned()),
        help: Some(format!("Write `{quoted}`")),
        fix: Some(("Quote the label".to_owned(), Edit::replace(label, quoted))),
        is_certain: true,
    })
}

/// The label of the first `id[…]` in the line whose label is unquoted and contains brackets.
fn bracketed_label(source: &Source, line: Span) -> Option<Span> {
    let text = source.slice(line);
    let (mut from, mut is_quoted) = (0, false);
    while let Some(open) = text[from..].find('[') {
        let start = from + open + 1;
        is_quoted ^= text[from..start].matches('"').count() % 2 == 1;
        if is_quoted {
            from = start;
            continue;
        }
        let rest = &text[start..];
        // `[(`, `[[`, `[/` open other shapes.
        let opens_shape = rest.starts_with(['(', '[', '/', '\\', '"', '`']);
        let end = rest.find(']')?;
        let label = &rest[..end];
        if !opens_shape && label.contains(['(', ')', '{', '}', '"']) && !label.contains('[') {
            let start = line.start as usize + start;
            return Some(Span::new(start, start + label.len()));
        }
        is_quoted ^= label.matches('"').count() % 2 == 1;
        from = start + end;
    }
    None
}

fn unclosed_label(diagram: &Diagram, _: &Source, fault: &Syntax) -> Option<Hint> {
    if !matches!(fault.code, Some(Code::NodeLabel | Code::ShapeData)) {
        return None;
    }
    let Span { start, end } = fault.span;
    let line = line_at(diagram, start)?;
    let span = Some(Span { start, end: end.min(line.end).max(start) });
    Some(Hint { span, ..Hint::default() })
}

fn space_in_id(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if !diagram.is_flowchart() || !fault.expected.contains(&Token::NodeLabel) {
        return None;
    }
    let word = source.slice(fault.span);
    let line = line_at(diagram, fault.span.start)?;
    let before = source.slice(Span { start: line.start, end: fault.span.start });
    let first =
        before.trim_end().rsplit([' ', '\t', '>', '&', '|', ';']).next().unwrap_or_default();
    let is_plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_plain(first) || !is_plain(word) || !before.ends_with([' ', '\t']) {
        return None;
    }
    Some(Hint {
        message: Some("an id cannot contain a space".to_owned()),
        help: Some(format!("Write `{first}_{word}[{first} {word}]`")),
        ..Hint::default()
    })
}

fn missing_colon(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if diagram.kind != Some(Type::Sequence) || !fault.expected.contains(&Token::Text) {
        return None;
    }
    let line = line_at(diagram, fault.span.start.saturating_sub(1))?;
    let is_note = source.slice(line).get(..4).is_some_and(|word| word.eq_ignore_ascii_case("note"));
    let (statement, help) = if is_note {
        ("note", "Write the text after a colon: `Note over A: text`")
    } else {
        ("message", "Write the text after a colon: `A->>B: text`")
    };
    Some(Hint {
        span: Some(line),
        message: Some(format!("the {statement} is missing `:` and its text")),
        help: Some(help.to_owned()),
        ..Hint::default()
    })
}

/// Reports an unclosed body of a class, state, entity or requirement.
fn unclosed_brace(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    let types_with_bodies = [Type::ClassDiagram, Type::StateDiagram, Type::Er, Type::Requirement];
    let at_end = matches!(fault.code, Some(Code::End | Code::BodyEnd));
    if !types_with_bodies.contains(&diagram.kind?)
        || !(at_end || fault.span.start >= diagram.lines.last()?.end)
    {
        return None;
    }
    let mut open = Vec::new();
    for &line in &diagram.lines {
        let text = source.slice(line);
        if text.ends_with('{') {
            open.push(Span { start: line.end - 1, end: line.end });
        } else if text.ends_with('}') && !text.contains('{') {
            open.pop();
        }
    }
    Some(Hint {
        span: Some(open.pop()?),
        message: Some("`{` is not closed".to_owned()),
        help: Some("Close the body with a line `}`".to_owned()),
        ..Hint::default()
    })
}

fn unknown_branch(_: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if fault.code != Some(Code::Branch) {
        return None;
    }
    let name = source.slice(fault.span).split_whitespace().nth(1)?;
    Some(Hint {
        message: Some(format!("branch `{name}` does not exist yet")),
        help: Some(format!("Write `branch {name}` first, which also checks out the branch")),
        ..Hint::default()
    })
}

fn missing_role(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    if diagram.kind != Some(Type::Er) || !fault.expected.contains(&Token::Colon) {
        return None;
    }
    let line = line_at(diagram, fault.span.start.saturating_sub(1))?;
    source.slice(line).contains(['-', '.']).then(|| Hint {
        span: Some(line),
        message: Some("the relation is missing `:` and a label".to_owned()),
        help: Some("Add a label: `A ||--o{ B : has`".to_owned()),
        ..Hint::default()
    })
}

fn second_diagram(diagram: &Diagram, source: &Source, fault: &Syntax) -> Option<Hint> {
    let line = line_at(diagram, fault.span.start)?;
    if Some(&line) == diagram.lines.first() {
        return None;
    }
    let mut words = source.slice(line).split_whitespace();
    let word = words.next()?;
    // These words are also common names; a direction after such a word shows that it is the type.
    let is_name = matches!(word, "block" | "info" | "graph" | "packet");
    let has_direction = words.next().is_some_and(|next| DIRECTIONS.contains(&next));
    let is_type = super::TYPES.contains(&word) && (!is_name || has_direction);
    let start = line.start as usize;
    is_type.then(|| Hint {
        span: Some(Span::new(start, start + word.len())),
        message: Some(format!("`{word}` starts another diagram")),
        help: Some("Use a separate file or fence for each diagram".to_owned()),
        ..Hint::default()
    })
}
