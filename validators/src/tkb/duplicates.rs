//! Finds entries on the same technology, by name or alias, by package, and by content. An entry is
//! compared with the other entries of the same knowledge base. If files cannot be listed, only the
//! file names that duplicates would have are searched for.

use super::entry::Entry;
use crate::cached::cached_unedited;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT, side_file};
use aidd_engine::text::kind::{self, KNOWLEDGE_CATEGORIES};
use aidd_engine::text::source::Source;
use aidd_page as page;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Maximum number of entries compared; in a larger knowledge base, duplicates are only searched for
/// by file name.
const MAX_ENTRIES: usize = 500;
/// Maximum number of file names searched for.
const MAX_NAMES: usize = 12;
/// Minimum number of lines of each entry for a comparison of contents.
const MIN_LINES: usize = 8;
/// Minimum share of the shorter entry's lines that are also in the other entry: no two shipped
/// entries share a fifth of their lines.
const MIN_SHARED: f64 = 0.6;
/// Minimum length of a line in bytes; shorter lines are part of the template, such as headings.
const MIN_LINE_LEN: usize = 24;

/// Another entry on the same technology.
pub(super) struct Duplicate {
    pub(super) path: String,
    /// The reason, as in "is also an entry on `redis`".
    pub(super) why: String,
}

/// The duplicates of the entry.
pub(super) fn find_duplicates(entry: &Entry, source: &Source, files: &dyn Files) -> Vec<Duplicate> {
    let path = source.path();
    let Some((root, _)) = kind::knowledge_root(path) else { return Vec::new() };
    let identity = Identity::from_entry(entry, source.text());
    let reason = |other: &str, known: &Identity| {
        let why = identity.match_reason(known)?;
        Some(Duplicate { path: other.to_owned(), why })
    };
    let all =
        cached_unedited(files, &format!("entries of {root}"), || listed_identities(root, files));
    if let Some(all) = &*all {
        let others = all.iter().filter(|(other, _)| other != path);
        return others.filter_map(|(other, known)| reason(other, known)).collect();
    }
    let others = entries_by_name(root, path, &identity, files).into_iter();
    others.filter_map(|other| reason(&other, &read(&other, files)?)).collect()
}

/// The entries of a knowledge base and their identities, ordered by path; `None` if files cannot be
/// listed, or if there are too many.
fn listed_identities(root: &str, files: &dyn Files) -> Option<Vec<(String, Identity)>> {
    let mut paths = BTreeSet::new();
    for directory in directories(root) {
        let names = files.names(&directory).into_iter().filter(|name| name.ends_with(".md"));
        let is_index =
            |name: &String| matches!(&*name.to_ascii_lowercase(), "readme.md" | "index.md");
        paths
            .extend(names.filter(|name| !is_index(name)).map(|name| format!("{directory}/{name}")));
    }
    if paths.len() > MAX_ENTRIES || paths.is_empty() {
        return None;
    }
    Some(paths.into_iter().filter_map(|path| read(&path, files).map(|it| (path, it))).collect())
}

/// The directories of a knowledge base that contain entries.
fn directories(root: &str) -> impl Iterator<Item = String> {
    let categories = KNOWLEDGE_CATEGORIES.iter().map(move |name| format!("{root}/{name}"));
    categories.chain([root.to_owned()])
}

/// The identity of the entry in another file; `None` if the file cannot be read.
fn read(path: &str, files: &dyn Files) -> Option<Identity> {
    let text = side_file(files, path).filter(|text| text.len() as u64 <= SIDE_FILE_LIMIT)?;
    let source = Source::new(path, text);
    Some(Identity::from_entry(&Entry::parse(&source), source.text()))
}

/// The sorted paths of other entries with the file names that duplicates would have.
fn entries_by_name(
    root: &str,
    path: &str,
    identity: &Identity,
    files: &dyn Files,
) -> BTreeSet<String> {
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
    let names = identity.slugs.iter().cloned().chain(stem.map(slug)).take(MAX_NAMES);
    names
        .flat_map(|name| directories(root).map(move |directory| format!("{directory}/{name}.md")))
        .filter(|other| other != path && files.exists(other))
        .collect()
}

