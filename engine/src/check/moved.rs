//! Adapts an engine to a change that moves directories: the rules of a moved directory apply to its
//! path before or after the change.

use super::{Engine, EngineError};
use crate::text::paths::scope_of;
use std::collections::HashMap;

impl Engine {
    /// Returns a copy of this engine in which rule pages of the project have other paths: `moved`
    /// maps the current path of a page to its path in the copy. Also returns the directories to
    /// which the moved rules apply in the copy. Returns `None` if no rule applies to another
    /// directory.
    ///
    /// # Errors
    /// The errors of [`Engine::new`].
    pub(crate) fn with_pages_at(
        &self,
        moved: &HashMap<&str, &str>,
    ) -> Result<Option<(Self, Vec<String>)>, EngineError> {
        let mut registry = self.registry.clone();
        let mut directories = Vec::new();
        for path in registry.own_paths() {
            let Some(other) = moved.get(path.as_str()) else { continue };
            let scope = scope_of(other);
            if are_disjoint(scope_of(path), scope) {
                directories.push(format!("{scope}/"));
                (*other).clone_into(path);
            }
        }
        if directories.is_empty() {
            return Ok(None);
        }
        let pack_conditions = self.pack_conditions.clone();
        let settings = self.settings.clone();
        let engine = Self::compiled(
            self.distribution,
            registry,
            settings,
            pack_conditions,
            self.max_file_size,
        )?;
        Ok(Some((engine.with_date(self.today), directories)))
    }
}

/// Whether two directories are disjoint. If one directory contains the other, only the page was
/// moved, not the directory, so the rule merely applies to more or fewer files.
fn are_disjoint(a: &str, b: &str) -> bool {
    let contains = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !contains(a, b) && !contains(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_between_nested_directories_is_ignored() {
        assert!(are_disjoint("packages/a", "packages/b"));
        assert!(are_disjoint("packages/a", "packages/ab"));
        for (path, other) in [("", "a"), ("a", ""), ("a", "a"), ("a", "a/b"), ("a/b", "a")] {
            assert!(!are_disjoint(path, other), "{path} {other}");
        }
    }
}
