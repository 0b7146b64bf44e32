//! Compares the same change under two configurations: findings of the stricter one count.

use super::Compared;
use crate::check::secrets;
use crate::text::finding::{Finding, Status};
use crate::workspace::walk::FileReport;
use std::collections::{BTreeSet, HashMap};

/// Why a finding counts that is not new here, given the finding, its path and its status here.
pub type Reason<'a> = &'a dyn Fn(&Finding, &str, Option<Status>) -> Option<String>;

impl Compared {
    /// Adds the findings that `stricter`, the same change under other settings, reports as new and
    /// this result does not: findings that are missing here, have a lower severity, or count as
    /// known. A finding that a comment allows stays allowed. Both results must have had their
    /// baseline applied and their moves matched.
    ///
    /// `wanted` selects the paths that count. `reason` is called with each such finding, its path,
    /// and its status here (`None` if it is missing here); if it returns no reason, the finding is
    /// ignored. Returns the ids of all findings that are new under both configurations, or were
    /// added.
    pub fn add_stricter(
        &mut self,
        stricter: Self,
        wanted: &dyn Fn(&str) -> bool,
        reason: Reason<'_>,
    ) -> BTreeSet<String> {
        let mut places: HashMap<String, (usize, usize)> = HashMap::new();
        for (file, report) in self.outcome.files.iter().enumerate() {
            for (at, finding) in report.checked.findings.iter().enumerate() {
                places.insert(finding.id.clone(), (file, at));
            }
        }
        let mut ids = BTreeSet::new();
        let mut missing = Vec::new();
        for FileReport { source, mut checked } in stricter.outcome.files {
            let path = source.path();
            if !wanted(path) {
                continue;
            }
            checked.findings.retain(|finding| finding.status == Status::New);
            checked.findings.retain_mut(|finding| {
                let Some(&(file, at)) = places.get(&finding.id) else {
                    finding.reason = reason(finding, path, None);
                    if finding.reason.is_some() {
                        ids.insert(finding.id.clone());
                    }
                    return finding.reason.is_some();
                };
                let own = &mut self.outcome.files[file].checked.findings[at];
                if own.status == Status::Allowed {
                    return false;
                }
                if own.status != Status::New || own.severity < finding.severity {
                    let Some(why) = reason(finding, path, Some(own.status)) else { return false };
                    own.reason = Some(why);
                    own.severity = own.severity.max(finding.severity);
                    own.status = Status::New;
                }
                ids.insert(finding.id.clone());
                false
            });
            if !checked.findings.is_empty() {
                missing.push(FileReport { source, checked });
            }
        }
        missing.into_iter().for_each(|file| self.add_file(file));
        self.outcome.join();
        for (path, hunks) in stricter.hunks {
            self.hunks.entry(path).or_insert(hunks);
        }
        for path in stricter.outcome.met.into_iter().filter(|path| wanted(path)) {
            if self.outcome.met.insert(path) {
                self.outcome.checked += 1;
                self.changed += 1;
            }
        }
        ids
    }

    /// Adds the findings of a file to the existing ones of the same text.
    fn add_file(&mut self, mut more: FileReport) {
        let same = |file: &&mut FileReport| {
            let (one, other) = (&file.source, &more.source);
            (one.path(), one.origin(), one.text()) == (other.path(), other.origin(), other.text())
        };
        let Some(file) = self.outcome.files.iter_mut().find(same) else {
            self.outcome.files.push(more);
            return;
        };
        let checked = &mut file.checked;
        checked.findings.append(&mut more.checked.findings);
        checked
            .findings
            .sort_by(|a, b| (a.span, &a.rule, &a.message).cmp(&(b.span, &b.rule, &b.message)));
        let spans = checked.secrets.iter().chain(&more.checked.secrets).copied().collect();
        checked.secrets = secrets::merge(spans);
    }
}
