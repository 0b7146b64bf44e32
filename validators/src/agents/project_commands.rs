//! Commands of Cargo and of Python's task runners that name what the project does not define.

use super::markdown::Command;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::manifest;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;
use serde_json::Value;
use std::collections::BTreeSet;

/// What manifests of Cargo and of Python define.
#[derive(Debug, Default)]
pub(super) struct Defined {
    packages: BTreeSet<String>,
    binaries: BTreeSet<String>,
    examples: BTreeSet<String>,
    aliases: BTreeSet<String>,
    /// The packages of lock files and of dependencies.
    dependencies: BTreeSet<String>,
    poe: BTreeSet<String>,
    hatch: BTreeSet<String>,
    pub(super) has_cargo: bool,
    has_poe: bool,
    /// Whether tasks of Poe are defined outside of the manifests.
    includes_poe: bool,
    has_hatch: bool,
}

/// A name in a command that is not defined.
pub(super) struct Missing {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Defined {
    pub(super) fn read(files: &dyn Files, listing: &Listing) -> Self {
        let mut defined = Self::default();
        for path in listing.files() {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            match name {
                "Cargo.toml" => defined.add_cargo(files, listing, path, directory),
                "Cargo.lock" => {
                    if let Some(text) = side_file(files, path) {
                        let names = text.lines().filter_map(|line| line.strip_prefix("name = \""));
                        let names = names.filter_map(|name| name.strip_suffix('"'));
                        defined.dependencies.extend(names.map(str::to_owned));
                    }
                }
                "config.toml" | "config" if directory.ends_with(".cargo") => {
                    let value = toml(files, path);
                    defined.aliases.extend(keys(manifest::at(&value, &["alias"])));
                }
                "pyproject.toml" => {
                    let value = toml(files, path);
                    let tool = |keys: &[&str]| manifest::at(&value, keys).clone();
                    let poe = tool(&["tool", "poe"]);
                    defined.has_poe |= poe["tasks"].is_object();
                    let others = ["groups", "include", "include_script"];
                    defined.includes_poe |= others.iter().any(|key| !poe[*key].is_null());
                    defined.poe.extend(keys(&poe["tasks"]));
                    let hatch = tool(&["tool", "hatch", "envs"]);
                    defined.has_hatch |= hatch.is_object();
                    defined.hatch.extend(keys(&hatch));
                }
                "hatch.toml" => defined.hatch.extend(keys(&toml(files, path)["envs"])),
                "poe_tasks.json" | "poe_tasks.toml" | "poe_tasks.yaml" => {
                    defined.includes_poe = true;
                }
                _ => {}
            }
        }
        defined
    }

    fn add_cargo(&mut self, files: &dyn Files, listing: &Listing, path: &str, directory: &str) {
        self.has_cargo = true;
        let value = toml(files, path);
        let package = manifest::text(&value, &["package", "name"]).map(str::to_owned);
        self.packages.extend(package.clone());
        // The default binary has the name of the package.
        self.binaries.extend(package);
        for (list, names) in [("bin", &mut self.binaries), ("example", &mut self.examples)] {
            let items = value[list].as_array().into_iter().flatten();
            names.extend(items.filter_map(|item| item["name"].as_str()).map(str::to_owned));
        }
        for (folder, names) in [("src/bin/", &mut self.binaries), ("examples/", &mut self.examples)]
        {
            let prefix = if directory.is_empty() {
                folder.to_owned()
            } else {
                format!("{directory}/{folder}")
            };
            for file in listing.beginning_with(&prefix) {
                let first = file[prefix.len()..].split('/').next().unwrap_or_default();
                names.insert(first.strip_suffix(".rs").unwrap_or(first).to_owned());
            }
        }
        for list in ["dependencies", "dev-dependencies", "build-dependencies"] {
            self.dependencies.extend(keys(&value[list]));
            self.dependencies.extend(keys(&value["workspace"][list]));
        }
        let workspace = &value["workspace"]["package"]["name"];
        self.packages.extend(workspace.as_str().map(str::to_owned));
    }

