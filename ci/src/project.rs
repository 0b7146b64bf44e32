//! The project a command works on: its root, its configuration with where each value came from,
//! and the engine made of them.

use crate::exit::UserError;
use aidd_engine::baseline::{self, Baseline, BaselineError};
use aidd_engine::check::{Engine, REDACTED, Selection};
use aidd_engine::config::{self, Config};
use aidd_engine::files::{Disk, Files, Memory};
use aidd_engine::git::Snapshot;
use aidd_engine::kind::{CONFIG_PATH, RULE_FOLDERS};
use aidd_engine::registry::{self, Registry};
use aidd_engine::source::{Encoding, Source, Span};
use aidd_engine::walk::relative;
use anyhow::{Context, Result};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Most bytes of a configuration that is read from a revision.
const CONFIG_LIMIT: u64 = 8 << 20;

/// A project on the disk.
#[derive(Debug)]
pub struct Project {
    /// The files below its root.
    pub disk: Disk,
    /// Its settings.
    pub config: Config,
    /// Where the settings came from; `None`: there is no file.
    pub config_path: Option<PathBuf>,
    /// Its rule pages: path from the root, text.
    pub pages: Vec<(String, String)>,
    /// Where the settings, the rules and the baseline are read instead, when those on the disk are
    /// not to be trusted.
    trusted: Option<Snapshot>,
}

impl Project {
    /// The project that `start` (a file or folder) lies in: the nearest folder above it with `.aidd`
    /// or `.git`, else the folder itself.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub fn open(start: &Path, config: Option<&Path>) -> Result<Self> {
        let root = root_of(start);
        let standard = root.join(CONFIG_PATH);
        let config_path = match config {
            Some(path) => Some(path.to_owned()),
            None => standard.is_file().then_some(standard),
        };
        let config = config_path.as_deref().map_or_else(|| Ok(Config::default()), read_config)?;
        let disk = Disk::new(root);
        let pages = registry::project_pages(&disk);
        Ok(Self { disk, config, config_path, pages, trusted: None })
    }

    /// The project at `root`, whose settings, rules and baseline are those of a revision: what lies
    /// on the disk may be a stranger's.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub fn trusting(root: &Path, snapshot: Snapshot, config: Option<&Path>) -> Result<Self> {
        let path = config.map_or_else(|| root.join(CONFIG_PATH), Path::to_owned);
        let wanted = config.is_some();
        let config = match snapshot.read(&relative(root, &path), CONFIG_LIMIT) {
            Ok(bytes) => config_of(&path, bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted => Config::default(),
            Err(error) => {
                let message = format!("{} of the base: {error}", path.display());
                return Err(UserError::new(message).into());
            }
        };
        let mut below = Vec::new();
        for folder in RULE_FOLDERS {
            let files = snapshot.below(folder).with_context(|| format!("{folder} of the base"))?;
            below.extend(files.into_iter().filter(|path| path.ends_with(".md")));
        }
        let pages = registry::pages(&snapshot, below);
        let (disk, trusted) = (Disk::new(root), Some(snapshot));
        Ok(Self { disk, config, config_path: Some(path), pages, trusted })
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

    /// All rules.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(&self.pages)
    }

    /// The engine for the chosen rules.
    ///
    /// # Errors
    /// When the selection names no rule, or a glob is malformed.
    pub fn engine(&self, selection: &Selection) -> Result<Engine> {
        Engine::new(self.registry(), &self.config, selection).map_err(|error| {
            UserError::new(error.to_string()).hint("`aidd rule list` names all rules").into()
        })
    }

    /// Where the baseline lies.
    #[must_use]
    pub fn baseline_path(&self, given: Option<&Path>) -> PathBuf {
        given.map_or_else(
            || self.root().join(self.config.baseline.as_deref().unwrap_or(baseline::PATH)),
            Path::to_owned,
        )
    }

    /// The baseline at `path`; `None` when there is no file and none was asked for by name.
    ///
    /// # Errors
    /// When it cannot be read, or is malformed.
    pub fn baseline(&self, path: &Path, wanted: bool) -> Result<Option<Baseline>> {
        let read = match &self.trusted {
            Some(snapshot) => snapshot
                .read(&relative(self.root(), path), u64::MAX)
                .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other)),
            None => fs::read_to_string(path),
        };
        let text = match read {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted => return Ok(None),
            Err(error) => {
                let message = format!("{}: {error}", path.display());
                return Err(UserError::new(message)
                    .hint("`aidd baseline write` makes a baseline")
                    .into());
            }
        };
        let read = Baseline::read(&text);
        read.map(Some).map_err(|error| malformed_baseline(path, &error).into())
    }
}

