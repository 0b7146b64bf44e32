//! Tests of walks over directories created for the tests.

use super::job::WINDOW;
use super::*;
use crate::check::Selection;
use crate::rules::registry::Registry;
use std::fs;
use std::sync::atomic::AtomicUsize;

fn engine() -> Engine {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
}

fn run(root: &Path, jobs: usize, no_ignore: bool) -> Outcome {
    let walk = Walk { jobs, no_ignore, ..Walk::over(vec![root.to_owned()]) };
    check_tree(&engine(), &Config::default(), &Disk::new(root), &walk, &|| ()).expect("no globs")
}

/// A token that is only complete once concatenated, so that this file has no secret.
fn token() -> String {
    format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T")
}

fn finding_positions(outcome: &Outcome) -> Vec<(String, u64)> {
    let positions = |file: &FileReport| {
        let path = file.source.path().to_owned();
        let origin = file.source.origin().offset;
        file.checked
            .findings
            .iter()
            .map(move |finding| (path.clone(), origin + u64::from(finding.span.start)))
            .collect::<Vec<_>>()
    };
    outcome.files.iter().flat_map(positions).collect()
}

#[test]
fn the_order_does_not_depend_on_threads_and_ignored_files_are_excluded() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    fs::create_dir_all(root.join(".git")).expect("created");
    fs::write(root.join(".gitignore"), "ignored\n").expect("written");
    for name in ["b", "a", ".env", "c/d", "ignored"] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent directory")).expect("created");
        fs::write(path, format!("token = {}\n", token())).expect("written");
    }
    let sequential = finding_positions(&run(root, 1, false));
    assert_eq!(
        sequential.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        [".env", "a", "b", "c/d"]
    );
    assert_eq!(sequential, finding_positions(&run(root, 8, false)));
    assert_eq!(finding_positions(&run(root, 2, true)).len(), 5);
}

#[test]
fn the_listed_files_are_the_files_that_a_run_checks() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    fs::create_dir_all(root.join(".git")).expect("created");
    fs::write(root.join(".gitignore"), "ignored\n").expect("written");
    // The `.git` file of a submodule.
    fs::create_dir_all(root.join("c")).expect("created");
    fs::write(root.join("c/.git"), format!("gitdir: {}\n", token())).expect("written");
    for name in ["b", ".env", "c/d", "c/out/e", "ignored"] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent directory")).expect("created");
        fs::write(path, format!("token = {}\n", token())).expect("written");
    }
    let config = Config { exclude: Some(vec!["out/".into()]), ..Config::default() };
    let (disk, mut walk) = (Disk::new(root), Walk::over(vec![root.to_owned()]));
    let listed = list(&config, &disk, &walk).expect("no globs");
    let tree = check_tree(&engine(), &config, &disk, &walk, &|| ()).expect("no globs");
    assert_eq!(listed, tree.visited);
    let run = |stop: bool| {
        let (paths, stop) = (listed.iter().map(String::as_str), AtomicBool::new(stop));
        finding_positions(&check_listed(&engine(), &disk, &disk, paths, &stop))
    };
    assert_eq!(run(false), finding_positions(&tree));
    assert_eq!(run(true), []);
    walk.only = Some(["c/d".to_owned(), "ignored".to_owned()].into());
    let limited = list(&config, &disk, &walk).expect("no globs");
    assert_eq!(limited, ["c/d".to_owned()].into());
}

