//! What the file itself and hadolint's settings say about rules, by the names peers give them.

use super::HadolintConfig;
use crate::finding::Severity;
use crate::parse::dockerfile::Dockerfile;
use crate::rule::Report;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Rules by the names that peers give them, in lower case.
static NAMES: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut names: HashMap<String, Vec<&'static str>> = HashMap::new();
    for (page, (header, _)) in aidd_content::PAGES.iter().zip(aidd_content::headers()) {
        for alias in header.aliases {
            names.entry(alias.to_ascii_lowercase()).or_default().push(page.id);
        }
    }
    names
});

/// Rules that are off or have another severity in one file.
pub(super) struct Mute {
    settings: HashMap<&'static str, Option<Severity>>,
}

impl Mute {
    /// Reads the `check` directive of `file` and hadolint's settings.
    pub(super) fn new(file: &Dockerfile, config: Option<&HadolintConfig>) -> Self {
        let mut settings = HashMap::new();
        if let Some(config) = config {
            for (name, severity) in &config.overrides {
                settings.extend(rules(name).iter().map(|&id| (id, Some(*severity))));
            }
            for name in &config.ignored {
                settings.extend(rules(name).iter().map(|&id| (id, None)));
            }
        }
        for name in skipped(file) {
            if name.eq_ignore_ascii_case("all") {
                settings.extend(of_buildkit().map(|id| (id, None)));
            } else {
                settings.extend(rules(name).iter().map(|&id| (id, None)));
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

fn rules(name: &str) -> &'static [&'static str] {
    NAMES.get(&name.trim().to_ascii_lowercase()).map_or(&[], |ids| ids)
}

/// Rules that BuildKit knows: those with a name that is not a code like `DL3007`.
fn of_buildkit() -> impl Iterator<Item = &'static str> {
    NAMES
        .iter()
        .filter(|(name, _)| !name.contains(|c: char| c.is_ascii_digit()))
        .flat_map(|(_, ids)| ids.iter().copied())
        .filter(|id| id.starts_with("dockerfile/"))
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
