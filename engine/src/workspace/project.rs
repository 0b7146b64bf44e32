//! The project that a door works on: its root, its configuration, its rules and its baseline.

use crate::check::configuration::{wrong_packs, wrong_params};
use crate::check::family::Distribution;
use crate::check::{Engine, EngineError, Selection};
use crate::project::config::{self, Config};
use crate::project::git::Snapshot;
use crate::rules::registry::{self, Registry};
use crate::text::files::{
    Disk, Files, Links, irregular_below, may_be_nested, nested, read_regular,
};
use crate::text::kind::{
    BRANCH_FOLDER, CONFIG_PATH, MEMORY_FOLDER, PACK_FOLDER, PLAIN_MEMORY_FOLDER, RULE_FOLDERS,
    is_memory_path, is_page_path,
};
use crate::text::paths::{relative, scope_of};
use crate::text::source::{Encoding, Source, Span};
use crate::workspace::baseline::{self, Baseline, BaselineError};
use crate::workspace::remembered::{self, Remembered, RulePage};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Most bytes of a configuration.
const CONFIG_LIMIT: u64 = 8 << 20;
/// Most bytes of a baseline: some 400,000 findings.
const BASELINE_LIMIT: u64 = 64 << 20;

/// What keeps a project from being opened, and what to do about it.
#[derive(Debug, Error)]
#[error("{message}{}", hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default())]
pub struct ProjectError {
    /// What is wrong, and where.
    pub message: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl ProjectError {
    fn new(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        Self { message: message.into(), hint }
    }
}

/// A project on the disk.
#[derive(Debug)]
pub struct Project {
    distribution: &'static Distribution,
    /// The files below its root.
    pub disk: Disk,
    /// Its settings.
    pub config: Config,
    /// Where the settings came from; `None`: there is no file.
    pub config_path: Option<PathBuf>,
    /// Its rule pages and packs: path from the root, text. Rules of memories with a check are among
    /// them, under the path of the tracked file.
    pub pages: Vec<(String, String)>,
    /// The tracked files of memory with a check that cannot be read.
    misshapen: Vec<String>,
    /// Where the settings, the rules and the baseline are read instead, when those on the disk are
    /// not to be trusted.
    trusted: Option<Snapshot>,
    /// The day, as a door tells it: what ages is judged by it.
    pub today: Option<Date>,
}

impl Project {
    /// The project that `start` (a file or folder) lies in: the nearest folder above it with `.aidd`
    /// or `.git`, else the folder itself.
    ///
    /// # Errors
    /// When the configuration cannot be read.
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
            // Also one that is no file: it is not passed over in silence.
            None if standard.symlink_metadata().is_ok() => {
                (Some(standard), disk.read_whole(CONFIG_PATH, CONFIG_LIMIT, Links::Inside))
            }
            None => (None, Ok(Vec::new())),
        };
        let config = match &config_path {
            Some(path) => read_config(path, read)?,
            None => Config::default(),
        };
        let (pages, misshapen) = all_pages(&disk);
        Ok(Self {
            distribution,
            disk,
            config,
            config_path,
            pages,
            misshapen,
            trusted: None,
            today: None,
        })
    }

    /// The project at `root` under the default settings, whatever its configuration says: for where
    /// that cannot be read and an editor still has files to check.
    #[must_use]
    pub fn unconfigured(distribution: &'static Distribution, root: &Path) -> Self {
        let disk = Disk::new(root);
        let (pages, misshapen) = all_pages(&disk);
        Self {
            distribution,
            disk,
            config: Config::default(),
            config_path: None,
            pages,
            misshapen,
            trusted: None,
            today: None,
        }
    }

    /// The project at `root`, whose settings, rules and baseline are those of a revision: what lies
    /// on the disk may be a stranger's.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub fn trusting(
        distribution: &'static Distribution,
        root: &Path,
        snapshot: Snapshot,
        config: Option<&Path>,
    ) -> Result<Self, ProjectError> {
        let path = config.map_or_else(|| root.join(CONFIG_PATH), Path::to_owned);
        let wanted = config.is_some();
        let config = match snapshot.read(&relative(root, &path), CONFIG_LIMIT) {
            Ok(bytes) => config_of(&path, bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted => Config::default(),
            Err(error) => {
                let message = format!("{} of the base: {error}", path.display());
                return Err(ProjectError::new(message, None));
            }
        };
        Self::at_revision(distribution, root, snapshot, config, Some(path))
    }

    /// The project at `root`, whose rules and baseline are those of a revision, under a configuration
    /// that came from `config_path`.
    ///
    /// # Errors
    /// When the folders of the revision cannot be read.
    pub fn at_revision(
        distribution: &'static Distribution,
        root: &Path,
        snapshot: Snapshot,
        config: Config,
        config_path: Option<PathBuf>,
    ) -> Result<Self, ProjectError> {
        let all = snapshot.below("").unwrap_or_default();
        let is_nested = |path: &&String| {
            let scope = scope_of(path);
            is_page_path(path) && !scope.is_empty() && may_be_nested(scope)
        };
        let markdown_below = |folder: &str| {
            let mut files = snapshot.below(folder).map_err(|error| {
                ProjectError::new(format!("{folder} of the base: {error}"), None)
            })?;
            files.retain(|path| path.ends_with(".md"));
            Ok(files)
        };
        // In the order of `registry::project_pages`: of two pages with one id it decides.
        let mut below = Vec::new();
        for folder in RULE_FOLDERS {
            below.extend(markdown_below(folder)?);
        }
        below.extend(all.iter().filter(is_nested).cloned());
        below.extend(markdown_below(PACK_FOLDER)?);
        let mut pages = registry::pages(&snapshot, below);
        let memories = all.iter().filter(|path| is_memory_path(path)).map(|path| scope_of(path));
        let memories: BTreeSet<&str> =
            memories.filter(|folder| !folder.is_empty() && may_be_nested(folder)).collect();
        let memories: Vec<String> = memories.into_iter().map(str::to_owned).collect();
        let misshapen = add_remembered(&snapshot, &memories, &mut pages);
        let (disk, trusted) = (Disk::new(root), Some(snapshot));
        let today = None;
        Ok(Self { distribution, disk, config, config_path, pages, misshapen, trusted, today })
    }

    /// Leaves files out of the check: reports that the run itself writes.
    pub fn leave_out(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            if path.starts_with(self.root()) {
                let path = globset::escape(&relative(self.root(), &path));
                self.config.exclude.get_or_insert_default().push(format!("/{path}"));
            }
        }
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.disk.root()
    }

    /// What the program ships.
    #[must_use]
    pub fn distribution(&self) -> &'static Distribution {
        self.distribution
    }

    /// All rules.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(self.distribution.pages, &self.pages)
    }

    /// The tracked files of memory with a check that is not enforced, for it cannot be read or run.
    #[must_use]
    pub fn unenforced(&self) -> BTreeSet<&str> {
        let of_memory = self.pages.iter().filter(|(path, _)| is_memory_path(path));
        let cannot_run =
            of_memory.filter(|(path, text)| remembered::validate_text(path, text).is_err());
        let cannot_run = cannot_run.map(|(path, _)| path.as_str());
        self.misshapen.iter().map(String::as_str).chain(cannot_run).collect()
    }

    /// The paths of rule pages, packs and files of memory where a pipe, a socket or a device lies,
    /// which is not read; links are not followed. None where the rules are those of a revision.
    #[must_use]
    pub fn irregular(&self) -> Vec<String> {
        if self.trusted.is_some() {
            return Vec::new();
        }
        let nested = nested(&self.disk);
        let pages = RULE_FOLDERS.into_iter().chain([PACK_FOLDER]).map(str::to_owned);
        let memories = [MEMORY_FOLDER, PLAIN_MEMORY_FOLDER, BRANCH_FOLDER].map(str::to_owned);
        let inner = nested.memories.iter().map(|folder| format!("{folder}/{MEMORY_FOLDER}"));
        let folders = pages.chain(nested.rules).chain(memories).chain(inner);
        let is_read =
            |path: &String| [".md", ".json", ".jsonl"].iter().any(|end| path.ends_with(end));
        let found = folders.flat_map(|folder| irregular_below(&self.disk, &folder));
        found.filter(is_read).collect()
    }

    /// The engine for the chosen rules.
    ///
    /// # Errors
    /// When the selection names no rule, or a glob is malformed.
    pub fn engine(&self, selection: &Selection) -> Result<Engine, ProjectError> {
        let engine = Engine::new(self.distribution, self.registry(), &self.config, selection);
        engine.map(|engine| engine.on(self.today)).map_err(|error| {
            let said = error.to_string();
            match error {
                EngineError::Params { .. } | EngineError::Pack(_) => {
                    let place = self.place_of(&said);
                    let place = place.map_or_else(String::new, |place| format!("{place}: "));
                    ProjectError::new(format!("{place}{said}"), None)
                }
                EngineError::Glob(_) | EngineError::NoFunction(_) => ProjectError::new(said, None),
                EngineError::UnknownRule { .. } => {
                    ProjectError::new(said, Some("`aidd rule list` names all rules"))
                }
            }
        })
    }

    /// Where the configuration says what `error` speaks of: parameters, or a pack. The file alone,
    /// when no place in it does.
    fn place_of(&self, error: &str) -> Option<String> {
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
        let params = wrong_params(source.text(), &registry).into_iter();
        let mut wrong = params.chain(wrong_packs(source.text(), &registry));
        let (_, range) = wrong.find(|(why, _)| error.contains(&**why))?;
        let bom = source.text().len() - source.text().trim_start_matches('\u{FEFF}').len();
        let at = source.position(Span::from(range).shift(bom).start, Encoding::CodePoints);
        Some(format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1))
    }

    /// Where the baseline lies.
    #[must_use]
    pub fn baseline_path(&self, given: Option<&Path>) -> PathBuf {
        given.map_or_else(
            || self.root().join(self.config.baseline.as_deref().unwrap_or(baseline::PATH)),
            Path::to_owned,
        )
    }

    /// The path of the project's own baseline, from the root; it lies within, links followed.
    ///
    /// # Errors
    /// When it lies outside: who wrote the configuration is not who runs the command.
    pub fn own_baseline(&self) -> Result<String, ProjectError> {
        let path = self.baseline_path(None);
        self.disk.inside(&path.to_string_lossy()).ok_or_else(|| {
            let message = format!(
                "the baseline of the configuration, {}, lies outside the project",
                path.display()
            );
            let hint = "name a file of the project under `baseline`, or this one with --baseline";
            ProjectError::new(message, Some(hint))
        })
    }

    /// The baseline at `path`; `None` when there is no file and none was asked for by name.
    ///
    /// # Errors
    /// When it cannot be read, or is malformed.
    pub fn baseline(&self, path: &Path, wanted: bool) -> Result<Option<Baseline>, ProjectError> {
        let read = match &self.trusted {
            Some(snapshot) => snapshot.read(&relative(self.root(), path), BASELINE_LIMIT),
            // What somebody typed may lie anywhere.
            None if path != self.baseline_path(None) => read_regular(path, BASELINE_LIMIT),
            None => self.disk.read_whole(&self.own_baseline()?, BASELINE_LIMIT, Links::Inside),
        };
        let read = read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        let text = match read {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted => return Ok(None),
            Err(error) => {
                let message = format!("{}: {error}", path.display());
                return Err(ProjectError::new(
                    message,
                    Some("`aidd baseline write` makes a baseline"),
                ));
            }
        };
        let read = Baseline::read(&text);
        read.map(Some).map_err(|error| malformed_baseline(path, &error))
    }
}

