//! The index of a commit.

use super::{dump, project, update, write};
use crate::query::Reader;
use crate::store;
use crate::{IndexError, Revision, at_revision};
use aidd_engine::project::config::Config;
use aidd_engine::text::files::Disk;
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(root: &Path, args: &[&str]) {
    let set = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "gc.auto=0"];
    let done = Command::new("git").args(set).args(args).current_dir(root).output().expect("git");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn commit(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "next"]);
}

fn at(root: &Path, rev: &str) -> Revision {
    at_revision(&Disk::new(root), &Config::default(), rev).expect("an index")
}

/// A repository with a commit on `main` and another one on `next`, which is checked out.
fn repository() -> tempfile::TempDir {
    let dir = project(&[
        ("lib/a.py", "def one():\n    pass\n"),
        ("lib/b.py", "from lib.a import one\n\ndef two():\n    one()\n"),
        ("x.ts", "import { make } from './y';\nexport const go = () => make();\n"),
        ("y.ts", "export function make() { return 1; }\n"),
        ("package.json", "{\"name\": \"p\"}"),
    ]);
    let root = dir.path();
    git(root, &["init", "-q", "-b", "main", "--template=", "."]);
    commit(root);
    git(root, &["checkout", "-q", "-b", "next"]);
    write(root, "lib/a.py", "def one():\n    pass\n\ndef other():\n    one()\n");
    fs::remove_file(root.join("lib/b.py")).expect("removed");
    commit(root);
    dir
}

#[test]
fn the_index_of_a_commit_equals_that_of_its_work_tree() {
    let dir = repository();
    let root = dir.path();
    update(root);
    let before = dump(root);
    let old = at(root, "main");
    assert_eq!((old.update.files, old.update.built, old.update.unread), (4, true, 0));
    let callers = |at: &Path| {
        let reader = Reader::open(at).expect("an index");
        let one = reader.named("one").expect("read").remove(0);
        let callers = reader.callers(one.id, false).expect("read");
        callers.into_iter().map(|call| call.symbol.expect("a caller").qualified).collect::<Vec<_>>()
    };
    assert_eq!(callers(&old.root), ["two"]);
    assert_eq!(callers(root), ["other"]);
    // Neither the index nor the files of the work tree change.
    assert_eq!(before, dump(root));
    assert!(!root.join("lib/b.py").exists());
    let again = at(root, "main");
    assert_eq!((again.update.files, again.update.built, again.root == old.root), (4, false, true));
    git(root, &["checkout", "-q", "main"]);
    update(root);
    assert_eq!(dump(root), dump(&old.root));
}

#[test]
fn the_settings_of_the_work_tree_apply_to_a_commit() {
    let dir = repository();
    let (root, disk) = (dir.path(), Disk::new(dir.path()));
    let config = Config { exclude: Some(vec!["*.ts".to_owned()]), ..Config::default() };
    let files = |rev| at_revision(&disk, &config, rev).expect("an index").update.files;
    assert_eq!(files("main"), 2);
    assert_eq!(at(root, "main").update.files, 4);
    write(root, ".aiddignore", "lib/\n");
    assert_eq!(at(root, "main").update.files, 2);
}

#[test]
fn the_indexes_of_commits_are_few_and_can_be_removed() {
    let dir = repository();
    let root = dir.path();
    let mut roots = Vec::new();
    for number in 0..6 {
        write(root, "y.ts", &format!("export function make{number}() {{}}\n"));
        commit(root);
        roots.push(at(root, "HEAD").root);
        // The first is used again and again.
        at(root, "HEAD~0");
        std::thread::sleep(std::time::Duration::from_millis(20));
        let first = format!("HEAD~{number}");
        assert_eq!(at(root, &first).root, roots[0]);
    }
    let retained: Vec<bool> = roots.iter().map(|root| root.exists()).collect();
    assert_eq!(retained, [true, false, false, true, true, true]);
    assert!(store::remove(root).expect("removed"));
    assert!(roots.iter().all(|root| !root.exists()));
    assert!(!store::remove(root).expect("removed"));
}

#[test]
fn a_commit_without_its_files_is_an_error() {
    let dir = repository();
    let root = dir.path();
    assert!(matches!(
        at_revision(&Disk::new(root), &Config::default(), "missing"),
        Err(IndexError::Git(_))
    ));
    let mut command = Command::new("git");
    let output = command.args(["rev-parse", "main:lib/b.py"]).current_dir(root).output();
    let hash = String::from_utf8(output.expect("git").stdout).expect("a hash");
    let (start, rest) = hash.trim().split_at(2);
    fs::remove_file(root.join(".git/objects").join(start).join(rest)).expect("removed");
    let result = at_revision(&Disk::new(root), &Config::default(), "main");
    assert!(matches!(result, Err(IndexError::NotFetched(1))), "{result:?}");
}
