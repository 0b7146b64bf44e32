//! The edits that an agent is about to make or has made, extracted from the input of its tool.
//! Unknown tools that do not look like a writing tool yield nothing.

use super::payload::text;
use serde_json::Value;

/// First line of a patch, in the format that Codex and others use.
pub(super) const PATCH: &str = "*** Begin Patch";
/// Maximum number of files of one call.
const MAX_FILES: usize = 50;

/// A file and its change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The path in the tool input.
    pub(super) path: String,
    /// The previous path of a moved file.
    pub(super) from: Option<String>,
    pub(super) change: Change,
}

impl Proposal {
    fn new(path: impl Into<String>, change: Change) -> Self {
        Self { path: path.into(), from: None, change }
    }
}

/// The change of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The whole new text.
    Whole(String),
    /// Replacements, applied in order.
    Edits(Vec<Edit>),
    /// The client names the file but not its change.
    Unknown,
}

/// A replacement. Without an old text, its position is unknown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

/// The text after the edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct After {
    pub(super) text: String,
    /// Whether it is the whole file; otherwise only the inserted text.
    pub(super) is_whole: bool,
}

const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "targetFile",
    "file",
    "uri",
];
const OLD: [&str; 4] = ["old_string", "oldString", "old_str", "old_text"];
const NEW: [&str; 4] = ["new_string", "newString", "new_str", "new_text"];
const WHOLE: [&str; 4] = ["content", "contents", "file_text", "text"];
/// Fields with inserted text whose position is unknown.
const PARTS: [&str; 5] = ["new_source", "newCode", "code", "code_edit", "insert_text"];
/// Prefix of the line with the new path of a moved file.
const MOVED_TO: &str = "*** Move to:";

/// The edits in the input of a tool.
pub(super) fn proposals(input: &Value) -> Vec<Proposal> {
    let patch = input.as_str().or_else(|| text(input, &["command", "input", "patch", "patchText"]));
    if let Some(patch) = patch.filter(|patch| patch.contains(PATCH)) {
        return patched(patch);
    }
    let mut found: Vec<Proposal> = Vec::new();
    if let Some(rows) = input.get("replacements").and_then(Value::as_array) {
        for row in rows {
            let path = text(row, &PATHS).or_else(|| text(input, &PATHS));
            if let (Some(path), Some(edit)) = (path, edit(row)) {
                add(&mut found, path, edit);
            }
        }
        return found;
    }
    if let Some(files) = input.get("files").and_then(Value::as_array) {
        let files = files.iter().filter_map(Value::as_str).take(MAX_FILES);
        return files.map(|path| Proposal::new(path, Change::Unknown)).collect();
    }
    let Some(path) = text(input, &PATHS) else { return found };
    let path = path.strip_prefix("file://").unwrap_or(path);
    let change = if let Some(rows) = input.get("edits").and_then(Value::as_array) {
        Change::Edits(rows.iter().filter_map(edit).collect())
    } else if let Some(edit) = edit(input) {
        Change::Edits(vec![edit])
    } else if let Some(whole) = text(input, &WHOLE) {
        Change::Whole(whole.to_owned())
    } else if let Some(part) = text(input, &PARTS) {
        let (old, new) = (String::new(), part.to_owned());
        Change::Edits(vec![Edit { old, new, all: false }])
    } else {
        return found;
    };
    found.push(Proposal::new(path, change));
    found
}

fn edit(row: &Value) -> Option<Edit> {
    let new = text(row, &NEW)?.to_owned();
    let old = text(row, &OLD).unwrap_or_default().to_owned();
    let all = ["replace_all", "replaceAll", "allow_multiple"];
    let all = all.iter().any(|name| row.get(name).and_then(Value::as_bool) == Some(true));
    Some(Edit { old, new, all })
}

/// Appends an edit to the edits of its file.
fn add(found: &mut Vec<Proposal>, path: &str, edit: Edit) {
    if let Some(Proposal { change: Change::Edits(edits), .. }) =
        found.iter_mut().find(|proposal| proposal.path == path)
    {
        edits.push(edit);
    } else if found.len() < MAX_FILES {
        found.push(Proposal::new(path, Change::Edits(vec![edit])));
    }
}

