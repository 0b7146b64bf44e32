//! A rule is a page: its header says how bad, what else it is called and maybe how to check; its
//! text says why. A [`Report`] collects what the checks of one source find.

use crate::text::finding::{Finding, RuleId, Severity};
use crate::text::source::{Source, Span};
pub use aidd_page::Details;
use aidd_page::{CheckHeader, Form, Header, Tables};
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// One rule: its page. What its header says in full is read when first asked for: a thousand rules
/// are made at each start, and a file needs few of them.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `kind/kebab-name`.
    pub id: RuleId,
    /// How bad a finding is unless configured otherwise.
    pub severity: Severity,
    /// Whether it runs without being asked for.
    pub enabled: bool,
    /// The form of the check in the page's header; `None` for a rule written in Rust and for mere
    /// guidance.
    pub form: Option<Form>,
    /// Whether that check waits for a condition.
    pub waits: bool,
    /// Whether a file without a match of that check is what it finds.
    pub requires: bool,
    /// The whole page.
    pub page: Cow<'static, str>,
    /// Where the page lies in the repository; `None` for a shipped rule.
    pub path: Option<String>,
    told: Told,
}

/// What a rule's header says.
#[derive(Clone, Debug)]
enum Told {
    /// That of a shipped page, by its index.
    Shipped(&'static Tables, usize),
    /// That of a project's page, or one that was changed.
    Own(Arc<Details>),
}

impl Deref for Rule {
    type Target = Details;

    fn deref(&self) -> &Details {
        match &self.told {
            Told::Shipped(tables, index) => tables.details(*index),
            Told::Own(details) => details,
        }
    }
}

impl DerefMut for Rule {
    fn deref_mut(&mut self) -> &mut Details {
        if let Told::Shipped(..) = self.told {
            self.told = Told::Own(Arc::new(Details::clone(self)));
        }
        match &mut self.told {
            Told::Own(details) => Arc::make_mut(details),
            Told::Shipped(..) => unreachable!("just replaced"),
        }
    }
}

impl Rule {
    /// The rules of shipped pages, ordered by id.
    pub(crate) fn shipped(tables: &'static Tables) -> impl Iterator<Item = Self> {
        tables.pages.iter().zip(tables.heads).enumerate().map(move |(index, (page, head))| Self {
            id: page.id.into(),
            severity: head.severity,
            enabled: head.enabled,
            form: head.form,
            waits: head.waits,
            requires: head.requires,
            page: Cow::Borrowed(page.text),
            path: None,
            told: Told::Shipped(tables, index),
        })
    }

    /// The rule of a project's page at `path`.
    pub(crate) fn own(id: &str, header: Header, summary: String, text: &str, path: &str) -> Self {
        let check = header.check.as_ref();
        Self {
            id: id.into(),
            severity: header.severity,
            enabled: header.enabled,
            form: check.and_then(CheckHeader::form),
            waits: check.is_some_and(|check| !check.when.is_empty()),
            requires: check.is_some_and(CheckHeader::requires),
            page: Cow::Owned(text.to_owned()),
            path: Some(path.to_owned()),
            told: Told::Own(Arc::new(Details::new(header, summary))),
        }
    }

    /// The index of the shipped page whose header holds for the rule, as it is.
    pub(crate) fn shipped_page(&self) -> Option<usize> {
        match self.told {
            Told::Shipped(_, index) => Some(index),
            Told::Own(_) => None,
        }
    }

    /// Puts another check in the place of its own: that of its page, with other parameters.
    pub(crate) fn put_check(&mut self, check: Option<CheckHeader>) {
        self.waits = check.as_ref().is_some_and(|check| !check.when.is_empty());
        self.requires = check.as_ref().is_some_and(CheckHeader::requires);
        self.check = check;
    }

    /// Whether its check looks at the project as a whole, once its files are known.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        matches!(self.form, Some(Form::Tree | Form::Layers))
    }

    /// The Markdown of the page, without its header.
    #[must_use]
    pub fn body(&self) -> &str {
        aidd_page::split(&self.page).map_or("", |(_, body)| &self.page[body])
    }

    /// Why the rule exists, on one line: the first paragraph of the page after its heading. The
    /// summary when it has none.
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

/// What the configuration makes of one rule.
#[derive(Clone, Debug)]
pub struct Setting {
    /// `None` when the rule is off.
    pub severity: Option<Severity>,
    /// The rule's parameters.
    pub params: Map<String, Value>,
}

/// The settings of all rules that run on one source, by rule id.
pub type Settings = HashMap<RuleId, Setting>;

/// Collects the findings of the checks that run over one source.
pub struct Report<'a> {
    source: &'a Source,
    settings: &'a Settings,
    rule: Option<(&'a RuleId, Severity, &'a Map<String, Value>)>,
    today: Option<Date>,
    local: HashMap<RuleId, Option<Severity>>,
    off: Option<&'a HashSet<RuleId>>,
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
            local: HashMap::new(),
            off: None,
            findings: Vec::new(),
        }
    }

    /// Leaves out the rules whose conditions do not hold for the source.
    #[must_use]
    pub fn without(mut self, off: &'a HashSet<RuleId>) -> Self {
        self.off = (!off.is_empty()).then_some(off);
        self
    }

    /// Judges as of `today`; `None`: no door told the day.
    #[must_use]
    pub fn on(self, today: Option<Date>) -> Self {
        Self { today, ..self }
    }

    /// The day, where a door told it.
    #[must_use]
    pub fn today(&self) -> Option<Date> {
        self.today
    }

    /// Makes `rule` the one that findings belong to; `false` when it is off.
    pub fn begin(&mut self, rule: &str) -> bool {
        self.rule = self.settings.get_key_value(rule).and_then(|(id, setting)| {
            if self.off.is_some_and(|off| off.contains(rule)) {
                return None;
            }
            let local = self.local.get(rule).copied();
            let severity = setting.severity.and_then(|severity| local.unwrap_or(Some(severity)));
            severity.map(|severity| (id, severity, &setting.params))
        });
        self.rule.is_some()
    }

    /// Settles rules for this source alone, over the configuration: what a peer's settings file
    /// beside the source says. `None` turns a rule off; a rule that is off stays off.
    pub fn settle(&mut self, rules: HashMap<RuleId, Option<Severity>>) {
        self.local = rules;
    }

    /// The source under check.
    #[must_use]
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// A parameter of the current rule, as configured.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'a Value> {
        self.rule.and_then(|(_, _, params)| params.get(name))
    }

    /// Adds a finding of the current rule at `span`; help and fix are set on what it returns.
    ///
    /// # Panics
    /// Before the first [`Report::begin`] that returned `true`: a fault in the caller.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        let (id, severity, _) = self.rule.expect("a rule has begun");
        self.findings.push(Finding::new(id.clone(), severity, span, message));
        self.findings.last_mut().expect("just pushed")
    }

    /// Takes in findings made elsewhere.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// What was found, in no order.
    #[must_use]
    pub fn finish(self) -> Vec<Finding> {
        self.findings
    }
}
