//! Finds the commit to compare with from the CI event and ensures that it is in the clone.
//!
//! A wrong base hides findings or blames the wrong change. Every base therefore comes with the
//! reason why it was chosen. A base that cannot be found is an error or, if `--no-base full` is
//! set, a full check without comparison; it is never an empty comparison.

mod history;
mod isolated;
mod program;

use crate::event::{Event, Pull, System, Trigger, is_hash};
use aidd_engine::check::Distribution;
use aidd_report::exit::UserError;
use aidd_report::run::branch::{is_ref_name, recorded_default_branch};
use anyhow::Result;
use clap::ValueEnum;
use history::{History, brief, short};
use std::path::Path;

pub use history::{Compare, ensure_blobs, ensure_commit};

/// A commit to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Full hash; the commit and its files are in the clone.
    pub sha: String,
    /// How the base was found, such as `first parent of the merge commit` or `merge base of main
    /// and HEAD`.
    pub why: String,
}

/// The base of a run, or the decision to check all files without a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseChoice {
    /// Comparison with a commit.
    Base(Base),
    /// No comparison: all files are checked.
    WholeTree {
        /// The reason, for the report.
        why: String,
    },
}

/// Result of [`find`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseSearch {
    /// The base of the comparison.
    pub against: BaseChoice,
    /// The commit to check, if another commit is checked out. Its files are in the clone and must
    /// be read from the object store; its contents are untrusted.
    pub head: Option<String>,
}

/// What to do when there is no commit to compare with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NoBase {
    /// Fail.
    #[default]
    Error,
    /// Check all files and report why.
    Full,
}

/// Numbers of commits by which a shallow clone is deepened, step by step, to reach a revision such
/// as `HEAD~3`.
const DEEPEN_STEPS: [u32; 3] = [1, 4, 16];

/// Finds the commit to compare the run of `event` with, in the repository at `root`. The rules of
/// `distribution` redact secrets from Git's output. `explicit` sets the base for every kind of
/// event. `compare` asks the server for the merge base of two commits when deepening a shallow
/// clone would cost more. Each step is reported through `log`.
///
/// Fetches only commits and creates no refs: refs, index and work tree stay unchanged.
///
/// # Errors
/// Fails when there is no repository or no commit, and when a pull request's head cannot be fetched
/// or has no commits to compare. Unless `no_base` allows it, also fails when the base cannot be
/// found or fetched.
pub fn find(
    distribution: &'static Distribution,
    root: &Path,
    event: &Event,
    explicit: Option<&str>,
    no_base: NoBase,
    compare: Option<Compare<'_>>,
    log: &mut dyn FnMut(&str),
) -> Result<BaseSearch> {
    let mut history = match History::open(distribution, root, compare, log) {
        Ok(history) => history,
        Err(error) if no_base == NoBase::Full && !is_untrusted_head(event) => {
            return Ok(BaseSearch { against: whole_tree(&error), head: None });
        }
        Err(error) => return Err(error),
    };
    let checked_out = history.head()?;
    let head = untrusted_head(&mut history, event, &checked_out)?;
    let commit = head.as_deref().unwrap_or(&checked_out);
    let mut search = Search { history: &mut history, event, head: commit };
    let found = match explicit {
        Some(rev) => search.base_of_rev(rev),
        None => search.base_of_event(),
    };
    let found = found.and_then(|against| {
        if let BaseChoice::Base(base) = &against {
            history.fetch_trees(&base.sha, commit)?;
        }
        Ok(against)
    });
    let against = match (found, no_base) {
        (Ok(against), _) => against,
        (Err(error), NoBase::Full) => whole_tree(&error),
        (Err(error), NoBase::Error) => return Err(error),
    };
    Ok(BaseSearch { against, head })
}

/// Whether the commit to check differs from the commit that is checked out.
fn is_untrusted_head(event: &Event) -> bool {
    event.trigger == Trigger::PullRequestTarget
}

/// Fetches the head of a pull request whose run has the permissions of the target. `None` if the
/// checked-out commit is the one to check.
fn untrusted_head(
    history: &mut History<'_>,
    event: &Event,
    checked_out: &str,
) -> Result<Option<String>> {
    let Some(pull) = event.pull.as_ref().filter(|_| is_untrusted_head(event)) else {
        return Ok(None);
    };
    if pull.head_sha == checked_out {
        return Ok(None);
    }
    history.fetch_commit(&pull.head_sha, "the head of the pull request")?;
    Ok(Some(pull.head_sha.clone()))
}

fn whole_tree(error: &anyhow::Error) -> BaseChoice {
    BaseChoice::WholeTree { why: brief(error) }
}

fn check_everything(why: impl Into<String>) -> BaseChoice {
    BaseChoice::WholeTree { why: why.into() }
}

fn base(sha: impl Into<String>, why: impl Into<String>) -> BaseChoice {
    BaseChoice::Base(Base { sha: sha.into(), why: why.into() })
}

/// The search for the base of one commit.
struct Search<'h, 'a, 'e> {
    history: &'h mut History<'a>,
    event: &'e Event,
    head: &'e str,
}

