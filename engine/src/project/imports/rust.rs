//! Reads the imports of Rust: `use` trees, `extern crate`, paths in code, and module declarations.

use super::{Facts, Import, Imported, Module, Name, Node, span};
use crate::text::source::Span;

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    let mut state = State::default();
    for node in root.dfs() {
        state.visit(&node, facts);
    }
}

/// Maximum number of inline modules around another one; each has the names of all of them.
const MAX_INLINE_MODULES: usize = 64;

/// The scopes that contain the current node. Nodes are nested and visited in text order, so the end
/// offset of a scope is sufficient.
#[derive(Default)]
struct State {
    /// The end of the current test code.
    tests_until: usize,
    /// Nodes before this offset have been handled or are not code.
    done_until: usize,
    /// The enclosing inline modules: end offset and name.
    modules: Vec<(usize, String)>,
    /// The attributes since the last item.
    pending: Pending,
}

#[derive(Default)]
struct Pending {
    test: bool,
    path: Option<String>,
    /// The end of the last attribute.
    end: usize,
}

impl State {
    fn visit(&mut self, node: &Node<'_>, facts: &mut Facts) {
        let range = node.range();
        if range.start < self.done_until {
            return;
        }
        let kind = node.kind();
        if kind == "attribute_item" {
            self.read_attribute(node);
            return;
        }
        if matches!(&*kind, "line_comment" | "block_comment" | "visibility_modifier") {
            self.done_until = range.end;
            return;
        }
        while self.modules.last().is_some_and(|(end, _)| *end <= range.start) {
            self.modules.pop();
        }
        // Attributes apply to the first node after them.
        let pending = std::mem::take(&mut self.pending);
        if pending.test && pending.end <= range.start {
            self.tests_until = self.tests_until.max(range.end);
        }
        let test = range.start < self.tests_until;
        match &*kind {
            "mod_item" => self.add_module(node, pending.path, test, facts),
            "use_declaration" => {
                self.done_until = range.end;
                if let Some(argument) = node.field("argument") {
                    let is_public = |child: Node<'_>| child.kind() == "visibility_modifier";
                    let exports = node.children().any(is_public);
                    self.add_tree(&argument, (test, exports), facts);
                }
            }
            "extern_crate_declaration" => {
                self.done_until = range.end;
                if let Some(name) = node.field("name") {
                    let path = vec![String::new(), name.text().into_owned()];
                    self.add(path, (span(&name), span(&name)), (test, false), facts);
                }
            }
            "scoped_identifier" | "scoped_type_identifier" => self.add_path(node, test, facts),
            _ => {}
        }
    }

    fn read_attribute(&mut self, node: &Node<'_>) {
        let range = node.range();
        self.done_until = range.end;
        let text: String = node.text().split_whitespace().collect();
        self.pending.end = range.end;
        self.pending.test |= is_for_tests(&text);
        if let Some(path) = text.strip_prefix("#[path=\"").and_then(|rest| rest.strip_suffix("\"]"))
        {
            self.pending.path = Some(path.to_owned());
        }
    }

    fn inline_modules(&self) -> Vec<String> {
        self.modules.iter().map(|(_, name)| name.clone()).collect()
    }

    fn add_module(&mut self, node: &Node<'_>, path: Option<String>, test: bool, facts: &mut Facts) {
        if self.modules.len() >= MAX_INLINE_MODULES {
            return;
        }
        let Some(name) = node.field("name") else { return };
        let text = name.text().trim_start_matches("r#").to_owned();
        let body = node.field("body");
        facts.modules.push(Module {
            name: text.clone(),
            inside: self.inline_modules(),
            path,
            is_external: body.is_none(),
            test,
            span: span(&name),
        });
        if let Some(body) = body {
            self.modules.push((body.range().end, text));
        }
    }

