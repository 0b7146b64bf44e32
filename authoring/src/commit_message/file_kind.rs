//! What a file is for, by its path.

use aidd_lexicon::tables::{List, file_kinds as table};
use schemars::JsonSchema;
use serde::Serialize;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    /// Code of the product.
    Source,
    /// Prose that is part of the product.
    Content,
    /// Tests, benches, their data.
    Test,
    /// Words for people.
    Docs,
    /// What a server runs.
    Ci,
    /// What names dependencies.
    Manifest,
    /// What builds.
    Build,
    /// Settings of tools.
    Config,
    /// Pictures, fonts, sounds.
    Asset,
    /// Written by a program.
    Generated,
    /// Versions of dependencies, written by a program.
    Lock,
    /// None of these.
    Other,
}

impl FileKind {
    /// The word for it in a list.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Content => "content",
            Self::Test => "test",
            Self::Docs => "docs",
            Self::Ci => "ci",
            Self::Manifest => "manifest",
            Self::Build => "build",
            Self::Config => "config",
            Self::Asset => "asset",
            Self::Generated => "generated",
            Self::Lock => "lock",
            Self::Other => "other",
        }
    }
}

/// What the file at `path` is for.
pub(super) fn of(path: &str) -> FileKind {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let segments: Vec<&str> = folders.split('/').filter(|segment| !segment.is_empty()).collect();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_in = |names: List| segments.iter().any(|segment| names.contains(segment));
    if table::LOCKS.contains(name) {
        FileKind::Lock
    } else if is_generated(&lower, name) {
        FileKind::Generated
    } else if table::CI_NAMES.contains(name)
        || table::CI_FOLDERS.iter().any(|folder| lower.starts_with(folder))
    {
        FileKind::Ci
    } else if is_in(table::TEST_FOLDERS) && !is_for_readers(name, ending)
        || is_test_name(name, path)
    {
        FileKind::Test
    } else if table::MANIFESTS.contains(name) || is_manifest(name, ending) {
        FileKind::Manifest
    } else if table::BUILDS.contains(name)
        || table::BUILD_STARTS.iter().any(|stem| name.starts_with(stem))
        || lower.ends_with(".cargo/config.toml")
    {
        FileKind::Build
    } else if table::ASSETS.contains(ending) {
        FileKind::Asset
    } else if is_docs(&segments, name, ending) {
        FileKind::Docs
    } else if table::PROSE.contains(ending) {
        if is_in(table::CONTENT_FOLDERS) { FileKind::Content } else { FileKind::Docs }
    } else if name.contains(".config.") || name.starts_with('.') {
        FileKind::Config
    } else if table::SOURCES.contains(ending) {
        FileKind::Source
    } else if table::CONFIGS.contains(ending) {
        FileKind::Config
    } else {
        FileKind::Other
    }
}

fn is_generated(path: &str, name: &str) -> bool {
    const FOLDERS: [&str; 4] = ["dist/", "node_modules/", "vendor/", "__generated__/"];
    FOLDERS.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
        || [".min.js", ".min.css", ".pb.go", ".g.dart"].iter().any(|ending| name.ends_with(ending))
        || name.contains(".generated.")
        || name.contains("_generated.")
}

fn is_test_name(lower: &str, path: &str) -> bool {
    let stem = lower.split('.').next().unwrap_or_default();
    // `LoginTest.java`, but not `Latest.java`: the case tells.
    let written = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    lower.contains(".test.")
        || lower.contains(".spec.")
        || lower.contains(".bench.")
        || lower.ends_with(".snap")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem.starts_with("test_")
        || matches!(stem, "tests" | "conftest")
        || (written.len() > 4 && (written.ends_with("Test") || written.ends_with("Tests")))
}

fn is_manifest(name: &str, ending: &str) -> bool {
    let requirements = name.starts_with("requirements") && matches!(ending, "txt" | "in");
    requirements || matches!(ending, "csproj" | "gemspec" | "cabal")
}

fn is_docs(segments: &[&str], name: &str, ending: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    segments.iter().any(|segment| table::DOC_FOLDERS.contains(segment))
        || is_for_readers(name, ending)
        || (table::DOC_STEMS.iter().any(|known| stem.starts_with(known)) && !name.contains('.'))
}

/// `README.md`, `CHANGELOG.txt`, wherever they lie.
fn is_for_readers(name: &str, ending: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    table::DOC_STEMS.contains(stem) && (table::PROSE.contains(ending) || ending == "txt")
}

/// Whether the first lines of a text say that a program wrote it.
pub(super) fn is_marked_generated(text: &str) -> bool {
    text.lines().take(8).any(|line| {
        line.contains("@generated")
            || line.contains("DO NOT EDIT")
            || line.to_ascii_lowercase().contains("this file is generated")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_a_file_is_for() {
        use FileKind::{
            Asset, Build, Ci, Config, Content, Docs, Generated, Lock, Manifest, Other, Source, Test,
        };
        let expected = [
            (Source, "src/http/client.rs ui/Button.tsx lib/latest.java bin/run.sh Contest.java"),
            (
                Test,
                "tests/a.json src/a.test.ts pkg/a_test.go test_a.py LoginTest.java src/x/tests.rs",
            ),
            (
                Docs,
                "README.md fuzz/README.md docs/a.png.txt LICENSE LICENSE-MIT guide/intro.mdx docs/schema.json",
            ),
            (Content, "content/rules/a.md src/prompts/b.md"),
            (Ci, ".github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile .ci/run"),
            (Manifest, "Cargo.toml a/package.json requirements-dev.txt go.mod App.csproj"),
            (Build, "Dockerfile.prod Makefile build.rs tsconfig.base.json compose.yaml"),
            (Config, ".gitignore .editorconfig eslint.config.js app/settings.yaml deny.toml"),
            (Lock, "Cargo.lock web/pnpm-lock.yaml go.sum"),
            (Generated, "dist/app.js api/a.pb.go src/x.generated.ts"),
            (Asset, "public/logo.svg docs-site/font.woff2"),
            (Other, "data.bin notes"),
        ];
        for (kind, paths) in expected {
            for path in paths.split(' ') {
                assert_eq!(of(path), kind, "{path}");
            }
        }
    }
}
