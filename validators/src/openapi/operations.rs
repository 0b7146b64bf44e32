//! Checks on operations: ids, tags, parameters, bodies and responses.

use super::document::{Document, Operation, short};
use super::fixes::{entry_removal, item_removal, suggest, unquoted};
use super::specification::Version;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::{Edit, Severity};
use std::collections::{HashMap, HashSet};

pub(super) fn duplicate_operation_id(document: &Document<'_>, report: &mut Report<'_>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut spans = HashSet::new();
    for operation in document.objects("operation") {
        let Some(at) = document.get(operation, "operationId") else { continue };
        let Some(id) = document.text(at) else { continue };
        // An operation included by a YAML alias is a duplicate too, but has no span of its own.
        if !spans.insert(document.span(at)) {
            continue;
        }
        match seen.get(id) {
            Some(&first) => {
                report
                    .at(document.span(at), format!("duplicate operation id `{id}`"))
                    .help("Rename one of the two operations")
                    .related(document.span(first), "the first operation");
            }
            None => _ = seen.insert(id, at),
        }
    }
}

pub(super) fn duplicate_parameter(document: &Document<'_>, report: &mut Report<'_>) {
    let owners = document.objects("operation").chain(document.objects("path-item"));
    for list in owners.filter_map(|owner| document.get(owner, "parameters")) {
        let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
        for &item in document.children(list) {
            let Some(parameter) = document.resolve(item) else { continue };
            let (Some(name), Some(place)) =
                (document.text_of(parameter, "name"), document.text_of(parameter, "in"))
            else {
                continue;
            };
            match seen.get(&(name, place)) {
                Some(&first) => {
                    let (name, place) = (short(name), short(place));
                    let message = format!("duplicate parameter `{name}` with `in: {place}`");
                    let finding = report.at(document.key_span(item), message);
                    finding.help("Remove the parameter");
                    finding.related(document.key_span(first), "the first parameter");
                    let reference = |at| document.reference(at).and_then(|at| document.text(at));
                    let is_same = reference(item).is_some() && reference(item) == reference(first);
                    if let Some(edit) = item_removal(document, item).filter(|_| is_same) {
                        finding.fix("Remove the duplicate", vec![edit]);
                    }
                }
                None => _ = seen.insert((name, place), item),
            }
        }
    }
}

pub(super) fn undefined_tag(document: &Document<'_>, report: &mut Report<'_>) {
    let Some(tags) = document.get(document.root, "tags") else { return };
    let is_complete = !document.targets.contains_key(&tags)
        && document.children(tags).iter().all(|tag| !document.targets.contains_key(tag));
    let names: HashSet<&str> =
        document.objects("tag").filter_map(|tag| document.text_of(tag, "name")).collect();
    if names.is_empty() || !is_complete {
        return;
    }
    let mut sorted: Vec<&str> = names.iter().copied().collect();
    sorted.sort_unstable();
    let mut suggestions: HashMap<&str, Option<&str>> = HashMap::new();
    for operation in document.objects("operation") {
        let Some(list) = document.get(operation, "tags") else { continue };
        for &item in document.children(list) {
            let Some(tag) = document.text(item).filter(|tag| !names.contains(tag)) else {
                continue;
            };
            let near = *suggestions
                .entry(tag)
                .or_insert_with(|| document.nearest(tag, sorted.iter().copied()));
            let finding = report
                .at(document.span(item), format!("the tag `{tag}` is not declared in `tags`"));
            match near {
                Some(near) => suggest(document, finding, (document.span(item), tag), near),
                None => _ = finding.help("Declare the tag in `tags` of the document"),
            }
        }
    }
}

/// The parameters of an operation in Swagger 2.0, each with its location (`in`).
fn parameter_locations<'d>(
    document: &'d Document<'_>,
    owner: usize,
) -> impl Iterator<Item = (usize, &'d str)> {
    let list = document.get(owner, "parameters");
    let items = list.map_or(&[][..], |list| document.children(list));
    items.iter().filter_map(|&item| {
        let parameter = document.resolve(item)?;
        Some((item, document.text_of(parameter, "in")?))
    })
}

pub(super) fn body_and_form_data(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version != Version::V2 {
        return;
    }
    for operation in document.objects("operation") {
        let all: Vec<(usize, &str)> = parameter_locations(document, operation).collect();
        let mut bodies = all.iter().filter(|(_, place)| *place == "body");
        let Some(&(first, _)) = bodies.next() else { continue };
        if let Some(&(second, _)) = bodies.next() {
            report
                .at(document.key_span(second), "the operation has a second body parameter")
                .help("Describe the whole body in one parameter")
                .related(document.key_span(first), "the first body parameter");
        }
        if let Some(&(form, _)) = all.iter().find(|(_, place)| *place == "formData") {
            report
                .at(document.key_span(form), "the operation has both a body and form data")
                .help("Describe the request with `in: body` or with `in: formData`")
                .related(document.key_span(first), "the body parameter");
        }
    }
}

