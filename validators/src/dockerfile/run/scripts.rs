//! Checks on the script: syntax, quoting, and features that only some shells support.

use super::{Check, Run, Runs, Site};
use crate::shell::{Command, Expansion, ExpansionKind, Join, ScopeKind, Script, Word};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Source;
use std::collections::{HashMap, HashSet};

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/shell-syntax", syntax),
    ("dockerfile/unquoted-expansion", unquoted),
    ("dockerfile/unchecked-cd", unchecked_cd),
    ("dockerfile/unguarded-rm", unguarded_rm),
    ("dockerfile/bash-only-syntax", bash_only),
];

fn syntax(runs: &Runs<'_>, report: &mut Report<'_>) {
    for run in &runs.runs {
        // A template is only expanded to a script later.
        let argument = run.instruction.argument();
        if runs.file.template || ["{{", "{%", "<%"].iter().any(|it| argument.contains(it)) {
            continue;
        }
        for script in &run.scripts {
            if let Some(fault) = script.faults.first() {
                report
                    .at(fault.span, format!("shell syntax error: {}", fault.message))
                    .help("Fix the syntax; the build fails here");
            }
        }
        for site in run.commands().filter(|site| site.command.program() == "[") {
            let closed = site.command.words.last().is_some_and(|last| last.text() == "]");
            if !closed && site.run.scripts.iter().all(|script| script.faults.is_empty()) {
                report
                    .at(site.command.span, "`[` without a separate closing `]`")
                    .help("Insert a space before the closing bracket");
            }
        }
    }
}

/// Programs that can do harm with an unintended argument.
const SENSITIVE: [&str; 16] = [
    "rm", "rmdir", "mv", "cp", "ln", "mkdir", "touch", "chmod", "chown", "chgrp", "install", "cd",
    "tar", "unzip", "[", "test",
];

/// Programs that print a single word.
const SINGLE_WORD_OUTPUT: [&str; 12] = [
    "uname",
    "whoami",
    "id",
    "nproc",
    "arch",
    "date",
    "hostname",
    "dpkg",
    "mktemp",
    "lsb_release",
    "getconf",
    "which",
];

fn unquoted(runs: &Runs<'_>, report: &mut Report<'_>) {
    for_each_call(runs, &SENSITIVE, |site, known| {
        for word in site.command.arguments() {
            let Some(expansion) = word.expansions.iter().find(|it| can_split(runs, known, it))
            else {
                continue;
            };
            let source = report.source();
            let text = source.slice(expansion.span);
            let message = format!("`{text}` is subject to word splitting and globbing");
            let edits = quote_edits(source, word);
            let finding = report.at(expansion.span, message);
            if expansion.kind == ExpansionKind::Command {
                finding.help("Quote it, or pass a list with `find -exec` or `xargs`");
                continue;
            }
            finding.help(format!("Quote it: `\"{text}\"`"));
            if site.run.is_editable() {
                finding.fix_unsafe("Quote it", edits);
            }
        }
    });
}

