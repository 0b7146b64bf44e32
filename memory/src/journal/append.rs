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

/// Maximum number of consecutive copies that are synced.
const MAX_COPIES: usize = 8;

/// Whether `lines` were copied to the file that replaced the file to which they were appended. The
/// copy is synced. While it is synced, it can be replaced by the next copy; a program that replaces
/// files faster than the disk syncs them, but copies the lines each time, loses nothing.
pub(super) fn sync_copies(path: &Path, lines: &str) -> io::Result<bool> {
    for _ in 0..MAX_COPIES {
        match sync_copy(path, lines)? {
            Some(copy) if is_current(path, &copy) => return Ok(true),
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Syncs the file at `path` if it contains `lines`; returns its metadata.
fn sync_copy(path: &Path, lines: &str) -> io::Result<Option<fs::Metadata>> {
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
    #[cfg(unix)]
    use std::sync::atomic::{AtomicBool, Ordering};
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
        assert!(sync_copies(&path, "two\n").expect("synced"));
        assert!(!sync_copies(&path, "three\n").expect("read"));
        fs::write(&path, "one\n").expect("written");
        assert!(!is_current(&path, &copy));
    }

    /// Replaces the file by copies until `stop` is set, faster than a disk syncs them.
    #[cfg(unix)]
    fn replace_by_copies(path: &Path, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let Ok(mut old) = fs::File::open(path) else { continue };
            let (mut text, mut rest) = (String::new(), String::new());
            old.read_to_string(&mut text).expect("read");
            let new = path.with_extension("new");
            fs::write(&new, &text).expect("written");
            fs::rename(&new, path).expect("replaced");
            // What was appended to the old file meanwhile.
            old.read_to_string(&mut rest).expect("read");
            let mut file = OpenOptions::new().append(true).open(path).expect("opened");
            file.write_all(rest.as_bytes()).expect("written");
        }
    }

    #[cfg(unix)]
    #[test]
    fn lines_can_be_appended_to_a_file_that_is_always_replaced_by_copies() {
        const NAME: &str = "ai/memory/x.jsonl";
        let folder = TempDir::new().expect("a directory");
        let (journal, path) = (super::super::Journal::new(folder.path()), folder.path().join(NAME));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| replace_by_copies(&path, &stop));
            let results: Vec<_> =
                (0..20).map(|n| journal.append(NAME, &format!("line {n};\n"))).collect();
            stop.store(true, Ordering::Relaxed);
            results.into_iter().for_each(|result| _ = result.expect("appended"));
        });
        let text = fs::read_to_string(&path).expect("read");
        (0..20).for_each(|n| assert!(text.contains(&format!("line {n};")), "{n}: {text}"));
    }
}
