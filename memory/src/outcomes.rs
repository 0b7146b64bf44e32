//! Interprets a recorded tool run: which checks it performed, and whether it passed.

mod output;
mod shell;

use super::kinds::{self, Observation};
use super::types::Entry;
use aidd_lexicon::tables::{List, runs};
use serde_json::Value;
use shell::executed_commands;

/// A kind of check that tools run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// A test run.
    Tests,
    /// A linter, or `aidd check`.
    Lint,
    /// A type check, alone or within a compiler.
    Types,
    /// A build of the project.
    Build,
}

impl Check {
    /// All checks, in order.
    pub const ALL: [Self; 4] = [Self::Tests, Self::Lint, Self::Types, Self::Build];

    /// The word that reports use for the check.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Build => "build",
        }
    }

    /// The noun for one run of the check, for messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Tests => "test run",
            Self::Lint => "linter run",
            Self::Types => "type check",
            Self::Build => "build",
        }
    }

    /// Returns the checks that a command runs and, if the command passed, the checks that its
    /// success implies, such as the type check for a test run that compiles. A command that only
    /// names a check, such as `cat pytest.ini`, runs none.
    #[must_use]
    pub fn from_command(command: &str, passed: Option<bool>) -> Vec<Self> {
        checks_named(&words(&executed_commands(command)), passed)
    }

    /// The words and two-word phrases that identify the check in a command.
    fn words(self) -> List {
        match self {
            Self::Tests => runs::TESTS,
            Self::Lint => runs::LINT,
            Self::Types => runs::TYPES,
            Self::Build => runs::BUILD,
        }
    }

    /// Whether commands that compile can pass only when this check passes.
    fn is_implied_by_compiling(self) -> bool {
        matches!(self, Self::Types | Self::Build)
    }
}

/// A recorded tool run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The checks that the tool executed.
    pub checks: Vec<Check>,
    /// Whether the run passed; `None` when the record does not contain a result.
    pub passed: Option<bool>,
}

/// Whether the checks of a shell command passed. The exit code counts only if the checks determine
/// it; after `npm test | tail`, `npm test || true` or `npm test; date`, the output counts.
#[must_use]
pub fn result_of_command(command: &str, exit_result: Option<bool>, output: &str) -> Option<bool> {
    let exit_result = exit_result?;
    let is_check = |part: &str| !Check::from_command(part, None).is_empty();
    if shell::decides_exit_code(command, is_check) {
        return Some(exit_result);
    }
    output::result_in_output(output)
}

/// Reads the record of a run. `exitCode` or `passed` determines the result; without these fields,
/// the words of the record determine the result. If the words report both success and failure, the
/// run failed.
#[must_use]
pub fn read(entry: &Entry) -> Run {
    let observation: Observation = kinds::typed(&entry.metadata).unwrap_or_default();
    let command = observation.extra.get("command").and_then(Value::as_str).unwrap_or_default();
    let executed = executed_commands(command);
    let check_words = if executed.is_empty() && !command.trim().is_empty() {
        Vec::new()
    } else {
        let recorded = executed_commands(&entry.content);
        words(&format!("{executed}\n{recorded}\n{}", observation.concepts.join("\n")))
    };
    let exit_result =
        observation.extra.get("exitCode").and_then(Value::as_i64).map(|code| code == 0);
    let recorded_result = observation.extra.get("passed").and_then(Value::as_bool);
    let result_in_text = || {
        let narrative = observation.narrative.as_deref().unwrap_or_default();
        result_of(&format!("{}\n{}\n{narrative}", entry.content, observation.facts.join("\n")))
    };
    let passed = exit_result.or(recorded_result).or_else(result_in_text);
    Run { checks: checks_named(&check_words, passed), passed }
}

