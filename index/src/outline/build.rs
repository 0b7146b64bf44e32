//! The pass over a syntax tree that collects an outline.

use super::body::{Branches, is_default};
pub(super) use super::comments::sentence;
use super::nodes::offset;
pub(crate) use super::nodes::{child_of, end, has_child, named, start};
use super::uses::{LEAF, Positions, Uses, add_references};
use super::{Chain, Field, Kind, Local, Outline, Position, Ref, RefKind, Root, Symbol};
use crate::effects::Visited;
use crate::fields::Fields as _;
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_language::SupportLang;
use std::collections::HashSet;
use tree_sitter::Node;

/// Maximum length of a signature in bytes.
const MAX_SIGNATURE: usize = 240;
/// Maximum length of a name in bytes.
const MAX_NAME: usize = 200;
/// Maximum length of a name with the names around it, in bytes. Deeper symbols are left out.
const MAX_QUALIFIED: usize = 1000;
/// Maximum number of scopes around a name.
const MAX_SCOPES: usize = 200;

/// A range of the file and the symbol that encloses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) symbol: Option<u32>,
    /// Whether variables are local to this range.
    pub(super) is_function: bool,
    /// Whether the range is test code.
    pub(super) test: bool,
}

/// Collects the outline of a file.
#[derive(Debug)]
pub(super) struct Build<'t> {
    pub(super) path: &'t str,
    pub(super) text: &'t str,
    pub(super) language: SupportLang,
    pub(super) out: Outline,
    pub(super) scopes: Vec<Scope>,
    /// The offsets of nodes that were already handled as part of an enclosing node.
    pub(super) done: HashSet<usize, foldhash::fast::RandomState>,
    /// The declaration that the enclosing statement exports, and its exported name.
    pub(super) exported: Option<(usize, &'static str)>,
    /// The type to which the functions of an `impl` block belong, the end of the block, and whether
    /// it implements a trait.
    pub(super) owner: Option<(Chain, u32, bool)>,
    /// The Ruby class whose following methods are private, and the end of that part.
    pub(super) private: Option<(u32, u32)>,
    /// The attributes before the next declaration.
    pub(super) marks: Marks,
    /// The names that can be values.
    pub(super) uses: Uses<'t>,
    /// The kinds of nodes from which effects are read, and these nodes.
    pub(super) visited: (&'static [u8], Vec<Visited<'t>>),
    pub(super) branches: Branches,
    /// The index of the component that the file is.
    pub(super) component: Option<u32>,
}

/// The decorators, annotations or attributes before a declaration, as far as the outline needs them.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub(super) test: bool,
    pub(super) property: bool,
    pub(super) is_static: bool,
    pub(super) is_class: bool,
    pub(super) overload: bool,
    pub(super) exported: bool,
}

/// A function that handles a visited node.
pub(super) type Visit<'t> = fn(&mut Build<'t>, Node<'t>);

/// For each node kind of a grammar, whether it is one of `names`.
pub(super) fn wanted_kinds(language: SupportLang, names: &[&str]) -> Vec<bool> {
    let language = language.get_ts_language();
    let count = language.node_kind_count();
    let is_wanted = |id: usize| {
        u16::try_from(id).is_ok_and(|id| {
            language.node_kind_is_named(id)
                && language.node_kind_for_id(id).is_some_and(|name| names.contains(&name))
        })
    };
    (0..count).map(is_wanted).collect()
}

impl<'t> Build<'t> {
    pub(super) fn new(path: &'t str, text: &'t str, language: SupportLang) -> Self {
        Self {
            path,
            text,
            language,
            out: Outline::default(),
            scopes: Vec::new(),
            done: HashSet::default(),
            exported: None,
            owner: None,
            private: None,
            marks: Marks::default(),
            uses: Uses::default(),
            visited: (&[], Vec::new()),
            branches: Branches::default(),
            component: None,
        }
    }

