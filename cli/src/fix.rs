//! Applies fixes to files on disk, or prints them as a patch.

use aidd_engine::check::{Engine, REDACTED};
use aidd_engine::project::git::{Repository, Snapshot};
use aidd_engine::text::files::{Files, Listed};
use aidd_engine::text::finding::{FileChange, Finding, RuleId, Safety, Severity, Status};
use aidd_engine::text::source::{Decoded, Encoding, Source};
use aidd_engine::workspace::fix::{self, Reason, UndoneFix, applicable, fixable};
use aidd_engine::workspace::walk::{self, FileReport, Outcome, Walk};
use aidd_report::Io;
use aidd_report::one_line;
use aidd_report::project::Project;
use anyhow::{Context, Result};
use similar::TextDiff;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The fixes that were applied to the files of a project.
#[derive(Default)]
pub struct Applied {
    /// The number of changed files.
    pub files: usize,
    fixed: usize,
    changes: Vec<Change>,
}

/// A file that a fix created or renamed.
struct Change {
    rule: RuleId,
    /// The path and the message of the finding.
    path: String,
    message: String,
    /// The path of the file after the change.
    to: String,
    undo: Undo,
}

/// How a change is undone.
enum Undo {
    /// Remove the file, then the directories created for it, innermost first.
    Remove(PathBuf, Vec<PathBuf>),
    /// Rename the file back.
    Rename { from: PathBuf, to: PathBuf },
}

/// Applies the fixes of all files, or prints them as a patch. A fix that does not remove its
/// finding or that adds an error is undone and reported.
///
/// # Errors
/// Fails when a file cannot be read or written.
pub fn apply_fixes(
    project: &Project,
    engine: &Engine,
    outcome: &Outcome,
    safety: Safety,
    dry_run: bool,
    io: &mut Io<'_>,
) -> Result<Applied> {
    let mut applied = Applied::default();
    let root = || Walk::over(vec![project.root().to_owned()]);
    let listing = engine.needs_listing().then(|| walk::listing(engine, &project.disk, &root()));
    let listed = listing.as_ref().map(|listing| Listed { files: &project.disk, listing });
    let siblings: &dyn Files = match &listed {
        Some(listed) => listed,
        None => &project.disk,
    };
    let head = OnceCell::new();
    for file in outcome.files.iter().filter(|file| has_fix(file, safety)) {
        let path = file.source.path();
        if is_migration(path)
            && head.get_or_init(|| head_files(project)).as_ref().is_some_and(|it| it.exists(path))
        {
            let path = one_line(path);
            writeln!(
                io.err,
                "note: {path} not fixed: a committed migration has a checksum where it ran; write a new migration"
            )?;
            continue;
        }
        let Some(target) = path_to_write(project, path, io)? else { continue };
        if change_files(project, file, (safety, dry_run), &mut applied, io)? {
            applied.files += 1;
            continue;
        }
        if !target.exists() {
            let Some(target) = path_to_create(project, path, io)? else { continue };
            create(file, &target, (safety, dry_run), &mut applied, io)?;
            applied.files += 1;
            continue;
        }
        let bytes = project.disk.read(path, u64::MAX).with_context(|| path.to_owned())?;
        let result = fix::fix_file(engine, path, bytes.clone(), siblings, safety);
        print_undone(path, &result.undone, io)?;
        if result.bytes == bytes {
            continue;
        }
        applied.files += 1;
        applied.fixed += result.fixed;
        if dry_run {
            patch(file, &bytes, &result.bytes, io)?;
        } else {
            replace(&target, &result.bytes).with_context(|| path.to_owned())?;
        }
    }
    Ok(applied)
}

/// The files of the last commit.
fn head_files(project: &Project) -> Option<Snapshot> {
    let repository = Repository::open(project.root()).ok()?;
    repository.snapshot(&repository.commit("HEAD").ok()?).ok()
}

