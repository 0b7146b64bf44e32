//! Runs the `git` program: for fetching, because it knows the user's proxies, keys and passwords,
//! and for the few queries about a shallow clone that only matter when fetching.

use super::isolated::{self, IsolatedRepository};
use aidd_engine::check::Distribution;
use aidd_engine::project::git::Repository;
use aidd_report::exit::UserError;
use anyhow::Result;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Settings of every call, which override the user's settings: no hooks, no maintenance. The
/// connection is closed if the server sends nothing for a minute.
const SETTINGS: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.writeCommitGraph=false",
    "submodule.recurse=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
];
/// Variables that would make Git use a repository other than the requested one. Git sets them for
/// hooks.
const REDIRECTING_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
];
/// Prints the settings of the repository's own configuration and of the files it includes. Git only
/// reads them for this command: it runs no program that they name.
const LIST_SETTINGS: [&str; 6] =
    ["config", "--null", "--show-origin", "--local", "--includes", "--list"];
/// Maximum output of a call, in bytes.
const OUTPUT_LIMIT: u64 = 256 << 20;
/// Number of lines quoted from Git's errors; the last lines contain the reason.
const MAX_QUOTED_LINES: usize = 4;

/// Runs Git on the repository of one directory, until a deadline.
#[derive(Debug)]
pub(super) struct Git<'a> {
    /// Redacts secrets from Git's errors.
    distribution: &'static Distribution,
    root: &'a Path,
    deadline: Instant,
    isolated: OnceCell<IsolatedRepository>,
}

/// Whether Git may fetch objects missing from a partial clone on access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingObjects {
    Fetch,
    /// Git before 2.44 fetches them anyway.
    Report,
}

/// The output of a call, whether it succeeded or not.
struct CallOutput {
    ok: bool,
    out: String,
    err: String,
}

impl<'a> Git<'a> {
    /// Runs Git on the repository that contains `root`. Calls that still run after `timeout` are
    /// killed.
    pub(super) fn new(
        distribution: &'static Distribution,
        root: &'a Path,
        timeout: Duration,
    ) -> Self {
        Self { distribution, root, deadline: Instant::now() + timeout, isolated: OnceCell::new() }
    }

    /// The repository as Git sees it.
    pub(super) fn isolated(&self) -> Result<&IsolatedRepository> {
        if let Some(isolated) = self.isolated.get() {
            return Ok(isolated);
        }
        let user_error =
            |error: aidd_engine::project::git::GitError| UserError::new(error.to_string());
        let repository = Repository::open(self.root).map_err(user_error)?;
        let directories = repository.directories().map_err(user_error)?;
        let environment =
            [("GIT_DIR", directories.git.into()), ("GIT_WORK_TREE", directories.work_tree.into())];
        let output = self.start(&LIST_SETTINGS, "", (self.root, &environment))?;
        if !output.ok {
            return Err(self.call_error(&LIST_SETTINGS, &output.err).into());
        }
        let isolated = IsolatedRepository::new(&repository, isolated::parse(&output.out))?;
        Ok(self.isolated.get_or_init(|| isolated))
    }

    /// The output of a call that must succeed.
    pub(super) fn run(&self, args: &[&str], stdin: &str) -> Result<String> {
        self.run_checked(args, stdin, MissingObjects::Fetch)
    }

    /// Like [`Self::run`], but does not fetch objects missing from a partial clone.
    pub(super) fn run_without_fetching(&self, args: &[&str], stdin: &str) -> Result<String> {
        self.run_checked(args, stdin, MissingObjects::Report)
    }

    /// The output of a call; `None` if the call fails, for example because a setting is not set.
    pub(super) fn try_run(&self, args: &[&str]) -> Option<String> {
        self.call(args, "", MissingObjects::Fetch)
            .ok()
            .filter(|output| output.ok)
            .map(|output| output.out)
    }

    fn run_checked(&self, args: &[&str], stdin: &str, missing: MissingObjects) -> Result<String> {
        let output = self.call(args, stdin, missing)?;
        if output.ok { Ok(output.out) } else { Err(self.call_error(args, &output.err).into()) }
    }

