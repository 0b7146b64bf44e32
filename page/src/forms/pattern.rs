//! Patterns in the text and in the syntax tree.

use super::super::values::{Many, Yaml};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A text pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextHeader {
    /// Rust regular expression. The finding covers the group named `at`, else the whole match.
    /// Exactly one of `regex` and `assigned` is given.
    #[serde(default)]
    pub regex: Option<String>,
    /// Rust regular expression of a value that is assigned to a name which contains one of the
    /// keywords, in any notation: `KEYWORD_token = "…"`, `"keyword": "…"`, `<keyword>…`,
    /// `--keyword …`. The finding covers the value.
    #[serde(default)]
    pub assigned: Option<String>,
    /// Word → the better word, instead of an expression. Words are compared without regard to case,
    /// and only as whole words; one that is written as the better word is, is well.
    #[serde(default)]
    pub swap: BTreeMap<String, String>,
    /// The parts of a file in which a match counts: where it begins, by the parser of the file's
    /// language. A file without a parser has no parts, and is not judged. None: everywhere.
    #[serde(default, rename = "in")]
    pub within: Many<Part>,
    /// A match counts when it begins in the first lines, this many of them. With `last`: in
    /// either.
    #[serde(default)]
    pub first: Option<u32>,
    /// A match counts when it begins in the last lines, this many of them.
    #[serde(default)]
    pub last: Option<u32>,
    /// How many matches a file may have; those after them are findings.
    #[serde(default)]
    pub max: Option<u32>,
    /// A file must have a match; the finding is on the first line of one that has none.
    #[serde(default)]
    pub require: bool,
    /// Literals, compared without regard to ASCII case: the expression is tried only on the lines
    /// around one of them. Empty: tried on the whole text.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub keywords: Vec<String>,
    /// Bytes past the keyword's line that a match may reach into; for patterns over several lines.
    #[serde(default)]
    pub reach: u32,
    /// Least Shannon entropy of the finding's text, in bits per character.
    #[serde(default)]
    pub entropy: f32,
    /// The finding's text must look random: no words, mixed character classes.
    #[serde(default)]
    pub random: bool,
    /// The finding's text is a password: none of the words, and beside none of the hosts, that
    /// examples are written with.
    #[serde(default)]
    pub password: bool,
    /// The finding's text must not match any of these expressions.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub unless: Vec<String>,
    /// The whole match must not match any of these expressions: for what excuses a finding but
    /// stands beside it, as the host of a URL beside its password.
    #[serde(default)]
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub unless_match: Vec<String>,
    /// The match is a secret: never shown, tried on files of any size and kind. The value says how
    /// sure a match is; the surer rule wins where two match the same text.
    #[serde(default)]
    pub secret: Option<Confidence>,
}

/// A part of a file, as its parser sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Everywhere.
    All,
    /// Of a program what is neither comment nor string; of Markdown its code blocks and what stands
    /// in backticks.
    Code,
    /// Comments, also those of HTML and Markdown.
    Comments,
    /// Strings, without what is put into them.
    Strings,
    /// Running text: of Markdown what is neither heading nor code, of HTML and JSX the text between
    /// tags, of a `.txt` file all.
    Prose,
    /// Headings of Markdown and HTML.
    Headings,
}

/// How sure a match of a secret pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// By its surroundings only.
    Low,
    /// By its shape and its surroundings.
    Medium,
    /// By a shape that nothing else has.
    High,
}

/// A syntax pattern: the parts of an ast-grep rule that a page does not already have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntaxHeader {
    /// Languages, by ast-grep's names; `typescript` also covers TSX.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub language: Vec<String>,
    /// The rule object.
    pub rule: Yaml,
    /// Rules on single meta variables.
    #[serde(default)]
    pub constraints: Option<Yaml>,
    /// Named rules used by `matches`.
    #[serde(default)]
    pub utils: Option<Yaml>,
    /// New meta variables made of others.
    #[serde(default)]
    pub transform: Option<Yaml>,
    /// The replacement, with meta variables.
    #[serde(default)]
    pub fix: Option<Yaml>,
    /// The fix keeps the meaning of the file.
    #[serde(default)]
    pub safe: bool,
    /// An expression that what stands behind the finding on its last line must not match.
    #[serde(default)]
    pub unless_beside: Option<String>,
    /// Meta variable → what a related place says.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl TextHeader {
    /// What a text must hold for the pattern to be tried, in lower case; the empty word: it is tried
    /// on every text.
    #[must_use]
    pub fn words(&self) -> BTreeSet<String> {
        let lower = |word: &str| word.to_ascii_lowercase();
        let given = self.keywords.iter().filter(|word| !word.is_empty());
        let given: BTreeSet<String> = given.map(|word| lower(word)).collect();
        let first = |word: &'_ str| word.split_whitespace().next().map(lower).unwrap_or_default();
        // Only the case of ASCII is folded where they are looked for.
        if given.is_empty() && !self.swap.is_empty() && self.swap.keys().all(|word| word.is_ascii())
        {
            return self.swap.keys().map(|word| first(word)).collect();
        }
        if given.is_empty() { BTreeSet::from([String::new()]) } else { given }
    }

    pub(super) fn misshapen(&self) -> Option<String> {
        let ways = [self.regex.is_some(), self.assigned.is_some(), !self.swap.is_empty()];
        if ways.into_iter().filter(|way| *way).count() != 1 {
            return Some(
                "a text pattern has exactly one of `regex`, `assigned` and `swap`".to_owned(),
            );
        }
        let counts = [(self.first, "first"), (self.last, "last")];
        if let Some((_, name)) = counts.into_iter().find(|(count, _)| *count == Some(0)) {
            return Some(format!("`{name}` is a number of lines, from 1"));
        }
        if self.within.len() > 1 && self.within.contains(&Part::All) {
            return Some("`in`: `all` leaves no other part to name".to_owned());
        }
        if !self.swap.is_empty() {
            if self.require {
                return Some("`swap` says what to avoid, `require` what there must be".to_owned());
            }
            let empty = |(word, better): (&String, &String)| {
                word.trim().is_empty() || better.trim().is_empty()
            };
            if self.swap.iter().any(empty) {
                return Some("`swap` has a word and a better word on each line".to_owned());
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
        // Of a large file only pieces around keywords are read.
        self.secret.map(|_| {
            format!("`{asked}` asks for the whole file; a `secret` is looked for in pieces of it")
        })
    }
}
