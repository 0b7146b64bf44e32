//! Finds files below a directory by their type.

use super::Disk;
use std::fs::FileType;

/// The Markdown files below `folder`, ordered, without following links; at most eight levels deep.
#[must_use]
pub fn markdown_below(disk: &Disk, folder: &str) -> Vec<String> {
    let is_page = |kind: FileType, path: &str| kind.is_file() && path.ends_with(".md");
    entries_below(disk, folder, &is_page)
}

/// The entries below `folder` that are neither files nor directories nor links: pipes, sockets,
/// devices. The search is ordered and limited as in [`markdown_below`].
#[must_use]
pub fn irregular_below(disk: &Disk, folder: &str) -> Vec<String> {
    let is_irregular =
        |kind: FileType, _: &str| !kind.is_file() && !kind.is_dir() && !kind.is_symlink();
    entries_below(disk, folder, &is_irregular)
}

/// The paths below `folder` that `is_wanted` accepts, ordered; at most eight levels deep.
fn entries_below(
    disk: &Disk,
    folder: &str,
    is_wanted: &dyn Fn(FileType, &str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut remaining = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = remaining.pop() {
        let Ok(entries) = disk.locate(&folder).and_then(std::fs::read_dir) else { continue };
        for entry in entries.flatten() {
            let Some(path) = entry.file_name().to_str().map(|name| format!("{folder}/{name}"))
            else {
                continue;
            };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < 8 => remaining.push((path, depth + 1)),
                Ok(kind) if is_wanted(kind, &path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
