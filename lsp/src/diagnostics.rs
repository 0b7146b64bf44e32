//! Pull and push diagnostics, of single documents and of files that are not open.

use crate::convert;
use crate::documents::lock;
use crate::lifecycle::Run;
use crate::progress::Progress;
use crate::schedule;
use crate::snapshot::Snapshot;
use crate::state::{Marks, State};
use crate::unreported::{self, Stamps};
use crate::workspace_pass::{PassEvent, Scope, Stop, begin_pass, file_path};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::MutexGuard;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{
    Diagnostic, DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, ProgressToken, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

/// Diagnostics of files that are not open.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceDiagnostics {
    /// The epoch of the last completed pass over all files.
    epoch: Option<u64>,
    /// The files with findings.
    results: HashMap<Uri, FileResult>,
    stamps: Stamps,
}

/// The result of the last check of a file that is not open.
#[derive(Debug)]
struct FileResult {
    id: String,
    findings: usize,
}

/// The diagnostics of a snapshot, in a form that this client supports.
pub(crate) fn client_diagnostics(state: &State, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let all = convert::diagnostics(snapshot);
    match state.session.get() {
        Some(session) => all.into_iter().map(|diagnostic| session.trim(diagnostic)).collect(),
        None => all,
    }
}

/// The id of a result. Equal diagnostics have equal ids.
fn result_id(diagnostics: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    for diagnostic in diagnostics {
        // Serialization cannot fail for a diagnostic; if it did, the id would still depend on the
        // other diagnostics.
        serde_json::to_string(diagnostic).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Handles `textDocument/diagnostic`.
pub(crate) async fn document_diagnostics(
    state: &Arc<State>,
    params: DocumentDiagnosticParams,
) -> DocumentDiagnosticReportResult {
    let uri = params.text_document.uri;
    let on_save = lock(&state.settings).run == Run::OnSave;
    let checked =
        if on_save { state.check_saved(&uri).await } else { state.check_current(&uri).await };
    let items = match checked {
        Some((_, snapshot)) => client_diagnostics(state, &snapshot),
        None => file_diagnostics(state, &uri).await,
    };
    let result_id = result_id(&items);
    if params.previous_result_id.as_ref() == Some(&result_id) {
        let report = RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        };
        return DocumentDiagnosticReport::Unchanged(report).into();
    }
    let report = FullDocumentDiagnosticReport { result_id: Some(result_id), items };
    DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: report,
    })
    .into()
}

/// The diagnostics of a file that is not open: clients request diagnostics for tabs that are not
/// shown yet.
async fn file_diagnostics(state: &Arc<State>, uri: &Uri) -> Vec<Diagnostic> {
    let Some(path) = file_path(uri) else { return Vec::new() };
    let stop = Stop::default();
    let mut events = begin_pass(state, Scope::Files([path].into()), stop.0.clone());
    let mut all = Vec::new();
    while let Some(event) = events.recv().await {
        if let PassEvent::Checked { found, .. } = event {
            all.extend(found.into_iter().flat_map(|(_, diagnostics)| diagnostics));
        }
    }
    all
}

/// A partial result, sent before the response.
pub(crate) enum Partial {}

impl Notification for Partial {
    type Params = Value;
    const METHOD: &'static str = "$/progress";
}

/// Handles `workspace/diagnostic`. Unchanged results are not sent again. If the client accepts
/// partial results and sends previous results, the response is delayed until there are changes.
pub(crate) async fn workspace_diagnostics(
    state: &Arc<State>,
    params: WorkspaceDiagnosticParams,
) -> WorkspaceDiagnosticReportResult {
    let previous: HashMap<Uri, String> =
        params.previous_result_ids.into_iter().map(|result| (result.uri, result.value)).collect();
    let token = params.partial_result_params.partial_result_token;
    let mut changed = state.changed.subscribe();
    let mut items = loop {
        changed.mark_unchanged();
        let (items, has_sent_changes) = changes_since(state, &previous, token.as_ref()).await;
        let has_changes = has_sent_changes || items.iter().any(is_full);
        let can_wait = token.is_some() && !previous.is_empty();
        if !can_wait || has_changes || changed.changed().await.is_err() {
            break items;
        }
    };
    if let Some(token) = &token {
        send_part(state, token, std::mem::take(&mut items)).await;
        // Partial results sent after the response are lost, and the response bypasses the
        // notification queue. The queue holds one message: once this empty notification is queued,
        // the last partial result has been sent.
        send_part(state, token, Vec::new()).await;
    }
    WorkspaceDiagnosticReport { items }.into()
}

