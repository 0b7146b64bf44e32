//! Block diagrams.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const BLOCK: Kind = "`block`";
const NAMED_BLOCK: Kind = "`block:id`";
const BLOCK_END: Kind = "`end`";
const COLUMNS: Kind = "`columns`";
const SPACE: Kind = "`space`";
const NODE: Kind = "a block";
const OPEN: Kind = "an opening bracket";
const CLOSE: Kind = "a closing bracket";
const STRING: Kind = "a quoted label";
const MARKDOWN: Kind = "a Markdown label";
const ARROW: Kind = "`<[`";
const DIRECTION: Kind = "a direction";
const ARROW_END: Kind = "`)`";
const LINK: Kind = "an arrow";
const LINK_START: Kind = "the start of an arrow";
const LINK_LABEL: Kind = "a label in quotes";
const SIZE: Kind = "`:width`";
const STYLE: Kind = "`style`, `class` or `classDef`";
const STYLED: Kind = "a block to be styled";
const STYLE_TEXT: Kind = "a style";
const WORD: Kind = "a reserved word";

const IN_START: &[&str] = &[START];
const IN_NODE: &[&str] = &["node"];
const IN_ARROW: &[&str] = &["arrow"];
const IN_DIRECTIONS: &[&str] = &["directions"];
const IN_LABEL: &[&str] = &["label"];
const IN_STRING: &[&str] = &["string"];
const IN_MARKDOWN: &[&str] = &["markdown"];
const LINKS: &str = r"\s*[xo<]?--+[-xo>]\s*|\s*[xo<]?==+[=xo>]\s*|\s*[xo<]?-?\.+-[xo>]?\s*";

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"block-beta(?-u:\b)", BLOCK, Next::Stay),
        (IN_START, r"block:", NAMED_BLOCK, Next::Stay),
        (IN_START, r"block(?-u:\b)", BLOCK, Next::Stay),
        (IN_START, r"\s+", SKIP, Next::Stay),
        (IN_START, r"columns\s+(?:auto(?-u:\b)|[0-9]+)", COLUMNS, Next::Stay),
        (&[START, "node", "arrow", "label"], "\"`", SKIP, Next::Push("markdown")),
        (IN_MARKDOWN, "[^`\"]+", MARKDOWN, Next::Stay),
        (IN_MARKDOWN, "`\"", SKIP, Next::Pop(1)),
        (&[START, "node", "arrow"], "\"", SKIP, Next::Push("string")),
        (IN_LABEL, "\"", LINK_LABEL, Next::Push("string")),
        (IN_STRING, "\"", SKIP, Next::Pop(1)),
        (IN_STRING, "[^\"]+", STRING, Next::Stay),
        (IN_START, r"space(?::[0-9]+|(?-u:\b))", SPACE, Next::Stay),
        (IN_START, r"(?:default|linkStyle|interpolate)(?-u:\b)", WORD, Next::Stay),
        (IN_START, r"classDef\s+", STYLE, Next::Push("class definition")),
        (&["class definition"], r"[0-9A-Za-z_]+\s+", STYLED, Next::Replace("style text")),
        (IN_START, r"(?:class|style)\s+", STYLE, Next::Push("styled")),
        (&["styled"], r"[0-9A-Za-z_]+(?:,\s*[0-9A-Za-z_]+)*", STYLED, Next::Replace("style text")),
        (&["style text"], r"[^\n]*", STYLE_TEXT, Next::Pop(1)),
        (IN_START, r"acc(?:Title|Descr)\s*[:{]", WORD, Next::Stay),
        (IN_START, r"end(?-u:\b)\s*", BLOCK_END, Next::Stay),
        (
            IN_NODE,
            r"\(\(\(|\)\)\)|\)\)|\}\}|\}|\(-|-\)|\(\(|\]\]|\(|\]\)|\\\]|/\]|\)\]|\)|\]>|\]",
            CLOSE,
            Next::Pop(1),
        ),
        (
            IN_START,
            r"-\)|\(-|\)\)|\)|\(\(\(|\(\(|\{\{|\{|>|\(\[|\(|\[\[|\[\||\[\(|\[\\|\[/|\[",
            OPEN,
            Next::Push("node"),
        ),
        (IN_START, r"<\[", ARROW, Next::Push("arrow")),
        (IN_START, r"[^(\[\n)\{\}\s<>:=-]+", NODE, Next::Stay),
        (IN_ARROW, r"\]>\s*\(", SKIP, Next::Push("directions")),
        (IN_DIRECTIONS, r",?\s*(?:right|left|x|y|up|down)\s*", DIRECTION, Next::Stay),
        (IN_DIRECTIONS, r"\)\s*", ARROW_END, Next::Pop(2)),
        (IN_START, LINKS, LINK, Next::Stay),
        (IN_START, r"\s*~~~+\s*", LINK, Next::Stay),
        (IN_START, r"\s*[xo<]?(?:--|==|-\.)\s*", LINK_START, Next::Push("label")),
        (IN_LABEL, LINKS, LINK, Next::Pop(1)),
        (IN_START, r":[0-9]+", SIZE, Next::Stay),
    ];
    Lexer::new("", IN_START, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(BLOCK)?;
    // The number of open blocks. Each block requires a statement.
    let mut open = 0_usize;
    let mut required = true;
    loop {
        if cursor.eat(BLOCK) {
            open += 1;
            required = true;
        } else if cursor.eat(NAMED_BLOCK) {
            nodes(cursor)?;
            open += 1;
            required = true;
        } else if statement(cursor)? {
            required = false;
        } else if !required && open > 0 && cursor.eat(BLOCK_END) {
            open -= 1;
        } else if required {
            return Err(cursor.unexpected());
        } else {
            return cursor.need(if open > 0 { BLOCK_END } else { END });
        }
    }
}

fn statement(cursor: &mut Cursor<'_>) -> Result<bool, Unexpected> {
    if cursor.peek().kind == NODE {
        nodes(cursor)?;
    } else if cursor.eat(STYLE) {
        cursor.need(STYLED)?;
        cursor.need(STYLE_TEXT)?;
    } else {
        return Ok(cursor.eat_any(&[COLUMNS, SPACE]));
    }
    Ok(true)
}

/// Parses blocks that are connected by arrows.
fn nodes(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    node(cursor)?;
    cursor.eat(SIZE);
    loop {
        if cursor.eat(LINK_START) {
            cursor.need(LINK_LABEL)?;
            cursor.need(STRING)?;
            cursor.need(LINK)?;
        } else if !cursor.eat(LINK) {
            return Ok(());
        }
        node(cursor)?;
    }
}

fn node(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(NODE)?;
    if cursor.eat(OPEN) {
        cursor.need(STRING)?;
        cursor.need(CLOSE)?;
    } else if cursor.eat(ARROW) {
        cursor.need(STRING)?;
        cursor.need(DIRECTION)?;
        cursor.eat_all(&[DIRECTION]);
        cursor.need(ARROW_END)?;
    }
    Ok(())
}
