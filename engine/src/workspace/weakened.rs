//! Detects settings that a change weakens: rules, files and findings that the settings of the head
//! exclude but the settings of the base do not. The resolved settings are compared, never their
//! text.

mod paths;
mod rules;

use crate::check::Engine;
use crate::project::config::Config;
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::paths::{GlobError, Globs};
use crate::workspace::baseline::Baseline;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use paths::is_ignore_file;

/// Maximum number of names that a message lists before it counts the rest.
const MAX_NAMES: usize = 3;

/// The kind of setting that is weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A rule is disabled, has a lower severity, or has other parameters.
    Rule,
    /// A pack is no longer enabled.
    Pack,
    /// A rule page or a memory with a check is deleted, less severe, or checks something else.
    Page,
    /// `include` or `exclude` exclude more files, or `.gitattributes` lowers the severity in more
    /// files.
    Paths,
    /// `maxFileSize` is smaller.
    FileSize,
    /// The baseline has more entries.
    Baseline,
    /// An ignore file excludes more files.
    IgnoreFile,
}

/// One setting in which the head is weaker than the base.
#[derive(Clone, Debug)]
pub struct Weakening {
    /// The kind of setting.
    pub kind: Kind,
    /// The file that contains the setting: in the head, or in the base if the head does not have
    /// it.
    pub path: String,
    /// The one-based line in the file, if known.
    pub line: Option<u32>,
    /// The change as a predicate: ``disables `team/colour` (severity in the base: error)``.
    pub message: String,
    /// The affected rules; `None` if all rules are affected.
    rules: Option<BTreeSet<RuleId>>,
    /// The affected files.
    files: Scope,
}

/// The files that a weakening affects.
#[derive(Clone, Debug)]
enum Scope {
    All,
    Matching(Globs),
    Listed(BTreeSet<String>),
}

impl Weakening {
    /// Whether the weakening can be the reason that the head does not report a finding of `rule` at
    /// `path`.
    #[must_use]
    pub fn covers(&self, rule: &str, path: &str) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.contains(rule))
            && match &self.files {
                Scope::All => true,
                // A finding can be on a directory, and a pattern for everything below applies to
                // it.
                Scope::Matching(globs) => globs.matches(path) || globs.matches(&format!("{path}/")),
                Scope::Listed(files) => {
                    let below = format!("{path}/");
                    let mut files_below = files.range(below.clone()..);
                    files.contains(path)
                        || files_below.next().is_some_and(|file| file.starts_with(&below))
                }
            }
    }

    /// The position: `path:line`, or the path alone.
    #[must_use]
    pub fn position(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }
}

/// The settings of one side of a change.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The rules with the configuration of this side.
    pub engine: &'a Engine,
    /// The parsed configuration.
    pub config: &'a Config,
    /// The path of the configuration file from the root.
    pub config_path: &'a str,
    /// The text of the configuration file; empty if there is none.
    pub config_text: &'a str,
    /// The path of the baseline from the root, and its entries.
    pub baseline: Option<(&'a str, &'a Baseline)>,
    /// The store from which ignore files and `.gitattributes` are read; `None` if these files of
    /// both sides are equal.
    pub ignores: Option<&'a dyn Files>,
}

impl std::fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The settings that `head` weakens compared with `base`. `tracked` are the paths of the tracked
/// files of the head.
///
/// # Errors
/// A malformed glob in a configuration.
pub fn compare(
    base: &Side<'_>,
    head: &Side<'_>,
    tracked: &[String],
) -> Result<Vec<Weakening>, GlobError> {
    let mut found = rules::compare(base, head, tracked);
    found.extend(paths::globs(base, head, tracked)?);
    found.extend(paths::ignore_files(base, head, tracked));
    found.extend(paths::attributes(base, head, tracked));
    found.extend(baseline(base, head));
    found.extend(file_size(base, head));
    Ok(found)
}

/// The entries of the head's baseline that the base does not have.
fn baseline(base: &Side<'_>, head: &Side<'_>) -> Option<Weakening> {
    let (path, entries) = head.baseline?;
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut items: HashMap<String, BTreeSet<String>> = HashMap::new();
    for entry in base.baseline.iter().flat_map(|(_, baseline)| baseline.entries()) {
        *known.entry(entry.id.clone()).or_default() += entry.count;
        items.entry(entry.id).or_default().extend(entry.items);
    }
    let mut added: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries.entries() {
        let has_new_items = items.get(&entry.id).is_some_and(|items| !entry.items.is_subset(items));
        let known = known.entry(entry.id).or_default();
        let added_count = entry.count.saturating_sub(*known).max(u32::from(has_new_items));
        *known = known.saturating_sub(entry.count);
        if added_count > 0 {
            *added.entry(entry.rule).or_default() += added_count as usize;
        }
    }
    let total: usize = added.values().sum();
    if total == 0 {
        return None;
    }
    let by_rule = added.iter().map(|(rule, count)| format!("{count} of `{rule}`"));
    Some(Weakening {
        kind: Kind::Baseline,
        path: path.to_owned(),
        line: None,
        message: format!("adds {}: {}", number(total, "known finding"), list_names(by_rule)),
        rules: Some(added.keys().map(|rule| rule.as_str().into()).collect()),
        files: Scope::All,
    })
}

fn file_size(base: &Side<'_>, head: &Side<'_>) -> Option<Weakening> {
    let (from, to) = (base.engine.max_file_size(), head.engine.max_file_size());
    (to < from).then(|| Weakening {
        kind: Kind::FileSize,
        path: head.config_path.to_owned(),
        line: crate::project::config::line_of(head.config_text, &["maxFileSize"]),
        message: format!("lowers `maxFileSize` from {from} to {to}"),
        rules: None,
        files: Scope::All,
    })
}

/// The first names, and the number of further names.
fn list_names(names: impl IntoIterator<Item = String>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(MAX_NAMES).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn number(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests;