fn is_full(item: &WorkspaceDocumentDiagnosticReport) -> bool {
    matches!(item, WorkspaceDocumentDiagnosticReport::Full(_))
}

/// The changes relative to `previous`, and whether changes were already sent: with a token, changes
/// are sent in parts while files are checked, and only the last part is returned.
async fn changes_since(
    state: &Arc<State>,
    previous: &HashMap<Uri, String>,
    token: Option<&ProgressToken>,
) -> (Vec<WorkspaceDocumentDiagnosticReport>, bool) {
    let mut items = Vec::new();
    let mut has_sent_changes = false;
    let is_limited = lock(&state.settings).workspace == Some(false);
    if !is_limited && !state.session.get().is_some_and(|session| session.watches) {
        let mut known = state.workspace_diagnostics.lock().await;
        unreported::find(state, &mut known.stamps).await;
    }
    let open = lock(&state.documents).uris();
    for uri in open {
        if let Some((_, snapshot)) = state.check_current(&uri).await {
            let version = snapshot.version.map(i64::from);
            items.push(item(uri.clone(), version, client_diagnostics(state, &snapshot), previous));
        }
    }
    if is_limited {
        return (items, has_sent_changes);
    }
    let mut known = state.workspace_diagnostics.lock().await;
    let differs = |(uri, result): &(&Uri, &FileResult)| previous.get(*uri) != Some(&result.id);
    let unknown: Vec<PathBuf> =
        known.results.iter().filter(differs).filter_map(|(uri, _)| file_path(uri)).collect();
    let mut pass = Pass::plan(state, &known, unknown);
    // The files that this pass has reported.
    let mut listed: HashSet<Uri> = HashSet::new();
    while let Some((uri, diagnostics)) = pass.next(&mut known).await {
        listed.insert(uri.clone());
        items.push(item(uri, None, diagnostics, previous));
        if let Some(token) = token
            && items.len() >= MAX_FILES_PER_PART
        {
            has_sent_changes |= items.iter().any(is_full);
            send_part(state, token, std::mem::take(&mut items)).await;
        }
    }
    // The client can know files that the server does not know.
    let cleared = pass.finish(&mut known, previous.keys());
    let cleared_items = cleared.into_iter().map(|uri| item(uri, None, Vec::new(), previous));
    items.extend(cleared_items);
    let unchanged_item = |(uri, result): (&Uri, &FileResult)| {
        let is_unlisted = !listed.contains(uri) && !state.is_open(uri);
        is_unlisted.then(|| unchanged(uri.clone(), None, &result.id))
    };
    items.extend(known.results.iter().filter_map(unchanged_item));
    (items, has_sent_changes)
}

/// The maximum number of files per partial result.
const MAX_FILES_PER_PART: usize = 64;

async fn send_part(
    state: &State,
    token: &ProgressToken,
    items: Vec<WorkspaceDocumentDiagnosticReport>,
) {
    let params = json!({ "token": token, "value": WorkspaceDiagnosticReport { items } });
    state.client.send_notification::<Partial>(params).await;
}

fn item(
    uri: Uri,
    version: Option<i64>,
    items: Vec<Diagnostic>,
    previous: &HashMap<Uri, String>,
) -> WorkspaceDocumentDiagnosticReport {
    let result_id = result_id(&items);
    if previous.get(&uri) == Some(&result_id) {
        return unchanged(uri, version, &result_id);
    }
    let report = FullDocumentDiagnosticReport { result_id: Some(result_id), items };
    WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: report,
    })
}

fn unchanged(uri: Uri, version: Option<i64>, id: &str) -> WorkspaceDocumentDiagnosticReport {
    WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
        uri,
        version,
        unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
            result_id: id.to_owned(),
        },
    })
}

