//! Completions: rules in allow comments; keys and values in `.aidd/config.json` and in the front
//! matter of rule pages.

mod json;
mod schema;
mod yaml;

use crate::client::Client;
use crate::convert;
use crate::page::{self, Part};
use crate::snapshot::Snapshot;
use aidd_engine::check::allow;
use aidd_engine::forms::syntax::LANGUAGES;
use aidd_engine::project::config;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape;
use aidd_engine::text::kind::{self, Kind};
use aidd_engine::text::source::Span;
use aidd_page as header;
use schema::{PositionKind, Proposal, Step};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionResponse, CompletionTextEdit,
    Documentation, InsertTextFormat, Position, TextEdit, Uri,
};

/// Trigger characters: separators of lists of rules, the start of a string, and parts of a rule id.
pub const TRIGGERS: [&str; 6] = [" ", ",", "=", "\"", "/", "-"];

/// Maximum number of rules proposed at once; there are over a thousand.
const MAX_RULES: usize = 200;

/// The `data` of an item for a rule, used to look up its page on resolve.
#[derive(Serialize, Deserialize)]
struct Data {
    uri: Uri,
    rule: String,
}

/// The completions at `position`; `None` if aidd has no completions there. `position` must refer to
/// the text of `snapshot`; the findings of the snapshot can be from an earlier text.
#[must_use]
pub fn complete(
    snapshot: &Snapshot,
    position: Position,
    client: Client,
) -> Option<CompletionResponse> {
    let source = &snapshot.source;
    let offset = convert::offset(source, position, snapshot.encoding);
    if let Some((marker, span)) = allow::name_at(source, offset) {
        return Some(complete_allow_comment(snapshot, marker, span, offset));
    }
    let kinds = kind::kinds(source.path(), "");
    if kinds.contains(&Kind::CONFIG) {
        return complete_config(snapshot, offset, client);
    }
    if kinds.contains(&Kind::RULE_PAGE) { complete_front_matter(snapshot, offset) } else { None }
}

/// The document for which an item was created.
#[must_use]
pub fn document(item: &CompletionItem) -> Option<Uri> {
    Data::deserialize(item.data.as_ref()?).ok().map(|data| data.uri)
}

/// Adds the page of the item's rule as documentation.
#[must_use]
pub fn resolve(snapshot: &Snapshot, mut item: CompletionItem, client: Client) -> CompletionItem {
    let data = item.data.as_ref().and_then(|data| Data::deserialize(data).ok());
    let registry = snapshot.workspace.engine.registry();
    if let Some(rule) = data.and_then(|data| registry.get(&data.rule)) {
        let heading = page::heading(&snapshot.workspace, rule);
        let text = format!("{heading}\n\n{}", page::markdown(rule, Part::Why));
        let content = page::content(text, client.markdown_completion);
        item.documentation = Some(Documentation::MarkupContent(content));
    }
    item
}

/// Completes rule names in an allow comment. In a comment of aidd, these are rule ids; in a comment
/// of another tool, these are the aliases that the other tool knows.
fn complete_allow_comment(
    snapshot: &Snapshot,
    marker: &str,
    span: Span,
    offset: u32,
) -> CompletionResponse {
    let is_aidd_comment = marker.starts_with("aidd:");
    let typed = snapshot.source.slice(Span { start: span.start, end: offset });
    let is_candidate =
        |name: &str| if is_aidd_comment { true } else { is_rule_of_tool(marker, name) };
    let (names, is_incomplete) = rule_names(snapshot, typed, is_aidd_comment, is_candidate);
    let items = names
        .into_iter()
        .enumerate()
        .map(|(rank, (name, rule))| rule_item(snapshot, &name, rule, rank, span, name.clone()))
        .collect();
    CompletionResponse::List(CompletionList { is_incomplete, items })
}

