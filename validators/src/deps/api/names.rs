//! The paths of the names in a file: which module a name comes from, and of which value it is the
//! result.

use super::table::Table;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// Maximum length of a chain of members, calls and variables.
const MAX_DEPTH: usize = 12;

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Script,
    Python,
    Go,
}

/// A value that a name is bound to.
#[derive(Clone, Debug)]
enum Value<'t> {
    /// The value with this path.
    Path(String),
    /// The value of an expression.
    Expression(Node<'t>),
    /// A value of the type.
    Instance(Node<'t>),
    /// A member of the value of an expression.
    Member(Node<'t>, &'t str),
    Unknown,
}

/// The names that a file declares. A name that has different values is unknown, wherever it is
/// declared.
pub(super) struct Names<'t> {
    syntax: Syntax,
    text: &'t str,
    table: &'t Table,
    values: HashMap<&'t str, Vec<Value<'t>>>,
    /// The offsets of the names that imports bind.
    imported: HashSet<usize>,
    /// Name → path, or `None` if it is unknown or is being resolved.
    resolved: RefCell<HashMap<&'t str, Option<String>>>,
}

/// The text of a node.
pub(super) fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The path of a member.
pub(super) fn join(path: &str, member: &str) -> String {
    let separator = if path.ends_with('#') { "" } else { "." };
    format!("{path}{separator}{member}")
}

/// The object and the member of an expression such as `a.b`.
pub(super) fn member<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let fields = match node.kind() {
        "member_expression" | "nested_identifier" => ["object", "property"],
        "nested_type_identifier" => ["module", "name"],
        "attribute" => ["object", "attribute"],
        "selector_expression" => ["operand", "field"],
        "qualified_type" => ["package", "name"],
        _ => return None,
    };
    Some((node.child_by_field_name(fields[0])?, node.child_by_field_name(fields[1])?))
}

/// The called function.
pub(super) fn called<'t>(node: Node<'t>) -> Option<Node<'t>> {
    match node.kind() {
        "call_expression" | "call" => node.child_by_field_name("function"),
        "new_expression" => node.child_by_field_name("constructor"),
        _ => None,
    }
}

impl<'t> Names<'t> {
    pub(super) fn new(syntax: Syntax, text: &'t str, table: &'t Table) -> Self {
        let (values, imported) = (HashMap::new(), HashSet::new());
        Self { syntax, text, table, values, imported, resolved: RefCell::default() }
    }

    /// Adds a name that an import at the offset `at` binds to the value with this path; `None` for
    /// a value that is not in the table.
    pub(super) fn import(&mut self, name: &'t str, path: Option<String>, at: usize) {
        self.imported.insert(at);
        let path = path.map(|path| self.table.result(path));
        self.add(name, path.map_or(Value::Unknown, Value::Path));
    }

    /// Whether the file declares the name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Whether the name at the offset is bound by an import.
    pub(super) fn is_imported(&self, name: Node<'_>) -> bool {
        self.imported.contains(&name.start_byte())
    }

    fn add(&mut self, name: &'t str, value: Value<'t>) {
        self.values.entry(name).or_default().push(value);
    }

    fn add_node(&mut self, name: Node<'t>, value: Value<'t>) {
        if !self.is_imported(name) {
            self.add(text_of(name, self.text), value);
        }
    }

