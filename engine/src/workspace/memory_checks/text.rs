//! The text of a memory's rule page.

use super::CheckFields;
use crate::parse::lines::types::Entry;
use crate::parse::markdown::{closes_fence, fence_delimiter};
use crate::text::kind::{LEGACY_MEMORY_DIR, MEMORY_DIR};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The page of `entry`, whose rule has the id `rule`.
pub(super) fn page(entry: &Entry, rule: &str, fields: &CheckFields<'_>) -> String {
    let mut page = header(fields);
    let _ = write!(page, "# {rule}\n\n{}\n", neutralize(&entry.content));
    let text = |name: &str| entry.metadata.get(name).and_then(Value::as_str).unwrap_or_default();
    paragraph(&mut page, "", text("rationale"));
    paragraph(&mut page, "Why it happened", text("rootCause"));
    paragraph(&mut page, "How it was fixed", text("fix"));
    paragraph(&mut page, "How to prevent it", text("prevention"));
    let more_examples = entry.metadata.get("examples").and_then(Value::as_array);
    let more_examples = more_examples.into_iter().flatten().filter_map(Value::as_str);
    let mut correct_examples =
        std::iter::once(text("example")).chain(more_examples).filter(|text| !text.is_empty());
    if let Some(first) = correct_examples.next() {
        heading(&mut page, "Correct examples");
        for example in std::iter::once(first).chain(correct_examples) {
            fence(&mut page, "", example);
        }
    }
    let is_commit = fields.header.iter().any(|(key, _)| *key == "commit");
    for (name, examples) in [("Fails", &fields.fails), ("Passes", &fields.passes)] {
        if !examples.is_empty() {
            heading(&mut page, name);
        }
        for (path, text) in examples {
            let name = path.rsplit('/').next().unwrap_or(path);
            let language = name.rsplit_once('.').map_or("text", |(_, extension)| extension);
            let info = format!("{language} path={path}");
            fence(&mut page, if is_commit { "commit" } else { &info }, text);
        }
    }
    heading(&mut page, "Source");
    let _ = writeln!(
        page,
        "The {kind} `{id}`. `aidd memory show {id}` prints its history; `aidd memory edit` changes it.",
        kind = entry.kind,
        id = entry.id,
    );
    page
}

/// The header: one key per line, values as JSON, which is valid YAML.
fn header(fields: &CheckFields<'_>) -> String {
    let mut header = format!("---\nseverity: {}\ntags: [memory]\n", fields.severity);
    for (key, text) in [("message", fields.message), ("help", fields.help)] {
        if let Some(text) = text {
            let _ = writeln!(header, "{key}: {}", yaml(&Value::from(text)));
        }
    }
    header.push_str("check:\n");
    for (key, value) in &fields.header {
        let value = &with_own_files(key, value, fields);
        let is_plain = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
        let key = if is_plain { (*key).to_owned() } else { yaml(&Value::from(*key)) };
        let _ = writeln!(header, "  {key}: {}", yaml(value));
    }
    let has_key = |name: &str| fields.header.iter().any(|(key, _)| *key == name);
    // Memories contain examples of the text that they forbid.
    if has_key("text") && !has_key("exclude") {
        let globs = Value::from(own_files().to_vec());
        let _ = writeln!(header, "  exclude: {globs}");
    }
    header.push_str("---\n");
    header
}

/// The files in which memories are stored, as globs. The legacy directory can contain other files as well.
fn own_files() -> [String; 2] {
    [format!("/{MEMORY_DIR}/"), format!("/{LEGACY_MEMORY_DIR}/*.jsonl")]
}

/// Adds the files in which memories are stored to the `exclude` of a text check.
fn with_own_files<'v>(key: &str, value: &'v Value, fields: &CheckFields<'_>) -> Cow<'v, Value> {
    let is_text = fields.header.iter().any(|(key, _)| *key == "text");
    match value {
        Value::Array(globs) if key == "exclude" && is_text => {
            let own = own_files().map(Value::from);
            Cow::Owned(Value::Array(globs.iter().cloned().chain(own).collect()))
        }
        _ => Cow::Borrowed(value),
    }
}

/// A value as JSON on one line, with the characters that YAML does not accept escaped.
fn yaml(value: &Value) -> String {
    let json = value.to_string();
    let needs_escape = |c: char| {
        matches!(
            c,
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
    };
    if !json.contains(needs_escape) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if needs_escape(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn heading(page: &mut String, text: &str) {
    let _ = write!(page, "\n## {text}\n\n");
}

fn paragraph(page: &mut String, heading_text: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    if heading_text.is_empty() {
        page.push('\n');
    } else {
        heading(page, heading_text);
    }
    let _ = writeln!(page, "{}", neutralize(text));
}

/// Adds a code block whose fence is longer than any fence in its text.
fn fence(page: &mut String, info: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let delimiter = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    if page.ends_with("`\n") {
        page.push('\n');
    }
    let _ = writeln!(page, "{delimiter}{info}\n{text}{end}{delimiter}");
}

/// The text of a memory without headings and without unclosed constructs: code blocks, or HTML that
/// would extend over the following text (CommonMark 0.31, 4.3 to 4.6).
fn neutralize(text: &str) -> String {
    let mut neutralized = String::with_capacity(text.len());
    let mut open: Option<&str> = None;
    for line in text.trim().lines() {
        let start = line.trim_start();
        match (open, fence_delimiter(line)) {
            (None, Some(delimiter)) => open = Some(delimiter),
            (Some(delimiter), _) if closes_fence(delimiter, line) => open = None,
            (None, None) if is_structure(start) => {
                neutralized.push_str(&line[..line.len() - start.len()]);
                neutralized.push('\\');
                neutralized.push_str(start);
                neutralized.push('\n');
                continue;
            }
            _ => {}
        }
        neutralized.push_str(line);
        neutralized.push('\n');
    }
    neutralized.push_str(open.unwrap_or_default());
    neutralized.trim_end().to_owned()
}

/// Whether a line begins with a heading, a setext underline or HTML.
fn is_structure(start: &str) -> bool {
    let is_underline =
        |mark: char| !start.is_empty() && start.trim_end().chars().all(|c| c == mark);
    start.starts_with(['#', '<']) || is_underline('=') || is_underline('-')
}
