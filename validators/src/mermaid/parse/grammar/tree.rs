//! Types whose nodes form a tree by indentation.

use super::lexer::{Cursor, END, Kind, Lexer, Next, Rule, SKIP, START, Token, UNKNOWN, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const BLANK_LINE: Kind = "a blank line";
const LINE_BREAK: Kind = "a new line";
const INDENT: Kind = "indentation";
const CLASS: Kind = "a class";
const ICON: Kind = "an icon";
const OPEN: Kind = "an opening bracket";
const CLOSE: Kind = "a closing bracket";
const LABEL: Kind = "a label";
const NODE: Kind = "a node";
const DATA: Kind = "`@{…}`";

const IN_START: &[&str] = &[START];
const IN_CLASS: &[&str] = &["class"];
const IN_ICON: &[&str] = &["icon"];
const IN_NODE: &[&str] = &["node"];
const IN_TEXT: &[&str] = &["text"];
const IN_MARKDOWN: &[&str] = &["markdown"];
const IN_DATA: &[&str] = &["data"];
const IN_DATA_TEXT: &[&str] = &["data text"];

const BLANKS: &[Rule] = &[
    (IN_START, r":::", SKIP, Next::Push("class")),
    (IN_CLASS, r".+", CLASS, Next::Pop(1)),
    (IN_CLASS, r"\n", SKIP, Next::Pop(1)),
    (IN_START, r"::icon\(", SKIP, Next::Push("icon")),
    (IN_START, r"\s+\n", BLANK_LINE, Next::Stay),
    (IN_START, r"\n+", LINE_BREAK, Next::Stay),
    (IN_ICON, r"[^)]+", ICON, Next::Stay),
    (IN_ICON, r"\)", SKIP, Next::Pop(1)),
    (IN_START, r"-\)|\(-|\)\)|\)|\(\(|\{\{|\(|\[", OPEN, Next::Push("node")),
    (IN_START, r"\s+", INDENT, Next::Stay),
];

const LABELS: &[Rule] = &[
    (IN_NODE, "\"`", SKIP, Next::Push("markdown")),
    (IN_MARKDOWN, "[^`\"]+", LABEL, Next::Stay),
    (IN_MARKDOWN, "`\"", SKIP, Next::Pop(1)),
    (IN_NODE, "\"", SKIP, Next::Push("text")),
    (IN_TEXT, "[^\"]+", LABEL, Next::Stay),
    (IN_TEXT, "\"", SKIP, Next::Pop(1)),
    (IN_NODE, r"\)\)|\)|\]|\}\}|\(-|-\)|\(\(|\(", CLOSE, Next::Pop(1)),
    (IN_NODE, r"[^)\](}]+|.+", LABEL, Next::Stay),
];

const COMMENT: Rule = (IN_START, r"\s*%%.*", BLANK_LINE, Next::Stay);

pub(super) static MINDMAP: LazyLock<Lexer> = LazyLock::new(|| {
    let head = [COMMENT, (IN_START, r"mindmap(?-u:\b)", HEADER, Next::Stay)];
    let node = [(IN_START, r"[^(\[\n){}]+", NODE, Next::Stay)];
    Lexer::new("i", IN_START, &[&head, BLANKS, &node, LABELS])
});

pub(super) static KANBAN: LazyLock<Lexer> = LazyLock::new(|| {
    let head = [
        (IN_START, r"@\{", DATA, Next::Push("data")),
        (IN_DATA, "\"", DATA, Next::Push("data text")),
        (IN_DATA_TEXT, "\"", DATA, Next::Pop(1)),
        (IN_DATA_TEXT, "[^\"]+", DATA, Next::Stay),
        (IN_DATA, "[^}^\"]+", DATA, Next::Stay),
        (IN_DATA, r"\}", SKIP, Next::Pop(1)),
        COMMENT,
        (IN_START, r"kanban(?-u:\b)", HEADER, Next::Stay),
    ];
    let node = [(IN_START, r"[^(\[\n){}@]+", NODE, Next::Stay)];
    Lexer::new("i", IN_START, &[&head, BLANKS, &node, LABELS])
});

pub(super) static ISHIKAWA: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        COMMENT,
        (IN_START, r"ishikawa(?:-beta)?(?-u:\b)", HEADER, Next::Stay),
        (IN_START, r"\s+\n", BLANK_LINE, Next::Stay),
        (IN_START, r"\n+", LINE_BREAK, Next::Stay),
        (IN_START, r"\s+", INDENT, Next::Stay),
        (IN_START, r"[^\n]+", LABEL, Next::Stay),
    ];
    Lexer::new("i", IN_START, &[&rules])
});

pub(super) fn mindmap(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    let (mut first, mut lowest) = (0, usize::MAX);
    document(None, cursor, |node, level| {
        if lowest == usize::MAX {
            first = level;
        } else if level <= lowest && level <= first {
            return Err(Cursor::rejected(node, "a mindmap has only one root; indent this node"));
        }
        lowest = lowest.min(level);
        Ok(())
    })
}

pub(super) fn kanban(text: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    let mut first = None;
    let mut outside: Option<Token> = None;
    document(Some(text), cursor, |node, level| {
        if let Some(outside) = outside {
            return Err(Cursor::rejected(
                outside,
                "an item is indented less than the first column",
            ));
        }
        if level < *first.get_or_insert(level) {
            outside = Some(node);
        }
        Ok(())
    })
}

