//! Scores how well two technologies work together, with reasons. Statements in knowledge entries
//! have the largest weight; facts derived from entry headers have a smaller weight. Missing
//! statements are reported as unknown.

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
    /// Whether an entry states the compatibility; otherwise it is derived from the headers.
    pub is_stated: bool,
    /// The reasons, largest weight first. Their points are added to [`base_score`].
    pub reasons: Vec<Reason>,
}

/// The score of a pair before its reasons are added.
#[must_use]
pub fn base_score() -> i32 {
    points::UNKNOWN
}

/// Scores a pair. `stack` is the project in which both would be used.
#[must_use]
pub fn score_pair(first: &Entry<'_>, second: &Entry<'_>, stack: &Stack) -> Pair {
    let mut reasons = Vec::new();
    let mut add_reason = |points: i32, why: String| reasons.push(Reason { points, why });
    let is_stated = add_stated_reasons(first, second, &mut add_reason);
    let are_rivals = add_category_reasons(first, second, is_stated, &mut add_reason);
    for entry in [first, second] {
        let (name, updated) = (entry.name, entry.updated);
        match entry.maturity {
            "deprecated" => {
                add_reason(
                    points::DEPRECATED,
                    format!("{name} is deprecated (entry of {updated})"),
                );
            }
            "experimental" => add_reason(points::EXPERIMENTAL, format!("{name} is experimental")),
            "emerging" => add_reason(points::EMERGING, format!("{name} is emerging")),
            _ => {}
        }
    }
    // Alternatives usually work with the same technologies, so shared companions are no evidence.
    if !are_rivals {
        add_companion_reasons(first, second, &mut add_reason);
    }
    add_language_reasons(first, second, is_stated, &mut add_reason);
    if !is_stated {
        add_ecosystem_reasons(first, second, &mut add_reason);
    }
    add_version_reasons(first, second, stack, &mut add_reason);
    let sum = points::UNKNOWN + reasons.iter().map(|reason| reason.points).sum::<i32>();
    let score = sum.clamp(0, 100);
    reasons.sort_by_key(|reason| -reason.points.abs());
    let level = match score {
        points::HIGH.. => Level::High,
        points::MEDIUM.. => Level::Medium,
        _ => Level::Low,
    };
    let names = [first.name.to_owned(), second.name.to_owned()];
    Pair { names, score, level, is_stated, reasons }
}

/// Adds the statements of the entries about each other. Returns whether there is such a statement.
fn add_stated_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    add_reason: &mut dyn FnMut(i32, String),
) -> bool {
    let conflict = |from: &Entry<'_>, to: &Entry<'_>| {
        let matching = from.conflicts.iter().find(|(stem, _)| *stem == to.stem());
        matching.map(|(_, why)| (*why).to_owned())
    };
    if let Some(why) = conflict(first, second).or_else(|| conflict(second, first)) {
        add_reason(points::CONFLICT, format!("stated conflict: {why}"));
        return true;
    }
    let states = |from: &Entry<'_>, to: &Entry<'_>| from.works_with.contains(&to.stem());
    match (states(first, second), states(second, first)) {
        (true, true) => {
            add_reason(
                points::STATED_BOTH,
                "both entries state that they work together".to_owned(),
            );
        }
        (true, false) | (false, true) => {
            let (from, to) = if states(first, second) { (first, second) } else { (second, first) };
            add_reason(
                points::STATED_ONCE,
                format!("the entry on {} states that it works with {}", from.name, to.name),
            );
        }
        (false, false) => {
            add_reason(0, "no entry states whether they work together".to_owned());
            return false;
        }
    }
    true
}

/// Adds the reasons that follow from alternatives and categories. Returns whether the two
/// technologies replace each other: one is an alternative to the other, or they conflict.
fn add_category_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    is_stated: bool,
    add_reason: &mut dyn FnMut(i32, String),
) -> bool {
    let alternative = |from: &Entry<'_>, to: &Entry<'_>| {
        let names: BTreeSet<String> = [to.name, to.stem()]
            .into_iter()
            .chain(to.aliases.iter().copied())
            .map(normalize_name)
            .collect();
        let rows = from.alternatives().into_iter();
        let mut alternative_reason = rows.filter(|(name, _)| names.contains(&normalize_name(name)));
        alternative_reason
            .next()
            .map(|(_, when)| format!("{} is an alternative to {}: {when}", to.name, from.name))
    };
    let alternative_reason = alternative(first, second).or_else(|| alternative(second, first));
    let conflict = |from: &Entry<'_>, to: &Entry<'_>| {
        from.conflicts.iter().any(|(stem, _)| *stem == to.stem())
    };
    let are_rivals = alternative_reason.is_some() && !is_stated
        || conflict(first, second)
        || conflict(second, first);
    match alternative_reason {
        // An entry explicitly states that the alternative works with the original.
        Some(why) if is_stated => add_reason(0, why),
        Some(why) => add_reason(points::ALTERNATIVES, why),
        None if !is_stated && first.category == second.category && first.category != "pattern" => {
            add_reason(
                points::SAME_CATEGORY,
                format!(
                    "both are in the category {}: check whether both are needed",
                    first.category
                ),
            );
        }
        None => {}
    }
    are_rivals
}

