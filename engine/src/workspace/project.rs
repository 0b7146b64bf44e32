//! The project that a frontend works on: its root, configuration, rules and baseline.

use crate::check::configuration::{invalid_packs, invalid_params};
use crate::check::family::Distribution;
use crate::check::{Engine, EngineError, Selection};
use crate::project::config::{self, Config};
use crate::project::git::Snapshot;
use crate::project::overlay::Overlay;
use crate::rules::registry::{self, Registry};
use crate::text::files::{
    Disk, Files, Links, Nested, irregular_below, is_searched, nested, read_regular,
};
use crate::text::kind::{
    BRANCH_DIR, CONFIG_PATH, LEGACY_MEMORY_DIR, MEMORY_DIR, PACK_DIR, RULE_DIRS, is_memory_path,
    is_page_path,
};
use crate::text::paths::{relative, scope_of};
use crate::text::source::{Encoding, Source, Span};
use crate::workspace::baseline::{self, Baseline, BaselineError};
use crate::workspace::memory_checks::{self, MemoryChecks, RulePage};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Maximum size of a configuration file, in bytes.
pub const CONFIG_LIMIT: u64 = 8 << 20;
/// Maximum size of a baseline file, in bytes: about 400,000 findings.
const BASELINE_LIMIT: u64 = 64 << 20;

/// Why a project cannot be opened, and the remedy.
#[derive(Debug, Error)]
#[error("{message}{}", hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default())]
pub struct ProjectError {
    /// The fault, with the path or position.
    pub message: String,
    /// The remedy.
    pub hint: Option<&'static str>,
}

impl ProjectError {
    fn new(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        Self { message: message.into(), hint }
    }
}

/// A project on disk.
#[derive(Debug)]
pub struct Project {
    distribution: &'static Distribution,
    /// The files below the root of the project.
    pub disk: Disk,
    /// The parsed configuration, or the defaults.
    pub config: Config,
    /// The file that the settings were read from; `None` if there is no such file.
    pub config_path: Option<PathBuf>,
    /// Rule pages and packs: path from the root, text. Includes the rules of memories with a check,
    /// with the path of the tracked memory file.
    pub pages: Vec<(String, String)>,
    /// The tracked memory files with a check that cannot be parsed.
    malformed_memories: Vec<String>,
    /// The directories of rule pages and memories inside the project; empty if the rules are read from
    /// a revision.
    nested: Nested,
    /// The revision from which settings, rules and baseline are read if those on disk are not
    /// trusted.
    trusted: Option<Snapshot>,
    /// The current date, set by the frontend for rules that depend on it.
    pub today: Option<Date>,
}

