//! Splits texts into terms: stems of words, and pairs of adjacent characters in scripts that do not
//! separate words, or that attach particles to words.

mod stem;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stem::stem;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// Maximum length of a term in characters: longer words are keys and digests, which are identified
/// by their beginning.
const MAX_TERM_CHARS: usize = 64;

/// Stop words, sorted. They are not terms.
const STOP_WORDS: [&str; 87] = [
    "a", "about", "after", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "between", "both", "but", "by", "can", "could", "did", "do", "does", "during", "each", "for",
    "from", "had", "has", "have", "he", "her", "hers", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "more", "most", "my", "no", "nor", "not", "of", "on", "or",
    "other", "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "up", "very", "was", "we", "were",
    "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// Calls `visit` with each term of `text`, in order.
pub fn for_each_term(text: &str, visit: &mut dyn FnMut(&str)) {
    let text =
        if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) };
    let mut rest = &*text;
    while let Some(start) = rest.find(is_word_char) {
        rest = rest.get(start..).unwrap_or_default();
        let is_cjk_run = rest.starts_with(is_cjk);
        let end = rest.find(|c| !is_word_char(c) || is_cjk(c) != is_cjk_run).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_cjk_run {
            for_each_pair(run, visit);
        } else {
            for_each_word_term(run, visit);
        }
        rest = after;
    }
}

/// The terms of `text` without duplicates, at most `limit`.
#[must_use]
pub fn distinct_terms(text: &str, limit: usize) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for_each_term(text, &mut |term| {
        if terms.len() < limit && seen.insert(term.to_owned()) {
            terms.push(term.to_owned());
        }
    });
    terms
}

/// The terms of the words of `name`, such as `parse` and `response` for `parseResponse`, without
/// duplicates and without the term of the whole name, at most `limit`.
#[must_use]
pub fn name_terms(name: &str, limit: usize) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let runs = name.split(|c| !is_word_char(c)).filter(|run| !run.is_empty());
    for part in runs.flat_map(name_parts) {
        add_term(part, &mut |term| {
            if terms.len() < limit && !terms.iter().any(|known| known == term) {
                terms.push(term.to_owned());
            }
        });
    }
    terms
}

/// Combining marks of scripts in which they are part of a word.
#[must_use]
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}' | '\u{E31}'..='\u{E4E}')
}

/// Whether `c` is Hangul, kana or Han.
#[must_use]
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}' | '\u{3040}'..='\u{30FF}' | '\u{3130}'..='\u{318F}'
        | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a character is part of a word.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Calls `visit` with each pair of adjacent characters, or with a single character.
fn for_each_pair(run: &str, visit: &mut dyn FnMut(&str)) {
    let ends: Vec<usize> = run.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let mut start = 0;
    if ends.len() == 1 {
        visit(run);
    }
    for pair in ends.windows(2) {
        visit(run.get(start..pair[1]).unwrap_or_default());
        start = pair[0];
    }
}

/// Calls `visit` with the term of a word, and with the terms of the parts of a name such as
/// `RefundPending` or `HTTPServer`.
fn for_each_word_term(run: &str, visit: &mut dyn FnMut(&str)) {
    add_term(run, visit);
    let mut parts = name_parts(run).peekable();
    if parts.next_if(|part| part.len() == run.len()).is_none() {
        parts.for_each(|part| add_term(part, visit));
    }
}

/// Maximum number of words whose terms a thread caches: most words of a text are frequent.
const MAX_CACHED_WORDS: usize = 4096;

thread_local! {
    /// The terms of words; `None` for stop words.
    static CACHE: RefCell<TermCache> = RefCell::default();
}

/// Each word of a text is looked up, so the hash is a fast one.
type TermCache = HashMap<Box<str>, Option<Rc<str>>, foldhash::fast::RandomState>;

