//! The one road from a file to its findings: kind → parse → checks → allow comments → ids → order.

use crate::allow;
use crate::config::{Config, RuleSetting};
use crate::files::Files;
use crate::finding::{Finding, Related, RuleId, Severity, Status};
use crate::kind::{self, Kind};
use crate::parse::markdown::{self, Fence};
use crate::paths::{Globs, rule_globs};
use crate::patterns::syntax::SyntaxPatterns;
use crate::patterns::text::TextPatterns;
use crate::registry::Registry;
use crate::rule::{Report, Rule, Setting, Settings};
use crate::source::{Decoded, Source, Span};
use crate::validators;
use aidd_content::page::Confidence;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The rule that says what could not be checked.
pub const SKIPPED: &str = "aidd/skipped-file";

/// The rules about rules, comments and settings, whose checks are not a validator's.
pub const OWN_RULES: [&str; 2] = [SKIPPED, allow::UNUSED];

/// What stands in every output where a secret stands in the file.
pub const REDACTED: &str = "[REDACTED]";

/// Which rules run, as a command line or an editor chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Globs of rule ids, or aliases; empty means all that are on. A rule named here exactly runs
    /// even if it is off by default.
    pub only: Vec<String>,
    /// Globs of rule ids, or aliases, not to run.
    pub skip: Vec<String>,
    /// Rules below this severity do not run.
    pub severity: Option<Severity>,
}

/// Why an engine cannot be made.
#[derive(Debug, Error)]
pub enum EngineError {
    /// A glob in the configuration or selection is malformed.
    #[error("`{glob}` is not a glob: {why}")]
    Glob {
        /// The glob.
        glob: String,
        /// What its parser says.
        why: String,
    },
    /// A name in the selection is no rule.
    #[error("no rule is called `{name}`{}", .nearest.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    UnknownRule {
        /// The name.
        name: String,
        /// The rule most like it.
        nearest: Option<String>,
    },
    /// The keywords of all rules do not fit one automaton.
    #[error("the keywords of all text patterns are too many")]
    Keywords(#[from] aho_corasick::BuildError),
}

/// Configuration and rules: immutable, shared between threads. A reload makes a new one.
#[derive(Debug)]
pub struct Engine {
    registry: Registry,
    text: TextPatterns,
    syntax: SyntaxPatterns,
    /// The settings where no override applies.
    settings: Arc<Settings>,
    overrides: Vec<(Globs, Vec<(RuleId, RuleSetting)>)>,
    selection: Chosen,
    /// Settings by which overrides apply, made when first met.
    variants: Mutex<HashMap<Vec<usize>, Arc<Settings>>>,
    max_file_size: u64,
}

/// What the checks of one source gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The findings, ordered by span, then rule; those with status allowed among them.
    pub findings: Vec<Finding>,
    /// Bytes that no output may show, ordered, without overlap.
    pub secrets: Vec<Span>,
}

impl Engine {
    /// An engine of `registry` under `config`, with the rules that `selection` leaves.
    ///
    /// # Errors
    /// When a glob is malformed or the selection names a rule that is not there.
    pub fn new(
        registry: Registry,
        config: &Config,
        selection: &Selection,
    ) -> Result<Self, EngineError> {
        let chosen = Chosen::new(selection, &registry)?;
        let configured = resolve_names(config.rules.iter().flatten(), &registry);
        let mut overrides = Vec::new();
        for one in config.overrides.iter().flatten() {
            let globs = Globs::new(&one.files, &[])
                .map_err(|why| EngineError::Glob { glob: one.files.join(", "), why })?;
            overrides.push((globs, resolve_names(one.rules.iter(), &registry)));
        }
        let settings = chosen.limit(base_settings(registry.rules(), &configured), &registry);
        Ok(Self {
            text: TextPatterns::new(registry.rules())?,
            syntax: SyntaxPatterns::new(registry.rules()),
            registry,
            settings: Arc::new(settings),
            overrides,
            selection: chosen,
            variants: Mutex::default(),
            max_file_size: config.max_file_size.unwrap_or(crate::config::MAX_FILE_SIZE),
        })
    }

    /// All rules, on or off.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Most bytes a file may have to be parsed.
    #[must_use]
    pub fn max_file_size(&self) -> u64 {
        self.max_file_size
    }

