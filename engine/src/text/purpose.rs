//! The purpose of a file: the product, or tests, examples, documentation and vendored files. A
//! password in a test fixture is a correct finding, but not an urgent one.

mod vendored;

use crate::text::attributes::{self, Attributes};
use crate::text::files::Files;
use aidd_lexicon::tables::{List, purposes};

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Source code and settings of the product.
    Product,
    /// Copied from another project.
    Vendored,
    /// No longer in use.
    Archived,
    /// Written by a program, according to a comment in the file or to `.gitattributes`.
    Generated,
    /// A template, whose values are filled in later.
    Template,
    /// Tests, and the files they read.
    Test,
    /// Examples, demonstrations, initial data.
    Sample,
    /// Settings for the machine of a developer or for a pipeline.
    Development,
    /// Documents, and the files that accompany documents.
    Documentation,
    /// A file that cannot be built any more, such as a Dockerfile for another package manager.
    Unbuildable,
}

impl Purpose {
    /// A description of the finding's file for messages, such as `in a test file`; `None` for the
    /// product.
    #[must_use]
    pub fn describe(self) -> Option<&'static str> {
        Some(match self {
            Self::Product => return None,
            Self::Vendored => "in a vendored file",
            Self::Archived => "in an archived file",
            Self::Generated => "in a generated file",
            Self::Template => "in a template",
            Self::Test => "in a test file",
            Self::Sample => "in an example",
            Self::Development => "in a development file",
            Self::Documentation => "in documentation",
            Self::Unbuildable => "in a Dockerfile that copies a missing lock file",
        })
    }

    /// The purpose of the file at `path`, according to the project's `.gitattributes` or, if no
    /// attribute is set, to its path.
    #[must_use]
    pub fn of_file(path: &str, files: &dyn Files) -> Self {
        let stated = match files.listing() {
            Some(listing) if !listing.has_file(attributes::PATH) => None,
            Some(listing) => listing.attributes(|| Attributes::read(files)).purpose(path),
            None if files.exists(attributes::PATH) => Attributes::read(files).purpose(path),
            None => None,
        };
        stated.unwrap_or_else(|| Self::of_location(path, files))
    }

    /// The purpose that the path and the files around it state, without `.gitattributes`.
    #[must_use]
    pub fn of_location(path: &str, files: &dyn Files) -> Self {
        match Self::from_path(path) {
            Self::Vendored => Self::Vendored,
            _ if vendored::is_in_module(path, files) => Self::Vendored,
            Self::Product if is_node_config_default(path, files) => Self::Development,
            purpose => purpose,
        }
    }

    /// The purpose of the file at `path`, relative to the root.
    #[must_use]
    pub fn from_path(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        // `.claude/agents/testing.md` is about tests, and is not one.
        let lower = match agent_dir(&lower) {
            Some(at) => format!("{}instructions.md", &lower[..at]),
            None => lower,
        };
        let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let in_any = |names: &List| directories.split('/').any(|part| names.contains(part));
        let below_root = |names: &List| names.contains(directories.split('/').next().unwrap_or(""));
        let has_word = |list: &List| words(&lower).any(|word| list.contains(word));
        let name_has_word = |list: &List| words(name).any(|word| list.contains(word));
        let contains = |marks: &List| marks.iter().any(|mark| name.contains(mark));
        let starts = |prefixes: &List| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let ends = |suffixes: &List| suffixes.iter().any(|suffix| name.ends_with(suffix));
        // `specs/openapi.json` and `api-spec.yaml` describe an interface.
        let describes_api = [".json", ".yaml", ".yml"].iter().any(|end| name.ends_with(end))
            && words(name).any(|word| matches!(word, "api" | "openapi" | "swagger"));
        let in_tests = || {
            let is_spec = |part: &&str| describes_api && part.starts_with("spec");
            let mut parts = directories.split('/').filter(|part| !is_spec(part));
            parts.any(|part| purposes::CERTAIN_TEST_DIRECTORIES.contains(part))
        };
        // `demo-shop` can be the name of a product.
        let is_sample_name = |directory: &str| {
            let start = directory.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            start.len() < directory.len() && purposes::SAMPLES_IN_NAMES.contains(start)
        };
        let in_samples = || {
            let names = directories.split('/').filter(|directory| !is_sample_name(directory));
            names.flat_map(words).any(|word| purposes::SAMPLE_WORDS.contains(word))
        };
        let is_document = || {
            in_any(&purposes::DOCUMENTATION_DIRECTORIES)
                || below_root(&purposes::DOCUMENTATION_DIRECTORIES_BELOW_THE_ROOT)
                || ends(&purposes::DOCUMENT_ENDS)
        };
        // Most words in the names of directories can also occur in the name of a product, so a path
        // that indicates production takes precedence over them.
        let is_production = is_production(path);
        if vendored::is_vendored(path, &lower) {
            Self::Vendored
        } else if in_any(&purposes::ARCHIVED_DIRECTORIES)
            || in_any(&purposes::ARCHIVED_DIRECTORIES_OF_DOCUMENTS) && is_document()
        {
            Self::Archived
        } else if is_test_environment(name)
            || in_tests()
            || name_has_word(&purposes::TEST_WORDS)
            || starts(&purposes::TEST_STARTS)
            || contains(&purposes::TEST_MARKS) && !describes_api
            // Scenarios of Cucumber.
            || name.ends_with(".feature")
            || is_test_class(path)
            || !is_production
                && (in_any(&purposes::TEST_DIRECTORIES)
                    || below_root(&purposes::TEST_DIRECTORIES_BELOW_THE_ROOT)
                    || name.split('.').any(|part| part == "integration")
                    || has_word(&purposes::TEST_WORDS))
        {
            Self::Test
        } else if ends(&purposes::TEMPLATE_ENDS) || contains(&purposes::TEMPLATE_MARKS) {
            Self::Template
        } else if in_any(&purposes::CERTAIN_SAMPLE_DIRECTORIES)
            || name_has_word(&purposes::SAMPLE_WORDS)
            || starts(&purposes::SAMPLE_STARTS)
            || !is_production
                && (in_any(&purposes::SAMPLE_DIRECTORIES)
                    || below_root(&purposes::SAMPLE_DIRECTORIES_BELOW_THE_ROOT)
                    || directories.ends_with("database/factories")
                    || in_samples())
        {
            Self::Sample
        } else if !is_production
            && (in_any(&purposes::DEVELOPMENT_DIRECTORIES)
                || in_any(&purposes::PIPELINE_DIRECTORIES) && !ends(&purposes::PIPELINE_ENDS)
                || has_word(&purposes::DEVELOPMENT_WORDS)
                || contains(&purposes::DEVELOPMENT_MARKS)
                || starts(&purposes::DEVELOPMENT_STARTS)
                || ends(&purposes::DEVELOPMENT_ENDS)
                || purposes::DEVELOPMENT_NAMES.contains(name)
                    && !has_word(&purposes::DEPLOYMENT_WORDS))
        {
            Self::Development
        } else if is_document() {
            Self::Documentation
        } else {
            Self::Product
        }
    }
}