fn add_term(word: &str, visit: &mut dyn FnMut(&str)) {
    if word.len() > MAX_TERM_CHARS {
        return term_of(word).iter().for_each(|term| visit(term));
    }
    let known = CACHE.with_borrow(|cache| cache.get(word).cloned());
    let term = known.unwrap_or_else(|| {
        let term = term_of(word);
        CACHE.with_borrow_mut(|cache| {
            if cache.len() == MAX_CACHED_WORDS {
                cache.clear();
            }
            cache.insert(word.into(), term.clone());
        });
        term
    });
    if let Some(term) = term {
        visit(&term);
    }
}

/// The term of a word; `None` for a stop word.
fn term_of(word: &str) -> Option<Rc<str>> {
    let mut term = fold_word(word);
    if STOP_WORDS.binary_search(&&*term).is_ok() {
        return None;
    }
    stem(&mut term);
    Some(term.into())
}

/// Converts a word to lower case, without accents on Latin and Greek letters.
fn fold_word(word: &str) -> String {
    let chars = word.chars().take(MAX_TERM_CHARS);
    if word.is_ascii() {
        return chars.map(|c| c.to_ascii_lowercase()).collect();
    }
    let mut folded = String::new();
    for c in chars.flat_map(char::to_lowercase) {
        match c {
            // Combining marks that have no precomposed letter are dropped.
            '\u{300}'..='\u{36F}' => {}
            '\u{C0}'..='\u{24F}' | '\u{370}'..='\u{3FF}' | '\u{1E00}'..='\u{1FFF}' => {
                let mut base = None;
                decompose_canonical(c, |part| base = base.or(Some(part)));
                folded.push(base.unwrap_or(c));
            }
            _ => folded.push(c),
        }
    }
    folded
}

/// Splits a name before each capital letter that starts a part.
fn name_parts(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(first_part_end(rest));
        rest = after;
        Some(part)
    })
}

/// The end of the first part of a name.
fn first_part_end(name: &str) -> usize {
    let mut previous: Option<char> = None;
    let mut letters = name.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        if let Some(previous) = previous.filter(|_| c.is_uppercase()) {
            let begins_part = next.is_some_and(char::is_lowercase);
            if !previous.is_uppercase() || begins_part {
                return at;
            }
        }
        previous = Some(c);
    }
    name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms_of(text: &str) -> String {
        let mut terms = Vec::new();
        for_each_term(text, &mut |term| terms.push(term.to_owned()));
        terms.join(" ")
    }

    #[test]
    fn texts_are_split_into_terms() {
        assert!(STOP_WORDS.is_sorted());
        let cases = [
            ("What did we decide about the sessions?", "decid session"),
            (
                "RefundPending in parseHTTPResponse2",
                "refundpend refund pend parsehttpresponse2 pars http response2",
            ),
            ("src/auth/session.ts:41", "src auth session ts 41"),
            ("max_retries=3", "max retri 3"),
            ("Café CRÈME cafe\u{301}", "cafe creme cafe"),
            ("인증은 JWT로", "인증 증은 jwt 로"),
            ("値を保存する", "値を を保 保存 存す する"),
            ("ＡＰＩ がぎ か\u{3099}ぎ", "api がぎ がぎ"),
            ("ΑΘΉΝΑ Ёж", "αθηνα ёж"),
            ("\"); DROP TABLE x; -- * NEAR(a) ^b", "drop tabl x near b"),
            ("", ""),
            ("?! the of", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(terms_of(text), expected, "{text}");
        }
    }

    #[test]
    fn names_are_split_into_their_words() {
        assert_eq!(
            name_terms("parseHTTPResponse_for_max_retries", 9),
            ["pars", "http", "respons", "max", "retri"]
        );
        assert_eq!(name_terms("a b", 1), ["b"]);
    }

    #[test]
    fn terms_are_distinct() {
        assert_eq!(distinct_terms("test tests testing x", 9), ["test", "x"]);
        assert_eq!(distinct_terms("b c d", 2), ["b", "c"]);
    }
}
