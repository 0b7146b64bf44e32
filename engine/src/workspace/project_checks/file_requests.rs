//! Records the requests of checks to a file store, and the responses: while all responses stay the
//! same, so do the findings based on them.

use crate::text::files::{Files, Stamp};
use crate::text::listing::Listing;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The responses, by path.
#[derive(Debug, Default)]
pub(super) struct FileRequests(Mutex<BTreeMap<String, FileResponses>>);

/// The responses for one path; `None`: not requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileResponses {
    exists: Option<bool>,
    size: Option<Option<u64>>,
    names: Option<u64>,
    /// The requested maximum size in bytes, and the hash of the contents.
    read: Vec<(u64, Option<u64>)>,
}

impl FileRequests {
    fn known(&self) -> MutexGuard<'_, BTreeMap<String, FileResponses>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &str, note: impl FnOnce(&mut FileResponses)) {
        let mut known = self.known();
        match known.get_mut(path) {
            Some(answers) => note(answers),
            None => note(known.entry(path.to_owned()).or_default()),
        }
    }

    /// Removes all records.
    pub(super) fn clear(&self) {
        self.known().clear();
    }

    /// The recorded paths among `paths`, and those directly in one of `folders`.
    pub(super) fn among<'a>(
        &self,
        paths: impl Iterator<Item = &'a String>,
        folders: impl Iterator<Item = &'a String>,
    ) -> Vec<String> {
        let known = self.known();
        let mut found: Vec<String> =
            paths.filter(|path| known.contains_key(*path)).cloned().collect();
        for folder in folders {
            found.extend(known.contains_key(folder).then(|| folder.clone()));
            let slash = if folder.is_empty() { "" } else { "/" };
            let before = format!("{folder}{slash}");
            let below = known.range(before.clone()..).map(|(path, _)| path);
            let below = below.take_while(|path| path.starts_with(&before));
            found.extend(below.filter(|path| !path[before.len()..].contains('/')).cloned());
        }
        found
    }

    /// The recorded paths whose changes neither the listing nor the modification times of
    /// directories reveal: those in directories that are not walked, and unlisted files that were
    /// read.
    pub(super) fn unobservable(
        &self,
        listing: &Listing,
        is_walked: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let is_apart = |(path, answers): &(&String, &FileResponses)| {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let is_read = !answers.read.is_empty() || answers.size.is_some();
            !is_walked(folder)
                || answers.names.is_some() && !is_walked(path)
                || is_read && !listing.has_file(path)
        };
        self.known().iter().filter(is_apart).map(|(path, _)| path.clone()).collect()
    }

    /// Whether `files` still gives the recorded responses for `path`.
    pub(super) fn is_unchanged(&self, path: &str, files: &dyn Files) -> bool {
        let Some(answers) = self.known().get(path).cloned() else { return true };
        answers.exists.is_none_or(|before| before == files.exists(path))
            && answers.size.is_none_or(|before| before == files.size(path).ok())
            && answers.names.is_none_or(|before| before == hash(&sorted(files.names(path))))
            && answers.read.iter().all(|(limit, before)| {
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
    pub(super) asked: &'a FileRequests,
}

impl Files for RecordingFiles<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let read = self.files.read(path, limit);
        let answer = (limit, read.as_ref().ok().map(hash));
        self.asked.note(path, |answers| {
            if !answers.read.contains(&answer) {
                answers.read.push(answer);
            }
        });
        read
    }

    fn exists(&self, path: &str) -> bool {
        let exists = self.files.exists(path);
        self.asked.note(path, |answers| answers.exists = Some(exists));
        exists
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        let size = self.files.size(path);
        let answer = size.as_ref().ok().copied();
        self.asked.note(path, |answers| answers.size = Some(answer));
        size
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        self.files.content_stamp(path)
    }

    fn listing(&self) -> Option<&Listing> {
        self.files.listing()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let names = self.files.names(folder);
        let answer = hash(&sorted(names.clone()));
        self.asked.note(folder, |answers| answers.names = Some(answer));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn an_answer_holds_until_the_store_gives_another() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let mut files = Memory([file("a/x", "1"), file("a/y", "2"), file("b", "3")].into());
        let asked = FileRequests::default();
        {
            let asking = RecordingFiles { files: &files, asked: &asked };
            assert!(asking.exists("a/x") && !asking.exists("a/z"));
            assert_eq!(asking.read("a/y", 9).expect("there"), b"2");
            assert_eq!(asking.size("b").expect("there"), 1);
            assert!(!asking.exists("c/d"));
            assert_eq!(asking.names("a"), ["x", "y"]);
        }
        let all = |files: &Memory| {
            ["a/x", "a/y", "a/z", "a", "b"].map(|path| asked.is_unchanged(path, files))
        };
        assert_eq!(all(&files), [true; 5]);
        files.0.insert("a/x".to_owned(), b"another".to_vec());
        files.0.insert("b".to_owned(), b"4".to_vec());
        assert_eq!(all(&files), [true; 5], "the requested contents");
        files.0.insert("a/y".to_owned(), b"another".to_vec());
        assert_eq!(all(&files), [true, false, true, true, true]);
        files.0.insert("a/z".to_owned(), b"new".to_vec());
        assert_eq!(all(&files), [true, false, false, false, true]);
        let paths = ["e".to_owned(), "a/z".to_owned()];
        let folder = ["a".to_owned()];
        assert_eq!(asked.among(paths.iter(), [].iter()), ["a/z"]);
        assert_eq!(asked.among([].iter(), folder.iter()), ["a", "a/x", "a/y", "a/z"]);
        let listing = Listing::new(["a/x".to_owned()]);
        let apart = asked.unobservable(&listing, &|folder| folder != "c");
        assert_eq!(
            apart,
            ["a/y", "b", "c/d"],
            "read, but neither listed nor in a walked directory"
        );
    }
}
