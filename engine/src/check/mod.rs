//! Checks a file: detects its kind, parses it, runs the checks and applies allow comments.

mod agent_text;
pub mod allow;
mod bounds;
mod comments;
pub mod configuration;
pub mod family;
mod fences;
mod ids;
mod large;
mod lowered;
mod moved;
mod panics;
mod plan;
mod run;
mod secret_findings;
mod secret_parts;
pub mod secrets;
mod statements;
mod value_purpose;
mod written;

use crate::forms::all::Patterns;
use crate::forms::syntax::prevailing;
use crate::forms::variants::Variants;
use crate::forms::when::Conditions;
use crate::parse::syntax::Tree;
use crate::parse::values::Format;
use crate::project::config::{Config, MAX_FILE_SIZE};
use crate::project::imports::FactsCache;
use crate::project::linters::is_settings;
use crate::rules::packs::Packs;
use crate::rules::registry::Registry;
use crate::rules::rule::{Report, Rule, Settings};
use crate::rules::select::SettingsTable;
use crate::text::files::Files;
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::kind::{self, Kind};
use crate::text::source::{Decoded, Source, Span};
use aidd_page::{Many, WhenHeader};
use jiff::civil::Date;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use crate::check::secrets::REDACTED;
pub use crate::rules::select::{EngineError, Selection};
pub use family::{Distribution, Family, FileContext};
pub use ids::{Occurrences, ids_at, text_keys};
pub use large::MAX_LARGE_FILE;

use family::Claim;
use plan::Derived;
use run::{PatternInput, report_invalid, report_stopped, run_patterns};

/// The rule that reports files that could not be checked, or only in part.
pub const SKIPPED: &str = "aidd/skipped-file";

/// The rules about files and allow comments. No family implements these rules.
pub const OWN_RULES: [&str; 2] = [SKIPPED, allow::UNUSED];

/// Configuration and rules, immutable and shared between threads. A reload creates a new engine.
#[derive(Debug)]
pub struct Engine {
    distribution: &'static Distribution,
    registry: Registry,
    settings: Arc<SettingsTable>,
    /// The conditions that the enabled packs set for rules.
    pack_conditions: HashMap<RuleId, Many<WhenHeader>>,
    /// The shipped rules that a page of the project replaces; their functions do not run.
    replaced: HashSet<RuleId>,
    patterns: Patterns,
    conditions: Conditions,
    variants: Variants,
    facts_cache: FactsCache,
    derived: Derived,
    reads_imports: bool,
    needs_listing: bool,
    has_enforced_by: bool,
    max_file_size: u64,
    today: Option<Date>,
    counts_only: bool,
}

/// The result of checking one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckResult {
    /// The findings, sorted by span, then rule, including allowed ones.
    pub findings: Vec<Finding>,
    /// Byte ranges that must not appear in any output, sorted and without overlap.
    pub secrets: Vec<Span>,
    /// The aidd allow comments that allow some of the findings.
    pub allowing: Vec<Span>,
    /// Findings on comments that allow no finding of this source, but name a rule of the project
    /// pass (the checks that need all files). They are reported unless the project pass uses the
    /// comment.
    pub pending_allows: Vec<Finding>,
    /// Which part of the source was not checked, and why.
    pub unchecked: Option<String>,
}

impl Engine {
    /// An engine for the rules of `registry`, configured by `config` and limited to the rules of
    /// `selection`. The shipped rules in `registry` must be the rules of `distribution`.
    ///
    /// # Errors
    /// A malformed glob, a selection of an unknown rule, or a shipped rule without a function in
    /// the distribution.
    pub fn new(
        distribution: &'static Distribution,
        mut registry: Registry,
        config: &Config,
        selection: &Selection,
    ) -> Result<Self, EngineError> {
        if let Some(rule) = distribution.first_without_function(&configuration::FAMILY) {
            return Err(EngineError::NoFunction(rule));
        }
        let mut packs = Packs::from_config(config, &registry).map_err(EngineError::Pack)?;
        let settings = SettingsTable::new(&registry, config, &packs, selection)?;
        let params = |rule: &RuleId| settings.base().get(rule).map(|setting| &*setting.params);
        registry.set_params(params).map_err(|(rule, why)| EngineError::Params {
            override_index: None,
            rule: configuration::key_with_params(config, &rule, &registry).unwrap_or(rule),
            why,
        })?;
        // A rule whose severity the configuration sets ignores the conditions of packs.
        packs.when.retain(|rule, _| {
            let named = config.rules.iter().flatten().find(|(name, _)| ***name == **rule);
            named.is_none_or(|(_, setting)| setting.level().is_none())
        });
        configuration::validate_params(config, &registry, distribution.families)?;
        let max_file_size = config.max_file_size.unwrap_or(MAX_FILE_SIZE);
        Self::compiled(distribution, registry, Arc::new(settings), packs.when, max_file_size)
    }

