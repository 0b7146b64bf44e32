//! Where packs are stored, and how they are read and written: below `aidd/reports`, never through a
//! link.

use crate::PackError;
use aidd_engine::text::files::{Disk, Files, read_regular};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
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
    match read_regular(&located(root, path)?, MAX_BYTES) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(PackError::io(path)(error)),
    }
}

/// Writes the pack at `path`, unless it has this text already; returns whether it was written.
///
/// # Errors
/// When a directory is a link, or the file cannot be written.
pub fn write(root: &Path, path: &str, text: &str) -> Result<bool, PackError> {
    let location = located(root, path)?;
    if read_regular(&location, MAX_BYTES).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(false);
    }
    let dir = location.parent().unwrap_or(root);
    fs::create_dir_all(dir).map_err(PackError::io(path))?;
    let mut name = location.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = PathBuf::from(name);
    let _ = fs::remove_file(&new);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&new)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&new, &location));
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        PackError::io(path)(error)
    })?;
    Ok(true)
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
