//! Tests of the npm packages, built from release archives and installed from a registry.

use crate::action::runner::write_program;
use crate::action::steps::root;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A stub of the binary: prints its version, exits with the requested code, or waits up to ten
/// seconds for a signal.
const STUB: &str = r#"#!/bin/sh
case $1 in
  --version) echo "aidd of TARGET" ;;
  end) exit "$2" ;;
  wait)
    trap 'echo stopped; exit 42' TERM
    echo waiting
    for _ in $(seq 200); do sleep 0.05; done
    echo 'not stopped' ;;
  *) for arg in "$@"; do echo "[$arg]"; done ;;
esac
"#;

/// A package registry, and a project that installs from it.
struct Registry {
    folder: TempDir,
    server: MockServer,
    runtime: Runtime,
}

#[expect(clippy::disallowed_methods, reason = "node, npm and tar")]
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    // The machine's npm configuration must not affect the test.
    for (name, _) in std::env::vars().filter(|(name, _)| name.to_lowercase().starts_with("npm_")) {
        command.env_remove(name);
    }
    command
}

#[track_caller]
fn stdout_of(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("started");
    let text = String::from_utf8(stdout).expect("text");
    assert!(status.success(), "{command:?}\n{text}{}", String::from_utf8_lossy(&stderr));
    text
}

/// Whether npm is installed; if it is not, prints that the test is skipped. No other test requires
/// npm.
#[expect(clippy::print_stderr, reason = "reports a skipped test")]
fn has_npm() -> bool {
    let is_installed =
        program("npm").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_installed {
        eprintln!("skipped: npm is not installed");
    }
    is_installed
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("text")).expect("JSON")
}

fn platforms() -> serde_json::Map<String, Value> {
    read(&root().join("npm/aidd/platforms.json")).as_object().expect("an object").clone()
}

impl Registry {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let server = runtime.block_on(MockServer::start());
        let registry = Self { folder: tempfile::tempdir().expect("a folder"), server, runtime };
        for platform in platforms().values() {
            registry.archive(platform["target"].as_str().expect("a name"));
        }
        let (archives, out) = (registry.path("archives"), registry.path("out"));
        stdout_of(program("node").arg(root().join("npm/build.mjs")).args([&archives, &out]));
        for entry in fs::read_dir(&out).expect("a folder") {
            let package = entry.expect("an entry").path();
            assert!(
                package.join("package.json").is_file(),
                "{} has no package.json",
                package.display()
            );
            registry.publish(&package);
        }
        registry
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn archive(&self, target: &str) {
        let inner = self.path("archives").join(format!("aidd-{target}"));
        fs::create_dir_all(&inner).expect("made");
        let exe = if target.contains("windows") { "aidd.exe" } else { "aidd" };
        write_program(&inner.join(exe), &STUB.replace("TARGET", target));
        let mut tar = program("tar");
        tar.arg("-czf").arg(format!("aidd-{target}.tar.gz")).arg(format!("aidd-{target}"));
        stdout_of(tar.current_dir(self.path("archives")));
    }

    fn publish(&self, package: &Path) {
        let packed = self.npm(package).args(["pack", "--json"]).output().expect("npm");
        let packed: Value = serde_json::from_slice(&packed.stdout).expect("JSON");
        let file = packed[0]["filename"].as_str().expect("a name").to_owned();
        let mut manifest = read(&package.join("package.json"));
        let version = manifest["version"].as_str().expect("a version").to_owned();
        let name = manifest["name"].as_str().expect("a name").to_owned();
        manifest["dist"] = json!({
            "tarball": format!("{}/{file}", self.server.uri()),
            "integrity": packed[0]["integrity"],
        });
        let mut versions = json!({});
        versions[&version] = manifest;
        let document =
            json!({ "name": name, "dist-tags": { "latest": version }, "versions": versions });
        self.serve(
            &format!("/{}", name.replace('/', "%2f")),
            ResponseTemplate::new(200).set_body_json(document),
        );
        let bytes = fs::read(package.join(&file)).expect("bytes");
        self.serve(&format!("/{file}"), ResponseTemplate::new(200).set_body_bytes(bytes));
    }

