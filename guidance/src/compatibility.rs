//! Scores how well two technologies work together, with reasons. Statements of knowledge entries
//! weigh most, facts derived from entry headers weigh less, and missing statements are reported as
//! unknown.

use super::knowledge::{Entry, Knowledge, normalize_name};
use aidd_engine::project::stack::{Stack, Version};
use aidd_lexicon::tables::knowledge as table;
use aidd_lexicon::tables::scores::compatibility as points;
use serde::Serialize;
use std::collections::BTreeSet;

/// Compatibility of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Incompatible, or not recommended for new work.
    Low,
    /// Usable with care.
    Medium,
    /// Works well together.
    High,
}

/// A reason and its contribution to the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The points added to the score; negative for a penalty.
    pub points: i32,
    /// The explanation, without a full stop.
    pub why: String,
}

/// The compatibility of two technologies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The names of both technologies.
    pub names: [String; 2],
    /// The score from 0 to 100.
    pub score: i32,
    /// The level that the score falls into.
    pub level: Level,
    /// Whether an entry states it; otherwise it is derived from the headers.
    pub is_stated: bool,
    /// The reasons, largest weight first. They are added to a base of 60 for a pair without any
    /// information.
    pub reasons: Vec<Reason>,
}

/// The score of a pair before its reasons are added.
#[must_use]
pub fn base_score() -> i32 {
    points::UNKNOWN
}

/// Scores a pair. `stack` is the project in which both would be used.
#[must_use]
pub fn score_pair(one: &Entry<'_>, other: &Entry<'_>, stack: &Stack) -> Pair {
    let mut reasons = Vec::new();
    let mut say = |points: i32, why: String| reasons.push(Reason { points, why });
    let is_stated = add_stated_reasons(one, other, &mut say);
    let are_rivals = add_category_reasons(one, other, is_stated, &mut say);
    for entry in [one, other] {
        let (name, updated) = (entry.name, entry.updated);
        match entry.maturity {
            "deprecated" => {
                say(points::DEPRECATED, format!("{name} is deprecated (entry of {updated})"));
            }
            "experimental" => say(points::EXPERIMENTAL, format!("{name} is experimental")),
            "emerging" => say(points::EMERGING, format!("{name} is emerging")),
            _ => {}
        }
    }
    // Alternatives usually share their companions, so shared companions say nothing about them.
    if !are_rivals {
        add_companion_reasons(one, other, &mut say);
    }
    add_language_reasons(one, other, is_stated, &mut say);
    if !is_stated {
        add_ecosystem_reasons(one, other, &mut say);
    }
    add_version_reasons(one, other, stack, &mut say);
    let sum = points::UNKNOWN + reasons.iter().map(|reason| reason.points).sum::<i32>();
    let score = sum.clamp(0, 100);
    reasons.sort_by_key(|reason| -reason.points.abs());
    let level = match score {
        points::HIGH.. => Level::High,
        points::MEDIUM.. => Level::Medium,
        _ => Level::Low,
    };
    let names = [one.name.to_owned(), other.name.to_owned()];
    Pair { names, score, level, is_stated, reasons }
}

/// Adds what the entries state about each other. Returns whether they state anything.
fn add_stated_reasons(
    one: &Entry<'_>,
    other: &Entry<'_>,
    say: &mut dyn FnMut(i32, String),
) -> bool {
    let conflict = |from: &Entry<'_>, to: &Entry<'_>| {
        let found = from.conflicts.iter().find(|(stem, _)| *stem == to.stem());
        found.map(|(_, why)| (*why).to_owned())
    };
    if let Some(why) = conflict(one, other).or_else(|| conflict(other, one)) {
        say(points::CONFLICT, format!("stated conflict: {why}"));
        return true;
    }
    let works = |from: &Entry<'_>, to: &Entry<'_>| from.works_with.contains(&to.stem());
    match (works(one, other), works(other, one)) {
        (true, true) => {
            say(points::STATED_BOTH, "both entries state that they work together".to_owned());
        }
        (true, false) | (false, true) => {
            let (from, to) = if works(one, other) { (one, other) } else { (other, one) };
            say(
                points::STATED_ONCE,
                format!("the entry on {} states that it works with {}", from.name, to.name),
            );
        }
        (false, false) => {
            say(0, "no entry states how they go together".to_owned());
            return false;
        }
    }
    true
}

/// Whether the two are used instead of each other: one is an alternative to the other, or both
/// serve the same purpose.
fn add_category_reasons(
    one: &Entry<'_>,
    other: &Entry<'_>,
    is_stated: bool,
    say: &mut dyn FnMut(i32, String),
) -> bool {
    let alternative = |from: &Entry<'_>, to: &Entry<'_>| {
        let names: BTreeSet<String> = [to.name, to.stem()]
            .into_iter()
            .chain(to.aliases.iter().copied())
            .map(normalize_name)
            .collect();
        let rows = from.alternatives().into_iter();
        let mut found = rows.filter(|(name, _)| names.contains(&normalize_name(name)));
        found
            .next()
            .map(|(_, when)| format!("{} is an alternative to {}: {when}", to.name, from.name))
    };
    let found = alternative(one, other).or_else(|| alternative(other, one));
    let conflict = |from: &Entry<'_>, to: &Entry<'_>| {
        from.conflicts.iter().any(|(stem, _)| *stem == to.stem())
    };
    let are_rivals = found.is_some() && !is_stated || conflict(one, other) || conflict(other, one);
    match found {
        // Using an alternative together with the original is stated explicitly.
        Some(why) if is_stated => say(0, why),
        Some(why) => say(points::ALTERNATIVES, why),
        None if !is_stated && one.category == other.category && one.category != "pattern" => {
            say(
                points::SAME_CATEGORY,
                format!("both are in the category {}: check whether both are needed", one.category),
            );
        }
        None => {}
    }
    are_rivals
}

