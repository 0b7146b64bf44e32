//! C4 diagrams: macros with attributes, nested in boundaries.

use super::lexer::{Cursor, END, Kind, Lexer, Next, SKIP, START, Unexpected};
use std::sync::LazyLock;

const HEADER: Kind = "the diagram type";
const LINE_BREAK: Kind = "a new line";
const TITLE: Kind = "a title";
const DIRECTION: Kind = "a direction";
const ACC: Kind = "an accessible title";
const ACC_TEXT: Kind = "the text of the title";
const ELEMENT: Kind = "an element";
const BOUNDARY: Kind = "a boundary";
const OPEN: Kind = "`{`";
const CLOSE: Kind = "`}`";
const EMPTY: Kind = "an empty attribute";
const STRING: Kind = "an attribute";
const KEY: Kind = "`$key`";
const VALUE: Kind = "`=\"value\"`";

const IN_START: &[&str] = &[START];
const IN_LINE: &[&str] = &["line"];
const IN_LINES: &[&str] = &["lines"];
const IN_MACRO: &[&str] = &["macro"];
const IN_ATTRIBUTES: &[&str] = &["attributes"];
const IN_STRING: &[&str] = &["string"];
const IN_KEY: &[&str] = &["key"];
const BEFORE_VALUE: &[&str] = &["before value"];
const IN_VALUE: &[&str] = &["value"];

pub(super) static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let rules = [
        (IN_START, r"[^\n]{0,200}direction\s+(?:TB|BT|RL|LR)[^\n]*", DIRECTION, Next::Stay),
        (IN_START, r"(?:title|accDescription)\s[^#\n;]+", TITLE, Next::Stay),
        (IN_START, r"acc(?:Title|Descr)\s*:\s*", ACC, Next::Push("line")),
        (IN_LINE, r"[^\n]*", ACC_TEXT, Next::Pop(1)),
        (IN_START, r"accDescr\s*\{\s*", SKIP, Next::Push("lines")),
        (IN_LINES, r"\}", SKIP, Next::Pop(1)),
        (IN_LINES, r"[^}]+", TITLE, Next::Stay),
        (IN_START, r"%%[^\n]*\n*", SKIP, Next::Stay),
        (IN_START, r"\s*\n+", LINE_BREAK, Next::Stay),
        (IN_START, r"\s+", SKIP, Next::Stay),
        (
            IN_START,
            r"C4(?:Context|Container|Component|Dynamic|Deployment)(?-u:\b)",
            HEADER,
            Next::Stay,
        ),
        (
            IN_START,
            r"(?:(?:Enterprise_|System_|Container_)?Boundary|(?:Deployment_)?Node|Node_[LR])(?-u:\b)",
            BOUNDARY,
            Next::Push("macro"),
        ),
        (
            IN_START,
            r"(?:Person(?:_Ext)?|(?:System|Container|Component)(?:Queue|Db)?(?:_Ext)?|Rel(?:Index|_(?:Up?|Down|D|Left|L|Right|R|Back))?|BiRel|Update(?:ElementStyle|RelStyle|LayoutConfig))(?-u:\b)",
            ELEMENT,
            Next::Push("macro"),
        ),
        (IN_MACRO, r"\( *,", EMPTY, Next::Push("attributes")),
        (IN_MACRO, r"\(", SKIP, Next::Push("attributes")),
        (IN_MACRO, r"\)", SKIP, Next::Pop(2)),
        (IN_ATTRIBUTES, r"\)", SKIP, Next::Pop(2)),
        (IN_ATTRIBUTES, r",,", EMPTY, Next::Stay),
        (IN_ATTRIBUTES, r",", SKIP, Next::Stay),
        (IN_ATTRIBUTES, " *\"\"", EMPTY, Next::Stay),
        (IN_ATTRIBUTES, " *\"", SKIP, Next::Push("string")),
        (IN_STRING, "\"", SKIP, Next::Pop(1)),
        (IN_STRING, "[^\"]+", STRING, Next::Stay),
        (IN_ATTRIBUTES, r" *\$", SKIP, Next::Push("key")),
        (IN_KEY, "[^=]*", KEY, Next::Push("before value")),
        (BEFORE_VALUE, "= *\"", SKIP, Next::Replace("value")),
        (IN_VALUE, "[^\"]+", VALUE, Next::Stay),
        (IN_VALUE, "\"", SKIP, Next::Pop(2)),
        (IN_ATTRIBUTES, r"[^,]+", STRING, Next::Stay),
        (IN_START, r"\{", OPEN, Next::Stay),
        (IN_START, r"\}", CLOSE, Next::Stay),
    ];
    Lexer::new("", IN_START, &[&rules])
});

