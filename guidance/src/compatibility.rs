//! Judges whether two technologies work together, from facts with a source: statements of knowledge
//! entries, package registries, and the manifests of the project. Without such a fact, the answer is
//! that it is not known.

use super::knowledge::{Entry, Knowledge, normalize_name};
use aidd_engine::project::stack::{Stack, Version};
use aidd_lexicon::tables::knowledge as table;
use serde::Serialize;
use std::collections::BTreeSet;

/// Whether two technologies work together; worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// An entry states a conflict.
    Conflict,
    /// One is deprecated.
    Deprecated,
    /// One replaces the other.
    Alternatives,
    /// They are not part of one program.
    Apart,
    /// There is no fact that decides it.
    NotKnown,
    /// An entry states that they work together, or the project uses both.
    Compatible,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn display(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Deprecated => "not for new work",
            Self::Alternatives => "alternatives to each other",
            Self::Apart => "not in one program",
            Self::NotKnown => "not known",
            Self::Compatible => "work together",
        }
    }
}

/// A fact about a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The verdict that follows from the fact; `None` for a caution.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// The fact, without a full stop.
    pub fact: String,
    /// The source: the name of a knowledge entry, or the path of a manifest.
    pub source: String,
}

/// What is known about two technologies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The names of both technologies.
    pub names: [String; 2],
    /// Whether they work together.
    pub verdict: Verdict,
    /// The facts, those that decide the verdict first; empty if nothing is known.
    pub facts: Vec<Fact>,
}

/// Compares a pair. `stack` is the project in which both would be used.
#[must_use]
pub fn compare(first: &Entry<'_>, second: &Entry<'_>, stack: &Stack) -> Pair {
    let mut facts = Vec::new();
    let mut add = |verdict: Option<Verdict>, fact: String, source: &str| {
        facts.push(Fact { verdict, fact, source: source.to_owned() });
    };
    let is_stated = add_stated_facts(first, second, &mut add);
    add_alternatives(first, second, is_stated, &mut add);
    add_language_facts(first, second, is_stated, &mut add);
    if !is_stated {
        add_ecosystem_facts(first, second, &mut add);
    }
    add_version_facts(first, second, stack, &mut add);
    for entry in [first, second] {
        let (name, updated) = (entry.name, entry.updated);
        if entry.maturity == "deprecated" {
            let fact = format!("{name} is deprecated (entry of {updated})");
            add(Some(Verdict::Deprecated), fact, &entry.page.name);
        } else if entry.maturity == "experimental" {
            add(None, format!("{name} is experimental (entry of {updated})"), &entry.page.name);
        }
    }
    facts.sort_by_key(|fact| fact.verdict.map_or((1, None), |verdict| (0, Some(verdict))));
    let verdict = facts.first().and_then(|fact| fact.verdict).unwrap_or(Verdict::NotKnown);
    let names = [first.name.to_owned(), second.name.to_owned()];
    Pair { names, verdict, facts }
}

/// Adds a fact, its source and the verdict that follows from it.
type AddFact<'f> = dyn FnMut(Option<Verdict>, String, &str) + 'f;

/// Adds the statements of the entries about each other. Returns whether there is such a statement.
fn add_stated_facts(first: &Entry<'_>, second: &Entry<'_>, add: &mut AddFact<'_>) -> bool {
    for (from, to) in [(first, second), (second, first)] {
        if let Some((_, why)) = from.conflicts.iter().find(|(stem, _)| *stem == to.stem()) {
            add(Some(Verdict::Conflict), format!("stated conflict: {why}"), &from.page.name);
            return true;
        }
    }
    let mut is_stated = false;
    for (from, to) in [(first, second), (second, first)] {
        if from.works_with.contains(&to.stem()) {
            let fact = format!("the entry on {} states that it works with {}", from.name, to.name);
            add(Some(Verdict::Compatible), fact, &from.page.name);
            is_stated = true;
        }
    }
    is_stated
}

/// Adds the statement that one technology is an alternative to the other, unless an entry also
/// states that they work together.
fn add_alternatives(first: &Entry<'_>, second: &Entry<'_>, is_stated: bool, add: &mut AddFact<'_>) {
    for (from, to) in [(first, second), (second, first)] {
        let names: BTreeSet<String> = [to.name, to.stem()]
            .into_iter()
            .chain(to.aliases.iter().copied())
            .map(normalize_name)
            .collect();
        let rows = from.alternatives().into_iter();
        if let Some((_, when)) =
            rows.into_iter().find(|(name, _)| names.contains(&normalize_name(name)))
        {
            let fact = format!("{} is an alternative to {}: {when}", to.name, from.name);
            add((!is_stated).then_some(Verdict::Alternatives), fact, &from.page.name);
            return;
        }
    }
}

/// Adds whether programs can use a package, if one technology is their language or runtime and the
/// other is the package.
fn add_language_facts(
    first: &Entry<'_>,
    second: &Entry<'_>,
    is_stated: bool,
    add: &mut AddFact<'_>,
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
        let fact =
            format!("{name} is published for {ecosystem}, which {language_name} programs use");
        add(Some(Verdict::Compatible), fact, &package.page.name);
    } else if !is_stated {
        let list = ecosystems.into_iter().collect::<Vec<_>>().join(", ");
        let fact =
            format!("{name} is published for {list}, which {language_name} programs do not use");
        add(Some(Verdict::Apart), fact, &package.page.name);
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

/// Adds a fact if the two are libraries that cannot be part of one program.
fn add_ecosystem_facts(first: &Entry<'_>, second: &Entry<'_>, add: &mut AddFact<'_>) {
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
        add(Some(Verdict::Apart), why, &first.page.name);
    }
}

/// Adds what the project uses.
fn add_version_facts(first: &Entry<'_>, second: &Entry<'_>, stack: &Stack, add: &mut AddFact<'_>) {
    let used_versions = [first, second].map(|entry| entry.version_in(stack));
    for (entry, used) in [first, second].into_iter().zip(&used_versions) {
        let described = entry.version.and_then(Version::read);
        if let (Some((version, path)), Some(described)) = (used, described)
            && version.compatibility_series() != described.compatibility_series()
        {
            let fact = format!(
                "the project has {} {version}; the entry describes {described}",
                entry.name
            );
            add(None, fact, path);
        }
    }
    let conflicts = |from: &Entry<'_>, to: &Entry<'_>| {
        from.conflicts.iter().any(|(stem, _)| *stem == to.stem())
    };
    // A client of Redis proves nothing about Redis where Valkey runs.
    let is_ambiguous = conflicts(first, second) || conflicts(second, first);
    if let [Some(used), Some(other)] = [first, second].map(|entry| entry.usage_in(stack))
        && !(is_ambiguous && (used.is_client || other.is_client))
    {
        add(Some(Verdict::Compatible), "the project uses both today".to_owned(), &used.path);
    }
}

/// Compares every pair of the technologies; conflicts first.
#[must_use]
pub fn compare_pairs(entries: &[&Entry<'_>], stack: &Stack) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (index, first) in entries.iter().enumerate() {
        pairs.extend(entries[index + 1..].iter().map(|second| compare(first, second, stack)));
    }
    pairs.sort_by_key(|pair| pair.verdict);
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
        if second.usage_in(stack).is_none_or(|usage| usage.is_client) {
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
