//! Minimal JSON Schemas, because the schema of a tool costs tokens in every conversation.

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// Maximum number of nested levels that an output schema describes; 1 means only the top level.
const OUTPUT_DEPTH: usize = 1;

/// The input schema of a tool: field descriptions are doc comments, and additional arguments are
/// not allowed.
#[must_use]
pub fn input<T: JsonSchema>() -> Object {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_deserialize());
    simplify(&mut schema);
    let mut schema = object(schema);
    schema.remove("description");
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

/// The output schema of a tool: only names and types of top-level fields. The nested structure is
/// visible in the result itself.
#[must_use]
pub fn output<T: JsonSchema>() -> Object {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    simplify(&mut schema);
    prune(&mut schema, OUTPUT_DEPTH);
    object(schema)
}

/// The input schema in `tools/list`: without bounds, which are only needed to validate arguments,
/// and without fields marked `x-unlisted`, which are accepted but not listed.
#[must_use]
pub fn listed_input(mut schema: Object) -> Object {
    schema.remove("additionalProperties");
    strip(&mut schema);
    schema
}

fn strip(map: &mut Object) {
    for keyword in ["minimum", "maximum", "default", "minItems", "maxItems"] {
        if map.get(keyword).is_some_and(|value| !value.is_object()) {
            map.remove(keyword);
        }
    }
    if map.get("additionalProperties").is_some_and(|allowed| allowed == true) {
        map.remove("additionalProperties");
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.retain(|_, property| property.get("x-unlisted").is_none());
        properties.values_mut().filter_map(Value::as_object_mut).for_each(strip);
    }
    if let Some(Value::Object(items)) = map.get_mut("items") {
        strip(items);
    }
}

/// The output schema in `tools/list`: the required fields with their types.
#[must_use]
pub fn listed_output(schema: &Object) -> Object {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let field = |name: &Value| {
        let name = name.as_str()?;
        let kind = schema.get("properties")?.get(name)?.get("type").cloned();
        let kind = kind.map(|kind| ("type".to_owned(), kind));
        Some((name.to_owned(), Value::Object(kind.into_iter().collect())))
    };
    let properties: Object = required.iter().filter_map(field).collect();
    let mut listed = Object::new();
    listed.insert("type".to_owned(), Value::from("object"));
    if !properties.is_empty() {
        listed.insert("properties".to_owned(), Value::Object(properties));
    }
    listed
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

fn object(schema: Value) -> Object {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Removes keywords without information for a reader, and shortens the other keywords.
fn simplify(schema: &mut Value) {
    let Value::Object(map) = schema else {
        // Some clients do not support `true` as a schema.
        *schema = Value::Object(Map::new());
        return;
    };
    for keyword in ["$schema", "title", "format"] {
        map.remove(keyword);
    }
    if map.get("default").is_some_and(is_trivial_default) {
        map.remove("default");
    }
    as_enum(map);
    let required: Vec<Value> =
        map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for (name, property) in properties {
            if !required.iter().any(|required| required == name) {
                without_null(property);
            }
            simplify(property);
        }
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(schema) = map.get_mut(inner).filter(|schema| !schema.is_boolean()) {
            simplify(schema);
        }
    }
    if map.get("items").is_some_and(Value::is_boolean) {
        map.insert("items".to_owned(), Value::Object(Map::new()));
    }
    for combinator in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(schemas)) = map.get_mut(combinator) {
            schemas.iter_mut().for_each(simplify);
        }
    }
    if let Some(Value::Object(definitions)) = map.get_mut("$defs") {
        definitions.values_mut().for_each(simplify);
    }
}

/// Whether a default only states that the argument is optional.
fn is_trivial_default(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(true) => false,
    }
}

/// Makes an optional field non-nullable.
fn without_null(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|type_name| type_name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let is_null = |schema: &Value| schema.get("type").is_some_and(|type_name| type_name == "null");
    if let Some(Value::Array(variants)) = map.get_mut("anyOf") {
        variants.retain(|variant| !is_null(variant));
        if let [Value::Object(only)] = &variants[..] {
            let only = only.clone();
            map.remove("anyOf");
            for (key, value) in only {
                map.entry(key).or_insert(value);
            }
        }
    }
}

/// Converts variants with descriptions to a plain enum.
fn as_enum(map: &mut Object) {
    let Some(Value::Array(variants)) = map.get("oneOf") else { return };
    let mut values = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum")) {
            (Some(value), _) => values.push(value.clone()),
            (None, Some(Value::Array(several_values))) => {
                values.extend(several_values.iter().cloned());
            }
            _ => return,
        }
    }
    map.remove("oneOf");
    if values.iter().all(Value::is_string) {
        map.insert("type".to_owned(), Value::from("string"));
    }
    map.insert("enum".to_owned(), Value::Array(values));
}

