//! What an expression of a page may cost: it is matched in time that grows with the text alone, but
//! also with the expression once its repetitions are written out.

use regex::Regex;
use regex_syntax::hir::{Hir, HirKind, Visitor, visit};
use thiserror::Error;

/// Most copies of a part that repetitions within repetitions may come to.
const MAX_COPIES: u32 = 2_000;

/// What is said of an expression that is not run.
pub(super) const TOO_LARGE: &str = "the expression is too large to run fast: bound its repetitions";

/// Why values cannot be held against an expression.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExpressionError {
    /// Its repetitions come to too many copies of a part.
    #[error("`{0}`: {TOO_LARGE}")]
    TooLarge(String),
    /// It is malformed.
    #[error("`{text}`: {}", last_line(.why))]
    Malformed {
        /// The expression.
        text: String,
        /// What is wrong with it.
        why: regex::Error,
    },
}

/// What is wrong with an expression, on one line.
pub(super) fn last_line(why: &regex::Error) -> String {
    let why = why.to_string();
    why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Looks at the repetitions within repetitions of an expression. One that cannot be read is left to
/// the one who compiles it.
///
/// # Errors
/// When they come to too many copies of a part.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    parser.parse(text).map_or(Ok(()), |hir| check_parsed(&hir))
}

/// As [`check`], for an expression that is parsed.
///
/// # Errors
/// As there.
pub(super) fn check_parsed(hir: &Hir) -> Result<(), String> {
    let copies = visit(hir, Copies::default()).unwrap_or_default();
    if copies > MAX_COPIES { Err(TOO_LARGE.to_owned()) } else { Ok(()) }
}

/// Compiles an expression that values are held against.
///
/// # Errors
/// What is wrong with it, or that it is too large.
pub(super) fn compile(text: &str) -> Result<Regex, ExpressionError> {
    check(text).map_err(|_| ExpressionError::TooLarge(text.to_owned()))?;
    let built = regex::RegexBuilder::new(text).size_limit(1 << 20).build();
    built.map_err(|why| ExpressionError::Malformed { text: text.to_owned(), why })
}

/// The most copies of one part by nested repetitions; those of a single repetition are its own.
#[derive(Default)]
struct Copies {
    /// Of each open node, the copies of its parts so far; the last one is the result.
    open: Vec<u32>,
    most: u32,
}

impl Visitor for Copies {
    type Output = u32;
    type Err = ();

    fn finish(self) -> Result<u32, ()> {
        Ok(self.most)
    }

    fn visit_pre(&mut self, _: &Hir) -> Result<(), ()> {
        self.open.push(1);
        Ok(())
    }

    fn visit_post(&mut self, node: &Hir) -> Result<(), ()> {
        let parts = self.open.pop().unwrap_or(1);
        let own = match node.kind() {
            HirKind::Repetition(repetition) => {
                repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1)
            }
            _ => 1,
        };
        let copies = parts.saturating_mul(own);
        if parts > 1 && own > 1 {
            self.most = self.most.max(copies);
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
    fn repetitions_of_repetitions_are_counted() {
        for fine in [
            "(a+)+$",
            "(a*)*",
            "[a-z]{0,8000}",
            "(?:[a-z]{1,20}\\.){1,20}",
            "(a{1,30}){1,30}b",
            "(",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for many in ["(x{1,100}){1,100}", "x{1,1000}{1,1000}", "((a|b{99}c){2}d){12,}"] {
            assert_eq!(check(many), Err(TOO_LARGE.to_owned()), "{many}");
        }
    }
}
