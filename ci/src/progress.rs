//! A progress line on standard error for long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Delay before the progress is first shown.
const DISPLAY_DELAY: Duration = Duration::from_secs(1);
/// Number of redraws per second.
const REDRAW_RATE: u8 = 10;

/// Counts files or other items and shows the count once a run takes over a second, on a terminal
/// only.
///
/// All methods can be called from several threads at once.
pub struct Progress {
    bar: ProgressBar,
    /// What is counted, in the plural.
    items: &'static str,
    visible: bool,
    started: Instant,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("done", &self.done()).finish_non_exhaustive()
    }
}

impl Progress {
    /// Starts measuring the elapsed time. Displays nothing if standard error is not a terminal.
    #[must_use]
    pub fn start() -> Self {
        Self::new(io::stderr().is_terminal(), "files")
    }

    /// Like [`Self::start`], but counts `total` items, which are named in the plural.
    #[must_use]
    pub fn counting(items: &'static str, total: u64) -> Self {
        let progress = Self::new(io::stderr().is_terminal(), items);
        progress.set_total(total);
        progress
    }

    /// Creates a progress line that is never displayed.
    #[must_use]
    pub fn hidden() -> Self {
        Self::new(false, "files")
    }

    fn new(visible: bool, items: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, items, visible, started: Instant::now() }
    }

    /// Sets the total number of items, once it is known.
    pub fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// Counts more items; 0 updates only the elapsed time.
    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
        if self.visible && self.bar.is_hidden() && self.started.elapsed() > DISPLAY_DELAY {
            self.show();
        }
    }

    /// Number of items counted so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.bar.position()
    }

    /// Clears the progress line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn template(&self) -> String {
        let counter = match self.bar.length() {
            Some(_) => "{bar:30} {pos}/{len}",
            None => "{spinner} {pos}",
        };
        format!("{counter} {}, {{elapsed}}", self.items)
    }

    fn show(&self) {
        if let Ok(style) = ProgressStyle::with_template(&self.template()) {
            self.bar.set_style(style);
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAW_RATE));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_threads_are_added_and_hidden_without_a_terminal() {
        let progress = Progress::hidden();
        progress.set_total(40);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| progress.advance(1)));
            }
        });
        assert_eq!(progress.done(), 40);
        assert!(progress.bar.is_hidden());
        progress.finish();
    }

    #[test]
    fn the_line_names_what_is_counted() {
        assert_eq!(Progress::hidden().template(), "{spinner} {pos} files, {elapsed}");
        let packs = Progress::new(false, "packs");
        packs.set_total(7);
        assert_eq!(packs.template(), "{bar:30} {pos}/{len} packs, {elapsed}");
    }
}
