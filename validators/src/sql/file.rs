//! An SQL file, parsed once for all checks.

use super::dialect::{DEPENDENCY_WEIGHT, Detected, Dialect, Evidence};
use super::lex::{self, TokenKind};
use super::migration::{self, Migration};
use super::split::{Piece, split};
use super::statement::{Statement, StatementKind};
use super::{other, postgres};
use crate::cached::cached;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::paths::{below, parent_dir, upwards};
use aidd_engine::text::source::Span;
use squawk_syntax::{Parse, SourceFile};
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// A file with its dialect and its statements.
#[derive(Clone)]
pub(super) struct File {
    pub(super) detected: Option<Detected>,
    pub(super) migration: Option<Migration>,
    parsed: Arc<Parsed>,
}

/// The part of a [`File`] that depends only on its text and its dialect, so that it can be cached.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) pieces: Vec<Piece>,
    pub(super) statements: Vec<Statement>,
    pub(super) postgres: Option<Parse<SourceFile>>,
    /// The syntax errors that squawk reports.
    pub(super) errors: Vec<(Span, String)>,
    /// The statements with syntax errors, in order.
    pub(super) damaged: Vec<Span>,
    /// The number of statements that no check reads, because they are not parsed.
    pub(super) unparsed: usize,
    /// The first unterminated string, name or comment, or unmatched parenthesis: its span and the
    /// message.
    pub(super) unbalanced: Option<(Span, &'static str)>,
}

impl Deref for File {
    type Target = Parsed;

    fn deref(&self) -> &Parsed {
        &self.parsed
    }
}

/// Settings files of tools, which can name the dialect of a project.
const SETTINGS: &[&str] = &[
    "migration_lock.toml",
    "prisma/schema.prisma",
    "schema.prisma",
    "meta/_journal.json",
    "drizzle.config.ts",
    "drizzle.config.js",
    "drizzle.config.mjs",
    "sqlc.yaml",
    "sqlc.yml",
    "sqlc.json",
    "dbconfig.yml",
    "knexfile.js",
    "knexfile.ts",
    "alembic.ini",
    "flyway.conf",
    "liquibase.properties",
    "config/database.yml",
    "diesel.toml",
    "application.yml",
    "application.yaml",
    "application.properties",
];

/// Manifests whose dependencies can name the dialect.
const MANIFESTS: &[&str] = &["Cargo.toml", "go.mod", "package.json", "requirements.txt"];

/// Maximum number of files of a directory that are read to find the dialect of one of them.
const MAX_SIBLINGS: usize = 12;
/// Maximum size, in bytes, of a file that is read only to check another file.
pub(super) const MAX_SIBLING_SIZE: u64 = 1 << 20;

impl File {
    /// Reads a file; `None` if it is a template.
    pub(super) fn read(path: &str, text: &str, files: &dyn Files) -> Option<Self> {
        if migration::is_template(text) {
            return None;
        }
        let text = &*for_parsers(text);
        let migration = migration::migration(path, text, files);
        let detected = detect(path, text, migration.as_ref(), files);
        let dialect = detected.map(|detected| detected.dialect);
        let parse = || Parsed::new(text, dialect);
        // Without the cache, an editor would parse all migrations of a directory after each key
        // press.
        let parsed = match files.run_cache() {
            Some(cache) => cache.get_or_parse(dialect, text, parse),
            None => Arc::new(parse()),
        };
        Some(Self { detected, migration, parsed })
    }

    /// Parses a statement that is embedded in program code.
    pub(super) fn embedded(text: &str, detected: Option<Detected>) -> Self {
        let dialect = detected.map(|detected| detected.dialect);
        Self { detected, migration: None, parsed: Arc::new(Parsed::new(text, dialect)) }
    }
}

