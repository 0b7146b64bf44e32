//! A minimal runner for `action.yml`: it parses the file, evaluates expressions and conditions, and
//! runs the `run:` steps with Bash like GitHub's runner. It panics on unsupported features.

use crate::action::steps::{Step, read, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A machine with a checkout of the action, and a workspace to check.
pub(crate) struct Runner {
    folder: TempDir,
    inputs: BTreeMap<String, String>,
    os: &'static str,
    arch: &'static str,
    cache_hit: bool,
    /// Whether `PATH` contains only the programs of this machine.
    has_own_path: bool,
    work: Option<PathBuf>,
    env: Vec<(&'static str, String)>,
}

/// The result of running the action.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The exit code of the last step.
    pub(crate) code: i32,
    /// The output of the steps.
    pub(crate) log: String,
    /// The outputs of the action.
    pub(crate) outputs: BTreeMap<String, String>,
    /// The names of the steps that were not skipped.
    pub(crate) steps: Vec<String>,
}

impl Runner {
    /// Creates a machine; `release` is the content of `.github/action/release` in the checkout.
    pub(crate) fn new(release: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runner = Self {
            folder,
            inputs: BTreeMap::new(),
            os: "Linux",
            arch: "X64",
            cache_hit: false,
            has_own_path: false,
            work: None,
            env: Vec::new(),
        };
        for below in ["action/.github/action", "action/src", "work", "temp", "tools", "bin", "seen"]
        {
            fs::create_dir_all(runner.path(below)).expect("made");
        }
        for script in ["install.sh", "run.sh", "stamp.sh"] {
            let script = format!(".github/action/{script}");
            let to = runner.path("action").join(&script);
            fs::copy(root().join(&script), to).expect("copied");
        }
        runner.write("action/.github/action/release", &format!("# A comment.\n{release}"));
        runner.write("action/src/main.rs", "fn main() {}\n");
        runner
    }

    /// Sets an input.
    pub(crate) fn with_input(mut self, input: &str, value: &str) -> Self {
        assert!(read().inputs.contains_key(input), "no input {input}");
        self.inputs.insert(input.to_owned(), value.to_owned());
        self
    }

    /// Sets operating system and architecture.
    pub(crate) fn with_platform(mut self, os: &'static str, arch: &'static str) -> Self {
        (self.os, self.arch) = (os, arch);
        self
    }

    /// Makes every cache lookup a hit.
    pub(crate) fn with_cache(mut self) -> Self {
        self.cache_hit = true;
        self
    }

    /// Limits `PATH` to the programs installed with [`install`](Self::install).
    pub(crate) fn with_only_its_path(mut self) -> Self {
        self.has_own_path = true;
        self
    }

    /// Sets the workspace directory.
    pub(crate) fn in_workspace(mut self, work: &Path) -> Self {
        self.work = Some(work.to_owned());
        self
    }

    /// Sets an environment variable for every step.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// A path below the machine's directory.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        fs::write(self.path(below), text).expect("written");
    }

    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    /// Installs a program in `PATH`.
    pub(crate) fn install(&self, name: &str, script: &str) {
        write_program(&self.path("bin").join(name), script);
    }

    /// Runs the action up to the first failing step.
    pub(crate) fn run(&self) -> Outcome {
        let action = read();
        let mut context = Context { inputs: self.inputs.clone(), steps: BTreeMap::new() };
        for (name, input) in &action.inputs {
            let default = context.expand(&input.default);
            context.inputs.entry(name.clone()).or_insert(default);
        }
        let mut outcome =
            Outcome { code: 0, log: String::new(), outputs: BTreeMap::new(), steps: Vec::new() };
        for step in &action.runs.steps {
            if !step.condition.as_ref().is_none_or(|condition| context.evaluate(condition)) {
                continue;
            }
            outcome.steps.push(step.name.clone());
            let outputs = match (&step.uses, &step.run) {
                (Some(uses), None) => self.emulate_action(uses, step, &context),
                (None, Some(run)) => self.run_step(run, step, &context, &mut outcome),
                _ => panic!("{}: a step must have either `uses` or `run`", step.name),
            };
            context.steps.insert(step.id.clone().unwrap_or_default(), outputs);
            if outcome.code != 0 {
                break;
            }
        }
        let outputs = action.outputs.iter();
        outcome.outputs =
            outputs.map(|(name, output)| (name.clone(), context.expand(&output.value))).collect();
        outcome
    }

    /// Emulates the features of other actions that this action uses.
    fn emulate_action(
        &self,
        uses: &str,
        step: &Step,
        context: &Context,
    ) -> BTreeMap<String, String> {
        let (name, _) = uses.split_once('@').expect("a version");
        let with: Vec<String> = step
            .with
            .iter()
            .map(|(name, value)| format!("{name}={}", context.expand(value)))
            .collect();
        assert_eq!(with.len(), 2, "{with:?}");
        assert!(with.iter().all(|input| !input.ends_with('=')), "{with:?}");
        match name {
            "actions/cache/restore" => {
                BTreeMap::from([("cache-hit".to_owned(), self.cache_hit.to_string())])
            }
            "actions/cache/save" => BTreeMap::new(),
            _ => panic!("unknown action {name}"),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the steps of the action")]
    fn run_step(
        &self,
        run: &str,
        step: &Step,
        context: &Context,
        outcome: &mut Outcome,
    ) -> BTreeMap<String, String> {
        assert_eq!(step.shell.as_deref(), Some("bash"), "{}", step.name);
        assert!(!run.contains("${{"), "{}: an input would become part of the script", step.name);
        let script = self.path("step.sh");
        fs::write(&script, run).expect("written");
        let output_file = self.path("output");
        fs::write(&output_file, "").expect("written");
        let folder =
            step.working_directory.as_ref().map_or(".".to_owned(), |to| context.expand(to));
        let mut path = self.path("bin").display().to_string();
        if !self.has_own_path {
            path = format!("{path}:{}", std::env::var("PATH").expect("a path"));
        }
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&script)
            .current_dir(self.work.clone().unwrap_or_else(|| self.path("work")).join(folder))
            .env_clear()
            .env("PATH", path)
            .env("SEEN", self.path("seen"))
            .env("GITHUB_ACTION_PATH", self.path("action"))
            .env("GITHUB_OUTPUT", &output_file)
            .env("GITHUB_STEP_SUMMARY", self.path("summary"))
            .env("RUNNER_OS", self.os)
            .env("RUNNER_ARCH", self.arch)
            .env("RUNNER_TEMP", self.path("temp"))
            .env("RUNNER_TOOL_CACHE", self.path("tools"))
            .envs(self.env.iter().cloned())
            .envs(step.env.iter().map(|(name, value)| (name, context.expand(value))))
            .output()
            .expect("bash");
        outcome.log.push_str(&String::from_utf8_lossy(&output.stdout));
        outcome.log.push_str(&String::from_utf8_lossy(&output.stderr));
        outcome.code = output.status.code().expect("not killed");
        outputs(&fs::read_to_string(&output_file).expect("text"))
    }
}

/// Writes an executable script.
pub(crate) fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, script).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("allowed");
}

