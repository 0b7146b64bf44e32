//! SQL in program code: queries that are built from values, and constant statements.

mod bindings;
mod build;
mod constant;
mod context;
mod expression;
mod filter;
mod format;
mod language;
mod literal;
mod query;
mod scope;
#[cfg(test)]
mod tests;
mod value;
mod words;

use aidd_engine::check::FileContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::Span;
use build::Builder;
use context::{Context, contexts};
use expression::{Expr, call, read};
use filter::may_contain_query;
use language::{Language, QueryKind, language_of_path};
use query::{BREAK, HOLE, Hole, Query, Value};
use scope::Index;
use std::collections::HashSet;
use tree_sitter::Node;
use value::{Classifier, Source};

/// The rule that reports values that are inserted into queries.
pub(super) const INJECTION: &str = "sql/injection";

/// Maximum number of queries of one file that are checked.
const MAX_QUERIES: usize = 1_000;
/// Maximum length of an expression in a message.
const MAX_SHOWN: usize = 40;

/// Checks the queries of a file.
pub(super) fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    let Some(language) = language_of_path(path) else { return };
    let finds_injection = report.begin(INJECTION);
    let checks_constants = constant::RULES.iter().any(|rule| report.begin(rule));
    if !finds_injection && !checks_constants || !may_contain_query(text, language) {
        return;
    }
    let purpose = Purpose::of_file(path, context.files);
    let is_ignored = matches!(
        purpose,
        Purpose::Test | Purpose::Vendored | Purpose::Archived | Purpose::Generated
    );
    if is_ignored || is_migration_or_test_data(path) {
        return;
    }
    let Some(root) = context.tree.root() else { return };
    let index = Index::new(root, text, language);
    let queries = queries(&index);
    if finds_injection && report.begin(INJECTION) {
        report_injections(&queries, &index, language, report);
    }
    if checks_constants {
        constant::check(&queries, &index, context, report);
    }
}

/// Whether the path is that of a migration, seed data or test code, which only insert values from
/// their own code.
fn is_migration_or_test_data(path: &str) -> bool {
    let is_dir = |part: &str| {
        let names = ["migration", "migrate", "testing", "testcontainers"];
        matches!(part, "versions" | "seeds" | "seeders" | "alembic")
            || names.iter().any(|name| part.contains(name))
    };
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_once = name
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "seed" | "seeds" | "migrations" | "migration"));
    is_once || directories.split('/').any(is_dir)
}

/// A query in program code.
struct EmbeddedQuery<'t> {
    /// The call or assignment.
    node: Node<'t>,
    query_kind: QueryKind,
    query: Query<'t>,
}

/// The queries of a file, in order.
fn queries<'t>(index: &Index<'t>) -> Vec<EmbeddedQuery<'t>> {
    let mut found: Vec<EmbeddedQuery<'t>> = Vec::new();
    let mut seen: HashSet<usize> = HashSet::new();
    for &node in index.calls.iter().take(MAX_QUERIES) {
        let Some(call) = call(node, index.text()) else { continue };
        let sinks = index.language().sinks.iter().filter(|sink| sink.name == call.name);
        for sink in sinks {
            let arguments = sink.arguments.iter().filter_map(|at| call.arguments.get(*at));
            let mut queries = arguments.filter_map(|argument| {
                let argument = query_argument(*argument, index)?;
                let mut builder = Builder::new(index, node.end_byte());
                let query = builder.build(argument);
                is_query(&query.text, sink.query_kind).then_some((argument, query))
            });
            if let Some((argument, query)) = queries.next() {
                seen.insert(argument.start_byte());
                seen.extend(query.holes.iter().filter_map(|hole| offset(hole.value)));
                found.push(EmbeddedQuery { node, query_kind: sink.query_kind, query });
                break;
            }
        }
    }
    // Queries that are assigned to a variable with a name such as `query`, and that no call in the
    // file receives.
    for &(statement, value) in index.named.iter().take(MAX_QUERIES) {
        if seen.contains(&value.start_byte()) {
            continue;
        }
        let query = Builder::new(index, statement.start_byte()).build(value);
        let mut offsets = query.holes.iter().filter_map(|hole| offset(hole.value));
        let is_known = offsets.any(|at| seen.contains(&at));
        if !is_known && !query.holes.is_empty() && is_query(&query.text, QueryKind::Statement) {
            found.push(EmbeddedQuery { node: statement, query_kind: QueryKind::Statement, query });
        }
    }
    found.sort_by_key(|found| found.node.start_byte());
    found
}

