//! The time limits of the patterns that are searched for in a whole text.

use crate::text::time_limit::Deadline;
use std::time::Duration;

/// Time limit for each pattern on one file.
const PATTERN: Duration = Duration::from_millis(500);
/// Time limit for all patterns on one file.
const ALL: Duration = Duration::from_secs(2);
/// Minimum size in bytes of a text with limits: a search of a shorter one takes hardly longer than
/// to set a limit.
const MIN_BYTES: usize = 16 << 10;

/// The time limits on one file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    all: Option<Deadline>,
    pattern: Option<Deadline>,
}

impl Limits {
    /// The limits in a text of some size in bytes.
    pub(super) fn new(size: usize) -> Self {
        let all = (size >= MIN_BYTES).then(|| Deadline::after(ALL));
        Self { all, pattern: None }
    }

    /// The limits of the next pattern.
    pub(super) fn for_pattern(self) -> Self {
        Self { pattern: self.all.map(|_| Deadline::after(PATTERN)), ..self }
    }

    /// Whether the current pattern must stop.
    pub(super) fn are_exceeded(self) -> bool {
        [self.pattern, self.all].into_iter().flatten().any(Deadline::is_exceeded)
    }
}
