//! The command line: commands, hooks and the setup of agent clients. It converts input and prints
//! results; the checking logic is in the engine.

pub mod baseline;
pub mod check;
pub mod cli;
pub mod clients;
mod completions;
pub mod deps;
pub mod doctor;
mod evolve;
pub mod explain;
pub mod fix;
pub mod generate;
pub mod git_files;
pub mod hook;
pub mod index;
pub mod init;
pub mod memory;
mod pack;
pub mod rules;
pub mod settings;
mod stats;
mod streams;
mod work;

use aidd_ci::pull_request;
use aidd_engine::check::Distribution;
use aidd_report::error::RunError;
use aidd_report::exit::{Exit, UserError};
use aidd_report::{Io, Listing, Output, Style, project};
use anyhow::{Error, Result};
use clap::CommandFactory;
use cli::{Cli, Command};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// The other frontends of the program, which this crate does not depend on.
#[derive(Clone, Copy, Debug)]
pub struct Frontends {
    /// Rules shipped with the program.
    pub distribution: &'static Distribution,
    /// Runs the language server on standard input and output with the given configuration file, and
    /// returns the exit code.
    pub lsp: fn(Option<PathBuf>) -> io::Result<u8>,
    /// Runs the MCP server and returns the exit code.
    pub mcp: fn(&cli::Mcp, ServerContext) -> Result<u8>,
}

/// The paths passed to a frontend.
#[derive(Clone, Debug)]
pub struct ServerContext {
    /// Project root.
    pub root: PathBuf,
    /// Configuration file, if it is not the default one of the project.
    pub config: Option<PathBuf>,
    /// Working directory, against which relative paths are resolved.
    pub cwd: PathBuf,
}

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main(frontends: Frontends) -> u8 {
    // A formatted panic message can quote the input, and thus a secret.
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload().downcast_ref::<&'static str>().unwrap_or(&"internal error");
        let location =
            panic.location().map(|location| format!(" ({location})")).unwrap_or_default();
        let _ = writeln!(Output::new(io::stderr()), "panicked: {message}{location}");
    }));
    let args: Vec<OsString> = std::env::args_os().collect();
    let cwd = std::env::current_dir();
    if hook::is_agent_hook(&args) {
        return hook::run_with_timeout(args, cwd, frontends.distribution);
    }
    let cwd = match cwd {
        Ok(cwd) => cwd,
        Err(error) => {
            let mut err = Output::new(io::stderr());
            let _ = writeln!(err, "error: cannot read the current directory: {error}");
            return Exit::Usage.code();
        }
    };
    let mut stdin = io::stdin();
    let (out, err) = streams::process_streams();
    let mut io = Io {
        stdin: &mut stdin,
        out: Output::new(out),
        err: Output::new(err).wrapped_at(error_width()),
        cwd,
        style: terminal_style(),
        distribution: frontends.distribution,
    };
    match run_frontend(&args, frontends, &io) {
        Some(Ok(code)) => code,
        Some(Err((error, exit))) => {
            let _ = writeln!(io.err, "error: {error:#}");
            exit.code()
        }
        None => run(args, &mut io).code(),
    }
}

/// Runs a frontend if the command line requests one; `None` otherwise.
fn run_frontend(
    args: &[OsString],
    frontends: Frontends,
    io: &Io<'_>,
) -> Option<Result<u8, (Error, Exit)>> {
    // [`run`] handles all other commands and reports invalid arguments.
    if !args.iter().any(|arg| arg == "lsp" || arg == "mcp") {
        return None;
    }
    let cli = cli::parse(args).ok()?;
    let config = cli.config.map(|path| project::absolute(&io.cwd, &path));
    match cli.command {
        Command::Lsp { .. } => {
            Some((frontends.lsp)(config).map_err(|error| (error.into(), Exit::Unchecked)))
        }
        Command::Mcp(args) => {
            let root_option = args.root.as_ref().map(|root| project::absolute(&io.cwd, root));
            if let Some(root) = root_option.as_ref().filter(|root| !root.is_dir()) {
                let error = UserError::new(format!("{} is not a directory", root.display()))
                    .hint("correct the path in `--root`");
                return Some(Err((error.into(), Exit::Usage)));
            }
            if let Some(path) = config.as_ref().filter(|path| !path.exists()) {
                let message = format!("{}: no such file", path.display());
                let error = UserError::new(message).hint(
                    "correct the path in `--config` or in the environment variable AIDD_CONFIG",
                );
                return Some(Err((error.into(), Exit::Usage)));
            }
            let root = project::root_of(root_option.as_deref().unwrap_or(&io.cwd));
            let context = ServerContext { root, config, cwd: io.cwd.clone() };
            Some((frontends.mcp)(&args, context).map_err(|error| (error, Exit::Usage)))
        }
        _ => None,
    }
}

