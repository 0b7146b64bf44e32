//! Tests of the comparison of a document with its base.

use super::super::parts;
use super::*;
use aidd_engine::text::files::{Files, Listed, Memory, WithBase};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::listing::Listing;
use std::collections::HashMap;

/// Files, each with its path and text.
type Texts = [(&'static str, String)];

fn memory(files: &Texts) -> Memory {
    Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    )
}

/// The breaking changes reported in the file at `path`: text and message, with `info:` before
/// findings with the severity `info`.
fn changes_in_file(path: &str, base: &Texts, head: &Texts) -> Vec<String> {
    let (base, head) = (memory(base), memory(head));
    let listing = Listing::new(head.0.keys().cloned());
    let files = WithBase { files: &head, base: &base, base_paths: HashMap::new() };
    let files = Listed { files: &files, listing: &listing };
    let bytes = files.read(path, u64::MAX).expect("the file");
    let source = Source::decode(path, bytes);
    let mut report = Report::new(&source, &parts::ALL);
    if super::super::is_document(path, source.text()) {
        super::super::run_on(&files, &mut report);
    } else {
        parts::check(&files, &mut report);
    }
    let rules =
        ["openapi/removed-operation", "openapi/breaking-request", "openapi/breaking-response"];
    let findings = report.finish().into_iter().filter(|finding| rules.contains(&&*finding.rule));
    findings
        .map(|finding| {
            let mark = if finding.severity == Severity::Info { "info: " } else { "" };
            format!("{mark}{}: {}", source.slice(finding.span), finding.message)
        })
        .collect()
}

/// The breaking changes between two versions of a document.
fn changes_between(base: &str, head: &str) -> Vec<String> {
    changes_in_file("api.yaml", &[("api.yaml", base.to_owned())], &[("api.yaml", head.to_owned())])
}

fn document(paths: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: a, version: '1.2'}}\npaths:\n{paths}")
}

/// A document with the operation `POST /a`, whose request and response have the given schemas.
fn with_schemas(request: &str, response: &str) -> String {
    document(&format!(
        "  /a:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {request}}}}}}}\n      \
         responses:\n        '200': {{description: ok, content: {{application/json: {{schema: {response}}}}}}}\n"
    ))
}

#[test]
fn removed_operations_are_reported() {
    let get = "{responses: {'200': {description: ok}}}";
    let base =
        document(&format!("  /a/{{id}}: {{get: {get}, put: {get}}}\n  /b: {{get: {get}}}\n"));
    let renamed =
        document(&format!("  /a/{{key}}: {{get: {get}, put: {get}}}\n  /b: {{get: {get}}}\n"));
    assert_eq!(changes_between(&base, &renamed), [""; 0]);
    let head = document(&format!("  /a/{{id}}: {{get: {get}}}\n"));
    assert_eq!(
        changes_between(&base, &head),
        ["/a/{id}: `PUT /a/{id}` was removed", "paths: the path `/b` was removed"]
    );
    let major = head.replace("'1.2'", "'2.0'");
    assert!(changes_between(&base, &major).iter().all(|finding| finding.starts_with("info: ")));
    let deprecated = base.replace("{get: {resp", "{get: {deprecated: true, resp");
    assert_eq!(
        changes_between(&deprecated, &head),
        ["/a/{id}: `PUT /a/{id}` was removed", "info: paths: the path `/b` was removed"]
    );
    let draft = base.replace("put: {resp", "put: {x-stability-level: draft, resp");
    assert_eq!(changes_between(&draft, &head), ["paths: the path `/b` was removed"]);
}

