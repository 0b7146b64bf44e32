//! Caches, counters and shared state of a telemetry agent.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, RwLock};
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub at: u64,
    pub value: f64,
}

static EVENTS: AtomicU64 = AtomicU64::new(0);
static PAUSED: AtomicBool = AtomicBool::new(false);
static REGISTRY: LazyLock<RwLock<HashMap<String, f64>>> = LazyLock::new(Default::default);
static BOUNDS: LazyLock<Vec<f64>> = LazyLock::new(|| (0..8).map(|i| 2f64.powi(i)).collect());

thread_local! {
    static SCRATCH: RefCell<String> = const { RefCell::new(String::new()) };
}

pub struct Memo {
    values: RefCell<BTreeMap<u64, u64>>,
    hits: Cell<u32>,
}

impl Memo {
    pub fn empty() -> Self {
        Memo {
            values: RefCell::new(BTreeMap::new()),
            hits: Cell::new(0),
        }
    }

    pub fn fib(&self, n: u64) -> u64 {
        if let Some(&known) = self.values.borrow().get(&n) {
            self.hits.set(self.hits.get() + 1);
            return known;
        }
        let value = if n < 2 {
            n
        } else {
            self.fib(n - 1) + self.fib(n - 2)
        };
        self.values.borrow_mut().insert(n, value);
        value
    }

    pub fn into_values(self) -> Vec<u64> {
        self.values.into_inner().into_values().collect()
    }
}

pub fn fib_once(n: u64) -> u64 {
    let memo = Memo::empty();
    memo.fib(n)
}

pub fn fib_loop(n: u64) -> u64 {
    let (mut a, mut b) = (0, 1);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    a
}

pub fn record_event() -> u64 {
    EVENTS.fetch_add(1, Ordering::SeqCst) + 1
}

pub fn recorded(samples: &[Sample]) -> f64 {
    let total = samples.iter().map(|s| s.value).sum();
    record_event();
    total
}

pub fn pause(on: bool) {
    PAUSED.store(on, Ordering::Release);
}

pub fn admitted(samples: &[Sample]) -> Vec<Sample> {
    if PAUSED.load(Ordering::Acquire) {
        Vec::new()
    } else {
        samples.to_vec()
    }
}

pub fn set_gauge(name: &str, value: f64) {
    if let Ok(mut map) = REGISTRY.write() {
        map.insert(name.to_owned(), value);
    }
}

pub fn gauge(name: &str) -> Option<f64> {
    REGISTRY.read().ok()?.get(name).copied()
}

pub fn gauge_line(name: &str) -> String {
    match gauge(name) {
        Some(value) => render_gauge(name, value),
        None => format!("# {name} missing"),
    }
}

pub fn render_gauge(name: &str, value: f64) -> String {
    let mut line = String::with_capacity(name.len() + 12);
    line.push_str(name);
    line.push(' ');
    line.push_str(&value.to_string());
    line
}

pub fn bucket(value: f64) -> usize {
    BOUNDS
        .iter()
        .position(|bound| value <= *bound)
        .unwrap_or(BOUNDS.len())
}

pub fn with_scratch(parts: &[&str]) -> usize {
    SCRATCH.with(|cell| {
        let mut buffer = cell.borrow_mut();
        for part in parts {
            buffer.push_str(part);
        }
        buffer.len()
    })
}

pub fn joined_len(parts: &[&str]) -> usize {
    let buffer = RefCell::new(String::new());
    parts
        .iter()
        .for_each(|part| buffer.borrow_mut().push_str(part));
    buffer.into_inner().len()
}

pub fn append_shared(log: &Rc<RefCell<Vec<Sample>>>, sample: Sample) -> usize {
    let alias = Rc::clone(log);
    alias.borrow_mut().push(sample);
    let len = alias.borrow().len();
    len
}

pub fn bump(cell: &Cell<u32>) -> u32 {
    cell.replace(cell.get() + 1)
}

pub fn add_locked(total: &Arc<Mutex<f64>>, samples: &[Sample]) {
    let mut guard = total.lock().unwrap();
    *guard += samples.iter().map(|s| s.value).sum::<f64>();
}

pub fn sum_locked(samples: &[Sample]) -> f64 {
    let total = Arc::new(Mutex::new(0.0));
    add_locked(&total, samples);
    let sum = *total.lock().unwrap();
    sum
}

pub fn pairwise_sum(samples: &[Sample]) -> f64 {
    match samples {
        [] => 0.0,
        [only] => only.value,
        _ => {
            let (left, right) = samples.split_at(samples.len() / 2);
            pairwise_sum(left) + pairwise_sum(right)
        }
    }
}

pub fn mean(samples: &[Sample]) -> Option<f64> {
    let n = samples.len();
    (n > 0).then(|| samples.iter().map(|s| s.value).sum::<f64>() / n as f64)
}

pub fn smooth(samples: &[Sample], alpha: f64) -> Vec<f64> {
    samples
        .iter()
        .scan(None, |state: &mut Option<f64>, s| {
            let next = state.map_or(s.value, |prev| prev + alpha * (s.value - prev));
            *state = Some(next);
            Some(next)
        })
        .collect()
}

pub fn clamp_all(samples: &mut [Sample], max: f64) {
    for sample in samples.iter_mut().filter(|s| s.value > max) {
        sample.value = max;
    }
}

pub fn clamped(samples: &[Sample], max: f64) -> Vec<Sample> {
    samples
        .iter()
        .map(|s| Sample {
            value: s.value.min(max),
            ..*s
        })
        .collect()
}

pub fn timed(samples: &[Sample]) -> (Option<f64>, u128) {
    let start = Instant::now();
    let value = mean(samples);
    (value, start.elapsed().as_micros())
}

pub fn for_each_sample(samples: &[Sample], visit: &mut dyn FnMut(&Sample)) {
    for sample in samples {
        visit(sample);
    }
}

pub fn peak(samples: &[Sample]) -> f64 {
    let mut top = f64::MIN;
    for_each_sample(samples, &mut |s| top = top.max(s.value));
    top
}

pub fn dump(samples: &[Sample]) {
    for_each_sample(samples, &mut |s| println!("{} {}", s.at, s.value));
}

pub struct Window {
    items: VecDeque<Sample>,
    span: u64,
}

impl Window {
    pub fn with_span(span: u64) -> Window {
        Window {
            items: VecDeque::new(),
            span,
        }
    }

    pub fn push(&mut self, sample: Sample) -> &mut Self {
        self.items.push_back(sample);
        while self
            .items
            .front()
            .is_some_and(|s| s.at + self.span < sample.at)
        {
            self.items.pop_front();
        }
        self
    }

    pub fn latest(&self) -> Option<Sample> {
        self.items.back().copied()
    }

    pub fn sealed(mut self) -> Vec<Sample> {
        self.items.make_contiguous().reverse();
        self.items.into()
    }
}

impl Iterator for Window {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        self.items.pop_front()
    }
}

pub fn windowed(samples: &[Sample], span: u64) -> Vec<Sample> {
    let mut window = Window::with_span(span);
    for sample in samples {
        window.push(*sample);
    }
    window.sealed()
}
