//! The settings of other tools that lie in the repository.

use super::Tool::{self, Biome, Clippy, Eslint, Golangci, Ruff};
use super::{Level, level};
use crate::files::{Files, side_file};
use regex::Regex;
use std::sync::LazyLock;

/// Most settings files that are read.
const MOST: usize = 400;

/// The settings that are there: tool, path, text.
#[derive(Debug, Default)]
pub struct Settings {
    linters: Vec<(Tool, String, String)>,
    /// Formatters, by name and path.
    formatters: Vec<(&'static str, String)>,
    /// Tools on commits, names and layers: what they are on, the tool, path, text.
    others: Vec<(&'static str, &'static str, String, String)>,
    /// Tools of which it is known only that they have settings.
    plain: Vec<(&'static str, String)>,
    /// clippy.toml: names that are disallowed.
    disallowed: Vec<(String, String)>,
}

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

/// Tools and the files that hold their settings: names, or their beginnings where a `*` stands. What
/// stands after a `#` must be in the text. From the pages of the tools.
const PLAIN: [(&str, &[&str]); 24] = [
    ("cargo-deny", &["deny.toml", ".deny.toml"]),
    ("checkstyle", &["checkstyle.xml"]),
    ("detekt", &["detekt.yml", "detekt.yaml"]),
    ("hadolint", &[".hadolint.yaml", ".hadolint.yml"]),
    ("knip", &["knip.json", "knip.jsonc", "knip.ts"]),
    ("lefthook", &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"]),
    ("markdownlint", &[".markdownlint*"]),
    ("mypy", &["mypy.ini", ".mypy.ini", "pyproject.toml#[tool.mypy"]),
    ("oxlint", &[".oxlintrc.json"]),
    ("phpstan", &["phpstan.neon", "phpstan.neon.dist"]),
    ("pre-commit", &[".pre-commit-config.yaml"]),
    ("pylint", &[".pylintrc", "pyproject.toml#[tool.pylint"]),
    ("pyright", &["pyrightconfig.json", "pyproject.toml#[tool.pyright"]),
    ("rubocop", &[".rubocop.yml"]),
    ("semgrep", &[".semgrep.yml", ".semgrep.yaml"]),
    ("shellcheck", &[".shellcheckrc"]),
    ("spectral", &[".spectral.yaml", ".spectral.yml"]),
    ("sqlfluff", &[".sqlfluff", "pyproject.toml#[tool.sqlfluff"]),
    ("stylelint", &[".stylelintrc*", "stylelint.config.*"]),
    ("swiftlint", &[".swiftlint.yml"]),
    ("textlint", &[".textlintrc*"]),
    ("tsc", &["tsconfig.json", "tsconfig.base.json"]),
    ("vale", &[".vale.ini"]),
    ("yamllint", &[".yamllint", ".yamllint.yml", ".yamllint.yaml"]),
];

/// Whether a file of this name may hold settings that [`Settings::read`] reads.
#[must_use]
pub fn is_settings(name: &str) -> bool {
    is_known(name) || plain(name).next().is_some()
}

/// The tools whose settings a file of this name may be, and what its text must have.
fn plain(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let fits = move |file: &&'static str| {
        let file = file.split('#').next().unwrap_or(file);
        file == name || file.strip_suffix('*').is_some_and(|start| name.starts_with(start))
    };
    PLAIN.iter().filter_map(move |(tool, files)| {
        let file = files.iter().copied().find(|file| fits(file))?;
        Some((*tool, file.split_once('#').map_or("", |(_, text)| text)))
    })
}

/// Whether a file of this name may set a tool of which rules are known.
fn may_set(tool: &str, name: &str) -> bool {
    match tool {
        "eslint" => name.contains("eslint") || name == "package.json",
        "biome" => name.starts_with("biome."),
        "ruff" => name.contains("ruff") || name == "pyproject.toml",
        "clippy" | "rustc" => name.ends_with(".rs") || name == "Cargo.toml",
        "golangci-lint" => name.starts_with(".golangci."),
        _ => !name.ends_with(".rs"),
    }
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
        let tools: Vec<&str> =
            names.iter().map(|name| name.split(['/', ':']).next().unwrap_or(name)).collect();
        let is_asked =
            |name: &str| is_settings(name) && tools.iter().any(|tool| may_set(tool, name));
        Self::read_where(files, paths, is_asked)
    }

    fn read_where(files: &dyn Files, paths: &[String], is_asked: impl Fn(&str) -> bool) -> Self {
        let mut settings = Self::default();
        let name = |path: &&String| path.rsplit('/').next().unwrap_or(path).to_owned();
        // A workspace of hundreds of crates leaves room for what says more than their first files.
        let is_code = |path: &&String| path.ends_with(".rs");
        let own = || paths.iter().filter(|path| !path.contains("node_modules/"));
        let first = own().filter(|path| !is_code(path));
        let all = first.chain(own().filter(is_code)).filter(|path| is_asked(&name(path)));
        for path in all.take(MOST) {
            let name = &*name(&path);
            if let Some(text) = side_file(files, path) {
                let of_this = plain(name).filter(|(_, part)| text.contains(part));
                settings.plain.extend(of_this.map(|(tool, _)| (tool, path.clone())));
                if is_known(name) {
                    settings.take(name, path, text);
                }
            }
        }
        settings
    }

    fn take(&mut self, name: &str, path: &str, text: String) {
        let path = path.to_owned();
        let is_eslint = name.starts_with("eslint.config.") || name.starts_with(".eslintrc");
        match name {
            _ if is_eslint => self.linters.push((Eslint, path, text)),
            ".golangci.yml" | ".golangci.yaml" | ".golangci.toml" => {
                self.linters.push((Golangci, path, text));
            }
            "biome.json" | "biome.jsonc" => {
                self.formatters.push(("biome", path.clone()));
                self.linters.push((Biome, path, text));
            }
            "ruff.toml" | ".ruff.toml" => {
                self.formatters.push(("ruff format", path.clone()));
                self.linters.push((Ruff, path, text));
            }
            "pyproject.toml" => self.python(path, text),
            "package.json" => self.package(path, text),
            "Cargo.toml" | "lib.rs" | "main.rs" => self.linters.push((Clippy, path, text)),
            "clippy.toml" | ".clippy.toml" => {
                let names = DISALLOWED.captures_iter(&text);
                self.disallowed.extend(names.map(|found| (found[1].to_owned(), path.clone())));
            }
            ".editorconfig" => self.formatters.push(("editorconfig", path)),
            "rustfmt.toml" | ".rustfmt.toml" => self.formatters.push(("rustfmt", path)),
            "go.mod" => self.formatters.push(("gofmt", path)),
            _ if name.starts_with(".prettierrc") || name.starts_with("prettier.config.") => {
                self.formatters.push(("prettier", path));
            }
            _ if name.starts_with("commitlint.config.") || name.starts_with(".commitlintrc") => {
                self.others.push(("commits", "commitlint", path, text));
            }
            "cog.toml" => self.others.push(("commits", "cocogitto", path, text)),
            ".ls-lint.yml" => self.others.push(("names", "ls-lint", path, text)),
            ".importlinter" => self.others.push(("layers", "import-linter", path, text)),
            _ => self.others.push(("layers", "dependency-cruiser", path, text)),
        }
    }

    fn python(&mut self, path: String, text: String) {
        if text.contains("[tool.black]") {
            self.formatters.push(("black", path.clone()));
        }
        if text.contains("[tool.importlinter") {
            self.others.push(("layers", "import-linter", path.clone(), text.clone()));
        }
        if text.contains("[tool.ruff") {
            self.formatters.push(("ruff format", path.clone()));
            self.linters.push((Ruff, path, text));
        }
    }

    fn package(&mut self, path: String, text: String) {
        if text.contains("\"prettier\":") {
            self.formatters.push(("prettier", path.clone()));
        }
        if text.contains("\"commitlint\":") {
            self.others.push(("commits", "commitlint", path.clone(), text.clone()));
        }
        if text.contains("\"eslintConfig\"") {
            self.linters.push((Eslint, path, text));
        }
    }

    /// The settings of a tool: path, text.
    fn of(&self, tool: Tool) -> impl Iterator<Item = (&str, &str)> {
        let own = self.linters.iter().filter(move |(known, ..)| *known == tool);
        own.map(|(_, path, text)| (path.as_str(), text.as_str()))
    }

    /// The rule and the settings that switch it on.
    #[must_use]
    pub fn switched_on(&self, tool: Tool, rule: &str) -> Option<(String, String)> {
        let mut own = self.of(tool);
        let (path, _) = own.find(|(_, text)| level(tool, rule, text) == Level::On)?;
        Some((tool.rule(rule), path.to_owned()))
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
                .or_else(|| self.switched_on(Golangci, alias))
        })
    }

    /// The file of clippy or ESLint in which a name is forbidden as such, with what forbids it.
    #[must_use]
    pub fn forbids(&self, name: &str) -> Option<(String, String)> {
        let ends =
            |known: &&(String, String)| known.0 == name || known.0.ends_with(&format!("::{name}"));
        if let Some((known, path)) = self.disallowed.iter().find(ends) {
            return Some((format!("clippy::disallowed ({known})"), path.clone()));
        }
        let quoted = [format!("\"{name}\""), format!("'{name}'")];
        let restricted = |(_, text): &(&str, &str)| {
            text.contains("no-restricted-") && quoted.iter().any(|one| text.contains(one))
        };
        let (path, _) = self.of(Eslint).find(restricted)?;
        Some(("eslint/no-restricted-*".to_owned(), path.to_owned()))
    }

    /// The settings on commits, names or layers whose text passes `says`: the tool, the path.
    #[must_use]
    pub fn on(&self, about: &str, says: impl Fn(&str) -> bool) -> Option<(String, String)> {
        let own = self.others.iter().find(|(on, .., text)| *on == about && says(text));
        own.map(|(_, tool, path, _)| ((*tool).to_owned(), path.clone()))
    }

    /// The formatter that lays code out; `style`: one that also changes quotes and semicolons.
    #[must_use]
    pub fn formatter(&self, style: bool) -> Option<(String, String)> {
        let changes = |(tool, _): &&(&str, String)| {
            !style || ["prettier", "biome", "black", "ruff format"].contains(tool)
        };
        let (tool, path) = self.formatters.iter().find(changes)?;
        Some(((*tool).to_owned(), path.clone()))
    }

    /// What becomes of a name under `enforced-by`: `eslint/no-console`, `clippy::unwrap_used`,
    /// `ruff/T201`, or a tool alone: `prettier`.
    #[must_use]
    pub fn enforced_by(&self, name: &str) -> Enforced {
        let (tool, rule) = match name.split_once("::").or_else(|| name.split_once('/')) {
            Some((tool, rule)) => (tool, Some(rule)),
            None => (name, None),
        };
        let known = match tool {
            "eslint" => Some(Eslint),
            "biome" => Some(Biome),
            "clippy" | "rustc" => Some(Clippy),
            "ruff" => Some(Ruff),
            "golangci-lint" => Some(Golangci),
            _ => None,
        };
        match (known, rule) {
            (Some(known), Some(rule)) => self.rule_of(known, rule, tool == "rustc"),
            _ => self.tool_alone(tool),
        }
    }

    fn rule_of(&self, tool: Tool, rule: &str, is_plain: bool) -> Enforced {
        let rule = match tool {
            Clippy if !is_plain => format!("clippy::{rule}"),
            _ => rule.to_owned(),
        };
        let told = |wanted: Level| {
            let mut own = self.of(tool);
            let found = own.find(|(_, text)| level(tool, &rule, text) == wanted);
            found.map(|(path, _)| path.to_owned())
        };
        if let Some(path) = told(Level::On) {
            return Enforced::By(path);
        }
        let name = tool.name();
        if let Some(path) = told(Level::Off) {
            let why = format!("{path} switches `{rule}` off");
            let remedy = format!("switch it on there, or take {} out", tool.rule(&rule));
            return Enforced::Not { why, remedy };
        }
        if let Some(path) = told(Level::Unknown) {
            return Enforced::Perhaps(path);
        }
        match self.of(tool).next() {
            Some((path, _)) => Enforced::Not {
                why: format!("no settings of {name} here switch `{rule}` on"),
                remedy: format!("switch it on, in {path} for one"),
            },
            None => missing(name),
        }
    }

    /// A tool without a rule, or one whose rules are not known: its settings are there, or not.
    fn tool_alone(&self, tool: &str) -> Enforced {
        let linters = self.linters.iter().map(|(tool, path, _)| (tool.name().to_lowercase(), path));
        let formatters = self.formatters.iter().map(|(tool, path)| ((*tool).to_owned(), path));
        let others = self.others.iter().map(|(_, tool, path, _)| ((*tool).to_owned(), path));
        let plain = self.plain.iter().map(|(tool, path)| ((*tool).to_owned(), path));
        let mut all = linters.chain(formatters).chain(others).chain(plain);
        if let Some((_, path)) = all.find(|(known, _)| known == tool) {
            return Enforced::By(path.clone());
        }
        if TOOLS.contains(&tool) || PLAIN.iter().any(|(known, _)| *known == tool) {
            return missing(tool);
        }
        let mut known: Vec<&str> = PLAIN.iter().map(|(tool, _)| *tool).chain(TOOLS).collect();
        known.sort_unstable();
        Enforced::Not {
            why: format!("`{tool}` is no tool whose settings are known"),
            remedy: format!("known are {}", known.join(", ")),
        }
    }
}

