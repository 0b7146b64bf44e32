//! Finds the settings of other tools in the repository.

use super::Tool::{self, Biome, Clippy, Eslint, Golangci, Oxlint, Ruff};
use super::content::{Content, any_text};
use super::layout::max_line_width;
use super::{Level, level};
use crate::text::files::{Files, side_file};
use serde_json::Value;
use std::sync::Arc;

/// Maximum number of settings files that are read.
const MAX_FILES: usize = 400;

/// The settings found in a repository.
#[derive(Debug, Default)]
pub struct Settings(Vec<SettingsFile>);

/// The settings of one tool in one file.
#[derive(Debug)]
struct SettingsFile {
    tool: &'static str,
    purpose: Purpose,
    path: String,
    content: Arc<Content>,
}

/// The purpose of a tool's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Which rules of the tool are enabled.
    Rules(Tool),
    /// Code formatting.
    Layout,
    /// Rules about one subject: `commits`, `names` or `layers` (imports between parts of the
    /// project).
    About(&'static str),
    /// Disallowed names.
    Disallowed,
    /// None of the other purposes: the existence of the settings shows that the tool is used.
    Present,
}

use Purpose::{About, Disallowed, Layout, Present, Rules};

/// The layout that a formatter should enforce.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayoutQuery<'a> {
    /// Whether the formatter must also change quotes and semicolons.
    pub style: bool,
    /// The maximum number of characters of a line.
    pub width: Option<u64>,
    /// The formatters of the languages concerned; empty for all formatters.
    pub formatters: &'a [&'a str],
}

/// Whether a rule named in `enforced-by` is enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// Enabled by the settings at this path.
    By(String),
    /// The settings at this path exist, but it is unknown whether they enable the rule.
    Unknown(String),
    /// The rule is not enforced.
    Not {
        /// The reason.
        why: String,
        /// The change that makes the tool enforce the rule.
        remedy: String,
    },
}

