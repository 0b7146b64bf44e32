//! Reads the packs of Memory v2: the pack of decisions, in either of its two formats, and the
//! semantic pack with terms, defaults, constraints, invariants and open questions.

use super::{Format, ImportedFile, draft, memory_v2, put, text};
use crate::times::millis;
use aidd_engine::parse::lines::types::Kind;
use serde_json::{Map, Value};

/// The types of files that Memory v2 derives for a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pack {
    /// Decisions of a ticket.
    Decisions,
    /// Terms, defaults, constraints, invariants and open questions of a ticket.
    Semantic,
    /// A part of the other packs.
    Slice,
}

/// The pack that an object is.
pub(super) fn pack(document: &Map<String, Value>) -> Option<Pack> {
    let word = |name: &str| document.get(name).and_then(Value::as_str);
    let schema = word("schema").or_else(|| word("schema_version"))?;
    let rest = schema.strip_prefix("aidd.memory.")?;
    if rest.starts_with("decisions.pack") {
        Some(Pack::Decisions)
    } else if rest.starts_with("semantic") {
        Some(Pack::Semantic)
    } else if rest.contains("slice") {
        Some(Pack::Slice)
    } else {
        None
    }
}

/// Reads a pack of Memory v2.
pub(super) fn read(pack: Pack, document: &Value) -> ImportedFile {
    match pack {
        Pack::Decisions => {
            // The pack is a cut of the log: the log has more text.
            let lists = ["active_decisions", "superseded_heads", "active", "superseded"];
            let items = lists.iter().flat_map(|name| rows(&document[*name]));
            let mut read = memory_v2::read_items(items.collect());
            read.adds_only_new = true;
            read
        }
        Pack::Semantic => semantic(document),
        Pack::Slice => {
            let mut read = ImportedFile::new(Format::MemoryV2);
            read.skip("the file", "a slice is a part of the packs; import the packs instead");
            read
        }
    }
}

/// The items of a list: objects, strings, or an object with names of columns and rows.
fn rows(list: &Value) -> Vec<(String, Value)> {
    let numbered = |item: (usize, &Value)| (format!("item {}", item.0 + 1), item.1.clone());
    let Some(columns) = list["cols"].as_array() else {
        return list.as_array().into_iter().flatten().enumerate().map(numbered).collect();
    };
    let with_names = |row: &Value| {
        let values = row.as_array().into_iter().flatten();
        let named = columns.iter().zip(values);
        let fields =
            named.filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value.clone())));
        Value::Object(fields.collect())
    };
    let rows: Vec<Value> = list["rows"].as_array().into_iter().flatten().map(with_names).collect();
    rows.iter().enumerate().map(numbered).collect()
}

fn semantic(document: &Value) -> ImportedFile {
    let mut read = ImportedFile::new(Format::MemoryV2);
    let at = millis(&document["generated_at"]).unwrap_or_default();
    let ticket = text(document, &["ticket", "slug_hint"]);
    for (section, kind) in [
        ("constraints", Kind::Convention),
        ("invariants", Kind::Convention),
        ("defaults", Kind::Context),
        ("terms", Kind::Context),
        ("open_questions", Kind::Context),
    ] {
        let list = match &document["sections"] {
            Value::Object(sections) => sections.get(section).cloned().unwrap_or_default(),
            _ => document[section].clone(),
        };
        for (position, item) in rows(&list) {
            let content = item.as_str().map(str::to_owned).or_else(|| sentence(&item));
            let content = content.map(|content| without_bullet(&content));
            // The extractor also takes headings and single words.
            let Some(content) = content.filter(|content| is_sentence(content)) else {
                read.skip(format!("{position} of {section}"), "it is a heading or a single word");
                continue;
            };
            let mut entry = draft(kind, "memory-v2", &[section, &content], content.clone());
            (entry.created_at, entry.updated_at) = (at, at);
            let metadata = &mut entry.metadata;
            put(metadata, "category", section.trim_end_matches('s').replace('_', " "));
            put(metadata, "sourcePath", text(&item, &["source"]));
            put(metadata, "severity", text(&item, &["severity"]));
            put(metadata, "ticket", ticket.clone());
            read.entries.push(entry);
        }
    }
    read
}

/// The text of an item of a semantic pack.
fn sentence(item: &Value) -> Option<String> {
    let pair = |name: &str, value: &str| {
        Some(format!("{}: {}", text(item, &[name])?, text(item, &[value])?))
    };
    text(item, &["text", "question"])
        .or_else(|| pair("key", "value"))
        .or_else(|| pair("term", "definition"))
}

fn without_bullet(text: &str) -> String {
    let text = text.trim();
    let bullet = ["- ", "* ", "[ ] "].iter().find_map(|bullet| text.strip_prefix(bullet));
    bullet.unwrap_or(text).trim().to_owned()
}

fn is_sentence(text: &str) -> bool {
    !text.starts_with('#') && text.contains(char::is_whitespace)
}
