//! Where packs are stored, and how they are read and written: below `aidd/reports`, never through a
//! link.

use crate::PackError;
use aidd_engine::text::files::{Disk, Files, read_if_exists, replace};
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of all packs, relative to the root.
pub const DIR: &str = "aidd/reports";
/// Maximum size of a file that is read as a pack, in bytes.
const MAX_BYTES: u64 = 8 << 20;
/// The rules that make Git ignore the packs.
const IGNORE_RULES: &str =
    "# Derived by aidd; `memory.packs.tracked` in .aidd/config.json tracks the packs.\n*\n";

/// The location of the file at `path` below [`DIR`]; none of its directories is a link.
fn located(root: &Path, path: &str) -> Result<PathBuf, PackError> {
    let location = Disk::new(root).path_to_write(path).map_err(PackError::io(path))?;
    let mut at = root.to_owned();
    for part in Path::new(path).components() {
        at.push(part);
        if fs::symlink_metadata(&at).is_ok_and(|data| data.file_type().is_symlink()) {
            let link = at.strip_prefix(root).unwrap_or(&at).display().to_string();
            return Err(PackError::Link(link));
        }
    }
    Ok(location)
}

/// The text of the pack at `path`; `None` if there is none.
///
/// # Errors
/// When a directory is a link, or the file cannot be read.
pub fn read(root: &Path, path: &str) -> Result<Option<String>, PackError> {
    let bytes = read_if_exists(&located(root, path)?, MAX_BYTES).map_err(PackError::io(path))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes the pack at `path`, unless it has this text already; returns whether it was written.
///
/// # Errors
/// When a directory is a link, or the file cannot be written.
pub fn write(root: &Path, path: &str, text: &str) -> Result<bool, PackError> {
    replace(&located(root, path)?, text.as_bytes(), false).map_err(PackError::io(path))
}

/// Makes Git ignore the packs, or track them.
///
/// # Errors
/// When a directory is a link, or the ignore file cannot be written.
pub fn set_tracked(root: &Path, tracked: bool) -> Result<(), PackError> {
    let path = format!("{DIR}/.gitignore");
    let known = read(root, &path)?;
    match known.as_deref() {
        None if !tracked => write(root, &path, IGNORE_RULES).map(|_| ()),
        Some(IGNORE_RULES) if tracked => {
            fs::remove_file(located(root, &path)?).map_err(PackError::io(&path))
        }
        _ => Ok(()),
    }
}

/// The text of a document of the project; `None` if it cannot be read. Longer documents are cut.
pub(crate) fn document(disk: &Disk, path: &str, limit: u64) -> Option<String> {
    let bytes = disk.read(path, limit).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
