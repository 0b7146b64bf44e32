//! The equation of each function: its own effects, and the calls whose targets have effects.

use super::{
    CallFact, Cause, Edge, Equation, FunctionFacts, GLOBAL, Map, Nested, ReadFact, UNKNOWN,
    Variability,
};
use crate::facts::FileFacts;
use crate::outline::{Kind, Ref};
use crate::resolve::{Certainty, Place, Resolved, Resolver, SymbolId};

/// Base types outside the project whose constructors have no effects.
const PLAIN_BASES: &[&str] = &[
    "ABC",
    "Array",
    "BaseModel",
    "Enum",
    "EventTarget",
    "Generic",
    "IntEnum",
    "IntFlag",
    "Flag",
    "Map",
    "NamedTuple",
    "Object",
    "Protocol",
    "Set",
    "StrEnum",
    "TypedDict",
    "dict",
    "frozenset",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
];

/// Collects the equations of the functions of one file.
pub(crate) struct Collector<'r, 'w, 'c> {
    resolver: &'r Resolver<'w, 'c>,
    file: u32,
    facts: &'r FileFacts,
    /// The offset of a name → what it refers to.
    resolved: Map<u32, (Certainty, Option<SymbolId>)>,
}

impl<'r, 'w, 'c> Collector<'r, 'w, 'c> {
    pub(crate) fn new(resolver: &'r Resolver<'w, 'c>, file: u32, facts: &'r FileFacts) -> Self {
        Self { resolver, file, facts, resolved: Map::default() }
    }

    /// Notes what a reference refers to.
    pub(crate) fn add(&mut self, found: &Ref, resolved: &Resolved) {
        if !self.facts.effects.functions.is_empty() {
            let entry = (resolved.certainty, resolved.target);
            let known = self.resolved.entry(found.at.offset).or_insert(entry);
            if known.1.is_none() && entry.1.is_some() {
                *known = entry;
            }
        }
    }

    /// The id of each function, with its equation.
    pub(crate) fn equations(&self) -> Vec<(i64, Equation)> {
        let equation = |function: &FunctionFacts| {
            let id = *self.facts.ids.get(function.symbol as usize)?;
            Some((id, self.equation(function)))
        };
        self.facts.effects.functions.iter().filter_map(equation).collect()
    }

    fn equation(&self, function: &FunctionFacts) -> Equation {
        let mut equation = Equation {
            causes: function.causes.clone(),
            edges: Vec::with_capacity(function.calls.len()),
        };
        let symbol = &self.facts.outline.symbols[function.symbol as usize];
        // A declaration without code: other types implement it.
        if symbol.body.is_none() && symbol.kind != Kind::Class {
            let (line, text) = (symbol.start.line, symbol.name.clone());
            equation.add(Cause { bits: UNKNOWN, line, text });
        }
        for call in &function.calls {
            self.call(function.symbol, call, &mut equation);
        }
        for read in &function.reads {
            let bits = self.read(function.symbol, read);
            equation.add(Cause { bits, line: read.line, text: read.name.clone() });
        }
        equation
    }

    fn call(&self, source: u32, call: &CallFact, equation: &mut Equation) {
        for symbol in &call.symbols {
            self.edge(source, call, SymbolId { file: self.file, at: *symbol }, false, equation);
        }
        if !call.symbols.is_empty() {
            return;
        }
        let mut add = |bits: u64| {
            equation.add(Cause { bits, line: call.line, text: call.text.clone() });
        };
        let resolved = self.resolved.get(&call.at).filter(|_| !call.certain);
        match resolved {
            Some((Certainty::Proved, Some(target))) => self.target(source, call, *target, equation),
            Some((Certainty::Possible, _)) => add(UNKNOWN),
            _ => add(call.known.unwrap_or(UNKNOWN)),
        }
    }

    fn target(&self, source: u32, call: &CallFact, target: SymbolId, equation: &mut Equation) {
        let world = self.resolver.world;
        let Some((kind, has_body)) =
            world.symbol(target, |symbol| (symbol.kind, symbol.body.is_some()))
        else {
            return;
        };
        let unknown = Cause { bits: UNKNOWN, line: call.line, text: call.text.clone() };
        match kind {
            Kind::Function | Kind::Method if has_body => {
                if self.is_overridden(target) {
                    equation.add(unknown);
                }
                self.edge(source, call, target, false, equation);
            }
            Kind::Variant => {}
            _ if kind.is_type() => self.constructor(source, call, target, equation),
            // A value that is passed on, such as a constant.
            Kind::Constant | Kind::Variable if call.known == Some(0) => {}
            _ => equation.add(unknown),
        }
    }

