//! Timelines.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "a title";
const SECTION: Kind = "a section";
const PERIOD: Kind = "a period";
const EVENT: Kind = "an event";

const IN_START: &[&str] = &[START];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"%%[^{\n][^\n]*|%%\n?|[^}]%%[^\n]*", SKIP, Next::Stay),
        (IN_START, r"\n+", LINE_BREAK, Next::Stay),
        (IN_START, r"\s+|#[^\n]*", SKIP, Next::Stay),
        (IN_START, r"timeline(?:[ \t]+(?:LR|TD))?(?-u:\b)", HEADER, Next::Stay),
        (IN_START, r"title\s[^\n]+", TITLE, Next::Stay),
        (IN_START, r"acc(?:Title|Descr)\s*:\s*", SKIP, Next::Push("line")),
        (IN_LINE, r"[^\n]*", TITLE, Next::Pop(1)),
        (IN_START, r"accDescr\s*\{\s*", SKIP, Next::Push("lines")),
        (IN_LINES, r"\}", SKIP, Next::Pop(1)),
        (IN_LINES, r"[^}]+", TITLE, Next::Stay),
        (IN_START, r"section\s[^:\n]+", SECTION, Next::Stay),
        // If several colons precede whitespace, the last colon starts the next event.
        (IN_START, r"(:\s(?:[^:\n]|:+[^:\s])+:+):\s", EVENT, Next::Stay),
        (IN_START, r":\s(?:[^:\n]|:+[^:\s])+", EVENT, Next::Stay),
        (IN_START, r"[^#:\n]+", PERIOD, Next::Stay),
    ];
    Lexer::new("i", IN_START, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    let mut has_period = false;
    loop {
        let token = cursor.peek();
        if cursor.eat(EVENT) {
            if !has_period {
                return Err(Cursor::rejected(token, "an event requires a preceding period"));
            }
        } else if cursor.eat(PERIOD) {
            has_period = true;
        } else if !cursor.eat_any(&[LINE_BREAK, TITLE, SECTION]) {
            return cursor.need(END);
        }
    }
}
