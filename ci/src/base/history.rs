//! Commits of the clone: which are present, which must be fetched, and common ancestors in a
//! shallow history.

use super::program::Git;
use crate::event::is_hash;
use aidd_engine::check::Distribution;
use aidd_engine::project::git::Repository;
use aidd_report::exit::UserError;
use aidd_report::number;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Time limit for all fetches of a run.
const FETCH_TIMEOUT: Duration = Duration::from_secs(300);
/// Number of commits of each line of history that each step fetches. The resulting depths are 4,
/// 16, 64 and so on, up to 4096. Each step costs about as much as all previous steps together.
const STEPS: [u32; 6] = [3, 12, 48, 192, 768, 3072];
/// After this number of steps, a query to the server costs less than the next step.
const STEPS_BEFORE_QUERY: usize = 3;

/// Arguments of a fetch of the commits on standard input, which changes only the object store.
const FETCH: [&str; 8] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-auto-gc",
    "--no-write-fetch-head",
    "--refmap=",
    "--stdin",
];

/// Requests the merge base of two commits from the server.
pub type Compare<'a> = &'a dyn Fn(&str, &str) -> Result<String>;

/// A repository and access to the rest of its history.
pub(super) struct History<'a> {
    root: &'a Path,
    repository: Repository,
    git: Git<'a>,
    compare: Option<Compare<'a>>,
    log: &'a mut dyn FnMut(&str),
    /// Whether the repository settings withheld from Git were reported.
    withheld_reported: bool,
}

impl<'a> History<'a> {
    pub(super) fn open(
        distribution: &'static Distribution,
        root: &'a Path,
        compare: Option<Compare<'a>>,
        log: &'a mut dyn FnMut(&str),
    ) -> Result<Self> {
        let repository = open(root)?;
        Ok(Self {
            root,
            repository,
            git: Git::new(distribution, root, FETCH_TIMEOUT),
            compare,
            log,
            withheld_reported: false,
        })
    }

    pub(super) fn log(&mut self, text: &str) {
        (self.log)(text);
    }

    /// The commit that a revision resolves to, if it is present.
    pub(super) fn resolve_local(&self, rev: &str) -> Option<String> {
        self.repository.commit(rev).ok()
    }

    /// The commit that is checked out.
    pub(super) fn head(&self) -> Result<String> {
        self.resolve_local("HEAD").ok_or_else(|| {
            UserError::new("the repository has no commit yet")
                .hint("run `aidd check .`, which needs no commit and checks all files")
                .into()
        })
    }

    pub(super) fn parents(&self, commit: &str) -> Result<Vec<String>> {
        Ok(self.repository.parents(commit)?)
    }

    pub(super) fn is_shallow(&self) -> bool {
        self.repository.is_shallow()
    }

    /// The value of a Git setting as [`Git`] resolves it; `None` if it is not set.
    pub(super) fn setting(&self, name: &str) -> Option<String> {
        self.git.try_run(&["config", "--get", name]).map(|value| value.trim().to_owned())
    }

    /// Ensures that the directories in which two commits differ can be read. A clone made with
    /// `--filter=tree:0` contains only checked-out directories; Git fetches the others on access.
    pub(super) fn fetch_trees(&self, first: &str, second: &str) -> Result<()> {
        let isolated = self.git.isolated()?;
        if isolated
            .remote_values("partialclonefilter")
            .any(|(_, filter)| filter.starts_with("tree:"))
        {
            self.git.run(&["diff-tree", "-r", "--no-renames", "--name-only", first, second], "")?;
        }
        Ok(())
    }

    /// Whether two commits contain the same files.
    pub(super) fn has_same_files(&self, first: &str, second: &str) -> bool {
        let tree = |commit: &str| format!("{commit}^{{tree}}");
        let trees =
            self.git.try_run(&["rev-parse", &tree(first), &tree(second)]).unwrap_or_default();
        let mut trees = trees.lines();
        matches!((trees.next(), trees.next()), (Some(first), Some(second)) if first == second)
    }

