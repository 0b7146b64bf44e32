//! Splits a file into statements.

use super::dialect::Dialect;
use super::lex::{Token, TokenKind};
use aidd_engine::text::source::Span;

/// A statement, without its delimiter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) span: Span,
    /// The tokens of the statement, without comments at its start, as a range of the file's tokens.
    pub(super) tokens: (usize, usize),
    /// Whether the statement contains other statements: a trigger or a procedure.
    pub(super) is_routine: bool,
    /// Whether a parser can read the statement without deep recursion.
    pub(super) is_shallow: bool,
}

/// Maximum depth of parentheses in a statement that is parsed.
const MAX_DEPTH: usize = 48;
/// Maximum number of tokens between two commas: the parsers build a deep tree for a long chain of
/// operators.
const MAX_CHAIN: u32 = 1_500;
/// Maximum number of set operations and joins in a statement, for the same reason.
const MAX_OPERATIONS: u32 = 300;

/// The statements of `text`.
pub(super) fn split(text: &str, tokens: &[Token], dialect: Option<Dialect>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut delimiter: Option<&str> = None;
    let mut open = OpenStatement::default();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        if token.kind == TokenKind::Comment {
            index += 1;
            continue;
        }
        let token_text = token.text(text);
        if open.first.is_none() {
            if dialect != Some(Dialect::Postgres)
                && token.is_word(text, "delimiter")
                && begins_line(text, token)
            {
                let line = text[token.end as usize..].lines().next().unwrap_or_default();
                delimiter = Some(line.trim()).filter(|mark| !mark.is_empty() && *mark != ";");
                let end = token.end as usize + line.len();
                index += tokens[index..].partition_point(|token| (token.start as usize) < end);
                continue;
            }
            // A command of a client: `.mode csv`, `\c shop`.
            if matches!(token_text, "." | "\\") && begins_line(text, token) {
                let end = text[token.start as usize..].find('\n');
                let end = end.map_or(text.len(), |end| token.start as usize + end);
                index += tokens[index..].partition_point(|token| (token.start as usize) < end);
                continue;
            }
        }
        let is_end = match delimiter {
            Some(mark) => text[token.start as usize..].starts_with(mark),
            None => token_text == ";" && open.blocks == 0,
        };
        let is_batch_end = matches!(dialect, None | Some(Dialect::SqlServer))
            && token.is_word(text, "go")
            && begins_line(text, token)
            && text[token.end as usize..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        if is_end || is_batch_end {
            let end = token.start as usize;
            pieces.extend(open.close(tokens, index, end));
            let width = if is_end { delimiter.map_or(1, str::len) } else { token_text.len() };
            let next = token.start as usize + width;
            index += tokens[index..].partition_point(|token| (token.start as usize) < next);
            continue;
        }
        open.push(text, tokens, index);
        index += 1;
    }
    pieces.extend(open.close(tokens, tokens.len(), text.len()));
    pieces
}

fn begins_line(text: &str, token: &Token) -> bool {
    let before = &text.as_bytes()[..token.start as usize];
    let indent = before.iter().rev().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    matches!(before.len().checked_sub(indent + 1).map(|at| before[at]), None | Some(b'\n'))
}

/// The statement that is being read.
#[derive(Default)]
struct OpenStatement {
    /// The indexes of the first and the last token.
    first: Option<usize>,
    last: usize,
    is_create: bool,
    is_routine: bool,
    words: u32,
    /// The number of blocks (`BEGIN`, `CASE`) without an `END`.
    blocks: u32,
    depth: usize,
    /// The number of tokens since the last comma, for each level of parentheses.
    chains: Vec<u32>,
    operations: u32,
    is_deep: bool,
}

impl OpenStatement {
    fn push(&mut self, text: &str, tokens: &[Token], index: usize) {
        let token = &tokens[index];
        if self.first.is_none() {
            self.first = Some(index);
            self.chains.push(0);
        }
        self.last = index;
        match token.kind {
            TokenKind::Word => self.push_word(text, tokens, index),
            TokenKind::Punct => match token.punct(text) {
                b'(' | b'[' | b'{' => {
                    self.depth += 1;
                    self.chains.push(0);
                    self.is_deep |= self.depth > MAX_DEPTH;
                    self.chains.truncate(MAX_DEPTH + 2);
                }
                b')' | b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.chains.len() > 1 {
                        self.chains.pop();
                    }
                }
                b',' => {
                    if let Some(chain) = self.chains.last_mut() {
                        *chain = 0;
                    }
                }
                _ => {}
            },
            _ => {}
        }
        if let Some(chain) = self.chains.last_mut() {
            *chain += 1;
            self.is_deep |= *chain > MAX_CHAIN;
        }
    }

    fn push_word(&mut self, text: &str, tokens: &[Token], index: usize) {
        let word = tokens[index].text(text).to_ascii_lowercase();
        self.words += 1;
        match &*word {
            "create" | "alter" if self.words == 1 => self.is_create = true,
            "trigger" | "procedure" | "function" | "event" | "proc" | "package"
                if self.is_create && self.words < 10 =>
            {
                self.is_routine = true;
            }
            "begin" | "case" if self.is_routine && self.depth == 0 => {
                let after_end = index > 0 && tokens[index - 1].is_word(text, "end");
                self.blocks += u32::from(!after_end);
            }
            "end" if self.is_routine && self.depth == 0 => {
                let next = tokens.get(index + 1).map(|token| token.text(text));
                let closes_other = next.is_some_and(|next| {
                    ["if", "loop", "while", "repeat", "for"]
                        .iter()
                        .any(|word| next.eq_ignore_ascii_case(word))
                });
                self.blocks = self.blocks.saturating_sub(u32::from(!closes_other));
            }
            "union" | "except" | "intersect" | "join" => {
                self.operations += 1;
                self.is_deep |= self.operations > MAX_OPERATIONS;
            }
            _ => {}
        }
    }

    fn close(&mut self, tokens: &[Token], end: usize, limit: usize) -> Option<Piece> {
        let open = std::mem::take(self);
        let first = open.first?;
        let start = tokens.get(first)?.start as usize;
        let last = (tokens.get(open.last)?.end as usize).min(limit);
        Some(Piece {
            span: Span::new(start, last.max(start)),
            tokens: (first, end),
            is_routine: open.is_routine,
            is_shallow: !open.is_deep,
        })
    }
}
