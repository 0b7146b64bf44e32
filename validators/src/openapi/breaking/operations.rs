//! Compares the parameters, bodies and responses of an operation.

use super::super::document::Document;
use super::super::specification::Version;
use super::Affected::{Request, Response};
use super::{Comparison, Direction, Method};
use aidd_engine::parse::values::Datum;

/// A parameter of an operation.
struct Parameter<'d> {
    /// The item in the list `parameters`.
    entry: usize,
    /// The parameter, with references resolved.
    at: usize,
    name: &'d str,
    place: &'d str,
}

/// A media type of a body, and its schema.
struct Content<'d> {
    media_type: &'d str,
    schema: Option<usize>,
}

/// The parameters of an operation, and whether all of them are known.
fn parameters<'d>(document: &'d Document<'_>, method: Method) -> (Vec<Parameter<'d>>, bool) {
    let mut parameters: Vec<Parameter<'d>> = Vec::new();
    let mut is_complete = true;
    for owner in [method.operation, method.item] {
        let Some(list) = document.get(owner, "parameters") else { continue };
        is_complete &= !document.targets.contains_key(&list);
        for &entry in document.children(list) {
            let Some(at) = document.resolve(entry) else {
                is_complete = false;
                continue;
            };
            let (Some(name), Some(place)) =
                (document.text_of(at, "name"), document.text_of(at, "in"))
            else {
                continue;
            };
            // The parameters of the operation replace those of the path.
            let is_same = |other: &Parameter<'_>| other.name == name && other.place == place;
            // The specification ignores the description of these headers.
            let is_ignored = place == "header"
                && document.version != Version::V2
                && ["accept", "content-type", "authorization"]
                    .iter()
                    .any(|ignored| name.eq_ignore_ascii_case(ignored));
            if place != "body" && !is_ignored && !parameters.iter().any(is_same) {
                parameters.push(Parameter { entry, at, name, place });
            }
        }
    }
    (parameters, is_complete)
}

/// The position of a path parameter, which identifies it to clients.
fn position(path: &str, name: &str) -> Option<usize> {
    path.split('{').skip(1).position(|rest| rest.split('}').next() == Some(name))
}

/// The object that describes the body of a request.
fn body(document: &Document<'_>, method: Method) -> Option<usize> {
    if document.version != Version::V2 {
        return document.resolve(document.get(method.operation, "requestBody")?);
    }
    let lists = [method.operation, method.item].into_iter();
    let lists = lists.filter_map(|owner| document.get(owner, "parameters"));
    let entries = lists.flat_map(|list| document.children(list));
    let mut parameters = entries.filter_map(|&entry| document.resolve(entry));
    parameters.find(|&at| document.text_of(at, "in") == Some("body"))
}

/// The content of a body or a response. In Swagger 2.0, the media types are in the list `field` of
/// the operation or document.
fn contents<'d>(
    document: &'d Document<'_>,
    (owner, operation): (usize, usize),
    field: &str,
) -> Vec<Content<'d>> {
    if document.version == Version::V2 {
        let Some(schema) = document.get(owner, "schema") else { return Vec::new() };
        let list = document.get(operation, field).or_else(|| document.get(document.root, field));
        let types = list.map_or(&[][..], |list| document.children(list)).iter();
        let types: Vec<&str> = types.filter_map(|&item| document.text(item)).collect();
        let content = |media_type| Content { media_type, schema: Some(schema) };
        return match types.is_empty() {
            true => vec![content("*/*")],
            false => types.into_iter().map(content).collect(),
        };
    }
    let map = document.get(owner, "content").and_then(|map| document.resolve(map));
    let entries = map.map_or(&[][..], |map| document.children(map)).iter();
    let entries = entries.filter(|&&entry| !document.key(entry).starts_with("x-"));
    let contents = entries.filter_map(|&entry| {
        let schema = document.get(document.resolve(entry)?, "schema");
        Some(Content { media_type: document.key(entry), schema })
    });
    contents.collect()
}

/// Whether the media type or range `range` includes `media_type`.
fn covers(range: &str, media_type: &str) -> bool {
    let name = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (range, media_type) = (name(range), name(media_type));
    let start = range.strip_suffix('*');
    range == media_type
        || range == "*/*"
        || start.is_some_and(|start| media_type.starts_with(start))
}

impl Comparison<'_, '_> {
    pub(super) fn compare_operations(
        &mut self,
        (name, base_path, head_path): (&str, &str, &str),
        (base, head): (Method, Method),
        direction: Direction,
    ) {
        // The fields of Swagger 2.0 and OpenAPI 3.x are not comparable.
        if (self.base.version == Version::V2) != (self.head.version == Version::V2) {
            return;
        }
        self.compare_parameters(name, (base_path, head_path), (base, head));
        self.compare_bodies(name, (base, head), direction);
        if direction == Direction::In {
            self.compare_responses(name, (base, head));
            self.compare_security(name, (base.operation, head.operation));
        }
    }

