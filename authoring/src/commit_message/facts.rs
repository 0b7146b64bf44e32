//! What a change consists of, file by file.

use super::dependencies::{self, Bump};
use super::file_kind::{self, FileKind};
use super::keys::{self, KeyDelta};
use super::lines::{self, LineCounts};
use super::symbols::{SymbolKind, symbols};
use super::symbols_diff::{self, Delta, FileSymbols, Placed};
use super::syntax;
use super::{Change, ChangeKind, Input};
use schemars::JsonSchema;
use serde::Serialize;

/// Most bytes of text that are read, over all files.
const MAX_BYTES: usize = 16 << 20;

/// What kind of difference there is between the two texts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Difference {
    /// The text means something else, or one of the two is missing.
    Content,
    /// Layout only.
    Layout,
    /// Comments only.
    Comments,
    /// The tests in it only.
    Tests,
    /// The text is the same: the path or the mode differs.
    None,
}

/// A changed file as a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// From the root of the repository.
    pub path: String,
    /// The path before, when it was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What happened to it.
    pub change: ChangeKind,
    /// What it is for.
    pub kind: FileKind,
    /// How its two texts differ.
    pub difference: Difference,
    /// The programming language, where a grammar for it is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// New lines.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
}

/// What happened to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SymbolChangeKind {
    /// There was none of this name.
    Added,
    /// There is none of this name any more.
    Removed,
    /// The same body under another name.
    Renamed,
    /// The same name in another file.
    Moved,
    /// Another body or signature.
    Changed,
}

impl SymbolChangeKind {
    /// The word for it in a list.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::Changed => "changed",
        }
    }
}

/// A function, type, value, member or test case that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolChange {
    /// What happened to it.
    pub change: SymbolChangeKind,
    /// What it is.
    pub kind: SymbolKind,
    /// Its name, after that of its type; of a test case, its title.
    pub name: String,
    /// The file it is in, or was.
    pub path: String,
    /// The name before, when it is renamed; the path before, when it is moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Other files may use it.
    pub is_public: bool,
}

/// A dependency that is added, removed or required in another version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyChange {
    /// What happened to it.
    pub change: ChangeKind,
    /// As the manifest names it.
    pub name: String,
    /// The manifest, workflow or container file.
    pub path: String,
    /// The version before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The version now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A key of a configuration file that is added, removed or set to another value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingChange {
    /// What happened to it.
    pub change: ChangeKind,
    /// `path.to.key`.
    pub key: String,
    /// The file.
    pub path: String,
    /// The new value, when it is a number or a truth value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A changed file and what is known of it.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) change: &'a Change,
    pub(super) kind: FileKind,
    difference: Difference,
    lines: LineCounts,
    keys: KeyDelta,
    bumps: Vec<Bump>,
    /// The project's own version, when this manifest sets a new one.
    version: Option<String>,
}

/// All that is known of a change.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// By path.
    pub(super) files: Vec<File<'a>>,
    pub(super) symbols: Delta,
}

impl<'a> Facts<'a> {
    /// Looks at every file.
    pub(super) fn new(input: &'a Input) -> Self {
        let mut changes: Vec<&Change> = input.changes.iter().collect();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        let mut budget = MAX_BYTES;
        let mut files = Vec::with_capacity(changes.len());
        let mut with_symbols = Vec::new();
        for change in changes {
            let size: usize =
                [&change.before, &change.after].into_iter().flatten().map(String::len).sum();
            let (file, symbols) = if size <= budget {
                budget -= size;
                read(change)
            } else {
                (without_text(change), None)
            };
            files.push(file);
            with_symbols.extend(symbols);
        }
        let symbols = symbols_diff::compare(with_symbols);
        Self { files, symbols }
    }

    /// The new version of the project itself.
    pub(super) fn version(&self) -> Option<&str> {
        self.files.iter().find_map(|file| file.version.as_deref())
    }

