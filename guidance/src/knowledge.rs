//! The knowledge base: entries on technologies, the data in their headers and tables, and search.

mod korean;
mod naming;
mod usage;

pub use usage::Usage;

use super::library::{Library, Page};
use super::page_kind::PageKind;
use aidd_engine::forms::dependencies::end_of_life::EndOfLife;
use aidd_lexicon::tables::scores::knowledge as score;
use aidd_memory::recall::texts::Texts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::OnceLock;

/// Maximum number of suggestions for an unknown name.
const MAX_SUGGESTIONS: usize = 5;

/// Text to search for in code: an outdated API or syntax that a version removed or replaced, or an
/// import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsagePattern {
    /// The version that removed or replaced the API or syntax; empty for an import.
    pub since: String,
    /// The text as it appears in code; `…` is any text with balanced parentheses.
    pub pattern: String,
    /// The API or syntax to use instead.
    pub instead: String,
    /// The extensions of the files in which the pattern is searched; empty for all files with code
    /// of the ecosystem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether comments, strings and database migrations are searched too: the pattern is a name or
    /// a directive for a tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments: bool,
}

/// A migration from one major version to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migration {
    /// The version to migrate from.
    pub from: String,
    /// The version to migrate to.
    pub to: String,
    /// The URL of the migration guide.
    #[serde(default)]
    pub guide: Option<String>,
    /// A command that automates part of the migration.
    #[serde(default)]
    pub codemod: Option<String>,
    /// The breaking changes.
    #[serde(default)]
    pub breaking: Vec<String>,
}

/// A use case of an entry and its fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseCase {
    /// The use case as a short phrase.
    pub case: String,
    /// The fit from 1 to 10.
    pub fit: u8,
    /// The reason for the fit.
    pub why: String,
}

/// An entry of the knowledge base.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The page that the entry was read from.
    pub page: &'a Page,
    /// The technology's name.
    pub name: &'a str,
    /// The category; empty when the header has none.
    pub category: &'a str,
    /// The maturity, such as `stable`, `emerging` or `deprecated`; empty when the header has none.
    pub maturity: &'a str,
    /// The date of the last review, as `YYYY-MM-DD`.
    pub updated: &'a str,
    /// The version that the entry describes.
    pub version: Option<&'a str>,
    /// Alternative names.
    pub aliases: Vec<&'a str>,
    /// The technology's packages as ecosystem and name.
    pub packages: Vec<(&'a str, &'a str)>,
    /// Packages and images as ecosystem and name whose use proves that the project uses the
    /// technology, such as the clients of a database. Their versions are not those of the technology.
    pub clients: Vec<(&'a str, &'a str)>,
    /// Stems of the entries with which the technology works.
    pub works_with: Vec<&'a str>,
    /// Stems of the entries with which the technology conflicts, and the reasons.
    pub conflicts: Vec<(&'a str, &'a str)>,
    /// Outdated APIs and syntax of the technology.
    pub legacy: Vec<UsagePattern>,
    /// Migrations between major versions.
    pub migrations: Vec<Migration>,
    /// The end of support of release series.
    pub end_of_life: Vec<EndOfLife>,
}

impl<'a> Entry<'a> {
    fn from_page(page: &'a Page) -> Self {
        let field = |key| page.string_field(key).unwrap_or_default();
        let list = |key| page.string_list(key).collect::<Vec<_>>();
        let packages =
            |key| page.string_list(key).filter_map(|package| package.split_once(':')).collect();
        let conflicts = page.header.get("conflicts_with").and_then(Value::as_object);
        let conflicts = conflicts.into_iter().flatten();
        Self {
            name: page.string_field("name").unwrap_or(&page.name),
            category: field("category"),
            maturity: field("maturity"),
            updated: field("last_updated"),
            version: page.string_field("version"),
            aliases: list("aliases"),
            packages: packages("packages"),
            clients: packages("clients"),
            works_with: list("works_with"),
            conflicts: conflicts.filter_map(|(key, why)| Some((&**key, why.as_str()?))).collect(),
            legacy: rows(page, "legacy"),
            migrations: rows(page, "migrations"),
            end_of_life: rows(page, "end_of_life"),
            page,
        }
    }

