//! Files known to contain credentials: their names, their syntax and which values are secret.

use super::values::Trust;
use aidd_lexicon::tables::credentials as table;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `key = value` per line, with or without sections.
    Settings,
    /// A sequence of words in which the name of a secret precedes the secret: netrc and similar
    /// files.
    Words,
    /// JSON, also with comments.
    Json,
    /// YAML, also with several documents.
    Yaml,
    /// XML, elements and attributes.
    Xml,
    /// Source code: literals assigned to names.
    Code,
    /// Shell: assignments and commands.
    Shell,
    /// SQL: dumps, statements, histories.
    Sql,
    /// `host:port:database:user:password`
    Pgpass,
    /// `user:hash`
    Htpasswd,
    /// `user:hash:…`, as in shadow, passwd and smbpasswd.
    Shadow,
    /// URLs with a password, one per line.
    Urls,
    /// `client server secret addresses`
    Chap,
    /// `host user:password`
    Sasl,
    /// User and password, one per line.
    TwoLines,
    /// `… : PSK "secret"`
    Ipsec,
    /// The whole file is a key.
    Key,
    /// The file contains a single secret.
    Whole,
    /// A binary store of secrets.
    Store,
    /// A list of values that the file name marks as secret.
    Values,
}

/// Files with the same syntax and rule.
#[derive(Debug)]
pub(crate) struct Format {
    /// File names (`.netrc`) and path suffixes (`.docker/config.json`), in lower case, with at most
    /// one `*`.
    names: Vec<&'static str>,
    /// The syntax of these files.
    pub(crate) syntax: Syntax,
    /// The rule that reports the plain-text secrets in these files.
    pub(crate) rule: &'static str,
    /// Names of settings that are secret only in these files. The names are in lower case and
    /// contain only letters and digits.
    pub(crate) keys: Vec<&'static str>,
}

impl Syntax {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "settings" => Self::Settings,
            "words" => Self::Words,
            "json" => Self::Json,
            "yaml" => Self::Yaml,
            "xml" => Self::Xml,
            "code" => Self::Code,
            "shell" => Self::Shell,
            "sql" => Self::Sql,
            "pgpass" => Self::Pgpass,
            "htpasswd" => Self::Htpasswd,
            "shadow" => Self::Shadow,
            "urls" => Self::Urls,
            "chap" => Self::Chap,
            "sasl" => Self::Sasl,
            "two-lines" => Self::TwoLines,
            "ipsec" => Self::Ipsec,
            "key" => Self::Key,
            "whole" => Self::Whole,
            "store" => Self::Store,
            "values" => Self::Values,
            _ => return None,
        })
    }
}

/// Source of the table of formats.
const TABLE: &str = include_str!("formats.txt");
/// Number of paths that are looked up by a search in the text of the table; for further paths, the
/// table is parsed. Parsing the table takes as long as this number of searches.
const MAX_SCANNED_PATHS: usize = 64;

/// The formats, parsed from the table.
static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| parse_table(TABLE));
/// Number of paths looked up so far.
static LOOKUPS: AtomicUsize = AtomicUsize::new(0);

/// Parses the table; its first lines describe the syntax.
fn parse_table(table: &'static str) -> Vec<Format> {
    let mut formats: Vec<Format> = Vec::new();
    let items = |list: &'static str| list.split(',').map(str::trim).filter(|item| !item.is_empty());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some((syntax, rule)) =
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')?.split_once(' '))
        {
            formats.extend(Syntax::from_name(syntax).map(|syntax| Format {
                names: Vec::new(),
                syntax,
                rule,
                keys: Vec::new(),
            }));
        } else if let Some(format) = formats.last_mut() {
            match line.strip_prefix("keys:") {
                Some(keys) => format.keys.extend(items(keys)),
                None => format.names.extend(items(line)),
            }
        }
    }
    formats
}

/// The format of the file at `path`, and how far its values are trusted.
pub(crate) fn for_path(path: &str) -> Option<(&'static Format, Trust)> {
    let lower = path.to_ascii_lowercase();
    let (plain, trust) = without_suffix(&lower);
    let name = plain.rsplit('/').next().unwrap_or(plain);
    let searches_text = LOOKUPS.fetch_add(1, Ordering::Relaxed) < MAX_SCANNED_PATHS;
    // A workflow can have the name of a settings file.
    let is_workflow = plain.contains(".github/workflows/");
    // A view of a settings page is not a settings file.
    let is_view = name.ends_with(".blade.php");
    // `vars.yaml` can also be a file with the values of Helm charts.
    let is_helm = name.starts_with("vars.") && plain.contains("helm");
    let is_unknown = is_workflow || is_view || is_helm || (searches_text && !TABLE.contains(name));
    let format_by_name = if is_unknown { None } else { find_by_name(name, plain) };
    let format = format_by_name.or_else(|| {
        if is_view {
            return None;
        }
        let hit = WILDCARD_NAMES.iter().find(|(start, end, _)| {
            let tail = match start.contains('/') {
                true => tail(plain, start.matches('/').count()),
                false => name,
            };
            tail.len() >= start.len() + end.len() && tail.starts_with(start) && tail.ends_with(end)
        });
        hit.and_then(|&(_, _, section)| FORMATS.get(section))
    })?;
    let is_sample = ["example", "sample", "template"].iter().any(|word| name.contains(word));
    // In a library, a file named `credentials.py` contains code that handles credentials.
    let is_library = format.syntax == Syntax::Code
        && ["site-packages/", "dist-packages/", "node_modules/", "vendor/"]
            .iter()
            .any(|directory| plain.contains(directory));
    // Pipelines and compose files for tests contain made-up passwords.
    let is_short_lived = matches!(format.rule, "secrets/ci-secret" | "secrets/script-secret")
        || name.contains("compose")
        || (format.rule == "secrets/config-password" && is_for_tests(plain));
    Some(match (is_sample || is_library, is_short_lived) {
        (true, _) => (format, Trust::Low),
        (_, true) => (format, trust.min(Trust::Medium)),
        _ => (format, trust),
    })
}

