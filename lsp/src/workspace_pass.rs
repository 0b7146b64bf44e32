//! The pass over files that are not open: one thread, a few files at a time, so that typing is not
//! delayed and cancellation takes effect quickly.

use crate::documents::{DocumentLocation, OpenFiles, lock};
use crate::project_wide::{self, ProjectFindings};
use crate::roots;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::text::files::{Listed, Overlay};
use aidd_engine::text::listing::Listing;
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

/// The memory of compiled patterns in bytes at which a pass over all files compiles them again for the
/// remaining files.
const MAX_PATTERN_MEMORY: usize = 24 << 20;

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
    /// Files were checked. Contains the number of files, and the diagnostics of files with
    /// findings.
    Checked { files: usize, found: Vec<(Uri, Vec<Diagnostic>)> },
}

/// Stops a pass when dropped: if a request is cancelled, its future is dropped.
#[derive(Debug, Default)]
pub(crate) struct Stop(pub(crate) Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a pass. Skips open files, because their text differs from the file on disk.
pub(crate) fn begin_pass(
    state: &Arc<State>,
    scope: Scope,
    stop: Arc<AtomicBool>,
) -> mpsc::Receiver<PassEvent> {
    // The channel is bounded, so a slow client slows the pass down.
    let (sender, receiver) = mpsc::channel(4);
    let worker_state = state.clone();
    let is_over_all = scope == Scope::All;
    let job = move || run(&worker_state, &scope, &stop, &sender);
    if is_over_all {
        state.pass_thread.run(job);
    } else {
        spawn_blocking(job);
    }
    receiver
}

fn run(state: &Arc<State>, scope: &Scope, stop: &AtomicBool, events: &mpsc::Sender<PassEvent>) {
    let mut work = match scope {
        Scope::All => {
            let files = roots::files(&state.roots);
            state.with_roots_then_report_errors(|_| files)
        }
        Scope::Files(paths) => files_to_check(state, paths),
    };
    let open = lock(&state.documents).paths();
    for (workspace, paths) in &mut work {
        let root = workspace.project.root();
        for path in open.iter().filter(|path| path.starts_with(root)) {
            paths.remove(&relative(root, path));
        }
    }
    let total = work.iter().map(|(_, paths)| paths.len()).sum();
    if events.blocking_send(PassEvent::Total(total)).is_err() {
        return;
    }
    let without_file = paths_without_file(state, scope, &work, &open);
    let without_file = without_file.iter().filter_map(|(workspace, path)| {
        project_wide::diagnostics_without_file(state, workspace, path)
    });
    let without_file: Vec<(Uri, Vec<Diagnostic>)> = without_file.collect();
    if !without_file.is_empty()
        && events.blocking_send(PassEvent::Checked { files: 0, found: without_file }).is_err()
    {
        return;
    }
    for (workspace, paths) in &work {
        let mut paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        // Files of one kind need the same expressions.
        paths.sort_by_key(|path| extension(path));
        // The expressions of nearly all rules are compiled for all files of a project, and need far
        // more memory than those for the open documents: it is freed during and after the pass.
        let mut own_engine = None;
        let mut shared = SharedValues::default();
        for chunk in paths.chunks(CHUNK) {
            if *scope == Scope::All {
                own_engine
                    .take_if(|engine: &mut Engine| engine.pattern_memory() > MAX_PATTERN_MEMORY);
                if own_engine.is_none() {
                    own_engine = workspace.project.engine(&Selection::default()).ok();
                }
            }
            let engine = own_engine.as_ref().unwrap_or(&workspace.engine);
            let found = check(state, (workspace, engine), (chunk, &mut shared), stop);
            #[cfg(test)]
            state.files_checked.fetch_add(chunk.len(), Ordering::SeqCst);
            let event = PassEvent::Checked { files: chunk.len(), found };
            if stop.load(Ordering::Relaxed) || events.blocking_send(event).is_err() {
                return;
            }
        }
    }
}

/// The values that the files of a pass share, such as the translations of a project. Only a pass uses
/// them, so they are freed after it.
#[derive(Default)]
struct SharedValues(Option<(Arc<ProjectFindings>, Listing)>);

impl SharedValues {
    /// The listing of `project`, with the values so far if the project has not changed.
    fn listing(&mut self, project: &Arc<ProjectFindings>) -> &Listing {
        let current = self.0.take().filter(|(known, _)| Arc::ptr_eq(known, project));
        let current =
            current.unwrap_or_else(|| (project.clone(), project.listing.without_answers()));
        &self.0.insert(current).1
    }
}

/// The extension of a path, or its name if it has none.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(_, extension)| extension)
}