#[test]
fn requests_must_remain_valid() {
    for (before, after, expected) in [
        (
            "{type: string}",
            "{type: integer}",
            "type: `POST /a` no longer accepts `string` for the body",
        ),
        ("{type: integer}", "{type: number}", ""),
        (
            "{type: number}",
            "{type: integer}",
            "type: `POST /a` no longer accepts `number` for the body",
        ),
        (
            "{type: string, nullable: true}",
            "{type: string}",
            "type: `POST /a` no longer accepts `null` for the body",
        ),
        (
            "{enum: [a, b]}",
            "{enum: [a]}",
            "enum: `POST /a` no longer accepts the value `b` for the body",
        ),
        (
            "{type: integer, items: {type: integer}}",
            "{type: array, items: {type: integer}}",
            "info: type: `POST /a` no longer accepts `integer` for the body",
        ),
        ("{enum: [a]}", "{enum: [b, a]}", ""),
        (
            "{maxLength: 5}",
            "{maxLength: 4}",
            "maxLength: `maxLength` of the body of `POST /a` changed from 5 to 4",
        ),
        ("{minimum: 5}", "{minimum: 4}", ""),
        (
            "{type: string}",
            "{type: string, maxLength: 4}",
            "info: maxLength: the body of `POST /a` now has `maxLength: 4`",
        ),
        (
            "{properties: {x: {}}}",
            "{required: [x], properties: {x: {}}}",
            "x: `POST /a` now requires `x` in the body",
        ),
        (
            "{properties: {x: {}}}",
            "{required: [y], properties: {x: {}, y: {default: 1}}}",
            "info: y: `POST /a` now requires `y` in the body",
        ),
        ("{properties: {x: {}}}", "{required: [y], properties: {x: {}, y: {readOnly: true}}}", ""),
        (
            "{properties: {x: {properties: {z: {type: string}}}}}",
            "{properties: {x: {properties: {z: {type: boolean}}}}}",
            "type: `POST /a` no longer accepts `string` for `z` in `x` in the body",
        ),
        (
            "{type: array, items: {type: string, format: date}}",
            "{type: array, items: {type: string, format: date-time}}",
            "format: the format of the items of the body of `POST /a` changed from `date` to `date-time`",
        ),
        (
            "{oneOf: [{type: string}, {type: integer}]}",
            "{oneOf: [{type: string}]}",
            "oneOf: `POST /a` no longer accepts `integer` for the body",
        ),
        (
            "{type: object, properties: {x: {}}}",
            "{allOf: [{properties: {x: {}}}, {properties: {y: {}}}]}",
            "",
        ),
        (
            "{properties: {x: {}, y: {}}}",
            "{properties: {x: {}}}",
            "info: properties: `POST /a` no longer describes `y` in the body",
        ),
    ] {
        let findings = changes_between(&with_schemas(before, "{}"), &with_schemas(after, "{}"));
        let expected: Vec<&str> =
            Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(findings, expected, "{before} {after}");
    }
}

#[test]
fn responses_must_not_change() {
    for (before, after, expected) in [
        (
            "{properties: {x: {}, y: {}}}",
            "{properties: {x: {}}}",
            "properties: `POST /a` no longer returns `y` in the response `200`",
        ),
        ("{properties: {x: {}, y: {writeOnly: true}}}", "{properties: {x: {}}}", ""),
        (
            "{required: [x], properties: {x: {}}}",
            "{properties: {x: {}}}",
            "properties: `POST /a` no longer always returns `x` in the response `200`",
        ),
        ("{type: integer}", "{type: [integer]}", ""),
        (
            "{type: integer}",
            "{type: number}",
            "type: `POST /a` can now return `number` for the response `200`",
        ),
        ("{type: number}", "{type: integer}", ""),
        (
            "{type: string}",
            "{type: string, nullable: true}",
            "type: `POST /a` can now return `null` for the response `200`",
        ),
        ("{enum: [a, b]}", "{enum: [a]}", ""),
        (
            "{enum: [a]}",
            "{enum: [a, b]}",
            "info: enum: `POST /a` can now return the value `b` for the response `200`",
        ),
        (
            "{maximum: 4}",
            "{maximum: 5}",
            "info: maximum: `maximum` of the response `200` of `POST /a` changed from 4 to 5",
        ),
        ("{properties: {x: {}}}", "{properties: {x: {}, z: {}}}", ""),
    ] {
        let findings = changes_between(&with_schemas("{}", before), &with_schemas("{}", after));
        let expected: Vec<String> = Some(expected)
            .filter(|text| !text.is_empty())
            // Without `required`, the schema itself is reported, by its key.
            .map(|text| match text.contains("always") {
                true => text.replacen("properties:", "schema:", 1),
                false => text.to_owned(),
            })
            .into_iter()
            .collect();
        assert_eq!(findings, expected, "{before} {after}");
    }
}