    fn compare_parameters(
        &mut self,
        name: &str,
        (base_path, head_path): (&str, &str),
        (base, head): (Method, Method),
    ) {
        let (before, is_base_complete) = parameters(self.base, base);
        let (after, is_head_complete) = parameters(self.head, head);
        let is_same = |one: &Parameter<'_>, other: &Parameter<'_>| {
            one.place == other.place
                && match one.place {
                    "path" => position(base_path, one.name) == position(head_path, other.name),
                    "header" => one.name.eq_ignore_ascii_case(other.name),
                    _ => one.name == other.name,
                }
        };
        for new in &after {
            let is_required =
                |document: &Document<'_>, at| document.bool_of(at, "required") == Some(true);
            let text = format!("the {} parameter `{}`", new.place, new.name);
            let Some(old) = before.iter().find(|old| is_same(old, new)) else {
                if new.place != "path" && is_required(self.head, new.at) && is_base_complete {
                    let span = self.head.key_span(new.entry);
                    let message = format!("{name} now requires {text}");
                    self.add(Request, span, message, "Make the parameter optional");
                }
                continue;
            };
            if new.place != "path"
                && is_required(self.head, new.at)
                && !is_required(self.base, old.at)
            {
                let at = self.head.get(new.at, "required").unwrap_or(new.at);
                let message = format!("{text} of {name} is now required");
                let span = self.head.key_span(at);
                self.add(Request, span, message, "Make the parameter optional again");
            }
            self.compare_serialization((name, &text), old, new);
            let schemas = (schema_of(self.base, old.at), schema_of(self.head, new.at));
            if let (Some(old), Some(new)) = schemas {
                self.compare_schemas((name, &text, true), (old, new), Direction::In);
            }
        }
        for old in before.iter().filter(|old| old.place != "path" && is_head_complete) {
            if !after.iter().any(|new| is_same(old, new)) {
                let at = self.head.get(head.operation, "parameters").unwrap_or(head.operation);
                let message =
                    format!("the {} parameter `{}` of {name} was removed", old.place, old.name);
                let span = self.head.key_span(at);
                let help = "Accept the parameter, and mark it `deprecated`";
                self.add(Request, span, message, help).is_minor = true;
            }
        }
    }

    /// Compares how the value of a parameter is written in a request.
    fn compare_serialization(
        &mut self,
        (name, text): (&str, &str),
        old: &Parameter<'_>,
        new: &Parameter<'_>,
    ) {
        fn notation(document: &Document<'_>, parameter: &Parameter<'_>) -> (String, bool) {
            if document.version == Version::V2 {
                let format = document.text_of(parameter.at, "collectionFormat").unwrap_or("csv");
                return (format.to_owned(), false);
            }
            let default =
                if matches!(parameter.place, "query" | "cookie") { "form" } else { "simple" };
            let style = document.text_of(parameter.at, "style").unwrap_or(default);
            let is_exploded = document.bool_of(parameter.at, "explode").unwrap_or(style == "form");
            (style.to_owned(), is_exploded)
        }
        let is_composite = |document: &Document<'_>, parameter: &Parameter<'_>| {
            let schema = schema_of(document, parameter.at).and_then(|at| document.resolve(at));
            let kind = schema.and_then(|schema| document.text_of(schema, "type"));
            matches!(kind, Some("array" | "object"))
        };
        let (before, after) = (notation(self.base, old), notation(self.head, new));
        if before != after && is_composite(self.base, old) && is_composite(self.head, new) {
            let fields = ["explode", "style", "collectionFormat"];
            let at = fields.iter().find_map(|field| self.head.get(new.at, field)).unwrap_or(new.at);
            let span = self.head.key_span(at);
            let message = format!("the values of {text} of {name} are written differently");
            self.add(Request, span, message, "Restore `style`, `explode` or `collectionFormat`");
        }
    }

