//! Determines the rules that already enforce a sentence: rules of aidd, or rules of other tools that
//! are enabled by settings in the repository.

use super::languages::Languages;
use super::peers;
use aidd_engine::check::Engine;
use aidd_engine::project::linters::{Enforcement, Settings, Tool};
use aidd_engine::rules::packs;
use aidd_engine::rules::registry::{Registry, project_rule};
use aidd_engine::text::paths::rule_globs;
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The rules that enforce a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Coverage {
    /// Enabled rules of aidd.
    Enforced {
        /// The ids of the rules.
        rules: Vec<String>,
    },
    /// A rule of another tool.
    #[serde(rename = "elsewhere")]
    EnforcedByOtherTool {
        /// The rule with its tool: `eslint/no-console`.
        rule: String,
        /// The path of the settings that enable the rule.
        settings: String,
    },
    /// No enabled rule, but disabled rules of aidd that can enforce the sentence.
    #[serde(rename = "off")]
    Disabled {
        /// The ids of the rules.
        rules: Vec<String>,
        /// The packs that enable the first of these rules.
        packs: Vec<String>,
    },
    /// No rule that is known to enforce the sentence.
    #[serde(rename = "open")]
    NotEnforced {
        /// If the page has `enforced-by`: the reason why the named rule does not enforce the sentence.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

/// Matches sentences about credentials in code, which all rules of the category `secrets` cover.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)\b.{0,60}\b(?:commit|hard-?cod|check(?:ed)? in|in (?:the )?(?:code|source|repo|git))|(?:commit|hard-?cod\w*|check in|push|embed)\b.{0,40}\b(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)")
        .expect("an expression")
});

/// The parts of the project that determine which rules enforce a sentence.
pub(super) struct Enforcers<'a> {
    pub(super) engine: &'a Engine,
    pub(super) settings: Settings,
    /// The linters for the languages that the project uses.
    pub(super) tools: Vec<Tool>,
}

impl Enforcers<'_> {
    /// The rules that enforce the sentence `text`: rules that it names, or rules that are enabled in
    /// linters.
    pub(super) fn coverage(&self, text: &str) -> Coverage {
        let marked = with_backticks(text);
        let code: Vec<&str> = marked.split('`').skip(1).step_by(2).collect();
        let lower = marked.to_lowercase();
        let named = rule_names(&marked);
        let languages = Languages::named_in(&marked);
        let applies = |tool: &Tool| self.tools.contains(tool) && languages.include(*tool);
        let mut peers = peers::linter_rules(&lower);
        peers.retain(|(tool, _)| applies(tool));
        let registry = self.engine.registry();
        // Rules of aidd have the names of similar rules in other tools as aliases, without the
        // plugin prefix.
        let aliases_of = |rule: &'static str| rule.rsplit('/').next().into_iter().chain([rule]);
        let aliases = peers.iter().flat_map(|(_, rule)| aliases_of(rule));
        let names = named.iter().copied().chain(aliases);
        let rules: BTreeSet<String> =
            names.flat_map(|name| registry.named(name)).map(|rule| rule.id.to_string()).collect();
        let (mut enabled, disabled): (Vec<String>, Vec<String>) =
            rules.into_iter().partition(|id| self.engine.is_enabled_anywhere(id));
        let has_secrets = || {
            registry.rules().iter().any(|rule| {
                rule.id.starts_with("secrets/") && self.engine.is_enabled_anywhere(&rule.id)
            })
        };
        if SECRETS.is_match(&lower) && has_secrets() {
            enabled.push("secrets/*".to_owned());
        }
        if !enabled.is_empty() {
            return Coverage::Enforced { rules: enabled };
        }
        let other_tool_rule = named
            .iter()
            .find_map(|name| self.enforced_by(name))
            .or_else(|| {
                peers.iter().find_map(|(tool, rule)| self.settings.enabling_settings(*tool, rule))
            })
            .or_else(|| peers::tool_by_settings(&self.settings, &lower, &code, &languages))
            .or_else(|| {
                let aliases = &registry.get(disabled.first()?)?.aliases;
                self.settings.by_alias(aliases, &applies)
            });
        match (other_tool_rule, disabled.first()) {
            (Some((rule, settings)), _) => Coverage::EnforcedByOtherTool { rule, settings },
            (None, Some(first)) => {
                Coverage::Disabled { packs: packs_with(first, registry), rules: disabled }
            }
            (None, None) => Coverage::NotEnforced { note: None },
        }
    }

    /// The settings that enable a rule of another tool: `eslint/no-console`.
    fn enforced_by(&self, name: &str) -> Option<(String, String)> {
        let is_qualified = name.contains('/') || name.contains("::");
        match self.settings.enforced_by(name) {
            Enforcement::By(path) if is_qualified => Some((name.to_owned(), path)),
            _ => self.settings.by_alias(&[name.to_owned()], &|_| true),
        }
    }

    /// The rules that enforce a whole rule page: its own check, or the linter rules that its header
    /// names. `None` if there are none, so that each sentence is examined separately; the second value
    /// is then the reason why the linter rules do not enforce the page.
    pub(super) fn page_coverage(
        &self,
        path: &str,
        text: &str,
    ) -> (Option<Coverage>, Option<String>) {
        let Some(rule) = project_rule(path, text) else { return (None, None) };
        if rule.check.is_some() {
            return (Some(Coverage::Enforced { rules: vec![rule.id.to_string()] }), None);
        }
        let mut note = None;
        for name in &rule.enforced_by {
            match self.settings.enforced_by(name) {
                Enforcement::By(settings) => {
                    return (
                        Some(Coverage::EnforcedByOtherTool { rule: name.clone(), settings }),
                        None,
                    );
                }
                Enforcement::Unknown(settings) => {
                    note.get_or_insert_with(|| {
                        format!(
                            "its page names `{name}`, but it is not known whether {settings} enables it"
                        )
                    });
                }
                Enforcement::Not { why, .. } => {
                    note.get_or_insert_with(|| format!("its page names `{name}`, but {why}"));
                }
            }
        }
        (None, note)
    }
}