    /// Whether `old` is an ancestor of `new`; `None` if a shallow clone does not show it.
    pub(super) fn is_ancestor(&self, old: &str, new: &str) -> Option<bool> {
        let bases = self.repository.merge_bases(old, new).ok()?;
        if bases.iter().any(|base| base == old) {
            Some(true)
        } else {
            (!self.is_shallow()).then_some(false)
        }
    }

    /// The remote to fetch from: `origin`, or the only remote.
    fn remote(&mut self) -> Result<String> {
        let isolated = self.git.isolated()?;
        let names = isolated.remotes();
        let remote = match *names {
            [only] => Ok(only.to_owned()),
            _ if names.contains(&"origin") => Ok("origin".to_owned()),
            [] => Err(UserError::new("the clone has no remote to fetch from")),
            _ => Err(UserError::new("there are several remotes, none named `origin`")),
        };
        let withheld = isolated.withheld_programs();
        if !std::mem::replace(&mut self.withheld_reported, true) && !withheld.is_empty() {
            let withheld = withheld.join(", ");
            self.log(&format!("ignored, because a repository must not name programs: {withheld}"));
        }
        Ok(remote?)
    }

    /// The hash of the first of `refs` that exists on the remote.
    fn hash_on_remote(&mut self, refs: &[&str]) -> Result<Option<String>> {
        let remote = self.remote()?;
        let listed = self.git.run(&[&["ls-remote", "--", remote.as_str()], refs].concat(), "")?;
        let found = refs.iter().find_map(|wanted| {
            let mut lines = listed.lines().filter_map(|line| line.split_once('\t'));
            lines.find(|(hash, name)| name == wanted && is_hash(hash)).map(|(hash, _)| hash)
        });
        Ok(found.map(str::to_owned))
    }

    /// The newest commit of a branch on the remote; `None` is the remote's default branch. If the
    /// remote fails, returns the commit known to the clone, which can be old if a runner reuses its
    /// clones.
    pub(super) fn tip(&mut self, branch: Option<&str>) -> Result<String> {
        let error = match self.tip_of_remote(branch) {
            Ok(tip) => return Ok(tip),
            Err(error) => error,
        };
        let known =
            self.resolve_local(&format!("refs/remotes/origin/{}", branch.unwrap_or("HEAD")));
        let tip = known.ok_or(error)?;
        self.log(&format!(
            "using {} as known to the clone",
            branch.unwrap_or("the default branch")
        ));
        Ok(tip)
    }

    fn tip_of_remote(&mut self, branch: Option<&str>) -> Result<String> {
        let name = branch.map_or_else(|| "HEAD".to_owned(), |name| format!("refs/heads/{name}"));
        let tip = self.hash_on_remote(&[&name])?.ok_or_else(|| {
            UserError::new(match branch {
                Some(branch) => format!("the remote has no branch `{branch}`"),
                None => "the remote has no default branch".to_owned(),
            })
        })?;
        self.fetch_commit(&tip, branch.unwrap_or("the default branch"))?;
        Ok(tip)
    }

    /// The commit of a branch or tag of the remote; `None` if neither exists.
    pub(super) fn branch_or_tag(&mut self, name: &str) -> Result<Option<String>> {
        let (branch, tag) = (format!("refs/heads/{name}"), format!("refs/tags/{name}"));
        // An annotated tag resolves to its commit.
        let refs = [branch.as_str(), &format!("{tag}^{{}}"), &tag];
        let Some(found) = self.hash_on_remote(&refs)? else { return Ok(None) };
        self.fetch_commit(&found, name)?;
        Ok(Some(found))
    }

    /// Fetches a commit unless it is present. `label` describes the commit in messages.
    pub(super) fn fetch_commit(&mut self, commit: &str, label: &str) -> Result<()> {
        if self.resolve_local(commit).is_some() {
            return Ok(());
        }
        self.log(&format!("fetching {} ({label})", short(commit)));
        // A depth would make a full clone shallow.
        let depth: &[&str] = if self.is_shallow() { &["--depth=1"] } else { &[] };
        self.fetch(depth, &[commit.to_owned()])?;
        let missing = || format!("{label}: the remote has no commit {}", short(commit));
        self.resolve_local(commit).map(|_| ()).with_context(missing)
    }

