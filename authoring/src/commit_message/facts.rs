//! The facts of a change, file by file.

use super::dependencies::{self, ChangedDependency};
use super::file_kind::{self, FileKind};
use super::keys::{self, KeyDelta};
use super::lines::{self, LineCounts};
use super::symbols::{SymbolKind, symbols};
use super::symbols_diff::{self, Delta, FileSymbols, LocatedSymbol};
use super::syntax;
use super::{Change, ChangeKind, DescribeParams};
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of bytes of text that are read, over all files.
const MAX_BYTES: usize = 16 << 20;

/// The kind of difference between the two versions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Difference {
    /// The content differs, or one of the two versions is missing.
    Content,
    /// Only the layout differs.
    Layout,
    /// The files differ only in comments.
    Comments,
    /// Only the unit tests in the file differ.
    Tests,
    /// The text is identical; only the path or the mode differs.
    None,
}

/// The facts of a changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Path relative to the root of the repository.
    pub path: String,
    /// The previous path, if the file was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Whether the file was added, deleted or changed.
    pub change: ChangeKind,
    /// The purpose of the file.
    pub kind: FileKind,
    /// How the two versions differ.
    pub difference: Difference,
    /// The programming language, if a grammar for it is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
}

/// The kind of change to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SymbolChangeKind {
    /// The name did not exist before.
    Added,
    /// The name does not exist any more.
    Removed,
    /// The symbol has the same body and another name.
    Renamed,
    /// The symbol has the same name and is in another file.
    Moved,
    /// The body or signature differs.
    Changed,
}

impl SymbolChangeKind {
    /// The word used in lists.
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
    /// The kind of change.
    pub change: SymbolChangeKind,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The name, prefixed with the name of its type; for a test case, the title.
    pub name: String,
    /// The path of the file that contains the symbol, or contained it if it was removed.
    pub path: String,
    /// The previous name of a renamed symbol, or the previous path of a moved one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether other files can use the symbol.
    pub is_public: bool,
}

/// A dependency that was added, removed or changed to another version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyChange {
    /// The kind of change.
    pub change: ChangeKind,
    /// The name as written in the manifest.
    pub name: String,
    /// The path of the manifest, workflow or container file.
    pub path: String,
    /// The version before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The version after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A key of a configuration file that was added, removed or set to another value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingChange {
    /// The kind of change.
    pub change: ChangeKind,
    /// The path of the key: `path.to.key`.
    pub key: String,
    /// The path of the configuration file.
    pub path: String,
    /// The new value, if it is a number or a boolean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A changed file and its facts.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) change: &'a Change,
    pub(super) kind: FileKind,
    pub(super) difference: Difference,
    pub(super) lines: LineCounts,
    keys: KeyDelta,
    pub(super) changed_dependencies: Vec<ChangedDependency>,
    /// The old and the new version of the project, if this manifest changes it.
    pub(super) version: Option<(String, String)>,
}

/// All facts of a change.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// The changed files, sorted by path.
    pub(super) files: Vec<File<'a>>,
    pub(super) symbols: Delta,
}

