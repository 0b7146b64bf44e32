use super::dialect::{Dialect, Evidence};
use super::file::File;
use super::lex::tokens;
use super::migration::{compare_versions, is_newest_dir, migration, ordered_paths};
use super::split::split;
use super::*;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{ForRun, Memory};
use aidd_engine::text::finding::Safety;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::fix::fix_file;
use proptest::prelude::*;
use std::sync::LazyLock;

/// An engine with the default configuration.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default())
        .expect("shipped rules")
});

/// An engine with all rules on SQL, including those that are disabled by default.
static ALL_RULES: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let only = rule_ids().into_iter().map(str::to_owned).collect();
    let selection = Selection { only, ..Selection::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &selection)
        .expect("shipped rules")
});

fn project(files: &[(&str, &str)]) -> Memory {
    let bytes = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Memory(bytes.collect())
}

/// The severity and the rule of each finding in the file at `path`.
fn rules_found(files: &[(&str, &str)], path: &str) -> Vec<String> {
    let memory = project(files);
    let (_, text) = files.iter().find(|(known, _)| *known == path).expect("a file");
    let findings = ENGINE.check(&Source::new(path, *text), &memory).findings;
    findings.iter().map(|finding| format!("{:?} {}", finding.severity, finding.rule)).collect()
}

fn dialect(files: &[(&str, &str)]) -> Option<(Dialect, bool)> {
    let (path, text) = files[0];
    let file = File::read(path, text, &project(files))?;
    file.detected.map(|detected| (detected.dialect, detected.is_certain))
}

#[test]
fn the_dialect_is_derived_from_path_settings_content_and_siblings() {
    let add = "ALTER TABLE a ADD COLUMN b TEXT;";
    assert_eq!(dialect(&[("a.sql", add)]), None);
    assert_eq!(dialect(&[("db/sqlite/a.sql", add)]), Some((Dialect::Sqlite, true)));
    let prisma = ("prisma/migrations/migration_lock.toml", "provider = \"mysql\"");
    let path = "prisma/migrations/20240101_a/migration.sql";
    assert_eq!(dialect(&[(path, add), prisma]), Some((Dialect::MySql, true)));
    let drizzle = ("drizzle/meta/_journal.json", "{\n\"version\": \"7\",\n\"dialect\": \"sqlite\"");
    assert_eq!(dialect(&[("drizzle/0001_a.sql", add), drizzle]), Some((Dialect::Sqlite, true)));
    let create = "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB;";
    assert_eq!(dialect(&[("a.sql", create)]), Some((Dialect::MySql, true)));
    let sibling = ("migrations/0001_a.sql", "CREATE TABLE a (id bigserial, b jsonb, c bytea);");
    assert_eq!(
        dialect(&[("migrations/0002_b.sql", add), sibling]),
        Some((Dialect::Postgres, true))
    );
    let clickhouse = "CREATE TABLE a (b LowCardinality(String)) ENGINE = MergeTree ORDER BY b";
    assert_eq!(dialect(&[("a.sql", clickhouse)]), Some((Dialect::ClickHouse, true)));
    let oracle = ("a.sql", "CREATE TABLE a (b VARCHAR2(10), c VARCHAR2(20));");
    assert_eq!(dialect(&[oracle]), Some((Dialect::Other, true)));
}

#[test]
fn contradicting_evidence_is_not_certain() {
    let mut evidence = Evidence::from_path("mysql/a.sql");
    assert!(evidence.detect().is_some_and(|found| found.is_certain));
    evidence.merge(Evidence::from_path("postgres/a.sql"));
    assert_eq!(evidence.detect(), None);
}

fn pieces(text: &str, dialect: Option<Dialect>) -> Vec<String> {
    let pieces = split(text, &tokens(text, dialect), dialect);
    pieces.iter().map(|piece| text[piece.span.range()].to_owned()).collect()
}

