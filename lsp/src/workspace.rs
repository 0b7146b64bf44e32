//! A project in the editor: its engine, its baseline, and which of its files are checked.

use crate::documents::lock;
use crate::project_wide::{self, ProjectFindings};
use aidd_engine::check::Distribution;
use aidd_engine::check::{CheckResult, Engine, Selection};
use aidd_engine::text::files::{Files, Listed};
use aidd_engine::text::paths::{Globs, relative};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::project::{Project, ProjectError};
use aidd_engine::workspace::walk::{self, ProjectCache, ReportedChanges, Walk};
use aidd_index::Session;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The time after which an ignored file is looked up again: `git add --force` adds it to the
/// checked files, and editors do not watch the Git index.
const IGNORED_LOOKUP_TTL: Duration = Duration::from_secs(5);

/// The time after which the files of the baseline are looked up again, if there are many keystrokes.
const MISSING_LOOKUP_TTL: Duration = Duration::from_secs(1);

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
    /// Whether the root is only the directory of an opened file: no project or folder contains it.
    /// Its files are not listed, and project-wide checks do not run.
    pub(crate) is_detached: bool,
    /// The baseline by path: each file only needs its own entries.
    baseline_by_path: HashMap<String, Baseline>,
    /// The paths of the baseline without a file, and the time of the lookup.
    missing_paths: Mutex<Option<(Arc<BTreeSet<String>>, Instant)>>,
    /// The files looked up so far, each with whether a run would check the file, and the time of
    /// the lookup.
    lookups: Mutex<HashMap<String, (bool, Instant)>>,
    /// Project-wide data; created on first use.
    project_findings: Mutex<Option<Arc<ProjectFindings>>>,
    /// The state used to update the project-wide data, and the documents that were open at the last
    /// update.
    cache: Mutex<Option<(ProjectCache, BTreeSet<String>)>>,
    /// Changed files that have not been processed yet.
    changed_paths: Mutex<BTreeSet<String>>,
    /// The code index.
    pub(crate) index: Mutex<Session>,
}

impl Workspace {
    /// The project at `root`, with the configuration at `config` or, without `config`, with the
    /// configuration of the project.
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
        let mut baseline_by_path: HashMap<String, Baseline> = HashMap::new();
        for entry in baseline.iter().flat_map(Baseline::entries) {
            baseline_by_path.entry(entry.path.clone()).or_default().extend([entry]);
        }
        Ok(Self {
            project,
            engine,
            baseline,
            baseline_error,
            is_detached: false,
            baseline_by_path,
            missing_paths: Mutex::default(),
            lookups: Mutex::default(),
            project_findings: Mutex::default(),
            cache: Mutex::default(),
            changed_paths: Mutex::default(),
            index: Mutex::default(),
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
            is_detached: false,
            baseline_by_path: HashMap::new(),
            missing_paths: Mutex::default(),
            lookups: Mutex::default(),
            project_findings: Mutex::default(),
            cache: Mutex::default(),
            changed_paths: Mutex::default(),
            index: Mutex::default(),
        }
    }

