//! Walks over trees created for the tests.

use super::job::WINDOW;
use super::*;
use crate::check::Selection;
use crate::rules::registry::Registry;
use std::fs;

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

fn places(outcome: &Outcome) -> Vec<(String, u64)> {
    let place = |file: &FileReport| {
        let path = file.source.path().to_owned();
        let origin = file.source.origin().offset;
        file.checked
            .findings
            .iter()
            .map(move |finding| (path.clone(), origin + u64::from(finding.span.start)))
            .collect::<Vec<_>>()
    };
    outcome.files.iter().flat_map(place).collect()
}

#[test]
fn the_order_does_not_depend_on_threads_and_ignored_files_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join(".git")).expect("made");
    fs::write(root.join(".gitignore"), "ignored\n").expect("written");
    for name in ["b", "a", ".env", "c/d", "ignored"] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        fs::write(path, format!("token = {}\n", token())).expect("written");
    }
    let one = places(&run(root, 1, false));
    assert_eq!(
        one.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        [".env", "a", "b", "c/d"]
    );
    assert_eq!(one, places(&run(root, 8, false)));
    assert_eq!(places(&run(root, 2, true)).len(), 5);
}

#[test]
fn listed_files_are_those_a_tree_run_checks() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join(".git")).expect("made");
    fs::write(root.join(".gitignore"), "ignored\n").expect("written");
    // The `.git` file of a submodule.
    fs::create_dir_all(root.join("c")).expect("made");
    fs::write(root.join("c/.git"), format!("gitdir: {}\n", token())).expect("written");
    for name in ["b", ".env", "c/d", "c/out/e", "ignored"] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        fs::write(path, format!("token = {}\n", token())).expect("written");
    }
    let config = Config { exclude: Some(vec!["out/".into()]), ..Config::default() };
    let (disk, mut walk) = (Disk::new(root), Walk::over(vec![root.to_owned()]));
    let listed = list(&config, &disk, &walk).expect("no globs");
    let tree = check_tree(&engine(), &config, &disk, &walk, &|| ()).expect("no globs");
    assert_eq!(listed, tree.met);
    let run = |stop: bool| {
        let (paths, stop) = (listed.iter().map(String::as_str), AtomicBool::new(stop));
        places(&check_listed(&engine(), &disk, &disk, paths, &stop))
    };
    assert_eq!(run(false), places(&tree));
    assert_eq!(run(true), []);
    walk.only = Some(["c/d".to_owned(), "ignored".to_owned()].into());
    let one = list(&config, &disk, &walk).expect("no globs");
    assert_eq!(one, ["c/d".to_owned()].into());
}

#[test]
fn a_walk_that_is_stopped_begins_no_further_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in 0..200 {
        fs::write(folder.path().join(name.to_string()), "a\n").expect("written");
    }
    let stop: Arc<AtomicBool> = Arc::default();
    let walk =
        Walk { jobs: 1, stop: Some(stop.clone()), ..Walk::over(vec![folder.path().to_owned()]) };
    let disk = Disk::new(folder.path());
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
fn a_secret_far_into_a_large_file_is_found_at_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "nothing to see here, only words and words and words\n";
    let mut text = line.repeat((WINDOW - 100) / line.len());
    // Across the end of the first window, again far behind it, and at the very end.
    let mut wanted = Vec::new();
    for (gap, end) in [(0, "a"), (3 * WINDOW, "b"), (WINDOW / 2, "c")] {
        text.push_str(&line.repeat(gap / line.len()));
        wanted.push(text.len() as u64 + 8);
        // Different values, because a repeated one is reported once.
        let mut value = token();
        value.replace_range(value.len() - 1.., end);
        text.push_str(&format!("token = {value}\n"));
    }
    fs::write(folder.path().join("dump.log"), &text).expect("written");
    let outcome = run(folder.path(), 1, false);
    let found: Vec<u64> = places(&outcome).into_iter().map(|(_, offset)| offset).collect();
    assert_eq!(found, wanted);
    let last = outcome.files.last().expect("a window");
    let finding = last.checked.findings.last().expect("a finding");
    let at = last.source.position(finding.span.start, crate::text::source::Encoding::CodePoints);
    assert_eq!(
        at.line as usize + 1,
        text[..usize::try_from(wanted[2]).expect("small")].lines().count()
    );
}

