//! Whether a configuration has the form that its schema says, told in the words of one who writes it.

use super::{Problem, nearest};
use crate::text::paths;
use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// How much of a wrong value is repeated, in characters.
const SHOWN: usize = 40;

/// The first value that is none of what may stand in its place.
pub(super) fn misfit(ast: &Ast<'_>, schema: &Value) -> Option<Problem> {
    // What is left to look at, the next one last, each with its path and what it may be.
    let mut left = vec![(String::new(), ast, branches(schema, schema))];
    while let Some((path, ast, branches)) = left.pop() {
        let Some(node) = branches.iter().find(|node| fits(node, ast)) else {
            return Some(wrong(&path, ast, &branches));
        };
        match ast {
            Ast::Array(array) => {
                let Some(items) = node.get("items") else { continue };
                for (index, element) in array.elements.iter().enumerate().rev() {
                    left.push((format!("{path}[{index}]"), element, self::branches(schema, items)));
                }
            }
            Ast::Object(object) => {
                if let Some(problem) = missing(&path, object, node) {
                    return Some(problem);
                }
                for prop in object.properties.iter().rev() {
                    if let Some(next) = known(prop, node).filter(|next| next.is_object()) {
                        let name = prop.name.as_str();
                        let path =
                            if path.is_empty() { name.into() } else { format!("{path}.{name}") };
                        left.push((path, &prop.value, self::branches(schema, next)));
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// The schemas that `node` stands for: behind references, and of each branch. A list of words stays
/// one schema.
fn branches<'s>(schema: &'s Value, node: &'s Value) -> Vec<&'s Value> {
    let mut found = Vec::new();
    let mut left = vec![node];
    // A reference leads to a definition, a definition to a branch: never more than a few steps.
    for _ in 0..32 {
        let Some(node) = left.pop() else { break };
        let name = node["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(name) = name {
            left.push(&schema["$defs"][name]);
        } else if let Some(several) = node["anyOf"].as_array() {
            left.extend(several.iter().rev());
        } else {
            found.push(node);
        }
    }
    found
}

/// The words that a schema lists; none when it lists no words.
fn words(node: &Value) -> Vec<&str> {
    let consts = node["oneOf"].as_array().into_iter().flatten();
    let listed = node["enum"].as_array().into_iter().flatten();
    consts.filter_map(|one| one["const"].as_str()).chain(listed.filter_map(Value::as_str)).collect()
}

/// The types that a schema names.
fn types(node: &Value) -> Vec<&str> {
    match &node["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

/// Whether a value is of the type that a schema names; what is within is not looked at.
fn fits(node: &Value, ast: &Ast<'_>) -> bool {
    let words = words(node);
    if !words.is_empty() {
        return matches!(ast, Ast::StringLit(text) if words.contains(&&*text.value));
    }
    let types = types(node);
    let own = match ast {
        Ast::StringLit(_) => "string",
        Ast::BooleanLit(_) => "boolean",
        Ast::Object(_) => "object",
        Ast::Array(_) => "array",
        Ast::NullKeyword(_) => "null",
        Ast::NumberLit(number) if types.contains(&"integer") => {
            return number.value.parse::<u64>().is_ok();
        }
        Ast::NumberLit(_) => "number",
    };
    types.is_empty() || types.contains(&own)
}

/// What is wrong with a value that none of `branches` fits.
fn wrong(path: &str, ast: &Ast<'_>, branches: &[&Value]) -> Problem {
    let range = ast.range();
    let span = range.start..range.end;
    let may = either(branches.iter().flat_map(|node| meant(path, node)).collect());
    let words: Vec<&str> = branches.iter().flat_map(|node| words(node)).collect();
    let instead = word_meant(ast, &words);
    let hint = instead.map_or(String::new(), |word| format!("; did you mean `{word}`?"));
    let name = if path.is_empty() { "the configuration".to_owned() } else { format!("`{path}`") };
    Problem {
        message: format!("{name} is {}; it may be {may}{hint}", given(ast)),
        span,
        instead: instead.map(|word| format!("\"{word}\"")),
    }
}

/// What a schema asks for.
fn meant(path: &str, node: &Value) -> Vec<String> {
    let words = words(node);
    if !words.is_empty() {
        return words.into_iter().map(|word| format!("`{word}`")).collect();
    }
    let of_texts = node["items"]["type"] == "string";
    let keys: Vec<&String> =
        node["properties"].as_object().into_iter().flat_map(|keys| keys.keys()).collect();
    let one = |name: &str| match name {
        "string" => Some("a text".to_owned()),
        "array" if of_texts => Some("a list of texts".to_owned()),
        "array" => Some("a list, `[…]`".to_owned()),
        "boolean" => Some("`true` or `false`".to_owned()),
        "integer" if path == "maxFileSize" => {
            Some("a whole number of bytes, such as 2097152".to_owned())
        }
        "integer" | "number" => Some("a whole number".to_owned()),
        "object" if (1..=3).contains(&keys.len()) => {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            Some(format!("`{{…}}` with {}", keys.join(", ")))
        }
        "object" => Some("keys with values, `{…}`".to_owned()),
        _ => None,
    };
    types(node).into_iter().filter_map(one).collect()
}

/// `a, b or c`.
fn either(mut all: Vec<String>) -> String {
    let last = all.pop().unwrap_or_default();
    if all.is_empty() { last } else { format!("{} or {last}", all.join(", ")) }
}

/// What stands there.
fn given(ast: &Ast<'_>) -> String {
    match ast {
        Ast::StringLit(text) if text.value.chars().count() > SHOWN => {
            format!("`{}…`", text.value.chars().take(SHOWN).collect::<String>())
        }
        Ast::StringLit(text) => format!("`{}`", text.value),
        Ast::NumberLit(number) => format!("`{}`", number.value),
        Ast::BooleanLit(truth) => format!("`{}`", truth.value),
        Ast::NullKeyword(_) => "`null`".to_owned(),
        Ast::Array(_) => "a list".to_owned(),
        Ast::Object(_) => "`{…}`".to_owned(),
    }
}

/// The word that was probably meant. ESLint counts levels, and others say no by `false`.
fn word_meant<'w>(ast: &Ast<'_>, words: &[&'w str]) -> Option<&'w str> {
    let is_level = words.contains(&"off");
    let word = match ast {
        Ast::StringLit(text) => return nearest(&text.value, words.iter().copied()),
        Ast::BooleanLit(truth) if is_level && !truth.value => "off",
        Ast::NumberLit(number) if is_level => {
            ["off", "warning", "error"].get(number.value.parse::<usize>().ok()?)?
        }
        _ => return None,
    };
    words.iter().copied().find(|known| *known == word)
}

/// A key that must stand in an object and does not.
fn missing(path: &str, object: &Object<'_>, node: &Value) -> Option<Problem> {
    let needed: Vec<&str> = node["required"].as_array()?.iter().filter_map(Value::as_str).collect();
    let has = |key: &&&str| object.properties.iter().any(|prop| prop.name.as_str() == **key);
    let key = needed.iter().find(|key| !has(key))?;
    let all: Vec<String> = needed.iter().map(|key| format!("`{key}`")).collect();
    Some(Problem {
        message: format!("`{path}` has no `{key}`; it needs {}", all.join(" and ")),
        span: object.range.start..object.range.end,
        instead: None,
    })
}

/// Keys that stand twice in one object: all but the last count for nothing.
pub(super) fn repeated(object: &Object<'_>) -> Vec<Problem> {
    let mut later = HashSet::new();
    let props = object.properties.iter().rev();
    let again = props.filter(|prop| !later.insert(prop.name.as_str()));
    again
        .map(|prop| {
            let range = prop.name.range();
            Problem {
                message: format!(
                    "`{}` stands twice in the same place; only the last one counts",
                    prop.name.as_str()
                ),
                span: range.start..range.end,
                instead: None,
            }
        })
        .collect()
}

/// Collects the keys that the schema does not know, with the nearest one it does.
pub(super) fn unknown_keys(ast: &Ast<'_>, schema: &Value, unknown: &mut Vec<Problem>) {
    let mut left = vec![(ast, schema)];
    while let Some((ast, node)) = left.pop() {
        let Some(node) = branches(schema, node).into_iter().find(|node| fits(node, ast)) else {
            continue;
        };
        match ast {
            Ast::Array(array) => {
                if let Some(items) = node.get("items") {
                    left.extend(array.elements.iter().map(|element| (element, items)));
                }
            }
            Ast::Object(object) => {
                unknown.extend(repeated(object));
                for prop in &object.properties {
                    if let Some(next) = known(prop, node) {
                        left.push((&prop.value, next));
                    } else if let Some(Value::Object(properties)) = node.get("properties") {
                        unknown.push(unknown_key(prop, properties));
                    }
                }
            }
            _ => {}
        }
    }
    unknown.sort_by_key(|problem| problem.span.start);
}

fn known<'s>(prop: &ObjectProp<'_>, node: &'s Value) -> Option<&'s Value> {
    let name = prop.name.as_str();
    node.get("properties")
        .and_then(|known| known.get(name))
        .or_else(|| node.get("additionalProperties"))
}

fn unknown_key(prop: &ObjectProp<'_>, properties: &Map<String, Value>) -> Problem {
    let name = prop.name.as_str();
    let range = prop.name.range();
    let instead = nearest(name, properties.keys().map(String::as_str));
    let known: Vec<&str> =
        properties.keys().map(String::as_str).filter(|key| *key != "$schema").collect();
    let hint = instead.map_or_else(
        || format!("known here: {}", known.join(", ")),
        |instead| format!("did you mean `{instead}`?"),
    );
    Problem {
        message: format!("unknown key `{name}`; {hint}"),
        span: range.start..range.end,
        instead: instead.map(|instead| format!("\"{instead}\"")),
    }
}

/// The first glob that cannot be read, and why.
pub(super) fn malformed_glob(root: &Ast<'_>) -> Option<Problem> {
    let Ast::Object(root) = root else { return None };
    let mut lists: Vec<(String, &Ast<'_>)> = Vec::new();
    for key in ["include", "exclude"] {
        lists.extend(root.get(key).map(|prop| (key.to_owned(), &prop.value)));
    }
    let overrides = root.get_array("overrides").map(|array| &array.elements);
    for (index, element) in overrides.into_iter().flatten().enumerate() {
        if let Ast::Object(one) = element
            && let Some(prop) = one.get("files")
        {
            lists.push((format!("overrides[{index}].files"), &prop.value));
        }
    }
    lists.into_iter().find_map(|(name, list)| {
        let each = match list {
            Ast::Array(array) => array.elements.iter().collect(),
            one => vec![one],
        };
        each.into_iter().find_map(|element| {
            let Ast::StringLit(text) = element else { return None };
            let why = paths::malformed(&text.value)?;
            let span = text.range.start..text.range.end;
            Some(Problem { message: format!("`{name}`: {why}"), span, instead: None })
        })
    })
}

/// What is wrong with a text that is no JSON, in words; where it begins.
#[must_use]
pub fn unparsed(text: &str, error: &ParseError) -> Problem {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("<<<<<<< ") {
            let message = "a merge left two versions: keep one, and take out the lines `<<<<<<<`, `=======` and `>>>>>>>`";
            let end = at + line.trim_end().len();
            return Problem { message: message.to_owned(), span: at..end, instead: None };
        }
        at += line.len();
    }
    use ParseErrorKind as Kind;
    let said = match error.kind() {
        Kind::UnterminatedObject => "`{` is not closed by `}`",
        Kind::UnterminatedArray => "`[` is not closed by `]`",
        Kind::UnterminatedCommentBlock => "`/*` is not closed by `*/`",
        Kind::ExpectedComma => "a comma is missing before this",
        Kind::ExpectedColonAfterObjectKey => "a colon is missing behind this key",
        Kind::ExpectedObjectValue => "a value is missing behind the colon",
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => {
            "a key stands in double quotes"
        }
        Kind::SingleQuotedStringsNotAllowed => "texts stand in double quotes",
        Kind::UnexpectedToken | Kind::UnexpectedWord => {
            "this is no JSON: a text stands in double quotes, and the whole in `{ }`"
        }
        Kind::MultipleRootJsonValues => "the JSON ended before this",
        other => {
            let message = other.to_string();
            let span = error.range().start..error.range().end;
            return Problem { message, span, instead: None };
        }
    };
    let span = error.range().start..error.range().end;
    Problem { message: said.to_owned(), span, instead: None }
}
