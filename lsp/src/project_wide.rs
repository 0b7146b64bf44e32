//! Project-wide data for the editor: the list of files, and the findings of project-wide checks.
//! Cached until files are created, deleted or changed.

use crate::documents::{DocumentLocation, OpenFiles, lock};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::check::{CheckResult, Engine};
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

/// The files of a project, and the findings of its project-wide checks by path.
#[derive(Debug)]
pub struct ProjectFindings {
    /// The files of the project.
    pub listing: Listing,
    found: Arc<CheckedFiles>,
}

impl ProjectFindings {
    /// The current data of `cache`.
    pub(crate) fn from_cache(cache: &ProjectCache) -> Self {
        Self { listing: cache.listing(), found: cache.checked_files() }
    }

    /// The checked texts at `path` and their findings. The text is empty for findings on the file
    /// itself.
    fn checked_texts(&self, path: &str) -> impl Iterator<Item = &(Source, CheckResult)> {
        self.found.get(path).into_iter().flat_map(|all| all.iter())
    }

    /// The findings at `path` that are valid for `text`: findings on the file itself, and findings
    /// in a text that has not changed since the check. `unsaved` is the check result for `text` if
    /// `text` has changed; its findings replace the findings in the earlier text.
    pub(crate) fn findings(
        &self,
        path: &str,
        text: &str,
        unsaved: Option<&CheckResult>,
    ) -> Vec<Finding> {
        let is_valid = |(source, _): &&(Source, CheckResult)| {
            let checked_text = source.text();
            checked_text.is_empty() || unsaved.is_none() && checked_text == text
        };
        let found =
            self.checked_texts(path).filter(is_valid).map(|(_, checked)| checked).chain(unsaved);
        found.flat_map(|checked| checked.findings.iter().cloned()).collect()
    }

    /// The findings of `pending_allows` (findings on allow comments in `source`) whose comments
    /// allow no project-wide finding. Empty if a different text of the file was checked. `unsaved`
    /// is the check result for the text of `source` if the text has changed.
    pub(crate) fn unused_allows(
        &self,
        engine: &Engine,
        source: &Source,
        mut pending_allows: Vec<Finding>,
        unsaved: Option<&CheckResult>,
    ) -> Vec<Finding> {
        if let Some(unsaved) = unsaved {
            pending_allows.retain(|finding| !unsaved.allowing.contains(&finding.span));
        }
        for (checked_source, checked) in self.checked_texts(source.path()) {
            let allowing = match checked_source.text() {
                // A finding on the file itself: any text of the file can allow it.
                "" => engine.allow(source, &mut checked.findings.clone()),
                _ if unsaved.is_some() => continue,
                text if text == source.text() => checked.allowing.clone(),
                _ => return Vec::new(),
            };
            pending_allows.retain(|finding| !allowing.contains(&finding.span));
        }
        pending_allows
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

/// Rechecks the projects of the files at `paths`; blocking. Returns whether the findings in any
/// file can have changed. [`scan_unreported`] finds the changes that the client did not report.
pub(crate) fn recheck(state: &Arc<State>, paths: &BTreeSet<PathBuf>) -> bool {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    state.with_roots_then_report_errors(|roots| {
        for path in paths {
            let (workspace, path) = roots.locate(&DocumentLocation::File(path.clone()));
            let root = workspace.project.root().to_owned();
            by_root.entry(root).or_insert((workspace, BTreeSet::new())).1.insert(path);
        }
    });
    lock(&state.unscanned_roots).extend(by_root.keys().cloned());
    let update = |(workspace, paths): (Arc<Workspace>, BTreeSet<String>)| {
        update_project(state, &workspace, |files, open| workspace.recheck_paths(files, paths, open))
    };
    mark_changed(state, by_root.into_values().flat_map(update).collect())
}

/// Finds unreported file changes in the rechecked projects; blocking. Returns whether the findings
/// in any file can have changed.
pub(crate) fn scan_unreported(state: &Arc<State>) -> bool {
    let has_file_events = state.has_file_events.load(Ordering::SeqCst);
    let due_roots = std::mem::take(&mut *lock(&state.unscanned_roots));
    let update = |root: PathBuf| {
        let workspace = state.with_roots_then_report_errors(|roots| roots.workspace(&root));
        update_project(state, &workspace, |files, open| {
            workspace.find_unreported_changes(files, open, has_file_events)
        })
    };
    mark_changed(state, due_roots.into_iter().flat_map(update).collect())
}

/// Rechecks a project with `update`, and returns the files whose findings changed. `update`
/// receives the readable files and a function that returns the paths of the open documents.
fn update_project(
    state: &Arc<State>,
    workspace: &Workspace,
    update: impl FnOnce(&dyn Files, &dyn Fn() -> BTreeSet<String>) -> BTreeSet<String>,
) -> Vec<PathBuf> {
    let root = workspace.project.root();
    let over = OpenFiles { documents: &state.documents, root };
    let files = Overlay { over, under: &workspace.project.disk };
    let open = || {
        let open = lock(&state.documents).paths().into_iter();
        open.filter(|path| path.starts_with(root)).map(|path| relative(root, &path)).collect()
    };
    update(&files, &open).iter().map(|path| root.join(path)).collect()
}

/// Marks the files with changed findings; returns whether `changed` is not empty.
fn mark_changed(state: &State, changed: Vec<PathBuf>) -> bool {
    if changed.is_empty() {
        return false;
    }
    lock(&state.dirty).mark(changed);
    state.project_epoch.fetch_add(1, Ordering::SeqCst);
    true
}

/// The diagnostics at a path without a file to check: a directory, or a missing file.
pub(crate) fn diagnostics_without_file(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    path: &str,
) -> Option<(Uri, Vec<Diagnostic>)> {
    let root: &Path = workspace.project.root();
    let over = OpenFiles { documents: &state.documents, root };
    let findings = workspace.project_findings(&Overlay { over, under: &workspace.project.disk })?;
    let uri = Uri::from_file_path(root.join(path))?;
    let shown = diagnostics(state, workspace, &findings, &uri, path);
    (!shown.is_empty()).then_some((uri, shown))
}

/// The diagnostics of project-wide checks at `path`.
pub(crate) fn diagnostics(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    findings: &ProjectFindings,
    uri: &Uri,
    path: &str,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (checked_source, checked) in findings.checked_texts(path) {
        let mut checked = checked.clone();
        let source = Source::new(path, checked_source.text());
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
        all.extend(crate::diagnostics::client_diagnostics(state, &snapshot));
    }
    all
}
