//! Applies the fixes of a file, checks the result, and undoes each fix that fails. A fix fails if
//! its finding remains, if an error is new, if a fixed finding is reported again, or if the file no
//! longer parses.

mod compare;
mod structure;
#[cfg(test)]
mod tests;
mod trial;

use crate::check::Engine;
use crate::text::files::Files;
use crate::text::finding::{Finding, Fix, RuleId, Safety, Status};
use crate::text::source::{Decoded, Encoding, Source};
use compare::RemovedFinding;
use std::collections::BTreeMap;
use std::fmt;
use trial::{State, Trial};

pub use crate::text::edits::apply;

/// Maximum number of rounds, in case fixes keep causing further findings.
const MAX_ROUNDS: usize = 10;

/// The result of fixing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixResult {
    /// The bytes of the file with the fixes applied.
    pub bytes: Vec<u8>,
    /// The number of findings of the original file that fixes removed.
    pub fixed: usize,
    /// The fixes that were undone, by position.
    pub undone: Vec<UndoneFix>,
}

/// A fix that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneFix {
    /// The rule of the fixed finding.
    pub rule: RuleId,
    /// The id of the finding in the fixed file.
    pub id: String,
    /// The line of the finding in the fixed file, from 1.
    pub line: u32,
    /// The column, from 1, in Unicode code points.
    pub column: u32,
    /// Why the fix was undone.
    pub reason: Reason,
}

/// Why a fix was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The finding of the fix is still reported.
    Remains,
    /// A finding of error severity is new.
    AddsError {
        /// The rule of the new finding.
        rule: RuleId,
        /// The line of the new finding in the text with the fix, from 1.
        line: u32,
    },
    /// A finding that another fix removed is reported again.
    Restores(RuleId),
    /// The file parsed before, but does not parse with the fix. The value is the language or
    /// format.
    Breaks(String),
    /// Too many other fixes of the file were undone, so this one was not verified.
    Unverified,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remains => f.write_str("the finding remained"),
            Self::AddsError { rule, line } => {
                write!(f, "the fix added an error of `{rule}` on line {line}")
            }
            Self::Restores(rule) => write!(f, "the fix restored a fixed finding of `{rule}`"),
            Self::Breaks(format) => write!(f, "the file no longer parsed as {format}"),
            Self::Unverified => f.write_str("not verified, because too many other fixes failed"),
        }
    }
}

/// Applies the fixes of the file at `path` up to the level `safety`. Checks the file after each
/// round, undoes the fixes that fail, and repeats until no fix remains.
#[must_use]
pub fn fix_file(
    engine: &Engine,
    path: &str,
    bytes: Vec<u8>,
    files: &dyn Files,
    safety: Safety,
) -> FixResult {
    let is_wanted =
        |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety);
    fix_findings(engine, path, bytes, files, &is_wanted)
}

/// Like [`fix_file`], for the findings that `is_wanted` selects.
#[must_use]
pub fn fix_findings(
    engine: &Engine,
    path: &str,
    bytes: Vec<u8>,
    files: &dyn Files,
    is_wanted: &dyn Fn(&Finding) -> bool,
) -> FixResult {
    let source = Source::decode(path, bytes.clone());
    if source.decoded() == Decoded::Utf16 {
        return FixResult { bytes, fixed: 0, undone: Vec::new() };
    }
    let trial = Trial::new(engine, path, files);
    let mut state = trial.state(bytes, source);
    // For each finding of the current text, whether the original text has the finding.
    let mut is_original = vec![true; state.findings.len()];
    let mut removed: Vec<RemovedFinding> = Vec::new();
    let mut fixed = 0;
    let mut failed: BTreeMap<usize, Reason> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let candidates = (0..state.findings.len())
            .filter(|at| !failed.contains_key(at) && is_wanted(&state.findings[*at]));
        let chosen = state.without_overlap(candidates);
        if chosen.is_empty() {
            break;
        }
        let round = trial.run(&state, chosen, &removed);
        failed.extend(round.failed);
        let Some(accepted) = round.accepted else { continue };
        fixed += accepted.fixed.iter().filter(|&&at| is_original[at]).count();
        let newly_removed =
            accepted.fixed.iter().map(|&at| RemovedFinding::from_finding(&state.findings[at]));
        removed.extend(newly_removed);
        removed.iter_mut().for_each(|finding| finding.span = accepted.map.forward(finding.span));
        let was_original = |before: &Option<usize>| before.is_some_and(|at| is_original[at]);
        is_original = accepted.matches.iter().map(was_original).collect();
        state = accepted.state;
        // In the changed text, fixes that failed before can succeed.
        failed.clear();
    }
    let undone = failed.into_iter().map(|(at, reason)| state.undone(at, reason)).collect();
    FixResult { bytes: state.bytes, fixed, undone }
}

/// The failing fixes among the fixes of the findings that `is_wanted` selects: each of them fails
/// even if it is applied to the file without the other failing fixes. The file is not changed.
#[must_use]
pub fn failing_fixes(
    engine: &Engine,
    path: &str,
    bytes: Vec<u8>,
    files: &dyn Files,
    is_wanted: &dyn Fn(&Finding) -> bool,
) -> Vec<UndoneFix> {
    let source = Source::decode(path, bytes.clone());
    if source.decoded() == Decoded::Utf16 {
        return Vec::new();
    }
    let trial = Trial::new(engine, path, files);
    let state = trial.state(bytes, source);
    let mut remaining: Vec<usize> =
        (0..state.findings.len()).filter(|&at| is_wanted(&state.findings[at])).collect();
    let mut failed = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        // Fixes that overlap are alternatives: they are tried in different rounds.
        let chosen = state.without_overlap(remaining.iter().copied());
        if chosen.is_empty() {
            break;
        }
        remaining.retain(|at| chosen.binary_search(at).is_err());
        failed.extend(trial.run(&state, chosen, &[]).failed);
    }
    failed.into_iter().map(|(at, reason)| state.undone(at, reason)).collect()
}

/// The fixes of the new findings, up to the level `safety`.
pub fn applicable(findings: &[Finding], safety: Safety) -> impl Iterator<Item = &Fix> {
    fixable(findings, safety).filter_map(|finding| finding.fix.as_ref())
}

/// The new findings that have a fix up to the level `safety`.
pub fn fixable(findings: &[Finding], safety: Safety) -> impl Iterator<Item = &Finding> {
    let is_fixable = move |finding: &&Finding| {
        finding.status == Status::New
            && finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety)
    };
    findings.iter().filter(is_fixable)
}

impl State {
    fn undone(&self, at: usize, reason: Reason) -> UndoneFix {
        let finding = &self.findings[at];
        let position = self.source.position(finding.span.start, Encoding::CodePoints);
        UndoneFix {
            rule: finding.rule.clone(),
            id: finding.id.clone(),
            line: position.line + 1,
            column: position.column + 1,
            reason,
        }
    }
}
