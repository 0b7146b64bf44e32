//! The configuration of squawk, applied so that a repository need not repeat it.

use super::squawk::ROWS;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::paths::{Globs, below, parent_dir, upwards};
use squawk_linter::{Rule, Version};
use toml_edit::{Document, Item};

const NAME: &str = ".squawk.toml";

/// The settings that apply to a file.
#[derive(Debug, Default)]
pub(super) struct SquawkConfig {
    pub(super) excluded: Vec<Rule>,
    pub(super) version: Option<Version>,
    pub(super) assume_in_transaction: Option<bool>,
    pub(super) is_file_excluded: bool,
}

/// squawk's configuration for the file at `path`: the nearest file in its directory or a parent
/// directory. Unknown settings are ignored.
pub(super) fn squawk_config(path: &str, files: &dyn Files) -> Option<SquawkConfig> {
    upwards(parent_dir(path)).find_map(|dir| {
        let at = below(dir, NAME);
        files
            .exists(&at)
            .then(|| side_file(files, &at))
            .flatten()
            .map(|text| read(&text, path, dir))
    })
}

fn read(text: &str, path: &str, dir: &str) -> SquawkConfig {
    let Ok(document) = text.parse::<Document<String>>() else { return SquawkConfig::default() };
    let strings = |key: &str| -> Vec<String> {
        let items = document.get(key).and_then(Item::as_array);
        let items = items.into_iter().flat_map(toml_edit::Array::iter);
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let excluded = strings("excluded_rules").iter().filter_map(|name| name.parse().ok()).collect();
    let paths = strings("excluded_paths");
    let relative = path.strip_prefix(dir).unwrap_or(path).trim_start_matches('/');
    let is_file_excluded =
        Globs::new(&paths, &[]).is_ok_and(|globs| !paths.is_empty() && globs.matches(relative));
    SquawkConfig {
        excluded,
        version: document.get("pg_version").and_then(Item::as_str).and_then(|v| v.parse().ok()),
        assume_in_transaction: document.get("assume_in_transaction").and_then(Item::as_bool),
        is_file_excluded,
    }
}

impl SquawkConfig {
    /// Whether all rules of squawk with the page `id` are excluded.
    pub(super) fn excludes(&self, id: &str) -> bool {
        let mut rows = ROWS.iter().filter(|row| row.id == id).peekable();
        rows.peek().is_some() && rows.all(|row| self.excluded.contains(&row.rule))
    }
}
