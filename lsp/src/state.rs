//! The state of the server, shared by all its tasks. Documents are only checked through this state.

use crate::client::Client as ClientFeatures;
use crate::diagnostics::WorkspaceDiagnostics;
use crate::documents::{DocumentLocation, Documents, OpenFiles, lock};
use crate::examples;
use crate::lifecycle::{Session, Settings};
use crate::memory::Memories;
use crate::pages::UnsavedPages;
use crate::pass_thread::PassThread;
use crate::program_pages::ProgramPages;
use crate::roots::Roots;
use crate::snapshot::Snapshot;
use aidd_engine::check::CheckResult;
use aidd_engine::check::{Distribution, Engine};
use aidd_engine::text::escape;
use aidd_engine::text::files::Overlay;
use aidd_engine::text::source::{Encoding, Source};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::{Notify, watch};
use tokio::task::spawn_blocking;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{MessageType, Uri};

/// The result of the last check of an open document. The lock is held during a newer check, so that
/// the same text is not checked twice.
#[derive(Debug, Default)]
pub(crate) struct CheckCell(tokio::sync::Mutex<Option<Cached>>);

#[derive(Clone, Debug)]
struct Cached {
    generation: u64,
    epoch: u64,
    project_epoch: u64,
    snapshot: Arc<Snapshot>,
}

/// A document to check.
struct Job {
    uri: Uri,
    location: DocumentLocation,
    version: i32,
    generation: u64,
    text: String,
}

/// A counter value for each changed file: a file that changes while a pass reads it must be read
/// again.
pub(crate) type Marks = HashMap<PathBuf, u64>;

/// Files to check again.
#[derive(Debug, Default)]
pub(crate) struct Dirty {
    marks: Marks,
    count: u64,
}

impl Dirty {
    /// Adds changed files.
    pub(crate) fn mark(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.count += 1;
        self.marks.extend(paths.into_iter().map(|path| (path, self.count)));
    }

    /// The marks of the files to check again.
    pub(crate) fn marks(&self) -> Marks {
        self.marks.clone()
    }

    /// Removes files that were checked at these marks and have not changed since.
    pub(crate) fn remove_checked(&mut self, checked: &Marks) {
        self.marks.retain(|path, mark| checked.get(path) != Some(mark));
    }
}

/// The state of the server.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) distribution: &'static Distribution,
    pub(crate) client: Client,
    pub(crate) session: OnceLock<Session>,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) documents: Mutex<Documents<CheckCell>>,
    pub(crate) roots: Mutex<Roots>,
    /// See [`Roots::unsaved_pages`].
    pub(crate) unsaved_pages: UnsavedPages,
    /// Incremented on changes outside of a document that affect its findings: settings, rules and
    /// other files that checks read.
    epoch: AtomicU64,
    /// Incremented on changes that affect project-wide findings.
    pub(crate) project_epoch: AtomicU64,
    /// The documents with push diagnostics, and the handles to wake their tasks.
    pub(crate) pushed: Mutex<HashMap<Uri, Arc<Notify>>>,
    /// Diagnostics of files that are not open.
    pub(crate) workspace_diagnostics: tokio::sync::Mutex<WorkspaceDiagnostics>,
    /// The thread of the passes over all files.
    pub(crate) pass_thread: PassThread,
    program_pages: ProgramPages,
    /// Files that changed since they were last checked.
    pub(crate) dirty: Mutex<Dirty>,
    /// Changes when findings in files that are not open can have changed.
    pub(crate) changed: watch::Sender<u64>,
    /// Cancellable passes over the workspace, by progress token.
    pub(crate) passes: Mutex<HashMap<String, Arc<AtomicBool>>>,
    /// The project memories.
    pub(crate) memories: Memories,
    /// The messages shown so far, so that each message is shown only once.
    shown_messages: Mutex<HashSet<String>>,
    pub(crate) is_shut_down: AtomicBool,
    /// Whether the client has agreed to report all file changes.
    pub(crate) has_file_events: AtomicBool,
    /// Number of file change notifications from the client.
    pub(crate) watch_events: AtomicU64,
    /// Projects that were not yet scanned for unreported changes.
    pub(crate) unscanned_roots: Mutex<BTreeSet<PathBuf>>,
    /// Whether a refresh request is about to be sent to the client.
    pub(crate) is_refreshing: AtomicBool,
    /// Number of files that passes have checked.
    #[cfg(test)]
    pub(crate) files_checked: std::sync::atomic::AtomicUsize,
}

