//! `aidd rule packs`: the rule packs and their rules.

use aidd_engine::project::config::Config;
use aidd_engine::rules::packs::{self, Packs};
use aidd_engine::rules::registry::Registry;
use aidd_page as page;
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::number;
use aidd_report::project::Project;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

/// A pack in the list.
struct Pack {
    name: String,
    /// Whether the configuration enables it.
    on: bool,
    /// Ids of its rules.
    rules: Vec<String>,
    summary: String,
}

/// Runs `aidd rule packs`.
///
/// # Errors
/// When the pack is unknown, or its page is invalid.
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
        hint(&pack.name, pack.on, io)?;
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
    let widest = all.iter().map(|pack| pack.name.len()).max().unwrap_or(0);
    for Pack { name, on, rules, summary } in &all {
        let on = if *on { "on " } else { "off" };
        writeln!(io.out, "{on} {name:widest$} {:>3} rules  {summary}", rules.len())?;
    }
    writeln!(
        io.err,
        "{}; `aidd rule packs NAME` lists the rules of a pack",
        number(all.len(), "pack")
    )?;
    hint("NAME", false, io)?;
    Ok(exit)
}

/// Prints how to enable the pack.
fn hint(name: &str, is_on: bool, io: &mut Io<'_>) -> Result<()> {
    if !is_on {
        writeln!(io.err, "enable it in .aidd/config.json: \"compliance\": [\"{name}\"]")?;
    }
    Ok(())
}

fn read(project: &Project, registry: &Registry, name: &str) -> Result<Pack> {
    let named = Config { compliance: Some(vec![name.to_owned()]), ..Config::default() };
    let of = Packs::from_config(&named, registry)
        .map_err(|why| UserError::new(why.to_string()).hint("`aidd rule packs` lists all packs"))?;
    let own = registry.packs().find(|(known, ..)| known == name).map(|(.., text)| text.to_owned());
    let shipped = registry.tables().packs.iter().find(|pack| pack.id == name);
    let text = own.or_else(|| shipped.map(|pack| pack.text.to_owned())).unwrap_or_default();
    let body = page::split(&text).map_or(0, |(_, body)| body.start);
    Ok(Pack {
        name: name.to_owned(),
        on: project.config.compliance.iter().flatten().any(|known| known == name),
        rules: of.enabled.iter().map(ToString::to_string).collect(),
        summary: page::summary(&text[body..]),
    })
}

fn to_json(pack: &Pack) -> Value {
    let Pack { name, on, rules, summary } = pack;
    json!({ "name": name, "on": on, "rules": rules, "summary": summary })
}
