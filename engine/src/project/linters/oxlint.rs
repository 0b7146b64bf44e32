//! The state of rules in the settings of oxlint: single rules, categories and plugins.

use super::{Level, level_by_name, level_if_not_enabled};
use serde_json::Value;

/// The rules: a plugin, a category and the rules of both per line.
const RULES: &str = include_str!("oxlint.txt");

/// The plugins that are enabled if the settings name none. The rules of ESLint are always available.
const DEFAULT_PLUGINS: [&str; 3] = ["unicorn", "typescript", "oxc"];

/// The category that is enabled if the settings do not set it.
const DEFAULT_CATEGORY: &str = "correctness";

/// The state that a level sets.
fn state(setting: &Value) -> Option<Level> {
    level_by_name(setting, &["warn", "error", "deny", "1", "2"], &["off", "allow", "0"])
}

/// The name of a rule without its plugin. A rule of ESLint that typescript-eslint extends is one rule
/// in oxlint.
fn bare(rule: &str) -> &str {
    rule.rsplit('/').next().unwrap_or(rule)
}

/// The plugin of oxlint with the rules of an ESLint plugin; `None` for a rule of ESLint itself.
fn plugin(rule: &str) -> Option<&str> {
    let (plugin, _) = rule.rsplit_once('/')?;
    Some(match plugin {
        "@typescript-eslint" | "typescript-eslint" => "typescript",
        "react-hooks" | "react-refresh" => "react",
        "import-x" => "import",
        "@next/next" => "nextjs",
        "jsx-a11y-x" => "jsx-a11y",
        other => other,
    })
}

/// The plugin and the category of a rule, named as in ESLint.
fn find(rule: &str) -> Option<(&'static str, &'static str)> {
    let name = bare(rule);
    let rows = RULES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut words = line.split(' ');
        let (plugin, category) = (words.next()?, words.next()?);
        words.any(|known| known == name).then_some((plugin, category))
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let requested = plugin(rule);
    let own = rows.iter().find(|(plugin, _)| requested.is_none_or(|own| own == *plugin));
    // `@typescript-eslint/no-unused-vars` is `eslint/no-unused-vars`.
    own.or_else(|| rows.iter().find(|(plugin, _)| *plugin == "eslint")).copied()
}

/// The name in settings of oxlint: rules of ESLint have no plugin.
pub(super) fn rule_name(rule: &str) -> String {
    match find(rule) {
        Some(("eslint", _)) => bare(rule).to_owned(),
        Some((plugin, _)) => format!("{plugin}/{}", bare(rule)),
        None => rule.to_owned(),
    }
}

/// The state of a rule, named as in ESLint.
pub(super) fn level(rule: &str, data: &Value) -> Level {
    let name = bare(rule);
    let Some((plugin, category)) = find(rule) else { return Level::Absent };
    let parts = std::iter::once(data).chain(data["overrides"].as_array().into_iter().flatten());
    let by_name = |part: &Value| {
        let rules = part["rules"].as_object()?;
        let is_named = |key: &str| bare(key) == name && is_same_plugin(key, plugin);
        rules.iter().find(|(key, _)| is_named(key)).and_then(|(_, setting)| state(setting))
    };
    if let Some(level) = parts.into_iter().find_map(by_name) {
        return level;
    }
    let is_active = plugin == "eslint"
        || match data["plugins"].as_array() {
            Some(plugins) => plugins.iter().filter_map(Value::as_str).any(|name| {
                name == plugin || self::plugin(&format!("{name}/")).is_some_and(|own| own == plugin)
            }),
            None => DEFAULT_PLUGINS.contains(&plugin),
        };
    let in_category = match state(&data["categories"][category]) {
        Some(level) => level == Level::On,
        None => category == DEFAULT_CATEGORY,
    };
    if is_active && in_category { Level::On } else { level_if_not_enabled(data) }
}

/// Whether a key in the settings names a rule of the plugin. Rules of ESLint need no plugin.
fn is_same_plugin(key: &str, plugin: &str) -> bool {
    self::plugin(key).is_none_or(|own| own == plugin || own == "typescript" && plugin == "eslint")
}
