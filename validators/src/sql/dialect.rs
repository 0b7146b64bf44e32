//! The dialect of a file, from its path, the settings of migration tools and its content.

use super::lex::{Token, TokenKind};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A dialect of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Dialect {
    Postgres,
    MySql,
    Sqlite,
    SqlServer,
    ClickHouse,
    BigQuery,
    Snowflake,
    DuckDb,
    /// Any other dialect, such as Oracle or Db2. Its files are recognised, but not checked.
    Other,
}

use Dialect::{BigQuery, ClickHouse, DuckDb, MySql, Other, Postgres, Snowflake, SqlServer, Sqlite};

const DIALECT_COUNT: usize = 9;

impl Dialect {
    /// Whether the statements of the dialect are parsed.
    pub(super) fn is_parsed(self) -> bool {
        matches!(self, Postgres | MySql | Sqlite | SqlServer | ClickHouse)
    }
}

/// Words that name a dialect in paths and in the settings of tools.
const NAMES: &[(&str, Dialect)] = &[
    ("postgres", Postgres),
    ("postgresql", Postgres),
    ("postgre", Postgres),
    ("pg", Postgres),
    ("pgsql", Postgres),
    ("pgx", Postgres),
    ("psql", Postgres),
    ("timescaledb", Postgres),
    ("supabase", Postgres),
    ("mysql", MySql),
    ("mariadb", MySql),
    ("sqlite", Sqlite),
    ("sqlite3", Sqlite),
    ("libsql", Sqlite),
    ("turso", Sqlite),
    ("d1", Sqlite),
    ("mssql", SqlServer),
    ("sqlserver", SqlServer),
    ("tsql", SqlServer),
    ("clickhouse", ClickHouse),
    ("bigquery", BigQuery),
    ("snowflake", Snowflake),
    ("duckdb", DuckDb),
    ("oracle", Other),
    ("plsql", Other),
    ("db2", Other),
    ("h2", Other),
    ("hsqldb", Other),
    ("derby", Other),
    ("spanner", Other),
    ("ydb", Other),
    ("starrocks", Other),
    ("doris", Other),
    ("vertica", Other),
    ("redshift", Other),
    ("cockroach", Other),
    ("cockroachdb", Other),
    ("crdb", Other),
    ("hive", Other),
    ("spark", Other),
    ("databricks", Other),
    ("trino", Other),
    ("presto", Other),
    ("athena", Other),
    ("singlestore", Other),
    ("firebird", Other),
    ("teradata", Other),
    ("sybase", Other),
    ("dameng", Other),
    ("kingbase", Other),
];

/// Words in SQL text that occur only, or almost only, in some dialects, with the weight of one
/// occurrence.
const WORDS: &[(&str, &[Dialect], u32)] = &[
    ("autoincrement", &[Sqlite], 4),
    ("pragma", &[Sqlite], 4),
    ("rowid", &[Sqlite, Other], 1),
    ("strftime", &[Sqlite], 2),
    ("unixepoch", &[Sqlite], 2),
    ("julianday", &[Sqlite], 3),
    // `COLLATE NOCASE`
    ("nocase", &[Sqlite], 3),
    ("sqlite_master", &[Sqlite], 5),
    ("sqlite_schema", &[Sqlite], 5),
    ("sqlite_sequence", &[Sqlite], 5),
    ("fts5", &[Sqlite], 5),
    ("datetime", &[Sqlite, MySql, SqlServer, ClickHouse], 2),
    ("auto_increment", &[MySql], 4),
    ("innodb", &[MySql], 4),
    ("myisam", &[MySql], 4),
    ("mediumtext", &[MySql], 3),
    ("longtext", &[MySql], 3),
    ("tinytext", &[MySql], 3),
    ("mediumint", &[MySql], 3),
    ("longblob", &[MySql], 3),
    ("utf8mb4", &[MySql], 3),
    ("unsigned", &[MySql], 2),
    ("serial", &[Postgres, DuckDb], 3),
    ("bigserial", &[Postgres], 4),
    ("smallserial", &[Postgres], 4),
    ("jsonb", &[Postgres], 2),
    ("timestamptz", &[Postgres, DuckDb], 3),
    ("bytea", &[Postgres], 4),
    ("plpgsql", &[Postgres], 5),
    ("concurrently", &[Postgres], 4),
    ("gin", &[Postgres], 2),
    ("gist", &[Postgres], 2),
    ("tsvector", &[Postgres], 4),
    ("ilike", &[Postgres, Snowflake, DuckDb], 1),
    ("uuid_generate_v4", &[Postgres], 4),
    ("gen_random_uuid", &[Postgres], 4),
    ("citext", &[Postgres], 3),
    ("regclass", &[Postgres], 4),
    ("pg_catalog", &[Postgres], 4),
    ("setval", &[Postgres], 3),
    ("nextval", &[Postgres], 2),
    ("plperl", &[Postgres], 4),
    ("nvarchar", &[SqlServer], 3),
    ("nonclustered", &[SqlServer], 4),
    ("uniqueidentifier", &[SqlServer], 4),
    ("datetime2", &[SqlServer], 4),
    ("sysname", &[SqlServer], 4),
    ("dbo", &[SqlServer], 3),
    ("getdate", &[SqlServer], 3),
    ("scope_identity", &[SqlServer], 4),
    ("nocount", &[SqlServer], 4),
    ("quoted_identifier", &[SqlServer], 4),
    ("raiserror", &[SqlServer], 3),
    ("newid", &[SqlServer], 3),
    ("mergetree", &[ClickHouse], 5),
    ("replacingmergetree", &[ClickHouse], 5),
    ("aggregatingmergetree", &[ClickHouse], 5),
    ("summingmergetree", &[ClickHouse], 5),
    ("replicatedmergetree", &[ClickHouse], 5),
    ("sharedmergetree", &[ClickHouse], 5),
    ("lowcardinality", &[ClickHouse], 5),
    ("datetime64", &[ClickHouse], 4),
    ("uint64", &[ClickHouse], 4),
    ("uint32", &[ClickHouse], 4),
    ("uint16", &[ClickHouse], 4),
    ("uint8", &[ClickHouse], 4),
    ("int64", &[ClickHouse, BigQuery], 2),
    ("float64", &[ClickHouse, BigQuery], 2),
    ("materialize", &[ClickHouse], 2),
    ("prewhere", &[ClickHouse], 4),
    ("todate", &[ClickHouse], 1),
    ("tostartofhour", &[ClickHouse], 4),
    ("tostartofday", &[ClickHouse], 4),
    ("countif", &[ClickHouse, BigQuery], 2),
    ("arrayjoin", &[ClickHouse], 4),
    ("number", &[Snowflake, Other], 1),
    ("varchar2", &[Other], 5),
    ("nvarchar2", &[Other], 5),
    ("clob", &[Other], 2),
    ("sysdate", &[Other], 2),
    ("qualify", &[Snowflake, BigQuery, DuckDb], 1),
    ("struct", &[BigQuery, DuckDb, Other], 2),
    ("read_parquet", &[DuckDb], 4),
    ("read_csv_auto", &[DuckDb], 4),
];

