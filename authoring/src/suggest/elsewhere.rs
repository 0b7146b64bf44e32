//! What other tools enforce already: the rules of theirs that say what a sentence says, where
//! settings in the repository switch these on.

use super::drafts::LINE_LENGTH;
use super::{Draft, Sentence};
use aidd_engine::project::linters::Settings;
use aidd_engine::project::linters::Tool::{self, Biome, Clippy, Eslint, Golangci, Ruff};
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

/// What a sentence says in lower case, and the rules that say it.
type Row = (&'static str, &'static [(Tool, &'static str)]);

/// Facts from the pages of the tools: eslint.org/docs/rules, typescript-eslint.io/rules,
/// biomejs.dev/linter, rust-lang.github.io/rust-clippy, docs.astral.sh/ruff/rules,
/// golangci-lint.run/usage/linters.
const ROWS: &[Row] = &[
    (r"`console\.|console (?:logs?|statements?)", &[(Eslint, "no-console"), (Biome, "noConsole")]),
    (
        r"`(?:as )?any`|\bany type|explicit any",
        &[(Eslint, "@typescript-eslint/no-explicit-any"), (Biome, "noExplicitAny")],
    ),
    (r"`var`", &[(Eslint, "no-var"), (Biome, "noVar")]),
    (r"`eval(?:\(\))?`", &[(Eslint, "no-eval"), (Biome, "noGlobalEval"), (Ruff, "S307")]),
    (r"`debugger`", &[(Eslint, "no-debugger"), (Biome, "noDebugger")]),
    (r"`alert(?:\(\))?`", &[(Eslint, "no-alert"), (Biome, "noAlert")]),
    (
        r"`export default`|default exports?",
        &[(Eslint, "import/no-default-export"), (Biome, "noDefaultExport")],
    ),
    (r"`enum`|\benums\b", &[(Biome, "noEnum")]),
    (r"`==`|triple equals", &[(Eslint, "eqeqeq"), (Biome, "noDoubleEquals")]),
    (
        r"non-null assertion",
        &[(Eslint, "@typescript-eslint/no-non-null-assertion"), (Biome, "noNonNullAssertion")],
    ),
    (r"@ts-ignore", &[(Eslint, "@typescript-eslint/ban-ts-comment")]),
    (
        r"`require(?:\(\))?`|commonjs",
        &[(Eslint, "@typescript-eslint/no-require-imports"), (Biome, "noCommonJs")],
    ),
    (r"floating promise|unawaited promise", &[(Eslint, "@typescript-eslint/no-floating-promises")]),
    (
        r"(?:circular|cyclic) |import cycles?",
        &[(Eslint, "import/no-cycle"), (Biome, "noImportCycles")],
    ),
    (r"\blines\b.{0,30}\bfiles?\b|\bfiles?\b.{0,60}\blines\b", &[(Eslint, "max-lines")]),
    (
        r"functions?\b.{0,60}\blines\b|\blines\b.{0,30}\bfunctions?\b",
        &[(Eslint, "max-lines-per-function"), (Clippy, "clippy::too_many_lines")],
    ),
    (r"`(?:\.)?unwrap(?:\(\))?`|\bunwrap\b", &[(Clippy, "clippy::unwrap_used")]),
    (r"`(?:\.)?expect(?:\(\))?`", &[(Clippy, "clippy::expect_used")]),
    (r"`panic!", &[(Clippy, "clippy::panic")]),
    (r"`todo!", &[(Clippy, "clippy::todo")]),
    (r"`unimplemented!", &[(Clippy, "clippy::unimplemented")]),
    (r"`dbg!", &[(Clippy, "clippy::dbg_macro")]),
    (r"`println!", &[(Clippy, "clippy::print_stdout")]),
    (r"`eprintln!", &[(Clippy, "clippy::print_stderr")]),
    (r"`unsafe`|unsafe code", &[(Clippy, "unsafe_code")]),
    (r"public (?:items?|functions?|apis?|types?).{0,40}\bdoc", &[(Clippy, "missing_docs")]),
    (r"`print(?:\(\))?`|print statements?", &[(Ruff, "T201"), (Golangci, "forbidigo")]),
    (r"bare `?except|`except:`", &[(Ruff, "E722")]),
    (r"`(?:from \w+ )?import \*`|(?:star|wildcard) imports?", &[(Ruff, "F403")]),
    (r"mutable default", &[(Ruff, "B006")]),
    (r"`breakpoint(?:\(\))?`|`pdb", &[(Ruff, "T100")]),
    (r"`assert`", &[(Ruff, "S101")]),
    (r"type (?:hints?|annotations?)", &[(Ruff, "ANN001")]),
    (
        r"unused imports?",
        &[
            (Eslint, "@typescript-eslint/no-unused-vars"),
            (Biome, "noUnusedImports"),
            (Ruff, "F401"),
        ],
    ),
    (
        r"unused variables?",
        &[(Eslint, "no-unused-vars"), (Biome, "noUnusedVariables"), (Ruff, "F841")],
    ),
    (r"ignored? (?:returned )?errors?|errors? .{0,20}checked", &[(Golangci, "errcheck")]),
    (
        r"\bconst\b.{0,20}\b(?:over|instead of|not|rather than)\b.{0,6}\blet\b|never reassigned",
        &[(Eslint, "prefer-const"), (Biome, "useConst")],
    ),
    (r"template (?:literals?|strings?)", &[(Eslint, "prefer-template"), (Biome, "useTemplate")]),
    (
        r"type[- ]only imports?|`import type`",
        &[(Eslint, "@typescript-eslint/consistent-type-imports"), (Biome, "useImportType")],
    ),
    (
        r"`?interfaces?`? (?:over|instead of|rather than) `?types?|`?types?`? (?:over|instead of|rather than) `?interfaces?",
        &[(Eslint, "@typescript-eslint/consistent-type-definitions")],
    ),
    (
        r"empty (?:catch|except|block)|swallow\w* (?:errors?|exceptions?)",
        &[(Eslint, "no-empty"), (Biome, "noEmptyBlockStatements"), (Ruff, "S110")],
    ),
    (
        r"\b(?:parameters|arguments)\b.{0,30}\bfunctions?|functions?\b.{0,40}\b(?:parameters|arguments)\b",
        &[(Eslint, "max-params"), (Ruff, "PLR0913"), (Clippy, "clippy::too_many_arguments")],
    ),
    (r"nested ternar", &[(Eslint, "no-nested-ternary"), (Biome, "noNestedTernary")]),
    (r"barrel (?:files?|exports?|imports?)", &[(Biome, "noBarrelFile")]),
    (r"magic numbers?", &[(Eslint, "no-magic-numbers"), (Ruff, "PLR2004")]),
    (
        r"(?:cyclomatic|cognitive) complexity",
        &[
            (Eslint, "complexity"),
            (Biome, "noExcessiveCognitiveComplexity"),
            (Ruff, "C901"),
            (Golangci, "gocyclo"),
            (Golangci, "cyclop"),
        ],
    ),
    (r"curly braces", &[(Eslint, "curly"), (Biome, "useBlockStatements")]),
    (
        r"explicit return types?|return types? .{0,20}explicit",
        &[
            (Eslint, "@typescript-eslint/explicit-function-return-type"),
            (Eslint, "@typescript-eslint/explicit-module-boundary-types"),
            (Ruff, "ANN201"),
        ],
    ),
    (
        r"optional chaining",
        &[(Eslint, "@typescript-eslint/prefer-optional-chain"), (Biome, "useOptionalChain")],
    ),
    (r"nullish coalescing", &[(Eslint, "@typescript-eslint/prefer-nullish-coalescing")]),
    (
        r"\b(?:all|every|each|public)\b.{0,40}\bdocstrings?\b|\bdocstrings?\b.{0,50}\b(?:all|every|each|public)\b",
        &[(Ruff, "D103")],
    ),
    (
        r"\bisort\b|\bsort(?:ed|ing)?\b.{0,15}\bimports?|imports?\b.{0,25}\b(?:sorted|ordered|alphabetical)",
        &[(Eslint, "import/order"), (Eslint, "simple-import-sort/imports"), (Ruff, "I001")],
    ),
    (
        r"imports?\b.{0,30}\b(?:at|on) (?:the )?top\b|(?:inline|function-level|local) imports?",
        &[(Ruff, "PLC0415")],
    ),
    (r"\bf-strings?\b", &[(Ruff, "UP032")]),
    (r"\bpathlib\b", &[(Ruff, "PTH118")]),
    (r"relative imports?|absolute imports?", &[(Ruff, "TID252")]),
    (r"`(?:typing\.)?optional\[|`\w+ \| none`", &[(Ruff, "UP007"), (Ruff, "UP045")]),
    (
        r"rules of hooks|hooks? .{0,30}(?:conditional|top level)",
        &[(Eslint, "react-hooks/rules-of-hooks"), (Biome, "useHookAtTopLevel")],
    ),
    (
        r"dependency arrays?|exhaustive[- ]deps",
        &[(Eslint, "react-hooks/exhaustive-deps"), (Biome, "useExhaustiveDependencies")],
    ),
    (r"wrap\w* errors?\b|`%w`", &[(Golangci, "errorlint"), (Golangci, "wrapcheck")]),
    (r"global variables?|package-level variables?", &[(Golangci, "gochecknoglobals")]),
    (r"naked returns?", &[(Golangci, "nakedret")]),
    (r"`init(?:\(\))?`", &[(Golangci, "gochecknoinits")]),
    (
        r"\bsafety\b.{0,30}\bunsafe|unsafe\b.{0,60}\bsafety\b",
        &[(Clippy, "clippy::undocumented_unsafe_blocks")],
    ),
];

/// The expressions of [`ROWS`].
static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    ROWS.iter().map(|(text, _)| Regex::new(text).expect("an expression")).collect()
});

/// Which rule of another tool says what the sentence says, and the file that switches it on.
/// `reading` is the sentence in English.
pub(super) fn enforcer(
    settings: &Settings,
    sentence: &Sentence,
    draft: Option<&Draft>,
) -> Option<(String, String)> {
    let text = sentence.reading();
    let lower = text.to_lowercase();
    for ((_, rules), row) in ROWS.iter().zip(EXPRESSIONS.iter()) {
        if !row.is_match(&lower) {
            continue;
        }
        let by = rules.iter().find_map(|(tool, rule)| settings.switched_on(*tool, rule));
        if by.is_some() {
            return by;
        }
    }
    names_it(settings, sentence)
        .or_else(|| on_form(settings, sentence, draft))
        .or_else(|| formatter(settings, &text, draft))
}

/// A name that settings forbid by itself.
fn names_it(settings: &Settings, sentence: &Sentence) -> Option<(String, String)> {
    let plain = |code: &str| {
        code.split(['(', '!']).next().unwrap_or(code).trim_start_matches('.').to_owned()
    };
    let words = sentence.english.to_lowercase();
    let forbids = ["never", "not", "avoid", "no ", "instead", "forbidden"];
    if !forbids.iter().any(|word| words.contains(word)) {
        return None;
    }
    let names = sentence.code.iter().map(|code| plain(code)).filter(|name| name.len() > 2);
    names.into_iter().find_map(|name| settings.forbids(&name))
}

fn on_form(
    settings: &Settings,
    sentence: &Sentence,
    draft: Option<&Draft>,
) -> Option<(String, String)> {
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
    let last = |code: &String| {
        let code = code.trim_end_matches(['/', '*']);
        code.rsplit('/').next().unwrap_or(code).to_owned()
    };
    let parts: Vec<String> = match about {
        "layers" => sentence.code.iter().map(last).collect(),
        _ => Vec::new(),
    };
    settings.on(about, &parts)
}

fn formatter(settings: &Settings, text: &str, draft: Option<&Draft>) -> Option<(String, String)> {
    // A header or subject of so many characters is that of a commit.
    let lower = text.to_lowercase();
    let is_commit = ["header", "subject", "commit"].iter().any(|word| lower.contains(word));
    let is_layout = draft.is_none_or(|draft| draft.id.ends_with(LINE_LENGTH));
    if !is_layout || is_commit || !LAYOUT.is_match(text) {
        return None;
    }
    // What only some formatters change.
    settings.formatter(STYLE.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suggest::sentences;
    use aidd_engine::text::files::Memory;
    use aidd_engine::text::source::Source;

    fn by(sentence: &str, settings: &[(&str, &str)]) -> Option<String> {
        let files =
            settings.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let files = Memory(files.collect());
        let paths: Vec<String> = files.0.keys().cloned().collect();
        let found = sentences(&Source::new("a.md", sentence));
        let (rule, path) = enforcer(&Settings::read(&files, &paths), found.first()?, None)?;
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
                "rules:\n  no-restricted-imports: [error, 'moment']",
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
