//! Finds terms, defaults, constraints, invariants and open questions in the documents of a project.

use crate::documents::{Document, Role};
use crate::markdown::{Block, BlockKind};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::words::fold_text;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The confidence in a term: in a glossary, from the documentation of a type, in another part of the
/// documents of the ticket.
pub(crate) const GLOSSARY: f64 = 0.9;
pub(crate) const DOCUMENTED: f64 = 0.7;
const LOOSE: f64 = 0.5;

const GLOSSARY_HEADINGS: &[&str] =
    &["glossary", "terminology", "vocabulary", "definitions", "ubiquitous language", "용어"];
const QUESTION_HEADINGS: &[&str] =
    &["open question", "unresolved", "open issue", "open point", "미해결", "열린 질문"];
const TICKET_QUESTIONS: &[&str] = &["question", "unknown", "to decide", "tbd", "질문"];
const CONSTRAINT_HEADINGS: &[&str] = &["constraint", "limitation", "non-functional", "제약"];
const INVARIANT_HEADINGS: &[&str] = &["invariant", "불변"];
/// Bold words at the start of a line that introduce a note and not a term.
const NOTES: &[&str] = &[
    "note",
    "notes",
    "warning",
    "important",
    "tip",
    "example",
    "examples",
    "caution",
    "info",
    "hint",
    "todo",
    "default",
    "usage",
    "see",
    "why",
    "how",
    "what",
    "when",
    "update",
    "status",
    "date",
];
/// Words that make a sentence an invariant, in any case.
const STRONG: &[&str] = &["must", "never", "shall", "반드시", "절대"];
/// Starts of a sentence that make it an invariant.
const STARTS: &[&str] = &["do not ", "don't ", "always ", "never "];

/// Maximum number of characters of a sentence that states an invariant.
const MAX_SENTENCE: usize = 300;

/// The place of a block: the path and the anchor.
fn place(document: &Document, block: &Block) -> String {
    format!("{}{}", document.path, block.anchor())
}

/// A row with an id that depends on the source and the text, but not on the position of the line.
fn identified(prefix: &str, text: &str, source: &str, more: Option<&str>) -> Vec<Value> {
    let id = format!("{prefix}_{}", id::digest(&[source, &fold_text(text)]));
    let mut row: Vec<Value> = vec![id.into(), text.into(), source.into()];
    row.extend(more.map(Value::from));
    row
}

/// A row of the constraints.
pub(crate) fn constraint(text: &str, source: &str, severity: &str) -> Vec<Value> {
    identified("con", text, source, Some(severity))
}

/// A row of the terms.
pub(crate) fn term(name: &str, definition: &str, scope: &str, confidence: f64) -> Vec<Value> {
    let name = name.trim().trim_matches(['`', '*', ':']).trim();
    let (name, alias) = match name.split_once('(').map(|(name, rest)| (name.trim(), rest)) {
        Some((name, rest)) if !name.is_empty() => (name, rest.strip_suffix(')')),
        _ => (name, None),
    };
    let aliases: Vec<&str> =
        alias.into_iter().flat_map(|alias| alias.split([',', '/'])).map(str::trim).collect();
    vec![name.into(), definition.trim().into(), json!(aliases), scope.into(), json!(confidence)]
}

/// The text after the bold term at its start.
fn after_strong<'a>(text: &'a str, strong: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(strong)?.trim_start();
    let own = strong.ends_with(':');
    let separated = rest.strip_prefix([':', '–', '—', '-']);
    let rest = if own { Some(rest) } else { separated };
    rest.map(str::trim).filter(|rest| rest.chars().count() > 3)
}

