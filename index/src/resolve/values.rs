//! Values: evaluates a chain to a symbol, an instance of a type, or a module.

use super::members::Member;
use super::{Place, Resolver, SymbolId};
use crate::outline::{Chain, Kind, Root, Step};

/// Maximum number of nested lookups of method owners.
const MAX_PENDING_OWNERS: u32 = 3;

/// What is known about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing.
    Unknown,
    /// It comes from a package outside the project.
    External,
    /// It has a built-in type.
    Literal,
    /// It is a module or package.
    Files(Vec<u32>),
    /// It is the symbol itself.
    Symbol(SymbolId),
    /// It is an instance of a type.
    Instance(SymbolId),
    /// It is an instance of a type, accessed through its base types.
    Super(SymbolId),
    /// It is a sequence.
    List(Box<Value>),
}

impl Resolver<'_, '_> {
    /// The value of a chain at a place.
    pub(super) fn evaluate(&self, place: Place, chain: &Chain, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        let mut skipped = 0;
        let mut value = match &chain.root {
            Root::Unknown => return Value::Unknown,
            Root::Literal => Value::Literal,
            Root::List(inner) => Value::List(Box::new(self.evaluate(place, inner, depth + 1))),
            Root::Instance => match self.class_of(place) {
                Some(class) => Value::Instance(class),
                None => Value::Unknown,
            },
            Root::Class => match self.class_of(place) {
                Some(class) => Value::Symbol(class),
                None => Value::Unknown,
            },
            Root::Super => match self.class_of(place) {
                Some(class) => Value::Super(class),
                None => Value::Unknown,
            },
            Root::Name(name) => {
                if let Some((value, skip)) = self.dotted_module(place.file, chain) {
                    skipped = skip - 1;
                    value
                } else if let Some((value, skip)) = self.inline_path(place, chain, 2, depth) {
                    skipped = skip;
                    value
                } else {
                    let is_type = chain.steps.contains(&Step::Instance);
                    let mut found = self.lookup(place, name, is_type, depth + 1);
                    // A module that is declared with `mod`.
                    if found == Value::Unknown
                        && let Some((value, _)) = self.inline_path(place, chain, 1, depth)
                    {
                        found = value;
                    }
                    if found == Value::Unknown
                        && let Some((id, skip)) = self.constant_path(place, chain)
                    {
                        skipped = skip;
                        found = Value::Symbol(id);
                    }
                    match (&found, self.has_implicit_members(place.file), chain.steps.first()) {
                        (Value::Unknown, true, Some(Step::Call)) => {
                            match self.implicit_method(place, name, 255, depth + 1) {
                                Some(id) => Value::Symbol(id),
                                None => found,
                            }
                        }
                        // The project does not declare the type, so it comes from a package.
                        (Value::Unknown, ..)
                            if self.has_declared_types(place.file)
                                && (is_type || self.is_type_name(place.file, name)) =>
                        {
                            Value::External
                        }
                        _ => found,
                    }
                }
            }
        };
        for step in &chain.steps[skipped.min(chain.steps.len())..] {
            value = match step {
                Step::Member(name) => self.step_member(&value, name, depth + 1),
                Step::Call => self.step_call(&value, depth + 1),
                Step::Instance => self.step_instance(&value, depth + 1),
                Step::Element => match self.as_value(value, depth + 1) {
                    Value::List(element) => *element,
                    Value::External => Value::External,
                    Value::Literal => Value::Literal,
                    _ => Value::Unknown,
                },
            };
            if matches!(value, Value::Unknown | Value::External) {
                return value;
            }
        }
        value
    }

    /// Whether a name in an expression is that of a type, by the conventions of Java, Kotlin and C#.
    fn is_type_name(&self, file: u32, name: &str) -> bool {
        let mut letters = name.chars();
        matches!(self.family(file), "java" | "csharp")
            && letters.next().is_some_and(char::is_uppercase)
            && letters.any(char::is_lowercase)
    }

    /// A Rust path of at least `least` names in an expression: its value, and the number of steps
    /// used.
    fn inline_path(
        &self,
        place: Place,
        chain: &Chain,
        least: usize,
        depth: usize,
    ) -> Option<(Value, usize)> {
        if !self.world.path(place.file).ends_with(".rs") {
            return None;
        }
        let Root::Name(first) = &chain.root else { return None };
        let members = chain.steps.iter().map_while(|step| match step {
            Step::Member(name) => Some(name.as_str()),
            _ => None,
        });
        let path: Vec<String> =
            std::iter::once(first.as_str()).chain(members).map(str::to_owned).collect();
        let is_module = matches!(first.as_str(), "crate" | "self" | "super");
        let facts = self.world.facts(place.file)?;
        if !is_module
            && (path.len() < least
                || !self.world.named_in(place.file, first).is_empty()
                || facts.imports.bindings.iter().any(|b| b.local.as_deref() == Some(first)))
        {
            return None;
        }
        // The receiver is a prefix of the path in the code.
        let found = facts.imports.imports.iter().enumerate().find_map(|(index, import)| {
            let aidd_engine::project::imports::Name::Rust { path: known, .. } = &import.name else {
                return None;
            };
            known.starts_with(&path).then_some(index)
        })?;
        let target = facts.targets.get(found)?;
        if target.package.is_some() {
            return Some((Value::External, path.len() - 1));
        }
        let file = *target.files.first()?;
        Some((self.rust_path(file, &path, depth + 1), path.len() - 1))
    }

