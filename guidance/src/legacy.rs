//! Finds old forms of technologies in the project's code: the patterns under `legacy` of knowledge
//! entries that the version in use has replaced.

use super::knowledge::{Entry, OldFormRule};
use aidd_engine::project::stack::Version;
use aidd_engine::text::files::{Disk, Files};
use serde::Serialize;

/// Maximum size in bytes of a file that is searched.
const MAX_FILE_SIZE: u64 = 512 << 10;
/// Maximum number of files that are searched.
const MAX_FILES: usize = 3000;
/// Maximum number of places reported per old form.
const MAX_PLACES: usize = 20;

/// Extensions of files that contain code of an ecosystem.
const EXTENSIONS: &[(&str, &[&str])] = &[
    (
        "npm",
        &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "css",
            "scss", "html", "json",
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

/// An occurrence of an old form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OldForm {
    /// The path of the file.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    /// The code text that was found.
    pub pattern: String,
    /// The replacement.
    pub instead: String,
    /// The version that replaced it.
    pub since: String,
    /// The name of the technology.
    pub technology: String,
}

/// The old forms of an entry that `version` has replaced; all of them if the version is unknown.
#[must_use]
pub fn replaced_forms<'e>(entry: &'e Entry<'_>, version: Option<&Version>) -> Vec<&'e OldFormRule> {
    let is_past = |legacy: &&OldFormRule| match (version, Version::read(&legacy.since)) {
        (Some(version), Some(since)) => since <= *version,
        _ => true,
    };
    entry.legacy.iter().filter(is_past).collect()
}

/// The code that uses the packages of an entry, as search patterns: the quoted name where modules
/// are imported by it, otherwise the import statement.
#[must_use]
pub fn import_forms(entry: &Entry<'_>) -> Vec<OldFormRule> {
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
    let form = |pattern| OldFormRule { since: String::new(), pattern, instead: String::new() };
    texts.into_iter().map(form).collect()
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    /// The occurrences, by file and line.
    pub found: Vec<OldForm>,
    /// How many files were searched.
    pub files: usize,
    /// What was skipped, one sentence each.
    pub notes: Vec<String>,
}

/// A search request: the technology's name, the ecosystems of its code, and the old forms.
#[derive(Clone, Debug)]
pub struct SearchRequest<'w> {
    /// The name of the technology.
    pub name: &'w str,
    /// The ecosystems whose files are searched; empty for any file.
    pub ecosystems: Vec<&'w str>,
    /// The old forms to search for.
    pub forms: Vec<&'w OldFormRule>,
}

/// Searches the files at `paths` for old forms. It is a text search: comments and strings match
/// too.
#[must_use]
pub fn search<'p>(
    disk: &Disk,
    paths: impl IntoIterator<Item = &'p str>,
    wanted: &[SearchRequest<'_>],
) -> SearchResults {
    let mut search = SearchResults::default();
    for path in paths {
        let of_file: Vec<&SearchRequest<'_>> =
            wanted.iter().filter(|it| is_code(path, it)).collect();
        if of_file.is_empty() {
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
        for wanted in of_file {
            forms_in(path, &text, wanted, &mut search);
        }
    }
    search.found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    search
}

fn is_code(path: &str, wanted: &SearchRequest<'_>) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let name = path.rsplit('/').next().unwrap_or(path);
    // Lock files list dependencies of dependencies.
    if name.contains("lock") {
        return false;
    }
    EXTENSIONS.iter().any(|(ecosystem, endings)| {
        let is_asked = wanted.ecosystems.is_empty() || wanted.ecosystems.contains(ecosystem);
        is_asked && endings.contains(&ending)
    })
}

fn forms_in(path: &str, text: &str, wanted: &SearchRequest<'_>, search: &mut SearchResults) {
    for legacy in &wanted.forms {
        let say = |line| OldForm {
            path: path.to_owned(),
            line,
            pattern: legacy.pattern.clone(),
            instead: legacy.instead.clone(),
            since: legacy.since.clone(),
            technology: wanted.name.to_owned(),
        };
        let known = search.found.iter().filter(|it| it.pattern == legacy.pattern).count();
        // An old form can be the name of a file.
        let is_file = legacy.pattern.contains('.') && !legacy.pattern.contains(' ');
        if is_file && path.rsplit('/').next() == Some(&legacy.pattern) {
            search.found.push(say(1));
            continue;
        }
        let lines =
            text.lines().enumerate().filter(|(_, line)| contains_words(line, &legacy.pattern));
        let places = lines.map(|(line, _)| say(line + 1)).take(MAX_PLACES.saturating_sub(known));
        search.found.extend(places);
    }
}

/// Whether a line contains `pattern` as whole words: `poolOptions` does not match `myPoolOptions2`.
fn contains_words(line: &str, pattern: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let pattern = pattern.trim();
    let starts = pattern.chars().next().is_some_and(is_word);
    // `REACT_APP_` is a prefix.
    let ends = pattern.chars().next_back().is_some_and(|c| is_word(c) && c != '_');
    !pattern.is_empty()
        && line.match_indices(pattern).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + pattern.len()..].chars().next();
            let is_glued = |c: char| is_word(c) || c == '-';
            let begins_earlier = starts && before.is_some_and(is_glued);
            let ends_later = ends && after.is_some_and(is_glued);
            !begins_earlier && !ends_later
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_forms_match_whole_words() {
        assert!(contains_words("  poolOptions: {", "poolOptions"));
        assert!(!contains_words("myPoolOptions2, poolOptionsX, a-poolOptions", "poolOptions"));
        assert!(contains_words("process.env.REACT_APP_URL", "REACT_APP_"));
        assert!(contains_words("x = new Buffer(3)", "new Buffer("));
        assert!(!contains_words("", "") && !contains_words("a", ""));
    }
}
