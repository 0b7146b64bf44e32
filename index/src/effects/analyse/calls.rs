//! The calls of a function, and the functions that it passes as arguments.

use super::{Reader, is_constant_name};
use crate::effects::class::{Callee, Class};
use crate::effects::data::Family;
use crate::effects::file::Owner;
use crate::effects::scan::{Argument, Call, Event, Expr, Scan};
use crate::effects::{CallFact, Levels, MUTATION, UNKNOWN};
use std::borrow::Cow;
use tree_sitter::Node;

impl<'t> Reader<'_, '_, '_, 't> {
    pub(super) fn call(&mut self, call: &Call<'t>, event: &Event<'t>) {
        let table = self.scan().table;
        let callee = self.env.callee(call, event.closure, 0);
        let (known, certain, receiver, pattern) = match &callee {
            Callee::Closure => {
                self.arguments_as_functions(call, event, "", true);
                return;
            }
            Callee::Value => {
                let function = call.function;
                self.consume(function);
                let bits = self.env.called(function, event.closure);
                self.cause(bits, event.node, |reader| reader.code(function));
                self.arguments_as_functions(call, event, "", true);
                return;
            }
            Callee::Path(path) => {
                self.consume(call.function);
                let mut known = table.effects(path, Some(call.arguments.len()));
                for number in table.changes(path) {
                    let argument = call.arguments.get(number - 1);
                    let bits = argument.map_or(0, |at| self.env.class(at.node, event.closure).own);
                    known = Some(known.unwrap_or_default() | bits);
                }
                // Elements are added to the memory of the whole slice.
                if &**path == "append"
                    && let Some(first) = call.arguments.first()
                    && let class = self.env.class(first.node, event.closure)
                    && class.kind == "part"
                {
                    known = Some(known.unwrap_or_default() | class.own);
                }
                // A function that reads an iterator consumes it.
                if let Some(bits) = &mut known {
                    for at in &call.arguments {
                        let class = self.env.class(at.node, event.closure);
                        if matches!(class.kind, "iterator" | "file") {
                            *bits |= class.own;
                        }
                    }
                }
                (known, false, Class::default(), Cow::Borrowed(&**path))
            }
            Callee::Declared(name) => (None, false, Class::default(), Cow::Borrowed(*name)),
            Callee::Method { receiver, is_instance, name } => {
                let (method, certain) = self.env.method(*receiver, name);
                let known = method.filter(|_| !is_instance).map(|known| {
                    // A change through a shared reference belongs to no parameter.
                    let shared = receiver.own & self.env.shared;
                    let is_interior = known.interior || self.is_parameter(call.function);
                    let mask = receiver.own & !self.env.shared
                        | if is_interior && shared != 0 { MUTATION } else { 0 };
                    let exclusive = receiver.own & self.env.exclusive != 0;
                    let is_consumed = known.consumes && exclusive && receiver.kind.is_empty();
                    known.bits
                        | if known.changes_receiver { mask } else { 0 }
                        | if is_consumed { UNKNOWN } else { 0 }
                });
                let pattern = match call.arguments.is_empty() {
                    true => Cow::Borrowed(""),
                    false => Cow::Owned(format!(".{name}")),
                };
                (known, certain && !is_instance, *receiver, pattern)
            }
        };
        let called = self.arguments_as_functions(call, event, &pattern, known.is_none());
        let is_changing = matches!(&callee, Callee::Path(path) if !table.changes(path).is_empty());
        let passed = match is_changing {
            true => 0,
            false => self.passed_arguments(call, &callee, event.closure),
        };
        if matches!(callee, Callee::Declared(_)) {
            self.cause(passed, event.node, |reader| reader.code(event.node));
        }
        let known = known.map(|bits| bits | called | passed);
        // Calls of built-in methods without effects need not be looked up.
        if certain && known == Some(0) {
            return;
        }
        let (text, arguments) = (self.code(call.function), &call.arguments);
        self.push_call(call.function, text, known, certain, receiver, arguments, event.closure);
    }

    /// `UNKNOWN` if an argument is an exclusive reference that the function can use up: a function of
    /// this file only if it takes any type.
    fn passed_arguments(&self, call: &Call<'t>, callee: &Callee<'t>, closure: bool) -> u64 {
        let scan = self.scan();
        let target = match callee {
            Callee::Declared(name) => match self.env.names.declared(name) {
                [only] => scan.by_symbol.get(only).map(|at| &scan.functions[*at].parameters),
                _ => None,
            },
            _ => None,
        };
        let is_open = |index: usize| match (callee, target) {
            (Callee::Declared(_), Some(parameters)) => {
                parameters.get(index).is_some_and(|parameter| !parameter.exclusive)
            }
            (Callee::Declared(_), None) => false,
            _ => true,
        };
        let open = call.arguments.iter().enumerate().filter(|(index, _)| is_open(*index));
        open.fold(0, |bits, (_, argument)| bits | self.env.passed(argument.node, closure))
    }

    /// Whether a method is called on a parameter, or on a field of it.
    fn is_parameter(&self, function: Node<'t>) -> bool {
        let scan = self.scan();
        let root = scan.path(function).map(|path| path[0]);
        let parameters = &scan.functions[self.env.function].parameters;
        root.is_some_and(|root| parameters.iter().any(|parameter| parameter.name == root))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn push_call(
        &mut self,
        function: Node<'t>,
        text: String,
        known: Option<u64>,
        certain: bool,
        receiver: Class,
        arguments: &[Argument<'t>],
        closure: bool,
    ) {
        let mut name = function;
        for _ in 0..8 {
            match self.scan().expr(name) {
                Expr::Member(_, member) => {
                    name = member;
                    break;
                }
                Expr::Either(parts) if parts.len() == 1 => name = parts[0],
                _ => break,
            }
        }
        let shared = self.env.shared;
        let levels = |class: Class, call: u64| {
            (class.own & !shared, class.inner & !shared, class.deep & !shared, call)
        };
        let argument = |at: &Argument<'t>| {
            levels(self.env.class(at.node, closure), self.env.called(at.node, closure))
        };
        let join = |a: Levels, b: Levels| (a.0 | b.0, a.1 | b.1, a.2 | b.2, a.3 | b.3);
        let (rest, plain): (Vec<&Argument<'t>>, _) =
            arguments.iter().partition(|argument| argument.is_named);
        let call = CallFact {
            at: u32::try_from(name.start_byte()).unwrap_or(u32::MAX),
            line: Self::line(function),
            text,
            known,
            certain,
            receiver: levels(receiver, UNKNOWN),
            arguments: plain.into_iter().map(argument).collect(),
            rest: rest.into_iter().map(argument).fold((0, 0, 0, 0), join),
            symbols: Vec::new(),
        };
        self.facts.calls.push(call);
    }

    /// Adds the functions that are passed as arguments as calls. Returns the effects of the other
    /// arguments that the function calls.
    fn arguments_as_functions(
        &mut self,
        call: &Call<'t>,
        event: &Event<'t>,
        pattern: &str,
        is_unknown: bool,
    ) -> u64 {
        let table = self.scan().table;
        let callbacks = table.callbacks(pattern).unwrap_or_default();
        let mut called = 0;
        for (index, argument) in call.arguments.iter().enumerate() {
            let is_called = callbacks.contains(&(index + 1))
                || argument.is_named && callbacks.contains(&0) && self.is_key(argument.node);
            let path = match self.scan().expr(unwrapped(self.scan(), argument.node)) {
                Expr::Closure => continue,
                // `Ordering::then` takes a value, `bool::then` a function.
                Expr::Call(_) if pattern == ".then" => continue,
                Expr::Name(_) | Expr::Member(..) => self.scan().path(argument.node),
                // A value that is no function, such as `None` or a number.
                Expr::Scalar(_) => continue,
                _ => {
                    called |= if is_called { UNKNOWN } else { 0 };
                    continue;
                }
            };
            let function = self.env.function;
            let owner = path.as_ref().map(|path| self.env.names.owner(function, path[0]));
            let full = path.as_ref().and_then(|path| self.env.names.full_path(function, path));
            let text = || path.as_ref().map(|path| path.join(".")).unwrap_or_default();
            match (owner, full) {
                (Some(Owner::Import | Owner::Unknown), Some(full)) => {
                    let known = table.effects(&full, Some(1));
                    let known = if is_called { known } else { known.or(Some(0)) };
                    // What a package does with its arguments is unknown too.
                    if is_called || is_unknown || matches!(owner, Some(Owner::Import)) {
                        self.push_call(
                            argument.node,
                            text(),
                            known,
                            false,
                            Class::UNKNOWN,
                            &[],
                            true,
                        );
                    }
                    if is_called {
                        self.consume(argument.node);
                    }
                }
                (Some(Owner::Declared), _) => {
                    let symbols = path.as_ref().map_or(&[][..], |p| self.env.names.declared(p[0]));
                    let is_function =
                        symbols.iter().any(|at| self.env.names.symbol(*at).kind.is_function());
                    let is_plain = path.as_ref().is_some_and(|path| path.len() == 1);
                    if is_function && is_plain {
                        self.push_call(
                            argument.node,
                            text(),
                            None,
                            false,
                            Class::UNKNOWN,
                            &[],
                            true,
                        );
                        if let Some(call) = self.facts.calls.last_mut() {
                            call.rest = (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
                        }
                    } else if is_called && !is_plain {
                        let is_value = self.scan().family == Family::Rust && is_variant(&text());
                        called |= if is_value { 0 } else { UNKNOWN };
                    }
                }
                (Some(Owner::Local | Owner::Captured(_)), _) => {
                    let is_nested = path
                        .as_ref()
                        .is_some_and(|path| self.env.names.is_nested(function, path[0]));
                    if is_nested {
                        self.push_call(
                            argument.node,
                            text(),
                            None,
                            false,
                            Class::UNKNOWN,
                            &[],
                            true,
                        );
                    } else if is_called {
                        called |= self.env.called(argument.node, event.closure);
                    }
                }
                _ => called |= if is_called { UNKNOWN } else { 0 },
            }
        }
        called
    }

    /// Whether a named argument is the function with which values are compared.
    fn is_key(&self, node: Node<'t>) -> bool {
        let before = self.scan().text.get(..node.start_byte()).unwrap_or_default().trim_end();
        let before = before.trim_end_matches('=').trim_end();
        before.ends_with("key") || before.ends_with("default_factory")
    }

    /// A function that is called in the arguments of a macro.
    pub(super) fn named(&mut self, path: &str, node: Node<'t>) {
        self.consumed.insert(node.id());
        let (table, names) = (self.scan().table, self.env.names);
        let last = path.rsplit("::").next().unwrap_or(path);
        let name = last.trim_start_matches('.');
        let candidates: Vec<u32> = names.declared(name).to_vec();
        let known = if path.starts_with('.') {
            let method = table.method("", name);
            method.map(|known| known.bits | if known.changes_receiver { UNKNOWN } else { 0 })
        } else {
            let parts: Vec<&str> = path.split("::").collect();
            let full = names.full_path(self.env.function, &parts);
            let known = full.as_deref().and_then(|full| table.effects(full, Some(1)));
            let is_variant = name.starts_with(|c: char| c.is_uppercase()) && !name.ends_with('!');
            known.or_else(|| is_variant.then_some(0))
        };
        if candidates.is_empty() {
            let bits = known.unwrap_or(UNKNOWN);
            self.cause(bits, node, |_| path.to_owned());
            return;
        }
        self.push_call(node, path.to_owned(), None, false, Class::UNKNOWN, &[], true);
        if let Some(call) = self.facts.calls.last_mut() {
            call.symbols = candidates;
            call.rest = (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
        }
    }
}

/// The expression in parentheses or behind a reference.
fn unwrapped<'t>(scan: &Scan<'t>, node: Node<'t>) -> Node<'t> {
    let mut node = node;
    for _ in 0..6 {
        match scan.expr(node) {
            Expr::Either(parts) if parts.len() == 1 => node = parts[0],
            _ => break,
        }
    }
    node
}

/// Whether a path names a variant or an associated function that only creates a value.
fn is_variant(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(is_constant_name)
}
