//! A test of the values at a path.

use super::OtherFiles;
use super::compare::compare;
use super::error::DataError;
use super::path::Query;
use crate::forms::expression::compile as regex;
use crate::parse::values::{Datum, Format, Values};
use crate::text::files::sibling;
use crate::text::source::Span;
use aidd_page::{DataHeader, DataType, Limits, Relation, Resolves, Yaml};
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
    pub(crate) wanted: Option<String>,
    /// The expected value as JSON, if there is exactly one.
    pub(crate) value: Option<Json>,
}

/// A compiled test.
pub struct DataTest {
    pub(crate) at: Query,
    path_text: String,
    equals: Option<Json>,
    not_equals: Option<Json>,
    within: Option<Vec<Json>>,
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
    resolves: Option<Resolves>,
    same: Option<(Option<String>, Query, String, Relation)>,
}

impl DataTest {
    /// Compiles a test.
    ///
    /// # Errors
    /// An invalid path, expression, version or constant.
    pub fn new(header: &DataHeader) -> Result<Self, DataError> {
        let json = |yaml: &Yaml| serde_json::from_str::<Json>(&yaml.0);
        let some = |yaml: &Option<Yaml>| yaml.as_ref().map(json).transpose();
        let list = |list: &Option<Vec<Yaml>>| -> Result<Option<Vec<Json>>, serde_json::Error> {
            list.as_ref().map(|list| list.iter().map(json).collect()).transpose()
        };
        let same = header.same.as_ref().map(|same| {
            let query = Query::new(&same.at)?;
            Ok::<_, DataError>((same.file.clone(), query, same.at.clone(), same.relation))
        });
        Ok(Self {
            at: Query::new(&header.at)?,
            path_text: header.at.clone(),
            equals: some(&header.equals)?,
            not_equals: some(&header.not_equals)?,
            within: list(&header.within)?,
            not_in: list(&header.not_in)?,
            matches: header.matches.as_deref().map(regex).transpose()?,
            not_matches: header.not_matches.as_deref().map(regex).transpose()?,
            min: bound("min", some(&header.min)?)?,
            max: bound("max", some(&header.max)?)?,
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

    /// Whether the test compares with another file.
    pub(crate) fn reads_others(&self) -> bool {
        self.resolves.is_some() || self.same.as_ref().is_some_and(|(file, ..)| file.is_some())
    }

    /// The indexes of the values that the test applies to.
    pub(crate) fn select(&self, place: &FileUnderTest<'_>) -> Vec<usize> {
        self.at.select(place.values)
    }

    /// The violations, in document order.
    pub(crate) fn violations(
        &self,
        place: &FileUnderTest<'_>,
        others: &mut OtherFiles<'_>,
    ) -> Vec<Violation> {
        let found = self.select(place);
        let mut broken = Vec::new();
        if found.is_empty() {
            broken.extend(self.present.then(|| self.missing_value(place)));
        }
        for &at in &found {
            let said = self.fault(at, place, others);
            broken.extend(said.map(|(message, wanted)| Violation {
                span: place.values.all[at].span,
                at: Some(at),
                key: self.key(at, place),
                message,
                wanted: wanted.as_ref().map(display),
                value: wanted,
            }));
        }
        if self.unique {
            self.report_duplicates(&found, place, &mut broken);
        }
        if let Some((file, query, said, Relation::Superset)) = &self.same {
            self.report_lacking((file.as_deref(), query, said), &found, place, others, &mut broken);
        }
        broken
    }

    fn key(&self, at: usize, place: &FileUnderTest<'_>) -> String {
        let key = place.values.all[at].key.as_ref().map(|(key, _)| key.clone());
        key.unwrap_or_else(|| self.path_text.clone())
    }

    /// The violation for a missing value: at the key of the value that should contain it, or at the
    /// beginning of the file.
    fn missing_value(&self, place: &FileUnderTest<'_>) -> Violation {
        let missed = self.at.deepest_existing(place.values);
        let mut holder = missed.as_ref().map(|(at, _)| &place.values.all[*at]);
        // List items have no key, so the key of the list is used.
        while let Some(value) = holder
            && value.key.is_none()
            && let Some(parent) = value.parent
        {
            holder = place.values.all.get(parent);
        }
        let span = match holder {
            Some(value) => match &value.key {
                Some((_, span)) if !span.is_empty() => *span,
                _ => Span { end: value.span.start, ..value.span },
            },
            None => Span::default(),
        };
        let key = missed.and_then(|(_, name)| name).unwrap_or_else(|| self.path_text.clone());
        let wanted = self.equals.clone();
        Violation {
            span,
            at: None,
            message: format!("`{}` is missing", self.path_text),
            key,
            wanted: wanted.as_ref().map(display),
            value: wanted,
        }
    }

    /// The fault of one value, and the expected value if there is exactly one.
    fn fault(
        &self,
        at: usize,
        place: &FileUnderTest<'_>,
        others: &mut OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let values = place.values;
        let value = &values.all[at];
        let key = self.key(at, place);
        if self.absent {
            return Some((format!("`{key}` must not be present"), None));
        }
        if !self.kinds.is_empty() && !self.kinds.iter().any(|kind| is_of(*kind, &value.datum)) {
            let kinds: Vec<String> = self.kinds.iter().map(|kind| type_name(*kind)).collect();
            return Some((format!("`{key}` is not {}", kinds.join(" or ")), None));
        }
        self.compare_constants(at, &key, values)
            .or_else(|| self.text_fault(at, &key, place, others))
            .or_else(|| self.compare_bounds(at, &key, values))
            .or_else(|| self.compare_other(at, &key, place, others))
    }

    /// Compares with the constants of the test.
    fn compare_constants(
        &self,
        at: usize,
        key: &str,
        values: &Values,
    ) -> Option<(String, Option<Json>)> {
        if self.equals.is_none()
            && self.not_equals.is_none()
            && self.within.is_none()
            && self.not_in.is_none()
        {
            return None;
        }
        let json = values.json(at);
        if let Some(wanted) = self.equals.as_ref().filter(|wanted| !values_equal(wanted, &json)) {
            return Some((format!("`{key}` is not `{}`", display(wanted)), Some(wanted.clone())));
        }
        if self.not_equals.as_ref().is_some_and(|not| values_equal(not, &json)) {
            return Some((format!("`{key}` must not be `{}`", display(&json)), None));
        }
        let among = |list: &Vec<Json>| list.iter().any(|one| values_equal(one, &json));
        if let Some(list) = self.within.as_ref().filter(|list| !among(list)) {
            let known: Vec<String> = list.iter().map(|one| format!("`{}`", display(one))).collect();
            return Some((format!("`{key}` is not one of {}", known.join(", ")), None));
        }
        self.not_in
            .as_ref()
            .is_some_and(among)
            .then(|| (format!("`{key}` must not be `{}`", display(&json)), None))
    }

    /// Compares with the expressions, and resolves the value as a path. Lists and mappings have no
    /// text.
    fn text_fault(
        &self,
        at: usize,
        key: &str,
        place: &FileUnderTest<'_>,
        others: &OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let text = place.values.text(at)?;
        if let Some(regex) = self.matches.as_ref().filter(|regex| !regex.is_match(&text)) {
            return Some((format!("`{key}` does not match `{}`", regex.as_str()), None));
        }
        if let Some(regex) = self.not_matches.as_ref().filter(|regex| regex.is_match(&text)) {
            return Some((format!("`{key}` must not match `{}`", regex.as_str()), None));
        }
        let from = self.resolves?;
        let path = match from {
            Resolves::File => normalize(&sibling(place.path, &text)),
            Resolves::Root => normalize(&text),
        };
        let there = path.as_deref().is_some_and(|path| {
            let folder = path.trim_end_matches('/');
            others.files.exists(folder)
                || others.files.listing().is_some_and(|listing| listing.has_dir(folder))
        });
        (!there).then(|| (format!("`{key}` names `{text}`, which does not exist"), None))
    }

    /// Compares with the bounds `min` and `max`, the `count` limits and the allowed `keys`.
    fn compare_bounds(
        &self,
        at: usize,
        key: &str,
        values: &Values,
    ) -> Option<(String, Option<Json>)> {
        let value = &values.all[at];
        for (limit, refused, word) in
            [(&self.min, Ordering::Less, "at least"), (&self.max, Ordering::Greater, "at most")]
        {
            let Some(limit) = limit else { continue };
            let text = values.text(at).unwrap_or_default();
            match compare(&text, limit) {
                None => return Some((format!("`{key}` is neither a number nor a version"), None)),
                Some(order) if order == refused => {
                    return Some((format!("`{key}` is {text}, expected {word} {limit}"), None));
                }
                Some(_) => {}
            }
        }
        if let Some(limits) = self.count {
            let count = match &value.datum {
                Datum::List | Datum::Map => value.children.len(),
                _ => values.text(at).unwrap_or_default().chars().count(),
            };
            if !limits.contains(count as u64) {
                return Some((
                    format!("`{key}` has {count}, expected {}", limits.describe()),
                    None,
                ));
            }
        }
        let keys = self.keys.as_ref().filter(|_| value.datum == Datum::Map)?;
        let name = |child: &usize| values.all[*child].key.as_ref().map(|(key, _)| key.clone());
        let odd = value.children.iter().filter_map(name).find(|name| !keys.contains(name))?;
        let known = keys.join("`, `");
        Some((format!("unknown key `{odd}` in `{key}`; expected one of `{known}`"), None))
    }

    /// Compares with the value at another path or in another file.
    fn compare_other(
        &self,
        at: usize,
        key: &str,
        place: &FileUnderTest<'_>,
        others: &mut OtherFiles<'_>,
    ) -> Option<(String, Option<Json>)> {
        let (file, query, said, relation) = self.same.as_ref()?;
        let place_said =
            file.as_ref().map_or_else(|| format!("`{said}`"), |file| format!("`{said}` of {file}"));
        let there = select_in_file(file.as_deref(), query, place, others);
        let Some(there) = there.filter(|there| !there.is_empty()) else {
            return Some((format!("`{key}` cannot be compared: {place_said} is missing"), None));
        };
        let here = place.values.json(at);
        let fits = match relation {
            Relation::Superset => return None,
            Relation::Equal => there.iter().all(|one| values_equal(one, &here)),
            Relation::Subset => there.iter().any(|one| values_equal(one, &here)),
        };
        let wanted = (*relation == Relation::Equal && there.len() == 1).then(|| there[0].clone());
        let said = wanted.as_ref().map_or_else(String::new, |one| format!(" (`{}`)", display(one)));
        (!fits).then(|| (format!("`{key}` does not match {place_said}{said}"), wanted))
    }

    /// Reports the values of the other place that are missing here.
    fn report_lacking(
        &self,
        (file, query, said): (Option<&str>, &Query, &str),
        found: &[usize],
        place: &FileUnderTest<'_>,
        others: &mut OtherFiles<'_>,
        broken: &mut Vec<Violation>,
    ) {
        let here: Vec<Json> = found.iter().map(|&at| place.values.json(at)).collect();
        let there = select_in_file(file, query, place, others).unwrap_or_default();
        for one in there.iter().filter(|one| !here.iter().any(|here| values_equal(here, one))) {
            let message = format!(
                "`{}` is missing, but present in `{said}` of {}",
                display(one),
                file.unwrap_or(place.path)
            );
            let missed = self.missing_value(place);
            broken.push(Violation { message, wanted: Some(display(one)), value: None, ..missed });
        }
    }

    fn report_duplicates(
        &self,
        found: &[usize],
        place: &FileUnderTest<'_>,
        broken: &mut Vec<Violation>,
    ) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for &at in found {
            let text = place.values.json(at).to_string();
            if seen.insert(text.clone(), at).is_some() {
                let value = &place.values.all[at];
                broken.push(Violation {
                    span: value.span,
                    at: Some(at),
                    key: self.key(at, place),
                    message: format!("duplicate `{}`", text.trim_matches('"')),
                    wanted: None,
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
    place: &FileUnderTest<'_>,
    others: &mut OtherFiles<'_>,
) -> Option<Vec<Json>> {
    let select = |values: &Values| {
        query.select(values).into_iter().map(|at| values.json(at)).collect::<Vec<_>>()
    };
    match file {
        None => Some(select(place.values)),
        Some(file) => others.values(file).map(select),
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
fn values_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || display(a) == display(b))
        }
        _ => one == other,
    }
}

/// A value as it is displayed in a message.
pub(super) fn display(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_of(kind: DataType, datum: &Datum) -> bool {
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