    /// The stem of the entry's file name, by which other entries refer to this entry.
    #[must_use]
    pub fn stem(&self) -> &'a str {
        self.page.name.rsplit('/').next().unwrap_or(&self.page.name)
    }

    /// The rows of the entry's table of use cases.
    #[must_use]
    pub fn use_cases(&self) -> Vec<UseCase> {
        let rows = table(self.page.body(), "Use Cases").into_iter();
        let row = |row: Vec<String>| {
            let fit = row.get(1)?.strip_suffix("/10")?.trim().parse().ok()?;
            let why = row.get(2).cloned().unwrap_or_default();
            Some(UseCase { case: row.first()?.clone(), fit, why })
        };
        rows.filter_map(row).collect()
    }

    /// The rows of the entry's table of alternatives: the name, and when to choose the alternative.
    #[must_use]
    pub fn alternatives(&self) -> Vec<(String, String)> {
        let rows = table(self.page.body(), "Alternatives").into_iter();
        rows.filter_map(|row| Some((row.first()?.clone(), row.get(1)?.clone()))).collect()
    }

    /// The items under the entry's heading "Weaknesses".
    #[must_use]
    pub fn weaknesses(&self) -> Vec<String> {
        let lines = self.page.body().lines().skip_while(|line| !line.starts_with("### Weaknesses"));
        let lines = lines.skip(1).take_while(|line| !line.starts_with('#'));
        let items = lines.filter_map(|line| line.strip_prefix("- "));
        items.map(|item| item.trim_end_matches('.').to_owned()).collect()
    }

    /// The first URL in the entry's references.
    #[must_use]
    pub fn reference(&self) -> Option<&'a str> {
        let (_, references) = self.page.body().split_once("## References")?;
        let rest = &references[references.find("https://")?..];
        Some(&rest[..rest.find([')', '>', ' ', '\n']).unwrap_or(rest.len())])
    }

    /// The rows of the entry's table of metrics: name, value, source.
    #[must_use]
    pub fn metrics(&self) -> Vec<(String, String, String)> {
        let rows = table(self.page.body(), "Key Metrics").into_iter();
        let row = |row: Vec<String>| {
            Some((row.first()?.clone(), row.get(1)?.clone(), row.last()?.clone()))
        };
        rows.filter_map(row).collect()
    }

    /// All names of the technology: name, stem, aliases and packages.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let packages = self.packages.iter().map(|(_, name)| *name).collect::<Vec<_>>();
        [self.name, self.stem()].into_iter().chain(self.aliases.clone()).chain(packages)
    }
}

fn rows<T: for<'de> Deserialize<'de>>(page: &Page, key: &str) -> Vec<T> {
    let rows = page.header.get(key).and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| T::deserialize(row).ok()).collect()
}

/// The rows below the header of the first table in a section.
fn table(body: &str, section: &str) -> Vec<Vec<String>> {
    let lines = body.lines().skip_while(|line| {
        line.strip_prefix("## ").is_none_or(|title| !title.trim().eq_ignore_ascii_case(section))
    });
    let section_lines = lines.skip(1).take_while(|line| !line.starts_with("## "));
    let rows = section_lines.skip_while(|line| !line.trim_start().starts_with('|'));
    let rows = rows.take_while(|line| line.trim_start().starts_with('|')).skip(2);
    rows.map(cells).collect()
}

fn cells(line: &str) -> Vec<String> {
    let content = line.trim().trim_start_matches('|');
    let content = content.strip_suffix('|').unwrap_or(content).replace("\\|", "\u{1}");
    content.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// A name normalised for comparison: letters and digits in lower case.
pub(super) fn normalize_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Search criteria. Fields that are `None` do not filter.
#[derive(Clone, Debug, Default)]
pub struct Query<'q> {
    /// Words to search for.
    pub text: Option<&'q str>,
    /// The category that entries must have.
    pub category: Option<&'q str>,
    /// The maturity that entries must have.
    pub maturity: Option<&'q str>,
    /// The use case by which entries are ranked.
    pub use_case: Option<&'q str>,
}

/// Maximum length in bytes of a name that is looked up.
const MAX_NAME_LEN: usize = 200;

/// A search result: an entry, its score and the matching use case.
#[derive(Debug)]
pub struct SearchResult<'k, 'a> {
    /// The entry that matches the query.
    pub entry: &'k Entry<'a>,
    /// The score from 0 to 1; 0 for a query without text and use case.
    pub score: f32,
    /// The use case nearest to the use case in the query.
    pub use_case: Option<UseCase>,
}

