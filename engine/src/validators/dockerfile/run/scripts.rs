//! The script itself: syntax, quoting, and what only some shells understand.

use super::{Check, Run, Runs, Site};
use crate::finding::Edit;
use crate::parse::shell::{Command, Expansion, ExpansionKind, Join, ScopeKind, Word};
use crate::rule::Report;
use crate::source::Source;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/shell-syntax", syntax),
    ("dockerfile/unquoted-expansion", unquoted),
    ("dockerfile/unchecked-cd", unchecked_cd),
    ("dockerfile/unguarded-rm", unguarded_rm),
    ("dockerfile/bash-only-syntax", bash_only),
];

fn syntax(runs: &Runs<'_>, report: &mut Report<'_>) {
    for run in &runs.runs {
        // A template becomes a script only later.
        let argument = run.at.argument();
        if runs.file.template || ["{{", "{%", "<%"].iter().any(|it| argument.contains(it)) {
            continue;
        }
        for script in &run.scripts {
            if let Some(fault) = script.faults.first() {
                report
                    .at(fault.span, format!("the shell cannot read this: {}", fault.message))
                    .help("The build stops here with a syntax error");
            }
        }
        for site in run.commands().filter(|site| site.command.program() == "[") {
            let closed = site.command.words.last().is_some_and(|last| last.text() == "]");
            if !closed && site.run.scripts.iter().all(|script| script.faults.is_empty()) {
                report
                    .at(site.command.span, "`[` ends without a `]` of its own")
                    .help("Put a blank before the closing bracket");
            }
        }
    }
}

/// Programs for which one argument too many, or another one than meant, does harm.
const SENSITIVE: [&str; 16] = [
    "rm", "rmdir", "mv", "cp", "ln", "mkdir", "touch", "chmod", "chown", "chgrp", "install", "cd",
    "tar", "unzip", "[", "test",
];

/// Programs that print one word without blanks.
const ONE_WORD: [&str; 12] = [
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
    for site in runs.commands() {
        if !SENSITIVE.contains(&site.command.program()) {
            continue;
        }
        for word in site.command.arguments() {
            let Some(expansion) = word.expansions.iter().find(|it| splits(runs, &site, it)) else {
                continue;
            };
            let source = report.source();
            let text = source.slice(expansion.span);
            let message = format!("`{text}` is split at blanks and its wildcards are expanded");
            let edits = quotes(source, word);
            let finding = report.at(expansion.span, message);
            finding.help(format!("Quote it: `\"{text}\"`"));
            if site.run.is_editable() {
                finding.fix_unsafe("Quote it", edits);
            }
        }
    }
}

/// Whether the value of an expansion may fall apart into several words.
fn splits(runs: &Runs<'_>, site: &Site<'_>, expansion: &Expansion) -> bool {
    if expansion.quoted {
        return false;
    }
    match &expansion.kind {
        ExpansionKind::Arithmetic => false,
        ExpansionKind::Command => {
            let text = runs.source.slice(expansion.span);
            let text = text.trim_start_matches(['$', '(', '`', ' ']);
            let program = text.split([' ', ')', '`']).next().unwrap_or_default();
            !ONE_WORD.contains(&program)
        }
        ExpansionKind::Parameter(name) => is_unknown(runs, site, name),
    }
}

/// Whether nothing says what a variable holds. `ENV` and `ARG` do, and constants.
fn is_unknown(runs: &Runs<'_>, site: &Site<'_>, name: &str) -> bool {
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    if !is_name || matches!(name, "HOME" | "PWD" | "USER" | "UID" | "HOSTNAME" | "SHLVL") {
        return false;
    }
    let assigned = |word: &Word| {
        word.text().strip_prefix(name).and_then(|it| it.strip_prefix('=')).is_some_and(|value| {
            word.is_literal() && !value.contains([' ', '\t', '\n', '*', '?', '['])
        })
    };
    let sets = |command: &Command| {
        command.assignments.iter().any(assigned)
            || matches!(command.program(), "export" | "local" | "readonly" | "declare")
                && command.arguments().iter().any(assigned)
    };
    // The list of a loop is not looked at: most are constant.
    let loops = || {
        let text = runs.source.slice(site.script.scopes[0].span);
        text.contains("for ") && text.contains(&format!("for {name} in"))
    };
    !site.script.commands[..site.index].iter().any(sets)
        && !loops()
        && !runs.file.variables_at(site.run.index).iter().any(|it| it.name == name)
}

/// Edits that quote a word, or only its expansions where quotes would change the rest of it.
fn quotes(source: &Source, word: &Word) -> Vec<Edit> {
    let written = source.slice(word.span);
    let whole = !word.quoted && !written.contains(['*', '?', '[', '~', '{', '\\', '\n', '('])
        || word.expansions.iter().any(|it| it.span == word.span);
    let spans = if whole {
        vec![word.span]
    } else {
        word.expansions.iter().filter(|it| !it.quoted).map(|it| it.span).collect()
    };
    let quote = |at| Edit::insert(at, "\"");
    spans.into_iter().flat_map(|span| [quote(span.start), quote(span.end)]).collect()
}

