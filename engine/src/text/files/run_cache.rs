//! Results that the checks of several files share, such as the schema that the migrations of a
//! directory define.

use super::{Files, MIN_STAMP_AGE, Stamp, Wrapper};
use crate::text::listing::Listing;
use std::any::{Any, TypeId};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

type Value = Arc<dyn Any + Send + Sync>;
type Slot = Arc<OnceLock<Value>>;

thread_local! {
    /// How long this thread computed shared values, and whether it does so now.
    static SHARED: Cell<(Duration, bool)> = const { Cell::new((Duration::ZERO, false)) };
}

/// How long this thread computed values of a [`RunCache`], or waited for them.
pub(crate) fn shared_time() -> Duration {
    SHARED.get().0
}

/// Whether this thread computes a value of a [`RunCache`], or waits for it.
pub(crate) fn is_computing_shared() -> bool {
    SHARED.get().1
}

/// Adds the duration of `compute` to [`shared_time`].
pub(super) fn timed<T>(compute: impl FnOnce() -> T) -> T {
    struct Running(Instant);
    impl Drop for Running {
        fn drop(&mut self) {
            SHARED.set((SHARED.get().0 + self.0.elapsed(), false));
        }
    }
    let (sum, is_nested) = SHARED.get();
    if is_nested {
        return compute();
    }
    SHARED.set((sum, true));
    let _running = Running(Instant::now());
    compute()
}

type Slots = Mutex<HashMap<String, Slot, foldhash::fast::RandomState>>;

/// Values that are computed once, by key. The files must not change while the values are used.
pub struct RunCache {
    values: Slots,
    /// Values that remain valid while a text is edited.
    unedited: Arc<Slots>,
    /// Values that depend only on a text and remain valid after files change; `None` for a single
    /// run, which parses each text only once.
    by_text: Option<Arc<Mutex<ByText>>>,
}

impl Default for RunCache {
    fn default() -> Self {
        Self { values: Slots::default(), unedited: Arc::default(), by_text: Some(Arc::default()) }
    }
}

impl fmt::Debug for RunCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunCache").finish_non_exhaustive()
    }
}

/// Maximum size of the texts whose values are stored, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 20;

#[derive(Default)]
struct ByText {
    /// By type of the value, hash of the text and its parameters, and length of the text.
    values: HashMap<(TypeId, u64, usize), Value>,
    bytes: usize,
}

impl RunCache {
    /// The cache after files changed: only the values that depend on a text remain.
    #[must_use]
    pub fn after_change(&self) -> Self {
        Self { by_text: self.by_text.clone(), ..Self::default() }
    }

    /// The cache after an edit of the checked text, which no file has yet.
    #[must_use]
    pub fn after_edit(&self) -> Self {
        Self { unedited: self.unedited.clone(), ..self.after_change() }
    }

    /// Whether the values of texts remain valid after files change: `false` in a single run.
    #[must_use]
    pub fn outlives_changes(&self) -> bool {
        self.by_text.is_some()
    }

    /// The value for `key`, computed on first use; other threads wait for it. A key must always be
    /// used with the same type.
    pub fn get_or_compute<T: Any + Send + Sync>(
        &self,
        key: &str,
        compute: impl Fn() -> T,
    ) -> Arc<T> {
        get_or_init(&self.values, key, compute)
    }

    /// Like [`Self::get_or_compute`], but in an editor, the value is only computed again after a file
    /// changes, not after each edit: it must not depend on the checked text.
    pub fn get_or_compute_unedited<T: Any + Send + Sync>(
        &self,
        key: &str,
        compute: impl Fn() -> T,
    ) -> Arc<T> {
        get_or_init(&self.unedited, key, compute)
    }

    /// The value of `text`, which `parse` computes from the text and the parameters.
    pub fn get_or_parse<T: Any + Send + Sync>(
        &self,
        parameters: impl Hash,
        text: &str,
        parse: impl FnOnce() -> T,
    ) -> Arc<T> {
        let Some(by_text) = &self.by_text else { return Arc::new(parse()) };
        let by_text = || by_text.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hasher = DefaultHasher::new();
        (parameters, text).hash(&mut hasher);
        let key = (TypeId::of::<T>(), hasher.finish(), text.len());
        let known = by_text().values.get(&key).cloned();
        if let Some(value) = known.and_then(|value| value.downcast().ok()) {
            return value;
        }
        let value = Arc::new(parse());
        let mut by_text = by_text();
        if by_text.bytes + text.len() > MAX_TEXT_BYTES {
            *by_text = ByText::default();
        }
        if text.len() <= MAX_TEXT_BYTES && by_text.values.insert(key, value.clone()).is_none() {
            by_text.bytes += text.len();
        }
        value
    }

