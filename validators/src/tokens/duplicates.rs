//! Tokens with the same value.

use super::document::Document;
use super::types::{TokenType, token_type};
use super::values::is_reference;
use aidd_engine::rules::rule::Report;
use std::collections::HashMap;

/// The types whose equal values are worth a note: others are equal by chance.
const TYPES: [&str; 3] = ["color", "gradient", "shadow"];

pub(super) fn duplicate_value(document: &Document<'_>, report: &mut Report<'_>) {
    let mut first: HashMap<(&str, String), &str> = HashMap::new();
    for token in &document.tokens {
        let Some(value) = document.token_value(token) else { continue };
        let TokenType::Named(name, _) = token_type(document, token) else { continue };
        if !TYPES.contains(&name) || is_reference(document, value) {
            continue;
        }
        // Tokens of different groups have different purposes.
        let group = token.path.rsplit_once('.').map_or("", |(group, _)| group);
        let value = document.values.json(value).to_string().to_lowercase();
        match first.get(&(group, value.clone())) {
            Some(other) => {
                let message = format!("`{}` has the same value as `{other}`", token.path);
                report
                    .at(document.key_span(token.at), message)
                    .help(format!("Refer to it: `\"{{{other}}}\"`"));
            }
            None => {
                first.insert((group, value), &token.path);
            }
        }
    }
}
