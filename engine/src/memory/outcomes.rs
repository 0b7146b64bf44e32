//! What a recorded run of a tool shows: which check it was, and whether it passed.

use super::kinds::{self, Observation};
use super::types::Entry;
use serde_json::Value;

/// A check that tools run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// Tests.
    Tests,
    /// A linter, or `aidd check`.
    Lint,
    /// A type check, alone or within a compiler.
    Types,
    /// A build.
    Build,
}

impl Check {
    /// Every one, in order.
    pub const ALL: [Self; 4] = [Self::Tests, Self::Lint, Self::Types, Self::Build];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Build => "build",
        }
    }

    /// The checks that a command runs; for one that passed also those it could not have passed
    /// without.
    #[must_use]
    pub fn of_command(command: &str, passed: Option<bool>) -> Vec<Self> {
        told(&words(command), passed)
    }

    /// The words that tell it, each of one or two.
    fn told_by(self) -> &'static [&'static str] {
        match self {
            Self::Tests => &[
                "test",
                "tests",
                "pytest",
                "jest",
                "vitest",
                "mocha",
                "rspec",
                "phpunit",
                "ctest",
                "playwright",
                "cypress",
                "nextest",
                "junit",
                "unittest",
                "테스트",
                "テスト",
                "测试",
            ],
            Self::Lint => &[
                "lint",
                "linter",
                "clippy",
                "eslint",
                "ruff",
                "flake8",
                "pylint",
                "biome",
                "oxlint",
                "golangci",
                "rubocop",
                "shellcheck",
                "stylelint",
                "ktlint",
                "detekt",
                "credo",
                "swiftlint",
                "aidd check",
                "린트",
            ],
            Self::Types => &[
                "typecheck",
                "type check",
                "tsc",
                "mypy",
                "pyright",
                "phpstan",
                "psalm",
                "dialyzer",
                "cargo check",
                "cargo build",
                "go build",
                "javac",
                "gradle build",
                "gradlew build",
                "mvn compile",
                "mvn package",
                "dotnet build",
                "swift build",
                "svelte check",
                "vue tsc",
            ],
            Self::Build => &[
                "build",
                "builds",
                "compile",
                "compiles",
                "compiled",
                "compilation",
                "cargo check",
                "make",
                "webpack",
                "tsc",
                "mvn package",
                "빌드",
            ],
        }
    }

    /// The words of runs that pass only where this passes too, and fail for other reasons as well.
    fn implied_by(self) -> &'static [&'static str] {
        match self {
            Self::Tests | Self::Lint => &[],
            Self::Types | Self::Build => &[
                "cargo test",
                "cargo nextest",
                "cargo clippy",
                "go test",
                "go vet",
                "swift test",
                "gradle",
                "gradlew",
                "mvn",
                "dotnet",
            ],
        }
    }
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The checks it was.
    pub checks: Vec<Check>,
    /// Whether it passed; `None` when the record does not say.
    pub passed: Option<bool>,
}

/// Reads the record of a run. `exitCode` or `passed` in it decide; else its words do, and of words
/// of both sorts those of failure.
#[must_use]
pub fn read(entry: &Entry) -> Run {
    let seen: Observation = kinds::typed(&entry.metadata).unwrap_or_default();
    let command = seen.extra.get("command").and_then(Value::as_str).unwrap_or_default();
    let named = words(&format!("{command}\n{}\n{}", entry.content, seen.concepts.join("\n")));
    let exit = seen.extra.get("exitCode").and_then(Value::as_i64).map(|code| code == 0);
    let stated = seen.extra.get("passed").and_then(Value::as_bool);
    let said = || {
        let narrative = seen.narrative.as_deref().unwrap_or_default();
        verdict(&format!("{}\n{}\n{narrative}", entry.content, seen.facts.join("\n")))
    };
    let passed = exit.or(stated).or_else(said);
    Run { checks: told(&named, passed), passed }
}

/// The checks that words tell of.
fn told(named: &[String], passed: Option<bool>) -> Vec<Check> {
    let tells_one = |words: &[&str]| words.iter().any(|told| tells(named, told));
    let is_told = |check: &Check| {
        tells_one(check.told_by()) || (passed == Some(true) && tells_one(check.implied_by()))
    };
    Check::ALL.into_iter().filter(is_told).collect()
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn tells(words: &[String], told: &str) -> bool {
    match told.split_once(' ') {
        Some((one, next)) => words.windows(2).any(|pair| pair[0] == one && pair[1] == next),
        None => words.iter().any(|word| word == told),
    }
}

/// What words say of a run.
fn verdict(text: &str) -> Option<bool> {
    const FAILED: [&str; 12] = [
        "fail", "fails", "failed", "failing", "failure", "failures", "error", "errors", "broken",
        "red", "실패", "失敗",
    ];
    const PASSED: [&str; 14] = [
        "pass",
        "passes",
        "passed",
        "passing",
        "ok",
        "success",
        "successful",
        "succeeded",
        "clean",
        "green",
        "통과",
        "성공",
        "成功",
        "compiles",
    ];
    const NONE: [&str; 4] = ["0", "no", "zero", "without"];
    let words = words(text);
    for pair in words.windows(2) {
        if matches!(&*pair[0], "exit" | "code" | "status")
            && let Ok(code) = pair[1].parse::<u8>()
        {
            return Some(code == 0);
        }
    }
    // "0 failed", "no tests failed".
    let is_none =
        |at: usize| words[at.saturating_sub(2)..at].iter().any(|word| NONE.contains(&&**word));
    let failed = |(at, word): (usize, &String)| FAILED.contains(&&**word) && !is_none(at);
    if words.iter().enumerate().any(failed) {
        return Some(false);
    }
    let none_failed =
        words.iter().enumerate().any(|(at, word)| FAILED.contains(&&**word) && is_none(at));
    let passed = |(at, word): (usize, &String)| PASSED.contains(&&**word) && !is_none(at);
    (none_failed || words.iter().enumerate().any(passed)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::types::{Kind, Layer, Status};
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
    fn records_tell_the_check_and_how_it_went() {
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
