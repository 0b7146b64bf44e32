//! Reads the ignore files of a directory and its parents. Like a configuration file, each ignore
//! file must be a regular file of limited size, and as in Git it must not be a link.

use crate::project::git::user_excludes;
use crate::project::ignored::{AIDDIGNORE, parse};
use crate::text::files::{Disk, Links, SIDE_FILE_LIMIT, read_regular, side_file};
use crate::text::paths::relative;
use ignore::gitignore::Gitignore;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the ignore file with the given name.
pub(super) type Read<'a> = dyn Fn(&str) -> io::Result<Option<Gitignore>> + 'a;

/// The verdict of the ignore files on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No pattern matches.
    None,
    /// Included again by `.aiddignore`, regardless of other ignore files.
    Included,
    /// Ignored unless Git tracks it.
    Ignored,
    /// Excluded by `.aiddignore`.
    Excluded,
}

/// The ignore files of one directory, with patterns relative to it.
pub(super) struct DirIgnores {
    /// Length in bytes of the path prefix that leads to the directory.
    at: usize,
    aiddignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    /// `info/exclude` of the repository, and the user's global excludes.
    repository_excludes: [Option<Gitignore>; 2],
    /// Whether this is the top of a repository: Git's ignore files above the directory belong to
    /// another repository.
    is_top: bool,
    is_in_repository: bool,
    outer: Option<Arc<Self>>,
}

/// The ignore rules of a directory.
pub(super) struct DirRules {
    pub(super) level: Option<Arc<DirIgnores>>,
    /// Whether the directory is the top of a Git work tree.
    pub(super) is_top: bool,
}

impl DirIgnores {
    /// Reads the rules of the directory at `disk_path`, whose path prefix has `at` bytes. `read`
    /// reads an ignore file in that directory, and `contains` accepts the names that can be in it.
    pub(super) fn read(
        outer: Option<&Arc<Self>>,
        disk_path: &Path,
        at: usize,
        (read, contains): (&Read<'_>, &dyn Fn(&str) -> bool),
        problem: &dyn Fn(PathBuf, &io::Error),
    ) -> DirRules {
        let read = |name: &str| {
            let report = |error: &io::Error| problem(disk_path.join(name), error);
            contains(name).then(|| read(name).inspect_err(report).ok().flatten())?
        };
        let exists = |name: &str| contains(name) && disk_path.join(name).exists();
        let has_outer = outer.is_some_and(|outer| outer.is_in_repository);
        let has_git = exists(".git");
        // Jujutsu repositories use the same ignore files.
        let is_top = has_git || !has_outer && exists(".jj");
        let is_in_repository = is_top || has_outer;
        let aiddignore = read(AIDDIGNORE);
        let ignore = read(".ignore");
        let gitignore = read(".gitignore");
        let repository_excludes = if has_git {
            let excludes =
                [Some(common_dir(&disk_path.join(".git")).join("info/exclude")), user_excludes()];
            // These are the user's own files, and can be links.
            excludes.map(|path| {
                let path = path?;
                let report = |error: &io::Error| problem(path.clone(), error);
                parse_if_present(read_regular(&path, SIDE_FILE_LIMIT))
                    .inspect_err(report)
                    .ok()
                    .flatten()
            })
        } else {
            [None, None]
        };
        let has_any = is_top || aiddignore.is_some() || ignore.is_some() || gitignore.is_some();
        let level = if has_any {
            let outer = outer.cloned();
            Some(Arc::new(Self {
                at,
                aiddignore,
                ignore,
                gitignore,
                repository_excludes,
                is_top,
                is_in_repository,
                outer,
            }))
        } else {
            outer.cloned()
        };
        DirRules { level, is_top: has_git }
    }

    /// The verdict of these rules and the rules of the parent directories on `path`. `.aiddignore`
    /// takes precedence over `.ignore`, which takes precedence over Git's ignore files; within each
    /// kind the nearest file with a matching pattern decides.
    pub(super) fn verdict(&self, path: &str, is_dir: bool) -> Verdict {
        let (mut ignore, mut git, mut exclude, mut global) = (None, None, None, None);
        let mut is_above_top = false;
        let mut next = Some(self);
        while let Some(level) = next {
            let path = &path[level.at..];
            let matched = |patterns: &Option<Gitignore>| {
                let matched = patterns.as_ref()?.matched(path, is_dir);
                (!matched.is_none()).then(|| matched.is_ignore())
            };
            if let Some(is_excluded) = matched(&level.aiddignore) {
                return if is_excluded { Verdict::Excluded } else { Verdict::Included };
            }
            ignore = ignore.or_else(|| matched(&level.ignore));
            if !is_above_top {
                git = git.or_else(|| matched(&level.gitignore));
                let [repository_exclude, global_excludes] = &level.repository_excludes;
                exclude = exclude.or_else(|| matched(repository_exclude));
                global = global.or_else(|| matched(global_excludes));
            }
            is_above_top |= level.is_top;
            next = level.outer.as_deref();
        }
        match ignore.or(git).or(exclude).or(global) {
            Some(true) => Verdict::Ignored,
            _ => Verdict::None,
        }
    }
}

/// The directories above the root whose ignore files apply: the directories in the repository that
/// contains the root or, without a repository, all.
pub(super) struct OuterDirs {
    base: PathBuf,
    /// The path from the outermost directory to the root, with a trailing slash; empty if there is
    /// no such directory.
    pub(super) prefix: String,
}

impl OuterDirs {
    /// The directories above `root` that apply to it.
    pub(super) fn above(root: &Path) -> Self {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_top = |dir: &&Path| dir.join(".git").exists() || dir.join(".jj").exists();
        let base = real.ancestors().find(is_top).or_else(|| real.ancestors().last());
        let base = base.unwrap_or(&real).to_owned();
        let mut prefix = relative(&base, &real);
        if !prefix.is_empty() {
            prefix.push('/');
        }
        Self { base, prefix }
    }

