//! Where the block of rules stands in a file that people write, too.

use aidd_authoring::suggest::EXPORTED as MARKERS;
use aidd_engine::parse::markdown::{closes_fence, fence_marks};
use std::ops::Range;

/// `before` with `block` in the place of the one it has, else at its end. Nothing else changes; the
/// block has the line endings of the file.
///
/// # Errors
/// When the markers do not tell one place: which, on what line, and what to do.
pub(super) fn within(before: &str, block: &str) -> Result<String, String> {
    let place = place(before)?;
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

/// A marker that was found.
struct Found {
    begins: bool,
    /// Counted from 1.
    line: usize,
    place: Range<usize>,
}

/// From the first marker to the end of the last; `None`: there is no block.
fn place(text: &str) -> Result<Option<Range<usize>>, String> {
    let (found, open) = markers(text)?;
    let name = |one: &Found| if one.begins { MARKERS.0 } else { MARKERS.1 };
    match &found[..] {
        [] => match open {
            // What is written there would be part of it, and not be found again.
            Some(line) => {
                Err(format!("the code block that begins in line {line} has no end; close it"))
            }
            None => Ok(None),
        },
        [start, end] if start.begins && !end.begins => Ok(Some(start.place.start..end.place.end)),
        [only] => Err(format!(
            "`{}` in line {} stands alone; put its fellow back or take it out",
            name(only),
            only.line
        )),
        [end, start] if start.begins && !end.begins => Err(format!(
            "`{}` in line {} stands before `{}` in line {}; change their order, or take both out",
            name(end),
            end.line,
            name(start),
            start.line
        )),
        more => {
            let lines: Vec<String> = more.iter().map(|one| one.line.to_string()).collect();
            Err(format!(
                "there is more than one block between `{}` and `{}` (lines {}); leave one",
                MARKERS.0,
                MARKERS.1,
                lines.join(", ")
            ))
        }
    }
}

/// The markers that stand alone on their lines, outside code, and the line of a code block that
/// does not end.
fn markers(text: &str) -> Result<(Vec<Found>, Option<usize>), String> {
    let mut found = Vec::new();
    let mut fence: Option<(&str, usize)> = None;
    let mut offset = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += whole.len();
        let line = whole.trim_end();
        let inner = line.trim_start_matches('\u{feff}').trim_start_matches(' ');
        // Four spaces make it code.
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
                found.push(Found { begins, line: at + 1, place: from..from + marker.len() });
            } else if inner.contains(marker) && !inner.contains(&format!("`{marker}`")) {
                return Err(format!(
                    "`{marker}` in line {} shares its line; give it one of its own",
                    at + 1
                ));
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
    fn the_block_takes_the_place_of_the_last_one() {
        let block = block();
        assert_eq!(within("", &block).as_deref(), Ok(&*block));
        let first = within("# A\n\ntext", &block).expect("written");
        assert_eq!(first, format!("# A\n\ntext\n\n{block}"));
        assert_eq!(within(&first, &block), Ok(first.clone()));
        let old = first.replace("new", "old\nlines") + "\nmore\n";
        assert_eq!(within(&old, &block), Ok(format!("{first}\nmore\n")));
        let windows = old.replace('\n', "\r\n");
        assert_eq!(within(&windows, &block), Ok(format!("{first}\nmore\n").replace('\n', "\r\n")));
        // Only the block is written: the rest keeps even odd line endings.
        let mixed = "# A\r\ntext\nmore\r\n";
        assert_eq!(
            within(mixed, &block),
            Ok(format!("{mixed}\r\n{}", block.replace('\n', "\r\n")))
        );
    }

    #[test]
    fn markers_in_code_are_words() {
        let block = block();
        let shown = format!(
            "# A\n\n```md\n{}\n{}\n```\n\n    {}\n\nBetween `{}` and its end.\n",
            MARKERS.0, MARKERS.1, MARKERS.0, MARKERS.0
        );
        let after = within(&shown, &block).expect("written");
        assert_eq!(after, format!("{shown}\n{block}"));
        assert_eq!(within(&after, &block), Ok(after.clone()));
        let longer = format!("````\n```\n{}\n```\n````\n", MARKERS.1);
        assert_eq!(within(&longer, &block), Ok(format!("{longer}\n{block}")));
    }

    #[test]
    fn what_tells_no_one_place_is_refused_with_its_lines() {
        let (start, end) = MARKERS;
        for (text, part) in [
            (format!("a\n{start}\n"), "in line 2 stands alone"),
            (format!("{end}\n"), "in line 1 stands alone"),
            (format!("{end}\n\n{start}\n"), "in line 1 stands before"),
            (format!("{start}\n{end}\n{start}\n{end}\n"), "more than one block"),
            (format!("{start}\n{start}\n{end}\n"), "(lines 1, 2, 3)"),
            (format!("- {start}\n{end}\n"), "shares its line"),
            ("# A\n\n```sh\nmake\n".to_owned(), "begins in line 3 has no end"),
        ] {
            let why = within(&text, &block()).expect_err(&text);
            assert!(why.contains(part), "{text:?}: {why}");
        }
    }

    proptest! {
        #[test]
        fn written_twice_it_is_as_written_once_and_the_rest_stays(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "# A", "text", "\n", "\r\n", "\n\n", "```", "~~~~", "    ", " ", "`", "é",
                "<!-- aidd:rules -->", "<!-- /aidd:rules -->", "<!--", "\u{feff}",
            ]), 0..24),
            new in "[a-z é\n-]{0,30}",
        ) {
            let before = parts.concat();
            let block = format!("{}\n{new}\n{}\n", MARKERS.0, MARKERS.1);
            let Ok(after) = within(&before, &block) else { return Ok(()) };
            prop_assert_eq!(within(&after, &block), Ok(after.clone()));
            match place(&before).expect("told") {
                Some(place) => {
                    prop_assert!(after.starts_with(&before[..place.start]));
                    prop_assert!(after.ends_with(&before[place.end..]));
                }
                None => prop_assert!(after.starts_with(&before)),
            }
        }
    }
}
