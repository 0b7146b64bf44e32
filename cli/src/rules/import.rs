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
    unchanged: usize,
    conflicting: usize,
    not_imported: usize,
    defects: usize,
    without_examples: Vec<String>,
}

/// Runs `aidd rule import`.
///
/// # Errors
/// Fails when no configuration is found, when a configuration is invalid or its tool cannot be
/// detected, when aidd reads no rules from the target directory, and when a page cannot be written.
pub(super) fn run(project: &Project, args: &RuleImport, io: &mut Io<'_>) -> Result<Exit> {
    let target = target_dir(project, &args.to)?;
    let engine = project.engine(&Selection::default())?;
    let listing =
        walk::listing(&engine, &project.disk, &Walk::over(vec![project.root().to_owned()]));
    let files = Listed { files: &project.disk, listing: &listing };
    let configurations = configurations(project, args, &files, io)?;
    let registry = project.registry();
    let mut counts = Counts::default();
    let distribution = io.distribution;
    let mut unread = Vec::new();
    let count = configurations.len();
    for (path, tool) in configurations {
        match rule_import::import(&files, &path, tool, &target, &|pages: &[(String, String)]| {
            engine_of(distribution, pages)
        }) {
            Ok(import) => {
                writeln!(io.out, "{path} ({tool})")?;
                write_pages(project, &registry, &import, args, &mut counts, io)?;
            }
            // The other configurations are still imported.
            Err(why) => unread.push(io.distribution.redact(&why.to_string()).to_string()),
        }
    }
    if unread.len() < count {
        print_summary(&counts, args, io)?;
    }
    if !unread.is_empty() {
        return Err(UserError::new(unread.join("\n")).into());
    }
    Ok(match counts {
        Counts { defects: 1.., .. } => Exit::Unchecked,
        Counts { conflicting: 1.., .. } => Exit::Findings,
        _ => Exit::Clean,
    })
}

/// An engine with only `pages` and default settings, because the project's configuration can
/// disable the rules of these pages.
fn engine_of(distribution: &'static Distribution, pages: &[(String, String)]) -> Option<Engine> {
    let registry = Registry::new(distribution.pages, pages);
    Engine::new(distribution, registry, &Config::default(), &Selection::default()).ok()
}

/// Prints the counts and the next step.
fn print_summary(counts: &Counts, args: &RuleImport, io: &mut Io<'_>) -> Result<()> {
    let verb = if args.dry_run { "would be written" } else { "written" };
    let pages = number(counts.written, "page");
    write!(io.err, "{pages} {verb}, {} unchanged", counts.unchanged)?;
    if counts.conflicting > 0 {
        write!(io.err, ", {} differ (overwrite with --force)", counts.conflicting)?;
    }
    writeln!(io.err, "; {} not imported", number(counts.not_imported, "item"))?;
    if !counts.without_examples.is_empty() {
        writeln!(
            io.err,
            "without examples, which `aidd rule test` requires: {}",
            counts.without_examples.join(", ")
        )?;
    }
    if counts.written > 0 && !args.dry_run {
        writeln!(io.err, "review the pages, then run: aidd rule test")?;
    }
    Ok(())
}

