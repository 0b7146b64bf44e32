//! Migration safety in the dialects that squawk does not check, and dangerous statements in
//! all dialects.

use super::dialect::Dialect;
use super::file::File;
use super::statement::{Action, Column, ConstraintKind, Statement, StatementKind};
use aidd_engine::text::source::Span;
use std::collections::HashSet;

/// A finding of the checks in this module.
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: &'static str,
}

pub(super) const DELETE: &str = "sql/delete-without-where";
pub(super) const UPDATE: &str = "sql/update-without-where";
pub(super) const STAR: &str = "sql/select-star-in-view";
pub(super) const CROSS_JOIN: &str = "sql/implicit-cross-join";
pub(super) const NON_SARGABLE: &str = "sql/non-sargable-condition";
pub(super) const TABLE_COPY: &str = "sql/mysql-table-copy";
pub(super) const SQLITE_ADD: &str = "sql/sqlite-add-column";
const FOREIGN_KEY: &str = "sql/add-foreign-key";
const REQUIRED: &str = "sql/add-required-column";
const RENAME_COLUMN: &str = "sql/rename-column";
const RENAME_TABLE: &str = "sql/rename-table";
const DROP_COLUMN: &str = "sql/drop-column";
const DROP_TABLE: &str = "sql/drop-table";

/// The rules of this module that are not also rules of squawk.
pub(super) const RULES: &[&str] =
    &[DELETE, UPDATE, STAR, CROSS_JOIN, NON_SARGABLE, TABLE_COPY, SQLITE_ADD];

const EXPAND: &str = "Add the new version next to the old one, switch the programs to it, and \
                      delete the old one later";
const ONLINE: &str = "Use a tool that copies the table in the background, such as gh-ost or \
                      pt-online-schema-change; with `ALGORITHM=INPLACE, LOCK=NONE`, MySQL refuses \
                      the statement instead of blocking writes";

/// Minimum number of `DELETE` statements without a condition in a file that empties tables on
/// purpose.
const MIN_CLEANUP: usize = 3;

/// Reports dangerous statements.
pub(super) fn check_statements(file: &File, found: &mut Vec<Found>) {
    let mut new_tables: HashSet<&str> = HashSet::new();
    let mut altered: HashSet<&str> = HashSet::new();
    let migration = file.migration.as_ref();
    // A file that empties several tables does so on purpose.
    let deletes = file.statements.iter().filter(|statement| {
        matches!(statement.kind, StatementKind::Delete { has_condition: false, .. })
    });
    let is_cleanup = deletes.count() >= MIN_CLEANUP;
    for statement in &file.statements {
        let span = statement.span;
        match &statement.kind {
            StatementKind::CreateTable(create) => {
                new_tables.insert(&create.name.key);
            }
            StatementKind::AlterTable { table, .. } => {
                altered.insert(&table.key);
            }
            _ => {}
        }
        if migration.is_some_and(|migration| migration.reverts(span)) {
            continue;
        }
        match &statement.kind {
            StatementKind::Delete { table, has_condition: false }
                if !is_cleanup && migration.is_none() && !new_tables.contains(&*table.key) =>
            {
                let message =
                    format!("`DELETE` without `WHERE` deletes all rows of `{}`", table.key);
                let help = "Add a condition; to empty the table on purpose, use `TRUNCATE`";
                found.push(Found { rule: DELETE, span, message, help });
            }
            // After `ALTER TABLE`, an `UPDATE` of all rows usually fills a new column on purpose.
            StatementKind::Update { table, has_condition: false }
                if migration.is_none()
                    && !new_tables.contains(&*table.key)
                    && !altered.contains(&*table.key) =>
            {
                let message =
                    format!("`UPDATE` without `WHERE` changes all rows of `{}`", table.key);
                let help = "Add a condition, or `WHERE true` if all rows are meant";
                found.push(Found { rule: UPDATE, span, message, help });
            }
            StatementKind::CreateView { star: Some(span) } => {
                let message = "the view does not get columns that are added to the table later";
                let help = "List the columns";
                found.push(Found { rule: STAR, span: *span, message: message.into(), help });
            }
            _ => {}
        }
        for &span in &statement.cross_joins {
            let message = "the query combines each row of one table with each row of the other";
            let help = "Add a condition, or write `CROSS JOIN`";
            found.push(Found { rule: CROSS_JOIN, span, message: message.into(), help });
        }
        for &span in &statement.non_sargable {
            let message = "a function of a column in a condition prevents the use of an index";
            let help = "Compare the column itself, or create an index on the expression";
            found.push(Found { rule: NON_SARGABLE, span, message: message.into(), help });
        }
    }
}

/// Reports changes of existing tables that block or fail.
pub(super) fn check_migrations(file: &File, found: &mut Vec<Found>) {
    let Some(migration) = &file.migration else { return };
    let dialect = file.detected.map(|detected| detected.dialect);
    let check: fn(&str, &Statement, &[Action], &mut Vec<Found>) = match dialect {
        Some(Dialect::MySql) => check_mysql,
        Some(Dialect::Sqlite) => check_sqlite,
        Some(Dialect::SqlServer) => check_sql_server,
        Some(Dialect::ClickHouse) => check_clickhouse,
        _ => return,
    };
    // An SQLite database is usually used by only one program.
    let is_shared = dialect != Some(Dialect::Sqlite);
    let mut new_tables: HashSet<&str> = HashSet::new();
    for statement in &file.statements {
        if migration.reverts(statement.span) {
            continue;
        }
        match &statement.kind {
            StatementKind::CreateTable(create) => {
                new_tables.insert(&create.name.key);
            }
            StatementKind::RenameTable { from, to } => {
                if is_shared && !new_tables.contains(&*from.key) {
                    found.push(renamed_table(from.span));
                }
                new_tables.insert(&to.key);
            }
            StatementKind::DropTable { names, .. } if is_shared => {
                for name in names.iter().filter(|name| !new_tables.contains(&*name.key)) {
                    found.push(Found {
                        rule: DROP_TABLE,
                        span: name.span,
                        message: "dropping a table deletes its data and breaks running programs \
                                  that use it"
                            .into(),
                        help: "Check that no running program uses the table",
                    });
                }
            }
            StatementKind::AlterTable { table, actions } if !new_tables.contains(&*table.key) => {
                check(&table.key, statement, actions, found);
            }
            _ => {}
        }
    }
}

