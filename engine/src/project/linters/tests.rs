//! Tests of the levels read from settings.

use super::*;
use crate::text::files::Memory;

fn settings(files: &[(&str, &str)]) -> Settings {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files = Memory(files.collect());
    let paths: Vec<String> = files.0.keys().cloned().collect();
    Settings::read(&files, &paths)
}

#[test]
fn settings_determine_enabled_rules() {
    use Level::{Absent, Off, On, Unknown};
    for (file, rule, text, expected) in [
        ("eslint.config.js", "no-console", "rules: { 'no-console': ['error', {}] }", On),
        ("eslint.config.js", "no-console", "rules: { 'no-console': 0 }", Off),
        (
            "eslint.config.js",
            "no-console",
            "// 'no-console': 'error',\n/* 'no-console': 2 */",
            Absent,
        ),
        ("eslint.config.ts", "no-console", "const level: Level = 2; // \"no-console\": 2", Absent),
        ("eslint.config.js", "no-debugger", "export default [js.configs.recommended];", On),
        (
            "eslint.config.js",
            "no-debugger",
            "export default [/* js.configs.recommended */];",
            Absent,
        ),
        (
            "eslint.config.js",
            "@typescript-eslint/no-explicit-any",
            "...tseslint.configs.strict,",
            On,
        ),
        (
            "eslint.config.js",
            "@typescript-eslint/no-explicit-any",
            r#"compat.extends("next/typescript")"#,
            On,
        ),
        (
            "eslint.config.js",
            "@typescript-eslint/no-floating-promises",
            "tseslint.configs.recommendedTypeChecked",
            On,
        ),
        (".eslintrc.yml", "no-console", "rules:\n  no-console: warn\n", On),
        (".eslintrc", "no-console", "rules:\n  no-console:\n    - error\n", On),
        (".eslintrc", "no-console", "# rules:\n#   no-console: error\n", Absent),
        (".eslintrc", "no-console", "rules:\n  no-console: 0\n", Off),
        (".eslintrc", "no-console", "// hand-written\n{rules: {'no-console': 2}}", On),
        (".eslintrc.json", "no-console", r#"{"rules": {"no-console": 2}}"#, On),
        (".eslintrc.json", "no-console", "{\"rules\": {\n // \"no-console\": 2\n}}", Absent),
        (".eslintrc.json", "no-console", r#"{"rules": {"no-console": "off"}}"#, Off),
        (".eslintrc.json", "no-console", r#"{"rules": {"no-alert": 2}}"#, Absent),
        (".eslintrc.json", "no-console", r#"{"globals": {"no-console": "error"}}"#, Absent),
        (".eslintrc.json", "no-console", r#"{"overrides": [{"rules": {"no-console": 1}}]}"#, On),
        (".eslintrc.json", "no-console", r#"{"extends": "airbnb"}"#, Unknown),
        (".eslintrc.json", "no-console", r#"{"extends": "eslint:recommended"}"#, Absent),
        (
            ".eslintrc.json",
            "no-console",
            r#"{"extends": ["eslint:recommended", "airbnb"]}"#,
            Unknown,
        ),
        (".eslintrc.json", "no-debugger", r#"{"extends": "eslint:recommended"}"#, On),
        (".eslintrc.json", "no-console", r#"{"rules": {"no-console": 2"#, Unknown),
        ("package.json", "no-console", r#"{"eslintConfig": {"rules": {"no-console": 2}}}"#, On),
        ("biome.json", "noExplicitAny", "{}", On),
        ("biome.json", "noExplicitAny", "", On),
        ("biome.json", "noExplicitAny", r#"{"linter": {"rules": {"recommended": false}}}"#, Absent),
        ("biome.json", "noExplicitAny", r#"{"linter": {"enabled": false}}"#, Absent),
        (
            "biome.json",
            "noVar",
            r#"{"linter": {"enabled": false, "rules": {"style": {"noVar": "error"}}}}"#,
            Absent,
        ),
        (
            "biome.json",
            "noExplicitAny",
            r#"{"linter": {"rules": {"suspicious": {"noExplicitAny": "off"}}}}"#,
            Off,
        ),
        (
            "biome.jsonc",
            "noBarrelFile",
            r#"{"linter": {"rules": {"performance": {"noBarrelFile": {"level": "warn"}}}}}"#,
            On,
        ),
        ("biome.json", "noBarrelFile", "{}", Absent),
        ("biome.json", "noBarrelFile", r#"{"extends": ["./base.json"]}"#, Unknown),
        ("Cargo.toml", "clippy::unwrap_used", "[lints.clippy]\nunwrap_used = \"deny\"", On),
        (
            "Cargo.toml",
            "clippy::unwrap_used",
            "[workspace.lints.clippy]\nunwrap_used = { level = \"deny\", priority = 1 }",
            On,
        ),
        ("Cargo.toml", "clippy::unwrap_used", "[lints.clippy]\n# unwrap_used = \"deny\"", Absent),
        ("Cargo.toml", "clippy::unwrap_used", "[lints.rust]\nunwrap_used = \"deny\"", Absent),
        ("Cargo.toml", "missing_docs", "[lints.rust]\nmissing_docs = \"warn\"", On),
        ("Cargo.toml", "clippy::unwrap_used", "[lints.clippy]\nrestriction = \"warn\"", On),
        ("Cargo.toml", "clippy::unwrap_used", "[lints.clippy]\npedantic = \"warn\"", Absent),
        (
            "Cargo.toml",
            "clippy::unwrap_used",
            "[lints.clippy]\nrestriction = \"warn\"\nunwrap_used = \"allow\"",
            Off,
        ),
        ("lib.rs", "clippy::too_many_arguments", "#![deny(clippy::all)]", On),
        ("lib.rs", "clippy::too_many_lines", "#![warn(clippy::all, clippy::pedantic)]", On),
        ("lib.rs", "clippy::too_many_lines", "/*\n#![warn(clippy::pedantic)]\n*/", Absent),
        ("main.rs", "missing_docs", "#![allow(missing_docs)]", Off),
        ("pyproject.toml", "T201", "[tool.ruff.lint]\nselect = [\"E\", \"T20\"]", On),
        ("pyproject.toml", "T201", "[tool.ruff.lint]\nselect = [\"E\"] # \"T20\"", Absent),
        ("pyproject.toml", "T201", "[tool.ruff]\nextend-select = [\"T20\"]", On),
        ("pyproject.toml", "T201", "[tool.other]\nselect = [\"T20\"]", Absent),
        ("ruff.toml", "T201", "select = [\"ALL\"]\nignore = [\"T201\"]", Off),
        ("ruff.toml", "F401", "line-length = 100", On),
        ("ruff.toml", "T201", "line-length = 100", Absent),
        ("ruff.toml", "T201", "extend = \"../ruff.toml\"", Unknown),
        ("ruff.toml", "T201", "select = [\"T201\"", Unknown),
        (".golangci.yml", "errcheck", "version: '2'\n", On),
        (".golangci.yml", "errcheck", "linters:\n  default: none\n", Absent),
        (".golangci.yml", "errcheck", "linters:\n  disable:\n    - errcheck\n", Off),
        (".golangci.yml", "gosec/G204", "linters:\n  enable: [gosec]\n", On),
        (".golangci.yml", "gosec", "linters:\n  default: all\n", On),
        (".golangci.toml", "gosec", "[linters]\nenable = [\"gosec\"]\n", On),
    ] {
        let tool = match file {
            "Cargo.toml" | "lib.rs" | "main.rs" => Clippy,
            "ruff.toml" | "pyproject.toml" => Ruff,
            _ if file.starts_with("biome.") => Biome,
            _ if file.starts_with(".golangci.") => Golangci,
            _ => Eslint,
        };
        let content = Content::parse(file, text.to_owned());
        assert_eq!(level(tool, rule, &content), expected, "{file}: {rule}: {text}");
    }
}

#[test]
fn names_disallowed_by_linter_settings_are_found() {
    let all = settings(&[
        (
            "clippy.toml",
            "# \"std::env::var\"\ndisallowed-methods = [\"std::env::set_var\", { path = \"std::fs::read\" }]\n",
        ),
        (
            ".eslintrc.json",
            r#"{"env": {"lodash": true}, "overrides": [{"rules": {"no-restricted-imports": ["error", {"paths": [{"name": "moment"}]}]}}]}"#,
        ),
        ("pyproject.toml", "# [tool.black]\n[tool.ruff]\n"),
    ]);
    let forbidding_setting = |name: &str| all.forbids(name).map(|(setting, _)| setting);
    assert_eq!(
        forbidding_setting("set_var").as_deref(),
        Some("clippy::disallowed (std::env::set_var)")
    );
    assert_eq!(
        forbidding_setting("std::fs::read").as_deref(),
        Some("clippy::disallowed (std::fs::read)")
    );
    assert_eq!(forbidding_setting("var"), None);
    assert_eq!(forbidding_setting("moment").as_deref(), Some("eslint/no-restricted-*"));
    assert_eq!(forbidding_setting("lodash"), None);
    let style = LayoutQuery { style: true, ..LayoutQuery::default() };
    assert_eq!(all.formatter(&style).map(|(tool, _)| tool).as_deref(), Some("ruff format"));
    assert!(matches!(all.enforced_by("black"), Enforcement::Not { .. }));
}

#[test]
fn names_in_enforced_by_are_resolved() {
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
    let enforcement = |name: &str| match all.enforced_by(name) {
        Enforcement::By(path) => path,
        Enforcement::Unknown(path) => format!("perhaps {path}"),
        Enforcement::Not { why, .. } => why,
    };
    for (name, expected) in [
        ("eslint/no-console", ".eslintrc.json"),
        ("eslint", ".eslintrc.json"),
        ("eslint/no-alert", ".eslintrc.json disables `no-alert`"),
        ("eslint/no-var", "no ESLint configuration in this project enables `no-var`"),
        ("biome/noExplicitAny", "web/biome.json"),
        ("clippy::unwrap_used", "Cargo.toml"),
        ("clippy/unwrap_used", "Cargo.toml"),
        ("rustc/missing_docs", "Cargo.toml"),
        ("prettier", ".prettierrc"),
        ("mypy", "pyproject.toml"),
        ("mypy/no-untyped-def", "pyproject.toml"),
        ("stylelint", "no stylelint configuration in this project"),
        ("ruff/T201", "no Ruff configuration in this project"),
        ("sonar/S1", "unknown tool `sonar`"),
    ] {
        assert_eq!(enforcement(name), expected, "{name}");
    }
    let shared =
        settings(&[("eslint.config.mjs", "import own from \"@own/eslint\";\nexport default own;")]);
    assert_eq!(
        shared.enforced_by("eslint/no-var"),
        Enforcement::Unknown("eslint.config.mjs".to_owned())
    );
}

#[test]
fn aliases_are_resolved_to_settings() {
    let aliases = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = settings(&[
        ("eslint.config.js", "tseslint.configs.recommended"),
        ("ruff.toml", "select = [\"S\"]"),
        (".golangci.yml", "linters:\n  enable:\n    - gosec\n"),
    ]);
    let enabled_rule =
        |names: &[&str]| all.by_alias(&aliases(names), &|_| true).map(|(rule, _)| rule);
    assert_eq!(
        enabled_rule(&["no-explicit-any"]).as_deref(),
        Some("eslint/@typescript-eslint/no-explicit-any")
    );
    assert_eq!(enabled_rule(&["max-depth", "S307"]).as_deref(), Some("ruff/S307"));
    assert_eq!(enabled_rule(&["gosec/G401"]).as_deref(), Some("golangci-lint/gosec/G401"));
    assert_eq!(enabled_rule(&["max-depth", "clippy::todo"]), None);
    let biome = settings(&[("biome.json", "{}")]);
    let enabled = biome.by_alias(&aliases(&["no-explicit-any", "noExplicitAny"]), &|_| true);
    assert_eq!(enabled.map(|(rule, _)| rule).as_deref(), Some("biome/noExplicitAny"));
}

#[test]
fn a_hostile_name_is_escaped() {
    for name in ["eslint/(((", "eslint/a|b.*", "clippy::[", "ruff/É", "biome/\"", "/", "::", ""] {
        let all = settings(&[
            (".eslintrc.json", "{}"),
            ("Cargo.toml", ""),
            ("ruff.toml", ""),
            ("biome.json", "{}"),
        ]);
        assert!(matches!(all.enforced_by(name), Enforcement::Not { .. }), "{name}");
    }
}

#[test]
fn categories_and_plugins_of_oxlint_enable_rules() {
    use Level::{Absent, Off, On, Unknown};
    let correctness = r#"{"plugins": ["react"], "categories": {"correctness": "error"}}"#;
    for (rule, text, expected) in [
        ("no-unused-vars", "{}", On),
        ("@typescript-eslint/no-unused-vars", "{}", On),
        ("no-console", "{}", Absent),
        ("no-console", r#"{"categories": {"restriction": "warn"}}"#, On),
        ("no-console", r#"{"rules": {"eslint/no-console": ["deny", {}]}}"#, On),
        ("no-debugger", r#"{"categories": {"correctness": "off"}}"#, Absent),
        ("no-debugger", r#"{"rules": {"no-debugger": "allow"}}"#, Off),
        (
            "no-debugger",
            r#"{"categories": {"correctness": "off"}, "extends": ["./base.json"]}"#,
            Unknown,
        ),
        ("react-hooks/exhaustive-deps", "{}", Absent),
        ("react-hooks/exhaustive-deps", correctness, On),
        ("jsx-a11y/alt-text", correctness, Absent),
        (
            "@typescript-eslint/no-explicit-any",
            r#"{"rules": {"typescript/no-explicit-any": "error"}}"#,
            On,
        ),
        (
            "@typescript-eslint/no-floating-promises",
            r#"{"categories": {"correctness": "error"}}"#,
            Absent,
        ),
    ] {
        let content = Content::parse(".oxlintrc.json", text.to_owned());
        assert_eq!(level(Oxlint, rule, &content), expected, "{rule} in {text}");
    }
}

#[test]
fn a_formatter_with_wider_lines_does_not_enforce_a_width() {
    let all = |width| LayoutQuery { width: Some(width), ..LayoutQuery::default() };
    for (file, text, own) in [
        ("ruff.toml", "line-length = 120", 120),
        ("pyproject.toml", "[tool.black]\nline-length = 100", 100),
        (".prettierrc", "printWidth: 100", 100),
        ("prettier.config.mjs", "export default { printWidth: 90 };", 90),
        (".prettierrc.json", "{}", 80),
        ("biome.json", r#"{"formatter": {"lineWidth": 120}}"#, 120),
        ("rustfmt.toml", "", 100),
        (".editorconfig", "[*]\nmax_line_length = 100\n", 100),
    ] {
        let settings = settings(&[(file, text)]);
        assert!(settings.formatter(&all(own)).is_some(), "{file}");
        assert!(settings.formatter(&all(own - 1)).is_none(), "{file}");
    }
    let go = settings(&[("go.mod", "module a")]);
    assert!(go.formatter(&all(100)).is_none(), "gofmt does not break lines");
    let python = settings(&[("ruff.toml", "")]);
    let scripts = LayoutQuery { formatters: &["prettier"], ..LayoutQuery::default() };
    assert!(python.formatter(&scripts).is_none());
}

#[test]
fn settings_disable_a_rule_by_its_name() {
    let biome = |level: &str| {
        let rules = format!(r#"{{ "correctness": {{ "useExhaustiveDependencies": "{level}" }} }}"#);
        let found =
            settings(&[("biome.json", &format!(r#"{{ "linter": {{ "rules": {rules} }} }}"#))]);
        found.disables(Biome, "useExhaustiveDependencies")
    };
    assert!(biome("off"));
    assert!(!biome("error"));
    let rule = "react-hooks/exhaustive-deps";
    let eslint = r#"{ "rules": { "react-hooks/exhaustive-deps": "off" } }"#;
    assert!(settings(&[(".eslintrc.json", eslint)]).disables(Eslint, rule));
    assert!(!settings(&[(".eslintrc.json", "{}")]).disables(Eslint, rule));
}