#[test]
fn a_file_is_split_into_statements() {
    assert_eq!(pieces("a; b 'x;y' -- c;\n;d", None), ["a", "b 'x;y'", "d"]);
    let mysql = "DELIMITER //\nCREATE TRIGGER t BEGIN a; b; END//\nDELIMITER ;\nc;";
    assert_eq!(pieces(mysql, Some(Dialect::MySql)), ["CREATE TRIGGER t BEGIN a; b; END", "c"]);
    let trigger =
        "CREATE TRIGGER t AFTER UPDATE ON a BEGIN UPDATE b SET c = CASE WHEN d THEN 1 END; END; e;";
    assert_eq!(pieces(trigger, Some(Dialect::Sqlite)).len(), 2);
    assert_eq!(pieces("a\nGO\nb\ngo", Some(Dialect::SqlServer)), ["a", "b"]);
    let body = "CREATE FUNCTION f() AS $x$ a; $$ b; $x$; c";
    assert_eq!(
        pieces(body, Some(Dialect::Postgres)),
        ["CREATE FUNCTION f() AS $x$ a; $$ b; $x$", "c"]
    );
    assert_eq!(pieces(".mode csv\na;", Some(Dialect::Sqlite)), ["a"]);
}

#[test]
fn versions_are_compared_by_number() {
    let mut names = ["V10__a", "V2__a", "V1_10__a", "V1_2__a", "V1__a", "0002_a", "01_a"];
    names.sort_by(|a, b| compare_versions(a, b));
    assert_eq!(names, ["01_a", "0002_a", "V1__a", "V1_2__a", "V1_10__a", "V2__a", "V10__a"]);
    let files = project(&[("m/0.9/1_a.sql", ""), ("m/0.10/1_a.sql", "")]);
    assert!(is_newest_dir("m/0.10", &files) && !is_newest_dir("m/0.9", &files));
}

#[test]
fn migrations_are_recognised_by_the_conventions_of_their_tools() {
    let in_transaction = |path: &str, text: &str| {
        let found = migration(path, text, &project(&[(path, text)]))?;
        let tokens = tokens(text, None);
        Some(found.is_in_transaction(&split(text, &tokens, None)))
    };
    let goose = "-- +goose Up\na;\n-- +goose Down\nb;";
    assert_eq!(in_transaction("x/1_a.sql", goose), Some(true));
    let outside = format!("-- +goose NO TRANSACTION\n{goose}");
    assert_eq!(in_transaction("x/1_a.sql", &outside), Some(false));
    assert_eq!(in_transaction("x/a.sql", "-- migrate:up transaction:false\na;"), Some(false));
    assert_eq!(in_transaction("x/V1__a.sql", "a;"), Some(true));
    assert_eq!(in_transaction("m/2024_a/migration.sql", "a;"), Some(false));
    assert_eq!(in_transaction("m/2024_a/migration.sql", "a; b;"), Some(true));
    assert_eq!(in_transaction("m/2024_a/up.sql", "a;"), Some(true));
    assert_eq!(in_transaction("migrations/1_a.sql", "a;"), Some(false));
    assert_eq!(in_transaction("queries/1_a.sql", "a;"), None);
    assert_eq!(in_transaction("migrations/1_a.sql", "--\n-- PostgreSQL database dump\n--"), None);
    let found = migration("x/1_a.sql", goose, &project(&[])).expect("a migration");
    let down = Span::new(goose.len() - 2, goose.len());
    assert!(found.reverts(down) && !found.reverts(Span::new(13, 15)));
}

const TABLE: (&str, &str) = ("pg/migrations/1_a.sql", "CREATE TABLE a (id bigint, b text);");

#[test]
fn only_the_newest_migrations_have_warnings() {
    let add = "ALTER TABLE a ADD COLUMN c text NOT NULL;";
    let path = "pg/migrations/2_b.sql";
    assert_eq!(rules_found(&[TABLE, (path, add)], path), ["Warning sql/add-required-column"]);
    let later = ["3", "4", "5"].map(|version| format!("pg/migrations/{version}_c.sql"));
    let mut files = vec![TABLE, (path, add)];
    files.extend(later.iter().map(|path| (&**path, "SELECT 1;")));
    assert_eq!(rules_found(&files, path), ["Info sql/add-required-column"]);
}

