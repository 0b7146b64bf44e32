//! The rules of other linters that enforce a sentence, and the settings in the repository that
//! enable them.

use super::languages::Languages;
use aidd_engine::project::linters::Tool::{self, Biome, Clippy, Eslint, Golangci, Oxlint, Ruff};
use aidd_engine::project::linters::{LayoutQuery, Settings};
use regex::Regex;
use std::sync::LazyLock;

/// Matches sentences about the layout of code, which formatters handle.
static LAYOUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:indent\w*|tabs?\b.{0,12}\bspaces?|spaces?\b.{0,12}\btabs?|(?:single|double) quotes?|semicolons?|trailing (?:commas?|whitespace|spaces)|line (?:length|width)|characters per line|max(?:imum)? line|\d+ (?:columns|characters)(?: in length| wide)?|final newline|print width|format(?:ted|ting)? (?:the |your |all )?(?:code|files))\b")
        .expect("an expression")
});

/// Matches the layout properties that only some formatters change.
static STYLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"quotes?|semicolons?|trailing commas?").expect("an expression"));

/// Matches sentences about the width of lines.
static WIDTH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\blines?\b|\bcolumns\b|\bcharacters\b|print width").expect("an expression")
});

/// A pattern for a lower-case sentence, and the rules that enforce matching sentences.
type RuleMapping = (&'static str, &'static [(Tool, &'static str)]);

/// The known mappings. Sources: eslint.org/docs/rules, typescript-eslint.io/rules,
/// biomejs.dev/linter, rust-lang.github.io/rust-clippy, docs.astral.sh/ruff/rules,
/// golangci-lint.run/usage/linters.
const RULE_MAPPINGS: &[RuleMapping] = &[
    (r"`console\.|console (?:logs?|statements?)", &[(Eslint, "no-console"), (Biome, "noConsole")]),
    (
        r"`(?:as )?any`|\bany type|\bany 타입|explicit any",
        &[(Eslint, "@typescript-eslint/no-explicit-any"), (Biome, "noExplicitAny")],
    ),
    (r"`var`|\buse var\b|\bvar (?:declarations?|keyword)", &[(Eslint, "no-var"), (Biome, "noVar")]),
    (r"\beval\b", &[(Eslint, "no-eval"), (Biome, "noGlobalEval"), (Ruff, "S307")]),
    (r"`debugger`|debugger statements?", &[(Eslint, "no-debugger"), (Biome, "noDebugger")]),
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

/// The compiled patterns of [`RULE_MAPPINGS`].
static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    RULE_MAPPINGS.iter().map(|(text, _)| Regex::new(text).expect("an expression")).collect()
});

/// The rules of other linters for a sentence. `text` is in lower case, with code in backticks. The
/// rules of oxlint have the names of ESLint.
pub(super) fn linter_rules(text: &str) -> Vec<(Tool, &'static str)> {
    let rows = RULE_MAPPINGS.iter().zip(EXPRESSIONS.iter()).filter(|(_, row)| row.is_match(text));
    let rules = rows.flat_map(|((_, rules), _)| rules.iter().copied());
    rules
        .flat_map(|(tool, rule)| {
            [Some((tool, rule)), (tool == Eslint).then_some((Oxlint, rule))].into_iter().flatten()
        })
        .collect()
}

/// The tool whose settings enforce the sentence, and the path of these settings: forbidden names,
/// commits, file names, imports, layout. `text` is as in [`linter_rules`]; `code` is the code in the
/// backticks of the sentence, in the original case.
pub(super) fn tool_by_settings(
    settings: &Settings,
    text: &str,
    code: &[&str],
    languages: &Languages,
) -> Option<(String, String)> {
    forbidden_name(settings, text, code)
        .or_else(|| tool_by_topic(settings, text, code))
        .or_else(|| formatter(settings, text, languages))
}

/// The tool and settings that forbid a name in the sentence. In a sentence without backticks, any word
/// can be a name.
fn forbidden_name(settings: &Settings, text: &str, code: &[&str]) -> Option<(String, String)> {
    const FORBIDS: [&str; 9] =
        ["never", "not", "avoid", "no ", "instead", "forbidden", "금지", "마세요", "대신"];
    if !FORBIDS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let words = text.split(|c: char| !(c.is_alphanumeric() || "-_@/".contains(c)));
    let words =
        words.filter(|word| code.is_empty() && !super::requirement::is_requirement_word(word));
    let named = code
        .iter()
        .map(|code| code.split(['(', '!']).next().unwrap_or(code).trim_start_matches('.'));
    named.chain(words).filter(|name| name.len() > 2).find_map(|name| settings.forbids(name))
}

fn tool_by_topic(settings: &Settings, text: &str, code: &[&str]) -> Option<(String, String)> {
    const CASES: [&str; 4] = ["kebab-case", "snake_case", "camelcase", "pascalcase"];
    if text.contains("conventional commit") {
        return settings.about("commits", &[]);
    }
    if text.contains("file") && CASES.iter().any(|case| text.contains(case)) {
        return settings.about("names", &[]);
    }
    let is_on_imports = text.contains("import") || text.contains("depend on");
    let last = |code: &&str| {
        let code = code.trim_end_matches(['/', '*']);
        code.rsplit('/').next().unwrap_or(code).to_owned()
    };
    let parts: Vec<String> = code.iter().map(last).collect();
    (is_on_imports && parts.len() > 1).then(|| settings.about("layers", &parts)).flatten()
}

fn formatter(settings: &Settings, text: &str, languages: &Languages) -> Option<(String, String)> {
    // A sentence about the length of a commit header or subject is not about the layout of code.
    let is_commit = ["header", "subject", "commit"].iter().any(|word| text.contains(word));
    if is_commit || !LAYOUT.is_match(text) {
        return None;
    }
    settings.formatter(&LayoutQuery {
        style: STYLE.is_match(text),
        width: line_width(text),
        formatters: &languages.formatters(),
    })
}

/// The maximum number of characters of a line in a sentence.
fn line_width(text: &str) -> Option<u64> {
    let is_width = WIDTH.is_match(text);
    let mut numbers =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    // Other numbers are not widths: two spaces, Python 3.
    numbers.find(|number| is_width && (40..=400).contains(number))
}
