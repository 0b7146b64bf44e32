//! `aidd init --client`: the files that a client of an agent reads, made to know of aidd and to
//! forget it again. All changes are worked out before the first is written; what a user wrote is
//! never overwritten and never taken out.
//!
//! Which client reads what, and in which form, was looked up in the clients' own documentation in
//! November 2026: `content/hooks/<client>/` holds one file for each of theirs.

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

/// Most bytes that a file of a client may have.
const LARGEST: u64 = 8 << 20;

/// A file after it was worked on.
#[derive(Debug)]
struct Edited {
    /// `None`: nothing of anybody else's is left.
    text: Option<String>,
    /// What stands there in another form than ours, and stays so.
    kept: Vec<String>,
}

/// Why a file cannot be worked on.
#[derive(Debug)]
struct Malformed {
    /// The line, from 1; `None`: all of the file.
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

/// What is known of a client beside its files.
struct Facts {
    client: Client,
    name: &'static str,
    /// Files and folders that it leaves in a project.
    signs: &'static [&'static str],
    /// What its user has to do yet.
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
        next: "switch the server `aidd` on in its settings, under MCP",
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
        next: "versions before Devin Desktop read servers in ~/.codeium/windsurf/mcp_config.json only",
    },
    Facts {
        client: Client::Zed,
        name: "Zed",
        signs: &[".zed", ".rules"],
        next: "trust the project; it has no hooks, and reads AGENTS.md only where there is no .rules",
    },
    Facts {
        client: Client::Gemini,
        name: "Gemini CLI",
        signs: &[".gemini", "GEMINI.md"],
        next: "start it here and trust the folder",
    },
];

/// What is to become of a file.
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

/// Sets `clients` up in the project at the current folder, or takes aidd out of their files; says
/// what it did.
///
/// # Errors
/// When a file is malformed, leads out of the project or cannot be written; then none is changed.
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
            writeln!(io.err, "note: --remove will not bring back every layout: {error:#}")?;
        }
    }
    for change in &changes {
        // Of a file that is not there, nothing is to be said when aidd is taken out.
        if change.is_none() && change.before.is_none() {
            continue;
        }
        let to: &mut dyn Write = if is_dry { &mut io.err } else { &mut io.out };
        writeln!(to, "{} {}", change.word(is_dry), change.path)?;
        for place in &change.kept {
            writeln!(io.err, "note: {}: `{place}` has a form of its own, and stays", change.path)?;
        }
    }
    if !remove && !is_dry {
        for facts in CLIENTS.iter().filter(|facts| clients.contains(&facts.client)) {
            writeln!(io.err, "{}: {}", facts.name, facts.next)?;
        }
    }
    Ok(())
}

/// Says which clients were here before and are not set up; nothing when there is none.
///
/// # Errors
/// When standard error cannot be written.
pub fn tell_others(io: &mut Io<'_>) -> Result<()> {
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
        writeln!(io.err, "found here: {names}; aidd init {options} sets up what it reads")?;
    }
    Ok(())
}

/// The name that a client goes by on the command line.
fn word(client: Client) -> String {
    client.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn templates(tables: &Tables, client: Client) -> impl Iterator<Item = &'static Template> + use<> {
    let name = word(client);
    tables.templates.iter().filter(move |template| template.client == name)
}

/// Whether a file that only this client reads has something of aidd.
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

/// Whether a client that stays reads the same file.
fn is_needed(tables: &Tables, root: &Path, template: &Template, leaving: &[Client]) -> bool {
    CLIENTS.iter().map(|facts| facts.client).any(|client| {
        !leaving.contains(&client)
            && templates(tables, client).any(|other| other.path == template.path)
            && is_set_up(tables, root, client)
    })
}

/// Notes what taking aidd out of changed files would not bring back; forgets those it was taken out
/// of.
fn note(tables: &Tables, undo: &mut Undo, changes: &[Change], remove: bool) {
    for change in changes.iter().filter(|change| remove || !change.is_none()) {
        let template = tables.templates.iter().find(|template| template.path == change.path);
        let Some(template) = template.filter(|_| !remove) else {
            undo.forget(&change.path);
            continue;
        };
        let without = |text: &Option<String>| {
            let (mark, text) = marked(text.as_deref()?);
            let left = edit(tables, template, Some(text), true).ok()?.text?;
            Some(format!("{mark}{left}"))
        };
        let (removed, bare) = (without(&change.after), without(&change.before));
        undo.note(change, removed.as_deref(), bare.as_deref());
    }
}

/// A text after the mark of its encoding, should it begin with one.
fn marked(text: &str) -> (&str, &str) {
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
        return Err(UserError::new(format!("{path} is a link that leads out of the project"))
            .hint("set that client up by hand, where the link leads")
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
    let (mark, text) = match before.as_deref().map(marked) {
        Some((mark, text)) => (mark, Some(text)),
        None => ("", None),
    };
    let edited = edit(tables, template, text, remove).map_err(|error| malformed(&path, &error))?;
    let after = edited.text.map(|text| format!("{mark}{text}"));
    Ok(Change { path, place, before, after, kept: edited.kept })
}

fn malformed(path: &str, error: &Malformed) -> UserError {
    let place = error.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
    UserError::new(format!("{place}: {}", error.why))
        .hint("fix that file and try again; nothing was changed")
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
        (_, false, None) => Ok(Edited { text: Some(wanted), kept: Vec::new() }),
        (_, true, None) => Ok(Edited { text: text.map(str::to_owned), kept: Vec::new() }),
        ("toml", false, Some(text)) => toml::add(text, &wanted),
        ("toml", true, Some(text)) => toml::remove(text, &wanted),
        (_, false, Some(text)) => json::add(text, &wanted),
        (_, true, Some(text)) => json::remove(text, &wanted),
    }
}

fn read(place: &Path, path: &str) -> Result<Option<String>> {
    let refused = |why: &str, remedy: &str| {
        UserError::new(format!("{path}: {why}"))
            .hint(format!("{remedy} and try again; nothing was changed"))
    };
    match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(data) if data.len() > LARGEST => {
            return Err(refused("the file is too large to be a set-up", "move it away").into());
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

/// Writes all changes; when one fails, those before it are taken back.
fn apply(root: &Path, changes: &[Change]) -> Result<()> {
    let mut done: Vec<&Change> = Vec::new();
    for change in changes.iter().filter(|change| !change.is_none()) {
        if let Err(error) = put(root, &change.place, change.after.as_deref()) {
            for earlier in done {
                // What cannot be taken back either is no worse than what failed.
                let _ = put(root, &earlier.place, earlier.before.as_deref());
            }
            return Err(error.context(change.path.clone()));
        }
        done.push(change);
    }
    Ok(())
}

/// Makes `text` the whole of a file, or takes the file away and the folders that are empty then.
fn put(root: &Path, place: &Path, text: Option<&str>) -> Result<()> {
    let folder = place.parent().context("a file lies in a folder")?;
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
    // Through a link, the file it leads to is the one to replace.
    let target = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    let mut new = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(folder))?;
    new.write_all(text.as_bytes())?;
    match fs::metadata(&target) {
        Ok(data) => new.as_file().set_permissions(data.permissions())?,
        Err(_) => share(new.as_file())?,
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file is its owner's alone; one of a project is as readable as those beside it.
#[cfg(unix)]
fn share(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the twin of another system's function")]
fn share(_: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
