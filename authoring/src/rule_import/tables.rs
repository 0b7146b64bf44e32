//! The files of `tables/`, which describe in YAML how the rules of other tools are converted.

/// The rule kinds of alint.
pub(super) static ALINT: &str = include_str!("../../tables/alint.yml");
/// The fixes of alint.
pub(super) static ALINT_FIXES: &str = include_str!("../../tables/alint-fixes.yml");
/// The rulesets that alint ships.
pub(super) static ALINT_RULESETS: &str = include_str!("../../tables/alint-rulesets.yml");
/// The keys of ast-grep rule files, the languages, and code snippets of each language, from which
/// the example of a rule without tests is selected.
pub(super) static AST_GREP: &str = include_str!("../../tables/ast-grep.yml");
/// The rules of commitlint, and the rules that its shared configurations set.
pub(super) static COMMITLINT: &str = include_str!("../../tables/commitlint.yml");
/// The configuration keys that are not imported, and why.
pub(super) static KEYS: &str = include_str!("../../tables/keys.yml");
/// The letter cases of ls-lint, and the recipes of the rule pages on file names and file counts.
pub(super) static LS_LINT: &str = include_str!("../../tables/ls-lint.yml");
/// The rules of markdownlint.
pub(super) static MARKDOWNLINT: &str = include_str!("../../tables/markdownlint.yml");
/// The configuration files that the tools look for.
pub(super) static NAMES: &str = include_str!("../../tables/names.yml");
