//! Adds a table to a client's TOML file and removes it again, by editing the text. All other
//! content is preserved.

use super::{Edited, Malformed};
use toml_edit::{Document, Item, Table};

/// The key of the table of servers, and the key of aidd's entry in that table.
const TABLE_PATH: [&str; 2] = ["mcp_servers", "aidd"];

/// Adds the table of `template` to `text`, unless a table with that name exists.
///
/// # Errors
/// Fails when `text` is malformed, or has its servers in an inline table.
pub(super) fn add(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (document, expected) = (parse(text)?, parse(template)?);
    let name = TABLE_PATH.join(".");
    if let Some(found) = own_entry(document.as_table()) {
        let is_same =
            own_entry(expected.as_table()).is_some_and(|expected| is_same(found, expected));
        let differing = if is_same { Vec::new() } else { vec![name] };
        return Ok(Edited { text: Some(text.to_owned()), differing });
    }
    if let Some(servers) = document.as_table().get(TABLE_PATH[0])
        && !servers.is_table()
    {
        let offset = servers.span().map_or(0, |span| span.start);
        let why = format!("expected `{}` to be a table; write [{name}] tables", TABLE_PATH[0]);
        return Err(Malformed::at(text, offset, why));
    }
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = text.to_owned();
    if !added.is_empty() {
        if !added.ends_with('\n') {
            added.push_str(line_break);
        }
        added.push_str(line_break);
    }
    added.push_str(&template.replace('\n', line_break));
    // Never write a file that the client cannot parse.
    parse(&added)?;
    Ok(Edited { text: Some(added), differing: Vec::new() })
}

/// Removes the table of `template` from `text`. The result has no text if the file contains nothing
/// else.
///
/// # Errors
/// Fails when `text` is malformed.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (document, expected) = (parse(text)?, parse(template)?);
    let unchanged = |differing| Edited { text: Some(text.to_owned()), differing };
    let Some(found) = own_entry(document.as_table()) else { return Ok(unchanged(Vec::new())) };
    let is_same = own_entry(expected.as_table()).is_some_and(|expected| is_same(found, expected));
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = template.replace('\n', line_break);
    let offset = text
        .find(&block)
        .filter(|offset| is_same && (*offset == 0 || text[..*offset].ends_with('\n')));
    let Some(offset) = offset else { return Ok(unchanged(vec![TABLE_PATH.join(".")])) };
    let (before, after) = (&text[..offset], &text[offset + block.len()..]);
    // Also remove the empty line that was added before the table.
    let before = before
        .strip_suffix(&format!("{line_break}{line_break}"))
        .map_or(before, |stripped| &before[..stripped.len() + line_break.len()]);
    let remaining = format!("{before}{after}");
    parse(&remaining)?;
    let text = (!remaining.trim().is_empty()).then_some(remaining);
    Ok(Edited { text, differing: Vec::new() })
}

fn parse(text: &str) -> Result<Document<&str>, Malformed> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or("malformed").to_owned();
        Malformed::at(text, offset, message)
    })
}

fn own_entry(root: &Table) -> Option<&Item> {
    root.get(TABLE_PATH[0])?.as_table_like()?.get(TABLE_PATH[1])
}

fn is_same(left: &Item, right: &Item) -> bool {
    if let (Some(left), Some(right)) = (left.as_table_like(), right.as_table_like()) {
        return left.len() == right.len()
            && left
                .iter()
                .all(|(key, value)| right.get(key).is_some_and(|right| is_same(value, right)));
    }
    if let (Some(left), Some(right)) = (left.as_array(), right.as_array()) {
        return left.len() == right.len()
            && left.iter().zip(right.iter()).all(|(left, right)| left.as_str() == right.as_str());
    }
    left.as_str().is_some() && left.as_str() == right.as_str()
}
