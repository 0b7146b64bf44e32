//! Collects the facts of all files of a project in parallel, and caches them until a file changes.

use super::{Facts, is_supported, read, read_tree};
use crate::parse::syntax::Parsed;
use crate::text::files::{Files, MIN_STAMP_AGE, SIDE_FILE_LIMIT, Stamp};
use crate::text::listing::Listing;
use crate::text::source::Source;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of threads; parsing is fast, and small projects need only one.
const MAX_THREADS: usize = 16;
/// Minimum number of files per thread.
const FILES_PER_THREAD: usize = 32;

/// A file whose facts changed.
#[derive(Debug)]
pub struct ChangedFacts {
    /// The path of the file.
    pub path: String,
    /// The facts before the change.
    pub before: Option<Arc<Facts>>,
    /// The current facts.
    pub after: Option<Arc<Facts>>,
}

/// A cache of the facts of files, with the hash of the text they were read from.
#[derive(Debug, Default)]
pub struct FactsCache {
    known: Mutex<HashMap<String, CachedFacts>>,
    /// Path → the hash of a text that was parsed for another purpose, and its facts. Removed when
    /// the facts are requested.
    pre_parsed: Mutex<HashMap<String, (u64, Arc<Facts>)>>,
}

#[derive(Debug)]
struct CachedFacts {
    facts: Arc<Facts>,
    hash: u64,
    /// `None` if the stamp was not requested, or is too recent to be reliable.
    stamp: Option<Stamp>,
}

impl FactsCache {
    fn lock_entries(&self) -> MutexGuard<'_, HashMap<String, CachedFacts>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the facts of a text whose tree was parsed for another purpose.
    pub fn store_tree(&self, source: &Source, tree: &Parsed) {
        let (path, hash) = (source.path(), hash(source.text().as_bytes()));
        if self.lock_entries().get(path).is_some_and(|known| known.hash == hash) {
            return;
        }
        if let Some(facts) = read_tree(path, tree) {
            let mut pre_parsed = self.pre_parsed.lock().unwrap_or_else(PoisonError::into_inner);
            pre_parsed.insert(path.to_owned(), (hash, Arc::new(facts)));
        }
    }

    /// The stored facts of the text with this hash, if there are any.
    fn take_stored(&self, path: &str, hash: u64) -> Option<Arc<Facts>> {
        let mut pre_parsed = self.pre_parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, facts) = pre_parsed.remove(path).filter(|(known, _)| *known == hash)?;
        Some(facts)
    }

    /// The number of files in the cache.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock_entries().len()
    }

    /// Whether the cache has facts for the file at `path`.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.lock_entries().contains_key(path)
    }

    /// Whether the cached facts of the file at `path` were read from `text`.
    #[must_use]
    pub fn is_current(&self, path: &str, text: &str) -> bool {
        self.lock_entries().get(path).is_some_and(|known| known.hash == hash(text.as_bytes()))
    }

    /// The cached facts of the files of `listing`, with `text` as the content of the file at
    /// `path`. Does not read files or change the cache.
    #[must_use]
    pub fn facts_with(
        &self,
        listing: &Listing,
        path: &str,
        text: &str,
    ) -> BTreeMap<String, Arc<Facts>> {
        let known = self.lock_entries();
        let listed = listing.files().iter().filter_map(|path| {
            let facts = known.get(path)?.facts.clone();
            Some((path.clone(), facts))
        });
        let mut all: BTreeMap<String, Arc<Facts>> = listed.collect();
        drop(known);
        let stored = self.take_stored(path, hash(text.as_bytes()));
        let facts = stored.or_else(|| read(path, text).map(Arc::new));
        all.extend(facts.map(|facts| (path.to_owned(), facts)));
        all
    }

    /// The cached facts of the files of `listing`. Does not read files.
    #[must_use]
    pub fn cached_facts(&self, listing: &Listing) -> BTreeMap<String, Arc<Facts>> {
        let known = self.lock_entries();
        let facts = |path: &String| Some((path.clone(), known.get(path)?.facts.clone()));
        listing.files().iter().filter_map(facts).collect()
    }

    /// Reads the files at `paths` again, regardless of their stamps. Returns the files whose facts
    /// changed, with `None` for facts of a file that does not exist or has no supported language.
    #[must_use]
    pub fn refresh(&self, files: &dyn Files, paths: &[&str]) -> Vec<ChangedFacts> {
        let paths: Vec<&str> = paths.iter().copied().filter(|path| is_supported(path)).collect();
        let refresh_one = |path: &&str| {
            let before = self.lock_entries().get(*path).map(|known| known.facts.clone());
            let stamp = files.content_stamp(path);
            let read = files.read(path, SIDE_FILE_LIMIT + 1).ok();
            let read = read.filter(|bytes| bytes.len() as u64 <= SIDE_FILE_LIMIT);
            let after =
                read.and_then(|bytes| self.facts_of_text(path, bytes, stamp.filter(is_settled)));
            if after.is_none() {
                self.lock_entries().remove(*path);
            }
            (before != after).then(|| ChangedFacts { path: (*path).to_owned(), before, after })
        };
        in_parallel(&paths, &refresh_one).into_iter().flatten().collect()
    }

    /// The facts of the file at `path`, which is read again if it changed. Returns `None` if the
    /// file cannot be read, and an error if it is too large.
    fn facts(&self, files: &dyn Files, path: &str) -> Result<Option<Arc<Facts>>, TooLarge> {
        // Get the stamp only from the second request on; a single run needs no stamps.
        let is_known = self.lock_entries().contains_key(path);
        let stamp = if is_known { files.content_stamp(path) } else { None };
        if let Some(known) = self.lock_entries().get(path).filter(|_| stamp.is_some())
            && known.stamp == stamp
        {
            return Ok(Some(known.facts.clone()));
        }
        // The first pass reports unreadable files.
        let Ok(bytes) = files.read(path, SIDE_FILE_LIMIT + 1) else { return Ok(None) };
        if bytes.len() as u64 > SIDE_FILE_LIMIT {
            return Err(TooLarge);
        }
        Ok(self.facts_of_text(path, bytes, stamp.filter(is_settled)))
    }

    /// The facts of a text: cached if the text is unchanged, otherwise read from it and cached.
    fn facts_of_text(
        &self,
        path: &str,
        bytes: Vec<u8>,
        stamp: Option<Stamp>,
    ) -> Option<Arc<Facts>> {
        let hash = hash(&bytes);
        if let Some(known) = self.lock_entries().get_mut(path).filter(|known| known.hash == hash) {
            known.stamp = stamp;
            return Some(known.facts.clone());
        }
        // Spans must match the text in which findings are displayed.
        let read = || read(path, Source::decode(path, bytes).text()).map(Arc::new);
        let facts = self.take_stored(path, hash).or_else(read)?;
        self.lock_entries()
            .insert(path.to_owned(), CachedFacts { facts: facts.clone(), hash, stamp });
        Some(facts)
    }
}

