//! `aidd memory`: what a project remembers, for people at a terminal. Each command asks the engine
//! and prints what it says; nothing is decided here.

mod add;
mod change;
mod doctor;
mod export;
mod find;
mod import;
mod keep;
mod show;
pub(crate) mod when;

use crate::cli::{Memory, MemoryCommand};
use aidd_engine::project::git::Repository;
use aidd_memory::MemoryError;
use aidd_memory::journal::{self, Journal};
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::{Layers, Query, Wanted, json, sqlite};
use aidd_memory::types::{Entry, Status};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::one_line;
use aidd_report::project;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Runs `aidd memory …`.
///
/// # Errors
/// When the memory cannot be read or written, or nothing has the id that was asked for.
pub fn run(args: &Memory, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let root = project::root_of(&io.cwd);
    if let MemoryCommand::Doctor { fix } = &args.command {
        return doctor::run(&root, *fix, args.json, io);
    }
    // Looking for something where nothing was remembered leaves no trace.
    let nothing = if is_begun(&root) || writes(&args.command) {
        None
    } else {
        if !matches!(args.command, MemoryCommand::Import(_)) {
            writeln!(io.err, "nothing is remembered here yet; begin with: aidd memory add")?;
        }
        Some(tempfile::tempdir()?)
    };
    let at = nothing.as_ref().map_or(&*root, |folder| folder.path());
    let memory = ProjectMemory::open(io.distribution, at, Wanted::default(), system_clock())
        .map_err(said)?;
    let paint = Paint(io.style(color).color);
    let mut desk = Desk { memory, io, root: &root, json: args.json, paint };
    let ended = command(&args.command, &mut desk);
    for notice in desk.memory.take_notices() {
        writeln!(desk.io.err, "note: {}", one_line(&notice))?;
    }
    ended
}

fn command(command: &MemoryCommand, desk: &mut Desk<'_, '_>) -> Result<Exit> {
    match command {
        MemoryCommand::Add(new) => add::run(new, desk)?,
        MemoryCommand::Search(args) => find::search(args, desk)?,
        MemoryCommand::Show { ids } => show::run(ids, desk)?,
        MemoryCommand::Timeline { id, depth } => find::timeline(id, *depth, desk)?,
        MemoryCommand::Recent(args) => find::recent(args, desk)?,
        MemoryCommand::Topics => find::topics(desk)?,
        MemoryCommand::Edit(args) => change::edit(args, desk)?,
        MemoryCommand::Supersede { id, new } => add::supersede(id, new, desk)?,
        MemoryCommand::Outcome { id, outcome, reason } => {
            change::outcome(id, *outcome, reason.as_deref(), desk)?;
        }
        MemoryCommand::Remove { ids, reason } => change::remove(ids, reason.as_deref(), desk)?,
        MemoryCommand::Conflicts => change::conflicts(desk)?,
        MemoryCommand::Settle { id, rev } => change::settle(id, rev.as_deref(), desk)?,
        MemoryCommand::Link { from, relation, to, reason } => {
            change::link(from, *relation, to, reason.as_deref(), desk)?;
        }
        MemoryCommand::Export(args) => export::run(args, desk)?,
        MemoryCommand::Import(args) => import::run(args, desk)?,
        MemoryCommand::Rebuild => keep::rebuild(desk)?,
        MemoryCommand::Prune(args) => keep::prune(args, desk)?,
        MemoryCommand::Sessions(args) => keep::sessions(args, desk)?,
        MemoryCommand::Branch(args) => keep::branch(args, desk)?,
        // Served before the memory is opened.
        MemoryCommand::Doctor { .. } => {}
    }
    Ok(Exit::Clean)
}

/// Whether a command has something to write where nothing is remembered yet.
fn writes(command: &MemoryCommand) -> bool {
    match command {
        MemoryCommand::Add(_) | MemoryCommand::Rebuild => true,
        MemoryCommand::Import(import) => !import.dry_run,
        _ => false,
    }
}

