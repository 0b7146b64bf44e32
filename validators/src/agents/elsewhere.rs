//! Paths that exist although the listing of the project does not have them.

use crate::cached::cached;
use aidd_engine::text::files::{Files, side_file};
use std::sync::Arc;

/// Whether something is at `path` that the listing cannot have: a directory that contains only links, a
/// link to a directory, a submodule, which may not be checked out, a file in Git's index that is not
/// checked out, or one that the project leaves out of this copy.
pub(super) fn is_unlisted(path: &str, files: &dyn Files) -> bool {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let below = |module: &String| {
        path.strip_prefix(&**module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_link = || !files.names(path).is_empty() || !files.dirs(path).is_empty();
    files.dirs(parent).iter().any(|dir| dir == name)
        || submodules(files).iter().any(below)
        || is_link()
        || is_tracked(path, files)
        || left_out(files).iter().any(below)
}

/// The paths of the submodules.
pub(super) fn submodules(files: &dyn Files) -> Arc<Vec<String>> {
    cached(files, "agents submodules", || {
        let text = side_file(files, ".gitmodules").unwrap_or_default();
        let path = |line: &str| {
            let value = line.trim().strip_prefix("path")?.trim_start().strip_prefix('=')?;
            Some(value.trim().trim_matches('"').trim_end_matches('/').to_owned())
        };
        text.lines().filter_map(path).filter(|path| !path.is_empty()).collect()
    })
}

/// Whether Git's index has the path. In a sparse checkout, the file is not on disk.
fn is_tracked(path: &str, files: &dyn Files) -> bool {
    let tracked = files.listing().and_then(|listing| listing.tracked());
    tracked.is_some_and(|tracked| tracked.has_file(path) || tracked.has_dir(path))
}

/// The configuration of Copybara, which copies a repository to another one.
const COPYBARA: &str = "copy.bara.sky";

/// The paths that the project leaves out of its public copy or its archives: patterns of files in the
/// configuration of Copybara, and those with `export-ignore` if there is no repository.
fn left_out(files: &dyn Files) -> Arc<Vec<String>> {
    cached(files, "agents left out", || {
        let Some(listing) = files.listing() else { return Vec::new() };
        let workflows = listing.beginning_with(".github/workflows/").iter().map(String::as_str);
        let configs = [COPYBARA].into_iter().filter(|path| listing.has_file(path)).chain(workflows);
        let texts = configs.filter_map(|path| side_file(files, path));
        let copies =
            texts.filter(|text| text.contains("copybara") || text.contains("core.workflow"));
        let mut paths: Vec<String> = copies.flat_map(|text| excluded(&text)).collect();
        if listing.tracked().is_none() {
            let text = side_file(files, ".gitattributes").unwrap_or_default();
            let lines = text.lines().filter(|line| line.contains(" export-ignore"));
            let patterns = lines.filter_map(|line| line.split_whitespace().next());
            paths.extend(patterns.map(|it| it.trim_matches(['/', '*']).to_owned()));
        }
        paths.retain(|path| !path.is_empty() && !path.contains('*'));
        paths
    })
}

/// The directories of the patterns `directory/**` after the word `exclude` in a configuration of
/// Copybara: a list in brackets, or the lines of a value before the next key.
fn excluded(text: &str) -> Vec<String> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | '(' | ')');
    let mut found = Vec::new();
    for part in text.split("exclude").skip(1) {
        let list = part.split(']').next().unwrap_or(part);
        let (first, others) = list.split_once('\n').unwrap_or((list, ""));
        let lines = others.lines().take_while(|line| !line.contains(": "));
        let words = [first].into_iter().chain(lines).flat_map(|line| line.split(is_end));
        found.extend(words.filter_map(|word| word.strip_suffix("/**")).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_of_copybara_excludes_directories() {
        let workflow = "with:\n  push_include: \"src/**\"\n  push_exclude: >-\n    internal/**\n    plans/**\n  pr_move: a/**\n";
        assert_eq!(excluded(workflow), ["internal", "plans"]);
        let config =
            "files = glob([\"src/**\"], exclude = [\"notes/**\", \"a.md\"])\nmove(\"b/**\")\n";
        assert_eq!(excluded(config), ["notes"]);
        assert_eq!(excluded("glob([\"src/**\"])\n"), [""; 0]);
    }
}
