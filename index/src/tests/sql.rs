//! Read-only queries, and attempts to do more.

use super::{dump, project, update};
use crate::sql::query;
use std::time::{Duration, Instant};

/// Attempts to write, to attach, to read internal data, to run long or to use much memory.
const ATTACKS: &[&str] = &[
    "DELETE FROM refs",
    "UPDATE symbols SET name = 'x'",
    "INSERT INTO files(path) VALUES ('x')",
    "REPLACE INTO meta VALUES ('version', 'x')",
    "DROP TABLE symbols",
    "DROP VIEW functions",
    "CREATE TABLE x(a)",
    "CREATE TEMP TABLE x AS SELECT * FROM symbols",
    "CREATE VIEW x AS SELECT 1",
    "CREATE TRIGGER x AFTER INSERT ON symbols BEGIN SELECT 1; END",
    "CREATE INDEX x ON symbols(doc)",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "ALTER TABLE symbols ADD COLUMN x",
    "ALTER TABLE symbols RENAME TO x",
    "ATTACH DATABASE '/tmp/x.db' AS x",
    "ATTACH ':memory:' AS x",
    "DETACH DATABASE main",
    "VACUUM",
    "VACUUM INTO '/tmp/aidd-index-copy.db'",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "SAVEPOINT x",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA writable_schema = ON",
    "PRAGMA database_list",
    "SELECT load_extension('/tmp/x.so')",
    "SELECT 1; DELETE FROM refs",
    "SELECT 1 /* ; */; DROP TABLE refs --",
    "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM symbols a, symbols b, symbols c, symbols d, symbols e, symbols f, symbols g, symbols h, symbols i, symbols j, symbols k, symbols l",
    "SELECT length(randomblob(1000000000))",
    "SELECT length(zeroblob(2000000000))",
    "SELECT replace(hex(zeroblob(400000)), '00', hex(zeroblob(400000)))",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'x')",
    "SELECT facts FROM facts",
    "SELECT count(*) FROM mentions",
    "SELECT equation FROM purity",
    "SELECT * FROM Purity",
    "SELECT printf('%.*c', 100000000, 'x')",
    "SELECT * FROM dbstat",
    "SELECT * FROM pragma_database_list",
    "WITH x AS (SELECT 1) DELETE FROM refs",
    "EXPLAIN DELETE FROM refs",
    "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t LIMIT 100000) SELECT a FROM t",
];

#[test]
fn no_attack_succeeds() {
    let names: Vec<String> = (0..60).map(|at| format!("def f{at}(): pass\n")).collect();
    let dir = project(&[("a.py", &names.concat())]);
    update(dir.path());
    let before = dump(dir.path());
    assert!(ATTACKS.len() >= 40);
    for attack in ATTACKS {
        let start = Instant::now();
        let error = query(dir.path(), attack).expect_err(attack);
        assert!(start.elapsed() < Duration::from_secs(10), "{attack}");
        let text = error.to_string();
        let says = ["is allowed", "LIMIT", "fewer columns"];
        assert!(says.iter().any(|part| text.contains(part)), "{attack}: {text}");
    }
    assert_eq!(dump(dir.path()), before);
    assert!(!std::path::Path::new("/tmp/aidd-index-copy.db").exists());
}

#[test]
fn queries_return_objects() {
    let dir = project(&[("a.py", "def f():\n    g()\n\ndef g():\n    'Does it.'\n")]);
    update(dir.path());
    let run = |sql: &str| serde_json::to_string(&query(dir.path(), sql).expect(sql)).expect("JSON");
    assert_eq!(
        run("SELECT name, start_line AS line, doc FROM symbols ORDER BY name"),
        r#"[{"name":"f","line":1,"doc":null},{"name":"g","line":4,"doc":"Does it."}]"#
    );
    assert_eq!(
        run("SELECT f.name AS caller, g.name AS callee FROM interactions i
             JOIN functions f ON f.id = i.source_function_id
             JOIN functions g ON g.id = i.target_function_id"),
        r#"[{"caller":"f","callee":"g"}]"#
    );
    assert_eq!(run("SELECT count(*) AS n FROM types"), r#"[{"n":0}]"#);
}