impl Project {
    /// Opens the project of `start` (a file or directory): the nearest directory at or above it
    /// with `.aidd` or `.git`, otherwise the directory itself.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn open(
        distribution: &'static Distribution,
        start: &Path,
        config: Option<&Path>,
    ) -> Result<Self, ProjectError> {
        let root = root_of(start);
        let standard = root.join(CONFIG_PATH);
        let disk = Disk::new(root);
        let (config_path, read) = match config {
            Some(path) => (Some(path.to_owned()), read_regular(path, CONFIG_LIMIT)),
            // Includes a path that is not a regular file, which must not be ignored silently.
            None if is_present(&standard) => {
                (Some(standard), disk.read_whole(CONFIG_PATH, CONFIG_LIMIT, Links::Follow))
            }
            None => (None, Ok(Vec::new())),
        };
        let mut config = match &config_path {
            Some(path) => read_config(path, read, config.is_some())?,
            None => Config::default(),
        };
        Overlay::apply(&disk, &mut config);
        let (pages, malformed_memories, nested) = all_pages(&disk);
        Ok(Self {
            distribution,
            disk,
            config,
            config_path,
            pages,
            malformed_memories,
            nested,
            trusted: None,
            today: None,
        })
    }

    /// The project with its present pages and the settings as they were last read.
    #[must_use]
    pub fn with_present_pages(&self) -> Self {
        let project = Self::unconfigured(self.distribution, self.disk.root());
        let (config, config_path) = (self.config.clone(), self.config_path.clone());
        Self { config, config_path, today: self.today, ..project }
    }

    /// The project at `root` with default settings, ignoring its configuration: for an editor that
    /// has to check files although the configuration cannot be read.
    #[must_use]
    pub fn unconfigured(distribution: &'static Distribution, root: &Path) -> Self {
        let disk = Disk::new(root);
        let (pages, malformed_memories, nested) = all_pages(&disk);
        Self {
            distribution,
            disk,
            config: Config::default(),
            config_path: None,
            pages,
            malformed_memories,
            nested,
            trusted: None,
            today: None,
        }
    }

    /// The project at `root` with the settings, rules and baseline of a revision, because the files
    /// on disk can be untrusted input.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn open_trusting(
        distribution: &'static Distribution,
        root: &Path,
        snapshot: Snapshot,
        config: Option<&Path>,
    ) -> Result<Self, ProjectError> {
        let path = config.map_or_else(|| root.join(CONFIG_PATH), Path::to_owned);
        let is_explicit = config.is_some();
        let config = match snapshot.read(&relative(root, &path), CONFIG_LIMIT) {
            Ok(bytes) => config_of(&path, bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_explicit => {
                Config::default()
            }
            Err(error) => {
                let message = format!("{} of the base: {error}", path.display());
                return Err(ProjectError::new(message, None));
            }
        };
        Self::at_revision(distribution, root, snapshot, config, Some(path))
    }

    /// The project at `root` with the rules and the baseline of a revision, and a configuration
    /// that was read from `config_path`.
    ///
    /// # Errors
    /// The directories of the revision cannot be read.
    pub fn at_revision(
        distribution: &'static Distribution,
        root: &Path,
        snapshot: Snapshot,
        mut config: Config,
        config_path: Option<PathBuf>,
    ) -> Result<Self, ProjectError> {
        Overlay::apply(&snapshot, &mut config);
        let all_paths = snapshot.below("").unwrap_or_default();
        let is_nested = |path: &&String| {
            let scope = scope_of(path);
            is_page_path(path) && !scope.is_empty() && is_searched(scope)
        };
        let markdown_below = |dir: &str| {
            let mut files = snapshot
                .below(dir)
                .map_err(|error| ProjectError::new(format!("{dir} of the base: {error}"), None))?;
            files.retain(|path| path.ends_with(".md"));
            Ok(files)
        };
        // Use the order of `registry::project_pages`: if two pages have the same id, the order
        // decides which of them is used.
        let mut below = Vec::new();
        for dir in RULE_DIRS {
            below.extend(markdown_below(dir)?);
        }
        below.extend(all_paths.iter().filter(is_nested).cloned());
        below.extend(markdown_below(PACK_DIR)?);
        let mut pages = registry::pages(&snapshot, below);
        let memory_dirs =
            all_paths.iter().filter(|path| is_memory_path(path)).map(|path| scope_of(path));
        let memory_dirs: BTreeSet<&str> =
            memory_dirs.filter(|dir| !dir.is_empty() && is_searched(dir)).collect();
        let memory_dirs: Vec<String> = memory_dirs.into_iter().map(str::to_owned).collect();
        let malformed_memories = add_memory_pages(&snapshot, &memory_dirs, &mut pages);
        let (disk, trusted) = (Disk::new(root), Some(snapshot));
        Ok(Self {
            distribution,
            disk,
            config,
            config_path,
            pages,
            malformed_memories,
            nested: Nested::default(),
            trusted,
            today: None,
        })
    }

    /// Excludes files from the check, such as reports that the run itself writes.
    pub fn exclude(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            if path.starts_with(self.root()) {
                let path = globset::escape(&relative(self.root(), &path));
                self.config.exclude.get_or_insert_default().push(format!("/{path}"));
            }
        }
    }

    /// The root directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.disk.root()
    }

    /// The distribution of the program.
    #[must_use]
    pub fn distribution(&self) -> &'static Distribution {
        self.distribution
    }

    /// A registry of all rules, shipped and the project's own.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(self.distribution.pages, &self.pages)
    }

    /// The tracked memory files with a check that is not enforced because it cannot be read or run.
    #[must_use]
    pub fn unenforced(&self) -> BTreeSet<&str> {
        let memory_pages = self.pages.iter().filter(|(path, _)| is_memory_path(path));
        let cannot_run =
            memory_pages.filter(|(path, text)| memory_checks::validate_text(path, text).is_err());
        let cannot_run = cannot_run.map(|(path, _)| path.as_str());
        self.malformed_memories.iter().map(String::as_str).chain(cannot_run).collect()
    }

    /// The paths of rule pages, packs and memory files that are not read because they are a pipe, a
    /// socket or a device. Links are not followed. Empty if the rules are read from a revision.
    #[must_use]
    pub fn irregular(&self) -> Vec<String> {
        if self.trusted.is_some() {
            return Vec::new();
        }
        let pages = RULE_DIRS.into_iter().chain([PACK_DIR]).map(str::to_owned);
        let memories = [MEMORY_DIR, LEGACY_MEMORY_DIR, BRANCH_DIR].map(str::to_owned);
        let inner = self.nested.memories.iter().map(|dir| format!("{dir}/{MEMORY_DIR}"));
        let dirs = pages.chain(self.nested.rules.iter().cloned()).chain(memories).chain(inner);
        let is_read = |path: &String| {
            [".md", ".json", ".jsonl"].iter().any(|extension| path.ends_with(extension))
        };
        let found = dirs.flat_map(|dir| irregular_below(&self.disk, &dir));
        found.filter(is_read).collect()
    }

    /// Builds the engine for the selected rules.
    ///
    /// # Errors
    /// An unknown rule in the selection, or a malformed glob.
    pub fn engine(&self, selection: &Selection) -> Result<Engine, ProjectError> {
        let engine = Engine::new(self.distribution, self.registry(), &self.config, selection);
        engine.map(|engine| engine.with_date(self.today)).map_err(|error| {
            let message = error.to_string();
            let is_params = matches!(error, EngineError::Params { .. });
            match error {
                EngineError::Params { .. } | EngineError::Pack(_) => {
                    let position = self.config_position(&message);
                    let position =
                        position.map_or_else(String::new, |position| format!("{position}: "));
                    let hint = is_params
                        .then_some("correct or remove the parameter, or set it for another rule");
                    ProjectError::new(format!("{position}{message}"), hint)
                }
                EngineError::Glob(_) | EngineError::NoFunction(_) => {
                    ProjectError::new(message, None)
                }
                EngineError::UnknownRule { .. } => {
                    ProjectError::new(message, Some("run `aidd rule list` to list all rules"))
                }
            }
        })
    }

    /// The position in the configuration that `error` refers to, if it is about parameters or a
    /// pack; otherwise the path of the file.
    fn config_position(&self, error: &str) -> Option<String> {
        let path = self.config_path.as_deref()?;
        Some(self.line_of(path, error).unwrap_or_else(|| path.display().to_string()))
    }

    fn line_of(&self, path: &Path, error: &str) -> Option<String> {
        let bytes = match &self.trusted {
            Some(snapshot) => snapshot.read(&relative(self.root(), path), CONFIG_LIMIT).ok()?,
            None => read_regular(path, CONFIG_LIMIT).ok()?,
        };
        let source = Source::decode(path.to_string_lossy(), bytes);
        let registry = self.registry();
        let families = self.distribution.families;
        let params = invalid_params(source.text(), &registry, families).into_iter();
        let mut faults = params.chain(invalid_packs(source.text(), &registry));
        let (_, range) = faults.find(|(why, _)| error.contains(&**why))?;
        let bom = source.text().len() - source.text().trim_start_matches('\u{FEFF}').len();
        let at = source.position(Span::from(range).shift(bom).start, Encoding::CodePoints);
        Some(format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1))
    }

    /// The path of the baseline: `explicit_path` if it is set, otherwise the configured path,
    /// otherwise the default.
    #[must_use]
    pub fn baseline_path(&self, explicit_path: Option<&Path>) -> PathBuf {
        explicit_path.map_or_else(
            || self.root().join(self.config.baseline.as_deref().unwrap_or(baseline::PATH)),
            Path::to_owned,
        )
    }

    /// The path of the project's own baseline, relative to the root. It must be inside the project
    /// after following links.
    ///
    /// # Errors
    /// The path is outside the project: the author of the configuration is not necessarily the user
    /// who runs the command.
    pub fn own_baseline(&self) -> Result<String, ProjectError> {
        let path = self.baseline_path(None);
        self.disk.to_relative(&path.to_string_lossy()).ok_or_else(|| {
            let message =
                format!("the configured baseline {} is outside the project", path.display());
            let hint = "set `baseline` to a file in the project, or pass this file with --baseline";
            ProjectError::new(message, Some(hint))
        })
    }

    /// The baseline at `path`; `None` if the file does not exist and is not required.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed.
    pub fn baseline(
        &self,
        path: &Path,
        is_required: bool,
    ) -> Result<Option<Baseline>, ProjectError> {
        let read = match &self.trusted {
            Some(snapshot) => snapshot.read(&relative(self.root(), path), BASELINE_LIMIT),
            // A path from the command line can be anywhere.
            None if path != self.baseline_path(None) => read_regular(path, BASELINE_LIMIT),
            None => self.disk.read_whole(&self.own_baseline()?, BASELINE_LIMIT, Links::Follow),
        };
        let read = read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        let text = match read {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_required => {
                return Ok(None);
            }
            Err(error) => {
                let message = format!("{}: {error}", path.display());
                let missing = "run `aidd baseline write` to create a baseline";
                return Err(ProjectError::new(message, Some(read_hint(&error, missing))));
            }
        };
        let read = Baseline::parse(&text);
        read.map(Some).map_err(|error| malformed_baseline(path, &error))
    }
}

