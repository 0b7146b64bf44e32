//! What a change to a value also changes: a parameter, global state, or only the value itself.

use super::data::{Family, Known};
use super::file::{FileNames, Owner};
use super::scan::{Action, Call, Expr, Source};
use super::{CAPTURED, GLOBAL, MUTATION, RECEIVER, UNKNOWN};
use std::collections::HashMap;
use tree_sitter::Node;

/// Maximum nesting of an expression that is read.
const MAX_DEPTH: usize = 24;

/// What a change to a value, or to a value in it, changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    pub own: u32,
    pub inner: u32,
    /// The built-in type, or empty.
    pub kind: &'static str,
}

impl Class {
    pub(super) const UNKNOWN: Self = Self { own: UNKNOWN, inner: UNKNOWN, kind: "" };

    fn all(bits: u32) -> Self {
        Self { own: bits, inner: bits, kind: "" }
    }

    fn join(self, other: Self) -> Self {
        let kind = if self.kind == other.kind { self.kind } else { "" };
        Self { own: self.own | other.own, inner: self.inner | other.inner, kind }
    }

    /// Everything that a change can change.
    pub(super) fn bits(self) -> u32 {
        self.own | self.inner
    }
}

/// Whether values of a built-in type cannot be changed.
pub(super) fn is_scalar(kind: &str) -> bool {
    matches!(kind, "str" | "string" | "number" | "bytes" | "regexp" | "range")
}

/// The function that is called.
#[derive(Debug)]
pub(super) enum Callee<'t> {
    /// A function of a package or a built-in function.
    Path(String),
    /// A method of a value.
    Method { receiver: Class, is_instance: bool, name: &'t str },
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
    current: HashMap<&'t str, Class>,
    /// The values that are assigned in branches and loops.
    weak: HashMap<&'t str, Class>,
    /// All values that are assigned.
    pub all: HashMap<&'t str, Class>,
    /// The variables of the functions before this one.
    pub outer: &'e [HashMap<&'t str, Class>],
    /// The parameters that only interior mutability can change.
    pub shared: u32,
    /// Function without a name → the call to which it is passed.
    closures: HashMap<usize, Call<'t>>,
}

