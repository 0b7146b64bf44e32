//! Checks on SQL: syntax, the safety of migrations, and dangerous statements.

mod code;
mod config;
mod dialect;
mod file;
mod fixes;
mod lex;
mod migration;
mod other;
mod postgres;
mod replay;
mod safety;
mod split;
mod squawk;
mod statement;
#[cfg(test)]
mod tests;

use crate::cached::cached;
use aidd_engine::check::family::Family;
use aidd_engine::forms::syntax::language_of;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;
use config::{SquawkConfig, squawk_config};
use file::File;
use migration::Transaction;
use replay::Replay;
use squawk::{Row, Scope};
use squawk_linter::{Linter, Rule, Violation};
use statement::{Action, ConstraintKind, StatementKind};
use std::collections::HashSet;
use std::sync::Arc;

/// The kind of SQL files.
const SQL: Kind = Kind("sql");
/// The kind of files with settings of squawk.
const SETTINGS: Kind = Kind("squawk-settings");

/// The rules on SQL.
pub(super) const FAMILY: Family = Family {
    name: "sql",
    rules: rule_ids,
    claim: |path, _| {
        if config::is_settings(path) { Some(SETTINGS) } else { is_sql(path).then_some(SQL) }
    },
    may_check: |path| config::is_settings(path) || is_sql(path) || language_of(path).is_some(),
    check: |kind, context, report| match kind {
        SETTINGS => config::check(report),
        _ => check(context.files, report),
    },
    statements: |kind, source| {
        if kind == SETTINGS {
            return Vec::new();
        }
        let tokens = lex::tokens(source.text(), None);
        let pieces = split::split(source.text(), &tokens, None);
        pieces.iter().map(|piece| piece.span).collect()
    },
    affects_other_files: |path| is_sql(path) || config::is_settings(path),
    // The checks of the migrations in a directory share cached values, and the cache belongs to the
    // listing.
    needs_listing: true,
    check_code: code::check,
    ..Family::EMPTY
};

const SYNTAX: &str = "sql/syntax";

const CONCURRENTLY: &str = "sql/concurrently-in-transaction";

/// Number of newest migrations of a directory that can still be changed. Older migrations are
/// assumed to be applied, so findings on their safety are only information.
const MAX_RECENT: usize = 3;

