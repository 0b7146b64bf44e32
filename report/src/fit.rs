//! Reduces SARIF to the size limit of code scanning, by omitting the least important data first.

use super::Document;
use super::sarif::{self, Trim};
use aidd_engine::rules::rule::Rule;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_sarif::sarif::Sarif;
use std::io::Write as _;

/// Maximum size of a compressed log in bytes. GitHub accepts 10 MB; the margin is for programs that
/// compress less well.
const MAX_BYTES: usize = 9_500_000;

/// A log within the limits of code scanning.
pub(super) struct FittedLog {
    pub(super) log: Sarif,
    /// Its JSON without white space, as uploaded.
    json: Vec<u8>,
    /// The compressed JSON, if its size had to be measured.
    gzip: Option<Vec<u8>>,
    /// The omitted data, one sentence per kind.
    omissions: Vec<String>,
}

/// The report of a run for an upload to code scanning: SARIF within GitHub's limits, compressed
/// with gzip; and the data that had to be omitted, one sentence per kind. `rules` are all rules,
/// sorted by id.
#[must_use]
pub fn sarif_gzip(document: &Document, rules: &[Rule]) -> (Vec<u8>, Vec<String>) {
    let fitted = fit_log(document, rules);
    let gzip = fitted.gzip.unwrap_or_else(|| compress(&fitted.json));
    (gzip, fitted.omissions)
}

/// The log of a document, reduced to the size limit.
pub(super) fn fit_log(document: &Document, rules: &[Rule]) -> FittedLog {
    fit_within(MAX_BYTES, document, rules)
}

/// Omits fixes, then related locations, then rule pages, then the least severe results, until the
/// compressed log has at most `limit` bytes.
fn fit_within(limit: usize, document: &Document, rules: &[Rule]) -> FittedLog {
    let mut trim = Trim::MINIMAL;
    loop {
        let (log, omissions) = sarif::log(document, rules, trim);
        let json = serde_json::to_vec(&log).expect("strings, numbers, lists and maps of strings");
        let results = log.runs.first().and_then(|run| run.results.as_ref()).map_or(0, Vec::len);
        // Compression adds at most a header and five bytes per block, so smaller logs fit.
        let is_small = json.len() <= limit - limit / 100;
        let gzip = (!is_small).then(|| compress(&json));
        let size = gzip.as_ref().map_or(0, Vec::len);
        if size <= limit || results == 0 {
            return FittedLog { log, json, gzip, omissions };
        }
        trim = match trim {
            Trim { fixes: true, .. } => Trim { fixes: false, ..trim },
            Trim { related: true, .. } => Trim { related: false, ..trim },
            Trim { help: true, .. } => Trim { help: false, ..trim },
            // Slightly fewer results than would fit if all results had the same size.
            _ => Trim {
                results: (results * (limit / 10) / (size / 9).max(1)).min(results - 1),
                ..trim
            },
        };
    }
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Edit, Finding, Fix, Position, Related, Status};
    use crate::{FileFindings, Run};
    use aidd_engine::text::finding::{FailOn, Severity};
    use flate2::read::GzDecoder;
    use serde_json::Value;
    use std::io::Read as _;
    use std::path::Path;
    use std::time::Duration;

    /// Deterministic letters that compress badly.
    fn random_letters(seed: usize, length: usize) -> String {
        let mut state = seed as u64 + 1;
        let letters = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + (state >> 33) as u8 % 26)
        });
        letters.take(length).collect()
    }

    fn finding(index: usize) -> Finding {
        let position = Position { line: index as u64 + 1, column: 1, offset: 0 };
        let edit = Edit { start: position, end: position, text: random_letters(index, 300) };
        let fix = Fix {
            title: "Fix".into(),
            safety: "safe".into(),
            edits: vec![edit],
            create: None,
            rename_to: None,
        };
        let message = random_letters(index + 7, 300);
        let related = Related { path: "a".into(), start: position, end: position, message };
        Finding {
            id: format!("{index:016x}"),
            rule: "a/rule".into(),
            aliases: Vec::new(),
            severity: if index.is_multiple_of(2) { Severity::Info } else { Severity::Error },
            message: random_letters(index + 3, 100),
            help: None,
            path: "a".into(),
            start: position,
            end: position,
            status: Status::New,
            reason: None,
            gate: None,
            fix: Some(fix),
            related: vec![related],
        }
    }

    fn document(findings: usize) -> Document {
        let run = Run {
            files: Vec::<FileFindings<'_>>::new(),
            fixed: Vec::new(),
            rules: &[],
            checked: 1,
            skipped: &[],
            fail_on: FailOn::Never,
            policy: None,
            comparison: None,
            notes: Vec::new(),
            reach: None,
            elapsed: Duration::ZERO,
            root: Path::new(""),
            baseline: false,
            stale: 0,
            suppressed: false,
            category: None,
            version_control: None,
        };
        let mut document = Document::from_run(&run, false);
        document.findings = (0..findings).map(finding).collect();
        document
    }

    fn results(fitted: &FittedLog) -> Vec<Value> {
        let log: Value = serde_json::from_slice(&fitted.json).expect("JSON");
        log["runs"][0]["results"].as_array().expect("a list").clone()
    }

    #[test]
    fn the_least_important_data_is_omitted_first() {
        let document = document(1_000);
        let within = |limit| fit_within(limit, &document, &[]);
        let full_size = compress(&within(usize::MAX).json).len();

        let fitted = within(full_size * 2);
        assert_eq!(fitted.omissions, [""; 0]);

        let fitted = within(full_size * 3 / 4);
        let reason = "the report would exceed the size limit of code scanning";
        assert_eq!(fitted.omissions, [format!("fixes are omitted: {reason}")]);
        let all = results(&fitted);
        assert!(all.iter().all(|result| result["fixes"].is_null()));
        assert!(all.iter().all(|result| !result["relatedLocations"].is_null()));

        let fitted = within(full_size / 3);
        assert_eq!(fitted.omissions, [format!("fixes, related locations are omitted: {reason}")]);
        assert_eq!(results(&fitted).len(), 1_000);

        let limit = full_size / 20;
        let fitted = within(limit);
        let all = results(&fitted);
        assert!(all.len() > 100 && all.iter().all(|result| result["level"] == "error"));
        assert!(fitted.gzip.expect("measured").len() <= limit);
        let omitted = 1_000 - all.len();
        let first = format!("{omitted} results omitted, least severe first: {reason}");
        assert_eq!(fitted.omissions[0], first);
        let log: Value = serde_json::from_slice(&fitted.json).expect("JSON");
        let reported = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(reported[0]["message"]["text"], first);

        assert_eq!(results(&within(10)).len(), 0, "the loop ends although no log fits");
    }

    #[test]
    fn an_upload_is_the_compressed_log() {
        let document = document(10);
        let (gzip, omissions) = sarif_gzip(&document, &[]);
        assert_eq!(omissions, [""; 0]);
        let mut text = Vec::new();
        GzDecoder::new(&*gzip).read_to_end(&mut text).expect("gzip");
        assert_eq!(text, fit_log(&document, &[]).json);
    }
}
