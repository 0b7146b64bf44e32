//! Ids of findings, which stay the same when lines move.

use super::Engine;
use crate::text::finding::Finding;
use crate::text::source::{Source, Span};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The number of findings with the same rule and the same text that a file has so far.
#[derive(Debug, Default)]
pub struct Occurrences(HashMap<[u8; 32], u32>);

impl Engine {
    /// Sets the ids of the findings, unless they are only counted.
    pub(super) fn set_ids(
        &self,
        source: &Source,
        findings: &mut [Finding],
        seen: &mut Occurrences,
    ) {
        if !self.counts_only {
            assign_ids(source, findings, seen);
        }
    }
}

/// Sets the id of each finding: the first 16 hexadecimal digits of the SHA-256 of rule, path, text
/// of the lines with white space collapsed, and the number of earlier occurrences in the file. Line
/// numbers are not included, so the id survives edits above the finding.
fn assign_ids(source: &Source, findings: &mut [Finding], seen: &mut Occurrences) {
    let mut lines = LineHashes::default();
    for finding in findings {
        let mut hash = lines.hash(source, finding);
        hash.update([0]);
        hash.update(source.path().as_bytes());
        let key: [u8; 32] = hash.clone().finalize().into();
        let count = seen.0.entry(key).or_default();
        hash.update([0]);
        hash.update(count.to_le_bytes());
        *count += 1;
        finding.id = hex_digits(hash);
    }
}

/// For each finding of a source, the first 16 hexadecimal digits of the SHA-256 of its rule and the
/// text of its lines with white space collapsed: a key that is independent of path and position.
#[must_use]
pub fn text_keys<'a>(
    source: &Source,
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Vec<String> {
    let mut lines = LineHashes::default();
    findings.into_iter().map(|finding| hex_digits(lines.hash(source, finding))).collect()
}

/// The hashes of lines, cached because a line of several megabytes can have many findings.
#[derive(Default)]
struct LineHashes(HashMap<Span, Sha256>);

impl LineHashes {
    /// The hash of the lines of a finding and of its rule.
    fn hash(&mut self, source: &Source, finding: &Finding) -> Sha256 {
        let line = source.lines_around(finding.span);
        let mut hash =
            self.0.entry(line).or_insert_with(|| collapsed_hash(source.slice(line))).clone();
        hash.update(finding.rule.as_bytes());
        hash
    }
}

/// The first 16 hexadecimal digits.
fn hex_digits(hash: Sha256) -> String {
    let mut text = String::with_capacity(16);
    for byte in &hash.finalize()[..8] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The hash of a text with white space collapsed.
fn collapsed_hash(text: &str) -> Sha256 {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word.as_bytes());
        hash.update(b" ");
    }
    hash.update([0]);
    hash
}
