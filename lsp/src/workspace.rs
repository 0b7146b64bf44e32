//! A project in the editor: its engine, its baseline, and which of its files are checked.

use crate::documents::lock;
use crate::project_wide::{self, ProjectFindings};
use aidd_engine::check::Distribution;
use aidd_engine::check::{Checked, Engine, Selection};
use aidd_engine::text::files::{Files, Listed};
use aidd_engine::text::paths::{Globs, relative};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::project::{Project, ProjectError};
use aidd_engine::workspace::walk::{self, ProjectCache, ReportedChanges, Walk};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a file counts as ignored: `git add --force` makes it a checked file, and no editor
/// watches the index.
const IGNORED_FOR: Duration = Duration::from_secs(5);

/// A project (root with `.aidd` or `.git`) with its engine; immutable, replaced as a whole on
/// reload.
#[derive(Debug)]
pub struct Workspace {
    /// Root, settings and rule pages.
    pub project: Project,
    /// The rules that run.
    pub engine: Engine,
    /// The baselined findings; `None` if there is no baseline, or it cannot be read.
    pub baseline: Option<Baseline>,
    /// Why the baseline cannot be read.
    pub baseline_error: Option<ProjectError>,
    /// The baseline by path: each file only needs its own entries.
    known: HashMap<String, Baseline>,
    /// The files looked up so far, whether a run would check them, and when that was determined.
    met: Mutex<HashMap<String, (bool, Instant)>>,
    /// Project-wide data; created on first use.
    project_findings: Mutex<Option<Arc<ProjectFindings>>>,
    /// The state used to update it, and the documents that were open at the last update.
    cache: Mutex<Option<(ProjectCache, BTreeSet<String>)>>,
    /// Changed files that have not been processed yet.
    changed_paths: Mutex<BTreeSet<String>>,
}

impl Workspace {
    /// The project at `root`, with the configuration at `config` or its own.
    ///
    /// # Errors
    /// Fails when the configuration cannot be read or contains a malformed glob.
    pub fn open(
        distribution: &'static Distribution,
        root: &Path,
        config: Option<&Path>,
    ) -> Result<Self, ProjectError> {
        Self::from_project(Project::open(distribution, root, config)?)
    }

    /// The workspace of an opened project.
    ///
    /// # Errors
    /// Fails when its configuration contains a malformed glob.
    pub fn from_project(mut project: Project) -> Result<Self, ProjectError> {
        project.today = Some(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date());
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
        Ok(Self {
            project,
            engine,
            baseline,
            baseline_error,
            known,
            met: Mutex::default(),
            project_findings: Mutex::default(),
            cache: Mutex::default(),
            changed_paths: Mutex::default(),
        })
    }

    /// The project at `root` with the default settings, ignoring its configuration.
    #[must_use]
    pub fn unconfigured(distribution: &'static Distribution, root: &Path) -> Self {
        let project = Project::unconfigured(distribution, root);
        let engine =
            Engine::new(distribution, project.registry(), &project.config, &Selection::default());
        let engine =
            engine.expect("the default settings contain no globs and all rule families exist");
        Self {
            project,
            engine,
            baseline: None,
            baseline_error: None,
            known: HashMap::new(),
            met: Mutex::default(),
            project_findings: Mutex::default(),
            cache: Mutex::default(),
            changed_paths: Mutex::default(),
        }
    }

    /// Project-wide data, if a rule needs it. `files` is what the checks can read.
    #[must_use]
    pub fn project_findings(&self, files: &dyn Files) -> Option<Arc<ProjectFindings>> {
        let mut known = lock(&self.project_findings);
        if known.is_none() {
            let kept = project_wide::check_project(self, files)?;
            *known = Some(Arc::new(ProjectFindings::of(&kept)));
            *lock(&self.cache) = Some((kept, BTreeSet::new()));
        }
        known.clone()
    }

    /// The known files of the project below `directory`, and its rule pages there; absolute paths.
    pub(crate) fn known_below(&self, directory: &Path) -> Vec<PathBuf> {
        let root = self.project.root();
        // A directory that contains the root contains all files.
        let below = if root.starts_with(directory) {
            String::new()
        } else if directory.starts_with(root) {
            relative(root, directory)
        } else {
            return Vec::new();
        };
        let project = lock(&self.project_findings).clone();
        let listed = project.iter().flat_map(|project| project.listing.below(&below));
        let pages = self.engine.registry().rules().iter().filter_map(|rule| rule.path.as_ref());
        let is_below = |page: &&String| root.join(page).starts_with(directory);
        listed.chain(pages.filter(is_below)).map(|path| root.join(path)).collect()
    }

