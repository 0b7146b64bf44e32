//! Assertions of testify whose failure shows too little, or shows the values in the wrong places.

use super::assertions::Assertion;
use super::{Walker, arguments, report_at, span, suite, text_of};
use aidd_engine::text::finding::Edit;
use tree_sitter::Node;

impl<'t> Walker<'t, '_, '_> {
    /// Runs the rules on the form of an assertion.
    pub(super) fn check_style(&mut self, assertion: &Assertion<'t>) {
        if let Some(better) = better_name(assertion, self.text) {
            let name = assertion.name;
            let message = format!("`{better}` shows more than `{name}` when the assertion fails");
            let rule = "tests/go-imprecise-assertion";
            let found = report_at(self.report, rule, span(assertion.call), message);
            // Only the name changes; the compiler rejects a value that is not an error.
            let is_renamed = matches!((name, better), ("Nil", "NoError") | ("NotNil", "Error"));
            if let Some(finding) = found.filter(|_| is_renamed) {
                let name_span = span(assertion.name_node);
                let written = text_of(assertion.name_node, self.text);
                let suffix = written.strip_prefix(name).unwrap_or_default();
                let edit = Edit::replace(name_span, format!("{better}{suffix}"));
                finding.fix_unsafe(format!("Use `{better}`"), vec![edit]);
            }
            return;
        }
        self.check_order(assertion);
        self.check_breadth(assertion);
    }

    /// Finds the last use of each name in a function.
    pub(super) fn read_last_uses(&mut self, function: Node<'t>) {
        self.last_uses.clear();
        suite::walk(function, |node| {
            if node.kind() == "identifier" {
                self.last_uses.insert(text_of(node, self.text), node.start_byte());
            }
            true
        });
    }

    /// Reports an assertion that accepts every error, if no later code reads the error.
    fn check_breadth(&mut self, assertion: &Assertion<'t>) {
        let ("Error", [error, ..]) = (assertion.name, assertion.arguments.as_slice()) else {
            return;
        };
        let is_read_later = match error.kind() {
            "identifier" => {
                let last = self.last_uses.get(text_of(*error, self.text));
                last.is_none_or(|last| *last > assertion.call.end_byte())
            }
            "call_expression" => false,
            _ => return,
        };
        if !is_read_later {
            let rule = "tests/go-broad-error";
            let message = "every error passes: the code can fail for another reason";
            if let Some(finding) = report_at(self.report, rule, span(assertion.call), message) {
                finding.help("Use `ErrorIs`, `ErrorAs` or `ErrorContains`");
            }
        }
    }

    /// Reports a literal in the place of the actual value.
    fn check_order(&mut self, assertion: &Assertion<'t>) {
        let is_equality = matches!(assertion.name, "Equal" | "EqualValues" | "Exactly");
        let [expected, actual, ..] = assertion.arguments.as_slice() else { return };
        if !is_equality || is_literal(*expected) || !is_literal(*actual) || actual.kind() == "nil" {
            return;
        }
        let name = text_of(*expected, self.text).to_ascii_lowercase();
        if name.contains("want") || name.contains("expect") {
            return;
        }
        let rule = "tests/go-swapped-assertion";
        let message = "the expected value comes first";
        if let Some(finding) = report_at(self.report, rule, span(*actual), message) {
            let swapped =
                |to: Node<'_>, from: Node<'_>| Edit::replace(span(to), text_of(from, self.text));
            let edits = vec![swapped(*expected, *actual), swapped(*actual, *expected)];
            finding.fix("Swap the arguments", edits);
        }
    }
}

