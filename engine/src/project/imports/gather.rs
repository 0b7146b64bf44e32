//! The facts of all files of a project, read by several threads, and kept for as long as a file
//! stays as it is.

use super::{Facts, is_read, read, read_tree};
use crate::parse::syntax::Parsed;
use crate::text::files::{Files, SETTLED, SIDE_FILE_LIMIT, Stamp};
use crate::text::listing::Listing;
use crate::text::source::Source;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most threads; parsing is quick, and a project of few files needs one.
const MOST_THREADS: usize = 16;
/// Files that one more thread is worth.
const FILES_A_THREAD: usize = 32;

/// A file whose facts are others than they were.
#[derive(Debug)]
pub struct Again {
    /// Its path.
    pub path: String,
    /// What was known of it.
    pub before: Option<Arc<Facts>>,
    /// What is known of it now.
    pub after: Option<Arc<Facts>>,
}

/// Facts of files, and what the texts are known by that they are of.
#[derive(Debug, Default)]
pub struct Memo {
    known: Mutex<HashMap<String, Known>>,
    /// Facts of texts that were parsed for something else, by path, until they are asked for: what
    /// the texts are known by, and the facts.
    beside: Mutex<HashMap<String, (u64, Arc<Facts>)>>,
}

#[derive(Debug)]
struct Known {
    facts: Arc<Facts>,
    hash: u64,
    /// `None`: not asked for, or too young to tell.
    stamp: Option<Stamp>,
}

impl Memo {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the tree of a text that was parsed for something else.
    pub fn take(&self, source: &Source, tree: &Parsed) {
        let (path, hash) = (source.path(), hash(source.text().as_bytes()));
        if self.known().get(path).is_some_and(|known| known.hash == hash) {
            return;
        }
        if let Some(facts) = read_tree(path, tree) {
            let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
            beside.insert(path.to_owned(), (hash, Arc::new(facts)));
        }
    }

    /// The facts of the text that is known by `hash`, when its tree was taken in.
    fn taken(&self, path: &str, hash: u64) -> Option<Arc<Facts>> {
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, facts) = beside.remove(path).filter(|(known, _)| *known == hash)?;
        Some(facts)
    }

    /// How many files are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.known().len()
    }

    /// Whether something is known of the file at `path`.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.known().contains_key(path)
    }

    /// Whether what is known of the file at `path` is of this text.
    #[must_use]
    pub fn is_of(&self, path: &str, text: &str) -> bool {
        self.known().get(path).is_some_and(|known| known.hash == hash(text.as_bytes()))
    }

    /// What is known of the files of `listing`, with the file at `path` as `text` has it. Nothing is
    /// read, and nothing kept.
    #[must_use]
    pub fn with(&self, listing: &Listing, path: &str, text: &str) -> BTreeMap<String, Arc<Facts>> {
        let known = self.known();
        let listed = listing.files().iter().filter_map(|path| {
            let facts = known.get(path)?.facts.clone();
            Some((path.clone(), facts))
        });
        let mut all: BTreeMap<String, Arc<Facts>> = listed.collect();
        drop(known);
        let taken = self.taken(path, hash(text.as_bytes()));
        let facts = taken.or_else(|| read(path, text).map(Arc::new));
        all.extend(facts.map(|facts| (path.to_owned(), facts)));
        all
    }

    /// What is known of the files of `listing`. Nothing is read.
    #[must_use]
    pub fn listed(&self, listing: &Listing) -> BTreeMap<String, Arc<Facts>> {
        let known = self.known();
        let facts = |path: &String| Some((path.clone(), known.get(path)?.facts.clone()));
        listing.files().iter().filter_map(facts).collect()
    }

    /// Reads the files at `paths` anew, whatever they are known by. Those whose facts are others now:
    /// path, what they were, what they are. `None`: there is no such file, or none that is
    /// understood.
    #[must_use]
    pub fn again(&self, files: &dyn Files, paths: &[&str]) -> Vec<Again> {
        let paths: Vec<&str> = paths.iter().copied().filter(|path| is_read(path)).collect();
        let one = |path: &&str| {
            let before = self.known().get(*path).map(|known| known.facts.clone());
            let stamp = files.known_by(path);
            let read = files.read(path, SIDE_FILE_LIMIT + 1).ok();
            let read = read.filter(|bytes| bytes.len() as u64 <= SIDE_FILE_LIMIT);
            let after = read.and_then(|bytes| self.of_text(path, bytes, stamp.filter(is_old)));
            if after.is_none() {
                self.known().remove(*path);
            }
            (before != after).then(|| Again { path: (*path).to_owned(), before, after })
        };
        in_parallel(&paths, &one).into_iter().flatten().collect()
    }

    /// The facts of the file at `path`, read anew unless it is as it was. `None`: it cannot be
    /// read. `Err`: it is too large.
    fn facts(&self, files: &dyn Files, path: &str) -> Result<Option<Arc<Facts>>, TooLarge> {
        // A file that is met once, as by a command, is not looked at twice.
        let is_known = self.known().contains_key(path);
        let stamp = if is_known { files.known_by(path) } else { None };
        if let Some(known) = self.known().get(path).filter(|_| stamp.is_some())
            && known.stamp == stamp
        {
            return Ok(Some(known.facts.clone()));
        }
        // What cannot be read is told by the first pass.
        let Ok(bytes) = files.read(path, SIDE_FILE_LIMIT + 1) else { return Ok(None) };
        if bytes.len() as u64 > SIDE_FILE_LIMIT {
            return Err(TooLarge);
        }
        Ok(self.of_text(path, bytes, stamp.filter(is_old)))
    }

    fn of_text(&self, path: &str, bytes: Vec<u8>, stamp: Option<Stamp>) -> Option<Arc<Facts>> {
        let hash = hash(&bytes);
        if let Some(known) = self.known().get_mut(path).filter(|known| known.hash == hash) {
            known.stamp = stamp;
            return Some(known.facts.clone());
        }
        // Spans are those of the text that findings are shown in.
        let read = || read(path, Source::decode(path, bytes).text()).map(Arc::new);
        let facts = self.taken(path, hash).or_else(read)?;
        self.known().insert(path.to_owned(), Known { facts: facts.clone(), hash, stamp });
        Some(facts)
    }
}

