//! Resolves the handlers and routers that routes name.

use super::members::Member;
use super::values::Value;
use super::{Place, Resolver, SymbolId};
use crate::outline::{Chain, Kind, Root, Step};

/// A router to which routes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouterId {
    /// The router that is assigned to a variable.
    Variable(SymbolId),
    /// The router that a function returns or changes.
    Function(SymbolId),
    /// The router of a file.
    File(u32),
}

impl Resolver<'_, '_> {
    /// The function or type to which a chain of names refers.
    #[must_use]
    pub(crate) fn function(&self, file: u32, offset: u32, chain: &Chain) -> Option<SymbolId> {
        let Value::Symbol(id) = self.declared(file, offset, chain)? else { return None };
        let suits = |symbol: &crate::outline::Symbol| {
            symbol.kind.is_function() || symbol.kind.is_type() || symbol.callable
        };
        (self.world.symbol(id, suits) == Some(true)).then_some(id)
    }

    /// The variable to which a name refers.
    #[must_use]
    pub(crate) fn variable(&self, file: u32, offset: u32, name: &str) -> Option<SymbolId> {
        match self.declared(file, offset, &Chain::name(name))? {
            Value::Symbol(id) => Some(id),
            _ => None,
        }
    }

    /// The string that is the value of a constant which `name` refers to.
    #[must_use]
    pub(crate) fn constant(&self, file: u32, offset: u32, name: &str) -> Option<String> {
        let id = self.variable(file, offset, name)?;
        let facts = self.world.facts(id.file)?;
        let found = facts.constants.iter().find(|(at, _)| *at == id.at);
        found.map(|(_, value)| value.clone())
    }

    /// The router to which a chain of names refers.
    #[must_use]
    pub(crate) fn router(&self, file: u32, offset: u32, chain: &Chain) -> Option<RouterId> {
        match self.declared(file, offset, chain)? {
            Value::Symbol(id) => self.router_of(id, 0),
            Value::Files(files) => Some(self.exported_router(*files.first()?)),
            _ => None,
        }
    }

    /// The router that a file exports: its default export, or all its routes.
    #[must_use]
    pub(crate) fn exported_router(&self, file: u32) -> RouterId {
        match self.exported(file, "default", 0) {
            Value::Symbol(id) => self.router_of(id, 0),
            _ => None,
        }
        .unwrap_or(RouterId::File(file))
    }

    fn router_of(&self, id: SymbolId, depth: usize) -> Option<RouterId> {
        let (kind, name) = self.world.symbol(id, |symbol| (symbol.kind, symbol.name.clone()))?;
        match kind {
            // `const users = require("./users")` declares a variable and imports a file.
            Kind::Constant | Kind::Variable => {
                let facts = self.world.facts(id.file)?;
                let mut bindings = facts.imports.bindings.iter();
                let binding = bindings.find(|binding| binding.local.as_deref() == Some(&*name));
                match binding.map(|binding| self.bound(id.file, binding, depth)) {
                    Some(Value::Symbol(other)) if self.step(depth) => {
                        self.router_of(other, depth + 1)
                    }
                    Some(Value::Files(files)) if self.step(depth) => {
                        Some(self.exported_router(*files.first()?))
                    }
                    _ => Some(RouterId::Variable(id)),
                }
            }
            kind if kind.is_function() => Some(RouterId::Function(id)),
            _ => None,
        }
    }

    /// What a chain of names refers to. A variable is the result itself, not its value.
    fn declared(&self, file: u32, offset: u32, chain: &Chain) -> Option<Value> {
        self.steps.set(super::MAX_STEPS);
        let facts = self.world.facts(file)?;
        let around = facts
            .outline
            .symbols
            .iter()
            .rposition(|symbol| (symbol.start.offset..symbol.end.offset).contains(&offset));
        let source = around.and_then(|at| u32::try_from(at).ok());
        let place = Place { file, source, offset };
        Some(match chain.steps.split_last() {
            None => match &chain.root {
                Root::Name(name) => match self.lookup(place, name, false, 0) {
                    Value::Unknown | Value::External if self.has_implicit_members(file) => {
                        Value::Symbol(self.implicit_method(place, name, 255, 0)?)
                    }
                    found => found,
                },
                _ => return None,
            },
            Some((Step::Member(name), rest)) => {
                let base = Chain { root: chain.root.clone(), steps: rest.to_vec() };
                let names: Vec<&str> = base.names().collect();
                let full =
                    self.has_namespaces(file).then(|| self.qualified(file, &names.join(".")));
                let base = match full.flatten() {
                    Some(class) => Value::Symbol(class),
                    None => self.evaluate(place, &base, 0),
                };
                match self.member(&base, name, None, 0)? {
                    Member::Symbol(id) => Value::Symbol(id),
                    Member::Value(value) => value,
                }
            }
            Some(_) => return None,
        })
    }
}
