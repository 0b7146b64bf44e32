//! Routes that are declared by decorators, annotations and attributes.

use super::{Reader, join};
use crate::fields::Fields as _;
use crate::outline::build::{child_of, named};
use std::borrow::Cow;
use tree_sitter::Node;

impl<'t> Reader<'t> {
    pub(super) fn visit_mark(&mut self, node: Node<'t>) {
        let (name, arguments) = match node.kind() {
            "decorator" => {
                let Some(call) = named(node).next().and_then(|inner| self.call(inner)) else {
                    return;
                };
                return self.mark((node, call.receiver), call.name, &call.arguments);
            }
            "annotation" => {
                // Kotlin has the name and the arguments in a node of their own.
                let inner = child_of(node, &["constructor_invocation"]).unwrap_or(node);
                let name = inner.field("name").or_else(|| child_of(inner, &["user_type"]));
                let list =
                    inner.field("arguments").or_else(|| child_of(inner, &["value_arguments"]));
                (name, list)
            }
            "marker_annotation" => (node.field("name"), None),
            "attribute" if self.family == "csharp" => {
                (node.field("name"), child_of(node, &["attribute_argument_list"]))
            }
            "attribute" if self.family == "rust" => (named(node).next(), node.field("arguments")),
            _ => return,
        };
        let Some(name) = name else { return };
        let arguments: Vec<Node<'t>> = list_of(arguments);
        let name = self.text_of(name);
        self.mark((node, None), name, &arguments);
    }

    fn mark(
        &mut self,
        (node, on): (Node<'t>, Option<Node<'t>>),
        name: &str,
        arguments: &[Node<'t>],
    ) {
        let framework = self.framework;
        let is_prefix = framework.prefix_marks.iter().any(|known| known == name);
        let method = framework.marks.get(name);
        if !is_prefix && method.is_none() {
            return;
        }
        let path = arguments.iter().find_map(|at| self.path_of(*at));
        // The declaration is the first one after the mark.
        let end = node.end_byte();
        let after =
            self.outline.symbols.iter().position(|symbol| symbol.start.offset as usize >= end);
        let Some(index) = after else { return };
        let Some(symbol) = u32::try_from(index).ok() else { return };
        let declared = &self.outline.symbols[index];
        if is_prefix && declared.kind.is_type() {
            let name = declared.name.trim_end_matches("Controller").to_owned();
            let path = path.unwrap_or_default().replace("[controller]", &name);
            let range = (declared.start.offset as usize, declared.end.offset as usize);
            if !path.is_empty() {
                self.scopes.push((range.0, range.1, path));
            }
            return;
        }
        if !declared.kind.is_function() {
            return;
        }
        let (Some(method), at) = (method, declared.start.offset as usize) else { return };
        let mut path = join("", &path.unwrap_or_default());
        // Without a template, ASP.NET finds an action by the names of the controller and the method.
        if framework.framework == "aspnet" && path == "/" && self.prefix(at).is_empty() {
            let class = declared.qualified.rsplit('.').nth(1).unwrap_or_default();
            path = format!("/{}/{}", class.trim_end_matches("Controller"), declared.name);
        }
        let methods = self.methods(method, arguments);
        for method in methods {
            self.add((node, on), &method, &path, Some(symbol), None);
        }
    }

    /// The path in an argument: a string, or the value of `path` or `value`.
    fn path_of(&self, argument: Node<'t>) -> Option<Cow<'t, str>> {
        let key = argument.field("key").or_else(|| argument.field("name"));
        let key = key.map(|at| self.text_of(at));
        let mut node = match key {
            Some("path" | "value") => argument.field("value")?,
            Some(_) => return None,
            None => argument,
        };
        for _ in 0..4 {
            if let Some(text) = self.prefix_text(node) {
                return Some(text);
            }
            let is_list = matches!(
                node.kind(),
                "value_argument"
                    | "attribute_argument"
                    | "element_value_array_initializer"
                    | "collection_literal"
                    | "array_initializer"
                    | "token_tree"
                    | "array"
            );
            node = named(node).next().filter(|_| is_list)?;
        }
        None
    }

    /// The methods that the arguments name, or the method of the mark.
    fn methods(&self, method: &str, arguments: &[Node<'t>]) -> Vec<String> {
        if let Some(key) = &self.framework.methods_key
            && let Some(list) = self.keyword(arguments, key)
        {
            let found: Vec<String> =
                named(list).filter_map(|at| self.literal(at)).map(str::to_owned).collect();
            if !found.is_empty() {
                return found;
            }
        }
        if method == "*" {
            let mut found = Vec::new();
            for argument in arguments {
                let text = self.text_of(*argument);
                for part in text.split("RequestMethod.").skip(1) {
                    let end = part.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(part.len());
                    found.push(part[..end].to_owned());
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        vec![method.to_owned()]
    }
}

fn list_of<'t>(list: Option<Node<'t>>) -> Vec<Node<'t>> {
    list.into_iter().flat_map(named).collect()
}
