//! Handlers for the requests of the language features. Each request uses the current text of the document and runs
//! on a thread for blocking work. Documents that are not open have no results.

use crate::actions::{self, ActionContext, Refusal};
use crate::completion;
use crate::documents::{OpenFiles, lock};
use crate::hover;
use crate::lens;
use crate::links;
use crate::memory;
use crate::snapshot::Snapshot;
use crate::state::State;
use aidd_engine::text::escape;
use aidd_engine::text::files::Overlay;
use aidd_engine::workspace::fix::UndoneFix;
use aidd_memory::MemoryError;
use aidd_memory::recall::naming::Naming;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionOrCommand, CodeActionParams, CodeLens, CompletionItem, CompletionParams,
    CompletionResponse, DocumentLink, Hover, HoverParams, Location, MessageType,
    TextDocumentPositionParams, Uri,
};

/// `ContentModified` of the protocol: the document has changed since the request.
const MODIFIED: i64 = -32801;

/// `RequestFailed` of the protocol: the request was valid but failed.
const FAILED: i64 = -32803;

/// Runs `work` on the current document at `uri`. Returns `None` if the document is not open.
async fn with_document<T: Send + 'static>(
    state: &Arc<State>,
    uri: &Uri,
    work: impl FnOnce(&State, &Snapshot) -> T + Send + 'static,
) -> Result<Option<T>> {
    let Some((_, snapshot)) = state.check_current(uri).await else { return Ok(None) };
    let state = state.clone();
    let done = spawn_blocking(move || work(&state, &snapshot)).await;
    done.map(Some).map_err(|_| Error::internal_error())
}

