//! The check in the header of a page: which files it checks, when it runs, and exactly one form,
//! the form of the check (`text`, `syntax`, …).

mod change;
mod data;
mod dependencies;
mod document;
mod fix;
mod imports;
mod pattern;
mod tree;

use super::values::{Many, Yaml};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use change::*;
pub use data::*;
pub use dependencies::*;
pub use document::*;
pub use fix::*;
pub use imports::*;
pub use pattern::*;
pub use tree::*;

/// The check of a page: which files it checks, and exactly one form. Rarely used forms are boxed,
/// because more than a thousand checks are moved at startup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CheckHeader {
    /// Globs of the paths to check. Empty: the files that the form implies.
    #[serde(deserialize_with = "super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub files: Vec<String>,
    /// Globs of the paths to exclude.
    #[serde(deserialize_with = "super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub exclude: Vec<String>,
    /// The condition under which the check runs; if it is a list, at least one condition must be
    /// met.
    pub when: Many<WhenHeader>,
    /// Names and default values of the parameters that the configuration can set. Use `"${name}"`
    /// instead of a value.
    pub params: BTreeMap<String, Yaml>,
    /// A regular expression matched against the text.
    pub text: Option<TextHeader>,
    /// An ast-grep rule matched against the syntax tree.
    pub syntax: Option<Box<SyntaxHeader>>,
    /// The files and directories that exist, and their names.
    pub tree: Option<Box<TreeHeader>>,
    /// Values in JSON, YAML, TOML and Markdown front matter.
    pub data: Option<Box<DataHeader>>,
    /// Which parts of the code can import which.
    pub layers: Option<Box<LayersHeader>>,
    /// Dependencies that manifests declare, compared with the imports of the project.
    pub dependencies: Option<Box<DependenciesHeader>>,
    /// Commit messages, the branch, and the files that a change touches.
    pub commit: Option<Box<CommitHeader>>,
    /// The structure of Markdown documents.
    pub doc: Option<Box<DocHeader>>,
    /// The fix of a finding of `text`, `tree`, `data` or `doc`.
    pub fix: Option<Box<FixHeader>>,
}

/// The forms of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `text`: a regular expression.
    Text,
    /// `syntax`: a syntax pattern.
    Syntax,
    /// `tree`: files and names.
    Tree,
    /// `data`: values in data files.
    Data,
    /// `layers`: imports between parts of the code.
    Layers,
    /// `dependencies`: manifests and imports.
    Dependencies,
    /// `commit`: commits, branches and changes.
    Commit,
    /// `doc`: Markdown documents.
    Doc,
}

impl Form {
    /// All forms, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Syntax,
        Self::Tree,
        Self::Data,
        Self::Layers,
        Self::Dependencies,
        Self::Commit,
        Self::Doc,
    ];

    /// The key of the form in the header.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Syntax => "syntax",
            Self::Tree => "tree",
            Self::Data => "data",
            Self::Layers => "layers",
            Self::Dependencies => "dependencies",
            Self::Commit => "commit",
            Self::Doc => "doc",
        }
    }
}

