//! Examples of parameters and headers, whose values a request contains as text.

use crate::openapi::document::Document;
use crate::openapi::schemas::types;
use aidd_engine::parse::values::Datum;

/// Whether a parameter has the same text in a request as the value that its schema describes:
/// `"1"` for an integer, because parameters are sent without quotes.
pub(super) fn is_equal_in_request(document: &Document<'_>, schema: usize, value: usize) -> bool {
    let Some(text) = document.text(value) else { return false };
    let schema = document.resolve(schema).unwrap_or(schema);
    let is_of_type = |name: &str| match name {
        "integer" => text.parse::<i64>().is_ok(),
        "number" => text.parse::<f64>().is_ok_and(f64::is_finite),
        "boolean" => matches!(text, "true" | "false"),
        _ => false,
    };
    types(document, schema).into_iter().any(is_of_type)
}

/// Whether an example of a parameter or a header is what a request contains: a number, if the schema
/// describes a text, or the text of a list or an object, such as `open,paid`.
pub(super) fn is_text_in_request(document: &Document<'_>, schema: usize, value: usize) -> bool {
    let mut owner = document.parent(value);
    let is_of_schema = owner == Some(schema);
    if is_of_schema && document.key(schema) == "schema" {
        owner = document.parent(schema);
    } else if document.key(value) == "value" {
        // The value of an entry of `examples`.
        owner = owner.and_then(|entry| document.parent(document.parent(entry)?));
    }
    let is_of =
        |name: &str| owner.is_some_and(|owner| document.objects(name).any(|at| at == owner));
    let schema = document.resolve(schema).unwrap_or(schema);
    let types = types(document, schema);
    let has_type = |names: &[&str]| types.iter().any(|name| names.contains(name));
    let is_text = match document.datum(value) {
        Datum::Number(_) => {
            has_type(&["string"])
                && document.get(schema, "enum").is_none()
                && document.get(schema, "const").is_none()
        }
        Datum::Text(_) => !is_of_schema && has_type(&["array", "object"]),
        _ => false,
    };
    is_text && (is_of("parameter") || is_of("header"))
}