pub(super) fn parse(text: &str, cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    statements(cursor).map_err(|fault| {
        // An attribute without quotes extends to the next comma, past the end of its macro.
        let spans_lines =
            |kind: Kind, text: &str| kind == STRING && text.trim_start().contains('\n');
        let token = cursor.find(|token| spans_lines(token.kind, &text[token.start..token.end]));
        let message = "the attribute is not closed; put it in quotes";
        token.map_or(fault, |token| Cursor::rejected(token, message))
    })
}

fn statements(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    cursor.need(HEADER)?;
    cursor.need(LINE_BREAK)?;
    // The number of open boundaries.
    let mut open = 0_usize;
    // Whether a statement must follow, and whether it can be a title.
    let (mut required, mut can_be_title) = (true, true);
    loop {
        if can_be_title && title(cursor)? {
            can_be_title = cursor.eat(LINE_BREAK);
            required = false;
        } else if cursor.eat(BOUNDARY) {
            attributes(cursor)?;
            if !cursor.eat(OPEN) {
                cursor.need(LINE_BREAK)?;
                cursor.need(OPEN)?;
                cursor.eat(LINE_BREAK);
            } else {
                cursor.need(LINE_BREAK)?;
            }
            open += 1;
            (required, can_be_title) = (true, false);
        } else if cursor.eat(ELEMENT) {
            attributes(cursor)?;
            (required, can_be_title) = (false, true);
            close(cursor, &mut open)?;
            if !cursor.eat(LINE_BREAK) {
                return end(cursor, open);
            }
        } else if required {
            return Err(cursor.unexpected());
        } else if cursor.peek().kind == CLOSE {
            close(cursor, &mut open)?;
            can_be_title = true;
            if !cursor.eat(LINE_BREAK) {
                return end(cursor, open);
            }
        } else {
            return end(cursor, open);
        }
    }
}

/// Moves past the braces that close boundaries.
fn close(cursor: &mut Cursor<'_>, open: &mut usize) -> Result<(), Unexpected> {
    let token = cursor.peek();
    while cursor.eat(CLOSE) {
        let Some(remaining) = open.checked_sub(1) else {
            return Err(Cursor::rejected(token, "unmatched `}`"));
        };
        *open = remaining;
    }
    Ok(())
}

fn end(cursor: &mut Cursor<'_>, open: usize) -> Result<(), Unexpected> {
    if open > 0 {
        return cursor.need(CLOSE);
    }
    cursor.need(END)
}

fn title(cursor: &mut Cursor<'_>) -> Result<bool, Unexpected> {
    if cursor.eat(ACC) {
        cursor.need(ACC_TEXT)?;
        return Ok(true);
    }
    Ok(cursor.eat(TITLE))
}

fn attributes(cursor: &mut Cursor<'_>) -> Result<(), Unexpected> {
    let mut has_attribute = false;
    loop {
        if cursor.eat(KEY) {
            cursor.need(VALUE)?;
        } else if !cursor.eat_any(&[STRING, EMPTY]) {
            return if has_attribute { Ok(()) } else { Err(cursor.unexpected()) };
        }
        has_attribute = true;
    }
}
