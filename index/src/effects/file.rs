//! The names that a file declares and imports, as far as effects depend on them.

mod members;

use super::data::Family;
use super::scan::{Action, Call, Expr, Scan, Source};
use super::{Map, Set, Variability};
use crate::outline::{Kind, Symbol};
use aidd_engine::project::imports::{self, Imported, Name};
use std::cell::RefCell;
use std::rc::Rc;
use tree_sitter::Node;

/// What an unqualified name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A variable or parameter of the function.
    Local,
    /// A variable of an enclosing function.
    Captured(usize),
    /// A variable of the file.
    Module(u32),
    /// A function, type or module that the file declares.
    Declared,
    /// A name that an import declares.
    Import,
    /// Not declared in the file.
    Unknown,
}

/// Function and node → the full path of the called function.
type Paths = Map<(usize, usize), Option<Rc<str>>>;

/// The names of a file.
pub(super) struct FileNames<'s, 't> {
    pub scan: &'s Scan<'t>,
    /// Name → variable at the top level.
    variables: Map<&'s str, u32>,
    /// Name → functions and types, also nested ones.
    declared: Map<&'s str, Vec<u32>>,
    /// Name → the path of the import.
    imported: Map<&'s str, String>,
    paths: RefCell<Paths>,
    pub has_wildcard: bool,
    /// The getters of the file, by name.
    pub properties: Map<&'s str, Vec<u32>>,
    /// Variable of the file → the values that are assigned outside of functions.
    pub initial: Map<&'s str, Vec<Source<'t>>>,
    /// The members of types that functions assign through the type.
    pub changed_members: Set<&'s str>,
    /// Variables with other states than constant.
    pub states: Map<u32, Variability>,
}

impl<'s, 't> FileNames<'s, 't> {
    pub(super) fn new(scan: &'s Scan<'t>, imports: &'s imports::Facts) -> Self {
        let symbols = || (0_u32..).zip(&scan.outline.symbols);
        let mut names = Self {
            scan,
            variables: Map::default(),
            declared: Map::default(),
            imported: Map::default(),
            paths: RefCell::default(),
            has_wildcard: false,
            properties: Map::default(),
            initial: Map::default(),
            changed_members: Set::default(),
            states: Map::default(),
        };
        for (at, symbol) in symbols() {
            let is_variable = matches!(symbol.kind, Kind::Variable | Kind::Constant);
            let is_inside = symbol
                .parent
                .is_some_and(|parent| scan.outline.symbols[parent as usize].kind != Kind::Module);
            if is_variable && !is_inside {
                names.variables.insert(&symbol.name, at);
            } else if symbol.kind.is_function() || symbol.kind.is_type() {
                names.declared.entry(&symbol.name).or_default().push(at);
            }
            if symbol.property {
                names.properties.entry(&symbol.name).or_default().push(at);
            }
        }
        for binding in &imports.bindings {
            names.has_wildcard |= binding.imported == Imported::All;
            let Some(import) = imports.imports.get(binding.import) else { continue };
            if let Some((local, path)) = path_of(&import.name, binding) {
                names.imported.insert(local, path);
            }
        }
        for event in &scan.functions[0].events {
            if let Action::Bind(name, source) | Action::Assign(name, source, _) = &event.action
                && !event.closure
            {
                names.initial.entry(*name).or_default().push(*source);
            }
        }
        names.read_changed_members();
        names.read_states();
        names
    }

    /// What `name` refers to in a function.
    pub(super) fn owner(&self, function: usize, name: &str) -> Owner {
        let mut at = Some(function);
        while let Some(index) = at {
            let scope = &self.scan.functions[index];
            if scope.bound.contains(name) && !scope.outer.contains(name) && index != 0 {
                return if index == function { Owner::Local } else { Owner::Captured(index) };
            }
            at = scope.parent;
        }
        if let Some(symbol) = self.variables.get(name) {
            return Owner::Module(*symbol);
        }
        if self.imported.contains_key(name) {
            return Owner::Import;
        }
        if self.declared.contains_key(name) {
            return Owner::Declared;
        }
        Owner::Unknown
    }

    /// The full path of names that begin with an import or an undeclared name.
    pub(super) fn full_path(&self, function: usize, names: &[&str]) -> Option<String> {
        let (first, rest) = names.split_first()?;
        let separator = if self.scan.family == Family::Rust { "::" } else { "." };
        let root = match self.owner(function, first) {
            Owner::Import => self.imported.get(first)?.clone(),
            Owner::Unknown => (*first).to_owned(),
            _ => return None,
        };
        Some(rest.iter().fold(root, |path, name| format!("{path}{separator}{name}")))
    }

    /// The full path of an expression that begins with an import or an undeclared name.
    pub(super) fn path_at(&self, function: usize, node: Node<'t>) -> Option<Rc<str>> {
        let key = (function, node.id());
        if let Some(known) = self.paths.borrow().get(&key) {
            return known.clone();
        }
        let path = self.scan.path(node);
        let path = path.and_then(|names| self.full_path(function, &names)).map(Rc::from);
        self.paths.borrow_mut().insert(key, path.clone());
        path
    }

