//! Checks in memories: a convention or mistake whose metadata has a `check` is enforced like a rule
//! page. This module generates its page from the memory; the rest of the engine treats it like any
//! other page.
//!
//! `check` contains the keys of `check:` in a rule page, and values that a rule page has in other
//! places: `rule` (the second half of its id), `severity`, `message`, `help`, and `fails` and
//! `passes` (path → text). It is a single value, so that an edit or a merge replaces it as a whole.

mod error;
mod read;
#[cfg(test)]
mod tests;
mod text;

pub use error::CheckError;
pub use read::{MemoryChecks, read, read_all};

use crate::forms;
use crate::parse::lines::id;
use crate::parse::lines::types::{Entry, Kind};
use crate::rules::registry;
use crate::text::files::{Disk, Files, nested};
use crate::text::finding::Severity;
use crate::text::kind::MEMORY_DIR;
use crate::text::nearest::nearest;
use aidd_page::{self as page, CheckHeader, Form};
use serde_json::{Map, Value};

/// The metadata key of a memory's check.
pub const CHECK: &str = "check";
/// The key in a check for the second half of the rule id.
pub const RULE: &str = "rule";

/// The keys of a check that are not keys of a rule page's `check:`.
const MEMORY_KEYS: [&str; 6] = [RULE, "severity", "message", "help", "fails", "passes"];
/// Maximum size of a check as JSON, in bytes; all checks are read whenever a project is opened.
const MAX_CHECK_BYTES: usize = 32 << 10;
/// Maximum length of a generated rule name, in characters.
const MAX_NAME_CHARS: usize = 40;

/// A memory as a rule page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePage {
    /// The id of the memory.
    pub memory: String,
    /// The id of its rule: `convention/NAME` or `mistake/NAME`.
    pub rule: String,
    /// The tracked file that contains the memory, relative to the root.
    pub path: String,
    /// The text of the generated page.
    pub text: String,
}

/// The check of a memory that can have one; `None` if the memory has no check, or if the value is
/// null or `{}`, which removes the check.
#[must_use]
pub fn check_of(entry: &Entry) -> Option<&Value> {
    let can_have_check = matches!(entry.kind, Kind::Convention | Kind::Mistake);
    entry.metadata.get(CHECK).filter(|check| can_have_check && !is_none(check))
}

/// Whether the value of `check` means that there is no check.
#[must_use]
pub fn is_none(check: &Value) -> bool {
    check.is_null() || check.as_object().is_some_and(Map::is_empty)
}

/// The rule id of a memory with a check.
#[must_use]
pub fn rule_of(entry: &Entry) -> Option<String> {
    let explicit_name = check_of(entry)?.get(RULE).and_then(Value::as_str);
    let name = explicit_name.map_or_else(|| name_of(entry.kind, &entry.content), str::to_owned);
    Some(format!("{}/{name}", entry.kind))
}

/// Generates a rule name from the first words of a memory, or from the memory's hash if the words
/// are not in Latin script. The name is stored in the check when the check is saved, so that the
/// name survives edits of the text.
#[must_use]
pub fn name_of(kind: Kind, content: &str) -> String {
    let mut name = String::new();
    let line = content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        if !name.is_empty() && name.len() + 1 + word.len() > MAX_NAME_CHARS {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word.to_ascii_lowercase());
    }
    name.truncate(MAX_NAME_CHARS);
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    let ascii_letters = line.bytes().filter(u8::is_ascii_alphanumeric).count();
    // One or two Latin words in a Korean sentence do not make a useful name.
    if name.len() < 3 || ascii_letters * 2 < letters {
        return id::digest(&[kind.word(), content]);
    }
    name
}

/// The page of a memory with a well-formed check; `None` for a memory without a check.
///
/// # Errors
/// The check is not well-formed. Other problems are reported by [`validate`].
pub fn page_of(entry: &Entry) -> Option<Result<RulePage, CheckError>> {
    let check = check_of(entry)?;
    let rule = rule_of(entry)?;
    let file = entry.kind.file()?;
    let path = format!("{MEMORY_DIR}/{file}.jsonl");
    let text = CheckFields::read(check).map(|fields| text::page(entry, &rule, &fields));
    Some(text.map(|text| RulePage { memory: entry.id.clone(), rule, path, text }))
}

/// Checks whether the check of a memory can run, in the same way as the check of a rule page.
///
/// # Errors
/// The key that is invalid, and the remedy.
pub fn validate(entry: &Entry) -> Result<(), CheckError> {
    let Some(page) = page_of(entry) else { return Ok(()) };
    validate_page(&page?)
}

/// Like [`validate`], for the page.
///
/// # Errors
/// Like [`validate`].
pub fn validate_page(page: &RulePage) -> Result<(), CheckError> {
    validate_text(&page.path, &page.text)
}

/// Like [`validate_page`], for a page given by its path and text.
///
/// # Errors
/// Like [`validate`].
pub fn validate_text(path: &str, text: &str) -> Result<(), CheckError> {
    page::header(text).map_err(|error| CheckError::Header(header_message(&error, text)))?;
    let Some(rule) = registry::project_rule(path, text) else { return Ok(()) };
    let form = rule.check.as_ref().and_then(CheckHeader::form).map_or("", Form::key);
    match forms::problems(&rule) {
        problems if problems.is_empty() => Ok(()),
        problems => Err(CheckError::Form { form, problems }),
    }
}

