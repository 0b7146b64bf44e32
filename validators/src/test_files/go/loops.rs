//! Variables of loops in parallel subtests.

use super::names::{Bound, Runner};
use super::{Walker, report_at, span, text_of};
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use tree_sitter::Node;

impl<'t> Walker<'t, '_, '_> {
    /// Reports a loop variable that a parallel subtest in the loop reads. The subtest runs after the
    /// loop.
    pub(super) fn check_loop_variable(&mut self, node: Node<'t>) {
        let name = text_of(node, self.text);
        let Some(binding) = self.names.get(name) else { return };
        let literal = self.names.literal_below(binding.depth);
        let (Bound::LoopVariable, Some(literal)) = (binding.bound, literal) else { return };
        let Runner::Subtest(statement) = literal.runner else { return };
        if !literal.is_parallel || self.is_declared_or_key(node) || !self.shares_loop_variables() {
            return;
        }
        if !self.reported.insert((statement, name)) {
            return;
        }
        let source = self.report.source();
        let line = source.line_span(source.line_of(Span::at(statement).start));
        let indent = source.text().get(line.start as usize..statement).unwrap_or_default();
        let separator =
            if indent.trim().is_empty() { format!("\n{indent}") } else { "; ".to_owned() };
        let message = format!(
            "`{name}` has its last value in every parallel subtest, because the loop ends first"
        );
        let rule = "tests/go-captured-loop-variable";
        if let Some(finding) = report_at(self.report, rule, span(node), message) {
            let copy = format!("{name} := {name}{separator}");
            let at = Span::at(statement).start;
            finding
                .help(format!(
                    "Copy it before the subtest, or set `go 1.22` in `go.mod`: `{name} := {name}`"
                ))
                .fix_unsafe(
                    format!("Copy `{name}` before the subtest"),
                    vec![Edit::insert(at, copy)],
                );
        }
    }

    /// Whether an identifier is being declared, or can be the name of a field in a literal.
    fn is_declared_or_key(&self, node: Node<'t>) -> bool {
        let [.., outer, parent] = self.ancestors.as_slice() else { return false };
        match parent.kind() {
            "expression_list" => outer.child_by_field_name("left") == Some(*parent),
            "literal_element" => outer.child_by_field_name("key") == Some(*parent),
            "parameter_declaration" | "var_spec" | "const_spec" => {
                parent.child_by_field_name("type") != Some(node)
                    && parent.child_by_field_name("value") != Some(node)
            }
            _ => false,
        }
    }

    /// Whether the iterations of a loop share its variables, as in modules for Go before 1.22.
    fn shares_loop_variables(&mut self) -> bool {
        if let Some(known) = self.shares_loop_variables {
            return known;
        }
        // A build constraint can select a newer version for one file.
        let header = self.text.split("\npackage ").next().unwrap_or_default();
        let has_constraint =
            header.lines().any(|line| line.starts_with("//go:build") && line.contains("go1."));
        let path = self.report.source().path();
        let shares = !has_constraint
            && go_version(self.files, path).is_some_and(|version| version < (1, 22));
        self.shares_loop_variables = Some(shares);
        shares
    }
}

/// The version of Go in the nearest `go.mod` above `path`; without the directive `go`, the version
/// is 1.16. `None` if there is no `go.mod`.
fn go_version(files: &dyn Files, path: &str) -> Option<(u32, u32)> {
    let mut dir = path;
    loop {
        dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
        let manifest = if dir.is_empty() { "go.mod".to_owned() } else { format!("{dir}/go.mod") };
        if let Some(text) = side_file(files, &manifest) {
            let version = text.lines().find_map(|line| line.trim().strip_prefix("go "));
            let Some(version) = version else { return Some((1, 16)) };
            let number = version.split("//").next().unwrap_or_default().trim();
            let mut parts = number.split(['.', 'r', 'b']);
            let major = parts.next()?.parse().ok()?;
            return Some((major, parts.next().unwrap_or("0").parse().ok()?));
        }
        if dir.is_empty() {
            return None;
        }
    }
}
