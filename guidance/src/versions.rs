//! Determines which version of a library the code is written for: the four steps of
//! `specs/version-protocol.md`, each with its evidence or what is missing.

use super::knowledge::{Entry, Knowledge, normalize_name};
use super::legacy::OldForm;
use super::library::{Library, Origin};
use super::page_kind::PageKind;
use aidd_engine::project::stack::installed::{Installed, Installs};
use aidd_engine::project::stack::{Dependency, Ecosystem, Manifest, Stack, Version};
use jiff::Span;
use jiff::civil::Date;
use regex::Regex;
use serde::Serialize;

/// Age in months after which an entry is only a hint.
const MAX_AGE_MONTHS: i64 = 6;

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is evidence, and nothing is wrong.
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
    /// The locked version and its documentation are known, and there are no old forms.
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
    /// The manifest that names it.
    pub manifest: String,
    /// The version range in the manifest.
    pub wanted: Option<String>,
    /// The locked version, which is the one in use.
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
    pub installs: &'s Installs<'s>,
    /// The project's manifests.
    pub stack: &'s Stack,
    /// The project's guidance.
    pub library: &'s Library,
    /// The knowledge base.
    pub knowledge: &'s Knowledge<'s>,
    /// Memories that name the packages.
    pub memories: &'s [MemoryMention],
    /// The old forms found in the code.
    pub old_forms: &'s [OldForm],
    /// The number of files searched for old forms.
    pub searched: usize,
    /// The current date.
    pub today: Option<Date>,
}

/// Runs the four steps for one dependency.
#[must_use]
pub fn verify(
    scene: &VersionContext<'_>,
    manifest: &Manifest,
    dependency: &Dependency,
) -> VerifiedVersion {
    let entry = scene.knowledge.entries().iter().find(|entry| {
        let packages = &entry.packages;
        packages.contains(&(manifest.ecosystem.word(), &*dependency.name))
    });
    let version = dependency.version();
    let steps = vec![
        detect(scene.stack, manifest, dependency),
        context(scene, dependency, entry, version.as_ref()),
        document(scene, manifest, dependency, entry, version.as_ref()),
        filter(scene, entry, version.as_ref()),
    ];
    let went = |at: usize| steps[at].outcome;
    let confidence = match (went(0), went(2)) {
        _ if version.is_none() => Confidence::Low,
        (_, Outcome::NotDone) => Confidence::Low,
        (Outcome::Done, Outcome::Done)
            if went(3) == Outcome::Done && went(1) != Outcome::Failed =>
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

fn detect(stack: &Stack, manifest: &Manifest, dependency: &Dependency) -> Step {
    let range = dependency.wanted.as_deref().unwrap_or("no range");
    let mut evidence = vec![format!("{} specifies {range}", manifest.path)];
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
            evidence.push("no lock file: the built version is unknown".to_owned());
            Outcome::Failed
        }
    };
    if let Some(pin) = stack.runtime_of(manifest) {
        evidence.push(format!("{} specifies {} {}", pin.path, pin.name, pin.version));
    }
    Step { id: "detect", outcome, evidence }
}

/// Rules and memories that mention the package with a version.
fn context(
    scene: &VersionContext<'_>,
    dependency: &Dependency,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut names: Vec<&str> = vec![&dependency.name];
    names.extend(entry.map(|entry| entry.name));
    let patterns: Vec<Regex> = names.iter().filter_map(|name| mention_pattern(name)).collect();
    let mut step = Step { id: "context", outcome: Outcome::NotDone, evidence: Vec::new() };
    let mut look = |place: &str, line: &str| {
        for found in patterns.iter().filter_map(|pattern| pattern.captures(line)) {
            let named = Version::read(&found[1]);
            let differs = match (&named, version) {
                (Some(named), Some(version)) => named.line() != version.line(),
                _ => continue,
            };
            let (said, here) = (&found[1], version.map_or_else(String::new, ToString::to_string));
            if differs {
                step.outcome = Outcome::Failed;
                step.evidence
                    .push(format!("{place} mentions version {said}; the project has {here}"));
            } else {
                if step.outcome == Outcome::NotDone {
                    step.outcome = Outcome::Done;
                }
                step.evidence.push(format!("{place} mentions version {said}, as in the project"));
            }
            return;
        }
    };
    for shelf in [PageKind::Protocol, PageKind::Rules, PageKind::Skills] {
        for page in scene.library.pages_of_kind(shelf).filter(|page| page.origin == Origin::Project)
        {
            for (line, text) in page.text().lines().enumerate() {
                look(&format!("{}:{}", page.path, line + 1), text);
            }
        }
    }
    for memory in scene.memories {
        memory.text.lines().for_each(|line| look(&memory.id, line));
    }
    if let Some(entry) = entry {
        let is_old = scene.today.is_some_and(|today| is_older(entry.updated, today));
        let word = if is_old { "only a hint: older than six months" } else { "current" };
        step.evidence.push(format!(
            "knowledge entry {} describes {}, reviewed {}: {word}",
            entry.page.name,
            entry.version.unwrap_or("no version"),
            entry.updated
        ));
        if step.outcome == Outcome::NotDone && !is_old {
            step.outcome = Outcome::Done;
        }
    }
    if step.evidence.is_empty() {
        step.evidence.push("no rule, memory or knowledge entry mentions it".to_owned());
    }
    step
}