/// Whether the path indicates that the file contains settings of a production system.
#[must_use]
pub fn is_production(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    words(&lower).any(|word| purposes::PRODUCTION_WORDS.contains(word))
}

/// Whether the file has the defaults of the npm package `config`, which environment variables
/// replace in production: `default.json` next to `custom-environment-variables.json`.
fn is_node_config_default(path: &str, files: &dyn Files) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(("default", _)) = name.split_once('.') else { return false };
    let in_directory = |name: &str| match directory {
        "" => name.to_owned(),
        _ => format!("{directory}/{name}"),
    };
    ["json", "yaml", "yml", "json5", "js"].iter().any(|extension| {
        files.exists(&in_directory(&format!("custom-environment-variables.{extension}")))
    })
}

/// The words of a path, separated by punctuation. The end of a directory's name that is a domain,
/// as in `acme.dev/`, is not a word.
fn words(path: &str) -> impl Iterator<Item = &str> {
    let directories = path.rsplit_once('/').map_or(0, |(directories, _)| directories.len());
    let parts = path[..directories].split('/').map(|part| match part.strip_suffix(".dev") {
        Some(domain) if !domain.is_empty() => domain,
        _ => part,
    });
    let parts = parts.chain([&path[directories..]]);
    parts.flat_map(|part| part.split(|c: char| !c.is_alphanumeric()))
}

