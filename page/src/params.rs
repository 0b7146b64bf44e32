//! Parameters: values of a check that a configuration can set.
//!
//! `"${name}"`, as a whole quoted value, is replaced before the header is read. Any value in any
//! form can therefore be a parameter; it has the type of its default.

use super::{
    CheckHeader, ENFORCED_BY, Header, PageError, merge_conflict, shape_error, split, typed,
};
use serde_json::{Map, Value};
use std::ops::Range;

/// The check of a page with these parameters instead of its defaults.
///
/// # Errors
/// When the page has no such parameter, its default has another type, or the resulting header is
/// invalid.
pub fn check_with(
    page: &str,
    given: &Map<String, Value>,
) -> Result<Option<CheckHeader>, PageError> {
    read(page, given).map(|header| header.check)
}

/// The header of a page with these parameters instead of its defaults.
pub(super) fn read(page: &str, given: &Map<String, Value>) -> Result<Header, PageError> {
    if let Some(torn) = merge_conflict(page) {
        return Err(torn);
    }
    let (range, _) = split(page)?;
    let text = &page[range.clone()];
    let mut filled = fill(text, range.start, given)?;
    let has = |key: &str| text.lines().any(|line| line.starts_with(&format!("{key}:")));
    // Such a page has no check, so its severity does not matter. The line is appended, so that
    // offsets stay valid.
    if has(ENFORCED_BY) && !has("severity") {
        filled.text.push_str("severity: info\n");
    }
    let header = typed(&filled.text, 0)
        .and_then(|header: Header| shape_error(&header, &filled.text, 0).map_or(Ok(header), Err));
    header.map_err(|error| PageError {
        span: range.start + filled.to_original(error.span.start)
            ..range.start + filled.to_original(error.span.end),
        ..error
    })
}

/// A header with its parameters filled in.
struct Filled {
    text: String,
    /// For each parameter: its byte range in the original header, and in the filled one.
    places: Vec<(Range<usize>, Range<usize>)>,
}

impl Filled {
    /// Maps an offset in the filled header to the original header.
    fn to_original(&self, offset: usize) -> usize {
        let last = self.places.iter().rev().find(|(_, now)| now.start <= offset);
        match last {
            None => offset,
            Some((then, now)) if offset < now.end => then.start,
            Some((then, now)) => offset - now.end + then.end,
        }
    }
}

fn fill(text: &str, base: usize, given: &Map<String, Value>) -> Result<Filled, PageError> {
    let plain = || Filled { text: text.to_owned(), places: Vec::new() };
    let has = text.lines().any(|line| line.trim_start().starts_with("params:"));
    if !has && given.is_empty() {
        return Ok(plain());
    }
    let header: Value = typed(text, base)?;
    let none = Map::new();
    let defaults = header.pointer("/check/params").and_then(Value::as_object).unwrap_or(&none);
    let at = text.find("params:").unwrap_or(0);
    let place = base + at..base + at + "params".len();
    for (name, value) in given {
        let Some(default) = defaults.get(name) else {
            return Err(unknown(name, defaults, place));
        };
        if kind(default) != kind(value) {
            let message =
                format!("parameter `{name}`: expected {}, found {}", kind(default), kind(value));
            return Err(PageError { message, span: place, did_you_mean: None });
        }
    }
    if defaults.is_empty() {
        return Ok(plain());
    }
    let mut filled = Filled { text: String::with_capacity(text.len()), places: Vec::new() };
    let mut from = 0;
    for (range, name) in holes(text) {
        let Some(value) = given.get(name).or_else(|| defaults.get(name)) else {
            return Err(unknown(name, defaults, base + range.start..base + range.end));
        };
        filled.text.push_str(&text[from..range.start]);
        let start = filled.text.len();
        filled.text.push_str(&value.to_string());
        filled.places.push((range.clone(), start..filled.text.len()));
        from = range.end;
    }
    filled.text.push_str(&text[from..]);
    Ok(filled)
}

fn unknown(name: &str, known: &Map<String, Value>, span: Range<usize>) -> PageError {
    PageError {
        message: format!("unknown parameter `{name}`"),
        span,
        did_you_mean: Some((name.to_owned(), known.keys().cloned().collect())),
    }
}

/// The ranges of `"${name}"` including the quotes, and the names.
fn holes(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("${") {
        let quote = text[..at].chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let name = &text[at + 2..];
        let length = name.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
        let (Some(quote), Some(length)) = (quote, length) else { continue };
        let closes = name[length..].strip_prefix('}').is_some_and(|rest| rest.starts_with(quote));
        if closes && length > 0 {
            found.push((at - 1..at + 2 + length + 2, &name[..length]));
        }
    }
    found
}

fn kind(value: &Value) -> &'static str {
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

    fn max(given: Value) -> Result<Option<u64>, String> {
        let Value::Object(given) = given else { panic!("an object") };
        let check = check_with(PAGE, &given).map_err(|error| error.message)?;
        Ok(check.and_then(|check| check.tree?.lines?.max))
    }

    #[test]
    fn a_parameter_is_a_whole_value_of_its_own_type() {
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
