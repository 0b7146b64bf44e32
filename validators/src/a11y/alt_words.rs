//! Whether the words of an alternative text name the element instead of what it shows.

/// A word of a text.
#[derive(Debug)]
enum Word {
    /// In lower case, without punctuation around it.
    Text(String),
    /// A part that the program inserts.
    Inserted { is_name: bool },
}

impl Word {
    fn is(&self, kind: &str) -> bool {
        matches!(self, Self::Text(text) if is_listed(kind, text))
    }
}

/// Whether the list of this kind contains the word.
fn is_listed(kind: &str, word: &str) -> bool {
    let lines = include_str!("image_words.txt").lines().filter_map(|line| line.split_once(' '));
    lines.filter(|&(found, _)| found == kind).any(|(_, list)| list.split(' ').any(|it| it == word))
}

/// How a text names the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// `Photo of …`: the word introduces what the image shows.
    Introduction,
    /// `… image`: the word only names the element.
    Other,
}

/// How a text names an image as one; `None` where the word is part of what the image shows, as in
/// `Photo editor` or `Woman with a photo`, or where this is unknown.
///
/// `text` is the text as far as the source shows it; `${…}` marks what the program inserts if the
/// text is a template.
pub(super) fn naming(text: &str, is_template: bool) -> Option<Naming> {
    /// Maximum number of words before the one that names the element.
    const MAX_BEFORE: usize = 4;
    let words = first_clause(text, is_template);
    let start = words.iter().position(|word| !word.is("opener"))?;
    let words = words.get(start..)?;
    let is_number = |word: &Word| matches!(word, Word::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()));
    let names_element = |&at: &usize| match words.get(at + 1..).unwrap_or_default() {
        [] => true,
        [only] if at == 0 && is_number(only) => true,
        // "Picture in picture".
        [next, other, ..] if other.is("image") => next.is("depiction"),
        [next, ..] => next.is("link"),
    };
    let mut images = (0..words.len()).filter(|&at| words.get(at).is_some_and(|it| it.is("image")));
    let at = images.find(names_element)?;
    let (before, after) = (words.get(..at)?, words.get(at + 1..)?);
    if before.len() > MAX_BEFORE || before.first().is_some_and(|word| word.is("action")) {
        return None;
    }
    // The object of a verb, or the kind of image, which the user wants to know.
    let is_part = |word: &Word| match word {
        Word::Inserted { is_name } => !is_name,
        Word::Text(text) => {
            let is_participle = text.len() > 4 && text.ends_with("ing") && !is_listed("noun", text);
            let is_other = ["inside", "kind", "state", "verb"].iter().any(|kind| word.is(kind));
            is_participle || is_other || !text.is_ascii()
        }
    };
    // "Man at picture".
    let is_object = before.last().is_some_and(|word| word.is("link"));
    if is_object || before.iter().any(is_part) {
        return None;
    }
    let is_introduction = after.first().is_some_and(|word| word.is("depiction"));
    Some(if is_introduction { Naming::Introduction } else { Naming::Other })
}

/// The words up to the first punctuation.
fn first_clause(text: &str, is_template: bool) -> Vec<Word> {
    /// Maximum number of words, so that long texts are checked in constant time.
    const MAX: usize = 16;
    let is_break = |c: char| matches!(c, ',' | ':' | ';' | '.' | '!' | '|' | '–' | '—' | '(');
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && words.len() < MAX {
        if is_template && let Some(code) = rest.strip_prefix("${") {
            let Some((code, after)) = code.split_once('}') else {
                words.push(Word::Inserted { is_name: false });
                break;
            };
            let name = code.trim().rsplit(['.', '?']).next().unwrap_or_default();
            let lower = name.to_ascii_lowercase();
            let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let is_name = is_word && (lower.ends_with("name") || lower.ends_with("title"));
            words.push(Word::Inserted { is_name });
            // The possessive of the inserted name.
            rest = after.strip_prefix("'s").or_else(|| after.strip_prefix("’s")).unwrap_or(after);
            // Something else is joined to the inserted part, or the code contains a brace.
            if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
                if !rest.starts_with(is_break) {
                    words.push(Word::Inserted { is_name: false });
                }
                break;
            }
            rest = rest.trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let inserted = if is_template { rest.find("${") } else { None };
        // A word that is joined to an inserted part is unknown.
        if inserted.is_some_and(|at| at < end) {
            words.push(Word::Inserted { is_name: false });
            break;
        }
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        if matches!(word, "-" | "·" | "•") || word.starts_with(is_break) {
            break;
        }
        let stripped = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '&' && c != '+');
        if stripped.is_empty() {
            break;
        }
        words.push(Word::Text(stripped.to_lowercase().replace('’', "'")));
        if word.ends_with(is_break) {
            break;
        }
    }
    words
}
