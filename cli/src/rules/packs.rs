//! `aidd rule packs`: the rule packs and their rules.

use aidd_engine::project::config::Config;
use aidd_engine::rules::packs::{self, Packs};
use aidd_engine::rules::registry::Registry;
use aidd_page as page;
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::layout;
use aidd_report::number;
use aidd_report::project::Project;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

/// A pack in the list.
struct Pack {
    name: String,
    /// Whether the configuration enables the pack.
    is_enabled: bool,
    /// The ids of the pack's rules.
    rules: Vec<String>,
    summary: String,
}

/// Runs `aidd rule packs`.
///
/// # Errors
/// Fails when the pack is unknown, or its page is invalid.
pub(super) fn run(
    project: &Project,
    name: Option<&str>,
    as_json: bool,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let registry = project.registry();
    if let Some(name) = name {
        let pack = read(project, &registry, name)?;
        if as_json {
            io.out.json(&to_json(&pack))?;
            return Ok(Exit::Clean);
        }
        super::list(project, &pack.rules, false, color, io)?;
        print_hint(&pack.name, pack.is_enabled, io)?;
        return Ok(Exit::Clean);
    }
    // An invalid pack does not hide the others.
    let names = packs::names(&registry);
    let mut exit = Exit::Clean;
    let mut all = Vec::new();
    for name in &names {
        match read(project, &registry, name) {
            Ok(pack) => all.push(pack),
            Err(error) => {
                writeln!(io.err, "error: {error}")?;
                exit = Exit::Usage;
            }
        }
    }
    if as_json {
        let all: Vec<Value> = all.iter().map(to_json).collect();
        io.out.json(&all)?;
        return Ok(exit);
    }
    let style = io.style(color);
    let widest = all.iter().map(|pack| pack.name.len()).max().unwrap_or(0);
    for Pack { name, is_enabled, rules, summary } in &all {
        let state = if *is_enabled { "on " } else { "off" };
        let prefix = format!("{state} {name:widest$} {:>3} rules  ", rules.len());
        writeln!(io.out, "{}", layout::hanging(&prefix, summary, &style))?;
    }
    writeln!(
        io.err,
        "{}; `aidd rule packs NAME` lists the rules of a pack",
        number(all.len(), "pack")
    )?;
    print_hint("NAME", false, io)?;
    Ok(exit)
}

/// Prints how to enable a pack.
fn print_hint(name: &str, is_enabled: bool, io: &mut Io<'_>) -> Result<()> {
    if !is_enabled {
        writeln!(
            io.err,
            "to enable the pack, write in .aidd/config.json: \"compliance\": [\"{name}\"]"
        )?;
    }
    Ok(())
}

fn read(project: &Project, registry: &Registry, name: &str) -> Result<Pack> {
    let config = Config { compliance: Some(vec![name.to_owned()]), ..Config::default() };
    let packs = Packs::from_config(&config, registry)
        .map_err(|why| UserError::new(why.to_string()).hint("`aidd rule packs` lists all packs"))?;
    let project_text = registry
        .packs()
        .find(|(pack_name, ..)| pack_name == name)
        .map(|(.., text)| text.to_owned());
    let shipped = registry.tables().packs.iter().find(|pack| pack.id == name);
    let text =
        project_text.or_else(|| shipped.map(|pack| pack.text.to_owned())).unwrap_or_default();
    let body = page::split(&text).map_or(0, |(_, body)| body.start);
    Ok(Pack {
        name: name.to_owned(),
        is_enabled: project.config.compliance.iter().flatten().any(|enabled| enabled == name),
        rules: packs.enabled.iter().map(ToString::to_string).collect(),
        summary: page::summary(&text[body..]),
    })
}

fn to_json(pack: &Pack) -> Value {
    let Pack { name, is_enabled, rules, summary } = pack;
    json!({ "name": name, "on": is_enabled, "rules": rules, "summary": summary })
}
