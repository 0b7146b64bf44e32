//! The modules of Go in a project.

use super::places::Places;
use crate::text::files::{Files, side_file};
use crate::text::paths::folder_of;

/// Path of each module and its folder, the longest path first.
pub(super) fn modules(files: &dyn Files, places: &Places<'_>) -> Vec<(String, String)> {
    let named = places.named("go.mod").filter_map(|path| {
        let text = side_file(files, path)?;
        Some((module(&text)?, folder_of(path).to_owned()))
    });
    let mut modules: Vec<(String, String)> = named.collect();
    modules.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
    modules
}

/// What the `module` directive says, which stands on a line of its own
/// (<https://go.dev/ref/mod#go-mod-file-module>).
fn module(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let module = (words.next()? == "module").then(|| words.next()).flatten()?;
        Some(module.trim_matches(['"', '`']).to_owned()).filter(|module| !module.is_empty())
    })
}
