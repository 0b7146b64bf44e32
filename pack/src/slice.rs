//! Slices: the rows of all packs that match a query, also those that the budgets left out.

use crate::budget::{Column, Draft, Section, one_line};
use crate::code::Code;
use crate::{Gathered, Pack, PackError, place};
use aidd_engine::parse::lines::id::digest;
use aidd_engine::parse::lines::words::fold_text;
use aidd_index::query::Reader;
use serde_json::{Map, Value};

/// The schema of a slice.
pub(crate) const SCHEMA: &str = "aidd.memory.slice.v1";

const HITS: &[Column] = &[("kind", 20), ("ref", 160), ("snippet", 220), ("source", 160)];
/// Maximum number of symbols of the code index.
const MAX_SYMBOLS: u32 = 5;

/// The cells of a row as text.
fn texts(row: &[Value]) -> Vec<&str> {
    let mut texts = Vec::new();
    for cell in row {
        match cell {
            Value::String(text) => texts.push(&**text),
            Value::Array(items) => texts.extend(items.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    texts
}

/// A matching row as a hit: its reference is the first cell, its source the cell with a path.
fn hit(section: &Section, row: &[Value], source: &str) -> Vec<Value> {
    let at = |name: &str| {
        let position = section.columns.iter().position(|(column, _)| *column == name)?;
        row.get(position).and_then(Value::as_str)
    };
    let reference = row.first().and_then(Value::as_str).unwrap_or_default();
    let text = ["definition", "value", "decision", "text", "signature"].into_iter().find_map(at);
    let topic = at("topic").filter(|topic| !topic.is_empty());
    let text = match (topic, text) {
        (Some(topic), Some(text)) => format!("{topic}: {text}"),
        (None, Some(text)) => text.to_owned(),
        _ => texts(row).join(" "),
    };
    let own = at("source").or_else(|| at("scope")).or_else(|| at("memory_id")).unwrap_or(source);
    vec![section.name.into(), one_line(reference, 160).into(), text.into(), own.into()]
}

impl Gathered<'_> {
    /// The rows that contain all words of `query`, or have this id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn slice(&self, query: &str, reader: Option<&Reader>) -> Result<Pack, PackError> {
        let query = one_line(&fold_text(query), 120);
        let words: Vec<&str> = query.split_whitespace().collect();
        let mut code = reader.map(Code::new);
        let semantic = self.semantic(code.as_mut())?;
        let drafts = [semantic, self.decisions(), self.research(code.as_mut())?];
        let mut hits = Section::new("hits", HITS);
        for draft in &drafts {
            let source = draft.head.iter().find(|(name, _)| *name == "source_path");
            let source = source.and_then(|(_, value)| value.as_str()).unwrap_or_default();
            for section in &draft.sections {
                for row in &section.rows {
                    let text = texts(row).join(" ").to_lowercase();
                    if !words.is_empty() && words.iter().all(|word| text.contains(word)) {
                        hits.rows.push(hit(section, row, source));
                    }
                }
            }
        }
        if let (Some(reader), [word]) = (reader, &words[..]) {
            for symbol in reader.find(word, MAX_SYMBOLS)? {
                let source = format!("{}:{}", symbol.path, symbol.line);
                let row: Vec<Value> = vec![
                    "symbols".into(),
                    symbol.key.into(),
                    symbol.signature.into(),
                    source.into(),
                ];
                if !hits.rows.iter().any(|known| known[1] == row[1]) {
                    hits.rows.push(row);
                }
            }
        }
        let name = digest(&[&query]);
        let mut head = self.head(SCHEMA, "memory-slice", place::DIR);
        head.push(("query", query.into()));
        let mut stats = Map::new();
        stats.insert(
            "input_hash".to_owned(),
            digest(&[&Value::from(hits.rows.clone()).to_string()]).into(),
        );
        stats.insert("inputs".to_owned(), drafts.len().into());
        let draft = Draft { head, sections: vec![hits], drop_order: &["hits"], stats };
        let text = draft.render(self.limits, self.project.distribution());
        let path = format!("{}/context/{}.memory-slice.{name}.pack.json", place::DIR, self.ticket);
        Ok(Pack { path, text })
    }
}
