//! Plans the migration of a technology to another version: ordered steps derived from its entry,
//! the manifests and the project's package manager. Missing information in the entry becomes an
//! explicit step and a note.

mod error;
mod guardrails;
mod replacement;
mod risk;
#[cfg(test)]
mod tests;

pub use error::MigrationError;
use guardrails::add_guardrails;
pub use risk::Risk;

use super::commands::{ProjectChecks, project_checks, set_version_command, with_package_runner};
use super::compatibility::package_ecosystem;
use super::instructions::CommandRules;
use super::knowledge::{Entry, Knowledge, Migration, normalize_name};
use super::legacy::Occurrence;
use aidd_engine::project::stack::{Dependency, Ecosystem, Manifest, Pin, Stack, Version};
use serde::Serialize;
use std::collections::BTreeSet;

/// Maximum number of hops in a plan. A hop is the migration from one version to a later version.
const MAX_HOPS: usize = 12;

/// A step of a migration plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The instruction.
    pub what: String,
    /// Commands that carry out the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The risk of the step.
    pub risk: Risk,
    /// The source of the step: a URL, an entry or a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A migration plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The version to migrate from, with the technology's name if the target is another technology.
    pub from: String,
    /// The version or technology to migrate to.
    pub to: String,
    /// All versions on the path, including both ends.
    pub hops: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Conditions that apply throughout the migration.
    pub guardrails: Vec<String>,
    /// Gaps in the plan, and differences from the request.
    pub notes: Vec<String>,
}

/// The parameters of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanParams<'p> {
    /// The version to migrate from; `None` for the version that the project uses.
    pub from: Option<&'p str>,
    /// The version or technology to migrate to; `None` for the version that the entry describes.
    pub to: Option<&'p str>,
    /// The outdated API uses found in the project's code.
    pub outdated_uses: &'p [Occurrence],
    /// The occurrences of the technology in the project's code.
    pub uses: &'p [Occurrence],
    /// The commands that the project's instructions name and forbid.
    pub commands: Option<&'p CommandRules>,
}

/// The parts of the project that a plan depends on.
#[derive(Clone, Copy)]
struct ProjectContext<'s> {
    stack: &'s Stack,
    /// The packages of the technology, and the manifests that name them.
    used: &'s [(&'s Manifest, &'s Dependency)],
    /// The ecosystems whose checks verify the migration.
    ecosystems: &'s BTreeSet<Ecosystem>,
    commands: &'s CommandRules,
}

impl ProjectContext<'_> {
    fn checks(&self) -> ProjectChecks {
        project_checks(self.ecosystems, self.stack, self.commands)
    }
}

