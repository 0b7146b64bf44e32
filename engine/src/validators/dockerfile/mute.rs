//! What the file itself and hadolint's settings say about rules, by the names peers give them.

use super::HadolintConfig;
use crate::finding::Severity;
use crate::parse::dockerfile::Dockerfile;
use crate::registry::Registry;
use crate::rule::{Report, Rule};
use std::collections::HashMap;

/// Rules that are off or have another severity in one file.
pub(super) struct Mute<'a> {
    settings: HashMap<&'a str, Option<Severity>>,
}

impl<'a> Mute<'a> {
    /// Reads the `check` directive of `file` and hadolint's settings.
    pub(super) fn new(
        registry: &'a Registry,
        file: &Dockerfile,
        config: Option<&HadolintConfig>,
    ) -> Self {
        let rules = |name: &str| -> Vec<&'a str> {
            registry.named(name.trim()).map(|rule| &*rule.id).collect()
        };
        let mut settings = HashMap::new();
        if let Some(config) = config {
            for (name, severity) in &config.overrides {
                settings.extend(rules(name).into_iter().map(|id| (id, Some(*severity))));
            }
            for name in &config.ignored {
                settings.extend(rules(name).into_iter().map(|id| (id, None)));
            }
        }
        for name in skipped(file) {
            if name.eq_ignore_ascii_case("all") {
                settings.extend(of_buildkit(registry).map(|rule| (&*rule.id, None)));
            } else {
                settings.extend(rules(name).into_iter().map(|id| (id, None)));
            }
        }
        Self { settings }
    }

    /// Makes `rule` the current one, with the severity asked for; `false` when it is off.
    pub(super) fn begin(&self, rule: &str, report: &mut Report<'_>) -> bool {
        let setting = self.settings.get(rule);
        if setting == Some(&None) || !report.begin(rule) {
            return false;
        }
        if let Some(&Some(severity)) = setting {
            report.set_severity(severity);
        }
        true
    }
}

/// Rules that BuildKit knows: those with an alias that is not a code like `DL3007`.
fn of_buildkit(registry: &Registry) -> impl Iterator<Item = &Rule> {
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
