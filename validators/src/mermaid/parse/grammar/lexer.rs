//! Lexers with states, as tables: the rules of the current state are tried in order, and the first
//! that matches is used, even if another matches more text.

use regex::Regex;

/// The kind of a token, which is also its name in messages.
pub(super) type Kind = &'static str;

/// The state in which a text starts.
pub(super) const START: &str = "start";
/// The kind of the token after the last character.
pub(super) const END: Kind = "the end of the diagram";
/// The kind of a token where no rule matches, or where the text ends in a state that cannot end.
pub(super) const UNKNOWN: Kind = "";
/// The kind of text that yields no token, such as blanks and comments.
pub(super) const SKIP: Kind = "skip";

/// A rule of a lexer: the states in which it applies, its pattern, the kind of its token, and the
/// state after it. If the pattern has a group, the token is the group, and the rest a lookahead.
pub(super) type Rule = (&'static [&'static str], &'static str, Kind, Go);

/// The change of state after a rule.
#[derive(Clone, Copy)]
pub(super) enum Go {
    /// The same state.
    Stay,
    /// A state inside the current one.
    Into(&'static str),
    /// The state outside, or that outside it, and so on.
    Out(usize),
    /// Another state in place of the current one.
    Instead(&'static str),
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
    last: &'static [&'static str],
}

impl Lexer {
    /// Compiles the rules; `flags` are those of the regex syntax, such as `i`.
    pub(super) fn new(flags: &str, last: &'static [&'static str], rules: &[&[Rule]]) -> Self {
        let compile = |rule: &Rule| {
            let pattern = format!("^(?{flags}:{})", rule.1);
            (*rule, Regex::new(&pattern).expect("the patterns of the lexers are valid"))
        };
        Self { rules: rules.iter().copied().flatten().map(compile).collect(), last }
    }

    /// The tokens of `text`, up to the first `UNKNOWN`; the last token is `UNKNOWN` or `END`.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut states = vec![START];
        let mut at = 0;
        while at < text.len() {
            let state = states.last().copied().unwrap_or(START);
            let found = self.rules.iter().find_map(|(rule, regex)| {
                let length = rule.0.contains(&state).then(|| matched(regex, &text[at..]));
                length.flatten().map(|length| (rule, length))
            });
            let Some((&(_, _, kind, go), length)) = found else { break };
            let stuck = length == 0 && matches!(go, Go::Stay);
            match go {
                Go::Stay => {}
                Go::Into(next) => states.push(next),
                Go::Out(count) => states.truncate(states.len().saturating_sub(count).max(1)),
                Go::Instead(next) => {
                    states.pop();
                    states.push(next);
                }
            }
            if kind != SKIP {
                tokens.push(Token { kind, start: at, end: at + length });
            }
            if stuck {
                break;
            }
            at += length;
        }
        let ended =
            at == text.len() && states.last().is_some_and(|state| self.last.contains(state));
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        tokens.push(Token { kind: if ended { END } else { UNKNOWN }, start: at, end });
        tokens
    }
}

/// The length of the match: of its first group, which is followed by a lookahead, or of all.
fn matched(regex: &Regex, text: &str) -> Option<usize> {
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

    /// The next token; `END` or `UNKNOWN` after the last.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token after the next.
    pub(super) fn peek_after(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    /// The first token for which `fits` is true.
    pub(super) fn find(&self, fits: impl Fn(&Token) -> bool) -> Option<Token> {
        self.tokens.iter().copied().find(|token| fits(token))
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

    /// The error that the next token has none of the kinds tried.
    pub(super) fn unexpected(&self) -> Unexpected {
        Unexpected { token: self.peek(), expected: self.tried.clone(), message: None }
    }

    /// The error that `token` is not allowed, with the reason.
    pub(super) fn refused(token: Token, message: &str) -> Unexpected {
        Unexpected { token, expected: Vec::new(), message: Some(message.to_owned()) }
    }
}

/// A token that the grammar does not allow.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) token: Token,
    pub(super) expected: Vec<Kind>,
    /// The reason, if it is not the kind of the token.
    pub(super) message: Option<String>,
}
