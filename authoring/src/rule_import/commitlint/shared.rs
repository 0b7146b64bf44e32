//! Shared configurations: those of known packages, files of the project, and packages in
//! `node_modules`.

use super::super::modules::{Modules, find};
use super::super::recipe;
use super::super::{Left, Made, texts};
use super::TABLES;
use serde_json::{Map, Value as Json, json};

/// The rules of packages that are known without being installed, as of version 20.5
/// (<https://github.com/conventional-changelog/commitlint>).
pub(super) fn known(package: &str) -> Option<Json> {
    let name = package.strip_prefix("@commitlint/config-").unwrap_or(package);
    TABLES.configs.get(name).map(|rules| json!({"rules": rules}))
}

/// Maximum depth of `extends`.
pub(super) const DEEPEST: usize = 8;

/// A configuration merged with those that it extends.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) rules: Map<String, Json>,
    /// The parser, and the file that names it.
    pub(super) preset: Option<(Json, String)>,
}

/// Adds what `config` extends, then its own rules.
pub(super) fn gather(
    modules: &Modules<'_>,
    path: &str,
    config: &Map<String, Json>,
    depth: usize,
    all: &mut Gathered,
    made: &mut Made,
) {
    for extended in config.get("extends").map(texts).unwrap_or_default() {
        let item = || format!("extends `{extended}`");
        if let Some(known) = known(&extended) {
            all.rules.extend(known["rules"].as_object().cloned().unwrap_or_default());
            continue;
        }
        let Some(depth) = depth.checked_sub(1) else {
            made.left.push(Left::new(item(), "`extends` is circular or too deep"));
            continue;
        };
        let Some(place) = package(modules, path, &extended) else {
            let left = Left::new(item(), "it is neither in the project nor in `node_modules`");
            let instead = "install it and import again, or write its rules out";
            made.left.push(left.instead(instead));
            continue;
        };
        match modules.literal(&place, &format!("{place}: "), made) {
            Ok(inner) => gather(modules, &place, &recipe::vars(inner), depth, all, made),
            Err(why) => made.left.push(Left::new(item(), why.to_string())),
        }
    }
    if let Some(preset) = config.get("parserPreset").filter(|preset| !preset.is_null()) {
        all.preset = Some((preset.clone(), path.to_owned()));
    }
    if let Some(Json::Object(own)) = config.get("rules") {
        all.rules.extend(own.clone());
    }
}

/// The file of a shared configuration, whose name can be abbreviated
/// (`@commitlint/resolve-extends`).
fn package(modules: &Modules<'_>, from: &str, name: &str) -> Option<String> {
    let is_path = name.starts_with('.');
    let long = match name.split_once('/') {
        _ if is_path => None,
        Some((scope, rest)) if name.starts_with('@') => {
            Some(format!("{scope}/commitlint-config-{rest}"))
        }
        None if name.starts_with('@') => Some(format!("{name}/commitlint-config")),
        _ => Some(format!("commitlint-config-{name}")),
    };
    let found = find(modules.files, from, name);
    found.or_else(|| find(modules.files, from, &long?))
}
