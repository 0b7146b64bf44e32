//! An update of the changed directories finds the same files as a full walk.

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
fn all(engine: &Engine, disk: &Disk) -> Vec<String> {
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
    fs::create_dir_all(path.parent().expect("below")).expect("made");
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

const PLACES: [&str; 12] = [
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
const RULES: [&str; 6] = [
    ".gitignore",
    "a/.gitignore",
    "a/b/.aiddignore",
    ".ignore",
    ".git/info/exclude",
    "d/e/.gitignore",
];

fn step() -> impl Strategy<Value = Step> {
    let place = || proptest::sample::select(&PLACES[..]);
    let ignored =
        proptest::sample::select(&["*.log\n", "", "b/\n", "!keep.log\n", "/d\n", ".*\n"][..]);
    prop_oneof![
        5 => place().prop_map(|path| Step::Write(path, "text")),
        2 => (proptest::sample::select(&RULES[..]), ignored).prop_map(|(path, text)| Step::Write(path, text)),
        1 => proptest::sample::select(&RULES[..]).prop_map(Step::Remove),
        3 => place().prop_map(Step::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Step::Move(from, to)),
    ]
}

fn take(root: &Path, step: &Step) {
    match step {
        Step::Write(path, text) => {
            let above = Path::new(path).ancestors().skip(1);
            let is_free = above.into_iter().all(|folder| !root.join(folder).is_file());
            if is_free && !root.join(path).is_dir() {
                write(root, path, text);
            }
        }
        Step::Remove(path) => {
            let place = root.join(path);
            let _ = if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) };
        }
        Step::Move(from, to) => {
            let _ = fs::rename(root.join(from), root.join(to));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn folders_that_changed_are_enough(
        is_repository in any::<bool>(),
        rounds in proptest::collection::vec(proptest::collection::vec(step(), 1..5), 1..8),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        if is_repository {
            write(root, ".git/HEAD", "ref: refs/heads/main\n");
        }
        let (engine, disk) = (engine(), Disk::new(root));
        std::thread::sleep(TICK);
        // As if every modification time were conclusive: inconclusive ones are always read again.
        let mut tree = Tree::settling(&disk, Duration::ZERO);
        for steps in rounds {
            std::thread::sleep(TICK);
            for step in &steps {
                take(root, step);
            }
            let before = files(&tree);
            let looked = tree.update(&disk, std::iter::empty());
            let wanted = all(&engine, &disk);
            prop_assert_eq!(files(&tree), wanted.clone(), "after {:?}", steps);
            prop_assert_eq!(looked.differs, before != wanted);
        }
    }
}

#[test]
fn only_folders_that_changed_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for path in ["a/b/x", "a/c/y", "d/z", ".gitignore"] {
        write(root, path, "");
    }
    let disk = Disk::new(root);
    std::thread::sleep(TICK);
    let mut tree = Tree::settling(&disk, Duration::ZERO);
    let mut look = |reported: &[&str]| {
        std::thread::sleep(TICK);
        let looked = tree.update(&disk, reported.iter().copied());
        (looked.differs, looked.folders.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(look(&[]), (false, vec![]));
    fs::write(root.join("a/b/x"), "more").expect("written");
    assert_eq!(look(&["a/b/x"]), (false, vec![]), "contents of a file do not change its directory");
    fs::write(root.join("a/b/new"), "").expect("written");
    let (differs, folders) = look(&[]);
    assert!(differs && folders.contains(&"a/b".to_owned()) && !folders.contains(&"a/c".to_owned()));
    fs::rename(root.join("a"), root.join("moved")).expect("moved");
    let (differs, folders) = look(&[]);
    assert!(differs && !folders.contains(&"d".to_owned()), "{folders:?}");
    assert!(
        ["a", "a/b", "a/c", "moved", "moved/b"]
            .iter()
            .all(|at| folders.contains(&(*at).to_owned()))
    );
    fs::write(root.join(".gitignore"), "*\n").expect("written");
    fs::create_dir(root.join(".git")).expect("made");
    assert!(look(&[]).0, "no file is left");
}

#[test]
fn recently_written_files_are_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, "a/x", "");
    let disk = Disk::new(root);
    let mut tree = Tree::new(&disk);
    assert_eq!(tree.update(&disk, std::iter::empty()).folders.len(), 2);
}

#[test]
fn a_tree_follows_the_index_where_an_ignore_file_names_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
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
    let mut tree = Tree::settling(&disk, Duration::ZERO);
    let mut look = || {
        let looked = tree.update(&disk, std::iter::empty());
        assert_eq!(files(&tree), all(&engine, &disk));
        (looked.differs, looked.folders.len(), files(&tree))
    };
    assert_eq!(look().2, [".gitignore", "a"]);
    // A changed index with the same answers for ignored paths causes no directory reads.
    git(&["add", "a", ".gitignore"]);
    let (differs, read, _) = look();
    assert_eq!((differs, read), (false, 0));
    git(&["add", "--force", "prod.env", "out/c/d"]);
    let (differs, _, files) = look();
    assert!(differs);
    assert_eq!(files, [".gitignore", "a", "out/c/d", "prod.env"]);
    write(root, "out/c/new", "");
    std::thread::sleep(TICK);
    assert!(!look().0, "an adjacent file is still ignored");
    git(&["rm", "--quiet", "--cached", "out/c/d"]);
    assert_eq!(look().2, [".gitignore", "a", "prod.env"]);
}