#[test]
fn the_rows_of_a_dump_are_not_statements() {
    let dump = "COPY a (id, b) FROM stdin;\n1\tDDI's\n\\.\n\nSELECT 1 FROM;\n";
    assert_eq!(rules_found(&[("pg/dump.sql", dump)], "pg/dump.sql"), ["Info sql/syntax"]);
    let rows = "COPY a FROM STDIN WITH (FORMAT csv);\r\n1,it's\r\n\\.\r\n";
    assert_eq!(rules_found(&[("pg/rows.sql", rows)], "pg/rows.sql"), [""; 0]);
}

#[test]
fn the_schema_is_replayed_in_order() {
    let add = "ALTER TABLE a ADD COLUMN b text;";
    let path = "pg/migrations/10_b.sql";
    assert_eq!(rules_found(&[TABLE, (path, add)], path), ["Warning sql/duplicate-column"]);
    let drop = ("pg/migrations/9_b.sql", "ALTER TABLE a DROP COLUMN b;");
    assert!(rules_found(&[TABLE, drop, (path, add)], path).is_empty());
    // The versions of diesel, with and without dashes.
    let old = ("pg/migrations/20140929103756_a/up.sql", "CREATE TABLE a (id bigint, b text);");
    let path_2017 = "pg/migrations/20170318181441_b/up.sql";
    let drop_table = ("pg/migrations/2019-03-22-170700_c/up.sql", "DROP TABLE a;");
    let drop_column = (path_2017, "ALTER TABLE a DROP COLUMN b;");
    let found = rules_found(&[old, drop_column, drop_table], path_2017);
    assert!(!found.iter().any(|rule| rule.contains("unknown")), "{found:?}");
    // A program has unknown effects.
    assert!(rules_found(&[TABLE, ("pg/migrations/5_b.go", ""), (path, add)], path).is_empty());
    let down = "-- +goose Up\nSELECT 1;\n-- +goose Down\nALTER TABLE a ADD COLUMN b text;";
    assert!(rules_found(&[TABLE, (path, down)], path).is_empty());
}

#[test]
fn a_run_replays_a_directory_once() {
    let path = "pg/migrations/2_b.sql";
    let text = "ALTER TABLE a ADD COLUMN b text;";
    let memory = project(&[TABLE, (path, text)]);
    let run = ForRun::new(&memory);
    for _ in 0..2 {
        let findings = ENGINE.check(&Source::new(path, text), &run).findings;
        assert_eq!(findings.len(), 1, "{findings:?}");
    }
    let found = migration(path, text, &run).expect("a migration");
    assert_eq!(*ordered_paths(&found, &run), [TABLE.0, path]);
}

#[test]
fn the_settings_of_squawk_are_applied() {
    let path = "migrations/2_b.sql";
    let index = "CREATE INDEX c ON a (b);\n";
    let config = |text| [(path, index), (".squawk.toml", text)];
    assert_eq!(rules_found(&config(""), path), ["Info sql/create-index-locks"]);
    let excluded = "excluded_rules = [\"require-concurrent-index-creation\"]";
    assert!(rules_found(&config(excluded), path).is_empty());
    assert!(rules_found(&config("excluded_paths = [\"migrations/2_*.sql\"]"), path).is_empty());
    let concurrent = [
        (path, "CREATE INDEX CONCURRENTLY c ON a (b); SELECT 1;"),
        (".squawk.toml", "assume_in_transaction = true"),
    ];
    assert_eq!(rules_found(&concurrent, path), ["Error sql/concurrently-in-transaction"]);
}

