//! The gate that every write passes: it replaces private text and secrets with `[REDACTED]`.
//!
//! Everything written to disk is a [`Clean`] value, which only [`Gate::clean`] creates; a clean
//! revision also gives the line and the memory that it describes.

use aidd_engine::check::secrets::REDACTED;
use aidd_engine::check::{Distribution, Engine};
use aidd_engine::text::files::Memory as NoFiles;
use aidd_engine::text::source::{Source, Span};
use regex::Regex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::ops::Deref;
use std::sync::LazyLock;

use super::MemoryError;
use super::log::{self, FoldedMemory, Revision};
use super::store::MirroredLine;
use super::types::{Entry, Link};

/// A value without private text and secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct Clean<T>(T);

impl<T> Deref for Clean<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clean<T> {
    /// Unwraps the value.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Clean<Revision> {
    /// Sets the hash of the revision.
    #[must_use]
    pub fn with_rev(self) -> Self {
        Self(self.0.with_rev())
    }

    /// The revision with other parents and another time of creation, which are hashes and a time.
    pub(super) fn following(self, parents: Vec<String>, created_at: Option<i64>) -> Self {
        Self(Revision { parents, created_at, ..self.0 }.with_rev())
    }

    /// The line as it is mirrored in the store; `file` is its name there.
    pub(super) fn mirrored(self, file: &str) -> Clean<MirroredLine> {
        Clean(MirroredLine { file: file.to_owned(), present: true, line: self.0 })
    }

    /// The state and the links of a memory with no other revision; `None` if the revision does not
    /// set them.
    pub(super) fn folded(&self) -> Option<(Clean<Entry>, Clean<Vec<Link>>)> {
        let FoldedMemory { entry, links } = log::fold(std::slice::from_ref(&self.0))?;
        Some((Clean(entry), Clean(links)))
    }
}

/// An opening or closing `private` tag, in upper or lower case. The tag can have attributes, lack
/// the final `>` at the end of the text, or use character entities for `<` and `>`.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:<|&lt;|\\u003c)\s*(/?)\s*private(?:\s[^<>]*?)?(?:/?\s*(?:>|&gt;|\\u003e)|$)",
    )
    .expect("a fixed pattern")
});

/// Removes the text that memories must not contain. The gate uses all shipped secrets rules, even
/// rules that the project disables or whose findings it allows: a secret that a file is allowed to
/// contain must still not be copied.
#[derive(Clone, Copy, Debug)]
pub struct Gate(&'static Distribution);

impl Gate {
    /// Creates a gate with the shipped rules of `distribution`.
    #[must_use]
    pub fn new(distribution: &'static Distribution) -> Self {
        Self(distribution)
    }

    /// The shipped rules and validators.
    #[must_use]
    pub fn distribution(&self) -> &'static Distribution {
        self.0
    }

    fn rules(&self) -> Result<&'static Engine, MemoryError> {
        let engine = self.0.secrets_engine();
        let engine = engine.map_err(|error| MemoryError::Invalid(error.to_string()))?;
        // Without these rules every secret would pass.
        if engine.registry().rules().is_empty() {
            return Err(MemoryError::Invalid(
                "the program was built without secrets rules".to_owned(),
            ));
        }
        Ok(engine)
    }

    /// Replaces every private or secret part of every string in `value`.
    ///
    /// # Errors
    /// When the result is not a valid `T`, because a secret was in a field with fixed values, or
    /// when the shipped rules cannot be used; a test ensures that they can be used.
    pub fn clean<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> Result<Clean<T>, MemoryError> {
        let mut json = serde_json::to_value(value)?;
        if !self.clean_json(&mut json)? {
            // Nothing was replaced. The value is still parsed from the checked JSON, so that
            // exactly the checked text is stored.
            return Ok(Clean(serde_json::from_value(json)?));
        }
        serde_json::from_value(json).map(Clean).map_err(|_| {
            MemoryError::Invalid(
                "a field that accepts only fixed values contains a secret; use one of the values"
                    .to_owned(),
            )
        })
    }

    /// Replaces private text and secrets in place; returns whether anything changed.
    fn clean_json(&self, value: &mut Value) -> Result<bool, MemoryError> {
        let changed = redact_private(value);
        Ok(self.redact_secrets(value)? || changed)
    }

    /// Replaces secrets. All strings are checked as one file, with values next to their keys,
    /// because secrets rules also match the names of values.
    fn redact_secrets(&self, value: &mut Value) -> Result<bool, MemoryError> {
        let mut checked = CheckedText::default();
        checked.add("", value);
        if checked.text.is_empty() {
            return Ok(false);
        }
        let source = Source::new("memory", checked.text);
        let secrets = self.rules()?.check(&source, &NoFiles::default()).secrets;
        if secrets.is_empty() {
            return Ok(false);
        }
        let mut spans = checked.spans.into_iter();
        replace_secrets(value, &mut spans, &secrets);
        Ok(true)
    }
}

