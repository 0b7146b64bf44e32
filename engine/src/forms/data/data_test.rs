//! A test of the values at a path.

use super::OtherFiles;
use super::compare::compare;
use super::error::DataError;
use super::path::Query;
use crate::forms::expression::compile as regex;
use crate::parse::values::{Datum, Format, Values};
use crate::text::files::sibling;
use crate::text::source::Span;
use crate::text::time_limit::Stepped;
use aidd_page::{DataHeader, DataType, Limits, PathBase, Relation, Yaml};
use regex::Regex;
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The parsed file under test.
pub(crate) struct FileUnderTest<'a> {
    pub(crate) values: &'a Values,
    pub(crate) path: &'a str,
    pub(crate) format: Format,
}

/// A value that fails the test, or the position of a missing value.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Where the finding is reported.
    pub(crate) span: Span,
    /// The index of the value; `None` if the value is missing.
    pub(crate) at: Option<usize>,
    /// The key of the value, or the missing key.
    pub(crate) key: String,
    /// The message of the finding.
    pub(crate) message: String,
    /// The expected value as text, if there is exactly one.
    pub(crate) expected: Option<String>,
    /// The expected value as JSON, if there is exactly one.
    pub(crate) value: Option<Json>,
}

/// A compiled test.
pub struct DataTest {
    pub(crate) at: Query,
    path_text: String,
    equals: Option<Json>,
    not_equals: Option<Json>,
    allowed_values: Option<Vec<Json>>,
    not_in: Option<Vec<Json>>,
    matches: Option<Regex>,
    not_matches: Option<Regex>,
    min: Option<String>,
    max: Option<String>,
    kinds: Vec<DataType>,
    present: bool,
    absent: bool,
    unique: bool,
    count: Option<Limits>,
    keys: Option<Vec<String>>,
    resolves: Option<PathBase>,
    same: Option<(Option<String>, Query, String, Relation)>,
}

impl DataTest {
    /// Compiles a test.
    ///
    /// # Errors
    /// An invalid path, expression, version or constant.
    pub fn new(header: &DataHeader) -> Result<Self, DataError> {
        let json = |yaml: &Yaml| serde_json::from_str::<Json>(&yaml.0);
        let optional_json = |yaml: &Option<Yaml>| yaml.as_ref().map(json).transpose();
        let json_list = |list: &Option<Vec<Yaml>>| -> Result<Option<Vec<Json>>, serde_json::Error> {
            list.as_ref().map(|list| list.iter().map(json).collect()).transpose()
        };
        let same = header.same.as_ref().map(|same| {
            let query = Query::new(&same.at)?;
            Ok::<_, DataError>((same.file.clone(), query, same.at.clone(), same.relation))
        });
        Ok(Self {
            at: Query::new(&header.at)?,
            path_text: header.at.clone(),
            equals: optional_json(&header.equals)?,
            not_equals: optional_json(&header.not_equals)?,
            allowed_values: json_list(&header.allowed_values)?,
            not_in: json_list(&header.not_in)?,
            matches: header.matches.as_deref().map(regex).transpose()?,
            not_matches: header.not_matches.as_deref().map(regex).transpose()?,
            min: bound("min", optional_json(&header.min)?)?,
            max: bound("max", optional_json(&header.max)?)?,
            kinds: header.kind.0.clone(),
            present: header.present,
            absent: header.absent,
            unique: header.unique,
            count: header.count,
            keys: header.keys.clone(),
            resolves: header.resolves,
            same: same.transpose()?,
        })
    }

    /// Whether the test compares values with values in another file.
    pub(crate) fn reads_other_files(&self) -> bool {
        self.resolves.is_some() || self.same.as_ref().is_some_and(|(file, ..)| file.is_some())
    }

    /// The indexes of the values that the test applies to.
    pub(crate) fn select(&self, tested: &FileUnderTest<'_>) -> Vec<usize> {
        self.at.select(tested.values)
    }

