//! The files of a document: its root file, and the files of the project to which it refers.
//!
//! All values are in one list, and the texts are joined into one source, so that checks need not
//! distinguish the files. A finding belongs to the file that contains its span.

use super::document::MAX_DEPTH;
use aidd_engine::parse::values::{Datum, Format, Value, Values};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::paths;
use aidd_engine::text::source::{Source, Span};
use std::collections::{HashMap, HashSet};
use std::ops::{Deref, Range};

/// Maximum number of other files that are read for one document.
const MAX_FILES: usize = 5000;
/// Maximum total size of the other files that are read for one document, in bytes.
const MAX_TOTAL_BYTES: usize = 32 << 20;
/// Maximum size of one of these other files, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The texts of the files of a document.
pub(super) enum Text<'a> {
    /// The document is one file.
    One(&'a Source),
    /// The texts of several files, joined.
    Joined(Source),
}

impl Deref for Text<'_> {
    type Target = Source;

    fn deref(&self) -> &Source {
        match self {
            Self::One(source) => source,
            Self::Joined(source) => source,
        }
    }
}

/// A file of a document.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: String,
    /// The range of its text in the joined text.
    pub(super) text: Range<u32>,
    /// The index of its first value.
    first: usize,
    /// Its top-level value; `None` for an empty file.
    pub(super) root: Option<usize>,
    /// Whether a schema in the file has its own base URI.
    pub(super) has_ids: bool,
}

/// The files of a document, the root file first.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    by_path: HashMap<String, usize>,
    /// Whether the file store contains the project. If not, other files are not read.
    pub(super) has_project: bool,
}

impl Parts {
    /// Reads the files that the root file refers to, directly or indirectly, and appends their
    /// values.
    pub(super) fn read<'a>(
        source: &'a Source,
        values: &mut Values,
        files: &dyn Files,
    ) -> (Self, Text<'a>) {
        let own = source.path();
        // A store without the document itself does not contain the project either.
        let is_listed = files.listing().is_some_and(|listing| listing.has_file(own));
        let has_project = is_listed || files.exists(own);
        let mut parts = Self { all: Vec::new(), by_path: HashMap::new(), has_project };
        let length = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
        let has_self =
            values.roots.first().is_some_and(|&root| values.child(root, "$self").is_some());
        parts.add(own.to_owned(), 0..length, values, 0);
        parts.all[0].has_ids |= has_self;
        let mut joined = None;
        let (mut next, mut total) = (0, 0);
        let mut unread = HashSet::new();
        while let Some(part) = parts.all.get(next).filter(|_| has_project) {
            next += 1;
            let end = parts.all.get(next).map_or(values.all.len(), |part| part.first);
            let referenced = match part.has_ids {
                true => Vec::new(),
                false => referenced_files(part, &values.all[part.first..end]),
            };
            for path in referenced {
                let is_full = parts.all.len() > MAX_FILES || total >= MAX_TOTAL_BYTES;
                if is_full || parts.by_path.contains_key(&path) || unread.contains(&path) {
                    continue;
                }
                let Some((text, other)) = read_file(&path, files) else {
                    unread.insert(path);
                    continue;
                };
                total += text.len();
                let joined: &mut String = joined.get_or_insert_with(|| source.text().to_owned());
                joined.push('\n');
                let start = u32::try_from(joined.len()).unwrap_or(u32::MAX);
                joined.push_str(&text);
                let end = u32::try_from(joined.len()).unwrap_or(u32::MAX);
                let first = append(values, other, start as usize);
                parts.add(path, start..end, values, first);
            }
        }
        let text = match joined {
            Some(text) => Text::Joined(Source::new(own, text)),
            None => Text::One(source),
        };
        (parts, text)
    }

    fn add(&mut self, path: String, text: Range<u32>, values: &Values, first: usize) {
        let has_id = |value: &Value| matches!((&value.key, &value.datum), (Some((key, _)), Datum::Text(_)) if key == "$id");
        self.by_path.insert(path.clone(), self.all.len());
        self.all.push(Part {
            path,
            text,
            first,
            root: (first < values.all.len()).then_some(first),
            has_ids: values.all[first..].iter().any(has_id),
        });
    }

    /// The index of the file that contains the value `at`.
    pub(super) fn index_of(&self, at: usize) -> usize {
        self.all.partition_point(|part| part.first <= at).saturating_sub(1)
    }

    /// The file at `path`, if it was read.
    pub(super) fn at_path(&self, path: &str) -> Option<&Part> {
        self.by_path.get(path).map(|&index| &self.all[index])
    }

    /// Converts findings in the joined text to findings in the files, by path.
    pub(super) fn separate(&self, findings: Vec<Finding>) -> HashMap<String, Vec<Finding>> {
        let mut separated: HashMap<String, Vec<Finding>> = HashMap::new();
        for finding in findings {
            let index = self.all.partition_point(|part| part.text.start <= finding.span.start);
            let Some(part) = self.all.get(index.saturating_sub(1)) else { continue };
            separated.entry(part.path.clone()).or_default().push(in_part(part, finding));
        }
        separated
    }
}

