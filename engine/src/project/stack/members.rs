//! Which directories are searched: the members of workspaces, and the directories that are left out.

use super::{Ecosystem, MAX_DIRS, Manifest, read};
use crate::text::files::{Disk, dirs_below};

/// Directories with third-party code or build output.
const FOREIGN_DIRS: [&str; 12] = [
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    "out",
    "venv",
    "bin",
    "obj",
    "coverage",
    "__pycache__",
    "third_party",
];

/// Whether a directory contains examples or tests.
pub(super) fn is_auxiliary(folder: &str) -> bool {
    let words =
        ["test", "tests", "spec", "fixtures", "testdata", "example", "examples", "samples", "docs"];
    words.contains(&folder)
}

/// Whether a workspace of `ecosystem` in the root lists its members by a pattern for siblings of
/// `folder`. A directory that is not among these members is then no package of that ecosystem; it
/// may be one of another: pnpm's `apps/*` and `!apps/api` leave out a back end in Python.
pub(super) fn is_left_out(folder: &str, ecosystem: Ecosystem, manifests: &[Manifest]) -> bool {
    let Some((parent, _)) = folder.split_once('/') else { return false };
    let roots = manifests
        .iter()
        .filter(|manifest| manifest.folder().is_empty() && manifest.ecosystem == ecosystem);
    let mut globs = roots
        .flat_map(|manifest| &manifest.members)
        .filter(|glob| glob.contains(['*', '?', '[', '{']));
    globs.any(|glob| glob.trim_start_matches("./").split('/').next() == Some(parent))
}

/// Whether a directory contains third-party code or build output.
pub(super) fn is_foreign(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    FOREIGN_DIRS.contains(&name)
}

/// The directories that match the globs of a workspace. A glob without a match is reported as a
/// problem.
pub(super) fn members(disk: &Disk, manifest: &Manifest, problems: &mut Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    let from = manifest.folder();
    let excluded = manifest.excluded.iter().filter_map(|glob| read::resolve(from, glob));
    let excluded: Vec<_> = excluded.filter_map(|glob| matcher(&glob)).collect();
    for glob in &manifest.members {
        let Some(resolved) = read::resolve(from, glob) else {
            let message = format!("{}: member `{glob}` is outside of the project", manifest.path);
            problems.push(message);
            continue;
        };
        let folders = expand(disk, &resolved);
        if folders.is_empty() {
            problems.push(format!("{}: member `{glob}` is not a directory", manifest.path));
        }
        found.extend(folders.into_iter().filter(|folder| {
            !is_foreign(folder) && !excluded.iter().any(|glob| glob.is_match(folder))
        }));
    }
    found
}

fn matcher(glob: &str) -> Option<globset::GlobMatcher> {
    let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

/// Expands a glob to directories, segment by segment.
fn expand(disk: &Disk, glob: &str) -> Vec<String> {
    let mut folders = vec![String::new()];
    for segment in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let mut next = Vec::new();
        for folder in folders {
            if segment == "**" {
                // Deeper members must be declared explicitly.
                let below = dirs_below(disk, &folder);
                let deeper = below.iter().filter(|name| !is_foreign(name));
                let deeper: Vec<String> =
                    deeper.flat_map(|folder| dirs_below(disk, folder)).collect();
                next.push(folder);
                next.extend(below);
                next.extend(deeper);
            } else if segment.contains(['*', '?', '{', '[']) {
                let Some(matcher) = matcher(segment) else { continue };
                let name = |path: &String| path.rsplit('/').next().unwrap_or(path).to_owned();
                let below = dirs_below(disk, &folder);
                next.extend(below.into_iter().filter(|path| matcher.is_match(name(path))));
            } else {
                next.push(read::join(&folder, segment));
            }
            if next.len() > MAX_DIRS {
                next.truncate(MAX_DIRS);
                break;
            }
        }
        folders = next;
    }
    folders.retain(|folder| disk.locate(folder).is_ok_and(|path| path.is_dir()));
    folders
}
