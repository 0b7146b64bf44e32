//! Reads memories from one file, in the formats of other programs and in ours, and separates lines
//! of tracked files, memories of the checkout, and skipped items. Ids depend only on the file, so
//! that importing it again adds nothing.

mod claude_mem;
mod mama;
mod memory_v2;
mod server_memory;

use super::log::{self, Revision};
use super::types::{Entry, Kind, Layer, SCHEMA_VERSION, Status};
use super::{MemoryError, id, legacy, times};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The supported formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines of aidd: those of tracked files, and whole entries of memories of a checkout.
    Aidd,
    /// The older JSON files of decisions, mistakes and conventions.
    Older,
    /// Decisions and checkpoints of MAMA, as rows of its tables.
    Mama,
    /// The decision log of Memory v2.
    MemoryV2,
    /// The output of claude-mem's export script.
    ClaudeMem,
    /// The knowledge graph of `@modelcontextprotocol/server-memory`: its lines, or the graph.
    ServerMemory,
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The format of the file.
    pub form: Form,
    /// Revisions for the tracked files.
    pub revisions: Vec<Revision>,
    /// Memories that stay in the checkout.
    pub entries: Vec<Entry>,
    /// Items that were skipped.
    pub skipped: Vec<Skipped>,
}

/// An item that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Position, for example "line 3" or "item 2 of observations".
    pub place: String,
    /// Why it was skipped.
    pub why: String,
}

impl Read {
    fn new(form: Form) -> Self {
        Self { form, revisions: Vec::new(), entries: Vec::new(), skipped: Vec::new() }
    }

    fn skip(&mut self, place: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { place: place.into(), why: why.into() });
    }
}

/// Reads a file named `name`, in the requested or the detected format.
///
/// # Errors
/// When the format is unknown, or is not the requested one.
pub fn read(name: &str, bytes: &[u8], form: Option<Form>) -> Result<Read, MemoryError> {
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let whole: Option<Value> = serde_json::from_slice(bytes).ok();
    let form = form
        .or_else(|| seen(name, whole.as_ref(), bytes))
        .ok_or_else(|| MemoryError::Invalid(format!("{name} has no supported memory format")))?;
    let no_json = || MemoryError::Invalid(format!("{name} is not JSON"));
    Ok(match form {
        Form::Aidd => own_lines(name, bytes, form),
        Form::Older => match &whole {
            Some(whole) => older(name, whole)?,
            None => some_of(name, own_lines(name, bytes, form))?,
        },
        Form::Mama => mama::read(whole.as_ref().ok_or_else(no_json)?),
        Form::MemoryV2 => some_of(name, memory_v2::read(bytes))?,
        Form::ClaudeMem => claude_mem::read(whole.as_ref().ok_or_else(no_json)?),
        Form::ServerMemory => server_memory::read(whole.as_ref(), bytes),
    })
}

/// Detects the format of a file.
fn seen(name: &str, whole: Option<&Value>, bytes: &[u8]) -> Option<Form> {
    let line = || {
        let lines = bytes.split(|&byte| byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).find(Value::is_object)
    };
    match whole {
        Some(Value::Array(items)) => of_items(items).or_else(|| kind_of(name).map(|_| Form::Older)),
        Some(Value::Object(map)) => {
            let list = |name: &str| map.get(name).and_then(Value::as_array);
            if list("observations").is_some() && map.contains_key("exportedAtEpoch") {
                Some(Form::ClaudeMem)
            } else if list("entities").is_some() {
                Some(Form::ServerMemory)
            } else if let Some(form) = list("decisions").and_then(|items| of_items(items)) {
                Some(form)
            } else if KINDS.iter().any(|(_, plural)| list(plural).is_some()) {
                Some(Form::Older)
            } else {
                of_line(map)
            }
        }
        _ => line().as_ref().and_then(Value::as_object).and_then(of_line),
    }
}

fn of_line(line: &Map<String, Value>) -> Option<Form> {
    if memory_v2::is_line(line) {
        return Some(Form::MemoryV2);
    }
    if older_kind(line).is_some() {
        return Some(Form::Older);
    }
    match line.get("type").and_then(Value::as_str)? {
        "entity" | "relation" => Some(Form::ServerMemory),
        word => word.parse::<Kind>().ok().filter(|_| line.contains_key("id")).map(|_| Form::Aidd),
    }
}

