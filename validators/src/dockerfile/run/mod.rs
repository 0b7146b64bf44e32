//! Rules on the commands of `RUN`.

mod apk;
mod apt;
mod caches;
mod commands;
mod downloads;
mod languages;
mod layers;
mod pins;
mod rpm;
mod scripts;

use crate::shell::{self, Command, Script, ShellText};
use aidd_engine::parse::dockerfile::{Comment, Dockerfile, Instruction, Keyword, Stage, uses};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::{Source, Span};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The code of one rule.
pub(super) type Check = fn(&Runs<'_>, &mut Report<'_>);

/// The rules on the commands of `RUN`, by id, one list per topic.
pub(super) const CHECKS: [&[(&str, Check)]; 8] = [
    apt::CHECKS,
    apk::CHECKS,
    rpm::CHECKS,
    languages::CHECKS,
    downloads::CHECKS,
    commands::CHECKS,
    layers::CHECKS,
    scripts::CHECKS,
];

/// All `RUN` instructions of a Dockerfile whose commands can be parsed.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    /// The parsed Dockerfile.
    pub(super) file: &'a Dockerfile,
    /// The source of the Dockerfile.
    pub(super) source: &'a Source,
    /// The names of the variables that any `ENV` or `ARG` sets.
    pub(super) variables: HashSet<&'a str>,
    /// The instructions in source order, including instructions within `ONBUILD`.
    pub(super) runs: Vec<Run<'a>>,
    /// The indexes of the run, script and command of each call, by program, in source order.
    calls: HashMap<String, Vec<[usize; 3]>>,
    /// The package managers whose version the project pins.
    pinned_managers: Vec<String>,
}

/// A `RUN` instruction and its scripts.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The instruction, without `ONBUILD`.
    pub(super) instruction: &'a Instruction,
    /// Index of the outer instruction.
    pub(super) index: usize,
    /// The shell that runs the command line.
    pub(super) shell: Shell,
    /// The command line, if a known shell runs it, and the here-document that is passed to a shell.
    pub(super) scripts: Vec<Script>,
    /// Whether the last script is a here-document.
    pub(super) has_body: bool,
}

/// The known properties of the shell of a `RUN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shell {
    /// Whether `SHELL` sets the shell, in place of the builder's default.
    pub(super) is_explicit: bool,
    /// Whether the shell supports the syntax of bash.
    pub(super) supports_bash: bool,
    /// Whether `-e` is among the options of the shell.
    pub(super) exits_on_error: bool,
    /// Whether `pipefail` is among the options of the shell.
    pub(super) has_pipefail: bool,
}

impl<'a> Runs<'a> {
    /// Parses the commands of every `RUN` of `file`.
    pub(super) fn read(file: &'a Dockerfile, source: &'a Source) -> Self {
        let mut remaining = shell::TIME_LIMIT;
        let (windows, pragmas) = (windows_stages(file), shell_pragmas(file, source));
        let runs: Vec<Run<'a>> = file
            .instructions
            .iter()
            .zip(file.effective())
            .enumerate()
            .filter(|(_, (_, it))| it.kind == Keyword::Run)
            .filter(|(_, (_, it))| !runs_other_shell(file, &windows, &pragmas, it))
            .filter_map(|(index, (_, it))| read(file, source, it, index, &mut remaining))
            .collect();
        let sets = |it: &&Instruction| matches!(it.kind, Keyword::Env | Keyword::Arg);
        let pairs = file.instructions.iter().filter(sets).flat_map(|it| &it.pairs);
        let variables = pairs.map(|pair| pair.key.text.as_str()).collect();
        let calls = index_calls(&runs);
        Self { file, source, variables, runs, calls, pinned_managers: Vec::new() }
    }

    /// Reads which package managers use the version that the project pins.
    pub(super) fn find_pinned_managers(&mut self, files: &dyn Files) {
        self.pinned_managers = pins::managers(self.source.path(), files);
    }