    /// The value for the parameters, which `compute` computes again only if `state` changes; the value
    /// for the former state is dropped. It remains valid after files change, so `state` must contain
    /// all that the value depends on.
    pub fn get_or_replace<T: Any + Send + Sync>(
        &self,
        parameters: impl Hash,
        state: String,
        compute: impl FnOnce() -> T,
    ) -> Arc<T> {
        let Some(by_text) = &self.by_text else { return Arc::new(compute()) };
        let by_text = || by_text.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hasher = DefaultHasher::new();
        parameters.hash(&mut hasher);
        let key = (TypeId::of::<(String, Arc<T>)>(), hasher.finish(), 0);
        let known = by_text().values.get(&key).cloned();
        let known = known.and_then(|known| known.downcast::<(String, Arc<T>)>().ok());
        if let Some(known) = known.filter(|known| known.0 == state) {
            return known.1.clone();
        }
        let value = Arc::new(compute());
        by_text().values.insert(key, Arc::new((state, value.clone())));
        value
    }
}

/// The value for `key`, computed on first use; other threads wait for it.
fn get_or_init<T: Any + Send + Sync>(slots: &Slots, key: &str, compute: impl Fn() -> T) -> Arc<T> {
    let slot = {
        let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
        match slots.get(key) {
            Some(slot) => slot.clone(),
            None => slots.entry(key.to_owned()).or_default().clone(),
        }
    };
    let known = slot.get().cloned();
    let value = known.unwrap_or_else(|| timed(|| slot.get_or_init(|| Arc::new(compute())).clone()));
    value.downcast().unwrap_or_else(|_| Arc::new(compute()))
}

/// The value that `compute` computes from the listing and from the files that `is_input` selects. It is
/// computed once per run, and in an editor once until an input or the listing changes. A key must always
/// be used with the same functions.
pub fn of_inputs<T: Any + Send + Sync>(
    files: &dyn Files,
    listing: &Listing,
    key: &str,
    is_input: impl Fn(&str) -> bool,
    compute: impl Fn(&[String]) -> T,
) -> Arc<T> {
    let select = || -> Vec<String> {
        listing.files().iter().filter(|path| is_input(path)).cloned().collect()
    };
    let Some(cache) = files.run_cache() else { return Arc::new(compute(&select())) };
    let value = cache.get_or_compute(key, || {
        if !cache.outlives_changes() {
            return Arc::new(compute(&select()));
        }
        let id = listing.id().to_string();
        let inputs = cache.get_or_replace((key, "inputs"), id.clone(), select);
        let state = id + &contents_state(files, inputs.iter().map(String::as_str));
        cache.get_or_replace(key, state, || compute(&inputs))
    });
    Arc::clone(&value)
}

/// One byte more than the longest file that a value of several files is computed from.
const MAX_INPUT: u64 = (8 << 20) + 1;

/// A text that changes when a file at one of `paths` changes: their stamps, or the hashes of files that
/// were written recently or are open in an editor.
pub fn contents_state<'p>(files: &dyn Files, paths: impl Iterator<Item = &'p str>) -> String {
    let mut state = String::new();
    for path in paths {
        let is_settled = |stamp: &Stamp| stamp.0.elapsed().is_ok_and(|age| age > MIN_STAMP_AGE);
        let _ = match files.content_stamp(path).filter(is_settled) {
            Some(stamp) => writeln!(state, "{path} {stamp:?}"),
            None => {
                let mut hasher = DefaultHasher::new();
                files.read(path, MAX_INPUT).ok().hash(&mut hasher);
                writeln!(state, "{path} {}", hasher.finish())
            }
        };
    }
    state
}

/// A store whose files do not change during a run, with the cache of the run.
pub struct ForRun<'a> {
    files: &'a dyn Files,
    cache: RunCache,
}

impl<'a> ForRun<'a> {
    /// A run over `files`.
    #[must_use]
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, cache: RunCache { by_text: None, ..RunCache::default() } }
    }
}

