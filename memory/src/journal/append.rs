//! Durable appending to a file that other programs can replace.

use super::{MAX_FILE_BYTES, Stamp, is_not_found, lock};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Metadata of a file before and after an append.
pub(super) struct AppendMetadata {
    pub(super) before: fs::Metadata,
    /// Number of bytes appended.
    length: u64,
    pub(super) after: fs::Metadata,
}

impl AppendMetadata {
    /// The stamps as [`super::Journal::append`] returns them. The length is compared, because not every
    /// other writer takes the lock.
    pub(super) fn stamps(&self) -> (Stamp, Option<Stamp>) {
        let has_only_own_lines = self.after.len() == self.before.len() + self.length;
        (
            Stamp::from_metadata(&self.before),
            has_only_own_lines.then(|| Stamp::from_metadata(&self.after)),
        )
    }
}

/// Whether the file at `path` still is the one with this metadata, and has not become shorter.
pub(super) fn is_current(path: &Path, written: &fs::Metadata) -> bool {
    fs::metadata(path).is_ok_and(|now| {
        lock::identity_of(written) == lock::identity_of(&now) && now.len() >= written.len()
    })
}

/// Syncs the file at `path` if it contains `lines`; returns its metadata.
pub(super) fn sync_copy(path: &Path, lines: &str) -> io::Result<Option<fs::Metadata>> {
    let mut file = match OpenOptions::new().read(true).append(true).open(path) {
        Err(error) if is_not_found(&error) => return Ok(None),
        other => other?,
    };
    let mut bytes = Vec::new();
    (&mut file).take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    if !String::from_utf8_lossy(&bytes).contains(lines) {
        return Ok(None);
    }
    file.sync_data()?;
    lock::sync_folder(path);
    file.metadata().map(Some)
}

/// Appends lines to a file and syncs it.
pub(super) fn append(path: &Path, lines: &str) -> io::Result<AppendMetadata> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let before = file.metadata()?;
    let is_new = before.len() == 0;
    let mut text = String::new();
    if !is_new {
        // Without a newline at the end of the last line, the new lines would be joined to it.
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.push('\n');
        }
    }
    text.push_str(lines);
    let length = text.len() as u64;
    if let Err(error) = file.write_all(text.as_bytes()) {
        // On a full disk a partial line can remain; it is removed unless others wrote after it.
        let full_length = before.len() + length;
        if file.metadata().is_ok_and(|now| now.len() < full_length) {
            let _ = file.set_len(before.len());
        }
        return Err(error);
    }
    file.sync_data()?;
    if is_new {
        lock::sync_folder(path);
    }
    let after = file.metadata()?;
    Ok(AppendMetadata { before, length, after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn lines_that_others_write_meanwhile_do_not_count_as_read() {
        let folder = TempDir::new().expect("a directory");
        let path = folder.path().join("x.jsonl");
        let write = |text: &str| {
            fs::write(&path, text).expect("written");
            fs::metadata(&path).expect("metadata")
        };
        let (before, after) = (write("one\n"), write("one\ntwo\n"));
        let appended = AppendMetadata { before: before.clone(), length: 4, after: after.clone() };
        assert_eq!(
            appended.stamps(),
            (Stamp::from_metadata(&before), Some(Stamp::from_metadata(&after)))
        );
        let after = write("one\ntheirs\ntwo\n");
        let with_other_lines = AppendMetadata { before: before.clone(), length: 4, after };
        assert_eq!(with_other_lines.stamps(), (Stamp::from_metadata(&before), None));
    }

    #[test]
    fn lines_are_found_in_a_copy_of_their_file() {
        let folder = TempDir::new().expect("a directory");
        let path = folder.path().join("x.jsonl");
        assert!(sync_copy(&path, "one\n").expect("read").is_none());
        fs::write(&path, "one\ntwo\n").expect("written");
        assert!(sync_copy(&path, "three\n").expect("read").is_none());
        let copy = sync_copy(&path, "two\n").expect("read").expect("a copy");
        assert!(is_current(&path, &copy));
        fs::write(&path, "one\n").expect("written");
        assert!(!is_current(&path, &copy));
    }
}
