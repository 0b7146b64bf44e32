//! What mends a finding.

use super::super::values::Yaml;
use super::{CheckHeader, Form};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What mends a finding: exactly one action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FixHeader {
    /// Of `text`: replacement of the finding's text; `$1` and `${name}` are groups of the
    /// expression. An empty one deletes, which is never safe.
    pub replace: Option<String>,
    /// Of `text`: take away the white space at both ends of the finding's text.
    pub trim: bool,
    /// Of `data`: the value to set; `same` is the one that the test compares with.
    pub set: Option<Yaml>,
    /// Of `data`: remove the key, or the item of the list.
    pub remove: bool,
    /// Of `tree`: create the missing file from the page's `## Template` block.
    pub create: bool,
    /// Of `tree`: give the file the name that `name` asks for.
    pub rename: bool,
    /// Of `doc`, `true`: insert the missing heading. Of `text` with `require`: the text to insert,
    /// with `first` or neither at the head of the file, below what must stay on top of it; with
    /// `last` alone at its end.
    pub insert: Option<Insertion>,
    /// What the inserted text becomes.
    pub r#as: Option<InsertAs>,
    /// The fix keeps the meaning of the file.
    pub safe: bool,
}

/// What a fix inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum Insertion {
    /// What the check says is missing.
    Missing(bool),
    /// This text.
    Text(String),
}

/// How inserted text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum InsertAs {
    /// As a comment of the file's language; where it has none, nothing is offered.
    Comment,
    /// As it is.
    Text,
}

impl Serialize for Insertion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (serializer.is_human_readable(), self) {
            (true, Self::Missing(yes)) => yes.serialize(serializer),
            (true, Self::Text(text)) => text.serialize(serializer),
            (false, Self::Missing(yes)) => (yes, "").serialize(serializer),
            (false, Self::Text(text)) => (false, text).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Insertion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The compiled table is not self-describing.
        if !deserializer.is_human_readable() {
            let (missing, text) = <(bool, String)>::deserialize(deserializer)?;
            return Ok(if text.is_empty() { Self::Missing(missing) } else { Self::Text(text) });
        }
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Bool(yes) => Ok(Self::Missing(yes)),
            serde_json::Value::String(text) => Ok(Self::Text(text)),
            _ => Err(serde::de::Error::custom("`insert` is `true` (doc) or a text (text)")),
        }
    }
}

impl FixHeader {
    /// The text that a fix of `text` inserts.
    #[must_use]
    pub fn inserted(&self) -> Option<&str> {
        match &self.insert {
            Some(Insertion::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether a fix of `doc` inserts the missing heading.
    #[must_use]
    pub fn inserts_missing(&self) -> bool {
        self.insert == Some(Insertion::Missing(true))
    }

    pub(super) fn misshapen(&self, check: &CheckHeader, form: Form) -> Option<String> {
        let inserts_text = matches!(self.insert, Some(Insertion::Text(_)));
        let actions = [
            ("replace", self.replace.is_some(), Form::Text),
            ("trim", self.trim, Form::Text),
            ("insert", inserts_text, Form::Text),
            ("set", self.set.is_some(), Form::Data),
            ("remove", self.remove, Form::Data),
            ("create", self.create, Form::Tree),
            ("rename", self.rename, Form::Tree),
            ("insert", self.inserts_missing(), Form::Doc),
        ];
        let given: Vec<_> = actions.into_iter().filter(|(_, given, _)| *given).collect();
        let [(name, _, of)] = given[..] else {
            return Some("a fix names exactly one of `replace`, `trim`, `insert: TEXT` (text), `set`, `remove` (data), `create`, `rename` (tree) and `insert: true` (doc)".to_owned());
        };
        if of != form {
            let shown = if inserts_text { "insert: TEXT" } else { name };
            return Some(format!(
                "`{shown}` mends findings of `{}`, not of `{}`",
                of.key(),
                form.key()
            ));
        }
        if self.r#as.is_some() && !inserts_text {
            return Some("`as` says how the text of `insert` is written".to_owned());
        }
        let deletes = self.replace.as_deref() == Some("");
        if self.safe && (deletes || matches!(name, "remove" | "create" | "rename")) {
            let name = if deletes { "replace: ''" } else { name };
            return Some(format!("`{name}` is never safe: leave out `safe`"));
        }
        check.text.as_ref().and_then(|text| match name {
            "insert" if !text.require => Some("`insert` mends what `require` misses".to_owned()),
            "insert" => None,
            _ if text.require => Some(format!(
                "`{name}` mends a match, and `require` speaks of files without one: use `insert`"
            )),
            _ if !text.swap.is_empty() => {
                Some(format!("`swap` has its own fix: leave out `{name}`"))
            }
            _ => None,
        })
    }
}
