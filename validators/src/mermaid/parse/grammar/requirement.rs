//! Requirement diagrams.

use super::lexer::{Cursor, END, Go, Kind, Lexer, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the type";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "a title";
const DIRECTION: Kind = "a direction";
const ACC: Kind = "an accessible title";
const REQUIREMENT: Kind = "a requirement";
const ELEMENT: Kind = "an element";
const FIELD: Kind = "`id`, `text`, `type` or `docref`";
const RISK: Kind = "`risk`";
const METHOD: Kind = "`verifymethod`";
const RISK_VALUE: Kind = "`low`, `medium` or `high`";
const METHOD_VALUE: Kind = "`analysis`, `demonstration`, `inspection` or `test`";
const RELATION: Kind = "a relation, such as `contains`";
const OPEN: Kind = "`{`";
const CLOSE: Kind = "`}`";
const STYLED: Kind = "`:::`";
const COLON: Kind = "`:`";
const COMMA: Kind = "`,`";
const LEFT: Kind = "`<-`";
const RIGHT: Kind = "`->`";
const LINE: Kind = "`-`";
const NAME: Kind = "a name";
const STYLE: Kind = "`style` or `classDef`";
const CLASS: Kind = "`class`";
const WORD: Kind = "a word";
const MARK: Kind = "a style";
const PERCENT: Kind = "`%`";

const S: &[&str] = &[START];
const IN_STYLE: &[&str] = &["style"];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_STRING: &[&str] = &["string"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (S, r"title\s[^#\n;]+", TITLE, Go::Stay),
        (S, r"acc(?:Title|Descr)\s*:\s*", SKIP, Go::Into("line")),
        (IN_LINE, r"[^\n]*", ACC, Go::Out(1)),
        (S, r"accDescr\s*\{\s*", SKIP, Go::Into("lines")),
        (IN_LINES, r"\}", SKIP, Go::Out(1)),
        (IN_LINES, r"[^}]+", ACC, Go::Stay),
        (S, r"[^\n]{0,200}direction\s+(?:TB|BT|RL|LR)[^\n]*", DIRECTION, Go::Stay),
        (S, r"\n+", LINE_BREAK, Go::Stay),
        (S, r"\s+|#[^\n]*|%[^\n]*", SKIP, Go::Stay),
        (S, r"requirementDiagram(?-u:\b)", HEADER, Go::Stay),
        (S, r"\{", OPEN, Go::Stay),
        (S, r"\}", CLOSE, Go::Stay),
        (S, r":::", STYLED, Go::Stay),
        (S, r":", COLON, Go::Stay),
        (S, r"(?:id|text|type|docref)(?-u:\b)", FIELD, Go::Stay),
        (S, r"risk(?-u:\b)", RISK, Go::Stay),
        (S, r"verifyMethod(?-u:\b)", METHOD, Go::Stay),
        (
            S,
            r"(?:(?:functional|interface|performance|physical)?Requirement|designConstraint)(?-u:\b)",
            REQUIREMENT,
            Go::Stay,
        ),
        (S, r"(?:low|medium|high)(?-u:\b)", RISK_VALUE, Go::Stay),
        (S, r"(?:analysis|demonstration|inspection|test)(?-u:\b)", METHOD_VALUE, Go::Stay),
        (S, r"element(?-u:\b)", ELEMENT, Go::Stay),
        (
            S,
            r"(?:contains|copies|derives|satisfies|verifies|refines|traces)(?-u:\b)",
            RELATION,
            Go::Stay,
        ),
        (S, r"(?:style|classDef)(?-u:\b)", STYLE, Go::Into("style")),
        (S, r"class(?-u:\b)", CLASS, Go::Into("style")),
        (IN_STYLE, r"[0-9A-Za-z_]+", WORD, Go::Stay),
        (IN_STYLE, r"[:;#-]", MARK, Go::Stay),
        (IN_STYLE, r"%", PERCENT, Go::Stay),
        (IN_STYLE, r" +", SKIP, Go::Stay),
        (&[START, "style"], "\"", SKIP, Go::Into("string")),
        (IN_STYLE, r"\n", SKIP, Go::Out(1)),
        (S, r"<-", LEFT, Go::Stay),
        (S, r"->", RIGHT, Go::Stay),
        (S, r"-", LINE, Go::Stay),
        (IN_STRING, "\"", SKIP, Go::Out(1)),
        (IN_STRING, "[^\"]+", NAME, Go::Stay),
        (S, r"[0-9A-Za-z_][^:,\n{<>=-]*", NAME, Go::Stay),
        (&[START, "style"], r",", COMMA, Go::Stay),
    ];
    Lexer::new("i", S, &[&rules])
});

pub(super) fn parse(_: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    cursor.need(LINE_BREAK)?;
    loop {
        if cursor.eat_any(&[LINE_BREAK, ACC, DIRECTION]) {
        } else if cursor.eat(REQUIREMENT) {
            head(cursor)?;
            requirement_body(cursor)?;
        } else if cursor.eat(ELEMENT) {
            head(cursor)?;
            element_body(cursor)?;
        } else if cursor.eat(STYLE) {
            names(cursor)?;
            styles(cursor)?;
        } else if cursor.eat(CLASS) {
            names(cursor)?;
            names(cursor)?;
        } else if cursor.eat(NAME) {
            relation(cursor)?;
        } else {
            return cursor.need(END);
        }
    }
}

/// The name of a requirement or element, and the start of its body.
fn head(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(NAME)?;
    if cursor.eat(STYLED) {
        names(cursor)?;
    }
    cursor.need(OPEN)?;
    cursor.need(LINE_BREAK)
}

fn requirement_body(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    loop {
        let value = if cursor.eat(FIELD) {
            NAME
        } else if cursor.eat(RISK) {
            RISK_VALUE
        } else if cursor.eat(METHOD) {
            METHOD_VALUE
        } else if cursor.eat(LINE_BREAK) {
            continue;
        } else {
            return cursor.need(CLOSE);
        };
        field(cursor, value)?;
    }
}

fn element_body(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    loop {
        if cursor.eat(FIELD) {
            field(cursor, NAME)?;
        } else if !cursor.eat(LINE_BREAK) {
            return cursor.need(CLOSE);
        }
    }
}

fn field(cursor: &mut Cursor<'_>, value: Kind) -> Result<(), Unexpected> {
    cursor.need(COLON)?;
    cursor.need(value)?;
    cursor.need(LINE_BREAK)
}

fn relation(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if cursor.eat(STYLED) {
        return names(cursor);
    }
    if cursor.eat(LEFT) {
        cursor.need(RELATION)?;
        cursor.need(LINE)?;
    } else {
        cursor.need(LINE)?;
        cursor.need(RELATION)?;
        cursor.need(RIGHT)?;
    }
    cursor.need(NAME)
}

/// Names, separated by commas.
fn names(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need_any(&[WORD, NAME])?;
    while cursor.eat(COMMA) {
        cursor.need_any(&[WORD, NAME])?;
    }
    Ok(())
}

/// Styles, separated by commas.
fn styles(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    loop {
        cursor.need_any(&[WORD, MARK])?;
        cursor.eat_all(&[WORD, MARK]);
        if !cursor.eat(COMMA) {
            return Ok(());
        }
    }
}
