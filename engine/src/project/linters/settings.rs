//! The settings of other tools that lie in the repository.

use super::Tool::{self, Biome, Clippy, Eslint, Golangci, Ruff};
use super::content::{Content, any_text};
use super::{Level, level};
use crate::text::files::{Files, side_file};
use serde_json::Value;
use std::sync::Arc;

/// Most settings files that are read.
const MOST: usize = 400;

/// The settings that are there.
#[derive(Debug, Default)]
pub struct Settings(Vec<Found>);

/// Settings of one tool in one file.
#[derive(Debug)]
struct Found {
    tool: &'static str,
    say: Say,
    path: String,
    content: Arc<Content>,
}

/// What the settings of a tool say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Say {
    /// Which of its rules are on.
    Rules(Tool),
    /// How code is laid out.
    Layout,
    /// What holds for commits, names or layers.
    About(&'static str),
    /// Which names are disallowed.
    Disallowed,
    /// No more than that the tool is there.
    There,
}

use Say::{About, Disallowed, Layout, Rules, There};

/// What `enforced-by` comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforced {
    /// The settings at this path have it on.
    By(String),
    /// The settings at this path are there; whether they have it on cannot be told.
    Perhaps(String),
    /// It is not enforced: why not, and what to do.
    Not {
        /// Why not.
        why: String,
        /// What to do.
        remedy: String,
    },
}

