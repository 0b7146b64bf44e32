//! Tables of the languages, and of the functions of their libraries that run queries.

use super::super::dialect::Dialect;
use aho_corasick::AhoCorasick;
use std::sync::OnceLock;

/// A language whose queries are checked.
#[derive(Debug)]
pub(super) struct Language {
    /// Whether a block declares its own variables.
    pub(super) has_blocks: bool,
    /// Whether a block is a function that is passed to another function.
    pub(super) blocks_are_closures: bool,
    /// Whether an assignment in a nested function can change a variable of the outer function.
    pub(super) closures_assign: bool,
    pub(super) sinks: &'static [Sink],
    /// The help text: how to pass a value to a query.
    pub(super) help: &'static str,
    /// A search for the names of the sinks, created on first use by the filter.
    pub(super) names: OnceLock<Option<AhoCorasick>>,
}

/// A function that runs a query.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) name: &'static str,
    /// The positions of the arguments that can be the query.
    pub(super) arguments: &'static [usize],
    pub(super) query_kind: QueryKind,
}

/// The kind of query that a function expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryKind {
    /// A whole `SELECT`, `INSERT`, `UPDATE` or `DELETE`.
    Statement,
    /// A part of `WHERE`, `HAVING` or `JOIN`.
    Condition,
}

const fn statement(name: &'static str, arguments: &'static [usize]) -> Sink {
    Sink { name, arguments, query_kind: QueryKind::Statement }
}

const fn condition(name: &'static str) -> Sink {
    Sink { name, arguments: &[0], query_kind: QueryKind::Condition }
}

const FIRST: &[usize] = &[0];
const FIRST_OR_SECOND: &[usize] = &[0, 1];
const SECOND: &[usize] = &[1];

/// JavaScript and TypeScript.
static SCRIPT: Language = Language {
    has_blocks: true,
    blocks_are_closures: false,
    closures_assign: true,
    // pg, mysql2, better-sqlite3, sqlite3, knex, Sequelize, TypeORM, Prisma, Drizzle, Kysely, slonik
    sinks: &[
        statement("query", FIRST),
        statement("execute", FIRST),
        statement("executeSql", FIRST),
        statement("exec", FIRST),
        statement("run", FIRST),
        statement("all", FIRST),
        statement("get", FIRST),
        statement("each", FIRST),
        statement("prepare", FIRST),
        statement("raw", FIRST),
        statement("unsafe", FIRST),
        statement("$queryRawUnsafe", FIRST),
        statement("$executeRawUnsafe", FIRST),
        statement("one", FIRST),
        statement("oneOrNone", FIRST),
        statement("many", FIRST),
        statement("manyOrNone", FIRST),
        statement("any", FIRST),
        statement("none", FIRST),
        statement("command", FIRST),
        condition("whereRaw"),
        condition("orWhereRaw"),
        condition("andWhereRaw"),
        condition("havingRaw"),
        condition("orderByRaw"),
        condition("where"),
        condition("andWhere"),
        condition("orWhere"),
        condition("having"),
        condition("literal"),
    ],
    help: "Pass the value as a parameter: `query(\"… where id = $1\", [id])`, or use a tagged template that does so",
    names: OnceLock::new(),
};

static PYTHON: Language = Language {
    has_blocks: false,
    blocks_are_closures: false,
    closures_assign: false,
    // DB-API, SQLAlchemy, Django, asyncpg, pandas
    sinks: &[
        statement("execute", FIRST_OR_SECOND),
        statement("executemany", FIRST_OR_SECOND),
        statement("executescript", FIRST_OR_SECOND),
        statement("exec_driver_sql", FIRST),
        statement("execute_sql", FIRST),
        statement("execute_values", SECOND),
        statement("execute_batch", SECOND),
        statement("mogrify", FIRST),
        statement("text", FIRST),
        statement("raw", FIRST),
        statement("RawSQL", FIRST),
        statement("read_sql", FIRST),
        statement("read_sql_query", FIRST),
        statement("fetch", FIRST),
        statement("fetchrow", FIRST),
        statement("fetchval", FIRST),
        statement("fetch_all", FIRST),
        statement("fetch_one", FIRST),
        statement("sql", FIRST),
        statement("query", FIRST),
        statement("command", FIRST),
    ],
    help: "Pass the value as a parameter: `execute(\"… where id = %s\", (id,))`",
    names: OnceLock::new(),
};

