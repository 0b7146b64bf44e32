//! One project as the editor sees it: its engine, its baseline, and which of its files are checked.

use crate::documents::lock;
use aidd_engine::baseline::Baseline;
use aidd_engine::check::{Checked, Engine, Selection};
use aidd_engine::files::Files;
use aidd_engine::memory::project::system_clock;
use aidd_engine::memory::times;
use aidd_engine::paths::Globs;
use aidd_engine::project::{Project, ProjectError};
use aidd_engine::source::Source;
use aidd_engine::walk::{self, Walk};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

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
    /// The files asked for so far, and whether a run over the project would check them.
    met: Mutex<HashMap<String, bool>>,
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
    pub fn of(mut project: Project) -> Result<Self, ProjectError> {
        project.today = Some(times::date(system_clock()()));
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
        Ok(Self { project, engine, baseline, baseline_error, known, met: Mutex::default() })
    }

    /// The project at `root` under the default settings, whatever its configuration says.
    #[must_use]
    pub fn unconfigured(root: &Path) -> Self {
        let project = Project::unconfigured(root);
        let engine = Engine::new(project.registry(), &project.config, &Selection::default());
        let engine = engine.expect("the default settings hold no glob");
        Self {
            project,
            engine,
            baseline: None,
            baseline_error: None,
            known: HashMap::new(),
            met: Mutex::default(),
        }
    }

    /// Whether a run over the project would check the file at `path`: an editor says no more of a
    /// file than the pull request does. A file that is not on the disk is told by the configuration
    /// alone.
    #[must_use]
    pub fn checks(&self, path: &str) -> bool {
        if let Some(&known) = lock(&self.met).get(path) {
            return known;
        }
        let (config, disk) = (&self.project.config, &self.project.disk);
        if !disk.exists(path) {
            let none = Vec::new();
            let (include, exclude) = (config.include.as_ref(), config.exclude.as_ref());
            let globs = Globs::new(include.unwrap_or(&none), exclude.unwrap_or(&none));
            return globs.is_ok_and(|globs| globs.matches(path));
        }
        let only = Some([path.to_owned()].into());
        let walk = Walk { only, ..Walk::over(vec![disk.root().to_owned()]) };
        let met = walk::list(config, disk, &walk).is_ok_and(|met| met.contains(path));
        lock(&self.met).insert(path.to_owned(), met);
        met
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
        self.judge(source.path(), &mut checked);
        checked
    }

    /// Marks the findings in the file at `path` that the baseline knows.
    pub fn judge(&self, path: &str, checked: &mut Checked) {
        if let Some(known) = self.known.get(path) {
            known.apply(&mut checked.findings);
        }
    }
}
