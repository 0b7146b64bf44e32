//! Unusual files: huge, binary, linked, unreadable.

use crate::cli::support::{BLUE, Project, paths, token};
use std::fs::{self, File};

#[test]
fn a_huge_hollow_file_is_no_trouble() {
    let project = Project::new(&[]);
    let file = File::create(project.path().join("disk.img")).expect("made");
    file.set_len(100 << 20).expect("long");
    let ran = project.run(&["check", "."]).ends(0);
    assert_eq!(ran.out, "no problems in 1 file (TIME)\n");
}

#[test]
fn a_file_too_large_to_parse_is_told_of_and_searched_for_secrets() {
    let project = Project::new(&[("rules/blue.md", BLUE)]);
    project.write("a.yml", format!("{}\nkey: {}\n", "# nothing\n".repeat(20), token()));
    let ran = project.run(&["check", ".", "--max-file-size", "100"]).ends(1);
    assert!(ran.out.contains("--> a.yml:22:6"), "{}", ran.out);
    assert!(ran.out.contains("more than `maxFileSize` (100): only searched for secrets"));
    let ran = project.run(&["check", ".", "--max-file-size", "100", "--format", "json"]).ends(1);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let skipped = report["summary"]["skipped"].as_array().expect("an array");
    assert!(skipped.iter().any(|file| file["path"] == "a.yml"), "{}", ran.out);
}

#[test]
fn bytes_that_are_no_text_are_survived() {
    let project = Project::new(&[]);
    project.write("a.png", b"\x89PNG\r\n\x1a\n\0\0");
    project.write("Dockerfile", b"FROM caf\xE9:1\n\xFF\xFE");
    project.write("empty.md", b"");
    let mut latin = b"caf\xE9 ".to_vec();
    latin.extend(token().bytes());
    project.write("latin.txt", latin);
    let only = ["check", ".", "--only", "secrets/*", "--format", "github"];
    assert_eq!(paths(&project.run(&only).ends(1).out), ["latin.txt"]);
    project.run(&["check", ".", "--fail-on", "never"]).ends(0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_in_a_circle_end() {
        let project = Project::new(&[("rules/blue.md", BLUE), ("sub/a.txt", "blue")]);
        symlink(project.path(), project.path().join("sub/up")).expect("linked");
        symlink("self", project.path().join("self")).expect("linked");
        let ran = project.run(&["check", ".", "--format", "github"]).ends(0);
        assert_eq!(paths(&ran.out), ["sub/a.txt"]);
        // A link named on the command line is followed.
        symlink("sub/a.txt", project.path().join("link.txt")).expect("linked");
        let ran = project.run(&["check", "link.txt", "--format", "github"]).ends(0);
        assert_eq!(paths(&ran.out), ["link.txt"]);
    }

    #[test]
    fn what_is_named_and_is_no_file_is_told_of() {
        let project = Project::new(&[("a.txt", "blue")]);
        let place = project.path().join("socket");
        let _open = std::os::unix::net::UnixListener::bind(place).expect("bound");
        let ran = project.run(&["check", "a.txt", "socket"]).ends(3);
        let told = "socket: cannot be read: not a regular file (pipe, socket or device)";
        assert!(ran.out.contains(told), "{}{}", ran.out, ran.err);
        // When found in a directory, it is skipped.
        project.run(&["check", "."]).ends(0);
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the standard library cannot create a named pipe"
    )]
    fn pipe(project: &Project, path: &str) {
        let place = project.path().join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        let made = std::process::Command::new("mkfifo").arg(place).status();
        assert!(made.expect("started").success());
    }

    #[test]
    fn a_pipe_in_place_of_a_rule_or_a_memory_is_told_of() {
        let project = Project::repository();
        project.write("a.txt", "teal");
        project.git(&["add", "-A"]).ends(0);
        project.git(&["commit", "--quiet", "-m", "x"]).ends(0);
        for path in
            [".aidd/rules/team/blue.md", ".aidd/branches/main.json", "ai/memory/decisions.jsonl"]
        {
            pipe(&project, path);
            let _open = (path == ".aidd/rules/team/blue.md").then(|| {
                let socket = project.path().join(".aidd/rules/team/socket.md");
                std::os::unix::net::UnixListener::bind(socket).expect("bound")
            });
            let told = format!(
                "{path}: cannot be read: not a regular file (pipe, socket or device); replace it with a regular file or delete it"
            );
            for args in [
                &["check", "."][..],
                &["check", "a.txt"],
                &["check", "--changed"],
                &["ci", "--base", "HEAD"],
            ] {
                let ran = project.run(args).ends(3);
                assert!(ran.out.contains(&told), "{args:?}: {}{}", ran.out, ran.err);
            }
            let ran = project.run(&["doctor"]).ends(2);
            assert!(ran.out.contains(&told), "{}", ran.out);
            fs::remove_file(project.path().join(path)).expect("removed");
            let _ = fs::remove_file(project.path().join(".aidd/rules/team/socket.md"));
        }
        project.run(&["check", "."]).ends(0);
        pipe(&project, "ai/memory/decisions.jsonl");
        let ran = project.run(&["memory", "doctor"]).ends(1);
        assert!(
            ran.out.contains("ai/memory/decisions.jsonl is not read: it is not a file"),
            "{}",
            ran.out
        );
        let ran = project.run(&["memory", "add", "decision", "Use tabs", "--topic", "tabs"]);
        assert_ne!(ran.code, 0);
        let refused = "ai/memory/decisions.jsonl is not a regular file; replace it with a regular file or delete it";
        assert!(ran.err.contains(refused), "{}{}", ran.out, ran.err);
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_shown_as_well_as_can_be() {
        let project = Project::new(&[]);
        let name = std::ffi::OsStr::from_bytes(b"na\xFFme.env");
        // Some file systems do not support such names.
        if fs::write(project.path().join(name), format!("key = {}\n", token())).is_err() {
            return;
        }
        for format in ["text", "json", "sarif", "github", "markdown", "gitlab", "junit"] {
            let ran = project.run(&["check", ".", "--format", format]).ends(1);
            assert!(ran.out.contains("na\u{FFFD}me.env") || ran.out.contains("na%EF%BF%BDme.env"));
        }
    }

    #[test]
    fn what_cannot_be_read_ends_with_3() {
        let project = Project::new(&[("a.txt", "teal"), ("b.txt", "")]);
        fs::set_permissions(project.path().join("b.txt"), fs::Permissions::from_mode(0o0))
            .expect("set");
        // Root can read everything, but not a dangling link on the command line.
        symlink("nowhere", project.path().join("c.txt")).expect("linked");
        let ran = project.run(&["check", "a.txt", "c.txt"]).ends(3);
        assert!(ran.out.contains("c.txt: cannot be read: "), "{}", ran.out);
        assert!(ran.out.ends_with("no problems in 1 file (TIME)\n"), "{}", ran.out);
        if fs::read(project.path().join("b.txt")).is_err() {
            let ran = project.run(&["check", "."]).ends(3);
            assert!(ran.out.contains("b.txt: cannot be read: "), "{}", ran.out);
        }
        // Findings take precedence.
        project.write("a.txt", token());
        project.run(&["check", "a.txt", "c.txt"]).ends(1);
        project.run(&["check", "a.txt", "c.txt", "--fail-on", "never"]).ends(3);
    }
}