/// Whether the tool whose comments start with `marker` has a rule called `name`.
fn is_rule_of_tool(marker: &str, name: &str) -> bool {
    let has_number_after = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let tool = marker.split([' ', '-']).next().unwrap_or(marker);
    match tool {
        "hadolint" => has_number_after("DL") || has_number_after("SC"),
        "shellcheck" => has_number_after("SC"),
        // Docker's built-in build checks.
        _ if marker.starts_with("check=") => {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
        _ => !has_number_after("DL") && !has_number_after("SC"),
    }
}

/// The rule names that contain `typed`, best match first: rules with findings in this file, then
/// names that start with `typed`. If `with_ids` is true, rule ids are included, and aliases only if
/// `typed` is not empty. Also returns whether the list is incomplete.
fn rule_names<'a>(
    snapshot: &'a Snapshot,
    typed: &str,
    with_ids: bool,
    is_candidate: impl Fn(&str) -> bool,
) -> (Vec<(String, &'a Rule)>, bool) {
    let found: BTreeSet<&str> =
        snapshot.checked.findings.iter().map(|finding| &*finding.rule).collect();
    let typed = typed.to_ascii_lowercase();
    let mut names = Vec::new();
    for rule in snapshot.workspace.engine.registry().rules() {
        let aliases = rule.aliases.iter().filter(|_| !with_ids || !typed.is_empty());
        let id = with_ids.then(|| rule.id.to_string());
        for name in id.into_iter().chain(aliases.cloned()) {
            let lower = name.to_ascii_lowercase();
            if lower.contains(&typed) && is_candidate(&name) {
                let rank = (found.contains(&*rule.id), lower.starts_with(&typed));
                names.push((Reverse(rank), name, rule));
            }
        }
    }
    names.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    names.dedup_by(|a, b| a.1 == b.1);
    let is_incomplete = names.len() > MAX_RULES || (with_ids && typed.is_empty());
    names.truncate(MAX_RULES);
    (names.into_iter().map(|(_, name, rule)| (name, rule)).collect(), is_incomplete)
}

fn rule_item(
    snapshot: &Snapshot,
    name: &str,
    rule: &Rule,
    rank: usize,
    span: Span,
    text: String,
) -> CompletionItem {
    let data = Data { uri: snapshot.uri.clone(), rule: rule.id.to_string() };
    CompletionItem {
        kind: Some(CompletionItemKind::CONSTANT),
        detail: Some(escape::line(&rule.summary).into_owned()),
        sort_text: Some(format!("{rank:04}")),
        data: Some(json!(data)),
        ..item(snapshot, name, span, text)
    }
}

fn item(snapshot: &Snapshot, label: &str, span: Span, text: String) -> CompletionItem {
    let range = convert::range(&snapshot.source, span, snapshot.encoding);
    // Clients compare `filter_text` with the text in the range, including its quotes.
    let is_quoted = snapshot.source.slice(span).starts_with('"');
    CompletionItem {
        label: escape::line(label).into_owned(),
        filter_text: is_quoted.then(|| format!("\"{label}\"")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, text))),
        ..CompletionItem::default()
    }
}

/// Completes keys and values of the configuration according to its schema, and rule names at
/// positions where they are allowed.
fn complete_config(snapshot: &Snapshot, offset: u32, client: Client) -> Option<CompletionResponse> {
    let text = snapshot.source.text();
    let cursor = json::cursor(text, offset as usize)?;
    let span = Span::from(cursor.token.clone());
    let in_rules = cursor.position_kind == PositionKind::Key
        && cursor.path.last().is_some_and(|step| *step == Step::Key("rules".into()));
    let in_selectors =
        matches!(&cursor.path[..], [Step::Key(ci), Step::Key(_), Step::Item] if ci == "ci");
    let insertion = Insertion { snapshot, cursor: &cursor, client };
    if in_rules || (in_selectors && cursor.position_kind == PositionKind::Value) {
        let (names, is_incomplete) = rule_names(snapshot, &cursor.typed, true, |_| true);
        let setting = in_rules.then(|| schema::value_of(&config::schema(), &cursor.path));
        let mut items: Vec<CompletionItem> = names
            .into_iter()
            .enumerate()
            .filter(|(_, (name, _))| !cursor.siblings.contains(name))
            .map(|(rank, (name, rule))| {
                let item = rule_item(snapshot, &name, rule, rank, span, String::new());
                insertion.apply(item, &format!("\"{name}\""), setting.as_ref())
            })
            .collect();
        if in_selectors {
            items.extend(tags(snapshot).iter().map(|tag| {
                let item = item(snapshot, tag, span, String::new());
                insertion.apply(item, &format!("\"{tag}\""), None)
            }));
        }
        return Some(CompletionResponse::List(CompletionList { is_incomplete, items }));
    }
    let proposals = schema::proposals(&config::schema(), &cursor.path, cursor.position_kind);
    let items = proposals
        .iter()
        .enumerate()
        .filter(|(_, proposal)| !cursor.siblings.contains(&proposal.name))
        .map(|(rank, proposal)| {
            let name = &proposal.name;
            let text = if proposal.is_text { format!("\"{name}\"") } else { name.clone() };
            let kind = cursor.position_kind;
            let item = proposal_item(snapshot, (rank, proposal), kind, span, String::new());
            insertion.apply(item, &text, Some(&proposal.value))
        })
        .collect();
    Some(CompletionResponse::Array(items))
}

