//! The commands that the project's own instructions name for its checks, and those that they forbid.

use super::Instructions;
use crate::commands::declared_checks;
use aidd_engine::project::stack::{Ecosystem, Manifest, Stack};
use aidd_engine::project::tasks::Targets;
use aidd_engine::text::files::{Disk, side_file};
use aidd_lexicon::tables::runs;
use aidd_memory::outcomes::Check;
use std::collections::BTreeSet;

/// Maximum number of commands for one check.
const MAX_PER_CHECK: usize = 2;

/// Programs that run scripts of a `package.json`.
const SCRIPT_RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
/// Programs that run tasks of any language.
const TASK_RUNNERS: [&str; 7] = ["make", "just", "task", "mage", "mise", "nx", "turbo"];

/// A command that instructions name for a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructedCommand {
    /// The command, as the instructions state it.
    pub command: String,
    /// The checks that it runs.
    pub checks: Vec<Check>,
    /// The file with the instructions.
    pub path: String,
}

impl InstructedCommand {
    /// The directory, relative to the project root, in which the command runs; `None` for the root.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        let (directory, _) = self.command.strip_prefix("cd ")?.split_once("&&")?;
        Some(directory.trim().trim_start_matches("./").trim_end_matches('/'))
            .filter(|directory| !directory.is_empty() && *directory != ".")
    }

    /// Whether the command can run the checks of an ecosystem.
    pub(crate) fn covers(&self, ecosystem: Ecosystem) -> bool {
        match program(&self.command) {
            runner if TASK_RUNNERS.contains(&runner) => true,
            runner if SCRIPT_RUNNERS.contains(&runner) => ecosystem == Ecosystem::Npm,
            program => runs::PROGRAMS.pairs().any(|it| it == (program, ecosystem.word())),
        }
    }
}

/// The commands of a project, by its own instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRules {
    /// The commands for checks, in the order of the files.
    pub checks: Vec<InstructedCommand>,
    /// The forbidden commands, each with the file that forbids it.
    pub forbidden: Vec<(String, String)>,
}

impl CommandRules {
    /// Reads the commands that apply to the whole project. A script, target or recipe that is not
    /// defined is left out.
    #[must_use]
    pub fn new(files: &[Instructions], stack: &Stack, disk: &Disk) -> Self {
        let mut rules = Self::default();
        let mut named = Vec::new();
        for file in files.iter().filter(|file| file.applies_to.is_empty()) {
            for statement in &file.statements {
                let forbidden = statement.forbidden.iter();
                rules.forbidden.extend(forbidden.map(|text| (text.clone(), file.path.clone())));
                for command in &statement.commands {
                    let checks = checks_of(command);
                    if let Some(command) =
                        located(command, stack, disk).filter(|_| !checks.is_empty())
                    {
                        let path = file.path.clone();
                        named.push(InstructedCommand { command, checks, path });
                    }
                }
            }
        }
        named.retain(|named| rules.forbids(&named.command).is_none());
        // Of several commands for a check, the general ones come first: those that run in the root,
        // and `test` before `test:e2e`.
        let mut order: Vec<&InstructedCommand> = named.iter().collect();
        order.sort_by_key(|named| (named.directory().is_some(), named.command.contains(':')));
        for named in order {
            // Each directory has commands of its own. A variant such as `test:e2e` is not needed
            // where there is a general command.
            let max = if named.command.contains(':') { 1 } else { MAX_PER_CHECK };
            let is_full = |check: &Check| {
                let same = |it: &&InstructedCommand| it.directory() == named.directory();
                rules.for_check(*check).filter(same).count() >= max
            };
            let is_known = rules.checks.iter().any(|known| known.command == named.command);
            if !is_known && !named.checks.iter().all(is_full) {
                rules.checks.push(named.clone());
            }
        }
        rules
    }

    /// The commands that run a check.
    pub fn for_check(&self, check: Check) -> impl Iterator<Item = &InstructedCommand> {
        self.checks.iter().filter(move |named| named.checks.contains(&check))
    }

    /// The commands for a check that the manifests of the project declare and the instructions do not
    /// forbid, each with the path of its manifest. The prefix `in DIRECTORY: ` names the directory in
    /// which a command runs.
    #[must_use]
    pub fn declared_for(&self, check: Check, stack: &Stack) -> Vec<(String, String)> {
        let declared = declared_checks(&BTreeSet::new(), stack).into_iter();
        let commands = declared.map(|it| (it.command, it.path));
        let is_allowed = |command: &str| self.forbids(command).is_none();
        let runs = |command: &str| Check::from_command(command, None).contains(&check);
        commands.filter(|(command, _)| runs(command) && is_allowed(command)).collect()
    }