#[test]
fn operations_are_compared() {
    let base = "  /a:\n    get:\n      parameters:\n      - {name: p, in: query, schema: {type: array}}\n      \
                - {name: X-Id, in: header, schema: {}}\n      responses:\n        \
                '200': {description: ok, headers: {X-A: {schema: {}}}, content: {application/json: {}, text/csv: {}}}\n        \
                '404': {description: no}\n";
    for (from, to, expected) in [
        (
            "name: p, in",
            "name: p, required: true, in",
            "required: the query parameter `p` of `GET /a` is now required",
        ),
        (
            "- {name: X-Id",
            "- {name: q, in: query, required: true, schema: {}}\n      - {name: x-id",
            "name: `GET /a` now requires the query parameter `q`",
        ),
        (
            "      - {name: X-Id, in: header, schema: {}}\n",
            "",
            "info: parameters: the header parameter `X-Id` of `GET /a` was removed",
        ),
        (
            "in: query, schema",
            "in: query, explode: false, schema",
            "explode: the values of the query parameter `p` of `GET /a` are written differently",
        ),
        ("'200'", "'201'", "responses: the response `200` of `GET /a` was removed"),
        ("'200'", "2XX", ""),
        (
            "        '404': {description: no}\n",
            "",
            "info: responses: the response `404` of `GET /a` was removed",
        ),
        (", text/csv: {}", "", "content: the response `200` of `GET /a` no longer has `text/csv`"),
        ("application/json: {}, text/csv: {}", "'*/*': {}", ""),
        ("X-A", "x-a", ""),
        (
            "headers: {X-A: {schema: {}}}, ",
            "",
            "'200': the response `200` of `GET /a` no longer has the header `X-A`",
        ),
        (
            "      responses",
            "      requestBody: {required: true, content: {}}\n      responses",
            "requestBody: `GET /a` now requires a body",
        ),
    ] {
        let findings = changes_between(&document(base), &document(&base.replace(from, to)));
        let expected: Vec<&str> =
            Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(findings, expected, "{from} {to}");
    }
}

#[test]
fn security_is_compared() {
    let text = |security: &str, scheme: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\n{security}\npaths:\n  /a: {{get: {{responses: {{'200': {{description: ok}}}}}}}}\n\
             components: {{securitySchemes: {{{scheme}: {{type: http, scheme: bearer}}, key: {{type: apiKey, in: header, name: K}}}}}}\n"
        )
    };
    let rejected =
        "security: requests with the previous authentication are no longer accepted by operations";
    for (before, after, expected) in [
        (
            "",
            "security: [{a: []}]",
            "security: requests without authentication are no longer accepted by operations",
        ),
        ("security: [{a: []}]", "security: [{key: []}]", rejected),
        ("security: [{a: []}]", "security: [{key: []}, {a: []}]", ""),
        ("security: [{a: []}]", "security: [{key: [], a: []}]", rejected),
        ("security: [{a: []}]", "", ""),
        ("security: [{a: [x]}]", "security: [{a: [x, y]}]", rejected),
    ] {
        let expected: Vec<&str> =
            Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(
            changes_between(&text(before, "a"), &text(after, "a")),
            expected,
            "{before} {after}"
        );
    }
    // The name of a scheme is not visible to clients.
    assert_eq!(
        changes_between(&text("security: [{a: []}]", "a"), &text("security: [{b: []}]", "b")),
        [""; 0]
    );
}

#[test]
fn changes_in_other_files_are_reported_there() {
    let root = document(
        "  /a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: 'schemas/A.yaml'}}}}}}}\n",
    );
    let base =
        [("api.yaml", root.clone()), ("schemas/A.yaml", "properties: {x: {}, y: {}}\n".to_owned())];
    let head = [("api.yaml", root), ("schemas/A.yaml", "properties: {x: {}}\n".to_owned())];
    assert_eq!(changes_in_file("api.yaml", &base, &head), [""; 0]);
    assert_eq!(
        changes_in_file("schemas/A.yaml", &base, &head),
        ["properties: `GET /a` no longer returns `y` in the response `200`"]
    );
}
