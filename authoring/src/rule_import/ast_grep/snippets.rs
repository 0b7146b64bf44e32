//! Code of each language that a rule is tried on when it has no test of its own: the first that it
//! matches becomes the example of its page.

use crate::rule_import::texts;
use aidd_engine::parse::values::{Format, Values};

/// Snippets by language.
const SNIPPETS: &str = include_str!("snippets.yml");

/// The snippets of a language, by the name that ast-grep gives it.
pub(super) fn of(language: &str) -> Vec<String> {
    let values = Values::read(Format::Yaml, SNIPPETS);
    let all = values.roots.first().map(|&root| values.json(root));
    all.map(|all| texts(&all[language])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_is_built_in_has_snippets_without_a_fault() {
        use ast_grep_core::tree_sitter::LanguageExt;
        use ast_grep_language::SupportLang;
        for name in [
            "bash",
            "c",
            "css",
            "go",
            "html",
            "java",
            "javascript",
            "json",
            "php",
            "python",
            "ruby",
            "rust",
            "tsx",
            "typescript",
            "yaml",
        ] {
            let all = of(name);
            assert!(!all.is_empty(), "{name}");
            let language: SupportLang = name.parse().expect(name);
            for snippet in &all {
                let tree = language.ast_grep(snippet);
                let odd = tree.root().dfs().any(|node| node.is_error());
                assert!(!odd, "{name}: {snippet}");
            }
        }
    }
}
