//! Changes that their files describe completely, such as an update of a dependency, a rename or a
//! new test.

use super::documents::{self, Edit};
use super::names::{file_name, is_meaningful, name, tested_name};
use super::style::{Style, Verb};
use super::topics;
use super::versions;
use crate::commit_message::ChangeKind;
use crate::commit_message::dependencies::ChangedDependency;
use crate::commit_message::facts::{Difference, Facts, File, is_product};
use crate::commit_message::file_kind::FileKind;
use crate::commit_message::symbols::SymbolKind;
use crate::commit_message::symbols_diff::LocatedSymbol;
use crate::commit_message::syntax::TOKEN_SEPARATOR;
use crate::commit_message::text::to_plain_line;
use aidd_lexicon::tables::commit_verbs as table;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names in a description.
const MAX_NAMES: usize = 2;
/// How many times more lines are removed than added by a removal, and added than removed by an
/// addition.
const MIN_RATIO: usize = 4;
/// Maximum number of lines by which a new language is added to a list.
const MAX_LIST_LINES: usize = 12;
/// Minimum share of the added lines that are in the new file, in percent.
const MIN_NEW_LINES: usize = 60;
/// Tokens of a new symbol for each added line, if it is about half of the addition: a line of code has
/// eight to ten tokens.
const MIN_TOKENS_PER_LINE: usize = 4;
/// What the files show that a change does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Action {
    /// The verb of the description.
    pub(super) verb: Verb,
    /// The words after the verb.
    pub(super) object: String,
    /// The subject matter that earlier messages share.
    pub(super) topic: Topic,
    /// Whether the change adds code, whose purpose the files do not show.
    pub(super) is_code: bool,
    /// Whether the description is of use only with a type.
    pub(super) is_vague: bool,
    /// The files that concern something else.
    pub(super) unrelated: Vec<String>,
}

impl Action {
    /// The action on `names`, which are defined at `paths`; other files can concern something else.
    fn on(self, files: &[&File<'_>], paths: &[&str], names: &[&str]) -> Self {
        Self { unrelated: topics::unrelated(files, paths, names), ..self }
    }
}

/// The subject matter of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Dependencies,
    Translations,
    Spelling,
    Other,
}

impl Topic {
    /// Whether a project gives all changes with this topic the same type.
    pub(super) fn has_own_type(self) -> bool {
        self != Self::Other
    }

    /// Whether a first line, in lower case, is about the topic.
    /// `verb` is its first word.
    pub(super) fn is_in(self, verb: &str, line: &str) -> bool {
        match self {
            Self::Dependencies => {
                let is_version = |word: &str| {
                    let word = word.trim_start_matches(['v', '^', '~']);
                    word.starts_with(|c: char| c.is_ascii_digit())
                };
                Verb::Bump.words().iter().any(|row| row.split(' ').any(|word| word == verb))
                    && (line.contains("dependenc") || line.split(' ').any(is_version))
            }
            Self::Translations => line
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| table::TRANSLATION_WORDS.contains(word)),
            Self::Spelling => line.contains("typo") || line.contains("spelling"),
            Self::Other => false,
        }
    }
}

/// The files that people write.
pub(super) fn written_files<'f, 'a>(facts: &'f Facts<'a>) -> Vec<&'f File<'a>> {
    let is_written = |file: &&File<'_>| !matches!(file.kind, FileKind::Lock | FileKind::Generated);
    facts.files.iter().filter(is_written).collect()
}

/// The action of a change; `None` if the files do not show a single one.
pub(super) fn detect(facts: &Facts<'_>, style: &Style) -> Option<Action> {
    let files = written_files(facts);
    if files.is_empty() {
        return None;
    }
    let dependencies = || changed_dependencies(&files, style);
    renamed_files(&files, style)
        .or_else(dependencies)
        .or_else(|| version(&files, style))
        .or_else(|| translations(&files))
        .or_else(|| corrected(&files))
        .or_else(|| removal(facts, &files, style))
        .or_else(|| document(&files))
        .or_else(|| tests(facts, &files, style))
        .or_else(|| setting(facts, &files, style))
        .or_else(|| symbol(facts, &files, style))
        .or_else(|| layout(&files, style))
}

