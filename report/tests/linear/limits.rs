//! Long texts must not keep a family longer than its time limit.

use super::texts::Row;
use super::{MAX_PARSED_BYTES, catalogues, check, families, max_size, texts};
use aidd_engine::check::SKIPPED;
use aidd_engine::text::time_limit::with_family_limit;
use std::collections::HashSet;
use std::time::Duration;

/// The time limit of each family. A family that is stopped later than after twice this time has a
/// loop that does not read the clock, or a parser that cannot be stopped.
const LIMIT: Duration = Duration::from_millis(500);
/// The approximate size of the texts in bytes.
const SIZE: usize = 1 << 20;

/// One text for each path, which is expensive for the families that check this path.
fn rows() -> impl Iterator<Item = Row> {
    let all = [families::ROWS, catalogues::ROWS, texts::NESTED, texts::UNCLOSED, texts::ONCE_SLOW];
    let mut paths = HashSet::new();
    all.into_iter().flatten().copied().filter(move |(_, path, _)| paths.insert(*path))
}

#[test]
#[expect(clippy::print_stdout, reason = "figures, with --nocapture")]
fn families_end_soon_after_their_time_limit() {
    let mut late = Vec::new();
    for (name, path, text) in rows() {
        let text = text(max_size(text) / (MAX_PARSED_BYTES / SIZE));
        let size = text.len();
        let ((_, checked), longest) = with_family_limit(LIMIT, || check(path, text));
        let skipped = checked.findings.iter().find(|finding| &*finding.rule == SKIPPED);
        let message = skipped.map_or("", |finding| &finding.message);
        println!("{name} ({path}, {size} bytes): {longest:.0?} {message}");
        if longest > 2 * LIMIT || longest > LIMIT * 3 / 2 && message.is_empty() {
            late.push(format!("{name} ({path}): {longest:.0?} {message}"));
        }
    }
    assert!(late.is_empty(), "longer than the time limit:\n{}", late.join("\n"));
}
