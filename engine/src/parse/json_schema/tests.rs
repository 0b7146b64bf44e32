//! Tests of the messages, and of whether another implementation accepts the same documents.

use super::*;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use proptest::prelude::*;
use serde_json::json;

fn schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to search for", "minLength": 1, "maxLength": 5},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "examples": [20]},
            "kind": {"oneOf": [{"const": "decision"}, {"const": "mistake"}]},
            "level": {"anyOf": [
                {"enum": ["off", "warning", "error"]},
                {"type": "object", "properties": {"severity": {"$ref": "#/$defs/Severity"}}},
                {"type": "null"},
            ]},
            "ids": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 2},
            "date": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "provider": {
                "description": "Who answers",
                "type": "object",
                "properties": {"model": {"type": "string"}, "size": {"type": "number"}},
                "required": ["model"],
            },
            "either": {"anyOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
                {"type": "object", "properties": {"a": {"type": "boolean"}}},
            ]},
            "flags": {"type": "object", "additionalProperties": {"type": "boolean"}},
            "free": {},
        },
        "required": ["query"],
        "$defs": {"Severity": {"type": "string", "enum": ["off", "error"]}},
    });
    let Value::Object(schema) = schema else { panic!("an object") };
    schema
}

/// The faults of a document, each with the text that its span covers.
fn report(text: &str) -> String {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let ast = parsed.expect("JSON").value.expect("a value");
    let faults = faults(&schema(), Node::Ast(&ast), "key", usize::MAX);
    let lines = faults.into_iter().map(|fault| {
        let Fault { kind, message, span, replacement } = fault;
        let fix = replacement.map(|with| format!(" -> {with}")).unwrap_or_default();
        format!("{message}\n  {kind:?} at {}{fix}\n", &text[span])
    });
    lines.collect()
}

#[test]
fn each_fault_has_a_position_and_the_expected_value() {
    let invalid = r#"{
        "qurey": "x", "limit": "5", "kind": "mistakes", "level": 2, "ids": "a",
        "provider": {"modle": "m", "size": "large"}, "flags": {"x": 1, "x": true}, "date": null
    }"#;
    insta::assert_snapshot!(report(invalid), @r#"
    unknown key `qurey`; did you mean `query`?
      UnknownKey at "qurey" -> "query"
    `limit`: expected an integer, such as 20, found the string "5"; remove the quotes
      Mismatch at "5"
    `kind`: expected `decision` or `mistake`, found the string "mistakes"; did you mean `mistake`?
      Mismatch at "mistakes" -> "mistake"
    `level`: expected `off`, `warning`, `error` or an object with `severity`, found 2; did you mean `error`?
      Mismatch at 2 -> "error"
    `ids`: expected a list of strings, found the string "a"; put it in brackets
      Mismatch at "a"
    unknown key `modle` in `provider`; did you mean `model`?
      UnknownKey at "modle" -> "model"
    `provider.size`: expected a number, found the string "large"
      Mismatch at "large"
    `provider.model` is missing
      MissingKey at {"modle": "m", "size": "large"}
    duplicate key `x`; the last value wins
      DuplicateKey at "x"
    `flags.x`: expected true or false, found 1
      Mismatch at 1
    `date`: expected a string or an integer, found null
      Mismatch at null
    `query` is missing (What to search for)
      MissingKey at {
            "qurey": "x", "limit": "5", "kind": "mistakes", "level": 2, "ids": "a",
            "provider": {"modle": "m", "size": "large"}, "flags": {"x": 1, "x": true}, "date": null
        }
    "#);
    let invalid = r#"{
        "query": "", "limit": 101, "kind": 1, "level": {"severity": "loud"}, "ids": ["a", 2, "c"],
        "provider": [], "either": {"a": true, "b": 1}, "colour": 1,
        "date": [], "free": [null, {"a": 1}]
    }"#;
    insta::assert_snapshot!(report(invalid), @r#"
    `query` must have at least 1 characters, found 0
      Bounds at ""
    `limit` must be at most 100, found 101
      Bounds at 101
    `kind`: expected `decision` or `mistake`, found 1
      Mismatch at 1
    `level.severity`: expected `off` or `error`, found the string "loud"
      Mismatch at "loud"
    `ids` must have at most 2 items, found 3
      Bounds at ["a", 2, "c"]
    `ids[1]`: expected a string, found 2; put it in quotes
      Mismatch at 2
    `provider`: expected an object with `model`, `size` (Who answers), found a list
      Mismatch at []
    `either.a`: expected an integer, found true
      Mismatch at true
    unknown key `colour`; expected one of date, either, flags, free, ids, kind, level, limit, provider, query
      UnknownKey at "colour"
    `date`: expected a string or an integer, found a list
      Mismatch at []
    "#);
    insta::assert_snapshot!(report("[]"), @"
    expected an object, found a list
      Mismatch at []
    ");
    let long = format!(r#"{{"query": "a", "limit": "{}"}}"#, "é".repeat(50));
    insta::assert_snapshot!(report(&long), @r#"
    `limit`: expected an integer, such as 20, found the string "éééééééééééééééééééééééééééééééééééééééé…"
      Mismatch at "éééééééééééééééééééééééééééééééééééééééééééééééééé"
    "#);
}

#[test]
fn a_valid_document_has_no_faults() {
    let valid = r#"{
        "query": "q", "limit": 100, "kind": "mistake", "level": null, "ids": ["a", "b"], "date": 4,
        "provider": {"model": "m", "size": 1}, "either": {"a": false}, "flags": {"x": true},
        "free": [null, {"a": 1}]
    }"#;
    assert_eq!(report(valid), "");
}

#[test]
fn a_cycle_of_references_is_not_followed() {
    let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}});
    let schema = schema.as_object().expect("an object");
    assert!(branches(schema, schema).is_empty());
}