impl State {
    pub(crate) fn new(
        client: Client,
        distribution: &'static Distribution,
        settings: Settings,
    ) -> Self {
        let roots = Roots::new(distribution);
        Self {
            distribution,
            client,
            session: OnceLock::new(),
            settings: Mutex::new(settings),
            documents: Mutex::default(),
            unsaved_pages: roots.unsaved_pages.clone(),
            roots: Mutex::new(roots),
            epoch: AtomicU64::new(0),
            project_epoch: AtomicU64::new(0),
            pushed: Mutex::default(),
            workspace_diagnostics: tokio::sync::Mutex::default(),
            pass_thread: PassThread::default(),
            program_pages: ProgramPages::default(),
            dirty: Mutex::default(),
            changed: watch::Sender::new(0),
            passes: Mutex::default(),
            memories: Memories::default(),
            shown_messages: Mutex::default(),
            is_shut_down: AtomicBool::new(false),
            has_file_events: AtomicBool::new(false),
            watch_events: AtomicU64::new(0),
            unscanned_roots: Mutex::default(),
            is_refreshing: AtomicBool::new(false),
            #[cfg(test)]
            files_checked: Default::default(),
        }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Invalidates all checks.
    pub(crate) fn next_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.session.get().map_or(Encoding::Utf16, |session| session.encoding)
    }

    /// Capabilities of the client for the language features.
    pub(crate) fn features(&self) -> ClientFeatures {
        self.session.get().map_or(ClientFeatures::default(), |session| session.features)
    }

