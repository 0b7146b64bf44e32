//! The rules of squawk, with the rule ids, messages and help texts of aidd.

use squawk_linter::Rule;

/// Where a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// In migrations, on tables that existed before the migration.
    OnTable,
    /// In a migration, to tables of any age.
    InMigration,
    /// In all files.
    Anywhere,
}

/// One rule of squawk.
pub(super) struct Row {
    pub(super) rule: Rule,
    /// The id of the rule in aidd, which several rules of squawk can share.
    pub(super) id: &'static str,
    pub(super) scope: Scope,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
}

const fn row(
    rule: Rule,
    id: &'static str,
    scope: Scope,
    message: &'static str,
    help: &'static str,
) -> Row {
    Row { rule, id, scope, message, help }
}

/// A rule on a change that is only a problem if a program depends on the old state.
const fn strict(rule: Rule, id: &'static str, message: &'static str) -> Row {
    row(rule, id, InMigration, message, STRICT)
}

use Scope::{Anywhere, InMigration, OnTable};

const CONCURRENT: &str = "Use `CONCURRENTLY`, in a migration without a transaction";
const EXPAND: &str = "Add the new version next to the old one, switch the programs to it, and \
                      delete the old one later";
const STRICT: &str = "Check that no running program depends on the old state";

/// The rules, grouped by their id in aidd.
pub(super) const ROWS: &[Row] = &[
    row(
        Rule::AddingFieldWithDefault,
        "sql/add-column-default",
        OnTable,
        "adding a column with a computed default rewrites the table under an exclusive lock",
        "Add the column without a default, set the default, then fill existing rows in batches",
    ),
    row(
        Rule::AddingForeignKeyConstraint,
        "sql/add-foreign-key",
        OnTable,
        "adding a foreign key scans the table and blocks writes to both tables",
        "Add the constraint with `NOT VALID`, and validate it in a later migration",
    ),
    row(
        Rule::AddingNotNullableField,
        "sql/set-not-null",
        OnTable,
        "`SET NOT NULL` scans the table under an exclusive lock",
        "Add `CHECK (… IS NOT NULL) NOT VALID`, validate it in a later migration, then set `NOT NULL`",
    ),
    row(
        Rule::AddingRequiredField,
        "sql/add-required-column",
        OnTable,
        "a new `NOT NULL` column without a default fails if the table has rows",
        "Add a default, or allow null until existing rows have a value and programs write one",
    ),
    row(
        Rule::AddingSerialPrimaryKeyField,
        "sql/add-primary-key",
        OnTable,
        "adding a primary key builds an index under an exclusive lock",
        "Build a unique index with `CONCURRENTLY`, then add the key with `USING INDEX`",
    ),
    row(
        Rule::ChangingColumnType,
        "sql/change-column-type",
        OnTable,
        "changing the type of a column can rewrite the table under an exclusive lock, and can break programs that use it",
        "Add a column with the new type, copy the values in batches, then switch",
    ),
    row(
        Rule::ConstraintMissingNotValid,
        "sql/validate-constraint-later",
        OnTable,
        "adding a `CHECK` constraint scans the table under a lock",
        "Add the constraint with `NOT VALID`, and validate it in a later migration",
    ),
    row(
        Rule::DisallowedUniqueConstraint,
        "sql/add-unique-constraint",
        OnTable,
        "adding a unique constraint builds an index under an exclusive lock",
        "Build a unique index with `CONCURRENTLY`, then add the constraint with `USING INDEX`",
    ),
    row(
        Rule::RequireConcurrentIndexCreation,
        "sql/create-index-locks",
        OnTable,
        "building an index blocks writes to the table",
        CONCURRENT,
    ),
    row(
        Rule::RequireConcurrentIndexDeletion,
        "sql/drop-index-locks",
        OnTable,
        "dropping an index blocks reads and writes of the table while it waits",
        CONCURRENT,
    ),
    row(
        Rule::RequireConcurrentPartitionDetach,
        "sql/detach-partition-locks",
        OnTable,
        "detaching a partition blocks reads and writes of the partitioned table",
        CONCURRENT,
    ),
    row(
        Rule::RequireConcurrentReindex,
        "sql/reindex-locks",
        InMigration,
        "rebuilding an index blocks writes to the table",
        CONCURRENT,
    ),
    row(
        Rule::BanConcurrentIndexCreationInTransaction,
        "sql/concurrently-in-transaction",
        InMigration,
        "`CONCURRENTLY` fails in a transaction",
        "Move the statement to a migration that runs without a transaction",
    ),
    row(
        Rule::PreferRepack,
        "sql/table-rewrite",
        InMigration,
        "the command rewrites the table under an exclusive lock",
        "Use `REPACK (CONCURRENTLY)` or `pg_repack`",
    ),
    row(
        Rule::RequireLockTimeout,
        "sql/missing-timeout",
        InMigration,
        "no `lock_timeout` is set before a statement that takes a lock",
        "Set `lock_timeout` at the start of the migration",
    ),
    row(
        Rule::RequireStatementTimeout,
        "sql/missing-timeout",
        InMigration,
        "no `statement_timeout` is set before a statement that takes a lock",
        "Set `statement_timeout` at the start of the migration",
    ),
    row(
        Rule::BanUncommittedTransaction,
        "sql/uncommitted-transaction",
        InMigration,
        "the transaction is not committed, so its changes are lost",
        "Add `COMMIT` at the end",
    ),
    row(
        Rule::TransactionNesting,
        "sql/nested-transaction",
        InMigration,
        "the file already runs in a transaction",
        "Delete the statement, or turn off the transaction of the migration tool",
    ),
    row(
        Rule::RenamingColumn,
        "sql/rename-column",
        OnTable,
        "renaming a column breaks running programs that use the old name",
        EXPAND,
    ),
    row(
        Rule::RenamingTable,
        "sql/rename-table",
        OnTable,
        "renaming a table breaks running programs that use the old name",
        EXPAND,
    ),
    row(
        Rule::RenamingObject,
        "sql/rename-object",
        InMigration,
        "renaming an object breaks running programs that use the old name",
        EXPAND,
    ),
    row(
        Rule::BanDropColumn,
        "sql/drop-column",
        OnTable,
        "dropping a column deletes its data and breaks running programs that use it",
        STRICT,
    ),
    row(
        Rule::BanDropTable,
        "sql/drop-table",
        OnTable,
        "dropping a table deletes its data and breaks running programs that use it",
        STRICT,
    ),
    row(
        Rule::BanDropDatabase,
        "sql/drop-database",
        InMigration,
        "dropping a database deletes all its data",
        "Delete the statement",
    ),
    row(
        Rule::BanDropNotNull,
        "sql/drop-not-null",
        OnTable,
        "programs that expect a value can receive null",
        STRICT,
    ),
    strict(Rule::BanDropView, DROP, "dropping a view breaks queries that use it"),
    strict(Rule::BanDropFunction, DROP, "dropping a function breaks callers"),
    strict(Rule::BanDropType, DROP, "dropping a type breaks programs that use it"),
    strict(Rule::BanDropDefault, DROP, "inserts that omit the column store null"),
    strict(Rule::BanDropTrigger, DROP, "dropping a trigger stops its effect"),
    strict(Rule::BanDropSchema, DROP, "dropping a schema breaks programs that use it"),
    strict(Rule::BanDropSequence, DROP, "dropping a sequence breaks inserts"),
    strict(Rule::BanDropDomain, DROP, "dropping a domain breaks programs that use it"),
    strict(Rule::BanDropConstraint, DROP, "the database no longer guarantees the constraint"),
    strict(Rule::BanDropGeneratedExpression, DROP, "the column is no longer computed"),
    strict(Rule::BanDropExtension, DROP, "dropping an extension drops its objects"),
    strict(Rule::BanDropIndex, DROP, "queries that use the index become slow"),
    strict(Rule::BanDropPolicy, DROP, "dropping a policy changes access to rows"),
    row(
        Rule::BanTruncateCascade,
        "sql/truncate-cascade",
        InMigration,
        "`TRUNCATE … CASCADE` also empties all tables that refer to this table",
        "List the tables, without `CASCADE`",
    ),
    row(
        Rule::BanCharField,
        "sql/char-type",
        InMigration,
        "`char` pads values with spaces",
        "Use `text`, or `varchar`",
    ),
    row(
        Rule::PreferBigintOverInt,
        BIGINT,
        InMigration,
        "a 32-bit integer overflows at 2,147,483,647",
        "Use `bigint`",
    ),
    row(
        Rule::PreferBigintOverSmallint,
        BIGINT,
        InMigration,
        "a 16-bit integer overflows at 32,767",
        "Use `bigint`",
    ),
    row(
        Rule::PreferIdentity,
        "sql/prefer-identity",
        InMigration,
        "`serial` creates a sequence with its own owner and permissions",
        "Use `GENERATED BY DEFAULT AS IDENTITY`",
    ),
    row(
        Rule::PreferTextField,
        "sql/prefer-text",
        InMigration,
        "raising the limit of a `varchar` later requires changing the column type",
        "Use `text`, with a `CHECK` for the length",
    ),
    row(
        Rule::PreferTimestampTz,
        "sql/prefer-timestamptz",
        InMigration,
        "`timestamp` without time zone does not identify a point in time",
        "Use `timestamptz`",
    ),
    row(
        Rule::PreferRobustStmts,
        "sql/not-repeatable",
        InMigration,
        "the statement fails when the migration is repeated after an error",
        "Use `IF NOT EXISTS` or `IF EXISTS`, or a transaction",
    ),
    row(
        Rule::RequireEnumValueOrdering,
        "sql/enum-value-order",
        InMigration,
        "the new value is sorted after all others",
        "Add `BEFORE` or `AFTER`",
    ),
    row(
        Rule::RequireTableSchema,
        "sql/unqualified-table",
        InMigration,
        "the schema of the table depends on `search_path`",
        "Write the name of the schema",
    ),
    row(
        Rule::IdentifierTooLong,
        "sql/identifier-too-long",
        Anywhere,
        "PostgreSQL truncates names to 63 bytes",
        "Choose a shorter name",
    ),
    row(Rule::BanCreateDomainWithConstraint, DOMAIN, InMigration, DOMAIN_MESSAGE, DOMAIN_HELP),
    row(Rule::BanAlterDomainWithAddConstraint, DOMAIN, InMigration, DOMAIN_MESSAGE, DOMAIN_HELP),
    row(
        Rule::BanDuplicateColumnAssignments,
        "sql/duplicate-assignment",
        Anywhere,
        "the column is assigned twice, so the statement fails",
        "Delete one of the assignments",
    ),
    strict(Rule::BanSetSchema, STRICT_CHANGE, "the object moves to another schema"),
    strict(Rule::BanAlterIdentity, STRICT_CHANGE, "inserts store other values in the column"),
    strict(Rule::BanAlterGeneratedExpression, STRICT_CHANGE, "the computed values change"),
    strict(Rule::BanSetDefault, STRICT_CHANGE, "inserts that omit the column store another value"),
    strict(Rule::BanDisableTrigger, STRICT_CHANGE, "the trigger no longer runs"),
    strict(
        Rule::BanReplicaIdentity,
        STRICT_CHANGE,
        "the data that identifies replicated rows changes",
    ),
    strict(Rule::BanRevoke, STRICT_CHANGE, "a role loses a privilege"),
    strict(
        Rule::BanReplaceViewFunction,
        STRICT_CHANGE,
        "the meaning of an existing view or function changes",
    ),
    strict(Rule::BanAlterPolicyCondition, STRICT_CHANGE, "access to rows changes"),
    strict(Rule::BanAlterPolicyRoles, STRICT_CHANGE, "access to rows changes"),
    strict(Rule::BanCreatePolicy, STRICT_CHANGE, "access to rows changes"),
    strict(Rule::BanAlterFunctionOptions, STRICT_CHANGE, "the behaviour of the function changes"),
    strict(Rule::BanAlterViewOptions, STRICT_CHANGE, "the behaviour of the view changes"),
    strict(Rule::BanAlterRoleOptions, STRICT_CHANGE, "the settings of the role change"),
    strict(Rule::BanAlterDatabaseOptions, STRICT_CHANGE, "the settings of the database change"),
    strict(Rule::BanAlterRowLevelSecurity, STRICT_CHANGE, "access to rows changes"),
    strict(Rule::BanNewWriteRestriction, STRICT_CHANGE, "writes that succeeded before can fail"),
    strict(Rule::BanAddEnumValue, STRICT_CHANGE, "running programs do not know the new value"),
    strict(
        Rule::BanAddCompositeAttribute,
        STRICT_CHANGE,
        "running programs do not expect the new attribute",
    ),
    strict(Rule::BanAddColumn, STRICT_CHANGE, "running programs do not expect the new column"),
    strict(
        Rule::BanDetachInheritance,
        STRICT_CHANGE,
        "queries of the parent table no longer return the rows of this table",
    ),
    strict(Rule::BanAlterSequenceValues, STRICT_CHANGE, "the next values of the sequence change"),
    strict(Rule::BanAlterSystemOptions, STRICT_CHANGE, "the settings of the server change"),
    strict(
        Rule::BanAlterExtension,
        STRICT_CHANGE,
        "the version or the schema of the extension changes",
    ),
];

const DROP: &str = "sql/drop-object";
const BIGINT: &str = "sql/prefer-bigint";
const DOMAIN: &str = "sql/domain-constraint";
const DOMAIN_MESSAGE: &str =
    "a constraint of a domain is checked in all tables that use it, under a lock";
const DOMAIN_HELP: &str = "Add a `CHECK` constraint to each table";
const STRICT_CHANGE: &str = "sql/behaviour-change";

/// The row of a rule of squawk.
pub(super) fn find(rule: Rule) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.rule == rule)
}
