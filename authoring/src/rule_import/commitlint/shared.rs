//! Shared configurations, from known packages, files of the project, and packages in
//! `node_modules`.

use super::super::modules::{Modules, resolve};
use super::super::recipe;
use super::super::{ImportDraft, NotImported, string_list};
use super::TABLES;
use serde_json::{Map, Value as Json, json};

/// The rules of a package that is known without being installed, as of version 20.5
/// (<https://github.com/conventional-changelog/commitlint>).
pub(super) fn known_package(package: &str) -> Option<Json> {
    let name = package.strip_prefix("@commitlint/config-").unwrap_or(package);
    TABLES.configs.get(name).map(|rules| json!({"rules": rules}))
}

/// Maximum depth of `extends`.
pub(super) const MAX_DEPTH: usize = 8;

/// A configuration merged with the configurations that it extends.
#[derive(Default)]
pub(super) struct MergedConfig {
    pub(super) rules: Map<String, Json>,
    /// The parser, and the file that specifies it.
    pub(super) preset: Option<(Json, String)>,
}

/// Adds the rules of the configurations that `config` extends, then its own rules.
pub(super) fn merge_extends(
    modules: &Modules<'_>,
    path: &str,
    config: &Map<String, Json>,
    depth: usize,
    all: &mut MergedConfig,
    import_draft: &mut ImportDraft,
) {
    for extended in config.get("extends").map(string_list).unwrap_or_default() {
        let item = || format!("extends `{extended}`");
        if let Some(known) = known_package(&extended) {
            all.rules.extend(known["rules"].as_object().cloned().unwrap_or_default());
            continue;
        }
        let Some(depth) = depth.checked_sub(1) else {
            import_draft
                .not_imported
                .push(NotImported::new(item(), "`extends` is circular or too deep"));
            continue;
        };
        let Some(file) = resolve_package(modules, path, &extended) else {
            let not_imported =
                NotImported::new(item(), "it is neither in the project nor in `node_modules`");
            let instead = "install it and import again, or copy its rules into the configuration";
            import_draft.not_imported.push(not_imported.instead(instead));
            continue;
        };
        match modules.literal(&file, &format!("{file}: "), import_draft) {
            Ok(inner) => {
                merge_extends(modules, &file, &recipe::vars(inner), depth, all, import_draft);
            }
            Err(why) => import_draft.not_imported.push(NotImported::new(item(), why.to_string())),
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
fn resolve_package(modules: &Modules<'_>, from: &str, name: &str) -> Option<String> {
    let is_path = name.starts_with('.');
    let long = match name.split_once('/') {
        _ if is_path => None,
        Some((scope, rest)) if name.starts_with('@') => {
            Some(format!("{scope}/commitlint-config-{rest}"))
        }
        None if name.starts_with('@') => Some(format!("{name}/commitlint-config")),
        _ => Some(format!("commitlint-config-{name}")),
    };
    let found = resolve(modules.files, from, name);
    found.or_else(|| resolve(modules.files, from, &long?))
}