    fn compare_bodies(&mut self, name: &str, (base, head): (Method, Method), direction: Direction) {
        let has_body = |document: &Document<'_>, method: Method| {
            document.get(method.operation, "requestBody").is_some()
        };
        let affected = if direction == Direction::In { Request } else { Response };
        let before = body(self.base, base);
        let Some(after) = body(self.head, head) else { return };
        let is_required =
            |document: &Document<'_>, at| document.bool_of(at, "required") == Some(true);
        let Some(before) = before else {
            if is_required(self.head, after)
                && !has_body(self.base, base)
                && direction == Direction::In
            {
                let at = self.head.get(head.operation, "requestBody").unwrap_or(after);
                let span = self.head.key_span(at);
                let message = format!("{name} now requires a body");
                self.add(affected, span, message, "Make the body optional");
            }
            return;
        };
        if is_required(self.head, after)
            && !is_required(self.base, before)
            && direction == Direction::In
        {
            let at = self.head.get(after, "required").unwrap_or(after);
            let span = self.head.key_span(at);
            let message = format!("the body of {name} is now required");
            self.add(affected, span, message, "Make the body optional again");
        }
        let old = contents(self.base, (before, base.operation), "consumes");
        let new = contents(self.head, (after, head.operation), "consumes");
        self.compare_contents((name, "the body"), (&old, &new), (after, direction));
    }

    fn compare_contents(
        &mut self,
        (name, what): (&str, &str),
        (before, after): (&[Content<'_>], &[Content<'_>]),
        (owner, direction): (usize, Direction),
    ) {
        if after.is_empty() && what == "the body" {
            return;
        }
        let (affected, verb) = match direction {
            Direction::In => (Request, "accepts"),
            Direction::Out => (Response, "has"),
        };
        for old in before {
            match after.iter().find(|new| covers(new.media_type, old.media_type)) {
                Some(new) => {
                    if let (Some(old), Some(new)) = (old.schema, new.schema) {
                        self.compare_schemas((name, what, false), (old, new), direction);
                    }
                }
                None => {
                    let at = self.head.get(owner, "content").unwrap_or(owner);
                    let span = self.head.key_span(at);
                    let message = format!("{what} of {name} no longer {verb} `{}`", old.media_type);
                    self.add(affected, span, message, "Restore the media type");
                }
            }
        }
    }

    fn compare_responses(&mut self, name: &str, (base, head): (Method, Method)) {
        let map = |document: &Document<'_>, operation| {
            let map = document.get(operation, "responses")?;
            document.resolve(map).filter(|&map| document.is_map(map))
        };
        let (Some(before), Some(after)) =
            (map(self.base, base.operation), map(self.head, head.operation))
        else {
            return;
        };
        for &old in self.base.children(before) {
            let code = self.base.key(old);
            if code.starts_with("x-") {
                continue;
            }
            let range = format!("{}XX", code.chars().next().unwrap_or_default());
            let new = [code, &range, "default"].iter().find_map(|code| self.head.get(after, code));
            let Some(new) = new else {
                // Clients can rely on every success code that was described.
                let is_replaced = self.head.children(after).iter().any(|&other| {
                    let other = self.head.key(other);
                    range.starts_with(['2', '3']) && code == range && other.starts_with(&range[..1])
                });
                if !is_replaced {
                    let span = self.head.key_span(after);
                    let message = format!("the response `{code}` of {name} was removed");
                    let is_minor = !code.starts_with(['2', '3']);
                    self.add(Response, span, message, "Restore the response").is_minor = is_minor;
                }
                continue;
            };
            let (Some(old), Some(new)) = (self.base.resolve(old), self.head.resolve(new)) else {
                continue;
            };
            let what = format!("the response `{code}`");
            let contents_before = contents(self.base, (old, base.operation), "produces");
            let contents_after = contents(self.head, (new, head.operation), "produces");
            let contents = (&*contents_before, &*contents_after);
            self.compare_contents((name, &what), contents, (new, Direction::Out));
            self.compare_headers((name, &what), old, new);
        }
    }

    fn compare_headers(&mut self, (name, what): (&str, &str), old: usize, new: usize) {
        let headers = |document: &Document<'_>, at| {
            let map = document.get(at, "headers").and_then(|map| document.resolve(map));
            map.map_or_else(Vec::new, |map| document.children(map).to_vec())
        };
        let after = headers(self.head, new);
        for before in headers(self.base, old) {
            let key = self.base.key(before);
            let same = |&&at: &&usize| self.head.key(at).eq_ignore_ascii_case(key);
            let Some(&header) = after.iter().find(same) else {
                let at = self.head.get(new, "headers").unwrap_or(new);
                let span = self.head.key_span(at);
                let message = format!("{what} of {name} no longer has the header `{key}`");
                self.add(Response, span, message, "Restore the header");
                continue;
            };
            let (Some(before), Some(after)) =
                (self.base.resolve(before), self.head.resolve(header))
            else {
                continue;
            };
            let schemas = (schema_of(self.base, before), schema_of(self.head, after));
            if let (Some(before), Some(after)) = schemas {
                let text = format!("the header `{key}`");
                self.compare_schemas((name, &text, true), (before, after), Direction::Out);
            }
        }
    }
}

/// The schema of a parameter or header; in Swagger 2.0, the object itself.
fn schema_of(document: &Document<'_>, at: usize) -> Option<usize> {
    match document.version {
        Version::V2 => (*document.datum(at) == Datum::Map).then_some(at),
        _ => document.get(at, "schema"),
    }
}
