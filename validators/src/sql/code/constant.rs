//! Checks statements in program code into which no values are inserted.

use super::super::dialect::{Detected, Dialect, Evidence};
use super::super::file::{File, settings};
use super::super::{SYNTAX, has_unparsed_syntax, safety};
use super::language::{DRIVERS, QueryKind};
use super::query::Query;
use super::scope::Index;
use super::{EmbeddedQuery, first_words};
use aidd_engine::check::FileContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::parent_dir;
use aidd_engine::text::source::Span;

/// The rules that apply to statements in program code. The other rules concern migrations and
/// views.
pub(super) const RULES: &[&str] =
    &[SYNTAX, safety::DELETE, safety::UPDATE, safety::CROSS_JOIN, safety::NON_SARGABLE];

/// The first words of the statements that are checked.
const VERBS: &[&str] = &["select", "insert", "update", "delete", "with", "merge", "replace"];

/// Checks the constant statements among `queries`.
pub(super) fn check(
    queries: &[EmbeddedQuery<'_>],
    index: &Index<'_>,
    context: &FileContext<'_>,
    report: &mut Report<'_>,
) {
    let is_constant = |found: &&EmbeddedQuery<'_>| {
        let query = &found.query;
        found.query_kind == QueryKind::Statement
            && query.holes.is_empty()
            && !query.is_assembled
            && VERBS.contains(&&*first_words(&query.text).0)
    };
    let mut queries = queries.iter().filter(is_constant).peekable();
    if queries.peek().is_none() {
        return;
    }
    let driver = driver(index.text());
    let path = report.source().path();
    let mut evidence = settings(parent_dir(path), context.files);
    evidence.merge(Evidence::from_path(path));
    let mut seen = std::collections::HashSet::new();
    for EmbeddedQuery { query, node, .. } in queries {
        if seen.insert(query.span(Span::new(0, query.text.len()))) {
            let empties = empties_on_purpose(node.start_byte(), index);
            check_statement(query, driver, evidence, empties, report);
        }
    }
}

/// Whether the name of the function that contains `at` suggests that it deletes everything.
fn empties_on_purpose(at: usize, index: &Index<'_>) -> bool {
    let function = index.function_at(at).and_then(|function| function.child_by_field_name("name"));
    let name = function.map(|name| index.text_of(name).to_ascii_lowercase()).unwrap_or_default();
    let words =
        ["all", "clear", "reset", "truncate", "purge", "wipe", "flush", "drop", "clean", "empty"];
    words.iter().any(|word| name.contains(word))
}

/// The dialect of the drivers that the file imports; `None` if it imports none, or drivers of
/// several dialects.
fn driver(text: &str) -> Option<Dialect> {
    let mut found = None;
    for line in text.lines().take(200) {
        let is_import =
            ["import", "from ", "use ", "\t\"", "\t_ \"", "const ", "var ", "let ", "_ \""]
                .iter()
                .any(|start| {
                    line.trim_start_matches(' ').starts_with(start) || line.starts_with(start)
                });
        if !is_import {
            continue;
        }
        let words = line.split(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '(' | ')' | ',' | '{' | '}')
        });
        for (module, dialect) in DRIVERS {
            let names = |word: &str| {
                word.strip_prefix(module)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
            };
            if words.clone().any(names) {
                if found.is_some_and(|known| known != *dialect) {
                    return None;
                }
                found = Some(*dialect);
            }
        }
    }
    found
}

