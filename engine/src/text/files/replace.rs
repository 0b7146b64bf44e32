//! Files that are read if they exist, and replaced as a whole.

use super::guard::read_regular;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Distinguishes the temporary files of one process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// The content of a file with at most `limit` bytes; `None` if there is none.
///
/// # Errors
/// When the file cannot be read, or is not a regular file.
pub fn read_if_exists(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    match read_regular(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Replaces a file, so that readers see the old or the new content, and creates its directory. With
/// `is_synced`, the content is on disk before the file has its name. Writes nothing if the file has
/// this content already; returns whether it was written.
///
/// # Errors
/// When the file cannot be written.
pub fn replace(path: &Path, content: &[u8], is_synced: bool) -> io::Result<bool> {
    if read_regular(path, content.len() as u64).is_ok_and(|known| known == content) {
        return Ok(false);
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    let mut name = path.as_os_str().to_owned();
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{number}.tmp", std::process::id()));
    let new = PathBuf::from(name);
    let _ = fs::remove_file(&new);
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        file.write_all(content)?;
        if is_synced {
            file.sync_all()?;
        }
        fs::rename(&new, path)
    };
    write().inspect_err(|_| _ = fs::remove_file(&new))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_only_if_it_changes() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("a/b.txt");
        assert_eq!(read_if_exists(&path, 9).expect("readable"), None);
        assert!(replace(&path, b"one", true).expect("written"));
        assert!(!replace(&path, b"one", true).expect("unchanged"));
        assert!(replace(&path, b"three", false).expect("written"));
        assert_eq!(read_if_exists(&path, 9).expect("readable").as_deref(), Some(&b"three"[..]));
        assert_eq!(read_if_exists(&path.join("c"), 9).expect("not a directory"), None);
        assert_eq!(fs::read_dir(folder.path().join("a")).expect("a directory").count(), 1);
        assert!(replace(folder.path(), b"one", false).is_err());
    }
}