static GO: Language = Language {
    has_blocks: true,
    blocks_are_closures: false,
    closures_assign: true,
    // database/sql, sqlx, pgx, GORM, squirrel
    sinks: &[
        statement("Query", FIRST_OR_SECOND),
        statement("QueryRow", FIRST_OR_SECOND),
        statement("QueryContext", SECOND),
        statement("QueryRowContext", SECOND),
        statement("Queryx", FIRST),
        statement("QueryxContext", SECOND),
        statement("QueryRowx", FIRST),
        statement("Exec", FIRST_OR_SECOND),
        statement("ExecContext", SECOND),
        statement("MustExec", FIRST),
        statement("NamedExec", FIRST),
        statement("NamedQuery", FIRST),
        statement("Prepare", FIRST_OR_SECOND),
        statement("PrepareContext", SECOND),
        statement("Preparex", FIRST),
        statement("PrepareNamed", FIRST),
        statement("Get", &[1, 2]),
        statement("Select", &[0, 1, 2]),
        statement("GetContext", &[2]),
        statement("SelectContext", &[2]),
        statement("Raw", FIRST),
        statement("SQL", FIRST),
        statement("NewRaw", FIRST),
        condition("Where"),
        condition("Having"),
        condition("Or"),
        condition("Not"),
        condition("Joins"),
    ],
    help: "Pass the value as an argument: `db.Query(\"… where id = $1\", id)`",
    names: OnceLock::new(),
};

static JAVA: Language = Language {
    has_blocks: true,
    blocks_are_closures: false,
    closures_assign: true,
    // JDBC, Spring, Hibernate, JPA, jOOQ
    sinks: &[
        statement("executeQuery", FIRST),
        statement("executeUpdate", FIRST),
        statement("executeLargeUpdate", FIRST),
        statement("execute", FIRST),
        statement("addBatch", FIRST),
        statement("prepareStatement", FIRST),
        statement("prepareCall", FIRST),
        statement("nativeSQL", FIRST),
        statement("createQuery", FIRST),
        statement("createNativeQuery", FIRST),
        statement("createSQLQuery", FIRST),
        statement("query", FIRST),
        statement("queryForObject", FIRST),
        statement("queryForList", FIRST),
        statement("queryForMap", FIRST),
        statement("queryForRowSet", FIRST),
        statement("queryForStream", FIRST),
        statement("queryForInt", FIRST),
        statement("update", FIRST),
        statement("batchUpdate", FIRST),
        statement("sql", FIRST),
        statement("fetch", FIRST),
    ],
    help: "Use a `PreparedStatement` with `?`, or a named parameter",
    names: OnceLock::new(),
};

static RUST: Language = Language {
    has_blocks: true,
    blocks_are_closures: false,
    closures_assign: true,
    // sqlx, rusqlite, tokio-postgres, Diesel, SeaORM
    sinks: &[
        statement("query", FIRST_OR_SECOND),
        statement("query_as", FIRST_OR_SECOND),
        statement("query_scalar", FIRST_OR_SECOND),
        statement("query_unchecked", FIRST),
        statement("query_as_unchecked", SECOND),
        statement("raw_sql", FIRST),
        statement("sql_query", FIRST),
        statement("sql", FIRST),
        statement("query_row", FIRST),
        statement("query_map", FIRST),
        statement("query_one", FIRST),
        statement("query_opt", FIRST),
        statement("query_raw", FIRST),
        statement("simple_query", FIRST),
        statement("execute", FIRST),
        statement("execute_batch", FIRST),
        statement("execute_unprepared", FIRST),
        statement("batch_execute", FIRST),
        statement("prepare", FIRST),
        statement("prepare_cached", FIRST),
        statement("from_string", SECOND),
        statement("fetch_one", FIRST),
        statement("fetch_all", FIRST),
    ],
    help: "Bind the value: `query(\"… where id = $1\").bind(id)`",
    names: OnceLock::new(),
};

