//! Read-only SQL: one statement, with limits, on a connection that cannot write.

use crate::names::{self, Named};
use crate::{IndexError, store};
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{Value as SqlValue, ValueRef};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum number of rows.
pub const MAX_ROWS: usize = 500;
/// Maximum size of the result as JSON, in bytes.
pub const MAX_BYTES: usize = 64 << 10;
/// Maximum run time.
pub const MAX_TIME: Duration = Duration::from_secs(2);

/// The functions that a query can call.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "coalesce",
    "concat",
    "count",
    "datetime",
    "dense_rank",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json_object",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "printf",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "unicode",
    "upper",
];

/// Virtual tables that expose internals of SQLite.
const VIRTUAL: &[&str] =
    &["bytecode", "dbstat", "sqlite_dbpage", "sqlite_memstat", "sqlite_stmt", "tables_used"];

/// The allowed statements, for error messages.
const ALLOWED: &str = "one SELECT or WITH statement on the tables files, symbols, refs, candidates, \
    imports, bindings and the views functions, types, interactions is allowed";

fn authorize(context: AuthContext<'_>) -> Authorization {
    let is_allowed = match context.action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, column_name } => {
            let name = table_name.to_ascii_lowercase();
            let is_internal =
                matches!((&*name, column_name), ("facts" | "mentions", _) | ("purity", "equation"));
            !is_internal && !VIRTUAL.contains(&&*name) && !name.starts_with("pragma_")
        }
        AuthAction::Function { function_name } => {
            FUNCTIONS.iter().any(|known| known.eq_ignore_ascii_case(function_name))
        }
        AuthAction::Pragma { pragma_name, .. } => pragma_name.eq_ignore_ascii_case("table_info"),
        _ => false,
    };
    if is_allowed { Authorization::Allow } else { Authorization::Deny }
}

/// A table whose rows do not come from the index, such as the work list. In [`query_with`], it hides
/// the view of the same name.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name by which queries refer to it.
    pub name: &'static str,
    /// The names of the columns.
    pub columns: &'static [&'static str],
    /// The rows: as many values as columns. Arrays and objects are stored as JSON.
    pub rows: Vec<Vec<Value>>,
}

/// Runs a query on the index of the project at `root`; returns the rows as objects.
///
/// # Errors
/// When the statement is not allowed or exceeds a limit; the message lists the allowed statements.
pub fn query(root: &Path, sql: &str) -> Result<Vec<Value>, IndexError> {
    query_with(root, &[], &[], sql)
}

/// Like [`query`], with further tables, and with the themes and flows that people named.
///
/// # Errors
/// See [`query`].
pub fn query_with(
    root: &Path,
    tables: &[Table],
    named: &[Named],
    sql: &str,
) -> Result<Vec<Value>, IndexError> {
    let connection = store::open_read_only(root)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    names::install_for(&connection, named, sql)?;
    run(connection, tables, sql)
}

/// Runs a query on `tables` only.
///
/// # Errors
/// See [`query`].
pub fn query_tables(tables: &[Table], sql: &str) -> Result<Vec<Value>, IndexError> {
    run(Connection::open_in_memory()?, tables, sql)
}

/// Creates a temporary table.
fn create(connection: &Connection, table: &Table) -> Result<(), IndexError> {
    let columns = table.columns.join(", ");
    connection.execute_batch(&format!("CREATE TEMP TABLE {} ({columns})", table.name))?;
    let places = vec!["?"; table.columns.len()].join(", ");
    let insertion = format!("INSERT INTO temp.{} VALUES ({places})", table.name);
    let mut insertion = connection.prepare(&insertion)?;
    for row in &table.rows {
        let values = row.iter().map(|value| match value {
            Value::Null => SqlValue::Null,
            Value::Bool(value) => SqlValue::Integer(i64::from(*value)),
            Value::Number(number) => match number.as_i64() {
                Some(number) => SqlValue::Integer(number),
                None => SqlValue::Real(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => SqlValue::Text(text.clone()),
            other => SqlValue::Text(other.to_string()),
        });
        insertion.execute(rusqlite::params_from_iter(values))?;
    }
    Ok(())
}

fn run(mut connection: Connection, tables: &[Table], sql: &str) -> Result<Vec<Value>, IndexError> {
    if sql.len() > MAX_BYTES {
        return Err(IndexError::Refused(format!("the query is longer than {MAX_BYTES} bytes")));
    }
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    for table in tables {
        create(&connection, table)?;
    }
    connection.execute_batch("PRAGMA query_only = ON;")?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20),
        (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        let _ = connection.set_limit(limit, value);
    }
    let start = Instant::now();
    connection.progress_handler(1000, Some(move || start.elapsed() > MAX_TIME))?;
    connection.authorizer(Some(authorize))?;
    let refused = |error: rusqlite::Error| refusal(&error);
    let mut statement = connection.prepare(sql).map_err(refused)?;
    if !statement.readonly() {
        return Err(IndexError::Refused(format!("the statement writes; {ALLOWED}")));
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(refused)?;
    let (mut found, mut bytes) = (Vec::new(), 2);
    while let Some(row) = rows.next().map_err(refused)? {
        if found.len() == MAX_ROWS {
            return Err(IndexError::Refused(format!(
                "the result has more than {MAX_ROWS} rows; add a LIMIT of at most {MAX_ROWS}"
            )));
        }
        let mut object = Map::new();
        for (at, name) in names.iter().enumerate() {
            let value = match row.get_ref(at)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
                ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()).into(),
            };
            bytes += name.len() + value.as_str().map_or(12, str::len) + 6;
            object.insert(name.clone(), value);
        }
        if bytes > MAX_BYTES {
            return Err(IndexError::Refused(format!(
                "the result is larger than {MAX_BYTES} bytes; select fewer columns or add a LIMIT"
            )));
        }
        found.push(Value::Object(object));
    }
    Ok(found)
}

fn refusal(error: &rusqlite::Error) -> IndexError {
    let text = match error {
        rusqlite::Error::MultipleStatement => "found several statements".to_owned(),
        _ if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) => {
            let seconds = MAX_TIME.as_secs();
            return IndexError::Refused(format!(
                "the query took more than {seconds} seconds; add conditions or a LIMIT"
            ));
        }
        other => other.to_string(),
    };
    IndexError::Refused(format!("{text}; {ALLOWED}"))
}