    /// Compiles the checks of `registry` under resolved settings.
    fn compiled(
        distribution: &'static Distribution,
        registry: Registry,
        settings: Arc<SettingsTable>,
        pack_conditions: HashMap<RuleId, Many<WhenHeader>>,
        max_file_size: u64,
    ) -> Result<Self, EngineError> {
        let variants =
            Variants::new(&registry, settings.overrides(), settings.base(), &pack_conditions);
        let variants = variants.map_err(|(index, rule, why)| EngineError::Params {
            override_index: Some(index),
            rule,
            why,
        })?;
        let conditions = Conditions::new(registry.rules(), &pack_conditions);
        let words: Vec<Vec<&'static str>> =
            distribution.families.iter().map(|family| (family.keywords)()).collect();
        let patterns = Patterns::new(registry.tables(), registry.rules(), words);
        let is_enabled = |rule: &str| settings.may_run(rule);
        let reads_imports =
            registry.rules().iter().any(|rule| rule.reads_imports() && is_enabled(&rule.id));
        let needs = |conditions: &Conditions, patterns: &Patterns| {
            conditions.need_listing(&is_enabled) || patterns.documents.follow_links(&is_enabled)
        };
        let has_enforced_by = registry.rules().iter().any(has_enforced_by);
        let is_listing_family =
            |family: &Family| family.needs_listing && (family.rules)().into_iter().any(is_enabled);
        let needs_listing = has_enforced_by
            || distribution.families.iter().any(is_listing_family)
            || needs(&conditions, &patterns)
            || variants
                .single_override_variants()
                .any(|variant| needs(&variant.conditions, &variant.patterns));
        Ok(Self {
            distribution,
            settings,
            pack_conditions,
            replaced: registry.replaced_shipped().collect(),
            patterns,
            needs_listing,
            has_enforced_by,
            reads_imports,
            conditions,
            variants,
            facts_cache: FactsCache::default(),
            derived: Derived::default(),
            registry,
            today: None,
            counts_only: false,
            max_file_size,
        })
    }

    /// Sets the current date for rules that depend on it. The default is the date of the shipped
    /// pages.
    #[must_use]
    pub fn with_date(self, today: Option<Date>) -> Self {
        Self { today, ..self }
    }

    /// For runs that only count the findings: the findings have no ids, and their texts can contain
    /// secrets, so no output may show them.
    #[must_use]
    pub fn counting_only(self) -> Self {
        Self { counts_only: true, ..self }
    }

