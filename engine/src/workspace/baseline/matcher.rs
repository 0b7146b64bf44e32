//! Matches the findings of a run with the entries of a baseline.

use super::{Baseline, Entry};
use crate::check::ids_at;
use crate::text::finding::{Finding, Status};
use crate::text::source::Source;
use crate::workspace::walk::FileReport;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The hash of the lines around a finding, as stored in the file. A secret is not recognized by its
/// neighbours: a secret in the place of another one is a new secret.
pub(super) fn around(finding: &Finding) -> Option<String> {
    let is_recognized = finding.secret.is_none() && finding.items.is_none();
    finding.around.filter(|_| is_recognized).map(|hash| format!("{hash:016x}"))
}

/// Maximum number of ids that are computed to find moved files.
const MAX_MOVED: usize = 200_000;

/// The entries that are not matched yet.
pub(super) struct Matcher {
    /// All entries, sorted by path, with the counts that are not consumed yet.
    entries: Vec<Entry>,
    by_id: HashMap<String, Vec<usize>>,
}

impl Matcher {
    pub(super) fn new(baseline: &Baseline) -> Self {
        let entries: Vec<Entry> = baseline.entries().collect();
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            by_id.entry(entry.id.clone()).or_default().push(index);
        }
        Self { entries, by_id }
    }

    /// The entry with this id that is not consumed, below `path` if it is set.
    fn take(&mut self, id: &str, path: Option<&str>) -> Option<&Entry> {
        let index = self.by_id.get(id)?.iter().copied().find(|&index| {
            let entry = &self.entries[index];
            entry.count > 0 && path.is_none_or(|path| entry.path == path)
        })?;
        let entry = &mut self.entries[index];
        entry.count -= 1;
        Some(entry)
    }

    /// The entries with a count that is not consumed.
    pub(super) fn unmatched(mut self) -> Vec<Entry> {
        self.entries.retain(|entry| entry.count > 0);
        self.entries
    }

    /// The indexes of the entries of a path.
    fn below(&self, path: &str) -> Range<usize> {
        let start = self.entries.partition_point(|entry| *entry.path < *path);
        let end = self.entries.partition_point(|entry| *entry.path <= *path);
        start..end
    }

    /// Matches findings by their ids.
    pub(super) fn match_ids(&mut self, findings: &mut [Finding]) {
        for finding in findings {
            if let Some(entry) = self.take(&finding.id, None) {
                accept(finding, entry, "recorded in the baseline".to_owned());
            }
        }
    }

    /// Matches findings with edited lines, if the rule and the lines around are unambiguous.
    pub(super) fn match_edited(&mut self, path: &str, findings: &mut [Finding]) {
        // Rule and hash → the entries and the findings.
        let mut groups: HashMap<(String, String), (Vec<usize>, Vec<usize>)> = HashMap::new();
        for index in self.below(path) {
            let entry = &self.entries[index];
            if let Some(around) = entry.around.as_ref().filter(|_| entry.count > 0) {
                let key = (entry.rule.clone(), around.clone());
                groups.entry(key).or_default().0.push(index);
            }
        }
        if groups.is_empty() {
            return;
        }
        for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_open(finding)) {
            let Some(around) = around(finding) else { continue };
            if let Some(group) = groups.get_mut(&(finding.rule.to_string(), around)) {
                group.1.push(at);
            }
        }
        for (entries, at) in groups.into_values() {
            if let ([index], [at]) = (&entries[..], &at[..]) {
                let entry = &mut self.entries[*index];
                entry.count -= 1;
                let reason = "recorded in the baseline; its line was edited since".to_owned();
                accept(&mut findings[*at], entry, reason);
            }
        }
    }

    /// Matches the findings of files without entries with the entries of files that are missing.
    pub(super) fn match_moved(
        &mut self,
        files: &mut [FileReport],
        is_missing: &dyn Fn(&str) -> bool,
    ) {
        let open = self.entries.iter().filter(|entry| entry.count > 0);
        let paths: BTreeSet<String> = open.map(|entry| entry.path.clone()).collect();
        let missing: Vec<String> = paths.into_iter().filter(|path| is_missing(path)).collect();
        if missing.is_empty() {
            return;
        }
        let mut computed = 0;
        for FileReport { source, checked } in files {
            let findings = &mut checked.findings;
            if !self.below(source.path()).is_empty() {
                continue;
            }
            for from in &missing {
                if !may_have_moved(source, findings, from) {
                    continue;
                }
                computed += findings.len();
                if computed > MAX_MOVED {
                    return;
                }
                self.match_moved_file(source, findings, from);
            }
        }
    }

    /// Matches the findings of a file with the entries of the missing file `from`.
    pub(super) fn match_moved_file(
        &mut self,
        source: &Source,
        findings: &mut [Finding],
        from: &str,
    ) {
        let ids = ids_at(source, findings, from);
        for (finding, id) in findings.iter_mut().zip(ids) {
            if !is_open(finding) {
                continue;
            }
            if let Some(entry) = self.take(&id, Some(from)) {
                accept(finding, entry, format!("recorded in the baseline for `{from}`"));
            }
        }
    }
}

/// Whether the file with these findings can have been at the path `from`.
pub(super) fn may_have_moved(source: &Source, findings: &[Finding], from: &str) -> bool {
    !source.text().is_empty()
        && extension(from) == extension(source.path())
        && findings.iter().any(is_open)
}

fn extension(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.rsplit_once('.').map(|(_, extension)| extension)
}

/// Whether a finding is not allowed or baselined.
fn is_open(finding: &Finding) -> bool {
    matches!(finding.status, Status::New | Status::Moved | Status::PreExisting)
}

/// Marks a finding as known, except for the items that the entry does not contain.
fn accept(finding: &mut Finding, entry: &Entry, reason: String) {
    if !is_open(finding) {
        return;
    }
    if let Some(items) = finding.items.as_mut().filter(|_| !entry.items.is_empty()) {
        let is_new = |name: &String| !entry.items.contains(name);
        if items.names.iter().any(is_new) {
            items.names.retain(is_new);
            finding.message = items.message();
            return;
        }
    }
    finding.status = Status::Baselined;
    finding.reason = Some(reason);
}