pub(super) fn form_data_without_consumes(document: &Document<'_>, report: &mut Report<'_>) {
    if document.version != Version::V2 {
        return;
    }
    let is_form = |owner: usize| {
        let list = document.get(owner, "consumes")?;
        let types = document.children(list).iter().filter_map(|&item| document.text(item));
        Some(types.into_iter().any(|text| {
            text.starts_with("application/x-www-form-urlencoded")
                || text.starts_with("multipart/form-data")
        }))
    };
    for operation in document.objects("operation") {
        let form = parameter_locations(document, operation).find(|(_, place)| *place == "formData");
        let Some((parameter, _)) = form else { continue };
        if is_form(operation).or_else(|| is_form(document.root)) != Some(true) {
            report
                .at(
                    document.key_span(parameter),
                    "the operation has form data, but `consumes` contains no content type for forms",
                )
                .help(
                    "Add `application/x-www-form-urlencoded` or `multipart/form-data` to `consumes`",
                );
        }
    }
}

/// The responses of an operation: the map and the status codes, if they are in this document.
pub(super) fn responses<'d>(
    document: &'d Document<'_>,
    operation: usize,
) -> Option<(usize, Vec<(&'d str, usize)>)> {
    let map = document.get(operation, "responses")?;
    if document.targets.contains_key(&map) || !document.is_map(map) {
        return None;
    }
    let entries = document.children(map).iter();
    let entries = entries.map(|&entry| (document.key(entry), entry));
    Some((map, entries.filter(|(code, _)| !code.starts_with("x-")).collect()))
}

pub(super) fn success_response(document: &Document<'_>, report: &mut Report<'_>) {
    for operation in document.operations() {
        let Some((map, codes)) = responses(document, operation.at) else { continue };
        let is_success = |code: &str| code.starts_with(['1', '2', '3']) || code == "default";
        if !codes.is_empty() && !codes.iter().any(|(code, _)| is_success(code)) {
            report
                .at(document.key_span(map), "no success response is described")
                .help("Describe a response with a `2XX` or `3XX` code");
        }
    }
}

pub(super) fn missing_4xx_response(document: &Document<'_>, report: &mut Report<'_>) {
    for operation in document.operations() {
        let Some((map, codes)) = responses(document, operation.at) else { continue };
        if !codes.iter().any(|(code, _)| code.starts_with('4') || *code == "default") {
            report
                .at(document.key_span(map), "no response for client errors is described")
                .help("Describe a response with a `4XX` code");
        }
    }
}

pub(super) fn no_content_with_body(document: &Document<'_>, report: &mut Report<'_>) {
    for map in document.objects("responses") {
        for &entry in document.children(map) {
            let code = document.key(entry);
            if !matches!(code, "204" | "304") {
                continue;
            }
            let Some(response) = document.resolve(entry) else { continue };
            let body = match document.version {
                Version::V2 => document.get(response, "schema"),
                _ => document
                    .get(response, "content")
                    .filter(|&content| !document.children(content).is_empty()),
            };
            let Some(body) = body else { continue };
            let is_shared = response != entry;
            let at = if is_shared { entry } else { body };
            let message = format!("a response with status code {code} cannot have a body");
            let finding = report.at(document.key_span(at), message);
            let field = document.key(body);
            finding.help(format!("Remove `{field}`, or use another code"));
            if let Some(span) = entry_removal(document, body).filter(|_| !is_shared) {
                finding.fix_unsafe(format!("Remove `{field}`"), vec![Edit::delete(span)]);
            }
        }
    }
}

pub(super) fn request_body_on_get(document: &Document<'_>, report: &mut Report<'_>) {
    for Operation { method, at, .. } in document.operations() {
        if !matches!(method, "get" | "head" | "delete") {
            continue;
        }
        if let Some(body) = document.get(at, "requestBody") {
            let is_delete = method == "delete";
            let method = method.to_uppercase();
            let finding = report.at(
                document.key_span(body),
                format!("the body of a {method} request has no defined meaning"),
            );
            finding.help("Send the data in parameters, or use another method");
            // Many APIs delete several resources with one request on purpose.
            if is_delete {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}

pub(super) fn callbacks_in_webhook(document: &Document<'_>, report: &mut Report<'_>) {
    let nested = |operation: usize| {
        // An operation in a callback has the callback among its ancestors.
        let mut at = document.parent(operation);
        while let Some(value) = at {
            if document.is_type(value, "callback") {
                return Some("a callback");
            }
            if document.is_type(value, "operation") {
                return None;
            }
            at = document.parent(value);
        }
        None
    };
    let mut found = Vec::new();
    for operation in document.operations_in("webhooks") {
        found.extend(document.get(operation.at, "callbacks").map(|at| (at, "a webhook")));
    }
    for operation in document.objects("operation") {
        if let Some(callbacks) = document.get(operation, "callbacks")
            && let Some(place) = nested(operation)
        {
            found.push((callbacks, place));
        }
    }
    for (at, place) in found {
        report
            .at(document.key_span(at), format!("callbacks in {place}"))
            .help("Remove the callbacks; most tools ignore them here");
    }
}

pub(super) fn servers_in_webhook(document: &Document<'_>, report: &mut Report<'_>) {
    let items = document.path_items("webhooks").filter_map(|(_, _, item)| item);
    let operations = document.operations_in("webhooks").map(|operation| operation.at);
    let servers = items.chain(operations).filter_map(|owner| document.get(owner, "servers"));
    for at in servers {
        let finding = report.at(document.key_span(at), "`servers` has no effect in a webhook");
        finding.help("Remove the servers: the receiver of a webhook chooses its address");
        if let Some(span) = entry_removal(document, at) {
            finding.fix_unsafe("Remove `servers`", vec![Edit::delete(span)]);
        }
    }
}

/// Number of invalid ids from which a document or a project follows its own convention, if at least
/// half of all ids are invalid. Nobody renames all of them.
const MIN_CONVENTION: usize = 3;

/// Maximum number of documents of a project whose ids are read.
const MAX_DOCUMENTS: usize = 200;

fn is_convention(invalid: usize, all: usize) -> bool {
    invalid >= MIN_CONVENTION && 2 * invalid >= all
}

fn is_valid_in_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte)
}

fn is_invalid(id: &str) -> bool {
    !super::document::is_template(id) && !id.bytes().all(is_valid_in_id)
}

/// Whether the ids of all documents of a project together follow another convention: the project can
/// have many documents with one or two operations.
fn is_convention_of_project(files: &dyn Files) -> bool {
    let Some(listing) = files.listing() else { return false };
    listing.answer("openapi operation ids", || {
        let names = ["api", "swagger"];
        let is_candidate = |path: &&String| {
            let lower = path.to_ascii_lowercase();
            super::is_data(path) && names.iter().any(|name| lower.contains(name))
        };
        let documents = listing.files().iter().filter(is_candidate).take(MAX_DOCUMENTS);
        let (mut invalid, mut all) = (0, 0);
        for path in documents {
            let Some(text) = side_file(files, path) else { continue };
            if super::is_document(path, &text) {
                all += operation_ids(&text).count();
                invalid += operation_ids(&text).filter(|id| is_invalid(id)).count();
            }
        }
        is_convention(invalid, all)
    })
}

/// The ids of the operations in the text of a document, without the rare ones that are not on the
/// line of their key.
fn operation_ids(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("operationId")?;
        let value = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
        Some(value.trim().trim_end_matches(',').trim_matches(['"', '\'']))
    })
}

