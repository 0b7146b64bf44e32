//! An expression and the memory that its searches need.

use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};
use regex_automata::util::captures::Captures;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An expression with as many caches as searches run at once. The pool of [`Regex`] keeps a cache for
/// each thread that ever searched; a server starts threads as long as it runs, and a cache has up to
/// two megabytes.
#[derive(Debug)]
pub(super) struct SharedRegex {
    pub(super) regex: Regex,
    /// The caches that no search uses.
    unused: Mutex<Vec<Cache>>,
}

impl SharedRegex {
    pub(super) fn new(regex: Regex) -> Self {
        Self { regex, unused: Mutex::default() }
    }

    /// Begins searches that share a cache.
    pub(super) fn searcher(&self) -> Searcher<'_> {
        let unused = self.unused().pop();
        Searcher { shared: self, cache: unused.unwrap_or_else(|| self.regex.create_cache()).into() }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut searcher = self.searcher();
        let input = Input::new(text).earliest(true);
        let cache = searcher.cache.as_mut();
        cache.is_some_and(|cache| self.regex.search_half_with(cache, &input).is_some())
    }

    /// The heap memory of the expression and of its unused caches, in bytes.
    pub(super) fn memory(&self) -> usize {
        let caches: usize = self.unused().iter().map(Cache::memory_usage).sum();
        self.regex.memory_usage() + caches
    }

    fn unused(&self) -> MutexGuard<'_, Vec<Cache>> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Searches for an expression; returns the cache when it is dropped.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    shared: &'a SharedRegex,
    /// `None` only while the value is dropped.
    cache: Option<Cache>,
}

impl Searcher<'_> {
    pub(super) fn search(&mut self, input: &Input<'_>, captures: &mut Captures) {
        if let Some(cache) = &mut self.cache {
            self.shared.regex.search_captures_with(cache, input, captures);
        }
    }
}

impl Drop for Searcher<'_> {
    fn drop(&mut self) {
        self.shared.unused().extend(self.cache.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_search_one_after_the_other_share_a_cache() {
        let shared = SharedRegex::new(Regex::new("[a-z]+b").expect("valid"));
        for _ in 0..20 {
            std::thread::scope(|scope| {
                let found = scope.spawn(|| shared.is_match("1 aab"));
                assert!(found.join().expect("no panic"));
            });
        }
        assert_eq!(shared.unused().len(), 1);
        let both = (shared.searcher(), shared.searcher());
        drop(both);
        assert_eq!(shared.unused().len(), 2);
    }
}
