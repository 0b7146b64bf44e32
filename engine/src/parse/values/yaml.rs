//! Reads YAML with one or more documents. An alias is a copy of its anchor's value, with the spans
//! of the original. Merge keys are ordinary keys.

use super::{Datum, Values};
use crate::text::source::Span;
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError};
use std::collections::HashMap;

/// Maximum number of values that aliases can expand to: a few lines can expand to billions.
const MAX_VALUES: usize = 200_000;

/// The message for a further line of a quoted text. Parsers after libyaml, such as those of Ruby and
/// Python, read the line as text whatever its indentation is.
const INDENTED_LESS: &str = "the line belongs to the quoted text above, but is not indented more than \
                             its key: close the quote, or indent the line";

/// An open container; for a mapping also the key whose value follows.
struct Frame {
    at: usize,
    is_map: bool,
    key: Option<(String, Span)>,
}

/// Parses `text`, which starts at the byte offset `base` of its file.
pub(super) fn read(text: &str, base: usize) -> Values {
    let mut values = Values::default();
    let mut frames: Vec<Frame> = Vec::new();
    let mut anchors: HashMap<usize, usize> = HashMap::new();
    for event in Parser::new_from_str(text) {
        let (event, position) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(text.len());
                let end = text.floor_char_boundary(at.min(text.len()));
                values.broken = Some((Span::at(base + end), message(&error)));
                break;
            }
        };
        let range = position.byte_range().unwrap_or_default();
        let end = text.floor_char_boundary(range.end.min(text.len()));
        let start = text.floor_char_boundary(range.start).min(end);
        let mut span = Span::new(base + start, base + end);
        let (datum, anchor) = match event {
            Event::DocumentStart(..) => {
                frames.clear();
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(frame) = frames.pop() {
                    // A block ends with its last line, not where the parser detects the end.
                    let last_child = values.all[frame.at].children.last();
                    let last_child =
                        last_child.map_or(0, |&child| values.all[child].span.end as usize);
                    let last = base + end_of_block(&text[..start], last_child.saturating_sub(base));
                    let end = if span.is_empty() { Span::at(last).end } else { span.end };
                    let block_span = &mut values.all[frame.at].span;
                    block_span.end = end.max(block_span.start);
                }
                continue;
            }
            Event::MappingStart(_, anchor, _) => (Datum::Map, anchor),
            Event::SequenceStart(_, anchor, _) => {
                span = Span::new(base + start_of_list(text, start), base + end);
                (Datum::List, anchor)
            }
            Event::Scalar(value, style, anchor, tag) => {
                if let Some(Frame { is_map: true, key: key @ None, .. }) = frames.last_mut() {
                    *key = Some((value.into_owned(), span));
                    continue;
                }
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    let last = base + text[..end].trim_end().len();
                    span = Span::new(base + start, last.max(base + start));
                }
                let is_plain = matches!(style, ScalarStyle::Plain) && tag.is_none();
                (if is_plain { scalar(&value) } else { Datum::Text(value.into_owned()) }, anchor)
            }
            Event::Alias(anchor) => {
                let (parent, key) = slot(&mut frames);
                if let Some(&from) = anchors.get(&anchor) {
                    copy(&mut values, from, parent, key);
                }
                continue;
            }
            _ => continue,
        };
        let is_container = matches!(datum, Datum::Map | Datum::List);
        let is_map = datum == Datum::Map;
        // A mapping or list used as a key has no name.
        if is_container && let Some(Frame { is_map: true, key: key @ None, .. }) = frames.last_mut()
        {
            *key = Some((String::new(), span));
        }
        let (parent, key) = slot(&mut frames);
        let at = values.add(parent, key, datum, span);
        if anchor > 0 {
            anchors.insert(anchor, at);
        }
        if is_container {
            frames.push(Frame { at, is_map, key: None });
        }
    }
    values
}

/// The message of an error, without its position, which is part of the finding.
fn message(error: &ScanError) -> String {
    if *error.kind() == ErrorKind::InvalidQuotedScalarIndent {
        return INDENTED_LESS.to_owned();
    }
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    let message = message.split_once(" at char ").map_or(message, |(why, _)| why);
    message.split_once(" at byte ").map_or(message, |(why, _)| why).to_owned()
}

/// The start of a list that the parser reported at `start`. If the list is indented like its key,
/// the parser reports the start of the first item, after the dash.
fn start_of_list(text: &str, start: usize) -> usize {
    let before = text[..start].trim_end_matches(' ');
    let has_indicator = text[start..].starts_with(['[', '-', '&', '!']);
    if has_indicator || !before.ends_with('-') { start } else { before.len() - 1 }
}

/// The end of a block that extends at most to the end of `text` and whose last value ends at
/// `last_value_end`. Comments on their own lines after that value belong to the following entry.
fn end_of_block(text: &str, last_value_end: usize) -> usize {
    let mut end = text.trim_end().len();
    loop {
        let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
        if line < last_value_end || line == 0 || !text[line..end].trim_start().starts_with('#') {
            return end;
        }
        end = text[..line].trim_end().len();
    }
}

/// The container and key of the next value.
fn slot(frames: &mut [Frame]) -> (Option<usize>, Option<(String, Span)>) {
    match frames.last_mut() {
        None => (None, None),
        Some(Frame { at, is_map: true, key }) => (Some(*at), Some(key.take().unwrap_or_default())),
        Some(Frame { at, .. }) => (Some(*at), None),
    }
}

/// Copies the value at `from` and everything in it.
fn copy(values: &mut Values, from: usize, parent: Option<usize>, key: Option<(String, Span)>) {
    let mut pending = vec![(from, parent, key)];
    while let Some((from, parent, key)) = pending.pop() {
        if values.all.len() >= MAX_VALUES {
            return;
        }
        let (datum, span) = (values.all[from].datum.clone(), values.all[from].span);
        let children = values.all[from].children.clone();
        let at = values.add(parent, key, datum, span);
        let children = children.into_iter().rev();
        pending.extend(children.map(|child| (child, Some(at), values.all[child].key.clone())));
    }
}

/// The type of a plain scalar by the YAML 1.2 core schema
/// (<https://yaml.org/spec/1.2.2/#103-core-schema>).
fn scalar(text: &str) -> Datum {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Datum::Null,
        "true" | "True" | "TRUE" => return Datum::Bool(true),
        "false" | "False" | "FALSE" => return Datum::Bool(false),
        _ => {}
    }
    let radix = |prefix: &str, radix: u32| {
        let digits = text.strip_prefix(prefix)?;
        i64::from_str_radix(digits, radix).ok().map(|number| Datum::Number(number.to_string()))
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return number;
    }
    let digits = text.trim_start_matches(['+', '-']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && !digits.contains('_')
        && text.parse::<f64>().is_ok();
    if is_number { Datum::Number(text.to_owned()) } else { Datum::Text(text.to_owned()) }
}
