//! Grid world: cellular automaton, path finding, matrices, random terrain.

use rand::seq::SliceRandom;
use rand::Rng;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::rc::{Rc, Weak};
use std::sync::Mutex;

pub type Point = (i32, i32);

#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    width: usize,
    cells: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mat2 {
    pub m: [[f64; 2]; 2],
}

#[derive(Debug, Default)]
pub struct Node {
    pub name: String,
    pub children: RefCell<Vec<Rc<Node>>>,
    pub parent: RefCell<Weak<Node>>,
}

#[derive(Debug, Clone)]
pub struct Lcg(pub u64);

pub trait Terrain {
    fn cost(&self, at: Point) -> Option<u32>;
}

const AROUND: [Point; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
static SEED_LOG: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static mut STEP_LIMIT: usize = 10_000;

impl Grid {
    pub fn parse(text: &str) -> Grid {
        let width = text.lines().next().map_or(0, str::len);
        let cells = text
            .lines()
            .flat_map(|row| row.chars().map(|c| c == '#'))
            .collect();
        Grid { width, cells }
    }

    pub fn get(&self, x: usize, y: usize) -> bool {
        x < self.width && self.cells.get(y * self.width + x).copied().unwrap_or(false)
    }

    pub fn cell_mut(&mut self, x: usize, y: usize) -> Option<&mut bool> {
        self.cells.get_mut(y * self.width + x)
    }

    pub fn toggle(&mut self, x: usize, y: usize) {
        if let Some(cell) = self.cell_mut(x, y) {
            *cell = !*cell;
        }
    }

    pub fn toggled(&self, x: usize, y: usize) -> Grid {
        let mut next = self.clone();
        next.toggle(x, y);
        next
    }

    pub fn neighbours(&self, x: usize, y: usize) -> usize {
        let mut n = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                let inside = x + dx > 0 && y + dy > 0 && (dx, dy) != (1, 1);
                n += usize::from(inside && self.get(x + dx - 1, y + dy - 1));
            }
        }
        n
    }

    pub fn step(&self) -> Grid {
        let mut cells = vec![false; self.cells.len()];
        for (i, cell) in cells.iter_mut().enumerate() {
            let n = self.neighbours(i % self.width, i / self.width);
            *cell = n == 3 || (n == 2 && self.cells[i]);
        }
        Grid {
            width: self.width,
            cells,
        }
    }

    pub fn advance(&mut self, generations: usize) -> &Grid {
        for _ in 0..generations {
            *self = self.step();
        }
        self
    }

    pub fn scatter(width: usize, height: usize) -> Grid {
        let mut rng = rand::thread_rng();
        let cells = (0..width * height).map(|_| rng.gen_bool(0.3)).collect();
        Grid { width, cells }
    }

    pub fn show(&self) {
        for row in self.cells.chunks(self.width) {
            println!("{}", row_text(row));
        }
    }

    pub fn count_where(&self, wanted: &dyn Fn(usize, bool) -> bool) -> usize {
        self.cells
            .iter()
            .enumerate()
            .filter(|(i, cell)| wanted(*i, **cell))
            .count()
    }
}

pub fn row_text(row: &[bool]) -> String {
    row.iter().map(|&on| if on { '#' } else { '.' }).collect()
}

impl Lcg {
    pub fn next_u32(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as u32
    }

    pub fn logged(seed: u64) -> Lcg {
        SEED_LOG.lock().unwrap().push(seed);
        Lcg(seed)
    }
}

pub fn seeded_grid(width: usize, height: usize, seed: u64) -> Grid {
    let mut rng = Lcg(seed);
    let cells = (0..width * height)
        .map(|_| rng.next_u32() % 3 == 0)
        .collect();
    Grid { width, cells }
}

pub fn logged_grid(width: usize, seed: u64) -> Grid {
    let mut rng = Lcg::logged(seed);
    let cells = (0..width).map(|_| rng.next_u32() & 1 == 1).collect();
    Grid { width, cells }
}

pub fn seeds_used() -> usize {
    SEED_LOG.lock().map(|log| log.len()).unwrap_or(0)
}

