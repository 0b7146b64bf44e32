//! Reads `.squawk.toml`, the configuration of squawk, so that a repository need not repeat these
//! settings for aidd.

use super::squawk::ROWS;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::paths::{Globs, below, parent_dir, upwards};
use aidd_engine::text::source::Span;
use squawk_linter::{Rule, Version};
use std::ops::Range;
use toml_edit::{Document, Item};

const FILE_NAME: &str = ".squawk.toml";

/// The rule that reports invalid settings of squawk.
pub(super) const INVALID: &str = "sql/invalid-squawk-config";

/// The settings of squawk that apply to one SQL file.
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
        let config_path = below(dir, FILE_NAME);
        files
            .exists(&config_path)
            .then(|| side_file(files, &config_path))
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
    /// Whether all rules of squawk that share the page `id` are excluded.
    pub(super) fn excludes(&self, id: &str) -> bool {
        let mut rows = ROWS.iter().filter(|row| row.id == id).peekable();
        rows.peek().is_some() && rows.all(|row| self.excluded.contains(&row.rule))
    }
}

/// Whether the file at `path` contains the settings of squawk.
pub(super) fn is_settings(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE_NAME)
}

/// Reports invalid settings, which have no effect on the check.
pub(super) fn check(report: &mut Report<'_>) {
    if !report.begin(INVALID) {
        return;
    }
    let text = report.source().text();
    let to_span = |range: Option<Range<usize>>| {
        range.map_or(Span::default(), |range| Span::new(range.start, range.end))
    };
    let document = match text.parse::<Document<String>>() {
        Ok(document) => document,
        Err(error) => {
            let message = error.message().lines().next().unwrap_or("not TOML");
            report
                .at(to_span(error.span()), format!("invalid settings: {message}"))
                .help("Correct the file; until then, none of its settings apply");
            return;
        }
    };
    for key in ["excluded_rules", "included_rules", "excluded_paths"] {
        let Some(item) = document.get(key) else { continue };
        let Some(values) = item.as_array() else {
            let message = format!("`{key}` is not a list, so it is ignored");
            report.at(to_span(item.span()), message).help("Write a list of strings: `[\"…\"]`");
            continue;
        };
        for value in values {
            match value.as_str() {
                None => {
                    let message = format!("a value of `{key}` is not a string, so it is ignored");
                    report.at(to_span(value.span()), message).help("Write a string: `\"…\"`");
                }
                Some(name) if key != "excluded_paths" && name.parse::<Rule>().is_err() => {
                    let name = name.escape_debug();
                    report
                        .at(to_span(value.span()), format!("squawk has no rule `{name}`"))
                        .help("Correct the name, or delete it; squawk rejects the file");
                }
                Some(glob) if key == "excluded_paths" => {
                    if let Err(error) = Globs::new(&[glob.to_owned()], &[]) {
                        report
                            .at(to_span(value.span()), format!("invalid path pattern: {error}"))
                            .help("Correct the pattern; until then, no path is excluded");
                    }
                }
                Some(_) => {}
            }
        }
    }
    if let Some(item) = document.get("pg_version")
        && item.as_str().is_none_or(|version| version.parse::<Version>().is_err())
    {
        report
            .at(to_span(item.span()), "`pg_version` is not a version, so it is ignored")
            .help("Write a string such as `\"17.2\"`");
    }
    if let Some(item) = document.get("assume_in_transaction").filter(|item| !item.is_bool()) {
        report
            .at(to_span(item.span()), "`assume_in_transaction` is not a boolean, so it is ignored")
            .help("Write `true` or `false`");
    }
}
