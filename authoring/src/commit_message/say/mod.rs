//! The sentences of a message. Each group of files has its own; the group that gave the type
//! speaks first, and its first sentence is the subject.

mod product;
mod settings;

use super::facts::{Facts, File, Nature};
use super::phrase::{self, Phrase, code, listing, place};
use super::prose;
use super::symbols::SymbolKind;
use super::symbols_diff::Placed;
use super::verdict::{Group, Verdict};
use super::{Fate, Type};

/// The sentences of a message: the first is its subject, the others its body.
pub(super) fn say(facts: &Facts<'_>, verdict: &Verdict, scope: Option<&str>) -> Vec<Phrase> {
    if let Some(version) = &verdict.released {
        return vec![Phrase::new([format!("release {version}")])];
    }
    let speaker = Speaker { facts, scope, kind: verdict.kind };
    let mut said: Vec<Phrase> = prose::changelog_entry(facts).into_iter().collect();
    match verdict.group {
        Group::Product => speaker.product(&mut said),
        Group::Test => speaker.tests(&mut said),
        Group::Docs => speaker.docs(&mut said),
        Group::Style => said.extend(speaker.layout()),
        Group::Move | Group::Ci | Group::Build | Group::Chore => {}
    }
    said.extend(speaker.moved_files());
    speaker.dependencies(&mut said);
    let is_settings = matches!(verdict.group, Group::Ci | Group::Build | Group::Chore);
    if is_settings || said.is_empty() {
        speaker.settings(verdict.group, &mut said);
    }
    if said.is_empty() {
        said.push(speaker.fallback(verdict.group));
    }
    if verdict.group == Group::Product {
        said.extend(speaker.new_tests());
    }
    said
}

struct Speaker<'a> {
    facts: &'a Facts<'a>,
    scope: Option<&'a str>,
    kind: Type,
}

