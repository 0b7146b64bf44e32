//! The pass over files that are not open: one thread, a few files at a time, so that whoever types
//! notices nothing and whoever cancels is heard.

use crate::documents::{Open, Place, lock};
use crate::roots;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::files::Overlay;
use aidd_engine::paths::relative;
use aidd_engine::walk::{self, FileReport};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// How many files are checked between two looks at what else there is to do.
const CHUNK: usize = 32;

/// Which files to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All in the folders of the client.
    All,
    /// These, if they are there.
    Files(BTreeSet<PathBuf>),
}

/// What a pass tells on its way.
#[derive(Debug)]
pub(crate) enum News {
    /// How many files there are.
    Total(usize),
    /// Some more files are checked; those with findings to show.
    Checked { files: usize, found: Vec<(Uri, Vec<Diagnostic>)> },
}

/// Stops a pass when it is dropped: a request that was cancelled drops what it waits for.
#[derive(Debug, Default)]
pub(crate) struct Stop(pub(crate) Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Begins a pass. Files that are open are left out: their text is not that of the disk.
pub(crate) fn begin(
    state: &Arc<State>,
    scope: Scope,
    stop: Arc<AtomicBool>,
) -> mpsc::Receiver<News> {
    // A client that reads slowly slows the pass down.
    let (tell, told) = mpsc::channel(4);
    let state = state.clone();
    spawn_blocking(move || run(&state, &scope, &stop, &tell));
    told
}

fn run(state: &Arc<State>, scope: &Scope, stop: &AtomicBool, tell: &mpsc::Sender<News>) {
    let mut work = match scope {
        Scope::All => {
            let files = roots::files(&state.roots);
            state.roots_then_tell(|_| files)
        }
        Scope::Files(paths) => listed(state, paths),
    };
    let open = lock(&state.documents).paths();
    for (workspace, paths) in &mut work {
        let root = workspace.project.root();
        for path in open.iter().filter(|path| path.starts_with(root)) {
            paths.remove(&relative(root, path));
        }
    }
    let total = work.iter().map(|(_, paths)| paths.len()).sum();
    if tell.blocking_send(News::Total(total)).is_err() {
        return;
    }
    for (workspace, paths) in &work {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for chunk in paths.chunks(CHUNK) {
            let found = check(state, workspace, chunk, stop);
            let news = News::Checked { files: chunk.len(), found };
            if stop.load(Ordering::Relaxed) || tell.blocking_send(news).is_err() {
                return;
            }
        }
    }
}

/// The files among `paths` that are there and that a run would check.
fn listed(
    state: &Arc<State>,
    paths: &BTreeSet<PathBuf>,
) -> Vec<(Arc<Workspace>, BTreeSet<String>)> {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let place = Place::File(path.clone());
        let (workspace, relative) = state.roots_then_tell(|roots| roots.of(&place));
        if workspace.checks(&relative) {
            let root = workspace.project.root().to_owned();
            by_root.entry(root).or_insert((workspace, BTreeSet::new())).1.insert(relative);
        }
    }
    by_root.into_values().collect()
}

fn check(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    paths: &[&str],
    stop: &AtomicBool,
) -> Vec<(Uri, Vec<Diagnostic>)> {
    let disk = &workspace.project.disk;
    let over = Open { documents: &state.documents, root: disk.root() };
    let files = Overlay { over, under: disk };
    let paths = paths.iter().copied();
    let outcome = walk::check_listed(&workspace.engine, disk, &files, paths, stop);
    let mut found: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for FileReport { source, mut checked } in outcome.files {
        let Some(uri) = Uri::from_file_path(disk.root().join(source.path())) else { continue };
        workspace.judge(source.path(), &mut checked);
        let snapshot = Snapshot {
            uri: uri.clone(),
            version: None,
            source,
            checked,
            workspace: workspace.clone(),
            encoding: state.encoding(),
        };
        let shown = crate::diagnostics::of(state, &snapshot);
        if !shown.is_empty() {
            found.entry(uri).or_default().extend(shown);
        }
    }
    found.into_iter().collect()
}

/// The path of what is a file on the disk.
pub(crate) fn file(uri: &Uri) -> Option<PathBuf> {
    match Place::of(uri, "")? {
        Place::File(path) => Some(path),
        Place::Untitled(_) => None,
    }
}