    /// The violations, in document order.
    pub(crate) fn violations(
        &self,
        tested: &FileUnderTest<'_>,
        other_files: &mut OtherFiles<'_>,
    ) -> Vec<Violation> {
        let found = self.select(tested);
        let mut violations = Vec::new();
        if found.is_empty() {
            violations.extend(self.present.then(|| self.missing_value(tested)));
        }
        for &at in found.iter().stepped() {
            let fault = self.fault(at, tested, other_files);
            violations.extend(fault.map(|(message, expected)| Violation {
                span: tested.values.all[at].span,
                at: Some(at),
                key: self.key(at, tested),
                message,
                expected: expected.as_ref().map(display),
                value: expected,
            }));
        }
        if self.unique {
            self.report_duplicates(&found, tested, &mut violations);
        }
        if let Some((file, query, path_text, Relation::Superset)) = &self.same {
            self.report_missing_values(
                (file.as_deref(), query, path_text),
                &found,
                tested,
                other_files,
                &mut violations,
            );
        }
        violations
    }

    fn key(&self, at: usize, tested: &FileUnderTest<'_>) -> String {
        let key = tested.values.all[at].key.as_ref().map(|(key, _)| key.clone());
        key.unwrap_or_else(|| self.path_text.clone())
    }

    /// The violation for a missing value, reported at the key of the value that should contain the
    /// missing value, or at the beginning of the file.
    fn missing_value(&self, tested: &FileUnderTest<'_>) -> Violation {
        let deepest = self.at.deepest_existing(tested.values);
        let mut container = deepest.as_ref().map(|(at, _)| &tested.values.all[*at]);
        // List items have no key, so the key of the list is used.
        while let Some(value) = container
            && value.key.is_none()
            && let Some(parent) = value.parent
        {
            container = tested.values.all.get(parent);
        }
        let span = match container {
            Some(value) => match &value.key {
                Some((_, span)) if !span.is_empty() => *span,
                _ => Span { end: value.span.start, ..value.span },
            },
            None => Span::default(),
        };
        let key = deepest.and_then(|(_, name)| name).unwrap_or_else(|| self.path_text.clone());
        let expected = self.equals.clone();
        Violation {
            span,
            at: None,
            message: format!("`{}` is missing", self.path_text),
            key,
            expected: expected.as_ref().map(display),
            value: expected,
        }
    }

    /// The fault of one value, and the expected value if there is exactly one.
    fn fault(
        &self,
        at: usize,
        tested: &FileUnderTest<'_>,
        other_files: &mut OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let values = tested.values;
        let value = &values.all[at];
        let key = self.key(at, tested);
        if self.absent {
            return Some((format!("`{key}` must not be present"), None));
        }
        if !self.kinds.is_empty() && !self.kinds.iter().any(|kind| has_type(*kind, &value.datum)) {
            let kinds: Vec<String> = self.kinds.iter().map(|kind| type_name(*kind)).collect();
            return Some((format!("`{key}` is not {}", kinds.join(" or ")), None));
        }
        self.compare_constants(at, &key, values)
            .or_else(|| self.compare_text(at, &key, tested, other_files))
            .or_else(|| self.compare_bounds(at, &key, values))
            .or_else(|| self.compare_other(at, &key, tested, other_files))
    }

    /// Compares the value with the constants of the test.
    fn compare_constants(
        &self,
        at: usize,
        key: &str,
        values: &Values,
    ) -> Option<(String, Option<Json>)> {
        if self.equals.is_none()
            && self.not_equals.is_none()
            && self.allowed_values.is_none()
            && self.not_in.is_none()
        {
            return None;
        }
        let json = values.json(at);
        if let Some(expected) =
            self.equals.as_ref().filter(|expected| !values_equal(expected, &json))
        {
            return Some((
                format!("`{key}` is not `{}`", display(expected)),
                Some(expected.clone()),
            ));
        }
        if self.not_equals.as_ref().is_some_and(|not| values_equal(not, &json)) {
            return Some((format!("`{key}` must not be `{}`", display(&json)), None));
        }
        let contains = |list: &Vec<Json>| list.iter().any(|item| values_equal(item, &json));
        if let Some(list) = self.allowed_values.as_ref().filter(|list| !contains(list)) {
            let known: Vec<String> =
                list.iter().map(|item| format!("`{}`", display(item))).collect();
            return Some((format!("`{key}` is not one of {}", known.join(", ")), None));
        }
        self.not_in
            .as_ref()
            .is_some_and(contains)
            .then(|| (format!("`{key}` must not be `{}`", display(&json)), None))
    }