    /// The directories, outermost first, with the length in bytes of the path prefix of each.
    pub(super) fn dirs(&self) -> Vec<(PathBuf, usize)> {
        let ends = self.prefix.match_indices('/').map(|(end, _)| end + 1);
        let starts = std::iter::once(0).chain(ends);
        let starts = starts.take_while(|at| *at < self.prefix.len());
        starts.map(|at| (self.base.join(&self.prefix[..at]), at)).collect()
    }
}

/// The patterns of the ignore file at `disk_path`, which is above the root.
pub(super) fn read_above(disk_path: &Path) -> io::Result<Option<Gitignore>> {
    let (Some(dir), Some(name)) = (disk_path.parent(), disk_path.file_name()) else {
        return Ok(None);
    };
    read_inside(&Disk::new(dir), &name.to_string_lossy())
}

/// The patterns of the ignore file at `path`.
pub(super) fn read_inside(disk: &Disk, path: &str) -> io::Result<Option<Gitignore>> {
    // Most directories have no ignore file.
    let is_missing = disk.root().join(path).symlink_metadata().is_err();
    if is_missing {
        Ok(None)
    } else {
        parse_if_present(disk.read_whole(path, SIDE_FILE_LIMIT, Links::Reject))
    }
}

fn parse_if_present(read: io::Result<Vec<u8>>) -> io::Result<Option<Gitignore>> {
    match read {
        Ok(bytes) => Ok(parse(&bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The directory that all work trees of a repository share; `store` is `.git`, which is a file in a
/// linked work tree (gitrepository-layout(5), `gitdir` and `commondir`).
pub(super) fn common_dir(store: &Path) -> PathBuf {
    let disk = Disk::new(store.parent().unwrap_or(store));
    let line = |path: &str| {
        let text = side_file(&disk, path)?;
        Some(text.lines().next().unwrap_or_default().trim().to_owned())
    };
    let Some(git_dir) =
        line(".git").and_then(|line| line.strip_prefix("gitdir:").map(str::to_owned))
    else {
        return store.to_owned();
    };
    let git_dir = disk.root().join(git_dir.trim());
    let shared = side_file(&Disk::new(&git_dir), "commondir");
    shared.map_or_else(|| git_dir.clone(), |shared| git_dir.join(shared.trim()))
}