/// The checks that are named in `words`, and the checks that a passed run implies.
fn checks_named(words: &[String], passed: Option<bool>) -> Vec<Check> {
    let has_any = |phrases: List| phrases.iter().any(|phrase| contains_phrase(words, phrase));
    let is_run = |check: &Check| {
        let is_implied = passed == Some(true) && check.is_implied_by_compiling();
        has_any(check.words()) || (is_implied && has_any(runs::COMPILING_RUNS))
    };
    Check::ALL.into_iter().filter(is_run).collect()
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn contains_phrase(words: &[String], phrase: &str) -> bool {
    match phrase.split_once(' ') {
        Some((first, second)) => words.windows(2).any(|pair| pair[0] == first && pair[1] == second),
        None => words.iter().any(|word| word == phrase),
    }
}

/// Whether a text reports a passed (`true`) or a failed run; `None` when it reports neither.
fn result_of(text: &str) -> Option<bool> {
    let words = words(text);
    // "exit 1", "exit code 1", "exited with status 1"; not "status 200" of a server.
    let code = words.iter().enumerate().find_map(|(at, word)| {
        let is_between = |word: &&String| matches!(&***word, "with" | "code" | "status");
        let mut after = words[at + 1..].iter().skip_while(is_between);
        matches!(&**word, "exit" | "exited").then(|| after.next()?.parse::<u8>().ok()).flatten()
    });
    if let Some(code) = code {
        return Some(code == 0);
    }
    // "0 failed", "no tests failed".
    let is_negated =
        |at: usize| words[at.saturating_sub(2)..at].iter().any(|word| runs::NONE.contains(word));
    let failed = |(at, word): (usize, &String)| runs::FAILED.contains(word) && !is_negated(at);
    if words.iter().enumerate().any(failed) {
        return Some(false);
    }
    let none_failed =
        words.iter().enumerate().any(|(at, word)| runs::FAILED.contains(word) && is_negated(at));
    let passed = |(at, word): (usize, &String)| runs::PASSED.contains(word) && !is_negated(at);
    (none_failed || words.iter().enumerate().any(passed)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Kind, Layer, Status};
    use serde_json::json;

    fn run(title: &str, metadata: Value) -> (String, Option<bool>) {
        let entry = Entry {
            id: "tool_outcome_1_a".into(),
            kind: Kind::ToolOutcome,
            layer: Layer::Session,
            topic: None,
            content: title.into(),
            metadata: serde_json::from_value(metadata).expect("an object"),
            status: Status::Active,
            session_id: None,
            branch: None,
            created_at: 1,
            updated_at: 1,
            schema_version: 1,
            heads: Vec::new(),
            extra: serde_json::Map::new(),
        };
        let run = read(&entry);
        let checks: Vec<&str> = run.checks.iter().map(|check| check.word()).collect();
        (checks.join(" "), run.passed)
    }

    #[test]
    fn commands_that_only_read_or_move_files_are_not_checks() {
        for command in [
            "git add tests/",
            "git commit -m 'build: tests pass'",
            "git commit -m \"feat: x; add tests\n\n- build & lint\" && git push",
            "git commit -F - <<'END'\ntests pass\nEND",
            "rm -rf build",
            "cd tests && ls build",
            "cat tests/a.rs | grep lint",
            "FOO=1 sudo mv build tests",
            "mkdir -p build; touch build/lint",
            "/usr/bin/find . -name '*test*'",
            "prettier --write src/user.test.ts",
            "node build/server.js",
            "cat pytest.ini",
            "grep -rn 'pytest' .",
            "echo npm test",
            "git commit -m 'run npm test'",
            "npm test -- --listTests",
            "cargo test -- --list",
            "pytest --collect-only -q",
            "npm install --save-dev jest",
            "npm i -D vitest",
            "python -m pip install pytest",
            "cargo install cargo-nextest",
            "which pytest",
            "test -f tests/a.py && ls",
        ] {
            assert_eq!(Check::from_command(command, Some(true)), [], "{command}");
            let record = json!({"command": command, "exitCode": 0});
            let title = if command.starts_with("prettier") { "format" } else { "tests" };
            let title = if command.starts_with("node") { "serve" } else { title };
            assert_eq!(run(title, record), (String::new(), Some(true)), "{command}");
            let reported = run(command, json!({"exitCode": 0}));
            assert_eq!(reported, (String::new(), Some(true)), "{command}");
        }
        for (command, checks) in [
            ("cd app && cargo test", "tests types build"),
            ("git commit -m 'a; b' && npm test", "tests"),
            ("git stash\nnpm test 2>&1 | tail -5", "tests"),
            ("CI=1 npx vitest run src/build/a.ts", "tests"),
            ("./node_modules/.bin/jest", "tests"),
            ("bash scripts/test.sh", "tests"),
            ("python -m pytest tests/build.py", "tests"),
            ("npm run build", "build"),
            ("./build.sh", "build"),
            ("docker compose run --rm web bundle exec rspec", "tests"),
            ("npm ci && npm test", "tests"),
        ] {
            let named = Check::from_command(command, Some(true));
            assert_eq!(named.iter().map(|it| it.word()).collect::<Vec<_>>().join(" "), checks);
            let record = json!({"command": command, "exitCode": 0});
            assert_eq!(run("run", record), (checks.to_owned(), Some(true)), "{command}");
        }
    }

    #[test]
    fn a_masked_exit_code_is_no_result() {
        for (command, output, expected) in [
            ("npm test 2>&1 | tail -20", "Tests:       1 failed, 3 passed, 4 total", Some(false)),
            ("npm test |& tail", "Tests:       4 passed, 4 total", Some(true)),
            ("bundle exec rspec || true", "10 examples, 3 failures", Some(false)),
            ("bundle exec rspec || true", "10 examples, 0 failures", Some(true)),
            ("pytest -q; echo done", "3 failed, 7 passed in 0.1s", Some(false)),
            ("pytest -q; echo done", "collected 3 items", None),
            ("npm test &", "", None),
            ("! npm test", "", None),
            ("ls x || npm test", "", None),
            ("npm test\nls", "", None),
            ("if npm test; then echo ok; fi", "", None),
            ("dotnet test | tail -1", "Failed! - Failed: 1, Passed: 3, Total: 4", Some(false)),
            ("dotnet test | tail -1", "Passed! - Failed: 0, Passed: 4, Total: 4", Some(true)),
            ("mvn test | tail", "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", Some(true)),
            ("mvn test | tail", "Tests run: 5, Failures: 0, Errors: 2, Skipped: 0", Some(false)),
            ("phpunit | tail", "OK (5 tests, 9 assertions)", Some(true)),
            ("phpunit | tail", "Tests: 5, Assertions: 9, Failures: 1.", Some(false)),
            ("go test ./... | tail", "ok  \tshop/cart\t0.1s\nFAIL", Some(false)),
            ("cargo test | tail", "test reports_an_error ... ok", None),
            ("cargo test | tail", "test result: ok. 4 passed; 0 failed; 0 ignored", Some(true)),
            ("cargo test | tail", "test result: FAILED. 3 passed; 1 failed", Some(false)),
            ("eslint . | tail -2", "✖ 3 problems (2 errors, 1 warning)", Some(false)),
            ("tsc --noEmit | head", "Found 3 errors in 2 files.", Some(false)),
        ] {
            assert_eq!(result_of_command(command, Some(true), output), expected, "{command}");
        }
        for command in [
            "cd app && npm test",
            "npm ci; npm test",
            "npm test 2>&1",
            "npm test &> log",
            "npm test;",
            "set -o pipefail; npm test | tail -20",
            "set -euo pipefail\nnpm test | tail -20\necho done",
            "grep -c x a.txt | wc -l; npm test && echo done",
            "pytest -k 'a; b | c'",
        ] {
            let output = "1 failed";
            assert_eq!(result_of_command(command, Some(true), output), Some(true), "{command}");
            assert_eq!(result_of_command(command, Some(false), ""), Some(false), "{command}");
            assert_eq!(result_of_command(command, None, output), None, "{command}");
        }
    }

    #[test]
    fn a_number_is_an_exit_code_only_after_exit() {
        for (text, passed) in [
            ("GET /health status 200", None),
            ("error code 0", Some(false)),
            ("exit 0", Some(true)),
            ("exit status 1", Some(false)),
            ("process exited with code 101", Some(false)),
            ("exit code: 0, 2 failed attempts before", Some(true)),
            ("the exit handler is ok; exit 2", Some(false)),
            ("see the exit of 3 shops", None),
        ] {
            assert_eq!(run("npm test", json!({"facts": [text]})).1, passed, "{text}");
        }
    }

    #[test]
    fn records_contain_the_check_and_its_result() {
        for (title, metadata, checks, passed) in [
            (
                "run",
                json!({"command": "cargo test", "exitCode": 0}),
                "tests types build",
                Some(true),
            ),
            ("run", json!({"command": "cargo test", "exitCode": 101}), "tests", Some(false)),
            ("run", json!({"command": "cargo build", "exitCode": 1}), "types build", Some(false)),
            ("npm test", json!({"exitCode": 1, "facts": ["all passed"]}), "tests", Some(false)),
            ("eslint", json!({"passed": true}), "lint", Some(true)),
            ("pytest", json!({"facts": ["12 passed, 0 failed"]}), "tests", Some(true)),
            ("pytest", json!({"facts": ["11 passed, 1 failed"]}), "tests", Some(false)),
            ("tests pass", json!({}), "tests", Some(true)),
            ("no tests passed", json!({}), "tests", None),
            ("0 tests failed", json!({}), "tests", Some(true)),
            ("Type check clean", json!({}), "types", Some(true)),
            ("npm run build", json!({"facts": ["exit code 2"]}), "build", Some(false)),
            ("테스트 통과", json!({}), "tests", Some(true)),
            ("looked at the latest contest", json!({}), "", None),
            ("cargo clippy", json!({"narrative": "no errors"}), "lint types build", Some(true)),
        ] {
            assert_eq!(run(title, metadata), (checks.to_owned(), passed), "{title}");
        }
    }
}
