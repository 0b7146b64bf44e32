//! Errors that Mermaid reports and the parser does not, by diagram type. Each was found by
//! comparing results, and is tested against Mermaid 11.17 and 12.3 by `benches/peers/mermaid`.

use super::{Diagram, Fault, Part, Syntax, Type};
use aidd_engine::text::source::{Source, Span};

type Found = Option<(Span, String)>;

type StrictCheck = fn(&Source, &Diagram) -> Found;

/// The checks by type.
const STRICTER: &[(Type, StrictCheck)] = &[
    (Type::FlowchartV2, flowchart),
    (Type::FlowchartElk, flowchart),
    (Type::Swimlane, flowchart),
    (Type::QuadrantChart, quadrant),
    (Type::Requirement, requirement),
    (Type::Sankey, sankey),
    (Type::XyChart, xychart),
    (Type::Journey, journey),
    (Type::ClassDiagram, class),
    (Type::StateDiagram, state),
    (Type::Radar, radar),
    (Type::Block, block),
    (Type::Mindmap, blank_after_header),
    (Type::Kanban, kanban),
    (Type::Gantt, gantt),
    (Type::C4, c4),
    (Type::Ishikawa, blank_after_header),
    (Type::TreeView, spaces_only),
];

/// The first error found by these checks.
pub(super) fn fault(source: &Source, diagram: &Diagram) -> Option<Fault> {
    let (_, look) = STRICTER.iter().find(|(kind, _)| Some(*kind) == diagram.kind)?;
    let (span, message) = look(source, diagram)?;
    Some(Fault::Syntax(Syntax { span, message, ..Syntax::default() }))
}

/// Code lines after the line with the type, with their text.
fn body<'a>(source: &'a Source, diagram: &'a Diagram) -> impl Iterator<Item = (Span, &'a str)> {
    diagram.lines.iter().skip(1).map(|&line| (line, source.slice(line)))
}

/// The span of `part`, a substring of `text`, which is at `line`.
fn within(line: Span, text: &str, part: &str) -> Span {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let start = line.start as usize + at.min(text.len());
    Span::new(start, start + part.len())
}

/// Reports the first character of `text` for which `refused` is true, unless `text` is quoted.
fn unquoted(line: Span, whole: &str, text: &str, refused: impl Fn(char) -> bool) -> Found {
    let text = text.trim();
    if text.starts_with('"') {
        return None;
    }
    let bad = text.find(refused)?;
    let c = text[bad..].chars().next()?;
    let span = within(line, whole, &text[bad..bad + c.len_utf8()]);
    Some((span, format!("text with `{c}` must be quoted")))
}

fn flowchart(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        let mut words = text.split_whitespace();
        match words.next()? {
            word @ ("style" | "classDef" | "linkStyle") => {
                let named = words.next().is_some() && words.next().is_some();
                if !named {
                    return Some((line, format!("`{word}` requires a name and styles")));
                }
                let bad = text.find(|c: char| "()<=>@[]^{|}~\"".contains(c))?;
                let c = text[bad..].chars().next()?;
                let span = within(line, text, &text[bad..bad + c.len_utf8()]);
                Some((span, format!("a style cannot contain `{c}`")))
            }
            "click" => click(line, text, source),
            "accTitle" | "accTitle:" | "accDescr" | "accDescr:" | "class" | "subgraph" => None,
            _ => empty_brackets(line, text),
        }
    })
}

fn click(line: Span, text: &str, source: &Source) -> Found {
    // A tooltip can span several lines.
    let odd = |text: &str| text.matches('"').count() % 2 == 1;
    if odd(text) && odd(source.text()) {
        return Some((line, "a quote is not closed".to_owned()));
    }
    click_call(line, text)
}

fn click_call(line: Span, text: &str) -> Found {
    let call = text.find(" call ").filter(|at| !text[*at..].contains('('))?;
    let span = within(line, text, text[call..].trim());
    Some((span, "`call` requires parentheses after the function".to_owned()))
}

