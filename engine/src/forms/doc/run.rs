//! The demands of all pages on documents, run over one.

use super::{Doc, Fault};
use crate::forms::data::{self, Tested};
use crate::rules::rule::{Report, Rule};
use crate::text::files::Files;
use crate::text::paths::Globs;
use aidd_page::{DocHeader, FixHeader, Form};
use std::fmt;
use std::sync::OnceLock;

/// All demands on documents of an engine.
#[derive(Default)]
pub struct DocPatterns {
    patterns: Vec<DocPattern>,
}

struct DocPattern {
    rule: Rule,
    /// Made when the rule first runs: most are off, and never do. `None`: it cannot be used.
    ready: OnceLock<Option<Ready>>,
}

struct Ready {
    doc: Doc,
    front: Vec<Tested>,
    fix: Option<FixHeader>,
    globs: Globs,
}

impl fmt::Debug for DocPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.patterns.iter().map(|pattern| &pattern.rule.id);
        f.debug_list().entries(rules).finish()
    }
}

/// Whether the demands of a page can be used.
///
/// # Errors
/// What is wrong: a heading, or a test of the front matter.
pub(crate) fn check_header(header: &DocHeader) -> Result<(), String> {
    Doc::new(header).map_err(|error| error.to_string())?;
    header.front.iter().try_for_each(data::check_header)
}

impl DocPatterns {
    /// The demands of those `rules` that have some. Those that cannot be used never run: their
    /// pages carry the findings.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Self {
        let of_doc = rules.iter().filter(|rule| rule.form == Some(Form::Doc));
        let pattern = |rule: &Rule| DocPattern { rule: rule.clone(), ready: OnceLock::new() };
        Self { patterns: of_doc.map(pattern).collect() }
    }

    /// Whether some of those that `is_on` says yes to ask where links lead.
    pub(crate) fn follow_links(&self, is_on: &dyn Fn(&str) -> bool) -> bool {
        let mut on = self.patterns.iter().filter(|pattern| is_on(&pattern.rule.id));
        on.any(|pattern| pattern.ready().is_some_and(|ready| ready.doc.follows_links()))
    }

    /// Runs all enabled demands over the source of `report`.
    pub fn run(&self, files: &dyn Files, report: &mut Report<'_>) {
        let source = report.source();
        let mut document = None;
        for pattern in &self.patterns {
            if !report.begin(&pattern.rule.id) {
                continue;
            }
            let Some(ready) = pattern.ready().filter(|one| one.globs.matches(source.path())) else {
                continue;
            };
            let document =
                document.get_or_insert_with(|| crate::parse::document::parse(source.text()));
            for fault in ready.doc.judge(source, document, files) {
                pattern.report(ready, fault, report);
            }
            if ready.front.is_empty() {
                continue;
            }
            for broken in data::front_matter(&ready.front, source.path(), source.text(), files) {
                let fault =
                    Fault { span: broken.span, message: broken.message, help: None, fix: None };
                pattern.report(ready, fault, report);
            }
        }
    }
}

impl DocPattern {
    fn ready(&self) -> Option<&Ready> {
        let make = || {
            let check = self.rule.check.as_ref()?;
            let header = check.doc.as_ref()?;
            Some(Ready {
                doc: Doc::new(header).ok()?,
                front: header.front.iter().map(Tested::new).collect::<Result<_, _>>().ok()?,
                fix: check.fix.as_deref().cloned(),
                globs: Globs::of_check(check, self.rule.path.as_deref()),
            })
        };
        self.ready.get_or_init(make).as_ref()
    }

    fn report(&self, ready: &Ready, fault: Fault, report: &mut Report<'_>) {
        let Fault { span, message, help, fix } = fault;
        let source = report.source();
        let said = self
            .rule
            .message
            .as_deref()
            .map(|text| crate::forms::fill(text, source, span, |_| None));
        // What exactly is wrong is not lost behind the page's own words.
        let exactly = said.as_ref().map(|_| match &help {
            Some(help) => format!("{message}: {help}"),
            None => message.clone(),
        });
        let finding = report.at(span, said.unwrap_or(message));
        finding.help = self.rule.help.clone().or(exactly).or(help);
        let wanted = ready.fix.as_ref().filter(|fix| fix.inserts_missing());
        match (wanted, fix) {
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
