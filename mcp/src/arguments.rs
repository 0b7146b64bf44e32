//! Checks arguments against the schema of a tool. Arguments that do not match are rejected, because
//! an argument that is silently dropped or converted has an effect that the agent does not expect.

use crate::schema::Object;
use aidd_engine::parse::json_schema::{Node, branches, faults, listed};
use serde_json::Value;

/// Declares which arguments can be passed with which value of another argument. Other combinations
/// are rejected, not ignored.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The argument whose value decides which other arguments are allowed, such as `action`.
    pub argument: &'static str,
    /// The default value of `argument`; empty if `argument` is required.
    pub default: &'static str,
    /// Pairs of values and the arguments allowed with them. An argument that is not listed is
    /// allowed with every value.
    pub allowed: &'static [(&'static [&'static str], &'static [&'static str])],
}

/// Maximum number of problems reported at once.
const MAX_PROBLEMS: usize = 8;

/// Compares `arguments` with `schema`. Returns one sentence per problem.
#[must_use]
pub fn problems(schema: &Object, arguments: &Object) -> Vec<String> {
    let faults = faults(schema, Node::Object(arguments), "argument", MAX_PROBLEMS);
    faults.into_iter().map(|fault| fault.message).collect()
}

/// Returns one sentence for each of the `arguments` that is not allowed with the selected value.
#[must_use]
pub fn find_misplaced(choice: &Choice, arguments: &Object) -> Vec<String> {
    let value = match arguments.get(choice.argument) {
        Some(Value::String(value)) => value.clone(),
        Some(other) => other.to_string(),
        None => choice.default.to_owned(),
    };
    let mut problems = Vec::new();
    for (values, names) in choice.allowed.iter().filter(|(values, _)| !values.contains(&&*value)) {
        let present = names.iter().filter(|name| arguments.contains_key(**name));
        problems.extend(present.map(|name| {
            format!(
                "`{name}` is only allowed if `{}` is {}; it is `{value}`",
                choice.argument,
                format_alternatives(values)
            )
        }));
    }
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// Formats `values` as "`a`, `b` or `c`".
fn format_alternatives(values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    match values.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => values.concat(),
    }
}

/// Removes null arguments: many clients send null for an absent argument.
#[must_use]
pub fn without_null(mut arguments: Object) -> Object {
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// An alternative spelling of an enum value: the name of the argument, the alternative spelling
/// (compared without regard to case), and the value in the schema.
pub type ValueAlias = (&'static str, &'static str, &'static str);

/// Replaces enum values with their spelling in the schema, ignoring case; `aliases` are alternative
/// spellings.
pub fn normalize_enum_values(schema: &Object, aliases: &[ValueAlias], arguments: &mut Object) {
    for (name, alias, listed_value) in aliases {
        if let Some(Value::String(word)) = arguments.get_mut(*name)
            && word.trim().eq_ignore_ascii_case(alias)
        {
            (*listed_value).clone_into(word);
        }
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, value) in arguments {
        let Value::String(word) = value else { continue };
        let Some(property) = properties.get(name).and_then(Value::as_object) else { continue };
        let words: Vec<&str> = branches(schema, property).into_iter().flat_map(listed).collect();
        if words.contains(&word.as_str()) {
            continue;
        }
        if let Some(listed) =
            words.iter().find(|listed_value| listed_value.eq_ignore_ascii_case(word.trim()))
        {
            (*listed).clone_into(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error_text(arguments: Value) -> String {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "kind": {"type": "string", "enum": ["decision", "mistake"]},
                "ids": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "date": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "provider": {
                    "type": "object",
                    "properties": {"model": {"type": "string"}},
                    "required": ["model"]
                },
                "list": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "free": {},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else {
            panic!("expected objects");
        };
        problems(&schema, &arguments).join("\n")
    }

    #[test]
    fn valid_arguments_are_accepted() {
        assert_eq!(
            error_text(json!({
                "query": "q", "limit": 100, "kind": "mistake", "ids": ["a", "b"], "date": 4,
                "provider": {"model": "m"}, "list": {"x": true}, "free": [null, {"a": 1}],
            })),
            ""
        );
    }

    #[test]
    fn each_problem_contains_its_path_and_the_expected_type() {
        insta::assert_snapshot!(error_text(json!({"qurey": "q"})), @"
        unknown argument `qurey`; did you mean `query`?
        `query` is missing (What to look for)
        ");
        insta::assert_snapshot!(error_text(json!({"query": 7, "colour": 1})), @"
        `query`: expected a string, found 7; put it in quotes
        unknown argument `colour`; nearest: `provider`, `list`, `limit`
        ");
        insta::assert_snapshot!(error_text(json!({"query": "q", "limit": "5"})), @r#"`limit`: expected an integer, found the string "5"; remove the quotes"#);
        insta::assert_snapshot!(error_text(json!({"query": "q", "limit": 2.5})), @"`limit`: expected an integer, found 2.5");
        insta::assert_snapshot!(error_text(json!({"query": "q", "limit": 0})), @"`limit` must be at least 1, found 0");
        insta::assert_snapshot!(error_text(json!({"query": "q", "limit": 101})), @"`limit` must be at most 100, found 101");
        insta::assert_snapshot!(error_text(json!({"query": "q", "kind": "decisions"})), @r#"`kind`: expected `decision` or `mistake`, found the string "decisions"; did you mean `decision`?"#);
        insta::assert_snapshot!(error_text(json!({"query": "q", "ids": "a"})), @r#"`ids`: expected a list of strings, found the string "a"; put it in brackets"#);
        insta::assert_snapshot!(error_text(json!({"query": "q", "ids": ["a", 2]})), @"`ids[1]`: expected a string, found 2; put it in quotes");
        insta::assert_snapshot!(error_text(json!({"query": "q", "ids": ["a", "b", "c"]})), @"`ids` must have at most 2 items, found 3");
        insta::assert_snapshot!(error_text(json!({"query": "q", "date": true})), @"`date`: expected a string or an integer, found true");
        insta::assert_snapshot!(error_text(json!({"query": "q", "provider": {"modle": "m"}})), @"
        unknown key `modle` in `provider`; did you mean `model`?
        `provider.model` is missing
        ");
        insta::assert_snapshot!(error_text(json!({"query": "q", "list": {"x": 1}})), @"`list.x`: expected true or false, found 1");
    }

    #[test]
    fn the_number_of_problems_is_bounded() {
        let long_list: Vec<u32> = vec![0; 10_000];
        let unknown_arguments: Object = (0..10_000).map(|n| (format!("x{n}"), json!(1))).collect();
        let schema = json!({
            "properties": {"ids": {"type": "array", "items": {"anyOf": [{"type": "string"}]}}},
            "additionalProperties": false,
        });
        for arguments in
            [[("ids".to_owned(), json!(long_list))].into_iter().collect(), unknown_arguments]
        {
            let schema = schema.as_object().expect("an object");
            assert_eq!(problems(schema, &arguments).len(), MAX_PROBLEMS);
        }
    }

    #[test]
    fn enum_values_ignore_case() {
        let schema = json!({
            "properties": {
                "outcome": {"$ref": "#/$defs/Came"},
                "kind": {"anyOf": [{"enum": ["decision", "mistake"]}, {"type": "null"}]},
                "free": {"type": "string"},
            },
            "$defs": {"Came": {"type": "string", "enum": ["SUCCESS", "FAILED"]}},
        });
        let arguments =
            json!({"outcome": " failed", "kind": "Decision", "free": "FAILED", "x": "y"});
        let (Value::Object(schema), Value::Object(mut arguments)) = (schema, arguments) else {
            panic!()
        };
        normalize_enum_values(&schema, &[], &mut arguments);
        let expected = json!({"outcome": "FAILED", "kind": "decision", "free": "FAILED", "x": "y"});
        assert_eq!(Value::Object(arguments), expected);
    }

    #[test]
    fn null_arguments_are_removed() {
        let Value::Object(arguments) = json!({"query": "q", "limit": null}) else { panic!() };
        assert_eq!(Value::Object(without_null(arguments)), json!({"query": "q"}));
    }
}
