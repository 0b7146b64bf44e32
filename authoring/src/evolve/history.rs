//! Tries a drafted rule on the last commits: how many would have had a finding, and whether those that
//! were later reverted had more.

use super::EvolveError;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::git::{Repository, Snapshot};
use aidd_engine::rules::registry::{Registry, project_rule};
use aidd_engine::text::files::Files as _;
use aidd_engine::text::finding::RuleId;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::project::Project;
use aidd_memory::health::reverted_hashes;
use aidd_report::number;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of commits on which a rule is tried.
pub(super) const RECENT_COMMITS: usize = 50;
/// Maximum number of changed files of a commit that are checked.
const MAX_FILES: usize = 100;
/// Maximum size of a file that is checked, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Minimum number of clean commits before a rule is called noisy.
const MIN_CLEAN: usize = 10;
/// Share of the clean commits with a finding from which a rule is noisy.
const NOISY: f64 = 0.10;

/// The findings of a rule in the last commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryTrial {
    /// Number of commits that were later reverted.
    pub reverted: usize,
    /// Those that would have had a finding.
    pub reverted_with_finding: usize,
    /// Number of other commits.
    pub clean: usize,
    /// Those that would have had a finding.
    pub clean_with_finding: usize,
    /// Whether the trial stopped before all commits were checked.
    pub is_cut: bool,
}

impl HistoryTrial {
    /// Whether more than a tenth of the commits that remained would have had a finding.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.clean >= MIN_CLEAN && self.clean_with_finding as f64 > NOISY * self.clean as f64
    }

    /// The result in one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let noisy = if self.is_noisy() { "; noisy: more than a tenth of them" } else { "" };
        let cut = if self.is_cut { "; stopped early" } else { "" };
        format!(
            "last {}: a finding in {} of {} that were reverted later, and in {} of {} \
             others{noisy}{cut}",
            number(self.reverted + self.clean, "commit"),
            self.reverted_with_finding,
            self.reverted,
            self.clean_with_finding,
            self.clean,
        )
    }
}

/// The files of the last commits, newest first; empty without a repository.
pub(super) fn recent_snapshots(project: &Project, limit: usize) -> Vec<Snapshot> {
    let Ok(repository) = Repository::open(project.root()) else { return Vec::new() };
    let Ok(head) = repository.commit("HEAD") else { return Vec::new() };
    let commits = repository.commits_between(&[], &head, limit).unwrap_or_default();
    commits.iter().filter_map(|commit| repository.snapshot(&commit.id).ok()).collect()
}

/// Tries the rule page `text` at `path`; `None` if it has no check, or there is no history.
pub(super) fn try_on_history(
    project: &Project,
    path: &str,
    text: &str,
    time: Duration,
) -> Result<Option<HistoryTrial>, EvolveError> {
    let Some(rule) = project_rule(path, text).filter(|rule| rule.check.is_some()) else {
        return Ok(None);
    };
    let Ok(repository) = Repository::open(project.root()) else { return Ok(None) };
    let Ok(head) = repository.commit("HEAD") else { return Ok(None) };
    let Ok(commits) = repository.commits_between(&[], &head, RECENT_COMMITS) else {
        return Ok(None);
    };
    let pages = [(path.to_owned(), text.to_owned())];
    let registry = Registry::from_pages(project.distribution().pages, &pages);
    let selection = Selection { only: vec![rule.id.to_string()], ..Selection::default() };
    let engine = Engine::new(project.distribution(), registry, &Default::default(), &selection)
        .map_err(|error| EvolveError::Refused(error.to_string()))?;
    let reverted: BTreeSet<String> =
        commits.iter().flat_map(|commit| reverted_hashes(&commit.message)).collect();
    let mut trial = HistoryTrial::default();
    let start = Instant::now();
    for commit in commits.iter().filter(|commit| !commit.is_merge) {
        if start.elapsed() > time {
            trial.is_cut = true;
            break;
        }
        let has_finding =
            introduces(&repository, &commit.id, &engine, &rule.id).unwrap_or_default();
        let is_reverted = reverted.iter().any(|hash| commit.id.starts_with(hash.as_str()));
        let (all, found) = if is_reverted {
            (&mut trial.reverted, &mut trial.reverted_with_finding)
        } else {
            (&mut trial.clean, &mut trial.clean_with_finding)
        };
        *all += 1;
        *found += usize::from(has_finding);
    }
    Ok((trial.clean + trial.reverted > 0).then_some(trial))
}

/// Whether a commit adds a finding of `rule` to one of its files.
fn introduces(
    repository: &Repository,
    commit: &str,
    engine: &Engine,
    rule: &RuleId,
) -> Option<bool> {
    let after = repository.snapshot(commit).ok()?;
    let before = match repository.parents(commit).ok()?.first() {
        Some(parent) => repository.snapshot(parent).ok()?,
        None => repository.empty_snapshot(),
    };
    let count = |snapshot: &Snapshot, path: &str| -> usize {
        let Ok(bytes) = snapshot.read(path, MAX_FILE) else { return 0 };
        let source = Source::decode(path, bytes);
        let findings = engine.check(&source, snapshot).findings;
        findings.iter().filter(|finding| finding.rule == *rule).count()
    };
    let changes = repository.changes(&before, &after).ok()?;
    Some(changes.iter().take(MAX_FILES).any(|change| {
        let now = count(&after, change.path());
        now > 0 && now > count(&before, change.path())
    }))
}