    /// The settings of all rules for the file at `path`.
    #[must_use]
    pub fn settings(&self, path: &str) -> Arc<Settings> {
        let applying = |index: &usize| self.overrides[*index].0.matches(path);
        let key: Vec<usize> = (0..self.overrides.len()).filter(applying).collect();
        if key.is_empty() {
            return self.settings.clone();
        }
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut settings = (*self.settings).clone();
            for &index in &key {
                set(&mut settings, &self.overrides[index].1);
            }
            Arc::new(self.selection.limit(settings, &self.registry))
        };
        variants.entry(key.clone()).or_insert_with(make).clone()
    }

    /// Checks one source. `files` is what the checks may read beside it.
    #[must_use]
    pub fn check(&self, source: &Source, files: &dyn Files) -> Checked {
        self.check_as(source, files, Depth::Full)
    }

    /// Looks for secrets only: for windows of files too large to parse, and for files that are not
    /// text.
    #[must_use]
    pub fn check_secrets(&self, source: &Source, files: &dyn Files) -> Checked {
        self.check_as(source, files, Depth::Secrets)
    }

    /// What `rule` alone finds; a rule on rules and comments runs among all the others.
    #[must_use]
    pub fn check_rule(&self, rule: &RuleId, source: &Source, files: &dyn Files) -> Vec<Finding> {
        let among_all = rule.starts_with("aidd/");
        let mut settings = base_settings(self.registry.rules(), &[]);
        for known in self.registry.rules() {
            if let Some(setting) = settings.get_mut(&known.id) {
                let runs = among_all || known.id == *rule;
                setting.severity = runs.then_some(known.severity);
            }
        }
        let mut findings = self.check_under(&settings, source, files, Depth::Full).findings;
        findings.retain(|finding| finding.rule == *rule && finding.status == Status::New);
        findings
    }

    fn check_as(&self, source: &Source, files: &dyn Files, depth: Depth) -> Checked {
        self.check_under(&self.settings(source.path()), source, files, depth)
    }

    fn check_under(
        &self,
        settings: &Settings,
        source: &Source,
        files: &dyn Files,
        depth: Depth,
    ) -> Checked {
        let mut report = Report::new(source, settings);
        let kinds = kind::kinds(source.path(), source.text());
        for &kind in &kinds {
            if depth == Depth::Full || kind == Kind::Credentials {
                validators::run(kind, &self.registry, files, &mut report);
            }
        }
        self.text.run(depth == Depth::Secrets, &mut report);
        if depth == Depth::Full {
            if let Err(over) = self.syntax.run(&mut report)
                && report.begin(SKIPPED)
            {
                let message = format!(
                    "the syntax patterns took too long here; `{}` and those after it did not run to the end",
                    over.rule
                );
                report.at(Span::default(), message);
            }
            if kinds.contains(&Kind::Markdown) {
                self.check_fences(source, settings, files, &mut report);
            }
        }
        let mut findings = report.finish();
        let secrets = self.settle_secrets(source, settings, &mut findings);
        let statements =
            || kinds.iter().flat_map(|&kind| validators::statements(kind, source)).collect();
        let mut unused = Report::new(source, settings);
        allow::apply(source, &self.registry, statements, &mut findings, &mut unused);
        findings.extend(unused.finish());
        finish(source, &mut findings, &secrets);
        Checked { findings, secrets }
    }

    /// Fenced blocks reach the validator of their language; spans and edits are mapped back.
    fn check_fences(
        &self,
        source: &Source,
        settings: &Settings,
        files: &dyn Files,
        report: &mut Report<'_>,
    ) {
        if !markdown::may_have_fences(source.text(), |language| kind::of_fence(language).is_some())
        {
            return;
        }
        for fence in markdown::fences(source, |info| kind::of_fence(Fence::word(info)).is_some()) {
            let Some(kind) = kind::of_fence(fence.language()) else { continue };
            let inner = Source::new(source.path(), fence.text.as_str());
            let mut inside = Report::new(&inner, settings);
            validators::run(kind, &self.registry, files, &mut inside);
            report.extend(inside.finish().into_iter().map(|finding| outward(finding, &fence)));
        }
    }

    /// Leaves one finding a secret, and returns all spans that no output may show.
    fn settle_secrets(
        &self,
        source: &Source,
        settings: &Settings,
        findings: &mut Vec<Finding>,
    ) -> Vec<Span> {
        if findings.is_empty() {
            return Vec::new();
        }
        let mut secrets: Vec<&Finding> =
            findings.iter().filter(|finding| finding.secret.is_some()).collect();
        secrets.sort_by_key(|finding| {
            (
                Reverse(self.certainty(finding)),
                Reverse(finding.secret.map(Span::len)),
                finding.rule.clone(),
            )
        });
        let mut kept: Vec<(Span, RuleId)> = Vec::new();
        for finding in secrets {
            let span = finding.secret.unwrap_or_default();
            if !kept.iter().any(|(other, rule)| other.overlaps(span) && *rule != finding.rule) {
                kept.push((span, finding.rule.clone()));
            }
        }
        findings.retain(|finding| {
            finding.secret.is_none_or(|span| kept.contains(&(span, finding.rule.clone())))
        });
        let mut spans: Vec<Span> = kept.into_iter().map(|(span, _)| span).collect();
        // An excerpt must not show a secret even where its rule was not asked for.
        if settings.iter().any(|(_, setting)| setting.severity.is_none()) {
            spans.extend(self.unasked_secrets(source));
        }
        merge(spans)
    }

    fn unasked_secrets(&self, source: &Source) -> Vec<Span> {
        let all = base_settings(self.registry.rules(), &[]);
        let mut report = Report::new(source, &all);
        self.text.run(true, &mut report);
        report.finish().into_iter().filter_map(|finding| finding.secret).collect()
    }

    /// How sure a rule for secrets is: by its page, or by its severity when it is written in Rust.
    fn certainty(&self, finding: &Finding) -> (Confidence, Severity) {
        let rule = self.registry.get(&finding.rule);
        let stated = rule
            .and_then(|rule| rule.check.as_ref())
            .and_then(|check| check.text.as_ref())
            .and_then(|text| text.secret);
        let severity = rule.map_or(finding.severity, |rule| rule.severity);
        let implied =
            if severity == Severity::Error { Confidence::Medium } else { Confidence::Low };
        (stated.unwrap_or(implied), severity)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Full,
    Secrets,
}

