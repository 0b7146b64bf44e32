//! `aidd memory`: the project's memory on the command line. Each command calls the engine and
//! prints the result.

mod accept;
mod add;
mod change;
mod doctor;
mod export;
mod find;
mod import;
mod maintenance;
mod show;
mod time_argument;

use crate::cli::{Memory, MemoryCommand};
use aidd_engine::project::git::Repository;
use aidd_memory::journal::{self, Journal};
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::{BackendChoice, Layers, Query, json, sqlite};
use aidd_memory::types::{Entry, Status};
use aidd_memory::{MemoryError, READ_ONLY};
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
/// Fails when the memory cannot be read or written, or an id is unknown.
pub fn run(args: &Memory, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let root = project::root_of(&io.cwd);
    if let MemoryCommand::Doctor { fix } = &args.command {
        return doctor::run(&root, *fix, args.json, io);
    }
    // A command that only reads must not create files for an empty memory, so it uses a temporary
    // directory.
    let empty_dir = if exists(&root) || can_write(&args.command) {
        None
    } else {
        if !matches!(args.command, MemoryCommand::Import(_)) {
            writeln!(io.err, "the memory is empty; start with: aidd memory add")?;
        }
        Some(tempfile::tempdir()?)
    };
    let location = empty_dir.as_ref().map_or(&*root, |directory| directory.path());
    let memory =
        ProjectMemory::open(io.distribution, location, BackendChoice::default(), system_clock())
            .map_err(to_user_error)?;
    let paint = Paint(io.style(color).color);
    let mut context = MemoryCommandContext { memory, io, root: &root, json: args.json, paint };
    let result = command(&args.command, &mut context);
    let mut notices = context.memory.take_notices();
    notices.extend(context.memory.new_unread_notice());
    if let Err(error) = &result {
        // Omit a notice whose reason is already part of the error of a command that writes.
        let error = error.to_string();
        let is_repeated = |notice: &String| {
            let why = notice.strip_suffix(READ_ONLY);
            why.is_some_and(|why| error.contains(why))
        };
        notices.retain(|notice| !is_repeated(notice));
    }
    for notice in notices {
        writeln!(context.io.err, "note: {}", one_line(&notice))?;
    }
    result
}

fn command(command: &MemoryCommand, context: &mut MemoryCommandContext<'_, '_>) -> Result<Exit> {
    match command {
        MemoryCommand::Add(new) => add::run(new, context)?,
        MemoryCommand::Search(args) => find::search(args, context)?,
        MemoryCommand::Show { ids } => show::run(ids, context)?,
        MemoryCommand::Timeline { id, depth } => find::timeline(id, *depth, context)?,
        MemoryCommand::Recent(args) => find::recent(args, context)?,
        MemoryCommand::Topics => find::topics(context)?,
        MemoryCommand::Edit(args) => change::edit(args, context)?,
        MemoryCommand::Supersede { id, new } => add::supersede(id, new, context)?,
        MemoryCommand::Outcome { id, outcome, reason } => {
            change::outcome(id, *outcome, reason.as_deref(), context)?;
        }
        MemoryCommand::Remove { ids, reason } => change::remove(ids, reason.as_deref(), context)?,
        MemoryCommand::Conflicts => change::print_conflicts(context)?,
        MemoryCommand::Resolve { id, rev } => {
            change::resolve_conflict(id, rev.as_deref(), context)?;
        }
        MemoryCommand::Link { from, relation, to, reason } => {
            change::link(from, *relation, to, reason.as_deref(), context)?;
        }
        MemoryCommand::Export(args) => export::run(args, context)?,
        MemoryCommand::Import(args) => import::run(args, context)?,
        MemoryCommand::Accept(args) => accept::run(args, context)?,
        MemoryCommand::Rebuild => maintenance::rebuild(context)?,
        MemoryCommand::Prune(args) => maintenance::prune(args, context)?,
        MemoryCommand::Forget { .. } => maintenance::forget(context)?,
        MemoryCommand::Sessions(args) => maintenance::print_sessions(args, context)?,
        MemoryCommand::Branch(args) => maintenance::branch(args, context)?,
        // Handled before the memory is opened.
        MemoryCommand::Doctor { .. } => {}
    }
    Ok(Exit::Clean)
}

/// Whether a command can write to an empty memory.
fn can_write(command: &MemoryCommand) -> bool {
    match command {
        MemoryCommand::Add(_) | MemoryCommand::Rebuild => true,
        MemoryCommand::Import(import) => !import.dry_run,
        _ => false,
    }
}

