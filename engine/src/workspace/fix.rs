//! Applies fixes without overlapping edits, repeatedly until none is left, and never adds errors.

use crate::check::Engine;
use crate::text::files::Files;
use crate::text::finding::{Edit, Finding, Fix, Safety, Severity, Status};
use crate::text::source::{Decoded, Source, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of rounds, in case fixes keep undoing each other.
const ROUNDS: usize = 10;
/// Maximum number of checks of a file per round to find the fixes that add errors.
const CHECKS: usize = 64;

/// The result of fixing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The bytes of the file with the fixes applied.
    pub bytes: Vec<u8>,
    /// The number of applied fixes.
    pub applied: usize,
}

/// Applies the fixes of `source` up to the level `safety`, checks the result, and repeats until no
/// fix is left. A fix that adds errors to the file is not applied.
#[must_use]
pub fn fix_file(
    engine: &Engine,
    path: &str,
    bytes: Vec<u8>,
    files: &dyn Files,
    safety: Safety,
) -> Fixed {
    let mut fixed = Fixed { bytes, applied: 0 };
    for _ in 0..ROUNDS {
        let source = Source::decode(path, fixed.bytes.clone());
        if source.decoded() == Decoded::Utf16 {
            break;
        }
        let findings = engine.check(&source, files).findings;
        let fixes: Vec<&Fix> = applicable(&findings, safety).collect();
        if fixes.is_empty() {
            break;
        }
        let errors = count_errors(&findings);
        let is_no_worse = |bytes: &[u8]| {
            let source = Source::decode(path, bytes.to_vec());
            count_errors(&engine.check(&source, files).findings) <= errors
        };
        let (bytes, applied) = apply(&fixed.bytes, &fixes);
        let (bytes, applied) = if is_no_worse(&bytes) {
            (bytes, applied)
        } else {
            harmless(&fixed.bytes, &fixes, is_no_worse)
        };
        if bytes == fixed.bytes {
            break;
        }
        fixed.bytes = bytes;
        fixed.applied += applied;
    }
    fixed
}

/// Applies the fixes that do not add errors. Tries half of them at a time, so that a few bad ones
/// among many cost few checks; fixes that are left after [`CHECKS`] checks are not applied.
fn harmless(bytes: &[u8], fixes: &[&Fix], is_no_worse: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
    let mut kept: Vec<&Fix> = Vec::new();
    let mut untried = Vec::new();
    let halve = |fixes, untried: &mut Vec<_>| {
        let (first, second) = <[&Fix]>::split_at(fixes, fixes.len() / 2);
        untried.extend([second, first]);
    };
    halve(fixes, &mut untried);
    for _ in 0..CHECKS {
        let Some(some) = untried.pop() else { break };
        let before = kept.len();
        kept.extend(some);
        if some.is_empty() || is_no_worse(&apply(bytes, &kept).0) {
            continue;
        }
        kept.truncate(before);
        if some.len() > 1 {
            halve(some, &mut untried);
        }
    }
    apply(bytes, &kept)
}

/// The fixes of findings that are not allowed or known, up to the level `safety`.
pub fn applicable(findings: &[Finding], safety: Safety) -> impl Iterator<Item = &Fix> {
    findings
        .iter()
        .filter(|finding| finding.status == Status::New)
        .filter_map(|finding| finding.fix.as_ref())
        .filter(move |fix| fix.safety <= safety)
}

