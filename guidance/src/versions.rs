//! Determines for which version of a library the code is written, in the four steps of
//! `specs/version-protocol.md`. Each step provides evidence, or states which evidence is missing.

use super::knowledge::{Entry, Knowledge, normalize_name};
use super::legacy::Occurrence;
use super::library::{Library, Origin};
use super::page_kind::PageKind;
use aidd_engine::project::stack::installed::{InstalledPackage, InstalledPackages};
use aidd_engine::project::stack::{Dependency, Ecosystem, Manifest, Stack, Version};
use jiff::Span;
use jiff::civil::Date;
use regex::Regex;
use serde::Serialize;

/// Age in months after which a knowledge entry is only a hint.
const MAX_AGE_MONTHS: i64 = 6;

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is evidence, and it shows no problem.
    Done,
    /// The evidence shows a problem.
    Failed,
    /// There is no evidence.
    NotDone,
}

/// The confidence that code is written for the right version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The version or its documentation was not found.
    Low,
    /// Only the version range is known, or some evidence contradicts it.
    Medium,
    /// The locked version and its documentation are known, and there are no outdated API uses.
    High,
}

/// One of the four steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// `detect`, `context`, `document` or `filter`.
    pub id: &'static str,
    /// The outcome of the step.
    pub outcome: Outcome,
    /// The evidence, one sentence each.
    pub evidence: Vec<String>,
}

/// The verified version of one package in one manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedVersion {
    /// The name of the package.
    pub package: String,
    /// The ecosystem of the package.
    pub ecosystem: Ecosystem,
    /// The manifest that names the package.
    pub manifest: String,
    /// The version range in the manifest.
    pub wanted: Option<String>,
    /// The locked version, which is the version in use.
    pub locked: Option<String>,
    /// The confidence in the version.
    pub confidence: Confidence,
    /// The four steps.
    pub steps: Vec<Step>,
}

/// A memory that names the package.
#[derive(Clone, Debug)]
pub struct MemoryMention {
    /// The id of the memory.
    pub id: String,
    /// The text of the memory.
    pub text: String,
}

/// The context of a version check.
#[derive(Clone, Copy)]
pub struct VersionContext<'s> {
    /// The packages installed in the project.
    pub installs: &'s InstalledPackages<'s>,
    /// The project's manifests.
    pub stack: &'s Stack,
    /// The project's guidance.
    pub library: &'s Library,
    /// The knowledge base.
    pub knowledge: &'s Knowledge<'s>,
    /// Memories that name the packages.
    pub memories: &'s [MemoryMention],
    /// The outdated API uses found in the code.
    pub outdated_uses: &'s [Occurrence],
    /// The number of files searched for outdated API uses.
    pub searched: usize,
    /// The current date.
    pub today: Option<Date>,
}

/// Runs the four steps for one dependency.
#[must_use]
pub fn verify(
    context: &VersionContext<'_>,
    manifest: &Manifest,
    dependency: &Dependency,
) -> VerifiedVersion {
    let entry = context.knowledge.entries().iter().find(|entry| {
        let packages = &entry.packages;
        packages.contains(&(manifest.ecosystem.word(), &*dependency.name))
    });
    let version = dependency.version();
    let steps = vec![
        detect_version(context.stack, manifest, dependency),
        compare_mentions(context, dependency, entry, version.as_ref()),
        find_documentation(context, manifest, dependency, entry, version.as_ref()),
        find_outdated_uses(context, entry, version.as_ref()),
    ];
    let outcome = |step: usize| steps[step].outcome;
    let confidence = match (outcome(0), outcome(2)) {
        _ if version.is_none() => Confidence::Low,
        (_, Outcome::NotDone) => Confidence::Low,
        (Outcome::Done, Outcome::Done)
            if outcome(3) == Outcome::Done && outcome(1) != Outcome::Failed =>
        {
            Confidence::High
        }
        (_, Outcome::Failed) => Confidence::Low,
        _ => Confidence::Medium,
    };
    VerifiedVersion {
        package: dependency.name.clone(),
        ecosystem: manifest.ecosystem,
        manifest: manifest.path.clone(),
        wanted: dependency.wanted.clone(),
        locked: dependency.locked.clone(),
        confidence,
        steps,
    }
}

