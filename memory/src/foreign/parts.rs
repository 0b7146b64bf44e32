//! Reads what a path contains in parts, so that a large file of lines is never in RAM as a whole.
#![expect(clippy::disallowed_methods, reason = "reads what the user names")]

use super::directory::MAX_FILE_BYTES;
use super::{Format, ImportOptions, ImportedFile, OwnLines, format_of_line, read_path};
use crate::MemoryError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

/// Minimum size in bytes of a file that is read in parts.
const MIN_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };
/// Maximum length in bytes of the first line of such a file.
const MAX_FIRST_LINE: u64 = 1 << 20;
/// Number of lines of a part.
const PART_LINES: usize = if cfg!(test) { 3 } else { 2048 };

/// The contents of a path, part by part.
#[derive(Debug)]
pub struct ImportedParts {
    /// The format of the contents.
    pub format: Format,
    rest: Rest,
}

#[derive(Debug)]
enum Rest {
    File(Option<Box<ImportedFile>>),
    Lines { path: String, file: BufReader<File>, lines: OwnLines },
}

impl ImportedParts {
    /// Opens the file or directory at `path`; `name` is its name in messages.
    ///
    /// # Errors
    /// See [`read_path`].
    pub fn open(path: &Path, name: &str, options: &ImportOptions) -> Result<Self, MemoryError> {
        if options.format.is_none_or(|format| format == Format::Aidd)
            && let Some(file) = open_lines(path).map_err(MemoryError::io(path))?
        {
            let (path, lines) = (path.display().to_string(), OwnLines::new(name));
            return Ok(Self { format: Format::Aidd, rest: Rest::Lines { path, file, lines } });
        }
        read_path(path, name, options).map(Self::from)
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_part(&mut self) -> Result<Option<ImportedFile>, MemoryError> {
        let (path, file, lines) = match &mut self.rest {
            Rest::File(file) => return Ok(file.take().map(|file| *file)),
            Rest::Lines { path, file, lines } => (path, file, lines),
        };
        let mut part = ImportedFile::new(self.format);
        let mut line = Vec::new();
        for number in 0..PART_LINES {
            line.clear();
            let length = file.read_until(b'\n', &mut line);
            let length = length.map_err(|error| MemoryError::Io { path: path.clone(), error })?;
            if length == 0 {
                return Ok((number > 0).then_some(part));
            }
            lines.read_line(&line, &mut part);
        }
        Ok(Some(part))
    }
}

impl From<ImportedFile> for ImportedParts {
    fn from(file: ImportedFile) -> Self {
        Self { format: file.format, rest: Rest::File(Some(Box::new(file))) }
    }
}

/// The hashes of a line.
#[derive(Deserialize)]
struct Hashes {
    #[serde(default)]
    rev: String,
    #[serde(default)]
    parents: Vec<String>,
}

/// Opens a large file of lines of aidd in which no line precedes the lines that it replaces; `None`
/// for other files, which are read as a whole.
fn open_lines(path: &Path) -> io::Result<Option<BufReader<File>>> {
    // Checked first: a pipe can be opened only once, and some systems cannot open a directory.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() || !(MIN_BYTES..=MAX_FILE_BYTES).contains(&metadata.len()) {
        return Ok(None);
    }
    let mut file = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    (&mut file).take(MAX_FIRST_LINE).read_until(b'\n', &mut line)?;
    let first: Value = serde_json::from_slice(&line).unwrap_or_default();
    if first.as_object().and_then(format_of_line) != Some(Format::Aidd) {
        return Ok(None);
    }
    file.rewind()?;
    let (mut known, mut awaited) = (HashSet::new(), HashSet::new());
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let Ok(hashes) = serde_json::from_slice::<Hashes>(&line) else { continue };
        if awaited.contains(&hashes.rev) {
            return Ok(None);
        }
        awaited.extend(hashes.parents.into_iter().filter(|parent| !known.contains(&**parent)));
        known.insert(hashes.rev.into_boxed_str());
    }
    file.rewind()?;
    Ok(Some(file))
}
