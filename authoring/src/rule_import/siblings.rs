//! Other configurations of the same tool, which would otherwise be ignored silently.

use super::{NotImported, Tool, read_data};
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{below, parent_dir};

/// Maximum number of directories with their own configuration that are listed.
const MAX_DIRS: usize = 20;

/// Whether a directory contains a configuration with the name `name`. A file shared by several tools
/// must contain `key`.
pub(super) fn has_config(
    files: &dyn Files,
    folder: &str,
    (name, key): (&str, Option<&str>),
) -> bool {
    let path = below(folder, name);
    let has = |key| {
        read_data(files, &path).is_ok_and(|all| all.iter().any(|value| !value[key].is_null()))
    };
    files.exists(&path) && key.is_none_or(has)
}

/// The configurations that the configuration at `path` overrides, and the configurations of
/// subdirectories, which apply only there.
pub(super) fn overridden_configs(files: &dyn Files, path: &str, tool: Tool) -> Vec<NotImported> {
    let (folder, own) = (parent_dir(path), file_name(path));
    let known = tool.files();
    let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
    if !is_known(own) {
        return Vec::new();
    }
    let is_markdownlint = tool == Tool::Markdownlint;
    // The import of a markdownlint-cli2 configuration already reads the rule files.
    let reads_rules = is_markdownlint && (own.contains("cli2") || own == "package.json");
    let is_read = |name: &str| name == own || reads_rules && name.starts_with(".markdownlint.");
    let why = format!("{tool} reads `{path}` in the same directory instead");
    let others = known.iter().filter(|file| !is_read(file.0) && has_config(files, folder, **file));
    let mut overridden: Vec<NotImported> =
        others.map(|(name, _)| NotImported::new(below(folder, name), &*why)).collect();
    if is_markdownlint {
        let all = files.listing().map(|listing| listing.below(folder)).unwrap_or_default();
        let is_inner = |path: &&String| {
            parent_dir(path) != folder
                && file_name(path).starts_with(".markdownlint")
                && is_known(file_name(path))
                && !path.contains("node_modules/")
        };
        overridden.extend(all.iter().filter(is_inner).take(MAX_DIRS).map(|inner| {
            let to = parent_dir(inner);
            NotImported::new(inner, format!("it applies to `{to}/` only"))
                .instead(format!("aidd rule import {inner} --to {to}/.aidd/rules"))
        }));
    }
    overridden
}

/// The last segment of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
