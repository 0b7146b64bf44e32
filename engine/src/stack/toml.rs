//! TOML as a JSON value: manifests are asked by keys, whatever they are written in.

use serde_json::{Map, Value};
use std::borrow::Cow;
use toml_parser::decoder::ScalarKind;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};
use toml_parser::{ParseError, Raw, Source};

/// How deep arrays and inline tables may lie in each other.
const DEPTH: u32 = 64;

/// Reads a document.
///
/// # Errors
/// Byte and text of the first fault.
pub(super) fn parse(text: &str) -> Result<Value, (usize, String)> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut fault: Option<ParseError> = None;
    let mut events: Vec<Event> = Vec::new();
    parse_document(&tokens, &mut RecursionGuard::new(&mut events, DEPTH), &mut fault);
    let mut document = Document { source, fault, ..Document::new(source) };
    for event in &events {
        document.take(event);
    }
    match document.fault {
        None => Ok(Value::Object(document.root)),
        Some(fault) => {
            let at = fault.unexpected().or(fault.context()).map_or(0, |span| span.start());
            Err((at, fault.description().to_owned()))
        }
    }
}

/// An array or an inline table that is not closed yet, and the keys it will lie under.
enum Open {
    Array(Vec<String>, Vec<Value>),
    Table(Vec<String>, Map<String, Value>),
}

struct Document<'a> {
    source: Source<'a>,
    root: Map<String, Value>,
    /// The keys of the table that follows its header.
    table: Vec<String>,
    /// The keys of what comes next.
    keys: Vec<String>,
    open: Vec<Open>,
    fault: Option<ParseError>,
}

impl<'a> Document<'a> {
    fn new(source: Source<'a>) -> Self {
        let (table, keys) = (Vec::new(), Vec::new());
        Self { source, root: Map::new(), table, keys, open: Vec::new(), fault: None }
    }

    fn take(&mut self, event: &Event) {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => self.keys.clear(),
            EventKind::StdTableClose => {
                self.table = std::mem::take(&mut self.keys);
                let _ = at(&mut self.root, &self.table);
            }
            EventKind::ArrayTableClose => {
                self.table = std::mem::take(&mut self.keys);
                self.begin_element();
            }
            EventKind::SimpleKey => {
                if let Some(raw) = self.raw(event) {
                    let mut key = Cow::Borrowed("");
                    raw.decode_key(&mut key, &mut self.fault);
                    self.keys.push(key.into_owned());
                }
            }
            EventKind::Scalar => self.scalar(event),
            EventKind::ArrayOpen => {
                let keys = std::mem::take(&mut self.keys);
                self.open.push(Open::Array(keys, Vec::new()));
            }
            EventKind::InlineTableOpen => {
                let keys = std::mem::take(&mut self.keys);
                self.open.push(Open::Table(keys, Map::new()));
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => match self.open.pop() {
                Some(Open::Array(keys, items)) => self.put(keys, Value::Array(items)),
                Some(Open::Table(keys, map)) => self.put(keys, Value::Object(map)),
                None => {}
            },
            _ => {}
        }
    }

    fn raw(&self, event: &Event) -> Option<Raw<'a>> {
        self.source.get(event)
    }

    fn scalar(&mut self, event: &Event) {
        let Some(raw) = self.raw(event) else { return };
        let mut text = Cow::Borrowed("");
        let value = match raw.decode_scalar(&mut text, &mut self.fault) {
            ScalarKind::Boolean(is) => Value::Bool(is),
            ScalarKind::Integer(radix) => i64::from_str_radix(&text, radix.value())
                .map_or_else(|_| Value::String(text.into_owned()), Value::from),
            // Dates and decimal numbers are compared as texts, if at all.
            _ => Value::String(text.into_owned()),
        };
        let keys = std::mem::take(&mut self.keys);
        self.put(keys, value);
    }

    fn put(&mut self, keys: Vec<String>, value: Value) {
        let (map, keys) = match self.open.last_mut() {
            Some(Open::Array(_, items)) => return items.push(value),
            Some(Open::Table(_, map)) => (Some(map), keys),
            None => (at(&mut self.root, &self.table), keys),
        };
        if let Some((last, path)) = keys.split_last()
            && let Some(map) = map.and_then(|map| at(map, path))
        {
            map.insert(last.clone(), value);
        }
    }

    /// A further element of the array of tables at `self.table`.
    fn begin_element(&mut self) {
        let Some((last, path)) = self.table.split_last() else { return };
        if let Some(map) = at(&mut self.root, path) {
            let array = map.entry(last.clone()).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(items) = array {
                items.push(Value::Object(Map::new()));
            }
        }
    }
}

/// The table at `path`, made where it is not; of an array of tables the last one. `None` where a key
/// holds something else.
fn at<'m>(map: &'m mut Map<String, Value>, path: &[String]) -> Option<&'m mut Map<String, Value>> {
    let mut map = map;
    for key in path {
        let next = map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
        map = match next {
            Value::Object(map) => map,
            Value::Array(items) => items.last_mut()?.as_object_mut()?,
            _ => return None,
        };
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_become_values() {
        let text = "a.b = 1 # c\n[t.\"x.y\"]\nl = [ \"1\", { k = 'v' }, [true] ]\nd = 2026-01-02\n\
                    [[p]]\nname = \"a\"\n[p.q]\nz = 0x1F\n[[p]]\nname = \"\"\"\nb\"\"\"\n";
        let value = parse(text).expect("TOML");
        let want = json!({
            "a": {"b": 1},
            "t": {"x.y": {"l": ["1", {"k": "v"}, [true]], "d": "2026-01-02"}},
            "p": [{"name": "a", "q": {"z": 31}}, {"name": "b"}],
        });
        assert_eq!(value, want);
    }

    #[test]
    fn faults_have_a_place() {
        let (at, message) = parse("a = 1\nb = \n").expect_err("a fault");
        assert!((9..=12).contains(&at) && !message.is_empty(), "{at} {message}");
        assert!(parse("a = [1\n[b]\n").is_err());
        let deep = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&deep).is_err());
    }
}
