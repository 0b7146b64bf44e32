//! The tables of WAI-ARIA.

use super::corrections::correction;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What WAI-ARIA defines about one role.
#[derive(Debug)]
pub(super) struct Role {
    pub(super) name: &'static str,
    pub(super) is_abstract: bool,
    pub(super) is_deprecated: bool,
    /// Whether users operate elements with the role.
    pub(super) is_widget: bool,
    /// Whether elements with the role cannot have a name.
    pub(super) is_unnamable: bool,
    /// Whether the content of an element with the role can be its name.
    pub(super) is_named_by_content: bool,
    /// Whether elements with the role must have a name.
    pub(super) needs_name: bool,
    pub(super) required: Vec<&'static str>,
    supported: Vec<&'static str>,
}

/// The type of an attribute's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    kind: &'static str,
    tokens: &'static str,
}

struct Tables {
    globals: Vec<&'static str>,
    roles: HashMap<&'static str, Role>,
    attributes: HashMap<&'static str, Attribute>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| read(include_str!("aria.txt")));

fn list(text: &'static str) -> Vec<&'static str> {
    text.split(',').filter(|item| !item.is_empty()).collect()
}

fn read(text: &'static str) -> Tables {
    let mut tables =
        Tables { globals: Vec::new(), roles: HashMap::new(), attributes: HashMap::new() };
    for line in text.lines() {
        let words: Vec<&'static str> = line.split(' ').collect();
        match *words {
            ["globals", names] => tables.globals = list(names),
            ["role", name, kind, naming, named, _, required, supported] => {
                let after = |text: &'static str| list(text.split_once('=').map_or("", |(_, l)| l));
                let role = Role {
                    name,
                    is_abstract: kind == "abstract",
                    is_deprecated: kind == "deprecated",
                    is_widget: kind == "widget",
                    is_unnamable: naming == "prohibited",
                    is_named_by_content: naming == "contents",
                    needs_name: named == "named",
                    required: after(required),
                    supported: after(supported),
                };
                tables.roles.insert(name, role);
            }
            ["attribute", name, kind, ref tokens @ ..] => {
                let tokens = tokens.first().copied().unwrap_or_default();
                tables.attributes.insert(name, Attribute { kind, tokens });
            }
            _ => {}
        }
    }
    tables
}

/// The role with this name.
pub(super) fn role(name: &str) -> Option<&'static Role> {
    TABLES.roles.get(name)
}

/// The attribute with this name.
pub(super) fn attribute(name: &str) -> Option<Attribute> {
    TABLES.attributes.get(name).copied()
}

/// The names of all attributes.
pub(super) fn attribute_names() -> impl Iterator<Item = &'static str> {
    TABLES.attributes.keys().copied()
}

/// The names of all roles that elements can have.
pub(super) fn role_names() -> impl Iterator<Item = &'static str> {
    TABLES.roles.values().filter(|role| !role.is_abstract).map(|role| role.name)
}

/// Whether all elements can have the attribute.
pub(super) fn is_global(attribute: &str) -> bool {
    const DRAFT: [&str; 3] =
        ["aria-braillelabel", "aria-brailleroledescription", "aria-description"];
    TABLES.globals.contains(&attribute) || DRAFT.contains(&attribute)
}

/// Whether the number is in the range of the attribute; other values are.
pub(super) fn accepts_number(attribute: &str, value: &str) -> bool {
    let least = match attribute {
        "aria-colindex" | "aria-level" | "aria-posinset" | "aria-rowindex" => 1,
        "aria-colcount" | "aria-rowcount" | "aria-setsize" => -1,
        _ => return true,
    };
    value.parse::<i64>().map_or(true, |number| number >= least)
}

impl Role {
    /// Whether elements with the role can have the attribute.
    pub(super) fn supports(&self, attribute: &str) -> bool {
        is_global(attribute)
            || self.supported.contains(&attribute)
            || self.required.contains(&attribute)
            // The draft of 1.3 supports it on more roles.
            || self.name == "combobox" && attribute == "aria-controls"
    }
}

impl Attribute {
    /// Whether the attribute can have the value.
    pub(super) fn accepts(self, value: &str) -> bool {
        let value = &*value.to_ascii_lowercase();
        let is_boolean = matches!(value, "true" | "false");
        let is_token = |token: &str| self.tokens.split(',').any(|known| known == token);
        match self.kind {
            "boolean" => is_boolean || is_token(value),
            "tristate" => is_boolean || matches!(value, "mixed" | "undefined"),
            "token" => is_token(value),
            "tokenlist" => !value.is_empty() && value.split_ascii_whitespace().all(is_token),
            "integer" => value.parse::<i64>().is_ok(),
            "number" => value.parse::<f64>().is_ok(),
            _ => true,
        }
    }

    /// The value of the attribute that a wrong value was probably meant to be.
    pub(super) fn correction(self, value: &str) -> Option<&'static str> {
        let value = value.trim().to_ascii_lowercase();
        let has_boolean = matches!(self.kind, "boolean" | "tristate")
            || self.tokens.split(',').any(|token| token == "true");
        let booleans: &[&'static str] = if has_boolean { &["true", "false"] } else { &[] };
        match &*value {
            "yes" | "on" | "1" if has_boolean && self.kind != "tokenlist" => Some("true"),
            "no" | "off" | "0" if has_boolean && self.kind != "tokenlist" => Some("false"),
            _ if matches!(self.kind, "boolean" | "token" | "tristate") => {
                let tokens = self.tokens.split(',').filter(|token| !token.is_empty());
                correction(&value, tokens.chain(booleans.iter().copied()))
            }
            _ => None,
        }
    }

    /// Whether an empty value removes the attribute.
    pub(super) fn can_be_empty(self) -> bool {
        let is_off = || self.tokens.split(',').any(|token| token == "false");
        matches!(self.kind, "string" | "id" | "idlist") || self.kind == "token" && is_off()
    }

    /// Whether the value is text for users, or the ids of elements.
    pub(super) fn is_text(self) -> bool {
        matches!(self.kind, "string" | "id" | "idlist")
    }

    /// The values that the attribute can have, in words.
    pub(super) fn expected(self) -> String {
        match self.kind {
            "boolean" => "`true` or `false`".to_owned(),
            "tristate" => "`true`, `false` or `mixed`".to_owned(),
            "integer" => "an integer".to_owned(),
            "number" => "a number".to_owned(),
            "string" => "text".to_owned(),
            "id" | "idlist" => "the id of an element".to_owned(),
            _ => {
                let tokens: Vec<String> =
                    self.tokens.split(',').map(|token| format!("`{token}`")).collect();
                format!("one of {}", tokens.join(", "))
            }
        }
    }
}
