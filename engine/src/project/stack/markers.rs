//! Detects a project's own guidance.

use crate::text::files::{Disk, Files, dirs_below, markdown_below};
use serde::Serialize;
use std::collections::BTreeMap;

/// The directories that can contain guidance, and their possible parent directories.
const FOLDERS: [&str; 8] =
    ["agents", "knowledge", "memory", "rules", "skills", "specs", "templates", "workflows"];
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// The guidance found in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Markers {
    /// Whether there is any guidance.
    pub detected: bool,
    /// The agent instruction files that exist, such as `AGENTS.md`.
    pub protocol: Vec<String>,
    /// Kind of page → the directory that contains pages of this kind.
    pub folders: BTreeMap<String, String>,
    /// Whether there is a directory `.aidd`.
    pub aidd: bool,
}

/// Searches a project for guidance.
#[must_use]
pub fn markers(disk: &Disk) -> Markers {
    let mut found = Markers::default();
    let files = ["AGENTS.md", ".aidd/AGENTS.md", "ai/AGENTS.md", "CLAUDE.md", ".cursorrules"];
    let there = files.into_iter().filter(|path| disk.exists(path));
    found.protocol = there.map(str::to_owned).collect();
    for folder in FOLDERS {
        for prefix in PREFIXES {
            let path = format!("{prefix}{folder}");
            // These names are common: without a page inside, a directory proves nothing, and a
            // directory in the root can be memory, specifications or templates for something else.
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
        || !dirs_below(disk, ".aidd").is_empty();
    let own = found.protocol.iter().any(|path| path.ends_with("AGENTS.md"));
    found.detected = own || found.aidd || !found.folders.is_empty();
    found
}
