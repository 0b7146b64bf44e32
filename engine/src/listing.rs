//! Which files a project has: the paths that no ignore file leaves out, and what else is known of
//! the project as a whole.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The paths of a project, sorted, and its branch and change where they are known.
#[derive(Debug, Default)]
pub struct Listing {
    files: Arc<Vec<String>>,
    /// Folder → how many entries are right below it; made when first asked for.
    folders: Arc<OnceLock<HashMap<String, u64>>>,
    /// What Git's index holds; `None`: no repository, or nobody asked.
    tracked: Option<Arc<Self>>,
    branch: Option<String>,
    changed: Option<BTreeSet<String>>,
    /// Answers about the project as a whole, which do not change while it is checked.
    answers: Mutex<HashMap<String, bool>>,
}

impl Listing {
    /// A project of the files at `paths`.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut files: Vec<String> = paths.into_iter().collect();
        files.sort_unstable();
        files.dedup();
        Self { files: Arc::new(files), ..Self::default() }
    }

    /// The same project, of which no question is answered yet: for when contents of files changed.
    #[must_use]
    pub fn unanswered(&self) -> Self {
        Self {
            files: self.files.clone(),
            folders: self.folders.clone(),
            tracked: self.tracked.clone(),
            branch: self.branch.clone(),
            changed: self.changed.clone(),
            answers: Mutex::default(),
        }
    }

    /// The same files, of which nothing else is known.
    #[must_use]
    pub fn undescribed(&self) -> Self {
        Self { files: self.files.clone(), folders: self.folders.clone(), ..Self::default() }
    }

    /// Whether both have the same files, of the disk and of the index, branch and change.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        let tracked = |listing: &Self| listing.tracked.as_ref().map(|index| index.files.clone());
        self.files == other.files
            && tracked(self) == tracked(other)
            && self.branch == other.branch
            && self.changed == other.changed
    }

    /// Adds a file that is about to be.
    #[must_use]
    pub fn with_file(mut self, path: &str) -> Self {
        if let Err(at) = self.files.binary_search_by(|file| (**file).cmp(path)) {
            Arc::make_mut(&mut self.files).insert(at, path.to_owned());
            self.folders = Arc::default();
        }
        self
    }

    /// Adds what Git's index holds.
    #[must_use]
    pub fn with_tracked(mut self, paths: Option<Vec<String>>) -> Self {
        self.tracked = paths.map(|paths| Arc::new(Self::new(paths)));
        self
    }

    /// Adds the name of the branch.
    #[must_use]
    pub fn on_branch(mut self, branch: Option<String>) -> Self {
        self.branch = branch;
        self
    }

    /// Adds the paths that the change under judgement touches.
    #[must_use]
    pub fn with_change(mut self, paths: Option<BTreeSet<String>>) -> Self {
        self.changed = paths;
        self
    }

    /// The files, sorted.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// What Git's index holds, where that is known.
    #[must_use]
    pub fn tracked(&self) -> Option<&Self> {
        self.tracked.as_deref()
    }

    /// The branch, where there is one.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The paths that the change touches, where one is judged.
    #[must_use]
    pub fn changed(&self) -> Option<&BTreeSet<String>> {
        self.changed.as_ref()
    }

    /// Whether there is a file at `path`.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| (**file).cmp(path)).is_ok()
    }

    /// Whether there is a folder at `path`; the root always is.
    #[must_use]
    pub fn has_folder(&self, path: &str) -> bool {
        path.is_empty() || self.folders().contains_key(path)
    }

    /// How many entries are right below each folder; the root is the empty path.
    #[must_use]
    pub fn folders(&self) -> &HashMap<String, u64> {
        self.folders.get_or_init(|| {
            let mut folders: HashMap<String, u64> = HashMap::new();
            folders.insert(String::new(), 0);
            let mut last = "";
            for file in self.files.iter() {
                // Sorted paths share their beginning with the one before.
                let mut from = 0;
                for (end, _) in file.match_indices('/') {
                    let folder = &file[..end];
                    let known = last.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
                    if !known && !folders.contains_key(folder) {
                        folders.insert(folder.to_owned(), 0);
                        *folders.entry(file[..from].to_owned()).or_default() += 1;
                    }
                    from = end;
                }
                *folders.entry(file[..from].to_owned()).or_default() += 1;
                last = file;
            }
            folders
        })
    }

    /// The files whose path begins with `prefix`.
    #[must_use]
    pub fn beginning_with(&self, prefix: &str) -> &[String] {
        let start = self.files.partition_point(|file| file.as_str() < prefix);
        let length = self.files[start..].partition_point(|file| file.starts_with(prefix));
        &self.files[start..start + length]
    }

    /// The files at any depth below `folder`; all for the root.
    #[must_use]
    pub fn below(&self, folder: &str) -> &[String] {
        if folder.is_empty() { &self.files } else { self.beginning_with(&format!("{folder}/")) }
    }

    /// The answer to a question about the project as a whole, found once.
    pub fn answer(&self, question: &str, find: impl FnOnce() -> bool) -> bool {
        let known = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&answer) = known().get(question) {
            return answer;
        }
        let answer = find();
        known().insert(question.to_owned(), answer);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_follow_from_files() {
        let paths = ["b", "a/x", "a/c/y", "a/c/z", "a-b/q", "a/d/e/f"];
        let listing = Listing::new(paths.map(str::to_owned));
        let mut folders: Vec<(&str, u64)> =
            listing.folders().iter().map(|(folder, count)| (&**folder, *count)).collect();
        folders.sort_unstable();
        assert_eq!(folders, [("", 3), ("a", 3), ("a-b", 1), ("a/c", 2), ("a/d", 1), ("a/d/e", 1)]);
        assert_eq!(listing.below("a/c"), ["a/c/y", "a/c/z"]);
        assert!(listing.has_file("a/x") && !listing.has_file("a") && listing.has_folder("a"));
        assert_eq!(listing.below("").len(), 6);
    }
}
