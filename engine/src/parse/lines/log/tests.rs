use super::*;
use proptest::prelude::*;
use serde_json::json;

fn decision(id: &str, at: i64, content: &str) -> Revision {
    Revision::first(Kind::Decision, id.into(), at, content).with_rev()
}

fn edit(revision: &Revision, at: i64, content: &str) -> Revision {
    let parents = vec![revision.rev.clone()];
    Revision { parents, at, content: content.into(), ..revision.clone() }.with_rev()
}

fn file(lines: &[&Revision]) -> String {
    lines.iter().map(|line| line.line() + "\n").collect()
}

#[test]
fn an_edit_replaces_a_revision_and_concurrent_edits_conflict() {
    let first = decision("decision_1_a", 1, "use MySQL");
    let first_edit = edit(&first, 2, "use PostgreSQL");
    let second_edit = edit(&first, 3, "use SQLite");
    let folded = fold(&[first_edit.clone(), first.clone()]).expect("a memory");
    assert_eq!(folded.entry.content, "use PostgreSQL");
    assert!(!folded.entry.is_contested());
    assert_eq!((folded.entry.created_at, folded.entry.updated_at), (1, 2));

    let folded = fold(&[first.clone(), first_edit.clone(), second_edit.clone()]).expect("a memory");
    assert_eq!(folded.entry.content, "use SQLite");
    assert_eq!(folded.entry.heads, [second_edit.rev.clone(), first_edit.rev.clone()]);

    let parents = tips(&[first.clone(), first_edit.clone(), second_edit.clone()]);
    let resolved = Revision::next(&folded.entry, folded.links, parents, 4).with_rev();
    let folded = fold(&[resolved, second_edit, first_edit, first]).expect("a memory");
    assert!(!folded.entry.is_contested());
}

#[test]
fn an_edit_takes_precedence_over_a_concurrent_removal() {
    let first = decision("decision_1_a", 1, "a");
    let entry = fold(std::slice::from_ref(&first)).expect("a memory").entry;
    let parents = vec![first.rev.clone()];
    let removal = Revision::removal(&entry, parents, 9, Some("wrong".into())).with_rev();
    let removed = fold(&[first.clone(), removal.clone()]).expect("a memory").entry;
    assert_eq!((removed.status, &*removed.content), (Status::Removed, "a"));
    let edited = edit(&first, 2, "b");
    let retained = fold(&[first, removal, edited]).expect("a memory").entry;
    assert_eq!((retained.status, &*retained.content), (Status::Active, "b"));
    assert!(retained.is_contested());
}

#[test]
fn identical_edits_count_as_one() {
    let first = decision("decision_1_a", 1, "a");
    let folded =
        fold(&[first.clone(), edit(&first, 2, "b"), edit(&first, 3, "b")]).expect("a memory");
    assert!(!folded.entry.is_contested());
}

#[test]
fn an_edit_after_identical_edits_replaces_both() {
    let first = decision("decision_1_a", 1, "a");
    let lines = [first.clone(), edit(&first, 2, "b"), edit(&first, 3, "b")];
    let FoldedMemory { entry, links } = fold(&lines).expect("a memory");
    assert_eq!((entry.heads.len(), tips(&lines).len()), (1, 2));
    let fold_with = |line: Revision| {
        let all = [&lines[..], &[line.with_rev()]].concat();
        fold(&all).expect("a memory").entry
    };
    let removed = fold_with(Revision::removal(&entry, tips(&lines), 4, None));
    assert_eq!((removed.status, removed.heads.len()), (Status::Removed, 1));
    let mut next = Revision::next(&entry, links, tips(&lines), 4);
    next.content = "c".into();
    let edited = fold_with(next);
    assert_eq!((&*edited.content, edited.heads.len()), ("c", 1));
    // Hand-written parents in a cycle: all are tips.
    let mut cycle = [decision("decision_1_a", 1, "a"), decision("decision_1_a", 2, "b")];
    let revs = [cycle[0].rev.clone(), cycle[1].rev.clone()];
    cycle[0].parents = vec![revs[1].clone()];
    cycle[1].parents = vec![revs[0].clone()];
    assert_eq!(tips(&cycle), [revs[1].clone(), revs[0].clone()]);
}

