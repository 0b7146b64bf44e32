//! Checks on SQL: syntax, the safety of migrations, and dangerous statements.

mod config;
mod dialect;
mod file;
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

use aidd_engine::check::family::Family;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;
use config::{SquawkConfig, squawk_config};
use file::{File, cached};
use replay::Replay;
use squawk::{Effect, Row};
use squawk_linter::{Linter, Rule, Violation};
use statement::StatementKind;
use std::collections::HashSet;
use std::sync::Arc;

/// The kind of SQL files.
const SQL: Kind = Kind("sql");

/// The rules on SQL.
pub(super) const FAMILY: Family = Family {
    name: "sql",
    rules: ids,
    claim: |path, _| is_sql(path).then_some(SQL),
    check: |_, context, report| check(context.files, report),
    statements: |_, source| {
        let tokens = lex::tokens(source.text(), None);
        let pieces = split::split(source.text(), &tokens, None);
        pieces.iter().map(|piece| piece.span).collect()
    },
    affects_other_files: is_sql,
    ..Family::EMPTY
};

const SYNTAX: &str = "sql/syntax";

/// The number of the newest migrations of a directory that can still be changed. Findings on the
/// safety of older ones are only information: they were applied.
const MAX_RECENT: usize = 3;

fn ids() -> Vec<&'static str> {
    let mut ids: Vec<&str> = squawk::ROWS.iter().map(|row| row.id).collect();
    ids.extend(safety::RULES.iter().chain(replay::RULES).chain([&SYNTAX]));
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
        if files.run_cache().is_some() {
            let key = format!("sql replay {} {}", migration.is_nested, migration.dir);
            cached(files, &key, || Replay::new(&migration, None, files))
        } else {
            Arc::new(Replay::new(&migration, Some((path, text)), files))
        }
    });
    let known = replay.as_ref().and_then(|replay| replay.take(path, text));
    let Some(file) = known.or_else(|| File::read(path, text, files)) else { return };
    let is_recent = is_recent(path, &file, files);
    report_syntax(&file, report);
    report_squawk(&file, &config, is_recent, report);
    let mut found = Vec::new();
    safety::statements(&file, &mut found);
    let count = found.len();
    safety::migrations(&file, &mut found);
    for (index, found) in found.into_iter().enumerate() {
        if report.begin(found.rule) && !config.excludes(found.rule) {
            let is_applied = index >= count && !is_recent;
            let finding = report.at(found.span, found.message);
            finding.help(found.help);
            lower(is_applied, &mut finding.severity);
        }
    }
    for found in replay.iter().flat_map(|replay| replay.found(path)) {
        let is_inside = found.span.range().end <= text.len();
        if is_inside && report.begin(found.rule) {
            report.at(found.span, &*found.message);
        }
    }
}

/// Lowers the severity of a finding in a migration that was applied.
fn lower(is_applied: bool, severity: &mut Severity) {
    if is_applied {
        *severity = Severity::Info;
    }
}

/// Whether the file is one of the newest migrations of its directory.
fn is_recent(path: &str, file: &File, files: &dyn Files) -> bool {
    let Some(migration) = &file.migration else { return true };
    let key = format!("sql order {} {}", migration.is_nested, migration.dir);
    let paths = cached(files, &key, || migration::ordered(migration, files));
    let later = paths.iter().rev().take(MAX_RECENT);
    later.clone().any(|known| known == path) || !paths.iter().any(|known| known == path)
}

/// Reports a syntax error if it is certain that the dialect was recognised.
fn report_syntax(file: &File, report: &mut Report<'_>) {
    let Some(detected) = file.detected.filter(|found| found.is_certain) else { return };
    if !detected.dialect.is_parsed() || !report.begin(SYNTAX) {
        return;
    }
    if let Some((span, message)) = file.unbalanced {
        report.at(span, message);
        return;
    }
    let text = report.source().text();
    let has_client_commands = text
        .lines()
        .any(|line| line.starts_with('\\') || line.contains(":'") || line.contains(" :"));
    let errors =
        file.postgres.as_ref().filter(|_| !has_client_commands).map(|parse| parse.errors());
    if let Some(error) = errors.iter().flatten().next() {
        let range = error.range();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let next = text.get(start..).unwrap_or_default();
        let white_space = next.len() - next.trim_start().len();
        let word = next.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let end_of_word = start + white_space + word.map_or(0, str::len);
        report.at(Span::new(start, end.max(end_of_word)), error.message().to_lowercase());
    }
}

/// Reports the findings of squawk's rules.
fn report_squawk(file: &File, config: &SquawkConfig, is_recent: bool, report: &mut Report<'_>) {
    let Some(parse) = &file.postgres else { return };
    let migration = file.migration.as_ref();
    let is_enabled = |row: &&Row| {
        (migration.is_some_and(|migration| !migration.is_down) || row.effect == Effect::Anywhere)
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
    let violations = linter.lint(parse, report.source().text());
    let context = Context::new(file);
    for violation in violations {
        let Some(row) = squawk::find(violation.code) else { continue };
        let range = violation.text_range;
        let span = Span::new(range.start().into(), range.end().into());
        if !context.applies(&violation, row, span) || !report.begin(row.id) {
            continue;
        }
        let finding = report.at(span, row.message);
        finding.help(row.help);
        let is_applied = !is_recent && row.effect != Effect::Anywhere;
        lower(is_applied, &mut finding.severity);
    }
}

/// Decides which findings of squawk matter in a file.
struct Context<'a> {
    file: &'a File,
    /// The tables that the file creates.
    new_tables: HashSet<&'a str>,
}

impl<'a> Context<'a> {
    fn new(file: &'a File) -> Self {
        let new_tables = file.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::CreateTable(create) => Some(&*create.name.key),
            _ => None,
        });
        Self { file, new_tables: new_tables.collect() }
    }

    fn applies(&self, violation: &Violation, row: &Row, span: Span) -> bool {
        if self.file.migration.as_ref().is_some_and(|migration| migration.reverts(span)) {
            return false;
        }
        // Foreign keys have their own rule.
        let is_foreign_key = || {
            let at = self.statement_at(span);
            at.is_some_and(|kind| match kind {
                StatementKind::AlterTable { actions, .. } => actions.iter().any(|action| {
                    matches!(action, statement::Action::AddConstraint(constraint)
                        if constraint.kind != statement::ConstraintKind::Check
                            && span.contains(constraint.span))
                }),
                _ => false,
            })
        };
        if violation.code == Rule::ConstraintMissingNotValid && is_foreign_key() {
            return false;
        }
        row.effect != Effect::OnTable
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
