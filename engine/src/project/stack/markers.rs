//! The marks of guidance in a project.

use crate::text::files::{Disk, Files, folders_below, markdown_below};
use serde::Serialize;
use std::collections::BTreeMap;

/// The folders that may hold guidance, and under what they may lie.
const FOLDERS: [&str; 8] =
    ["agents", "knowledge", "memory", "rules", "skills", "specs", "templates", "workflows"];
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// What of a project's own guidance is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Markers {
    /// Whether there is any.
    pub detected: bool,
    /// `AGENTS.md` and its like: what is there.
    pub protocol: Vec<String>,
    /// Sort of page → the folder that holds pages of it.
    pub folders: BTreeMap<String, String>,
    /// Whether there is a folder `.aidd`.
    pub aidd: bool,
}

/// Looks for the marks.
#[must_use]
pub fn markers(disk: &Disk) -> Markers {
    let mut found = Markers::default();
    let files = ["AGENTS.md", ".aidd/AGENTS.md", "ai/AGENTS.md", "CLAUDE.md", ".cursorrules"];
    let there = files.into_iter().filter(|path| disk.exists(path));
    found.protocol = there.map(str::to_owned).collect();
    for folder in FOLDERS {
        for prefix in PREFIXES {
            let path = format!("{prefix}{folder}");
            // The bare words are common: without a page in it a folder says nothing, and what lies
            // in the root is memory, a specification or a template of something else.
            let is_common =
                prefix.is_empty() && matches!(folder, "agents" | "memory" | "specs" | "templates");
            let holds = if folder == "memory" {
                ["decisions", "mistakes", "conventions"]
                    .iter()
                    .any(|name| disk.exists(&format!("{path}/{name}.jsonl")))
            } else {
                !is_common && !markdown_below(disk, &path).is_empty()
            };
            if holds {
                found.folders.entry(folder.to_owned()).or_insert(path);
            }
        }
    }
    found.aidd = disk.exists(crate::text::kind::CONFIG_PATH)
        || disk.locate(".aidd").is_ok_and(|path| path.is_dir())
        || !folders_below(disk, ".aidd").is_empty();
    let own = found.protocol.iter().any(|path| path.ends_with("AGENTS.md"));
    found.detected = own || found.aidd || !found.folders.is_empty();
    found
}