#[test]
fn a_stopped_walk_does_not_check_further_files() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in 0..200 {
        fs::write(dir.path().join(name.to_string()), "a\n").expect("written");
    }
    let stop: Arc<AtomicBool> = Arc::default();
    let walk =
        Walk { jobs: 1, stop: Some(stop.clone()), ..Walk::over(vec![dir.path().to_owned()]) };
    let disk = Disk::new(dir.path());
    let tree = |done: &(dyn Fn() + Sync)| {
        let outcome = check_tree(&engine(), &Config::default(), &disk, &walk, done);
        outcome.expect("no globs").checked
    };
    assert_eq!(tree(&|| ()), 200);
    let seen = AtomicUsize::new(0);
    let checked = tree(&|| {
        if seen.fetch_add(1, Ordering::Relaxed) == 9 {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert_eq!(checked, 10);
    let paths: Vec<String> = (0..200).map(|name| name.to_string()).collect();
    let files = |stop| {
        let outcome = check_files(&engine(), &Config::default(), &disk, &paths, 1, stop);
        outcome.expect("no globs").checked
    };
    assert_eq!((files(None), files(walk.stop())), (200, 0));
}

#[test]
fn a_secret_far_into_a_large_file_is_found_at_its_position() {
    let dir = tempfile::tempdir().expect("a directory");
    let line = "nothing to see here, only words and words and words\n";
    let mut text = line.repeat((WINDOW - 100) / line.len());
    // One secret extends over the end of the first window, one is far behind it, and one is at the
    // very end.
    let mut expected = Vec::new();
    for (gap, end) in [(0, "a"), (3 * WINDOW, "b"), (WINDOW / 2, "c")] {
        text.push_str(&line.repeat(gap / line.len()));
        expected.push(text.len() as u64 + 8);
        // The values differ, because a repeated value is reported only once.
        let mut value = token();
        value.replace_range(value.len() - 1.., end);
        text.push_str(&format!("token = {value}\n"));
    }
    fs::write(dir.path().join("dump.log"), &text).expect("written");
    let outcome = run(dir.path(), 1, false);
    let found: Vec<u64> =
        finding_positions(&outcome).into_iter().map(|(_, offset)| offset).collect();
    assert_eq!(found, expected);
    let last = outcome.files.last().expect("a window");
    let finding = last.checked.findings.last().expect("a finding");
    let at = last.source.position(finding.span.start, crate::text::source::Encoding::CodePoints);
    assert_eq!(
        at.line as usize + 1,
        text[..usize::try_from(expected[2]).expect("small")].lines().count()
    );
}

#[test]
fn unusual_files_do_not_cause_failures() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    fs::write(root.join("empty"), "").expect("written");
    fs::write(root.join("picture.png"), b"\x89PNG\0\0\0").expect("written");
    fs::write(root.join("latin1.txt"), b"caf\xE9 \xFF\n").expect("written");
    fs::write(root.join("Dockerfile"), b"FROM caf\xE9:1\n").expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::os::unix::fs::symlink(root, root.join("loop")).expect("linked");
        fs::write(root.join(std::ffi::OsStr::from_bytes(b"na\xFFme")), format!("x = {}", token()))
            .expect("written");
    }
    let outcome = run(root, 2, false);
    assert!(outcome.checked >= 4);
    assert_eq!(outcome.skipped, []);
    #[cfg(unix)]
    assert_eq!(finding_positions(&outcome).len(), 1);
}

const NAME_PAGE: &str = "---\nseverity: error\ncheck:\n  tree: { each: 'src/*.rs', name: snake }\n---\n# t/named\n\nWhy.\n";
const WORD_PAGE: &str = "---\nseverity: error\ncheck:\n  text: { regex: 'blue', keywords: [blue] }\n---\n# t/word\n\nWhy.\n";

/// The findings in files with a rule of each pass, one line each.
fn findings_of_both_passes(files: &[(&str, &str)]) -> String {
    use std::fmt::Write as _;
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent directory")).expect("created");
        // So that this file does not contain an allow comment.
        fs::write(path, text.replace("ALLOW", "aidd:allow")).expect("written");
    }
    let pages = [("rules/a.md", NAME_PAGE), ("rules/b.md", WORD_PAGE)];
    let registry = Registry::new(
        crate::DISTRIBUTION.pages,
        &pages.map(|(path, page)| (path.to_owned(), page.to_owned())),
    );
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("an engine");
    let walk = Walk::over(vec![root.to_owned()]);
    let outcome = check_tree(&engine, &Config::default(), &Disk::new(root), &walk, &|| ());
    let mut lines = String::new();
    for FileReport { source, checked } in outcome.expect("no globs").files {
        assert!(checked.findings.iter().all(|finding| finding.id.len() == 16));
        for finding in checked.findings {
            let line = source.line_of(finding.span.start) + 1;
            let _ = writeln!(lines, "{}:{line} {} {}", source.path(), finding.rule, finding.status);
        }
    }
    lines
}

#[test]
fn a_comment_is_unused_only_when_neither_pass_needs_it() {
    // Comments needed only by the project pass, only by the file pass, and by neither.
    insta::assert_snapshot!(
        findings_of_both_passes(&[
            ("src/BadName.rs", "// ALLOW-file t/named it is old\n"),
            ("src/WorseName.rs", "// ALLOW-file t/word, t/named it is old\n"),
            ("src/fine.rs", "// ALLOW t/word, t/named why\nblue\n"),
            ("src/none.rs", "// ALLOW-file t/named why\nblue\n"),
            ("src/nothing.rs", "// ALLOW-file t/* why\n"),
            ("src/other.rs", "// ALLOW t/word why\n// ALLOW-file t/named why\n"),
        ]),
        @"
    src/BadName.rs:1 t/named allowed
    src/WorseName.rs:1 t/named allowed
    src/fine.rs:2 t/word allowed
    src/none.rs:1 aidd/unused-allow new
    src/none.rs:2 t/word new
    src/nothing.rs:1 aidd/unused-allow new
    src/other.rs:1 aidd/unused-allow new
    src/other.rs:2 aidd/unused-allow new
    "
    );
}

