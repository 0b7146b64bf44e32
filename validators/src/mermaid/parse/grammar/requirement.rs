//! Requirement diagrams.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
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

const IN_START: &[&str] = &[START];
const IN_STYLE: &[&str] = &["style"];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_STRING: &[&str] = &["string"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"title\s[^#\n;]+", TITLE, Next::Stay),
        (IN_START, r"acc(?:Title|Descr)\s*:\s*", SKIP, Next::Push("line")),
        (IN_LINE, r"[^\n]*", ACC, Next::Pop(1)),
        (IN_START, r"accDescr\s*\{\s*", SKIP, Next::Push("lines")),
        (IN_LINES, r"\}", SKIP, Next::Pop(1)),
        (IN_LINES, r"[^}]+", ACC, Next::Stay),
        (IN_START, r"[^\n]{0,200}direction\s+(?:TB|BT|RL|LR)[^\n]*", DIRECTION, Next::Stay),
        (IN_START, r"\n+", LINE_BREAK, Next::Stay),
        (IN_START, r"\s+|#[^\n]*|%[^\n]*", SKIP, Next::Stay),
        (IN_START, r"requirementDiagram(?-u:\b)", HEADER, Next::Stay),
        (IN_START, r"\{", OPEN, Next::Stay),
        (IN_START, r"\}", CLOSE, Next::Stay),
        (IN_START, r":::", STYLED, Next::Stay),
        (IN_START, r":", COLON, Next::Stay),
        (IN_START, r"(?:id|text|type|docref)(?-u:\b)", FIELD, Next::Stay),
        (IN_START, r"risk(?-u:\b)", RISK, Next::Stay),
        (IN_START, r"verifyMethod(?-u:\b)", METHOD, Next::Stay),
        (
            IN_START,
            r"(?:(?:functional|interface|performance|physical)?Requirement|designConstraint)(?-u:\b)",
            REQUIREMENT,
            Next::Stay,
        ),
        (IN_START, r"(?:low|medium|high)(?-u:\b)", RISK_VALUE, Next::Stay),
        (IN_START, r"(?:analysis|demonstration|inspection|test)(?-u:\b)", METHOD_VALUE, Next::Stay),
        (IN_START, r"element(?-u:\b)", ELEMENT, Next::Stay),
        (
            IN_START,
            r"(?:contains|copies|derives|satisfies|verifies|refines|traces)(?-u:\b)",
            RELATION,
            Next::Stay,
        ),
        (IN_START, r"(?:style|classDef)(?-u:\b)", STYLE, Next::Push("style")),
        (IN_START, r"class(?-u:\b)", CLASS, Next::Push("style")),
        (IN_STYLE, r"[0-9A-Za-z_]+", WORD, Next::Stay),
        (IN_STYLE, r"[:;#-]", MARK, Next::Stay),
        (IN_STYLE, r"%", PERCENT, Next::Stay),
        (IN_STYLE, r" +", SKIP, Next::Stay),
        (&[START, "style"], "\"", SKIP, Next::Push("string")),
        (IN_STYLE, r"\n", SKIP, Next::Pop(1)),
        (IN_START, r"<-", LEFT, Next::Stay),
        (IN_START, r"->", RIGHT, Next::Stay),
        (IN_START, r"-", LINE, Next::Stay),
        (IN_STRING, "\"", SKIP, Next::Pop(1)),
        (IN_STRING, "[^\"]+", NAME, Next::Stay),
        (IN_START, r"[0-9A-Za-z_][^:,\n{<>=-]*", NAME, Next::Stay),
        (&[START, "style"], r",", COMMA, Next::Stay),
    ];
    Lexer::new("i", IN_START, &[&rules])
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

/// Parses the name of a requirement or element, and the start of its body.
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

/// Parses names that are separated by commas.
fn names(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need_any(&[WORD, NAME])?;
    while cursor.eat(COMMA) {
        cursor.need_any(&[WORD, NAME])?;
    }
    Ok(())
}

/// Parses styles that are separated by commas.
fn styles(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    loop {
        cursor.need_any(&[WORD, MARK])?;
        cursor.eat_all(&[WORD, MARK]);
        if !cursor.eat(COMMA) {
            return Ok(());
        }
    }
}