/// Whether a library replaces a part of the text before the database reads it: `$name`, as in
/// `db.query("… = $name", vars=…)` of web.py.
fn has_named_placeholder(text: &str) -> bool {
    text.match_indices('$')
        .any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

fn check_statement(
    query: &Query<'_>,
    driver: Option<Dialect>,
    evidence: Evidence,
    empties: bool,
    report: &mut Report<'_>,
) {
    let Some(text) = with_values(&query.text) else { return };
    let detected = match driver {
        Some(dialect) => Some(Detected { dialect, is_certain: true }),
        None => {
            let mut all = Evidence::from_content(&text, &super::super::lex::tokens(&text, None));
            all.merge(evidence);
            all.detect()
        }
    };
    let file = File::embedded(&text, detected);
    let is_certain = detected.is_some_and(|found| found.is_certain && found.dialect.is_parsed());
    if is_certain && report.begin(SYNTAX) {
        let error = file.unbalanced.or_else(|| {
            let is_postgres = driver == Some(Dialect::Postgres)
                && !has_unparsed_syntax(&text)
                && !has_named_placeholder(&query.text);
            let first = file.errors.first().filter(|_| is_postgres);
            first.map(|(span, _)| (*span, "syntax error"))
        });
        let message = file.errors.first().map(|(_, message)| message.clone());
        if let Some((span, what)) = error {
            let rest = text.get(span.start as usize..).unwrap_or_default();
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let end = span.start as usize + word.max(first);
            let end = end.max(span.end as usize).min(text.len());
            let span = query.span(Span::new((span.start as usize).min(end), end));
            let message =
                if what == "syntax error" { message.unwrap_or_default() } else { what.to_owned() };
            // Libraries with placeholders of their own rewrite a query before they send it.
            report.at(span, message).severity = Severity::Info;
            return;
        }
    }
    let mut found = Vec::new();
    safety::check_statements(&file, &mut found);
    let applies = |rule: &str| {
        RULES.contains(&rule) && !(empties && matches!(rule, safety::DELETE | safety::UPDATE))
    };
    for found in found.into_iter().filter(|found| applies(found.rule)) {
        if report.begin(found.rule) {
            let finding = report.at(query.span(found.span), found.message);
            finding.help(found.help);
            // A program often changes a whole table on purpose.
            finding.severity = Severity::Info;
        }
    }
}

/// The text with each placeholder replaced by a value of the same length; `None` if a placeholder
/// is at a position where a parser does not accept a value.
fn with_values(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut quote = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if quote != 0 {
            if byte == quote {
                quote = 0;
            }
            at += 1;
            continue;
        }
        // Hibernate unescapes `\\:\\:` before the database reads it.
        if byte == b'\\' {
            return None;
        }
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let comment_end = match (byte, next) {
            (b'-', b'-') => Some(memchr::memchr(b'\n', &bytes[at..])),
            (b'/', b'*') => Some(memchr::memmem::find(&bytes[at..], b"*/").map(|end| end + 2)),
            _ => None,
        };
        if let Some(end) = comment_end {
            at = end.map_or(bytes.len(), |end| at + end);
            continue;
        }
        let length = match byte {
            b'\'' | b'"' | b'`' => {
                quote = byte;
                0
            }
            b'?' if next == b'?' || matches!(next, b'|' | b'&') => return None,
            b'?' => 1 + bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
            b'%' if next == b'(' => {
                let close = memchr::memchr(b')', &bytes[at..])?;
                close + 2
            }
            b'%' if next == b's' => 2,
            b'%' if next == b'%' => return None,
            b':' if next == b':' => {
                at += 2;
                continue;
            }
            b':' | b'@' | b'#' | b'$' if is_word(next) && !is_word(before) => {
                1 + bytes[at + 1..].iter().take_while(|byte| is_word(**byte)).count()
            }
            b'{' | b'<' if next == byte => return None,
            _ => 0,
        };
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length;
        if byte != b'$' {
            let head = &text[..at];
            let word = head
                .trim_end()
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default();
            let is_value = ![
                "in",
                "values",
                "from",
                "into",
                "join",
                "update",
                "table",
                "by",
                "interval",
                "date",
                "timestamp",
                "as",
            ]
            .iter()
            .any(|other| word.eq_ignore_ascii_case(other));
            if !is_value || end > bytes.len() {
                return None;
            }
            bytes[at..end].fill(b'1');
        }
        at = end;
    }
    String::from_utf8(bytes).ok()
}
