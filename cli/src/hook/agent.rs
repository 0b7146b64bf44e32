//! The hooks that an agent client runs. They read the event on standard input and answer in the
//! client's format. Errors must not block the agent, so they are reported on standard error and the
//! client receives no answer.

mod answer;
mod edit_checker;
mod edits;
mod figures;
mod paths;
mod payload;

mod reads;
mod recall;
mod record;
mod transcript;
mod usage;

use crate::cli::Cli;
use crate::{Io, Output};
use aidd_authoring::evolve::Evolve;
use aidd_engine::check::Distribution;
use aidd_engine::project::config::{self, Config};
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::workspace::project::Project;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_memory::usage::event::Edit;
use aidd_report::exit::Exit;
use aidd_report::project;
use answer::Answer;
use anyhow::{Context, Result, anyhow, bail};
use clap::CommandFactory;
use edit_checker::EditChecker;
use edits::Proposal;
pub(super) use payload::Payload;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// Maximum size of the input, in bytes. It contains the file that an agent writes, as JSON.
const MAX_INPUT_BYTES: u64 = 16 << 20;
/// Time limit of a hook in seconds, unless [`TIME_LIMIT_VARIABLE`] sets another limit. Clients wait
/// for ten seconds or longer and block the agent meanwhile.
const TIME_LIMIT_SECONDS: u64 = 3;
/// Environment variable with the time limit in seconds, for slow or busy machines.
const TIME_LIMIT_VARIABLE: &str = "AIDD_HOOK_LIMIT";

/// Maximum duration of the trial of a drafted rule at the end of a session.
const HOOK_TRIAL: Duration = Duration::from_millis(500);

/// Stack size of the worker thread in bytes, equal to the typical stack size of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// The event that a client runs a hook for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    SessionStart,
    PreToolUse,
    PostToolUse,
    PreCompact,
    Stop,
    SessionEnd,
}

/// The names of all agent hooks on the command line.
const NAMES: [&str; 7] = [
    "session-start",
    "user-prompt",
    "pre-tool-use",
    "post-tool-use",
    "pre-compact",
    "stop",
    "session-end",
];

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::PreToolUse => "pre-tool-use",
            Self::PostToolUse => "post-tool-use",
            Self::PreCompact => "pre-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }
}

/// The hook that a command line requests, even if the other arguments are malformed: the word after
/// `hook`, if `hook` is the command and not an argument.
fn requested_hook(args: &[OsString]) -> Option<&str> {
    // Global options that take a value as the next word.
    const OPTIONS_WITH_VALUE: [&str; 2] = ["--config", "--color"];
    let mut words = args.iter().skip(1).map(|arg| arg.to_str().unwrap_or_default());
    let mut next = || {
        loop {
            match words.next()? {
                option if OPTIONS_WITH_VALUE.contains(&option) => _ = words.next(),
                option if option.starts_with('-') => {}
                word => break Some(word),
            }
        }
    };
    if next()? == "hook" { next() } else { None }
}

/// Whether a command line runs an agent hook. Includes malformed command lines, because any exit
/// code other than 0 would block the agent.
#[must_use]
pub fn is_agent_hook(args: &[OsString]) -> bool {
    requested_hook(args).is_some_and(|name| NAMES.contains(&name))
}

/// Whether a command line names a hook that this version does not have. A later version may have
/// set up the client.
#[must_use]
pub fn is_unknown(args: &[OsString]) -> bool {
    let cli = Cli::command();
    let hooks = cli.find_subcommand("hook");
    let is_unknown = |name: &str| {
        name != "help" && hooks.is_some_and(|hooks| hooks.find_subcommand(name).is_none())
    };
    requested_hook(args).is_some_and(is_unknown)
}

/// The output of a hook so far.
#[derive(Clone, Default)]
struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

