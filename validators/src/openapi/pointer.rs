//! References: JSON pointers in this document and in other files of the project.

use super::document::{Document, Entries, index, is_template};
use aidd_engine::parse::values::{Datum, Format, Values};
use aidd_engine::text::paths;
use std::collections::HashMap;

/// Maximum number of other files that are read for one document.
const MAX_FILES: usize = 500;
/// Maximum total size of the other files that are read for one document, in bytes.
const MAX_TOTAL_BYTES: usize = 32 << 20;
/// Maximum size of another file, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A value of this document.
    Local(usize),
    /// No value of this document.
    Missing,
    /// An existing value of another file, or a file that cannot be checked.
    External,
    /// No such file.
    MissingFile,
    /// A file without the value.
    MissingInFile,
    /// A web address.
    Remote,
    /// A name that is not resolved by position, such as an anchor.
    Name,
    /// A template, or a URI that is not checked.
    Ignored,
}

/// Resolves all references of the document.
pub(super) fn find_targets(document: &mut Document<'_>) {
    let values = &document.values;
    let names = Names::new(document);
    let mut other_files = OtherFiles::default();
    let mut targets = HashMap::new();
    let mut known: HashMap<&str, Target> = HashMap::new();
    for (at, value) in values.all.iter().enumerate() {
        let (Some((key, _)), Datum::Text(text), Some(parent)) =
            (&value.key, &value.datum, value.parent)
        else {
            continue;
        };
        // With a duplicate key or a merge key, another value is used.
        if key != "$ref" || document.get(parent, "$ref") != Some(at) {
            continue;
        }
        let target = known
            .entry(text)
            .or_insert_with(|| find_target(document, &names, &mut other_files, text));
        targets.insert(parent, *target);
    }
    // The entries of a merge key belong to several mappings.
    for (at, value) in values.all.iter().enumerate() {
        if value.datum == Datum::Map && !targets.contains_key(&at) {
            let reference = document.get(at, "$ref").and_then(|at| document.text(at));
            targets.extend(reference.and_then(|text| known.get(text)).map(|target| (at, *target)));
        }
    }
    let has_base_uris = names.has_base_uris;
    document.targets = targets;
    document.has_base_uris = has_base_uris;
}

/// The names that schemas define for references.
struct Names {
    has_base_uris: bool,
    base: Option<String>,
}

impl Names {
    fn new(document: &Document<'_>) -> Self {
        let all = document.values.all.iter();
        let has_id = all.filter_map(|value| Some((&value.key.as_ref()?.0, &value.datum)));
        let mut has_id =
            has_id.filter(|(key, datum)| *key == "$id" && matches!(datum, Datum::Text(_)));
        let base = document.text_of(document.root, "$self").map(str::to_owned);
        Self { has_base_uris: has_id.next().is_some() || base.is_some(), base }
    }
}

fn find_target(
    document: &Document<'_>,
    names: &Names,
    other_files: &mut OtherFiles,
    text: &str,
) -> Target {
    if is_template(text) {
        return Target::Ignored;
    }
    let (file, fragment) = match text.split_once('#') {
        Some((file, fragment)) => (file, Some(fragment)),
        None => (text, None),
    };
    if file.is_empty() || names.base.as_deref() == Some(file) {
        return match fragment.unwrap_or_default() {
            "" => Target::Local(document.root),
            pointer if pointer.starts_with('/') => {
                find_local(document, pointer).map_or(Target::Missing, Target::Local)
            }
            _ => Target::Name,
        };
    }
    let scheme = file.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.len() > 1
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match scheme.filter(|scheme| is_scheme(scheme)) {
        Some("http" | "https") => return Target::Remote,
        Some(_) => return Target::Ignored,
        None => {}
    }
    if file.starts_with('/') || names.has_base_uris || file.contains('?') {
        return Target::Ignored;
    }
    find_in_file(document, other_files, file, fragment)
}

