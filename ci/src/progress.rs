//! A progress line on standard error for long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Delay before the progress is first shown.
const DISPLAY_DELAY: Duration = Duration::from_secs(1);
/// Number of redraws per second.
const REDRAW_RATE: u8 = 10;

/// Counts files and shows the count once a run takes over a second, on a terminal only.
///
/// All methods can be called from several threads at once.
pub struct Progress {
    bar: ProgressBar,
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
        Self::new(io::stderr().is_terminal())
    }

    /// Creates a progress line that is never displayed.
    #[must_use]
    pub fn hidden() -> Self {
        Self::new(false)
    }

    fn new(visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, visible, started: Instant::now() }
    }

    /// Sets the total number of files, once it is known.
    pub fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// Counts `files` more files as checked.
    pub fn advance(&self, files: u64) {
        self.bar.inc(files);
        if self.visible && self.bar.is_hidden() && self.started.elapsed() > DISPLAY_DELAY {
            self.show();
        }
    }

    /// Number of files counted so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.bar.position()
    }

    /// Clears the progress line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let template = match self.bar.length() {
            Some(_) => "{bar:30} {pos}/{len} files, {elapsed}",
            None => "{spinner} {pos} files, {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
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
}