/// Plans the migration of the technology of `entry`.
///
/// # Errors
/// Fails when a version is missing or malformed, or the target is not newer. Errors state a remedy.
pub fn plan(
    entry: &Entry<'_>,
    params: PlanParams<'_>,
    knowledge: &Knowledge<'_>,
    stack: &Stack,
) -> Result<Plan, MigrationError> {
    let mut plan = Plan::default();
    let current = entry.version_in(stack);
    let used = entry.used_in(stack);
    let ecosystems = ecosystems(entry, &used);
    let none = CommandRules::default();
    let commands = params.commands.unwrap_or(&none);
    let project = ProjectContext { stack, used: &used, ecosystems: &ecosystems, commands };
    if let Some(target) = replacement::find_replacement(entry, params.to, knowledge) {
        // A migration to another technology does not require the current version.
        let from = match params.from {
            Some(_) => Some(resolve_start(entry, params.from, current.as_ref(), &mut plan.notes)?),
            None => current.map(|(version, _)| version),
        };
        replacement::add_replacement_steps(
            entry,
            &target,
            from.as_ref(),
            params,
            knowledge,
            project,
            &mut plan,
        );
        return Ok(plan);
    }
    let from = resolve_start(entry, params.from, current.as_ref(), &mut plan.notes)?;
    let to = resolve_target(entry, params.to)?;
    if to < from && !from.is_in_series(&to) {
        return Err(MigrationError::Backwards { from, to });
    }
    if from.is_in_series(&to) {
        let technology = entry.name.to_owned();
        return Err(MigrationError::AlreadyMigrated { technology, from, to });
    }
    (plan.from, plan.to) = (from.to_string(), to.to_string());
    add_preparation(entry, Some(&from), params.outdated_uses, project, &mut plan);
    for hop in route(entry, &from, &to) {
        plan.hops.push(hop.from.clone());
        add_hop_steps(entry, &hop, params.outdated_uses, project, &mut plan);
    }
    plan.hops.push(plan.to.clone());
    add_guardrails(entry, project, &mut plan);
    if used.is_empty() && pins(entry, stack).is_empty() {
        let names: Vec<&str> = entry.packages.iter().map(|(_, name)| *name).collect();
        let note = if names.is_empty() {
            format!(
                "{} is not a package: set the version where it is installed or deployed",
                entry.name
            )
        } else {
            format!("no manifest names {}: commands are omitted", names.join(", "))
        };
        plan.notes.push(note);
    }
    if let Some(described) = entry.version.and_then(Version::read).filter(|last| *last < to) {
        plan.notes.push(format!(
            "the entry covers up to {described} (reviewed {}), not {to}",
            entry.updated
        ));
    }
    Ok(plan)
}

fn resolve_start(
    entry: &Entry<'_>,
    requested: Option<&str>,
    current: Option<&(Version, String)>,
    notes: &mut Vec<String>,
) -> Result<Version, MigrationError> {
    let Some(requested) = requested else {
        let current = current.map(|(version, _)| version.clone());
        return current.ok_or_else(|| MigrationError::MissingStart(entry.name.to_owned()));
    };
    let version = Version::read(requested)
        .ok_or_else(|| MigrationError::InvalidStart(requested.to_owned()))?;
    if let Some((used, path)) = current.filter(|(used, _)| !used.is_in_series(&version)) {
        notes.push(format!(
            "{path} has {used}, not {version}; the plan starts at {version} as requested"
        ));
    }
    Ok(version)
}

fn resolve_target(entry: &Entry<'_>, requested: Option<&str>) -> Result<Version, MigrationError> {
    match requested {
        Some(requested) => Version::read(requested).ok_or_else(|| MigrationError::UnknownTarget {
            given: requested.to_owned(),
            technology: entry.name.to_owned(),
            targets: entry.migrations.iter().map(|migration| migration.to.to_string()).collect(),
        }),
        None => entry
            .version
            .and_then(Version::read)
            .ok_or_else(|| MigrationError::MissingTarget(entry.name.to_owned())),
    }
}

/// The ecosystems whose checks verify a migration: the ecosystems of the manifests that name the
/// technology, otherwise the ecosystems in which it is published.
fn ecosystems(entry: &Entry<'_>, used: &[(&Manifest, &Dependency)]) -> BTreeSet<Ecosystem> {
    let used: BTreeSet<Ecosystem> = used.iter().map(|(manifest, _)| manifest.ecosystem).collect();
    if !used.is_empty() {
        return used;
    }
    let package_ecosystems = entry.packages.iter().map(|(word, _)| *word);
    let published = package_ecosystems.chain(package_ecosystem(entry));
    published.filter_map(Ecosystem::from_word).collect()
}

/// The files that pin the version of a runtime.
fn pins<'s>(entry: &Entry<'_>, stack: &'s Stack) -> Vec<&'s Pin> {
    let names: BTreeSet<String> = entry.names().map(normalize_name).collect();
    stack.pins.iter().filter(|pin| names.contains(&normalize_name(&pin.name))).collect()
}

/// One hop between versions, with the entry's migration if the entry describes one.
struct Hop<'e> {
    from: String,
    to: String,
    migration: Option<&'e Migration>,
}

