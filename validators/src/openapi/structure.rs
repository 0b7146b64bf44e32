//! Walks a document by the grammar of its version: records the types of the objects and the
//! references, and finds violations of the specification.

use super::conditions;
use super::document::{Document, Fault, Reference, is_template};
use super::fixes::{unquoted, unquoted_span};
use super::pointer::Target;
use super::specification::{Grammar, Object, Pattern, Shape, Version};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;

/// The type of the whole document.
static ROOT: Shape = Shape::Object("document");
static SCHEMA: Shape = Shape::Object("schema");

/// Fills the types, objects, references and faults of `document`.
pub(super) fn walk(document: &mut Document<'_>) {
    let mut pending: Vec<(usize, &'static Shape)> = vec![(document.root, &ROOT)];
    while let Some((at, shape)) = pending.pop() {
        visit(document, at, shape, &mut pending);
    }
    for objects in document.objects.values_mut() {
        objects.sort_unstable();
    }
    conditions::check(document);
    // The faults of an alias have the spans of its anchor, so they are duplicates.
    document.faults.sort();
    document.faults.dedup();
}

/// Reports the violations that the walk found.
pub(super) fn structure(document: &Document<'_>, report: &mut Report<'_>) {
    for fault in &document.faults {
        let finding = report.at(fault.span, fault.message.clone());
        if fault.is_incomplete {
            finding.severity = Severity::Info;
        }
        if let Some(help) = &fault.help {
            finding.help(help.clone());
        }
        if let Some((span, text)) = &fault.fix_unsafe {
            finding.fix_unsafe(format!("Write `{text}`"), vec![Edit::replace(*span, text.clone())]);
        } else if let Some((offset, text)) = &fault.insertion {
            let title = format!("Add `{}`", text.trim_matches([',', ' ', '\n', '\r']));
            finding.fix(title, vec![Edit::insert(*offset, text.clone())]);
        } else if let Some(span) = fault.removal {
            // The help of such a fault states what to remove.
            let title = fault.help.clone().unwrap_or_default();
            finding.fix(title, vec![Edit::delete(span)]);
        }
    }
}

/// Maximum number of words that a message lists.
const MAX_LISTED: usize = 10;

type Pending = Vec<(usize, &'static Shape)>;

fn visit(document: &mut Document<'_>, at: usize, shape: &'static Shape, pending: &mut Pending) {
    if document.text(at).is_some_and(is_template) || is_template(document.key(at)) {
        return;
    }
    if document.is_in_other_file(at) && !document.visited.insert(at) {
        return;
    }
    if document.is_map(at) && is_external(document, at) {
        if let Some(&Target::Local(target)) = document.targets.get(&at)
            && document.is_in_other_file(target)
        {
            pending.push((target, shape));
        }
        if !is_object(shape) {
            return;
        }
    }
    match shape {
        Shape::Any => {}
        Shape::String => {
            if document.text(at).is_none() {
                expect(document, at, "a string");
                quote(document, at);
            }
        }
        Shape::Boolean => {
            if !matches!(document.datum(at), Datum::Bool(_)) {
                expect(document, at, "a boolean");
            }
        }
        Shape::Integer => {
            // All integers in the specification are lengths, which cannot be negative.
            if document.number(at).is_none_or(|number| number.fract() != 0.0 || number < 0.0) {
                expect(document, at, "a non-negative integer");
            }
        }
        Shape::Number => {
            if document.number(at).is_none() {
                expect(document, at, "a number");
            }
        }
        Shape::Enum(values) => visit_enum(document, at, values),
        Shape::SchemaOrBoolean => {
            if !matches!(document.datum(at), Datum::Bool(_)) {
                pending.push((at, &SCHEMA));
            }
        }
        Shape::Schemas => {
            if *document.datum(at) == Datum::List {
                pending.extend(document.children(at).iter().rev().map(|&item| (item, &SCHEMA)));
            } else {
                pending.push((at, &SCHEMA));
            }
        }
        Shape::Object(name) => visit_object(document, at, name, false, pending),
        Shape::Ref(name) => visit_object(document, at, name, true, pending),
        Shape::List(inner) => {
            if *document.datum(at) == Datum::List {
                pending.extend(document.children(at).iter().rev().map(|&item| (item, &**inner)));
            } else {
                expect(document, at, "a list");
            }
        }
        Shape::Map(inner) | Shape::Named(inner) => {
            if !document.is_map(at) {
                expect(document, at, "an object");
                return;
            }
            if matches!(shape, Shape::Named(_)) {
                check_names(document, at);
            }
            let is_scalar = matches!(**inner, Shape::String);
            let children = document.children(at).iter().rev();
            let extended = children.map(|&child| (child, &**inner));
            // The scopes of Swagger 2.0 can have extensions.
            pending.extend(
                extended
                    .filter(|(child, _)| !(is_scalar && document.key(*child).starts_with("x-"))),
            );
        }
    }
}

fn is_object(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Object(_) | Shape::Ref(_) | Shape::SchemaOrBoolean | Shape::Schemas | Shape::Any
    )
}

/// Whether the mapping `at` is a reference to another file. Such references are allowed everywhere,
/// because documents of several files are bundled before they are used.
fn is_external(document: &Document<'_>, at: usize) -> bool {
    let is_in_file = match document.targets.get(&at) {
        Some(Target::Local(target)) => {
            document.parts.index_of(*target) != document.parts.index_of(at)
        }
        Some(Target::Missing) | None => false,
        Some(_) => true,
    };
    is_in_file
        && document.reference(at).is_some_and(|reference| {
            !document.text(reference).is_some_and(|text| text.starts_with('#'))
        })
}

fn visit_enum(document: &mut Document<'_>, at: usize, values: &[&'static str]) {
    let Some(text) = document.text(at) else {
        expect(document, at, "a string");
        return;
    };
    if values.contains(&text) {
        return;
    }
    let expected: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    let message = format!("unknown {} `{text}`", field_name(document, at));
    let mut fault = Fault::new(document.span(at), message);
    match nearest(text, values.iter().copied()) {
        Some(near) => {
            fault = fault.help(format!("Did you mean `{near}`?"));
            if let Some(span) = unquoted(document, at) {
                fault.fix_unsafe = Some((span, near.to_owned()));
            }
        }
        None => fault = fault.help(format!("Write {}", list_of(&expected))),
    }
    document.faults.push(fault);
}