impl Parsed {
    pub(super) fn new(text: &str, dialect: Option<Dialect>) -> Self {
        let tokens = lex::tokens(text, dialect);
        let pieces = split(text, &tokens, dialect);
        let unbalanced = unbalanced(text, &tokens, &pieces);
        let mut parsed = Self { pieces, unbalanced, ..Self::default() };
        parsed.parse(text, &tokens, dialect);
        parsed
    }

    fn parse(&mut self, text: &str, tokens: &[lex::Token], dialect: Option<Dialect>) {
        if dialect == Some(Dialect::Postgres) {
            if is_shallow(text, tokens, &self.pieces, 0) {
                let parse = SourceFile::parse(text);
                self.statements = postgres::statements(&parse);
                self.read_errors(text, &parse);
                self.postgres = Some(parse);
            } else {
                self.unparsed = self.pieces.len();
            }
            return;
        }
        if dialect.is_some_and(|dialect| !dialect.is_parsed()) {
            self.unparsed = self.pieces.len();
            return;
        }
        for piece in &self.pieces {
            let piece_text = &text[piece.span.range()];
            let first = piece_text.split(|c: char| !c.is_ascii_alphabetic()).next();
            let first = first.unwrap_or_default().to_ascii_lowercase();
            // No check uses these statements, so they are not parsed.
            let is_unused = matches!(&*first, "insert" | "grant" | "set" | "use" | "revoke");
            let parsed = (!piece.is_routine && piece.is_shallow && !is_unused)
                .then(|| other::parse(piece_text, piece.span.start as usize, dialect))
                .flatten();
            match parsed {
                Some(statement) => self.statements.push(statement),
                None if is_unused => {}
                None => {
                    self.unparsed += 1;
                    self.statements.push(Statement {
                        span: piece.span,
                        kind: StatementKind::Opaque,
                        cross_joins: Vec::new(),
                        non_sargable: Vec::new(),
                    });
                }
            }
        }
    }
}

/// Maximum nesting of function bodies: functions that define functions.
const MAX_BODIES: usize = 3;
/// Minimum length, in bytes, of a function body whose nesting is checked. Shorter bodies cannot be
/// nested deeply.
const MIN_BODY: u32 = 100;

/// Whether squawk can read the statements without deep recursion. squawk also parses the strings
/// that contain the bodies of functions.
fn is_shallow(text: &str, tokens: &[lex::Token], pieces: &[Piece], level: usize) -> bool {
    let is_body = |token: &&lex::Token| {
        matches!(token.kind, TokenKind::Dollar | TokenKind::String)
            && token.end - token.start > MIN_BODY
    };
    let is_shallow_body = |token: &lex::Token| {
        let body = token.text(text);
        let body = body.trim_start_matches(['\'', '$']).trim_end_matches(['\'', '$']);
        let tokens = lex::tokens(body, Some(Dialect::Postgres));
        let pieces = split(body, &tokens, Some(Dialect::Postgres));
        level < MAX_BODIES && is_shallow(body, &tokens, &pieces, level + 1)
    };
    pieces.iter().all(|piece| {
        let tokens = tokens.get(piece.tokens.0..piece.tokens.1).unwrap_or_default();
        // Only statements such as `CREATE FUNCTION` and `DO` contain others.
        let has_body =
            piece.is_routine || tokens.first().is_some_and(|first| first.is_word(text, "do"));
        piece.is_shallow && (!has_body || tokens.iter().filter(is_body).all(is_shallow_body))
    })
}

/// The comment that ends a statement in migrations of goose, in lower case.
const STATEMENT_END: &str = "-- +goose statementend";

