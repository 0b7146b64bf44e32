//! Handles notifications from the client in the order of arrival.
//!
//! tower-lsp-server polls the handlers of several messages concurrently, so another handler can
//! overtake a waiting handler. Changes to a text must not be reordered: this module applies them
//! before the next message is read.

use crate::commands;
use crate::documents::lock;
use crate::expand::{Changes, Reported, expand};
use crate::framing::answer_unparsed;
use crate::lifecycle::{self, Run, Settings};
use crate::pages;
use crate::project_wide;
use crate::schedule;
use crate::state::State;
use crate::uri;
use aidd_engine::text::kind;
use aidd_engine::text::paths::relative;
use serde::Deserialize;
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
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    FileChangeType, FileEvent, MessageType, NumberOrString, Uri, WorkDoneProgressCancelParams,
};
use tower_lsp_server::{ExitedError, LspService};
use tower_service::Service;

/// Wraps the service of tower-lsp-server, and handles notifications before it.
pub(crate) struct Inbox<S> {
    pub(crate) inner: LspService<S>,
    pub(crate) state: Arc<State>,
    /// Notified when the client sends `exit`.
    pub(crate) exited: Arc<Notify>,
}

impl<S: tower_lsp_server::LanguageServer> Service<Request> for Inbox<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(answer) = answer_unparsed(&request) {
            return Box::pin(ready(Ok(Some(answer))));
        }
        if request.method() == "exit" {
            self.exited.notify_one();
        }
        if request.id().is_none() && is_handled_notification(request.method()) {
            // Notifications before `initialize` and after `shutdown` have no effect.
            if self.state.session.get().is_some() && !self.state.is_shut_down.load(Ordering::SeqCst)
            {
                let (method, _, params) = request.into_parts();
                let mut params = params.unwrap_or_default();
                normalize_uris(&self.state, &mut params);
                handle(&self.state, &method, params);
            }
            return Box::pin(ready(Ok(None)));
        }
        self.inner.call(normalized(&self.state, request))
    }
}

/// Rewrites a request so that its parameters contain only URIs that tower-lsp-server can parse.
fn normalized(state: &State, request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let mut rebuilt = Request::build(method.clone());
    if let Some(mut params) = params {
        normalize_uris(state, &mut params);
        if method == "initialize" {
            drop_unreadable_folders(&mut params);
        }
        rebuilt = rebuilt.params(params);
    }
    match id {
        Some(id) => rebuilt.id(id).finish(),
        None => rebuilt.finish(),
    }
}

/// Normalizes URIs, and replaces the URI of an open document with the URI with which it was opened.
fn normalize_uris(state: &State, params: &mut Value) {
    uri::normalize_all(params, |uri| {
        let path = uri::path(uri)?;
        lock(&state.documents).uri_of(&path).cloned()
    });
}

/// Removes unreadable folder URIs: a single unreadable URI must not fail the session.
fn drop_unreadable_folders(params: &mut Value) {
    let is_readable = |uri: &Value| uri.as_str().is_some_and(|uri| uri::normalize(uri).is_some());
    if params.get("rootUri").is_some_and(|uri| !is_readable(uri)) {
        params["rootUri"] = Value::Null;
    }
    if let Some(folders) = params.get_mut("workspaceFolders").and_then(Value::as_array_mut) {
        folders.retain(|folder| is_readable(&folder["uri"]));
    }
}

fn is_handled_notification(method: &str) -> bool {
    matches!(
        method,
        "textDocument/didOpen"
            | "textDocument/didChange"
            | "textDocument/didSave"
            | "textDocument/didClose"
            | "workspace/didCreateFiles"
            | "workspace/didRenameFiles"
            | "workspace/didDeleteFiles"
            | "workspace/didChangeWatchedFiles"
            | "workspace/didChangeConfiguration"
            | "workspace/didChangeWorkspaceFolders"
            | "window/workDoneProgress/cancel"
    )
}

