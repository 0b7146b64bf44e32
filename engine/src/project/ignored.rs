//! The ignore file `.aiddignore`. It excludes files whether they are tracked or not, and can be
//! read from any store of files, so that the ignore files of a base revision can be used instead of
//! the ignore files of an untrusted contribution. The ignore files of Git and other tools only
//! exclude untracked files on disk; see `walk`.

use crate::text::files::{Files, SIDE_FILE_LIMIT, too_large};
use crate::text::paths::{below, parent_dir};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::io;

/// The name of aidd's own ignore file.
pub const AIDDIGNORE: &str = ".aiddignore";

/// Reads `.aiddignore` files on demand and caches them.
pub struct IgnoreFiles<'a> {
    files: &'a dyn Files,
    dirs: HashMap<String, Option<Gitignore>>,
    problems: Vec<(String, String)>,
}

impl std::fmt::Debug for IgnoreFiles<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IgnoreFiles").field("dirs", &self.dirs.len()).finish_non_exhaustive()
    }
}

impl<'a> IgnoreFiles<'a> {
    /// Uses the `.aiddignore` files among `files`.
    #[must_use]
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, dirs: HashMap::new(), problems: Vec::new() }
    }

    /// Whether the file at `path` is excluded, directly or through a parent directory.
    pub fn excludes(&mut self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(end, _)| end);
        let dirs: Vec<&str> = ends.map(|end| &path[..end]).collect();
        dirs.iter().any(|dir| self.matches(dir, true)) || self.matches(path, false)
    }

    /// The ignore files that could not be read so far, with the reason.
    #[must_use]
    pub fn problems(&self) -> &[(String, String)] {
        &self.problems
    }

    /// Whether the nearest ignore file that matches `path` excludes it.
    fn matches(&mut self, path: &str, is_dir: bool) -> bool {
        let mut dir = path;
        loop {
            dir = parent_dir(dir);
            if let Some(patterns) = self.patterns_of_dir(dir) {
                let from_dir = if dir.is_empty() { path } else { &path[dir.len() + 1..] };
                let matched = patterns.matched(from_dir, is_dir);
                if !matched.is_none() {
                    return matched.is_ignore();
                }
            }
            if dir.is_empty() {
                return false;
            }
        }
    }

    fn patterns_of_dir(&mut self, dir: &str) -> Option<&Gitignore> {
        if !self.dirs.contains_key(dir) {
            let path = below(dir, AIDDIGNORE);
            let read = read(self.files, &path);
            let patterns = read.unwrap_or_else(|error| {
                self.problems.push((path, error.to_string()));
                None
            });
            self.dirs.insert(dir.to_owned(), patterns);
        }
        self.dirs.get(dir)?.as_ref()
    }
}

/// Whether a pattern of the nearest `.gitignore` that matches `path` includes it again: `!ca.key`.
/// The project then tracks the file on purpose.
pub(crate) fn is_included_again(files: &dyn Files, path: &str) -> bool {
    let mut dir = path;
    while !dir.is_empty() {
        dir = parent_dir(dir);
        let from_dir = path[dir.len()..].trim_start_matches('/');
        let patterns = read(files, &below(dir, ".gitignore")).ok().flatten();
        let matched = patterns.as_ref().map(|patterns| patterns.matched(from_dir, false));
        if let Some(matched) = matched.filter(|matched| !matched.is_none()) {
            return matched.is_whitelist();
        }
    }
    false
}

/// Whether the `.gitignore` files of the project exclude a file or directory at `path`.
#[must_use]
pub fn is_ignored_by_git(files: &dyn Files, path: &str) -> bool {
    let mut dir = path;
    while !dir.is_empty() {
        dir = parent_dir(dir);
        let from_dir = path[dir.len()..].trim_start_matches('/');
        let patterns = read(files, &below(dir, ".gitignore")).ok().flatten();
        let matched = |patterns: &Gitignore| {
            let as_file = patterns.matched_path_or_any_parents(from_dir, false);
            let is_dir = || patterns.matched_path_or_any_parents(from_dir, true).is_ignore();
            (!as_file.is_none() || is_dir()).then(|| as_file.is_ignore() || as_file.is_none())
        };
        if let Some(is_ignored) = patterns.as_ref().and_then(matched) {
            return is_ignored;
        }
    }
    false
}

