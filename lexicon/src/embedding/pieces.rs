//! Splits a text into the pieces of a table. Words are split as in BERT: lower case, no accents,
//! always the longest known piece, and `##` before each piece that does not start a word. Runs of
//! Hangul, kana and Han are split into the longest known pieces from left to right.

use super::Table;
use std::cell::RefCell;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a word, in characters; longer words have no pieces, as in BERT.
const MAX_WORD_CHARS: usize = 100;

/// Maximum number of words whose pieces a thread caches: most words of a text are frequent.
const MAX_CACHED_WORDS: usize = 4096;

thread_local! {
    /// The rows of the pieces of words in the shipped table; there is no other table.
    static CACHE: RefCell<PieceCache> = RefCell::default();
}

/// Each word of a text is looked up, so the hash is a fast one.
type PieceCache = HashMap<Box<str>, Box<[usize]>, foldhash::fast::RandomState>;

/// Calls `visit` with the row of each piece of `text`, in order.
pub(super) fn for_each_piece(table: &Table, text: &str, visit: &mut dyn FnMut(usize)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_cjk_run = is_cjk(first);
        let end = rest.find(|c| is_cjk(c) != is_cjk_run).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_cjk_run {
            split_cjk(table, run, visit);
        } else {
            for_each_word(run, &mut |word| split_word(table, word, visit));
        }
        rest = after;
    }
}

/// Whether `c` is kana, Han or a Hangul syllable.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Calls `visit` with each word of a text, in lower case and without accents; each punctuation
/// character is a separate word.
fn for_each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut add = |c: char| {
        if is_invisible(c) {
            return;
        }
        if c.is_alphanumeric() {
            return word.push(c);
        }
        end_word(&mut word, visit);
        if !c.is_whitespace() {
            visit(c.encode_utf8(&mut [0; 4]));
        }
    };
    if text.is_ascii() {
        text.chars().for_each(|c| add(c.to_ascii_lowercase()));
    } else {
        let normalized = text.nfd().filter(|c| !is_combining_mark(*c));
        // Lower-casing can add a combining mark (İ).
        let lower = normalized.flat_map(char::to_lowercase).filter(|c| !is_combining_mark(*c));
        lower.for_each(add);
    }
    end_word(&mut word, visit);
}

fn end_word(word: &mut String, visit: &mut dyn FnMut(&str)) {
    if !word.is_empty() {
        visit(word);
        word.clear();
    }
}

/// Whether `c` is removed before splitting: control characters except white space, joiners,
/// directional marks.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
}

/// Calls `visit` with the row of each piece of a word, or not at all if the word cannot be split
/// completely.
fn split_word(table: &Table, word: &str, visit: &mut dyn FnMut(usize)) {
    if word.len() > MAX_WORD_CHARS {
        return rows_of_word(table, word).into_iter().for_each(visit);
    }
    CACHE.with_borrow_mut(|cache| {
        if let Some(rows) = cache.get(word) {
            return rows.iter().copied().for_each(visit);
        }
        if cache.len() == MAX_CACHED_WORDS {
            cache.clear();
        }
        let rows = rows_of_word(table, word);
        rows.iter().copied().for_each(visit);
        cache.insert(word.into(), rows.into());
    });
}

/// The rows of the pieces of a word; none if it cannot be split completely.
fn rows_of_word(table: &Table, word: &str) -> Vec<usize> {
    let mut rows = Vec::new();
    if word.chars().count() > MAX_WORD_CHARS {
        return rows;
    }
    let mut rest = word.as_bytes();
    let mut prefix: &[u8] = b"";
    while !rest.is_empty() {
        let Some((row, length)) = table.longest_piece(prefix, rest) else { return Vec::new() };
        rows.push(row);
        rest = rest.get(length..).unwrap_or_default();
        prefix = b"##";
    }
    rows
}

/// Calls `visit` with the row of each piece of a run of Hangul, kana or Han characters. Characters
/// that start no known piece are skipped.
fn split_cjk(table: &Table, mut run: &str, visit: &mut dyn FnMut(usize)) {
    while let Some(first) = run.chars().next() {
        let longest = table.longest_piece(b"", run.as_bytes());
        if let Some((row, _)) = longest {
            visit(row);
        }
        let length = longest.map_or(first.len_utf8(), |(_, length)| length);
        run = run.get(length..).unwrap_or_default();
    }
}