#[test]
fn a_line_without_content_is_not_a_memory() {
    let text = [
        r#"{"decision":"Use SQLite","reasoning":"x","id":"m0","type":"decision"}"#,
        r#"{"content":" ","id":"m1","type":"mistake"}"#,
        r#"{"id":"m2","type":"decision","schemaVersion":99,"text":"of a newer form"}"#,
        r#"{"id":"m3","type":"decision","op":"remove"}"#,
    ]
    .join("\n");
    let (revisions, problems) = read("f", text.as_bytes());
    let ids: Vec<&str> = revisions.iter().map(|revision| &*revision.id).collect();
    assert_eq!(ids, ["m2", "m3"]);
    let messages: Vec<(usize, &str)> =
        problems.iter().map(|problem| (problem.line, &*problem.message)).collect();
    assert_eq!(
        messages,
        [
            (1, "decision without `content`; rename `decision` to `content`"),
            (2, "mistake without `content`"),
        ]
    );
    assert!(problems.iter().all(|problem| problem.kind == ProblemKind::MalformedLine));
}

#[test]
fn occurrences_on_both_sides_are_added_up() {
    let first = Revision::first(Kind::Mistake, "mistake_1_a".into(), 1, "boom").with_rev();
    let seen =
        |at| Revision { op: Op::Seen, at, content: String::new(), ..first.clone() }.with_rev();
    let folded = fold(&[first.clone(), seen(5), seen(3), seen(5)]).expect("a memory");
    assert_eq!(folded.entry.metadata[OCCURRENCES], 3);
    assert_eq!(folded.entry.metadata[LAST_SEEN], 5);
    assert_eq!(fold(&[seen(5)]), None);
}

#[test]
fn problems_are_reported_and_the_rest_is_read() {
    let first = decision("decision_1_a", 1, "a");
    let (ours, theirs) = (edit(&first, 2, "b"), edit(&first, 3, "c"));
    let by_hand = ours.line().replace("\"b\"", "\"by hand\"");
    let newer = r#"{"id":"decision_2_b","type":"decision","at":5,"content":"x","mood":"good"}"#;
    let text = format!(
        "\u{FEFF}{}\r\n<<<<<<< HEAD\n{by_hand}\n=======\n{}\n>>>>>>> topic\n\n{}\n{newer}\n{{\"id\": 3}}\nfoo\n{{\"id\":\"decision_3",
        first.line(),
        theirs.line(),
        theirs.line(),
    );
    let (revisions, problems) = read("ai/memory/decisions.jsonl", text.as_bytes());
    assert_eq!(revisions.len(), 4);
    assert_eq!(revisions[3].extra["mood"], "good");
    let reported: Vec<String> =
        problems.iter().map(|problem| format!("{} {:?}", problem.line, problem.kind)).collect();
    assert_eq!(
        reported,
        [
            "2 ConflictMarker",
            "3 EditedLine",
            "4 ConflictMarker",
            "6 ConflictMarker",
            "8 DuplicateLine",
            "10 MalformedLine",
            "11 MalformedLine",
            "12 MalformedLine",
        ]
    );
    let folded = fold(&revisions[..3]).expect("a memory");
    assert_eq!(folded.entry.heads.len(), 2);
}

#[test]
fn a_written_line_is_parsed_to_the_same_revision() {
    let mut revision = decision("decision_1_a", 1, "줄\nbreak \u{2028}");
    revision.links.push(Link::new(super::super::types::Relation::Debates, "decision_0_z"));
    revision.extra.insert("later".into(), json!({"b": 1, "a": [null]}));
    let revision = revision.with_rev();
    let line = revision.line();
    assert!(!line.contains('\n'));
    let (read, problems) = read("f", line.as_bytes());
    assert_eq!((read, problems), (vec![revision], vec![]));
}

