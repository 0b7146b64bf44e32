//! Matches locked packages against advisories in the OSV format:
//! <https://ossf.github.io/osv-schema/>. The advisories are read from files; nothing is downloaded.

use super::declared::{Origin, normalize};
use super::locked::Lock;
use super::ranges::{compare, compare_semantic};
use super::stack::Ecosystem;
use serde::{Deserialize, Deserializer, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// Reads `null`, which some databases write for an empty list, as an empty list.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Option::<Vec<T>>::deserialize(from).map(Option::unwrap_or_default)
}

#[derive(Deserialize)]
struct Advisory {
    id: String,
    #[serde(default)]
    withdrawn: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default, deserialize_with = "list")]
    affected: Vec<Affected>,
}

#[derive(Deserialize)]
struct Affected {
    #[serde(default)]
    package: Option<Package>,
    #[serde(default, deserialize_with = "list")]
    ranges: Vec<Range>,
    #[serde(default, deserialize_with = "list")]
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
}

#[derive(Deserialize)]
struct Range {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "list")]
    events: Vec<Event>,
}

/// An event of a range, in which one of the keys is set.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    introduced: Option<String>,
    #[serde(default)]
    fixed: Option<String>,
    #[serde(default)]
    last_affected: Option<String>,
    #[serde(default)]
    limit: Option<String>,
}

/// An advisory that applies, or possibly applies, to a locked package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Match {
    /// The path of the lock file.
    pub lock: String,
    /// The name of the package.
    pub package: String,
    /// The locked version.
    pub version: String,
    /// The id of the advisory.
    pub advisory: String,
    /// A summary of the advisory in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The versions that fix the defect.
    pub fixed: Vec<String>,
    /// Whether the version is affected; `None` if the versions cannot be compared.
    pub affected: Option<bool>,
}

/// The locked packages of a project, for lookups by name.
#[derive(Debug)]
pub struct Matcher<'l> {
    /// Ecosystem and name → lock file and index of the package.
    packages: HashMap<(Ecosystem, &'l str), Vec<(&'l Lock, usize)>>,
    found: BTreeSet<Match>,
    /// The number of advisories that were read.
    pub advisories: usize,
    /// The number of files that are not advisories.
    pub invalid: usize,
}

impl<'l> Matcher<'l> {
    /// A matcher for the packages in `locks` that are from a registry.
    #[must_use]
    pub fn new(locks: &'l [Lock]) -> Self {
        let mut packages: HashMap<(Ecosystem, &str), Vec<(&Lock, usize)>> = HashMap::new();
        for lock in locks {
            for (index, package) in lock.packages.iter().enumerate() {
                if package.origin == Origin::Registry && !package.is_manifest_only {
                    let key = (lock.ecosystem, &*package.name);
                    packages.entry(key).or_default().push((lock, index));
                }
            }
        }
        Self { packages, found: BTreeSet::new(), advisories: 0, invalid: 0 }
    }

    /// Compares the packages with the advisory in `text`, a JSON file. Withdrawn advisories are
    /// ignored.
    pub fn add(&mut self, text: &str) {
        let Ok(advisory) = serde_json::from_str::<Advisory>(text) else {
            self.invalid += 1;
            return;
        };
        self.advisories += 1;
        if advisory.withdrawn.is_some() {
            return;
        }
        for affected in &advisory.affected {
            let Some(package) = &affected.package else { continue };
            let Some(ecosystem) = ecosystem(&package.ecosystem) else { continue };
            let name = match ecosystem {
                Ecosystem::Pypi => normalize(&package.name),
                Ecosystem::Composer => package.name.to_lowercase(),
                _ => package.name.clone(),
            };
            let Some(locked) = self.packages.get(&(ecosystem, &*name)) else { continue };
            for (lock, index) in locked {
                let version = &lock.packages[*index].version;
                let is_affected = affected.applies_to(ecosystem, version);
                if is_affected != Some(false) {
                    self.found.insert(Match {
                        lock: lock.path.clone(),
                        package: name.clone(),
                        version: version.clone(),
                        advisory: advisory.id.clone(),
                        summary: advisory.summary.clone(),
                        fixed: affected.fixed(),
                        affected: is_affected,
                    });
                }
            }
        }
    }

    /// The advisories that apply or possibly apply, sorted by lock file and package.
    #[must_use]
    pub fn matches(self) -> Vec<Match> {
        self.found.into_iter().collect()
    }
}

