//! The Git settings that a project's memory needs: a merge keeps the lines of both sides, and the
//! local store is ignored.

use aidd_engine::text::kind::{MEMORY_DIR, MEMORY_FILES};
use aidd_memory::journal::Journal;
use anyhow::{Context, Result};
use globset::GlobBuilder;
use ignore::gitignore::GitignoreBuilder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The attributes line for a union merge of the memory files.
pub const UNION_MERGE_LINE: &str = "ai/memory/*.jsonl merge=union";
/// The attributes line for a memory in the directory `memory`.
const UNION_MERGE_LINE_IN_PLAIN_DIR: &str = "memory/*.jsonl merge=union";
/// The ignore line for the local store. The names of the database, its log, locks, backups and
/// quarantined damaged files all match this pattern.
pub const IGNORE_LINE: &str = "/.aidd/data.*";

/// Examples of all file names that the store writes next to the database.
const STORE_FILES: [&str; 8] = [
    ".aidd/data.db",
    ".aidd/data.db-wal",
    ".aidd/data.lock",
    ".aidd/data.journal.lock",
    ".aidd/data.db.corrupt-1",
    ".aidd/data.db.backup",
    ".aidd/data.foreign-1.db",
    ".aidd/data.jsonl",
];

/// The union merge line for the memory of the project at `root`.
#[must_use]
pub fn union_merge_line(root: &Path) -> &'static str {
    if Journal::new(root).folder() == MEMORY_DIR {
        UNION_MERGE_LINE
    } else {
        UNION_MERGE_LINE_IN_PLAIN_DIR
    }
}

/// Whether the project at `root` has files of the permanent memory.
#[must_use]
pub fn has_memory_files(root: &Path) -> bool {
    let folder = root.join(Journal::new(root).folder());
    MEMORY_FILES.iter().any(|name| folder.join(name).exists())
}

/// The change that [`write()`] made to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// The file was created.
    Wrote,
    /// The line was appended.
    AddedTo,
    /// The file already contained the line.
    Unchanged,
}

impl FileChange {
    /// The word that `aidd init` prints.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Wrote => "wrote",
            Self::AddedTo => "added to",
            Self::Unchanged => "unchanged:",
        }
    }
}

/// Adds the missing lines to the Git files of the project at `root`. Returns the name of each file
/// and its change.
///
/// # Errors
/// Fails when a file cannot be read or written.
pub fn write(root: &Path) -> Result<[(&'static str, FileChange); 2]> {
    let attributes = if has_union_merge(root) {
        FileChange::Unchanged
    } else {
        let comment = "# Memory lines are independent: a merge keeps the lines of both sides.";
        add(root, ".gitattributes", comment, union_merge_line(root))?
    };
    let ignore = if ignores_store(root) {
        FileChange::Unchanged
    } else {
        add(root, ".gitignore", "# Data of aidd that is local to this checkout.", IGNORE_LINE)?
    };
    Ok([(".gitattributes", attributes), (".gitignore", ignore)])
}

/// Appends a line to a file, with the file's line endings.
fn add(root: &Path, name: &str, comment: &str, line: &str) -> Result<FileChange> {
    let path = root.join(name);
    let before = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(result.with_context(|| name.to_owned())?),
    };
    let mut text = before.clone().unwrap_or_default();
    // The line is already the last one. If a file in a subdirectory overrides it, adding the line
    // again has no effect.
    if last_line(&text).is_some_and(|last| last == line.as_bytes()) {
        return Ok(FileChange::Unchanged);
    }
    let line_break: &[u8] =
        if text.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    if !text.is_empty() {
        if !text.ends_with(b"\n") {
            text.extend(line_break);
        }
        text.extend(line_break);
    }
    for line in [comment, line] {
        text.extend(line.as_bytes());
        text.extend(line_break);
    }
    fs::write(&path, text).with_context(|| name.to_owned())?;
    Ok(if before.is_some() { FileChange::AddedTo } else { FileChange::Wrote })
}

/// The last non-blank line of a file.
fn last_line(text: &[u8]) -> Option<&[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).rfind(|line| !line.is_empty())
}

