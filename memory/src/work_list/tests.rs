use super::*;
use crate::DISTRIBUTION;
use crate::store::BackendChoice;
use std::path::Path;

fn open(root: &Path) -> ProjectMemory {
    let clock = std::sync::atomic::AtomicI64::new(1_000);
    let clock = Box::new(move || clock.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    ProjectMemory::open(&DISTRIBUTION, root, BackendChoice::Auto, clock).expect("a memory")
}

fn add(memory: &mut ProjectMemory, level: Level, title: &str, parent: Option<&str>) -> String {
    let new = NewWork { level, parent: parent.map(str::to_owned), ..NewWork::task(title) };
    memory.add_work(new).expect("added").id
}

fn status(status: WorkStatus) -> WorkChange {
    WorkChange { status: Some(status), ..WorkChange::default() }
}

#[test]
fn progress_is_counted_from_the_parts() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let stage = add(&mut memory, Level::Stage, "Core", None);
    let first = add(&mut memory, Level::Task, "Parse", Some(&stage));
    let second = add(&mut memory, Level::Task, "Print", Some("Core"));
    let part = add(&mut memory, Level::Subtask, "Escape", Some(&second));
    memory.change_work(&first, &status(WorkStatus::Done)).expect("changed");
    let error = memory.change_work(&stage, &status(WorkStatus::Done)).expect_err("unfinished");
    assert_eq!(
        error.to_string(),
        "`Core` has unfinished parts: 1, such as `Escape`; finish or drop them first"
    );
    let list = memory.work().expect("a list");
    assert_eq!(list.total(), Progress { done: 1, total: 2 });
    assert_eq!(list.status(list.get(&stage).expect("a stage")), WorkStatus::Started);
    assert_eq!(list.next().iter().map(|entry| &*entry.title).collect::<Vec<_>>(), ["Escape"]);
    memory.change_work(&part, &status(WorkStatus::Done)).expect("changed");
    let list = memory.work().expect("a list");
    assert_eq!(list.status(list.get(&stage).expect("a stage")), WorkStatus::Done);
    assert_eq!(list.total().percent(), 100);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the tracked file")]
fn the_order_of_lines_has_no_effect() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let task = add(&mut memory, Level::Task, "Parse", None);
    for state in [WorkStatus::Started, WorkStatus::Blocked, WorkStatus::Started] {
        memory.change_work(&task, &status(state)).expect("changed");
    }
    let path = folder.path().join(memory.work_path());
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    let reversed = WorkList::read(lines.join("\n").as_bytes(), "work.jsonl");
    let entry = reversed.get(&task).expect("an entry");
    assert_eq!(entry, memory.work().expect("a list").get(&task).expect("an entry"));
    assert_eq!(entry.status, WorkStatus::Started);
}

#[test]
fn unreadable_lines_are_problems_and_the_rest_is_read() {
    let good = r#"{"id":"task_1_a","level":"task","title":"A","status":"open","priority":"low","at":1,"extra":2}"#;
    let text = format!("{good}\n<<<<<<< ours\n{good}\n");
    let list = WorkList::read(text.as_bytes(), "ai/memory/work.jsonl");
    assert_eq!(
        list.problems,
        ["ai/memory/work.jsonl:2: merge conflict: delete the marker, all lines can remain"]
    );
    assert_eq!(list.entries().count(), 1);
    assert_eq!(list.get("task_1_a").expect("an entry").other["extra"], 2);
}

#[test]
fn levels_limit_the_parts_and_cycles_end() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let item = add(&mut memory, Level::Item, "Step", None);
    let new = NewWork { parent: Some(item.clone()), ..NewWork::task("Part") };
    let error = memory.add_work(new).expect_err("not allowed");
    assert_eq!(error.to_string(), format!("item `{item}` cannot contain task entries"));
    let cycle = r#"{"id":"a","level":"task","title":"A","parent":"b","status":"open","priority":"low","at":1}
{"id":"b","level":"task","title":"B","parent":"a","status":"open","priority":"low","at":1}"#;
    let list = WorkList::read(cycle.as_bytes(), "work.jsonl");
    assert_eq!(list.total(), Progress::default());
    assert_eq!(list.status(list.get("a").expect("an entry")), WorkStatus::Open);
}

#[test]
fn secrets_are_not_written() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let token = ["ghp_", "XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg"].concat();
    let entry = memory.add_work(NewWork::task(format!("Rotate {token}"))).expect("added");
    assert!(!entry.title.contains(&token), "{}", entry.title);
}
