//! The form `tree`: files, folders and names.

use super::super::values::Many;
use super::Limits;
use serde::{Deserialize, Serialize};

/// What there must be, may be and must not be among the files of a project. A path may hold
/// captures, `<name>`: part of a segment, the same wherever the name stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TreeHeader {
    /// The subjects: a path with captures; one that ends in `/` means folders. None: the project.
    pub each: Many<String>,
    /// Paths that must exist; ` | ` between some of which one must.
    pub exists: Many<String>,
    /// Paths that must not exist.
    pub absent: Many<String>,
    /// Globs of the only names allowed right below the subject.
    pub only: Many<String>,
    /// What subjects are called: a case (`kebab`, `snake`, `camel`, `pascal`, `screaming`, `flat`,
    /// `lower`), `/an expression/`, `!/an expression/` that it must not match, or a case as an
    /// expression draws its line (`kebab /[a-z-]*/`). Of several one holds. Judged is the name up to
    /// its last dot, of folders the whole.
    pub name: Many<String>,
    /// A template with captures, filled for each subject, that may come out once.
    pub unique: Option<String>,
    /// Bytes of the subject.
    pub bytes: Option<Limits>,
    /// Lines of the subject.
    pub lines: Option<Limits>,
    /// Of folders: how many entries are right below. Of files and of the project: how many
    /// subjects there are.
    pub count: Option<Limits>,
    /// How many segments the subject's path has.
    pub depth: Option<Limits>,
    /// `true`: what Git's index holds is judged; `false`: what lies on the disk, without what is
    /// ignored. Left out: the disk; `absent` judges both.
    pub tracked: Option<bool>,
}

impl TreeHeader {
    /// Whether `count` speaks of how many subjects there are, not of what lies in each.
    pub(super) fn counts_files(&self) -> bool {
        self.count.is_some() && !self.each.iter().all(|each| each.ends_with('/'))
    }

    pub(super) fn misshapen(&self) -> Option<String> {
        let demands = [
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
        if demands.iter().all(|demand| !demand) {
            return Some("`tree` demands nothing: name at least one of `exists`, `absent`, `only`, `name`, `unique`, `bytes`, `lines`, `count` and `depth`".to_owned());
        }
        let of_subjects = [
            (!self.name.is_empty(), "name"),
            (self.unique.is_some(), "unique"),
            (self.bytes.is_some(), "bytes"),
            (self.lines.is_some(), "lines"),
            (self.count.is_some(), "count"),
            (self.depth.is_some(), "depth"),
        ];
        if self.each.is_empty() {
            let without = of_subjects.into_iter().find(|(given, _)| *given);
            return without
                .map(|(_, name)| format!("`{name}` speaks of subjects: say which by `each`"));
        }
        let limits = [
            (self.bytes, "bytes"),
            (self.lines, "lines"),
            (self.count, "count"),
            (self.depth, "depth"),
        ];
        if !self.only.is_empty() && !self.each.iter().any(|each| each.ends_with('/')) {
            return Some("`only` speaks of what lies in folders: a pattern of `each` that means folders ends in `/`".to_owned());
        }
        limits.into_iter().find_map(|(limits, name)| Limits::misshapen(limits, name))
    }
}
