//! `aidd init --client`: adds aidd to the files that an agent client reads, and removes it again.
//! All changes are computed before the first file is written. Content written by the user is never
//! overwritten or removed.
//!
//! The files and formats follow the clients' own documentation as of November 2026;
//! `content/hooks/<client>/` has one template per file.

mod json;
mod rules;
mod toml;
mod undo;

use crate::cli::Client;
use aidd_engine::text::files::Disk;
use aidd_page::{Tables, Template};
use aidd_report::Io;
use aidd_report::exit::UserError;
use anyhow::{Context, Result};
use clap::ValueEnum;
use similar::TextDiff;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use undo::Undo;

/// Maximum size of a client's file, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The result of editing a file.
#[derive(Debug)]
struct Edited {
    /// The new text; `None` if only aidd's entries were in the file.
    text: Option<String>,
    /// Existing entries that differ from the template. They are not changed.
    differing: Vec<String>,
}

/// Why a file cannot be edited.
#[derive(Debug)]
struct Malformed {
    /// The line, counted from 1; `None` for the whole file.
    line: Option<usize>,
    why: String,
}

impl Malformed {
    fn at(text: &str, offset: usize, why: impl Into<String>) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Self { line: Some(line), why: why.into() }
    }

    fn at_start(why: impl Into<String>) -> Self {
        Self { line: None, why: why.into() }
    }
}

/// Facts about a client that its templates do not contain.
struct ClientFacts {
    client: Client,
    name: &'static str,
    /// Files and directories whose presence shows that the client is used in a project.
    signs: &'static [&'static str],
    /// The next step for the user after the setup.
    next: &'static str,
}

const CLIENTS: &[ClientFacts] = &[
    ClientFacts {
        client: Client::ClaudeCode,
        name: "Claude Code",
        signs: &[".claude", "CLAUDE.md"],
        next: "start Claude Code here and allow the server `aidd` when prompted",
    },
    ClientFacts {
        client: Client::Cursor,
        name: "Cursor",
        signs: &[".cursor", ".cursorrules"],
        next: "enable the server `aidd` in Cursor's settings, under MCP",
    },
    ClientFacts {
        client: Client::Vscode,
        name: "VS Code",
        signs: &[".vscode", ".github/copilot-instructions.md"],
        next: "start the server `aidd` from .vscode/mcp.json",
    },
    ClientFacts {
        client: Client::Codex,
        name: "Codex",
        signs: &[".codex"],
        next: "trust the project, and trust the hooks when Codex shows them for review",
    },
    ClientFacts {
        client: Client::Windsurf,
        name: "Windsurf",
        signs: &[".windsurf", ".windsurfrules", ".devin"],
        next: "Windsurf versions before Devin Desktop read servers only from ~/.codeium/windsurf/mcp_config.json: add the server there",
    },
    ClientFacts {
        client: Client::Zed,
        name: "Zed",
        signs: &[".zed", ".rules"],
        next: "trust the project; Zed has no hooks and reads AGENTS.md only if there is no .rules file",
    },
    ClientFacts {
        client: Client::Gemini,
        name: "Gemini CLI",
        signs: &[".gemini", "GEMINI.md"],
        next: "start Gemini CLI here and trust the directory",
    },
];

/// A planned change to a file.
struct Change {
    path: String,
    location: PathBuf,
    before: Option<String>,
    after: Option<String>,
    differing: Vec<String>,
}

impl Change {
    fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn label(&self, is_dry: bool) -> &'static str {
        match (&self.before, &self.after) {
            _ if self.is_empty() => "unchanged:",
            (None, _) if is_dry => "would write",
            (_, None) if is_dry => "would remove",
            _ if is_dry => "would change",
            (None, _) => "wrote",
            (_, None) => "removed",
            _ => "changed",
        }
    }
}

/// Sets up `clients` in the project of the current directory, or removes aidd from their files, and
/// prints the changes.
///
/// # Errors
/// Fails when a file is malformed, is outside the project or cannot be written. In these cases, no
/// file is changed.
pub fn run(clients: &[Client], remove: bool, is_dry: bool, io: &mut Io<'_>) -> Result<()> {
    let mut clients = clients.to_vec();
    clients.sort_unstable();
    clients.dedup();
    let root = io.cwd.clone();
    let tables = io.distribution.pages;
    let mut undo = Undo::read(&root);
    let changes = plan(tables, &root, &clients, remove, &undo)?;
    if is_dry {
        for change in changes.iter().filter(|change| !change.is_empty()) {
            print_change(change, io)?;
        }
    } else {
        apply(&root, &changes)?;
        record_undo(tables, &mut undo, &changes, remove);
        if let Err(error) = undo.save(&root) {
            writeln!(
                io.err,
                "note: --remove will not restore the original formatting of every file: {error:#}"
            )?;
        }
    }
    for change in &changes {
        // Do not mention a missing file from which there is nothing to remove.
        if change.is_empty() && change.before.is_none() {
            continue;
        }
        let output: &mut dyn Write = if is_dry { &mut io.err } else { &mut io.out };
        writeln!(output, "{} {}", change.label(is_dry), change.path)?;
        for entry in &change.differing {
            writeln!(
                io.err,
                "note: {}: `{entry}` differs from the template and was not changed",
                change.path
            )?;
        }
    }
    if !remove && !is_dry {
        for facts in CLIENTS.iter().filter(|facts| clients.contains(&facts.client)) {
            writeln!(io.err, "{}: {}", facts.name, facts.next)?;
        }
    }
    Ok(())
}

