//! Explains why the parameters of a request cannot be read. rmcp reads such a request as a request
//! with an unknown method.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, ErrorData,
    GetPromptRequestParams, PaginatedRequestParams, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The error for a request that rmcp did not recognise.
pub(super) fn error(request: CustomRequest) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    let params = params.unwrap_or_else(|| json!({}));
    let why = match method.as_str() {
        "tools/call" => fault::<CallToolRequestParams>(params),
        "resources/read" => fault::<ReadResourceRequestParams>(params),
        "prompts/get" => fault::<GetPromptRequestParams>(params),
        "completion/complete" => fault::<CompleteRequestParams>(params),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            fault::<PaginatedRequestParams>(params)
        }
        _ => return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
    };
    ErrorData::invalid_params(why, None)
}

/// Why `params` are not of the type `T`.
fn fault<T: DeserializeOwned>(params: Value) -> String {
    let Err(error) = serde_path_to_error::deserialize::<_, T>(params) else {
        return "`params`: not in the form that the protocol describes".to_owned();
    };
    let path = match error.path().to_string() {
        path if path == "." => "params".to_owned(),
        path => path,
    };
    let message = error.into_inner().to_string();
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("{field} is missing in `{path}`");
    }
    let types = message.strip_prefix("invalid type: ").and_then(|it| it.split_once(", expected "));
    match types {
        Some((found, expected)) => {
            format!("`{path}`: expected {}, found {}", json_name(expected), json_name(found))
        }
        None => format!("`{path}`: {message}"),
    }
}

/// The JSON type in a description of a value by serde, such as `string "x"`.
fn json_name(name: &str) -> &str {
    let word = name.trim_start_matches("a ").split([' ', ',']).next().unwrap_or_default();
    match word {
        "map" | "struct" => "an object",
        "sequence" => "a list",
        "string" => "a string",
        "boolean" => "a boolean",
        "integer" | "floating" => "a number",
        "null" | "unit" => "null",
        _ => name,
    }
}