/// The rule pages on disk, the pages of memories, and the memory files with a check that cannot be
/// parsed; and the directories inside the project that were searched for them.
fn all_pages(disk: &Disk) -> (Vec<(String, String)>, Vec<String>, Nested) {
    let nested = nested(disk);
    let mut pages = registry::project_pages(disk, &nested);
    let malformed_memories = add_memory_pages(disk, &nested.memories, &mut pages);
    (pages, malformed_memories, nested)
}

/// Adds the pages of memories. Returns the tracked files with a check that cannot be parsed.
fn add_memory_pages(
    files: &dyn Files,
    nested: &[String],
    pages: &mut Vec<(String, String)>,
) -> Vec<String> {
    let MemoryChecks { pages: memory_pages, malformed } = memory_checks::read_all(files, nested);
    pages.extend(memory_pages.into_iter().map(|RulePage { path, text, .. }| (path, text)));
    malformed.into_iter().map(|(path, ..)| path).collect()
}

fn malformed_baseline(path: &Path, error: &BaselineError) -> ProjectError {
    let hint = match error {
        BaselineError::Newer(_) => {
            "use the aidd version that wrote the baseline, or a newer version"
        }
        BaselineError::Malformed { .. } | BaselineError::Conflict(_) => {
            "fix the file by hand or restore it from Git; or delete the file and run \
             `aidd baseline write` to record all current findings"
        }
    };
    // The other errors begin with the line and column.
    let separator = if matches!(error, BaselineError::Newer(_)) { ": " } else { ":" };
    ProjectError::new(format!("{}{separator}{error}", path.display()), Some(hint))
}