/// Prints which clients are used in the project but not set up.
///
/// # Errors
/// Fails when standard error cannot be written.
pub fn print_unconfigured_clients(io: &mut Io<'_>) -> Result<()> {
    let mut found = Vec::new();
    for facts in CLIENTS {
        let is_used = facts.signs.iter().any(|sign| io.cwd.join(sign).exists());
        if is_used && !is_set_up(io.distribution.pages, &io.cwd, facts.client) {
            found.push(facts);
        }
    }
    if !found.is_empty() {
        let names: Vec<&str> = found.iter().map(|facts| facts.name).collect();
        let options: Vec<String> =
            found.iter().map(|facts| format!("--client {}", client_name(facts.client))).collect();
        let (names, options) = (names.join(", "), options.join(" "));
        writeln!(io.err, "also found: {names}; set up with: aidd init {options}")?;
    }
    Ok(())
}

/// The client's name on the command line.
fn client_name(client: Client) -> String {
    client.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn templates(tables: &Tables, client: Client) -> impl Iterator<Item = &'static Template> + use<> {
    let name = client_name(client);
    tables.templates.iter().filter(move |template| template.client == name)
}

/// Whether a file that only this client reads contains an aidd entry.
fn is_set_up(tables: &Tables, root: &Path, client: Client) -> bool {
    let is_exclusive = |template: &&Template| {
        !tables
            .templates
            .iter()
            .any(|other| other.client != template.client && other.path == template.path)
    };
    templates(tables, client).filter(is_exclusive).any(|template| {
        let text = fs::read_to_string(root.join(template.path)).unwrap_or_default();
        edit(tables, template, Some(&text), true)
            .is_ok_and(|edited| edited.text.as_ref() != Some(&text))
    })
}

fn plan(
    tables: &Tables,
    root: &Path,
    clients: &[Client],
    remove: bool,
    undo: &Undo,
) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for template in clients.iter().flat_map(|client| templates(tables, *client)) {
        if changes.iter().any(|change| change.path == template.path) {
            continue;
        }
        if remove && is_needed(tables, root, template, clients) {
            continue;
        }
        changes.push(plan_change(tables, root, template, remove, undo)?);
    }
    Ok(changes)
}

/// Whether a client that remains set up reads the file of `template`.
fn is_needed(tables: &Tables, root: &Path, template: &Template, removed: &[Client]) -> bool {
    CLIENTS.iter().map(|facts| facts.client).any(|client| {
        !removed.contains(&client)
            && templates(tables, client).any(|other| other.path == template.path)
            && is_set_up(tables, root, client)
    })
}

/// Records the previous content of those changed files that a removal of aidd would not restore
/// exactly. Deletes the records of files from which aidd was removed.
fn record_undo(tables: &Tables, undo: &mut Undo, changes: &[Change], remove: bool) {
    for change in changes.iter().filter(|change| remove || !change.is_empty()) {
        let template = tables.templates.iter().find(|template| template.path == change.path);
        let Some(template) = template.filter(|_| !remove) else {
            undo.forget(&change.path);
            continue;
        };
        let without_aidd = |text: &Option<String>| {
            let (mark, text) = split_byte_order_mark(text.as_deref()?);
            let remaining = edit(tables, template, Some(text), true).ok()?.text?;
            Some(format!("{mark}{remaining}"))
        };
        let (after_without_aidd, before_without_aidd) =
            (without_aidd(&change.after), without_aidd(&change.before));
        undo.note(change, after_without_aidd.as_deref(), before_without_aidd.as_deref());
    }
}

/// Splits off a byte order mark.
fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 })
}

fn plan_change(
    tables: &Tables,
    root: &Path,
    template: &Template,
    remove: bool,
    undo: &Undo,
) -> Result<Change> {
    let path = template.path.to_owned();
    if Disk::new(root).to_relative(&path).as_deref() != Some(&path) {
        return Err(UserError::new(format!("{path} is a link to a file outside the project"))
            .hint("set up that client manually in the linked file")
            .into());
    }
    let location = root.join(&path);
    let before = read(&location, &path)?;
    if remove && before.is_none() {
        return Ok(Change { path, location, before: None, after: None, differing: Vec::new() });
    }
    let recorded =
        before.as_ref().filter(|_| remove).and_then(|text| undo.previous_content(&path, text));
    if let Some(recorded) = recorded {
        let after = Some(recorded.to_owned());
        return Ok(Change { path, location, before, after, differing: Vec::new() });
    }
    let (mark, text) = match before.as_deref().map(split_byte_order_mark) {
        Some((mark, text)) => (mark, Some(text)),
        None => ("", None),
    };
    let edited = edit(tables, template, text, remove).map_err(|error| malformed(&path, &error))?;
    let after = edited.text.map(|text| format!("{mark}{text}"));
    Ok(Change { path, location, before, after, differing: edited.differing })
}

