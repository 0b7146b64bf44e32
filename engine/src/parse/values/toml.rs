//! Reads TOML.

use super::{Datum, Values};
use crate::text::source::Span;
use std::ops::Range;
use toml_edit::{Document, Item, TableLike, Value as Toml};

/// A table, list or value that has not been visited yet.
enum Node<'a> {
    Item(&'a Item),
    Table(&'a dyn TableLike, Option<Range<usize>>),
    Value(&'a Toml),
}

/// The parent of a node, its key, and the node.
type Pending<'a> = (usize, Option<(String, Span)>, Node<'a>);

pub(super) fn read(text: &str) -> Values {
    let mut values = Values::default();
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let span = error.span().unwrap_or_default();
            values.broken = Some((clamp(text, span), error.message().to_owned()));
            return values;
        }
    };
    let root = values.add(None, None, Datum::Map, Span::new(0, text.len()));
    let mut pending = entries(root, document.as_table(), text);
    while let Some((parent, key, node)) = pending.pop() {
        // A node without a span, such as a table only implied by its subtables, is placed at its
        // key.
        let at = |span: Option<Range<usize>>| match (span, &key) {
            (Some(span), _) => clamp(text, span),
            (None, Some((_, span))) => *span,
            (None, None) => Span::default(),
        };
        match node {
            Node::Item(Item::None) => {}
            Node::Item(Item::Value(value)) => pending.push((parent, key, Node::Value(value))),
            Node::Item(Item::Table(table)) => {
                pending.push((parent, key, Node::Table(table, table.span())));
            }
            Node::Item(Item::ArrayOfTables(tables)) => {
                let at = at(tables.span());
                let list = values.add(Some(parent), key, Datum::List, at);
                let tables: Vec<_> = tables.iter().collect();
                let nodes = tables.into_iter().rev();
                pending.extend(nodes.map(|table| (list, None, Node::Table(table, table.span()))));
            }
            Node::Table(table, span) => {
                let at = at(span);
                let map = values.add(Some(parent), key, Datum::Map, at);
                pending.extend(entries(map, table, text));
            }
            Node::Value(Toml::InlineTable(table)) => {
                pending.push((parent, key, Node::Table(table, table.span())));
            }
            Node::Value(Toml::Array(array)) => {
                let at = at(array.span());
                let list = values.add(Some(parent), key, Datum::List, at);
                let items: Vec<_> = array.iter().collect();
                pending.extend(items.into_iter().rev().map(|item| (list, None, Node::Value(item))));
            }
            Node::Value(scalar) => {
                let at = at(scalar.span());
                let raw = &text[at.range()];
                let datum = match scalar {
                    Toml::String(text) => Datum::Text(text.value().clone()),
                    Toml::Boolean(boolean) => Datum::Bool(*boolean.value()),
                    Toml::Integer(number) => Datum::Number(number.value().to_string()),
                    Toml::Float(_) => Datum::Number(raw.to_owned()),
                    // The other formats represent dates as strings.
                    _ => Datum::Text(raw.to_owned()),
                };
                values.add(Some(parent), key, datum, at);
            }
        }
    }
    values
}

/// The entries of a table, last first, so that the stack returns them in order.
fn entries<'a>(at: usize, table: &'a dyn TableLike, text: &str) -> Vec<Pending<'a>> {
    let mut entries: Vec<Pending<'a>> = Vec::new();
    for (name, item) in table.iter() {
        let key = table.key(name).and_then(toml_edit::Key::span);
        let span = key.map(|span| clamp(text, span)).unwrap_or_default();
        entries.push((at, Some((name.to_owned(), span)), Node::Item(item)));
    }
    entries.reverse();
    entries
}

/// A range of the parser, clamped to character boundaries of the text.
fn clamp(text: &str, range: Range<usize>) -> Span {
    let end = text.floor_char_boundary(range.end.min(text.len()));
    Span::new(text.floor_char_boundary(range.start).min(end), end)
}
