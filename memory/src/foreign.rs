//! Reads memories from a file, a database or a directory, in the formats of aidd and of other
//! programs. The result separates lines of tracked files, memories of the checkout, and skipped
//! items. Ids depend only on what is read, so that importing it again adds nothing.

mod aidd_md;
mod aifp;
mod claude_mem;
mod database;
mod directory;
mod mama;
mod markdown;
mod memory_v2;
mod own_lines;
mod packs;
mod parts;
mod projects;
mod records;
mod server_memory;

use super::log::{self, Revision};
use super::project_map::MapEntry;
use super::records::BranchContext;
use super::store::Table;
use super::types::{Entry, Kind, Layer, Link, SCHEMA_VERSION, Status};
use super::work_list::WorkEntry;
use super::{MemoryError, id, legacy, times};
pub use directory::read_path;
use own_lines::OwnLines;
pub use parts::ImportedParts;
use serde_json::{Map, Value};

/// The formats that an import reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines of aidd: lines of tracked files, and memories of a checkout.
    Aidd,
    /// The older JSON files of decisions, mistakes and conventions.
    Older,
    /// The database of aidd.md, an earlier version of aidd.
    AiddMd,
    /// Decisions and checkpoints of the memory server MAMA: its database, or rows of its tables.
    Mama,
    /// The decision log and the packs of Memory v2, an earlier memory format of aidd.
    MemoryV2,
    /// The database of claude-mem, or the output of its export script.
    ClaudeMem,
    /// The database of AIFP.
    Aifp,
    /// The knowledge graph of `@modelcontextprotocol/server-memory`, as lines or as one object.
    ServerMemory,
    /// The memories of serena, a directory of Markdown files.
    Serena,
    /// `CLAUDE.md`, `AGENTS.md` and records of architecture decisions, which are read as drafts.
    Markdown,
}

impl Format {
    /// The name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aidd => "aidd",
            Self::Older => "older",
            Self::AiddMd => "aidd-md",
            Self::Mama => "mama",
            Self::MemoryV2 => "memory-v2",
            Self::ClaudeMem => "claude-mem",
            Self::Aifp => "aifp",
            Self::ServerMemory => "server-memory",
            Self::Serena => "serena",
            Self::Markdown => "markdown",
        }
    }
}

/// What to read of a file, a database or a directory.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The format; detected if absent.
    pub format: Option<Format>,
    /// The projects to read from a database with several projects.
    pub projects: Vec<String>,
    /// Whether to read all projects of a database.
    pub all_projects: bool,
    /// The name of the directory of this project: the default project.
    pub root_name: Option<String>,
}

/// A document for a table of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedDocument {
    /// Where the document is stored.
    pub table: Table,
    /// The id of the document.
    pub id: String,
    /// The time of creation in milliseconds since 1970.
    pub at: i64,
    /// The parsed document, with its path.
    pub value: Value,
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFile {
    /// The format of the file.
    pub format: Format,
    /// Revisions for the tracked files.
    pub revisions: Vec<Revision>,
    /// Whether revisions of known memories are left out, because the source has less text than the
    /// one from which these memories came.
    pub adds_only_new: bool,
    /// Memories that stay in the checkout.
    pub entries: Vec<Entry>,
    /// Links from these memories, with their source.
    pub links: Vec<Link>,
    /// Sessions and lifecycles of the other program.
    pub documents: Vec<ImportedDocument>,
    /// The states of branches, by name.
    pub branches: Vec<BranchContext>,
    /// Entries of the work list.
    pub work: Vec<WorkEntry>,
    /// Names of themes and flows.
    pub map: Vec<MapEntry>,
    /// Items that were skipped.
    pub skipped: Vec<SkippedItem>,
}

/// An item that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedItem {
    /// Position, for example "line 3" or "item 2 of observations".
    pub position: String,
    /// Why it was skipped.
    pub why: String,
}

