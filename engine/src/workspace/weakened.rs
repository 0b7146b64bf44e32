//! What a change of settings weakens: which rules, files and findings the settings of the head leave
//! out that those of the base do not. Settings are compared as they are resolved, never as text.

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

/// Names that a message lists before it counts the rest.
const MAX_NAMES: usize = 3;

/// What is weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A rule is off, less severe, or has other parameters.
    Rule,
    /// A pack of rules is not named any more.
    Pack,
    /// A rule page or a memory with a check is gone, milder, or checks something else.
    Page,
    /// `include` or `exclude` leave out more.
    Paths,
    /// `maxFileSize` is smaller.
    FileSize,
    /// The baseline has more entries.
    Baseline,
    /// An ignore file leaves out more.
    IgnoreFile,
}

/// One way in which the head is weaker than the base.
#[derive(Clone, Debug)]
pub struct Weakening {
    /// What is weakened.
    pub kind: Kind,
    /// The file that does it: of the head, or of the base when the head does not have it.
    pub path: String,
    /// The line in that file, from 1, when there is one.
    pub line: Option<u32>,
    /// What the file does, as a predicate: ``turns `team/colour` off, an error in the base``.
    pub message: String,
    /// The rules concerned; `None`: all.
    rules: Option<BTreeSet<RuleId>>,
    /// The files concerned.
    files: Scope,
}

/// The files that a weakening concerns.
#[derive(Clone, Debug)]
enum Scope {
    All,
    Matching(Globs),
    These(BTreeSet<String>),
}

impl Weakening {
    /// Whether it may be why the head does not report a finding of `rule` at `path`.
    #[must_use]
    pub fn covers(&self, rule: &str, path: &str) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.contains(rule))
            && match &self.files {
                Scope::All => true,
                // A finding may be on a folder, and what holds for all below holds for it.
                Scope::Matching(globs) => globs.matches(path) || globs.matches(&format!("{path}/")),
                Scope::These(files) => {
                    let below = format!("{path}/");
                    let mut inside = files.range(below.clone()..);
                    files.contains(path)
                        || inside.next().is_some_and(|file| file.starts_with(&below))
                }
            }
    }

    /// Where it is: `path:line`, or the path alone.
    #[must_use]
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }
}

/// The settings of one side of a change.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The rules under its configuration.
    pub engine: &'a Engine,
    /// Its configuration.
    pub config: &'a Config,
    /// Where that lies, from the root.
    pub config_path: &'a str,
    /// The text of the configuration file; empty when there is none.
    pub config_text: &'a str,
    /// Where its baseline lies, from the root, and what that records.
    pub baseline: Option<(&'a str, &'a Baseline)>,
    /// The files that its ignore files are among; `None`: they do not differ.
    pub ignores: Option<&'a dyn Files>,
}

impl std::fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What the settings of `head` weaken against those of `base`. `tracked` are the paths of the files
/// of the head.
///
/// # Errors
/// When a glob of a configuration is malformed.
pub fn compare(
    base: &Side<'_>,
    head: &Side<'_>,
    tracked: &[String],
) -> Result<Vec<Weakening>, GlobError> {
    let mut found = rules::compare(base, head, tracked);
    found.extend(paths::globs(base, head, tracked)?);
    found.extend(paths::ignore_files(base, head, tracked));
    found.extend(baseline(base, head));
    found.extend(file_size(base, head));
    Ok(found)
}

/// The entries that the baseline of the head has and that of the base has not.
fn baseline(base: &Side<'_>, head: &Side<'_>) -> Option<Weakening> {
    let (path, entries) = head.baseline?;
    let mut known: HashMap<String, u32> = HashMap::new();
    for entry in base.baseline.iter().flat_map(|(_, baseline)| baseline.entries()) {
        *known.entry(entry.id).or_default() += entry.count;
    }
    let mut added: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries.entries() {
        let known = known.entry(entry.id).or_default();
        let more = entry.count.saturating_sub(*known);
        *known = known.saturating_sub(entry.count);
        if more > 0 {
            *added.entry(entry.rule).or_default() += more as usize;
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
        message: format!("adds {}: {}", number(total, "known finding"), listed(by_rule)),
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

/// The first of some names, and how many more there are.
fn listed(names: impl IntoIterator<Item = String>) -> String {
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