    /// The distribution of the program.
    #[must_use]
    pub fn distribution(&self) -> &'static Distribution {
        self.distribution
    }

    /// All rules, enabled or not.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Maximum size in bytes of a file that is parsed.
    #[must_use]
    pub fn max_file_size(&self) -> u64 {
        self.max_file_size
    }

    /// The settings of all rules for the file at `path`.
    #[must_use]
    pub fn settings(&self, path: &str) -> Arc<Settings> {
        self.settings.for_path(path, false, &self.registry)
    }

    /// Like [`Engine::settings`], for the directory at `path`. Settings for all files below the
    /// directory also apply to the directory itself.
    #[must_use]
    pub fn settings_of_dir(&self, path: &str) -> Arc<Settings> {
        self.settings.for_path(path, true, &self.registry)
    }

    /// Whether the conditions of `rule` are met at `path`.
    #[must_use]
    pub fn conditions_met(&self, rule: &str, path: &str, files: &dyn Files) -> bool {
        match self.variants.at(path) {
            Some(variant) if variant.has(rule) => variant.conditions.are_met(rule, path, files),
            _ => self.conditions.are_met(rule, path, files),
        }
    }

    /// The checks that differ by path.
    pub(crate) fn variants(&self) -> &Variants {
        &self.variants
    }

    /// The cached imports of files.
    pub(crate) fn facts_cache(&self) -> &FactsCache {
        &self.facts_cache
    }

    /// Whether findings in other files can depend on the file at `path`, because a check compares
    /// values with values in this file, or a condition refers to this file.
    #[must_use]
    pub fn is_dependency(&self, path: &str) -> bool {
        let is_enabled = |rule: &str| self.is_enabled_anywhere(rule);
        let reads = |patterns: &Patterns, conditions: &Conditions| {
            Format::from_path(path).is_some() && patterns.data.has_cross_file_tests(&is_enabled)
                || Format::from_path(path) == Some(Format::FrontMatter)
                    && patterns.documents.follow_links(&is_enabled)
                || conditions.refer_to(path, &is_enabled)
        };
        reads(&self.patterns, &self.conditions)
            || self
                .variants
                .single_override_variants()
                .any(|variant| reads(&variant.patterns, &variant.conditions))
            || self.has_enforced_by && is_settings(path.rsplit('/').next().unwrap_or(path))
    }

    /// Whether a check or condition requires the list of files, the branch or the checked change.
    #[must_use]
    pub fn needs_listing(&self) -> bool {
        self.needs_listing
    }

    /// Whether the rule is enabled for some path.
    #[must_use]
    pub fn is_enabled_anywhere(&self, rule: &str) -> bool {
        self.settings.may_run(rule)
    }

    /// The settings of all rules without overrides.
    #[must_use]
    pub fn default_settings(&self) -> &Settings {
        self.settings.base()
    }

    /// The conditions that packs set for `rule`.
    pub(crate) fn pack_conditions(&self, rule: &str) -> Option<&Many<WhenHeader>> {
        self.pack_conditions.get(rule)
    }

    /// The settings of all rules, by path.
    pub(crate) fn table(&self) -> &SettingsTable {
        &self.settings
    }

    /// The findings of `source`, sorted and with ids.
    pub(crate) fn finish_findings(
        &self,
        source: &Source,
        findings: Vec<Finding>,
        secrets: Vec<Span>,
    ) -> CheckResult {
        self.finish_findings_among(source, findings, secrets, &mut Occurrences::default())
    }

    /// Like [`Engine::finish_findings`], for one of several sources with the same path.
    pub(crate) fn finish_findings_among(
        &self,
        source: &Source,
        mut findings: Vec<Finding>,
        secrets: Vec<Span>,
        seen: &mut Occurrences,
    ) -> CheckResult {
        finish(source, &mut findings, &secrets);
        self.set_ids(source, &mut findings, seen);
        CheckResult { findings, secrets, ..CheckResult::default() }
    }

    /// Checks one source. `files` gives access to other files that checks read.
    #[must_use]
    pub fn check(&self, source: &Source, files: &dyn Files) -> CheckResult {
        let mut checked =
            self.check_catching_panic(&self.settings(source.path()), source, files, Depth::Full);
        let mut seen = Occurrences::default();
        self.set_ids(source, &mut checked.findings, &mut seen);
        self.set_ids(source, &mut checked.pending_allows, &mut seen);
        checked
    }

    /// Only finds secrets, for files that are not text.
    #[must_use]
    pub fn check_secrets(&self, source: &Source, files: &dyn Files) -> CheckResult {
        self.check_window(source, files, 0, &mut Occurrences::default())
    }

    /// Only finds secrets, in a window of a file too large to parse. Matches up to `searched_end`
    /// were found in the previous window; `seen` is passed from window to window.
    #[must_use]
    pub fn check_window(
        &self,
        source: &Source,
        files: &dyn Files,
        searched_end: u32,
        seen: &mut Occurrences,
    ) -> CheckResult {
        let settings = self.settings(source.path());
        let mut checked = self.check_catching_panic(&settings, source, files, Depth::Secrets);
        if searched_end > 0 {
            checked.findings.retain(|finding| finding.span.end > searched_end);
        }
        self.set_ids(source, &mut checked.findings, seen);
        checked
    }

    /// The findings of `rule` alone, as defined by its page; a rule of `aidd/*` runs with all other
    /// rules, because it checks their pages and comments.
    #[must_use]
    pub fn check_rule(&self, rule: &RuleId, source: &Source, files: &dyn Files) -> Vec<Finding> {
        let settings = self.settings_for_rule(rule);
        let mut findings =
            self.check_catching_panic(&settings, source, files, Depth::Full).findings;
        findings.retain(|finding| finding.rule == *rule && finding.status == Status::New);
        findings
    }

    /// The rules whose functions do not run: the `disabled` and the replaced rules.
    fn with_replaced<'a>(&self, disabled: &'a HashSet<RuleId>) -> Cow<'a, HashSet<RuleId>> {
        if self.replaced.is_empty() {
            return Cow::Borrowed(disabled);
        }
        Cow::Owned(disabled.union(&self.replaced).cloned().collect())
    }

    fn run_checks(
        &self,
        settings: &Settings,
        source: &Source,
        files: &dyn Files,
        depth: Depth,
    ) -> CheckResult {
        let variant = self.variants.at(source.path());
        let mut disabled = if self.has_conditions(settings) {
            self.conditions.unmet(source, settings, files)
        } else {
            HashSet::new()
        };
        if let Some(variant) = &variant {
            disabled = variant.disabled_rules(disabled, source, (settings, files));
        }
        let defaults = variant.as_ref().map(|variant| variant.disabled_defaults(&disabled));
        let tree = Tree::new(source);
        let mut report = Report::new(source, settings).with_date(self.today);
        let unmet = defaults.as_ref().unwrap_or(&disabled);
        let without_function = self.with_replaced(unmet);
        report = report.without(&without_function);
        let (claims, searches_text) = self.active_claims(source, settings);
        let is_markdown = kind::kinds(source.path(), source.text()).contains(&Kind::MARKDOWN);
        let mut input = PatternInput { files, tree: &tree, depth, is_markdown, searches_text };
        let context = self.context(files, &tree);
        if depth == Depth::Full
            && let Some(kind) = (configuration::FAMILY.claim)(source.path(), source.text())
        {
            let family = &configuration::FAMILY;
            family.run_within_limit(&mut report, |report| (family.check)(kind, &context, report));
        }
        for (family, kind) in claims.iter().filter_map(Claim::as_claimed) {
            let is_large_family =
                || depth == Depth::Large && (family.checks_large)(source.path(), source.text());
            if depth == Depth::Full || family.finds_secrets || is_large_family() {
                family
                    .run_within_limit(&mut report, |report| (family.check)(kind, &context, report));
            }
        }
        let is_active = |family: &Family| self.is_active(family, settings);
        self.distribution.check_code(depth, &is_active, &context, &mut report);
        report = report.without(unmet);
        let words = run_patterns(&self.patterns, self.registry.rules(), &input, &mut report);
        report = report.without(&disabled);
        if let Some(variant) = &variant {
            input.searches_text = true;
            run_patterns(&variant.patterns, variant.rules(), &input, &mut report);
            report_invalid(variant, depth, &mut report);
        }
        report_stopped(&tree, &mut report);
        let without_function = self.with_replaced(&disabled);
        report = report.without(&without_function);
        if depth == Depth::Full {
            for (claim, offsets) in claims.iter().zip(&words) {
                claim.check_keyword_hits(offsets, &mut report);
            }
            if is_markdown {
                self.check_fences(source, settings, (&without_function, files), &mut report);
            }
            if let Some(tree) = tree.get().filter(|_| self.reads_imports) {
                self.facts_cache.store_tree(source, tree);
            }
        }
        let unchecked = report.take_unchecked();
        let mut findings = report.finish();
        prevailing::remove(source, files, &self.registry, &mut findings);
        let lowered = lowered::lower((source, &tree, files), settings, self, &mut findings);
        let secrets = self.resolve_secrets(source, settings, files, &mut findings);
        lowered::lower_doubtful((source, files, settings), &self.registry, &mut findings);
        let min_severity = self.settings.min_severity();
        findings.retain(|finding| Some(finding.severity) >= min_severity);
        let statements = || self.statements(source, &tree);
        let mut unused = Report::new(source, settings).without(&disabled);
        let mut applied =
            allow::apply(source, &self.registry, statements, &mut findings, &mut unused);
        let needed = self.needed_comments(source, settings, (files, depth), &applied.unused);
        let is_pending = |finding: &Finding| applied.pending_allows.contains(&finding.span);
        let (mut pending_allows, unused): (Vec<_>, Vec<_>) = unused
            .finish()
            .into_iter()
            .filter(|finding| !needed.contains(&finding.span))
            .partition(is_pending);
        applied.used.extend(&needed);
        secrets::remove_repeated(source, &mut findings);
        lowered::group(&lowered, source.text().len(), &mut findings);
        // In a part that was not checked, a comment can allow findings.
        findings.extend(unused.into_iter().filter(|_| unchecked.is_none()));
        finish(source, &mut findings, &secrets);
        // Afterwards, because an abbreviated secret would not be recognised.
        let unchecked = bounds::apply(source, settings, &mut findings).or(unchecked);
        if depth == Depth::Full {
            finish(source, &mut pending_allows, &secrets);
        } else {
            pending_allows.clear();
        }
        CheckResult { findings, secrets, allowing: applied.used, pending_allows, unchecked }
    }
}

/// Whether a page of the project states that another tool enforces it; shipped pages never do.
fn has_enforced_by(rule: &Rule) -> bool {
    rule.path.is_some() && !rule.enforced_by.is_empty()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Full,
    /// Finds secrets, and runs the families that check large files.
    Large,
    Secrets,
}

/// Sorts the findings and removes secrets from their texts.
fn finish(source: &Source, findings: &mut [Finding], secrets: &[Span]) {
    findings.sort_by(|a, b| (a.span, &a.rule, &a.message).cmp(&(b.span, &b.rule, &b.message)));
    secrets::redact(source, findings, secrets);
    if source.decoded() == Decoded::Utf16 {
        findings.iter_mut().for_each(|finding| finding.fix = None);
    }
}
