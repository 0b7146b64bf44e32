//! Which files are known to hold credentials, how they are written, and what of them is secret.

use super::values::Trust;
use aidd_lexicon::tables::credentials as table;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `key = value` by line, in sections or not.
    Settings,
    /// Words in a row, a secret follows its name: netrc and its kin.
    Words,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// XML.
    Xml,
    /// Source code: assignments of literals.
    Code,
    /// Shell: assignments and commands.
    Shell,
    /// SQL: dumps, statements, histories of them.
    Sql,
    /// `host:port:database:user:password`
    Pgpass,
    /// `user:hash`
    Htpasswd,
    /// `user:hash:…`, as in shadow, passwd and smbpasswd.
    Shadow,
    /// URLs with a password, one a line.
    Urls,
    /// `client server secret addresses`
    Chap,
    /// `host user:password`
    Sasl,
    /// User, then password, a line each.
    TwoLines,
    /// `… : PSK "secret"`
    Ipsec,
    /// A key, all of it.
    Key,
    /// One secret is all there is.
    Whole,
    /// A store of secrets whose content is not text.
    Store,
    /// A list of values that the file's name calls secret.
    Values,
}

/// A family of files.
#[derive(Debug)]
pub(crate) struct Format {
    /// Names (`.netrc`), ends of paths (`.docker/config.json`), either with one `*`; lower case.
    names: Vec<&'static str>,
    /// How these files are written.
    pub(crate) form: Form,
    /// The rule that their plain secrets belong to.
    pub(crate) rule: &'static str,
    /// Names that are secret in these files only, lower case, letters and digits.
    pub(crate) keys: Vec<&'static str>,
}

