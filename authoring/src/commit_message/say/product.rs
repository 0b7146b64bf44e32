//! What source does otherwise: new names, other names, other behaviour.

use super::Speaker;
use crate::commit_message::facts::{File, Nature};
use crate::commit_message::file_kind::FileKind;
use crate::commit_message::package::is_below;
use crate::commit_message::phrase::{self, Phrase, code, list, listing};
use crate::commit_message::prose;
use crate::commit_message::symbols::SymbolKind;
use crate::commit_message::symbols_diff::{Pair, Placed};
use crate::commit_message::syntax::GAP;
use crate::commit_message::verdict::Group;
use crate::commit_message::{Fate, Type};
use std::collections::BTreeMap;

/// New names or files, from which on what holds them is what is new.
const MANY: usize = 3;
/// More changed files or renamed symbols than these are counted, not named.
const FEW: usize = 4;

impl Speaker<'_> {
    /// What the product does otherwise. What a change is called comes first: new things in a
    /// feature, what was mended in a fix, else what has another name or place.
    pub(super) fn product(&self, said: &mut Vec<Phrase>) {
        let added = self.added();
        let shaped = self.reshaped();
        let corrected = self.corrected();
        match self.kind {
            Type::Feat => said.extend(added),
            Type::Fix | Type::Perf => {
                said.extend(corrected);
                said.extend(added);
            }
            _ => {
                let (extracted, private) = self.extracted();
                said.extend(extracted);
                said.extend(shaped.iter().cloned());
                said.extend(private);
                said.extend(added);
            }
        }
        if matches!(self.kind, Type::Feat | Type::Fix | Type::Perf) {
            said.extend(shaped);
        }
        if said.is_empty() {
            said.extend(self.rest());
        }
    }

    /// New files, symbols and members.
    fn added(&self) -> Vec<Phrase> {
        let mut said = Vec::new();
        let mut left: Vec<&Placed> = self.facts.added().collect();
        if let Some((folder, inside)) = self.new_folder() {
            let words = phrase::words(folder.rsplit('/').next().unwrap_or(&folder));
            said.push(Phrase::new([format!("add the {words} {}", self.unit(&inside))]));
            left.retain(|it| !inside.contains(&it.path));
        }
        // The file with the most new names speaks first.
        let mut by_path: BTreeMap<&str, Vec<&Placed>> = BTreeMap::new();
        for it in left {
            by_path.entry(&it.path).or_default().push(it);
        }
        let mut files: Vec<(&str, Vec<&Placed>)> = by_path.into_iter().collect();
        files.sort_by_key(|(_, own)| {
            std::cmp::Reverse(own.iter().map(|it| importance(it)).sum::<usize>())
        });
        said.extend(files.into_iter().map(|(path, own)| self.added_in(path, own)));
        let quiet: Vec<&File<'_>> = self
            .facts
            .in_group(Group::Product)
            .filter(|file| file.change.fate == Fate::Added && file.nature == Nature::Real)
            .filter(|file| !self.facts.added().any(|it| it.path == file.change.path))
            .filter(|file| !said_folder(&said, self.new_folder().as_ref(), &file.change.path))
            .collect();
        said.extend(self.quiet_files(&quiet));
        said
    }

    /// The names that one file has more than before.
    fn added_in(&self, path: &str, mut own: Vec<&Placed>) -> Phrase {
        own.sort_by_key(|it| std::cmp::Reverse(importance(it)));
        let is_new = own.first().is_some_and(|it| it.whole_file);
        let top = own.iter().filter(|it| it.symbol.parent.is_none()).count();
        let stem = phrase::stem(path);
        if is_new && top > MANY && stem.is_some() {
            let words = phrase::words(stem.unwrap_or_default());
            return Phrase::new([format!("add the {words} {}", self.unit(&[path.to_owned()]))]);
        }
        // Members of one type: their names, and the type once.
        let parent = own[0].symbol.parent.clone();
        let is_member = own[0].symbol.kind == SymbolKind::Member;
        if let Some(parent) = parent.filter(|_| is_member) {
            let of_it = own.iter().filter(|it| it.symbol.parent.as_ref() == Some(&parent));
            let names: Vec<String> = of_it.map(|it| code(it.symbol.own_name())).collect();
            return listing("add", &names, &format!(" to {}", code(&parent)));
        }
        let names: Vec<String> = own.iter().map(|it| code(&it.symbol.name)).collect();
        let tail = if is_new { String::new() } else { self.place("to", path) };
        listing("add", &names, &tail)
    }

    /// A folder all of whose changed files of the product are new, and several.
    fn new_folder(&self) -> Option<(String, Vec<String>)> {
        let new: Vec<&str> = self
            .facts
            .in_group(Group::Product)
            .filter(|file| file.change.fate == Fate::Added && file.kind == FileKind::Source)
            .map(|file| file.change.path.as_str())
            .collect();
        let (first, rest) = new.split_first()?;
        let mut folder = first.rsplit_once('/')?.0;
        while !rest.iter().all(|path| is_below(path, folder)) {
            folder = folder.rsplit_once('/')?.0;
        }
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_told = self.scope.is_some_and(|scope| scope.eq_ignore_ascii_case(name));
        let has_old = self
            .facts
            .files
            .iter()
            .any(|file| file.change.fate != Fate::Added && is_below(&file.change.path, folder));
        let is_good =
            new.len() >= MANY && !has_old && !is_told && !phrase::COMMON_FOLDERS.contains(&name);
        is_good.then(|| (folder.to_owned(), new.iter().map(|path| (*path).to_owned()).collect()))
    }

    /// What a file or folder of source is called.
    fn unit(&self, paths: &[String]) -> &'static str {
        let path = paths.first().map(String::as_str).unwrap_or_default();
        match path.rsplit('.').next().unwrap_or_default() {
            "go" | "java" | "kt" | "scala" => "package",
            "css" | "scss" | "less" => "styles",
            "sql" => "migrations",
            "sh" | "bash" | "zsh" | "ps1" => "scripts",
            _ => "module",
        }
    }

    /// New files without symbols to name.
    fn quiet_files(&self, files: &[&File<'_>]) -> Option<Phrase> {
        let [first, ..] = files else { return None };
        if let [file] = files {
            let title = prose::title(file.change.after.as_deref().unwrap_or_default(), file.name());
            let named = match title {
                Some(title) => format!("add {title}"),
                None => format!("add {}", file.name()),
            };
            return Some(Phrase::new([named, format!("add {}", file.name())]));
        }
        let folder = first.change.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_one = files.iter().all(|file| is_below(&file.change.path, folder));
        let name = folder.rsplit('/').next().unwrap_or_default();
        let names: Vec<String> = files.iter().map(|file| prose::short_title(file)).collect();
        let kind = if first.kind == FileKind::Content { "pages" } else { "files" };
        let count = format!("add {} {kind}", files.len());
        let there = if is_one && !name.is_empty() && self.scope != Some(name) {
            format!(" to {name}")
        } else {
            String::new()
        };
        let named = list(&names, 2);
        Some(Phrase::new([
            format!("add {}{there}", list(&names, 3)),
            format!("add {named}{there}"),
            format!("add {named}"),
            format!("{count}{there}"),
            count,
        ]))
    }

    /// Other names, places, parameters, and what is gone.
    fn reshaped(&self) -> Vec<Phrase> {
        let symbols = &self.facts.symbols;
        let mut said = Vec::new();
        let is_product = |it: &Placed| self.facts.is_product(&it.path) && !it.symbol.in_test;
        let pairs: Vec<&Pair> =
            symbols.renamed.iter().filter(|pair| is_product(&pair.after)).collect();
        match pairs.as_slice() {
            [first, more @ ..] if more.len() >= FEW => {
                let name = renamed(first).longest();
                said.push(Phrase::new([
                    format!("{name} and {} more", more.len()),
                    format!("rename {} symbols", pairs.len()),
                ]));
            }
            few => said.extend(few.iter().map(|pair| renamed(pair))),
        }
        let gone: Vec<String> = symbols
            .removed
            .iter()
            .filter(|it| is_product(it))
            .filter(|it| it.symbol.exported || self.kind != Type::Feat)
            .map(|it| code(&it.symbol.name))
            .collect();
        let gone_place = symbols.removed.iter().find(|it| is_product(it));
        let gone_place = gone_place.map(|it| self.place("from", &it.path)).unwrap_or_default();
        said.extend(self.moved_symbols());
        said.extend((!gone.is_empty()).then(|| listing("remove", &gone, &gone_place)));
        // Private ones are worth a word only where nothing else happened.
        let is_telling = |pair: &&Pair| pair.before.symbol.exported || self.kind == Type::Refactor;
        for pair in symbols.changed.iter().filter(|pair| is_product(&pair.after)) {
            said.extend(Some(pair).filter(is_telling).and_then(|pair| self.signature(pair)));
        }
        said.extend(self.removed_files(Group::Product));
        said
    }

    fn moved_symbols(&self) -> Option<Phrase> {
        let moved: Vec<&Pair> = self
            .facts
            .symbols
            .moved
            .iter()
            .filter(|pair| pair.after.symbol.parent.is_none() && !pair.after.symbol.in_test)
            .filter(|pair| self.facts.is_product(&pair.after.path))
            .collect();
        let first = moved.first()?;
        let there = moved.iter().filter(|pair| pair.after.path == first.after.path);
        let names: Vec<String> = there.map(|pair| code(&pair.after.symbol.name)).collect();
        Some(listing("move", &names, &format!(" to {}", first.after.path)))
    }

    /// Functions called otherwise than before.
    fn signature(&self, pair: &Pair) -> Option<Phrase> {
        let name = code(&pair.after.symbol.name);
        if pair.before.symbol.exported && !pair.after.symbol.exported {
            return Some(Phrase::new([format!("make {name} private")]));
        }
        if !pair.signature_differs() || pair.after.symbol.kind != SymbolKind::Function {
            return None;
        }
        let (new, gone) = pair.parameters();
        let quoted = |names: &[&str]| names.iter().map(|name| code(name)).collect::<Vec<_>>();
        let (new, gone) = (list(&quoted(&new), 2), list(&quoted(&gone), 2));
        let place = self.place("in", &pair.after.path);
        Some(match (new.is_empty(), gone.is_empty()) {
            (false, true) => Phrase::new([format!("let {name} take {new}")]),
            (true, false) => Phrase::new([format!("take {gone} from {name}")]),
            (false, false) => Phrase::new([
                format!("let {name} take {new} instead of {gone}"),
                format!("let {name} take {new}"),
            ]),
            (true, true) => Phrase::new([
                format!("change the signature of {name}{place}"),
                format!("change the signature of {name}"),
            ]),
        })
    }

    /// What a fix mends: the changed functions, and the title of the new test that says how.
    fn corrected(&self) -> Vec<Phrase> {
        let changed = self.changed_names();
        let verb = if self.kind == Type::Perf { "speed up" } else { "correct" };
        let mut titles = self.facts.added_tests().map(|it| prose::sentence(&it.symbol.name));
        let title = titles.next().filter(|title| title.contains(' ') && titles.next().is_none());
        let Some((names, path)) = changed else { return Vec::new() };
        let tail = self.place("in", &path);
        let plain = listing(verb, &names, &tail);
        match title.filter(|_| self.kind == Type::Fix) {
            Some(title) => {
                let of = list(&names, 1);
                vec![Phrase::new([
                    format!("{verb} {of}: {title}"),
                    format!("{verb} {of}{tail}"),
                    format!("{verb} {of}"),
                ])]
            }
            None => vec![plain],
        }
    }

    /// The functions whose bodies differ, with the file of the first.
    fn changed_names(&self) -> Option<(Vec<String>, String)> {
        let is_product = |it: &Placed| self.facts.is_product(&it.path) && !it.symbol.in_test;
        let mut pairs: Vec<&Pair> =
            self.facts.symbols.changed.iter().filter(|pair| is_product(&pair.after)).collect();
        pairs.sort_by_key(|pair| {
            let deciding = pair.decides_otherwise();
            (std::cmp::Reverse(deciding), std::cmp::Reverse(pair.after.symbol.exported))
        });
        let path = pairs.first()?.after.path.clone();
        let there = pairs.iter().filter(|pair| pair.after.path == path);
        Some((there.map(|pair| code(&pair.after.symbol.name)).collect(), path))
    }

    /// New private functions: those whose lines stood in another function before, and the rest.
    fn extracted(&self) -> (Vec<Phrase>, Option<Phrase>) {
        let symbols = &self.facts.symbols;
        let mut said = Vec::new();
        let mut private = Vec::new();
        for new in &symbols.added {
            if !self.facts.is_product(&new.path) || new.symbol.in_test || new.symbol.exported {
                continue;
            }
            let source = symbols.changed.iter().find(|pair| {
                pair.after.path == new.path && came_from(&new.symbol.tokens.code, pair)
            });
            match source {
                Some(pair) => said.push(Phrase::new([
                    format!(
                        "extract {} from {}",
                        code(&new.symbol.name),
                        code(&pair.after.symbol.name)
                    ),
                    format!("extract {}", code(&new.symbol.name)),
                ])),
                None => private.push(new),
            }
        }
        let rest = private.first().filter(|_| said.is_empty()).map(|first| {
            let there = private.iter().filter(|it| it.path == first.path);
            let names: Vec<String> = there.map(|it| code(&it.symbol.name)).collect();
            listing("add", &names, &self.place("to", &first.path))
        });
        (said, rest)
    }

    /// What is left to say of source: bodies, then files.
    fn rest(&self) -> Option<Phrase> {
        if let Some((names, path)) = self.changed_names() {
            return Some(listing("rework", &names, &self.place("in", &path)));
        }
        let files: Vec<&File<'_>> = self.facts.in_group(Group::Product).collect();
        if let [file] = files.as_slice()
            && file.kind == FileKind::Content
        {
            return prose::page(file);
        }
        let is_prose = files.iter().all(|file| file.kind == FileKind::Content);
        let verb = match (is_prose, self.only_imports(&files)) {
            (true, _) => "revise",
            (false, true) => "change the imports of",
            (false, false) => "rework",
        };
        if files.len() > FEW {
            let what = if is_prose { "pages" } else { "files" };
            return Some(Phrase::new([format!("{verb} {} {what}", files.len())]));
        }
        let names: Vec<String> = files.iter().map(|file| file.name().to_owned()).collect();
        (!names.is_empty()).then(|| listing(verb, &names, ""))
    }

    fn only_imports(&self, files: &[&File<'_>]) -> bool {
        let is_import = |line: &String| {
            let line = line.trim_start().trim_start_matches("pub ");
            line.is_empty()
                || ["use ", "import ", "from ", "#include", "require", "mod ", "export * from"]
                    .iter()
                    .any(|start| line.starts_with(start))
        };
        files.iter().all(|file| {
            file.lines.count() > 0
                && file.lines.added.iter().chain(&file.lines.removed).all(is_import)
        })
    }

    fn removed_files(&self, group: Group) -> Option<Phrase> {
        let gone: Vec<&File<'_>> = self
            .facts
            .in_group(group)
            .filter(|file| file.change.fate == Fate::Deleted)
            .filter(|file| !self.facts.symbols.removed.iter().any(|it| it.path == file.change.path))
            .filter(|file| {
                !self.facts.symbols.moved.iter().any(|pair| pair.before.path == file.change.path)
            })
            .collect();
        let names: Vec<String> = gone.iter().map(|file| file.name().to_owned()).collect();
        (!names.is_empty()).then(|| listing("remove", &names, ""))
    }
}

/// How much a name tells: types and functions before their members, larger ones first.
fn importance(it: &Placed) -> usize {
    let rank = match it.symbol.kind {
        SymbolKind::Type | SymbolKind::Function => 3,
        SymbolKind::Value => 2,
        SymbolKind::Member | SymbolKind::Test => 1,
    };
    let own = if it.symbol.parent.is_none() { 4 } else { 0 };
    (rank + own) * 1_000_000 + it.symbol.tokens.code.len().min(999_999)
}

fn said_folder(said: &[Phrase], folder: Option<&(String, Vec<String>)>, path: &str) -> bool {
    !said.is_empty() && folder.is_some_and(|(folder, _)| is_below(path, folder))
}

fn renamed(pair: &Pair) -> Phrase {
    let (old, new) = (&pair.before.symbol, &pair.after.symbol);
    Phrase::new([
        format!("rename {} to {}", code(&old.name), code(&new.name)),
        format!("rename {} to {}", code(old.own_name()), code(new.own_name())),
        format!("rename {}", code(old.own_name())),
    ])
}

/// Whether most of a new function's longer statements stood in `pair` before, and no more.
fn came_from(code: &str, pair: &Pair) -> bool {
    const TELLING: usize = 6;
    let words = |text: &str| -> Vec<String> { text.split(GAP).map(str::to_owned).collect() };
    let new = words(code);
    let before = words(&pair.before.symbol.tokens.code);
    let after = words(&pair.after.symbol.tokens.code);
    if new.len() < 3 * TELLING || after.len() >= before.len() {
        return false;
    }
    let runs = |words: &[String]| -> std::collections::BTreeSet<Vec<String>> {
        words.windows(TELLING).map(<[String]>::to_vec).collect()
    };
    let (old, kept) = (runs(&before), runs(&after));
    let own = runs(&new);
    let from = own.iter().filter(|run| old.contains(*run) && !kept.contains(*run)).count();
    2 * from >= own.len()
}
