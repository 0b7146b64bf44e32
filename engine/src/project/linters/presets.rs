//! The rules that presets of other tools enable, and the sources of these lists.

use super::Tool::{self, Biome, Clippy, Eslint, Golangci, Ruff};

/// A preset: a set of rules enabled by one name in the settings.
pub(super) struct Preset {
    pub(super) tool: Tool,
    /// The regular expression that matches the preset's name in settings; for Clippy, the name of
    /// the lint group.
    pub(super) named: &'static str,
    /// The names of the rules in the preset, separated by spaces.
    pub(super) rules: &'static str,
}

/// The presets, taken from these sources. ESLint: `configs/eslint-recommended.js` of `@eslint/js`
/// 10.0.1. typescript-eslint: `configs/flat/` of `@typescript-eslint/eslint-plugin` 8.73.0;
/// `next/typescript` includes typescript-eslint's `recommended`. Clippy: `clippy-driver -W help` of
/// Rust 1.95, limited to the lints that the shipped pages refer to.
pub(super) const PRESETS: [Preset; 10] = [
    Preset {
        tool: Eslint,
        named: r#"eslint:recommended|js\.configs\.recommended|js/recommended|eslint\.configs\.recommended"#,
        rules: "constructor-super for-direction getter-return no-async-promise-executor \
            no-case-declarations no-class-assign no-compare-neg-zero no-cond-assign no-const-assign \
            no-constant-binary-expression no-constant-condition no-control-regex no-debugger \
            no-delete-var no-dupe-args no-dupe-class-members no-dupe-else-if no-dupe-keys \
            no-duplicate-case no-empty no-empty-character-class no-empty-pattern \
            no-empty-static-block no-ex-assign no-extra-boolean-cast no-fallthrough no-func-assign \
            no-global-assign no-import-assign no-invalid-regexp no-irregular-whitespace \
            no-loss-of-precision no-misleading-character-class no-new-native-nonconstructor \
            no-nonoctal-decimal-escape no-obj-calls no-octal no-prototype-builtins no-redeclare \
            no-regex-spaces no-self-assign no-setter-return no-shadow-restricted-names \
            no-sparse-arrays no-this-before-super no-undef no-unexpected-multiline no-unreachable \
            no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining no-unused-labels \
            no-unused-private-class-members no-unused-vars no-useless-backreference no-useless-catch \
            no-useless-escape no-with require-yield use-isnan valid-typeof",
    },
    Preset {
        tool: Eslint,
        named: r"@typescript-eslint/recommended|tseslint\.configs\.recommended|next/typescript",
        rules: "@typescript-eslint/ban-ts-comment @typescript-eslint/no-array-constructor \
            @typescript-eslint/no-duplicate-enum-values @typescript-eslint/no-empty-object-type \
            @typescript-eslint/no-explicit-any @typescript-eslint/no-extra-non-null-assertion \
            @typescript-eslint/no-misused-new @typescript-eslint/no-namespace \
            @typescript-eslint/no-non-null-asserted-optional-chain \
            @typescript-eslint/no-require-imports @typescript-eslint/no-this-alias \
            @typescript-eslint/no-unnecessary-type-constraint \
            @typescript-eslint/no-unsafe-declaration-merging \
            @typescript-eslint/no-unsafe-function-type @typescript-eslint/no-unused-expressions \
            @typescript-eslint/no-unused-vars @typescript-eslint/no-wrapper-object-types \
            @typescript-eslint/prefer-as-const @typescript-eslint/prefer-namespace-keyword \
            @typescript-eslint/triple-slash-reference",
    },
    Preset {
        tool: Eslint,
        named: r"@typescript-eslint/strict|tseslint\.configs\.strict",
        rules: "@typescript-eslint/ban-ts-comment @typescript-eslint/no-array-constructor \
            @typescript-eslint/no-duplicate-enum-values @typescript-eslint/no-dynamic-delete \
            @typescript-eslint/no-empty-object-type @typescript-eslint/no-explicit-any \
            @typescript-eslint/no-extra-non-null-assertion @typescript-eslint/no-extraneous-class \
            @typescript-eslint/no-invalid-void-type @typescript-eslint/no-misused-new \
            @typescript-eslint/no-namespace \
            @typescript-eslint/no-non-null-asserted-nullish-coalescing \
            @typescript-eslint/no-non-null-asserted-optional-chain \
            @typescript-eslint/no-non-null-assertion @typescript-eslint/no-require-imports \
            @typescript-eslint/no-this-alias @typescript-eslint/no-unnecessary-type-constraint \
            @typescript-eslint/no-unsafe-declaration-merging \
            @typescript-eslint/no-unsafe-function-type @typescript-eslint/no-unused-expressions \
            @typescript-eslint/no-unused-vars @typescript-eslint/no-useless-constructor \
            @typescript-eslint/no-wrapper-object-types @typescript-eslint/prefer-as-const \
            @typescript-eslint/prefer-literal-enum-member \
            @typescript-eslint/prefer-namespace-keyword @typescript-eslint/triple-slash-reference \
            @typescript-eslint/unified-signatures",
    },
    Preset {
        tool: Eslint,
        named: r"@typescript-eslint/(?:recommended|strict)-type-checked|tseslint\.configs\.(?:recommended|strict)TypeChecked",
        rules: "@typescript-eslint/await-thenable @typescript-eslint/no-array-delete \
            @typescript-eslint/no-base-to-string @typescript-eslint/no-duplicate-type-constituents \
            @typescript-eslint/no-floating-promises @typescript-eslint/no-for-in-array \
            @typescript-eslint/no-implied-eval @typescript-eslint/no-misused-promises \
            @typescript-eslint/no-redundant-type-constituents \
            @typescript-eslint/no-unnecessary-type-assertion @typescript-eslint/no-unsafe-argument \
            @typescript-eslint/no-unsafe-assignment @typescript-eslint/no-unsafe-call \
            @typescript-eslint/no-unsafe-enum-comparison \
            @typescript-eslint/no-unsafe-member-access @typescript-eslint/no-unsafe-return \
            @typescript-eslint/no-unsafe-unary-minus @typescript-eslint/only-throw-error \
            @typescript-eslint/prefer-promise-reject-errors @typescript-eslint/require-await \
            @typescript-eslint/restrict-plus-operands \
            @typescript-eslint/restrict-template-expressions @typescript-eslint/unbound-method",
    },
    Preset {
        tool: Eslint,
        named: r"@typescript-eslint/strict-type-checked|tseslint\.configs\.strictTypeChecked",
        rules: "@typescript-eslint/no-confusing-void-expression @typescript-eslint/no-deprecated \
            @typescript-eslint/no-unnecessary-boolean-literal-compare \
            @typescript-eslint/no-unnecessary-condition @typescript-eslint/return-await \
            @typescript-eslint/use-unknown-in-catch-callback-variable",
    },
    Preset {
        tool: Eslint,
        named: r"@typescript-eslint/stylistic|tseslint\.configs\.stylistic",
        rules: "@typescript-eslint/adjacent-overload-signatures @typescript-eslint/array-type \
            @typescript-eslint/ban-tslint-comment @typescript-eslint/class-literal-property-style \
            @typescript-eslint/consistent-generic-constructors \
            @typescript-eslint/consistent-indexed-object-style \
            @typescript-eslint/consistent-type-assertions \
            @typescript-eslint/consistent-type-definitions \
            @typescript-eslint/no-confusing-non-null-assertion @typescript-eslint/no-empty-function \
            @typescript-eslint/no-inferrable-types @typescript-eslint/prefer-for-of \
            @typescript-eslint/prefer-function-type",
    },
    Preset {
        tool: Clippy,
        named: "all",
        rules: "too_many_arguments excessive_nesting needless_return",
    },
    Preset {
        tool: Clippy,
        named: "pedantic",
        rules: "too_many_lines wildcard_imports missing_errors_doc missing_panics_doc \
            ignore_without_reason implicit_clone",
    },
    Preset { tool: Clippy, named: "cargo", rules: "wildcard_dependencies" },
    Preset {
        tool: Clippy,
        named: "restriction",
        rules: "unwrap_used expect_used panic todo unimplemented dbg_macro print_stdout print_stderr \
            undocumented_unsafe_blocks allow_attributes_without_reason indexing_slicing exit",
    },
];

/// The rules enabled by default when settings exist. Biome: the recommended rules common to
/// versions 1 and 2 (biomejs.dev/linter). Ruff: docs.astral.sh/ruff/settings, `lint.select`.
/// golangci-lint: "enabled by default" of golangci-lint.run/usage/linters.
pub(super) const DEFAULTS: [(Tool, &str); 3] = [
    (
        Biome,
        "noExplicitAny noDebugger noDoubleEquals noGlobalEval noVar useConst noNonNullAssertion \
         noDangerouslySetInnerHtml useAltText noPositiveTabindex",
    ),
    (Ruff, "E4 E7 E9 F"),
    (Golangci, "errcheck govet ineffassign staticcheck unused"),
];
