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
const STRING: Kind = "a quoted string";

const IN_START: &[&str] = &[START];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"[\t ]*accDescr(?:[\t ]*:[^\n]*|\s*\{[^}]*\})", TITLE, Next::Stay),
        (IN_START, r"[\t ]*accTitle[\t ]*:[^\n]*", TITLE, Next::Stay),
        (IN_START, r"[\t ]*title(?:[\t ][^\n]*)?", TITLE, Next::Stay),
        (IN_START, r"treemap(?:-beta)?", HEADER, Next::Stay),
        (IN_START, r"classDef\s+[a-zA-Z_][a-zA-Z0-9_]+(?:\s+[^;\n]*)?;?", CLASS_DEF, Next::Stay),
        (IN_START, r":::", STYLED, Next::Stay),
        (IN_START, r"[:,]", COLON, Next::Stay),
        (IN_START, r"[ \t]+", INDENT, Next::Stay),
        (IN_START, r"%%[^\n]*|\n", SKIP, Next::Stay),
        (IN_START, r"[a-zA-Z_][a-zA-Z0-9_]*", NAME, Next::Stay),
        (IN_START, r"[0-9_.,]+", NUMBER, Next::Stay),
        (IN_START, "\"[^\"]*\"|'[^']*'", STRING, Next::Stay),
    ];
    Lexer::new("", IN_START, &[&rules])
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
