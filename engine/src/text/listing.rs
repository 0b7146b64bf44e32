//! The files of a project that are not ignored, and other facts about the project as a whole.

use crate::text::attributes::Attributes;
use crate::text::files::RunCache;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The paths of a project, sorted, with the branch and the checked change if known.
#[derive(Debug, Default)]
pub struct Listing {
    /// Different for each list of files; 0 for the empty list.
    id: u64,
    files: Arc<Vec<String>>,
    /// Directory → number of direct entries; built on first use.
    dirs: Arc<OnceLock<HashMap<String, u64>>>,
    /// The last bytes of a path → indexes of the files that end with them; built on first use.
    by_suffix: Arc<OnceLock<HashMap<SuffixKey, Vec<u32>>>>,
    /// The files in Git's index; `None` if there is no repository or the index was not read.
    tracked: Option<Arc<Self>>,
    branch: Option<String>,
    changed: Option<BTreeSet<String>>,
    /// The indexes of the files, ordered by the name without directories; computed on first use.
    by_name: OnceLock<Vec<u32>>,
    /// Cached answers to yes-or-no questions about the project as a whole, which do not change
    /// during a check; see [`Listing::answer`].
    answers: Mutex<HashMap<String, bool>>,
    /// The attributes in `.gitattributes`; read on first use.
    attributes: OnceLock<Attributes>,
    /// Values computed from several files; see [`Listing::shared`].
    shared: RunCache,
    past: Past,
}

/// Returns whether an earlier revision has a path.
type HasPath = dyn Fn(&str) -> bool + Send + Sync;

/// The function that looks up paths in earlier revisions, if there is one.
#[derive(Clone, Default)]
struct Past(Option<Arc<HasPath>>);

impl fmt::Debug for Past {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Past").field(&self.0.is_some()).finish()
    }
}

/// Three bytes, such as a dot and two letters: enough to distinguish most extensions.
type SuffixKey = [u8; 3];

/// The maximum number of paths that are compared one by one.
const MAX_LINEAR_SCAN: usize = 32;

/// The name of a file without its directories.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A number that no other call returns.
fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The last bytes of `text`; `None` if the text is shorter than the key.
fn suffix_key(text: &str) -> Option<SuffixKey> {
    text.as_bytes().last_chunk().copied()
}

