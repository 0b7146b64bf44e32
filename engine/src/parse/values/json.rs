//! Reads JSON, with comments and trailing commas.

use super::{Datum, Values};
use crate::text::source::Span;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

pub(super) fn read(text: &str) -> Values {
    let mut values = Values::default();
    let bom = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let text = &text[bom..];
    let span = |range: jsonc_parser::common::Range| Span::new(range.start + bom, range.end + bom);
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            values.broken = Some((span(error.range()), error.kind().to_string()));
            return values;
        }
    };
    let mut pending: Vec<_> = parsed.iter().map(|root| (None, None, root)).collect();
    while let Some((parent, key, value)) = pending.pop() {
        let at = span(value.range());
        match value {
            Ast::Object(object) => {
                let at = values.add(parent, key, Datum::Map, at);
                // The order is reversed here and again by the stack, so that children retain their
                // order.
                pending.extend(object.properties.iter().rev().map(|property| {
                    let name = (property.name.as_str().to_owned(), span(property.name.range()));
                    (Some(at), Some(name), &property.value)
                }));
            }
            Ast::Array(array) => {
                let at = values.add(parent, key, Datum::List, at);
                pending
                    .extend(array.elements.iter().rev().map(|element| (Some(at), None, element)));
            }
            Ast::StringLit(text) => {
                values.add(parent, key, Datum::Text(text.value.to_string()), at);
            }
            Ast::NumberLit(number) => {
                values.add(parent, key, Datum::Number(number.value.to_owned()), at);
            }
            Ast::BooleanLit(literal) => {
                values.add(parent, key, Datum::Bool(literal.value), at);
            }
            Ast::NullKeyword(_) => {
                values.add(parent, key, Datum::Null, at);
            }
        }
    }
    values
}
