//! Completions from a JSON schema.

use serde_json::Value as Json;

/// Maximum number of references and branches followed per lookup.
const MAX_BRANCHES: usize = 64;

/// A step on the path from the top of a document to a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The value of a key.
    Key(String),
    /// An item of an array.
    Item,
}

impl Step {
    /// The key, unless the step is an item.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Item => None,
        }
    }
}

/// Whether a key or a value is expected at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PositionKind {
    /// A key of the object at the path.
    Key,
    /// The value at the path.
    Value,
}

/// A position in a document that is being edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The path to the position.
    pub(super) path: Vec<Step>,
    pub(super) position_kind: PositionKind,
    /// The byte range of the existing text to replace.
    pub(super) token: std::ops::Range<usize>,
    /// The part of that text before the cursor, without quotes.
    pub(super) typed: String,
    /// The other keys of the same object.
    pub(super) siblings: Vec<String>,
    /// Whether the position is at a key without a colon after the key.
    pub(super) needs_colon: bool,
    /// The offset at which a comma is missing before the position.
    pub(super) comma_before: Option<usize>,
    /// Whether a comma is missing after the position.
    pub(super) comma_after: bool,
}

#[cfg(test)]
impl Cursor {
    /// The kind of the position and its path, the part of `text` to replace, and the sibling keys.
    pub(super) fn describe(&self, text: &str) -> String {
        let path: Vec<&str> = self.path.iter().map(|step| step.key().unwrap_or("*")).collect();
        let colon = if self.needs_colon { ":" } else { "" };
        let token = &text[self.token.clone()];
        let (path, siblings) = (path.join("/"), self.siblings.join(","));
        format!("{:?} /{path} `{token}`{colon} {siblings}", self.position_kind)
    }
}

/// A completion allowed by the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The key or value.
    pub(super) name: String,
    /// The description from the schema.
    pub(super) description: Option<String>,
    /// Whether the key or value is a string, which JSON puts in quotes.
    pub(super) is_text: bool,
    /// Whether the proposal is a key whose value can only be an object or an array.
    pub(super) is_nested: bool,
    /// The value of a key.
    pub(super) value: Value,
}

/// The form of a value, to insert it after an accepted key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    /// No form is known, or a number.
    #[default]
    Any,
    /// A string with any text.
    Text,
    /// One of these values, as JSON.
    OneOf(Vec<String>),
    /// An array of any values.
    List,
    /// An object with any keys.
    Object,
}

impl Value {
    /// The value as a snippet, or as text without placeholders.
    pub(super) fn text(&self, is_snippet: bool) -> String {
        let text = match (self, is_snippet) {
            (Self::Any, true) => "$1",
            (Self::Any, false) => "",
            (Self::Text, true) => "\"$1\"",
            (Self::Text, false) => "\"\"",
            (Self::List, true) => "[$1]",
            (Self::List, false) => "[]",
            (Self::Object, true) => "{$1}",
            (Self::Object, false) => "{}",
            (Self::OneOf(values), true) => return format!("${{1|{}|}}", values.join(",")),
            (Self::OneOf(values), false) => values.first().map_or("", String::as_str),
        };
        text.to_owned()
    }

    /// The form of the values that the schemas `nodes` allow.
    fn of(nodes: &[&Json]) -> Self {
        let has = |name: &str| {
            nodes.iter().any(|node| match &node["type"] {
                Json::Array(types) => types.iter().any(|own| own == name),
                own => own == name,
            })
        };
        let proposals = nodes.iter().flat_map(|node| values(node));
        let is_plain = |text: &str| !text.contains([',', '|', '$', '}', '\\']);
        let named: Vec<String> = proposals
            .map(|it| if it.is_text { format!("\"{}\"", it.name) } else { it.name })
            .collect();
        if !named.is_empty() && named.iter().all(|text| is_plain(text)) {
            Self::OneOf(named)
        } else if has("array") {
            Self::List
        } else if has("string") {
            Self::Text
        } else if has("object") {
            Self::Object
        } else {
            Self::Any
        }
    }
}