/// Runs `work` with the context of `snapshot`, in which the open documents are overlaid on the
/// files of the project.
fn with_action_context<T>(
    state: &State,
    snapshot: &Snapshot,
    work: impl FnOnce(&ActionContext<'_>) -> T,
) -> T {
    let root = snapshot.workspace.project.root();
    let over = OpenFiles { documents: &state.documents, root };
    let files = Overlay { over, under: &snapshot.workspace.project.disk };
    let version = |path: &str| version(state, &root.join(path));
    let report_undone = |undone: &[UndoneFix]| log_undone(state, snapshot.source.path(), undone);
    let client = state.features();
    let report_undone = &report_undone;
    snapshot.workspace.with_listing(&files, |files| {
        work(&ActionContext { client, files, version: &version, report_undone })
    })
}

/// Logs the fixes that were undone, one line each.
fn log_undone(state: &State, path: &str, undone: &[UndoneFix]) {
    let line = |fix: &UndoneFix| {
        let UndoneFix { rule, line, column, reason, .. } = fix;
        format!("fix of `{rule}` at {path}:{line}:{column} undone: {reason}")
    };
    let text = undone.iter().map(line).collect::<Vec<_>>().join("\n");
    let text = escape::lines(&text).into_owned();
    let client = state.client.clone();
    tokio::spawn(async move { client.log_message(MessageType::WARNING, text).await });
}

fn version(state: &State, path: &Path) -> Option<i32> {
    lock(&state.documents).get_by_path(path).map(|document| document.version)
}

/// Handles `textDocument/codeAction`.
pub(crate) async fn actions(
    state: &Arc<State>,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    let CodeActionParams { text_document, range, context, .. } = params;
    let work = move |state: &State, snapshot: &Snapshot| {
        let mut actions = with_action_context(state, snapshot, |action_context| {
            actions::actions(snapshot, range, &context, action_context)
        });
        for diagnostic in
            actions.iter_mut().filter_map(|action| action.diagnostics.as_mut()).flatten()
        {
            if let Some(session) = state.session.get() {
                *diagnostic = session.trim(diagnostic.clone());
            }
        }
        actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
    };
    with_document(state, &text_document.uri, work).await
}

/// Handles `codeAction/resolve`.
pub(crate) async fn resolve_action(state: &Arc<State>, action: CodeAction) -> Result<CodeAction> {
    let uri = actions::document(&action).ok_or_else(|| refusal_error(Refusal::Unknown))?;
    let work = |state: &State, snapshot: &Snapshot| {
        with_action_context(state, snapshot, |action_context| {
            actions::resolve(snapshot, action, action_context)
        })
    };
    let resolved = with_document(state, &uri, work).await?;
    resolved.unwrap_or(Err(Refusal::Gone)).map_err(refusal_error)
}

fn refusal_error(refusal: Refusal) -> Error {
    let code = match refusal {
        Refusal::Unknown => ErrorCode::InvalidParams,
        Refusal::Gone => ErrorCode::ServerError(MODIFIED),
        Refusal::Ineffective | Refusal::NoComment | Refusal::Config => {
            ErrorCode::ServerError(FAILED)
        }
    };
    Error { code, message: refusal.to_string().into(), data: None }
}

/// Handles `textDocument/hover`.
pub(crate) async fn hover(state: &Arc<State>, params: HoverParams) -> Result<Option<Hover>> {
    let position_params = params.text_document_position_params;
    let work = move |state: &State, snapshot: &Snapshot| {
        hover::hover(snapshot, position_params.position, state.features(), &state.memories)
    };
    let hover = with_document(state, &position_params.text_document.uri, work).await?;
    Ok(hover.and_then(|hover| readable(state, hover).flatten()))
}

/// The value, or `None` after the error has been logged: findings are useful without the memory.
fn readable<T>(state: &Arc<State>, result: std::result::Result<T, MemoryError>) -> Option<T> {
    let log = |error: &MemoryError| {
        let text = format!("the project memory cannot be read: {error}");
        state.notify_once(MessageType::WARNING, &text, &text, false);
    };
    result.inspect_err(log).ok()
}

/// Handles `textDocument/documentLink`.
pub(crate) async fn links(state: &Arc<State>, uri: &Uri) -> Result<Option<Vec<DocumentLink>>> {
    with_document(state, uri, |_, snapshot| links::links(snapshot)).await
}

/// The pages of the project that define the rules named at a position.
pub(crate) async fn rule_definitions(
    state: &Arc<State>,
    at: TextDocumentPositionParams,
) -> Result<Vec<Location>> {
    let work = move |_: &State, snapshot: &Snapshot| links::definitions(snapshot, at.position);
    with_document(state, &at.text_document.uri, work).await.map(Option::unwrap_or_default)
}

/// Handles `textDocument/codeLens`.
pub(crate) async fn lenses(state: &Arc<State>, uri: &Uri) -> Result<Option<Vec<CodeLens>>> {
    let work = |state: &State, snapshot: &Snapshot| {
        (lens::lenses(snapshot), lens::memory_lenses(snapshot, &state.memories))
    };
    let Some((mut lenses, memories)) = with_document(state, uri, work).await? else {
        return Ok(None);
    };
    lenses.extend(readable(state, memories).unwrap_or_default());
    Ok(Some(lenses))
}

/// The memories that name a document, or a symbol in it.
pub(crate) async fn memories_of(
    state: &Arc<State>,
    uri: &Uri,
    symbol: Option<String>,
) -> Result<Vec<Naming>> {
    let work = move |state: &State, snapshot: &Snapshot| {
        let file = symbol.is_none().then(|| snapshot.source.path());
        let symbols: Vec<String> = symbol.iter().cloned().collect();
        state.memories.naming(&snapshot.workspace, file, &symbols)
    };
    let named = with_document(state, uri, work).await?;
    Ok(named.and_then(|named| readable(state, named)).unwrap_or_default())
}

/// Shows the memories that name a document, or a symbol in it, and returns them.
pub(crate) async fn show_memory(
    state: &Arc<State>,
    uri: &Uri,
    symbol: Option<String>,
) -> Result<Vec<Value>> {
    let named = memories_of(state, uri, symbol).await?;
    if !named.is_empty() {
        let text = escape::lines(&memory::text_list(&named)).into_owned();
        state.client.show_message(MessageType::INFO, text).await;
    }
    let entry = |naming: &Naming| {
        let entry = &naming.brief.entry;
        json!({ "id": entry.id, "type": entry.kind, "text": naming.brief.line(usize::MAX) })
    };
    Ok(named.iter().map(entry).collect())
}

/// Handles `textDocument/completion`.
pub(crate) async fn complete(
    state: &Arc<State>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>> {
    let position_params = params.text_document_position;
    let work = move |state: &State, snapshot: &Snapshot| {
        completion::complete(snapshot, position_params.position, state.features())
    };
    with_document(state, &position_params.text_document.uri, work).await.map(Option::flatten)
}

/// Handles `completionItem/resolve`.
pub(crate) async fn resolve_item(
    state: &Arc<State>,
    item: CompletionItem,
) -> Result<CompletionItem> {
    let Some(uri) = completion::document(&item) else { return Ok(item) };
    let unresolved = item.clone();
    let work = |state: &State, snapshot: &Snapshot| {
        completion::resolve(snapshot, unresolved, state.features())
    };
    with_document(state, &uri, work).await.map(|resolved| resolved.unwrap_or(item))
}

/// Shows the allowed findings of a document and returns them.
pub(crate) async fn show_allowed(state: &Arc<State>, uri: &Uri) -> Result<Vec<lens::Allowed>> {
    let allowed =
        with_document(state, uri, |_, snapshot| lens::allowed(snapshot)).await?.unwrap_or_default();
    if !allowed.is_empty() {
        state.client.show_message(MessageType::INFO, lens::message(&allowed)).await;
    }
    Ok(allowed)
}
