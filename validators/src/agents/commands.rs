//! Commands in instructions that the project does not define.

use super::AgentContext;
use super::elsewhere::submodules;
use super::markdown::{Command, Instructions};
use super::package_managers::changed_directory;
use super::project_commands::{self, Defined};
use super::words::{HEDGES, PLANNED, is_placeholder_name};
use aidd_engine::project::manifest;
use aidd_engine::project::stack::Ecosystem;
use aidd_engine::project::tasks::{Targets, TaskRunner};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::nearest::{is_typo, nearest};
use aidd_engine::text::paths::{join, parent_dir, upwards};
use aidd_engine::text::source::{Source, Span};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// Maximum number of lines before and after a command that are read for the name of a repository.
const MAX_LINES: usize = 50;
/// Maximum length of a line that is read for the name of a repository.
const MAX_LINE_BYTES: usize = 10_000;
/// Package managers of JavaScript.
pub(super) const SCRIPT_RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
/// Options of runners that are followed by a value.
const VALUE_OPTIONS: [&str; 12] = [
    "-C",
    "-F",
    "-f",
    "-w",
    "--cwd",
    "--dir",
    "--directory",
    "--file",
    "--filter",
    "--justfile",
    "--prefix",
    "--workspace",
];
/// Names of scripts that no well-known package has as the name of a program.
const SCRIPTS: [&str; 5] = ["build", "dev", "format", "lint", "start"];
/// Options of runners that are followed by a directory.
const DIRECTORY_OPTIONS: [&str; 5] = ["-C", "--cwd", "--dir", "--directory", "--prefix"];
/// Maximum number of bytes between a command and the change of the directory for it.
pub(super) const MAX_DISTANCE: u32 = 40;
/// Subcommands that install packages, and thereby write the lock file of their package manager.
pub(super) const INSTALLING: [&str; 8] =
    ["add", "ci", "i", "install", "remove", "uninstall", "up", "update"];
/// Subcommands that do not depend on the project's packages.
const INDEPENDENT: [&str; 10] =
    ["create", "config", "dlx", "global", "info", "init", "login", "publish", "view", "x"];

/// The task that a command runs: the runner, the name and its span.
struct Task<'s> {
    runner: TaskRunner,
    name: &'s str,
    span: Span,
}

/// The task of a command; `None` if the command runs none, or if its name cannot be determined.
fn task<'s>(command: &Command<'s>) -> Option<Task<'s>> {
    let mut words = command.text.split_whitespace().filter(|word| !is_assignment(word));
    let program = words.next()?;
    let runner = match program {
        "make" | "gmake" => TaskRunner::Make,
        "just" => TaskRunner::Just,
        "task" => TaskRunner::Task,
        "composer" => TaskRunner::Composer,
        _ if SCRIPT_RUNNERS.contains(&program) => TaskRunner::Npm,
        _ => return None,
    };
    let mut operands: Vec<&str> = Vec::new();
    let mut is_value = false;
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if word == "--" {
            break;
        }
        if word.starts_with('-') {
            is_value =
                VALUE_OPTIONS.contains(&word) || runner != TaskRunner::Npm && word.len() == 2;
            continue;
        }
        operands.push(word);
    }
    let name = match (runner, &operands[..]) {
        // Yarn and Bun also run the programs of packages, whose names contain no colon.
        (TaskRunner::Npm, ["workspace", _, "run", name, ..] | ["workspace", _, name, ..]) => {
            Some(*name).filter(|name| name.contains(':'))?
        }
        (TaskRunner::Npm, ["run" | "run-script", name, ..]) => {
            let is_strict = matches!(program, "npm" | "pnpm") || name.contains(':');
            Some(*name).filter(|_| is_strict)?
        }
        (TaskRunner::Npm, [name @ "test", ..]) if program != "bun" => name,
        (TaskRunner::Npm, [name]) if matches!(program, "pnpm" | "yarn") => {
            Some(*name).filter(|name| name.contains(':') || SCRIPTS.contains(name))?
        }
        (TaskRunner::Npm, [name, ..]) if program != "npm" => {
            Some(*name).filter(|name| name.contains(':'))?
        }
        (TaskRunner::Composer, ["run" | "run-script", name, ..]) => name,
        (TaskRunner::Make | TaskRunner::Just | TaskRunner::Task, [name, ..]) => {
            // `just mod::recipe` and names in prose.
            let is_prose = operands.len() > 3 && runner != TaskRunner::Just;
            // `just directory/recipe` runs the justfile of the directory.
            let is_elsewhere =
                name.contains("::") || runner == TaskRunner::Just && name.contains('/');
            Some(*name).filter(|_| !is_elsewhere && !is_prose)?
        }
        _ => return None,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/');
    if !name.contains(|c: char| c.is_ascii_alphanumeric())
        || !name.chars().all(is_name)
        || is_placeholder_name(name)
    {
        return None;
    }
    let offset = name.as_ptr() as usize - command.text.as_ptr() as usize;
    let start = command.span.start as usize + offset;
    Some(Task { runner, name, span: Span::new(start, start + name.len()) })
}

