//! The types and scopes of a project's commit messages: those that its rules allow, and those that
//! its history uses.

use super::draft::Style;
use aidd_engine::forms::commits::message::parse_header;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Minimum number of Conventional Commits from which a convention is derived.
const MIN_COMMITS: usize = 3;
/// Minimum share of Conventional Commits for a convention, as a divisor: of projects with fewer, most
/// do not continue with it (docs/benchmarks.md).
const MIN_SHARE_OF: usize = 2;
/// Maximum number of types, and of scopes, reported from a history.
const MAX_NAMES: usize = 20;
/// The types of the Angular convention, which Conventional Commits 1.0 refers to.
const COMMON_TYPES: [&str; 11] =
    ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

/// Maximum length of the first line in the presets of commitlint.
const PRESET_LENGTH: usize = 100;

/// The types and scopes that the project's commit rules allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRules {
    /// The allowed types; empty if any type is allowed.
    pub types: Vec<String>,
    /// The allowed scopes; empty if any scope is allowed.
    pub scopes: Vec<String>,
    /// Whether a scope is required.
    pub scope_required: bool,
    /// The id of the rule, or the path of the commitlint settings, that restricts types and scopes.
    pub rule: Option<String>,
    /// Maximum length of the first line, in characters.
    pub length: Option<usize>,
}

impl CommitRules {
    /// The types and the length that the settings of commitlint at `path` allow, if they consist of
    /// the preset for Conventional Commits.
    #[must_use]
    pub fn from_commitlint(path: &str, text: &str) -> Option<Self> {
        let is_preset = ["conventional", "angular"]
            .iter()
            .any(|preset| text.contains(&format!("@commitlint/config-{preset}")));
        let is_changed = ["type-enum", "header-max-length"].iter().any(|rule| text.contains(rule));
        (is_preset && !is_changed).then(|| Self {
            types: COMMON_TYPES.iter().map(|name| (*name).to_owned()).collect(),
            rule: Some(path.to_owned()),
            length: Some(PRESET_LENGTH),
            ..Self::default()
        })
    }
}

/// The types and scopes for a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Convention {
    /// The allowed types in the order of the rule, or the used types, most frequent first.
    pub types: Vec<String>,
    /// The allowed or used scopes, in the same order.
    pub scopes: Vec<String>,
    /// Whether a scope is required.
    pub scope_required: bool,
    /// The id of the rule, or the path of the commitlint settings, that allows exactly these types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The number of recent commits by people that were read.
    pub commits: usize,
    /// The number of these commits that are Conventional Commits.
    pub conventional: usize,
    /// How the recent messages by people are worded.
    pub style: Style,
    /// The only scopes that the rules allow; empty if any scope is allowed.
    #[serde(skip)]
    allowed_scopes: Vec<String>,
}

impl Convention {
    /// Derives the convention of a project from its rules and the recent messages by people. Without
    /// rules and without a history, the types are [`COMMON_TYPES`].
    pub(super) fn new(allowed: &CommitRules, messages: &[String]) -> Self {
        let subjects: Vec<String> = messages.iter().map(|message| subject(message)).collect();
        let headers: Vec<_> =
            subjects.iter().filter_map(|line| parse_header(line, 0).ok()).collect();
        let is_used = is_convention(headers.len(), messages.len());
        let if_used = |names: Vec<(String, usize)>| -> Vec<(String, usize)> {
            if is_used { names } else { Vec::new() }
        };
        let types = if_used(by_frequency(headers.iter().map(|header| header.commit_type)));
        let scopes = if_used(by_frequency(headers.iter().filter_map(|header| header.scope)));
        let names = |used: &[(String, usize)], allowed: &[String], standard: &[&str]| {
            if !allowed.is_empty() {
                allowed.to_vec()
            } else if !used.is_empty() {
                used.iter().take(MAX_NAMES).map(|(name, _)| name.clone()).collect()
            } else {
                standard.iter().map(|name| (*name).to_owned()).collect()
            }
        };
        Self {
            types: names(&types, &allowed.types, &COMMON_TYPES),
            scopes: names(&scopes, &allowed.scopes, &[]),
            scope_required: allowed.scope_required,
            rule: allowed.rule.clone().filter(|_| !allowed.types.is_empty()),
            commits: subjects.len(),
            conventional: headers.len(),
            style: match allowed.length {
                Some(length) => Style::new(messages).with_length(length),
                None => Style::new(messages),
            },
            allowed_scopes: allowed.scopes.clone(),
        }
    }

