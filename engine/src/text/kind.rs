//! Detects the kind of a file from its path and, if the path is ambiguous, from the start of its
//! text.

/// A kind of file. Rule families can define kinds in addition to the engine's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub &'static str);

impl Kind {
    /// A Dockerfile or Containerfile.
    pub const DOCKERFILE: Self = Self("dockerfile");
    /// A Mermaid diagram.
    pub const MERMAID: Self = Self("mermaid");
    /// Markdown or MDX; fenced blocks are checked as separate sources.
    pub const MARKDOWN: Self = Self("markdown");
    /// JSON, with or without comments.
    pub const JSON: Self = Self("json");
    /// YAML with one or more documents.
    pub const YAML: Self = Self("yaml");
    /// TOML files, recognised by the extension `toml`.
    pub const TOML: Self = Self("toml");
    /// aidd's own configuration file.
    pub const CONFIG: Self = Self("config");
    /// A rule page of the project.
    pub const RULE_PAGE: Self = Self("rule-page");
    /// A pack page of the project.
    pub const PACK_PAGE: Self = Self("pack-page");
    /// A tracked file of the project's memory, in JSON Lines.
    pub const MEMORY: Self = Self("memory");
    /// An entry of the technology knowledge base.
    pub const KNOWLEDGE_ENTRY: Self = Self("knowledge-entry");
}

/// The directories, relative to the root, that contain entries of the knowledge base.
pub const KNOWLEDGE_DIRS: [&str; 4] =
    [".aidd/knowledge", "ai/knowledge", "content/knowledge", "knowledge"];

/// The categories of knowledge base entries, which are also the names of their directories.
pub const KNOWLEDGE_CATEGORIES: [&str; 9] = [
    "runtime",
    "frontend",
    "backend",
    "data",
    "testing",
    "infrastructure",
    "security",
    "tooling",
    "pattern",
];

/// The directory, relative to the root, of a project's permanent memory.
pub const MEMORY_DIR: &str = "ai/memory";
/// The files in [`MEMORY_DIR`] that aidd writes.
pub const MEMORY_FILES: [&str; 3] = ["decisions.jsonl", "mistakes.jsonl", "conventions.jsonl"];
/// The directory, relative to the root, where projects stored their memory before [`MEMORY_DIR`]
/// was introduced; see [`memory_dir`].
pub const LEGACY_MEMORY_DIR: &str = "memory";

/// The prefixes of the ids of rules on the style of code.
pub const STYLE_PREFIXES: [&str; 2] = ["compliance/", "functional/"];

/// The directory, relative to the root, of branch contexts.
pub const BRANCH_DIR: &str = ".aidd/branches";

/// The path of the project configuration, relative to the root.
pub const CONFIG_PATH: &str = ".aidd/config.json";

/// The directories, relative to the root, that contain a project's own rule pages.
pub const RULE_DIRS: [&str; 3] = ["rules", "ai/rules", ".aidd/rules"];

/// The directory, relative to the root, that contains a project's own packs.
pub const PACK_DIR: &str = ".aidd/packs";

/// The length in bytes of the start of a text that is searched to detect its kind.
const SNIFF_LEN: usize = 4096;

/// The kinds of the file at `path` (relative, `/` between segments) with the content `text`, among
/// the engine's own kinds.
#[must_use]
pub fn kinds(path: &str, text: &str) -> Vec<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let mut kinds = Vec::new();
    if path == CONFIG_PATH || path.ends_with("/.aidd/config.json") {
        kinds.push(Kind::CONFIG);
    }
    if is_page_path(path) {
        kinds.push(Kind::RULE_PAGE);
    }
    if is_pack_path(path) {
        kinds.push(Kind::PACK_PAGE);
    }
    if is_memory_path(path) {
        kinds.push(Kind::MEMORY);
    }
    if is_knowledge_entry(path, text) {
        kinds.push(Kind::KNOWLEDGE_ENTRY);
    }
    if is_dockerfile(&lower) && (is_stem(&lower) || begins_like_dockerfile(text)) {
        kinds.push(Kind::DOCKERFILE);
    }
    match lower.rsplit_once('.').map(|(_, extension)| extension) {
        Some("mmd" | "mermaid") => kinds.push(Kind::MERMAID),
        Some("md" | "mdx" | "markdown" | "mdown" | "mkd") => kinds.push(Kind::MARKDOWN),
        Some("json" | "jsonc" | "json5") => kinds.push(Kind::JSON),
        Some("yaml" | "yml") => kinds.push(Kind::YAML),
        Some("toml") => kinds.push(Kind::TOML),
        Some("arb") => kinds.push(Kind::JSON),
        _ => {}
    }
    kinds
}

/// Whether `path` is a rule page of the project.
#[must_use]
pub fn is_page_path(path: &str) -> bool {
    let is_below =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    // Below the root, a directory named `rules` can belong to another tool.
    let is_nested = || ["/.aidd/rules/", "/ai/rules/"].iter().any(|folder| path.contains(folder));
    path.ends_with(".md") && (RULE_DIRS.into_iter().any(is_below) || is_nested())
}

