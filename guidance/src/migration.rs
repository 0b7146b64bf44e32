//! A plan to move a technology to another version: ordered steps from what its entry knows, what the
//! manifests say and which package manager the project has. What the entry does not know is a step
//! of its own, and said.

mod error;
mod leave;
#[cfg(test)]
mod tests;

pub use error::MigrationError;

use super::commands::{checks, manager, run_by, set_version};
use super::compatibility::language;
use super::knowledge::{Entry, Knowledge, Migration, plain};
use super::legacy::OldForm;
use aidd_engine::project::stack::{Dependency, Ecosystem, Manifest, Pin, Stack, Version};
use serde::Serialize;
use std::collections::BTreeSet;

/// Most hops of one plan.
const HOPS: usize = 12;

/// How likely a step goes wrong, and what it costs then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Undone at once.
    Low,
    /// Needs the tests.
    Medium,
    /// Needs a person's eye.
    High,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What to do.
    pub what: String,
    /// Commands for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// How likely it goes wrong.
    pub risk: Risk,
    /// Where it comes from: an address, an entry, a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// From which version.
    pub from: String,
    /// To which.
    pub to: String,
    /// The versions on the way, both ends among them.
    pub hops: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What must hold all along.
    pub guardrails: Vec<String>,
    /// What the plan does not know, or what differs from what was asked.
    pub notes: Vec<String>,
}

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'p> {
    /// From which version; `None`: as the project has it.
    pub from: Option<&'p str>,
    /// To which; `None`: the one that the entry describes.
    pub to: Option<&'p str>,
    /// The old forms in the project's code.
    pub old_forms: &'p [OldForm],
    /// Where the project's code names the technology.
    pub uses: &'p [OldForm],
}

/// What of the project a plan speaks of.
#[derive(Clone, Copy)]
struct Project<'s> {
    stack: &'s Stack,
    /// The packages of the technology, and who names them.
    used: &'s [(&'s Manifest, &'s Dependency)],
    /// Whose checks tell whether it works.
    ecosystems: &'s BTreeSet<Ecosystem>,
}

/// Plans the move of the technology of `entry`.
///
/// # Errors
/// When a version is missing or no version, or the target is not the later one: what to do instead.
pub fn plan(
    entry: &Entry<'_>,
    asked: Asked<'_>,
    knowledge: &Knowledge<'_>,
    stack: &Stack,
) -> Result<Plan, MigrationError> {
    let mut plan = Plan::default();
    let here = entry.version_in(stack);
    let used = entry.used_in(stack);
    let ecosystems = ecosystems(entry, &used);
    let project = Project { stack, used: &used, ecosystems: &ecosystems };
    if let Some(way) = leave::way(entry, asked.to, knowledge) {
        // Whoever leaves a technology need not know which version of it there is.
        let from = match asked.from {
            Some(_) => Some(starting(entry, asked.from, here.as_ref(), &mut plan.notes)?),
            None => here.map(|(version, _)| version),
        };
        leave::plan(entry, &way, from.as_ref(), asked, knowledge, project, &mut plan);
        return Ok(plan);
    }
    let from = starting(entry, asked.from, here.as_ref(), &mut plan.notes)?;
    let to = target(entry, asked.to)?;
    if to < from && !from.is_of(&to) {
        return Err(MigrationError::Backwards { from, to });
    }
    if from.is_of(&to) {
        let technology = entry.name.to_owned();
        return Err(MigrationError::Done { technology, from, to });
    }
    (plan.from, plan.to) = (from.to_string(), to.to_string());
    prepare(entry, Some(&from), asked.old_forms, project, &mut plan);
    for hop in route(entry, &from, &to) {
        plan.hops.push(hop.from.clone());
        walk(entry, &hop, asked.old_forms, project, &mut plan);
    }
    plan.hops.push(plan.to.clone());
    guard(entry, project, &mut plan);
    if used.is_empty() && pins(entry, stack).is_empty() {
        let names: Vec<&str> = entry.packages.iter().map(|(_, name)| *name).collect();
        let said = if names.is_empty() {
            format!(
                "{} is no package: the version is set where it is installed or deployed",
                entry.name
            )
        } else {
            format!("no manifest names {}: commands are left out", names.join(", "))
        };
        plan.notes.push(said);
    }
    if let Some(described) = entry.version.and_then(Version::read).filter(|known| *known < to) {
        plan.notes.push(format!(
            "the entry describes up to {described} (reviewed {}); what {to} brings is not in it",
            entry.updated
        ));
    }
    Ok(plan)
}

