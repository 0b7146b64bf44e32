//! Columns and tables that a new migration drops.

use crate::commit_message::syntax::{self, Node};
use crate::commit_message::{Change, ChangeKind};
use std::collections::BTreeSet;

/// Names of directories that contain migrations.
const FOLDERS: [&str; 6] =
    ["migrations", "migrate", "migration", "alembic", "changelog", "versions"];
/// Functions that drop columns, in Rails, Alembic, Laravel, Knex, Sequelize and Django.
const COLUMN_FUNCTIONS: [&str; 6] =
    ["drop_column", "remove_column", "dropColumn", "removeColumn", "RemoveField", "removeField"];
/// Functions that drop tables.
const TABLE_FUNCTIONS: [&str; 3] = ["drop_table", "dropTable", "DeleteModel"];
/// Names of functions that undo a migration.
const UNDO: [&str; 4] = ["down", "downgrade", "Down", "backwards"];
/// Markers of the part of an SQL file that undoes the migration.
const UNDO_MARKERS: [&str; 4] = ["+goose down", "migrate:down", "+migrate down", "//@undo"];

/// The columns and tables that the migration drops, one sentence each.
pub(super) fn dropped(change: &Change) -> Vec<String> {
    let is_migration = change.path.split('/').rev().skip(1).any(|part| FOLDERS.contains(&part));
    let Some(text) = change.after.as_deref() else { return Vec::new() };
    if change.kind != ChangeKind::Added || !is_migration {
        return Vec::new();
    }
    let name = change.path.rsplit('/').next().unwrap_or(&change.path);
    let found = if name.ends_with(".sql") {
        if name.ends_with(".down.sql") || name == "down.sql" {
            BTreeSet::new()
        } else {
            in_sql(text)
        }
    } else {
        in_code(&change.path, text).unwrap_or_default()
    };
    found.into_iter().map(|(kind, name)| format!("a migration drops the {kind} `{name}`")).collect()
}

