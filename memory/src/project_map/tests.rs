use super::*;
use crate::DISTRIBUTION;
use crate::store::BackendChoice;

fn open(root: &Path) -> ProjectMemory {
    let clock = std::sync::atomic::AtomicI64::new(1_000);
    let clock = Box::new(move || clock.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    ProjectMemory::open(&DISTRIBUTION, root, BackendChoice::Auto, clock).expect("a memory")
}

fn theme(name: &str, paths: &[&str]) -> MapEntry {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    MapEntry { paths, ..MapEntry::new(MapKind::Theme, name) }
}

fn lines(map: &ProjectMap) -> Vec<String> {
    map.entries()
        .map(|(place, entry)| format!("{place} {} {:?}", entry.name, entry.paths))
        .collect()
}

#[test]
fn a_revision_changes_the_fields_that_it_has() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    memory.change_map(theme("pricing", &["shop"])).expect("written");
    let description = Some("All about prices".to_owned());
    memory.change_map(MapEntry { description, ..theme("pricing", &[]) }).expect("written");
    memory.change_map(theme("pricing", &["shop"])).expect("unchanged");
    let map = memory.project_map().expect("a map");
    assert_eq!(lines(&map), [r#"ai/memory/map.jsonl:2 pricing ["shop"]"#]);
    memory.change_map(MapEntry { removed: true, ..theme("pricing", &[]) }).expect("removed");
    assert_eq!(lines(&memory.project_map().expect("a map")), [""; 0]);
    let again = MapEntry { removed: true, ..theme("pricing", &[]) };
    let error = memory.change_map(again).expect_err("unknown");
    assert_eq!(error.to_string(), "unknown theme `pricing`");
    memory.change_map(theme("pricing", &["lib"])).expect("named again");
    let map = ProjectMap::of_project(folder.path()).expect("a map");
    assert_eq!(lines(&map), [r#"ai/memory/map.jsonl:4 pricing ["lib"]"#]);
}

#[test]
fn unreadable_lines_are_problems_and_the_order_of_lines_has_no_effect() {
    let old = r#"{"kind":"theme","name":"a","paths":["x"],"at":1}"#;
    let new = r#"{"kind":"theme","name":"a","paths":["y"],"at":2,"by":"me"}"#;
    let text = format!("{new}\n=======\n{old}\n{{\"kind\":\"song\"}}\n");
    let map = ProjectMap::read(text.as_bytes(), "map.jsonl");
    assert_eq!(lines(&map), [r#"map.jsonl:1 a ["y"]"#]);
    assert_eq!(
        map.problems,
        [
            "map.jsonl:2: merge conflict: delete the marker, all lines can remain",
            "map.jsonl:4: unknown variant `song`, expected `theme` or `flow` at line 1 column 14",
        ]
    );
    let map = ProjectMap::read(format!("{old}\n{new}").as_bytes(), "map.jsonl");
    assert_eq!(lines(&map), [r#"map.jsonl:2 a ["y"]"#]);
}

#[test]
fn a_theme_has_no_entry_points() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let entry = MapEntry { entries: vec!["main".to_owned()], ..theme("a", &[]) };
    let error = memory.change_map(entry).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "a theme has files and directories only; name a flow for entry points"
    );
    let error = memory.change_map(theme(" ", &[])).expect_err("refused");
    assert_eq!(error.to_string(), "the name is empty");
}

#[test]
fn a_name_needs_files_or_entry_points() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut memory = open(folder.path());
    let error = memory.change_map(theme("billing", &[])).expect_err("refused");
    let expected = "a theme needs at least one path; name its files or directories";
    assert_eq!(error.to_string(), expected);
    let flow = MapEntry { themes: vec!["shop".to_owned()], ..MapEntry::new(MapKind::Flow, "buy") };
    let error = memory.change_map(flow).expect_err("refused");
    let expected =
        "a flow needs at least one entry point or path; name the symbol at which it begins";
    assert_eq!(error.to_string(), expected);
    assert_eq!(lines(&memory.project_map().expect("a map")), [""; 0]);
}
