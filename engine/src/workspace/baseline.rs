//! `.aidd/baseline.json`: existing findings that a team has accepted for now, by finding id and
//! count.

use crate::text::finding::{Finding, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// The default path of the baseline, relative to the root.
pub const PATH: &str = ".aidd/baseline.json";

const VERSION: u32 = 1;

/// The known findings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The count by path, rule and id, sorted so that the file is readable and merges well.
    entries: BTreeMap<(String, String, String), u32>,
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
        let mut entries = BTreeMap::new();
        for (path, finding) in findings {
            if finding.status != Status::Allowed {
                *entries
                    .entry((path.to_owned(), finding.rule.to_string(), finding.id.clone()))
                    .or_default() += 1;
            }
        }
        Self { entries }
    }

    /// Adds known findings.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            *self.entries.entry((entry.path, entry.rule, entry.id)).or_default() += entry.count;
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
        self.entries.iter().map(|((path, rule, id), &count)| Entry {
            path: path.clone(),
            rule: rule.clone(),
            id: id.clone(),
            count,
        })
    }

    /// Marks known findings, up to their count, and returns the entries that were not found. An
    /// allowed finding consumes its entry and stays allowed.
    pub fn apply<'a>(&self, findings: impl IntoIterator<Item = &'a mut Finding>) -> Vec<Entry> {
        let mut remaining: HashMap<&str, u32> = HashMap::new();
        for ((_, _, id), count) in &self.entries {
            *remaining.entry(id).or_default() += count;
        }
        for finding in findings {
            let Some(count) = remaining.get_mut(finding.id.as_str()).filter(|count| **count > 0)
            else {
                continue;
            };
            *count -= 1;
            if matches!(finding.status, Status::New | Status::Moved | Status::PreExisting) {
                finding.status = Status::Baselined;
                finding.reason = Some("recorded in the baseline".to_owned());
            }
        }
        self.entries()
            .filter_map(|mut entry| {
                let count = remaining.get_mut(entry.id.as_str())?;
                entry.count = entry.count.min(*count);
                *count -= entry.count;
                (entry.count > 0).then_some(entry)
            })
            .collect()
    }

    /// The baseline without the `stale` entries.
    #[must_use]
    pub fn without(mut self, stale: &[Entry]) -> Self {
        for entry in stale {
            let key = (entry.path.clone(), entry.rule.clone(), entry.id.clone());
            if let Some(count) = self.entries.get_mut(&key) {
                *count = count.saturating_sub(entry.count);
                if *count == 0 {
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
    use crate::text::finding::Severity;
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

    #[test]
    fn an_additional_finding_is_new_and_a_missing_finding_is_stale() {
        let baseline = baseline_of(&[finding("1"), finding("1"), finding("2")]);
        let mut findings = [finding("1"), finding("1"), finding("1")];
        let stale = baseline.apply(&mut findings);
        let statuses: Vec<Status> = findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, [Status::Baselined, Status::Baselined, Status::New]);
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
        assert_eq!(baseline.apply([&mut allowed]), []);
        assert_eq!(allowed.status, Status::Allowed);
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
            let mut findings = findings;
            prop_assert_eq!(baseline.apply(&mut findings), []);
            prop_assert!(findings.iter().all(|finding| finding.status == Status::Baselined));
        }
    }
}
