//! Selects the paths of a project that a run checks.

use crate::text::paths::relative;
use std::path::{Path, PathBuf};

/// One of several shards of a tree with about the same number of files each, assigned by path hash,
/// so that every machine computes the same shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The index of the part, from 1.
    pub index: u32,
    /// The number of shards.
    pub of: u32,
}

impl Part {
    /// Whether the file at `path` belongs to this part.
    #[must_use]
    pub fn contains(self, path: &str) -> bool {
        // FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>: well distributed, and stable.
        let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The low bits of the product have the worst distribution.
        (hash >> 32) % u64::from(self.of.max(1)) == u64::from(self.index.saturating_sub(1))
    }
}

/// The paths that a run checks: the paths at or below some directories, limited to one shard.
#[derive(Clone, Debug)]
pub struct CheckedPaths {
    dirs: Vec<String>,
    part: Option<Part>,
}

impl CheckedPaths {
    /// The paths at or below `paths`, in the project at `root`, and in `part`.
    #[must_use]
    pub fn new(root: &Path, paths: &[PathBuf], part: Option<Part>) -> Self {
        Self { dirs: paths.iter().map(|path| relative(root, path)).collect(), part }
    }

    /// The whole project.
    #[must_use]
    pub fn all() -> Self {
        Self { dirs: vec![String::new()], part: None }
    }

    /// Whether the run checks the file or directory at `path`, relative to the root.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.is_below(path) && self.part.is_none_or(|part| part.contains(path))
    }

    fn is_below(&self, path: &str) -> bool {
        self.dirs.iter().any(|dir| {
            let rest = path.strip_prefix(&**dir);
            dir.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}
