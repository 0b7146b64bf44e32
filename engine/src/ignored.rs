//! Which paths the ignore files leave out, where there is no disk to walk: in a revision of a
//! repository.

use crate::files::{Files, side_file};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;

/// The ignore files of a folder, the strongest last.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".aiddignore"];

/// Reads ignore files as they are asked for, and remembers them.
pub struct Ignored<'a> {
    files: &'a dyn Files,
    folders: HashMap<String, Vec<Gitignore>>,
}

impl std::fmt::Debug for Ignored<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ignored").field("folders", &self.folders.len()).finish_non_exhaustive()
    }
}

impl<'a> Ignored<'a> {
    /// The ignore files among `files`.
    #[must_use]
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, folders: HashMap::new() }
    }

    /// Whether the file at `path` is left out, by itself or with a folder above it.
    pub fn leaves_out(&mut self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(end, _)| end);
        let folders: Vec<&str> = ends.map(|end| &path[..end]).collect();
        folders.iter().any(|folder| self.matches(folder, true)) || self.matches(path, false)
    }

    /// What the nearest ignore file that speaks of `path` says of it.
    fn matches(&mut self, path: &str, is_folder: bool) -> bool {
        let mut folder = path;
        loop {
            folder = folder.rfind('/').map_or("", |end| &folder[..end]);
            for one in self.of_folder(folder).iter().rev() {
                let below = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
                let said = one.matched(below, is_folder);
                if !said.is_none() {
                    return said.is_ignore();
                }
            }
            if folder.is_empty() {
                return false;
            }
        }
    }

    fn of_folder(&mut self, folder: &str) -> &[Gitignore] {
        let files = self.files;
        self.folders.entry(folder.to_owned()).or_insert_with(|| {
            let path = |name: &&str| {
                if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") }
            };
            NAMES.iter().filter_map(|name| read(&side_file(files, &path(name))?)).collect()
        })
    }
}

/// A malformed line is passed over, as Git does.
fn read(text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    #[test]
    fn the_nearest_ignore_file_decides_and_a_folder_takes_its_files_along() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let files = Memory(
            [
                file(".gitignore", "*.log\n/out\nvendor/\n"),
                file(".aiddignore", "!keep.log\n"),
                file("a/.gitignore", "!b.log\n"),
            ]
            .into(),
        );
        let mut ignored = Ignored::new(&files);
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
        let left_out: Vec<&str> =
            paths.into_iter().filter(|path| ignored.leaves_out(path)).collect();
        assert_eq!(left_out, ["x.log", "a/c.log", "out", "a/vendor/deep/file"]);
    }
}