/// Whether `path` is a pack page of the project.
#[must_use]
pub fn is_pack_path(path: &str) -> bool {
    let below = path.strip_prefix(PACK_DIR).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|name| name.ends_with(".md"))
}

/// The directory of a project's permanent memory, where `exists` returns whether a path exists:
/// `memory` if it contains memory files and `ai/memory` does not, otherwise `ai/memory`. All reads
/// and writes use this directory.
#[must_use]
pub fn memory_dir(exists: impl Fn(&str) -> bool) -> &'static str {
    if !has_memory(MEMORY_DIR, &exists) && has_memory(LEGACY_MEMORY_DIR, &exists) {
        LEGACY_MEMORY_DIR
    } else {
        MEMORY_DIR
    }
}

/// Whether `folder` contains a memory file, in the current or the previous format.
#[must_use]
pub fn has_memory(folder: &str, exists: impl Fn(&str) -> bool) -> bool {
    MEMORY_FILES.iter().any(|name| {
        let path = format!("{folder}/{name}");
        exists(&path) || path.strip_suffix('l').is_some_and(&exists)
    })
}

/// Whether `path` is a tracked memory file, of this project or of a project below it.
#[must_use]
pub fn is_memory_path(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    // Below the root, a directory named `memory` can belong to another tool.
    if folder == LEGACY_MEMORY_DIR {
        return MEMORY_FILES.contains(&name);
    }
    let is_folder = folder
        .strip_suffix(MEMORY_DIR)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'));
    is_folder && MEMORY_FILES.contains(&name)
}

/// The knowledge base directory that contains `path`, and the rest of the path.
#[must_use]
pub fn knowledge_root(path: &str) -> Option<(&'static str, &str)> {
    KNOWLEDGE_DIRS
        .into_iter()
        .find_map(|folder| Some((folder, path.strip_prefix(folder)?.strip_prefix('/')?)))
}

/// Whether the text at `path` is an entry of the knowledge base. In directories whose names other
/// tools also use, the header must have the keys of an entry.
#[must_use]
pub fn is_knowledge_entry(path: &str, text: &str) -> bool {
    let Some((root, rest)) = knowledge_root(path) else { return false };
    let name = rest.rsplit('/').next().unwrap_or(rest);
    if !name.ends_with(".md") || ["readme.md", "index.md"].contains(&&*name.to_ascii_lowercase()) {
        return false;
    }
    if root.starts_with('.') || root.starts_with("ai/") {
        return true;
    }
    let header = head(text).split("\n---").next().unwrap_or_default();
    let has_key = |key: &str| header.lines().any(|line| line.starts_with(key));
    text.trim_start_matches('\u{FEFF}').starts_with("---")
        && (has_key("maturity:") || has_key("category:") && has_key("last_updated:"))
}

/// The start of a text, for detecting its kind.
pub(crate) fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(SNIFF_LEN)]
}

/// The names of Dockerfiles without a prefix or an extension.
const DOCKERFILE_STEMS: [&str; 2] = ["dockerfile", "containerfile"];

fn is_stem(name: &str) -> bool {
    DOCKERFILE_STEMS.contains(&name)
}

/// Whether the first line of a text is an instruction of Dockerfiles or of a template: a program, a
/// patch or a note about Dockerfiles can also have a name such as `Dockerfile.x`. Comments and blank
/// lines do not count, and neither does the end of a text that has only these.
fn begins_like_dockerfile(text: &str) -> bool {
    const INSTRUCTIONS: [&str; 18] = [
        "add",
        "arg",
        "cmd",
        "copy",
        "entrypoint",
        "env",
        "expose",
        "from",
        "healthcheck",
        "label",
        "maintainer",
        "onbuild",
        "run",
        "shell",
        "stopsignal",
        "user",
        "volume",
        "workdir",
    ];
    let mut lines = head(text).trim_start_matches('\u{FEFF}').lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_none_or(|line| {
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let word = line[..end].to_ascii_lowercase();
        INSTRUCTIONS.contains(&&*word)
            || ["{{", "{%", "<%", "${", "@"].iter().any(|mark| line.starts_with(mark))
    })
}

