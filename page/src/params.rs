//! Parameters: values of a check that a configuration can set.
//!
//! A quoted value that consists of `"${name}"` is replaced before the header is parsed, so any
//! value in any form of check can be a parameter. A parameter has the type of its default value.

use super::{
    CheckHeader, ENFORCED_BY, Header, PageError, find_error, merge_conflict, parse_yaml, split,
};
use serde_json::{Map, Value};
use std::ops::Range;

/// The check of a page with the values in `params` instead of the default values.
///
/// # Errors
/// When the page does not have one of the parameters, the default has another type, or the
/// resulting header is invalid.
pub fn check_with(
    page: &str,
    params: &Map<String, Value>,
) -> Result<Option<CheckHeader>, PageError> {
    read(page, params).map(|header| header.check)
}

/// The header of a page with the values in `params` instead of the default values.
pub(super) fn read(page: &str, params: &Map<String, Value>) -> Result<Header, PageError> {
    if let Some(error) = merge_conflict(page) {
        return Err(error);
    }
    let (range, _) = split(page)?;
    let text = &page[range.clone()];
    let mut filled = fill(text, range.start, params)?;
    let has_key = |key: &str| text.lines().any(|line| line.starts_with(&format!("{key}:")));
    // A page with `enforced-by` has no check, so its severity does not matter. The line is
    // appended, so that offsets stay valid.
    if has_key(ENFORCED_BY) && !has_key("severity") {
        filled.text.push_str("severity: info\n");
    }
    let header = parse_yaml(&filled.text, 0)
        .and_then(|header: Header| find_error(&header, &filled.text, 0).map_or(Ok(header), Err));
    header.map_err(|error| PageError {
        span: range.start + filled.to_original(error.span.start)
            ..range.start + filled.to_original(error.span.end),
        ..error
    })
}

/// A header with its parameters filled in.
struct FilledHeader {
    text: String,
    /// For each parameter, its byte range in the original header and in the filled header.
    replacements: Vec<(Range<usize>, Range<usize>)>,
}

impl FilledHeader {
    /// Maps an offset in the filled header to the original header.
    fn to_original(&self, offset: usize) -> usize {
        let last = self.replacements.iter().rev().find(|(_, filled)| filled.start <= offset);
        match last {
            None => offset,
            Some((original, filled)) if offset < filled.end => original.start,
            Some((original, filled)) => offset - filled.end + original.end,
        }
    }
}

/// Replaces the placeholders of parameters in a header with the values of the parameters.
fn fill(text: &str, base: usize, params: &Map<String, Value>) -> Result<FilledHeader, PageError> {
    let unchanged = || FilledHeader { text: text.to_owned(), replacements: Vec::new() };
    let has_params = text.lines().any(|line| line.trim_start().starts_with("params:"));
    if !has_params && params.is_empty() {
        return Ok(unchanged());
    }
    let header: Value = parse_yaml(text, base)?;
    let no_params = Map::new();
    let defaults = header.pointer("/check/params").and_then(Value::as_object).unwrap_or(&no_params);
    let params_start = text.find("params:").unwrap_or(0);
    let params_span = base + params_start..base + params_start + "params".len();
    for (name, value) in params {
        let Some(default) = defaults.get(name) else {
            return Err(unknown_parameter_error(name, defaults, params_span));
        };
        if type_name(default) != type_name(value) {
            let message = format!(
                "parameter `{name}`: expected {}, found {}",
                type_name(default),
                type_name(value)
            );
            return Err(PageError { message, span: params_span, did_you_mean: None });
        }
    }
    if defaults.is_empty() {
        return Ok(unchanged());
    }
    let mut filled =
        FilledHeader { text: String::with_capacity(text.len()), replacements: Vec::new() };
    let mut from = 0;
    for (range, name) in find_placeholders(text) {
        let Some(value) = params.get(name).or_else(|| defaults.get(name)) else {
            return Err(unknown_parameter_error(
                name,
                defaults,
                base + range.start..base + range.end,
            ));
        };
        filled.text.push_str(&text[from..range.start]);
        let start = filled.text.len();
        filled.text.push_str(&value.to_string());
        filled.replacements.push((range.clone(), start..filled.text.len()));
        from = range.end;
    }
    filled.text.push_str(&text[from..]);
    Ok(filled)
}

fn unknown_parameter_error(
    name: &str,
    known: &Map<String, Value>,
    span: Range<usize>,
) -> PageError {
    PageError {
        message: format!("unknown parameter `{name}`"),
        span,
        did_you_mean: Some((name.to_owned(), known.keys().cloned().collect())),
    }
}

/// The ranges of `"${name}"` including the quotes, and the names.
fn find_placeholders(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("${") {
        let quote = text[..at].chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let name = &text[at + 2..];
        let length = name.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
        let (Some(quote), Some(length)) = (quote, length) else { continue };
        let is_closed =
            name[length..].strip_prefix('}').is_some_and(|rest| rest.starts_with(quote));
        if is_closed && length > 0 {
            found.push((at - 1..at + 2 + length + 2, &name[..length]));
        }
    }
    found
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PAGE: &str = "---\nseverity: info\ncheck:\n  params: { max: 300, in: [src] }\n  \
                        tree: { each: \"${in}\", lines: { max: \"${max}\" } }\n---\n# a/b\n";

    fn max(params: Value) -> Result<Option<u64>, String> {
        let Value::Object(params) = params else { panic!("an object") };
        let check = check_with(PAGE, &params).map_err(|error| error.message)?;
        Ok(check.and_then(|check| check.tree?.lines?.max))
    }

    #[test]
    fn a_parameter_has_the_type_of_its_default() {
        assert_eq!(max(json!({})), Ok(Some(300)));
        assert_eq!(max(json!({"max": 7})), Ok(Some(7)));
        assert_eq!(
            max(json!({"max": "7"})),
            Err("parameter `max`: expected a number, found a string".into())
        );
        assert_eq!(max(json!({"mix": 7})), Err("unknown parameter `mix`".into()));
        assert_eq!(max(json!({"max": -7})), Err("expected a non-negative integer".into()));
    }

    #[test]
    fn an_error_after_a_parameter_is_positioned_in_the_page() {
        let page = PAGE.replace("lines:", "lymes:");
        let error = check_with(&page, &Map::new()).expect_err("an unknown key");
        assert_eq!(&page[error.span], "lymes");
        let page = PAGE.replace("${max}", "${mox}");
        let error = check_with(&page, &Map::new()).expect_err("an unknown parameter");
        assert_eq!(&page[error.span], "\"${mox}\"");
    }
}
