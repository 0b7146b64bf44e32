//! Searches files for the names of packages, for uses that are not imports: configurations,
//! scripts, templates, and code that a macro or a template language hides from the parser.

use super::{Manifests, is_foreign};
use crate::forms::project_form::Scope;
use crate::text::files::side_file;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeSet;

/// How a name must be written to count as a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As a separate word.
    Plain,
    /// In data and code, as a string or as a part of a path; elsewhere as a word. For names that are
    /// also ordinary words, such as `next`.
    Quoted,
    /// As a word in scripts and configurations, not in code: for names of commands.
    Command,
}

/// A word that counts as a use of a dependency.
pub(super) struct Word {
    pub(super) text: String,
    pub(super) style: Style,
    /// The index of the dependency.
    pub(super) owner: usize,
}

/// Maximum size of a file that is searched; larger files are generated.
const MAX_BYTES: usize = 1 << 20;

/// Files that name dependencies without using them.
const LOCK_FILES: [&str; 16] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "go.work.sum",
    "renovate.json",
    "dependabot.yml",
    "deny.toml",
];

/// Extensions of documents and of files that are not text.
const SKIPPED: [&str; 24] = [
    "md", "rst", "adoc", "svg", "png", "jpg", "jpeg", "gif", "webp", "ico", "woff", "woff2", "ttf",
    "otf", "eot", "pdf", "zip", "gz", "wasm", "snap", "map", "mp4", "lock", "po",
];

/// Extensions of code and data, in which a word of the style `Quoted` counts only in quotes or in a
/// path.
const QUOTING: [&str; 24] = [
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro", "html", "mdx",
    "css", "scss", "sass", "less", "styl", "json", "jsonc", "json5", "hbs", "ejs", "pug",
];

/// The indexes of the dependencies that are in use: at least one word of the dependency in `words`
/// occurs in a file that concerns the dependency. Only the files for which `is_searched` returns `true` are read.
pub(super) fn mentioned(
    scope: &Scope<'_>,
    manifests: &Manifests,
    words: &[Word],
    is_searched: &dyn Fn(&str) -> bool,
    concerns: &dyn Fn(usize, &str) -> bool,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let build = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(words.iter().map(|word| &word.text));
    let Ok(automaton) = build else { return (0..words.len()).collect() };
    for path in scope.listing.files() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_skipped =
            LOCK_FILES.contains(&name) || SKIPPED.contains(&extension) || is_third_party(path);
        if is_skipped || !is_searched(path) {
            continue;
        }
        let Some(text) = side_file(scope.files, path).filter(|text| text.len() <= MAX_BYTES) else {
            continue;
        };
        let manifest = manifests.all.binary_search_by(|manifest| manifest.path.as_str().cmp(path));
        let manifest = manifest.ok().and_then(|at| manifests.all.get(at));
        let mut entries: Vec<_> = manifest
            .map_or(&[][..], |manifest| &manifest.dependencies)
            .iter()
            .map(|declared| declared.entry.range())
            .collect();
        entries.sort_by_key(|entry| entry.start);
        let is_in_entry = |at: usize| {
            let after = entries.partition_point(|entry| entry.start <= at);
            after.checked_sub(1).is_some_and(|last| entries[last].contains(&at))
        };
        let is_code = QUOTING.contains(&extension) && manifest.is_none();
        for hit in automaton.find_overlapping_iter(text.as_str()) {
            let word = &words[hit.pattern().as_usize()];
            let quoted = is_code && word.style == Style::Quoted;
            let is_known = found.contains(&word.owner);
            if is_known || is_code && word.style == Style::Command {
                continue;
            }
            let is_use = is_separate(text.as_bytes(), hit.start(), hit.end(), quoted)
                && !is_in_entry(hit.start())
                && concerns(word.owner, path);
            if is_use {
                found.insert(word.owner);
            }
        }
    }
    found
}

/// Whether a file is in a directory with installed code of third parties.
fn is_third_party(path: &str) -> bool {
    is_foreign(path) && path.split('/').any(|part| part == "node_modules" || part == "vendor")
}

/// Whether the text from `start` to `end` is a separate word; if `quoted`, a separate word in
/// quotes or in a path.
fn is_separate(text: &[u8], start: usize, end: usize, quoted: bool) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or(b' ');
    let after = text.get(end).copied().unwrap_or(b' ');
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80;
    if is_part(before) || is_part(after) {
        return false;
    }
    let opens = matches!(before, b'"' | b'\'' | b'`' | b'/' | b'!' | b'~' | b':');
    let closes = matches!(after, b'"' | b'\'' | b'`' | b'/' | b'!' | b'?');
    !quoted || opens && closes
}
