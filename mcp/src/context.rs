//! The context of a tool call: project root, rules, memory, and a flag that is set when the call is
//! cancelled.

use crate::profile::Profile;
use crate::tool::ToolError;
use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::project::config::ContentConfig;
use aidd_engine::project::overlay::OVERLAY_PATH;
use aidd_engine::text::files::{Disk, nested};
use aidd_engine::text::kind::{
    CONFIG_PATH, LEGACY_MEMORY_DIR, MEMORY_DIR, MEMORY_FILES, PACK_DIR, RULE_DIRS,
};
use aidd_engine::workspace::project::{Project, ProjectError};
use aidd_guidance::{Library, LibraryCache};
use aidd_index::query::Reader;
use aidd_index::{IndexError, Session, Update};
use aidd_memory::MemoryError;
use aidd_memory::project::{Clock, ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_memory::times;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Looks up an environment variable; `None` if it is not set.
pub type Environment = fn(&str) -> Option<String>;

/// Settings of a server.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Rules shipped with the program.
    pub distribution: &'static Distribution,
    /// Project root. No tool reads or writes outside of it.
    pub root: &'a Path,
    /// Configuration file, if it is not the project's default.
    pub config: Option<&'a Path>,
    /// Storage settings of the memory.
    pub storage: BackendChoice,
    /// Creates the clock of the memory.
    pub clock: fn() -> Clock,
    /// Lookup of environment variables.
    pub environment: Environment,
    /// The profile of the server.
    pub profile: Profile,
    /// How clients reach the server: `stdio`, or the address of HTTP.
    pub transport: &'a str,
}

impl std::fmt::Debug for Setup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("root", &self.root).finish_non_exhaustive()
    }
}

impl<'a> Setup<'a> {
    /// The project at `root` with its own settings, the system time and an empty environment.
    #[must_use]
    pub fn at(distribution: &'static Distribution, root: &'a Path) -> Self {
        Self {
            distribution,
            root,
            config: None,
            storage: BackendChoice::Auto,
            clock: system_clock,
            environment: |_| None,
            profile: Profile::default(),
            transport: "stdio",
        }
    }
}

/// The context of a tool call.
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
    stop: Arc<AtomicBool>,
}

struct Shared {
    distribution: &'static Distribution,
    root: PathBuf,
    config: Option<PathBuf>,
    choice: BackendChoice,
    clock: fn() -> Clock,
    environment: Environment,
    profile: Profile,
    transport: String,
    memory: Mutex<Option<ProjectMemory>>,
    project: Mutex<Option<(Stamps, Arc<Project>)>>,
    engine: Mutex<Option<(Arc<Project>, Arc<Engine>)>>,
    library: Mutex<LibraryCache>,
    index: Mutex<Session>,
    notices: Mutex<Vec<String>>,
}

