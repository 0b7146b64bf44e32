//! The languages that a sentence names, and the linters and formatters of each.

use aidd_engine::project::linters::Tool;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A language: its names in sentences as a pattern, its linters, its formatters and the extensions of
/// its files. A formatter for all languages belongs to each.
struct Language {
    names: &'static str,
    linters: &'static [Tool],
    formatters: &'static [&'static str],
    extensions: &'static [&'static str],
}

const LANGUAGES: [Language; 4] = [
    Language {
        names: r"(?i)\b(?:typescript|javascript|jsx|tsx|react|vue|svelte|next\.js)\b|\.[cm]?[jt]sx?\b",
        linters: &[Tool::Eslint, Tool::Biome, Tool::Oxlint],
        formatters: &["prettier", "biome", "editorconfig"],
        extensions: &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
    },
    Language {
        names: r"(?i)\b(?:rust|clippy)\b|\.rs\b",
        linters: &[Tool::Clippy],
        formatters: &["rustfmt", "editorconfig"],
        extensions: &["rs"],
    },
    Language {
        names: r"(?i)\b(?:python|django|flask|fastapi)\b|\.py\b",
        linters: &[Tool::Ruff],
        formatters: &["black", "ruff format", "editorconfig"],
        extensions: &["py", "pyi"],
    },
    Language {
        // "Go" is also a word; it is a name within a sentence.
        names: r"\b(?:[Gg]olang|(?:in|of|our|all|for) Go\b|Go (?:code|files?|packages?|modules?))|\.go\b",
        linters: &[Tool::Golangci],
        formatters: &["gofmt", "editorconfig"],
        extensions: &["go"],
    },
];

static NAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    LANGUAGES.iter().map(|language| Regex::new(language.names).expect("an expression")).collect()
});

/// The languages that a sentence names; a sentence that names none is about all.
pub(super) struct Languages(Vec<&'static Language>);

impl Languages {
    /// The languages named in a sentence.
    pub(super) fn named_in(sentence: &str) -> Self {
        let named =
            LANGUAGES.iter().zip(NAMES.iter()).filter(|(_, names)| names.is_match(sentence));
        Self(named.map(|(language, _)| language).collect())
    }

    /// Whether the sentence can be about the files that a linter checks.
    pub(super) fn include(&self, tool: Tool) -> bool {
        self.0.is_empty() || self.0.iter().any(|language| language.linters.contains(&tool))
    }

    /// The formatters of the languages; empty if the sentence names none.
    pub(super) fn formatters(&self) -> Vec<&'static str> {
        self.0.iter().flat_map(|language| language.formatters.iter().copied()).collect()
    }
}

/// The linters for the languages of the files `paths`.
pub(super) fn tools(paths: &[String]) -> Vec<Tool> {
    let extensions: BTreeSet<&str> =
        paths.iter().filter_map(|path| path.rsplit_once('.')).map(|(_, end)| end).collect();
    let is_used = |language: &&Language| {
        language.extensions.iter().any(|extension| extensions.contains(extension))
    };
    let used = LANGUAGES.iter().filter(is_used);
    used.flat_map(|language| language.linters.iter().copied()).collect()
}