/// A selection, resolved to rules.
#[derive(Debug)]
struct Chosen {
    /// `None`: all that are on.
    only: Option<BTreeSet<RuleId>>,
    /// Named exactly: these run even if off by default.
    exact: BTreeSet<RuleId>,
    skip: BTreeSet<RuleId>,
    severity: Option<Severity>,
}

impl Chosen {
    fn new(selection: &Selection, registry: &Registry) -> Result<Self, EngineError> {
        let mut exact = BTreeSet::new();
        let resolve = |names: &[String], exact: &mut BTreeSet<RuleId>| {
            let mut rules = BTreeSet::new();
            for name in names {
                let before = rules.len();
                if name.contains(['*', '?', '[', '{']) {
                    let globs = rule_globs(&[name])
                        .map_err(|why| EngineError::Glob { glob: name.clone(), why })?;
                    rules.extend(
                        registry
                            .rules()
                            .iter()
                            .map(|rule| rule.id.clone())
                            .filter(|id| globs.is_match(&**id)),
                    );
                } else {
                    let named: Vec<RuleId> =
                        registry.named(name).map(|rule| rule.id.clone()).collect();
                    exact.extend(named.iter().cloned());
                    rules.extend(named);
                }
                if rules.len() == before && !registry.knows(name) {
                    let nearest = registry.nearest(name).map(str::to_owned);
                    return Err(EngineError::UnknownRule { name: name.clone(), nearest });
                }
            }
            Ok(rules)
        };
        let only = if selection.only.is_empty() {
            None
        } else {
            Some(resolve(&selection.only, &mut exact)?)
        };
        let skip = resolve(&selection.skip, &mut BTreeSet::new())?;
        Ok(Self { only, exact, skip, severity: selection.severity })
    }

    /// Switches off what is not chosen.
    fn limit(&self, mut settings: Settings, registry: &Registry) -> Settings {
        for rule in registry.rules() {
            let Some(setting) = settings.get_mut(&rule.id) else { continue };
            if setting.severity.is_none() && self.exact.contains(&rule.id) {
                setting.severity = Some(rule.severity);
            }
            let chosen = self.only.as_ref().is_none_or(|only| only.contains(&rule.id))
                && !self.skip.contains(&rule.id);
            let severe = setting.severity >= self.severity;
            if !chosen || !severe {
                setting.severity = None;
            }
        }
        settings
    }
}

fn base_settings(rules: &[Rule], configured: &[(RuleId, RuleSetting)]) -> Settings {
    let mut settings: Settings = rules
        .iter()
        .map(|rule| {
            let severity = rule.enabled.then_some(rule.severity);
            (rule.id.clone(), Setting { severity, params: serde_json::Map::new() })
        })
        .collect();
    set(&mut settings, configured);
    // A rule that is off by default comes on with its first parameter.
    for rule in rules.iter().filter(|rule| !rule.enabled) {
        let named =
            |(id, setting): &(RuleId, RuleSetting)| *id == rule.id && setting.level().is_none();
        if let Some(setting) = settings.get_mut(&rule.id)
            && configured.iter().any(named)
        {
            setting.severity = Some(rule.severity);
        }
    }
    settings
}

