//! Timelines.

use super::lexer::{Cursor, END, Go, Kind, Lexer, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the type";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "a title";
const SECTION: Kind = "a section";
const PERIOD: Kind = "a period";
const EVENT: Kind = "an event";

const S: &[&str] = &[START];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (S, r"%%[^{\n][^\n]*|%%\n?|[^}]%%[^\n]*", SKIP, Go::Stay),
        (S, r"\n+", LINE_BREAK, Go::Stay),
        (S, r"\s+|#[^\n]*", SKIP, Go::Stay),
        (S, r"timeline(?:[ \t]+(?:LR|TD))?(?-u:\b)", HEADER, Go::Stay),
        (S, r"title\s[^\n]+", TITLE, Go::Stay),
        (S, r"acc(?:Title|Descr)\s*:\s*", SKIP, Go::Into("line")),
        (IN_LINE, r"[^\n]*", TITLE, Go::Out(1)),
        (S, r"accDescr\s*\{\s*", SKIP, Go::Into("lines")),
        (IN_LINES, r"\}", SKIP, Go::Out(1)),
        (IN_LINES, r"[^}]+", TITLE, Go::Stay),
        (S, r"section\s[^:\n]+", SECTION, Go::Stay),
        // Of colons before a blank, the last starts the next event.
        (S, r"(:\s(?:[^:\n]|:+[^:\s])+:+):\s", EVENT, Go::Stay),
        (S, r":\s(?:[^:\n]|:+[^:\s])+", EVENT, Go::Stay),
        (S, r"[^#:\n]+", PERIOD, Go::Stay),
    ];
    Lexer::new("i", S, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    let mut has_period = false;
    loop {
        let token = cursor.peek();
        if cursor.eat(EVENT) {
            if !has_period {
                return Err(Cursor::refused(token, "an event requires a period before it"));
            }
        } else if cursor.eat(PERIOD) {
            has_period = true;
        } else if !cursor.eat_any(&[LINE_BREAK, TITLE, SECTION]) {
            return cursor.need(END);
        }
    }
}