impl OutputBuffer {
    fn take_bytes(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs an agent hook with a time limit and returns its exit code. An answer is never written in
/// part; after a timeout, the answers that are already complete are written.
#[must_use]
pub fn run_with_timeout(
    args: Vec<OsString>,
    cwd: io::Result<PathBuf>,
    distribution: &'static Distribution,
) -> u8 {
    let cwd = match cwd {
        Ok(cwd) => cwd,
        Err(error) => {
            let why = format!("cannot read the current directory: {error}");
            let _ = writeln!(Output::new(io::stderr()), "aidd hook: {why}; skipped");
            return 0;
        }
    };
    let limit_variable =
        std::env::var(TIME_LIMIT_VARIABLE).ok().and_then(|value| value.parse().ok());
    let limit = Duration::from_secs(limit_variable.unwrap_or(TIME_LIMIT_SECONDS).clamp(1, 600));
    let (send, receive) = mpsc::channel();
    let (out, err) = (OutputBuffer::default(), OutputBuffer::default());
    let (to_out, to_err) = (out.clone(), err.clone());
    let worker = move || {
        let exit = crate::run(
            args,
            &mut Io {
                stdin: &mut io::stdin(),
                out: Output::new(to_out),
                err: Output::new(to_err),
                cwd,
                style: aidd_report::Style::default(),
                distribution,
            },
        );
        // After a timeout, the receiver no longer exists.
        let _ = send.send(exit.code());
    };
    let thread = thread::Builder::new().name("hook".to_owned()).stack_size(STACK_BYTES);
    let started = thread.spawn(worker);
    let (code, why) = match started.map(|_| receive.recv_timeout(limit)) {
        Ok(Ok(code)) => (code, String::new()),
        Ok(Err(mpsc::RecvTimeoutError::Timeout)) => {
            (0, format!("aidd hook: timed out after {limit:?}; skipped\n"))
        }
        // The worker panicked and has printed the reason.
        Ok(Err(mpsc::RecvTimeoutError::Disconnected)) => (0, String::new()),
        Err(error) => (0, format!("aidd hook: {error}; skipped\n")),
    };
    let _ = io::stderr().write_all(&[err.take_bytes(), why.into_bytes()].concat());
    let mut stdout = io::stdout();
    let _ = stdout.write_all(&out.take_bytes()).and_then(|()| stdout.flush());
    code
}

/// Runs a hook.
pub(super) fn run(event: Event, io: &mut Io<'_>) -> Exit {
    let exit = read_payload(io).and_then(|payload| {
        let root = root(&payload, &io.cwd);
        let answer = serve(event, &payload, &root, io)?;
        Ok(answer.map_or(Exit::Clean, |answer| write_answer(&answer, event, &payload, io)))
    });
    exit.unwrap_or_else(|error| {
        report_error(event, &format!("{error:#}"), io);
        Exit::Clean
    })
}

/// Writes the complete answer to the client in one call. It can quote the files of the project.
fn write_answer(answer: &Answer, event: Event, payload: &Payload, io: &mut Io<'_>) -> Exit {
    let answer = answer.map(|text| io.distribution.agent_text(text));
    let (text, exit) = answer::render(&answer, event, payload);
    // A client that detects a refusal by the exit code reads the reason from standard error.
    let output = if exit == Exit::Clean { &mut io.out } else { &mut io.err };
    let _ = output.write_all(text.as_bytes());
    exit
}

/// Prints an error to standard error, with secrets redacted.
fn report_error(event: Event, message: &str, io: &mut Io<'_>) {
    let message = message.replace("\nhint: ", "; ");
    let message = io.distribution.redact(&aidd_report::one_line(&message));
    let _ = writeln!(io.err, "aidd hook {}: {message}; skipped", event.name());
}

/// Reads the client's input to its end, because a client can fail if its pipe is closed early.
fn read_payload(io: &mut Io<'_>) -> Result<Payload> {
    let mut bytes = Vec::new();
    let mut limited = (&mut *io.stdin).take(MAX_INPUT_BYTES + 1);
    limited.read_to_end(&mut bytes).context("standard input")?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        io::copy(io.stdin, &mut io::sink()).context("standard input")?;
        bail!("standard input is larger than {MAX_INPUT_BYTES} bytes");
    }
    Payload::read(&bytes)
}

/// The root of the project that contains the working directory of the hook, else of the project
/// that contains the directory in the payload.
pub(super) fn root(payload: &Payload, cwd: &Path) -> PathBuf {
    let is_project = |root: &Path| root.join(".aidd").is_dir() || root.join(".git").exists();
    let root_of_cwd = project::root_of(cwd);
    if is_project(&root_of_cwd) {
        return root_of_cwd;
    }
    let client_directory =
        payload.working_dir().filter(|folder| folder.is_absolute() && folder.is_dir());
    client_directory
        .map(|folder| project::root_of(&folder))
        .filter(|root| is_project(root))
        .unwrap_or(root_of_cwd)
}

fn serve(event: Event, payload: &Payload, root: &Path, io: &mut Io<'_>) -> Result<Option<Answer>> {
    let distribution = io.distribution;
    match event {
        Event::PreToolUse => refusal(distribution, &paths::proposals(payload, root, &io.cwd), root),
        Event::PostToolUse => {
            after_tool(payload, root, io);
            Ok(None)
        }
        Event::SessionStart => {
            let (pages, memory) =
                in_parallel(|| recall::pages(distribution, root), || memory(distribution, root));
            let Some(mut memory) = memory? else { return Ok(None) };
            // With an invalid configuration, sessions are not recorded.
            let is_enabled = is_tracking_enabled(root).unwrap_or(false);
            let session = if is_enabled {
                record::begin_session(&mut memory, payload, root)
            } else {
                Ok(None)
            };
            let session = session.unwrap_or_else(|error| {
                report_error(event, &format!("{error:#}"), io);
                None
            });
            let branch = record::branch(root);
            let is_resumed = payload.trigger() == "resume";
            let session = session.as_ref();
            let text = recall::context(&mut memory, &pages?, root, session, &branch, is_resumed)?;
            Ok(Some(Answer::Context(text)))
        }
        Event::PreCompact => {
            let Some(mut memory) = session_memory(distribution, root)? else { return Ok(None) };
            record::save_checkpoint(&mut memory, payload)?;
            Ok(None)
        }
        Event::Stop => {
            let Some(mut memory) = session_memory(distribution, root)? else { return Ok(None) };
            record::update_progress(&mut memory, payload)?;
            Ok(None)
        }
        Event::SessionEnd => {
            let Some(mut memory) = session_memory(distribution, root)? else { return Ok(None) };
            record::end_session(&mut memory, payload, root)?;
            evolve(&mut memory, root, distribution)?;
            Ok(None)
        }
    }
}

/// Drafts and applies what the recorded sessions suggest, if changes are proposed at all.
fn evolve(
    memory: &mut ProjectMemory,
    root: &Path,
    distribution: &'static Distribution,
) -> Result<()> {
    let project = Project::open(distribution, root, None)?;
    let variable = std::env::var("AIDD_EVOLUTION").ok();
    let mut evolve = Evolve::new(&project, variable.as_deref(), "aidd");
    evolve.trial_time = HOOK_TRIAL;
    let now = memory.now();
    aidd_authoring::evolve::run(&evolve, memory, now)?;
    Ok(())
}

/// Reports the new findings of an edit, then records the edit, so that an error of the store does
/// not hide findings.
fn after_tool(payload: &Payload, root: &Path, io: &mut Io<'_>) {
    let distribution = io.distribution;
    if let Some(path) = reads::whole_file(payload) {
        if let Err(error) = reads::note(distribution, path, root) {
            report_error(Event::PostToolUse, &format!("{error:#}"), io);
        }
        return;
    }
    let proposals = paths::proposals(payload, root, &io.cwd);
    let result = thread::scope(|scope| {
        let memory = scope.spawn(move || session_memory(distribution, root));
        let found = match findings(distribution, payload, &proposals, root) {
            Ok(found) => found,
            Err(error) => {
                report_error(Event::PostToolUse, &format!("{error:#}"), io);
                // With an invalid configuration, the memory would report the same error.
                if is_tracking_enabled(root).is_err() {
                    return Ok(());
                }
                CheckedEdits::default()
            }
        };
        if let Some(text) = edit_checker::render("aidd: this edit added", &found.findings) {
            write_answer(&Answer::Context(text), Event::PostToolUse, payload, io);
        }
        let memory =
            memory.join().map_err(|_| anyhow!("a thread failed; see the message above"))?;
        match memory? {
            Some(mut memory) => {
                record::record_tool(&mut memory, payload, (root, &proposals), &found)
            }
            None => Ok(()),
        }
    });
    if let Err(error) = result {
        report_error(Event::PostToolUse, &format!("{error:#}"), io);
    }
}

/// Runs two closures in parallel, because loading the rules takes most of the time of each.
fn in_parallel<A: Send, B>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (Result<A>, B) {
    thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        (first.join().map_err(|_| anyhow!("a thread failed; see the message above")), second)
    })
}

