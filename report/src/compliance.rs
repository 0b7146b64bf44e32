//! A statement of the rules that a configuration enforces, independent of findings. Statements are
//! stored as records, and compared between repositories or points in time.

use super::document::fail_on_name;
use super::gate::{Policy, Selector, Verdict};
use super::gfm::escape;
use super::number;
use super::wire::{Severities, Tool};
use aidd_engine::check::Engine;
use aidd_engine::project::config::{Config, FailOnName};
use aidd_engine::rules::rule::{Rule, Settings};
use aidd_engine::text::finding::{FailOn, Severity};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The format of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ComplianceFormat {
    /// Markdown and a notice that GitHub shows with the run.
    Github,
    /// JSON for programs.
    Json,
    /// Markdown for people.
    Markdown,
}

/// The inputs of a statement.
#[derive(Clone, Copy, Debug)]
pub struct ComplianceInput<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The engine with these settings.
    pub engine: &'a Engine,
    /// The lowest severity that fails the run, from the configuration or the command line.
    pub fail_on: FailOn,
    /// Number of findings in the baseline; `None` if there is no baseline.
    pub baseline: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Statement<'a> {
    schema_version: u32,
    tool: Tool,
    fail_on: FailOnName,
    block_on: Vec<Selected<'a>>,
    warn_on: Vec<Selected<'a>>,
    ignore: Vec<Selected<'a>>,
    rules: Rules,
    /// Number of path-specific settings; the counts in `rules` can differ for those paths.
    overrides: usize,
    project_rules: Vec<ProjectRule<'a>>,
    /// Number of findings in the baseline.
    baseline: Option<usize>,
    checksum: String,
    notes: Vec<String>,
}

/// A selector, and the number of enabled rules that it selects.
#[derive(Serialize)]
struct Selected<'a> {
    selector: &'a str,
    means: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    rules: usize,
}

/// The rules, grouped by the effect of a new finding.
#[derive(Default, Serialize)]
struct Rules {
    total: usize,
    on: usize,
    off: usize,
    blocking: Tally,
    warning: Tally,
    ignored: Tally,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tally {
    rules: usize,
    by_severity: Severities,
    by_kind: BTreeMap<String, usize>,
    by_tag: BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct ProjectRule<'a> {
    id: &'a str,
    path: &'a str,
    /// The configured severity; `None` if the rule is disabled.
    severity: Option<Severity>,
}

/// Renders the statement of the rules that the configuration enforces.
#[must_use]
pub fn compliance(input: ComplianceInput<'_>, format: ComplianceFormat) -> String {
    let ci = input.config.ci.clone().unwrap_or_default();
    let (policy, notes) = Policy::new(&ci, input.fail_on, input.engine.registry());
    let statement = statement(input, &policy, notes);
    match format {
        ComplianceFormat::Json => {
            let text = serde_json::to_string_pretty(&statement);
            let text = text.expect("strings, numbers, and maps of strings");
            format!("{}\n", super::escape::json(&text))
        }
        ComplianceFormat::Markdown => markdown(&statement),
        ComplianceFormat::Github => {
            let Rules { blocking, warning, .. } = &statement.rules;
            format!(
                "{}\n::notice title=aidd::{} block, {} warn; {}\n",
                markdown(&statement),
                number(blocking.rules, "rule"),
                warning.rules,
                statement.checksum
            )
        }
    }
}

fn statement<'a>(
    input: ComplianceInput<'a>,
    policy: &'a Policy,
    notes: Vec<String>,
) -> Statement<'a> {
    let rules = input.engine.registry().rules();
    // The settings of the root; path-specific settings are only counted.
    let settings = input.engine.settings("");
    let list = |key: &str| {
        let selectors = policy.selectors().iter().filter(|selector| selector.list.key() == key);
        selectors.map(|selector| selected(selector, &settings)).collect()
    };
    let project_rule = |rule: &'a Rule| {
        let path = rule.path.as_deref()?;
        Some(ProjectRule { id: &rule.id, path, severity: severity(&settings, &rule.id) })
    };
    Statement {
        schema_version: 1,
        tool: Tool { name: "aidd".into(), version: env!("CARGO_PKG_VERSION").into() },
        fail_on: fail_on_name(input.fail_on),
        block_on: list("blockOn"),
        warn_on: list("warnOn"),
        ignore: list("ignore"),
        rules: count_rules(rules, &settings, policy),
        overrides: input.config.overrides.as_ref().map_or(0, Vec::len),
        project_rules: rules.iter().filter_map(project_rule).collect(),
        baseline: input.baseline,
        checksum: checksum(input.config, rules),
        notes,
    }
}

fn severity(settings: &Settings, id: &str) -> Option<Severity> {
    settings.get(id)?.severity
}

fn selected<'a>(selector: &'a Selector, settings: &Settings) -> Selected<'a> {
    let severities = selector.rules.iter().filter_map(|id| severity(settings, id));
    let selected = severities
        .filter(|severity| selector.severity.is_none_or(|required| required == *severity));
    Selected {
        selector: &selector.text,
        means: selector.kind.word(),
        severity: selector.severity,
        rules: selected.count(),
    }
}

