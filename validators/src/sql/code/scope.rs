//! The variables, parameters and calls of a file, collected in one pass over its syntax tree.

use super::language::Language;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// How a name gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A parameter of a function; the value is its default.
    Parameter,
    /// A declaration or an assignment.
    Assigned,
    /// An addition to the earlier value: `+=`, `push`, `append`.
    Appended,
    /// An item of a list, or a part of a value.
    Part,
    /// The index of an item in a list.
    Position,
}

/// A value of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding<'t> {
    pub(super) origin: Origin,
    pub(super) value: Option<Node<'t>>,
    /// The declared type.
    pub(super) declared: Option<&'t str>,
    /// The node that binds the name.
    pub(super) node: Node<'t>,
}

#[derive(Debug)]
struct Scope<'t> {
    node: Node<'t>,
    end: usize,
    parent: Option<usize>,
    kind: ScopeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Class,
    Function,
    Block,
}

/// The names and calls of a file.
pub(super) struct Index<'t> {
    pub(super) text: &'t str,
    pub(super) language: &'static Language,
    scopes: Vec<Scope<'t>>,
    /// The bindings by name, then by scope.
    pub(super) bindings: HashMap<&'t str, HashMap<usize, Vec<Binding<'t>>>>,
    /// Names that are compared with a list or a pattern, by function.
    pub(super) checked: HashSet<(usize, &'t str)>,
    /// The calls of functions that may run queries, in order.
    pub(super) calls: Vec<Node<'t>>,
    /// Assignments to variables whose names suggest a query, each with the assigned value.
    pub(super) named: Vec<(Node<'t>, Node<'t>)>,
    heredocs: HashMap<usize, Node<'t>>,
    follows_test_attribute: bool,
    /// The end of the declaration that is being read, and the type in the declaration.
    pub(super) declared_type: Option<(usize, Node<'t>)>,
}

/// Maximum number of values of one name that are considered.
pub(super) const MAX_VALUES: usize = 64;
/// Maximum number of nested scopes.
const MAX_SCOPES: usize = 64;

/// The node kinds of scopes whose variables are fields.
const CLASSES: &[&str] = &[
    "class_definition",
    "class_body",
    "class",
    "module",
    "interface_body",
    "enum_body",
    "impl_item",
    "declaration_list",
    "trait_item",
];
/// The node kinds of functions.
const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function_declaration",
    "generator_function",
    "function_definition",
    "lambda",
    "method_declaration",
    "func_literal",
    "constructor_declaration",
    "lambda_expression",
    "compact_constructor_declaration",
    "function_item",
    "closure_expression",
    "method",
    "singleton_method",
    "do_block",
    "anonymous_function",
];
/// The node kinds of blocks that can declare variables.
const BLOCKS: &[&str] = &[
    "statement_block",
    "for_statement",
    "for_in_statement",
    "enhanced_for_statement",
    "for_expression",
    "if_statement",
    "if_expression",
    "match_arm",
    "while_expression",
    "list_comprehension",
    "generator_expression",
    "set_comprehension",
    "dictionary_comprehension",
    "switch_block_statement_group",
    "expression_case",
    "type_switch_statement",
    "catch_clause",
];
/// The node kinds of functions that can be passed as arguments where they are defined.
const CLOSURES: &[&str] = &[
    "arrow_function",
    "function_expression",
    "lambda",
    "func_literal",
    "lambda_expression",
    "closure_expression",
    "do_block",
    "block",
    "anonymous_function",
];
impl<'t> Index<'t> {
    pub(super) fn new(root: Node<'t>, text: &'t str, language: &'static Language) -> Self {
        let module =
            Scope { node: root, end: root.end_byte(), parent: None, kind: ScopeKind::Module };
        let mut index = Self {
            text,
            language,
            scopes: vec![module],
            bindings: HashMap::new(),
            checked: HashSet::new(),
            calls: Vec::new(),
            named: Vec::new(),
            heredocs: HashMap::new(),
            follows_test_attribute: false,
            declared_type: None,
        };
        index.walk(root);
        index
    }

