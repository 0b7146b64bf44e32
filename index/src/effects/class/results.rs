//! The values that calls return.

use super::{Callee, Class, Env, is_scalar};
use crate::effects::UNKNOWN;
use crate::effects::data::Family;
use crate::effects::rust::is_passed;
use crate::effects::scan::{Argument, Call, Expr};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// The types whose values share the memory of the value from which they are created.
const VIEWS: &[&str] = &[
    "BigInt64Array",
    "BigUint64Array",
    "DataView",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Object",
    "Proxy",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakRef",
];

impl<'t> Env<'_, '_, 't> {
    /// `UNKNOWN` if an expression passes on an exclusive reference.
    pub(in crate::effects) fn passed(&self, node: Node<'t>, in_closure: bool) -> u64 {
        if self.exclusive == 0 || !is_passed(node) {
            return 0;
        }
        let class = self.class(node, in_closure);
        let is_exclusive = class.own & self.exclusive != 0 && !is_scalar(class.kind);
        if is_exclusive { UNKNOWN } else { 0 }
    }

    /// The value that a call returns.
    pub(super) fn result(&self, call: &Call<'t>, in_closure: bool, depth: usize) -> Class {
        let scan = self.names.scan;
        let table = scan.table;
        let argument = |at: &Argument<'t>| {
            let class = self.class_at(at.node, in_closure, depth + 1);
            if at.is_named && scan.family == Family::Script { class.element() } else { class }
        };
        let arguments = || call.arguments.iter().map(argument).fold(Class::default(), Class::join);
        match self.callee(call, in_closure, depth) {
            Callee::Path(path) => {
                let last = path.rsplit(['.', ':']).next().unwrap_or_default();
                if &*path == "append" && scan.family == Family::Go {
                    let mut all = call.arguments.iter().map(argument);
                    let first = all.next().unwrap_or_default();
                    let added = all.fold(Class::default(), Class::join);
                    let deep = first.deep | added.inner | added.deep;
                    return Class { inner: first.inner | added.own, deep, ..first };
                }
                if let Some(kind) = table.returned(&path) {
                    let all = self.mapped(call, in_closure, depth).unwrap_or_else(arguments);
                    return self.created(kind, all);
                }
                let is_type =
                    last.starts_with(|c: char| c.is_uppercase()) && scan.family != Family::Go;
                if VIEWS.contains(&last) && scan.family == Family::Script {
                    let kind = table.annotation(last).unwrap_or_default();
                    return self.view(call, arguments(), kind, in_closure);
                }
                if call.is_new || is_type {
                    let kind = table.annotation(last).unwrap_or_default();
                    return self.created(kind, arguments());
                }
                if scan.family == Family::Rust {
                    return self.borrowed(arguments().bits());
                }
                match table.effects(&path, Some(call.arguments.len())) {
                    Some(_) => Class::all(arguments().bits()),
                    None => Class::UNKNOWN,
                }
            }
            Callee::Method { receiver, name, .. } => {
                let returned = table.returned_by(receiver.kind, name);
                let returned = returned.or_else(|| table.returned_by("", name));
                if let Some(kind) = returned {
                    let mapped = self.mapped(call, in_closure, depth);
                    return match mapped {
                        Some(element) => element.wrapped(kind),
                        None => self.created(kind, receiver.join(arguments())),
                    };
                }
                let bits = receiver.bits() | arguments().bits();
                let known = self.method(receiver, name).0;
                if scan.family == Family::Rust {
                    let kind = if receiver.kind == "iterator" { "iterator" } else { "" };
                    return match known {
                        Some(_) => Class { kind, ..Class::all(bits) },
                        None => self.declared_result(name).unwrap_or_else(|| self.borrowed(bits)),
                    };
                }
                match known {
                    Some(known) if known.changes_receiver => {
                        let element = receiver.element().join(arguments());
                        // `sort` returns the receiver, `pop` an element.
                        let is_element = scan.family != Family::Script
                            || matches!(name, "pop" | "shift" | "splice" | "next");
                        if is_element { element } else { receiver }
                    }
                    Some(_) => Class::all(bits),
                    None => self.declared_result(name).unwrap_or(Class::UNKNOWN),
                }
            }
            Callee::Declared(name) => {
                let is_type = |at: &u32| self.names.symbol(*at).kind.is_type();
                let is_class = name == "cls" || self.names.declared(name).iter().any(is_type);
                // A conversion does not copy.
                if is_class && scan.family == Family::Go {
                    return Class { kind: "", ..arguments() };
                }
                if call.is_new || is_class {
                    let contents = if arguments().bits() == 0 { 0 } else { UNKNOWN };
                    return Class { own: 0, ..Class::all(contents) };
                }
                let borrowed = || match scan.family {
                    Family::Rust => self.borrowed(arguments().bits()),
                    _ => Class::UNKNOWN,
                };
                self.declared_result(name).unwrap_or_else(borrowed)
            }
            Callee::Closure | Callee::Value if call.is_new => Class { own: 0, ..Class::UNKNOWN },
            Callee::Closure | Callee::Value => Class::UNKNOWN,
        }
    }

    /// A view of the memory of its argument, which is known to be a copy only for arrays.
    fn view(&self, call: &Call<'t>, from: Class, kind: &'static str, in_closure: bool) -> Class {
        let Some(first) = call.arguments.first() else { return Class::new(kind) };
        let class = self.class(first.node, in_closure);
        let is_buffer = matches!(self.names.scan.expr(first.node), Expr::Member(_, name)
            if self.names.scan.text_of(name) == "buffer");
        let own = match class.kind {
            _ if is_buffer => from.bits(),
            "array" => 0,
            kind if is_scalar(kind) => 0,
            _ if from.bits() == 0 => 0,
            _ => UNKNOWN,
        };
        Class { own, inner: own, deep: own, kind }
    }

    /// A new value of a type that a function of a package creates from values.
    fn created(&self, kind: &'static str, from: Class) -> Class {
        // The elements cannot be changed.
        let (kind, is_plain) = match kind.strip_suffix('!') {
            Some(kind) => (kind, true),
            None => (kind, is_scalar(kind)),
        };
        if is_plain {
            return Class::new(kind);
        }
        if self.names.scan.family == Family::Rust {
            // A copy contains no references that can be changed, an iterator can.
            let bits = from.bits() & !self.shared;
            let is_copy = !matches!(kind, "iterator" | "collection");
            return Class { own: 0, kind, ..Class::all(if is_copy { 0 } else { bits }) };
        }
        // These read from or write to the value from which they are created.
        if self.names.scan.family == Family::Go && matches!(kind, "buffer" | "generator") {
            return Class { kind, ..Class::all(from.bits()) };
        }
        Class { own: 0, inner: from.own | from.inner, deep: from.inner | from.deep, kind }
    }

    /// The values that a function without a name returns, which a method collects.
    fn mapped(&self, call: &Call<'t>, in_closure: bool, depth: usize) -> Option<Class> {
        let scan = self.names.scan;
        if scan.family != Family::Script {
            return None;
        }
        let is_map = match scan.expr(call.function) {
            Expr::Member(_, name) => matches!(scan.text_of(name), "map" | "from"),
            _ => false,
        };
        let closure = call
            .arguments
            .iter()
            .find(|argument| is_map && matches!(scan.expr(argument.node), Expr::Closure))?;
        let body = closure.node.field("body")?;
        let _ = in_closure;
        (body.kind() != "statement_block").then(|| self.class_at(body, true, depth + 1))
    }

    /// In Rust, a result can only refer to values of the arguments.
    fn borrowed(&self, bits: u64) -> Class {
        match bits & !self.shared {
            0 => Class::all(bits),
            _ => Class::UNKNOWN,
        }
    }

    /// The result of a function of the file, by its annotation.
    fn declared_result(&self, name: &str) -> Option<Class> {
        let [only] = self.names.declared(name) else { return None };
        let text = self.names.symbol(*only).return_type.as_deref()?;
        let is_owned = self.names.scan.family == Family::Rust
            && !text.contains(['&', '\''])
            && !["impl ", "dyn ", "Rc<", "Arc<"].iter().any(|part| text.contains(part));
        if is_owned {
            return Some(Class::default());
        }
        let head = text.split(['[', '<']).next().unwrap_or(text).trim();
        match self.names.scan.table.annotation(head) {
            Some(kind) if is_scalar(kind) => Some(Class::new(kind)),
            _ if self.names.scan.family == Family::Rust => None,
            Some(kind) => Some(Class { kind, ..Class::UNKNOWN }),
            None => None,
        }
    }
}
