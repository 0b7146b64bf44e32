//! Maps files to projects: the folders of the editor, the roots found in and above them, and the
//! workspace of each root, opened on first use.

use crate::documents::{DocumentLocation, lock};
use crate::pages::{self, UnsavedPages};
use crate::workspace::Workspace;
use aidd_engine::check::Distribution;
use aidd_engine::text::kind;
use aidd_engine::text::paths::relative;
use aidd_engine::workspace::project::{Project, marked_root};
use aidd_engine::workspace::walk::{self, Walk};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A message for the user, and the root of the project whose configuration caused the message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConfigError {
    pub(crate) root: PathBuf,
    pub(crate) message: String,
    /// Whether a finding in the configuration file states the problem.
    pub(crate) is_finding: bool,
}

/// Folders, roots and their workspaces. Opening a workspace reads the disk and must not happen on
/// an async thread.
#[derive(Debug)]
pub(crate) struct Roots {
    distribution: &'static Distribution,
    folders: Vec<PathBuf>,
    /// The configuration file that is used instead of `.aidd/config.json`, relative to each root.
    config: Option<PathBuf>,
    open: HashMap<PathBuf, Arc<Workspace>>,
    /// The texts of edited pages that have not been saved.
    pub(crate) unsaved_pages: UnsavedPages,
    /// The root of each directory looked up so far.
    root_cache: HashMap<PathBuf, Arc<Path>>,
    /// Errors that occurred when workspaces were opened, and that have not been reported yet.
    config_errors: Vec<ConfigError>,
}

impl Roots {
    /// Creates an empty set of folders with the rules of `distribution`.
    pub(crate) fn new(distribution: &'static Distribution) -> Self {
        Self {
            distribution,
            folders: Vec::new(),
            config: None,
            open: HashMap::new(),
            unsaved_pages: UnsavedPages::default(),
            root_cache: HashMap::new(),
            config_errors: Vec::new(),
        }
    }

