//! The text of a pack: a head, sections with one row per line, and statistics, within a budget that is
//! counted on the text itself.

use aidd_engine::check::Distribution;
use aidd_engine::project::config::MemoryConfig;
use aidd_engine::text::escape;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The limits of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of characters of the file.
    pub chars: usize,
    /// Maximum number of lines of the file.
    pub lines: usize,
    /// Maximum number of rows of a section.
    pub rows: usize,
}

impl Limits {
    /// The limits of the format, which the configuration can only lower.
    pub const MAX: Self = Self { chars: 8000, lines: 180, rows: 15 };
}

impl From<&MemoryConfig> for Limits {
    fn from(config: &MemoryConfig) -> Self {
        let set = config.limits.unwrap_or_default();
        let at_most = |own: Option<usize>, max: usize| own.map_or(max, |own| own.min(max));
        Self {
            chars: at_most(set.chars, Self::MAX.chars),
            lines: at_most(set.lines, Self::MAX.lines),
            rows: at_most(set.rows, Self::MAX.rows),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::MAX
    }
}

/// Maximum number of characters of a cell before secrets are masked; a cell is cut to the width of
/// its column afterwards.
const MAX_RAW_CHARS: usize = 2000;

/// A column: its name and the maximum number of characters of its cells.
pub(crate) type Column = (&'static str, usize);

/// A section of a pack.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    /// The columns; a section with one column without a name is a plain list.
    pub(crate) columns: &'static [Column],
    /// The rows, most important first.
    pub(crate) rows: Vec<Vec<Value>>,
}

impl Section {
    pub(crate) fn new(name: &'static str, columns: &'static [Column]) -> Self {
        Self { name, columns, rows: Vec::new() }
    }

    fn is_list(&self) -> bool {
        matches!(self.columns, [("", _)])
    }

    fn push_text(&self, text: &mut String) {
        if self.is_list() {
            let _ = write!(text, "\"{}\":[", self.name);
        } else {
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
            let _ = write!(text, "\"{}\":{{\"cols\":{},\"rows\":[", self.name, json!(names));
        }
        for (at, row) in self.rows.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = writeln!(text, "{comma}");
            match (self.is_list(), row.first()) {
                (true, Some(cell)) => text.push_str(&cell.to_string()),
                _ => text.push_str(&Value::from(row.clone()).to_string()),
            }
        }
        if !self.rows.is_empty() {
            text.push('\n');
        }
        text.push_str(if self.is_list() { "],\n" } else { "]},\n" });
    }
}

/// A pack that is not yet cut to its budget.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The fields before the sections.
    pub(crate) head: Vec<(&'static str, Value)>,
    pub(crate) sections: Vec<Section>,
    /// The sections in the order in which their rows are dropped.
    pub(crate) drop_order: &'static [&'static str],
    /// Statistics in addition to the counts of rows.
    pub(crate) stats: Map<String, Value>,
}

impl Draft {
    /// Masks secrets, cuts the cells, and drops rows until the text is within `limits`.
    pub(crate) fn render(mut self, limits: Limits, distribution: &'static Distribution) -> String {
        let mut dropped = Map::new();
        for section in &mut self.sections {
            let surplus = section.rows.len().saturating_sub(limits.rows);
            section.rows.truncate(limits.rows);
            dropped.insert(section.name.to_owned(), surplus.into());
        }
        mask(&mut self.sections, distribution);
        loop {
            let text = self.text(&dropped);
            let is_within =
                text.chars().count() <= limits.chars && text.lines().count() <= limits.lines;
            if is_within || !self.drop_row(&mut dropped) {
                return text;
            }
        }
    }

    /// Drops the last row of the first section in the drop order that has rows.
    fn drop_row(&mut self, dropped: &mut Map<String, Value>) -> bool {
        for name in self.drop_order {
            let Some(section) = self.sections.iter_mut().find(|section| section.name == *name)
            else {
                continue;
            };
            if section.rows.pop().is_some() {
                let count = dropped.get(*name).and_then(Value::as_u64).unwrap_or_default();
                dropped.insert((*name).to_owned(), (count + 1).into());
                return true;
            }
        }
        false
    }

    fn text(&self, dropped: &Map<String, Value>) -> String {
        let mut text = String::from("{\n");
        for (name, value) in &self.head {
            let _ = writeln!(text, "\"{name}\":{value},");
        }
        for section in &self.sections {
            section.push_text(&mut text);
        }
        let rows = self
            .sections
            .iter()
            .map(|section| (section.name.to_owned(), section.rows.len().into()));
        let mut stats = self.stats.clone();
        stats.insert("rows".to_owned(), Value::Object(rows.collect()));
        stats.insert("dropped".to_owned(), Value::Object(dropped.clone()));
        let stats = |chars: usize, lines: usize| {
            let mut stats = stats.clone();
            stats.insert("chars".to_owned(), chars.into());
            stats.insert("lines".to_owned(), lines.into());
            format!("\"stats\":{}\n}}\n", Value::Object(stats))
        };
        let (before, lines) = (text.chars().count(), text.lines().count() + 2);
        // The count is part of the counted text: it grows with each digit, so this ends.
        let mut chars = before;
        loop {
            let end = stats(chars, lines);
            let counted = before + end.chars().count();
            if counted == chars {
                text.push_str(&end);
                return text;
            }
            chars = counted;
        }
    }
}

/// Masks the secrets in all cells and cuts each cell to the width of its column.
fn mask(sections: &mut [Section], distribution: &'static Distribution) {
    let mut cells: Vec<(&mut String, usize)> = Vec::new();
    for section in sections {
        for row in &mut section.rows {
            for (cell, (_, width)) in row.iter_mut().zip(section.columns) {
                match cell {
                    Value::String(text) => cells.push((text, *width)),
                    Value::Array(items) => {
                        let texts = items.iter_mut().filter_map(|item| match item {
                            Value::String(text) => Some((text, *width)),
                            _ => None,
                        });
                        cells.extend(texts);
                    }
                    _ => {}
                }
            }
        }
    }
    let raw: Vec<String> = cells.iter().map(|(text, _)| one_line(text, MAX_RAW_CHARS)).collect();
    for ((cell, width), text) in cells.into_iter().zip(masked(raw, distribution)) {
        *cell = one_line(&text, width);
    }
}

/// Masks the secrets in strings without line breaks, in one pass over all of them.
pub(crate) fn masked(lines: Vec<String>, distribution: &'static Distribution) -> Vec<String> {
    let joined = distribution.redact(&lines.join("\n"));
    let found: Vec<String> = joined.split('\n').map(str::to_owned).collect();
    // A masked part that crosses lines would assign text to the wrong cell.
    if found.len() == lines.len() { found } else { distribution.redact_all(lines) }
}

/// The text on one line without hidden characters, with at most `chars` characters.
pub(crate) fn one_line(text: &str, chars: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = escape::line(&words.join(" ")).into_owned();
    match line.char_indices().nth(chars) {
        None => line,
        Some(_) => {
            let end = line.char_indices().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}…", line[..end].trim_end())
        }
    }
}