/// Words that can be rule ids: `compliance/any-type`, `no-console`, `clippy::unwrap_used`,
/// `noExplicitAny`, `T201`.
fn rule_names(text: &str) -> Vec<&str> {
    let is_name = |word: &&str| {
        let bytes = word.as_bytes();
        let is_camel =
            bytes.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        let is_code = bytes.first().is_some_and(u8::is_ascii_uppercase)
            && bytes.last().is_some_and(u8::is_ascii_digit);
        word.contains('-') || word.contains('/') || word.contains("::") || is_camel || is_code
    };
    let words = text.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c));
    words.map(|word| word.trim_matches(['.', ':', '!', '?'])).filter(is_name).collect()
}

/// `text` with backticks around unquoted code: `console.log`, `eval()`, `dbg!`. Few people type
/// backticks on a command line.
fn with_backticks(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + 8);
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            marked.push_str(&format!("`{part}`"));
            continue;
        }
        for piece in part.split_inclusive(char::is_whitespace) {
            let begin = piece.len() - piece.trim_start_matches(['(', '"', '\'']).len();
            // A Korean particle follows its word without a space.
            let word: &str = piece[begin..]
                .split(|c: char| !c.is_ascii() || c.is_whitespace())
                .next()
                .unwrap_or_default();
            let word = word.trim_end_matches(['.', ',', ';', ':', '?', '"', '\'']);
            let word = if word.ends_with("()") { word } else { word.trim_end_matches(')') };
            let inner = word.trim_end_matches(['(', ')', '!']);
            let is_code = inner.len() > 2
                && !inner.contains('@')
                && (word.ends_with("()")
                    || word.ends_with('!') && at > 0
                    || inner.contains("::")
                    || inner
                        .split_once('.')
                        .is_some_and(|(object, member)| object.len() > 1 && member.len() > 1));
            if is_code {
                marked.push_str(&piece[..begin]);
                marked.push_str(&format!("`{word}`{}", &piece[begin + word.len()..]));
            } else {
                marked.push_str(piece);
            }
        }
    }
    marked
}

