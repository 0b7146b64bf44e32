//! Questions about a small project.

use super::{project, update};
use crate::query::Reader;

const FILES: &[(&str, &str)] = &[
    ("api.py", "from store import save\n\ndef post():\n    save()\n\ndef unused():\n    pass\n"),
    (
        "store.py",
        "def save():\n    _write()\n\ndef _write():\n    pass\n\ndef _dead():\n    pass\n",
    ),
    ("tests/test_api.py", "from api import post\n\ndef test_post():\n    post()\n"),
];

fn reader() -> (tempfile::TempDir, Reader) {
    let dir = project(FILES);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    (dir, reader)
}

#[test]
fn callers_impact_and_paths_follow_proved_calls() {
    let (_dir, reader) = reader();
    let id = |name: &str| reader.named(name).expect("read")[0].id;
    let callers = reader.callers(id("save"), false).expect("read");
    let callers: Vec<String> = callers
        .iter()
        .map(|call| {
            let name = call.symbol.as_ref().map_or("-", |symbol| &*symbol.qualified);
            format!("{}:{} {name}", call.path, call.line)
        })
        .collect();
    assert_eq!(callers, ["api.py:4 post"]);
    let reached = reader.impact(&[id("_write")], 5).expect("read");
    let reached: Vec<&str> = reached.iter().map(|found| &*found.symbol.qualified).collect();
    assert_eq!(reached, ["save", "post", "test_post"]);
    let path = reader.path(&[id("post")], &[id("_write")]).expect("read");
    let path: Vec<&str> = path.iter().map(|symbol| &*symbol.qualified).collect();
    assert_eq!(path, ["post", "save", "_write"]);
    assert_eq!(reader.affected(&["store.py".to_owned()]).expect("read"), ["tests/test_api.py"]);
    let dead = reader.dead(false, 10).expect("read").symbols;
    let dead: Vec<&str> = dead.iter().map(|symbol| &*symbol.qualified).collect();
    assert_eq!(dead, ["_dead"]);
    assert!(reader.problems().expect("read").is_empty());
}

#[test]
fn symbols_are_found_by_name_key_and_place() {
    let (_dir, reader) = reader();
    for text in ["save", "store.py#save~function", "store.py:2"] {
        assert_eq!(reader.named(text).expect("read")[0].key, "store.py#save~function", "{text}");
    }
    assert_eq!(reader.find("AV", 5).expect("read")[0].qualified, "save");
    assert!(reader.named("missing").expect("read").is_empty());
}

#[test]
fn a_map_fits_its_budget() {
    let (_dir, reader) = reader();
    for budget in [0, 5, 20, 40, 1000] {
        let map = reader.map(budget, &["store.py".to_owned()]).expect("read");
        assert!(aidd_lexicon::tokens::count(&map) <= budget, "{budget}: {map}");
    }
    let map = reader.map(1000, &[]).expect("read");
    assert!(map.contains("store.py\n  1: def save()\n"), "{map}");
}

#[test]
fn code_outside_of_symbols_is_reached_too() {
    let dir = project(&[
        ("send.ts", "export function send() {}\n\nexport function post() {\n  send();\n}\n"),
        ("routes.ts", "import { post } from \"./send\";\n\npost();\n"),
        ("table.ts", "import { post } from \"./send\";\n\nexport const all = { post };\n"),
        ("send.test.ts", "import { post } from \"./send\";\n\npost();\n"),
    ]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let reach = |name: &str| {
        let found = reader.reach(reader.named(name).expect("read")).expect("read");
        (found.callers.len(), found.indirect, found.tests)
    };
    let tests = vec!["send.test.ts".to_owned()];
    assert_eq!(reach("send"), (1, 2, tests.clone()));
    // As many as are listed for the symbol itself.
    assert_eq!(reach("post"), (2, 0, tests));
}

#[test]
fn each_word_of_a_question_is_soon_represented() {
    let code = "def mark_read(n): pass\ndef mark_all_read(n): pass\ndef mark_unread(n): pass\n\
        def mark_as_read(n): pass\ndef snooze(n): pass\ndef send_mail(n): pass\n";
    let dir = project(&[("notifications.py", code)]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let names = |question: &str| -> Vec<String> {
        let subject = reader.subject(question, 3).expect("read");
        subject.similar.into_iter().map(|symbol| symbol.qualified).collect()
    };
    let found = names("how are notifications snoozed and marked as read");
    assert!(found.iter().any(|name| name == "snooze"), "{found:?}");
    // Irregular forms of verbs match the form in the name.
    assert_eq!(names("when is the mail sent").first().map(String::as_str), Some("send_mail"));
}

#[test]
fn words_of_a_name_and_its_enclosing_symbol_find_a_method() {
    let others: String = (0..12)
        .map(|n| format!("class Kind{n}:\n    def delete(self):\n        pass\n\n"))
        .collect();
    let dir = project(&[
        ("a.py", &others),
        (
            "b.py",
            "class Team:\n    def delete(self):\n        pass\n\n    def read(self):\n        pass\n",
        ),
        ("c.py", "def delete():\n    pass\n\nteam = 1\n"),
    ]);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let first = |question: &str| {
        let subject = reader.subject(question, 3).expect("read");
        subject.similar.into_iter().next().map(|symbol| symbol.qualified).unwrap_or_default()
    };
    assert_eq!(first("delete team"), "Team.delete");
    assert_eq!(first("team delete"), "Team.delete");
    assert_eq!(first("where is a team deleted"), "Team.delete");
    // Two names that no symbol contains together.
    let subject = reader.subject("read team", 3).expect("read");
    assert_eq!(subject.similar.first().map(|symbol| &*symbol.qualified), Some("Team.read"));
    let subject = reader.subject("Kind1 Kind2", 3).expect("read");
    assert_eq!(subject.named.len(), 2);
}

#[test]
fn generated_code_comes_after_written_code() {
    let go = "package a\n\nfunc SendOrder() {\n\tprintln()\n}\n";
    let caller = "package a\n\nfunc B() {\n\tSendOrder()\n\tSendOrder()\n}\n";
    let header = format!("// Code generated by tool. DO NOT EDIT.\n\n{go}");
    for (path, text) in [("gen/a.go", &*header), ("gen/a.pb.go", go), ("gen/zz_generated.a.go", go)]
    {
        let dir = project(&[
            (path, text),
            ("gen/b.go", caller),
            ("own/a.go", go),
            ("go.mod", "module x\n"),
        ]);
        update(dir.path());
        let reader = Reader::open(dir.path()).expect("an index");
        let subject = reader.subject("how is an order sent", 3).expect("read");
        assert_eq!(subject.similar[0].path, "own/a.go", "{path}");
        assert_eq!(reader.named("SendOrder").expect("read")[0].path, "own/a.go", "{path}");
        let map = reader.map(1000, &[]).expect("read");
        // Within the budget, generated code is still listed.
        assert!(map.contains(path), "{map}");
        let few = reader.map(16, &[]).expect("read");
        assert!(!few.contains(path), "{few}");
    }
}