fn malformed_baseline(path: &Path, error: &BaselineError) -> UserError {
    let hint = match error {
        BaselineError::Newer(_) => "use the aidd that wrote it, or a newer one",
        BaselineError::Malformed(_) | BaselineError::Conflict(_) => {
            "mend it by hand or take it from Git; deleting it and `aidd baseline write` records all of today's findings"
        }
    };
    UserError::new(format!("{}: {error}", path.display())).hint(hint)
}

fn read_config(path: &Path) -> Result<Config> {
    let bytes = fs::read(path).map_err(|error| {
        UserError::new(format!("{}: {error}", path.display()))
            .hint("`aidd init` writes a configuration")
    })?;
    config_of(path, bytes)
}

/// The configuration in the bytes of a file.
fn config_of(path: &Path, bytes: Vec<u8>) -> Result<Config> {
    let source = Source::decode(path.to_string_lossy(), bytes);
    let bom = source.text().len() - source.text().trim_start_matches('\u{FEFF}').len();
    let (config, _) = config::read(source.text()).map_err(|problem| {
        let at = source.position(Span::at(problem.span.start + bom).start, Encoding::CodePoints);
        let place = format!("{}:{}:{}", path.display(), at.line + 1, at.column + 1);
        UserError::new(format!("{place}: {}", problem.message))
            .hint("`aidd config schema` says what may stand there")
    })?;
    Ok(config)
}

/// `text` without secrets: an error may quote what stands in a file, or on the command line.
#[must_use]
pub fn redacted(text: &str) -> String {
    let engine = Engine::new(Registry::new(&[]), &Config::default(), &Selection::default());
    let Ok(engine) = engine else { return text.to_owned() };
    let source = Source::new("message", text);
    let mut text = text.to_owned();
    for span in engine.check_secrets(&source, &Memory::default()).secrets.iter().rev() {
        text.replace_range(span.range(), REDACTED);
    }
    text
}

/// The nearest folder at or above `start` that holds `.aidd` or `.git`; else the folder of `start`.
pub(crate) fn root_of(start: &Path) -> PathBuf {
    let folder = if start.is_file() { start.parent().unwrap_or(start) } else { start };
    folder
        .ancestors()
        .find(|folder| folder.join(".git").exists() || folder.join(".aidd").is_dir())
        .unwrap_or(folder)
        .to_owned()
}

/// The absolute form of `path` as seen from `cwd`, without `.` and `..`, links not followed.
#[must_use]
pub fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole
}

/// The absolute paths to check.
///
/// # Errors
/// When one does not exist, or they lie in different projects.
pub fn locate(cwd: &Path, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let located: Vec<PathBuf> = paths.iter().map(|path| absolute(cwd, path)).collect();
    for (given, path) in paths.iter().zip(&located) {
        path.symlink_metadata()
            .map_err(|error| UserError::new(format!("{}: {error}", given.display())))?;
    }
    let root = root_of(located.first().context("no path")?);
    if let Some(outside) = located.iter().position(|path| !path.starts_with(&root)) {
        let message = format!("{} does not lie below {}", paths[outside].display(), root.display());
        return Err(UserError::new(message).hint("check each project by a run of its own").into());
    }
    Ok(located)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_absolute_without_dots() {
        let at = |path: &str| absolute(Path::new("/a/b"), Path::new(path));
        assert_eq!(at("."), Path::new("/a/b"));
        assert_eq!(at("../c/./d"), Path::new("/a/c/d"));
        assert_eq!(at("/x/../y"), Path::new("/y"));
    }

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