/// The strings of a value as one text, with the position of each string.
#[derive(Default)]
struct CheckedText {
    text: String,
    spans: Vec<Span>,
}

impl CheckedText {
    /// Adds the keys and strings of a value, in the order in which [`replace_secrets`] visits them.
    fn add(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) => self.add_line(key, text),
            Value::Array(items) => items.iter().for_each(|item| self.add(key, item)),
            Value::Object(map) => {
                for (name, inner) in map {
                    self.add_line("", name);
                    self.add(name, inner);
                }
            }
            _ => {}
        }
    }

    fn add_line(&mut self, key: &str, text: &str) {
        // Rules that match names require a quoted value; longer texts are added unchanged.
        let is_value = !key.is_empty() && !text.contains(['"', '\n', ' ']);
        if is_value {
            self.text.push_str(key);
            self.text.push_str(" = \"");
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.spans.push(Span::new(start, self.text.len()));
        self.text.push_str(if is_value { "\"\n" } else { "\n" });
    }
}

fn replace_secrets(value: &mut Value, spans: &mut impl Iterator<Item = Span>, secrets: &[Span]) {
    match value {
        Value::String(text) => {
            if let Some(clean) = spans.next().and_then(|span| redacted(text, span, secrets)) {
                *text = clean;
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| replace_secrets(item, spans, secrets));
        }
        Value::Object(map) => {
            let old = std::mem::take(map);
            for (mut name, mut inner) in old {
                if let Some(clean) = spans.next().and_then(|span| redacted(&name, span, secrets)) {
                    name = clean;
                }
                replace_secrets(&mut inner, spans, secrets);
                insert(map, name, inner);
            }
        }
        _ => {}
    }
}

/// Inserts a field. A key that already exists gets a number, so that keys that differed only by a
/// secret remain distinct.
fn insert(map: &mut Map<String, Value>, name: String, inner: Value) {
    if !map.contains_key(&name) {
        map.insert(name, inner);
        return;
    }
    let mut key = format!("{name} 2");
    let mut count = 3;
    while map.contains_key(&key) {
        key = format!("{name} {count}");
        count += 1;
    }
    map.insert(key, inner);
}

/// Redacts the parts of `text`, which is located at `span`, that the ordered `secrets` cover;
/// `None` if they cover no part.
fn redacted(text: &str, span: Span, secrets: &[Span]) -> Option<String> {
    let first = secrets.partition_point(|secret| secret.end <= span.start);
    let mut clean = String::new();
    let mut copied_end = 0;
    for secret in secrets[first..].iter().take_while(|secret| secret.start < span.end) {
        let start = secret.start.saturating_sub(span.start) as usize;
        let end = (secret.end.min(span.end) - span.start) as usize;
        clean.push_str(text.get(copied_end..start).unwrap_or_default());
        clean.push_str(REDACTED);
        copied_end = end;
    }
    (copied_end > 0).then(|| clean + text.get(copied_end..).unwrap_or_default())
}

/// Removes private text from every string; an open tag extends through the strings of a list.
fn redact_private(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let mut depth = 0;
            remove_private(text, &mut depth)
        }
        Value::Array(items) => {
            let mut depth = 0;
            let mut changed = false;
            for item in items {
                changed |= match item {
                    Value::String(text) => remove_private(text, &mut depth),
                    other => redact_private(other),
                };
            }
            changed
        }
        Value::Object(map) => {
            let mut changed = false;
            if map.keys().any(|key| contains_tag_word(key) && TAG.is_match(key)) {
                for (mut key, inner) in std::mem::take(map) {
                    let mut depth = 0;
                    changed |= remove_private(&mut key, &mut depth);
                    insert(map, key, inner);
                }
            }
            for (_, inner) in map.iter_mut() {
                changed |= redact_private(inner);
            }
            changed
        }
        _ => false,
    }
}

/// Whether a text contains the word that every [`TAG`] contains.
fn contains_tag_word(text: &str) -> bool {
    const WORD: &[u8] = b"private";
    text.as_bytes().windows(WORD.len()).any(|part| part.eq_ignore_ascii_case(WORD))
}

