//! Templates that can use the code of the project and are not in the index.

use super::Reader;
use crate::{IndexError, facts};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The key of the counts in the table `meta`.
pub(crate) const KEY: &str = "templates";

/// Templates whose code can use symbols in some languages.
#[derive(Debug, Deserialize)]
struct Templates {
    languages: Vec<String>,
    /// The ends of the names of the files.
    files: Vec<String>,
    /// The directory that must contain them.
    directory: Option<String>,
}

static TEMPLATES: LazyLock<Vec<Templates>> = LazyLock::new(|| {
    // The tests read the data.
    serde_json::from_str(include_str!("templates.json")).unwrap_or_default()
});

/// The number of templates of each kind among the files of a project, as JSON.
#[must_use]
pub(crate) fn counts<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    let mut all: BTreeMap<String, u32> = BTreeMap::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let found = TEMPLATES.iter().enumerate().find_map(|(at, kind)| {
            let end = kind.files.iter().find(|end| name.ends_with(&***end))?;
            let is_there = |dir: &String| path.split('/').any(|part| part == dir);
            kind.directory.as_ref().is_none_or(is_there).then(|| format!("{at} {end}"))
        });
        if let Some(key) = found {
            *all.entry(key).or_default() += 1;
        }
    }
    serde_json::to_string(&all).unwrap_or_default()
}

impl Reader {
    /// What the index does not contain although it can use the symbols at `paths`, in one clause: templates
    /// that are written for their languages.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unread_templates<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<Option<String>, IndexError> {
        let mut languages: Vec<&str> = paths.filter_map(facts::language_name).collect();
        languages.sort_unstable();
        languages.dedup();
        let sql = "SELECT value FROM meta WHERE key = ?1";
        let stored: Option<String> = self.rows(sql, &[&KEY], |row| row.get(0))?.pop();
        let counts: BTreeMap<String, u32> =
            stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let mut found: BTreeMap<&str, u32> = BTreeMap::new();
        for (key, count) in &counts {
            let Some((at, end)) = key.split_once(' ') else { continue };
            let kind = at.parse::<usize>().ok().and_then(|at| TEMPLATES.get(at));
            let suits = |kind: &Templates| {
                kind.languages.iter().any(|language| languages.contains(&&**language))
            };
            if kind.is_some_and(suits) {
                *found.entry(end).or_default() += count;
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let mut found: Vec<(&str, u32)> = found.into_iter().collect();
        found.sort_by_key(|(end, count)| (std::cmp::Reverse(*count), *end));
        let list: Vec<String> = found.iter().map(|(end, count)| format!("{count} {end}")).collect();
        let is_one = matches!(found.as_slice(), [(_, 1)]);
        let end = if is_one { "file is not in the index" } else { "files are not in the index" };
        Ok(Some(format!("{} {end}; uses in templates are not counted", list.join(", "))))
    }

    /// The same as [`Reader::unread_templates`] for all languages of the index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn all_unread_templates(&self) -> Result<Option<String>, IndexError> {
        let sql = "SELECT min(path) FROM files GROUP BY language";
        let paths: Vec<String> = self.rows(sql, &[], |row| row.get(0))?;
        self.unread_templates(paths.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_counted_by_kind() {
        let paths = [
            "views/a.blade.php",
            "views/b.blade.php",
            "app/views/c.html.erb",
            "x/templates/d.html",
            "public/index.html",
            "src/a.component.html",
            "a.py",
        ];
        assert!(TEMPLATES.len() > 5);
        assert_eq!(
            counts(paths.into_iter()),
            r#"{"0 .blade.php":2,"1 .erb":1,"2 .html":1,"8 .component.html":1}"#
        );
    }
}
