//! What an entry says of files beside it.

use super::entry::Entry;
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{join, parent_dir};
use aidd_engine::text::source::Span;

/// The links of an entry that lead to no file of the project. What leads out of it is not judged.
pub(super) fn dead_links(entry: &Entry, path: &str, files: &dyn Files) -> Vec<(String, Span)> {
    let is_dead = |address: &str| {
        let Some(target) = target(path, address) else { return false };
        let name = target.rsplit('/').next().unwrap_or(&target);
        // Without an ending it may be a folder, which files do not tell.
        name.contains('.') && !files.exists(&target)
    };
    let dead = entry.links.iter().filter(|(address, _)| is_dead(address));
    dead.map(|(address, span)| (address.clone(), *span)).collect()
}

/// The path that a relative address in the file at `path` means.
fn target(path: &str, address: &str) -> Option<String> {
    let plain = address.split(['#', '?']).next().unwrap_or_default();
    if plain.is_empty() || plain.starts_with('/') || plain.contains(':') {
        return None;
    }
    let plain = plain.replace("%20", " ");
    join(parent_dir(path), &plain)
}