#[test]
fn concurrently_fails_in_the_transaction_of_the_tool() {
    let path = "pg/migrations/1_a.sql";
    let up = |text: &str| format!("-- +goose Up\n{text}");
    for text in ["CREATE INDEX CONCURRENTLY c ON a (b);", "DROP INDEX CONCURRENTLY c;"] {
        assert_eq!(
            rules_found(&[(path, &up(text))], path),
            ["Error sql/concurrently-in-transaction"]
        );
        let outside = format!("-- +goose NO TRANSACTION\n{}", up(text));
        assert!(rules_found(&[(path, &outside)], path).is_empty());
    }
}

/// The text of a file after its fixes, and the fixes that failed.
fn fixed(path: &str, text: &str) -> (String, Vec<String>) {
    let memory = project(&[(path, text)]);
    let result = fix_file(&ALL_RULES, path, text.as_bytes().to_vec(), &memory, Safety::Unsafe);
    let undone = result.undone.iter().map(|undone| format!("{}: {}", undone.rule, undone.reason));
    (String::from_utf8_lossy(&result.bytes).into_owned(), undone.collect())
}

#[test]
fn an_index_is_built_concurrently_only_outside_of_a_transaction() {
    let index = "CREATE INDEX IF NOT EXISTS c ON a (b);\n";
    let outside = format!("-- +goose NO TRANSACTION\n-- +goose Up\n{index}");
    let (text, undone) = fixed("pg/1_a.sql", &outside);
    assert!(text.contains("CREATE INDEX CONCURRENTLY IF NOT EXISTS c ON"), "{text}");
    assert!(undone.is_empty(), "{undone:?}");
    for unknown in [format!("-- +goose Up\n{index}"), format!("BEGIN;\n{index}COMMIT;\n")] {
        let (text, _) = fixed("pg/migrations/1_a.sql", &unknown);
        assert!(!text.contains("CONCURRENTLY"), "{text}");
    }
    let (text, _) = fixed("pg/1_a.sql", "-- migrate:up\nDROP INDEX CONCURRENTLY IF EXISTS c;\n");
    assert!(text.starts_with("-- migrate:up transaction:false\n"), "{text}");
}

#[test]
fn an_applied_migration_has_no_fix() {
    let path = "pg/migrations/1_a.sql";
    let text = "CREATE TABLE a (id serial, b varchar(20));";
    let later = ["2", "3", "4"].map(|version| format!("pg/migrations/{version}_b.sql"));
    let mut files = vec![(path, text)];
    files.extend(later.iter().map(|path| (&**path, "SELECT 1;")));
    let findings = ALL_RULES.check(&Source::new(path, text), &project(&files)).findings;
    assert!(findings.len() > 1 && findings.iter().all(|finding| finding.fix.is_none()));
}

