//! Implements the subset of RFC 9535 (<https://www.rfc-editor.org/rfc/rfc9535>) that pages use:
//! names, indexes, `*` and `..`, also in unions. Filters and slices are rejected.

use super::error::{DataError, PathFault};
use crate::parse::values::{Datum, Values};

/// Maximum number of values that one query selects.
const MAX_SELECTED: usize = 100_000;

/// A compiled query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    /// Whether the step is `..`, which selects at any depth.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Selector {
    Name(String),
    Index(i64),
    All,
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// A syntax error, or an unsupported part of RFC 9535.
    pub(crate) fn new(text: &str) -> Result<Self, DataError> {
        let error = |fault| DataError::Path { at: text.to_owned(), fault };
        let mut rest = text.strip_prefix('$').ok_or_else(|| error(PathFault::NoRoot))?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let descends = rest.starts_with("..");
            rest = if descends { &rest[2..] } else { rest };
            let selectors;
            if rest.starts_with('[') {
                (selectors, rest) = parse_brackets(rest).map_err(error)?;
            } else {
                let Some(name) = (if descends { Some(rest) } else { rest.strip_prefix('.') })
                else {
                    return Err(error(PathFault::Step));
                };
                let end = name.find(['.', '[']).unwrap_or(name.len());
                selectors = vec![match &name[..end] {
                    "" => return Err(error(PathFault::NoName)),
                    "*" => Selector::All,
                    text if text.contains([' ', '\'', '"', '?', '@', '(', ')', ',']) => {
                        return Err(error(PathFault::Unquoted));
                    }
                    text => Selector::Name(text.to_owned()),
                }];
                rest = &name[end..];
            }
            steps.push(Step { descends, selectors });
        }
        Ok(Self { steps })
    }

    /// The selected values, in document order.
    pub(crate) fn select(&self, values: &Values) -> Vec<usize> {
        let mut found = values.roots.clone();
        for step in &self.steps {
            let from = if step.descends { with_descendants(values, &found) } else { found };
            found = from
                .into_iter()
                .flat_map(|at| step.select(values, at))
                .take(MAX_SELECTED)
                .collect();
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// The deepest existing value along the path, where a missing value is reported, and the first
    /// name that is missing in that value.
    pub(crate) fn deepest_existing(&self, values: &Values) -> Option<(usize, Option<String>)> {
        let mut at = *values.roots.first()?;
        for step in &self.steps {
            let next = step.select(values, at).first().copied().filter(|_| !step.descends);
            let Some(next) = next else {
                let name = step.selectors.iter().find_map(|selector| match selector {
                    Selector::Name(name) => Some(name.clone()),
                    _ => None,
                });
                return Some((at, name));
            };
            at = next;
        }
        Some((at, None))
    }

    /// The names of the steps, if every step is a single name.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        let name =
            |step: &Step| matches!(&step.selectors[..], [Selector::Name(_)] if !step.descends);
        self.steps.iter().all(name).then(|| {
            let names = self.steps.iter().flat_map(|step| &step.selectors);
            names
                .filter_map(
                    |selector| {
                        if let Selector::Name(name) = selector { Some(&**name) } else { None }
                    },
                )
                .collect()
        })
    }
}

impl Step {
    fn select(&self, values: &Values, at: usize) -> Vec<usize> {
        let Some(value) = values.all.get(at) else { return Vec::new() };
        let mut found = Vec::new();
        for selector in &self.selectors {
            match selector {
                Selector::All => found.extend(&value.children),
                Selector::Name(name) if value.datum == Datum::Map => {
                    found.extend(values.child(at, name));
                }
                Selector::Index(index) if value.datum == Datum::List => {
                    let length = i64::try_from(value.children.len()).unwrap_or(i64::MAX);
                    let index = if *index < 0 { length.saturating_add(*index) } else { *index };
                    let child = usize::try_from(index).ok().and_then(|at| value.children.get(at));
                    found.extend(child);
                }
                _ => {}
            }
        }
        found
    }
}

/// The values `from` and all their descendants.
fn with_descendants(values: &Values, from: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; values.all.len()];
    let mut remaining = from.to_vec();
    let mut found = Vec::new();
    while let Some(at) = remaining.pop() {
        if seen.get(at).copied().unwrap_or(true) {
            continue;
        }
        seen[at] = true;
        found.push(at);
        remaining.extend(&values.all[at].children);
    }
    found
}

/// The selectors between brackets, and the text after them.
fn parse_brackets(text: &str) -> Result<(Vec<Selector>, &str), PathFault> {
    let mut rest = text[1..].trim_start();
    let mut selectors = Vec::new();
    loop {
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let inner = &rest[1..];
            let end = inner.find(quote).ok_or(PathFault::Quote)?;
            selectors.push(Selector::Name(inner[..end].to_owned()));
            rest = &inner[end + 1..];
        } else {
            let end = rest.find([',', ']']).ok_or(PathFault::Bracket)?;
            selectors.push(match rest[..end].trim() {
                "*" => Selector::All,
                text if text.starts_with('?') || text.contains(':') => {
                    return Err(PathFault::Unknown);
                }
                text => {
                    Selector::Index(text.parse().map_err(|_| PathFault::Index(text.to_owned()))?)
                }
            });
            rest = &rest[end..];
        }
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(']') {
            return Ok((selectors, after));
        }
        rest = rest.strip_prefix(',').ok_or(PathFault::Separator)?.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::values::Format;
    use proptest::prelude::*;

    const TEXT: &str = r#"{"a": {"b-c": [10, 20, {"d": 30}], "d": 40}, "e f": 50, "jobs": {"x": {"steps": [{"uses": "u"}]}}}"#;

    fn selected(query: &str) -> String {
        let values = Values::read(Format::Json, TEXT);
        let found = Query::new(query).expect(query).select(&values);
        let texts: Vec<String> = found.iter().filter_map(|&at| values.text(at)).collect();
        texts.join(" ")
    }

    #[test]
    fn values_are_selected_by_name_index_and_descent() {
        assert_eq!(selected("$.a.b-c[0]"), "10");
        assert_eq!(selected("$.a['b-c'][-2,0]"), "10 20");
        assert_eq!(selected("$['e f']"), "50");
        assert_eq!(selected("$.a['d','x']"), "40");
        assert_eq!(selected("$..d"), "30 40");
        assert_eq!(selected("$.a..[1]"), "20");
        assert_eq!(selected("$.jobs.*.steps[*].uses"), "u");
        assert_eq!(selected("$..*"), "10 20 30 40 50 u");
        assert_eq!(selected("$.a[0]"), "");
    }

    #[test]
    fn unsupported_syntax_is_rejected() {
        for (query, part) in [
            ("a", "at the beginning"),
            ("$a", "beginning of a step"),
            ("$.", "no name"),
            ("$[", "unclosed `[`"),
            ("$[?@.x]", "filters"),
            ("$[1:2]", "filters"),
            ("$[x]", "must be quoted"),
            ("$['x", "quote"),
            ("$.a b", "['name']"),
        ] {
            let why = Query::new(query).expect_err(query).to_string();
            assert!(why.contains(part), "{query}: {why}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_queries_do_not_panic(query in "\\$[.a\\[\\]*'\"0-9,-]{0,20}") {
            let values = Values::read(Format::Json, TEXT);
            if let Ok(query) = Query::new(&query) {
                let _ = (query.select(&values), query.deepest_existing(&values), query.names());
            }
        }
    }
}
