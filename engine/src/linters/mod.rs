//! What other tools enforce, by their settings in the repository: which rules these switch on. They
//! are read as text, and nothing of theirs is run.

mod presets;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::{Enforced, Settings, is_settings};

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
    /// Biome.
    Biome,
    /// Clippy, and the lints of the Rust compiler.
    Clippy,
    /// Ruff.
    Ruff,
    /// golangci-lint.
    Golangci,
}

use Tool::{Biome, Clippy, Eslint, Golangci, Ruff};

impl Tool {
    /// The rule as `enforced-by` and reports name it.
    #[must_use]
    pub fn rule(self, rule: &str) -> String {
        match self {
            Eslint => format!("eslint/{rule}"),
            Biome => format!("biome/{rule}"),
            Clippy => rule.to_owned(),
            Ruff => format!("ruff/{rule}"),
            Golangci => format!("golangci-lint/{rule}"),
        }
    }

    /// The tool's name as people write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Eslint => "ESLint",
            Biome => "Biome",
            Clippy => "Clippy",
            Ruff => "Ruff",
            Golangci => "golangci-lint",
        }
    }
}

/// What settings say of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is on: by its own name, or by a preset that has it.
    On,
    /// It is switched off by name.
    Off,
    /// It is not named, and the settings take over others that are not in the repository.
    Unknown,
    /// It is not on.
    Absent,
}

/// What the text of a tool's settings says of a rule.
#[must_use]
pub fn level(tool: Tool, rule: &str, text: &str) -> Level {
    match tool {
        Eslint => eslint(rule, text),
        Biome => biome(rule, text),
        Clippy => clippy(rule, text),
        Ruff => ruff(rule, text),
        Golangci => golangci(rule, text),
    }
}

/// Whether an expression matches; each is compiled once, for few are asked for.
fn says(expression: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<HashMap<String, Option<Regex>>>> =
        LazyLock::new(|| Mutex::new(HashMap::new()));
    let Ok(mut compiled) = COMPILED.lock() else { return false };
    // A page may name any rule: what a hostile one asks for is not kept for ever.
    if compiled.len() > 2000 {
        compiled.clear();
    }
    let entry = compiled.entry(expression.to_owned());
    let found = entry.or_insert_with(|| Regex::new(expression).ok()).clone();
    drop(compiled);
    found.is_some_and(|found| found.is_match(text))
}

/// Whether a preset that the settings name has the rule.
fn by_preset(tool: Tool, rule: &str, text: &str) -> bool {
    let has = |rules: &str| rules.split_whitespace().any(|one| one == rule);
    PRESETS.iter().any(|one| one.tool == tool && has(one.rules) && says(one.named, text))
}

/// Whether the tool has the rule on where its settings say nothing.
fn by_default(tool: Tool, rule: &str) -> bool {
    let own = DEFAULTS.iter().filter(|(of, _)| *of == tool);
    own.into_iter().any(|(_, rules)| rules.split_whitespace().any(|one| one == rule))
}

/// Keys stand in quotation marks in JSON and JavaScript, and bare in YAML and where they are names.
fn eslint(rule: &str, text: &str) -> Level {
    let key = format!(
        r#"(?m)(?:["']|^\s*|[{{,]\s*){}["']?\s*:\s*(?:-\s)?[\["'\s]*"#,
        regex::escape(rule)
    );
    if says(&format!(r"{key}(?:error|warn|[12])\b"), text) {
        Level::On
    } else if says(&format!(r"{key}(?:off|0)\b"), text) {
        Level::Off
    } else if by_preset(Eslint, rule, text) {
        Level::On
    } else if says(r"extends|\.\.\.|\brequire\(|\bimport\b|\bFlatCompat\b", text) {
        Level::Unknown
    } else {
        Level::Absent
    }
}

