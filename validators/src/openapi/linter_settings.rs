//! Applies the settings of Spectral and Redocly CLI, so that a repository need not repeat them.
//! Settings in JavaScript or TypeScript, and settings outside the project, are not read.

use aidd_engine::parse::values::{Datum, Format, Values};
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::{RuleId, Severity};
use aidd_engine::text::paths::{self, Globs};
use aidd_engine::text::source::Span;
use std::collections::{BTreeMap, HashMap};

/// The rule that reports invalid settings.
pub(super) const INVALID: &str = "openapi/invalid-linter-config";
/// The rule that reports settings that are not read.
pub(super) const UNREAD: &str = "openapi/unread-ruleset";

/// The names of Spectral's settings files, in lookup order.
const SPECTRAL: [&str; 3] = [".spectral.yaml", ".spectral.yml", ".spectral.json"];
/// The names of Spectral's settings files in JavaScript or TypeScript.
const SCRIPTS: [&str; 4] = [".spectral.js", ".spectral.mjs", ".spectral.cjs", ".spectral.ts"];
/// The names of Redocly's settings files, in lookup order.
const REDOCLY: [&str; 4] = ["redocly.yaml", "redocly.yml", ".redocly.yaml", ".redocly.yml"];

/// Maximum length of a chain of settings files that extend each other.
const MAX_EXTENDED: usize = 5;

/// The rules of `spectral:oas` whose names do not start with a version of OpenAPI.
const SPECTRAL_RULES: [&str; 28] = [
    "array-items",
    "contact-properties",
    "duplicated-entry-in-enum",
    "info-contact",
    "info-description",
    "info-license",
    "license-url",
    "no-$ref-siblings",
    "no-eval-in-markdown",
    "no-script-tags-in-markdown",
    "openapi-tags",
    "openapi-tags-alphabetical",
    "openapi-tags-uniqueness",
    "operation-description",
    "operation-operationId",
    "operation-operationId-unique",
    "operation-operationId-valid-in-url",
    "operation-parameters",
    "operation-singular-tag",
    "operation-success-response",
    "operation-tag-defined",
    "operation-tags",
    "path-declarations-must-exist",
    "path-keys-no-trailing-slash",
    "path-not-include-query",
    "path-params",
    "tag-description",
    "typed-enum",
];

/// The rules of `spectral:oas` whose names start with a version of OpenAPI.
const VERSIONED: [&str; 29] = [
    "oas2-anyOf",
    "oas2-api-host",
    "oas2-api-schemes",
    "oas2-discriminator",
    "oas2-host-not-example",
    "oas2-host-trailing-slash",
    "oas2-oneOf",
    "oas2-operation-formData-consume-check",
    "oas2-operation-security-defined",
    "oas2-parameter-description",
    "oas2-schema",
    "oas2-unused-definition",
    "oas2-valid-media-example",
    "oas2-valid-schema-example",
    "oas3-api-servers",
    "oas3-callbacks-in-callbacks",
    "oas3-examples-value-or-externalValue",
    "oas3-operation-security-defined",
    "oas3-parameter-description",
    "oas3-schema",
    "oas3-server-not-example.com",
    "oas3-server-trailing-slash",
    "oas3-server-variables",
    "oas3-unused-component",
    "oas3-valid-media-example",
    "oas3-valid-schema-example",
    "oas3_1-callbacks-in-webhook",
    "oas3_1-servers-in-webhook",
    "oas3_2-no-deprecated-xml-attribute",
];

/// Names of rules that only check a part of what the rule with this alias checks. Their settings do
/// not apply to the whole rule.
const PARTIAL: [&str; 10] = [
    "no-server-variables-empty-enum",
    "oas2-anyOf",
    "oas2-oneOf",
    "oas3-examples-value-or-externalValue",
    "security-scopes-defined",
    "spec-components-invalid-map-name",
    "spec-example-values",
    "spec-no-invalid-encoding-combinations",
    "spec-no-invalid-tag-parents",
    "spec-querystring-parameters",
];

/// A setting of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Off,
    /// Enabled, with the severity of the rule's page.
    On,
    Severity(Severity),
}

/// The settings by the name of the rule in the tool. Later settings replace earlier settings.
type Levels = BTreeMap<String, Level>;

/// Whether the file at `path` contains settings.
pub(super) fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    SPECTRAL.contains(&name) || SCRIPTS.contains(&name) || REDOCLY.contains(&name)
}

