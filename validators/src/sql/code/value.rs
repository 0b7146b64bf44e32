//! Determines where an inserted value comes from.

use super::expression::{Call, Expr, read};
use super::query::{Hole, Value};
use super::scope::{Binding, Index, Origin, is_self};
use super::words::{
    FRAGMENTS, NUMERIC, PASSING, QUOTING, REQUEST_ANNOTATIONS, REQUEST_TYPES, REQUESTS, ROUTES,
    SAFE_TYPES,
};
use tree_sitter::Node;

/// The source of a value, in order of increasing danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A constant, a number, or a text that a function quotes.
    Safe,
    /// Anything else: the result of a call, a field.
    Unknown,
    /// A parameter of the function.
    Parameter,
    /// A part of a request.
    Request,
}

const MAX_DEPTH: usize = 10;
/// Maximum number of expressions that are read for one value.
const MAX_STEPS: usize = 300;

/// Classifies the values of a file.
pub(super) struct Classifier<'i, 't> {
    index: &'i Index<'t>,
    steps: usize,
}

impl<'i, 't> Classifier<'i, 't> {
    pub(super) fn new(index: &'i Index<'t>) -> Self {
        Self { index, steps: 0 }
    }

    pub(super) fn classify(&mut self, hole: &Hole<'t>) -> Source {
        if hole.is_number {
            return Source::Safe;
        }
        self.steps = 0;
        match hole.value {
            Value::Node(node) => self.source(node, 0),
            Value::Name(name, at) => self.source_of_name(name, at, 0),
            Value::Missing => Source::Safe,
        }
    }

