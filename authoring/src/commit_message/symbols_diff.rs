//! Compares symbols, and finds those that were added, removed, renamed, moved or changed.

use super::symbols::{Symbol, SymbolKind};
use super::syntax::TOKEN_SEPARATOR;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Minimum similarity of two bodies for a rename, from 0 to 1.
const MIN_SIMILARITY: f32 = 0.8;
/// Minimum number of tokens for a body to be distinctive.
const MIN_TOKENS: usize = 8;
/// Maximum total cost of the comparisons that find renames, in pairs of tokens.
const MAX_COST: usize = 50_000_000;

/// A symbol and the path of its file.
#[derive(Clone, Debug)]
pub(super) struct LocatedSymbol {
    pub(super) path: String,
    pub(super) symbol: Symbol,
}

/// A symbol before and after the change.
#[derive(Clone, Debug)]
pub(super) struct SymbolPair {
    pub(super) before: LocatedSymbol,
    pub(super) after: LocatedSymbol,
}

impl SymbolPair {
    /// Whether the part that callers see differs.
    pub(super) fn signature_differs(&self) -> bool {
        self.before.symbol.signature != self.after.symbol.signature
    }
}

/// The changes to the symbols of all changed files.
#[derive(Clone, Debug, Default)]
pub(super) struct Delta {
    pub(super) added: Vec<LocatedSymbol>,
    pub(super) removed: Vec<LocatedSymbol>,
    pub(super) renamed: Vec<SymbolPair>,
    /// Symbols that have the same name and are now in another file.
    pub(super) moved: Vec<SymbolPair>,
    /// Symbols that have the same name and file, and another body or signature.
    pub(super) changed: Vec<SymbolPair>,
}

/// The symbols of one file before and after the change.
pub(super) struct FileSymbols {
    pub(super) path: String,
    /// The path before the change.
    pub(super) old_path: String,
    pub(super) before: Vec<Symbol>,
    pub(super) after: Vec<Symbol>,
}

/// Compares the symbols of `files`.
pub(super) fn compare(files: Vec<FileSymbols>) -> Delta {
    let mut delta = Delta::default();
    for file in files {
        compare_file(file, &mut delta);
    }
    find_moved(&mut delta);
    find_renamed(&mut delta);
    remove_implied_changes(&mut delta);
    delta
}

fn compare_file(file: FileSymbols, delta: &mut Delta) {
    let located = |symbol: Symbol, path: &str| LocatedSymbol { path: path.to_owned(), symbol };
    let mut before: BTreeMap<(SymbolKind, String), VecDeque<Symbol>> = BTreeMap::new();
    for symbol in file.before {
        before.entry((symbol.kind, symbol.name.clone())).or_default().push_back(symbol);
    }
    for symbol in file.after {
        let same = before.get_mut(&(symbol.kind, symbol.name.clone()));
        match same.and_then(VecDeque::pop_front) {
            None => delta.added.push(located(symbol, &file.path)),
            Some(old)
                if old.tokens.code == symbol.tokens.code && old.exported == symbol.exported => {}
            Some(old) => delta.changed.push(SymbolPair {
                before: located(old, &file.old_path),
                after: located(symbol, &file.path),
            }),
        }
    }
    delta
        .removed
        .extend(before.into_values().flatten().map(|symbol| located(symbol, &file.old_path)));
}

/// Pairs the removed and added symbols that have the same key, and removes these from `delta`.
fn take_pairs<K: Ord>(
    delta: &mut Delta,
    before_key: impl Fn(&LocatedSymbol) -> Option<K>,
    after_key: impl Fn(&LocatedSymbol) -> Option<K>,
) -> Vec<SymbolPair> {
    let mut added: Vec<Option<LocatedSymbol>> =
        std::mem::take(&mut delta.added).into_iter().map(Some).collect();
    let mut by_key: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
    for (at, symbol) in added.iter().flatten().enumerate() {
        if let Some(key) = after_key(symbol) {
            by_key.entry(key).or_default().push_back(at);
        }
    }
    let mut pairs = Vec::new();
    for before in std::mem::take(&mut delta.removed) {
        let key = before_key(&before);
        let found = key.and_then(|key| by_key.get_mut(&key)).and_then(VecDeque::pop_front);
        match found.and_then(|at| added[at].take()) {
            Some(after) => pairs.push(SymbolPair { before, after }),
            None => delta.removed.push(before),
        }
    }
    delta.added = added.into_iter().flatten().collect();
    pairs
}