/// Whether a word sets a variable: `CI=1` before a command, `V=1` after `make`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

pub(super) fn missing_command(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let read = || Defined::read(context.files, listing);
    let defined = LazyLock::new(|| match context.files.run_cache() {
        Some(cache) => cache.get_or_compute("agents defined", read),
        None => Arc::new(read()),
    });
    // The files of a submodule, which may not be checked out, can define the command.
    if !submodules(context.files).is_empty() {
        return;
    }
    for (at, command) in instructions.commands.iter().enumerate() {
        if project_commands::is_known(command)
            && let Some(missing) = defined.missing(command)
            && !instructions.is_negated(missing.span)
            && !creates(&instructions.line(missing.span))
            && !depends_on_project(instructions, missing.span)
            && !names_other_repository(context.source, missing.span)
        {
            let help = "correct or remove the command; an agent runs it as written".to_owned();
            let finding = report.at(missing.span, missing.message);
            finding.help(missing.help.unwrap_or(help));
            context.lower_in_copy(finding);
            continue;
        }
        if let Some((span, message)) = missing_runner(command, context.files, listing)
            && !instructions.is_negated(span)
            && !depends_on_project(instructions, span)
            && !names_other_repository(context.source, span)
        {
            let finding = report.at(span, message);
            finding.help("name the command that runs the tests");
            context.lower_in_copy(finding);
            continue;
        }
        let Some(task) = task(command) else { continue };
        let targets = Targets::of_project(task.runner, context.files, listing);
        if !targets.lacks(task.name)
            || instructions.is_negated(task.span)
            || depends_on_project(instructions, task.span)
            || names_other_repository(context.source, task.span)
            || runs_elsewhere(&instructions.commands, at, context)
            || is_file(&task, context)
        {
            continue;
        }
        let file = task.runner.file();
        let message = if targets.files == 1 {
            format!("`{}` is not defined in the {file}", task.name)
        } else {
            format!("`{}` is not defined in any {file}", task.name)
        };
        let similar = nearest(task.name, targets.names());
        let help = match similar {
            Some(name) => format!("did you mean `{name}`?"),
            None => "correct or remove the command; an agent runs it as written".to_owned(),
        };
        let finding = report.at(task.span, message);
        finding.help(help);
        // Variables, included files and other directories define targets too.
        if task.runner == TaskRunner::Make {
            finding.severity = finding.severity.min(Severity::Info);
        }
        if let Some(name) = similar.filter(|name| is_typo(task.name, name)) {
            finding.fix_unsafe(format!("Run `{name}`"), vec![Edit::replace(task.span, name)]);
        }
        context.lower_in_copy(finding);
    }
}

/// Whether the line of a command says that it depends on the project in which it runs, or that the
/// command does not exist yet.
fn depends_on_project(instructions: &Instructions<'_>, span: Span) -> bool {
    let line = instructions.line(span);
    HEDGES.iter().any(|words| line.contains(words)) || instructions.has_near(span, &PLANNED)
}