/// Parses the files of a patch with `*** Add File:`, `*** Update File:` and hunks that start with
/// `@@`.
fn patched(patch: &str) -> Vec<Proposal> {
    let mut found: Vec<Proposal> = Vec::new();
    let mut hunk = Edit { old: String::new(), new: String::new(), all: false };
    for line in patch.lines() {
        let line = line.trim_end_matches('\r');
        let starts = |mark: &str| line.strip_prefix(mark).map(|path| path.trim().to_owned());
        if line.starts_with("*** ") || line.starts_with("@@") {
            flush(&mut found, &mut hunk);
        }
        if let Some(path) = starts("*** Add File:") {
            found.push(Proposal::new(path, Change::Whole(String::new())));
        } else if let Some(path) = starts("*** Update File:") {
            found.push(Proposal::new(path, Change::Edits(Vec::new())));
        } else if starts("*** Delete File:").is_some() {
            // The lines of a deleted file are ignored.
            found.push(Proposal::new("", Change::Edits(Vec::new())));
        } else if let (Some(path), Some(file)) = (starts(MOVED_TO), found.last_mut()) {
            let before = std::mem::replace(&mut file.path, path);
            file.from.get_or_insert(before);
        } else if !line.starts_with("*** ") && !line.starts_with("@@") {
            take_line(found.last_mut(), &mut hunk, line);
        }
    }
    flush(&mut found, &mut hunk);
    found.retain(|one| !one.path.is_empty() && one.change != Change::Edits(Vec::new()));
    found.truncate(MAX_FILES);
    found
}

fn take_line(file: Option<&mut Proposal>, hunk: &mut Edit, line: &str) {
    let put = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match file.map(|file| &mut file.change) {
        Some(Change::Whole(text)) => put(text, line.strip_prefix('+').unwrap_or(line)),
        Some(Change::Edits(_) | Change::Unknown) => {
            match (line.strip_prefix('+'), line.strip_prefix('-')) {
                (Some(new), _) => put(&mut hunk.new, new),
                (_, Some(old)) => put(&mut hunk.old, old),
                _ => {
                    let line = line.strip_prefix(' ').unwrap_or(line);
                    put(&mut hunk.old, line);
                    put(&mut hunk.new, line);
                }
            }
        }
        None => {}
    }
}

/// Ends a hunk.
fn flush(found: &mut [Proposal], hunk: &mut Edit) {
    let ended =
        std::mem::replace(hunk, Edit { old: String::new(), new: String::new(), all: false });
    if ended.old == ended.new {
        return;
    }
    if let Some(Proposal { change: Change::Edits(edits), .. }) = found.last_mut() {
        edits.push(ended);
    }
}

impl Change {
    /// The result of applying the change to a file with the text `before`; `None` for a new file.
    pub(super) fn after(&self, before: Option<&str>) -> After {
        match self {
            Self::Whole(text) => After { text: text.clone(), is_whole: true },
            Self::Unknown => After { text: String::new(), is_whole: false },
            Self::Edits(edits) => {
                let turned = edits.iter().map(|edit| (&*edit.old, &*edit.new, edit.all));
                let parts = || edits.iter().map(|edit| &*edit.new).collect::<Vec<_>>().join("\n");
                replaced(before, turned).unwrap_or_else(|| After { text: parts(), is_whole: false })
            }
        }
    }

    /// The text of the file before the change, given the text `after`; `None` if it cannot be
    /// determined.
    pub(super) fn before(&self, after: &str) -> Option<String> {
        match self {
            Self::Whole(_) | Self::Unknown => None,
            Self::Edits(edits) => {
                let turned = edits.iter().rev().map(|edit| (&*edit.new, &*edit.old, edit.all));
                replaced(Some(after), turned).map(|before| before.text)
            }
        }
    }
}

/// Applies replacements to a text; `None` if the position of one is unknown.
fn replaced<'a>(
    text: Option<&str>,
    edits: impl Iterator<Item = (&'a str, &'a str, bool)>,
) -> Option<After> {
    let mut whole = text.unwrap_or_default().to_owned();
    for (old, new, all) in edits {
        if old.is_empty() {
            if !whole.is_empty() {
                return None;
            }
            new.clone_into(&mut whole);
            continue;
        }
        // Agents write line feeds even if the file uses CRLF.
        let (old, new) = if !whole.contains(old) && whole.contains("\r\n") {
            (old.replace('\n', "\r\n"), new.replace('\n', "\r\n"))
        } else {
            (old.to_owned(), new.to_owned())
        };
        if !whole.contains(&old) {
            return None;
        }
        whole = if all { whole.replace(&old, &new) } else { whole.replacen(&old, &new, 1) };
    }
    Some(After { text: whole, is_whole: true })
}
