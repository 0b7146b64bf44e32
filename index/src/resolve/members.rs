//! Members of values: through modules, types and their base types.

use super::names::class_binding;
use super::values::Value;
use super::{Place, Resolver, SymbolId};
use crate::facts::{camel_case, getter};
use crate::outline::{Kind, Ref, RefKind, Step};

/// Maximum number of types in a hierarchy that are searched.
const MAX_TYPES: usize = 64;

/// A member of a value.
#[derive(Clone, Debug)]
pub(crate) enum Member {
    /// A declared member.
    Symbol(SymbolId),
    /// The value of a field that is only assigned.
    Value(Value),
}

impl Resolver<'_, '_> {
    /// The member `name` of a value. `arguments` selects among several methods of the same name.
    pub(super) fn member(
        &self,
        value: &Value,
        name: &str,
        arguments: Option<u8>,
        depth: usize,
    ) -> Option<Member> {
        if !self.step(depth) {
            return None;
        }
        match value {
            Value::Files(files) => {
                files.iter().find_map(|file| match self.exported(*file, name, depth + 1) {
                    Value::Symbol(id) => Some(Member::Symbol(id)),
                    Value::Unknown => None,
                    other => Some(Member::Value(other)),
                })
            }
            Value::Symbol(id) => {
                let kind = self.world.symbol(*id, |symbol| symbol.kind)?;
                if kind.is_type() {
                    return match self.nested_constant(*id, name) {
                        Some(found) => Some(Member::Symbol(found)),
                        None => self.member_of(*id, name, arguments, depth),
                    };
                }
                if let Some(child) = self.child(*id, name, arguments) {
                    return Some(Member::Symbol(child));
                }
                match self.as_value(value.clone(), depth + 1) {
                    Value::Symbol(other) if other == *id => None,
                    other => self.member(&other, name, arguments, depth + 1),
                }
            }
            Value::Instance(class) => self.member_of(*class, name, arguments, depth),
            Value::Super(class) => {
                let bases = self.bases(*class, depth);
                // An earlier base type outside the project can have the member.
                if matches!(bases.first(), Some(Value::External | Value::Unknown)) {
                    return None;
                }
                let bases: Vec<SymbolId> = bases
                    .into_iter()
                    .filter_map(|base| match base {
                        Value::Symbol(id) | Value::Instance(id) => Some(id),
                        _ => None,
                    })
                    .collect();
                self.member_of_any(bases, name, arguments, depth + 1)
            }
            _ => None,
        }
    }

