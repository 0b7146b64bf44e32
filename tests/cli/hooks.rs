//! Tests of Git hooks and commit messages, in real repositories.

use crate::cli::support::{Project, RunOutput, token};
use insta::assert_snapshot;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs Git in `folder` without the machine's settings; `env` takes precedence. `aidd` is not in
/// `PATH`, so hooks only find the binary that installed them.
#[expect(clippy::disallowed_methods, reason = "the tests' own repository")]
fn git_in(folder: &Path, env: &[(&str, &str)], args: &[&str]) -> RunOutput {
    let mut git = Command::new("git");
    for local in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        git.env_remove(local);
    }
    let output = git
        .args(["-c", "init.defaultBranch=main", "-c", "user.name=A", "-c", "user.email=a@b.c"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .envs(env.iter().copied())
        .output()
        .expect("git is installed");
    RunOutput {
        code: output.status.code().expect("not killed"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Project {
    pub(crate) fn git(&self, args: &[&str]) -> RunOutput {
        git_in(self.path(), &[], args)
    }

    /// A repository with one commit, in a directory whose name must be quoted in a shell.
    pub(crate) fn repository() -> Self {
        let project = Self::new(&[("src/lib.rs", "pub fn first() {}\n")]);
        fs::remove_dir(project.path().join(".git")).expect("removed");
        project.git(&["init", "--quiet"]).expect_code(0);
        project.git(&["add", "."]).expect_code(0);
        project.git(&["commit", "--quiet", "-m", "feat: begin"]).expect_code(0);
        project
    }

    /// Writes and stages a file.
    pub(crate) fn stage(&self, path: &str, text: &str) {
        self.write(path, text);
        self.git(&["add", "."]).expect_code(0);
    }

    fn hook(&self, name: &str) -> String {
        self.read(&format!(".git/hooks/{name}"))
    }

    /// Writes an executable hook that aidd did not install.
    fn foreign_hook(&self, name: &str, text: &str) {
        self.write(&format!(".git/hooks/{name}"), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = self.path().join(".git/hooks").join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
        }
    }
}

#[test]
fn a_hook_checks_the_commit() {
    let project = Project::repository();
    let output = project.run(&["hook", "install"]).expect_code(0);
    assert_eq!(output.out, "wrote ROOT/.git/hooks/pre-commit\n");
    let output = project.run_in("src", &["hook", "install"]).expect_code(0);
    assert_eq!(output.out, "up to date: ROOT/.git/hooks/pre-commit\n");
    assert_snapshot!(project.run(&["hook", "status"]).expect_code(0).out, @"
    hooks in ROOT/.git/hooks
      pre-commit         aidd checks the staged changes
      prepare-commit-msg none
      commit-msg         none
      pre-push           none
    ");
    project.stage("a.env", &format!("KEY={}\n", token()));
    let output = project.git(&["commit", "-m", "feat: leak"]).expect_code(1);
    let text = format!("{}{}", output.out, output.err);
    assert!(text.contains("secrets/github-personal-access-token"), "{text}");
    // Unstaged changes are not checked.
    project.git(&["rm", "--quiet", "--cached", "a.env"]).expect_code(0);
    project.stage("src/b.rs", "fn b() {}\n");
    project.git(&["rm", "--quiet", "--cached", "a.env"]).expect_code(0);
    project.git(&["commit", "--quiet", "-m", "feat: clean"]).expect_code(0);
    let output = project.run(&["hook", "uninstall"]).expect_code(0);
    assert_eq!(output.out, "removed ROOT/.git/hooks/pre-commit\n");
    let output = project.run(&["hook", "uninstall"]).expect_code(0);
    assert_eq!(output.out, "no aidd hooks in ROOT/.git/hooks\n");
    project.stage("b.env", &format!("KEY={}\n", token()));
    project.git(&["commit", "--quiet", "-m", "feat: leak"]).expect_code(0);
}

#[test]
fn a_foreign_hook_is_preserved() {
    let project = Project::repository();
    let foreign = "#!/bin/sh\necho ran >>foreign.log\n";
    project.foreign_hook("pre-commit", foreign);
    let output = project.run(&["hook", "install"]).expect_code(2);
    assert_snapshot!(output.err, @"
    error: ROOT/.git/hooks/pre-commit is a hook from another source
    hint: --chain runs it before aidd; --force moves it to a backup
    ");
    assert_eq!(project.hook("pre-commit"), foreign);
    assert!(
        project
            .run(&["hook", "status"])
            .expect_code(0)
            .out
            .contains("pre-commit         from another source")
    );
    let output = project.run(&["hook", "uninstall"]).expect_code(0);
    assert_eq!(output.out, "no aidd hooks in ROOT/.git/hooks\n");

    project.run(&["hook", "install", "--chain"]).expect_code(0);
    assert_eq!(project.hook("pre-commit.aidd-backup"), foreign);
    let status = project.run(&["hook", "status"]).expect_code(0).out;
    assert!(status.contains("the staged changes, after the previous hook\n"), "{status}");
    // Installing again preserves the previous hook.
    assert!(project.run(&["hook", "install"]).expect_code(0).out.starts_with("up to date"));
    project.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).expect_code(0);
    assert_eq!(project.read("foreign.log"), "ran\n");
    let output = project.run(&["hook", "uninstall"]).expect_code(0);
    assert_eq!(output.out, "restored ROOT/.git/hooks/pre-commit\n");
    assert_eq!(project.hook("pre-commit"), foreign);

    project.run(&["hook", "install", "--force"]).expect_code(0);
    project.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).expect_code(0);
    assert_eq!(project.read("foreign.log"), "ran\n");
    project.foreign_hook("pre-commit", foreign);
    let output = project.run(&["hook", "install", "--force"]).expect_code(2);
    assert!(output.err.contains("pre-commit.aidd-backup already exists"), "{}", output.err);
}

#[test]
fn a_chained_hook_that_fails_stops_the_commit() {
    let project = Project::repository();
    project.foreign_hook("pre-commit", "#!/bin/sh\nexit 3\n");
    project.run(&["hook", "install", "--chain"]).expect_code(0);
    assert_ne!(project.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).code, 0);
}

#[test]
fn lines_outside_the_markers_are_preserved() {
    let project = Project::repository();
    project.run(&["hook", "install"]).expect_code(0);
    let written = project.hook("pre-commit");
    let edited = written.replace("#!/bin/sh\n", "#!/bin/sh\necho mine\n") + "echo after\n";
    project.write(".git/hooks/pre-commit", edited.replace("check --staged", "check --old"));
    assert_eq!(
        project.run(&["hook", "install"]).expect_code(0).out,
        "updated ROOT/.git/hooks/pre-commit\n"
    );
    assert_eq!(project.hook("pre-commit"), edited);
    let output = project.run(&["hook", "uninstall"]).expect_code(0);
    assert_eq!(output.out, "removed aidd from ROOT/.git/hooks/pre-commit\n");
    assert_eq!(project.hook("pre-commit"), "#!/bin/sh\necho mine\necho after\n");
}

#[test]
fn hooks_are_installed_where_git_finds_them() {
    let project = Project::repository();
    project.git(&["worktree", "add", "--quiet", "-b", "b", "it's a tree"]).expect_code(0);
    let output = project.run_in("it's a tree", &["hook", "install"]).expect_code(0);
    assert_eq!(output.out, "wrote ROOT/.git/hooks/pre-commit\n");
    project.git(&["config", "core.hooksPath", "my hooks"]).expect_code(0);
    let output = project.run(&["hook", "install"]).expect_code(0);
    assert_eq!((&*output.out, &*output.err), ("wrote ROOT/my hooks/pre-commit\n", ""));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = elsewhere.path().to_string_lossy().replace('\\', "/");
    // The user's global configuration is used; that of the repository is not.
    project.git(&["config", "--unset", "core.hooksPath"]).expect_code(0);
    let user_env = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_0", &*path),
    ];
    let output = project.run_env(&user_env, &["hook", "install"]).expect_code(0);
    assert!(output.err.contains("which other repositories also use"), "{}", output.err);
    let hook = elsewhere.path().join("pre-commit");
    fs::remove_file(&hook).expect("was written");
    project.git(&["config", "core.hooksPath", &path]).expect_code(0);
    let output = project.run(&["hook", "install"]).expect_code(2);
    assert!(output.err.contains("which is outside the repository"), "{}", output.err);
    assert!(output.err.contains("git config --local --unset core.hooksPath"), "{}", output.err);
    assert!(!hook.exists());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, project.path().join("linked")).expect("linked");
        for link in ["linked", "linked/new"] {
            project.git(&["config", "core.hooksPath", link]).expect_code(0);
            let output = project.run(&["hook", "install"]).expect_code(2);
            assert!(
                output.err.contains("which is outside the repository"),
                "{link}: {}",
                output.err
            );
        }
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
    }
    project.git(&["config", "core.hooksPath", ".husky/_"]).expect_code(0);
    let output = project.run(&["hook", "install"]).expect_code(2);
    let hint = "hint: instead, add to .husky/pre-commit: aidd check --staged";
    assert!(output.err.contains(hint), "{}", output.err);
    let output = project.run(&["hook", "install", "--hook", "commit-msg"]).expect_code(2);
    let hint = "to .husky/commit-msg: aidd hook commit-msg \"$1\"";
    assert!(output.err.contains(hint), "{}", output.err);
    let nowhere = tempfile::tempdir().expect("a folder");
    let nowhere = nowhere.path().to_string_lossy().into_owned();
    let output = project.run_in(&nowhere, &["hook", "status"]).expect_code(2);
    assert!(output.err.contains("is not in a Git repository"), "{}", output.err);
}

