//! The form `data`: tests of values in JSON, YAML, TOML and front matter.

mod mend;
mod path;
mod test;

use crate::captures;
use crate::files::{Files, SIDE_FILE_LIMIT};
use crate::finding::RuleId;
use crate::parse::values::{Format, Values};
use crate::paths::Globs;
use crate::rule::{Report, Rule};
use crate::source::Source;
use aidd_content::page::{DataHeader, FixHeader};
use std::collections::HashMap;
use std::fmt;

pub(crate) use test::{Broken, Tested};

/// All data tests of an engine.
#[derive(Default)]
pub struct DataPatterns {
    patterns: Vec<DataPattern>,
}

struct DataPattern {
    rule: RuleId,
    test: Tested,
    /// What must hold first.
    first: Vec<Tested>,
    fix: Option<FixHeader>,
    message: Option<String>,
    help: Option<String>,
    globs: Globs,
}

impl fmt::Debug for DataPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.patterns.iter().map(|pattern| &pattern.rule);
        f.debug_list().entries(rules).finish()
    }
}

impl DataPatterns {
    /// The tests of those `rules` that have one. One that cannot be used is left out: its page
    /// carries the finding.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let pattern = |rule: &Rule| {
            let check = rule.check.as_ref()?;
            let header = check.data.as_ref()?;
            let first = header.first.iter().map(Tested::new).collect::<Result<_, _>>().ok()?;
            Some(DataPattern {
                rule: rule.id.clone(),
                test: Tested::new(header).ok()?,
                first,
                fix: check.fix.clone(),
                message: rule.message.clone(),
                help: rule.help.clone(),
                globs: Globs::of_check(check, rule.path.as_deref()),
            })
        };
        Self { patterns: rules.iter().filter_map(pattern).collect() }
    }

    /// Runs all enabled tests over the source of `report`.
    pub fn run(&self, files: &dyn Files, report: &mut Report<'_>) {
        let source = report.source();
        let Some(format) = Format::of(source.path()) else { return };
        let mut values = None;
        let mut others = Others::new(files);
        for pattern in &self.patterns {
            if !pattern.globs.matches(source.path()) || !report.begin(&pattern.rule) {
                continue;
            }
            let values = values.get_or_insert_with(|| Values::read(format, source.text()));
            let place = test::Place { values, path: source.path(), format };
            let holds = |test: &Tested| test.broken(&place, &mut others).is_empty();
            let mut first = pattern.first.iter();
            // A file that is broken is its own parser's to tell of.
            if values.roots.is_empty()
                || !{
                    let mut holds = holds;
                    first.all(|test| holds(test))
                }
            {
                continue;
            }
            for broken in pattern.test.broken(&place, &mut others) {
                pattern.report(broken, &place, report);
            }
        }
    }
}

impl DataPattern {
    fn report(&self, broken: Broken, place: &test::Place<'_>, report: &mut Report<'_>) {
        let source = report.source();
        let fix = self.fix.as_ref().and_then(|fix| {
            let fixed = mend::mend(fix, &self.test, &broken, place, source.text())?;
            Some((fix.safe, fixed))
        });
        let value = source.slice(broken.span).trim_matches(['"', '\'']).to_owned();
        let wanted = broken.wanted.clone().unwrap_or_default();
        let said = self.message.as_deref().map(|message| {
            super::fill(message, source, broken.span, |name| match name {
                "value" => Some(value.clone()),
                "wanted" => Some(wanted.clone()),
                "key" => Some(broken.key.clone()),
                _ => None,
            })
        });
        let help = match (&self.help, &said) {
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

/// Other files that tests read, each parsed once.
pub(crate) struct Others<'a> {
    pub(crate) files: &'a dyn Files,
    read: HashMap<String, Option<Values>>,
}

impl<'a> Others<'a> {
    /// Files read from `files`.
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self { files, read: HashMap::new() }
    }

    /// The data of the file at `path`; `None` when it cannot be read, or holds none.
    fn values(&mut self, path: &str) -> Option<&Values> {
        let files = self.files;
        let read = || {
            let format = Format::of(path)?;
            let bytes = files.read(path, SIDE_FILE_LIMIT).ok()?;
            let source = Source::decode(path, bytes);
            let values = Values::read(format, source.text());
            (!values.roots.is_empty()).then_some(values)
        };
        self.read.entry(path.to_owned()).or_insert_with(read).as_ref()
    }
}

/// Whether a test of a named file, as a condition has it, holds there.
pub(crate) fn holds(header: &DataHeader, files: &dyn Files) -> bool {
    let Some(path) = header.file.as_deref() else { return false };
    let Ok(test) = Tested::new(header) else { return false };
    let mut others = Others::new(files);
    let Some(values) = others.values(path).cloned() else { return header.absent };
    let format = Format::of(path).unwrap_or(Format::Json);
    let place = test::Place { values: &values, path, format };
    // A condition is about a value, so there must be one.
    let there = header.absent || !test.select(&place).is_empty();
    there && test.broken(&place, &mut others).is_empty()
}

/// What the tests of front matter find wrong in the Markdown at `path`.
pub(crate) fn front_matter(
    tests: &[Tested],
    path: &str,
    text: &str,
    files: &dyn Files,
) -> Vec<Broken> {
    let values = Values::read(Format::FrontMatter, text);
    let place = test::Place { values: &values, path, format: Format::FrontMatter };
    let mut others = Others::new(files);
    tests.iter().flat_map(|test| test.broken(&place, &mut others)).collect()
}

/// Whether the header of a data test can be used.
///
/// # Errors
/// What is wrong: a path, an expression or a version.
pub(crate) fn check_header(header: &DataHeader) -> Result<(), String> {
    Tested::new(header)?;
    for test in &header.first {
        Tested::new(test)?;
    }
    let same = header.same.as_ref().and_then(|same| same.file.as_ref());
    match same.into_iter().chain(&header.file).find(|file| captures::has_glob(file)) {
        Some(glob) => Err(format!("`file` is one file, not a glob: `{glob}`")),
        None => Ok(()),
    }
}
