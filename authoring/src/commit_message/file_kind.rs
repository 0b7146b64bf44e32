//! What a file is for, by its path.

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum FileKind {
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

const LOCKS: &[&str] = &[
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "gradle.lockfile",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

const MANIFESTS: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "cargo.toml",
    "composer.json",
    "gemfile",
    "go.mod",
    "go.work",
    "package.json",
    "pipfile",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

const BUILDS: &[&str] = &[
    ".dockerignore",
    "build",
    "build.bazel",
    "build.rs",
    "cmakelists.txt",
    "flake.nix",
    "gnumakefile",
    "justfile",
    "makefile",
    "meson.build",
    "module.bazel",
    "nx.json",
    "rust-toolchain",
    "rust-toolchain.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "taskfile.yml",
    "turbo.json",
    "workspace",
];

/// Beginnings of names of files that build.
const BUILD_STEMS: &[&str] = &[
    "babel.config.",
    "compose.",
    "containerfile",
    "docker-compose",
    "dockerfile",
    "esbuild.config.",
    "rolldown.config.",
    "rollup.config.",
    "tsconfig",
    "tsup.config.",
    "vite.config.",
    "webpack.config.",
];

const CI_NAMES: &[&str] = &[
    ".gitlab-ci.yml",
    ".travis.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "jenkinsfile",
];
const CI_FOLDERS: &[&str] = &[
    ".github/workflows/",
    ".github/actions/",
    ".circleci/",
    ".buildkite/",
    ".ci/",
    ".woodpecker/",
];

const TEST_FOLDERS: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "bench",
    "benches",
    "benchmarks",
    "cypress",
    "e2e",
    "fixtures",
    "fuzz",
    "spec",
    "specs",
    "test",
    "testdata",
    "tests",
];

const DOC_FOLDERS: &[&str] = &["doc", "docs", "examples"];
const DOC_STEMS: &[&str] = &[
    "authors",
    "changelog",
    "codeowners",
    "contributing",
    "copying",
    "license",
    "licence",
    "notice",
    "readme",
    "security",
];
const DOC_ENDINGS: &[&str] = &["adoc", "markdown", "md", "mdx", "rst"];
/// Folders whose prose is shipped.
const CONTENT_FOLDERS: &[&str] = &["content", "prompts", "src"];

const ASSETS: &[&str] = &[
    "avif", "bmp", "eot", "gif", "ico", "icns", "jpeg", "jpg", "mp3", "mp4", "ogg", "otf", "pdf",
    "png", "svg", "ttf", "wav", "webm", "webp", "woff", "woff2",
];

const SOURCES: &[&str] = &[
    "astro", "bash", "c", "cc", "cjs", "clj", "cljs", "cpp", "cs", "css", "cts", "cxx", "dart",
    "el", "elm", "erl", "ex", "exs", "fish", "fs", "go", "gql", "graphql", "groovy", "h", "hh",
    "hpp", "hs", "htm", "html", "java", "jl", "js", "jsx", "kt", "kts", "less", "lua", "m", "mjs",
    "ml", "mm", "mts", "nim", "nix", "php", "pl", "prisma", "proto", "ps1", "py", "pyi", "r", "rb",
    "rs", "sass", "scala", "scss", "sh", "sol", "sql", "styl", "svelte", "swift", "tf", "ts",
    "tsx", "v", "vue", "wgsl", "zig", "zsh",
];

const CONFIGS: &[&str] = &[
    "cfg",
    "conf",
    "editorconfig",
    "env",
    "ini",
    "json",
    "json5",
    "jsonc",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];

/// What the file at `path` is for.
pub(super) fn of(path: &str) -> FileKind {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let segments: Vec<&str> = folders.split('/').filter(|segment| !segment.is_empty()).collect();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_in = |names: &[&str]| segments.iter().any(|segment| names.contains(segment));
    if LOCKS.contains(&name) {
        FileKind::Lock
    } else if is_generated(&lower, name) {
        FileKind::Generated
    } else if CI_NAMES.contains(&name) || CI_FOLDERS.iter().any(|folder| lower.starts_with(folder))
    {
        FileKind::Ci
    } else if is_in(TEST_FOLDERS) && !is_for_readers(name, ending) || is_test_name(name, path) {
        FileKind::Test
    } else if MANIFESTS.contains(&name) || is_manifest(name, ending) {
        FileKind::Manifest
    } else if BUILDS.contains(&name)
        || BUILD_STEMS.iter().any(|stem| name.starts_with(stem))
        || lower.ends_with(".cargo/config.toml")
    {
        FileKind::Build
    } else if ASSETS.contains(&ending) {
        FileKind::Asset
    } else if is_docs(&segments, name, ending) {
        FileKind::Docs
    } else if DOC_ENDINGS.contains(&ending) {
        if is_in(CONTENT_FOLDERS) { FileKind::Content } else { FileKind::Docs }
    } else if name.contains(".config.") || name.starts_with('.') {
        FileKind::Config
    } else if SOURCES.contains(&ending) {
        FileKind::Source
    } else if CONFIGS.contains(&ending) {
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
    segments.iter().any(|segment| DOC_FOLDERS.contains(segment))
        || is_for_readers(name, ending)
        || (DOC_STEMS.iter().any(|known| stem.starts_with(known)) && !name.contains('.'))
}

/// `README.md`, `CHANGELOG.txt`, wherever they lie.
fn is_for_readers(name: &str, ending: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    DOC_STEMS.contains(&stem) && (DOC_ENDINGS.contains(&ending) || ending == "txt")
}

/// Whether a program says in the first lines that it wrote the text.
pub(super) fn says_generated(text: &str) -> bool {
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
