//! The pass over files that are not open: one thread, a few files at a time, so that typing is not
//! delayed and cancellation takes effect quickly.

use crate::documents::{OpenFiles, Place, lock};
use crate::project_wide;
use crate::roots;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::text::files::{Listed, Overlay};
use aidd_engine::text::paths::relative;
use aidd_engine::workspace::walk::{self, FileReport};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// Number of files checked before the pass yields to other work.
const CHUNK: usize = 32;

/// Which files to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All files in the folders of the client.
    All,
    /// These files, if they exist.
    Files(BTreeSet<PathBuf>),
}

/// Progress events of a pass.
#[derive(Debug)]
pub(crate) enum PassEvent {
    /// The total number of files.
    Total(usize),
    /// More files were checked; contains those with findings to show.
    Checked { files: usize, found: Vec<(Uri, Vec<Diagnostic>)> },
}

/// Stops a pass on drop: a cancelled request drops what it waits for.
#[derive(Debug, Default)]
pub(crate) struct Stop(pub(crate) Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a pass. Skips open files, because their text differs from the file on disk.
pub(crate) fn begin(
    state: &Arc<State>,
    scope: Scope,
    stop: Arc<AtomicBool>,
) -> mpsc::Receiver<PassEvent> {
    // A slow client slows the pass down.
    let (notify, reported) = mpsc::channel(4);
    let state = state.clone();
    spawn_blocking(move || run(&state, &scope, &stop, &notify));
    reported
}

fn run(state: &Arc<State>, scope: &Scope, stop: &AtomicBool, notify: &mpsc::Sender<PassEvent>) {
    let mut work = match scope {
        Scope::All => {
            let files = roots::files(&state.roots);
            state.roots_then_notify(|_| files)
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
    if notify.blocking_send(PassEvent::Total(total)).is_err() {
        return;
    }
    let odd = odd(state, scope, &work, &open);
    let odd = odd.iter().filter_map(|(workspace, path)| project_wide::odd(state, workspace, path));
    let odd: Vec<(Uri, Vec<Diagnostic>)> = odd.collect();
    if !odd.is_empty() && notify.blocking_send(PassEvent::Checked { files: 0, found: odd }).is_err()
    {
        return;
    }
    for (workspace, paths) in &work {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for chunk in paths.chunks(CHUNK) {
            let found = check(state, workspace, chunk, stop);
            let news = PassEvent::Checked { files: chunk.len(), found };
            if stop.load(Ordering::Relaxed) || notify.blocking_send(news).is_err() {
                return;
            }
        }
    }
}

/// The paths with project-wide findings that are not files to check.
fn odd(
    state: &Arc<State>,
    scope: &Scope,
    work: &[(Arc<Workspace>, BTreeSet<String>)],
    open: &[PathBuf],
) -> Vec<(Arc<Workspace>, String)> {
    match scope {
        Scope::All => {
            let of = |(workspace, paths): &(Arc<Workspace>, BTreeSet<String>)| {
                let root = workspace.project.root();
                let over = OpenFiles { documents: &state.documents, root };
                let project =
                    workspace.project_findings(&Overlay { over, under: &workspace.project.disk });
                let found = project.iter().flat_map(|project| project.paths());
                let odd =
                    found.filter(|path| !paths.contains(*path) && !open.contains(&root.join(path)));
                odd.map(|path| (workspace.clone(), path.to_owned())).collect::<Vec<_>>()
            };
            work.iter().flat_map(of).collect()
        }
        Scope::Files(paths) => {
            let odd = paths.iter().filter(|path| !path.is_file() && !open.contains(path));
            odd.map(|path| state.roots_then_notify(|roots| roots.of(&Place::File(path.clone()))))
                .collect()
        }
    }
}

/// The existing files among `paths` that a run would check.
fn listed(
    state: &Arc<State>,
    paths: &BTreeSet<PathBuf>,
) -> Vec<(Arc<Workspace>, BTreeSet<String>)> {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let place = Place::File(path.clone());
        let (workspace, relative) = state.roots_then_notify(|roots| roots.of(&place));
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
    let over = OpenFiles { documents: &state.documents, root: disk.root() };
    let files = Overlay { over, under: disk };
    let project = workspace.project_findings(&files);
    let engine = &workspace.engine;
    let these = paths.iter().copied();
    let outcome = match &project {
        Some(project) => {
            let files = Listed { files: &files, listing: &project.listing };
            walk::check_listed(engine, disk, &files, these, stop)
        }
        None => walk::check_listed(engine, disk, &files, these, stop),
    };
    let mut found: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for path in paths {
        let Some(project) = &project else { break };
        let Some(uri) = Uri::from_file_path(disk.root().join(path)) else { continue };
        let shown = project_wide::diagnostics(state, workspace, project, &uri, path);
        if !shown.is_empty() {
            found.entry(uri).or_default().extend(shown);
        }
    }
    let waiting = outcome.waiting.into_iter().filter_map(|FileReport { source, mut checked }| {
        checked.findings = project.as_ref()?.unused(engine, &source, checked.findings, None);
        Some(FileReport { source, checked })
    });
    for FileReport { source, mut checked } in waiting.chain(outcome.files) {
        let Some(uri) = Uri::from_file_path(disk.root().join(source.path())) else { continue };
        workspace.apply_baseline(source.path(), &mut checked);
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

/// The path of a document that is a file on disk.
pub(crate) fn file(uri: &Uri) -> Option<PathBuf> {
    match Place::from_uri(uri, "")? {
        Place::File(path) => Some(path),
        Place::Untitled(_) => None,
    }
}
