//! Access to the network and to databases: calls of the clients and drivers in `accesses/clients.json`.
//! An access is proved if the called value comes from an import of such a package. A call that only has
//! the name of one, in a file that imports such a package, is possible.

use crate::facts::FileFacts;
use crate::outline::{Chain, Ref, RefKind, Root};
use crate::resolve::Resolver;
use aidd_engine::project::imports::Imported;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// Maximum number of variables between a call and an import.
const MAX_STEPS: usize = 4;
/// Maximum length of the code of an access.
const MAX_CODE: usize = 60;

/// The packages that access one kind of service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clients {
    kind: String,
    /// The functions that access the service.
    calls: HashSet<String>,
    /// Those whose names hardly mean anything else.
    possible: HashSet<String>,
    /// Language family → modules and packages.
    modules: HashMap<String, Vec<String>>,
    /// Language family → functions and types that need no import.
    globals: HashMap<String, Vec<String>>,
}

/// The shipped table; the tests of accesses fail if it cannot be read.
static CLIENTS: LazyLock<Vec<Clients>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("accesses/clients.json")).unwrap_or_default()
});

/// A call that accesses a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// What is accessed: `network` or `database`.
    pub kind: &'static str,
    /// Whether an import proves it.
    pub is_proved: bool,
    /// The called function, as written.
    pub code: String,
}

/// The accesses of one file.
pub(crate) struct Accesses<'r, 'w, 'c> {
    resolver: &'r Resolver<'w, 'c>,
    file: u32,
    facts: Arc<FileFacts>,
    family: &'static str,
    /// The kinds of which the file imports a package, or of which it can import a value.
    imported: Vec<&'static Clients>,
    /// The names of packages and built-in functions that can be called directly.
    direct: HashSet<String>,
}

impl Clients {
    /// Whether a module is one of the packages, or in one.
    fn contains(&self, family: &str, module: &str) -> bool {
        self.modules.get(family).into_iter().flatten().any(|known| {
            let rest = module.strip_prefix(known.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
        })
    }
}

impl<'r, 'w, 'c> Accesses<'r, 'w, 'c> {
    /// The accesses of a file.
    pub(crate) fn new(resolver: &'r Resolver<'w, 'c>, file: u32, facts: Arc<FileFacts>) -> Self {
        let family = resolver.family(file);
        let names: Vec<String> =
            facts.imports.imports.iter().map(|import| import.name.display()).collect();
        let is_imported = |clients: &&Clients| {
            let has_globals = clients.globals.contains_key(family);
            has_globals || names.iter().any(|name| clients.contains(family, name))
        };
        // The value can come from a file that imports the package.
        let is_file = |clients: &&Clients| {
            is_imported(clients)
                || facts.targets.iter().any(|target| !target.files.is_empty())
                    && clients.modules.contains_key(family)
        };
        let imported: Vec<&'static Clients> = CLIENTS.iter().filter(is_file).collect();
        // `axios(…)` calls the package itself; of the members of a package, only some access a service.
        let bindings = facts.imports.bindings.iter().filter_map(|binding| {
            let is_whole = family == "script"
                && matches!(binding.imported, Imported::Default | Imported::Module);
            let (name, local) = (names.get(binding.import)?, binding.local.as_ref()?);
            let is_access = |clients: &&&Clients| {
                clients.contains(family, name) && (is_whole || clients.calls.contains(local))
            };
            imported.iter().find(is_access).map(|_| local.clone())
        });
        let globals = imported.iter().filter_map(|clients| clients.globals.get(family)).flatten();
        let direct = bindings.chain(globals.cloned()).collect();
        Self { resolver, file, facts, family, imported, direct }
    }

