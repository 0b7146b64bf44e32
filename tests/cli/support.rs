//! A project in a temporary directory, in which tests run the binary.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A rule of the project: a text pattern with a safe fix.
pub(crate) const BLUE: &str = "---
severity: warning
aliases: [TEAM1]
message: \"`<match>` is not our colour\"
help: \"Use teal\"
check:
  files: [\"*.txt\"]
  text:
    regex: 'blue'
    keywords: [blue]
  fix: { replace: teal, safe: true }
---
# team/old-colour

Blue is last year's colour. Paint it teal.

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

## Fixed

```txt
a teal sky
```
";

/// A rule of the project: a syntax pattern with an unsafe fix.
pub(crate) const CONSOLE: &str = "---
severity: error
message: \"`console.<METHOD>` is left over from debugging\"
check:
  syntax:
    language: [javascript]
    rule: { pattern: 'console.$METHOD($$$ARGS)' }
    fix: 'logger.$METHOD($$$ARGS)'
---
# team/console

The console is nobody's log. Use the logger.
";

/// A token, assembled at run time so that this file does not contain a token.
pub(crate) fn token() -> String {
    format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T")
}

/// The paths of the findings in the output of `--format github`, in output order.
pub(crate) fn paths(out: &str) -> Vec<&str> {
    let locations = out.lines().filter_map(|line| line.split_once(" file="));
    locations.filter_map(|(_, rest)| rest.split(',').next()).collect()
}

/// A temporary directory that is a project root.
pub(crate) struct Project {
    folder: TempDir,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(project.path().join(".git")).expect("made");
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("text")
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).expect("removed");
    }

    /// A command that runs the binary in the subdirectory `folder`, without the environment of the
    /// tests.
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    pub(crate) fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aidd"));
        command.args(args).current_dir(self.path().join(folder)).env_clear();
        // `PATH` is needed to find Git.
        for name in ["SystemRoot", "PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> RunOutput {
        self.run_in("", args)
    }

    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> RunOutput {
        self.finish(&mut self.command(folder, args), b"")
    }

    pub(crate) fn run_with(&self, stdin: &[u8], args: &[&str]) -> RunOutput {
        self.finish(&mut self.command("", args), stdin)
    }

    pub(crate) fn run_env(&self, env: &[(&str, &str)], args: &[&str]) -> RunOutput {
        self.finish(self.command("", args).envs(env.iter().copied()), b"")
    }

    pub(crate) fn finish(&self, command: &mut Command, stdin: &[u8]) -> RunOutput {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        // A run that reads no input can have closed the pipe already.
        let _ = child.stdin.take().expect("piped").write_all(stdin);
        let output = child.wait_with_output().expect("ended");
        RunOutput {
            code: output.status.code().expect("not killed"),
            out: self.normalize(&output.stdout),
            err: self.normalize(&output.stderr),
        }
    }

    /// Replaces the parts that differ between runs: times, and the path of the directory.
    fn normalize(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let canonical = fs::canonicalize(self.path()).expect("a folder");
        let text = [canonical.as_path(), self.path()]
            .iter()
            .fold(text, |text, root| text.replace(&root.display().to_string(), "ROOT"));
        let text = if cfg!(windows) { text.replace('\\', "/") } else { text };
        text.split_inclusive('\n').map(without_time).collect()
    }
}

/// Replaces the time in the last line of the text report.
fn without_time(line: &str) -> String {
    let time = line.split_once(" (").and_then(|(before, rest)| {
        let (time, after) = rest.split_once(')')?;
        let is_time = time.starts_with(|c: char| c.is_ascii_digit()) && time.ends_with('s');
        is_time.then(|| format!("{before} (TIME){after}"))
    });
    time.unwrap_or_else(|| line.to_owned())
}

impl RunOutput {
    /// Asserts the exit code, and prints the output if it differs.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out:\n{}\nerr:\n{}", self.out, self.err);
        self
    }
}