    pub(crate) fn has_pull_diagnostics(&self) -> bool {
        self.session.get().is_some_and(|session| session.pulls)
    }

    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        lock(&self.documents).get(uri).is_some()
    }

    /// Whether `generation` is the current generation of the document at `uri`.
    pub(crate) fn is_current(&self, uri: &Uri, generation: u64) -> bool {
        lock(&self.documents).get(uri).is_some_and(|document| document.generation == generation)
    }

    /// Checks the current document at `uri`, unless the result is cached. Returns the generation
    /// and the snapshot; `None` if the document is not open or the check panicked.
    pub(crate) async fn check_current(self: &Arc<Self>, uri: &Uri) -> Option<(u64, Arc<Snapshot>)> {
        self.check_since(uri, |document, _| document).await
    }

    /// The result of the last check since the document was opened or saved. If there is no such
    /// result, checks the current document.
    pub(crate) async fn check_saved(self: &Arc<Self>, uri: &Uri) -> Option<(u64, Arc<Snapshot>)> {
        self.check_since(uri, |_, saved| saved).await
    }

    /// A check result of the document that is at least as new as the generation that `choose`
    /// returns. The arguments of `choose` are the generation of the current text and the generation
    /// of the last save.
    async fn check_since(
        self: &Arc<Self>,
        uri: &Uri,
        choose: fn(u64, u64) -> u64,
    ) -> Option<(u64, Arc<Snapshot>)> {
        let cell = lock(&self.documents).get(uri)?.cell.clone();
        let mut cached = cell.0.lock().await;
        let epoch = self.epoch();
        let project_epoch = self.project_epoch.load(Ordering::SeqCst);
        let job = {
            let documents = lock(&self.documents);
            let document = documents.get(uri)?;
            let min_generation = choose(document.generation, document.saved);
            if let Some(last) = &*cached
                && last.generation >= min_generation
                && last.epoch == epoch
                && last.project_epoch == project_epoch
            {
                return Some((last.generation, last.snapshot.clone()));
            }
            Job {
                uri: uri.clone(),
                location: document.location.clone(),
                version: document.version,
                generation: document.generation,
                text: document.text.as_str().to_owned(),
            }
        };
        let (state, generation) = (self.clone(), job.generation);
        let snapshot = Arc::new(spawn_blocking(move || state.check(job)).await.ok()?);
        if cached.is_none() {
            self.program_pages.unmap_soon();
        }
        *cached = Some(Cached { generation, epoch, project_epoch, snapshot: snapshot.clone() });
        Some((generation, snapshot))
    }

    /// Checks a document; blocking.
    fn check(self: &Arc<Self>, job: Job) -> Snapshot {
        let (workspace, path) =
            self.with_roots_then_report_errors(|roots| roots.locate(&job.location));
        let source = Source::new(path, job.text);
        let is_checked = match &job.location {
            DocumentLocation::File(_) => workspace.is_checked(source.path()),
            DocumentLocation::Untitled(_) => true,
        };
        let checked = if is_checked {
            let root = workspace.project.root();
            let over = OpenFiles { documents: &self.documents, root };
            let files = Overlay { over, under: &workspace.project.disk };
            self.report_if_large(&source, &workspace.engine);
            workspace.check(&source, &files)
        } else {
            CheckResult::default()
        };
        let failed_examples = if is_checked {
            examples::failures(self.distribution, source.path(), source.text())
        } else {
            Vec::new()
        };
        Snapshot {
            failed_examples,
            uri: job.uri,
            version: Some(job.version),
            source,
            checked,
            workspace,
            encoding: self.encoding(),
        }
    }

    fn report_if_large(self: &Arc<Self>, source: &Source, engine: &Engine) {
        let (size, limit) = (source.text().len() as u64, engine.max_file_size());
        if size > limit && !engine.checks_large(source.path(), source.text(), size) {
            let text = format!(
                "{}: {size} bytes exceed `maxFileSize` ({limit}); the file is only searched for secrets",
                source.path()
            );
            // The size in the text changes with each keystroke, so use the path as the key.
            self.notify_once(MessageType::WARNING, source.path(), &text, false);
        }
    }

    /// Runs `work` on the roots, then reports errors in their settings to the user; blocking.
    pub(crate) fn with_roots_then_report_errors<T>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Roots) -> T,
    ) -> T {
        let (result, config_errors) = {
            let mut roots = lock(&self.roots);
            (work(&mut roots), roots.config_errors())
        };
        for config_error in config_errors {
            self.notify_once(
                MessageType::ERROR,
                &config_error.message,
                &config_error.message,
                !config_error.is_finding,
            );
            lock(&self.dirty).mark([config_error.root.join(aidd_engine::text::kind::CONFIG_PATH)]);
            self.touch();
        }
        result
    }

    /// Logs or shows a message, unless a message with this key was shown before.
    pub(crate) fn notify_once(
        self: &Arc<Self>,
        kind: MessageType,
        key: &str,
        text: &str,
        show: bool,
    ) {
        if !lock(&self.shown_messages).insert(key.to_owned()) {
            return;
        }
        let state = self.clone();
        let text = escape::lines(text).into_owned();
        tokio::spawn(async move {
            if show {
                state.client.show_message(kind, text).await;
            } else {
                state.client.log_message(kind, text).await;
            }
        });
    }

    /// Signals that findings in files that are not open can have changed.
    pub(crate) fn touch(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Wakes the task that pushes the diagnostics of an open document.
    pub(crate) fn wake(&self, uri: &Uri) {
        if let Some(notify) = lock(&self.pushed).get(uri) {
            notify.notify_one();
        }
    }
}
