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
/// numbers are not included, so the id survives edits above the finding. The text is not part of
/// the id of a finding that counts items, because its position depends on the items.
fn assign_ids(source: &Source, findings: &mut [Finding], seen: &mut Occurrences) {
    let mut lines = LineHashes::default();
    for finding in findings {
        finding.id = id(source, finding, source.path(), (&mut lines, seen));
        finding.around = lines.around(source, finding);
    }
}

/// The ids that the findings of a source would have in a file at `path`.
#[must_use]
pub fn ids_at(source: &Source, findings: &[Finding], path: &str) -> Vec<String> {
    let (mut lines, mut seen) = (LineHashes::default(), Occurrences::default());
    findings.iter().map(|finding| id(source, finding, path, (&mut lines, &mut seen))).collect()
}

fn id(
    source: &Source,
    finding: &Finding,
    path: &str,
    (lines, seen): (&mut LineHashes, &mut Occurrences),
) -> String {
    let mut hash = match &finding.items {
        None => lines.hash(source, finding),
        Some(_) => Sha256::new_with_prefix(finding.rule.as_bytes()),
    };
    hash.update([0]);
    hash.update(path.as_bytes());
    let key: [u8; 32] = hash.clone().finalize().into();
    let count = seen.0.entry(key).or_default();
    hash.update([0]);
    hash.update(count.to_le_bytes());
    *count += 1;
    hex_digits(hash)
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
struct LineHashes {
    hashes: HashMap<Span, Sha256>,
    around: HashMap<Span, Option<Sha256>>,
}

/// Maximum number of bytes of a neighbouring line, or of the text of a finding, that are hashed.
const MAX_HASHED: usize = 1024;
/// Maximum number of blank lines between a finding and its neighbouring line.
const MAX_BLANK: usize = 3;

impl LineHashes {
    /// The hash of the lines of a finding and of its rule.
    fn hash(&mut self, source: &Source, finding: &Finding) -> Sha256 {
        let line = source.lines_around(finding.span);
        let mut hash =
            self.hashes.entry(line).or_insert_with(|| collapsed_hash(source.slice(line))).clone();
        hash.update(finding.rule.as_bytes());
        hash
    }

    /// The hash of the lines before and after a finding, and of its own text: another value in the
    /// same place is another finding. Of a text that is the whole line, only the first word counts,
    /// because the rest is what a person edits. A finding about the whole file has no neighbours.
    fn around(&mut self, source: &Source, finding: &Finding) -> Option<u64> {
        if finding.is_about_file {
            return Some(0);
        }
        let lines = source.lines_around(finding.span);
        let neighbours = self.around.entry(lines).or_insert_with(|| neighbours(source, lines));
        let mut hash = neighbours.clone()?;
        let (line, text) = (source.slice(lines).trim(), source.slice(finding.span).trim());
        let is_part = text.len() < line.len() && !line.contains('\n');
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let word = || text.split(|c| !is_word(c)).find(|word| !word.is_empty()).unwrap_or_default();
        hash.update(start_hash(if is_part { text } else { word() }).finalize());
        let digest: [u8; 32] = hash.finalize().into();
        Some(u64::from_le_bytes(*digest.first_chunk()?))
    }
}

/// The hash of the last line before `lines` and of the first line after them that are not blank.
fn neighbours(source: &Source, lines: Span) -> Option<Sha256> {
    let text = source.text();
    let is_filled = |line: &&str| !line.trim().is_empty();
    let before = text.get(..lines.start as usize)?.lines().rev().take(MAX_BLANK).find(is_filled);
    let rest = text.get(lines.end as usize..)?;
    let after = rest.lines().skip(1).take(MAX_BLANK).find(is_filled);
    if before.is_none() && after.is_none() {
        return None;
    }
    let mut hash = start_hash(before.unwrap_or_default());
    hash.update(start_hash(after.unwrap_or_default()).finalize());
    Some(hash)
}

/// The hash of the first bytes of a text with white space collapsed.
fn start_hash(text: &str) -> Sha256 {
    collapsed_hash(&text[..text.floor_char_boundary(MAX_HASHED)])
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