/// Handles a notification. Notifications have no response, so malformed notifications are logged.
/// The valid items of a notification with several items are used.
pub(crate) fn handle(state: &Arc<State>, method: &str, mut params: Value) {
    let notification = NotificationContext { state, method };
    match method {
        "textDocument/didOpen" => {
            notification.parse(params, |params| open(notification.state, params));
        }
        "textDocument/didChange" => notification.change(params),
        "textDocument/didSave" => {
            notification.parse(params, |params| save(notification.state, params));
        }
        "textDocument/didClose" => {
            notification.parse(params, |params| close(notification.state, &params));
        }
        "workspace/didCreateFiles" | "workspace/didRenameFiles" | "workspace/didDeleteFiles" => {
            let files: Vec<FileOperation> = notification.items(&mut params, "/files");
            let uris = files.iter().flat_map(|file| [&file.uri, &file.old_uri, &file.new_uri]);
            let paths = uris.flatten().filter_map(uri::path);
            let reported = |path| Reported { path, is_created_or_deleted: true };
            handle_disk_changes(notification.state, paths.map(reported).collect());
        }
        "workspace/didChangeWatchedFiles" => {
            let changes: Vec<FileEvent> = notification.items(&mut params, "/changes");
            let reported = changes.iter().filter_map(|change| {
                let is_created_or_deleted = change.typ != FileChangeType::CHANGED;
                Some(Reported { path: uri::path(&change.uri)?, is_created_or_deleted })
            });
            handle_disk_changes(notification.state, reported.collect());
        }
        "workspace/didChangeConfiguration" => {
            notification
                .parse(params, |params| handle_configuration_change(notification.state, &params));
        }
        "workspace/didChangeWorkspaceFolders" => {
            let [added, removed] = ["/event/added", "/event/removed"]
                .map(|list| lifecycle::paths(&notification.items(&mut params, list)));
            change_folders(notification.state, added, removed);
        }
        _ => {
            notification.parse(params, |params: WorkDoneProgressCancelParams| match params.token {
                NumberOrString::String(token) => commands::cancel_pass(notification.state, &token),
                NumberOrString::Number(_) => {}
            });
        }
    }
}

/// A file or directory that the user created, deleted or renamed in the editor.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileOperation {
    uri: Option<Uri>,
    old_uri: Option<Uri>,
    new_uri: Option<Uri>,
}

/// A notification being handled.
#[derive(Clone, Copy)]
struct NotificationContext<'a> {
    state: &'a Arc<State>,
    method: &'a str,
}

impl NotificationContext<'_> {
    /// Calls `handle` with the parsed `params`; logs malformed parameters.
    fn parse<T: DeserializeOwned>(self, params: Value, handle: impl FnOnce(T)) {
        match serde_json::from_value(params) {
            Ok(params) => handle(params),
            Err(error) => self.log("params", &error),
        }
    }

    /// The items of the array at `pointer`, without malformed items.
    fn items<T: DeserializeOwned>(self, params: &mut Value, pointer: &str) -> Vec<T> {
        let items = match params.pointer_mut(pointer).map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => {
                self.log("params", &format_args!("`{}` is not an array", &pointer[1..]));
                return Vec::new();
            }
        };
        let parse = |(index, item)| match serde_json::from_value(item) {
            Ok(item) => Some(item),
            Err(error) => {
                self.log(&format!("{}/{index}", &pointer[1..]), &error);
                None
            }
        };
        items.into_iter().enumerate().filter_map(parse).collect()
    }

    /// Edits a document. Closes the document if an edit is malformed, because its text then no
    /// longer matches the text of the client.
    fn change(self, params: Value) {
        let uri = Uri::deserialize(&params["textDocument"]["uri"]);
        match serde_json::from_value(params) {
            Ok(params) => change(self.state, &params),
            Err(error) => {
                self.log("params", &error);
                if let Ok(uri) = uri
                    && lock(&self.state.documents).close(&uri)
                {
                    self.state.wake(&uri);
                    let message = "the document is not checked until it is reopened";
                    self.log(uri.as_str(), &message);
                }
            }
        }
    }

    fn log(self, location: &str, error: &dyn std::fmt::Display) {
        let text = format!("{}: {location}: {error}", self.method);
        // Log each message once: a faulty client repeats the error with every keystroke.
        self.state.notify_once(MessageType::WARNING, &text, &text, false);
    }
}

