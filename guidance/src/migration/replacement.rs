//! Plans the migration from one technology to another, based on the migration described in a
//! knowledge entry, the usual order of steps for this kind of technology, and the places in the
//! project that use it. Missing information is reported.

use super::{
    Plan, PlanParams, ProjectContext, Risk, Step, add_guardrails, add_preparation,
    add_verification, render_outdated_uses,
};
use crate::commands::{add_or_remove_command, with_package_runner};
use crate::compatibility::find_conflicts;
use crate::knowledge::{Entry, Knowledge, Migration, normalize_name};
use crate::legacy::Occurrence;
use aidd_engine::project::stack::{Manifest, Version};
use std::collections::BTreeSet;

/// Maximum number of weaknesses of the target that are listed.
const MAX_WEAKNESSES: usize = 3;
/// Maximum number of occurrences that are listed.
const MAX_PLACES: usize = 5;

/// The target of a migration.
pub(super) struct ReplacementTarget<'e> {
    /// The display name: `Vite 8`.
    to: String,
    /// The migration in a knowledge entry, if there is one.
    migration: Option<&'e Migration>,
    /// The entry on the target.
    target: Option<&'e Entry<'e>>,
}

/// The migration to another technology: the technology named by `to`, or the successor of a
/// deprecated technology. If only the entry on the target describes the migration, that description
/// is used. Without a description, the target must have an entry in the same category.
pub(super) fn find_replacement<'e>(
    entry: &'e Entry<'_>,
    to: Option<&str>,
    knowledge: &'e Knowledge<'_>,
) -> Option<ReplacementTarget<'e>> {
    let mut replacements =
        entry.migrations.iter().filter(|migration| Version::read(&migration.to).is_none());
    let entry_of = |to: &str| {
        // `Vite 8` names a technology and a version; the entry is found by `Vite`.
        let name = to.rsplit_once(' ').filter(|(_, last)| Version::read(last).is_some());
        knowledge.find(name.map_or(to, |(name, _)| name)).ok()
    };
    let Some(to) = to else {
        let migration = replacements.next().filter(|_| entry.maturity == "deprecated")?;
        return Some(ReplacementTarget {
            to: migration.to.clone(),
            migration: Some(migration),
            target: entry_of(&migration.to),
        });
    };
    if Version::read(to).is_some() {
        return None;
    }
    // Tags that registries use for versions are not names of technologies.
    const TAGS: [&str; 7] = ["next", "latest", "current", "stable", "beta", "canary", "rc"];
    if TAGS.contains(&to.trim()) {
        return None;
    }
    let target = entry_of(to).filter(|target| target.stem() != entry.stem());
    let names = |entry: Option<&Entry<'_>>| -> Vec<String> {
        entry.into_iter().flat_map(Entry::names).map(normalize_name).collect()
    };
    let (target_names, entry_names) = (names(target), names(Some(entry)));
    let is_requested = |name: &str| {
        let name = normalize_name(name);
        let without_version = name.trim_end_matches(|c: char| c.is_ascii_digit());
        name.starts_with(&normalize_name(to))
            || target_names.iter().any(|target_name| target_name == without_version)
    };
    let own_migration = replacements.find(|migration| is_requested(&migration.to));
    let migration_of_target = || {
        let rows = target.into_iter().flat_map(|target| &target.migrations);
        rows.into_iter().find(|migration| entry_names.contains(&normalize_name(&migration.from)))
    };
    match (own_migration, target) {
        (Some(migration), _) => Some(ReplacementTarget {
            to: migration.to.clone(),
            migration: Some(migration),
            target: target.or_else(|| entry_of(&migration.to)),
        }),
        // Without a described migration, only a technology of the same category is a valid target.
        (None, Some(target))
            if target.category == entry.category || migration_of_target().is_some() =>
        {
            Some(ReplacementTarget {
                to: target.name.to_owned(),
                migration: migration_of_target(),
                target: Some(target),
            })
        }
        (None, _) => None,
    }
}