impl Listing {
    /// The listing of a project with the files at `paths`.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut files: Vec<String> = paths.into_iter().collect();
        files.sort_unstable();
        files.dedup();
        files.shrink_to_fit();
        Self { id: new_id(), files: Arc::new(files), ..Self::default() }
    }

    /// The same project without cached answers, for use after file contents changed.
    #[must_use]
    pub fn without_answers(&self) -> Self {
        Self {
            id: self.id,
            files: self.files.clone(),
            dirs: self.dirs.clone(),
            by_suffix: self.by_suffix.clone(),
            by_name: self.by_name.clone(),
            tracked: self.tracked.clone(),
            branch: self.branch.clone(),
            changed: self.changed.clone(),
            answers: Mutex::default(),
            attributes: OnceLock::new(),
            shared: self.shared.after_change(),
            past: self.past.clone(),
        }
    }

    /// The same project and answers without [shared](Self::shared) values, for a text that is being
    /// edited.
    #[must_use]
    pub fn without_shared(&self) -> Self {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self {
            answers: Mutex::new(answers),
            shared: self.shared.after_edit(),
            ..self.without_answers()
        }
    }

    /// The same files without index, branch, change and cached answers.
    #[must_use]
    pub fn files_only(&self) -> Self {
        Self {
            id: self.id,
            files: self.files.clone(),
            dirs: self.dirs.clone(),
            by_suffix: self.by_suffix.clone(),
            by_name: self.by_name.clone(),
            ..Self::default()
        }
    }

    /// Whether both listings have the same files on disk and in the index, the same branch and the
    /// same change.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let tracked = |listing: &Self| listing.tracked.as_ref().map(|index| index.files.clone());
        self.files == other.files
            && tracked(self) == tracked(other)
            && self.branch == other.branch
            && self.changed == other.changed
    }

    /// Adds a file that will be created.
    #[must_use]
    pub fn with_file(mut self, path: &str) -> Self {
        if let Err(at) = self.files.binary_search_by(|file| (**file).cmp(path)) {
            self.id = new_id();
            Arc::make_mut(&mut self.files).insert(at, path.to_owned());
            self.dirs = Arc::default();
            self.by_suffix = Arc::default();
        }
        self
    }

    /// Sets the files in Git's index.
    #[must_use]
    pub fn with_tracked(mut self, paths: Option<Vec<String>>) -> Self {
        self.tracked = paths.map(|paths| {
            let tracked = Self::new(paths);
            // In most projects, all files are tracked; then both listings share their paths.
            Arc::new(if tracked.files == self.files { self.files_only() } else { tracked })
        });
        self
    }

    /// Sets the name of the branch.
    #[must_use]
    pub fn on_branch(mut self, branch: Option<String>) -> Self {
        self.branch = branch;
        self
    }

    /// Sets the function that looks up whether an earlier revision has a path.
    #[must_use]
    pub fn with_past(mut self, has: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.past = Past(Some(Arc::new(has)));
        self
    }

    /// Whether an earlier revision has a file or directory at `path`, as far as the history is
    /// known.
    #[must_use]
    pub fn existed(&self, path: &str) -> bool {
        let has = self.past.0.as_ref();
        has.is_some_and(|has| self.answer(&format!("existed {path}"), || has(path)))
    }

    /// Sets the paths that the checked change touches.
    #[must_use]
    pub fn with_change(mut self, paths: Option<BTreeSet<String>>) -> Self {
        self.changed = paths;
        self
    }

    /// A number that differs between lists of files, also between equal ones that were made separately.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The files, sorted.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The files in Git's index, if known.
    #[must_use]
    pub fn tracked(&self) -> Option<&Self> {
        self.tracked.as_deref()
    }

    /// The name of the branch, if there is one.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The paths that the change touches, if a change is checked.
    #[must_use]
    pub fn changed(&self) -> Option<&BTreeSet<String>> {
        self.changed.as_ref()
    }

    /// Whether there is a file at `path`.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| (**file).cmp(path)).is_ok()
    }

    /// Whether there is a directory at `path`; always true for the root.
    #[must_use]
    pub fn has_dir(&self, path: &str) -> bool {
        path.is_empty() || self.dirs().contains_key(path)
    }

    /// The number of direct entries of each directory; the root is the empty path.
    #[must_use]
    pub fn dirs(&self) -> &HashMap<String, u64> {
        self.dirs.get_or_init(|| {
            let mut dirs: HashMap<String, u64> = HashMap::new();
            dirs.insert(String::new(), 0);
            let mut last = "";
            for file in self.files.iter() {
                // Sorted paths share their beginning with the previous path.
                let mut from = 0;
                for (end, _) in file.match_indices('/') {
                    let dir = &file[..end];
                    let is_known = last.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
                    if !is_known && !dirs.contains_key(dir) {
                        dirs.insert(dir.to_owned(), 0);
                        *dirs.entry(file[..from].to_owned()).or_default() += 1;
                    }
                    from = end;
                }
                *dirs.entry(file[..from].to_owned()).or_default() += 1;
                last = file;
            }
            dirs
        })
    }

    /// The files whose path starts with `prefix`.
    #[must_use]
    pub fn beginning_with(&self, prefix: &str) -> &[String] {
        let start = self.files.partition_point(|file| file.as_str() < prefix);
        let length = self.files[start..].partition_point(|file| file.starts_with(prefix));
        &self.files[start..start + length]
    }

    /// Ordered candidates for files whose path starts with `prefix` and ends with `suffix`.
    /// Contains all such files and few others.
    pub fn candidates(&self, prefix: &str, suffix: &str) -> impl Iterator<Item = &str> {
        let start = self.files.partition_point(|file| file.as_str() < prefix);
        let beginning = self.beginning_with(prefix);
        let (indexes, range) = match suffix_key(suffix) {
            // A linear scan of a few files is faster than the lookup by extension.
            Some(key) if beginning.len() > MAX_LINEAR_SCAN => (self.with_suffix_key(key), &[][..]),
            _ => (&[][..], beginning),
        };
        let first = indexes.partition_point(|&at| (at as usize) < start);
        let indexes = indexes[first..].iter().map_while(move |&at| {
            let at = at as usize;
            self.files.get(at).filter(|_| at < start + beginning.len())
        });
        indexes.chain(range).map(String::as_str)
    }

    /// The files with this name, in any directory; ordered.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &str> {
        let name_at = |at: u32| self.files.get(at as usize).map_or("", |path| file_name(path));
        let by_name = self.by_name.get_or_init(|| {
            let mut indexes: Vec<u32> =
                (0_u32..).zip(self.files.iter()).map(|(at, _)| at).collect();
            // A stable sort, so that files with the same name remain ordered.
            indexes.sort_by_key(|&at| name_at(at));
            indexes
        });
        let first = by_name.partition_point(|&at| name_at(at) < name);
        let same = by_name[first..].iter().copied().take_while(move |&at| name_at(at) == name);
        same.filter_map(|at| self.files.get(at as usize)).map(String::as_str)
    }

    /// The indexes of the files whose path ends with `key`.
    fn with_suffix_key(&self, key: SuffixKey) -> &[u32] {
        let by_suffix = self.by_suffix.get_or_init(|| {
            let mut by_suffix: HashMap<SuffixKey, Vec<u32>> = HashMap::new();
            for (at, file) in (0_u32..).zip(self.files.iter()) {
                // Paths shorter than the key are not indexed.
                if let Some(suffix) = suffix_key(file) {
                    by_suffix.entry(suffix).or_default().push(at);
                }
            }
            by_suffix
        });
        by_suffix.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The files at any depth below `folder`; all files for the root.
    #[must_use]
    pub fn below(&self, folder: &str) -> &[String] {
        if folder.is_empty() { &self.files } else { self.beginning_with(&format!("{folder}/")) }
    }

    /// The attributes in `.gitattributes` at the root; on first use, `read` reads the file.
    pub fn attributes(&self, read: impl FnOnce() -> Attributes) -> &Attributes {
        self.attributes.get_or_init(read)
    }

    /// The cached answer to a yes-or-no question about the project as a whole. On first use, `find`
    /// computes the answer.
    pub fn answer(&self, question: &str, find: impl FnOnce() -> bool) -> bool {
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&answer) = answers().get(question) {
            return answer;
        }
        let answer = find();
        answers().insert(question.to_owned(), answer);
        answer
    }

    /// Values that checks of several files share; checks get them with [`Files::run_cache`]. See
    /// [`Self::without_shared`].
    ///
    /// [`Files::run_cache`]: crate::text::files::Files::run_cache
    pub fn shared(&self) -> &RunCache {
        &self.shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn files_are_found_by_prefix_and_suffix(
            paths in proptest::collection::vec("[ab]{0,2}(/[ab]{1,3}){0,2}[.][ab줄]{1,3}", 0..120),
            prefix in "[ab/]{0,3}",
            suffix in "[/.ab줄]{0,4}",
        ) {
            let listing = Listing::new(paths);
            let is_match = |path: &&str| path.starts_with(&prefix) && path.ends_with(&suffix);
            let found: Vec<&str> = listing.candidates(&prefix, &suffix).filter(is_match).collect();
            let all = listing.files().iter().map(String::as_str);
            prop_assert_eq!(found, all.filter(is_match).collect::<Vec<_>>());
        }
    }

    #[test]
    fn only_files_with_the_suffix_are_searched() {
        let paths = (0..100).map(|n| format!("a/{n}.{}", if n % 10 == 0 { "md" } else { "ts" }));
        let listing = Listing::new(paths);
        assert_eq!(listing.candidates("", "/x.md").count(), 10);
        assert_eq!(listing.candidates("a/", ".rs").count(), 0);
        assert_eq!(listing.candidates("", "s").count(), 100);
        let listing = listing.with_file("a/x.rs");
        assert_eq!(listing.candidates("", ".rs").collect::<Vec<_>>(), ["a/x.rs"]);
    }

    #[test]
    fn directories_are_derived_from_files() {
        let paths = ["b", "a/x", "a/c/y", "a/c/z", "a-b/q", "a/d/e/f"];
        let listing = Listing::new(paths.map(str::to_owned));
        let mut folders: Vec<(&str, u64)> =
            listing.dirs().iter().map(|(folder, count)| (&**folder, *count)).collect();
        folders.sort_unstable();
        assert_eq!(folders, [("", 3), ("a", 3), ("a-b", 1), ("a/c", 2), ("a/d", 1), ("a/d/e", 1)]);
        assert_eq!(listing.below("a/c"), ["a/c/y", "a/c/z"]);
        assert!(listing.has_file("a/x") && !listing.has_file("a") && listing.has_dir("a"));
        assert_eq!(listing.below("").len(), 6);
    }
}