    /// The first `RUN` whose commands took too long to parse.
    pub(super) fn skipped(&self) -> Option<&Run<'a>> {
        self.runs.iter().find(|run| run.scripts.iter().any(|script| script.skipped))
    }

    /// Every command with its location.
    pub(super) fn commands(&self) -> impl Iterator<Item = Site<'_>> {
        self.runs.iter().flat_map(Run::commands)
    }

    /// The commands that call one of `programs`.
    pub(super) fn calls<'b>(&'b self, programs: &'b [&str]) -> impl Iterator<Item = Site<'b>> {
        let mut found: Vec<[usize; 3]> = programs
            .iter()
            .filter_map(|program| self.calls.get(*program))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|[run, script, index]| {
            let run = &self.runs[run];
            let script = &run.scripts[script];
            Site { run, script, index, command: &script.commands[index] }
        })
    }

    /// Whether the name of the stage of `run` says that the stage is for development: `dev`.
    pub(super) fn is_for_development(&self, run: &Run<'_>) -> bool {
        let stage = run.instruction.stage.and_then(|stage| self.file.stages.get(stage));
        stage.and_then(|stage| stage.name.as_ref()).is_some_and(|name| {
            let name = name.text.to_ascii_lowercase();
            name.split(['-', '_', '.'])
                .any(|word| matches!(word, "dev" | "develop" | "development" | "debug"))
        })
    }

    /// Whether the files that `run` creates are in the image, or in a stage that builds on the
    /// stage of `run`.
    pub(super) fn is_in_image(&self, run: &Run<'_>) -> bool {
        let Some(stage) = run.instruction.stage else { return true };
        // A trigger runs in the images that are built on the stage.
        self.file.instructions[run.index].kind == Keyword::Onbuild
            || stage + 1 == self.file.stages.len()
            || self.file.stages.iter().any(|other| other.base == Some(stage))
    }
}

/// The calls of each program; see [`Runs`].
fn index_calls(runs: &[Run<'_>]) -> HashMap<String, Vec<[usize; 3]>> {
    let mut calls: HashMap<String, Vec<[usize; 3]>> = HashMap::new();
    for (run_index, run) in runs.iter().enumerate() {
        for (script_index, script) in run.scripts.iter().enumerate() {
            for (index, command) in script.commands.iter().enumerate() {
                let call = [run_index, script_index, index];
                match calls.get_mut(command.program()) {
                    Some(of_program) => of_program.push(call),
                    None => {
                        calls.insert(command.program().to_owned(), vec![call]);
                    }
                }
            }
        }
    }
    calls
}

/// A command and its location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) script: &'a Script,
    /// Index of the command in the script.
    pub(super) index: usize,
    pub(super) command: &'a Command,
}

impl Site<'_> {
    /// The commands of the same `RUN` after this command.
    pub(super) fn following(&self) -> impl Iterator<Item = &Command> {
        let start = self.command.span.start;
        let all = self.run.scripts.iter().flat_map(|script| &script.commands);
        all.filter(move |command| command.span.start > start)
    }

    /// The span of the program's name.
    pub(super) fn program_span(&self) -> Span {
        self.command.words.first().map_or(self.command.span, |word| word.span)
    }
}

impl Run<'_> {
    /// The commands with their locations.
    pub(super) fn commands(&self) -> impl Iterator<Item = Site<'_>> {
        self.scripts.iter().flat_map(move |script| {
            let commands = script.commands.iter().enumerate();
            commands.map(move |(index, command)| Site { run: self, script, index, command })
        })
    }

    /// Whether the words of the commands appear in the file as the shell reads them, so that they
    /// can be edited.
    pub(super) fn is_editable(&self) -> bool {
        !self.instruction.json
    }

    /// Whether a mount that is not part of the image is at one of `directories`, or above or below
    /// it.
    pub(super) fn has_mount_at(&self, directories: &[&str]) -> bool {
        self.mount_targets().any(|target| {
            directories
                .iter()
                .any(|directory| is_within(directory, target) || is_within(target, directory))
        })
    }

    /// The targets of the cache and tmpfs mounts, without a trailing slash.
    pub(super) fn mount_targets(&self) -> impl Iterator<Item = &str> {
        self.instruction.flags("mount").filter_map(|flag| {
            let kind = flag.part("type")?;
            let target = ["target", "dst", "destination"].iter().find_map(|key| flag.part(key))?;
            matches!(kind, "cache" | "tmpfs").then(|| target.trim_end_matches('/'))
        })
    }
}

