//! Quadrant charts.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "`title`";
const TITLE_TEXT: Kind = "a title";
const AXIS: Kind = "an axis";
const QUADRANT: Kind = "a quadrant";
const ARROW: Kind = "`-->`";
const CLASS_DEF: Kind = "`classDef`";
const CLASS: Kind = "a class";
const STRING: Kind = "a quoted string";
const WORD: Kind = "unquoted text";
const BLANK: Kind = "a space";
const MINUS: Kind = "`-`";
const COLON: Kind = "`:`";
const COMMA: Kind = "`,`";
const NUMBER: Kind = "a number";
const NAME: Kind = "a name";
const HASH: Kind = "`#`";
const SIGN: Kind = "`*` or `&`";
const POINT: Kind = "`: [x, y]`";
const X: Kind = "a number from 0 to 1";
const Y: Kind = "a second number from 0 to 1";

const IN_START: &[&str] = &[START];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_STRING: &[&str] = &["string"];
const IN_MARKDOWN: &[&str] = &["markdown"];
const IN_CLASS: &[&str] = &["class"];
const IN_POINT: &[&str] = &["point"];
const IN_X: &[&str] = &["x"];
const IN_Y: &[&str] = &["y"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"%%[^{\n][^\n]*|%%\n?|[^}]%%[^\n]*", SKIP, Next::Stay),
        (IN_START, r"\n+", LINE_BREAK, Next::Stay),
        (IN_START, r"title(?-u:\b)", TITLE, Next::Push("line")),
        (IN_LINE, r"[^\n]*", TITLE_TEXT, Next::Pop(1)),
        (IN_START, r"acc(?:Title|Descr)\s*:\s*", TITLE, Next::Push("line")),
        (IN_START, r"accDescr\s*\{\s*", TITLE, Next::Push("lines")),
        (IN_LINES, r"\}", SKIP, Next::Pop(1)),
        (IN_LINES, r"[^}]+", TITLE_TEXT, Next::Stay),
        (IN_START, r" *[xy]-axis *", AXIS, Next::Stay),
        (IN_START, r" *--+> *", ARROW, Next::Stay),
        (IN_START, r" *quadrant-[1-4] *", QUADRANT, Next::Stay),
        (IN_START, r"classDef(?-u:\b)", CLASS_DEF, Next::Stay),
        (IN_START, "\"`", SKIP, Next::Push("markdown")),
        (IN_MARKDOWN, "[^`\"]+", STRING, Next::Stay),
        (IN_MARKDOWN, "`\"", SKIP, Next::Pop(1)),
        (IN_START, "\"", SKIP, Next::Push("string")),
        (IN_STRING, "\"", SKIP, Next::Pop(1)),
        (IN_STRING, "[^\"]+", STRING, Next::Stay),
        (IN_START, r":::", SKIP, Next::Push("class")),
        (IN_CLASS, r"[0-9A-Za-z_]+", CLASS, Next::Pop(1)),
        (IN_START, r"\s*:\s*\[\s*", POINT, Next::Push("point")),
        (IN_POINT, r"1|0(?:.[0-9]+)?", X, Next::Push("x")),
        (IN_POINT, r"\s*\] *", SKIP, Next::Pop(1)),
        (IN_X, r"\s*,\s*", SKIP, Next::Replace("y")),
        (IN_Y, r"1|0(?:.[0-9]+)?", Y, Next::Pop(1)),
        (IN_START, r" *quadrantChart *", HEADER, Next::Stay),
        (IN_START, r"[A-Za-z]+", NAME, Next::Stay),
        (IN_START, r"[^\x00-\x7F]+", WORD, Next::Stay),
        (IN_START, r":", COLON, Next::Stay),
        (IN_START, r",", COMMA, Next::Stay),
        (IN_START, r"#", HASH, Next::Stay),
        (IN_START, r"[*&]", SIGN, Next::Stay),
        (IN_START, r"[+=_.]", WORD, Next::Stay),
        (IN_START, r"-", MINUS, Next::Stay),
        (IN_START, r"[0-9]+", NUMBER, Next::Stay),
        (IN_START, r"\s", BLANK, Next::Stay),
        (IN_START, r";", LINE_BREAK, Next::Stay),
        (IN_START, r#"[!"$%'`?\\/]"#, WORD, Next::Stay),
    ];
    Lexer::new("i", IN_START, &[&rules])
});

