//! What Mermaid refuses and the parser lets pass, by type of diagram. Each of these was found by
//! comparing verdicts, and is tested against Mermaid 11.17 and 12.3 by `benches/peers/mermaid`.

use super::mermaid::{Diagram, Fault};
use crate::source::{Source, Span};

type Found = Option<(Span, String)>;

/// Type, and what to look for.
const STRICTER: &[(&str, fn(&Source, &Diagram) -> Found)] = &[
    ("flowchart-v2", flowchart),
    ("flowchart-elk", flowchart),
    ("swimlane", flowchart),
    ("quadrantChart", quadrant),
    ("requirement", requirement),
    ("sankey", sankey),
    ("xychart", xychart),
    ("journey", journey),
    ("classDiagram", class),
    ("block", block),
    ("mindmap", blank_after_header),
    ("kanban", blank_after_header),
    ("ishikawa", blank_after_header),
    ("treeView", spaces_only),
];

/// The first such fault.
pub(super) fn fault(source: &Source, diagram: &Diagram) -> Option<Fault> {
    let (_, look) = STRICTER.iter().find(|(family, _)| *family == diagram.family)?;
    let (span, message) = look(source, diagram)?;
    Some(Fault::Syntax { span, message })
}

/// Code lines after the one with the type, with their text.
fn body<'a>(source: &'a Source, diagram: &'a Diagram) -> impl Iterator<Item = (Span, &'a str)> {
    diagram.lines.iter().skip(1).map(|&line| (line, source.slice(line)))
}

/// The span of `part`, a piece of `text`, which stands at `line`.
fn within(line: Span, text: &str, part: &str) -> Span {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let start = line.start as usize + at.min(text.len());
    Span::new(start, start + part.len())
}

/// Reports the first character of `text` that `refused` names, unless quotes surround it.
fn unquoted(line: Span, whole: &str, text: &str, refused: impl Fn(char) -> bool) -> Found {
    let text = text.trim();
    if text.starts_with('"') {
        return None;
    }
    let bad = text.find(refused)?;
    let c = text[bad..].chars().next()?;
    let span = within(line, whole, &text[bad..bad + c.len_utf8()]);
    Some((span, format!("`{c}` needs quotes around the text it stands in")))
}

fn flowchart(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        let mut words = text.split_whitespace();
        match words.next()? {
            word @ ("style" | "classDef" | "linkStyle") => {
                let named = words.next().is_some() && words.next().is_some();
                if !named {
                    return Some((line, format!("`{word}` needs a name and its styles")));
                }
                let bad = text.find(|c: char| "()<=>@[]^{|}~\"".contains(c))?;
                let c = text[bad..].chars().next()?;
                let span = within(line, text, &text[bad..bad + c.len_utf8()]);
                Some((span, format!("a style cannot hold `{c}`")))
            }
            "click" => click(line, text),
            "accTitle" | "accTitle:" | "accDescr" | "accDescr:" | "class" | "subgraph" => None,
            _ => empty_brackets(line, text),
        }
    })
}

fn click(line: Span, text: &str) -> Found {
    if text.matches('"').count() % 2 == 1 {
        return Some((line, "a quote is not closed".to_owned()));
    }
    let call = text.find(" call ").filter(|at| !text[*at..].contains('('))?;
    let span = within(line, text, text[call..].trim());
    Some((span, "`call` needs parentheses after the function".to_owned()))
}

