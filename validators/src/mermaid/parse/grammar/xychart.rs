//! XY charts.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
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
const STRING: Kind = "a quoted string";
const WORD: Kind = "unquoted text";
const COMMA: Kind = "`,`";
const COLON: Kind = "`:`";

const ALL: &[&str] = &[START, "axis", "categories", "series", "values"];
/// States in which the text can end: an accessible title can be empty, and a description needs no
/// closing brace.
const FINAL: &[&str] = &[START, "axis", "categories", "series", "values", "line", "lines"];
const IN_AXIS: &[&str] = &["axis"];
const IN_SERIES: &[&str] = &["series"];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_STRING: &[&str] = &["string"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (ALL, r"%%[^{\n][^\n]*|%%\n?|[^}]%%[^\n]*", SKIP, Next::Stay),
        (&["axis", "series"], r"\n", LINE_BREAK, Next::Pop(1)),
        (ALL, r"\n+", LINE_BREAK, Next::Stay),
        (ALL, r"title(?-u:\b)", TITLE, Next::Stay),
        (ALL, r"acc(?:Title|Descr)\s*:\s*", SKIP, Next::Push("line")),
        (IN_LINE, r"[^\n]*", ACC, Next::Pop(1)),
        (ALL, r"accDescr\s*\{\s*", SKIP, Next::Push("lines")),
        (IN_LINES, r"\}", SKIP, Next::Pop(1)),
        (IN_LINES, r"[^}]+", ACC, Next::Stay),
        (ALL, r"xychart(?:-beta)?(?-u:\b)", HEADER, Next::Stay),
        (ALL, r"vertical|horizontal", ORIENTATION, Next::Stay),
        (ALL, r"x-axis(?-u:\b)", X_AXIS, Next::Push("axis")),
        (ALL, r"y-axis(?-u:\b)", Y_AXIS, Next::Push("axis")),
        (IN_AXIS, r"\[", OPEN, Next::Push("categories")),
        (IN_AXIS, r"-->", ARROW, Next::Stay),
        (ALL, r"(?:line|bar)(?-u:\b)", SERIES, Next::Push("series")),
        (IN_SERIES, r"\[", OPEN, Next::Push("values")),
        (&["axis", "values"], r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)", NUMBER, Next::Stay),
        (&["values", "categories"], r"\]", CLOSE, Next::Pop(1)),
        (ALL, "\"", SKIP, Next::Push("string")),
        (IN_STRING, "\"", SKIP, Next::Pop(1)),
        (IN_STRING, "[^\"]+", STRING, Next::Stay),
        (ALL, r"\[", OPEN, Next::Stay),
        (ALL, r"\]", CLOSE, Next::Stay),
        (ALL, r"[A-Za-z]+|[+=*#_.&-]|[0-9]+", WORD, Next::Stay),
        (ALL, r":", COLON, Next::Stay),
        (ALL, r",", COMMA, Next::Stay),
        (ALL, r"\s+", SKIP, Next::Stay),
        (ALL, r";", LINE_BREAK, Next::Stay),
    ];
    Lexer::new("i", FINAL, &[&rules])
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
        point(cursor)?;
        while cursor.eat(COMMA) {
            point(cursor)?;
        }
        cursor.need(CLOSE)?;
    } else if cursor.eat(X_AXIS) {
        let has_title = text(cursor);
        if cursor.eat(OPEN) {
            category(cursor)?;
            while cursor.eat(COMMA) {
                category(cursor)?;
            }
            cursor.need(CLOSE)?;
        } else {
            range(cursor, has_title)?;
        }
    } else if cursor.eat(Y_AXIS) {
        let has_title = text(cursor);
        range(cursor, has_title)?;
    } else {
        return Ok(cursor.eat(ACC));
    }
    Ok(true)
}

fn text(cursor: &mut Cursor<'_>) -> bool {
    cursor.eat(STRING) || cursor.eat_all(&[WORD]) > 0
}

/// Parses a value, which can have a label: `[2.5 "low", 3]`.
fn point(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(NUMBER)?;
    cursor.eat(STRING);
    Ok(())
}

fn category(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if text(cursor) { Ok(()) } else { Err(cursor.unexpected()) }
}

/// Parses the range of an axis, which is optional after a title.
fn range(cursor: &mut Cursor<'_>, has_title: bool) -> Result<(), Unexpected> {
    if cursor.eat(NUMBER) {
        cursor.need(ARROW)?;
        return cursor.need(NUMBER);
    }
    if has_title { Ok(()) } else { Err(cursor.unexpected()) }
}
