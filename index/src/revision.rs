//! The index of a commit, for questions about a state of the code other than the work tree. It is read
//! from the database of Git, and never changes.

use crate::facts::hash_of;
use crate::query::Reader;
use crate::update::{self, Process, Update};
use crate::{IndexError, store};
use aidd_engine::project::config::Config;
use aidd_engine::project::git::{Repository, Snapshot};
use aidd_engine::text::files::Disk;
use aidd_engine::workspace::walk::{self, Stamped};
use std::path::PathBuf;

/// A commit with its index.
#[derive(Debug)]
pub struct Revision {
    /// The full hash of the commit.
    pub commit: String,
    /// The root to open the index with.
    pub root: PathBuf,
    /// The files of the commit.
    pub files: Snapshot,
    /// The counts of the index.
    pub update: Update,
}

/// The index of the commit `rev` of the project at `disk`, which is built if there is none. The
/// configuration and the ignore files of the work tree apply.
///
/// # Errors
/// When there is no repository or no such commit, when the clone does not have the contents of its
/// files, or when the database cannot be written.
pub fn at_revision(disk: &Disk, config: &Config, rev: &str) -> Result<Revision, IndexError> {
    let repository = Repository::open(disk.root())?;
    let commit = repository.commit(rev)?;
    let files = repository.snapshot(&commit)?;
    let mut paths = files.below("").map_err(IndexError::io(disk.root()))?;
    walk::retain_listed(config, disk, &mut paths)?;
    // Other settings list other files.
    let listed = hash_of(paths.join("\n").as_bytes());
    let root = store::commit_root(disk.root(), &format!("{commit}-{listed:x}"))?;
    let listed: Vec<Stamped> = paths.into_iter().map(|path| (path, None)).collect();
    let _lock = store::lock(&root)?;
    let mut update = match store::open(&root)? {
        Some(_) => {
            let files = Reader::open(&root)?.file_count()?;
            Update { files, ..Update::default() }
        }
        None => {
            let missing = update::sources(&listed).filter(|(path, _)| {
                let object = files.object(path).ok().flatten();
                object.is_none_or(|object| !files.has_object(&object))
            });
            match missing.count() {
                0 => update::build_from(&files, &listed, (&root, disk.root()), Process::Continues)?,
                missing => return Err(IndexError::NotFetched(missing)),
            }
        }
    };
    update.unread = update::sources(&listed).count().saturating_sub(update.files);
    Ok(Revision { commit, root, files, update })
}
