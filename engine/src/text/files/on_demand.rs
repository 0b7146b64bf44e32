//! A store whose list of files is made when a check first needs it.

use super::run_cache::timed;
use super::{Files, RunCache, Wrapper};
use crate::text::listing::Listing;
use std::sync::OnceLock;

/// A store together with the list of its files, for runs that check a few files of a large project:
/// most checks need no list. The time that the list takes does not count towards the time limits of
/// checks.
pub struct ListedOnDemand<'a> {
    files: &'a dyn Files,
    list: &'a (dyn Fn() -> Listing + Sync),
    listing: OnceLock<Listing>,
    cache: RunCache,
}

impl<'a> ListedOnDemand<'a> {
    /// The store `files`, whose list `list` makes at most once.
    #[must_use]
    pub fn new(files: &'a dyn Files, list: &'a (dyn Fn() -> Listing + Sync)) -> Self {
        Self { files, list, listing: OnceLock::new(), cache: RunCache::default() }
    }

    /// The list, if a check needed it.
    #[must_use]
    pub fn into_listing(self) -> Option<Listing> {
        self.listing.into_inner()
    }
}

impl Wrapper for ListedOnDemand<'_> {
    fn inner(&self) -> &dyn Files {
        self.files
    }

    fn listing(&self) -> Option<&Listing> {
        let made = self.listing.get();
        Some(made.unwrap_or_else(|| timed(|| self.listing.get_or_init(self.list))))
    }

    fn run_cache(&self) -> Option<&RunCache> {
        self.files.run_cache().or(Some(&self.cache))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_list_is_made_once_and_only_if_needed() {
        let (memory, made) = (Memory::default(), AtomicUsize::new(0));
        let list = || {
            made.fetch_add(1, Ordering::Relaxed);
            Listing::new(["a".to_owned()])
        };
        assert!(ListedOnDemand::new(&memory, &list).into_listing().is_none());
        assert_eq!(made.load(Ordering::Relaxed), 0);
        let files = ListedOnDemand::new(&memory, &list);
        for _ in 0..2 {
            assert_eq!(Files::listing(&files).map(Listing::files), Some(&["a".to_owned()][..]));
        }
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert!(files.into_listing().is_some());
    }
}