fn count_errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Applies `fixes` in order, skipping those whose edits touch an edit of an earlier one. An edit
/// that several fixes share is made once. Returns the new bytes and the number of fixes applied.
#[must_use]
pub fn apply(bytes: &[u8], fixes: &[&Fix]) -> (Vec<u8>, usize) {
    let mut edits = Edits::default();
    let mut applied = 0;
    for fix in fixes {
        let valid =
            |edit: &Edit| edit.span.start <= edit.span.end && edit.span.end as usize <= bytes.len();
        if fix.edits.is_empty()
            || !fix.edits.iter().all(valid)
            || fix.edits.iter().any(|edit| edits.clash(edit))
        {
            continue;
        }
        fix.edits.iter().for_each(|edit| edits.add(edit));
        applied += 1;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits.0.into_values().flatten() {
        // Overlapping edits within one fix are a bug of its rule: the first edit wins.
        if (edit.span.start as usize) < at {
            continue;
        }
        out.extend_from_slice(&bytes[at..edit.span.start as usize]);
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.span.end as usize;
    }
    out.extend_from_slice(&bytes[at..]);
    (out, applied)
}

/// Edits by their start. Edits of different fixes never touch; edits of one fix can, which is a bug
/// of its rule.
#[derive(Default)]
struct Edits<'a>(BTreeMap<u32, BTreeSet<&'a Edit>>);

impl<'a> Edits<'a> {
    /// Whether an edit touches another one that is not equal to it.
    fn clash(&self, edit: &Edit) -> bool {
        let Span { start, end } = edit.span;
        let at_start = self.0.get(&start).into_iter().flatten();
        let before = self.0.range(..start).next_back();
        let within = self.0.range(start..end).find(|(at, _)| **at != start);
        let mut near = before.into_iter().chain(within).flat_map(|(_, edits)| edits);
        at_start.into_iter().any(|other| **other != *edit) || near.any(|other| touches(other, edit))
    }

    fn add(&mut self, edit: &'a Edit) {
        self.0.entry(edit.span.start).or_default().insert(edit);
    }
}

/// Whether two edits that begin at different offsets cannot both be applied.
fn touches(a: &Edit, b: &Edit) -> bool {
    a.span.overlaps(b.span)
        || (a.span.is_empty() && b.span.start < a.span.start && a.span.start < b.span.end)
        || (b.span.is_empty() && a.span.start < b.span.start && b.span.start < a.span.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        let edits = edits
            .iter()
            .map(|&(start, end, text)| Edit::replace(Span::new(start, end), text))
            .collect();
        Fix { title: "t".into(), safety: Safety::Safe, edits, file: None }
    }

    fn applied(text: &str, fixes: &[Fix]) -> (String, usize) {
        let (bytes, count) = apply(text.as_bytes(), &fixes.iter().collect::<Vec<_>>());
        (String::from_utf8(bytes).expect("text"), count)
    }

    #[test]
    fn fixes_that_touch_wait_for_the_next_round() {
        let fixes = [fix(&[(0, 2, "X")]), fix(&[(1, 3, "Y")]), fix(&[(3, 3, "+"), (4, 5, "")])];
        assert_eq!(applied("abcde", &fixes), ("Xc+d".into(), 2));
    }

    #[test]
    fn a_shared_edit_is_made_once() {
        let fixes = [fix(&[(0, 0, "use a\n"), (0, 1, "b")]), fix(&[(0, 0, "use a\n")])];
        assert_eq!(applied("z", &[fixes[1].clone(), fixes[1].clone()]), ("use a\nz".into(), 2));
    }

    #[test]
    fn an_edit_past_the_end_is_refused() {
        assert_eq!(applied("ab", &[fix(&[(1, 9, "X")])]), ("ab".into(), 0));
    }

    proptest! {
        #[test]
        fn text_outside_of_edits_is_unchanged(
            text in "[a-z]{0,30}",
            spans in proptest::collection::vec((0usize..30, 0usize..6), 0..8),
        ) {
            let fixes: Vec<Fix> = spans
                .iter()
                .map(|&(start, len)| fix(&[(start.min(text.len()), (start + len).min(text.len()), "#")]))
                .collect();
            let (out, count) = applied(&text, &fixes);
            prop_assert!(count <= fixes.len());
            // Each applied edit leaves one mark, and the text between the marks is unchanged and in
            // order.
            let mut rest = text.as_str();
            for piece in out.split('#') {
                let at = rest.find(piece);
                prop_assert!(at.is_some());
                rest = &rest[at.unwrap_or(0) + piece.len()..];
            }
        }
    }
}