/// The length of the longest word of [`WORDS`].
const MAX_WORD: usize = 24;

static WORD_INDEXES: LazyLock<HashMap<&str, usize>> =
    LazyLock::new(|| WORDS.iter().enumerate().map(|(at, &(word, ..))| (word, at)).collect());

/// The weight of the evidence for each dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Evidence([u32; DIALECT_COUNT]);

/// A dialect, and whether the evidence excludes all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected {
    pub(super) dialect: Dialect,
    pub(super) is_certain: bool,
}

/// The weight of the settings of a tool that name one dialect.
const SETTING_WEIGHT: u32 = 12;
/// The weight of a path that names a dialect.
const PATH_WEIGHT: u32 = 20;
/// The weight of a dependency that names a dialect. It is low, because the dependency can belong to
/// another part of the program.
pub(super) const DEPENDENCY_WEIGHT: u32 = 4;
/// Maximum number of occurrences of one word that count as evidence.
const MAX_OCCURRENCES: u32 = 3;

impl Evidence {
    fn add(&mut self, dialect: Dialect, weight: u32) {
        let score = &mut self.0[dialect as usize];
        *score = score.saturating_add(weight);
    }

    /// Adds the evidence from another source.
    pub(super) fn merge(&mut self, other: Self) {
        for (score, other) in self.0.iter_mut().zip(other.0) {
            *score = score.saturating_add(other);
        }
    }

    /// The same evidence, scaled so that no dialect exceeds [`SETTING_WEIGHT`]. Used for the sum of
    /// the evidence of many files.
    pub(super) fn limited(self) -> Self {
        let max = self.0.iter().copied().max().unwrap_or_default();
        if max <= SETTING_WEIGHT {
            return self;
        }
        let scale = |score: u32| u64::from(score) * u64::from(SETTING_WEIGHT) / u64::from(max);
        Self(self.0.map(|score| u32::try_from(scale(score)).unwrap_or(SETTING_WEIGHT)))
    }

    /// The evidence in a path: the last word that names a dialect.
    pub(super) fn from_path(path: &str) -> Self {
        let mut evidence = Self::default();
        let named = path.rsplit(|c: char| !c.is_ascii_alphanumeric()).find_map(named_dialect);
        if let Some(dialect) = named {
            evidence.add(dialect, PATH_WEIGHT);
        }
        evidence
    }

    /// The evidence in the settings of a tool, if they name exactly one dialect. `weight` defaults
    /// to [`SETTING_WEIGHT`].
    pub(super) fn from_settings(text: &str, weight: Option<u32>) -> Self {
        let mut evidence = Self::default();
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(named_dialect);
        if let Some(first) = words.next()
            && words.all(|dialect| dialect == first)
        {
            evidence.add(first, weight.unwrap_or(SETTING_WEIGHT));
        }
        evidence
    }

