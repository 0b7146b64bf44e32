//! Collects the values of names from the nodes of a syntax tree.

use super::expression::{Expr, call, named, read};
use super::language::names_query;
use super::scope::{Binding, Index, MAX_VALUES, Origin, is_self};
use tree_sitter::Node;

/// Methods that append their argument to the receiver.
const APPENDING_METHODS: &[&str] =
    &["append", "push", "push_str", "add", "extend", "WriteString", "concat", "unshift", "<<"];
/// Functions that compare a value with a list or a pattern.
const CHECKING_FUNCTIONS: &[&str] = &[
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
    /// Records the names that a node binds, with their values.
    pub(super) fn read(&mut self, node: Node<'t>, scope: usize) {
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
                let declared = self.declared_type.filter(|(end, _)| node.end_byte() <= *end);
                let declared = field("type").or(declared.map(|(_, node)| node));
                if let Some(name) = name {
                    self.declare(scope, name, value, declared, node);
                }
            }
            "local_variable_declaration" | "field_declaration" => {
                self.declared_type = field("type").map(|declared| (node.end_byte(), declared));
            }
            "let_declaration" => {
                if let Some(pattern) = field("pattern") {
                    self.declare(scope, pattern, field("value"), field("type"), node);
                }
            }
            "short_var_declaration" => self.assign_lists(scope, node, true),
            "var_spec" | "const_spec" => {
                let names = named(node).into_iter().filter(|child| child.kind() == "identifier");
                let values = field("value").map(named).unwrap_or_default();
                for (at, name) in names.enumerate() {
                    let value = values.get(at).or_else(|| values.last()).copied();
                    self.declare(scope, name, value, field("type"), node);
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
                    self.record_checked(scope, value);
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

    /// Records that `x` is compared with known values in `x in LIST` and `x not in LIST`.
    fn read_membership(&mut self, scope: usize, node: Node<'t>) {
        let mut cursor = node.walk();
        let is_membership = node
            .children(&mut cursor)
            .any(|child| matches!(child.kind(), "in" | "not in" | "not" | "is not"));
        if let Some(value) = node.named_child(0).filter(|_| is_membership) {
            self.record_checked(scope, value);
        }
    }

    fn read_call(&mut self, scope: usize, node: Node<'t>) {
        let Some(call) = call(node, self.text) else { return };
        if self.language.sinks.iter().any(|sink| sink.name == call.name) {
            self.calls.push(node);
        }
        if CHECKING_FUNCTIONS.contains(&call.name) {
            for value in call.arguments.iter().copied().chain(call.receiver) {
                self.record_checked(scope, value);
            }
        }
        if APPENDING_METHODS.contains(&call.name)
            && let Some(&value) = call.arguments.first()
            && let Some(receiver) = call.receiver
        {
            self.append(scope, Some(first_receiver(receiver, self.text)), Some(value));
        }
    }

    /// Records that the value of a name is compared with known values.
    fn record_checked(&mut self, scope: usize, value: Node<'t>) {
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

    /// Records the assignments in `a = b`, `a, b = c, d` and `a, b := c()`.
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
            self.record_named_query(*name, value, node);
        }
    }

    /// Records the assignment `statement` if the name suggests that its value is a query.
    fn record_named_query(&mut self, name: Node<'t>, value: Node<'t>, statement: Node<'t>) {
        let name = self.text_of(name).rsplit(['.', ':', '>', '$', '@']).next().unwrap_or_default();
        if names_query(name) {
            self.named.push((statement, value));
        }
    }

    fn declare(
        &mut self,
        scope: usize,
        name: Node<'t>,
        value: Option<Node<'t>>,
        declared: Option<Node<'t>>,
        statement: Node<'t>,
    ) {
        if let Some(value) = value {
            self.record_named_query(name, value, statement);
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
        let first_item = |node: Node<'t>| match node.kind() {
            "expression_list" => node.named_child(0).unwrap_or(node),
            _ => node,
        };
        let value = value.map(first_item);
        if let Some(name) = name.map(first_item) {
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
