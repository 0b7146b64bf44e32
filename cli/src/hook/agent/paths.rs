//! Resolves the paths in a tool's input: they are relative to the client's working directory, which
//! can differ from the project root.

use super::edits::{self, Change, Proposal};
use super::payload::Payload;
use aidd_engine::text::files::Disk;
use std::path::{Path, PathBuf};

/// Parts of the names of tools that write files. A tool with another name and an input that
/// contains only a file name is assumed to read the file.
const WRITING_TOOLS: [&str; 6] = ["edit", "write", "create", "replace", "patch", "insert"];

/// The edits in the input of a tool, with paths relative to the client's working directory.
pub(super) fn proposals(payload: &Payload, root: &Path, cwd: &Path) -> Vec<Proposal> {
    let mut proposals = edits::proposals(payload.input());
    let tool = payload.tool().to_lowercase();
    if !WRITING_TOOLS.iter().any(|part| tool.contains(part)) {
        proposals.retain(|proposal| proposal.change != Change::Unknown);
    }
    let is_in_project = |directory: &PathBuf| {
        directory.is_absolute()
            && Disk::new(root).to_relative(&directory.to_string_lossy()).is_some()
    };
    let directory = payload.working_dir().filter(is_in_project).unwrap_or_else(|| cwd.to_owned());
    for proposal in &mut proposals {
        for path in std::iter::once(&mut proposal.path).chain(&mut proposal.from) {
            if let Some(resolved) = resolve(path, &directory, root) {
                *path = resolved;
            }
        }
    }
    proposals
}

/// The absolute path of `path` in `directory`. `None` if `path` is used unchanged, because it is
/// absolute or exists only relative to the project root.
fn resolve(path: &str, directory: &Path, root: &Path) -> Option<String> {
    if Path::new(path).is_absolute() || directory == root {
        return None;
    }
    let absolute_path = directory.join(path);
    (absolute_path.exists() || !root.join(path).exists())
        .then(|| absolute_path.to_string_lossy().into_owned())
}
