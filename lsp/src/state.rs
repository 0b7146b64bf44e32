//! What the server knows, shared by all its tasks, and the one way to a checked document.

use crate::client::Client as Offers;
use crate::diagnostics::Known;
use crate::documents::{Documents, Open, Place, lock};
use crate::lifecycle::{Session, Settings};
use crate::roots::Roots;
use crate::snapshot::Snapshot;
use aidd_engine::check::Checked;
use aidd_engine::check::Distribution;
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

/// What is kept with an open document: the last check of it. Whoever needs a newer one holds the
/// lock while it is made, so that nobody checks the same text twice.
#[derive(Debug, Default)]
pub(crate) struct Cell(tokio::sync::Mutex<Option<Cached>>);

#[derive(Clone, Debug)]
struct Cached {
    generation: u64,
    epoch: u64,
    joins: u64,
    snapshot: Arc<Snapshot>,
}

/// A document as it is to be checked.
struct Job {
    uri: Uri,
    place: Place,
    version: i32,
    generation: u64,
    text: String,
}

/// When each file changed, by a count: one that changes while a pass reads it is to be read again.
pub(crate) type Marks = HashMap<PathBuf, u64>;

/// Files to check again.
#[derive(Debug, Default)]
pub(crate) struct Dirty {
    marks: Marks,
    count: u64,
}

impl Dirty {
    /// Takes in files that changed.
    pub(crate) fn mark(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.count += 1;
        self.marks.extend(paths.into_iter().map(|path| (path, self.count)));
    }

    /// The files there are now.
    pub(crate) fn marks(&self) -> Marks {
        self.marks.clone()
    }

    /// Leaves out what was checked when it had these marks, and did not change since.
    pub(crate) fn settle(&mut self, checked: &Marks) {
        self.marks.retain(|path, mark| checked.get(path) != Some(mark));
    }
}

/// What the server knows.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) distribution: &'static Distribution,
    pub(crate) client: Client,
    pub(crate) session: OnceLock<Session>,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) documents: Mutex<Documents<Cell>>,
    pub(crate) roots: Mutex<Roots>,
    /// Counts what changes findings without a change of their document: settings, rules, files read
    /// beside it.
    epoch: AtomicU64,
    /// Counts what changes findings of the project as a whole.
    pub(crate) joins: AtomicU64,
    /// The documents whose diagnostics are sent unasked, and how to wake their tasks.
    pub(crate) pushed: Mutex<HashMap<Uri, Arc<Notify>>>,
    /// What is known of the files that are not open.
    pub(crate) known: tokio::sync::Mutex<Known>,
    /// Files that changed since they were last checked.
    pub(crate) dirty: Mutex<Dirty>,
    /// Changes when the findings in files that are not open may have.
    pub(crate) changed: watch::Sender<u64>,
    /// Passes over the workspace that the user may stop, by their progress token.
    pub(crate) passes: Mutex<HashMap<String, Arc<AtomicBool>>>,
    /// What the user was told, so that it is told once.
    told: Mutex<HashSet<String>>,
    pub(crate) is_shut_down: AtomicBool,
    /// The client has agreed to tell of any file that changes.
    pub(crate) is_told: AtomicBool,
    /// How often the client told of files that changed.
    pub(crate) tidings: AtomicU64,
    /// Projects in which nobody looked yet for what else changed.
    pub(crate) unrested: Mutex<BTreeSet<PathBuf>>,
    /// The client is about to be told to ask again.
    pub(crate) is_refreshing: AtomicBool,
}

impl State {
    pub(crate) fn new(
        client: Client,
        distribution: &'static Distribution,
        settings: Settings,
    ) -> Self {
        Self {
            distribution,
            client,
            session: OnceLock::new(),
            settings: Mutex::new(settings),
            documents: Mutex::default(),
            roots: Mutex::new(Roots::new(distribution)),
            epoch: AtomicU64::new(0),
            joins: AtomicU64::new(0),
            pushed: Mutex::default(),
            known: tokio::sync::Mutex::default(),
            dirty: Mutex::default(),
            changed: watch::Sender::new(0),
            passes: Mutex::default(),
            told: Mutex::default(),
            is_shut_down: AtomicBool::new(false),
            is_told: AtomicBool::new(false),
            tidings: AtomicU64::new(0),
            unrested: Mutex::default(),
            is_refreshing: AtomicBool::new(false),
        }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Makes all that was checked out of date.
    pub(crate) fn next_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.session.get().map_or(Encoding::Utf16, |session| session.encoding)
    }

    /// What the client offers for the language features.
    pub(crate) fn offers(&self) -> Offers {
        self.session.get().map_or(Offers::default(), |session| session.offers)
    }

