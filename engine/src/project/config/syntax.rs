//! Checks of a configuration file beyond its schema: syntax and globs.

use super::Problem;
use crate::text::conflict::{MERGE_CONFLICT, first_conflict};
use crate::text::paths;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::errors::{ParseError, ParseErrorKind};

/// Finds the first malformed glob.
pub(super) fn malformed_glob(root: &Ast<'_>) -> Option<Problem> {
    let Ast::Object(root) = root else { return None };
    let mut lists: Vec<(String, &Ast<'_>)> = Vec::new();
    for key in ["include", "exclude"] {
        lists.extend(root.get(key).map(|prop| (key.to_owned(), &prop.value)));
    }
    let overrides = root.get_array("overrides").map(|array| &array.elements);
    for (index, element) in overrides.into_iter().flatten().enumerate() {
        if let Ast::Object(item) = element
            && let Some(prop) = item.get("files")
        {
            lists.push((format!("overrides[{index}].files"), &prop.value));
        }
    }
    lists.into_iter().find_map(|(name, list)| {
        let elements = match list {
            Ast::Array(array) => array.elements.iter().collect(),
            single => vec![single],
        };
        elements.into_iter().find_map(|element| {
            let Ast::StringLit(text) = element else { return None };
            let why = paths::malformed(&text.value)?;
            let span = text.range.start..text.range.end;
            Some(Problem { message: format!("`{name}`: {why}"), span, suggestion: None })
        })
    })
}

/// Converts a parse error to a problem with a message for users.
#[must_use]
pub fn syntax_error(text: &str, error: &ParseError) -> Problem {
    if let Some(span) = first_conflict(text) {
        return Problem { message: MERGE_CONFLICT.to_owned(), span, suggestion: None };
    }
    use ParseErrorKind as Kind;
    let message = match error.kind() {
        Kind::UnterminatedObject => "missing `}`",
        Kind::UnterminatedArray => "missing `]`",
        Kind::UnterminatedCommentBlock => "unclosed comment; add `*/`",
        Kind::ExpectedComma => "missing comma before this",
        Kind::ExpectedColonAfterObjectKey => "missing colon after this key",
        Kind::ExpectedObjectValue => "missing value after the colon",
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => {
            "keys must be double-quoted"
        }
        Kind::SingleQuotedStringsNotAllowed => "strings must be double-quoted",
        Kind::UnexpectedToken | Kind::UnexpectedWord => {
            "not JSON; strings must be double-quoted, and the file must be an object in `{ }`"
        }
        Kind::MultipleRootJsonValues => "unexpected text after the end of the JSON",
        other => {
            let message = other.to_string();
            let span = error.range().start..error.range().end;
            return Problem { message, span, suggestion: None };
        }
    };
    let span = error.range().start..error.range().end;
    Problem { message: message.to_owned(), span, suggestion: None }
}
