//! What lies beside a configuration and would be lost without a word: others of the same tool.

use super::{Left, NAMES, Tool, read_data};
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::folder_of;

/// Most folders with a configuration of their own that are named.
const MOST: usize = 20;

/// Whether a configuration of this name lies in a folder.
pub(super) fn is_there(files: &dyn Files, folder: &str, name: &str, tool: Tool) -> bool {
    let path = in_folder(folder, name);
    if !files.exists(&path) {
        return false;
    }
    let key = match tool {
        _ if name != "package.json" => return true,
        Tool::Markdownlint => "markdownlint-cli2",
        _ => "commitlint",
    };
    read_data(files, &path).is_ok_and(|all| all.iter().any(|one| !one[key].is_null()))
}

/// Configurations of the tool that the one at `path` keeps from being read, and those of folders
/// inside, which hold for these alone.
pub(super) fn left(files: &dyn Files, path: &str, tool: Tool) -> Vec<Left> {
    let folder = folder_of(path);
    let own = path.rsplit('/').next().unwrap_or(path);
    let is_runner = |name: &str| name.contains("cli2") || name == "package.json";
    let is_known = |name: &str| NAMES.iter().any(|(known, of)| *known == name && *of == tool);
    if !is_known(own) {
        return Vec::new();
    }
    let mut left = Vec::new();
    for (name, of) in NAMES {
        // The runner of markdownlint has read those.
        let is_read =
            tool == Tool::Markdownlint && is_runner(own) && name.starts_with(".markdownlint.");
        if of == tool && name != own && !is_read && is_there(files, folder, name, tool) {
            let why = format!("{tool} takes `{path}`, which lies beside it, and not this one");
            left.push(Left::new(in_folder(folder, name), why));
        }
    }
    if tool == Tool::Markdownlint {
        let all = files.listing().map(|listing| listing.below(folder)).unwrap_or_default();
        let is_inner = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            folder_of(path) != folder
                && name.starts_with(".markdownlint")
                && is_known(name)
                && !path.contains("node_modules/")
        };
        for inner in all.iter().filter(is_inner).take(MOST) {
            let to = folder_of(inner);
            left.push(
                Left::new(inner, format!("it holds for `{to}/` alone"))
                    .instead(format!("aidd rule import {inner} --to {to}/.aidd/rules")),
            );
        }
    }
    left
}

fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