/// Replaces a byte order mark and the rows after `COPY … FROM stdin;` with spaces, and ends the
/// statement before `-- +goose StatementEnd`, which goose sends without a semicolon. Offsets do not
/// change. psql reads the rows up to a line `\.`
/// (<https://www.postgresql.org/docs/current/sql-copy.html>).
pub(super) fn for_parsers(text: &str) -> Cow<'_, str> {
    let mut changed = Cow::Borrowed(text);
    if text.starts_with('\u{FEFF}') {
        changed.to_mut().replace_range(..3, "   ");
    }
    let (mut offset, mut is_row) = (0, false);
    for line in text.split_inclusive('\n') {
        let code = line.trim_end_matches(['\r', '\n']);
        if is_row {
            changed.to_mut().replace_range(offset..offset + code.len(), &" ".repeat(code.len()));
            is_row = code != "\\.";
        } else if code.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("copy ")) {
            let lower = code.to_ascii_lowercase();
            is_row = lower.ends_with(';') && lower.contains(" from stdin");
        } else if let Some(indent) = code.to_ascii_lowercase().find(STATEMENT_END)
            && code[..indent].trim().is_empty()
            && !text[..offset].trim_end().ends_with(';')
        {
            changed.to_mut().replace_range(offset + indent..offset + indent + 3, ";--");
        }
        offset += line.len();
    }
    changed
}

impl Parsed {
    /// Reads the syntax errors, and makes statements with errors opaque, because the parser guessed
    /// their content.
    fn read_errors(&mut self, text: &str, parse: &Parse<SourceFile>) {
        for error in parse.errors() {
            let range = error.range();
            let span = Span::new(range.start().into(), range.end().into());
            let after = self.pieces.partition_point(|piece| piece.span.start <= span.start);
            let first = after.saturating_sub(1);
            // An error at the end of a statement can be in the white space after it.
            for piece in self.pieces.iter().skip(first).take(2) {
                if piece.span.start <= span.end && self.damaged.last() < Some(&piece.span) {
                    self.damaged.push(piece.span);
                }
            }
            // `system_user` is reserved only since PostgreSQL 16.
            let is_newly_reserved = self
                .pieces
                .get(first)
                .is_some_and(|piece| has_word(&text[piece.span.range()], "system_user"));
            if !is_newly_reserved {
                self.errors.push((span, error.message().to_lowercase()));
            }
        }
        let damaged = &self.damaged;
        for statement in &mut self.statements {
            if is_in(damaged, statement.span) {
                statement.kind = StatementKind::Opaque;
                statement.cross_joins.clear();
                statement.non_sargable.clear();
            }
        }
    }

    /// Whether a span is in a statement with a syntax error.
    pub(super) fn is_damaged(&self, span: Span) -> bool {
        is_in(&self.damaged, span)
    }
}

/// Whether `text` contains `word`, in any case.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.split(is_part).any(|part| part.eq_ignore_ascii_case(word))
}

/// Whether `span` overlaps one of `spans`, which are in order and do not overlap.
fn is_in(spans: &[Span], span: Span) -> bool {
    let before = spans.partition_point(|known| known.end <= span.start);
    spans.get(before).is_some_and(|known| known.start < span.end)
}

/// Detects the dialect of a file from its path and content, from the settings of tools and, for a
/// migration, from the content of the other migrations of the directory.
fn detect(
    path: &str,
    text: &str,
    migration: Option<&Migration>,
    files: &dyn Files,
) -> Option<Detected> {
    let mut evidence = Evidence::from_path(path);
    evidence.merge(content_evidence(text, files));
    let (settings, migrations) = shared_evidence(path, migration, files);
    evidence.merge(*settings);
    if let Some(migrations) = migrations {
        evidence.merge(*migrations);
    }
    evidence.detect()
}