/// The type of a memory in the older format, whose content has the name of its type as key.
fn older_kind(line: &Map<String, Value>) -> Option<Kind> {
    let says = |name: &str| {
        line.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    if says("content") {
        return None;
    }
    let (kind, _) = OLDER.into_iter().find(|(_, name)| says(name))?;
    let stated = line.get("type").and_then(Value::as_str).and_then(|word| word.parse().ok());
    Some(stated.filter(|kind: &Kind| kind.file().is_some()).unwrap_or(kind))
}

/// The types of tracked files, with the keys of their content in older formats.
const OLDER: [(Kind, &str); 3] = {
    let [decision, error, convention] = log::OLDER_NAMES;
    [(Kind::Decision, decision), (Kind::Mistake, error), (Kind::Convention, convention)]
};

/// The format of a list of decisions: rows of MAMA have a topic and a time in a column.
fn of_items(items: &[Value]) -> Option<Form> {
    let first = items.first()?.as_object()?;
    let has = |name: &str| first.contains_key(name);
    if has("topic") && has("decision") && (has("created_at") || has("supersedes")) {
        Some(Form::Mama)
    } else if has("decision") || has("error") || has("convention") {
        Some(Form::Older)
    } else {
        None
    }
}

/// The types of tracked files, with the names of their lists.
const KINDS: [(Kind, &str); 3] =
    [(Kind::Decision, "decisions"), (Kind::Mistake, "mistakes"), (Kind::Convention, "conventions")];

fn kind_of(name: &str) -> Option<(Kind, &'static str)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    KINDS.into_iter().find(|(_, plural)| name.contains(plural))
}

/// Reads lines one by one: ours, those of the older format, entries of a checkout.
fn own_lines(name: &str, bytes: &[u8], form: Form) -> Read {
    let mut read = Read::new(form);
    let (mut lines, mut seen) = (Vec::new(), BTreeSet::new());
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        if let Some(kind) = value.as_object().and_then(older_kind) {
            match legacy::revision(kind, value) {
                Some(revision) if !seen.insert(revision.rev.clone()) => {}
                Some(revision) => read.revisions.push(revision),
                None => read.skip(format!("line {}", index + 1), format!("not a {kind}")),
            }
        } else if let Some(entry) = of_checkout(value) {
            read.entries.push(entry);
        } else {
            lines.extend_from_slice(line);
        }
        lines.push(b'\n');
    }
    let (revisions, problems) = log::read_numbered(name, &lines);
    for problem in problems {
        // Copies and edited lines are read; conflict markers are skipped.
        if problem.kind == log::ProblemKind::MalformedLine {
            read.skip(format!("line {}", problem.line), problem.message);
        }
    }
    for (line, revision) in revisions {
        if revision.kind.file().is_some() {
            read.revisions.push(revision);
        } else {
            let why = format!("a {} is not stored in a tracked file", revision.kind);
            read.skip(format!("line {line}"), why);
        }
    }
    read
}

/// A memory that stays in a checkout.
fn of_checkout(value: Value) -> Option<Entry> {
    value.get("layer")?;
    let entry: Entry = serde_json::from_value(value).ok()?;
    (entry.layer != Layer::Permanent).then_some(entry)
}

fn older(name: &str, whole: &Value) -> Result<Read, MemoryError> {
    let mut read = Read::new(Form::Older);
    let alone = whole.as_object().and_then(older_kind).map(|_| Value::Array(vec![whole.clone()]));
    let whole = alone.as_ref().unwrap_or(whole);
    let of_file = kind_of(name);
    let first = whole.as_array().and_then(|items| items.first());
    for (kind, plural) in KINDS {
        let list = match whole {
            Value::Object(map) => map.get(plural).cloned(),
            whole => {
                let says = |item: &Value| {
                    item.get("type").and_then(Value::as_str) == Some(kind.word())
                        || item
                            .get(if kind == Kind::Mistake { "error" } else { kind.word() })
                            .is_some()
                };
                let is_it = of_file.map_or(first.is_some_and(says), |(of, _)| of == kind);
                is_it.then(|| whole.clone())
            }
        };
        let Some(list) = list else { continue };
        let (revisions, problems) = legacy::read(name, kind, plural, &serde_json::to_vec(&list)?);
        read.revisions.extend(revisions);
        for problem in problems {
            read.skip(plural, problem.message);
        }
    }
    some_of(name, read)
}

/// Returns the contents, unless they are empty.
fn some_of(name: &str, read: Read) -> Result<Read, MemoryError> {
    if read.revisions.is_empty() && read.entries.is_empty() && read.skipped.is_empty() {
        return Err(MemoryError::Invalid(format!(
            "{name} contains no decisions, mistakes or conventions"
        )));
    }
    Ok(read)
}

/// A memory of the checkout from another program, identified by `source` and its name there.
fn entry(kind: Kind, at: i64, source: &str, name: &str, content: String) -> Entry {
    Entry {
        id: id::of_memory(kind, at, &[source, name]),
        kind,
        layer: Layer::Local,
        topic: None,
        content,
        metadata: Map::new(),
        status: Status::Active,
        session_id: None,
        branch: None,
        created_at: at,
        updated_at: at,
        schema_version: SCHEMA_VERSION,
        heads: Vec::new(),
        extra: Map::new(),
    }
}

/// The string value of a field, unless it is empty.
fn text(item: &Value, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| item.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
}

/// The name of an item: a string or a number.
fn name(item: &Value) -> Option<String> {
    match item.get("id")? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The strings of a field: a list, a list encoded as a string, or a single string.
fn texts(item: &Value, name: &str) -> Vec<String> {
    let listed = |list: &[Value]| {
        list.iter()
            .map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned))
            .filter(|text| !text.trim().is_empty())
            .collect()
    };
    match item.get(name) {
        Some(Value::Array(list)) => listed(list),
        Some(Value::String(text)) if !text.trim().is_empty() => {
            match serde_json::from_str::<Value>(text) {
                Ok(Value::Array(list)) => listed(&list),
                _ => vec![text.clone()],
            }
        }
        _ => Vec::new(),
    }
}

/// The time of an item in milliseconds since 1970; seconds are recognised by their size.
fn time(item: &Value, names: &[&str]) -> i64 {
    // As milliseconds this is a day in 1973, as seconds one in the far future.
    const SECONDS: i64 = 100_000_000_000;
    let times = names.iter().filter_map(|name| times::millis(item.get(*name)?));
    let at = times.into_iter().next().unwrap_or_default();
    if (1..SECONDS).contains(&at) { at * 1000 } else { at }
}

/// Sets a metadata field, unless the value is empty.
fn put(metadata: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    let value = value.into();
    let is_empty = match &value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    };
    if !is_empty {
        metadata.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests;
