//! Suites of testify.

use super::{arguments, report_at, selector, span, text_of};
use aidd_engine::parse::syntax::Tree;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::paths::{below, parent_dir};
use aidd_engine::text::source::Source;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// Maximum number of other test files in a package that are searched for the name of a suite.
const MAX_SIBLINGS: usize = 200;

/// A struct that embeds `suite.Suite`.
#[derive(Default)]
struct Suite<'t> {
    /// The name in the declaration of the type.
    name: Option<Node<'t>>,
    /// The methods, in order.
    methods: Vec<Node<'t>>,
}

/// Runs the rules on the suites that the file declares.
pub(super) fn check(root: Node<'_>, files: &dyn Files, report: &mut Report<'_>) {
    let text = report.source().text();
    let Some(package) = package(root, text) else { return };
    let mut suites = suites(root, package, text);
    let mut cursor = root.walk();
    for method in root.named_children(&mut cursor) {
        let receiver = receiver(method).map(|(_, declared)| text_of(declared, text));
        if let Some(suite) = receiver.and_then(|name| suites.get_mut(name)) {
            suite.methods.push(method);
        }
    }
    for suite in suites.values() {
        for method in &suite.methods {
            check_signature(*method, text, report);
            check_body(*method, text, report);
        }
    }
    for (name, suite) in &suites {
        check_run(name, suite, root, files, report);
    }
}

/// The name by which the file refers to the package `suite`.
fn package<'t>(root: Node<'_>, text: &'t str) -> Option<&'t str> {
    descendants(root, &["import_declaration", "import_spec_list"]).into_iter().find_map(|node| {
        let path = node.child_by_field_name("path").filter(|_| node.kind() == "import_spec")?;
        let is_suite = text_of(path, text).trim_matches('"') == "github.com/stretchr/testify/suite";
        let name = node.child_by_field_name("name").map(|name| text_of(name, text));
        is_suite.then(|| name.unwrap_or("suite"))
    })
}

/// The named children of `root`, and those of all nodes of the kinds `within`.
fn descendants<'t>(root: Node<'t>, within: &[&str]) -> Vec<Node<'t>> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&node) = found.get(at) {
        if at == 0 || within.contains(&node.kind()) {
            let mut cursor = node.walk();
            found.extend(node.named_children(&mut cursor));
        }
        at += 1;
    }
    found
}

/// The suites that the file declares, by name.
fn suites<'t>(root: Node<'t>, package: &str, text: &'t str) -> BTreeMap<&'t str, Suite<'t>> {
    let declared = descendants(root, &["type_declaration"]);
    let specs = declared.into_iter().filter(|node| node.kind() == "type_spec");
    let suites = specs.filter_map(|spec| {
        let name = spec.child_by_field_name("name")?;
        let fields =
            spec.child_by_field_name("type").filter(|node| node.kind() == "struct_type")?;
        let embeds = descendants(fields, &["field_declaration_list"]).into_iter().any(|field| {
            field.kind() == "field_declaration"
                && field.child_by_field_name("name").is_none()
                && field.child_by_field_name("type").is_some_and(|embedded| {
                    text_of(embedded, text).strip_prefix(package) == Some(".Suite")
                })
        });
        let suite = Suite { name: Some(name), methods: Vec::new() };
        embeds.then(|| (text_of(name, text), suite))
    });
    suites.collect()
}

/// The name and the type of the receiver of a method, without `*`.
fn receiver<'t>(method: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
    let list = method.child_by_field_name("receiver")?;
    let declaration = list.named_child(0)?;
    let declared = declaration.child_by_field_name("type")?;
    let declared = match declared.kind() {
        "pointer_type" => declared.named_child(0)?,
        _ => declared,
    };
    Some((declaration.child_by_field_name("name"), declared))
}

fn is_test(method: Node<'_>, text: &str) -> bool {
    method.child_by_field_name("name").is_some_and(|name| text_of(name, text).starts_with("Test"))
}

/// Reports a test of a suite that has parameters or results: it cannot be called.
fn check_signature(method: Node<'_>, text: &str, report: &mut Report<'_>) {
    let (Some(name), true) = (method.child_by_field_name("name"), is_test(method, text)) else {
        return;
    };
    let parameters = method.child_by_field_name("parameters");
    let has_parameters = parameters.is_some_and(|list| list.named_child_count() > 0);
    if has_parameters || method.child_by_field_name("result").is_some() {
        let message = format!(
            "`{}` has parameters or results, so the suite cannot run it",
            text_of(name, text)
        );
        report_at(report, "tests/go-suite-signature", span(name), message);
    }
}

/// Reports subtests and parallel tests that a suite does not support.
fn check_body(method: Node<'_>, text: &str, report: &mut Report<'_>) {
    let Some((Some(suite), _)) = receiver(method) else { return };
    let suite = text_of(suite, text);
    let Some(body) = method.child_by_field_name("body") else { return };
    walk(body, |node| {
        if node.kind() == "call_expression"
            && let Some((test, name)) = selector(node)
            && is_test_of(test, suite, text)
        {
            match text_of(name, text) {
                "Parallel" => {
                    let message = format!(
                        "a suite does not support parallel tests: they share `{suite}` and its test"
                    );
                    report_at(report, "tests/go-parallel-suite", span(node), message);
                }
                "Run" => check_subtest(node, test, suite, text, report),
                _ => {}
            }
        }
        true
    });
}