/// Finds symbols with the same name in another file; within one file they are already paired.
fn find_moved(delta: &mut Delta) {
    let key = |located: &LocatedSymbol| {
        let symbol = &located.symbol;
        Some((symbol.kind, symbol.name.clone(), symbol.in_test))
    };
    delta.moved = take_pairs(delta, key, key);
}

fn find_renamed(delta: &mut Delta) {
    let key = |located: &LocatedSymbol| {
        let symbol = &located.symbol;
        can_be_renamed(symbol)
            .then(|| (symbol.kind, symbol.parent.clone(), without_own_name(symbol).join("\n")))
    };
    delta.renamed = take_pairs(delta, key, key);
    find_similar(delta);
    // The names of a renamed type's members begin with the new name of the type.
    let types: BTreeMap<String, String> = delta
        .renamed
        .iter()
        .map(|pair| (pair.before.symbol.name.clone(), pair.after.symbol.name.clone()))
        .collect();
    let member =
        |symbol: &Symbol, parent: &String| (parent.clone(), symbol.unqualified_name().to_owned());
    take_pairs(
        delta,
        |old| Some(member(&old.symbol, types.get(old.symbol.parent.as_ref()?)?)),
        |new| Some(member(&new.symbol, new.symbol.parent.as_ref()?)),
    );
}

/// Finds symbols of one file that are nearly identical except for their names.
fn find_similar(delta: &mut Delta) {
    let mut budget = MAX_COST;
    let mut remaining = Vec::new();
    for before in std::mem::take(&mut delta.removed) {
        let tokens = without_own_name(&before.symbol);
        let found = delta.added.iter().position(|after| {
            let (old, new) = (&before.symbol, &after.symbol);
            let is_candidate = before.path == after.path
                && old.kind == new.kind
                && old.parent == new.parent
                && budget > 0
                && can_be_renamed(old)
                && can_be_renamed(new);
            if !is_candidate {
                return false;
            }
            budget = budget.saturating_sub(new.tokens.code.len());
            is_similar(&tokens, &without_own_name(new), &mut budget)
        });
        match found {
            Some(at) => {
                let after = delta.added.remove(at);
                delta.renamed.push(SymbolPair { before, after });
            }
            None => remaining.push(before),
        }
    }
    delta.removed = remaining;
}

fn can_be_renamed(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Type | SymbolKind::Function)
        && symbol.tokens.code.matches(TOKEN_SEPARATOR).count() >= MIN_TOKENS
}

/// The tokens of a symbol, with the symbol's own name replaced by the empty string.
fn without_own_name(symbol: &Symbol) -> Vec<&str> {
    let name = symbol.unqualified_name();
    let tokens = symbol.tokens.code.split(TOKEN_SEPARATOR);
    tokens.map(|token| if token == name { "" } else { token }).collect()
}

/// Whether two bodies share most tokens in the same order. The maximum cost of the comparison is
/// deducted from `budget`; when the budget is exhausted, the result is `false`.
fn is_similar(left: &[&str], right: &[&str], budget: &mut usize) -> bool {
    let (shorter, longer) = (left.len().min(right.len()), left.len().max(right.len()));
    let cost = left.len() * right.len();
    if (shorter as f32) < MIN_SIMILARITY * longer as f32 || cost > *budget {
        return false;
    }
    *budget -= cost;
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, left, right);
    similar::diff_ratio(&ops, left.len(), right.len()) >= MIN_SIMILARITY
}

