//! Tests that ignore files do not hide tracked files and that, like configuration files, they are read
//! only if they are regular files up to a size limit.

use crate::cli::support::{Project, paths, token};
use std::process::Command;

/// A repository with the untracked files `files`.
fn repository(files: &[(&str, &str)]) -> Project {
    let project = Project::new(files);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    git(&project, &["init", "--quiet", "--template="]);
    project
}

#[expect(clippy::disallowed_methods, reason = "runs Git")]
fn git(project: &Project, args: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let mut git = Command::new("git");
    let status = git.args(identity).args(args).current_dir(project.path()).status();
    assert!(status.expect("Git").success(), "{args:?}");
}

const SECRETS_ONLY: [&str; 4] = ["--only", "secrets/*", "--format", "github"];

fn secret_paths(project: &Project, args: &[&str]) -> Vec<String> {
    let output = project.run(&[args, &SECRETS_ONLY].concat());
    paths(&output.out).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_tracked_file_is_checked_despite_ignore_files() {
    let secret = format!("key = {}\n", token());
    let project = repository(&[
        (".gitignore", "*.env\nbuild/\n"),
        (".ignore", "notes.txt\n"),
        ("prod.env", &secret),
        ("dev.env", &secret),
        ("build/out/app.txt", &secret),
        ("build/out/more.txt", &secret),
        ("notes.txt", &secret),
    ]);
    assert_eq!(secret_paths(&project, &["check", "."]), Vec::<String>::new());
    git(&project, &["add", "--force", "prod.env", "build/out/app.txt", "notes.txt", ".gitignore"]);
    let all = ["build/out/app.txt", "notes.txt", "prod.env"];
    assert_eq!(secret_paths(&project, &["check", "."]), all);
    assert_eq!(secret_paths(&project, &["check", ".", "--staged"]), all);
    assert_eq!(secret_paths(&project, &["check", ".", "--changed"]), all);
    assert_eq!(
        secret_paths(&project, &["check", "build"]),
        ["build/out/app.txt", "build/out/more.txt"]
    );
    // Deleted tracked files are not checked.
    git(&project, &["commit", "--quiet", "--message", "one"]);
    project.remove("prod.env");
    assert_eq!(secret_paths(&project, &["check", "."]), all[..2]);
    assert_eq!(secret_paths(&project, &["check", ".", "--changed"]), Vec::<String>::new());
}

#[test]
fn the_report_counts_excluded_tracked_files() {
    let secret = format!("key = {}\n", token());
    let project = repository(&[
        (".aiddignore", "fixtures/\n"),
        (".aidd/config.json", "{ \"exclude\": [\"*.snap\"] }\n"),
        ("fixtures/a.txt", &secret),
        ("fixtures/b.txt", &secret),
        ("c.snap", &secret),
        ("d.txt", "text\n"),
    ]);
    git(&project, &["add", "."]);
    project.write("fixtures/untracked.txt", &secret);
    let message = "3 tracked files are excluded by `.aiddignore` (2) and `exclude` (1)";
    let output = project.run(&["check", "."]).expect_code(0);
    assert!(output.out.contains(message), "{}", output.out);
    for format in ["json", "markdown", "sarif", "github"] {
        let output = project.run(&["check", ".", "--format", format]).expect_code(0);
        let is_reported = output.out.contains("3 tracked files are excluded by");
        assert_eq!(is_reported, format != "sarif", "{format}: {}", output.out);
    }
    let output = project.run(&["check", ".", "--staged"]).expect_code(0);
    assert!(output.out.contains(&message.replace("tracked", "changed")), "{}", output.out);
    let output = project.run(&["check", ".", "--no-ignore"]);
    assert!(!output.out.contains("`.aiddignore`"), "{}", output.out);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    /// Runs aidd with a time limit, which detects hangs and endless files. Returns the exit code and
    /// the output.
    fn run(project: &Project, args: &[&str]) -> (i32, String) {
        let mut command = project.command("", args);
        let file = tempfile::tempfile().expect("a file");
        let out = file.try_clone().expect("the same file");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(out.try_clone().expect("the same file"))
            .spawn()
            .expect("started");
        let started = Instant::now();
        let code = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status.code().expect("not killed");
            }
            if started.elapsed() > Duration::from_secs(60) {
                child.kill().expect("killed");
                panic!("{args:?} does not exit");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        use std::io::{Read, Seek};
        let (mut out, mut text) = (out, String::new());
        out.rewind().expect("rewound");
        out.read_to_string(&mut text).expect("text");
        (code, text)
    }

    #[expect(clippy::disallowed_methods, reason = "creates a named pipe")]
    fn pipe(project: &Project, path: &str) {
        let path = project.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }

    const NAMES: [&str; 4] = [".gitignore", ".ignore", ".aiddignore", "d/.gitignore"];

    #[test]
    fn an_irregular_ignore_file_is_reported_and_not_opened() {
        for name in NAMES {
            for kind in ["pipe", "zero", "link"] {
                let secret = format!("key = {}\n", token());
                let project = repository(&[("a.txt", "text\n"), ("d/b.txt", "text\n")]);
                git(&project, &["add", "."]);
                git(&project, &["commit", "--quiet", "--message", "one"]);
                project.write("d/c.env", &secret);
                project.write("patterns", "*.env\n");
                let target = project.path().join(name);
                match kind {
                    "pipe" => pipe(&project, name),
                    "zero" => symlink("/dev/zero", target).expect("linked"),
                    _ => symlink(project.path().join("patterns"), target).expect("linked"),
                }
                for args in [&["check", "."][..], &["check", ".", "--changed"]] {
                    let (code, text) = run(&project, args);
                    assert_eq!(code, 1, "{name} {kind}: {text}");
                    assert!(text.contains("--> d/c.env:1:7"), "{name} {kind}: {text}");
                    let expected = format!("{name}: not read as an ignore file: ");
                    assert!(text.contains(&expected), "{name} {kind} {args:?}: {text}");
                }
                run(&project, &["doctor"]);
            }
        }
    }

    #[test]
    fn the_excludes_of_a_repository_must_be_a_regular_file() {
        let project = repository(&[("a.txt", "text\n")]);
        pipe(&project, ".git/info/exclude");
        let (code, text) = run(&project, &["check", "."]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(".git/info/exclude: not read as an ignore file: "), "{text}");
    }

    #[test]
    fn an_oversized_ignore_file_is_skipped_and_reported() {
        let project = repository(&[("a.env", &format!("key = {}\n", token()))]);
        project.write(".gitignore", format!("*.env\n{}", "# nothing\n".repeat(300_000)));
        let (code, text) = run(&project, &["check", "."]);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("--> a.env:1:7"), "{text}");
        assert!(text.contains(".gitignore: not read as an ignore file: larger than"), "{text}");
    }

    #[test]
    fn irregular_settings_and_baselines_are_errors() {
        for path in [".aidd/config.json", ".aidd/baseline.json"] {
            for kind in ["pipe", "zero", "out"] {
                let project = Project::new(&[("a.txt", "text\n"), (".aidd/x", "")]);
                let target = project.path().join(path);
                match kind {
                    "pipe" => pipe(&project, path),
                    "zero" => symlink("/dev/zero", target).expect("linked"),
                    _ => symlink("/etc/hostname", target).expect("linked"),
                }
                let (code, text) = run(&project, &["check", "."]);
                assert_eq!(code, 2, "{path} {kind}: {text}");
                assert!(text.starts_with("error: "), "{path} {kind}: {text}");
            }
        }
    }
}