/// The rule pages on the disk, and those of memories; and where a check of a memory cannot be read.
fn all_pages(disk: &Disk) -> (Vec<(String, String)>, Vec<String>) {
    let nested = nested(disk);
    let mut pages = registry::project_pages(disk, &nested);
    let misshapen = add_remembered(disk, &nested.memories, &mut pages);
    (pages, misshapen)
}

/// Adds the pages of memories. Returns the tracked files with a check that cannot be read.
fn add_remembered(
    files: &dyn Files,
    nested: &[String],
    pages: &mut Vec<(String, String)>,
) -> Vec<String> {
    let Remembered { pages: own, wrong } = remembered::of_all(files, nested);
    pages.extend(own.into_iter().map(|RulePage { path, text, .. }| (path, text)));
    wrong.into_iter().map(|(path, ..)| path).collect()
}

fn malformed_baseline(path: &Path, error: &BaselineError) -> ProjectError {
    let hint = match error {
        BaselineError::Newer(_) => "use the aidd that wrote it, or a newer one",
        BaselineError::Malformed(_) | BaselineError::Conflict(_) => {
            "mend it by hand or take it from Git; deleting it and `aidd baseline write` records all of today's findings"
        }
    };
    ProjectError::new(format!("{}: {error}", path.display()), Some(hint))
}

