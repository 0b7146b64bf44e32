//! Checks on layers, and on the shell of `RUN`.

use super::super::casing::Casing;
use super::{Check, Run, Runs, Site};
use crate::shell::{Command, Join, Word};
use aidd_engine::parse::dockerfile::Keyword;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/consecutive-runs", consecutive),
    ("dockerfile/pipe-without-pipefail", pipefail),
    ("dockerfile/heredoc-ignores-failures", heredoc),
];

fn consecutive(runs: &Runs<'_>, report: &mut Report<'_>) {
    for pair in runs.runs.windows(2) {
        let [first, second] = pair else { continue };
        let is_plain_run = |run: &Run<'_>| runs.file.instructions[run.index].kind == Keyword::Run;
        let adjacent =
            first.index + 1 == second.index && is_plain_run(first) && is_plain_run(second);
        if adjacent
            && is_single_command(first)
            && is_single_command(second)
            && has_same_flags(first, second)
            && runs.is_in_image(first)
        {
            report
                .at(second.instruction.keyword, "this `RUN` could be part of the preceding `RUN`")
                .help("Join the two with `&&`; each `RUN` creates a layer")
                .related(first.instruction.keyword, "preceding `RUN`");
        }
    }
}

/// Whether a `RUN` is a single command in shell form; longer scripts are assumed to be separate on
/// purpose.
fn is_single_command(run: &Run<'_>) -> bool {
    let is_counted = |site: &Site<'_>| {
        !site.command.words.is_empty() && !["[", "[[", "test"].contains(&site.command.program())
    };
    run.commands().filter(is_counted).count() == 1
        && !run.instruction.json
        && run.instruction.heredocs.is_empty()
}

/// Whether two `RUN`s have the same flags, in any order.
fn has_same_flags(first: &Run<'_>, second: &Run<'_>) -> bool {
    let flags = |run: &Run<'_>| {
        let mut flags: Vec<_> = run
            .instruction
            .flags
            .iter()
            .map(|flag| (flag.name.clone(), flag.text().to_owned()))
            .collect();
        flags.sort();
        flags
    };
    first.instruction.stage == second.instruction.stage && flags(first) == flags(second)
}

/// Programs that run the script that they read from the pipe. PHP is omitted: it is mostly used for
/// the installer of Composer, and if that download fails, the next command, which uses Composer,
/// fails too.
const INTERPRETERS: [&str; 10] =
    ["ash", "bash", "dash", "ksh", "node", "perl", "python", "ruby", "sh", "zsh"];

/// Programs that run the command in their arguments and pass their own input to it.
const WRAPPERS: [&str; 6] = ["env", "exec", "nice", "nohup", "sudo", "time"];

/// Whether a command runs the script that it reads: `bash -`, `sudo -E sh`, `python3.11`. An
/// interpreter with a program in its arguments reads data instead: `python3 -m json.tool`,
/// `perl -pe …`.
fn runs_input(command: &Command) -> bool {
    let mut words = command.words.iter().map(Word::text).peekable();
    let program = loop {
        let Some(word) = words.next() else { return false };
        let program = word.rsplit('/').next().unwrap_or(word);
        if !WRAPPERS.contains(&program) {
            break program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        }
        while let Some(word) = words.next_if(|word| word.starts_with('-') || word.contains('=')) {
            if matches!(word, "-u" | "-g" | "-n") {
                words.next();
            }
        }
    };
    if !INTERPRETERS.contains(&program) {
        return false;
    }
    // The letters of the options whose value is a program.
    let inline: &[char] = match program {
        "node" => &['e', 'p'],
        "perl" | "ruby" => &['e', 'n', 'p'],
        "python" => &['c', 'm'],
        _ => &['c'],
    };
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            None => return word == "/dev/stdin",
            Some("" | "s" | "-") => return true,
            Some(long) if long.starts_with('-') => {
                if matches!(long, "-eval" | "-print") {
                    return false;
                }
            }
            Some(short) if short.contains(inline) => return false,
            // The value of `-o` is the next word: `-o pipefail`.
            Some(short) if short.ends_with('o') => {
                words.next();
            }
            Some(_) => {}
        }
    }
    true
}

