//! Routes that the code no longer declares, and operations that an OpenAPI document no longer
//! describes.

use crate::commit_message::ChangeKind;
use crate::commit_message::facts::{Facts, is_product};
use aidd_engine::parse::tree::Tree;
use aidd_engine::parse::{json, yaml};
use aidd_index::routes_of;
use std::collections::BTreeMap;

/// The methods of an operation in OpenAPI.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// Maximum size in bytes of a text that is parsed.
const MAX_SIZE: usize = 512 << 10;

/// The removed routes and operations. One that another changed file declares now was moved.
pub(super) fn removed(facts: &Facts<'_>) -> Vec<String> {
    let mut routes: BTreeMap<String, i64> = BTreeMap::new();
    let mut operations: BTreeMap<String, i64> = BTreeMap::new();
    for file in &facts.files {
        let change = file.change;
        let is_known = |text: &Option<String>, absent: ChangeKind| match text {
            Some(text) => text.len() <= MAX_SIZE,
            None => change.kind == absent,
        };
        if !is_known(&change.before, ChangeKind::Added)
            || !is_known(&change.after, ChangeKind::Deleted)
        {
            continue;
        }
        let texts = [(&change.before, -1), (&change.after, 1)];
        for (text, step) in texts {
            let Some(text) = text.as_deref().filter(|text| text.len() <= MAX_SIZE) else {
                continue;
            };
            let old_path = change.old_path.as_ref().unwrap_or(&change.path);
            let path = if step < 0 { old_path } else { &change.path };
            if is_product(path) {
                for route in routes_of(path, text) {
                    *routes.entry(route).or_default() += step;
                }
            }
            for operation in operations_of(path, text) {
                *operations.entry(operation).or_default() += step;
            }
        }
    }
    // If a route was added, it can replace the removed one: the prefix of a router can change.
    let removed = |all: &BTreeMap<String, i64>, noun: &str| -> Vec<String> {
        let is_replaced = all.values().any(|count| *count > 0);
        let missing = all.iter().filter(|(_, count)| **count < 0 && !is_replaced);
        missing.map(|(name, _)| format!("the {noun} `{name}` is removed")).collect()
    };
    let mut all = removed(&operations, "operation");
    all.extend(removed(&routes, "route"));
    all
}

/// The operations of an OpenAPI document: `GET /users`.
fn operations_of(path: &str, text: &str) -> Vec<String> {
    let extension = path.rsplit('.').next().unwrap_or_default();
    if !text.contains("openapi") && !text.contains("swagger") {
        return Vec::new();
    }
    let tree = match extension {
        "json" => json::parse(text),
        "yaml" | "yml" => yaml::parse(text),
        _ => return Vec::new(),
    };
    operations_in(&tree).unwrap_or_default()
}

fn operations_in(tree: &Tree) -> Option<Vec<String>> {
    let root = *tree.nodes.first()?.children.first()?;
    let child = |at: usize, key: &str| {
        tree.nodes[at].children.iter().copied().find(|child| tree.nodes[*child].key == key)
    };
    child(root, "openapi").or_else(|| child(root, "swagger"))?;
    let paths = child(root, "paths")?;
    let mut operations = Vec::new();
    for &path in &tree.nodes[paths].children {
        for &method in &tree.nodes[path].children {
            let method = tree.nodes[method].key.as_str();
            if METHODS.contains(&method) {
                operations.push(format!("{} {}", method.to_uppercase(), tree.nodes[path].key));
            }
        }
    }
    Some(operations)
}
