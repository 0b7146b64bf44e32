//! The variables, parameters and calls of a file, collected in one pass over its syntax tree.

use super::expression::{Expr, call, named, read};
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
    /// Appended to the earlier value: `+=`, `push`, `append`.
    Appended,
    /// One of the items of a list, or a part of a value.
    Part,
    /// The position in a list.
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
    text: &'t str,
    language: &'static Language,
    scopes: Vec<Scope<'t>>,
    /// By name, then by scope.
    bindings: HashMap<&'t str, HashMap<usize, Vec<Binding<'t>>>>,
    /// Names that are compared with a list or a pattern, by function.
    checked: HashSet<(usize, &'t str)>,
    /// The calls of functions that may run queries, in order.
    pub(super) calls: Vec<Node<'t>>,
    /// Assignments to variables that are named after queries.
    pub(super) named: Vec<(Node<'t>, Node<'t>)>,
    heredocs: HashMap<usize, Node<'t>>,
}

/// Maximum number of values of one name that are considered.
const MAX_VALUES: usize = 64;
/// Maximum number of nested scopes.
const MAX_SCOPES: usize = 64;

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
/// Functions that are written where they are passed.
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
/// Methods that append their argument to the receiver.
const APPENDING: &[&str] =
    &["append", "push", "push_str", "add", "extend", "WriteString", "concat", "unshift", "<<"];