/// The hops between two versions. If several migrations start at a version, the longest is used.
fn route<'e>(entry: &'e Entry<'_>, from: &Version, to: &Version) -> Vec<Hop<'e>> {
    let read = |m: &'e Migration| Some((Version::read(&m.from)?, Version::read(&m.to)?, m));
    let migrations: Vec<(Version, Version, &Migration)> =
        entry.migrations.iter().filter_map(read).collect();
    let in_range = |end: &Version| end <= to || to.is_in_series(end);
    let mut hops = Vec::new();
    let mut current = from.clone();
    while hops.len() < MAX_HOPS && current < *to && !current.is_in_series(to) {
        let starts = migrations
            .iter()
            .filter(|(from, end, _)| *from <= current && *end > current && in_range(end));
        let longest = starts.max_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        let (next, migration) = match longest {
            Some((_, end, migration)) => (end.clone(), Some(*migration)),
            None => {
                let later =
                    migrations.iter().filter(|(from, end, _)| *from > current && in_range(end));
                let next = later.map(|(from, ..)| from).min();
                (next.unwrap_or(to).clone(), None)
            }
        };
        hops.push(Hop { from: current.to_string(), to: next.to_string(), migration });
        current = next;
    }
    hops
}

/// Adds the preparation: a clean branch with recorded check results, and the removal of API uses
/// that are already outdated in the current version.
fn add_preparation(
    entry: &Entry<'_>,
    from: Option<&Version>,
    outdated_uses: &[Occurrence],
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    let checks = project.checks();
    let manifest = project.used.first().map(|(manifest, _)| manifest.path.clone());
    plan.steps.push(Step {
        what: "Create a branch from a clean work tree; run the checks and record their output"
            .to_owned(),
        commands: checks.commands,
        risk: Risk::Low,
        source: checks.path.or(manifest),
    });
    let Some(from) = from else { return };
    let is_outdated =
        |usage: &&Occurrence| Version::read(&usage.since).is_some_and(|since| since <= *from);
    let uses: Vec<&Occurrence> = outdated_uses.iter().filter(is_outdated).collect();
    if !uses.is_empty() {
        plan.steps.push(Step {
            what: format!(
                "First replace the API uses that are already outdated in {from}, in a separate commit: {}",
                render_outdated_uses(&uses)
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{}, legacy", entry.page.path)),
        });
    }
}

/// Adds the steps of one hop.
fn add_hop_steps(
    entry: &Entry<'_>,
    hop: &Hop<'_>,
    outdated_uses: &[Occurrence],
    project: ProjectContext<'_>,
    plan: &mut Plan,
) {
    let (name, from, to) = (entry.name, &hop.from, &hop.to);
    let page = entry.page.path.clone();
    let Some(migration) = hop.migration else {
        plan.steps.push(Step {
            what: format!(
                "{from} to {to}: the entry does not describe the breaking changes; read the release notes of every \
                 major version in between and add them here"
            ),
            commands: Vec::new(),
            risk: Risk::High,
            source: Some(page),
        });
        plan.notes.push(format!("the breaking changes of {name} {from} to {to} are unknown"));
        add_version_step(entry, to, project, plan, Risk::High);
        add_verification(to, project, plan);
        return;
    };
    if let Some(guide) = &migration.guide {
        plan.steps.push(Step {
            what: format!("{from} to {to}: read the guide and note what affects this project"),
            commands: Vec::new(),
            risk: Risk::Low,
            source: Some(guide.clone()),
        });
    }
    for change in &migration.breaking {
        plan.steps.push(Step {
            what: format!(
                "Check whether this change affects the project, and adapt the code: {change}"
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: migration.guide.clone().or_else(|| Some(page.clone())),
        });
    }
    let risk = if migration.breaking.len() > 2 { Risk::High } else { Risk::Medium };
    add_version_step(entry, to, project, plan, risk);
    if let Some(codemod) = &migration.codemod {
        plan.steps.push(Step {
            what: "Run the codemod and review its whole diff; commit it separately from manual changes"
                .to_owned(),
            commands: vec![with_package_runner(codemod, project.used)],
            risk: Risk::Medium,
            source: migration.guide.clone(),
        });
    }
    let is_replaced_by_hop = |usage: &&Occurrence| {
        Version::read(&usage.since).is_some_and(|since| {
            Version::read(from).is_none_or(|from| since > from)
                && Version::read(to).is_none_or(|to| since <= to || to.is_in_series(&since))
        })
    };
    let uses: Vec<&Occurrence> = outdated_uses.iter().filter(is_replaced_by_hop).collect();
    if !uses.is_empty() {
        plan.steps.push(Step {
            what: format!(
                "Replace the uses of APIs that are outdated in {to}: {}",
                render_outdated_uses(&uses)
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{page}, legacy")),
        });
    }
    add_verification(to, project, plan);
}

/// A list of outdated API uses with their replacements and locations.
fn render_outdated_uses(uses: &[&Occurrence]) -> String {
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for usage in uses {
        if !seen.insert(&usage.pattern) {
            continue;
        }
        let places: Vec<String> = uses
            .iter()
            .filter(|occurrence| occurrence.pattern == usage.pattern)
            .map(|occurrence| format!("{}:{}", occurrence.path, occurrence.line))
            .collect();
        let more = places.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let places = places[..places.len().min(3)].join(", ");
        parts.push(format!("`{}` with {} ({places}{more})", usage.pattern, usage.instead));
    }
    parts.join("; ")
}

/// Adds the step that sets the version in every manifest or pin file of the technology.
fn add_version_step(
    entry: &Entry<'_>,
    to: &str,
    project: ProjectContext<'_>,
    plan: &mut Plan,
    risk: Risk,
) {
    let used = project.used;
    if used.is_empty() {
        let pins = pins(entry, project.stack);
        let places: Vec<String> =
            pins.iter().map(|pin| format!("{} ({})", pin.path, pin.version)).collect();
        if let Some(first) = pins.first() {
            plan.steps.push(Step {
                what: format!(
                    "Set {to} in {}, and in every image or pipeline that names the version",
                    places.join(", ")
                ),
                commands: Vec::new(),
                risk,
                source: Some(first.path.clone()),
            });
        }
        return;
    }
    let mut manifests: Vec<(&Manifest, Vec<&str>)> = Vec::new();
    for &(manifest, dependency) in used {
        match manifests.iter_mut().find(|(other, _)| other.path == manifest.path) {
            Some((_, names)) => names.push(&dependency.name),
            None => manifests.push((manifest, vec![&dependency.name])),
        }
    }
    let set_version = |(file, names): &(&Manifest, Vec<&str>)| {
        set_version_command(file, names, to, project.commands)
    };
    let commands = manifests.iter().map(set_version).collect();
    let paths: Vec<&str> = manifests.iter().map(|(manifest, _)| &*manifest.path).collect();
    let has_lock = |(manifest, _): &(&Manifest, Vec<&str>)| manifest.lock.is_some();
    let lock =
        if manifests.iter().any(has_lock) { " and commit the lock file with it" } else { "" };
    let shown = paths.len().min(3);
    let more = match paths.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    plan.steps.push(Step {
        what: format!("Set {to} in {}{more}{lock}", paths[..shown].join(", ")),
        commands,
        risk,
        source: paths.first().map(|path| (*path).to_owned()),
    });
}

fn add_verification(to: &str, project: ProjectContext<'_>, plan: &mut Plan) {
    let commands = project.checks().commands;
    if commands.is_empty() && !plan.notes.iter().any(|note| note.contains("no check")) {
        plan.notes
            .push("no checks found in the manifests: define one before the first step".to_owned());
    }
    plan.steps.push(Step {
        what: format!("After the step to {to}: run the checks, compare the output with the recorded output, review deprecation warnings, and commit"),
        commands,
        risk: Risk::Medium,
        source: None,
    });
}
