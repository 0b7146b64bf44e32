//! Compares schemas: what clients send must remain valid, and what they read must not change.

use super::super::document::{Document, short};
use super::super::schemas::{is_nullable, parts, types};
use super::super::specification::Version;
use super::Affected::{self, Request, Response};
use super::{Comparison, Direction};
use aidd_engine::parse::values::Datum;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of compared pairs of schemas.
const MAX_PAIRS: usize = 100_000;
/// Maximum nesting of a compared schema below the body, in properties.
const MAX_NESTING: usize = 40;

/// Maximum number of removed properties of one object that a message lists.
const MAX_LISTED: usize = 3;

/// The keywords for upper bounds.
const UPPER_BOUNDS: [&str; 5] =
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/// The keywords for lower bounds.
const LOWER_BOUNDS: [&str; 5] =
    ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

/// A schema together with the parts of its `allOf`.
struct View<'d, 'b> {
    document: &'d Document<'b>,
    /// The schema and the parts of its `allOf`, the outermost first.
    parts: Vec<usize>,
}

impl<'d, 'b> View<'d, 'b> {
    /// `None` if a part is not known.
    fn new(document: &'d Document<'b>, schema: usize) -> Option<Self> {
        let found = parts(document, schema, &["allOf"]);
        let is_ignored =
            |at: &usize| document.version < Version::V3_1 && document.targets.contains_key(at);
        let parts: Vec<usize> = found.found.into_iter().filter(|at| !is_ignored(at)).collect();
        let is_known = found.is_complete && parts.iter().all(|&at| document.is_map(at));
        (is_known && !parts.is_empty()).then_some(Self { document, parts })
    }

    /// The first value of a field.
    fn get(&self, field: &str) -> Option<usize> {
        self.parts.iter().find_map(|&part| self.document.get(part, field))
    }

    /// The first text of a field.
    fn text(&self, field: &str) -> Option<&'d str> {
        self.get(field).and_then(|at| self.document.text(at))
    }

    fn has_any(&self, fields: &[&str]) -> bool {
        fields.iter().any(|field| self.get(field).is_some())
    }

    /// The object at which a missing field is reported.
    fn main(&self) -> usize {
        self.parts[0]
    }

    /// The types of the values, declared or implied by other fields; `None` for any type.
    fn types(&self) -> Option<BTreeSet<&'d str>> {
        let declared = self.parts.iter().map(|&part| (part, types(self.document, part)));
        let mut declared = declared.filter(|(_, types)| !types.is_empty());
        if let Some((part, declared)) = declared.next() {
            let mut types: BTreeSet<&str> = declared.into_iter().collect();
            if is_nullable(self.document, part) {
                types.insert("null");
            }
            return Some(types);
        }
        let implied = if self.has_any(&["properties", "additionalProperties", "required"]) {
            "object"
        } else if self.has_any(&["items", "prefixItems"]) {
            "array"
        } else {
            return None;
        };
        Some(BTreeSet::from([implied]))
    }

    /// The allowed values, each with the index of its value. In a parameter (`is_text`), `1` and
    /// `"1"` are the same value.
    fn values(&self, is_text: bool) -> Option<BTreeMap<(bool, String), usize>> {
        let list = match self.get("enum") {
            Some(list) if *self.document.datum(list) == Datum::List => {
                self.document.children(list).to_vec()
            }
            _ => vec![self.get("const")?],
        };
        let text = |at| match self.document.datum(at) {
            Datum::Null => Some("null".to_owned()),
            Datum::Bool(value) => Some(value.to_string()),
            Datum::Number(text) | Datum::Text(text) => Some(text.clone()),
            Datum::List | Datum::Map => None,
        };
        let is_string = |at| !is_text && matches!(self.document.datum(at), Datum::Text(_));
        list.into_iter().map(|at| Some(((is_string(at), text(at)?), at))).collect()
    }

    /// The properties of all parts; those of the outermost part first.
    fn properties(&self) -> BTreeMap<&'d str, usize> {
        let mut properties = BTreeMap::new();
        for &part in &self.parts {
            let map = self.document.get(part, "properties");
            for &child in map.map_or(&[][..], |map| self.document.children(map)) {
                properties.entry(self.document.key(child)).or_insert(child);
            }
        }
        properties
    }

    /// The names of required properties, each with the index of its value.
    fn required(&self) -> BTreeMap<&'d str, usize> {
        let lists = self.parts.iter().filter_map(|&part| self.document.get(part, "required"));
        let items = lists.flat_map(|list| self.document.children(list));
        items.filter_map(|&item| Some((self.document.text(item)?, item))).collect()
    }

    /// The strictest value of a bound.
    fn bound(&self, field: &str) -> Option<(f64, usize)> {
        let values = self.parts.iter().filter_map(|&part| self.document.get(part, field));
        let mut numbers = values.filter_map(|at| Some((self.document.number(at)?, at)));
        let first = numbers.next()?;
        let is_upper = UPPER_BOUNDS.contains(&field);
        Some(numbers.fold(first, |strictest, number| {
            if (number.0 < strictest.0) == is_upper { number } else { strictest }
        }))
    }

    /// The alternatives of `oneOf` or `anyOf` by name; `None` if there are none, or some have no
    /// name.
    fn alternatives(&self) -> Option<HashMap<String, usize>> {
        let list = self.get("oneOf").or_else(|| self.get("anyOf"))?;
        let name = |at: usize| {
            let reference = self.document.reference(at).and_then(|at| self.document.text(at));
            let reference = reference.and_then(|text| text.rsplit('/').next());
            let name = reference.or_else(|| self.document.text_of(at, "title"));
            Some(name.or_else(|| self.document.text_of(at, "type"))?.to_owned())
        };
        let children = self.document.children(list);
        let named: HashMap<String, usize> =
            children.iter().map(|&at| Some((name(at)?, at))).collect::<Option<_>>()?;
        (named.len() == children.len()).then_some(named)
    }
}

