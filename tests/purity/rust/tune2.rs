//! Orders, price lists and stock for a wholesale back office.

use rand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub sku: String,
    pub qty: u32,
    pub cents: u64,
}

#[derive(Debug, Clone, Default)]
pub struct Order {
    pub id: u32,
    pub lines: Vec<Line>,
    pub notes: Vec<String>,
}

pub trait Discount {
    fn percent(&self, line: &Line) -> u64;
}

const TIERS: [(u32, u64); 3] = [(500, 20), (100, 10), (10, 2)];
static mut LAST_ORDER: u32 = 0;
static PRICE_OVERRIDES: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
static REGION: OnceLock<String> = OnceLock::new();

pub fn line_total(line: &Line) -> u64 {
    let percent = tier_percent(line.qty);
    line.cents * u64::from(line.qty) * (100 - percent) / 100
}

pub fn tier_percent(qty: u32) -> u64 {
    for (min, percent) in TIERS {
        if qty >= min {
            return percent;
        }
    }
    0
}

pub fn order_total(order: &Order) -> u64 {
    order.lines.iter().map(line_total).sum()
}

pub fn override_price(sku: &str, cents: u64) -> Option<u64> {
    PRICE_OVERRIDES
        .lock()
        .unwrap()
        .insert(sku.to_string(), cents)
}

pub fn effective_price(line: &Line) -> u64 {
    let overrides = PRICE_OVERRIDES.lock().unwrap();
    overrides.get(&line.sku).copied().unwrap_or(line.cents)
}

pub fn effective_total(order: &Order) -> u64 {
    order
        .lines
        .iter()
        .map(|line| effective_price(line) * u64::from(line.qty))
        .sum()
}

pub fn price_from(list: &BTreeMap<String, u64>, line: &Line) -> u64 {
    list.get(&line.sku).copied().unwrap_or(line.cents)
}

pub fn next_order_id() -> u32 {
    unsafe {
        LAST_ORDER += 1;
        LAST_ORDER
    }
}

pub fn blank_order() -> Order {
    Order {
        id: next_order_id(),
        ..Order::default()
    }
}

pub fn sort_lines(lines: &mut [Line]) {
    lines.sort_by(|a, b| a.sku.cmp(&b.sku).then(b.qty.cmp(&a.qty)));
}

pub fn sorted_lines(lines: &[Line]) -> Vec<Line> {
    let mut copy = lines.to_vec();
    sort_lines(&mut copy);
    copy
}

pub fn into_sorted(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_unstable_by_key(|line| std::cmp::Reverse(line.cents));
    lines
}

pub fn insertion_sort(values: &mut Vec<u64>) {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
}

pub fn median_cents(order: &Order) -> Option<u64> {
    let mut cents: Vec<u64> = order.lines.iter().map(|line| line.cents).collect();
    insertion_sort(&mut cents);
    cents.get(cents.len() / 2).copied()
}

pub fn merge_line(order: &mut Order, line: Line) {
    match order.lines.iter_mut().find(|l| l.sku == line.sku) {
        Some(existing) => existing.qty += line.qty,
        None => order.lines.push(line),
    }
}

pub fn merged(orders: &[Order]) -> Order {
    let mut out = Order::default();
    for line in orders.iter().flat_map(|order| &order.lines) {
        merge_line(&mut out, line.clone());
    }
    out
}

pub fn absorb(target: &mut Order, source: &mut Order) {
    target.lines.append(&mut source.lines);
    target.notes.extend(std::mem::take(&mut source.notes));
}

pub fn discounted(lines: &[Line], discount: &dyn Discount) -> u64 {
    let mut total = 0;
    for line in lines {
        total += line_total(line) * (100 - discount.percent(line)) / 100;
    }
    total
}

pub fn keep_if(order: &Order, keep: impl Fn(&Line) -> bool) -> Vec<Line> {
    order
        .lines
        .iter()
        .filter(|line| keep(line))
        .cloned()
        .collect()
}

pub fn large_lines(order: &Order, min: u32) -> Vec<Line> {
    keep_if(order, |line| line.qty >= min)
}

pub fn drop_small(order: &mut Order, min: u32) -> usize {
    let before = order.lines.len();
    order.lines.retain(|line| line.qty >= min);
    before - order.lines.len()
}

pub fn without_small(order: Order, min: u32) -> Order {
    let lines = order
        .lines
        .into_iter()
        .filter(|line| line.qty >= min)
        .collect();
    Order { lines, ..order }
}

pub fn parse_line(text: &str) -> Result<Line, String> {
    let mut fields = text.split(',').map(str::trim);
    let sku = fields
        .next()
        .filter(|s| !s.is_empty())
        .ok_or("missing sku")?;
    let qty = fields
        .next()
        .ok_or("missing qty")?
        .parse()
        .map_err(|e| format!("{e}"))?;
    let cents = fields
        .next()
        .ok_or("missing price")?
        .parse()
        .map_err(|e| format!("{e}"))?;
    Ok(Line {
        sku: sku.to_owned(),
        qty,
        cents,
    })
}

pub fn parse_order(text: &str) -> Order {
    let mut order = Order::default();
    for row in text.lines() {
        match parse_line(row) {
            Ok(line) => order.lines.push(line),
            Err(why) => order.notes.push(why),
        }
    }
    order
}

pub fn parse_order_loud(text: &str) -> Order {
    let order = parse_order(text);
    for note in &order.notes {
        println!("skipped: {note}");
    }
    order
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
}

fn day_index() -> u64 {
    unix_seconds() / 86_400
}

pub fn is_sale_day(period: u64) -> bool {
    day_index() % period == 0
}

pub fn overdue(placed: Instant, limit: Duration) -> bool {
    placed.elapsed() > limit
}

pub fn past_due(placed: Duration, now: Duration, limit: Duration) -> bool {
    now.saturating_sub(placed) > limit
}

pub fn pick_winner(orders: &[Order]) -> Option<&Order> {
    if orders.is_empty() {
        return None;
    }
    orders.get(rand::thread_rng().gen_range(0..orders.len()))
}

pub fn region() -> &'static str {
    REGION.get_or_init(|| std::env::var("STORE_REGION").unwrap_or_else(|_| "main".into()))
}

pub fn order_label(order: &Order) -> String {
    format!("{}-{:06}", region(), order.id)
}

pub fn distinct_skus(orders: &[Order]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    for order in orders {
        seen.extend(order.lines.iter().map(|line| line.sku.as_str()));
    }
    seen.into_iter().collect()
}
