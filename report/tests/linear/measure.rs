//! Measures how the cost of a function grows with its input.

use cpu_time::ThreadTime;
use std::time::Duration;

/// The smaller input is large enough if one run takes this long.
const MIN_DURATION: Duration = Duration::from_millis(50);
/// The larger input is this many times as large as the smaller input.
const FACTOR: usize = 8;
/// Maximum ratio of the durations for the larger and the smaller input.
const MAX_RATIO: u32 = 12;
/// Maximum number of measurements of the larger input before a case counts as too slow: other load on
/// the processor, which slows long runs more than short ones, must have ended in one of them.
const MAX_ATTEMPTS: usize = 20;

/// A measured case.
pub(crate) struct Case<'a> {
    name: String,
    /// Maximum size of the larger input. The smaller input has at most this size divided by
    /// [`FACTOR`]; if a run with it takes less than [`MIN_DURATION`], that duration is used as its
    /// cost.
    max_size: usize,
    time: Box<dyn Fn(usize) -> Duration + 'a>,
}

impl<'a> Case<'a> {
    /// Creates a case. `make` creates an input of a size up to `max_size`; only the duration of
    /// `run` is measured.
    pub(crate) fn new<T>(
        name: impl Into<String>,
        max_size: usize,
        make: impl Fn(usize) -> T + 'a,
        run: impl Fn(T) + 'a,
    ) -> Self {
        let time = move |size| {
            let input = make(size);
            let start = ThreadTime::now();
            run(input);
            start.elapsed()
        };
        Self { name: name.into(), max_size, time: Box::new(time) }
    }

    /// The size of the smaller input, and its cost.
    fn smaller_size(&self) -> (usize, Duration) {
        let largest = (self.max_size / FACTOR).max(1);
        let mut size = largest.min(64);
        // One-time initialization is not a cost of the input.
        (self.time)(size);
        loop {
            let time = (self.time)(size);
            if time >= MIN_DURATION || size == largest {
                return (size, time);
            }
            // Approach the required duration in limited steps.
            let required_factor = MIN_DURATION.as_secs_f64() / time.as_secs_f64().max(1e-6);
            let factor = if required_factor < 4.0 { 2 } else { 4 };
            size = largest.min(size * factor);
        }
    }

    /// Describes the costs of both inputs; an error if the cost of the larger input is too high.
    fn measure(&self) -> Result<String, String> {
        let (size, mut cost) = self.smaller_size();
        let mut larger_cost = Duration::MAX;
        for _ in 0..MAX_ATTEMPTS {
            larger_cost = larger_cost.min((self.time)(size * FACTOR));
            if larger_cost <= MAX_RATIO * cost.max(MIN_DURATION) {
                break;
            }
            cost = cost.min((self.time)(size));
        }
        let ratio = larger_cost.as_secs_f64() / cost.max(MIN_DURATION).as_secs_f64();
        let description = format!(
            "{:<48} {size:>7}: {cost:>8.1?}, {FACTOR} times: {larger_cost:>8.1?} ({ratio:.1})",
            self.name
        );
        if larger_cost <= MAX_RATIO * cost.max(MIN_DURATION) {
            Ok(description)
        } else {
            Err(description)
        }
    }
}

/// Fails if the cost of a case grows faster than its input.
#[expect(clippy::print_stdout, reason = "figures, with --nocapture")]
pub(crate) fn assert_linear<'a>(cases: impl IntoIterator<Item = Case<'a>>) {
    let mut slow = Vec::new();
    for case in cases {
        match case.measure() {
            Ok(description) => println!("{description}"),
            Err(description) => {
                println!("{description} TOO SLOW");
                slow.push(description);
            }
        }
    }
    assert!(slow.is_empty(), "cost grows faster than the input:\n{}", slow.join("\n"));
}
