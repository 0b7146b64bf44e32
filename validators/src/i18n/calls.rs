//! The calls in program code and templates whose first argument is a key.

use super::usage::Convention;
use aidd_engine::text::source::Span;

/// How much of a line before or after a call is read, in bytes.
const MAX_LINE: usize = 400;

/// The calls whose first argument is a key.
fn calls(convention: Convention) -> &'static [&'static str] {
    match convention {
        Convention::JavaScript => {
            &["t(", "$t(", "$tc(", "i18nKey=", "i18nKey={", "t.rich(", "t.raw(", "t.markup("]
        }
        Convention::Rails => &["t(", "t ", "translate(", "I18n.t(", "I18n.t "],
        Convention::Laravel => &["__(", "trans(", "@lang(", "trans_choice("],
    }
}

/// A use of a key.
pub(super) struct Use<'t> {
    pub(super) key: &'t str,
    pub(super) span: Span,
}

/// The uses of keys that are written in the code.
pub(super) fn uses(convention: Convention, text: &str) -> Vec<Use<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for call in calls(convention) {
        for at in memchr::memmem::find_iter(bytes, call.as_bytes()) {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            let is_word = before
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
            let is_own = match convention {
                Convention::JavaScript => !is_word && is_method(&text[..at]),
                _ => !is_word && before != Some(b'.') && before != Some(b'>'),
            };
            if !is_own || is_comment(text, at) {
                continue;
            }
            if let Some(used) = argument(convention, text, at + call.len()) {
                found.push(used);
            }
        }
    }
    found
}

/// Whether a call after `before` is a call of the function itself or of a method of a translator.
fn is_method(before: &str) -> bool {
    let Some(object) = before.strip_suffix('.') else { return true };
    ["i18n", "i18next", "$i18n", "this", "global", "props"]
        .iter()
        .any(|name| object.ends_with(name))
}

/// Whether the position is in a comment that starts on the same line.
pub(super) fn is_comment(text: &str, at: usize) -> bool {
    // Lines of minified code are long.
    let from = text.floor_char_boundary(at.saturating_sub(MAX_LINE));
    let start = text[from..at].rfind('\n').map_or(from, |start| from + start + 1);
    let line = &text[start..at];
    let trimmed = line.trim_start();
    trimmed.starts_with(['*', '#'])
        || trimmed.starts_with("//")
        || trimmed.starts_with("/*")
        || trimmed.starts_with("<!--")
        || line.contains("// ")
}

/// The end of the options that follow a key: that of the call, or of the line if it is not inside braces.
fn call_end(after: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in after.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b')' => return at,
            b'\n' if depth == 0 && !after[..at].trim_end().ends_with(',') => return at,
            _ => {}
        }
    }
    after.len()
}

/// The key in quotes at `at`, unless a default text follows.
fn argument(convention: Convention, text: &str, at: usize) -> Option<Use<'_>> {
    let rest = &text[at..];
    let trimmed = rest.trim_start();
    let at = at + rest.len() - trimmed.len();
    let quote = trimmed.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let length = trimmed[1..]
        .find(['\'', '"', '\n', '\\'])
        .filter(|&length| trimmed[1 + length..].starts_with(quote))?;
    let key = &trimmed[1..1 + length];
    let after = &trimmed[2 + length..];
    let after = after[..after.floor_char_boundary(MAX_LINE)].trim_start();
    let is_key_character =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':' | '?' | '!');
    let is_key = key.chars().all(is_key_character)
        && key.len() > 1
        && !key.ends_with(['.', ':', '_', '-'])
        && !key.contains("..")
        && !key.contains("::");
    // A key of one word can be a text, and a word can be anything.
    if !is_key || !key.contains('.') && convention != Convention::JavaScript {
        return None;
    }
    let options = &after[..call_end(after)];
    let has_default = after.starts_with('+')
        || after.starts_with('.')
        || options.contains("default")
        || options.contains("efault")
        || convention == Convention::JavaScript
            && options
                .trim_start_matches(|c: char| c == ',' || c.is_whitespace())
                .starts_with(['"', '\'', '`']);
    let span = Span::new(at + 1, at + 1 + length);
    (!has_default).then_some(Use { key, span })
}
