//! Calls of testify, and calls that stop a test.

use super::names::{Bound, Package};
use super::{Walker, arguments, report_at, selector, span, text_of};
use tree_sitter::Node;

/// Methods of `testing.T` that must be called in the goroutine of the test.
const STOPPING: [&str; 6] = ["Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow"];

/// A call of an assertion of testify.
pub(super) struct Assertion<'t> {
    /// The name, without the `f` of the form with a format.
    pub(super) name: &'t str,
    /// The node of the name.
    pub(super) name_node: Node<'t>,
    /// The arguments after the test.
    pub(super) arguments: Vec<Node<'t>>,
    pub(super) call: Node<'t>,
}

impl<'t> Walker<'t, '_, '_> {
    /// Reports a call that stops the goroutine instead of the test.
    pub(super) fn check_fatal(&mut self, call: Node<'t>) {
        let Some((receiver, name)) = selector(call) else { return };
        let (receiver_text, name_text) = (text_of(receiver, self.text), text_of(name, self.text));
        let is_test = |bound: Bound| bound == Bound::Test;
        let depth = match self.names.get(receiver_text) {
            Some(binding) => {
                let stops = is_test(binding.bound) && STOPPING.contains(&name_text)
                    || binding.bound == Bound::Assertions(Package::Require);
                stops.then_some(binding.depth)
            }
            None if self.names.package(receiver_text) == Some(Package::Require) => {
                let first = arguments(call).first().map(|node| text_of(*node, self.text));
                let binding = first.and_then(|name| self.names.get(name));
                binding.filter(|binding| is_test(binding.bound)).map(|binding| binding.depth)
            }
            None => None,
        };
        if depth.is_some_and(|depth| self.names.is_outside_goroutine(depth)) {
            let function = text_of(receiver, self.text);
            let message =
                format!("`{function}.{name_text}` stops only this goroutine, not the test");
            report_at(self.report, "tests/go-fatal-in-goroutine", span(name), message);
        }
    }

    /// Runs the rules on assertions.
    pub(super) fn check_assertion(&mut self, call: Node<'t>) {
        let Some(assertion) = self.assertion(call) else { return };
        if is_constant(&assertion, self.text) {
            let message = "assertion cannot fail: its result does not depend on the code";
            report_at(self.report, "tests/go-constant-assertion", span(call), message);
            return;
        }
        self.check_style(&assertion);
    }

    /// The assertion that a call makes; `None` if it makes none.
    fn assertion(&self, call: Node<'t>) -> Option<Assertion<'t>> {
        let (receiver, name_node) = selector(call)?;
        let receiver = text_of(receiver, self.text);
        let is_bound = || {
            let bound = self.names.get(receiver).map(|binding| binding.bound);
            matches!(bound, Some(Bound::Assertions(_)))
        };
        // The first argument of a function is the test; the methods have no such argument.
        let skipped = match self.names.package(receiver) {
            Some(_) => 1,
            None if is_bound() => 0,
            None => return None,
        };
        let arguments = arguments(call).into_iter().skip(skipped).collect();
        let name = text_of(name_node, self.text);
        let name = name.strip_suffix('f').unwrap_or(name);
        Some(Assertion { name, name_node, arguments, call })
    }
}

/// Whether an assertion passes regardless of the code.
fn is_constant(assertion: &Assertion<'_>, text: &str) -> bool {
    match (assertion.name, assertion.arguments.as_slice()) {
        ("True", [value, ..]) => value.kind() == "true",
        ("False", [value, ..]) => value.kind() == "false",
        ("Nil" | "NoError", [value, ..]) => value.kind() == "nil",
        (
            "Contains" | "ElementsMatch" | "Equal" | "EqualValues" | "Exactly" | "GreaterOrEqual"
            | "JSONEq" | "LessOrEqual" | "Same" | "Subset" | "YAMLEq",
            [left, right, ..],
        ) => {
            let (left, right) = (text_of(*left, text), text_of(*right, text));
            left == right && !left.contains(['(', '{']) && !left.contains("<-")
        }
        _ => false,
    }
}
