//! Sankey diagrams: lines with three values, separated by commas.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const LINE_BREAK: Kind = "a new line";
const COMMA: Kind = "`,`";
const QUOTE: Kind = "`\"`";
const NAME: Kind = "a name";
const QUOTED: Kind = "a quoted name";

const OUTSIDE_QUOTES: &[&str] = &[START, "values"];
const IN_QUOTES: &[&str] = &["quotes"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (&[START] as &[_], r"sankey(?:-beta)?(?-u:\b)[ \t]*", HEADER, Next::Push("values")),
        // Blank lines and trailing whitespace are only removed at the end of the text.
        (OUTSIDE_QUOTES, r"\s*\n+\s*\z", SKIP, Next::Stay),
        (OUTSIDE_QUOTES, r"\n+", LINE_BREAK, Next::Stay),
        (OUTSIDE_QUOTES, r",", COMMA, Next::Stay),
        (OUTSIDE_QUOTES, "\"", QUOTE, Next::Push("quotes")),
        (OUTSIDE_QUOTES, r"[\x20-\x21\x23-\x2B\x2D-\x7E]+", NAME, Next::Stay),
        (IN_QUOTES, "(\")(?:[^\"]|\\z)", QUOTE, Next::Pop(1)),
        (IN_QUOTES, "(?:[\\x20-\\x21\\x23-\\x7E\\n]|\"\")+", QUOTED, Next::Stay),
    ];
    Lexer::new("i", OUTSIDE_QUOTES, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    loop {
        cursor.need(LINE_BREAK)?;
        field(cursor)?;
        cursor.need(COMMA)?;
        field(cursor)?;
        cursor.need(COMMA)?;
        field(cursor)?;
        if cursor.peek().kind == END {
            return Ok(());
        }
    }
}

fn field(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if cursor.eat(QUOTE) {
        cursor.need(QUOTED)?;
        return cursor.need(QUOTE);
    }
    cursor.need(NAME)
}
