//! Keys of configurations for other versions, with what replaces them here.

use super::Problem;

/// The object that contains the key (empty for the outermost), the key, and the replacement.
const REPLACED: [(&str, &str, &str); 8] = [
    (
        "evolution",
        "autoApplyThreshold",
        "set `autoApply` to a confidence from 0.8 to 1; by default, nothing is applied without asking",
    ),
    ("evolution", "draftThreshold", "set `draft` to a confidence from 0.5 to 1"),
    ("evolution", "learningPeriodSessions", "set `learningPeriod`"),
    ("evolution", "killSwitch", "set `enabled` to false"),
    ("memory", "maxSessionHistory", "run `aidd memory prune --sessions N`"),
    ("memory", "autoPromoteBranchDecisions", "run `aidd memory branch` to promote decisions"),
    ("memory", "pruneAfterDays", "run `aidd memory prune --days N`"),
    ("", "modelTracking", "set `evolution.record`; records are never shared between projects"),
];

/// Explains an unknown key that has a replacement.
pub(super) fn explain(text: &str, mut problem: Problem) -> Problem {
    let key = text.get(problem.span.clone()).unwrap_or_default().trim_matches('"');
    let replaced = REPLACED.iter().find(|(object, name, _)| {
        let start = match *object {
            "" => format!("unknown key `{name}`;"),
            object => format!("unknown key `{name}` in `{object}`;"),
        };
        *name == key && problem.message.starts_with(&start)
    });
    if let Some((object, name, replacement)) = replaced {
        let place = if object.is_empty() { String::new() } else { format!(" in `{object}`") };
        problem.message = format!("unknown key `{name}`{place}; {replacement}");
        problem.suggestion = None;
    }
    problem
}