    /// Rechecks the project, unless it has not been checked yet; returns the paths whose findings
    /// changed. `paths` are files that can have changed, `open` the open documents. Of several
    /// concurrent calls, the first one processes all paths.
    pub(crate) fn look_again(
        &self,
        files: &dyn Files,
        paths: BTreeSet<String>,
        open: &dyn Fn() -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        // It is created once: a caller that finds it here does not race with its creation.
        if lock(&self.project_findings).is_none() {
            return BTreeSet::new();
        }
        lock(&self.changed_paths).extend(paths);
        match &mut *lock(&self.cache) {
            Some(kept) if !lock(&self.changed_paths).is_empty() => {
                self.refresh(kept, files, open, false)
            }
            _ => BTreeSet::new(),
        }
    }

    /// Finds other changes, if due: see [`ProjectCache::should_look_for_others`].
    pub(crate) fn look_for_rest(
        &self,
        files: &dyn Files,
        open: &dyn Fn() -> BTreeSet<String>,
        is_all: bool,
    ) -> BTreeSet<String> {
        match &mut *lock(&self.cache) {
            Some(kept) if kept.0.should_look_for_others(is_all) => {
                self.refresh(kept, files, open, true)
            }
            _ => BTreeSet::new(),
        }
    }

    fn refresh(
        &self,
        (kept, were_open): &mut (ProjectCache, BTreeSet<String>),
        files: &dyn Files,
        open: &dyn Fn() -> BTreeSet<String>,
        and_rest: bool,
    ) -> BTreeSet<String> {
        let mut paths = std::mem::take(&mut *lock(&self.changed_paths));
        let (engine, project) = (&self.engine, &self.project);
        // Unsaved text overrides the file on disk until the document is closed.
        paths.extend(std::mem::replace(were_open, open()));
        paths.extend(were_open.iter().cloned());
        let reported = ReportedChanges { files: &paths, look_for_others: and_rest };
        let changed = kept.update(engine, &project.config, &project.disk, files, reported);
        *lock(&self.project_findings) = Some(Arc::new(ProjectFindings::of(kept)));
        changed
    }

    /// Whether a run over the project would check the file at `path`: an editor reports no more
    /// about a file than the pull request does. For a file that is not on disk, only the
    /// configuration decides.
    #[must_use]
    pub fn checks(&self, path: &str) -> bool {
        if let Some((known, asked)) = lock(&self.met).get(path)
            && (*known || asked.elapsed() < IGNORED_FOR)
        {
            return *known;
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
        lock(&self.met).insert(path.to_owned(), (met, Instant::now()));
        met
    }

    /// Checks a document and marks baselined findings. `files` is what the checks can read in
    /// addition. A text over the size limit is only searched for secrets.
    #[must_use]
    pub fn check(&self, source: &Source, files: &dyn Files) -> Checked {
        let project = self.project_findings(files);
        let mut checked = match &project {
            Some(project) => self.check_file(source, &Listed { files, listing: &project.listing }),
            None => self.check_file(source, files),
        };
        if let Some(project) = project {
            let (engine, config) = (&self.engine, &self.project.config);
            let typed = walk::check_typed(engine, config, files, &project.listing, source);
            let joined = project.findings(source.path(), source.text(), typed.as_ref());
            checked.findings.extend(joined);
            let waiting = std::mem::take(&mut checked.waiting);
            checked.findings.extend(project.unused(engine, source, waiting, typed.as_ref()));
            checked.findings.sort_by_key(|finding| finding.span);
        }
        self.apply_baseline(source.path(), &mut checked);
        checked
    }

    fn check_file(&self, source: &Source, files: &dyn Files) -> Checked {
        let large = source.text().len() as u64 > self.engine.max_file_size();
        if large {
            self.engine.check_secrets(source, files)
        } else {
            self.engine.check(source, files)
        }
    }

    /// Marks the baselined findings in the file at `path`.
    pub fn apply_baseline(&self, path: &str, checked: &mut Checked) {
        if let Some(known) = self.known.get(path) {
            known.apply(&mut checked.findings);
        }
    }
}
