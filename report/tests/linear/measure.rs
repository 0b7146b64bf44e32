//! Measures how the cost of a function grows with its input.

use cpu_time::ThreadTime;
use std::time::Duration;

/// A size is large enough if one run takes this long.
const MIN_DURATION: Duration = Duration::from_millis(50);
/// The larger input is this many times as large, and can take [`BAR`] times as long.
const FACTOR: usize = 8;
const BAR: u32 = 12;
/// Number of attempts per size before a case counts as too slow.
const TRIES: usize = 5;

/// A measured case.
pub(crate) struct Case<'a> {
    name: String,
    /// The largest size tried; if even this is fast, the cost is that of [`MIN_DURATION`].
    most: usize,
    time: Box<dyn Fn(usize) -> Duration + 'a>,
}

impl<'a> Case<'a> {
    /// A case whose input `make` creates for a size up to `most`; the duration of `run` is
    /// measured.
    pub(crate) fn new<T>(
        name: impl Into<String>,
        most: usize,
        make: impl Fn(usize) -> T + 'a,
        run: impl Fn(T) + 'a,
    ) -> Self {
        let time = move |size| {
            let input = make(size);
            let start = ThreadTime::now();
            run(input);
            start.elapsed()
        };
        Self { name: name.into(), most, time: Box::new(time) }
    }

    /// The size whose cost is compared with that of eight times the size, and its cost.
    fn size(&self) -> (usize, Duration) {
        let largest = (self.most / FACTOR).max(1);
        let mut size = largest.min(64);
        // One-time initialization is not a cost of the input.
        (self.time)(size);
        loop {
            let time = (self.time)(size);
            if time >= MIN_DURATION || size == largest {
                return (size, time);
            }
            // Approach the wanted size in limited steps.
            let missing = MIN_DURATION.as_secs_f64() / time.as_secs_f64().max(1e-6);
            let factor = if missing < 4.0 { 2 } else { 4 };
            size = largest.min(size * factor);
        }
    }

    /// Both costs; an error if the larger one is too high.
    fn measure(&self) -> Result<String, String> {
        let (size, mut one) = self.size();
        let mut eight = Duration::MAX;
        for _ in 0..TRIES {
            eight = eight.min((self.time)(size * FACTOR));
            if eight <= BAR * one.max(MIN_DURATION) {
                break;
            }
            one = one.min((self.time)(size));
        }
        let times = eight.as_secs_f64() / one.max(MIN_DURATION).as_secs_f64();
        let measured = format!(
            "{:<48} {size:>7}: {one:>8.1?}, 8 times: {eight:>8.1?} ({times:.1})",
            self.name
        );
        if eight <= BAR * one.max(MIN_DURATION) { Ok(measured) } else { Err(measured) }
    }
}

/// Fails if the cost of a case grows faster than its input.
#[expect(clippy::print_stdout, reason = "figures, with --nocapture")]
pub(crate) fn assert_linear<'a>(cases: impl IntoIterator<Item = Case<'a>>) {
    let mut slow = Vec::new();
    for case in cases {
        match case.measure() {
            Ok(measured) => println!("{measured}"),
            Err(measured) => {
                println!("{measured} TOO SLOW");
                slow.push(measured);
            }
        }
    }
    assert!(slow.is_empty(), "cost grows faster than the input:\n{}", slow.join("\n"));
}
