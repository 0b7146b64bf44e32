//! Which paths of a project a run judges.

use crate::text::paths::relative;
use std::path::{Path, PathBuf};

/// One of several parts of a tree, each with about as many files; by their paths, so that every
/// machine parts them alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which: from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Part {
    /// Whether the file at `path` belongs to it.
    #[must_use]
    pub fn holds(self, path: &str) -> bool {
        // FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>: spreads well, and never changes.
        let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The low bits of the product spread worst.
        (hash >> 32) % u64::from(self.of.max(1)) == u64::from(self.index.saturating_sub(1))
    }
}

/// The paths that a run judges: those at or below some directories, and of these one part.
#[derive(Clone, Debug)]
pub struct Within {
    dirs: Vec<String>,
    part: Option<Part>,
}

impl Within {
    /// What lies at or below `paths`, in the project at `root`, and in `part`.
    #[must_use]
    pub fn new(root: &Path, paths: &[PathBuf], part: Option<Part>) -> Self {
        Self { dirs: paths.iter().map(|path| relative(root, path)).collect(), part }
    }

    /// The whole project.
    #[must_use]
    pub fn all() -> Self {
        Self { dirs: vec![String::new()], part: None }
    }

    /// Whether the file or directory at `path`, which counts from the root, is among them.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        self.is_below(path) && self.part.is_none_or(|part| part.holds(path))
    }

    fn is_below(&self, path: &str) -> bool {
        self.dirs.iter().any(|dir| {
            let rest = path.strip_prefix(&**dir);
            dir.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}
