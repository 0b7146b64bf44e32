//! `aidd memory doctor`: the state of the memory, its problems and how to fix them.

use super::{exists, to_user_error};
use crate::git_files;
use aidd_engine::check::Distribution;
use aidd_engine::check::Engine;
use aidd_engine::text::files::{Disk, Memory};
use aidd_engine::text::finding::Safety;
use aidd_engine::text::kind::MEMORY_FILES;
use aidd_engine::text::paths::scope_of;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::fix;
use aidd_engine::workspace::memory_checks;
use aidd_memory::MemoryError;
use aidd_memory::journal;
use aidd_memory::log::ProblemKind;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_memory::types::Status;
use aidd_report::Io;
use aidd_report::exit::Exit;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Maximum number of problems listed for the tracked files; further problems are only counted.
const MAX_LISTED: usize = 20;

/// A problem: the name of the checked part (`what`), the message, the remedy, and whether `--fix`
/// applies the remedy.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Problem {
    what: &'static str,
    message: String,
    remedy: String,
    fixable: bool,
}

/// Facts, problems and fixes that `memory doctor` prints.
#[derive(Debug, Default)]
struct Report {
    /// Facts that are not problems: name and value.
    facts: Vec<(&'static str, String)>,
    problems: Vec<Problem>,
    fixed: Vec<String>,
}

impl Report {
    fn add_problem(&mut self, what: &'static str, message: &str, remedy: &str, fixable: bool) {
        let (message, remedy) = (one_line(message), remedy.to_owned());
        self.problems.push(Problem { what, message, remedy, fixable });
    }