fn open(state: &Arc<State>, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let (language, version) = (document.language_id, document.version);
    if lock(&state.documents).open(&document.uri, &language, version, document.text) {
        schedule::start_push(state, &document.uri);
        recheck_dependents(state, &document.uri);
    }
}

fn change(state: &Arc<State>, params: &DidChangeTextDocumentParams) {
    let document = &params.text_document;
    let (encoding, changes) = (state.encoding(), &params.content_changes);
    if lock(&state.documents).change(&document.uri, document.version, changes, encoding) {
        schedule::push_changed(state, &document.uri);
        pages::edited(state, &document.uri);
        recheck_dependents(state, &document.uri);
    }
}

fn save(state: &Arc<State>, params: DidSaveTextDocumentParams) {
    let uri = params.text_document.uri;
    if lock(&state.documents).save(&uri, params.text) && lock(&state.settings).run == Run::OnSave {
        state.wake(&uri);
    }
    pages::forget(state, &uri);
    let reported = |path| Reported { path, is_created_or_deleted: false };
    handle_disk_changes(state, uri::path(&uri).into_iter().map(reported).collect());
}

fn close(state: &Arc<State>, params: &DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    if lock(&state.documents).close(uri) {
        state.wake(uri);
        recheck_dependents(state, uri);
        // From now on, the file on disk is used.
        lock(&state.dirty).mark(uri::path(uri));
        state.touch();
        if pages::forget(state, uri) {
            let reported = |path| Reported { path, is_created_or_deleted: false };
            handle_disk_changes(state, uri::path(uri).into_iter().map(reported).collect());
        }
    }
}

/// Rechecks the other documents if the changed document is an input of their checks.
fn recheck_dependents(state: &Arc<State>, uri: &Uri) {
    if state.distribution.affects_other_files(uri.path().as_str()) {
        schedule::recheck(state);
    }
}

/// Checks files that changed on disk, and files that depend on them.
fn handle_disk_changes(state: &Arc<State>, reported: Vec<Reported>) {
    if reported.is_empty() {
        return;
    }
    lock(&state.dirty).mark(reported.iter().map(|change| change.path.clone()));
    state.touch();
    let state = state.clone();
    let number = state.watch_events.fetch_add(1, Ordering::SeqCst) + 1;
    tokio::spawn(async move {
        let worker_state = state.clone();
        let process = move || process_disk_changes(&worker_state, reported);
        match spawn_blocking(process).await {
            Ok((true, _)) => schedule::recheck(&state),
            Ok((false, true)) => schedule::refresh_project_findings(&state),
            _ => {}
        }
        // Check the reported files. Reading the modification times of all files takes longer: only
        // the last of several concurrent calls reads them.
        let scan_state = state.clone();
        if state.watch_events.load(Ordering::SeqCst) == number
            && spawn_blocking(move || project_wide::scan_unreported(&scan_state))
                .await
                .is_ok_and(|has_changes| has_changes)
        {
            schedule::refresh_project_findings(&state);
        }
    });
}

/// Reloads the settings and rules among changed files, and rechecks their projects; blocking. Returns
/// whether findings in all files can have changed, and whether project-wide findings have changed.
pub(crate) fn process_disk_changes(state: &Arc<State>, reported: Vec<Reported>) -> (bool, bool) {
    let changes = expand(state, reported);
    let is_reloaded = reload(state, &changes);
    if !changes.directories.is_empty() {
        lock(&state.dirty).mark(changes.paths.iter().cloned());
        state.touch();
    }
    (is_reloaded, project_wide::recheck(state, &changes.paths))
}