/// The words in a sentence: "`a`, `b` or `c`".
pub(super) fn list_of(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) if words.len() <= MAX_LISTED => format!("{} or {last}", rest.join(", ")),
        Some(_) => format!("{} or another", words[..MAX_LISTED].join(", ")),
        None => String::new(),
    }
}

/// The name of the field that contains the value `at`, or of the list that contains it.
fn field_name(document: &Document<'_>, at: usize) -> String {
    let mut at = at;
    loop {
        if document.values.all[at].key.is_some() {
            return format!("`{}`", document.key(at));
        }
        match document.parent(at) {
            Some(parent) => at = parent,
            None => return "the document".to_owned(),
        }
    }
}

/// Reports a value of the wrong type.
pub(super) fn expect(document: &mut Document<'_>, at: usize, expected: &str) {
    let found = describe(document, at);
    let message = format!("expected {expected} for {}, found {found}", field_name(document, at));
    let mut fault = Fault::new(document.span(at), message);
    let is_modern = document.version >= Version::V3_1;
    match document.key(at) {
        "exclusiveMinimum" | "exclusiveMaximum" if is_modern => {
            fault = fault.help("Write the bound in this field, and remove `minimum` or `maximum`");
        }
        "exclusiveMinimum" | "exclusiveMaximum" => {
            fault =
                fault.help("Write the bound in `minimum` or `maximum`, and `true` in this field");
        }
        _ => {}
    }
    document.faults.push(fault);
}

/// Adds a fix to the last fault: quotes around the number at `at`.
fn quote(document: &mut Document<'_>, at: usize) {
    let Datum::Number(number) = document.datum(at) else { return };
    let text = format!("\"{number}\"");
    let span = document.values.all[at].span;
    if let Some(fault) = document.faults.last_mut() {
        fault.help = Some(format!("Write `{text}`"));
        fault.fix_unsafe = Some((span, text));
    }
}

