//! Themes and flows that people named.

use super::{project, update};
use crate::names::{Named, problems};
use crate::query::Reader;
use crate::sql::query_with;
use std::path::Path;

const FILES: &[(&str, &str)] = &[
    (
        "shop/prices.py",
        "def total(prices):\n    return sum(prices)\n\ndef main():\n    return total([1])\n",
    ),
    ("shop/cart.py", "from shop.prices import total\n\ndef pay(cart):\n    return total(cart)\n"),
    ("web/app.py", "from shop.cart import pay\n\ndef main():\n    return pay([])\n"),
];

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn named() -> Vec<Named> {
    vec![
        Named {
            is_flow: true,
            name: "checkout".to_owned(),
            description: Some("Pays a cart".to_owned()),
            entries: strings(&["shop/cart.py#pay"]),
            place: "map.jsonl:1".to_owned(),
            ..Named::default()
        },
        Named {
            is_flow: true,
            name: "start".to_owned(),
            entries: strings(&["web/app.py#main"]),
            themes: strings(&["money"]),
            place: "map.jsonl:2".to_owned(),
            ..Named::default()
        },
        Named {
            name: "money".to_owned(),
            paths: strings(&["shop/prices.py"]),
            place: "map.jsonl:3".to_owned(),
            ..Named::default()
        },
        Named {
            name: "all".to_owned(),
            paths: strings(&["shop/"]),
            place: "map.jsonl:4".to_owned(),
            ..Named::default()
        },
    ]
}

fn rows(root: &Path, named: &[Named], sql: &str) -> Vec<String> {
    let rows = query_with(root, &[], named, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.iter().map(ToString::to_string).collect()
}

#[test]
fn names_of_people_replace_derived_themes_and_flows() {
    let dir = project(FILES);
    update(dir.path());
    let themes =
        "SELECT name, description, ai_generated, confidence_score FROM themes ORDER BY name";
    assert_eq!(
        rows(dir.path(), &[], themes),
        [
            r#"{"name":"shop","description":"2 files","ai_generated":1,"confidence_score":1.0}"#,
            r#"{"name":"web","description":"1 files","ai_generated":1,"confidence_score":0.0}"#,
        ]
    );
    let named = named();
    assert_eq!(
        rows(dir.path(), &named, themes),
        [
            r#"{"name":"all","description":"1 files","ai_generated":0,"confidence_score":1.0}"#,
            r#"{"name":"money","description":"1 files","ai_generated":0,"confidence_score":1.0}"#,
            r#"{"name":"web","description":"1 files","ai_generated":1,"confidence_score":0.0}"#,
        ]
    );
    let flows = "SELECT name, ai_generated, confidence_score FROM flows ORDER BY name";
    assert_eq!(
        rows(dir.path(), &named, flows),
        [
            r#"{"name":"checkout","ai_generated":0,"confidence_score":1.0}"#,
            r#"{"name":"main","ai_generated":1,"confidence_score":1.0}"#,
            r#"{"name":"start","ai_generated":0,"confidence_score":1.0}"#,
        ]
    );
    let files = "SELECT fl.name, f.path FROM file_flows ff JOIN flows fl ON fl.id = ff.flow_id
        JOIN files f ON f.id = ff.file_id WHERE fl.name <> 'main' ORDER BY 1, 2";
    assert_eq!(
        rows(dir.path(), &named, files),
        [
            r#"{"name":"checkout","path":"shop/cart.py"}"#,
            r#"{"name":"checkout","path":"shop/prices.py"}"#,
            r#"{"name":"start","path":"shop/cart.py"}"#,
            r#"{"name":"start","path":"shop/prices.py"}"#,
            r#"{"name":"start","path":"web/app.py"}"#,
        ]
    );
    let links =
        "SELECT fl.name AS flow, t.name FROM flow_themes ft JOIN flows fl ON fl.id = ft.flow_id
        JOIN themes t ON t.id = ft.theme_id ORDER BY 1, 2";
    assert_eq!(
        rows(dir.path(), &named, links),
        [
            r#"{"flow":"checkout","name":"all"}"#,
            r#"{"flow":"checkout","name":"money"}"#,
            r#"{"flow":"main","name":"money"}"#,
            r#"{"flow":"start","name":"money"}"#,
        ]
    );
}

#[test]
fn a_flow_without_entry_points_has_the_files_that_people_gave() {
    let dir = project(FILES);
    update(dir.path());
    let own = |name: &str| Named {
        is_flow: true,
        name: name.to_owned(),
        paths: strings(&["./web"]),
        ..Named::default()
    };
    let files =
        "SELECT fl.ai_generated, f.path FROM file_flows ff JOIN flows fl ON fl.id = ff.flow_id
        JOIN files f ON f.id = ff.file_id WHERE fl.name = 'release'";
    assert_eq!(
        rows(dir.path(), &[own("release")], files),
        [r#"{"ai_generated":0,"path":"web/app.py"}"#]
    );
    // The name of a derived flow describes that flow.
    let flows = "SELECT name, ai_generated FROM flows";
    assert_eq!(rows(dir.path(), &[own("main")], flows), [r#"{"name":"main","ai_generated":0}"#]);
}

#[test]
fn unknown_paths_symbols_and_themes_are_problems() {
    let dir = project(FILES);
    update(dir.path());
    assert_eq!(problems(dir.path(), &named()).expect("problems"), Vec::<String>::new());
    let mut named = named();
    named[0].entries = strings(&["pay_all"]);
    named[1].themes = strings(&["cash"]);
    named[2].paths = strings(&["shop/price.py", "sho"]);
    assert_eq!(
        problems(dir.path(), &named).expect("problems"),
        [
            "map.jsonl:1: flow `checkout`: unknown symbol `pay_all`; correct the entry point",
            "map.jsonl:2: flow `start`: unknown theme `cash`; correct the name",
            "map.jsonl:3: theme `money`: no indexed file matches `shop/price.py`; correct the path",
            "map.jsonl:3: theme `money`: no indexed file matches `sho`; correct the path",
        ]
    );
}

#[test]
fn the_list_of_entry_points_begins_with_the_flows_that_people_named() {
    let dir = project(FILES);
    update(dir.path());
    let lines = |named: &[Named]| -> Vec<String> {
        let reader = Reader::open(dir.path()).expect("an index");
        let found = reader.flow_entries(dir.path(), named, 30).expect("entries");
        let line = |entry: &crate::query::EntryRow| {
            let symbol = entry.symbol.as_ref().map(|symbol| &*symbol.key);
            format!("{:?} {:?} {:?}", entry.flow, symbol, entry.paths)
        };
        found.iter().map(line).collect()
    };
    let derived = [
        r#"None Some("shop/prices.py#main~function") []"#,
        r#"None Some("web/app.py#main~function") []"#,
    ];
    assert_eq!(lines(&[]), derived);
    let release = Named {
        is_flow: true,
        name: "release".to_owned(),
        paths: strings(&["web"]),
        ..Named::default()
    };
    let mut all = named();
    all.insert(0, release);
    assert_eq!(
        lines(&all),
        [
            r#"Some("checkout") Some("shop/cart.py#pay~function") []"#,
            r#"Some("release") None ["web"]"#,
            r#"Some("start") Some("web/app.py#main~function") []"#,
            derived[0],
        ]
    );
}
