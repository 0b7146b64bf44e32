//! Tools that answer immediately, or send requests to the client over the stream, as in revisions
//! before 2026-07-28.

use super::{Request, Result};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientResult, ErrorData, ServerNotification,
    ServerRequest, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// An image of one pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Audio with one sample.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

/// Delay between two messages of one call.
const MESSAGE_DELAY: Duration = Duration::from_millis(50);

/// Deserializes a protocol result.
pub(super) fn result<T: DeserializeOwned>(mut value: Value) -> Result<T> {
    value["resultType"] = json!("complete");
    deserialize(value)
}

/// Deserializes a protocol value.
pub(super) fn deserialize<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Deserializes tools; missing parts of a schema are added.
pub(super) fn tools_from(list: Value) -> Vec<Tool> {
    let Value::Array(list) = list else { return Vec::new() };
    list.into_iter().filter_map(|tool| serde_json::from_value(tool).ok()).collect()
}

/// A tool without arguments.
pub(super) fn plain(name: &str) -> Value {
    json!({"name": name, "description": "For tests", "inputSchema": {"type": "object", "properties": {}}})
}

/// The tools of this module.
pub(super) fn tools() -> Vec<Tool> {
    let mut list: Vec<Value> = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_tool_with_logging",
        "test_logging_tool",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
    ]
    .map(plain)
    .into();
    for (name, argument) in [("test_sampling", "prompt"), ("test_elicitation", "message")] {
        let mut tool = plain(name);
        tool["inputSchema"]["properties"][argument] = json!({"type": "string"});
        tool["inputSchema"]["required"] = json!([argument]);
        list.push(tool);
    }
    let mut header = plain("test_header");
    header["inputSchema"]["properties"]["region"] =
        json!({"type": "string", "x-mcp-header": "Region"});
    list.push(header);
    list.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": schema(),
    }));
    tools_from(Value::Array(list))
}

/// A schema with rarely used keywords.
fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn embedded(uri: &str, kind: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}})
}

/// Runs a tool of this module; `None` for other names.
pub(super) async fn call_tool(
    call: &CallToolRequestParams,
    request: &Request,
) -> Result<Option<CallToolResult>> {
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let response = match &*call.name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => json!({"content": [image]}),
        "test_audio_content" => {
            json!({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]})
        }
        "test_embedded_resource" => json!({"content": [embedded(
            "test://embedded-resource", "text/plain", "This is an embedded resource content.",
        )]}),
        "test_multiple_content_types" => json!({"content": [
            {"type": "text", "text": "Multiple content types test:"},
            image,
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]}),
        "test_error_handling" => {
            let mut response = text("This tool intentionally returns an error for testing");
            response["isError"] = json!(true);
            response
        }
        "test_header" | "json_schema_2020_12_tool" => text("done"),
        "test_logging_tool" | "test_streaming_elicitation" => text("no intermediate messages"),
        "test_tool_with_progress" => with_progress(request).await?,
        "test_tool_with_logging" => with_logging(request).await?,
        "test_missing_capability" => match request.client_capabilities() {
            Some(capabilities) if capabilities.sampling.is_some() => {
                text("the client supports sampling")
            }
            _ => {
                let required = deserialize(json!({"sampling": {}}))?;
                return Err(ErrorData::missing_required_client_capability(required));
            }
        },
        "test_sampling" => sample(call, request).await?,
        "test_elicitation" => elicit(call, request).await?,
        "test_elicitation_sep1034_defaults" => ask_with_defaults(request).await?,
        "test_elicitation_sep1330_enums" => ask_for_choices(request).await?,
        _ => return Ok(None),
    };
    result(response).map(Some)
}

async fn with_progress(request: &Request) -> Result<Value> {
    for progress in [0, 50, 100] {
        if let Some(token) = request.meta.get_progress_token() {
            let params = json!({"progressToken": token, "progress": progress, "total": 100});
            notify(request, "notifications/progress", params).await?;
        }
        tokio::time::sleep(MESSAGE_DELAY).await;
    }
    Ok(text("Tool with progress executed successfully"))
}

async fn with_logging(request: &Request) -> Result<Value> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        notify(request, "notifications/message", json!({"level": "info", "data": line})).await?;
        tokio::time::sleep(MESSAGE_DELAY).await;
    }
    Ok(text("Tool with logging executed successfully"))
}

async fn notify(request: &Request, method: &str, params: Value) -> Result<()> {
    let notification: ServerNotification =
        deserialize(json!({"method": method, "params": params}))?;
    let sent = request.peer.send_notification(notification).await;
    sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Sends a request to the client and returns the response as JSON.
async fn ask_client(request: &Request, method: &str, params: Value) -> Result<Value> {
    let input_request: ServerRequest = deserialize(json!({"method": method, "params": params}))?;
    let response: ClientResult = request
        .peer
        .send_request(input_request)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    serde_json::to_value(response)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn argument<'a>(call: &'a CallToolRequestParams, name: &str) -> &'a str {
    let value = call.arguments.as_ref().and_then(|arguments| arguments.get(name));
    value.and_then(Value::as_str).unwrap_or_default()
}

async fn sample(call: &CallToolRequestParams, request: &Request) -> Result<Value> {
    let content = json!({"type": "text", "text": argument(call, "prompt")});
    let params = json!({"messages": [{"role": "user", "content": content}], "maxTokens": 100});
    let response = ask_client(request, "sampling/createMessage", params).await?;
    Ok(text(&format!("LLM response: {}", response["content"]["text"].as_str().unwrap_or_default())))
}

async fn elicit(call: &CallToolRequestParams, request: &Request) -> Result<Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    });
    let params = form(argument(call, "message"), schema);
    let response = ask_client(request, "elicitation/create", params).await?;
    let (action, content) = (&response["action"], &response["content"]);
    Ok(text(&format!("User response: action: {action}, content: {content}")))
}

fn form(message: &str, schema: Value) -> Value {
    let mut form = json!({"mode": "form", "message": message});
    form["requestedSchema"] = schema;
    form
}

async fn ask_with_defaults(request: &Request) -> Result<Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {
                "type": "string", "enum": ["active", "inactive", "pending"], "default": "active",
            },
            "verified": {"type": "boolean", "default": true},
        },
    });
    elicit_form(request, "Confirm or change", schema).await
}

async fn ask_for_choices(request: &Request) -> Result<Value> {
    let titled = |first: &str| {
        json!([
            {"const": "value1", "title": format!("First {first}")},
            {"const": "value2", "title": format!("Second {first}")},
            {"const": "value3", "title": format!("Third {first}")},
        ])
    };
    let words = json!(["option1", "option2", "option3"]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": words},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": words}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
    });
    elicit_form(request, "Choose", schema).await
}

async fn elicit_form(request: &Request, message: &str, schema: Value) -> Result<Value> {
    let response = ask_client(request, "elicitation/create", form(message, schema)).await?;
    let action = response["action"].as_str().unwrap_or_default();
    Ok(text(&format!("Elicitation completed: action={action}, content={}", response["content"])))
}