#[test]
fn a_missing_aidd_is_reported_and_does_not_block_the_commit() {
    let project = Project::repository();
    project.run(&["hook", "install"]).expect_code(0);
    let hook = project.hook("pre-commit");
    let end = hook.find("\nif [").expect("the fallback comes first");
    let start = hook[..end].rfind("aidd='").expect("a fallback");
    let without_binary = format!("{}aidd='/no/such/aidd'{}", &hook[..start], &hook[end..]);
    project.write(".git/hooks/pre-commit", without_binary);
    project.stage("a.env", &format!("KEY={}\n", token()));
    let output = project.git(&["commit", "--quiet", "-m", "x"]).expect_code(0);
    assert_eq!(output.err, "pre-commit: aidd is not installed, so this hook did nothing\n");
}

#[test]
fn staged_changes_are_listed_in_an_empty_message_and_messages_are_checked() {
    let project = Project::repository();
    project
        .run(&["hook", "install", "--hook", "prepare-commit-msg", "--hook", "commit-msg"])
        .expect_code(0);
    let last = |project: &Project| project.git(&["log", "-1", "--format=%s"]).expect_code(0).out;
    project.stage("src/lib.rs", "pub fn first() {}\npub fn second() {}\n");
    // The editor shows the staged changes as comments. If the user adds nothing, the message is
    // empty.
    let edited = |editor: &str| {
        git_in(project.path(), &[("GIT_EDITOR", editor)], &["commit", "--quiet", "--verbose"])
    };
    edited("f() { cp \"$1\" seen; }; f").expect_code(1);
    let seen = project.read("seen");
    let symbol = "\n# symbols:\n# - added public function `second` in src/lib.rs\n";
    assert!(seen.contains(symbol), "{seen}");
    edited("f() { echo own > \"$1\"; }; f").expect_code(0);
    assert_eq!(last(&project), "own\n");
    project.stage("src/lib.rs", "pub fn first() {}\n");
    project.git(&["commit", "--quiet", "-m", "my own words"]).expect_code(0);
    assert_eq!(last(&project), "my own words\n");
    project.git(&["commit", "--quiet", "--amend"]).expect_code(0);
    assert_eq!(last(&project), "my own words\n");
    let leak = format!("use {}", token());
    let output = project.git(&["commit", "--quiet", "--allow-empty", "-m", &leak]).expect_code(1);
    assert!(output.err.contains("commit-msg: the message contains a secret"), "{}", output.err);
    assert!(!output.err.contains(&token()) && !output.out.contains(&token()));
}