/// The memory of a project, if it exists; a hook never creates one.
pub(super) fn memory(
    distribution: &'static Distribution,
    root: &Path,
) -> Result<Option<ProjectMemory>> {
    if !root.join(".aidd").is_dir() {
        return Ok(None);
    }
    Ok(Some(ProjectMemory::open(distribution, root, BackendChoice::default(), system_clock())?))
}

/// The memory of a project that records sessions.
fn session_memory(
    distribution: &'static Distribution,
    root: &Path,
) -> Result<Option<ProjectMemory>> {
    if !root.join(".aidd").is_dir() || !is_tracking_enabled(root)? {
        return Ok(None);
    }
    memory(distribution, root)
}

/// Whether the configuration enables recording of sessions.
fn is_tracking_enabled(root: &Path) -> Result<bool> {
    Ok(read_config(root)?.content.unwrap_or_default().tracks_sessions())
}

/// The configuration of the project at `root`.
fn read_config(root: &Path) -> Result<Config> {
    let path = root.join(CONFIG_PATH);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => return Err(error).context(CONFIG_PATH),
    };
    let read = config::read(text.strip_prefix('\u{FEFF}').unwrap_or(&text));
    let (config, _) = read.map_err(|problem| anyhow!("{CONFIG_PATH}: {}", problem.message))?;
    Ok(config)
}