/// `A[]`, `A("")`: a shape without text.
fn empty_brackets(line: Span, text: &str) -> Found {
    const EMPTY: [&str; 6] = ["[]", "()", "{}", "[\"\"]", "(\"\")", "{\"\"}"];
    let mut quoted = false;
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        let bare = !quoted && depth == 0;
        if bare
            && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && let Some(empty) = EMPTY.iter().find(|empty| text[at..].starts_with(**empty))
        {
            let span = within(line, text, &text[at..at + empty.len()]);
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

fn quadrant(source: &Source, diagram: &Diagram) -> Found {
    let refused = |c: char| "():<>@[]^{|}~\"".contains(c);
    body(source, diagram).find_map(|(line, text)| {
        if let Some(axis) = text.strip_prefix("x-axis").or_else(|| text.strip_prefix("y-axis")) {
            return axis.split("-->").find_map(|side| unquoted(line, text, side, refused));
        }
        if let Some(rest) = text.strip_prefix("quadrant-") {
            return unquoted(line, text, rest.get(1..)?, refused);
        }
        let known = ["title", "accTitle", "accDescr", "classDef"];
        if known.iter().any(|word| text.starts_with(word)) {
            return None;
        }
        let name = &text[..text.rfind('[')?];
        let name = name.trim_end().strip_suffix(':')?;
        let name = name.split(":::").next().unwrap_or(name);
        unquoted(line, text, name, refused)
    })
}

/// Words of a requirement diagram that cannot start an unquoted text.
const REQUIREMENT_WORDS: [&str; 29] = [
    "requirement",
    "functionalrequirement",
    "interfacerequirement",
    "performancerequirement",
    "physicalrequirement",
    "designconstraint",
    "element",
    "id",
    "text",
    "risk",
    "verifymethod",
    "type",
    "docref",
    "low",
    "medium",
    "high",
    "analysis",
    "demonstration",
    "inspection",
    "test",
    "contains",
    "copies",
    "derives",
    "satisfies",
    "verifies",
    "refines",
    "traces",
    "style",
    "class",
];

/// Names and texts of a requirement diagram that can require quotes.
const REQUIREMENT_TEXTS: [Part; 11] = [
    Part::Requirement,
    Part::FunctionalRequirement,
    Part::InterfaceRequirement,
    Part::PerformanceRequirement,
    Part::PhysicalRequirement,
    Part::DesignConstraint,
    Part::RequirementElement,
    Part::RequirementId,
    Part::RequirementText,
    Part::RequirementDocRef,
    Part::RequirementElementType,
];

fn requirement(source: &Source, diagram: &Diagram) -> Found {
    let refused = |c: char| ",-:<=>{".contains(c);
    let names = diagram.symbols.iter().filter(|symbol| symbol.is(&REQUIREMENT_TEXTS));
    names.into_iter().find_map(|symbol| {
        let before = source.text()[..symbol.at.start as usize].chars().next_back();
        if before == Some('"') {
            return None;
        }
        let text = source.slice(symbol.at);
        let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        if REQUIREMENT_WORDS.contains(&&*word.to_ascii_lowercase()) {
            let message = format!("text starting with `{word}` must be quoted");
            return Some((within(symbol.at, text, word), message));
        }
        unquoted(symbol.at, text, text, refused)
    })
}

fn sankey(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        if let Some(c) = text.chars().find(|c| !c.is_ascii()) {
            let at = text.find(c)?;
            let span = within(line, text, &text[at..at + c.len_utf8()]);
            return Some((span, format!("a sankey diagram cannot contain `{c}`, only ASCII")));
        }
        let mut inside = false;
        let fields: Vec<&str> = text
            .split(|c: char| {
                inside ^= c == '"';
                c == ',' && !inside
            })
            .collect();
        let empty = fields.iter().any(|field| field.is_empty());
        let stray =
            fields.iter().any(|field| field.contains('"') && !field.trim_start().starts_with('"'));
        if empty {
            return Some((line, "a flow requires a source, a target and a value".to_owned()));
        }
        (stray || inside).then(|| (line, "quote inside an unquoted name".to_owned()))
    })
}

