//! A rule is a page. Its header sets the severity, the aliases and, for declarative rules, the
//! check; its text explains why. A [`Report`] collects the findings of one source.

use crate::text::finding::{Finding, RuleId, Severity};
use crate::text::source::{Source, Span};
use crate::text::time_limit::steps;
pub use aidd_page::Details;
use aidd_page::{CheckHeader, Form, Header, Tables};
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock, OnceLock};

/// One rule and its page. The full header is decoded on first use: a thousand rules are created at
/// each start, and a file needs few of them.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `kind/kebab-name`.
    pub id: RuleId,
    /// The severity of the rule's findings unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule is enabled by default.
    pub enabled: bool,
    /// The form of the check in the page's header (`text`, `syntax`, …); `None` for a rule written
    /// in Rust and for a page that contains only guidance.
    pub form: Option<Form>,
    /// Whether the check has a `when` condition.
    pub has_condition: bool,
    /// Whether the check reports files without a match.
    pub requires: bool,
    /// The whole page, header included.
    pub page: Cow<'static, str>,
    /// The path of the page in the repository; `None` for a shipped rule.
    pub path: Option<String>,
    details_source: DetailsSource,
}

/// The source of a rule's [`Details`].
#[derive(Clone, Debug)]
enum DetailsSource {
    /// A shipped page, by its index, and its details after their first use. They belong to the rule,
    /// so that those of a pass over all files, in which nearly all rules run, are freed after it.
    Shipped(&'static Tables, usize, OnceLock<Arc<Details>>),
    /// A project's page, or a page that was changed.
    Own(Arc<Details>),
}

impl Deref for Rule {
    type Target = Details;

    fn deref(&self) -> &Details {
        match &self.details_source {
            DetailsSource::Shipped(tables, index, details) => {
                details.get_or_init(|| Arc::new(tables.details(*index).unwrap_or_default()))
            }
            DetailsSource::Own(details) => details,
        }
    }
}

impl DerefMut for Rule {
    fn deref_mut(&mut self) -> &mut Details {
        if let DetailsSource::Shipped(..) = self.details_source {
            self.details_source = DetailsSource::Own(Arc::new(Details::clone(self)));
        }
        match &mut self.details_source {
            DetailsSource::Own(details) => Arc::make_mut(details),
            DetailsSource::Shipped(..) => unreachable!("just replaced"),
        }
    }
}

impl Rule {
    /// The rules of shipped pages, ordered by id.
    pub(crate) fn shipped(tables: &'static Tables) -> impl Iterator<Item = Self> {
        tables.pages.iter().zip(tables.startup_fields).enumerate().map(
            move |(index, (page, fields))| Self {
                id: page.id.into(),
                severity: fields.severity,
                enabled: fields.enabled,
                form: fields.form,
                has_condition: fields.has_condition,
                requires: fields.requires,
                page: Cow::Borrowed(page.text),
                path: None,
                details_source: DetailsSource::Shipped(tables, index, OnceLock::new()),
            },
        )
    }

    /// The rule of a project's page at `path`.
    pub(crate) fn from_page(
        id: &str,
        header: Header,
        summary: String,
        text: &str,
        path: &str,
    ) -> Self {
        let check = header.check.as_ref();
        Self {
            id: id.into(),
            severity: header.severity,
            enabled: header.enabled,
            form: check.and_then(CheckHeader::form),
            has_condition: check.is_some_and(|check| !check.when.is_empty()),
            requires: check.is_some_and(CheckHeader::requires),
            page: Cow::Owned(text.to_owned()),
            path: Some(path.to_owned()),
            details_source: DetailsSource::Own(Arc::new(Details::new(header, summary))),
        }
    }

    /// The index of the shipped page, if the rule's header is unchanged.
    pub(crate) fn shipped_page(&self) -> Option<usize> {
        match self.details_source {
            DetailsSource::Shipped(_, index, _) => Some(index),
            DetailsSource::Own(_) => None,
        }
    }

    /// Replaces the check with one that has other parameters; the page remains the same.
    pub(crate) fn set_check(&mut self, check: Option<CheckHeader>) {
        self.has_condition = check.as_ref().is_some_and(|check| !check.when.is_empty());
        self.requires = check.as_ref().is_some_and(CheckHeader::requires);
        self.check = check;
    }