    /// The file that forbids a command, or a command in a list that `&&` connects.
    #[must_use]
    pub fn forbids(&self, command: &str) -> Option<&str> {
        let command = match command.strip_prefix("in ").and_then(|rest| rest.split_once(": ")) {
            Some((_, command)) => command,
            None => command,
        };
        let found = self.forbidden.iter().find(|(forbidden, _)| {
            let forbidden = script_words(forbidden);
            command.split("&&").any(|part| script_words(part).starts_with(&forbidden))
        });
        found.map(|(_, path)| &**path)
    }
}

/// The words of a command; `pnpm run test` is `pnpm test`.
fn script_words(command: &str) -> Vec<&str> {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    if let [runner, "run", ..] = words[..]
        && SCRIPT_RUNNERS.contains(&runner)
    {
        words.remove(1);
    }
    words
}

/// The last of several connected commands: the first ones change the directory or prepare.
fn last(command: &str) -> &str {
    command.rsplit("&&").next().unwrap_or(command).trim()
}

fn program(command: &str) -> &str {
    program_name(last(command).split_whitespace().next().unwrap_or_default())
}

fn program_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Words in commands that do not end, change files, or check only what is staged.
const OTHER: [&str; 12] = [
    "watch",
    "fix",
    "ui",
    "debug",
    "update",
    "dev",
    "serve",
    "install",
    "generate",
    "staged",
    "write",
    "autocorrect",
];
/// Options of linters that change files.
const CORRECTING: [&str; 2] = ["-a", "-A"];
/// Options that limit a command to a part of the project.
const PARTIAL: [&str; 5] = ["--filter", "-F", "-p", "--package", "--workspace"];

/// The checks of a command that can be run as it is; empty for a command with placeholders, on a part
/// of the project, or that does not end or changes files.
pub(super) fn checks_of(command: &str) -> Vec<Check> {
    let words = script_words(last(command));
    let is_other = |word: &&str| {
        let mut parts = word.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| OTHER.contains(&&*part.to_lowercase()))
    };
    let is_specific = |word: &&str| {
        let is_file = word.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        });
        is_file
            || word.contains(['<', '[', '{', '$', '…', '*', '"', '\''])
            || word.contains("path/")
            || word.ends_with(':')
            || word.split('=').next().is_some_and(|name| PARTIAL.contains(&name))
    };
    // `./manage.py test` is no test of a single file.
    let is_specific = |word: &&str| is_specific(word) && program_name(word) != "manage.py";
    let is_assignment = words.first().is_some_and(|word| word.contains('='));
    let is_long = words.len() > 8;
    if is_long || is_assignment || words.iter().any(is_other) || words.iter().any(is_specific) {
        return Vec::new();
    }
    // Arguments can contain the name of a tool.
    let named = match words[..] {
        ["test", ..] | ["cargo", "nextest"] => return Vec::new(),
        // A target of make is no build by itself.
        ["turbo" | "nx", "run", name, ..]
        | ["make" | "just" | "mage" | "task" | "turbo" | "nx", name, ..] => name.to_owned(),
        [program @ ("npm" | "pnpm" | "yarn" | "bun" | "cargo" | "go" | "dotnet"), name, ..] => {
            format!("{program} {name}")
        }
        _ => {
            let plain = words.iter().take_while(|word| !word.starts_with('-') || **word == "-m");
            plain.copied().collect::<Vec<_>>().join(" ")
        }
    };
    let mut checks = Check::from_command(&named, None);
    if checks.contains(&Check::Lint) && words.iter().any(|word| CORRECTING.contains(word)) {
        return Vec::new();
    }
    // `test:typecheck` runs no tests.
    if checks.contains(&Check::Lint) || checks.contains(&Check::Types) {
        checks.retain(|check| *check != Check::Tests);
    }
    checks
}

/// A command with the directory in which the project defines its script or target; `None` if it is
/// not defined. Other programs are assumed to exist.
fn located(command: &str, stack: &Stack, disk: &Disk) -> Option<String> {
    let directory = command.strip_prefix("cd ").and_then(|rest| rest.split_once("&&"));
    let directory = directory.map_or("", |(directory, _)| directory.trim());
    if !directory.is_empty() && !disk.is_dir(directory) {
        return None;
    }
    let as_is = || Some(command.to_owned());
    match script_words(last(command))[..] {
        [runner, "exec" | "dlx", ..] if SCRIPT_RUNNERS.contains(&runner) => as_is(),
        [runner, name, ref rest @ ..] if SCRIPT_RUNNERS.contains(&runner) => {
            let is_recursive = matches!(name, "-r" | "-ws" | "--workspaces" | "workspaces");
            let name = if is_recursive { *rest.last()? } else { name };
            let defining = stack.manifests.iter().filter(|it| it.scripts.contains_key(name));
            let folders: Vec<&str> = defining.map(Manifest::folder).collect();
            match folders[..] {
                _ if folders.contains(&directory) || is_recursive && !folders.is_empty() => as_is(),
                [folder] if directory.is_empty() => Some(format!("cd {folder} && {command}")),
                _ => None,
            }
        }
        ["make", target, ..] => {
            let names = ["Makefile", "makefile", "GNUmakefile"];
            let paths = names.map(|name| format!("{directory}/{name}"));
            let mut texts =
                paths.iter().filter_map(|path| side_file(disk, path.trim_start_matches('/')));
            let is_defined = texts.any(|text| Targets::read(&text).has(target));
            is_defined.then(|| command.to_owned())
        }
        [] => None,
        _ => as_is(),
    }
}

