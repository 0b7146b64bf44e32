//! `.aidd/baseline.json`: existing findings that a team has accepted for now, by finding id and
//! count.

use crate::text::finding::{Finding, Status};
use crate::text::source::Source;
use crate::workspace::walk::FileReport;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

mod matcher;

use matcher::{Matcher, around, may_have_moved};

/// The default path of the baseline, relative to the root.
pub const PATH: &str = ".aidd/baseline.json";

const VERSION: u32 = 1;

/// The known findings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The entries by path, rule and id, sorted so that the file is readable and merges well.
    entries: BTreeMap<(String, String, String), Known>,
}

/// What is known of the findings with one id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    count: u32,
    around: Option<String>,
    items: BTreeSet<String>,
}

/// One known finding, as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The path of the file with the finding, relative to the root.
    pub path: String,
    /// The id of the rule.
    pub rule: String,
    /// The finding id.
    pub id: String,
    /// The number of findings with this id.
    pub count: u32,
    /// A hash of the lines around the finding, by which it is recognized if its own line is edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
    /// The names of the things that the finding counts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub items: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Document {
    schema_version: u32,
    findings: Vec<Entry>,
}

/// Why a baseline cannot be used. In this case the run is aborted: treating a malformed baseline as
/// empty would report known findings, and treating it as complete would hide new findings.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// Not valid JSON, or not a baseline.
    #[error("{line}:{column}: {why}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The reason.
        why: &'static str,
    },
    /// Written by a newer version of aidd.
    #[error("schema version {0} is newer than the supported version {VERSION}")]
    Newer(u32),
    /// Contains a conflict marker of a merge.
    #[error("{0}:1: conflict marker; keep both sides, then run `aidd baseline prune`")]
    Conflict(usize),
}

