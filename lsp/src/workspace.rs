//! One project as the editor sees it: its engine, its baseline, and which of its files are checked.

use aidd_engine::baseline::Baseline;
use aidd_engine::check::{Checked, Engine, Selection};
use aidd_engine::files::Files;
use aidd_engine::project::{Project, ProjectError};
use aidd_engine::source::Source;
use std::collections::HashMap;
use std::path::Path;

/// One project (root with `.aidd` or `.git`) with its engine; immutable, replaced as a whole on
/// reload.
#[derive(Debug)]
pub struct Workspace {
    /// Root, settings and rule pages.
    pub project: Project,
    /// The rules that run.
    pub engine: Engine,
    /// The findings put off; `None`: there is no baseline, or it cannot be read.
    pub baseline: Option<Baseline>,
    /// Why the baseline cannot be read.
    pub baseline_error: Option<ProjectError>,
    /// The baseline by path: a file is judged by its own entries.
    known: HashMap<String, Baseline>,
}

impl Workspace {
    /// The project at `root`, under the configuration at `config` or its own.
    ///
    /// # Errors
    /// When the configuration cannot be read or holds a malformed glob.
    pub fn open(root: &Path, config: Option<&Path>) -> Result<Self, ProjectError> {
        Self::of(Project::open(root, config)?)
    }

    /// The workspace of an opened project.
    ///
    /// # Errors
    /// When its configuration holds a malformed glob.
    pub fn of(project: Project) -> Result<Self, ProjectError> {
        let engine = project.engine(&Selection::default())?;
        let (baseline, baseline_error) = match project.baseline(&project.baseline_path(None), false)
        {
            Ok(baseline) => (baseline, None),
            Err(error) => (None, Some(error)),
        };
        let mut known: HashMap<String, Baseline> = HashMap::new();
        for entry in baseline.iter().flat_map(Baseline::entries) {
            known.entry(entry.path.clone()).or_default().extend([entry]);
        }
        Ok(Self { project, engine, baseline, baseline_error, known })
    }

    /// Checks one document, and marks what the baseline knows. `files` is what the checks may read
    /// beside it. A text over the size limit is only searched for secrets.
    #[must_use]
    pub fn check(&self, source: &Source, files: &dyn Files) -> Checked {
        let large = source.text().len() as u64 > self.engine.max_file_size();
        let mut checked = if large {
            self.engine.check_secrets(source, files)
        } else {
            self.engine.check(source, files)
        };
        if let Some(known) = self.known.get(source.path()) {
            known.apply(&mut checked.findings);
        }
        checked
    }
}