/// The target directory relative to the root. It must be a directory from which aidd reads rules.
fn target_dir(project: &Project, path_argument: &str) -> Result<String> {
    let path = project.disk.path_for_new_file(path_argument);
    let path = path.map_err(|error| UserError::new(format!("--to: {error}")))?;
    let path_with_slashes = format!("/{path}/");
    // Rule directories of nested projects count too, except plain `rules`.
    let contains = |directory: &str| {
        let inner = format!("/{directory}/");
        path_with_slashes.starts_with(&inner)
            || directory != "rules" && path_with_slashes.contains(&inner)
    };
    if RULE_DIRS.into_iter().any(contains) {
        return Ok(path);
    }
    Err(UserError::new(format!("rules are not read from {path}"))
        .hint(format!(
            "pass one of these directories, or a subdirectory of one: {}",
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
    let requested_tool = args.from.map(tool);
    if args.files.is_empty() {
        let mut configurations = rule_import::discover(files);
        configurations.retain(|(_, tool)| {
            requested_tool.is_none_or(|requested_tool| requested_tool == *tool)
        });
        if configurations.is_empty() {
            let keys: Vec<&str> = Tool::ALL.iter().map(|tool| tool.key()).collect();
            return Err(UserError::new("no known configuration in the project root")
                .hint(format!(
                    "pass a file: aidd rule import FILE; supported tools: {}",
                    keys.join(", ")
                ))
                .into());
        }
        return Ok(configurations);
    }
    let resolve = |argument: &String| -> Result<(String, Tool)> {
        let location = absolute(&io.cwd, Path::new(argument));
        let path = location
            .to_str()
            .and_then(|location| project.disk.to_relative(location))
            .ok_or_else(|| {
                UserError::new(format!("{argument} is not inside the project"))
                    .hint("copy the file into the project first")
            })?;
        if !location.is_file() {
            return Err(UserError::new(format!("{argument}: no such file")).into());
        }
        let tool = match requested_tool {
            Some(tool) => tool,
            None => rule_import::tool_of(files, &path)
                .map_err(|why| UserError::new(io.distribution.redact(&why.to_string())))?,
        };
        Ok((path, tool))
    };
    args.files.iter().map(resolve).collect()
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
    counts: &mut Counts,
    io: &mut Io<'_>,
) -> Result<()> {
    for page in &import.pages {
        let result = write(project, registry, page, args, counts)?;
        writeln!(io.out, "  {result} {}", page.path)?;
        for note in &page.notes {
            writeln!(io.out, "    differs: {note}")?;
        }
        if !page.has_examples {
            counts.without_examples.push(page.id.clone());
        }
    }
    counts.not_imported += import.not_imported.len();
    if !import.not_imported.is_empty() {
        writeln!(io.out, "  not imported:")?;
    }
    for (items, item) in grouped(&import.not_imported) {
        let instead = item
            .instead
            .as_ref()
            .map_or_else(String::new, |instead| format!("; instead: {instead}"));
        writeln!(
            io.out,
            "    {}: {}{}",
            io.distribution.redact(&items),
            io.distribution.redact(&item.why),
            io.distribution.redact(&instead)
        )?;
    }
    for defect in &import.defects {
        counts.defects += 1;
        writeln!(
            io.err,
            "bug in the import, please report it: {}",
            io.distribution.redact(defect)
        )?;
    }
    Ok(())
}

/// Groups the items that were not imported: one group per reason and alternative.
fn grouped(items: &[NotImported]) -> Vec<(String, &NotImported)> {
    let mut groups: Vec<(String, &NotImported)> = Vec::new();
    for item in items {
        let has_same_reason = |(_, first): &&mut (String, &NotImported)| {
            first.why == item.why && first.instead == item.instead
        };
        match groups.iter_mut().find(has_same_reason) {
            Some((items, _)) => {
                items.push_str(", ");
                items.push_str(&item.item);
            }
            None => groups.push((item.item.clone(), item)),
        }
    }
    groups
}

/// Writes one page unless another page has the same id or would be overwritten. Returns the result
/// as text.
fn write(
    project: &Project,
    registry: &Registry,
    page: &Page,
    args: &RuleImport,
    counts: &mut Counts,
) -> Result<&'static str> {
    let path = project.disk.path_for_new_file(&page.path)?;
    anyhow::ensure!(path == page.path, "{} leads to {path}", page.path);
    let location = project.root().join(path);
    let before = match fs::read(&location) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(result.with_context(|| page.path.clone())?),
    };
    if before.as_deref() == Some(page.text.as_bytes()) {
        counts.unchanged += 1;
        return Ok("unchanged");
    }
    let existing_path = registry.get(&page.id).and_then(|rule| rule.path.as_ref());
    if existing_path.is_some_and(|path| *path != page.path) {
        counts.conflicting += 1;
        return Ok("not written, another page has the same id:");
    }
    if before.is_some() && !args.force {
        counts.conflicting += 1;
        return Ok("not overwritten, the existing page differs:");
    }
    counts.written += 1;
    if args.dry_run {
        return Ok("would write");
    }
    match before {
        Some(_) => crate::fix::replace(&location, page.text.as_bytes())?,
        None => {
            fs::create_dir_all(location.parent().context("the page has no parent directory")?)?;
            fs::write(&location, &page.text).with_context(|| page.path.clone())?;
        }
    }
    Ok("wrote")
}