/// The packs that enable a rule.
fn packs_with(rule: &str, registry: &Registry) -> Vec<String> {
    let enables = |name: &String| {
        packs::header(name, registry)
            .ok()
            .and_then(|header| rule_globs(&header.rules).ok())
            .is_some_and(|globs| globs.is_match(rule))
    };
    packs::names(registry).into_iter().filter(enables).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::check::Selection;
    use aidd_engine::project::config::Config;
    use aidd_engine::text::files::Memory;

    fn coverage_by(sentence: &str, settings: &[(&str, &str)]) -> Option<String> {
        let files =
            settings.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let files = Memory(files.collect());
        let paths: Vec<String> = files.0.keys().cloned().collect();
        let engine = Engine::new(
            &crate::DISTRIBUTION,
            Registry::from_pages(crate::DISTRIBUTION.pages, &[]),
            &Config::default(),
            &Selection::default(),
        )
        .expect("rules");
        let tools = Tool::ALL.to_vec();
        let settings = Settings::read(&files, &paths);
        match (Enforcers { engine: &engine, settings, tools }).coverage(sentence) {
            Coverage::EnforcedByOtherTool { rule, settings } => {
                Some(format!("{rule} ({settings})"))
            }
            _ => None,
        }
    }

    #[test]
    fn settings_that_enable_a_rule_are_found() {
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
                "rules:\n  no-restricted-imports: [error, 'moment']",
                "eslint/no-restricted-*",
            ),
            ("Always use tabs, not spaces.", ".editorconfig", "", "editorconfig"),
        ] {
            assert_eq!(
                coverage_by(sentence, &[(path, text)]),
                Some(format!("{rule} ({path})")),
                "{sentence}"
            );
        }
    }

    #[test]
    fn settings_that_do_not_enable_the_rule_are_ignored() {
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
            assert_eq!(coverage_by(sentence, &[(path, text)]), None, "{sentence}");
        }
    }

    #[test]
    fn only_tools_of_the_named_language_with_sufficient_settings_enforce() {
        const RUFF: (&str, &str) = ("api/pyproject.toml", "[tool.ruff]\nline-length = 120");
        const OXLINT: (&str, &str) =
            (".oxlintrc.json", r#"{"categories": {"correctness": "warn"}}"#);
        const PRETTIER: (&str, &str) = (".prettierrc", "printWidth: 100");
        for (sentence, settings, expected) in [
            ("No unused imports in TypeScript.", &[RUFF][..], None),
            (
                "No unused imports in TypeScript.",
                &[RUFF, OXLINT],
                Some("oxlint/no-unused-vars (.oxlintrc.json)"),
            ),
            (
                "No unused imports in Python.",
                &[OXLINT, RUFF],
                Some("ruff/F401 (api/pyproject.toml)"),
            ),
            ("Keep line length under 100.", &[RUFF], None),
            ("Keep line length under 120.", &[RUFF], Some("ruff format (api/pyproject.toml)")),
            ("Keep line length under 100.", &[RUFF, PRETTIER], Some("prettier (.prettierrc)")),
            ("Lines of Python have at most 120 characters.", &[PRETTIER], None),
            ("Indent TypeScript with 2 spaces.", &[RUFF], None),
            ("Never use `console.log`.", &[OXLINT], None),
            (
                "Never use `console.log`.",
                &[(".oxlintrc.json", r#"{"rules": {"no-console": "error"}}"#)],
                Some("oxlint/no-console (.oxlintrc.json)"),
            ),
        ] {
            assert_eq!(coverage_by(sentence, settings).as_deref(), expected, "{sentence}");
        }
    }

    #[test]
    fn code_is_recognized_without_backticks() {
        for (text, expected) in [
            ("Never use console.log.", "Never use `console.log`."),
            ("console.log를 쓰지 마세요", "`console.log`를 쓰지 마세요"),
            ("Call eval() (or os.system).", "Call `eval()` (or `os.system`)."),
            ("Use `a.b` in v1.0, e.g. here.", "Use `a.b` in v1.0, e.g. here."),
            ("std::fs::read is forbidden", "`std::fs::read` is forbidden"),
            ("Write to a@example.com.", "Write to a@example.com."),
        ] {
            assert_eq!(with_backticks(text), expected);
        }
    }

    #[test]
    fn rule_names_are_recognized() {
        let text =
            "Keep `no-console`, clippy::unwrap_used, (T201) and noExplicitAny: the rest is prose.";
        assert_eq!(
            rule_names(text),
            ["no-console", "clippy::unwrap_used", "T201", "noExplicitAny"]
        );
    }
}
