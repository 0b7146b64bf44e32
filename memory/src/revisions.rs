//! Tracked files whose lines are revisions of entries: of several lines for an entry, the latest
//! applies, so that Git can merge the file by union.

use serde::de::DeserializeOwned;

/// What the lines that Git adds to a file with conflicts begin with.
const CONFLICT_MARKERS: [&[u8]; 3] = [b"<<<<<<<", b"=======", b">>>>>>>"];

/// The parsed lines, each with its number. A line that cannot be parsed is added to `problems`, with
/// `path`, the line number and the reason.
pub(crate) fn parse_lines<T: DeserializeOwned>(
    bytes: &[u8],
    path: &str,
    problems: &mut Vec<String>,
) -> Vec<(usize, T)> {
    let mut parsed = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<T>(line) {
            Ok(entry) => parsed.push((number, entry)),
            Err(error) => {
                let is_marker = CONFLICT_MARKERS.iter().any(|mark| line.starts_with(mark));
                let reason = match is_marker {
                    true => "merge conflict: delete the marker, all lines can remain".to_owned(),
                    false => error.to_string(),
                };
                problems.push(format!("{path}:{number}: {reason}"));
            }
        }
    }
    parsed
}