/// Matches `Dockerfile`, `Containerfile`, `Dockerfile.prod` and `api.Dockerfile`, but not
/// `Dockerfile.md` or an ignore file: a page, picture or program about Dockerfiles is not a
/// Dockerfile.
fn is_dockerfile(name: &str) -> bool {
    const OTHER_EXTENSIONS: [&str; 93] = [
        "adoc",
        "astro",
        "avif",
        "c",
        "cjs",
        "clj",
        "cljs",
        "coffee",
        "cpp",
        "cr",
        "cs",
        "css",
        "csv",
        "d",
        "dart",
        "dockerignore",
        "eex",
        "el",
        "elm",
        "erl",
        "ex",
        "exs",
        "fs",
        "gif",
        "go",
        "groovy",
        "gz",
        "h",
        "heex",
        "hpp",
        "hs",
        "html",
        "ico",
        "ini",
        "ipynb",
        "java",
        "jl",
        "jpeg",
        "jpg",
        "js",
        "json",
        "jsx",
        "kt",
        "lock",
        "log",
        "lua",
        "map",
        "markdown",
        "md",
        "mdc",
        "mdown",
        "mdx",
        "mjs",
        "mkd",
        "ml",
        "mustache",
        "nim",
        "nix",
        "pdf",
        "php",
        "pl",
        "pm",
        "png",
        "ps1",
        "py",
        "pyc",
        "r",
        "rb",
        "rs",
        "rst",
        "scala",
        "scss",
        "sh",
        "snap",
        "sql",
        "svelte",
        "svg",
        "swift",
        "toml",
        "ts",
        "tsv",
        "tsx",
        "twig",
        "txt",
        "vb",
        "vim",
        "vue",
        "webp",
        "xml",
        "yaml",
        "yml",
        "zig",
        "zip",
    ];
    DOCKERFILE_STEMS.iter().any(|stem| {
        let prefixed = name.strip_prefix(stem).is_some_and(|rest| {
            rest.is_empty()
                || rest.strip_prefix(['.', '-', '_']).is_some_and(|tail| {
                    let extension = tail.rsplit('.').next().unwrap_or(tail);
                    !extension.is_empty() && !OTHER_EXTENSIONS.contains(&extension)
                })
        });
        prefixed || name.strip_suffix(stem).is_some_and(|rest| rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_detected_by_path() {
        let kinds_of = |path: &str| kinds(path, "");
        for path in
            ["Dockerfile", "a/Containerfile", "Dockerfile.prod", "api.Dockerfile", "dockerfile-dev"]
        {
            assert_eq!(kinds_of(path), [Kind::DOCKERFILE], "{path}");
        }
        for path in [
            "Dockerfile.dockerignore",
            "src/dockerfile.rs",
            "lib/dockerfile.ex",
            "mydockerfile",
            "x.txt",
            "",
        ] {
            assert_eq!(kinds_of(path), [], "{path}");
        }
        for (text, expected) in [
            ("# syntax=docker/dockerfile:1\nARG A=1\nfrom node:22\n", true),
            ("{{ if .Base }}\nFROM node:22\n", true),
            ("VERSION 0.8\nFROM golang:1.22\nbuild:\n  SAVE ARTIFACT app\n", false),
            ("defmodule Dockerfile do\n  \"\"\"\n  FROM node:22\n", false),
            ("--- a/Dockerfile\n+++ b/Dockerfile\n-FROM node:20\n", false),
        ] {
            assert_eq!(kinds("Dockerfile.earth", text) == [Kind::DOCKERFILE], expected, "{text}");
        }
        assert_eq!(kinds("Dockerfile", "FORM node:22\n"), [Kind::DOCKERFILE]);
        for path in ["Dockerfile.md", "docs/dockerfile.mdx", "dockerfile-guide.en.markdown"] {
            assert_eq!(kinds_of(path), [Kind::MARKDOWN], "{path}");
        }
        assert_eq!(kinds_of("a.MMD"), [Kind::MERMAID]);
        assert_eq!(kinds_of("a/b.yml"), [Kind::YAML]);
    }

    #[test]
    fn memory_files_are_detected() {
        for path in
            ["ai/memory/decisions.jsonl", "a/ai/memory/mistakes.jsonl", "memory/decisions.jsonl"]
        {
            assert_eq!(kinds(path, ""), [Kind::MEMORY], "{path}");
        }
        for path in [
            "xai/memory/decisions.jsonl",
            "ai/memory/x.jsonl",
            "decisions.jsonl",
            "memory/x.jsonl",
            "a/memory/decisions.jsonl",
        ] {
            assert_eq!(kinds(path, ""), [], "{path}");
        }
    }

    #[test]
    fn knowledge_entries_are_detected() {
        let is_entry = is_knowledge_entry;
        assert!(is_entry(".aidd/knowledge/data/x.md", "") && is_entry("ai/knowledge/x.md", ""));
        assert!(is_entry("knowledge/x.md", "---\nmaturity: stable\n---\n"));
        assert!(!is_entry("knowledge/x.md", "---\ntitle: x\n---\nmaturity: stable\n"));
        assert!(
            !is_entry("content/knowledge/x.md", "# Notes")
                && !is_entry("docs/knowledge/x.md", "---\n")
        );
        assert!(!is_entry(".aidd/knowledge/README.md", "") && !is_entry("ai/knowledge/x.json", ""));
    }

    #[test]
    fn only_pages_in_rule_directories_are_rule_pages() {
        assert!(is_page_path("rules/a.md") && is_page_path(".aidd/rules/x/y.md"));
        assert!(!is_page_path("docs/rules.md") && !is_page_path("rules.md"));
    }
}
