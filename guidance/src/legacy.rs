//! Finds outdated uses in the project's code: uses of APIs and syntax that the version in use has
//! replaced. The key `legacy` of a knowledge entry lists the outdated APIs of a technology.

use super::knowledge::{Entry, UsagePattern};
use aidd_engine::forms::parts::Parts;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::project::stack::Version;
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::source::Source;
use aidd_page::Part;
use serde::Serialize;
use std::cell::LazyCell;

/// Maximum size in bytes of a file that is searched.
const MAX_FILE_SIZE: u64 = 512 << 10;
/// Maximum number of files that are searched.
const MAX_FILES: usize = 3000;
/// Maximum number of occurrences reported per pattern.
const MAX_PLACES: usize = 20;

/// Extensions of files that contain code of an ecosystem.
const EXTENSIONS: &[(&str, &[&str])] = &[
    (
        "npm",
        &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "css",
            "scss", "sass", "html", "json",
        ],
    ),
    ("cargo", &["rs", "toml"]),
    ("pypi", &["py", "pyi", "toml", "cfg"]),
    ("go", &["go", "mod"]),
    ("maven", &["java", "kt", "kts", "gradle", "xml", "properties", "yml", "yaml"]),
    ("nuget", &["cs", "fs", "vb", "csproj", "cshtml", "razor"]),
    ("gem", &["rb", "erb", "rake"]),
    ("composer", &["php", "blade"]),
];

/// An occurrence of a pattern in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// The path of the file.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    /// The pattern as it appears in the code.
    pub pattern: String,
    /// The API or syntax to use instead; empty for the pattern of an import.
    pub instead: String,
    /// The version that replaced the pattern; empty for the pattern of an import.
    pub since: String,
    /// The name of the technology.
    pub technology: String,
}

/// The patterns of an entry that are outdated in `version`; all of its patterns if the version is
/// unknown.
#[must_use]
pub fn outdated_patterns<'e>(
    entry: &'e Entry<'_>,
    version: Option<&Version>,
) -> Vec<&'e UsagePattern> {
    let is_outdated = |legacy: &&UsagePattern| match (version, Version::read(&legacy.since)) {
        (Some(version), Some(since)) => since <= *version,
        _ => true,
    };
    entry.legacy.iter().filter(is_outdated).collect()
}

/// Search patterns for code that uses the packages of an entry: the quoted package name if code
/// imports modules by that name, otherwise the import statement.
#[must_use]
pub fn import_patterns(entry: &Entry<'_>) -> Vec<UsagePattern> {
    let mut texts: Vec<String> = Vec::new();
    for (ecosystem, name) in &entry.packages {
        let module = name.replace('-', "_");
        match *ecosystem {
            "npm" => {
                texts.extend([format!("'{name}'"), format!("\"{name}\""), format!("'{name}/")]);
            }
            "pypi" => texts.extend([format!("import {module}"), format!("from {module}")]),
            "cargo" => texts.extend([format!("use {module}"), format!("{module}::")]),
            "go" | "composer" => texts.push(format!("\"{name}")),
            "maven" => {
                texts.extend(name.split_once(':').map(|(group, _)| format!("import {group}")));
            }
            "nuget" => texts.push(format!("using {name}")),
            "gem" => texts.extend([format!("require '{name}'"), format!("require \"{name}\"")]),
            _ => {}
        }
    }
    let to_pattern = |pattern| UsagePattern { pattern, ..UsagePattern::default() };
    texts.into_iter().map(to_pattern).collect()
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    /// The occurrences, by file and line.
    pub found: Vec<Occurrence>,
    /// The number of searched files.
    pub files: usize,
    /// Notes on skipped files, one sentence each.
    pub notes: Vec<String>,
}

/// A search request: the technology's name, the ecosystems of its code, and the patterns.
#[derive(Clone, Debug)]
pub struct SearchRequest<'w> {
    /// The name of the technology.
    pub name: &'w str,
    /// The ecosystems whose files are searched; empty for any file.
    pub ecosystems: Vec<&'w str>,
    /// The patterns to search for.
    pub patterns: Vec<&'w UsagePattern>,
}

