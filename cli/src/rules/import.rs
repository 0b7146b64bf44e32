//! `aidd rule import`: generates rule pages from the configuration of other tools.

use crate::cli::{ImportTool, RuleImport};
use aidd_authoring::rule_import::{self, Import, NotImported, Page, Tool};
use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Listed;
use aidd_engine::text::kind::RULE_DIRS;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::number;
use aidd_report::project::{Project, absolute};
use anyhow::{Context, Result};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Counts of a run.
#[derive(Debug, Default)]
struct Counts {
    written: usize,
    same: usize,
    kept: usize,
    left: usize,
    defects: usize,
    bare: Vec<String>,
}

/// Runs `aidd rule import`.
///
/// # Errors
/// When no configuration is found or one is invalid, its tool cannot be detected, no rules are read
/// from the target directory, or a page cannot be written.
pub(super) fn run(project: &Project, args: &RuleImport, io: &mut Io<'_>) -> Result<Exit> {
    let to = target_dir(project, &args.to)?;
    let engine = project.engine(&Selection::default())?;
    let listing =
        walk::listing(&engine, &project.disk, &Walk::over(vec![project.root().to_owned()]));
    let files = Listed { files: &project.disk, listing: &listing };
    let found = configurations(project, args, &files, io)?;
    let registry = project.registry();
    let mut done = Counts::default();
    let distribution = io.distribution;
    let mut unread = Vec::new();
    let count = found.len();
    for (path, tool) in found {
        match rule_import::import(&files, &path, tool, &to, &|pages: &[(String, String)]| {
            engine_of(distribution, pages)
        }) {
            Ok(import) => {
                writeln!(io.out, "{path} ({tool})")?;
                write_pages(project, &registry, &import, args, &mut done, io)?;
            }
            // The other configurations are still imported.
            Err(why) => unread.push(io.distribution.redact(&why.to_string()).to_string()),
        }
    }
    if unread.len() < count {
        summary(&done, args, io)?;
    }
    if !unread.is_empty() {
        return Err(UserError::new(unread.join("\n")).into());
    }
    Ok(match done {
        Counts { defects: 1.., .. } => Exit::Unchecked,
        Counts { kept: 1.., .. } => Exit::Findings,
        _ => Exit::Clean,
    })
}

/// An engine with only these pages and default settings: the project's configuration can disable
/// them.
fn engine_of(distribution: &'static Distribution, pages: &[(String, String)]) -> Option<Engine> {
    let registry = Registry::new(distribution.pages, pages);
    Engine::new(distribution, registry, &Config::default(), &Selection::default()).ok()
}

/// Prints the counts and the next step.
fn summary(done: &Counts, args: &RuleImport, io: &mut Io<'_>) -> Result<()> {
    let verb = if args.dry_run { "would be written" } else { "written" };
    let pages = number(done.written, "page");
    write!(io.err, "{pages} {verb}, {} unchanged", done.same)?;
    if done.kept > 0 {
        write!(io.err, ", {} differ (overwrite with --force)", done.kept)?;
    }
    writeln!(io.err, "; {} not imported", number(done.left, "item"))?;
    if !done.bare.is_empty() {
        writeln!(
            io.err,
            "without examples, which `aidd rule test` requires: {}",
            done.bare.join(", ")
        )?;
    }
    if done.written > 0 && !args.dry_run {
        writeln!(io.err, "review the pages, then run: aidd rule test")?;
    }
    Ok(())
}

/// The target directory relative to the root; rules must be read from it.
fn target_dir(project: &Project, given: &str) -> Result<String> {
    let path = project.disk.for_new(given);
    let path = path.map_err(|error| UserError::new(format!("--to: {error}")))?;
    let slashed = format!("/{path}/");
    // Rule directories of nested projects count too, except plain `rules`.
    let below = |folder: &str| {
        let inner = format!("/{folder}/");
        slashed.starts_with(&inner) || folder != "rules" && slashed.contains(&inner)
    };
    if RULE_DIRS.into_iter().any(below) {
        return Ok(path);
    }
    Err(UserError::new(format!("rules are not read from {path}"))
        .hint(format!(
            "they are read from {} and their subdirectories",
            RULE_DIRS.join("/, ") + "/"
        ))
        .into())
}

