//! Tests of the search for the base, on real repositories with `file://` remotes.

mod named;
mod pulls;
mod pushes;
mod shallow;

use crate::repository::Repository;
use aidd_ci::base::{self, BaseChoice, Compare, NoBase};
use aidd_ci::event::{Event, Pull, Trigger};

/// The result of a search, as text.
struct SearchResult {
    /// The hash of the base, or the error.
    base: Result<String, String>,
    /// Why this base was chosen.
    why: String,
    /// The head, if it is not checked out.
    head: Option<String>,
    /// The messages of the search, with hashes masked.
    messages: String,
}

/// Inputs of a search in addition to the event.
#[derive(Clone, Copy, Default)]
struct SearchInput<'a> {
    explicit: Option<&'a str>,
    no_base: NoBase,
    compare: Option<Compare<'a>>,
}

fn find(clone: &Repository, event: &Event) -> SearchResult {
    find_with(clone, event, SearchInput::default())
}

/// Searches for the base, and ensures that the search only added objects to the clone and that the
/// base is present.
fn find_with(clone: &Repository, event: &Event, input: SearchInput<'_>) -> SearchResult {
    let state = || {
        let head = clone.git(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
        head + &clone.git(&["for-each-ref"]) + &clone.git(&["status", "--porcelain"])
    };
    let before = state();
    let mut messages = String::new();
    let mut log = |line: &str| messages += &(masked(line) + "\n");
    let SearchInput { explicit, no_base, compare } = input;
    let found =
        base::find(&crate::DISTRIBUTION, clone.root(), event, explicit, no_base, compare, &mut log);
    assert_eq!(state(), before, "the clone was changed");
    assert!(!clone.path(".git/FETCH_HEAD").exists());
    match found {
        Err(error) => SearchResult {
            base: Err(masked(&error.to_string())),
            why: String::new(),
            head: None,
            messages,
        },
        Ok(found) => {
            let (base, why) = match found.against {
                BaseChoice::Base(base) => {
                    // All files of the commit must be present, not only the commit.
                    clone.git(&["archive", "--output=/dev/null", &base.sha]);
                    (Ok(base.sha), base.why)
                }
                BaseChoice::WholeTree { why } => (Err("whole tree".to_owned()), masked(&why)),
            };
            SearchResult { base, why, head: found.head, messages }
        }
    }
}

impl SearchResult {
    /// Expects the base `base`, found for the reason `why`.
    #[track_caller]
    fn expect_base(&self, base: &str, why: &str) {
        assert_eq!(
            (self.base.as_deref().map_err(String::as_str), &*self.why),
            (Ok(base), why),
            "{}",
            self.messages
        );
    }

    /// Expects a check of all files, for the reason `why`.
    #[track_caller]
    fn expect_whole_tree(&self, why: &str) {
        assert_eq!(
            (self.base.as_deref().map_err(String::as_str), &*self.why),
            (Err("whole tree"), why),
            "{}",
            self.messages
        );
    }
}

/// `text` with hashes and directories masked.
fn masked(text: &str) -> String {
    let mask_word = |word: &str| {
        let trimmed = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '/');
        let is_hash = trimmed.len() >= 12 && trimmed.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash || trimmed.contains("file://") || trimmed.starts_with("/tmp") {
            word.replace(trimmed, if is_hash { "HASH" } else { "FOLDER" })
        } else {
            word.to_owned()
        }
    };
    text.split(' ').map(mask_word).collect::<Vec<_>>().join(" ")
}

/// A clone like that of the checkout action: one commit of one ref, with a detached HEAD.
fn checkout(server: &Repository, git_ref: &str, depth: &[&str]) -> Repository {
    let clone = Repository::new();
    clone.git(&["remote", "add", "origin", &server.url()]);
    let commit = format!("+{}:refs/remotes/checked/out", server.rev(git_ref));
    let fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
    clone.git(&[&fetch[..], depth, &["origin", &commit]].concat());
    clone.git(&["checkout", "--quiet", "--detach", "refs/remotes/checked/out"]);
    clone
}

const SHALLOW: [&str; 1] = ["--depth=1"];

/// A server with the branches `main` and `topic`. Since their branch point, each has `distance`
/// commits without changes and one with a change. Also returns the hash of the branch point.
fn server(distance: usize) -> (Repository, String) {
    let server = Repository::new();
    server.commit(&[("a.txt", "one\n"), ("folder/b.txt", "one\n")]);
    let fork = server.commits(2);
    server.git(&["switch", "--quiet", "--create", "topic"]);
    server.commits(distance);
    server.commit(&[("topic.txt", "new\n")]);
    server.git(&["switch", "--quiet", "main"]);
    server.commits(distance);
    server.commit(&[("main.txt", "new\n")]);
    (server, fork)
}

fn event(trigger: Trigger) -> Event {
    Event { trigger, default_branch: Some("main".to_owned()), ..Event::default() }
}

/// The event of opening a pull request of `head` into `main`.
fn pull_request(server: &Repository, head: &str) -> Event {
    let pull = Pull {
        number: 7,
        base_ref: "main".to_owned(),
        base_sha: server.rev("main"),
        head_ref: "topic".to_owned(),
        head_sha: server.rev(head),
        fork: false,
    };
    Event { pull: Some(pull), ..event(Trigger::PullRequest) }
}
