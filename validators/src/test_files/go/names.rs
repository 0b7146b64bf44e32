//! The names that are visible at a node: variables of loops, parameters of tests, packages and
//! values of testify.

use super::{arguments, selector, text_of};
use std::collections::HashMap;
use tree_sitter::Node;

/// The packages of testify with assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Package {
    /// Assertions after which the test continues.
    Assert,
    /// Assertions that stop the test.
    Require,
}

/// What a name is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// A variable that a loop declares.
    LoopVariable,
    /// A parameter such as `t *testing.T`.
    Test,
    /// The result of `assert.New(t)` or `require.New(t)`.
    Assertions(Package),
    Other,
}

/// The declaration of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub(super) bound: Bound,
    /// The number of function literals that enclose the declaration.
    pub(super) depth: usize,
}

/// What runs a function literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    /// `t.Run`; the statement with the call begins at this offset.
    Subtest(usize),
    /// A goroutine other than that of the test.
    Goroutine,
    Other,
}

/// A function literal that encloses the current node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) runner: Runner,
    /// Whether the function has called `t.Parallel` of its own test.
    pub(super) is_parallel: bool,
}

/// The names that are visible at the current node of a walk.
#[derive(Debug, Default)]
pub(super) struct Names<'t> {
    packages: HashMap<&'t str, Package>,
    bindings: HashMap<&'t str, Vec<Binding>>,
    /// The names that each open scope binds.
    scopes: Vec<Vec<&'t str>>,
    /// The function literals that enclose the current node, outermost first.
    literals: Vec<Literal>,
    /// The indexes of the literals that run in another goroutine.
    goroutines: Vec<usize>,
}

fn is_scope(kind: &str) -> bool {
    matches!(
        kind,
        "block"
            | "communication_case"
            | "default_case"
            | "expression_case"
            | "expression_switch_statement"
            | "for_statement"
            | "func_literal"
            | "function_declaration"
            | "if_statement"
            | "method_declaration"
            | "type_case"
            | "type_switch_statement"
    )
}

