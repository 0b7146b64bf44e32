//! Determines which locations of an error are in the project's own files.

use super::trace::{Frame, Trace};
use aidd_engine::text::files::{Disk, Files, dirs_below};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Maximum number of files that are looked up in one diagnosis.
const MAX_LOOKUPS: usize = 512;

/// Maximum number of directories of a project in which a file is searched by its name.
const MAX_SEARCHED_DIRS: usize = 2_000;

/// Directories of third-party code.
const VENDOR_DIRS: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".tox",
    ".cargo",
    "rustlib",
    ".rustup",
    ".m2",
    ".gradle",
    ".nuget",
    "gems",
    ".rbenv",
    ".rvm",
    ".bundle",
    ".pub-cache",
    "Pods",
    "DerivedData",
    "target",
    ".yarn",
    ".pnpm",
];

/// Path prefixes that are never part of a project.
const FOREIGN_PREFIXES: &[&str] = &[
    "<",
    "node:",
    "internal/",
    "dart:",
    "/rustc/",
    "rustc/",
    "native:",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/go/",
    "/usr/include",
    "/System/",
    "/Library/",
    "chrome-extension:",
    "java.base",
];

/// Directories that contain packages, for locations that state the package instead of the path.
const SOURCE_DIRS: &[&str] = &[
    "src/main/java",
    "src/main/kotlin",
    "src/main/scala",
    "src/test/java",
    "src/test/kotlin",
    "src/test/scala",
    "src",
    "app/src/main/java",
    "app/src/main/kotlin",
    "",
];

/// Finds the project files of stack frames. Each location is looked up only once.
pub(super) struct FrameLocator<'a> {
    disk: &'a Disk,
    known: BTreeMap<(String, Option<String>), Option<String>>,
    /// The directories below the root that are searched for the modules of packages.
    directories: OnceCell<Vec<String>>,
}

impl<'a> FrameLocator<'a> {
    /// Creates a locator for the project below `disk`.
    pub(super) fn new(disk: &'a Disk) -> Self {
        Self { disk, known: BTreeMap::new(), directories: OnceCell::new() }
    }

    /// Sets the project files of the frames, and of the mentioned files that exist.
    pub(super) fn locate(&mut self, trace: &mut Trace) {
        self.set_project_files(&mut trace.frames);
        self.set_project_files(&mut trace.mentions);
        for mention in &mut trace.mentions {
            mention.project_path =
                mention.project_path.take().filter(|path| self.disk.exists(path));
        }
    }

    /// Sets the project file of each frame. Locations in the error itself are looked up first.
    fn set_project_files(&mut self, frames: &mut [Frame]) {
        for frame in frames {
            let key = (frame.file.clone(), package_of(frame));
            if !self.known.contains_key(&key) {
                if self.known.len() == MAX_LOOKUPS {
                    continue;
                }
                let project_path = self.find(&key.0, key.1.as_deref());
                self.known.insert(key.clone(), project_path);
            }
            frame.project_path = self.known.get(&key).cloned().flatten();
        }
    }

    /// The project file of a location.
    fn find(&self, file: &str, package: Option<&str>) -> Option<String> {
        let disk = self.disk;
        let path = file.replace('\\', "/");
        if FOREIGN_PREFIXES.iter().any(|start| path.starts_with(start)) {
            return None;
        }
        let path = match path.strip_prefix("package:").and_then(|rest| rest.split_once('/')) {
            // In Dart, the rest of the location is a path below the `lib` directory of a package.
            // If that file exists in the project, the package is this project.
            Some((_, rest)) => format!("lib/{rest}"),
            None => without_wrappers(&path).to_owned(),
        };
        let path = path.as_str();
        if path.split('/').any(|part| VENDOR_DIRS.contains(&part)) {
            return relative_to_root(disk, path)
                .filter(|relative| !is_vendored(relative))
                .filter(|relative| disk.exists(relative));
        }
        if let Some(package) = package {
            return self.find_in_package(package, path);
        }
        if let Some(relative) = relative_to_root(disk, path) {
            return Some(relative);
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return None;
        }
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        // The output can come from another machine or a container, so only the longest suffix of
        // the path that exists in the project is used.
        (0..parts.len().min(12))
            .find_map(|from| {
                let suffix = parts[from..].join("/");
                // A file name alone is too ambiguous, unless the file was near the root.
                let is_specific = from + 1 < parts.len()
                    || (from <= 2 && is_absolute)
                    || from == 0
                    || Some(parts[from - 1]) == self.root_name();
                (is_specific && disk.exists(&suffix)).then_some(suffix)
            })
            .or_else(|| self.find_by_name(parts.as_slice()))
    }

    /// The name of the project's directory, which is often the same on other machines.
    fn root_name(&self) -> Option<&str> {
        self.disk.root().file_name()?.to_str()
    }

    /// The only project file with a name, for locations without a directory, as in Go tests.
    fn find_by_name(&self, parts: &[&str]) -> Option<String> {
        let [name] = parts else { return None };
        let dirs = self.directories.get_or_init(|| dirs_below(self.disk, ""));
        if dirs.len() > MAX_SEARCHED_DIRS {
            return None;
        }
        let mut found = dirs
            .iter()
            .filter(|dir| !is_vendored(dir))
            .map(|dir| format!("{dir}/{name}"))
            .filter(|path| self.disk.exists(path));
        found.next().filter(|_| found.next().is_none())
    }

