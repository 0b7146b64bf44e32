//! What the client tells, taken in by the order in which it arrives.
//!
//! The library polls the handlers of several messages at once, so that one that waits lets another
//! overtake it. What changes a text may not wait its turn there: it is done here, before the message
//! after it is read.

use crate::commands;
use crate::documents::lock;
use crate::lifecycle::{self, Run, Settings};
use crate::schedule;
use crate::state::State;
use crate::whole;
use aidd_engine::kind;
use aidd_engine::paths::relative;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::future::{Future, ready};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::ls_types::{
    ConfigurationItem, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, MessageType, NumberOrString, Uri,
    WorkDoneProgressCancelParams,
};
use tower_lsp_server::{ExitedError, LspService};
use tower_service::Service;

/// The service of the library, with notifications taken out before it.
pub(crate) struct Inbox<S> {
    pub(crate) inner: LspService<S>,
    pub(crate) state: Arc<State>,
    /// Told when the client says `exit`.
    pub(crate) left: Arc<Notify>,
}

impl<S: tower_lsp_server::LanguageServer> Service<Request> for Inbox<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == "exit" {
            self.left.notify_one();
        }
        if request.id().is_none() && is_ours(request.method()) {
            // Before `initialize` and after `shutdown` there is nothing to be told.
            if self.state.session.get().is_some() && !self.state.is_shut_down.load(Ordering::SeqCst)
            {
                let (method, _, params) = request.into_parts();
                take(&self.state, &method, params.unwrap_or_default());
            }
            return Box::pin(ready(Ok(None)));
        }
        self.inner.call(request)
    }
}

fn is_ours(method: &str) -> bool {
    matches!(
        method,
        "textDocument/didOpen"
            | "textDocument/didChange"
            | "textDocument/didSave"
            | "textDocument/didClose"
            | "workspace/didChangeWatchedFiles"
            | "workspace/didChangeConfiguration"
            | "workspace/didChangeWorkspaceFolders"
            | "window/workDoneProgress/cancel"
    )
}

/// Takes in one notification; what is malformed is passed over, for it cannot be answered.
fn take(state: &Arc<State>, method: &str, params: Value) {
    match method {
        "textDocument/didOpen" => with(params, |params| open(state, params)),
        "textDocument/didChange" => with(params, |params| change(state, &params)),
        "textDocument/didSave" => with(params, |params| save(state, params)),
        "textDocument/didClose" => with(params, |params| close(state, &params)),
        "workspace/didChangeWatchedFiles" => with(params, |params| watched(state, &params)),
        "workspace/didChangeConfiguration" => with(params, |params| configured(state, &params)),
        "workspace/didChangeWorkspaceFolders" => with(params, |params| folders(state, &params)),
        _ => with(params, |params: WorkDoneProgressCancelParams| match params.token {
            NumberOrString::String(token) => commands::stop(state, &token),
            NumberOrString::Number(_) => {}
        }),
    }
}

fn with<T: DeserializeOwned>(params: Value, then: impl FnOnce(T)) {
    if let Ok(params) = serde_json::from_value(params) {
        then(params);
    }
}

fn open(state: &Arc<State>, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let (language, version) = (document.language_id, document.version);
    if lock(&state.documents).open(&document.uri, &language, version, document.text) {
        schedule::opened(state, &document.uri);
        beside(state, &document.uri);
    }
}

fn change(state: &Arc<State>, params: &DidChangeTextDocumentParams) {
    let document = &params.text_document;
    let (encoding, changes) = (state.encoding(), &params.content_changes);
    if lock(&state.documents).change(&document.uri, document.version, changes, encoding) {
        schedule::changed(state, &document.uri);
        beside(state, &document.uri);
    }
}

fn save(state: &Arc<State>, params: DidSaveTextDocumentParams) {
    let uri = params.text_document.uri;
    if lock(&state.documents).save(&uri, params.text) && lock(&state.settings).run == Run::OnSave {
        state.wake(&uri);
    }
    on_disk(state, lifecycle::path(&uri).into_iter().collect());
}

fn close(state: &Arc<State>, params: &DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    if lock(&state.documents).close(uri) {
        state.wake(uri);
        beside(state, uri);
        // From here on what lies on the disk counts.
        lock(&state.dirty).mark(lifecycle::path(uri));
        state.touch();
    }
}

/// Checks the other documents anew when the one that changed is read beside them.
fn beside(state: &Arc<State>, uri: &Uri) {
    if kind::is_read_beside(uri.path().as_str()) {
        schedule::recheck(state);
    }
}

