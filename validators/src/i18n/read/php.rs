//! Reads PHP files that return an array of texts.

use crate::i18n::model::{Catalogue, Entry, SYNTAX};
use aidd_engine::text::source::Span;
use std::collections::HashMap;

/// Maximum depth of arrays.
const MAX_DEPTH: usize = 64;

enum Token {
    Text(String, Span),
    Arrow(Span),
    Open,
    /// A parenthesis that does not start an array.
    Group,
    Close,
    Comma,
    /// `...`: the items of another array follow.
    Spread,
    /// A name or a keyword.
    Word(Span),
    /// Anything else: an expression.
    Other,
}

/// An array that is being read.
#[derive(Default)]
struct Level {
    prefix: String,
    key: Option<(String, Span)>,
    seen: HashMap<String, Span>,
    index: usize,
    /// Whether a value followed the last comma, and whether it is an expression.
    value: Option<(String, Span)>,
    is_expression: bool,
    /// Whether the level is in an expression, whose strings are not texts.
    is_opaque: bool,
}

/// Reads a file; `None` if it does not return an array.
pub(super) fn read(text: &str) -> Option<Catalogue> {
    let mut duplicates = Vec::new();
    let mut catalogue = read_array(text, &mut duplicates)?;
    if duplicates.is_empty() {
        return Some(catalogue);
    }
    // In the order of the file.
    let entries: Vec<&Entry> = catalogue.entries.iter().filter(|it| !it.inactive).collect();
    let next: HashMap<Span, Span> =
        duplicates.iter().map(|duplicate| (duplicate.earlier, duplicate.span)).collect();
    // The texts of a definition: one, or those of an array.
    let texts = |key: Span, path: &str| -> Vec<(&str, &str)> {
        let end = next.get(&key).map_or(u32::MAX, |next| next.start);
        let first = entries.partition_point(|entry| entry.key_span.start < key.start);
        entries[first..]
            .iter()
            .take_while(|entry| entry.key_span.start < end)
            .map_while(|entry| {
                let rest = entry.key.strip_prefix(path)?;
                let is_own = rest.is_empty() && entry.key_span == key || rest.starts_with('.');
                is_own.then_some((rest, &*entry.forms.first()?.value))
            })
            .collect()
    };
    let is_same = |it: &Duplicate| {
        let own = texts(it.span, &it.path);
        !own.is_empty() && own == texts(it.earlier, &it.path)
    };
    let same: Vec<bool> = duplicates.iter().map(is_same).collect();
    for (Duplicate { key, span, earlier, .. }, is_same) in duplicates.into_iter().zip(same) {
        catalogue.report_duplicate(&key, (span, earlier), is_same, "the last one is used");
    }
    Some(catalogue)
}

/// A key that occurs twice.
struct Duplicate {
    key: String,
    /// The key after those of the arrays around it.
    path: String,
    /// The span of the second definition.
    span: Span,
    /// The span of the definition before.
    earlier: Span,
}

/// The tokens after the start of the array that the file returns, directly or as a variable.
fn returned_array(text: &str) -> Option<Tokens<'_>> {
    const RETURN: &str = "return";
    let array_at = |at: usize| {
        let mut tokens = Tokens { text, at };
        matches!(tokens.next(), Some(Token::Open)).then_some(tokens)
    };
    let variable_at = |at: usize| {
        let rest = text[at..].trim_start();
        let name = rest.split_once(';')?.0.trim_end();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.strip_prefix('$')?.chars().all(is_word) {
            return None;
        }
        let start = text.find(name)? + name.len();
        let value = text[start..].trim_start().strip_prefix('=')?;
        array_at(text.len() - value.len())
    };
    // Others can be words in comments and texts.
    let first = text.find(RETURN)? + RETURN.len();
    let last = text.rfind(RETURN)? + RETURN.len();
    array_at(first).or_else(|| array_at(last)).or_else(|| variable_at(last))
}

fn read_array(text: &str, duplicates: &mut Vec<Duplicate>) -> Option<Catalogue> {
    let mut catalogue = Catalogue { complete: true, ..Catalogue::default() };
    let mut levels: Vec<Level> = Vec::new();
    let mut tokens = returned_array(text)?;
    levels.push(Level::default());
    while let Some(token) = tokens.next() {
        let depth = levels.len();
        let Some(level) = levels.last_mut() else { break };
        match token {
            Token::Open => {
                let (name, _) = level.take_key();
                let prefix = level.join(&name);
                // The value of this level is an array.
                level.is_expression = true;
                if depth > MAX_DEPTH {
                    catalogue.complete = false;
                    return Some(catalogue);
                }
                let is_opaque = level.is_opaque;
                levels.push(Level { prefix, is_opaque, ..Level::default() });
            }
            Token::Group => {
                level.is_expression = true;
                level.value = None;
                if depth > MAX_DEPTH {
                    catalogue.complete = false;
                    return Some(catalogue);
                }
                levels.push(Level { is_opaque: true, ..Level::default() });
            }
            Token::Close => {
                level.finish(&mut catalogue);
                levels.pop();
                if levels.is_empty() {
                    return Some(catalogue);
                }
            }
            Token::Comma => level.finish(&mut catalogue),
            Token::Arrow(span) => match level.value.take().filter(|_| !level.is_expression) {
                Some(key) => {
                    let earlier = level.seen.insert(key.0.clone(), key.1);
                    if let Some(earlier) = earlier.filter(|_| !level.is_opaque) {
                        let path = level.join(&key.0);
                        duplicates.push(Duplicate {
                            key: key.0.clone(),
                            path,
                            span: key.1,
                            earlier,
                        });
                    }
                    level.key = Some(key);
                }
                None => {
                    level.is_expression = false;
                    level.key = Some((String::new(), span));
                    catalogue.complete = false;
                }
            },
            Token::Text(value, span) => {
                // Two strings without a comma between them.
                if let Some((_, earlier)) = level.value.take().filter(|_| !level.is_expression) {
                    let at = earlier.end as usize + 1;
                    catalogue.problem(SYNTAX, Span::new(at, span.start as usize), "expected `,`");
                    catalogue.complete = false;
                    return Some(catalogue);
                }
                level.value = Some((value, span));
            }
            Token::Word(span)
                if level.value.is_some() && !level.is_expression && !is_operator(text, span) =>
            {
                catalogue.problem(SYNTAX, span, "name after a string; expected `,`");
                catalogue.complete = false;
                return Some(catalogue);
            }
            Token::Spread => {
                catalogue.complete = false;
                level.is_expression = true;
            }
            Token::Word(_) | Token::Other => {
                level.is_expression = true;
                level.value = None;
            }
        }
    }
    catalogue.problem(SYNTAX, Span::at(text.len()), "array without closing bracket");
    catalogue.complete = false;
    Some(catalogue)
}