/// The assertion that shows more than `assertion` when it fails.
fn better_name(assertion: &Assertion<'_>, text: &str) -> Option<&'static str> {
    let is_length = |node: Node<'_>| is_call_of(node, "len", text);
    let is_error =
        |node: Node<'_>| node.kind() == "identifier" && is_error_name(text_of(node, text));
    let is_boolean = |node: Node<'_>| matches!(node.kind(), "true" | "false");
    match (assertion.name, assertion.arguments.as_slice()) {
        ("True", [condition, ..]) => better_condition(*condition, true, text),
        ("False", [condition, ..]) => better_condition(*condition, false, text),
        ("Nil", [value, ..]) if is_error(*value) => Some("NoError"),
        ("NotNil", [value, ..]) if is_error(*value) => Some("Error"),
        ("Equal" | "NotEqual", [left, right, ..]) => {
            let is_equal = assertion.name == "Equal";
            let one = |test: &dyn Fn(Node<'_>) -> bool| test(*left) || test(*right);
            if one(&|node| node.kind() == "nil") {
                Some(nil_assertion(is_equal, one(&is_error)))
            } else if one(&is_boolean) {
                let is_true = one(&|node| node.kind() == "true");
                Some(if is_true == is_equal { "True" } else { "False" })
            } else if one(&is_length) && is_equal {
                Some(if one(&|node| text_of(node, text) == "0") { "Empty" } else { "Len" })
            } else {
                None
            }
        }
        ("Greater", [length, zero, ..]) if is_length(*length) && text_of(*zero, text) == "0" => {
            Some("NotEmpty")
        }
        _ => None,
    }
}

fn nil_assertion(is_nil: bool, is_error: bool) -> &'static str {
    match (is_nil, is_error) {
        (true, true) => "NoError",
        (true, false) => "Nil",
        (false, true) => "Error",
        (false, false) => "NotNil",
    }
}

/// The assertion for a condition that must be `expected`.
fn better_condition(condition: Node<'_>, expected: bool, text: &str) -> Option<&'static str> {
    match condition.kind() {
        "binary_expression" => {
            let operator = condition.child_by_field_name("operator")?;
            let sides = ["left", "right"].map(|side| condition.child_by_field_name(side));
            let any =
                |test: &dyn Fn(Node<'_>) -> bool| sides.iter().flatten().any(|node| test(*node));
            let is_error = |node: Node<'_>| is_error_name(text_of(node, text));
            Some(match (text_of(operator, text), expected) {
                (operator @ ("==" | "!="), expected) => {
                    let is_equal = (operator == "==") == expected;
                    match any(&|node| node.kind() == "nil") {
                        true => nil_assertion(is_equal, any(&is_error)),
                        false if is_equal => "Equal",
                        false => "NotEqual",
                    }
                }
                ("<", true) | (">=", false) => "Less",
                ("<=", true) | (">", false) => "LessOrEqual",
                (">", true) | ("<=", false) => "Greater",
                (">=", true) | ("<", false) => "GreaterOrEqual",
                _ => return None,
            })
        }
        "call_expression" => {
            let function = condition.child_by_field_name("function")?;
            let (positive, negative) = match text_of(function, text) {
                "errors.Is" => ("ErrorIs", "NotErrorIs"),
                "errors.As" => ("ErrorAs", "NotErrorAs"),
                "strings.Contains" | "slices.Contains" => ("Contains", "NotContains"),
                "reflect.DeepEqual" => ("Equal", "NotEqual"),
                _ => return None,
            };
            Some(if expected { positive } else { negative })
        }
        _ => None,
    }
}

fn is_call_of(node: Node<'_>, function: &str, text: &str) -> bool {
    node.kind() == "call_expression"
        && node.child_by_field_name("function").is_some_and(|node| text_of(node, text) == function)
        && arguments(node).len() == 1
}

/// Whether a variable with this name is an error by convention: `err`, `errRead`, `readErr`.
fn is_error_name(name: &str) -> bool {
    let rest = name.strip_prefix("err");
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase)) || name.ends_with("Err")
}

/// Whether the value of an expression is written in the code.
fn is_literal(node: Node<'_>) -> bool {
    match node.kind() {
        "composite_literal"
        | "false"
        | "float_literal"
        | "imaginary_literal"
        | "int_literal"
        | "interpreted_string_literal"
        | "nil"
        | "raw_string_literal"
        | "rune_literal"
        | "true" => true,
        "unary_expression" => node.child_by_field_name("operand").is_some_and(|operand| {
            matches!(operand.kind(), "composite_literal" | "float_literal" | "int_literal")
        }),
        _ => false,
    }
}
