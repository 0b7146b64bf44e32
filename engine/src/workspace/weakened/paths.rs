//! Finds the files that are newly excluded, by `include` and `exclude` and by ignore files.

use super::{Kind, Scope, Side, Weakening, list_names, number};
use crate::project::config::{Config, line_of};
use crate::project::ignored::{AIDDIGNORE, IgnoreFiles};
use crate::text::attributes::{self, Attributes};
use crate::text::files::{Files, side_file};
use crate::text::paths::{GlobError, Globs, parent_dir, upwards};
use crate::text::purpose::Purpose;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether the file at `path` is an ignore file that excludes tracked files: the ignore files of
/// other tools only affect untracked files.
#[must_use]
pub fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(AIDDIGNORE)
}

/// The files that `include` and `exclude` exclude.
pub(super) fn globs(
    base: &Side<'_>,
    head: &Side<'_>,
    tracked: &[String],
) -> Result<Vec<Weakening>, GlobError> {
    let (before, after) = (checked_globs(base.config)?, checked_globs(head.config)?);
    let newly_excluded: BTreeSet<&String> =
        tracked.iter().filter(|path| before.matches(path) && !after.matches(path)).collect();
    let known: BTreeSet<&String> = base.config.exclude.iter().flatten().collect();
    let added: Vec<&String> =
        head.config.exclude.iter().flatten().filter(|glob| !known.contains(glob)).collect();
    let (excluded, narrowed): (Vec<&String>, Vec<&String>) =
        newly_excluded.into_iter().partition(|path| after.excludes(path));
    let weakening = |key: &str, message: String, files: &[&String]| Weakening {
        kind: Kind::Paths,
        path: head.config_path.to_owned(),
        line: line_of(head.config_text, &[key]),
        message,
        rules: None,
        files: Scope::Listed(files.iter().map(|path| (*path).clone()).collect()),
    };
    let mut found = Vec::new();
    if !added.is_empty() || !excluded.is_empty() {
        let globs = list_names(added.iter().map(|glob| format!("`{glob}`")));
        let action = if added.is_empty() {
            "changes `exclude`".to_owned()
        } else {
            format!("adds {globs} to `exclude`")
        };
        found.push(weakening(
            "exclude",
            format!("{action}; {}", describe_excluded(&excluded)),
            &excluded,
        ));
    }
    if !narrowed.is_empty() {
        let message = format!("narrows `include`; {}", describe_excluded(&narrowed));
        found.push(weakening("include", message, &narrowed));
    }
    Ok(found)
}

fn checked_globs(config: &Config) -> Result<Globs, GlobError> {
    let none = Vec::new();
    let include = config.include.as_ref().unwrap_or(&none);
    Globs::new(include, config.exclude.as_ref().unwrap_or(&none))
}

fn describe_excluded(files: &[&String]) -> String {
    if files.is_empty() {
        return "currently excludes no tracked files".to_owned();
    }
    let names = list_names(files.iter().map(|path| format!("`{path}`")));
    format!("excludes {}: {names}", number(files.len(), "tracked file"))
}

/// The files that ignore files exclude, one entry for each changed ignore file.
pub(super) fn ignore_files(base: &Side<'_>, head: &Side<'_>, tracked: &[String]) -> Vec<Weakening> {
    let (Some(old), Some(new)) = (base.ignores, head.ignores) else { return Vec::new() };
    let (mut before, mut after) = (IgnoreFiles::new(old), IgnoreFiles::new(new));
    let mut changed = ChangedIgnoreFiles { sides: [old, new], known: HashMap::new() };
    let mut newly_excluded: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for path in tracked {
        if after.excludes(path)
            && !before.excludes(path)
            && let Some(file) = changed.nearest_changed(path)
        {
            newly_excluded.entry(file).or_default().push(path);
        }
    }
    for path in tracked.iter().filter(|path| is_ignore_file(path)) {
        if !changed.added(path).is_empty() {
            newly_excluded.entry(path.clone()).or_default();
        }
    }
    let weakening = |(path, files): (String, Vec<&String>)| {
        let patterns = list_names(changed.added(&path).into_iter().map(|line| format!("`{line}`")));
        let action = if patterns.is_empty() { String::new() } else { format!("adds {patterns}; ") };
        Weakening {
            kind: Kind::IgnoreFile,
            line: None,
            message: format!("{action}{}", describe_excluded(&files)),
            rules: None,
            files: Scope::Listed(files.into_iter().cloned().collect()),
            path,
        }
    };
    newly_excluded.into_iter().map(weakening).collect()
}

/// The files that `.gitattributes` newly declares as vendored, generated or documentation.
pub(super) fn attributes(
    base: &Side<'_>,
    head: &Side<'_>,
    tracked: &[String],
) -> Option<Weakening> {
    let sides = [base.ignores?, head.ignores?];
    let [before, after] = sides.map(Attributes::read);
    let is_lowered = |attributes: &Attributes, path: &str| {
        attributes.purpose(path).is_some_and(|purpose| purpose != Purpose::Product)
    };
    let files: BTreeSet<String> = tracked
        .iter()
        .filter(|path| is_lowered(&after, path) && !is_lowered(&before, path))
        .cloned()
        .collect();
    let names = list_names(files.iter().map(|path| format!("`{path}`")));
    let [old, new] = sides.map(|files| side_file(files, attributes::PATH).unwrap_or_default());
    let known: BTreeSet<&str> = old.lines().collect();
    let is_added = |line: &str| line.contains("linguist-") && !known.contains(line);
    let line = new.lines().position(is_added).and_then(|line| u32::try_from(line + 1).ok());
    (!files.is_empty()).then(|| Weakening {
        kind: Kind::Paths,
        path: attributes::PATH.to_owned(),
        line,
        message: format!(
            "declares {} as vendored, generated or documentation: {names}",
            number(files.len(), "tracked file")
        ),
        rules: None,
        files: Scope::Listed(files),
    })
}

/// The ignore files of both sides.
struct ChangedIgnoreFiles<'a> {
    sides: [&'a dyn Files; 2],
    /// Path → whether the two sides differ.
    known: HashMap<String, bool>,
}

impl ChangedIgnoreFiles<'_> {
    /// The nearest changed ignore file at or above `path`.
    fn nearest_changed(&mut self, path: &str) -> Option<String> {
        for dir in upwards(parent_dir(path)) {
            let file = crate::text::paths::below(dir, AIDDIGNORE);
            let sides = self.sides;
            let differs = *self
                .known
                .entry(file.clone())
                .or_insert_with(|| side_file(sides[0], &file) != side_file(sides[1], &file));
            if differs {
                return Some(file);
            }
        }
        None
    }

    /// The excluding patterns that only the head has.
    fn added(&self, path: &str) -> Vec<String> {
        let [before, after] = self.sides.map(|files| side_file(files, path).unwrap_or_default());
        let known: BTreeSet<&str> = before.lines().map(str::trim_end).collect();
        let is_pattern = |line: &&str| !line.is_empty() && !line.starts_with(['#', '!']);
        let lines = after.trim_start_matches('\u{FEFF}').lines().map(str::trim_end);
        let new = lines.filter(|line| is_pattern(line) && !known.contains(line));
        new.map(str::to_owned).collect()
    }
}