/// The problems of the checks in the memory at the root of `disk` and in the memories of its
/// subdirectories: path of the tracked file, id of the memory, and why it is not enforced.
#[must_use]
pub fn faults(disk: &Disk) -> Vec<(String, String, String)> {
    faults_in(disk, &nested(disk).memories)
}

/// Like [`faults`], for the root and the directories `nested`.
fn faults_in(files: &dyn Files, nested: &[String]) -> Vec<(String, String, String)> {
    let MemoryChecks { pages, malformed: mut faults } = read_all(files, nested);
    let page_faults = pages.into_iter().filter_map(|page| {
        let why = validate_page(&page).err()?.to_string();
        Some((page.path, page.memory, why))
    });
    faults.extend(page_faults);
    faults
}

/// Keys of the `text` form that authors sometimes place directly under `check`, as in other tools.
const TEXT_KEYS: [&str; 2] = ["regex", "keywords"];
/// Keys of the `syntax` form that authors sometimes place directly under `check`.
const SYNTAX_KEYS: [&str; 3] = ["language", "languages", "pattern"];
/// An example of the `syntax` form, for messages.
const SYNTAX_EXAMPLE: &str =
    "{\"syntax\": {\"language\": [\"typescript\"], \"rule\": {\"pattern\": \"…\"}}}";

/// The message for a malformed page header, without its position, because the author never sees the
/// page.
fn header_message(error: &page::PageError, text: &str) -> String {
    let at = text.get(error.span.clone()).unwrap_or_default().trim_matches(['"', ' ', '\n']);
    let location = if at.is_empty() || error.message.contains(at) {
        String::new()
    } else {
        format!(" at `{at}`")
    };
    let hint = error.did_you_mean.as_ref().map_or_else(String::new, |(word, known)| {
        let is_top =
            known.iter().any(|key| key == "syntax") && known.iter().any(|key| key == "tree");
        let memory_keys = MEMORY_KEYS.into_iter().filter(|_| is_top);
        let known: Vec<&str> = known.iter().map(String::as_str).chain(memory_keys).collect();
        match nearest(word, known.iter().copied()) {
            _ if is_top && TEXT_KEYS.contains(&word.as_str()) => {
                format!("; it belongs under `text`: {{\"text\": {{\"{word}\": …}}}}")
            }
            _ if is_top && SYNTAX_KEYS.contains(&word.as_str()) => {
                format!("; it belongs under `syntax`: {SYNTAX_EXAMPLE}")
            }
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; expected one of {}", known.join(", ")),
        }
    });
    if error.message.starts_with("`language` is missing") {
        return format!("`check.syntax.language` is missing; expected {SYNTAX_EXAMPLE}");
    }
    // Lines and columns refer to the generated page.
    let message =
        error.message.split_once(" at line ").map_or(&*error.message, |(message, _)| message);
    format!("`check`: {message}{location}{hint}")
}

/// A well-formed check.
struct CheckFields<'a> {
    severity: Severity,
    message: Option<&'a str>,
    help: Option<&'a str>,
    fails: Vec<(&'a str, &'a str)>,
    passes: Vec<(&'a str, &'a str)>,
    /// The keys and values of the page's `check:`.
    header: Vec<(&'a str, &'a Value)>,
}

impl<'a> CheckFields<'a> {
    fn read(check: &'a Value) -> Result<Self, CheckError> {
        let Some(map) = check.as_object() else {
            return Err(CheckError::NotAnObject);
        };
        let length = check.to_string().len();
        if length > MAX_CHECK_BYTES {
            return Err(CheckError::TooLong(length));
        }
        let text = |key: &'static str| match map.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(CheckError::NotAString(key)),
        };
        if let Some(name) = text(RULE)?
            && !registry::is_id(&format!("x/{name}"))
        {
            return Err(CheckError::Name(name.to_owned()));
        }
        let severity = text("severity")?.map(str::parse).transpose();
        let severity = severity.map_err(CheckError::Severity)?;
        let header: Vec<_> = map
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .filter(|(key, _)| !MEMORY_KEYS.contains(key))
            .collect();
        Ok(Self {
            severity: severity.unwrap_or(Severity::Warning),
            message: text("message")?,
            help: text("help")?,
            fails: examples(map, "fails")?,
            passes: examples(map, "passes")?,
            header,
        })
    }
}

/// The examples under a key: path and text.
fn examples<'a>(
    map: &'a Map<String, Value>,
    key: &'static str,
) -> Result<Vec<(&'a str, &'a str)>, CheckError> {
    let error = || CheckError::Examples(key);
    let examples = match map.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(examples) => examples.as_object().ok_or_else(error)?,
    };
    let read = examples.iter().map(|(path, text)| {
        let is_plain = !path.is_empty() && !path.contains([' ', '"', '`', '\n', '\r', '\t']);
        text.as_str().filter(|_| is_plain).map(|text| (path.as_str(), text)).ok_or_else(error)
    });
    read.collect()
}
