//! The rules of other tools that say what sentences say, and how their settings switch them on.

use regex::Regex;
use std::sync::LazyLock;

/// A tool whose settings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Eslint,
    Biome,
    Clippy,
    Ruff,
    Golangci,
}

use Tool::{Biome, Clippy, Eslint, Golangci, Ruff};

/// What a sentence or its draft says in lower case, and the rules that say it.
pub(super) type Row = (&'static str, &'static [(Tool, &'static str)]);

/// Facts from the pages of the tools: eslint.org/docs/rules, typescript-eslint.io/rules,
/// biomejs.dev/linter, rust-lang.github.io/rust-clippy, docs.astral.sh/ruff/rules,
/// golangci-lint.run/usage/linters.
pub(super) const ROWS: [Row; 36] = [
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
];

/// Rules that a preset switches on: the preset as the settings name it, and the rule.
const PRESETS: [(Tool, &str, &str); 9] = [
    (Eslint, r"eslint:recommended|js\.configs\.recommended", "no-debugger"),
    (Eslint, r"eslint:recommended|js\.configs\.recommended", "no-unused-vars"),
    (
        Eslint,
        r"@typescript-eslint/(?:recommended|strict)|tseslint\.configs\.(?:recommended|strict)",
        "@typescript-eslint/no-explicit-any",
    ),
    (
        Eslint,
        r"@typescript-eslint/(?:recommended|strict)|tseslint\.configs\.(?:recommended|strict)",
        "@typescript-eslint/ban-ts-comment",
    ),
    (
        Eslint,
        r"@typescript-eslint/(?:recommended|strict)|tseslint\.configs\.(?:recommended|strict)",
        "@typescript-eslint/no-unused-vars",
    ),
    (
        Eslint,
        r"@typescript-eslint/(?:recommended|strict)-type-checked|tseslint\.configs\.(?:recommended|strict)TypeChecked",
        "@typescript-eslint/no-floating-promises",
    ),
    (
        Eslint,
        r"@typescript-eslint/strict|tseslint\.configs\.strict",
        "@typescript-eslint/no-non-null-assertion",
    ),
    (Biome, r#""recommended"\s*:\s*true"#, "noExplicitAny"),
    (Biome, r#""recommended"\s*:\s*true"#, "noDebugger"),
];

/// The expressions of [`ROWS`].
pub(super) static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    ROWS.iter().map(|(text, _)| Regex::new(text).expect("an expression")).collect()
});

/// Whether the text of settings switches a rule on.
pub(super) fn is_on(tool: Tool, rule: &str, text: &str) -> bool {
    let escaped = regex::escape(rule);
    let says = |expression: String| Regex::new(&expression).is_ok_and(|found| found.is_match(text));
    let by_preset = || {
        let presets = PRESETS.iter().filter(|(of, _, preset)| *of == tool && *preset == rule);
        presets.into_iter().any(|(_, preset, _)| says((*preset).to_owned()))
    };
    match tool {
        Eslint => {
            let key = format!(r#"["']{escaped}["']\s*:\s*"#);
            let off = says(format!(r#"{key}\[?\s*(?:["']off["']|0)"#));
            let on = says(format!(r#"{key}\[?\s*(?:["'](?:error|warn)["']|[12])"#));
            on || !off && by_preset()
        }
        Biome => {
            let key = format!(r#""{escaped}"\s*:\s*"#);
            let off = says(format!(r#"{key}(?:"off"|\{{[^}}]*"level"\s*:\s*"off")"#));
            let on = says(format!(
                r#"{key}(?:"(?:error|warn|info|on)"|\{{[^}}]*"level"\s*:\s*"(?:error|warn|info|on)")"#
            ));
            on || !off && by_preset()
        }
        Clippy => {
            let plain = rule.trim_start_matches("clippy::");
            let level = r"(?:deny|warn|forbid)";
            says(format!(r#"(?m)^\s*{plain}\s*=\s*(?:"{level}"|\{{[^}}\n]*level\s*=\s*"{level}")"#))
                || says(format!(r"(?m)^#!\[{level}\([^)\]]*\b{escaped}\b"))
        }
        Ruff => ruff_selects(rule, text),
        Golangci => {
            says(format!(r#"(?m)^\s*-\s*["']?{escaped}["']?\s*$"#))
                || rule == "errcheck"
                    && !text.contains("default: none")
                    && !text.contains("disable-all: true")
        }
    }
}

/// Whether `select` or `extend-select` has the code or the beginning of it, and `ignore` has not.
/// Without a `select`, ruff's own: E4, E7, E9 and F.
fn ruff_selects(rule: &str, text: &str) -> bool {
    let lists = |key: &str| -> Vec<String> {
        let list = Regex::new(&format!(r#"(?ms)^\s*{key}\s*=\s*\[(.*?)\]"#));
        let code = Regex::new(r#"["']([A-Z]+\d*)["']"#);
        let (Ok(list), Ok(code)) = (list, code) else { return Vec::new() };
        let inside = list.captures_iter(text).map(|found| found[1].to_owned());
        inside
            .flat_map(|inside| {
                code.captures_iter(&inside).map(|one| one[1].to_owned()).collect::<Vec<_>>()
            })
            .collect()
    };
    // `S` is a kind of its own and no beginning of `SIM`.
    let letters = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let covers = |code: &String| {
        code == "ALL" || letters(code) == letters(rule) && rule.starts_with(code.as_str())
    };
    let mut selected = lists("select");
    if selected.is_empty() {
        selected = ["E4", "E7", "E9", "F"].map(str::to_owned).to_vec();
    }
    selected.extend(lists("extend-select"));
    let ignored = lists("(?:extend-)?ignore");
    selected.iter().any(covers) && !ignored.iter().any(covers)
}
