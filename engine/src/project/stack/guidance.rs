//! Detects a project's own guidance.

use crate::text::files::{Disk, Files, dirs_below, markdown_below};
use serde::Serialize;
use std::collections::BTreeMap;

/// The names of directories that can contain guidance.
const FOLDERS: [&str; 8] =
    ["agents", "knowledge", "memory", "rules", "skills", "specs", "templates", "workflows"];
/// The possible parent directories of [`FOLDERS`].
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// The guidance found in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectGuidance {
    /// Whether there is any guidance.
    pub detected: bool,
    /// The agent instruction files that exist, such as `AGENTS.md`.
    #[serde(rename = "protocol")]
    pub instruction_files: Vec<String>,
    /// Kind of page → the directory that contains pages of this kind.
    pub folders: BTreeMap<String, String>,
    /// Whether there is a directory `.aidd`.
    pub aidd: bool,
}

/// Searches a project for guidance.
#[must_use]
pub fn find_guidance(disk: &Disk) -> ProjectGuidance {
    let mut found = ProjectGuidance::default();
    let files = ["AGENTS.md", ".aidd/AGENTS.md", "ai/AGENTS.md", "CLAUDE.md", ".cursorrules"];
    let existing = files.into_iter().filter(|path| disk.exists(path));
    found.instruction_files = existing.map(str::to_owned).collect();
    for folder in FOLDERS {
        for prefix in PREFIXES {
            let path = format!("{prefix}{folder}");
            // These directory names are common, so a directory counts only if it contains a page.
            // At the root, directories such as `memory`, `specs` and `templates` often belong to
            // another tool.
            let is_common =
                prefix.is_empty() && matches!(folder, "agents" | "memory" | "specs" | "templates");
            let has_guidance = if folder == "memory" {
                ["decisions", "mistakes", "conventions"]
                    .iter()
                    .any(|name| disk.exists(&format!("{path}/{name}.jsonl")))
            } else {
                !is_common && !markdown_below(disk, &path).is_empty()
            };
            if has_guidance {
                found.folders.entry(folder.to_owned()).or_insert(path);
            }
        }
    }
    found.aidd = disk.exists(crate::text::kind::CONFIG_PATH)
        || disk.locate(".aidd").is_ok_and(|path| path.is_dir())
        || !dirs_below(disk, ".aidd").is_empty();
    let has_agent_instructions =
        found.instruction_files.iter().any(|path| path.ends_with("AGENTS.md"));
    found.detected = has_agent_instructions || found.aidd || !found.folders.is_empty();
    found
}
