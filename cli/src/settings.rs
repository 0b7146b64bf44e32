//! `aidd config` and `aidd init`.

use crate::cli::{ConfigCommand, Init};
use crate::clients;
use crate::git_files;
use aidd_engine::check::Selection;
use aidd_engine::project::config::{self};
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::workspace::walk;
use aidd_report::Io;
use aidd_report::exit::Exit;
use aidd_report::project::{self, Project};
use aidd_report::settings::{Setting, effective};
use anyhow::{Context, Result};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Runs `aidd config …`.
///
/// # Errors
/// Fails when the configuration is invalid.
pub fn run(command: &ConfigCommand, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        ConfigCommand::Schema => {
            io.out.json(&config::schema())?;
        }
        ConfigCommand::Show { path } => show(path.as_deref(), config, io)?,
    }
    Ok(Exit::Clean)
}

fn show(path: Option<&Path>, config: Option<&Path>, io: &mut Io<'_>) -> Result<()> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let mut text = format!("root = {}\n", project.root().display());
    for Setting { key, value, origin } in effective(&project, &|name| std::env::var(name).ok())? {
        writeln!(text, "{key} = {value}  # {origin}")?;
    }
    if let Some(path) = path {
        show_rules(&project, &project::absolute(&io.cwd, path), &mut text)?;
    }
    write!(io.out, "{}", io.distribution.redact(&text))?;
    Ok(())
}

/// Appends to `text` the rules whose settings for `path` differ from the rule pages.
fn show_rules(project: &Project, path: &Path, text: &mut String) -> Result<()> {
    let relative = walk::relative(project.root(), path);
    let engine = project.engine(&Selection::default())?;
    let settings = engine.settings(&relative);
    writeln!(text, "\n# rule settings that differ from the rule pages for {relative}")?;
    for rule in engine.registry().rules() {
        let Some(setting) = settings.get(&rule.id) else { continue };
        let default = rule.enabled.then_some(rule.severity);
        if setting.severity != default || !setting.params.is_empty() {
            let level =
                setting.severity.map_or_else(|| "off".to_owned(), |severity| severity.to_string());
            let params = if setting.params.is_empty() {
                String::new()
            } else {
                format!(" {}", json!(setting.params))
            };
            writeln!(text, "{} = {level}{params}", rule.id)?;
        }
    }
    Ok(())
}

/// Runs `aidd init`: writes a minimal configuration, the Git settings for the memory and the files
/// of the named agent clients, without overwriting existing content, and prints the next steps.
///
/// # Errors
/// Fails when a file cannot be read or written.
pub fn init(args: &Init, io: &mut Io<'_>) -> Result<Exit> {
    if !args.remove {
        print_nested_note(io)?;
    }
    // Set up the clients first, so that their errors are reported before a file is written.
    if args.remove || args.dry_run {
        clients::run(&args.clients, args.remove, args.dry_run, io)?;
        if !args.remove {
            print_dry_run(io)?;
        }
        return Ok(Exit::Clean);
    }
    if !args.clients.is_empty() {
        clients::run(&args.clients, false, false, io)?;
    }
    let path = io.cwd.join(CONFIG_PATH);
    let is_new = !path.exists();
    if is_new {
        let directory = path.parent().context("the file has no parent directory")?;
        fs::create_dir_all(directory)
            .with_context(|| format!("{} cannot be created", directory.display()))?;
        fs::write(&path, INITIAL).with_context(|| CONFIG_PATH.to_owned())?;
    }
    writeln!(io.out, "{} {CONFIG_PATH}", if is_new { "wrote" } else { "unchanged:" })?;
    let config_error =
        if is_new { None } else { Project::open(io.distribution, &io.cwd, Some(&path)).err() };
    if let Some(config_error) = &config_error {
        writeln!(io.err, "error: the existing configuration is invalid")?;
        writeln!(io.err, "{config_error}")?;
    }
    if git_files::repository(&io.cwd).is_some() {
        for (name, change) in git_files::write(&io.cwd)? {
            writeln!(io.out, "{} {name}", change.label())?;
        }
    } else {
        writeln!(io.err, "not in a Git repository; run `git init`, then run this command again")?;
    }
    clients::print_unconfigured_clients(io)?;
    if args.clients.is_empty() {
        writeln!(
            io.err,
            "next:\n  aidd check .                     check all files\n  aidd baseline write              baseline existing findings\n  aidd rule new team/my-rule       create a rule\n  aidd memory add decision TEXT    record a decision"
        )?;
    }
    Ok(if config_error.is_some() { Exit::Usage } else { Exit::Clean })
}

/// Prints a note if the current directory is inside another project. The rules and memory of that
/// project will no longer apply to this directory.
fn print_nested_note(io: &mut Io<'_>) -> Result<()> {
    let outer = project::root_of(&io.cwd);
    if outer != io.cwd {
        writeln!(
            io.err,
            "note: this directory is inside the project {}; `aidd init` makes this directory a separate project without the rules and memory of the outer project. To set up the outer project, run `aidd init` in its root",
            outer.display()
        )?;
    }
    Ok(())
}

/// Prints the changes that `aidd init` would make in addition to those in the patch.
fn print_dry_run(io: &mut Io<'_>) -> Result<()> {
    if !io.cwd.join(CONFIG_PATH).exists() {
        writeln!(io.err, "would write {CONFIG_PATH}")?;
    }
    if git_files::repository(&io.cwd).is_some() {
        for (is_present, name) in [
            (git_files::has_union_merge(&io.cwd), ".gitattributes"),
            (git_files::ignores_store(&io.cwd), ".gitignore"),
        ] {
            if !is_present {
                writeln!(io.err, "would add to {name}")?;
            }
        }
    }
    Ok(())
}

/// The initial configuration: only the settings that most projects change first.
const INITIAL: &str = r#"{
  // Minimum severity that fails a run: error, warning, info or never.
  "failOn": "error",
  // Paths to exclude, in addition to those that Git ignores.
  "exclude": [],
  // Rule, alias or glob → off, info, warning, error.
  "rules": {},
  // Optional rule packs to enable; `aidd rule packs` lists them.
  "compliance": []
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_configuration_is_valid() {
        let (_, unknown) = config::read(INITIAL).expect("valid");
        assert_eq!(unknown, []);
    }
}
