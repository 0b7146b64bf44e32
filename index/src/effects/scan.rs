//! One pass over the syntax tree that collects what each function does, in the order of the text. The
//! grammars differ; the events do not.

use super::data::{Family, Table, table};
use super::{Map, Set, Visited, go, python, rust, script};
use crate::outline::{Kind, Outline};
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_language::SupportLang;
use std::cell::RefCell;
use std::rc::Rc;
use tree_sitter::Node;

/// Maximum number of events of one function; longer functions are unknown.
const MAX_EVENTS: usize = 6000;

/// The parts of an expression.
pub(super) type Parts<'t> = Rc<[Node<'t>]>;

/// One level of an expression.
#[derive(Clone, Debug)]
pub(super) enum Expr<'t> {
    Name(&'t str),
    /// `self`, `this`.
    Instance,
    /// The object and the name of the member.
    Member(Node<'t>, Node<'t>),
    Index(Node<'t>),
    Call(Rc<Call<'t>>),
    /// A new value that cannot be changed, and its type.
    Scalar(&'static str),
    /// A new value of this type with these elements.
    Fresh(&'static str, Parts<'t>),
    /// A copy of a value, which can contain the same elements.
    Copy(Node<'t>),
    /// A part of a slice, which shares its memory.
    Part(Node<'t>),
    /// One of these values.
    Either(Parts<'t>),
    Closure,
    Unknown,
}

/// A call, with its arguments in order.
#[derive(Debug)]
pub(super) struct Call<'t> {
    pub function: Node<'t>,
    pub arguments: Vec<Argument<'t>>,
    pub is_new: bool,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument<'t> {
    pub node: Node<'t>,
    /// Whether the argument has a name, or is spread over several parameters.
    pub is_named: bool,
}

/// The value of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'t> {
    Value(Node<'t>),
    /// An element or member of the value.
    Element(Node<'t>),
    /// A new value of this type.
    Typed(&'static str),
    Unknown,
}

/// What a function does at one place.
#[derive(Clone, Debug)]
pub(super) enum Action<'t> {
    /// A variable is declared and has this value.
    Bind(&'t str, Source<'t>),
    /// A variable is assigned that can be declared elsewhere; the flag is set for `+=`.
    Assign(&'t str, Source<'t>, bool),
    /// The contents of this value change to contain another value; the flag is set for elements.
    Write(Node<'t>, bool, Source<'t>),
    Call(Rc<Call<'t>>),
    Read(&'t str),
    /// A member of a value is read.
    Member(Node<'t>, &'t str),
    /// An element of a value is read.
    Index(Node<'t>),
    /// The elements of a value are read one after another.
    Iterate(Node<'t>),
    /// A value is moved into another value.
    Move(Node<'t>),
    /// A value is used as a context manager.
    Enter(Node<'t>),
    /// The effects that the table names.
    Direct(u64),
    /// A function whose name is in a macro is called, with the path before the name.
    Named(String),
}

/// An action and its place.
#[derive(Clone, Debug)]
pub(super) struct Event<'t> {
    pub action: Action<'t>,
    pub node: Node<'t>,
    /// Whether the place is in a branch or loop.
    pub weak: bool,
    /// Whether the place is in a function without a name.
    pub closure: bool,
}

/// A parameter of a function, or a name in its pattern.
#[derive(Clone, Debug)]
pub(super) struct Parameter<'t> {
    pub name: &'t str,
    /// The bit of the parameter, if a change to the value or to its contents changes it.
    pub own: u64,
    pub inner: u64,
    pub kind: &'static str,
    /// Whether only interior mutability can change the value.
    pub shared: bool,
    /// Whether it is an exclusive reference: whoever gets it can change the value.
    pub exclusive: bool,
    /// Whether all calls without this argument share the same value.
    pub shared_default: bool,
}

/// The events of one function, or of the code outside of functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Function<'t> {
    pub symbol: Option<u32>,
    /// The index of the enclosing function.
    pub parent: Option<usize>,
    pub parameters: Vec<Parameter<'t>>,
    /// Names that are declared as global, or as variables of an enclosing function.
    pub outer: Set<&'t str>,
    /// Names that the function declares.
    pub bound: Set<&'t str>,
    pub events: Vec<Event<'t>>,
    /// The parameters of functions without names: the index of the parameter, and the function.
    pub closures: Vec<(&'t str, usize, Node<'t>)>,
    /// Whether the function has a decorator or wrapper with unknown effects.
    pub is_truncated: bool,
}

struct Frame {
    function: usize,
    end: usize,
    /// The number of open branches outside of the function.
    branches: usize,
    /// Whether the node of the function was found.
    is_open: bool,
}

/// A scan of one file.
pub(super) struct Scan<'t> {
    pub text: &'t str,
    pub family: Family,
    pub table: &'static Table,
    pub outline: &'t Outline,
    /// The first entry is the code outside of functions.
    pub functions: Vec<Function<'t>>,
    /// Symbol → function.
    pub by_symbol: Map<u32, usize>,
    /// The variables of the file whose declarations show how they change.
    pub changing: Vec<(u32, super::Variability)>,
    /// Name of a field → its built-in type; empty if fields of this name have several types.
    pub fields: Map<&'t str, &'static str>,
    /// Type that the file declares → how its values are passed, in Go.
    pub types: Map<&'t str, &'static str>,
    /// Node → the expression that was read from it.
    exprs: RefCell<Map<usize, Expr<'t>>>,
    frames: Vec<Frame>,
    /// The ends of open branches and loops, and whether they are functions without names.
    branches: Vec<(usize, bool)>,
    /// The starts of functions with a decorator that can change what they do.
    pub wrapped: Set<usize>,
    /// Nodes that are not read.
    pub skipped: Set<usize>,
    /// The innermost matched value: its end, and the value.
    pub matched: Vec<(usize, Node<'t>)>,
}

/// How to read one grammar.
pub(super) struct Grammar {
    /// For each kind of node, [`VISITED`], [`BRANCH`], [`FUNCTION`] and [`LITERAL`].
    pub kinds: &'static [u8],
    /// Reads a node; returns whether its children are read too.
    pub visit: for<'t> fn(&mut Scan<'t>, Node<'t>, Option<&str>) -> bool,
}

/// Nodes of this kind are visited.
const VISITED: u8 = 1;
/// A branch or loop.
const BRANCH: u8 = 2;
/// A function, with or without a name.
const FUNCTION: u8 = 4;
/// A literal, whose parts are not read.
const LITERAL: u8 = 8;

/// For each kind of node of a grammar, whether it is one of `branches`, of `functions`, of the others
/// that are visited, or a literal.
pub(super) fn kinds(
    language: SupportLang,
    branches: &[&str],
    functions: &[&str],
    others: &[&str],
    literals: &[&str],
) -> Vec<u8> {
    let language = language.get_ts_language();
    let of_name = |name: &str| match name {
        _ if functions.contains(&name) => VISITED | FUNCTION,
        _ if branches.contains(&name) => VISITED | BRANCH,
        _ if others.contains(&name) => VISITED,
        _ if literals.contains(&name) => LITERAL,
        _ => 0,
    };
    let of_id = |id: usize| {
        let id = u16::try_from(id).ok().filter(|id| language.node_kind_is_named(*id));
        id.and_then(|id| language.node_kind_for_id(id)).map_or(0, of_name)
    };
    (0..language.node_kind_count()).map(of_id).collect()
}

/// Collects the events of a file.
pub(super) fn scan<'t>(
    (text, language, family): (&'t str, SupportLang, Family),
    (root, visited): (Node<'t>, Vec<Visited<'t>>),
    outline: &'t Outline,
) -> Scan<'t> {
    let mut scan = Scan {
        text,
        family,
        table: table(family),
        outline,
        functions: vec![Function::default()],
        by_symbol: Map::default(),
        changing: Vec::new(),
        fields: Map::default(),
        types: if family == Family::Go { go::types(text, root) } else { Map::default() },
        exprs: RefCell::default(),
        frames: Vec::new(),
        branches: Vec::new(),
        wrapped: Set::default(),
        skipped: Set::default(),
        matched: Vec::new(),
    };
    scan.read(visited, &grammar(language, family));
    scan
}

/// How to read a language.
pub(super) fn grammar(language: SupportLang, family: Family) -> Grammar {
    match family {
        Family::Python => python::grammar(),
        Family::Script => script::grammar(language),
        Family::Rust => rust::grammar(),
        Family::Go => go::grammar(),
    }
}

impl<'t> Scan<'t> {
    fn read(&mut self, visited: Vec<Visited<'t>>, grammar: &Grammar) {
        let is_frame = |kind: Kind| {
            matches!(kind, Kind::Function | Kind::Method)
                || kind == Kind::Class && self.family == Family::Script
        };
        let mut symbols = (0_u32..)
            .zip(&self.outline.symbols)
            .filter(|(_, symbol)| is_frame(symbol.kind))
            .map(|(at, symbol)| (at, symbol.start.offset as usize, symbol.end.offset as usize))
            .collect::<Vec<_>>();
        symbols.sort_by_key(|(at, start, end)| (*start, usize::MAX - *end, *at));
        let mut symbols = symbols.into_iter().peekable();
        // The depth and the end of the node whose descendants are not read.
        let mut skipped = (u32::MAX, 0);
        for Visited { node, field, depth } in visited {
            let at = node.start_byte();
            if depth > skipped.0 && at < skipped.1 {
                continue;
            }
            let mut descend = true;
            let kind = grammar.kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default();
            if kind == LITERAL {
                descend = false;
            } else if kind != 0 {
                while self.frames.last().is_some_and(|frame| frame.end <= at) {
                    self.frames.pop();
                }
                while self.branches.last().is_some_and(|(end, _)| *end <= at) {
                    self.branches.pop();
                }
                while let Some((symbol, start, end)) = symbols.next_if(|(_, start, _)| *start <= at)
                {
                    if end > at || start == at {
                        self.open(symbol, end);
                    }
                }
                if kind & FUNCTION != 0 {
                    let own = self.frames.last_mut().filter(|frame| !frame.is_open);
                    match own {
                        Some(frame) => frame.is_open = true,
                        None => self.branches.push((node.end_byte(), true)),
                    }
                } else if kind & BRANCH != 0 {
                    self.branches.push((node.end_byte(), false));
                }
                descend = !self.skipped.contains(&node.id()) && (grammar.visit)(self, node, field);
            }
            if !descend {
                skipped = (depth, node.end_byte());
            }
        }
    }

    fn open(&mut self, symbol: u32, end: usize) {
        while self.frames.last().is_some_and(|frame| frame.end < end) {
            self.frames.pop();
        }
        let parent = self.frames.last().map(|frame| frame.function);
        let function = self.functions.len();
        let is_class = self.outline.symbols[symbol as usize].kind == Kind::Class;
        self.functions.push(Function { symbol: Some(symbol), parent, ..Function::default() });
        self.by_symbol.insert(symbol, function);
        let branches = self.branches.len();
        self.frames.push(Frame { function, end, branches, is_open: is_class });
    }

    /// Whether the innermost function is the one whose node is visited: it has no parameters yet, and
    /// no function without a name is open.
    pub(super) fn is_own(&self) -> bool {
        self.frames.last().is_some_and(|frame| self.branches.len() == frame.branches)
    }

    /// The function that encloses the current node.
    pub(super) fn current(&mut self) -> &mut Function<'t> {
        let at = self.frames.last().map_or(0, |frame| frame.function);
        &mut self.functions[at]
    }

    /// The symbol of the enclosing function.
    pub(super) fn symbol(&self) -> Option<&'t crate::outline::Symbol> {
        let at = self.frames.last().map_or(0, |frame| frame.function);
        self.functions[at].symbol.and_then(|at| self.outline.symbols.get(at as usize))
    }

    pub(super) fn is_outside(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Adds an event to the function that is being read.
    pub(super) fn add(&mut self, node: Node<'t>, action: Action<'t>) {
        let base = self.frames.last().map_or(0, |frame| frame.branches);
        let open = self.branches.get(base..).unwrap_or_default();
        let weak = !open.is_empty();
        let closure = open.iter().any(|(_, is_closure)| *is_closure);
        let function = self.current();
        if function.events.len() >= MAX_EVENTS {
            function.is_truncated = true;
            return;
        }
        if let Action::Bind(name, _) = action {
            function.bound.insert(name);
        }
        function.events.push(Event { action, node, weak, closure });
    }

    /// Notes the built-in type of a field.
    pub(super) fn field(&mut self, name: &'t str, kind: &'static str) {
        self.fields
            .entry(name)
            .and_modify(|known| *known = if *known == kind { kind } else { "" })
            .or_insert(kind);
    }

    /// One level of an expression.
    pub(super) fn expr(&self, node: Node<'t>) -> Expr<'t> {
        if let Some(known) = self.exprs.borrow().get(&node.id()) {
            return known.clone();
        }
        let read = match self.family {
            Family::Python => python::expr(self, node),
            Family::Script => script::expr(self, node),
            Family::Rust => rust::expr(self, node),
            Family::Go => go::expr(self, node),
        };
        self.exprs.borrow_mut().insert(node.id(), read.clone());
        read
    }

    /// The name at the start of an expression, and the members read from it: `a.b[0].c` is `a` and
    /// `b`, `c`.
    pub(super) fn root(&self, node: Node<'t>) -> Option<&'t str> {
        let mut node = node;
        for _ in 0..32 {
            match self.expr(node) {
                Expr::Name(name) => return Some(name),
                Expr::Member(object, _) | Expr::Index(object) | Expr::Part(object) => node = object,
                Expr::Either(parts) => node = *parts.first()?,
                _ => return None,
            }
        }
        None
    }

    /// The names of a path without calls and indexes: `a.b.c`.
    pub(super) fn path(&self, node: Node<'t>) -> Option<Vec<&'t str>> {
        let (mut node, mut names) = (node, Vec::new());
        for _ in 0..16 {
            match self.expr(node) {
                Expr::Name(name) => {
                    names.push(name);
                    names.reverse();
                    return Some(names);
                }
                Expr::Member(object, name) => {
                    names.push(self.text_of(name));
                    node = object;
                }
                Expr::Either(parts) if parts.len() == 1 => node = parts[0],
                _ => return None,
            }
        }
        None
    }
}

/// The named children of a node, without comments.
pub(super) fn named<'n>(node: Node<'n>) -> impl Iterator<Item = Node<'n>> {
    crate::outline::build::named(node)
}
