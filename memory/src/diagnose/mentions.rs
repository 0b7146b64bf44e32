//! Finds the files that a message mentions.

use super::trace::Frame;

/// Maximum number of files of one message.
const MAX_MENTIONS: usize = 4;
/// Characters around a path that do not belong to it.
const QUOTES: &[char] = &['"', '\'', '`', '(', ')', '[', ']', '<', '>', ',', ';', '.', '‘', '’'];

/// The files of a message, with the line if the message states one: `a.ts:3:5`, `a.ts (3:5)` or
/// `a.ts, line 3`. Files with a line come first.
pub(super) fn in_message(message: &str) -> Vec<Frame> {
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut frames = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.strip_suffix(':').unwrap_or(word);
        // A path can start with a dot.
        let word = word.trim_end_matches(QUOTES).trim_start_matches(&QUOTES[..11]);
        let mut parts = word.rsplitn(3, ':');
        let numbers: Vec<u32> =
            parts.by_ref().map_while(|part| part.parse().ok()).take(2).collect();
        let mut file = word;
        for _ in &numbers {
            file = file.rsplit_once(':').map_or(file, |(file, _)| file);
        }
        if !is_path(file) {
            continue;
        }
        let line = numbers.last().copied().or_else(|| following_line(&words[at + 1..]));
        frames.push(Frame { file: file.to_owned(), line, ..Frame::default() });
        if frames.len() == MAX_MENTIONS {
            break;
        }
    }
    frames.sort_by_key(|frame| frame.line.is_none());
    frames
}

/// Whether a word is a path with an extension.
fn is_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && (1..=6).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.bytes().any(|b| b.is_ascii_alphabetic())
        && !word.contains("://")
}

/// The line in the words after a path: `line 3`, or the last position in parentheses: `(3:5)`.
fn following_line(words: &[&str]) -> Option<u32> {
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    match words {
        ["line", second, ..] => number(second),
        _ => words.iter().rev().find_map(|word| number(word.strip_prefix('(')?.split_once(':')?.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_messages_are_found_with_their_lines() {
        let found = |message: &str| -> Vec<String> {
            let frames = in_message(message).into_iter();
            frames
                .map(|f| f.line.map_or(f.file.clone(), |line| format!("{}:{line}", f.file)))
                .collect()
        };
        assert_eq!(found("src/view.js (2:14): Expected a semicolon"), ["src/view.js:2"]);
        assert_eq!(found("Malformed POM /srv/pom.xml, line 6, column 17"), ["/srv/pom.xml:6"]);
        assert_eq!(found("\"a\" from \"src/main.js\", see b.ts:7:2"), ["b.ts:7", "src/main.js"]);
        assert_eq!(found("Merge conflict in ./a.txt."), ["./a.txt"]);
        assert_eq!(found("version 1.2 of https://example.com/a.js and cart.items"), ["cart.items"]);
    }
}
