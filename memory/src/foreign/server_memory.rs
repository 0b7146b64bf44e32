//! Reads the knowledge graph of `@modelcontextprotocol/server-memory`: entities with observations,
//! and named relations.

use super::{Format, ImportedFile, entry, put, text, texts};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::types::Kind;
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads a graph as one object, or as lines.
pub(super) fn read(document: Option<&Value>, bytes: &[u8]) -> ImportedFile {
    let mut read = ImportedFile::new(Format::ServerMemory);
    let list =
        |name: &str| document.and_then(|document| document.get(name)).and_then(Value::as_array);
    if let Some(entities) = list("entities") {
        let (entities, relations) = (entities.clone(), list("relations").cloned());
        graph(&entities, &relations.unwrap_or_default(), &mut read);
        return read;
    }
    let (mut entities, mut relations) = (Vec::new(), Vec::new());
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        match value.get("type").and_then(Value::as_str) {
            Some("entity") => entities.push(value),
            Some("relation") => relations.push(value),
            _ => read.skip(format!("line {}", index + 1), "neither an entity nor a relation"),
        }
    }
    graph(&entities, &relations, &mut read);
    read
}

fn graph(entities: &[Value], relations: &[Value], read: &mut ImportedFile) {
    let mut related: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (index, relation) in relations.iter().enumerate() {
        let part = |name: &str| text(relation, &[name]);
        if let (Some(from), Some(to), Some(relation_type)) =
            (part("from"), part("to"), part("relationType"))
        {
            related.entry(from).or_default().push(format!("{relation_type} {to}"));
        } else {
            read.skip(
                format!("relation {}", index + 1),
                "`from`, `to` or `relationType` is missing",
            );
        }
    }
    for (index, entity) in entities.iter().enumerate() {
        let Some(name) = text(entity, &["name"]) else {
            read.skip(format!("entity {}", index + 1), "`name` is missing");
            continue;
        };
        let observations = texts(entity, "observations");
        let relations = related.remove(&name).unwrap_or_default();
        if observations.is_empty() && relations.is_empty() {
            read.skip(name, "the entity has no observations and no relations");
            continue;
        }
        let entity_type = text(entity, &["entityType"]).unwrap_or_default();
        let kind = match &*entity_type.to_lowercase() {
            "preference" => Kind::Preference,
            "pattern" => Kind::Pattern,
            _ => Kind::Insight,
        };
        let statements: Vec<&str> =
            observations.iter().chain(&relations).map(String::as_str).collect();
        let content = format!("{name}: {}", statements.join("\n"));
        // The graph contains no times: new observations are recognised by their text alone.
        let key = id::digest(&[&name, &content]);
        let mut entry = entry(kind, 0, "server-memory", &key, content);
        put(&mut entry.metadata, "category", entity_type);
        put(&mut entry.metadata, "source", "server-memory");
        put(&mut entry.metadata, "relations", relations);
        entry.topic = Some(name);
        read.entries.push(entry);
    }
    for from in related.into_keys() {
        read.skip(from, "relations start from this entity, but it does not exist");
    }
}