impl Level {
    fn take_key(&mut self) -> (String, Span) {
        self.key.take().unwrap_or_else(|| {
            self.index += 1;
            ((self.index - 1).to_string(), Span::default())
        })
    }

    fn join(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }

    fn finish(&mut self, catalogue: &mut Catalogue) {
        let is_expression = std::mem::take(&mut self.is_expression);
        if self.is_opaque {
            (self.value, self.key) = (None, None);
            return;
        }
        if let Some((value, span)) = self.value.take().filter(|_| !is_expression) {
            let (name, key_span) = self.take_key();
            let key_span = if key_span == Span::default() { span } else { key_span };
            let key = self.join(&name);
            catalogue.entries.push(Entry::single(key, key_span, value, span));
        } else if let Some((name, key_span)) = self.key.take().filter(|_| is_expression) {
            // The key exists, but its text is not known.
            let mut entry = Entry::new(self.join(&name), key_span, Vec::new());
            entry.inactive = true;
            catalogue.entries.push(entry);
        }
    }
}

/// Whether a word is an operator, which can follow a string.
fn is_operator(text: &str, word: Span) -> bool {
    let word = text.get(word.range()).unwrap_or_default();
    ["and", "or", "xor", "instanceof", "as"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The length of the heredoc or nowdoc at the start of `text`, up to the word that ends it.
fn heredoc(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let label = text[3..].trim_start_matches([' ', '\t', '"', '\'']);
    let label = &label[..label.find(|c| !is_word(c)).unwrap_or(label.len())];
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start_matches([' ', '\t']);
        let after = start.strip_prefix(label).filter(|_| length > 0 && !label.is_empty());
        if after.is_some_and(|after| !after.starts_with(is_word)) {
            return length + line.len() - start.len() + label.len();
        }
        length += line.len();
    }
    // Without an end, `<<<` is text.
    3
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl Tokens<'_> {
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else if trimmed.starts_with("//")
                || trimmed.starts_with('#') && !trimmed.starts_with("#[")
            {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else {
                return;
            };
            self.at += length;
        }
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_space();
        let start = self.at;
        let rest = self.text.get(start..)?;
        let first = rest.chars().next()?;
        if rest.starts_with("<<<") {
            self.at += heredoc(rest);
            return Some(Token::Other);
        }
        let token = match first {
            '\'' | '"' => return Some(self.string(first)),
            '[' => Token::Open,
            ']' | ')' => Token::Close,
            ',' => Token::Comma,
            '=' if rest.starts_with("=>") => {
                self.at += 2;
                return Some(Token::Arrow(Span::new(start, start + 2)));
            }
            '.' if rest.starts_with("...") => {
                self.at += 3;
                return Some(Token::Spread);
            }
            '(' => Token::Group,
            ';' => Token::Other,
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                self.at += length;
                if rest[..length].eq_ignore_ascii_case("array") {
                    self.skip_space();
                    if self.text[self.at..].starts_with('(') {
                        self.at += 1;
                        return Some(Token::Open);
                    }
                }
                return Some(Token::Word(Span::new(start, start + length)));
            }
            _ => Token::Other,
        };
        self.at += first.len_utf8();
        Some(token)
    }

    fn string(&mut self, quote: char) -> Token {
        let start = self.at;
        let text = &self.text[start..];
        let bytes = text.as_bytes();
        let mut value = String::new();
        let (mut index, mut copied) = (1, 1);
        while let Some(next) = memchr::memchr2(quote as u8, b'\\', &bytes[index..]) {
            let end = index + next;
            value.push_str(&text[copied..end]);
            if bytes[end] != b'\\' {
                self.at = start + end + 1;
                let span = Span::new(start + 1, start + end);
                let is_dynamic = quote == '"' && value.contains('$');
                return if is_dynamic { Token::Other } else { Token::Text(value, span) };
            }
            let Some(escaped) = text[end + 1..].chars().next() else { break };
            match (quote, escaped) {
                (_, '\\' | '\'' | '"') => value.push(escaped),
                ('"', 'n') => value.push('\n'),
                ('"', 't') => value.push('\t'),
                _ => {
                    value.push('\\');
                    value.push(escaped);
                }
            }
            index = end + 1 + escaped.len_utf8();
            copied = index;
        }
        self.at = self.text.len();
        Token::Other
    }
}