    fn fetch(&mut self, options: &[&str], commits: &[String]) -> Result<()> {
        let remote = self.remote()?;
        let args = [&FETCH[..], options, &["--", remote.as_str()]].concat();
        self.git.run(&args, &commits.join("\n"))?;
        self.git.isolated()?.store_shallow()?;
        self.repository = open(self.root)?;
        Ok(())
    }

    /// The newest common ancestor of two commits that are present. If there are several, as after
    /// criss-cross merges, returns Git's choice.
    ///
    /// In a shallow clone, a common ancestor can be visible while a newer common ancestor is
    /// hidden, because the path from one side to the newer ancestor leads through commits beyond
    /// the shallow boundary. The result is therefore final only if all shallow commits of both
    /// sides are ancestors of the common ancestors. Until then, the history is deepened at the
    /// other shallow commits.
    ///
    /// # Errors
    /// Fails when there is no common ancestor, or missing commits cannot be fetched.
    pub(super) fn merge_base(&mut self, first: &str, second: &str) -> Result<String> {
        let mut step = 0;
        loop {
            let bases = self.repository.merge_bases(first, second)?;
            // If one side is an ancestor of the other, no common ancestor can be newer.
            if let Some(base) = bases.iter().find(|base| *base == first || *base == second) {
                return Ok(base.clone());
            }
            let boundary = self.shallow_commits(&[first, second], &bases)?;
            if boundary.is_empty() {
                return self.choose_merge_base(bases, first, second);
            }
            if step == STEPS_BEFORE_QUERY
                && let Some(base) = self.server_merge_base(first, second)
            {
                return Ok(base);
            }
            // The remote is a shallow clone too.
            if step > STEPS.len() {
                return self.choose_merge_base(bases, first, second);
            }
            match self.deepen(STEPS.get(step), &boundary) {
                Ok(()) => step += 1,
                Err(error) if bases.is_empty() => return Err(error),
                // Use a common ancestor. If it is not the newest, too many changes are reported,
                // but never too few.
                Err(error) => {
                    self.log(&format!("the history cannot be completed: {}", brief(&error)));
                    return self.choose_merge_base(bases, first, second);
                }
            }
        }
    }

    fn choose_merge_base(
        &mut self,
        bases: Vec<String>,
        first: &str,
        second: &str,
    ) -> Result<String> {
        let count = bases.len();
        let Some(base) = bases.into_iter().next() else {
            let message = format!("{} and {} have no common commit", short(first), short(second));
            return Err(UserError::new(message).into());
        };
        if count > 1 {
            self.log(&format!("{count} merge bases: using {}, as Git does", short(&base)));
        }
        Ok(base)
    }

    /// The shallow commits of `sides`, except those below `bases`.
    fn shallow_commits(&self, sides: &[&str], bases: &[String]) -> Result<Vec<String>> {
        if !self.is_shallow() {
            return Ok(Vec::new());
        }
        let shallow = self.git.isolated()?.shallow();
        let shallow: BTreeSet<&str> = shallow.lines().collect();
        let wanted = sides.iter().map(|side| format!("{side}\n"));
        let hidden = bases.iter().map(|base| format!("^{base}\n"));
        let wanted: String = wanted.chain(hidden).collect();
        let listed = self.git.run(&["rev-list", "--stdin"], &wanted)?;
        Ok(listed.lines().filter(|line| shallow.contains(line)).map(str::to_owned).collect())
    }

