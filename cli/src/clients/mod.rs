//! `aidd init --client`: adds aidd to the files that an agent client reads, and removes it again.
//! All changes are computed before the first file is written; user content is never overwritten or
//! removed.
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
    /// Entries of the user that differ from the template and are not changed.
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

/// Facts about a client that are not in its templates.
struct Facts {
    client: Client,
    name: &'static str,
    /// Files and directories that indicate the client is used in a project.
    signs: &'static [&'static str],
    /// The next step for the user after the setup.
    next: &'static str,
}

const CLIENTS: &[Facts] = &[
    Facts {
        client: Client::ClaudeCode,
        name: "Claude Code",
        signs: &[".claude", "CLAUDE.md"],
        next: "start it here and allow the server `aidd` when it asks",
    },
    Facts {
        client: Client::Cursor,
        name: "Cursor",
        signs: &[".cursor", ".cursorrules"],
        next: "enable the server `aidd` in its settings, under MCP",
    },
    Facts {
        client: Client::Vscode,
        name: "VS Code",
        signs: &[".vscode", ".github/copilot-instructions.md"],
        next: "start the server `aidd` from .vscode/mcp.json",
    },
    Facts {
        client: Client::Codex,
        name: "Codex",
        signs: &[".codex"],
        next: "trust the project, and the hooks when it shows them for review",
    },
    Facts {
        client: Client::Windsurf,
        name: "Windsurf",
        signs: &[".windsurf", ".windsurfrules", ".devin"],
        next: "versions before Devin Desktop read servers only from ~/.codeium/windsurf/mcp_config.json",
    },
    Facts {
        client: Client::Zed,
        name: "Zed",
        signs: &[".zed", ".rules"],
        next: "trust the project; Zed has no hooks and reads AGENTS.md only without a .rules file",
    },
    Facts {
        client: Client::Gemini,
        name: "Gemini CLI",
        signs: &[".gemini", "GEMINI.md"],
        next: "start it here and trust the directory",
    },
];

/// A planned change of a file.
struct Change {
    path: String,
    place: PathBuf,
    before: Option<String>,
    after: Option<String>,
    kept: Vec<String>,
}

impl Change {
    fn is_none(&self) -> bool {
        self.before == self.after
    }

