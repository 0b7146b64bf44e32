//! The time limit of the check that runs on this thread. It also ends a loop within one rule: the
//! functions that such loops call for each line, node or text read the clock from time to time.

use super::files::{is_computing_shared, shared_time};
use cpu_time::ThreadTime;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// The number of steps after which the time is read again.
const STEPS_PER_CLOCK_READ: u32 = 256;
/// Maximum number of comparisons of similar words in one check. They take about a second.
const MAX_COMPARISONS: u32 = 2 << 20;

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
    static STEPS: Cell<u32> = const { Cell::new(0) };
    static COMPARISONS: Cell<u32> = const { Cell::new(0) };
    static FAMILY_LIMIT: Cell<Option<Duration>> = const { Cell::new(None) };
    static MAX_ELAPSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A time limit for work of this thread. Only time in which the thread runs counts: on a busy
/// machine, a check must have the same findings as on an idle one.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    /// `None` if the system does not measure the time of threads.
    thread: Option<ThreadTime>,
    duration: Duration,
}

impl Deadline {
    /// The limit that is exceeded after the thread ran for `duration` from now on.
    #[must_use]
    pub fn after(duration: Duration) -> Self {
        Self { start: Instant::now(), thread: ThreadTime::try_now().ok(), duration }
    }

    /// Whether the time is over.
    #[must_use]
    pub fn is_exceeded(self) -> bool {
        self.is_exceeded_without(|| Duration::ZERO)
    }

    /// The time that is not used yet.
    #[must_use]
    pub fn remaining(self) -> Duration {
        self.duration.saturating_sub(self.elapsed())
    }

    fn elapsed(self) -> Duration {
        let elapsed = self.thread.and_then(|thread| thread.try_elapsed().ok());
        elapsed.unwrap_or_else(|| self.start.elapsed())
    }

    /// Whether the time is over, apart from `other` work. The time of the thread is only read when
    /// it can be over, because reading it takes ten times as long as reading the clock.
    fn is_exceeded_without(self, other: impl Fn() -> Duration) -> bool {
        let is_over = |elapsed: Duration| elapsed.saturating_sub(other()) > self.duration;
        self.duration.is_zero()
            || self.start.elapsed() > self.duration
                && self.thread.is_none_or(|thread| thread.try_elapsed().is_ok_and(is_over))
    }
}

/// When the running check ends. Most checks take less than a millisecond, in which the time of the
/// thread is not read.
#[derive(Clone, Copy, Debug)]
struct Limit {
    start: Instant,
    duration: Duration,
    /// The [`shared_time`] before `start`, or before `rest`.
    shared: Duration,
    /// The limit from the moment when the time of the thread was first read.
    rest: Option<Deadline>,
}

impl Limit {
    /// How long after the start the time of the thread is first read.
    const UNMEASURED: Duration = Duration::from_millis(1);

    fn after(duration: Duration) -> Self {
        Self { start: Instant::now(), duration, shared: shared_time(), rest: None }
    }

    /// Whether the time is over. Values that are computed once for several files, such as the schema
    /// that migrations define, do not count. The time before the time of the thread is first read
    /// counts, but at most half of the limit, because the thread may not have run in it.
    fn is_exceeded(&mut self) -> bool {
        let elapsed = self.start.elapsed();
        if is_computing_shared() || elapsed < Self::UNMEASURED && elapsed <= self.duration {
            return false;
        }
        let shared = shared_time().saturating_sub(self.shared);
        let Some(rest) = self.rest else {
            let before = elapsed.saturating_sub(shared).min(self.duration / 2);
            let rest = Deadline::after(self.duration - before);
            (self.shared, self.rest) = (shared_time(), Some(rest));
            return rest.is_exceeded();
        };
        rest.is_exceeded_without(|| shared)
    }
}

/// Runs checks on this thread with another time limit for each family than the default. Returns also
/// the longest time that a family or a form took for one file: more than the limit if a loop did not
/// call [`step`].
pub fn with_family_limit<T>(limit: Duration, run: impl FnOnce() -> T) -> (T, Duration) {
    FAMILY_LIMIT.set(Some(limit));
    MAX_ELAPSED.set(Duration::ZERO);
    let result = run();
    FAMILY_LIMIT.set(None);
    (result, MAX_ELAPSED.get())
}

/// The time limit that [`with_family_limit`] set.
pub(crate) fn family_limit() -> Option<Duration> {
    FAMILY_LIMIT.get()
}

/// Measures how long `run` takes, for [`with_family_limit`].
pub(crate) fn measured<T>(run: impl FnOnce() -> T) -> T {
    if family_limit().is_none() {
        return run();
    }
    let (start, shared) = (Deadline::after(Duration::ZERO), shared_time());
    let result = run();
    let elapsed = start.elapsed().saturating_sub(shared_time().saturating_sub(shared));
    MAX_ELAPSED.set(MAX_ELAPSED.get().max(elapsed));
    result
}

/// The check exceeded its time limit.
pub(crate) struct Exceeded;

/// Runs `check` until it exceeds the time limit.
pub(crate) fn run_within(duration: Duration, check: impl FnOnce()) -> Result<(), Exceeded> {
    let outer = LIMIT.replace(Some(Limit::after(duration)));
    let compared = COMPARISONS.replace(0);
    // Also after a panic, the limit must not apply to other checks of the thread.
    let result = catch_unwind(AssertUnwindSafe(|| catch_exceeded(check)));
    LIMIT.set(outer);
    COMPARISONS.set(compared);
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

/// Whether a word may be compared with another one, to propose a similar word. Without a limit, each
/// unknown word of a file would be compared with each known word of the file.
pub(crate) fn may_compare() -> bool {
    step();
    let compared = COMPARISONS.get();
    COMPARISONS.set(compared.saturating_add(1));
    compared < MAX_COMPARISONS || LIMIT.get().is_none()
}

/// Items that call [`step`], so that a loop over a long text or list ends at the time limit.
pub trait Stepped: Iterator + Sized {
    /// Calls [`step`] for each item.
    fn stepped(self) -> impl Iterator<Item = Self::Item> {
        self.inspect(|_| step())
    }
}

impl<I: Iterator> Stepped for I {}

/// Ends the running check if its time limit is exceeded.
pub(crate) fn end_if_exceeded() {
    let Some(mut limit) = LIMIT.get() else { return };
    let is_exceeded = limit.is_exceeded();
    LIMIT.set(Some(limit));
    if is_exceeded {
        // Not a panic, so no message is printed.
        resume_unwind(Box::new(Exceeded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_of_the_thread_counts() {
        let limit = Deadline::after(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(40));
        assert!(!limit.is_exceeded());
        while limit.start.elapsed() < Duration::from_secs(60) && !limit.is_exceeded() {}
        assert!(limit.is_exceeded());
        assert!(Deadline::after(Duration::ZERO).is_exceeded());
    }

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
        assert!(run_within(limit, || (0..).stepped().for_each(drop)).is_err());
        let wait = || {
            std::thread::sleep(3 * limit);
            (0..2 * STEPS_PER_CLOCK_READ).for_each(|_| step());
        };
        assert!(run_within(limit, wait).is_ok());
        let compare_all = || assert_eq!((0..).take_while(|_| may_compare()).count(), 2 << 20);
        assert!(run_within(Duration::from_secs(60), compare_all).is_ok());
        // Without a limit, nothing ends.
        assert!((0..=MAX_COMPARISONS).all(|_| may_compare()));
        (0..4 * STEPS_PER_CLOCK_READ).for_each(|_| step());
    }
}