fn malformed(path: &str, error: &Malformed) -> UserError {
    let location = error.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    UserError::new(format!("{location}: {}", error.why))
        .hint("fix the file and retry; nothing was changed")
}

fn edit(
    tables: &Tables,
    template: &Template,
    text: Option<&str>,
    remove: bool,
) -> Result<Edited, Malformed> {
    let template_text = template.text.replace("\r\n", "\n");
    let rules = tables.client_rules.replace("\r\n", "\n");
    let existing = text.filter(|text| !text.trim().is_empty());
    let extension = template.path.rsplit('.').next().unwrap_or_default();
    match (extension, remove, existing) {
        ("md" | "mdc", false, _) => rules::add(text, &template_text, &rules),
        ("md" | "mdc", true, _) => rules::remove(text.unwrap_or_default(), &template_text),
        (_, false, None) => Ok(Edited { text: Some(template_text), differing: Vec::new() }),
        (_, true, None) => Ok(Edited { text: text.map(str::to_owned), differing: Vec::new() }),
        ("toml", false, Some(text)) => toml::add(text, &template_text),
        ("toml", true, Some(text)) => toml::remove(text, &template_text),
        (_, false, Some(text)) => json::add(text, &template_text),
        (_, true, Some(text)) => json::remove(text, &template_text),
    }
}

fn read(location: &Path, path: &str) -> Result<Option<String>> {
    let error = |why: &str, remedy: &str| {
        UserError::new(format!("{path}: {why}"))
            .hint(format!("{remedy} and retry; nothing was changed"))
    };
    match fs::metadata(location) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(data) if data.len() > MAX_FILE_BYTES => {
            return Err(error("the file is too large", "move it away").into());
        }
        _ => {}
    }
    let bytes = fs::read(location).with_context(|| path.to_owned())?;
    let text = String::from_utf8(bytes);
    Ok(Some(text.map_err(|_| error("the file is not UTF-8", "save it as UTF-8"))?))
}

fn print_change(change: &Change, io: &mut Io<'_>) -> Result<()> {
    print_patch(&change.path, (change.before.as_deref(), change.after.as_deref()), io)
}

/// Adds the entries of the JSON object `template` that are missing in `text`; comments and
/// formatting stay.
///
/// # Errors
/// Fails with the reason when `text` is malformed or has values of other types.
pub(crate) fn merge_json(text: &str, template: &str) -> std::result::Result<String, String> {
    let edited = json::add(text, template).map_err(|malformed| malformed.why)?;
    Ok(edited.text.unwrap_or_default())
}

/// Prints the change of a file as a patch; `None` means a file that does not exist.
pub(crate) fn print_patch(
    path: &str,
    (before, after): (Option<&str>, Option<&str>),
    io: &mut Io<'_>,
) -> Result<()> {
    let name = |text: Option<&str>, side: &str| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name(before, "a"), name(after, "b"));
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    write!(io.out, "{}", diff.unified_diff().context_radius(3).header(&old, &new))?;
    Ok(())
}

/// Writes all changes. If one fails, reverts the changes that were already written.
fn apply(root: &Path, changes: &[Change]) -> Result<()> {
    let mut written: Vec<&Change> = Vec::new();
    for change in changes.iter().filter(|change| !change.is_empty()) {
        if let Err(error) = write_or_remove(root, &change.location, change.after.as_deref()) {
            for earlier in written {
                // Report only the first error.
                let _ = write_or_remove(root, &earlier.location, earlier.before.as_deref());
            }
            return Err(error.context(change.path.clone()));
        }
        written.push(change);
    }
    Ok(())
}

/// Writes `text` as the new content of a file. Without a text, deletes the file and the directories
/// that become empty.
fn write_or_remove(root: &Path, location: &Path, text: Option<&str>) -> Result<()> {
    let parent = location.parent().context("the file has no parent directory")?;
    let Some(text) = text else {
        fs::remove_file(location)?;
        for parent in location.ancestors().skip(1).take_while(|parent| *parent != root) {
            if fs::remove_dir(parent).is_err() {
                break;
            }
        }
        return Ok(());
    };
    fs::create_dir_all(parent)?;
    // Replace the target of a symbolic link, not the link.
    let target = fs::canonicalize(location).unwrap_or_else(|_| location.to_owned());
    let mut new = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(parent))?;
    new.write_all(text.as_bytes())?;
    match fs::metadata(&target) {
        Ok(data) => new.as_file().set_permissions(data.permissions())?,
        Err(_) => set_project_permissions(new.as_file())?,
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Sets the default permissions of project files. A temporary file is readable only by its owner.
#[cfg(unix)]
fn set_project_permissions(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "same signature as on Unix")]
fn set_project_permissions(_: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
