//! The examples of the AIFP blueprints, run as they are printed there against a small project. What is
//! different is listed in `docs/directives.md`.

use super::{call, write};
use crate::context::Context;
use serde_json::{Value, json};
use std::path::Path;

/// The queries on the core database in `blueprint_mcp.md`, `blueprint_mcp_db.md` and
/// `blueprint_interactions.md`; each with the least number of rows of the answer.
const CORE: &[(usize, &str)] = &[
    (1, "SELECT name, type FROM directives WHERE confidence_threshold > 0.8"),
    (0, "SELECT d.*
FROM directives d
WHERE d.intent_keywords_json LIKE '%\"purity\"%'
LIMIT 1;"),
    (1, "SELECT d.*, SUM(ik.weight) AS total_score
FROM directives d
JOIN intent_keywords ik ON d.name = ik.directive_name
WHERE ik.keyword IN ('pure', 'side effects')
GROUP BY d.id
ORDER BY total_score DESC
LIMIT 1;"),
    (2, "SELECT name, description, confidence_threshold
FROM directives
WHERE type = 'fp' AND category_name = 'purity'
ORDER BY name;"),
    (8, "SELECT name, description, parameters_json, return_type
FROM helper_functions
WHERE category = 'database'
ORDER BY name;"),
    (1, "SELECT template_code, variables_json
FROM templates
WHERE category = 'adt'
  AND language = 'javascript'
  AND template_name LIKE '%result%';"),
    (0, "SELECT issue, resolution, escalation_directive
FROM roadblock_resolutions
WHERE issue = 'language_mismatch' AND directive_name = 'fp_purity';"),
    // The tables of which the blueprint prints only the definition and an insertion.
    (85, "SELECT d.name, c.name FROM directives d JOIN directive_categories dc ON dc.directive_id = d.id
        JOIN categories c ON c.id = dc.category_id"),
    (50, "SELECT s.name, t.name, relation_type, weight, active FROM directives_interactions i
        JOIN directives s ON s.id = i.source_directive_id JOIN directives t ON t.id = i.target_directive_id"),
    (12, "SELECT tool_name, description, input_schema_json, output_schema_json FROM tool_schemas
        WHERE tool_name LIKE 'get_%' OR tool_name LIKE 'query_%' OR tool_name LIKE 'aifp_%' OR tool_name = 'search_directives'"),
    (20, "SELECT category, standard_name, description, good_example, bad_example, language FROM standards
        WHERE good_example IS NOT NULL AND bad_example IS NOT NULL"),
    (100, "SELECT issue, resolution, directive_name, category FROM roadblock_resolutions"),
    (4, "SELECT config_key, config_value, description, value_type FROM configuration"),
    (1, "SELECT version FROM schema_version WHERE id = 1"),
    (1, "SELECT name, maps_to_directive_id, description FROM tools WHERE name = 'aifp_run'"),
];

/// The queries on the project database in all blueprints. `?` and `sq.id` are replaced by the value
/// that the program of the blueprint passes.
const PROJECT: &[(usize, &str)] = &[
    (2, "SELECT f.name, fi.path FROM functions f JOIN files fi ON f.file_id = fi.id WHERE fi.language = 'python'"),
    (1, "-- Get all functions in authentication theme
SELECT f.name, f.purpose, f.parameters
FROM functions f
JOIN files fi ON f.file_id = fi.id
JOIN file_flows ff ON fi.id = ff.file_id
JOIN flows fl ON ff.flow_id = fl.id
WHERE fl.name = 'authentication-flow';"),
    (1, "-- Get all functions that depend on `calculate_total`
SELECT f2.name, f2.file_id
FROM interactions i
JOIN functions f1 ON i.source_function_id = f1.id
JOIN functions f2 ON i.target_function_id = f2.id
WHERE f1.name = 'calculate_total';"),
    (1, "SELECT f2.name, f2.purpose
FROM interactions i
JOIN functions f1 ON i.target_function_id = f1.id
JOIN functions f2 ON i.source_function_id = f2.id
WHERE f1.name = 'calculate_total'"),
    (1, "SELECT f.name, f.purpose, fi.path
FROM functions f
JOIN files fi ON f.file_id = fi.id
JOIN file_flows ff ON fi.id = ff.file_id
JOIN flows fl ON ff.flow_id = fl.id
JOIN flow_themes ft ON fl.id = ft.flow_id
JOIN themes t ON ft.theme_id = t.id
WHERE t.name = 'matrix-operations';"),
    (1, "SELECT
    m.name AS milestone,
    COUNT(t.id) AS total_tasks,
    SUM(CASE WHEN t.status = 'completed' THEN 1 ELSE 0 END) AS completed_tasks,
    ROUND(100.0 * SUM(CASE WHEN t.status = 'completed' THEN 1 ELSE 0 END) / COUNT(t.id), 2) AS progress_pct
FROM milestones m
JOIN tasks t ON m.id = t.milestone_id
GROUP BY m.id;"),
    (3, "WITH RECURSIVE deps(func_id, func_name, depth) AS (
    SELECT id, name, 0 FROM functions WHERE name = 'multiply_matrices'
    UNION ALL
    SELECT f.id, f.name, deps.depth + 1
    FROM functions f
    JOIN interactions i ON f.id = i.target_function_id
    JOIN deps ON i.source_function_id = deps.func_id
)
SELECT func_name, depth FROM deps;"),
    (1, "SELECT content, note_type, created_at
FROM notes
WHERE reference_table = 'project'
ORDER BY created_at DESC;"),
    (1, "SELECT last_known_git_hash FROM project WHERE id = 1;"),
    (1, "SELECT last_known_hash FROM git_state"),
    (1, "SELECT * FROM project WHERE id = 1"),
    (1, "SELECT name, purpose, status FROM project LIMIT 1;"),
    (1, "SELECT * FROM themes"),
    (1, "SELECT * FROM tasks WHERE status != 'completed'"),
    (1, "SELECT * FROM notes ORDER BY created_at DESC LIMIT 10"),
    (1, "SELECT COUNT(*) = 0 FROM tasks WHERE status != 'completed'"),
    (1, "SELECT * FROM functions WHERE file_id = 1"),
    (1, "SELECT id FROM files WHERE id = 1"),
    (1, "SELECT milestone_id FROM tasks WHERE id = TASK"),
    (1, "SELECT COUNT(*) = 0 FROM tasks
        WHERE milestone_id = 1 AND status != 'completed'"),
    (1, "SELECT completion_path_id FROM milestones WHERE id = MILESTONE"),
    (1, "SELECT DISTINCT t.name
            FROM themes t
            JOIN flow_themes ft ON t.id = ft.theme_id
            JOIN flows f ON ft.flow_id = f.id
            JOIN file_flows ff ON f.id = ff.flow_id
            JOIN files fi ON ff.file_id = fi.id
            WHERE fi.path = 'matrix.py'"),
    (1, "SELECT type, value, description
   FROM infrastructure
   WHERE project_id = 1;"),
    (1, "-- Find open sidequests
   SELECT sq.id, sq.name, sq.status, sq.paused_task_id, sq.paused_subtask_id
   FROM sidequests sq
   WHERE sq.status IN ('pending', 'in_progress')
   ORDER BY sq.created_at ASC;"),
    (1, "SELECT t.name, t.status, t.description
   FROM tasks t
   WHERE t.id = TASK;"),
    (1, "SELECT i.name, i.status, i.description
   FROM items i
   WHERE i.reference_table = 'tasks' AND i.reference_id = TASK;"),
    (0, "SELECT i.name, i.status, i.description
   FROM items i
   WHERE i.reference_table = 'sidequests' AND i.reference_id = SIDEQUEST;"),
    (1, "SELECT t.name, t.status, i.name AS item_name, i.status AS item_status
   FROM tasks t
   LEFT JOIN items i ON i.reference_table = 'tasks' AND i.reference_id = t.id
   WHERE t.milestone_id = MILESTONE AND t.created_at < '2100-01-01'
   ORDER BY t.created_at DESC, i.created_at DESC
   LIMIT 10;"),
    (1, "-- Find open subtask
   SELECT st.id, st.name, st.status, st.parent_task_id
   FROM subtasks st
   WHERE st.status IN ('pending', 'in_progress')
   ORDER BY st.priority DESC, st.created_at ASC
   LIMIT 1;"),
    (0, "SELECT i.name, i.status, i.description
   FROM items i
   WHERE i.reference_table = 'subtasks' AND i.reference_id = 1;"),
    (1, "-- Find open task
   SELECT t.id, t.name, t.status, t.milestone_id
   FROM tasks t
   WHERE t.status IN ('pending', 'in_progress')
   ORDER BY t.priority DESC, t.created_at ASC
   LIMIT 1;"),
    (1, "-- Query notes for recent clarifications or warnings
   SELECT content, note_type, directive_name, severity
   FROM notes
   WHERE source IN ('directive', 'ai')
     AND severity IN ('warning', 'error')
   ORDER BY created_at DESC
   LIMIT 5;"),
    (1, "-- Get related flows
   SELECT f.name, f.description
   FROM flows f
   JOIN file_flows ff ON ff.flow_id = f.id
   JOIN files fi ON fi.id = ff.file_id
   WHERE fi.path IN (SELECT path FROM files WHERE updated_at > '2000-01-01');"),
    (1, "-- Get related functions
   SELECT fn.name, fn.purpose
   FROM functions fn
   WHERE fn.file_id IN (SELECT id FROM files WHERE updated_at > '2000-01-01');"),
    // The tables of which the blueprint prints only the definition.
    (1, "SELECT branch_name, purpose, status, created_from, created_at, merged_at, metadata_json FROM work_branches"),
    (1, "SELECT current_branch, last_sync_timestamp, project_root_path, created_at, updated_at FROM git_state"),
    (0, "SELECT name, definition_json, description, linked_function_id, project_id FROM types"),
    (1, "SELECT id, name, order_index, status, description, project_id, created_at, updated_at FROM completion_path"),
    (1, "SELECT version FROM schema_version WHERE id = 1"),
    (1, "SELECT name, purity_level, side_effects_json, complexity, return_type FROM functions"),
];

fn rows(context: &Context, tool: &str, sql: &str) -> Vec<Value> {
    let (text, data) = call(context, tool, json!({"sql": sql}));
    data["rows"].as_array().cloned().unwrap_or_else(|| panic!("{sql}\n{text}"))
}

/// A project with a record, names, work of all levels, memories and a branch.
fn project(root: &Path) -> Context {
    let matrix = "from totals import calculate_total\n\n\ndef multiply_matrices(a: Matrix, b: Matrix):\n    \"\"\"Multiply two matrices\"\"\"\n    return calculate_total(a)\n";
    write(root, "matrix.py", matrix);
    write(
        root,
        "totals.py",
        "def calculate_total(a):\n    return add(a)\n\n\ndef add(a):\n    return a\n",
    );
    // The index has no time for a file that has just changed.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let context = Context::at(&crate::DISTRIBUTION, root);
    let run = |tool: &str, arguments: Value| {
        let (text, data) = call(&context, tool, arguments);
        assert!(!text.starts_with("error"), "{tool}: {text}");
        data
    };
    run(
        "aidd_project",
        json!({"action": "update", "name": "MatrixCalculator", "purpose": "Pure functional matrix operations"}),
    );
    for name in ["authentication-flow", "multiplication"] {
        let entry =
            if name == "multiplication" { "matrix.py#multiply_matrices" } else { "totals.py#add" };
        run(
            "aidd_project",
            json!({"action": "name", "kind": "flow", "name": name, "entries": [entry]}),
        );
    }
    run(
        "aidd_project",
        json!({"action": "name", "kind": "theme", "name": "matrix-operations", "paths": ["matrix.py"]}),
    );
    for (level, title, parent) in [
        ("stage", "Core dev", Value::Null),
        ("milestone", "Operations", json!("Core dev")),
        ("task", "Implement matrix multiplication", json!("Operations")),
        ("subtask", "Check the sizes", json!("Implement matrix multiplication")),
        ("item", "Write a test", json!("Implement matrix multiplication")),
        ("sidequest", "Fix the build", json!("Implement matrix multiplication")),
    ] {
        let mut arguments = json!({"action": "add", "level": level, "title": title});
        if !parent.is_null() {
            arguments["parent"] = parent;
        }
        run("aidd_work", arguments);
    }
    run(
        "aidd_memory_add_mistake",
        json!({"error": "Sums were rounded", "rootCause": "floats", "fix": "integers", "prevention": "a test"}),
    );
    run(
        "aidd_branch",
        json!({"action": "save", "branch": "aifp-branch-001", "feature": "Implement matrix multiplication"}),
    );
    context
}

#[test]
fn the_printed_queries_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let context = project(folder.path());
    for (least, sql) in CORE {
        let rows = rows(&context, "query_mcp_db", sql);
        assert!(rows.len() >= *least, "{sql}: {}", rows.len());
    }
    let id = |table: &str| {
        let rows = rows(&context, "query_project_db", &format!("SELECT id FROM {table}"));
        rows[0]["id"].to_string()
    };
    let ids =
        [("TASK", id("tasks")), ("MILESTONE", id("milestones")), ("SIDEQUEST", id("sidequests"))];
    for (least, sql) in PROJECT {
        let sql = ids.iter().fold((*sql).to_owned(), |sql, (name, id)| sql.replace(name, id));
        let rows = rows(&context, "query_project_db", &sql);
        assert!(rows.len() >= *least, "{sql}: {}", rows.len());
    }
    for insertion in
        ["INSERT INTO notes (content) VALUES ('x')", "UPDATE project SET version = version + 1"]
    {
        let (text, _) = call(&context, "query_project_db", json!({"sql": insertion}));
        assert!(text.starts_with("error"), "{text}");
    }
}

#[test]
fn the_printed_calls_return_the_printed_fields() {
    let folder = tempfile::tempdir().expect("a directory");
    let context = project(folder.path());
    let root = folder.path().to_str().expect("UTF-8");
    // Each tool, the printed input, and the fields of the printed output as JSON pointers.
    let calls: &[(&str, Value, &[&str])] = &[
        (
            "aifp_run",
            json!({"command": "Initialize project for matrix calculator", "project_root": root}),
            &[
                "/success",
                "/message",
                "/guidance/directive_access",
                "/guidance/when_to_use",
                "/guidance/assumption",
                "/guidance/available_helpers/3",
            ],
        ),
        (
            "get_all_directives",
            json!({"full": true}),
            &[
                "/success",
                "/directive_count",
                "/directives/0/name",
                "/directives/0/type",
                "/directives/0/description",
                "/directives/0/workflow",
                "/directives/0/confidence_threshold",
                "/self_assessment_questions/3",
                "/action_reaction_model/code_write",
                "/action_reaction_model/file_edit",
                "/action_reaction_model/discussion_decision",
            ],
        ),
        (
            "get_directive",
            json!({"name": "fp_purity"}),
            &[
                "/success",
                "/directive/name",
                "/directive/type",
                "/directive/description",
                "/directive/workflow",
                "/directive/roadblocks_json",
                "/directive/intent_keywords_json",
                "/directive/confidence_threshold",
            ],
        ),
        (
            "search_directives",
            json!({"keyword": "purity", "category": "purity", "type": "fp"}),
            &[
                "/success",
                "/matches/1/name",
                "/matches/0/type",
                "/matches/0/category",
                "/matches/0/description",
                "/matches/0/confidence_score",
            ],
        ),
        (
            "query_mcp_db",
            json!({"sql": "SELECT name, type FROM directives WHERE confidence_threshold > 0.8"}),
            &["/success", "/rows/0/name", "/rows/0/type"],
        ),
        (
            "get_project_context",
            json!({"context_type": "full", "project_root": root}),
            &[
                "/project/name",
                "/project/purpose",
                "/project/status",
                "/project/version",
                "/themes/0",
                "/flows/0",
                "/tasks/0",
                "/completion_progress",
                "/functions_count",
                "/files_count",
            ],
        ),
        (
            "get_project_status",
            json!({"project_root": root}),
            &[
                "/initialized",
                "/project_db_exists",
                "/project/name",
                "/project/status",
                "/project/version",
            ],
        ),
        (
            "get_project_files",
            json!({"project_root": root, "language": "python"}),
            &[
                "/success",
                "/files/0/id",
                "/files/0/path",
                "/files/0/language",
                "/files/0/checksum",
                "/files/0/created_at",
            ],
        ),
        (
            "get_project_functions",
            json!({"project_root": root, "file_id": 1}),
            &[
                "/success",
                "/functions/0/id",
                "/functions/0/name",
                "/functions/0/file_id",
                "/functions/0/purpose",
                "/functions/0/parameters/1",
            ],
        ),
        (
            "get_project_tasks",
            json!({"project_root": root, "status": "pending"}),
            &[
                "/success",
                "/completion_path/0",
                "/milestones/0",
                "/tasks/0/id",
                "/tasks/0/name",
                "/tasks/0/status",
                "/tasks/0/milestone_id",
            ],
        ),
        (
            "query_project_db",
            json!({"project_root": root, "sql": "SELECT f.name, fi.path FROM functions f JOIN files fi ON f.file_id = fi.id WHERE fi.language = 'python'"}),
            &["/success", "/rows/0/name", "/rows/0/path"],
        ),
        (
            "aifp_git_status",
            json!({"project_root": root}),
            &["/current_branch", "/changed_files", "/themes_affected"],
        ),
    ];
    for (tool, arguments, fields) in calls {
        let (text, data) = call(&context, tool, arguments.clone());
        for field in *fields {
            assert!(data.pointer(field).is_some(), "{tool} {field}: {text}\n{data}");
        }
    }
    assert_eq!(calls.len(), 12);
}

#[test]
fn each_helper_of_the_blueprint_has_a_tool_or_a_directive() {
    let directives = super::shipped();
    let tools = crate::tools::all();
    for [name, .., used, _] in crate::tools::aifp::core_pages::helpers() {
        let is_known = tools.iter().any(|tool| tool.name == used) || directives.get(used).is_some();
        assert!(is_known, "{name}: {used}");
    }
    assert_eq!(crate::tools::aifp::core_pages::helpers().count(), 20);
}