/// The ecosystem with this name in OSV, with or without a suffix: `Maven:https://…`.
fn ecosystem(name: &str) -> Option<Ecosystem> {
    Some(match name.split(':').next().unwrap_or(name) {
        "npm" => Ecosystem::Npm,
        "crates.io" => Ecosystem::Cargo,
        "PyPI" => Ecosystem::Pypi,
        "Go" => Ecosystem::Go,
        "Maven" => Ecosystem::Maven,
        "NuGet" => Ecosystem::Nuget,
        "RubyGems" => Ecosystem::Gem,
        "Packagist" => Ecosystem::Composer,
        _ => return None,
    })
}

impl Affected {
    /// Whether the version is affected: it is listed, or in one of the ranges.
    fn applies_to(&self, ecosystem: Ecosystem, version: &str) -> Option<bool> {
        let plain = |text: &str| text.trim_start_matches('v').to_owned();
        let is_listed = self.versions.iter().any(|listed| {
            plain(listed) == plain(version)
                || compare(ecosystem, listed, version) == Some(Ordering::Equal)
        });
        if is_listed {
            return Some(true);
        }
        let mut unknown = false;
        for range in self.ranges.iter().filter(|range| range.kind != "GIT") {
            match range.contains(ecosystem, version) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => unknown = true,
            }
        }
        // Commits of a repository cannot be compared with a version.
        let is_git_only = self.versions.is_empty()
            && !self.ranges.is_empty()
            && self.ranges.iter().all(|range| range.kind == "GIT");
        (!unknown && !is_git_only).then_some(false)
    }

    fn fixed(&self) -> Vec<String> {
        let ranges = self.ranges.iter().filter(|range| range.kind != "GIT");
        let events = ranges.flat_map(|range| &range.events);
        let fixed: BTreeSet<&String> = events.filter_map(|event| event.fixed.as_ref()).collect();
        fixed.into_iter().cloned().collect()
    }
}

