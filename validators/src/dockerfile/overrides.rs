//! Rules disabled or changed by the Dockerfile itself and by the configuration of hadolint. Both
//! refer to a rule by its name in BuildKit or hadolint.

use super::HadolintConfig;
use aidd_engine::parse::dockerfile::Dockerfile;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{RuleId, Severity};
use std::collections::HashMap;

/// The rules that the `check` directive of the file or the configuration of hadolint changes: the
/// new severity, or `None` if the rule is disabled.
pub(super) fn rule_overrides(
    registry: &Registry,
    file: &Dockerfile,
    config: Option<&HadolintConfig>,
) -> HashMap<RuleId, Option<Severity>> {
    let mut overrides = HashMap::new();
    let mut override_rule = |name: &str, severity: Option<Severity>| {
        overrides.extend(registry.named(name.trim()).map(|rule| (rule.id.clone(), severity)));
    };
    if let Some(config) = config {
        config.overrides.iter().for_each(|(name, severity)| override_rule(name, Some(*severity)));
        config.ignored.iter().for_each(|name| override_rule(name, None));
    }
    skipped(file).for_each(|name| override_rule(name, None));
    if skipped(file).any(|name| name.eq_ignore_ascii_case("all")) {
        overrides.extend(buildkit_rules(registry).map(|rule| (rule.id.clone(), None)));
    }
    overrides
}

/// The rules of BuildKit: rules with an alias that is not a code such as `DL3007`.
fn buildkit_rules(registry: &Registry) -> impl Iterator<Item = &Rule> {
    let is_name = |alias: &String| !alias.contains(|c: char| c.is_ascii_digit());
    registry
        .rules()
        .iter()
        .filter(|rule| rule.id.starts_with("dockerfile/"))
        .filter(move |rule| rule.aliases.iter().any(is_name))
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