pub fn reroll(rng: &mut Lcg, values: &[u32]) -> Option<u32> {
    let index = rng.next_u32() as usize % values.len().max(1);
    values.get(index).copied()
}

pub fn deal(points: &[Point]) -> Vec<Point> {
    let mut deck = points.to_vec();
    deck.shuffle(&mut rand::thread_rng());
    deck
}

pub fn opening_hand(points: &[Point], n: usize) -> Vec<Point> {
    deal(points).into_iter().take(n).collect()
}

pub fn manhattan(a: Point, b: Point) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

pub fn around(at: Point) -> impl Iterator<Item = Point> {
    AROUND.iter().map(move |(dx, dy)| (at.0 + dx, at.1 + dy))
}

pub fn flood(open: &HashSet<Point>, from: Point) -> usize {
    let mut seen = HashSet::from([from]);
    let mut stack = vec![from];
    while let Some(at) = stack.pop() {
        for next in around(at).filter(|p| open.contains(p)) {
            if seen.insert(next) {
                stack.push(next);
            }
        }
    }
    seen.len()
}

pub fn consume(open: &mut BTreeSet<Point>, from: Point) -> usize {
    if !open.remove(&from) {
        return 0;
    }
    1 + around(from).map(|next| consume(open, next)).sum::<usize>()
}

pub fn islands(open: &BTreeSet<Point>) -> Vec<usize> {
    let mut left = open.clone();
    let mut sizes = Vec::new();
    while let Some(&first) = left.iter().next() {
        sizes.push(consume(&mut left, first));
    }
    sizes
}

pub fn cheapest(costs: &BTreeMap<Point, u32>, from: Point, to: Point) -> Option<u32> {
    let mut heap = BinaryHeap::from([(std::cmp::Reverse(0), from)]);
    let mut done = BTreeSet::new();
    while let Some((std::cmp::Reverse(cost), at)) = heap.pop() {
        if at == to {
            return Some(cost);
        }
        if done.insert(at) {
            for next in around(at) {
                if let Some(extra) = costs.get(&next) {
                    heap.push((std::cmp::Reverse(cost + extra), next));
                }
            }
        }
    }
    None
}

pub fn walk_cost(path: &[Point], terrain: &dyn Terrain) -> Option<u32> {
    path.iter().map(|at| terrain.cost(*at)).sum()
}

pub fn set_step_limit(limit: usize) {
    unsafe { STEP_LIMIT = limit }
}

pub fn within_limit(path: &[Point]) -> bool {
    path.len() <= unsafe { STEP_LIMIT }
}

pub fn truncated(path: &[Point]) -> &[Point] {
    if within_limit(path) {
        path
    } else {
        &path[..1]
    }
}

pub fn simplify(path: &mut Vec<Point>) -> usize {
    let before = path.len();
    path.dedup();
    before - path.len()
}

impl std::ops::Mul for Mat2 {
    type Output = Mat2;

    fn mul(self, other: Mat2) -> Mat2 {
        let mut m = [[0.0; 2]; 2];
        for (i, row) in m.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = self.m[i][0] * other.m[0][j] + self.m[i][1] * other.m[1][j];
            }
        }
        Mat2 { m }
    }
}

impl Mat2 {
    pub fn power(self, mut n: u32) -> Mat2 {
        let mut base = self;
        let mut out = Mat2 {
            m: [[1.0, 0.0], [0.0, 1.0]],
        };
        while n > 0 {
            if n & 1 == 1 {
                out = out * base;
            }
            base = base * base;
            n >>= 1;
        }
        out
    }

    pub fn transpose(&mut self) {
        let [[_, b], [c, _]] = &mut self.m;
        std::mem::swap(b, c);
    }
}

pub fn adopt(parent: &Rc<Node>, child: Rc<Node>) {
    *child.parent.borrow_mut() = Rc::downgrade(parent);
    parent.children.borrow_mut().push(child);
}

pub fn swap_rows(rows: &mut [Vec<f64>], a: usize, b: usize) -> bool {
    let valid = a < rows.len() && b < rows.len();
    if valid {
        rows.swap(a, b);
    }
    valid
}