/// The evidence for the dialect of a file that does not depend on its text: the settings of tools
/// and, for a migration, the content of the migrations of the directory.
pub(super) fn shared_evidence(
    path: &str,
    migration: Option<&Migration>,
    files: &dyn Files,
) -> (Arc<Evidence>, Option<Arc<Evidence>>) {
    // If each migration has its own directory, the settings are in or above the parent of these
    // directories.
    let nested = migration.filter(|migration| migration.is_nested);
    let dir = nested.map_or_else(|| parent_dir(path), |migration| &*migration.dir);
    let settings = cached(files, &format!("sql settings {dir}"), || settings(dir, files));
    let migrations = migration.map(|migration| {
        cached(files, &format!("sql evidence {}", migration.dir), || {
            let mut joint = Evidence::default();
            let paths = migration::ordered_paths(migration, files);
            for path in paths.iter().filter(|path| super::is_sql(path)).take(MAX_SIBLINGS) {
                if let Some(text) = read_sibling(path, files) {
                    joint.merge(content_evidence(&text, files));
                }
            }
            joint.limited()
        })
    });
    (settings, migrations)
}

/// The evidence in the text of an SQL file. An editor reads the other migrations of a directory again
/// after each key press.
fn content_evidence(text: &str, files: &dyn Files) -> Evidence {
    let read = || Evidence::from_content(text, &lex::tokens(text, None));
    match files.run_cache() {
        Some(cache) => *cache.get_or_parse("sql evidence", text, read),
        None => read(),
    }
}

/// The text of another migration; `None` if it cannot be read, is too large or is not UTF-8.
pub(super) fn read_sibling(path: &str, files: &dyn Files) -> Option<String> {
    let bytes = files.read(path, MAX_SIBLING_SIZE + 1).ok()?;
    (bytes.len() as u64 <= MAX_SIBLING_SIZE).then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The evidence in the nearest settings in a directory or above it; without settings, in the
/// nearest manifests.
pub(super) fn settings(dir: &str, files: &dyn Files) -> Evidence {
    let mut manifests = Evidence::default();
    for dir in upwards(dir) {
        if files.exists(&below(dir, ".squawk.toml")) {
            return Evidence::from_tool(Dialect::Postgres);
        }
        let evidence = |names: &[&str], weight| {
            let mut evidence = Evidence::default();
            for name in names {
                let path = below(dir, name);
                if files.exists(&path)
                    && let Some(text) = side_file(files, &path)
                {
                    evidence.merge(Evidence::from_settings(&settings_text(name, &text), weight));
                }
            }
            evidence
        };
        let found = evidence(SETTINGS, None);
        if found.total() > 0 {
            return found;
        }
        if manifests.total() == 0 {
            manifests = evidence(MANIFESTS, Some(DEPENDENCY_WEIGHT));
        }
    }
    manifests
}

/// The part of the settings that names the dialect.
fn settings_text(name: &str, text: &str) -> String {
    if name.ends_with(".prisma") {
        let mut lines = text.lines().filter(|line| line.trim_start().starts_with("provider"));
        return lines.find(|line| !line.contains("prisma-client")).unwrap_or_default().to_owned();
    }
    if name.ends_with("_journal.json") {
        return text.lines().take(5).collect::<Vec<_>>().join("\n");
    }
    text.to_owned()
}

/// The first unterminated token or, if there is none, the first unmatched parenthesis of a
/// statement: its span and the message.
fn unbalanced(text: &str, tokens: &[lex::Token], pieces: &[Piece]) -> Option<(Span, &'static str)> {
    if let Some(token) = tokens.iter().find(|token| token.is_unterminated) {
        let message = match token.kind {
            TokenKind::Comment => "unterminated comment",
            TokenKind::Quoted => "unterminated quoted name",
            _ => "unterminated string",
        };
        return Some((Span::new(token.start as usize, token.start as usize + 1), message));
    }
    for piece in pieces {
        let mut open: Vec<usize> = Vec::new();
        for token in tokens.get(piece.tokens.0..piece.tokens.1).unwrap_or_default() {
            match token.punct(text) {
                b'(' => open.push(token.start as usize),
                b')' if open.pop().is_none() => {
                    let at = token.start as usize;
                    return Some((Span::new(at, at + 1), "`)` without `(`"));
                }
                _ => {}
            }
        }
        if let Some(&at) = open.first() {
            return Some((Span::new(at, at + 1), "`(` without `)`"));
        }
    }
    None
}
