//! Merges the lowered findings of a file, so that a test or an example has one finding per kind of rule.

use super::Lowered;
use crate::text::edits::Edits;
use crate::text::finding::{Finding, Fix, Related, Safety, Status};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of other locations that a grouped finding lists.
const MAX_RELATED: usize = 20;

/// Merges the lowered findings whose rules are of the same kind into one of them, which lists the
/// others and whose fix has the edits of all. Allowed findings are unchanged.
pub(in crate::check) fn group(lowered: &Lowered, length: usize, findings: &mut Vec<Finding>) {
    let is_lowered = |finding: &Finding| {
        finding.status == Status::New && lowered.contains(&(finding.span, finding.rule.clone()))
    };
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_lowered(finding)) {
        let kind = finding.rule.split('/').next().unwrap_or_default();
        groups.entry(kind.to_owned()).or_default().push(at);
    }
    let mut merged = HashSet::new();
    for mut group in groups.into_values().filter(|group| group.len() > 1) {
        // A fix must remove its finding, so the first finding with a fix has the fix of all.
        group.sort_by_cached_key(|&at| {
            let finding = &findings[at];
            (safety(finding).map_or(2, |safety| safety as u8), finding.span, finding.rule.clone())
        });
        let members: Vec<&Finding> = group.iter().map(|&at| &findings[at]).collect();
        let fix = combined_fix(&members, length);
        let [first, ref mut others @ ..] = group[..] else { continue };
        others.sort_by_cached_key(|&at| (findings[at].span, findings[at].rule.clone()));
        let related: Vec<Related> = others
            .iter()
            .take(MAX_RELATED)
            .map(|&at| Related { span: findings[at].span, message: findings[at].message.clone() })
            .collect();
        let finding = &mut findings[first];
        let count = match others.len() {
            count @ ..=MAX_RELATED => format!("{count} more below"),
            count => format!("{count} more, the first {MAX_RELATED} below"),
        };
        finding.message = format!("{}, {count}", finding.message);
        finding.related.extend(related);
        finding.fix = fix.or_else(|| finding.fix.take());
        merged.extend(others.iter().copied());
    }
    let mut at = 0;
    findings.retain(|_| {
        at += 1;
        !merged.contains(&(at - 1))
    });
}

/// The safety of the edits that fix a finding; `None` without edits.
fn safety(finding: &Finding) -> Option<Safety> {
    finding.fix.as_ref().filter(|fix| !fix.edits.is_empty()).map(|fix| fix.safety)
}

/// The edits of all members that are as safe as those of the first, in a file of `length` bytes. If
/// edits overlap, those of the earlier member are used. `None` if the first member has no edits.
fn combined_fix(members: &[&Finding], length: usize) -> Option<Fix> {
    let safety = safety(members.first()?)?;
    let mut edits = Edits::default();
    let fixes: Vec<&Fix> = members
        .iter()
        .filter_map(|member| member.fix.as_ref())
        .filter(|fix| fix.safety == safety && fix.file.is_none() && edits.add_fix(fix, length))
        .collect();
    let count = match (fixes.len(), members.len()) {
        (fixed, all) if fixed == all => format!("all {all}"),
        (fixed, all) => format!("{fixed} of {all}"),
    };
    let title = &fixes.first()?.title;
    let has_one_title = fixes.iter().all(|fix| fix.title == *title);
    Some(Fix {
        title: if has_one_title {
            format!("{title} (fixes {count} findings)")
        } else {
            format!("Fix {count} findings")
        },
        safety,
        edits: edits.into_edits(),
        file: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::finding::{Edit, RuleId, Severity};
    use crate::text::source::Span;

    /// A finding at a byte, with a fix that replaces the byte.
    fn finding(rule: &str, at: usize, fix: Option<(&str, Safety)>) -> Finding {
        let span = Span::new(at, at + 1);
        let mut finding = Finding::new(rule.into(), Severity::Info, span, "m");
        finding.fix = fix.map(|(title, safety)| {
            let edits = vec![Edit::replace(span, title)];
            Fix { title: title.to_owned(), safety, edits, file: None }
        });
        finding
    }

    /// The findings after they are grouped: the position, the message, the title of the fix and the
    /// positions of its edits.
    fn grouped(mut findings: Vec<Finding>) -> Vec<String> {
        let key = |finding: &Finding| (finding.span, finding.rule.clone());
        let lowered: HashSet<(Span, RuleId)> = findings.iter().map(key).collect();
        group(&lowered, 10, &mut findings);
        let display = |finding: &Finding| {
            let fix = finding.fix.as_ref().map(|fix| {
                let starts: Vec<u32> = fix.edits.iter().map(|edit| edit.span.start).collect();
                format!(": {} ({}) {starts:?}", fix.title, fix.safety)
            });
            format!("{} {}{}", finding.span.start, finding.message, fix.unwrap_or_default())
        };
        findings.iter().map(display).collect()
    }

    #[test]
    fn the_fix_of_a_group_has_the_edits_of_all_findings() {
        let same = Some(("x", Safety::Safe));
        assert_eq!(
            grouped(vec![
                finding("a/b", 5, same),
                finding("a/c", 1, same),
                finding("d/e", 3, None)
            ]),
            ["1 m, 1 more below: x (fixes all 2 findings) (safe) [1, 5]", "3 m"]
        );
        let other = Some(("y", Safety::Safe));
        assert_eq!(
            grouped(vec![finding("a/b", 1, same), finding("a/b", 5, other)]),
            ["1 m, 1 more below: Fix all 2 findings (safe) [1, 5]"]
        );
    }

    #[test]
    fn the_first_finding_with_a_fix_represents_the_group() {
        let (safe, not_safe) = (Some(("x", Safety::Safe)), Some(("y", Safety::Unsafe)));
        assert_eq!(
            grouped(vec![
                finding("a/b", 1, None),
                finding("a/b", 3, not_safe),
                finding("a/b", 5, safe),
            ]),
            ["5 m, 2 more below: x (fixes 1 of 3 findings) (safe) [5]"]
        );
        assert_eq!(
            grouped(vec![finding("a/b", 1, None), finding("a/b", 3, not_safe)]),
            ["3 m, 1 more below: y (fixes 1 of 2 findings) (unsafe) [3]"]
        );
        assert_eq!(
            grouped(vec![finding("a/c", 1, None), finding("a/b", 3, None)]),
            ["1 m, 1 more below"]
        );
    }

    #[test]
    fn edits_that_overlap_are_left_out() {
        let fix = |title| Some((title, Safety::Safe));
        assert_eq!(
            grouped(vec![finding("a/b", 1, fix("x")), finding("a/c", 1, fix("y"))]),
            ["1 m, 1 more below: x (fixes 1 of 2 findings) (safe) [1]"]
        );
    }
}