    /// The evidence from the settings of a tool that supports only one dialect.
    pub(super) fn from_tool(dialect: Dialect) -> Self {
        let mut evidence = Self::default();
        evidence.add(dialect, SETTING_WEIGHT);
        evidence
    }

    /// The evidence in the text of an SQL file.
    pub(super) fn from_content(text: &str, tokens: &[Token]) -> Self {
        let mut evidence = Self::default();
        let mut seen = [0_u32; WORDS.len()];
        let mut marks = [0_u32; 5];
        for (index, token) in tokens.iter().enumerate() {
            let token_text = token.text(text);
            let mut count = |mark: usize| {
                marks[mark] += 1;
                marks[mark] <= MAX_OCCURRENCES
            };
            let next = |at: usize| tokens.get(index + at).map(|token| token.text(text));
            match token.kind {
                TokenKind::Word => {
                    if token_text.len() > MAX_WORD {
                        continue;
                    }
                    let mut buffer = [0; MAX_WORD];
                    let word = &mut buffer[..token_text.len()];
                    word.copy_from_slice(token_text.as_bytes());
                    word.make_ascii_lowercase();
                    let word = std::str::from_utf8(word).unwrap_or_default();
                    if let Some(&at) = WORD_INDEXES.get(word)
                        && seen[at] < MAX_OCCURRENCES
                    {
                        seen[at] += 1;
                        let (_, dialects, weight) = WORDS[at];
                        for &dialect in dialects {
                            evidence.add(dialect, weight);
                        }
                    }
                    match word {
                        "nullable" if next(1) == Some("(") => evidence.add(ClickHouse, 5),
                        "identity" if next(1) == Some("(") => evidence.add(SqlServer, 3),
                        "engine" if next(1) == Some("=") => {
                            let engine = next(2).unwrap_or_default().to_ascii_lowercase();
                            let is_mysql =
                                ["innodb", "myisam", "memory", "aria"].contains(&&*engine);
                            evidence.add(if is_mysql { MySql } else { ClickHouse }, 3);
                        }
                        "go" if is_alone_on_line(text, token) => evidence.add(SqlServer, 4),
                        "delimiter" if starts_line(text, token) => evidence.add(MySql, 5),
                        _ => {}
                    }
                }
                TokenKind::Dollar if count(0) => evidence.add(Postgres, 3),
                TokenKind::Quoted if token_text.starts_with('`') && count(1) => {
                    for dialect in [MySql, ClickHouse, Sqlite, BigQuery] {
                        evidence.add(dialect, 2);
                    }
                }
                TokenKind::Quoted if token_text.starts_with('[') && count(2) => {
                    evidence.add(SqlServer, 2);
                }
                TokenKind::Punct if token_text == ":" && next(1) == Some(":") && count(3) => {
                    for dialect in [Postgres, ClickHouse, Snowflake, DuckDb] {
                        evidence.add(dialect, 1);
                    }
                }
                TokenKind::Punct if token_text == "@" && count(4) => evidence.add(SqlServer, 1),
                _ => {}
            }
        }
        evidence
    }

    /// The dialect with the most evidence; `None` if the evidence for a second dialect is nearly as
    /// strong.
    pub(super) fn detect(self) -> Option<Detected> {
        let all =
            [Postgres, MySql, Sqlite, SqlServer, ClickHouse, BigQuery, Snowflake, DuckDb, Other];
        let best = *all.iter().max_by_key(|&&dialect| self.0[dialect as usize])?;
        let score = self.0[best as usize];
        let second = all.iter().filter(|&&dialect| dialect != best);
        let second = second.map(|&dialect| self.0[dialect as usize]).max().unwrap_or_default();
        (score >= 2 && score > second + score / 4).then(|| Detected {
            dialect: best,
            is_certain: score >= 8 && second.saturating_mul(3) <= score,
        })
    }

    /// The sum of all evidence.
    pub(super) fn total(self) -> u32 {
        self.0.iter().fold(0, |sum, score| sum.saturating_add(*score))
    }
}

/// The dialect in the name of a file: `1_users.postgres.up.sql`.
pub(super) fn dialect_in_file_name(path: &str) -> Option<Dialect> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit(|c: char| !c.is_ascii_alphanumeric()).find_map(named_dialect)
}

fn named_dialect(word: &str) -> Option<Dialect> {
    let is_named = |name: &str| word.eq_ignore_ascii_case(name);
    NAMES.iter().find(|(name, _)| is_named(name)).map(|&(_, dialect)| dialect)
}

pub(super) fn starts_line(text: &str, token: &Token) -> bool {
    let line = text[..token.start as usize].rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty()
}

fn is_alone_on_line(text: &str, token: &Token) -> bool {
    let rest = text[token.end as usize..].lines().next().unwrap_or_default();
    starts_line(text, token) && rest.trim().is_empty()
}