pub(super) fn ishikawa(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    cursor.eat(LINE_BREAK);
    loop {
        if !cursor.eat(BLANK_LINE) && !cursor.eat(LABEL) {
            cursor.need(INDENT)?;
            cursor.eat(LABEL);
        }
        if end_statement(cursor)? {
            return Ok(());
        }
    }
}

/// Parses the header, and statements that each end with a line break. `add` receives each node and
/// its indentation. `data` is the text, if nodes can have `@{…}`.
fn document(
    data: Option<&str>,
    cursor: &mut Cursor<'_>,
    mut add: impl FnMut(Token, usize) -> Result<(), Unexpected>,
) -> Result<(), Unexpected> {
    let mut has_node = false;
    cursor.need(HEADER)?;
    cursor.eat(LINE_BREAK);
    loop {
        if !cursor.eat(BLANK_LINE) {
            let indent = cursor.peek();
            let level = if cursor.eat(INDENT) { indent.end - indent.start } else { 0 };
            let token = cursor.peek();
            if node(data, cursor)? {
                add(token, level)?;
                has_node = true;
            } else if cursor.eat_any(&[ICON, CLASS]) {
                if !has_node {
                    return Err(Cursor::rejected(
                        token,
                        "a class or an icon requires a preceding node",
                    ));
                }
            } else if level == 0 {
                return Err(cursor.unexpected());
            }
        }
        if end_statement(cursor)? {
            return Ok(());
        }
    }
}

fn node(data: Option<&str>, cursor: &mut Cursor<'_>) -> Result<bool, Unexpected> {
    let has_id = cursor.eat(NODE);
    if cursor.eat(OPEN) {
        cursor.need(LABEL)?;
        cursor.need(CLOSE)?;
    } else if !has_id {
        return Ok(false);
    }
    let mut token = cursor.peek();
    if let Some(text) = data
        && cursor.eat_all(&[DATA]) > 0
    {
        token.end = cursor.peek().start;
        let inner = text[token.start..token.end].trim_start_matches("@{").trim_end();
        let inner = inner.strip_suffix('}').unwrap_or(inner);
        if let Some(message) = data_fault(inner) {
            return Err(Cursor::rejected(token, &message));
        }
    }
    Ok(true)
}

/// The reason why the YAML between `@{` and `}` is invalid; `None` if it is valid.
fn data_fault(data: &str) -> Option<String> {
    // Mermaid replaces line breaks in strings before it parses the YAML.
    let outside: String = data.split('"').step_by(2).collect();
    let data = data.split('"').enumerate().map(|(index, part)| {
        if index % 2 == 1 { part.replace('\n', "<br/>") } else { part.to_owned() }
    });
    let data = data.collect::<Vec<_>>().join("\"");
    let yaml = if outside.contains('\n') { data } else { format!("{{\n{data}\n}}") };
    match serde_saphyr::from_str::<serde_json::Value>(&yaml) {
        Ok(serde_json::Value::Null) => Some("`@{…}` is empty".to_owned()),
        Ok(_) => None,
        Err(_) => Some("the text in `@{…}` is not valid YAML".to_owned()),
    }
}

/// Moves past the end of a statement; returns whether the diagram ends there.
fn end_statement(cursor: &mut Cursor<'_>) -> Result<bool, Unexpected> {
    if cursor.peek().kind == END {
        return Ok(true);
    }
    cursor.need_any(&[LINE_BREAK, BLANK_LINE])?;
    cursor.eat_all(&[LINE_BREAK]);
    Ok(cursor.peek().kind == END)
}

const TITLE: Kind = "a title";
const NAME: Kind = "a name";
const EXTRA: Kind = "an annotation";

pub(super) static TREE_VIEW: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"(treeView-beta)\n", HEADER, Next::Stay),
        (IN_START, r"[\t ]*accDescr(?:[\t ]*:[^\n]*|\s*\{[^}]*\})", TITLE, Next::Stay),
        (IN_START, r"[\t ]*accTitle[\t ]*:[^\n]*", TITLE, Next::Stay),
        (IN_START, r"[\t ]*title(?:[\t ][^\n]*|)", TITLE, Next::Stay),
        (IN_START, r"[ \t]+:::[ \t]*[A-Za-z_][0-9A-Za-z_-]*", EXTRA, Next::Stay),
        (IN_START, r"[ \t]+icon\([0-9A-Za-z_-]*(?::[0-9A-Za-z_-]+)?\)", EXTRA, Next::Stay),
        (IN_START, r"[ \t]+##[^\n]*", EXTRA, Next::Stay),
        (IN_START, r"[ \t]+", INDENT, Next::Stay),
        (IN_START, "\"[^\"]*\"|'[^']*'", NAME, Next::Stay),
        (IN_START, r"%%[^\n]*|\n", SKIP, Next::Stay),
        (IN_START, r":::|icon\(|##", UNKNOWN, Next::Stay),
        (
            IN_START,
            r#"([^ \t\n"'][^\n]*?)(?:[ \t]+:::[ \t]*[A-Za-z_]|[ \t]+icon\(|[ \t]+##|\n|\z)"#,
            NAME,
            Next::Stay,
        ),
    ];
    Lexer::new("", IN_START, &[&rules])
});

pub(super) fn tree_view(text: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    // Box drawing characters are converted to indentation first.
    if text.contains(['─', '━', '│', '┃', '└', '┗', '├', '┣']) {
        return Ok(());
    }
    cursor.need(HEADER)?;
    cursor.eat_all(&[TITLE]);
    loop {
        if cursor.peek().kind == END {
            return Ok(());
        }
        cursor.eat(INDENT);
        cursor.need(NAME)?;
        cursor.eat_all(&[EXTRA]);
    }
}