/// Reloads the workspaces whose settings, rules, baseline or ignore files changed, or in which a
/// directory was created or deleted. Returns whether findings in other files can have changed.
fn reload(state: &Arc<State>, changes: &Changes) -> bool {
    state.with_roots_then_report_errors(|roots| {
        roots.clear_cache();
        let mut stale = BTreeSet::new();
        for directory in &changes.directories {
            stale.insert(roots.root_of(directory.parent().unwrap_or(directory)));
            stale.extend(
                roots.workspaces_below(directory).map(|open| open.project.root().to_owned()),
            );
        }
        for path in &changes.paths {
            let root = roots.root_of(path.parent().unwrap_or(path));
            if is_setting(&relative(&root, path)) || roots.is_config_or_baseline(&root, path) {
                stale.insert(root);
            }
        }
        for root in &stale {
            roots.reload(Some(root));
        }
        let is_read = changes.paths.iter().any(|path| {
            let root = roots.root_of(path.parent().unwrap_or(path));
            let below = relative(&root, path);
            let engine = &roots.workspace(&root).engine;
            engine.distribution().affects_other_files(&below) || engine.is_dependency(&below)
        });
        is_read || !stale.is_empty()
    })
}

/// Whether the file at `path`, relative to the root, affects findings in other files. The databases
/// in `.aidd` change with each call of an agent and contain no settings.
fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with(".aidd/") && !path.starts_with(".aidd/data.")
        || kind::is_page_path(path)
        || kind::is_memory_path(path)
        || [".gitignore", ".ignore", ".aiddignore"].contains(&name)
}

fn handle_configuration_change(state: &Arc<State>, params: &DidChangeConfigurationParams) {
    match Settings::read(&params.settings) {
        Ok(Some(settings)) => {
            let state = state.clone();
            tokio::spawn(async move { apply(&state, settings).await });
        }
        Ok(None) => request_settings(state),
        Err(error) => state.notify_once(MessageType::WARNING, &error, &error, false),
    }
}

/// Requests the settings from the client, if the client supports such requests.
pub(crate) fn request_settings(state: &Arc<State>) {
    if !state.session.get().is_some_and(|session| session.has_settings) {
        return;
    }
    let state = state.clone();
    tokio::spawn(async move {
        let section = Some(lifecycle::SECTION.to_owned());
        let items = vec![ConfigurationItem { scope_uri: None, section }];
        let Ok(mut response) = state.client.configuration(items).await else { return };
        match Settings::read(&response.pop().unwrap_or_default()) {
            Ok(settings) => apply(&state, settings.unwrap_or_default()).await,
            Err(error) => state.notify_once(MessageType::WARNING, &error, &error, false),
        }
    });
}

/// Applies new settings.
async fn apply(state: &Arc<State>, settings: Settings) {
    let old = std::mem::replace(&mut *lock(&state.settings), settings.clone());
    if old == settings {
        return;
    }
    let opening = state.clone();
    let reopen =
        move || opening.with_roots_then_report_errors(|roots| roots.set_config(settings.config));
    let _ = spawn_blocking(reopen).await;
    schedule::recheck(state);
}

fn change_folders(state: &Arc<State>, added: Vec<PathBuf>, removed: Vec<PathBuf>) {
    let state = state.clone();
    tokio::spawn(async move {
        let worker_state = state.clone();
        let change = move || {
            let mut roots = lock(&worker_state.roots);
            let mut folders: Vec<PathBuf> = roots.folders().to_vec();
            folders.retain(|folder| !removed.contains(folder) && !added.contains(folder));
            folders.extend(added);
            roots.set_folders(folders);
        };
        let _ = spawn_blocking(change).await;
        schedule::recheck(&state);
    });
}