    fn word(&self, is_dry: bool) -> &'static str {
        match (&self.before, &self.after) {
            _ if self.is_none() => "kept",
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
/// When a file is malformed, is outside the project or cannot be written; then no file is changed.
pub fn run(clients: &[Client], remove: bool, is_dry: bool, io: &mut Io<'_>) -> Result<()> {
    let mut clients = clients.to_vec();
    clients.sort_unstable();
    clients.dedup();
    let root = io.cwd.clone();
    let tables = io.distribution.pages;
    let mut undo = Undo::read(&root);
    let changes = plan(tables, &root, &clients, remove, &undo)?;
    if is_dry {
        for change in changes.iter().filter(|change| !change.is_none()) {
            show(change, io)?;
        }
    } else {
        apply(&root, &changes)?;
        note(tables, &mut undo, &changes, remove);
        if let Err(error) = undo.save(&root) {
            writeln!(
                io.err,
                "note: --remove will not restore the original formatting of every file: {error:#}"
            )?;
        }
    }
    for change in &changes {
        // Removing aidd from a missing file is not worth a line.
        if change.is_none() && change.before.is_none() {
            continue;
        }
        let to: &mut dyn Write = if is_dry { &mut io.err } else { &mut io.out };
        writeln!(to, "{} {}", change.word(is_dry), change.path)?;
        for place in &change.kept {
            writeln!(
                io.err,
                "note: {}: `{place}` differs from the template and was not changed",
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
/// When standard error cannot be written.
pub fn print_unconfigured_clients(io: &mut Io<'_>) -> Result<()> {
    let mut found = Vec::new();
    for facts in CLIENTS {
        let is_here = facts.signs.iter().any(|sign| io.cwd.join(sign).exists());
        if is_here && !is_set_up(io.distribution.pages, &io.cwd, facts.client) {
            found.push(facts);
        }
    }
    if !found.is_empty() {
        let names: Vec<&str> = found.iter().map(|facts| facts.name).collect();
        let options: Vec<String> =
            found.iter().map(|facts| format!("--client {}", word(facts.client))).collect();
        let (names, options) = (names.join(", "), options.join(" "));
        writeln!(io.err, "also found: {names}; set up with: aidd init {options}")?;
    }
    Ok(())
}

/// The client's name on the command line.
fn word(client: Client) -> String {
    client.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn templates(tables: &Tables, client: Client) -> impl Iterator<Item = &'static Template> + use<> {
    let name = word(client);
    tables.templates.iter().filter(move |template| template.client == name)
}

/// Whether a file that only this client reads contains an aidd entry.
fn is_set_up(tables: &Tables, root: &Path, client: Client) -> bool {
    let own = |template: &&Template| {
        !tables
            .templates
            .iter()
            .any(|other| other.client != template.client && other.path == template.path)
    };
    templates(tables, client).filter(own).any(|template| {
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
        changes.push(change(tables, root, template, remove, undo)?);
    }
    Ok(changes)
}

/// Whether another client that stays set up reads the same file.
fn is_needed(tables: &Tables, root: &Path, template: &Template, leaving: &[Client]) -> bool {
    CLIENTS.iter().map(|facts| facts.client).any(|client| {
        !leaving.contains(&client)
            && templates(tables, client).any(|other| other.path == template.path)
            && is_set_up(tables, root, client)
    })
}

/// Records the previous content of changed files where removing aidd would not restore it, and
/// forgets the files that aidd was removed from.
fn note(tables: &Tables, undo: &mut Undo, changes: &[Change], remove: bool) {
    for change in changes.iter().filter(|change| remove || !change.is_none()) {
        let template = tables.templates.iter().find(|template| template.path == change.path);
        let Some(template) = template.filter(|_| !remove) else {
            undo.forget(&change.path);
            continue;
        };
        let without = |text: &Option<String>| {
            let (mark, text) = split_byte_order_mark(text.as_deref()?);
            let left = edit(tables, template, Some(text), true).ok()?.text?;
            Some(format!("{mark}{left}"))
        };
        let (removed, bare) = (without(&change.after), without(&change.before));
        undo.note(change, removed.as_deref(), bare.as_deref());
    }
}

/// Splits off a byte order mark.
fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 })
}

fn change(
    tables: &Tables,
    root: &Path,
    template: &Template,
    remove: bool,
    undo: &Undo,
) -> Result<Change> {
    let path = template.path.to_owned();
    if Disk::new(root).inside(&path).as_deref() != Some(&path) {
        return Err(UserError::new(format!("{path} is a link to a file outside the project"))
            .hint("set up that client manually in the linked file")
            .into());
    }
    let place = root.join(&path);
    let before = read(&place, &path)?;
    if remove && before.is_none() {
        return Ok(Change { path, place, before: None, after: None, kept: Vec::new() });
    }
    let known = before.as_ref().filter(|_| remove).and_then(|text| undo.before(&path, text));
    if let Some(known) = known {
        let after = Some(known.to_owned());
        return Ok(Change { path, place, before, after, kept: Vec::new() });
    }
    let (mark, text) = match before.as_deref().map(split_byte_order_mark) {
        Some((mark, text)) => (mark, Some(text)),
        None => ("", None),
    };
    let edited = edit(tables, template, text, remove).map_err(|error| malformed(&path, &error))?;
    let after = edited.text.map(|text| format!("{mark}{text}"));
    Ok(Change { path, place, before, after, kept: edited.differing })
}

fn malformed(path: &str, error: &Malformed) -> UserError {
    let place = error.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    UserError::new(format!("{place}: {}", error.why))
        .hint("fix the file and retry; nothing was changed")
}

fn edit(
    tables: &Tables,
    template: &Template,
    text: Option<&str>,
    remove: bool,
) -> Result<Edited, Malformed> {
    let wanted = template.text.replace("\r\n", "\n");
    let rules = tables.client_rules.replace("\r\n", "\n");
    let filled = text.filter(|text| !text.trim().is_empty());
    let ending = template.path.rsplit('.').next().unwrap_or_default();
    match (ending, remove, filled) {
        ("md" | "mdc", false, _) => rules::add(text, &wanted, &rules),
        ("md" | "mdc", true, _) => rules::remove(text.unwrap_or_default(), &wanted),
        (_, false, None) => Ok(Edited { text: Some(wanted), differing: Vec::new() }),
        (_, true, None) => Ok(Edited { text: text.map(str::to_owned), differing: Vec::new() }),
        ("toml", false, Some(text)) => toml::add(text, &wanted),
        ("toml", true, Some(text)) => toml::remove(text, &wanted),
        (_, false, Some(text)) => json::add(text, &wanted),
        (_, true, Some(text)) => json::remove(text, &wanted),
    }
}

fn read(place: &Path, path: &str) -> Result<Option<String>> {
    let refused = |why: &str, remedy: &str| {
        UserError::new(format!("{path}: {why}"))
            .hint(format!("{remedy} and retry; nothing was changed"))
    };
    match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(data) if data.len() > MAX_FILE_BYTES => {
            return Err(refused("the file is too large", "move it away").into());
        }
        _ => {}
    }
    let bytes = fs::read(place).with_context(|| path.to_owned())?;
    let text = String::from_utf8(bytes);
    Ok(Some(text.map_err(|_| refused("the file is not UTF-8", "save it as UTF-8"))?))
}

fn show(change: &Change, io: &mut Io<'_>) -> Result<()> {
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let name = |text: &Option<String>, side: &str| match text {
        Some(_) => format!("{side}/{}", change.path),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name(&change.before, "a"), name(&change.after, "b"));
    let diff = TextDiff::from_lines(before, after);
    write!(io.out, "{}", diff.unified_diff().context_radius(3).header(&old, &new))?;
    Ok(())
}

/// Writes all changes; if one fails, the changes before it are reverted.
fn apply(root: &Path, changes: &[Change]) -> Result<()> {
    let mut done: Vec<&Change> = Vec::new();
    for change in changes.iter().filter(|change| !change.is_none()) {
        if let Err(error) = write_or_remove(root, &change.place, change.after.as_deref()) {
            for earlier in done {
                // An error here adds nothing to the first one.
                let _ = write_or_remove(root, &earlier.place, earlier.before.as_deref());
            }
            return Err(error.context(change.path.clone()));
        }
        done.push(change);
    }
    Ok(())
}

/// Writes `text` as the new content of a file, or deletes the file and the directories that are
/// then empty.
fn write_or_remove(root: &Path, place: &Path, text: Option<&str>) -> Result<()> {
    let folder = place.parent().context("the file has no parent directory")?;
    let Some(text) = text else {
        fs::remove_file(place)?;
        for folder in place.ancestors().skip(1).take_while(|folder| *folder != root) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        return Ok(());
    };
    fs::create_dir_all(folder)?;
    // Replace the target of a symbolic link, not the link.
    let target = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    let mut new = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(folder))?;
    new.write_all(text.as_bytes())?;
    match fs::metadata(&target) {
        Ok(data) => new.as_file().set_permissions(data.permissions())?,
        Err(_) => set_project_permissions(new.as_file())?,
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file is readable only by its owner; give it the usual permissions of project files.
#[cfg(unix)]
fn set_project_permissions(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "same signature as on Unix")]
fn share(_: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