/// Adds the steps of the migration to another technology.
pub(super) fn add_replacement_steps(
    entry: &Entry<'_>,
    replacement: &ReplacementTarget<'_>,
    from: Option<&Version>,
    params: PlanParams<'_>,
    knowledge: &Knowledge<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    plan.from = from.map_or(entry.name.to_owned(), |from| format!("{} {from}", entry.name));
    plan.to.clone_from(&replacement.to);
    plan.hops = vec![plan.from.clone(), plan.to.clone()];
    add_preparation(entry, from, &[], project, plan);
    add_inventory(entry, params.uses, plan);
    add_guide(entry, replacement, plan);
    for (what, risk) in typical_steps(entry, replacement) {
        plan.steps.push(Step { what, commands: Vec::new(), risk, source: None });
    }
    add_installation(entry, replacement, project, plan);
    let guide = replacement.migration.and_then(|migration| migration.guide.clone());
    for change in replacement.migration.iter().flat_map(|migration| &migration.breaking) {
        plan.steps.push(Step {
            what: format!(
                "Check whether this change affects the project, and adapt the code: {change}"
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: guide.clone(),
        });
    }
    let outdated_uses: Vec<&Occurrence> = params.outdated_uses.iter().collect();
    if !outdated_uses.is_empty() {
        plan.steps.push(Step {
            what: format!(
                "Do not carry over these outdated API uses: {}",
                render_outdated_uses(&outdated_uses)
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{}, legacy", entry.page.path)),
        });
    }
    add_removal(entry, replacement, project, plan);
    if is_store(entry) {
        plan.guardrails.push(format!(
            "A revert does not restore data: keep {} complete and readable until the rollback from {} has been tested",
            entry.name, replacement.to
        ));
    } else {
        add_guardrails(entry, project, plan);
    }
    add_warnings(entry, replacement, knowledge, project, plan);
}

/// Adds a step that lists the occurrences of the old technology in the project.
fn add_inventory(entry: &Entry<'_>, uses: &[Occurrence], plan: &mut Plan) {
    if uses.is_empty() {
        return;
    }
    let files: BTreeSet<&str> = uses.iter().map(|occurrence| &*occurrence.path).collect();
    let listed: Vec<String> = uses
        .iter()
        .take(MAX_PLACES)
        .map(|occurrence| format!("{}:{}", occurrence.path, occurrence.line))
        .collect();
    let more = uses.len().saturating_sub(MAX_PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    plan.steps.push(Step {
        what: format!(
            "List the places that use {}, those with the most uses first: {} uses in {} files ({}{more})",
            entry.name,
            uses.len(),
            files.len(),
            listed.join(", ")
        ),
        commands: Vec::new(),
        risk: Risk::Low,
        source: None,
    });
}

fn add_guide(entry: &Entry<'_>, replacement: &ReplacementTarget<'_>, plan: &mut Plan) {
    let guide = replacement.migration.and_then(|migration| migration.guide.clone());
    let reference = replacement.target.and_then(Entry::reference);
    let what = match (&guide, replacement.migration.is_some()) {
        (Some(_), _) if entry.maturity == "deprecated" => {
            format!("{} is deprecated: read how to migrate to {}", entry.name, replacement.to)
        }
        (Some(_), _) => {
            format!(
                "Read how {} does what {} does, and note what affects this project",
                replacement.to, entry.name
            )
        }
        _ => {
            format!(
                "Read what {} offers for each use of {} in this project",
                replacement.to, entry.name
            )
        }
    };
    let source = guide.or_else(|| reference.map(str::to_owned));
    plan.steps.push(Step { what, commands: Vec::new(), risk: Risk::Low, source });
    if replacement.migration.is_none() {
        plan.notes.push(format!(
            "no entry describes the breaking changes from {} to {}, so the steps are generic; add what you find \
             under `migrations` of {}",
            entry.name, replacement.to, entry.page.path
        ));
    }
    if replacement.migration.is_none_or(|migration| migration.codemod.is_none()) {
        plan.notes.push(format!("no codemod from {} to {} is known", entry.name, replacement.to));
    }
}

/// Whether the technology stores data. The category `data` also contains the client libraries of a
/// store.
fn is_store(entry: &Entry<'_>) -> bool {
    entry.category == "data" && entry.packages.iter().all(|(word, _)| *word == "oci")
}

/// The steps and risks typical for a kind of technology.
fn typical_steps(entry: &Entry<'_>, replacement: &ReplacementTarget<'_>) -> Vec<(String, Risk)> {
    let (old, new) = (entry.name, &replacement.to);
    let is_store = is_store(entry);
    let is_interface = ["rest", "graphql", "grpc", "trpc"].contains(&entry.stem());
    match entry.category {
        _ if is_store => vec![
            (format!("List what {old} actually contains, not what the code expects: each shape, its count, its anomalies"), Risk::Low),
            (format!("Write the schema of {new} from that list, with a rule for each value that does not fit"), Risk::High),
            (format!("Copy into {new} in idempotent batches; count rejected records"), Risk::High),
            (format!("Write to both; {old} stays the source of truth, and a failed second write raises an alert, not a user-facing error"), Risk::High),
            ("Compare counts and checksums daily until they stay equal; fix the copy, not the comparison".to_owned(), Risk::Medium),
            (format!("Read from {new} behind a feature flag, starting with a small share; keep the flag until the old store is removed"), Risk::High),
        ],
        _ if is_interface => vec![
            (format!("Write the contract in {new} first, from the calls that consumers actually make"), Risk::Medium),
            (format!("Serve {old} and {new} from the same domain functions, so that neither contains business logic"), Risk::Medium),
            ("Move one consumer; before you move the next, compare its errors and latency with those of the others".to_owned(), Risk::High),
            (format!("Count the calls that {old} still gets, by consumer; announce the removal date to the remaining consumers in writing"), Risk::Medium),
        ],
        "testing" => vec![
            (format!("Run {old} and {new} side by side in CI; each file belongs to one of them"), Risk::Low),
            ("Compare, before and after the move, how many tests run in each file and which are skipped: a test that is not found does not fail".to_owned(), Risk::High),
        ],
        "tooling" => vec![
            (format!("Run {new} next to {old} in CI without acting on its results yet"), Risk::Low),
            ("Compare what both produce (files, sizes, versions, exit codes) until each difference is explained".to_owned(), Risk::Medium),
        ],
        "infrastructure" => vec![
            (format!("Set up {new} next to {old} with a copy of the load; nothing depends on it yet"), Risk::Medium),
            ("Move one environment at a time, the least critical first, and keep a rollback possible for a week after each move".to_owned(), Risk::High),
        ],
        "backend" | "frontend" => vec![
            (format!("Define the boundary first: code that does not use {old} before the migration must not use {new} after it"), Risk::Low),
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
    let packages = target.packages.iter().filter(|(ecosystem, _)| *ecosystem == word);
    packages.map(|(_, name)| *name).take(1).collect()
}

fn add_installation(
    entry: &Entry<'_>,
    replacement: &ReplacementTarget<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    let used = project.used.first().map(|(manifest, _)| *manifest);
    let mut commands = Vec::new();
    if let Some((target, manifest)) = replacement.target.zip(used) {
        let names = packages(target, manifest);
        if !names.is_empty() {
            commands.push(add_or_remove_command(manifest, &names, true, project.commands));
        }
    }
    if !commands.is_empty()
        || replacement.migration.is_some_and(|migration| migration.codemod.is_none())
    {
        plan.steps.push(Step {
            what: format!("Add {} alongside {}", replacement.to, entry.name),
            commands,
            risk: Risk::Medium,
            source: used.map(|manifest| manifest.path.clone()),
        });
    }
    if let Some(codemod) = replacement.migration.and_then(|migration| migration.codemod.as_ref()) {
        plan.steps.push(Step {
            what: "Run the codemod and review its whole diff; commit it separately from manual changes"
                .to_owned(),
            commands: vec![with_package_runner(codemod, project.used)],
            risk: Risk::Medium,
            source: replacement.migration.and_then(|migration| migration.guide.clone()),
        });
    }
}

fn add_removal(
    entry: &Entry<'_>,
    replacement: &ReplacementTarget<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    add_verification(&replacement.to, project, plan);
    let mut manifests: Vec<(&Manifest, Vec<&str>)> = Vec::new();
    for &(manifest, dependency) in project.used {
        match manifests.iter_mut().find(|(other, _)| other.path == manifest.path) {
            Some((_, names)) => names.push(&dependency.name),
            None => manifests.push((manifest, vec![&dependency.name])),
        }
    }
    let commands = manifests
        .iter()
        .map(|(manifest, names)| add_or_remove_command(manifest, names, false, project.commands));
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
    replacement: &ReplacementTarget<'_>,
    knowledge: &Knowledge<'_>,
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    plan.guardrails.push(format!(
        "Set a date for the removal of {}: running both costs more than either",
        entry.name
    ));
    let Some(target) = replacement.target else { return };
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
