//! Tests of the workflows of this repository, and of the examples in the documentation.

use crate::action::steps::{self as action, root};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reference to the action in the documented workflows.
const ACTION: &str = "aidd-dev/aidd@v0";

/// The pages with examples.
const PAGES: [&str; 2] = ["README.md", "docs/github-action.md"];

/// An example with its location and text.
struct Example {
    location: String,
    text: String,
}

impl Example {
    fn yaml(&self) -> Value {
        serde_saphyr::from_str(&self.text).unwrap_or_else(|why| panic!("{}: {why}", self.location))
    }

    /// The file name in the first line.
    fn file(&self) -> Option<&str> {
        self.text.lines().next()?.strip_prefix("# ")
    }

    /// The example as a complete workflow: a list of steps is wrapped in a workflow. `None` for GitLab.
    fn workflow(&self) -> Option<String> {
        if self.file() == Some(".gitlab-ci.yml") {
            return None;
        }
        if self.yaml().is_array() {
            let steps: String = self.text.lines().map(|line| format!("      {line}\n")).collect();
            return Some(format!(
                "on: push\njobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
            ));
        }
        Some(self.text.clone())
    }
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("text").replace("\r\n", "\n")
}

/// The YAML blocks in the pages.
fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    for page in PAGES {
        let page_text = text(page);
        let mut rest = page_text.as_str();
        while let Some((before, after)) = rest.split_once("```yaml\n") {
            let (block, after) = after.split_once("```").expect("an end");
            let line = page_text.len() - rest.len() + before.len();
            let line = page_text[..line].lines().count() + 1;
            found.push(Example { location: format!("{page}:{line}"), text: block.to_owned() });
            rest = after;
        }
    }
    assert!(found.len() > PAGES.len(), "the examples are found");
    found
}

/// Every value of the key `uses`, with the sibling value of `with`.
fn uses<'a>(value: &'a Value, found: &mut Vec<(&'a str, Option<&'a Value>)>) {
    if let Some(name) = value.get("uses").and_then(Value::as_str) {
        found.push((name, value.get("with")));
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| uses(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| uses(field, found)),
        _ => {}
    }
}

/// The paths of the project's workflows and of the action.
fn workflows() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join(".github/workflows")).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
    files.push(root().join("action.yml"));
    files.sort();
    files
}

/// The command of a tool that is installed by `.ci/run` or in `PATH`; `None` if the tool is missing.
#[expect(clippy::print_stderr, reason = "reports a skipped test")]
#[expect(clippy::disallowed_methods, reason = "linters of workflows")]
fn tool(name: &str) -> Option<Command> {
    let installed = root().join("target/lint-venv/bin").join(name);
    let program = if installed.is_file() { installed } else { PathBuf::from(name) };
    if Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success())
    {
        return Some(Command::new(program));
    }
    eprintln!("skipped: {name} is not installed; .ci/run installs it");
    None
}