/// The commands in the text of a block, where code is in backticks: those that it says to run, and
/// those that it forbids.
pub(super) fn commands_in(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut named, mut forbidden) = (Vec::new(), Vec::new());
    let parts: Vec<&str> = text.split('`').collect();
    // The parts with odd positions are code.
    let (mut was_forbidden, mut is_conditional) = (false, false);
    for at in (1..parts.len().saturating_sub(1)).step_by(2) {
        let (before, code) = (parts[at - 1], parts[at].trim());
        let after = parts.get(at + 1).copied().unwrap_or_default();
        let clause = last_clause(before).to_lowercase();
        if at == 1 || before.contains(". ") {
            is_conditional = starts_with_condition(before.rsplit(". ").next().unwrap_or(before));
        }
        let is_listed =
            at > 1 && matches!(clause.trim(), "," | "or" | "and" | ", or" | "/" | "nor");
        was_forbidden = if is_listed { was_forbidden } else { is_forbidding(&clause, after) };
        // `bin/rubocop`, but not a path such as `src/a`.
        let is_program =
            || code.contains('/') && runs::PROGRAMS.pairs().any(|(name, _)| name == program(code));
        let is_command = code.split_whitespace().count() > 1 || is_program();
        if was_forbidden {
            forbidden.push(code.to_owned());
        } else if is_command && !is_conditional && (is_listed || names_command(&clause, after)) {
            named.push(code.to_owned());
        }
    }
    (named, forbidden)
}

/// Whether a sentence begins with a condition, or is about one test.
fn starts_with_condition(sentence: &str) -> bool {
    let sentence = sentence.trim_start().to_lowercase();
    let conditions = ["if ", "when ", "for ", "while "];
    conditions.iter().any(|word| sentence.starts_with(word))
        || ["single", "specific", "individual"].iter().any(|word| sentence.contains(word))
}

/// The text after the last end of a clause.
fn last_clause(text: &str) -> &str {
    let ends = [". ", "; ", ": ", " — ", " – ", "! ", "? ", "("];
    let end = ends.iter().filter_map(|end| Some(text.rfind(end)? + end.len())).max();
    &text[end.unwrap_or_default()..]
}

/// Whether a clause, in lower case, forbids the command after it: "do not run", "instead of". A
/// condition after the command limits what is forbidden, so it must follow directly.
fn is_forbidding(clause: &str, after: &str) -> bool {
    let clause = clause.trim_end();
    let verb = ["run", "use", "call", "execute", "invoke"].into_iter().find_map(|verb| {
        let plain = ["", " plain", " raw", " bare", " the"];
        plain.iter().find_map(|plain| clause.strip_suffix(plain)?.strip_suffix(verb))
    });
    let negations = ["never", "do not", "don't", "don’t", "must not", "should not", "cannot"];
    let is_negated = verb.is_some_and(|before| {
        let before = before.trim_end();
        negations.iter().any(|negation| before.ends_with(negation))
    });
    let is_replaced = ["instead of", "instead of using", "instead of running", "rather than"]
        .iter()
        .any(|words| clause.ends_with(words));
    let rest = after.trim_start();
    let word = rest.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_unconditional = rest.is_empty()
        || rest.starts_with(['.', ';', ',', ':', '!', '—', '–', '(', '/', '|'])
        || matches!(word, "directly" | "instead" | "or" | "nor" | "manually" | "yourself" | "here");
    is_replaced || (is_negated && is_unconditional)
}

/// Whether a clause, in lower case, says to run the command after it, or the command is alone in its
/// item or cell.
fn names_command(clause: &str, after: &str) -> bool {
    let clause = clause.trim().trim_end_matches(':').trim_end();
    let is_alone = (clause.is_empty() || clause.ends_with('|'))
        && (after.trim().is_empty()
            || after.trim_start().starts_with(['|', '-', '—', '–', ':', '(', ',']));
    let verbs = ["run", "runs", "use", "with", "via", "execute", "using", "running", "at least"];
    is_alone || verbs.iter().any(|verb| clause == *verb || clause.ends_with(&format!(" {verb}")))
}
