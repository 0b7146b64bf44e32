//! Conflict markers that Git writes into a file when a merge fails.

use std::ops::Range;

/// The message for a file with conflict markers.
pub const MERGE_CONFLICT: &str =
    "merge conflict; resolve it and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`";

/// The byte range of the line that starts the first conflict, without its line break.
#[must_use]
pub fn first_conflict(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("<<<<<<< ") {
            return Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}

/// Whether `word` is a conflict marker: the first word of a line that Git writes before, between
/// and after the two sides of a conflict.
#[must_use]
pub fn is_marker(word: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marker_is_found() {
        assert_eq!(first_conflict("a\n<<<<<<< HEAD\r\nb\n=======\n>>>>>>> x\n"), Some(2..14));
        assert_eq!(first_conflict("a <<<<<<< HEAD\n<<<<<<<\n=======\n"), None);
    }
}