/// Whether anything exists at `path`, even a file that cannot be read. If something exists that
/// cannot be read, the settings are unreadable rather than missing.
fn is_present(path: &Path) -> bool {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    path.symlink_metadata().map_or_else(|error| !absent.contains(&error.kind()), |_| true)
}

/// The remedy for a settings file that cannot be read; `missing` is the remedy if the file does not
/// exist.
fn read_hint(error: &io::Error, missing: &'static str) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => missing,
        io::ErrorKind::PermissionDenied => "make the file readable for the current user",
        io::ErrorKind::NotADirectory => "replace the file in this path with a directory",
        io::ErrorKind::FileTooLarge => "make the file smaller",
        io::ErrorKind::InvalidData | io::ErrorKind::Other => "save the file as UTF-8 text",
        _ => "replace it with a regular file inside the project",
    }
}

fn read_config(
    path: &Path,
    read: io::Result<Vec<u8>>,
    is_explicit: bool,
) -> Result<Config, ProjectError> {
    let bytes = read.map_err(|error| {
        let message = format!("{}: {error}", path.display());
        let missing = if is_explicit {
            "correct the path in `--config` or in the environment variable AIDD_CONFIG"
        } else {
            "the file is a link to a missing file; replace it with a regular file"
        };
        ProjectError::new(message, Some(read_hint(&error, missing)))
    })?;
    config_of(path, bytes)
}

/// Parses the configuration in the bytes of a file.
fn config_of(path: &Path, bytes: Vec<u8>) -> Result<Config, ProjectError> {
    let source = Source::decode(path.to_string_lossy(), bytes);
    let bom = source.text().len() - source.text().trim_start_matches('\u{FEFF}').len();
    let (config, _) = config::read(source.text()).map_err(|problem| {
        let at = source.position(Span::at(problem.span.start + bom).start, Encoding::CodePoints);
        let position = format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1);
        let message = format!("{position}: {}", problem.message);
        // Problems of a value begin with its name; otherwise the file is not valid JSON.
        let hint = if problem.message.starts_with('`') {
            "run `aidd config schema` to see the allowed keys and values"
        } else {
            "the file must be JSON, optionally with comments and trailing commas"
        };
        ProjectError::new(message, Some(hint))
    })?;
    Ok(config)
}

/// The nearest directory at or above `start` that contains `.aidd` or `.git`; otherwise the
/// directory of `start`.
#[must_use]
pub fn root_of(start: &Path) -> PathBuf {
    marked_root(start).unwrap_or_else(|| directory_of(start).to_owned())
}

/// The nearest directory at or above `start` that contains `.aidd` or `.git`.
#[must_use]
pub fn marked_root(start: &Path) -> Option<PathBuf> {
    let is_marked = |dir: &&Path| dir.join(".git").exists() || dir.join(".aidd").is_dir();
    directory_of(start).ancestors().find(is_marked).map(Path::to_owned)
}

/// `path` itself if it is a directory; otherwise the directory that contains it. Pipes, devices and
/// broken links are not directories.
#[must_use]
pub fn directory_of(path: &Path) -> &Path {
    if path.is_dir() { path } else { path.parent().unwrap_or(path) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories created for the tests")]
mod tests;
