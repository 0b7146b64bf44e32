//! What a change to a value also changes: a parameter, global state, or only the value itself.

mod results;
mod value;

use super::data::{Family, Known};
use super::file::{FileNames, Owner};
use super::scan::{Action, Call, Expr, Source};
use super::{CALLS, CAPTURED, GLOBAL, LEVEL, MUTATION, Map, RECEIVER, UNKNOWN};
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::Node;
pub(super) use value::{Class, is_scalar};

/// Maximum nesting of an expression that is read.
const MAX_DEPTH: usize = 24;

/// Adds a value of a variable; returns whether that changes what the variable can be.
fn add<'t>(values: &mut Map<&'t str, Class>, name: &'t str, class: Class) -> bool {
    match values.entry(name) {
        Entry::Occupied(mut entry) => {
            let before = entry.insert(entry.get().join(class));
            *entry.get() != before
        }
        Entry::Vacant(entry) => {
            entry.insert(class);
            true
        }
    }
}

/// The function that is called.
#[derive(Debug)]
pub(super) enum Callee<'t> {
    /// A function of a package or a built-in function.
    Path(Rc<str>),
    /// A method of a value.
    Method {
        receiver: Class,
        is_instance: bool,
        name: &'t str,
    },
    /// A function that the file declares, or that is found in the project.
    Declared(&'t str),
    /// A function without a name in this function.
    Closure,
    Value,
}

/// The variables of one function.
pub(super) struct Env<'e, 's, 't> {
    pub names: &'e FileNames<'s, 't>,
    pub function: usize,
    /// The variables at the current event.
    current: Map<&'t str, Class>,
    /// The values that are assigned in branches and loops.
    weak: Map<&'t str, Class>,
    /// All values that are assigned.
    pub all: Map<&'t str, Class>,
    /// The variables of the functions before this one.
    pub outer: &'e [Map<&'t str, Class>],
    /// The parameters that only interior mutability can change.
    pub shared: u64,
    /// The parameters that are exclusive references.
    pub exclusive: u64,
    /// Function without a name → the call to which it is passed.
    closures: Map<usize, Rc<Call<'t>>>,
    /// The parameters of functions without names: where they are visible, and their values.
    parameters: Vec<(&'t str, Range<usize>, Class)>,
    /// Whether a value was added to `weak` or `all` since this was reset.
    is_changed: bool,
}

