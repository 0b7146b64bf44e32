//! Tests of unusual files: huge, binary, linked, unreadable.

use crate::cli::support::{BLUE, Project, paths, token};
use std::fs::{self, File};

#[test]
fn a_huge_sparse_file_is_handled() {
    let project = Project::new(&[]);
    let file = File::create(project.path().join("disk.img")).expect("made");
    file.set_len(100 << 20).expect("long");
    let output = project.run(&["check", "."]).expect_code(0);
    assert_eq!(output.out, "no problems in 1 file (TIME)\n");
}

#[test]
fn a_file_too_large_to_parse_is_reported_and_searched_for_secrets() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    project.write("a.yml", format!("{}\nkey: {}\n", "# nothing\n".repeat(20), token()));
    let output = project.run(&["check", ".", "--max-file-size", "100"]).expect_code(1);
    assert!(output.out.contains("--> a.yml:22:6"), "{}", output.out);
    assert!(output.out.contains("more than `maxFileSize` (100): only searched for secrets"));
    let output =
        project.run(&["check", ".", "--max-file-size", "100", "--format", "json"]).expect_code(1);
    let report: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
    let skipped = report["summary"]["skipped"].as_array().expect("an array");
    assert!(skipped.iter().any(|file| file["path"] == "a.yml"), "{}", output.out);
}

#[test]
fn binary_files_do_not_panic() {
    let project = Project::new(&[]);
    project.write("a.png", b"\x89PNG\r\n\x1a\n\0\0");
    project.write("Dockerfile", b"FROM caf\xE9:1\n\xFF\xFE");
    project.write("empty.md", b"");
    let mut latin = b"caf\xE9 ".to_vec();
    latin.extend(token().bytes());
    project.write("latin.txt", latin);
    let only = ["check", ".", "--only", "secrets/*", "--format", "github"];
    assert_eq!(paths(&project.run(&only).expect_code(1).out), ["latin.txt"]);
    project.run(&["check", ".", "--fail-on", "never"]).expect_code(0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn cyclic_links_are_not_followed_forever() {
        let project = Project::new(&[("rules/blue.md", BLUE), ("sub/a.txt", "blue")]);
        symlink(project.path(), project.path().join("sub/up")).expect("linked");
        symlink("self", project.path().join("self")).expect("linked");
        let output = project.run(&["check", ".", "--format", "github"]).expect_code(0);
        assert_eq!(paths(&output.out), ["sub/a.txt"]);
        // A link named on the command line is followed.
        symlink("sub/a.txt", project.path().join("link.txt")).expect("linked");
        let output = project.run(&["check", "link.txt", "--format", "github"]).expect_code(0);
        assert_eq!(paths(&output.out), ["link.txt"]);
    }

    #[test]
    fn a_named_special_file_is_reported() {
        let project = Project::new(&[("a.txt", "blue")]);
        let path = project.path().join("socket");
        let _open = std::os::unix::net::UnixListener::bind(path).expect("bound");
        let output = project.run(&["check", "a.txt", "socket"]).expect_code(3);
        let expected = "socket: cannot be read: not a regular file (pipe, socket or device)";
        assert!(output.out.contains(expected), "{}{}", output.out, output.err);
        // A socket found in a directory is skipped.
        project.run(&["check", "."]).expect_code(0);
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the standard library cannot create a named pipe"
    )]
    fn pipe(project: &Project, path: &str) {
        let path = project.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("started").success());
    }

    #[test]
    fn a_pipe_in_place_of_a_rule_or_a_memory_is_reported() {
        let project = Project::repository();
        project.write("a.txt", "teal");
        project.git(&["add", "-A"]).expect_code(0);
        project.git(&["commit", "--quiet", "-m", "x"]).expect_code(0);
        for path in
            [".aidd/rules/team/blue.md", ".aidd/branches/main.json", "ai/memory/decisions.jsonl"]
        {
            pipe(&project, path);
            let _open = (path == ".aidd/rules/team/blue.md").then(|| {
                let socket = project.path().join(".aidd/rules/team/socket.md");
                std::os::unix::net::UnixListener::bind(socket).expect("bound")
            });
            let expected = format!(
                "{path}: cannot be read: not a regular file (pipe, socket or device); replace it with a regular file or delete it"
            );
            for args in [
                &["check", "."][..],
                &["check", "a.txt"],
                &["check", "--changed"],
                &["ci", "--base", "HEAD"],
            ] {
                let output = project.run(args).expect_code(3);
                assert!(output.out.contains(&expected), "{args:?}: {}{}", output.out, output.err);
            }
            let output = project.run(&["doctor"]).expect_code(1);
            assert!(output.out.contains(&expected), "{}", output.out);
            fs::remove_file(project.path().join(path)).expect("removed");
            let _ = fs::remove_file(project.path().join(".aidd/rules/team/socket.md"));
        }
        project.run(&["check", "."]).expect_code(0);
        pipe(&project, "ai/memory/decisions.jsonl");
        let output = project.run(&["memory", "doctor"]).expect_code(1);
        assert!(
            output.out.contains("ai/memory/decisions.jsonl is not read: it is not a file"),
            "{}",
            output.out
        );
        let output = project.run(&["memory", "add", "decision", "Use tabs", "--topic", "tabs"]);
        assert_ne!(output.code, 0);
        let refused = "ai/memory/decisions.jsonl is not a regular file; replace it with a regular file or delete it";
        assert!(output.err.contains(refused), "{}{}", output.out, output.err);
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_shown_lossily() {
        let project = Project::new(&[]);
        let name = std::ffi::OsStr::from_bytes(b"na\xFFme.env");
        // Some file systems do not support such names.
        if fs::write(project.path().join(name), format!("key = {}\n", token())).is_err() {
            return;
        }
        for format in ["text", "json", "sarif", "github", "markdown", "gitlab", "junit"] {
            let output = project.run(&["check", ".", "--format", format]).expect_code(1);
            assert!(
                output.out.contains("na\u{FFFD}me.env") || output.out.contains("na%EF%BF%BDme.env")
            );
        }
    }

    #[test]
    fn unreadable_files_exit_with_3() {
        let project = Project::new(&[("a.txt", "teal"), ("b.txt", "")]);
        fs::set_permissions(project.path().join("b.txt"), fs::Permissions::from_mode(0o0))
            .expect("set");
        // Root can read everything, but not a dangling link on the command line.
        symlink("nowhere", project.path().join("c.txt")).expect("linked");
        let output = project.run(&["check", "a.txt", "c.txt"]).expect_code(3);
        assert!(output.out.contains("c.txt: cannot be read: "), "{}", output.out);
        assert!(output.out.ends_with("no problems in 1 file (TIME)\n"), "{}", output.out);
        if fs::read(project.path().join("b.txt")).is_err() {
            let output = project.run(&["check", "."]).expect_code(3);
            assert!(output.out.contains("b.txt: cannot be read: "), "{}", output.out);
        }
        // Findings take precedence.
        project.write("a.txt", token());
        project.run(&["check", "a.txt", "c.txt"]).expect_code(1);
        project.run(&["check", "a.txt", "c.txt", "--fail-on", "never"]).expect_code(3);
    }
}
