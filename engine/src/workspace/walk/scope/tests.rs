//! Tests that a walk covers the tracked files, and the files that are neither tracked nor ignored.

use super::*;
use crate::check::{Engine, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::files::Files;
use crate::workspace::walk::{Outcome, Walk, check_tree, covers, list};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let output = Command::new("git").args(identity).args(args).current_dir(dir).output();
    let output = output.expect("Git");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    git(dir.path(), &["init", "--quiet", "--template="]);
    dir
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn walked_files(root: &Path) -> BTreeSet<String> {
    let walk = Walk::over(vec![root.to_owned()]);
    list(&Config::default(), &Disk::new(root), &walk).expect("no globs")
}

fn check(root: &Path, config: &Config) -> Outcome {
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        config,
        &Selection::default(),
    )
    .expect("rules");
    let walk = Walk::over(vec![root.to_owned()]);
    check_tree(&engine, config, &Disk::new(root), &walk, &|| ()).expect("no globs")
}

/// Whether ignore files match the directory at `path`, regardless of tracked files in it.
fn is_ignored(root: &Path, path: &str) -> bool {
    let mut command = Command::new("git");
    command.args(["check-ignore", "--quiet", "--no-index", "--", path]).current_dir(root);
    command.status().expect("git is installed").success()
}

/// The files on disk according to Git.
fn git_files(root: &Path) -> BTreeSet<String> {
    let found = git(root, &["ls-files", "-z", "-c", "-o", "--exclude-standard"]);
    let found = String::from_utf8(found).expect("UTF-8");
    let exists = |path: &&str| root.join(path).symlink_metadata().is_ok_and(|data| data.is_file());
    found.split('\0').filter(exists).map(str::to_owned).collect()
}

const PATHS: [&str; 14] = [
    "a",
    "b.log",
    "keep.log",
    "d/a",
    "d/b.log",
    "d/e/a",
    "d/e/keep.log",
    "d/e/f/a",
    "out/a",
    "out/b/c",
    "out/b/d.log",
    "d/out/a",
    "d/out/e/b",
    "줄/a.log",
];
const IGNORES: [&str; 5] =
    [".gitignore", "d/.gitignore", "d/e/.gitignore", "out/.gitignore", ".git/info/exclude"];
const LINES: [&str; 14] = [
    "*.log",
    "!keep.log",
    "out",
    "out/",
    "/out",
    "d/e",
    "/d/*",
    "!/d/e",
    "e/",
    "a",
    "**/f",
    "*",
    "!*/",
    "# a",
];