/// Whether an adjacent command before that at `at` changes to a directory outside of the project.
fn runs_elsewhere(commands: &[Command<'_>], at: usize, context: &AgentContext<'_, '_>) -> bool {
    let Some(written) = changed_directory(commands, at) else { return false };
    let directory = written.trim_matches(['"', '\'']);
    let is_above = directory.split('/').all(|part| matches!(part, "." | ".." | "-" | ""));
    let above = upwards(parent_dir(context.source.path()));
    let mut candidates = above.filter_map(|above| join(above, directory));
    let has =
        |it: &String| it.is_empty() || context.listing().is_some_and(|listing| listing.has_dir(it));
    !is_above && !candidates.any(|it| has(&it))
}

/// Whether a line in lower case creates what its commands name, or gives an example.
fn creates(line: &str) -> bool {
    ["cargo new", "cargo init", "create", "e.g", "for example", "for instance", "such as"]
        .iter()
        .any(|word| line.contains(word))
}

/// Whether the paragraph or list around `span` names another repository, in which the command runs:
/// `make sync` in the operator repo.
fn names_other_repository(source: &Source, span: Span) -> bool {
    const OWN: [&str; 9] =
        ["this", "the", "our", "a", "whole", "entire", "same", "current", "monorepo"];
    let is_blank = |line: usize| source.slice(source.line_span(line)).trim().is_empty();
    let at = source.line_of(span.start);
    let first = (at.saturating_sub(MAX_LINES)..at)
        .rev()
        .find(|line| is_blank(*line))
        .map_or(at.saturating_sub(MAX_LINES), |line| line + 1);
    let end = source.line_count().min(at + MAX_LINES);
    let last = (at..end).find(|line| is_blank(*line)).unwrap_or(end);
    (first..last).any(|line| {
        let text = source.slice(source.line_span(line));
        if text.len() > MAX_LINE_BYTES {
            return false;
        }
        let text = text.to_ascii_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))).collect();
        words.windows(2).any(|pair| {
            matches!(pair, [before, "repo" | "repository"] if !before.is_empty() && !OWN.contains(before))
        })
    })
}

/// A target of make can be a file.
fn is_file(task: &Task<'_>, context: &AgentContext<'_, '_>) -> bool {
    task.runner == TaskRunner::Make
        && (task.name.contains(['/', '.']) || context.files.exists(task.name))
}

/// The package managers of JavaScript that the commands name, each with its first span.
pub(super) fn script_managers<'s>(instructions: &Instructions<'s>) -> Vec<(&'s str, Span)> {
    let mut found: Vec<(&str, Span)> = Vec::new();
    for (at, command) in instructions.commands.iter().enumerate() {
        let Some((manager, Ecosystem::Npm)) = written_manager(command) else { continue };
        // Another directory can have another package manager.
        let is_near = |other: &&Command<'_>| {
            let distance = command.span.start.checked_sub(other.span.end);
            distance.is_some_and(|distance| distance < MAX_DISTANCE)
        };
        let mut before = instructions.commands[..at].iter().rev().take_while(is_near);
        let changes_directory = before.any(|other| other.text.starts_with("cd "));
        let names_directory =
            command.text.split_whitespace().any(|word| DIRECTORY_OPTIONS.contains(&word));
        if changes_directory || names_directory {
            continue;
        }
        let start = command.span.start as usize;
        let is_known = found.iter().any(|(name, _)| *name == manager);
        if !is_known && !instructions.is_negated(command.span) {
            found.push((manager, Span::new(start, start + manager.len())));
        }
    }
    found
}

/// Programs that run the unit tests of JavaScript, of which a project uses one.
const TEST_RUNNERS: [&str; 4] = ["ava", "jest", "mocha", "vitest"];

