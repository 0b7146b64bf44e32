//! The facts of all files of a project, read by several threads, and kept for as long as a file
//! stays as it is.

use super::{Facts, is_read, read};
use crate::files::{Files, SIDE_FILE_LIMIT};
use crate::listing::Listing;
use crate::source::Source;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most threads; parsing is quick, and a project of few files needs one.
const MOST_THREADS: usize = 16;
/// Files that one more thread is worth.
const FILES_A_THREAD: usize = 32;

/// Facts of files, each with the hash of the text that they are of.
#[derive(Debug, Default)]
pub struct Memo(Mutex<HashMap<String, (u64, Arc<Facts>)>>);

impl Memo {
    fn facts(&self, path: &str, bytes: Vec<u8>) -> Option<Arc<Facts>> {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, facts)) = known().get(path)
            && *of == hash
        {
            return Some(facts.clone());
        }
        // Spans are those of the text that findings are shown in.
        let facts = Arc::new(read(path, Source::decode(path, bytes).text())?);
        known().insert(path.to_owned(), (hash, facts.clone()));
        Some(facts)
    }
}

/// The facts of the files of `listing` whose imports are understood, by path, and how many files
/// were too large to be read.
#[must_use]
pub fn gather(
    files: &dyn Files,
    listing: &Listing,
    memo: &Memo,
) -> (BTreeMap<String, Arc<Facts>>, usize) {
    let paths: Vec<&String> = listing.files().iter().filter(|path| is_read(path)).collect();
    let next = AtomicUsize::new(0);
    let total = Mutex::new((BTreeMap::new(), 0));
    let work = || {
        let (mut mine, mut too_large) = (Vec::new(), 0);
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What cannot be read is told by the first pass.
            let Ok(bytes) = files.read(path, SIDE_FILE_LIMIT + 1) else { continue };
            if bytes.len() as u64 > SIDE_FILE_LIMIT {
                too_large += 1;
                continue;
            }
            mine.extend(memo.facts(path, bytes).map(|facts| ((*path).clone(), facts)));
        }
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.0.extend(mine);
        total.1 += too_large;
    };
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (paths.len() / FILES_A_THREAD).clamp(1, processors.min(MOST_THREADS));
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}
