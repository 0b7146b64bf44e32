//! `aidd config`.

use crate::cli::ConfigCommand;
use aidd_engine::check::Selection;
use aidd_engine::project::config::{self};
use aidd_engine::workspace::walk;
use aidd_report::Io;
use aidd_report::exit::Exit;
use aidd_report::project::{self, Project};
use aidd_report::settings::{Setting, effective};
use anyhow::Result;
use serde_json::json;
use std::fmt::Write as _;
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
                format!(" {}", json!(*setting.params))
            };
            writeln!(text, "{} = {level}{params}", rule.id)?;
        }
    }
    Ok(())
}
