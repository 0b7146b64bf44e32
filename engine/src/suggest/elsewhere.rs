//! What other tools enforce already, by their settings in the repository. Nothing of theirs is run:
//! a rule counts that the settings name as on.

use super::linters::Tool::{Biome, Clippy, Eslint, Golangci, Ruff};
use super::linters::{EXPRESSIONS, ROWS, Tool, is_on};
use super::{Draft, Sentence};
use crate::files::{Files, side_file};
use regex::Regex;
use std::sync::LazyLock;

/// How code is laid out: the business of formatters.
static LAYOUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:indent\w*|tabs?\b.{0,12}\bspaces?|spaces?\b.{0,12}\btabs?|(?:single|double) quotes?|semicolons?|trailing (?:commas?|whitespace|spaces)|line (?:length|width)|characters per line|max(?:imum)? line|\d+ (?:columns|characters)(?: in length| wide)?|final newline|print width|format(?:ted|ting)? (?:the |your |all )?(?:code|files))\b")
        .expect("an expression")
});

/// Quotes and semicolons of code.
static STYLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)quotes?|semicolons?|trailing commas?").expect("an expression")
});

/// The settings that are there: tool, path, text.
#[derive(Debug, Default)]
pub(super) struct Settings {
    linters: Vec<(Tool, String, String)>,
    formatters: Vec<(&'static str, String)>,
    /// Settings of tools on commits, names and layers: what they are on, the tool, path, text.
    others: Vec<(&'static str, &'static str, String, String)>,
    /// clippy.toml: names that are disallowed.
    disallowed: Vec<(String, String)>,
}

/// Most settings files that are read.
const MOST: usize = 400;

impl Settings {
    /// The settings among `paths`.
    pub(super) fn read(files: &dyn Files, paths: &[String]) -> Self {
        let mut settings = Self::default();
        let mut read = 0;
        for path in paths.iter().filter(|path| !path.contains("node_modules/")) {
            let name = path.rsplit('/').next().unwrap_or(path);
            if !is_known(name) || read >= MOST {
                continue;
            }
            read += 1;
            if let Some(text) = side_file(files, path) {
                settings.take(name, path, text);
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

    /// Which rule of another tool says what the sentence says, and the file that switches it on.
    pub(super) fn enforcer(
        &self,
        sentence: &Sentence,
        draft: Option<&Draft>,
    ) -> Option<(String, String)> {
        let text = sentence.text();
        let lower = text.to_lowercase();
        for ((_, rules), row) in ROWS.iter().zip(EXPRESSIONS.iter()) {
            if !row.is_match(&lower) {
                continue;
            }
            let by = rules.iter().find_map(|(tool, rule)| self.switched_on(*tool, rule));
            if by.is_some() {
                return by;
            }
        }
        self.names_it(sentence)
            .or_else(|| self.on_form(sentence, draft))
            .or_else(|| self.formatter(&text, draft))
    }

    fn switched_on(&self, tool: Tool, rule: &str) -> Option<(String, String)> {
        let own = self.linters.iter().filter(|(known, ..)| *known == tool);
        let (_, path, _) = own.into_iter().find(|(.., text)| is_on(tool, rule, text))?;
        let name = match tool {
            Eslint => format!("eslint/{rule}"),
            Biome => format!("biome/{rule}"),
            Clippy => rule.to_owned(),
            Ruff => format!("ruff/{rule}"),
            Golangci => format!("golangci-lint/{rule}"),
        };
        Some((name, path.clone()))
    }

    /// A name that settings forbid by itself.
    fn names_it(&self, sentence: &Sentence) -> Option<(String, String)> {
        let plain = |code: &str| {
            code.split(['(', '!']).next().unwrap_or(code).trim_start_matches('.').to_owned()
        };
        let words = sentence.shape.to_lowercase();
        let forbids = ["never", "not", "avoid", "no ", "instead", "forbidden"];
        if !forbids.iter().any(|word| words.contains(word)) {
            return None;
        }
        for name in sentence.code.iter().map(|code| plain(code)).filter(|name| name.len() > 2) {
            let ends = |known: &&(String, String)| {
                known.0 == name || known.0.ends_with(&format!("::{name}"))
            };
            if let Some((known, path)) = self.disallowed.iter().find(ends) {
                return Some((format!("clippy::disallowed ({known})"), path.clone()));
            }
            let restricted = |linter: &&(Tool, String, String)| {
                linter.0 == Eslint
                    && linter.2.contains("no-restricted-")
                    && [format!("\"{name}\""), format!("'{name}'")]
                        .iter()
                        .any(|quoted| linter.2.contains(quoted))
            };
            if let Some((_, path, _)) = self.linters.iter().find(restricted) {
                return Some(("eslint/no-restricted-*".to_owned(), path.clone()));
            }
        }
        None
    }

    fn on_form(&self, sentence: &Sentence, draft: Option<&Draft>) -> Option<(String, String)> {
        let check = &draft?.check;
        let about = if check["commit"].get("conventional").is_some() {
            "commits"
        } else if check["tree"].get("name").is_some() {
            "names"
        } else if check.get("layers").is_some() {
            "layers"
        } else {
            return None;
        };
        let says = |text: &str| {
            about != "layers"
                || sentence.code.iter().all(|code| {
                    text.contains(
                        code.trim_end_matches(['/', '*']).rsplit('/').next().unwrap_or(code),
                    )
                })
        };
        let own = self.others.iter().find(|(on, .., text)| *on == about && says(text));
        own.map(|(_, tool, path, _)| ((*tool).to_owned(), path.clone()))
    }

    fn formatter(&self, text: &str, draft: Option<&Draft>) -> Option<(String, String)> {
        // A header or subject of so many characters is that of a commit.
        let lower = text.to_lowercase();
        let is_commit = ["header", "subject", "commit"].iter().any(|word| lower.contains(word));
        if draft.is_some() || is_commit || !LAYOUT.is_match(text) {
            return None;
        }
        // What only some formatters change.
        let is_style = STYLE.is_match(text);
        let changes = |(tool, _): &&(&str, String)| {
            !is_style || ["prettier", "biome", "black", "ruff format"].contains(tool)
        };
        let (tool, path) = self.formatters.iter().find(changes)?;
        Some(((*tool).to_owned(), path.clone()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::source::Source;
    use crate::suggest::sentences;

    fn by(sentence: &str, settings: &[(&str, &str)]) -> Option<String> {
        let files =
            settings.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let files = Memory(files.collect());
        let paths: Vec<String> = files.0.keys().cloned().collect();
        let found = sentences(&Source::new("a.md", sentence));
        let (rule, path) = Settings::read(&files, &paths).enforcer(found.first()?, None)?;
        Some(format!("{rule} ({path})"))
    }

    #[test]
    fn settings_that_switch_a_rule_on_are_found() {
        for (sentence, path, text, rule) in [
            (
                "Never use `console.log`.",
                "eslint.config.mjs",
                "rules: { 'no-console': ['error', {}] }",
                "eslint/no-console",
            ),
            (
                "Never use `console.log`.",
                "package.json",
                r#"{"eslintConfig": {"rules": {"no-console": 2}}}"#,
                "eslint/no-console",
            ),
            (
                "Do not use `any`.",
                ".eslintrc.json",
                r#"{"extends": ["plugin:@typescript-eslint/recommended"]}"#,
                "eslint/@typescript-eslint/no-explicit-any",
            ),
            (
                "Do not use `any`.",
                "biome.json",
                r#"{"linter": {"rules": {"recommended": true}}}"#,
                "biome/noExplicitAny",
            ),
            (
                "Never call `unwrap()`.",
                "Cargo.toml",
                "[lints.clippy]\nunwrap_used = \"deny\"",
                "clippy::unwrap_used",
            ),
            (
                "Never call `unwrap()`.",
                "Cargo.toml",
                "[lints.clippy]\nunwrap_used = { level = \"warn\", priority = 1 }",
                "clippy::unwrap_used",
            ),
            ("No `unsafe` code.", "src/lib.rs", "#![forbid(unsafe_code)]", "unsafe_code"),
            (
                "Never use `print()`.",
                "pyproject.toml",
                "[tool.ruff.lint]\nselect = [\"E\", \"T20\"]",
                "ruff/T201",
            ),
            ("No star imports.", "ruff.toml", "line-length = 100", "ruff/F403"),
            (
                "Never use `std::fs::read`.",
                "clippy.toml",
                "disallowed-methods = [\"std::fs::read\"]",
                "clippy::disallowed (std::fs::read)",
            ),
            (
                "Never import `moment`.",
                ".eslintrc.yml",
                "no-restricted-imports: [error, 'moment']",
                "eslint/no-restricted-*",
            ),
            ("Always use tabs, not spaces.", ".editorconfig", "", "editorconfig"),
        ] {
            assert_eq!(
                by(sentence, &[(path, text)]),
                Some(format!("{rule} ({path})")),
                "{sentence}"
            );
        }
    }

    #[test]
    fn settings_that_leave_it_off_are_none() {
        for (sentence, path, text) in [
            ("Never use `console.log`.", "eslint.config.mjs", "rules: { 'no-console': 'off' }"),
            ("Never use `console.log`.", "eslint.config.mjs", "rules: { 'no-alert': 'error' }"),
            (
                "Do not use `any`.",
                ".eslintrc.json",
                r#"{"extends": ["plugin:@typescript-eslint/recommended"], "rules": {"@typescript-eslint/no-explicit-any": "off"}}"#,
            ),
            ("Never call `unwrap()`.", "Cargo.toml", "[lints.clippy]\nunwrap_used = \"allow\""),
            (
                "Never use `print()`.",
                "pyproject.toml",
                "[tool.ruff.lint]\nselect = [\"E\", \"T20\"]\nignore = [\"T201\"]",
            ),
            ("Never use `print()`.", "pyproject.toml", "[project]\nname = \"a\""),
            ("Never use `assert`.", "ruff.toml", "select = [\"SIM\"]"),
        ] {
            assert_eq!(by(sentence, &[(path, text)]), None, "{sentence}");
        }
    }
}
