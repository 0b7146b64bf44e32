//! The form `data`: tests of values in JSON, YAML, TOML and front matter.

mod compare;
mod data_test;
mod error;
mod fixes;
mod path;

use crate::parse::values::{Format, Values};
use crate::rules::rule::{Report, Rule};
use crate::text::captures;
use crate::text::files::{Files, SIDE_FILE_LIMIT};
use crate::text::finding::RuleId;
use crate::text::paths::Globs;
use crate::text::source::{Source, Span};
use aidd_page::{DataHeader, FixHeader, Form};
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use data_test::FileUnderTest;

pub use data_test::{DataTest, Violation};
pub use error::{DataError, PlaceFault};

/// All `data` tests of an engine.
#[derive(Default)]
pub struct DataPatterns {
    patterns: Vec<DataPattern>,
}

struct DataPattern {
    rule: Rule,
    /// Compiled when the rule first runs, because most rules are disabled. `None`: the test is
    /// invalid.
    ready: OnceLock<Option<Ready>>,
}

struct Ready {
    test: DataTest,
    /// The conditions of the test (`where`).
    conditions: Vec<DataTest>,
    fix: Option<FixHeader>,
    globs: Globs,
}

impl fmt::Debug for DataPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.patterns.iter().map(|pattern| &pattern.rule.id);
        f.debug_list().entries(rules).finish()
    }
}

impl DataPatterns {
    /// Collects the tests of the `rules` that have one. An invalid test never runs; the finding is
    /// reported on its page.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let of_data = rules.iter().filter(|rule| rule.form == Some(Form::Data));
        let pattern = |rule: &Rule| DataPattern { rule: rule.clone(), ready: OnceLock::new() };
        Self { patterns: of_data.map(pattern).collect() }
    }

    /// Whether an enabled rule compares with other files.
    #[must_use]
    pub fn read_others(&self, is_on: &dyn Fn(&str) -> bool) -> bool {
        let mut on = self.patterns.iter().filter(|pattern| is_on(&pattern.rule.id));
        on.any(|pattern| pattern.ready().is_some_and(|ready| ready.test.reads_others()))
    }

    /// Runs all enabled tests over the source of `report`.
    ///
    /// If the source cannot be parsed in its format, returns the place, the reason, and the first
    /// rule that was skipped because of it.
    pub fn run(
        &self,
        files: &dyn Files,
        report: &mut Report<'_>,
    ) -> Option<(Span, String, RuleId)> {
        let source = report.source();
        let format = Format::from_path(source.path())?;
        let mut values = None;
        let mut others = OtherFiles::new(files);
        let mut broken = None;
        for pattern in &self.patterns {
            // Most rules are disabled, and that is cheaper to check than their globs.
            if !report.begin(&pattern.rule.id) {
                continue;
            }
            let Some(ready) = pattern.ready().filter(|one| one.globs.matches(source.path())) else {
                continue;
            };
            let values = values.get_or_insert_with(|| Values::read(format, source.text()));
            if let Some((span, why)) = &values.broken {
                broken.get_or_insert((*span, why.clone(), pattern.rule.id.clone()));
                continue;
            }
            if values.roots.is_empty() {
                continue;
            }
            let place = FileUnderTest { values, path: source.path(), format };
            if !ready.conditions.iter().all(|test| test.violations(&place, &mut others).is_empty())
            {
                continue;
            }
            for broken in ready.test.violations(&place, &mut others) {
                pattern.report(ready, broken, &place, report);
            }
        }
        broken
    }
}

impl DataPattern {
    fn ready(&self) -> Option<&Ready> {
        let make = || {
            let check = self.rule.check.as_ref()?;
            let header = check.data.as_ref()?;
            Some(Ready {
                test: DataTest::new(header).ok()?,
                conditions: header
                    .first
                    .iter()
                    .map(DataTest::new)
                    .collect::<Result<_, _>>()
                    .ok()?,
                fix: check.fix.as_deref().cloned(),
                globs: Globs::from_check(check, self.rule.path.as_deref()),
            })
        };
        self.ready.get_or_init(make).as_ref()
    }

