//! Normalizes and compares topics and texts, in every script.

use aidd_lexicon::terms::{is_cjk, is_mark};
use std::collections::BTreeSet;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower-case text in composed form (NFC), because file systems and keyboards of macOS decompose
/// letters.
fn lower(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase().nfc().collect() }
}

/// Normalizes a topic for comparison; all comparisons use this function. Ignores case, spaces and
/// punctuation, in every script. Letters are folded by Unicode (NFKC and full case folding, so
/// `ＡＵＴＨ` equals `auth` and `Straße` equals `STRASSE`) but retain their diacritics: `cafe` and
/// `café` are different topics. A separator between two digits is retained (`1.5` is not `15`), and
/// so are the signs at the end of a name: `C`, `C++` and `C#` are three topics. Empty when the
/// topic has no letters or digits.
#[must_use]
pub fn topic_key(topic: &str) -> String {
    let folded = UniCase::unicode(topic.nfkc().collect::<String>()).to_folded_case();
    let mut key = String::new();
    // Whether characters were skipped before this one, and whether the trailing signs of a name
    // began.
    let (mut gap, mut ends) = (false, false);
    let mut chars = folded.nfkc();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || is_combining_mark(c) && !key.is_empty() {
            if gap && c.is_numeric() && key.ends_with(char::is_numeric) {
                key.push('-');
            }
            key.push(c);
            (gap, ends) = (false, false);
        } else if is_sign(c) && !gap && !key.is_empty() && (ends || ends_name(chars.clone())) {
            key.push(c);
            ends = true;
        } else {
            (gap, ends) = (true, false);
        }
    }
    key
}

fn is_sign(c: char) -> bool {
    matches!(c, '+' | '#')
}

/// Whether only signs precede the end of the name.
fn ends_name(mut rest: impl Iterator<Item = char>) -> bool {
    rest.find(|c| !is_sign(*c)).is_none_or(|c| !c.is_alphanumeric())
}

/// Normalizes text for equality: lower case, white space collapsed, no final period.
#[must_use]
pub fn fold_text(text: &str) -> String {
    let lower = lower(text);
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '。', '!', ';']).to_owned()
}

/// Normalizes an error for comparison: without variable parts such as numbers, addresses and
/// directories.
#[must_use]
pub fn error_key(error: &str) -> String {
    let lower = lower(error);
    let words = lower.split_whitespace().map(|word| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let mut key = String::new();
        for part in name.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let varies = part.starts_with(|c: char| c.is_ascii_digit())
                || (part.len() >= 6 && part.bytes().all(|b| b.is_ascii_hexdigit()));
            if !part.is_empty() && !varies {
                key.push_str(part);
                key.push(' ');
            }
        }
        key
    });
    words.collect::<String>().trim_end().to_owned()
}

/// The set of features by which texts are compared: words, and character pairs in scripts without
/// word separators or with attached particles.
#[must_use]
pub fn pieces(text: &str) -> BTreeSet<u64> {
    let lower = lower(text);
    let mut pieces = BTreeSet::new();
    for word in parts(&lower) {
        let chars: Vec<char> = word.chars().collect();
        if chars.iter().any(|&c| is_cjk(c)) && chars.len() > 1 {
            for pair in chars.windows(2) {
                pieces.insert((u64::from(pair[0]) << 32) | u64::from(pair[1]));
            }
        } else if !STOP_WORDS.contains(&word) {
            pieces.insert(fnv(word));
        }
    }
    pieces
}

/// The similarity of two sets of features, from 0 to 1: the Jaccard index.
#[must_use]
pub fn similarity(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// Words without meaning for the topic of a text.
const STOP_WORDS: [&str; 24] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on",
    "or", "that", "the", "this", "to", "was", "we", "will", "with",
];

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|part| !part.is_empty())
}

/// The 64-bit FNV-1a hash of `word`.
fn fnv(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_compared_in_every_script() {
        assert_eq!(topic_key(" Auth_Strategy "), topic_key("auth strategy"));
        for (one, other) in [
            ("인증  방식", "인증방식"),
            ("認証・方式", "認証方式"),
            ("Café/Menü", "CAFÉ MENÜ"),
            ("auth-strategy", "AuthStrategy!"),
            ("ＡＵＴＨ　ｓｔｒａｔｅｇｙ", "auth strategy"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("don't retry", "Dont Retry"),
            ("(C++)", "c++"),
            ("TLS 1.2", "tls-1 2"),
            ("CI+CD", "CI/CD"),
            ("हिन्दी।", "हिन्दी"),
        ] {
            assert_eq!(topic_key(one), topic_key(other), "{one} {other}");
        }
        for (one, other) in [
            ("cafe", "café"),
            ("C", "C#"),
            ("C", "C++"),
            ("TLS 1.2", "TLS 12"),
            ("かき", "がき"),
            ("हिन्दी", "हिनदी"),
        ] {
            assert_ne!(topic_key(one), topic_key(other), "{one} {other}");
        }
        assert_ne!(topic_key("인증 방식"), topic_key("인증 방법"));
        assert_eq!(topic_key("?!"), "");
        // Composed and decomposed: jamo, an accent, a Vietnamese and a Devanagari letter.
        for (one, other) in [
            (
                "\u{C778}\u{C99D} \u{BC29}\u{C2DD}",
                "\u{110B}\u{1175}\u{11AB}\u{110C}\u{1173}\u{11BC} \u{1107}\u{1161}\u{11BC}\u{1109}\u{1175}\u{11A8}",
            ),
            ("CAF\u{C9}", "Cafe\u{301}"),
            ("l\u{1ED1}i v\u{E0}o", "lo\u{302}\u{301}i va\u{300}o"),
            ("\u{929}\u{92E}", "\u{928}\u{93C}\u{92E}"),
        ] {
            assert_eq!(topic_key(one), topic_key(other));
            assert_eq!(fold_text(one), fold_text(other));
            assert_eq!(pieces(one), pieces(other));
            assert_eq!(error_key(one), error_key(other));
        }
    }

    #[test]
    fn variable_parts_of_errors_are_ignored() {
        let first =
            "TypeError: cannot read 'id' of undefined at /home/a/src/user.ts:41:7 (0x7fa9be)";
        let second =
            "TypeError: cannot read 'id' of undefined at C:\\w\\src\\user.ts:9:12 (0x00ff12)";
        assert_eq!(error_key(first), error_key(second));
        assert_ne!(error_key(first), error_key("TypeError: cannot read 'name' of undefined"));
    }

    #[test]
    fn similarity_supports_words_and_hangul() {
        let similarity_of = |a, b| similarity(&pieces(a), &pieces(b));
        assert!(similarity_of("Use PostgreSQL for storage", "use postgresql as the storage") > 0.9);
        assert!(similarity_of("인증은 JWT로 한다", "인증을 JWT로 합니다") > 0.3);
        assert!(similarity_of("인증은 JWT로 한다", "배포는 금요일에 한다") < 0.2);
        assert!(similarity_of("", "") < 0.1);
    }
}