#[test]
fn files_are_opened_only_if_a_rule_reads_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    for name in ["Bad Name", "good-name"] {
        fs::write(root.join(name), format!("token = {}\n", token())).expect("written");
    }
    let page = "---\nseverity: warning\ncheck:\n  tree: { each: '**', name: kebab }\n---\n# team/name\n\nWhy.\n";
    let run = |only: &[&str]| {
        let registry =
            Registry::new(crate::DISTRIBUTION.pages, &[("rules/name.md".into(), page.into())]);
        let only = only.iter().map(|&name| name.to_owned()).collect();
        let selection = Selection { only, ..Selection::default() };
        let engine = Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
            .expect("an engine");
        let walk = Walk::over(vec![root.to_owned()]);
        check_tree(&engine, &Config::default(), &Disk::new(root), &walk, &|| ()).expect("no globs")
    };
    let names = run(&["team/name"]);
    assert_eq!((names.checked, names.bytes, names.visited.len()), (2, 0, 2));
    assert_eq!(names.checked_by_rule.get("team/name"), Some(&2));
    assert_eq!(finding_positions(&names), [("Bad Name".to_owned(), 0)]);
    let both = run(&["team/name", "secrets/*"]);
    assert!(both.bytes > 0 && both.files.len() == 3, "{:?}", finding_positions(&both));
}

#[test]
fn nul_bytes_in_text_do_not_hide_secrets() {
    let dir = tempfile::tempdir().expect("a directory");
    let secret = token();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let mut program = b"\x7fELF\x02\x01\x01".to_vec();
    program.extend([0; 300]);
    program.extend(secret.as_bytes());
    let large = |start: &str| {
        let mut bytes = start.as_bytes().to_vec();
        bytes.resize(3 << 20, b'a');
        bytes.extend(format!("\n{secret}\n").as_bytes());
        bytes
    };
    let files: [(&str, Vec<u8>); 9] = [
        ("environ.txt", format!("LANG=C\0SHELL=sh\0TOKEN={secret}\0").into()),
        ("notes.md", format!("A stray \0 byte.\n\n{secret}\n").into()),
        ("script.ps1", utf16(&format!("$token = '{secret}'\n"))),
        ("program", program.clone()),
        ("video.ts", program),
        ("dump.ts", b"PGDMP\0\x01\x0e\0\xff\x04\x08\x01".into()),
        ("packed.ts", (1..=255).collect()),
        ("large.txt", large("text ")),
        ("large.log", large("text with \0 ")),
    ];
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).expect("written");
    }
    let outcome = run(dir.path(), 1, true);
    let found: Vec<String> =
        finding_positions(&outcome).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, ["environ.txt", "large.log", "large.txt", "notes.md"]);
    let skipped: Vec<(&str, &str)> = outcome
        .skipped
        .iter()
        .map(|skipped| (skipped.path.as_str(), skipped.why.split(':').next().unwrap_or_default()))
        .collect();
    let utf16 = ("script.ps1", "UTF-16 without a byte order mark");
    let binary = ["dump.ts", "packed.ts", "video.ts"].map(|name| (name, "binary"));
    for expected in [("notes.md", "contains NUL bytes"), utf16].into_iter().chain(binary) {
        assert!(skipped.contains(&expected), "{expected:?} in {skipped:?}");
    }
    assert!(!skipped.iter().any(|(path, _)| *path == "program"));
}

#[test]
fn a_large_utf16_file_is_reported_as_partly_searched() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut bytes = vec![0xFF, 0xFE];
    let text = format!("{}\n", "a".repeat(WINDOW / 2));
    bytes.extend(format!("{}\n{text}", token()).encode_utf16().flat_map(u16::to_le_bytes));
    fs::write(dir.path().join("dump.sql"), bytes).expect("written");
    let outcome = run(dir.path(), 1, true);
    assert_eq!(finding_positions(&outcome).len(), 1);
    assert!(outcome.skipped.iter().any(|skipped| skipped.why.starts_with("UTF-16: only")));
}
