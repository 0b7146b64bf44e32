//! Classifies errors by their words.

use aidd_lexicon::tables::errors;

/// Category of an error, and advice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Category {
    /// One of `type`, `build`, `runtime`, `config`, `dependency`, `network`, `test`, `permission`,
    /// `resource`, `concurrency`, `unknown`.
    pub name: &'static str,
    /// Confidence from 0 to 0.9: 0.3 for the first indicating word, 0.2 for each further word.
    pub confidence: f64,
    /// Where to look first.
    pub suggestion: &'static str,
}

/// Classifies an error by its kind and message lines.
pub(super) fn classify(text: &str) -> Category {
    let lower = text.to_lowercase();
    let mut best = Category {
        name: "unknown",
        confidence: 0.0,
        suggestion: "Find the first line of the output that names a project file, and read the code there.",
    };
    let mut max_hits = 0;
    for row in errors::SECTIONS {
        let hits = row.words.iter().filter(|word| contains_word(&lower, word)).count();
        if hits > max_hits {
            max_hits = hits;
            let further = u32::try_from(hits - 1).unwrap_or(u32::MAX);
            let confidence = (0.3 + 0.2 * f64::from(further)).min(0.9);
            best = Category { name: row.name, confidence, suggestion: row.note };
        }
    }
    best
}

/// Whether `word` occurs in `text` without a preceding letter.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(char::is_alphabetic) || word.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_determine_the_category() {
        for (text, name) in [
            ("TypeError: Cannot read properties of undefined (reading 'id')", "type"),
            ("Error: connect ECONNREFUSED 127.0.0.1:5432", "network"),
            ("ModuleNotFoundError: No module named 'redis'", "dependency"),
            ("E0308: mismatched types", "type"),
            ("SyntaxError: Unexpected token '<'", "build"),
            ("AssertionError: assert 2 == 3", "test"),
            ("PermissionError: [Errno 13] Permission denied: '/etc/x'", "permission"),
            ("fatal error: all goroutines are asleep - deadlock!", "concurrency"),
            ("java.lang.OutOfMemoryError: Java heap space", "resource"),
            ("Error: listen EADDRINUSE: address already in use :::3000", "config"),
            ("index out of bounds: the len is 3 but the index is 7", "runtime"),
            ("it did not work", "unknown"),
        ] {
            assert_eq!(classify(text).name, name, "{text}");
        }
        assert!(classify("").confidence < 0.1);
        assert!((classify("ECONNREFUSED").confidence - 0.3).abs() < 1e-9);
    }
}