    fn find_in_package(&self, package: &str, file: &str) -> Option<String> {
        let name = if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") };
        let find_below = |module: &str| {
            SOURCE_DIRS.iter().find_map(|source| {
                let parts = [module, source, &name];
                let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                let path = parts.join("/");
                self.disk.exists(&path).then_some(path)
            })
        };
        find_below("").or_else(|| {
            let modules = self.directories.get_or_init(|| dirs_below(self.disk, ""));
            modules
                .iter()
                .filter(|module| !is_vendored(module))
                .find_map(|module| find_below(module))
        })
    }
}

/// The package directory of a class, from the full name of its function: `com/acme` for
/// `com.acme.Cart.add` in `Cart.java`.
fn package_of(frame: &Frame) -> Option<String> {
    let is_class =
        [".java", ".kt", ".scala", ".groovy"].iter().any(|end| frame.file.ends_with(end));
    if !is_class || frame.file.contains('/') {
        return None;
    }
    let mut parts: Vec<&str> = frame.function.as_deref()?.split('.').collect();
    // The last two parts are the class and the method.
    parts.truncate(parts.len().saturating_sub(2));
    Some(parts.join("/"))
}

/// Returns the path without prefixes and suffixes that bundlers, browsers and packages add.
fn without_wrappers(path: &str) -> &str {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let path = path.split_once("webpack-internal:///").map_or(path, |(_, rest)| rest);
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, rest)| rest),
        None => path,
    };
    let path = match path.strip_prefix('(').and_then(|rest| rest.split_once(")/")) {
        Some((_, rest)) => rest,
        None => path,
    };
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    // The path of a file URL has a slash before the drive: `/C:/x`.
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

/// Returns an absolute path relative to the root, if the path is below the root.
fn relative_to_root(disk: &Disk, path: &str) -> Option<String> {
    let root = disk.root().to_string_lossy().replace('\\', "/");
    let rest = path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?;
    let is_clean = rest.split('/').all(|part| !matches!(part, ".." | "." | ""));
    is_clean.then(|| rest.to_owned())
}

fn is_vendored(path: &str) -> bool {
    path.split('/').any(|part| VENDOR_DIRS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project_file(root: &std::path::Path, file: &str, function: &str) -> Option<String> {
        let function = Some(function.to_owned()).filter(|name| !name.is_empty());
        let mut frames = [Frame { file: file.to_owned(), function, ..Frame::default() }];
        FrameLocator::new(&Disk::new(root)).set_project_files(&mut frames);
        frames[0].project_path.clone()
    }

    #[test]
    fn the_number_of_lookups_is_limited() {
        let folder = tempfile::TempDir::new().expect("a directory");
        let disk = Disk::new(folder.path());
        let mut locator = FrameLocator::new(&disk);
        for number in 0..MAX_LOOKUPS * 3 {
            locator.set_project_files(&mut [Frame {
                file: format!("src/{number}.ts"),
                ..Frame::default()
            }]);
        }
        assert_eq!(locator.known.len(), MAX_LOOKUPS);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes files")]
    fn project_files_are_distinguished_from_others() {
        let folder = tempfile::TempDir::new().expect("a directory");
        let root = folder.path();
        for path in [
            "src/user.ts",
            "lib/cart.dart",
            "main.py",
            "node_modules/pg/index.js",
            "shop/src/main/java/com/acme/Cart.java",
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            std::fs::write(path, "").expect("written");
        }
        let missing = format!("{}/src/gone.ts", root.display());
        assert_eq!(project_file(root, &missing, "").as_deref(), Some("src/gone.ts"));
        for file in [
            "src/user.ts",
            "./src/user.ts",
            "/home/runner/work/app/app/src/user.ts",
            "C:\\work\\app\\src\\user.ts",
            "file:///srv/app/src/user.ts",
            "webpack-internal:///(rsc)/./src/user.ts",
            "http://localhost:5173/src/user.ts?t=17",
        ] {
            assert_eq!(project_file(root, file, "").as_deref(), Some("src/user.ts"), "{file}");
        }
        assert_eq!(project_file(root, "/app/main.py", "").as_deref(), Some("main.py"));
        assert_eq!(
            project_file(root, "package:shop/cart.dart", "").as_deref(),
            Some("lib/cart.dart")
        );
        let java = project_file(root, "Cart.java", "com.acme.Cart.add");
        assert_eq!(java.as_deref(), Some("shop/src/main/java/com/acme/Cart.java"));
        for file in [
            "node_modules/pg/index.js",
            "/rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs",
            "node:internal/process/task_queues",
            "/usr/lib/python3.12/main.py",
            "../src/user.ts",
            "src/other.ts",
            "<frozen importlib._bootstrap>",
            "",
        ] {
            assert_eq!(project_file(root, file, ""), None, "{file}");
        }
        assert_eq!(project_file(root, "Cart.java", "com.other.Cart.add"), None);
    }
}
