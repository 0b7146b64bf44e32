//! Splits SQL text into tokens, with rules that depend on the dialect as little as possible. The
//! tokens are used to detect the dialect, to split a file into statements, and to limit the nesting
//! of the text that is passed to the parsers.

use super::dialect::Dialect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword, a name or a number.
    Word,
    /// A quoted name: `"…"`, `` `…` ``, `[…]`.
    Quoted,
    /// `'…'`.
    String,
    /// A string between dollar signs.
    Dollar,
    /// `-- …`, `/* … */`, `# …`.
    Comment,
    /// Any other character.
    Punct,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether the end of a string, name or comment is missing.
    pub(super) is_unterminated: bool,
}

impl Token {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    pub(super) fn is_word(&self, text: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(word)
    }

    /// The character of a [`TokenKind::Punct`], otherwise 0.
    pub(super) fn punct(&self, text: &str) -> u8 {
        let first = || text.as_bytes().get(self.start as usize).copied().unwrap_or_default();
        if self.kind == TokenKind::Punct { first() } else { 0 }
    }
}

/// The tokens of `text`. If `dialect` is `None`, the rules that most dialects have in common apply.
pub(super) fn tokens(text: &str, dialect: Option<Dialect>) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 6);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let (kind, end) = match byte {
            b'-' if bytes.get(at + 1) == Some(&b'-') => (TokenKind::Comment, line_end(bytes, at)),
            b'#' if matches!(dialect, Some(Dialect::MySql | Dialect::BigQuery)) => {
                (TokenKind::Comment, line_end(bytes, at))
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                (TokenKind::Comment, block_comment(bytes, at, dialect))
            }
            b'\'' => {
                let is_escape_string = start > 0
                    && matches!(bytes[start - 1], b'e' | b'E')
                    && tokens.last().is_some_and(|last: &Token| {
                        last.end as usize == start && last.end - last.start == 1
                    });
                let escapes = is_escape_string
                    || matches!(
                        dialect,
                        Some(
                            Dialect::MySql
                                | Dialect::ClickHouse
                                | Dialect::BigQuery
                                | Dialect::Snowflake
                        )
                    );
                (TokenKind::String, quoted(bytes, at, b'\'', escapes))
            }
            b'"' => (TokenKind::Quoted, quoted(bytes, at, b'"', dialect == Some(Dialect::MySql))),
            b'`' => (TokenKind::Quoted, quoted(bytes, at, b'`', false)),
            b'[' if matches!(dialect, Some(Dialect::SqlServer))
                || dialect.is_none() && is_bracket_name(bytes, at) =>
            {
                (TokenKind::Quoted, quoted(bytes, at, b']', false))
            }
            b'$' if !matches!(
                dialect,
                Some(Dialect::MySql | Dialect::Sqlite | Dialect::SqlServer | Dialect::ClickHouse)
            ) =>
            {
                match dollar_quoted(text, at) {
                    Some(end) => (TokenKind::Dollar, end),
                    None => (TokenKind::Punct, Some(at + 1)),
                }
            }
            _ if is_word_byte(byte) => {
                let rest = bytes[at..].iter().position(|&byte| !is_word_byte(byte) && byte != b'$');
                (TokenKind::Word, Some(rest.map_or(bytes.len(), |rest| at + rest)))
            }
            _ => (TokenKind::Punct, Some(at + 1)),
        };
        at = end.unwrap_or(bytes.len());
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        tokens.push(Token {
            kind,
            start: offset(start),
            end: offset(at),
            is_unterminated: end.is_none(),
        });
    }
    tokens
}

/// Whether a byte can be part of a word. Non-ASCII bytes count, because names can contain them.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    Some(memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end))
}

fn block_comment(bytes: &[u8], at: usize, dialect: Option<Dialect>) -> Option<usize> {
    let nests =
        matches!(dialect, Some(Dialect::Postgres | Dialect::SqlServer | Dialect::ClickHouse));
    let (mut at, mut depth) = (at + 2, 1);
    loop {
        let next = at + memchr::memchr2(b'*', b'/', bytes.get(at..)?)?;
        match (bytes[next], bytes.get(next + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at = next + 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            (b'/', Some(b'*')) if nests => {
                depth += 1;
                at = next + 2;
            }
            _ => at = next + 1,
        }
    }
}

/// The end of the quoted text that begins at `at`; `None` if it is unterminated. A doubled quote is
/// part of the text.
fn quoted(bytes: &[u8], at: usize, quote: u8, escapes: bool) -> Option<usize> {
    let mut at = at + 1;
    loop {
        let next = at + memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[next] == b'\\' && quote != b'\\' {
            at = next + if escapes { 2 } else { 1 };
        } else if bytes.get(next + 1) == Some(&quote) {
            at = next + 2;
        } else {
            return Some(next + 1);
        }
    }
}

/// Whether `[` begins a name such as `[dbo]`, not an array.
fn is_bracket_name(bytes: &[u8], at: usize) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ');
    let rest = &bytes[at + 1..bytes.len().min(at + 130)];
    let end = rest.iter().position(|byte| !is_name(byte));
    rest.first().is_some_and(u8::is_ascii_alphabetic)
        && end.is_some_and(|end| rest[end] == b']')
        && (at == 0 || matches!(bytes[at - 1], b' ' | b'\n' | b'\r' | b'\t' | b'(' | b'.' | b','))
}

/// The end of the string `$$…$$` or `$tag$…$tag$` that begins at `at`; `None` if there is no such
/// string, `Some(None)` if it is unterminated.
#[expect(
    clippy::option_option,
    reason = "outer: whether it is a string; inner: whether it is terminated"
)]
fn dollar_quoted(text: &str, at: usize) -> Option<Option<usize>> {
    let bytes = text.as_bytes();
    let is_tag = |byte: &u8| is_word_byte(*byte);
    let end = bytes[at + 1..].iter().position(|byte| !is_tag(byte))? + at + 1;
    let is_number = bytes[at + 1].is_ascii_digit();
    if bytes[end] != b'$' || is_number {
        return None;
    }
    let tag = &bytes[at..=end];
    let found = memchr::memmem::find(&bytes[end + 1..], tag);
    Some(found.map(|found| end + 1 + found + tag.len()))
}
