//! The settings of the project's formatters.

use super::formatting::{Scope, Style};
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::manifest;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use serde_json::Value;
use std::collections::BTreeSet;

/// A style that a formatter sets.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) style: Style,
    pub(super) scope: Scope,
    /// The file with the setting.
    pub(super) path: String,
}

/// The styles that the formatters set: those at the root for all files, those of Python and Rust in
/// all directories.
pub(super) fn settings(files: &dyn Files, listing: &Listing) -> Vec<Setting> {
    let mut found = Vec::new();
    for path in [".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml"] {
        let Some(text) = side_file(files, path) else { continue };
        let is_json = text.trim_start().starts_with('{');
        let value = parsed(if is_json { Format::Json } else { Format::Yaml }, &text);
        add_prettier(&value, path, &mut found);
        break;
    }
    let package = manifest::json(files, "package.json");
    add_prettier(manifest::at(&package, &["prettier"]), "package.json", &mut found);
    for path in ["biome.json", "biome.jsonc"] {
        if let Some(text) = side_file(files, path) {
            add_biome(&parsed(Format::Json, &text), path, &mut found);
        }
    }
    if let Some(text) = side_file(files, ".editorconfig") {
        add_editorconfig(&text, &mut found);
    }
    for path in listing.files() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_read = matches!(
            name,
            "pyproject.toml" | "ruff.toml" | ".ruff.toml" | "rustfmt.toml" | ".rustfmt.toml"
        );
        let Some(text) = is_read.then(|| side_file(files, path)).flatten() else { continue };
        let value = parsed(Format::Toml, &text);
        match name {
            "pyproject.toml" => {
                add_ruff(manifest::at(&value, &["tool", "ruff"]), path, &mut found);
                let black = manifest::at(&value, &["tool", "black", "line-length"]);
                add_length(black, Scope::Python, path, &mut found);
            }
            "ruff.toml" | ".ruff.toml" => add_ruff(&value, path, &mut found),
            _ => {
                add_length(&value["max_width"], Scope::Rust, path, &mut found);
                if let Some(width) = value["tab_spaces"].as_u64() {
                    add(Style::Spaces(Some(width)), Scope::Rust, path, &mut found);
                }
                if value["hard_tabs"] == Value::Bool(true) {
                    add(Style::Tabs, Scope::Rust, path, &mut found);
                }
            }
        }
    }
    found
}

fn parsed(format: Format, text: &str) -> Value {
    let values = Values::read(format, text);
    values.roots.first().map(|&root| values.json(root)).unwrap_or_default()
}

fn add(style: Style, scope: Scope, path: &str, found: &mut Vec<Setting>) {
    found.push(Setting { style, scope, path: path.to_owned() });
}

fn add_length(value: &Value, scope: Scope, path: &str, found: &mut Vec<Setting>) {
    if let Some(length) = value.as_u64() {
        add(Style::LineLength(length), scope, path, found);
    }
}

fn add_prettier(value: &Value, path: &str, found: &mut Vec<Setting>) {
    let is = |key: &str| value.get(key).and_then(Value::as_bool);
    let width = value.get("tabWidth").and_then(Value::as_u64);
    let indentation = match is("useTabs") {
        Some(true) => Some(Style::Tabs),
        Some(false) => Some(Style::Spaces(width)),
        None => width.map(|width| Style::Spaces(Some(width))),
    };
    let quotes = is("singleQuote").map(|is_single| match is_single {
        true => Style::SingleQuotes,
        false => Style::DoubleQuotes,
    });
    let semicolons = is("semi").map(|has| match has {
        true => Style::Semicolons,
        false => Style::NoSemicolons,
    });
    for style in [indentation, quotes, semicolons].into_iter().flatten() {
        add(style, Scope::All, path, found);
    }
    add_length(&value["printWidth"], Scope::All, path, found);
}

fn add_biome(value: &Value, path: &str, found: &mut Vec<Setting>) {
    let at = |keys: &[&str]| manifest::text(value, keys).map(str::to_owned);
    let width = manifest::at(value, &["formatter", "indentWidth"]).as_u64();
    let indentation = match at(&["formatter", "indentStyle"]).as_deref() {
        Some("tab") => Some(Style::Tabs),
        Some("space") => Some(Style::Spaces(width)),
        _ => None,
    };
    let quotes = match at(&["javascript", "formatter", "quoteStyle"]).as_deref() {
        Some("single") => Some(Style::SingleQuotes),
        Some("double") => Some(Style::DoubleQuotes),
        _ => None,
    };
    let semicolons = match at(&["javascript", "formatter", "semicolons"]).as_deref() {
        Some("always") => Some(Style::Semicolons),
        Some("asNeeded") => Some(Style::NoSemicolons),
        _ => None,
    };
    for style in [indentation, quotes, semicolons].into_iter().flatten() {
        add(style, Scope::All, path, found);
    }
    add_length(manifest::at(value, &["formatter", "lineWidth"]), Scope::All, path, found);
}

fn add_ruff(value: &Value, path: &str, found: &mut Vec<Setting>) {
    add_length(&value["line-length"], Scope::Python, path, found);
    if let Some(width) = value["indent-width"].as_u64() {
        add(Style::Spaces(Some(width)), Scope::Python, path, found);
    }
    let styles = match manifest::text(value, &["format", "quote-style"]) {
        Some("single") => Some(Style::SingleQuotes),
        Some("double") => Some(Style::DoubleQuotes),
        _ => None,
    };
    let tabs = manifest::text(value, &["format", "indent-style"]).filter(|it| *it == "tab");
    for style in styles.into_iter().chain(tabs.map(|_| Style::Tabs)) {
        add(style, Scope::Python, path, found);
    }
}

/// Only the sections for all files and for Python. A width for all files counts only if no section
/// sets another one.
fn add_editorconfig(text: &str, found: &mut Vec<Setting>) {
    let (mut scope, mut style) = (None, None);
    let mut widths: BTreeSet<u64> = BTreeSet::new();
    let mut python_width = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            scope = match line {
                "[*]" => Some(Scope::All),
                "[*.py]" | "[*.{py,pyi}]" => Some(Scope::Python),
                _ => None,
            };
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim();
            match (&*key.trim().to_ascii_lowercase(), scope) {
                ("indent_style", Some(Scope::All)) => style = Some(value == "tab"),
                ("indent_size", _) => {
                    let width = value.parse::<u64>().ok();
                    widths.extend(width);
                    if scope == Some(Scope::Python) {
                        python_width = width;
                    }
                }
                ("max_line_length", Some(scope)) => {
                    if let Ok(length) = value.parse() {
                        add(Style::LineLength(length), scope, ".editorconfig", found);
                    }
                }
                _ => {}
            }
        }
    }
    let width = widths.first().copied().filter(|_| widths.len() == 1);
    match style {
        Some(true) => add(Style::Tabs, Scope::All, ".editorconfig", found),
        Some(false) => add(Style::Spaces(width), Scope::All, ".editorconfig", found),
        None => {}
    }
    if python_width.is_some() {
        add(Style::Spaces(python_width), Scope::Python, ".editorconfig", found);
    }
}
