//! Counts the tokens of a text with the public byte-pair encoding `o200k_base`.
//!
//! Each model has its own encoding, and most of them are not public. The counts of other encodings
//! differ from the counts of this encoding by tens of percent. Libraries for this encoding first
//! load its 200,000 tokens into memory, which takes a tenth of a second and about 50 MB, more than
//! is acceptable for a whole command. This module stores the tokens in the binary in a searchable
//! form, and only implements the merging. The tests compare the counts with the counts of a
//! library.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use fst::Map;
use regex::Regex;

/// An `fst` map from the bytes of a token to its rank, written by the build script.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.fst"));

static RANKS: LazyLock<Map<&'static [u8]>> =
    LazyLock::new(|| Map::new(TABLE).expect("the table is written at build time"));

/// Splits text into the pieces that `o200k_base` merges. The original expression ends in
/// `\s+(?!\S)|\s+`; [`piece_end`] implements the look-ahead.
static PIECES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
    )
});

/// The same expression for ASCII text, which compiles twenty times faster; this matters for hooks.
static ASCII_PIECES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?-u:[\x00-\x09\x0B\x0C\x0E-/:-@\[-`{-\x7F]?[A-Z]*[a-z]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[\x00-\x09\x0B\x0C\x0E-/:-@\[-`{-\x7F]?[A-Z]+[a-z]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[0-9]{1,3}| ?[\x00-\x08\x0E-\x1F!-/:-@\[-`{-\x7F]+[\r\n/]*|[\x09-\x0D ]*[\r\n]+|[\x09-\x0D ]+)",
    )
});

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the expression is constant")
}

/// The number of `o200k_base` tokens of a text. Special tokens such as `<|endoftext|>` are counted
/// as ordinary text.
#[must_use]
pub fn count(text: &str) -> usize {
    let pieces = if text.is_ascii() { &ASCII_PIECES } else { &PIECES };
    let (mut sum, mut from) = (0, 0);
    while let Some(found) = pieces.find_at(text, from) {
        let end = piece_end(text, found.start(), found.end());
        sum += token_count(&text.as_bytes()[found.start()..end]);
        from = end;
    }
    sum
}

/// The end of a piece. If several spaces precede a word, the last space belongs to the word.
fn piece_end(text: &str, start: usize, end: usize) -> usize {
    let piece = &text[start..end];
    let mut letters = piece.chars();
    let last = letters.next_back();
    let is_complete = end == text.len()
        || letters.as_str().is_empty()
        || piece.ends_with(['\r', '\n'])
        || !piece.chars().all(char::is_whitespace);
    if is_complete { end } else { end - last.map_or(0, char::len_utf8) }
}

/// The number of tokens of a piece: repeatedly merges the adjacent pair with the lowest rank,
/// leftmost first, until no adjacent parts form a token.
fn token_count(piece: &[u8]) -> usize {
    if piece.len() == 1 || RANKS.contains_key(piece) {
        return 1;
    }
    let mut parts = Parts::new(piece);
    let mut heap: BinaryHeap<_> =
        (0..piece.len()).filter_map(|at| Some(Reverse((parts.rank(at)?, at)))).collect();
    let mut count = piece.len();
    while let Some(Reverse((rank, at))) = heap.pop() {
        // The queued rank is outdated, because an adjacent part changed.
        if parts.ranks[at] != Some(rank) {
            continue;
        }
        count -= 1;
        let before = parts.merge(at);
        for at in before.into_iter().chain([at]) {
            heap.extend(parts.rank(at).map(|rank| Reverse((rank, at))));
        }
    }
    count
}

/// The parts of a piece, identified by their start offset.
struct Parts<'a> {
    piece: &'a [u8],
    /// The start of the next part.
    next: Vec<usize>,
    /// The start of the previous part.
    previous: Vec<Option<usize>>,
    /// The rank of the token formed with the next part.
    ranks: Vec<Option<u64>>,
}

impl<'a> Parts<'a> {
    fn new(piece: &'a [u8]) -> Self {
        let length = piece.len();
        Self {
            piece,
            next: (1..=length).collect(),
            previous: (0..length).map(|at| at.checked_sub(1)).collect(),
            ranks: vec![None; length],
        }
    }

    /// Looks up the token formed by a part and the next part.
    fn rank(&mut self, at: usize) -> Option<u64> {
        let next = self.next[at];
        let end = *self.next.get(next)?;
        self.ranks[at] = RANKS.get(&self.piece[at..end]);
        self.ranks[at]
    }

    /// Merges a part with the next part; returns the previous part.
    fn merge(&mut self, at: usize) -> Option<usize> {
        let removed = self.next[at];
        let next = self.next[removed];
        self.next[at] = next;
        self.ranks[removed] = None;
        self.ranks[at] = None;
        if let Some(before) = self.previous.get_mut(next) {
            *before = Some(at);
        }
        self.previous[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().count_ordinary(text)
    }

    #[test]
    fn token_counts_of_shipped_pages_equal_the_counts_of_the_library() {
        for guide in aidd_content::RULES.guides {
            assert_eq!(count(guide.text), reference(guide.text), "{}", guide.path);
        }
    }

    #[test]
    fn token_counts_of_edge_cases_equal_the_counts_of_the_library() {
        let long = "ab".repeat(5_000);
        let spaces = " ".repeat(3_000);
        for text in [
            "",
            "a",
            " ",
            "  a",
            "a  \n\n  b \t",
            "I'LL we've it'S",
            "12345 67",
            "HTTPServer isn't",
            "<|endoftext|>",
            "결제 모듈의 단위 테스트를 작성하고",
            "本番環境のデータベース",
            "größere Änderungen – “quoted”",
            "👩‍👩‍👧 e\u{301} ǅungla ʰa",
            "\u{85}\u{2028} \u{3000}x",
            "a\u{0b}\u{0c} b\0\0c",
            "//\n/a ./\r\n/b",
            &long,
            &spaces,
        ] {
            assert_eq!(count(text), reference(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn token_counts_of_any_text_equal_the_counts_of_the_library(text in r"(\PC|\s|[ -~]|[가-힣]){0,120}") {
            prop_assert_eq!(count(&text), reference(&text));
        }

        #[test]
        fn token_counts_of_any_ascii_text_equal_the_counts_of_the_library(text in r"[\x00-\x7f]{0,200}|([a-zA-Z']{0,9}[ \n\r\t/.0-9]{0,3}){0,40}") {
            prop_assert_eq!(count(&text), reference(&text));
        }
    }
}
