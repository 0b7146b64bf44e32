//! Functions that run the binary in a repository and print its findings as lines of text.

use crate::repository::Repository;
use serde_json::Value;
use std::process::{Command, Output};

/// A rule of the project that reports a word.
pub(crate) const RULE: (&str, &str) = (
    "rules/team/colour.md",
    "---
severity: error
message: \"`<match>` is not our colour\"
check:
  files: [\"*.txt\"]
  text: { regex: 'blue\\w*', keywords: [blue] }
---
# team/colour

Blue is last year's colour.

## Fails

```txt
a blue sky
```

```finding
1:3 blue
```

## Passes

```txt
a teal sky
```
",
);

/// A rule of the project with a safe fix.
pub(crate) const SPELLING: (&str, &str) = (
    "rules/team/spelling.md",
    "---
severity: warning
message: \"`<match>` is misspelt\"
check:
  files: [\"*.txt\"]
  text: { regex: '\\bteh\\b', keywords: [teh] }
  fix: { replace: 'the', safe: true }
---
# team/spelling

A misspelt word is not found by those who search for it.

## Fails

```txt
in teh end
```

```finding
1:4 teh
```

## Passes

```txt
in the end
```
",
);

/// A repository with [`RULE`] and these files in its first commit.
pub(crate) fn project(files: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    repository.commit(&[&[RULE], files].concat());
    repository
}

/// A command that runs the binary in a directory of the repository, without the environment of the
/// tests.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
pub(crate) fn command(repository: &Repository, folder: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aidd"));
    command.args(args).current_dir(repository.path(folder)).env_clear();
    for name in ["PATH", "SystemRoot"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs the binary at the root of the repository.
pub(crate) fn run(repository: &Repository, args: &[&str]) -> Output {
    command(repository, "", args).output().expect("started")
}

/// What the binary prints; asserts that it succeeds.
#[track_caller]
pub(crate) fn print(repository: &Repository, args: &[&str]) -> String {
    let output = run(repository, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The findings of `aidd check . ARGS`, one per line: `path:line rule status: reason`.
pub(crate) fn check(repository: &Repository, args: &[&str]) -> String {
    lines(&run(repository, &[&["check", ".", "--format", "json"], args].concat()))
}

/// The findings in a JSON report, one per line.
pub(crate) fn lines(output: &Output) -> String {
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut text = String::new();
    for finding in report["findings"].as_array().expect("findings") {
        let text_of = |name: &str| finding[name].as_str().unwrap_or("-").to_owned();
        let line = &finding["start"]["line"];
        let (path, rule, status) = (text_of("path"), text_of("rule"), text_of("status"));
        text.push_str(&format!("{path}:{line} {rule} {status}: {}\n", text_of("reason")));
    }
    text
}