/// Finds the value of a reference to another file.
fn find_in_file(
    document: &Document<'_>,
    other_files: &mut OtherFiles,
    file: &str,
    fragment: Option<&str>,
) -> Target {
    let folder = paths::parent_dir(document.source.path());
    let Some(path) = paths::join(folder, &percent_decode(file)) else { return Target::Ignored };
    if path == document.source.path() {
        return match fragment.unwrap_or_default() {
            "" => Target::Local(document.root),
            pointer => find_local(document, pointer).map_or(Target::Missing, Target::Local),
        };
    }
    // Without the document itself, the store does not contain the project.
    let own = document.source.path();
    let is_listed = document.files.listing().is_some_and(|listing| listing.has_file(own));
    if !is_listed && !document.files.exists(own) {
        return Target::Ignored;
    }
    if !document.files.exists(&path) {
        return Target::MissingFile;
    }
    let pointer = fragment.filter(|pointer| pointer.starts_with('/'));
    let Some(pointer) = pointer else { return Target::External };
    match other_files.values(document, &path) {
        Some((values, entries)) if !has_value(values, entries, pointer) => Target::MissingInFile,
        _ => Target::External,
    }
}

/// Whether a pointer leads to a value, also through references, which can be in yet other files.
fn has_value(values: &Values, entries: &Entries, pointer: &str) -> bool {
    let get = |at: usize, key: &str| match entries.get(&at) {
        Some(entries) => entries.get(key).copied(),
        None => values.child(at, key),
    };
    let Some(mut at) = values.roots.first().copied() else { return true };
    for step in pointer.split('/').skip(1) {
        let step = unescape(step);
        let next = match values.all[at].datum {
            Datum::List => step
                .parse::<usize>()
                .ok()
                .and_then(|index| values.all[at].children.get(index))
                .copied(),
            _ => get(at, &step),
        };
        match next {
            Some(next) => at = next,
            None => {
                return get(at, "$ref").is_some() || get(at, "<<").is_some();
            }
        }
    }
    true
}

/// The parsed other files.
#[derive(Default)]
struct OtherFiles {
    /// `None` for a file that cannot be read or parsed.
    parsed: HashMap<String, Option<(Values, Entries)>>,
    total: usize,
}

impl OtherFiles {
    fn values(&mut self, document: &Document<'_>, path: &str) -> Option<&(Values, Entries)> {
        if !self.parsed.contains_key(path) {
            if self.parsed.len() >= MAX_FILES || self.total >= MAX_TOTAL_BYTES {
                return None;
            }
            let values = self.read(document, path);
            self.parsed.insert(path.to_owned(), values);
        }
        self.parsed.get(path)?.as_ref()
    }

    fn read(&mut self, document: &Document<'_>, path: &str) -> Option<(Values, Entries)> {
        let format = Format::from_path(path)
            .filter(|format| matches!(format, Format::Json | Format::Yaml))?;
        if document.files.size(path).ok()? > MAX_FILE_BYTES {
            return None;
        }
        let bytes = document.files.read(path, MAX_FILE_BYTES).ok()?;
        self.total += bytes.len();
        let values = Values::read(format, &String::from_utf8(bytes).ok()?);
        let entries = index(&values);
        values.broken.is_none().then_some((values, entries))
    }
}

/// The value at a JSON pointer (<https://www.rfc-editor.org/rfc/rfc6901>) of this document.
pub(super) fn find_local(document: &Document<'_>, pointer: &str) -> Option<usize> {
    let mut at = document.root;
    if pointer.is_empty() {
        return Some(at);
    }
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = unescape(step);
        at = match document.datum(at) {
            Datum::List => step
                .parse::<usize>()
                .ok()
                .and_then(|index| document.children(at).get(index))
                .copied(),
            _ => document.get(at, &step),
        }?;
    }
    Some(at)
}

/// A step of a JSON pointer in a URI fragment, without escapes.
fn unescape(step: &str) -> String {
    percent_decode(step).replace("~1", "/").replace("~0", "~")
}

/// Replaces `%XX`; text that is then not UTF-8 is unchanged.
pub(super) fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit =
            |offset: usize| bytes.get(at + offset).and_then(|&byte| char::from(byte).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_in_pointers_are_decoded() {
        assert_eq!(unescape("~1users~1%7Bid%7D~01"), "/users/{id}~1");
        assert_eq!(percent_decode("100%"), "100%");
        assert_eq!(percent_decode("%ff"), "%ff");
    }
}
