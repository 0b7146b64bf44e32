//! The fixes of findings in SQL files. A fix of a migration is never safe: whether the migration
//! was applied is unknown, and so is the effect on its checksum.

use super::file::File;
use super::lex::{self, TokenKind};
use super::migration::{Transaction, no_transaction_edit};
use super::postgres::concurrently_spans;
use super::statement::{Action, Constraint, ConstraintKind, StatementKind};
use aidd_engine::text::finding::{Edit, Fix, Safety};
use aidd_engine::text::source::Span;
use squawk_linter::{Rule, Violation};

/// Maximum length of a name in PostgreSQL, in bytes.
const MAX_NAME: usize = 63;

/// When the edit of a squawk rule is offered as a fix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FixPolicy {
    Always,
    /// Only if the statement certainly runs outside of a transaction.
    OutsideTransaction,
    /// Only in a migration without directives of its tool (`-- +goose Up`): the edit inserts text at
    /// the start of the file, where the directives must be.
    AtStart,
    /// Never: instead, `NOT VALID` is added at the end of the constraint.
    NotValid,
}

/// The title of the fix of a rule, and when the edit is offered. `None` for fixes that invent names
/// or values, and for those that require the newest version of the server.
fn title(rule: Rule) -> Option<(&'static str, FixPolicy)> {
    Some(match rule {
        Rule::RequireConcurrentIndexCreation
        | Rule::RequireConcurrentIndexDeletion
        | Rule::RequireConcurrentPartitionDetach
        | Rule::RequireConcurrentReindex => ("Add `CONCURRENTLY`", FixPolicy::OutsideTransaction),
        Rule::AddingForeignKeyConstraint | Rule::ConstraintMissingNotValid => (
            "Add `NOT VALID`, and validate the constraint in a later migration",
            FixPolicy::NotValid,
        ),
        Rule::RequireLockTimeout => ("Set `lock_timeout`", FixPolicy::AtStart),
        Rule::RequireStatementTimeout => ("Set `statement_timeout`", FixPolicy::AtStart),
        Rule::BanUncommittedTransaction => ("Add `COMMIT`", FixPolicy::Always),
        Rule::BanCharField => ("Use a type without padding", FixPolicy::Always),
        Rule::PreferBigintOverInt | Rule::PreferBigintOverSmallint => {
            ("Use a 64-bit type", FixPolicy::Always)
        }
        Rule::PreferIdentity => ("Use an identity column", FixPolicy::Always),
        Rule::PreferTextField => ("Use `text`", FixPolicy::Always),
        Rule::PreferTimestampTz => ("Use `timestamptz`", FixPolicy::Always),
        Rule::PreferRobustStmts => ("Make the statement repeatable", FixPolicy::Always),
        Rule::IdentifierTooLong => ("Shorten the name to 63 bytes", FixPolicy::Always),
        Rule::BanDuplicateColumnAssignments => {
            ("Delete all but the last assignment", FixPolicy::Always)
        }
        _ => return None,
    })
}

/// The fix of a violation that squawk found; `None` if no fix is offered.
pub(super) fn fix_violation(
    violation: &Violation,
    span: Span,
    file: &File,
    text: &str,
) -> Option<Fix> {
    let (title, policy) = title(violation.code)?;
    let edits = match policy {
        FixPolicy::NotValid => vec![add_not_valid(span, file, text)?],
        FixPolicy::OutsideTransaction if !runs_outside_transaction(file, text) => return None,
        FixPolicy::AtStart if !takes_settings(file) => return None,
        _ => violation.fix.as_ref()?.edits.iter().map(|edit| convert(edit, file, text)).collect(),
    };
    // The server shortens a name in the same way.
    let is_safe = violation.code == Rule::IdentifierTooLong && file.migration.is_none();
    let safety = if is_safe { Safety::Safe } else { Safety::Unsafe };
    Some(Fix { title: title.to_owned(), safety, edits, file: None })
}

