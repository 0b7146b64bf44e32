//! Several processes, and processes that are killed.

use super::{dump, dump_fresh, project, update, write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The project of the child process.
const ROOT: &str = "AIDD_INDEX_TEST_ROOT";

/// Updates the index of the project in the environment until it is killed.
#[test]
#[ignore = "runs in a child process"]
fn child() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    for round in 0..10_000 {
        let root = std::path::Path::new(&root);
        write(root, "a.py", &format!("def f{round}():\n    g{}()\n", round % 7));
        if round % 5 == 0 {
            crate::store::remove(root).expect("removed");
        }
        update(root);
    }
}

#[test]
fn an_index_whose_process_was_killed_is_brought_up_to_date() {
    let mut files: Vec<(String, String)> = Vec::new();
    for at in 0..40 {
        files.push((format!("m{at}.py"), format!("def g{at}():\n    g{}()\n", at + 1)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let dir = project(&files);
    let program = std::env::current_exe().expect("this program");
    for round in 0..12_u64 {
        let mut child = Command::new(&program)
            .args(["--exact", "tests::processes::child", "--ignored", "--test-threads=1"])
            .env(ROOT, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        std::thread::sleep(Duration::from_millis(60 + 23 * round));
        child.kill().expect("killed");
        child.wait().expect("ended");
        update(dir.path());
        let edited = dump(dir.path());
        assert_eq!(edited, dump_fresh(dir.path()), "round {round}");
    }
}

#[test]
fn several_processes_can_update_at_once() {
    let dir = project(&[("a.py", "def f():\n    g()\n\ndef g():\n    pass\n")]);
    std::thread::scope(|scope| {
        for at in 0..4 {
            let root = dir.path();
            scope.spawn(move || {
                for round in 0..8 {
                    write(root, &format!("t{at}.py"), &format!("def h{at}_{round}(): pass\n"));
                    update(root);
                }
            });
        }
    });
    update(dir.path());
    let edited = dump(dir.path());
    assert_eq!(edited, dump_fresh(dir.path()));
}
