//! Parses words: resolves quotes and finds expansions.

use super::ShellText;
use aidd_engine::text::source::Span;

/// A word of a command, or an assignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The span of the word, including the quotes.
    pub span: Span,
    /// The value that the shell passes to the program: without quotes, with expansions as written.
    text: Box<str>,
    /// Whether any part is quoted or escaped.
    pub quoted: bool,
    /// The expansions in the word.
    pub expansions: Vec<Expansion>,
}

/// A part of a word that the shell expands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// The span from the `$` or backquote to the end of the expansion.
    pub span: Span,
    /// The kind of the expansion.
    pub kind: ExpansionKind,
    /// Whether the expansion is within double quotes, so that its value is not split into words.
    pub quoted: bool,
    /// Byte offset in the word's resolved text.
    pub at: u32,
}

/// The kinds of expansions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpansionKind {
    /// `$name`, `${name…}`: the name.
    Parameter(Box<str>),
    /// `$( … )` or backquotes.
    Command,
    /// `$(( … ))`
    Arithmetic,
}

impl Word {
    /// Creates a word without quotes and expansions.
    pub(crate) fn literal(span: Span, text: impl Into<Box<str>>) -> Self {
        Self { span, text: text.into(), quoted: false, expansions: Vec::new() }
    }

    /// The value that the shell passes to the program, with expansions as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the word contains no expansion, so that [`Word::text`] is its value.
    pub(crate) fn is_literal(&self) -> bool {
        self.expansions.is_empty()
    }
}

/// The result of parsing a word.
pub(super) struct ParsedWord {
    pub(super) word: Word,
    /// End of the word in the text.
    pub(super) end: usize,
    /// The ranges inside the command substitutions of the word, in the text.
    pub(super) inner: Vec<(usize, usize)>,
    /// Offset of a quote or bracket that is never closed.
    pub(super) open: Option<usize>,
}

/// Parses the word at `start`, up to an unquoted space or operator, or to `limit`.
pub(super) fn read(text: &ShellText<'_>, start: usize, limit: usize) -> ParsedWord {
    let mut reader = Reader {
        bytes: &text.text().as_bytes()[..limit],
        source: text,
        at: start,
        value: Vec::new(),
        word: Word::default(),
        inner: Vec::new(),
        open: None,
    };
    reader.unquoted();
    let Reader { at, value, mut word, inner, open, .. } = reader;
    word.span = text.span(start, at);
    word.text = String::from_utf8_lossy(&value).into();
    ParsedWord { word, end: at, inner, open }
}

/// Whether `byte` ends an unquoted word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

struct Reader<'a> {
    bytes: &'a [u8],
    source: &'a ShellText<'a>,
    at: usize,
    value: Vec<u8>,
    word: Word,
    inner: Vec<(usize, usize)>,
    open: Option<usize>,
}

impl Reader<'_> {
    fn unquoted(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.escape(),
                b'\'' => self.single_quoted(self.at + 1),
                b'"' => self.double_quoted(),
                b'$' => self.dollar(false),
                b'`' => self.backquote(false),
                // An extended glob `!(…)`, `@(…)` or an array `x=(…)` is part of the word.
                b'(' if self.opens_pattern() => self.push_balanced(),
                _ if ends_word(byte) => break,
                _ => self.push_bytes(1),
            }
        }
    }

    fn push_bytes(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        self.value.extend_from_slice(&self.bytes[self.at..end]);
        self.at = end;
    }

    fn escape(&mut self) {
        self.word.quoted = true;
        self.at += 1;
        match self.bytes.get(self.at) {
            Some(b'\n') => self.at += 1,
            Some(_) => self.push_bytes(1),
            None => self.value.push(b'\\'),
        }
    }

    fn opens_pattern(&self) -> bool {
        self.value
            .last()
            .is_some_and(|last| matches!(last, b'=' | b'!' | b'@' | b'?' | b'*' | b'+'))
    }

    fn push_balanced(&mut self) {
        let start = self.at;
        let (end, closed) = close(self.bytes, self.at + 1, b')');
        self.record_unclosed(closed, start);
        self.push_bytes(end - start);
    }

    fn record_unclosed(&mut self, closed: bool, start: usize) {
        if !closed {
            self.open.get_or_insert(start);
        }
    }

    fn single_quoted(&mut self, from: usize) {
        self.word.quoted = true;
        let rest = &self.bytes[from..];
        let length = rest.iter().position(|&byte| byte == b'\'');
        self.record_unclosed(length.is_some(), self.at);
        self.at = from;
        self.push_bytes(length.unwrap_or(rest.len()));
        self.at = (self.at + 1).min(self.bytes.len());
    }

    fn double_quoted(&mut self) {
        let start = self.at;
        self.word.quoted = true;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return self.record_unclosed(false, start),
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => match self.bytes.get(self.at + 1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'"' | b'\\' | b'$' | b'`') => {
                        self.at += 1;
                        self.push_bytes(1);
                    }
                    _ => self.push_bytes(1),
                },
                Some(b'$') => self.dollar(true),
                Some(b'`') => self.backquote(true),
                Some(_) => self.push_bytes(1),
            }
        }
    }

    fn dollar(&mut self, quoted: bool) {
        let start = self.at;
        match self.bytes.get(start + 1) {
            Some(b'\'') if !quoted => self.ansi_quoted(),
            Some(b'"') if !quoted => {
                self.at += 1;
                self.double_quoted();
            }
            Some(b'(') if self.bytes.get(start + 2) == Some(&b'(') && self.is_arithmetic() => {
                let (end, closed) = close(self.bytes, start + 2, b')');
                self.record_unclosed(closed, start);
                self.expansion(end, ExpansionKind::Arithmetic, quoted);
            }
            Some(b'(') => {
                let (end, closed) = close(self.bytes, start + 2, b')');
                self.record_unclosed(closed, start);
                self.inner.push((start + 2, if closed { end - 1 } else { end }));
                self.expansion(end, ExpansionKind::Command, quoted);
            }
            Some(b'{') => {
                let (end, closed) = close(self.bytes, start + 2, b'}');
                self.record_unclosed(closed, start);
                let name = name_in_braces(&self.bytes[start + 2..end]);
                self.expansion(end, ExpansionKind::Parameter(name), quoted);
            }
            Some(&byte) if is_name(byte) || b"@*#?$!-".contains(&byte) => {
                let name = name_at(self.bytes, start + 1);
                let end = start + 1 + name.len();
                self.expansion(end, ExpansionKind::Parameter(name.into()), quoted);
            }
            _ => self.push_bytes(1),
        }
    }

    /// Whether `$((` at the current position opens arithmetic: the parentheses must close as `))`.
    fn is_arithmetic(&self) -> bool {
        let (end, closed) = close(self.bytes, self.at + 3, b')');
        closed && self.bytes.get(end) == Some(&b')')
    }

    /// Parses `$'…'`. Escapes are retained as written, because no rule inspects them.
    fn ansi_quoted(&mut self) {
        let start = self.at;
        self.word.quoted = true;
        self.at += 2;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.push_bytes(2),
                b'\'' => {
                    self.at += 1;
                    return;
                }
                _ => self.push_bytes(1),
            }
        }
        self.record_unclosed(false, start);
    }

    fn backquote(&mut self, quoted: bool) {
        let start = self.at;
        let (end, closed) = close(self.bytes, start + 1, b'`');
        self.record_unclosed(closed, start);
        self.inner.push((start + 1, if closed { end - 1 } else { end }));
        self.expansion(end, ExpansionKind::Command, quoted);
    }

    fn expansion(&mut self, end: usize, kind: ExpansionKind, quoted: bool) {
        let span = self.source.span(self.at, end);
        let at = u32::try_from(self.value.len()).unwrap_or(u32::MAX);
        self.word.expansions.push(Expansion { span, kind, quoted, at });
        self.push_bytes(end - self.at);
    }
}

