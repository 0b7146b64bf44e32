//! The facts that the index stores about one file, and the names that an edit of the file affects.

use crate::components::{self, Dialect};
use crate::effects::{self, FileEffects};
use crate::outline::{self, Chain, Outline, RefKind, namespaces};
use crate::routes::{self, Mount, Route, Router, Target as MountTarget, constants};
use aidd_engine::parse::syntax::parse_text;
use aidd_engine::project::git::content_id;
use aidd_engine::project::imports::{self, Import, Imported, Name};
use aidd_engine::text::source::Span;
use ast_grep_core::Language as _;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Files above this size are not indexed; hand-written code is smaller.
pub(crate) const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of file extensions whose language is remembered.
const MAX_EXTENSIONS: usize = 32;

/// The resolved target of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Target {
    /// The ids of the files of the project.
    pub files: Vec<u32>,
    /// The package, if the import refers to code outside the project.
    pub package: Option<String>,
}

/// The facts of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileFacts {
    /// The symbols and references.
    pub outline: Outline,
    /// The imports and bindings.
    pub imports: Arc<imports::Facts>,
    /// For each import, its target.
    pub targets: Vec<Target>,
    /// For each symbol, its id in the database.
    pub ids: Vec<i64>,
    /// The routes that the file declares.
    pub routes: Vec<Route>,
    /// The routers that the file serves under a prefix.
    pub mounts: Vec<Mount>,
    /// The effects of the functions.
    pub effects: FileEffects,
    /// The constants that are strings: the index of the symbol, and the value.
    pub constants: Vec<(u32, String)>,
}

/// The language of an indexed file.
#[must_use]
pub(crate) fn language(path: &str) -> Option<SupportLang> {
    thread_local! {
        /// The languages of the extensions so far: a lookup compares all known extensions.
        static KNOWN: RefCell<Vec<(String, Option<SupportLang>)>> = const { RefCell::new(Vec::new()) };
    }
    let (stem, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let find = || match Dialect::of_path(path) {
        Some(_) => Some(SupportLang::TypeScript),
        None => SupportLang::from_path(path).filter(|language| outline::is_supported(*language)),
    };
    KNOWN.with_borrow_mut(|known| match known.iter().find(|(other, _)| other == extension) {
        Some((_, language)) => *language,
        None => {
            let language = find();
            if known.len() < MAX_EXTENSIONS {
                known.push((extension.to_owned(), language));
            }
            language
        }
    })
}

/// Whether a file with this name is in a language of the index.
#[must_use]
pub fn is_indexed(path: &str) -> bool {
    language(path).is_some()
}

/// The outline of `text` as the file at `path`; `None` if its language is not supported or parsing
/// takes too long.
#[must_use]
pub fn outline_of(path: &str, text: &str) -> Option<Outline> {
    let component = components::script_of(path, text);
    let (text, language) = match &component {
        Some(script) => (script.text.as_str(), script.language),
        None => (text, language(path)?),
    };
    let tree = parse_text(text, language)?;
    Some(outline::read(path, text, language, &tree))
}

/// The name of the language of the file at `path`, as stored in the database.
#[must_use]
pub(crate) fn language_name(path: &str) -> Option<&'static str> {
    match Dialect::of_path(path) {
        Some(dialect) => Some(dialect.name()),
        None => language(path).and_then(outline::name_of),
    }
}

/// The routes that the file at `path` declares with a handler, as `GET /users`.
#[must_use]
pub fn routes_of(path: &str, text: &str) -> Vec<String> {
    let routes = read(path, text).map_or_else(Vec::new, |facts| facts.routes);
    let declared = routes.into_iter().filter(|route| !route.implied);
    declared.map(|route| format!("{} {}{}", route.method, route.base, route.path)).collect()
}

/// Whether the imports of a file name namespaces instead of files.
#[must_use]
pub(crate) fn has_namespaces(path: &str) -> bool {
    language(path).is_some_and(namespaces::is_supported)
}

/// Whether a file contains tests, by the conventions of its language.
#[must_use]
pub(crate) fn is_test(path: &str, imports: &imports::Facts) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let has_folder = |names: &[&str]| folder.split('/').any(|part| names.contains(&part));
    match language(path) {
        Some(SupportLang::Ruby) => {
            has_folder(&["test", "spec"]) || stem.ends_with("_test") || stem.ends_with("_spec")
        }
        Some(SupportLang::Php) => has_folder(&["tests", "Tests"]) || stem.ends_with("Test"),
        Some(SupportLang::CSharp) => {
            let parts = || folder.split(['/', '.']);
            parts().any(|part| part.ends_with("Tests") || part == "tests" || part == "Test")
                || stem.ends_with("Tests")
        }
        Some(SupportLang::Kotlin) => {
            let is_source = |part: &str| part == "test" || part.ends_with("Test");
            path.split('/').zip(path.split('/').skip(1)).any(|(a, b)| a == "src" && is_source(b))
        }
        _ => imports::is_test_path(imports.language, path),
    }
}

