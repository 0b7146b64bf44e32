//! Stores the past commits in `.aidd`, so that each commit is read from Git only once.
#![expect(clippy::disallowed_methods, reason = "reads and writes its own file in .aidd")]

use super::PastCommit;
use aidd_memory::store::place::{ignore_in_git, refuse_link};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of the file, relative to the top of the work tree.
const DIR: &str = ".aidd";
/// The name of the file.
const NAME: &str = "data.commits.json";
/// Changes when the features of a commit change.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    commits: Vec<PastCommit>,
}

/// The stored commits; empty if there are none, or another version of aidd stored them.
#[must_use]
pub fn load(top: &Path) -> Vec<PastCommit> {
    let Some(path) = path(top) else { return Vec::new() };
    let stored = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    stored
        .filter(|stored: &Stored| stored.version == VERSION)
        .map_or_else(Vec::new, |stored| stored.commits)
}

/// Stores `commits`. Without write access, the commits are read from Git again next time.
pub fn store(top: &Path, commits: &[PastCommit]) {
    let Some(path) = path(top) else { return };
    let stored = Stored { version: VERSION, commits: commits.to_vec() };
    let Ok(bytes) = serde_json::to_vec(&stored) else { return };
    let dir = top.join(DIR);
    if fs::create_dir_all(&dir).is_err() {
        return;
    }
    ignore_in_git(&dir);
    let new = dir.join(format!("{NAME}.{}.new", std::process::id()));
    let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(new);
    }
}

/// The path of the file; `None` if the directory or the file is a link.
fn path(top: &Path) -> Option<PathBuf> {
    let dir = top.join(DIR);
    let path = dir.join(NAME);
    (refuse_link(&dir).is_ok() && refuse_link(&path).is_ok()).then_some(path)
}