    /// The functions and types with this name.
    pub(super) fn declared(&self, name: &str) -> &[u32] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a function with this name is declared in a function or in those that enclose it.
    pub(super) fn is_nested(&self, function: usize, name: &str) -> bool {
        let mut at = Some(function);
        while let Some(index) = at {
            let scope = &self.scan.functions[index];
            let is_inside = |symbol: &u32| {
                scope.symbol.is_some() && self.symbol(*symbol).parent == scope.symbol
            };
            if self.declared(name).iter().any(is_inside) {
                return true;
            }
            at = scope.parent;
        }
        false
    }

    pub(super) fn symbol(&self, at: u32) -> &'t Symbol {
        &self.scan.outline.symbols[at as usize]
    }

    /// The built-in type of a variable of the file.
    pub(super) fn initial_kind(&self, name: &str) -> &'static str {
        let Some(values) = self.initial.get(name) else { return "" };
        let kind = |source: &Source<'t>| match source {
            Source::Value(node) => match self.scan.expr(*node) {
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
        let Some(path) = self.scan.path(call.function) else { return "" };
        let last = path.last().copied().unwrap_or_default();
        let full = self.path_at(0, call.function);
        let table = self.scan.table;
        let returned = full.as_deref().and_then(|path| table.returned(path));
        let created = || call.is_new.then(|| table.annotation(last)).flatten();
        returned.or_else(created).unwrap_or_default().trim_end_matches('!')
    }

    /// Determines how the variables of the file change.
    fn read_states(&mut self) {
        let (changed, escaped) = self.changed_names();
        let states: Map<u32, Variability> = self
            .variables
            .iter()
            .filter_map(|(name, at)| {
                let known = self.scan.changing.iter().find(|(symbol, _)| symbol == at);
                let state = match known {
                    Some((_, state)) => *state,
                    None if self.scan.family == Family::Rust => Variability::Constant,
                    None if changed.contains(name) => Variability::Changed,
                    None => self.unchanged(name, *at, escaped.contains(name)),
                };
                (state != Variability::Constant).then_some((*at, state))
            })
            .collect();
        self.states = states;
        for (at, symbol) in (0_u32..).zip(&self.scan.outline.symbols) {
            if symbol.kind == Kind::Field && self.changed_members.contains(&*symbol.name) {
                self.states.insert(at, Variability::Changed);
            }
        }
    }

    /// The state of a variable that no function of the file changes.
    fn unchanged(&self, name: &str, at: u32, is_escaped: bool) -> Variability {
        let values = self.initial.get(name);
        let is_fixed = |source: &Source<'t>| match source {
            Source::Value(node) => self.is_fixed(*node, 0),
            Source::Typed(_) => self.scan.family != Family::Go,
            _ => false,
        };
        if values.is_none_or(|values| values.iter().all(is_fixed)) {
            return Variability::Constant;
        }
        let symbol = self.symbol(at);
        let is_named_constant = !name.contains(char::is_lowercase);
        let is_private = !symbol.exported || name.starts_with('_');
        let is_const = symbol.kind == Kind::Constant && self.scan.family == Family::Script;
        let is_container = |source: &Source<'t>| {
            matches!(source, Source::Value(node) if matches!(
                self.scan.expr(*node), Expr::Fresh(..) | Expr::Closure | Expr::Copy(_) | Expr::Part(_)
            ))
        };
        let is_container = values.is_some_and(|values| values.iter().all(is_container));
        if !is_escaped && (is_named_constant || is_container && (is_private || is_const)) {
            return Variability::Constant;
        }
        Variability::Unchanged
    }

    /// Whether a value cannot change.
    fn is_fixed(&self, node: Node<'t>, depth: usize) -> bool {
        if depth > 6 {
            return false;
        }
        match self.scan.expr(node) {
            Expr::Scalar(_) => true,
            Expr::Fresh("tuple" | "", parts) => {
                parts.iter().all(|part| self.is_fixed(*part, depth + 1))
            }
            Expr::Either(parts) => {
                !parts.is_empty() && parts.iter().all(|part| self.is_fixed(*part, depth + 1))
            }
            Expr::Name(name) => match self.variables.get(name) {
                Some(_) => {
                    let values = self.initial.get(name);
                    values.is_some_and(|values| {
                        values.iter().all(|source| {
                            matches!(source, Source::Value(inner)
                            if *inner != node && self.is_fixed(*inner, depth + 1))
                        })
                    })
                }
                None => self.declared.contains_key(name) || self.imported.contains_key(name),
            },
            // A constant of a type or module.
            Expr::Member(_, name) => {
                self.scan.text_of(name).starts_with(|c: char| c.is_uppercase())
            }
            Expr::Call(call) => {
                let path = self.path_at(0, call.function);
                let returned = path.as_deref().and_then(|path| self.scan.table.returned(path));
                let is_pure = path.is_some_and(|path| {
                    self.scan.table.effects(&path, Some(call.arguments.len())) == Some(0)
                });
                is_pure
                    && !matches!(
                        returned,
                        Some(
                            "list"
                                | "dict"
                                | "set"
                                | "map"
                                | "array"
                                | "object"
                                | "iterator"
                                | "counter"
                                | "buffer"
                                | "builder"
                        )
                    )
            }
            _ => false,
        }
    }

    /// Whether a variable is a container whose elements cannot change.
    fn is_table(&self, name: &str) -> bool {
        let is_table = |source: &Source<'t>| match source {
            Source::Value(node) => match self.scan.expr(*node) {
                Expr::Fresh(_, parts) => parts.iter().all(|part| self.is_fixed(*part, 1)),
                _ => false,
            },
            _ => false,
        };
        self.initial.get(name).is_some_and(|values| values.iter().all(is_table))
    }

    /// The variables of the file that functions change, and those that are passed to functions.
    fn changed_names(&self) -> (Set<&'t str>, Set<&'t str>) {
        let (mut changed, mut escaped) = (Set::default(), Set::default());
        for (index, function) in self.scan.functions.iter().enumerate() {
            // Local variables that can refer to variables of the file.
            let mut aliases: Map<&str, &'t str> = Map::default();
            for event in &function.events {
                if let Action::Bind(name, Source::Value(value) | Source::Element(value))
                | Action::Assign(name, Source::Value(value) | Source::Element(value), _) =
                    event.action
                    && let Some(root) = self.value_root(value)
                    && root != name
                {
                    aliases.insert(name, root);
                }
            }
            let module = |name: &'t str| {
                let mut name = name;
                for _ in 0..4 {
                    match aliases.get(name) {
                        Some(next) if self.owner(index, name) == Owner::Local => name = next,
                        _ => break,
                    }
                }
                matches!(self.owner(index, name), Owner::Module(_)).then_some(name)
            };
            for event in function.events.iter().filter(|event| index != 0 || event.closure) {
                match &event.action {
                    Action::Assign(name, ..) => {
                        let is_module = matches!(self.owner(index, name), Owner::Module(_));
                        changed.extend(is_module.then_some(*name));
                    }
                    Action::Bind(name, _) if index == 0 => drop(changed.insert(*name)),
                    Action::Write(base, ..) => {
                        changed.extend(self.scan.root(*base).and_then(module));
                    }
                    Action::Call(call) => {
                        if let Expr::Member(object, name) = self.scan.expr(call.function)
                            && let Some(root) = self.scan.root(object).and_then(module)
                        {
                            let kind = match self.scan.expr(object) {
                                Expr::Name(name) => self.initial_kind(name),
                                _ => "",
                            };
                            if self.scan.table.can_change(kind, self.scan.text_of(name)) {
                                changed.insert(root);
                            }
                        }
                        for (at, argument) in call.arguments.iter().enumerate() {
                            let root = self.scan.root(argument.node).and_then(module);
                            let Some(root) = root else { continue };
                            let full = self.path_at(index, call.function);
                            let full = full.as_deref();
                            let count = Some(call.arguments.len());
                            let is_pure = |path| self.scan.table.effects(path, count).is_some();
                            let changes = |path| self.scan.table.changes(path).contains(&(at + 1));
                            if full.is_some_and(changes) {
                                changed.insert(root);
                            } else if !full.is_some_and(is_pure)
                                && !matches!(self.scan.expr(call.function), Expr::Member(..))
                                && (self.scan.root(argument.node) == Some(root)
                                    || !self.is_table(root))
                            {
                                escaped.insert(root);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        (changed, escaped)
    }

    /// The name from which a value is read, also through a call of a method: `a.b.get(c)` is `a`.
    fn value_root(&self, node: Node<'t>) -> Option<&'t str> {
        match self.scan.expr(node) {
            Expr::Call(call) => match self.scan.expr(call.function) {
                Expr::Member(object, _) => self.scan.root(object),
                _ => None,
            },
            _ => self.scan.root(node),
        }
    }
}

/// The local name of an import, and its path.
fn path_of<'b>(name: &Name, binding: &'b imports::Binding) -> Option<(&'b str, String)> {
    let local = binding.local.as_deref()?;
    let path = match name {
        Name::Python { level, module, .. } => {
            let module = format!("{}{module}", ".".repeat(*level));
            match &binding.imported {
                Imported::Member(member) => format!("{module}.{member}"),
                _ if module.split('.').next() == Some(local) => local.to_owned(),
                _ => module,
            }
        }
        Name::Script(module) => {
            let module = module.strip_prefix("node:").unwrap_or(module);
            match &binding.imported {
                Imported::Member(member) => format!("{module}.{member}"),
                _ => module.to_owned(),
            }
        }
        Name::Go(module) => module.clone(),
        Name::Rust { path, .. } => path.join("::"),
        Name::Java { name, .. } => name.clone(),
    };
    Some((local, path))
}
