//! Small projects in languages whose names come from packages and namespaces: the references in them, and
//! what nothing refers to. The files of a project and the expected results are in `projects/`.

use super::{dump, dump_fresh, project, update, write};
use crate::query::Reader;
use crate::store;
use std::fs;

/// The fenced blocks of a page: what follows the fence, and the text.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), is_open) {
            (Some(info), false) => {
                found.push((info, String::new()));
                is_open = true;
            }
            (Some(_), true) => is_open = false,
            (None, true) => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            (None, false) => {}
        }
    }
    found
}

/// The references: the place, the kind and the source, then the target, the candidates or nothing.
fn references(root: &std::path::Path) -> String {
    let connection = store::open_read_only(root).expect("an index");
    let sql = "SELECT f.path, r.line, r.kind, coalesce(s.qualified, '-'), r.name, t.key,
          (SELECT group_concat(k, ' ') FROM (SELECT c.key AS k FROM candidates JOIN symbols c
            ON c.id = symbol WHERE ref = r.id ORDER BY c.key))
        FROM refs r JOIN files f ON f.id = r.file LEFT JOIN symbols s ON s.id = r.source
        LEFT JOIN symbols t ON t.id = r.target ORDER BY f.path, r.line, r.column, r.kind";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| {
        let (path, line, kind): (String, u32, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (source, name): (String, String) = (row.get(3)?, row.get(4)?);
        let (target, candidates): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
        let result = match (target, candidates) {
            (Some(target), _) => format!("-> {target}"),
            (None, Some(candidates)) => format!("? {candidates}"),
            (None, None) => format!("x {name}"),
        };
        Ok(format!("{path}:{line} {kind} {source} {result}\n"))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

#[track_caller]
fn check(page: &str) {
    let blocks = blocks(page);
    let (expected, files): (Vec<_>, Vec<_>) =
        blocks.iter().partition(|(info, _)| matches!(*info, "references" | "dead"));
    let files: Vec<(&str, &str)> = files
        .into_iter()
        .filter_map(|(info, text)| Some((info.split_once(' ')?.1, text.as_str())))
        .collect();
    let dir = project(&files);
    update(dir.path());
    let reader = Reader::open(dir.path()).expect("an index");
    let dead = reader.dead(false, 100).expect("read").symbols;
    let dead: String = dead.iter().map(|symbol| format!("{}\n", symbol.qualified)).collect();
    let actual = format!("```references\n{}```\n\n```dead\n{dead}```\n", references(dir.path()));
    let expected: Vec<String> =
        expected.iter().map(|(info, text)| format!("```{info}\n{text}```\n")).collect();
    let expected = expected.join("\n");
    assert!(expected == actual, "expected:\n{expected}\nactual:\n{actual}");
}

/// The pages of all languages.
const PAGES: &[&str] = &[
    include_str!("projects/java.md"),
    include_str!("projects/kotlin.md"),
    include_str!("projects/csharp.md"),
    include_str!("projects/php.md"),
    include_str!("projects/ruby.md"),
];

#[test]
fn files_that_are_added_and_removed_leave_the_index_of_a_fresh_build() {
    for page in PAGES {
        let blocks = blocks(page);
        let files = blocks.iter().filter_map(|(info, text)| Some((info.split_once(' ')?.1, text)));
        let files: Vec<(&str, &String)> = files.collect();
        let dir = project(&[]);
        for (path, text) in &files {
            write(dir.path(), path, text);
            update(dir.path());
        }
        for (path, text) in &files {
            fs::remove_file(dir.path().join(path)).expect("removed");
            update(dir.path());
            let without = dump(dir.path());
            assert_eq!(without, dump_fresh(dir.path()), "without {path}");
            write(dir.path(), path, text);
            update(dir.path());
            let with = dump(dir.path());
            assert_eq!(with, dump_fresh(dir.path()), "with {path}");
        }
    }
}

#[test]
fn java_names_come_from_packages_and_types() {
    check(include_str!("projects/java.md"));
}

#[test]
fn kotlin_names_come_from_packages_and_receivers() {
    check(include_str!("projects/kotlin.md"));
}

#[test]
fn csharp_names_come_from_namespaces_and_types() {
    check(include_str!("projects/csharp.md"));
}

#[test]
fn php_names_come_from_use_statements_and_types() {
    check(include_str!("projects/php.md"));
}

#[test]
fn ruby_names_come_from_constants_and_symbols() {
    check(include_str!("projects/ruby.md"));
}
