//! The project as a whole, as the editor sees it: the list of its files, and what the checks over
//! all of them found. Kept until files come, go or change.

use crate::documents::{Open, Place, lock};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::check::{Checked, Engine};
use aidd_engine::text::files::{Files, Overlay};
use aidd_engine::text::finding::Finding;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::relative;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::project_checks::{self, Settled};
use aidd_engine::workspace::walk::Kept;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// A list of files, and findings by path.
#[derive(Debug)]
pub struct Whole {
    /// The files of the project.
    pub listing: Listing,
    found: Arc<Settled>,
}

impl Whole {
    /// What is kept of a project, as it is now.
    pub(crate) fn of(kept: &Kept) -> Self {
        Self { listing: kept.listing(), found: kept.settled() }
    }

    /// What stands at `path`: the text that was looked at, empty for the file as such, and what was
    /// found in it.
    fn at(&self, path: &str) -> impl Iterator<Item = &(Source, Checked)> {
        self.found.get(path).into_iter().flat_map(|all| all.iter())
    }

    /// The findings at `path` that hold for `text`: those on the file as such, and those in a text
    /// that still is what was checked. `typed` is what is known of this text instead.
    pub(crate) fn findings(&self, path: &str, text: &str, typed: Option<&Checked>) -> Vec<Finding> {
        let holds = |(source, _): &&(Source, Checked)| {
            let seen = source.text();
            seen.is_empty() || typed.is_none() && seen == text
        };
        let found = self.at(path).filter(holds).map(|(_, checked)| checked).chain(typed);
        found.flat_map(|checked| checked.findings.iter().cloned()).collect()
    }

    /// Those of the findings on allow comments in `source` that nothing in the project needs; none
    /// where another text of it was looked at. `typed` is what is known of this text.
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
                // Of the file as such: any text of it may allow that.
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

/// Looks at the project of `workspace`; `None` when no rule asks for that.
pub(crate) fn look(workspace: &Workspace, files: &dyn Files) -> Option<Kept> {
    let (engine, project) = (&workspace.engine, &workspace.project);
    if !project_checks::has_any(engine) && !engine.asks_listing() {
        return None;
    }
    // A malformed glob is told of when the workspace is opened.
    Kept::new(engine, &project.config, &project.disk, files).ok()
}

/// Looks again at the projects that the files at `paths` belong to; on a thread that may block.
/// Whether any file may have other findings for it. What else changed [`rest`] looks for.
pub(crate) fn again(state: &Arc<State>, paths: &BTreeSet<PathBuf>) -> bool {
    let mut by_root: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    state.roots_then_tell(|roots| {
        for path in paths {
            let (workspace, path) = roots.of(&Place::File(path.clone()));
            let root = workspace.project.root().to_owned();
            by_root.entry(root).or_insert((workspace, BTreeSet::new())).1.insert(path);
        }
    });
    lock(&state.unrested).extend(by_root.keys().cloned());
    let look = |(workspace, paths): (Arc<Workspace>, BTreeSet<String>)| {
        looked(state, &workspace, |files, open| workspace.look_again(files, paths, open))
    };
    marked(state, by_root.into_values().flat_map(look).collect())
}

/// Looks for files that changed and that nobody told of, in the projects that were looked at again;
/// on a thread that may block. Whether any file may have other findings for it.
pub(crate) fn rest(state: &Arc<State>) -> bool {
    let is_all = state.is_told.load(Ordering::SeqCst);
    let due = std::mem::take(&mut *lock(&state.unrested));
    let look = |root: PathBuf| {
        let workspace = state.roots_then_tell(|roots| roots.workspace(&root));
        looked(state, &workspace, |files, open| workspace.look_for_rest(files, open, is_all))
    };
    marked(state, due.into_iter().flat_map(look).collect())
}

/// The files that a look at a project gives other findings; it is handed what may be read, and what
/// says which documents are open.
fn looked(
    state: &Arc<State>,
    workspace: &Workspace,
    look: impl FnOnce(&dyn Files, &dyn Fn() -> BTreeSet<String>) -> BTreeSet<String>,
) -> Vec<PathBuf> {
    let root = workspace.project.root();
    let over = Open { documents: &state.documents, root };
    let files = Overlay { over, under: &workspace.project.disk };
    let open = || {
        let open = lock(&state.documents).paths().into_iter();
        open.filter(|path| path.starts_with(root)).map(|path| relative(root, &path)).collect()
    };
    look(&files, &open).iter().map(|path| root.join(path)).collect()
}

/// Notes files that have other findings; whether there are any.
fn marked(state: &State, changed: Vec<PathBuf>) -> bool {
    if changed.is_empty() {
        return false;
    }
    lock(&state.dirty).mark(changed);
    state.joins.fetch_add(1, Ordering::SeqCst);
    true
}

/// The diagnostics at a path that is no file to check: a folder, or a file that should be there.
pub(crate) fn odd(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    path: &str,
) -> Option<(Uri, Vec<Diagnostic>)> {
    let root: &Path = workspace.project.root();
    let over = Open { documents: &state.documents, root };
    let whole = workspace.whole(&Overlay { over, under: &workspace.project.disk })?;
    let uri = Uri::from_file_path(root.join(path))?;
    let shown = shown(state, workspace, &whole, &uri, path);
    (!shown.is_empty()).then_some((uri, shown))
}

/// The diagnostics of the project pass at `path`.
pub(crate) fn shown(
    state: &Arc<State>,
    workspace: &Arc<Workspace>,
    whole: &Whole,
    uri: &Uri,
    path: &str,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (seen, checked) in whole.at(path) {
        let mut checked = checked.clone();
        workspace.judge(path, &mut checked);
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