/// The properties by which an entry is identified.
struct Identity {
    /// The name and aliases of the entry, in the form of file names.
    slugs: BTreeSet<String>,
    /// The same without hyphens.
    plain_slugs: BTreeSet<String>,
    /// The packages of the entry, the main package first.
    packages: Vec<String>,
    /// The sorted hashes of the lines that are long enough to be specific to the entry.
    lines: Vec<u64>,
}

impl Identity {
    fn from_entry(entry: &Entry, text: &str) -> Self {
        let name = entry.field("name").map(|(name, _)| name);
        let names = entry.list("aliases").into_iter().chain(name);
        let packages = entry.list("packages").into_iter().map(str::to_lowercase).collect();
        let body = page::split(text).map_or(text, |(_, body)| text.get(body).unwrap_or_default());
        // Header rows of tables are part of the template and are not compared.
        let all: Vec<&str> = body.lines().map(str::trim).collect();
        let is_table_header =
            |index: usize| all.get(index + 1).is_some_and(|next| next.starts_with("| --"));
        let lines = all.iter().enumerate().filter(|(index, line)| {
            line.len() > MIN_LINE_LEN && !line.starts_with(['#', '<']) && !is_table_header(*index)
        });
        let hash = |line: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one(line);
        let mut lines: Vec<u64> = lines.map(|(_, line)| hash(&line.to_lowercase())).collect();
        lines.sort_unstable();
        lines.dedup();
        let slugs: BTreeSet<String> = names.map(slug).filter(|name| !name.is_empty()).collect();
        let plain_slugs = slugs.iter().map(|name| without_hyphens(name)).collect();
        Self { slugs, plain_slugs, packages, lines }
    }

    /// The reason why the other entry is on the same technology, if it is.
    fn match_reason(&self, other: &Self) -> Option<String> {
        if !self.plain_slugs.is_disjoint(&other.plain_slugs) {
            let is_shared = |name: &&String| other.plain_slugs.contains(&without_hyphens(name));
            let name = self.slugs.iter().find(is_shared)?;
            return Some(format!("is also an entry on `{name}`"));
        }
        // An entry on a companion library often lists the package of the main library as well.
        // Therefore, packages identify two entries as duplicates only if the first package or the
        // majority of the packages is the same.
        let shared = self.packages.iter().filter(|it| other.packages.contains(it)).count();
        let all = self.packages.len() + other.packages.len() - shared;
        let first = self.packages.first().filter(|it| other.packages.first() == Some(it));
        let common_package =
            first.or_else(|| self.packages.iter().find(|it| other.packages.contains(it)));
        if let Some(package) = common_package.filter(|_| first.is_some() || shared * 2 > all) {
            return Some(format!("is also an entry on the package `{package}`"));
        }
        let min_count = self.lines.len().min(other.lines.len());
        let is_common = |line: &&u64| other.lines.binary_search(line).is_ok();
        let common = self.lines.iter().filter(is_common).count();
        let has_same_content =
            min_count >= MIN_LINES && common as f64 >= MIN_SHARED * min_count as f64;
        has_same_content.then(|| format!("has {common} of {min_count} lines in common"))
    }
}

fn without_hyphens(name: &str) -> String {
    name.replace('-', "")
}

