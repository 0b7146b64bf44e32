//! Checks on tests in Go, in one walk over the shared syntax tree.

mod assertions;
mod loops;
mod names;
mod style;
mod suite;

use super::{node_span as span, report_at, text_of};
use aidd_engine::check::FileContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use names::Names;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// The rules on tests in Go that are written in Rust.
pub(super) const RULES: &[&str] = &[
    "tests/go-broad-error",
    "tests/go-captured-loop-variable",
    "tests/go-constant-assertion",
    "tests/go-fatal-in-goroutine",
    "tests/go-imprecise-assertion",
    "tests/go-parallel-suite",
    "tests/go-suite-signature",
    "tests/go-suite-subtest",
    "tests/go-swapped-assertion",
    "tests/go-unrun-suite",
];

/// Runs the rules over the tree of the source.
pub(super) fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    if !RULES.iter().any(|rule| report.begin(rule)) {
        return;
    }
    let Some(root) = context.tree.root() else { return };
    suite::check(root, context.files, report);
    Walker {
        text: report.source().text(),
        files: context.files,
        names: Names::default(),
        ancestors: Vec::new(),
        reported: HashSet::new(),
        last_uses: HashMap::new(),
        shares_loop_variables: None,
        report,
    }
    .walk(root);
}

/// The state of one walk.
struct Walker<'t, 'r, 's> {
    text: &'t str,
    files: &'t dyn Files,
    names: Names<'t>,
    /// The ancestors of the current node, the root first.
    ancestors: Vec<Node<'t>>,
    /// The captured variables that are reported, each with the start of the loop's subtest.
    reported: HashSet<(usize, &'t str)>,
    /// Name → the offset of its last use in the current function.
    last_uses: HashMap<&'t str, usize>,
    /// Whether the iterations of a loop share its variables; `None` until it is needed.
    shares_loop_variables: Option<bool>,
    report: &'r mut Report<'s>,
}

impl<'t> Walker<'t, '_, '_> {
    /// Visits each node before and after its children, without recursion.
    fn walk(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            self.enter(node);
            self.ancestors.push(node);
            if cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    fn enter(&mut self, node: Node<'t>) {
        self.names.enter(node, &self.ancestors, self.text);
        match node.kind() {
            "function_declaration" | "method_declaration" => self.read_last_uses(node),
            "call_expression" => {
                self.check_fatal(node);
                self.check_assertion(node);
            }
            "identifier" => self.check_loop_variable(node),
            _ => {}
        }
    }

    /// Leaves the innermost node.
    fn leave(&mut self) {
        if let Some(node) = self.ancestors.pop() {
            self.names.leave(node, &self.ancestors, self.text);
        }
    }
}

/// The arguments of a call, without comments.
fn arguments<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let Some(list) = call.child_by_field_name("arguments") else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect()
}

/// The receiver and the name of a called method or function of a package: `a.b()`.
fn selector<'t>(call: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let function = call.child_by_field_name("function")?;
    (function.kind() == "selector_expression").then_some(())?;
    Some((function.child_by_field_name("operand")?, function.child_by_field_name("field")?))
}
