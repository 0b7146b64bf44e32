//! Determines, from the settings of other tools in the repository, which rules these tools enforce.
//! Settings are read as data, or as text if they are code; nothing is run.

mod content;
mod layout;
mod oxlint;
mod presets;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::{Enforcement, LayoutQuery, Settings, is_settings};

use content::Content;
use presets::{DEFAULTS, PRESETS};
use regex::Regex;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

/// A linter whose rules are known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// ESLint and its plugins.
    Eslint,
    /// Biome's linter.
    Biome,
    /// Clippy, and the lints of the Rust compiler.
    Clippy,
    /// Ruff, the Python linter.
    Ruff,
    /// golangci-lint and the linters it bundles.
    Golangci,
    /// oxlint, whose rules have the names of ESLint.
    Oxlint,
}

use Tool::{Biome, Clippy, Eslint, Golangci, Oxlint, Ruff};

impl Tool {
    /// The linters whose rules are known by name.
    pub const ALL: [Self; 6] = [Eslint, Biome, Clippy, Ruff, Golangci, Oxlint];

    /// The rule as written in `enforced-by` and in reports.
    #[must_use]
    pub fn rule(self, rule: &str) -> String {
        match self {
            Eslint => format!("eslint/{rule}"),
            Biome => format!("biome/{rule}"),
            Clippy => rule.to_owned(),
            Ruff => format!("ruff/{rule}"),
            Golangci => format!("golangci-lint/{rule}"),
            Oxlint => format!("oxlint/{}", oxlint::rule_name(rule)),
        }
    }

    /// The display name of the tool.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Eslint => "ESLint",
            Biome => "Biome",
            Clippy => "Clippy",
            Ruff => "Ruff",
            Golangci => "golangci-lint",
            Oxlint => "oxlint",
        }
    }
}

/// The state of a rule in the settings of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Enabled by name or by a preset that contains it.
    On,
    /// Disabled by name.
    Off,
    /// Not named, and the settings extend settings that are not in the repository.
    Unknown,
    /// Not enabled.
    Absent,
}

/// The state of `rule` in the settings of `tool`.
fn level(tool: Tool, rule: &str, settings: &Content) -> Level {
    match tool {
        Eslint => eslint(rule, settings),
        Biome => settings.data().map_or(Level::Unknown, |data| biome(rule, data)),
        Clippy => clippy(rule, settings),
        Ruff => settings.data().map_or(Level::Unknown, |data| ruff(rule, data)),
        Golangci => settings.data().map_or(Level::Unknown, |data| golangci(rule, data)),
        Oxlint => settings.data().map_or(Level::Unknown, |data| oxlint::level(rule, data)),
    }
}

/// Whether an expression matches. Compiled expressions are cached, because only a few different
/// expressions are used.
fn matches_pattern(expression: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<HashMap<String, Option<Regex>>>> =
        LazyLock::new(|| Mutex::new(HashMap::new()));
    let Ok(mut compiled) = COMPILED.lock() else { return false };
    // A page can name any rule, so the cache must be bounded against hostile pages.
    if compiled.len() > 2000 {
        compiled.clear();
    }
    let entry = compiled.entry(expression.to_owned());
    let found = entry.or_insert_with(|| Regex::new(expression).ok()).clone();
    drop(compiled);
    found.is_some_and(|found| found.is_match(text))
}

/// Whether a preset named in the settings contains the rule.
fn is_in_preset(tool: Tool, rule: &str, text: &str) -> bool {
    let contains_rule = |rules: &str| rules.split_whitespace().any(|known| known == rule);
    PRESETS.iter().any(|preset| {
        preset.tool == tool && contains_rule(preset.rules) && matches_pattern(preset.named, text)
    })
}

/// Whether the tool enables the rule by default.
fn is_enabled_by_default(tool: Tool, rule: &str) -> bool {
    let defaults = DEFAULTS.iter().filter(|(known_tool, _)| *known_tool == tool);
    defaults.into_iter().any(|(_, rules)| rules.split_whitespace().any(|known| known == rule))
}

/// The level in a setting: `"error"`, `2`, `["error", …]`, `{ level = "warn" }`.
fn level_word(setting: &Value) -> Option<String> {
    let level = setting.get(0).or_else(|| setting.get("level")).unwrap_or(setting);
    level.as_str().map(str::to_owned).or_else(|| level.as_u64().map(|number| number.to_string()))
}

/// The state of a rule that is set by name.
fn level_by_name(setting: &Value, on: &[&str], off: &[&str]) -> Option<Level> {
    let word = level_word(setting)?;
    if on.contains(&&*word) { Some(Level::On) } else { off.contains(&&*word).then_some(Level::Off) }
}

/// The strings of a list, or a single string.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

fn eslint(rule: &str, settings: &Content) -> Level {
    let data = match settings {
        Content::Program(text) => return eslint_program(rule, text),
        Content::Text(_) => return Level::Unknown,
        Content::Data(data) => data,
    };
    // In package.json, the settings are below the key `eslintConfig`.
    let root = data.get("eslintConfig").unwrap_or(data);
    let parts = || std::iter::once(root).chain(root["overrides"].as_array().into_iter().flatten());
    let set = |part: &Value| {
        level_by_name(&part["rules"][rule], &["error", "warn", "1", "2"], &["off", "0"])
    };
    if let Some(level) = parts().find_map(set) {
        return level;
    }
    let extended: Vec<&str> = parts().flat_map(|part| strings(&part["extends"])).collect();
    if extended.iter().any(|name| is_in_preset(Eslint, rule, name)) {
        Level::On
    } else if extended.iter().all(|name| is_preset(Eslint, name)) {
        Level::Absent
    } else {
        Level::Unknown
    }
}

