//! Plans the migration from one technology to another: what an entry says about it, the usual order
//! of steps for its kind, and the places in the project. Missing information is reported.

use super::{
    Plan, PlanParams, ProjectContext, Risk, Step, add_guardrails, add_preparation,
    add_verification, render_forms,
};
use crate::commands::{add_or_remove, package_manager, with_package_runner};
use crate::compatibility::find_conflicts;
use crate::knowledge::{Entry, Knowledge, Migration, normalize_name};
use crate::legacy::OldForm;
use aidd_engine::project::stack::{Manifest, Version};
use std::collections::BTreeSet;

/// Maximum number of weaknesses of the target that are listed.
const MAX_WEAKNESSES: usize = 3;
/// Maximum number of places that are listed.
const MAX_PLACES: usize = 5;

/// The target of a migration.
pub(super) struct ReplacementTarget<'e> {
    /// The display name: `Vite 8`.
    to: String,
    /// The migration in a knowledge entry, if there is one.
    known: Option<&'e Migration>,
    /// The entry on the target.
    target: Option<&'e Entry<'e>>,
}

/// The migration to another technology: the one named by `to`, or the successor of a deprecated
/// technology. The migration can be described by the entry on the target; a target with an entry is
/// sufficient.
pub(super) fn find_replacement<'e>(
    entry: &'e Entry<'_>,
    to: Option<&str>,
    knowledge: &'e Knowledge<'_>,
) -> Option<ReplacementTarget<'e>> {
    let mut moves = entry.migrations.iter().filter(|it| Version::read(&it.to).is_none());
    let entry_of = |to: &str| {
        // `Vite 8` is the eighth version of Vite.
        let name = to.rsplit_once(' ').filter(|(_, last)| Version::read(last).is_some());
        knowledge.find(name.map_or(to, |(name, _)| name)).ok()
    };
    let Some(to) = to else {
        let known = moves.next().filter(|_| entry.maturity == "deprecated")?;
        return Some(ReplacementTarget {
            to: known.to.clone(),
            known: Some(known),
            target: entry_of(&known.to),
        });
    };
    if Version::read(to).is_some() {
        return None;
    }
    // The tags that registries use for their newest versions are not names.
    const TAGS: [&str; 7] = ["next", "latest", "current", "stable", "beta", "canary", "rc"];
    if TAGS.contains(&to.trim()) {
        return None;
    }
    let target = entry_of(to).filter(|target| target.stem() != entry.stem());
    let names = |of: Option<&Entry<'_>>| -> Vec<String> {
        of.into_iter().flat_map(Entry::names).map(normalize_name).collect()
    };
    let (wanted, own) = (names(target), names(Some(entry)));
    let is_wanted = |name: &str| {
        let name = normalize_name(name);
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        name.starts_with(&normalize_name(to)) || wanted.iter().any(|wanted| wanted == bare)
    };
    let here = moves.find(|it| is_wanted(&it.to));
    let there = || {
        let rows = target.into_iter().flat_map(|target| &target.migrations);
        rows.into_iter().find(|it| own.contains(&normalize_name(&it.from)))
    };
    match (here, target) {
        (Some(known), _) => Some(ReplacementTarget {
            to: known.to.clone(),
            known: Some(known),
            target: target.or_else(|| entry_of(&known.to)),
        }),
        // Without a described migration, only a technology of the same category is a valid target.
        (None, Some(target)) if target.category == entry.category || there().is_some() => {
            Some(ReplacementTarget {
                to: target.name.to_owned(),
                known: there(),
                target: Some(target),
            })
        }
        (None, _) => None,
    }
}