/// Reads the facts of the file at `path`; `None` if its language is not supported or parsing takes
/// too long.
#[must_use]
pub(crate) fn read(path: &str, text: &str) -> Option<FileFacts> {
    let component = components::script_of(path, text);
    let (text, language) = match &component {
        Some(script) => (script.text.as_str(), script.language),
        None => (text, language(path)?),
    };
    let tree = parse_text(text, language)?;
    let mut imports = match namespaces::is_supported(language) {
        true => namespaces::read(text, language, &tree),
        false => imports::read_grammar(language, &tree)?,
    };
    let kinds = if path.ends_with(".d.ts") { &[] } else { effects::kinds(language) };
    let imported = imported_names(&imports);
    let (mut outline, visited) =
        outline::read_uses((path, text, language), &tree, imported.as_deref(), kinds);
    drop_unknown_names(&mut outline, &imports);
    if let Some(script) = &component {
        components::complete((path, script), &mut outline, &imports);
    }
    if imports.language == imports::Language::Script {
        components::add_lazy_uses(text, &mut outline, &mut imports);
    }
    let (routes, mut mounts) = routes::read(path, text, language, &tree, &outline, &imports);
    let effects = effects::read(text, language, (&tree, visited), &outline, &imports);
    let constants = constants::values(text, tree.root().get_inner_node(), &outline);
    import_mounted(&mut mounts, &mut imports);
    let (imports, targets, ids) = (Arc::new(imports), Vec::new(), Vec::new());
    Some(FileFacts { outline, imports, targets, ids, routes, mounts, effects, constants })
}

/// Adds the modules that mounts name as imports, so that the import graph finds them.
fn import_mounted(mounts: &mut [Mount], imports: &mut imports::Facts) {
    for mount in mounts {
        let MountTarget::Module(name) = &mount.target else { continue };
        let Ok(index) = u32::try_from(imports.imports.len()) else { continue };
        let span = Span::new(mount.offset as usize, mount.offset as usize);
        imports.imports.push(Import {
            name: Name::Python { level: 0, module: name.clone(), member: None },
            span,
            statement: span,
            type_only: false,
            deferred: true,
            test: false,
            inline: true,
            binds: None,
        });
        mount.target = MountTarget::Import(index);
    }
}

/// The names that a file imports, if the names of other files are only visible through imports.
fn imported_names(imports: &imports::Facts) -> Option<Vec<&str>> {
    let is_file_scope =
        matches!(imports.language, imports::Language::Script | imports::Language::Python);
    if !is_file_scope || imports.bindings.iter().any(|b| b.imported == Imported::All) {
        return None;
    }
    Some(imports.bindings.iter().filter_map(|binding| binding.local.as_deref()).collect())
}

/// Removes references with unqualified names that the file neither declares nor imports. In languages
/// whose names are visible in a whole package, all references are retained.
fn drop_unknown_names(outline: &mut Outline, imports: &imports::Facts) {
    let Some(imported) = imported_names(imports) else { return };
    let declared = outline.symbols.iter().map(|symbol| symbol.name.as_str());
    let known: HashSet<&str, foldhash::fast::RandomState> = declared.chain(imported).collect();
    outline.refs.retain(|found| {
        let is_call = matches!(found.kind, RefKind::Call | RefKind::New);
        is_call || found.receiver.is_some() || known.contains(&*found.name)
    });
}

/// The hash of the content of a file: the start of the id of its blob, which is also in the index of Git.
#[must_use]
pub(crate) fn hash_of(bytes: &[u8]) -> i64 {
    content_id(bytes).cast_signed()
}

/// The hash of a name; mentioned names are stored as hashes.
#[must_use]
pub(crate) fn name_hash(name: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    (hasher.finish() & u64::from(u32::MAX)) as u32
}

/// The names that a file mentions, and which of them depend on which others; as hashes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mentions {
    /// All names, sorted.
    pub names: Vec<u32>,
    /// Pairs of a name, and a name in its type, value or base types.
    pub links: Vec<(u32, u32)>,
}