/// Reads the version from the lock file, or from a range that allows only one version.
fn detect_version(stack: &Stack, manifest: &Manifest, dependency: &Dependency) -> Step {
    let range = dependency.wanted.as_deref().unwrap_or("no range");
    let path = dependency.inherited_from.as_ref().unwrap_or(&manifest.path);
    let mut evidence = vec![format!("{path} specifies {range}")];
    let outcome = match (&dependency.locked, &manifest.lock) {
        (Some(locked), Some(lock)) => {
            evidence.push(format!("{lock} resolves it to {locked}"));
            Outcome::Done
        }
        (Some(locked), None) => {
            evidence.push(format!("the range is exact: {locked}"));
            Outcome::Done
        }
        (None, Some(lock)) => {
            evidence.push(format!("{lock} does not resolve it for this manifest"));
            Outcome::Failed
        }
        (None, None) => {
            evidence.push("no lock file: the version that the build uses is unknown".to_owned());
            Outcome::Failed
        }
    };
    if let Some(pin) = stack.runtime_of(manifest) {
        evidence.push(format!("{} specifies {} {}", pin.path, pin.name, pin.version));
    }
    Step { id: "detect", outcome, evidence }
}

/// Compares the version with the versions that rules and memories mention for the package.
fn compare_mentions(
    context: &VersionContext<'_>,
    dependency: &Dependency,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut names: Vec<&str> = vec![&dependency.name];
    names.extend(entry.map(|entry| entry.name));
    let patterns: Vec<Regex> = names.iter().filter_map(|name| mention_pattern(name)).collect();
    let mut step = Step { id: "context", outcome: Outcome::NotDone, evidence: Vec::new() };
    let mut search_line = |location: &str, line: &str| {
        for captures in patterns.iter().filter_map(|pattern| pattern.captures(line)) {
            let mentioned_version = Version::read(&captures[1]);
            let differs = match (&mentioned_version, version) {
                (Some(mentioned_version), Some(version)) => {
                    mentioned_version.compatibility_series() != version.compatibility_series()
                }
                _ => continue,
            };
            let (mentioned, current) =
                (&captures[1], version.map_or_else(String::new, ToString::to_string));
            if differs {
                step.outcome = Outcome::Failed;
                step.evidence.push(format!(
                    "{location} mentions version {mentioned}; the project has {current}"
                ));
            } else {
                if step.outcome == Outcome::NotDone {
                    step.outcome = Outcome::Done;
                }
                step.evidence
                    .push(format!("{location} mentions version {mentioned}, as in the project"));
            }
            return;
        }
    };
    for kind in [PageKind::Protocol, PageKind::Rules, PageKind::Skills] {
        for page in
            context.library.pages_of_kind(kind).filter(|page| page.origin == Origin::Project)
        {
            for (line, text) in page.text().lines().enumerate() {
                search_line(&format!("{}:{}", page.path, line + 1), text);
            }
        }
    }
    for memory in context.memories {
        memory.text.lines().for_each(|line| search_line(&memory.id, line));
    }
    if let Some(entry) = entry {
        let is_old = context.today.is_some_and(|today| is_older(entry.updated, today));
        let age = if is_old { "only a hint: older than six months" } else { "current" };
        step.evidence.push(format!(
            "knowledge entry {} describes {}, reviewed {}: {age}",
            entry.page.name,
            entry.version.unwrap_or("no version"),
            entry.updated
        ));
        if step.outcome == Outcome::NotDone && !is_old {
            step.outcome = Outcome::Done;
        }
        let series = entry.end_of_life.iter().find(|row| {
            let series = Version::read(&row.series);
            series.zip(version).is_some_and(|(series, version)| {
                series.precision() <= version.precision() && version.is_in_series(&series)
            })
        });
        if let Some(row) = series {
            // Without the current date, the date of the review is used instead.
            let today =
                context.today.map_or_else(|| entry.updated.to_owned(), |day| day.to_string());
            let tense = if row.date <= today { "ended" } else { "ends" };
            step.evidence.push(format!(
                "support for {} {} {tense} {} ({})",
                entry.name, row.series, row.date, row.source
            ));
        }
    }
    if step.evidence.is_empty() {
        step.evidence.push("no rule, memory or knowledge entry mentions it".to_owned());
    }
    step
}

/// Matches `React 18`, `react@18.2`, `react version >= 18`, but not a longer name that contains
/// `name`.
fn mention_pattern(name: &str) -> Option<Regex> {
    let name = regex::escape(name);
    Regex::new(&format!(
        r"(?i)(?:^|[^\w@/.-]){name}(?:@|\s+|\s*[:=]\s*)(?:version\s+|v)?(?:[<>=^~]+\s*)?(\d+(?:\.\d+)*)\b"
    ))
    .ok()
}

