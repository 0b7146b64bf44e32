//! Checks from the OWASP API Security Top 10: resource limits, authentication and errors.
//! Source: <https://owasp.org/API-Security/editions/2023/en/0x11-t10/>.

use super::document::{Document, Operation};
use super::fixes::unquoted;
use super::info::{host, servers};
use super::operations::responses;
use super::schemas::types;
use super::security::scheme_map;
use super::specification::Version;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use std::collections::HashSet;

/// The schemas of requests: the parameters and bodies, and all schemas in them.
fn request_schemas(document: &Document<'_>) -> Vec<usize> {
    let mut pending = Vec::new();
    for parameter in document.objects("parameter") {
        // In Swagger 2.0, a parameter has the fields of a schema.
        pending.push(parameter);
    }
    pending.extend(document.objects("request-body"));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(at) = pending.pop() {
        if !seen.insert(at) {
            continue;
        }
        if document.targets.contains_key(&at) {
            pending.extend(document.resolve(at));
            if document.version < Version::V3_1 {
                continue;
            }
        }
        let is_plain_parameter = document.version == Version::V2
            && ["parameter", "items"].iter().any(|name| document.is_type(at, name));
        if document.is_type(at, "schema") || is_plain_parameter {
            found.push(at);
        }
        pending.extend(document.children(at).iter().filter(|&&child| {
            matches!(document.datum(child), Datum::Map | Datum::List)
                && !matches!(document.key(child), "example" | "examples" | "default" | "enum")
                && !document.key(child).starts_with("x-")
        }));
    }
    found.sort_unstable();
    found
}

/// Reports the schemas in requests whose type is `name` and that have none of `fields`.
fn unbounded(
    document: &Document<'_>,
    name: &str,
    fields: &[&str],
    help: &str,
    report: &mut Report<'_>,
) {
    for schema in request_schemas(document) {
        if types(document, schema).contains(&name)
            && !fields.iter().any(|field| document.get(schema, field).is_some())
        {
            let at = document.get(schema, "type").unwrap_or(schema);
            report
                .at(document.span(at), format!("the {name} in a request has no limit"))
                .help(help);
        }
    }
}

pub(super) fn unbounded_array(document: &Document<'_>, report: &mut Report<'_>) {
    unbounded(document, "array", &["maxItems"], "Add `maxItems`", report);
}

pub(super) fn unbounded_string(document: &Document<'_>, report: &mut Report<'_>) {
    let fields = ["maxLength", "enum", "format", "pattern", "const"];
    unbounded(document, "string", &fields, "Add `maxLength`", report);
}

pub(super) fn unrestricted_string(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in request_schemas(document) {
        let is_restricted = ["format", "pattern", "enum", "const"]
            .iter()
            .any(|field| document.get(schema, field).is_some());
        if types(document, schema).contains(&"string") && !is_restricted {
            let at = document.get(schema, "type").unwrap_or(schema);
            report
                .at(document.span(at), "the string in a request can contain any characters")
                .help("Add `format`, `pattern`, `enum` or `const`");
        }
    }
}

pub(super) fn unbounded_integer(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in request_schemas(document) {
        let has = |field| document.get(schema, field).is_some();
        let is_bounded = (has("minimum") || has("exclusiveMinimum"))
            && (has("maximum") || has("exclusiveMaximum"));
        let is_bounded = is_bounded || has("format") || has("enum") || has("const");
        if types(document, schema).contains(&"integer") && !is_bounded {
            let at = document.get(schema, "type").unwrap_or(schema);
            report
                .at(document.span(at), "the integer in a request has no limit")
                .help("Add `minimum` and `maximum`, or `format`");
        }
    }
}