    /// Replaces the folders.
    pub(crate) fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
        self.root_cache.clear();
        // A new folder can contain the files.
        self.open.retain(|_, workspace| !workspace.is_detached);
    }

    /// The workspace folders of the client, as absolute paths.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Sets the path of configuration files. If the path changed, reopens the open workspaces and
    /// returns true.
    pub(crate) fn set_config(&mut self, config: Option<PathBuf>) -> bool {
        let changed = self.config != config;
        self.config = config;
        if changed {
            self.reload(None);
        }
        changed
    }

    /// Discards the cached roots, because a directory that marks a root can have been created or
    /// deleted.
    pub(crate) fn clear_cache(&mut self) {
        self.root_cache.clear();
    }

    /// Returns the errors since the last call.
    pub(crate) fn config_errors(&mut self) -> Vec<ConfigError> {
        std::mem::take(&mut self.config_errors)
    }

    /// Reopens the workspace at `root`, or all open workspaces. A workspace that cannot be reopened
    /// is unchanged.
    pub(crate) fn reload(&mut self, root: Option<&Path>) {
        self.root_cache.clear();
        let roots: Vec<PathBuf> = self
            .open
            .keys()
            .filter(|open| root.is_none_or(|root| root == **open))
            .cloned()
            .collect();
        for root in roots {
            match self.read(&root) {
                Some(workspace) => drop(self.open.insert(root, workspace)),
                // Keep the last valid workspace.
                None => continue,
            }
        }
    }

    /// Reopens the workspace of the page at `path` with its unsaved text, if this affects other files;
    /// returns whether it does.
    pub(crate) fn reload_edited_page(&mut self, path: &Path) -> bool {
        let root = self.root_of(path.parent().unwrap_or(path));
        let below = relative(&root, path);
        let unsaved = lock(&self.unsaved_pages).get(path).cloned();
        let (Some(text), Some(workspace)) = (unsaved, self.open.get(&root)) else { return false };
        let pages = &workspace.project.pages;
        let used = pages.iter().find(|(known, _)| *known == below).map(|(_, text)| text.as_str());
        let is_affecting = pages::affects_files(&below, used, &text);
        if is_affecting {
            self.reload(Some(&root));
        }
        is_affecting
    }

    /// The unsaved pages of the project at `root`, by path relative to the root.
    fn unsaved_pages_of(&mut self, root: &Path) -> BTreeMap<String, String> {
        let unsaved = lock(&self.unsaved_pages).clone();
        let mut own = BTreeMap::new();
        for (path, text) in unsaved {
            if self.root_of(path.parent().unwrap_or(&path)) == root {
                own.insert(relative(root, &path), text);
            }
        }
        own
    }

    /// The workspace of a document, and its path relative to the root.
    pub(crate) fn locate(&mut self, location: &DocumentLocation) -> (Arc<Workspace>, String) {
        match location {
            DocumentLocation::File(path) => {
                let root = self.root_of(path.parent().unwrap_or(path));
                (self.workspace(&root), relative(&root, path))
            }
            DocumentLocation::Untitled(name) => {
                let current_dir = || std::env::current_dir().unwrap_or_default();
                let folder = self.folders.first().cloned().unwrap_or_else(current_dir);
                let root = self.root_of(&folder);
                (self.workspace(&root), name.clone())
            }
        }
    }

    /// The nearest directory at or above `folder` with `.aidd` or `.git`; otherwise the editor's
    /// folder that contains `folder`; otherwise `folder` itself.
    pub(crate) fn root_of(&mut self, folder: &Path) -> PathBuf {
        if let Some(root) = self.root_cache.get(folder) {
            return root.to_path_buf();
        }
        let is_root =
            |directory: &&Path| directory.join(".git").exists() || directory.join(".aidd").is_dir();
        let root = folder.ancestors().find(is_root).map(Path::to_owned).unwrap_or_else(|| {
            let containing = self.folders.iter().filter(|outer| folder.starts_with(outer));
            let innermost = containing.max_by_key(|folder| folder.components().count());
            innermost.cloned().unwrap_or_else(|| folder.to_owned())
        });
        // A project has thousands of directories, so they share the path of its root.
        let of_root = self.root_cache.get(&root).filter(|known| ***known == *root).cloned();
        let of_root = of_root.unwrap_or_else(|| root.as_path().into());
        self.root_cache.insert(folder.to_owned(), of_root);
        root
    }

    /// The workspace at `root`. It has the default settings if the settings of the project cannot
    /// be read.
    pub(crate) fn workspace(&mut self, root: &Path) -> Arc<Workspace> {
        if let Some(workspace) = self.open.get(root) {
            return workspace.clone();
        }
        let workspace = self
            .read(root)
            .unwrap_or_else(|| Arc::new(Workspace::unconfigured(self.distribution, root)));
        self.open.insert(root.to_owned(), workspace.clone());
        workspace
    }

    fn read(&mut self, root: &Path) -> Option<Arc<Workspace>> {
        let config = self.config_of(root);
        let unsaved = self.unsaved_pages_of(root);
        let previous = self.open.get(root).cloned();
        let used = previous.as_ref().map_or(&[][..], |workspace| &workspace.project.pages);
        let open = |mut project: Project| {
            pages::apply(&mut project.pages, unsaved.clone(), used);
            Workspace::from_project(project)
        };
        let opened = Project::open(self.distribution, root, config.as_deref()).and_then(open);
        let message = match &opened {
            Ok(workspace) => workspace.baseline_error.as_ref().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        let is_finding =
            opened.is_err() && config.is_none() && root.join(kind::CONFIG_PATH).is_file();
        self.config_errors.extend(message.map(|message| ConfigError {
            root: root.to_owned(),
            message,
            is_finding,
        }));
        // With settings that cannot be used, the present pages apply with the last valid settings.
        let workspace =
            opened.ok().or_else(|| open(previous.as_ref()?.project.with_present_pages()).ok());
        let is_detached = marked_root(root).is_none()
            && !self.folders.iter().any(|folder| root.starts_with(folder));
        workspace.map(|mut workspace| {
            workspace.is_detached = is_detached;
            Arc::new(workspace)
        })
    }

    /// The open workspaces whose roots are at or below `path`.
    pub(crate) fn workspaces_below(&self, path: &Path) -> impl Iterator<Item = Arc<Workspace>> {
        self.open
            .iter()
            .filter(move |(root, _)| root.starts_with(path))
            .map(|(_, open)| open.clone())
    }

    /// Whether the file at `path` is the configuration or the baseline of the project at `root`;
    /// both can be outside of the root.
    pub(crate) fn is_config_or_baseline(&self, root: &Path, path: &Path) -> bool {
        let is_baseline =
            |workspace: &Arc<Workspace>| workspace.project.baseline_path(None) == path;
        self.config_of(root).as_deref() == Some(path)
            || self.open.get(root).is_some_and(is_baseline)
    }

    /// The configuration path of the project at `root`, if it is not the default.
    fn config_of(&self, root: &Path) -> Option<PathBuf> {
        self.config.as_ref().map(|config| root.join(config))
    }
}

