//! The figures of an edit for the statistics of a session: numbers of findings by rule, and marks
//! that identify the file and its states.

use aidd_engine::text::finding::{Finding, Severity, Status};
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Edit, Mark};
use std::collections::{BTreeMap, HashMap};

/// A file before or after an edit, and its findings.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<'a> {
    pub(super) text: &'a [u8],
    pub(super) findings: &'a [Finding],
}

impl<'a> State<'a> {
    fn mark(self) -> Mark {
        Mark::new(&String::from_utf8_lossy(self.text))
    }

    /// The findings that are neither allowed nor in the baseline.
    fn open(self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(|finding| finding.status == Status::New)
    }

    fn by_id(self) -> HashMap<&'a str, Status> {
        self.findings.iter().map(|finding| (finding.id.as_str(), finding.status)).collect()
    }
}

/// The figures of the edit of the file at `path`; `before` is `None` for a new file.
pub(super) fn compute(path: &str, before: Option<State<'_>>, after: State<'_>) -> Edit {
    let old = before.unwrap_or(State { text: b"", findings: &[] });
    let (known, remaining) = (old.by_id(), after.by_id());
    let introduced = || after.open().filter(|finding| !known.contains_key(finding.id.as_str()));
    let fixed = || old.open().filter(|finding| !remaining.contains_key(finding.id.as_str()));
    let allowed = after.findings.iter().filter(|finding| {
        finding.status == Status::Allowed
            && known.get(finding.id.as_str()) != Some(&Status::Allowed)
    });
    let mut rules: BTreeMap<Name, [u32; 3]> = BTreeMap::new();
    let mut count = |finding: &Finding, column: usize| {
        if let Some(rule) = Name::new(&finding.rule) {
            rules.entry(rule).or_default()[column] += 1;
        }
    };
    introduced().for_each(|finding| count(finding, 0));
    fixed().for_each(|finding| count(finding, 1));
    allowed.for_each(|finding| count(finding, 2));
    let errors = |state: State<'_>| {
        to_u32(state.open().filter(|finding| finding.severity == Severity::Error).count())
    };
    Edit {
        path: Mark::new(path),
        lines: changed_lines(old.text, after.text),
        old: before.map(State::mark),
        new: after.mark(),
        before: to_u32(old.open().count()),
        after: to_u32(after.open().count()),
        errors_before: errors(old),
        errors: errors(after),
        rules,
        introduced: Mark::from_findings(introduced().map(|finding| finding.id.as_str())),
        fixed: Mark::from_findings(fixed().map(|finding| finding.id.as_str())),
    }
}

/// Number of lines of `after` that `before` does not contain.
fn changed_lines(before: &[u8], after: &[u8]) -> u32 {
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for line in before.split(|byte| *byte == b'\n') {
        *known.entry(line).or_default() += 1;
    }
    let mut changed = 0;
    for line in after.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match known.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => changed += 1,
        }
    }
    changed
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_lines_are_counted() {
        for (before, after, count) in [
            ("", "a\nb\n", 2),
            ("a\nb\n", "b\na\n", 0),
            ("a\n", "a\na\n", 1),
            ("a\nb\nc\n", "a\nx\nc\n", 1),
            ("a\nb\n", "a\n", 0),
        ] {
            assert_eq!(changed_lines(before.as_bytes(), after.as_bytes()), count, "{after:?}");
        }
    }
}