/// Visits the calls of `programs`; `visit` also receives the variables whose values are known.
fn for_each_call(
    runs: &Runs<'_>,
    programs: &[&str],
    mut visit: impl FnMut(&Site<'_>, &HashSet<&str>),
) {
    for run in &runs.runs {
        for script in &run.scripts {
            let mut known = None;
            let commands = script.commands.iter().enumerate();
            for (index, command) in commands.filter(|it| programs.contains(&it.1.program())) {
                let known = known.get_or_insert_with(|| {
                    constants(runs.source.slice(script.scopes[0].span), script)
                });
                visit(&Site { run, script, index, command }, known);
            }
        }
    }
}

/// Whether the value of an expansion can be split into several words.
fn can_split(runs: &Runs<'_>, known: &HashSet<&str>, expansion: &Expansion) -> bool {
    if expansion.quoted {
        return false;
    }
    match &expansion.kind {
        ExpansionKind::Arithmetic => false,
        ExpansionKind::Command => {
            let text = runs.source.slice(expansion.span);
            let text = text.trim_start_matches(['$', '(', '`', ' ']);
            let program = text.split([' ', ')', '`']).next().unwrap_or_default();
            !SINGLE_WORD_OUTPUT.contains(&program)
        }
        ExpansionKind::Parameter(name) => is_unknown_value(runs, known, name),
    }
}

/// Whether the value of a variable is unknown. It is known if `ENV`, `ARG` or a constant sets it.
fn is_unknown_value(runs: &Runs<'_>, known: &HashSet<&str>, name: &str) -> bool {
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    is_name
        && !matches!(name, "HOME" | "PWD" | "USER" | "UID" | "HOSTNAME" | "SHLVL")
        && !known.contains(name)
        && !runs.variables.contains(name)
}

/// The variables that a script sets to constants, and the variables of loops over lists, because
/// most lists are constant.
fn constants<'a>(text: &'a str, script: &'a Script) -> HashSet<&'a str> {
    const DECLARE: [&str; 4] = ["export", "local", "readonly", "declare"];
    let mut known: HashSet<&str> = text
        .match_indices("for ")
        .filter_map(|(at, keyword)| text[at + keyword.len()..].split_whitespace().next())
        .collect();
    for command in &script.commands {
        let declares = DECLARE.contains(&command.program());
        let words = if declares { command.arguments() } else { &command.assignments };
        for word in words.iter().filter(|word| word.is_literal()) {
            if let Some((name, value)) = word.text().split_once('=')
                && !value.contains([' ', '\t', '\n', '*', '?', '['])
            {
                known.insert(name);
            }
        }
    }
    known
}

/// Edits that quote a word, or only its expansions if quotes would change the rest of the word.
fn quote_edits(source: &Source, word: &Word) -> Vec<Edit> {
    let written = source.slice(word.span);
    let quotes_word = !word.quoted && !written.contains(['*', '?', '[', '~', '{', '\\', '\n', '('])
        || word.expansions.iter().any(|it| it.span == word.span);
    let spans = if quotes_word {
        vec![word.span]
    } else {
        word.expansions.iter().filter(|it| !it.quoted).map(|it| it.span).collect()
    };
    let quote = |at| Edit::insert(at, "\"");
    spans.into_iter().flat_map(|span| [quote(span.start), quote(span.end)]).collect()
}

fn unchecked_cd(runs: &Runs<'_>, report: &mut Report<'_>) {
    const TESTED: [ScopeKind; 3] = [ScopeKind::If, ScopeKind::Loop, ScopeKind::Function];
    let exits = |it: &Command| {
        it.program() == "set" && (it.has_option(&["e"]) || it.has_argument(&["errexit"]))
    };
    let scripts = runs.runs.iter().filter(|run| !run.shell.exits_on_error).flat_map(|run| {
        run.scripts.iter().map(move |script| (script, script.commands.iter().position(exits)))
    });
    for (script, exits) in scripts {
        let commands = script.commands.iter().enumerate().take(exits.unwrap_or(usize::MAX));
        for (index, command) in commands.filter(|it| it.1.program() == "cd") {
            let continues = script.join_after(index) == Some(Join::Then);
            if !continues || command.words.len() < 2 || script.is_within(index, &TESTED) {
                continue;
            }
            let finding = report.at(
                command.span,
                "if this `cd` fails, the following commands run in the wrong directory",
            );
            finding.help("Join the commands with `&&`, or start with `set -e`");
            let edit = Edit::insert(command.span.end, " || exit 1");
            finding.fix_unsafe("Add || exit 1", vec![edit]);
        }
    }
}

/// Directories at the root of the file system that must not be removed.
const SYSTEM_DIRS: [&str; 16] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root",
    "sbin", "srv", "usr", "var",
];