/// The offset of the directory of instructions for agents in which a Markdown file is. Its name and
/// the directories in it state what the instructions are about.
fn agent_dir(path: &str) -> Option<usize> {
    let is_markdown = path.ends_with(".md") || path.ends_with(".mdc");
    let offset = |dir: &str| {
        let start = path.strip_prefix(dir).map(|rest| (0, rest));
        let inside =
            || path.find(&format!("/{dir}/")).map(|at| (at + 1, &path[at + 1 + dir.len()..]));
        let (at, rest) = start.filter(|(_, rest)| rest.starts_with('/')).or_else(inside)?;
        rest.starts_with('/').then_some(at)
    };
    is_markdown.then(|| purposes::AGENT_DIRECTORIES.iter().find_map(offset))?
}

/// Whether the file has the variables of a run of the tests: `.env.ci`, `.ci_env`, `test2.env`.
fn is_test_environment(name: &str) -> bool {
    let parts = || words(name).map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let is_of_tests =
        |word: &str| purposes::TEST_SERVICES.contains(word) || purposes::TEST_WORDS.contains(word);
    let is_joined = |word: &str| {
        let rest = word.strip_prefix("env").or_else(|| word.strip_suffix("env"));
        rest.is_some_and(is_of_tests)
    };
    let ends = purposes::TEMPLATE_ENDS.iter().any(|end| name.ends_with(end));
    !ends
        && (parts().any(is_joined) || parts().any(|word| word == "env") && parts().any(is_of_tests))
}

