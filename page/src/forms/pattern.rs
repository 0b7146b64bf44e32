//! Patterns in text and in syntax trees.

use super::super::values::{Many, Yaml};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A text pattern: a regular expression with conditions on the match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextHeader {
    /// Rust regular expression. The finding covers the group named `at`, else the whole match. Set
    /// exactly one of `regex`, `assigned` and `swap`.
    #[serde(default)]
    pub regex: Option<String>,
    /// Rust regular expression for a value assigned to a name that contains one of the keywords, in
    /// any notation: `KEYWORD_token = "…"`, `"keyword": "…"`, `<keyword>…`, `--keyword …`. The
    /// finding covers the value.
    #[serde(default)]
    pub assigned: Option<String>,
    /// Word → replacement, instead of an expression. Matches whole words, ignoring case; a word
    /// that is already written as its replacement is not reported.
    #[serde(default)]
    pub swap: BTreeMap<String, String>,
    /// The parts of the file in which a match must start, as determined by the parser of the file's
    /// language. A file without a parser has no parts and is not checked. Empty: everywhere.
    #[serde(default, rename = "in")]
    pub within: Many<Part>,
    /// Only matches that start in this many first lines count. With `last`: in the first or last
    /// lines.
    #[serde(default)]
    pub first: Option<u32>,
    /// Only matches that start in this many last lines count.
    #[serde(default)]
    pub last: Option<u32>,
    /// Maximum number of matches per file; further matches are findings.
    #[serde(default)]
    pub max: Option<u32>,
    /// The file must have a match; otherwise the finding is on its first line.
    #[serde(default)]
    pub require: bool,
    /// Literals, compared ignoring ASCII case: the expression is tried only on the lines around a
    /// keyword. Empty: tried on the whole text.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub keywords: Vec<String>,
    /// How many bytes past the keyword's line a match can extend, for patterns over several lines.
    #[serde(default)]
    pub reach: u32,
    /// Minimum Shannon entropy of the finding's text, in bits per character.
    #[serde(default)]
    pub entropy: f32,
    /// The finding's text must look random: no words, mixed character classes.
    #[serde(default)]
    pub random: bool,
    /// The finding's text must look like a real password: not a word, and not next to a host, that
    /// is common in examples.
    #[serde(default)]
    pub password: bool,
    /// The finding's text must not match any of these expressions.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub unless: Vec<String>,
    /// The whole match must not match any of these expressions. Use it when the text that excludes
    /// a finding is outside the finding, such as the host of a URL with a password.
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
    /// Comments, including those of HTML and Markdown.
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
    /// Identified by its surroundings only.
    Low,
    /// Identified by its shape and its surroundings.
    Medium,
    /// Identified by a shape that nothing else has.
    High,
}

/// A syntax pattern: the keys of an ast-grep rule that a page does not already have.
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
    /// New meta variables derived from others.
    #[serde(default)]
    pub transform: Option<Yaml>,
    /// The replacement, with meta variables.
    #[serde(default)]
    pub fix: Option<Yaml>,
    /// The fix preserves the meaning of the file.
    #[serde(default)]
    pub safe: bool,
    /// A regular expression that the text after the finding on its last line must not match.
    #[serde(default)]
    pub unless_followed_by: Option<String>,
    /// Meta variable → the message of a related location.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl TextHeader {
    /// The words, in lower case, of which a text must contain one for the pattern to be tried. The
    /// empty word means that the pattern is tried on every text.
    #[must_use]
    pub fn words(&self) -> BTreeSet<String> {
        let lower = |word: &str| word.to_ascii_lowercase();
        let given = self.keywords.iter().filter(|word| !word.is_empty());
        let given: BTreeSet<String> = given.map(|word| lower(word)).collect();
        let first = |word: &'_ str| word.split_whitespace().next().map(lower).unwrap_or_default();
        // The search for these words folds ASCII case only.
        if given.is_empty() && !self.swap.is_empty() && self.swap.keys().all(|word| word.is_ascii())
        {
            return self.swap.keys().map(|word| first(word)).collect();
        }
        if given.is_empty() { BTreeSet::from([String::new()]) } else { given }
    }

    pub(super) fn shape_error(&self) -> Option<String> {
        let ways = [self.regex.is_some(), self.assigned.is_some(), !self.swap.is_empty()];
        if ways.into_iter().filter(|way| *way).count() != 1 {
            return Some(
                "a text pattern must have exactly one of `regex`, `assigned` and `swap`".to_owned(),
            );
        }
        let counts = [(self.first, "first"), (self.last, "last")];
        if let Some((_, name)) = counts.into_iter().find(|(count, _)| *count == Some(0)) {
            return Some(format!("`{name}` must be at least 1 line"));
        }
        if self.within.len() > 1 && self.within.contains(&Part::All) {
            return Some("`in`: `all` cannot be combined with other parts".to_owned());
        }
        if !self.swap.is_empty() {
            if self.require {
                return Some("`swap` cannot be combined with `require`".to_owned());
            }
            let empty = |(word, better): (&String, &String)| {
                word.trim().is_empty() || better.trim().is_empty()
            };
            if self.swap.iter().any(empty) {
                return Some(
                    "each entry of `swap` must have a word and its replacement".to_owned(),
                );
            }
        }
        let whole = [
            (self.require, "require"),
            (self.max.is_some(), "max"),
            (self.first.is_some(), "first"),
            (self.last.is_some(), "last"),
            (!self.within.is_empty(), "in"),
            (!self.swap.is_empty(), "swap"),
        ];
        let asked = whole.into_iter().find(|(asked, _)| *asked)?.1;
        // In large files only the text around keywords is read.
        self.secret.map(|_| {
            format!("`{asked}` needs the whole file; a `secret` pattern reads only parts of it")
        })
    }
}
