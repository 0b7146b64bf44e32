//! Tests that an update of the changed directories finds the same files as a full walk.

use super::*;
use crate::check::{Engine, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::workspace::walk::Walk;
use proptest::prelude::*;
use std::fs;
use std::time::Duration;

fn engine() -> Engine {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
}

/// The files that a full walk finds.
fn walked_files(engine: &Engine, disk: &Disk) -> Vec<String> {
    let walk = Walk::over(vec![disk.root().to_owned()]);
    crate::workspace::walk::listing(engine, disk, &walk).files().to_vec()
}

fn files(tree: &Tree) -> Vec<String> {
    let mut files: Vec<String> = tree.files().collect();
    files.sort_unstable();
    files
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent directory")).expect("created");
    // A directory of that name can exist.
    let _ = fs::write(path, text);
}

/// Longer than the timestamp resolution of the file systems used in tests.
const TICK: Duration = Duration::from_millis(12);

#[derive(Clone, Debug)]
enum Step {
    Write(&'static str, &'static str),
    Remove(&'static str),
    Move(&'static str, &'static str),
}

const PATHS: [&str; 12] = [
    "a",
    "b",
    "a/b",
    "a/c",
    "a/b/c",
    "d/e/f",
    "x.log",
    "a/x.log",
    "a/b/x.log",
    "d/e",
    "a/b/keep.log",
    "d",
];
const IGNORE_FILES: [&str; 6] = [
    ".gitignore",
    "a/.gitignore",
    "a/b/.aiddignore",
    ".ignore",
    ".git/info/exclude",
    "d/e/.gitignore",
];

fn step() -> impl Strategy<Value = Step> {
    let any_path = || proptest::sample::select(&PATHS[..]);
    let ignored =
        proptest::sample::select(&["*.log\n", "", "b/\n", "!keep.log\n", "/d\n", ".*\n"][..]);
    prop_oneof![
        5 => any_path().prop_map(|path| Step::Write(path, "text")),
        2 => (proptest::sample::select(&IGNORE_FILES[..]), ignored).prop_map(|(path, text)| Step::Write(path, text)),
        1 => proptest::sample::select(&IGNORE_FILES[..]).prop_map(Step::Remove),
        3 => any_path().prop_map(Step::Remove),
        2 => (any_path(), any_path()).prop_map(|(from, to)| Step::Move(from, to)),
    ]
}

fn apply_step(root: &Path, step: &Step) {
    match step {
        Step::Write(path, text) => {
            let parents = Path::new(path).ancestors().skip(1);
            let is_free = parents.into_iter().all(|dir| !root.join(dir).is_file());
            if is_free && !root.join(path).is_dir() {
                write(root, path, text);
            }
        }
        Step::Remove(path) => {
            let disk_path = root.join(path);
            let _ = if disk_path.is_dir() {
                fs::remove_dir_all(disk_path)
            } else {
                fs::remove_file(disk_path)
            };
        }
        Step::Move(from, to) => {
            let _ = fs::rename(root.join(from), root.join(to));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn changed_directories_are_sufficient_for_an_update(
        is_repository in any::<bool>(),
        rounds in proptest::collection::vec(proptest::collection::vec(step(), 1..5), 1..8),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        if is_repository {
            write(root, ".git/HEAD", "ref: refs/heads/main\n");
        }
        let (engine, disk) = (engine(), Disk::new(root));
        std::thread::sleep(TICK);
        // Every modification time counts as conclusive, because directories with inconclusive times
        // are always read again.
        let mut tree = Tree::with_min_age(&disk, Duration::ZERO);
        for steps in rounds {
            std::thread::sleep(TICK);
            for step in &steps {
                apply_step(root, step);
            }
            let before = files(&tree);
            let update = tree.update(&disk, std::iter::empty());
            let expected = walked_files(&engine, &disk);
            prop_assert_eq!(files(&tree), expected.clone(), "after {:?}", steps);
            prop_assert_eq!(update.differs, before != expected);
        }
    }
}

#[test]
fn only_changed_directories_are_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    for path in ["a/b/x", "a/c/y", "d/z", ".gitignore"] {
        write(root, path, "");
    }
    let disk = Disk::new(root);
    std::thread::sleep(TICK);
    let mut tree = Tree::with_min_age(&disk, Duration::ZERO);
    let mut update_tree = |reported: &[&str]| {
        std::thread::sleep(TICK);
        let update = tree.update(&disk, reported.iter().copied());
        (update.differs, update.dirs.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(update_tree(&[]), (false, vec![]));
    fs::write(root.join("a/b/x"), "more").expect("written");
    assert_eq!(
        update_tree(&["a/b/x"]),
        (false, vec![]),
        "contents of a file do not change its directory"
    );
    fs::write(root.join("a/b/new"), "").expect("written");
    let (differs, dirs) = update_tree(&[]);
    assert!(differs && dirs.contains(&"a/b".to_owned()) && !dirs.contains(&"a/c".to_owned()));
    fs::rename(root.join("a"), root.join("moved")).expect("moved");
    let (differs, dirs) = update_tree(&[]);
    assert!(differs && !dirs.contains(&"d".to_owned()), "{dirs:?}");
    assert!(
        ["a", "a/b", "a/c", "moved", "moved/b"].iter().all(|at| dirs.contains(&(*at).to_owned()))
    );
    fs::write(root.join(".gitignore"), "*\n").expect("written");
    fs::create_dir(root.join(".git")).expect("created");
    assert!(update_tree(&[]).0, "no file remains");
}

#[test]
fn recently_written_files_are_read_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    write(root, "a/x", "");
    let disk = Disk::new(root);
    let mut tree = Tree::new(&disk);
    assert_eq!(tree.update(&disk, std::iter::empty()).dirs.len(), 2);
}

#[test]
fn tracked_files_in_ignored_directories_follow_the_index() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git").args(args).current_dir(root).status();
        assert!(done.expect("Git").success(), "{args:?}");
        std::thread::sleep(TICK);
    };
    git(&["init", "--quiet", "--template="]);
    for path in ["a", "prod.env", "out/b", "out/c/d", "out/c/e"] {
        write(root, path, "");
    }
    write(root, ".gitignore", "*.env\nout/\n");
    std::thread::sleep(TICK);
    let (engine, disk) = (engine(), Disk::new(root));
    let mut tree = Tree::with_min_age(&disk, Duration::ZERO);
    let mut update_tree = || {
        let update = tree.update(&disk, std::iter::empty());
        assert_eq!(files(&tree), walked_files(&engine, &disk));
        (update.differs, update.dirs.len(), files(&tree))
    };
    assert_eq!(update_tree().2, [".gitignore", "a"]);
    // A changed index with the same answers for ignored paths causes no directory reads.
    git(&["add", "a", ".gitignore"]);
    let (differs, read, _) = update_tree();
    assert_eq!((differs, read), (false, 0));
    git(&["add", "--force", "prod.env", "out/c/d"]);
    let (differs, _, files) = update_tree();
    assert!(differs);
    assert_eq!(files, [".gitignore", "a", "out/c/d", "prod.env"]);
    write(root, "out/c/new", "");
    std::thread::sleep(TICK);
    assert!(!update_tree().0, "an adjacent file is still ignored");
    git(&["rm", "--quiet", "--cached", "out/c/d"]);
    assert_eq!(update_tree().2, [".gitignore", "a", "prod.env"]);
}
