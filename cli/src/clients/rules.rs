//! Adds instructions for the agent to a client's rules file, between two markers, and removes them
//! again.

use super::{Edited, Malformed};

const BEGIN: &str = "<!-- aidd init -->";
const END: &str = "<!-- /aidd init -->";
/// The line of a template that the instructions replace.
const PLACEHOLDER: &str = "<!-- aidd -->\n";

/// Inserts `rules` between the markers: replaces an existing block, appends a new one, or creates
/// the file from `template`.
///
/// # Errors
/// Fails when only one of the two markers exists.
pub(super) fn add(text: Option<&str>, template: &str, rules: &str) -> Result<Edited, Malformed> {
    let block = format!("{BEGIN}\n{}\n{END}\n", rules.trim());
    let edited = |text: String| Edited { text: Some(text), differing: Vec::new() };
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(edited(template.replace(PLACEHOLDER, &block)));
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', line_break);
    if let Some((before, _, after)) = split(text)? {
        return Ok(edited(format!("{before}{block}{after}")));
    }
    let separator = if text.ends_with('\n') { "" } else { line_break };
    Ok(edited(format!("{text}{separator}{line_break}{block}")))
}

/// Removes the markers and the text between them. The result has no text if the file contains
/// nothing else.
///
/// # Errors
/// Fails when only one of the two markers exists.
pub(super) fn remove(text: &str, template: &str) -> Result<Edited, Malformed> {
    let Some((before, _, after)) = split(text)? else {
        return Ok(Edited { text: Some(text.to_owned()), differing: Vec::new() });
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // Also remove the empty line that was added before the block.
    let before = before
        .strip_suffix(&format!("{line_break}{line_break}"))
        .map_or(before, |stripped| &before[..stripped.len() + line_break.len()]);
    let remaining = format!("{before}{after}");
    let is_template =
        remaining.replace("\r\n", "\n").trim() == template.replace(PLACEHOLDER, "").trim();
    Ok(Edited {
        text: (!is_template && !remaining.trim().is_empty()).then_some(remaining),
        differing: Vec::new(),
    })
}

/// Splits a file into the text before, between and after the markers; `None` without markers.
fn split(text: &str) -> Result<Option<(&str, &str, &str)>, Malformed> {
    let Some(start) = text.find(BEGIN) else {
        return match text.find(END) {
            Some(offset) => {
                Err(Malformed::at(text, offset, format!("{END} has no {BEGIN} before it")))
            }
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
            .filter(|offset| text[end..end + offset].trim().is_empty())
            .map_or(0, |offset| offset + 1);
    Ok(Some((&text[..start], &text[start..end], &text[end..])))
}