/// The form of the values of other keys than those in `properties` at the position that `path` leads
/// to.
pub(super) fn value_of(schema: &Json, path: &[Step]) -> Value {
    let nodes = nodes_at(schema, path).into_iter();
    let others = nodes.filter_map(|node| node.get("additionalProperties"));
    Value::of(&others.flat_map(|node| branches(schema, node)).collect::<Vec<_>>())
}

/// `text` as part of a snippet.
pub(super) fn escape_snippet(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The completions at the position that `path` leads to.
pub(super) fn proposals(
    schema: &Json,
    path: &[Step],
    position_kind: PositionKind,
) -> Vec<Proposal> {
    let nodes = nodes_at(schema, path);
    let mut proposals: Vec<Proposal> = match position_kind {
        PositionKind::Key => nodes.into_iter().flat_map(|node| keys(schema, node)).collect(),
        PositionKind::Value => nodes.into_iter().flat_map(values).collect(),
    };
    let mut seen = std::collections::HashSet::new();
    proposals.retain(|proposal| seen.insert(proposal.name.clone()));
    proposals
}

/// The schemas of the position that `path` leads to.
fn nodes_at<'s>(schema: &'s Json, path: &[Step]) -> Vec<&'s Json> {
    let mut nodes = branches(schema, schema);
    for step in path {
        nodes = nodes
            .into_iter()
            .filter_map(|node| match step {
                Step::Key(key) => node["properties"].get(key).or(node.get("additionalProperties")),
                Step::Item => node.get("items"),
            })
            .flat_map(|node| branches(schema, node))
            .collect();
    }
    nodes
}

/// The schemas that `node` resolves to: targets of references, and each branch.
fn branches<'s>(schema: &'s Json, node: &'s Json) -> Vec<&'s Json> {
    let mut resolved = Vec::new();
    let mut remaining = vec![node];
    for _ in 0..MAX_BRANCHES {
        let Some(node) = remaining.pop() else { break };
        let name = node["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(name) = name {
            remaining.push(&schema["$defs"][name]);
        } else if let Some(alternatives) =
            ["anyOf", "oneOf", "allOf"].iter().find_map(|key| node[key].as_array())
        {
            remaining.extend(alternatives.iter().rev());
        } else {
            resolved.push(node);
        }
    }
    resolved
}

fn keys<'s>(schema: &'s Json, node: &'s Json) -> impl Iterator<Item = Proposal> {
    let properties = node["properties"].as_object().into_iter().flatten();
    properties.map(|(name, property)| {
        let nodes = branches(schema, property);
        let description = property["description"].as_str();
        let description = description.or_else(|| nodes.first()?["description"].as_str());
        let types = nodes.iter().flat_map(|node| match &node["type"] {
            Json::Array(types) => types.iter().filter_map(Json::as_str).collect(),
            type_name => type_name.as_str().into_iter().collect::<Vec<_>>(),
        });
        let mut types = types.filter(|&type_name| type_name != "null").peekable();
        let is_nested = types.peek().is_some()
            && types.all(|type_name| type_name == "object" || type_name == "array");
        Proposal {
            name: name.clone(),
            description: description.map(joined),
            is_text: true,
            is_nested,
            value: Value::of(&nodes),
        }
    })
}

fn values(node: &Json) -> Vec<Proposal> {
    let description = node["description"].as_str().map(joined);
    let proposal = |value: &Json| {
        let text = value.as_str().map(str::to_owned);
        Proposal {
            is_text: text.is_some(),
            name: text.unwrap_or_else(|| value.to_string()),
            description: description.clone(),
            is_nested: false,
            value: Value::Any,
        }
    };
    if let Some(value) = node.get("const") {
        vec![proposal(value)]
    } else if let Some(values) = node["enum"].as_array() {
        values.iter().filter(|value| !value.is_null()).map(proposal).collect()
    } else if node["type"] == "boolean" {
        let boolean = |name: &str| Proposal {
            name: name.to_owned(),
            description: None,
            is_text: false,
            is_nested: false,
            value: Value::Any,
        };
        vec![boolean("true"), boolean("false")]
    } else {
        Vec::new()
    }
}

/// The lines of a doc comment joined into one line.
fn joined(text: &str) -> String {
    text.replace('\n', " ")
}