/// Whether the file is named after a class of tests or of test doubles: `LoginTest.java`,
/// `LoginTests.cs`, `LoginSpec.scala`, `ClockMock.cs`.
fn is_test_class(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let ends = ["Test", "Tests", "TestCase", "Spec", "Specs", "IT", "Mock", "Stub"];
    ends.iter().any(|end| {
        stem.strip_suffix(end).is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_determine_the_purpose() {
        for (path, purpose) in [
            ("src/config.ts", Purpose::Product),
            (".env", Purpose::Product),
            (".env.local", Purpose::Product),
            (".env.production", Purpose::Product),
            ("docker-compose.prod.yml", Purpose::Product),
            ("src/latest/contest.rs", Purpose::Product),
            ("deploy/values.yaml", Purpose::Product),
            ("src/devices/a.c", Purpose::Product),
            ("src/protest.py", Purpose::Product),
            ("src/Contest.java", Purpose::Product),
            ("src/AUDIT.java", Purpose::Product),
            ("vendor/lib/test/a.go", Purpose::Vendored),
            ("public/vendor/jquery.js", Purpose::Vendored),
            ("ios/Pods/a.m", Purpose::Vendored),
            ("apps/vendor/.env", Purpose::Product),
            ("k8s/pods/db.yaml", Purpose::Product),
            ("_archived/volumes/secret.yaml", Purpose::Archived),
            ("src/archive/tar.rs", Purpose::Product),
            ("src/archive/Dockerfile", Purpose::Product),
            ("docs/archive/flows/login.mmd", Purpose::Archived),
            ("archive/login.md", Purpose::Archived),
            ("docs/.archive/login.md", Purpose::Archived),
            ("docs/archiver/login.md", Purpose::Documentation),
            ("app/.env.example", Purpose::Template),
            ("config/database.yml.erb", Purpose::Template),
            ("server/login_test.go", Purpose::Test),
            ("features/login.feature", Purpose::Test),
            ("src/app.features.ts", Purpose::Product),
            ("src/test/java/A.java", Purpose::Test),
            ("src/LoginTests.cs", Purpose::Test),
            ("Shop.Tests/appsettings.json", Purpose::Test),
            ("web/button.spec.ts", Purpose::Test),
            ("spec/models/user_spec.rb", Purpose::Test),
            ("specs/openapi.json", Purpose::Product),
            ("api-spec.yaml", Purpose::Product),
            ("spec/fixtures/openapi.json", Purpose::Test),
            (".env.test", Purpose::Test),
            (".env.ci", Purpose::Test),
            (".ci_env", Purpose::Test),
            (".env.test2", Purpose::Test),
            ("docker/ci.env", Purpose::Test),
            (".testenv", Purpose::Test),
            (".env.city", Purpose::Product),
            (".env.travis", Purpose::Test),
            (".env.traverse", Purpose::Product),
            ("env/ci/deploy.sh", Purpose::Development),
            (".env.ci.example", Purpose::Template),
            (".env.unit-tests", Purpose::Test),
            ("config/test_resources/ca.pem", Purpose::Test),
            ("session/stub/jwk.json", Purpose::Test),
            ("src/connectors/mock.ts", Purpose::Test),
            ("docker-compose.integration-test.yml", Purpose::Test),
            ("src/testimonials/data.json", Purpose::Product),
            ("services/integration/.env", Purpose::Product),
            ("apps/salesforce-integration/.env", Purpose::Product),
            ("tests/integration/.env", Purpose::Test),
            ("src/integrationTest/resources/a.yml", Purpose::Test),
            ("apps/suites/.env", Purpose::Product),
            ("apps/documents/.env", Purpose::Product),
            ("services/wiki/.env", Purpose::Product),
            ("src/factories/.env", Purpose::Product),
            ("apps/starter/.env", Purpose::Product),
            (".claude/agents/testing.md", Purpose::Documentation),
            ("app/.claude/skills/run-tests/SKILL.md", Purpose::Documentation),
            (".github/instructions/e2e-test.instructions.md", Purpose::Documentation),
            ("tests/fixtures/.claude/agents/a.md", Purpose::Test),
            (".claude/skills/a/tests/fixture.env", Purpose::Test),
            ("demo-shop/.env", Purpose::Product),
            ("demo/.env", Purpose::Sample),
            ("shop-demo/.env", Purpose::Sample),
            ("database/factories/users.php", Purpose::Sample),
            ("deploy/production/integration/.env", Purpose::Product),
            ("apps/dev-portal/.env.production", Purpose::Product),
            ("apps/dev-portal/.env", Purpose::Development),
            ("apps/mock-exam/.env.production", Purpose::Product),
            ("services/testing/.env.production", Purpose::Product),
            ("prod-local.env", Purpose::Product),
            (".github/.env.production", Purpose::Product),
            // Tests, samples and templates for production are not production.
            ("src/test/resources/application-prod.yml", Purpose::Test),
            ("tests/fixtures/production.yml", Purpose::Test),
            ("config/production.test.ts", Purpose::Test),
            ("examples/prod/values.yaml", Purpose::Sample),
            (".env.production.example", Purpose::Template),
            ("docs/production.yml", Purpose::Documentation),
            ("users.template.yml", Purpose::Template),
            ("deploy/production/docker-compose.yml", Purpose::Product),
            ("docker-compose.server.yml", Purpose::Product),
            ("apps/acme.dev/settings.json", Purpose::Product),
            ("src/compose.ts", Purpose::Product),
            ("src/TestFlightClient.swift", Purpose::Product),
            (".dockerdev/Dockerfile", Purpose::Development),
            (".dev/Dockerfile", Purpose::Development),
            (".github/workflows/root.key", Purpose::Development),
            ("docker-compose.integration.yml", Purpose::Test),
            ("integration/resources/tls/local.key", Purpose::Test),
            ("wallet_seed.txt", Purpose::Product),
            ("config/test.exs", Purpose::Test),
            (".github/workflows/e2e.yml", Purpose::Test),
            (".github/workflows/deploy.yml", Purpose::Product),
            (".circleci/config.yml", Purpose::Product),
            (".gitlab-ci.yml", Purpose::Product),
            ("examples/basic/main.py", Purpose::Sample),
            ("data/app-sample-data.sql", Purpose::Sample),
            ("db/seeds/users.sql", Purpose::Sample),
            ("appsettings.Development.json", Purpose::Development),
            (".env.development", Purpose::Development),
            ("docker-compose.yml", Purpose::Development),
            (".devcontainer/setup.sh", Purpose::Development),
            ("config/dev.exs", Purpose::Development),
            ("certs/localhost.key", Purpose::Development),
            ("docs/setup.sh", Purpose::Documentation),
            ("README.md", Purpose::Documentation),
        ] {
            assert_eq!(Purpose::from_path(path), purpose, "{path}");
        }
    }
}