impl FileFacts {
    /// The names that the file with the id `file` mentions.
    #[must_use]
    pub(crate) fn mentions(&self, file: u32) -> Mentions {
        let mut names = Vec::new();
        let mut links = Vec::new();
        let add_chain = |names: &mut Vec<u32>, chain: &Chain| {
            names.extend(chain.names().map(name_hash));
        };
        let has_namespaces = self.imports.language == imports::Language::Java;
        for found in &self.outline.refs {
            names.push(name_hash(&found.name));
            if has_namespaces {
                names.extend(implied_names(found).iter().map(|name| name_hash(name)));
            }
            found.receiver.iter().for_each(|chain| add_chain(&mut names, chain));
        }
        for local in &self.outline.locals {
            add_chain(&mut names, &local.value);
        }
        for read in self.effects.functions.iter().flat_map(|function| &function.reads) {
            names.push(name_hash(&read.name));
            names.extend(read.member.as_deref().map(name_hash));
        }
        let paths = self.routes.iter().flat_map(|route| [&route.base, &route.path]);
        for path in paths.chain(self.mounts.iter().map(|mount| &mount.prefix)) {
            names.extend(constants::names(path).map(name_hash));
        }
        for chain in self.routes.iter().filter_map(|route| route.handler.as_ref()) {
            add_chain(&mut names, chain);
        }
        let origins = self.routes.iter().map(|route| &route.origin);
        for origin in origins.chain(self.mounts.iter().map(|mount| &mount.origin)) {
            if let Some(Router::Variable(name)) = &origin.router {
                names.push(name_hash(name));
            }
        }
        for mount in &self.mounts {
            match &mount.target {
                MountTarget::Value(chain) => {
                    add_chain(&mut names, chain);
                }
                // The file exports its router as this.
                MountTarget::Import(_) | MountTarget::Module(_) => {
                    names.push(name_hash("default"));
                }
            }
        }
        for import in &self.imports.imports {
            if let Name::Java { name, .. } = &import.name {
                // The type of an imported member can inherit it.
                names.extend(name.rsplit('.').take(2).map(name_hash));
            }
        }
        let mut link = |holder: &str, chain: &Chain| {
            let holder = name_hash(holder);
            links.extend(chain.names().map(|name| (holder, name_hash(name))));
        };
        for symbol in &self.outline.symbols {
            let chains = symbol.value.iter().chain(&symbol.bases).chain(&symbol.owner);
            chains.for_each(|chain| link(&symbol.name, chain));
            if symbol.kind.is_type() {
                names.push(name_hash(&symbol.name));
            }
        }
        for field in &self.outline.fields {
            link(&field.name, &field.value);
        }
        for (exported, local) in &self.outline.exports {
            links.push((name_hash(exported), name_hash(local)));
        }
        for binding in &self.imports.bindings {
            let imported = match (&binding.imported, self.imports.imports.get(binding.import)) {
                (Imported::Member(name), _) => name.as_str(),
                (Imported::Default, _) => "default",
                (_, Some(import)) => match &import.name {
                    Name::Rust { path, .. } => path.last().map_or("", String::as_str),
                    Name::Java { name, .. } => name.rsplit('.').next().unwrap_or_default(),
                    _ => continue,
                },
                _ => continue,
            };
            for name in binding.local.iter().chain(&binding.exported) {
                links.push((name_hash(name), name_hash(imported)));
            }
        }
        // What a name of another file means can depend on the wildcards in that file.
        names.extend(self.targets.iter().flat_map(|at| &at.files).map(|at| wildcards_of(*at)));
        for binding in &self.imports.bindings {
            let target = self.targets.get(binding.import);
            for target in target.iter().flat_map(|target| &target.files) {
                let wildcards = wildcards_of(*target);
                for name in binding.local.iter().chain(&binding.exported) {
                    links.push((name_hash(name), wildcards));
                }
                if binding.imported == Imported::All {
                    links.push((wildcards_of(file), wildcards));
                }
            }
        }
        names.extend(links.iter().flat_map(|(holder, name)| [*holder, *name]));
        names.sort_unstable();
        names.dedup();
        links.sort_unstable();
        links.dedup();
        Mentions { names, links }
    }