impl Search<'_, '_, '_> {
    fn base_of_event(&mut self) -> Result<BaseChoice> {
        let event = self.event;
        match (&event.trigger, &event.pull) {
            (Trigger::PullRequest | Trigger::PullRequestTarget, Some(pull)) => {
                self.base_of_pull(pull)
            }
            // A review event runs on the commit of its pull request.
            (Trigger::Other(_), Some(pull)) if self.is_test_merge(pull)? => self.base_of_pull(pull),
            (Trigger::MergeGroup, _) => self.base_of_merge_group(),
            (Trigger::Push, _) => self.base_of_push(),
            (Trigger::Schedule, _) => Ok(check_everything("a scheduled run checks everything")),
            (Trigger::Dispatch, _) => {
                Ok(check_everything("a run started by hand checks everything"))
            }
            (Trigger::WorkflowRun, _) => {
                Ok(check_everything("the run was triggered by another workflow"))
            }
            (Trigger::Other(name), _) => {
                Ok(check_everything(format!("the event `{name}` contains no change")))
            }
            (Trigger::None, _) => self.base_without_event(),
            (Trigger::PullRequest | Trigger::PullRequestTarget, None) => {
                Err(UserError::new("the event does not name its pull request").into())
            }
        }
    }

    /// The merge base with a commit, branch or tag set by the user.
    fn base_of_rev(&mut self, rev: &str) -> Result<BaseChoice> {
        let unknown = |why: &str| {
            UserError::new(format!("unknown commit `{rev}`{why}"))
                .hint("fetch it first, or check out with `fetch-depth: 0`")
        };
        let commit = match self.resolve(rev) {
            Ok(commit) => {
                commit.ok_or_else(|| unknown(": not a branch or tag of the remote either"))?
            }
            Err(error) => return Err(unknown(&format!(": {}", brief(&error))).into()),
        };
        let merge_base = self.history.merge_base(&commit, self.head)?;
        if merge_base == commit {
            return Ok(base(merge_base, format!("given as {rev}")));
        }
        Ok(base(merge_base, format!("merge base of {rev} and HEAD")))
    }

    fn resolve(&mut self, rev: &str) -> Result<Option<String>> {
        let commit = self.history.resolve_local(rev);
        if commit.is_some() {
            return Ok(commit);
        }
        if is_hash(rev) {
            self.history.fetch_commit(rev, "the requested base")?;
            return Ok(Some(rev.to_owned()));
        }
        if rev.starts_with("HEAD~") || rev.starts_with("HEAD^") {
            let head = self.history.head()?;
            for count in DEEPEN_STEPS {
                if !self.history.deepen_below(&head, count)? {
                    break;
                }
                let commit = self.history.resolve_local(rev);
                if commit.is_some() {
                    return Ok(commit);
                }
            }
            return Ok(None);
        }
        let prefixes = ["refs/heads/", "refs/remotes/origin/", "origin/"];
        let name = prefixes.iter().find_map(|prefix| rev.strip_prefix(prefix)).unwrap_or(rev);
        if is_ref_name(name) { self.history.branch_or_tag(name) } else { Ok(None) }
    }

    fn base_of_pull(&mut self, pull: &Pull) -> Result<BaseChoice> {
        let found = if self.is_test_merge(pull)? {
            self.first_parent(pull)?
        } else if let (System::GitLab, Some(before)) = (self.event.system, &self.event.before) {
            self.history.fetch_commit(before, "the base of the merge request")?;
            Base { sha: before.clone(), why: "base of the merge request".to_owned() }
        } else {
            self.fork_point(pull)?
        };
        if found.sha == self.head {
            return Err(self.nothing_to_compare(pull).into());
        }
        if self.history.has_same_files(&found.sha, self.head) {
            self.history.log("the pull request changes no file");
        }
        Ok(BaseChoice::Base(found))
    }

    /// Whether the commit to check is the test merge of a pull request into its target. The head of
    /// the pull request is not a test merge, even if it is a merge commit.
    fn is_test_merge(&self, pull: &Pull) -> Result<bool> {
        if self.head == pull.head_sha {
            return Ok(false);
        }
        let parents = self.history.parents(self.head)?;
        let is_event_commit = self.event.sha.as_deref() == Some(self.head);
        Ok(matches!(&*parents, [_, head] if is_event_commit || *head == pull.head_sha))
    }

    /// The target commit that was merged, read from the merge commit itself. Correct at any depth
    /// of the clone.
    fn first_parent(&mut self, pull: &Pull) -> Result<Base> {
        let parents = self.history.parents(self.head)?;
        let sha = parents.into_iter().next().unwrap_or_default();
        self.history.fetch_commit(&sha, &pull.base_ref)?;
        Ok(Base { sha, why: "first parent of the merge commit".to_owned() })
    }

    /// The commit at which the pull request branched off its target. The newest commit of the
    /// target is tried first: the base in the event can be older than the target commits that the
    /// pull request has since merged.
    fn fork_point(&mut self, pull: &Pull) -> Result<Base> {
        let why = format!("merge base of {} and the pull request", pull.base_ref);
        match self.branch_tip(&pull.base_ref) {
            Ok(tip) => {
                let sha = self.history.merge_base(&tip, self.head)?;
                if sha != self.head {
                    return Ok(Base { sha, why });
                }
                // The pull request has been merged in the meantime.
            }
            Err(error) => self.history.log(&format!("{}: {}", pull.base_ref, brief(&error))),
        }
        self.history.fetch_commit(&pull.base_sha, &pull.base_ref)?;
        let sha = self.history.merge_base(&pull.base_sha, self.head)?;
        Ok(Base { sha, why })
    }

    fn nothing_to_compare(&self, pull: &Pull) -> UserError {
        let message = format!(
            "nothing to compare: {} is already part of {}",
            short(self.head),
            pull.base_ref
        );
        UserError::new(message).hint(format!(
            "check out the merge commit of the pull request, as the checkout action does by default, or its head {}",
            short(&pull.head_sha)
        ))
    }

    fn base_of_merge_group(&mut self) -> Result<BaseChoice> {
        let before = self.event.before.as_deref();
        let before = before
            .ok_or_else(|| UserError::new("the event does not name the base of the merge group"))?;
        self.history.fetch_commit(before, "the base of the merge group")?;
        if before == self.head {
            let message = "nothing to compare: the base of the merge group is checked out";
            return Err(UserError::new(message)
                .hint("check out the merge group, as the checkout action does by default")
                .into());
        }
        Ok(base(before, "base of the merge group"))
    }

    fn base_of_push(&mut self) -> Result<BaseChoice> {
        let git_ref = self.event.git_ref.as_deref().unwrap_or_default();
        if let Some(tag) = git_ref.strip_prefix("refs/tags/") {
            return Ok(check_everything(format!("the tag {tag} was pushed")));
        }
        let branch = self.event.branch().unwrap_or("the branch");
        let default = self.event.default_branch.as_deref();
        let is_default = default.is_none_or(|default| default == branch);
        let before = self.event.before.as_deref().filter(|before| self.fetch_previous(before));
        match (before, self.event.before.is_some()) {
            (Some(before), _) if !self.was_replaced(before) => {
                Ok(base(before, "commit before the push"))
            }
            (Some(before), _) if is_default => {
                let sha = self.history.merge_base(before, self.head)?;
                Ok(base(
                    sha,
                    format!("merge base of HEAD and {branch} as it was before the forced push"),
                ))
            }
            (None, true) if is_default => Ok(check_everything(format!(
                "the commit before the push to {branch} no longer exists"
            ))),
            (None, false) if is_default => {
                Ok(check_everything(format!("this is the first push to {branch}")))
            }
            _ => self.base_on_remote(default),
        }
    }

    /// Fetches the commit before a push. Returns false if that fails: the server can have deleted
    /// the commit.
    fn fetch_previous(&mut self, before: &str) -> bool {
        let fetched = self.history.fetch_commit(before, "the commit before the push");
        fetched.map_err(|error| self.history.log(&brief(&error))).is_ok()
    }

    fn was_replaced(&self, before: &str) -> bool {
        match self.history.is_ancestor(before, self.head) {
            Some(ancestor) => !ancestor,
            None => self.event.forced,
        }
    }

    /// The merge base with a branch of the remote; `None` is the default branch.
    fn base_on_remote(&mut self, branch: Option<&str>) -> Result<BaseChoice> {
        let tip = match branch {
            Some(branch) => self.branch_tip(branch)?,
            None => self.history.tip(None)?,
        };
        let sha = self.history.merge_base(&tip, self.head)?;
        let branch = branch.unwrap_or("the default branch");
        if sha == self.head {
            self.history.log(&format!("all commits are already part of {branch}"));
        }
        Ok(base(sha, format!("merge base of {branch} and HEAD")))
    }

    fn branch_tip(&mut self, name: &str) -> Result<String> {
        if !is_ref_name(name) {
            return Err(UserError::new(format!("not a branch name: {name:?}")).into());
        }
        self.history.tip(Some(name))
    }

    /// Without a CI event: the merge base with the default branch, if it can be determined.
    fn base_without_event(&mut self) -> Result<BaseChoice> {
        let (name, tip) = self.guess_default_branch()?;
        let sha = self.history.merge_base(&tip, self.head)?;
        if sha == self.head {
            let message = format!("nothing to compare: HEAD is part of {name}");
            return Err(UserError::new(message)
                .hint("set another commit with --base, such as HEAD~1, or check everything with --no-base full")
                .into());
        }
        Ok(base(sha, format!("merge base of {name} and HEAD")))
    }

    fn guess_default_branch(&mut self) -> Result<(String, String)> {
        let history = &*self.history;
        let known = recorded_default_branch(&|rev| history.resolve_local(rev), &|| {
            history.setting("init.defaultBranch")
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let tip = self.history.tip(None).map_err(|error| {
            UserError::new(format!("no commit to compare with: {error}"))
                .hint("set one with --base, or check everything with --no-base full")
        })?;
        Ok(("the default branch".to_owned(), tip))
    }
}
