//! Stems English words: M. F. Porter, "An algorithm for suffix stripping" (1980), as implemented by
//! SQLite's `porter` tokenizer. It is implemented here because both stores must produce the same
//! terms.

/// Lengths in bytes of the words that are stemmed.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Suffixes and their replacements when the part before them has a measure above 0.
const DERIVED: [&[(&str, &str)]; 2] = [
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
const RESIDUES: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// Stems `word`, which must be in lower case. Words that are not ASCII are not changed.
pub(super) fn stem(word: &mut String) {
    if !word.is_ascii() || !LENGTHS.contains(&word.len()) {
        return;
    }
    plural(word);
    past(word);
    if let Some(head) = word.strip_suffix('y').filter(|head| has_vowel(head)) {
        replace(word, head.len(), "i");
    }
    for endings in DERIVED {
        derived(word, endings);
    }
    residue(word);
    tidy(word);
}

fn replace(word: &mut String, keep: usize, with: &str) {
    word.truncate(keep);
    word.push_str(with);
}

/// Whether each letter is a consonant: `y` is a consonant at the start and after a vowel.
fn consonants(part: &str) -> impl Iterator<Item = bool> {
    let mut before = false;
    part.bytes().map(move |byte| {
        before = match byte {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !before,
            _ => true,
        };
        before
    })
}

fn has_vowel(part: &str) -> bool {
    let vowel =
        |(at, byte)| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') || byte == b'y' && at > 0;
    part.bytes().enumerate().any(vowel)
}

/// The measure of Porter's algorithm: the number of transitions from vowels to consonants.
fn measure(part: &str) -> usize {
    let mut before = true;
    let turns = consonants(part).filter(|&consonant| {
        let turn = consonant && !before;
        before = consonant;
        turn
    });
    turns.count()
}

/// Whether it ends in consonant, vowel, consonant, where the last is not w, x or y.
fn ends_short(part: &str) -> bool {
    let kinds: Vec<bool> = consonants(part).collect();
    kinds.ends_with(&[true, false, true]) && !part.ends_with(['w', 'x', 'y'])
}

/// Step 1a.
fn plural(word: &mut String) {
    if !word.ends_with('s') || word.ends_with("ss") {
        return;
    }
    let is_long =
        word.ends_with("sses") && word.len() > 4 || word.ends_with("ies") && word.len() > 3;
    word.truncate(word.len() - if is_long { 2 } else { 1 });
}

/// The part of `word` before a suffix, unless it is empty.
fn before<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    word.strip_suffix(ending).filter(|head| !head.is_empty())
}

/// Step 1b.
fn past(word: &mut String) {
    if let Some(head) = before(word, "eed") {
        if measure(head) > 0 {
            word.pop();
        }
        return;
    }
    let head = before(word, "ed").or_else(|| before(word, "ing"));
    let Some(keep) = head.filter(|head| has_vowel(head)).map(str::len) else { return };
    word.truncate(keep);
    let mut end = word.bytes().rev();
    let (last, second) = (end.next(), end.next());
    let doubled = last == second && consonant_doubles(last);
    if ["at", "bl", "iz"].iter().any(|ending| before(word, ending).is_some()) {
        word.push('e');
    } else if doubled {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

fn consonant_doubles(last: Option<u8>) -> bool {
    !matches!(last, None | Some(b'a' | b'e' | b'i' | b'o' | b'u' | b'l' | b's' | b'z'))
}

/// Steps 2 and 3: the first matching suffix decides.
fn derived(word: &mut String, endings: &[(&str, &str)]) {
    let fitting = endings.iter().find_map(|(ending, with)| Some((before(word, ending)?, with)));
    if let Some((head, with)) = fitting.filter(|(head, _)| measure(head) > 0) {
        let keep = head.len();
        replace(word, keep, with);
    }
}

/// Step 4.
fn residue(word: &mut String) {
    let fitting = RESIDUES.iter().find_map(|ending| Some((before(word, ending)?, *ending)));
    let Some((head, ending)) = fitting else { return };
    if measure(head) > 1 && (ending != "ion" || head.ends_with(['s', 't'])) {
        let keep = head.len();
        word.truncate(keep);
    }
}

/// Step 5.
fn tidy(word: &mut String) {
    if let Some(head) = word.strip_suffix('e') {
        let measure = measure(head);
        if measure > 1 || measure == 1 && !ends_short(head) {
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
    fn words_are_cut_as_sqlite_cuts_them() {
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
        let mut theirs = vec![String::new(); words.len()];
        let mut select = db.prepare("SELECT doc, term FROM v").expect("a query");
        let mut rows = select.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let at: usize = row.get::<_, i64>(0).expect("a number").try_into().expect("a row");
            theirs[at] = row.get(1).expect("a term");
        }
        for (word, theirs) in words.iter().zip(theirs) {
            let mut ours = (*word).to_owned();
            stem(&mut ours);
            assert_eq!(ours, theirs, "{word}");
        }
    }

    #[test]
    fn other_words_stay() {
        for word in ["as", "인증은", "menüs", &"s".repeat(65)] {
            let mut own = word.to_owned();
            stem(&mut own);
            assert_eq!(own, word);
        }
    }
}
