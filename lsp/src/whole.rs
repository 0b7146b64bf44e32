//! The project as a whole, as the editor sees it: the list of its files, and what the checks over
//! all of them found. Kept until files come, go or change.

use crate::documents::{Open, Place, lock};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::workspace::Workspace;
use aidd_engine::files::{Files, Overlay};
use aidd_engine::finding::Finding;
use aidd_engine::listing::Listing;
use aidd_engine::project_checks;
use aidd_engine::source::Source;
use aidd_engine::walk::{self, FileReport, Outcome, Walk};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// A list of files, and findings by path.
#[derive(Debug)]
pub struct Whole {
    /// The files of the project.
    pub listing: Listing,
    found: BTreeMap<String, Vec<FileReport>>,
}

impl Whole {
    /// The findings at `path` that hold for `text`: those on the file as such, and those in a text
    /// that still is what was checked.
    pub(crate) fn findings(&self, path: &str, text: &str) -> Vec<Finding> {
        let reports = self.found.get(path).into_iter().flatten();
        let holds =
            |report: &&FileReport| report.source.text().is_empty() || report.source.text() == text;
        reports.filter(holds).flat_map(|report| report.checked.findings.iter().cloned()).collect()
    }

    /// The paths with findings.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }

    /// What is found at each path, in short.
    fn ids(&self) -> BTreeSet<(&str, &str, &str)> {
        let reports = self.found.iter();
        let findings = reports.flat_map(|(path, all)| {
            all.iter().flat_map(move |report| {
                let findings = report.checked.findings.iter();
                findings.map(move |one| (path.as_str(), one.id.as_str(), one.message.as_str()))
            })
        });
        findings.collect()
    }
}

/// Looks at the project of `workspace`; `None` when no rule asks for that.
pub(crate) fn look(workspace: &Workspace, files: &dyn Files) -> Option<Whole> {
    let engine = &workspace.engine;
    if !project_checks::has_any(engine) && !engine.asks_listing() {
        return None;
    }
    let project = &workspace.project;
    let listing =
        walk::listing(engine, &project.disk, &Walk::over(vec![project.root().to_owned()]));
    let mut outcome = Outcome::default();
    // A malformed glob is told of when the workspace is opened.
    let _ = walk::joined(engine, &project.config, files, &listing, &mut outcome);
    let mut found: BTreeMap<String, Vec<FileReport>> = BTreeMap::new();
    for report in outcome.joined {
        found.entry(report.source.path().to_owned()).or_default().push(report);
    }
    Some(Whole { listing, found })
}

/// The paths whose findings differ.
pub(crate) fn changes(before: Option<&Whole>, after: Option<&Whole>) -> BTreeSet<String> {
    let ids = |whole: Option<&Whole>| -> BTreeSet<(String, String, String)> {
        let all = whole.map(Whole::ids).unwrap_or_default().into_iter();
        all.map(|(path, id, said)| (path.to_owned(), id.to_owned(), said.to_owned())).collect()
    };
    let (before, after) = (ids(before), ids(after));
    before.symmetric_difference(&after).map(|(path, ..)| path.clone()).collect()
}

/// Looks again at the projects that the files at `paths` belong to; on a thread that may block.
/// Whether any file may have other findings for it.
pub(crate) fn again(state: &Arc<State>, paths: &[PathBuf]) -> bool {
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut changed: Vec<PathBuf> = Vec::new();
    for path in paths {
        let place = Place::File(path.clone());
        let (workspace, _) = state.roots_then_tell(|roots| roots.of(&place));
        let root = workspace.project.root();
        if seen.insert(root.to_owned()) {
            let over = Open { documents: &state.documents, root };
            let files = Overlay { over, under: &workspace.project.disk };
            changed.extend(workspace.look_again(&files).iter().map(|path| root.join(path)));
        }
    }
    if changed.is_empty() {
        return false;
    }
    lock(&state.dirty).extend(changed);
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
    for report in whole.found.get(path).into_iter().flatten() {
        let mut checked = report.checked.clone();
        workspace.judge(path, &mut checked);
        let snapshot = Snapshot {
            uri: uri.clone(),
            version: None,
            source: Source::new(path, report.source.text()),
            checked,
            workspace: workspace.clone(),
            encoding: state.encoding(),
        };
        all.extend(crate::diagnostics::of(state, &snapshot));
    }
    all
}
