//! Finds reports at their default paths, and matches the file names in a report with the files of
//! the project.

use super::report::{Naming, is_absolute};
use aidd_engine::text::files::{Files, side_file};

/// The default paths of reports, relative to the project or a directory in it.
const DEFAULT_PATHS: [&str; 19] = [
    "coverage/lcov.info",
    "lcov.info",
    "coverage.lcov",
    "target/llvm-cov/lcov.info",
    "coverage/cobertura-coverage.xml",
    "coverage/cobertura.xml",
    "coverage.xml",
    "cobertura.xml",
    "coverage.cobertura.xml",
    "target/site/jacoco/jacoco.xml",
    "build/reports/jacoco/test/jacocoTestReport.xml",
    "jacoco.xml",
    "coverage.out",
    "cover.out",
    "coverage.txt",
    "coverage.json",
    "coverage/coverage.json",
    "llvm-cov.json",
    "target/llvm-cov.json",
];

/// The directories above a path, the nearest first; the last is the empty root.
fn dirs_above(path: &str) -> impl Iterator<Item = &str> {
    let parent = |path: &str| path.rfind('/');
    std::iter::successors(Some(path), move |path| {
        if path.is_empty() { None } else { Some(parent(path).map_or("", |end| &path[..end])) }
    })
    .skip(1)
}

fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() { path.to_owned() } else { format!("{dir}/{path}") }
}

/// The existing reports at the default paths in the directories above `path`.
pub(super) fn find_default(files: &dyn Files, path: &str) -> Vec<String> {
    let paths = dirs_above(path).flat_map(|dir| DEFAULT_PATHS.map(|default| join(dir, default)));
    paths.filter(|path| files.exists(path)).collect()
}

/// A file of the project, and the names by which a report can refer to it.
pub(super) struct Target<'a> {
    pub(super) path: &'a str,
    /// The path relative to each directory above the report.
    relative: Vec<&'a str>,
    /// The import path of the Go package, followed by the file name.
    go: Option<String>,
}

impl<'a> Target<'a> {
    pub(super) fn new(files: &dyn Files, path: &'a str, report: &str) -> Self {
        let below = |dir: &str| match dir {
            "" => Some(path),
            dir => path.strip_prefix(dir)?.strip_prefix('/'),
        };
        let relative = dirs_above(report).filter_map(below).collect();
        let go = || {
            dirs_above(path).find_map(|dir| {
                let manifest = side_file(files, &join(dir, "go.mod"))?;
                let module =
                    manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
                Some(join(module.trim().trim_matches('"'), below(dir)?))
            })
        };
        Self { path, relative, go: path.ends_with(".go").then(go).flatten() }
    }

    pub(super) fn matches(&self, naming: Naming, name: &str) -> bool {
        let is_below = |path: &str, end: &str| {
            path.strip_suffix(end).is_some_and(|dir| dir.is_empty() || dir.ends_with('/'))
        };
        match naming {
            Naming::Paths if is_absolute(name) => is_below(name, self.path),
            Naming::Paths => self.relative.contains(&name),
            Naming::GoImport => self.go.as_deref() == Some(name),
            Naming::JavaPackage => is_below(self.path, name),
        }
    }
}
