//! Turns the events of a function into its effects, and the calls on which its effects depend.

mod calls;
mod factories;

use super::class::{Callee, Class, Env, is_scalar};
use super::data::Family;
use super::file::{FileNames, Owner};
use super::scan::{Action, Event, Expr, Scan, Source};
use super::{
    CAPTURED, Cause, FileEffects, FunctionFacts, GLOBAL, MUTATION, Map, ReadFact, Set, UNKNOWN,
    Variability,
};
use aidd_engine::project::imports;
use tree_sitter::Node;

/// Maximum length of the code in a cause.
const MAX_TEXT: usize = 60;

/// Analyses all functions of a file.
pub(super) fn analyse(scan: &Scan<'_>, imports: &imports::Facts) -> FileEffects {
    let names = FileNames::new(scan, imports);
    let (mut outer, mut functions) = (vec![Map::default()], Vec::new());
    let captured = captured_changes(&names);
    for (index, function) in scan.functions.iter().enumerate().skip(1) {
        let Some(symbol) = function.symbol else { continue };
        let mut facts = FunctionFacts { symbol, ..FunctionFacts::default() };
        let env = Env::new(&names, index, &outer);
        let all = env.as_ref().map(|env| env.all.clone()).unwrap_or_default();
        match env {
            Some(env) => {
                let mut reader = Reader {
                    env,
                    facts: &mut facts,
                    consumed: Set::default(),
                    seen: Set::default(),
                    captured: &captured,
                };
                reader.read(&function.events);
            }
            None => facts.causes.push(wrapper(scan, symbol)),
        }
        if function.is_truncated {
            facts.causes.push(wrapper(scan, symbol));
        }
        // A change to a default value is visible in the next call.
        for parameter in function.parameters.iter().filter(|at| at.shared_default) {
            let changes = |cause: &&mut Cause| cause.bits & parameter.own != 0;
            facts.causes.iter_mut().filter(changes).for_each(|cause| cause.bits |= GLOBAL);
        }
        outer.push(all);
        functions.push(facts);
    }
    functions.extend(factories::factories(&names));
    let mut variables: Vec<_> = names.states.iter().map(|(at, state)| (*at, *state)).collect();
    variables.sort_unstable_by_key(|(at, _)| *at);
    FileEffects { functions, variables }
}

/// A function about which nothing is known, because of its decorators or its size.
fn wrapper(scan: &Scan<'_>, symbol: u32) -> Cause {
    let symbol = &scan.outline.symbols[symbol as usize];
    Cause { bits: UNKNOWN, line: symbol.start.line, text: symbol.name.clone() }
}

/// The variables of functions that other functions change, or that change after their declaration.
fn captured_changes<'t>(names: &FileNames<'_, 't>) -> Set<(usize, &'t str)> {
    let (mut changed, mut counts) = (Set::default(), Map::<(usize, &str), usize>::default());
    for (index, function) in names.scan.functions.iter().enumerate() {
        for event in &function.events {
            let name = match &event.action {
                Action::Bind(name, _) | Action::Assign(name, ..) => Some(*name),
                Action::Write(base, ..) => names.scan.root(*base),
                Action::Call(call) => match names.scan.expr(call.function) {
                    Expr::Member(object, method)
                        if names.scan.table.can_change("", names.scan.text_of(method)) =>
                    {
                        names.scan.root(object)
                    }
                    _ => None,
                },
                _ => None,
            };
            let Some(name) = name else { continue };
            match names.owner(index, name) {
                Owner::Captured(owner) => drop(changed.insert((owner, name))),
                Owner::Local if matches!(event.action, Action::Bind(..) | Action::Assign(..)) => {
                    let count = counts.entry((index, name)).or_default();
                    *count += 1;
                    if *count > 1
                        || names.scan.functions[index].parameters.iter().any(|p| p.name == name)
                    {
                        changed.insert((index, name));
                    }
                }
                _ => {}
            }
        }
    }
    changed
}

struct Reader<'r, 'e, 's, 't> {
    env: Env<'e, 's, 't>,
    facts: &'r mut FunctionFacts,
    /// Names and members that are part of a longer path.
    consumed: Set<usize>,
    /// Names that were read.
    seen: Set<&'t str>,
    captured: &'e Set<(usize, &'t str)>,
}

