//! After a series of edits, renames, commits, branch switches and killed updates, the index equals one
//! that is built from scratch.

use super::freshness::{PATHS, apply, start, texts};
use super::{dump, dump_fresh, update, write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The project of the child process.
const ROOT: &str = "AIDD_INDEX_SERIES_ROOT";
/// The number of series; default: [`DEFAULT`].
const COUNT: &str = "AIDD_INDEX_SERIES";
const DEFAULT: u64 = 8;

/// Updates the index of the project in the environment until it is killed.
#[test]
#[ignore = "runs in a child process"]
fn child() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    for _ in 0..10_000 {
        update(Path::new(&root));
    }
}

/// A sequence of numbers that depends only on its start (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("a small number")
    }
}

fn git(root: &Path, args: &[&str]) {
    let set = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "gc.auto=0"];
    let mut command = Command::new("git");
    command.args(set).args(args).current_dir(root);
    // Without changes, a commit fails.
    let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("git");
}

fn update_and_kill(root: &Path, after: Duration) {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args(["--exact", "tests::series::child", "--ignored", "--test-threads=1"])
        .env(ROOT, root)
        .stdout(Stdio::null())
        .spawn()
        .expect("a process");
    std::thread::sleep(after);
    child.kill().expect("killed");
    child.wait().expect("ended");
}

fn run(seed: u64) {
    let mut numbers = Numbers(seed);
    let dir = start();
    let root = dir.path();
    for (at, path) in PATHS.iter().enumerate() {
        let all = texts(path);
        write(root, path, all[(at + numbers.below(all.len())) % all.len()]);
    }
    git(root, &["init", "-q", "-b", "main", "."]);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    update(root);
    let mut steps = Vec::new();
    for _ in 0..2 + numbers.below(4) {
        for _ in 0..1 + numbers.below(3) {
            let change = (numbers.below(PATHS.len()), numbers.below(8) as u8, numbers.below(64));
            steps.push(format!("{change:?}"));
            apply(root, change);
        }
        match numbers.below(6) {
            0 => {
                steps.push("commit on a new branch".to_owned());
                let name = format!("b{}", steps.len());
                git(root, &["checkout", "-q", "-b", &name]);
                git(root, &["add", "-A"]);
                git(root, &["commit", "-q", "-m", "next"]);
            }
            1 | 2 => {
                steps.push("switch to main".to_owned());
                git(root, &["add", "-A"]);
                git(root, &["commit", "-q", "-m", "next"]);
                git(root, &["checkout", "-q", "-f", "-B", "other"]);
                git(root, &["checkout", "-q", "-f", ["main", "main~1"][numbers.below(2)]]);
            }
            3 | 4 => {
                let after = Duration::from_millis(numbers.below(60) as u64);
                steps.push(format!("kill after {after:?}"));
                update_and_kill(root, after);
            }
            _ => {}
        }
        if numbers.below(4) > 0 {
            update(root);
        }
    }
    update(root);
    let edited = dump(root);
    for (table, fresh) in dump_fresh(root) {
        let only = |of: &[String], other: &[String]| -> Vec<String> {
            of.iter().filter(|row| !other.contains(row)).cloned().collect()
        };
        let (extra, missing) = (only(&edited[table], &fresh), only(&fresh, &edited[table]));
        assert!(
            edited[table] == fresh,
            "{table} of series {seed} after {steps:?}: extra {extra:?}, missing {missing:?}"
        );
    }
}

#[test]
fn an_index_equals_a_fresh_one_after_edits_branch_switches_and_kills() {
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok());
    let (count, next) = (count.unwrap_or(DEFAULT), AtomicU64::new(0));
    // Most of the time is spent waiting for processes and the disk.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(seed) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < count)
                {
                    run(seed);
                }
            });
        }
    });
}

/// How often the texts of a language refer to another file and declare a route, over all pairs of texts.
fn uses(extension: &str) -> (u32, u32) {
    let (mut references, mut routes) = (0, 0);
    let all = texts(&format!("a.{extension}"));
    let dir = super::project(&[]);
    let named = |text: &str, name: &str| match text.starts_with("Rails") {
        true => "config/routes.rb".to_owned(),
        false => format!("{name}.{extension}"),
    };
    for (at, first) in all.iter().enumerate() {
        for second in &all[at + 1..] {
            let paths = [named(first, "a"), named(second, "b")];
            write(dir.path(), &paths[0], first);
            write(dir.path(), &paths[1], second);
            update(dir.path());
            let connection = crate::store::open_read_only(dir.path()).expect("an index");
            let count = |sql: &str| -> u32 {
                connection.query_row(sql, [], |row| row.get(0)).expect("a number")
            };
            references += count(
                "SELECT count(*) FROM refs JOIN symbols ON symbols.id = target
                 WHERE certainty = 'proved' AND refs.file <> symbols.file",
            );
            routes += count("SELECT count(*) FROM routes WHERE handler IS NOT NULL");
            for path in paths {
                std::fs::remove_file(dir.path().join(path)).expect("removed");
            }
        }
    }
    (references, routes)
}

#[test]
fn the_texts_refer_to_other_files_and_declare_routes() {
    for extension in ["java", "kt", "cs", "php", "rb"] {
        let (references, routes) = uses(extension);
        assert!(references >= 25 && routes > 0, "{extension}: {references}, {routes}");
    }
}