fn renamed_table(span: Span) -> Found {
    let message = "renaming a table breaks running programs that use the old name";
    Found { rule: RENAME_TABLE, span, message: message.into(), help: EXPAND }
}

fn renamed_column(span: Span) -> Found {
    let message = "renaming a column breaks running programs that use the old name";
    Found { rule: RENAME_COLUMN, span, message: message.into(), help: EXPAND }
}

/// Reports deleted columns, and renamed columns and tables: running programs can still use their
/// names.
fn report_removed_names(actions: &[Action], found: &mut Vec<Found>) {
    for action in actions {
        match action {
            Action::RenameColumn { from, .. } => found.push(renamed_column(from.span)),
            Action::RenameTable { to } => found.push(renamed_table(to.span)),
            Action::DropColumn { name, .. } => {
                let message =
                    "dropping a column deletes its data and breaks running programs that use it";
                let help = "Check that no running program uses the column";
                let (span, message) = (name.span, message.into());
                found.push(Found { rule: DROP_COLUMN, span, message, help });
            }
            _ => {}
        }
    }
}

fn check_clickhouse(_: &str, _: &Statement, actions: &[Action], found: &mut Vec<Found>) {
    report_removed_names(actions, found);
}

fn check_sql_server(_: &str, _: &Statement, actions: &[Action], found: &mut Vec<Found>) {
    report_removed_names(actions, found);
    for action in actions {
        if let Action::AddColumn { column, span, .. } = action
            && is_required(column)
        {
            found.push(required_column(*span));
        }
    }
}

/// The finding for a new column that the server rejects if the table has rows.
fn required_column(span: Span) -> Found {
    let message = "a new `NOT NULL` column without a default fails if the table has rows";
    Found { rule: REQUIRED, span, message: message.into(), help: "Add a default" }
}

fn check_mysql(table: &str, _: &Statement, actions: &[Action], found: &mut Vec<Found>) {
    report_removed_names(actions, found);
    let refuses = actions
        .iter()
        .any(|action| matches!(action, Action::OnlineOption { forbids_blocking: true }));
    let adds_key = actions.iter().any(|action| {
        matches!(action, Action::AddConstraint(constraint) if constraint.kind == ConstraintKind::Primary)
    });
    let copy = |span: Span, what: &str| Found {
        rule: TABLE_COPY,
        span,
        message: format!("{what} copies `{table}` and blocks writes to it"),
        help: ONLINE,
    };
    for action in actions {
        match action {
            Action::ChangeColumn { from, to, data_type, .. } => {
                if from.key != to.key {
                    found.push(renamed_column(from.span));
                }
                // A longer `varchar` and new values of an `enum` only change the definition.
                let is_often_online =
                    ["varchar", "enum", "set"].iter().any(|known| data_type.starts_with(known));
                if !refuses && !is_often_online {
                    found.push(copy(from.span, "changing the type of a column"));
                }
            }
            Action::AddConstraint(constraint) if !refuses => match constraint.kind {
                ConstraintKind::Foreign => found.push(Found {
                    rule: FOREIGN_KEY,
                    span: constraint.span,
                    message: format!(
                        "adding a foreign key copies `{table}` and blocks writes to it"
                    ),
                    help: ONLINE,
                }),
                ConstraintKind::FullText => {
                    found.push(copy(constraint.span, "the first full-text index of a table"));
                }
                _ => {}
            },
            Action::DropPrimaryKey { span } if !refuses && !adds_key => {
                found.push(copy(*span, "dropping the primary key without a new one"));
            }
            Action::AddColumn { column, span, .. } => {
                if column.is_stored && !refuses {
                    found.push(copy(*span, "adding a stored generated column"));
                }
                if is_required(column) {
                    found.push(Found {
                        rule: REQUIRED,
                        span: *span,
                        message: "running programs that insert rows without the new column fail"
                            .into(),
                        help: "Add a default",
                    });
                }
            }
            _ => {}
        }
    }
}

fn is_required(column: &Column) -> bool {
    column.is_not_null && !column.has_default && !column.is_generated && !column.is_primary
}

fn check_sqlite(_: &str, _: &Statement, actions: &[Action], found: &mut Vec<Found>) {
    for action in actions {
        let Action::AddColumn { column, span, .. } = action else { continue };
        let rejected = if column.is_primary {
            Some("SQLite cannot add a column with `PRIMARY KEY`")
        } else if column.is_unique {
            Some("SQLite cannot add a column with `UNIQUE`")
        } else if column.is_stored {
            Some("SQLite cannot add a stored generated column")
        } else if column.has_volatile_default {
            Some("adding a column with a default that is not constant fails if the table has rows")
        } else {
            None
        };
        if let Some(message) = rejected {
            found.push(Found {
                rule: SQLITE_ADD,
                span: *span,
                message: message.into(),
                help: "Create a new table with the column, copy the rows, and rename it",
            });
        } else if is_required(column) {
            found.push(required_column(*span));
        }
    }
}