    pub(super) fn language(&self) -> &'static Language {
        self.language
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The node that contains the text of a string: for a heredoc, its body.
    pub(super) fn content(&self, literal: Node<'t>) -> Node<'t> {
        self.heredocs.get(&literal.start_byte()).copied().unwrap_or(literal)
    }

    fn walk(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        let mut current = 0;
        let mut open_heredocs: Vec<Node<'t>> = Vec::new();
        loop {
            let node = cursor.node();
            while node.start_byte() >= self.scopes[current].end
                && let Some(parent) = self.scopes[current].parent
            {
                current = parent;
            }
            let skipped = self.is_test_code(node);
            if !skipped {
                if let Some(kind) = self.scope_kind(node) {
                    let parent = Some(current);
                    self.scopes.push(Scope { node, end: node.end_byte(), parent, kind });
                    current = self.scopes.len() - 1;
                }
                match node.kind() {
                    "heredoc_beginning" => open_heredocs.push(node),
                    "heredoc_body" if !open_heredocs.is_empty() => {
                        self.heredocs.insert(open_heredocs.remove(0).start_byte(), node);
                    }
                    _ => self.read(node, current),
                }
            }
            if !skipped && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn scope_kind(&self, node: Node<'_>) -> Option<ScopeKind> {
        let kind = node.kind();
        let is_block = self.language.has_blocks && kind == "block";
        if CLASSES.contains(&kind) && node.is_named() {
            Some(ScopeKind::Class)
        } else if FUNCTIONS.contains(&kind) && node.is_named()
            || kind == "block" && self.language.blocks_are_closures
        {
            Some(ScopeKind::Function)
        } else if is_block
            || BLOCKS.contains(&kind)
                && (self.language.has_blocks
                    || kind.ends_with("comprehension")
                    || kind == "generator_expression")
        {
            Some(ScopeKind::Block)
        } else {
            None
        }
    }

    /// Whether the node is Rust code that is compiled only for tests. Attributes precede their item
    /// as siblings.
    fn is_test_code(&mut self, node: Node<'_>) -> bool {
        match node.kind() {
            "attribute_item" => {
                let attribute = self.text_of(node);
                let is_test = attribute.contains("test]")
                    || attribute.contains("cfg(") && attribute.contains("test");
                self.follows_test_attribute |= is_test;
                false
            }
            kind if kind.ends_with("_item") => std::mem::take(&mut self.follows_test_attribute),
            _ => false,
        }
    }

    /// Whether the name or member is compared with known values in the function at `at`.
    pub(super) fn is_checked(&self, name: &str, at: usize) -> bool {
        let mut scope = Some(self.scope_at(at));
        for _ in 0..MAX_SCOPES {
            let Some(current) = scope else { return false };
            if self.checked.contains(&(current, name)) {
                return true;
            }
            scope = self.scopes[current].parent;
        }
        false
    }

    pub(super) fn function_of(&self, scope: usize) -> usize {
        let mut current = scope;
        while self.scopes[current].kind == ScopeKind::Block
            && let Some(parent) = self.scopes[current].parent
        {
            current = parent;
        }
        current
    }

    pub(super) fn class_of(&self, scope: usize) -> Option<usize> {
        let mut current = Some(scope);
        for _ in 0..MAX_SCOPES {
            let scope = current?;
            if self.scopes[scope].kind == ScopeKind::Class {
                return current;
            }
            current = self.scopes[scope].parent;
        }
        None
    }

    /// The scope in which an assigned name was declared.
    pub(super) fn declaring_scope(&self, scope: usize, name: &str) -> Option<usize> {
        let by_scope = self.bindings.get(name)?;
        let mut current = scope;
        for _ in 0..MAX_SCOPES {
            if by_scope.contains_key(&current) {
                return Some(current);
            }
            let is_closed =
                self.scopes[current].kind == ScopeKind::Function && !self.language.closures_assign;
            if is_closed {
                return None;
            }
            current = self.scopes[current].parent?;
        }
        None
    }

    fn scope_at(&self, at: usize) -> usize {
        let after = self.scopes.partition_point(|scope| scope.node.start_byte() <= at);
        let mut current = after.saturating_sub(1);
        while self.scopes[current].end <= at
            && let Some(parent) = self.scopes[current].parent
        {
            current = parent;
        }
        current
    }

    /// The values of `name` in the scope of the offset `at`, in order; empty for an unknown name.
    pub(super) fn values(&self, name: &str, at: usize) -> &[Binding<'t>] {
        let Some(by_scope) = self.bindings.get(name) else { return &[] };
        let mut current = Some(self.scope_at(at));
        for _ in 0..MAX_SCOPES {
            let Some(scope) = current else { break };
            if let Some(values) = by_scope.get(&scope) {
                return values;
            }
            current = self.scopes[scope].parent;
        }
        &[]
    }

    /// The values of a field of the class that contains the offset `at`.
    pub(super) fn field(&self, name: &str, at: usize) -> &[Binding<'t>] {
        let class = self.class_of(self.scope_at(at));
        let values = class.and_then(|class| self.bindings.get(name)?.get(&class));
        values.map_or(&[], Vec::as_slice)
    }

    /// The function whose parameters or body contain the offset `at`.
    pub(super) fn function_at(&self, at: usize) -> Option<Node<'t>> {
        let mut current = Some(self.scope_at(at));
        for _ in 0..MAX_SCOPES {
            let scope = current?;
            if self.scopes[scope].kind == ScopeKind::Function {
                return Some(self.scopes[scope].node);
            }
            current = self.scopes[scope].parent;
        }
        None
    }

    pub(super) fn is_closure(node: Node<'_>) -> bool {
        CLOSURES.contains(&node.kind())
    }
}

/// Whether the text refers to the object of the method.
pub(super) fn is_self(text: &str) -> bool {
    matches!(text, "self" | "this" | "cls" | "$this" | "static" | "self::" | "Self")
}