fn read_config(path: &Path, read: io::Result<Vec<u8>>) -> Result<Config, ProjectError> {
    let bytes = read.map_err(|error| {
        let message = format!("{}: {error}", path.display());
        ProjectError::new(message, Some("`aidd init` writes a configuration"))
    })?;
    config_of(path, bytes)
}

/// The configuration in the bytes of a file.
fn config_of(path: &Path, bytes: Vec<u8>) -> Result<Config, ProjectError> {
    let source = Source::decode(path.to_string_lossy(), bytes);
    let bom = source.text().len() - source.text().trim_start_matches('\u{FEFF}').len();
    let (config, _) = config::read(source.text()).map_err(|problem| {
        let at = source.position(Span::at(problem.span.start + bom).start, Encoding::CodePoints);
        let place = format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1);
        let message = format!("{place}: {}", problem.message);
        // What is wrong with a value begins with its name; else the text is no JSON.
        let hint = if problem.message.starts_with("this is no JSON") {
            "the configuration is JSON, with comments and trailing commas; `aidd init` writes one"
        } else {
            "`aidd config schema` says what may stand there"
        };
        ProjectError::new(message, Some(hint))
    })?;
    Ok(config)
}

/// The nearest folder at or above `start` that holds `.aidd` or `.git`; else the folder of `start`.
#[must_use]
pub fn root_of(start: &Path) -> PathBuf {
    let folder = if start.is_file() { start.parent().unwrap_or(start) } else { start };
    folder
        .ancestors()
        .find(|folder| folder.join(".git").exists() || folder.join(".aidd").is_dir())
        .unwrap_or(folder)
        .to_owned()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "trees made for the tests")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_root_is_the_nearest_folder_with_a_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).expect("made");
        fs::create_dir(folder.path().join("a/.aidd")).expect("made");
        assert_eq!(root_of(&inner), folder.path().join("a"));
        fs::write(inner.join("f"), "").expect("written");
        assert_eq!(root_of(&inner.join("f")), folder.path().join("a"));
    }
}