/// Maximum number of findings listed on a terminal.
const MAX_LISTED: usize = 50;

/// Capabilities of standard output: its width, and colors on a terminal unless NO_COLOR is set.
fn terminal_style() -> Style {
    let terminal = io::stdout().is_terminal();
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let color = (terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        || is_set("CLICOLOR_FORCE"))
        && !is_set("NO_COLOR");
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let size = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = size.filter(|_| terminal).or(columns).or(size).unwrap_or(100);
    // A person reads the end of a long output on a terminal; a file or a pipe gets everything.
    let listing = Listing { limit: terminal.then_some(MAX_LISTED), ..Listing::default() };
    let wrap = terminal || columns.is_some();
    Style { color, hyperlinks: color && terminal, width: width.max(40), wrap, listing }
}

/// Width of standard error if it is a terminal.
fn error_width() -> Option<usize> {
    let width = terminal_size::terminal_size_of(io::stderr());
    width.filter(|_| io::stderr().is_terminal()).map(|(width, _)| usize::from(width.0))
}

/// Runs a command line that starts with the program name, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io<'_>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match cli::parse(&args) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = print_usage_error(&error, &args, io);
            return match exit {
                _ if hook::is_agent_hook(&args) => Exit::Clean,
                // Agent clients interpret the exit code for wrong usage as a refusal.
                Exit::Usage if hook::is_unknown(&args) => Exit::Findings,
                exit => exit,
            };
        }
    };
    io.out.set_color(io.style(cli.color).color);
    let exit = run_command(&cli, io);
    let _ = io.out.flush();
    exit.unwrap_or_else(|error| {
        // A closed pipe is not an error.
        if is_broken_pipe(&error) {
            return Exit::Clean;
        }
        // The message can quote user input; redact secrets.
        let text = format!("{error:#}");
        let _ = writeln!(io.err, "error: {}", io.distribution.redact(&text));
        if let Some(hint) = error.downcast_ref().and_then(hint_for) {
            let _ = writeln!(io.err, "hint: {hint}");
        }
        Exit::Usage
    })
}

fn print_usage_error(error: &clap::Error, args: &[OsString], io: &mut Io<'_>) -> Exit {
    let text = error.render();
    io.out.set_color(io.style.color);
    io.err.set_color(io.style.color);
    let output: &mut dyn Write = if error.use_stderr() { &mut io.err } else { &mut io.out };
    let text = if io.style.color { text.ansi().to_string() } else { text.to_string() };
    let _ = write!(output, "{}", cli::reword_number_errors(text));
    if let Some(equivalent) = cli::equivalent_of(error) {
        let _ = writeln!(output, "hint: did you mean `{equivalent}`?");
    }
    if let Some(name) = cli::source_variable(error, args) {
        let _ = writeln!(output, "hint: the value comes from the environment variable {name}");
    }
    let _ = output.flush();
    if error.use_stderr() { Exit::Usage } else { Exit::Clean }
}