/// Whether one of `types` accepts all values of the type `name`.
fn accepts(types: &BTreeSet<&str>, name: &str) -> bool {
    types.contains(name) || name == "integer" && types.contains("number")
}

/// Whether all values of the format `narrow` are also values of the format `wide`.
fn is_wider_format(wide: &str, narrow: &str) -> bool {
    matches!((wide, narrow), ("int64", "int32") | ("double", "float"))
}

/// Two schemas to compare, and their names in messages.
struct Pair<'d, 'b> {
    before: View<'d, 'b>,
    after: View<'d, 'b>,
    direction: Direction,
    /// The name of the operation in messages.
    name: String,
    /// The name of the value in messages.
    what: String,
    /// Whether the value is written as text: a parameter or a header.
    is_text: bool,
}

impl Pair<'_, '_> {
    fn affected(&self) -> Affected {
        if self.direction == Direction::In { Request } else { Response }
    }
}

impl<'d, 'b> Comparison<'d, 'b> {
    /// Compares two schemas and the schemas in them. `what` is the name of the value in messages;
    /// `is_text` is true for parameters and headers.
    pub(super) fn compare_schemas(
        &mut self,
        (name, what, is_text): (&str, &str, bool),
        (before, after): (usize, usize),
        direction: Direction,
    ) {
        let mut pending = vec![(before, after, what.to_owned(), 0)];
        while let Some((before, after, what, depth)) = pending.pop() {
            self.steps += 1;
            let ends = self.base.resolve(before).zip(self.head.resolve(after));
            let Some((resolved_before, resolved_after)) = ends else { continue };
            // A reference with siblings is not the whole schema.
            let is_whole = |document: &Document<'_>, at| {
                document.version < Version::V3_1
                    || document.reference(at).is_some() && document.children(at).len() == 1
            };
            let is_shared = is_whole(self.base, before) && is_whole(self.head, after);
            let (one, other) =
                if is_shared { (resolved_before, resolved_after) } else { (before, after) };
            let key = (one, other, direction);
            if depth > MAX_NESTING || self.steps > MAX_PAIRS || !self.seen.insert(key) {
                continue;
            }
            let views = View::new(self.base, before).zip(View::new(self.head, after));
            let Some((before, after)) = views else { continue };
            let pair = Pair { before, after, direction, name: name.to_owned(), what, is_text };
            self.compare_types(&pair);
            self.compare_values(&pair);
            self.compare_bounds(&pair);
            let mut inner = self.compare_objects(&pair);
            inner.extend(self.compare_alternatives(&pair));
            if let (Some(before), Some(after)) = (pair.before.get("items"), pair.after.get("items"))
            {
                inner.push((before, after, format!("the items of {}", pair.what)));
            }
            pending
                .extend(inner.into_iter().map(|(one, other, what)| (one, other, what, depth + 1)));
        }
    }

    /// Adds a change to the field `field`.
    fn add_at(&mut self, pair: &Pair<'_, '_>, field: &str, message: String, is_minor: bool) {
        let at = pair.after.get(field).unwrap_or_else(|| pair.after.main());
        let span = self.head.key_span(at);
        let help = match pair.direction {
            Direction::In => "Accept what the previous version accepted",
            Direction::Out => "Return only what the previous version described",
        };
        let is_minor = is_minor || self.is_new_specification;
        self.add(pair.affected(), span, message, help).is_minor = is_minor;
    }

    fn compare_types(&mut self, pair: &Pair<'_, '_>) {
        let Pair { before, after, direction, name, what, .. } = pair;
        let is_composed = |view: &View<'_, '_>| view.has_any(&["oneOf", "anyOf", "not"]);
        if is_composed(before) || is_composed(after) {
            return;
        }
        let (Some(old), Some(new)) = (before.types(), after.types()) else { return };
        // In a parameter, a number is a string of digits.
        let accepts = |types: &BTreeSet<&str>, name: &str| {
            accepts(types, name)
                || pair.is_text
                    && types.contains("string")
                    && matches!(name, "boolean" | "integer" | "number")
        };
        let (lost, text) = match direction {
            Direction::In => {
                let lost = old.iter().find(|known| !accepts(&new, known));
                (lost, format!("{name} no longer accepts"))
            }
            Direction::Out => {
                let lost = new.iter().find(|known| !accepts(&old, known));
                (lost, format!("{name} can now return"))
            }
        };
        if let Some(lost) = lost {
            // The keywords of the previous version contradict its type: its correction breaks no
            // client that works.
            let is_correction = [("items", "array"), ("properties", "object")]
                .iter()
                .any(|&(keyword, name)| before.has_any(&[keyword]) && !old.contains(name));
            self.add_at(pair, "type", format!("{text} `{lost}` for {what}"), is_correction);
            return;
        }
        if let (Some(old), Some(new)) = (before.text("format"), after.text("format")) {
            let is_compatible = match direction {
                Direction::In => is_wider_format(new, old),
                Direction::Out => is_wider_format(old, new),
            };
            if old != new && !is_compatible {
                let message = format!(
                    "the format of {what} of {name} changed from `{}` to `{}`",
                    short(old),
                    short(new)
                );
                self.add_at(pair, "format", message, false);
            }
        }
    }

    fn compare_values(&mut self, pair: &Pair<'_, '_>) {
        let Pair { before, after, direction, name, what, is_text } = pair;
        let field = if after.get("enum").is_some() { "enum" } else { "const" };
        let (old, new) = (before.values(*is_text), after.values(*is_text));
        match (direction, old, new) {
            (Direction::In, Some(old), Some(new)) => {
                if let Some((_, value)) = old.keys().find(|value| !new.contains_key(*value)) {
                    let message =
                        format!("{name} no longer accepts the value `{}` for {what}", short(value));
                    self.add_at(pair, field, message, false);
                }
            }
            (Direction::In, None, Some(_)) if !before.has_any(&["enum", "const"]) => {
                // The allowed values are often added to the description later, without a change of
                // the interface.
                let message = format!("{name} now accepts only some values for {what}");
                self.add_at(pair, field, message, true);
            }
            (Direction::Out, Some(old), Some(new)) => {
                if let Some((_, value)) = new.keys().find(|value| !old.contains_key(*value)) {
                    let message =
                        format!("{name} can now return the value `{}` for {what}", short(value));
                    self.add_at(pair, field, message, true);
                }
            }
            _ => {}
        }
    }

    fn compare_bounds(&mut self, pair: &Pair<'_, '_>) {
        let Pair { before, after, direction, name, what, .. } = pair;
        for field in UPPER_BOUNDS.into_iter().chain(LOWER_BOUNDS) {
            let (old, new) = (before.bound(field), after.bound(field));
            let is_upper = UPPER_BOUNDS.contains(&field);
            let message = match (direction, old, new) {
                (Direction::In, Some((old, _)), Some((new, _)))
                    if old != new && (new < old) == is_upper =>
                {
                    (format!("`{field}` of {what} of {name} changed from {old} to {new}"), false)
                }
                (Direction::In, None, Some((new, _)))
                    if is_upper || new > 0.0 || field.ends_with("imum") =>
                {
                    let verb = if what.starts_with("the items") { "have" } else { "has" };
                    (format!("{what} of {name} now {verb} `{field}: {new}`"), true)
                }
                (Direction::Out, Some((old, _)), Some((new, _)))
                    if old != new && (new > old) == is_upper =>
                {
                    (format!("`{field}` of {what} of {name} changed from {old} to {new}"), true)
                }
                _ => continue,
            };
            self.add_at(pair, field, message.0, message.1);
        }
        let pattern = after.text("pattern").filter(|new| !["", ".*", "^.*$"].contains(new));
        let pattern = pattern.filter(|&new| before.text("pattern") != Some(new));
        if *direction == Direction::In
            && let Some(new) = pattern
        {
            let message = format!("{what} of {name} must now match `{}`", short(new));
            self.add_at(pair, "pattern", message, true);
        }
    }

    /// Compares the properties; returns those that both sides have.
    fn compare_objects(&mut self, pair: &Pair<'_, '_>) -> Vec<(usize, usize, String)> {
        let Pair { before, after, direction, name, what, .. } = pair;
        let (old, new) = (before.properties(), after.properties());
        let (old_required, new_required) = (before.required(), after.required());
        let hidden = if *direction == Direction::In { "readOnly" } else { "writeOnly" };
        let flag = |document: &Document<'_>, at: usize, field: &str| {
            document.bool_of(at, field) == Some(true)
                || document.resolve(at).is_some_and(|at| document.bool_of(at, field) == Some(true))
        };
        let label = |property: &str| format!("`{}` in {what}", short(property));
        let is_closed = |view: &View<'_, '_>| {
            let field = view.get("additionalProperties");
            field.is_some_and(|at| *view.document.datum(at) == Datum::Bool(false))
        };
        let is_composed = |view: &View<'_, '_>| view.has_any(&["oneOf", "anyOf"]);
        let (mut common, mut removed) = (Vec::new(), Vec::new());
        for (&property, &at) in &old {
            if flag(self.base, at, hidden) {
                continue;
            }
            if let Some(&other) = new.get(property) {
                if !flag(self.head, other, hidden) {
                    common.push((at, other, label(property)));
                }
            } else if new.is_empty() && after.get("properties").is_none() || is_composed(after) {
                // The schema was replaced, or an alternative has the property.
            } else {
                removed.push(format!("`{}`", short(property)));
            }
        }
        if !removed.is_empty() {
            let count = removed.len();
            removed.truncate(MAX_LISTED);
            let listed = removed.join(", ");
            let more = match count - removed.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (verb, is_minor) = match direction {
                Direction::In => ("describes", !is_closed(after)),
                Direction::Out => ("returns", false),
            };
            let message = format!("{name} no longer {verb} {listed}{more} in {what}");
            self.add_at(pair, "properties", message, is_minor);
        }
        match direction {
            Direction::In => {
                for (property, item) in new_required {
                    let Some(&at) = new.get(property) else { continue };
                    if old_required.contains_key(property) || flag(self.head, at, hidden) {
                        continue;
                    }
                    let has_default = self
                        .head
                        .resolve(at)
                        .is_some_and(|at| self.head.get(at, "default").is_some());
                    let span = self.head.span(item);
                    let message = format!("{name} now requires {}", label(property));
                    let help = "Make the property optional";
                    self.add(Request, span, message, help).is_minor = has_default;
                }
                if is_closed(after) && !is_closed(before) && before.get("properties").is_some() {
                    let message = format!("{name} no longer accepts other properties in {what}");
                    self.add_at(pair, "additionalProperties", message, true);
                }
            }
            Direction::Out => {
                for property in old_required.into_keys() {
                    let is_optional =
                        new.contains_key(property) && !new_required.contains_key(property);
                    let is_written =
                        old.get(property).is_some_and(|&at| flag(self.base, at, hidden));
                    if is_optional && !is_written && !is_composed(after) {
                        let message =
                            format!("{name} no longer always returns {}", label(property));
                        self.add_at(pair, "required", message, false);
                    }
                }
            }
        }
        common
    }

    /// Compares the alternatives; returns those that both sides have.
    fn compare_alternatives(&mut self, pair: &Pair<'_, '_>) -> Vec<(usize, usize, String)> {
        let Pair { before, after, direction, name, what, .. } = pair;
        let (Some(old), Some(new)) = (before.alternatives(), after.alternatives()) else {
            return Vec::new();
        };
        let field = if after.get("oneOf").is_some() { "oneOf" } else { "anyOf" };
        let missing = |from: &HashMap<String, usize>, names: &HashMap<String, usize>| {
            names.keys().filter(|name| !from.contains_key(*name)).min().cloned()
        };
        let message = match direction {
            Direction::In => missing(&new, &old)
                .map(|lost| (format!("{name} no longer accepts `{lost}` for {what}"), false)),
            Direction::Out => missing(&old, &new)
                .map(|added| (format!("{name} can now return `{added}` for {what}"), true)),
        };
        if let Some((message, is_minor)) = message {
            self.add_at(pair, field, message, is_minor);
        }
        let both =
            old.into_iter().filter_map(|(key, at)| Some((at, *new.get(&key)?, what.clone())));
        both.collect()
    }
}
