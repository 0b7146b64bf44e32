//! The part of the project that a change is about: a package, or the deepest folder common to the
//! files that gave the type; by the names that the project's own history has for its parts.

use super::facts::{Facts, File};
use super::file_kind::FileKind;
use super::package::{self, is_below};
use super::phrase::{self, COMMON_FOLDERS};
use super::verdict::Verdict;
use super::{Input, Type};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// So many subjects show what a project is used to.
const TELLING: usize = 10;
/// A part with this share of the changed lines is what a change is about, in percent.
const MOST: usize = 60;
/// Most characters of a scope.
const LONGEST: usize = 24;
/// Folders that say what files are for, not what they are about.
const FOLDERS_OF_KINDS: &[&str] = &[
    "__tests__",
    "assets",
    "bench",
    "benches",
    "content",
    "doc",
    "docs",
    "e2e",
    "examples",
    "fixtures",
    "public",
    "rules",
    "script",
    "scripts",
    "spec",
    "specs",
    "static",
    "test",
    "testdata",
    "tests",
    "tools",
];

/// A scope and its grounds.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) name: Option<String>,
    pub(super) why: Option<String>,
}

/// What a project's commit messages are like.
#[derive(Debug, Default)]
pub(super) struct Customs {
    /// How many follow Conventional Commits.
    conventional: usize,
    /// Scope, in lower case → how it is written, and how often.
    scopes: BTreeMap<String, (String, usize)>,
    types: BTreeMap<String, usize>,
    /// The type of changes to dependencies, when they have a scope of their own.
    dependencies: Option<(Type, String)>,
}

impl Customs {
    /// Reads the first lines of messages.
    pub(super) fn of(subjects: &[String]) -> Self {
        static HEADER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^([a-z]+)(?:\(([^()]+)\))?!?: \S").expect("a constant pattern")
        });
        let mut customs = Self::default();
        for subject in subjects {
            let Some(found) = HEADER.captures(subject) else { continue };
            customs.conventional += 1;
            *customs.types.entry(found[1].to_owned()).or_default() += 1;
            let Some(scope) = found.get(2).map(|scope| scope.as_str()) else { continue };
            let entry = customs.scopes.entry(scope.to_lowercase());
            entry.or_insert_with(|| (scope.to_owned(), 0)).1 += 1;
            if customs.dependencies.is_none() && scope.starts_with("deps") {
                let kind = if &found[1] == "chore" { Type::Chore } else { Type::Build };
                customs.dependencies = Some((kind, scope.to_owned()));
            }
        }
        customs
    }

    /// What the project calls changes to what builds it, when that is not `build`.
    pub(super) fn type_of_builds(&self) -> Option<Type> {
        if let Some((kind, _)) = &self.dependencies {
            return (*kind == Type::Chore).then_some(Type::Chore);
        }
        let is_telling = self.conventional >= TELLING;
        let is_chore = self.types.contains_key("chore") && !self.types.contains_key("build");
        (is_telling && is_chore).then_some(Type::Chore)
    }

    fn has_no_scopes(&self) -> bool {
        self.conventional >= TELLING && self.scopes.is_empty()
    }
}

/// Chooses the scope of a change.
pub(super) fn choose(facts: &Facts<'_>, verdict: &Verdict, input: &Input) -> Choice {
    let customs = Customs::of(&input.subjects);
    if verdict.released.is_some() {
        let known = customs.scopes.get("release").map(|(scope, _)| scope.clone());
        let why = known.as_ref().map(|_| "scope release: so are releases here".to_owned());
        return Choice { name: known, why };
    }
    if customs.has_no_scopes() {
        let why = "no scope: the project's messages have none".to_owned();
        return Choice { name: None, why: Some(why) };
    }
    let files: Vec<&File<'_>> = facts.in_group(verdict.group).collect();
    if is_about_dependencies(&files) {
        return dependencies(&customs);
    }
    let folders = package::folders(&input.context, &input.changes);
    let parts: Vec<(Vec<Part>, usize)> = files
        .iter()
        .filter(|file| file.weight() > 0)
        .map(|file| (parts(&file.change.path, &folders, &customs), file.weight()))
        .collect();
    let whole: usize = parts.iter().map(|(_, weight)| weight).sum();
    let share = |part: &Part| -> usize {
        let own = parts.iter().filter(|(own, _)| own.iter().any(|it| it.path == part.path));
        own.map(|(_, weight)| weight).sum::<usize>()
    };
    let mut candidates: Vec<(&Part, usize)> =
        parts.iter().flat_map(|(own, _)| own).map(|part| (part, share(part))).collect();
    candidates.retain(|(_, share)| share * 100 >= whole * MOST && *share > 0);
    // What holds all files before what holds most; then the names the project knows, the deepest
    // of them, then packages, then the deepest folder.
    candidates.sort_by_key(|(part, share)| {
        let depth = part.path.matches('/').count();
        let is_package = part.is_package && !part.is_known;
        std::cmp::Reverse((*share == whole, part.is_known, is_package, depth))
    });
    let is_strict = customs.conventional >= TELLING;
    let best = candidates
        .iter()
        .find(|(part, share)| part.is_known || part.is_package || (*share == whole && !is_strict));
    match best {
        Some((part, share)) => {
            let why = if *share == whole {
                format!("scope {}: all files it is about lie in {}", part.name, part.path)
            } else {
                let percent = share * 100 / whole.max(1);
                format!(
                    "scope {}: {percent} % of the changed lines lie in {}",
                    part.name, part.path
                )
            };
            Choice { name: Some(part.name.clone()), why: Some(why) }
        }
        None if parts.len() > 1 => {
            let why = "no scope: the files lie in several parts of the project".to_owned();
            Choice { name: None, why: Some(why) }
        }
        None => Choice::default(),
    }
}