/// Tokens that can start a text.
const TEXT: &[Kind] = &[WORD, NAME, NUMBER, COMMA, HASH, SIGN];

pub(super) fn parse(text: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.eat_all(&[LINE_BREAK, BLANK]);
    cursor.need(HEADER)?;
    loop {
        cursor.eat_all(&[BLANK]);
        statement(text, cursor)?;
        if cursor.peek().kind == END {
            return Ok(());
        }
        cursor.need(LINE_BREAK)?;
    }
}

fn statement(source: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    if cursor.eat(TITLE) {
        cursor.need(TITLE_TEXT)?;
    } else if cursor.eat(CLASS_DEF) {
        cursor.need(BLANK)?;
        let name = [NAME, NUMBER, MINUS, COMMA, COLON, HASH, SIGN, WORD];
        cursor.need_any(&name)?;
        cursor.eat_all(&name);
        cursor.need(BLANK)?;
        styles(source, cursor, true)?;
    } else if cursor.eat(AXIS) {
        text(cursor, true)?;
        if cursor.eat(ARROW) {
            text(cursor, false)?;
        }
    } else if cursor.eat(QUADRANT) {
        text(cursor, true)?;
    } else if text(cursor, false)? {
        cursor.eat(CLASS);
        cursor.need(POINT)?;
        cursor.need(X)?;
        cursor.need(Y)?;
        styles(source, cursor, false)?;
    }
    Ok(())
}

/// Parses a quoted string or unquoted text; returns whether the next tokens were parsed.
fn text(cursor: &mut Cursor<'_>, required: bool) -> Result<bool, Unexpected> {
    if !cursor.eat(STRING) && !cursor.eat_any(TEXT) {
        return if required { Err(cursor.unexpected()) } else { Ok(false) };
    }
    while cursor.eat_any(TEXT) || cursor.eat_any(&[BLANK, MINUS]) {}
    Ok(true)
}

/// Parses styles that are separated by commas.
fn styles(text: &str, cursor: &mut Cursor<'_>, required: bool) -> Result<(), Unexpected> {
    let kinds = [NAME, NUMBER, COLON, BLANK, HASH, MINUS];
    let mut token = cursor.peek();
    let mut count = cursor.eat_all(&kinds);
    if count == 0 && !required {
        return Ok(());
    }
    loop {
        if count == 0 {
            return Err(cursor.unexpected());
        }
        token.end = cursor.peek().start;
        if let Some(message) = style_fault(text[token.start..token.end].trim()) {
            return Err(Cursor::rejected(token, &message));
        }
        if !cursor.eat(COMMA) {
            return Ok(());
        }
        token = cursor.peek();
        count = cursor.eat_all(&kinds);
    }
}

/// The reason why a style is invalid; `None` if it is valid.
fn style_fault(style: &str) -> Option<String> {
    let (name, value) = style.split_once(':').unwrap_or((style, ""));
    let value = value.split(':').next().unwrap_or_default().trim();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (is_valid, expected) = match name.trim() {
        "radius" => (is_number(value), "a number"),
        "color" | "stroke-color" => {
            let hex = value.strip_prefix('#').unwrap_or(value);
            let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            (is_hex && matches!(hex.len(), 3 | 6), "a hexadecimal color, such as `#ff3300`")
        }
        "stroke-width" => {
            (value.strip_suffix("px").is_some_and(is_number), "pixels, such as `5px`")
        }
        other => {
            return Some(format!(
                "unknown style `{other}`; use `radius`, `color`, `stroke-color` or `stroke-width`"
            ));
        }
    };
    (!is_valid).then(|| format!("`{}` requires {expected}", name.trim()))
}
