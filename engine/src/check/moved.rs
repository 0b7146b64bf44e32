//! The rules of a directory that a change moved, at their place on the other side of the change.

use super::{Engine, EngineError};
use crate::text::paths::scope_of;
use std::collections::HashMap;

impl Engine {
    /// This engine with the project's pages at other paths: `moved` maps the path of a page here to
    /// its path there. Also returns the directories there whose rules moved. `None`: no rule has
    /// another scope.
    ///
    /// # Errors
    /// The errors of [`Engine::new`].
    pub(crate) fn with_pages_at(
        &self,
        moved: &HashMap<&str, &str>,
    ) -> Result<Option<(Self, Vec<String>)>, EngineError> {
        let mut registry = self.registry.clone();
        let mut folders = Vec::new();
        for path in registry.own_paths() {
            let Some(there) = moved.get(path.as_str()) else { continue };
            let scope = scope_of(there);
            if is_elsewhere(scope_of(path), scope) {
                folders.push(format!("{scope}/"));
                (*there).clone_into(path);
            }
        }
        if folders.is_empty() {
            return Ok(None);
        }
        let waits = self.waits.clone();
        let settings = self.settings.clone();
        let engine =
            Self::compiled(self.distribution, registry, settings, waits, self.max_file_size)?;
        Ok(Some((engine.with_date(self.today), folders)))
    }
}

/// Whether two directories are disjoint. If one contains the other, the page moved rather than the
/// directory, and the rule only applies to more or fewer files.
fn is_elsewhere(here: &str, there: &str) -> bool {
    let holds = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !holds(here, there) && !holds(there, here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_hold_one_another_did_not_move() {
        assert!(is_elsewhere("packages/a", "packages/b"));
        assert!(is_elsewhere("packages/a", "packages/ab"));
        for (here, there) in [("", "a"), ("a", ""), ("a", "a"), ("a", "a/b"), ("a/b", "a")] {
            assert!(!is_elsewhere(here, there), "{here} {there}");
        }
    }
}
