//! Table-driven lexers with states. The rules of the current state are tried in order; the first
//! matching rule is used, even if another rule would match more text.

use regex::Regex;

/// The kind of a token, which is also its name in messages.
pub(super) type Kind = &'static str;

/// The state in which a text starts.
pub(super) const START: &str = "start";
/// The kind of the token after the last character.
pub(super) const END: Kind = "the end of the diagram";
/// The kind of a token where no rule matches, or where the text ends in a state that cannot end.
pub(super) const UNKNOWN: Kind = "";
/// The kind of text that produces no token, such as whitespace and comments.
pub(super) const SKIP: Kind = "skip";

/// A rule of a lexer: the states in which it applies, its pattern, the kind of its token, and the
/// change of state. If the pattern has a group, the token is the group, and the rest of the match
/// is a lookahead.
pub(super) type Rule = (&'static [&'static str], &'static str, Kind, Next);

/// The change of state after a rule.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// Stays in the current state.
    Stay,
    /// Enters a nested state.
    Push(&'static str),
    /// Leaves this number of nested states.
    Pop(usize),
    /// Replaces the current state.
    Replace(&'static str),
}

/// A token: its kind and its byte range in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The compiled rules of a lexer.
pub(super) struct Lexer {
    rules: Vec<(Rule, Regex)>,
    /// States in which the text can end.
    final_states: &'static [&'static str],
}

impl Lexer {
    /// Compiles the rules; `flags` are flags of the regex syntax, such as `i`.
    pub(super) fn new(
        flags: &str,
        final_states: &'static [&'static str],
        rules: &[&[Rule]],
    ) -> Self {
        let compile = |rule: &Rule| {
            let pattern = format!("^(?{flags}:{})", rule.1);
            (*rule, Regex::new(&pattern).expect("the patterns of the lexers are valid"))
        };
        Self { rules: rules.iter().copied().flatten().map(compile).collect(), final_states }
    }

    /// The tokens of `text`, up to the first `UNKNOWN`; the last token is `UNKNOWN` or `END`.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut states = vec![START];
        let mut at = 0;
        while at < text.len() {
            let state = states.last().copied().unwrap_or(START);
            let found = self.rules.iter().find_map(|(rule, regex)| {
                let length = rule.0.contains(&state).then(|| token_len(regex, &text[at..]));
                length.flatten().map(|length| (rule, length))
            });
            let Some((&(_, _, kind, transition), length)) = found else { break };
            let is_stuck = length == 0 && matches!(transition, Next::Stay);
            match transition {
                Next::Stay => {}
                Next::Push(next) => states.push(next),
                Next::Pop(count) => states.truncate(states.len().saturating_sub(count).max(1)),
                Next::Replace(next) => {
                    states.pop();
                    states.push(next);
                }
            }
            if kind != SKIP {
                tokens.push(Token { kind, start: at, end: at + length });
            }
            if is_stuck {
                break;
            }
            at += length;
        }
        let is_complete = at == text.len()
            && states.last().is_some_and(|state| self.final_states.contains(state));
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        tokens.push(Token { kind: if is_complete { END } else { UNKNOWN }, start: at, end });
        tokens
    }
}

/// The length of the token at the start of `text`: the first group of the match, or the whole match
/// if the pattern has no group.
fn token_len(regex: &Regex, text: &str) -> Option<usize> {
    if regex.captures_len() == 1 {
        return regex.find(text).map(|found| found.end());
    }
    regex.captures(text)?.get(1).map(|group| group.end())
}

/// Reads tokens one after another.
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The kinds that would have been accepted at the current token.
    tried: Vec<Kind>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        Self { tokens, at: 0, tried: Vec::new() }
    }

    /// The next token; `END` or `UNKNOWN` after the last token.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token after the next token.
    pub(super) fn peek_after(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    /// The first token for which `predicate` is true.
    pub(super) fn find(&self, predicate: impl Fn(&Token) -> bool) -> Option<Token> {
        self.tokens.iter().copied().find(|token| predicate(token))
    }

    /// Moves past the next token if it has this kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.at += 1;
            self.tried.clear();
        } else if !self.tried.contains(&kind) {
            self.tried.push(kind);
        }
        found
    }

    /// Moves past the next token if it has one of these kinds.
    pub(super) fn eat_any(&mut self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.eat(kind))
    }

    /// Moves past the tokens of these kinds, and returns their number.
    pub(super) fn eat_all(&mut self, kinds: &[Kind]) -> usize {
        let mut count = 0;
        while self.eat_any(kinds) {
            count += 1;
        }
        count
    }

    /// Moves past the next token, which must have this kind.
    pub(super) fn need(&mut self, kind: Kind) -> Result<(), Unexpected> {
        self.eat(kind).then_some(()).ok_or_else(|| self.unexpected())
    }

    /// Moves past the next token, which must have one of these kinds.
    pub(super) fn need_any(&mut self, kinds: &[Kind]) -> Result<(), Unexpected> {
        self.eat_any(kinds).then_some(()).ok_or_else(|| self.unexpected())
    }

    /// The error for a next token that has none of the tried kinds.
    pub(super) fn unexpected(&self) -> Unexpected {
        Unexpected { token: self.peek(), expected: self.tried.clone(), message: None }
    }

    /// The error for a `token` that is not allowed; `message` is the reason.
    pub(super) fn rejected(token: Token, message: &str) -> Unexpected {
        Unexpected { token, expected: Vec::new(), message: Some(message.to_owned()) }
    }
}

/// A token that the grammar does not allow.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) token: Token,
    pub(super) expected: Vec<Kind>,
    /// The reason, if the error is not due to the kind of the token.
    pub(super) message: Option<String>,
}
