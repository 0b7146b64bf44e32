#![no_main]

/// Manifests, and lock files of each format.
const PATHS: [&str; 20] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "libs.versions.toml",
    "Gemfile",
    "composer.json",
    "Pipfile",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "Cargo.lock",
    "uv.lock",
    "Gemfile.lock",
    "composer.lock",
    "gradle.lockfile",
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for path in PATHS {
        aidd_fuzz::check(path, data);
    }
    aidd_fuzz::read_locks(data);
});
