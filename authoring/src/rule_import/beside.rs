//! What lies beside a configuration and would be lost without a word: others of the same tool.

use super::{Left, Tool, read_data};
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{below, parent_dir};

/// Most folders with a configuration of their own that are named.
const MOST: usize = 20;

/// Whether a configuration of this name lies in a folder; one of several tools has the key.
pub(super) fn is_there(files: &dyn Files, folder: &str, (name, key): (&str, Option<&str>)) -> bool {
    let path = below(folder, name);
    let has =
        |key| read_data(files, &path).is_ok_and(|all| all.iter().any(|one| !one[key].is_null()));
    files.exists(&path) && key.is_none_or(has)
}

/// Configurations of the tool that the one at `path` keeps from being read, and those of folders
/// inside, which hold for these alone.
pub(super) fn left(files: &dyn Files, path: &str, tool: Tool) -> Vec<Left> {
    let (folder, own) = (parent_dir(path), name_of(path));
    let known = tool.files();
    let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
    if !is_known(own) {
        return Vec::new();
    }
    let is_markdownlint = tool == Tool::Markdownlint;
    // The runner of markdownlint has read those.
    let reads_rules = is_markdownlint && (own.contains("cli2") || own == "package.json");
    let is_read = |name: &str| name == own || reads_rules && name.starts_with(".markdownlint.");
    let why = format!("{tool} takes `{path}`, which lies beside it, and not this one");
    let others = known.iter().filter(|one| !is_read(one.0) && is_there(files, folder, **one));
    let mut left: Vec<Left> =
        others.map(|(name, _)| Left::new(below(folder, name), &*why)).collect();
    if is_markdownlint {
        let all = files.listing().map(|listing| listing.below(folder)).unwrap_or_default();
        let is_inner = |path: &&String| {
            parent_dir(path) != folder
                && name_of(path).starts_with(".markdownlint")
                && is_known(name_of(path))
                && !path.contains("node_modules/")
        };
        left.extend(all.iter().filter(is_inner).take(MOST).map(|inner| {
            let to = parent_dir(inner);
            Left::new(inner, format!("it holds for `{to}/` alone"))
                .instead(format!("aidd rule import {inner} --to {to}/.aidd/rules"))
        }));
    }
    left
}

/// The last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
