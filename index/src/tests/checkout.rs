//! An index that is copied into a new checkout.

use super::{dump, dump_fresh, project, update, write};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn git(root: &Path, args: &[&str]) {
    let set = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "gc.auto=0"];
    let done = Command::new("git").args(set).args(args).current_dir(root).output().expect("git");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn in_a_new_checkout_only_the_files_that_differ_are_read_again() {
    let dir = project(&[
        ("from/a.py", "def one():\n    pass\n"),
        ("from/b.py", "from a import one\n\ndef two():\n    one()\n"),
        ("from/c.py", "def gone():\n    pass\n"),
        ("from/d.ts", "export const text = '\r\n';\n"),
        ("from/package.json", "{ \"name\": \"shop\" }\n"),
    ]);
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    git(&from, &["init", "-q", "-b", "main", "--template=", "."]);
    git(&from, &["add", "."]);
    git(&from, &["commit", "-q", "-m", "first"]);
    update(&from);
    git(dir.path(), &["clone", "-q", "from", "to"]);
    fs::create_dir_all(to.join(".aidd")).expect("created");
    let database = ".aidd/data.index.db";
    fs::copy(from.join(database), to.join(database)).expect("copied");
    let done = update(&to);
    assert_eq!((done.files, done.changed, done.built), (4, 0, false));
    // Of the same size, and not known to Git.
    std::thread::sleep(Duration::from_millis(50));
    write(&to, "a.py", "def ten():\n    pass\n");
    write(&to, "new.py", "def three():\n    pass\n");
    fs::remove_file(to.join("c.py")).expect("removed");
    assert_eq!(update(&to).changed, 3);
    let before = dump(&to);
    assert_eq!(before, dump_fresh(&to));
    // Git takes the change over.
    git(&to, &["add", "-A"]);
    assert_eq!(update(&to).changed, 0);
    assert_eq!(before, dump(&to));
}
