//! Position of the rules block in a file that people also edit.

use aidd_authoring::suggest::EXPORT_MARKERS as MARKERS;
use aidd_engine::parse::markdown::{closes_fence, fence_delimiter};
use std::ops::Range;

/// Replaces the block in `before` with `block`, or appends `block`. The rest of the text is
/// unchanged; the block uses the line endings of the file.
///
/// # Errors
/// Fails when the markers do not define exactly one block. The error contains the marker, its line
/// and the remedy.
pub(super) fn replace_block(before: &str, block: &str) -> Result<String, String> {
    let range = find_block(before)?;
    let first = before.find('\n').map(|end| &before[..=end]);
    let line_ending = if first.is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let with_file_endings = |text: &str| text.replace("\r\n", "\n").replace('\n', line_ending);
    Ok(match range {
        Some(range) => {
            let (head, rest) = (&before[..range.start], &before[range.end..]);
            format!("{head}{}{rest}", with_file_endings(block.trim_end()))
        }
        None if before.trim_start_matches('\u{feff}').is_empty() => format!("{before}{block}"),
        None => {
            let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
            format!("{before}{}{}", with_file_endings(gap), with_file_endings(block))
        }
    })
}

/// A marker in the file.
struct Marker {
    is_start: bool,
    /// Line number, counted from 1.
    line: usize,
    range: Range<usize>,
}

/// Range from the start marker to the end of the end marker; `None` without a block.
fn find_block(text: &str) -> Result<Option<Range<usize>>, String> {
    let (markers, unclosed_line) = find_markers(text)?;
    let name = |marker: &Marker| if marker.is_start { MARKERS.0 } else { MARKERS.1 };
    match &markers[..] {
        [] => match unclosed_line {
            // An appended block would become part of the code block and not be found again.
            Some(line) => {
                Err(format!("the code block that starts on line {line} is not closed; close it"))
            }
            None => Ok(None),
        },
        [start, end] if start.is_start && !end.is_start => {
            Ok(Some(start.range.start..end.range.end))
        }
        [single] => Err(format!(
            "`{}` on line {} has no matching marker; restore the other marker or remove this one",
            name(single),
            single.line
        )),
        [end, start] if start.is_start && !end.is_start => Err(format!(
            "`{}` on line {} comes before `{}` on line {}; swap them or remove both",
            name(end),
            end.line,
            name(start),
            start.line
        )),
        markers => {
            let lines: Vec<String> = markers.iter().map(|marker| marker.line.to_string()).collect();
            Err(format!(
                "several blocks between `{}` and `{}` (lines {}); remove all but one",
                MARKERS.0,
                MARKERS.1,
                lines.join(", ")
            ))
        }
    }
}