/// Removes changes that other changes imply: changes to members of an added or removed type, and
/// changes to types that differ only in their members.
fn remove_implied_changes(delta: &mut Delta) {
    let names = |symbols: &[LocatedSymbol]| -> BTreeSet<(String, String)> {
        symbols.iter().map(|located| (located.path.clone(), located.symbol.name.clone())).collect()
    };
    let (added, removed) = (names(&delta.added), names(&delta.removed));
    let is_member = |located: &LocatedSymbol, types: &BTreeSet<(String, String)>| {
        let parent = located.symbol.parent.as_ref();
        parent.is_some_and(|parent| types.contains(&(located.path.clone(), parent.clone())))
    };
    let types_with_member_changes: BTreeSet<(String, String)> = delta
        .added
        .iter()
        .chain(&delta.removed)
        .chain(delta.changed.iter().flat_map(|pair| [&pair.before, &pair.after]))
        .chain(delta.renamed.iter().map(|pair| &pair.after))
        .filter_map(|located| Some((located.path.clone(), located.symbol.parent.clone()?)))
        .collect();
    delta.changed.retain(|pair| {
        let after = &pair.after;
        after.symbol.kind != SymbolKind::Type
            || pair.signature_differs()
            || !types_with_member_changes.contains(&(after.path.clone(), after.symbol.name.clone()))
    });
    delta.added.retain(|symbol| !is_member(symbol, &added));
    delta.removed.retain(|symbol| !is_member(symbol, &removed));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit_message::symbols::symbols;

    #[track_caller]
    fn render(before: &[(&str, &str)], after: &[(&str, &str)]) -> String {
        let paths: BTreeSet<&str> = before.iter().chain(after).map(|(path, _)| *path).collect();
        let symbols_of = |files: &[(&str, &str)], path: &str| {
            files
                .iter()
                .find(|(name, _)| *name == path)
                .map_or(Vec::new(), |(_, t)| symbols(path, t))
        };
        let files = paths.into_iter().map(|path| FileSymbols {
            path: path.to_owned(),
            old_path: path.to_owned(),
            before: symbols_of(before, path),
            after: symbols_of(after, path),
        });
        let delta = compare(files.collect());
        let symbol =
            |mark: char| move |located: &LocatedSymbol| format!("{mark}{}", located.symbol.name);
        let pair = |mark: char| {
            move |pair: &SymbolPair| {
                format!("{}{mark}{}", pair.before.symbol.name, pair.after.symbol.name)
            }
        };
        let mut all: Vec<String> = delta.added.iter().map(symbol('+')).collect();
        all.extend(delta.removed.iter().map(symbol('-')));
        all.extend(delta.renamed.iter().map(pair('>')));
        all.extend(delta.moved.iter().map(pair('/')));
        all.extend(delta.changed.iter().map(pair('~')));
        all.join(" ")
    }

    #[test]
    fn symbols_are_paired() {
        let body = "(a: u8) -> u8 { let b = a + 1; c(b); d(b, a) }";
        let file = |names: &[&str]| -> String {
            names
                .iter()
                .map(|name| {
                    format!(
                        "pub fn {name}{body}
"
                    )
                })
                .collect()
        };
        let render_file = |before: &[&str], after: &[&str]| {
            render(&[("a.rs", &file(before))], &[("a.rs", &file(after))])
        };
        assert_eq!(render_file(&["e"], &["e"]), "");
        assert_eq!(render_file(&["e"], &["f"]), "e>f");
        assert_eq!(render_file(&["e"], &["e", "f"]), "+f");
        assert_eq!(render_file(&["e", "f"], &["f"]), "-e");
        assert_eq!(
            render(
                &[("a.rs", &file(&["e"])), ("b.rs", "")],
                &[("a.rs", ""), ("b.rs", &file(&["e"]))]
            ),
            "e/e"
        );
        assert_eq!(render(&[("a.rs", "fn e() { a() }")], &[("a.rs", "fn e() { b() }")]), "e~e");
    }

    #[test]
    fn member_changes_are_implied_by_their_type() {
        let class = |name: &str, more: &str| {
            format!(
                "export class {name} {{ a() {{ return 1 + 2 }} b() {{ return this.a() }} {more} }}"
            )
        };
        let render_file =
            |before: &str, after: &str| render(&[("a.ts", before)], &[("a.ts", after)]);
        assert_eq!(render_file("", &class("C", "")), "+C");
        assert_eq!(render_file(&class("C", ""), &class("D", "")), "C>D");
        assert_eq!(render_file(&class("C", ""), &class("C", "d() {}")), "+C.d");
        assert_eq!(render_file(&class("C", "d() {}"), &class("C", "d() { e() }")), "C.d~C.d");
    }
}
