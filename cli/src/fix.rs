//! Applies fixes to files on disk, or prints them as a patch.

use aidd_engine::check::{Engine, REDACTED};
use aidd_engine::text::files::{Files, Listed};
use aidd_engine::text::finding::{FileChange, Safety};
use aidd_engine::text::source::{Decoded, Source};
use aidd_engine::workspace::fix::{self, applicable};
use aidd_engine::workspace::walk::{self, FileReport, Outcome, Walk};
use aidd_report::Io;
use aidd_report::one_line;
use aidd_report::project::Project;
use anyhow::{Context, Result};
use similar::TextDiff;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Applies the fixes of all files, or prints them as a patch. Returns the number of changed files.
///
/// # Errors
/// When a file cannot be read or written; the other files are still fixed.
pub fn apply_fixes(
    project: &Project,
    engine: &Engine,
    outcome: &Outcome,
    safety: Safety,
    dry_run: bool,
    io: &mut Io<'_>,
) -> Result<usize> {
    let (mut files, mut fixes) = (0, 0);
    let root = || Walk::over(vec![project.root().to_owned()]);
    let listing = engine.needs_listing().then(|| walk::listing(engine, &project.disk, &root()));
    let listed = listing.as_ref().map(|listing| Listed { files: &project.disk, listing });
    let siblings: &dyn Files = match &listed {
        Some(listed) => listed,
        None => &project.disk,
    };
    for file in outcome.files.iter().filter(|file| has_fix(file, safety)) {
        let path = file.source.path();
        let Some(place) = path_to_write(project, path, io)? else { continue };
        let changed = change_files(project, file, safety, dry_run, io)?;
        if changed > 0 {
            files += 1;
            fixes += changed;
            continue;
        }
        if !place.exists() {
            let Some(place) = path_to_create(project, path, io)? else { continue };
            fixes += create(file, &place, safety, dry_run, io)?;
            files += 1;
            continue;
        }
        let bytes = project.disk.read(path, u64::MAX).with_context(|| path.to_owned())?;
        let repaired = fix::fix_file(engine, path, bytes.clone(), siblings, safety);
        if repaired.applied == 0 {
            continue;
        }
        files += 1;
        fixes += repaired.applied;
        if dry_run {
            patch(file, &bytes, &repaired.bytes, io)?;
        } else {
            replace(&place, &repaired.bytes).with_context(|| path.to_owned())?;
        }
    }
    let verb = if dry_run { "would fix" } else { "fixed" };
    let plural = |count: usize, noun: &str| {
        if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
    };
    if files > 0 {
        writeln!(io.err, "{verb} {} in {}", plural(fixes, "problem"), plural(files, "file"))?;
    } else if dry_run {
        let all = |safety| {
            let of = |file: &FileReport| applicable(&file.checked.findings, safety).count();
            outcome.files.iter().map(of).sum::<usize>()
        };
        let more = all(Safety::Unsafe) - all(safety);
        let more = match more {
            0 => String::new(),
            one_or_more => {
                format!("; {} fixable with --fix-unsafe", plural(one_or_more, "problem"))
            }
        };
        writeln!(io.err, "nothing to fix{more}")?;
    }
    Ok(files)
}

/// The path of a file to write; `None`, with a note, if it leads outside the project or into a
/// version control directory.
fn path_to_write(project: &Project, path: &str, io: &mut Io<'_>) -> Result<Option<PathBuf>> {
    match project.disk.place_to_write(path) {
        Ok(place) => Ok(Some(place)),
        Err(error) => {
            writeln!(io.err, "note: skipped fixes of {}: {error}", one_line(path))?;
            Ok(None)
        }
    }
}

/// The same for a file to create: its name must be valid on every operating system.
fn path_to_create(project: &Project, path: &str, io: &mut Io<'_>) -> Result<Option<PathBuf>> {
    match project.disk.for_new(path) {
        Ok(path) => path_to_write(project, &path, io),
        Err(error) => {
            writeln!(io.err, "note: did not create {}: {error}", one_line(path))?;
            Ok(None)
        }
    }
}

/// Creates and renames the files that the fixes of one file request. Returns the number of fixed
/// problems.
fn change_files(
    project: &Project,
    file: &FileReport,
    safety: Safety,
    dry_run: bool,
    io: &mut Io<'_>,
) -> Result<usize> {
    let mut changed = 0;
    for fix in applicable(&file.checked.findings, safety) {
        let path = file.source.path();
        match &fix.file {
            None => {}
            Some(FileChange::Create { path, text }) => {
                let Some(place) = path_to_create(project, path, io)? else { continue };
                // Two rules can request the same file; the next run reports what is left of the
                // second.
                if place.exists() {
                    continue;
                }
                write_new(path, &place, text.as_bytes(), dry_run, io)?;
                changed += 1;
            }
            Some(FileChange::Rename { to }) => {
                let from = project.disk.locate(path)?;
                let Some(place) = path_to_create(project, to, io)? else { continue };
                if dry_run {
                    // The format of `git diff`.
                    writeln!(io.out, "rename from {path}\nrename to {to}")?;
                } else {
                    rename(&from, &place).with_context(|| format!("{path} to {to}"))?;
                }
                // The next run checks the file under its new name.
                return Ok(changed + 1);
            }
        }
    }
    Ok(changed)
}

/// Renames a file without overwriting another. On a case-insensitive file system, a name that
/// differs only in case is free.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let is_taken = fs::symlink_metadata(to).is_ok()
        && fs::canonicalize(from).ok() != fs::canonicalize(to).ok();
    anyhow::ensure!(!is_taken, "a file with this name already exists");
    Ok(fs::rename(from, to)?)
}

/// Creates a file that a rule requires. Returns the number of fixed problems.
fn create(
    file: &FileReport,
    place: &Path,
    safety: Safety,
    dry_run: bool,
    io: &mut Io<'_>,
) -> Result<usize> {
    // One fix supplies the content; the next run reports what else is missing.
    let first: Vec<_> = applicable(&file.checked.findings, safety).take(1).collect();
    let (bytes, applied) = fix::apply(b"", &first);
    write_new(file.source.path(), place, &bytes, dry_run, io)?;
    Ok(applied)
}

fn write_new(path: &str, place: &Path, bytes: &[u8], dry_run: bool, io: &mut Io<'_>) -> Result<()> {
    if dry_run {
        let text = String::from_utf8_lossy(bytes);
        let diff = TextDiff::from_lines("", &*text);
        let new = format!("b/{path}");
        write!(io.out, "{}", diff.unified_diff().header("/dev/null", &new))?;
        return Ok(());
    }
    place.parent().map_or(Ok(()), fs::create_dir_all).with_context(|| path.to_owned())?;
    // Never overwrite a file that was created meanwhile.
    let mut new = fs::File::create_new(place).with_context(|| path.to_owned())?;
    new.write_all(bytes).with_context(|| path.to_owned())
}

/// Findings in a window of a large file have no fixes for the file as a whole.
fn has_fix(file: &FileReport, safety: Safety) -> bool {
    file.source.origin().offset == 0
        && file.source.decoded() != Decoded::Utf16
        && applicable(&file.checked.findings, safety).next().is_some()
}

/// Prints the change of one file as a unified diff, with secrets redacted.
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
    write!(io.out, "{}", diff.unified_diff().context_radius(3).header(&old, &new))?;
    Ok(())
}

/// Replaces a file atomically: writes a temporary file in the same directory and renames it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("the file has no parent directory")?;
    // Replace the target of a symbolic link, not the link.
    let target = fs::canonicalize(path)?;
    let mut new = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(folder))?;
    new.write_all(bytes)?;
    new.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