fn starting(
    entry: &Entry<'_>,
    given: Option<&str>,
    here: Option<&(Version, String)>,
    notes: &mut Vec<String>,
) -> Result<Version, MigrationError> {
    let Some(given) = given else {
        let here = here.map(|(version, _)| version.clone());
        return here.ok_or_else(|| MigrationError::NoStart(entry.name.to_owned()));
    };
    let version = Version::read(given).ok_or_else(|| MigrationError::Start(given.to_owned()))?;
    if let Some((own, place)) = here.filter(|(own, _)| !own.is_of(&version)) {
        notes.push(format!(
            "{place} has {own}, not {version}; the plan begins at {version} as asked"
        ));
    }
    Ok(version)
}

fn target(entry: &Entry<'_>, given: Option<&str>) -> Result<Version, MigrationError> {
    match given {
        Some(given) => Version::read(given).ok_or_else(|| MigrationError::Target {
            given: given.to_owned(),
            technology: entry.name.to_owned(),
            ways: entry.migrations.iter().map(|it| it.to.to_string()).collect(),
        }),
        None => entry
            .version
            .and_then(Version::read)
            .ok_or_else(|| MigrationError::NoTarget(entry.name.to_owned())),
    }
}

/// Whose checks tell whether a technology works: those of who names it, else of who could.
fn ecosystems(entry: &Entry<'_>, used: &[(&Manifest, &Dependency)]) -> BTreeSet<Ecosystem> {
    let found: BTreeSet<Ecosystem> = used.iter().map(|(manifest, _)| manifest.ecosystem).collect();
    if !found.is_empty() {
        return found;
    }
    let of_packages = entry.packages.iter().map(|(word, _)| *word);
    let words = of_packages.chain(language(entry));
    words.filter_map(Ecosystem::from_word).collect()
}

/// The files that pin a runtime.
fn pins<'s>(entry: &Entry<'_>, stack: &'s Stack) -> Vec<&'s Pin> {
    let names: BTreeSet<String> = entry.names().map(plain).collect();
    stack.pins.iter().filter(|pin| names.contains(&plain(&pin.name))).collect()
}

/// From one version to the next: what the entry knows of it, or that it knows nothing.
struct Hop<'e> {
    from: String,
    to: String,
    known: Option<&'e Migration>,
}

/// The hops from one version to another. Of several that begin where one is, the longest.
fn route<'e>(entry: &'e Entry<'_>, from: &Version, to: &Version) -> Vec<Hop<'e>> {
    let read = |it: &'e Migration| Some((Version::read(&it.from)?, Version::read(&it.to)?, it));
    let known: Vec<(Version, Version, &Migration)> =
        entry.migrations.iter().filter_map(read).collect();
    let within = |end: &Version| end <= to || to.is_of(end);
    let mut hops = Vec::new();
    let mut at = from.clone();
    while hops.len() < HOPS && at < *to && !at.is_of(to) {
        let starts = known.iter().filter(|(from, end, _)| *from <= at && *end > at && within(end));
        let longest = starts.max_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        let (next, known) = match longest {
            Some((_, end, known)) => (end.clone(), Some(*known)),
            None => {
                let later = known.iter().filter(|(from, end, _)| *from > at && within(end));
                let next = later.map(|(from, ..)| from).min();
                (next.unwrap_or(to).clone(), None)
            }
        };
        hops.push(Hop { from: at.to_string(), to: next.to_string(), known });
        at = next;
    }
    hops
}

