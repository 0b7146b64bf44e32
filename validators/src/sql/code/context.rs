//! Determines where in a statement a value is inserted.

use super::query::{BREAK, HOLE};

/// The part of a statement that an inserted value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A part of a quoted value.
    Quoted,
    /// A value, such as after a comparison or in a list of values.
    Value,
    /// The name of a table or column.
    Name,
    /// Another part of the statement, such as a condition.
    Other,
}

/// Words after which a value follows.
const BEFORE_VALUES: &[&str] = &[
    "like", "ilike", "rlike", "regexp", "glob", "between", "limit", "offset", "then", "else",
    "match", "interval", "returns", "top",
];
/// Words before a list of values.
const BEFORE_LISTS: &[&str] =
    &["in", "values", "value", "any", "all", "concat", "coalesce", "ifnull"];
/// Words after which a name follows.
const BEFORE_NAMES: &[&str] = &[
    "from",
    "join",
    "into",
    "update",
    "table",
    "by",
    "select",
    "index",
    "as",
    "view",
    "database",
    "schema",
    "role",
    "user",
    "distinct",
    "desc",
    "describe",
    "column",
    "truncate",
    "on",
    "exists",
    "sequence",
    "type",
    "trigger",
    "function",
    "using",
    "collate",
    "only",
    "asc",
    "set",
    "insert",
    "engine",
    "cluster",
    "partition",
    "with",
    "returning",
];

/// The contexts of the holes in a text, in order, determined in one pass.
pub(super) fn contexts(text: &str) -> Vec<Context> {
    let bytes = text.as_bytes();
    let mut contexts = Vec::new();
    let mut lists: Vec<bool> = Vec::new();
    // The last word or character before the current position.
    let mut before: &str = "";
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\'' | b'"' | b'`' => {
                let is_compared = byte == b'"' && is_comparison(before);
                let context =
                    if byte == b'\'' || is_compared { Context::Quoted } else { Context::Name };
                let mut end = at + 1;
                while let Some(&inner) = bytes.get(end)
                    && inner != BREAK as u8
                    && inner != byte
                {
                    if inner == HOLE as u8 {
                        contexts.push(context);
                    }
                    end += if inner == b'\\' { 2 } else { 1 };
                }
                if bytes.get(end) == Some(&(BREAK as u8)) {
                    continue_after_break(&mut lists, &mut before);
                }
                at = end + 1;
                before = "'";
            }
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                let end = memchr::memchr2(b'\n', BREAK as u8, &bytes[at..]);
                let end = end.map_or(bytes.len(), |end| at + end);
                let holes = memchr::memchr_iter(HOLE as u8, &bytes[at..end]).count();
                contexts.extend(std::iter::repeat_n(Context::Other, holes));
                at = end;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = memchr::memmem::find(&bytes[at..], b"*/");
                let end = end.map_or(bytes.len(), |end| at + end + 2);
                let holes = memchr::memchr_iter(HOLE as u8, &bytes[at..end]).count();
                contexts.extend(std::iter::repeat_n(Context::Other, holes));
                at = end;
            }
            b'(' => {
                lists.push(
                    BEFORE_LISTS.iter().any(|word| before.eq_ignore_ascii_case(word))
                        || before == ")"
                        || before == "," && lists.last() == Some(&true)
                        || before == "," && lists.is_empty() && has_values(text, at),
                );
                before = "(";
                at += 1;
            }
            b')' => {
                lists.pop();
                before = ")";
                at += 1;
            }
            _ if byte == HOLE as u8 => {
                let is_glued = at > 0 && is_word(bytes[at - 1]);
                let next = bytes.get(at + 1).copied().unwrap_or(b' ');
                contexts.push(if is_glued || next == b'.' || is_word(next) {
                    Context::Name
                } else {
                    context_of_hole(before, lists.last() == Some(&true))
                });
                before = "\u{1}";
                at += 1;
            }
            _ if byte == BREAK as u8 => {
                continue_after_break(&mut lists, &mut before);
                at += 1;
            }
            _ if is_word(byte) => {
                let end = bytes[at..].iter().position(|byte| !is_word(*byte));
                let end = end.map_or(bytes.len(), |end| at + end);
                before = text.get(at..end).unwrap_or_default();
                at = end;
            }
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => {
                before = text.get(at..=at).unwrap_or_default();
                at += 1;
            }
        }
    }
    contexts
}

/// Whether `VALUES` occurs shortly before an offset.
fn has_values(text: &str, at: usize) -> bool {
    let start = (at.saturating_sub(200)..=at).find(|at| text.is_char_boundary(*at)).unwrap_or(at);
    text[start..at].to_ascii_lowercase().contains("values")
}

fn continue_after_break(lists: &mut Vec<bool>, before: &mut &str) {
    lists.clear();
    *before = "";
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_comparison(before: &str) -> bool {
    matches!(before, "=" | "<" | ">" | "~")
        || BEFORE_VALUES.iter().any(|word| before.eq_ignore_ascii_case(word))
}

fn context_of_hole(before: &str, is_in_list: bool) -> Context {
    if is_comparison(before) || is_in_list && matches!(before, "(" | ",") {
        Context::Value
    } else if matches!(before, "." | "," | "(")
        || BEFORE_NAMES.iter().any(|word| before.eq_ignore_ascii_case(word))
    {
        Context::Name
    } else {
        Context::Other
    }
}