    fn serve(&self, at: &str, response: ResponseTemplate) {
        let mock = Mock::given(method("GET")).and(path(at)).respond_with(response);
        self.runtime.block_on(mock.mount(&self.server));
    }

    fn npm(&self, folder: &Path) -> Command {
        let mut npm = program("npm");
        npm.current_dir(folder)
            .env("npm_config_cache", self.path("cache"))
            .env("npm_config_registry", self.server.uri())
            .env("npm_config_userconfig", self.path("npmrc"));
        npm
    }

    /// Installs the package in a new project; returns the project's directory.
    fn install(&self) -> PathBuf {
        let project = self.path("project");
        fs::create_dir(&project).expect("made");
        fs::write(project.join("package.json"), "{}").expect("written");
        let args = ["install", "@aidd-dev/aidd", "--ignore-scripts", "--no-audit", "--no-fund"];
        stdout_of(self.npm(&project).args(args));
        project
    }
}

#[test]
fn npm_installs_only_the_binary_of_this_system() {
    if !has_npm() {
        return;
    }
    let registry = Registry::new();
    let project = registry.install();
    let names = fs::read_dir(project.join("node_modules/@aidd-dev")).expect("a folder");
    let mut names: Vec<String> = names
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let system = stdout_of(program("node").args(["-p", "`${process.platform}-${process.arch}`"]));
    let system = system.trim();
    assert_eq!(names, ["aidd".to_owned(), format!("aidd-{system}")]);

    let npx = |args: &[&str]| {
        let mut npm = registry.npm(&project);
        npm.args(["exec", "--offline", "--", "aidd"]).args(args).output().expect("npm")
    };
    let target = platforms()[system]["target"].as_str().expect("a name").to_owned();
    let version = npx(&["--version"]);
    assert_eq!(String::from_utf8_lossy(&version.stdout), format!("aidd of {target}\n"));
    assert_eq!(npx(&["end", "3"]).status.code(), Some(3));
    let args = npx(&["check", "a b", "$(x)", "*"]);
    assert_eq!(String::from_utf8_lossy(&args.stdout), "[check]\n[a b]\n[$(x)]\n[*]\n");

    assert_signals_forwarded(&project.join("node_modules/@aidd-dev/aidd/bin/aidd.js"));

    fs::remove_dir_all(project.join(format!("node_modules/@aidd-dev/aidd-{system}")))
        .expect("gone");
    let missing = npx(&["--version"]);
    assert_eq!(missing.status.code(), Some(3));
    let error = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(error.contains(&format!("@aidd-dev/aidd-{system} is missing")), "{error}");
}

/// Sends a signal to the launcher, and asserts that the binary received and reported the signal.
fn assert_signals_forwarded(launcher: &Path) {
    use std::io::{BufRead, BufReader};
    let mut child =
        program("node").arg(launcher).arg("wait").stdout(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "waiting");
    stdout_of(program("kill").args(["-TERM", &child.id().to_string()]));
    assert_eq!(lines.next().expect("a line").expect("text"), "stopped");
    assert_eq!(child.wait().expect("ended").code(), Some(42));
}

#[test]
fn the_packages_match_the_release_targets() {
    let dist = fs::read_to_string(root().join("dist-workspace.toml")).expect("text");
    let install = fs::read_to_string(root().join(".github/action/install.sh")).expect("text");
    let release = fs::read_to_string(root().join(".github/workflows/release.yml")).expect("text");
    let targets = dist.split_once("targets = [").and_then(|(_, rest)| rest.split_once(']'));
    let mut targets: Vec<&str> = targets.expect("a list").0.split('"').skip(1).step_by(2).collect();
    targets.sort_unstable();
    let packages = platforms();
    let mut packaged: Vec<&str> =
        packages.values().map(|package| package["target"].as_str().expect("a name")).collect();
    packaged.sort_unstable();
    assert_eq!(packaged, targets);
    for target in targets {
        assert!(release.contains(&format!("{{ target: {target}, runner: ")), "{target}");
        assert!(install.contains(&format!(") echo {target} ;;")), "{target}");
    }
}
