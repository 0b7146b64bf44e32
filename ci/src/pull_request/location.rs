//! Paths as CI systems display them: relative to the root of the repository, even if the project is
//! in a subdirectory.

use crate::saved::Saved;
use aidd_engine::forms::commits;
use aidd_engine::project::git::Repository;
use aidd_engine::rules::registry::Registry;
use aidd_report::project::Project;
use std::path::{Path, PathBuf};

/// Location of a project in its repository.
pub(super) struct ProjectLocation {
    /// The root directory of the repository.
    pub(super) top: PathBuf,
    /// The project's path relative to the repository root, with a trailing slash; empty for the
    /// root.
    prefix: String,
}

impl ProjectLocation {
    /// The location of `project`; without a repository, the project root counts as the repository
    /// root.
    pub(super) fn from_project(project: &Project) -> Self {
        let root = project.root();
        let prefix = Repository::open(root).map(|repository| repository.prefix());
        let prefix = prefix.unwrap_or_default();
        let top = root.ancestors().nth(prefix.matches('/').count()).unwrap_or(root);
        Self { top: top.to_owned(), prefix }
    }

    /// The rules with page paths relative to the repository root; `None` if the project is at that
    /// root.
    pub(super) fn rules(&self, project: &Project) -> Option<Registry> {
        let page = |(path, text): &(String, String)| (self.full_path(path), text.clone());
        let pages = || project.pages.iter().map(page).collect::<Vec<_>>();
        (!self.prefix.is_empty()).then(|| Registry::new(project.distribution().pages, &pages()))
    }

    /// Makes all paths of a report relative to the repository root.
    pub(super) fn prefix_paths(&self, saved: &mut Saved) {
        if self.prefix.is_empty() {
            return;
        }
        let document = &mut saved.document;
        for finding in &mut document.findings {
            finding.path = self.full_path(&finding.path);
            for location in &mut finding.related {
                location.path = self.full_path(&location.path);
            }
        }
        for weakening in
            document.comparison.iter_mut().flat_map(|comparison| &mut comparison.weakened)
        {
            weakening.path = self.full_path(&weakening.path);
        }
        for file in document.skipped.iter_mut().filter(|file| file.path != ".") {
            file.path = self.full_path(&file.path);
        }
        let lines = std::mem::take(&mut document.line_hashes).into_iter();
        document.line_hashes =
            lines.map(|(path, hashes)| (self.full_path(&path), hashes)).collect();
        let lines = std::mem::take(&mut saved.diff_lines).into_iter();
        saved.diff_lines = lines.map(|(path, ranges)| (self.full_path(&path), ranges)).collect();
    }

    fn full_path(&self, path: &str) -> String {
        if commits::is_virtual_path(path) {
            return path.to_owned();
        }
        format!("{}{path}", self.prefix)
    }
}

/// The commit that is checked out at `root`.
pub(super) fn head_commit(root: &Path) -> Option<String> {
    Repository::open(root).ok()?.commit("HEAD").ok()
}
