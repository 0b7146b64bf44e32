//! Records the requests of checks to a file store, and the responses. As long as all responses are
//! unchanged, the findings that are based on the responses are unchanged as well.

use crate::text::files::{Files, Stamp};
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The responses, by path.
#[derive(Debug, Default)]
pub(super) struct FileRequests(Mutex<BTreeMap<String, FileResponses>>);

/// The responses for one path; `None` for a request that was not made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileResponses {
    exists: Option<bool>,
    size: Option<Option<u64>>,
    names: Option<u64>,
    /// The requested maximum size in bytes, and the hash of the contents.
    read: Vec<(u64, Option<u64>)>,
}

impl FileRequests {
    fn responses_by_path(&self) -> MutexGuard<'_, BTreeMap<String, FileResponses>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, path: &str, record: impl FnOnce(&mut FileResponses)) {
        let mut responses_by_path = self.responses_by_path();
        match responses_by_path.get_mut(path) {
            Some(responses) => record(responses),
            None => record(responses_by_path.entry(path.to_owned()).or_default()),
        }
    }

    /// Removes all records.
    pub(super) fn clear(&self) {
        self.responses_by_path().clear();
    }

    /// The recorded paths among `paths`, and the recorded paths directly in one of `dirs`.
    pub(super) fn recorded_paths<'a>(
        &self,
        paths: impl Iterator<Item = &'a String>,
        dirs: impl Iterator<Item = &'a String>,
    ) -> Vec<String> {
        let responses_by_path = self.responses_by_path();
        let mut found: Vec<String> =
            paths.filter(|path| responses_by_path.contains_key(*path)).cloned().collect();
        for dir in dirs {
            found.extend(responses_by_path.contains_key(dir).then(|| dir.clone()));
            let separator = if dir.is_empty() { "" } else { "/" };
            let prefix = format!("{dir}{separator}");
            let below = responses_by_path.range(prefix.clone()..).map(|(path, _)| path);
            let below = below.take_while(|path| path.starts_with(&prefix));
            found.extend(below.filter(|path| !path[prefix.len()..].contains('/')).cloned());
        }
        found
    }

    /// The recorded paths whose changes neither the listing nor the modification times of
    /// directories reveal: paths in directories that are not walked, and unlisted files that were
    /// read.
    pub(super) fn unobservable(
        &self,
        listing: &Listing,
        is_walked: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let is_unobservable = |(path, responses): &(&String, &FileResponses)| {
            let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
            let is_read = !responses.read.is_empty() || responses.size.is_some();
            !is_walked(dir)
                || responses.names.is_some() && !is_walked(path)
                || is_read && !listing.has_file(path)
        };
        self.responses_by_path()
            .iter()
            .filter(is_unobservable)
            .map(|(path, _)| path.clone())
            .collect()
    }

    /// Whether `files` still returns the recorded responses for `path`.
    pub(super) fn is_unchanged(&self, path: &str, files: &dyn Files) -> bool {
        let Some(responses) = self.responses_by_path().get(path).cloned() else { return true };
        responses.exists.is_none_or(|before| before == files.exists(path))
            && responses.size.is_none_or(|before| before == files.size(path).ok())
            && responses.names.is_none_or(|before| before == hash(&sorted(files.names(path))))
            && responses.read.iter().all(|(limit, before)| {
                *before == files.read(path, *limit).ok().map(|bytes| hash(&bytes))
            })
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A store that records its responses.
pub(super) struct RecordingFiles<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) requests: &'a FileRequests,
}

impl Files for RecordingFiles<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let read = self.files.read(path, limit);
        let response = (limit, read.as_ref().ok().map(hash));
        self.requests.record(path, |responses| {
            if !responses.read.contains(&response) {
                responses.read.push(response);
            }
        });
        read
    }

    fn exists(&self, path: &str) -> bool {
        let exists = self.files.exists(path);
        self.requests.record(path, |responses| responses.exists = Some(exists));
        exists
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        let size = self.files.size(path);
        let response = size.as_ref().ok().copied();
        self.requests.record(path, |responses| responses.size = Some(response));
        size
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        self.files.content_stamp(path)
    }

    fn listing(&self) -> Option<&Listing> {
        self.files.listing()
    }

    fn names(&self, dir: &str) -> Vec<String> {
        let names = self.files.names(dir);
        let response = hash(&sorted(names.clone()));
        self.requests.record(dir, |responses| responses.names = Some(response));
        names
    }

    fn dirs(&self, dir: &str) -> Vec<String> {
        self.files.dirs(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn a_response_is_valid_until_the_store_returns_another_response() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let mut files = Memory([file("a/x", "1"), file("a/y", "2"), file("b", "3")].into());
        let requests = FileRequests::default();
        {
            let recording = RecordingFiles { files: &files, requests: &requests };
            assert!(recording.exists("a/x") && !recording.exists("a/z"));
            assert_eq!(recording.read("a/y", 9).expect("a file"), b"2");
            assert_eq!(recording.size("b").expect("a file"), 1);
            assert!(!recording.exists("c/d"));
            assert_eq!(recording.names("a"), ["x", "y"]);
        }
        let all = |files: &Memory| {
            ["a/x", "a/y", "a/z", "a", "b"].map(|path| requests.is_unchanged(path, files))
        };
        assert_eq!(all(&files), [true; 5]);
        files.0.insert("a/x".to_owned(), b"another".to_vec());
        files.0.insert("b".to_owned(), b"4".to_vec());
        assert_eq!(all(&files), [true; 5], "the requested contents did not change");
        files.0.insert("a/y".to_owned(), b"another".to_vec());
        assert_eq!(all(&files), [true, false, true, true, true]);
        files.0.insert("a/z".to_owned(), b"new".to_vec());
        assert_eq!(all(&files), [true, false, false, false, true]);
        let paths = ["e".to_owned(), "a/z".to_owned()];
        let dir = ["a".to_owned()];
        assert_eq!(requests.recorded_paths(paths.iter(), [].iter()), ["a/z"]);
        assert_eq!(requests.recorded_paths([].iter(), dir.iter()), ["a", "a/x", "a/y", "a/z"]);
        let listing = Listing::new(["a/x".to_owned()]);
        let unobservable = requests.unobservable(&listing, &|dir| dir != "c");
        assert_eq!(
            unobservable,
            ["a/y", "b", "c/d"],
            "read, but neither listed nor in a walked directory"
        );
    }
}