/// Finds the format by the patterns without `*`, which match the end of the path.
fn find_by_name(name: &str, path: &str) -> Option<&'static Format> {
    let first = NAMES.partition_point(|(known, ..)| *known < name);
    let candidates = NAMES[first..].iter().take_while(|(known, ..)| *known == name);
    let mut matches = candidates.filter(|(_, pattern, _)| {
        path.strip_suffix(*pattern).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    matches.next().map(|(_, _, format)| *format)
}

/// Whether a directory in the path marks the file as a test or an example.
pub(super) fn is_for_tests(path: &str) -> bool {
    let directories = path.rsplit_once('/').map_or("", |(directories, _)| directories);
    directories.split('/').any(|directory| table::TEST_FOLDERS.contains(directory))
}

/// The last segment of `path`, and the `count` directories before it.
fn tail(path: &str, count: usize) -> &str {
    path.rmatch_indices('/').nth(count).map_or(path, |(at, _)| &path[at + 1..])
}

/// The path without the suffix of a copy or a sample, and how far the values are trusted: the
/// values of a sample are not real.
fn without_suffix(path: &str) -> (&str, Trust) {
    if let Some(rest) = table::SAMPLES.iter().find_map(|end| path.strip_suffix(end)) {
        return (rest, Trust::Low);
    }
    let plain = table::COPIES.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    (plain, Trust::High)
}

/// Tuples of the last segment of a pattern without `*`, the pattern, and its format. They are
/// sorted by the last segment, then by the length of the pattern, longest first.
static NAMES: LazyLock<Vec<(&'static str, &'static str, &'static Format)>> = LazyLock::new(|| {
    let plain = FORMATS.iter().flat_map(|format| {
        let names = format.names.iter().filter(|pattern| !pattern.contains('*'));
        names.map(move |&pattern| (pattern.rsplit('/').next().unwrap_or(pattern), pattern, format))
    });
    let mut names: Vec<_> = plain.collect();
    names.sort_by_key(|(name, pattern, _)| (*name, std::cmp::Reverse(pattern.len())));
    names
});

/// Tuples of the prefix and the suffix of a pattern with `*`, and the index of its format; the most
/// specific pattern comes first. These patterns are parsed separately, because there are twenty
/// times as many patterns without `*`.
static WILDCARD_NAMES: LazyLock<Vec<(&'static str, &'static str, usize)>> = LazyLock::new(|| {
    let (mut patterns, mut section) = (Vec::new(), 0_usize);
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            section += 1;
        } else if line.contains('*') && !line.starts_with("keys:") {
            let names = line.split(',').map(str::trim).filter_map(|name| name.split_once('*'));
            patterns.extend(names.map(|(start, end)| (start, end, section.saturating_sub(1))));
        }
    }
    patterns.sort_by_key(|(start, end, _)| std::cmp::Reverse(start.len() + end.len()));
    patterns
});

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_valid() {
        assert_eq!(FORMATS.len(), TABLE.lines().filter(|line| line.starts_with('[')).count());
        let mut seen = HashSet::new();
        let rules: HashSet<&str> = crate::credentials::rules::CHECKS.iter().map(|c| c.0).collect();
        for format in FORMATS.iter() {
            assert!(rules.contains(format.rule), "unknown rule {}", format.rule);
            for name in &format.names {
                assert!(seen.insert(*name), "duplicate {name}");
                assert_eq!(*name, name.to_ascii_lowercase());
                assert!(name.matches('*').count() <= 1, "{name}");
            }
        }
    }

    #[test]
    fn wildcard_names_match_their_formats() {
        for (start, end, section) in WILDCARD_NAMES.iter() {
            assert!(FORMATS[*section].names.contains(&&*format!("{start}*{end}")), "{start}*{end}");
        }
        let all = FORMATS.iter().flat_map(|format| &format.names);
        assert_eq!(WILDCARD_NAMES.len(), all.filter(|name| name.contains('*')).count());
    }

    #[test]
    fn formats_are_found_by_path() {
        let rule = |path: &str| for_path(path).map(|(format, trust)| (format.rule, trust));
        assert_eq!(rule("home/.npmrc"), Some(("secrets/npmrc-auth-token", Trust::High)));
        assert_eq!(
            rule("a/.docker/config.json"),
            Some(("secrets/docker-config-auth", Trust::High))
        );
        assert_eq!(rule("a/config.json"), Some(("secrets/config-password", Trust::High)));
        assert_eq!(rule(".env.production"), Some(("secrets/env-file-secret", Trust::High)));
        assert_eq!(rule(".env.example"), Some(("secrets/env-file-secret", Trust::Low)));
        assert_eq!(rule("wp-config.php.bak"), Some(("secrets/config-password", Trust::High)));
        assert_eq!(rule("x/group_vars/web.yml"), Some(("secrets/ansible-password", Trust::High)));
        assert_eq!(rule(".github/workflows/main.yml"), Some(("secrets/ci-secret", Trust::Medium)));
        assert_eq!(rule("src/main.rs"), None);
        assert_eq!(rule(""), None);
    }
}
