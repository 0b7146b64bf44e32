//! Where the files lie that a tool speaks of: clients name them from the folder that they work in,
//! which need not be the project's.

use super::edits::{self, Change, Proposal};
use super::payload::Payload;
use aidd_engine::text::files::Disk;
use std::path::{Path, PathBuf};

/// Parts of the names of tools that write files. What others name without a text is only read.
const WRITING: [&str; 6] = ["edit", "write", "create", "replace", "patch", "insert"];

/// What a tool was asked to write, with paths from the folder that the client works in.
pub(super) fn proposals(payload: &Payload, root: &Path, cwd: &Path) -> Vec<Proposal> {
    let mut found = edits::proposals(payload.input());
    let tool = payload.tool().to_lowercase();
    if !WRITING.iter().any(|part| tool.contains(part)) {
        found.retain(|proposal| proposal.change != Change::Untold);
    }
    let is_own = |folder: &PathBuf| {
        folder.is_absolute() && Disk::new(root).inside(&folder.to_string_lossy()).is_some()
    };
    let folder = payload.folder().filter(is_own).unwrap_or_else(|| cwd.to_owned());
    for proposal in &mut found {
        for path in std::iter::once(&mut proposal.path).chain(&mut proposal.from) {
            if let Some(there) = placed(path, &folder, root) {
                *path = there;
            }
        }
    }
    found
}

/// A path as seen from `folder`; `None` when it stands for itself: it is absolute, or nothing but
/// the project has it.
fn placed(path: &str, folder: &Path, root: &Path) -> Option<String> {
    if Path::new(path).is_absolute() || folder == root {
        return None;
    }
    let there = folder.join(path);
    (there.exists() || !root.join(path).exists()).then(|| there.to_string_lossy().into_owned())
}
