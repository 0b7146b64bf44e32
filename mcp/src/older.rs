//! Tool names of the memory server MAMA, with their arguments.

use crate::schema::Object;
use serde_json::Value;

/// A tool name of the memory server MAMA, which existing agent instructions can still contain. The
/// name can be the same as the current name.
#[derive(Clone, Copy, Debug)]
pub struct OlderName {
    /// The older name.
    pub name: &'static str,
    /// Arguments that were renamed or removed.
    pub arguments: &'static [(&'static str, Mapping)],
    /// Arguments that are set in every call that uses this name: pairs of a name and a JSON value.
    pub fixed: &'static [(&'static str, &'static str)],
    /// Default arguments of calls that use this name: pairs of a name and a JSON value.
    pub defaults: &'static [(&'static str, &'static str)],
}

/// How an argument of the older tool is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// The argument is renamed to this name, unless the call also contains an argument with this
    /// name.
    To(&'static str),
    /// The argument has no effect; the string contains the reason.
    Ignored(&'static str),
}

impl OlderName {
    /// Represents a call that uses a current name; all arguments remain unchanged.
    pub const NONE: Self = Self::new("");

    /// An older name whose arguments are the current arguments of the tool.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, arguments: &[], fixed: &[], defaults: &[] }
    }

    /// Translates the arguments of a call that uses this name. Returns the current arguments, and a
    /// note on each argument that has no effect.
    #[must_use]
    pub fn translate(&self, mut arguments: Object) -> (Object, Vec<String>) {
        let mut notes = Vec::new();
        for (old, mapping) in self.arguments {
            match mapping {
                Mapping::To(current) if arguments.contains_key(*current) => {}
                Mapping::To(current) => {
                    if let Some(value) = arguments.remove(*old) {
                        arguments.insert((*current).to_owned(), value);
                    }
                }
                Mapping::Ignored(reason) => {
                    if arguments.remove(*old).is_some() {
                        notes.push(format!("`{old}` has no effect: {reason}"));
                    }
                }
            }
        }
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
        for (name, json) in self.fixed {
            arguments.insert((*name).to_owned(), value(json));
        }
        for (name, json) in self.defaults {
            arguments.entry(*name).or_insert_with(|| value(json));
        }
        (arguments, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::normalized;
    use crate::tools;
    use serde_json::json;

    #[test]
    fn every_mapping_targets_an_existing_argument() {
        let mut seen = 0;
        for tool in tools::all() {
            let input = tool.input();
            let has_argument = |name: &str| input["properties"].get(name).is_some();
            for older in tool.older {
                assert_eq!(normalized(older.name), older.name);
                for (old, mapping) in older.arguments {
                    assert!(
                        !has_argument(old),
                        "{}: `{old}` is an argument of the tool",
                        older.name
                    );
                    if let Mapping::To(name) = mapping {
                        assert!(has_argument(name), "{}: no argument `{name}`", older.name);
                    }
                }
                for (name, value) in older.fixed.iter().chain(older.defaults) {
                    assert!(has_argument(name), "{}: no argument `{name}`", older.name);
                    assert!(serde_json::from_str::<Value>(value).is_ok(), "{}", older.name);
                }
                seen += 1;
            }
        }
        assert!(seen >= 8, "{seen}");
    }

    #[test]
    fn passed_arguments_override_defaults() {
        let older = OlderName {
            arguments: &[("old", Mapping::To("new")), ("gone", Mapping::Ignored("not needed"))],
            fixed: &[("kind", "\"decision\"")],
            defaults: &[("limit", "20")],
            ..OlderName::new("x")
        };
        let translated = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("an object") };
            let (arguments, notes) = older.translate(arguments);
            (Value::Object(arguments), notes.join("; "))
        };
        assert_eq!(
            translated(json!({"old": 1, "gone": 2, "kind": "mistake", "limit": 3})),
            (
                json!({"new": 1, "kind": "decision", "limit": 3}),
                "`gone` has no effect: not needed".to_owned()
            )
        );
        // If both are set, the tool rejects the older argument as unknown.
        assert_eq!(
            translated(json!({"old": 1, "new": 2})).0,
            json!({"old": 1, "new": 2, "kind": "decision", "limit": 20})
        );
    }
}
