//! Fixes of findings.

use super::super::values::Yaml;
use super::{CheckHeader, Form};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The fix of a finding: exactly one action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FixHeader {
    /// For `text`: the replacement of the finding's text; `$1` and `${name}` refer to groups of the
    /// expression. An empty replacement deletes the text, which is never safe.
    pub replace: Option<String>,
    /// For `text`: remove white space at both ends of the finding's text.
    pub trim: bool,
    /// For `data`: the value to set; `same` means the value that the test compares with.
    pub set: Option<Yaml>,
    /// For `data`: remove the key or list item.
    pub remove: bool,
    /// For `tree`: create the missing file from the page's `## Template` block.
    pub create: bool,
    /// For `tree`: rename the file as `name` requires.
    pub rename: bool,
    /// For `doc`, `true`: insert the missing heading. For `text` with `require`: the text to
    /// insert. The text is inserted at the end of the file if only `last` is set, otherwise at the
    /// start, below lines that must remain first.
    pub insert: Option<Insertion>,
    /// How the inserted text is written.
    pub r#as: Option<InsertAs>,
    /// Whether the fix preserves the meaning of the file.
    pub safe: bool,
}

/// The text that a fix inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum Insertion {
    /// `true`: the heading that the check reports as missing.
    Missing(bool),
    /// The text in the page.
    Text(String),
}

/// How inserted text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum InsertAs {
    /// As a comment of the file's language; no fix is offered if the language has no comments.
    Comment,
    /// Unchanged.
    Text,
}

impl Serialize for Insertion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (serializer.is_human_readable(), self) {
            (true, Self::Missing(is_set)) => is_set.serialize(serializer),
            (true, Self::Text(text)) => text.serialize(serializer),
            (false, Self::Missing(is_set)) => (is_set, "").serialize(serializer),
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
            serde_json::Value::Bool(is_set) => Ok(Self::Missing(is_set)),
            serde_json::Value::String(text) => Ok(Self::Text(text)),
            _ => Err(serde::de::Error::custom(
                "`insert` must be `true` (for `doc`) or a string (for `text`)",
            )),
        }
    }
}

impl FixHeader {
    /// The text that a fix of a `text` check inserts.
    #[must_use]
    pub fn inserted(&self) -> Option<&str> {
        match &self.insert {
            Some(Insertion::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether a fix of a `doc` check inserts the missing heading.
    #[must_use]
    pub fn inserts_missing(&self) -> bool {
        self.insert == Some(Insertion::Missing(true))
    }

    pub(super) fn find_error(&self, check: &CheckHeader, form: Form) -> Option<String> {
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
        let set_actions: Vec<_> = actions.into_iter().filter(|(_, is_set, _)| *is_set).collect();
        let [(name, _, action_form)] = set_actions[..] else {
            return Some("a fix must have exactly one of `replace`, `trim`, `insert: TEXT` (text), `set`, `remove` (data), `create`, `rename` (tree) and `insert: true` (doc)".to_owned());
        };
        if action_form != form {
            let action = if inserts_text { "insert: TEXT" } else { name };
            return Some(format!(
                "`{action}` fixes findings of `{}`, not of `{}`",
                action_form.key(),
                form.key()
            ));
        }
        if self.r#as.is_some() && !inserts_text {
            return Some("`as` requires `insert` with a text".to_owned());
        }
        let deletes = self.replace.as_deref() == Some("");
        if self.safe && (deletes || matches!(name, "remove" | "create" | "rename")) {
            let name = if deletes { "replace: ''" } else { name };
            return Some(format!("`{name}` is never safe; remove `safe`"));
        }
        check.text.as_ref().and_then(|text| match name {
            "insert" if !text.require => Some("`insert` requires `require`".to_owned()),
            "insert" => None,
            _ if text.require => Some(format!(
                "`{name}` changes a match, but `require` reports files without a match; use `insert`"
            )),
            _ if !text.swap.is_empty() => {
                Some(format!("`swap` has its own fix; remove `{name}`"))
            }
            _ => None,
        })
    }
}
