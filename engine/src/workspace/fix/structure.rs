//! Checks whether a file parses, to detect fixes that break the file.

use super::Reason;
use crate::check::Engine;
use crate::forms::syntax::language_of;
use crate::parse::syntax::Tree;
use crate::parse::values::{Format, Values};
use crate::text::files::Files;
use crate::text::finding::{RuleId, Severity};
use crate::text::source::Source;
use serde::de::IgnoredAny;

/// The number of parse errors of a text, by language or format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Structure(Vec<(String, usize)>);

impl Structure {
    /// The parse errors of `source`. `rules` is the result of [`syntax_rules`].
    pub(super) fn new(
        engine: &Engine,
        source: &Source,
        files: &dyn Files,
        rules: &[RuleId],
    ) -> Self {
        let (path, text) = (source.path(), source.text());
        let mut errors = Vec::new();
        let data = Format::from_path(path);
        if let Some(format) = data {
            let is_broken = Values::read(format, text).broken.is_some();
            errors.push((name_of(format).to_owned(), usize::from(is_broken)));
        }
        if data == Some(Format::Json) {
            // Comments and trailing commas are read, but not every reader of the file supports
            // them.
            let text = text.trim_start_matches('\u{FEFF}');
            let is_strict = serde_json::from_str::<IgnoredAny>(text).is_ok();
            errors.push(("JSON without comments".to_owned(), usize::from(!is_strict)));
        }
        if let Some((name, language)) = language_of(path).filter(|_| data.is_none()) {
            let tree = Tree::new(source);
            // A parser that takes too long does not show whether the text is valid.
            if let Some(parsed) = tree.in_language(language) {
                let nodes = parsed.root();
                let error_nodes = nodes.dfs().filter(|node| node.is_error() || node.is_missing());
                errors.push((name.to_owned(), error_nodes.count()));
            }
        }
        for rule in rules {
            let kind = rule.split_once('/').map_or(&**rule, |(kind, _)| kind);
            errors.push((kind.to_owned(), engine.check_rule(rule, source, files).len()));
        }
        Self(errors)
    }

    /// The reason to undo a fix if `after` has more errors in a language or format.
    pub(super) fn reason_if_broken(&self, after: &Self) -> Option<Reason> {
        let has_more_errors = |(name, errors): &&(String, usize)| {
            let after_count = after.0.iter().find(|(other, _)| other == name);
            after_count.is_some_and(|(_, count)| count > errors)
        };
        self.0.iter().find(has_more_errors).map(|(name, _)| Reason::Breaks(name.clone()))
    }
}

fn name_of(format: Format) -> &'static str {
    match format {
        Format::Json => "JSON",
        Format::Yaml => "YAML",
        Format::Toml => "TOML",
        Format::FrontMatter => "front matter",
    }
}

/// The shipped rules `…/syntax`, which report files that do not parse, except rules with severity
/// `error` at `path`, because a new error undoes a fix in any case.
pub(super) fn syntax_rules(engine: &Engine, path: &str) -> Vec<RuleId> {
    let settings = engine.settings(path);
    let is_error = |rule: &RuleId| {
        settings.get(rule).is_some_and(|setting| setting.severity == Some(Severity::Error))
    };
    let rules = engine.registry().rules().iter();
    let rules = rules.filter(|rule| rule.path.is_none() && rule.id.ends_with("/syntax"));
    rules.map(|rule| rule.id.clone()).filter(|rule| !is_error(rule)).collect()
}