#[test]
fn a_push_checks_only_new_commits() {
    let project = Project::repository();
    let remote = tempfile::tempdir().expect("a folder");
    let url = remote.path().to_string_lossy().into_owned();
    project.git(&["init", "--quiet", "--bare", &url]).expect_code(0);
    project.git(&["remote", "add", "origin", &url]).expect_code(0);
    project.stage("old.env", &format!("KEY={}\n", token()));
    project.git(&["commit", "--quiet", "-m", "old"]).expect_code(0);
    project.git(&["push", "--quiet", "origin", "HEAD:main"]).expect_code(0);
    project.run(&["hook", "install", "--hook", "pre-push"]).expect_code(0);
    // Commits on the remote are not new, whether or not the remote has the branch.
    project.stage("a.txt", "a\n");
    project.git(&["commit", "--quiet", "-m", "clean"]).expect_code(0);
    project.git(&["push", "--quiet", "origin", "HEAD:main", "HEAD:other"]).expect_code(0);
    project.stage("new.env", &format!("KEY={}\n", token()));
    project.git(&["commit", "--quiet", "-m", "new"]).expect_code(0);
    for branch in ["HEAD:main", "HEAD:third"] {
        assert_ne!(project.git(&["push", "--quiet", "origin", branch]).code, 0, "{branch}");
    }
    project.git(&["push", "--quiet", "origin", ":other"]).expect_code(0);
    // The files of another branch are not in the work tree.
    project.git(&["branch", "bad"]).expect_code(0);
    project.git(&["reset", "--quiet", "--hard", "HEAD^"]).expect_code(0);
    let output = project.git(&["push", "--quiet", "origin", "bad"]).expect_code(0);
    assert!(output.err.contains("pre-push: not checked, because it is not checked out: "));
    assert!(!output.out.contains("no new problems") && !output.err.contains("no new problems"));
}

