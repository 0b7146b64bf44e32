//! The structure of regular expressions, as parsed by the regex parser.

use regex_syntax::ast::{Ast, parse::Parser};

/// The top-level alternatives of an expression; the whole text if it is malformed.
pub(super) fn alternatives(expression: &str) -> Vec<&str> {
    match &Parser::new().parse(expression) {
        Ok(Ast::Alternation(all)) => {
            let span = |part: &Ast| &expression[part.span().start.offset..part.span().end.offset];
            all.asts.iter().map(span).collect()
        }
        _ => vec![expression],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_split() {
        assert_eq!(alternatives(r"^a\||(b|c)|[|]d"), [r"^a\|", "(b|c)", "[|]d"]);
        assert_eq!(alternatives("a(b|c)"), ["a(b|c)"]);
        assert_eq!(alternatives("a|(b"), ["a|(b"]);
    }
}