/// The query in an argument: the argument itself, or the field `text`, `sql` or `query` of an
/// object.
fn query_argument<'t>(argument: Node<'t>, index: &Index<'t>) -> Option<Node<'t>> {
    let key = |node: Node<'t>| {
        node.child_by_field_name("key").or_else(|| node.child_by_field_name("name"))
    };
    match read(argument, index.text()) {
        Expr::List(items) if argument.kind() == "object" => items.into_iter().find_map(|item| {
            let name = index.text_of(key(item)?);
            matches!(name, "text" | "sql" | "query")
                .then(|| item.child_by_field_name("value"))
                .flatten()
        }),
        Expr::List(_) | Expr::Function(_) | Expr::Tagged => None,
        _ => Some(argument),
    }
}

/// The first words of statements that accept parameters, each with the possible second words. An
/// empty list allows any second word.
const STATEMENTS: &[(&str, &[&str])] = &[
    ("select", &[]),
    ("insert", &["into", "ignore", "or", "overwrite"]),
    ("update", &[]),
    ("delete", &["from"]),
    ("replace", &["into"]),
    ("merge", &["into"]),
    ("with", &[]),
    ("from", &[]),
];

/// The first two words of a statement, in lower case. The first word is empty if the statement does
/// not begin with a letter.
fn first_words(text: &str) -> (String, String) {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == BREAK);
    while let Some(comment) = rest.strip_prefix("--") {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    let mut words =
        rest.split(|c: char| !c.is_alphabetic() && c != '_').filter(|word| !word.is_empty());
    let mut next = || words.next().unwrap_or_default().to_ascii_lowercase();
    (if rest.starts_with(char::is_alphabetic) { next() } else { String::new() }, next())
}

/// Whether a text is an SQL statement or, if `query_kind` allows it, an SQL condition.
fn is_query(text: &str, query_kind: QueryKind) -> bool {
    if query_kind == QueryKind::Condition {
        return contexts(text)
            .iter()
            .any(|context| matches!(context, Context::Quoted | Context::Value))
            || is_query(text, QueryKind::Statement);
    }
    let (verb, next) = first_words(text);
    let Some((_, nexts)) = STATEMENTS.iter().find(|(known, _)| *known == verb) else {
        return false;
    };
    let lower = text.to_ascii_lowercase();
    let has_word = |word: &str| {
        lower.match_indices(word).any(|(at, _)| {
            let is_edge = |byte: Option<&u8>| {
                byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            };
            let bytes = lower.as_bytes();
            is_edge(at.checked_sub(1).and_then(|at| bytes.get(at)))
                && is_edge(bytes.get(at + word.len()))
        })
    };
    (nexts.is_empty() || nexts.contains(&&*next))
        && match &*verb {
            "select" => has_word("from"),
            "update" => has_word("set"),
            "with" => has_word("as") && has_word("select"),
            "from" => has_word("where") || has_word("select"),
            "insert" | "replace" => {
                has_word("values") || has_word("value") || has_word("select") || has_word("set")
            }
            _ => true,
        }
}