    /// Compares the value with the expressions, and resolves it as a path. Lists and mappings have
    /// no text.
    fn compare_text(
        &self,
        at: usize,
        key: &str,
        tested: &FileUnderTest<'_>,
        other_files: &OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let text = tested.values.text(at)?;
        if let Some(regex) = self.matches.as_ref().filter(|regex| !regex.is_match(&text)) {
            return Some((format!("`{key}` does not match `{}`", regex.as_str()), None));
        }
        if let Some(regex) = self.not_matches.as_ref().filter(|regex| regex.is_match(&text)) {
            return Some((format!("`{key}` must not match `{}`", regex.as_str()), None));
        }
        let from = self.resolves?;
        let path = match from {
            PathBase::File => normalize(&sibling(tested.path, &text)),
            PathBase::Root => normalize(&text),
        };
        let exists = path.as_deref().is_some_and(|path| {
            let path = path.trim_end_matches('/');
            other_files.files.exists(path)
                || other_files.files.listing().is_some_and(|listing| listing.has_dir(path))
        });
        (!exists).then(|| (format!("`{key}` refers to `{text}`, which does not exist"), None))
    }

    /// Compares the value with the bounds `min` and `max`, the `count` limits and the allowed
    /// `keys`.
    fn compare_bounds(
        &self,
        at: usize,
        key: &str,
        values: &Values,
    ) -> Option<(String, Option<Json>)> {
        let value = &values.all[at];
        for (limit, rejected, word) in
            [(&self.min, Ordering::Less, "at least"), (&self.max, Ordering::Greater, "at most")]
        {
            let Some(limit) = limit else { continue };
            let text = values.text(at).unwrap_or_default();
            match compare(&text, limit) {
                None => return Some((format!("`{key}` is neither a number nor a version"), None)),
                Some(order) if order == rejected => {
                    return Some((format!("`{key}` is {text}, expected {word} {limit}"), None));
                }
                Some(_) => {}
            }
        }
        if let Some(limits) = self.count {
            let (count, unit) = match &value.datum {
                Datum::List => (value.children.len(), "items"),
                Datum::Map => (value.children.len(), "entries"),
                _ => (values.text(at).unwrap_or_default().chars().count(), "characters"),
            };
            if !limits.contains(count as u64) {
                return Some((
                    format!("`{key}` has {count} {unit}, expected {}", limits.describe()),
                    None,
                ));
            }
        }
        let keys = self.keys.as_ref().filter(|_| value.datum == Datum::Map)?;
        let name = |child: &usize| values.all[*child].key.as_ref().map(|(key, _)| key.clone());
        let unknown = value.children.iter().filter_map(name).find(|name| !keys.contains(name))?;
        let allowed = keys.join("`, `");
        Some((format!("unknown key `{unknown}` in `{key}`; expected one of `{allowed}`"), None))
    }

    /// Compares the value with the value at another path or in another file.
    fn compare_other(
        &self,
        at: usize,
        key: &str,
        tested: &FileUnderTest<'_>,
        other_files: &mut OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let (file, query, path_text, relation) = self.same.as_ref()?;
        let location = file
            .as_ref()
            .map_or_else(|| format!("`{path_text}`"), |file| format!("`{path_text}` of {file}"));
        let other_values = select_in_file(file.as_deref(), query, tested, other_files);
        let Some(other_values) = other_values.filter(|other_values| !other_values.is_empty())
        else {
            return Some((format!("`{key}` cannot be compared: {location} is missing"), None));
        };
        let actual = tested.values.json(at);
        let is_match = match relation {
            Relation::Superset => return None,
            Relation::Equal => {
                other_values.iter().all(|other_value| values_equal(other_value, &actual))
            }
            Relation::Subset => {
                other_values.iter().any(|other_value| values_equal(other_value, &actual))
            }
        };
        let expected = (*relation == Relation::Equal && other_values.len() == 1)
            .then(|| other_values[0].clone());
        let value = expected
            .as_ref()
            .map_or_else(String::new, |other_value| format!(" (`{}`)", display(other_value)));
        (!is_match).then(|| (format!("`{key}` does not match {location}{value}"), expected))
    }