/// The rules that the settings nearest to the document at `path` disable (`None`), or enable with a
/// severity.
pub(super) fn overrides(
    registry: &Registry,
    files: &dyn Files,
    path: &str,
) -> HashMap<RuleId, Option<Severity>> {
    let mut levels = Levels::new();
    for names in [&SPECTRAL[..], &REDOCLY[..]] {
        if let Some(at) = nearest(files, path, names) {
            read(files, &at, path, &mut levels, 0);
        }
    }
    let mut overrides = HashMap::new();
    for (name, level) in levels.into_iter().filter(|(name, _)| !PARTIAL.contains(&name.as_str())) {
        for rule in registry.named(&name).filter(|rule| rule.id.starts_with("openapi/")) {
            let severity = match level {
                Level::Off => None,
                Level::On => Some(rule.severity),
                Level::Severity(severity) => Some(severity),
            };
            // Several rules of a tool can correspond to one rule; the strictest setting applies.
            let known = overrides.entry(rule.id.clone()).or_insert(severity);
            *known = (*known).max(severity);
        }
    }
    overrides
}

/// The nearest file with one of the names, in the directory of `path` or a parent directory.
fn nearest(files: &dyn Files, path: &str, names: &[&str]) -> Option<String> {
    let mut directory = path;
    loop {
        directory = paths::parent_dir(directory);
        let in_directory = |name: &&str| match directory {
            "" => (*name).to_owned(),
            _ => format!("{directory}/{name}"),
        };
        let mut candidates = names.iter().map(in_directory);
        if let Some(found) = candidates.find(|candidate| files.exists(candidate)) {
            return Some(found);
        }
        if directory.is_empty() {
            return None;
        }
    }
}

/// The values of a settings file, if it is valid.
fn values(files: &dyn Files, path: &str) -> Option<Values> {
    let values = Values::read(format(path), &side_file(files, path)?);
    values.broken.is_none().then_some(values)
}

fn format(path: &str) -> Format {
    if path.ends_with(".json") { Format::Json } else { Format::Yaml }
}

/// Adds the settings in the file at `at` for the document at `path`.
fn read(files: &dyn Files, at: &str, path: &str, levels: &mut Levels, depth: usize) {
    let Some(values) = values(files, at).filter(|_| depth < MAX_EXTENDED) else { return };
    let Some(&root) = values.roots.first() else { return };
    let extended = values.child(root, "extends");
    for item in extended.into_iter().flat_map(|at| items(&values, at)) {
        match Extended::new(&values, item, at) {
            Extended::Spectral(mode) => levels.extend(spectral_rules(mode)),
            Extended::File(file) => read(files, &file, path, levels, depth + 1),
            Extended::Preset | Extended::Unread(_) => {}
        }
    }
    let lint = values.child(root, "lint").and_then(|lint| values.child(lint, "rules"));
    for rules in [lint, values.child(root, "rules")].into_iter().flatten() {
        add_rules(&values, rules, levels);
    }
    let inside = path.strip_prefix(paths::parent_dir(at)).unwrap_or(path).trim_start_matches('/');
    for entry in children(&values, values.child(root, "overrides")) {
        let patterns = values.child(*entry, "files").map(|list| items(&values, list));
        let patterns = patterns.unwrap_or_default().into_iter();
        // A pattern with a fragment refers to a part of a document.
        let patterns =
            patterns.filter_map(|item| values.text(item)).filter(|text| !text.contains('#'));
        let patterns: Vec<String> =
            patterns.map(|text| text.trim_start_matches("./").to_owned()).collect();
        let is_match = |globs: Globs| !patterns.is_empty() && globs.matches(inside);
        if Globs::new(&patterns, &[]).is_ok_and(is_match)
            && let Some(rules) = values.child(*entry, "rules")
        {
            add_rules(&values, rules, levels);
        }
    }
    for api in children(&values, values.child(root, "apis")) {
        let file = values.child(*api, "root").and_then(|root| values.text(root));
        if file.is_some_and(|file| file.trim_start_matches("./") == inside)
            && let Some(rules) = values.child(*api, "rules")
        {
            add_rules(&values, rules, levels);
        }
    }
}

fn children(values: &Values, at: Option<usize>) -> &[usize] {
    at.map_or(&[][..], |at| &values.all[at].children)
}

/// The items of a list, or the value itself.
fn items(values: &Values, at: usize) -> Vec<usize> {
    match values.all[at].datum {
        Datum::List => values.all[at].children.clone(),
        _ => vec![at],
    }
}