/// The reason to refuse an edit, if any.
fn refusal(
    distribution: &'static Distribution,
    proposals: &[Proposal],
    root: &Path,
) -> Result<Option<Answer>> {
    if proposals.is_empty() {
        return Ok(None);
    }
    let checker = EditChecker::open(distribution, root)?;
    let mut found = Vec::new();
    for proposal in proposals {
        found.extend(checker.check_proposed(proposal)?);
    }
    found.retain(edit_checker::EditFinding::must_be_refused);
    Ok(edit_checker::render("aidd refuses this edit because it would add", &found)
        .map(Answer::Deny))
}

/// The findings that completed edits added, and the figures of the edits.
#[derive(Default)]
struct CheckedEdits {
    findings: Vec<edit_checker::EditFinding>,
    figures: Vec<Edit>,
}

/// Checks completed edits.
fn findings(
    distribution: &'static Distribution,
    payload: &Payload,
    proposals: &[Proposal],
    root: &Path,
) -> Result<CheckedEdits> {
    let mut checked = CheckedEdits::default();
    if proposals.is_empty() || payload.outcome() == Some(false) {
        return Ok(checked);
    }
    let checker = EditChecker::open(distribution, root)?;
    for proposal in proposals {
        if let Some((findings, figures)) = checker.check_completed(proposal, payload.original())? {
            checked.findings.extend(findings);
            checked.figures.push(figures);
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests;
