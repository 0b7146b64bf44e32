//! Which type a change has, on what grounds. A type is claimed only on evidence: code that is only
//! otherwise written, for all the files show, is `refactor`.

use super::facts::{Facts, File, Nature};
use super::file_kind::FileKind;
use super::prose;
use super::scope::Customs;
use super::symbols_diff::Placed;
use super::{Fate, Type};
use regex::Regex;
use std::sync::LazyLock;

/// Most changed lines of the product in a change that mends one fault.
const SMALL: usize = 80;

/// What a file counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// What the product does.
    Product,
    /// Tests.
    Test,
    /// Words for people.
    Docs,
    /// Continuous integration.
    Ci,
    /// What builds, and dependencies.
    Build,
    /// Settings and the rest.
    Chore,
    /// Layout.
    Style,
    /// Files at another path.
    Move,
}

/// A type and its grounds.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) kind: Type,
    pub(super) group: Group,
    pub(super) why: String,
    /// The version, when the change is a release.
    pub(super) released: Option<String>,
}

/// Judges a change.
pub(super) fn judge(facts: &Facts<'_>) -> Verdict {
    if let Some(version) = release(facts) {
        let why = format!("type chore: the project's own version is now {version}");
        return Verdict { kind: Type::Chore, group: Group::Build, why, released: Some(version) };
    }
    let has_product = facts.in_group(Group::Product).next().is_some();
    let (kind, group, why) = if has_product {
        let (kind, why) = product(facts);
        let group = if kind == Type::Test { Group::Test } else { Group::Product };
        (kind, group, why)
    } else {
        let group = heaviest(facts);
        let (kind, why) = other(facts, group);
        (kind, group, why)
    };
    Verdict { kind, group, why: format!("type {kind}: {why}"), released: None }
}

/// The new version of the project, when the change does little but set it.
fn release(facts: &Facts<'_>) -> Option<String> {
    let version = facts.files.iter().find_map(|file| file.released.clone())?;
    let only_that = facts.files.iter().all(|file| {
        matches!(file.kind, FileKind::Lock | FileKind::Manifest)
            || file.change.path.to_ascii_lowercase().contains("changelog")
            || (file.lines.count() > 0 && file.lines.added.iter().all(|l| l.contains(&version)))
    });
    let sets_others = facts.files.iter().flat_map(|file| &file.bumps).any(|bump| {
        // Members of a workspace name each other's version.
        bump.to.as_deref() != Some(version.as_str())
    });
    (only_that && !sets_others).then_some(version)
}

/// The group with the most changed lines; written-by-programs count only among themselves.
fn heaviest(facts: &Facts<'_>) -> Group {
    let weight = |group: Group| facts.in_group(group).map(File::weight).sum::<usize>();
    let present = |group: &Group| facts.in_group(*group).next().is_some();
    // Moves first: what else changes then mostly follows them.
    let all = [
        Group::Move,
        Group::Test,
        Group::Ci,
        Group::Build,
        Group::Docs,
        Group::Chore,
        Group::Style,
    ];
    let mut best = None;
    for group in all.into_iter().filter(present) {
        if best.is_none_or(|(_, most)| weight(group) > most) {
            best = Some((group, weight(group)));
        }
    }
    best.map_or(Group::Chore, |(group, _)| group)
}

fn other(facts: &Facts<'_>, group: Group) -> (Type, String) {
    let only = if facts.files.iter().all(|file| file.group() == group) { "only" } else { "mostly" };
    let (kind, what) = match group {
        Group::Product => (Type::Refactor, "source"),
        Group::Test => (Type::Test, "tests"),
        Group::Docs => (Type::Docs, "documentation and comments"),
        Group::Ci => (Type::Ci, "continuous integration"),
        Group::Build => return build(facts, only),
        Group::Chore => (Type::Chore, "settings and other files"),
        Group::Style => (Type::Style, "the layout of source"),
        Group::Move => return (Type::Refactor, "files have another path".to_owned()),
    };
    (kind, format!("{only} {what}"))
}

/// Dependencies and what builds: as `chore` where the project never says `build`.
fn build(facts: &Facts<'_>, only: &str) -> (Type, String) {
    let customs = Customs::of(facts.subjects);
    let what = if facts.files.iter().any(|file| !file.bumps.is_empty()) {
        "dependencies"
    } else {
        "what builds the project"
    };
    match customs.type_of_builds() {
        Some(kind) => (kind, format!("{only} {what}, which the project calls {kind}")),
        None => (Type::Build, format!("{only} {what}")),
    }
}