/// A pass over files that are not open, and its updates to [`WorkspaceDiagnostics`].
struct Pass {
    scope: Scope,
    epoch: u64,
    /// The files that are dirty when the pass starts; the pass marks them as clean when it ends.
    dirty: Marks,
    state: Arc<State>,
    stop: Stop,
    events: tokio::sync::mpsc::Receiver<PassEvent>,
    pending: Vec<(Uri, Vec<Diagnostic>)>,
    found: HashSet<Uri>,
    total: usize,
    done: usize,
    progress: Option<Progress>,
}

impl Pass {
    /// Creates a pass over all files if settings changed since the last pass or the changed files are
    /// unknown; otherwise a pass over the changed files and `more`.
    fn plan(state: &Arc<State>, known: &WorkspaceDiagnostics, more: Vec<PathBuf>) -> Self {
        let epoch = state.epoch();
        let watches = state.session.get().is_some_and(|session| session.watches);
        let dirty = lock(&state.dirty).marks();
        let scope = if known.epoch == Some(epoch) && (watches || known.stamps.are_known()) {
            let mut paths = dirty_paths(&dirty, known);
            paths.extend(more);
            Scope::Files(paths)
        } else {
            Scope::All
        };
        Self::new(state, scope, epoch, dirty)
    }

    fn new(state: &Arc<State>, scope: Scope, epoch: u64, dirty: Marks) -> Self {
        let stop = Stop::default();
        let events = begin_pass(state, scope.clone(), stop.0.clone());
        Self {
            scope,
            epoch,
            dirty,
            state: state.clone(),
            stop,
            events,
            pending: Vec::new(),
            found: HashSet::new(),
            total: 0,
            done: 0,
            progress: None,
        }
    }

    /// The next file with findings.
    async fn next(
        &mut self,
        known: &mut MutexGuard<'_, WorkspaceDiagnostics>,
    ) -> Option<(Uri, Vec<Diagnostic>)> {
        while self.pending.is_empty() {
            self.advance().await?;
        }
        let (uri, diagnostics) = self.pending.pop()?;
        self.found.insert(uri.clone());
        let result = FileResult { id: result_id(&diagnostics), findings: diagnostics.len() };
        known.results.insert(uri.clone(), result);
        Some((uri, diagnostics))
    }

    /// Waits until more files are checked.
    async fn advance(&mut self) -> Option<()> {
        match self.events.recv().await? {
            PassEvent::Total(total) => self.total = total,
            PassEvent::Checked { files, found } => {
                self.done += files;
                self.pending.extend(found);
                if let Some(progress) = &self.progress {
                    progress.report(self.done, self.total).await;
                }
            }
        }
        Some(())
    }

    fn is_stopped(&self) -> bool {
        self.stop.0.load(Ordering::Relaxed)
    }

    /// Ends the pass. Returns the files among `known` and `listed` that no longer have findings;
    /// none if the pass was stopped, because the remaining files were not checked.
    fn finish<'a>(
        self,
        known: &mut WorkspaceDiagnostics,
        listed: impl Iterator<Item = &'a Uri>,
    ) -> Vec<Uri> {
        if self.is_stopped() {
            return Vec::new();
        }
        lock(&self.state.dirty).remove_checked(&self.dirty);
        let was_checked = |uri: &&Uri| match &self.scope {
            Scope::All => true,
            Scope::Files(paths) => file_path(uri).is_some_and(|path| paths.contains(&path)),
        };
        let mut candidates: BTreeSet<Uri> = listed.filter(was_checked).cloned().collect();
        candidates.extend(known.results.keys().filter(was_checked).cloned());
        if self.scope == Scope::All {
            known.epoch = Some(self.epoch);
        }
        let is_deleted = |uri: &Uri| !self.found.contains(uri) && !self.state.is_open(uri);
        known.results.retain(|uri, _| self.found.contains(uri) || !candidates.contains(uri));
        candidates.into_iter().filter(is_deleted).collect()
    }
}

/// Result of a pass over the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) files: usize,
    pub(crate) findings: usize,
}

