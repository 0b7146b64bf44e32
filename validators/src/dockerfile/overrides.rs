//! Rules disabled or changed by the file itself and by hadolint's configuration, by the names that
//! these tools use.

use super::HadolintConfig;
use aidd_engine::parse::dockerfile::Dockerfile;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{RuleId, Severity};
use std::collections::HashMap;

/// The rules that are disabled (`None`) or have a different severity for one file, by its `check`
/// directive and hadolint's configuration.
pub(super) fn rule_overrides(
    registry: &Registry,
    file: &Dockerfile,
    config: Option<&HadolintConfig>,
) -> HashMap<RuleId, Option<Severity>> {
    let mut settled = HashMap::new();
    let mut settle = |name: &str, severity: Option<Severity>| {
        settled.extend(registry.named(name.trim()).map(|rule| (rule.id.clone(), severity)));
    };
    if let Some(config) = config {
        config.overrides.iter().for_each(|(name, severity)| settle(name, Some(*severity)));
        config.ignored.iter().for_each(|name| settle(name, None));
    }
    skipped(file).for_each(|name| settle(name, None));
    if skipped(file).any(|name| name.eq_ignore_ascii_case("all")) {
        settled.extend(buildkit_rules(registry).map(|rule| (rule.id.clone(), None)));
    }
    settled
}

/// Rules of BuildKit: those with an alias that is not a code such as `DL3007`.
fn buildkit_rules(registry: &Registry) -> impl Iterator<Item = &Rule> {
    let word = |alias: &String| !alias.contains(|c: char| c.is_ascii_digit());
    registry
        .rules()
        .iter()
        .filter(|rule| rule.id.starts_with("dockerfile/"))
        .filter(move |rule| rule.aliases.iter().any(word))
}

/// The names in `# check=skip=A,B;error=true`.
fn skipped(file: &Dockerfile) -> impl Iterator<Item = &str> {
    file.directives
        .iter()
        .filter(|directive| directive.name == "check")
        .flat_map(|directive| directive.text.split(';'))
        .filter_map(|part| part.trim().strip_prefix("skip"))
        .filter_map(|rest| rest.trim_start().strip_prefix('='))
        .flat_map(|names| names.split(','))
        .map(str::trim)
}
