//! SARIF within the size that code scanning takes: what matters least goes first.

use super::Document;
use super::sarif::{self, Trim};
use aidd_engine::rule::Rule;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_sarif::sarif::Sarif;
use std::io::Write as _;

/// GitHub takes 10 MB, compressed; some is left free for what another program compresses less well.
const LIMIT: usize = 9_500_000;

/// A log that code scanning takes.
pub(super) struct Fitting {
    pub(super) log: Sarif,
    /// Its JSON without white space, as it is sent.
    json: Vec<u8>,
    /// The same, compressed, when that had to be measured.
    gzip: Option<Vec<u8>>,
    /// What is left out, a sentence each.
    left_out: Vec<String>,
}

/// The report of a run for an upload to code scanning: SARIF within GitHub's limits, compressed
/// with gzip; and what had to be left out for it, a sentence each. `rules` are all rules, sorted
/// by id.
#[must_use]
pub fn sarif_gzip(document: &Document, rules: &[Rule]) -> (Vec<u8>, Vec<String>) {
    let fitting = fitting(document, rules);
    let gzip = fitting.gzip.unwrap_or_else(|| compressed(&fitting.json));
    (gzip, fitting.left_out)
}

/// The log of a document, without what would make it too large.
pub(super) fn fitting(document: &Document, rules: &[Rule]) -> Fitting {
    within(LIMIT, document, rules)
}

/// Leaves out fixes, then related places, then rule pages, then the least severe results, until
/// the log takes at most `limit` bytes, compressed.
fn within(limit: usize, document: &Document, rules: &[Rule]) -> Fitting {
    let mut trim = Trim::LEAST;
    loop {
        let (log, left_out) = sarif::log(document, rules, trim);
        let json = serde_json::to_vec(&log).expect("strings, numbers, lists and maps of strings");
        let results = log.runs.first().and_then(|run| run.results.as_ref()).map_or(0, Vec::len);
        // Compression adds a header and five bytes a block at worst: what is smaller fits.
        let small = json.len() <= limit - limit / 100;
        let gzip = (!small).then(|| compressed(&json));
        let size = gzip.as_ref().map_or(0, Vec::len);
        if size <= limit || results == 0 {
            return Fitting { log, json, gzip, left_out };
        }
        trim = match trim {
            Trim { fixes: true, .. } => Trim { fixes: false, ..trim },
            Trim { related: true, .. } => Trim { related: false, ..trim },
            Trim { help: true, .. } => Trim { help: false, ..trim },
            // A little less than what would fit if all results were of one size.
            _ => Trim {
                results: (results * (limit / 10) / (size / 9).max(1)).min(results - 1),
                ..trim
            },
        };
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}
