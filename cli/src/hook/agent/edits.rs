//! The edits that an agent is about to make or has made, extracted from the input of its tool. An
//! unknown tool whose input does not look like an edit is ignored.

use super::payload::text;
use serde_json::Value;

/// First line of a patch, in the format that Codex and others use.
pub(super) const PATCH: &str = "*** Begin Patch";
/// Maximum number of files in one tool call.
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

/// The change to a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The whole new text.
    Whole(String),
    /// Replacements, applied in order.
    Edits(Vec<Edit>),
    /// The client names the file but not its change.
    Unknown,
}

/// A replacement. If the old text is empty, the position of the new text is unknown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

/// The text of a file after its edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextAfter {
    pub(super) text: String,
    /// Whether `text` is the whole file. Otherwise, it contains only the inserted text.
    pub(super) is_complete: bool,
}

const PATH_FIELDS: [&str; 9] = [
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
const OLD_TEXT_FIELDS: [&str; 4] = ["old_string", "oldString", "old_str", "old_text"];
const NEW_TEXT_FIELDS: [&str; 4] = ["new_string", "newString", "new_str", "new_text"];
const WHOLE_TEXT_FIELDS: [&str; 4] = ["content", "contents", "file_text", "text"];
/// Fields with inserted text whose position is unknown.
const INSERTED_TEXT_FIELDS: [&str; 5] =
    ["new_source", "newCode", "code", "code_edit", "insert_text"];
/// Prefix of the line with the new path of a moved file.
const MOVED_TO: &str = "*** Move to:";

/// The edits in the input of a tool.
pub(super) fn proposals(input: &Value) -> Vec<Proposal> {
    let patch = input.as_str().or_else(|| text(input, &["command", "input", "patch", "patchText"]));
    if let Some(patch) = patch.filter(|patch| patch.contains(PATCH)) {
        return parse_patch(patch);
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    if let Some(rows) = input.get("replacements").and_then(Value::as_array) {
        for row in rows {
            let path = text(row, &PATH_FIELDS).or_else(|| text(input, &PATH_FIELDS));
            if let (Some(path), Some(edit)) = (path, edit(row)) {
                add(&mut proposals, path, edit);
            }
        }
        return proposals;
    }
    if let Some(files) = input.get("files").and_then(Value::as_array) {
        let files = files.iter().filter_map(Value::as_str).take(MAX_FILES);
        return files.map(|path| Proposal::new(path, Change::Unknown)).collect();
    }
    let Some(path) = text(input, &PATH_FIELDS) else { return proposals };
    let path = path.strip_prefix("file://").unwrap_or(path);
    let change = if let Some(rows) = input.get("edits").and_then(Value::as_array) {
        Change::Edits(rows.iter().filter_map(edit).collect())
    } else if let Some(edit) = edit(input) {
        Change::Edits(vec![edit])
    } else if let Some(whole) = text(input, &WHOLE_TEXT_FIELDS) {
        Change::Whole(whole.to_owned())
    } else if let Some(part) = text(input, &INSERTED_TEXT_FIELDS) {
        let (old, new) = (String::new(), part.to_owned());
        Change::Edits(vec![Edit { old, new, all: false }])
    } else {
        return proposals;
    };
    proposals.push(Proposal::new(path, change));
    proposals
}

fn edit(row: &Value) -> Option<Edit> {
    let new = text(row, &NEW_TEXT_FIELDS)?.to_owned();
    let old = text(row, &OLD_TEXT_FIELDS).unwrap_or_default().to_owned();
    let all = ["replace_all", "replaceAll", "allow_multiple"];
    let all = all.iter().any(|name| row.get(name).and_then(Value::as_bool) == Some(true));
    Some(Edit { old, new, all })
}

/// Appends an edit to the edits of its file.
fn add(proposals: &mut Vec<Proposal>, path: &str, edit: Edit) {
    if let Some(Proposal { change: Change::Edits(edits), .. }) =
        proposals.iter_mut().find(|proposal| proposal.path == path)
    {
        edits.push(edit);
    } else if proposals.len() < MAX_FILES {
        proposals.push(Proposal::new(path, Change::Edits(vec![edit])));
    }
}

/// Parses the file changes of a patch that has `*** Add File:` and `*** Update File:` lines, and
/// hunks that start with `@@`.
fn parse_patch(patch: &str) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut hunk = Edit { old: String::new(), new: String::new(), all: false };
    for line in patch.lines() {
        let line = line.trim_end_matches('\r');
        let after_prefix =
            |prefix: &str| line.strip_prefix(prefix).map(|path| path.trim().to_owned());
        if line.starts_with("*** ") || line.starts_with("@@") {
            flush(&mut proposals, &mut hunk);
        }
        if let Some(path) = after_prefix("*** Add File:") {
            proposals.push(Proposal::new(path, Change::Whole(String::new())));
        } else if let Some(path) = after_prefix("*** Update File:") {
            proposals.push(Proposal::new(path, Change::Edits(Vec::new())));
        } else if after_prefix("*** Delete File:").is_some() {
            // The lines of a deleted file are ignored.
            proposals.push(Proposal::new("", Change::Edits(Vec::new())));
        } else if let (Some(path), Some(file)) = (after_prefix(MOVED_TO), proposals.last_mut()) {
            let before = std::mem::replace(&mut file.path, path);
            file.from.get_or_insert(before);
        } else if !line.starts_with("*** ") && !line.starts_with("@@") {
            add_line(proposals.last_mut(), &mut hunk, line);
        }
    }
    flush(&mut proposals, &mut hunk);
    proposals.retain(|proposal| {
        !proposal.path.is_empty() && proposal.change != Change::Edits(Vec::new())
    });
    proposals.truncate(MAX_FILES);
    proposals
}

fn add_line(file: Option<&mut Proposal>, hunk: &mut Edit, line: &str) {
    let push_line = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match file.map(|file| &mut file.change) {
        Some(Change::Whole(text)) => push_line(text, line.strip_prefix('+').unwrap_or(line)),
        Some(Change::Edits(_) | Change::Unknown) => {
            match (line.strip_prefix('+'), line.strip_prefix('-')) {
                (Some(new), _) => push_line(&mut hunk.new, new),
                (_, Some(old)) => push_line(&mut hunk.old, old),
                _ => {
                    let line = line.strip_prefix(' ').unwrap_or(line);
                    push_line(&mut hunk.old, line);
                    push_line(&mut hunk.new, line);
                }
            }
        }
        None => {}
    }
}

/// Adds the finished `hunk` to the last file and starts an empty one.
fn flush(proposals: &mut [Proposal], hunk: &mut Edit) {
    let finished =
        std::mem::replace(hunk, Edit { old: String::new(), new: String::new(), all: false });
    if finished.old == finished.new {
        return;
    }
    if let Some(Proposal { change: Change::Edits(edits), .. }) = proposals.last_mut() {
        edits.push(finished);
    }
}

impl Change {
    /// Applies the change to a file with the text `before`, which is `None` for a new file.
    pub(super) fn apply(&self, before: Option<&str>) -> TextAfter {
        match self {
            Self::Whole(text) => TextAfter { text: text.clone(), is_complete: true },
            Self::Unknown => TextAfter { text: String::new(), is_complete: false },
            Self::Edits(edits) => {
                let replacements = edits.iter().map(|edit| (&*edit.old, &*edit.new, edit.all));
                let parts = || edits.iter().map(|edit| &*edit.new).collect::<Vec<_>>().join("\n");
                apply_replacements(before, replacements)
                    .unwrap_or_else(|| TextAfter { text: parts(), is_complete: false })
            }
        }
    }

    /// The text of the file before the change, given the text `after`; `None` if it cannot be
    /// determined.
    pub(super) fn revert(&self, after: &str) -> Option<String> {
        match self {
            Self::Whole(_) | Self::Unknown => None,
            Self::Edits(edits) => {
                let replacements =
                    edits.iter().rev().map(|edit| (&*edit.new, &*edit.old, edit.all));
                apply_replacements(Some(after), replacements).map(|before| before.text)
            }
        }
    }
}

/// Applies replacements to a text; `None` if the position of a replacement is unknown.
fn apply_replacements<'a>(
    text: Option<&str>,
    edits: impl Iterator<Item = (&'a str, &'a str, bool)>,
) -> Option<TextAfter> {
    let mut text_after = text.unwrap_or_default().to_owned();
    for (old, new, all) in edits {
        if old.is_empty() {
            if !text_after.is_empty() {
                return None;
            }
            new.clone_into(&mut text_after);
            continue;
        }
        // Agents write line feeds even if the file uses CRLF.
        let (old, new) = if !text_after.contains(old) && text_after.contains("\r\n") {
            (old.replace('\n', "\r\n"), new.replace('\n', "\r\n"))
        } else {
            (old.to_owned(), new.to_owned())
        };
        if !text_after.contains(&old) {
            return None;
        }
        text_after =
            if all { text_after.replace(&old, &new) } else { text_after.replacen(&old, &new, 1) };
    }
    Some(TextAfter { text: text_after, is_complete: true })
}