    /// Whether a type in the same file overrides a method.
    fn is_overridden(&self, target: SymbolId) -> bool {
        let Some(facts) = self.resolver.world.facts(target.file) else { return false };
        let symbols = &facts.outline.symbols;
        let symbol = &symbols[target.at as usize];
        let Some(class) = symbol.parent.filter(|_| symbol.kind == Kind::Method) else {
            return false;
        };
        let class = &symbols[class as usize];
        let inherits = |other: &crate::outline::Symbol| {
            other.bases.iter().any(|base| base.names().last() == Some(&*class.name))
        };
        let same = self.resolver.world.named_in(target.file, &symbol.name);
        same.iter().filter(|id| **id != target).any(|id| {
            let parent = symbols[id.at as usize].parent;
            parent.is_some_and(|parent| inherits(&symbols[parent as usize]))
        })
    }

    /// The creation of an instance: its constructor, and the initial values of its fields.
    fn constructor(&self, source: u32, call: &CallFact, class: SymbolId, equation: &mut Equation) {
        let world = self.resolver.world;
        let family = self.resolver.family(class.file);
        if !matches!(family, "python" | "script") {
            return;
        }
        let names: &[&str] = match family {
            "python" => &["__init__", "__new__", "__post_init__"],
            _ => &["constructor"],
        };
        let mut is_found = false;
        for name in names {
            if let Some(target) = self.resolver.method_of(class, name) {
                self.edge(source, call, target, true, equation);
                is_found |= *name != "__post_init__";
            }
        }
        let Some(facts) = world.facts(class.file) else { return };
        if facts.effects.functions.iter().any(|function| function.symbol == class.at) {
            self.edge(source, call, class, true, equation);
        }
        let symbol = &facts.outline.symbols[class.at as usize];
        // The fields of a base type have default values too.
        for base in symbol.bases.iter().filter_map(|base| base.names().last()) {
            let of_base = facts.effects.functions.iter().filter(|function| {
                let base_of = &facts.outline.symbols[function.symbol as usize];
                base_of.kind.is_type() && base_of.name == base && function.symbol != class.at
            });
            for function in of_base {
                let target = SymbolId { file: class.file, at: function.symbol };
                self.edge(source, call, target, true, equation);
            }
        }
        let is_plain = |base: &crate::outline::Chain| {
            base.names().last().is_some_and(|name| {
                PLAIN_BASES.contains(&name)
                    || ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
                    || facts.outline.symbols.iter().any(|at| at.name == name && at.kind.is_type())
            })
        };
        if !is_found && !symbol.bases.iter().all(is_plain) {
            equation.add(Cause { bits: UNKNOWN, line: call.line, text: call.text.clone() });
        }
    }

    fn edge(
        &self,
        source: u32,
        call: &CallFact,
        target: SymbolId,
        is_new: bool,
        equation: &mut Equation,
    ) {
        let Some(id) = self.resolver.world.stored_id(target) else { return };
        let parent =
            |at: SymbolId| self.resolver.world.symbol(at, |symbol| symbol.parent).flatten();
        let own = SymbolId { file: self.file, at: source };
        let nested = match parent(target) {
            _ if target.file != self.file => Nested::Other,
            Some(outer) if outer == source => Nested::Inner,
            outer if outer.is_some() && outer == parent(own) => Nested::Sibling,
            _ if target == own => Nested::Sibling,
            _ => Nested::Other,
        };
        equation.edges.push(Edge {
            target: id,
            line: call.line,
            text: call.text.clone(),
            receiver: if is_new { (0, 0, 0, 0) } else { call.receiver },
            arguments: call.arguments.clone(),
            rest: call.rest,
            nested,
            indirect: is_new || !call.symbols.is_empty(),
        });
    }

    fn read(&self, source: u32, read: &ReadFact) -> u64 {
        let place = Place { file: self.file, source: Some(source), offset: read.at };
        let known = read.known.unwrap_or(UNKNOWN);
        let Some(symbol) = self.resolver.named_symbol(place, &read.name, read.member.as_deref())
        else {
            return known;
        };
        let Some(facts) = self.resolver.world.facts(symbol.file) else { return known };
        let states = &facts.effects.variables;
        match states.iter().find(|(at, _)| *at == symbol.at).map(|(_, state)| state) {
            Some(Variability::Changed) => GLOBAL,
            Some(_) => UNKNOWN,
            None => 0,
        }
    }
}
