//! Compares the same change under two configurations, and reports the findings of the stricter one.

use super::CompareResult;
use crate::check::secrets;
use crate::text::finding::{Finding, Status};
use crate::workspace::walk::FileReport;
use std::collections::{BTreeSet, HashMap};

/// Returns the reason why a finding counts although it is not new in the compared result, given the
/// finding, its path and its status in that result.
pub type Reason<'a> = &'a dyn Fn(&Finding, &str, Option<Status>) -> Option<String>;

impl CompareResult {
    /// Adds the findings that `stricter`, the same change under other settings, reports as new but
    /// this result does not. In this result such a finding is missing, has a lower severity, or
    /// counts as known. A finding that a comment allows stays allowed. Both results must have had
    /// their baseline applied and their moves matched.
    ///
    /// `is_wanted` selects the paths that count. `reason` is called with each such finding, its
    /// path, and its status in this result (`None` if it is missing); if `reason` returns `None`,
    /// the finding is ignored. Returns the ids of all findings that are new under both
    /// configurations, or were added.
    pub fn add_stricter(
        &mut self,
        stricter: Self,
        is_wanted: &dyn Fn(&str) -> bool,
        reason: Reason<'_>,
    ) -> BTreeSet<String> {
        let mut positions: HashMap<String, (usize, usize)> = HashMap::new();
        for (file, report) in self.outcome.files.iter().enumerate() {
            for (at, finding) in report.checked.findings.iter().enumerate() {
                positions.insert(finding.id.clone(), (file, at));
            }
        }
        let mut ids = BTreeSet::new();
        let mut missing = Vec::new();
        for FileReport { source, mut checked } in stricter.outcome.files {
            let path = source.path();
            if !is_wanted(path) {
                continue;
            }
            checked.findings.retain(|finding| finding.status == Status::New);
            checked.findings.retain_mut(|finding| {
                let Some(&(file, at)) = positions.get(&finding.id) else {
                    finding.reason = reason(finding, path, None);
                    if finding.reason.is_some() {
                        ids.insert(finding.id.clone());
                    }
                    return finding.reason.is_some();
                };
                let existing = &mut self.outcome.files[file].checked.findings[at];
                if existing.status == Status::Allowed {
                    return false;
                }
                if existing.status != Status::New || existing.severity < finding.severity {
                    let Some(why) = reason(finding, path, Some(existing.status)) else {
                        return false;
                    };
                    existing.reason = Some(why);
                    existing.severity = existing.severity.max(finding.severity);
                    existing.status = Status::New;
                }
                ids.insert(finding.id.clone());
                false
            });
            if !checked.findings.is_empty() {
                missing.push(FileReport { source, checked });
            }
        }
        missing.into_iter().for_each(|file| self.add_file(file));
        self.outcome.merge_project_findings();
        for (path, hunks) in stricter.hunks {
            self.hunks.entry(path).or_insert(hunks);
        }
        for path in stricter.outcome.visited.into_iter().filter(|path| is_wanted(path)) {
            if self.outcome.visited.insert(path) {
                self.outcome.checked += 1;
                self.changed += 1;
            }
        }
        ids
    }

    /// Adds the findings of a file to the existing findings of the same text.
    fn add_file(&mut self, mut additional: FileReport) {
        let has_same_text = |file: &&mut FileReport| {
            let (one, other) = (&file.source, &additional.source);
            (one.path(), one.origin(), one.text()) == (other.path(), other.origin(), other.text())
        };
        let Some(file) = self.outcome.files.iter_mut().find(has_same_text) else {
            self.outcome.files.push(additional);
            return;
        };
        let checked = &mut file.checked;
        checked.findings.append(&mut additional.checked.findings);
        checked
            .findings
            .sort_by(|a, b| (a.span, &a.rule, &a.message).cmp(&(b.span, &b.rule, &b.message)));
        let spans = checked.secrets.iter().chain(&additional.checked.secrets).copied().collect();
        checked.secrets = secrets::merge(spans);
    }
}
