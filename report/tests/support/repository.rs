//! A Git repository in a temporary directory, the same on every machine: fixed names and dates,
//! independent of the user's configuration.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The time of the first commit; each further commit is a minute later.
const START: u64 = 1_750_000_000;

/// A repository with a working tree, or a bare repository.
#[derive(Debug)]
pub(crate) struct Repository {
    directory: TempDir,
    clock: Cell<u64>,
}

impl Repository {
    /// Creates an empty repository on the branch `main`.
    pub(crate) fn new() -> Self {
        let repository = Self::in_temporary_directory();
        repository.git(&["init", "--quiet", "--object-format=sha1", "--template="]);
        repository.configure();
        repository
    }

    /// Creates an empty repository without a working tree, as on a server.
    pub(crate) fn bare() -> Self {
        let repository = Self::in_temporary_directory();
        repository.git(&["init", "--quiet", "--bare", "--object-format=sha1", "--template="]);
        repository.configure();
        repository
    }

    /// Clones this repository over `file://`, so that `--depth` and `--filter` have an effect, with
    /// the given options of `git clone`.
    pub(crate) fn cloned(&self, options: &[&str]) -> Self {
        let clone = Self::in_temporary_directory();
        clone.clock.set(self.clock.get() + 86_400);
        let url = self.url();
        clone.git(&[&["clone", "--quiet", "--template="], options, &[url.as_str(), "."]].concat());
        clone.configure();
        clone
    }

    fn in_temporary_directory() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a temporary directory"),
            clock: Cell::new(START),
        }
    }

    /// Settings that also apply to the code under test, which runs Git with the user's
    /// configuration.
    fn configure(&self) {
        for (key, value) in [
            ("core.autocrlf", "false"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("uploadpack.allowAnySHA1InWant", "true"),
            ("uploadpack.allowFilter", "true"),
            ("user.name", "A"),
            ("user.email", "a@example.org"),
        ] {
            self.git(&["config", key, value]);
        }
    }

    /// The directory of the repository.
    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// The URL to clone or fetch from.
    pub(crate) fn url(&self) -> String {
        let path = self.root().to_string_lossy().replace('\\', "/");
        format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
    }

    /// The path of a file in the working tree.
    pub(crate) fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.root().join(file)
    }

    /// Writes a file of the working tree.
    pub(crate) fn write(&self, file: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("below the root")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Writes the given files and commits everything in the working tree; returns the commit. The
    /// message is the path of the first file, or `nothing`.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.write(path, text);
        }
        let message = files.first().map_or("nothing", |(path, _)| path);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.rev("HEAD")
    }

    /// Creates `count` commits without changes on the current branch; returns the last one.
    pub(crate) fn commits(&self, count: usize) -> String {
        let branch = self.git(&["symbolic-ref", "HEAD"]);
        let mut stream = String::new();
        for number in 0..count {
            self.clock.set(self.clock.get() + 60);
            let committer = format!("A <a@example.org> {} +0000", self.clock.get());
            stream += &format!("commit {branch}\ncommitter {committer}\ndata 8\none more\n");
            if number == 0 {
                stream += &format!("from {branch}^0\n");
            }
        }
        self.import(&stream);
        self.rev("HEAD")
    }

    /// Imports a stream for `git fast-import`; the working tree is unchanged.
    pub(crate) fn import(&self, stream: &str) {
        let file = self.path(".git/stream");
        fs::write(&file, stream).expect("written");
        let script = fs::File::open(&file).expect("a file");
        let output = self.start(&["fast-import", "--quiet", "--force"], script.into());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Merges `rev` into the current branch with a merge commit; returns the merge commit.
    pub(crate) fn merge(&self, rev: &str) -> String {
        self.git(&["merge", "--quiet", "--no-ff", "--message", "merge", rev]);
        self.rev("HEAD")
    }

    /// The full hash of a revision.
    pub(crate) fn rev(&self, rev: &str) -> String {
        self.git(&["rev-parse", "--verify", "--end-of-options", rev])
    }

    /// Runs Git, which must succeed; returns its output without the last line break.
    pub(crate) fn git<S: AsRef<OsStr> + std::fmt::Debug>(&self, args: &[S]) -> String {
        let output = self.run(args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {error}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Runs Git, which can fail.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        self.start(args, Stdio::null())
    }

    #[expect(clippy::disallowed_methods, reason = "the repository was created by the tests")]
    fn start<S: AsRef<OsStr>>(&self, args: &[S], stdin: Stdio) -> Output {
        self.clock.set(self.clock.get() + 60);
        let date = format!("{} +0000", self.clock.get());
        let mut git = Command::new("git");
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            git.env_remove(variable);
        }
        git.args(["-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"])
            .args(args)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .stdin(stdin);
        git.output().expect("git is installed")
    }
}

/// This test also calls every function of the module: each test binary that includes the module
/// uses only some of the functions, and the others would cause warnings.
#[test]
fn a_repository_is_the_same_on_every_machine() {
    let server = Repository::new();
    let first = server.commit(&[("a.txt", "one\n")]);
    assert_eq!(first, "1adb14db02880eba9ec8de4de2b3d240968075a6");
    server.git(&["switch", "--quiet", "--create", "topic"]);
    let topic = server.commits(2);
    server.git(&["switch", "--quiet", "main"]);
    let merge = server.merge("topic");
    assert_eq!(
        server.git(&["rev-list", "--parents", "-1", "HEAD"]),
        format!("{merge} {first} {topic}")
    );
    let clone = server.cloned(&["--depth=1"]);
    assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(fs::read_to_string(clone.path("a.txt")).expect("text"), "one\n");
    let bare = Repository::bare();
    server.git(&["push", "--quiet", &bare.url(), "HEAD:refs/heads/main"]);
    assert_eq!(bare.rev("main"), merge);
    assert!(!bare.run(&["rev-parse", "--verify", "--quiet", "topic"]).status.success());
}