    /// The type that encloses a place.
    pub(super) fn class_of(&self, place: Place) -> Option<SymbolId> {
        let facts = self.world.facts(place.file)?;
        let mut scope = place.source;
        while let Some(at) = scope {
            let symbol = facts.outline.symbols.get(at as usize)?;
            let id = SymbolId { file: place.file, at };
            if symbol.owner.is_some() {
                return self.owner_of(id);
            }
            if symbol.kind.is_type() {
                return Some(id);
            }
            if matches!(symbol.kind, Kind::Constant | Kind::Variable) && symbol.value.is_none() {
                return Some(id);
            }
            scope = symbol.parent;
        }
        None
    }

    /// The type of a method that is declared outside its type.
    pub(super) fn owner_of(&self, id: SymbolId) -> Option<SymbolId> {
        if let Some(known) = self.owners.borrow().get(&id) {
            return *known;
        }
        let (owner, offset, parent) = self
            .world
            .symbol(id, |symbol| (symbol.owner.clone(), symbol.start.offset, symbol.parent))?;
        let place = Place { file: id.file, source: parent, offset };
        let mut chain = owner?;
        // The owner of a method can depend on the owners of other methods.
        if self.pending_owners.get() >= MAX_PENDING_OWNERS {
            return None;
        }
        self.pending_owners.set(self.pending_owners.get() + 1);
        // The owner is a type.
        let value = match (&chain.root, chain.steps.is_empty()) {
            (Root::Name(name), true) => self.lookup(place, name, true, 2),
            _ => {
                chain.steps.retain(|step| *step != Step::Instance);
                self.evaluate(place, &chain, 2)
            }
        };
        self.pending_owners.set(self.pending_owners.get() - 1);
        let owner = match value {
            Value::Symbol(id) | Value::Instance(id) => Some(id),
            _ => None,
        };
        self.owners.borrow_mut().insert(id, owner);
        owner
    }

    /// The value of a variable, field or property; any other value unchanged.
    pub(super) fn as_value(&self, value: Value, depth: usize) -> Value {
        let Value::Symbol(id) = value else { return value };
        if !self.step(depth) {
            return Value::Unknown;
        }
        let read = self.world.symbol(id, |symbol| {
            let is_value = matches!(
                symbol.kind,
                Kind::Field | Kind::Constant | Kind::Variable | Kind::Variant
            ) || symbol.property;
            is_value.then(|| {
                (symbol.value.clone(), symbol.start.offset, symbol.parent, symbol.property)
            })
        });
        match read.flatten() {
            Some((Some(chain), offset, parent, property)) => {
                let source = if property { Some(id.at) } else { parent };
                let place = Place { file: id.file, source, offset };
                self.as_value(self.evaluate(place, &chain, depth + 1), depth + 1)
            }
            _ => value,
        }
    }

    pub(super) fn step_member(&self, value: &Value, name: &str, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        match self.member(value, name, None, depth) {
            Some(Member::Symbol(id)) => self.as_value(Value::Symbol(id), depth + 1),
            Some(Member::Value(value)) => value,
            None => match value {
                // The members of a companion are members of its class.
                Value::Symbol(id)
                    if name == "Companion" && self.world.path(id.file).ends_with(".kt") =>
                {
                    value.clone()
                }
                Value::External => Value::External,
                Value::Literal | Value::List(_) => Value::Literal,
                Value::Symbol(id)
                    if name == "objects"
                        && self.world.symbol(*id, |at| at.kind == Kind::Class) == Some(true) =>
                {
                    Value::External
                }
                _ => Value::Unknown,
            },
        }
    }

    fn step_call(&self, value: &Value, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        let id = match value {
            Value::Symbol(id) => *id,
            Value::External => return Value::External,
            Value::Literal => return Value::Literal,
            // A Ruby name can be an attribute or a method.
            Value::Instance(id) if self.world.path(id.file).ends_with(".rb") => {
                return value.clone();
            }
            _ => return Value::Unknown,
        };
        let Some((kind, result, end)) = self.world.symbol(id, |symbol| {
            (symbol.kind, symbol.value.clone(), symbol.end.offset.saturating_sub(1))
        }) else {
            return Value::Unknown;
        };
        if kind.is_type() {
            return self.step_instance(value, depth + 1);
        }
        match (kind, result) {
            (Kind::Variant, _) => Value::Unknown,
            (Kind::Function | Kind::Method, Some(chain)) => {
                let place = Place { file: id.file, source: Some(id.at), offset: end };
                self.as_value(self.evaluate(place, &chain, depth + 1), depth + 1)
            }
            (Kind::Constant | Kind::Variable | Kind::Field, Some(_)) => {
                match self.as_value(value.clone(), depth + 1) {
                    Value::Symbol(other) if other == id => Value::Unknown,
                    other => self.step_call(&other, depth + 1),
                }
            }
            _ => Value::Unknown,
        }
    }

    fn step_instance(&self, value: &Value, depth: usize) -> Value {
        if !self.step(depth) {
            return Value::Unknown;
        }
        match value {
            Value::Symbol(id) => {
                let read = self.world.symbol(*id, |symbol| {
                    (symbol.kind, symbol.value.clone(), symbol.start.offset, symbol.parent)
                });
                match read {
                    Some((Kind::Type, Some(chain), offset, parent))
                        if chain.root != Root::Unknown =>
                    {
                        let place = Place { file: id.file, source: parent, offset };
                        match self.evaluate(place, &chain, depth + 1) {
                            Value::Unknown => Value::Instance(*id),
                            other => other,
                        }
                    }
                    Some((kind, ..)) if kind.is_type() => Value::Instance(*id),
                    _ => self.as_value(value.clone(), depth + 1),
                }
            }
            Value::External => Value::External,
            Value::Literal => Value::Literal,
            _ => Value::Unknown,
        }
    }
}
