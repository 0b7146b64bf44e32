//! Errors that Mermaid reports and the parser does not, by diagram type. Each check was derived
//! from a comparison of the results of both, and is tested against Mermaid 11.17 and 12.3 by
//! `benches/peers/mermaid.py`.

use super::{Diagram, Fault, Part, Syntax, Type};
use aidd_engine::text::source::{Source, Span};

type Violation = Option<(Span, String)>;

type StrictCheck = fn(&Source, &Diagram) -> Violation;

/// The checks by type.
const CHECKS: &[(Type, StrictCheck)] = &[
    (Type::FlowchartV2, check_flowchart),
    (Type::FlowchartElk, check_flowchart),
    (Type::Swimlane, check_flowchart),
    (Type::Journey, check_journey),
    (Type::ClassDiagram, check_class),
    (Type::StateDiagram, check_state),
    (Type::Radar, check_radar),
    (Type::Block, check_block),
    (Type::Gantt, check_gantt),
    (Type::GitGraph, check_git_graph),
    (Type::Venn, check_venn),
    (Type::Sequence, check_sequence),
    (Type::C4, check_c4),
];

/// The first error that the check of the diagram's type finds.
pub(super) fn fault(source: &Source, diagram: &Diagram) -> Option<Fault> {
    let (_, check) = CHECKS.iter().find(|(kind, _)| Some(*kind) == diagram.kind)?;
    let (span, message) = check(source, diagram)?;
    Some(Fault::Syntax(Syntax { span, message, ..Syntax::default() }))
}

/// The code lines after the line with the diagram type: the span and the text of each.
fn body<'a>(source: &'a Source, diagram: &'a Diagram) -> impl Iterator<Item = (Span, &'a str)> {
    diagram.lines.iter().skip(1).map(|&line| (line, source.slice(line)))
}

/// The span of `part`, which is a substring of `text`, the text at `line`.
fn span_in(line: Span, text: &str, part: &str) -> Span {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let start = line.start as usize + at.min(text.len());
    Span::new(start, start + part.len())
}

fn check_flowchart(source: &Source, diagram: &Diagram) -> Violation {
    body(source, diagram).find_map(|(line, text)| {
        let mut words = text.split_whitespace();
        match words.next()? {
            word @ ("style" | "classDef" | "linkStyle") => {
                let named = words.next().is_some() && words.next().is_some();
                if !named {
                    return Some((line, format!("`{word}` requires a name and styles")));
                }
                let at = text.find(|c: char| "()<=>@[]^{|}~\"".contains(c))?;
                let c = text[at..].chars().next()?;
                let span = span_in(line, text, &text[at..at + c.len_utf8()]);
                Some((span, format!("a style cannot contain `{c}`")))
            }
            "click" => check_click(line, text, source),
            "subgraph" => check_subgraph(line, text),
            "accTitle" | "accTitle:" | "accDescr" | "accDescr:" | "class" => None,
            _ => check_empty_brackets(line, text),
        }
    })
}

/// Checks the title in `subgraph id [title]`, or a title without brackets.
fn check_subgraph(line: Span, text: &str) -> Violation {
    let name = text.strip_prefix("subgraph")?.trim();
    // Skip a body on the same line, and a title that continues on the next line.
    if name.contains(['"', ';', '`', '@']) {
        let empty = name.find("[\"\"]")?;
        let span = span_in(line, text, &name[empty..empty + 4]);
        return Some((span, "the title is empty".to_owned()));
    }
    let at = name.find(['[', ']', '(', ')', '{', '}', '|'])?;
    let title = name[at..].strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let brackets = ['[', ']', '(', ')', '{', '}', '|'];
    if at > 0 && title.is_some_and(|title| !title.is_empty() && !title.contains(brackets)) {
        return None;
    }
    let span = span_in(line, text, &name[at..]);
    Some((span, "expected `subgraph id[title]`; quote a title that contains brackets".to_owned()))
}

fn check_click(line: Span, text: &str, source: &Source) -> Violation {
    // A tooltip can span several lines.
    let has_odd_quotes = |text: &str| text.matches('"').count() % 2 == 1;
    if has_odd_quotes(text) && has_odd_quotes(source.text()) {
        return Some((line, "the closing `\"` is missing".to_owned()));
    }
    check_click_call(line, text)
}

