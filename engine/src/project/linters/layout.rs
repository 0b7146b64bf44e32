//! The maximum line width in the settings of formatters.

use super::content::Content;

/// A formatter, the JSON pointers to its line width, and its default.
type Width = (&'static str, &'static [&'static str], Option<u64>);

/// From the documentation of the formatters. Without a default, the formatter does not break lines.
const WIDTHS: [Width; 6] = [
    ("biome", &["/javascript/formatter/lineWidth", "/formatter/lineWidth"], Some(80)),
    ("black", &["/tool/black/line-length"], Some(88)),
    ("editorconfig", &[], None),
    ("prettier", &["/printWidth", "/prettier/printWidth"], Some(80)),
    ("ruff format", &["/tool/ruff/line-length", "/line-length"], Some(88)),
    ("rustfmt", &["/max_width"], Some(100)),
];

/// The maximum line width that a formatter enforces; `None` if it is not known or there is none.
pub(super) fn max_line_width(tool: &str, settings: &Content) -> Option<u64> {
    let (_, pointers, default) = WIDTHS.iter().find(|(known, ..)| *known == tool)?;
    match settings {
        Content::Data(data) => {
            let set = pointers.iter().find_map(|pointer| data.pointer(pointer));
            set.map_or(*default, serde_json::Value::as_u64)
        }
        Content::Program(text) | Content::Text(text) => {
            let keys = ["printWidth", "max_line_length", "line-length"];
            keys.iter().find_map(|key| number_after(text, key)).or(*default)
        }
    }
}

/// The number of an assignment to `key`: `printWidth: 100`, `max_line_length = 100`.
fn number_after(text: &str, key: &str) -> Option<u64> {
    let rest = &text[text.find(key)? + key.len()..];
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ":='\"".contains(c));
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