/// The files of all folders of the client, by workspace; see [`files_below`].
pub(crate) fn files(roots: &Mutex<Roots>) -> Vec<(Arc<Workspace>, BTreeSet<String>)> {
    let folders = lock(roots).folders.clone();
    files_below(roots, folders)
}

/// The files in `folders`, by workspace. If a directory inside a root is itself a root, its files
/// are checked with its own settings. The lock is released while the directories are read.
pub(crate) fn files_below(
    roots: &Mutex<Roots>,
    folders: Vec<PathBuf>,
) -> Vec<(Arc<Workspace>, BTreeSet<String>)> {
    let mut found: BTreeMap<PathBuf, (Arc<Workspace>, BTreeSet<String>)> = BTreeMap::new();
    let mut remaining = folders;
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    while let Some(folder) = remaining.pop() {
        if !seen.insert(folder.clone()) {
            continue;
        }
        let root = lock(roots).root_of(&folder);
        let workspace = lock(roots).workspace(&root);
        let walk = Walk::over(vec![folder]);
        let listed = walk::list(&workspace.project.config, &workspace.project.disk, &walk);
        let (_, paths) = found.entry(root.clone()).or_insert((workspace, BTreeSet::new()));
        for path in listed.unwrap_or_default() {
            let file = root.join(&path);
            let nearest_root = lock(roots).root_of(file.parent().unwrap_or(&file));
            if nearest_root == root {
                paths.insert(path);
            } else {
                remaining.push(nearest_root);
            }
        }
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("created");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn each_file_belongs_to_the_nearest_root() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path();
        for path in ["a/x", "a/b/y", "a/b/c/z", "d/e/f"] {
            write(root, path, "");
        }
        write(root, "a/.aidd/config.json", "{}");
        write(root, "a/b/.aidd/config.json", "{}");
        let mut roots = Roots::new(&crate::DISTRIBUTION);
        roots.set_folders(vec![root.to_owned()]);
        let mut path = |path: &str| {
            let (workspace, relative) = roots.locate(&DocumentLocation::File(root.join(path)));
            (workspace.project.root().strip_prefix(root).expect("below").to_owned(), relative)
        };
        assert_eq!(path("a/x"), ("a".into(), "x".to_owned()));
        assert_eq!(path("a/b/c/z"), ("a/b".into(), "c/z".to_owned()));
        assert_eq!(path("d/e/f"), ("".into(), "d/e/f".to_owned()));
        let files = files(&Mutex::new(roots));
        let listed: Vec<(usize, Vec<&str>)> = files
            .iter()
            .map(|(workspace, paths)| {
                let depth = workspace.project.root().components().count();
                (depth - root.components().count(), paths.iter().map(String::as_str).collect())
            })
            .collect();
        assert_eq!(
            listed,
            [
                (0, vec!["d/e/f"]),
                (1, vec![".aidd/config.json", "x"]),
                (2, vec![".aidd/config.json", "c/z", "y"]),
            ]
        );
    }

    #[test]
    fn a_file_outside_of_projects_and_folders_is_detached() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        for path in ["loose/a.ts", "folder/b.ts", "project/c.ts"] {
            write(root, path, "");
        }
        write(root, "project/.aidd/config.json", "{}");
        let mut roots = Roots::new(&crate::DISTRIBUTION);
        roots.set_folders(vec![root.join("folder")]);
        let files = aidd_engine::text::files::Memory::default();
        let mut is_detached = |path: &str| {
            let (workspace, _) = roots.locate(&DocumentLocation::File(root.join(path)));
            workspace.is_detached && workspace.project_findings(&files).is_none()
        };
        assert!(is_detached("loose/a.ts"));
        assert!(!is_detached("folder/b.ts"));
        assert!(!is_detached("project/c.ts"));
    }

    #[test]
    fn a_malformed_configuration_does_not_replace_the_last_valid_configuration() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path();
        write(root, ".aidd/config.json", "{\"maxFileSize\": 7}");
        let mut roots = Roots::new(&crate::DISTRIBUTION);
        assert_eq!(roots.workspace(root).engine.max_file_size(), 7);
        write(root, ".aidd/config.json", "{");
        roots.reload(None);
        assert_eq!(roots.workspace(root).engine.max_file_size(), 7);
        let config_errors = roots.config_errors();
        assert_eq!(config_errors.len(), 1, "{config_errors:?}");
        assert_eq!(roots.config_errors(), []);
        let mut new_roots = Roots::new(&crate::DISTRIBUTION);
        let default_size = aidd_engine::project::config::MAX_FILE_SIZE;
        assert_eq!(new_roots.workspace(root).engine.max_file_size(), default_size);
    }
}