fn check_click_call(line: Span, text: &str) -> Violation {
    let call = text.find(" call ").filter(|at| !text[*at..].contains('('))?;
    let span = span_in(line, text, text[call..].trim());
    Some((span, "`call` requires parentheses after the function name".to_owned()))
}

/// Reports a shape without text: `A[]`, `A("")`.
fn check_empty_brackets(line: Span, text: &str) -> Violation {
    const EMPTY: [&str; 6] = ["[]", "()", "{}", "[\"\"]", "(\"\")", "{\"\"}"];
    let (mut quoted, mut depth) = (false, 0_u32);
    // A string can span several lines.
    let is_closed = text.matches('"').count().is_multiple_of(2);
    for (at, c) in text.char_indices() {
        let is_outside = is_closed && !quoted && depth == 0;
        if is_outside
            && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && let Some(empty) = EMPTY.iter().find(|empty| text[at..].starts_with(**empty))
        {
            let span = span_in(line, text, &text[at..at + empty.len()]);
            return Some((span, "the label is empty".to_owned()));
        }
        match c {
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth = depth.saturating_sub(1),
            // Text on an arrow can contain any character.
            '|' if !quoted => depth = u32::from(depth == 0),
            _ => {}
        }
    }
    None
}

fn check_journey(source: &Source, diagram: &Diagram) -> Violation {
    body(source, diagram).find_map(|(line, text)| {
        let at = match text.strip_prefix("section") {
            Some(rest) if rest.starts_with([' ', '\t']) => text.find([':', ';'])?,
            _ if text.starts_with("acc") || text.starts_with("title") => return None,
            _ => text.find(';').filter(|_| text.contains(':'))?,
        };
        let span = span_in(line, text, &text[at..=at]);
        Some((span, format!("`{}` is not allowed here", &text[at..=at])))
    })
}

fn check_class(source: &Source, diagram: &Diagram) -> Violation {
    if diagram.lines.len() == 1 {
        return Some((diagram.header, "the class diagram is empty".to_owned()));
    }
    if let Some(found) = body(source, diagram).find_map(|(line, text)| check_style(line, text)) {
        return Some(found);
    }
    if let Some(found) = check_class_bodies(source, diagram) {
        return Some(found);
    }
    if let Some(found) = check_annotations(diagram) {
        return Some(found);
    }
    let is_forbidden = |c: char| "!#$%&'()*+/;=?@\\^|".contains(c);
    diagram
        .symbols
        .iter()
        .filter(|symbol| symbol.is_in(&[Part::Class, Part::ClassRelationTarget]))
        .find_map(|symbol| {
            let before = source.text()[..symbol.name_span.start as usize].chars().next_back();
            if before == Some('`') {
                return None;
            }
            let name = source.slice(symbol.name_span);
            let at = name
                .trim_start_matches('`')
                .find(is_forbidden)
                .filter(|_| !name.starts_with('`'))?;
            let span = span_in(symbol.name_span, name, &name[at..=at]);
            Some((
                span,
                format!(
                    "a class name cannot contain `{}`; enclose the name in backticks",
                    &name[at..=at]
                ),
            ))
        })
}

/// Reports an annotation `<<interface>> Name` before the declaration of the class.
fn check_annotations(diagram: &Diagram) -> Violation {
    const NAMES: [Part; 3] = [Part::Class, Part::ClassRelationTarget, Part::ClassMemberOwner];
    fn base_name(name: &str) -> &str {
        name.split('~').next().unwrap_or_default()
    }
    let mut known = std::collections::HashSet::new();
    diagram.symbols.iter().find_map(|symbol| {
        if symbol.is_in(&NAMES) {
            known.insert(base_name(&symbol.name));
        }
        let unknown = symbol.is_in(&[Part::ClassAnnotationTarget])
            && !known.contains(base_name(&symbol.name));
        unknown.then(|| (symbol.name_span, format!("unknown class `{}`", symbol.name)))
    })
}

