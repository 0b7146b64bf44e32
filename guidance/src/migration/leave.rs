//! A way from one technology to another: what an entry tells of it, the order that its kind asks for,
//! and the places in the project. What no entry tells is said.

use super::{Asked, Plan, Project, Risk, Step, guard, prepare, shown, verify};
use crate::commands::{add_or_remove, manager, run_by};
use crate::compatibility::clashes_here;
use crate::knowledge::{Entry, Knowledge, Migration, plain};
use crate::legacy::OldForm;
use aidd_engine::project::stack::{Manifest, Version};
use std::collections::BTreeSet;

/// Most weaknesses of the target that are told.
const WEAKNESSES: usize = 3;
/// Most places that are told.
const PLACES: usize = 5;

/// Where a plan leads.
pub(super) struct Way<'e> {
    /// As it is called: `Vite 8`.
    to: String,
    /// What an entry tells of it.
    known: Option<&'e Migration>,
    /// The entry on the target.
    target: Option<&'e Entry<'e>>,
}

/// The way to another technology: that asked for by name, or the only one that is left. It may be
/// told by the entry on the target; a target with an entry is enough.
pub(super) fn way<'e>(
    entry: &'e Entry<'_>,
    to: Option<&str>,
    knowledge: &'e Knowledge<'_>,
) -> Option<Way<'e>> {
    let mut moves = entry.migrations.iter().filter(|it| Version::read(&it.to).is_none());
    let entry_of = |to: &str| {
        // `Vite 8` is the eighth version of Vite.
        let name = to.rsplit_once(' ').filter(|(_, last)| Version::read(last).is_some());
        knowledge.find(name.map_or(to, |(name, _)| name)).ok()
    };
    let Some(to) = to else {
        let known = moves.next().filter(|_| entry.maturity == "deprecated")?;
        return Some(Way { to: known.to.clone(), known: Some(known), target: entry_of(&known.to) });
    };
    if Version::read(to).is_some() {
        return None;
    }
    // What registries call their newest versions is no name.
    const TAGS: [&str; 7] = ["next", "latest", "current", "stable", "beta", "canary", "rc"];
    if TAGS.contains(&to.trim()) {
        return None;
    }
    let target = entry_of(to).filter(|target| target.stem() != entry.stem());
    let names = |of: Option<&Entry<'_>>| -> Vec<String> {
        of.into_iter().flat_map(Entry::names).map(plain).collect()
    };
    let (wanted, own) = (names(target), names(Some(entry)));
    let is_wanted = |name: &str| {
        let name = plain(name);
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        name.starts_with(&plain(to)) || wanted.iter().any(|wanted| wanted == bare)
    };
    let here = moves.find(|it| is_wanted(&it.to));
    let there = || {
        let rows = target.into_iter().flat_map(|target| &target.migrations);
        rows.into_iter().find(|it| own.contains(&plain(&it.from)))
    };
    match (here, target) {
        (Some(known), _) => Some(Way {
            to: known.to.clone(),
            known: Some(known),
            target: target.or_else(|| entry_of(&known.to)),
        }),
        // A way that no entry tells leads to what does the same only.
        (None, Some(target)) if target.category == entry.category || there().is_some() => {
            Some(Way { to: target.name.to_owned(), known: there(), target: Some(target) })
        }
        (None, _) => None,
    }
}

/// Plans the way.
pub(super) fn plan(
    entry: &Entry<'_>,
    way: &Way<'_>,
    from: Option<&Version>,
    asked: Asked<'_>,
    knowledge: &Knowledge<'_>,
    project: Project<'_>,
    plan: &mut Plan,
) {
    plan.from = from.map_or(entry.name.to_owned(), |from| format!("{} {from}", entry.name));
    plan.to.clone_from(&way.to);
    plan.hops = vec![plan.from.clone(), plan.to.clone()];
    prepare(entry, from, &[], project, plan);
    inventory(entry, asked.uses, plan);
    guide(entry, way, plan);
    for (what, risk) in order(entry, way) {
        plan.steps.push(Step { what, commands: Vec::new(), risk, source: None });
    }
    begin(entry, way, project, plan);
    let guide = way.known.and_then(|known| known.guide.clone());
    for broken in way.known.iter().flat_map(|known| &known.breaking) {
        plan.steps.push(Step {
            what: format!("Find out whether it hits here, and mend it: {broken}"),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: guide.clone(),
        });
    }
    let forms: Vec<&OldForm> = asked.old_forms.iter().collect();
    if !forms.is_empty() {
        plan.steps.push(Step {
            what: format!("On the way, these are no form to carry over: {}", shown(&forms)),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{}, legacy", entry.page.path)),
        });
    }
    end(entry, way, project, plan);
    if is_store(entry) {
        plan.guardrails.push(format!(
            "No commit brings data back: {} stays complete and readable until the way back from {} was tried",
            entry.name, way.to
        ));
    } else {
        guard(entry, project, plan);
    }
    warn(entry, way, knowledge, project, plan);
}

