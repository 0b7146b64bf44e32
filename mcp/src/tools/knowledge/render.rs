//! Short texts for verified versions and migration plans, grouped by workspace.

use aidd_guidance::knowledge::Entry;
use aidd_guidance::migration::Plan;
use aidd_guidance::versions::{Confidence, Outcome, Step, VerifiedVersion};
use aidd_lexicon::tokens;
use std::fmt::Write as _;

/// Maximum number of tokens of the text on all packages.
const MAX_TOKENS: usize = 750;
/// Maximum number of directories or manifests that are listed together.
const MAX_PLACES: usize = 3;
/// Maximum number of evidence items per step.
const MAX_EVIDENCE: usize = 4;

/// A package in one version, and the manifests that name it.
pub(super) struct VersionGroup<'v> {
    /// The package in the first manifest.
    pub(super) package: &'v VerifiedVersion,
    /// All manifests with this version and the same confidence.
    pub(super) manifests: Vec<&'v str>,
}

/// Groups equal versions of a package in several workspaces.
pub(super) fn group(verified: &[VerifiedVersion]) -> Vec<VersionGroup<'_>> {
    let mut groups: Vec<VersionGroup<'_>> = Vec::new();
    for package in verified {
        let is_same = |group: &&mut VersionGroup<'_>| {
            let other = group.package;
            (&other.package, other.ecosystem, version(other), other.confidence)
                == (&package.package, package.ecosystem, version(package), package.confidence)
        };
        match groups.iter_mut().find(is_same) {
            // A manifest can name a package in several places.
            Some(group) if group.manifests.contains(&&*package.manifest) => {}
            Some(group) => group.manifests.push(&package.manifest),
            None => groups.push(VersionGroup { package, manifests: vec![&package.manifest] }),
        }
    }
    groups
}

/// The version in use, otherwise the range in the manifest.
fn version(package: &VerifiedVersion) -> &str {
    package.locked.as_deref().or(package.wanted.as_deref()).unwrap_or("unknown")
}

/// The groups as text, in less detail if there are many, and the number of groups that are shown.
pub(super) fn render_groups(groups: &[VersionGroup<'_>]) -> (String, usize) {
    let full: String = groups.iter().map(with_steps).collect();
    if tokens::count(&full) <= MAX_TOKENS {
        return (full, groups.len());
    }
    let mut text = String::new();
    let mut left = MAX_TOKENS;
    for (index, group) in groups.iter().enumerate() {
        let line = with_problem(group);
        let cost = tokens::count(&line);
        if cost > left {
            let rest = groups.len() - index;
            let _ = writeln!(text, "{rest} more packages; name them in `packages`");
            return (text, index);
        }
        left -= cost;
        text.push_str(&line);
    }
    (text, groups.len())
}

fn heading(group: &VersionGroup<'_>) -> String {
    let confidence = match group.package.confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    };
    let places = places(&group.manifests);
    let (name, version) = (&group.package.package, version(group.package));
    format!("{name} {version} ({places}): confidence {confidence}")
}

fn places(all: &[&str]) -> String {
    let shown = all.iter().take(MAX_PLACES).copied().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MAX_PLACES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn with_steps(group: &VersionGroup<'_>) -> String {
    let mut text = format!("{}\n", heading(group));
    for step in &group.package.steps {
        let shown = step.evidence.len().min(MAX_EVIDENCE);
        let more = step.evidence.len() - shown;
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let evidence = step.evidence[..shown].join("; ");
        let _ = writeln!(text, "  {} {}: {evidence}{more}", step.id, outcome(step));
    }
    text
}

/// The package with its first problem.
fn with_problem(group: &VersionGroup<'_>) -> String {
    let steps = &group.package.steps;
    let failed = steps.iter().find(|step| step.outcome == Outcome::Failed);
    let problem = failed.or_else(|| steps.iter().find(|step| step.outcome == Outcome::NotDone));
    let problem = problem.and_then(|step| Some((step, step.evidence.first()?)));
    let problem = problem.map(|(step, why)| format!("; {} {}: {why}", step.id, outcome(step)));
    format!("{}{}\n", heading(group), problem.unwrap_or_default())
}

fn outcome(step: &Step) -> &'static str {
    match step.outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::NotDone => "not done",
    }
}

/// The plan as text. Commands that differ only in their directory are one line, and a step with the
/// commands of an earlier step refers to it.
pub(super) fn render_plan(entry: &Entry<'_>, plan: &Plan) -> String {
    let mut text = format!("{}: {}", entry.name, plan.hops.join(" to "));
    let mut last_source = None;
    for (index, step) in plan.steps.iter().enumerate() {
        let risk = serde_json::to_value(step.risk).unwrap_or_default();
        let risk = risk.as_str().unwrap_or_default();
        let _ = write!(text, "\n{}. [{risk}] {}", index + 1, step.what);
        let is_same = |earlier: &&(usize, &[String])| earlier.1 == step.commands;
        let earlier = plan.steps[..index].iter().enumerate();
        let earlier: Vec<(usize, &[String])> =
            earlier.map(|(number, step)| (number + 1, &*step.commands)).collect();
        match earlier.iter().find(is_same).filter(|_| !step.commands.is_empty()) {
            Some((number, _)) => {
                let _ = write!(text, "\n   the commands of step {number}");
            }
            None => {
                for command in by_directory(&step.commands) {
                    let _ = write!(text, "\n   $ {command}");
                }
            }
        }
        if let Some(source) = step.source.as_ref().filter(|source| last_source != Some(*source)) {
            let _ = write!(text, "\n   from {source}");
            last_source = Some(source);
        }
    }
    for guardrail in &plan.guardrails {
        let _ = write!(text, "\nguardrail: {guardrail}");
    }
    for note in &plan.notes {
        let _ = write!(text, "\nnote: {note}");
    }
    text
}

/// The commands; those that run in several directories are merged.
fn by_directory(commands: &[String]) -> Vec<String> {
    let mut merged: Vec<(&str, Vec<&str>)> = Vec::new();
    for command in commands {
        let located = command.strip_prefix("in ").and_then(|rest| rest.split_once(": "));
        let (directory, command) =
            located.map_or((None, &**command), |(directory, command)| (Some(directory), command));
        match merged
            .iter_mut()
            .find(|(other, places)| *other == command && directory.is_some() && !places.is_empty())
        {
            Some((_, places)) => places.extend(directory),
            None => merged.push((command, directory.into_iter().collect())),
        }
    }
    let display = |(command, directories): (&str, Vec<&str>)| match directories[..] {
        [] => command.to_owned(),
        [directory] => format!("in {directory}: {command}"),
        _ => format!("in {}: {command}", places(&directories)),
    };
    merged.into_iter().map(display).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_several_directories_are_merged() {
        let commands = ["pnpm i", "in a: pnpm up x", "in b: pnpm up y", "in c: pnpm up x"];
        let commands = commands.map(str::to_owned);
        assert_eq!(by_directory(&commands), ["pnpm i", "in a, c: pnpm up x", "in b: pnpm up y"]);
    }
}