impl<'e, 's, 't> Env<'e, 's, 't> {
    /// The variables of a function; `None` if they do not settle.
    pub(super) fn new(
        names: &'e FileNames<'s, 't>,
        function: usize,
        outer: &'e [Map<&'t str, Class>],
    ) -> Option<Self> {
        let mut env = Self {
            names,
            function,
            current: Map::default(),
            weak: Map::default(),
            all: Map::default(),
            outer,
            shared: 0,
            exclusive: 0,
            closures: Map::default(),
            parameters: Vec::new(),
            is_changed: false,
        };
        let scanned = &names.scan.functions[function];
        for parameter in scanned.parameters.iter().filter(|parameter| parameter.shared) {
            let bits = parameter.own | parameter.inner;
            env.shared |= bits | bits << LEVEL | bits << (2 * LEVEL);
        }
        for parameter in scanned.parameters.iter().filter(|parameter| parameter.exclusive) {
            let bits = parameter.own | parameter.inner;
            env.exclusive |= bits | bits << LEVEL | bits << (2 * LEVEL);
        }
        for event in &scanned.events {
            if let Action::Call(call) = &event.action {
                let all = call
                    .arguments
                    .iter()
                    .filter(|argument| matches!(names.scan.expr(argument.node), Expr::Closure));
                env.closures.extend(all.map(|argument| (argument.node.id(), call.clone())));
            }
        }
        let relevant: Vec<_> =
            scanned.events.iter().filter(|event| env.is_relevant(&event.action)).collect();
        for _ in 0..6 {
            env.is_changed = false;
            env.start();
            for event in &relevant {
                env.apply(&event.action, event.weak);
            }
            // Without branches, loops and functions without names, the values are complete.
            let is_plain = env.weak.is_empty() && scanned.closures.is_empty();
            if is_plain || !env.is_changed {
                env.start();
                return Some(env);
            }
        }
        None
    }

    fn start(&mut self) {
        self.current.clear();
        let scanned = &self.names.scan.functions[self.function];
        for parameter in &scanned.parameters {
            let class = Class {
                own: parameter.own,
                inner: parameter.inner << LEVEL,
                deep: parameter.inner << (2 * LEVEL),
                kind: parameter.kind,
            };
            self.current.insert(parameter.name, class);
            self.add_all(parameter.name, class);
        }
        let parameters = scanned.closures.iter();
        let parameters = parameters.map(|(name, index, node)| {
            (*name, node.byte_range(), self.closure_parameter(*index, *node))
        });
        self.parameters = parameters.collect();
    }

    fn add_all(&mut self, name: &'t str, class: Class) {
        self.is_changed |= add(&mut self.all, name, class);
    }

    fn add_weak(&mut self, name: &'t str, class: Class) {
        self.is_changed |= add(&mut self.weak, name, class);
    }

    /// Whether an event can change the value of a variable.
    fn is_relevant(&self, action: &Action<'t>) -> bool {
        match action {
            Action::Bind(..) | Action::Assign(..) | Action::Write(..) => true,
            Action::Call(call) => self.is_storing(call),
            _ => false,
        }
    }

    /// Applies the assignment of an event.
    pub(super) fn apply(&mut self, action: &Action<'t>, weak: bool) {
        let (name, source, is_joined) = match action {
            Action::Bind(name, source) => (*name, *source, false),
            Action::Assign(name, source, is_joined)
                if self.names.owner(self.function, name) == Owner::Local =>
            {
                (*name, *source, *is_joined)
            }
            Action::Write(base, _, source) => return self.store(*base, self.source(*source)),
            Action::Call(call) => return self.store_arguments(call),
            _ => return,
        };
        let mut class = self.source(source);
        if is_joined {
            let known = self.current.get(name).copied().unwrap_or_default();
            class = Class { kind: known.kind, ..known.join(class) };
        }
        self.add_all(name, class);
        if weak {
            self.add_weak(name, class);
        } else {
            self.current.insert(name, class);
        }
    }

    /// Adds a value to the contents of a variable.
    fn store(&mut self, base: Node<'t>, value: Class) {
        let Some(name) = self.names.scan.root(base) else { return };
        if value.bits() == 0 || self.names.owner(self.function, name) != Owner::Local {
            return;
        }
        let kind = self.all.get(name).map_or("", |known| known.kind);
        // The variable can contain the value on any level.
        let inner = value.own | value.inner | value.deep;
        let level = matches!(self.names.scan.expr(base), Expr::Name(_));
        let deep = if level { value.inner | value.deep } else { inner };
        let class = Class { own: 0, inner: if level { value.own } else { inner }, deep, kind };
        self.add_all(name, class);
        self.add_weak(name, class);
    }

    /// Whether a call can change its receiver to contain the arguments.
    fn is_storing(&self, call: &Call<'t>) -> bool {
        let scan = self.names.scan;
        !call.arguments.is_empty()
            && matches!(scan.expr(call.function), Expr::Member(_, name)
                if scan.table.can_change("", scan.text_of(name)))
    }

    /// Adds the arguments of a method that changes its receiver to the contents of the receiver.
    fn store_arguments(&mut self, call: &Call<'t>) {
        let scan = self.names.scan;
        let Expr::Member(object, name) = scan.expr(call.function) else { return };
        let name = scan.text_of(name);
        if !self.is_storing(call) {
            return;
        }
        let classes = call.arguments.iter().map(|argument| {
            let class = self.class(argument.node, true);
            // These methods add the elements of their argument.
            match name {
                "append" if scan.family == Family::Rust => class.element(),
                "extend" | "update" | "extendleft" => class.element(),
                _ if argument.is_named => class.element(),
                _ => class,
            }
        });
        let all = classes.fold(Class::default(), Class::join);
        self.store(object, all);
    }

    fn source(&self, source: Source<'t>) -> Class {
        let class = match source {
            Source::Value(node) => self.class(node, false),
            Source::Element(node) => {
                let whole = self.class(node, false);
                let kind = if matches!(whole.kind, "string" | "str") { whole.kind } else { "" };
                Class { kind, ..whole.element() }
            }
            Source::Typed(kind) => Class::new(kind),
            Source::Unknown => Class::UNKNOWN,
        };
        // A struct that is read from a value is a copy, unless it is a pointer.
        let is_read = match source {
            Source::Element(_) => true,
            Source::Value(node) => {
                matches!(self.names.scan.expr(node), Expr::Member(..) | Expr::Index(_))
            }
            _ => false,
        };
        if self.names.scan.family == Family::Go && is_read && class.own != 0 {
            return Class { kind: class.kind, ..Class::UNKNOWN };
        }
        class
    }

    /// A parameter of a function without a name.
    fn closure_parameter(&self, index: usize, node: Node<'t>) -> Class {
        let Some(call) = self.closures.get(&node.id()) else { return Class::UNKNOWN };
        let scan = self.names.scan;
        let others = call.arguments.iter().filter(|argument| argument.node.id() != node.id());
        let others: Vec<Class> = others.map(|at| self.class(at.node, true)).collect();
        // Functions of the project can pass any value.
        let (receiver, name, pattern) = match self.callee(call, true, 0) {
            Callee::Method { receiver, name, .. } => (receiver, name, format!(".{name}")),
            Callee::Path(path) => match scan.expr(call.function) {
                Expr::Member(_, name) => (Class::default(), scan.text_of(name), path.to_string()),
                _ => (Class::default(), "", path.to_string()),
            },
            _ => return Class::UNKNOWN,
        };
        if scan.table.callbacks(&pattern).is_none() {
            return Class::UNKNOWN;
        }
        let is_fold = matches!(name, "reduce" | "reduceRight" | "fold" | "try_fold" | "scan");
        if is_fold
            && index == 0
            && let Some(first) = others.last()
        {
            return *first;
        }
        let all = others.iter().fold(receiver.element(), |all, class| all.join(class.element()));
        let kind = if receiver.kind == "string" { "string" } else { "" };
        Class { kind, ..all }
    }

    /// The value of a name.
    fn name(&self, node: Node<'t>, name: &str, in_closure: bool) -> Class {
        let at = node.start_byte();
        let inner = self.parameters.iter().rev();
        if let Some((.., class)) =
            inner.into_iter().find(|(known, range, _)| *known == name && range.contains(&at))
        {
            return *class;
        }
        match self.names.owner(self.function, name) {
            Owner::Local if in_closure => self.all.get(name).copied().unwrap_or(Class::UNKNOWN),
            Owner::Local => match (self.current.get(name), self.weak.get(name)) {
                (Some(current), Some(weak)) => current.join(*weak),
                (Some(class), None) | (None, Some(class)) => *class,
                (None, None) => Class::UNKNOWN,
            },
            Owner::Captured(function) => {
                let class = self.outer.get(function).and_then(|all| all.get(name));
                let class = class.copied().unwrap_or(Class::UNKNOWN);
                let is_parent = self.names.scan.functions[self.function].parent == Some(function);
                if is_scalar(class.kind) {
                    return class;
                }
                let mark = |bits: u64| match bits {
                    0 if is_parent => CAPTURED,
                    UNKNOWN => UNKNOWN,
                    _ => MUTATION,
                };
                Class {
                    own: mark(class.own),
                    inner: mark(class.inner),
                    deep: mark(class.deep),
                    kind: class.kind,
                }
            }
            Owner::Module(_) => Class { kind: self.names.initial_kind(name), ..Class::all(GLOBAL) },
            Owner::Declared | Owner::Import => Class::all(GLOBAL),
            Owner::Unknown if name == "cls" || name == "Self" => Class::all(GLOBAL),
            Owner::Unknown => Class::UNKNOWN,
        }
    }

    /// What a change to the value of an expression changes.
    pub(super) fn class(&self, node: Node<'t>, in_closure: bool) -> Class {
        self.class_at(node, in_closure, 0)
    }

    fn class_at(&self, node: Node<'t>, in_closure: bool, depth: usize) -> Class {
        if depth > MAX_DEPTH {
            return Class::UNKNOWN;
        }
        let part = |node: Node<'t>| self.class_at(node, in_closure, depth + 1);
        let scan = self.names.scan;
        match scan.expr(node) {
            Expr::Name(name) => self.name(node, name, in_closure),
            Expr::Instance => Class {
                own: RECEIVER,
                inner: RECEIVER << LEVEL,
                deep: RECEIVER << (2 * LEVEL),
                kind: "",
            },
            Expr::Member(object, name) => {
                let kind = scan.fields.get(scan.text_of(name)).copied().unwrap_or_default();
                match is_scalar(kind) {
                    true => Class::new(kind),
                    false => Class { kind, ..part(object).element() },
                }
            }
            Expr::Index(object) => {
                let whole = part(object);
                let kind = if is_scalar(whole.kind) { whole.kind } else { "" };
                Class { kind, ..whole.element() }
            }
            Expr::Copy(object) => Class { own: 0, ..part(object) },
            Expr::Part(object) => Class { kind: "part", ..part(object) },
            Expr::Scalar(kind) => Class::new(kind),
            // Operators create a value with the elements of both sides.
            Expr::Fresh("", parts) if scan.family == Family::Python => {
                let all = parts.iter().copied().map(part).fold(Class::default(), Class::join);
                Class { own: 0, kind: "", ..all }
            }
            Expr::Fresh(kind, parts) => {
                let parts = parts.iter().copied().map(part);
                parts.fold(Class::default(), Class::join).wrapped(kind)
            }
            Expr::Either(parts) => {
                let mut parts = parts.iter().copied().map(part);
                let Some(first) = parts.next() else { return Class::default() };
                parts.fold(first, |all, class| {
                    // A value of `x or 0` has the type of `x`.
                    let is_same = class.kind == all.kind || class.kind == "number";
                    Class { kind: if is_same { all.kind } else { "" }, ..all.join(class) }
                })
            }
            Expr::Closure => Class::new("function"),
            Expr::Call(call) => self.result(&call, in_closure, depth),
            Expr::Unknown => Class::UNKNOWN,
        }
    }

    /// The function that a call calls.
    pub(super) fn callee(&self, call: &Call<'t>, in_closure: bool, depth: usize) -> Callee<'t> {
        let scan = self.names.scan;
        let mut function = call.function;
        for _ in 0..6 {
            match scan.expr(function) {
                Expr::Either(parts) if parts.len() == 1 => function = parts[0],
                _ => break,
            }
        }
        match scan.expr(function) {
            Expr::Name("cls") => Callee::Declared("cls"),
            Expr::Name(name) => match self.names.owner(self.function, name) {
                Owner::Local | Owner::Captured(_) if self.names.is_nested(self.function, name) => {
                    Callee::Declared(name)
                }
                Owner::Local if self.name(function, name, in_closure).kind == "function" => {
                    Callee::Closure
                }
                Owner::Local | Owner::Captured(_) | Owner::Module(_) => Callee::Value,
                Owner::Declared => Callee::Declared(name),
                Owner::Import | Owner::Unknown => {
                    match self.names.path_at(self.function, function) {
                        Some(path) => Callee::Path(path),
                        None => Callee::Value,
                    }
                }
            },
            Expr::Member(object, name) => {
                if let Some(full) = self.names.path_at(self.function, function) {
                    return Callee::Path(full);
                }
                let is_instance = matches!(scan.expr(object), Expr::Instance);
                // An associated function has no receiver.
                let is_type = scan.family == Family::Rust
                    && matches!(scan.expr(object), Expr::Name(root)
                        if root.starts_with(|c: char| c.is_uppercase()));
                let receiver = match is_type {
                    true => Class::default(),
                    false => self.class_at(object, in_closure, depth + 1),
                };
                Callee::Method { receiver, is_instance, name: scan.text_of(name) }
            }
            Expr::Closure => Callee::Closure,
            _ => Callee::Value,
        }
    }

    /// What a call of a value does, except for functions whose calls are noted separately.
    pub(super) fn called(&self, node: Node<'t>, in_closure: bool) -> u64 {
        let scan = self.names.scan;
        let class = match scan.expr(node) {
            Expr::Closure | Expr::Scalar(_) => return 0,
            Expr::Either(parts) if parts.len() == 1 => return self.called(parts[0], in_closure),
            Expr::Name(name) => match self.names.owner(self.function, name) {
                Owner::Import | Owner::Unknown | Owner::Declared => return 0,
                _ if self.names.is_nested(self.function, name) => return 0,
                _ => self.class(node, in_closure),
            },
            _ => return UNKNOWN,
        };
        match class.own {
            _ if class.kind == "function" || is_scalar(class.kind) => 0,
            own if own.is_power_of_two() && own.trailing_zeros() < 8 => own << CALLS,
            _ => UNKNOWN,
        }
    }

    /// What a method does, and whether its receiver has a built-in type.
    pub(super) fn method(&self, receiver: Class, name: &str) -> (Option<Known>, bool) {
        let table = self.names.scan.table;
        (table.method(receiver.kind, name), table.has_type(receiver.kind))
    }
}