    /// Adds the leaves of a `use` tree.
    fn add_tree(&self, argument: &Node<'_>, (test, exports): (bool, bool), facts: &mut Facts) {
        let statement = span(argument);
        let mut remaining = vec![(argument.clone(), Vec::new())];
        while let Some((node, mut prefix)) = remaining.pop() {
            match &*node.kind() {
                "use_list" => {
                    let named: Vec<Node<'_>> = node.children().filter(Node::is_named).collect();
                    let named = named.into_iter().rev();
                    remaining.extend(named.map(|child| (child, prefix.clone())));
                }
                "scoped_use_list" => {
                    if let Some(path) = node.field("path") {
                        let Some(segments) = segments(&path) else { continue };
                        prefix.extend(segments);
                    } else {
                        prefix.push(String::new());
                    }
                    remaining.extend(node.field("list").map(|list| (list, prefix)));
                }
                "use_as_clause" => {
                    let Some(path) = node.field("path") else { continue };
                    let local = node.field("alias");
                    self.add_leaf(&path, prefix, local, (statement, test, exports), facts);
                }
                "use_wildcard" => {
                    let path = node.children().find(Node::is_named);
                    if let Some(segments) = path.as_ref().and_then(segments) {
                        prefix.extend(segments);
                    }
                    self.add(prefix, (span(&node), statement), (test, false), facts);
                    facts.bind(Imported::All, None, None, &node);
                }
                "line_comment" | "block_comment" => {}
                _ => {
                    let local = node.field("name").unwrap_or_else(|| node.clone());
                    self.add_leaf(&node, prefix, Some(local), (statement, test, exports), facts);
                }
            }
        }
    }

    /// Adds a path of a `use` tree, and the name that it binds: the alias or the last segment.
    fn add_leaf<'n>(
        &self,
        node: &Node<'n>,
        mut path: Vec<String>,
        local: Option<Node<'n>>,
        (statement, test, exports): (Span, bool, bool),
        facts: &mut Facts,
    ) {
        let Some(segments) = segments(node) else { return };
        // `a::{self}` is `a`.
        let is_self = !path.is_empty() && segments == ["self"];
        if !is_self {
            path.extend(segments);
        }
        self.add(path, (span(node), statement), (test, false), facts);
        // `as _` binds no name; `{self}` binds the name of the module before the braces.
        let local = local.filter(|name| !matches!(&*name.text(), "_" | "self"));
        if local.is_some() {
            let exported = local.as_ref().filter(|_| exports);
            facts.bind(Imported::Module, local.as_ref(), exported, node);
        }
    }

    /// Adds a path in code: only the complete path, not its prefixes.
    fn add_path(&mut self, node: &Node<'_>, test: bool, facts: &mut Facts) {
        let Some(path) = segments(node) else { return };
        // Child nodes are prefixes of the same path.
        self.done_until = node.range().end;
        self.add(path, (span(node), span(node)), (test, true), facts);
    }

    fn add(
        &self,
        path: Vec<String>,
        (span, statement): (Span, Span),
        (test, inline): (bool, bool),
        facts: &mut Facts,
    ) {
        facts.imports.push(Import {
            name: Name::Rust { path, inside: self.inline_modules() },
            span,
            statement,
            type_only: false,
            deferred: false,
            test,
            inline,
            binds: None,
        });
    }
}

/// Whether an attribute, without white space, restricts an item to tests.
fn is_for_tests(attribute: &str) -> bool {
    let inner = attribute.trim_start_matches("#[").trim_end_matches(']');
    if let Some(condition) = inner.strip_prefix("cfg(") {
        // `all(test, …)` requires `test`; `any(test, …)` and `not(test)` do not.
        return condition == "test)"
            || condition.starts_with("all(")
                && !condition.contains("not(test")
                && condition.split(['(', ')', ',']).any(|word| word == "test");
    }
    inner == "test" || inner.ends_with("::test")
}

/// The segments of a path; `None` when it starts with a type.
fn segments(node: &Node<'_>) -> Option<Vec<String>> {
    let mut segments = Vec::new();
    let mut at = node.clone();
    loop {
        match &*at.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                segments.push(at.field("name")?.text().into_owned());
                match at.field("path") {
                    Some(path) => at = path,
                    None => {
                        segments.push(String::new());
                        break;
                    }
                }
            }
            "identifier" | "type_identifier" | "crate" | "self" | "super" => {
                segments.push(at.text().into_owned());
                break;
            }
            _ => return None,
        }
    }
    segments.reverse();
    for segment in &mut segments {
        if let Some(plain) = segment.strip_prefix("r#") {
            *segment = plain.to_owned();
        }
    }
    Some(segments)
}
