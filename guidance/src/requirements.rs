//! The requirements of a page: its sentences with MUST, NEVER or similar keywords.

use super::library::Page;
use aidd_lexicon::tables::{List, decisions as table};

/// A requirement of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement<'a> {
    /// The line without its bullet.
    pub text: &'a str,
    /// Whether the requirement is a prohibition.
    pub forbids: bool,
    /// The checks listed at the end of the line, such as `compliance/any-type`.
    pub checks: Vec<&'a str>,
    /// Whether the sentence is under a heading that names a language, and therefore applies only to
    /// files of that language.
    pub is_language_specific: bool,
}

/// The requirements of a page, in order.
#[must_use]
pub fn parse_requirements(page: &Page) -> Vec<Requirement<'_>> {
    let mut requirements = Vec::new();
    let mut is_code = false;
    let mut is_language_specific = false;
    for line in page.body().lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        if is_code || line.starts_with('|') {
            continue;
        }
        if let Some(heading) = line.strip_prefix('#') {
            let names_language = |word: &str| table::LANGUAGES.contains(word.trim_end_matches(','));
            is_language_specific = heading.split_whitespace().any(names_language);
            continue;
        }
        let text = line.trim_start_matches(['-', '*', '+', '>', ' ']);
        let contains_any = |words: List| words.iter().any(|word| contains_word(text, word));
        let forbids = contains_any(table::FORBIDDING);
        if forbids || contains_any(table::REQUIRING) {
            let (text, checks) = split_checks(text);
            requirements.push(Requirement { text, forbids, checks, is_language_specific });
        }
    }
    requirements
}

/// Whether `text` contains `word` between word boundaries.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(offset, _)| {
        let before = text[..offset].chars().next_back();
        let after = text[offset + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Splits a line into its text and the check names at its end.
fn split_checks(line: &str) -> (&str, Vec<&str>) {
    let (mut text, mut checks) = (line.trim_end(), Vec::new());
    while let Some(start) = text.strip_suffix('`').and_then(|inner| inner.rfind('`')) {
        let name = &text[start + 1..text.len() - 1];
        let is_check = name.split_once('/').is_some_and(|(kind, rest)| {
            let is_kebab =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '*';
            !kind.is_empty() && !rest.is_empty() && (kind.to_owned() + rest).chars().all(is_kebab)
        });
        if !is_check {
            break;
        }
        checks.insert(0, name);
        text = text[..start].trim_end();
    }
    (text, checks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Library, PageKind};

    #[test]
    fn requirements_are_parsed_with_their_checks() {
        let library = Library::shipped(&aidd_content::RULES);
        let page = library.get(PageKind::Rules, "code-style").expect("a page");
        let requirements = parse_requirements(page);
        let any = requirements
            .iter()
            .find(|requirement| requirement.text.contains("`any`"))
            .expect("a requirement");
        assert_eq!(any.text, "NEVER use `any`; use `unknown` and a check instead.");
        assert_eq!((any.forbids, &*any.checks), (true, &["compliance/any-type"][..]));
        assert!(any.is_language_specific);
        let length_rule = requirements
            .iter()
            .find(|requirement| requirement.text.contains("300"))
            .expect("a requirement");
        assert!(!length_rule.forbids && !length_rule.is_language_specific);
        assert!(requirements.iter().all(|requirement| !requirement.text.starts_with("SHOULD")));
    }

    #[test]
    fn every_shipped_rule_contains_a_requirement() {
        let library = Library::shipped(&aidd_content::RULES);
        for page in library.pages_of_kind(PageKind::Rules) {
            assert!(!parse_requirements(page).is_empty(), "{}", page.path);
        }
    }

    #[test]
    fn partial_words_and_code_are_not_requirements() {
        assert!(!contains_word("MUSTARD and ALMUST", "MUST"));
        assert_eq!(split_checks("NEVER `a/b` in `c/d`"), ("NEVER `a/b` in", vec!["c/d"]));
        assert_eq!(split_checks("Use `src/` `A/b`"), ("Use `src/` `A/b`", vec![]));
    }
}