    /// Fetches `count` more commits below each commit in `boundary`; without a number, all of them.
    fn deepen(&mut self, count: Option<&u32>, boundary: &[String]) -> Result<()> {
        match count {
            Some(count) => {
                self.log(&format!(
                    "the clone is shallow: fetching {count} more commits of each line"
                ));
                self.fetch(&[&format!("--deepen={count}")], boundary)
            }
            None => {
                self.log("the clone is shallow: fetching the whole history");
                self.fetch(&["--unshallow"], boundary)
            }
        }
    }

    /// Deepens the history of a commit by `count`; returns whether that was possible.
    pub(super) fn deepen_below(&mut self, commit: &str, count: u32) -> Result<bool> {
        let boundary = self.shallow_commits(&[commit], &[])?;
        if boundary.is_empty() {
            return Ok(false);
        }
        self.deepen(Some(&count), &boundary).map(|()| true)
    }

    /// The merge base according to the server, if the server responds and the commit can be
    /// fetched.
    fn server_merge_base(&mut self, first: &str, second: &str) -> Option<String> {
        let compare = self.compare?;
        self.log("requesting the merge base from the server");
        let merge_base = compare(first, second).and_then(|base| {
            anyhow::ensure!(is_hash(&base), "the server's response is not a commit hash");
            self.fetch_commit(&base, "merge base")?;
            Ok(base)
        });
        merge_base
            .map_err(|error| {
                self.log(&format!("the server did not provide a merge base: {}", brief(&error)));
            })
            .ok()
    }
}

fn open(root: &Path) -> Result<Repository> {
    Repository::open(root).map_err(|error| {
        let error = UserError::new(error.to_string());
        error
            .hint("run `git init` first, or `aidd check .`, which checks all files without Git")
            .into()
    })
}

/// The first line of an error, for notes.
pub(super) fn brief(error: &anyhow::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// The abbreviated hash.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Ensures that a commit and its files are present. `label` describes the commit in messages to
/// `log`.
///
/// # Errors
/// Fails when there is no repository, or the commit cannot be fetched.
pub fn ensure_commit(
    distribution: &'static Distribution,
    root: &Path,
    commit: &str,
    label: &str,
    log: &mut dyn FnMut(&str),
) -> Result<()> {
    History::open(distribution, root, None, log)?.fetch_commit(commit, label)
}

/// Ensures that the contents of objects are present. A clone made with `--filter=blob:none` has
/// only the contents that were checked out. Missing contents are fetched in one request; Git would
/// fetch them one at a time.
///
/// # Errors
/// Fails when an id is not a hash, or an object is missing and cannot be fetched.
pub fn ensure_blobs(
    distribution: &'static Distribution,
    root: &Path,
    ids: &[String],
) -> Result<()> {
    if let Some(invalid) = ids.iter().find(|id| !is_hash(id)) {
        return Err(UserError::new(format!("not an object hash: {invalid:?}")).into());
    }
    if ids.is_empty() {
        return Ok(());
    }
    let git = Git::new(distribution, root, FETCH_TIMEOUT);
    let present = ["cat-file", "--batch-check=%(objectname)"];
    let listed = git.run_without_fetching(&present, &ids.join("\n"))?;
    let missing: Vec<&str> =
        listed.lines().filter_map(|line| line.strip_suffix(" missing")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let is_true =
        |value: &str| ["true", "yes", "on", "1"].iter().any(|yes| value.eq_ignore_ascii_case(yes));
    let mut promisors = git.isolated()?.remote_values("promisor");
    let remote = promisors.find(|(_, promised)| is_true(promised)).map(|(name, _)| name);
    let remote = remote.ok_or_else(|| {
        let missing = number(missing.len(), "object");
        UserError::new(format!("missing from the repository: {missing}"))
            .hint("run `git fsck` to find the cause")
    })?;
    // Do not announce the commits that are present, or the server assumes that their objects are
    // present too.
    let noop = ["-c", "fetch.negotiationAlgorithm=noop"];
    let fetch = [&noop[..], &FETCH, &["--filter=blob:none", "--", remote]].concat();
    git.run(&fetch, &missing.join("\n"))?;
    git.isolated()?.store_shallow()
}