#[track_caller]
fn assert_success(command: &mut Command) {
    let output = command.output().expect("started");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_examples_use_existing_inputs() {
    let action = action::read();
    for example in examples() {
        let yaml = example.yaml();
        let mut used = Vec::new();
        uses(&yaml, &mut used);
        for (name, with) in used {
            let (repository, version) = name.split_once('@').expect("a version");
            if repository != "aidd-dev/aidd" {
                assert!(repository.starts_with("actions/"), "{}: {name}", example.location);
                continue;
            }
            assert_eq!(name, ACTION, "{}: {version}", example.location);
            for input in with.and_then(Value::as_object).into_iter().flatten() {
                assert!(action.inputs.contains_key(input.0), "{}: {}", example.location, input.0);
            }
        }
    }
}

#[test]
fn the_examples_request_minimal_permissions() {
    for example in examples() {
        let yaml = example.yaml();
        let Some(jobs) = yaml.get("jobs").and_then(Value::as_object) else { continue };
        for (name, job) in jobs {
            let permissions = job.get("permissions").or(yaml.get("permissions"));
            let location = format!("{}: {name}", example.location);
            let permissions = permissions.and_then(Value::as_object);
            let permissions = permissions.unwrap_or_else(|| panic!("{location}: no permissions"));
            for (permission, access) in permissions {
                let may_write =
                    ["pull-requests", "security-events", "checks"].contains(&permission.as_str());
                assert!(access == "read" || may_write, "{location}: {permission}: {access}");
            }
        }
    }
}

#[test]
fn the_example_for_gitlab_is_a_job() {
    let examples = examples();
    let found: Vec<_> =
        examples.iter().filter(|example| example.file() == Some(".gitlab-ci.yml")).collect();
    let [example] = found[..] else { panic!("{} examples for GitLab", found.len()) };
    let yaml = example.yaml();
    let job = &yaml["aidd"];
    assert!(job["script"].is_array() && job["rules"].is_array(), "{job}");
    let report = &job["artifacts"]["reports"]["codequality"];
    let script = job["script"].to_string();
    assert!(script.contains(report.as_str().expect("a file")), "{script}");
}

#[test]
fn the_inputs_and_outputs_are_described() {
    let action = action::read();
    let page = text("docs/github-action.md");
    for (name, input) in &action.inputs {
        let default = match input.default.as_str() {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        let row = format!("| `{name}` | {default} | {} |", input.description);
        assert!(page.contains(&row.replace("|  |", "| |")), "{row}");
    }
    for (name, output) in &action.outputs {
        let row = format!("| `{name}` | {} |", output.description);
        assert!(page.contains(&row), "{row}");
    }
    assert_eq!(action.runs.using, "composite");
    // The GitHub Marketplace requires a name and limits the length of the description.
    assert!(!action.name.is_empty() && action.description.len() < 125);
}

#[test]
fn third_party_actions_are_pinned() {
    for path in workflows() {
        let text = fs::read_to_string(&path).expect("text");
        for line in text.lines().filter_map(|line| line.split_once("uses: ").map(|(_, uses)| uses))
        {
            if line == "./" {
                continue;
            }
            let (name, version) = line.split_once('@').expect("a version");
            let (commit, tag) = version.split_once(" # v").expect("a commit and its tag");
            let location = path.display();
            assert!(name.starts_with("actions/"), "{location}: {name}");
            assert!(
                commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()),
                "{location}"
            );
            assert_eq!(tag.split('.').count(), 3, "{location}: {line}");
        }
    }
}

#[test]
fn branches_have_no_release_file() {
    let release = text(".github/action/release");
    let lines: Vec<&str> = release.lines().filter(|line| !line.starts_with('#')).collect();
    let stamped = lines.len() > 1 && lines[0].split('.').count() == 3;
    assert!(lines == ["none"] || stamped, "{lines:?}");
}

#[test]
fn actionlint_and_zizmor_report_nothing() {
    if let Some(mut actionlint) = tool("actionlint") {
        assert_success(actionlint.current_dir(root()));
    }
    if let Some(mut zizmor) = tool("zizmor") {
        assert_success(zizmor.args(["--offline", "--strict-collection", "."]).current_dir(root()));
    }
}

/// The repository contains the action itself, so that actionlint also checks the inputs.
#[test]
fn actionlint_reports_nothing_for_the_examples() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |below: &str| folder.path().join(below);
    fs::create_dir_all(path(".github/workflows")).expect("made");
    fs::create_dir(path(".git")).expect("made");
    fs::copy(root().join("action.yml"), path("action.yml")).expect("copied");
    let mut linted = 0;
    for (index, example) in examples().iter().enumerate() {
        let Some(workflow) = example.workflow() else { continue };
        let header = format!("# {}\n", example.location);
        let name = format!(".github/workflows/{index}.yml");
        write(&path(&name), &(header + &workflow.replace(ACTION, "./")));
        linted += 1;
    }
    assert!(linted > 5, "{linted}");
    if let Some(mut actionlint) = tool("actionlint") {
        assert_success(actionlint.current_dir(folder.path()));
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
}
