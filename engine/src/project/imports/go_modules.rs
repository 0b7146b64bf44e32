//! Finds the Go modules of a project.

use super::project_files::ProjectFiles;
use crate::text::files::{Files, side_file};
use crate::text::paths::parent_dir;

/// The path of each module and its directory, longest path first.
pub(super) fn modules(files: &dyn Files, project: &ProjectFiles<'_>) -> Vec<(String, String)> {
    let named = project.files_named("go.mod").filter_map(|path| {
        let text = side_file(files, path)?;
        Some((module(&text)?, parent_dir(path).to_owned()))
    });
    let mut modules: Vec<(String, String)> = named.collect();
    modules.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
    modules
}

/// The path in the `module` directive, which must be on its own line
/// (<https://go.dev/ref/mod#go-mod-file-module>).
fn module(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let module = (words.next()? == "module").then(|| words.next()).flatten()?;
        Some(module.trim_matches(['"', '`']).to_owned()).filter(|module| !module.is_empty())
    })
}
