//! Tests of the log and of the state that follows from it.

use super::*;
use crate::tests::apply;
use proptest::prelude::*;

fn change(at: i64, key: &str, before: Option<&str>, after: Option<&str>) -> LogEntry {
    apply(at, key, before, after).sealed()
}

#[test]
fn the_last_change_of_a_value_wins_and_both_are_reported() {
    let ours = change(1, "api", None, Some("one"));
    let theirs = change(2, "api", None, Some("two"));
    let state = State::new(&[ours.clone(), theirs.clone()]);
    assert_eq!(state.overlay.routing["api"], "two");
    assert_eq!(state.conflicts, [(ours.id, theirs.id)]);
}

#[test]
fn a_list_and_damaged_lines_are_read() {
    let one = change(1, "a", None, Some("x"));
    let list = serde_json::to_string(&[&one]).expect("JSON");
    assert_eq!(parse(&list), (vec![one.clone()], 0));
    let damaged = format!("{}<<<<<<< ours\n{{\"id\":\n{}", one.to_line(), one.to_line());
    assert_eq!(parse(&damaged), (vec![one], 2));
}

#[test]
fn a_rejection_silences_similar_drafts_for_30_days() {
    let mut draft = LogEntry::new(Action::Draft, "never call moment() in src", 0, "aidd");
    draft.draft = Some(DraftData {
        category: Category::Rules,
        path: ".aidd/drafts/rules/a.md".to_owned(),
        notes: Vec::new(),
    });
    let draft = draft.sealed();
    let mut reject = LogEntry::new(Action::Reject, "", DAY, "person");
    reject.target = Some(draft.id.clone());
    let state = State::new(&[draft, reject.sealed()]);
    assert!(state.silenced_by("never call moment() in the src", 2 * DAY).is_some());
    assert!(state.silenced_by("prefer the role reviewer", 2 * DAY).is_none());
    assert!(state.silenced_by("never call moment() in src", 32 * DAY).is_none());
}

proptest! {
    /// Git merges the log by union: the lines of both clones, in any order, some twice.
    #[test]
    fn logs_merge_without_loss_in_any_order(
        entries in prop::collection::vec((0..9i64, 0..3usize, prop::option::of(0..3usize)), 0..24),
        order in prop::collection::vec(any::<prop::sample::Index>(), 48),
    ) {
        const NAMES: [&str; 3] = ["a", "b", "c"];
        let entries: Vec<LogEntry> = entries
            .iter()
            .map(|(at, key, value)| change(*at, NAMES[*key], None, value.map(|value| NAMES[value])))
            .collect();
        let straight: String = entries.iter().map(LogEntry::to_line).collect();
        let mut lines: Vec<String> = entries.iter().map(LogEntry::to_line).collect();
        if !lines.is_empty() {
            for pair in order.chunks(2) {
                let (one, other) = (pair[0].index(lines.len()), pair[1].index(lines.len()));
                lines.swap(one, other);
                let again = lines[one].clone();
                lines.push(again);
            }
        }
        let (one, _) = parse(&straight);
        let (other, unread) = parse(&lines.concat());
        prop_assert_eq!(unread, 0);
        prop_assert_eq!(&one, &other);
        prop_assert!(entries.iter().all(|entry| other.contains(entry)));
        prop_assert_eq!(State::new(&one), State::new(&other));
    }
}

#[test]
fn an_applied_change_decides_its_draft_and_a_revert_reopens_it() {
    let mut draft = LogEntry::new(Action::Draft, "prefer a", 1, "aidd");
    draft.candidate = Some("routing_weight::a".to_owned());
    draft.draft = Some(DraftData {
        category: Category::Settings,
        path: ".aidd/drafts/settings/a.json".to_owned(),
        notes: Vec::new(),
    });
    let draft = draft.sealed();
    let mut applied = change(2, "a", None, Some("x"));
    applied.candidate.clone_from(&draft.candidate);
    applied.target = Some(draft.id.clone());
    let mut revert = LogEntry::new(Action::Revert, "prefer a", 3, "person");
    revert.target = Some(applied.id.clone());
    let status = |entries: &[LogEntry]| State::new(entries).drafts[&draft.id].status;
    let entries = [draft.clone(), applied, revert.sealed()];
    assert_eq!(status(&entries[..1]), DraftStatus::Pending);
    assert_eq!(status(&entries[..2]), DraftStatus::Approved);
    assert_eq!(status(&entries), DraftStatus::Pending);
    assert!(State::new(&entries[..2]).has_applied("routing_weight::a"));
}
