//! The prompts and resources that the conformance suite expects.

use super::Result;
use super::answers::{PNG, deserialize, result};
use super::input_requests::elicitation;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequests,
    InputRequiredResult, ReadResourceResponse, ReadResourceResult,
};
use serde_json::{Value, json};

pub(super) fn prompts() -> Value {
    let argument = |name: &str| json!({"name": name, "description": "For tests", "required": true});
    json!([
        {"name": "test_input_required_result_prompt", "description": "For tests"},
        {"name": "test_prompt_with_arguments", "description": "For tests", "arguments": [argument("arg1"), argument("arg2")]},
        {"name": "test_prompt_with_embedded_resource", "description": "For tests", "arguments": [argument("resourceUri")]},
        {"name": "test_prompt_with_image", "description": "For tests"},
        {"name": "test_simple_prompt", "description": "For tests"},
    ])
}

pub(super) fn resources() -> Value {
    json!([
        {"uri": "test://static-binary", "name": "binary", "mimeType": "image/png"},
        {"uri": "test://static-text", "name": "text", "mimeType": "text/plain"},
        {"uri": "test://watched-resource", "name": "watched", "mimeType": "text/plain"},
    ])
}

pub(super) fn templates() -> Value {
    json!([{"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}])
}

pub(super) fn resource(uri: &str) -> Result<ReadResourceResponse> {
    let content = match uri {
        "test://static-text" => json!({
            "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        }),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Watched resource content"})
        }
        _ => {
            let id =
                uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let id = id.ok_or_else(|| {
                let data = json!({"uri": uri});
                ErrorData::resource_not_found("Resource not found", Some(data))
            })?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    let read: ReadResourceResult =
        result(json!({"contents": [content], "ttlMs": 1000, "cacheScope": "public"}))?;
    Ok(read.into())
}

pub(super) fn prompt(call: &GetPromptRequestParams) -> Result<GetPromptResponse> {
    let argument = |name: &str| {
        let value = call.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| ErrorData::invalid_params(format!("`{name}` is missing"), None))
    };
    let contents = match &*call.name {
        "test_simple_prompt" => vec![text_content("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            vec![text_content(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": argument("resourceUri")?, "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            vec![
                json!({"type": "resource", "resource": resource}),
                text_content("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
            text_content("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => match context(call) {
            Some(context) => vec![text_content(&format!("Use this context: {context}"))],
            None => return request_input(),
        },
        name => {
            return Err(ErrorData::invalid_params(format!("unknown prompt `{name}`"), None));
        }
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({"role": "user", "content": content})).collect();
    let prompt: GetPromptResult = result(json!({"messages": messages}))?;
    Ok(prompt.into())
}

fn text_content(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The context that the user entered.
fn context(call: &GetPromptRequestParams) -> Option<&str> {
    let response = call.input_responses.as_ref()?.get("user_context")?;
    response.get("content")?.get("context")?.as_str()
}

fn request_input() -> Result<GetPromptResponse> {
    let schema = json!({
        "type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"],
    });
    let input_request = elicitation("What context should the prompt use?", &schema);
    let input_requests: InputRequests = deserialize(json!({"user_context": input_request}))?;
    Ok(InputRequiredResult::from_input_requests(input_requests).into())
}