fn count_rules(rules: &[Rule], settings: &Settings, policy: &Policy) -> Rules {
    let mut tally = Rules { total: rules.len(), ..Rules::default() };
    for rule in rules {
        let Some(severity) = severity(settings, &rule.id) else {
            tally.off += 1;
            continue;
        };
        tally.on += 1;
        let group = if policy.verdict(&rule.id, severity) == Verdict::Ignore {
            &mut tally.ignored
        } else if policy.fails(&rule.id, severity) {
            &mut tally.blocking
        } else {
            &mut tally.warning
        };
        group.rules += 1;
        group.by_severity.add(severity);
        let kind = rule.id.split_once('/').map_or("", |(kind, _)| kind);
        *group.by_kind.entry(kind.to_owned()).or_default() += 1;
        for tag in &rule.tags {
            *group.by_tag.entry(tag.clone()).or_default() += 1;
        }
    }
    tally
}

/// SHA-256 of the settings and the project's rule pages. With the same version of aidd, projects
/// with equal settings and rule pages have the same checksum, regardless of line breaks and of the
/// order of keys.
fn checksum(config: &Config, rules: &[Rule]) -> String {
    let settings = Config { schema: None, ..config.clone() };
    let mut hash = Sha256::new();
    let mut hash_part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    hash_part(&sort_keys(serde_json::to_value(&settings).unwrap_or_default()).to_string());
    for rule in rules {
        if let Some(path) = &rule.path {
            hash_part(path);
            hash_part(&rule.page.replace("\r\n", "\n"));
        }
    }
    let mut text = "sha256:".to_owned();
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The value with sorted object keys. The depth is bounded, because the settings were parsed from
/// JSON.
fn sort_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries: BTreeMap<String, Value> = map.into_iter().collect();
            Value::Object(entries.into_iter().map(|(key, value)| (key, sort_keys(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sort_keys).collect()),
        other => other,
    }
}

fn markdown(statement: &Statement<'_>) -> String {
    let Statement { rules, tool, .. } = statement;
    let mut text = format!(
        "## aidd: what the gate enforces\n\n{} in total, {} enabled, {} disabled.\n\n\
         | A new finding | Rules | Errors | Warnings | Info |\n| --- | ---: | ---: | ---: | ---: |\n",
        number(rules.total, "rule"),
        rules.on,
        rules.off
    );
    let groups = [
        ("fails the run", &rules.blocking),
        ("is reported", &rules.warning),
        ("is ignored", &rules.ignored),
    ];
    for (effect, Tally { rules, by_severity, .. }) in groups {
        let Severities { error, warning, info } = by_severity;
        let _ = writeln!(text, "| {effect} | {rules} | {error} | {warning} | {info} |");
    }
    text.push_str(&selectors(statement));
    text.push_str(&group_table("Kind", &groups.map(|(_, tally)| &tally.by_kind)));
    text.push_str(&group_table("Tag", &groups.map(|(_, tally)| &tally.by_tag)));
    if !statement.project_rules.is_empty() {
        text.push_str(
            "\n### The project's own rules\n\n| Rule | Page | Severity |\n| --- | --- | --- |\n",
        );
        for rule in &statement.project_rules {
            let severity = rule.severity.map_or("off".to_owned(), |severity| severity.to_string());
            let _ = writeln!(text, "| {} | {} | {severity} |", escape(rule.id), escape(rule.path));
        }
    }
    text.push('\n');
    let _ = match statement.baseline {
        Some(count) => writeln!(text, "- Baseline: {}", number(count, "finding")),
        None => writeln!(text, "- Baseline: none"),
    };
    if statement.overrides > 0 {
        let _ = writeln!(text, "- Path-specific overrides: {}", statement.overrides);
    }
    for note in &statement.notes {
        let _ = writeln!(text, "- Note: {}", escape(note));
    }
    let _ = writeln!(text, "- Generated by aidd {}", tool.version);
    let _ = writeln!(text, "- Settings and rule pages: `{}`", statement.checksum);
    text
}

/// The `failOn` sentence and the table of the three lists.
fn selectors(statement: &Statement<'_>) -> String {
    let fail_on = match statement.fail_on {
        FailOnName::Error => "errors fail",
        FailOnName::Warning => "warnings and errors fail",
        FailOnName::Info => "any finding fails",
        FailOnName::Never => "no finding fails",
    };
    let mut text = format!("\nBy default, {fail_on} the run.\n");
    let lists = [
        ("blockOn", &statement.block_on),
        ("warnOn", &statement.warn_on),
        ("ignore", &statement.ignore),
    ];
    if lists.iter().all(|(_, list)| list.is_empty()) {
        return text;
    }
    text.push_str("\n| List | Selector | Type | Rules |\n| --- | --- | --- | ---: |\n");
    for (key, list) in lists {
        for Selected { selector, means, severity, rules } in list {
            let restriction =
                severity.map(|severity| format!(", {severity}s only")).unwrap_or_default();
            let selector = escape(selector);
            let _ = writeln!(text, "| {key} | {selector} | a {means}{restriction} | {rules} |");
        }
    }
    text
}

/// A folded table with the number of rules per group and effect.
fn group_table(title: &str, groups: &[&BTreeMap<String, usize>; 3]) -> String {
    let names: BTreeSet<&String> = groups.iter().flat_map(|counts| counts.keys()).collect();
    if names.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n<details>\n<summary>By {}</summary>\n\n| {title} | Fails | Reported | Ignored |\n\
         | --- | ---: | ---: | ---: |\n",
        title.to_lowercase()
    );
    for name in names {
        let [fails, reported, ignored] =
            groups.map(|counts| counts.get(name).copied().unwrap_or_default());
        let _ = writeln!(text, "| {} | {fails} | {reported} | {ignored} |", escape(name));
    }
    text.push_str("\n</details>\n");
    text
}