    pub(super) fn file_changes(&self) -> Vec<FileChange> {
        let change = |file: &File<'_>| FileChange {
            path: file.change.path.clone(),
            old_path: file.change.old_path.clone(),
            change: file.change.kind,
            kind: file.kind,
            difference: file.difference,
            language: syntax::language(&file.change.path).map(|language| language.to_string()),
            added: file.lines.added,
            removed: file.lines.removed,
        };
        self.files.iter().map(change).collect()
    }

    /// All symbols that differ: public ones of the product first, tests last.
    pub(super) fn symbol_changes(&self) -> Vec<SymbolChange> {
        let change = |change, it: &Placed, from: Option<&String>| SymbolChange {
            change,
            kind: it.symbol.kind,
            name: it.symbol.name.clone(),
            path: it.path.clone(),
            from: from.cloned(),
            is_public: it.symbol.exported && !it.symbol.in_test && is_product(&it.path),
        };
        let delta = &self.symbols;
        let mut all: Vec<(bool, SymbolChange)> = Vec::new();
        let mut push = |kind, it: &Placed, from| {
            all.push((it.symbol.in_test, change(kind, it, from)));
        };
        delta.added.iter().for_each(|it| push(SymbolChangeKind::Added, it, None));
        delta.removed.iter().for_each(|it| push(SymbolChangeKind::Removed, it, None));
        for pair in &delta.renamed {
            push(SymbolChangeKind::Renamed, &pair.after, Some(&pair.before.symbol.name));
        }
        for pair in &delta.moved {
            push(SymbolChangeKind::Moved, &pair.after, Some(&pair.before.path));
        }
        delta.changed.iter().for_each(|pair| push(SymbolChangeKind::Changed, &pair.after, None));
        all.sort_by_key(|(in_test, change)| (!change.is_public, *in_test));
        all.into_iter().map(|(_, change)| change).collect()
    }

    pub(super) fn dependency_changes(&self) -> Vec<DependencyChange> {
        let of_file = |file: &File<'_>| {
            let path = file.change.path.clone();
            let change = move |bump: &Bump| DependencyChange {
                change: match (bump.was, bump.is) {
                    (false, _) => ChangeKind::Added,
                    (_, false) => ChangeKind::Deleted,
                    _ => ChangeKind::Changed,
                },
                name: bump.name.clone(),
                path: path.clone(),
                from: bump.from.clone(),
                to: bump.to.clone(),
            };
            file.bumps.iter().map(change).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    /// The settings that differ; not those of files whose dependencies differ.
    pub(super) fn setting_changes(&self) -> Vec<SettingChange> {
        let mut all = Vec::new();
        for file in self.files.iter().filter(|file| file.bumps.is_empty()) {
            let mut push = |change, key: &String, value: Option<&String>| {
                let path = file.change.path.clone();
                all.push(SettingChange { change, key: key.clone(), path, value: value.cloned() });
            };
            file.keys.added.iter().for_each(|key| push(ChangeKind::Added, key, None));
            file.keys.removed.iter().for_each(|key| push(ChangeKind::Deleted, key, None));
            for (key, value) in &file.keys.set {
                push(ChangeKind::Changed, key, value.as_ref());
            }
        }
        all
    }
}

/// Whether the file at `path` is part of the product, and no test of it.
pub(super) fn is_product(path: &str) -> bool {
    matches!(file_kind::of(path), FileKind::Source | FileKind::Content)
}

/// What is known without the texts.
fn without_text(change: &Change) -> File<'_> {
    let is_moved = change.old_path.is_some() && change.before == change.after;
    File {
        change,
        kind: file_kind::of(&change.path),
        difference: if is_moved { Difference::None } else { Difference::Content },
        lines: LineCounts::default(),
        keys: KeyDelta::default(),
        bumps: Vec::new(),
        version: None,
    }
}

fn read(change: &Change) -> (File<'_>, Option<FileSymbols>) {
    let mut file = without_text(change);
    let (before, after) = texts(change);
    if file_kind::is_marked_generated(after) || file_kind::is_marked_generated(before) {
        let can_be = matches!(file.kind, FileKind::Source | FileKind::Config | FileKind::Other);
        file.kind = if can_be { FileKind::Generated } else { file.kind };
    }
    file.lines = lines::compare(before, after);
    file.difference = difference(change, file.kind);
    let is_old = change.kind == ChangeKind::Changed;
    let has_dependencies = matches!(file.kind, FileKind::Manifest | FileKind::Build | FileKind::Ci);
    if is_old && has_dependencies {
        file.bumps = dependencies::compare(&change.path, before, after);
        file.version = dependencies::released(&change.path, before, after);
    }
    if is_old && (has_dependencies || file.kind == FileKind::Config) {
        file.keys = keys::compare(&change.path, before, after).unwrap_or_default();
    }
    let old_path = change.old_path.as_deref().unwrap_or(&change.path);
    let has_symbols = matches!(file.kind, FileKind::Source | FileKind::Test)
        && matches!(file.difference, Difference::Content | Difference::Tests);
    let symbols = has_symbols.then(|| FileSymbols {
        path: change.path.clone(),
        old_path: old_path.to_owned(),
        before: symbols(old_path, before),
        after: symbols(&change.path, after),
    });
    (file, symbols)
}

fn texts(change: &Change) -> (&str, &str) {
    (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

fn difference(change: &Change, kind: FileKind) -> Difference {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return without_text(change).difference;
    };
    if before == after {
        return Difference::None;
    }
    if !matches!(kind, FileKind::Source | FileKind::Test) {
        return Difference::Content;
    }
    let (old, new) = (syntax::tokens(&change.path, before), syntax::tokens(&change.path, after));
    let (Some(old), Some(new)) = (old, new) else { return Difference::Content };
    if old.code == new.code {
        let same_comments = old.comments == new.comments;
        return if same_comments { Difference::Layout } else { Difference::Comments };
    }
    if kind == FileKind::Source && change.path.ends_with(".rs") {
        let product = |text| syntax::tokens(&change.path, without_tests(text)).map(|it| it.code);
        if product(before) == product(after) {
            return Difference::Tests;
        }
    }
    Difference::Content
}

/// A Rust text up to its unit tests.
fn without_tests(text: &str) -> &str {
    let end = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(|&at| {
        let rest = text[at..].lines().find(|line| !line.trim_start().starts_with("#["));
        rest.is_some_and(|line| line.trim_start().trim_start_matches("pub ").starts_with("mod "))
    });
    end.map_or(text, |end| &text[..end])
}
