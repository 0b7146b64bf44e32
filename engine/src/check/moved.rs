//! Adapts an engine to a change that moves directories: the rules of a moved directory apply to its
//! path before or after the change.

use super::{Engine, EngineError};
use crate::text::paths::scope_of;
use std::collections::HashMap;

impl Engine {
    /// Returns this engine with rule pages of the project at other paths: `moved` maps the path of
    /// a page to its other path. Also returns the directories that the moved rules apply to at
    /// their other paths. Returns `None` if no rule applies to another directory.
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
            if is_elsewhere(scope_of(path), scope) {
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

/// Whether two directories are disjoint. If one contains the other, the page moved rather than the
/// directory, and the rule only applies to more or fewer files.
fn is_elsewhere(a: &str, b: &str) -> bool {
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
    fn a_directory_did_not_move_into_its_parent_or_child() {
        assert!(is_elsewhere("packages/a", "packages/b"));
        assert!(is_elsewhere("packages/a", "packages/ab"));
        for (path, other) in [("", "a"), ("a", ""), ("a", "a"), ("a", "a/b"), ("a/b", "a")] {
            assert!(!is_elsewhere(path, other), "{path} {other}");
        }
    }
}