/// The tools of [`Settings::take`], as `enforced-by` names them.
const TOOLS: [&str; 15] = [
    "biome",
    "black",
    "clippy",
    "cocogitto",
    "commitlint",
    "dependency-cruiser",
    "editorconfig",
    "eslint",
    "gofmt",
    "golangci-lint",
    "import-linter",
    "ls-lint",
    "prettier",
    "ruff",
    "rustfmt",
];

fn missing(tool: &str) -> Enforced {
    Enforced::Not {
        why: format!("no settings of {tool} are in this project"),
        remedy: "add them, give the page a `check`, or take the key out".to_owned(),
    }
}

static DISALLOWED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""((?:[A-Za-z_]\w*)(?:::[A-Za-z_]\w*)+)""#).expect("an expression")
});

fn is_known(name: &str) -> bool {
    const NAMES: [&str; 23] = [
        "biome.json",
        "biome.jsonc",
        "ruff.toml",
        ".ruff.toml",
        "pyproject.toml",
        "package.json",
        "Cargo.toml",
        "lib.rs",
        "main.rs",
        "clippy.toml",
        ".clippy.toml",
        ".editorconfig",
        "rustfmt.toml",
        ".rustfmt.toml",
        "go.mod",
        ".ls-lint.yml",
        ".importlinter",
        "cog.toml",
        ".golangci.yml",
        ".golangci.yaml",
        ".golangci.toml",
        ".dependency-cruiser.js",
        ".dependency-cruiser.json",
    ];
    const STARTS: [&str; 7] = [
        "eslint.config.",
        ".eslintrc",
        ".prettierrc",
        "prettier.config.",
        "commitlint.config.",
        ".commitlintrc",
        ".dependency-cruiser.",
    ];
    NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start))
}