    fn report(
        &self,
        ready: &Ready,
        broken: Violation,
        place: &FileUnderTest<'_>,
        report: &mut Report<'_>,
    ) {
        let source = report.source();
        let fix = ready.fix.as_ref().and_then(|fix| {
            let fixed = fixes::fix(fix, &ready.test, &broken, place, source.text())?;
            Some((fix.safe, fixed))
        });
        let value = source.slice(broken.span).trim_matches(['"', '\'']).to_owned();
        let wanted = broken.wanted.clone().unwrap_or_default();
        let said = self.rule.message.as_deref().map(|message| {
            super::fill(message, source, broken.span, |name| match name {
                "value" => Some(value.clone()),
                "wanted" => Some(wanted.clone()),
                "key" => Some(broken.key.clone()),
                _ => None,
            })
        });
        let help = match (&self.rule.help, &said) {
            (Some(help), _) => Some(help.clone()),
            (None, Some(_)) => Some(broken.message.clone()),
            (None, None) => None,
        };
        let finding = report.at(broken.span, said.unwrap_or(broken.message));
        finding.help = help;
        match fix {
            Some((true, (title, edit))) => drop(finding.fix(title, vec![edit])),
            Some((false, (title, edit))) => drop(finding.fix_unsafe(title, vec![edit])),
            None => {}
        }
    }
}

/// Other files that tests read, each parsed at most once.
pub(crate) struct OtherFiles<'a> {
    pub(crate) files: &'a dyn Files,
    read: HashMap<String, Option<Values>>,
}

impl<'a> OtherFiles<'a> {
    /// An empty cache that reads from `files`.
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self { files, read: HashMap::new() }
    }

    /// The data of the file at `path`; `None` if it cannot be read or contains none.
    fn values(&mut self, path: &str) -> Option<&Values> {
        let files = self.files;
        let read = || {
            let format = Format::from_path(path)?;
            let bytes = files.read(path, SIDE_FILE_LIMIT).ok()?;
            let source = Source::decode(path, bytes);
            let values = Values::read(format, source.text());
            (!values.roots.is_empty()).then_some(values)
        };
        self.read.entry(path.to_owned()).or_insert_with(read).as_ref()
    }
}

/// Whether the condition `header`, a test of a named file, is true.
pub(crate) fn is_met(header: &DataHeader, files: &dyn Files) -> bool {
    let Some(path) = header.file.as_deref() else { return false };
    let Ok(test) = DataTest::new(header) else { return false };
    let mut others = OtherFiles::new(files);
    let Some(values) = others.values(path).cloned() else { return header.absent };
    let format = Format::from_path(path).unwrap_or(Format::Json);
    let place = FileUnderTest { values: &values, path, format };
    // A condition applies to a value, so that value must exist.
    let there = header.absent || !test.select(&place).is_empty();
    there && test.violations(&place, &mut others).is_empty()
}

/// The violations of the front matter `tests` in the Markdown file at `path`.
#[must_use]
pub fn front_matter(
    tests: &[DataTest],
    path: &str,
    text: &str,
    files: &dyn Files,
) -> Vec<Violation> {
    let values = Values::read(Format::FrontMatter, text);
    let place = FileUnderTest { values: &values, path, format: Format::FrontMatter };
    let mut others = OtherFiles::new(files);
    tests.iter().flat_map(|test| test.violations(&place, &mut others)).collect()
}

/// Checks whether the header of a data test is valid.
///
/// # Errors
/// The invalid path, expression or version.
pub(crate) fn check_header(header: &DataHeader) -> Result<(), String> {
    let said = |error: DataError| error.to_string();
    DataTest::new(header).map_err(said)?;
    for test in &header.first {
        DataTest::new(test).map_err(said)?;
    }
    let same = header.same.as_ref().and_then(|same| same.file.as_ref());
    match same.into_iter().chain(&header.file).find(|file| captures::has_glob(file)) {
        Some(glob) => Err(format!("`file` must name one file, not a glob: `{glob}`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