/// The configurations to read, each with its tool.
fn configurations(
    project: &Project,
    args: &RuleImport,
    files: &Listed<'_>,
    io: &Io<'_>,
) -> Result<Vec<(String, Tool)>> {
    let wanted = args.from.map(tool);
    if args.files.is_empty() {
        let mut found = rule_import::discover(files);
        found.retain(|(_, tool)| wanted.is_none_or(|wanted| wanted == *tool));
        if found.is_empty() {
            let known: Vec<&str> = Tool::ALL.iter().map(|tool| tool.key()).collect();
            return Err(UserError::new("no known configuration in the project root")
                .hint(format!(
                    "pass a file: aidd rule import FILE; supported tools: {}",
                    known.join(", ")
                ))
                .into());
        }
        return Ok(found);
    }
    let one = |given: &String| -> Result<(String, Tool)> {
        let place = absolute(&io.cwd, Path::new(given));
        let path =
            place.to_str().and_then(|place| project.disk.inside(place)).ok_or_else(|| {
                UserError::new(format!("{given} is not inside the project"))
                    .hint("copy it into the project first")
            })?;
        if !place.is_file() {
            return Err(UserError::new(format!("{given}: no such file")).into());
        }
        let tool = match wanted {
            Some(tool) => tool,
            None => rule_import::tool_of(files, &path)
                .map_err(|why| UserError::new(io.distribution.redact(&why.to_string())))?,
        };
        Ok((path, tool))
    };
    args.files.iter().map(one).collect()
}

fn tool(from: ImportTool) -> Tool {
    match from {
        ImportTool::Alint => Tool::Alint,
        ImportTool::Commitlint => Tool::Commitlint,
        ImportTool::LsLint => Tool::LsLint,
        ImportTool::AstGrep => Tool::AstGrep,
        ImportTool::Markdownlint => Tool::Markdownlint,
    }
}

/// Writes the pages of one configuration, and prints the result of each and the items that were not
/// imported.
fn write_pages(
    project: &Project,
    registry: &Registry,
    import: &Import,
    args: &RuleImport,
    done: &mut Counts,
    io: &mut Io<'_>,
) -> Result<()> {
    for page in &import.pages {
        let said = write(project, registry, page, args, done)?;
        writeln!(io.out, "  {said} {}", page.path)?;
        for note in &page.notes {
            writeln!(io.out, "    differs: {note}")?;
        }
        if !page.has_examples {
            done.bare.push(page.id.clone());
        }
    }
    done.left += import.not_imported.len();
    if !import.not_imported.is_empty() {
        writeln!(io.out, "  not imported:")?;
    }
    for (items, left) in grouped(&import.not_imported) {
        let instead = left
            .instead
            .as_ref()
            .map_or_else(String::new, |instead| format!("; instead: {instead}"));
        writeln!(
            io.out,
            "    {}: {}{}",
            io.distribution.redact(&items),
            io.distribution.redact(&left.why),
            io.distribution.redact(&instead)
        )?;
    }
    for defect in &import.defects {
        done.defects += 1;
        writeln!(
            io.err,
            "bug in the import, please report it: {}",
            io.distribution.redact(defect)
        )?;
    }
    Ok(())
}

/// Groups the items that were not imported for the same reason.
fn grouped(left: &[NotImported]) -> Vec<(String, &NotImported)> {
    let mut groups: Vec<(String, &NotImported)> = Vec::new();
    for one in left {
        let same = |(_, other): &&mut (String, &NotImported)| {
            other.why == one.why && other.instead == one.instead
        };
        match groups.iter_mut().find(same) {
            Some((items, _)) => {
                items.push_str(", ");
                items.push_str(&one.item);
            }
            None => groups.push((one.item.clone(), one)),
        }
    }
    groups
}

/// Writes one page unless that would overwrite something; returns the result in words.
fn write(
    project: &Project,
    registry: &Registry,
    page: &Page,
    args: &RuleImport,
    done: &mut Counts,
) -> Result<&'static str> {
    let path = project.disk.for_new(&page.path)?;
    anyhow::ensure!(path == page.path, "{} leads to {path}", page.path);
    let place = project.root().join(path);
    let before = match fs::read(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        other => Some(other.with_context(|| page.path.clone())?),
    };
    if before.as_deref() == Some(page.text.as_bytes()) {
        done.same += 1;
        return Ok("unchanged");
    }
    let elsewhere = registry.get(&page.id).and_then(|rule| rule.path.as_ref());
    if elsewhere.is_some_and(|path| *path != page.path) {
        done.kept += 1;
        return Ok("not written, another page has the same id:");
    }
    if before.is_some() && !args.force {
        done.kept += 1;
        return Ok("not overwritten, the existing page differs:");
    }
    done.written += 1;
    if args.dry_run {
        return Ok("would write");
    }
    match before {
        Some(_) => crate::fix::replace(&place, page.text.as_bytes())?,
        None => {
            fs::create_dir_all(place.parent().context("the page has no parent directory")?)?;
            fs::write(&place, &page.text).with_context(|| page.path.clone())?;
        }
    }
    Ok("wrote")
}