#[test]
fn odd_files_are_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
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
    assert_eq!(places(&outcome).len(), 1);
}

const NAMED: &str = "---\nseverity: error\ncheck:\n  tree: { each: 'src/*.rs', name: snake }\n---\n# t/named\n\nWhy.\n";
const WORD: &str = "---\nseverity: error\ncheck:\n  text: { regex: 'blue', keywords: [blue] }\n---\n# t/word\n\nWhy.\n";

/// The findings in files with a rule of each pass, one line each.
fn both_passes(files: &[(&str, &str)]) -> String {
    use std::fmt::Write as _;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        // So that this file does not contain an allow comment.
        fs::write(path, text.replace("ALLOW", "aidd:allow")).expect("written");
    }
    let pages = [("rules/a.md", NAMED), ("rules/b.md", WORD)];
    let registry = Registry::new(
        crate::DISTRIBUTION.pages,
        &pages.map(|(path, page)| (path.to_owned(), page.to_owned())),
    );
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
            .expect("an engine");
    let walk = Walk::over(vec![root.to_owned()]);
    let outcome = check_tree(&engine, &Config::default(), &Disk::new(root), &walk, &|| ());
    let mut shown = String::new();
    for FileReport { source, checked } in outcome.expect("no globs").files {
        assert!(checked.findings.iter().all(|finding| finding.id.len() == 16));
        for one in checked.findings {
            let line = source.line_of(one.span.start) + 1;
            let _ = writeln!(shown, "{}:{line} {} {}", source.path(), one.rule, one.status);
        }
    }
    shown
}

#[test]
fn a_comment_is_unused_only_when_neither_pass_needs_it() {
    // Comments needed only by the project pass, only by the file pass, and by neither.
    insta::assert_snapshot!(
        both_passes(&[
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
fn files_are_opened_only_where_a_rule_looks_into_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
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
    assert_eq!((names.checked, names.bytes, names.met.len()), (2, 0, 2));
    assert_eq!(names.checked_by_rule.get("team/name"), Some(&2));
    assert_eq!(places(&names), [("Bad Name".to_owned(), 0)]);
    let both = run(&["team/name", "secrets/*"]);
    assert!(both.bytes > 0 && both.files.len() == 3, "{:?}", places(&both));
}

#[test]
fn nul_bytes_in_text_do_not_hide_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
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
    let files: [(&str, Vec<u8>); 7] = [
        ("environ.txt", format!("LANG=C\0SHELL=sh\0TOKEN={secret}\0").into()),
        ("notes.md", format!("A stray \0 byte.\n\n{secret}\n").into()),
        ("script.ps1", utf16(&format!("$token = '{secret}'\n"))),
        ("program", program.clone()),
        ("video.ts", program),
        ("large.txt", large("text ")),
        ("large.log", large("text with \0 ")),
    ];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    let outcome = run(folder.path(), 1, true);
    let found: Vec<String> = places(&outcome).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, ["environ.txt", "large.log", "large.txt", "notes.md"]);
    let named: Vec<(&str, &str)> = outcome
        .skipped
        .iter()
        .map(|skipped| (skipped.path.as_str(), skipped.why.split(':').next().unwrap_or_default()))
        .collect();
    let utf16 = ("script.ps1", "UTF-16 without a byte order mark");
    for expected in [("notes.md", "contains NUL bytes"), utf16, ("video.ts", "binary")] {
        assert!(named.contains(&expected), "{expected:?} in {named:?}");
    }
    assert!(!named.iter().any(|(path, _)| *path == "program"));
}

#[test]
fn a_large_utf16_file_is_named_beyond_its_first_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = vec![0xFF, 0xFE];
    let text = format!("{}\n", "a".repeat(WINDOW / 2));
    bytes.extend(format!("{}\n{text}", token()).encode_utf16().flat_map(u16::to_le_bytes));
    fs::write(folder.path().join("dump.sql"), bytes).expect("written");
    let outcome = run(folder.path(), 1, true);
    assert_eq!(places(&outcome).len(), 1);
    assert!(outcome.skipped.iter().any(|skipped| skipped.why.starts_with("UTF-16: only")));
}
