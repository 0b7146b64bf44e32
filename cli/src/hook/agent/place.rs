//! Resolves the paths in a tool's input: they are relative to the client's working directory, which
//! can differ from the project root.

use super::edits::{self, Change, Proposal};
use super::payload::Payload;
use aidd_engine::text::files::Disk;
use std::path::{Path, PathBuf};

/// Parts of the names of tools that write files. Other tools that name a file without text only
/// read it.
const WRITING: [&str; 6] = ["edit", "write", "create", "replace", "patch", "insert"];

/// The edits in the input of a tool, with paths relative to the client's working directory.
pub(super) fn proposals(payload: &Payload, root: &Path, cwd: &Path) -> Vec<Proposal> {
    let mut found = edits::proposals(payload.input());
    let tool = payload.tool().to_lowercase();
    if !WRITING.iter().any(|part| tool.contains(part)) {
        found.retain(|proposal| proposal.change != Change::Unknown);
    }
    let is_own = |folder: &PathBuf| {
        folder.is_absolute() && Disk::new(root).inside(&folder.to_string_lossy()).is_some()
    };
    let folder = payload.working_dir().filter(is_own).unwrap_or_else(|| cwd.to_owned());
    for proposal in &mut found {
        for path in std::iter::once(&mut proposal.path).chain(&mut proposal.from) {
            if let Some(there) = resolve(path, &folder, root) {
                *path = there;
            }
        }
    }
    found
}

/// A path relative to `folder`; `None` to use it as it is: it is absolute, or exists only relative
/// to the project root.
fn resolve(path: &str, folder: &Path, root: &Path) -> Option<String> {
    if Path::new(path).is_absolute() || folder == root {
        return None;
    }
    let there = folder.join(path);
    (there.exists() || !root.join(path).exists()).then(|| there.to_string_lossy().into_owned())
}