/// Whether the last line of the file `name` at `root` is `line`, so that only a file in a
/// subdirectory can override it.
#[must_use]
pub fn ends_with_line(root: &Path, name: &str, line: &str) -> bool {
    let text = fs::read(root.join(name)).unwrap_or_default();
    last_line(&text) == Some(line.as_bytes())
}

/// The directories from the repository root down to `root` and on to `folder`, outermost first.
fn directories(root: &Path, folder: &str) -> Vec<PathBuf> {
    let top = repository(root).unwrap_or_else(|| root.to_owned());
    let deepest = root.join(folder);
    let mut directories: Vec<PathBuf> =
        deepest.ancestors().take_while(|path| path.starts_with(&top)).map(Path::to_owned).collect();
    directories.reverse();
    directories
}

/// The root directory of the repository that contains `root`.
#[must_use]
pub fn repository(root: &Path) -> Option<PathBuf> {
    root.ancestors().find(|directory| directory.join(".git").exists()).map(Path::to_owned)
}

/// Whether Git uses the union merge for every memory file.
#[must_use]
pub fn has_union_merge(root: &Path) -> bool {
    let memory = Journal::new(root).folder();
    MEMORY_FILES.iter().all(|name| {
        let path = root.join(memory).join(name);
        let mut merge = None;
        for directory in directories(root, memory) {
            let text = fs::read_to_string(directory.join(".gitattributes")).unwrap_or_default();
            let Ok(relative_path) = path.strip_prefix(&directory) else { continue };
            let relative_path = relative_path.to_string_lossy().replace('\\', "/");
            merge = merge_of(&text, &relative_path).or(merge);
        }
        merge.as_deref() == Some("union")
    })
}

/// The `merge` attribute for the file at `path`, relative to the attributes file. The last matching
/// line applies.
fn merge_of(attributes: &str, path: &str) -> Option<String> {
    let mut merge = None;
    for line in attributes.trim_start_matches('\u{FEFF}').lines() {
        let mut words = line.split_whitespace();
        let Some(pattern) = words.next().filter(|first| !first.starts_with(['#', '!', '['])) else {
            continue;
        };
        if !covers(pattern, path) {
            continue;
        }
        for word in words {
            match word.split_once('=') {
                Some(("merge", driver)) => merge = Some(driver.to_owned()),
                None if matches!(word, "merge" | "-merge" | "!merge" | "binary") => {
                    merge = Some(String::new());
                }
                _ => {}
            }
        }
    }
    merge
}

/// Whether an attributes pattern matches a path. A pattern without a slash matches the file name.
fn covers(pattern: &str, path: &str) -> bool {
    let pattern_text = pattern.trim_start_matches('/');
    let path_or_name =
        if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let glob = GlobBuilder::new(pattern_text).literal_separator(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path_or_name))
}

/// Whether Git ignores all files of the store.
#[must_use]
pub fn ignores_store(root: &Path) -> bool {
    STORE_FILES.iter().all(|path| ignores(root, path))
}