    fn source(&mut self, node: Node<'t>, depth: usize) -> Source {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return Source::Unknown;
        }
        let text = self.index.text_of(node);
        let next = depth + 1;
        let expression = read(node, self.index.text());
        let is_access =
            matches!(expression, Expr::Member { .. } | Expr::Index { .. } | Expr::Call(_));
        if is_access && is_request(text) && !is_numeric_call(&expression) {
            return Source::Request;
        }
        match expression {
            Expr::Number | Expr::Constant | Expr::Tagged | Expr::Function(_) => Source::Safe,
            Expr::Literal => self.source_of_literal(node, next),
            Expr::Join(parts) | Expr::Choice(parts) | Expr::List(parts) => self.worst(&parts, next),
            Expr::Percent(left, right) => self.source(left, next).max(self.source(right, next)),
            Expr::Wrapped(inner) | Expr::Items(inner) => self.source(inner, next),
            Expr::Name(name) => self.source_of_name(name, node.start_byte(), next),
            Expr::Index { object } => self.source(object, next),
            Expr::Member { object, name } => self.source_of_member(node, object, name, next),
            Expr::Call(call) => self.source_of_call(&call, next),
            Expr::Other => Source::Unknown,
        }
    }

    fn worst(&mut self, nodes: &[Node<'t>], depth: usize) -> Source {
        nodes.iter().map(|node| self.source(*node, depth)).max().unwrap_or(Source::Safe)
    }

    fn source_of_literal(&mut self, node: Node<'t>, depth: usize) -> Source {
        let pieces = super::literal::pieces(self.index.content(node), self.index.text());
        let mut worst = Source::Safe;
        for piece in pieces {
            if let super::literal::Piece::Value { node, is_number: false } = piece {
                worst = worst.max(self.source(node, depth));
            }
        }
        worst
    }

    fn source_of_name(&mut self, name: &str, at: usize, depth: usize) -> Source {
        let bare = name.trim_start_matches(['$', '@', ':']);
        if self.index.is_checked(name, at) {
            return Source::Safe;
        }
        let values = self.index.values(name, at);
        if values.is_empty() {
            let is_constant = bare.starts_with(|c: char| c.is_ascii_uppercase());
            return if is_constant { Source::Safe } else { Source::Unknown };
        }
        let worst = values.iter().map(|binding| self.source_of_binding(binding, depth)).max();
        worst.unwrap_or(Source::Unknown)
    }

    fn source_of_binding(&mut self, binding: &Binding<'t>, depth: usize) -> Source {
        match (binding.origin, binding.value) {
            (Origin::Position, _) => Source::Safe,
            (Origin::Parameter, _) => self.source_of_parameter(binding, depth),
            (_, Some(value)) => {
                let declared = binding.declared.map_or(Source::Request, source_of_type);
                self.source(value, depth).min(declared)
            }
            (_, None) => {
                binding.declared.map_or(Source::Unknown, source_of_type).min(Source::Unknown)
            }
        }
    }

    fn source_of_parameter(&mut self, binding: &Binding<'t>, depth: usize) -> Source {
        let at = binding.node.start_byte();
        let declared = binding.declared.map_or(Source::Parameter, source_of_type);
        if declared == Source::Safe {
            return declared;
        }
        let declaration = binding.node.parent().map(|parent| self.index.text_of(parent));
        let declaration = declaration.filter(|text| text.len() < 400).unwrap_or_default();
        if REQUEST_ANNOTATIONS.iter().any(|mark| declaration.contains(mark))
            || REQUEST_TYPES.iter().any(|mark| declaration.contains(mark))
        {
            return Source::Request;
        }
        let Some(function) = self.index.function_at(at) else { return declared };
        if is_route(function, self.index) && !declaration.contains("Depends(") {
            return Source::Request;
        }
        if Index::is_closure(function) {
            return self.source_of_closure_parameter(function, binding, depth).min(declared);
        }
        declared
    }

    /// The source of a parameter of a function that is passed to another function, such as `map`.
    fn source_of_closure_parameter(
        &mut self,
        function: Node<'t>,
        binding: &Binding<'t>,
        depth: usize,
    ) -> Source {
        let is_first = function
            .child_by_field_name("parameters")
            .or_else(|| function.child_by_field_name("parameter"))
            .is_none_or(|list| {
                list == binding.node
                    || list
                        .named_child(0)
                        .is_none_or(|first| first.byte_range().contains(&binding.node.start_byte()))
            });
        let mut parent = function.parent();
        // A named function: `const find = (name) => …`.
        if parent.is_some_and(|parent| {
            matches!(
                parent.kind(),
                "variable_declarator"
                    | "pair"
                    | "assignment_expression"
                    | "public_field_definition"
                    | "short_var_declaration"
            )
        }) {
            return Source::Parameter;
        }
        while let Some(node) =
            parent.filter(|node| matches!(node.kind(), "arguments" | "argument_list" | "argument"))
        {
            parent = node.parent();
        }
        let Some(call) = parent.and_then(|node| super::expression::call(node, self.index.text()))
        else {
            return Source::Unknown;
        };
        match (call.receiver, call.name) {
            (
                Some(list),
                "map" | "forEach" | "each" | "filter" | "flatMap" | "collect" | "for_each"
                | "reduce" | "each_with_index",
            ) => {
                if is_first {
                    self.source(list, depth)
                } else {
                    Source::Safe
                }
            }
            _ => Source::Unknown,
        }
    }

    fn source_of_member(
        &mut self,
        node: Node<'t>,
        object: Node<'t>,
        name: &str,
        depth: usize,
    ) -> Source {
        let of_object = self.index.text_of(object);
        let is_constant = |text: &str| {
            text.len() > 1
                && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        };
        let starts_upper = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
        if is_constant(name)
            || matches!(
                name,
                "length"
                    | "size"
                    | "count"
                    | "__name__"
                    | "__tablename__"
                    | "class"
                    | "db_table"
                    | "value__"
            )
            || starts_upper(of_object.rsplit(['.', ':']).next().unwrap_or_default())
            || self.index.is_checked(self.index.text_of(node), node.start_byte())
        {
            return Source::Safe;
        }
        if is_self(of_object) {
            let values = self.index.field(name, node.start_byte());
            let is_declared = |binding: &Binding<'_>| binding.value.is_some();
            if !values.is_empty() && values.iter().all(is_declared) {
                let worst =
                    values.iter().map(|binding| self.source_of_binding(binding, depth)).max();
                return worst.unwrap_or(Source::Unknown).min(Source::Unknown);
            }
            let declared =
                values.iter().filter_map(|binding| binding.declared).map(source_of_type).min();
            return declared.unwrap_or(Source::Unknown).min(Source::Unknown);
        }
        let of_object = self.source(object, depth);
        if names_number(name) { of_object.min(Source::Unknown) } else { of_object }
    }

    fn source_of_call(&mut self, call: &Call<'t>, depth: usize) -> Source {
        let lower = call.name.to_ascii_lowercase();
        if NUMERIC.contains(&call.name) || QUOTING.iter().any(|word| lower.contains(word)) {
            return Source::Safe;
        }
        // `value.replace("'", "''")` quotes by hand.
        let is_quoted = call.name.starts_with("replace")
            || matches!(call.name, "gsub" | "ReplaceAll" | "str_replace");
        if is_quoted {
            return Source::Safe;
        }
        if let Some(receiver) = call.receiver
            && matches!(
                self.index.text_of(receiver),
                "os.path"
                    | "path"
                    | "connection"
                    | "self.connection"
                    | "adapter"
                    | "Math"
                    | "Date"
                    | "datetime"
                    | "time"
                    | "uuid"
                    | "Integer"
                    | "Long"
                    | "Time"
                    | "DateTime"
                    | "hashlib"
            )
        {
            return Source::Safe;
        }
        if call.arguments.iter().any(|argument| self.index.text_of(*argument).starts_with("&:to_"))
        {
            return Source::Safe;
        }
        if !PASSING.contains(&call.name) {
            // If all arguments of a function are safe, so is its result.
            let is_constant = call.receiver.is_none() && !call.arguments.is_empty();
            return match is_constant.then(|| self.worst(&call.arguments, depth)) {
                Some(Source::Safe) => Source::Safe,
                _ => Source::Unknown,
            };
        }
        let of_receiver =
            call.receiver.map_or(Source::Safe, |receiver| self.source(receiver, depth));
        let arguments: Vec<Node<'t>> = call
            .arguments
            .iter()
            .copied()
            .filter(|node| !matches!(read(*node, self.index.text()), Expr::Function(_)))
            .collect();
        of_receiver.max(self.worst(&arguments, depth))
    }
}

