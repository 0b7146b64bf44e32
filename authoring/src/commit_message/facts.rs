//! What a change consists of, file by file.

use super::dependencies::{self, Bump};
use super::file_kind::{self, FileKind};
use super::keys::{self, KeyDelta};
use super::lines::{self, Lines};
use super::phrase;
use super::symbols::{SymbolKind, symbols};
use super::symbols_diff::{self, Delta, FileSymbols, Placed};
use super::syntax;
use super::verdict::Group;
use super::{Change, Fate, Input};

/// Most bytes of text that are looked at closely, over all files.
const CLOSELY: usize = 16 << 20;

/// What kind of difference there is between the two texts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It does or says something else.
    Real,
    /// Layout only.
    Layout,
    /// Comments only.
    Comments,
    /// The tests in it only.
    Tests,
    /// Another path, nothing else.
    Moved,
    /// Whether it can be executed, or nothing that can be seen.
    Mode,
}

/// A changed file and what is known of it.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) change: &'a Change,
    pub(super) kind: FileKind,
    pub(super) nature: Nature,
    pub(super) lines: Lines,
    pub(super) keys: Option<KeyDelta>,
    pub(super) bumps: Vec<Bump>,
    /// The project's own version, when this manifest gives it a new one.
    pub(super) released: Option<String>,
}

impl File<'_> {
    /// What it counts as.
    pub(super) fn group(&self) -> Group {
        match (self.kind, self.nature) {
            (FileKind::Source | FileKind::Content, Nature::Moved) => Group::Move,
            (FileKind::Source | FileKind::Test, Nature::Layout) => Group::Style,
            (FileKind::Source, Nature::Comments) => Group::Docs,
            (FileKind::Source, Nature::Tests) | (FileKind::Test, _) => Group::Test,
            (FileKind::Source | FileKind::Content, _) => Group::Product,
            (FileKind::Docs, _) => Group::Docs,
            (FileKind::Ci, _) => Group::Ci,
            (FileKind::Manifest | FileKind::Build | FileKind::Lock, _) => Group::Build,
            (FileKind::Config | FileKind::Asset | FileKind::Generated | FileKind::Other, _) => {
                Group::Chore
            }
        }
    }

    /// How much it weighs against other files.
    pub(super) fn weight(&self) -> usize {
        match self.kind {
            FileKind::Lock | FileKind::Generated => 0,
            _ => self.lines.count().max(1),
        }
    }

    /// Its name without folders; with the nearest one when many files have that name.
    pub(super) fn name(&self) -> &str {
        let path = self.change.path.as_str();
        let segments = if phrase::is_generic(path) { 2 } else { 1 };
        let start = path.rmatch_indices('/').nth(segments - 1).map_or(0, |(at, _)| at + 1);
        &path[start..]
    }
}

/// All that is known of a change.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) files: Vec<File<'a>>,
    pub(super) symbols: Delta,
    pub(super) subjects: &'a [String],
}

impl<'a> Facts<'a> {
    /// Looks at every file.
    pub(super) fn of(input: &'a Input) -> Self {
        let mut changes: Vec<&Change> = input.changes.iter().collect();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        let mut closely = CLOSELY;
        let mut files = Vec::with_capacity(changes.len());
        let mut with_symbols = Vec::new();
        for change in changes {
            let size: usize =
                [&change.before, &change.after].into_iter().flatten().map(String::len).sum();
            let (file, symbols) = if size <= closely {
                closely -= size;
                look(change)
            } else {
                (at_a_glance(change), None)
            };
            files.push(file);
            with_symbols.extend(symbols);
        }
        let symbols = symbols_diff::compare(with_symbols);
        Self { files, symbols, subjects: &input.subjects }
    }