fn unguarded_rm(runs: &Runs<'_>, report: &mut Report<'_>) {
    for_each_call(runs, &["rm"], |site, known| {
        if !site.command.has_option(&["r", "R", "rec[ursive]"]) {
            return;
        }
        for word in site.command.arguments() {
            let Some(first) = word.expansions.first().filter(|it| it.at == 0) else { continue };
            let ExpansionKind::Parameter(name) = &first.kind else { continue };
            let written = report.source().slice(first.span);
            let rest = word.text().strip_prefix(written).and_then(|it| it.strip_prefix('/'));
            let is_harmful = rest.is_some_and(|rest| {
                let top = rest.split('/').next().unwrap_or_default();
                top.is_empty() || top.starts_with('*') || SYSTEM_DIRS.contains(&top)
            });
            let is_guarded = written.contains([':', '?', '-', '=']);
            // The base image can set the variable with `ENV`.
            let is_upper = name.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
            let is_from_base =
                is_upper && super::image(runs.file, site.run.instruction).contains('$');
            if is_harmful && !is_guarded && !is_from_base && is_unknown_value(runs, known, name) {
                let message =
                    format!("if `{written}` is empty, this removes files from the root directory");
                report
                    .at(word.span, message)
                    .help(format!("Make the shell stop if it is empty: `\"${{{name}:?}}\"`"));
            }
        }
    });
}

/// Parts of the names of images whose `/bin/sh` is bash.
const BASH_IMAGES: [&str; 14] = [
    "fedora",
    "centos",
    "rocky",
    "alma",
    "redhat",
    "ubi",
    "amazonlinux",
    "oraclelinux",
    "opensuse",
    "suse",
    "arch",
    "manylinux",
    "rhel",
    "mageia",
];

/// The capabilities of a shell other than bash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// dash, or the shell of an unknown image.
    Plain,
    /// busybox, which supports many features of bash.
    Busybox,
}

/// The dialect of the `/bin/sh` in the image of a `RUN`; `None` for bash.
fn dialect(runs: &Runs<'_>, run: &Run<'_>) -> Option<Dialect> {
    let image = super::image(runs.file, run.instruction);
    if BASH_IMAGES.iter().any(|it| image.contains(it)) {
        return None;
    }
    let busybox =
        ["alpine", "busybox"].iter().any(|it| image.contains(it)) || image.starts_with("bash:");
    Some(if busybox { Dialect::Busybox } else { Dialect::Plain })
}

fn bash_only(runs: &Runs<'_>, report: &mut Report<'_>) {
    let mut of_stages = HashMap::new();
    for run in &runs.runs {
        // Skip here-documents: a here-document can name another shell, and a here-document without
        // a shell name is rare.
        let has_heredocs = !run.instruction.heredocs.is_empty();
        if run.shell.supports_bash || run.instruction.json || has_heredocs {
            continue;
        }
        let of_stage = of_stages.entry(run.instruction.stage);
        let Some(dialect) = *of_stage.or_insert_with(|| dialect(runs, run)) else { continue };
        for site in run.commands() {
            let found = first_bashism(report.source(), site.command, dialect);
            if let Some((span, problem)) = found {
                report
                    .at(span, format!("`/bin/sh` {problem}"))
                    .help("Rewrite it for `sh`, or use bash: `SHELL [\"/bin/bash\", \"-c\"]`");
            }
        }
    }
}

/// The first part of a command that another shell silently interprets differently.
fn first_bashism(
    source: &Source,
    command: &Command,
    dialect: Dialect,
) -> Option<(aidd_engine::text::source::Span, &'static str)> {
    let braces = command.arguments().iter().find(|word| has_braces(source, word));
    if let Some(word) = braces {
        return Some((word.span, "does not expand braces; this remains one word"));
    }
    if dialect == Dialect::Busybox {
        return None;
    }
    let first = command.words.first()?;
    match first.text() {
        "[[" => return Some((command.span, "has no `[[`, so the test always fails")),
        "[" | "test" => {
            let operator = command.arguments().iter().find(|word| word.text() == "==");
            if let Some(operator) = operator.filter(|word| !word.quoted) {
                return Some((
                    operator.span,
                    "compares with `=`; `==` is an error, so the test fails",
                ));
            }
        }
        _ => {}
    }
    let redirect = command.redirects.iter().find(|it| it.operator.starts_with('&'))?;
    Some((redirect.span, "parses `&>` as `&` and `>`; the command runs in the background"))
}

/// Whether a word contains unquoted braces with a comma.
fn has_braces(source: &Source, word: &Word) -> bool {
    if word.quoted || !word.is_literal() {
        return false;
    }
    let written = source.slice(word.span);
    let Some((_, inside)) = written.split_once('{') else { return false };
    let inside = inside.split(['{', '}']).next().unwrap_or_default();
    inside.contains(',') && written.contains('}')
}