/// The test runners of JavaScript that the commands name, each with its first span.
pub(super) fn test_runners(instructions: &Instructions<'_>) -> Vec<(&'static str, Span)> {
    let mut found: Vec<(&'static str, Span)> = Vec::new();
    for command in &instructions.commands {
        let Some((runner, span)) = test_runner(command) else { continue };
        let is_known = found.iter().any(|(name, _)| *name == runner);
        if !is_known && !instructions.is_negated(span) {
            found.push((runner, span));
        }
    }
    found
}

/// The test runner of JavaScript that a command runs directly.
fn test_runner(command: &Command<'_>) -> Option<(&'static str, Span)> {
    let mut words = command.text.split_whitespace().filter(|word| !is_assignment(word)).peekable();
    let first = words.next()?;
    let word = match first {
        "npx" | "bunx" => words.find(|word| !word.starts_with('-'))?,
        "pnpm" | "yarn" => {
            words.next_if(|word| matches!(*word, "exec" | "run" | "dlx"));
            words.next()?
        }
        // A code span with only a name is not a command.
        _ if words.peek().is_some() => first,
        _ => return None,
    };
    let runner = TEST_RUNNERS.into_iter().find(|runner| *runner == word)?;
    let start =
        command.span.start as usize + (word.as_ptr() as usize - command.text.as_ptr() as usize);
    Some((runner, Span::new(start, start + word.len())))
}

/// The test runner of a command, if no `package.json` depends on it, and the one that the project
/// uses.
fn missing_runner(
    command: &Command<'_>,
    files: &dyn Files,
    listing: &Listing,
) -> Option<(Span, String)> {
    let (runner, span) = test_runner(command)?;
    let read = || used_runners(files, listing);
    let used = match files.run_cache() {
        Some(cache) => cache.get_or_compute("agents runners", read),
        None => Arc::new(read()),
    };
    let only = used.first().filter(|_| used.len() == 1 && !used.contains(runner))?;
    Some((span, format!("no package.json depends on `{runner}`; the project uses {only}")))
}

/// The test runners that a `package.json` of the project depends on or runs.
fn used_runners(files: &dyn Files, listing: &Listing) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let is_manifest = |path: &&String| path.rsplit('/').next() == Some("package.json");
    for path in listing.files().iter().filter(is_manifest) {
        let text = manifest::json(files, path).to_string();
        let names = TEST_RUNNERS.into_iter().filter(|runner| text.contains(runner));
        used.extend(names.map(str::to_owned));
    }
    used
}

/// The package manager of a command that installs packages or runs scripts with it.
pub(super) fn written_manager<'s>(command: &Command<'s>) -> Option<(&'s str, Ecosystem)> {
    let words: Vec<&str> = command.text.split_whitespace().collect();
    let (manager, subcommand) = match words[..] {
        [manager, subcommand, ..] => (manager, subcommand),
        _ => return None,
    };
    if words.iter().any(|word| matches!(*word, "-g" | "--global" | "…" | "..."))
        || words.iter().any(|word| word.contains(['<', '*']))
    {
        return None;
    }
    let is_plain = subcommand.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '-'));
    let ecosystem = match manager {
        "npm" if INSTALLING.contains(&subcommand) => Ecosystem::Npm,
        "pnpm" | "yarn" if is_plain && !INDEPENDENT.contains(&subcommand) => Ecosystem::Npm,
        "bun" if INSTALLING.contains(&subcommand) => Ecosystem::Npm,
        "poetry" | "pdm" | "pipenv" if INSTALLING.contains(&subcommand) || subcommand == "run" => {
            Ecosystem::Pypi
        }
        _ => return None,
    };
    (!subcommand.starts_with('-')).then_some((manager, ecosystem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        let command = Command { text, span: Span::new(0, text.len()) };
        task(&command).map_or_else(
            || "–".to_owned(),
            |task| format!("{:?} {} {}", task.runner, task.name, task.span.start),
        )
    }

    #[test]
    fn commands_name_tasks() {
        for (text, expected) in [
            ("npm run lint", "Npm lint 8"),
            ("pnpm --filter web run test:e2e -- a", "Npm test:e2e 22"),
            ("yarn vitest", "–"),
            ("npm test", "Npm test 4"),
            ("pnpm lint", "Npm lint 5"),
            ("pnpm build --watch", "Npm build 5"),
            ("pnpm build web", "–"),
            ("bun test", "–"),
            ("yarn test:e2e", "Npm test:e2e 5"),
            ("make -C docs html", "Make html 13"),
            ("CI=1 make test", "Make test 10"),
            ("make sure it works well", "–"),
            ("npm run <script>", "–"),
            ("npm install", "–"),
            ("just build", "Just build 5"),
            ("just web/build", "–"),
            ("pnpm run ...", "–"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }
}