/// The type of the value `at`, with an article.
pub(super) fn describe(document: &Document<'_>, at: usize) -> &'static str {
    match document.datum(at) {
        Datum::Null => "null",
        Datum::Bool(_) => "a boolean",
        Datum::Number(_) => "a number",
        Datum::Text(_) => "a string",
        Datum::List => "a list",
        Datum::Map => "an object",
    }
}

/// Whether a boolean is allowed in place of a schema.
fn has_boolean_schemas(version: Version) -> bool {
    version >= Version::V3_1
}

fn visit_object(
    document: &mut Document<'_>,
    at: usize,
    name: &'static str,
    is_reference_allowed: bool,
    pending: &mut Pending,
) {
    let grammar: &'static Grammar = document.grammar;
    let Some(object) = grammar.object(name) else { return };
    let is_schema = name == "schema";
    if is_schema
        && has_boolean_schemas(document.version)
        && matches!(document.datum(at), Datum::Bool(_))
    {
        document.types[at] = Some(name);
        return;
    }
    if !document.is_map(at) {
        expect(document, at, &with_article(name));
        return;
    }
    // The entries of an anchor or a merge key can be used in several objects.
    if document.types[at].is_none() {
        document.types[at] = Some(name);
    }
    if let Some(reference) = document.get(at, "$ref") {
        let has_field = object.fields.contains_key("$ref");
        if document.text(reference).is_none() {
            expect(document, reference, "a string");
            return;
        }
        let is_pure = !has_field || is_schema && !has_boolean_schemas(document.version);
        if has_field || is_reference_allowed || is_external(document, at) {
            let target = Some(name);
            document.references.push(Reference { at: reference, object: at, target });
            if is_pure {
                return;
            }
        }
    }
    document.objects.entry(name).or_default().push(at);
    for index in 0..document.children(at).len() {
        let child = document.children(at)[index];
        let key = document.key(child);
        if let Some(field) = object.fields.get(key) {
            pending.push((child, &field.shape));
        } else if key.starts_with("x-") || object.is_open || key.is_empty() || is_template(key) {
            // Extensions and unknown keywords have no type.
        } else if let Some((pattern, shape)) = &object.pattern {
            if let Some(fault) = pattern_fault(document, *pattern, child) {
                document.faults.push(fault);
            } else {
                pending.push((child, shape));
            }
        } else {
            let fault = unknown_field(document, object, child);
            document.faults.push(fault);
        }
    }
    let missing = object.fields.iter().filter(|(_, field)| field.is_required);
    let missing = missing.filter(|(field, _)| document.get(at, field).is_none());
    let mut missing: Vec<&str> = missing.map(|(field, _)| *field).collect();
    missing.sort_unstable();
    for field in missing {
        let fault = missing_field(document, at, name, field);
        document.faults.push(fault);
    }
}

/// The name of a type of object in messages.
pub(super) fn title(name: &str) -> String {
    match name {
        "external-docs" => "externalDocs".to_owned(),
        "xml" => "xml object".to_owned(),
        _ => name.replace('-', " "),
    }
}

pub(super) fn with_article(name: &str) -> String {
    let title = title(name);
    let article = match name {
        "paths" | "responses" | "components" | "external-docs" => {
            return format!("an object `{title}`");
        }
        "items" | "info" => return format!("an `{title}` object"),
        _ if title.starts_with(['a', 'e', 'i', 'o', 'x']) => "an",
        _ => "a",
    };
    format!("{article} {title}")
}

/// The violation of a missing required field.
pub(super) fn missing_field(document: &Document<'_>, at: usize, name: &str, field: &str) -> Fault {
    let span = if at == document.root { version_span(document) } else { document.key_span(at) };
    let mut fault = Fault::new(span, format!("`{field}` is missing in the {}", title(name)))
        .help(format!("Add `{field}`"));
    fault.is_incomplete = at == document.root;
    fault
}

/// The key of the version, for findings on the whole document.
pub(super) fn version_span(document: &Document<'_>) -> Span {
    let field = ["openapi", "swagger"].iter().find_map(|key| document.get(document.root, key));
    document.key_span(field.unwrap_or(document.root))
}

fn unknown_field(document: &Document<'_>, object: &Object, child: usize) -> Fault {
    let key = document.key(child);
    let message = format!("unknown field `{key}` in {}", with_article(object.name));
    let span = document.key_span(child);
    let fault = Fault::new(span, message);
    if key == "$ref" {
        return Fault::new(span, format!("`$ref` is not allowed in {}", with_article(object.name)))
            .help(
                "Write the object itself, or refer to a component of a type that allows references",
            );
    }
    let has_field = |version: &&Version| {
        let object = Grammar::of(**version).object(object.name);
        object.is_some_and(|object| object.fields.contains_key(key))
    };
    let mut later = Version::ALL.iter().filter(|&&version| version > document.version);
    let other = later.find(has_field).or_else(|| Version::ALL.iter().rev().find(has_field));
    if let Some(other) = other {
        let (this, other) = (document.version.name(), other.name());
        return fault.help(format!("{this} has no such field; it is a field of {other}"));
    }
    let known = object.fields.keys().copied();
    let known = known
        .filter(|field| document.parent(child).is_none_or(|at| document.get(at, field).is_none()));
    match document.nearest(key, known) {
        Some(near) => {
            let mut fault = fault.help(format!("Did you mean `{near}`?"));
            let written = unquoted_span(document, span, key);
            fault.fix_unsafe = written.map(|span| (span, near.to_owned()));
            fault
        }
        None => fault.help(format!("Remove the field, or rename it to `x-{key}`")),
    }
}

/// The violation of a key that must be a path or a status code.
fn pattern_fault(document: &Document<'_>, pattern: Pattern, child: usize) -> Option<Fault> {
    let key = document.key(child);
    let span = document.key_span(child);
    match pattern {
        Pattern::Any => None,
        Pattern::Path => (!key.starts_with('/') && key != "$ref").then(|| {
            let mut fault = Fault::new(span, format!("the path `{key}` does not start with `/`"))
                .help(format!("Write `/{key}`"));
            let written = unquoted_span(document, span, key);
            fault.fix_unsafe = written.map(|span| (span, format!("/{key}")));
            fault
        }),
        Pattern::Status => (!is_status(document.version, key)).then(|| {
            let help = if document.version == Version::V2 {
                "Write a status code such as `200`, or `default`"
            } else {
                "Write a status code such as `200`, a range such as `2XX`, or `default`"
            };
            let mut fault = Fault::new(span, format!("`{key}` is not a status code")).help(help);
            let upper = key.to_ascii_uppercase();
            if is_status(document.version, &upper) {
                fault.fix_unsafe = unquoted_span(document, span, key).map(|span| (span, upper));
            }
            fault
        }),
    }
}

fn is_status(version: Version, key: &str) -> bool {
    let bytes = key.as_bytes();
    if key == "default" {
        return true;
    }
    let [first, rest @ ..] = bytes else { return false };
    let is_code = rest.len() == 2 && rest.iter().all(u8::is_ascii_digit);
    match version {
        Version::V2 => first.is_ascii_digit() && is_code,
        _ => (b'1'..=b'5').contains(first) && (is_code || rest == b"XX"),
    }
}

/// Reports names of components with characters that are not allowed.
fn check_names(document: &mut Document<'_>, at: usize) {
    let is_valid = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let children = document.children(at).iter();
    let invalid = children.filter(|&&child| {
        let key = document.key(child);
        !is_valid(key) && !is_template(key)
    });
    let faults: Vec<Fault> = invalid
        .map(|&child| {
            let message = format!("invalid name of a component: `{}`", document.key(child));
            Fault::new(document.key_span(child), message)
                .help("Use only letters, digits, `.`, `-` and `_`")
        })
        .collect();
    document.faults.extend(faults);
}