fn add_rules(values: &Values, rules: usize, levels: &mut Levels) {
    for &rule in &values.all[rules].children {
        let Some((name, _)) = &values.all[rule].key else { continue };
        if let Ok(Some(level)) = level(values, rule) {
            levels.insert(name.clone(), level);
        }
    }
}

/// The level in a setting; `None` if the setting does not contain one. Fails with the value that is
/// not a level.
fn level(values: &Values, at: usize) -> Result<Option<Level>, usize> {
    let level = match &values.all[at].datum {
        Datum::Bool(false) => Level::Off,
        Datum::Bool(true) => Level::On,
        Datum::Map => {
            return values
                .child(at, "severity")
                .map_or(Ok(None), |severity| level(values, severity));
        }
        Datum::Text(text) | Datum::Number(text) => match &**text {
            "off" | "-1" => Level::Off,
            "on" => Level::On,
            "error" | "0" => Level::Severity(Severity::Error),
            "warn" | "1" => Level::Severity(Severity::Warning),
            "info" | "hint" | "2" | "3" => Level::Severity(Severity::Info),
            _ => return Err(at),
        },
        Datum::Null => return Ok(None),
        Datum::List => match values.all[at].children.first() {
            Some(&first) => return level(values, first),
            None => return Ok(None),
        },
    };
    Ok(Some(level))
}

/// An item of `extends`.
enum Extended {
    /// Spectral's rules, and which of them are enabled.
    Spectral(Mode),
    /// A file of the project.
    File(String),
    /// A preset that does not change severities.
    Preset,
    /// Settings in JavaScript or TypeScript, or outside the project.
    Unread(String),
}

/// The part of a ruleset that is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    All,
    Recommended,
    Off,
}

impl Extended {
    /// The item of `extends` with the index `at`, in the settings file at `path`.
    fn new(values: &Values, at: usize, path: &str) -> Self {
        let (name, mode) = match &*values.all[at].children {
            [name, mode, ..] => (*name, values.text(*mode)),
            [name] => (*name, None),
            [] => (at, None),
        };
        let Some(name) = values.text(name) else { return Self::Preset };
        let mode = match mode.as_deref() {
            Some("all") => Mode::All,
            Some("off" | "false") => Mode::Off,
            _ => Mode::Recommended,
        };
        match &*name {
            "spectral:oas" => Self::Spectral(mode),
            "minimal" | "recommended" | "recommended-strict" | "spec" => Self::Preset,
            _ if name.starts_with("spectral:") => Self::Preset,
            _ => {
                let is_data = super::is_data(&name);
                let file = name.starts_with('.') && is_data;
                let file = file.then(|| paths::join(paths::parent_dir(path), &name)).flatten();
                file.map_or(Self::Unread(name), Self::File)
            }
        }
    }
}

/// The settings of Spectral's rules in a mode.
fn spectral_rules(mode: Mode) -> Levels {
    let level = match mode {
        Mode::All => Level::On,
        Mode::Off => Level::Off,
        Mode::Recommended => return Levels::new(),
    };
    SPECTRAL_RULES.iter().chain(&VERSIONED).map(|&name| (name.to_owned(), level)).collect()
}

/// Reports settings that are invalid, and settings that are not read.
pub(super) fn check(report: &mut Report<'_>) {
    let source = report.source();
    if SCRIPTS.contains(&source.name()) {
        if report.begin(UNREAD) {
            report
                .at(Span::default(), "a ruleset in JavaScript or TypeScript is not read")
                .help("Write the severities in `.spectral.yaml`");
        }
        return;
    }
    let values = Values::read(format(source.path()), source.text());
    if let Some((span, why)) = &values.broken {
        if report.begin(INVALID) {
            report
                .at(*span, format!("invalid settings: {why}"))
                .help("Correct the file; until then, none of its settings apply");
        }
        return;
    }
    let Some(&root) = values.roots.first() else { return };
    if report.begin(INVALID) {
        check_levels(&values, root, report);
    }
    let extended = values.child(root, "extends");
    let extended = extended.into_iter().flat_map(|at| items(&values, at));
    if report.begin(UNREAD) {
        for item in extended {
            if let Extended::Unread(name) = Extended::new(&values, item, source.path()) {
                let span = values.all[item].span;
                report
                    .at(
                        span,
                        format!(
                            "the ruleset `{name}` is not read: it is not a relative path to a YAML \
                             or JSON file in the project"
                        ),
                    )
                    .help("Write the severities that differ from the defaults in `rules`");
            }
        }
    }
}