/// Whether the rules of a preset are known.
fn is_preset(tool: Tool, name: &str) -> bool {
    PRESETS.iter().any(|preset| preset.tool == tool && matches_pattern(preset.named, name))
}

/// Searches settings that are a program, without running the program. Keys are found in quotation
/// marks, or unquoted if they are identifiers.
fn eslint_program(rule: &str, text: &str) -> Level {
    let key = format!(r#"(?m)(?:["']|^\s*|[{{,]\s*){}["']?\s*:\s*[\["'\s]*"#, regex::escape(rule));
    if matches_pattern(&format!(r"{key}(?:error|warn|[12])\b"), text) {
        Level::On
    } else if matches_pattern(&format!(r"{key}(?:off|0)\b"), text) {
        Level::Off
    } else if is_in_preset(Eslint, rule, text) {
        Level::On
    } else if matches_pattern(r"extends|\.\.\.|\brequire\(|\bimport\b|\bFlatCompat\b", text) {
        Level::Unknown
    } else {
        Level::Absent
    }
}

/// The state of a rule at `linter.rules.<group>.<rule>`.
fn biome(rule: &str, data: &Value) -> Level {
    let linter = &data["linter"];
    if linter["enabled"] == false {
        return Level::Absent;
    }
    let rules = &linter["rules"];
    let groups = rules.as_object().into_iter().flat_map(|groups| groups.values());
    let set =
        |group: &Value| level_by_name(&group[rule], &["error", "warn", "info", "on"], &["off"]);
    if let Some(level) = groups.into_iter().find_map(set) {
        return level;
    }
    let has_no_defaults = rules["recommended"] == false || rules["preset"] == "none";
    if is_enabled_by_default(Biome, rule) && !has_no_defaults {
        Level::On
    } else {
        level_if_not_enabled(data)
    }
}

/// The state of a rule that the settings do not enable: unknown if they extend other settings.
fn level_if_not_enabled(data: &Value) -> Level {
    if data["extends"].is_null() { Level::Absent } else { Level::Unknown }
}

/// The state of a lint, set by its name or by its group: `[lints.clippy] pedantic = "warn"`,
/// `#![deny(clippy::all)]`.
fn clippy(rule: &str, settings: &Content) -> Level {
    let (tool, lint) = rule.split_once("::").unwrap_or(("rust", rule));
    let set = |name: &str| match settings {
        Content::Program(text) => attribute(&rule.replace(lint, name), text),
        Content::Data(data) => {
            [&data["lints"], &data["workspace"]["lints"]].into_iter().find_map(|lints| {
                level_by_name(&lints[tool][name], &["deny", "warn", "forbid"], &["allow"])
            })
        }
        Content::Text(_) => None,
    };
    let contains_rule = |rules: &str| rules.split_whitespace().any(|known| known == lint);
    let mut groups =
        PRESETS.iter().filter(|preset| preset.tool == Clippy && contains_rule(preset.rules));
    match set(lint) {
        Some(level) => level,
        None if matches!(settings, Content::Text(_)) => Level::Unknown,
        None if groups.any(|group| set(group.named) == Some(Level::On)) => Level::On,
        None => Level::Absent,
    }
}

/// The state of a lint or group according to the attributes of a crate.
fn attribute(name: &str, text: &str) -> Option<Level> {
    let name = regex::escape(name);
    let sets_level = |levels: &str| {
        matches_pattern(&format!(r"(?m)^\s*#!\[(?:{levels})\([^)\]]*\b{name}\b"), text)
    };
    if sets_level("deny|warn|forbid") {
        return Some(Level::On);
    }
    sets_level("allow").then_some(Level::Off)
}

/// The state of a rule, which is enabled if `select` or `extend-select` contains its code or a
/// prefix of the code, and `ignore` does not. Without `select`, ruff's defaults apply.
fn ruff(rule: &str, data: &Value) -> Level {
    // `S` is a separate category, not a prefix of `SIM`.
    let letters = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let covers =
        |code: &&str| *code == "ALL" || letters(code) == letters(rule) && rule.starts_with(*code);
    let root = data.pointer("/tool/ruff").unwrap_or(data);
    // Before ruff 0.2 these keys were not in `lint`.
    let tables = [&root["lint"], root];
    let is_defined = |key: &str| tables.into_iter().find(|table| table[key].is_array());
    let codes = |key: &str| tables.map(|table| strings(&table[key])).concat();
    let defaults = DEFAULTS.iter().filter(|(tool, _)| *tool == Ruff);
    let mut selected: Vec<&str> = match is_defined("select") {
        Some(_) => codes("select"),
        None => defaults.flat_map(|(_, codes)| codes.split_whitespace()).collect(),
    };
    selected.extend(codes("extend-select"));
    if codes("ignore").iter().chain(&codes("extend-ignore")).any(covers) {
        Level::Off
    } else if selected.iter().any(covers) {
        Level::On
    } else if root["extend"].is_string() {
        Level::Unknown
    } else {
        Level::Absent
    }
}

/// The state of a linter. The rules of a linter that has several rules are enabled together with
/// the linter: `gosec/G204`, `revive/…`.
fn golangci(rule: &str, data: &Value) -> Level {
    let linter = rule.split('/').next().unwrap_or(rule);
    let linters = &data["linters"];
    let lists = |key: &str| strings(&linters[key]).contains(&linter);
    let is_set = |key: &str| linters[key].as_bool() == Some(true);
    let enables_all = is_set("enable-all") || linters["default"] == "all";
    let disables_all = is_set("disable-all") || linters["default"] == "none";
    if lists("disable") {
        Level::Off
    } else if lists("enable")
        || enables_all
        || !disables_all && is_enabled_by_default(Golangci, linter)
    {
        Level::On
    } else {
        Level::Absent
    }
}