/// Whether the repository's ignore files exclude `path`, relative to the root.
#[must_use]
pub fn ignores(root: &Path, path: &str) -> bool {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let directories = directories(root, directory);
    let is_excluded = |at: &Path, is_dir: bool| {
        let mut excluded = false;
        for directory in
            directories.iter().filter(|directory| at.starts_with(directory) && at != **directory)
        {
            let mut builder = GitignoreBuilder::new(directory);
            let text = fs::read_to_string(directory.join(".gitignore")).unwrap_or_default();
            for line in text.trim_start_matches('\u{FEFF}').lines() {
                // Malformed lines are skipped, as in Git.
                let _ = builder.add_line(None, line);
            }
            let Ok(rules) = builder.build() else { continue };
            let matched = rules.matched(at, is_dir);
            if !matched.is_none() {
                excluded = matched.is_ignore();
            }
        }
        excluded
    };
    // A file in an ignored directory cannot be included again.
    directories.iter().skip(1).any(|at| is_excluded(at, true))
        || is_excluded(&root.join(path), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn project(files: &[(&str, &str)]) -> TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join(".git")).expect("made");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        }
        directory
    }

    #[test]
    fn lines_are_added_once() {
        let directory = project(&[(".gitignore", "/target\r\n*.log")]);
        let done = write(directory.path()).expect("written");
        assert_eq!(
            done,
            [(".gitattributes", FileChange::Wrote), (".gitignore", FileChange::AddedTo)]
        );
        let text = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
        let ignore = text(".gitignore");
        assert!(ignore.starts_with("/target\r\n*.log\r\n\r\n# "), "{ignore:?}");
        assert!(ignore.ends_with("\r\n/.aidd/data.*\r\n"), "{ignore:?}");
        assert!(text(".gitattributes").ends_with("ai/memory/*.jsonl merge=union\n"));
        let done = write(directory.path()).expect("written");
        assert_eq!(done.map(|(_, done)| done), [FileChange::Unchanged, FileChange::Unchanged]);
        assert_eq!(text(".gitignore"), ignore);
    }

    #[test]
    fn a_line_overridden_by_a_subdirectory_is_not_added_again() {
        let directory = project(&[
            ("ai/memory/.gitattributes", "*.jsonl -merge\n"),
            (".aidd/.gitignore", "!data.db\n"),
        ]);
        let root = directory.path();
        write(root).expect("written");
        let text = |name: &str| fs::read_to_string(root.join(name)).expect("text");
        let before = [text(".gitattributes"), text(".gitignore")];
        assert!(!has_union_merge(root) && !ignores_store(root));
        let done = write(root).expect("written");
        assert_eq!(done.map(|(_, done)| done), [FileChange::Unchanged, FileChange::Unchanged]);
        assert_eq!([text(".gitattributes"), text(".gitignore")], before);
        assert!(
            ends_with_line(root, ".gitattributes", UNION_MERGE_LINE)
                && ends_with_line(root, ".gitignore", IGNORE_LINE)
        );
        // If a later line of the same file overrides the line, the line is appended again.
        fs::write(root.join(".gitignore"), format!("{IGNORE_LINE}\n!/.aidd/data.db\n\n"))
            .expect("written");
        assert!(!ends_with_line(root, ".gitignore", IGNORE_LINE));
        assert_eq!(write(root).expect("written")[1].1, FileChange::AddedTo);
    }

    #[test]
    fn existing_patterns_are_recognized() {
        for attributes in
            ["*.jsonl merge=union", "/ai/memory/** text merge=union", UNION_MERGE_LINE]
        {
            assert!(
                has_union_merge(project(&[(".gitattributes", attributes)]).path()),
                "{attributes}"
            );
        }
        for attributes in [
            "",
            "# ai/memory/*.jsonl merge=union",
            "ai/*.jsonl merge=union",
            "ai/memory/decisions.jsonl merge=union",
            "*.jsonl merge=union\n*.jsonl -merge",
            "*.jsonl merge=union\nai/memory/*.jsonl binary",
        ] {
            assert!(
                !has_union_merge(project(&[(".gitattributes", attributes)]).path()),
                "{attributes}"
            );
        }
        let nested = project(&[(".gitattributes", "*.jsonl -merge")]);
        fs::create_dir_all(nested.path().join("ai/memory")).expect("made");
        let own = nested.path().join("ai/memory/.gitattributes");
        fs::write(own, "* merge=union").expect("written");
        assert!(has_union_merge(nested.path()));
    }

    #[test]
    fn ignore_files_are_interpreted_as_by_git() {
        for ignore in [".aidd/data.*", ".aidd/", "**/.aidd/data*", "data.*"] {
            assert!(ignores_store(project(&[(".gitignore", ignore)]).path()), "{ignore}");
        }
        for ignore in ["", "*.db", ".aidd/data.db*", "/.aidd/data.*\n!/.aidd/data.jsonl"] {
            assert!(!ignores_store(project(&[(".gitignore", ignore)]).path()), "{ignore}");
        }
        // A project in a subdirectory of the repository.
        let outer = project(&[(".gitignore", "data.*"), ("app/.gitignore", "!data.db")]);
        assert!(!ignores_store(&outer.path().join("app")));
        assert!(ignores_store(&outer.path().join("other")));
        let all = project(&[(".gitignore", "ai/\n!ai/memory/decisions.jsonl")]);
        assert!(ignores(all.path(), "ai/memory/decisions.jsonl"));
    }
}
