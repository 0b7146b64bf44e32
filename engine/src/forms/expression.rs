//! Limits the cost of the regular expressions of pages: matching time is linear in the text, but
//! also grows with the size of the expression after its repetitions are expanded.

use regex::Regex;
use regex_syntax::hir::{Hir, HirKind, Visitor, visit};
use thiserror::Error;

/// Maximum number of copies of a part of an expression after its nested repetitions are expanded.
const MAX_COPIES: u32 = 2_000;

/// The message for an expression that is rejected because of its size.
pub(super) const TOO_LARGE: &str =
    "the expression is too large to match efficiently; bound its repetitions";

/// Why the regular expression of a value test cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExpressionError {
    /// Nested repetitions expand to too many copies of a part.
    #[error("`{0}`: {TOO_LARGE}")]
    TooLarge(String),
    /// The expression has a syntax error or is too large to compile.
    #[error("`{text}`: {}", last_line(.why))]
    Malformed {
        /// The expression as written in the page.
        text: String,
        /// The error of the regex parser.
        why: regex::Error,
    },
}

/// The last line of a regex error, which contains the reason.
pub(super) fn last_line(why: &regex::Error) -> String {
    reason(&why.to_string())
}

/// The reason in the message of the parser, with a remedy for what PCRE supports.
pub(super) fn reason(message: &str) -> String {
    const LOOK_AROUND: [&str; 4] = ["(?!", "(?=", "(?<!", "(?<="];
    let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
    if !last.starts_with("look-around") {
        return last.to_owned();
    }
    // The message repeats the expression.
    let uses = LOOK_AROUND.iter().filter_map(|it| Some((message.find(it)?, it)));
    let construct = uses.min().map_or("look-around", |(_, construct)| construct);
    format!(
        "`{construct}` is look-around, which is not supported: use `unless` or `unless-match` in a \
         `text` check, `not` in a `syntax` check, or list paths in `exclude`"
    )
}

/// Checks the nested repetitions of an expression. Syntax errors are ignored here, because
/// compiling the expression reports them.
///
/// # Errors
/// Nested repetitions expand to too many copies of a part.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    parser.parse(text).map_or(Ok(()), |hir| check_parsed(&hir))
}

/// Like [`check`], for a parsed expression.
///
/// # Errors
/// Like [`check`].
pub(super) fn check_parsed(hir: &Hir) -> Result<(), String> {
    let copies = visit(hir, Copies::default()).unwrap_or_default();
    if copies > MAX_COPIES { Err(TOO_LARGE.to_owned()) } else { Ok(()) }
}

/// Compiles the regular expression of a value test.
///
/// # Errors
/// A syntax error, or an expression that is too large.
pub(super) fn compile(text: &str) -> Result<Regex, ExpressionError> {
    check(text).map_err(|_| ExpressionError::TooLarge(text.to_owned()))?;
    let built = regex::RegexBuilder::new(text).size_limit(1 << 20).build();
    built.map_err(|why| ExpressionError::Malformed { text: text.to_owned(), why })
}

/// Counts the copies of one part that nested repetitions expand to; a single repetition is limited
/// by the regex crate.
#[derive(Default)]
struct Copies {
    /// For each open node, the largest number of copies of a part in its visited children. The last
    /// entry belongs to the innermost node.
    open: Vec<u32>,
    /// The largest number of copies of a part after nested repetitions are expanded.
    max_copies: u32,
}

impl Visitor for Copies {
    type Output = u32;
    type Err = ();

    fn finish(self) -> Result<u32, ()> {
        Ok(self.max_copies)
    }

    fn visit_pre(&mut self, _: &Hir) -> Result<(), ()> {
        self.open.push(1);
        Ok(())
    }

    fn visit_post(&mut self, node: &Hir) -> Result<(), ()> {
        let parts = self.open.pop().unwrap_or(1);
        let repetitions = match node.kind() {
            HirKind::Repetition(repetition) => {
                repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1)
            }
            _ => 1,
        };
        let copies = parts.saturating_mul(repetitions);
        if parts > 1 && repetitions > 1 {
            self.max_copies = self.max_copies.max(copies);
        }
        if let Some(outer) = self.open.last_mut() {
            *outer = (*outer).max(copies);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_repetitions_are_counted() {
        for accepted in [
            "(a+)+$",
            "(a*)*",
            "[a-z]{0,8000}",
            "(?:[a-z]{1,20}\\.){1,20}",
            "(a{1,30}){1,30}b",
            "(",
        ] {
            assert_eq!(check(accepted), Ok(()), "{accepted}");
        }
        for rejected in ["(x{1,100}){1,100}", "x{1,1000}{1,1000}", "((a|b{99}c){2}d){12,}"] {
            assert_eq!(check(rejected), Err(TOO_LARGE.to_owned()), "{rejected}");
        }
    }
}