/// Functions that compare a value with a list or a pattern.
const CHECKING: &[&str] = &[
    "includes",
    "has",
    "hasOwnProperty",
    "contains",
    "Contains",
    "containsKey",
    "include?",
    "member?",
    "key?",
    "in_array",
    "array_key_exists",
    "test",
    "match",
    "fullmatch",
    "matches",
    "match?",
    "preg_match",
    "MatchString",
    "is_match",
    "isdigit",
    "isalnum",
    "isidentifier",
    "isnumeric",
    "isdecimal",
    "indexOf",
    "isNaN",
    "is_numeric",
    "ctype_digit",
    "safeParse",
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

    /// The node with the content of a string.
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

    /// Whether the node is a module of Rust that contains tests.
    fn is_test_code(&self, node: Node<'_>) -> bool {
        if !matches!(node.kind(), "mod_item" | "function_item") {
            return false;
        }
        let mut before = node.prev_named_sibling();
        while let Some(sibling) =
            before.filter(|sibling| sibling.is_extra() || sibling.kind() == "attribute_item")
        {
            let attribute = self.text_of(sibling);
            if sibling.kind() == "attribute_item"
                && (attribute.contains("test]")
                    || attribute.contains("cfg(") && attribute.contains("test"))
            {
                return true;
            }
            before = sibling.prev_named_sibling();
        }
        false
    }

    /// Collects what one node binds.
    fn read(&mut self, node: Node<'t>, scope: usize) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "variable_declarator"
            | "const_item"
            | "static_item"
            | "init_declarator"
            | "const_element"
            | "property_element"
            | "public_field_definition"
            | "field_definition"
            | "enum_assignment" => {
                let name = field("name").or_else(|| field("property"));
                let name = name.or_else(|| node.named_child(0));
                let value = field("value").or_else(|| {
                    (node.named_child_count() > 1).then(|| named(node).last().copied()).flatten()
                });
                let declared = node.parent().and_then(|parent| parent.child_by_field_name("type"));
                let declared = field("type").or(declared);
                if let Some(name) = name {
                    self.declare(scope, name, value, declared);
                }
            }
            "let_declaration" => {
                if let Some(pattern) = field("pattern") {
                    self.declare(scope, pattern, field("value"), field("type"));
                }
            }
            "short_var_declaration" => self.assign_lists(scope, node, true),
            "var_spec" | "const_spec" => {
                let names = named(node).into_iter().filter(|child| child.kind() == "identifier");
                let values = field("value").map(named).unwrap_or_default();
                for (at, name) in names.enumerate() {
                    let value = values.get(at).or_else(|| values.last()).copied();
                    self.declare(scope, name, value, field("type"));
                }
            }
            "assignment" | "assignment_expression" | "assignment_statement" => {
                let operator = field("operator").map_or("=", |operator| self.text_of(operator));
                if operator == "=" {
                    self.assign_lists(scope, node, false);
                } else {
                    self.append(scope, field("left"), field("right"));
                }
            }
            "augmented_assignment"
            | "augmented_assignment_expression"
            | "operator_assignment"
            | "compound_assignment_expr" => self.append(scope, field("left"), field("right")),
            "for_statement"
            | "for_in_clause"
            | "for_in_statement"
            | "range_clause"
            | "enhanced_for_statement"
            | "for_expression"
            | "for" => self.read_loop(scope, node),
            "foreach_statement" => {
                let parts = named(node);
                if let [list, item, ..] = parts[..] {
                    self.bind_pattern(scope, item, Origin::Part, Some(list), None);
                }
            }
            "parameters"
            | "formal_parameters"
            | "parameter_list"
            | "closure_parameters"
            | "method_parameters"
            | "block_parameters"
            | "lambda_parameters"
            | "inferred_parameters" => self.read_parameters(scope, node),
            "arrow_function" | "lambda_expression" => {
                let parameter = field("parameter").or_else(|| field("parameters"));
                if let Some(name) = parameter.filter(|name| name.kind() == "identifier") {
                    self.bind(scope, name, Origin::Parameter, None, None);
                }
            }
            "comparison_operator" => self.read_membership(scope, node),
            "switch_statement"
            | "match_statement"
            | "switch_expression"
            | "match_expression"
            | "case"
            | "expression_switch_statement" => {
                let value =
                    field("value").or_else(|| field("subject")).or_else(|| field("condition"));
                if let Some(value) = value {
                    self.check(scope, value);
                }
            }
            "call"
            | "call_expression"
            | "method_invocation"
            | "object_creation_expression"
            | "new_expression"
            | "function_call_expression"
            | "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression"
            | "macro_invocation" => {
                self.read_call(scope, node);
            }
            // `list << value`
            "binary" => {
                let operator = field("operator").map(|operator| self.text_of(operator));
                if operator == Some("<<") {
                    self.append(scope, field("left"), field("right"));
                }
            }
            _ => {}
        }
    }

    fn read_loop(&mut self, scope: usize, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        let item = ["left", "name", "pattern"].iter().find_map(|name| field(name));
        let list = ["right", "value"].iter().find_map(|name| field(name));
        let (Some(item), Some(list)) = (item, list) else { return };
        let declared = field("type").map(|node| self.text_of(node));
        let items = match item.kind() {
            "expression_list" | "pattern_list" | "tuple_pattern" => named(item),
            _ => vec![item],
        };
        let is_counted = self.text_of(list).contains("enumerate") || node.kind() == "range_clause";
        for (at, name) in items.iter().enumerate() {
            let is_position =
                at == 0 && is_counted && (items.len() > 1 || node.kind() == "range_clause");
            let origin = if is_position { Origin::Position } else { Origin::Part };
            self.bind_pattern(scope, *name, origin, Some(list), declared);
        }
    }

    fn read_parameters(&mut self, scope: usize, list: Node<'t>) {
        for parameter in named(list) {
            let field = |name: &str| parameter.child_by_field_name(name);
            let declared = field("type").map(|node| self.text_of(node));
            let default = field("value").or_else(|| field("right"));
            let name = field("name").or_else(|| field("pattern")).or_else(|| field("left"));
            let names = match parameter.kind() {
                // `a, b string`
                "parameter_declaration" | "variadic_parameter_declaration" => named(parameter)
                    .into_iter()
                    .filter(|child| child.kind() == "identifier")
                    .collect(),
                _ => vec![name.or_else(|| parameter.named_child(0)).unwrap_or(parameter)],
            };
            for name in names {
                self.bind_pattern(scope, name, Origin::Parameter, default, declared);
            }
        }
    }

    /// `x in LIST`, `x not in LIST`
    fn read_membership(&mut self, scope: usize, node: Node<'t>) {
        let mut cursor = node.walk();
        let is_membership = node
            .children(&mut cursor)
            .any(|child| matches!(child.kind(), "in" | "not in" | "not" | "is not"));
        if let Some(value) = node.named_child(0).filter(|_| is_membership) {
            self.check(scope, value);
        }
    }

    fn read_call(&mut self, scope: usize, node: Node<'t>) {
        let Some(call) = call(node, self.text) else { return };
        if self.language.sinks.iter().any(|sink| sink.name == call.name) {
            self.calls.push(node);
        }
        if CHECKING.contains(&call.name) {
            for value in call.arguments.iter().copied().chain(call.receiver) {
                self.check(scope, value);
            }
        }
        if APPENDING.contains(&call.name)
            && let Some(&value) = call.arguments.first()
            && let Some(receiver) = call.receiver
        {
            self.append(scope, Some(first_receiver(receiver, self.text)), Some(value));
        }
    }

    /// Records that the value of a name is compared with known values.
    fn check(&mut self, scope: usize, value: Node<'t>) {
        let mut value = value;
        for _ in 0..4 {
            match read(value, self.text) {
                Expr::Wrapped(inner) => value = inner,
                Expr::Call(call) => match call.receiver {
                    Some(receiver) => value = receiver,
                    None => return,
                },
                Expr::Name(name) => {
                    let function = self.function_of(scope);
                    self.checked.insert((function, name));
                    return;
                }
                Expr::Member { .. } => {
                    let function = self.function_of(scope);
                    self.checked.insert((function, self.text_of(value)));
                    return;
                }
                _ => return,
            }
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

    fn function_of(&self, scope: usize) -> usize {
        let mut current = scope;
        while self.scopes[current].kind == ScopeKind::Block
            && let Some(parent) = self.scopes[current].parent
        {
            current = parent;
        }
        current
    }

    /// `a = b`, `a, b = c, d`, `a, b := c()`
    fn assign_lists(&mut self, scope: usize, node: Node<'t>, declares: bool) {
        let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
        let Some(left) = left else { return };
        let is_list = |node: &Node<'_>| {
            matches!(
                node.kind(),
                "expression_list"
                    | "pattern_list"
                    | "tuple_pattern"
                    | "left_assignment_list"
                    | "tuple"
            )
        };
        let lefts = if is_list(&left) { named(left) } else { vec![left] };
        let rights = match right {
            Some(right) if is_list(&right) || right.kind() == "right_assignment_list" => {
                named(right)
            }
            Some(right) => vec![right],
            None => Vec::new(),
        };
        let is_pairwise = lefts.len() == rights.len();
        for (at, name) in lefts.iter().enumerate() {
            let value = rights.get(at).or_else(|| rights.last()).copied();
            let declared = node.child_by_field_name("type").map(|node| self.text_of(node));
            let origin = if is_pairwise { Origin::Assigned } else { Origin::Part };
            // `list = append(list, value)`
            if let Some(value) = value.filter(|_| is_pairwise)
                && let Expr::Call(call) = read(value, self.text)
                && call.name == "append"
                && call.receiver.is_none()
                && let [list, values @ ..] = &call.arguments[..]
                && self.text_of(*list) == self.text_of(*name)
            {
                for &value in values {
                    self.append(scope, Some(*name), Some(value));
                }
                continue;
            }
            self.assign(scope, *name, origin, value, declared, declares);
        }
        if let (Some(value), [name]) = (right, &lefts[..]) {
            self.name_query(*name, value, node);
        }
    }

    fn name_query(&mut self, name: Node<'t>, value: Node<'t>, statement: Node<'t>) {
        let name = self.text_of(name).rsplit(['.', ':', '>', '$', '@']).next().unwrap_or_default();
        if super::language::names_query(name) {
            self.named.push((statement, value));
        }
    }

    fn declare(
        &mut self,
        scope: usize,
        name: Node<'t>,
        value: Option<Node<'t>>,
        declared: Option<Node<'t>>,
    ) {
        if let Some(value) = value {
            self.name_query(name, value, name.parent().unwrap_or(name));
        }
        let declared = declared.map(|node| self.text_of(node).trim_start_matches(':').trim());
        if matches!(
            name.kind(),
            "identifier" | "name" | "property_identifier" | "variable_name" | "const"
        ) || value.is_none()
        {
            self.bind(scope, name, Origin::Assigned, value, declared);
        } else {
            let is_pattern = !matches!(name.kind(), "mut_pattern" | "private_property_identifier");
            let origin = if is_pattern { Origin::Part } else { Origin::Assigned };
            self.bind_pattern(scope, name, origin, value, declared);
        }
    }

    /// Binds all names of a pattern.
    fn bind_pattern(
        &mut self,
        scope: usize,
        pattern: Node<'t>,
        origin: Origin,
        value: Option<Node<'t>>,
        declared: Option<&'t str>,
    ) {
        let declared = declared.map(|text| text.trim_start_matches(':').trim());
        let mut open = vec![pattern];
        let mut count = 0;
        while let Some(node) = open.pop() {
            count += 1;
            if count > 200 {
                return;
            }
            match node.kind() {
                "identifier"
                | "shorthand_property_identifier_pattern"
                | "variable_name"
                | "shorthand_field_identifier"
                | "keyword_parameter"
                | "instance_variable" => {
                    self.bind(scope, node, origin, value, declared);
                }
                "pair_pattern" | "object_assignment_pattern" | "assignment_pattern" => {
                    let inner =
                        node.child_by_field_name("value").filter(|_| node.kind() == "pair_pattern");
                    open.extend(inner.or_else(|| node.child_by_field_name("left")));
                }
                // The types of a pattern are not names.
                "tuple_struct_pattern" => open.extend(named(node).into_iter().skip(1)),
                "type_annotation" | "type" | "type_identifier" | "field_identifier" => {}
                _ => open.extend(named(node)),
            }
        }
    }

    fn bind(
        &mut self,
        scope: usize,
        name: Node<'t>,
        origin: Origin,
        value: Option<Node<'t>>,
        declared: Option<&'t str>,
    ) {
        let key = self.text_of(name);
        let binding = Binding { origin, value, declared, node: name };
        let values = self.bindings.entry(key).or_default().entry(scope).or_default();
        if values.len() < MAX_VALUES {
            values.push(binding);
        }
    }

    fn append(&mut self, scope: usize, name: Option<Node<'t>>, value: Option<Node<'t>>) {
        let one = |node: Node<'t>| match node.kind() {
            "expression_list" => node.named_child(0).unwrap_or(node),
            _ => node,
        };
        let value = value.map(one);
        if let Some(name) = name.map(one) {
            self.assign(scope, name, Origin::Appended, value, None, false);
        }
    }

    fn assign(
        &mut self,
        scope: usize,
        name: Node<'t>,
        origin: Origin,
        value: Option<Node<'t>>,
        declared: Option<&'t str>,
        declares: bool,
    ) {
        match read(name, self.text) {
            Expr::Name(key) => {
                let target = match (declares, self.declaring_scope(scope, key)) {
                    (false, Some(found)) => found,
                    (false, None) if self.language.has_blocks => 0,
                    (false, None) => self.function_of(scope),
                    (true, _) => scope,
                };
                self.bind(target, name, origin, value, declared);
            }
            // A field of the object.
            Expr::Member { object, name: key } if is_self(self.text_of(object)) => {
                if let Some(class) = self.class_of(scope) {
                    let binding = Binding { origin, value, declared, node: name };
                    let values = self.bindings.entry(key).or_default().entry(class).or_default();
                    if values.len() < MAX_VALUES {
                        values.push(binding);
                    }
                }
            }
            Expr::Index { object } => {
                let is_append = matches!(read(object, self.text), Expr::Name(_));
                if is_append {
                    self.assign(scope, object, Origin::Appended, value, None, false);
                }
            }
            _ => {}
        }
    }

    fn class_of(&self, scope: usize) -> Option<usize> {
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
    fn declaring_scope(&self, scope: usize, name: &str) -> Option<usize> {
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

    /// The values of the name at an offset, in order; empty for an unknown name.
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

    /// The values of a field of the object in whose class the offset is.
    pub(super) fn field(&self, name: &str, at: usize) -> &[Binding<'t>] {
        let class = self.class_of(self.scope_at(at));
        let values = class.and_then(|class| self.bindings.get(name)?.get(&class));
        values.map_or(&[], Vec::as_slice)
    }

    /// The function in whose parameters or body the offset is.
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

/// The first receiver of a chain of calls: `b` in `b.append("x").append`.
fn first_receiver<'t>(node: Node<'t>, text: &'t str) -> Node<'t> {
    let mut current = node;
    for _ in 0..MAX_VALUES {
        let Some(next) = call(current, text).and_then(|call| call.receiver) else { break };
        current = next;
    }
    current
}