/// Whether the project at `root` has a memory.
pub(crate) fn exists(root: &Path) -> bool {
    let directory = root.join(".aidd");
    sqlite::exists(&directory)
        || json::exists(&directory)
        || Journal::new(root)
            .sources()
            .iter()
            // Includes links that cannot be followed, so that they are reported.
            .any(|(_, path)| root.join(path).symlink_metadata().is_ok())
        || root.join(journal::BRANCHES).is_dir()
}

/// Context of a running command: the memory and the output.
struct MemoryCommandContext<'a, 'io> {
    memory: ProjectMemory,
    io: &'a mut Io<'io>,
    root: &'a Path,
    json: bool,
    paint: Paint,
}

impl MemoryCommandContext<'_, '_> {
    /// Prints `value` as JSON if `--json` is set; returns whether `--json` is set.
    fn print_json(&mut self, value: &impl Serialize) -> Result<bool> {
        if self.json {
            self.io.out.json(value)?;
        }
        Ok(self.json)
    }

    /// The memory with the id `id`, which can be shortened.
    fn entry(&mut self, id: &str) -> Result<Entry> {
        let id = id.trim();
        if let Some(entry) =
            self.memory.read(&mut |store| store.entry(id)).map_err(to_user_error)?
        {
            return Ok(entry);
        }
        let all = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
        let all = self.memory.read(&mut |store| store.entries(&all)).map_err(to_user_error)?;
        let is_short = |entry: &Entry| {
            let prefix = entry.id.strip_suffix(id);
            id.len() >= MIN_ID_LENGTH && prefix.is_some_and(|prefix| prefix.ends_with('_'))
                || id.len() >= MIN_ID_LENGTH
                    && entry.id.rsplit('_').next().is_some_and(|hash| hash.starts_with(id))
        };
        let mut matching: Vec<Entry> = all.into_iter().filter(is_short).collect();
        match (matching.pop(), matching.is_empty()) {
            (Some(entry), true) => Ok(entry),
            (None, _) => Err(UserError::new(format!("unknown memory `{id}`"))
                .hint("`aidd memory recent` and `aidd memory search` print ids")
                .into()),
            (Some(_), false) => Err(UserError::new(format!("`{id}` matches several ids"))
                .hint("pass the full id")
                .into()),
        }
    }

    /// Resolves a possibly shortened id.
    fn id(&mut self, id: &str) -> Result<String> {
        Ok(self.entry(id)?.id)
    }

    /// Text from the command line; `-` reads standard input.
    fn text(&mut self, argument: &str) -> Result<String> {
        if argument != "-" {
            return Ok(argument.to_owned());
        }
        let mut text = String::new();
        self.io
            .stdin
            .read_to_string(&mut text)
            .map_err(|error| UserError::new(format!("standard input: {error}")))?;
        Ok(text.trim_end().to_owned())
    }
}

/// Minimum length of a shortened id, in bytes.
const MIN_ID_LENGTH: usize = 4;

/// Converts an error of the memory and adds a remedy.
#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
pub(crate) fn to_user_error(error: MemoryError) -> anyhow::Error {
    let hint = match &error {
        MemoryError::Unknown { item: "memory", .. } => {
            "`aidd memory recent` and `aidd memory search` print ids"
        }
        MemoryError::Unknown { item: "branch", id } => {
            return UserError::new(format!("the memory contains nothing about the branch `{id}`"))
                .hint("`aidd memory branch --list` lists the branches in the memory")
                .into();
        }
        MemoryError::Unknown { item: "work entry", .. } => "`aidd work list` lists the entries",
        MemoryError::Unknown { item: "session", .. } => "`aidd memory sessions` lists sessions",
        MemoryError::Corrupt(_) => {
            "run `aidd memory doctor --fix` to rebuild the store from the tracked files"
        }
        MemoryError::Store(_) | MemoryError::Io { .. } => {
            "run `aidd memory doctor` to find the cause"
        }
        MemoryError::Unwritable(_) => {
            "make the directory .aidd and its files writable, and free disk space if it is full"
        }
        _ => return UserError::new(error.to_string()).into(),
    };
    UserError::new(error.to_string()).hint(hint).into()
}

/// Terminal colors, if enabled.
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

/// The branch checked out at `root`; `None` outside a repository and on a detached HEAD.
pub(crate) fn current_branch(root: &Path) -> Option<String> {
    Repository::open(root).ok()?.branch()
}
