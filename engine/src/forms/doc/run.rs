//! Runs the `doc` checks of all pages on one document.

use super::{DocCheck, Fault};
use crate::forms::data::{self, DataTest};
use crate::rules::rule::{Report, Rule};
use crate::text::files::Files;
use crate::text::paths::Globs;
use aidd_page::{DocHeader, FixHeader, Form};
use std::fmt;
use std::sync::OnceLock;

/// All `doc` checks of an engine.
#[derive(Default)]
pub struct DocPatterns {
    patterns: Vec<DocPattern>,
}

struct DocPattern {
    rule: Rule,
    /// Compiled when the rule first runs, because most rules are disabled. `None` if the check is
    /// invalid.
    compiled: OnceLock<Option<Box<CompiledCheck>>>,
}

struct CompiledCheck {
    doc: DocCheck,
    front: Vec<DataTest>,
    fix: Option<FixHeader>,
    globs: Globs,
}

impl fmt::Debug for DocPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.patterns.iter().map(|pattern| &pattern.rule.id);
        f.debug_list().entries(rules).finish()
    }
}

/// Checks whether the header of a `doc` check is valid.
///
/// # Errors
/// A malformed heading, or an invalid test of the front matter.
pub(crate) fn check_header(header: &DocHeader) -> Result<(), String> {
    DocCheck::new(header).map_err(|error| error.to_string())?;
    header.front.iter().try_for_each(data::check_header)
}

impl DocPatterns {
    /// Collects the `doc` checks of `rules`. An invalid check never runs; the error is reported on
    /// the rule page.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let doc_rules = rules.iter().filter(|rule| rule.form == Some(Form::Doc));
        let pattern = |rule: &Rule| DocPattern { rule: rule.clone(), compiled: OnceLock::new() };
        Self { patterns: doc_rules.map(pattern).collect() }
    }

    /// Whether a rule that is enabled according to `is_enabled` resolves links.
    pub(crate) fn follow_links(&self, is_enabled: &dyn Fn(&str) -> bool) -> bool {
        let mut enabled = self.patterns.iter().filter(|pattern| is_enabled(&pattern.rule.id));
        enabled
            .any(|pattern| pattern.compiled().is_some_and(|compiled| compiled.doc.follows_links()))
    }

    /// Runs all enabled checks over the source of `report`.
    pub fn run(&self, files: &dyn Files, report: &mut Report<'_>) {
        let source = report.source();
        let mut document = None;
        for pattern in &self.patterns {
            if !report.begin(&pattern.rule.id) {
                continue;
            }
            let Some(compiled) =
                pattern.compiled().filter(|compiled| compiled.globs.matches(source.path()))
            else {
                continue;
            };
            let document =
                document.get_or_insert_with(|| crate::parse::document::parse(source.text()));
            for fault in compiled.doc.check(source, document, files) {
                pattern.report(compiled, fault, report);
            }
            if compiled.front.is_empty() {
                continue;
            }
            for violation in
                data::front_matter(&compiled.front, source.path(), source.text(), files)
            {
                let fault = Fault {
                    span: violation.span,
                    message: violation.message,
                    help: None,
                    fix: None,
                };
                pattern.report(compiled, fault, report);
            }
        }
    }
}

impl DocPattern {
    fn compiled(&self) -> Option<&CompiledCheck> {
        let compile = || {
            let check = self.rule.check.as_ref()?;
            let header = check.doc.as_ref()?;
            Some(Box::new(CompiledCheck {
                doc: DocCheck::new(header).ok()?,
                front: header.front.iter().map(DataTest::new).collect::<Result<_, _>>().ok()?,
                fix: check.fix.as_deref().cloned(),
                globs: Globs::from_check(check, self.rule.path.as_deref()),
            }))
        };
        self.compiled.get_or_init(compile).as_deref()
    }

    fn report(&self, compiled: &CompiledCheck, fault: Fault, report: &mut Report<'_>) {
        let Fault { span, message, help, fix } = fault;
        let source = report.source();
        let page_message = self
            .rule
            .message
            .as_deref()
            .map(|text| crate::forms::fill(text, source, span, |_| None));
        // The page's message replaces the exact message, so the exact message goes into the help.
        let exact_message = page_message.as_ref().map(|_| match &help {
            Some(help) => format!("{message}: {help}"),
            None => message.clone(),
        });
        let finding = report.at(span, page_message.unwrap_or(message));
        finding.help = self.rule.help.clone().or(exact_message).or(help);
        let page_fix = compiled.fix.as_ref().filter(|fix| fix.inserts_missing());
        match (page_fix, fix) {
            (Some(FixHeader { safe: true, .. }), Some((title, edit))) => {
                finding.fix(title, vec![edit]);
            }
            (Some(_), Some((title, edit))) => {
                finding.fix_unsafe(title, vec![edit]);
            }
            _ => {}
        }
    }
}
