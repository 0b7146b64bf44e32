//! Which components only the layouts of all pages use, so that they exist once.

use super::recurring::{is_root, words};
use crate::cached::of_code;
use aidd_engine::text::files::{Files, side_file};
use std::collections::HashSet;

/// Whether layouts import the component at the path, and no other component does.
pub(super) fn only_layouts_use(files: &dyn Files, path: &str) -> bool {
    let component = tail(path);
    let by_layouts =
        of_code(files, "perf layouts", is_layout, |paths| imported_by(files, paths.iter()));
    by_layouts.contains(&component) && {
        let is_other = |path: &&String| !is_layout(path);
        let by_others = of_code(files, "perf components", is_component, |paths| {
            imported_by(files, paths.iter().filter(is_other))
        });
        !by_others.contains(&component)
    }
}

/// Whether the file is a component, as far as its name shows it.
fn is_component(path: &str) -> bool {
    [".vue", ".svelte", ".tsx", ".jsx"].iter().any(|end| path.ends_with(end))
}

/// Whether the file is the layout of pages.
fn is_layout(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_component(path)
        && (is_root(path)
            || dirs.rsplit('/').next() == Some("layouts")
            || words(name).any(|word| word == "layout"))
}

/// The components that files import.
fn imported_by<'p>(files: &dyn Files, paths: impl Iterator<Item = &'p String>) -> HashSet<String> {
    let mut found = HashSet::new();
    for path in paths {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let text = side_file(files, path).unwrap_or_default();
        for line in text.lines().filter(|line| line.contains("import") || line.contains("from")) {
            let modules = line.split(['"', '\'']).skip(1).step_by(2);
            let modules = modules.filter(|module| module.contains('/'));
            found.extend(modules.map(|module| match module.strip_prefix("./") {
                Some(rest) => tail(&format!("{dir}/{rest}")),
                None => tail(module),
            }));
        }
    }
    found
}

/// The last two parts of a path without the extension, by which different forms of a path match.
fn tail(path: &str) -> String {
    let stem = match path.rsplit_once('.') {
        Some((stem, end)) if !end.contains('/') => stem,
        _ => path,
    };
    let start = stem.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    stem[start..].to_owned()
}
