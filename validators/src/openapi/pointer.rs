//! Resolves references: JSON pointers in this document and in other files of the project.

use super::bundle::{self, Part};
use super::document::{Document, is_template};
use aidd_engine::parse::values::Datum;
use std::collections::HashMap;

/// The target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A value of the files of this document.
    Local(usize),
    /// A value of this document that does not exist.
    Missing,
    /// A value of another file that was not read, or that cannot be determined.
    External,
    /// A file that does not exist.
    MissingFile,
    /// A value that does not exist in another file.
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
    let mut targets = HashMap::new();
    let mut known: HashMap<(usize, &str), Target> = HashMap::new();
    for (at, value) in values.all.iter().enumerate() {
        let (Some((key, _)), Datum::Text(text), Some(parent)) =
            (&value.key, &value.datum, value.parent)
        else {
            continue;
        };
        // If another entry with the same key takes precedence, this entry is ignored.
        if key != "$ref" || document.get(parent, "$ref") != Some(at) {
            continue;
        }
        let part = document.parts.index_of(at);
        let target =
            known.entry((part, text)).or_insert_with(|| find_target(document, &names, part, text));
        targets.insert(parent, *target);
    }
    // The entries of a merge key belong to several mappings.
    for (at, value) in values.all.iter().enumerate() {
        if value.datum == Datum::Map && !targets.contains_key(&at) {
            let reference = document.get(at, "$ref").and_then(|at| document.text(at));
            let part = document.parts.index_of(at);
            let target = reference.and_then(|text| known.get(&(part, text)));
            targets.extend(target.map(|target| (at, *target)));
        }
    }
    document.has_base_uris = document.parts.all[0].has_ids;
    document.targets = targets;
}

/// The names that the document defines for references.
struct Names {
    base: Option<String>,
}

impl Names {
    fn new(document: &Document<'_>) -> Self {
        Self { base: document.text_of(document.root, "$self").map(str::to_owned) }
    }
}

/// The target of the reference `text` in the file with the index `part`.
fn find_target(document: &Document<'_>, names: &Names, part: usize, text: &str) -> Target {
    if is_template(text) {
        return Target::Ignored;
    }
    let (file, fragment) = match text.split_once('#') {
        Some((file, fragment)) => (file, fragment),
        None => (text, ""),
    };
    let Part { path, root, has_ids, .. } = &document.parts.all[part];
    let is_own = file.is_empty() || part == 0 && names.base.as_deref() == Some(file);
    if is_own || bundle::path_of(path, file).as_deref() == Some(path) {
        return match (fragment, root) {
            ("", Some(root)) => Target::Local(*root),
            (pointer, Some(root)) if pointer.starts_with('/') => {
                // Some tools resolve such references after joining the files.
                let in_root = || find_value(document, document.root, pointer);
                match find_value(document, *root, pointer) {
                    Lookup::Value(at) => Target::Local(at),
                    Lookup::Missing | Lookup::Unknown if part > 0 && *has_ids => Target::Ignored,
                    Lookup::Missing | Lookup::Unknown if part > 0 => match in_root() {
                        Lookup::Value(at) => Target::Local(at),
                        Lookup::Unknown => Target::External,
                        Lookup::Missing => Target::Missing,
                    },
                    _ => Target::Missing,
                }
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
    let Some(path) = bundle::path_of(path, file).filter(|_| !has_ids) else {
        return Target::Ignored;
    };
    find_in_file(document, &path, fragment)
}

/// Finds the value of a reference to another file.
fn find_in_file(document: &Document<'_>, path: &str, fragment: &str) -> Target {
    if !document.parts.has_project {
        return Target::Ignored;
    }
    let root = match document.parts.at_path(path) {
        Some(part) => part.root,
        None if document.files.exists(path) => return Target::External,
        None => return Target::MissingFile,
    };
    match (root, fragment) {
        (Some(root), "") => Target::Local(root),
        (Some(root), pointer) if pointer.starts_with('/') => {
            match find_value(document, root, pointer) {
                Lookup::Value(at) => Target::Local(at),
                Lookup::Unknown => Target::External,
                Lookup::Missing => Target::MissingInFile,
            }
        }
        _ => Target::External,
    }
}

/// The result of following a pointer.
enum Lookup {
    Value(usize),
    /// The pointer leads through a reference.
    Unknown,
    Missing,
}

fn find_value(document: &Document<'_>, root: usize, pointer: &str) -> Lookup {
    let mut at = root;
    for step in pointer.split('/').skip(1) {
        let step = unescape(step);
        let next = match document.datum(at) {
            Datum::List => step
                .parse::<usize>()
                .ok()
                .and_then(|index| document.children(at).get(index))
                .copied(),
            _ => document.get(at, &step),
        };
        match next {
            Some(next) => at = next,
            None if document.get(at, "$ref").is_some() => return Lookup::Unknown,
            None => return Lookup::Missing,
        }
    }
    Lookup::Value(at)
}

/// The value at a JSON pointer (<https://www.rfc-editor.org/rfc/rfc6901>) of the root file.
pub(super) fn find_local(document: &Document<'_>, pointer: &str) -> Option<usize> {
    match find_value(document, document.root, pointer) {
        Lookup::Value(at) => Some(at),
        _ => None,
    }
}

/// Decodes the escapes in a step of a JSON pointer in a URI fragment.
fn unescape(step: &str) -> String {
    percent_decode(step).replace("~1", "/").replace("~0", "~")
}

/// Decodes `%XX`. Returns `text` unchanged if the result is not UTF-8.
pub(crate) fn percent_decode(text: &str) -> String {
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