fn is_old(stamp: &Stamp) -> bool {
    stamp.0.elapsed().is_ok_and(|age| age > SETTLED)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// A file is too large to be read.
struct TooLarge;

/// The facts of the files of `listing` whose imports are understood, by path, and how many files
/// were too large to be read.
#[must_use]
pub fn gather(
    files: &dyn Files,
    listing: &Listing,
    memo: &Memo,
) -> (BTreeMap<String, Arc<Facts>>, usize) {
    let paths: Vec<&str> =
        listing.files().iter().map(String::as_str).filter(|path| is_read(path)).collect();
    let (mut all, mut too_large) = (BTreeMap::new(), 0);
    for (path, facts) in in_parallel(&paths, &|path| (*path, memo.facts(files, path))) {
        match facts {
            Ok(facts) => all.extend(facts.map(|facts| (path.to_owned(), facts))),
            Err(TooLarge) => too_large += 1,
        }
    }
    (all, too_large)
}

/// What `work` gives for each of `items`, in no order, by as many threads as that is worth.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (items.len() / FILES_A_THREAD).clamp(1, processors.min(MOST_THREADS));
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let share = || {
        let mut mine = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            mine.push(work(item));
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(share);
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::time::{Duration, SystemTime};

    /// One file that was written long ago, and how often it was read.
    struct Counted(&'static str, SystemTime, AtomicUsize);

    impl Files for Counted {
        fn read(&self, _: &str, _: u64) -> io::Result<Vec<u8>> {
            self.2.fetch_add(1, Ordering::Relaxed);
            Ok(self.0.as_bytes().to_vec())
        }

        fn exists(&self, _: &str) -> bool {
            true
        }

        fn known_by(&self, _: &str) -> Option<Stamp> {
            Some((self.1, self.0.len() as u64))
        }
    }

    #[test]
    fn a_file_that_is_as_it_was_is_not_read_again() {
        let (memo, listing) = (Memo::default(), Listing::new(["a.ts".to_owned()]));
        let reads = |files: &Counted| {
            let (facts, _) = gather(files, &listing, &memo);
            (facts["a.ts"].imports.len(), files.2.swap(0, Ordering::Relaxed))
        };
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let file = |text, time| Counted(text, time, AtomicUsize::new(0));
        let first = file("import './b';\n", long_ago);
        // Its stamp is asked for once it is met again.
        assert_eq!([reads(&first), reads(&first), reads(&first)], [(1, 1), (1, 1), (1, 0)]);
        let longer = file("import './b';\nimport './c';\n", long_ago);
        assert_eq!([reads(&longer), reads(&longer)], [(2, 1), (2, 0)]);
        // What was written just now may be written again at the same time.
        let young = file("import './d';\nimport './e';\n", SystemTime::now());
        assert_eq!([reads(&young), reads(&young)], [(2, 1), (2, 1)]);
    }
}