/// Visits `root` and all nodes below it, without recursion. If `visit` returns `false` for a node,
/// the nodes below it are not visited.
pub(super) fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Whether an expression is `s.T()`.
fn is_test_of(node: Node<'_>, suite: &str, text: &str) -> bool {
    let is_call = node.kind() == "call_expression";
    is_call
        && selector(node).is_some_and(|(receiver, name)| {
            text_of(receiver, text) == suite && text_of(name, text) == "T"
        })
}

/// Reports a subtest that `s.T().Run` starts, if it uses the assertions of the suite.
fn check_subtest(call: Node<'_>, test: Node<'_>, suite: &str, text: &str, report: &mut Report<'_>) {
    let arguments = arguments(call);
    let [_, function] = arguments.as_slice() else { return };
    let Some(body) =
        function.child_by_field_name("body").filter(|_| function.kind() == "func_literal")
    else {
        return;
    };
    let parameters = function.child_by_field_name("parameters");
    let parameter = parameters
        .and_then(|list| list.named_child(0))
        .and_then(|parameter| parameter.child_by_field_name("name"))
        .map(|name| text_of(name, text));
    let (mut uses_suite, mut uses_parameter) = (false, false);
    walk(body, |node| {
        if let Some((receiver, name)) = selector_of(node) {
            let is_suite = text_of(receiver, text) == suite;
            uses_suite |= is_suite && ASSERTIONS.contains(&text_of(name, text));
        }
        uses_parameter |= node.kind() == "identifier" && Some(text_of(node, text)) == parameter;
        true
    });
    if !uses_suite {
        return;
    }
    let message = format!("assertions of `{suite}` in this subtest fail the test around it");
    let Some(function_name) = call.child_by_field_name("function") else { return };
    let rule = "tests/go-suite-subtest";
    if let Some(finding) = report_at(report, rule, span(function_name), message) {
        finding.help(format!("Use `{suite}.Run`, which runs the subtest as a test of the suite"));
        if let Some(parameters) = parameters.filter(|_| !uses_parameter) {
            let edits =
                vec![Edit::replace(span(test), suite), Edit::replace(span(parameters), "()")];
            finding.fix_unsafe(format!("Use `{suite}.Run`"), edits);
        }
    }
}

/// The receiver and the name of `a.b`.
fn selector_of<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    (node.kind() == "selector_expression").then_some(())?;
    Some((node.child_by_field_name("operand")?, node.child_by_field_name("field")?))
}

/// The most common assertions of a suite, and the methods that return its assertions.
const ASSERTIONS: [&str; 38] = [
    "Assert",
    "Contains",
    "ElementsMatch",
    "Empty",
    "Equal",
    "EqualError",
    "EqualValues",
    "Equalf",
    "Error",
    "ErrorAs",
    "ErrorContains",
    "ErrorIs",
    "Eventually",
    "Fail",
    "FailNow",
    "False",
    "Falsef",
    "Greater",
    "GreaterOrEqual",
    "JSONEq",
    "Len",
    "Less",
    "LessOrEqual",
    "Nil",
    "NoError",
    "NoErrorf",
    "NotContains",
    "NotEmpty",
    "NotEqual",
    "NotNil",
    "NotPanics",
    "NotZero",
    "Panics",
    "Require",
    "True",
    "Truef",
    "WithinDuration",
    "Zero",
];

/// Reports a suite with tests that no code of the package mentions.
fn check_run(
    name: &str,
    suite: &Suite<'_>,
    root: Node<'_>,
    files: &dyn Files,
    report: &mut Report<'_>,
) {
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    let Some(declared) = suite.name else { return };
    let has_tests = suite.methods.iter().any(|method| is_test(*method, text));
    if !has_tests || !report.begin("tests/go-unrun-suite") || mentions(root, name, text) {
        return;
    }
    let dir = parent_dir(path);
    let names: Vec<String> =
        files.names(dir).into_iter().filter(|name| name.ends_with(".go")).collect();
    let is_mentioned = |sibling: &String| {
        let sibling = below(dir, sibling);
        if sibling == path {
            return false;
        }
        let Some(text) = side_file(files, &sibling).filter(|text| text.contains(name)) else {
            return false;
        };
        let source = Source::new(sibling, text);
        let tree = Tree::new(&source);
        tree.root().is_none_or(|root| mentions(root, name, source.text()))
    };
    if names.len() > MAX_SIBLINGS || names.iter().any(is_mentioned) {
        return;
    }
    let message = format!("no test runs the suite `{name}`: its tests do not run");
    report_at(report, "tests/go-unrun-suite", span(declared), message);
}

/// Whether a file mentions a type, other than in its declaration and as the receiver of its methods.
fn mentions(root: Node<'_>, name: &str, text: &str) -> bool {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_own = match cursor.field_name() {
            Some("receiver") => true,
            Some("name") => node.kind() == "type_identifier",
            _ => false,
        };
        let is_name = matches!(node.kind(), "type_identifier" | "identifier");
        if is_name && !is_own && text_of(node, text) == name {
            return true;
        }
        if !is_own && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}