    /// Adds a problem that `--fix` could not fix.
    fn add_unfixable(&mut self, what: &'static str, why: &str) {
        let remedy = "make the file readable and writable";
        self.add_problem(what, &format!("not fixed: {why}"), remedy, false);
    }
}

/// Runs `aidd memory doctor`; exits with 1 if there are problems.
pub(super) fn run(root: &Path, fix: bool, as_json: bool, io: &mut Io<'_>) -> Result<Exit> {
    let mut report = Report::default();
    report.facts.push(("root", root.display().to_string()));
    if fix {
        fix_files(io.distribution, root, &mut report)?;
    }
    if exists(root) {
        match ProjectMemory::open(io.distribution, root, BackendChoice::default(), system_clock()) {
            Ok(mut memory) => check_memory(&mut memory, fix, &mut report)?,
            Err(error) => add_open_error(&error, &mut report),
        }
        add_leftovers(root, &mut report);
        if root.join(".aidd/data.db").is_dir() {
            let message = ".aidd/data.db is a directory, so SQLite cannot be used";
            report.add_problem("store", message, "move the directory away", false);
        }
        for (path, id, why) in memory_checks::faults(&Disk::new(root.to_owned())) {
            let edit = format!("`aidd memory edit {id} --set check='{{…}}'`, or `--unset check`");
            let remedy = match scope_of(&path) {
                "" => edit,
                directory => format!("in the directory {directory}: {edit}"),
            };
            report.add_problem("check", &format!("{path}: {id}: {why}"), &remedy, false);
        }
    } else {
        report.facts.push(("memory", "empty".to_owned()));
    }
    check_git(root, &mut report);
    if as_json {
        let facts: serde_json::Map<_, _> =
            report.facts.iter().map(|(name, fact)| ((*name).to_owned(), json!(fact))).collect();
        let output = json!({"facts": facts, "fixed": report.fixed, "wrong": report.problems});
        io.out.json(&output)?;
    } else {
        print(&report, io)?;
    }
    Ok(if report.problems.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn print(report: &Report, io: &mut Io<'_>) -> Result<()> {
    for (name, fact) in &report.facts {
        writeln!(io.out, "{name:<14} {fact}")?;
    }
    for fixed in &report.fixed {
        writeln!(io.out, "fixed          {fixed}")?;
    }
    for problem in &report.problems {
        writeln!(io.out, "problem        {}: {}", problem.what, problem.message)?;
        writeln!(io.out, "               {}", problem.remedy)?;
    }
    if report.problems.is_empty() {
        writeln!(io.out, "no problems with the memory")?;
    } else if report.problems.iter().any(|problem| problem.fixable) {
        writeln!(io.err, "run `aidd memory doctor --fix` to apply the automatic fixes")?;
    }
    Ok(())
}

/// Fixes problems that can be fixed before the memory is opened: missing lines in the Git files,
/// and lines of the tracked files that a `memory/` rule can fix safely. Failed fixes are added to
/// the report.
fn fix_files(distribution: &'static Distribution, root: &Path, report: &mut Report) -> Result<()> {
    if git_files::repository(root).is_some() {
        match git_files::write(root) {
            Ok(changes) => {
                let changed = changes
                    .into_iter()
                    .filter(|(_, change)| *change != git_files::FileChange::Unchanged);
                report
                    .fixed
                    .extend(changed.map(|(name, change)| format!("{} {name}", change.label())));
            }
            Err(error) => report.add_unfixable("git", &format!("{error:#}")),
        }
    }
    let engine = distribution.engine().map_err(|error| anyhow::anyhow!("{error}"))?;
    let journal = journal::Journal::new(root);
    for name in MEMORY_FILES {
        let path = format!("{}/{name}", journal.folder());
        if journal.stamp(&path).is_none() {
            continue;
        }
        match fix_lines(engine, &journal, &path) {
            Ok(0) => {}
            Ok(fixes) => report.fixed.push(format!("{} in {path}", number(fixes, "line"))),
            Err(error) => report.add_unfixable("tracked file", &error.to_string()),
        }
    }
    Ok(())
}

/// Applies the safe fixes to a tracked file. Returns the number of fixes.
fn fix_lines(
    engine: &Engine,
    journal: &journal::Journal,
    path: &str,
) -> Result<usize, MemoryError> {
    let _lock = journal.lock()?;
    let Some((bytes, _)) = journal.read(path)? else { return Ok(0) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(0) };
    let source = Source::new(path, text.as_str());
    let findings = engine.check(&source, &Memory::default()).findings;
    let fixes: Vec<_> = findings
        .iter()
        .filter(|finding| finding.rule.starts_with("memory/"))
        .filter_map(|finding| finding.fix.as_ref())
        .filter(|fix| fix.safety == Safety::Safe)
        .collect();
    if !fixes.is_empty() {
        let (repaired, _) = fix::apply(text.as_bytes(), &fixes);
        let not_utf8 = |_| MemoryError::Invalid(format!("{path}: the fixed file is not UTF-8"));
        journal.write(path, &String::from_utf8(repaired).map_err(not_utf8)?)?;
    }
    Ok(fixes.len())
}

fn check_memory(memory: &mut ProjectMemory, fix: bool, report: &mut Report) -> Result<()> {
    for notice in memory.take_notices() {
        report.facts.push(("note", one_line(&notice)));
    }
    let damage = memory.check().map_err(to_user_error)?;
    if fix && !damage.is_empty() {
        match memory.import() {
            Ok(_) => report.fixed.push("the store, rebuilt from the tracked files".to_owned()),
            Err(error) => report.add_unfixable("store", &error.to_string()),
        }
        for notice in memory.take_notices() {
            report.fixed.push(one_line(&notice));
        }
    } else if let Some(first) = damage.first() {
        let remedy = "run `aidd memory doctor --fix` to rebuild the store from the tracked files";
        report.add_problem("store", &format!("damaged: {first}"), remedy, true);
    }
    let integrity = if damage.is_empty() { ", intact" } else { "" };
    report.facts.push(("store", format!("{}{integrity}", memory.backend())));
    if fix {
        match memory.export(false) {
            Ok(0) => {}
            Ok(lines) => {
                let lines = number(lines, "line");
                report.fixed.push(format!("{lines} missing from tracked files"));
            }
            Err(error) => report.add_unfixable("tracked file", &error.to_string()),
        }
    }
    add_counts(memory, report)?;
    check_tracked_files(memory, report)?;
    let (_, unread) = memory.branches().map_err(to_user_error)?;
    for path in unread {
        report.add_problem(
            "branch",
            &format!("{path} cannot be read"),
            "fix the file, or restore it from Git",
            false,
        );
    }
    Ok(())
}

fn add_counts(memory: &mut ProjectMemory, report: &mut Report) -> Result<()> {
    let mut by_kind: Vec<(String, u32)> = Vec::new();
    let counts = memory.read(&mut |store| store.counts()).map_err(to_user_error)?;
    for (_, kind, status, count) in counts {
        if status == Status::Removed {
            continue;
        }
        match by_kind.iter_mut().find(|(word, _)| *word == kind.word()) {
            Some((_, sum)) => *sum += count,
            None => by_kind.push((kind.word().to_owned(), count)),
        }
    }
    let texts: Vec<String> =
        by_kind.iter().map(|(kind, count)| number(*count as usize, kind)).collect();
    report
        .facts
        .push(("memories", if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }));
    Ok(())
}

/// Adds the problems of the tracked files, and the lines that are missing from these files.
fn check_tracked_files(memory: &mut ProjectMemory, report: &mut Report) -> Result<()> {
    let problems = memory.problems().map_err(to_user_error)?;
    for problem in problems.iter().take(MAX_LISTED) {
        // If fixing the file failed, the problem is already reported.
        let is_reported = |reported: &Problem| reported.message.ends_with(&problem.message);
        if problem.kind == ProblemKind::UnreadableFile && report.problems.iter().any(is_reported) {
            continue;
        }
        let (remedy, fixable) = match problem.kind {
            ProblemKind::MalformedLine | ProblemKind::UnreadableFile => {
                ("fix the file manually, or restore it from the history: git log -p", false)
            }
            _ => ("run `aidd memory doctor --fix`", true),
        };
        report.add_problem("tracked file", &problem.to_string(), remedy, fixable);
    }
    if problems.len() > MAX_LISTED {
        let message = format!("{} more problems", problems.len() - MAX_LISTED);
        let remedy = format!("run `aidd check {}` to show all", memory.folder());
        report.add_problem("tracked file", &message, &remedy, false);
    }
    let conflicts = memory.conflicts().map_err(to_user_error)?.len();
    if conflicts > 0 {
        let remedy =
            "list them with `aidd memory conflicts`, resolve each with `aidd memory resolve ID`";
        report.add_problem(
            "conflict",
            &format!("{} to resolve", number(conflicts, "conflict")),
            remedy,
            false,
        );
    }
    if let Some(directory) = memory.journal().unread_folder() {
        let memory_dir = memory.folder();
        let fact = format!(
            "{directory} also contains memories, but only {memory_dir} is read; move the lines of \
             {directory} into {memory_dir}, or delete {directory}"
        );
        report.facts.push(("note", fact));
    }
    for (file, path) in &memory.journal().sources()[..3] {
        let missing = memory.missing_lines(file).map_err(to_user_error)?.len();
        if missing > 0 {
            let lines = number(missing, "line");
            let fact = format!(
                "{path}: {lines} stored in this checkout but no longer in the file (restore with `aidd memory export --missing`)"
            );
            report.facts.push(("missing", fact));
        }
    }
    Ok(())
}

fn add_open_error(error: &MemoryError, report: &mut Report) {
    let remedy = match error {
        MemoryError::Newer { .. } => "update aidd; until then, the tracked files can be read",
        MemoryError::Io { .. } => "make the directory .aidd writable",
        _ => "move .aidd/data.db away; it is then rebuilt from the tracked files and the backup",
    };
    report.add_problem("store", &error.to_string(), remedy, false);
}

/// Adds backups and quarantined stores to the report.
fn add_leftovers(root: &Path, report: &mut Report) {
    let entries = fs::read_dir(root.join(".aidd")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".corrupt-") || is_foreign(name) || name.ends_with(".bak"))
        .collect();
    names.sort();
    for name in names {
        let description = if name.ends_with(".bak") {
            "a backup"
        } else if is_foreign(&name) {
            "the database of another program"
        } else if name.contains(".backup.corrupt-") {
            "a damaged backup of the store"
        } else {
            "a damaged store"
        };
        let fact = format!(".aidd/{name}: {description}; delete it once it is not needed");
        report.facts.push(("leftover", fact));
    }
}

/// Whether a file is a database of another program that was moved.
fn is_foreign(name: &str) -> bool {
    name.starts_with("data.foreign-") || name.starts_with("data.aidd-md")
}

/// Checks the Git settings for the memory.
fn check_git(root: &Path, report: &mut Report) {
    if git_files::repository(root).is_none() {
        report.facts.push(("git", "not in a repository, so nothing is shared".to_owned()));
        return;
    }
    if git_files::has_union_merge(root) {
        report.facts.push(("merging", "merges keep both sides".to_owned()));
    } else {
        report_missing_line(
            root,
            ("merging", ".gitattributes", git_files::union_merge_line(root)),
            report,
        );
    }
    if git_files::ignores_store(root) {
        report.facts.push(("ignored", "the store is not committed".to_owned()));
    } else {
        report_missing_line(root, ("ignored", ".gitignore", git_files::IGNORE_LINE), report);
    }
    let directory = journal::Journal::new(root).folder();
    for (directory, name) in [(directory, MEMORY_FILES[0]), (journal::BRANCHES, "main.json")] {
        if git_files::ignores(root, &format!("{directory}/{name}")) {
            let message = format!(".gitignore excludes {directory}, so it is not shared");
            let remedy =
                format!("delete the line that excludes it, or add after that line: !{directory}/");
            report.add_problem("ignored", &message, &remedy, false);
        }
    }
}

/// Reports a line that is missing from a Git file or overridden in a subdirectory.
fn report_missing_line(
    root: &Path,
    (what, name, line): (&'static str, &str, &str),
    report: &mut Report,
) {
    if git_files::ends_with_line(root, name, line) {
        let message =
            format!("{name} contains `{line}`, but a {name} in a subdirectory overrides it");
        let remedy = "remove the overriding line";
        report.add_problem(what, &message, remedy, false);
    } else {
        let message = format!("{name} does not contain `{line}`");
        report.add_problem(what, &message, "run `aidd init` to add it", true);
    }
}