#[test]
fn staged_changes_are_listed() {
    let project = Project::repository();
    let output = project.run(&["generate", "commit-message"]).expect_code(2);
    assert_snapshot!(output.err, @"
    error: nothing is staged
    hint: stage the changes to commit: git add FILE…
    ");
    project.write("src/lib.rs", "pub fn first() {}\npub fn unstaged() {}\n");
    project.write("src/http_client.rs", "pub struct Client;\n");
    project.git(&["add", "src/http_client.rs"]).expect_code(0);
    // In a subdirectory, the changes of the whole repository are listed.
    let output =
        project.run_in("src", &["generate", "commit-message", "--format", "json"]).expect_code(0);
    assert_snapshot!(output.out, @r#"
    {
      "draft": "add `Client`",
      "convention": {
        "types": [
          "build",
          "chore",
          "ci",
          "docs",
          "feat",
          "fix",
          "perf",
          "refactor",
          "revert",
          "style",
          "test"
        ],
        "scopes": [],
        "scopeRequired": false,
        "commits": 1,
        "conventional": 1,
        "style": {
          "length": 72
        }
      },
      "files": [
        {
          "path": "src/http_client.rs",
          "change": "added",
          "kind": "source",
          "difference": "content",
          "language": "Rust",
          "added": 1,
          "removed": 0
        }
      ],
      "symbols": [
        {
          "change": "added",
          "kind": "type",
          "name": "Client",
          "path": "src/http_client.rs",
          "isPublic": true
        }
      ],
      "omitted": {
        "files": 0,
        "symbols": 0,
        "dependencies": 0,
        "settings": 0
      }
    }
    "#);
    project.write(
        ".aidd/rules/commits.md",
        "---\nseverity: error\ncheck:\n  commit: { conventional: { types: [feat, fix], scopes: [web] } }\n---\n# team/commits\n\nWhy.\n",
    );
    let output = project.run(&["generate", "commit-message"]).expect_code(0);
    assert_snapshot!(output.out, @"
    draft: none; the files do not show what the change is for
    type: open; most likely feat or fix
    types: feat, fix (allowed by team/commits)
    scopes: web
    subject: at most 72 characters
    files:
    - added src/http_client.rs (source, +1 -0)
    symbols:
    - added public type `Client` in src/http_client.rs
    ");
    project.stage(&format!("docs/{}.md", token()), "# Key\n");
    for format in ["text", "json"] {
        let output =
            project.run(&["generate", "commit-message", "--format", format]).expect_code(0);
        assert!(!output.out.contains(&token()), "{}", output.out);
    }
}

#[test]
fn renames_and_reverts_are_detected() {
    let project = Project::repository();
    project.git(&["mv", "src/lib.rs", "src/other.rs"]).expect_code(0);
    let output = project.run(&["generate", "commit-message"]).expect_code(0);
    let renamed = "- renamed src/lib.rs to src/other.rs (source, same text)\n";
    assert!(output.out.ends_with(renamed), "{}", output.out);
    project.git(&["commit", "--quiet", "-m", "refactor: another name"]).expect_code(0);
    let hash = project.git(&["rev-parse", "HEAD"]).expect_code(0).out;
    project.git(&["mv", "src/other.rs", "src/lib.rs"]).expect_code(0);
    let output = project.run(&["generate", "commit-message"]).expect_code(0);
    let reverts = format!("\nreverts: {} refactor: another name\n", hash.trim());
    assert!(
        output.out.starts_with("draft: Revert \"refactor: another name\"\ntype: revert (")
            && output.out.contains(&reverts),
        "{}",
        output.out
    );
}

#[test]
fn a_message_is_generated_for_the_first_commit_but_not_without_a_repository() {
    let project = Project::new(&[("README.md", "# The tool\n")]);
    fs::remove_dir(project.path().join(".git")).expect("removed");
    let output = project.run(&["generate", "commit-message"]).expect_code(2);
    assert!(output.err.ends_with("hint: create one with: git init\n"), "{}", output.err);
    project.git(&["init", "--quiet"]).expect_code(0);
    project.git(&["add", "."]).expect_code(0);
    let output = project.run(&["generate", "commit-message"]).expect_code(0);
    assert!(output.out.starts_with("draft: none; "), "{}", output.out);
    assert!(output.out.contains("\ntypes: build, chore, ci, docs, feat, fix,"), "{}", output.out);
}

#[test]
fn the_hooks_for_pre_commit_can_be_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).expect("text");
    let entries: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("entry: aidd ")).collect();
    assert_eq!(entries, ["check --staged", "check --staged", "check", "check"]);
    let project = Project::repository();
    project.stage("a.env", &format!("KEY={}\n", token()));
    for entry in entries {
        let mut args: Vec<&str> = entry.split(' ').collect();
        if args.len() == 1 {
            args.extend(["a.env", "src/lib.rs"]);
        }
        project.run(&args).expect_code(1);
    }
}
