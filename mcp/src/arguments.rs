//! Arguments are taken as the schema says, or not at all: an argument that is dropped or bent in
//! silence does something else than the agent thinks.

use crate::schema::Object;
use aidd_engine::project::config::nearest;
use serde_json::Value;

/// Which arguments a tool takes with which word of another one: what would be passed over is refused.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The argument that chooses: `action`.
    pub by: &'static str,
    /// What it is when it is left out; empty when it cannot be.
    pub usual: &'static str,
    /// With these words these arguments; any that is not here goes with every word.
    pub takes: &'static [(&'static [&'static str], &'static [&'static str])],
}

/// Most problems that are told at once.
const PROBLEMS: usize = 8;

/// What is wrong with `arguments` under `schema`, one sentence each; empty when nothing is.
#[must_use]
pub fn problems(schema: &Object, arguments: &Object) -> Vec<String> {
    let mut check = Check { root: schema, problems: Vec::new() };
    check.object(schema, arguments, "");
    check.problems
}

/// Which `arguments` are not taken with the word that was chosen, one sentence each.
#[must_use]
pub fn misplaced(choice: &Choice, arguments: &Object) -> Vec<String> {
    let word = match arguments.get(choice.by) {
        Some(Value::String(word)) => word.clone(),
        Some(other) => other.to_string(),
        None => choice.usual.to_owned(),
    };
    let mut problems = Vec::new();
    for (words, names) in choice.takes.iter().filter(|(words, _)| !words.contains(&&*word)) {
        let given = names.iter().filter(|name| arguments.contains_key(**name));
        problems.extend(given.map(|name| {
            let only = words.join(", ");
            format!("`{name}` is not taken with `{}` {word}; only with {only}", choice.by)
        }));
    }
    problems.truncate(PROBLEMS);
    problems
}

/// The arguments without those that are null: many clients write that for "left out".
#[must_use]
pub fn without_null(mut arguments: Object) -> Object {
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// Another word for a value: the argument, the word in any case, and what it stands for.
pub type Word = (&'static str, &'static str, &'static str);

/// Writes the words that arguments choose from as the schema lists them, in whatever case they are
/// given; `others` are taken for them.
pub fn in_listed_words(schema: &Object, others: &[Word], arguments: &mut Object) {
    for (name, other, own) in others {
        if let Some(Value::String(word)) = arguments.get_mut(*name)
            && word.trim().eq_ignore_ascii_case(other)
        {
            (*own).clone_into(word);
        }
    }
    let check = Check { root: schema, problems: Vec::new() };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, value) in arguments {
        let Value::String(word) = value else { continue };
        let Some(property) = properties.get(name).and_then(Value::as_object) else { continue };
        let forms = ["anyOf", "oneOf"].iter().filter_map(|several| property.get(*several));
        let forms = forms.filter_map(Value::as_array).flatten().filter_map(Value::as_object);
        let words = std::iter::once(property)
            .chain(forms)
            .filter_map(|form| check.resolved(form).get("enum"))
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str);
        let words: Vec<&str> = words.collect();
        if words.contains(&word.as_str()) {
            continue;
        }
        if let Some(listed) = words.iter().find(|own| own.eq_ignore_ascii_case(word.trim())) {
            (*listed).clone_into(word);
        }
    }
}

struct Check<'a> {
    root: &'a Object,
    problems: Vec<String>,
}

impl<'a> Check<'a> {
    /// Whether enough was said: what else is wrong is not looked for.
    fn is_full(&self) -> bool {
        self.problems.len() >= PROBLEMS
    }

    fn say(&mut self, problem: String) {
        if !self.is_full() {
            self.problems.push(problem);
        }
    }