/// Tools, what their settings say, and the files that hold them: names, or their beginnings where a
/// `*` stands. What stands after a `#` is a JSON pointer to what must be in the file. From the pages
/// of the tools.
const TOOLS: [(&str, Say, &[&str]); 42] = [
    ("biome", Rules(Biome), &["biome.json", "biome.jsonc"]),
    ("biome", Layout, &["biome.json", "biome.jsonc"]),
    ("black", Layout, &["pyproject.toml#/tool/black"]),
    ("cargo-deny", There, &["deny.toml", ".deny.toml"]),
    ("checkstyle", There, &["checkstyle.xml"]),
    ("clippy", Rules(Clippy), &["Cargo.toml", "lib.rs", "main.rs"]),
    ("clippy", Disallowed, &["clippy.toml", ".clippy.toml"]),
    ("cocogitto", About("commits"), &["cog.toml"]),
    (
        "commitlint",
        About("commits"),
        &["commitlint.config.*", ".commitlintrc*", "package.json#/commitlint"],
    ),
    ("dependency-cruiser", About("layers"), &[".dependency-cruiser.*"]),
    ("detekt", There, &["detekt.yml", "detekt.yaml"]),
    ("editorconfig", Layout, &[".editorconfig"]),
    ("eslint", Rules(Eslint), &["eslint.config.*", ".eslintrc*", "package.json#/eslintConfig"]),
    ("gofmt", Layout, &["go.mod"]),
    (
        "golangci-lint",
        Rules(Golangci),
        &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"],
    ),
    ("hadolint", There, &[".hadolint.yaml", ".hadolint.yml"]),
    ("import-linter", About("layers"), &[".importlinter", "pyproject.toml#/tool/importlinter"]),
    ("knip", There, &["knip.json", "knip.jsonc", "knip.ts"]),
    ("lefthook", There, &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"]),
    ("ls-lint", About("names"), &[".ls-lint.yml"]),
    ("markdownlint", There, &[".markdownlint*"]),
    ("mypy", There, &["mypy.ini", ".mypy.ini", "pyproject.toml#/tool/mypy"]),
    ("oxlint", There, &[".oxlintrc.json"]),
    ("phpstan", There, &["phpstan.neon", "phpstan.neon.dist"]),
    ("pre-commit", There, &[".pre-commit-config.yaml"]),
    ("prettier", Layout, &[".prettierrc*", "prettier.config.*", "package.json#/prettier"]),
    ("pylint", There, &[".pylintrc", "pyproject.toml#/tool/pylint"]),
    ("pyright", There, &["pyrightconfig.json", "pyproject.toml#/tool/pyright"]),
    ("rubocop", There, &[".rubocop.yml"]),
    ("ruff", Rules(Ruff), &["ruff.toml", ".ruff.toml", "pyproject.toml#/tool/ruff"]),
    ("ruff format", Layout, &["ruff.toml", ".ruff.toml", "pyproject.toml#/tool/ruff"]),
    ("rustfmt", Layout, &["rustfmt.toml", ".rustfmt.toml"]),
    ("semgrep", There, &[".semgrep.yml", ".semgrep.yaml"]),
    ("shellcheck", There, &[".shellcheckrc"]),
    ("spectral", There, &[".spectral.yaml", ".spectral.yml"]),
    ("sqlfluff", There, &[".sqlfluff", "pyproject.toml#/tool/sqlfluff"]),
    ("stylelint", There, &[".stylelintrc*", "stylelint.config.*"]),
    ("swiftlint", There, &[".swiftlint.yml"]),
    ("textlint", There, &[".textlintrc*"]),
    ("tsc", There, &["tsconfig.json", "tsconfig.base.json"]),
    ("vale", There, &[".vale.ini"]),
    ("yamllint", There, &[".yamllint", ".yamllint.yml", ".yamllint.yaml"]),
];

/// Whether a file of this name may hold settings that [`Settings::read`] reads.
#[must_use]
pub fn is_settings(name: &str) -> bool {
    of_name(name).next().is_some()
}

/// What a file of this name may hold: the tool, what its settings say, where in the file they are.
fn of_name(name: &str) -> impl Iterator<Item = (&'static str, Say, &'static str)> {
    let fits = move |file: &str| {
        file == name || file.strip_suffix('*').is_some_and(|start| name.starts_with(start))
    };
    TOOLS.iter().filter_map(move |(tool, say, files)| {
        let mut places = files.iter().map(|file| file.split_once('#').unwrap_or((file, "")));
        places.find(|(file, _)| fits(file)).map(|(_, at)| (*tool, *say, at))
    })
}

impl Settings {
    /// The settings among `paths`.
    #[must_use]
    pub fn read(files: &dyn Files, paths: &[String]) -> Self {
        Self::read_where(files, paths, is_settings)
    }

    /// The settings of the tools that `names` under `enforced-by` are of, among `paths`.
    #[must_use]
    pub fn of_tools(files: &dyn Files, paths: &[String], names: &[String]) -> Self {
        let tools: Vec<&str> = names.iter().map(|name| tool_and_rule(name).0).collect();
        let is_asked = |name: &str| of_name(name).any(|(tool, ..)| tools.contains(&tool));
        Self::read_where(files, paths, is_asked)
    }

    fn read_where(files: &dyn Files, paths: &[String], is_asked: impl Fn(&str) -> bool) -> Self {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        // A workspace of hundreds of crates leaves room for what says more than their first files.
        let is_code = |path: &&String| path.ends_with(".rs");
        let own = || paths.iter().filter(|path| !path.contains("node_modules/"));
        let first = own().filter(|path| !is_code(path));
        let all = first.chain(own().filter(is_code)).filter(|path| is_asked(&name(path)));
        let mut settings = Self::default();
        for path in all.take(MOST) {
            if let Some(text) = side_file(files, path) {
                settings.take(&name(path), path, text);
            }
        }
        settings
    }

    fn take(&mut self, name: &str, path: &str, text: String) {
        let content = Arc::new(Content::of(name, text));
        let is_there = |at: &str| {
            at.is_empty() || content.data().is_some_and(|data| data.pointer(at).is_some())
        };
        let held = of_name(name).filter(|(.., at)| is_there(at));
        self.0.extend(held.map(|(tool, say, _)| Found {
            tool,
            say,
            path: path.to_owned(),
            content: Arc::clone(&content),
        }));
    }

    /// The settings that say this.
    fn that(&self, say: Say) -> impl Iterator<Item = &Found> {
        self.0.iter().filter(move |found| found.say == say)
    }

    /// The first settings of a tool that have a rule at a level.
    fn at_level(&self, tool: Tool, rule: &str, wanted: Level) -> Option<&Found> {
        self.that(Rules(tool)).find(|found| level(tool, rule, &found.content) == wanted)
    }

    /// The rule and the settings that switch it on.
    #[must_use]
    pub fn switched_on(&self, tool: Tool, rule: &str) -> Option<(String, String)> {
        let found = self.at_level(tool, rule, Level::On)?;
        Some((tool.rule(rule), found.path.clone()))
    }

    /// The first of the names that peers have for a rule of ours that settings switch on. ESLint's
    /// rules of plugins are named without the plugin there.
    #[must_use]
    pub fn by_alias(&self, aliases: &[String]) -> Option<(String, String)> {
        let plugins =
            ["@typescript-eslint", "import", "unicorn", "jest", "vitest", "jsx-a11y", "react"];
        aliases.iter().find_map(|alias| {
            let is_code = alias.starts_with(|c: char| c.is_ascii_uppercase())
                && alias.ends_with(|c: char| c.is_ascii_digit());
            if is_code {
                return self.switched_on(Ruff, alias);
            }
            if alias.starts_with("clippy::") || alias == "missing_docs" {
                return self.switched_on(Clippy, alias);
            }
            let of_plugin = |plugin: &&str| self.switched_on(Eslint, &format!("{plugin}/{alias}"));
            self.switched_on(Eslint, alias)
                .or_else(|| plugins.iter().find_map(of_plugin))
                .or_else(|| self.switched_on(Biome, alias))
                .or_else(|| self.switched_on(Golangci, alias))
        })
    }

    /// The file of clippy or ESLint in which a name is forbidden as such, with what forbids it.
    #[must_use]
    pub fn forbids(&self, name: &str) -> Option<(String, String)> {
        let tail = format!("::{name}");
        for found in self.that(Disallowed) {
            let mut known = disallowed(&found.content);
            if let Some(known) = known.find(|known| *known == name || known.ends_with(&tail)) {
                return Some((format!("clippy::disallowed ({known})"), found.path.clone()));
            }
        }
        let restricted = |found: &&Found| restricts(&found.content, name);
        let found = self.that(Rules(Eslint)).find(restricted)?;
        Some(("eslint/no-restricted-*".to_owned(), found.path.clone()))
    }

    /// The settings on commits, names or layers in which all of `parts` stand: the tool, the path.
    #[must_use]
    pub fn on(&self, about: &'static str, parts: &[String]) -> Option<(String, String)> {
        let holds = |found: &&Found| parts.iter().all(|part| found.content.holds(part));
        self.that(About(about)).find(holds).map(Found::named)
    }

    /// The formatter that lays code out; `style`: one that also changes quotes and semicolons.
    #[must_use]
    pub fn formatter(&self, style: bool) -> Option<(String, String)> {
        const STYLE: [&str; 4] = ["prettier", "biome", "black", "ruff format"];
        let changes = |found: &&Found| !style || STYLE.contains(&found.tool);
        self.that(Layout).find(changes).map(Found::named)
    }

    /// What becomes of a name under `enforced-by`: `eslint/no-console`, `clippy::unwrap_used`,
    /// `ruff/T201`, or a tool alone: `prettier`.
    #[must_use]
    pub fn enforced_by(&self, name: &str) -> Enforced {
        let (tool, rule) = tool_and_rule(name);
        let known = TOOLS.iter().find_map(|(known, say, _)| match say {
            Rules(whose) if *known == tool => Some(*whose),
            _ => None,
        });
        match (known, rule) {
            // A lint of the compiler has no tool before its name.
            (Some(Clippy), Some(rule)) if !name.starts_with("rustc") => {
                self.rule_of(Clippy, &format!("clippy::{rule}"))
            }
            (Some(known), Some(rule)) => self.rule_of(known, rule),
            _ => self.tool_alone(tool),
        }
    }

    fn rule_of(&self, tool: Tool, rule: &str) -> Enforced {
        let told =
            |wanted: Level| self.at_level(tool, rule, wanted).map(|found| found.path.clone());
        if let Some(path) = told(Level::On) {
            return Enforced::By(path);
        }
        let name = tool.name();
        if let Some(path) = told(Level::Off) {
            let why = format!("{path} switches `{rule}` off");
            let remedy = format!("switch it on there, or take {} out", tool.rule(rule));
            return Enforced::Not { why, remedy };
        }
        if let Some(path) = told(Level::Unknown) {
            return Enforced::Perhaps(path);
        }
        match self.that(Rules(tool)).next() {
            Some(Found { path, .. }) => Enforced::Not {
                why: format!("no settings of {name} here switch `{rule}` on"),
                remedy: format!("switch it on, in {path} for one"),
            },
            None => missing(name),
        }
    }

    /// A tool without a rule, or one whose rules are not known: its settings are there, or not.
    fn tool_alone(&self, tool: &str) -> Enforced {
        if let Some(found) = self.0.iter().find(|found| found.tool == tool) {
            return Enforced::By(found.path.clone());
        }
        let mut known: Vec<&str> = TOOLS.iter().map(|(tool, ..)| *tool).collect();
        if known.contains(&tool) {
            return missing(tool);
        }
        known.dedup();
        Enforced::Not {
            why: format!("`{tool}` is no tool whose settings are known"),
            remedy: format!("known are {}", known.join(", ")),
        }
    }
}

impl Found {
    fn named(&self) -> (String, String) {
        (self.tool.to_owned(), self.path.clone())
    }
}

/// The tool and the rule of a name under `enforced-by`; the compiler's lints lie where Clippy's do.
fn tool_and_rule(name: &str) -> (&str, Option<&str>) {
    let (tool, rule) = match name.split_once("::").or_else(|| name.split_once('/')) {
        Some((tool, rule)) => (tool, Some(rule)),
        None => (name, None),
    };
    (if tool == "rustc" { "clippy" } else { tool }, rule)
}

/// The paths that clippy.toml disallows: texts, or mappings with a `path`.
fn disallowed(content: &Content) -> impl Iterator<Item = &str> {
    let tables = content.data().and_then(Value::as_object).into_iter().flatten();
    let lists = tables.filter(|(key, _)| key.starts_with("disallowed-"));
    let all = lists.flat_map(|(_, list)| list.as_array().into_iter().flatten());
    all.filter_map(|one| one.get("path").unwrap_or(one).as_str())
}

/// Whether a rule `no-restricted-…` of ESLint names the name.
fn restricts(content: &Content, name: &str) -> bool {
    match content {
        Content::Program(text) | Content::Text(text) => {
            let quoted = [format!("\"{name}\""), format!("'{name}'")];
            text.contains("no-restricted-") && quoted.iter().any(|one| text.contains(one))
        }
        Content::Data(data) => {
            let root = data.get("eslintConfig").unwrap_or(data);
            let parts =
                std::iter::once(root).chain(root["overrides"].as_array().into_iter().flatten());
            let mut rules = parts.flat_map(|part| part["rules"].as_object().into_iter().flatten());
            rules.any(|(rule, setting)| {
                rule.starts_with("no-restricted-") && any_text(setting, &|text| text == name)
            })
        }
    }
}

fn missing(tool: &str) -> Enforced {
    Enforced::Not {
        why: format!("no settings of {tool} are in this project"),
        remedy: "add them, give the page a `check`, or take the key out".to_owned(),
    }
}