fn product(facts: &Facts<'_>) -> (Type, String) {
    if let Some((kind, section)) = prose::changelog_type(facts) {
        return (kind, format!("the changelog has it under {section}"));
    }
    let added: Vec<&str> = facts.added().map(|it| it.symbol.name.as_str()).collect();
    if let Some((first, others)) = added.split_first() {
        let more =
            if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        return (Type::Feat, format!("`{first}`{more} can be used elsewhere and is new"));
    }
    let mut pages = facts.in_group(Group::Product);
    if pages.all(|file| {
        let is_prose = file.kind == FileKind::Content;
        is_prose && prose::typos(&file.lines.added, &file.lines.removed).is_some()
    }) {
        return (Type::Fix, "only spelling differs".to_owned());
    }
    if let Some(word) = told(facts, &FIX) {
        return (Type::Fix, format!("a new comment or test says \"{word}\""));
    }
    if let Some(new) = new_product_file(facts) {
        return (Type::Feat, format!("{new} is new"));
    }
    let decides = facts.symbols.changed.iter().find(|pair| {
        !pair.after.symbol.in_test && facts.is_product(&pair.after.path) && pair.decides_otherwise()
    });
    let tests = facts.added_tests().count();
    if let (Some(pair), 1.., true) = (decides, tests, is_small(facts)) {
        let name = &pair.after.symbol.name;
        return (Type::Fix, format!("a condition in `{name}` is another one, and a test is new"));
    }
    if let Some(word) = told(facts, &PERF) {
        return (Type::Perf, format!("a new comment says \"{word}\""));
    }
    if is_mostly_tests(facts) {
        return (Type::Test, "nearly all of it is tests".to_owned());
    }
    unproven(facts)
}

/// The type where nothing speaks for more.
fn unproven(facts: &Facts<'_>) -> (Type, String) {
    let symbols = &facts.symbols;
    let has_symbols = !(symbols.added.is_empty()
        && symbols.removed.is_empty()
        && symbols.changed.is_empty()
        && symbols.renamed.is_empty()
        && symbols.moved.is_empty());
    if has_symbols {
        let why = "source is otherwise, and nothing shows a new feature or a fault mended";
        (Type::Refactor, why.to_owned())
    } else {
        let is_code = |file: &File<'_>| super::syntax::language(&file.change.path).is_some();
        if facts.in_group(Group::Product).any(is_code) {
            (Type::Refactor, "source is otherwise outside of functions and types".to_owned())
        } else {
            (Type::Chore, "files of the product are otherwise, and nothing shows why".to_owned())
        }
    }
}

/// A file of the product that was not there.
fn new_product_file<'a>(facts: &'a Facts<'_>) -> Option<&'a str> {
    let mut files = facts.in_group(Group::Product);
    let moved = &facts.symbols.moved;
    files
        .find(|file| {
            file.change.fate == Fate::Added
                && file.nature == Nature::Real
                && !moved.iter().any(|pair| pair.after.path == file.change.path)
        })
        .map(|file| file.change.path.as_str())
}

/// Whether a change of the product can be the mending of one fault: few lines, nothing renamed or
/// gone, little that is new.
fn is_small(facts: &Facts<'_>) -> bool {
    let symbols = &facts.symbols;
    let of_product = |it: &&Placed| !it.symbol.in_test && facts.is_product(&it.path);
    let new = symbols.added.iter().filter(of_product).count();
    let gone = symbols.removed.iter().filter(of_product).count();
    let lines: usize = facts.in_group(Group::Product).map(|file| file.lines.count()).sum();
    lines <= SMALL && new <= 2 && gone == 0 && symbols.renamed.is_empty()
}

/// Three changed lines of the product beside thirty of tests are there for the tests.
fn is_mostly_tests(facts: &Facts<'_>) -> bool {
    let lines = |group| facts.in_group(group).map(|file| file.lines.count()).sum::<usize>();
    lines(Group::Product) <= 3 && lines(Group::Test) >= 30
}

static FIX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(regressions?|bugs?|fixes #\d+|issue #\d+|used to (?:panic|crash|fail)|no longer (?:panics?|crash(?:es)?|fails?)|crash(?:es|ed)?|deadlocks?|data races?|off[- ]by[- ]one|use[- ]after[- ]free|memory leaks?)\b",
    )
});
static PERF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(quadratic|linear time|faster|cheaper|fewer allocations|without allocating)\b")
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// A word that the new comments and test titles say. What is gone says nothing.
fn told(facts: &Facts<'_>, words: &Regex) -> Option<String> {
    let sources = facts.files.iter().filter(|file| {
        matches!(file.group(), Group::Product | Group::Test)
            && matches!(file.kind, FileKind::Source | FileKind::Test)
            && file.change.fate == Fate::Changed
    });
    let comments = sources.flat_map(|file| &file.lines.added).filter_map(|line| comment(line));
    let titles = facts.added_tests().map(|it| it.symbol.name.replace('_', " "));
    comments
        .map(str::to_owned)
        .chain(titles)
        .find_map(|text| Some(words.find(&text)?.as_str().to_ascii_lowercase()))
}

/// The comment on a line of source.
fn comment(line: &str) -> Option<&str> {
    const MARKS: [&str; 5] = ["//", "#", "/*", "* ", "--"];
    let trimmed = line.trim_start();
    if trimmed.starts_with("#[") || trimmed.starts_with("#!") {
        return None;
    }
    let whole = MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark));
    // With spaces around it, lest it be that of an address.
    whole.or_else(|| line.split_once(" // ").map(|(_, comment)| comment))
}
