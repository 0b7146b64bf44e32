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
use aidd_report::settings::{Setting, in_force};
use anyhow::{Context, Result};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Runs `aidd config …`.
///
/// # Errors
/// When the configuration cannot be read.
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
    for Setting { key, value, origin } in in_force(&project, &|name| std::env::var(name).ok())? {
        writeln!(text, "{key} = {value}  # {origin}")?;
    }
    if let Some(path) = path {
        show_rules(&project, &project::absolute(&io.cwd, path), &mut text)?;
    }
    write!(io.out, "{}", io.distribution.redact(&text))?;
    Ok(())
}

/// The rules whose setting for `path` is not that of their page.
fn show_rules(project: &Project, path: &Path, text: &mut String) -> Result<()> {
    let relative = walk::relative(project.root(), path);
    let engine = project.engine(&Selection::default())?;
    let settings = engine.settings(&relative);
    writeln!(text, "\n# rules set otherwise than their page for {relative}")?;
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

/// Runs `aidd init`: writes a minimal configuration, what Git has to know of the memory and what the
/// named clients of agents read, leaves what is there, and says what comes next.
///
/// # Errors
/// When a file cannot be read or written.
pub fn init(args: &Init, io: &mut Io<'_>) -> Result<Exit> {
    if !args.remove {
        tell_nested(io)?;
    }
    // What a user asked for first is refused first, before anything is written.
    if args.remove || args.dry_run {
        clients::run(&args.clients, args.remove, args.dry_run, io)?;
        if !args.remove {
            tell_dry(io)?;
        }
        return Ok(Exit::Clean);
    }
    if !args.clients.is_empty() {
        clients::run(&args.clients, false, false, io)?;
    }
    let path = io.cwd.join(CONFIG_PATH);
    let is_new = !path.exists();
    if is_new {
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        fs::write(&path, INITIAL).with_context(|| CONFIG_PATH.to_owned())?;
    }
    writeln!(io.out, "{} {CONFIG_PATH}", if is_new { "wrote" } else { "kept" })?;
    let wrong =
        if is_new { None } else { Project::open(io.distribution, &io.cwd, Some(&path)).err() };
    if let Some(wrong) = &wrong {
        writeln!(io.err, "error: the configuration that is there cannot be used")?;
        writeln!(io.err, "{wrong}")?;
    }
    if git_files::repository(&io.cwd).is_some() {
        for (name, done) in git_files::write(&io.cwd)? {
            writeln!(io.out, "{} {name}", done.word())?;
        }
    } else {
        writeln!(io.err, "not in a Git repository; after `git init`, run this again")?;
    }
    clients::tell_others(io)?;
    if args.clients.is_empty() {
        writeln!(
            io.err,
            "next:\n  aidd check .                     see what there is\n  aidd baseline write              put off what is old, judge what is new\n  aidd rule new team/my-rule       write down a rule of your own\n  aidd memory add decision TEXT    remember what was decided"
        )?;
    }
    Ok(if wrong.is_some() { Exit::Usage } else { Exit::Clean })
}

/// Says that a folder below a project becomes one of its own: neither the rules nor the memory of the
/// one above hold there any longer.
fn tell_nested(io: &mut Io<'_>) -> Result<()> {
    let above = project::root_of(&io.cwd);
    if above != io.cwd {
        writeln!(
            io.err,
            "note: this folder lies in the project {}; what is set up here makes it a project of its own, without the rules and the memory of that one. For all of it: aidd init there",
            above.display()
        )?;
    }
    Ok(())
}

/// Says what `aidd init` would do beside what a patch shows.
fn tell_dry(io: &mut Io<'_>) -> Result<()> {
    if !io.cwd.join(CONFIG_PATH).exists() {
        writeln!(io.err, "would write {CONFIG_PATH}")?;
    }
    if git_files::repository(&io.cwd).is_some() {
        for (is_said, name) in [
            (git_files::merges(&io.cwd), ".gitattributes"),
            (git_files::ignores_store(&io.cwd), ".gitignore"),
        ] {
            if !is_said {
                writeln!(io.err, "would add to {name}")?;
            }
        }
    }
    Ok(())
}

/// Says no more than what most projects change first.
const INITIAL: &str = r#"{
  // What makes a run fail: error, warning, info or never.
  "failOn": "error",
  // Paths not to check, besides what Git ignores.
  "exclude": [],
  // Rule, alias or glob → off, info, warning, error.
  "rules": {},
  // Packs of rules that are off until named here; `aidd rule packs` lists them.
  "compliance": []
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_configuration_is_a_valid_one() {
        let (_, unknown) = config::read(INITIAL).expect("valid");
        assert_eq!(unknown, []);
    }
}