/// Whether anything is remembered in the project at `root`.
pub(crate) fn is_begun(root: &Path) -> bool {
    let folder = root.join(".aidd");
    sqlite::exists(&folder)
        || json::exists(&folder)
        || Journal::new(root).sources().iter().any(|(_, path)| root.join(path).is_file())
        || root.join(journal::BRANCHES).is_dir()
}

/// A command at work: the memory, and how it answers.
struct Desk<'a, 'io> {
    memory: ProjectMemory,
    io: &'a mut Io<'io>,
    root: &'a Path,
    json: bool,
    paint: Paint,
}

impl Desk<'_, '_> {
    /// Prints `answer` as JSON when that is wanted; whether it was.
    fn answered(&mut self, answer: &impl Serialize) -> Result<bool> {
        if self.json {
            self.io.out.json(answer)?;
        }
        Ok(self.json)
    }

    /// The whole of a memory: by its id, or by the last part of it.
    fn entry(&mut self, id: &str) -> Result<Entry> {
        let id = id.trim();
        if let Some(entry) = self.memory.read(&mut |store| store.entry(id)).map_err(said)? {
            return Ok(entry);
        }
        let all = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
        let all = self.memory.read(&mut |store| store.entries(&all)).map_err(said)?;
        let is_short = |entry: &Entry| {
            let before = entry.id.strip_suffix(id);
            id.len() >= SHORTEST && before.is_some_and(|before| before.ends_with('_'))
                || id.len() >= SHORTEST
                    && entry.id.rsplit('_').next().is_some_and(|hash| hash.starts_with(id))
        };
        let mut found: Vec<Entry> = all.into_iter().filter(is_short).collect();
        match (found.pop(), found.is_empty()) {
            (Some(entry), true) => Ok(entry),
            (None, _) => Err(UserError::new(format!("there is no memory `{id}`"))
                .hint("`aidd memory recent` and `aidd memory search` print ids")
                .into()),
            (Some(_), false) => Err(UserError::new(format!("`{id}` is the end of several ids"))
                .hint("give the whole id")
                .into()),
        }
    }

    /// The whole id of a memory.
    fn id(&mut self, id: &str) -> Result<String> {
        Ok(self.entry(id)?.id)
    }

    /// A text as it was typed; `-` is standard input.
    fn text(&mut self, typed: &str) -> Result<String> {
        if typed != "-" {
            return Ok(typed.to_owned());
        }
        let mut text = String::new();
        self.io
            .stdin
            .read_to_string(&mut text)
            .map_err(|error| UserError::new(format!("standard input: {error}")))?;
        Ok(text.trim_end().to_owned())
    }
}

/// The fewest letters that may stand for an id.
const SHORTEST: usize = 4;

/// An error of the memory, with what to do.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn said(error: MemoryError) -> anyhow::Error {
    let hint = match &error {
        MemoryError::Unknown { what: "memory", .. } => {
            "`aidd memory recent` and `aidd memory search` print ids"
        }
        MemoryError::Unknown { what: "branch", .. } => "`aidd memory branch --list` names them",
        MemoryError::Unknown { what: "session", .. } => "`aidd memory sessions` lists them",
        MemoryError::Corrupt(_) => "`aidd memory doctor --fix` makes it anew of the tracked files",
        MemoryError::Store(_) | MemoryError::Io { .. } => "`aidd memory doctor` says what is wrong",
        _ => return UserError::new(error.to_string()).into(),
    };
    UserError::new(error.to_string()).hint(hint).into()
}

/// Colours, where they are wanted.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn bold(self, text: &str) -> String {
        let text = one_line(text);
        if self.0 { format!("\x1b[1m{text}\x1b[0m") } else { text }
    }

    fn dim(self, text: &str) -> String {
        let text = one_line(text);
        if self.0 { format!("\x1b[2m{text}\x1b[0m") } else { text }
    }
}

/// The branch that is checked out at `root`; `None` outside a repository, and on no branch.
pub(crate) fn checked_out(root: &Path) -> Option<String> {
    Repository::open(root).ok()?.branch()
}