/// The remedy for an error of a run; `None` if the message is enough.
fn hint_for(error: &RunError) -> Option<&'static str> {
    /// The remedy for clones without branches and history: `--depth` also limits a clone to one
    /// branch.
    const SHALLOW: &str = "the clone is shallow and possibly limited to one branch; run `git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'` to fetch the rest, or use `aidd ci --base origin/main`, which fetches the missing commits";
    Some(match error {
        RunError::SeveralProjects { .. } => "check each project in a separate run",
        RunError::OutsideProject(_) | RunError::NoSuchFile(_) => {
            "paths are relative to the project root"
        }
        RunError::NoRepository(_) => "run `aidd check` to check all files without Git",
        RunError::NoMainBranch => {
            "pass the target branch; `HEAD` compares only with the last commit"
        }
        RunError::UnknownRevision { shallow: true, .. }
        | RunError::NoCommonCommit { shallow: true, .. } => SHALLOW,
        RunError::UnknownRevision { error, .. } if error.to_string().contains(['~', '^']) => {
            "the history may be shorter; `git rev-list --count HEAD` prints the number of commits"
        }
        RunError::UnknownRevision { .. } => {
            "run `git fetch` to update the remote branches, and `git branch --all` to list them"
        }
        RunError::NoCommit => "run `aidd check .`, which needs no commit and checks all files",
        RunError::NoCommonCommit { .. } => "pass an ancestor of the current commit",
        RunError::Git(_) => "run `git fsck` to find the cause",
        RunError::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            "correct the path; it is relative to the current directory"
        }
        RunError::Unreadable { .. }
        | RunError::Glob(_)
        | RunError::Rules(_)
        | RunError::Project(_)
        | RunError::UnknownMode(_)
        | RunError::Json(_)
        | RunError::Cancelled => return None,
    })
}

fn is_broken_pipe(error: &Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run_command(cli: &Cli, io: &mut Io<'_>) -> Result<Exit> {
    let config = cli.config.as_ref().map(|path| project::absolute(&io.cwd, path));
    let config = config.as_deref();
    match &cli.command {
        Command::Check(args) => check::run(args, config, cli.color, io),
        Command::Ci(args) => pull_request::run(args, config, cli.color, io),
        Command::Lsp { .. } => Err(UserError::new("`lsp` requires its own process").into()),
        Command::Mcp(_) => Err(UserError::new("`mcp` requires its own process").into()),
        Command::Explain(args) => explain::run(args, config, cli.color, io),
        Command::Deps(args) => deps::run(args, config, io),
        Command::Index(args) => index::run(args, config, io),
        Command::Pack(args) => pack::run(args, config, io),
        Command::Stats(args) => stats::run(args, cli.color, io),
        Command::Work(args) => work::run(args, io),
        Command::Evolve(args) => evolve::run(args, config, io),
        Command::Draft(args) => evolve::run_drafts(args, config, io),
        Command::Rule(command) => rules::run(command, config, cli.color, io),
        Command::Baseline(command) => baseline::run(command, config, io),
        Command::Config(command) => settings::run(command, config, io),
        Command::Init(args) => init::run(args, cli.color, io),
        Command::Doctor => doctor::run(config, io),
        Command::Completions { shell } => {
            io.out.raw()?.write_all(&completions::script(*shell, io.distribution.pages))?;
            Ok(Exit::Clean)
        }
        Command::Man { command } => print_manual(command, io),
        Command::Generate(command) => generate::run(command, io),
        Command::Hook(command) => hook::run(command, io),
        Command::Memory(args) => memory::run(args, cli.color, io),
    }
}

fn print_manual(names: &[String], io: &mut Io<'_>) -> Result<Exit> {
    let mut root = Cli::command();
    root.build();
    let mut command = &root;
    for name in names {
        let subcommand = command.find_subcommand(name);
        command = subcommand.ok_or_else(|| {
            UserError::new(format!("unknown command `{name}`"))
                .hint("`aidd --help` lists all commands")
        })?;
    }
    clap_mangen::Man::new(command.clone()).render(&mut io.out.raw()?)?;
    Ok(Exit::Clean)
}

/// The shipped rules, for tests.
#[cfg(test)]
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