    /// Whether the check runs on the project as a whole, in the project pass, after all files were
    /// listed.
    #[must_use]
    pub fn is_project_check(&self) -> bool {
        matches!(self.form, Some(Form::Tree | Form::Layers | Form::Dependencies))
    }

    /// Whether the check needs the imports of all files.
    #[must_use]
    pub fn reads_imports(&self) -> bool {
        let dependencies = || self.check.as_ref().and_then(|check| check.dependencies.as_ref());
        self.form == Some(Form::Layers)
            || self.form == Some(Form::Dependencies)
                && dependencies().is_some_and(|header| header.reads_imports())
    }

    /// The Markdown of the page, without its header.
    #[must_use]
    pub fn body(&self) -> &str {
        aidd_page::split(&self.page).map_or("", |(_, body)| &self.page[body])
    }

    /// The reason for the rule, on one line: the first paragraph after the heading. Falls back to
    /// the summary.
    #[must_use]
    pub fn lead(&self) -> String {
        let body = self.body().replace("\r\n", "\n");
        let is_text = |block: &&str| {
            !block.is_empty() && !block.starts_with('#') && !block.starts_with("```")
        };
        let paragraph = body.split("\n\n").map(str::trim).find(is_text);
        let words = paragraph.unwrap_or(&self.summary).split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The resolved configuration of one rule.
#[derive(Clone, Debug)]
pub struct Setting {
    /// `None` when the rule is disabled.
    pub severity: Option<Severity>,
    /// The rule's parameters by name.
    pub params: Params,
    /// Whether the configuration or the command line sets the severity, or only this rule is checked.
    pub is_configured: bool,
}

/// The parameters of one rule by name. Without parameters, as for most rules, they are one pointer:
/// the settings of all rules are created at each start.
#[derive(Clone, Debug, Default)]
pub struct Params(Option<Box<Map<String, Value>>>);

impl Deref for Params {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Params {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.get_or_insert_default()
    }
}

/// The number of steps ([`steps`]) of a rule that begins.
const STEPS_PER_RULE: u32 = 16;

/// The settings of all rules that run on one source, by rule id. Each file needs hundreds of look-ups,
/// so the hash is a fast one.
pub type Settings = HashMap<RuleId, Setting, foldhash::fast::RandomState>;

/// Collects the findings of the checks that run over one source.
pub struct Report<'a> {
    source: &'a Source,
    settings: &'a Settings,
    rule: Option<(&'a RuleId, Severity, &'a Map<String, Value>)>,
    today: Option<Date>,
    /// The severities that override `settings` for this source; `None` disables a rule.
    severity_overrides: HashMap<RuleId, Option<Severity>>,
    /// Whether `severity_overrides` also enable rules that are disabled by default.
    overrides_enable: bool,
    disabled: Option<&'a HashSet<RuleId>>,
    /// The part of the source that was not checked, and why.
    unchecked: Option<String>,
    /// The last enabled rule that began.
    last_rule: Option<&'a RuleId>,
    findings: Vec<Finding>,
}

impl fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("findings", &self.findings).finish_non_exhaustive()
    }
}

impl<'a> Report<'a> {
    /// An empty report on `source`.
    #[must_use]
    pub fn new(source: &'a Source, settings: &'a Settings) -> Self {
        Self {
            source,
            settings,
            rule: None,
            today: None,
            severity_overrides: HashMap::new(),
            overrides_enable: false,
            disabled: None,
            unchecked: None,
            last_rule: None,
            findings: Vec::new(),
        }
    }

    /// Skips the rules in `disabled`, whose conditions are not met for the source.
    #[must_use]
    pub fn without(mut self, disabled: &'a HashSet<RuleId>) -> Self {
        self.disabled = (!disabled.is_empty()).then_some(disabled);
        self
    }

    /// Sets the date for checks that depend on the current date; `None` when no frontend supplied a
    /// date.
    #[must_use]
    pub fn with_date(self, today: Option<Date>) -> Self {
        Self { today, ..self }
    }

    /// The current date, if a frontend supplied it.
    #[must_use]
    pub fn today(&self) -> Option<Date> {
        self.today
    }