impl CheckHeader {
    /// The form; `None` if the header has not been validated by [`header`](super::header).
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        Form::ALL.into_iter().find(|&form| self.has(form))
    }

    /// Whether the check reports files without a match.
    #[must_use]
    pub fn requires(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.require)
    }

    /// The reason why parameters cannot be set for some paths only. `None` when each file or
    /// directory is checked separately, so that the parameters can differ.
    #[must_use]
    pub fn reason_not_settable_by_path(&self) -> Option<&'static str> {
        let tree = self.tree.as_deref();
        match self.form()? {
            Form::Commit => Some("the rule checks commits, not files"),
            Form::Tree if tree.is_some_and(|tree| tree.each.is_empty()) => {
                Some("without `each`, the rule checks the project as a whole")
            }
            Form::Tree if tree.is_some_and(|tree| tree.unique.is_some()) => {
                Some("`unique` compares files of different directories")
            }
            Form::Tree if tree.is_some_and(TreeHeader::counts_files) => {
                Some("`count` counts files of different directories together")
            }
            Form::Layers
                if self.layers.as_ref().is_some_and(|layers| !layers.acyclic.is_empty()) =>
            {
                Some("a cycle of `acyclic` can span several directories")
            }
            _ => None,
        }
    }

    fn has(&self, form: Form) -> bool {
        match form {
            Form::Text => self.text.is_some(),
            Form::Syntax => self.syntax.is_some(),
            Form::Tree => self.tree.is_some(),
            Form::Data => self.data.is_some(),
            Form::Layers => self.layers.is_some(),
            Form::Dependencies => self.dependencies.is_some(),
            Form::Commit => self.commit.is_some(),
            Form::Doc => self.doc.is_some(),
        }
    }

    /// Finds an error that the types do not exclude; returns the key at fault and the message.
    pub(super) fn find_error(&self) -> Option<(&'static str, String)> {
        let forms = Form::ALL.into_iter().filter(|&form| self.has(form)).count();
        if forms != 1 {
            let known = Form::ALL.map(|form| format!("`{}`", form.key())).join(", ");
            return Some(("check", format!("a check must have exactly one of {known}")));
        }
        let form = self.form()?;
        let error = match form {
            Form::Text => self.text.as_ref().and_then(TextHeader::find_error),
            Form::Tree => self.tree.as_ref().and_then(|form| form.find_error()),
            Form::Data => self.data.as_ref().and_then(|form| form.find_error()),
            Form::Layers => self.layers.as_ref().and_then(|form| form.find_error()),
            Form::Dependencies => self.dependencies.as_ref().and_then(|form| form.find_error()),
            Form::Commit => self.commit.as_ref().and_then(|form| form.find_error()),
            Form::Doc => self.doc.as_ref().and_then(|form| form.find_error()),
            Form::Syntax => None,
        };
        let in_form = error.map(|message| (form.key(), message));
        let in_when = || self.when.iter().find_map(WhenHeader::find_error).map(|why| ("when", why));
        let in_fix = || Some(("fix", self.fix.as_ref()?.find_error(self, form)?));
        in_form.or_else(in_when).or_else(in_fix)
    }
}

/// The conditions under which a check runs; all conditions that are set must be met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct WhenHeader {
    /// Globs; at least one must match a file of the project.
    pub file: Many<String>,
    /// File names; at least one must exist in the directory of the checked file or in a parent
    /// directory.
    pub nearest: Many<String>,
    /// A test that a value in the file under `file` must pass.
    pub data: Option<DataHeader>,
    /// Globs; at least one must match the branch name.
    pub branch: Many<String>,
    /// Globs; at least one must match a path that the change touches. The condition is met when
    /// there is no change to check.
    pub changed: Many<String>,
    /// A condition that must not be met.
    pub not: Option<Box<WhenHeader>>,
}

impl WhenHeader {
    fn find_error(&self) -> Option<String> {
        let keys = [
            !self.file.is_empty(),
            !self.nearest.is_empty(),
            self.data.is_some(),
            !self.branch.is_empty(),
            !self.changed.is_empty(),
            self.not.is_some(),
        ];
        if keys.iter().all(|key| !key) {
            return Some("a condition requires at least one of `file`, `nearest`, `data`, `branch`, `changed` and `not`".to_owned());
        }
        if let Some(data) = &self.data {
            if data.file.is_none() {
                return Some("`data` of a condition requires `file`".to_owned());
            }
            if let Some(error) = data.find_test_error() {
                return Some(error);
            }
        }
        let inner = self.not.as_deref()?;
        if inner.not.is_some() {
            return Some("`not` cannot be nested in `not`".to_owned());
        }
        inner.find_error()
    }
}

/// A minimum and a maximum, both inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Limits {
    /// The minimum, inclusive.
    pub min: Option<u64>,
    /// The maximum, inclusive.
    pub max: Option<u64>,
}

impl Limits {
    /// Whether `number` is within the limits.
    #[must_use]
    pub fn contains(self, number: u64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }

    /// The limits in words: `at most 3`.
    #[must_use]
    pub fn describe(self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => format!("exactly {min}"),
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "any number".to_owned(),
        }
    }

    fn find_error(limits: Option<Self>, name: &str) -> Option<String> {
        let limits = limits?;
        match (limits.min, limits.max) {
            (None, None) => Some(format!("`{name}` requires `min`, `max` or both")),
            (Some(min), Some(max)) if min > max => {
                Some(format!("`{name}`: {min} is more than {max}"))
            }
            _ => None,
        }
    }
}
