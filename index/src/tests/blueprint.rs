//! The queries of the AIFP blueprints, as they are printed there.

use super::{project, update};
use crate::sql::query;

/// The queries of `blueprint_mcp.md` and `blueprint_project_db.md` that read a project database.
const PRINTED: &[&str] = &[
    "SELECT f.name, fi.path FROM functions f JOIN files fi ON f.file_id = fi.id WHERE fi.language = 'python'",
    "-- Get all functions in authentication theme
SELECT f.name, f.purpose, f.parameters
FROM functions f
JOIN files fi ON f.file_id = fi.id
JOIN file_flows ff ON fi.id = ff.file_id
JOIN flows fl ON ff.flow_id = fl.id
WHERE fl.name = 'authentication-flow';",
    "-- Get all functions that depend on `calculate_total`
SELECT f2.name, f2.file_id
FROM interactions i
JOIN functions f1 ON i.source_function_id = f1.id
JOIN functions f2 ON i.target_function_id = f2.id
WHERE f1.name = 'calculate_total';",
    "SELECT f.name, f.purpose, fi.path
FROM functions f
JOIN files fi ON f.file_id = fi.id
JOIN file_flows ff ON fi.id = ff.file_id
JOIN flows fl ON ff.flow_id = fl.id
JOIN flow_themes ft ON fl.id = ft.flow_id
JOIN themes t ON ft.theme_id = t.id
WHERE t.name = 'matrix-operations';",
    "SELECT
    m.name AS milestone,
    COUNT(t.id) AS total_tasks,
    SUM(CASE WHEN t.status = 'completed' THEN 1 ELSE 0 END) AS completed_tasks,
    ROUND(100.0 * SUM(CASE WHEN t.status = 'completed' THEN 1 ELSE 0 END) / COUNT(t.id), 2) AS progress_pct
FROM milestones m
JOIN tasks t ON m.id = t.milestone_id
GROUP BY m.id;",
    "WITH RECURSIVE deps(func_id, func_name, depth) AS (
    SELECT id, name, 0 FROM functions WHERE name = 'multiply_matrices'
    UNION ALL
    SELECT f.id, f.name, deps.depth + 1
    FROM functions f
    JOIN interactions i ON f.id = i.target_function_id
    JOIN deps ON i.source_function_id = deps.func_id
)
SELECT func_name, depth FROM deps;",
    "SELECT content, note_type, created_at
FROM notes
WHERE reference_table = 'project'
ORDER BY created_at DESC;",
    "SELECT last_known_git_hash FROM project WHERE id = 1;",
    "SELECT * FROM project WHERE id = 1",
    "SELECT * FROM themes",
    "SELECT * FROM tasks WHERE status != 'completed'",
    "SELECT * FROM notes ORDER BY created_at DESC LIMIT 10",
    "SELECT COUNT(*) = 0 FROM tasks WHERE status != 'completed'",
];

/// The printed query for what depends on a function returns what the function calls. This one
/// returns what calls it.
const CALLERS: &str = "SELECT f1.name, f1.file_id
FROM interactions i
JOIN functions f1 ON i.source_function_id = f1.id
JOIN functions f2 ON i.target_function_id = f2.id
WHERE f2.name = 'calculate_total';";

const FILES: &[(&str, &str)] = &[
    (
        "matrix-operations/a.py",
        "from fastapi import FastAPI\nfrom totals import calculate_total\napp = FastAPI()\n\n@app.get('/a')\ndef multiply_matrices(a, b):\n    'Multiplies.'\n    return calculate_total(a)\n",
    ),
    ("totals.py", "def calculate_total(a):\n    return add(a)\n\ndef add(a):\n    return a\n"),
];

#[test]
fn the_printed_queries_run() {
    let dir = project(FILES);
    update(dir.path());
    let answers: Vec<String> = PRINTED
        .iter()
        .map(|sql| {
            let rows = query(dir.path(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
            serde_json::to_string(&rows).expect("JSON")
        })
        .collect();
    assert!(answers[0].contains(r#"{"name":"add","path":"totals.py"}"#), "{}", answers[0]);
    assert_eq!(answers[2], r#"[{"name":"add","file_id":2}]"#);
    assert_eq!(
        answers[3],
        r#"[{"name":"multiply_matrices","purpose":"Multiplies.","path":"matrix-operations/a.py"},{"name":"calculate_total","purpose":null,"path":"totals.py"},{"name":"add","purpose":null,"path":"totals.py"}]"#
    );
    assert_eq!(
        answers[5],
        r#"[{"func_name":"multiply_matrices","depth":0},{"func_name":"calculate_total","depth":1},{"func_name":"add","depth":2}]"#
    );
    assert!(answers[9].contains(r#""name":"matrix-operations""#), "{}", answers[9]);
    let rows = query(dir.path(), CALLERS).expect("rows");
    assert_eq!(
        serde_json::to_string(&rows).expect("JSON"),
        r#"[{"name":"multiply_matrices","file_id":1}]"#
    );
    // A route names its flow.
    let sql =
        "SELECT fl.name, f.name AS function FROM flows fl JOIN flow_steps w ON w.flow_id = fl.id
        JOIN functions f ON f.id = w.function_id ORDER BY w.depth";
    assert_eq!(
        serde_json::to_string(&query(dir.path(), sql).expect("rows")).expect("JSON"),
        r#"[{"name":"GET /a","function":"multiply_matrices"},{"name":"GET /a","function":"calculate_total"},{"name":"GET /a","function":"add"}]"#
    );
}