/// The terms of the documents, best first.
pub(crate) fn terms(documents: &[Document]) -> Vec<Vec<Value>> {
    let (mut certain, mut loose) = (Vec::new(), Vec::new());
    for document in documents {
        let is_glossary = document.role == Role::Glossary;
        for block in &document.blocks {
            let in_glossary = is_glossary || block.is_under(GLOSSARY_HEADINGS);
            let scope = place(document, block);
            match &block.kind {
                BlockKind::Definition { term: name, text } => {
                    certain.push(term(name, text, &scope, GLOSSARY));
                }
                BlockKind::Row { cells, .. } if in_glossary && cells.len() >= 2 => {
                    certain.push(term(&cells[0], &cells[1], &scope, GLOSSARY));
                }
                BlockKind::Text { text, strong: Some(strong), .. } => {
                    let Some(rest) = after_strong(text, strong) else { continue };
                    let name = strong.trim_end_matches(':');
                    let is_term = name.chars().count() <= 40
                        && !NOTES.contains(&&*name.to_lowercase())
                        && !name.ends_with(['.', '?', '!']);
                    if in_glossary {
                        certain.push(term(name, rest, &scope, GLOSSARY));
                    } else if is_term && document.role == Role::Ticket {
                        loose.push(term(name, rest, &scope, LOOSE));
                    }
                }
                _ => {}
            }
        }
    }
    certain.extend(loose);
    certain
}

/// Keeps the first of rows with the same text in a column.
pub(crate) fn without_repeats(rows: &mut Vec<Vec<Value>>, column: usize) {
    let mut known = BTreeSet::new();
    rows.retain(|row| {
        let text = row.get(column).and_then(Value::as_str).unwrap_or_default();
        !text.trim().is_empty() && known.insert(fold_text(text))
    });
}

/// Whether a name is that of a credential, whose value is not shown.
pub(crate) fn is_credential(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "secret",
        "token",
        "password",
        "passwd",
        "credential",
        "private",
        "apikey",
        "api_key",
        "access_key",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// The defaults that tables and lists of the documents state.
pub(crate) fn defaults(documents: &[Document]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut push = |key: &str, value: &str, source: String, rationale: &str| {
        let (key, value) = (key.trim(), value.trim());
        let is_value = !value.is_empty() && !matches!(value, "-" | "–" | "—");
        if !key.is_empty() && is_value && !is_credential(key) {
            rows.push(vec![key.into(), value.into(), source.into(), rationale.trim().into()]);
        }
    };
    for document in documents {
        for block in &document.blocks {
            match &block.kind {
                BlockKind::Row { header, cells } => {
                    let names: Vec<String> =
                        header.iter().map(|name| name.to_lowercase()).collect();
                    let of = |wanted: &[&str]| {
                        let at = names.iter().position(|name| wanted.contains(&name.trim()))?;
                        cells.get(at).map(String::as_str)
                    };
                    let value = of(&["default", "defaults", "default value", "기본값"]);
                    let about =
                        of(&["description", "meaning", "purpose", "notes", "effect", "설명"]);
                    if let (Some(key), Some(value)) = (cells.first(), value) {
                        push(key, value, place(document, block), about.unwrap_or_default());
                    }
                }
                BlockKind::Text { text, codes, .. } => {
                    if let Some((key, value)) = stated_default(text, codes) {
                        push(key, value, place(document, block), "");
                    }
                }
                BlockKind::Definition { .. } => {}
            }
        }
    }
    rows
}

/// The key and the value of a sentence such as "`name` … (default `value`)".
fn stated_default<'a>(text: &'a str, codes: &'a [String]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("default")?;
    let rest = text.get(at + "default".len()..)?;
    let open = rest.find('`').filter(|open| *open <= 6)?;
    let value = rest[open + 1..].split('`').next()?;
    let key = codes.first()?;
    (text.find(key.as_str())? < at && key != value).then_some((key.as_str(), value))
}

/// The defaults in a file of environment variables.
pub(crate) fn environment_defaults(path: &str, text: &str) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut comment = "";
    for line in text.lines().map(str::trim) {
        if let Some(about) = line.strip_prefix('#') {
            comment = about.trim();
            continue;
        }
        if let Some((name, value)) = line.split_once('=') {
            let (name, value) = (name.trim(), unquoted(value));
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if is_name && !name.is_empty() && !value.is_empty() && !is_credential(name) {
                rows.push(vec![name.into(), value.into(), path.into(), comment.into()]);
            }
        }
        comment = "";
    }
    rows
}

/// The value of a variable without its quotes and without a comment after it.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    match value.strip_prefix(['"', '\'']) {
        Some(rest) => rest.split(&value[..1]).next().unwrap_or_default(),
        None => value.split(" #").next().unwrap_or_default().trim(),
    }
}