    /// Adds the names that `node` declares.
    pub(super) fn declare(&mut self, node: Node<'t>, ancestors: &[Node<'t>]) {
        match self.syntax {
            Syntax::Script => self.declare_script(node, ancestors),
            Syntax::Python => self.declare_python(node, ancestors),
            Syntax::Go => self.declare_go(node, ancestors),
        }
    }

    fn declare_script(&mut self, node: Node<'t>, ancestors: &[Node<'t>]) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "variable_declarator" => match (field("name"), field("value")) {
                (Some(name), Some(value)) if name.kind() == "identifier" => {
                    self.add_node(name, Value::Expression(value));
                }
                (Some(pattern), Some(value)) if pattern.kind() == "object_pattern" => {
                    for (key, name) in members(pattern) {
                        self.add_node(name, Value::Member(value, text_of(key, self.text)));
                    }
                }
                _ => {}
            },
            "assignment_expression" => {
                if let (Some(left), Some(right)) = (field("left"), field("right"))
                    && left.kind() == "identifier"
                {
                    self.add_node(left, Value::Expression(right));
                }
            }
            "identifier" | "shorthand_property_identifier_pattern"
                if is_declared_in_script(node, ancestors) =>
            {
                self.add_node(node, Value::Unknown);
            }
            _ => {}
        }
    }

    fn declare_python(&mut self, node: Node<'t>, ancestors: &[Node<'t>]) {
        let field = |name: &str| node.child_by_field_name(name);
        let identifier = |node: Option<Node<'t>>| node.filter(|node| node.kind() == "identifier");
        match node.kind() {
            "assignment" => {
                if let Some(name) = identifier(field("left")) {
                    let value = field("right").map(Value::Expression);
                    let value = value.or_else(|| field("type").map(Value::Instance));
                    self.add_node(name, value.unwrap_or(Value::Unknown));
                }
            }
            "named_expression" => {
                if let (Some(name), Some(value)) = (field("name"), field("value")) {
                    self.add_node(name, Value::Expression(value));
                }
            }
            "typed_parameter" | "typed_default_parameter" => {
                let name = identifier(field("name").or_else(|| node.named_child(0)));
                if let (Some(name), Some(declared)) = (name, field("type")) {
                    self.add_node(name, Value::Instance(declared));
                }
            }
            "identifier" if is_declared_in_python(node, ancestors) => {
                self.add_node(node, Value::Unknown);
            }
            _ => {}
        }
    }

    fn declare_go(&mut self, node: Node<'t>, ancestors: &[Node<'t>]) {
        if node.kind() != "identifier" {
            return;
        }
        let is_declared = match ancestors {
            [.., outer, list] if list.kind() == "expression_list" => {
                matches!(outer.kind(), "short_var_declaration" | "range_clause")
                    && outer.child_by_field_name("left") == Some(*list)
            }
            [.., parent] => {
                matches!(
                    parent.kind(),
                    "parameter_declaration"
                        | "variadic_parameter_declaration"
                        | "var_spec"
                        | "const_spec"
                        | "function_declaration"
                ) && parent.child_by_field_name("type") != Some(node)
                    && parent.child_by_field_name("value") != Some(node)
            }
            _ => false,
        };
        if is_declared {
            self.add_node(node, Value::Unknown);
        }
    }

    /// The path of the value of an expression.
    pub(super) fn path(&self, node: Node<'t>) -> Option<String> {
        self.path_within(node, MAX_DEPTH)
    }

    fn path_within(&self, node: Node<'t>, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        if let Some((object, name)) = member(node) {
            let path = join(&self.path_within(object, depth)?, text_of(name, self.text));
            return Some(self.table.result(path));
        }
        if let Some(function) = called(node) {
            if self.syntax == Syntax::Script
                && let Some(module) = self.required(node, function)
            {
                return Some(format!("{module}#"));
            }
            let path = self.path_within(function, depth)?;
            return Some(self.table.result(format!("{path}()")));
        }
        match node.kind() {
            "identifier" | "package_identifier" => self.resolve(text_of(node, self.text), depth),
            "parenthesized_expression"
            | "await_expression"
            | "await"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression"
            | "type" => self.path_within(node.named_child(0)?, depth),
            _ => None,
        }
    }

    /// The module of `require("module")`.
    fn required(&self, call: Node<'t>, function: Node<'t>) -> Option<&'t str> {
        let is_require = text_of(function, self.text) == "require"
            && function.kind() == "identifier"
            && !self.values.contains_key("require");
        is_require.then_some(())?;
        let argument = call.child_by_field_name("arguments")?.named_child(0)?;
        (argument.kind() == "string").then_some(())?;
        let module = text_of(argument, self.text).trim_matches(['"', '\'']);
        Some(module.strip_prefix("node:").unwrap_or(module))
    }

    /// The path that all values of a name have.
    fn resolve(&self, name: &'t str, depth: usize) -> Option<String> {
        if let Some(known) = self.resolved.borrow().get(name) {
            return known.clone();
        }
        let values = self.values.get(name)?;
        // A name that depends on itself is unknown.
        self.resolved.borrow_mut().insert(name, None);
        let path = self.common_path(name, values, depth);
        self.resolved.borrow_mut().insert(name, path.clone());
        path
    }

    fn common_path(&self, name: &str, values: &[Value<'t>], depth: usize) -> Option<String> {
        let (own, others): (Vec<_>, Vec<_>) =
            values.iter().partition(|value| self.own_method(name, value).is_some());
        let mut common: Option<String> = None;
        for value in others {
            let path = match value {
                Value::Path(path) => path.clone(),
                Value::Expression(node) => self.path_within(*node, depth)?,
                Value::Instance(node) => format!("{}()", self.path_within(*node, depth)?),
                Value::Member(node, name) => join(&self.path_within(*node, depth)?, name),
                Value::Unknown => return None,
            };
            if common.as_ref().is_some_and(|common| *common != path) {
                return None;
            }
            common = Some(path);
        }
        // `a = a.append(b)`: the method no longer exists, so `a` has no other value.
        let common = common?;
        let is_removed = |method: &str| self.table.get(&join(&common, method)).is_some();
        let mut methods = own.into_iter().filter_map(|value| self.own_method(name, value));
        methods.all(is_removed).then_some(common)
    }

    /// The method of the name itself whose result is the value: `append` for `a = a.append(b)`.
    fn own_method(&self, name: &str, value: &Value<'t>) -> Option<&'t str> {
        let Value::Expression(node) = value else { return None };
        let (object, method) = member(called(*node)?)?;
        (text_of(object, self.text) == name).then(|| text_of(method, self.text))
    }
}

/// The keys of an object pattern, and the names to which it binds their values.
pub(super) fn members<'t>(pattern: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let mut cursor = pattern.walk();
    let parts: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
    let member = |part: Node<'t>| match part.kind() {
        "shorthand_property_identifier_pattern" => Some((part, part)),
        "pair_pattern" => {
            let (key, name) =
                (part.child_by_field_name("key")?, part.child_by_field_name("value")?);
            let is_plain = key.kind() == "property_identifier" && name.kind() == "identifier";
            is_plain.then_some((key, name))
        }
        _ => None,
    };
    parts.into_iter().filter_map(member).collect()
}

