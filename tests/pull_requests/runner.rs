//! A CI runner: its checkout, its environment, and the files written by a step.

use crate::pull_requests::support::{self, command};
use crate::repository::Repository;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A CI runner with a clone.
pub(crate) struct Runner {
    pub(crate) clone: Repository,
    env: Vec<(String, String)>,
    /// The event payload and the files that a step writes for the runner.
    files: TempDir,
}

/// The result of a step.
pub(crate) struct RunOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    output: Output,
}

/// A payload from `ci/tests/events`, with the values at some paths replaced.
pub(crate) fn payload(name: &str, values: &[(&str, &str)]) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/tests/events");
    let text = fs::read_to_string(folder.join(name)).expect("a payload");
    let mut payload: Value = serde_json::from_str(&text).expect("JSON");
    for (path, value) in values {
        let mut at = &mut payload;
        for key in path.split('.') {
            at = &mut at[key];
        }
        *at = (*value).into();
    }
    payload
}

impl Runner {
    /// Creates a runner without the variables of a CI system.
    pub(crate) fn new(clone: Repository) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        Self { clone, env: Vec::new(), files }
    }

    /// Creates a GitHub runner for an event called `name`, at the checked-out commit.
    pub(crate) fn github(clone: Repository, name: &str, git_ref: &str, payload: &Value) -> Self {
        let sha = clone.rev("HEAD");
        let runner = Self::new(clone);
        let file = runner.file("event.json");
        fs::write(&file, payload.to_string()).expect("written");
        runner
            .set("GITHUB_ACTIONS", "true")
            .set("GITHUB_EVENT_NAME", name)
            .set("GITHUB_EVENT_PATH", &file.to_string_lossy())
            .set("GITHUB_REF", git_ref)
            .set("GITHUB_SHA", &sha)
            .set("GITHUB_REPOSITORY", "octo/demo")
            .set("GITHUB_SERVER_URL", "https://github.com")
            .set("GITHUB_API_URL", "http://127.0.0.1:9")
            .set("GITHUB_RUN_ID", "1")
            .set_file("GITHUB_STEP_SUMMARY", "summary.md")
            .set_file("GITHUB_OUTPUT", "output.txt")
    }

    /// Sets a variable, overriding a previous value.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    fn set_file(self, name: &str, file: &str) -> Self {
        let path = self.file(file);
        self.set(name, &path.to_string_lossy())
    }

    /// The path of a file outside the clone.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// The text of a file outside the clone; empty if it does not exist.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// Runs the binary in a directory of the clone.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> RunOutput {
        let mut command = command(&self.clone, folder, args);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("started");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let code = output.status.code().expect("an exit code");
        RunOutput { code, out: text(&output.stdout), err: text(&output.stderr), output }
    }

    /// Runs `aidd ci ARGS` at the root of the clone.
    pub(crate) fn ci(&self, args: &[&str]) -> RunOutput {
        self.run_in("", &[&["ci"], args].concat())
    }

    /// The findings of `aidd ci ARGS`, as in [`RunOutput::summary`].
    pub(crate) fn ci_summary(&self, args: &[&str]) -> String {
        self.ci(&[args, &["--format", "json"]].concat()).summary()
    }
}

impl RunOutput {
    /// The JSON report on standard output.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }

    /// The JSON report in short form: exit code, base, notes, findings.
    pub(crate) fn summary(&self) -> String {
        let report = self.report();
        let mut text = format!("exit {}", self.code);
        if let Some(base) = report["comparison"]["base"].as_str() {
            text.push_str(&format!(
                ", {}",
                base.split_once(' ').expect("a hash and a description").1
            ));
        }
        if report["comparison"]["wholeTree"] == true {
            text.push_str(", all files");
        }
        for note in report["notes"].as_array().into_iter().flatten() {
            text.push_str(&format!("\n{}", note.as_str().expect("text")));
        }
        for skipped in report["summary"]["skipped"].as_array().expect("a list") {
            let field = |name: &str| skipped[name].as_str().expect("text").to_owned();
            text.push_str(&format!("\n{} {}", field("path"), field("why")));
        }
        format!("{text}\n{}", support::lines(&self.output))
    }
}