impl ImportedFile {
    fn new(format: Format) -> Self {
        Self {
            format,
            revisions: Vec::new(),
            adds_only_new: false,
            entries: Vec::new(),
            links: Vec::new(),
            documents: Vec::new(),
            branches: Vec::new(),
            work: Vec::new(),
            map: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// The contents of a file of aidd: lines, and memories of the checkout.
    #[must_use]
    pub fn from_memories(revisions: Vec<Revision>, entries: Vec<Entry>) -> Self {
        Self { revisions, entries, ..Self::new(Format::Aidd) }
    }

    /// Adds the contents of another file; `name` is added to the positions of its skipped items.
    fn add(&mut self, other: Self, name: &str) {
        self.revisions.extend(other.revisions);
        self.entries.extend(other.entries);
        self.links.extend(other.links);
        let skipped = other.skipped.into_iter();
        self.skipped.extend(
            skipped
                .map(|item| SkippedItem { position: format!("{name}: {}", item.position), ..item }),
        );
    }

    fn skip(&mut self, position: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(SkippedItem { position: position.into(), why: why.into() });
    }
}

/// Reads a file named `name`, in the requested or the detected format.
///
/// # Errors
/// When the format is unknown, or is not the requested format.
pub fn read(name: &str, bytes: &[u8], format: Option<Format>) -> Result<ImportedFile, MemoryError> {
    if database::is_database(bytes) {
        return Err(MemoryError::Invalid(format!(
            "{name} is an SQLite database; import it with `aidd memory import` and its path"
        )));
    }
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let document: Option<Value> = serde_json::from_slice(bytes).ok();
    let format = format
        .or_else(|| detect_format(name, document.as_ref(), bytes))
        .ok_or_else(|| MemoryError::Invalid(format!("{name} has no supported memory format")))?;
    let not_json = || MemoryError::Invalid(format!("{name} is not JSON"));
    Ok(match format {
        Format::Aidd => read_own_lines(name, bytes, format),
        Format::Older => match &document {
            Some(document) => read_older_file(name, document)?,
            None => require_contents(name, read_own_lines(name, bytes, format))?,
        },
        Format::Mama => mama::read(document.as_ref().ok_or_else(not_json)?),
        Format::MemoryV2 => {
            match document.as_ref().and_then(Value::as_object).and_then(packs::pack) {
                Some(pack) => packs::read(pack, document.as_ref().unwrap_or(&Value::Null)),
                None => require_contents(name, memory_v2::read(bytes))?,
            }
        }
        Format::ClaudeMem => claude_mem::read(document.as_ref().ok_or_else(not_json)?),
        Format::ServerMemory => server_memory::read(document.as_ref(), bytes),
        Format::Markdown => markdown::read(name, &String::from_utf8_lossy(bytes)),
        Format::AiddMd | Format::Aifp => {
            return Err(MemoryError::Invalid(format!("{name} is not an SQLite database")));
        }
        Format::Serena => {
            return Err(MemoryError::Invalid(format!(
                "{name} is a file; name the directory `.serena/memories`"
            )));
        }
    })
}

/// Detects the format of a file.
fn detect_format(name: &str, document: Option<&Value>, bytes: &[u8]) -> Option<Format> {
    let line = || {
        let lines = bytes.split(|&byte| byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).find(Value::is_object)
    };
    match document {
        Some(Value::Array(items)) => {
            format_of_items(items).or_else(|| kind_of(name).map(|_| Format::Older))
        }
        Some(Value::Object(map)) => {
            let list = |name: &str| map.get(name).and_then(Value::as_array);
            if packs::pack(map).is_some() {
                Some(Format::MemoryV2)
            } else if list("observations").is_some() && map.contains_key("exportedAtEpoch") {
                Some(Format::ClaudeMem)
            } else if list("entities").is_some() {
                Some(Format::ServerMemory)
            } else if let Some(format) = list("decisions").and_then(|items| format_of_items(items))
            {
                Some(format)
            } else if LIST_NAMES.iter().any(|(_, plural)| list(plural).is_some()) {
                Some(Format::Older)
            } else {
                format_of_line(map)
            }
        }
        _ => line()
            .as_ref()
            .and_then(Value::as_object)
            .and_then(format_of_line)
            .or_else(|| markdown::is_readable(name, bytes).then_some(Format::Markdown)),
    }
}

fn format_of_line(line: &Map<String, Value>) -> Option<Format> {
    if memory_v2::is_line(line) {
        return Some(Format::MemoryV2);
    }
    if older_kind(line).is_some() {
        return Some(Format::Older);
    }
    match line.get("type").and_then(Value::as_str)? {
        "entity" | "relation" => Some(Format::ServerMemory),
        word => word.parse::<Kind>().ok().filter(|_| line.contains_key("id")).map(|_| Format::Aidd),
    }
}

/// The type of a memory in the older format, in which the key of the content identifies the type.
fn older_kind(line: &Map<String, Value>) -> Option<Kind> {
    let has_text = |name: &str| {
        line.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    if has_text("content") {
        return None;
    }
    let (kind, _) = OLDER_CONTENT_KEYS.into_iter().find(|(_, name)| has_text(name))?;
    let type_field = line.get("type").and_then(Value::as_str).and_then(|word| word.parse().ok());
    Some(type_field.filter(|kind: &Kind| kind.file().is_some()).unwrap_or(kind))
}

/// The memory types with a tracked file, and the key of their content in older formats.
const OLDER_CONTENT_KEYS: [(Kind, &str); 3] = {
    let [decision, error, convention] = log::OLDER_NAMES;
    [(Kind::Decision, decision), (Kind::Mistake, error), (Kind::Convention, convention)]
};

/// Detects the format of a list of decisions. Rows of MAMA have a topic, and a column that contains
/// their time or the decisions that they supersede.
fn format_of_items(items: &[Value]) -> Option<Format> {
    let first = items.first()?.as_object()?;
    let has = |name: &str| first.contains_key(name);
    if has("topic") && has("decision") && (has("created_at") || has("supersedes")) {
        Some(Format::Mama)
    } else if has("decision") || has("error") || has("convention") {
        Some(Format::Older)
    } else {
        None
    }
}

/// The memory types with a tracked file, and the name of their list in older formats.
const LIST_NAMES: [(Kind, &str); 3] =
    [(Kind::Decision, "decisions"), (Kind::Mistake, "mistakes"), (Kind::Convention, "conventions")];

/// Returns the memory type that a file name indicates, and the name of its list.
fn kind_of(name: &str) -> Option<(Kind, &'static str)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    LIST_NAMES.into_iter().find(|(_, plural)| name.contains(plural))
}

fn read_own_lines(name: &str, bytes: &[u8], format: Format) -> ImportedFile {
    let (mut reader, mut read) = (OwnLines::new(name), ImportedFile::new(format));
    bytes.split(|&byte| byte == b'\n').for_each(|line| reader.read_line(line, &mut read));
    read
}

/// Parses a memory that is not permanent and therefore stays in the checkout.
fn checkout_entry(value: Value) -> Option<Entry> {
    value.get("layer")?;
    let entry: Entry = serde_json::from_value(value).ok()?;
    (entry.layer != Layer::Permanent).then_some(entry)
}

fn read_older_file(name: &str, document: &Value) -> Result<ImportedFile, MemoryError> {
    let mut read = ImportedFile::new(Format::Older);
    let single =
        document.as_object().and_then(older_kind).map(|_| Value::Array(vec![document.clone()]));
    let document = single.as_ref().unwrap_or(document);
    let file_kind = kind_of(name);
    let first = document.as_array().and_then(|items| items.first());
    for (kind, plural) in LIST_NAMES {
        let list = match document {
            Value::Object(map) => map.get(plural).cloned(),
            document => {
                let has_kind = |item: &Value| {
                    item.get("type").and_then(Value::as_str) == Some(kind.word())
                        || item
                            .get(if kind == Kind::Mistake { "error" } else { kind.word() })
                            .is_some()
                };
                let matches_kind = file_kind
                    .map_or(first.is_some_and(has_kind), |(file_kind, _)| file_kind == kind);
                matches_kind.then(|| document.clone())
            }
        };
        let Some(list) = list else { continue };
        let (revisions, problems) = legacy::read(name, kind, plural, &serde_json::to_vec(&list)?);
        read.revisions.extend(revisions);
        for problem in problems {
            read.skip(plural, problem.message);
        }
    }
    require_contents(name, read)
}

/// Returns the contents, unless they are empty.
fn require_contents(name: &str, read: ImportedFile) -> Result<ImportedFile, MemoryError> {
    if read.revisions.is_empty() && read.entries.is_empty() && read.skipped.is_empty() {
        return Err(MemoryError::Invalid(format!(
            "{name} contains no decisions, mistakes or conventions"
        )));
    }
    Ok(read)
}

/// Creates a memory of the checkout from a record of another program. The memory is identified by
/// the program (`source`) and by the record's name in that program.
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

/// Creates a draft: a memory of the checkout that a person has to accept. It is identified by
/// `source` and `key`.
fn draft(kind: Kind, source: &str, key: &[&str], content: String) -> Entry {
    let mut entry = entry(kind, 0, source, &id::digest(key), content);
    entry.metadata.insert(DRAFT.to_owned(), true.into());
    entry
}

/// The metadata field that marks a draft.
pub const DRAFT: &str = "draft";

/// Returns the first non-empty string among the fields with these names.
fn text(item: &Value, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| item.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
}

/// The `id` of an item, a string or a number, as text.
fn name(item: &Value) -> Option<String> {
    match item.get("id")? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The strings of a field: a list, a list encoded as a string, or a single string.
fn texts(item: &Value, name: &str) -> Vec<String> {
    let strings = |list: &[Value]| {
        list.iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .filter(|text| !text.trim().is_empty())
            .collect()
    };
    match item.get(name) {
        Some(Value::Array(list)) => strings(list),
        Some(Value::String(text)) if !text.trim().is_empty() => {
            match serde_json::from_str::<Value>(text) {
                Ok(Value::Array(list)) => strings(&list),
                _ => vec![text.clone()],
            }
        }
        _ => Vec::new(),
    }
}

/// The time of an item in milliseconds since 1970. Small numbers are read as seconds.
fn time(item: &Value, names: &[&str]) -> i64 {
    // In milliseconds this is a day in 1973; in seconds it is in the year 5138.
    const MIN_MILLISECONDS: i64 = 100_000_000_000;
    // The year 2200: later times, and times before 1970, are errors of the other program.
    const MAX_MILLISECONDS: i64 = 7_258_118_400_000;
    let times = names.iter().filter_map(|name| times::millis(item.get(*name)?));
    let times = times.map(|at| if (1..MIN_MILLISECONDS).contains(&at) { at * 1000 } else { at });
    times.into_iter().find(|at| (0..=MAX_MILLISECONDS).contains(at)).unwrap_or_default()
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