/// Adds a reason if one technology is a language or runtime and the other is a package: whether
/// programs in that language can use the package.
fn add_language_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    is_stated: bool,
    add_reason: &mut dyn FnMut(i32, String),
) {
    let (language, ecosystem, package) = match (package_ecosystem(first), package_ecosystem(second))
    {
        (Some(language), None) => (first, language, second),
        (None, Some(language)) => (second, language, first),
        _ => return,
    };
    let ecosystems = published_ecosystems(package);
    if ecosystems.is_empty() || matches!(package.category, "data" | "infrastructure") {
        return;
    }
    let (name, language_name) = (package.name, language.name);
    if ecosystems.contains(ecosystem) {
        add_reason(
            points::SAME_LANGUAGE,
            format!("{name} is published for {ecosystem}, which {language_name} programs use"),
        );
    } else if !is_stated {
        let list = ecosystems.into_iter().collect::<Vec<_>>().join(", ");
        let why =
            format!("{name} is published for {list}, which {language_name} programs do not use");
        add_reason(points::OTHER_LANGUAGE, why);
    }
}

/// The package ecosystem of a language or runtime; `None` for other technologies.
pub(super) fn package_ecosystem(entry: &Entry<'_>) -> Option<&'static str> {
    let language = table::LANGUAGES.pairs().find(|(stem, _)| *stem == entry.stem());
    language.map(|(_, ecosystem)| ecosystem)
}

/// The ecosystems in which a technology is published, without container images.
fn published_ecosystems(entry: &Entry<'_>) -> BTreeSet<String> {
    let ecosystems = entry.packages.iter().map(|(ecosystem, _)| (*ecosystem).to_owned());
    ecosystems.filter(|ecosystem| ecosystem != "oci").collect()
}

/// Adds a reason that lists the technologies with which both work.
fn add_companion_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    add_reason: &mut dyn FnMut(i32, String),
) {
    let shared: Vec<&str> =
        first.works_with.iter().copied().filter(|stem| second.works_with.contains(stem)).collect();
    if !shared.is_empty() {
        let count = i32::try_from(shared.len()).unwrap_or(points::COMPANIONS_MOST);
        let points = (count * points::COMPANION).min(points::COMPANIONS_MOST);
        add_reason(points, format!("both work with {}", shared.join(", ")));
    }
}

/// Adds a reason if the two are libraries that cannot be part of one program.
fn add_ecosystem_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    add_reason: &mut dyn FnMut(i32, String),
) {
    let (first_ecosystems, second_ecosystems) =
        (published_ecosystems(first), published_ecosystems(second));
    let is_library = |entry: &Entry<'_>, ecosystems: &BTreeSet<String>| {
        // Programs in any language reach data stores and servers over a network.
        !ecosystems.is_empty() && !matches!(entry.category, "data" | "infrastructure" | "runtime")
    };
    if is_library(first, &first_ecosystems)
        && is_library(second, &second_ecosystems)
        && first_ecosystems.is_disjoint(&second_ecosystems)
    {
        let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
        let why = format!(
            "{} is published for {}, {} for {}: they communicate over a network or files, not in one program",
            first.name,
            list(first_ecosystems),
            second.name,
            list(second_ecosystems)
        );
        add_reason(points::APART, why);
    }
}

/// Adds reasons for the versions that the project uses.
fn add_version_reasons(
    first: &Entry<'_>,
    second: &Entry<'_>,
    stack: &Stack,
    add_reason: &mut dyn FnMut(i32, String),
) {
    let used_versions = [first, second].map(|entry| entry.version_in(stack));
    for (entry, used) in [first, second].into_iter().zip(&used_versions) {
        let described = entry.version.and_then(Version::read);
        if let (Some((version, path)), Some(described)) = (used, described)
            && version.compatibility_series() != described.compatibility_series()
        {
            let name = entry.name;
            let why = format!("{path} has {name} {version}; the entry describes {described}");
            add_reason(points::OTHER_MAJOR, why);
        }
    }
    if used_versions.iter().all(Option::is_some) {
        add_reason(points::TOGETHER_HERE, "the project uses both today".to_owned());
    }
}

/// Scores every pair of the technologies; lowest score first.
#[must_use]
pub fn score_pairs(entries: &[&Entry<'_>], stack: &Stack) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (index, first) in entries.iter().enumerate() {
        pairs.extend(entries[index + 1..].iter().map(|second| score_pair(first, second, stack)));
    }
    pairs.sort_by_key(|pair| pair.score);
    pairs
}

/// Conflicts between `entries` and other technologies that the project uses: both names and the
/// reason.
#[must_use]
pub fn find_conflicts(
    entries: &[&Entry<'_>],
    knowledge: &Knowledge<'_>,
    stack: &Stack,
) -> Vec<(String, String, String)> {
    let mut conflicts = Vec::new();
    let is_listed = |stem: &str| entries.iter().any(|entry| entry.stem() == stem);
    for second in knowledge.entries().iter().filter(|entry| !is_listed(entry.stem())) {
        if second.used_in(stack).is_empty() {
            continue;
        }
        for entry in entries {
            let stated_conflict = |from: &Entry<'_>, to: &Entry<'_>| {
                let matching = from.conflicts.iter().find(|(stem, _)| *stem == to.stem());
                matching.map(|(_, why)| (*why).to_owned())
            };
            if let Some(why) =
                stated_conflict(entry, second).or_else(|| stated_conflict(second, entry))
            {
                conflicts.push((entry.name.to_owned(), second.name.to_owned(), why));
            }
        }
    }
    conflicts
}