fn xychart(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        if text.starts_with("acc") {
            return None;
        }
        if text.starts_with("title") && text.ends_with("\"\"") {
            return Some((line, "the title is empty".to_owned()));
        }
        let outside = text.split('"').step_by(2);
        outside.into_iter().find_map(|part| unquoted(line, text, part, |c| !c.is_ascii()))
    })
}

fn journey(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        let bad = match text.strip_prefix("section") {
            Some(rest) if rest.starts_with([' ', '\t']) => text.find([':', ';'])?,
            _ if text.starts_with("acc") || text.starts_with("title") => return None,
            _ => text.find(';').filter(|_| text.contains(':'))?,
        };
        let span = within(line, text, &text[bad..=bad]);
        Some((span, format!("`{}` is not allowed here", &text[bad..=bad])))
    })
}

fn class(source: &Source, diagram: &Diagram) -> Found {
    if diagram.lines.len() == 1 {
        return Some((diagram.header, "the class diagram is empty".to_owned()));
    }
    if let Some(found) = body(source, diagram).find_map(|(line, text)| class_style(line, text)) {
        return Some(found);
    }
    let mut lines = body(source, diagram).peekable();
    let mut in_class = false;
    while let Some((line, text)) = lines.next() {
        if text.starts_with("namespace ") && text.ends_with('{') {
            if lines.peek().is_some_and(|(_, next)| *next == "}") {
                return Some((line, "the namespace is empty".to_owned()));
            }
        } else if in_class && text.ends_with('{') {
            let span = within(line, text, &text[text.len() - 1..]);
            return Some((span, "a class body cannot contain another `{`".to_owned()));
        } else if text.starts_with("class ") && text.ends_with('{') {
            in_class = true;
        } else if text.ends_with('}') {
            in_class = false;
        }
    }
    let refused = |c: char| "!#$%&'()*+/;=?@\\^|".contains(c);
    diagram.symbols.iter().filter(|symbol| symbol.is(&[Part::Class])).find_map(|symbol| {
        let before = source.text()[..symbol.at.start as usize].chars().next_back();
        if before == Some('`') {
            return None;
        }
        let name = source.slice(symbol.at);
        let bad = name.trim_start_matches('`').find(refused).filter(|_| !name.starts_with('`'))?;
        let span = within(symbol.at, name, &name[bad..=bad]);
        Some((
            span,
            format!("a class name cannot contain `{}`; put it in backquotes", &name[bad..=bad]),
        ))
    })
}

/// The first property of a style must not have a hyphen in its name; later properties can.
fn class_style(line: Span, text: &str) -> Found {
    let rest = text.strip_prefix("style ").or_else(|| text.strip_prefix("classDef "));
    let Some(rest) = rest else {
        return text.strip_prefix("click ").and_then(|_| click_call(line, text));
    };
    let Some((_, styles)) = rest.trim_start().split_once([' ', '\t']) else {
        return Some((line, "a style requires a name and properties".to_owned()));
    };
    let property = styles.trim_start().split([':', ',']).next()?;
    let help = "insert another property, such as `fill`, before";
    property
        .contains('-')
        .then(|| (within(line, text, property), format!("{help} `{property}` here")))
}