/// A name in the form of file names. The characters that distinguish C, C++ and C#, and .NET from
/// net, become words.
fn slug(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let lower = lower.strip_prefix('.').map_or(lower.clone(), |rest| format!("dot{rest}"));
    let spelled = lower.replace("++", "plusplus").replace('#', "sharp").replace('*', "star");
    let hyphenate = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let hyphenated = spelled.chars().map(hyphenate).collect::<String>();
    hyphenated.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    fn entry(name: &str, fields: &str, body: &str) -> String {
        format!(
            "---\nname: {name}\ncategory: data\nmaturity: stable\nlast_updated: 2026-11-22\n{fields}---\n# {name}\n\n{body}"
        )
    }

    /// The duplicates of the first of several entries.
    fn duplicates_of_first(entries: &[(&str, String)]) -> Vec<String> {
        let path = |name: &str| format!(".aidd/knowledge/{name}");
        let all = entries.iter().map(|(name, text)| (path(name), text.clone().into_bytes()));
        let files = Memory(all.collect());
        let source = Source::new(path(entries[0].0), entries[0].1.as_str());
        let duplicates = find_duplicates(&Entry::parse(&source), &source, &files);
        duplicates.into_iter().map(|found| format!("{} {}", found.path, found.why)).collect()
    }

    #[test]
    fn entries_on_one_technology_under_two_names_are_duplicates() {
        let one = |name, fields| ("data/one.md", entry(name, fields, ""));
        let other = |name, fields| ("tooling/other.md", entry(name, fields, ""));
        for (a, b, expected) in [
            (one("Next.js", ""), other("NextJS", ""), "is also an entry on `next-js`"),
            (
                one("Postgres", ""),
                other("PostgreSQL", "aliases: [postgres]\n"),
                "is also an entry on `postgres`",
            ),
            (one("C#", ""), other("C Sharp", ""), "is also an entry on `csharp`"),
            (one(".NET", ""), other("dotnet", ""), "is also an entry on `dotnet`"),
            (
                one("Query", "packages: [npm:@tanstack/react-query]\n"),
                other("React Query", "packages: [npm:@tanstack/react-query, npm:x]\n"),
                "is also an entry on the package `npm:@tanstack/react-query`",
            ),
            (
                one("A", "packages: [npm:a, npm:b, npm:c]\n"),
                other("B", "packages: [npm:b, npm:a, npm:c]\n"),
                "is also an entry on the package `npm:a`",
            ),
        ] {
            let duplicates = duplicates_of_first(&[a, b]);
            assert_eq!(duplicates, [format!(".aidd/knowledge/tooling/other.md {expected}")]);
        }
    }

    #[test]
    fn related_technologies_are_not_duplicates() {
        let names = [
            ("React", "packages: [npm:react, npm:react-dom]\n"),
            ("React Native", "packages: [npm:react-native, npm:react]\n"),
            ("Preact", "packages: [npm:preact]\naliases: [preactjs]\n"),
            ("Vue", "packages: [npm:vue]\n"),
            ("Vuex", "packages: [npm:vuex, npm:vue]\n"),
            ("Java", ""),
            ("JavaScript", ""),
            ("C", ""),
            ("C++", ""),
            ("C#", ""),
            ("F#", ""),
            ("Go", ""),
            ("Gold", ""),
            (".NET", ""),
            ("Net", ""),
        ];
        let entries: Vec<(String, String)> = names
            .iter()
            .enumerate()
            .map(|(index, (name, fields))| (format!("data/e{index}.md"), entry(name, fields, "")))
            .collect();
        for (at, (name, _)) in names.iter().enumerate() {
            let mut all: Vec<(&str, String)> =
                entries.iter().map(|(path, text)| (&**path, text.clone())).collect();
            all.swap(0, at);
            assert_eq!(duplicates_of_first(&all), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn entries_with_the_same_text_are_duplicates() {
        let sentences = |from: usize, to: usize| -> String {
            let line = |at| format!("Sentence number {at} has its own content.\n");
            (from..to).map(line).collect()
        };
        let one = ("data/one.md", entry("One", "", &sentences(0, 10)));
        let copy = ("data/two.md", entry("Two", "", &sentences(0, 9)));
        assert_eq!(
            duplicates_of_first(&[one.clone(), copy]),
            [".aidd/knowledge/data/two.md has 9 of 9 lines in common"]
        );
        let half = ("data/two.md", entry("Two", "", &sentences(5, 15)));
        assert_eq!(duplicates_of_first(&[one, half]), Vec::<String>::new());
    }

    #[test]
    fn duplicates_are_found_by_name_if_directories_cannot_be_listed() {
        struct UnlistableFiles(Memory);
        impl Files for UnlistableFiles {
            fn read(&self, path: &str, limit: u64) -> std::io::Result<Vec<u8>> {
                self.0.read(path, limit)
            }
            fn exists(&self, path: &str) -> bool {
                self.0.exists(path)
            }
        }
        let text = entry("Redis", "", "");
        let duplicate = ".aidd/knowledge/infrastructure/redis.md";
        let files =
            UnlistableFiles(Memory([(duplicate.to_owned(), text.clone().into_bytes())].into()));
        let source = Source::new(".aidd/knowledge/data/cache.md", text.as_str());
        let duplicates = find_duplicates(&Entry::parse(&source), &source, &files);
        assert_eq!(duplicates.iter().map(|it| &*it.path).collect::<Vec<_>>(), [duplicate]);
    }
}