fn pipefail(runs: &Runs<'_>, report: &mut Report<'_>) {
    let casing = Casing::from_file(runs.file, runs.source);
    let mut fixed_stage = None;
    for run in runs.runs.iter().filter(|run| !run.shell.has_pipefail && !run.instruction.json) {
        let pipe = run.scripts.iter().find_map(|script| {
            let pipe = script.first_hidden_failure()?;
            let set = script.commands.iter().any(|command| {
                let arguments = command.arguments();
                command.program() == "set"
                    && command.span.start < pipe.start
                    && arguments.iter().any(|word| word.text() == "pipefail")
                    && !arguments.iter().any(|word| word.text().starts_with('+'))
            });
            // The script can pass through other programs first: `curl … | tee a.sh | sh`.
            let readers = script.commands.iter().skip_while(|command| command.span != pipe);
            let mut readers = readers
                .enumerate()
                .take_while(|(at, command)| *at == 0 || command.before == Join::Pipe);
            let interpreter = readers.find(|(_, command)| runs_input(command));
            let runs_input = interpreter.is_some_and(|(_, command)| {
                !is_followed_by_dependent(&script.commands, command.span)
            });
            (!set).then_some((pipe, runs_input))
        });
        let Some((pipe, runs_input)) = pipe else { continue };
        let finding = report.at(pipe, "the `RUN` succeeds even if a command before the `|` fails");
        // An interpreter succeeds on an empty script. Any other program that gets empty input
        // usually makes the build fail later.
        if !runs_input {
            finding.severity = finding.severity.min(Severity::Info);
        }
        finding.help(
            "Put `SHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]` before the `RUN`, or begin with \
             `set -o pipefail`",
        );
        // One SHELL instruction is enough for the rest of the stage.
        if !run.shell.is_explicit
            && run.instruction.stage.is_some()
            && run.instruction.span.start == runs.file.instructions[run.index].span.start
            && fixed_stage.replace(run.instruction.stage) != Some(run.instruction.stage)
        {
            let keyword = casing.apply("SHELL");
            let shell = format!("{keyword} [{}, \"pipefail\", \"-c\"]\n", shell_prefix(runs, run));
            let edit = Edit::insert(run.instruction.keyword.start, shell);
            finding.fix_unsafe("Set a SHELL with pipefail", vec![edit]);
        }
    }
}

/// Commands that do not need what an installation script installs.
const CLEANUP: [&str; 9] = ["rm", "ln", "echo", "printf", "true", "export", "set", "mkdir", "cd"];

/// Whether a later command of the same script probably fails if the script before `pipe` was not
/// downloaded: `curl https://deb.nodesource.com/setup_22.x | bash && apt-get install nodejs`.
fn is_followed_by_dependent(commands: &[Command], pipe: Span) -> bool {
    let after = commands.iter().skip_while(|command| command.span != pipe).skip(1);
    let mut after = after.skip_while(|command| command.before == Join::Pipe);
    after.any(|command| !CLEANUP.contains(&command.program()))
}

/// The shell of the image with the options before `pipefail`.
fn shell_prefix(runs: &Runs<'_>, run: &Run<'_>) -> &'static str {
    if super::image(runs.file, run.instruction).contains("alpine") {
        "\"/bin/ash\", \"-eo\""
    } else {
        "\"/bin/bash\", \"-o\""
    }
}

/// Commands that cannot fail, or whose failure is irrelevant.
const INFALLIBLE: [&str; 12] = [
    "set", "export", "echo", "printf", "true", ":", "trap", "umask", "exit", "shopt", "alias",
    "unset",
];

fn heredoc(runs: &Runs<'_>, report: &mut Report<'_>) {
    for run in runs.runs.iter().filter(|run| run.has_body && !run.shell.exits_on_error) {
        let (Some(script), Some(document)) = (run.scripts.last(), run.instruction.heredocs.first())
        else {
            continue;
        };
        let sets = |command: &Command| {
            command.program() == "set"
                && (command.has_option(&["e"]) || command.has_argument(&["errexit"]))
        };
        let ignored = script.commands.iter().enumerate().find(|(index, command)| {
            command.scope == 0
                && !command.words.is_empty()
                && !INFALLIBLE.contains(&command.program())
                && script.join_after(*index) == Some(Join::Then)
        });
        let Some((index, command)) = ignored else { continue };
        if script.commands[..index].iter().any(sets) {
            continue;
        }
        let finding = report.at(command.span, "if this command fails, the script continues");
        finding.help("Start the here-document with `set -e`");
        let start = document.shebang.map_or(document.body.start, |line| {
            let rest = &runs.source.text()[line.end as usize..];
            line.end + rest.find('\n').map_or(0, |at| u32::try_from(at + 1).unwrap_or(0))
        });
        finding.fix_unsafe("Add set -e", vec![Edit::insert(start, "set -e\n")]);
    }
}
