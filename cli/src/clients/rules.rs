//! Adding what an agent should know of aidd to a rules file of a client, between two marks, and
//! taking it out again.

use super::{Edited, Malformed};

const BEGIN: &str = "<!-- aidd init -->";
const END: &str = "<!-- /aidd init -->";
/// The line of a template that stands for what is said.
const SLOT: &str = "<!-- aidd -->\n";

/// `text` with `rules` between the marks: anew where they are, else at the end; a whole file from
/// `template` when there is none.
///
/// # Errors
/// When a mark has no other.
pub(super) fn add(text: Option<&str>, template: &str, rules: &str) -> Result<Edited, Malformed> {
    let block = format!("{BEGIN}\n{}\n{END}\n", rules.trim());
    let whole = |text: String| Edited { text: Some(text), kept: Vec::new() };
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(whole(template.replace(SLOT, &block)));
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', end);
    if let Some((before, _, after)) = split(text)? {
        return Ok(whole(format!("{before}{block}{after}")));
    }
    let line = if text.ends_with('\n') { "" } else { end };
    Ok(whole(format!("{text}{line}{end}{block}")))
}

/// `text` without the marks and what is between them; no text when nothing of anybody else's is
/// left.
///
/// # Errors
/// When a mark has no other.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let Some((before, _, after)) = split(text)? else {
        return Ok(Edited { text: Some(text.to_owned()), kept: Vec::new() });
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // The empty line that was put before the block goes with it.
    let before = before
        .strip_suffix(&format!("{end}{end}"))
        .map_or(before, |kept| &before[..kept.len() + end.len()]);
    let left = format!("{before}{after}");
    let is_ours = left.replace("\r\n", "\n").trim() == template.replace(SLOT, "").trim();
    Ok(Edited { text: (!is_ours && !left.trim().is_empty()).then_some(left), kept: Vec::new() })
}

/// A file before, in and after the marks; `None` when it has none.
fn split(text: &str) -> Result<Option<(&str, &str, &str)>, Malformed> {
    let Some(start) = text.find(BEGIN) else {
        return match text.find(END) {
            Some(at) => Err(Malformed::at(text, at, format!("{END} has no {BEGIN} before it"))),
            None => Ok(None),
        };
    };
    let Some(length) = text[start..].find(END) else {
        return Err(Malformed::at(text, start, format!("{BEGIN} has no {END} after it")));
    };
    let end = start + length + END.len();
    let end = end
        + text[end..]
            .find('\n')
            .filter(|at| text[end..end + at].trim().is_empty())
            .map_or(0, |at| at + 1);
    Ok(Some((&text[..start], &text[start..end], &text[end..])))
}
