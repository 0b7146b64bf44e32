//! Treemaps: sections and leaves, each on its own line or after the previous one.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const TITLE: Kind = "a title";
const CLASS_DEF: Kind = "`classDef`";
const STYLED: Kind = "`:::`";
const COLON: Kind = "`:`";
const INDENT: Kind = "indentation";
const NAME: Kind = "a name";
const NUMBER: Kind = "a number";
const STRING: Kind = "a quoted text";

const S: &[&str] = &[START];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (S, r"[\t ]*accDescr(?:[\t ]*:[^\n]*|\s*\{[^}]*\})", TITLE, Next::Stay),
        (S, r"[\t ]*accTitle[\t ]*:[^\n]*", TITLE, Next::Stay),
        (S, r"[\t ]*title(?:[\t ][^\n]*)?", TITLE, Next::Stay),
        (S, r"treemap(?:-beta)?", HEADER, Next::Stay),
        (S, r"classDef\s+[a-zA-Z_][a-zA-Z0-9_]+(?:\s+[^;\n]*)?;?", CLASS_DEF, Next::Stay),
        (S, r":::", STYLED, Next::Stay),
        (S, r"[:,]", COLON, Next::Stay),
        (S, r"[ \t]+", INDENT, Next::Stay),
        (S, r"%%[^\n]*|\n", SKIP, Next::Stay),
        (S, r"[a-zA-Z_][a-zA-Z0-9_]*", NAME, Next::Stay),
        (S, r"[0-9_.,]+", NUMBER, Next::Stay),
        (S, "\"[^\"]*\"|'[^']*'", STRING, Next::Stay),
    ];
    Lexer::new("", S, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    loop {
        if cursor.peek().kind == END {
            return Ok(());
        }
        if cursor.eat(TITLE) {
            continue;
        }
        cursor.eat(INDENT);
        if cursor.eat(CLASS_DEF) {
            continue;
        }
        cursor.need(STRING)?;
        leaf(cursor)?;
        if cursor.eat(STYLED) {
            cursor.need(NAME)?;
        }
    }
}

/// Parses the value of a leaf. A section has no value; whitespace after a section indents the next
/// line.
fn leaf(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if cursor.peek().kind == INDENT && cursor.peek_after().kind == COLON {
        cursor.eat(INDENT);
    }
    if cursor.eat(COLON) {
        cursor.eat(INDENT);
        cursor.need(NUMBER)?;
    }
    Ok(())
}
