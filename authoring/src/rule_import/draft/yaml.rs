//! Writes JSON values as the YAML of a page header.

use serde_json::Value as Json;
use std::fmt::Write as _;

/// The order in which the keys of a header are written; other keys follow by name.
const KEY_ORDER: &str = "files exclude when params text syntax tree data layers commit doc language each at require regex rule constraints matches fix";

/// Writes a mapping or a list below a key, in block style.
pub(super) fn block(value: &Json, indent: usize, text: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Json::Object(map) if !map.is_empty() => {
            text.push('\n');
            let rank = |key: &String| {
                KEY_ORDER.split(' ').position(|known| known == key).unwrap_or(usize::MAX)
            };
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_by_key(|key| (rank(key), key.as_str()));
            for key in keys {
                let _ = write!(text, "{pad}{}:", scalar(&Json::from(key.as_str())));
                block(&map[key], indent + 1, text);
            }
        }
        Json::Array(items) if items.iter().any(Json::is_object) => {
            text.push('\n');
            for item in items {
                let _ = writeln!(text, "{pad}- {}", flow(item));
            }
        }
        other => {
            let _ = writeln!(text, " {}", flow(other));
        }
    }
}

/// A value on one line, in flow style.
pub(super) fn flow(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(map) => {
            let pair = |(key, value): (&String, &Json)| {
                format!("{}: {}", scalar(&Json::from(key.as_str())), flow(value))
            };
            let pairs: Vec<String> = map.iter().map(pair).collect();
            if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
        }
        other => scalar(other),
    }
}

/// A scalar, quoted if YAML would otherwise parse it as another type.
pub(super) fn scalar(value: &Json) -> String {
    let Json::String(text) = value else { return value.to_string() };
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b))
        && !words.contains(&text.to_ascii_lowercase().as_str());
    if plain {
        text.clone()
    } else if text.contains(is_invisible) {
        escape(value)
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Whether a character is invisible or easily mistaken for another character: control characters,
/// unusual spaces, zero-width and bidirectional marks, and private-use characters.
fn is_invisible(c: char) -> bool {
    let is_mark = matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{E000}'..='\u{F8FF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFF0}'..='\u{FFFF}' | '\u{E0000}'..);
    c.is_control() || is_mark || c.is_whitespace() && c != ' '
}

/// A double-quoted JSON string with all invisible characters escaped.
fn escape(value: &Json) -> String {
    let written = |c: char| match c {
        c if is_invisible(c) => format!("\\U{:08X}", u32::from(c)),
        c => c.to_string(),
    };
    value.to_string().chars().map(written).collect()
}