/// Checks whether one is a language or runtime and the other a package that its programs can use.
fn add_language_reasons(
    one: &Entry<'_>,
    other: &Entry<'_>,
    is_stated: bool,
    say: &mut dyn FnMut(i32, String),
) {
    let (language, ecosystem, package) = match (package_ecosystem(one), package_ecosystem(other)) {
        (Some(language), None) => (one, language, other),
        (None, Some(language)) => (other, language, one),
        _ => return,
    };
    let words = published_ecosystems(package);
    if words.is_empty() || matches!(package.category, "data" | "infrastructure") {
        return;
    }
    let (name, user) = (package.name, language.name);
    if words.contains(ecosystem) {
        say(
            points::SAME_LANGUAGE,
            format!("{name} is published for {ecosystem}, which {user} programs use"),
        );
    } else if !is_stated {
        let list = words.into_iter().collect::<Vec<_>>().join(", ");
        let why = format!("{name} is published for {list}, which {user} programs do not use");
        say(points::OTHER_LANGUAGE, why);
    }
}

/// The package ecosystem of a language or runtime; `None` for other technologies.
pub(super) fn package_ecosystem(entry: &Entry<'_>) -> Option<&'static str> {
    let found = table::LANGUAGES.pairs().find(|(stem, _)| *stem == entry.stem());
    found.map(|(_, ecosystem)| ecosystem)
}

/// The ecosystems in which a technology is published, without container images.
fn published_ecosystems(entry: &Entry<'_>) -> BTreeSet<String> {
    let words = entry.packages.iter().map(|(ecosystem, _)| (*ecosystem).to_owned());
    words.filter(|word| word != "oci").collect()
}

/// Adds the technologies that both work with.
fn add_companion_reasons(one: &Entry<'_>, other: &Entry<'_>, say: &mut dyn FnMut(i32, String)) {
    let shared: Vec<&str> =
        one.works_with.iter().copied().filter(|stem| other.works_with.contains(stem)).collect();
    if !shared.is_empty() {
        let count = i32::try_from(shared.len()).unwrap_or(points::COMPANIONS_MOST);
        let points = (count * points::COMPANION).min(points::COMPANIONS_MOST);
        say(points, format!("both work with {}", shared.join(", ")));
    }
}

/// Checks whether both can be part of one program.
fn add_ecosystem_reasons(one: &Entry<'_>, other: &Entry<'_>, say: &mut dyn FnMut(i32, String)) {
    let (own, theirs) = (published_ecosystems(one), published_ecosystems(other));
    let is_library = |entry: &Entry<'_>, words: &BTreeSet<String>| {
        // Data stores and servers are reached over a network anyway.
        !words.is_empty() && !matches!(entry.category, "data" | "infrastructure" | "runtime")
    };
    if is_library(one, &own) && is_library(other, &theirs) && own.is_disjoint(&theirs) {
        let list = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>().join(", ");
        let why = format!(
            "{} is published for {}, {} for {}: they communicate over a network or files, not in one program",
            one.name,
            list(own),
            other.name,
            list(theirs)
        );
        say(points::APART, why);
    }
}

/// Adds the versions that the project uses.
fn add_version_reasons(
    one: &Entry<'_>,
    other: &Entry<'_>,
    stack: &Stack,
    say: &mut dyn FnMut(i32, String),
) {
    let here = [one, other].map(|entry| entry.version_in(stack));
    for (entry, here) in [one, other].into_iter().zip(&here) {
        let described = entry.version.and_then(Version::read);
        if let (Some((version, place)), Some(described)) = (here, described)
            && version.line() != described.line()
        {
            let name = entry.name;
            let why = format!("{place} has {name} {version}; the entry describes {described}");
            say(points::OTHER_MAJOR, why);
        }
    }
    if here.iter().all(Option::is_some) {
        say(points::TOGETHER_HERE, "the project uses both today".to_owned());
    }
}

/// Every pair of the technologies, lowest score first.
#[must_use]
pub fn score_pairs(entries: &[&Entry<'_>], stack: &Stack) -> Vec<Pair> {
    let mut found = Vec::new();
    for (at, one) in entries.iter().enumerate() {
        found.extend(entries[at + 1..].iter().map(|other| score_pair(one, other, stack)));
    }
    found.sort_by_key(|pair| pair.score);
    found
}

/// Conflicts between the given technologies and other technologies that the project uses: both
/// names and the reason.
#[must_use]
pub fn find_conflicts(
    entries: &[&Entry<'_>],
    knowledge: &Knowledge<'_>,
    stack: &Stack,
) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let is_asked = |stem: &str| entries.iter().any(|entry| entry.stem() == stem);
    for other in knowledge.entries().iter().filter(|it| !is_asked(it.stem())) {
        if other.used_in(stack).is_empty() {
            continue;
        }
        for entry in entries {
            let of = |from: &Entry<'_>, to: &Entry<'_>| {
                let found = from.conflicts.iter().find(|(stem, _)| *stem == to.stem());
                found.map(|(_, why)| (*why).to_owned())
            };
            if let Some(why) = of(entry, other).or_else(|| of(other, entry)) {
                found.push((entry.name.to_owned(), other.name.to_owned(), why));
            }
        }
    }
    found
}