impl<'e, 't> Reader<'_, 'e, '_, 't> {
    fn read(&mut self, events: &[Event<'t>]) {
        for event in events {
            self.event(event);
            self.env.apply(&event.action, event.weak);
        }
    }

    fn scan(&self) -> &'e Scan<'t> {
        self.env.names.scan
    }

    fn line(node: Node<'_>) -> u32 {
        u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
    }

    /// The code of a node in one line, shortened.
    fn code(&self, node: Node<'_>) -> String {
        let text = self.scan().text_of(node);
        let text = text.get(..text.floor_char_boundary(4 * MAX_TEXT)).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.floor_char_boundary(MAX_TEXT);
        if end < text.len() { format!("{}…", &text[..end]) } else { text }
    }

    fn cause(&mut self, bits: u64, node: Node<'t>, text: impl FnOnce(&Self) -> String) {
        let known = self.facts.causes.iter().fold(0, |all, cause| all | cause.bits);
        if bits & !known != 0 {
            let text = text(self);
            self.facts.causes.push(Cause { bits, line: Self::line(node), text });
        }
    }

    fn event(&mut self, event: &Event<'t>) {
        let node = event.node;
        match &event.action {
            Action::Bind(..) => {}
            Action::Assign(name, source, is_joined) => {
                self.assign(name, *source, *is_joined, event);
            }
            Action::Write(base, is_element, _) => {
                let class = self.env.class(*base, event.closure);
                // The elements of a slice that is passed by value are shared.
                let own = match class.kind == "value" && *is_element {
                    true => class.inner,
                    false => class.own,
                };
                self.cause(own, node, |reader| reader.code(node));
            }
            Action::Call(call) => self.call(call, event),
            Action::Read(name) => self.read_name(name, node),
            Action::Member(object, name) => self.member(*object, name, event),
            Action::Enter(value) => {
                let is_known = match self.scan().expr(*value) {
                    Expr::Call(call) => {
                        matches!(self.env.callee(&call, event.closure, 0), Callee::Path(path)
                            if self.scan().table.effects(&path, None).is_some())
                    }
                    _ => false,
                };
                if !is_known {
                    self.cause(UNKNOWN, *value, |reader| reader.code(*value));
                }
            }
            Action::Index(object) => {
                // Reading a missing key adds it.
                let class = self.env.class(*object, event.closure);
                if class.kind == "defaultdict" {
                    self.cause(class.own, node, |reader| reader.code(node));
                }
            }
            Action::Iterate(value) => {
                let class = self.env.class(*value, event.closure);
                let bits = match (self.scan().family, class.kind) {
                    (Family::Rust, "Vec") => 0,
                    (Family::Rust, _) => self.env.passed(*value, event.closure),
                    (_, "iterator" | "file" | "channel") => class.own,
                    // A channel or a function can be the value of a named type.
                    (Family::Go, _) if self.is_open(*value) => UNKNOWN,
                    _ => 0,
                };
                self.cause(bits, node, |reader| reader.code(*value));
            }
            Action::Move(value) => {
                let bits = self.env.passed(*value, event.closure);
                self.cause(bits, node, |reader| reader.code(*value));
            }
            Action::Direct(bits) => self.cause(*bits, node, |reader| reader.code(node)),
            Action::Named(path) => self.named(path, node),
        }
    }

    /// Whether a value is a parameter about whose type nothing is known.
    fn is_open(&self, value: Node<'t>) -> bool {
        let parameters = &self.scan().functions[self.env.function].parameters;
        matches!(self.scan().expr(value), Expr::Name(name)
            if parameters.iter().any(|at| at.name == name && at.own & UNKNOWN != 0))
    }

    fn assign(&mut self, name: &'t str, source: Source<'t>, is_joined: bool, event: &Event<'t>) {
        let node = event.node;
        let owner = self.env.names.owner(self.env.function, name);
        let bits = match owner {
            // `+=` changes a list, and replaces a number.
            Owner::Local if is_joined => {
                let Expr::Name(_) = self.scan().expr(node.child(0).unwrap_or(node)) else { return };
                let class = self.env.class(node.child(0).unwrap_or(node), event.closure);
                let added = match source {
                    Source::Value(value) => self.env.class(value, event.closure),
                    _ => Class::UNKNOWN,
                };
                match (is_scalar(class.kind), is_scalar(added.kind), added.kind.is_empty()) {
                    (true, ..) | (_, true, _) => 0,
                    (_, _, true) if class.own != 0 => UNKNOWN,
                    _ => class.own,
                }
            }
            Owner::Local => 0,
            Owner::Captured(function) => {
                let parent = self.scan().functions[self.env.function].parent;
                if parent == Some(function) { CAPTURED } else { MUTATION }
            }
            Owner::Unknown if self.scan().family == Family::Rust => UNKNOWN,
            _ => GLOBAL,
        };
        self.cause(bits, node, |reader| reader.code(node));
    }

    fn read_name(&mut self, name: &'t str, node: Node<'t>) {
        if self.consumed.contains(&node.id()) || !self.seen.insert(name) {
            return;
        }
        let names = self.env.names;
        match names.owner(self.env.function, name) {
            Owner::Local | Owner::Declared => {}
            Owner::Captured(function) => {
                if self.captured.contains(&(function, name)) {
                    let is_parent =
                        self.scan().functions[self.env.function].parent == Some(function);
                    let bits = if is_parent { CAPTURED } else { MUTATION };
                    self.cause(bits, node, |_| name.to_owned());
                }
            }
            Owner::Module(symbol) => match names.states.get(&symbol) {
                Some(Variability::Changed) => self.cause(GLOBAL, node, |_| name.to_owned()),
                Some(_) => self.cause(UNKNOWN, node, |_| name.to_owned()),
                None => {}
            },
            Owner::Import => {
                let path = names.full_path(self.env.function, &[name]).unwrap_or_default();
                let known = self.scan().table.effects(&path, None);
                let known = known.or_else(|| is_constant_name(name).then_some(0));
                self.external(name, None, node, known);
            }
            Owner::Unknown => {
                let known = self.scan().table.effects(name, None);
                let known = match self.scan().family {
                    _ if known.is_some_and(|bits| bits != 0) => known,
                    Family::Python if !names.has_wildcard => return,
                    Family::Go => Some(0),
                    Family::Rust if !is_static_name(name) => return,
                    Family::Script => known.or_else(|| is_constant_name(name).then_some(0)),
                    _ => known,
                };
                self.external(name, None, node, known);
            }
        }
    }

    /// A name whose value another file or a package determines.
    fn external(&mut self, name: &str, member: Option<&str>, node: Node<'t>, known: Option<u64>) {
        self.facts.reads.push(ReadFact {
            name: name.to_owned(),
            member: member.map(str::to_owned),
            at: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
            line: Self::line(node),
            known,
        });
    }

    /// Marks the parts of a path as read.
    fn consume(&mut self, node: Node<'t>) {
        let mut node = node;
        for _ in 0..16 {
            self.consumed.insert(node.id());
            match self.scan().expr(node) {
                Expr::Member(object, _) => node = object,
                Expr::Either(parts) if parts.len() == 1 => node = parts[0],
                _ => return,
            }
        }
    }

    fn member(&mut self, object: Node<'t>, name: &'t str, event: &Event<'t>) {
        let node = event.node;
        if self.consumed.contains(&node.id()) {
            return;
        }
        let names = self.env.names;
        if let Some(symbols) = names.properties.get(name) {
            let class = self.env.class(object, event.closure);
            self.push_call(node, name.to_owned(), None, false, class, &[], event.closure);
            if let Some(call) = self.facts.calls.last_mut() {
                call.symbols.clone_from(symbols);
            }
        }
        if names.changed_members.contains(name) {
            let is_type = match self.scan().expr(object) {
                Expr::Instance => true,
                Expr::Name("self" | "cls" | "this") => true,
                Expr::Name(root) => names.owner(self.env.function, root) == Owner::Declared,
                _ => false,
            };
            if is_type {
                self.cause(GLOBAL, node, |reader| reader.code(node));
            }
        }
        let path = self.scan().path(node);
        let Some(path) = path else { return };
        let Some(full) = names.full_path(self.env.function, &path) else { return };
        self.consume(node);
        if !self.seen.insert(self.scan().text_of(node)) {
            return;
        }
        let is_script = self.scan().family == Family::Script;
        let known = self.scan().table.member_effects(&full, is_script);
        let known = known.or_else(|| is_constant_name(name).then_some(0));
        match names.owner(self.env.function, path[0]) {
            Owner::Unknown => match known {
                Some(bits) => self.cause(bits, node, |_| full),
                None if self.scan().family == Family::Python => {}
                None => self.cause(UNKNOWN, node, |_| full),
            },
            _ => self.external(path[0], path.get(1).copied(), node, known),
        }
    }
}

/// Whether a name is written like a constant or a type.
fn is_constant_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}

/// Whether a name is written like a static in Rust.
fn is_static_name(name: &str) -> bool {
    name.len() > 1 && !name.contains(char::is_lowercase)
}