fn ignores() -> impl Strategy<Value = Vec<(usize, Vec<&'static str>)>> {
    let lines = proptest::collection::vec(proptest::sample::select(&LINES[..]), 0..4);
    proptest::collection::vec((0..IGNORES.len(), lines), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_finds_the_same_files_as_git(
        ignores in ignores(),
        exists in proptest::collection::vec(any::<bool>(), PATHS.len()),
        tracked in proptest::collection::vec(any::<bool>(), PATHS.len()),
        removed in 0..PATHS.len(),
    ) {
        let dir = repository();
        let root = dir.path();
        for (path, _) in PATHS.iter().zip(&exists).filter(|(_, is_there)| **is_there) {
            write(root, path, "text\n");
        }
        for (at, lines) in ignores {
            write(root, IGNORES[at], lines.join("\n"));
        }
        let paths = PATHS.iter().zip(exists.iter().zip(&tracked));
        let added: Vec<&str> =
            paths.filter(|(_, (exists, tracked))| **exists && **tracked).map(|(path, _)| *path).collect();
        if !added.is_empty() {
            git(root, &[&["add", "--force", "--"], &*added].concat());
        }
        let _ = fs::remove_file(root.join(PATHS[removed]));
        for below in ["", "d", "out"] {
            // The walk enters an ignored directory that is passed explicitly, so its result differs
            // from Git's.
            let is_ignored_root = !below.is_empty() && is_ignored(root, below);
            let root = root.join(below);
            if root.is_dir() && !is_ignored_root {
                let (walked, listed) = (walked_files(&root), git_files(&root));
                prop_assert_eq!(&walked, &listed, "below {:?}", below);
                let disk = Disk::new(&root);
                for path in PATHS.iter().filter_map(|path| path.strip_prefix(below)) {
                    let path = path.trim_start_matches('/');
                    if disk.exists(path) && !path.is_empty() {
                        prop_assert_eq!(covers(&disk, path), listed.contains(path), "{}", path);
                    }
                }
            }
        }
    }
}

#[test]
fn aiddignore_excludes_tracked_files_and_counts_them() {
    let dir = repository();
    let root = dir.path();
    for path in ["a", "prod.env", "old/a", "old/b/c", "gen/a", "gen/b.txt", "x.txt"] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", "*.env\ngen/\n");
    write(root, ".aiddignore", "old/\n");
    git(root, &["add", "--force", "."]);
    write(root, "old/untracked", "text\n");
    write(root, "gen/untracked", "text\n");
    let names = |outcome: &Outcome| outcome.visited.iter().cloned().collect::<Vec<_>>();
    let outcome = check(root, &Config::default());
    let all = [".aiddignore", ".gitignore", "a", "gen/a", "gen/b.txt", "prod.env", "x.txt"];
    assert_eq!(names(&outcome), all);
    assert_eq!(outcome.excluded, ExcludedCounts { aiddignore: 2, exclude: 0 });
    let config = Config {
        exclude: Some(vec!["gen/".into(), "*.txt".into(), "old/b/".into()]),
        ..Config::default()
    };
    let outcome = check(root, &config);
    assert_eq!(names(&outcome), [".aiddignore", ".gitignore", "a", "prod.env"]);
    assert_eq!(outcome.excluded, ExcludedCounts { aiddignore: 2, exclude: 3 });
    let message = outcome.excluded.message("tracked");
    assert_eq!(
        message.as_deref(),
        Some("5 tracked files are excluded by `.aiddignore` (2) and `exclude` (3)")
    );
    let message_of =
        |aiddignore, exclude| ExcludedCounts { aiddignore, exclude }.message("changed");
    assert_eq!(message_of(0, 0), None);
    assert_eq!(message_of(1, 0).as_deref(), Some("1 changed file is excluded by `.aiddignore`"));
    // The `.aiddignore` files of a base revision apply if the disk is not trusted.
    git(root, &["commit", "--quiet", "--message", "one"]);
    let base = crate::project::git::Repository::open(root).expect("a repository");
    let base = base.snapshot(&base.commit("HEAD").expect("a commit")).expect("a revision");
    write(root, ".aiddignore", "*\n");
    let walk = Walk { base_ignores: Some(base), ..Walk::over(vec![root.to_owned()]) };
    let listed = list(&Config::default(), &Disk::new(root), &walk).expect("no globs");
    assert_eq!(listed.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn explicit_paths_are_walked_even_if_ignored() {
    let dir = repository();
    let root = dir.path();
    for path in ["out/a", "out/b/c", "out/b/d", "e"] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", "out/\n");
    git(root, &["add", "--force", "out/b/c"]);
    let listed_over = |paths: &[&str]| {
        let walk = Walk::over(paths.iter().map(|path| root.join(path)).collect());
        let listed = list(&Config::default(), &Disk::new(root), &walk).expect("no globs");
        listed.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(listed_over(&[""]), [".gitignore", "e", "out/b/c"]);
    assert_eq!(listed_over(&["out"]), ["out/a", "out/b/c", "out/b/d"]);
    assert_eq!(listed_over(&["out/b"]), ["out/b/c", "out/b/d"]);
    assert_eq!(listed_over(&["", "out/b"]), [".gitignore", "e", "out/b/c", "out/b/d"]);
    assert_eq!(listed_over(&["out/b", ""]), [".gitignore", "e", "out/b/c", "out/b/d"]);
}

#[test]
fn a_submodule_in_an_ignored_directory_uses_its_own_ignore_files() {
    let dir = repository();
    let root = dir.path();
    write(root, ".gitignore", "vendor/\nsecret\n");
    write(root, "vendor/untracked", "text\n");
    let inner = root.join("vendor/sub");
    fs::create_dir_all(&inner).expect("created");
    git(&inner, &["init", "--quiet", "--template="]);
    for path in ["a", "b.log", "forced.log", "secret"] {
        write(&inner, path, "text\n");
    }
    write(&inner, ".gitignore", "*.log\n");
    git(&inner, &["add", "--force", "a", "forced.log", ".gitignore"]);
    git(&inner, &["commit", "--quiet", "--message", "one"]);
    git(root, &["add", "--force", "vendor/sub"]);
    let walked_files: Vec<String> = walked_files(root).into_iter().collect();
    let submodule_files = ["a", "forced.log", "secret"].map(|path| format!("vendor/sub/{path}"));
    assert_eq!(walked_files[2..], submodule_files);
    assert_eq!(walked_files[..2], [".gitignore", "vendor/sub/.gitignore"]);
}

#[test]
fn an_unreadable_index_is_reported() {
    let dir = repository();
    let root = dir.path();
    write(root, "a", "text\n");
    write(root, "b.log", "text\n");
    write(root, ".gitignore", "*.log\n");
    git(root, &["add", "--force", "."]);
    fs::write(root.join(".git/index"), "no index").expect("written");
    let outcome = check(root, &Config::default());
    assert_eq!(outcome.visited.iter().collect::<Vec<_>>(), [".gitignore", "a"]);
    let reported: Vec<&str> = outcome.skipped.iter().map(|skipped| &*skipped.path).collect();
    assert_eq!(reported, [".git"], "{:?}", outcome.skipped);
}

#[test]
fn a_non_utf8_line_does_not_affect_others() {
    let dir = repository();
    let root = dir.path();
    for path in ["a.log", "b", "c"] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", b"caf\xE9\n*.log\n[\nb\n");
    assert_eq!(walked_files(root).into_iter().collect::<Vec<_>>(), [".gitignore", "c"]);
}

#[test]
fn a_file_that_a_sparse_index_does_not_list_is_walked() {
    let dir = repository();
    let root = dir.path();
    for path in ["a", "in/b", "out/c.log"] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", "*.log\n");
    git(root, &["add", "--force", "."]);
    git(root, &["commit", "--quiet", "--message", "one"]);
    git(root, &["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert!(!root.join("out/c.log").exists());
    write(root, "out/c.log", "text\n");
    let walked_files: Vec<String> = walked_files(root).into_iter().collect();
    assert_eq!(walked_files, [".gitignore", "a", "in/b", "out/c.log"]);
}

#[cfg(unix)]
#[test]
fn links_are_skipped_and_non_utf8_names_are_walked() {
    use std::os::unix::ffi::OsStrExt;
    let dir = repository();
    let root = dir.path();
    write(root, "d/a", "text\n");
    std::os::unix::fs::symlink("d", root.join("link")).expect("linked");
    std::os::unix::fs::symlink("d/a", root.join("file.log")).expect("linked");
    write(root, ".gitignore", "*.log\nodd/\n");
    fs::create_dir(root.join("odd")).expect("created");
    let name = std::ffi::OsStr::from_bytes(b"odd/na\xFFme");
    if fs::write(root.join(name), "text\n").is_err() {
        return;
    }
    write(root, "odd/untracked", "text\n");
    let mut git = Command::new("git");
    git.args(["add", "--force", "link", "file.log"]).arg(name).current_dir(root);
    assert!(git.status().expect("Git").success());
    let walked_files: Vec<String> = walked_files(root).into_iter().collect();
    assert_eq!(walked_files, [".gitignore", "d/a", "odd/na\u{FFFD}me"]);
}
