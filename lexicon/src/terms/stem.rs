//! Stems English words: M. F. Porter, "An algorithm for suffix stripping" (1980), as implemented by
//! SQLite's `porter` tokenizer. It is implemented here because both stores must produce the same
//! terms.

/// The lengths, in bytes, of words that are stemmed.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Suffixes and their replacements when the part before them has a measure above 0.
const DERIVED_SUFFIXES: [&[(&str, &str)]; 2] = [
    &[
        ("ational", "ate"),
        ("tional", "tion"),
        ("enci", "ence"),
        ("anci", "ance"),
        ("izer", "ize"),
        ("logi", "log"),
        ("bli", "ble"),
        ("alli", "al"),
        ("entli", "ent"),
        ("eli", "e"),
        ("ousli", "ous"),
        ("ization", "ize"),
        ("ation", "ate"),
        ("ator", "ate"),
        ("alism", "al"),
        ("iveness", "ive"),
        ("fulness", "ful"),
        ("ousness", "ous"),
        ("aliti", "al"),
        ("iviti", "ive"),
        ("biliti", "ble"),
    ],
    &[
        ("icate", "ic"),
        ("ative", ""),
        ("alize", "al"),
        ("iciti", "ic"),
        ("ical", "ic"),
        ("ful", ""),
        ("ness", ""),
    ],
];

/// Suffixes that are removed when the part before them has a measure above 1.
const RESIDUAL_SUFFIXES: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// Stems `word`, which must be in lower case. Words that are not ASCII are not changed.
pub(super) fn stem(word: &mut String) {
    if !word.is_ascii() || !LENGTHS.contains(&word.len()) {
        return;
    }
    remove_plural(word);
    remove_past(word);
    if let Some(head) = word.strip_suffix('y').filter(|head| has_vowel(head)) {
        replace_from(word, head.len(), "i");
    }
    for suffixes in DERIVED_SUFFIXES {
        replace_suffix(word, suffixes);
    }
    remove_suffix(word);
    tidy_end(word);
}

fn replace_from(word: &mut String, start: usize, replacement: &str) {
    word.truncate(start);
    word.push_str(replacement);
}

/// Returns for each letter whether it is a consonant: `y` is a consonant at the start and after a
/// vowel.
fn consonants(part: &str) -> impl Iterator<Item = bool> {
    let mut is_consonant = false;
    part.bytes().map(move |byte| {
        is_consonant = match byte {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !is_consonant,
            _ => true,
        };
        is_consonant
    })
}

fn has_vowel(part: &str) -> bool {
    let vowel =
        |(at, byte)| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') || byte == b'y' && at > 0;
    part.bytes().enumerate().any(vowel)
}

/// The measure of Porter's algorithm: the number of transitions from vowels to consonants.
fn measure(part: &str) -> usize {
    let mut after_consonant = true;
    let transitions = consonants(part).filter(|&consonant| {
        let is_transition = consonant && !after_consonant;
        after_consonant = consonant;
        is_transition
    });
    transitions.count()
}

/// Whether `part` ends in consonant, vowel, consonant, where the last letter is not w, x or y.
fn ends_in_short_syllable(part: &str) -> bool {
    let is_consonant: Vec<bool> = consonants(part).collect();
    is_consonant.ends_with(&[true, false, true]) && !part.ends_with(['w', 'x', 'y'])
}

/// Step 1a of the algorithm.
fn remove_plural(word: &mut String) {
    if !word.ends_with('s') || word.ends_with("ss") {
        return;
    }
    let is_long =
        word.ends_with("sses") && word.len() > 4 || word.ends_with("ies") && word.len() > 3;
    word.truncate(word.len() - if is_long { 2 } else { 1 });
}

/// The part of `word` before a suffix, unless it is empty.
fn part_before<'a>(word: &'a str, suffix: &str) -> Option<&'a str> {
    word.strip_suffix(suffix).filter(|head| !head.is_empty())
}

