//! Prepares memories for search: extracts the terms of their texts, a vector of their meaning, and
//! the files that they name.

use super::dates;
use crate::kinds::{QUESTIONS, questions};
use crate::similarity::{Sketch, sketch_of};
use crate::types::Entry;
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms;
use serde_json::Value;
use std::collections::BTreeSet;

/// Version of term splitting and vectors, in addition to the name of the vector table. Increase it
/// with every change to the result of [`PreparedMemory::from_entry`], or to the keys of topics and
/// duplicates: memories that were prepared with another scheme are prepared again.
pub(crate) const SCHEME: i64 = 6;

/// The texts of a memory, and the weight of a term in each. The weights were tuned on the tuning
/// half of `tests/retrieval`.
pub(crate) const COLUMNS: [(&str, f32); 4] =
    [("topic", 4.0), ("title", 2.0), ("body", 1.0), ("rest", 1.5)];

/// Maximum number of bytes of a text from which its vector is computed: more text would hardly
/// change the vector.
pub(super) const VECTOR_BYTES: usize = 4096;

/// Metadata fields that name files.
const FILE_FIELDS: [&str; 4] = ["files", "filesRead", "filesModified", "openFiles"];
/// Metadata fields with times and numbers instead of text.
const NUMBER_FIELDS: [&str; 5] =
    ["outcomeAt", "lastSeenAt", "occurrences", "confidence", "discoveryTokens"];

/// A memory prepared for search.
#[derive(Clone, Debug)]
pub(crate) struct PreparedMemory {
    /// The terms of each of [`COLUMNS`], separated by spaces.
    pub(crate) columns: [String; COLUMNS.len()],
    /// Embedding vector of the texts.
    pub(crate) vector: Vector,
    /// The files that the memory names, with `/` as separator.
    pub(crate) files: Vec<String>,
    /// Number of terms. The terms of its questions are not counted: a memory with questions is as
    /// likely to match as the same memory without.
    pub(crate) length: u32,
    /// Whether the text ends with a question.
    pub(crate) is_question: bool,
    /// Sketch for finding memories with similar content.
    pub(crate) sketch: Sketch,
}

impl PreparedMemory {
    /// Prepares a memory for search.
    pub(crate) fn from_entry(entry: &Entry) -> Self {
        let (title, body) = split(&entry.content);
        let topic = entry.topic.as_deref().unwrap_or_default();
        let mut files = Files::default();
        let mut reported = String::new();
        for name in FILE_FIELDS {
            let field = entry.metadata.get(name);
            field.into_iter().for_each(|value| for_each_text(value, &mut |file| files.add(file)));
        }
        for_each_metadata_text(entry, &mut |text| {
            reported.push('\n');
            reported.push_str(text);
        });
        files.add_mentioned(&entry.content);
        files.add_mentioned(&reported);
        let rest = origin_text(entry, &files.named);
        let about = [topic, "\n", title, "\n", body, &reported].concat();
        let mut about = truncate(&about, VECTOR_BYTES).to_owned();
        let mut columns = [
            joined_terms(topic),
            joined_terms(title),
            joined_terms(&[body, &reported].concat()),
            joined_terms(&rest),
        ];
        let length = count_terms(&columns);
        let [_, _, body_terms, _] = &mut columns;
        for question in questions(&entry.metadata) {
            about.extend(["\n", question]);
            body_terms.extend([" ", &joined_terms(question)]);
        }
        Self {
            columns,
            vector: Table::shipped().vector(&about),
            length,
            files: files.all.into_iter().collect(),
            is_question: ends_with_question(&entry.content),
            sketch: sketch_of(entry.kind, &entry.content),
        }
    }
}

fn count_terms(columns: &[String]) -> u32 {
    let count: usize = columns.iter().map(|text| text.split_ascii_whitespace().count()).sum();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The texts of a memory that are compared by meaning, part by part.
#[derive(Debug, Default)]
pub(super) struct ComparedTexts {
    /// Topic, content and the texts of the metadata, each on lines of its own.
    pub(super) text: String,
    /// The questions that the memory answers.
    pub(super) questions: Vec<String>,
}

impl ComparedTexts {
    /// The texts of a memory.
    pub(super) fn from_entry(entry: &Entry) -> Self {
        let questions = questions(&entry.metadata).map(str::to_owned).collect();
        Self { text: described_text(entry), questions }
    }
}

fn described_text(entry: &Entry) -> String {
    let mut text = entry.topic.clone().unwrap_or_default();
    text.push('\n');
    text.push_str(&entry.content);
    for_each_metadata_text(entry, &mut |own| {
        text.push('\n');
        text.push_str(own);
    });
    text.truncate(text.floor_char_boundary(VECTOR_BYTES));
    text
}

/// Whether the last sentence of a text is a question.
fn ends_with_question(text: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || "\"'”’»」』)]*".contains(c);
    text.trim_end_matches(is_end).ends_with(['?', '？', '؟'])
}

/// Splits `content` into the first non-empty line and the rest.
pub(super) fn split(content: &str) -> (&str, &str) {
    let content = content.trim_start();
    content.split_once('\n').unwrap_or((content, ""))
}

/// The first bytes of a text, at most `bytes`.
pub(super) fn truncate(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Calls `visit` with each text in the metadata, ordered by field name; fields of files and numbers,
/// and the questions that the memory answers, are skipped.
pub(super) fn for_each_metadata_text<'a>(entry: &'a Entry, visit: &mut dyn FnMut(&'a str)) {
    let mut fields: Vec<(&String, &Value)> = entry.metadata.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    for (name, value) in fields {
        let is_skipped =
            name == QUESTIONS || FILE_FIELDS.contains(&&**name) || NUMBER_FIELDS.contains(&&**name);
        if !is_skipped {
            for_each_text(value, visit);
        }
    }
}

/// Calls `visit` with each string in a value.
fn for_each_text<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, visit)),
        Value::Object(map) => map.values().for_each(|item| for_each_text(item, visit)),
        _ => {}
    }
}

