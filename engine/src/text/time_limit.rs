//! The time limit of the check that runs on this thread. It also ends a loop within one rule: the
//! functions that such loops call for each line, node or text read the clock from time to time.

use super::files::{is_computing_shared, shared_time};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// The number of steps after which the time is read again.
const STEPS_PER_CLOCK_READ: u32 = 256;

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// When the running check ends.
#[derive(Clone, Copy, Debug)]
struct Limit {
    start: Instant,
    shared: Duration,
    duration: Duration,
}

impl Limit {
    /// Whether the time is over. Values that are computed once for several files, such as the schema
    /// that migrations define, do not count.
    fn is_exceeded(self) -> bool {
        let elapsed = self.start.elapsed();
        let shared = || shared_time().saturating_sub(self.shared);
        elapsed > self.duration
            && !is_computing_shared()
            && elapsed.saturating_sub(shared()) > self.duration
    }
}

/// The check exceeded its time limit.
pub(crate) struct Exceeded;

/// Runs `check` until it exceeds the time limit.
pub(crate) fn run_within(duration: Duration, check: impl FnOnce()) -> Result<(), Exceeded> {
    let limit = Limit { start: Instant::now(), shared: shared_time(), duration };
    let outer = LIMIT.replace(Some(limit));
    // Also after a panic, the limit must not apply to other checks of the thread.
    let result = catch_unwind(AssertUnwindSafe(|| catch_exceeded(check)));
    LIMIT.set(outer);
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Runs a part of a check; an error if the time limit of the check is exceeded.
pub(crate) fn catch_exceeded(part: impl FnOnce()) -> Result<(), Exceeded> {
    // The checks leave no shared state incomplete: they only change caches, which get complete
    // entries.
    catch_unwind(AssertUnwindSafe(part)).map_err(|payload| match payload.downcast::<Exceeded>() {
        Ok(exceeded) => *exceeded,
        Err(panic) => resume_unwind(panic),
    })
}

/// Ends the running check if its time limit is exceeded; reads the time in one of many calls. To be
/// called in functions that loops of rules call.
#[inline]
pub fn step() {
    steps(1);
}

/// The same as `count` calls of [`step`]; `count` must be less than the steps per read of the clock.
#[inline]
pub(crate) fn steps(count: u32) {
    let steps = STEPS.get() + count;
    if steps < STEPS_PER_CLOCK_READ {
        STEPS.set(steps);
    } else {
        STEPS.set(0);
        end_if_exceeded();
    }
}

/// Ends the running check if its time limit is exceeded.
pub(crate) fn end_if_exceeded() {
    if LIMIT.get().is_some_and(Limit::is_exceeded) {
        // Not a panic, so no message is printed.
        resume_unwind(Box::new(Exceeded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_ends_after_the_time_limit() {
        let limit = Duration::from_millis(20);
        let result = run_within(limit, || {
            loop {
                step();
            }
        });
        assert!(result.is_err());
        assert!(run_within(limit, step).is_ok());
        // Without a limit, nothing ends.
        (0..4 * STEPS_PER_CLOCK_READ).for_each(|_| step());
    }
}
