//! Project-wide data for the editor: the list of files, and the findings of project-wide checks.
//! Cached until files are created, deleted or changed.

use crate::documents::{OpenFiles, Place, lock};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::check::{Checked, Engine};
use aidd_engine::text::files::{Files, Overlay};
use aidd_engine::text::finding::Finding;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::relative;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::project_checks::{self, CheckedFiles};
use aidd_engine::workspace::walk::ProjectCache;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// A list of files, and findings by path.
#[derive(Debug)]
pub struct ProjectFindings {
    /// The files of the project.
    pub listing: Listing,
    found: Arc<CheckedFiles>,
}

impl ProjectFindings {
    /// The data of a project in its current state.
    pub(crate) fn of(kept: &ProjectCache) -> Self {
        Self { listing: kept.listing(), found: kept.checked_files() }
    }

    /// The checked text at `path`, empty for findings on the file itself, and its findings.
    fn at(&self, path: &str) -> impl Iterator<Item = &(Source, Checked)> {
        self.found.get(path).into_iter().flat_map(|all| all.iter())
    }

    /// The findings at `path` that are valid for `text`: those on the file itself, and those of a
    /// text that has not changed since the check. `typed` is what is known about this text instead.
    pub(crate) fn findings(&self, path: &str, text: &str, typed: Option<&Checked>) -> Vec<Finding> {
        let holds = |(source, _): &&(Source, Checked)| {
            let seen = source.text();
            seen.is_empty() || typed.is_none() && seen == text
        };
        let found = self.at(path).filter(holds).map(|(_, checked)| checked).chain(typed);
        found.flat_map(|checked| checked.findings.iter().cloned()).collect()
    }

    /// The findings on unused allow comments in `source`; empty if another text of it was checked.
    /// `typed` is what is known about this text.
    pub(crate) fn unused(
        &self,
        engine: &Engine,
        source: &Source,
        mut waiting: Vec<Finding>,
        typed: Option<&Checked>,
    ) -> Vec<Finding> {
        if let Some(typed) = typed {
            waiting.retain(|finding| !typed.allowing.contains(&finding.span));
        }
        for (seen, checked) in self.at(source.path()) {
            let allowing = match seen.text() {
                // A finding on the file itself: any text of the file can allow it.
                "" => engine.allow(source, &mut checked.findings.clone()),
                _ if typed.is_some() => continue,
                text if text == source.text() => checked.allowing.clone(),
                _ => return Vec::new(),
            };
            waiting.retain(|finding| !allowing.contains(&finding.span));
        }
        waiting
    }

    /// The paths with findings.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }
}

/// Checks the project of `workspace`; `None` if no rule needs project-wide data.
pub(crate) fn check_project(workspace: &Workspace, files: &dyn Files) -> Option<ProjectCache> {
    let (engine, project) = (&workspace.engine, &workspace.project);
    if !project_checks::has_any(engine) && !engine.needs_listing() {
        return None;
    }
    // A malformed glob is reported when the workspace is opened.
    ProjectCache::new(engine, &project.config, &project.disk, files).ok()
}

/// Rechecks the projects of the files at `paths`; blocking. Returns whether any file can have other
/// findings as a result. [`scan_unreported`] finds other changes.
pub(crate) fn again(state: &Arc<State>, paths: &BTreeSet<PathBuf>) -> bool {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    state.roots_then_notify(|roots| {
        for path in paths {
            let (workspace, path) = roots.of(&Place::File(path.clone()));
            let root = workspace.project.root().to_owned();
            by_root.entry(root).or_insert((workspace, BTreeSet::new())).1.insert(path);
        }
    });
    lock(&state.unscanned_roots).extend(by_root.keys().cloned());
    let look = |(workspace, paths): (Arc<Workspace>, BTreeSet<String>)| {
        looked(state, &workspace, |files, open| workspace.look_again(files, paths, open))
    };
    marked(state, by_root.into_values().flat_map(look).collect())
}

/// Finds unreported file changes in the rechecked projects; blocking. Returns whether any file can
/// have other findings as a result.
pub(crate) fn scan_unreported(state: &Arc<State>) -> bool {
    let is_all = state.has_file_events.load(Ordering::SeqCst);
    let due = std::mem::take(&mut *lock(&state.unscanned_roots));
    let look = |root: PathBuf| {
        let workspace = state.roots_then_notify(|roots| roots.workspace(&root));
        looked(state, &workspace, |files, open| workspace.look_for_rest(files, open, is_all))
    };
    marked(state, due.into_iter().flat_map(look).collect())
}

/// The files whose findings change with a recheck of a project. The closure receives the readable
/// files and the set of open documents.
fn looked(
    state: &Arc<State>,
    workspace: &Workspace,
    look: impl FnOnce(&dyn Files, &dyn Fn() -> BTreeSet<String>) -> BTreeSet<String>,
) -> Vec<PathBuf> {
    let root = workspace.project.root();
    let over = OpenFiles { documents: &state.documents, root };
    let files = Overlay { over, under: &workspace.project.disk };
    let open = || {
        let open = lock(&state.documents).paths().into_iter();
        open.filter(|path| path.starts_with(root)).map(|path| relative(root, &path)).collect()
    };
    look(&files, &open).iter().map(|path| root.join(path)).collect()
}

/// Records files with changed findings; returns whether there are any.
fn marked(state: &State, changed: Vec<PathBuf>) -> bool {
    if changed.is_empty() {
        return false;
    }
    lock(&state.dirty).mark(changed);
    state.joins.fetch_add(1, Ordering::SeqCst);
    true
}

/// The diagnostics at a path that is not a file to check: a directory, or a file that should exist.
pub(crate) fn odd(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    path: &str,
) -> Option<(Uri, Vec<Diagnostic>)> {
    let root: &Path = workspace.project.root();
    let over = OpenFiles { documents: &state.documents, root };
    let whole = workspace.project_findings(&Overlay { over, under: &workspace.project.disk })?;
    let uri = Uri::from_file_path(root.join(path))?;
    let shown = diagnostics(state, workspace, &whole, &uri, path);
    (!shown.is_empty()).then_some((uri, shown))
}

/// The diagnostics of project-wide checks at `path`.
pub(crate) fn diagnostics(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    whole: &ProjectFindings,
    uri: &Uri,
    path: &str,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (seen, checked) in whole.at(path) {
        let mut checked = checked.clone();
        workspace.apply_baseline(path, &mut checked);
        let snapshot = Snapshot {
            uri: uri.clone(),
            version: None,
            source: Source::new(path, seen.text()),
            checked,
            workspace: workspace.clone(),
            encoding: state.encoding(),
        };
        all.extend(crate::diagnostics::of(state, &snapshot));
    }
    all
}
