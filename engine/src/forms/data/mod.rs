//! The form `data`: tests values in JSON, YAML, TOML and front matter.

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
pub use error::{DataError, PathFault};

/// All `data` tests of an engine.
#[derive(Default)]
pub struct DataPatterns {
    patterns: Vec<DataPattern>,
}

struct DataPattern {
    rule: Rule,
    /// Compiled when the rule first runs, because most rules are disabled. `None` if the test is
    /// invalid.
    compiled: OnceLock<Option<Box<CompiledTest>>>,
}

struct CompiledTest {
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
    /// Collects the `data` tests of `rules`. An invalid test never runs; the error is reported on
    /// the rule page.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let data_rules = rules.iter().filter(|rule| rule.form == Some(Form::Data));
        let pattern = |rule: &Rule| DataPattern { rule: rule.clone(), compiled: OnceLock::new() };
        Self { patterns: data_rules.map(pattern).collect() }
    }

    /// Whether an enabled rule compares values with those in other files.
    #[must_use]
    pub fn has_cross_file_tests(&self, is_enabled: &dyn Fn(&str) -> bool) -> bool {
        let mut enabled = self.patterns.iter().filter(|pattern| is_enabled(&pattern.rule.id));
        enabled.any(|pattern| {
            pattern.compiled().is_some_and(|compiled| compiled.test.reads_other_files())
        })
    }

    /// Runs all enabled tests over the source of `report`.
    ///
    /// If the source cannot be parsed in its format, returns the position and the reason of the
    /// error, and the first rule that was skipped because of the error.
    pub fn run(
        &self,
        files: &dyn Files,
        report: &mut Report<'_>,
    ) -> Option<(Span, String, RuleId)> {
        let source = report.source();
        let format = Format::from_path(source.path())?;
        let mut values = None;
        let mut other_files = OtherFiles::new(files);
        let mut parse_error = None;
        for pattern in &self.patterns {
            // Most rules are disabled. Checking this first avoids matching their globs.
            if !report.begin(&pattern.rule.id) {
                continue;
            }
            let Some(compiled) =
                pattern.compiled().filter(|compiled| compiled.globs.matches(source.path()))
            else {
                continue;
            };
            let values = values.get_or_insert_with(|| Values::read(format, source.text()));
            if let Some((span, why)) = &values.broken {
                parse_error.get_or_insert((*span, why.clone(), pattern.rule.id.clone()));
                continue;
            }
            if values.roots.is_empty() {
                continue;
            }
            let tested = FileUnderTest { values, path: source.path(), format };
            if !compiled
                .conditions
                .iter()
                .all(|test| test.violations(&tested, &mut other_files).is_empty())
            {
                continue;
            }
            for violation in compiled.test.violations(&tested, &mut other_files) {
                pattern.report(compiled, violation, &tested, report);
            }
        }
        parse_error
    }
}

impl DataPattern {
    fn compiled(&self) -> Option<&CompiledTest> {
        let compile = || {
            let check = self.rule.check.as_ref()?;
            let header = check.data.as_ref()?;
            Some(Box::new(CompiledTest {
                test: DataTest::new(header).ok()?,
                conditions: header
                    .conditions
                    .iter()
                    .map(DataTest::new)
                    .collect::<Result<_, _>>()
                    .ok()?,
                fix: check.fix.as_deref().cloned(),
                globs: Globs::from_check(check, self.rule.path.as_deref()),
            }))
        };
        self.compiled.get_or_init(compile).as_deref()
    }

    fn report(
        &self,
        compiled: &CompiledTest,
        violation: Violation,
        tested: &FileUnderTest<'_>,
        report: &mut Report<'_>,
    ) {
        let source = report.source();
        let fix = compiled.fix.as_ref().and_then(|fix| {
            let fixed = fixes::fix(fix, &compiled.test, &violation, tested, source.text())?;
            Some((fix.safe, fixed))
        });
        let value = source.slice(violation.span).trim_matches(['"', '\'']).to_owned();
        let expected = violation.expected.clone().unwrap_or_default();
        let page_message = self.rule.message.as_deref().map(|message| {
            super::fill(message, source, violation.span, |name| match name {
                "value" => Some(value.clone()),
                "wanted" => Some(expected.clone()),
                "key" => Some(violation.key.clone()),
                _ => None,
            })
        });
        let help = match (&self.rule.help, &page_message) {
            (Some(help), _) => Some(help.clone()),
            (None, Some(_)) => Some(violation.message.clone()),
            (None, None) => None,
        };
        let finding = report.at(violation.span, page_message.unwrap_or(violation.message));
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

    /// The data of the file at `path`; `None` if the file cannot be read or contains no data.
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
    let mut other_files = OtherFiles::new(files);
    let Some(values) = other_files.values(path).cloned() else { return header.absent };
    let format = Format::from_path(path).unwrap_or(Format::Json);
    let tested = FileUnderTest { values: &values, path, format };
    // A condition applies to a value, so that value must exist.
    let exists = header.absent || !test.select(&tested).is_empty();
    exists && test.violations(&tested, &mut other_files).is_empty()
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
    let tested = FileUnderTest { values: &values, path, format: Format::FrontMatter };
    let mut other_files = OtherFiles::new(files);
    tests.iter().flat_map(|test| test.violations(&tested, &mut other_files)).collect()
}

/// Checks whether the header of a data test is valid.
///
/// # Errors
/// The invalid path, expression or version.
pub(crate) fn check_header(header: &DataHeader) -> Result<(), String> {
    let to_text = |error: DataError| error.to_string();
    DataTest::new(header).map_err(to_text)?;
    for test in &header.conditions {
        DataTest::new(test).map_err(to_text)?;
    }
    let same = header.same.as_ref().and_then(|same| same.file.as_ref());
    match same.into_iter().chain(&header.file).find(|file| captures::has_glob(file)) {
        Some(glob) => Err(format!("`file` must name one file, not a glob: `{glob}`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