/// Everything green and written down, and old forms gone that the present version replaced.
fn prepare(
    entry: &Entry<'_>,
    from: Option<&Version>,
    old_forms: &[OldForm],
    project: Project<'_>,
    plan: &mut Plan,
) {
    plan.steps.push(Step {
        what: "Begin on a branch of its own with a clean work tree; run the checks and keep what they say"
            .to_owned(),
        commands: checks(project.ecosystems, project.stack),
        risk: Risk::Low,
        source: project.used.first().map(|(manifest, _)| manifest.path.clone()),
    });
    let Some(from) = from else { return };
    let past = |form: &&OldForm| Version::read(&form.since).is_some_and(|since| since <= *from);
    let forms: Vec<&OldForm> = old_forms.iter().filter(past).collect();
    if !forms.is_empty() {
        plan.steps.push(Step {
            what: format!(
                "Replace first what {from} has replaced already, in a commit of its own: {}",
                shown(&forms)
            ),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{}, legacy", entry.page.path)),
        });
    }
}

/// One hop.
fn walk(
    entry: &Entry<'_>,
    hop: &Hop<'_>,
    old_forms: &[OldForm],
    project: Project<'_>,
    plan: &mut Plan,
) {
    let (name, from, to) = (entry.name, &hop.from, &hop.to);
    let page = entry.page.path.clone();
    let Some(known) = hop.known else {
        plan.steps.push(Step {
            what: format!(
                "{from} to {to}: the entry knows nothing of what breaks; read the release notes of every \
                 major version between and add the breaks here"
            ),
            commands: Vec::new(),
            risk: Risk::High,
            source: Some(page),
        });
        plan.notes.push(format!("nothing is known of {name} {from} to {to}"));
        update(entry, to, project, plan, Risk::High);
        verify(to, project, plan);
        return;
    };
    if let Some(guide) = &known.guide {
        plan.steps.push(Step {
            what: format!("{from} to {to}: read the guide and mark what concerns this project"),
            commands: Vec::new(),
            risk: Risk::Low,
            source: Some(guide.clone()),
        });
    }
    for broken in &known.breaking {
        plan.steps.push(Step {
            what: format!("Find out whether it hits here, and mend it: {broken}"),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: known.guide.clone().or_else(|| Some(page.clone())),
        });
    }
    let risk = if known.breaking.len() > 2 { Risk::High } else { Risk::Medium };
    update(entry, to, project, plan, risk);
    if let Some(codemod) = &known.codemod {
        plan.steps.push(Step {
            what: "Run the codemod and read its whole diff; commit it apart from what you change by hand"
                .to_owned(),
            commands: vec![run_by(codemod, manager(project.used))],
            risk: Risk::Medium,
            source: known.guide.clone(),
        });
    }
    let between = |form: &&OldForm| {
        Version::read(&form.since).is_some_and(|since| {
            Version::read(from).is_none_or(|from| since > from)
                && Version::read(to).is_none_or(|to| since <= to || to.is_of(&since))
        })
    };
    let forms: Vec<&OldForm> = old_forms.iter().filter(between).collect();
    if !forms.is_empty() {
        plan.steps.push(Step {
            what: format!("Replace what {to} replaced: {}", shown(&forms)),
            commands: Vec::new(),
            risk: Risk::Medium,
            source: Some(format!("{page}, legacy")),
        });
    }
    verify(to, project, plan);
}

/// Old forms with their new ones and places, shortly.
fn shown(forms: &[&OldForm]) -> String {
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for form in forms {
        if !seen.insert(&form.pattern) {
            continue;
        }
        let places: Vec<String> = forms
            .iter()
            .filter(|it| it.pattern == form.pattern)
            .map(|it| format!("{}:{}", it.path, it.line))
            .collect();
        let more = places.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let places = places[..places.len().min(3)].join(", ");
        parts.push(format!("`{}` by {} ({places}{more})", form.pattern, form.instead));
    }
    parts.join("; ")
}