/// Removes descriptions, and everything below `depth` nested objects.
fn prune(schema: &mut Value, depth: usize) {
    let Value::Object(map) = schema else { return };
    for keyword in ["description", "default", "minimum", "maximum", "enum"] {
        map.remove(keyword);
    }
    let is_deep = depth == 0 && (map.contains_key("properties") || map.contains_key("$ref"));
    if is_deep {
        map.retain(|key, _| key == "type");
        map.entry("type").or_insert_with(|| Value::from("object"));
        return;
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(|property| prune(property, depth.saturating_sub(1)));
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(schema) = map.get_mut(inner) {
            prune(schema, depth.saturating_sub(1));
        }
    }
    for combinator in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(schemas)) = map.get_mut(combinator) {
            schemas.iter_mut().for_each(|schema| prune(schema, depth.saturating_sub(1)));
        }
    }
    let definitions = map.remove("$defs");
    if let Some(definitions) = definitions.filter(|_| map.values().any(has_reference)) {
        map.insert("$defs".to_owned(), definitions);
    }
}

/// Whether a schema contains a reference.
fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.iter().any(|(key, inner)| key == "$ref" || has_reference(inner)),
        Value::Array(list) => list.iter().any(has_reference),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    /// The doc comment of a struct is not part of the schema.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Arguments {
        /// Search text
        query: String,
        order_by: Option<Order>,
        /// Maximum number of results
        #[serde(default = "default_limit")]
        #[schemars(range(min = 1, max = 100))]
        limit: u32,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        exact: bool,
        extra: Option<Value>,
        #[schemars(extend("x-unlisted" = true))]
        rare: Option<String>,
    }

    fn default_limit() -> u32 {
        20
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Order {
        /// Best first.
        Relevance,
        /// Newest first.
        Newest,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Reply {
        /// The results.
        hits: Vec<Hit>,
        matched: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        degraded: Option<String>,
        best: Option<Hit>,
        order: Order,
    }

    #[derive(Serialize, JsonSchema)]
    struct Hit {
        id: String,
        parts: Vec<Hit>,
    }

    #[test]
    fn input_schemas_are_short_and_closed() {
        insta::assert_snapshot!(Value::Object(input::<Arguments>()).to_string(), @r#"{"type":"object","properties":{"query":{"type":"string","description":"Search text"},"orderBy":{"type":"string","enum":["relevance","newest"]},"limit":{"type":"integer","default":20,"minimum":1,"description":"Maximum number of results","maximum":100},"tags":{"type":"array","items":{"type":"string"}},"exact":{"type":"boolean"},"extra":{},"rare":{"type":"string","x-unlisted":true}},"required":["query"],"additionalProperties":false}"#);
    }

    #[test]
    fn listed_schemas_are_shorter_than_full_schemas() {
        let input = listed_input(input::<Arguments>());
        insta::assert_snapshot!(Value::Object(input).to_string(), @r#"{"type":"object","properties":{"query":{"type":"string","description":"Search text"},"orderBy":{"type":"string","enum":["relevance","newest"]},"limit":{"type":"integer","description":"Maximum number of results"},"tags":{"type":"array","items":{"type":"string"}},"exact":{"type":"boolean"},"extra":{}},"required":["query"]}"#);
        let output = listed_output(&output::<Reply>());
        insta::assert_snapshot!(Value::Object(output).to_string(), @r#"{"type":"object","properties":{"hits":{"type":"array"},"matched":{"type":"integer"},"best":{"type":["object","null"]},"order":{"type":"string"}}}"#);
    }

    #[test]
    fn output_schemas_have_only_top_level_fields() {
        insta::assert_snapshot!(Value::Object(output::<Reply>()).to_string(), @r#"{"type":"object","properties":{"hits":{"type":"array","items":{"type":"object"}},"matched":{"type":"integer"},"degraded":{"type":"string"},"best":{"type":["object","null"]},"order":{"type":"string"}},"required":["hits","matched","best","order"]}"#);
    }

    #[test]
    fn the_input_schema_of_a_tool_without_arguments_is_an_object() {
        #[derive(Deserialize, JsonSchema)]
        struct NoParams {}
        insta::assert_snapshot!(Value::Object(input::<NoParams>()).to_string(), @r#"{"type":"object","properties":{},"additionalProperties":false}"#);
    }
}