impl Form {
    fn named(name: &str) -> Option<Self> {
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

/// The table of the families.
const TABLE: &str = include_str!("formats.txt");
/// Paths up to which each name is looked for in the text of the table: reading all of it takes as
/// long as that.
const FEW: usize = 64;

/// The families, read from the table beside this file.
static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| read(TABLE));
/// Paths so far.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Reads the table; its first lines say how it is written.
fn read(table: &'static str) -> Vec<Format> {
    let mut formats: Vec<Format> = Vec::new();
    let items = |list: &'static str| list.split(',').map(str::trim).filter(|item| !item.is_empty());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some((form, rule)) =
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')?.split_once(' '))
        {
            formats.extend(Form::named(form).map(|form| Format {
                names: Vec::new(),
                form,
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

/// The format of the file at `path`, and how far to trust what it holds.
pub(crate) fn of(path: &str) -> Option<(&'static Format, Trust)> {
    let lower = path.to_ascii_lowercase();
    let (plain, trust) = without_suffix(&lower);
    let name = plain.rsplit('/').next().unwrap_or(plain);
    let is_early = ASKED.fetch_add(1, Ordering::Relaxed) < FEW;
    let named = if is_early && !TABLE.contains(name) { None } else { by_name(name, plain) };
    let found = named.or_else(|| {
        let hit = STARS.iter().find(|(start, end, _)| {
            let tail = tail(plain, start.matches('/').count());
            tail.len() >= start.len() + end.len() && tail.starts_with(start) && tail.ends_with(end)
        });
        hit.and_then(|&(_, _, section)| FORMATS.get(section))
    })?;
    let is_sample = ["example", "sample", "template"].iter().any(|word| name.contains(word));
    // In a library a file called `credentials.py` is about credentials.
    let is_library = found.form == Form::Code
        && ["site-packages/", "dist-packages/", "node_modules/", "vendor/"]
            .iter()
            .any(|folder| plain.contains(folder));
    // What a pipeline or a compose file starts for its own tests has made-up passwords.
    let is_short_lived = matches!(found.rule, "secrets/ci-secret" | "secrets/script-secret")
        || name.contains("compose")
        || (found.rule == "secrets/config-password" && is_for_tests(plain));
    Some(match (is_sample || is_library, is_short_lived) {
        (true, _) => (found, Trust::Low),
        (_, true) => (found, trust.min(Trust::Medium)),
        _ => (found, trust),
    })
}

/// The format whose pattern without a `*` the path ends with.
fn by_name(name: &str, path: &str) -> Option<&'static Format> {
    let first = NAMES.partition_point(|(known, ..)| *known < name);
    let of_name = NAMES[first..].iter().take_while(|(known, ..)| *known == name);
    let mut ends = of_name.filter(|(_, pattern, _)| {
        path.strip_suffix(*pattern).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    ends.next().map(|(_, _, format)| *format)
}

/// Whether a folder on the way says that the file is made for tests or for show.
pub(super) fn is_for_tests(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| table::TEST_FOLDERS.contains(folder))
}

/// The last segment of `path`, with `folders` folders before it.
fn tail(path: &str, folders: usize) -> &str {
    path.rmatch_indices('/').nth(folders).map_or(path, |(at, _)| &path[at + 1..])
}

/// The path without what marks a copy; a sample's values are not the real ones.
fn without_suffix(path: &str) -> (&str, Trust) {
    if let Some(rest) = table::SAMPLES.iter().find_map(|end| path.strip_suffix(end)) {
        return (rest, Trust::Low);
    }
    let plain = table::COPIES.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    (plain, Trust::High)
}

/// The formats by the last segment of their patterns, ordered by it, then longest pattern first.
static NAMES: LazyLock<Vec<(&'static str, &'static str, &'static Format)>> = LazyLock::new(|| {
    let plain = FORMATS.iter().flat_map(|format| {
        let names = format.names.iter().filter(|pattern| !pattern.contains('*'));
        names.map(move |&pattern| (pattern.rsplit('/').next().unwrap_or(pattern), pattern, format))
    });
    let mut names: Vec<_> = plain.collect();
    names.sort_by_key(|(name, pattern, _)| (*name, std::cmp::Reverse(pattern.len())));
    names
});

/// What a name starts and ends with, and the number of its format; the more telling first. Read
/// apart from all other names, which are twenty times as many.
static STARS: LazyLock<Vec<(&'static str, &'static str, usize)>> = LazyLock::new(|| {
    let (mut stars, mut section) = (Vec::new(), 0_usize);
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            section += 1;
        } else if line.contains('*') && !line.starts_with("keys:") {
            let names = line.split(',').map(str::trim).filter_map(|name| name.split_once('*'));
            stars.extend(names.map(|(start, end)| (start, end, section.saturating_sub(1))));
        }
    }
    stars.sort_by_key(|(start, end, _)| std::cmp::Reverse(start.len() + end.len()));
    stars
});

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_understood() {
        assert_eq!(FORMATS.len(), TABLE.lines().filter(|line| line.starts_with('[')).count());
        let mut seen = HashSet::new();
        let rules: HashSet<&str> = crate::credentials::rules::CHECKS.iter().map(|c| c.0).collect();
        for format in FORMATS.iter() {
            assert!(rules.contains(format.rule), "{} is no rule", format.rule);
            for name in &format.names {
                assert!(seen.insert(*name), "{name} stands twice");
                assert_eq!(*name, name.to_ascii_lowercase());
                assert!(name.matches('*').count() <= 1, "{name}");
            }
        }
    }

    #[test]
    fn names_with_a_star_are_those_of_their_formats() {
        for (start, end, section) in STARS.iter() {
            assert!(FORMATS[*section].names.contains(&&*format!("{start}*{end}")), "{start}*{end}");
        }
        let all = FORMATS.iter().flat_map(|format| &format.names);
        assert_eq!(STARS.len(), all.filter(|name| name.contains('*')).count());
    }

    #[test]
    fn paths_have_formats() {
        let rule = |path: &str| of(path).map(|(format, trust)| (format.rule, trust));
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
        assert_eq!(rule("src/main.rs"), None);
        assert_eq!(rule(""), None);
    }
}