impl Range {
    /// Whether the version is between an `introduced` and the next `fixed` or `last_affected`
    /// event: the last event at or below the version decides. If the range has limits, the version
    /// must also be below one of them.
    fn contains(&self, ecosystem: Ecosystem, version: &str) -> Option<bool> {
        // Ranges of the type `SEMVER` do not depend on the ecosystem.
        let compare = |a: &str, b: &str| match &*self.kind {
            "SEMVER" => compare_semantic(a, b),
            _ => compare(ecosystem, a, b),
        };
        let at = |other: &str| match other {
            "0" => Some(Ordering::Greater),
            _ => compare(version, other),
        };
        let mut limits = self.events.iter().filter_map(|event| event.limit.as_deref()).peekable();
        if limits.peek().is_some() {
            let mut is_below = false;
            for limit in limits {
                is_below |= limit == "*" || at(limit)?.is_lt();
            }
            if !is_below {
                return Some(false);
            }
        }
        let mut last: Option<(&str, bool)> = None;
        for event in &self.events {
            let (text, is_reached, is_start) = match event {
                Event { introduced: Some(text), .. } => (text, at(text)?.is_ge(), true),
                Event { fixed: Some(text), .. } => (text, at(text)?.is_ge(), false),
                Event { last_affected: Some(text), .. } => (text, at(text)?.is_gt(), false),
                _ => continue,
            };
            if !is_reached {
                continue;
            }
            let is_later = match last {
                None | Some(("0", _)) => true,
                Some((known, _)) => text != "0" && compare(text, known)?.is_ge(),
            };
            if is_later {
                last = Some((text, is_start));
            }
        }
        Some(last.is_some_and(|(_, is_start)| is_start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::locked;
    use proptest::prelude::*;

    /// The matches as `package version advisory`, with `?` if it is unknown whether the version is
    /// affected.
    fn matches(path: &str, lock: &str, advisories: &[&str]) -> Vec<String> {
        let locks = [locked::read(path, lock).expect("a lock file")];
        let mut matcher = Matcher::new(&locks);
        advisories.iter().for_each(|text| matcher.add(text));
        let all = matcher.matches().into_iter();
        all.map(|found| {
            let mark = if found.affected.is_none() { "?" } else { "" };
            format!("{} {} {}{mark}", found.package, found.version, found.advisory)
        })
        .collect()
    }

    fn advisory(ecosystem: &str, name: &str, rest: &str) -> String {
        format!(
            r#"{{"id": "X-1", "affected": [{{"package": {{"ecosystem": "{ecosystem}", "name": "{name}"}}, {rest}}}]}}"#
        )
    }

    const LOCK: &str = "# yarn lockfile v1\n\na@^1.0.0:\n  version \"1.5.0\"\n\nb@^2.0.0:\n  version \"2.0.0-beta.1\"\n";

    #[test]
    fn ranges_and_lists_are_matched() {
        for (rest, expected) in [
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.5.1"}]}]"#,
                true,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.5.0"}]}]"#,
                false,
            ),
            (r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "1.5.0"}]}]"#, true),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"last_affected": "1.5.0"}]}]"#,
                true,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"last_affected": "1.4.9"}]}]"#,
                false,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"fixed": "1.2.0"}, {"introduced": "1.4.0"}, {"introduced": "0"}, {"fixed": "2.0.0"}]}]"#,
                true,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.2.0"}]}]"#,
                false,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "1.0"}, {"last_affected": "1.2.0"}, {"introduced": "1.4.0"}, {"limit": "1.5.0"}]}]"#,
                false,
            ),
            (
                r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"limit": "1.5.0"}, {"limit": "1.6.0"}]}]"#,
                true,
            ),
            (
                r#""versions": null, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]"#,
                true,
            ),
            (r#""versions": ["1.5.0"], "ranges": null"#, true),
            (r#""versions": ["1.4.0", "1.5.0"]"#, true),
            (r#""versions": ["1.4.0"]"#, false),
        ] {
            let found = matches("yarn.lock", LOCK, &[&advisory("npm", "a", rest)]);
            assert_eq!(found.len(), usize::from(expected), "{rest}: {found:?}");
        }
    }

    #[test]
    fn versions_that_cannot_be_compared_have_an_unknown_result() {
        let git = r#""ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]"#;
        assert_eq!(matches("yarn.lock", LOCK, &[&advisory("npm", "a", git)]), ["a 1.5.0 X-1?"]);
        let range = r#""ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.0"}]}]"#;
        let composer = r#"{ "packages": [{ "name": "v/a", "version": "1.0-RC1" }] }"#;
        let found = matches("composer.lock", composer, &[&advisory("Packagist", "v/a", range)]);
        assert_eq!(found, ["v/a 1.0-RC1 X-1?"]);
    }

    #[test]
    fn versions_of_all_ecosystems_are_matched() {
        let range = r#""ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.0-alpha"}, {"fixed": "1.0"}]}]"#;
        let gradle = "g:a:1.0-RC1=compileClasspath\ng:b:1.0.0=compileClasspath\n";
        for (name, expected) in [("g:a", &["g:a 1.0-RC1 X-1"][..]), ("g:b", &[])] {
            let found = matches("gradle.lockfile", gradle, &[&advisory("Maven", name, range)]);
            assert_eq!(found, expected);
        }
        // A checksum of a manifest does not show that the module is used.
        let sums = "a.example/x v1.0.0 h1:0\na.example/x v1.0.0/go.mod h1:0\na.example/x v1.1.0/go.mod h1:0\n";
        let all = r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]"#;
        let found = matches("go.sum", sums, &[&advisory("Go", "a.example/x", all)]);
        assert_eq!(found, ["a.example/x v1.0.0 X-1"]);
        let npm = r#"{ "lockfileVersion": 1, "dependencies": { "a": { "version": "1.0.0", "dependencies": { "b": { "version": "2.0.0" } } } } }"#;
        let found = matches("package-lock.json", npm, &[&advisory("npm", "b", all)]);
        assert_eq!(found, ["b 2.0.0 X-1"]);
    }

    #[test]
    fn other_packages_and_withdrawn_advisories_are_ignored() {
        let all = r#""ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]"#;
        let withdrawn =
            advisory("npm", "a", all).replacen('{', r#"{"withdrawn": "2026-01-01T00:00:00Z", "#, 1);
        let others = [advisory("PyPI", "a", all), advisory("npm", "c", all), withdrawn];
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        assert!(matches("yarn.lock", LOCK, &others).is_empty());
        assert_eq!(matches("yarn.lock", LOCK, &["{", &advisory("npm", "b", all)]).len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[{}\\[\\]\":,a-z0-9. ]{0,60}") {
            let locks = [locked::read("yarn.lock", LOCK).expect("a lock file")];
            Matcher::new(&locks).add(&text);
        }
    }
}