/// `A[]`, `A("")`: a shape without text.
fn empty_brackets(line: Span, text: &str) -> Found {
    const EMPTY: [&str; 6] = ["[]", "()", "{}", "[\"\"]", "(\"\")", "{\"\"}"];
    let mut quoted = false;
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if !quoted && depth == 0 && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            if let Some(empty) = EMPTY.iter().find(|empty| text[at..].starts_with(**empty)) {
                let span = within(line, text, &text[at..at + empty.len()]);
                return Some((span, "the label is empty".to_owned()));
            }
        }
        match c {
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth = depth.saturating_sub(1),
            // Text on an arrow may hold anything.
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

fn requirement(source: &Source, diagram: &Diagram) -> Found {
    let refused = |c: char| ",-:<=>{".contains(c);
    let names = diagram.symbols.iter().filter(|symbol| {
        matches!(
            &*symbol.what,
            "requirement" | "requirement element" | "requirement id" | "requirement text"
                | "requirement doc ref" | "requirement element type"
        )
    });
    names.into_iter().find_map(|symbol| {
        let before = source.text()[..symbol.at.start as usize].chars().next_back();
        if before == Some('"') {
            return None;
        }
        unquoted(symbol.at, source.slice(symbol.at), source.slice(symbol.at), refused)
    })
}

fn sankey(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        if let Some(c) = text.chars().find(|c| !c.is_ascii()) {
            let at = text.find(c)?;
            let span = within(line, text, &text[at..at + c.len_utf8()]);
            return Some((span, format!("a sankey diagram cannot hold `{c}`, only ASCII")));
        }
        let mut inside = false;
        let fields: Vec<&str> = text
            .split(|c: char| {
                inside ^= c == '"';
                c == ',' && !inside
            })
            .map(str::trim)
            .collect();
        let empty = fields.iter().any(|field| field.is_empty());
        let stray = fields.iter().any(|field| field.contains('"') && !field.starts_with('"'));
        if empty {
            return Some((line, "a flow needs a source, a target and a value".to_owned()));
        }
        (stray || inside).then(|| (line, "a quote stands inside an unquoted name".to_owned()))
    })
}

fn xychart(source: &Source, diagram: &Diagram) -> Found {
    body(source, diagram).find_map(|(line, text)| {
        if text.starts_with("acc") {
            return None;
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
        Some((span, format!("`{}` cannot stand here", &text[bad..=bad])))
    })
}

fn class(source: &Source, diagram: &Diagram) -> Found {
    if diagram.lines.len() == 1 {
        return Some((diagram.header, "the class diagram is empty".to_owned()));
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
            return Some((span, "a class body cannot hold another `{`".to_owned()));
        } else if text.starts_with("class ") && text.ends_with('{') {
            in_class = true;
        } else if text.ends_with('}') {
            in_class = false;
        }
    }
    let refused = |c: char| "!#$%&'()*+/;=?@\\^|".contains(c);
    diagram.symbols.iter().filter(|symbol| symbol.what == "class").find_map(|symbol| {
        let before = source.text()[..symbol.at.start as usize].chars().next_back();
        if before == Some('`') {
            return None;
        }
        let name = source.slice(symbol.at);
        let bad = name.trim_start_matches('`').find(refused).filter(|_| !name.starts_with('`'))?;
        let span = within(symbol.at, name, &name[bad..=bad]);
        Some((span, format!("a class name cannot hold `{}`: put it into backquotes", &name[bad..=bad])))
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
                return Some((line, "`end` closes nothing".to_owned()));
            };
            open = left;
        }
    }
    let known = |name: &str| {
        diagram.symbols.iter().any(|symbol| {
            symbol.name == name && matches!(&*symbol.what, "block node" | "block composite" | "block edge endpoint")
        })
    };
    let target = diagram.symbols.iter().filter(|symbol| symbol.what == "block style target");
    let lost = target.into_iter().find(|symbol| !known(&symbol.name))?;
    Some((lost.at, format!("no block is called `{}`", lost.name)))
}

/// These types end at a blank line after their first.
fn blank_after_header(source: &Source, diagram: &Diagram) -> Found {
    let next = source.line_of(diagram.header.start) + 1;
    let blank = source.line_span(next);
    let more = diagram.lines.len() > 1 && source.slice(blank).trim().is_empty();
    more.then(|| (blank, "no blank line may follow the type".to_owned()))
}

fn spaces_only(source: &Source, diagram: &Diagram) -> Found {
    let first = source.line_of(diagram.header.start) + 1;
    (first..source.line_count()).map(|line| source.line_span(line)).find_map(|line| {
        let spaces = !line.is_empty() && source.slice(line).trim().is_empty();
        spaces.then(|| (line, "a blank line may not hold spaces".to_owned()))
    })
}