    /// The schema that a reference points to.
    fn resolved(&self, schema: &'a Object) -> &'a Object {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        let found = match target.strip_prefix("#/$defs/") {
            Some(name) => self.root.get("$defs").and_then(|all| all.get(name)),
            None => None,
        };
        found.and_then(Value::as_object).unwrap_or(if target == "#" { self.root } else { schema })
    }

    fn value(&mut self, schema: &'a Value, value: &Value, path: &str) {
        let Some(schema) = schema.as_object() else { return };
        let schema = self.resolved(schema);
        for several in ["anyOf", "oneOf"] {
            if let Some(Value::Array(forms)) = schema.get(several) {
                self.one_of(forms, value, path);
                return;
            }
        }
        if !fits(schema, value) {
            // An object, or a list of them, is said to be made of something.
            let about = schema.get("description").and_then(Value::as_str);
            let about = about.filter(|_| holds_objects(schema));
            let about = about.map(|about| format!(" ({about})")).unwrap_or_default();
            self.say(format!(
                "`{path}` should be {}{about}, and is {}{}",
                wanted(schema),
                described(value),
                bent(schema, value)
            ));
            return;
        }
        if let Some(Value::Array(words)) = schema.get("enum")
            && !words.contains(value)
        {
            self.word(words, value, path);
            return;
        }
        self.bounds(schema, value, path);
        match value {
            Value::Object(map) => self.object(schema, map, path),
            Value::Array(list) => {
                if let Some(items) = schema.get("items") {
                    for (index, item) in list.iter().enumerate() {
                        if self.is_full() {
                            return;
                        }
                        self.value(items, item, &format!("{path}[{index}]"));
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes the first form that fits; else says what the nearest one lacks.
    fn one_of(&mut self, forms: &'a [Value], value: &Value, path: &str) {
        let known: Vec<&Object> =
            forms.iter().filter_map(Value::as_object).map(|form| self.resolved(form)).collect();
        if !known.iter().any(|form| fits(form, value)) {
            let wanted: Vec<String> = known.iter().map(|form| wanted(form)).collect();
            let (wanted, is) = (wanted.join(" or "), described(value));
            self.say(format!("`{path}` should be {wanted}, and is {is}"));
            return;
        }
        let mut least: Option<Vec<String>> = None;
        for form in forms {
            let mut check = Check { root: self.root, problems: Vec::new() };
            check.value(form, value, path);
            if check.problems.is_empty() {
                return;
            }
            if least.as_ref().is_none_or(|least| check.problems.len() < least.len()) {
                least = Some(check.problems);
            }
        }
        least.into_iter().flatten().for_each(|problem| self.say(problem));
    }

    fn word(&mut self, words: &[Value], value: &Value, path: &str) {
        let known: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let given = value.as_str().unwrap_or_default();
        let hint = nearest(given, known.iter().copied())
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        self.say(format!(
            "`{path}` is {}, which is none of {}{hint}",
            described(value),
            known.join(", ")
        ));
    }

    fn bounds(&mut self, schema: &Object, value: &Value, path: &str) {
        let (size, [verb, unit], bounds) = match value {
            Value::Number(number) => (number.as_f64(), ["is", ""], ["minimum", "maximum"]),
            Value::Array(list) => {
                (Some(count(list.len())), ["has", " items"], ["minItems", "maxItems"])
            }
            Value::String(text) => {
                let length = count(text.chars().count());
                (Some(length), ["has", " characters"], ["minLength", "maxLength"])
            }
            _ => return,
        };
        let Some(size) = size else { return };
        let [least, most] = bounds.map(|name| schema.get(name).and_then(Value::as_f64));
        if let Some(least) = least.filter(|least| size < *least) {
            self.say(format!("`{path}` {verb} {size}{unit}; {least} is the least"));
        }
        if let Some(most) = most.filter(|most| size > *most) {
            self.say(format!("`{path}` {verb} {size}{unit}; {most} is the most"));
        }
    }

    fn object(&mut self, schema: &'a Object, map: &Object, path: &str) {
        let at =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (name, value) in map {
            if self.is_full() {
                return;
            }
            match (properties.and_then(|known| known.get(name)), others) {
                (Some(property), _) => self.value(property, value, &at(name)),
                (None, Some(schema @ Value::Object(_))) => self.value(schema, value, &at(name)),
                (None, Some(Value::Bool(true))) => {}
                (None, None) if properties.is_none() => {}
                (None, _) => self.unknown(properties, map, name, &at(name)),
            }
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str().filter(|name| !map.contains_key(*name)) else {
                continue;
            };
            let about = properties.and_then(|known| known.get(name));
            let about = about.and_then(|schema| schema.get("description")).and_then(Value::as_str);
            let about = about.map(|about| format!(": {about}")).unwrap_or_default();
            self.say(format!("`{}` is missing{about}", at(name)));
        }
    }

    fn unknown(&mut self, known: Option<&Object>, given: &Object, name: &str, path: &str) {
        // Not one that is there already.
        let names: Vec<&str> =
            known.into_iter().flat_map(Object::keys).map(String::as_str).collect();
        let free = names.iter().copied().filter(|name| !given.contains_key(*name));
        let hint = match nearest(name, free) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if names.is_empty() => "; this tool takes none".to_owned(),
            None => format!("; known: {}", names.join(", ")),
        };
        self.say(format!("`{path}` is no argument{hint}"));
    }
}

/// A length as a number of JSON.
#[expect(clippy::cast_precision_loss, reason = "no list is that long")]
fn count(length: usize) -> f64 {
    length as f64
}

/// Whether the type of a value is one that the schema names.
fn fits(schema: &Object, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

/// Whether a schema asks for an object, or for a list of objects.
fn holds_objects(schema: &Object) -> bool {
    let is_object = |schema: &Object| schema.get("type").is_some_and(|kind| kind == "object");
    let items = schema.get("items").and_then(Value::as_object);
    is_object(schema) || items.is_some_and(is_object)
}

/// What a schema wants, in words.
fn wanted(schema: &Object) -> String {
    let word = |name: &str| match name {
        "null" => "null".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "array" => match schema.get("items").and_then(Value::as_object) {
            Some(items) if items.contains_key("type") => format!("a list, each {}", wanted(items)),
            _ => "a list".to_owned(),
        },
        "object" => "an object".to_owned(),
        _ => "a string".to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => word(name),
        Some(Value::Array(names)) => {
            let words: Vec<String> = names.iter().filter_map(Value::as_str).map(word).collect();
            words.join(" or ")
        }
        _ => "something else".to_owned(),
    }
}

/// What a value is, in words; its beginning, when it is short.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("the string {value}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What to do about a value that only has the wrong clothes on.
fn bent(schema: &Object, value: &Value) -> &'static str {
    let wants = |name: &str| schema.get("type").is_some_and(|one| one == name);
    match value {
        Value::String(text) => {
            let inner: Option<Value> = serde_json::from_str(text).ok();
            match inner {
                Some(inner) if fits(schema, &inner) => ": write it without the quotes",
                _ if wants("array") => ": put it in brackets",
                _ => "",
            }
        }
        Value::Number(_) if wants("string") => ": write it in quotes",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(arguments: Value) -> String {
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
            panic!("objects");
        };
        problems(&schema, &arguments).join("\n")
    }

    #[test]
    fn what_fits_is_taken() {
        assert_eq!(
            said(json!({
                "query": "q", "limit": 100, "kind": "mistake", "ids": ["a", "b"], "date": 4,
                "provider": {"model": "m"}, "list": {"x": true}, "free": [null, {"a": 1}],
            })),
            ""
        );
    }

    #[test]
    fn each_problem_names_its_place_and_what_is_wanted() {
        insta::assert_snapshot!(said(json!({"qurey": "q"})), @"
        `qurey` is no argument; did you mean `query`?
        `query` is missing: What to look for
        ");
        insta::assert_snapshot!(said(json!({"query": 7, "colour": 1})), @"
        `query` should be a string, and is 7: write it in quotes
        `colour` is no argument; known: query, limit, kind, ids, date, provider, list, free
        ");
        insta::assert_snapshot!(said(json!({"query": "q", "limit": "5"})), @r#"`limit` should be a whole number, and is the string "5": write it without the quotes"#);
        insta::assert_snapshot!(said(json!({"query": "q", "limit": 2.5})), @"`limit` should be a whole number, and is 2.5");
        insta::assert_snapshot!(said(json!({"query": "q", "limit": 0})), @"`limit` is 0; 1 is the least");
        insta::assert_snapshot!(said(json!({"query": "q", "limit": 101})), @"`limit` is 101; 100 is the most");
        insta::assert_snapshot!(said(json!({"query": "q", "kind": "decisions"})), @r#"`kind` is the string "decisions", which is none of decision, mistake; did you mean `decision`?"#);
        insta::assert_snapshot!(said(json!({"query": "q", "ids": "a"})), @r#"`ids` should be a list, each a string, and is the string "a": put it in brackets"#);
        insta::assert_snapshot!(said(json!({"query": "q", "ids": ["a", 2]})), @"`ids[1]` should be a string, and is 2: write it in quotes");
        insta::assert_snapshot!(said(json!({"query": "q", "ids": ["a", "b", "c"]})), @"`ids` has 3 items; 2 is the most");
        insta::assert_snapshot!(said(json!({"query": "q", "date": true})), @"`date` should be a string or a whole number, and is true");
        insta::assert_snapshot!(said(json!({"query": "q", "provider": {"modle": "m"}})), @"
        `provider.modle` is no argument; did you mean `model`?
        `provider.model` is missing
        ");
        insta::assert_snapshot!(said(json!({"query": "q", "list": {"x": 1}})), @"`list.x` should be true or false, and is 1");
    }

    #[test]
    fn no_more_problems_are_looked_for_than_are_told() {
        let many: Vec<u32> = vec![0; 10_000];
        let more: Object = (0..10_000).map(|n| (format!("x{n}"), json!(1))).collect();
        let schema = json!({
            "properties": {"ids": {"type": "array", "items": {"anyOf": [{"type": "string"}]}}},
            "additionalProperties": false,
        });
        for arguments in [[("ids".to_owned(), json!(many))].into_iter().collect(), more] {
            let root = schema.as_object().expect("an object");
            let mut check = Check { root, problems: Vec::new() };
            check.object(root, &arguments, "");
            assert_eq!(check.problems.len(), PROBLEMS);
        }
    }

    #[test]
    fn words_are_taken_in_any_case() {
        let schema = json!({
            "properties": {
                "outcome": {"$ref": "#/$defs/Came"},
                "kind": {"anyOf": [{"enum": ["decision", "mistake"]}, {"type": "null"}]},
                "free": {"type": "string"},
            },
            "$defs": {"Came": {"type": "string", "enum": ["SUCCESS", "FAILED"]}},
        });
        let given = json!({"outcome": " failed", "kind": "Decision", "free": "FAILED", "x": "y"});
        let (Value::Object(schema), Value::Object(mut given)) = (schema, given) else { panic!() };
        in_listed_words(&schema, &[], &mut given);
        let want = json!({"outcome": "FAILED", "kind": "decision", "free": "FAILED", "x": "y"});
        assert_eq!(Value::Object(given), want);
    }

    #[test]
    fn null_is_left_out() {
        let Value::Object(arguments) = json!({"query": "q", "limit": null}) else { panic!() };
        assert_eq!(Value::Object(without_null(arguments)), json!({"query": "q"}));
    }
}
