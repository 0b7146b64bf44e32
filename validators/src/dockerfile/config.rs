//! Applies the configuration of hadolint, so that a repository need not repeat it for aidd.

use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::{Encoding, Position, Span};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The names of hadolint's configuration file, in lookup order.
pub(super) const HADOLINT_CONFIGS: [&str; 3] =
    [".hadolint.yaml", ".hadolint.yml", ".hadolint.json"];

/// The parsed configuration of hadolint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HadolintConfig {
    /// Path of the configuration file.
    pub path: String,
    /// Disabled rules.
    pub ignored: Vec<String>,
    /// Rules with a different severity.
    pub overrides: Vec<(String, Severity)>,
    /// Trusted registries, which can begin or end with `*`. If the list is empty, all are trusted.
    pub trusted_registries: Vec<String>,
    /// Required labels and the type of their value: `text`, `url`, `semver`, `hash`, `rfc3339`,
    /// `spdx`, `email`.
    pub label_schema: BTreeMap<String, String>,
    /// Whether labels that are not in the schema are reported.
    pub strict_labels: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawConfig {
    ignored: Option<Vec<String>>,
    r#override: Option<BTreeMap<String, Option<Vec<String>>>>,
    #[serde(rename = "trustedRegistries")]
    trusted_registries: Option<Vec<String>>,
    #[serde(rename = "label-schema")]
    label_schema: Option<BTreeMap<String, String>>,
    #[serde(rename = "strict-labels")]
    strict_labels: Option<bool>,
}

/// hadolint's configuration for the file at `path`: the nearest file in its directory or a parent
/// directory. An invalid file counts as missing; a separate finding reports it.
#[must_use]
pub(crate) fn hadolint_config(files: &dyn Files, path: &str) -> Option<HadolintConfig> {
    let mut directory = path;
    loop {
        directory = directory.rsplit_once('/').map_or("", |(directory, _)| directory);
        for name in HADOLINT_CONFIGS {
            let path =
                if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            if let Some(text) = side_file(files, &path) {
                return read(&text, path);
            }
        }
        if directory.is_empty() {
            return None;
        }
    }
}

/// The rule on the configuration file itself.
pub(super) const INVALID: &str = "dockerfile/invalid-hadolint-config";

/// Reports why a configuration file is invalid. An invalid file is ignored completely.
pub(crate) fn check(report: &mut Report<'_>) {
    let source = report.source();
    let Err(error) = serde_saphyr::from_str::<RawConfig>(source.text()) else { return };
    if !report.begin(INVALID) {
        return;
    }
    let error = error.without_snippet();
    let number = |count: u64| u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX);
    let position = error.location().map_or(Position { line: 0, column: 0 }, |at| Position {
        line: number(at.line()),
        column: number(at.column()),
    });
    let start = source.offset(position, Encoding::CodePoints);
    let line = source.line_span(source.line_of(start));
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    report
        .at(
            Span { start, end: line.end.max(start) },
            format!("invalid hadolint configuration: {message}"),
        )
        .help("Fix the file; until then none of its settings apply to the Dockerfiles below it");
}

fn read(text: &str, path: String) -> Option<HadolintConfig> {
    let raw: RawConfig = serde_saphyr::from_str(text).ok()?;
    let mut config = HadolintConfig {
        path,
        ignored: raw.ignored.unwrap_or_default(),
        trusted_registries: raw.trusted_registries.unwrap_or_default(),
        label_schema: raw.label_schema.unwrap_or_default(),
        strict_labels: raw.strict_labels.unwrap_or_default(),
        overrides: Vec::new(),
    };
    for (level, rules) in raw.r#override.unwrap_or_default() {
        let severity = match &*level {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "info" | "style" => Severity::Info,
            _ => continue,
        };
        config.overrides.extend(rules.unwrap_or_default().into_iter().map(|rule| (rule, severity)));
    }
    Some(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    fn files(list: &[(&str, &str)]) -> Memory {
        let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
        Memory(list.iter().map(pair).collect())
    }

    #[test]
    fn the_nearest_configuration_file_applies() {
        let text = "ignored:\n  - DL3008\noverride:\n  error: [DL3007]\n  style:\n    - DL3015\ntrustedRegistries:\n  - ghcr.io\nlabel-schema:\n  author: text\nstrict-labels: true\nfailure-threshold: info\n";
        let files = files(&[(".hadolint.yaml", "ignored: [A]\n"), ("a/.hadolint.yml", text)]);
        let config = hadolint_config(&files, "a/b/Dockerfile").expect("settings");
        assert_eq!(config.path, "a/.hadolint.yml");
        assert_eq!(config.ignored, ["DL3008"]);
        let overrides =
            [("DL3007".to_owned(), Severity::Error), ("DL3015".to_owned(), Severity::Info)];
        assert_eq!(config.overrides, overrides);
        assert_eq!(config.trusted_registries, ["ghcr.io"]);
        assert_eq!(config.label_schema.get("author").map(String::as_str), Some("text"));
        assert!(config.strict_labels);
        assert_eq!(hadolint_config(&files, "Dockerfile").expect("settings").ignored, ["A"]);
    }

    #[test]
    fn json_is_parsed_and_invalid_files_are_ignored() {
        let config_of = |text| hadolint_config(&files(&[(".hadolint.json", text)]), "x/Dockerfile");
        assert_eq!(config_of("{\"ignored\": [\"DL3000\"]}").expect("settings").ignored, ["DL3000"]);
        assert_eq!(config_of("ignored: {"), None);
        assert_eq!(
            config_of("ignored:\n").expect("settings"),
            HadolintConfig { path: ".hadolint.json".to_owned(), ..HadolintConfig::default() }
        );
        assert_eq!(hadolint_config(&files(&[]), "x/Dockerfile"), None);
    }
}