/// Adds what a JSON document needs around an accepted key or value: a colon, a value, and commas.
#[derive(Clone, Copy)]
struct Insertion<'a> {
    snapshot: &'a Snapshot,
    cursor: &'a schema::Cursor,
    client: Client,
}

impl Insertion<'_> {
    /// Lets `item` insert `text`, with `value` after a key that has no value yet.
    fn apply(
        self,
        mut item: CompletionItem,
        text: &str,
        value: Option<&schema::Value>,
    ) -> CompletionItem {
        let Self { snapshot, cursor, client } = self;
        let comma = if cursor.comma_after { "," } else { "" };
        let text = if cursor.needs_colon {
            let value = value.map_or_else(String::new, |value| value.text(client.snippets));
            let key = if client.snippets { schema::escape_snippet(text) } else { text.to_owned() };
            format!("{key}: {value}{comma}")
        } else {
            format!("{text}{comma}")
        };
        if cursor.needs_colon && client.snippets {
            item.insert_text_format = Some(InsertTextFormat::SNIPPET);
        }
        if let Some(CompletionTextEdit::Edit(edit)) = &mut item.text_edit {
            edit.new_text = text;
        }
        item.additional_text_edits = cursor.comma_before.map(|end| {
            let range = convert::range(&snapshot.source, Span::at(end), snapshot.encoding);
            vec![TextEdit::new(range, ",".to_owned())]
        });
        item
    }
}

/// Completes keys and values of a page's header, according to the schema of the types into
/// which the header is parsed.
fn complete_front_matter(snapshot: &Snapshot, offset: u32) -> Option<CompletionResponse> {
    let cursor = yaml::cursor(snapshot.source.text(), offset as usize)?;
    let span = Span::from(cursor.token.clone());
    let path: Vec<&str> = cursor.path.iter().filter_map(Step::key).collect();
    let words: Option<Vec<String>> = match (path[..].as_ref(), cursor.position_kind) {
        (["tags"], PositionKind::Value) => {
            Some(tags(snapshot).iter().map(ToString::to_string).collect())
        }
        (["check", "syntax", "language"], PositionKind::Value) => {
            Some(LANGUAGES.iter().map(|(name, _)| (*name).to_owned()).collect())
        }
        _ => None,
    };
    if let Some(words) = words {
        let items = words.into_iter().map(|word| item(snapshot, &word, span, word.clone()));
        return Some(CompletionResponse::Array(items.collect()));
    }
    let proposals = schema::proposals(&header::schema(), &cursor.path, cursor.position_kind);
    let is_new = |proposal: &(usize, &Proposal)| !cursor.siblings.contains(&proposal.1.name);
    let items = proposals.iter().enumerate().filter(is_new).map(|(rank, proposal)| {
        let text = match (cursor.position_kind, cursor.needs_colon, proposal.is_nested) {
            (PositionKind::Key, true, false) => format!("{}: ", proposal.name),
            (PositionKind::Key, true, true) => format!("{}:", proposal.name),
            _ => proposal.name.clone(),
        };
        proposal_item(snapshot, (rank, proposal), cursor.position_kind, span, text)
    });
    Some(CompletionResponse::Array(items.collect()))
}

fn proposal_item(
    snapshot: &Snapshot,
    (rank, proposal): (usize, &Proposal),
    position_kind: PositionKind,
    span: Span,
    text: String,
) -> CompletionItem {
    let kind = match position_kind {
        PositionKind::Key => CompletionItemKind::PROPERTY,
        PositionKind::Value => CompletionItemKind::VALUE,
    };
    CompletionItem {
        kind: Some(kind),
        sort_text: Some(format!("{rank:04}")),
        documentation: proposal.description.clone().map(Documentation::String),
        ..item(snapshot, &proposal.name, span, text)
    }
}

/// The tags of all rules.
fn tags(snapshot: &Snapshot) -> BTreeSet<&str> {
    let rules = snapshot.workspace.engine.registry().rules();
    rules.iter().flat_map(|rule| rule.tags.iter().map(String::as_str)).collect()
}
