//! What becomes of the rules of other tools: the tables that `aidd rule import` reads, as YAML.

/// The kinds of alint.
pub static ALINT: &str = include_str!("../import/alint.yml");
/// The fixes of alint.
pub static ALINT_FIXES: &str = include_str!("../import/alint-fixes.yml");
/// The rulesets that come with alint.
pub static ALINT_RULESETS: &str = include_str!("../import/alint-rulesets.yml");
/// The keys of ast-grep, its languages, and code of each that rules without tests are tried on.
pub static AST_GREP: &str = include_str!("../import/ast-grep.yml");
/// The rules of commitlint, and what its shared configurations set.
pub static COMMITLINT: &str = include_str!("../import/commitlint.yml");
/// The cases of ls-lint, and the pages on names and counts.
pub static LS_LINT: &str = include_str!("../import/ls-lint.yml");
/// The rules of markdownlint.
pub static MARKDOWNLINT: &str = include_str!("../import/markdownlint.yml");
/// The files that the tools look for.
pub static NAMES: &str = include_str!("../import/names.yml");
