//! XY charts.

use super::lexer::{Cursor, END, Go, Kind, Lexer, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the type";
const ORIENTATION: Kind = "an orientation";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "`title`";
const ACC: Kind = "an accessible title";
const X_AXIS: Kind = "`x-axis`";
const Y_AXIS: Kind = "`y-axis`";
const SERIES: Kind = "`line` or `bar`";
const OPEN: Kind = "`[`";
const CLOSE: Kind = "`]`";
const ARROW: Kind = "`-->`";
const NUMBER: Kind = "a number";
const STRING: Kind = "a quoted text";
const WORD: Kind = "a text";
const COMMA: Kind = "`,`";
const COLON: Kind = "`:`";

const ALL: &[&str] = &[START, "axis", "categories", "series", "values"];
const IN_AXIS: &[&str] = &["axis"];
const IN_SERIES: &[&str] = &["series"];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_STRING: &[&str] = &["string"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (ALL, r"%%[^{\n][^\n]*|%%\n?|[^}]%%[^\n]*", SKIP, Go::Stay),
        (&["axis", "series"], r"\n", LINE_BREAK, Go::Out(1)),
        (ALL, r"\n+", LINE_BREAK, Go::Stay),
        (ALL, r"title(?-u:\b)", TITLE, Go::Stay),
        (ALL, r"acc(?:Title|Descr)\s*:\s*", SKIP, Go::Into("line")),
        (IN_LINE, r"[^\n]*", ACC, Go::Out(1)),
        (ALL, r"accDescr\s*\{\s*", SKIP, Go::Into("lines")),
        (IN_LINES, r"\}", SKIP, Go::Out(1)),
        (IN_LINES, r"[^}]+", ACC, Go::Stay),
        (ALL, r"xychart(?:-beta)?(?-u:\b)", HEADER, Go::Stay),
        (ALL, r"vertical|horizontal", ORIENTATION, Go::Stay),
        (ALL, r"x-axis(?-u:\b)", X_AXIS, Go::Into("axis")),
        (ALL, r"y-axis(?-u:\b)", Y_AXIS, Go::Into("axis")),
        (IN_AXIS, r"\[", OPEN, Go::Into("categories")),
        (IN_AXIS, r"-->", ARROW, Go::Stay),
        (ALL, r"(?:line|bar)(?-u:\b)", SERIES, Go::Into("series")),
        (IN_SERIES, r"\[", OPEN, Go::Into("values")),
        (&["axis", "values"], r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)", NUMBER, Go::Stay),
        (&["values", "categories"], r"\]", CLOSE, Go::Out(1)),
        (ALL, "\"", SKIP, Go::Into("string")),
        (IN_STRING, "\"", SKIP, Go::Out(1)),
        (IN_STRING, "[^\"]+", STRING, Go::Stay),
        (ALL, r"\[", OPEN, Go::Stay),
        (ALL, r"\]", CLOSE, Go::Stay),
        (ALL, r"[A-Za-z]+|[+=*#_.&-]|[0-9]+", WORD, Go::Stay),
        (ALL, r":", COLON, Go::Stay),
        (ALL, r",", COMMA, Go::Stay),
        (ALL, r"\s+", SKIP, Go::Stay),
        (ALL, r";", LINE_BREAK, Go::Stay),
    ];
    Lexer::new("i", ALL, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    cursor.eat(ORIENTATION);
    while cursor.eat(LINE_BREAK) || cursor.eat(HEADER) {
        cursor.eat(ORIENTATION);
    }
    while statement(cursor)? {
        cursor.eat_all(&[LINE_BREAK]);
    }
    cursor.need(END)
}

fn statement(cursor: &mut Cursor<'_>) -> Result<bool, Unexpected> {
    if cursor.eat(TITLE) {
        if !text(cursor) {
            return Err(cursor.unexpected());
        }
    } else if cursor.eat(SERIES) {
        text(cursor);
        cursor.need(OPEN)?;
        cursor.need(NUMBER)?;
        while cursor.eat(COMMA) {
            cursor.need(NUMBER)?;
        }
        cursor.need(CLOSE)?;
    } else if cursor.eat(X_AXIS) {
        let named = text(cursor);
        if cursor.eat(OPEN) {
            category(cursor)?;
            while cursor.eat(COMMA) {
                category(cursor)?;
            }
            cursor.need(CLOSE)?;
        } else {
            range(cursor, named)?;
        }
    } else if cursor.eat(Y_AXIS) {
        let named = text(cursor);
        range(cursor, named)?;
    } else {
        return Ok(cursor.eat(ACC));
    }
    Ok(true)
}

fn text(cursor: &mut Cursor<'_>) -> bool {
    cursor.eat(STRING) || cursor.eat_all(&[WORD]) > 0
}

fn category(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if text(cursor) { Ok(()) } else { Err(cursor.unexpected()) }
}

/// The range of an axis, which is optional after its title.
fn range(cursor: &mut Cursor<'_>, named: bool) -> Result<(), Unexpected> {
    if cursor.eat(NUMBER) {
        cursor.need(ARROW)?;
        return cursor.need(NUMBER);
    }
    if named { Ok(()) } else { Err(cursor.unexpected()) }
}