/// A finding with positions relative to the text of its file, without positions in other files.
fn in_part(part: &Part, mut finding: Finding) -> Finding {
    let Range { start, end } = part.text;
    let is_inside = |span: Span| start <= span.start && span.end <= end;
    let move_back = |span: &mut Span| {
        *span = Span {
            start: span.start.saturating_sub(start),
            end: span.end.min(end).saturating_sub(start),
        };
    };
    finding.related.retain(|related| is_inside(related.span));
    finding.related.iter_mut().for_each(|related| move_back(&mut related.span));
    finding.fix = finding.fix.filter(|fix| fix.edits.iter().all(|edit| is_inside(edit.span)));
    let edits = finding.fix.iter_mut().flat_map(|fix| &mut fix.edits);
    edits.for_each(|edit| move_back(&mut edit.span));
    move_back(&mut finding.span);
    finding
}

/// The paths of the other files to which a file with these values refers.
fn referenced_files(part: &Part, values: &[Value]) -> Vec<String> {
    let references = values.iter().filter_map(|value| match &value.datum {
        Datum::Text(text) if value.key.as_ref().is_some_and(|(key, _)| key == "$ref") => Some(text),
        _ => None,
    });
    let files = references.filter_map(|text| path_of(&part.path, text.split('#').next()?));
    let mut seen = HashSet::new();
    files.filter(|path| seen.insert(path.clone())).collect()
}

/// The path of a file to which the file at `from` refers; `None` if the reference is empty, is a
/// URI, is absolute or leads out of the project.
pub(super) fn path_of(from: &str, file: &str) -> Option<String> {
    if file.is_empty() || file.starts_with('/') || file.contains([':', '?']) {
        return None;
    }
    paths::join(paths::parent_dir(from), &super::pointer::percent_decode(file))
}

/// The text and the values of another file.
fn read_file(path: &str, files: &dyn Files) -> Option<(String, Values)> {
    let format =
        Format::from_path(path).filter(|format| matches!(format, Format::Json | Format::Yaml))?;
    if files.size(path).ok()? > MAX_FILE_BYTES {
        return None;
    }
    let text = Source::decode(path, files.read(path, MAX_FILE_BYTES).ok()?).text().to_owned();
    let values = Values::read(format, &text);
    let is_valid = values.broken.is_none() && values.deeper_than(MAX_DEPTH).is_none();
    is_valid.then_some((text, values))
}

/// Appends the values of another file, whose text starts at `start`; returns the index of the first.
fn append(values: &mut Values, other: Values, start: usize) -> usize {
    let first = values.all.len();
    values.all.extend(other.all.into_iter().map(|mut value| {
        value.span = value.span.shift(start);
        if let Some((_, span)) = &mut value.key {
            *span = span.shift(start);
        }
        value.parent = value.parent.map(|parent| parent + first);
        value.children.iter_mut().for_each(|child| *child += first);
        value
    }));
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    #[test]
    fn references_are_relative_to_the_file_that_contains_them() {
        let files = Memory(
            [
                ("a.yaml", "x:\n  $ref: one/b.yaml\ny:\n  $ref: two/b.yaml\n"),
                ("one/b.yaml", "z: 1\n"),
                ("two/b.yaml", "$ref: c.yaml\n"),
                ("one/c.yaml", "z: 1\n"),
                ("two/c.yaml", "z: 1\n"),
            ]
            .map(|(path, text)| (path.to_owned(), text.into()))
            .into(),
        );
        let source = Source::decode("a.yaml", files.read("a.yaml", MAX_FILE_BYTES).unwrap());
        let mut values = Values::read(Format::Yaml, source.text());
        let (parts, _) = Parts::read(&source, &mut values, &files);
        let paths: Vec<&str> = parts.all.iter().map(|part| &*part.path).collect();
        assert_eq!(paths, ["a.yaml", "one/b.yaml", "two/b.yaml", "two/c.yaml"]);
    }
}