/// Adds the steps of the migration to another technology.
pub(super) fn add_replacement_steps(
    entry: &Entry<'_>,
    way: &ReplacementTarget<'_>,
    from: Option<&Version>,
    asked: PlanParams<'_>,
    knowledge: &Knowledge<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    plan.from = from.map_or(entry.name.to_owned(), |from| format!("{} {from}", entry.name));
    plan.to.clone_from(&way.to);
    plan.hops = vec![plan.from.clone(), plan.to.clone()];
    add_preparation(entry, from, &[], project, plan);
    add_inventory(entry, asked.uses, plan);
    add_guide(entry, way, plan);
    for (what, risk) in typical_steps(entry, way) {
        plan.steps.push(Step { what, commands: Vec::new(), risk, source: None });
    }
    add_installation(entry, way, project, plan);
    let guide = way.known.and_then(|known| known.guide.clone());
    for broken in way.known.iter().flat_map(|known| &known.breaking) {
        plan.steps.push(Step {
            what: format!("Check whether this affects the project, and fix it: {broken}"),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: guide.clone(),
        });
    }
    let forms: Vec<&OldForm> = asked.old_forms.iter().collect();
    if !forms.is_empty() {
        plan.steps.push(Step {
            what: format!("Do not carry these old forms over: {}", render_forms(&forms)),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{}, legacy", entry.page.path)),
        });
    }
    add_removal(entry, way, project, plan);
    if is_store(entry) {
        plan.guardrails.push(format!(
            "A revert does not restore data: keep {} complete and readable until the rollback from {} has been tested",
            entry.name, way.to
        ));
    } else {
        add_guardrails(entry, project, plan);
    }
    add_warnings(entry, way, knowledge, project, plan);
}

/// Adds a step that lists where the project uses the technology it leaves.
fn add_inventory(entry: &Entry<'_>, uses: &[OldForm], plan: &mut Plan) {
    if uses.is_empty() {
        return;
    }
    let files: BTreeSet<&str> = uses.iter().map(|it| &*it.path).collect();
    let shown: Vec<String> =
        uses.iter().take(MAX_PLACES).map(|it| format!("{}:{}", it.path, it.line)).collect();
    let more = uses.len().saturating_sub(MAX_PLACES);
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

fn add_guide(entry: &Entry<'_>, way: &ReplacementTarget<'_>, plan: &mut Plan) {
    let guide = way.known.and_then(|known| known.guide.clone());
    let own = way.target.and_then(Entry::reference);
    let what = match (&guide, way.known.is_some()) {
        (Some(_), _) if entry.maturity == "deprecated" => {
            format!("{} is deprecated: read how to migrate to {}", entry.name, way.to)
        }
        (Some(_), _) => {
            format!(
                "Read how {} does what {} does, and note what affects this project",
                way.to, entry.name
            )
        }
        _ => {
            format!("Read what {} offers for each use of {} in this project", way.to, entry.name)
        }
    };
    let source = guide.or_else(|| own.map(str::to_owned));
    plan.steps.push(Step { what, commands: Vec::new(), risk: Risk::Low, source });
    if way.known.is_none() {
        plan.notes.push(format!(
            "no entry describes what breaks from {} to {}: the steps are generic; add what you find \
             under `migrations` of {}",
            entry.name, way.to, entry.page.path
        ));
    }
    if way.known.is_none_or(|known| known.codemod.is_none()) {
        plan.notes.push(format!("no codemod from {} to {} is known", entry.name, way.to));
    }
}

/// Whether the technology stores data. Client libraries of a store are in category `data` too.
fn is_store(entry: &Entry<'_>) -> bool {
    entry.category == "data" && entry.packages.iter().all(|(word, _)| *word == "oci")
}

/// The steps and risks typical for a kind of technology.
fn typical_steps(entry: &Entry<'_>, way: &ReplacementTarget<'_>) -> Vec<(String, Risk)> {
    let (old, new) = (entry.name, &way.to);
    let is_store = is_store(entry);
    let is_interface = ["rest", "graphql", "grpc", "trpc"].contains(&entry.stem());
    match entry.category {
        _ if is_store => vec![
            (format!("List what {old} actually contains, not what the code expects: each shape, its count, its anomalies"), Risk::Low),
            (format!("Write the schema of {new} from that list, with a rule for each value that does not fit"), Risk::High),
            (format!("Copy into {new} in idempotent batches; count rejected records"), Risk::High),
            (format!("Write to both; {old} stays the source of truth, and a failed second write raises an alert, not a user-facing error"), Risk::High),
            ("Compare counts and checksums daily until they stay equal; fix the copy, not the comparison".to_owned(), Risk::Medium),
            (format!("Read from {new} behind a switch, starting with a small share; keep the switch until the old store is removed"), Risk::High),
        ],
        _ if is_interface => vec![
            (format!("Write the contract in {new} first, from the calls that consumers actually make"), Risk::Medium),
            (format!("Serve {old} and {new} from the same domain functions, so that neither contains business logic"), Risk::Medium),
            ("Move one consumer, and compare its errors and latency with the others before the next".to_owned(), Risk::High),
            (format!("Count the calls that {old} still gets, by consumer; give the remaining consumers a date in writing"), Risk::Medium),
        ],
        "testing" => vec![
            (format!("Run {old} and {new} side by side in CI; each file belongs to one of them"), Risk::Low),
            ("Compare how many tests each file has and which are skipped before and after: a test that is not found does not fail".to_owned(), Risk::High),
        ],
        "tooling" => vec![
            (format!("Run {new} next to {old} in CI without acting on its results yet"), Risk::Low),
            ("Compare what both produce (files, sizes, versions, exit codes) until each difference is explained".to_owned(), Risk::Medium),
        ],
        "infrastructure" => vec![
            (format!("Set up {new} next to {old} with a copy of the load; nothing depends on it yet"), Risk::Medium),
            ("Move one environment at a time, the least critical first, and keep the rollback open for a week each".to_owned(), Risk::High),
        ],
        "backend" | "frontend" => vec![
            (format!("Draw the boundary first: code that does not touch {old} today must not touch {new} tomorrow"), Risk::Low),
            (format!("Move one route or page that is small and in daily use to {new}; the rest stays"), Risk::High),
        ],
        _ => vec![(
            format!("Move the smallest part in daily use to {new} first; the rest stays with {old}"),
            Risk::High,
        )],
    }
}

/// The packages of the target for the package manager of a manifest.
fn packages<'t>(target: &'t Entry<'_>, manifest: &Manifest) -> Vec<&'t str> {
    let word = manifest.ecosystem.word();
    let of = target.packages.iter().filter(|(ecosystem, _)| *ecosystem == word);
    of.map(|(_, name)| *name).take(1).collect()
}

fn add_installation(
    entry: &Entry<'_>,
    way: &ReplacementTarget<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
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
            what: format!("Add {} alongside {}", way.to, entry.name),
            commands,
            risk: Risk::Medium,
            source: used.map(|manifest| manifest.path.clone()),
        });
    }
    if let Some(codemod) = way.known.and_then(|known| known.codemod.as_ref()) {
        plan.steps.push(Step {
            what: "Run the codemod and review its whole diff; commit it separately from manual changes"
                .to_owned(),
            commands: vec![with_package_runner(codemod, package_manager(project.used))],
            risk: Risk::Medium,
            source: way.known.and_then(|known| known.guide.clone()),
        });
    }
}