fn unchecked_cd(runs: &Runs<'_>, report: &mut Report<'_>) {
    const TESTED: [ScopeKind; 3] = [ScopeKind::If, ScopeKind::Loop, ScopeKind::Function];
    for site in runs.calls(&["cd"]) {
        let exits = |it: &Command| {
            it.program() == "set" && (it.has_option(&["e"]) || it.has_argument(&["errexit"]))
        };
        let goes_on = site.script.after(site.index) == Some(Join::Then);
        if !goes_on
            || site.command.words.len() < 2
            || site.run.shell.exits
            || site.script.commands[..site.index].iter().any(exits)
            || site.script.within(site.index, &TESTED)
        {
            continue;
        }
        let finding = report
            .at(site.command.span, "if this `cd` fails, what follows runs in the wrong folder");
        finding.help("Join what follows by `&&`, or begin with `set -e`");
        let edit = Edit::insert(site.command.span.end, " || exit 1");
        finding.fix_unsafe("Add || exit 1", vec![edit]);
    }
}

/// Folders that must not be removed from the root of the file system.
const SYSTEM: [&str; 16] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root",
    "sbin", "srv", "usr", "var",
];

fn unguarded_rm(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["rm"]) {
        if !site.command.has_option(&["r", "R", "recursive"]) {
            continue;
        }
        for word in site.command.arguments() {
            let Some(first) = word.expansions.first().filter(|it| it.at == 0) else { continue };
            let ExpansionKind::Parameter(name) = &first.kind else { continue };
            let written = report.source().slice(first.span);
            let rest = word.text().strip_prefix(written).and_then(|it| it.strip_prefix('/'));
            let harmful = rest.is_some_and(|rest| {
                let top = rest.split('/').next().unwrap_or_default();
                top.is_empty() || top.starts_with('*') || SYSTEM.contains(&top)
            });
            let guarded = written.contains([':', '?', '-', '=']);
            if harmful && !guarded && is_unknown(runs, &site, name) {
                let message = format!("if `{written}` is empty, this removes from the root folder");
                report
                    .at(word.span, message)
                    .help(format!("Let the shell stop when it is empty: `\"${{{name}:?}}\"`"));
            }
        }
    }
}

/// Families of images whose `/bin/sh` is bash.
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

/// How far the shell of a `RUN` is from bash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// dash, or an image that we know nothing of.
    Plain,
    /// busybox, which understands much of bash.
    Busybox,
}

fn dialect(runs: &Runs<'_>, run: &Run<'_>) -> Option<Dialect> {
    let image = super::image(runs.file, run.at);
    if run.shell.bash || run.at.json || BASH_IMAGES.iter().any(|it| image.contains(it)) {
        return None;
    }
    let busybox = ["alpine", "busybox"].iter().any(|it| image.contains(it));
    Some(if busybox { Dialect::Busybox } else { Dialect::Plain })
}

fn bash_only(runs: &Runs<'_>, report: &mut Report<'_>) {
    for run in &runs.runs {
        // Here-documents may name another shell; those of the plain form do not matter enough.
        let Some(dialect) = dialect(runs, run).filter(|_| run.at.heredocs.is_empty()) else {
            continue;
        };
        for site in run.commands() {
            let found = only_in_bash(report.source(), site.command, dialect);
            if let Some((span, what)) = found {
                report
                    .at(span, format!("`/bin/sh` {what}"))
                    .help("Write it for `sh`, or choose bash: `SHELL [\"/bin/bash\", \"-c\"]`");
            }
        }
    }
}

/// The first thing in a command that another shell takes for something else, silently.
fn only_in_bash(
    source: &Source,
    command: &Command,
    dialect: Dialect,
) -> Option<(crate::source::Span, &'static str)> {
    let braces = command.arguments().iter().find(|word| has_braces(source, word));
    if let Some(word) = braces {
        return Some((word.span, "does not expand braces: this stays one word"));
    }
    if dialect == Dialect::Busybox {
        return None;
    }
    let first = command.words.first()?;
    match first.text() {
        "[[" => return Some((command.span, "has no `[[`, so the test fails whatever it tests")),
        "[" | "test" => {
            let sign = command.arguments().iter().find(|word| word.text() == "==");
            if let Some(sign) = sign.filter(|word| !word.quoted) {
                return Some((sign.span, "compares by `=`: `==` is an error, so the test fails"));
            }
        }
        _ => {}
    }
    let both = command.redirects.iter().find(|it| it.operator.starts_with('&'))?;
    Some((both.span, "reads `&>` as `&` and `>`: the command goes to the background"))
}

/// Whether a word without quotes has braces with a comma in them.
fn has_braces(source: &Source, word: &Word) -> bool {
    if word.quoted || !word.is_literal() {
        return false;
    }
    let written = source.slice(word.span);
    let Some((_, inside)) = written.split_once('{') else { return false };
    let inside = inside.split(['{', '}']).next().unwrap_or_default();
    inside.contains(',') && written.contains('}')
}