    /// The first name in the command that the project does not define.
    pub(super) fn missing(&self, command: &Command<'_>) -> Option<Missing> {
        let words: Vec<&str> = command.text.split_whitespace().collect();
        let words = match words[..] {
            ["uv" | "poetry" | "pdm", "run", ref rest @ ..] => rest,
            ref all => all,
        };
        match *words {
            ["cargo", ref rest @ ..] if self.has_cargo => self.cargo(command, rest),
            ["poe", task, ..]
                if self.has_poe
                    && !self.includes_poe
                    && is_plain(task)
                    && !self.poe.contains(task) =>
            {
                let names = self.poe.iter().map(String::as_str);
                Some(missing(
                    command,
                    task,
                    "is not a task of Poe the Poet in any pyproject.toml",
                    names,
                ))
            }
            ["hatch", "run", task, ..] if self.has_hatch => {
                let environment = task.split_once(':')?.0;
                // The names of environments that Hatch defines.
                let is_own = environment.starts_with("hatch-")
                    || matches!(environment, "default" | "system");
                let is_known = self.hatch.contains(environment) || is_own;
                (is_plain(environment) && !is_known).then(|| {
                    let names = self.hatch.iter().map(String::as_str);
                    missing(
                        command,
                        environment,
                        "is not an environment of Hatch in any pyproject.toml",
                        names,
                    )
                })
            }
            _ => None,
        }
    }

    fn cargo(&self, command: &Command<'_>, words: &[&str]) -> Option<Missing> {
        // Arguments after `--` are for the program.
        let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let words = &words[..end];
        let subcommand = words.iter().find(|word| !word.starts_with(['+', '-']))?;
        if *subcommand == "xtask" {
            let is_defined = self.aliases.contains("xtask");
            return (!is_defined).then(|| {
                missing(
                    command,
                    subcommand,
                    "is not an alias in .cargo/config.toml",
                    std::iter::empty(),
                )
            });
        }
        if !matches!(
            *subcommand,
            "b" | "bench"
                | "build"
                | "c"
                | "check"
                | "clippy"
                | "doc"
                | "nextest"
                | "r"
                | "run"
                | "t"
                | "test"
        ) || words.iter().any(|word| word.starts_with("--manifest-path") || *word == "-C")
        {
            return None;
        }
        let is_run = matches!(*subcommand, "r" | "run");
        let mut follows_option = false;
        for (at, word) in words.iter().enumerate() {
            // After its first argument, `cargo run` passes all options to the program.
            if is_run && !word.starts_with(['+', '-']) && word != subcommand && !follows_option {
                return None;
            }
            follows_option = RUN_OPTIONS.contains(word);
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (*word, words.get(at + 1).copied()),
            };
            let Some(value) = value.filter(|value| is_plain(value)) else { continue };
            let (names, what) = match option {
                "-p" | "--package" => {
                    (&self.packages, "is not a package of the project or in Cargo.lock")
                }
                "--bin" => (&self.binaries, "is not a binary of any Cargo.toml"),
                "--example" => (&self.examples, "is not an example of any Cargo.toml"),
                _ => continue,
            };
            let is_dependency = option.ends_with('p') || option == "--package";
            if names.contains(value) || is_dependency && self.dependencies.contains(value) {
                continue;
            }
            return Some(missing(command, value, what, names.iter().map(String::as_str)));
        }
        None
    }
}

/// Options of `cargo run` that are followed by a value.
const RUN_OPTIONS: [&str; 13] = [
    "--bin",
    "--color",
    "--config",
    "--example",
    "--features",
    "--jobs",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "-F",
    "-j",
    "-p",
];

/// Whether the command runs a program whose manifests are read.
pub(super) fn is_known(command: &Command<'_>) -> bool {
    ["cargo", "hatch", "pdm", "poe", "poetry", "uv"]
        .iter()
        .any(|program| command.text.split_whitespace().next() == Some(program))
}

/// The data of a TOML file; null if it cannot be read.
fn toml(files: &dyn Files, path: &str) -> Value {
    let Some(text) = side_file(files, path) else { return Value::Null };
    let values = Values::read(Format::Toml, &text);
    values.roots.first().map_or(Value::Null, |&root| values.json(root))
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

/// Whether the word is a name rather than a placeholder, a variable or a pattern.
fn is_plain(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !word.is_empty()
        && word.chars().all(is_part)
        && !word.starts_with('-')
        && !super::words::is_placeholder_name(word)
}

fn missing<'n>(
    command: &Command<'_>,
    word: &str,
    what: &str,
    names: impl Iterator<Item = &'n str>,
) -> Missing {
    let offset = word.as_ptr() as usize - command.text.as_ptr() as usize;
    let start = command.span.start as usize + offset;
    let near = nearest(word, names);
    Missing {
        span: Span::new(start, start + word.len()),
        message: format!("`{word}` {what}"),
        help: near.map(|name| format!("did you mean `{name}`?")),
    }
}