/// Searches the files at `paths` for patterns, except comments and database migrations, which must
/// not change after they have run. A call is not searched for in strings.
#[must_use]
pub fn search<'p>(
    disk: &Disk,
    paths: impl IntoIterator<Item = &'p str>,
    requests: &[SearchRequest<'_>],
) -> SearchResults {
    let mut search = SearchResults::default();
    for path in paths {
        let requests_for_file: Vec<&SearchRequest<'_>> =
            requests.iter().filter(|request| is_code(path, request)).collect();
        if requests_for_file.is_empty() {
            continue;
        }
        if search.files == MAX_FILES {
            search.notes.push(format!("searched {MAX_FILES} files; skipped the rest"));
            break;
        }
        // Reading one more byte than the limit detects a file that is too large.
        let Ok(bytes) = disk.read(path, MAX_FILE_SIZE + 1) else { continue };
        if bytes.len() as u64 > MAX_FILE_SIZE {
            search.notes.push(format!("{path}: larger than {} KiB; skipped", MAX_FILE_SIZE >> 10));
            continue;
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        search.files += 1;
        for request in requests_for_file {
            search_file(path, &text, request, &mut search);
        }
    }
    search.found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    search
}

fn is_code(path: &str, request: &SearchRequest<'_>) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let name = path.rsplit('/').next().unwrap_or(path);
    // Lock files list dependencies of dependencies.
    if name.contains("lock") {
        return false;
    }
    EXTENSIONS.iter().any(|(ecosystem, extensions)| {
        let is_requested = request.ecosystems.is_empty() || request.ecosystems.contains(ecosystem);
        is_requested && extensions.contains(&extension)
    })
}

fn search_file(path: &str, text: &str, request: &SearchRequest<'_>, search: &mut SearchResults) {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_migration = path.split('/').any(|part| matches!(part, "migrations" | "migrate"));
    let is_searched = |usage: &UsagePattern| {
        let has_type = usage.files.is_empty() || usage.files.iter().any(|it| it == extension);
        has_type && (usage.comments || !is_migration)
    };
    // Most files contain none of the patterns and are not parsed.
    let code = LazyCell::new(|| Code::new(path, text));
    for usage in request.patterns.iter().filter(|usage| is_searched(usage)) {
        let occurrence = |line| Occurrence {
            path: path.to_owned(),
            line,
            pattern: usage.pattern.clone(),
            instead: usage.instead.clone(),
            since: usage.since.clone(),
            technology: request.name.to_owned(),
        };
        let count = search.found.iter().filter(|found| found.pattern == usage.pattern).count();
        // A pattern can be the name of a file.
        let is_file = usage.pattern.contains('.') && !usage.pattern.contains(' ');
        if is_file && path.rsplit('/').next() == Some(&usage.pattern) {
            search.found.push(occurrence(1));
            continue;
        }
        let mut offset = 0;
        let mut occurrences = Vec::new();
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let mut starts = find_words(line, &usage.pattern);
            if starts.any(|start| code.is_use(offset, start, line, usage)) {
                occurrences.push(occurrence(at + 1));
            }
            offset += line.len();
        }
        search.found.extend(occurrences.into_iter().take(MAX_PLACES.saturating_sub(count)));
    }
}

/// The parts of a file that are code.
struct Code {
    /// `None` if no parser exists for the language.
    parts: Option<Parts>,
    is_html: bool,
}

impl Code {
    fn new(path: &str, text: &str) -> Self {
        let source = Source::new(path, text);
        let parts = Parts::of(&source, &Tree::new(&source));
        Self { parts, is_html: path.ends_with(".html") }
    }

    /// Whether the match at `start` of the line at `offset` is a use: not in a comment, and for a
    /// call, not in a string.
    fn is_use(&self, offset: usize, start: usize, line: &str, usage: &UsagePattern) -> bool {
        if usage.comments {
            return true;
        }
        let Some(parts) = &self.parts else {
            let before = line[..start].trim_start();
            return !["//", "#", "*", "/*", "<!--"].iter().any(|mark| before.starts_with(mark));
        };
        let part = u32::try_from(offset + start).ok().and_then(|offset| parts.at(offset));
        let is_call = usage.pattern.ends_with('(') && !self.is_html;
        part != Some(Part::Comments) && !(is_call && part == Some(Part::Strings))
    }
}

/// The offsets at which a line contains `pattern`, where `…` is any text with balanced parentheses.
fn find_words<'l>(line: &'l str, pattern: &'l str) -> impl Iterator<Item = usize> {
    let (first, rest) = pattern.split_once('…').unwrap_or((pattern, ""));
    word_offsets(line, first).filter(move |start| {
        let after = &line[start + first.len()..];
        rest.is_empty() || {
            let mut depth = 0_usize;
            let end = after.char_indices().find(|(_, c)| {
                depth += usize::from(*c == '(');
                let closes = *c == ')';
                let is_outer = closes && depth == 0;
                depth -= usize::from(closes && depth > 0);
                is_outer
            });
            end.is_some_and(|(end, _)| after[end..].starts_with(rest))
        }
    })
}