/// Describes the origin of a memory for the search: its files, type, branch, session and date.
fn origin_text(entry: &Entry, files: &[String]) -> String {
    let mut rest = files.join(" ");
    for word in [Some(entry.kind.word()), entry.branch.as_deref(), entry.session_id.as_deref()] {
        rest.push(' ');
        rest.push_str(word.unwrap_or_default());
    }
    rest.push(' ');
    rest.push_str(&dates::date_words(entry.created_at));
    rest
}

fn joined_terms(text: &str) -> String {
    let mut joined = String::new();
    terms::for_each_term(text, &mut |term| {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(term);
    });
    joined
}

/// The files that a memory names.
#[derive(Default)]
struct Files {
    /// The names in file fields, unchanged.
    named: Vec<String>,
    /// The names in file fields and in texts, normalised.
    all: BTreeSet<String>,
}

impl Files {
    fn add(&mut self, file: &str) {
        self.named.push(file.to_owned());
        self.all.insert(normalise_path(file));
    }

    fn add_mentioned(&mut self, text: &str) {
        let is_separator = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|=".contains(c);
        for word in text.split(is_separator) {
            // Removes a line number, and the punctuation at the end of a sentence.
            let word = word.split(':').next().unwrap_or(word).trim_end_matches(['.', '!', '?']);
            if looks_like_a_file(word) {
                self.all.insert(normalise_path(word));
            }
        }
    }
}

/// Whether the last part of `word` has an extension of at most five letters or digits, starting
/// with a letter.
pub(super) fn looks_like_a_file(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    (1..=5).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (word.len() > name.len() || stem.chars().filter(|c| c.is_alphanumeric()).count() > 1)
}

/// Normalises a path: `/` as separator, without a leading `./`.
pub(super) fn normalise_path(file: &str) -> String {
    let file = file.trim().replace('\\', "/");
    file.trim_start_matches("./").trim_end_matches('/').to_owned()
}

/// Whether `file`, a file that a memory names, matches the requested file or directory; both paths
/// are normalised. The components of `requested` must be contained in `file`. If `file` has a
/// directory, `requested` can also end with `file`.
pub(super) fn matches_file(file: &str, requested: &str) -> bool {
    let contains = |long: &str, short: &str| {
        let at = long.find(short);
        at.is_some_and(|_| format!("/{long}/").contains(&format!("/{short}/")))
    };
    contains(file, requested)
        || file.contains('/') && format!("/{requested}").ends_with(&format!("/{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Kind, Layer, Status};
    use serde_json::json;

    fn entry() -> Entry {
        serde_json::from_value(json!({
            "id": "mistake_1_a", "type": Kind::Mistake, "layer": Layer::Permanent,
            "topic": "Auth", "content": "\nTokens leak\nsee `src/log.rs:41`, e.g. v1.2 and .env",
            "metadata": {"fix": "mask them", "occurrences": 3, "files": ["src\\auth\\Token.ts"]},
            "status": Status::Active, "branch": "fix/leak", "sessionId": "session_7",
            "createdAt": 1_766_137_513_000_i64, "updatedAt": 1, "schemaVersion": 1
        }))
        .expect("an entry")
    }

    #[test]
    fn terms_are_extracted_from_each_part_of_a_memory() {
        let prepared = PreparedMemory::from_entry(&entry());
        assert_eq!(prepared.columns[0], "auth");
        assert_eq!(prepared.columns[1], "token leak");
        assert_eq!(prepared.columns[2], "see src log rs 41 e g v1 2 env mask");
        assert_eq!(
            prepared.columns[3],
            "src auth token ts mistak fix leak session 7 2025 12 19 19 decemb 2025"
        );
        assert_eq!(prepared.files, ["src/auth/Token.ts", "src/log.rs"]);
        assert!(!prepared.vector.is_empty());
    }

    #[test]
    fn questions_are_recognized_by_their_last_sentence() {
        for (text, expected) in [
            ("Bo: How many rows?", true),
            ("\"Is it on?\" ", true),
            ("몇 개나 남았나요？", true),
            ("How many? Twelve.", false),
            ("see /search?q=1", false),
            ("", false),
        ] {
            assert_eq!(ends_with_question(text), expected, "{text}");
        }
    }

    #[test]
    fn files_are_found_by_a_part_of_their_path() {
        for (own, requested, expected) in [
            ("src/auth/token.ts", "src/auth/token.ts", true),
            ("src/auth/token.ts", "token.ts", true),
            ("src/auth/token.ts", "src/auth", true),
            ("src/auth/token.ts", "ken.ts", false),
            ("src/auth/token.ts", "home/me/shop/src/auth/token.ts", true),
            ("mod.rs", "src/auth/mod.rs", false),
            ("src/auth/token.ts", "src/other/token.ts", false),
        ] {
            assert_eq!(matches_file(own, requested), expected, "{own} {requested}");
        }
    }
}