/// Parses the outputs in the file that `GITHUB_OUTPUT` names: `name=value`, or `name<<END`, lines, `END`.
fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some((name, end)) = line.split_once("<<") {
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
            found.insert(name.to_owned(), value.join("\n"));
        } else {
            let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("output {line}"));
            found.insert(name.to_owned(), value.to_owned());
        }
    }
    found
}

/// The values that expressions can refer to.
struct Context {
    inputs: BTreeMap<String, String>,
    steps: BTreeMap<String, BTreeMap<String, String>>,
}

impl Context {
    /// Expands `${{ … }}` in a text.
    fn expand(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let (expression, after) = after.split_once("}}").expect("an end");
            filled.push_str(before);
            filled.push_str(&self.value(expression.trim()));
            rest = after;
        }
        filled + rest
    }

    /// Whether a condition is true: comparisons joined by `&&`.
    fn evaluate(&self, condition: &str) -> bool {
        condition.split("&&").all(|part| {
            if let Some((left, right)) = part.split_once("==") {
                self.value(left.trim()) == self.value(right.trim())
            } else if let Some((left, right)) = part.split_once("!=") {
                self.value(left.trim()) != self.value(right.trim())
            } else {
                panic!("unknown condition {part}")
            }
        })
    }

    fn value(&self, expression: &str) -> String {
        if let Some(text) = expression.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            assert!(!text.contains('\''), "unknown expression {expression}");
            return text.to_owned();
        }
        match expression.split('.').collect::<Vec<_>>()[..] {
            ["github", "token"] => "the-token".to_owned(),
            ["inputs", name] => self.inputs[name].clone(),
            // As on GitHub, the outputs of a skipped step are empty.
            ["steps", id, "outputs", name] => {
                self.steps.get(id).and_then(|step| step.get(name)).cloned().unwrap_or_default()
            }
            _ => panic!("unknown expression {expression}"),
        }
    }
}