#[test]
fn statements_that_are_not_checked_are_counted() {
    let unchecked = |path: &str, text: &str| {
        ENGINE.check(&Source::new(path, text), &project(&[(path, text)])).unchecked
    };
    assert_eq!(unchecked("pg/a.sql", "SELECT 1;"), None);
    assert_eq!(unchecked("a.sql", "-- nothing\n"), None);
    for (path, text, expected) in [
        ("a.sql", "SELECT 1;", "SQL of an unknown dialect: syntax and migrations not checked"),
        ("oracle/a.sql", "SELECT 1;", "a dialect of SQL that is not supported: not checked"),
        ("pg/a.sql", "SELECT {{ a }};", "a template with SQL: not checked"),
        (
            "mysql/a.sql",
            "SELECT 1; FROBNICATE TABLE a;",
            "1 of 2 SQL statements not checked: the parser does not know them",
        ),
        (
            "pg/a.sql",
            "SELECT :name FROM;",
            "1 of 1 SQL statement not checked: unknown syntax, such as variables of a client",
        ),
    ] {
        assert_eq!(unchecked(path, text).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn unsafe_changes_are_reported_in_sql_server_and_clickhouse() {
    let base = "CREATE TABLE b (id int);";
    for (dialect, text, expected) in [
        ("mssql", "EXEC sp_rename N'dbo.a.b', N'c', 'COLUMN';", "Info sql/rename-column"),
        ("mssql", "ALTER TABLE a ADD b int NOT NULL;", "Warning sql/add-required-column"),
        ("clickhouse", "RENAME TABLE a TO c;", "Info sql/rename-table"),
    ] {
        let path = format!("{dialect}/migrations/2_b.sql");
        let first = format!("{dialect}/migrations/1_a.sql");
        assert_eq!(rules_found(&[(&first, base), (&path, text)], &path), [expected], "{text}");
    }
    for text in [
        "EXEC sp_rename 'a', 'c';",
        "ALTER TABLE a ADD b int NOT NULL CONSTRAINT d DEFAULT 0;",
        "ALTER TABLE a ADD b rowversion NOT NULL;",
        "ALTER TABLE a ADD b int IDENTITY(1,1) NOT NULL;",
    ] {
        let path = "mssql/migrations/2_b.sql";
        assert_eq!(rules_found(&[(path, text)], path), [""; 0], "{text}");
    }
}

#[test]
fn deep_statements_are_not_parsed() {
    let deep = [
        format!("SELECT {}1", "(".repeat(50_000)),
        format!("SELECT 1{}", " + 1".repeat(50_000)),
        format!("SELECT {}1", "NOT ".repeat(50_000)),
        format!("SELECT 1{}", " UNION SELECT 1, 2".repeat(20_000)),
        format!("CREATE FUNCTION f() LANGUAGE sql AS $$ SELECT {}1 $$", "(".repeat(50_000)),
        format!("CREATE VIEW a AS SELECT 1{}", " OR b = 1".repeat(20_000)),
    ];
    for text in deep {
        for dialect in ["postgres", "mysql", "other"] {
            let source = Source::new(format!("{dialect}/migrations/1_a.sql"), &*text);
            let _ = ENGINE.check(&source, &Memory::default());
        }
    }
}

/// Statements with fixes.
const FIXABLE: &[&str] = &[
    "CREATE INDEX c ON a (b);",
    "create unique index c on a (b);",
    "DROP INDEX c;",
    "REINDEX TABLE a;",
    "ALTER TABLE a ADD CONSTRAINT d FOREIGN KEY (b) REFERENCES e (id) ON DELETE CASCADE;",
    "ALTER TABLE a ADD CONSTRAINT d CHECK (b > 0), ADD COLUMN f timestamp;",
    "alter table a add column b varchar(20), drop column c;",
    "CREATE TABLE a (id serial, b char(3), c int[], d timestamp(3), e smallint);",
    "UPDATE a SET b = 1, c = 2, b = 3 WHERE d;",
    "SELECT 1 FROM a, b , c;",
    "BEGIN;",
    "DROP TABLE a;",
    "CREATE INDEX CONCURRENTLY c ON a (b);",
    "CREATE TABLE a_name_that_is_longer_than_sixty_three_bytes_because_it_repeats_words (id bigint);",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_fix_removes_its_finding(
        statements in proptest::collection::vec(proptest::sample::select(FIXABLE), 1..4),
        start in "(|-- \\+goose Up\n|-- \\+goose NO TRANSACTION\n-- \\+goose Up\n|-- migrate:up\n|-- note\n)",
    ) {
        let text = format!("{start}{}\n", statements.join("\n"));
        let (fixed, undone) = fixed("pg/migrations/1_a.sql", &text);
        prop_assert!(undone.is_empty(), "{text}{fixed}{undone:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_checked_without_panic(
        text in "(alter table a |add column b int|create |table a \\(|index |\\$\\$|'|--|/\\*|;|\\(|\\)|begin |end |\n|delete from a|go\n|[`\"é\\[\\]:@]|[ -~]){0,30}",
        dialect in "(postgres|mysql|sqlite|mssql|clickhouse|none)",
    ) {
        let source = Source::new(format!("{dialect}/migrations/1_a.sql"), text);
        let _ = ENGINE.check(&source, &Memory::default());
    }
}
