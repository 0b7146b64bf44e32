//! Names in statistics. Everything else that was text is left out.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Maximum length of a name in bytes.
const MAX_BYTES: usize = 80;

/// A name of a tool, page, rule, memory or model: short, without spaces, so that a sentence is not a
/// name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The name, or `None` if `text` is not a name.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@+#{}".contains(&byte);
        let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        (text.len() <= MAX_BYTES && has_letter && text.bytes().all(is_part))
            .then(|| Self(text.to_owned()))
    }

    /// The text of the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(&text).ok_or_else(|| "not a name".to_owned())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}
