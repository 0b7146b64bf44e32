//! Position of the rules block in a file that people also edit.

use aidd_authoring::suggest::EXPORTED as MARKERS;
use aidd_engine::parse::markdown::{closes_fence, fence_marks};
use std::ops::Range;

/// Replaces the block in `before` with `block`, or appends it. The rest is unchanged; the block
/// uses the line endings of the file.
///
/// # Errors
/// When the markers do not define one position: which marker, its line, and the remedy.
pub(super) fn replace_block(before: &str, block: &str) -> Result<String, String> {
    let place = find_block(before)?;
    let first = before.find('\n').map(|end| &before[..=end]);
    let ending = if first.is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let in_file = |text: &str| text.replace("\r\n", "\n").replace('\n', ending);
    Ok(match place {
        Some(place) => {
            let (head, rest) = (&before[..place.start], &before[place.end..]);
            format!("{head}{}{rest}", in_file(block.trim_end()))
        }
        None if before.trim_start_matches('\u{feff}').is_empty() => format!("{before}{block}"),
        None => {
            let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
            format!("{before}{}{}", in_file(gap), in_file(block))
        }
    })
}

/// A marker in the file.
struct Marker {
    begins: bool,
    /// Line number, counted from 1.
    line: usize,
    place: Range<usize>,
}

/// Range from the start marker to the end of the end marker; `None` without a block.
fn find_block(text: &str) -> Result<Option<Range<usize>>, String> {
    let (found, open) = markers(text)?;
    let name = |one: &Marker| if one.begins { MARKERS.0 } else { MARKERS.1 };
    match &found[..] {
        [] => match open {
            // A block appended there would become part of the code and not be found again.
            Some(line) => {
                Err(format!("the code block that starts on line {line} is not closed; close it"))
            }
            None => Ok(None),
        },
        [start, end] if start.begins && !end.begins => Ok(Some(start.place.start..end.place.end)),
        [only] => Err(format!(
            "`{}` on line {} has no matching marker; restore the other marker or remove this one",
            name(only),
            only.line
        )),
        [end, start] if start.begins && !end.begins => Err(format!(
            "`{}` on line {} comes before `{}` on line {}; swap them or remove both",
            name(end),
            end.line,
            name(start),
            start.line
        )),
        more => {
            let lines: Vec<String> = more.iter().map(|one| one.line.to_string()).collect();
            Err(format!(
                "several blocks between `{}` and `{}` (lines {}); remove all but one",
                MARKERS.0,
                MARKERS.1,
                lines.join(", ")
            ))
        }
    }
}

/// The markers that are alone on their lines and outside code, and the line of an unclosed code
/// block.
fn markers(text: &str) -> Result<(Vec<Marker>, Option<usize>), String> {
    let mut found = Vec::new();
    let mut fence: Option<(&str, usize)> = None;
    let mut offset = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += whole.len();
        let line = whole.trim_end();
        let inner = line.trim_start_matches('\u{feff}').trim_start_matches(' ');
        // Indentation by four spaces is code.
        let is_code = line.len() - inner.len() > 3 && at > 0;
        let line_of_fence = line.trim_start_matches('\u{feff}');
        if let Some(marks) = fence_marks(line_of_fence) {
            match fence {
                None => fence = Some((marks, at + 1)),
                Some((open, _)) if closes_fence(open, line_of_fence) => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_some() || is_code {
            continue;
        }
        for (marker, begins) in [(MARKERS.0, true), (MARKERS.1, false)] {
            if inner == marker {
                let from = start + line.len() - inner.len();
                found.push(Marker { begins, line: at + 1, place: from..from + marker.len() });
            } else if inner.contains(marker) && !inner.contains(&format!("`{marker}`")) {
                return Err(format!("`{marker}` on line {} must be alone on its line", at + 1));
            }
        }
    }
    Ok((found, fence.map(|(_, line)| line)))
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
        // Only the block changes; mixed line endings elsewhere stay.
        let mixed = "# A\r\ntext\nmore\r\n";
        assert_eq!(
            replace_block(mixed, &block),
            Ok(format!("{mixed}\r\n{}", block.replace('\n', "\r\n")))
        );
    }

    #[test]
    fn markers_in_code_are_ignored() {
        let block = block();
        let shown = format!(
            "# A\n\n```md\n{}\n{}\n```\n\n    {}\n\nBetween `{}` and its end.\n",
            MARKERS.0, MARKERS.1, MARKERS.0, MARKERS.0
        );
        let after = replace_block(&shown, &block).expect("written");
        assert_eq!(after, format!("{shown}\n{block}"));
        assert_eq!(replace_block(&after, &block), Ok(after.clone()));
        let longer = format!("````\n```\n{}\n```\n````\n", MARKERS.1);
        assert_eq!(replace_block(&longer, &block), Ok(format!("{longer}\n{block}")));
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
        fn writing_twice_is_idempotent_and_preserves_the_rest(
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
                Some(place) => {
                    prop_assert!(after.starts_with(&before[..place.start]));
                    prop_assert!(after.ends_with(&before[place.end..]));
                }
                None => prop_assert!(after.starts_with(&before)),
            }
        }
    }
}
