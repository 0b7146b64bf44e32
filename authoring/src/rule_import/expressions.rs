//! What an expression is made of, as the parser of expressions has it.

use regex_syntax::ast::{Ast, GroupKind, parse::Parser};

/// The alternatives of an expression that are in no group; of what is no expression all of it.
pub(super) fn alternatives(expression: &str) -> Vec<&str> {
    match &Parser::new().parse(expression) {
        Ok(Ast::Alternation(all)) => {
            let span = |part: &Ast| &expression[part.span().start.offset..part.span().end.offset];
            all.asts.iter().map(span).collect()
        }
        _ => vec![expression],
    }
}

/// What comes before the group that an expression ends with, and what is in that group.
pub(super) fn last_group(expression: &str) -> Option<(&str, &str)> {
    let Ok(parsed) = Parser::new().parse(expression) else { return None };
    let last = match &parsed {
        Ast::Concat(row) => row.asts.last()?,
        one => one,
    };
    let Ast::Group(group) = last else { return None };
    let (start, end) = (group.span.start.offset, group.span.end.offset);
    let is_plain = matches!(group.kind, GroupKind::CaptureIndex(_));
    is_plain.then(|| (&expression[..start], &expression[start + 1..end - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_cut() {
        assert_eq!(alternatives(r"^a\||(b|c)|[|]d"), [r"^a\|", "(b|c)", "[|]d"]);
        assert_eq!(alternatives("a(b|c)"), ["a(b|c)"]);
        assert_eq!(alternatives("a|(b"), ["a|(b"]);
        assert_eq!(last_group("a([-/]|$)"), Some(("a", "[-/]|$")));
        assert_eq!(last_group("(a)b"), None);
        assert_eq!(last_group("a(?:b)"), None);
    }
}
