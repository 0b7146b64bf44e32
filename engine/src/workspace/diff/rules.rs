//! The rules of each side of a change: rules of a moved directory move with it.

use crate::check::{Engine, EngineError};
use crate::project::config::Config;
use crate::project::git::Change;
use crate::text::files::{Files, Listed};
use crate::text::listing::Listing;
use crate::workspace::walk::{self, Outcome};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

/// The rules of one side.
pub(super) struct Rules<'a> {
    engine: &'a Engine,
    /// For directories that have a different path on this side: an engine with their rules, and
    /// their paths, each with a trailing slash.
    moved: Option<(Engine, Vec<String>)>,
}

impl<'a> Rules<'a> {
    /// The rules of the head and of the base. The pages of `engine` are at their paths in the head
    /// or, if the head is not trusted, at their paths in the base.
    pub(super) fn for_both_sides(
        engine: &'a Engine,
        changes: &[Change],
    ) -> Result<(Self, Self), EngineError> {
        let pages: HashSet<&str> =
            engine.registry().rules().iter().filter_map(|rule| rule.path.as_deref()).collect();
        let (mut in_base, mut in_head) = (HashMap::new(), HashMap::new());
        for change in changes {
            let (Some(head), Some(base)) = (&change.head, &change.base) else { continue };
            let (head, base) = (head.as_str(), base.as_str());
            if head == base {
                continue;
            }
            if pages.contains(head) {
                in_base.insert(head, base);
            } else if pages.contains(base) {
                in_head.insert(base, head);
            }
        }
        let side = |moved: &HashMap<&str, &str>| {
            let moved = engine.with_pages_at(moved)?;
            Ok::<_, EngineError>(Self { engine, moved })
        };
        Ok((side(&in_head)?, side(&in_base)?))
    }

    /// The engine with the rules of this side, for checks of the project as a whole.
    pub(super) fn project_engine(&self) -> &Engine {
        self.moved.as_ref().map_or(self.engine, |(engine, _)| engine)
    }

    /// Checks files of a snapshot, with its listing if there is one.
    pub(super) fn check(
        &self,
        config: &Config,
        files: &dyn Files,
        listing: Option<&Listing>,
        (paths, jobs, stop): (&[String], usize, Option<&AtomicBool>),
    ) -> Result<Outcome, EngineError> {
        let listed = listing.map(|listing| Listed { files, listing });
        let files = listed.as_ref().map_or(files, |listed| listed as &dyn Files);
        let Some((moved, dirs)) = &self.moved else {
            return Ok(walk::check_files(self.engine, config, files, paths, jobs, stop)?);
        };
        let (inside, outside): (Vec<String>, Vec<String>) = paths
            .iter()
            .cloned()
            .partition(|path| dirs.iter().any(|dir| path.starts_with(dir.as_str())));
        let mut outcome = walk::check_files(self.engine, config, files, &outside, jobs, stop)?;
        outcome.extend(walk::check_files(moved, config, files, &inside, jobs, stop)?);
        Ok(walk::ordered(outcome))
    }
}
