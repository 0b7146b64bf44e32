//! Names of files: without directories and extensions, and whether they say what is in the file.

use crate::commit_message::facts::File;
use crate::commit_message::file_kind::FileKind;

/// File names without meaning of their own.
const COMMON_STEMS: [&str; 14] = [
    "index", "mod", "main", "lib", "init", "page", "layout", "route", "routes", "utils", "types",
    "app", "helpers", "config",
];

/// The name of a file without its directories; of a document or source file, also without its
/// extension.
pub(super) fn name<'a>(file: &File<'a>) -> &'a str {
    let name = file_name(&file.change.path);
    match file.kind {
        FileKind::Docs | FileKind::Source | FileKind::Content | FileKind::Test => stem(name),
        _ => name,
    }
}

/// The name of a file without its directories.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a file without its directories and extensions.
pub(super) fn stem_of(path: &str) -> &str {
    stem(file_name(path))
}

/// The part of a file name before its first dot.
fn stem(name: &str) -> &str {
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// The name that a test file shares with the code it tests.
pub(super) fn tested_name(path: &str) -> Option<String> {
    let stem = stem(file_name(path));
    let ends = ["_test", "_tests", "_spec", "Test", "Tests", "Spec", "-test", "-spec"];
    let tested = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let tested = tested.strip_prefix("test_").unwrap_or(tested);
    is_meaningful(tested).then(|| tested.to_owned())
}

/// Whether a name of a file says what is in it.
pub(super) fn is_meaningful(stem: &str) -> bool {
    let lower = stem.trim_matches(['_', '+', '[', ']']).to_lowercase();
    lower.len() > 2
        && !COMMON_STEMS.contains(&lower.as_str())
        && !matches!(lower.as_str(), "test" | "tests" | "spec")
        && stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        && stem.chars().filter(char::is_ascii_digit).count() < 4
}