/// The markers that are alone on their lines and outside of code, and the line of an unclosed code
/// block.
fn find_markers(text: &str) -> Result<(Vec<Marker>, Option<usize>), String> {
    let mut markers = Vec::new();
    let mut fence: Option<(&str, usize)> = None;
    let mut offset = 0;
    for (index, line_with_break) in text.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line_with_break.len();
        let line = line_with_break.trim_end();
        let content = line.trim_start_matches('\u{feff}').trim_start_matches(' ');
        // A line indented by four spaces is code.
        let is_code = line.len() - content.len() > 3 && index > 0;
        let line_of_fence = line.trim_start_matches('\u{feff}');
        if let Some(delimiter) = fence_delimiter(line_of_fence) {
            match fence {
                None => fence = Some((delimiter, index + 1)),
                Some((open, _)) if closes_fence(open, line_of_fence) => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_some() || is_code {
            continue;
        }
        for (marker, is_start) in [(MARKERS.0, true), (MARKERS.1, false)] {
            if content == marker {
                let from = start + line.len() - content.len();
                markers.push(Marker {
                    is_start,
                    line: index + 1,
                    range: from..from + marker.len(),
                });
            } else if content.contains(marker) && !content.contains(&format!("`{marker}`")) {
                return Err(format!("`{marker}` on line {} must be alone on its line", index + 1));
            }
        }
    }
    Ok((markers, fence.map(|(_, line)| line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block() -> String {
        format!("{}\nnew\n{}\n", MARKERS.0, MARKERS.1)
    }

    #[test]
    fn the_block_replaces_the_existing_one() {
        let block = block();
        assert_eq!(replace_block("", &block).as_deref(), Ok(&*block));
        let first = replace_block("# A\n\ntext", &block).expect("written");
        assert_eq!(first, format!("# A\n\ntext\n\n{block}"));
        assert_eq!(replace_block(&first, &block), Ok(first.clone()));
        let old = first.replace("new", "old\nlines") + "\nmore\n";
        assert_eq!(replace_block(&old, &block), Ok(format!("{first}\nmore\n")));
        let windows = old.replace('\n', "\r\n");
        assert_eq!(
            replace_block(&windows, &block),
            Ok(format!("{first}\nmore\n").replace('\n', "\r\n"))
        );
        // Only the block changes; mixed line endings in the rest of the file are preserved.
        let mixed = "# A\r\ntext\nmore\r\n";
        assert_eq!(
            replace_block(mixed, &block),
            Ok(format!("{mixed}\r\n{}", block.replace('\n', "\r\n")))
        );
    }

    #[test]
    fn markers_in_code_are_ignored() {
        let block = block();
        let with_markers_in_code = format!(
            "# A\n\n```md\n{}\n{}\n```\n\n    {}\n\nBetween `{}` and its end.\n",
            MARKERS.0, MARKERS.1, MARKERS.0, MARKERS.0
        );
        let after = replace_block(&with_markers_in_code, &block).expect("written");
        assert_eq!(after, format!("{with_markers_in_code}\n{block}"));
        assert_eq!(replace_block(&after, &block), Ok(after.clone()));
        let with_longer_fence = format!("````\n```\n{}\n```\n````\n", MARKERS.1);
        assert_eq!(
            replace_block(&with_longer_fence, &block),
            Ok(format!("{with_longer_fence}\n{block}"))
        );
    }

    #[test]
    fn ambiguous_markers_are_reported_with_their_lines() {
        let (start, end) = MARKERS;
        for (text, part) in [
            (format!("a\n{start}\n"), "on line 2 has no matching marker"),
            (format!("{end}\n"), "on line 1 has no matching marker"),
            (format!("{end}\n\n{start}\n"), "on line 1 comes before"),
            (format!("{start}\n{end}\n{start}\n{end}\n"), "several blocks"),
            (format!("{start}\n{start}\n{end}\n"), "(lines 1, 2, 3)"),
            (format!("- {start}\n{end}\n"), "must be alone on its line"),
            ("# A\n\n```sh\nmake\n".to_owned(), "starts on line 3 is not closed"),
        ] {
            let why = replace_block(&text, &block()).expect_err(&text);
            assert!(why.contains(part), "{text:?}: {why}");
        }
    }

    proptest! {
        #[test]
        fn replacement_is_idempotent_and_preserves_the_rest(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "# A", "text", "\n", "\r\n", "\n\n", "```", "~~~~", "    ", " ", "`", "é",
                "<!-- aidd:rules -->", "<!-- /aidd:rules -->", "<!--", "\u{feff}",
            ]), 0..24),
            new in "[a-z é\n-]{0,30}",
        ) {
            let before = parts.concat();
            let block = format!("{}\n{new}\n{}\n", MARKERS.0, MARKERS.1);
            let Ok(after) = replace_block(&before, &block) else { return Ok(()) };
            prop_assert_eq!(replace_block(&after, &block), Ok(after.clone()));
            match find_block(&before).expect("reported") {
                Some(range) => {
                    prop_assert!(after.starts_with(&before[..range.start]));
                    prop_assert!(after.ends_with(&before[range.end..]));
                }
                None => prop_assert!(after.starts_with(&before)),
            }
        }
    }
}