/// Checks the bodies of classes and namespaces, line by line.
fn check_class_bodies(source: &Source, diagram: &Diagram) -> Violation {
    let mut lines = body(source, diagram).peekable();
    let (mut in_class, mut closed_early) = (false, false);
    while let Some((line, text)) = lines.next() {
        if let Some(found) = check_member(line, text, in_class) {
            return Some(found);
        }
        if in_class && text.ends_with('{') {
            let span = span_in(line, text, &text[text.len() - 1..]);
            return Some((span, "a class body cannot contain another `{`".to_owned()));
        }
        if in_class {
            in_class = !text.contains('}');
            closed_early |= !in_class && text != "}";
        } else if text.starts_with("namespace ") && text.ends_with('{') {
            if lines.peek().is_some_and(|(_, next)| *next == "}") {
                return Some((line, "the namespace is empty".to_owned()));
            }
        } else if text.starts_with("class ") && text.ends_with('{') {
            in_class = true;
        } else if text == "}" && std::mem::take(&mut closed_early) {
            return Some((
                line,
                "unmatched `}`: an earlier `}` already closes the class body".to_owned(),
            ));
        } else if let Some(name) = text.strip_prefix("class ").map(str::trim_start)
            && name.starts_with(['-', '<', '>', '*', '.', ':', '|'])
        {
            return Some((span_in(line, text, name), "`class` requires a name".to_owned()));
        } else if text == "class" {
            return Some((line, "`class` requires a name".to_owned()));
        } else if text.ends_with(':') && text.contains("--") {
            return Some((line, "the label is empty".to_owned()));
        }
    }
    None
}

/// Reports a member with `)` but without a name and `(` before it. Mermaid treats a member with `)`
/// as a method.
fn check_member(line: Span, text: &str, in_class: bool) -> Violation {
    let member = if in_class {
        text
    } else {
        let (name, member) = text.split_once(':')?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '~' | '-' | '`' | '.');
        if !name.trim().chars().all(is_name) || member.starts_with(':') || name.trim().is_empty() {
            return None;
        }
        member
    };
    let member = member.trim();
    let close = member.rfind(')').filter(|_| member.find(')') > Some(0))?;
    let mut inner = member[..close].chars();
    let has_name = inner.next().is_some();
    if (has_name && inner.as_str().contains('(')) || member.starts_with("<<") {
        return None;
    }
    let span = span_in(line, text, &member[close..=close]);
    Some((span, "expected a name and `(` before `)`".to_owned()))
}

/// Reports a style whose first property has a hyphen in its name; Mermaid allows hyphens in later
/// properties.
fn check_style(line: Span, text: &str) -> Violation {
    let rest = text.strip_prefix("style ").or_else(|| text.strip_prefix("classDef "));
    let Some(rest) = rest else {
        return text.strip_prefix("click ").and_then(|_| check_click_call(line, text));
    };
    let Some((_, styles)) = rest.trim_start().split_once([' ', '\t']) else {
        return Some((line, "a style requires a name and properties".to_owned()));
    };
    let property = styles.trim_start().split([':', ',']).next()?;
    let fault = "the first property of a style cannot contain a hyphen";
    let remedy = format!("put another property, such as `fill`, before `{property}`");
    let span = span_in(line, text, property);
    property.contains('-').then(|| (span, format!("{fault}; {remedy}")))
}

/// Reports text after the diagram type if the text starts with one of `marks`.
fn check_text_after_type(source: &Source, diagram: &Diagram, marks: &[char]) -> Violation {
    let line = *diagram.lines.first()?;
    let text = source.slice(line);
    let rest = text.get(diagram.header.len()..)?.trim_start();
    let found = rest.starts_with(marks);
    found.then(|| (span_in(line, text, rest), format!("`{rest}` is not allowed here")))
}

fn check_state(source: &Source, diagram: &Diagram) -> Violation {
    if let Some(found) = check_text_after_type(source, diagram, &[':']) {
        return Some(found);
    }
    let mut in_note = false;
    body(source, diagram).find_map(|(line, text)| {
        if in_note {
            in_note = text != "end note";
            return None;
        }
        in_note = text.starts_with("note ") && !text.contains(':');
        if text.starts_with(':') {
            return Some((line, "a description requires a state before `:`".to_owned()));
        }
        if let Some(rest) = text.strip_prefix("state ") {
            let rest = rest.trim_start();
            let quotes = rest.matches('"').count();
            if rest.starts_with("\"\"") || (quotes % 2 == 1 && !rest.starts_with('"')) {
                let message = "expected `state \"description\" as id`".to_owned();
                return Some((span_in(line, text, rest), message));
            }
        }
        if !text.starts_with("note ") && !text.starts_with("acc") && !text.contains('"') {
            let masked = text.replace(":::", "   ");
            let start = masked.find(':').map_or(masked.len(), |at| at + 1);
            if let Some(at) = masked[start..].find("::") {
                let message = "a description cannot contain `::`".to_owned();
                return Some((span_in(line, text, &text[start + at..]), message));
            }
        }
        if text.starts_with("state ") && text.ends_with('}') && !text.contains('{') {
            let span = span_in(line, text, &text[text.len() - 1..]);
            return Some((span, "unmatched `}`".to_owned()));
        }
        let name = text.strip_prefix("classDef")?;
        match name.split_whitespace().next() {
            None => Some((line, "`classDef` requires a name and styles".to_owned())),
            Some("default") => {
                Some((line, "a state diagram does not support a default class".to_owned()))
            }
            _ => None,
        }
    })
}

