//! Removes from a line of output what terminals and log collectors add to it.

/// Maximum number of bytes of a line that are read.
const MAX_LINE_BYTES: usize = 2_000;
/// Signs that tools print before an error.
const MARKERS: &[&str] = &["✘ ", "✖ ", "[!] "];

/// Returns the line as a terminal shows it, without log prefixes, truncated to the maximum length.
pub(super) fn clean_line(line: &str, is_truncated: &mut bool) -> String {
    // A carriage return starts the line again, as progress bars do.
    let line = line.trim_end_matches('\r');
    let line = line.rsplit_once('\r').map_or(line, |(_, last)| last);
    let end = line.floor_char_boundary(MAX_LINE_BYTES.min(line.len()));
    *is_truncated |= end < line.len();
    let mut clean = without_escapes(&line[..end]);
    clean.truncate(clean.trim_end().len());
    let mut rest = clean.as_str();
    for strip in [without_log_prefix, without_process, without_marker] {
        rest = strip(rest).unwrap_or(rest);
    }
    if rest.len() == clean.len() { clean } else { rest.to_owned() }
}

/// The line without the escape sequences of terminals.
fn without_escapes(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            clean.push(c);
            continue;
        }
        match chars.next() {
            // A colour code ends at its first letter.
            Some('[') => {
                chars.by_ref().find(char::is_ascii_alphabetic);
            }
            // A character set has one more character.
            Some('(' | ')') => {
                chars.next();
            }
            // A link or a title ends at a bell or a backslash.
            Some(']') => {
                chars.by_ref().find(|c| matches!(c, '\u{7}' | '\\'));
            }
            _ => {}
        }
    }
    clean
}

/// The part after `==4711== `, as Valgrind prints it.
fn without_process(line: &str) -> Option<&str> {
    let (process, rest) = line.strip_prefix("==")?.split_once("==")?;
    let is_number = !process.is_empty() && process.bytes().all(|b| b.is_ascii_digit());
    rest.strip_prefix(' ').filter(|_| is_number)
}

/// The part after a sign such as `✘`.
fn without_marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    MARKERS.iter().find_map(|marker| line.strip_prefix(marker))
}

/// The part after `2026-01-01T00:00:00.0Z ` (a runner's log) or `web-1  | ` (Compose).
fn without_log_prefix(line: &str) -> Option<&str> {
    let (word, rest) = line.split_once(' ')?;
    // `2026/01/01 00:00:00 `, as Go prints it.
    let is_shape = |text: &str, shape: &str| {
        let same = |(a, b): (u8, u8)| if b == b'0' { a.is_ascii_digit() } else { a == b };
        text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(same)
    };
    if is_shape(word, "0000/00/00") {
        return rest
            .split_once(' ')
            .filter(|(time, _)| is_shape(time, "00:00:00"))
            .map(|(_, rest)| rest);
    }
    let is_time = word.len() >= 20
        && word.ends_with('Z')
        && word.as_bytes().get(10) == Some(&b'T')
        && word.as_bytes()[..10].iter().all(|b| b.is_ascii_digit() || *b == b'-');
    if is_time {
        return Some(rest);
    }
    let is_service =
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let rest = rest.trim_start().strip_prefix('|').filter(|_| is_service)?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_terminal_shows_them() {
        for (line, shown) in [
            ("\u{1b}[31merror\u{1b}(B\u{1b}[m: x", "error: x"),
            ("\u{1b}]8;;https://example.com\u{1b}\\E1\u{1b}]8;;\u{7} y", "E1 y"),
            ("  12 % done\r  50 % done\rFinished\r", "Finished"),
            ("2026/11/29 05:41:09 open a.json: no such file", "open a.json: no such file"),
            ("==4711== Invalid read of size 4", "Invalid read of size 4"),
            ("==4711==ERROR: x", "==4711==ERROR: x"),
            ("  ✘ [ERROR] x", "[ERROR] x"),
            ("web-1  | x", "x"),
        ] {
            assert_eq!(clean_line(line, &mut false), shown);
        }
    }
}