    /// Makes `rule` the rule of the following findings; returns `false` when the rule is disabled.
    pub fn begin(&mut self, rule: &str) -> bool {
        // Most rules that begin are disabled, or do not apply to the text.
        steps(STEPS_PER_RULE);
        self.rule = self.settings.get_key_value(rule).and_then(|(id, setting)| {
            if self.disabled.is_some_and(|disabled| disabled.contains(rule)) {
                return None;
            }
            // The settings of another tool only change defaults.
            let is_fixed = self.overrides_enable && setting.is_configured;
            let override_ = self.severity_overrides.get(rule).filter(|_| !is_fixed).copied();
            let is_enabled = setting.severity.is_some() || self.overrides_enable && !is_fixed;
            let severity = override_.unwrap_or(setting.severity).filter(|_| is_enabled);
            // They do not raise a configured severity either.
            let max_severity = setting.severity.filter(|_| setting.is_configured);
            let severity = severity.map(|it| max_severity.map_or(it, |max| it.min(max)));
            severity.map(|severity| (id, severity, &*setting.params))
        });
        self.last_rule = self.rule.map(|(id, ..)| id).or(self.last_rule);
        self.rule.is_some()
    }

    /// The last enabled rule that began.
    pub(crate) fn last_rule(&self) -> Option<&RuleId> {
        self.last_rule
    }

    /// Forgets the last rule that began, before other checks run.
    pub(super) fn clear_last_rule(&mut self) {
        self.last_rule = None;
    }

    /// Makes `rule` the last rule that began, after it ran in another report with the same settings.
    pub(crate) fn set_last_rule(&mut self, rule: &str) {
        self.last_rule = self.settings.get_key_value(rule).map(|(id, _)| id).or(self.last_rule);
    }

    /// Overrides the severities for this source, for example with the settings of another linter's
    /// configuration file, up to the configured ones. `None` disables a rule; a rule that is already
    /// disabled cannot be enabled.
    pub fn apply_overrides(&mut self, rules: HashMap<RuleId, Option<Severity>>) {
        self.severity_overrides = rules;
        self.overrides_enable = false;
    }

    /// Like [`Self::apply_overrides`], but only for rules whose severity is not configured; also
    /// enables rules that are disabled by default.
    pub fn apply_settings(&mut self, rules: HashMap<RuleId, Option<Severity>>) {
        self.apply_overrides(rules);
        self.overrides_enable = true;
    }

    /// The checked source.
    #[must_use]
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// A parameter of the current rule, as configured.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'a Value> {
        self.rule.and_then(|(_, _, params)| params.get(name))
    }

    /// Adds a finding of the current rule at `span`; set help and fix on the returned finding.
    ///
    /// # Panics
    /// When called before a [`Report::begin`] that returned `true`: a bug in the caller.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.check_limit_of_findings(self.findings.len());
        let (id, severity, _) = self.rule.expect("a rule has begun");
        self.findings.push(Finding::new(id.clone(), severity, span, message));
        self.findings.last_mut().expect("just pushed")
    }

    /// States which part of the source was not checked, and why. The file is listed as only partly
    /// checked.
    pub fn unchecked(&mut self, why: impl Into<String>) {
        self.unchecked = Some(why.into());
    }

    /// Returns which part of the source was not checked.
    pub fn take_unchecked(&mut self) -> Option<String> {
        self.unchecked.take()
    }

    /// Adds findings that were built elsewhere.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// The findings, unordered. A check can lower the severity of a finding, but not raise it above
    /// the configured one.
    #[must_use]
    pub fn finish(mut self) -> Vec<Finding> {
        for finding in &mut self.findings {
            let setting = self.settings.get(&finding.rule).filter(|it| it.is_configured);
            if let Some(max) = setting.and_then(|setting| setting.severity) {
                finding.severity = finding.severity.min(max);
            }
        }
        self.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_cannot_raise_a_configured_severity() {
        let source = Source::new("a.md", "text");
        for (is_configured, expected) in [(true, Severity::Info), (false, Severity::Warning)] {
            let setting = Setting {
                severity: Some(Severity::Info),
                params: Params::default(),
                is_configured,
            };
            let settings = Settings::from_iter([("kind/name".into(), setting)]);
            let mut report = Report::new(&source, &settings);
            assert!(report.begin("kind/name"));
            report.at(Span::new(0, 1), "message").severity = Severity::Warning;
            report.apply_overrides([("kind/name".into(), Some(Severity::Warning))].into());
            assert!(report.begin("kind/name"));
            report.at(Span::new(1, 2), "message");
            let severities: Vec<Severity> = report.finish().iter().map(|it| it.severity).collect();
            assert_eq!(severities, [expected; 2]);
        }
    }
}
