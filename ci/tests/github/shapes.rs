//! GitHub's REST description of the requests that aidd sends: a JSON schema for each body, and the
//! query parameters of each route. Limits that are documented only in prose are included, and
//! undocumented properties are rejected.

use serde_json::{Value, json};

/// The schema of the body of `method` on `route`; `None` if it has no body.
pub(crate) fn body(method: &str, route: &str) -> Option<Value> {
    Some(match (method, route) {
        ("POST", "check-runs") => check_run(&["name", "head_sha"]),
        ("PATCH", "check-runs/N") => check_run(&[]),
        ("POST", "issues/N/comments") | ("PATCH", "issues/comments/N") => object(
            &["body"],
            &json!({ "body": { "type": "string", "minLength": 1, "maxLength": 65_536 } }),
        ),
        ("POST", "pulls/N/reviews") => review(),
        ("POST", "code-scanning/sarifs") => sarif(),
        _ => return None,
    })
}

/// The allowed query parameters of a `GET` on `route`; `None` if there is no such route.
pub(crate) fn query(route: &str) -> Option<&'static [&'static str]> {
    Some(match route {
        "user" | "check-runs/N" | "code-scanning/sarifs/N" => &[],
        "compare/N" | "commits/N/pulls" => &["per_page", "page"],
        "commits/N/check-runs" => &["check_name", "status", "filter", "per_page", "page", "app_id"],
        "issues/N/comments" => &["since", "per_page", "page"],
        "pulls/N/comments" => &["sort", "direction", "since", "per_page", "page"],
        "pulls" => &["state", "head", "base", "sort", "direction", "per_page", "page"],
        _ => return None,
    })
}

fn object(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    })
}

fn hash() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{40}$" })
}

fn line() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

fn check_run(required: &[&str]) -> Value {
    let mut schema = object(
        required,
        &json!({
            "name": { "type": "string", "minLength": 1 },
            "head_sha": hash(),
            "details_url": { "type": "string", "pattern": "^https?://" },
            "external_id": { "type": "string" },
            "status": { "enum": ["queued", "in_progress", "completed"] },
            "started_at": { "type": "string", "format": "date-time" },
            "conclusion": { "enum": [
                "action_required", "cancelled", "failure", "neutral", "success", "skipped",
                "timed_out",
            ] },
            "completed_at": { "type": "string", "format": "date-time" },
            "output": object(&["title", "summary"], &json!({
                "title": { "type": "string", "minLength": 1, "maxLength": 255 },
                "summary": { "type": "string", "maxLength": 65_535 },
                "text": { "type": "string", "maxLength": 65_535 },
                "annotations": { "type": "array", "maxItems": 50, "items": annotation() },
            })),
        }),
    );
    // A completed check run requires a conclusion.
    schema["if"] = json!({
        "required": ["status"], "properties": { "status": { "const": "completed" } },
    });
    schema["then"] = json!({ "required": ["conclusion"] });
    schema
}

fn annotation() -> Value {
    let required = ["path", "start_line", "end_line", "annotation_level", "message"];
    object(
        &required,
        &json!({
            "path": { "type": "string", "pattern": "^[^/]" },
            "start_line": line(),
            "end_line": line(),
            "start_column": line(),
            "end_column": line(),
            "annotation_level": { "enum": ["notice", "warning", "failure"] },
            "message": { "type": "string", "minLength": 1, "maxLength": 65_536 },
            "title": { "type": "string", "maxLength": 255 },
            "raw_details": { "type": "string", "maxLength": 65_536 },
        }),
    )
}

fn review() -> Value {
    let side = json!({ "enum": ["LEFT", "RIGHT"] });
    let comment = object(
        &["path", "body"],
        &json!({
            "path": { "type": "string", "pattern": "^[^/]" },
            "position": line(),
            "body": { "type": "string", "minLength": 1, "maxLength": 65_536 },
            "line": line(),
            "side": side,
            "start_line": line(),
            "start_side": side,
        }),
    );
    let mut schema = object(
        &[],
        &json!({
            "commit_id": hash(),
            "body": { "type": "string", "minLength": 1, "maxLength": 65_536 },
            "event": { "enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"] },
            "comments": { "type": "array", "items": comment },
        }),
    );
    // The body is required for each event except an approval.
    schema["required"] = json!(["event", "body"]);
    schema
}

fn sarif() -> Value {
    object(
        &["commit_sha", "ref", "sarif"],
        &json!({
            "commit_sha": hash(),
            "ref": {
                "type": "string",
                "pattern": "^refs/(heads/.+|tags/.+|pull/[0-9]+/(merge|head))$",
            },
            // The start of a gzip file, as Base64.
            "sarif": { "type": "string", "pattern": "^H4sI[A-Za-z0-9+/]*={0,2}$" },
            "checkout_uri": { "type": "string" },
            "started_at": { "type": "string", "format": "date-time" },
            "tool_name": { "type": "string" },
            "validate": { "type": "boolean" },
        }),
    )
}