/// Whether `path` is `directory` or within it.
fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn read<'a>(
    file: &'a Dockerfile,
    source: &'a Source,
    instruction: &'a Instruction,
    index: usize,
    remaining: &mut Duration,
) -> Option<Run<'a>> {
    if instruction.json {
        let words = instruction.words.iter().map(|word| (word.span, word.text.clone())).collect();
        let scripts = vec![Script::from_words(words)];
        return Some(Run { instruction, index, shell: Shell::default(), scripts, has_body: false });
    }
    let mut shell = shell(file, instruction)?;
    let span_of = |from: usize, to: usize| instruction.span_of(from..to);
    let line = Script::parse(&ShellText::new(instruction.argument(), &span_of), remaining);
    let body = body(source, instruction, &line, remaining);
    // A command line that consists only of here-documents runs them; the line is not a script.
    let has_only_heredocs =
        line.commands.iter().all(|it| it.words.is_empty() && it.assignments.is_empty());
    let mut scripts = Vec::new();
    if !has_only_heredocs || instruction.heredocs.is_empty() || line.skipped {
        scripts.push(line);
    }
    let has_body = body.is_some();
    if let Some((body, exits)) = body {
        scripts.push(body);
        shell.exits_on_error |= exits;
    }
    Some(Run { instruction, index, shell, scripts, has_body })
}

/// The here-document of `RUN <<EOF` or `RUN sh <<EOF`, if a shell runs it, and whether that shell
/// stops at the first failure.
fn body(
    source: &Source,
    instruction: &Instruction,
    line: &Script,
    remaining: &mut Duration,
) -> Option<(Script, bool)> {
    let first = instruction.heredocs.first()?;
    let [command] = line.commands.as_slice() else { return None };
    let (is_shell, exits) = match command.words.first() {
        None => first.shebang.map_or((true, false), |line| runs_shell(source.slice(line))),
        Some(_) => {
            let mut operands = command.operands();
            let reads = operands.next().is_none_or(|it| matches!(it.text(), "-" | "/dev/stdin"));
            (reads && is_shell(command.program()), command.has_option(&["e"]))
        }
    };
    let start = first.body.start as usize;
    let span_of = |from: usize, to: usize| Span::new(start + from, start + to);
    let text = ShellText::new(source.slice(first.body), &span_of);
    is_shell.then(|| (Script::parse(&text, remaining), exits))
}

/// Whether a `#!` line names a shell, and whether that shell stops at the first failure.
fn runs_shell(shebang: &str) -> (bool, bool) {
    let words = || shebang.trim_start_matches("#!").split_whitespace();
    let mut names = words().map(|word| word.rsplit('/').next().unwrap_or(word));
    let runs = match names.next() {
        Some("env") => names.find(|name| !name.starts_with('-')).is_some_and(is_shell),
        Some(name) => is_shell(name),
        None => true,
    };
    let exits = words().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('e'));
    (runs, exits)
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "zsh" | "busybox")
}

/// The shell that runs `instruction`; `None` if it is not a supported shell.
fn shell(file: &Dockerfile, instruction: &Instruction) -> Option<Shell> {
    let Some(words) = file.shell_of(instruction) else {
        return Some(Shell::default());
    };
    let name = words.first()?.text.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let options = || words.iter().skip(1).map(|word| word.text.as_str());
    let short = |letter| {
        options().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
    };
    is_shell(&name).then(|| Shell {
        is_explicit: true,
        supports_bash: name == "bash" || name == "zsh" || name == "ksh",
        exits_on_error: short('e') || options().any(|it| it == "errexit"),
        has_pipefail: options().any(|it| it == "pipefail"),
    })
}