/// Sets the version in every manifest that names it, or that pins it.
fn update(entry: &Entry<'_>, to: &str, project: Project<'_>, plan: &mut Plan, risk: Risk) {
    let used = project.used;
    if used.is_empty() {
        let pins = pins(entry, project.stack);
        let places: Vec<String> =
            pins.iter().map(|pin| format!("{} ({})", pin.path, pin.version)).collect();
        if let Some(first) = pins.first() {
            plan.steps.push(Step {
                what: format!(
                    "Set {to} in {}, and wherever an image or a pipeline names the version",
                    places.join(", ")
                ),
                commands: Vec::new(),
                risk,
                source: Some(first.path.clone()),
            });
        }
        return;
    }
    let mut folders: Vec<(&Manifest, Vec<&str>)> = Vec::new();
    for &(manifest, dependency) in used {
        match folders.iter_mut().find(|(known, _)| known.path == manifest.path) {
            Some((_, names)) => names.push(&dependency.name),
            None => folders.push((manifest, vec![&dependency.name])),
        }
    }
    let commands =
        folders.iter().map(|(manifest, names)| set_version(manifest, names, to)).collect();
    let paths: Vec<&str> = folders.iter().map(|(manifest, _)| &*manifest.path).collect();
    // A build by Maven or Gradle keeps no lock file unless it was told to.
    let has_lock = |(manifest, _): &(&Manifest, Vec<&str>)| {
        manifest.ecosystem != Ecosystem::Maven || manifest.lock.is_some()
    };
    let lock = if folders.iter().any(has_lock) { " and commit the lock file with it" } else { "" };
    plan.steps.push(Step {
        what: format!("Set {to} in {}{lock}", paths.join(", ")),
        commands,
        risk,
        source: paths.first().map(|path| (*path).to_owned()),
    });
}

fn verify(to: &str, project: Project<'_>, plan: &mut Plan) {
    let commands = checks(project.ecosystems, project.stack);
    if commands.is_empty() && !plan.notes.iter().any(|note| note.contains("no check")) {
        plan.notes
            .push("no check was found in the manifests: name one before the first step".to_owned());
    }
    plan.steps.push(Step {
        what: format!("At {to}: run the checks, compare with what they said before, look at warnings of old forms, and commit"),
        commands,
        risk: Risk::Medium,
        source: None,
    });
}

/// What must hold all along.
fn guard(entry: &Entry<'_>, project: Project<'_>, plan: &mut Plan) {
    let Project { stack, used, .. } = project;
    if plan.hops.len() > 2 {
        plan.guardrails.push(format!(
            "One hop at a time ({}), each merged and running before the next",
            plan.hops.join(", ")
        ));
    }
    let install = match manager(used) {
        "pnpm" => Some("pnpm install --frozen-lockfile"),
        "yarn" => Some("yarn install --immutable"),
        "bun" => Some("bun install --frozen-lockfile"),
        "npm" => Some("npm ci"),
        "uv" => Some("uv sync --locked"),
        "poetry" => Some("poetry sync"),
        "cargo" => Some("cargo build --locked"),
        "bundler" => Some("bundle install --deployment"),
        "composer" => Some("composer install"),
        _ => None,
    };
    let lock = used.iter().find_map(|(manifest, _)| manifest.lock.clone());
    match (install, lock) {
        (Some(install), Some(lock)) => plan.guardrails.push(format!(
            "The way back is the commit before: revert, then `{install}` restores {lock}; try it once before the first hop"
        )),
        _ => plan.guardrails.push(
            "The way back is the commit before, with the versions of that day; without a lock file write \
             them down first"
                .to_owned(),
        ),
    }
    let scope = |name: &str| name.split_once('/').map(|(scope, _)| scope.to_owned());
    let own: BTreeSet<String> = entry
        .packages
        .iter()
        .filter_map(|(_, name)| {
            scope(name).filter(|it| it.starts_with('@')).or_else(|| Some(format!("@{name}")))
        })
        .collect();
    let siblings: BTreeSet<&str> = stack
        .dependencies()
        .filter(|(_, it)| scope(&it.name).is_some_and(|scope| own.contains(&scope)))
        .map(|(_, it)| &*it.name)
        .filter(|name| !entry.packages.iter().any(|(_, own)| own == name))
        .collect();
    if !siblings.is_empty() {
        let names = siblings.into_iter().collect::<Vec<_>>().join(", ");
        plan.guardrails.push(format!("Of the same maker, to be moved in the same commit: {names}"));
    }
    let partners: Vec<&str> = entry.works_with.iter().copied().take(12).collect();
    let names: Vec<&str> = stack
        .dependencies()
        .filter(|(_, it)| partners.contains(&&*it.name))
        .map(|(_, it)| &*it.name)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    if !names.is_empty() {
        plan.guardrails
            .push(format!("See that these support each version on the way: {}", names.join(", ")));
    }
}