    /// The project-wide data; `None` if no rule requires such data. `files` are the files that the
    /// checks can read.
    #[must_use]
    pub fn project_findings(&self, files: &dyn Files) -> Option<Arc<ProjectFindings>> {
        if self.is_detached {
            return None;
        }
        let mut known = lock(&self.project_findings);
        if known.is_none() {
            let cache = project_wide::check_project(self, files)?;
            *known = Some(Arc::new(ProjectFindings::from_cache(&cache)));
            *lock(&self.cache) = Some((cache, BTreeSet::new()));
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
    /// changed. `paths` are the files that can have changed, and `open` returns the open documents.
    /// The first of several concurrent calls processes all paths.
    pub(crate) fn recheck_paths(
        &self,
        files: &dyn Files,
        paths: BTreeSet<String>,
        open: &dyn Fn() -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        // The data is created once, so this check does not race with its creation.
        if lock(&self.project_findings).is_none() {
            return BTreeSet::new();
        }
        lock(&self.changed_paths).extend(paths);
        match &mut *lock(&self.cache) {
            Some(cache) if !lock(&self.changed_paths).is_empty() => {
                self.refresh(cache, files, open, false)
            }
            _ => BTreeSet::new(),
        }
    }

    /// Finds unreported changes, if a scan is due; see [`ProjectCache::is_scan_due`].
    pub(crate) fn find_unreported_changes(
        &self,
        files: &dyn Files,
        open: &dyn Fn() -> BTreeSet<String>,
        client_reports_all: bool,
    ) -> BTreeSet<String> {
        match &mut *lock(&self.cache) {
            Some(cache) if cache.0.is_scan_due(client_reports_all) => {
                self.refresh(cache, files, open, true)
            }
            _ => BTreeSet::new(),
        }
    }

    fn refresh(
        &self,
        (cache, previously_open): &mut (ProjectCache, BTreeSet<String>),
        files: &dyn Files,
        open: &dyn Fn() -> BTreeSet<String>,
        find_unreported: bool,
    ) -> BTreeSet<String> {
        let mut paths = std::mem::take(&mut *lock(&self.changed_paths));
        let (engine, project) = (&self.engine, &self.project);
        // Unsaved text overrides the file on disk until the document is closed.
        paths.extend(std::mem::replace(previously_open, open()));
        paths.extend(previously_open.iter().cloned());
        let reported = ReportedChanges { files: &paths, find_unreported };
        let changed = cache.update(engine, &project.config, &project.disk, files, reported);
        *lock(&self.project_findings) = Some(Arc::new(ProjectFindings::from_cache(cache)));
        changed
    }

    /// Whether a run over the project would check the file at `path`: an editor reports no more
    /// about a file than the pull request does. For a file that is not on disk, only the
    /// configuration decides.
    #[must_use]
    pub fn is_checked(&self, path: &str) -> bool {
        if let Some((known, time)) = lock(&self.lookups).get(path)
            && (*known || time.elapsed() < IGNORED_LOOKUP_TTL)
        {
            return *known;
        }
        let (config, disk) = (&self.project.config, &self.project.disk);
        if !disk.exists(path) {
            let empty = Vec::new();
            let (include, exclude) = (config.include.as_ref(), config.exclude.as_ref());
            let globs = Globs::new(include.unwrap_or(&empty), exclude.unwrap_or(&empty));
            return globs.is_ok_and(|globs| globs.matches(path));
        }
        self.list([path.to_owned()].into()).contains(path)
    }

    /// The files among `paths` that a run over the project would check. Files on disk that were not
    /// looked up before share one walk: a checkout changes many files.
    #[must_use]
    pub fn checked_of(&self, paths: BTreeSet<String>) -> BTreeSet<String> {
        let is_unknown = |path: &String| {
            !lock(&self.lookups).contains_key(path) && self.project.disk.exists(path)
        };
        let (unknown, known): (BTreeSet<String>, BTreeSet<String>) =
            paths.into_iter().partition(is_unknown);
        let mut checked = self.list(unknown);
        checked.extend(known.into_iter().filter(|path| self.is_checked(path)));
        checked
    }

    /// The files among `paths` that a walk finds; remembers the result for each path.
    fn list(&self, paths: BTreeSet<String>) -> BTreeSet<String> {
        let (config, disk) = (&self.project.config, &self.project.disk);
        if paths.is_empty() {
            return paths;
        }
        let only = Some(paths.clone());
        let walk = Walk { only, ..Walk::over(vec![disk.root().to_owned()]) };
        let mut listed = walk::list(config, disk, &walk).unwrap_or_default();
        listed.retain(|path| paths.contains(path));
        let mut lookups = lock(&self.lookups);
        for path in paths {
            let is_listed = listed.contains(&path);
            lookups.insert(path, (is_listed, Instant::now()));
        }
        listed
    }

    /// Runs `work` with `files` together with the list of the files of the project, on which findings
    /// in a document can depend.
    pub fn with_listing<T>(&self, files: &dyn Files, work: impl FnOnce(&dyn Files) -> T) -> T {
        match self.project_findings(files) {
            Some(project) => {
                let listing = &project.listing.without_shared();
                work(&Listed { files, listing })
            }
            None => work(files),
        }
    }

    /// Checks a document and marks baselined findings. `files` are the other files that the checks
    /// can read. A text over the size limit is only searched for secrets.
    #[must_use]
    pub fn check(&self, source: &Source, files: &dyn Files) -> CheckResult {
        let project = self.project_findings(files);
        let mut checked = match &project {
            Some(project) => {
                let listing = &project.listing.without_shared();
                self.check_file(source, &Listed { files, listing })
            }
            None => self.check_file(source, files),
        };
        if let Some(project) = project {
            let (engine, config) = (&self.engine, &self.project.config);
            let unsaved = walk::check_unsaved_text(engine, config, files, &project.listing, source);
            let project_wide = project.findings(source.path(), source.text(), unsaved.as_ref());
            checked.findings.extend(project_wide);
            let pending_allows = std::mem::take(&mut checked.pending_allows);
            checked.findings.extend(project.unused_allows(
                engine,
                source,
                pending_allows,
                unsaved.as_ref(),
            ));
            checked.findings.sort_by_key(|finding| finding.span);
        }
        self.apply_baseline(source, &mut checked);
        checked
    }

    fn check_file(&self, source: &Source, files: &dyn Files) -> CheckResult {
        let size = source.text().len() as u64;
        if size <= self.engine.max_file_size() {
            self.engine.check(source, files)
        } else if self.engine.checks_large(source.path(), source.text(), size) {
            self.engine.check_large(source, files)
        } else {
            self.engine.check_secrets(source, files)
        }
    }

    /// Marks the baselined findings of a file, as a run over the project does.
    pub fn apply_baseline(&self, source: &Source, checked: &mut CheckResult) {
        let path = source.path();
        if let Some(known) = self.baseline_by_path.get(path) {
            return known.apply_to_file(path, &mut checked.findings);
        }
        if !checked.findings.is_empty() {
            for from in &*self.missing_paths() {
                let known = &self.baseline_by_path[from];
                known.apply_to_moved_file(from, source, &mut checked.findings);
            }
        }
    }

    /// The paths of the baseline without a file.
    fn missing_paths(&self) -> Arc<BTreeSet<String>> {
        let mut known = lock(&self.missing_paths);
        if let Some((paths, time)) = &*known
            && (self.baseline_by_path.is_empty() || time.elapsed() < MISSING_LOOKUP_TTL)
        {
            return paths.clone();
        }
        let root = self.project.root();
        let paths = self.baseline_by_path.keys().filter(|path| !root.join(path).exists());
        let paths: Arc<BTreeSet<String>> = Arc::new(paths.cloned().collect());
        *known = Some((paths.clone(), Instant::now()));
        paths
    }
}