type Dropped = BTreeSet<(&'static str, String)>;

fn in_sql(text: &str) -> Dropped {
    let lines = text.lines().take_while(|line| {
        let lower = line.to_ascii_lowercase();
        !(line.trim_start().starts_with("--")
            && UNDO_MARKERS.iter().any(|mark| lower.contains(mark)))
    });
    let code: Vec<&str> = lines.map(|line| line.split("--").next().unwrap_or_default()).collect();
    let mut dropped = Dropped::new();
    let mut added = BTreeSet::new();
    for statement in without_block_comments(&code.join("\n")).split(';') {
        let words = sql_words(statement);
        let word = |at: usize| words.get(at).map_or("", |word| word.as_str());
        let is = |at: usize, expected: &str| word(at).eq_ignore_ascii_case(expected);
        let name_at = |mut at: usize| {
            while ["if", "not", "exists", "only"].into_iter().any(|noise| is(at, noise)) {
                at += 1;
            }
            (at, word(at).to_owned())
        };
        if is(0, "drop") && is(1, "table") {
            dropped.insert(("table", name_at(2).1));
        } else if is(0, "create")
            && let Some(at) = (1..4).find(|at| is(*at, "table"))
        {
            added.insert(("table", name_at(at + 1).1));
        } else if is(0, "alter") && is(1, "table") {
            let (at, table) = name_at(2);
            for start in at + 1..words.len() {
                if is(start, "rename") && is(start + 1, "to") {
                    added.insert(("table", word(start + 2).to_owned()));
                }
                if is(start + 1, "column") {
                    let column = format!("{table}.{}", name_at(start + 2).1);
                    if is(start, "drop") {
                        dropped.insert(("column", column));
                    } else if is(start, "add") {
                        added.insert(("column", column));
                    }
                }
            }
        }
    }
    dropped.retain(|item| !added.contains(item) && !item.1.is_empty());
    dropped
}

fn without_block_comments(code: &str) -> String {
    let mut parts = code.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push(' ');
        plain.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    plain
}

/// The words of a statement without quotes; names with a schema are one word.
fn sql_words(statement: &str) -> Vec<String> {
    statement
        .split(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`' | '[' | ']' | '$'))
        })
        .map(|word| word.replace(['"', '`', '[', ']'], ""))
        .filter(|word| !word.is_empty())
        .collect()
}

fn in_code(path: &str, text: &str) -> Option<Dropped> {
    let mut dropped = Dropped::new();
    let all = COLUMN_FUNCTIONS.iter().chain(&TABLE_FUNCTIONS);
    if !all.clone().any(|name| text.contains(name)) {
        return Some(dropped);
    }
    let root = syntax::parse(text, syntax::language(path)?)?;
    for node in root.root().dfs().filter(ast_grep_core::Node::is_leaf) {
        let name = node.text();
        let kind = if COLUMN_FUNCTIONS.contains(&&*name) {
            "column"
        } else if TABLE_FUNCTIONS.contains(&&*name) {
            "table"
        } else {
            continue;
        };
        if node.ancestors().any(|above| is_undo(&above)) {
            continue;
        }
        let Some(names) = arguments(&node) else { continue };
        let count = if kind == "column" { 2 } else { 1 };
        let names: Vec<&str> = names.iter().take(count).map(String::as_str).collect();
        if !names.is_empty() {
            dropped.insert((kind, names.join(".")));
        }
    }
    Some(dropped)
}

/// Whether a node is a function that undoes the migration.
fn is_undo(node: &Node<'_>) -> bool {
    ["name", "key", "left"].iter().any(|field| {
        let name = node.field(field);
        name.is_some_and(|name| {
            let text = name.text();
            UNDO.contains(&text.rsplit('.').next().unwrap_or_default())
        })
    })
}

/// The strings and symbols in the arguments of the call whose function is `name`.
fn arguments(name: &Node<'_>) -> Option<Vec<String>> {
    let list = name.ancestors().take(2).find_map(|above| {
        let mut children = above.children();
        children.find(|child| matches!(&*child.kind(), "arguments" | "argument_list"))
    })?;
    let is_text = |node: &Node<'_>| {
        matches!(
            &*node.kind(),
            "string"
                | "simple_symbol"
                | "encapsed_string"
                | "string_literal"
                | "interpreted_string_literal"
        )
    };
    let texts = list.dfs().filter(is_text).map(|node| {
        let text = node.text();
        text.trim_matches(['\'', '"', ':', '`']).to_owned()
    });
    Some(texts.filter(|text| !text.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let change = Change {
            path: path.to_owned(),
            after: Some(text.to_owned()),
            kind: ChangeKind::Added,
            ..Change::default()
        };
        let expected: Vec<String> =
            expected.iter().map(|name| format!("a migration drops the {name}")).collect();
        assert_eq!(dropped(&change), expected, "{path}");
    }

    #[test]
    fn dropped_columns_and_tables_are_named() {
        check(
            "db/migrations/2_a.sql",
            "-- drop table x;\nALTER TABLE users ADD COLUMN a int, DROP COLUMN IF EXISTS \"name\";\nDROP TABLE old;\n-- +goose Down\nDROP TABLE b;\n",
            &["column `users.name`", "table `old`"],
        );
        check(
            "db/migrations/3_a.sql",
            "CREATE TEMPORARY TABLE tmp (id int);\nDROP TABLE tmp;\n/* DROP TABLE orders; */\nDROP TABLE old;\n",
            &["table `old`"],
        );
        check(
            "db/migrate/2_a.rb",
            "class A < ActiveRecord::Migration[7.0]\n  def up\n    remove_column :users, :name, :string\n  end\n  def down\n    drop_table :b\n  end\nend\n",
            &["column `users.name`"],
        );
        check(
            "app/migrations/0002_a.py",
            "class Migration(migrations.Migration):\n    operations = [migrations.RemoveField(model_name='user', name='age')]\n",
            &["column `user.age`"],
        );
        check(
            "alembic/versions/a.py",
            "def upgrade():\n    op.drop_column('users', 'name')\n\ndef downgrade():\n    op.drop_table('b')\n",
            &["column `users.name`"],
        );
        check(
            "database/migrations/a.php",
            "<?php\nreturn new class extends Migration {\n  public function up(): void { Schema::table('users', static function (Blueprint $table) { $table->dropColumn('name'); }); }\n  public function down(): void { Schema::table('users', static function (Blueprint $table) { $table->dropColumn('b'); }); }\n};\n",
            &["column `name`"],
        );
        check(
            "migrations/a.js",
            "exports.up = (knex) => knex.schema.dropTable('users')\nexports.down = (knex) => knex.schema.dropTable('b')\n",
            &["table `users`"],
        );
    }

    #[test]
    fn a_recreated_table_is_not_dropped() {
        let recreated = "CREATE TABLE new_a (b int);\nINSERT INTO new_a SELECT b FROM a;\nDROP TABLE a;\nALTER TABLE new_a RENAME TO a;\n";
        check("prisma/migrations/1/migration.sql", recreated, &[]);
        check(
            "migrations/1.sql",
            "ALTER TABLE a DROP COLUMN b; ALTER TABLE a ADD COLUMN b text;",
            &[],
        );
        check("migrations/1.down.sql", "DROP TABLE a;", &[]);
        check("src/a.sql", "DROP TABLE a;", &[]);
    }
}
