//! Kitchen planner: recipes, pantry, oven slots and shopping notes.
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::env;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;
use std::sync::{Arc, RwLock};
use std::vec::IntoIter;

static UNITS: RwLock<Vec<(&str, f64)>> = RwLock::new(Vec::new());

thread_local! {
    static TASTED: RefCell<Vec<String>> = RefCell::new(vec![]);
}

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub name: String,
    pub grams: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Recipe {
    pub title: String,
    pub items: Vec<Item>,
    pub steps: Vec<String>,
}

pub struct Pantry {
    shelves: RefCell<HashMap<String, f64>>,
    lookups: Cell<usize>,
}

pub struct Oven<'a> {
    slots: &'a mut Vec<u32>,
    minute: u32,
}

impl Recipe {
    pub fn new(title: &str) -> Self {
        let mut recipe = Recipe::default();
        recipe.title.push_str(title.trim());
        recipe
    }

    pub fn with_step(mut self, step: &str) -> Self {
        self.steps.push(step.to_owned());
        self
    }

    pub fn for_guests(&self, guests: u32) -> Recipe {
        let mut scaled = self.clone();
        for item in &mut scaled.items {
            item.grams *= f64::from(guests);
        }
        scaled
    }

    pub fn heaviest(&self) -> Option<&Item> {
        let mut refs: Vec<&Item> = self.items.iter().collect();
        refs.sort_by(|a, b| b.grams.total_cmp(&a.grams));
        refs.into_iter().next()
    }

    pub fn steps_left(&mut self, done: usize) -> Vec<String> {
        self.steps.split_off(done.min(self.steps.len()))
    }

    pub fn title_or(&mut self, fallback: &str) -> &str {
        if self.title.is_empty() {
            self.title = fallback.to_string();
        }
        &self.title
    }
}

impl Pantry {
    pub fn grams(&self, name: &str) -> f64 {
        self.lookups.set(self.lookups.get() + 1);
        self.shelves.borrow().get(name).copied().unwrap_or(0.0)
    }

    pub fn covers(&self, recipe: &Recipe) -> bool {
        recipe.items.iter().all(|i| self.grams(&i.name) >= i.grams)
    }

    pub fn stock(&self) -> Vec<String> {
        let shelves = self.shelves.borrow();
        let mut names: Vec<String> = shelves.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    pub fn reserve(&self, item: &Item) -> Option<f64> {
        let mut shelves = self.shelves.borrow_mut();
        let left = shelves.get_mut(&item.name)?;
        *left -= item.grams;
        Some(*left)
    }
}

impl Iterator for Oven<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let slot = self.slots.pop()?;
        self.minute += slot;
        Some(self.minute)
    }
}

impl PartialEq<str> for Pantry {
    fn eq(&self, name: &str) -> bool {
        self.grams(name) > 0.0
    }
}

pub fn total_minutes(slots: &[u32]) -> u32 {
    let mut copy = slots.to_vec();
    let oven = Oven { slots: &mut copy, minute: 0 };
    oven.last().unwrap_or(0)
}

pub fn finish_times(slots: &mut Vec<u32>) -> Vec<u32> {
    Oven { slots, minute: 0 }.collect()
}

pub fn quantity(chars: &mut Peekable<Chars<'_>>) -> u32 {
    let mut n = 0;
    while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
        n = n * 10 + d;
        chars.next();
    }
    n
}

pub fn parse_quantity(text: &str) -> u32 {
    let mut chars = text.trim_start().chars().peekable();
    quantity(&mut chars)
}

pub fn first_long(words: &mut IntoIter<String>) -> Option<String> {
    words.find(|w| w.len() > 8)
}

pub fn unit_factor(unit: &str) -> f64 {
    let table = UNITS.read().unwrap();
    table.iter().find(|(name, _)| *name == unit).map_or(1.0, |(_, f)| *f)
}

pub fn define_unit(name: &'static str, factor: f64) -> usize {
    let mut table = UNITS.write().unwrap();
    table.push((name, factor));
    table.len()
}

pub fn in_grams(item: &Item, unit: &str) -> Item {
    Item { grams: item.grams * unit_factor(unit), ..item.clone() }
}

pub fn taste(recipe: &Recipe) -> usize {
    TASTED.with_borrow_mut(|list| {
        list.push(recipe.title.clone());
        list.len()
    })
}

pub fn clean_name(name: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(name);
    if name.contains('_') {
        clean.to_mut().retain(|c| c != '_');
    }
    clean
}

pub fn by_weight(a: &Item, b: &Item) -> Ordering {
    eprintln!("weighing {} and {}", a.name, b.name);
    a.grams.total_cmp(&b.grams)
}

pub fn lightest_first(items: &[Item]) -> Vec<Item> {
    let mut sorted = items.to_vec();
    sorted.sort_by(by_weight);
    sorted
}

pub fn longest_steps(steps: &[String], n: usize) -> Vec<usize> {
    let mut heap: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    for step in steps {
        heap.push(Reverse(step.len()));
        if heap.len() > n {
            heap.pop();
        }
    }
    heap.into_iter().map(|Reverse(len)| len).collect()
}

pub fn shopping(plans: &[Recipe]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    plans.iter().for_each(|r| names.extend(r.items.iter().map(|i| i.name.as_str())));
    names
}

pub fn renamed(shared: &mut Arc<Recipe>, title: &str) -> String {
    let recipe = Arc::make_mut(shared);
    std::mem::replace(&mut recipe.title, title.to_string())
}

pub fn retitled(shared: &Arc<Recipe>, title: &str) -> Arc<Recipe> {
    let mut own = Arc::clone(shared);
    Arc::make_mut(&mut own).title = title.to_string();
    own
}

fn data_root() -> PathBuf {
    env::var_os("KITCHEN_HOME").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

pub fn recipe_path(title: &str) -> PathBuf {
    let mut path = data_root();
    path.push(title);
    path
}

pub fn card_path(root: &Path, title: &str) -> PathBuf {
    let mut path = root.join(title);
    path.set_extension("card");
    path
}

pub fn has_card(root: &Path, title: &str) -> bool {
    card_path(root, title).exists()
}
