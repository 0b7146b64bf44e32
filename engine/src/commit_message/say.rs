//! The sentences of a message. Each group of files has its own; the group that gave the type
//! speaks first, and its first sentence is the subject.

use super::dependencies::Bump;
use super::facts::{Facts, File, Nature};
use super::file_kind::FileKind;
use super::phrase::{self, Phrase, code, list, listing, place};
use super::prose;
use super::symbols::SymbolKind;
use super::symbols_diff::{Pair, Placed};
use super::verdict::{Group, Verdict};
use super::{Fate, Type};

/// New files of one folder, from which on the folder is what is new.
const MANY: usize = 3;

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

    /// What the product does otherwise. What a change is called comes first: new things in a
    /// feature, what was mended in a fix, else what has another name or place.
    fn product(&self, said: &mut Vec<Phrase>) {
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
                said.extend(self.extracted());
                said.extend(added);
            }
        }
        said.extend(shaped);
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
            left.retain(|it| !inside.contains(&it.symbol_path()));
        }
        // The file with the most new names speaks first.
        let mut paths: Vec<&str> = left.iter().map(|it| it.path.as_str()).collect();
        paths.dedup();
        paths.sort_by_key(|path| {
            let own = left.iter().filter(|it| it.path == *path);
            std::cmp::Reverse(own.map(|it| importance(it)).sum::<usize>())
        });
        paths.dedup();
        for path in paths {
            let own: Vec<&Placed> = left.iter().copied().filter(|it| it.path == path).collect();
            said.push(self.added_in(path, own));
        }
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
        for pair in symbols.renamed.iter().filter(|pair| is_product(&pair.after)) {
            said.push(renamed(pair));
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
        for pair in symbols.changed.iter().filter(|pair| is_product(&pair.after)) {
            said.extend(self.signature(pair));
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

    /// New private functions whose lines stood in another function before.
    fn extracted(&self) -> Vec<Phrase> {
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
        if let (Some(first), true) = (private.first(), said.is_empty()) {
            let there = private.iter().filter(|it| it.path == first.path);
            let names: Vec<String> = there.map(|it| code(&it.symbol.name)).collect();
            said.push(listing("add", &names, &self.place("to", &first.path)));
        }
        said
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

    fn dependencies(&self, said: &mut Vec<Phrase>) {
        let mut bumps: Vec<&Bump> = self.facts.files.iter().flat_map(|file| &file.bumps).collect();
        bumps.sort_by(|one, other| one.name.cmp(&other.name));
        bumps.dedup_by(|one, other| one.name == other.name);
        let named = |keep: &dyn Fn(&Bump) -> bool| -> Vec<String> {
            bumps.iter().filter(|bump| keep(bump)).map(|bump| phrase::plain(&bump.name)).collect()
        };
        let added = named(&|bump| !bump.was);
        let gone = named(&|bump| !bump.is);
        let changed: Vec<&&Bump> = bumps.iter().filter(|bump| bump.was && bump.is).collect();
        match changed.as_slice() {
            [] => {}
            [bump] => said.push(bumped(bump)),
            several => {
                let names: Vec<String> = several.iter().map(|bump| bump.name.clone()).collect();
                said.push(listing("bump", &names, ""));
            }
        }
        said.extend((!added.is_empty()).then(|| listing("depend on", &added, "")));
        said.extend((!gone.is_empty()).then(|| listing("drop the dependency on", &gone, "")));
    }

    /// What files of settings set.
    fn settings(&self, group: Group, said: &mut Vec<Phrase>) {
        for file in self.facts.in_group(group) {
            if !file.bumps.is_empty() {
                continue;
            }
            match file.change.fate {
                Fate::Added => said.push(Phrase::new([format!("add {}", self.called(file))])),
                Fate::Deleted => said.push(Phrase::new([format!("remove {}", self.called(file))])),
                Fate::Changed => said.extend(self.setting(file)),
            }
        }
    }

    fn setting(&self, file: &File<'_>) -> Option<Phrase> {
        if file.nature == Nature::Mode {
            return Some(Phrase::new([format!("change the mode of {}", file.name())]));
        }
        let keys = file.keys.as_ref()?;
        let short = |key: &String| {
            let mut parts: Vec<&str> = key.rsplit('.').take(2).collect();
            parts.reverse();
            code(&parts.join("."))
        };
        let of = |keys: &[String]| keys.iter().map(short).collect::<Vec<_>>();
        let place = format!(" in {}", file.name());
        if let [(key, Some(value))] = keys.set.as_slice() {
            return Some(Phrase::new([
                format!("set {} to {value}{place}", short(key)),
                format!("set {} to {value}", short(key)),
            ]));
        }
        if !keys.added.is_empty() {
            return Some(listing("set", &of(&keys.added), &place));
        }
        if !keys.removed.is_empty() {
            return Some(listing("no longer set", &of(&keys.removed), &place));
        }
        let set: Vec<String> = keys.set.iter().map(|(key, _)| short(key)).collect();
        (!set.is_empty()).then(|| listing("change", &set, &place))
    }

    /// What a file that does a job is called.
    fn called(&self, file: &File<'_>) -> String {
        let path = &file.change.path;
        match phrase::stem(path).map(phrase::words) {
            Some(words) if path.starts_with(".github/workflows/") => {
                format!("the {words} workflow")
            }
            // A name alone, such as `config.json`, may be that of many files.
            _ if path.chars().count() <= 40 => path.clone(),
            _ => file.name().to_owned(),
        }
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

impl Placed {
    fn symbol_path(&self) -> String {
        self.path.clone()
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

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn renamed(pair: &Pair) -> Phrase {
    let (old, new) = (&pair.before.symbol, &pair.after.symbol);
    Phrase::new([
        format!("rename {} to {}", code(&old.name), code(&new.name)),
        format!("rename {} to {}", code(old.own_name()), code(new.own_name())),
        format!("rename {}", code(old.own_name())),
    ])
}

fn bumped(bump: &Bump) -> Phrase {
    let name = phrase::plain(&bump.name);
    match (&bump.from, &bump.to) {
        (Some(from), Some(to)) => Phrase::new([
            format!("bump {name} from {from} to {to}"),
            format!("bump {name} to {to}"),
            format!("bump {name}"),
        ]),
        (None, Some(to)) => Phrase::new([format!("set {name} to {to}"), format!("set {name}")]),
        _ => Phrase::new([format!("change the version of {name}"), format!("change {name}")]),
    }
}

/// Whether most of a new function's longer statements stood in `pair` before, and no more.
fn came_from(code: &str, pair: &Pair) -> bool {
    const TELLING: usize = 6;
    let words =
        |text: &str| -> Vec<String> { text.split(super::syntax::GAP).map(str::to_owned).collect() };
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
