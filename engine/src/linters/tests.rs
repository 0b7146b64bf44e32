//! Settings in, levels out.

use super::*;
use crate::files::Memory;

fn settings(files: &[(&str, &str)]) -> Settings {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files = Memory(files.collect());
    let paths: Vec<String> = files.0.keys().cloned().collect();
    Settings::read(&files, &paths)
}

#[test]
fn settings_say_what_is_on() {
    use Level::{Absent, Off, On, Unknown};
    for (tool, rule, text, wanted) in [
        (Eslint, "no-console", "rules: { 'no-console': ['error', {}] }", On),
        (Eslint, "no-console", "rules:\n  no-console: warn\n", On),
        (Eslint, "no-console", "rules:\n  no-console:\n    - error\n", On),
        (Eslint, "no-console", r#"{"rules": {"no-console": 2}}"#, On),
        (Eslint, "no-console", r#"{"rules": {"no-console": "off"}}"#, Off),
        (Eslint, "no-console", "rules:\n  no-console: 0\n", Off),
        (Eslint, "no-console", r#"{"rules": {"no-alert": 2}}"#, Absent),
        (Eslint, "no-console", r#"{"extends": "airbnb"}"#, Unknown),
        (Eslint, "no-debugger", r#"{"extends": "eslint:recommended"}"#, On),
        (Eslint, "no-debugger", "export default [js.configs.recommended];", On),
        (Eslint, "@typescript-eslint/no-explicit-any", "...tseslint.configs.strict,", On),
        (Eslint, "@typescript-eslint/no-explicit-any", r#"compat.extends("next/typescript")"#, On),
        (
            Eslint,
            "@typescript-eslint/no-floating-promises",
            "tseslint.configs.recommendedTypeChecked",
            On,
        ),
        (Biome, "noExplicitAny", "{}", On),
        (Biome, "noExplicitAny", r#"{"linter": {"rules": {"recommended": false}}}"#, Absent),
        (Biome, "noExplicitAny", r#"{"linter": {"enabled": false}}"#, Absent),
        (
            Biome,
            "noExplicitAny",
            r#"{"linter": {"rules": {"suspicious": {"noExplicitAny": "off"}}}}"#,
            Off,
        ),
        (Biome, "noBarrelFile", "{}", Absent),
        (Biome, "noBarrelFile", r#"{"extends": ["./base.json"]}"#, Unknown),
        (Clippy, "clippy::unwrap_used", "[lints.clippy]\nunwrap_used = \"deny\"", On),
        (Clippy, "clippy::unwrap_used", "[lints.clippy]\nrestriction = \"warn\"", On),
        (Clippy, "clippy::unwrap_used", "[lints.clippy]\npedantic = \"warn\"", Absent),
        (
            Clippy,
            "clippy::unwrap_used",
            "[lints.clippy]\nrestriction = \"warn\"\nunwrap_used = \"allow\"",
            Off,
        ),
        (Clippy, "clippy::too_many_arguments", "#![deny(clippy::all)]", On),
        (Clippy, "clippy::too_many_lines", "#![warn(clippy::all, clippy::pedantic)]", On),
        (Ruff, "T201", "[tool.ruff.lint]\nselect = [\"E\", \"T20\"]", On),
        (Ruff, "T201", "select = [\"ALL\"]\nignore = [\"T201\"]", Off),
        (Ruff, "F401", "line-length = 100", On),
        (Ruff, "T201", "line-length = 100", Absent),
        (Ruff, "T201", "extend = \"../ruff.toml\"", Unknown),
        (Golangci, "errcheck", "version: '2'\n", On),
        (Golangci, "errcheck", "linters:\n  default: none\n", Absent),
        (Golangci, "errcheck", "linters:\n  disable:\n    - errcheck\n", Off),
        (Golangci, "gosec/G204", "linters:\n  enable: [gosec]\n", On),
        (Golangci, "gosec", "linters:\n  default: all\n", On),
    ] {
        assert_eq!(level(tool, rule, text), wanted, "{rule}: {text}");
    }
}

#[test]
fn what_enforces_a_page_is_there_or_not() {
    let all = settings(&[
        (".eslintrc.json", r#"{"rules": {"no-console": "error", "no-alert": "off"}}"#),
        ("web/biome.json", "{}"),
        (
            "Cargo.toml",
            "[workspace.lints.clippy]\nunwrap_used = \"deny\"\n[workspace.lints.rust]\nmissing_docs = \"warn\"",
        ),
        (".prettierrc", ""),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n"),
        ("node_modules/a/.stylelintrc", ""),
    ]);
    let by = |name: &str| match all.enforced_by(name) {
        Enforced::By(path) => path,
        Enforced::Perhaps(path) => format!("perhaps {path}"),
        Enforced::Not { why, .. } => why,
    };
    for (name, wanted) in [
        ("eslint/no-console", ".eslintrc.json"),
        ("eslint", ".eslintrc.json"),
        ("eslint/no-alert", ".eslintrc.json switches `no-alert` off"),
        ("eslint/no-var", "no settings of ESLint here switch `no-var` on"),
        ("biome/noExplicitAny", "web/biome.json"),
        ("clippy::unwrap_used", "Cargo.toml"),
        ("clippy/unwrap_used", "Cargo.toml"),
        ("rustc/missing_docs", "Cargo.toml"),
        ("prettier", ".prettierrc"),
        ("mypy", "pyproject.toml"),
        ("mypy/no-untyped-def", "pyproject.toml"),
        ("stylelint", "no settings of stylelint are in this project"),
        ("ruff/T201", "no settings of Ruff are in this project"),
        ("sonar/S1", "`sonar` is no tool whose settings are known"),
    ] {
        assert_eq!(by(name), wanted, "{name}");
    }
    let shared =
        settings(&[("eslint.config.mjs", "import own from \"@own/eslint\";\nexport default own;")]);
    assert_eq!(
        shared.enforced_by("eslint/no-var"),
        Enforced::Perhaps("eslint.config.mjs".to_owned())
    );
}

#[test]
fn names_of_peers_find_their_settings() {
    let aliases = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = settings(&[
        ("eslint.config.js", "tseslint.configs.recommended"),
        ("ruff.toml", "select = [\"S\"]"),
        (".golangci.yml", "linters:\n  enable:\n    - gosec\n"),
    ]);
    let by = |names: &[&str]| all.by_alias(&aliases(names)).map(|(rule, _)| rule);
    assert_eq!(
        by(&["no-explicit-any"]).as_deref(),
        Some("eslint/@typescript-eslint/no-explicit-any")
    );
    assert_eq!(by(&["max-depth", "S307"]).as_deref(), Some("ruff/S307"));
    assert_eq!(by(&["gosec/G401"]).as_deref(), Some("golangci-lint/gosec/G401"));
    assert_eq!(by(&["max-depth", "clippy::todo"]), None);
}

#[test]
fn a_hostile_name_is_no_expression() {
    for name in ["eslint/(((", "eslint/a|b.*", "clippy::[", "ruff/É", "biome/\"", "/", "::", ""] {
        let all = settings(&[
            (".eslintrc.json", "{}"),
            ("Cargo.toml", ""),
            ("ruff.toml", ""),
            ("biome.json", "{}"),
        ]);
        assert!(matches!(all.enforced_by(name), Enforced::Not { .. }), "{name}");
    }
}