fn check_radar(source: &Source, diagram: &Diagram) -> Violation {
    let names = diagram.symbols.iter();
    names.filter(|symbol| symbol.is_in(&[Part::RadarAxis, Part::RadarCurve])).find_map(|symbol| {
        let name = source.slice(symbol.name_span);
        let starts_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
        starts_with_digit
            .then(|| (symbol.name_span, format!("the id `{name}` must not start with a digit")))
    })
}

fn check_block(_: &Source, diagram: &Diagram) -> Violation {
    let known = |name: &str| {
        diagram.symbols.iter().any(|symbol| {
            symbol.name == name
                && symbol.is_in(&[Part::BlockNode, Part::BlockComposite, Part::BlockEdgeEndpoint])
        })
    };
    let target = diagram.symbols.iter().filter(|symbol| symbol.is_in(&[Part::BlockStyleTarget]));
    let unknown = target.into_iter().find(|symbol| !known(&symbol.name))?;
    Some((unknown.name_span, format!("unknown block `{}`", unknown.name)))
}

fn check_gantt(source: &Source, diagram: &Diagram) -> Violation {
    if let Some(found) = check_text_after_type(source, diagram, &[':']) {
        return Some(found);
    }
    body(source, diagram).find_map(|(line, text)| {
        if text.starts_with(':') {
            return Some((line, "the task has no name".to_owned()));
        }
        let action = text.strip_prefix("click ")?.trim_start().split_once([' ', '\t'])?.1;
        let known = action.contains("call ") || action.contains("href ");
        let after = action.strip_prefix("href \"").and_then(|url| url.split_once('"'));
        if let Some((_, rest)) = after
            && !rest.trim().is_empty()
            && !rest.trim().starts_with("call ")
        {
            let rest = rest.trim();
            return Some((span_in(line, text, rest), format!("`{rest}` is not allowed here")));
        }
        let span = span_in(line, text, action);
        (!known).then(|| (span, "`click` requires `call FUNCTION()` or `href \"URL\"`".to_owned()))
    })
}

fn check_git_graph(source: &Source, diagram: &Diagram) -> Violation {
    let first = *diagram.lines.first()?;
    let text = source.slice(first);
    let rest = text.get(diagram.header.len()..)?.trim_start();
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    if rest.starts_with(':') {
        return Some((span_in(first, text, rest), format!("`{rest}` is not allowed here")));
    }
    let found = body(source, diagram).find(|(_, text)| text.starts_with(':'));
    found.map(|(line, _)| (line, "`:` is not allowed here".to_owned()))
}

/// Checks labels in brackets: a label is a quoted string, or text without quotes.
fn check_venn(source: &Source, diagram: &Diagram) -> Violation {
    const BROKEN: [&str; 5] = ["[]", "[\"\"", "\"\"]", "[\"[", "[\" ["];
    body(source, diagram).find_map(|(line, text)| {
        let masked = text.replace("[\"\"]", "[...]");
        let at = BROKEN.iter().find_map(|broken| masked.find(broken))?;
        Some((
            span_in(line, text, &text[at..]),
            "expected a label of the form `[\"text\"]`".to_owned(),
        ))
    })
}

fn check_sequence(source: &Source, diagram: &Diagram) -> Violation {
    body(source, diagram).find_map(|(line, text)| {
        let (signal, _) = text.split_once(':')?;
        let at = signal.find("-))")?;
        Some((span_in(line, text, &text[at..at + 3]), "unknown arrow `-))`".to_owned()))
    })
}