/// Fingerprint of the project's settings and rules: path, modification time and size of each file.
type Stamps = Vec<(PathBuf, Option<(SystemTime, u64)>)>;

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("root", &self.shared.root).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// Creates the context of one server. Files are opened on first use.
    #[must_use]
    pub fn new(setup: Setup<'_>) -> Self {
        let root = setup.root.to_owned();
        let shared = Shared {
            distribution: setup.distribution,
            root,
            config: setup.config.map(Path::to_owned),
            choice: setup.storage,
            clock: setup.clock,
            environment: setup.environment,
            profile: setup.profile,
            transport: setup.transport.to_owned(),
            memory: Mutex::default(),
            project: Mutex::default(),
            engine: Mutex::default(),
            library: Mutex::default(),
            index: Mutex::default(),
            notices: Mutex::default(),
        };
        Self { shared: Arc::new(shared), stop: Arc::default() }
    }

    /// See [`Setup::at`].
    #[must_use]
    pub fn at(distribution: &'static Distribution, root: &Path) -> Self {
        Self::new(Setup::at(distribution, root))
    }

    /// A copy for one call, with its own cancellation flag.
    #[must_use]
    pub fn for_call(&self) -> Self {
        Self { shared: self.shared.clone(), stop: Arc::default() }
    }

    /// Rules shipped with the program.
    #[must_use]
    pub fn distribution(&self) -> &'static Distribution {
        self.shared.distribution
    }

    /// The project root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// The profile of the server.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared.profile
    }

    /// The storage of the memory: the open one, otherwise the one that the first use tries.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        match (&*lock(&self.shared.memory), self.shared.choice) {
            (Some(memory), _) => memory.backend(),
            (None, BackendChoice::Json) => "json",
            (None, BackendChoice::Auto | BackendChoice::Sqlite) => "sqlite",
        }
    }

    /// How clients reach the server.
    #[must_use]
    pub fn transport(&self) -> &str {
        &self.shared.transport
    }

    /// The value of an environment variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.shared.environment)(name)
    }

    /// A flag that is set when the call is cancelled; long operations poll it.
    #[must_use]
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Marks the call as cancelled.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Runs `work` with the memory, which is opened on first use. Calls are serialized.
    ///
    /// # Errors
    /// Fails when `work` fails or the memory cannot be opened.
    pub fn memory<T, E: Into<ToolError>>(
        &self,
        work: impl FnOnce(&mut ProjectMemory) -> Result<T, E>,
    ) -> Result<T, ToolError> {
        let mut slot = lock(&self.shared.memory);
        // After a panic in `work`, the memory is reopened.
        let mut memory = match slot.take() {
            Some(memory) => memory,
            None => self.open_memory()?,
        };
        let result = work(&mut memory).map_err(Into::into);
        let mut notices = memory.take_notices();
        notices.extend(memory.new_unread_notice());
        lock(&self.shared.notices).extend(notices);
        *slot = Some(memory);
        result
    }

    fn open_memory(&self) -> Result<ProjectMemory, MemoryError> {
        let shared = &self.shared;
        ProjectMemory::open(shared.distribution, &shared.root, shared.choice, (shared.clock)())
    }

    /// Takes the notices for the user that were not reported yet.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.shared.notices))
    }

    /// The project with its settings and rules, reloaded when they change.
    ///
    /// # Errors
    /// Fails when the configuration is invalid.
    pub fn project(&self) -> Result<Arc<Project>, ProjectError> {
        let mut slot = lock(&self.shared.project);
        let stamps = self.stamps();
        match &*slot {
            Some((cached_stamps, project)) if *cached_stamps == stamps => Ok(project.clone()),
            _ => {
                let mut project = Project::open(
                    self.shared.distribution,
                    &self.shared.root,
                    self.shared.config.as_deref(),
                )?;
                project.today = Some(times::date(self.now()));
                if let Some(mode) = self.variable(ContentConfig::MODE_VARIABLE) {
                    let content = project.config.content.get_or_insert_default();
                    content
                        .set_mode(&mode)
                        .map_err(|error| ProjectError { message: error.to_string(), hint: None })?;
                }
                let project = Arc::new(project);
                *slot = Some((stamps, project.clone()));
                Ok(project)
            }
        }
    }

    /// The engine with all rules of [`Self::project`], rebuilt when the project is reloaded.
    ///
    /// # Errors
    /// Fails when the configuration is invalid.
    pub fn engine(&self) -> Result<Arc<Engine>, ProjectError> {
        let project = self.project()?;
        let mut slot = lock(&self.shared.engine);
        match &*slot {
            Some((known, engine)) if Arc::ptr_eq(known, &project) => Ok(engine.clone()),
            _ => {
                let engine = Arc::new(project.engine(&Selection::default())?);
                *slot = Some((project, engine.clone()));
                Ok(engine)
            }
        }
    }

    /// The current time in milliseconds since 1970.
    #[must_use]
    pub fn now(&self) -> i64 {
        (self.shared.clock)()()
    }

    /// The guidance pages, reloaded when a page or the configuration changes.
    ///
    /// # Errors
    /// Fails when the configuration is invalid.
    pub fn library(&self) -> Result<Arc<Library>, ProjectError> {
        let project = self.project()?;
        let config = project.config.content.clone().unwrap_or_default();
        Ok(lock(&self.shared.library).current(project.distribution().pages, &project.disk, &config))
    }

    /// The code index, brought up to date for this call.
    ///
    /// # Errors
    /// When the index cannot be read or written.
    pub(crate) fn index(&self, project: &Project) -> Result<(Reader, Update), IndexError> {
        lock(&self.shared.index).open(&project.disk, &project.config)
    }

    fn stamps(&self) -> Stamps {
        let root = &self.shared.root;
        let config = self.shared.config.clone().unwrap_or_else(|| root.join(CONFIG_PATH));
        let overlay = root.join(OVERLAY_PATH);
        let mut stamps = vec![(config.clone(), stamp(&config)), (overlay.clone(), stamp(&overlay))];
        let nested = nested(&Disk::new(root));
        let rule_dirs = RULE_DIRS.into_iter().chain([PACK_DIR]);
        let directories = rule_dirs.chain(nested.rules.iter().map(String::as_str));
        let mut folders: Vec<PathBuf> = directories.map(|path| root.join(path)).collect();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    Ok(_) => stamps.push((path.clone(), stamp(&path))),
                    Err(_) => {}
                }
            }
        }
        for folder in std::iter::once("").chain(nested.memories.iter().map(String::as_str)) {
            for name in MEMORY_FILES {
                let path = root.join(folder).join(MEMORY_DIR).join(name);
                stamps.push((path.clone(), stamp(&path)));
            }
        }
        for name in MEMORY_FILES {
            let path = root.join(LEGACY_MEMORY_DIR).join(name);
            stamps.push((path.clone(), stamp(&path)));
        }
        stamps.sort();
        stamps
    }

    /// Resolves a path from an agent relative to the root, with `/` separators. Symbolic links are
    /// followed; a path outside the root is an error.
    ///
    /// # Errors
    /// Fails when the path is empty or outside the root.
    pub fn to_relative(&self, path: &str) -> Result<String, ToolError> {
        if path.trim().is_empty() {
            return Err(ToolError::new("the path is empty").remedy("pass a file, such as src/a.ts"));
        }
        Disk::new(self.root()).to_relative(path).ok_or_else(|| {
            ToolError::new(format!("`{path}` is outside the project"))
                .remedy("pass a path inside the project, relative to its root")
        })
    }

    /// Like [`Self::to_relative`], but for a file that will be created: paths that are absolute on
    /// another operating system, such as `C:\\x`, `\\\\host\\x` and `~/x`, are errors too.
    ///
    /// # Errors
    /// Fails when no file can be created at the path.
    pub fn path_for_new_file(&self, path: &str) -> Result<String, ToolError> {
        Disk::new(self.root())
            .path_for_new_file(path)
            .map_err(|error| ToolError::new(error.to_string()))
    }
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_reloaded_when_it_changes() {
        let folder = tempfile::tempdir().expect("a directory");
        let context = Context::at(&crate::DISTRIBUTION, folder.path());
        let first = context.project().expect("a project");
        assert!(Arc::ptr_eq(&first, &context.project().expect("a project")));
        fs::create_dir(folder.path().join("rules")).expect("created");
        fs::write(folder.path().join("rules/a.md"), "---\nseverity: info\n---\n# team/a\n\nWhy.\n")
            .expect("written");
        let second = context.project().expect("a project");
        assert!(!Arc::ptr_eq(&first, &second));
        assert_eq!(second.pages.len(), 1);
        let inner = folder.path().join("packages/a/.aidd/rules");
        fs::create_dir_all(&inner).expect("created");
        fs::write(inner.join("b.md"), "---\nseverity: info\n---\n# team/b\n\nWhy.\n")
            .expect("written");
        let third = context.project().expect("a project");
        assert_eq!(third.pages.len(), 2, "the rule page in the subdirectory is loaded");
        fs::create_dir(folder.path().join(".aidd")).expect("created");
        fs::write(folder.path().join(".aidd/config.json"), "{").expect("written");
        assert!(context.project().is_err());
    }

    #[test]
    fn the_memory_is_opened_once_and_reopened_after_a_panic() {
        let folder = tempfile::tempdir().expect("a directory");
        let context = Context::at(&crate::DISTRIBUTION, folder.path());
        assert!(!folder.path().join(".aidd").exists());
        let name = context.memory(|memory| Ok::<_, ToolError>(memory.backend()));
        assert_eq!(name, Ok("sqlite"));
        let panicking = context.clone();
        let thread = std::thread::spawn(move || {
            panicking.memory(|_| -> Result<(), ToolError> { panic!("in the middle") })
        });
        assert!(thread.join().is_err());
        assert_eq!(context.memory(|memory| Ok::<_, ToolError>(memory.backend())), Ok("sqlite"));
    }

    #[test]
    fn paths_outside_the_root_are_rejected() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("src")).expect("created");
        fs::write(folder.path().join("secret"), "").expect("written");
        let context = Context::at(&crate::DISTRIBUTION, &root);
        assert_eq!(context.to_relative("src/./b/../a.rs").as_deref(), Ok("src/a.rs"));
        let absolute = root.join("src/a.rs");
        assert_eq!(context.to_relative(&absolute.to_string_lossy()).as_deref(), Ok("src/a.rs"));
        for outside in ["../secret", "src/../../secret", "/etc/passwd", ""] {
            assert!(context.to_relative(outside).is_err(), "{outside}");
            assert!(context.path_for_new_file(outside).is_err(), "{outside}");
        }
        assert_eq!(context.path_for_new_file("src/./b/../a.rs").as_deref(), Ok("src/a.rs"));
        for foreign in [r"C:\x", "C:x", r"\\host\x", "//host/x", "~", "~/x", r"a\b", "a/nul", "x."]
        {
            assert!(context.path_for_new_file(foreign).is_err(), "{foreign}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), root.join("up")).expect("linked");
            std::os::unix::fs::symlink("/nowhere/at/all", root.join("dead")).expect("linked");
            for outside in ["up/secret", "up/new", "dead", "dead/x"] {
                assert!(context.to_relative(outside).is_err(), "{outside}");
                assert!(context.path_for_new_file(outside).is_err(), "{outside}");
            }
        }
    }
}