/// The offsets at which a line contains `pattern` as whole words: `poolOptions` does not match
/// `myPoolOptions2`.
fn word_offsets<'l>(line: &'l str, pattern: &'l str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let pattern = pattern.trim();
    let starts_with_word = pattern.chars().next().is_some_and(is_word);
    // A pattern that ends with `_`, such as `REACT_APP_`, is a prefix.
    let ends_with_word = pattern.chars().next_back().is_some_and(|c| is_word(c) && c != '_');
    let matches = line.match_indices(pattern).filter(move |_| !pattern.is_empty());
    matches.map(|(start, _)| start).filter(move |&start| {
        let before = line[..start].chars().next_back();
        let after = line[start + pattern.len()..].chars().next();
        let joins_word = |c: char| is_word(c) || c == '-';
        let begins_earlier = starts_with_word && before.is_some_and(joins_word);
        let ends_later = ends_with_word && after.is_some_and(joins_word);
        !begins_earlier && !ends_later
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains_words(line: &str, pattern: &str) -> bool {
        find_words(line, pattern).next().is_some()
    }

    #[test]
    fn a_gap_in_a_pattern_has_balanced_parentheses() {
        for (line, is_match) in [
            ("$('#menu').bind('click', open)", true),
            ("$(closest(this, '(a)')).bind('click')", true),
            ("const find = document.querySelector.bind(document)", false),
            ("$('#menu').on('click', this.open.bind(this))", false),
            ("$(", false),
        ] {
            assert_eq!(contains_words(line, "$(…).bind("), is_match, "{line}");
        }
    }

    #[test]
    fn comments_strings_migrations_and_other_file_types_are_no_uses() {
        let folder = tempfile::tempdir().expect("a directory");
        let files = [
            ("shop/models.py", "# index_together is old\nclass Meta:\n    index_together = []\n"),
            ("shop/migrations/0001.py", "index_together = []\n"),
            ("web/theme.ts", "import { darken } from 'ui';\nexport const a = darken(red, 2);\n"),
            ("web/theme.scss", "// darken(red)\na { color: darken(red, 2); }\n"),
            ("web/a.ts", "log('call darken( less');\n/* new Buffer(1) */ new Buffer(2);\n"),
            ("web/b.ts", "// tslint:disable\n// new Buffer(3)\n"),
            ("web/c.vue", "<script>\n// new Buffer(4)\nnew Buffer(5)\n</script>\n"),
        ];
        let disk = Disk::new(folder.path());
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            #[expect(clippy::disallowed_methods, reason = "the test creates a project")]
            std::fs::write(path, text).expect("a file");
        }
        let pattern = |text: &str| UsagePattern { pattern: text.into(), ..UsagePattern::default() };
        let styles = vec!["scss".to_owned()];
        let patterns = [
            pattern("index_together"),
            UsagePattern { files: styles, ..pattern("darken(") },
            pattern("new Buffer("),
            UsagePattern { comments: true, ..pattern("tslint:disable") },
        ];
        let patterns = patterns.iter().collect();
        let request = SearchRequest { name: "x", ecosystems: Vec::new(), patterns };
        let found = search(&disk, files.iter().map(|(path, _)| *path), &[request]).found;
        let places: Vec<String> =
            found.iter().map(|it| format!("{}:{} {}", it.path, it.line, it.pattern)).collect();
        let expected = [
            "shop/models.py:3 index_together",
            "web/a.ts:2 new Buffer(",
            "web/b.ts:1 tslint:disable",
            "web/c.vue:3 new Buffer(",
            "web/theme.scss:2 darken(",
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn patterns_match_whole_words() {
        assert!(contains_words("  poolOptions: {", "poolOptions"));
        assert!(!contains_words("myPoolOptions2, poolOptionsX, a-poolOptions", "poolOptions"));
        assert!(contains_words("process.env.REACT_APP_URL", "REACT_APP_"));
        assert!(contains_words("x = new Buffer(3)", "new Buffer("));
        assert!(!contains_words("", "") && !contains_words("a", ""));
    }
}