    fn call(&self, args: &[&str], stdin: &str, missing: MissingObjects) -> Result<CallOutput> {
        let isolated = self.isolated()?;
        let mut environment = isolated.environment(|name| std::env::var(name).ok());
        if missing == MissingObjects::Report {
            environment.push(("GIT_NO_LAZY_FETCH", "1".into()));
        }
        self.start(args, stdin, (isolated.work_tree(), &environment))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "starts Git itself, which runs no program of the project"
    )]
    fn start(
        &self,
        args: &[&str],
        stdin: &str,
        (directory, environment): (&Path, &[(&'static str, OsString)]),
    ) -> Result<CallOutput> {
        let mut git = Command::new("git");
        for setting in SETTINGS {
            git.args(["-c", setting]);
        }
        // With `GIT_NO_LAZY_FETCH=0`, a local remote would itself fetch objects during a fetch.
        for variable in REDIRECTING_VARIABLES.into_iter().chain(["GIT_NO_LAZY_FETCH"]) {
            git.env_remove(variable);
        }
        git.args(args)
            .current_dir(directory)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GCM_INTERACTIVE", "never")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C")
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(|error| self.not_started(&error))?;
        feed(&mut child, stdin);
        let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let ok = self.wait(&mut child)?;
        let rest = |pipe: Receiver<Vec<u8>>| {
            // A process that inherited the pipe can keep it open after Git has ended; ignore its
            // output.
            let bytes = pipe.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(CallOutput { ok, out: rest(out), err: rest(err) })
    }

    fn wait(&self, child: &mut Child) -> Result<bool> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if Instant::now() >= self.deadline {
                let _ = child.kill();
                let _ = child.wait();
                return Err(UserError::new("Git timed out and was killed").into());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    fn not_started(&self, error: &io::Error) -> UserError {
        if error.kind() == io::ErrorKind::NotFound && self.root.is_dir() {
            return UserError::new("`git` is not installed, so commits cannot be fetched")
                .hint("install Git, or check out the full history");
        }
        UserError::new(format!("git: {error}"))
    }

    /// The error of a call that failed with the output `err`.
    fn call_error(&self, args: &[&str], err: &str) -> UserError {
        let name = args.iter().find(|arg| !arg.starts_with('-') && !arg.contains('='));
        let lines: Vec<&str> = err.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(MAX_QUOTED_LINES)..].join("\n");
        let quoted = self.distribution.redact(&without_passwords(&last));
        let name = name.copied().unwrap_or_default();
        let error = UserError::new(format!("git {name}: {quoted}"));
        if err.contains("dubious ownership") {
            let root = self.root.display();
            return error.hint(format!(
                "another user owns this directory, as in a container; if you trust it, run git config --global --add safe.directory '{root}'"
            ));
        }
        let withheld =
            self.isolated.get().map(IsolatedRepository::withheld_programs).unwrap_or_default();
        if !withheld.is_empty() {
            let withheld = withheld.join(", ");
            return error.hint(format!(
                "ignored, because a repository must not name programs: {withheld}; move it to your own configuration (`git config --global`), or check out with `fetch-depth: 0`"
            ));
        }
        if err.contains("transport '") && err.contains("not allowed") {
            return error.hint(
                "only http, https, ssh, git and file are supported; correct the URL of the remote, or check out with `fetch-depth: 0`",
            );
        }
        let permission_errors = ["could not read", "Authentication failed", "Permission denied"];
        if permission_errors.iter().any(|words| err.contains(words)) {
            return error.hint(
                "this job has no permission to fetch; check out with `fetch-depth: 0`, or keep `persist-credentials` enabled",
            );
        }
        if matches!(name, "fetch" | "ls-remote") {
            return error.hint("check out with `fetch-depth: 0`, so that nothing must be fetched");
        }
        error
    }
}

/// Writes `text` and closes the pipe. Ignores a child that does not read its input.
fn feed(child: &mut Child, text: &str) {
    let Some(mut pipe) = child.stdin.take() else { return };
    if text.is_empty() {
        return;
    }
    let text = text.to_owned();
    thread::spawn(move || {
        let _ = pipe.write_all(text.as_bytes());
    });
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// Removes `user:password@` from the URLs in `text`.
pub(super) fn without_passwords(text: &str) -> String {
    let mut parts = text.split("://");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push_str("://");
        let host = part.find(|c: char| c == '/' || c == '\'' || c.is_whitespace());
        let end = part[..host.unwrap_or(part.len())].rfind('@').map_or(0, |at| at + 1);
        clean.push_str(&part[end..]);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_removed_from_quoted_urls() {
        let quoted = without_passwords(
            "unable to access 'https://x-access-token:s3cret@example.org/a@b.git/': no\nssh://git@h/p",
        );
        assert_eq!(quoted, "unable to access 'https://example.org/a@b.git/': no\nssh://h/p");
    }

    #[test]
    fn a_slow_call_is_killed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let git = Git::new(&crate::DISTRIBUTION, directory.path(), Duration::ZERO);
        let call = ["hash-object", "--stdin-paths"];
        let result = git.start(&call, "x", (directory.path(), &[])).err();
        let result = result.map(|error| error.to_string());
        assert_eq!(result.as_deref(), Some("Git timed out and was killed"));
    }

    #[test]
    fn failed_calls_are_reported_with_a_remedy() {
        let git = Git::new(&crate::DISTRIBUTION, Path::new("/w"), Duration::ZERO);
        let message = |err| git.call_error(&["-c", "a=b", "fetch", "origin"], err).to_string();
        let dubious =
            "fatal: detected dubious ownership in repository at '/w'\nTo add an exception";
        insta::assert_snapshot!(message(dubious), @"
        git fetch: fatal: detected dubious ownership in repository at '/w'
        To add an exception
        hint: another user owns this directory, as in a container; if you trust it, run git config --global --add safe.directory '/w'
        ");
        insta::assert_snapshot!(message("fatal: could not read Username for 'https://u:p@h': terminal prompts disabled"), @"
        git fetch: fatal: could not read Username for 'https://h': terminal prompts disabled
        hint: this job has no permission to fetch; check out with `fetch-depth: 0`, or keep `persist-credentials` enabled
        ");
        insta::assert_snapshot!(message("remote: 1\n\nremote: 2\nremote: 3\nremote: 4\nfatal: 5"), @"
        git fetch: remote: 2
        remote: 3
        remote: 4
        fatal: 5
        hint: check out with `fetch-depth: 0`, so that nothing must be fetched
        ");
    }
}