/// The patterns of the ignore file at `path`; `None` when the file does not exist or has no
/// patterns.
pub(crate) fn read(files: &dyn Files, path: &str) -> io::Result<Option<Gitignore>> {
    match files.read(path, SIDE_FILE_LIMIT + 1) {
        Ok(bytes) if bytes.len() as u64 > SIDE_FILE_LIMIT => Err(too_large(SIDE_FILE_LIMIT)),
        Ok(bytes) => Ok(parse(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The patterns in the text of an ignore file, for paths relative to its directory; `None` when it
/// has no patterns. As in Git, a malformed line is skipped; bytes that are not UTF-8 become U+FFFD,
/// as in paths.
pub(crate) fn parse(bytes: &[u8]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    let text = String::from_utf8_lossy(bytes);
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|patterns| !patterns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    fn files(files: &[(&str, &[u8])]) -> Memory {
        Memory(files.iter().map(|(path, text)| ((*path).to_owned(), text.to_vec())).collect())
    }

    #[test]
    fn the_nearest_ignore_file_wins_and_directories_exclude_their_files() {
        let files = files(&[
            (".aiddignore", b"*.log\n/out\nvendor/\n!keep.log\n"),
            ("a/.aiddignore", b"!b.log\n"),
            // Git's ignore files do not exclude tracked files.
            (".gitignore", b"x.txt\n"),
            (".ignore", b"x.txt\n"),
        ]);
        let mut ignored = IgnoreFiles::new(&files);
        let paths = [
            "x.log",
            "keep.log",
            "a/b.log",
            "a/c.log",
            "out",
            "a/out",
            "a/vendor/deep/file",
            "vendor",
            "x.txt",
        ];
        let excluded: Vec<&str> = paths.into_iter().filter(|path| ignored.excludes(path)).collect();
        assert_eq!(excluded, ["x.log", "a/c.log", "out", "a/vendor/deep/file"]);
        assert_eq!(ignored.problems(), []);
    }

    #[test]
    fn files_that_an_ignore_file_includes_again_are_found() {
        let files = files(&[
            (".gitignore", b"*.key\n!localhost.key\n"),
            ("ssl/.gitignore", b"certs/*\n!certs/ca.key\n"),
        ]);
        let included = |path| is_included_again(&files, path);
        assert_eq!(
            ["ssl/certs/ca.key", "localhost.key", "a/localhost.key"].map(included),
            [true; 3]
        );
        assert_eq!(["ssl/certs/other.key", "server.key", "a.txt"].map(included), [false; 3]);
    }

    #[test]
    fn a_malformed_line_does_not_affect_others() {
        let files = files(&[(".aiddignore", b"\xEF\xBB\xBFa\ncaf\xE9\n[\nb\n")]);
        let mut ignored = IgnoreFiles::new(&files);
        let excluded = ["a", "caf\u{FFFD}", "b", "c"].map(|path| ignored.excludes(path));
        assert_eq!(excluded, [true, true, true, false]);
    }

    #[test]
    fn an_ignore_file_that_is_too_large_is_reported_and_skipped() {
        let large = [b"a\n".as_slice(), &[b'#'; SIDE_FILE_LIMIT as usize]].concat();
        let files = files(&[("d/.aiddignore", &large)]);
        let mut ignored = IgnoreFiles::new(&files);
        assert!(!ignored.excludes("d/a") && !ignored.excludes("d/a"));
        assert_eq!(ignored.problems().len(), 1, "{ignored:?}");
        assert_eq!(ignored.problems()[0].0, "d/.aiddignore");
    }
}
