//! Names in languages whose namespaces are independent of files: C#, Kotlin, PHP and Ruby.

use super::members::Member;
use super::values::Value;
use super::{Place, Resolver, SymbolId};
use crate::outline::{Chain, Root, Step};
use aidd_engine::project::imports::{Import, Imported, Name};
use std::borrow::Cow;

/// Maximum number of declarations of one type.
const MAX_PARTS: usize = 32;

impl Resolver<'_, '_> {
    /// Whether the names of the language of a file are found by namespaces.
    pub(super) fn has_namespaces(&self, file: u32) -> bool {
        let path = self.world.path(file);
        crate::facts::has_namespaces(path)
    }

    /// The name of a symbol with its namespace, separated by `.`.
    pub(super) fn full_name(&self, id: SymbolId) -> Option<String> {
        let facts = self.world.facts(id.file)?;
        let symbol = facts.outline.symbols.get(id.at as usize)?;
        let qualified = match symbol.qualified.contains("::") {
            true => Cow::Owned(symbol.qualified.replace("::", ".")),
            false => Cow::Borrowed(&*symbol.qualified),
        };
        Some(match &facts.imports.package {
            Some(package) => format!("{package}.{qualified}"),
            None => qualified.into_owned(),
        })
    }

    /// The symbol with a full name.
    pub(super) fn qualified(&self, file: u32, full: &str) -> Option<SymbolId> {
        let last = full.rsplit('.').next().unwrap_or(full);
        let family = self.family(file);
        let all = self.world.named(last);
        let found = all.iter().copied().filter(|id| {
            self.family(id.file) == family && self.full_name(*id).as_deref() == Some(full)
        });
        // Of several partial declarations, the one that names a base type is preferred.
        let mut first = None;
        for id in found.take(MAX_PARTS) {
            if self.world.symbol(id, |symbol| !symbol.bases.is_empty()) == Some(true) {
                return Some(id);
            }
            first = first.or(Some(id));
        }
        first
    }

    /// The class, module or constant `name` that is declared in a Ruby module, also if another file
    /// declares it as `Module::Name`.
    pub(super) fn nested_constant(&self, module: SymbolId, name: &str) -> Option<SymbolId> {
        let is_constant = name.starts_with(|first: char| first.is_ascii_uppercase());
        if !is_constant || !self.world.path(module.file).ends_with(".rb") {
            return None;
        }
        let full = self.full_name(module)?;
        self.qualified(module.file, &format!("{full}.{name}"))
    }

    /// The longest start of a chain that is the full name of a Ruby constant, such as `A::B` where no
    /// file declares `A` by itself, and the number of names after the first.
    pub(super) fn constant_path(&self, place: Place, chain: &Chain) -> Option<(SymbolId, usize)> {
        let Root::Name(first) = &chain.root else { return None };
        if !self.world.path(place.file).ends_with(".rb") {
            return None;
        }
        let members = chain.steps.iter().map_while(|step| match step {
            Step::Member(name) if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Some(name.as_str())
            }
            _ => None,
        });
        let names: Vec<&str> = std::iter::once(first.as_str()).chain(members).collect();
        (2..=names.len())
            .rev()
            .find_map(|count| Some((self.in_modules(place, &names[..count].join("."))?, count - 1)))
    }

    /// The Ruby constant with this name, separated by `.`, in the enclosing modules or at the top level.
    fn in_modules(&self, place: Place, name: &str) -> Option<SymbolId> {
        let facts = self.world.facts(place.file)?;
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            if symbol.kind.is_type() {
                let outer = symbol.qualified.replace("::", ".");
                if let Some(found) = self.qualified(place.file, &format!("{outer}.{name}")) {
                    return Some(found);
                }
            }
            scope = symbol.parent;
        }
        self.qualified(place.file, name)
    }

    /// The symbol to which an unqualified name refers, in the namespaces that are visible at a place.
    pub(super) fn in_namespaces(
        &self,
        place: Place,
        name: &str,
        is_type: bool,
    ) -> Option<SymbolId> {
        let all = self.world.named(name);
        if all.is_empty() {
            return None;
        }
        let facts = self.world.facts(place.file)?;
        let path = self.world.path(place.file);
        let own = facts.imports.package.clone().unwrap_or_default();
        if path.ends_with(".rb") {
            return self.in_modules(place, name);
        }
        let is_nested_scope = path.ends_with(".cs");
        let mut namespace = own.as_str();
        loop {
            let full =
                if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") };
            if let Some(found) = self.qualified(place.file, &full) {
                return Some(found);
            }
            if !is_nested_scope || namespace.is_empty() {
                break;
            }
            namespace = namespace.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        for import in self.wildcards(place.file) {
            if let Some(found) = self.qualified(place.file, &format!("{import}.{name}")) {
                return Some(found);
            }
        }
        if path.ends_with(".php") && !is_type {
            return self.qualified(place.file, name);
        }
        // `global using` of another file makes a namespace visible.
        if is_nested_scope && is_type {
            let family = self.family(place.file);
            let mut types = all.iter().copied().filter(|id| {
                self.family(id.file) == family
                    && self.world.symbol(*id, |at| at.kind.is_type() && at.parent.is_none())
                        == Some(true)
            });
            if let (Some(only), None) = (types.next(), types.next()) {
                return Some(only);
            }
        }
        None
    }

    /// The namespaces whose members a file imports.
    pub(super) fn wildcards(&self, file: u32) -> Vec<String> {
        let Some(facts) = self.world.facts(file) else { return Vec::new() };
        let all = facts.imports.bindings.iter().filter(|b| b.imported == Imported::All);
        all.filter_map(|binding| match &facts.imports.imports.get(binding.import)?.name {
            Name::Java { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect()
    }

    /// For each import of a full name, the file that declares it; `Some(None)` if no file of the
    /// project does.
    pub(crate) fn namespace_targets(&self, file: u32) -> Vec<Option<Option<u32>>> {
        let Some(facts) = self.world.facts(file) else { return Vec::new() };
        let target = |import: &Import| match &import.name {
            Name::Java { name, all: false } => Some(self.qualified(file, name).map(|id| id.file)),
            _ => None,
        };
        facts.imports.imports.iter().map(target).collect()
    }

    /// The value of an imported full name.
    pub(super) fn imported_name(&self, file: u32, full: &str) -> Value {
        if let Some(found) = self.qualified(file, full) {
            return Value::Symbol(found);
        }
        let Some((owner, last)) = full.rsplit_once('.') else { return Value::External };
        let owner = self.qualified(file, owner).map(Value::Symbol);
        match owner.and_then(|owner| self.member(&owner, last, None, 2)) {
            Some(Member::Symbol(found)) => Value::Symbol(found),
            Some(Member::Value(found)) => found,
            None => Value::External,
        }
    }

    /// The other declarations of a type: parts in C#, reopened classes and modules in Ruby.
    pub(super) fn parts(&self, class: SymbolId) -> Vec<SymbolId> {
        let path = self.world.path(class.file);
        if !path.ends_with(".cs") && !path.ends_with(".rb") {
            return Vec::new();
        }
        let Some(name) = self.world.symbol(class, |symbol| symbol.name.clone()) else {
            return Vec::new();
        };
        let all = self.world.named(&name);
        if all.len() < 2 {
            return Vec::new();
        }
        let full = self.full_name(class);
        let family = self.family(class.file);
        let same = all.iter().copied().filter(|id| {
            *id != class
                && self.family(id.file) == family
                && self.world.symbol(*id, |at| at.kind.is_type()) == Some(true)
                && self.full_name(*id) == full
        });
        same.take(MAX_PARTS).collect()
    }
}