fn check_c4(source: &Source, diagram: &Diagram) -> Violation {
    body(source, diagram).find_map(|(line, text)| {
        let arguments = text.strip_prefix("UpdateLayoutConfig(")?.strip_suffix(')')?;
        arguments.split(',').map(str::trim).find_map(|argument| {
            let quoted =
                argument.starts_with(['"', '$']) || !argument.starts_with(char::is_numeric);
            let span = span_in(line, text, argument);
            (!quoted).then(|| (span, format!("`{argument}` must be quoted")))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, parse};
    use aidd_engine::text::source::Source;

    /// Whether no syntax error is reported.
    fn is_accepted(text: &str) -> bool {
        let fault = parse(&Source::new("d.mmd", text)).fault;
        matches!(fault, None | Some(Fault::Dates { .. }))
    }

    /// Cases in which Mermaid 11.17 and 12.3 differ from the parser.
    #[test]
    fn results_match_mermaid() {
        let rejected = [
            "mindmap\n\n  Root\n    A",
            "kanban\n  \n  Todo\n    A",
            "treeView-beta\n  \"Todo\"\n    \"A\"\n    ",
            "flowchart TD\n A[] --> B",
            "flowchart TD\n A(\"\") --> B",
            "flowchart TD\n A --> B\n click A \"url\" \"tip",
            "flowchart TD\n A --> B\n click A call f",
            "flowchart TD\n A --> B\n style A",
            "flowchart TD\n A --> B\n style A fill:rgb(1,2,3)",
            "flowchart TD\n A --> B : hi",
            "classDiagram\n",
            "classDiagram\n class A {\n  foo() {\n }",
            "classDiagram\n namespace X {\n }",
            "classDiagram\n class A!b",
            "block-beta",
            "block-beta\n a\n style b fill:#fff",
            "requirementDiagram\n requirement a {\n id: REQ-1\n }",
            "requirementDiagram\n element a-b {\n type: x\n }",
            "sankey-beta\n\nÄ,B,1\n",
            "xychart-beta\n x-axis [é, b]\n bar [1,2]",
            "journey\n section a: b\n x: 5",
            "quadrantChart\n A (b): [0.1,0.2]",
            "gitGraph\n comit",
            "%%{init: {}\nflowchart TD\nA-->B",
            "requirementDiagram\n requirement test {\n id: 1\n }",
            "requirementDiagram\n requirement a {\n text: medium risk\n }",
            "classDiagram\n class A\n style A stroke-width:4px",
            "classDiagram\n class A\n click A call open",
            "stateDiagram-v2\n classDef default fill:#f00\n A --> B",
            "gantt\n a: id1, 2013-01-01, 1d\n click id1 href \"https://example.com/\" \"more\"",
            "xychart\n title \"\"\n bar [1]",
            "radar-beta\n axis 1a\n curve b{1}",
        ];
        for text in rejected {
            assert!(!is_accepted(text), "{text}");
        }
        let accepted = [
            "mindmap\n  Root\n    \n    A",
            "flowchart TD\n A --> B\n click A call f()",
            "flowchart TD\n A[\"f()\"] -->|\"()\"| B",
            "flowchart TD\n a:b --> c",
            "flowchart TD\n a/b --> c'd",
            "flowchart TD\n A --> B\n style A fill:#fff,stroke-dasharray: 5 5",
            "stateDiagram-v2\n state A : b",
            "classDiagram\n Foo",
            "block-beta\n columns 1",
            "requirementDiagram\n requirement a {\n id: \"REQ-1\"\n text: \"a, b: c\"\n }",
            "sankey-beta\n\n\"A, x\",B,1\n",
            "sankey-beta\n\n\"A \"\"x\",B,1\n",
            "xychart-beta\n x-axis \"é\" [a, b]\n bar [1,2]",
            "quadrantChart\n \"A (b)\": [0.1,0.2]",
            "quadrantChart\n A:::k: [0.1,0.2]\n classDef k color: #109060",
            "gantt\n title x\n a: b: 2020-01-01, 1d",
            "timeline TB\n 2020 : X",
            "classDiagram\n class A\n style A fill:#fff,stroke-dasharray:5",
            "requirementDiagram\n requirement a {\n text: Testing a high value\n }",
            "gantt\n a: id1, 2013-01-01, 1d\n click id1 href \"https://example.com/\"",
        ];
        for text in accepted {
            assert!(is_accepted(text), "{text}");
        }
    }
}
