//! Naming conventions: findings on names that follow the prevailing convention of the project are
//! not reported.

use crate::forms::expression;
use crate::rules::registry::Registry;
use crate::text::files::Files;
use crate::text::finding::{Finding, RuleId};
use crate::text::purpose::Purpose;
use crate::text::source::Source;
use aidd_page::{Form, PrevailingHeader, SyntaxHeader};
use regex::Regex;
use std::collections::{BTreeSet, HashSet};

/// Maximum number of files whose names are counted.
const MAX_FILES: usize = 40;
/// Maximum size in bytes of a file whose names are counted.
const MAX_LEN: u64 = 128 << 10;
/// Minimum number of names that follow the other convention.
const MIN_NAMES: usize = 5;

/// The compiled expressions of a [`PrevailingHeader`].
struct Conventions {
    names: Regex,
    own: Regex,
    other: Regex,
}

impl Conventions {
    fn compile(header: &PrevailingHeader) -> Result<Self, String> {
        let compile = |key: &str, text: &str| {
            expression::check(text).map_err(|why| format!("`prevailing.{key}`: {why}"))?;
            Regex::new(text).map_err(|error| format!("`prevailing.{key}`: {error}"))
        };
        let names = compile("names", &header.names)?;
        if names.captures_len() < 2 {
            return Err("`prevailing.names` has no group for the name".to_owned());
        }
        Ok(Self {
            names,
            own: compile("own", &header.own)?,
            other: compile("other", &header.other)?,
        })
    }

    /// The starts of the names in `text` that follow the other convention.
    fn other_names(&self, text: &str) -> HashSet<usize> {
        let names = self.names.captures_iter(text).filter_map(|found| found.get(1));
        let other = names.filter(|name| self.other.is_match(name.as_str()));
        other.map(|name| name.start()).collect()
    }

    /// The number of names in `text` that follow the own and the other convention.
    fn count(&self, text: &str) -> (usize, usize) {
        let names = self.names.captures_iter(text).filter_map(|found| found.get(1));
        names.fold((0, 0), |(own, other), name| {
            let name = name.as_str();
            match self.own.is_match(name) {
                true => (own + 1, other),
                false => (own, other + usize::from(self.other.is_match(name))),
            }
        })
    }

    /// Whether the other convention prevails in the files of the project with the extension of
    /// `source`, as far as the first [`MAX_FILES`] of an even selection show.
    fn other_prevails(&self, source: &Source, files: &dyn Files) -> bool {
        let extension = |path: &str| path.rsplit_once('.').map(|(_, end)| end.to_owned());
        let wanted = extension(source.path());
        let listed = files.listing().map_or(&[][..], |listing| listing.files());
        let is_own = |path: &&String| {
            ***path != *source.path()
                && extension(path) == wanted
                && Purpose::from_path(path) == Purpose::Product
        };
        let paths: Vec<&String> = listed.iter().filter(is_own).collect();
        let step = paths.len().div_ceil(MAX_FILES).max(1);
        let (mut own, mut other) = self.count(source.text());
        for path in paths.into_iter().step_by(step) {
            let Ok(bytes) = files.read(path, MAX_LEN) else { continue };
            let counts = self.count(&String::from_utf8_lossy(&bytes));
            own += counts.0;
            other += counts.1;
        }
        other >= MIN_NAMES && other >= own
    }
}

/// Checks the expressions of the page.
pub(super) fn validate(header: &SyntaxHeader) -> Result<(), String> {
    header.prevailing.as_ref().map_or(Ok(()), |header| Conventions::compile(header).map(|_| ()))
}

/// Removes the findings on names that follow the prevailing convention of the project. Other files
/// are read only if there is such a finding, and once per run.
pub(crate) fn remove(
    source: &Source,
    files: &dyn Files,
    registry: &Registry,
    findings: &mut Vec<Finding>,
) {
    let header = |rule: &str| {
        let rule = registry.get(rule).filter(|rule| rule.form == Some(Form::Syntax))?;
        rule.check.as_ref()?.syntax.as_ref()?.prevailing.as_ref()
    };
    let rules: BTreeSet<RuleId> = findings.iter().map(|finding| finding.rule.clone()).collect();
    for rule in rules {
        let Some(conventions) = header(&rule).and_then(|it| Conventions::compile(it).ok()) else {
            continue;
        };
        let names = conventions.other_names(source.text());
        let is_other = |finding: &Finding| {
            finding.rule == rule && names.contains(&(finding.span.start as usize))
        };
        if !findings.iter().any(is_other) {
            continue;
        }
        let extension = source.path().rsplit_once('.').map_or("", |(_, end)| end);
        let question = format!("prevailing names of {rule} in {extension}");
        let prevails = || conventions.other_prevails(source, files);
        let other_prevails = match files.listing() {
            Some(listing) => listing.answer(&question, prevails),
            None => prevails(),
        };
        findings.retain(|finding| !(other_prevails && is_other(finding)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::{Listed, Memory};
    use crate::text::listing::Listing;

    fn prevails(own: usize, other: usize) -> bool {
        let header = PrevailingHeader {
            names: r"(?m)^def (\w+)".to_owned(),
            own: "^[a-z_]+$".to_owned(),
            other: "^[a-z]+[A-Z]".to_owned(),
        };
        let text = "def own():\n".repeat(own) + &"def otherName():\n".repeat(other);
        let paths = ["a.py", "b.py", "tests/c.py"].map(str::to_owned);
        let many = "def own():\n".repeat(100).into_bytes();
        let memory =
            Memory([(paths[1].clone(), text.into_bytes()), (paths[2].clone(), many)].into());
        let listing = Listing::new(paths);
        let files = Listed { files: &memory, listing: &listing };
        let source = Source::new("a.py", "def thirdName():\nclass className:\n");
        let conventions = Conventions::compile(&header).expect("valid");
        // The name of the class is not among the names.
        assert_eq!(conventions.other_names(source.text()), [4].into());
        conventions.other_prevails(&source, &files)
    }

    #[test]
    fn the_more_frequent_convention_prevails_except_in_tests() {
        assert!(prevails(10, 9));
        assert!(!prevails(11, 9));
        assert!(!prevails(0, 3), "too few names");
        assert!(prevails(0, 4));
    }

    #[test]
    fn names_need_a_group() {
        let header = |names: &str| PrevailingHeader {
            names: names.to_owned(),
            own: "a".to_owned(),
            other: "b".to_owned(),
        };
        let error = |names| Conventions::compile(&header(names)).err();
        let missing = "`prevailing.names` has no group for the name".to_owned();
        assert_eq!(error("def"), Some(missing));
        assert!(error("(").is_some_and(|why| why.starts_with("`prevailing.names`: ")));
    }
}
