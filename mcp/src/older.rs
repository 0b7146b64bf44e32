//! Names that tools had in earlier products, with the arguments that they took there.

use crate::schema::Object;
use serde_json::Value;

/// A name that an earlier product gave to a tool; the tool's own name, where both had it.
#[derive(Clone, Copy, Debug)]
pub struct Older {
    /// The name.
    pub name: &'static str,
    /// Its arguments that have another name now, or none.
    pub arguments: &'static [(&'static str, Mapping)],
    /// Arguments that a call by this name always has: the name, and the value as JSON.
    pub fixed: &'static [(&'static str, &'static str)],
    /// Arguments that a call by this name has unless it gives others.
    pub usual: &'static [(&'static str, &'static str)],
}

/// What becomes of an argument of an older name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// It is passed on as this argument, unless that is given as well.
    To(&'static str),
    /// It has no effect; why.
    Ignored(&'static str),
}

impl Older {
    /// No name: all arguments are passed on.
    pub const NONE: Self = Self::new("");

    /// A name whose arguments are those of the tool.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, arguments: &[], fixed: &[], usual: &[] }
    }

    /// The arguments of a call by this name as the tool takes them, and a note on each that has no
    /// effect.
    #[must_use]
    pub fn translated(&self, mut arguments: Object) -> (Object, Vec<String>) {
        let mut notes = Vec::new();
        for (old, mapping) in self.arguments {
            match mapping {
                Mapping::To(own) if arguments.contains_key(*own) => {}
                Mapping::To(own) => {
                    if let Some(value) = arguments.remove(*old) {
                        arguments.insert((*own).to_owned(), value);
                    }
                }
                Mapping::Ignored(why) => {
                    if arguments.remove(*old).is_some() {
                        notes.push(format!("`{old}` has no effect: {why}"));
                    }
                }
            }
        }
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
        for (name, json) in self.fixed {
            arguments.insert((*name).to_owned(), value(json));
        }
        for (name, json) in self.usual {
            arguments.entry(*name).or_insert_with(|| value(json));
        }
        (arguments, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::plain;
    use crate::tools;
    use serde_json::json;

    #[test]
    fn every_mapping_leads_to_an_argument_of_its_tool() {
        let mut seen = 0;
        for tool in tools::all() {
            let input = tool.input();
            let own = |name: &str| input["properties"].get(name).is_some();
            for older in tool.older {
                assert_eq!(plain(older.name), older.name);
                for (old, mapping) in older.arguments {
                    assert!(!own(old), "{}: `{old}` is an argument of the tool", older.name);
                    if let Mapping::To(name) = mapping {
                        assert!(own(name), "{}: there is no `{name}`", older.name);
                    }
                }
                for (name, value) in older.fixed.iter().chain(older.usual) {
                    assert!(own(name), "{}: there is no `{name}`", older.name);
                    assert!(serde_json::from_str::<Value>(value).is_ok(), "{}", older.name);
                }
                seen += 1;
            }
        }
        assert!(seen >= 8, "{seen}");
    }

    #[test]
    fn what_is_given_goes_before_what_is_usual() {
        let older = Older {
            arguments: &[("old", Mapping::To("new")), ("gone", Mapping::Ignored("not needed"))],
            fixed: &[("kind", "\"decision\"")],
            usual: &[("limit", "20")],
            ..Older::new("x")
        };
        let translated = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("an object") };
            let (arguments, notes) = older.translated(arguments);
            (Value::Object(arguments), notes.join("; "))
        };
        assert_eq!(
            translated(json!({"old": 1, "gone": 2, "kind": "mistake", "limit": 3})),
            (
                json!({"new": 1, "kind": "decision", "limit": 3}),
                "`gone` has no effect: not needed".to_owned()
            )
        );
        // Both are given: the tool refuses the one it does not know.
        assert_eq!(
            translated(json!({"old": 1, "new": 2})).0,
            json!({"old": 1, "new": 2, "kind": "decision", "limit": 20})
        );
    }
}