/// Disallows additional properties in every object of the schema, as the checker does.
fn disallow_additional_properties(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("properties").is_some_and(Value::is_object)
                && !map.contains_key("additionalProperties")
                && map.get("type").is_some()
            {
                map.insert("additionalProperties".into(), json!(false));
            }
            map.values_mut().for_each(disallow_additional_properties);
        }
        Value::Array(list) => list.iter_mut().for_each(disallow_additional_properties),
        _ => {}
    }
}

const WORDS: &[&str] = &["", "a", "decision", "mistake", "off", "error", "warning", "abcdef", "5"];
const NAMES: &[&str] = &[
    "query", "limit", "kind", "level", "ids", "date", "provider", "either", "flags", "free",
    "other",
];

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..120).prop_map(Value::from),
        Just(json!(2.5)),
        proptest::sample::select(WORDS).prop_map(Value::from),
    ];
    let key = proptest::sample::select(&["a", "b", "model", "size", "severity", "x"][..]);
    scalar.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(key.clone().prop_map(str::to_owned), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn validity_is_the_same_as_in_the_jsonschema_crate(
        entries in proptest::collection::hash_map(
            proptest::sample::select(NAMES),
            any_value(),
            0..4,
        ),
        has_query in any::<bool>(),
    ) {
        let mut object: Map<String, Value> =
            entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if has_query {
            object.insert("query".into(), json!("q"));
        }
        let mut closed_schema = Value::Object(schema());
        disallow_additional_properties(&mut closed_schema);
        let validator = jsonschema::validator_for(&closed_schema).expect("a schema");
        let value = Value::Object(object.clone());
        let found = faults(&schema(), Node::Object(&object), "argument", 8);
        prop_assert_eq!(found.is_empty(), validator.is_valid(&value), "{} {:?}", value, found);
        // A document with the same value has the same faults, each with a position.
        let text = value.to_string();
        let parsed = parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
        let ast = parsed.expect("JSON").value.expect("a value");
        let with_positions = faults(&schema(), Node::Ast(&ast), "argument", 8);
        let messages = |faults: &[Fault]| faults.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>();
        prop_assert_eq!(messages(&with_positions), messages(&found));
        prop_assert!(with_positions.iter().all(|fault| fault.span.end > fault.span.start));
    }
}
