//! Tests of `--fix`, `--fix-unsafe`, and the patches of `--dry-run`.

use crate::cli::support::{BLUE, CONSOLE, Project, token};
use insta::assert_snapshot;

fn project() -> Project {
    Project::new(&[
        ("rules/blue.md", BLUE),
        ("rules/console.md", CONSOLE),
        ("a.txt", "a blue sky,\na blue sea\n"),
        ("src/a.js", "console.log(x)\n"),
    ])
}

#[test]
fn safe_fixes_are_applied_and_others_are_reported() {
    let project = project();
    let output = project.run(&["check", ".", "--fix"]).expect_code(1);
    assert_eq!(output.err, "fixed 2 problems in 1 file\n");
    assert!(output.out.contains("1 error in 4 files (TIME); 1 fixable with --fix-unsafe\n"));
    assert_eq!(project.read("a.txt"), "a teal sky,\na teal sea\n");
    assert_eq!(project.read("src/a.js"), "console.log(x)\n");
    let output = project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(output.err, "fixed 1 problem in 1 file\n");
    assert_eq!(project.read("src/a.js"), "logger.log(x)\n");
    assert_eq!(project.run(&["check", ".", "--fix-unsafe"]).expect_code(0).err, "");
}

#[test]
fn a_dry_run_prints_a_patch_and_changes_nothing() {
    let project = project();
    let output = project.run(&["check", ".", "--fix-unsafe", "--dry-run"]).expect_code(1);
    assert_snapshot!(output.out, @r"
    --- a/a.txt
    +++ b/a.txt
    @@ -1,2 +1,2 @@
    -a blue sky,
    -a blue sea
    +a teal sky,
    +a teal sea
    --- a/src/a.js
    +++ b/src/a.js
    @@ -1 +1 @@
    -console.log(x)
    +logger.log(x)
    ");
    assert_eq!(output.err, "would fix 3 problems in 2 files\n");
    assert_eq!(project.read("a.txt"), "a blue sky,\na blue sea\n");
    let output = project.run(&["check", "rules", "--fix", "--dry-run"]).expect_code(0);
    assert_eq!((output.out.as_str(), output.err.as_str()), ("", "nothing to fix\n"));
}

/// A rule whose fix does not remove its finding.
const INEFFECTIVE_FIX: &str = "---
severity: warning
check:
  files: [\"*.txt\", \"*.json\"]
  text: { regex: 'stays' }
  fix: { replace: 'stays!', safe: true }
---
# team/stays

Why.
";

#[test]
fn a_fix_that_does_not_remove_its_finding_is_undone_and_reported() {
    let project = project();
    project.write("rules/stays.md", INEFFECTIVE_FIX);
    let quote =
        INEFFECTIVE_FIX.replace("stays!", "one").replace("regex: 'stays'", "regex: '\"odd\":'");
    project.write("rules/quote.md", quote.replace("team/stays", "team/quote"));
    project.write("b.txt", "it stays\nblue\n");
    project.write("b.json", "{\"odd\": 1}\n");
    let dry = project.run(&["check", ".", "--fix", "--dry-run"]).expect_code(1);
    let notes = "note: fix of `team/quote` at b.json:1:2 undone: the file no longer parsed as JSON\n\
                 note: fix of `team/stays` at b.txt:1:4 undone: the finding remained\n";
    assert_eq!(dry.err, format!("{notes}would fix 3 problems in 2 files\n"));
    let output = project.run(&["check", ".", "--fix"]).expect_code(1);
    assert_eq!(output.err, format!("{notes}fixed 3 problems in 2 files\n"));
    assert_eq!(project.read("b.txt"), "it stays\nteal\n");
    assert_eq!(project.read("b.json"), "{\"odd\": 1}\n");
    let args = ["check", "-", "--fix", "--stdin-path", "c.txt"];
    let output = project.run_with(b"stays blue", &args).expect_code(0);
    assert_eq!(output.out, "stays teal");
    assert_eq!(output.err, "note: fix of `team/stays` at c.txt:1:1 undone: the finding remained\n");
}

#[test]
fn a_file_created_by_a_fix_is_checked() {
    let rule = |id: &str, tree: &str, fix: &str| {
        format!(
            "---\nseverity: warning\ncheck:\n  tree: {{ {tree} }}\n  fix: {{ {fix}: true }}\n---\n# t/{id}\n\nWhy.\n\n## Template\n\n```txt\nforbidden\n```\n"
        )
    };
    let error = "---\nseverity: error\ncheck:\n  text: { regex: 'forbidden' }\n  files: ['*.txt']\n---\n# t/word\n\nWhy.\n";
    let project = Project::new(&[
        (
            "rules/made.md",
            &rule("made", "each: 'packages/<pkg>/', exists: ['<dir>/docs/made.txt']", "create"),
        ),
        ("rules/word.md", error),
        ("packages/x/a", "a"),
    ]);
    let output = project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    let note = "note: fix of `t/made` at packages/docs/made.txt undone: ";
    assert!(output.err.starts_with(note), "{}", output.err);
    assert!(
        output.err.ends_with(" undone: the fix added an error of `t/word` on line 1\n"),
        "{}",
        output.err
    );
    assert!(!project.path().join("packages/docs").exists());
    project.write("rules/word.md", error.replace("forbidden", "other"));
    let output = project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(output.err, "fixed 1 problem in 1 file\n");
    assert!(project.path().join("packages/docs/made.txt").exists());
}

#[test]
fn standard_input_is_fixed_to_standard_output() {
    let project = project();
    let args = ["check", "-", "--fix", "--stdin-path", "b.txt"];
    let output = project.run_with(b"one blue", &args).expect_code(0);
    assert_eq!(output.out, "one teal");
    let output = project.run_with(b"one teal", &args).expect_code(0);
    assert_eq!(output.out, "one teal");
    let output =
        project.run_with(b"one blue\n", &[&args[..], &["--dry-run"]].concat()).expect_code(1);
    assert_snapshot!(output.out, @r"
    --- a/b.txt
    +++ b/b.txt
    @@ -1 +1 @@
    -one blue
    +one teal
    ");
}

#[test]
fn a_patch_does_not_contain_secrets() {
    let project = project();
    project.write("a.txt", format!("{}\na blue sky\n", token()));
    let output = project.run(&["check", "a.txt", "--fix", "--dry-run"]).expect_code(1);
    assert!(!output.out.contains(&token()), "the patch contains a secret");
    assert!(output.out.contains("+a teal sky"), "{}", output.out);
    project.run(&["check", "a.txt", "--fix"]).expect_code(1);
    assert_eq!(project.read("a.txt"), format!("{}\na teal sky\n", token()));
}

#[test]
fn line_endings_and_byte_order_marks_are_preserved() {
    let project = project();
    for (before, after) in
        [("\u{FEFF}blue\r\nsky\r\n", "\u{FEFF}teal\r\nsky\r\n"), ("sky\rblue", "sky\rteal")]
    {
        project.write("a.txt", before);
        project.run(&["check", "a.txt", "--fix"]).expect_code(0);
        assert_eq!(project.read("a.txt"), after);
    }
}

/// In a UTF-16 file, spans do not match bytes, so the file is checked but not fixed.
#[test]
fn a_file_in_utf_16_is_not_fixed() {
    let project = project();
    let bytes: Vec<u8> = "\u{FEFF}blue".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.write("a.txt", &bytes);
    let output = project.run(&["check", "a.txt", "--fix"]).expect_code(0);
    assert!(output.out.contains("1 warning"), "{}", output.out);
    assert_eq!(std::fs::read(project.path().join("a.txt")).expect("an existing path"), bytes);
}

#[cfg(unix)]
#[test]
fn a_fixed_file_keeps_its_permissions_and_its_link() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = project();
    let target = project.path().join("a.txt");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("set");
    symlink("a.txt", project.path().join("link.txt")).expect("linked");
    project.run(&["check", "link.txt", "--fix"]).expect_code(0);
    assert_eq!(project.read("a.txt"), "a teal sky,\na teal sea\n");
    assert!(project.path().join("link.txt").is_symlink(), "the link was replaced");
    let mode = fs::metadata(&target).expect("an existing path").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links_out_of_the_project() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = project();
    let outside = tempfile::tempdir().expect("a directory");
    let text = |path: &std::path::Path| std::fs::read_to_string(path).expect("text");
    for path in [outside.path().join("b.txt"), project.path().join(".git/c.txt")] {
        std::fs::write(path, "a blue sky\n").expect("written");
    }
    symlink(outside.path().join("b.txt"), project.path().join("out.txt")).expect("linked");
    symlink(outside.path(), project.path().join("dir")).expect("linked");
    symlink(".git/c.txt", project.path().join("store.txt")).expect("linked");
    symlink("a.txt", project.path().join("in.txt")).expect("linked");
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(project.path().join("a.txt"), mode).expect("set");
    let output =
        project.run(&["check", "in.txt", "out.txt", "dir/b.txt", "dir", "store.txt", "--fix"]);
    for (path, why) in [
        ("out.txt", "symbolic link leaves the root"),
        ("dir/b.txt", "symbolic link leaves the root"),
        ("store.txt", "file inside a version control directory"),
    ] {
        assert!(
            output.err.contains(&format!("note: skipped fixes of {path}: {why}\n")),
            "{}",
            output.err
        );
    }
    assert_eq!(text(&outside.path().join("b.txt")), "a blue sky\n");
    assert_eq!(text(&project.path().join(".git/c.txt")), "a blue sky\n");
    // If a link leads to a file within the project, the target is fixed and the link remains.
    assert_eq!(project.read("a.txt"), "a teal sky,\na teal sea\n");
    assert!(project.path().join("in.txt").is_symlink());
    let mode = std::fs::metadata(project.path().join("a.txt"))
        .expect("an existing path")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn no_file_is_created_outside_the_project_or_in_a_version_control_directory() {
    let rule = |id: &str, to: &str| {
        format!(
            "---\nseverity: error\ncheck:\n  tree: {{ each: 'packages/<pkg>/', exists: ['{to}'] }}\n  fix: {{ create: true }}\n---\n# t/{id}\n\nWhy.\n\n## Template\n\n```txt\nmade\n```\n"
        )
    };
    let outside = tempfile::tempdir().expect("a directory");
    let project = Project::new(&[
        ("rules/a.md", &rule("out", "dir/made.txt")),
        ("rules/b.md", &rule("store", ".git/hooks/made")),
        ("packages/x/a", "a"),
    ]);
    std::os::unix::fs::symlink(outside.path(), project.path().join("dir")).expect("linked");
    let output = project.run(&["check", ".", "--fix-unsafe"]);
    assert!(output.err.contains("note: skipped fixes of dir/made.txt: "), "{}", output.err);
    assert!(output.err.contains("note: skipped fixes of .git/hooks/made: "), "{}", output.err);
    assert_eq!(std::fs::read_dir(outside.path()).expect("an existing path").count(), 0);
    assert!(!project.path().join(".git/hooks").exists());
}

#[test]
fn a_fix_that_depends_on_another_file_removes_its_finding() {
    let project = Project::new(&[
        ("locales/en.json", "{\"greeting\": \"Hello, {{name}}\"}\n"),
        ("locales/fr.json", "{\"greeting\": \"Bonjour, {{nom}}\"}\n"),
    ]);
    let output = project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(output.err, "fixed 1 problem in 1 file\n");
    assert_eq!(project.read("locales/fr.json"), "{\"greeting\": \"Bonjour, {{name}}\"}\n");
}

#[test]
fn a_committed_migration_is_not_fixed() {
    let rule = BLUE.replace("*.txt", "*.sql");
    let text = "-- a blue sky\n";
    let project = Project::repository();
    project.write("rules/blue.md", rule);
    project.write("src/query.sql", text);
    project.stage("prisma/migrations/1_init/migration.sql", text);
    project.git(&["commit", "--quiet", "-m", "feat: add a table"]).expect_code(0);
    project.write("prisma/migrations/2_new/migration.sql", text);
    let output = project.run(&["check", ".", "--fix"]);
    assert!(output.err.contains("1_init/migration.sql not fixed"), "{}", output.err);
    assert_eq!(project.read("prisma/migrations/1_init/migration.sql"), text);
    assert!(project.read("prisma/migrations/2_new/migration.sql").contains("teal"));
    assert!(project.read("src/query.sql").contains("teal"));
}