fn is_about_dependencies(files: &[&File<'_>]) -> bool {
    let mut has_bumps = false;
    let only = files.iter().all(|file| {
        has_bumps |= !file.bumps.is_empty();
        !file.bumps.is_empty() || file.kind == FileKind::Lock
    });
    only && (has_bumps || !files.is_empty())
}

fn dependencies(customs: &Customs) -> Choice {
    let known = customs.dependencies.as_ref().map(|(_, scope)| scope.clone());
    let unknown = customs.conventional < TELLING;
    let name = known.or_else(|| unknown.then(|| "deps".to_owned()));
    let why = name.as_ref().map(|name| format!("scope {name}: only dependencies differ"));
    Choice { name, why }
}

/// A part of the project that a file belongs to.
#[derive(Clone, Debug)]
struct Part {
    path: String,
    name: String,
    is_package: bool,
    /// Whether the project's messages have this scope.
    is_known: bool,
}

/// The parts that the file at `path` belongs to.
fn parts(path: &str, packages: &[String], customs: &Customs) -> Vec<Part> {
    let mut parts = Vec::new();
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    let package = packages
        .iter()
        .filter(|folder| !folder.is_empty() && is_below(path, folder))
        .max_by_key(|folder| folder.len());
    let mut at = String::new();
    let folders = folders.split('/').take_while(|segment| !segment.starts_with('.'));
    for segment in folders.filter(|segment| !segment.is_empty()) {
        if !at.is_empty() {
            at.push('/');
        }
        at.push_str(segment);
        let is_package = package == Some(&at);
        parts.extend(part(&at, segment, is_package, customs));
    }
    // A file is a part of its own only if the project says so.
    if let Some(stem) = phrase::stem(path) {
        parts.extend(part(path, stem, false, customs).filter(|part| part.is_known));
    }
    parts
}

fn part(path: &str, segment: &str, is_package: bool, customs: &Customs) -> Option<Part> {
    let lower = segment.to_lowercase();
    let known = customs
        .scopes
        .get(&lower)
        .or_else(|| customs.scopes.get(&lower.replace('_', "-")))
        .map(|(scope, _)| scope.clone());
    let is_known = known.is_some();
    let is_usual = COMMON_FOLDERS.contains(&segment) || FOLDERS_OF_KINDS.contains(&segment);
    if is_usual && !is_known && !is_package {
        return None;
    }
    let name = known.unwrap_or(lower);
    let is_plain =
        name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@'));
    (is_plain && name.chars().count() <= LONGEST).then(|| Part {
        path: path.to_owned(),
        name,
        is_package,
        is_known,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customs_are_read_from_subjects() {
        let subjects = ["feat(Engine): a", "fix(engine): b", "chore(deps): c", "Merge x", "wip"];
        let customs = Customs::of(&subjects.map(str::to_owned));
        assert_eq!(customs.conventional, 3);
        assert_eq!(customs.scopes["engine"], ("Engine".to_owned(), 2));
        assert_eq!(customs.type_of_builds(), Some(Type::Chore));
        assert!(!customs.has_no_scopes());
    }

    #[test]
    fn a_file_belongs_to_its_package_and_folders() {
        let packages = ["".to_owned(), "packages/web".to_owned()];
        let of = |path: &str, subjects: &[&str]| {
            let subjects: Vec<String> = subjects.iter().map(|s| (*s).to_owned()).collect();
            let parts = parts(path, &packages, &Customs::of(&subjects));
            parts.into_iter().map(|part| part.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("packages/web/src/auth/login.ts", &[]), "web auth");
        assert_eq!(of("packages/web/src/auth/login.ts", &["fix(login): x"]), "web auth login");
        assert_eq!(of("src/main.rs", &[]), "");
        assert_eq!(of("docs/a.md", &["docs(docs): x"]), "docs");
        assert_eq!(of(".github/workflows/ci.yml", &[]), "");
    }
}