    /// A method of a type or of its base types.
    pub(crate) fn method_of(&self, class: SymbolId, name: &str) -> Option<SymbolId> {
        self.reset_steps();
        match self.member_of(class, name, None, 0) {
            Some(Member::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// The symbol that a name, or a member of a name, refers to.
    pub(crate) fn named_symbol(
        &self,
        place: Place,
        name: &str,
        member: Option<&str>,
    ) -> Option<SymbolId> {
        self.reset_steps();
        let value = self.lookup(place, name, false, 0);
        let Some(member) = member else {
            return match value {
                Value::Symbol(id) => Some(id),
                _ => None,
            };
        };
        match self.member(&value, member, None, 0) {
            Some(Member::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// A symbol that is declared directly in another symbol.
    fn child(&self, parent: SymbolId, name: &str, arguments: Option<u8>) -> Option<SymbolId> {
        let own = self.world.named_in(parent.file, name);
        let rank = |id: &SymbolId| {
            self.world.symbol(*id, |symbol| {
                let fits = arguments.is_none_or(|count| {
                    count == 255 || symbol.arity.0 <= count && count <= symbol.arity.1
                });
                (symbol.parent == Some(parent.at) && symbol.owner.is_none())
                    .then_some((fits, symbol.body.is_some()))
            })?
        };
        let mut best: Option<((bool, bool), SymbolId)> = None;
        for id in own {
            if let Some(found) = rank(id)
                && best.as_ref().is_none_or(|(known, _)| *known < found)
            {
                best = Some((found, *id));
            }
        }
        best.map(|(_, id)| id)
    }

    /// A member of a type or of its base types, breadth first.
    fn member_of(
        &self,
        class: SymbolId,
        name: &str,
        arguments: Option<u8>,
        depth: usize,
    ) -> Option<Member> {
        self.member_of_any(vec![class], name, arguments, depth)
    }

    /// Like [`Self::member_of`], for several types.
    fn member_of_any(
        &self,
        classes: Vec<SymbolId>,
        name: &str,
        arguments: Option<u8>,
        depth: usize,
    ) -> Option<Member> {
        if !self.step(depth) {
            return None;
        }
        let mut seen = classes.clone();
        let mut pending = std::collections::VecDeque::from(classes);
        while let Some(class) = pending.pop_front() {
            for part in self.parts(class) {
                if !seen.contains(&part) && seen.len() < MAX_TYPES {
                    seen.push(part);
                    pending.push_front(part);
                }
            }
            if let Some(child) = self.child(class, name, arguments) {
                return Some(Member::Symbol(child));
            }
            if let Some(method) = self.outside_method(class, name) {
                return Some(Member::Symbol(method));
            }
            if let Some(facts) = self.world.facts(class.file)
                && let Some(binding) = class_binding(facts, class.at, name)
            {
                return match self.bound(class.file, binding, depth + 1) {
                    Value::Symbol(id) => Some(Member::Symbol(id)),
                    other => Some(Member::Value(other)),
                };
            }
            if let Some(value) = self.assigned_field(class, name, depth) {
                return Some(Member::Value(value));
            }
            for base in self.bases(class, depth + 1) {
                if let Value::Symbol(id) | Value::Instance(id) = base
                    && !seen.contains(&id)
                    && seen.len() < MAX_TYPES
                {
                    seen.push(id);
                    pending.push_back(id);
                }
            }
        }
        None
    }

    /// A method that is declared outside its type, in Go and Rust.
    fn outside_method(&self, class: SymbolId, name: &str) -> Option<SymbolId> {
        let path = self.world.path(class.file);
        if !path.ends_with(".go") && !path.ends_with(".rs") {
            return None;
        }
        let own = self.world.named_in(class.file, name);
        let belongs = |id: &&SymbolId| {
            self.world.symbol(**id, |symbol| symbol.owner.is_some()) == Some(true)
                && self.owner_of(**id) == Some(class)
        };
        if let Some(found) = own.iter().find(belongs) {
            return Some(*found);
        }
        self.world.named(name).iter().find(belongs).copied()
    }

    /// The value of a field that is only assigned.
    fn assigned_field(&self, class: SymbolId, name: &str, depth: usize) -> Option<Value> {
        let facts = self.world.facts(class.file)?;
        let mut unknown = None;
        for field in &facts.outline.fields {
            if field.class != class.at || field.name != name {
                continue;
            }
            // Names in the value are visible in a method of the type.
            let source = facts.outline.symbols.iter().position(|symbol| {
                symbol.parent == Some(class.at)
                    && matches!(symbol.name.as_str(), "__init__" | "constructor")
            });
            let source = source.and_then(|at| u32::try_from(at).ok()).unwrap_or(class.at);
            let end = facts.outline.symbols[source as usize].end.offset.saturating_sub(1);
            let place = Place { file: class.file, source: Some(source), offset: end };
            match self.evaluate(place, &field.value, depth + 1) {
                Value::Unknown | Value::Literal => unknown = Some(Value::Unknown),
                found => return Some(found),
            }
        }
        unknown
    }

    /// The base types of a type.
    pub(super) fn bases(&self, class: SymbolId, depth: usize) -> Vec<Value> {
        if !self.step(depth) {
            return Vec::new();
        }
        let Some((bases, parent, offset, kind, value)) = self.world.symbol(class, |symbol| {
            let value = symbol.value.clone();
            (symbol.bases.clone(), symbol.parent, symbol.start.offset, symbol.kind, value)
        }) else {
            return Vec::new();
        };
        let place = Place { file: class.file, source: parent, offset };
        let mut values: Vec<Value> = bases
            .iter()
            .map(|chain| self.evaluate(place, &chain.clone().then(Step::Instance), depth + 1))
            .collect();
        if kind == Kind::Type {
            values.extend(value.map(|chain| self.evaluate(place, &chain, depth + 1)));
        }
        values.retain(|value| *value != Value::Instance(class));
        values
    }

    /// Whether a type extends a type of a package.
    fn has_external_base(&self, class: SymbolId, depth: usize) -> bool {
        depth <= 4
            && self.bases(class, 2).into_iter().any(|base| match base {
                Value::External => true,
                Value::Symbol(id) | Value::Instance(id) => self.has_external_base(id, depth + 1),
                _ => false,
            })
    }

    /// Whether a base type of a type is unknown, so the type can have further members.
    pub(super) fn has_unknown_base(&self, class: SymbolId, depth: usize) -> bool {
        depth <= 4
            && self.bases(class, 2).into_iter().any(|base| match base {
                Value::Unknown => true,
                Value::Symbol(id) | Value::Instance(id) => self.has_unknown_base(id, depth + 1),
                _ => false,
            })
    }

    /// The member of an enclosing type to which an unqualified name refers. `has_methods`: whether it can
    /// be a method.
    pub(super) fn implicit_member(
        &self,
        place: Place,
        name: &str,
        has_methods: bool,
    ) -> Option<Member> {
        let facts = self.world.facts(place.file)?;
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            if symbol.kind.is_type() {
                let class = SymbolId { file: place.file, at };
                match self.member_of(class, name, None, 1) {
                    Some(Member::Symbol(id)) => {
                        if let Some(id) = self.value_of(id, has_methods) {
                            return Some(Member::Symbol(id));
                        }
                    }
                    None => {}
                    found => return found,
                }
            }
            scope = symbol.parent;
        }
        None
    }

    /// The symbol, or if it is a method and no method is wanted, the field with the same name in the same
    /// type. A constructor is not a value.
    fn value_of(&self, id: SymbolId, has_methods: bool) -> Option<SymbolId> {
        let (is_function, parent, name) =
            self.world.symbol(id, |at| (at.kind.is_function(), at.parent, at.name.clone()))?;
        let is_constructor = || {
            let class = parent.map(|at| SymbolId { file: id.file, at });
            let outer = class.and_then(|class| self.world.symbol(class, |at| at.name.clone()));
            outer.as_deref() == Some(&*name)
        };
        if !is_function || has_methods && !is_constructor() {
            return Some(id);
        }
        let own = self.world.named_in(id.file, &name);
        own.iter().copied().find(|other| {
            self.world.symbol(*other, |at| at.parent == parent && !at.kind.is_function())
                == Some(true)
        })
    }

    /// A member that a use of another name implies: in Kotlin, the getter of a Java property; in PHP, the
    /// method of the model that declares a relation or an attribute.
    pub(super) fn implied_member(
        &self,
        place: Place,
        receiver: &Value,
        found: &Ref,
    ) -> Option<SymbolId> {
        if found.kind == RefKind::Call && matches!(found.name.as_str(), "<init>" | ".ctor") {
            return self.constructor(receiver, found.arguments);
        }
        let path = self.world.path(place.file);
        let Value::Instance(class) = receiver else { return None };
        if found.kind == RefKind::Value
            && path.ends_with(".php")
            && let Some(name) = found.name.strip_prefix('$')
            && self.has_external_base(*class, 0)
        {
            let names = [name.to_owned(), camel_case(name)];
            return names.iter().find_map(|name| match self.member_of(*class, name, Some(0), 1) {
                Some(Member::Symbol(id)) => Some(id),
                _ => None,
            });
        }
        if found.kind != RefKind::Value || !path.ends_with(".kt") {
            return None;
        }
        if !self.world.path(class.file).ends_with(".java") {
            return None;
        }
        match self.member_of(*class, &getter(&found.name), Some(0), 1) {
            Some(Member::Symbol(id)) => Some(id),
            _ => None,
        }
    }

    /// The constructor that `this(…)` or `super(…)` calls.
    fn constructor(&self, receiver: &Value, arguments: u8) -> Option<SymbolId> {
        let class = match receiver {
            Value::Instance(class) => *class,
            Value::Super(class) => {
                let bases = self.bases(*class, 1);
                bases.into_iter().find_map(|base| match base {
                    Value::Symbol(id) | Value::Instance(id) => {
                        let kind = self.world.symbol(id, |at| at.kind)?;
                        (kind == Kind::Class).then_some(id)
                    }
                    _ => None,
                })?
            }
            _ => return None,
        };
        let name = self.world.symbol(class, |symbol| symbol.name.clone())?;
        let own = self.child(class, &name, Some(arguments));
        match (own, receiver) {
            (None, Value::Super(_)) => Some(class),
            (own, _) => own,
        }
    }

    /// The method to which an unqualified call refers in Java and similar languages: a method of an
    /// enclosing type, or an imported method.
    pub(super) fn implicit_method(
        &self,
        place: Place,
        name: &str,
        arguments: u8,
        depth: usize,
    ) -> Option<SymbolId> {
        if !self.step(depth) {
            return None;
        }
        // An attribute of a Ruby class is read by a call.
        let is_function = |id: SymbolId| {
            let is_ruby = self.world.path(id.file).ends_with(".rb");
            let kind = self.world.symbol(id, |at| at.kind.is_function() || is_ruby && at.callable);
            kind == Some(true)
        };
        // A function that is declared in an enclosing function.
        if self.family(place.file) != "ruby"
            && let Some(nested) = self.nested(place, name).filter(|id| is_function(*id))
        {
            return Some(nested);
        }
        let facts = self.world.facts(place.file)?;
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            if symbol.kind.is_type() {
                let class = SymbolId { file: place.file, at };
                if let Some(Member::Symbol(found)) =
                    self.member_of(class, name, Some(arguments), depth + 1)
                    && is_function(found)
                {
                    return Some(found);
                }
            }
            scope = symbol.parent;
        }
        match self.lookup(Place { source: None, ..place }, name, false, depth + 1) {
            Value::Symbol(id) if is_function(id) => Some(id),
            // A call of a Kotlin class creates an instance.
            Value::Symbol(id) if self.world.path(place.file).ends_with(".kt") => {
                (self.world.symbol(id, |at| at.kind.is_type()) == Some(true)).then_some(id)
            }
            _ => None,
        }
    }

    /// The field to which an unqualified name refers in Java and similar languages.
    pub(super) fn implicit_field(&self, place: Place, name: &str, depth: usize) -> Option<Value> {
        let facts = self.world.facts(place.file)?;
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            if symbol.kind.is_type() {
                let class = SymbolId { file: place.file, at };
                match self.member_of(class, name, None, depth + 1) {
                    Some(Member::Symbol(id))
                        if self.world.symbol(id, |at| at.kind.is_function()) == Some(false) =>
                    {
                        return Some(self.as_value(Value::Symbol(id), depth + 1));
                    }
                    Some(Member::Value(value)) => return Some(value),
                    _ => {}
                }
            }
            scope = symbol.parent;
        }
        None
    }
}
