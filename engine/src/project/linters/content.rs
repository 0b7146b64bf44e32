//! Reads the settings of a tool: as data if the format is supported, otherwise as text without
//! comments, because commented settings have no effect.

use crate::parse::syntax::parse_text;
use crate::parse::values::{Format, Values};
use ast_grep_language::SupportLang;
use serde_json::Value;

/// Maximum nesting of settings that are read as data.
const MAX_DEPTH: usize = 64;

/// The content of a settings file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// The text of a program without comments; the program is not run.
    Program(String),
    /// The parsed data of the file.
    Data(Value),
    /// The text of a malformed file, or of a file in an unsupported format.
    Text(String),
}

impl Content {
    /// Reads the text of the file with this name.
    pub(super) fn parse(name: &str, text: String) -> Self {
        if let Some(language) = language(name) {
            return Self::Program(without_comments(language, text));
        }
        let Some(format) = format(name, &text) else { return Self::Text(text) };
        let values = Values::read(format, &text);
        if values.broken.is_some() || values.deeper_than(MAX_DEPTH).is_some() {
            return Self::Text(text);
        }
        // An empty file contains no settings, so the defaults apply.
        let root = values.roots.first().map(|root| values.json(*root));
        Self::Data(
            root.filter(|root| !root.is_null()).unwrap_or_else(|| Value::Object(<_>::default())),
        )
    }

    /// The data; `None` if the file was not read as data.
    pub(super) fn data(&self) -> Option<&Value> {
        match self {
            Self::Data(data) => Some(data),
            Self::Program(_) | Self::Text(_) => None,
        }
    }

    /// Whether `part` occurs in the settings, in a key or a string.
    pub(super) fn contains(&self, part: &str) -> bool {
        match self {
            Self::Program(text) | Self::Text(text) => text.contains(part),
            Self::Data(data) => any_text(data, &|text| text.contains(part)),
        }
    }
}

/// Whether `is_match` is true for any key or string in a value.
pub(super) fn any_text(data: &Value, is_match: &impl Fn(&str) -> bool) -> bool {
    match data {
        Value::String(text) => is_match(text),
        Value::Array(all) => all.iter().any(|item| any_text(item, is_match)),
        Value::Object(all) => {
            all.iter().any(|(key, item)| is_match(key) || any_text(item, is_match))
        }
        _ => false,
    }
}

fn language(name: &str) -> Option<SupportLang> {
    match name.rsplit('.').next()? {
        "js" | "cjs" | "mjs" => Some(SupportLang::JavaScript),
        "ts" | "cts" | "mts" => Some(SupportLang::TypeScript),
        "rs" => Some(SupportLang::Rust),
        _ => None,
    }
}

/// The format of a file; a file without an extension (`.eslintrc`) can contain JSON or YAML.
fn format(name: &str, text: &str) -> Option<Format> {
    if !name.ends_with("rc") {
        return Format::from_path(name);
    }
    let is_json = text.trim_start().starts_with(['{', '/']);
    Some(if is_json { Format::Json } else { Format::Yaml })
}

/// The text with comments replaced by spaces.
fn without_comments(language: SupportLang, text: String) -> String {
    // Fast path for Rust: most crate roots contain no inner attributes.
    if language == SupportLang::Rust && !text.contains("#![") {
        return String::new();
    }
    let Some(parsed) = parse_text(&text, language) else { return text };
    let comments: Vec<_> = parsed
        .root()
        .dfs()
        .filter(|node| node.kind().contains("comment"))
        .map(|comment| comment.range())
        .collect();
    let mut bytes_without_comments = text.into_bytes();
    for range in comments {
        let bytes = bytes_without_comments.get_mut(range).unwrap_or_default();
        bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&bytes_without_comments).into_owned()
}
