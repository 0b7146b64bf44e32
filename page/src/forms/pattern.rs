//! Patterns in text and in syntax trees.

use super::super::values::{Many, Yaml};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A text pattern: a regular expression with conditions on the match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextHeader {
    /// Rust regular expression. The finding covers the group named `at`, or the whole match if
    /// there is no such group. Set exactly one of `regex`, `assigned` and `swap`.
    #[serde(default)]
    pub regex: Option<String>,
    /// Rust regular expression for a value assigned to a name that contains one of the keywords, in
    /// any notation: `KEYWORD_token = "…"`, `"keyword": "…"`, `<keyword>…`, `--keyword …`. The
    /// finding covers the value.
    #[serde(default)]
    pub assigned: Option<String>,
    /// Word → replacement, instead of an expression. Matches complete words, ignoring case; a word
    /// that is already identical to its replacement is not reported.
    #[serde(default)]
    pub swap: BTreeMap<String, String>,
    /// The parts of the file in which a match must start, as determined by the parser of the file's
    /// language. A file without a parser has no parts and is not checked. Empty: everywhere.
    #[serde(default, rename = "in")]
    pub parts: Many<Part>,
    /// Only matches that start in the first N lines of the file count. With `last`: in the first or
    /// the last lines.
    #[serde(default)]
    pub first: Option<u32>,
    /// Only matches that start in the last N lines of the file count.
    #[serde(default)]
    pub last: Option<u32>,
    /// Maximum number of matches per file; further matches are findings.
    #[serde(default)]
    pub max: Option<u32>,
    /// The file must have a match; if it has none, the finding is on the first line.
    #[serde(default)]
    pub require: bool,
    /// Literals, compared ignoring ASCII case: the expression is tried only on the lines around a
    /// keyword. Empty: the expression is tried on the whole text.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub keywords: Vec<String>,
    /// The maximum number of bytes that a match can extend past the line of the keyword, for
    /// patterns over several lines.
    #[serde(default)]
    pub reach: u32,
    /// Minimum Shannon entropy of the finding's text, in bits per character.
    #[serde(default)]
    pub entropy: f32,
    /// The finding's text must look random: no words, mixed character classes.
    #[serde(default)]
    pub random: bool,
    /// The finding's text must look like a real password: neither the text nor an adjacent host
    /// name is typical of examples.
    #[serde(default)]
    pub password: bool,
    /// The finding's text must not match any of these expressions.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub unless: Vec<String>,
    /// The whole match must not match any of these expressions. Use this key when the text that
    /// excludes a finding is outside the finding, such as the host of a URL with a password.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub unless_match: Vec<String>,
    /// The match is a secret: it is never displayed, and files of any size and kind are searched.
    /// The value is the confidence of a match; if two rules match the same text, the more confident
    /// rule wins.
    #[serde(default)]
    pub secret: Option<Confidence>,
}

/// A part of a file, as its parser sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The whole file.
    All,
    /// In programs, everything except comments and strings; in Markdown, code blocks and text in
    /// backticks.
    Code,
    /// Comments, including comments in HTML and Markdown.
    Comments,
    /// Strings, without interpolated expressions.
    Strings,
    /// Running text: in Markdown everything except headings and code, in HTML and JSX the text
    /// between tags, in `.txt` files the whole file.
    Prose,
    /// Headings of Markdown and HTML.
    Headings,
}

/// The confidence in a match of a secret pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The secret is identified only by its context.
    Low,
    /// The secret is identified by its format and its context.
    Medium,
    /// The secret is identified by a format that nothing else has.
    High,
}

/// A syntax pattern: the keys of an ast-grep rule, except the keys that a page defines elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntaxHeader {
    /// Languages, by ast-grep's names; `typescript` also covers TSX.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub language: Vec<String>,
    /// The ast-grep rule object.
    pub rule: Yaml,
    /// Constraints on single meta variables.
    #[serde(default)]
    pub constraints: Option<Yaml>,
    /// Utility rules referenced by `matches`.
    #[serde(default)]
    pub utils: Option<Yaml>,
    /// New meta variables derived from other meta variables.
    #[serde(default)]
    pub transform: Option<Yaml>,
    /// The replacement, with meta variables.
    #[serde(default)]
    pub fix: Option<Yaml>,
    /// Whether the fix preserves the meaning of the file.
    #[serde(default)]
    pub safe: bool,
    /// A regular expression that must not match the text that follows the finding on its last line.
    #[serde(default)]
    pub unless_followed_by: Option<String>,
    /// The other naming convention, which the project can follow instead.
    #[serde(default)]
    pub prevailing: Option<PrevailingHeader>,
    /// Meta variable → the message of a related location.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// Two naming conventions. A finding on a name that follows `other` is not reported if at least as
/// many names of the project follow `other` as `own`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrevailingHeader {
    /// A regular expression that finds names in the text of a file: its first group.
    pub names: String,
    /// A regular expression for names that follow the convention of the rule.
    pub own: String,
    /// A regular expression for names that follow the other convention.
    pub other: String,
}

impl TextHeader {
    /// The lower-case words of the pattern, which is tried only on a text that contains at least
    /// one of them. The empty word means that the pattern is tried on every text.
    #[must_use]
    pub fn words(&self) -> BTreeSet<String> {
        let lower = |word: &str| word.to_ascii_lowercase();
        let keywords = self.keywords.iter().filter(|word| !word.is_empty());
        let keywords: BTreeSet<String> = keywords.map(|word| lower(word)).collect();
        let first = |word: &'_ str| word.split_whitespace().next().map(lower).unwrap_or_default();
        // The search for these words ignores only the case of ASCII letters.
        if keywords.is_empty()
            && !self.swap.is_empty()
            && self.swap.keys().all(|word| word.is_ascii())
        {
            return self.swap.keys().map(|word| first(word)).collect();
        }
        if keywords.is_empty() { BTreeSet::from([String::new()]) } else { keywords }
    }

    pub(super) fn find_error(&self) -> Option<String> {
        let sources = [self.regex.is_some(), self.assigned.is_some(), !self.swap.is_empty()];
        if sources.into_iter().filter(|is_set| *is_set).count() != 1 {
            return Some(
                "a text pattern must have exactly one of `regex`, `assigned` and `swap`".to_owned(),
            );
        }
        let line_limits = [(self.first, "first"), (self.last, "last")];
        if let Some((_, name)) = line_limits.into_iter().find(|(count, _)| *count == Some(0)) {
            return Some(format!("`{name}` must be at least 1 line"));
        }
        if self.parts.len() > 1 && self.parts.contains(&Part::All) {
            return Some("`in`: `all` cannot be combined with other parts".to_owned());
        }
        if !self.swap.is_empty() {
            if self.require {
                return Some("`swap` cannot be combined with `require`".to_owned());
            }
            let is_empty_entry = |(word, better): (&String, &String)| {
                word.trim().is_empty() || better.trim().is_empty()
            };
            if self.swap.iter().any(is_empty_entry) {
                return Some(
                    "each entry of `swap` must have a word and its replacement".to_owned(),
                );
            }
        }
        let whole_file_keys = [
            (self.require, "require"),
            (self.max.is_some(), "max"),
            (self.first.is_some(), "first"),
            (self.last.is_some(), "last"),
            (!self.parts.is_empty(), "in"),
            (!self.swap.is_empty(), "swap"),
        ];
        let key = whole_file_keys.into_iter().find(|(is_set, _)| *is_set)?.1;
        // In large files, only the text around keywords is read.
        self.secret.map(|_| {
            format!("`{key}` requires the whole file, but a `secret` pattern reads only parts of large files; remove one of them")
        })
    }
}
