//! References of an entry to other files.

use super::entry::Entry;
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{join, parent_dir};
use aidd_engine::text::source::Span;

/// The links of an entry to missing files of the project. Links out of the project are not checked.
pub(super) fn dead_links(entry: &Entry, path: &str, files: &dyn Files) -> Vec<(String, Span)> {
    let is_dead = |address: &str| {
        let Some(target) = target(path, address) else { return false };
        let name = target.rsplit('/').next().unwrap_or(&target);
        // An address without an extension can be a directory, for which `exists` is not reliable.
        name.contains('.') && !files.exists(&target)
    };
    let dead = entry.links.iter().filter(|(address, _)| is_dead(address));
    dead.map(|(address, span)| (address.clone(), *span)).collect()
}

/// The path that a relative address in the file at `path` refers to.
fn target(path: &str, address: &str) -> Option<String> {
    let relative_path = address.split(['#', '?']).next().unwrap_or_default();
    if relative_path.is_empty() || relative_path.starts_with('/') || relative_path.contains(':') {
        return None;
    }
    let relative_path = relative_path.replace("%20", " ");
    join(parent_dir(path), &relative_path)
}