    pub(crate) fn pulls(&self) -> bool {
        self.session.get().is_some_and(|session| session.pulls)
    }

    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        lock(&self.documents).get(uri).is_some()
    }

    /// Whether `generation` is what the document at `uri` is now.
    pub(crate) fn is_current(&self, uri: &Uri, generation: u64) -> bool {
        lock(&self.documents).get(uri).is_some_and(|document| document.generation == generation)
    }

    /// The document at `uri`, checked as it is now, and its generation; `None` when it is not open,
    /// or its check died.
    pub(crate) async fn current(self: &Arc<Self>, uri: &Uri) -> Option<(u64, Arc<Snapshot>)> {
        self.since(uri, |document, _| document).await
    }

    /// The document as it was opened or saved last, or as it is when nothing newer than that was
    /// checked.
    pub(crate) async fn as_saved(self: &Arc<Self>, uri: &Uri) -> Option<(u64, Arc<Snapshot>)> {
        self.since(uri, |_, saved| saved).await
    }

    /// A check of the document that is as new as the generation chosen of the two: that of its text
    /// and that of its last save.
    async fn since(
        self: &Arc<Self>,
        uri: &Uri,
        choose: fn(u64, u64) -> u64,
    ) -> Option<(u64, Arc<Snapshot>)> {
        let cell = lock(&self.documents).get(uri)?.cell.clone();
        let mut cached = cell.0.lock().await;
        let epoch = self.epoch();
        let joins = self.joins.load(Ordering::SeqCst);
        let job = {
            let documents = lock(&self.documents);
            let document = documents.get(uri)?;
            let wanted = choose(document.generation, document.saved);
            if let Some(known) = &*cached
                && known.generation >= wanted
                && known.epoch == epoch
                && known.joins == joins
            {
                return Some((known.generation, known.snapshot.clone()));
            }
            Job {
                uri: uri.clone(),
                place: document.place.clone(),
                version: document.version,
                generation: document.generation,
                text: document.text.as_str().to_owned(),
            }
        };
        let (state, generation) = (self.clone(), job.generation);
        let snapshot = Arc::new(spawn_blocking(move || state.check(job)).await.ok()?);
        *cached = Some(Cached { generation, epoch, joins, snapshot: snapshot.clone() });
        Some((generation, snapshot))
    }

    /// Checks a document; on a thread that may block.
    fn check(self: &Arc<Self>, job: Job) -> Snapshot {
        let (workspace, path) = self.roots_then_tell(|roots| roots.of(&job.place));
        let source = Source::new(path, job.text);
        let is_checked = match &job.place {
            Place::File(_) => workspace.checks(source.path()),
            Place::Untitled(_) => true,
        };
        let checked = if is_checked {
            let root = workspace.project.root();
            let over = Open { documents: &self.documents, root };
            let files = Overlay { over, under: &workspace.project.disk };
            self.tell_if_large(&source, workspace.engine.max_file_size());
            workspace.check(&source, &files)
        } else {
            Checked::default()
        };
        Snapshot {
            uri: job.uri,
            version: Some(job.version),
            source,
            checked,
            workspace,
            encoding: self.encoding(),
        }
    }

    fn tell_if_large(self: &Arc<Self>, source: &Source, limit: u64) {
        let size = source.text().len() as u64;
        if size > limit {
            let text = format!(
                "{}: {size} bytes are more than `maxFileSize` ({limit}): only searched for secrets",
                source.path()
            );
            // Its size changes with each key, the message should not.
            self.tell_once(MessageType::WARNING, source.path(), &text, false);
        }
    }

    /// Works with the roots, then tells the user what is wrong with their settings; on a thread that
    /// may block.
    pub(crate) fn roots_then_tell<T>(self: &Arc<Self>, work: impl FnOnce(&mut Roots) -> T) -> T {
        let (result, troubles) = {
            let mut roots = lock(&self.roots);
            (work(&mut roots), roots.troubles())
        };
        for trouble in troubles {
            self.tell_once(MessageType::ERROR, &trouble.message, &trouble.message, true);
            lock(&self.dirty).mark([trouble.root.join(aidd_engine::text::kind::CONFIG_PATH)]);
            self.touch();
        }
        result
    }

    /// Logs a message, or shows it, unless one with this key was told before.
    pub(crate) fn tell_once(
        self: &Arc<Self>,
        kind: MessageType,
        key: &str,
        text: &str,
        show: bool,
    ) {
        if !lock(&self.told).insert(key.to_owned()) {
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

    /// Says that findings in files that are not open may have changed.
    pub(crate) fn touch(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Wakes the task that sends the diagnostics of an open document.
    pub(crate) fn wake(&self, uri: &Uri) {
        if let Some(notify) = lock(&self.pushed).get(uri) {
            notify.notify_one();
        }
    }
}