/// Matches `React 18`, `react@18.2`, `react version >= 18`, but not a longer name that contains
/// this one.
fn mention_pattern(name: &str) -> Option<Regex> {
    let name = regex::escape(name);
    Regex::new(&format!(
        r"(?i)(?:^|[^\w@/.-]){name}(?:@|\s+|\s*[:=]\s*)(?:version\s+|v)?(?:[<>=^~]+\s*)?(\d+(?:\.\d+)*)\b"
    ))
    .ok()
}

fn is_older(updated: &str, today: Date) -> bool {
    let term = Span::new().try_months(MAX_AGE_MONTHS);
    let due = updated.parse::<Date>().ok().zip(term.ok()).map(|(day, term)| day.checked_add(term));
    !matches!(due, Some(Ok(due)) if due >= today)
}

/// Documentation of exactly this major version: the installed one, otherwise what the entry
/// references.
fn document(
    scene: &VersionContext<'_>,
    manifest: &Manifest,
    dependency: &Dependency,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut step = Step { id: "document", outcome: Outcome::NotDone, evidence: Vec::new() };
    if let Some(found) = scene.installs.find(manifest, dependency) {
        let Installed { path, version: installed, documents } = found;
        let fits = version.is_none_or(|version| installed.line() == version.line());
        step.outcome = if fits { Outcome::Done } else { Outcome::Failed };
        let word = if manifest.ecosystem == Ecosystem::Npm { "types" } else { "documentation" };
        let documents = documents.map_or_else(String::new, |it| format!("; its {word}: {it}"));
        step.evidence.push(format!("{path} is version {installed}{documents}"));
        if !fits {
            step.evidence
                .push("the installed version differs from the manifest: install first".to_owned());
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
    let guide = entry.migrations.iter().find(|it| {
        let to = Version::read(&it.to);
        to.zip(version).is_some_and(|(to, version)| to.line() == version.line())
    });
    match (described, version) {
        (Some(described), Some(version)) if described.line() == version.line() => {
            let address = entry.reference().unwrap_or("its references");
            step.evidence
                .push(format!("{address} for {described} (entry reviewed {})", entry.updated));
            if step.outcome == Outcome::NotDone {
                step.outcome = Outcome::Done;
            }
        }
        (Some(described), Some(version)) => {
            step.evidence.push(format!("the entry covers {described}, not {version}"));
            if let Some(address) = guide.and_then(|it| it.guide.as_deref()) {
                step.evidence.push(format!("{address} describes what {version} changed"));
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

fn filter(
    scene: &VersionContext<'_>,
    entry: Option<&Entry<'_>>,
    version: Option<&Version>,
) -> Step {
    let mut step = Step { id: "filter", outcome: Outcome::NotDone, evidence: Vec::new() };
    let Some(entry) = entry.filter(|entry| !entry.legacy.is_empty()) else {
        step.evidence.push("no old forms are known".to_owned());
        return step;
    };
    let looked_for = super::legacy::replaced_forms(entry, version);
    if scene.searched == 0 {
        step.evidence.push("no file was searched".to_owned());
        return step;
    }
    let name = normalize_name(entry.name);
    let found = scene.old_forms.iter().filter(|form| {
        normalize_name(&form.technology) == name
            && looked_for.iter().any(|legacy| legacy.pattern == form.pattern)
    });
    for form in found {
        step.outcome = Outcome::Failed;
        let OldForm { path, line, pattern, instead, since, .. } = form;
        step.evidence
            .push(format!("{path}:{line}: `{pattern}` was replaced in {since} by {instead}"));
    }
    if step.outcome == Outcome::NotDone {
        step.outcome = Outcome::Done;
        let (forms, files) = (looked_for.len(), scene.searched);
        let counted = |many: usize, of: &str| match many {
            1 => format!("1 {of}"),
            _ => format!("{many} {of}s"),
        };
        step.evidence.push(match forms {
            0 => "no old form was replaced up to this version".to_owned(),
            _ => format!("{}, none in {}", counted(forms, "old form"), counted(files, "file")),
        });
    }
    step
}