    /// The access of a call whose target is not in the project.
    pub(crate) fn of(&self, found: &Ref) -> Option<Access> {
        let is_call = matches!(found.kind, RefKind::Call | RefKind::New);
        let is_candidate = match found.receiver {
            None => self.direct.contains(&found.name),
            Some(_) => self.imported.iter().any(|clients| clients.calls.contains(&found.name)),
        };
        if !is_call || !is_candidate {
            return None;
        }
        let root = found.receiver.clone().unwrap_or_else(|| Chain::name(&found.name));
        let module = self.module(&root, found.at.offset, 0);
        let access = |clients: &'static Clients, is_proved: bool| Access {
            kind: &clients.kind,
            is_proved,
            code: self.code(found),
        };
        for clients in &self.imported {
            let is_named = clients.calls.contains(&found.name);
            match &module {
                Some(Module::Package(name)) => {
                    let is_direct = found.receiver.is_none() && found.kind == RefKind::Call;
                    if (is_named || is_direct) && clients.contains(self.family, name) {
                        return Some(access(clients, true));
                    }
                }
                Some(Module::Global(name)) => {
                    let globals = clients.globals.get(self.family);
                    if globals.is_some_and(|globals| globals.contains(name)) {
                        return Some(access(clients, true));
                    }
                }
                None if clients.possible.contains(&found.name) && found.receiver.is_some() => {
                    let names = self.facts.imports.imports.iter();
                    let mut names = names.map(|import| import.name.display());
                    if names.any(|name| clients.contains(self.family, &name)) {
                        return Some(access(clients, false));
                    }
                }
                None => {}
            }
        }
        None
    }

    fn code(&self, found: &Ref) -> String {
        let receiver = found.receiver.as_ref();
        let names: Vec<&str> = receiver.iter().flat_map(|chain| chain.names()).collect();
        let separator = if self.family == "rust" { "::" } else { "." };
        let mut code = names.join(separator);
        if !code.is_empty() {
            code.push_str(if self.family == "rust" { separator } else { "." });
        }
        code.push_str(&found.name);
        code.truncate(code.floor_char_boundary(MAX_CODE));
        code
    }

    /// The package from which the value of an expression comes.
    fn module(&self, chain: &Chain, offset: u32, depth: usize) -> Option<Module> {
        let Root::Name(name) = &chain.root else { return None };
        if depth > MAX_STEPS {
            return None;
        }
        let outline = &self.facts.outline;
        let start = outline.locals.partition_point(|local| local.name < *name);
        let locals = outline.locals[start..].iter().take_while(|local| local.name == *name);
        let visible = locals.filter(|local| (local.from..local.to).contains(&offset));
        if let Some(local) = visible.max_by_key(|local| local.from) {
            return self.module(&local.value, local.at, depth + 1);
        }
        let mut symbols = outline.symbols.iter().filter(|symbol| symbol.parent.is_none());
        if let Some(symbol) = symbols.find(|symbol| symbol.name == *name) {
            return self.module(symbol.value.as_ref()?, symbol.at.offset, depth + 1);
        }
        let imports = &self.facts.imports;
        let is_external =
            |at: usize| self.facts.targets.get(at).is_none_or(|target| target.files.is_empty());
        let binding = imports.bindings.iter().rev().find(|at| at.local.as_deref() == Some(name));
        if let Some(binding) = binding {
            let import = imports.imports.get(binding.import)?;
            if is_external(binding.import) {
                return Some(Module::Package(import.name.display()));
            }
            let id = self.resolver.variable(self.file, offset, name)?;
            let facts = self.resolver.world.facts(id.file).filter(|_| id.file != self.file)?;
            let symbol = facts.outline.symbols.get(id.at as usize)?;
            let (value, at) = (symbol.value.clone()?, symbol.at.offset);
            let (imported, direct) = (Vec::new(), HashSet::new());
            let facts = facts.clone();
            let other = Self { file: id.file, imported, direct, facts, ..*self };
            return other.module(&value, at, depth + 1);
        }
        match self.family {
            // The last part of the path of a package, without a version, is its name.
            "go" => {
                let is_name = |path: &str| {
                    let mut parts = path.rsplit('/');
                    let last = parts.next().unwrap_or_default();
                    let is_version =
                        last.strip_prefix('v').is_some_and(|at| at.parse::<u32>().is_ok());
                    let last = if is_version { parts.next().unwrap_or_default() } else { last };
                    last.trim_start_matches("go-") == name
                };
                let paths = imports.imports.iter().map(|import| import.name.display());
                paths.into_iter().find(|path| is_name(path)).map(Module::Package)
            }
            "rust" => {
                let names: Vec<&str> = chain.names().collect();
                Some(Module::Package(names.join("::")))
            }
            _ => Some(Module::Global(name.clone())),
        }
    }
}

/// Where a value comes from.
enum Module {
    Package(String),
    /// A name that the file neither declares nor imports.
    Global(String),
}