/// The comments `# hadolint shell=name`: their start and the name in lower case.
fn shell_pragmas(file: &Dockerfile, source: &Source) -> Vec<(u32, String)> {
    let read = |comment: &Comment| {
        let text = source.slice(comment.span).trim_start_matches('#').trim_start();
        let rest = text.strip_prefix("hadolint")?.trim_start().strip_prefix("shell")?;
        let name = rest.trim_start().strip_prefix('=')?.split_whitespace().next()?;
        Some((comment.span.start, name.to_ascii_lowercase()))
    };
    file.comments.iter().filter_map(read).collect()
}

/// Whether an unsupported shell runs an instruction in shell form: the default shell of Windows, or
/// the shell that the last comment before the instruction names. A later `SHELL` overrides the
/// comment.
fn runs_other_shell(
    file: &Dockerfile,
    windows: &[bool],
    pragmas: &[(u32, String)],
    instruction: &Instruction,
) -> bool {
    if instruction.json {
        return false;
    }
    let on_windows = instruction.stage.and_then(|stage| windows.get(stage)).is_some_and(|it| *it);
    if instruction.shell.is_none() && (on_windows || file.escape.0 == '`') {
        return true;
    }
    let before = pragmas.partition_point(|(start, _)| *start < instruction.span.start);
    let shell = instruction.shell.and_then(|shell| file.instructions.get(shell));
    let last = pragmas[..before].last();
    let last = last.filter(|(start, _)| shell.is_none_or(|shell| shell.span.start < *start));
    last.is_some_and(|(_, name)| !is_shell(name.rsplit(['/', '\\']).next().unwrap_or(name)))
}

/// For each stage, whether it is based on Windows, whose default shell is `cmd`.
fn windows_stages(file: &Dockerfile) -> Vec<bool> {
    let globals = file.globals();
    let mut windows: Vec<bool> = Vec::with_capacity(file.stages.len());
    for stage in &file.stages {
        let image = stage.image.as_ref().map_or("", |word| &*word.text);
        let used = uses(image, file.escape);
        let mut defaults = used.iter().filter_map(|used| globals.get(&*used.name)?.value);
        let platform = file.instructions[stage.from].flag("platform");
        let base = stage.base.and_then(|base| windows.get(base).copied());
        windows.push(base.unwrap_or_else(|| {
            is_windows_image(image)
                || defaults.any(is_windows_image)
                || platform.is_some_and(|flag| flag.text().starts_with("windows"))
        }));
    }
    windows
}

fn is_windows_image(image: &str) -> bool {
    ["mcr.microsoft.com/windows", "servercore", "nanoserver"].iter().any(|it| image.contains(it))
}

/// The base image of the stage of `instruction`, as written.
pub(super) fn image<'a>(file: &'a Dockerfile, instruction: &Instruction) -> &'a str {
    let image = root_stage(file, instruction).and_then(|stage| stage.image.as_ref());
    let image = image.map_or("", |word| word.text.as_str());
    // `FROM ${BASE}` is the default of `ARG BASE`.
    let variable = image.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
    let Some(name) = variable else { return image };
    let args = file.all(Keyword::Arg).take_while(|arg| arg.stage.is_none());
    let pairs = args.flat_map(|arg| &arg.pairs).filter(|pair| pair.key.text == name);
    pairs.last().and_then(|pair| pair.value.as_ref()).map_or(image, |value| value.text.as_str())
}

/// The stage of `instruction`, or the first stage in the chain of stages on which it builds.
fn root_stage<'a>(file: &'a Dockerfile, instruction: &Instruction) -> Option<&'a Stage> {
    let mut stage = instruction.stage.and_then(|stage| file.stages.get(stage))?;
    while let Some(base) = stage.base.and_then(|base| file.stages.get(base)) {
        stage = base;
    }
    Some(stage)
}

#[cfg(test)]
mod tests;