/// Step 1b of the algorithm.
fn remove_past(word: &mut String) {
    if let Some(head) = part_before(word, "eed") {
        if measure(head) > 0 {
            word.pop();
        }
        return;
    }
    let head = part_before(word, "ed").or_else(|| part_before(word, "ing"));
    let Some(keep) = head.filter(|head| has_vowel(head)).map(str::len) else { return };
    word.truncate(keep);
    let mut end = word.bytes().rev();
    let (last, second) = (end.next(), end.next());
    let is_double = last == second && is_undoubled(last);
    if ["at", "bl", "iz"].iter().any(|suffix| part_before(word, suffix).is_some()) {
        word.push('e');
    } else if is_double {
        word.pop();
    } else if measure(word) == 1 && ends_in_short_syllable(word) {
        word.push('e');
    }
}

/// Whether one of two equal letters at the end is removed.
fn is_undoubled(last: Option<u8>) -> bool {
    !matches!(last, None | Some(b'a' | b'e' | b'i' | b'o' | b'u' | b'l' | b's' | b'z'))
}

/// Steps 2 and 3 of the algorithm: only the first matching suffix is replaced.
fn replace_suffix(word: &mut String, suffixes: &[(&str, &str)]) {
    let matching = suffixes
        .iter()
        .find_map(|(suffix, replacement)| Some((part_before(word, suffix)?, replacement)));
    if let Some((head, replacement)) = matching.filter(|(head, _)| measure(head) > 0) {
        let start = head.len();
        replace_from(word, start, replacement);
    }
}

/// Step 4 of the algorithm.
fn remove_suffix(word: &mut String) {
    let matching =
        RESIDUAL_SUFFIXES.iter().find_map(|suffix| Some((part_before(word, suffix)?, *suffix)));
    let Some((head, suffix)) = matching else { return };
    if measure(head) > 1 && (suffix != "ion" || head.ends_with(['s', 't'])) {
        let keep = head.len();
        word.truncate(keep);
    }
}

/// Step 5 of the algorithm.
fn tidy_end(word: &mut String) {
    if let Some(head) = word.strip_suffix('e') {
        let measure = measure(head);
        if measure > 1 || measure == 1 && !ends_in_short_syllable(head) {
            word.pop();
        }
    }
    if word.strip_suffix('l').is_some_and(|head| head.ends_with('l') && measure(head) > 1) {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use std::collections::BTreeSet;

    #[test]
    fn words_are_stemmed_as_by_sqlite() {
        let mut text = include_str!("../../../tests/retrieval/memories.jsonl").to_lowercase();
        text += &include_str!("../../../lexicon/embedding/README.md").to_lowercase();
        text += " yes yeses by say saying flies dies ties sses ies es s agreed feed bled sing sky
            caresses ponies relational conditional rational valenci hesitanci digitizer analogi
            conformabli radicalli differentli vileli analogousli vietnamization predication
            operator feudalism decisiveness hopefulness callousness formaliti sensitiviti
            sensibiliti triplicate formative formalize electriciti electrical hopeful goodness
            revival allowance inference airliner gyroscopic adjustable defensible irritant
            replacement adjustment dependent adoption homologou communism activate angulariti
            homologous effective bowdlerize probate rate cease controll roll hopping tanned
            falling hissing fizzed failing filing sized troubling conflated e2e aes yyy by9ed";
        let words: BTreeSet<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        assert!(words.len() > 3500, "{} words", words.len());
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch(
            "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'porter ascii');
             CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);",
        )
        .expect("tables");
        for (at, word) in words.iter().enumerate() {
            let sql = "INSERT INTO t(rowid, x) VALUES (?1, ?2)";
            db.execute(sql, rusqlite::params![i64::try_from(at).expect("few"), word]).expect("row");
        }
        let mut expected = vec![String::new(); words.len()];
        let mut select = db.prepare("SELECT doc, term FROM v").expect("a query");
        let mut rows = select.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let at: usize = row.get::<_, i64>(0).expect("a number").try_into().expect("a row");
            expected[at] = row.get(1).expect("a term");
        }
        for (word, expected) in words.iter().zip(expected) {
            let mut actual = (*word).to_owned();
            stem(&mut actual);
            assert_eq!(actual, expected, "{word}");
        }
    }

    #[test]
    fn non_ascii_short_and_long_words_are_unchanged() {
        for word in ["as", "인증은", "menüs", &"s".repeat(65)] {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            assert_eq!(stemmed, word);
        }
    }
}