    /// The files that count as `group`.
    pub(super) fn in_group(&self, group: Group) -> impl Iterator<Item = &File<'a>> {
        self.files.iter().filter(move |file| file.group() == group)
    }

    /// The new symbols of the product that others may use.
    pub(super) fn added(&self) -> impl Iterator<Item = &Placed> {
        let of_product = |it: &&Placed| it.symbol.exported && !it.symbol.in_test;
        self.symbols.added.iter().filter(of_product).filter(|it| self.is_product(&it.path))
    }

    /// The new cases of tests.
    pub(super) fn added_tests(&self) -> impl Iterator<Item = &Placed> {
        self.symbols.added.iter().filter(|it| it.symbol.kind == SymbolKind::Test)
    }

    pub(super) fn is_product(&self, path: &str) -> bool {
        matches!(file_kind::of(path), FileKind::Source | FileKind::Content)
    }
}

/// What can be said without the texts.
fn at_a_glance(change: &Change) -> File<'_> {
    let is_moved = change.old_path.is_some() && change.before == change.after;
    File {
        change,
        kind: file_kind::of(&change.path),
        nature: if is_moved { Nature::Moved } else { Nature::Real },
        lines: Lines::default(),
        keys: None,
        bumps: Vec::new(),
        released: None,
    }
}

fn look(change: &Change) -> (File<'_>, Option<FileSymbols>) {
    let mut file = at_a_glance(change);
    let (before, after) = texts(change);
    if file_kind::says_generated(after) || file_kind::says_generated(before) {
        let can_be = matches!(file.kind, FileKind::Source | FileKind::Config | FileKind::Other);
        file.kind = if can_be { FileKind::Generated } else { file.kind };
    }
    file.lines = lines::compare(before, after);
    file.nature = nature(change, file.kind);
    let is_old = change.fate == Fate::Changed;
    if is_old && matches!(file.kind, FileKind::Manifest | FileKind::Build | FileKind::Ci) {
        file.bumps = dependencies::compare(&change.path, before, after);
        file.released = dependencies::released(&change.path, before, after);
    }
    if is_old
        && matches!(
            file.kind,
            FileKind::Manifest | FileKind::Build | FileKind::Ci | FileKind::Config
        )
    {
        file.keys = keys::compare(&change.path, before, after);
    }
    let old_path = change.old_path.as_deref().unwrap_or(&change.path);
    let has_symbols = matches!(file.kind, FileKind::Source | FileKind::Test)
        && matches!(file.nature, Nature::Real | Nature::Tests);
    let symbols = has_symbols.then(|| FileSymbols {
        path: change.path.clone(),
        old_path: old_path.to_owned(),
        before: symbols(old_path, before),
        after: symbols(&change.path, after),
        whole_file: change.fate != Fate::Changed,
    });
    (file, symbols)
}

fn texts(change: &Change) -> (&str, &str) {
    (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

fn nature(change: &Change, kind: FileKind) -> Nature {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return at_a_glance(change).nature;
    };
    if before == after {
        let is_moved = change.old_path.is_some();
        return if is_moved { Nature::Moved } else { Nature::Mode };
    }
    if !matches!(kind, FileKind::Source | FileKind::Test) {
        return Nature::Real;
    }
    let (old, new) = (syntax::tokens(&change.path, before), syntax::tokens(&change.path, after));
    let (Some(old), Some(new)) = (old, new) else { return Nature::Real };
    if old.code == new.code {
        return match (change.old_path.is_some(), old.comments == new.comments) {
            (true, _) => Nature::Moved,
            (false, true) => Nature::Layout,
            (false, false) => Nature::Comments,
        };
    }
    if kind == FileKind::Source && change.path.ends_with(".rs") {
        let product = |text| syntax::tokens(&change.path, without_tests(text)).map(|it| it.code);
        if product(before) == product(after) {
            return Nature::Tests;
        }
    }
    Nature::Real
}

/// A Rust text up to its unit tests.
fn without_tests(text: &str) -> &str {
    let end = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(|&at| {
        let rest = text[at..].lines().find(|line| !line.trim_start().starts_with("#["));
        rest.is_some_and(|line| line.trim_start().trim_start_matches("pub ").starts_with("mod "))
    });
    end.map_or(text, |end| &text[..end])
}