/// Checks the files that changed since the last pass, all files if there was none, and sends their
/// diagnostics, with progress if the client supports it. Returns the numbers of all files and
/// findings; `None` if the user cancelled.
pub(crate) async fn check_all(state: &Arc<State>) -> Option<Count> {
    let mut known = state.workspace_diagnostics.lock().await;
    // A watcher can lose events, so the command compares all files with those of its last run.
    let is_comparable = known.stamps.are_known();
    unreported::find(state, &mut known.stamps).await;
    let mut pass = match is_comparable {
        true => Pass::plan(state, &known, Vec::new()),
        false => Pass::new(state, Scope::All, state.epoch(), lock(&state.dirty).marks()),
    };
    pass.progress = Progress::begin(state, &pass.stop.0).await;
    let (is_complete, progress) = publish(state, &mut known, pass).await;
    let mut count = known.count(state);
    drop(known);
    let open = lock(&state.documents).uris();
    for uri in open {
        if let Some((_, snapshot)) = state.check_current(&uri).await {
            count.files += 1;
            count.findings += client_diagnostics(state, &snapshot).len();
        }
    }
    let count = is_complete.then_some(count);
    if let Some(progress) = progress {
        progress.end(count).await;
    }
    if is_complete {
        // A client that pulls diagnostics must pull again.
        state.touch();
        schedule::refresh(state);
    }
    count
}

impl WorkspaceDiagnostics {
    /// The numbers of files that are not open and of their findings.
    fn count(&self, state: &State) -> Count {
        let open = lock(&state.documents).paths();
        let closed = self.results.iter().filter(|(uri, _)| !state.is_open(uri));
        Count {
            files: self.stamps.count_except(&open.iter().cloned().collect()),
            findings: closed.map(|(_, result)| result.findings).sum(),
        }
    }
}

/// Keeps the diagnostics of files that are not open up to date, for clients without pull
/// diagnostics.
pub(crate) async fn watch_changes(state: Arc<State>) {
    let mut changed = state.changed.subscribe();
    loop {
        let checks_all_files = lock(&state.settings).workspace == Some(true);
        let mut known = state.workspace_diagnostics.lock().await;
        if checks_all_files || known.epoch.is_some() {
            let pass = if known.epoch.is_some_and(|epoch| epoch == state.epoch()) {
                let dirty = lock(&state.dirty).marks();
                let scope = Scope::Files(dirty_paths(&dirty, &known));
                Pass::new(&state, scope, state.epoch(), dirty)
            } else {
                Pass::plan(&state, &known, Vec::new())
            };
            publish(&state, &mut known, pass).await;
        } else {
            // Always show problems in settings and rules, because they affect all other findings.
            let dirty = lock(&state.dirty).marks();
            let paths = dirty_paths(&dirty, &known)
                .into_iter()
                .filter(|path| is_settings_or_rule_page(path))
                .collect();
            let pass = Pass::new(&state, Scope::Files(paths), state.epoch(), dirty);
            publish(&state, &mut known, pass).await;
        }
        drop(known);
        if changed.changed().await.is_err() {
            return;
        }
        tokio::time::sleep(COLLECTION_TIME).await;
        changed.mark_unchanged();
    }
}

/// The files to check again: changed files, and files with findings in changed directories.
fn dirty_paths(dirty: &Marks, known: &WorkspaceDiagnostics) -> BTreeSet<PathBuf> {
    let is_below = |path: &PathBuf| path.ancestors().any(|above| dirty.contains_key(above));
    let files = known.results.keys().filter_map(file_path).filter(is_below);
    dirty.keys().cloned().chain(files).collect()
}

/// The time to collect file changes before a pass: a checkout changes many files.
const COLLECTION_TIME: Duration = Duration::from_millis(200);

/// Whether a file is a settings file or rule page of aidd.
fn is_settings_or_rule_page(path: &std::path::Path) -> bool {
    let path = path.to_string_lossy().replace('\\', "/");
    path.contains("/.aidd/") || path.contains("/rules/") && path.ends_with(".md")
}

/// Sends the findings of a pass to a client without pull diagnostics. Returns whether the pass was
/// completed, and its progress.
async fn publish(
    state: &Arc<State>,
    known: &mut MutexGuard<'_, WorkspaceDiagnostics>,
    mut pass: Pass,
) -> (bool, Option<Progress>) {
    while let Some((uri, diagnostics)) = pass.next(known).await {
        if !state.has_pull_diagnostics() && !state.is_open(&uri) {
            state.client.publish_diagnostics(uri, diagnostics, None).await;
        }
    }
    let (is_complete, progress) = (!pass.is_stopped(), pass.progress.take());
    for uri in pass.finish(known, [].iter()) {
        if !state.has_pull_diagnostics() {
            state.client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    }
    (is_complete, progress)
}