/// Whether a tool that compares checksums, such as Prisma, Flyway, Liquibase or sqlx, may run the
/// file as a migration.
fn is_migration(path: &str) -> bool {
    const DIRS: [&str; 5] = ["migrations", "migration", "migrate", "changelog", "changelogs"];
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in = |dirs: &[&str]| dir.split('/').any(|part| dirs.contains(&part));
    let is_versioned = name.strip_prefix(['V', 'U', 'R']).is_some_and(|rest| rest.contains("__"));
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("sql") => is_versioned || is_in(&DIRS),
        Some("xml" | "yaml" | "yml") => is_in(&DIRS[3..]),
        _ => false,
    }
}

/// Prints the fixes of the file at `path` that were undone, one line each.
pub(crate) fn print_undone(path: &str, undone: &[UndoneFix], io: &mut Io<'_>) -> Result<()> {
    for UndoneFix { rule, line, column, reason, .. } in undone {
        let path = one_line(path);
        writeln!(io.err, "note: fix of `{rule}` at {path}:{line}:{column} undone: {reason}")?;
    }
    Ok(())
}

impl Applied {
    /// Undoes the creation or the rename of a file if the fixed finding remains or the file has new
    /// errors, and reports it. `before` and `after` are the results of checking the project.
    /// Returns whether a change was undone.
    ///
    /// # Errors
    /// Fails when a file cannot be removed or renamed.
    pub fn undo_failing(
        &mut self,
        before: &Outcome,
        after: &Outcome,
        io: &mut Io<'_>,
    ) -> Result<bool> {
        if self.changes.is_empty() {
            return Ok(false);
        }
        let (before, after) = (new_findings_by_path(before), new_findings_by_path(after));
        let mut undone = false;
        // Start with the last change: a directory is removed after the files in it.
        for change in self.changes.drain(..).rev() {
            let Some(reason) = change.undo_reason(&before, &after) else { continue };
            change.undo().with_context(|| change.to.clone())?;
            let (rule, path) = (&change.rule, one_line(&change.path));
            writeln!(io.err, "note: fix of `{rule}` at {path} undone: {reason}")?;
            undone = true;
            self.files -= 1;
            self.fixed -= 1;
        }
        Ok(undone)
    }

    /// Prints the number of fixed findings and files.
    ///
    /// # Errors
    /// Fails when standard error cannot be written.
    pub fn print(
        &self,
        outcome: &Outcome,
        safety: Safety,
        dry_run: bool,
        io: &mut Io<'_>,
    ) -> Result<()> {
        let verb = if dry_run { "would fix" } else { "fixed" };
        let plural = |count: usize, noun: &str| {
            if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
        };
        if self.files > 0 {
            let (fixed, files) = (plural(self.fixed, "problem"), plural(self.files, "file"));
            writeln!(io.err, "{verb} {fixed} in {files}")?;
        } else if dry_run {
            let fixable_count = |safety| {
                let count_in =
                    |file: &FileReport| applicable(&file.checked.findings, safety).count();
                outcome.files.iter().map(count_in).sum::<usize>()
            };
            let unsafe_count = fixable_count(Safety::Unsafe) - fixable_count(safety);
            let unsafe_note = match unsafe_count {
                0 => String::new(),
                count => {
                    format!("; {} fixable with --fix-unsafe", plural(count, "problem"))
                }
            };
            writeln!(io.err, "nothing to fix{unsafe_note}")?;
        }
        Ok(())
    }
}

/// The new findings and their lines, by the path of their file.
type FindingsByPath<'a> = BTreeMap<&'a str, Vec<(&'a Finding, u32)>>;

fn new_findings_by_path(outcome: &Outcome) -> FindingsByPath<'_> {
    let mut findings = FindingsByPath::new();
    for FileReport { source, checked } in &outcome.files {
        let new = checked.findings.iter().filter(|finding| finding.status == Status::New);
        let line = |offset: u32| source.position(offset, Encoding::CodePoints).line + 1;
        let with_lines = new.map(|finding| (finding, line(finding.span.start)));
        findings.entry(source.path()).or_default().extend(with_lines);
    }
    findings
}