    /// Calls `visit` for the nodes whose kind is set in `wanted`, in text order. Notes the names that can
    /// be values, and the nodes from which effects are read.
    pub(super) fn walk(&mut self, root: Node<'t>, wanted: &[bool], visit: Visit<'t>) {
        let positions = Positions::of(self.language);
        let has_fields = self.language == SupportLang::Python;
        let mut cursor = root.walk();
        let mut depth = 0;
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let is_wanted = wanted.get(usize::from(kind)).copied().unwrap_or_default();
            let flags = positions.map_or(0, |positions| positions.flags(kind));
            let weight = self.branches.weight(kind);
            if is_wanted || flags != 0 || weight != 0 {
                let at = offset(node.start_byte());
                while self.scopes.last().is_some_and(|scope| scope.end <= at) {
                    self.scopes.pop();
                }
            }
            if weight != 0 && !is_default(self.text_of(node)) {
                self.branches.add(self.parent(), weight);
            }
            if is_wanted {
                visit(self, node);
            }
            if let Some(positions) = positions.filter(|_| flags != 0) {
                let scopes = &self.scopes;
                let source = || scopes.iter().rev().find_map(|scope| scope.symbol);
                self.uses.add(positions, &cursor, (node, flags), source);
            }
            if self.visited.0.get(usize::from(kind)).is_some_and(|kind| *kind != 0) {
                let field = if has_fields { cursor.field_name() } else { None };
                self.visited.1.push(Visited { node, field, depth });
            }
            if flags & LEAF == 0 && cursor.goto_first_child() {
                depth += 1;
                self.uses.enter(kind);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
                self.uses.leave();
            }
        }
    }

    /// The outline, with the names that are used as values. `imported`: the names that the file imports,
    /// if other names cannot refer to symbols of other files; `None` if no names are added.
    pub(super) fn finish_with(mut self, imported: Option<&[&str]>) -> (Outline, Vec<Visited<'t>>) {
        let is_function = |symbol: &&Symbol| symbol.kind.is_function() || symbol.kind.is_type();
        let known = imported.map(|imported| {
            let declared = self.out.symbols.iter().filter(is_function);
            let declared = declared.map(|symbol| symbol.name.clone());
            declared.chain(imported.iter().map(|name| (*name).to_owned())).collect()
        });
        add_references(&mut self, known.as_ref());
        let visited = std::mem::take(&mut self.visited.1);
        std::mem::take(&mut self.branches).finish(self.text, &mut self.out.symbols);
        (self.finish(), visited)
    }

    pub(super) fn finish(mut self) -> Outline {
        let out = &mut self.out;
        for (_, local) in &out.exports {
            let is_named = |symbol: &&mut Symbol| symbol.parent.is_none() && symbol.name == *local;
            out.symbols.iter_mut().filter(is_named).for_each(|symbol| symbol.exported = true);
        }
        out.locals.sort_by(|a, b| (&a.name, a.from, a.at).cmp(&(&b.name, b.from, b.at)));
        out.refs.sort_by_key(|found| found.at.offset);
        self.out
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field of a node.
    pub(super) fn field_text(&self, node: Node<'_>, field: &str) -> Option<&'t str> {
        node.field(field).map(|child| self.text_of(child))
    }

    /// The index of the enclosing symbol.
    pub(super) fn parent(&self) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.symbol)
    }

    pub(super) fn parent_kind(&self) -> Option<Kind> {
        self.parent().and_then(|at| self.out.symbols.get(at as usize)).map(|symbol| symbol.kind)
    }

    /// The index of the directly enclosing type, with no function in between.
    pub(super) fn class(&self) -> Option<u32> {
        let scope = self.scopes.last().filter(|scope| !scope.is_function)?;
        scope.symbol
    }

    /// The index of the innermost enclosing type.
    pub(super) fn enclosing_class(&self) -> Option<u32> {
        self.scopes.iter().rev().filter_map(|scope| scope.symbol).find(|at| {
            self.out.symbols.get(*at as usize).is_some_and(|symbol| symbol.kind.is_type())
        })
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.scopes.iter().any(|scope| scope.is_function)
    }

    pub(super) fn is_in_test(&self) -> bool {
        self.scopes.iter().any(|scope| scope.test)
    }

    /// Adds a symbol that is declared by `node` and named by `name`.
    pub(super) fn add(&mut self, kind: Kind, name: Node<'t>, node: Node<'t>) -> Option<u32> {
        let text = self.text_of(name);
        self.add_named(kind, text, name, node)
    }

    pub(super) fn add_named(
        &mut self,
        kind: Kind,
        text: &str,
        name: Node<'t>,
        node: Node<'t>,
    ) -> Option<u32> {
        if text.is_empty() || text.len() > MAX_NAME || text.contains('\n') || name.is_missing() {
            return None;
        }
        let parent = self.parent();
        let is_scoped =
            matches!(self.language, SupportLang::Rust | SupportLang::Php | SupportLang::Ruby);
        let separator = if is_scoped { "::" } else { "." };
        let owner = self.owner.as_ref().filter(|(_, end, _)| start(node).offset < *end);
        let owner = owner.filter(|_| {
            parent.is_none_or(|at| {
                self.out.symbols.get(at as usize).is_some_and(|symbol| symbol.kind == Kind::Module)
            })
        });
        let prefix = match (owner, parent) {
            (Some((owner, ..)), _) => owner.names().last().map(str::to_owned),
            (None, Some(at)) => self.out.symbols.get(at as usize).map(|p| p.qualified.clone()),
            (None, None) => None,
        };
        let qualified =
            prefix.map_or_else(|| text.to_owned(), |prefix| format!("{prefix}{separator}{text}"));
        if qualified.len() > MAX_QUALIFIED {
            return None;
        }
        let body = node.field("body");
        let first = self.start_of(node);
        self.done.insert(name.start_byte());
        let marks = std::mem::take(&mut self.marks);
        self.out.symbols.push(Symbol {
            name: text.to_owned(),
            qualified,
            parent,
            kind,
            start: first,
            end: end(node),
            at: start(name),
            body: body.map(|body| (start(body), end(body))),
            exported: false,
            test: self.is_in_test() || marks.test,
            property: marks.property,
            callable: false,
            extension: false,
            arity: (0, 255),
            owner: owner.map(|(chain, ..)| chain.clone()),
            value: None,
            bases: Vec::new(),
            signature: self.signature(first.offset as usize, node, body),
            parameters: Vec::new(),
            return_type: None,
            doc: None,
            complexity: None,
            body_hash: None,
        });
        Some(offset(self.out.symbols.len() - 1))
    }

    /// The start of a declaration, without the annotations before it.
    fn start_of(&self, node: Node<'_>) -> Position {
        if !matches!(self.language, SupportLang::Java | SupportLang::Kotlin) {
            let mut cursor = node.walk();
            let is_mark =
                |child: &Node<'_>| matches!(child.kind_name(), "decorator" | "attribute_list");
            let first = node.children(&mut cursor).find(|child| !is_mark(child));
            return start(first.unwrap_or(node));
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind_name() != "modifiers" {
                return start(child);
            }
            let mut inner = child.walk();
            let is_annotation = |word: &Node<'_>| word.kind_name().ends_with("annotation");
            let word = child.children(&mut inner).find(|word| !is_annotation(word));
            if let Some(word) = word {
                return start(word);
            }
        }
        start(node)
    }

    /// The text before the body, in one line.
    fn signature(&self, from: usize, node: Node<'_>, body: Option<Node<'_>>) -> String {
        let to = body.map_or(node.end_byte(), |body| body.start_byte()).max(from);
        let to = to.min(from + 4 * MAX_SIGNATURE);
        let to = self.text.floor_char_boundary(to);
        let text = self.text.get(from..to).unwrap_or_default();
        let mut line = String::with_capacity(text.len().min(MAX_SIGNATURE));
        for word in text.split_whitespace() {
            if line.len() + word.len() > MAX_SIGNATURE {
                line.push('…');
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        line.trim_end_matches([':', '{', '=', ' ']).to_owned()
    }

    pub(super) fn symbol(&mut self, at: u32) -> &mut Symbol {
        &mut self.out.symbols[at as usize]
    }

    /// Opens a scope that ends with `node`.
    pub(super) fn open(&mut self, node: Node<'_>, symbol: Option<u32>, is_function: bool) {
        if self.scopes.len() >= MAX_SCOPES {
            return;
        }
        let test = symbol.is_some_and(|at| self.out.symbols[at as usize].test);
        self.scopes.push(Scope {
            start: start(node).offset,
            end: end(node).offset,
            symbol: symbol.or_else(|| self.parent()),
            is_function,
            test,
        });
    }

    /// The range in which the variables of the innermost function are visible.
    pub(super) fn function_range(&self) -> (u32, u32) {
        let scope = self.scopes.iter().rev().find(|scope| scope.is_function);
        scope.map_or((0, u32::MAX), |scope| (scope.start, scope.end))
    }

    /// Adds a variable of the innermost function.
    pub(super) fn local(&mut self, name: &str, value: Chain, at: Node<'_>) {
        if name.len() > MAX_NAME {
            return;
        }
        let (from, to) = self.function_range();
        let at = start(at).offset;
        self.out.locals.push(Local { name: name.to_owned(), value, from, to, at });
    }

    /// Adds a field of the type with index `class`.
    pub(super) fn field(&mut self, class: u32, name: &str, value: Chain) {
        let known = self.out.fields.iter().rev().take(200);
        let is_known = known
            .into_iter()
            .any(|field| field.class == class && field.name == name && field.value == value);
        if !is_known && value.root != Root::Unknown {
            self.out.fields.push(Field { class, name: name.to_owned(), value });
        }
    }

    /// Adds a reference whose name is the text of `name`.
    pub(super) fn refer(
        &mut self,
        kind: RefKind,
        name: Node<'_>,
        receiver: Option<Chain>,
        arguments: u8,
    ) {
        let text = self.text_of(name);
        if text.is_empty() || text.len() > MAX_NAME {
            return;
        }
        let text = text.strip_prefix("r#").unwrap_or(text);
        self.refer_to(kind, text, name, receiver, arguments);
    }

    pub(super) fn refer_to(
        &mut self,
        kind: RefKind,
        text: &str,
        at: Node<'_>,
        receiver: Option<Chain>,
        arguments: u8,
    ) {
        self.out.refs.push(Ref {
            kind,
            name: text.to_owned(),
            at: start(at),
            source: self.parent(),
            receiver,
            arguments,
        });
    }

    /// Adds a reference in the symbol `source`.
    pub(super) fn refer_from(
        &mut self,
        source: Option<u32>,
        kind: RefKind,
        name: Node<'_>,
        receiver: Option<Chain>,
    ) {
        let before = self.out.refs.len();
        self.refer(kind, name, receiver, 255);
        self.out.refs[before..].iter_mut().for_each(|added| added.source = source);
    }

    /// The number of arguments in a list; 255 if it is unknown.
    pub(super) fn count(&self, arguments: Option<Node<'_>>) -> u8 {
        let Some(arguments) = arguments else { return 255 };
        let mut count = 0_u8;
        for argument in named(arguments) {
            if argument.kind_name().contains("splat") || argument.kind_name() == "spread_element" {
                return 255;
            }
            count = count.saturating_add(1);
        }
        count
    }
}