    /// The names that other files can depend on, each with a hash of its definitions without their
    /// positions.
    fn meanings(&self, file: u32) -> HashMap<u32, u64> {
        let mut all: HashMap<u32, u64> = HashMap::new();
        let mut add = |name: &str, value: &dyn Fn(&mut DefaultHasher)| {
            let name = if name == "*" { wildcards_of(file) } else { name_hash(name) };
            let entry = all.entry(name).or_default();
            let mut hasher = DefaultHasher::new();
            entry.hash(&mut hasher);
            value(&mut hasher);
            *entry = hasher.finish();
        };
        // What the creation of an instance does depends on these members.
        let mut constructors: HashMap<u32, Vec<(&str, Option<&i64>)>> = HashMap::new();
        for (index, symbol) in self.outline.symbols.iter().enumerate() {
            let is_constructor = effects::CONSTRUCTORS.contains(&&*symbol.name);
            if let Some(parent) = symbol.parent.filter(|_| is_constructor) {
                constructors.entry(parent).or_default().push((&symbol.name, self.ids.get(index)));
            }
        }
        for (at, value) in &self.constants {
            add(&self.outline.symbols[*at as usize].name, &|hasher| value.hash(hasher));
        }
        for (at, state) in &self.effects.variables {
            add(&self.outline.symbols[*at as usize].name, &|hasher| state.hash(hasher));
        }
        for (index, symbol) in self.outline.symbols.iter().enumerate() {
            add(&symbol.name, &|hasher| {
                let parent = symbol.parent.map(|at| &self.outline.symbols[at as usize]);
                let parent = parent.map(|parent| (&parent.qualified, &parent.bases));
                let at = u32::try_from(index).unwrap_or(u32::MAX);
                constructors.get(&at).hash(hasher);
                (&symbol.qualified, parent, symbol.kind, symbol.exported).hash(hasher);
                (symbol.property, symbol.callable, symbol.arity, symbol.test).hash(hasher);
                (&symbol.owner, &symbol.value, &symbol.bases).hash(hasher);
                (symbol.body.is_some(), self.ids.get(index)).hash(hasher);
                (symbol.extension, &self.imports.package).hash(hasher);
            });
        }
        for field in &self.outline.fields {
            let class = &self.outline.symbols[field.class as usize].qualified;
            add(&field.name, &|hasher| (class, &field.value).hash(hasher));
        }
        for (exported, local) in &self.outline.exports {
            add(exported, &|hasher| local.hash(hasher));
        }
        for binding in &self.imports.bindings {
            let target = self.targets.get(binding.import);
            // The function or class that contains an import determines where its name is visible.
            let at = binding.span.start;
            let scope = self
                .outline
                .symbols
                .iter()
                .rev()
                .find(|symbol| (symbol.start.offset..symbol.end.offset).contains(&at));
            let scope = scope.map(|symbol| symbol.qualified.as_str());
            let name = self.imports.imports.get(binding.import).map(|import| &import.name);
            let name = name.filter(|name| matches!(name, Name::Java { .. }));
            let imported = format!("{:?} {scope:?} {name:?}", binding.imported);
            for name in binding.local.iter().chain(&binding.exported) {
                add(name, &|hasher| (&imported, target).hash(hasher));
            }
            if binding.imported == Imported::All {
                add("*", &|hasher| target.hash(hasher));
            }
        }
        all
    }
}

/// The names of the members that a reference can mean besides its own name: the getter of a property, the
/// class of an attribute, the method of a relation.
fn implied_names(found: &outline::Ref) -> Vec<String> {
    match found.kind {
        RefKind::Decorates => vec![format!("{}Attribute", found.name)],
        RefKind::Value => match found.name.strip_prefix('$') {
            Some(name) => vec![name.to_owned(), camel_case(name)],
            None => vec![getter(&found.name)],
        },
        _ => Vec::new(),
    }
}

/// The name of the Java method that reads a property.
pub(crate) fn getter(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.map_or_else(String::new, |first| format!("get{first}{}", letters.as_str()))
}

/// The name in camel case: `album_artist` → `albumArtist`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut result = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        result.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        result.push_str(letters.as_str());
    }
    result
}

/// The hash for the wildcards in a file: `from a import *`, `export * from "./a"`.
fn wildcards_of(file: u32) -> u32 {
    let mut hasher = DefaultHasher::new();
    ('*', file).hash(&mut hasher);
    (hasher.finish() & u64::from(u32::MAX)) as u32
}

/// The names whose definitions differ between two states of the file with the id `file`.
#[must_use]
pub(crate) fn changed_names(
    file: u32,
    before: Option<&FileFacts>,
    after: Option<&FileFacts>,
) -> BTreeSet<u32> {
    let meanings =
        |facts: Option<&FileFacts>| facts.map(|facts| facts.meanings(file)).unwrap_or_default();
    let (before, after) = (meanings(before), meanings(after));
    let differs = |name: &&u32| before.get(name) != after.get(name);
    before.keys().chain(after.keys()).filter(differs).copied().collect()
}