fn watched(state: &Arc<State>, params: &DidChangeWatchedFilesParams) {
    let paths = params.changes.iter().filter_map(|change| lifecycle::path(&change.uri));
    on_disk(state, paths.collect());
}

/// Takes note of files that are not any more what they were.
fn on_disk(state: &Arc<State>, paths: Vec<PathBuf>) {
    if paths.is_empty() {
        return;
    }
    lock(&state.dirty).mark(paths.iter().cloned());
    state.touch();
    let state = state.clone();
    let number = state.tidings.fetch_add(1, Ordering::SeqCst) + 1;
    tokio::spawn(async move {
        let reloading = state.clone();
        let settles = move || (reload(&reloading, &paths), whole::again(&reloading, &paths));
        match spawn_blocking(settles).await {
            Ok((true, _)) => schedule::recheck(&state),
            Ok((false, true)) => schedule::joined(&state),
            _ => {}
        }
        // What was told of is judged. To ask for the time of every file takes longer: of several who
        // come at once the last does it for all.
        let resting = state.clone();
        if state.tidings.load(Ordering::SeqCst) == number
            && spawn_blocking(move || whole::rest(&resting)).await.is_ok_and(|differs| differs)
        {
            schedule::joined(&state);
        }
    });
}

/// Opens the workspaces again whose settings, rules, baseline or ignore files are among `paths`.
/// Whether findings in other files may have changed.
fn reload(state: &Arc<State>, paths: &[PathBuf]) -> bool {
    state.roots_then_tell(|roots| {
        let mut stale = BTreeSet::new();
        for path in paths {
            let root = roots.root_of(path.parent().unwrap_or(path));
            if is_setting(&relative(&root, path)) || roots.reads(&root, path) {
                stale.insert(root);
            }
        }
        for root in &stale {
            roots.reload(Some(root));
        }
        let beside = paths.iter().any(|path| {
            let root = roots.root_of(path.parent().unwrap_or(path));
            let below = relative(&root, path);
            kind::is_read_beside(&below) || roots.workspace(&root).engine.reads_beside(&below)
        });
        beside || !stale.is_empty()
    })
}

/// Whether the file at `path`, from the root, says what is a finding in other files.
fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with(".aidd/")
        || kind::is_page_path(path)
        || kind::is_memory_path(path)
        || [".gitignore", ".ignore", ".aiddignore"].contains(&name)
}

fn configured(state: &Arc<State>, params: &DidChangeConfigurationParams) {
    match Settings::read(&params.settings) {
        Ok(Some(settings)) => {
            let state = state.clone();
            tokio::spawn(async move { apply(&state, settings).await });
        }
        Ok(None) => ask(state),
        Err(why) => state.tell_once(MessageType::WARNING, &why, why.clone(), false),
    }
}

/// Asks the client for its settings, if it can be asked.
pub(crate) fn ask(state: &Arc<State>) {
    if !state.session.get().is_some_and(|session| session.has_settings) {
        return;
    }
    let state = state.clone();
    tokio::spawn(async move {
        let section = Some(lifecycle::SECTION.to_owned());
        let wanted = vec![ConfigurationItem { scope_uri: None, section }];
        let Ok(mut answer) = state.client.configuration(wanted).await else { return };
        match Settings::read(&answer.pop().unwrap_or_default()) {
            Ok(settings) => apply(&state, settings.unwrap_or_default()).await,
            Err(why) => state.tell_once(MessageType::WARNING, &why, why.clone(), false),
        }
    });
}

/// Lets new settings count.
async fn apply(state: &Arc<State>, settings: Settings) {
    let old = std::mem::replace(&mut *lock(&state.settings), settings.clone());
    if old == settings {
        return;
    }
    let opening = state.clone();
    let reopen = move || opening.roots_then_tell(|roots| roots.set_config(settings.config));
    let _ = spawn_blocking(reopen).await;
    schedule::recheck(state);
}

fn folders(state: &Arc<State>, params: &DidChangeWorkspaceFoldersParams) {
    let gone = lifecycle::paths(&params.event.removed);
    let come = lifecycle::paths(&params.event.added);
    let state = state.clone();
    tokio::spawn(async move {
        let changing = state.clone();
        let change = move || {
            let mut roots = lock(&changing.roots);
            let mut folders: Vec<PathBuf> = roots.folders().to_vec();
            folders.retain(|folder| !gone.contains(folder) && !come.contains(folder));
            folders.extend(come);
            roots.set_folders(folders);
        };
        let _ = spawn_blocking(change).await;
        schedule::recheck(&state);
    });
}
