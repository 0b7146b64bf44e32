//! Adds a table to a client's TOML file and removes it again, by editing the text. All other
//! content is preserved.

use super::{Edited, Malformed};
use toml_edit::{Document, Item, Table};

/// Table of the servers, and the name of aidd's entry.
const PLACE: [&str; 2] = ["mcp_servers", "aidd"];

/// Adds the table of `template` to `text`, unless a table with that name exists.
///
/// # Errors
/// When `text` is malformed, or has its servers in an inline table.
pub(super) fn add(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (document, wanted) = (parse(text)?, parse(template)?);
    let name = PLACE.join(".");
    if let Some(found) = own_entry(document.as_table()) {
        let is_same = own_entry(wanted.as_table()).is_some_and(|wanted| is_same(found, wanted));
        let kept = if is_same { Vec::new() } else { vec![name] };
        return Ok(Edited { text: Some(text.to_owned()), differing: kept });
    }
    if let Some(servers) = document.as_table().get(PLACE[0])
        && !servers.is_table()
    {
        let at = servers.span().map_or(0, |span| span.start);
        let why = format!("expected `{}` to be a table; write [{name}] tables", PLACE[0]);
        return Err(Malformed::at(text, at, why));
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = text.to_owned();
    if !added.is_empty() {
        if !added.ends_with('\n') {
            added.push_str(end);
        }
        added.push_str(end);
    }
    added.push_str(&template.replace('\n', end));
    // Never write a file that the client cannot parse.
    parse(&added)?;
    Ok(Edited { text: Some(added), differing: Vec::new() })
}

/// Removes the table of `template` from `text`. The result has no text if nothing else is left.
///
/// # Errors
/// When `text` is malformed.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let (document, wanted) = (parse(text)?, parse(template)?);
    let stays = |kept| Edited { text: Some(text.to_owned()), differing: kept };
    let Some(found) = own_entry(document.as_table()) else { return Ok(stays(Vec::new())) };
    let is_same = own_entry(wanted.as_table()).is_some_and(|wanted| is_same(found, wanted));
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = template.replace('\n', end);
    let at = text.find(&block).filter(|at| is_same && (*at == 0 || text[..*at].ends_with('\n')));
    let Some(at) = at else { return Ok(stays(vec![PLACE.join(".")])) };
    let (before, after) = (&text[..at], &text[at + block.len()..]);
    // Also remove the empty line that was added before it.
    let before = before
        .strip_suffix(&format!("{end}{end}"))
        .map_or(before, |kept| &before[..kept.len() + end.len()]);
    let left = format!("{before}{after}");
    parse(&left)?;
    let text = (!left.trim().is_empty()).then_some(left);
    Ok(Edited { text, differing: Vec::new() })
}

fn parse(text: &str) -> Result<Document<&str>, Malformed> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or("malformed").to_owned();
        Malformed::at(text, at, message)
    })
}

fn own_entry(root: &Table) -> Option<&Item> {
    root.get(PLACE[0])?.as_table_like()?.get(PLACE[1])
}

fn is_same(one: &Item, other: &Item) -> bool {
    if let (Some(one), Some(other)) = (one.as_table_like(), other.as_table_like()) {
        return one.len() == other.len()
            && one
                .iter()
                .all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)));
    }
    if let (Some(one), Some(other)) = (one.as_array(), other.as_array()) {
        return one.len() == other.len()
            && one.iter().zip(other.iter()).all(|(one, other)| one.as_str() == other.as_str());
    }
    one.as_str().is_some() && one.as_str() == other.as_str()
}
