//! Rules on first lines that an expression of the configuration takes apart.

use super::super::draft::Draft;
use super::super::{listed, sample};
use super::parse::{filled, may_miss};
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

fn one_of(names: &[String]) -> String {
    names.iter().map(|name| regex::escape(name)).collect::<Vec<_>>().join("|")
}

/// A rule on a part that an expression of the configuration finds: what it must not be.
pub(super) fn part(one: &Set<'_>, pattern: &str, names: &[String]) -> Result<Line, String> {
    let (part, asked) = one.name.split_once('-').unwrap_or((one.name, ""));
    let said = called(part);
    let number = one.value.as_u64();
    let all = enumerated(&one.value);
    let (text, inner) = match asked {
        "case" if one.never => {
            let names = listed(&cases::names(&one.value)?, "or");
            (format!("is NEVER in {names}"), cases::any(one, part)?)
        }
        "case" => {
            let not = cases::none(one).ok_or("what is in none of these cases is not said by an expression, and its parser has one of its own")?;
            (format!("MUST be in {}", listed(&cases::names(&one.value)?, "or")), not)
        }
        "enum" if one.never => (format!("is NEVER {}", listed(&all, "or")), one_of(&all)),
        "max-length" => {
            let most = number.filter(|most| *most < 1000).ok_or("it has no number below 1000")?;
            (format!("MUST have at most {most} characters"), format!(".{{{},}}", most + 1))
        }
        "min-length" => {
            let least = number.filter(|least| (1..=1000).contains(least));
            let least = least.ok_or("it has no number up to 1000")?;
            (format!("MUST have at least {least} characters"), format!(".{{0,{}}}", least - 1))
        }
        _ => {
            return Err(format!(
                "its parser, `{pattern}`, may find no {said}; demand `type-empty` and `subject-empty`, too, for one page that says all of the line"
            ));
        }
    };
    let with = |inner: &str| filled(pattern, names, &[(part, inner)]);
    let regex = with(&inner)
        .ok_or_else(|| format!("`{pattern}`, the expression of its parser, finds no {part}"))?;
    // First lines that the expression takes apart.
    let length = usize::try_from(number.unwrap_or(9).min(1000)).unwrap_or(9);
    let plain = ["some words", "Some words", "SOME", "someWords", "some Words", "x"];
    let mut words = all;
    words.extend(["x".repeat(length + 1), "x".repeat(length)]);
    words.extend(plain.map(str::to_owned));
    let line = |word: &String| sample::of_regex(&with(&regex::escape(word))?);
    let lines = words.iter().filter_map(line).collect();
    let demand = format!("The {said} of a commit message {text}.");
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
        let one = one_of(&all);
        let several = format!("(?:{one})(?:{}(?:{one}))*", TABLES.parted);
        parts.push((part, if part == "scope" { several } else { one }));
        said.push(format!("the {part} one of {}", listed(&all, "and")));
    }
    for part in ["type", "scope", "subject"] {
        if find(format!("{part}-empty")).is_none_or(|one| !one.never) {
            continue;
        }
        let is_named = names.iter().any(|name| name == part);
        if !is_named || part == "scope" && may_miss(pattern, names, part) {
            return Err(format!("its parser, `{pattern}`, may find no {part}, and it demands one"));
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