/// Reports unknown severities, and rules that are not a mapping.
fn check_levels(values: &Values, root: usize, report: &mut Report<'_>) {
    let overrides = children(values, values.child(root, "overrides"));
    let apis = children(values, values.child(root, "apis"));
    for owner in [root].iter().chain(overrides).chain(apis) {
        let Some(rules) = values.child(*owner, "rules") else { continue };
        if !matches!(values.all[rules].datum, Datum::Map | Datum::Null) {
            let span = values.all[rules].key.as_ref().map_or(values.all[rules].span, |key| key.1);
            report
                .at(span, "`rules` is not a mapping of rules to severities")
                .help("Write `NAME: SEVERITY` for each rule");
            continue;
        }
        for &rule in &values.all[rules].children {
            if let Err(at) = level(values, rule) {
                let text = values.text(at).unwrap_or_default();
                report
                    .at(
                        values.all[at].span,
                        format!("unknown severity `{}`", super::document::short(&text)),
                    )
                    .help("Write `error`, `warn`, `info`, `hint` or `off`");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DISTRIBUTION;
    use aidd_engine::text::files::Memory;

    fn settings_of(list: &[(&str, &str)], path: &str) -> Vec<(String, Option<Severity>)> {
        let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
        let files = Memory(list.iter().map(pair).collect());
        let registry = Registry::new(DISTRIBUTION.pages, &[]);
        let found = overrides(&registry, &files, path).into_iter();
        let mut found: Vec<_> =
            found.map(|(rule, severity)| (rule.to_string(), severity)).collect();
        found.sort();
        found
    }

    #[test]
    fn severities_of_spectral_are_read() {
        let text = "extends: ['spectral:oas', './base.yaml']\nrules:\n  operation-tags: off\n  info-contact: hint\n  oas2-anyOf: off\n  \
                    no-identical-paths: {severity: error}\n  unknown: warn\noverrides:\n- files: ['v1/*.yaml']\n  rules: {operation-tags: warn}\n\
                    - files: ['**#/paths']\n  rules: {info-contact: error}\n";
        let files = [
            ("api/.spectral.yaml", text),
            ("api/base.yaml", "rules: {info-license: false, info-contact: error}\n"),
            (".spectral.yaml", "rules: {tag-description: off}\n"),
        ];
        let pair = |rule: &str, severity| (format!("openapi/{rule}"), severity);
        let expected = [
            pair("identical-paths", Some(Severity::Error)),
            pair("missing-contact", Some(Severity::Info)),
            pair("missing-license", None),
            pair("missing-operation-tag", None),
        ];
        assert_eq!(settings_of(&files, "api/openapi.yaml"), expected);
        let of_v1 = settings_of(&files, "api/v1/openapi.yaml");
        assert!(of_v1.contains(&pair("missing-operation-tag", Some(Severity::Warning))));
        assert_eq!(settings_of(&files, "x.yaml"), [pair("missing-tag-description", None)]);
    }

    #[test]
    fn a_mode_sets_all_rules_of_spectral() {
        let settings_in_mode = |mode| {
            let text =
                format!("extends: [[spectral:oas, {mode}]]\nrules: {{info-contact: error}}\n");
            settings_of(&[(".spectral.yaml", &text)], "openapi.yaml")
        };
        let off = settings_in_mode("off");
        assert!(off.contains(&("openapi/structure".to_owned(), None)));
        assert!(off.contains(&("openapi/missing-contact".to_owned(), Some(Severity::Error))));
        assert!(off.iter().all(|(rule, _)| rule != "openapi/remote-ref"));
        assert!(
            settings_in_mode("all").iter().all(|(_, severity)| severity.is_some())
                && settings_in_mode("all").len() > 30
        );
        assert_eq!(settings_in_mode("recommended").len(), 1);
    }

    #[test]
    fn severities_of_redocly_are_read() {
        let text = "extends: [minimal]\nrules: {info-license: error, operation-4xx-response: {severity: off}}\n\
                    apis:\n  a@v1: {root: ./a.yaml, rules: {info-license: warn}}\n";
        let found = settings_of(&[("redocly.yaml", text)], "a.yaml");
        let license = ("openapi/missing-license".to_owned(), Some(Severity::Warning));
        assert_eq!(found, [("openapi/missing-4xx-response".to_owned(), None), license]);
    }
}