/// The end of the bracket or backquote opened directly before `at`: the position after the `closer`
/// and `true`, or the end of `bytes` and `false`.
pub(super) fn close(bytes: &[u8], mut at: usize, closer: u8) -> (usize, bool) {
    // Expected closers, innermost last. A double quote closes itself.
    let mut expected_closers = vec![closer];
    while let (Some(&byte), Some(&closer)) = (bytes.get(at), expected_closers.last()) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            _ if byte == closer => {
                expected_closers.pop();
            }
            b'\'' if closer != b'"' && closer != b'`' => {
                at = bytes[at..]
                    .iter()
                    .position(|&it| it == b'\'')
                    .map_or(bytes.len(), |it| at + it + 1);
            }
            b'"' if closer != b'`' => expected_closers.push(b'"'),
            b'`' => expected_closers.push(b'`'),
            b'(' if closer == b')' || (closer != b'`' && bytes[..at - 1].last() == Some(&b'$')) => {
                expected_closers.push(b')');
            }
            b'{' if closer != b'`' && bytes[..at - 1].last() == Some(&b'$') => {
                expected_closers.push(b'}');
            }
            // A comment within a command substitution can contain any quote.
            b'#' if closer == b')'
                && bytes[..at - 1].last().is_some_and(u8::is_ascii_whitespace) =>
            {
                at = bytes[at..]
                    .iter()
                    .position(|&it| it == b'\n')
                    .map_or(bytes.len(), |it| at + it);
            }
            _ => {}
        }
    }
    (at.min(bytes.len()), expected_closers.is_empty())
}

fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// The parameter name at `at`: a name, or one digit or special character.
fn name_at(bytes: &[u8], at: usize) -> &str {
    let rest = &bytes[at..];
    let length = match rest.first() {
        Some(byte) if byte.is_ascii_digit() => 1,
        Some(&byte) if is_name(byte) => {
            rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len())
        }
        Some(_) => 1,
        None => 0,
    };
    std::str::from_utf8(&rest[..length]).unwrap_or_default()
}

/// The name in `${name…}`, from the text after the brace, including the `#` of a length
/// (`${#name}`).
fn name_in_braces(bytes: &[u8]) -> Box<str> {
    let skip = usize::from(matches!(bytes, [b'#' | b'!', next, ..] if is_name(*next)));
    let name = name_at(bytes, skip.min(bytes.len()));
    if skip == 1 { format!("{}{name}", char::from(bytes[0])).into() } else { name.into() }
}

/// Whether a word as written is an assignment: `NAME=…`, `NAME+=…`, `NAME[…]=…`.
pub(super) fn is_assignment(written: &str) -> bool {
    let bytes = written.as_bytes();
    let length = bytes.iter().position(|&byte| !is_name(byte)).unwrap_or(bytes.len());
    if length == 0 || bytes[0].is_ascii_digit() {
        return false;
    }
    match &bytes[length..] {
        [b'=', ..] | [b'+', b'=', ..] => true,
        [b'[', rest @ ..] => {
            let close = rest.iter().position(|&byte| byte == b']');
            close.is_some_and(|at| matches!(&rest[at + 1..], [b'=', ..] | [b'+', b'=', ..]))
        }
        _ => false,
    }
}