/// The defaults in a JSON Schema.
pub(crate) fn schema_defaults(path: &str, schema: &Value) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let mut open = vec![(String::new(), schema, 0)];
    while let Some((name, schema, depth)) = open.pop() {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (key, property) in properties {
            let key = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            match property.get("default") {
                Some(value) if !value.is_null() && !value.is_object() && !is_credential(&key) => {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let about = property.get("description").and_then(Value::as_str);
                    rows.push(vec![
                        key.clone().into(),
                        value.into(),
                        path.into(),
                        about.unwrap_or_default().into(),
                    ]);
                }
                _ => {}
            }
            if depth < 4 {
                open.push((key, property, depth + 1));
            }
        }
    }
    rows.sort_by_key(|row| row[0].to_string());
    rows
}

/// The constraints that the documents of the ticket state.
pub(crate) fn ticket_constraints(documents: &[Document]) -> Vec<Vec<Value>> {
    let own = documents.iter().filter(|document| document.role == Role::Ticket);
    own.flat_map(|document| {
        let under = document.blocks.iter().filter(|block| block.is_under(CONSTRAINT_HEADINGS));
        under.filter_map(|block| match &block.kind {
            BlockKind::Text { text, .. } if !text.ends_with([':', '?']) => {
                Some(constraint(text, &place(document, block), "error"))
            }
            _ => None,
        })
    })
    .collect()
}

/// Whether a decision record no longer holds.
fn is_outdated(document: &Document) -> bool {
    const OUTDATED: &[&str] = &["superseded", "rejected", "deprecated", "replaced"];
    let states = |text: &str| {
        let text = text.trim().trim_start_matches(['*', '-', ' ']).to_lowercase();
        OUTDATED.iter().any(|word| text.starts_with(word))
    };
    if document.role != Role::Record {
        return false;
    }
    let is_status = |line: &str| {
        let line = line.to_lowercase();
        let status = line.split_once("status");
        status.is_some_and(|(_, rest)| states(rest.trim_start_matches([':', '*', ' ', '|', '"'])))
    };
    let is_outdated = |block: &Block| match &block.kind {
        BlockKind::Text { text, .. } => {
            block.heading().eq_ignore_ascii_case("status") && states(text)
        }
        _ => false,
    };
    document.text.lines().take(40).any(is_status) || document.blocks.iter().any(is_outdated)
}

/// The sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '。'])
        .scan((0, 0), move |(start, end), piece| {
            *end += piece.len();
            // A period inside of a name or number does not end a sentence.
            let ends = text[*end..].is_empty() || text[*end..].starts_with(' ');
            let sentence = ends.then(|| &text[*start..*end]);
            if ends {
                *start = *end;
            }
            Some(sentence)
        })
        .flatten()
        .map(str::trim)
}

/// Whether a sentence states what must always or never be the case.
fn is_invariant(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let has_word = |word: &&str| {
        lower.match_indices(*word).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + word.len()..].chars().next();
            let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            is_end(before) && (is_end(after) || !word.is_ascii())
        })
    };
    !sentence.ends_with(['?', ':'])
        && sentence.chars().count() <= MAX_SENTENCE
        && sentence.split_whitespace().count() >= 3
        && (STRONG.iter().any(has_word) || STARTS.iter().any(|start| lower.starts_with(start)))
}

/// The invariants: must and never sentences of guidance, specifications and decision records.
pub(crate) fn invariants(documents: &[Document]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for document in documents.iter().filter(|document| !is_outdated(document)) {
        for block in &document.blocks {
            let BlockKind::Text { text, .. } = &block.kind else { continue };
            let source = place(document, block);
            if block.is_under(INVARIANT_HEADINGS) && !text.ends_with([':', '?']) {
                rows.push(identified("inv", text, &source, None));
                continue;
            }
            let is_read = match document.role {
                Role::Ticket | Role::Guidance => true,
                Role::Record => block.is_under(&["decision", "consequence"]),
                Role::Glossary | Role::Other => false,
            };
            if is_read {
                let stated = sentences(text).filter(|sentence| is_invariant(sentence));
                rows.extend(stated.map(|sentence| identified("inv", sentence, &source, None)));
            }
        }
    }
    rows
}