/// Whether the name of a value suggests a number.
pub(super) fn names_number(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["id", "pk", "uuid", "value"].contains(&&*lower)
        || lower.ends_with("_id")
        || name.ends_with("Id")
        || name.ends_with("ID")
}

/// Whether the names in an expression suggest that it is a part of a statement, not a value.
pub(super) fn is_fragment(text: &str) -> bool {
    let has_word = |name: &str| {
        let lower = name.to_ascii_lowercase();
        FRAGMENTS.iter().any(|word| lower.contains(word))
    };
    let head = text.split(['(', '[']).next().unwrap_or(text);
    let name = head.rsplit(['.', '>', ':']).find(|part| !part.is_empty()).unwrap_or(head);
    // In a join, the names of the joined items are checked.
    if matches!(name, "join" | "Join" | "implode") {
        let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        return names.filter(|other| *other != name).any(has_word);
    }
    has_word(name)
}

fn is_numeric_call(expression: &Expr<'_>) -> bool {
    matches!(expression, Expr::Call(call) if NUMERIC.contains(&call.name))
}

fn is_request(text: &str) -> bool {
    let head = text.get(..200.min(text.len())).unwrap_or_default();
    REQUESTS.iter().any(|mark| {
        head.find(mark).is_some_and(|at| {
            let before = head[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    })
}

/// Whether a Python function handles requests, according to its decorators.
fn is_route(function: Node<'_>, index: &Index<'_>) -> bool {
    let Some(decorated) = function.parent().filter(|node| node.kind() == "decorated_definition")
    else {
        return false;
    };
    let mut cursor = decorated.walk();
    decorated
        .children(&mut cursor)
        .filter(|child| child.kind() == "decorator")
        .any(|decorator| ROUTES.iter().any(|mark| index.text_of(decorator).contains(mark)))
}

/// The source of a value according to its declared type.
fn source_of_type(declared: &str) -> Source {
    let bare = declared.trim_start_matches([':', '&', '*', '?', ' ']).trim();
    let inner = [
        "Optional[",
        "list[",
        "List[",
        "Array<",
        "List<",
        "Set<",
        "Collection<",
        "Option<",
        "Vec<",
        "[]",
        "Sequence[",
    ]
    .iter()
    .find_map(|start| bare.strip_prefix(start))
    .map_or(bare, |rest| rest.trim_end_matches([']', '>']));
    let first =
        inner.split(['|', '[', ',']).next().unwrap_or_default().trim().trim_end_matches("[]");
    let is_number = |text: &str| {
        let digits =
            text.trim_start_matches("uint").trim_start_matches("int").trim_start_matches("float");
        SAFE_TYPES.contains(&text)
            || digits.len() < text.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
            || text.len() <= 4
                && text.starts_with(['i', 'u', 'f'])
                && text[1..].bytes().all(|b| b.is_ascii_digit())
                && text.len() > 1
    };
    if is_number(first) || inner.starts_with(['"', '\'']) || inner.starts_with("Literal[") {
        return Source::Safe;
    }
    let is_text = [
        "str",
        "String",
        "string",
        "any",
        "Any",
        "unknown",
        "Object",
        "object",
        "mixed",
        "CharSequence",
        "interface{}",
        "bytes",
    ];
    let has_text = |word: &&str| {
        inner
            .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '{' && c != '}')
            .any(|part| part == *word)
    };
    // `{ name: string }` and other structures: their members are unknown.
    if is_text.iter().any(has_text) { Source::Parameter } else { Source::Unknown }
}