pub(super) fn operation_id_characters(document: &Document<'_>, report: &mut Report<'_>) {
    let ids = |at: usize| {
        let at = document.get(at, "operationId")?;
        document.text(at).map(|id| (at, id))
    };
    let all: Vec<_> = document.objects("operation").filter_map(ids).collect();
    let known: HashSet<&str> = all.iter().map(|&(_, id)| id).collect();
    let invalid: Vec<_> = all.iter().filter(|(_, id)| is_invalid(id)).collect();
    if invalid.is_empty() {
        return;
    }
    let is_convention =
        is_convention(invalid.len(), all.len()) || is_convention_of_project(document.files);
    let reported = if is_convention { 1 } else { invalid.len() };
    for &&(at, id) in invalid.iter().take(reported) {
        let message = if is_convention {
            let (count, all) = (invalid.len(), all.len());
            format!("{count} of {all} operation ids contain characters that URLs do not allow")
        } else {
            format!("the operation id `{id}` contains characters that URLs do not allow")
        };
        let finding = report.at(document.span(at), message);
        finding.help("Use letters, digits, `-`, `_` and `.`");
        if is_convention {
            finding.severity = finding.severity.min(Severity::Info);
            return;
        }
        let valid = id.replace(|c: char| !u8::try_from(c).is_ok_and(is_valid_in_id), "_");
        let is_new = !known.contains(valid.as_str());
        if let Some(span) = unquoted(document, at).filter(|_| is_new) {
            let edits = vec![Edit::replace(span, valid.clone())];
            finding.fix_unsafe(format!("Write `{valid}`"), edits);
        }
    }
}