/// The open questions in the documents.
pub(crate) fn questions(documents: &[Document]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for document in documents {
        for block in &document.blocks {
            let own = document.role == Role::Ticket && block.is_under(TICKET_QUESTIONS);
            let is_open = (own || block.is_under(QUESTION_HEADINGS)) && !block.is_under(&["faq"]);
            let BlockKind::Text { text, .. } = &block.kind else { continue };
            let is_settled = text.starts_with("[x]") || text.starts_with("[X]");
            if is_open && text.contains('?') && !is_settled {
                let text = text.trim_start_matches("[ ]").trim();
                rows.push(vec![format!("{text} ({})", place(document, block)).into()]);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::blocks;

    fn document(path: &str, role: Role, text: &str) -> Document {
        Document { path: path.to_owned(), role, text: text.to_owned(), blocks: blocks(text) }
    }

    fn first(rows: &[Vec<Value>], column: usize) -> Vec<&str> {
        rows.iter().filter_map(|row| row[column].as_str()).collect()
    }

    #[test]
    fn terms_have_aliases_and_a_confidence() {
        let text = "# Glossary\n\n| Term | Meaning |\n| --- | --- |\n| Ledger (GL, book) | All entries |\n\n\
            - **Payout**: money out\n- **Note**: nothing\n";
        let rows = terms(&[document("docs/x.md", Role::Other, text)]);
        assert_eq!(first(&rows, 0), ["Ledger", "Payout", "Note"]);
        assert_eq!(rows[0][2], json!(["GL", "book"]));
        let text = text.replace("Glossary", "Text");
        assert!(terms(&[document("docs/x.md", Role::Other, &text)]).is_empty());
        let rows = terms(&[document("docs/x.md", Role::Ticket, &text)]);
        assert_eq!(first(&rows, 0), ["Payout"]);
        assert_eq!(rows[0][4], json!(0.5));
    }

    #[test]
    fn defaults_come_from_tables_sentences_schemas_and_environment_files() {
        let text = "| Key | Default | Description |\n| --- | --- | --- |\n| `port` | 80 | The port |\n\
            | `api_key` | abc | x |\n| none | – | x |\n\n- `--jobs N`: threads (default: `4`).\n";
        let rows = defaults(&[document("docs/x.md", Role::Other, text)]);
        assert_eq!(first(&rows, 0), ["`port`", "--jobs N"]);
        assert_eq!(first(&rows, 1), ["80", "4"]);
        let rows =
            environment_defaults(".env.example", "# The port\nPORT=\"80\" # x\nAPI_TOKEN=x\nNO\n");
        assert_eq!(
            rows,
            [vec![json!("PORT"), json!("80"), json!(".env.example"), json!("The port")]]
        );
        let schema =
            json!({"properties": {"a": {"default": 1, "properties": {"b": {"default": "x"}}}}});
        assert_eq!(first(&schema_defaults("s.json", &schema), 0), ["a", "a.b"]);
    }

    #[test]
    fn invariants_are_must_and_never_sentences() {
        let text = "# Style\n\nWe like tea. Code MUST be formatted v1.2 first. Why must it?\n\n- Never push to main.\n\
            - A mustard seed is small here.\n";
        let rows = invariants(&[document("AGENTS.md", Role::Guidance, text)]);
        assert_eq!(first(&rows, 1), ["Code MUST be formatted v1.2 first.", "Never push to main."]);
        assert_eq!(rows[0][2], "AGENTS.md#style");
        let record = "# 1\n\nStatus: Superseded by 2\n\n## Decision\n\nWe must use X here.\n";
        let shifted = format!("text\n\n{}", record.replace("Superseded by 2", "accepted"));
        assert_eq!(invariants(&[document("docs/adr/1.md", Role::Record, record)]).len(), 0);
        assert_eq!(invariants(&[document("docs/adr/1.md", Role::Record, &shifted)]).len(), 1);
    }

    #[test]
    fn questions_are_open_until_they_are_ticked() {
        let text = "## Open questions\n\n- [ ] Which store?\n- [x] Which queue?\n- A remark\n\n## FAQ\n\nWhy?\n";
        let rows = questions(&[document("docs/x.md", Role::Other, text)]);
        assert_eq!(first(&rows, 0), ["Which store? (docs/x.md#open-questions)"]);
    }
}