impl Wrapper for ForRun<'_> {
    fn inner(&self) -> &dyn Files {
        self.files
    }

    fn run_cache(&self) -> Option<&RunCache> {
        Some(&self.cache)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn a_value_is_computed_once_per_run() {
        let memory = Memory([("a/b/c.sql".to_owned(), Vec::new())].into());
        let run = ForRun::new(&memory);
        let cache = Files::run_cache(&run).expect("a run has a cache");
        assert_eq!(*cache.get_or_compute("a", || 1), 1);
        assert_eq!(*cache.get_or_compute("a", || 2), 1);
        assert_eq!(*cache.get_or_compute("b", || 2), 2);
        assert!(memory.run_cache().is_none());
        assert_eq!(run.dirs("a"), ["b"]);
        assert_eq!(run.dirs(""), ["a"]);
    }

    #[test]
    fn values_of_other_files_remain_after_an_edit() {
        let cache = RunCache::default();
        assert_eq!(*cache.get_or_compute("a", || 1), 1);
        assert_eq!(*cache.get_or_compute_unedited("a", || 1), 1);
        let edited = cache.after_edit();
        assert_eq!(*edited.get_or_compute("a", || 2), 2);
        assert_eq!(*edited.get_or_compute_unedited("a", || 2), 1);
        assert_eq!(*edited.get_or_compute_unedited("b", || 2), 2);
        assert_eq!(*cache.get_or_compute_unedited("b", || 3), 2);
        assert_eq!(*edited.after_change().get_or_compute_unedited("a", || 3), 3);
    }

    #[test]
    fn the_values_of_texts_remain_after_a_change() {
        let cache = RunCache::default();
        assert_eq!(*cache.get_or_compute("a", || 1), 1);
        assert_eq!(*cache.get_or_parse(1, "ab", || 2), 2);
        let changed = cache.after_change();
        assert_eq!(*changed.get_or_compute("a", || 3), 3);
        assert_eq!(*changed.get_or_parse(1, "ab", || 4), 2);
        assert_eq!(*changed.get_or_parse(1, "bc", || 4), 4);
        let large = "a".repeat(MAX_TEXT_BYTES + 1);
        assert_eq!(*changed.get_or_parse(1, &large, || 5), 5);
        assert_eq!(*changed.get_or_parse(1, &large, || 6), 6);
    }

    #[test]
    fn a_value_remains_until_an_input_changes() {
        struct Cached<'a>(&'a Memory, RunCache);
        impl Wrapper for Cached<'_> {
            fn inner(&self) -> &dyn Files {
                self.0
            }

            fn run_cache(&self) -> Option<&RunCache> {
                Some(&self.1)
            }
        }
        let files = |text: &str| {
            let of = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
            Memory([of("a.mk", text), of("b", "")].into())
        };
        let listing = Listing::new(["a.mk".to_owned(), "b".to_owned()]);
        let computed = Cell::new(0);
        let inputs = |files: &Memory, listing: &Listing, cache: &RunCache| {
            let files = Cached(files, cache.after_change());
            let compute = |paths: &[String]| {
                computed.set(computed.get() + 1);
                paths.join(" ")
            };
            of_inputs(&files, listing, "makefiles", |path| path.ends_with(".mk"), compute)
        };
        let cache = RunCache::default();
        let (first, second) = (files("a:\n"), files("b:\n"));
        for (files, listing, expected) in
            [(&first, &listing, 1), (&first, &listing, 1), (&second, &listing, 2)]
        {
            assert_eq!(*inputs(files, listing, &cache), "a.mk");
            assert_eq!(computed.get(), expected);
        }
        let more = Listing::new(["a.mk".to_owned()]).with_file("c.mk");
        assert_eq!(*inputs(&second, &more, &cache), "a.mk c.mk");
        assert_eq!(computed.get(), 3);
    }

    #[test]
    fn a_value_remains_until_its_state_changes() {
        let cache = RunCache::default();
        let value = |cache: &RunCache, parameter, state: &str, value| {
            *cache.get_or_replace(parameter, state.to_owned(), || value)
        };
        assert_eq!(value(&cache, "a", "x", 1), 1);
        let changed = cache.after_change();
        assert_eq!(value(&changed, "a", "x", 2), 1);
        assert_eq!(value(&changed, "b", "x", 3), 3);
        assert_eq!(value(&changed, "a", "y", 4), 4);
        assert_eq!(value(&changed, "a", "x", 5), 5);
    }
}