impl Change {
    /// The reason why the change must be undone, if any.
    fn undo_reason(
        &self,
        before: &FindingsByPath<'_>,
        after: &FindingsByPath<'_>,
    ) -> Option<Reason> {
        let is_renamed = matches!(self.undo, Undo::Rename { .. });
        let (old_path, new_path) =
            if is_renamed { (&self.path, &self.to) } else { (&self.to, &self.path) };
        let mut findings_after = after.get(&**new_path).into_iter().flatten();
        let remains = findings_after.any(|(finding, _)| {
            finding.rule == self.rule && (is_renamed || finding.message == self.message)
        });
        if remains {
            return Some(Reason::Remains);
        }
        let old = || before.get(&**old_path).into_iter().flatten();
        let is_new_error = |(finding, _): &&(&Finding, u32)| {
            finding.severity == Severity::Error && !old().any(|(old, _)| old.rule == finding.rule)
        };
        let (error, line) = after.get(&*self.to)?.iter().find(is_new_error)?;
        Some(Reason::AddsError { rule: error.rule.clone(), line: *line })
    }

    fn undo(&self) -> Result<()> {
        match &self.undo {
            Undo::Rename { from, to } => rename(to, from),
            Undo::Remove(path, directories) => {
                fs::remove_file(path)?;
                // Ignore errors: a directory that another fix also uses is not empty.
                directories.iter().try_for_each(fs::remove_dir).or(Ok(()))
            }
        }
    }
}

/// The path of a file to write. If the path leads outside the project or into a version control
/// directory, prints a note and returns `None`.
fn path_to_write(project: &Project, path: &str, io: &mut Io<'_>) -> Result<Option<PathBuf>> {
    match project.disk.path_to_write(path) {
        Ok(path) => Ok(Some(path)),
        Err(error) => {
            writeln!(io.err, "note: skipped fixes of {}: {error}", one_line(path))?;
            Ok(None)
        }
    }
}

/// The path of a file to create, like [`path_to_write`]. The name must be valid on every operating
/// system.
fn path_to_create(project: &Project, path: &str, io: &mut Io<'_>) -> Result<Option<PathBuf>> {
    match project.disk.path_for_new_file(path) {
        Ok(path) => path_to_write(project, &path, io),
        Err(error) => {
            writeln!(io.err, "note: did not create {}: {error}", one_line(path))?;
            Ok(None)
        }
    }
}

/// Creates and renames the files that the fixes of one file request. Returns whether a file was
/// created or renamed.
fn change_files(
    project: &Project,
    file: &FileReport,
    (safety, dry_run): (Safety, bool),
    applied: &mut Applied,
    io: &mut Io<'_>,
) -> Result<bool> {
    let before = applied.fixed;
    for finding in fixable(&file.checked.findings, safety) {
        let path = file.source.path();
        let change = |to: &str, undo: Undo| Change::new(finding, path, to, undo);
        match finding.fix.as_ref().and_then(|fix| fix.file.as_ref()) {
            None => {}
            Some(FileChange::Create { path: to, text }) => {
                let Some(target) = path_to_create(project, to, io)? else { continue };
                // Two rules can request the same file. If the first fix does not satisfy the second
                // rule, the next run reports that.
                if target.exists() {
                    continue;
                }
                let directories = missing_directories(&target);
                write_new(to, &target, text.as_bytes(), dry_run, io)?;
                applied.fixed += 1;
                applied.changes.push(change(to, Undo::Remove(target, directories)));
            }
            Some(FileChange::Rename { to }) => {
                let from = project.disk.locate(path)?;
                let Some(target) = path_to_create(project, to, io)? else { continue };
                if dry_run {
                    // The format of `git diff`.
                    writeln!(io.out, "rename from {path}\nrename to {to}")?;
                } else {
                    rename(&from, &target).with_context(|| format!("{path} to {to}"))?;
                }
                applied.fixed += 1;
                applied.changes.push(change(to, Undo::Rename { from, to: target }));
                // The next run checks the file under its new name.
                return Ok(true);
            }
        }
    }
    Ok(applied.fixed > before)
}