impl<'a> Facts<'a> {
    /// Analyses every file of `input`.
    pub(super) fn new(input: &'a DescribeParams) -> Self {
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
                (file_without_text(change), None)
            };
            files.push(file);
            with_symbols.extend(symbols);
        }
        let symbols = symbols_diff::compare(with_symbols);
        Self { files, symbols }
    }

    /// The old and the new version of the project itself.
    pub(super) fn version(&self) -> Option<(&str, &str)> {
        let versions = self.files.iter().filter_map(|file| file.version.as_ref());
        versions.map(|(old, new)| (old.as_str(), new.as_str())).next()
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

    /// All symbols that differ: public symbols of the product first, tests last.
    pub(super) fn symbol_changes(&self) -> Vec<SymbolChange> {
        let change = |change, located: &LocatedSymbol, from: Option<&String>| SymbolChange {
            change,
            kind: located.symbol.kind,
            name: located.symbol.name.clone(),
            path: located.path.clone(),
            from: from.cloned(),
            is_public: located.symbol.exported
                && !located.symbol.in_test
                && is_product(&located.path),
        };
        let delta = &self.symbols;
        let mut all: Vec<(bool, SymbolChange)> = Vec::new();
        let mut push = |kind, located: &LocatedSymbol, from| {
            all.push((located.symbol.in_test, change(kind, located, from)));
        };
        delta.added.iter().for_each(|symbol| push(SymbolChangeKind::Added, symbol, None));
        delta.removed.iter().for_each(|symbol| push(SymbolChangeKind::Removed, symbol, None));
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
        let changes_in = |file: &File<'_>| {
            let path = file.change.path.clone();
            let change = move |dependency: &ChangedDependency| DependencyChange {
                change: match (dependency.was_present, dependency.is_present) {
                    (false, _) => ChangeKind::Added,
                    (_, false) => ChangeKind::Deleted,
                    _ => ChangeKind::Changed,
                },
                name: dependency.name.clone(),
                path: path.clone(),
                from: dependency.from.clone(),
                to: dependency.to.clone(),
            };
            file.changed_dependencies.iter().map(change).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(changes_in).collect()
    }

    /// The settings that differ, except in files whose dependencies differ.
    pub(super) fn setting_changes(&self) -> Vec<SettingChange> {
        let mut all = Vec::new();
        for file in self.files.iter().filter(|file| file.changed_dependencies.is_empty()) {
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

/// Whether the file at `path` is part of the product and not a test.
pub(super) fn is_product(path: &str) -> bool {
    matches!(file_kind::from_path(path), FileKind::Source | FileKind::Content)
}

/// The facts that do not depend on the contents.
fn file_without_text(change: &Change) -> File<'_> {
    let is_moved = change.old_path.is_some() && change.before == change.after;
    File {
        change,
        kind: file_kind::from_path(&change.path),
        difference: if is_moved { Difference::None } else { Difference::Content },
        lines: LineCounts::default(),
        keys: KeyDelta::default(),
        changed_dependencies: Vec::new(),
        version: None,
    }
}

fn read(change: &Change) -> (File<'_>, Option<FileSymbols>) {
    let mut file = file_without_text(change);
    let (before, after) = before_and_after(change);
    if file_kind::is_marked_generated(after) || file_kind::is_marked_generated(before) {
        let can_be_generated =
            matches!(file.kind, FileKind::Source | FileKind::Config | FileKind::Other);
        file.kind = if can_be_generated { FileKind::Generated } else { file.kind };
    }
    file.lines = lines::compare(before, after);
    file.difference = difference(change, file.kind);
    let existed = change.kind == ChangeKind::Changed;
    let has_dependencies = matches!(file.kind, FileKind::Manifest | FileKind::Build | FileKind::Ci);
    if existed && has_dependencies {
        file.changed_dependencies = dependencies::compare(&change.path, before, after);
        file.version = dependencies::versions(&change.path, before, after);
    }
    if existed && (has_dependencies || file.kind == FileKind::Config) {
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

fn before_and_after(change: &Change) -> (&str, &str) {
    (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

fn difference(change: &Change, kind: FileKind) -> Difference {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return file_without_text(change).difference;
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
        let product_code =
            |text| syntax::tokens(&change.path, without_tests(text)).map(|tokens| tokens.code);
        if product_code(before) == product_code(after) {
            return Difference::Tests;
        }
    }
    Difference::Content
}

/// The part of a Rust file before its unit tests.
fn without_tests(text: &str) -> &str {
    let end = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(|&at| {
        let rest = text[at..].lines().find(|line| !line.trim_start().starts_with("#["));
        rest.is_some_and(|line| line.trim_start().trim_start_matches("pub ").starts_with("mod "))
    });
    end.map_or(text, |end| &text[..end])
}