/// Where the project names what it leaves.
fn inventory(entry: &Entry<'_>, uses: &[OldForm], plan: &mut Plan) {
    if uses.is_empty() {
        return;
    }
    let files: BTreeSet<&str> = uses.iter().map(|it| &*it.path).collect();
    let shown: Vec<String> =
        uses.iter().take(PLACES).map(|it| format!("{}:{}", it.path, it.line)).collect();
    let more = uses.len().saturating_sub(PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    plan.steps.push(Step {
        what: format!(
            "Sort the places that name {} by how much of it they use: {} in {} files ({}{more})",
            entry.name,
            uses.len(),
            files.len(),
            shown.join(", ")
        ),
        commands: Vec::new(),
        risk: Risk::Low,
        source: None,
    });
}

fn guide(entry: &Entry<'_>, way: &Way<'_>, plan: &mut Plan) {
    let guide = way.known.and_then(|known| known.guide.clone());
    let own = way.target.and_then(Entry::reference);
    let what = match (&guide, way.known.is_some()) {
        (Some(_), _) if entry.maturity == "deprecated" => {
            format!("{} ends here: read how to get to {}", entry.name, way.to)
        }
        (Some(_), _) => {
            format!(
                "Read how {} does what {} does, and mark what concerns this project",
                way.to, entry.name
            )
        }
        _ => {
            format!("Read what {} has for each thing that {} is used for here", way.to, entry.name)
        }
    };
    let source = guide.or_else(|| own.map(str::to_owned));
    plan.steps.push(Step { what, commands: Vec::new(), risk: Risk::Low, source });
    if way.known.is_none() {
        plan.notes.push(format!(
            "no entry tells what breaks from {} to {}: the steps are those of their kind; add what you find \
             under `migrations` of {}",
            entry.name, way.to, entry.page.path
        ));
    }
    if way.known.is_none_or(|known| known.codemod.is_none()) {
        plan.notes.push(format!("no codemod from {} to {} is known", entry.name, way.to));
    }
}

/// Whether it holds data. Libraries that reach a store are of the category data too.
fn is_store(entry: &Entry<'_>) -> bool {
    entry.category == "data" && entry.packages.iter().all(|(word, _)| *word == "oci")
}

/// The order that a kind of technology asks for.
fn order(entry: &Entry<'_>, way: &Way<'_>) -> Vec<(String, Risk)> {
    let (old, new) = (entry.name, &way.to);
    let is_store = is_store(entry);
    let is_interface = ["rest", "graphql", "grpc", "trpc"].contains(&entry.stem());
    match entry.category {
        _ if is_store => vec![
            (format!("List what {old} holds really, not what the code expects: each shape, its count, its oddities"), Risk::Low),
            (format!("Write the schema of {new} from that list, and a rule for each value that does not fit"), Risk::High),
            (format!("Copy into {new} in batches that can be run again without harm; count what was refused"), Risk::High),
            (format!("Write to both; {old} stays the truth and a failed second write is an alert, no error to the user"), Risk::High),
            ("Compare counts and checksums by day until they stay equal; mend the copy, not the comparison".to_owned(), Risk::Medium),
            (format!("Read from {new} behind a switch, first a small share; keep the switch until the old store is gone"), Risk::High),
        ],
        _ if is_interface => vec![
            (format!("Write the contract in {new} first, from the calls that consumers really make"), Risk::Medium),
            (format!("Serve {old} and {new} from the same functions of the domain, so that neither decides anything"), Risk::Medium),
            ("Move one consumer, and measure errors and latency beside the others before the next".to_owned(), Risk::High),
            (format!("Count the calls that {old} still gets, by consumer; give those left a day in writing"), Risk::Medium),
        ],
        "testing" => vec![
            (format!("Run {old} and {new} side by side in CI; a file belongs to one of them"), Risk::Low),
            ("Compare how many tests each file has and which are skipped before and after: a test that is not found passes".to_owned(), Risk::High),
        ],
        "tooling" => vec![
            (format!("Let {new} do the work beside {old} in CI without deciding anything yet"), Risk::Low),
            ("Compare what both give (files, sizes, versions, exit codes) until each difference is explained".to_owned(), Risk::Medium),
        ],
        "infrastructure" => vec![
            (format!("Set {new} up beside {old} with a copy of the load; nothing depends on it yet"), Risk::Medium),
            ("Move one environment, the least dear first, and keep the way back open for a week each".to_owned(), Risk::High),
        ],
        "backend" | "frontend" => vec![
            (format!("Draw the border first: code that does not touch {old} today must not touch {new} tomorrow"), Risk::Low),
            (format!("Move one route or page that is small and in daily use to {new}; the rest stays"), Risk::High),
        ],
        _ => vec![(
            format!("Move the smallest part that is in daily use to {new} first; the rest stays with {old}"),
            Risk::High,
        )],
    }
}

/// The packages of the target by the manager of a manifest.
fn packages<'t>(target: &'t Entry<'_>, manifest: &Manifest) -> Vec<&'t str> {
    let word = manifest.ecosystem.word();
    let of = target.packages.iter().filter(|(ecosystem, _)| *ecosystem == word);
    of.map(|(_, name)| *name).take(1).collect()
}

fn begin(entry: &Entry<'_>, way: &Way<'_>, project: Project<'_>, plan: &mut Plan) {
    let used = project.used.first().map(|(manifest, _)| *manifest);
    let mut commands = Vec::new();
    if let Some((target, manifest)) = way.target.zip(used) {
        let names = packages(target, manifest);
        if !names.is_empty() {
            commands.push(add_or_remove(manifest, &names, true));
        }
    }
    if !commands.is_empty() || way.known.is_some_and(|known| known.codemod.is_none()) {
        plan.steps.push(Step {
            what: format!("Add {} beside {}", way.to, entry.name),
            commands,
            risk: Risk::Medium,
            source: used.map(|manifest| manifest.path.clone()),
        });
    }
    if let Some(codemod) = way.known.and_then(|known| known.codemod.as_ref()) {
        plan.steps.push(Step {
            what: "Run the codemod and read its whole diff; commit it apart from what you change by hand"
                .to_owned(),
            commands: vec![run_by(codemod, manager(project.used))],
            risk: Risk::Medium,
            source: way.known.and_then(|known| known.guide.clone()),
        });
    }
}

fn end(entry: &Entry<'_>, way: &Way<'_>, project: Project<'_>, plan: &mut Plan) {
    verify(&way.to, project, plan);
    let mut manifests: Vec<(&Manifest, Vec<&str>)> = Vec::new();
    for &(manifest, dependency) in project.used {
        match manifests.iter_mut().find(|(known, _)| known.path == manifest.path) {
            Some((_, names)) => names.push(&dependency.name),
            None => manifests.push((manifest, vec![&dependency.name])),
        }
    }
    let commands = manifests.iter().map(|(manifest, names)| add_or_remove(manifest, names, false));
    let commands: Vec<String> = commands.collect();
    plan.steps.push(Step {
        what: format!(
            "Take {} out, with its settings, types and scripts, once nothing names it",
            entry.name
        ),
        risk: if commands.is_empty() { Risk::Medium } else { Risk::Low },
        commands,
        source: manifests.first().map(|(manifest, _)| manifest.path.clone()),
    });
}

/// What speaks against the target, and what of the project does not go with it.
fn warn(
    entry: &Entry<'_>,
    way: &Way<'_>,
    knowledge: &Knowledge<'_>,
    project: Project<'_>,
    plan: &mut Plan,
) {
    plan.guardrails.push(format!(
        "Name the day on which {} is gone: two of a kind cost more than either",
        entry.name
    ));
    let Some(target) = way.target else { return };
    for (_, other, why) in clashes_here(&[target], knowledge, project.stack) {
        if other != entry.name {
            plan.guardrails.push(format!("The project has {other} beside {}: {why}", target.name));
        }
    }
    let weaknesses: Vec<String> = target.weaknesses().into_iter().take(WEAKNESSES).collect();
    if !weaknesses.is_empty() {
        plan.guardrails.push(format!(
            "Known weaknesses of {}: {} ({})",
            target.name,
            weaknesses.join("; "),
            target.page.path
        ));
    }
    let names: Vec<String> = target.names().map(plain).collect();
    let when = entry.alternatives().into_iter().find(|(name, _)| names.contains(&plain(name)));
    if let Some((_, when)) = when {
        plan.notes
            .push(format!("{} says of {}: choose it when: {when}", entry.page.path, target.name));
    }
}