fn is_settled(stamp: &Stamp) -> bool {
    stamp.0.elapsed().is_ok_and(|age| age > MIN_STAMP_AGE)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The file exceeds the size limit.
struct TooLarge;

/// The facts of the files of `listing` in supported languages, by path, and the number of files
/// that were too large to read.
#[must_use]
pub fn gather(
    files: &dyn Files,
    listing: &Listing,
    facts_cache: &FactsCache,
) -> (BTreeMap<String, Arc<Facts>>, usize) {
    let paths: Vec<&str> =
        listing.files().iter().map(String::as_str).filter(|path| is_supported(path)).collect();
    let (mut all, mut too_large) = (BTreeMap::new(), 0);
    for (path, facts) in in_parallel(&paths, &|path| (*path, facts_cache.facts(files, path))) {
        match facts {
            Ok(facts) => all.extend(facts.map(|facts| (path.to_owned(), facts))),
            Err(TooLarge) => too_large += 1,
        }
    }
    (all, too_large)
}

/// Applies `work` to each of `items` in parallel; the results are unordered.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (items.len() / FILES_PER_THREAD).clamp(1, processors.min(MAX_THREADS));
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let run_worker = || {
        let mut results = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push(work(item));
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).append(&mut results);
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(run_worker);
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::time::{Duration, SystemTime};

    /// A file with an old time stamp that counts how often it is read.
    struct CountingFile(&'static str, SystemTime, AtomicUsize);

    impl Files for CountingFile {
        fn read(&self, _: &str, _: u64) -> io::Result<Vec<u8>> {
            self.2.fetch_add(1, Ordering::Relaxed);
            Ok(self.0.as_bytes().to_vec())
        }

        fn exists(&self, _: &str) -> bool {
            true
        }

        fn content_stamp(&self, _: &str) -> Option<Stamp> {
            Some((self.1, self.0.len() as u64))
        }
    }

    #[test]
    fn an_unchanged_file_is_not_read_again() {
        let (facts_cache, listing) = (FactsCache::default(), Listing::new(["a.ts".to_owned()]));
        let reads = |files: &CountingFile| {
            let (facts, _) = gather(files, &listing, &facts_cache);
            (facts["a.ts"].imports.len(), files.2.swap(0, Ordering::Relaxed))
        };
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let file = |text, time| CountingFile(text, time, AtomicUsize::new(0));
        let first = file("import './b';\n", long_ago);
        // The stamp is read on the second request.
        assert_eq!([reads(&first), reads(&first), reads(&first)], [(1, 1), (1, 1), (1, 0)]);
        let longer = file("import './b';\nimport './c';\n", long_ago);
        assert_eq!([reads(&longer), reads(&longer)], [(2, 1), (2, 0)]);
        // A file that was just written can be written again within the resolution of its stamp.
        let recent = file("import './d';\nimport './e';\n", SystemTime::now());
        assert_eq!([reads(&recent), reads(&recent)], [(2, 1), (2, 1)]);
    }
}