    /// Whether the convention contains the type `kind`.
    pub(super) fn allows(&self, kind: &str) -> bool {
        self.types.iter().any(|known| known == kind)
    }

    /// Whether the rules allow the scope.
    pub(super) fn allows_scope(&self, scope: &str) -> bool {
        self.allowed_scopes.is_empty() || self.allowed_scopes.iter().any(|known| known == scope)
    }

    /// Whether the rules or the history show that the project uses Conventional Commits.
    pub(super) fn is_used(&self) -> bool {
        self.rule.is_some() || is_convention(self.conventional, self.commits)
    }

    /// A description of the source of the types.
    pub(super) fn source(&self) -> String {
        match &self.rule {
            Some(rule) => format!("allowed by {rule}"),
            None if self.is_used() => {
                format!("used in the last {} commits", self.commits)
            }
            None => "Conventional Commits".to_owned(),
        }
    }
}

/// Whether the share of Conventional Commits shows a convention.
fn is_convention(conventional: usize, commits: usize) -> bool {
    conventional >= MIN_COMMITS && conventional * MIN_SHARE_OF >= commits
}

/// The first paragraph of a message on one line.
pub(super) fn subject(message: &str) -> String {
    let lines = message.trim_start().lines().take_while(|line| !line.trim().is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Each name with its number of uses, most frequent first.
fn by_frequency<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects(all: &[(&str, usize)]) -> Vec<String> {
        all.iter().flat_map(|(line, count)| vec![(*line).to_owned(); *count]).collect()
    }

    #[test]
    fn types_and_scopes_are_derived_from_the_history() {
        let history = subjects(&[("feat(web): a", 3), ("fix(api)!: b", 8), ("Merge c", 2)]);
        let convention = Convention::new(&CommitRules::default(), &history);
        assert_eq!(convention.types, ["fix", "feat"]);
        assert_eq!(convention.scopes, ["api", "web"]);
        assert_eq!((convention.commits, convention.conventional), (13, 11));
        assert!(convention.is_used());
    }

    #[test]
    fn a_short_history_has_no_convention() {
        let history = subjects(&[("oops(x): a", 9), ("Merge c", 10)]);
        let convention = Convention::new(&CommitRules::default(), &history);
        assert_eq!(convention.types, COMMON_TYPES);
        assert_eq!(convention.scopes, [""; 0]);
        assert!(!convention.is_used());
    }

    #[test]
    fn the_preset_of_commitlint_gives_types_and_length() {
        let read = |text: &str| CommitRules::from_commitlint("commitlint.config.js", text);
        let preset = "module.exports = { extends: ['@commitlint/config-conventional'] };";
        let history = subjects(&[("Fix a", 9)]);
        let convention = Convention::new(&read(preset).expect("a preset"), &history);
        assert!(convention.is_used());
        assert_eq!(convention.types, COMMON_TYPES);
        assert_eq!(convention.style.length, 100);
        assert_eq!(convention.source(), "allowed by commitlint.config.js");
        let changed = "extends: ['@commitlint/config-conventional'], rules: { 'type-enum': [2] }";
        assert_eq!(read(changed), None);
    }

    #[test]
    fn rules_take_precedence_over_the_history() {
        let allowed = CommitRules {
            types: vec!["feat".to_owned(), "fix".to_owned()],
            rule: Some("t/x".to_owned()),
            ..CommitRules::default()
        };
        let history = subjects(&[("chore(web): a", 8), ("fix(api): b", 4)]);
        let convention = Convention::new(&allowed, &history);
        assert_eq!(convention.types, ["feat", "fix"]);
        assert_eq!(convention.scopes, ["web", "api"]);
        assert_eq!(convention.rule.as_deref(), Some("t/x"));
        assert!(!convention.allows("chore"));
    }
}