fn is_older(updated: &str, today: Date) -> bool {
    let max_age = Span::new().try_months(MAX_AGE_MONTHS);
    let due = updated
        .parse::<Date>()
        .ok()
        .zip(max_age.ok())
        .map(|(day, max_age)| day.checked_add(max_age));
    !matches!(due, Some(Ok(due)) if due >= today)
}

/// Looks for documentation of exactly this major version: the installed documentation, otherwise the
/// references of the entry.
fn find_documentation(
    context: &VersionContext<'_>,
    manifest: &Manifest,
    dependency: &Dependency,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut step = Step { id: "document", outcome: Outcome::NotDone, evidence: Vec::new() };
    if let Some(installed_package) = context.installs.find(manifest, dependency) {
        let InstalledPackage { path, version: installed, documents } = installed_package;
        let is_same_version = version.is_none_or(|version| {
            installed.compatibility_series() == version.compatibility_series()
        });
        step.outcome = if is_same_version { Outcome::Done } else { Outcome::Failed };
        let word = if manifest.ecosystem == Ecosystem::Npm { "types" } else { "documentation" };
        let documents =
            documents.map_or_else(String::new, |documents| format!("; its {word}: {documents}"));
        step.evidence.push(format!("{path} is version {installed}{documents}"));
        if !is_same_version {
            step.evidence.push(
                "the installed version differs from the manifest: install the dependencies first"
                    .to_owned(),
            );
        }
    }
    let Some(entry) = entry else {
        if step.evidence.is_empty() {
            step.evidence.push(
                "not installed, and no knowledge entry: find the documentation of this version"
                    .to_owned(),
            );
        }
        return step;
    };
    let described = entry.version.and_then(Version::read);
    let guide = entry.migrations.iter().find(|migration| {
        let to = Version::read(&migration.to);
        to.zip(version).is_some_and(|(to, version)| {
            to.compatibility_series() == version.compatibility_series()
        })
    });
    match (described, version) {
        (Some(described), Some(version))
            if described.compatibility_series() == version.compatibility_series() =>
        {
            let reference = entry.reference().unwrap_or("its references");
            step.evidence
                .push(format!("{reference} for {described} (entry reviewed {})", entry.updated));
            if step.outcome == Outcome::NotDone {
                step.outcome = Outcome::Done;
            }
        }
        (Some(described), Some(version)) => {
            step.evidence.push(format!("the entry covers {described}, not {version}"));
            if let Some(reference) = guide.and_then(|migration| migration.guide.as_deref()) {
                step.evidence.push(format!("{reference} describes what {version} changed"));
            } else if step.outcome == Outcome::NotDone {
                step.outcome = Outcome::Failed;
            }
        }
        _ => {}
    }
    if step.outcome == Outcome::NotDone && guide.is_some() {
        step.outcome = Outcome::Done;
    }
    if step.evidence.is_empty() {
        step.evidence.push("no documentation of this version was found".to_owned());
    }
    step
}

/// Lists the uses of APIs that are outdated in the version.
fn find_outdated_uses(
    context: &VersionContext<'_>,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut step = Step { id: "filter", outcome: Outcome::NotDone, evidence: Vec::new() };
    let Some(entry) = entry.filter(|entry| !entry.legacy.is_empty()) else {
        step.evidence.push("no outdated API uses are known".to_owned());
        return step;
    };
    let patterns = super::legacy::outdated_patterns(entry, version);
    if context.searched == 0 && !patterns.is_empty() {
        step.evidence.push("no file was searched".to_owned());
        return step;
    }
    let name = normalize_name(entry.name);
    let occurrences = context.outdated_uses.iter().filter(|usage| {
        normalize_name(&usage.technology) == name
            && patterns.iter().any(|legacy| legacy.pattern == usage.pattern)
    });
    for occurrence in occurrences {
        step.outcome = Outcome::Failed;
        let Occurrence { path, line, pattern, instead, since, .. } = occurrence;
        step.evidence
            .push(format!("{path}:{line}: `{pattern}` was replaced in {since} by {instead}"));
    }
    if step.outcome == Outcome::NotDone {
        step.outcome = Outcome::Done;
        let (known, files) = (patterns.len(), context.searched);
        let format_count = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        };
        step.evidence.push(match known {
            0 => "no known API use is outdated in this version".to_owned(),
            _ => format!(
                "searched {} for {}: none found",
                format_count(files, "file"),
                format_count(known, "outdated API use")
            ),
        });
    }
    step
}