/// The search index of a library's entries, built on first use.
#[derive(Debug, Default)]
pub(super) struct Index {
    texts: OnceLock<Texts>,
    cases: OnceLock<(Texts, Vec<(usize, UseCase)>)>,
}

/// What the score of a promoted entry gains: it is listed before entries that match about as well.
const PROMOTION: f32 = 0.05;

/// All entries of a library.
#[derive(Debug)]
pub struct Knowledge<'a> {
    entries: Vec<Entry<'a>>,
    index: &'a Index,
    /// The entries that recorded sessions promote.
    promoted: Vec<&'a str>,
}

impl<'a> Knowledge<'a> {
    /// Collects the entries of `library`.
    #[must_use]
    pub fn new(library: &'a Library) -> Self {
        let entries = library.pages_of_kind(PageKind::Knowledge).map(Entry::from_page).collect();
        let promoted = library.overlay.knowledge.keys().map(String::as_str).collect();
        Self { entries, index: library.index(), promoted }
    }

    /// Every entry, sorted by path.
    #[must_use]
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    fn texts(&self) -> &Texts {
        self.index.texts.get_or_init(|| {
            Texts::new(self.entries.iter().map(|entry| {
                let mut parts =
                    vec![(score::NAME, entry.name), (score::SUMMARY, &*entry.page.summary)];
                parts.extend(entry.aliases.iter().map(|alias| (score::ALIAS, *alias)));
                parts.extend(entry.page.string_list("tags").map(|tag| (score::TAG, tag)));
                parts.extend([(score::CATEGORY, entry.category), (score::FILE, entry.stem())]);
                parts
            }))
        })
    }

    fn use_case_texts(&self) -> &(Texts, Vec<(usize, UseCase)>) {
        self.index.cases.get_or_init(|| {
            let entries = self.entries.iter().enumerate();
            let cases: Vec<(usize, UseCase)> = entries
                .flat_map(|(index, entry)| {
                    entry.use_cases().into_iter().map(move |case| (index, case))
                })
                .collect();
            let texts = cases.iter().map(|(index, case)| {
                let entry = &self.entries[*index];
                let mut parts = vec![
                    (score::CASE, &*case.case),
                    (score::CASE_WHY, &*case.why),
                    (score::CASE_NAME, entry.name),
                    (score::CASE_SUMMARY, &*entry.page.summary),
                    (score::CASE_CATEGORY, entry.category),
                ];
                parts.extend(entry.page.string_list("tags").map(|tag| (score::CASE_TAG, tag)));
                parts
            });
            (Texts::new(texts), cases)
        })
    }

    /// The matching entries, best first. An exact name match comes first.
    #[must_use]
    pub fn query(&self, query: &Query<'_>) -> Vec<SearchResult<'_, 'a>> {
        let matches = |requested: Option<&str>, actual: &str| {
            requested.is_none_or(|requested| requested.trim().eq_ignore_ascii_case(actual))
        };
        let mut results = match (query.text, query.use_case) {
            (_, Some(case)) => self.search_use_cases(case, query.text),
            (Some(text), None) => self.search_text(text),
            (None, None) => {
                let to_result = |entry| SearchResult { entry, score: 0.0, use_case: None };
                self.entries.iter().map(to_result).collect()
            }
        };
        results.retain(|result| {
            matches(query.category, result.entry.category)
                && matches(query.maturity, result.entry.maturity)
        });
        if !self.promoted.is_empty() {
            let rank = |result: &SearchResult<'_, '_>| {
                let is_promoted = self.promoted.iter().any(|name| {
                    [result.entry.name, result.entry.stem()]
                        .iter()
                        .any(|own| own.eq_ignore_ascii_case(name))
                });
                result.score + if is_promoted { PROMOTION } else { 0.0 }
            };
            results.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        }
        results
    }

