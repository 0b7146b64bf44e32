//! Treemaps: sections and leaves, each on a line or after the previous.

use super::lexer::{Cursor, END, Go, Kind, Lexer, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the type";
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
        (S, r"[\t ]*accDescr(?:[\t ]*:[^\n]*|\s*\{[^}]*\})", TITLE, Go::Stay),
        (S, r"[\t ]*accTitle[\t ]*:[^\n]*", TITLE, Go::Stay),
        (S, r"[\t ]*title(?:[\t ][^\n]*)?", TITLE, Go::Stay),
        (S, r"treemap(?:-beta)?", HEADER, Go::Stay),
        (S, r"classDef\s+[a-zA-Z_][a-zA-Z0-9_]+(?:\s+[^;\n]*)?;?", CLASS_DEF, Go::Stay),
        (S, r":::", STYLED, Go::Stay),
        (S, r"[:,]", COLON, Go::Stay),
        (S, r"[ \t]+", INDENT, Go::Stay),
        (S, r"%%[^\n]*|\n", SKIP, Go::Stay),
        (S, r"[a-zA-Z_][a-zA-Z0-9_]*", NAME, Go::Stay),
        (S, r"[0-9_.,]+", NUMBER, Go::Stay),
        (S, "\"[^\"]*\"|'[^']*'", STRING, Go::Stay),
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

/// The value of a leaf. A section has none; blanks after it indent the next line.
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
