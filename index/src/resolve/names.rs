//! Names: the value of an unqualified name at a place, and what a file exports under a name.

use super::members::Member;
use super::values::Value;
use super::{Place, Resolver, SymbolId};
use crate::facts::FileFacts;
use crate::outline::{Chain, Kind, Local, Root, Symbol};
use aidd_engine::project::imports::{Binding, Imported, Name};
use std::borrow::Cow;

/// Maximum length of a chain of re-exports, and maximum nesting of an evaluation.
pub(super) const MAX_DEPTH: usize = 8;

impl Resolver<'_, '_> {
    /// The value of an unqualified name. With `is_type`, types are preferred to values of the same
    /// name.
    pub(super) fn lookup(&self, place: Place, name: &str, is_type: bool, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        let Some(facts) = self.world.facts(place.file) else { return Value::Unknown };
        if !is_type && let Some(local) = local(&facts.outline.locals, name, place.offset) {
            // A function in a function can have the name of a variable that is assigned to it.
            if let Some(nested) = self.nested(place, name) {
                return Value::Symbol(nested);
            }
            let at = Place { offset: local.at, ..place };
            return self.evaluate(at, &local.value, depth + 1);
        }
        if let Some(nested) = self.nested(place, name) {
            return Value::Symbol(nested);
        }
        if let Some(binding) = function_binding(facts, place.source, name) {
            return self.bound(place.file, binding, depth + 1);
        }
        if self.has_implicit_members(place.file)
            && !is_type
            && let Some(member) = self.implicit_field(place, name, depth)
        {
            return member;
        }
        let named = self.world.named_in(place.file, name);
        let own: Cow<'_, [SymbolId]> = if self.family(place.file) == "ruby" {
            // A class `A::B` is not visible as `B`.
            let is_visible =
                |id: &SymbolId| self.world.symbol(*id, |at| at.qualified == at.name) == Some(true);
            named.iter().copied().filter(is_visible).collect()
        } else {
            Cow::Borrowed(named)
        };
        // A component does not hide what its own script imports.
        let is_hidden = |id: &SymbolId| {
            let is_name = |binding: &Binding| binding.local.as_deref() == Some(name);
            self.world.symbol(*id, |at| at.kind == Kind::Component) == Some(true)
                && facts.imports.bindings.iter().any(is_name)
        };
        if let Some(found) = self.top_level(&own, is_type).filter(|id| !is_hidden(id)) {
            return Value::Symbol(found);
        }
        if let Some(binding) =
            facts.imports.bindings.iter().rev().find(|b| b.local.as_deref() == Some(name))
        {
            let bound = self.bound(place.file, binding, depth + 1);
            if !matches!(bound, Value::Unknown) {
                return bound;
            }
        }
        // Types can be declared in other types.
        if is_type || self.has_implicit_members(place.file) {
            let inner = own
                .iter()
                .find(|id| self.world.symbol(**id, |symbol| symbol.kind.is_type()) == Some(true));
            if let Some(inner) = inner {
                return Value::Symbol(*inner);
            }
        }
        let package = match self.has_namespaces(place.file) {
            true => self.in_namespaces(place, name, is_type),
            false => self.in_package(place.file, name, is_type),
        };
        if let Some(found) = package {
            return Value::Symbol(found);
        }
        let mut rest = Value::Unknown;
        for binding in facts.imports.bindings.iter().filter(|b| b.imported == Imported::All) {
            let Some(target) = facts.targets.get(binding.import) else { continue };
            for file in &target.files {
                match self.exported(*file, name, depth + 1) {
                    Value::Unknown | Value::External => {}
                    found => return found,
                }
                if let Some(found) = self.static_member(facts, *file, binding, name) {
                    return Value::Symbol(found);
                }
            }
            // A name that the project does not declare comes from the package.
            if target.package.is_some() {
                rest = Value::External;
            }
        }
        rest
    }

    /// A function or type that is declared in an enclosing function.
    pub(super) fn nested(&self, place: Place, name: &str) -> Option<SymbolId> {
        let facts = self.world.facts(place.file)?;
        let own = self.world.named_in(place.file, name);
        if own.is_empty() {
            return None;
        }
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            if !symbol.kind.is_type() {
                // The methods of an object are not visible by their unqualified names.
                let is_object = matches!(symbol.kind, Kind::Constant | Kind::Variable);
                let is_visible = |inner: &Symbol| {
                    let is_inside = inner.parent == Some(at) && inner.owner.is_none();
                    is_inside && !(is_object && inner.kind == Kind::Method)
                };
                let visible = |id: &&SymbolId| self.world.symbol(**id, is_visible) == Some(true);
                if let Some(found) = own.iter().rev().find(visible) {
                    return Some(*found);
                }
            }
            scope = symbol.parent;
        }
        None
    }

    /// The symbol at the top level of a file, among symbols with the same name.
    fn top_level(&self, own: &[SymbolId], is_type: bool) -> Option<SymbolId> {
        let rank = |id: &SymbolId| {
            self.world.symbol(*id, |symbol| {
                let is_top = symbol.parent.is_none() && symbol.owner.is_none();
                is_top.then_some((symbol.kind.is_type() == is_type, symbol.body.is_some()))
            })?
        };
        // Of symbols with equal rank, the last one is visible.
        own.iter().filter_map(|id| Some((rank(id)?, *id))).max().map(|(_, id)| id)
    }

    /// A symbol of another file of the same package, in Go and Java.
    fn in_package(&self, file: u32, name: &str, is_type: bool) -> Option<SymbolId> {
        let path = self.world.path(file);
        let facts = self.world.facts(file)?;
        let files = match &facts.imports.package {
            Some(package) => self.world.package(package),
            None if path.ends_with(".go") => self.world.dir_of(file),
            None => return None,
        };
        let in_kotlin = || {
            let package = facts.imports.package.as_ref().filter(|_| path.ends_with(".java"))?;
            self.qualified(file, &format!("{package}.{name}"))
        };
        if files.len() < 2 {
            return in_kotlin();
        }
        let mut found = files.iter().filter(|other| **other != file).filter_map(|other| {
            let own = self.world.named_in(*other, name);
            self.top_level(own, is_type)
        });
        found.next().or_else(in_kotlin)
    }

    /// The value that `file` exports as `name`.
    pub(super) fn exported(&self, file: u32, name: &str, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        let Some(facts) = self.world.facts(file) else { return Value::Unknown };
        let local =
            facts.outline.exports.iter().find(|(e, _)| e == name).map(|(_, local)| local.as_str());
        let own = self.world.named_in(file, local.unwrap_or(name));
        if let Some(found) = self.top_level(own, false) {
            return Value::Symbol(found);
        }
        let path = self.world.path(file);
        let is_python = path.ends_with(".py") || path.ends_with(".pyi");
        for binding in facts.imports.bindings.iter().rev() {
            let is_exported = binding.exported.as_deref() == Some(name);
            let is_local = binding.local.is_some() && binding.local.as_deref() == local;
            let is_python_local = is_python && binding.local.as_deref() == Some(name);
            if is_exported || is_local || is_python_local {
                return self.bound(file, binding, depth + 1);
            }
        }
        if is_python && let Some(dir) = path.strip_suffix("__init__.py") {
            let module = [format!("{dir}{name}.py"), format!("{dir}{name}/__init__.py")];
            if let Some(found) = module.iter().find_map(|path| self.world.file_at(path)) {
                return Value::Files(vec![found]);
            }
        }
        // In Rust, items of inline modules are found by their last name.
        if path.ends_with(".rs") {
            let inner = own.iter().find(|id| {
                self.world.symbol(**id, |symbol| {
                    symbol.owner.is_none()
                        && symbol.parent.is_some_and(|at| {
                            facts.outline.symbols[at as usize].kind == Kind::Module
                        })
                }) == Some(true)
            });
            if let Some(inner) = inner {
                return Value::Symbol(*inner);
            }
        }
        if !facts.imports.bindings.iter().any(|b| b.imported == Imported::All) {
            return Value::Unknown;
        }
        // In other languages, the number of steps depends on the owners of methods found before.
        if !matches!(self.family(file), "script" | "python") {
            return self.exported_by_wildcard(file, name, depth);
        }
        let left = self.steps.get();
        let key = (file, depth);
        let known = self.wildcards.borrow().get(&key).and_then(|names| names.get(name).cloned());
        // Without a limit in between, the evaluation has the same result and as many steps again.
        if let Some((value, steps)) = known.filter(|(_, steps)| *steps < left) {
            self.steps.set(left - steps);
            return value;
        }
        let value = self.exported_by_wildcard(file, name, depth);
        let steps = left - self.steps.get();
        if steps < left {
            let mut all = self.wildcards.borrow_mut();
            all.entry(key).or_default().insert(name.to_owned(), (value.clone(), steps));
        }
        value
    }

    /// The value that `file` exports as `name` through a wildcard, such as `export * from "./a"`.
    fn exported_by_wildcard(&self, file: u32, name: &str, depth: usize) -> Value {
        let Some(facts) = self.world.facts(file) else { return Value::Unknown };
        let globs = facts.imports.bindings.iter().filter(|b| b.imported == Imported::All);
        for binding in globs {
            for target in facts.targets.get(binding.import).into_iter().flat_map(|t| &t.files) {
                if *target == file {
                    continue;
                }
                match self.exported(*target, name, depth + 1) {
                    Value::Unknown | Value::External => {}
                    found => return found,
                }
            }
        }
        Value::Unknown
    }

    /// The value of a name that an import binds.
    pub(super) fn bound(&self, file: u32, binding: &Binding, depth: usize) -> Value {
        let Some(facts) = self.world.facts(file) else { return Value::Unknown };
        let (Some(target), Some(import)) =
            (facts.targets.get(binding.import), facts.imports.imports.get(binding.import))
        else {
            return Value::Unknown;
        };
        if let Name::Java { name, .. } = &import.name
            && self.has_namespaces(file)
        {
            return self.imported_name(file, name);
        }
        if target.package.is_some() {
            // A Java file can import what a Kotlin file declares.
            return match &import.name {
                Name::Java { name, .. } => self.imported_name(file, name),
                _ => Value::External,
            };
        }
        let Some(first) = target.files.first().copied() else { return Value::Unknown };
        match (&binding.imported, &import.name) {
            (_, Name::Rust { path, .. }) => self.rust_path(first, path, depth),
            (_, Name::Java { name, .. }) => self.java_name(first, name, depth),
            (Imported::Default, _) => self.exported(first, "default", depth + 1),
            (Imported::Member(name), _) => match self.exported(first, name, depth + 1) {
                Value::Unknown if is_module(self.world.path(first), name) => {
                    Value::Files(vec![first])
                }
                found => found,
            },
            (Imported::Module, Name::Python { module, .. }) => {
                // `import a.b` binds `a`; `a.b` is found when the members are read.
                let is_first =
                    module.contains('.') && binding.local.as_deref() == module.split('.').next();
                if is_first { Value::Unknown } else { Value::Files(vec![first]) }
            }
            (Imported::Module, _) => Value::Files(target.files.clone()),
            (Imported::All, _) => Value::Unknown,
        }
    }

    /// The item at the end of a Rust path whose deepest module is `file`.
    pub(super) fn rust_path(&self, file: u32, path: &[String], depth: usize) -> Value {
        for start in 0..path.len() {
            let Some((first, rest)) = path[start..].split_first() else { break };
            let mut value = self.exported(file, first, depth + 1);
            for name in rest {
                value = self.step_member(&value, name, depth + 1);
            }
            if matches!(value, Value::Symbol(_) | Value::Files(_)) {
                return value;
            }
        }
        match path.last() {
            Some(last) if is_module(self.world.path(file), last) || path.len() == 1 => {
                Value::Files(vec![file])
            }
            _ => Value::Unknown,
        }
    }

    /// A member of the class that `import static a.B.*` names.
    fn static_member(
        &self,
        facts: &FileFacts,
        file: u32,
        binding: &Binding,
        name: &str,
    ) -> Option<SymbolId> {
        let Name::Java { name: full, .. } = &facts.imports.imports.get(binding.import)?.name else {
            return None;
        };
        if self.has_namespaces(file) || !self.world.path(file).ends_with(".java") {
            return None;
        }
        match self.member(&self.java_name(file, full, 2), name, None, 2) {
            Some(Member::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// The member of a type that a file imports by its name, such as a constant.
    pub(super) fn imported_member(&self, file: u32, name: &str) -> Option<SymbolId> {
        let facts = self.world.facts(file)?;
        let binding = facts.imports.bindings.iter().find(|b| b.local.as_deref() == Some(name))?;
        let has_namespaces = self.has_namespaces(file);
        if !has_namespaces && !matches!(binding.imported, Imported::Member(_)) {
            return None;
        }
        let Name::Java { name: full, .. } = &facts.imports.imports.get(binding.import)?.name else {
            return None;
        };
        let (owner, last) = full.rsplit_once('.')?;
        let owner = match has_namespaces {
            true => Value::Symbol(self.qualified(file, owner)?),
            false => {
                let target = facts.targets.get(binding.import)?;
                self.java_name(*target.files.first()?, owner, 2)
            }
        };
        if !matches!(owner, Value::Symbol(_)) {
            return None;
        }
        match self.member(&owner, last, None, 2) {
            Some(Member::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    fn java_name(&self, file: u32, name: &str, depth: usize) -> Value {
        let path = self.world.path(file);
        let class = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".java");
        let mut value = self.exported(file, class, depth + 1);
        let parts: Vec<&str> = name.split('.').collect();
        let at = parts.iter().position(|part| *part == class);
        for part in at.map_or(&parts[parts.len()..], |at| &parts[at + 1..]) {
            value = self.step_member(&value, part, depth + 1);
        }
        value
    }

    /// The files to which `a.b` refers in a Python file with `import a.b`, and the number of names
    /// used.
    pub(super) fn dotted_module(&self, file: u32, chain: &Chain) -> Option<(Value, usize)> {
        let Root::Name(first) = &chain.root else { return None };
        let facts = self.world.facts(file)?;
        let names: Vec<&str> = chain.names().collect();
        let mut best: Option<(Value, usize)> = None;
        for (index, import) in facts.imports.imports.iter().enumerate() {
            let Name::Python { level: 0, module, member: None } = &import.name else { continue };
            if !module.contains('.') || !module.starts_with(first.as_str()) {
                continue;
            }
            let parts: Vec<&str> = module.split('.').collect();
            if names.len() < parts.len() || names[..parts.len()] != parts[..] {
                continue;
            }
            let target = facts.targets.get(index)?;
            let value = match target.files.first() {
                Some(file) => Value::Files(vec![*file]),
                None => Value::External,
            };
            if best.as_ref().is_none_or(|(_, known)| *known < parts.len()) {
                best = Some((value, parts.len()));
            }
        }
        best
    }
}

/// The import in an enclosing function that binds a name.
fn function_binding<'f>(
    facts: &'f FileFacts,
    source: Option<u32>,
    name: &str,
) -> Option<&'f Binding> {
    let mut bindings = facts.imports.bindings.iter().filter(|b| b.local.as_deref() == Some(name));
    let first = bindings.next()?;
    let mut scope = source;
    while let Some(at) = scope {
        let symbol = facts.outline.symbols.get(at as usize)?;
        let is_inside = |binding: &&Binding| {
            (symbol.start.offset..symbol.end.offset).contains(&binding.span.start)
        };
        if symbol.kind.is_function() {
            let found = std::iter::once(first).chain(bindings.clone()).find(is_inside);
            if found.is_some() {
                return found;
            }
        }
        scope = symbol.parent;
    }
    None
}

/// The import in the body of a class that binds a name.
pub(super) fn class_binding<'f>(
    facts: &'f FileFacts,
    class: u32,
    name: &str,
) -> Option<&'f Binding> {
    let range = |at: u32| {
        let symbol = facts.outline.symbols.get(at as usize)?;
        Some(symbol.start.offset..symbol.end.offset)
    };
    let whole = range(class)?;
    facts.imports.bindings.iter().find(|binding| {
        let at = binding.span.start;
        let is_in_part = || {
            (0_u32..).zip(&facts.outline.symbols).any(|(part, symbol)| {
                symbol.parent == Some(class) && range(part).is_some_and(|range| range.contains(&at))
            })
        };
        binding.local.as_deref() == Some(name) && whole.contains(&at) && !is_in_part()
    })
}

/// Whether the file at `path` is the module `name`.
fn is_module(path: &str, name: &str) -> bool {
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or_default();
    stem == name
        || matches!(stem, "__init__" | "mod" | "index" | "lib" | "main")
            && dir.rsplit('/').next() == Some(name)
}

/// The variable that is visible at an offset: the one of the innermost function, last assigned
/// before the offset.
pub(super) fn local<'l>(locals: &'l [Local], name: &str, offset: u32) -> Option<&'l Local> {
    let start = locals.partition_point(|local| &*local.name < name);
    let count = locals[start..].iter().take_while(|local| local.name == name).count();
    let visible = || {
        let same = locals[start..start + count].iter();
        same.filter(|local| local.from <= offset && offset < local.to)
    };
    let range = visible().map(|local| local.to - local.from).min()?;
    let inner = || visible().filter(move |local| local.to - local.from == range);
    let before = || inner().filter(|local| local.at < offset);
    let is_known = |local: &&Local| !matches!(local.value.root, Root::Literal);
    before().rfind(is_known).or_else(|| before().next_back()).or_else(|| inner().next())
}