/// Whether an identifier in JavaScript is declared or changed in a way whose value is unknown.
fn is_declared_in_script(node: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    let [.., parent] = ancestors else { return false };
    let is_field = |name: &str| parent.child_by_field_name(name) == Some(node);
    // The members of a pattern are declared together with their declarator.
    let is_member = || {
        let patterns = ancestors.iter().rev().take(3);
        let mut kinds = patterns.map(Node::kind).skip_while(|kind| *kind == "pair_pattern");
        kinds.next() == Some("object_pattern") && kinds.next() == Some("variable_declarator")
    };
    match parent.kind() {
        _ if node.kind() == "shorthand_property_identifier_pattern" => !is_member(),
        "pair_pattern" => is_field("value") && !is_member(),
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "class_declaration"
        | "class"
        | "enum_declaration"
        | "internal_module" => is_field("name"),
        "required_parameter" | "optional_parameter" => is_field("pattern"),
        "arrow_function" | "catch_clause" => is_field("parameter"),
        "assignment_pattern"
        | "augmented_assignment_expression"
        | "for_in_statement"
        | "object_assignment_pattern" => is_field("left"),
        "array_pattern" | "formal_parameters" | "rest_pattern" | "update_expression" => true,
        _ => false,
    }
}

/// Whether an identifier in Python is declared or changed in a way whose value is unknown.
fn is_declared_in_python(node: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    let [.., parent] = ancestors else { return false };
    let is_field = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind() {
        "as_pattern_target"
        | "dictionary_splat_pattern"
        | "lambda_parameters"
        | "list_pattern"
        | "list_splat_pattern"
        | "parameters"
        | "pattern_list"
        | "tuple_pattern" => true,
        "augmented_assignment" | "for_in_clause" | "for_statement" => is_field("left"),
        "class_definition" | "default_parameter" | "function_definition" => is_field("name"),
        _ => false,
    }
}