/// Removes private text from `text`, which starts at nesting level `depth`, and updates `depth`. If
/// a closing tag has no opening tag, all text before it is removed: removing too much is better
/// than storing half of a private text.
fn remove_private(text: &mut String, depth: &mut usize) -> bool {
    // Most texts contain no tag, so most processes never compile the expression.
    if *depth == 0 && !(contains_tag_word(text) && TAG.is_match(text)) {
        return false;
    }
    let mut clean = String::new();
    let mut copied_end = 0;
    for tag in TAG.captures_iter(text) {
        let (Some(tag_match), closes) =
            (tag.get(0), tag.get(1).is_some_and(|slash| !slash.is_empty()))
        else {
            continue;
        };
        match (*depth, closes) {
            (0, true) => REDACTED.clone_into(&mut clean),
            (0, false) => {
                clean.push_str(&text[copied_end..tag_match.start()]);
                *depth = 1;
            }
            (1, true) => {
                clean.push_str(REDACTED);
                *depth = 0;
            }
            (_, true) => *depth -= 1,
            (_, false) => *depth += 1,
        }
        copied_end = tag_match.end();
    }
    if *depth > 0 {
        clean.push_str(REDACTED);
    } else {
        clean.push_str(&text[copied_end..]);
    }
    *text = clean;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn gate(value: &Value) -> Value {
        Gate::new(&crate::DISTRIBUTION).clean(value).expect("clean").into_inner()
    }

    /// Assembled at run time, so that no file contains a complete token.
    fn token() -> String {
        format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")
    }

    #[test]
    fn private_text_is_removed_in_every_notation() {
        for (text, expected) in [
            ("a <private>b</private> c", "a [REDACTED] c"),
            ("a <PRIVATE>b</Private> c <private>d</private>", "a [REDACTED] c [REDACTED]"),
            ("a <private>b <private>c</private> d</private> e", "a [REDACTED] e"),
            ("a <private>b", "a [REDACTED]"),
            ("a <private>b <private>c</private> d", "a [REDACTED]"),
            ("a <private reason=\"x\">b</private> c", "a [REDACTED] c"),
            ("a < private >b< / private > c", "a [REDACTED] c"),
            ("a &lt;private&gt;b&lt;/private&gt; c", "a [REDACTED] c"),
            ("b</private> c", "[REDACTED] c"),
            ("a <private", "a [REDACTED]"),
            ("<private></private>", "[REDACTED]"),
            (
                "a privateer <privateer> keeps </privateer>",
                "a privateer <privateer> keeps </privateer>",
            ),
        ] {
            assert_eq!(gate(&json!(text)), json!(expected), "{text}");
        }
    }

    #[test]
    fn an_open_tag_extends_through_a_list() {
        let list = json!(["a", "b <private>c", "d", "e</private> f", "g"]);
        assert_eq!(gate(&list), json!(["a", "b [REDACTED]", "[REDACTED]", "[REDACTED] f", "g"]));
    }

    #[test]
    fn secrets_are_removed_everywhere() {
        let token = token();
        let value = json!({
            "content": format!("we use {token} to deploy"),
            "list": ["fine", {"deep": [format!("{token}")]}],
            format!("key {token}"): 1,
            "allowed": format!("{token} # aidd:allow secrets/github-token test"),
            "count": 3,
        });
        let clean = gate(&value);
        assert!(!clean.to_string().contains("ghp_"), "{clean}");
        assert_eq!(clean["content"], "we use [REDACTED] to deploy");
        assert_eq!(clean["list"][0], "fine");
        assert_eq!(clean["key [REDACTED]"], 1);
        assert_eq!(clean["count"], 3);
    }

    #[test]
    fn a_key_identifies_the_secret_in_its_value() {
        let password = format!("{}-{}", "xK9vQ2", "pL7wRz4T");
        let clean = gate(&json!({"env": {"password": password, "DB_PASSWORD": password}}));
        assert_eq!(clean["env"]["password"], REDACTED, "{clean}");
        assert_eq!(clean["env"]["DB_PASSWORD"], REDACTED, "{clean}");
    }

    #[test]
    fn a_key_of_several_lines_is_removed_completely() {
        let body = "MIIEowIBAAKCAQEAx4UbaDzY5xjW6hc9jwN0mX33XpTDVW8QqNnRm2tFcH7o5rKz\n".repeat(8);
        let (begin, end) = ("-----BEGIN RSA PRIVATE", "-----END RSA PRIVATE");
        let clean =
            gate(&json!({"narrative": format!("so:\n{begin} KEY-----\n{body}{end} KEY-----\n")}));
        assert!(!clean.to_string().contains("MIIEow"), "{clean}");
    }

    #[test]
    fn ordinary_words_and_ids_are_unchanged() {
        let value = json!({
            "id": "decision_1763800000000_a1b2c3d4e5f6",
            "rev": "0123456789ab",
            "content": "Passwords are hashed with Argon2id; tokens live for 15 minutes. 인증은 JWT로",
            "url": "https://example.org/docs?page=2",
        });
        assert_eq!(gate(&value), value);
    }
}