/// The tools, the purposes of their settings, and the names of their settings files, from the
/// documentation of the tools. `*` matches any suffix. The text after `#` is a JSON pointer to a
/// value that must exist in the file.
const TOOLS: [(&str, Purpose, &[&str]); 42] = [
    ("biome", Rules(Biome), &["biome.json", "biome.jsonc"]),
    ("biome", Layout, &["biome.json", "biome.jsonc"]),
    ("black", Layout, &["pyproject.toml#/tool/black"]),
    ("cargo-deny", Present, &["deny.toml", ".deny.toml"]),
    ("checkstyle", Present, &["checkstyle.xml"]),
    ("clippy", Rules(Clippy), &["Cargo.toml", "lib.rs", "main.rs"]),
    ("clippy", Disallowed, &["clippy.toml", ".clippy.toml"]),
    ("cocogitto", About("commits"), &["cog.toml"]),
    (
        "commitlint",
        About("commits"),
        &["commitlint.config.*", ".commitlintrc*", "package.json#/commitlint"],
    ),
    ("dependency-cruiser", About("layers"), &[".dependency-cruiser.*"]),
    ("detekt", Present, &["detekt.yml", "detekt.yaml"]),
    ("editorconfig", Layout, &[".editorconfig"]),
    ("eslint", Rules(Eslint), &["eslint.config.*", ".eslintrc*", "package.json#/eslintConfig"]),
    ("gofmt", Layout, &["go.mod"]),
    (
        "golangci-lint",
        Rules(Golangci),
        &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"],
    ),
    ("hadolint", Present, &[".hadolint.yaml", ".hadolint.yml"]),
    ("import-linter", About("layers"), &[".importlinter", "pyproject.toml#/tool/importlinter"]),
    ("knip", Present, &["knip.json", "knip.jsonc", "knip.ts"]),
    ("lefthook", Present, &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"]),
    ("ls-lint", About("names"), &[".ls-lint.yml"]),
    ("markdownlint", Present, &[".markdownlint*"]),
    ("mypy", Present, &["mypy.ini", ".mypy.ini", "pyproject.toml#/tool/mypy"]),
    ("oxlint", Rules(Oxlint), &[".oxlintrc.json", "oxlintrc.json"]),
    ("phpstan", Present, &["phpstan.neon", "phpstan.neon.dist"]),
    ("pre-commit", Present, &[".pre-commit-config.yaml"]),
    ("prettier", Layout, &[".prettierrc*", "prettier.config.*", "package.json#/prettier"]),
    ("pylint", Present, &[".pylintrc", "pyproject.toml#/tool/pylint"]),
    ("pyright", Present, &["pyrightconfig.json", "pyproject.toml#/tool/pyright"]),
    ("rubocop", Present, &[".rubocop.yml"]),
    ("ruff", Rules(Ruff), &["ruff.toml", ".ruff.toml", "pyproject.toml#/tool/ruff"]),
    ("ruff format", Layout, &["ruff.toml", ".ruff.toml", "pyproject.toml#/tool/ruff"]),
    ("rustfmt", Layout, &["rustfmt.toml", ".rustfmt.toml"]),
    ("semgrep", Present, &[".semgrep.yml", ".semgrep.yaml"]),
    ("shellcheck", Present, &[".shellcheckrc"]),
    ("spectral", Present, &[".spectral.yaml", ".spectral.yml"]),
    ("sqlfluff", Present, &[".sqlfluff", "pyproject.toml#/tool/sqlfluff"]),
    ("stylelint", Present, &[".stylelintrc*", "stylelint.config.*"]),
    ("swiftlint", Present, &[".swiftlint.yml"]),
    ("textlint", Present, &[".textlintrc*"]),
    ("tsc", Present, &["tsconfig.json", "tsconfig.base.json"]),
    ("vale", Present, &[".vale.ini"]),
    ("yamllint", Present, &[".yamllint", ".yamllint.yml", ".yamllint.yaml"]),
];

/// Whether a file with this name can contain settings that [`Settings::read`] reads.
#[must_use]
pub fn is_settings(name: &str) -> bool {
    settings_in_file(name).next().is_some()
}

/// The settings that a file with this name can contain, each with the tool, the purpose, and the
/// JSON pointer to a required value.
fn settings_in_file(name: &str) -> impl Iterator<Item = (&'static str, Purpose, &'static str)> {
    let matches_name = move |file: &str| {
        file == name || file.strip_suffix('*').is_some_and(|start| name.starts_with(start))
    };
    TOOLS.iter().filter_map(move |(tool, purpose, files)| {
        let mut patterns = files.iter().map(|file| file.split_once('#').unwrap_or((file, "")));
        patterns.find(|(file, _)| matches_name(file)).map(|(_, pointer)| (*tool, *purpose, pointer))
    })
}

impl Settings {
    /// Reads all settings among `paths`.
    #[must_use]
    pub fn read(files: &dyn Files, paths: &[String]) -> Self {
        Self::read_where(files, paths, is_settings)
    }

    /// Reads the settings among `paths` of the tools in `names`, which are values of `enforced-by`.
    #[must_use]
    pub fn of_tools(files: &dyn Files, paths: &[String], names: &[String]) -> Self {
        let tools: Vec<&str> = names.iter().map(|name| tool_and_rule(name).0).collect();
        let is_requested =
            |name: &str| settings_in_file(name).any(|(tool, ..)| tools.contains(&tool));
        Self::read_where(files, paths, is_requested)
    }

    fn read_where(
        files: &dyn Files,
        paths: &[String],
        is_requested: impl Fn(&str) -> bool,
    ) -> Self {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        // Crate root files come last, so that hundreds of crates do not use up the limit.
        let is_code = |path: &&String| path.ends_with(".rs");
        let project_paths = || paths.iter().filter(|path| !path.contains("node_modules/"));
        let non_code = project_paths().filter(|path| !is_code(path));
        let all = non_code
            .chain(project_paths().filter(is_code))
            .filter(|path| is_requested(&name(path)));
        let mut settings = Self::default();
        for path in all.take(MAX_FILES) {
            if let Some(text) = side_file(files, path) {
                settings.add_file(&name(path), path, text);
            }
        }
        settings
    }

    /// Adds the settings in the file with this name and path.
    fn add_file(&mut self, name: &str, path: &str, text: String) {
        let content = Arc::new(Content::parse(name, text));
        let has_value = |pointer: &str| {
            pointer.is_empty() || content.data().is_some_and(|data| data.pointer(pointer).is_some())
        };
        let matching = settings_in_file(name).filter(|(.., pointer)| has_value(pointer));
        self.0.extend(matching.map(|(tool, purpose, _)| SettingsFile {
            tool,
            purpose,
            path: path.to_owned(),
            content: Arc::clone(&content),
        }));
    }

    /// The linters in use, each with the path of its settings nearest to the root. Formatters, compilers and
    /// manifests without settings of a linter are omitted.
    #[must_use]
    pub fn linters(&self) -> Vec<(&str, &str)> {
        let has_lints = |found: &&SettingsFile| {
            let lints = |data: &Value| {
                data.get("lints").or_else(|| data.pointer("/workspace/lints")).is_some()
            };
            found.purpose != Rules(Clippy) || found.content.data().is_some_and(lints)
        };
        let is_linter = |found: &&SettingsFile| {
            found.purpose != Layout && !matches!(found.tool, "tsc" | "pre-commit" | "lefthook")
        };
        let mut linters: Vec<(&str, &str)> = Vec::new();
        for found in self.0.iter().filter(is_linter).filter(has_lints) {
            let depth = |path: &str| path.matches('/').count();
            match linters.iter_mut().find(|(tool, _)| *tool == found.tool) {
                Some((_, path)) if depth(path) > depth(&found.path) => *path = &found.path,
                Some(_) => {}
                None => linters.push((found.tool, &found.path)),
            }
        }
        linters
    }

    /// The settings with this purpose.
    fn with_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &SettingsFile> {
        self.0.iter().filter(move |found| found.purpose == purpose)
    }

    /// The first settings of a tool that have a rule at this level.
    fn at_level(&self, tool: Tool, rule: &str, expected: Level) -> Option<&SettingsFile> {
        self.with_purpose(Rules(tool)).find(|found| level(tool, rule, &found.content) == expected)
    }

    /// The name of the rule and the path of the settings, if settings enable the rule.
    #[must_use]
    pub fn enabling_settings(&self, tool: Tool, rule: &str) -> Option<(String, String)> {
        let found = self.at_level(tool, rule, Level::On)?;
        Some((tool.rule(rule), found.path.clone()))
    }

    /// Whether settings disable the rule by its name, and none enable it.
    #[must_use]
    pub fn disables(&self, tool: Tool, rule: &str) -> bool {
        self.at_level(tool, rule, Level::Off).is_some()
            && self.at_level(tool, rule, Level::On).is_none()
    }

    /// The first of a rule's aliases that settings of a tool enable for which `applies` is true, and
    /// the path of the settings. Aliases of ESLint plugin rules omit the plugin.
    #[must_use]
    pub fn by_alias(
        &self,
        aliases: &[String],
        applies: &dyn Fn(&Tool) -> bool,
    ) -> Option<(String, String)> {
        let enabling = |tool: Tool, rule: &str| {
            applies(&tool).then(|| self.enabling_settings(tool, rule)).flatten()
        };
        let plugins =
            ["@typescript-eslint", "import", "unicorn", "jest", "vitest", "jsx-a11y", "react"];
        aliases.iter().find_map(|alias| {
            let is_code = alias.starts_with(|c: char| c.is_ascii_uppercase())
                && alias.ends_with(|c: char| c.is_ascii_digit());
            if is_code {
                return enabling(Ruff, alias);
            }
            if alias.starts_with("clippy::") || alias == "missing_docs" {
                return enabling(Clippy, alias);
            }
            let in_plugin = |plugin: &&str| enabling(Eslint, &format!("{plugin}/{alias}"));
            enabling(Eslint, alias)
                .or_else(|| plugins.iter().find_map(in_plugin))
                .or_else(|| enabling(Oxlint, alias))
                .or_else(|| enabling(Biome, alias))
                .or_else(|| enabling(Golangci, alias))
        })
    }

    /// The setting of Clippy or ESLint that disallows a name, and the path of the settings.
    #[must_use]
    pub fn forbids(&self, name: &str) -> Option<(String, String)> {
        let tail = format!("::{name}");
        for found in self.with_purpose(Disallowed) {
            let mut known = disallowed_paths(&found.content);
            if let Some(known) = known.find(|known| *known == name || known.ends_with(&tail)) {
                return Some((format!("clippy::disallowed ({known})"), found.path.clone()));
            }
        }
        let is_restricted = |found: &&SettingsFile| restricts(&found.content, name);
        let found = self.with_purpose(Rules(Eslint)).find(is_restricted)?;
        Some(("eslint/no-restricted-*".to_owned(), found.path.clone()))
    }

    /// The settings on commits, names or layers that contain all of `parts`: the tool and the path.
    #[must_use]
    pub fn about(&self, about: &'static str, parts: &[String]) -> Option<(String, String)> {
        let contains_all =
            |found: &&SettingsFile| parts.iter().all(|part| found.content.contains(part));
        self.with_purpose(About(about)).find(contains_all).map(SettingsFile::tool_and_path)
    }

    /// The formatter in use that enforces the layout.
    #[must_use]
    pub fn formatter(&self, layout: &LayoutQuery<'_>) -> Option<(String, String)> {
        const STYLE: [&str; 4] = ["prettier", "biome", "black", "ruff format"];
        let is_suitable = |found: &&SettingsFile| {
            (!layout.style || STYLE.contains(&found.tool))
                && (layout.formatters.is_empty() || layout.formatters.contains(&found.tool))
                && layout.width.is_none_or(|width| {
                    max_line_width(found.tool, &found.content).is_some_and(|own| own <= width)
                })
        };
        self.with_purpose(Layout).find(is_suitable).map(SettingsFile::tool_and_path)
    }

    /// Whether a name in `enforced-by` is enforced: `eslint/no-console`, `clippy::unwrap_used`,
    /// `ruff/T201`, or the name of a tool alone: `prettier`.
    #[must_use]
    pub fn enforced_by(&self, name: &str) -> Enforcement {
        let (tool, rule) = tool_and_rule(name);
        let known = TOOLS.iter().find_map(|(known, purpose, _)| match purpose {
            Rules(linter) if *known == tool => Some(*linter),
            _ => None,
        });
        match (known, rule) {
            // Lints of the compiler have no tool prefix.
            (Some(Clippy), Some(rule)) if !name.starts_with("rustc") => {
                self.rule_of(Clippy, &format!("clippy::{rule}"))
            }
            (Some(known), Some(rule)) => self.rule_of(known, rule),
            _ => self.enforced_by_tool(tool),
        }
    }

    fn rule_of(&self, tool: Tool, rule: &str) -> Enforcement {
        let path_at =
            |expected: Level| self.at_level(tool, rule, expected).map(|found| found.path.clone());
        if let Some(path) = path_at(Level::On) {
            return Enforcement::By(path);
        }
        let name = tool.name();
        if let Some(path) = path_at(Level::Off) {
            let why = format!("{path} disables `{rule}`");
            let remedy = format!(
                "enable the rule in that file, or remove {} from `enforced-by`",
                tool.rule(rule)
            );
            return Enforcement::Not { why, remedy };
        }
        if let Some(path) = path_at(Level::Unknown) {
            return Enforcement::Unknown(path);
        }
        match self.with_purpose(Rules(tool)).next() {
            Some(SettingsFile { path, .. }) => Enforcement::Not {
                why: format!("no {name} configuration in this project enables `{rule}`"),
                remedy: format!("enable the rule, for example in {path}"),
            },
            None => without_settings(name),
        }
    }

    /// A tool without a rule, or whose rules are not known, counts as enforced if settings of the
    /// tool exist.
    fn enforced_by_tool(&self, tool: &str) -> Enforcement {
        if let Some(found) = self.0.iter().find(|found| found.tool == tool) {
            return Enforcement::By(found.path.clone());
        }
        let mut known: Vec<&str> = TOOLS.iter().map(|(tool, ..)| *tool).collect();
        if known.contains(&tool) {
            return without_settings(tool);
        }
        known.dedup();
        Enforcement::Not {
            why: format!("unknown tool `{tool}`"),
            remedy: format!("use one of the known tools: {}", known.join(", ")),
        }
    }
}

impl SettingsFile {
    fn tool_and_path(&self) -> (String, String) {
        (self.tool.to_owned(), self.path.clone())
    }
}

/// The tool and the rule of a name in `enforced-by`. Compiler lints are set in the same files as
/// Clippy lints.
fn tool_and_rule(name: &str) -> (&str, Option<&str>) {
    let (tool, rule) = match name.split_once("::").or_else(|| name.split_once('/')) {
        Some((tool, rule)) => (tool, Some(rule)),
        None => (name, None),
    };
    (if tool == "rustc" { "clippy" } else { tool }, rule)
}

/// The paths that clippy.toml disallows: strings, or objects with a `path`.
fn disallowed_paths(content: &Content) -> impl Iterator<Item = &str> {
    let tables = content.data().and_then(Value::as_object).into_iter().flatten();
    let lists = tables.filter(|(key, _)| key.starts_with("disallowed-"));
    let all = lists.flat_map(|(_, list)| list.as_array().into_iter().flatten());
    all.filter_map(|item| item.get("path").unwrap_or(item).as_str())
}

/// Whether a rule `no-restricted-…` of ESLint restricts the name.
fn restricts(content: &Content, name: &str) -> bool {
    match content {
        Content::Program(text) | Content::Text(text) => {
            let quoted = [format!("\"{name}\""), format!("'{name}'")];
            text.contains("no-restricted-") && quoted.iter().any(|name| text.contains(name))
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

fn without_settings(tool: &str) -> Enforcement {
    Enforcement::Not {
        why: format!("no {tool} configuration in this project"),
        remedy: "configure the tool, add a `check` to the page, or remove `enforced-by`".to_owned(),
    }
}
