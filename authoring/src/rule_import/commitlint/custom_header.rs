//! Imports rules on first lines that are parsed with a custom expression of the configuration.

use super::super::draft::Draft;
use super::super::{format_list, sample};
use super::parse::fill_groups;
use super::{MESSAGE, RuleSetting, TABLES, cases, enum_names, part_name, skip_defaults};
use regex::Regex;
use serde_json::json;

/// A requirement for the first line.
pub(super) struct HeaderRequirement {
    /// The requirement in words.
    pub(super) requirement: String,
    /// Whether the line must match the expression; otherwise it must not match.
    pub(super) matches: bool,
    pub(super) regex: String,
    /// Candidate lines for a passing and a failing example.
    pub(super) lines: Vec<String>,
}

impl HeaderRequirement {
    /// Adds the requirement, its check and its examples to `draft`.
    ///
    /// # Errors
    /// Fails when our engine does not support the expression.
    pub(super) fn into_draft(self, mut draft: Draft) -> Result<Draft, String> {
        let Self { requirement, matches, regex, lines } = self;
        let compiled =
            Regex::new(&regex).map_err(|_| format!("unsupported expression `{regex}`"))?;
        let key = if matches { "matches" } else { "not-matches" };
        draft.requirement = requirement;
        draft.check = Some(json!({"commit": {"subject": {key: regex}}}));
        for passes in [false, true] {
            let has_result = |line: &&String| (compiled.is_match(line) == matches) == passes;
            if let Some(line) = lines.iter().find(has_result) {
                draft = draft.example(passes, MESSAGE, format!("{line}\n"));
            }
        }
        Ok(skip_defaults(draft))
    }
}

/// Converts a rule that forbids letter cases in a part of the first line that the custom expression
/// captures.
///
/// # Errors
/// Fails when the rule does not forbid letter cases.
pub(super) fn forbidden_cases(
    setting: &RuleSetting<'_>,
    pattern: &str,
    names: &[String],
) -> Result<HeaderRequirement, String> {
    let Some(part) = setting.name.strip_suffix("-case").filter(|_| setting.never) else {
        return Err(format!(
            "unsupported with the custom `headerPattern` `{pattern}`: only forbidden cases are imported and, if `type-empty` and `subject-empty` are `never`, the allowed types and scopes; write a page with `commit: {{ subject: … }}`"
        ));
    };
    let fill = |inner: &str| fill_groups(pattern, names, &[(part, inner)]);
    let regex = fill(&cases::any_case_pattern(setting, part)?)
        .ok_or_else(|| format!("the expression of its parser, `{pattern}`, captures no {part}"))?;
    // First lines that the custom expression matches.
    let words = ["some words", "Some words", "SOME", "someWords", "some Words", "x"];
    let line = |word: &&str| sample::from_regex(&fill(word)?);
    let lines = words.iter().filter_map(line).collect();
    let cases = format_list(&cases::case_names(&setting.value)?, "or");
    let requirement = format!("The {} of a commit message is NEVER in {cases}.", part_name(part));
    Ok(HeaderRequirement { requirement, matches: false, regex, lines })
}

/// The requirement for the whole first line, which covers several rules.
pub(super) fn whole_line(
    set: &[RuleSetting<'_>],
    pattern: &str,
    names: &[String],
) -> Result<HeaderRequirement, String> {
    let find = |name: String| set.iter().find(|setting| setting.name == name);
    let mut parts: Vec<(&str, String)> = Vec::new();
    let mut clauses = Vec::new();
    for part in ["type", "scope"] {
        let all = find(format!("{part}-enum")).filter(|setting| !setting.never);
        let all = all.map(|setting| enum_names(&setting.value)).unwrap_or_default();
        if all.is_empty() {
            continue;
        }
        let names: Vec<String> = all.iter().map(|name| regex::escape(name)).collect();
        let single = names.join("|");
        let several = format!("(?:{single})(?:{}(?:{single}))*", TABLES.scope_separator);
        parts.push((part, if part == "scope" { several } else { single }));
        clauses.push(format!("with {} as the {part}", format_list(&all, "or")));
    }
    for part in ["type", "subject"] {
        if find(format!("{part}-empty")).is_none_or(|setting| !setting.never) {
            continue;
        }
        if !names.iter().any(|name| name == part) {
            return Err(format!("its parser, `{pattern}`, captures no {part}, which is required"));
        }
        if parts.iter().all(|(name, _)| *name != part) {
            // Other restrictions of the custom expression on the part still apply.
            clauses.push(format!("with a {}", part_name(part)));
        }
    }
    let parts: Vec<(&str, &str)> = parts.iter().map(|(part, inner)| (*part, &**inner)).collect();
    let regex = fill_groups(pattern, names, &parts).ok_or_else(|| {
        format!("the expression of its parser, `{pattern}`, does not capture all required parts")
    })?;
    let mut lines: Vec<String> = sample::from_regex(&regex).into_iter().collect();
    lines.extend(["Update", "%", ""].map(str::to_owned));
    let clauses: String = clauses.iter().map(|clause| format!(", {clause}")).collect();
    let requirement =
        format!("The first line of a commit message MUST match `{pattern}`{clauses}.");
    Ok(HeaderRequirement { requirement, matches: true, regex, lines })
}