    fn search_text(&self, text: &str) -> Vec<SearchResult<'_, 'a>> {
        let normalized = normalize_name(text);
        let to_result = |(index, score): (usize, f32)| {
            let entry = &self.entries[index];
            // A match of the name ranks above a match of an alias or a package.
            let named = [&[entry.name, entry.stem()][..], &entry.aliases[..]];
            let is_named =
                |names: &[&str]| names.iter().any(|name| normalize_name(name) == normalized);
            let is_package =
                entry.packages.iter().any(|(_, name)| normalize_name(name) == normalized);
            let rank = named.iter().position(|names| is_named(names));
            let bonus = match rank {
                Some(0) => score::IS_NAME,
                Some(_) => score::IS_ALIAS,
                None if is_package => score::IS_PACKAGE,
                None => 0.0,
            };
            SearchResult { entry, score: score + bonus, use_case: None }
        };
        let query = korean::with_english_terms(text);
        let mut results: Vec<_> = self.texts().rank(&query).into_iter().map(to_result).collect();
        results.sort_by(|a, b| b.score.total_cmp(&a.score));
        // Semantic similarity alone is no match.
        if results.first().is_some_and(|best| best.score <= score::BY_WORDS) {
            results.clear();
        }
        results.iter_mut().for_each(|result| result.score = result.score.min(1.0));
        results
    }

    /// Ranks entries by their nearest use case, weighted by its fit.
    fn search_use_cases(&self, case: &str, text: Option<&str>) -> Vec<SearchResult<'_, 'a>> {
        let (texts, cases) = self.use_case_texts();
        let mut results: Vec<SearchResult<'_, 'a>> = Vec::new();
        for (row, score) in texts.rank(&korean::with_english_terms(case)) {
            let (index, case) = &cases[row];
            let entry = &self.entries[*index];
            let score = score * f32::from(case.fit) / 10.0;
            match results.iter_mut().find(|result| std::ptr::eq(result.entry, entry)) {
                Some(existing) if existing.score >= score => {}
                Some(existing) => (existing.score, existing.use_case) = (score, Some(case.clone())),
                None => results.push(SearchResult { entry, score, use_case: Some(case.clone()) }),
            }
        }
        if let Some(text) = text {
            let ranked = self.texts().rank(&korean::with_english_terms(text));
            results.retain_mut(|result| {
                let rank = ranked
                    .iter()
                    .find(|(index, _)| std::ptr::eq(&self.entries[*index], result.entry));
                result.score *= rank.map_or(0.0, |(_, score)| *score);
                rank.is_some()
            });
        }
        results.sort_by(|a, b| b.score.total_cmp(&a.score));
        results
    }

    /// Finds an entry by name, file, path, alias or package, ignoring letter case.
    ///
    /// # Errors
    /// Fails when no entry matches; the error contains suggested names, nearest first.
    pub fn find(&self, name: &str) -> Result<&Entry<'a>, Vec<&'a str>> {
        // The cost of a comparison is the product of the lengths, and no name is longer than the
        // limit.
        if name.len() > MAX_NAME_LEN {
            return Err(Vec::new());
        }
        let normalized = normalize_name(name);
        let has_name = |entry: &&Entry<'a>| {
            entry.page.name.eq_ignore_ascii_case(name.trim())
                || [entry.name, entry.stem()]
                    .iter()
                    .any(|other_name| normalize_name(other_name) == normalized)
        };
        let has_alias = |entry: &&Entry<'a>| {
            entry.names().any(|other_name| normalize_name(other_name) == normalized)
        };
        if !normalized.is_empty()
            && let Some(entry) =
                self.entries.iter().find(has_name).or_else(|| self.entries.iter().find(has_alias))
        {
            return Ok(entry);
        }
        let mut similar: Vec<(f64, &'a str)> = self
            .entries
            .iter()
            .filter_map(|entry| {
                let similarities = entry.names().map(|other_name| {
                    strsim::jaro_winkler(&normalize_name(other_name), &normalized)
                });
                let best = similarities.fold(0.0, f64::max);
                (best > 0.85).then_some((best, entry.name))
            })
            .collect();
        similar.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut names: Vec<&str> = similar.into_iter().map(|(_, name)| name).collect();
        // Semantic similarity alone does not make a name match.
        for (index, _) in
            self.texts().rank(name).into_iter().filter(|(_, score)| *score > score::BY_WORDS)
        {
            let name = self.entries[index].name;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(MAX_SUGGESTIONS);
        Err(names)
    }

    /// The entry with the file stem `stem`.
    #[must_use]
    pub fn find_by_stem(&self, stem: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.stem() == stem)
    }
}

#[cfg(test)]
mod tests;
