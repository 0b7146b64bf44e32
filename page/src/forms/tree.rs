//! The form `tree`: files, directories and names.

use super::super::values::Many;
use super::Limits;
use serde::{Deserialize, Serialize};

/// The files of a project that must exist, are allowed, or must not exist. A path can contain
/// captures: `<name>` matches a segment or a part of a segment, and the same text wherever the name
/// occurs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TreeHeader {
    /// The subjects, which are the files or directories to check: paths with captures; a path that
    /// ends in `/` matches directories. Empty: the project.
    pub each: Many<String>,
    /// Paths that must exist. ` | ` separates alternatives.
    pub exists: Many<String>,
    /// Paths that must not exist.
    pub absent: Many<String>,
    /// Globs for the names that are allowed directly below the subject; all other names are
    /// reported.
    pub only: Many<String>,
    /// The required name of subjects: a case (`kebab`, `snake`, `camel`, `pascal`, `screaming`,
    /// `flat`, `lower`), `/an expression/`, `!/an expression/` that must not match, or a case
    /// defined by an expression (`kebab /[a-z-]*/`). If there are several, one must match. For
    /// files, the name up to its last dot is compared; for directories, the complete name.
    pub name: Many<String>,
    /// `true`: `name` is not reported where the project follows another convention. This is the
    /// case if most names do not match in the nearest directory, at or above the file's directory,
    /// that has at least five names of the same extension.
    pub prevailing: bool,
    /// A template with captures; its result must be different for each subject.
    pub unique: Option<String>,
    /// Size of the subject in bytes.
    pub bytes: Option<Limits>,
    /// Number of lines of the subject.
    pub lines: Option<Limits>,
    /// For directories: the number of direct entries. For files and the project: the number of
    /// subjects.
    pub count: Option<Limits>,
    /// Number of segments of the subject's path.
    pub depth: Option<Limits>,
    /// `true`: check the files in Git's index; `false`: check the files on disk, except ignored
    /// files. Default: the files on disk; `absent` checks both.
    pub tracked: Option<bool>,
}

impl TreeHeader {
    /// Whether `count` limits the number of subjects rather than the number of entries of each
    /// subject.
    pub(super) fn counts_files(&self) -> bool {
        self.count.is_some() && !self.each.iter().all(|each| each.ends_with('/'))
    }

    pub(super) fn find_error(&self) -> Option<String> {
        let requirements = [
            !self.exists.is_empty(),
            !self.absent.is_empty(),
            !self.only.is_empty(),
            !self.name.is_empty(),
            self.unique.is_some(),
            self.bytes.is_some(),
            self.lines.is_some(),
            self.count.is_some(),
            self.depth.is_some(),
        ];
        if requirements.iter().all(|requirement| !requirement) {
            return Some("`tree` has no requirement; set at least one of `exists`, `absent`, `only`, `name`, `unique`, `bytes`, `lines`, `count` and `depth`".to_owned());
        }
        let of_subjects = [
            (!self.name.is_empty(), "name"),
            (self.unique.is_some(), "unique"),
            (self.bytes.is_some(), "bytes"),
            (self.lines.is_some(), "lines"),
            (self.count.is_some(), "count"),
            (self.depth.is_some(), "depth"),
        ];
        if self.prevailing && self.name.is_empty() {
            return Some("`prevailing` applies to `name`; set `name`".to_owned());
        }
        if self.each.is_empty() {
            let misplaced = of_subjects.into_iter().find(|(is_set, _)| *is_set);
            return misplaced
                .map(|(_, name)| format!("`{name}` applies to subjects; select them with `each`"));
        }
        let limits = [
            (self.bytes, "bytes"),
            (self.lines, "lines"),
            (self.count, "count"),
            (self.depth, "depth"),
        ];
        if !self.only.is_empty() && !self.each.iter().any(|each| each.ends_with('/')) {
            return Some(
                "`only` applies to directories; end a pattern of `each` with `/`".to_owned(),
            );
        }
        limits.into_iter().find_map(|(limits, name)| Limits::find_error(limits, name))
    }
}