/// One action of one of two writers on one of three memories.
#[derive(Clone, Debug)]
struct Action {
    side: usize,
    memory: usize,
    operation: u8,
}

fn any_action() -> impl Strategy<Value = Action> {
    (0..2usize, 0..3usize, 0..6u8).prop_map(|(side, memory, operation)| Action {
        side,
        memory,
        operation,
    })
}

fn fold_memory(lines: &[Revision], id: &str) -> Option<FoldedMemory> {
    let own_lines: Vec<Revision> = lines.iter().filter(|line| line.id == id).cloned().collect();
    fold(&own_lines)
}

/// The lines that each side writes, starting from `base`.
fn apply_actions(base: &[Revision], actions: &[Action]) -> [Vec<Revision>; 2] {
    let mut sides = [base.to_vec(), base.to_vec()];
    for (at, action) in (100..).zip(actions) {
        let side = &mut sides[action.side];
        let id = format!("decision_1_{}", action.memory);
        let own_lines: Vec<Revision> = side.iter().filter(|line| line.id == id).cloned().collect();
        let new = match (fold(&own_lines), action.operation) {
            (None, _) => decision(&id, at, &format!("made by {}", action.side)),
            (Some(folded), 0) => {
                Revision::removal(&folded.entry, tips(&own_lines), at, None).with_rev()
            }
            (Some(folded), 1) => {
                let seen = Revision::first(Kind::Decision, folded.entry.id, at, "");
                Revision { op: Op::Seen, ..seen }.with_rev()
            }
            (Some(folded), operation) => {
                let mut next = Revision::next(&folded.entry, folded.links, tips(&own_lines), at);
                // Both sides sometimes make the same edit.
                next.content = match operation {
                    2 => "the same".to_owned(),
                    _ => format!("{operation} by {} at {at}", action.side),
                };
                next.with_rev()
            }
        };
        side.push(new);
    }
    sides
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn any_merge_retains_both_sides(
        base in proptest::collection::vec(any_action(), 0..5),
        actions in proptest::collection::vec(any_action(), 0..12),
        shuffle in any::<u64>(),
    ) {
        let base = apply_actions(&[], &base)[0].clone();
        let [ours, theirs] = apply_actions(&base, &actions);
        // The lines of both sides in any order; a line shared by both sides occurs twice.
        let mut merged: Vec<&Revision> = ours.iter().chain(&theirs).collect();
        merged.sort_by_key(|line| id::digest(&[&line.rev, &shuffle.to_string()]));
        let text = merged.iter().map(|line| line.line() + "\n").collect::<String>();
        let (lines, problems) = read("f", text.as_bytes());
        prop_assert!(problems.iter().all(|problem| problem.kind == ProblemKind::DuplicateLine));
        let ordered: Vec<&Revision> = ours.iter().chain(&theirs).collect();
        let (in_order, _) = read("f", file(&ordered).as_bytes());
        for memory in 0..3 {
            let id = format!("decision_1_{memory}");
            let folded = fold_memory(&lines, &id);
            prop_assert_eq!(&folded, &fold_memory(&in_order, &id));
            // The last state on each side is a head, was replaced by the other side, or equals
            // another head.
            for side in [&ours, &theirs] {
                let Some(own_lines) = fold_memory(side, &id) else { continue };
                let heads = &folded.as_ref().expect("a memory").entry.heads;
                for head in &own_lines.entry.heads {
                    let own_line = lines.iter().find(|line| line.rev == *head).expect("a retained line");
                    let replaced = lines.iter().any(|line| line.parents.contains(head));
                    let is_duplicate = heads.iter().any(|other| {
                        lines.iter().any(|line| line.rev == *other && line.state() == own_line.state())
                    });
                    prop_assert!(heads.contains(head) || replaced || is_duplicate);
                }
            }
        }
    }
}
