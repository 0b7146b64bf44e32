//! Symbols of languages without a built-in grammar, found by the keywords that begin a declaration.

use super::{Symbol, SymbolKind};
use crate::commit_message::syntax::Tokens;
use regex::Regex;
use std::sync::LazyLock;

/// The symbols of a text without a built-in grammar.
pub(super) fn symbols_by_keywords(path: &str, text: &str) -> Vec<Symbol> {
    const EXTENSIONS: [&str; 22] = [
        "cc", "cpp", "cs", "cxx", "dart", "ex", "exs", "fs", "groovy", "hpp", "jl", "kt", "kts",
        "lua", "m", "mm", "nim", "scala", "svelte", "swift", "vue", "zig",
    ];
    static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?m)^[ \t]*((?:[a-z]+[ \t]+){0,4})(class|struct|interface|enum|protocol|trait|object|record|defmodule|fun|func|fn|def|defp|function|proc)[ \t]+([A-Za-z_][\w.]*)[^\n]*",
        )
        .expect("a constant pattern")
    });
    let extension = path.rsplit('.').next().unwrap_or_default();
    if !EXTENSIONS.contains(&extension) {
        return Vec::new();
    }
    let is_type =
        |word: &str| !matches!(word, "fun" | "func" | "fn" | "def" | "defp" | "function" | "proc");
    DECLARATION
        .captures_iter(text)
        .map(|found| {
            let line = found[0].trim().to_owned();
            let hidden = ["private", "internal", "fileprivate", "protected", "local", "static"];
            let exported = !found[1].split_whitespace().any(|word| hidden.contains(&word))
                && &found[2] != "defp"
                && !matches!(extension, "vue" | "svelte");
            Symbol {
                name: found[3].to_owned(),
                parent: None,
                kind: if is_type(&found[2]) { SymbolKind::Type } else { SymbolKind::Function },
                exported,
                in_test: false,
                signature: line.clone(),
                parameters: Vec::new(),
                tokens: Tokens { code: line, ..Tokens::default() },
            }
        })
        .collect()
}
