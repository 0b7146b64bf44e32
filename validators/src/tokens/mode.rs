//! How strictly a file follows the Design Tokens format: other tools accept more types and values.

use super::document::{Document, Layout};
use super::types::OTHER_TYPES;
use aidd_engine::parse::values::Datum;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::paths::{below, parent_dir, upwards};

/// The packages that accept other types and values than the format.
const OTHER_TOOLS: [&str; 7] = [
    "\"@cobalt-ui/cli\"",
    "\"@tokens-studio/sd-transforms\"",
    "\"@tokens-studio/tokenscript-interpreter\"",
    "\"diez\"",
    "\"style-dictionary\"",
    "\"theo\"",
    "\"token-transformer\"",
];

/// How strictly a file follows the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The file names its schema, or has values that only the version 2025.10 has.
    Current,
    /// Nothing shows the version.
    Draft,
    /// The file is for a tool that accepts other types and values.
    Other,
}

impl Mode {
    pub(super) fn of(document: &Document<'_>, layout: Layout, files: &dyn Files) -> Self {
        if layout != Layout::Format {
            return Self::Other;
        }
        if document.has_schema() {
            return Self::Current;
        }
        if is_for_other_tool(document, files) {
            return Self::Other;
        }
        if has_current_value(document) {
            Self::Current
        } else if has_other_type(document) {
            Self::Other
        } else {
            Self::Draft
        }
    }
}

/// Whether a value has the form that the version 2025.10 introduced.
fn has_current_value(document: &Document<'_>) -> bool {
    document.values.all.iter().enumerate().any(|(at, value)| {
        value.datum == Datum::Map
            && (document.child(at, "colorSpace").is_some()
                && document.child(at, "components").is_some()
                || document.child(at, "unit").is_some()
                    && document
                        .child(at, "value")
                        .is_some_and(|value| matches!(document.datum(value), Datum::Number(_))))
    })
}

/// Whether a token has a type that only other tools know.
fn has_other_type(document: &Document<'_>) -> bool {
    (0..document.values.all.len()).any(|at| {
        document.key(at) == "$type"
            && document.text(at).is_some_and(|name| OTHER_TYPES.contains(&name))
    })
}

fn is_for_other_tool(document: &Document<'_>, files: &dyn Files) -> bool {
    let root = document.root();
    let is_studio = |key: &str| root.is_some_and(|root| document.child(root, key).is_some());
    if is_studio("$themes") || is_studio("$metadata") {
        return true;
    }
    if document.source.text().contains("\"studio.tokens\"") {
        return true;
    }
    let manifests = upwards(parent_dir(document.source.path())).chain([""]);
    let texts = manifests.filter_map(|folder| side_file(files, &below(folder, "package.json")));
    let mut texts = texts.take(4);
    texts.any(|text| OTHER_TOOLS.iter().any(|tool| text.contains(tool)))
        || super::project::is_named_source(files, document.source.path())
}
