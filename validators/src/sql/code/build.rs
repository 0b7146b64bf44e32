//! Builds the text of a query from the expressions that it is made of.

use super::expression::{Call, Expr, named, read};
use super::format::{Style, brace_verbs, percent_verbs};
use super::literal::{self, Piece};
use super::query::{Query, Value};
use super::scope::{Binding, Index, Origin};
use std::cell::Cell;
use tree_sitter::Node;

/// Maximum depth of nested expressions and variables.
const MAX_DEPTH: usize = 12;
/// Maximum length of the text of a query, in bytes.
const MAX_TEXT: usize = 200_000;
/// Maximum number of expressions that are read for one query.
const MAX_STEPS: usize = 2_000;

/// Builds the texts of queries.
pub(super) struct Builder<'i, 't> {
    index: &'i Index<'t>,
    steps: Cell<usize>,
    /// The position of the call; assignments after it are ignored.
    limit: usize,
}

impl<'i, 't> Builder<'i, 't> {
    pub(super) fn new(index: &'i Index<'t>, limit: usize) -> Self {
        Self { index, steps: Cell::new(0), limit }
    }

    /// The text of the query that `node` evaluates to.
    pub(super) fn build(&mut self, node: Node<'t>) -> Query<'t> {
        let mut query = Query::default();
        self.add(node, &mut query, 0, false);
        query
    }

    /// Counts one expression. Returns whether there are too many expressions, or they are nested
    /// too deeply.
    fn exceeds_limits(&self, depth: usize) -> bool {
        self.steps.set(self.steps.get() + 1);
        depth > MAX_DEPTH || self.steps.get() > MAX_STEPS
    }

    fn add(&mut self, node: Node<'t>, query: &mut Query<'t>, depth: usize, is_number: bool) {
        if self.exceeds_limits(depth) || query.text.len() > MAX_TEXT {
            query.push_hole(Value::Node(node), is_number);
            query.is_assembled = true;
            return;
        }
        let next = depth + 1;
        match read(node, self.index.text()) {
            Expr::Literal => self.add_literal(node, query, next),
            Expr::Join(parts) => {
                for part in parts {
                    self.add(part, query, next, false);
                }
            }
            Expr::Wrapped(inner) => self.add(inner, query, next, is_number),
            Expr::Percent(template, arguments) => {
                let arguments = match read(arguments, self.index.text()) {
                    Expr::List(values) => values,
                    Expr::Wrapped(inner) if arguments.kind() == "parenthesized_expression" => {
                        vec![inner]
                    }
                    _ => vec![arguments],
                };
                self.add_format(template, &arguments, Style::Percent, query, next);
            }
            Expr::Choice(values) if values.iter().all(|value| self.is_text(*value, next)) => {
                query.is_assembled = true;
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        query.push_break();
                    }
                    self.add(*value, query, next, false);
                }
            }
            Expr::Name(name) => {
                let values = self.index.values(name, node.start_byte());
                if !self.add_values(values, query, next) {
                    query.push_hole(Value::Node(node), is_number);
                }
            }
            Expr::Member { object, name } if super::scope::is_self(self.index.text_of(object)) => {
                let values = self.index.field(name, node.start_byte());
                if !self.add_values(values, query, next) {
                    query.push_hole(Value::Node(node), is_number);
                }
            }
            Expr::Call(call) => {
                if !self.add_call(&call, query, next) {
                    query.push_hole(Value::Node(node), is_number);
                }
            }
            _ => query.push_hole(Value::Node(node), is_number),
        }
    }

    /// Adds the values of a variable. Returns `false` if they are not known to be strings.
    fn add_values(&mut self, values: &[Binding<'t>], query: &mut Query<'t>, depth: usize) -> bool {
        let limit = self.limit;
        let known = || values.iter().filter(move |binding| binding.node.start_byte() < limit);
        let is_text = |binding: &Binding<'t>| match (binding.origin, binding.value) {
            (Origin::Appended, _) => true,
            (Origin::Assigned, Some(value)) => self.is_text(value, depth),
            _ => false,
        };
        let mut first = known().filter(|binding| binding.origin != Origin::Appended);
        if !first.any(is_text)
            || !known().all(|binding| binding.origin == Origin::Appended || is_text(binding))
        {
            return false;
        }
        let mut count = 0;
        for binding in known() {
            let Some(value) = binding.value else { continue };
            if count > 0 {
                query.is_assembled = true;
                if binding.origin == Origin::Assigned && !self.begins_with_name(value, binding.node)
                {
                    query.push_break();
                }
            }
            count += 1;
            self.add(value, query, depth, false);
        }
        count > 0
    }

    /// Whether the value is a concatenation that begins with the variable to which it is assigned.
    fn begins_with_name(&self, value: Node<'t>, name: Node<'t>) -> bool {
        let name = self.index.text_of(name);
        matches!(read(value, self.index.text()), Expr::Join(parts)
            if parts.first().is_some_and(|part| self.index.text_of(*part) == name))
    }

    /// Whether the expression is a string that is built in this file.
    fn is_text(&self, node: Node<'t>, depth: usize) -> bool {
        if self.exceeds_limits(depth) {
            return false;
        }
        match read(node, self.index.text()) {
            Expr::Literal | Expr::Percent(..) => true,
            Expr::Join(parts) => parts.iter().any(|part| self.is_text(*part, depth + 1)),
            Expr::Wrapped(inner) => self.is_text(inner, depth + 1),
            Expr::Choice(values) => values.iter().all(|value| self.is_text(*value, depth + 1)),
            Expr::Call(call) => match call.name {
                "format" | "Sprintf" | "sprintf" | "formatted" | "concat" | "join" | "Join"
                | "implode" | "StringBuilder" | "StringBuffer" => true,
                "dedent" | "cleandoc" | "from" | "String" | "new" => {
                    call.arguments.first().is_some_and(|first| self.is_text(*first, depth + 1))
                }
                "strip" | "trim" | "squish" | "toString" | "to_string" | "to_owned"
                | "stripIndent" | "strip_heredoc" | "into" | "freeze" | "as_str" => {
                    call.receiver.is_some_and(|inner| self.is_text(inner, depth + 1))
                }
                _ => false,
            },
            Expr::Name(name) => {
                let values = self.index.values(name, node.start_byte());
                values.iter().any(|binding| {
                    binding.origin == Origin::Assigned
                        && binding
                            .value
                            .is_some_and(|value| value != node && self.is_text(value, depth + 3))
                })
            }
            _ => false,
        }
    }

    fn add_literal(&mut self, node: Node<'t>, query: &mut Query<'t>, depth: usize) {
        let text = self.index.text();
        for piece in literal::pieces(self.index.content(node), text) {
            match piece {
                Piece::Text { start, end } => query.push(&text[start..end], start, end),
                Piece::Escape { start, end, text } => query.push(&text, start, end),
                Piece::Value { node, is_number } => self.add(node, query, depth, is_number),
            }
        }
    }

    fn add_call(&mut self, call: &Call<'t>, query: &mut Query<'t>, depth: usize) -> bool {
        let first = call.arguments.first().copied();
        match call.name {
            "Sprintf" | "sprintf" => self.add_formatted(call, Style::Percent, query, depth),
            "format" => match (call.receiver, first) {
                // `"…{}".format(…)`; the receiver of `String.format` is a class.
                (Some(receiver), _) if self.is_text(receiver, depth) => {
                    self.add_format(receiver, &call.arguments, Style::Brace, query, depth);
                    true
                }
                (None, Some(first))
                    if first.parent().is_some_and(|parent| parent.kind() == "token_tree") =>
                {
                    self.add_formatted(call, Style::Brace, query, depth)
                }
                _ => self.add_formatted(call, Style::Percent, query, depth),
            },
            "formatted" => match call.receiver {
                Some(receiver) => {
                    self.add_format(receiver, &call.arguments, Style::Percent, query, depth);
                    true
                }
                None => false,
            },
            "join" | "Join" | "implode" => self.add_joined(call, query, depth),
            "StringBuilder" | "StringBuffer" | "dedent" | "cleandoc" | "from" | "new" => {
                match first {
                    Some(first) if self.is_text(first, depth) => {
                        self.add(first, query, depth, false);
                        true
                    }
                    _ => call.name.starts_with("String"),
                }
            }
            "append" | "concat" => match (call.receiver, first) {
                (Some(receiver), Some(first)) if self.is_text(receiver, depth) => {
                    self.add(receiver, query, depth, false);
                    self.add(first, query, depth, false);
                    true
                }
                _ => false,
            },
            "toString" | "String" | "strip" | "trim" | "squish" | "stripIndent"
            | "strip_heredoc" | "to_string" | "to_owned" | "into" | "freeze" | "build"
            | "as_str" => match call.receiver {
                Some(receiver) if call.arguments.is_empty() => {
                    self.add_receiver(receiver, query, depth)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Adds the text that a receiver builds: a literal or the variable of a string builder.
    fn add_receiver(&mut self, receiver: Node<'t>, query: &mut Query<'t>, depth: usize) -> bool {
        if let Expr::Name(name) = read(receiver, self.index.text()) {
            let values = self.index.values(name, receiver.start_byte());
            let is_builder = values.iter().any(|binding| binding.origin == Origin::Appended);
            let is_parameter = values.iter().any(|binding| binding.origin == Origin::Parameter);
            if !is_builder || is_parameter {
                return self.add_values(values, query, depth);
            }
            let limit = self.limit;
            for binding in values.iter().filter(|binding| binding.node.start_byte() < limit) {
                let is_part = binding.origin == Origin::Appended
                    || binding.value.is_some_and(|value| self.is_text(value, depth));
                if let Some(value) = binding.value.filter(|_| is_part) {
                    self.add(value, query, depth, false);
                }
            }
            query.is_assembled = true;
            return true;
        }
        let is_text = self.is_text(receiver, depth);
        if is_text {
            self.add(receiver, query, depth, false);
        }
        is_text
    }

    /// Adds the items that a call joins: `",".join(values)`, `values.join(",")`,
    /// `strings.Join(values, ",")`.
    fn add_joined(&mut self, call: &Call<'t>, query: &mut Query<'t>, depth: usize) -> bool {
        let text = self.index.text();
        let is_literal = |node: &Node<'t>| matches!(read(*node, text), Expr::Literal);
        let (list, separator) = match (call.receiver, &call.arguments[..]) {
            (Some(receiver), [list]) if is_literal(&receiver) => (*list, Some(receiver)),
            (Some(list), [separator]) if is_literal(separator) => (list, Some(*separator)),
            (_, [separator, list]) if is_literal(separator) => (*list, Some(*separator)),
            (_, [list, separator]) => (*list, Some(*separator)),
            (Some(receiver), []) => (receiver, None),
            _ => return false,
        };
        let mut items = Vec::new();
        if !self.add_items(list, &mut items, depth) {
            return false;
        }
        query.is_assembled = true;
        let add_separator = |builder: &mut Self, query: &mut Query<'t>| match separator {
            Some(separator) => builder.add(separator, query, depth, false),
            None => query.push_break(),
        };
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                add_separator(self, query);
            }
            self.add(*item, query, depth, false);
        }
        true
    }

    /// Adds the expressions of the items of a list to `items`. Returns `false` if they are not
    /// known.
    fn add_items(&self, list: Node<'t>, items: &mut Vec<Node<'t>>, depth: usize) -> bool {
        if self.exceeds_limits(depth) {
            return false;
        }
        match read(list, self.index.text()) {
            Expr::List(values) => items.extend(values),
            Expr::Items(item) => items.push(item),
            Expr::Wrapped(inner) => return self.add_items(inner, items, depth + 1),
            Expr::Call(call) if matches!(call.name, "map" | "collect" | "flatMap") => {
                let function = call.arguments.last().copied();
                let body =
                    function.and_then(|function| returned_expression(function, self.index.text()));
                match body {
                    Some(body) => items.push(body),
                    None => {
                        return call.name == "collect"
                            && call
                                .receiver
                                .is_some_and(|inner| self.add_items(inner, items, depth + 1));
                    }
                }
            }
            Expr::Call(call)
                if matches!(
                    call.name,
                    "filter" | "iter" | "tuple" | "list" | "sorted" | "compact" | "concat" | "fill"
                ) =>
            {
                let inner = call.receiver.or_else(|| call.arguments.first().copied());
                if call.name == "fill" {
                    items.extend(call.arguments.first());
                    return true;
                }
                return inner.is_some_and(|inner| self.add_items(inner, items, depth + 1));
            }
            Expr::Name(name) => {
                let values = self.index.values(name, list.start_byte());
                let is_known = |binding: &&Binding<'_>| {
                    matches!(binding.origin, Origin::Assigned | Origin::Appended)
                };
                if values.is_empty() || !values.iter().all(|binding| is_known(&binding)) {
                    return false;
                }
                for binding in values {
                    match (binding.origin, binding.value) {
                        (Origin::Appended, Some(value)) => items.push(value),
                        (_, Some(value))
                            if matches!(read(value, self.index.text()), Expr::Call(_)) =>
                        {
                            // `make([]string, 0)`, `new ArrayList<>()`: an empty list.
                            let before = items.len();
                            if !self.add_items(value, items, depth + 1) && values.len() == 1 {
                                items.truncate(before);
                                return false;
                            }
                        }
                        (_, Some(value)) => {
                            if !self.add_items(value, items, depth + 2) {
                                return false;
                            }
                        }
                        (_, None) => {}
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn add_formatted(
        &mut self,
        call: &Call<'t>,
        style: Style,
        query: &mut Query<'t>,
        depth: usize,
    ) -> bool {
        let Some((template, arguments)) = call.arguments.split_first() else { return false };
        if !self.is_text(*template, depth) {
            return false;
        }
        self.add_format(*template, arguments, style, query, depth);
        true
    }

    /// Adds a format string with its arguments.
    fn add_format(
        &mut self,
        template: Node<'t>,
        arguments: &[Node<'t>],
        style: Style,
        query: &mut Query<'t>,
        depth: usize,
    ) {
        let mut inner = Query::default();
        self.add(template, &mut inner, depth, false);
        let verbs = match style {
            Style::Percent => percent_verbs(&inner.text),
            Style::Brace => brace_verbs(&inner.text),
        };
        let (mut done, mut next) = (0, 0);
        for verb in verbs {
            query.push_slice(&inner, done, verb.start);
            done = verb.end;
            let name = inner.text.get(verb.name.0..verb.name.1).unwrap_or_default();
            if verb.is_literal {
                query.push_slice(&inner, verb.start, verb.start + 1);
                continue;
            }
            let argument = match name.parse::<usize>() {
                Ok(at) => arguments
                    .get(at.saturating_sub(usize::from(matches!(style, Style::Percent))))
                    .copied(),
                Err(_) if name.is_empty() => {
                    next += 1;
                    arguments.get(next - 1).copied()
                }
                Err(_) => self.named_argument(name, arguments),
            };
            let at = inner.source(verb.start);
            match argument {
                Some(argument) => self.add(argument, query, depth, verb.is_number),
                // In Rust, `{name}` inserts the variable `name` that is in scope.
                None if matches!(style, Style::Brace) && !name.is_empty() => {
                    let name = self.index.text().get(at..).and_then(|rest| {
                        let begin = rest.find(|c: char| c.is_alphanumeric() || c == '_')?;
                        rest.get(begin..begin + name.len())
                    });
                    match name {
                        Some(name) => {
                            let values = self.index.values(name, at);
                            if !self.add_values(values, query, depth) {
                                query.push_hole(Value::Name(name, at), verb.is_number);
                            }
                        }
                        None => query.push_hole(Value::Missing, true),
                    }
                }
                None => query.push_hole(Value::Missing, true),
            }
        }
        query.push_slice(&inner, done, inner.text.len());
        query.is_assembled |= inner.is_assembled;
    }

    /// The value of a named argument: a keyword argument or an item of a dictionary.
    fn named_argument(&self, name: &str, arguments: &[Node<'t>]) -> Option<Node<'t>> {
        let text = self.index.text();
        let lists = arguments.iter().flat_map(|argument| match read(*argument, text) {
            Expr::List(items) => items,
            _ => vec![*argument],
        });
        lists.into_iter().find_map(|item| {
            let key =
                item.child_by_field_name("name").or_else(|| item.child_by_field_name("key"))?;
            let key = self.index.text_of(key).trim_matches(['"', '\'', ':']);
            (key == name).then(|| item.child_by_field_name("value")).flatten()
        })
    }
}

/// The expression that a short function returns.
fn returned_expression<'t>(function: Node<'t>, text: &'t str) -> Option<Node<'t>> {
    let mut node = function;
    for _ in 0..6 {
        node = match (node.kind(), read(node, text)) {
            ("statement_block" | "block" | "body_statement" | "block_body", _) => {
                let last = named(node).into_iter().find(|child| child.kind() == "return_statement");
                last.or_else(|| named(node).last().copied())?
            }
            ("return_statement", _) => node.named_child(0)?,
            (_, Expr::Function(body)) => body,
            _ => return (node != function).then_some(node),
        };
    }
    None
}
