//! A Git server with one pull request, number 7 of `octo/demo`.

use crate::pull_requests::runner::{Runner, payload};
use crate::pull_requests::support::RULE;
use crate::repository::Repository;
use serde_json::Value;

/// A Git server with a pull request.
pub(crate) struct PullRequest {
    pub(crate) server: Repository,
    /// The merge base of the pull request and its target.
    pub(crate) fork: String,
    /// The newest commit of the target.
    pub(crate) base: String,
    /// The newest commit of the pull request.
    pub(crate) head: String,
    /// The trial merge of the pull request into the target.
    pub(crate) merge: String,
}

impl PullRequest {
    /// The scenario of most tests: an existing finding, a fixed finding, a new finding, and a
    /// finding added to the target in the meantime.
    pub(crate) fn standard() -> Self {
        let before = [("a.txt", "one\nblue old\nthree\n"), ("gone.txt", "blue gone\n")];
        Self::new(&before, |server| {
            server.git(&["rm", "--quiet", "gone.txt"]);
            server.write("a.txt", "one\nblue old\nthree\nblue new\n");
        })
    }

    /// A pull request that applies `change` to a project with these files.
    pub(crate) fn new(files: &[(&str, &str)], change: impl FnOnce(&Repository)) -> Self {
        let server = Repository::new();
        let fork = server.commit(&[&[RULE], files].concat());
        Self::with_server(server, fork, change)
    }

    /// A pull request that applies `change` to the files at `fork`, the newest commit of the
    /// server.
    pub(crate) fn with_server(
        server: Repository,
        fork: String,
        change: impl FnOnce(&Repository),
    ) -> Self {
        server.git(&["switch", "--quiet", "--create", "topic"]);
        change(&server);
        let head = server.commit(&[]);
        server.git(&["switch", "--quiet", "main"]);
        let base = server.commit(&[("theirs.txt", "blue theirs\n")]);
        let merge = merge_commit(&server, &head);
        Self { server, fork, base, head, merge }
    }

    /// Adds a commit to the pull request, and updates its trial merge.
    pub(crate) fn push(&mut self, files: &[(&str, &str)]) {
        self.server.git(&["switch", "--quiet", "topic"]);
        self.head = self.server.commit(files);
        self.server.git(&["switch", "--quiet", "main"]);
        self.merge = merge_commit(&self.server, &self.head);
    }

    /// Adds a commit to the target, and updates the trial merge.
    pub(crate) fn push_to_target(&mut self, files: &[(&str, &str)]) {
        self.base = self.server.commit(files);
        self.merge = merge_commit(&self.server, &self.head);
    }

    /// A clone as created by the checkout action, with a commit checked out; `options` are passed
    /// to `git fetch`.
    pub(crate) fn checkout(&self, commit: &str, options: &[&str]) -> Repository {
        let clone = Repository::new();
        clone.git(&["remote", "add", "origin", &self.server.url()]);
        let fetch = [&["fetch", "--quiet", "--no-tags"], options, &["origin", commit]].concat();
        clone.git(&fetch);
        clone.git(&["checkout", "--quiet", "--force", "--detach", commit]);
        clone
    }

    /// The event payload of the pull request.
    pub(crate) fn payload(&self, name: &str) -> Value {
        let repository = "octo/demo";
        payload(
            name,
            &[
                ("pull_request.base.ref", "main"),
                ("pull_request.base.sha", &self.base),
                ("pull_request.base.repo.full_name", repository),
                ("pull_request.head.ref", "topic"),
                ("pull_request.head.sha", &self.head),
                ("pull_request.head.repo.full_name", repository),
            ],
        )
    }

    /// A GitHub runner with a clone of the pull request.
    pub(crate) fn runner(&self, clone: Repository) -> Runner {
        let payload = self.payload("pull_request.json");
        Runner::github(clone, "pull_request", "refs/pull/7/merge", &payload)
    }

    /// A runner with the checkout that the checkout action creates by default.
    pub(crate) fn standard_runner(&self) -> Runner {
        self.runner(self.checkout(&self.merge, &["--depth=1"]))
    }

    /// Replaces commit hashes in `text` with their names.
    pub(crate) fn with_commit_names(&self, text: &str) -> String {
        let names = [("FORK", &self.fork), ("BASE", &self.base), ("HEAD", &self.head)];
        let names = names.into_iter().chain([("MERGE", &self.merge)]);
        names.fold(text.to_owned(), |text, (name, hash)| {
            text.replace(hash.as_str(), name).replace(&hash[..7], name)
        })
    }
}

/// Creates a merge of `head` into the checked-out branch without moving the branch.
fn merge_commit(server: &Repository, head: &str) -> String {
    let branch = server.rev("HEAD");
    let merge = server.merge(head);
    server.git(&["update-ref", "refs/pull/7/merge", &merge]);
    server.git(&["reset", "--quiet", "--hard", &branch]);
    merge
}