/// Reports the values that are inserted into queries: one finding for each query.
fn report_injections(
    queries: &[EmbeddedQuery<'_>],
    index: &Index<'_>,
    language: &Language,
    report: &mut Report<'_>,
) {
    let mut reported: HashSet<usize> = HashSet::new();
    for EmbeddedQuery { node, query_kind, query } in queries {
        let contexts = contexts(&query.text);
        let mut classifier = Classifier::new(index);
        let mut found: Vec<(Certainty, Hole<'_>, Source)> = Vec::new();
        for (hole, context) in query.holes.iter().zip(contexts) {
            let source = classifier.classify(hole);
            if let Some(certainty) = certainty(hole, context, source, *query_kind, index) {
                found.push((certainty, *hole, source));
            }
        }
        found.retain(|(_, hole, _)| offset(hole.value).is_some_and(|at| reported.insert(at)));
        let Some(&(worst, hole, source)) = found
            .iter()
            .max_by_key(|(certainty, hole, _)| (*certainty, std::cmp::Reverse(hole.at)))
        else {
            continue;
        };
        let shown = display_value(hole.value, index);
        let message = match (worst, source) {
            (Certainty::Name, _) => format!("{shown} is inserted into the query as a name"),
            (_, Source::Request) => format!("{shown} from the request is inserted into the query"),
            (_, Source::Parameter) => format!("the parameter {shown} is inserted into the query"),
            _ => format!("{shown} is inserted into the query"),
        };
        let finding = report.at(span(*node, index), message);
        finding.help(if worst == Certainty::Name {
            "Names cannot be parameters: take the name from a fixed list"
        } else {
            language.help
        });
        finding.severity = finding.severity.min(worst.severity());
        for (_, hole, _) in &found {
            if let Value::Node(value) = hole.value {
                finding.related(Span::from(value.byte_range()), "the value");
            }
        }
    }
}

/// How certain it is that an inserted value makes the query dangerous, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    Name,
    Unknown,
    Parameter,
    Request,
}

impl Certainty {
    fn severity(self) -> Severity {
        match self {
            Self::Name | Self::Unknown => Severity::Info,
            Self::Parameter => Severity::Warning,
            Self::Request => Severity::Error,
        }
    }
}

fn certainty(
    hole: &Hole<'_>,
    context: Context,
    source: Source,
    query_kind: QueryKind,
    index: &Index<'_>,
) -> Option<Certainty> {
    let is_fragment = match hole.value {
        Value::Node(node) => value::is_fragment(index.text_of(node)),
        Value::Name(name, _) => value::is_fragment(name),
        Value::Missing => true,
    };
    match (source, context) {
        (Source::Safe, _) => None,
        (Source::Request, Context::Quoted | Context::Value) => Some(Certainty::Request),
        (Source::Parameter, Context::Quoted | Context::Value) if !is_fragment => {
            Some(Certainty::Parameter)
        }
        // A value of unknown origin is often a number or a placeholder, except in quotes.
        (Source::Unknown, Context::Quoted) if !is_fragment && !is_number(hole.value, index) => {
            Some(Certainty::Unknown)
        }
        (Source::Request, Context::Name) if query_kind == QueryKind::Statement => {
            Some(Certainty::Name)
        }
        (Source::Parameter, Context::Name)
            if query_kind == QueryKind::Statement && !is_fragment =>
        {
            Some(Certainty::Name)
        }
        _ => None,
    }
}

/// Whether the name of a value suggests a number.
fn is_number(value: Value<'_>, index: &Index<'_>) -> bool {
    match value {
        Value::Node(node) => {
            let text = index.text_of(node);
            value::names_number(text.rsplit(['.', '>', '$', '@']).next().unwrap_or(text))
        }
        Value::Name(name, _) => value::names_number(name),
        Value::Missing => true,
    }
}

fn offset(value: Value<'_>) -> Option<usize> {
    match value {
        Value::Node(node) => Some(node.start_byte()),
        Value::Name(_, at) => Some(at),
        Value::Missing => None,
    }
}

/// The span of a call. If the receiver begins on an earlier line, the span begins at the name of
/// the function.
fn span(node: Node<'_>, index: &Index<'_>) -> Span {
    let (start, end) = (node.start_byte(), node.end_byte());
    let receiver = call(node, index.text()).and_then(|call| call.receiver);
    let receiver = receiver.map_or(start, |receiver| receiver.end_byte());
    let rest = index.text().get(receiver..end).unwrap_or_default();
    let name = receiver + rest.find(|c: char| c.is_alphabetic() || c == '$').unwrap_or_default();
    let is_chain = index.text().get(start..name).is_some_and(|before| before.contains('\n'));
    Span::new(if is_chain { name } else { start }, end)
}

/// The value as it is shown in messages.
fn display_value(value: Value<'_>, index: &Index<'_>) -> String {
    let text = match value {
        Value::Node(node) => index.text_of(node),
        Value::Name(name, _) => name,
        Value::Missing => "",
    };
    let is_short = text.len() <= MAX_SHOWN && !text.contains(['\n', '`', HOLE]);
    if is_short { format!("`{text}`") } else { "a value".to_owned() }
}