impl Change {
    fn new(finding: &Finding, path: &str, to: &str, undo: Undo) -> Self {
        Self {
            rule: finding.rule.clone(),
            path: path.to_owned(),
            message: finding.message.clone(),
            to: to.to_owned(),
            undo,
        }
    }
}

/// The parent directories of `path` that do not exist, innermost first.
fn missing_directories(path: &Path) -> Vec<PathBuf> {
    let ancestors = path.ancestors().skip(1);
    ancestors.take_while(|directory| !directory.exists()).map(Path::to_owned).collect()
}

/// Renames a file without overwriting another. On a case-insensitive file system, a change of only
/// the case of the name is allowed.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let is_taken = fs::symlink_metadata(to).is_ok()
        && fs::canonicalize(from).ok() != fs::canonicalize(to).ok();
    anyhow::ensure!(!is_taken, "a file with this name already exists");
    Ok(fs::rename(from, to)?)
}

/// Creates a file that a rule requires.
fn create(
    file: &FileReport,
    target: &Path,
    (safety, dry_run): (Safety, bool),
    applied: &mut Applied,
    io: &mut Io<'_>,
) -> Result<()> {
    // The first fix supplies the content; the next run reports any other missing content.
    let Some(finding) = fixable(&file.checked.findings, safety).next() else { return Ok(()) };
    let (bytes, _) = fix::apply(b"", &finding.fix.iter().collect::<Vec<_>>());
    let path = file.source.path();
    let directories = missing_directories(target);
    write_new(path, target, &bytes, dry_run, io)?;
    applied.fixed += 1;
    let undo = Undo::Remove(target.to_owned(), directories);
    applied.changes.push(Change::new(finding, path, path, undo));
    Ok(())
}

fn write_new(
    path: &str,
    target: &Path,
    bytes: &[u8],
    dry_run: bool,
    io: &mut Io<'_>,
) -> Result<()> {
    if dry_run {
        let text = String::from_utf8_lossy(bytes);
        let diff = TextDiff::from_lines("", &*text);
        let new = format!("b/{path}");
        write!(io.out, "{}", diff.unified_diff().header("/dev/null", &new))?;
        return Ok(());
    }
    target.parent().map_or(Ok(()), fs::create_dir_all).with_context(|| path.to_owned())?;
    // Never overwrite a file that was created meanwhile.
    let mut new = fs::File::create_new(target).with_context(|| path.to_owned())?;
    new.write_all(bytes).with_context(|| path.to_owned())
}

/// Whether the file has a fix to apply. The fixes of a window of a large file do not apply to the
/// whole file.
fn has_fix(file: &FileReport, safety: Safety) -> bool {
    file.source.origin().offset == 0
        && file.source.decoded() != Decoded::Utf16
        && applicable(&file.checked.findings, safety).next().is_some()
}

/// Prints the change to one file as a unified diff, with secrets redacted.
pub(crate) fn patch(file: &FileReport, before: &[u8], after: &[u8], io: &mut Io<'_>) -> Result<()> {
    let path = file.source.path();
    let text = |bytes: &[u8]| {
        let mut text = Source::decode(path, bytes.to_vec()).text().to_owned();
        for span in &file.checked.secrets {
            let secret = file.source.slice(*span);
            if !secret.is_empty() {
                text = text.replace(secret, REDACTED);
            }
        }
        text
    };
    let (before, after) = (text(before), text(after));
    let diff = TextDiff::from_lines(&before, &after);
    let (old, new) = (format!("a/{path}"), format!("b/{path}"));
    let patch = diff.unified_diff().context_radius(3).header(&old, &new).to_string();
    // The output passes on colours, which the text of a file must not set.
    write!(io.out, "{}", patch.replace('\u{1b}', "\\u{1b}"))?;
    Ok(())
}

/// Replaces a file atomically: writes a temporary file in the same directory and renames it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().context("the file has no parent directory")?;
    // Replace the target of a symbolic link, not the link.
    let target = fs::canonicalize(path)?;
    let mut new = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(directory))?;
    new.write_all(bytes)?;
    new.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