    /// Reports the values at the compared path that the tested file does not contain.
    fn report_missing_values(
        &self,
        (file, query, path_text): (Option<&str>, &Query, &str),
        found: &[usize],
        tested: &FileUnderTest<'_>,
        other_files: &mut OtherFiles<'_>,
        violations: &mut Vec<Violation>,
    ) {
        let actual: Vec<Json> = found.iter().map(|&at| tested.values.json(at)).collect();
        let expected = select_in_file(file, query, tested, other_files).unwrap_or_default();
        for missing in expected
            .iter()
            .filter(|missing| !actual.iter().stepped().any(|actual| values_equal(actual, missing)))
        {
            let message = format!(
                "`{}` is missing, but present in `{path_text}` of {}",
                display(missing),
                file.unwrap_or(tested.path)
            );
            let violation = self.missing_value(tested);
            violations.push(Violation {
                message,
                expected: Some(display(missing)),
                value: None,
                ..violation
            });
        }
    }

    fn report_duplicates(
        &self,
        found: &[usize],
        tested: &FileUnderTest<'_>,
        violations: &mut Vec<Violation>,
    ) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for &at in found {
            let text = tested.values.json(at).to_string();
            if seen.insert(text.clone(), at).is_some() {
                let value = &tested.values.all[at];
                violations.push(Violation {
                    span: value.span,
                    at: Some(at),
                    key: self.key(at, tested),
                    message: format!("duplicate `{}`", text.trim_matches('"')),
                    expected: None,
                    value: None,
                });
            }
        }
    }
}

/// The values that a query selects in another file; `None` if the file cannot be read.
fn select_in_file(
    file: Option<&str>,
    query: &Query,
    tested: &FileUnderTest<'_>,
    other_files: &mut OtherFiles<'_>,
) -> Option<Vec<Json>> {
    let select = |values: &Values| {
        query.select(values).into_iter().map(|at| values.json(at)).collect::<Vec<_>>()
    };
    match file {
        None => Some(select(tested.values)),
        Some(file) => other_files.values(file).map(select),
    }
}

/// The value of `min` or `max` as text.
fn bound(name: &'static str, value: Option<Json>) -> Result<Option<String>, DataError> {
    let Some(value) = value else { return Ok(None) };
    let text = display(&value);
    if compare(&text, &text).is_none() {
        return Err(DataError::Bound { name, text });
    }
    Ok(Some(text))
}

/// Whether two values are equal; numbers are compared by value (`1` equals `1.0`).
fn values_equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || display(a) == display(b))
        }
        _ => left == right,
    }
}

/// A value as it is displayed in a message.
pub(super) fn display(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn has_type(kind: DataType, datum: &Datum) -> bool {
    match (kind, datum) {
        (DataType::String, Datum::Text(_))
        | (DataType::Number, Datum::Number(_))
        | (DataType::Boolean, Datum::Bool(_))
        | (DataType::Null, Datum::Null)
        | (DataType::Array, Datum::List)
        | (DataType::Object, Datum::Map) => true,
        (DataType::Integer, Datum::Number(text)) => !text.contains(['.', 'e', 'E']),
        _ => false,
    }
}

fn type_name(kind: DataType) -> String {
    match kind {
        DataType::String => "a string",
        DataType::Number => "a number",
        DataType::Integer => "an integer",
        DataType::Boolean => "a boolean",
        DataType::Null => "`null`",
        DataType::Array => "a list",
        DataType::Object => "a mapping",
    }
    .to_owned()
}

/// The path with `.` and `..` resolved; `None` if it leaves the root.
fn normalize(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