/// Converts an edit of squawk. A type is written in the case of the type that it replaces, keywords
/// in the case of the statement.
fn convert(edit: &squawk_linter::Edit, file: &File, text: &str) -> Edit {
    let range = edit.text_range;
    let target = Span::new(range.start().into(), range.end().into());
    let added = edit.text.as_deref().unwrap_or_default();
    let replaced = text.get(target.range()).unwrap_or_default();
    let before = file.pieces.partition_point(|piece| piece.span.start <= target.start);
    let piece = file.pieces.get(before.saturating_sub(1));
    let statement = piece.and_then(|piece| text.get(piece.span.range())).unwrap_or_default();
    let space = added.find(' ').unwrap_or(added.len());
    let (first, rest) = added.split_at(space);
    let added = if added.contains('\'') {
        // `SET name = 'value'`
        format!("{}{rest}", in_case_of(statement, first))
    } else if replaced.is_empty() {
        in_case_of(statement, added)
    } else if replaced.contains('"') || replaced.len() > MAX_NAME {
        added.to_owned()
    } else {
        // Preserve the precision: `timestamp(3)` becomes `timestamptz(3)`.
        let digits = replaced.find('(').filter(|_| first == "timestamptz");
        let digits = digits.and_then(|at| replaced.get(at..=replaced.find(')')?)).unwrap_or("");
        format!("{}{digits}{}", in_case_of(replaced, first), in_case_of(statement, rest))
    };
    Edit::replace(target, added)
}

/// `text` in upper case if the first word of `model` is in upper case, otherwise in lower case.
fn in_case_of(model: &str, text: &str) -> String {
    let is_letter = |c: &char| c.is_ascii_alphabetic();
    let word: String = model.chars().skip_while(|c| !is_letter(c)).take_while(is_letter).collect();
    let is_upper = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    if is_upper { text.to_ascii_uppercase() } else { text.to_ascii_lowercase() }
}

/// Whether it is certain that no statement runs in a transaction.
fn runs_outside_transaction(file: &File, text: &str) -> bool {
    let begins = |span: Span| {
        let first = text.get(span.range()).unwrap_or_default().split(|c: char| !c.is_alphabetic());
        first.take(1).any(|word| ["begin", "start"].iter().any(|it| word.eq_ignore_ascii_case(it)))
    };
    file.migration.as_ref().is_some_and(|migration| match migration.transaction {
        Transaction::No => !file.pieces.iter().any(|piece| begins(piece.span)),
        Transaction::Request => file.pieces.len() == 1,
        Transaction::Yes | Transaction::Unknown => false,
    })
}

/// Whether `SET` statements can be inserted at the start of the file. They cannot if the file has
/// directives of a migration tool, which must come first, or uses `CONCURRENTLY`, which fails in the
/// transaction that a second statement can start.
fn takes_settings(file: &File) -> bool {
    file.migration.as_ref().is_some_and(|migration| !migration.is_marked)
        && file.postgres.as_ref().is_some_and(|parse| concurrently_spans(parse).is_empty())
}

/// The edit that adds `NOT VALID` to the constraint at `span`.
fn add_not_valid(span: Span, file: &File, text: &str) -> Option<Edit> {
    let mut actions = file.statements.iter().flat_map(|statement| match &statement.kind {
        StatementKind::AlterTable { actions, .. } if statement.span.contains(span) => {
            actions.as_slice()
        }
        _ => &[],
    });
    let added = actions.find_map(|action| match action {
        Action::AddConstraint(Constraint { kind, span: at, .. })
            if matches!(kind, ConstraintKind::Foreign | ConstraintKind::Check)
                && (span.contains(*at) || at.contains(span)) =>
        {
            Some(*at)
        }
        _ => None,
    })?;
    Some(Edit::insert(added.end, in_case_of(text.get(added.range())?, " not valid")))
}

/// The edits that replace each comma between the tables of a clause by `CROSS JOIN`.
pub(super) fn cross_join(text: &str, span: Span, file: &File) -> Vec<Edit> {
    let clause = text.get(span.range()).unwrap_or_default();
    let dialect = file.detected.map(|detected| detected.dialect);
    let tokens = lex::tokens(clause, dialect);
    let commas = tokens.iter().filter(|token| token.kind == TokenKind::Punct);
    let commas = commas.filter(|token| token.punct(clause) == b',');
    let join =
        in_case_of(text.trim_start_matches(|c: char| !c.is_ascii_alphabetic()), " cross join");
    commas
        .map(|token| {
            let comma = Span { start: span.start + token.start, end: span.start + token.end };
            Edit::replace(comma, join.clone())
        })
        .collect()
}

/// The fix that disables the transaction of a migration. `None` if the migration does not consist
/// of one statement.
pub(super) fn without_transaction(file: &File, text: &str) -> Option<Fix> {
    let migration = file.migration.as_ref()?;
    let is_up = |span: Span| !migration.reverts(span);
    if file.pieces.iter().filter(|piece| is_up(piece.span)).count() != 1 {
        return None;
    }
    let edits = vec![no_transaction_edit(text)?];
    let title = "Run the migration without a transaction".to_owned();
    Some(Fix { title, safety: Safety::Unsafe, edits, file: None })
}
