//! Open documents. Their texts are the same as in the client, because edits are applied in the
//! order of arrival.

use aidd_engine::text::files::Files;
use aidd_engine::text::source::{Encoding, Span, column_offset};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tower_lsp_server::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

/// A text with an incrementally updated index of line offsets. An edit moves bytes, which takes
/// microseconds in a text of one megabyte, and does not count all lines again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    text: String,
    /// The offset of each line. Lines end at LF, CRLF or a lone CR.
    starts: Vec<u32>,
}

impl Text {
    /// Indexes the lines of `text`.
    #[must_use]
    pub fn new(text: String) -> Self {
        let mut starts = vec![0];
        starts.extend(line_starts(&text, 1, text.len()));
        Self { text, starts }
    }

    /// The whole text of the document.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces `range` with `text`, or the whole text if there is no range. Positions past the end
    /// of a line or of the text are clamped; a range that ends before it starts is empty.
    pub fn edit(&mut self, range: Option<Range>, text: &str, encoding: Encoding) {
        let Some(range) = range else {
            *self = Self::new(text.to_owned());
            return;
        };
        let start = self.offset(range.start, encoding);
        let end = self.offset(range.end, encoding).max(start);
        self.text.replace_range(start..end, text);
        // Whether a line starts at an offset depends on the bytes before and after it: line starts
        // before the edit do not change, and line starts after the edit are shifted.
        let first = self.starts.partition_point(|&at| at == 0 || (at as usize) < start);
        let rest = self.starts.partition_point(|&at| at as usize <= end).max(first);
        let new_end = start + text.len();
        let between = line_starts(&self.text, start.max(1), new_end);
        let shifted = self.starts[rest..].iter().map(|&at| at as usize - end + new_end);
        let tail: Vec<u32> = between.chain(shifted.map(|at| Span::at(at).start)).collect();
        self.starts.truncate(first);
        self.starts.extend(tail);
    }

    /// The byte offset of a position, clamped.
    fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        let line = self.text[start as usize..end].trim_end_matches(['\r', '\n']);
        start as usize + column_offset(line, position.character, encoding)
    }
}

/// The line starts among the offsets from `from` to `to`, inclusive.
fn line_starts(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> {
    let bytes = text.as_bytes();
    let is_line_start = |at: &usize| match bytes[*at - 1] {
        b'\n' => true,
        b'\r' => bytes.get(*at) != Some(&b'\n'),
        _ => false,
    };
    (from..=to).filter(is_line_start).map(|at| Span::at(at).start)
}

/// Where a document is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentLocation {
    /// On disk at this path, or to be saved at this path.
    File(PathBuf),
    /// Not saved yet. Contains the name that a file in the language of the document would have.
    Untitled(String),
}

impl DocumentLocation {
    /// The location of the document at `uri` in `language`. `None` if the document is neither a
    /// file nor untitled, such as a notebook cell, an old revision or output.
    #[must_use]
    pub fn from_uri(uri: &Uri, language: &str) -> Option<Self> {
        match uri.scheme().as_str() {
            "file" => crate::uri::path(uri).map(Self::File),
            "untitled" => Some(Self::Untitled(name(language, uri.path().as_str()))),
            _ => None,
        }
    }
}

/// Language identifiers with a special file name or extension, and the name of an untitled file.
/// Other identifiers are used as the extension.
const UNTITLED_NAMES: [(&str, &str); 8] = [
    ("dockerfile", "Dockerfile"),
    ("mermaid", "untitled.mmd"),
    ("markdown", "untitled.md"),
    ("javascript", "untitled.js"),
    ("typescript", "untitled.ts"),
    ("python", "untitled.py"),
    ("shellscript", "untitled.sh"),
    ("plaintext", "untitled.txt"),
];

/// The file name of an untitled document: the client's name for the document if it is a file name,
/// otherwise a name for `language`.
fn name(language: &str, client_name: &str) -> String {
    let client_name = client_name.rsplit('/').next().unwrap_or_default();
    if client_name.contains('.') && !client_name.starts_with('.') {
        return client_name.to_owned();
    }
    let known = UNTITLED_NAMES.iter().find(|(id, _)| *id == language);
    known.map_or_else(|| format!("untitled.{language}"), |(_, name)| (*name).to_owned())
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document<C> {
    pub(crate) location: DocumentLocation,
    pub(crate) version: i32,
    pub(crate) text: Text,
    /// Unique for each state of any document.
    pub(crate) generation: u64,
    /// The generation at the last open or save.
    pub(crate) saved: u64,
    /// Data that other modules of the server store for this document.
    pub(crate) cell: Arc<C>,
}

/// All open documents.
#[derive(Debug)]
pub(crate) struct Documents<C> {
    by_uri: HashMap<Uri, Document<C>>,
    by_path: HashMap<PathBuf, Uri>,
    generation: u64,
}

impl<C> Default for Documents<C> {
    fn default() -> Self {
        Self { by_uri: HashMap::new(), by_path: HashMap::new(), generation: 0 }
    }
}

impl<C: Default> Documents<C> {
    /// Opens or reopens a document. Returns false if documents of this kind are not checked.
    pub(crate) fn open(&mut self, uri: &Uri, language: &str, version: i32, text: String) -> bool {
        let Some(location) = DocumentLocation::from_uri(uri, language) else { return false };
        self.close(uri);
        if let DocumentLocation::File(path) = &location {
            self.by_path.insert(path.clone(), uri.clone());
        }
        let generation = self.next_generation();
        let document = Document {
            location,
            version,
            text: Text::new(text),
            generation,
            saved: generation,
            cell: Arc::default(),
        };
        self.by_uri.insert(uri.clone(), document);
        true
    }

    /// Applies edits in order. The version comes from the client. Returns false if the document is
    /// not open.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> bool {
        let generation = self.next_generation();
        let Some(document) = self.by_uri.get_mut(uri) else { return false };
        for change in changes {
            document.text.edit(change.range, &change.text, encoding);
        }
        document.version = version;
        document.generation = generation;
        true
    }

    /// Marks a document as saved, and replaces its text if the client sent the text. Returns false
    /// if the document is not open.
    pub(crate) fn save(&mut self, uri: &Uri, text: Option<String>) -> bool {
        let generation = self.next_generation();
        let Some(document) = self.by_uri.get_mut(uri) else { return false };
        if let Some(text) = text.filter(|text| text != document.text.as_str()) {
            document.text = Text::new(text);
            document.generation = generation;
        }
        document.saved = document.generation;
        true
    }

    /// Removes a document. Returns false if the document is not open.
    pub(crate) fn close(&mut self, uri: &Uri) -> bool {
        let Some(document) = self.by_uri.remove(uri) else { return false };
        if let DocumentLocation::File(path) = &document.location {
            self.by_path.remove(path);
        }
        true
    }

    /// The document at `uri`, if it is open.
    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document<C>> {
        self.by_uri.get(uri)
    }

    /// The document of the file at `path`, if it is open.
    pub(crate) fn get_by_path(&self, path: &Path) -> Option<&Document<C>> {
        self.by_path.get(path).and_then(|uri| self.by_uri.get(uri))
    }

    /// The client's URI of the open file at `path`.
    pub(crate) fn uri_of(&self, path: &Path) -> Option<&Uri> {
        self.by_path.get(path)
    }

    /// All open documents.
    pub(crate) fn uris(&self) -> Vec<Uri> {
        self.by_uri.keys().cloned().collect()
    }

    /// The open documents that are files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.by_path.keys().cloned().collect()
    }

    fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }
}