impl Speaker<'_> {
    fn place(&self, preposition: &str, path: &str) -> String {
        place(preposition, path, self.scope)
    }

    /// Files at another path, nothing else.
    fn moved_files(&self) -> Option<Phrase> {
        let moved: Vec<(&str, &str)> = self
            .facts
            .files
            .iter()
            .filter(|file| file.nature == Nature::Moved)
            .filter_map(|file| Some((file.change.old_path.as_deref()?, file.change.path.as_str())))
            .collect();
        let &(from, to) = moved.first()?;
        let split = |path: &'_ str| -> (String, String) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            (folder.to_owned(), name.to_owned())
        };
        let ((from_folder, from_name), (to_folder, to_name)) = (split(from), split(to));
        if moved.len() == 1 {
            return Some(if from_folder == to_folder {
                Phrase::new([
                    format!("rename {from} to {to}"),
                    format!("rename {from_name} to {to_name}"),
                ])
            } else {
                Phrase::new([
                    format!("move {from} to {to}"),
                    format!("move {from_name} to {to_folder}"),
                    format!("move {from_name}"),
                ])
            });
        }
        let (old, new) = common_renaming(&moved)?;
        let count = format!("{} files", moved.len());
        Some(Phrase::new([
            format!("move {old} to {new}"),
            format!("move {count} to {new}"),
            format!("move {count}"),
        ]))
    }

    fn tests(&self, said: &mut Vec<Phrase>) {
        let new: Vec<&Placed> = self.facts.added_tests().collect();
        if let [test] = new.as_slice() {
            let title = prose::sentence(&test.symbol.name);
            let place = self.place("to", &test.path);
            said.push(Phrase::new([prose::asserted(&title), format!("add a test{place}")]));
        } else if !new.is_empty() {
            said.push(self.count_tests(&new));
        }
        let symbols = &self.facts.symbols;
        let gone: Vec<String> = symbols
            .removed
            .iter()
            .filter(|it| it.symbol.kind == SymbolKind::Test)
            .map(|it| code(&it.symbol.name))
            .collect();
        said.extend((!gone.is_empty()).then(|| listing("remove the test", &gone, "")));
        let files: Vec<&File<'_>> = self.facts.in_group(Group::Test).collect();
        let added: Vec<String> = files
            .iter()
            .filter(|file| file.change.fate == Fate::Added)
            .filter(|file| !new.iter().any(|it| it.path == file.change.path))
            .map(|file| file.name().to_owned())
            .collect();
        said.extend((!added.is_empty()).then(|| listing("add", &added, "")));
        if !said.is_empty() {
            return;
        }
        let changed: Vec<String> = symbols
            .changed
            .iter()
            .filter(|pair| pair.after.symbol.kind == SymbolKind::Test)
            .map(|pair| code(&pair.after.symbol.name))
            .collect();
        let helpers: Vec<&Placed> =
            symbols.added.iter().filter(|it| !self.facts.is_product(&it.path)).collect();
        let is_short = changed.iter().all(|name| name.chars().count() <= 40);
        if let ([first, ..], true) = (helpers.as_slice(), changed.is_empty()) {
            let names: Vec<String> = helpers.iter().map(|it| code(&it.symbol.name)).collect();
            said.push(listing("add", &names, &self.place("to", &first.path)));
        } else if is_short && !changed.is_empty() {
            said.push(listing("change", &changed, ""));
        } else {
            let verb = if changed.is_empty() { "change" } else { "change the tests in" };
            let names: Vec<String> = files.iter().map(|file| file.name().to_owned()).collect();
            said.push(listing(verb, &names, ""));
        }
    }

    fn count_tests(&self, new: &[&Placed]) -> Phrase {
        let one_file = new.iter().all(|it| it.path == new[0].path);
        let place = if one_file { self.place("to", &new[0].path) } else { String::new() };
        let count = format!("add {} tests", new.len());
        Phrase::new([format!("{count}{place}"), count])
    }

    /// The tests that come with a change of the product.
    fn new_tests(&self) -> Option<Phrase> {
        let new: Vec<&Placed> = self.facts.added_tests().collect();
        match new.as_slice() {
            [] => None,
            [test] => Some(Phrase::new([prose::asserted(&prose::sentence(&test.symbol.name))])),
            several => Some(self.count_tests(several)),
        }
    }

    fn docs(&self, said: &mut Vec<Phrase>) {
        let files: Vec<&File<'_>> = self.facts.in_group(Group::Docs).collect();
        let mut pages: Vec<&File<'_>> =
            files.iter().copied().filter(|file| file.nature == Nature::Real).collect();
        pages.retain(|file| prose::is_prose(&file.change.path));
        pages.sort_by_key(|file| std::cmp::Reverse(file.lines.count()));
        for page in pages.iter().take(4) {
            said.extend(prose::page(page));
        }
        let commented: Vec<&File<'_>> =
            files.iter().copied().filter(|file| file.nature == Nature::Comments).collect();
        if !commented.is_empty() {
            let names: Vec<String> = commented.iter().map(|file| file.name().to_owned()).collect();
            let only_new = commented.iter().all(|file| file.lines.removed.is_empty());
            let verb = if only_new { "comment" } else { "revise the comments in" };
            said.push(listing(verb, &names, ""));
        }
        let others: Vec<String> = files
            .iter()
            .filter(|file| file.nature == Nature::Real && !prose::is_prose(&file.change.path))
            .map(|file| file.name().to_owned())
            .collect();
        if said.is_empty() && !others.is_empty() {
            said.push(listing("update", &others, ""));
        }
    }

    fn layout(&self) -> Option<Phrase> {
        let files: Vec<String> =
            self.facts.in_group(Group::Style).map(|file| file.name().to_owned()).collect();
        (!files.is_empty()).then(|| listing("format", &files, ""))
    }

    /// When nothing else can be said: which files.
    fn fallback(&self, group: Group) -> Phrase {
        let mut files: Vec<&File<'_>> = self.facts.in_group(group).collect();
        if files.is_empty() {
            files = self.facts.files.iter().collect();
        }
        files.sort_by_key(|file| std::cmp::Reverse(file.weight()));
        let all = |fate| files.iter().all(|file| file.change.fate == fate);
        let verb = if all(Fate::Added) {
            "add"
        } else if all(Fate::Deleted) {
            "remove"
        } else {
            "update"
        };
        let names: Vec<String> = files.iter().map(|file| phrase::plain(file.name())).collect();
        listing(verb, &names, "")
    }
}

/// The folders that differ in all pairs of paths, when they are the same two in all.
fn common_renaming(moved: &[(&str, &str)]) -> Option<(String, String)> {
    let folders = |(from, to): &(&str, &str)| {
        let (mut from, mut to): (Vec<&str>, Vec<&str>) =
            (from.split('/').collect(), to.split('/').collect());
        while from.len() > 1 && to.len() > 1 && from.last() == to.last() {
            from.pop();
            to.pop();
        }
        (from.join("/"), to.join("/"))
    };
    let first = folders(moved.first()?);
    let mut both = first.clone();
    for pair in moved {
        let (from, to) = folders(pair);
        if (from.clone(), to.clone()) != first {
            let common = |one: &str, other: &str| -> String {
                let same = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b);
                same.map(|(a, _)| a).collect::<Vec<_>>().join("/")
            };
            both = (common(&both.0, &from), common(&both.1, &to));
        }
    }
    (!both.0.is_empty() && !both.1.is_empty() && both.0 != both.1).then_some(both).or_else(|| {
        let (_, to) = moved.first()?;
        let folder = to.rsplit_once('/').map_or("the root", |(folder, _)| folder);
        Some((format!("{} files", moved.len()), folder.to_owned()))
    })
}
