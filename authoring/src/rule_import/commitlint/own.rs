//! Rules on first lines that an expression of the configuration takes apart.

use super::super::draft::Draft;
use super::super::{listed, sample};
use super::parse::filled;
use super::{MESSAGE, Set, TABLES, called, cases, enumerated, skipping};
use regex::Regex;
use serde_json::json;

/// A demand on the first line.
pub(super) struct Line {
    /// The demand in words.
    pub(super) demand: String,
    /// Whether the line must match the expression, or must not.
    pub(super) matches: bool,
    pub(super) regex: String,
    /// Lines to take an example from that is well, and one that is not.
    pub(super) lines: Vec<String>,
}

impl Line {
    /// The page of the demand.
    ///
    /// # Errors
    /// When the expression is none of ours.
    pub(super) fn draft(self, mut draft: Draft) -> Result<Draft, String> {
        let Self { demand, matches, regex, lines } = self;
        let compiled =
            Regex::new(&regex).map_err(|_| format!("`{regex}` is no expression of ours"))?;
        let key = if matches { "matches" } else { "not-matches" };
        draft.demand = demand;
        draft.check = Some(json!({"commit": {"subject": {key: regex}}}));
        for passes in [false, true] {
            let fits = |line: &&String| (compiled.is_match(line) == matches) == passes;
            if let Some(line) = lines.iter().find(fits) {
                draft = draft.example(passes, MESSAGE, format!("{line}\n"));
            }
        }
        Ok(skipping(draft))
    }
}

/// The cases that a part which an expression of the configuration finds is never in.
///
/// # Errors
/// When the rule demands something else.
pub(super) fn case(one: &Set<'_>, pattern: &str, names: &[String]) -> Result<Line, String> {
    let Some(part) = one.name.strip_suffix("-case").filter(|_| one.never) else {
        return Err(format!(
            "with the parser's own `headerPattern`, `{pattern}`, only forbidden cases are imported, and, where `type-empty` and `subject-empty` are `never`, the allowed types and scopes; write a page with `commit: {{ subject: … }}`"
        ));
    };
    let with = |inner: &str| filled(pattern, names, &[(part, inner)]);
    let regex = with(&cases::any(one, part)?)
        .ok_or_else(|| format!("`{pattern}`, the expression of its parser, finds no {part}"))?;
    // First lines that the expression takes apart.
    let words = ["some words", "Some words", "SOME", "someWords", "some Words", "x"];
    let line = |word: &&str| sample::of_regex(&with(word)?);
    let lines = words.iter().filter_map(line).collect();
    let cases = listed(&cases::names(&one.value)?, "or");
    let demand = format!("The {} of a commit message is NEVER in {cases}.", called(part));
    Ok(Line { demand, matches: false, regex, lines })
}

/// The one page on the whole first line.
pub(super) fn line(set: &[Set<'_>], pattern: &str, names: &[String]) -> Result<Line, String> {
    let find = |name: String| set.iter().find(|one| one.name == name);
    let mut parts: Vec<(&str, String)> = Vec::new();
    let mut said = Vec::new();
    for part in ["type", "scope"] {
        let all = find(format!("{part}-enum")).filter(|one| !one.never);
        let all = all.map(|one| enumerated(&one.value)).unwrap_or_default();
        if all.is_empty() {
            continue;
        }
        let one: Vec<String> = all.iter().map(|name| regex::escape(name)).collect();
        let one = one.join("|");
        let several = format!("(?:{one})(?:{}(?:{one}))*", TABLES.parted);
        parts.push((part, if part == "scope" { several } else { one }));
        said.push(format!("the {part} one of {}", listed(&all, "and")));
    }
    for part in ["type", "subject"] {
        if find(format!("{part}-empty")).is_none_or(|one| !one.never) {
            continue;
        }
        if !names.iter().any(|name| name == part) {
            return Err(format!("its parser, `{pattern}`, finds no {part}, and it demands one"));
        }
        if parts.iter().all(|(given, _)| *given != part) {
            // What the expression of the configuration asks of it stays.
            said.push(format!("with a {}", called(part)));
        }
    }
    let given: Vec<(&str, &str)> = parts.iter().map(|(part, inner)| (*part, &**inner)).collect();
    let regex = filled(pattern, names, &given).ok_or_else(|| {
        format!("`{pattern}`, the expression of its parser, does not find all that is demanded")
    })?;
    let mut lines: Vec<String> = sample::of_regex(&regex).into_iter().collect();
    lines.extend(["Update", "%", ""].map(str::to_owned));
    let said: String = said.iter().map(|said| format!(", {said}")).collect();
    let demand = format!("The first line of a commit message MUST match `{pattern}`{said}.");
    Ok(Line { demand, matches: true, regex, lines })
}