fn rule_ids() -> Vec<&'static str> {
    let mut ids: Vec<&str> = squawk::ROWS.iter().map(|row| row.id).collect();
    let own = [&SYNTAX, &config::INVALID, &code::INJECTION];
    ids.extend(safety::RULES.iter().chain(replay::RULES).chain(own));
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn is_sql(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["sql", "pgsql", "mysql"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn check(files: &dyn Files, report: &mut Report<'_>) {
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    let config = squawk_config(path, files).unwrap_or_default();
    if config.is_file_excluded {
        return;
    }
    let migration = migration::migration(path, text, files);
    let needs_replay = migration.is_some() && replay::RULES.iter().any(|rule| report.begin(rule));
    let replay = migration.filter(|_| needs_replay).map(|migration| {
        let key = format!("sql replay {} {}", migration.is_nested, migration.dir);
        let shared = files
            .run_cache()
            .map(|cache| cache.get_or_compute(&key, || Replay::new(&migration, None, files)));
        // The checked text can differ from the stored text. A stored file that was not replayed,
        // such as a file that reverts a migration, has no findings of the replay.
        shared
            .filter(|replay| replay.is_current(path, text).unwrap_or_else(|| files.exists(path)))
            .unwrap_or_else(|| Arc::new(Replay::new(&migration, Some((path, text)), files)))
    });
    let parsed = replay.as_ref().and_then(|replay| replay.take(path, text));
    let Some(file) = parsed.or_else(|| File::read(path, text, files)) else {
        report_unchecked("a template with SQL: not checked", report);
        return;
    };
    let is_recent = is_recent(path, &file, files);
    let has_syntax_error = report_syntax(&file, report);
    if let Some(why) = unchecked(&file, has_syntax_error) {
        report_unchecked(why, report);
    }
    report_squawk(&file, &config, is_recent, report);
    let mut found = Vec::new();
    safety::check_statements(&file, &mut found);
    safety::check_migrations(&file, &mut found);
    for found in found {
        if report.begin(found.rule) && !config.excludes(found.rule) {
            let finding = report.at(found.span, found.message);
            finding.help(found.help);
            lower_severity(!is_recent, &mut finding.severity);
            if found.rule == safety::CROSS_JOIN && is_recent {
                let edits = fixes::cross_join(text, found.span, &file);
                finding.fix_unsafe("Write `CROSS JOIN`", edits);
            }
        }
    }
    for found in replay.iter().flat_map(|replay| replay.findings_in(path)) {
        let is_inside = found.span.range().end <= text.len();
        if is_inside && report.begin(found.rule) {
            report.at(found.span, &*found.message);
        }
    }
}

/// States that a part of the file was not checked, if a rule on SQL is enabled.
fn report_unchecked(why: impl Into<String>, report: &mut Report<'_>) {
    if rule_ids().into_iter().any(|id| report.begin(id)) {
        report.unchecked(why);
    }
}

/// Which statements were not checked, and why.
fn unchecked(file: &File, has_syntax_error: bool) -> Option<String> {
    let all = file.pieces.len();
    let statements = |count: usize, why: &str| {
        let noun = if all == 1 { "statement" } else { "statements" };
        (count > 0).then(|| format!("{count} of {all} SQL {noun} not checked: {why}"))
    };
    match file.detected {
        _ if all == 0 => None,
        None => Some("SQL of an unknown dialect: syntax and migrations not checked".to_owned()),
        Some(detected) if !detected.dialect.is_parsed() => {
            Some("a dialect of SQL that is not supported: not checked".to_owned())
        }
        // The syntax error is reported as a finding.
        Some(_) if has_syntax_error => None,
        Some(_) if !file.damaged.is_empty() => {
            statements(file.damaged.len(), "unknown syntax, such as variables of a client")
        }
        Some(_) => statements(file.unparsed, "the parser does not know them"),
    }
}

/// Lowers the severity of a finding in a migration that was applied.
fn lower_severity(is_applied: bool, severity: &mut Severity) {
    if is_applied {
        *severity = Severity::Info;
    }
}

/// Whether the file is one of the newest migrations of its directory.
fn is_recent(path: &str, file: &File, files: &dyn Files) -> bool {
    let Some(migration) = &file.migration else { return true };
    let key = format!("sql order {} {}", migration.is_nested, migration.dir);
    let order = cached(files, &key, || Order::new(migration, files));
    order.is_newest_dir && (order.newest.iter().any(|known| known == path) || !order.has(path))
}

/// The paths of the migrations of a directory, and which of them are the newest.
struct Order {
    known: HashSet<String>,
    newest: Vec<String>,
    /// Whether no sibling directory has a higher version: `false` for `1.1` next to `1.2`.
    is_newest_dir: bool,
}

impl Order {
    fn new(migration: &migration::Migration, files: &dyn Files) -> Self {
        let paths = migration::ordered_paths(migration, files);
        let newest = paths.iter().rev().take(MAX_RECENT).cloned().collect();
        let is_newest_dir = migration::is_newest_dir(&migration.dir, files);
        Self { known: paths.iter().cloned().collect(), newest, is_newest_dir }
    }

    fn has(&self, path: &str) -> bool {
        self.known.contains(path)
    }
}

/// Reports the first syntax error if the dialect is certain. Returns whether an error was reported.
/// Outside migrations, a file can be a collection of queries, each of which is run on its own, so
/// the severity is `info`.
fn report_syntax(file: &File, report: &mut Report<'_>) -> bool {
    let Some(detected) = file.detected.filter(|found| found.is_certain) else { return false };
    if !detected.dialect.is_parsed() || !report.begin(SYNTAX) {
        return false;
    }
    let is_migration = file.migration.is_some();
    if let Some((span, message)) = file.unbalanced {
        lower_severity(!is_migration, &mut report.at(span, message).severity);
        return true;
    }
    let text = report.source().text();
    let is_checked = |_: &&_| !has_client_commands(text) && !has_unparsed_syntax(text);
    let Some((span, message)) = file.errors.first().filter(is_checked) else {
        return false;
    };
    let next = text.get(span.start as usize..).unwrap_or_default();
    let white_space = next.len() - next.trim_start().len();
    let word = next.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
    let end = Span::at(span.start as usize + white_space + word.map_or(0, str::len));
    let finding = report.at(span.cover(end), &**message);
    lower_severity(!is_migration, &mut finding.severity);
    true
}

/// Whether a text contains `INTERVAL 7 DAY` of other dialects, or `WITH values AS`, which PostgreSQL
/// accepts and the parser does not.
fn has_unparsed_syntax(text: &str) -> bool {
    let mut before = ("", "");
    text.split_ascii_whitespace().any(|word| {
        let is_named_values = before.1.eq_ignore_ascii_case("values")
            && word.eq_ignore_ascii_case("as")
            && (before.0.eq_ignore_ascii_case("with") || before.0.ends_with(','));
        let is_interval = before.1.eq_ignore_ascii_case("interval")
            && word.bytes().all(|byte| byte.is_ascii_digit());
        before = (before.1, word);
        is_named_values || is_interval
    })
}

/// Whether a file contains commands or variables of a database client, or placeholders that a
/// program fills in: `\i`, `\gexec`, `delimiter //`, `:name`, `%s`, `@name`, `$name`, `?`, `|` at the
/// end of a line, or names in backquotes, which belong to another dialect.
fn has_client_commands(text: &str) -> bool {
    let tokens = lex::tokens(text, Some(dialect::Dialect::Postgres));
    tokens.iter().enumerate().any(|(index, token)| match token.punct(text) {
        b'\\' | b'?' => true,
        b'$' => {
            let next = text.as_bytes().get(token.end as usize);
            next.is_some_and(u8::is_ascii_alphabetic)
        }
        // Some programs split a file at such lines.
        b'|' => {
            let rest = text.get(token.end as usize..).and_then(|rest| rest.lines().next());
            let is_last = rest.is_none_or(|rest| rest.trim().is_empty());
            is_last && index.checked_sub(1).is_none_or(|before| tokens[before].punct(text) != b'|')
        }
        b':' | b'%' | b'@' => {
            tokens
                .get(index + 1)
                .is_some_and(|next| next.start == token.end && next.kind != lex::TokenKind::Punct)
                && index.checked_sub(1).is_none_or(|before| tokens[before].punct(text) != b':')
        }
        _ => {
            text[token.start as usize..].starts_with('`')
                || token.is_word(text, "delimiter") && dialect::starts_line(text, token)
        }
    })
}

/// Reports the findings of squawk's rules.
fn report_squawk(file: &File, config: &SquawkConfig, is_recent: bool, report: &mut Report<'_>) {
    let Some(parse) = &file.postgres else { return };
    let migration = file.migration.as_ref();
    let is_enabled = |row: &&Row| {
        (migration.is_some_and(|migration| !migration.is_down) || row.scope == Scope::Anywhere)
            && !config.excluded.contains(&row.rule)
    };
    let mut rules: Vec<Rule> = Vec::new();
    for row in squawk::ROWS.iter().filter(is_enabled) {
        if report.begin(row.id) {
            rules.push(row.rule);
        }
    }
    if rules.is_empty() {
        return;
    }
    let mut linter = Linter::from(rules);
    if let Some(version) = config.version {
        linter.settings.pg_version = version;
    }
    let in_transaction =
        migration.is_some_and(|migration| migration.is_in_transaction(&file.pieces));
    linter.settings.assume_in_transaction = config.assume_in_transaction.unwrap_or(in_transaction);
    let text = report.source().text();
    let mut violations = linter.lint(parse, text);
    let context = Context::new(file, text);
    // The rule of squawk ignores statements other than `CREATE INDEX`, and files with one
    // statement.
    if migration.is_some_and(|migration| migration.transaction == Transaction::Yes)
        && config.assume_in_transaction.is_none()
        && !config.excludes(CONCURRENTLY)
        && report.begin(CONCURRENTLY)
    {
        violations.retain(|found| found.code != Rule::BanConcurrentIndexCreationInTransaction);
        for span in postgres::concurrently_spans(parse) {
            if !migration.is_some_and(|migration| migration.reverts(span)) {
                let finding = report.at(span, "`CONCURRENTLY` fails in a transaction");
                finding.help("Move the statement to a migration that runs without a transaction");
                lower_severity(!is_recent, &mut finding.severity);
                if is_recent {
                    finding.fix = fixes::without_transaction(file, text);
                }
            }
        }
    }
    for violation in violations {
        let Some(row) = squawk::find(violation.code) else { continue };
        let range = violation.text_range;
        let span = Span::new(range.start().into(), range.end().into());
        if file.is_damaged(span) || !context.applies(&violation, row, span) || !report.begin(row.id)
        {
            continue;
        }
        let finding = report.at(span, row.message);
        finding.help(row.help);
        lower_severity(!is_recent, &mut finding.severity);
        // A migration that was applied must not change.
        if is_recent {
            finding.fix = fixes::fix_violation(&violation, span, file, text);
        }
    }
}

/// Types of PostgreSQL that number the rows of a table.
const SERIAL_TYPES: [&str; 6] =
    ["bigserial", "serial", "serial2", "serial4", "serial8", "smallserial"];

/// Decides which findings of squawk are reported in a file.
struct Context<'a> {
    file: &'a File,
    text: &'a str,
    /// The tables that the file creates.
    new_tables: HashSet<&'a str>,
    /// The constraints that the file adds to tables, except `CHECK`, in order.
    keys: Vec<Span>,
}

impl<'a> Context<'a> {
    fn new(file: &'a File, text: &'a str) -> Self {
        let new_tables = file.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::CreateTable(create) => Some(&*create.name.key),
            _ => None,
        });
        let actions = file.statements.iter().flat_map(|statement| match &statement.kind {
            StatementKind::AlterTable { actions, .. } => actions.as_slice(),
            _ => &[],
        });
        let keys = actions.filter_map(|action| match action {
            Action::AddConstraint(constraint) if constraint.kind != ConstraintKind::Check => {
                Some(constraint.span)
            }
            _ => None,
        });
        Self { file, text, new_tables: new_tables.collect(), keys: keys.collect() }
    }

    fn applies(&self, violation: &Violation, row: &Row, span: Span) -> bool {
        if self.file.migration.as_ref().is_some_and(|migration| migration.reverts(span)) {
            return false;
        }
        let is_false_positive = match violation.code {
            // Foreign keys, unique constraints and primary keys have their own rules.
            Rule::ConstraintMissingNotValid => {
                let before = self.keys.partition_point(|key| key.start < span.start);
                self.keys.get(before).is_some_and(|key| span.contains(*key))
            }
            // An explicit transaction replaces the transaction of the request.
            Rule::TransactionNesting => {
                let migration = self.file.migration.as_ref();
                migration.is_some_and(|found| found.transaction == Transaction::Request)
            }
            // squawk does not know that these types have a default.
            Rule::AddingRequiredField => self
                .text
                .get(span.range())
                .unwrap_or_default()
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .any(|word| SERIAL_TYPES.iter().any(|name| word.eq_ignore_ascii_case(name))),
            // squawk does not know that `-1` is a constant.
            Rule::AddingFieldWithDefault => {
                let value = self.text.get(span.range()).unwrap_or_default();
                value.trim_start_matches(['-', '+', ' ']).parse::<f64>().is_ok()
            }
            _ => false,
        };
        if is_false_positive {
            return false;
        }
        row.scope != Scope::OnTable
            || !self
                .statement_at(span)
                .and_then(StatementKind::altered_table)
                .is_some_and(|table| self.new_tables.contains(&*table.key))
    }

    /// The statement that contains a span.
    fn statement_at(&self, span: Span) -> Option<&'a StatementKind> {
        let statements = &self.file.statements;
        let after = statements.partition_point(|statement| statement.span.start <= span.start);
        statements.get(after.checked_sub(1)?).map(|statement| &statement.kind)
    }
}