impl<'t> Names<'t> {
    /// The declaration that `name` refers to.
    pub(super) fn get(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name)?.last().copied()
    }

    /// The package of testify that `name` refers to.
    pub(super) fn package(&self, name: &str) -> Option<Package> {
        let package = self.packages.get(name).copied();
        package.filter(|_| self.get(name).is_none())
    }

    /// The outermost function literal below a declaration of this depth.
    pub(super) fn literal_below(&self, depth: usize) -> Option<Literal> {
        self.literals.get(depth).copied()
    }

    /// Whether a declaration of this depth is outside a goroutine that encloses the current node.
    pub(super) fn is_outside_goroutine(&self, depth: usize) -> bool {
        self.goroutines.last().is_some_and(|&goroutine| goroutine >= depth)
    }

    /// Opens the scopes that begin at `node`.
    pub(super) fn enter(&mut self, node: Node<'t>, ancestors: &[Node<'t>], text: &'t str) {
        if is_scope(node.kind()) {
            self.scopes.push(Vec::new());
        }
        match node.kind() {
            "func_literal" => {
                let runner = runner(node, ancestors, text);
                if runner == Runner::Goroutine {
                    self.goroutines.push(self.literals.len());
                }
                self.literals.push(Literal { runner, is_parallel: false });
            }
            "call_expression" if self.is_own_parallel(node, ancestors, text) => {
                if let Some(literal) = self.literals.last_mut() {
                    literal.is_parallel = true;
                }
            }
            "import_spec" => self.import(node, text),
            _ => {}
        }
    }

    /// Binds the names that `node` declares, and closes the scopes that end with it.
    pub(super) fn leave(&mut self, node: Node<'t>, ancestors: &[Node<'t>], text: &'t str) {
        match node.kind() {
            "parameter_declaration" => {
                let declared = node.child_by_field_name("type").map(|node| text_of(node, text));
                let is_test = matches!(
                    declared,
                    Some("*testing.T" | "*testing.B" | "*testing.F" | "testing.TB")
                );
                let bound = if is_test { Bound::Test } else { Bound::Other };
                self.bind_all(node, "name", bound, text);
            }
            "short_var_declaration" => {
                let is_of_loop = ancestors.last().is_some_and(|node| node.kind() == "for_clause");
                let bound = match node.child_by_field_name("right") {
                    _ if is_of_loop => Bound::LoopVariable,
                    Some(right) => self.assertions(right, text).unwrap_or(Bound::Other),
                    None => Bound::Other,
                };
                self.bind_left(node, bound, text);
            }
            "range_clause" if declares(node) => self.bind_left(node, Bound::LoopVariable, text),
            "receive_statement" if declares(node) => self.bind_left(node, Bound::Other, text),
            "var_spec" | "const_spec" => self.bind_all(node, "name", Bound::Other, text),
            "func_literal" => {
                self.literals.pop();
                if self.goroutines.last() == Some(&self.literals.len()) {
                    self.goroutines.pop();
                }
            }
            _ => {}
        }
        if is_scope(node.kind()) {
            for name in self.scopes.pop().into_iter().flatten() {
                if let Some(bindings) = self.bindings.get_mut(name) {
                    bindings.pop();
                }
            }
        }
    }

    fn bind_left(&mut self, node: Node<'t>, bound: Bound, text: &'t str) {
        let Some(left) = node.child_by_field_name("left") else { return };
        let mut cursor = left.walk();
        for child in left.named_children(&mut cursor) {
            self.bind(child, bound, text);
        }
    }

    fn bind_all(&mut self, node: Node<'t>, field: &str, bound: Bound, text: &'t str) {
        let mut cursor = node.walk();
        for child in node.children_by_field_name(field, &mut cursor) {
            self.bind(child, bound, text);
        }
    }

    fn bind(&mut self, node: Node<'t>, bound: Bound, text: &'t str) {
        let name = text_of(node, text);
        // Declarations outside functions do not shadow a parameter or variable.
        let Some(scope) = self.scopes.last_mut().filter(|_| node.kind() == "identifier") else {
            return;
        };
        scope.push(name);
        let depth = self.literals.len();
        self.bindings.entry(name).or_default().push(Binding { bound, depth });
    }

    fn import(&mut self, node: Node<'t>, text: &'t str) {
        let Some(path) = node.child_by_field_name("path") else { return };
        let package = match text_of(path, text).trim_matches(['"', '`']) {
            "github.com/stretchr/testify/assert" => (Package::Assert, "assert"),
            "github.com/stretchr/testify/require" => (Package::Require, "require"),
            _ => return,
        };
        let name = node.child_by_field_name("name").map(|name| text_of(name, text));
        self.packages.insert(name.unwrap_or(package.1), package.0);
    }

    /// The value of `assert.New(t)`.
    fn assertions(&self, values: Node<'t>, text: &'t str) -> Option<Bound> {
        let call = values.named_child(0).filter(|node| node.kind() == "call_expression")?;
        let (receiver, name) = selector(call)?;
        let package = self.package(text_of(receiver, text))?;
        (text_of(name, text) == "New").then_some(Bound::Assertions(package))
    }

    /// Whether a call is a statement of the innermost function literal that makes the test of this
    /// literal parallel.
    fn is_own_parallel(&self, call: Node<'t>, ancestors: &[Node<'t>], text: &'t str) -> bool {
        let Some((receiver, name)) = selector(call) else { return false };
        let is_statement = matches!(
            ancestors,
            [.., literal, block, list, statement]
                if literal.kind() == "func_literal"
                    && block.kind() == "block"
                    && list.kind() == "statement_list"
                    && statement.kind() == "expression_statement"
        );
        is_statement
            && text_of(name, text) == "Parallel"
            && self.get(text_of(receiver, text)).is_some_and(|binding| {
                binding.bound == Bound::Test && binding.depth == self.literals.len()
            })
    }
}

/// Whether a clause declares variables (`:=`) instead of assigning values.
fn declares(clause: Node<'_>) -> bool {
    let mut cursor = clause.walk();
    clause.children(&mut cursor).any(|child| child.kind() == ":=")
}

/// What runs the function literal `node`.
fn runner<'t>(node: Node<'t>, ancestors: &[Node<'t>], text: &str) -> Runner {
    match ancestors {
        [.., outer, call] if call.kind() == "call_expression" && outer.kind() == "go_statement" => {
            Runner::Goroutine
        }
        [.., call, list] if list.kind() == "argument_list" && call.kind() == "call_expression" => {
            let Some((_, name)) = selector(*call) else { return Runner::Other };
            let arguments = arguments(*call);
            match (text_of(name, text), arguments.as_slice()) {
                ("Run", [_, function]) if *function == node => {
                    Runner::Subtest(statement_start(ancestors).unwrap_or(call.start_byte()))
                }
                // `errgroup.Group`, `sync.WaitGroup`.
                ("Go", [_]) => Runner::Goroutine,
                ("Eventually" | "Eventuallyf" | "Never" | "Neverf", _) => Runner::Goroutine,
                ("EventuallyWithT" | "EventuallyWithTf", _) => Runner::Goroutine,
                _ => Runner::Other,
            }
        }
        _ => Runner::Other,
    }
}

/// The start of the innermost statement in a list.
fn statement_start(ancestors: &[Node<'_>]) -> Option<usize> {
    let list = ancestors.iter().rposition(|node| node.kind() == "statement_list")?;
    ancestors.get(list + 1).map(Node::start_byte)
}
