//! Mesh radio protocol: frames, peers and link statistics.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Cursor, Read};
use std::ops::{Add, AddAssign, Index, Shl};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

const SYNC: [u8; 2] = [0xAA, 0x55];
static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static BLOCKED: Mutex<Vec<u16>> = Mutex::new(Vec::new());
static NODE: OnceLock<String> = OnceLock::new();

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub from: u16,
    pub hops: u8,
    pub body: Vec<u8>,
}

#[derive(Default)]
pub struct Peer {
    pub id: u16,
    seen: Cell<u32>,
    notes: RefCell<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub sent: u32,
    pub lost: u32,
}

impl Add for Link {
    type Output = Link;
    fn add(mut self, other: Link) -> Link {
        self.sent += other.sent;
        self.lost += other.lost;
        self
    }
}

impl AddAssign<u32> for Link {
    fn add_assign(&mut self, lost: u32) {
        *self = Link { sent: self.sent + lost, lost: self.lost + lost };
    }
}

impl Shl<u8> for Frame {
    type Output = Frame;
    fn shl(mut self, byte: u8) -> Frame {
        self.body.push(byte);
        self
    }
}

impl Index<usize> for Frame {
    type Output = u8;
    fn index(&self, at: usize) -> &u8 {
        &self.body[at % self.body.len()]
    }
}

impl Peer {
    pub fn matches(&self, frame: &Frame) -> bool {
        let same = frame.from == self.id;
        self.seen.set(self.seen.get() + u32::from(same));
        same
    }

    pub fn describe(&self) -> String {
        let mut notes = self.notes.borrow_mut();
        notes.dedup();
        notes.join("; ")
    }

    pub fn take_notes(self) -> Vec<String> {
        let mut notes = self.notes.into_inner();
        notes.sort();
        notes
    }
}

impl Link {
    pub fn loss_percent(&self) -> u32 {
        let Link { mut sent, lost } = *self;
        sent = sent.max(1);
        lost * 100 / sent
    }
}

pub fn encode(frame: &Frame) -> Vec<u8> {
    let mut out = Vec::with_capacity(frame.body.len() + 5);
    out.extend_from_slice(&SYNC);
    out.extend(frame.from.to_be_bytes());
    out.push(frame.hops);
    out.extend(&frame.body);
    out
}

pub fn decode(bytes: &[u8]) -> Option<(u16, u8)> {
    let mut cursor = Cursor::new(bytes);
    let mut head = [0u8; 5];
    cursor.read_exact(&mut head).ok()?;
    let [_, _, hi, lo, hops] = head;
    Some((u16::from_be_bytes([hi, lo]), hops))
}

pub fn next_field(input: &mut &[u8]) -> u8 {
    let (first, rest) = input.split_first().unwrap_or((&0, &[]));
    *input = rest;
    *first
}

pub fn field_sum(bytes: &[u8]) -> u32 {
    let mut rest = bytes;
    let mut sum = 0;
    while !rest.is_empty() {
        sum += u32::from(next_field(&mut rest));
    }
    sum
}

pub fn unmasked(body: &mut [u8], key: u8) -> &[u8] {
    let (_, tail) = body.split_at_mut(2);
    tail.iter_mut().for_each(|b| *b ^= key);
    tail
}

pub fn relayed(mut frame: Frame) -> Frame {
    frame.hops = frame.hops.saturating_add(1);
    frame.body.truncate(64);
    frame
}

pub fn sequence() -> u32 {
    SEQUENCE.fetch_add(1, Ordering::Relaxed)
}

pub fn tagged(frame: &Frame) -> String {
    format!("{:04x}/{}", frame.from, sequence())
}

pub fn is_blocked(id: u16) -> bool {
    BLOCKED.lock().map(|list| list.contains(&id)).unwrap_or(false)
}

pub fn block(ids: &[u16]) -> usize {
    let mut list = BLOCKED.lock().unwrap();
    list.extend_from_slice(ids);
    list.len()
}

pub fn node_name() -> &'static str {
    NODE.get_or_init(|| std::env::var("MESH_NODE").unwrap_or_default())
}

pub fn nested(frame: &Frame) -> usize {
    DEPTH.with(|d| d.replace(d.get() + frame.body.len()))
}

pub fn hex(frame: &Frame) -> String {
    let mut text = String::new();
    for byte in &frame.body {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

pub fn salt() -> u64 {
    RandomState::new().build_hasher().finish()
}

pub fn deadline(budget: Duration) -> Option<Instant> {
    Instant::now().checked_add(budget)
}

pub fn age_of(at: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(at).unwrap_or_default()
}

pub fn forward(out: &Sender<Frame>, frame: Frame) -> bool {
    out.send(frame).is_ok()
}

pub fn shared_hops(route: &Rc<RefCell<Vec<u16>>>) -> usize {
    let route = Rc::clone(route);
    route.borrow_mut().push(0);
    let hops = route.borrow().len();
    hops
}

pub fn routes(links: &[(u16, u16)]) -> BTreeMap<u16, Vec<u16>> {
    let mut table: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
    links.iter().for_each(|&(a, b)| table.entry(a).or_default().push(b));
    table
}

pub fn known(table: &mut HashMap<u16, u32>, id: u16) -> u32 {
    *table.entry(id).or_insert(0)
}