fn set(settings: &mut Settings, configured: &[(RuleId, RuleSetting)]) {
    for (id, to) in configured {
        let Some(setting) = settings.get_mut(id) else { continue };
        if let Some(level) = to.level() {
            setting.severity = level.severity();
        }
        if let Some(params) = to.params() {
            setting.params.extend(params.clone());
        }
    }
}

/// Names in a configuration → rules, globs before exact names, so that the exact ones win. Names
/// that nothing has are left out: the configuration file carries the finding.
fn resolve_names<'a>(
    rules: impl Iterator<Item = (&'a String, &'a RuleSetting)>,
    registry: &Registry,
) -> Vec<(RuleId, RuleSetting)> {
    let (globs, exact): (Vec<_>, Vec<_>) = rules.partition(|(name, _)| name.contains('*'));
    let mut resolved = Vec::new();
    for (name, setting) in globs {
        if let Ok(set) = rule_globs(&[name]) {
            let ids = registry
                .rules()
                .iter()
                .map(|rule| rule.id.clone())
                .filter(|id| set.is_match(&**id));
            resolved.extend(ids.map(|id| (id, setting.clone())));
        }
    }
    for (name, setting) in exact {
        resolved.extend(registry.named(name).map(|rule| (rule.id.clone(), setting.clone())));
    }
    resolved
}

/// A finding in a fenced block, as one of the Markdown around it.
fn outward(mut finding: Finding, fence: &Fence) -> Finding {
    let contiguous = |fix: &crate::finding::Fix| {
        fix.edits.iter().all(|edit| {
            fence.is_contiguous(edit.span) && (fence.is_plain() || !edit.text.contains('\n'))
        })
    };
    finding.fix = finding.fix.filter(contiguous).map(|mut fix| {
        for edit in &mut fix.edits {
            edit.span = fence.outer(edit.span);
        }
        fix
    });
    finding.span = fence.outer(finding.span);
    finding.secret = finding.secret.map(|span| fence.outer(span));
    for Related { span, .. } in &mut finding.related {
        *span = fence.outer(*span);
    }
    finding
}

/// Sorts spans and joins those that overlap or touch.
fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => *last = last.cover(span),
            _ => merged.push(span),
        }
    }
    merged
}

/// Orders the findings, takes secrets out of their words and gives them ids.
fn finish(source: &Source, findings: &mut [Finding], secrets: &[Span]) {
    findings.sort_by(|a, b| (a.span, &a.rule, &a.message).cmp(&(b.span, &b.rule, &b.message)));
    if !secrets.is_empty() {
        let values: Vec<&str> = secrets
            .iter()
            .map(|span| source.slice(*span))
            .filter(|value| value.len() > 3)
            .collect();
        for finding in findings.iter_mut() {
            redact(finding, &values);
        }
    }
    if source.decoded() == Decoded::Utf16 {
        for finding in findings.iter_mut() {
            finding.fix = None;
        }
    }
    assign_ids(source, findings);
}

fn redact(finding: &mut Finding, values: &[&str]) {
    let clean = |text: &mut String| {
        for value in values {
            if text.contains(value) {
                *text = text.replace(value, REDACTED);
            }
        }
    };
    clean(&mut finding.message);
    finding.help.iter_mut().for_each(clean);
    finding.reason.iter_mut().for_each(clean);
    finding.related.iter_mut().for_each(|related| clean(&mut related.message));
    let shows = |text: &str| values.iter().any(|value| text.contains(value));
    // An edit that moves a secret about would show it; it is not worth that.
    finding.fix = finding
        .fix
        .take()
        .filter(|fix| !shows(&fix.title) && !fix.edits.iter().any(|edit| shows(&edit.text)));
}

/// Gives each finding its id: the first 16 hexadecimal digits of the SHA-256 of rule, path, text of
/// the lines with white space folded, and how often the same came before in the source. Line
/// numbers play no part, so the id survives edits above it.
fn assign_ids(source: &Source, findings: &mut [Finding]) {
    let mut counts: HashMap<[u8; 32], u32> = HashMap::new();
    for finding in findings {
        let mut hash = Sha256::new();
        hash.update(finding.rule.as_bytes());
        hash.update([0]);
        hash.update(source.path().as_bytes());
        hash.update([0]);
        for word in source.slice(source.lines_around(finding.span)).split_whitespace() {
            hash.update(word.as_bytes());
            hash.update(b" ");
        }
        let key: [u8; 32] = hash.clone().finalize().into();
        let count = counts.entry(key).or_default();
        hash.update(count.to_le_bytes());
        *count += 1;
        finding.id.clear();
        for byte in &hash.finalize()[..8] {
            let _ = write!(finding.id, "{byte:02x}");
        }
    }
}