/// The open documents below a root as files: unsaved text overrides the file on disk.
#[derive(Debug)]
pub(crate) struct OpenFiles<'a, C> {
    pub(crate) documents: &'a Mutex<Documents<C>>,
    pub(crate) root: &'a Path,
}

impl<C: Default + Send + Sync> Files for OpenFiles<'_, C> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let documents = lock(self.documents);
        let document =
            documents.get_by_path(&self.root.join(path)).ok_or(io::ErrorKind::NotFound)?;
        let text = document.text.as_str().as_bytes();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(text.len());
        Ok(text[..limit].to_vec())
    }

    fn exists(&self, path: &str) -> bool {
        lock(self.documents).get_by_path(&self.root.join(path)).is_some()
    }
}

/// Locks a mutex, ignoring poisoning: every change under the lock is atomic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::source::Source;
    use proptest::prelude::*;

    fn range(from: (u32, u32), to: (u32, u32)) -> Option<Range> {
        Some(Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1)))
    }

    #[test]
    fn edits_use_the_position_encoding_of_the_client() {
        let edited = |encoding, column| {
            let mut text = Text::new("a😀b\r\nc".to_owned());
            text.edit(range((0, column), (1, 0)), "|", encoding);
            text.as_str().to_owned()
        };
        assert_eq!(edited(Encoding::Utf8, 5), "a😀|c");
        assert_eq!(edited(Encoding::Utf16, 3), "a😀|c");
        assert_eq!(edited(Encoding::CodePoints, 2), "a😀|c");
        assert_eq!(edited(Encoding::Utf16, 2), "a|c", "within a character");
        assert_eq!(edited(Encoding::Utf16, 99), "a😀b|c", "past the end of the line");
    }

    #[test]
    fn positions_past_the_end_are_clamped() {
        let mut text = Text::new("a".to_owned());
        text.edit(range((7, 7), (9, 9)), "b", Encoding::Utf16);
        text.edit(range((0, 2), (0, 0)), "c", Encoding::Utf16);
        assert_eq!(text.as_str(), "abc");
        text.edit(None, "", Encoding::Utf16);
        assert_eq!(text, Text::new(String::new()));
    }

    #[test]
    fn untitled_documents_are_named_by_their_language() {
        let location = |uri: &str, language: &str| {
            DocumentLocation::from_uri(&uri.parse().expect("a URI"), language)
        };
        let untitled = |name: &str| Some(DocumentLocation::Untitled(name.to_owned()));
        assert_eq!(location("untitled:Untitled-1", "dockerfile"), untitled("Dockerfile"));
        assert_eq!(location("untitled:Untitled-1", "json"), untitled("untitled.json"));
        assert_eq!(location("untitled:/a/api.Dockerfile", "plaintext"), untitled("api.Dockerfile"));
        assert_eq!(location("vscode-notebook-cell:/a.ipynb#1", "python"), None);
        assert_eq!(location("git:/a/b?HEAD", "python"), None);
    }

    proptest! {
        #[test]
        fn line_starts_are_correct_after_edits(
            start in "[a😀\r\n]{0,20}",
            edits in proptest::collection::vec((0u32..6, 0u32..6, 0u32..6, 0u32..6, "[b\r\n]{0,4}"), 1..8),
            encoding in prop_oneof![
                Just(Encoding::Utf8), Just(Encoding::Utf16), Just(Encoding::CodePoints)
            ],
        ) {
            let mut text = Text::new(start.clone());
            let mut plain = start;
            for (a, b, c, d, new) in edits {
                let range = Range::new(Position::new(a, b), Position::new(c, d));
                let source = Source::new("x", plain.as_str());
                let span = crate::convert::span(&source, range, encoding);
                plain.replace_range(span.range(), &new);
                text.edit(Some(range), &new, encoding);
                prop_assert_eq!(text.as_str(), plain.as_str());
                prop_assert_eq!(&text, &Text::new(plain.clone()));
            }
        }
    }
}
