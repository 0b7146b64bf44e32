//! Expressions of all languages in one form.

use tree_sitter::Node;

/// An expression, as far as it matters for the text of a query.
pub(super) enum Expr<'t> {
    /// A string literal.
    Literal,
    /// Values whose texts are joined.
    Join(Vec<Node<'t>>),
    /// A format string with `%`, and its arguments.
    Percent(Node<'t>, Node<'t>),
    Name(&'t str),
    Member {
        object: Node<'t>,
        name: &'t str,
    },
    Index {
        object: Node<'t>,
    },
    Call(Call<'t>),
    /// One of several values.
    Choice(Vec<Node<'t>>),
    List(Vec<Node<'t>>),
    /// A comprehension, with the expression of its items.
    Items(Node<'t>),
    Function(Node<'t>),
    Number,
    /// A literal that is not a string, or a type.
    Constant,
    /// An expression that is parenthesized, awaited, referenced or converted.
    Wrapped(Node<'t>),
    /// A tagged template, whose values are bound.
    Tagged,
    Other,
}

/// A call of a function, a method, a macro or a constructor.
pub(super) struct Call<'t> {
    pub(super) name: &'t str,
    pub(super) receiver: Option<Node<'t>>,
    pub(super) arguments: Vec<Node<'t>>,
}

/// Types whose values cannot contain quotes: a value that is converted to one of them is classified
/// as a number.
const NUMERIC_CASTS: &[&str] = &["int", "long", "double", "float", "short", "integer", "bool"];

pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The expression at `node`.
pub(super) fn read<'t>(node: Node<'t>, text: &'t str) -> Expr<'t> {
    let text_of = |node: Node<'_>| &text[node.byte_range()];
    let field = |name: &str| node.child_by_field_name(name);
    let first = || node.named_child(0);
    match node.kind() {
        "string"
        | "template_string"
        | "interpreted_string_literal"
        | "raw_string_literal"
        | "string_literal"
        | "encapsed_string"
        | "heredoc"
        | "nowdoc"
        | "heredoc_beginning" => Expr::Literal,
        "concatenated_string" | "chained_string" => Expr::Join(named(node)),
        "binary_expression" | "binary_operator" | "binary" => binary(node, text),
        "identifier"
        | "variable_name"
        | "instance_variable"
        | "constant"
        | "name"
        | "shorthand_property_identifier"
        | "global_variable"
        | "class_variable" => Expr::Name(text_of(node)),
        "member_expression"
        | "attribute"
        | "selector_expression"
        | "field_access"
        | "field_expression"
        | "scoped_identifier"
        | "scope_resolution"
        | "member_access_expression"
        | "class_constant_access_expression"
        | "scoped_property_access_expression"
        | "nullsafe_member_access_expression" => member(node, text).unwrap_or(Expr::Other),
        "subscript"
        | "subscript_expression"
        | "index_expression"
        | "array_access"
        | "element_reference"
        | "slice_expression" => first().map_or(Expr::Other, |object| Expr::Index { object }),
        "call"
        | "call_expression"
        | "method_invocation"
        | "object_creation_expression"
        | "new_expression"
        | "function_call_expression"
        | "member_call_expression"
        | "scoped_call_expression"
        | "nullsafe_member_call_expression" => {
            let arguments = field("arguments");
            if arguments.is_some_and(|node| node.kind() == "template_string") {
                return Expr::Tagged;
            }
            call(node, text).map_or(Expr::Other, Expr::Call)
        }
        "macro_invocation" => macro_call(node, text).map_or(Expr::Other, Expr::Call),
        "ternary_expression" | "conditional" => Expr::Choice(
            ["consequence", "alternative"].iter().filter_map(|name| field(name)).collect(),
        ),
        // In PHP, the first value is the field `body`; in Python, the values are not fields.
        "conditional_expression" => match (field("body"), field("alternative")) {
            (body, Some(other)) => Expr::Choice(body.into_iter().chain([other]).collect()),
            _ => Expr::Choice(
                [node.named_child(0), node.named_child(2)].into_iter().flatten().collect(),
            ),
        },
        "boolean_operator" => Expr::Choice(named(node)),
        "list"
        | "tuple"
        | "array"
        | "set"
        | "expression_list"
        | "array_creation_expression"
        | "array_initializer"
        | "array_expression"
        | "tuple_expression"
        | "string_array"
        | "symbol_array"
        | "literal_value" => Expr::List(named(node)),
        "composite_literal" | "dictionary" | "object" | "hash" => match field("body") {
            Some(body) => Expr::List(named(body)),
            None => Expr::List(named(node)),
        },
        "list_comprehension" | "generator_expression" | "set_comprehension" => {
            field("body").map_or(Expr::Other, Expr::Items)
        }
        "lambda"
        | "arrow_function"
        | "closure_expression"
        | "lambda_expression"
        | "block"
        | "do_block"
        | "function_expression"
        | "func_literal"
        | "anonymous_function" => field("body").or_else(first).map_or(Expr::Other, Expr::Function),
        "number"
        | "integer"
        | "float"
        | "int_literal"
        | "float_literal"
        | "integer_literal"
        | "decimal_integer_literal"
        | "decimal_floating_point_literal"
        | "hex_integer_literal"
        | "unary_operator"
        | "comparison_operator" => Expr::Number,
        "true" | "false" | "none" | "null" | "nil" | "undefined" | "boolean"
        | "boolean_literal" | "null_literal" | "simple_symbol" | "bare_string" | "bare_symbol"
        | "char_literal" | "character_literal" | "rune_literal" | "class_literal"
        | "not_operator" => Expr::Constant,
        "cast_expression" | "type_cast_expression" => {
            let to = field("type").map(text_of).unwrap_or_default().to_ascii_lowercase();
            let is_number =
                NUMERIC_CASTS.contains(&&*to) || to.starts_with(['u', 'i', 'f']) && to.len() < 6;
            match field("value") {
                _ if is_number => Expr::Number,
                Some(value) => Expr::Wrapped(value),
                None => Expr::Other,
            }
        }
        "pair" | "keyword_argument" | "await_expression" | "reference_expression" => {
            field("value").or_else(first).map_or(Expr::Other, Expr::Wrapped)
        }
        "parenthesized_expression"
        | "parenthesized_statements"
        | "await"
        | "as_expression"
        | "satisfies_expression"
        | "non_null_expression"
        | "try_expression"
        | "argument"
        | "literal_element"
        | "spread_element"
        | "list_splat"
        | "splat_argument"
        | "type_assertion_expression" => first().map_or(Expr::Other, Expr::Wrapped),
        "keyed_element" | "array_element_initializer" => {
            named(node).last().map_or(Expr::Other, |value| Expr::Wrapped(*value))
        }
        "unary_expression" | "unary" => match first() {
            Some(value) if text_of(node).starts_with(['&', '*']) => Expr::Wrapped(value),
            _ => Expr::Number,
        },
        "statement_block"
        | "body_statement"
        | "block_body"
        | "return_statement"
        | "expression_statement" => {
            first().filter(|_| node.named_child_count() == 1).map_or(Expr::Other, Expr::Wrapped)
        }
        _ => Expr::Other,
    }
}

fn binary<'t>(node: Node<'t>, text: &'t str) -> Expr<'t> {
    let (Some(left), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return Expr::Other;
    };
    let operator = node.child_by_field_name("operator");
    match operator.map(|operator| &text[operator.byte_range()]).unwrap_or_default() {
        "+" | "." => Expr::Join(join_operands(node, text)),
        "%" if matches!(
            read(left, text),
            Expr::Literal | Expr::Join(_) | Expr::Name(_) | Expr::Wrapped(_)
        ) =>
        {
            Expr::Percent(left, right)
        }
        "||" | "??" | "or" | "&&" | "and" => Expr::Choice(vec![left, right]),
        // `["?"] * count`
        "*" if matches!(read(left, text), Expr::List(_) | Expr::Literal) => Expr::Wrapped(left),
        "<<" => Expr::Other,
        _ => Expr::Number,
    }
}

/// Maximum number of operands of one concatenation.
const MAX_OPERANDS: usize = 2_000;

/// The operands of a chain of `+`, in order. Uses a loop, because such chains are nested deeply.
fn join_operands<'t>(node: Node<'t>, text: &str) -> Vec<Node<'t>> {
    let (mut operands, mut left) = (Vec::new(), node);
    while operands.len() < MAX_OPERANDS {
        let operator = left.child_by_field_name("operator");
        let operator = operator.map(|operator| &text[operator.byte_range()]);
        let sides = (left.child_by_field_name("left"), left.child_by_field_name("right"));
        let (Some("+" | "."), (Some(first), Some(second))) = (operator, sides) else { break };
        operands.push(second);
        left = first;
    }
    operands.push(left);
    operands.reverse();
    operands
}

fn member<'t>(node: Node<'t>, text: &'t str) -> Option<Expr<'t>> {
    let names = ["property", "attribute", "field", "name"];
    let name = names.iter().find_map(|name| node.child_by_field_name(name));
    let name = name.or_else(|| named(node).last().copied())?;
    let objects = ["object", "operand", "value", "path", "scope"];
    let object = objects.iter().find_map(|name| node.child_by_field_name(name));
    let object = object.or_else(|| node.named_child(0))?;
    Some(Expr::Member { object, name: &text[name.byte_range()] })
}

/// The call at `node`; `None` for another kind of node.
pub(super) fn call<'t>(node: Node<'t>, text: &'t str) -> Option<Call<'t>> {
    let text_of = |node: Node<'_>| &text[node.byte_range()];
    let field = |name: &str| node.child_by_field_name(name);
    let arguments = match field("arguments") {
        // `join(name for name in names)`
        Some(items) if items.kind() == "generator_expression" => vec![items],
        Some(arguments) => named(arguments),
        None => Vec::new(),
    };
    let (name, receiver) = match node.kind() {
        "method_invocation" | "member_call_expression" | "nullsafe_member_call_expression" => {
            (text_of(field("name")?), field("object"))
        }
        "scoped_call_expression" => (text_of(field("name")?), field("scope")),
        "object_creation_expression" | "new_expression" => {
            let class = field("type").or_else(|| field("constructor"));
            (text_of(class.or_else(|| node.named_child(0))?), None)
        }
        "call" if field("method").is_some() => (text_of(field("method")?), field("receiver")),
        "call" | "call_expression" | "function_call_expression" => {
            let mut function = field("function")?;
            if function.kind() == "generic_function" {
                function = function.child_by_field_name("function")?;
            }
            match read(function, text) {
                Expr::Member { object, name } => (name, Some(object)),
                _ => (text_of(function), None),
            }
        }
        "macro_invocation" => return macro_call(node, text),
        _ => return None,
    };
    Some(Call { name, receiver, arguments })
}

/// A macro of Rust, with its tokens as arguments. An argument with several tokens is represented by
/// the list of tokens, which is not an expression.
fn macro_call<'t>(node: Node<'t>, text: &'t str) -> Option<Call<'t>> {
    let name = &text[node.child_by_field_name("macro")?.byte_range()];
    let name = name.rsplit("::").next().unwrap_or(name);
    let tokens = named_token_tree(node)?;
    let mut arguments = Vec::new();
    let mut current: Vec<Node<'t>> = Vec::new();
    let mut cursor = tokens.walk();
    for token in tokens.children(&mut cursor) {
        match token.kind() {
            "(" | ")" | "[" | "]" | "{" | "}" | "&" => {}
            "," => arguments.extend(argument(&mut current, tokens)),
            _ => current.push(token),
        }
    }
    arguments.extend(argument(&mut current, tokens));
    Some(Call { name, receiver: None, arguments })
}

fn named_token_tree(node: Node<'_>) -> Option<Node<'_>> {
    named(node).into_iter().find(|child| child.kind() == "token_tree")
}

fn argument<'t>(tokens: &mut Vec<Node<'t>>, tree: Node<'t>) -> Option<Node<'t>> {
    let argument = match tokens[..] {
        [] => None,
        [token] => Some(token),
        _ => Some(tree),
    };
    tokens.clear();
    argument
}