fn state(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
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

fn radar(source: &Source, diagram: &Diagram) -> Found {
    let names = diagram.symbols.iter();
    names.filter(|symbol| symbol.is(&[Part::RadarAxis, Part::RadarCurve])).find_map(|symbol| {
        let name = source.slice(symbol.at);
        let digit = name.starts_with(|c: char| c.is_ascii_digit());
        digit.then(|| (symbol.at, format!("the id `{name}` must not start with a digit")))
    })
}

fn block(source: &Source, diagram: &Diagram) -> Found {
    if diagram.lines.len() == 1 && source.slice(diagram.lines[0]) == source.slice(diagram.header) {
        return Some((diagram.header, "the block diagram is empty".to_owned()));
    }
    let mut open = 0_usize;
    for (line, text) in body(source, diagram) {
        let word = text.split([' ', '\t', ':']).next().unwrap_or_default();
        if word == "block" {
            open += 1;
        } else if word == "end" {
            let Some(left) = open.checked_sub(1) else {
                return Some((line, "unmatched `end`".to_owned()));
            };
            open = left;
        }
    }
    let known = |name: &str| {
        diagram.symbols.iter().any(|symbol| {
            symbol.name == name
                && symbol.is(&[Part::BlockNode, Part::BlockComposite, Part::BlockEdgeEndpoint])
        })
    };
    let target = diagram.symbols.iter().filter(|symbol| symbol.is(&[Part::BlockStyleTarget]));
    let lost = target.into_iter().find(|symbol| !known(&symbol.name))?;
    Some((lost.at, format!("unknown block `{}`", lost.name)))
}

fn kanban(source: &Source, diagram: &Diagram) -> Found {
    blank_after_header(source, diagram).or_else(|| {
        body(source, diagram).find_map(|(line, text)| {
            let at = text.find("] @{").or_else(|| text.find(") @{"))?;
            let span = within(line, text, &text[at + 2..at + 4]);
            Some((span, "no space is allowed before `@{`".to_owned()))
        })
    })
}

fn gantt(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        let action = text.strip_prefix("click ")?.trim_start().split_once([' ', '\t'])?.1;
        let known = action.contains("call ") || action.contains("href ");
        let after = action.strip_prefix("href \"").and_then(|url| url.split_once('"'));
        if let Some((_, rest)) = after
            && !rest.trim().is_empty()
            && !rest.trim().starts_with("call ")
        {
            let rest = rest.trim();
            return Some((within(line, text, rest), format!("`{rest}` is not allowed here")));
        }
        let span = within(line, text, action);
        (!known).then(|| (span, "`click` requires `call FUNCTION()` or `href \"URL\"`".to_owned()))
    })
}

fn c4(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        let arguments = text.strip_prefix("UpdateLayoutConfig(")?.strip_suffix(')')?;
        arguments.split(',').map(str::trim).find_map(|argument| {
            let quoted =
                argument.starts_with(['"', '$']) || !argument.starts_with(char::is_numeric);
            let span = within(line, text, argument);
            (!quoted).then(|| (span, format!("`{argument}` must be quoted")))
        })
    })
}

/// Types that end at a blank line after the first line.
fn blank_after_header(source: &Source, diagram: &Diagram) -> Found {
    let next = source.line_of(diagram.header.start) + 1;
    let blank = source.line_span(next);
    let more = diagram.lines.len() > 1 && source.slice(blank).trim().is_empty();
    more.then(|| (blank, "no blank line is allowed after the type".to_owned()))
}

fn spaces_only(source: &Source, diagram: &Diagram) -> Found {
    let first = source.line_of(diagram.header.start) + 1;
    (first..source.line_count()).map(|line| source.line_span(line)).find_map(|line| {
        let spaces = !line.is_empty() && source.slice(line).trim().is_empty();
        spaces.then(|| (line, "a blank line must not contain spaces".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, parse};
    use aidd_engine::text::source::Source;

    /// Whether no fault is reported.
    fn is_accepted(text: &str) -> bool {
        let fault = parse(&Source::new("d.mmd", text)).fault;
        matches!(fault, None | Some(Fault::Dates { .. }))
    }

    /// Cases in which Mermaid 11.17 and 12.3 differ from the parser.
    #[test]
    fn results_match_mermaid() {
        let refused = [
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
        for text in refused {
            assert!(!is_accepted(text), "{text}");
        }
        let drawn = [
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
        for text in drawn {
            assert!(is_accepted(text), "{text}");
        }
    }
}
