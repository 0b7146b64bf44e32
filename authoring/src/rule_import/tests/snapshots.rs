//! Imports configurations with every supported rule and option, and compares the pages and the
//! report byte for byte.

use super::*;
use std::fmt::Write as _;

/// The pages and the report of the first configuration in `files`.
fn render(files: &[(&str, &str)], tool: Tool) -> String {
    let (memory, listing) = project(files);
    let files_of = Listed { files: &memory, listing: &listing };
    let import = import(&files_of, files[0].0, tool, ".aidd/rules", &engine_of)
        .unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(import.defects, Vec::<String>::new());
    assert_examples_pass(&import);
    let mut text = String::new();
    for page in &import.pages {
        let suffix = if page.has_examples { "" } else { " (no examples)" };
        let _ = writeln!(text, "=== {} {} `{}`{suffix}", page.path, page.id, page.item);
        for note in &page.notes {
            let _ = writeln!(text, "=== differs: {note}");
        }
        text.push_str(&page.text);
    }
    for item in &import.not_imported {
        let instead = item.instead.as_ref().map_or(String::new(), |text| format!("; {text}"));
        let _ = writeln!(text, "=== not imported: {}: {}{instead}", item.item, item.why);
    }
    text
}

macro_rules! assert_imported {
    ($name:literal, $tool:ident, [$(($path:literal, $text:expr)),+ $(,)?]) => {
        insta::assert_snapshot!($name, render(&[$(($path, $text)),+], Tool::$tool));
    };
}

#[test]
fn alint_is_imported() {
    assert_imported!("alint-kinds", Alint, [(".alint.yml", ALINT)]);
    assert_imported!("alint-options", Alint, [(".alint.yml", include_str!("carried/alint.yml"))]);
    assert_imported!("alint-shapes", Alint, [(".alint.yml", regressions::ALINT_CONDITIONS)]);
    assert_imported!("alint-fixes", Alint, [(".alint.yml", rulesets::FIXES)]);
}

#[test]
fn alint_rulesets_are_imported() {
    let mut reported = String::new();
    for name in alint::RULESETS.keys() {
        let text = format!("extends: [alint://bundled/{name}@v1]\n");
        reported.push_str(&render(&[(".alint.yml", &text)], Tool::Alint));
    }
    insta::assert_snapshot!("alint-rulesets", reported);
}

#[test]
fn markdownlint_is_imported() {
    assert_imported!("markdownlint", Markdownlint, [(".markdownlint.json", "{}")]);
    assert_imported!(
        "markdownlint-options",
        Markdownlint,
        [
            (".markdownlint.yaml", include_str!("carried/markdownlint.yaml")),
            (".markdownlintignore", "# no\ngen\n/old/\ndocs/x.md\n!y\n"),
            ("base.yaml", "MD034: false\nextends: gone\n"),
        ]
    );
    assert_imported!(
        "markdownlint-runner",
        Markdownlint,
        [
            (".markdownlint-cli2.jsonc", include_str!("carried/markdownlint-cli2.jsonc")),
            ("package.json", "{\"markdownlint-cli2\": {}}"),
            ("docs/.markdownlint.json", "{}"),
        ]
    );
}

#[test]
fn ls_lint_is_imported() {
    assert_imported!("ls-lint", LsLint, [(".ls-lint.yml", include_str!("carried/ls-lint.yml"))]);
}

#[test]
fn commitlint_is_imported() {
    assert_imported!("commitlint-rules", Commitlint, [("commitlint.config.js", &plain_rules())]);
    assert_imported!(
        "commitlint-options",
        Commitlint,
        [
            ("commitlint.config.mjs", include_str!("carried/commitlint.config.mjs")),
            ("kinds.json", "[\"wip\", \"tmp\"]"),
        ]
    );
    assert_imported!(
        "commitlint-shared",
        Commitlint,
        [(".commitlintrc.yml", include_str!("carried/commitlintrc.yml")),]
    );
    assert_imported!(
        "commitlint-parser",
        Commitlint,
        [("commitlint.config.cjs", include_str!("carried/commitlint-parser.config.cjs")),]
    );
    assert_imported!(
        "commitlint-parser-without-types",
        Commitlint,
        [("commitlint.config.cjs", include_str!("carried/commitlint-looser.config.cjs")),]
    );
    assert_imported!(
        "commitlint-strict",
        Commitlint,
        [
            (".commitlintrc.json", include_str!("carried/commitlint-strict.json")),
            (
                "parser.js",
                "module.exports = { parserOpts: { headerPattern: '^(\\\\w*)(?:\\\\((.*)\\\\))?!?: (.*)$' } };\n"
            ),
        ]
    );
}

#[test]
fn ast_grep_is_imported() {
    assert_imported!("ast-grep-keys", AstGrep, [("rule.yml", tools::AST_GREP)]);
    assert_imported!(
        "ast-grep-options",
        AstGrep,
        [
            (
                "sgconfig.yml",
                "ruleDirs: [rules]\nutilDirs: [utils]\ntestConfigs: [{ testDir: tests }]\ncustomLanguages: {}\n"
            ),
            ("rules/all.yml", include_str!("carried/ast-grep.yml")),
            (
                "utils/shared.yml",
                "id: shared\nlanguage: ts\nutils: { inner: { kind: program } }\nrule: { matches: other }\n"
            ),
            ("utils/other.yml", "id: other\nlanguage: ts\nrule: { kind: program }\n"),
            ("tests/filled.yml", "id: filled\nvalid: ['new(1)']\ninvalid: ['old(a, b)']\n"),
        ]
    );
}
