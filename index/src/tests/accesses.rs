//! Calls that access the network or a database.

use super::{dump, dump_fresh, project, update, write};
use crate::store;
use std::path::Path;

fn accesses(root: &Path) -> Vec<String> {
    update(root);
    let connection = store::open_read_only(root).expect("an index");
    let sql =
        "SELECT coalesce(s.qualified, '-') || ' ' || a.certainty || ' ' || a.kind || ' ' || a.code
        FROM accesses a LEFT JOIN symbols s ON s.id = a.symbol JOIN files f ON f.id = a.file
        ORDER BY f.path, a.line, a.id";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn calls_of_clients_are_proved_by_imports() {
    let files = [
        (
            "a.ts",
            "import axios from 'axios';\nimport { db } from './db';\nimport { get } from './own';\n\
             export async function load() { await fetch('/a'); axios.get('/b'); axios('/c'); get('/d'); }\n\
             export function rows() { return db.query('SELECT 1'); }\nexport function none(db: any, fetch: any) { db.query(1); fetch(2); }\n",
        ),
        (
            "db.ts",
            "import { Pool } from 'pg';\nexport const db = new Pool();\nexport function raw(x: any) { return x.client.query('SELECT 1'); }\n",
        ),
        ("own.ts", "export function get(x: string) {}\n"),
        (
            "b.py",
            "import requests\nimport httpx\nfrom sqlalchemy import Column\nfrom sqlalchemy.orm import Session\nid = Column()\n\n\
             def a(session: Session):\n    session.execute('x')\n    client = httpx.Client()\n    client.post('/x')\n    return requests.get('/y'), {}.get('z')\n",
        ),
        (
            "c.go",
            "package c\n\nimport (\n\t\"net/http\"\n\t\"database/sql\"\n)\n\nfunc A(db *sql.DB) {\n\thttp.Get(\"x\")\n\tdb.Query(\"y\")\n\thttp.StatusText(1)\n}\n",
        ),
        ("src/lib.rs", "pub async fn a() { reqwest::get(\"x\").await; std::fs::read(\"y\"); }\n"),
    ];
    let dir = project(&files);
    let expected = [
        "load proved network fetch",
        "load proved network axios.get",
        "load proved network axios",
        "rows proved database db.query",
        "a proved database session.execute",
        "a proved network client.post",
        "a proved network requests.get",
        "A proved network http.Get",
        "A proved database db.Query",
        "raw possible database x.client.query",
        "a proved network reqwest::get",
    ];
    assert_eq!(accesses(dir.path()), expected);
    write(dir.path(), "db.ts", "export const db = { query(x: string) {} };\n");
    assert!(!accesses(dir.path()).iter().any(|access| access.contains("db.query")));
    assert_eq!(dump(dir.path()), dump_fresh(dir.path()));
}