/// Whether the change only sets the version of the project.
pub(super) fn is_release(facts: &Facts<'_>) -> bool {
    facts.files.iter().all(|file| {
        let is_log = file.kind == FileKind::Docs && name(file).to_lowercase().contains("change");
        is_log
            || matches!(file.kind, FileKind::Lock | FileKind::Generated)
            || file.version.is_some() && file.lines.added <= 2
    })
}

fn action(verb: Verb, object: String, topic: Topic) -> Option<Action> {
    let is_short = !object.is_empty() && object.chars().count() <= 80;
    is_short.then(|| Action {
        verb,
        object,
        topic,
        is_code: false,
        is_vague: false,
        unrelated: Vec::new(),
    })
}

/// Joins up to [`MAX_NAMES`] names: `a and b`.
fn join(names: &[String]) -> Option<String> {
    (!names.is_empty() && names.len() <= MAX_NAMES).then(|| names.join(" and "))
}

fn renamed_files(files: &[&File<'_>], style: &Style) -> Option<Action> {
    let [file] = files else { return None };
    let old = file.change.old_path.as_deref().filter(|_| file.difference == Difference::None)?;
    let new = file.change.path.as_str();
    let (old_name, new_name) = (to_plain_line(file_name(old)), to_plain_line(file_name(new)));
    if old_name != new_name {
        let object = format!("{} to {}", style.name(&old_name), style.name(&new_name));
        return action(Verb::Rename, object, Topic::Other);
    }
    let folder = new.rsplit_once('/').map_or("root", |(folder, _)| file_name(folder));
    let folder = style.name(&to_plain_line(folder));
    action(Verb::Move, format!("{} to {folder}", style.name(&new_name)), Topic::Other)
}

/// Dependencies that changed, if nothing else changed.
fn changed_dependencies(files: &[&File<'_>], style: &Style) -> Option<Action> {
    let is_only = |file: &&File<'_>| {
        let changes = file.changed_dependencies.len();
        changes > 0 && file.lines.added.max(file.lines.removed) <= changes + changes / 2
    };
    if !files.iter().all(is_only) {
        return None;
    }
    let mut by_name: BTreeMap<&str, &ChangedDependency> = BTreeMap::new();
    for dependency in files.iter().flat_map(|file| &file.changed_dependencies) {
        let is_moved = |known: &ChangedDependency| {
            (known.was_present, known.is_present) != (dependency.was_present, dependency.is_present)
        };
        let is_unversioned = dependency.was_present
            && dependency.is_present
            && (dependency.from.is_none() || dependency.to.is_none());
        if is_unversioned || by_name.insert(&dependency.name, dependency).is_some_and(is_moved) {
            return None;
        }
    }
    let all: Vec<&ChangedDependency> = by_name.into_values().collect();
    let names: Vec<String> = all.iter().map(|one| to_plain_line(&one.name)).collect();
    let (verb, object) = if all.iter().all(|one| !one.was_present) {
        (Verb::Add, join(&names)?)
    } else if all.iter().all(|one| !one.is_present) {
        (Verb::Remove, join(&names)?)
    } else if all.iter().all(|one| one.was_present && one.is_present) {
        let versions: BTreeSet<_> = all.iter().map(|one| (&one.from, &one.to)).collect();
        let names = join(&names);
        let object = match (names, versions.first()) {
            (Some(names), Some((from, Some(to)))) if versions.len() == 1 => match from {
                Some(from) if style.names_old_versions() => format!("{names} from {from} to {to}"),
                _ => format!("{names} to {to}"),
            },
            (Some(names), _) => names,
            (None, _) => "dependencies".to_owned(),
        };
        (Verb::Bump, object)
    } else if all.len() > MAX_NAMES {
        (Verb::Bump, "dependencies".to_owned())
    } else {
        return None;
    };
    action(verb, object, Topic::Dependencies)
}

/// The version of a tool, if nothing else changed.
fn version(files: &[&File<'_>], style: &Style) -> Option<Action> {
    let changed = versions::changed(files)?;
    let name = changed.name.map_or("…".to_owned(), |name| style.name(&to_plain_line(&name)));
    action(Verb::Bump, format!("{name} to {}", changed.new), Topic::Dependencies)
}

/// Translations into one language.
fn translations(files: &[&File<'_>]) -> Option<Action> {
    let mut languages = BTreeSet::new();
    let mut translated = Vec::new();
    for file in files {
        match language(&file.change.path) {
            Some(language) => {
                languages.insert(language);
                translated.push(file);
            }
            // A new language is also added to a list.
            None if file.lines.added <= MAX_LIST_LINES && file.lines.removed == 0 => {}
            None => return None,
        }
    }
    let language = languages.first().copied().filter(|_| languages.len() == 1)?;
    let is_new = translated.iter().all(|file| file.change.kind == ChangeKind::Added);
    if !is_new && translated.len() < files.len() {
        return None;
    }
    let verb = if is_new { Verb::Add } else { Verb::Update };
    action(verb, format!("{language} translation"), Topic::Translations)
}

/// The language of a file in a directory of translations: the name of the file or of a directory.
fn language(path: &str) -> Option<&str> {
    let is_folder = |part: &str| table::TRANSLATION_FOLDERS.contains(&part.to_lowercase());
    let at = path.split('/').position(is_folder)?;
    let (stems, _) = path.rsplit_once('.')?;
    stems.split('/').skip(at + 1).flat_map(|part| part.split('.')).find(|part| is_language(part))
}

/// Whether a name is a language code: `de`, `pt-BR`, `zh_Hant`.
fn is_language(name: &str) -> bool {
    let mut parts = name.split(['-', '_']);
    let is_code = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    parts.next().is_some_and(|part| {
        is_code(part, 2..=3) && part.bytes().all(|byte| byte.is_ascii_lowercase())
    }) && parts.all(|part| is_code(part, 2..=4))
        && name.len() != 3
}

/// Misspelt words in prose and comments.
fn corrected(files: &[&File<'_>]) -> Option<Action> {
    let words: Vec<usize> = files
        .iter()
        .map(|file| {
            let is_prose = matches!(file.kind, FileKind::Docs | FileKind::Content)
                || file.difference == Difference::Comments;
            documents::corrected_words(file.change).filter(|_| is_prose)
        })
        .collect::<Option<_>>()?;
    let typos = if words.iter().sum::<usize>() == 1 { "typo" } else { "typos" };
    let object = match files {
        [file] => format!("{typos} in {}", to_plain_line(name(file))),
        _ => typos.to_owned(),
    };
    action(Verb::Fix, object, Topic::Spelling)
}

/// A file or a symbol that was removed, with its uses.
fn removal(facts: &Facts<'_>, files: &[&File<'_>], style: &Style) -> Option<Action> {
    let added: usize = files.iter().map(|file| file.lines.added).sum();
    let removed: usize = files.iter().map(|file| file.lines.removed).sum();
    if removed < MIN_RATIO * added.max(1) {
        return None;
    }
    let deleted: Vec<&&File<'_>> = files
        .iter()
        .filter(|file| file.change.kind == ChangeKind::Deleted && file.kind != FileKind::Test)
        .collect();
    let symbols = main_symbols(&facts.symbols.removed);
    let (names, paths): (Vec<&str>, Vec<&str>) = match (deleted.as_slice(), symbols.as_slice()) {
        ([], [_, ..]) => {
            symbols.iter().map(|located| (&*located.symbol.name, &*located.path)).unzip()
        }
        ([_, ..], _) => deleted.iter().map(|file| (name(file), &*file.change.path)).unzip(),
        _ => return None,
    };
    let shown: Vec<String> = names.iter().map(|name| style.name(&to_plain_line(name))).collect();
    Some(action(Verb::Remove, join(&shown)?, Topic::Other)?.on(files, &paths, &names))
}

/// A document of which one section changed.
fn document(files: &[&File<'_>]) -> Option<Action> {
    let [file] = files else { return None };
    if file.kind != FileKind::Docs {
        return None;
    }
    let name = to_plain_line(name(file));
    let is_log = name.to_lowercase().contains("change");
    if file.change.kind == ChangeKind::Deleted {
        return action(Verb::Remove, name, Topic::Other);
    }
    match documents::edit(file.change).filter(|_| !is_log) {
        Some(Edit::NewSection(title)) => {
            action(Verb::Add, format!("\"{}\" to {name}", to_plain_line(&title)), Topic::Other)
        }
        Some(Edit::Section(title)) => {
            action(Verb::Update, format!("\"{}\" in {name}", to_plain_line(&title)), Topic::Other)
        }
        None if file.change.kind == ChangeKind::Changed => {
            let updated = action(Verb::Update, name, Topic::Other)?;
            Some(Action { is_vague: true, ..updated })
        }
        None => None,
    }
}

/// New tests, if nothing else changed.
fn tests(facts: &Facts<'_>, files: &[&File<'_>], style: &Style) -> Option<Action> {
    let only_tests = files
        .iter()
        .all(|file| file.kind == FileKind::Test || file.difference == Difference::Tests);
    let delta = &facts.symbols;
    let is_test = |located: &&LocatedSymbol| located.symbol.kind == SymbolKind::Test;
    let added: Vec<&LocatedSymbol> = delta.added.iter().filter(is_test).collect();
    let lines_added: usize = files.iter().map(|file| file.lines.added).sum();
    let lines_removed: usize = files.iter().map(|file| file.lines.removed).sum();
    let is_addition = delta.removed.is_empty()
        && delta.renamed.is_empty()
        && lines_added >= MIN_RATIO * lines_removed;
    if !only_tests || !is_addition || added.is_empty() {
        return None;
    }
    let paths: BTreeSet<&str> = added.iter().map(|located| located.path.as_str()).collect();
    let [path] = paths.iter().collect::<Vec<_>>()[..] else { return None };
    let tested = tested_name(path)?;
    let noun = if added.len() == 1 { "a test" } else { "tests" };
    action(Verb::Add, format!("{noun} for {}", style.name(&tested)), Topic::Other)
}

/// A single changed setting, if nothing else changed.
fn setting(facts: &Facts<'_>, files: &[&File<'_>], style: &Style) -> Option<Action> {
    let settings = facts.setting_changes();
    let ([setting], [file]) = (settings.as_slice(), files) else { return None };
    if file.lines.added.max(file.lines.removed) > 1 || setting.key.contains(' ') {
        return None;
    }
    let key = style.name(&to_plain_line(setting.key.rsplit('.').next().unwrap_or(&setting.key)));
    match (setting.change, &setting.value) {
        (ChangeKind::Changed, Some(value)) => {
            action(Verb::Set, format!("{key} to {value}"), Topic::Other)
        }
        (ChangeKind::Changed, None) => None,
        (ChangeKind::Added, _) => action(Verb::Add, key, Topic::Other),
        (ChangeKind::Deleted, _) => action(Verb::Remove, key, Topic::Other),
    }
}

/// The symbols of the product that are not members of others.
fn main_symbols(all: &[LocatedSymbol]) -> Vec<&LocatedSymbol> {
    let is_main = |located: &&LocatedSymbol| {
        let kind = located.symbol.kind;
        !located.symbol.in_test
            && is_product(&located.path)
            && matches!(kind, SymbolKind::Function | SymbolKind::Type)
    };
    all.iter().filter(is_main).collect()
}

/// The only function or type that was renamed, moved or added.
fn symbol(facts: &Facts<'_>, files: &[&File<'_>], style: &Style) -> Option<Action> {
    let delta = &facts.symbols;
    let (added, removed) = (main_symbols(&delta.added), main_symbols(&delta.removed));
    let named = |name: &str| style.name(&to_plain_line(name));
    let renamed: Vec<_> = delta.renamed.iter().filter(|pair| !pair.after.symbol.in_test).collect();
    if let ([pair], [], []) = (renamed.as_slice(), added.as_slice(), removed.as_slice()) {
        let (old, new) = (&pair.before.symbol, &pair.after.symbol);
        let object = format!("{} to {}", named(&old.name), named(&new.name));
        let renamed = action(Verb::Rename, object, Topic::Other)?;
        return Some(renamed.on(files, &[&pair.after.path], &[&old.name, &new.name]));
    }
    if !removed.is_empty() || !renamed.is_empty() {
        return None;
    }
    let product: Vec<&&File<'_>> = files
        .iter()
        .filter(|file| matches!(file.kind, FileKind::Source | FileKind::Content))
        .collect();
    let lines_added: usize = product.iter().map(|file| file.lines.added).sum();
    let lines_removed: usize = product.iter().map(|file| file.lines.removed).sum();
    if lines_added < MIN_RATIO * lines_removed.max(1) {
        return None;
    }
    let new_files: Vec<&&&File<'_>> =
        product.iter().filter(|file| file.change.kind == ChangeKind::Added).collect();
    let (name, path) = match (new_files.as_slice(), added.as_slice()) {
        ([file], _) if file.lines.added * 100 >= MIN_NEW_LINES * lines_added => {
            let stem = name(file);
            let inside: Vec<&&LocatedSymbol> = added
                .iter()
                .filter(|located| located.path == file.change.path && located.symbol.exported)
                .collect();
            let name = match inside.as_slice() {
                [only] => only.symbol.name.clone(),
                _ => Some(stem).filter(|stem| is_meaningful(stem))?.to_owned(),
            };
            (name, &file.change.path)
        }
        ([], [only]) if is_most_of(only, lines_added) => (only.symbol.name.clone(), &only.path),
        _ => return None,
    };
    let added = action(Verb::Add, named(&name), Topic::Other)?.on(files, &[path], &[&name]);
    Some(Action { is_code: true, ..added })
}

/// The only symbol that was added, removed or changed, for a project without types: the line says
/// which symbol it is, and the author says why.
pub(super) fn only_symbol(facts: &Facts<'_>, style: &Style) -> Option<Action> {
    let delta = &facts.symbols;
    if !delta.renamed.is_empty() || !delta.moved.is_empty() {
        return None;
    }
    let changed = delta.changed.iter().map(|pair| (Verb::Update, &pair.after));
    let added = delta.added.iter().map(|located| (Verb::Add, located));
    let removed = delta.removed.iter().map(|located| (Verb::Remove, located));
    let all = added.chain(removed).chain(changed);
    let all: Vec<_> = all.filter(|(_, located)| !located.symbol.in_test).collect();
    let [(verb, located)] = all[..] else { return None };
    let name = &located.symbol.name;
    let only = action(verb, style.name(&to_plain_line(name)), Topic::Other)?;
    Some(only.on(&written_files(facts), &[&located.path], &[name]))
}

/// Whether a new symbol is at least about half of the added lines.
fn is_most_of(located: &LocatedSymbol, lines_added: usize) -> bool {
    let tokens = located.symbol.tokens.code.matches(TOKEN_SEPARATOR).count();
    tokens >= MIN_TOKENS_PER_LINE * lines_added
}

/// Code whose layout or comments changed, and nothing else.
fn layout(files: &[&File<'_>], style: &Style) -> Option<Action> {
    let all = |difference| files.iter().all(|file| file.difference == difference);
    let only = match files {
        [file] => Some(style.name(&to_plain_line(name(file)))),
        _ => None,
    };
    if all(Difference::Layout) {
        return action(Verb::Format, only.unwrap_or_else(|| "code".to_owned()), Topic::Other);
    }
    if !all(Difference::Comments) || files.iter().any(|file| file.kind == FileKind::Test) {
        return None;
    }
    let has = |count: fn(&File<'_>) -> usize| files.iter().any(|file| count(file) > 0);
    let (verb, preposition) = match (has(|file| file.lines.added), has(|file| file.lines.removed)) {
        (true, false) => (Verb::Add, "to"),
        (false, true) => (Verb::Remove, "from"),
        _ => (Verb::Update, "in"),
    };
    let place = only.map_or(String::new(), |name| format!(" {preposition} {name}"));
    action(verb, format!("comments{place}"), Topic::Other)
}
