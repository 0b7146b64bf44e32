//! Parses YAML with one or more documents into a [`Tree`]: every document is a child of the root.

use super::tree::Tree;
use crate::text::source::Span;
use granit_parser::{Event, Parser, ScalarStyle};

/// The container of the next node.
enum Frame {
    Sequence(usize),
    /// The mapping, and the last key if its value has not been read yet.
    Mapping(usize, Option<String>),
}

/// Parses `text` up to its first syntax error.
#[must_use]
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::default();
    let mut frames: Vec<Frame> = Vec::new();
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else {
            tree.complete = false;
            break;
        };
        match event {
            Event::DocumentStart(..) => frames.clear(),
            Event::MappingStart(..) => {
                let (parent, key) = next_slot(&mut frames);
                frames.push(Frame::Mapping(tree.add_branch(parent, key), None));
            }
            Event::SequenceStart(..) => {
                let (parent, key) = next_slot(&mut frames);
                frames.push(Frame::Sequence(tree.add_branch(parent, key)));
            }
            Event::MappingEnd | Event::SequenceEnd => {
                frames.pop();
            }
            Event::Scalar(value, style, _, tag) => {
                if let Some(Frame::Mapping(_, key @ None)) = frames.last_mut() {
                    *key = Some(value.into_owned());
                    continue;
                }
                let (parent, key) = next_slot(&mut frames);
                let span = content_span(text, span.byte_range().unwrap_or_default(), style);
                // The result of a tag (`!vault`, `!reference`, `!Ref`) differs from the scalar's
                // text.
                let is_plain = tag.is_none_or(|tag| tag.is_yaml_core_schema());
                if is_plain {
                    let quoted = !matches!(style, ScalarStyle::Plain);
                    tree.add_leaf(parent, key, value, span, quoted);
                }
            }
            Event::Alias(_) => {
                if let Some(Frame::Mapping(_, key @ None)) = frames.last_mut() {
                    *key = Some(String::new());
                } else {
                    next_slot(&mut frames);
                }
            }
            _ => {}
        }
    }
    tree
}

/// The parent and key of the next node.
fn next_slot(frames: &mut [Frame]) -> (usize, String) {
    match frames.last_mut() {
        None => (0, String::new()),
        Some(Frame::Sequence(at)) => (*at, String::new()),
        // A mapping or sequence used as a key has no name.
        Some(Frame::Mapping(at, key)) => match key.take() {
            Some(key) => (*at, key),
            None => {
                *key = Some(String::new());
                (*at, String::new())
            }
        },
    }
}

/// The span of a scalar's text without quotes, block header and surrounding white space.
fn content_span(text: &str, range: std::ops::Range<usize>, style: ScalarStyle) -> Span {
    let (mut start, mut end) = (range.start, range.end);
    let raw = text.get(range.clone()).unwrap_or_default();
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted if raw.len() >= 2 => {
            return Span::new(start + 1, end - 1);
        }
        ScalarStyle::Literal | ScalarStyle::Folded if raw.starts_with(['|', '>']) => {
            start += raw.find('\n').map_or(0, |at| at + 1);
        }
        _ => {}
    }
    let raw = text.get(start..end).unwrap_or_default();
    start += raw.len() - raw.trim_start().len();
    end -= raw.len() - raw.trim_end().len();
    Span::new(start, end.max(start))
}