static RUBY: Language = Language {
    has_blocks: false,
    blocks_are_closures: true,
    closures_assign: true,
    // Active Record, Sequel, pg, mysql2, sqlite3
    sinks: &[
        statement("find_by_sql", FIRST),
        statement("count_by_sql", FIRST),
        statement("select_all", FIRST),
        statement("select_one", FIRST),
        statement("select_value", FIRST),
        statement("select_values", FIRST),
        statement("select_rows", FIRST),
        statement("exec_query", FIRST),
        statement("exec_update", FIRST),
        statement("exec_delete", FIRST),
        statement("execute", FIRST),
        statement("exec", FIRST),
        statement("exec_params", FIRST),
        statement("query", FIRST),
        statement("prepare", FIRST_OR_SECOND),
        statement("sql", FIRST),
        condition("where"),
        condition("rewhere"),
        condition("having"),
        condition("delete_all"),
        condition("update_all"),
        condition("exists?"),
        condition("joins"),
        condition("or"),
        condition("not"),
    ],
    help: "Pass the value separately: `where(\"name = ?\", name)`, or `where(name: name)`",
    names: OnceLock::new(),
};

static PHP: Language = Language {
    has_blocks: false,
    blocks_are_closures: false,
    closures_assign: false,
    // PDO, mysqli, Laravel, Doctrine, WordPress
    sinks: &[
        statement("query", FIRST),
        statement("exec", FIRST),
        statement("prepare", FIRST),
        statement("mysqli_query", SECOND),
        statement("pg_query", FIRST_OR_SECOND),
        statement("statement", FIRST),
        statement("unprepared", FIRST),
        statement("select", FIRST),
        statement("insert", FIRST),
        statement("update", FIRST),
        statement("delete", FIRST),
        statement("raw", FIRST),
        statement("executeQuery", FIRST),
        statement("executeStatement", FIRST),
        statement("createNativeQuery", FIRST),
        statement("createQuery", FIRST),
        statement("get_results", FIRST),
        statement("get_var", FIRST),
        statement("get_row", FIRST),
        condition("whereRaw"),
        condition("orWhereRaw"),
        condition("havingRaw"),
        condition("orderByRaw"),
        condition("selectRaw"),
    ],
    help: "Pass the value as a parameter: `prepare(\"… where id = ?\")` and `execute([$id])`",
    names: OnceLock::new(),
};

/// The language of the file at `path`.
pub(super) fn language_of_path(path: &str) -> Option<&'static Language> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" => &SCRIPT,
        "py" | "py3" | "pyi" => &PYTHON,
        "go" => &GO,
        "java" => &JAVA,
        "rs" => &RUST,
        "rb" | "rbw" | "rake" => &RUBY,
        "php" => &PHP,
        _ => return None,
    })
}

/// Whether the name of a variable suggests that its value is a query.
pub(super) fn names_query(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "q" || QUERY_NAMES.iter().any(|end| lower.ends_with(end))
}

/// The last parts of the names of variables with a query.
pub(super) const QUERY_NAMES: [&str; 6] = ["query", "sql", "hql", "jpql", "stmt", "statement"];

/// Names under which drivers are imported, and the dialect of their queries.
pub(super) const DRIVERS: &[(&str, Dialect)] = &[
    ("pg", Dialect::Postgres),
    ("postgres", Dialect::Postgres),
    ("pg-promise", Dialect::Postgres),
    ("@neondatabase/serverless", Dialect::Postgres),
    ("@vercel/postgres", Dialect::Postgres),
    ("slonik", Dialect::Postgres),
    ("psycopg", Dialect::Postgres),
    ("psycopg2", Dialect::Postgres),
    ("asyncpg", Dialect::Postgres),
    ("github.com/lib/pq", Dialect::Postgres),
    ("github.com/jackc/pgx", Dialect::Postgres),
    ("tokio_postgres", Dialect::Postgres),
    ("postgres_types", Dialect::Postgres),
    ("org.postgresql", Dialect::Postgres),
    ("mysql", Dialect::MySql),
    ("mysql2", Dialect::MySql),
    ("mysql2/promise", Dialect::MySql),
    ("MySQLdb", Dialect::MySql),
    ("pymysql", Dialect::MySql),
    ("aiomysql", Dialect::MySql),
    ("mysql.connector", Dialect::MySql),
    ("github.com/go-sql-driver/mysql", Dialect::MySql),
    ("sqlite3", Dialect::Sqlite),
    ("better-sqlite3", Dialect::Sqlite),
    ("bun:sqlite", Dialect::Sqlite),
    ("node:sqlite", Dialect::Sqlite),
    ("aiosqlite", Dialect::Sqlite),
    ("rusqlite", Dialect::Sqlite),
    ("github.com/mattn/go-sqlite3", Dialect::Sqlite),
    ("modernc.org/sqlite", Dialect::Sqlite),
];