pub(super) fn http_server(document: &Document<'_>, report: &mut Report<'_>) {
    let is_local = |url: &str| {
        let host = host(url).to_ascii_lowercase();
        host == "localhost"
            || host.ends_with(".localhost")
            || host.starts_with("127.")
            || host == "["
            || host == "0.0.0.0"
    };
    if document.version == Version::V2 {
        let is_local = document.text_of(document.root, "host").is_some_and(is_local);
        let schemes = document.get(document.root, "schemes");
        let schemes = schemes.map_or(&[][..], |schemes| document.children(schemes));
        for &scheme in schemes {
            let text = document.text(scheme).unwrap_or_default();
            if !is_local && matches!(text, "http" | "ws") {
                let message = format!("requests with `{text}` are not encrypted");
                let finding = report.at(document.span(scheme), message);
                finding.help(format!("Write `{text}s`"));
                let secure = format!("{text}s");
                let is_new = !schemes.iter().any(|&other| document.text(other) == Some(&*secure));
                if let Some(span) = unquoted(document, scheme).filter(|_| is_new) {
                    let edits = vec![Edit::replace(span, secure)];
                    finding.fix_unsafe(format!("Write `{text}s`"), edits);
                }
            }
        }
        return;
    }
    for (url, at) in servers(document) {
        let is_plain = ["http://", "ws://"].iter().any(|scheme| {
            url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        if is_plain && !is_local(url) {
            let finding = report.at(document.span(at), "requests to the server are not encrypted");
            finding.help("Write a URL that starts with `https://` or `wss://`");
            if let (Some(span), Some((scheme, rest))) =
                (unquoted(document, at), url.split_once(':'))
            {
                let edits = vec![Edit::replace(span, format!("{scheme}s:{rest}"))];
                finding.fix_unsafe(format!("Write `{scheme}s`"), edits);
            }
        }
    }
}

pub(super) fn http_basic(document: &Document<'_>, report: &mut Report<'_>) {
    for scheme in document.objects("security-scheme") {
        let field = match document.version {
            Version::V2 => "type",
            _ => "scheme",
        };
        let Some(at) = document.get(scheme, field) else { continue };
        let is_http =
            document.version == Version::V2 || document.text_of(scheme, "type") == Some("http");
        if is_http && document.text(at).is_some_and(|text| text.eq_ignore_ascii_case("basic")) {
            report
                .at(document.span(at), "basic authentication sends the password with each request")
                .help("Use a token, such as `scheme: bearer` or `type: oauth2`");
        }
    }
}

pub(super) fn insecure_auth_scheme(document: &Document<'_>, report: &mut Report<'_>) {
    for scheme in document.objects("security-scheme") {
        let Some(at) = document.get(scheme, "scheme") else { continue };
        let name = document.text(at).unwrap_or_default();
        let is_insecure = ["negotiate", "oauth"].iter().any(|old| name.eq_ignore_ascii_case(old));
        if document.text_of(scheme, "type") == Some("http") && is_insecure {
            report
                .at(document.span(at), format!("the authentication scheme `{name}` is outdated"))
                .help("Use `scheme: bearer`, or `type: oauth2` or `openIdConnect`");
        }
    }
}

pub(super) fn key_in_url(document: &Document<'_>, report: &mut Report<'_>) {
    for scheme in document.objects("security-scheme") {
        let place = document.get(scheme, "in");
        if document.text_of(scheme, "type") == Some("apiKey")
            && let Some(at) = place
            && document.text(at) == Some("query")
        {
            report
                .at(document.span(at), "the key is sent in the URL, which servers and proxies log")
                .help("Write `in: header`");
        }
    }
}

pub(super) fn credentials_in_path(document: &Document<'_>, report: &mut Report<'_>) {
    const WORDS: [&str; 9] = [
        "token",
        "accesstoken",
        "clientsecret",
        "secret",
        "apikey",
        "password",
        "passwd",
        "bearertoken",
        "refreshtoken",
    ];
    for parameter in document.objects("parameter") {
        let Some(at) = document.get(parameter, "name") else { continue };
        let name = document.text(at).unwrap_or_default();
        let place = document.text_of(parameter, "in").unwrap_or_default();
        let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        if matches!(place, "path" | "query") && WORDS.contains(&&*letters.to_lowercase()) {
            report
                .at(document.span(at), format!("the credential `{name}` is sent in the URL"))
                .help("Send credentials in a header or in the body");
        }
    }
}

pub(super) fn numeric_id(document: &Document<'_>, report: &mut Report<'_>) {
    for parameter in document.objects("parameter") {
        let name = document.text_of(parameter, "name").unwrap_or_default();
        let is_id = name.eq_ignore_ascii_case("id")
            || ["_id", "-id", "Id", "ID"].iter().any(|suffix| name.ends_with(suffix));
        if document.text_of(parameter, "in") != Some("path") || !is_id {
            continue;
        }
        let schema = match document.version {
            Version::V2 => Some(parameter),
            _ => document.get(parameter, "schema").and_then(|schema| document.resolve(schema)),
        };
        if schema.is_some_and(|schema| types(document, schema).contains(&"integer")) {
            let at = document.get(parameter, "name").unwrap_or(parameter);
            report
                .at(
                    document.span(at),
                    format!("the id `{name}` is a number, which is easy to guess"),
                )
                .help("Use random ids, such as `type: string` with `format: uuid`");
        }
    }
}

pub(super) fn unprotected_operation(document: &Document<'_>, report: &mut Report<'_>) {
    // An empty list or an empty requirement allows access without authentication.
    let is_protected = |list: usize| {
        let requirements = document.children(list);
        !requirements.is_empty()
            && requirements.iter().all(|&requirement| !document.children(requirement).is_empty())
    };
    let global = document.get(document.root, "security");
    for Operation { method, path, at, .. } in document.operations() {
        if !matches!(method, "post" | "put" | "patch" | "delete") {
            continue;
        }
        let own = document.get(at, "security");
        if !own.or(global).is_some_and(is_protected) {
            let span = document.key_span(own.unwrap_or(at));
            report
                .at(span, format!("`{method} {path}` requires no authentication"))
                .help("Add `security` to the operation or the document");
        }
    }
}

/// Reports operations that have no response with one of `codes`.
fn missing_response(
    document: &Document<'_>,
    codes: &[&str],
    (message, help): (&str, &str),
    report: &mut Report<'_>,
) {
    for operation in document.operations() {
        let Some((map, found)) = responses(document, operation.at) else { continue };
        if !found.iter().any(|(code, _)| codes.contains(code)) {
            report.at(document.key_span(map), message).help(help);
        }
    }
}

pub(super) fn missing_401_response(document: &Document<'_>, report: &mut Report<'_>) {
    let has_schemes = scheme_map(document).is_some();
    let texts = ("no response with the code 401 is described", "Describe the response `401`");
    if has_schemes {
        missing_response(document, &["401", "4XX", "default"], texts, report);
    }
}

pub(super) fn missing_429_response(document: &Document<'_>, report: &mut Report<'_>) {
    let texts = ("no response with the code 429 is described", "Describe the response `429`");
    missing_response(document, &["429", "4XX", "default"], texts, report);
}

pub(super) fn missing_500_response(document: &Document<'_>, report: &mut Report<'_>) {
    let texts = ("no response with the code 500 is described", "Describe the response `500`");
    missing_response(document, &["500", "5XX", "default"], texts, report);
}

pub(super) fn missing_validation_response(document: &Document<'_>, report: &mut Report<'_>) {
    let texts =
        ("no response for invalid requests is described", "Describe the response `400` or `422`");
    missing_response(document, &["400", "422", "4XX", "default"], texts, report);
}

pub(super) fn missing_rate_limit_headers(document: &Document<'_>, report: &mut Report<'_>) {
    let is_limit = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("ratelimit") || name.contains("rate-limit") || name == "retry-after"
    };
    for operation in document.operations() {
        let Some((_, entries)) = responses(document, operation.at) else { continue };
        for (code, entry) in entries {
            if !code.starts_with('2') && code != "429" {
                continue;
            }
            let Some(response) = document.resolve(entry) else { continue };
            let headers = document.get(response, "headers");
            let headers = headers.map_or(&[][..], |headers| document.children(headers));
            if !headers.iter().any(|&header| is_limit(document.key(header))) {
                report
                    .at(
                        document.key_span(entry),
                        format!("the response {code} has no headers for the rate limit"),
                    )
                    .help("Describe `RateLimit` or, for 429, `Retry-After` in `headers`");
            }
        }
    }
}

pub(super) fn additional_properties(document: &Document<'_>, report: &mut Report<'_>) {
    for schema in request_schemas(document) {
        let Some(at) = document.get(schema, "additionalProperties") else { continue };
        let is_open = match document.datum(at) {
            Datum::Bool(value) => *value,
            _ => document.get(schema, "maxProperties").is_none(),
        };
        if is_open {
            let message = "requests can contain any number of other properties";
            let finding = report.at(document.key_span(at), message);
            finding.help("Write `additionalProperties: false`, or add `maxProperties`");
            if *document.datum(at) == Datum::Bool(true) {
                let edits = vec![Edit::replace(document.values.all[at].span, "false")];
                finding.fix_unsafe("Write `false`", edits);
            }
        }
    }
}

pub(super) fn jwt_best_practices(document: &Document<'_>, report: &mut Report<'_>) {
    for scheme in document.objects("security-scheme") {
        let format = document.text_of(scheme, "bearerFormat").unwrap_or_default();
        let is_jwt = document.text_of(scheme, "type") == Some("oauth2")
            || format.eq_ignore_ascii_case("jwt");
        let description = document.text_of(scheme, "description").unwrap_or_default();
        if is_jwt && !description.contains("RFC8725") && !description.contains("RFC 8725") {
            report
                .at(
                    document.key_span(scheme),
                    "the description does not state that tokens follow RFC 8725",
                )
                .help("State in the description that tokens follow the practices of RFC 8725");
        }
    }
}