/// The paths that have project-wide findings but are not files to check.
fn paths_without_file(
    state: &Arc<State>,
    scope: &Scope,
    work: &[(Arc<Workspace>, BTreeSet<String>)],
    open: &[PathBuf],
) -> Vec<(Arc<Workspace>, String)> {
    match scope {
        Scope::All => {
            let missing_in = |(workspace, paths): &(Arc<Workspace>, BTreeSet<String>)| {
                let root = workspace.project.root();
                let over = OpenFiles { documents: &state.documents, root };
                let project =
                    workspace.project_findings(&Overlay { over, under: &workspace.project.disk });
                let found = project.iter().flat_map(|project| project.paths());
                let missing =
                    found.filter(|path| !paths.contains(*path) && !open.contains(&root.join(path)));
                missing.map(|path| (workspace.clone(), path.to_owned())).collect::<Vec<_>>()
            };
            work.iter().flat_map(missing_in).collect()
        }
        Scope::Files(paths) => {
            let missing = paths.iter().filter(|path| !path.is_file() && !open.contains(path));
            missing
                .map(|path| {
                    state.with_roots_then_report_errors(|roots| {
                        roots.locate(&DocumentLocation::File(path.clone()))
                    })
                })
                .collect()
        }
    }
}

/// The existing files among `paths` that a run would check.
fn files_to_check(
    state: &Arc<State>,
    paths: &BTreeSet<PathBuf>,
) -> Vec<(Arc<Workspace>, BTreeSet<String>)> {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let location = DocumentLocation::File(path.clone());
        let (workspace, relative) =
            state.with_roots_then_report_errors(|roots| roots.locate(&location));
        let root = workspace.project.root().to_owned();
        by_root.entry(root).or_insert((workspace, BTreeSet::new())).1.insert(relative);
    }
    let checked_of = |(workspace, paths): (Arc<Workspace>, BTreeSet<String>)| {
        let checked = workspace.checked_of(paths);
        (workspace, checked)
    };
    by_root.into_values().map(checked_of).collect()
}

fn check(
    state: &Arc<State>,
    (workspace, engine): (&Arc<Workspace>, &Engine),
    (paths, shared): (&[&str], &mut SharedValues),
    stop: &AtomicBool,
) -> Vec<(Uri, Vec<Diagnostic>)> {
    let disk = &workspace.project.disk;
    let over = OpenFiles { documents: &state.documents, root: disk.root() };
    let files = Overlay { over, under: disk };
    let project = workspace.project_findings(&files);
    let paths_to_check = paths.iter().copied();
    let outcome = match &project {
        Some(project) => {
            let files = Listed { files: &files, listing: shared.listing(project) };
            walk::check_listed(engine, disk, &files, paths_to_check, stop)
        }
        None => walk::check_listed(engine, disk, &files, paths_to_check, stop),
    };
    let mut found: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for path in paths {
        let Some(project) = &project else { break };
        let Some(uri) = Uri::from_file_path(disk.root().join(path)) else { continue };
        let diagnostics = project_wide::diagnostics(state, workspace, project, &uri, path);
        if !diagnostics.is_empty() {
            found.entry(uri).or_default().extend(diagnostics);
        }
    }
    let pending_allows =
        outcome.pending_allows.into_iter().filter_map(|FileReport { source, mut checked }| {
            checked.findings =
                project.as_ref()?.unused_allows(engine, &source, checked.findings, None);
            Some(FileReport { source, checked })
        });
    for FileReport { source, mut checked } in pending_allows.chain(outcome.files) {
        let Some(uri) = Uri::from_file_path(disk.root().join(source.path())) else { continue };
        workspace.apply_baseline(&source, &mut checked);
        let snapshot = Snapshot {
            failed_examples: Vec::new(),
            uri: uri.clone(),
            version: None,
            source,
            checked,
            workspace: workspace.clone(),
            encoding: state.encoding(),
        };
        let diagnostics = crate::diagnostics::client_diagnostics(state, &snapshot);
        if !diagnostics.is_empty() {
            found.entry(uri).or_default().extend(diagnostics);
        }
    }
    found.into_iter().collect()
}

/// The path of a document that is a file on disk.
pub(crate) fn file_path(uri: &Uri) -> Option<PathBuf> {
    match DocumentLocation::from_uri(uri, "")? {
        DocumentLocation::File(path) => Some(path),
        DocumentLocation::Untitled(_) => None,
    }
}