impl Baseline {
    /// Parses a baseline file.
    ///
    /// # Errors
    /// The text is not a baseline, or has a newer version.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let is_conflict =
            |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker));
        if let Some(line) = text.lines().position(is_conflict) {
            return Err(BaselineError::Conflict(line + 1));
        }
        let text = text.trim_start_matches('\u{FEFF}');
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let column = column.max(1);
            BaselineError::Malformed { line, column, why: "not valid JSON" }
        })?;
        let version = value["schemaVersion"].as_u64();
        match version.map(|version| u32::try_from(version).unwrap_or(u32::MAX)) {
            Some(version) if version > VERSION => return Err(BaselineError::Newer(version)),
            Some(_) => {}
            None => {
                let why = "not a baseline: `schemaVersion` is missing";
                return Err(BaselineError::Malformed { line: 1, column: 1, why });
            }
        }
        // Parsed from the text again to get the line of the error.
        let document: Document = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let why = "malformed entry; expected `path`, `rule`, `id` and `count`";
            BaselineError::Malformed { line, column: column.max(1), why }
        })?;
        let mut baseline = Self::default();
        baseline.extend(document.findings);
        Ok(baseline)
    }

    /// A baseline of the new and already known findings; allowed findings are not included.
    pub fn from_findings<'a>(findings: impl IntoIterator<Item = (&'a str, &'a Finding)>) -> Self {
        let mut baseline = Self::default();
        let known = findings.into_iter().filter(|(_, finding)| finding.status != Status::Allowed);
        baseline.extend(known.map(|(path, finding)| Entry {
            path: path.to_owned(),
            rule: finding.rule.to_string(),
            id: finding.id.clone(),
            count: 1,
            around: around(finding),
            items: finding.items.iter().flat_map(|items| items.names.iter().cloned()).collect(),
        }));
        baseline
    }

    /// Adds known findings.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for Entry { path, rule, id, count, around, items } in entries {
            let known = self.entries.entry((path, rule, id)).or_default();
            known.count += count;
            known.around = known.around.take().or(around);
            known.items.extend(items);
        }
    }

    /// The contents of the file.
    ///
    /// # Panics
    /// Never: strings and numbers can always be serialised.
    #[must_use]
    pub fn to_json(&self) -> String {
        let findings = self.entries().collect();
        let document = Document { schema_version: VERSION, findings };
        let mut text = serde_json::to_string_pretty(&document).expect("strings and numbers");
        text.push('\n');
        text
    }

    /// The known findings, sorted by path, rule and id.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.entries.iter().map(|((path, rule, id), known)| Entry {
            path: path.clone(),
            rule: rule.clone(),
            id: id.clone(),
            count: known.count,
            around: known.around.clone(),
            items: known.items.clone(),
        })
    }

    /// Marks the known findings of one file; see [`Self::apply`].
    pub fn apply_to_file(&self, path: &str, findings: &mut [Finding]) {
        let mut matcher = Matcher::new(self);
        matcher.match_ids(findings);
        matcher.match_edited(path, findings);
    }

    /// Marks the known findings of a file without entries, if the file was moved from `from`, which no
    /// longer exists; see [`Self::apply`].
    pub fn apply_to_moved_file(&self, from: &str, source: &Source, findings: &mut [Finding]) {
        if may_have_moved(source, findings, from) {
            Matcher::new(self).match_moved_file(source, findings, from);
        }
    }

    /// Marks known findings, up to their count, and returns the entries that were not found. An
    /// allowed finding consumes its entry and stays allowed. Of a finding that counts items, only
    /// the unknown items remain. A finding whose line was edited is recognized by the lines around
    /// it, and the findings of a file at a new path by the entries of a path that `is_missing`.
    pub fn apply(&self, files: &mut [FileReport], is_missing: &dyn Fn(&str) -> bool) -> Vec<Entry> {
        let mut matcher = Matcher::new(self);
        for file in &mut *files {
            matcher.match_ids(&mut file.checked.findings);
        }
        for file in &mut *files {
            matcher.match_edited(file.source.path(), &mut file.checked.findings);
        }
        matcher.match_moved(files, is_missing);
        matcher.unmatched()
    }

    /// The baseline without the `stale` entries.
    #[must_use]
    pub fn without(mut self, stale: &[Entry]) -> Self {
        for entry in stale {
            let key = (entry.path.clone(), entry.rule.clone(), entry.id.clone());
            if let Some(known) = self.entries.get_mut(&key) {
                known.count = known.count.saturating_sub(entry.count);
                if known.count == 0 {
                    self.entries.remove(&key);
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckResult, ids_at};
    use crate::text::finding::{Items, Severity};
    use crate::text::source::Span;
    use proptest::prelude::*;

    fn finding(id: &str) -> Finding {
        let mut finding = Finding::new("a/b".into(), Severity::Error, Span::default(), "m");
        id.clone_into(&mut finding.id);
        finding
    }

    fn baseline_of(findings: &[Finding]) -> Baseline {
        Baseline::from_findings(findings.iter().map(|finding| ("p", finding)))
    }

    fn report(path: &str, text: &str, findings: Vec<Finding>) -> FileReport {
        let checked = CheckResult { findings, ..CheckResult::default() };
        FileReport { source: Source::new(path, text), checked }
    }

    /// A report with ids, of findings at the word `x`.
    fn identified(path: &str, text: &str) -> FileReport {
        let at = |(start, _): (usize, &str)| {
            Finding::new("a/b".into(), Severity::Error, Span::new(start, start + 1), "m")
        };
        let mut file = report(path, text, text.match_indices('x').map(at).collect());
        let ids = ids_at(&file.source, &file.checked.findings, path);
        for (finding, id) in file.checked.findings.iter_mut().zip(ids) {
            finding.id = id;
            finding.around = Some(7);
        }
        file
    }

    fn recorded(files: &[FileReport]) -> Baseline {
        Baseline::from_findings(files.iter().flat_map(|file| {
            file.checked.findings.iter().map(|finding| (file.source.path(), finding))
        }))
    }

    fn statuses(files: &[FileReport]) -> Vec<Status> {
        let findings = files.iter().flat_map(|file| &file.checked.findings);
        findings.map(|finding| finding.status).collect()
    }

    #[test]
    fn the_findings_of_a_moved_file_are_known() {
        let baseline = recorded(&[identified("a/old.txt", "x\nx 1\n")]);
        let mut files = [identified("b/new.txt", "x\nx 1\nx 2\n")];
        let stale = baseline.apply(&mut files, &|path| path == "a/old.txt");
        assert_eq!(statuses(&files), [Status::Baselined, Status::Baselined, Status::New]);
        assert_eq!(stale, []);
        // The file still exists, or the new path has an entry of its own.
        let mut copy = [identified("b/new.txt", "x\n")];
        assert_eq!(baseline.apply(&mut copy, &|_| false).len(), 2);
        assert_eq!(statuses(&copy), [Status::New]);
    }

    #[test]
    fn an_edited_line_is_known_by_the_lines_around_it() {
        let baseline = recorded(&[identified("a.txt", "x 1\n")]);
        let mut edited = [identified("a.txt", "x 2\n")];
        assert_eq!(baseline.apply(&mut edited, &|_| false), []);
        assert_eq!(statuses(&edited), [Status::Baselined]);
        let mut ambiguous = [identified("a.txt", "x 2\nx 3\n")];
        assert_eq!(baseline.apply(&mut ambiguous, &|_| false).len(), 1);
        assert_eq!(statuses(&ambiguous), [Status::New, Status::New]);
        let mut secret = [identified("a.txt", "x 2\n")];
        secret[0].checked.findings[0].secret(Span::new(0, 1));
        baseline.apply(&mut secret, &|_| false);
        assert_eq!(statuses(&secret), [Status::New]);
    }

    #[test]
    fn only_the_unknown_items_of_a_finding_are_new() {
        let counting = |names: &[&str]| {
            let mut finding = finding("1");
            finding.items(Items {
                noun: "key",
                one: "is missing".to_owned(),
                many: "are missing".to_owned(),
                names: names.iter().map(|&name| name.to_owned()).collect(),
            });
            finding
        };
        let baseline = baseline_of(&[counting(&["a", "b"])]);
        let baseline = Baseline::parse(&baseline.to_json()).expect("own text");
        let mut files = [report("p", "t", vec![counting(&["b"])])];
        assert_eq!(baseline.apply(&mut files, &|_| false), []);
        assert_eq!(statuses(&files), [Status::Baselined]);
        let mut files = [report("p", "t", vec![counting(&["a", "b", "c"])])];
        assert_eq!(baseline.apply(&mut files, &|_| false), []);
        assert_eq!(statuses(&files), [Status::New]);
        assert_eq!(files[0].checked.findings[0].message, "1 key is missing: `c`");
    }

    #[test]
    fn an_additional_finding_is_new_and_a_missing_finding_is_stale() {
        let baseline = baseline_of(&[finding("1"), finding("1"), finding("2")]);
        let mut files = [report("p", "t", vec![finding("1"), finding("1"), finding("1")])];
        let stale = baseline.apply(&mut files, &|_| false);
        assert_eq!(statuses(&files), [Status::Baselined, Status::Baselined, Status::New]);
        assert_eq!(
            stale.iter().map(|entry| (entry.id.as_str(), entry.count)).collect::<Vec<_>>(),
            [("2", 1)]
        );
        assert_eq!(baseline.without(&stale), baseline_of(&[finding("1"), finding("1")]));
    }

    #[test]
    fn an_allowed_finding_consumes_its_entry() {
        let mut allowed = finding("1");
        allowed.status = Status::Allowed;
        let baseline = baseline_of(&[finding("1")]);
        let mut files = [report("p", "t", vec![allowed])];
        assert_eq!(baseline.apply(&mut files, &|_| false), []);
        assert_eq!(statuses(&files), [Status::Allowed]);
    }

    #[test]
    fn a_malformed_baseline_is_rejected() {
        let entry = r#"{"schemaVersion": 1, "findings": [{"path": "a"}]}"#;
        let cases = [
            ("", "1:1: not valid JSON"),
            ("{}", "1:1: not a baseline: `schemaVersion` is missing"),
            ("[]", "1:1: not a baseline: `schemaVersion` is missing"),
            // Additional keys of a newer version must not be reported instead of the version.
            (
                r#"{"schemaVersion": 9, "entries": []}"#,
                "schema version 9 is newer than the supported version 1",
            ),
            (entry, "1:47: malformed entry; expected `path`, `rule`, `id` and `count`"),
            (
                r#"{"schemaVersion": 1, "findings": [], "x": 1}"#,
                "1:40: malformed entry; expected `path`, `rule`, `id` and `count`",
            ),
            (
                "{\n<<<<<<< HEAD\n",
                "2:1: conflict marker; keep both sides, then run `aidd baseline prune`",
            ),
        ];
        for (text, why) in cases {
            assert_eq!(Baseline::parse(text).expect_err(text).to_string(), why, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_baseline_round_trips(ids in proptest::collection::vec("[ab]{1,2}", 0..12)) {
            let findings: Vec<Finding> = ids.iter().map(|id| finding(id)).collect();
            let baseline = baseline_of(&findings);
            prop_assert_eq!(&Baseline::parse(&baseline.to_json()).expect("own text"), &baseline);
            let mut files = [report("p", "t", findings)];
            prop_assert_eq!(baseline.apply(&mut files, &|_| false), []);
            prop_assert!(statuses(&files).iter().all(|status| *status == Status::Baselined));
        }
    }
}
