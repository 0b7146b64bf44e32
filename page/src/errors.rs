//! All errors in the header of a rule page: the parser stops at the first one, so the entry that
//! contains it is blanked, and the rest is parsed again.

use crate::{PageError, header, split};
use std::ops::Range;

/// Maximum number of errors that are reported for one header.
const MAX_ERRORS: usize = 20;

/// The errors in the header of a page, in order, and the page without the invalid entries if the
/// rest of its header is valid; offsets are the same in both. After an error in the syntax, or a
/// missing key, the rest of the header is not examined.
#[must_use]
pub fn header_errors(page: &str) -> (Vec<PageError>, Option<String>) {
    let mut text = page.to_owned();
    let mut errors: Vec<PageError> = Vec::new();
    let mut blanked: Vec<Range<usize>> = Vec::new();
    let mut is_valid = false;
    while blanked.len() < MAX_ERRORS {
        let Err(error) = header(&text) else {
            is_valid = true;
            break;
        };
        let entry = entry_at(&text, error.span.start).filter(|_| concerns_entry(&error));
        // An entry without its blanked value is not an error of the page.
        let is_caused = error.message.ends_with("found nothing")
            && entry.as_ref().is_some_and(|entry| {
                blanked.iter().any(|range| entry.start <= range.start && range.end <= entry.end)
            });
        if !errors.is_empty() && entry.is_none() {
            break;
        }
        if !is_caused {
            errors.push(error);
        }
        let Some(entry) = entry else { break };
        let blank = |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
        let spaces: String = text[entry.clone()].chars().map(blank).collect();
        text.replace_range(entry.clone(), &spaces);
        blanked.push(entry);
    }
    errors.sort_by_key(|error| error.span.start);
    (errors, is_valid.then_some(text))
}

/// Whether an error concerns a key or a value, and not the syntax or the header as a whole.
fn concerns_entry(error: &PageError) -> bool {
    let message = error.message.as_str();
    error.did_you_mean.is_some()
        || message.starts_with("expected ")
        || message.starts_with("duplicate key ")
}

/// The byte range of the mapping entry or list item at `at`: in a flow collection on one line the
/// entry with its comma, otherwise the lines of the key and of its value.
fn entry_at(page: &str, at: usize) -> Option<Range<usize>> {
    let (header, _) = split(page).ok()?;
    if !header.contains(&at) {
        return None;
    }
    let line_start = page[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_end = page[at..].find('\n').map_or(page.len(), |end| at + end);
    let line = &page[line_start..line_end];
    if let Some(entry) = flow_entry(line, at - line_start) {
        return Some(line_start + entry.start..line_start + entry.end);
    }
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = indent(line);
    let is_below = |line: &&str| line.trim().is_empty() || indent(line) > own;
    let below = page[line_end..header.end].strip_prefix('\n').unwrap_or_default();
    let length: usize = below.split_inclusive('\n').take_while(is_below).map(str::len).sum();
    // The line break after the value remains.
    let end = if length == 0 { line_end } else { line_end + length };
    Some(line_start + own..end)
}

/// The innermost entry of a flow collection of `line` that contains the offset `at`, with the comma
/// after it.
fn flow_entry(line: &str, at: usize) -> Option<Range<usize>> {
    // The start of the current entry of each open collection.
    let mut open: Vec<usize> = Vec::new();
    let mut quote = None;
    let mut found: Option<(usize, usize)> = None;
    let mut before = ':';
    for (offset, c) in line.char_indices() {
        if offset == at && !open.is_empty() {
            found = open.last().map(|&start| (start, open.len()));
        }
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if " :,[{".contains(before) => quote = Some(c),
            // A bracket within a plain value of a block is part of the value.
            (None, '{' | '[') if !open.is_empty() || ":-".contains(before) => {
                open.push(offset + 1);
                // An error in the collection as a whole belongs to the entry around it.
            }
            (None, '}' | ']' | ',') if !open.is_empty() => {
                if let Some((start, depth)) = found
                    && depth == open.len()
                {
                    return Some(start..offset + usize::from(c == ','));
                }
                if c == ',' {
                    *open.last_mut()? = offset + 1;
                } else {
                    open.pop();
                }
            }
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::header_errors;

    fn errors(header: &str) -> Vec<String> {
        let page = format!("---\n{header}\n---\n# a/b\n");
        let errors = header_errors(&page).0.into_iter();
        errors.map(|error| format!("{}: {}", &page[error.span], error.message)).collect()
    }

    #[test]
    fn all_unknown_keys_and_wrong_values_are_returned_at_once() {
        assert_eq!(
            errors(
                "severity: warning\ntgas: [a]\nenabled: yes\ncheck:\n  fles: ['a/**']\n  text: { regx: b, regex: 'a, }', max: -1, reqire: 2 }\n  when:\n    - nearst: x\nmesage: c"
            ),
            [
                "tgas: unknown key `tgas`",
                "yes: expected `true` or `false`",
                "fles: unknown key `fles`",
                "regx: unknown key `regx`",
                "-1: expected a non-negative integer",
                "reqire: unknown key `reqire`",
                "nearst: unknown key `nearst`",
                "mesage: unknown key `mesage`",
            ]
        );
    }

    #[test]
    fn an_error_is_not_followed_by_its_consequences() {
        assert_eq!(errors("severity: loud"), ["loud: unknown value `loud`"]);
        assert_eq!(errors("sevrity: info"), ["sevrity: unknown key `sevrity`"]);
        assert_eq!(
            errors("severity: info\ncheck:\n  text: foo\nx: 1"),
            ["foo: expected a mapping, such as `{ key: value }`", "x: unknown key `x`"]
        );
        assert_eq!(
            errors("severity: info\ncheck:\n  text: { regx: a }\n  tree:\n    eech: b\n"),
            ["regx: unknown key `regx`", "eech: unknown key `eech`"]
        );
        assert_eq!(errors("severity: info\ncheck: \"a\nx: 1").len(), 1);
        assert_eq!(errors("severity: info"), [""; 0]);
    }

    #[test]
    fn the_valid_rest_of_a_header_is_returned() {
        let rest = |header: &str| header_errors(&format!("---\n{header}\n---\n# a/b\n")).1;
        assert_eq!(
            rest("severity: info\ntgas: [a]\ncheck:\n  text: { regex: a, regx: b }").as_deref(),
            Some(
                "---\nseverity: info\n         \ncheck:\n  text: { regex: a,         }\n---\n# a/b\n"
            )
        );
        assert_eq!(rest("severity: info\ncheck:\n  text: { regx: a }"), None);
        assert_eq!(rest("tgas: [a]"), None);
    }
}