fn biome(rule: &str, text: &str) -> Level {
    let key = format!(r#""{}"\s*:\s*"#, regex::escape(rule));
    let at =
        |levels: &str| format!(r#"{key}(?:"(?:{levels})"|\{{[^}}]*"level"\s*:\s*"(?:{levels})")"#);
    let is_idle = r#""recommended"\s*:\s*false|"preset"\s*:\s*"none"|"linter"\s*:\s*\{\s*"enabled"\s*:\s*false"#;
    if says(&at("error|warn|info|on"), text) {
        Level::On
    } else if says(&at("off"), text) {
        Level::Off
    } else if by_default(Biome, rule) && !says(is_idle, text) {
        Level::On
    } else if says(r#""extends"\s*:"#, text) {
        Level::Unknown
    } else {
        Level::Absent
    }
}

/// The lint, or the group that it is in: `[lints.clippy] pedantic = "warn"`.
fn clippy(rule: &str, text: &str) -> Level {
    let plain = rule.trim_start_matches("clippy::");
    let in_table = |name: &str, level: &str| {
        says(
            &format!(
                r#"(?m)^\s*{name}\s*=\s*(?:"(?:{level})"|\{{[^}}\n]*level\s*=\s*"(?:{level})")"#
            ),
            text,
        )
    };
    let in_code =
        |name: &str, level: &str| says(&format!(r"(?m)^#!\[(?:{level})\([^)\]]*\b{name}\b"), text);
    let (name, on) = (regex::escape(plain), "deny|warn|forbid");
    let whole = regex::escape(rule);
    if in_table(&name, on) || in_code(&whole, on) {
        return Level::On;
    }
    if in_table(&name, "allow") || in_code(&whole, "allow") {
        return Level::Off;
    }
    let groups = PRESETS.iter().filter(|one| one.tool == Clippy);
    let has = |rules: &str| rules.split_whitespace().any(|one| one == plain);
    let by_group = groups.into_iter().any(|group| {
        has(group.rules)
            && (in_table(group.named, on) || in_code(&format!("clippy::{}", group.named), on))
    });
    if by_group { Level::On } else { Level::Absent }
}

/// `select` or `extend-select` has the code or the beginning of it, and `ignore` has not. Without a
/// `select` ruff has its own.
fn ruff(rule: &str, text: &str) -> Level {
    // `S` is a kind of its own and no beginning of `SIM`.
    let letters = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let covers = |code: &String| {
        code == "ALL" || letters(code) == letters(rule) && rule.starts_with(code.as_str())
    };
    let own = || {
        let codes = DEFAULTS.iter().filter(|(tool, _)| *tool == Ruff);
        codes.flat_map(|(_, codes)| codes.split_whitespace()).map(str::to_owned).collect()
    };
    let mut selected = ruff_codes("select", text).unwrap_or_else(own);
    selected.extend(ruff_codes("extend-select", text).unwrap_or_default());
    let ignored = ruff_codes("(?:extend-)?ignore", text).unwrap_or_default();
    if ignored.iter().any(covers) {
        Level::Off
    } else if selected.iter().any(covers) {
        Level::On
    } else if says(r#"(?m)^\s*extend\s*=\s*["']"#, text) {
        Level::Unknown
    } else {
        Level::Absent
    }
}

/// The codes in the lists of a key; `None` where there is no such key.
fn ruff_codes(key: &str, text: &str) -> Option<Vec<String>> {
    static CODE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"["']([A-Z]+\d*)["']"#).expect("an expression"));
    let list = Regex::new(&format!(r"(?ms)^\s*{key}\s*=\s*\[(.*?)\]")).ok()?;
    let lists: Vec<String> = list.captures_iter(text).map(|found| found[1].to_owned()).collect();
    let codes = |list: &String| -> Vec<String> {
        CODE.captures_iter(list).map(|one| one[1].to_owned()).collect()
    };
    (!lists.is_empty()).then(|| lists.iter().flat_map(codes).collect())
}

/// A rule of a linter that bundles several is on with the linter: `gosec/G204`, `revive/…`.
fn golangci(rule: &str, text: &str) -> Level {
    let linter = rule.split('/').next().unwrap_or(rule);
    let Ok(settings) = serde_saphyr::from_str::<Value>(text) else { return Level::Unknown };
    let linters = &settings["linters"];
    let lists = |key: &str| {
        let names = linters[key].as_array().into_iter().flatten();
        names.into_iter().any(|name| name.as_str() == Some(linter))
    };
    let is_set = |key: &str| linters[key].as_bool() == Some(true);
    let all = is_set("enable-all") || linters["default"] == "all";
    let none = is_set("disable-all") || linters["default"] == "none";
    if lists("disable") {
        Level::Off
    } else if lists("enable") || all || !none && by_default(Golangci, linter) {
        Level::On
    } else {
        Level::Absent
    }
}