fn add_removal(
    entry: &Entry<'_>,
    way: &ReplacementTarget<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    add_verification(&way.to, project, plan);
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
            "Remove {}, with its settings, types and scripts, once nothing references it",
            entry.name
        ),
        risk: if commands.is_empty() { Risk::Medium } else { Risk::Low },
        commands,
        source: manifests.first().map(|(manifest, _)| manifest.path.clone()),
    });
}

/// Adds the weaknesses of the target, and its conflicts with the project.
fn add_warnings(
    entry: &Entry<'_>,
    way: &ReplacementTarget<'_>,
    knowledge: &Knowledge<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    plan.guardrails.push(format!(
        "Set a date for the removal of {}: running both costs more than either",
        entry.name
    ));
    let Some(target) = way.target else { return };
    for (_, other, why) in find_conflicts(&[target], knowledge, project.stack) {
        if other != entry.name {
            plan.guardrails.push(format!(
                "The project uses {other}, which conflicts with {}: {why}",
                target.name
            ));
        }
    }
    let weaknesses: Vec<String> = target.weaknesses().into_iter().take(MAX_WEAKNESSES).collect();
    if !weaknesses.is_empty() {
        plan.guardrails.push(format!(
            "Known weaknesses of {}: {} ({})",
            target.name,
            weaknesses.join("; "),
            target.page.path
        ));
    }
    let names: Vec<String> = target.names().map(normalize_name).collect();
    let when =
        entry.alternatives().into_iter().find(|(name, _)| names.contains(&normalize_name(name)));
    if let Some((_, when)) = when {
        plan.notes.push(format!("{} recommends {} when: {when}", entry.page.path, target.name));
    }
}