impl<'e, 's, 't> Env<'e, 's, 't> {
    /// The variables of a function; `None` if they do not settle.
    pub(super) fn new(
        names: &'e FileNames<'s, 't>,
        function: usize,
        outer: &'e [HashMap<&'t str, Class>],
    ) -> Option<Self> {
        let mut env = Self {
            names,
            function,
            current: HashMap::new(),
            weak: HashMap::new(),
            all: HashMap::new(),
            outer,
            shared: 0,
            closures: HashMap::new(),
        };
        let scanned = &names.scan.functions[function];
        for parameter in scanned.parameters.iter().filter(|parameter| parameter.shared) {
            env.shared |= parameter.own | parameter.inner;
        }
        for event in &scanned.events {
            if let Action::Call(call) = &event.action {
                let all = call.arguments.iter().filter(|argument| {
                    matches!(names.scan.expr(argument.node), Expr::Closure)
                });
                env.closures.extend(all.map(|argument| (argument.node.id(), call.clone())));
            }
        }
        for _ in 0..6 {
            let before = (env.weak.clone(), env.all.clone());
            env.start();
            for event in &scanned.events {
                env.apply(&event.action, event.weak);
            }
            if before == (env.weak.clone(), env.all.clone()) {
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
            let class =
                Class { own: parameter.own, inner: parameter.inner, kind: parameter.kind };
            self.current.insert(parameter.name, class);
            self.add_all(parameter.name, class);
        }
        for (name, index, node) in &scanned.closures {
            let class = self.closure_parameter(*index, *node);
            let known = self.weak.get(name).copied();
            self.weak.insert(name, known.map_or(class, |known| known.join(class)));
            self.add_all(name, class);
        }
    }

    fn add_all(&mut self, name: &'t str, class: Class) {
        self.all.entry(name).and_modify(|known| *known = known.join(class)).or_insert(class);
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
            _ => return,
        };
        let mut class = self.source(source);
        if is_joined {
            let known = self.current.get(name).copied().unwrap_or_default();
            class = Class { kind: known.kind, ..known.join(class) };
        }
        self.add_all(name, class);
        if weak {
            let known = self.weak.get(name).copied();
            self.weak.insert(name, known.map_or(class, |known| known.join(class)));
        } else {
            self.current.insert(name, class);
        }
    }

    fn source(&self, source: Source<'t>) -> Class {
        let class = match source {
            Source::Value(node) => self.class(node, false),
            Source::Element(node) => {
                let whole = self.class(node, false);
                let kind = if whole.kind == "string" || whole.kind == "str" { whole.kind } else { "" };
                Class { kind, ..Class::all(whole.inner) }
            }
            Source::Typed(kind) => Class { own: 0, inner: 0, kind },
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
            return Class { own: UNKNOWN, inner: UNKNOWN, kind: class.kind };
        }
        class
    }

    /// A parameter of a function without a name.
    fn closure_parameter(&self, index: usize, node: Node<'t>) -> Class {
        let Some(call) = self.closures.get(&node.id()) else { return Class::UNKNOWN };
        let scan = self.names.scan;
        let others = call.arguments.iter().filter(|argument| argument.node.id() != node.id());
        let others: Vec<Class> = others.map(|at| self.class(at.node, true)).collect();
        let (receiver, name) = match scan.expr(call.function) {
            Expr::Member(object, name) => (self.class(object, true), scan.text_of(name)),
            Expr::Name(name) => (Class::default(), name),
            _ => return Class::UNKNOWN,
        };
        let is_fold = matches!(name, "reduce" | "reduceRight" | "fold" | "try_fold" | "scan");
        if is_fold && index == 0 && let Some(first) = others.last() {
            return *first;
        }
        let bits = others.iter().fold(receiver.inner, |bits, class| bits | class.bits());
        let kind = if receiver.kind == "string" { "string" } else { "" };
        Class { kind, ..Class::all(bits) }
    }

    /// The value of a name.
    fn name(&self, name: &str, in_closure: bool) -> Class {
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
                let is_parent =
                    self.names.scan.functions[self.function].parent == Some(function);
                if is_scalar(class.kind) {
                    return class;
                }
                let mark = |bits: u32| match bits {
                    0 if is_parent => CAPTURED,
                    UNKNOWN => UNKNOWN,
                    _ => MUTATION,
                };
                Class { own: mark(class.own), inner: mark(class.inner), kind: class.kind }
            }
            Owner::Module(_) => Class { kind: self.initial_kind(name), ..Class::all(GLOBAL) },
            Owner::Declared | Owner::Import => Class::all(GLOBAL),
            Owner::Unknown if name == "cls" || name == "Self" => Class::all(GLOBAL),
            Owner::Unknown => Class::UNKNOWN,
        }
    }

    /// The built-in type of a variable of the file.
    fn initial_kind(&self, name: &str) -> &'static str {
        let Some(values) = self.names.initial.get(name) else { return "" };
        let kind = |source: &Source<'t>| match source {
            Source::Value(node) => match self.names.scan.expr(*node) {
                Expr::Scalar(kind) | Expr::Fresh(kind, _) => kind,
                Expr::Call(call) => self.result_kind(&call),
                _ => "",
            },
            Source::Typed(kind) => kind,
            _ => "",
        };
        let mut kinds = values.iter().map(kind);
        let first = kinds.next().unwrap_or_default();
        if kinds.all(|kind| kind == first) { first } else { "" }
    }

    /// The built-in type of the result of a function of a package.
    fn result_kind(&self, call: &Call<'t>) -> &'static str {
        let Some(path) = self.names.scan.path(call.function) else { return "" };
        let last = path.last().copied().unwrap_or_default();
        let full = self.names.full_path(self.function, &path);
        let table = self.names.scan.table;
        let returned = full.as_deref().and_then(|path| table.returned(path));
        let created = || call.is_new.then(|| table.annotation(last)).flatten();
        returned.or_else(created).unwrap_or_default()
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
            Expr::Name(name) => self.name(name, in_closure),
            Expr::Instance => Class::all(RECEIVER),
            Expr::Member(object, name) => {
                let whole = part(object);
                let kind = scan.fields.get(scan.text_of(name)).copied().unwrap_or_default();
                if is_scalar(kind) { Class { kind, ..Class::default() } } else {
                    Class { kind, ..Class::all(whole.inner) }
                }
            }
            Expr::Index(object) => {
                let whole = part(object);
                let kind = if is_scalar(whole.kind) { whole.kind } else { "" };
                Class { kind, ..Class::all(whole.inner) }
            }
            Expr::Copy(object) => Class { own: 0, ..part(object) },
            Expr::Scalar(kind) => Class { own: 0, inner: 0, kind },
            Expr::Fresh(kind, parts) => {
                let bits = parts.into_iter().fold(0, |bits, at| {
                    let class = part(at);
                    // Operators create a value with the elements of both sides.
                    if kind.is_empty() && scan.family == Family::Python {
                        bits | class.inner
                    } else {
                        bits | class.bits()
                    }
                });
                Class { own: 0, inner: bits, kind }
            }
            Expr::Either(parts) => {
                let mut parts = parts.into_iter().map(part);
                let Some(first) = parts.next() else { return Class::default() };
                parts.fold(first, |all, class| {
                    // A value of `x or ""` has the type of `x`.
                    let kind = if all.kind.is_empty() { "" } else { all.kind };
                    let same = class.kind == kind || class.kind == "number";
                    let joined = all.join(class);
                    Class { kind: if same { kind } else { "" }, ..joined }
                })
            }
            Expr::Closure => Class { own: 0, inner: 0, kind: "function" },
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
            Expr::Name(name) => match self.names.owner(self.function, name) {
                Owner::Local | Owner::Captured(_) if !self.names.declared(name).is_empty() => {
                    Callee::Declared(name)
                }
                Owner::Local if self.name(name, in_closure).kind == "function" => Callee::Closure,
                Owner::Local | Owner::Captured(_) | Owner::Module(_) => Callee::Value,
                Owner::Declared => Callee::Declared(name),
                Owner::Import | Owner::Unknown => {
                    match self.names.full_path(self.function, &[name]) {
                        Some(path) => Callee::Path(path),
                        None => Callee::Value,
                    }
                }
            },
            Expr::Member(object, name) => {
                let path = scan.path(function);
                let full = path.and_then(|path| self.names.full_path(self.function, &path));
                if let Some(full) = full {
                    return Callee::Path(full);
                }
                let is_instance = matches!(scan.expr(object), Expr::Instance);
                let receiver = self.class_at(object, in_closure, depth + 1);
                Callee::Method { receiver, is_instance, name: scan.text_of(name) }
            }
            Expr::Closure => Callee::Closure,
            _ => Callee::Value,
        }
    }

    /// What a method does, and whether its receiver has a built-in type.
    pub(super) fn method(&self, receiver: Class, name: &str) -> (Option<Known>, bool) {
        let table = self.names.scan.table;
        (table.method(receiver.kind, name), table.has_type(receiver.kind))
    }

    /// The value that a call returns.
    fn result(&self, call: &Call<'t>, in_closure: bool, depth: usize) -> Class {
        let scan = self.names.scan;
        let table = scan.table;
        let arguments = || {
            call.arguments.iter().fold(0, |bits, argument| {
                bits | self.class_at(argument.node, in_closure, depth + 1).bits()
            })
        };
        let typed = |kind: &'static str, inner: u32| Class {
            own: 0,
            inner: if is_scalar(kind) { 0 } else { inner },
            kind,
        };
        match self.callee(call, in_closure, depth) {
            Callee::Path(path) => {
                let last = path.rsplit(['.', ':']).next().unwrap_or_default();
                if let Some(kind) = table.returned(&path) {
                    return typed(kind, arguments());
                }
                let is_type = last.starts_with(|c: char| c.is_uppercase())
                    && scan.family != Family::Go;
                if call.is_new || is_type {
                    let kind = table.annotation(last).unwrap_or_default();
                    return typed(kind, arguments());
                }
                if scan.family == Family::Rust {
                    return self.borrowed(arguments());
                }
                match table.effects(&path, Some(call.arguments.len())) {
                    Some(_) => Class::all(arguments()),
                    None => Class::UNKNOWN,
                }
            }
            Callee::Method { receiver, name, .. } => {
                let returned = table.returned(&format!("{}.{name}", receiver.kind));
                let returned = returned.or_else(|| table.returned(&format!(".{name}")));
                let bits = receiver.inner | arguments();
                if let Some(kind) = returned {
                    return typed(kind, bits);
                }
                let is_known = self.method(receiver, name).0.is_some();
                if scan.family == Family::Rust {
                    let bits = receiver.own | bits;
                    let kind = if receiver.kind == "iterator" { "iterator" } else { "" };
                    return match is_known {
                        true => Class { kind, ..Class::all(bits) },
                        false => self.declared_result(name, bits).unwrap_or_else(|| self.borrowed(bits)),
                    };
                }
                match self.method(receiver, name) {
                    (Some(known), _) if known.changes_receiver => receiver,
                    (Some(_), _) => Class::all(receiver.own | bits),
                    (None, _) => self.declared_result(name, bits).unwrap_or(Class::UNKNOWN),
                }
            }
            Callee::Declared(name) => {
                let is_type = |at: &u32| self.names.symbol(*at).kind.is_type();
                if call.is_new || self.names.declared(name).iter().any(is_type) {
                    return typed("", if arguments() == 0 { 0 } else { UNKNOWN });
                }
                self.declared_result(name, arguments()).unwrap_or(Class::UNKNOWN)
            }
            Callee::Closure | Callee::Value if call.is_new => typed("", UNKNOWN),
            Callee::Closure | Callee::Value => Class::UNKNOWN,
        }
    }

    /// In Rust, a result can only refer to values of the arguments.
    fn borrowed(&self, bits: u32) -> Class {
        match bits & !self.shared {
            0 => Class::all(bits),
            _ => Class::UNKNOWN,
        }
    }

    /// The result of a function of the file, by its annotation.
    fn declared_result(&self, name: &str, arguments: u32) -> Option<Class> {
        let all = self.names.declared(name);
        let [only] = all else { return None };
        let text = self.names.symbol(*only).return_type.as_deref()?;
        let is_owned = self.names.scan.family == Family::Rust
            && !text.contains(['&', '\''])
            && !["impl ", "dyn ", "Rc<", "Arc<"].iter().any(|part| text.contains(part));
        if is_owned {
            return Some(Class::default());
        }
        let head = text.split(['[', '<']).next().unwrap_or(text).trim();
        let kind = self.names.scan.table.annotation(head);
        match kind {
            Some(kind) if is_scalar(kind) => Some(Class { own: 0, inner: 0, kind }),
            _ if self.names.scan.family == Family::Rust => Some(self.borrowed(arguments)),
            Some(kind) => Some(Class { kind, ..Class::UNKNOWN }),
            None => None,
        }
    }
}
