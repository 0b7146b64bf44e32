//! Tools that request input from the client and are called again with this input, as in revision
//! 2026-07-28.

use super::answers::{deserialize, plain, result, tools_from};
use super::{Request, Result};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, InputRequests,
    InputRequiredResult, InputResponses, RequestStateCodec, Tool,
};
use serde_json::{Value, json};
use std::hash::{BuildHasher as _, RandomState};

const PREFIX: &str = "test_input_required_result_";

/// The names of the tools in this module, without the prefix.
const NAMES: [&str; 8] = [
    "elicitation",
    "sampling",
    "list_roots",
    "request_state",
    "multiple_inputs",
    "multi_round",
    "tampered_state",
    "capabilities",
];

pub(super) fn tools() -> Vec<Tool> {
    let list = NAMES.iter().map(|name| plain(&format!("{PREFIX}{name}"))).collect();
    tools_from(Value::Array(list))
}

/// The tools in this module; signs the state that a client carries from one call to the next.
pub(super) struct InputRequestTools(RequestStateCodec);

impl Default for InputRequestTools {
    fn default() -> Self {
        // A random key suffices, because only this process verifies the state.
        let random = RandomState::new();
        let key: Vec<u8> = (0..4_u8).flat_map(|part| random.hash_one(part).to_le_bytes()).collect();
        Self(RequestStateCodec::try_new(key).expect("32 bytes"))
    }
}

impl InputRequestTools {
    pub(super) fn call(
        &self,
        call: &CallToolRequestParams,
        request: &Request,
    ) -> Result<CallToolResponse> {
        let input = CallInput {
            responses: call.input_responses.as_ref(),
            state: call.request_state.as_deref().map(|state| self.open_state(state)).transpose()?,
        };
        match call.name.strip_prefix(PREFIX).unwrap_or_default() {
            "elicitation" => match input.field("user_name", "name") {
                Some(name) => done(&format!("Hello, {name}!")),
                None => request_input(json!({"user_name": name_question("What is your name?")})),
            },
            "sampling" => match input.content("capital_question") {
                Some(text) => done(&text),
                None => request_input(json!({
                    "capital_question": sampling("What is the capital of France?", 100),
                })),
            },
            "list_roots" => match input.response("client_roots") {
                Some(roots) => done(&format!("the client's roots: {}", roots["roots"])),
                None => request_input(json!({"client_roots": roots()})),
            },
            "request_state" => self.confirm(&input, "state-ok"),
            "tampered_state" => self.confirm(&input, "the state is valid"),
            "multiple_inputs" => self.multiple_inputs(&input),
            "multi_round" => self.multiple_rounds(&input),
            _ => by_capabilities(&input, request),
        }
    }

    fn open_state(&self, state: &str) -> Result<Value> {
        let opened = self.0.open_json(state);
        opened.map_err(|_| ErrorData::invalid_params("the state was modified", None))
    }

    /// Input requests with a state to return.
    fn request_input_with_state(
        &self,
        input_requests: Value,
        state: &Value,
    ) -> Result<CallToolResponse> {
        let sealed = self.0.seal_json(state);
        let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let input_requests: InputRequests = deserialize(input_requests)?;
        Ok(InputRequiredResult::new(Some(input_requests), Some(sealed)).into())
    }

    fn confirm(&self, input: &CallInput<'_>, word: &str) -> Result<CallToolResponse> {
        match (&input.state, input.response("confirm")) {
            (Some(_), Some(_)) => done(word),
            _ => {
                let schema = json!({
                    "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"],
                });
                let input_request = elicitation("Please confirm", &schema);
                self.request_input_with_state(json!({"confirm": input_request}), &json!("asked"))
            }
        }
    }

    fn multiple_inputs(&self, input: &CallInput<'_>) -> Result<CallToolResponse> {
        let all = ["user_name", "greeting", "client_roots"];
        if input.state.is_some() && all.iter().all(|key| input.response(key).is_some()) {
            return done("all inputs received");
        }
        let input_requests = json!({
            "user_name": name_question("What is your name?"),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": roots(),
        });
        self.request_input_with_state(input_requests, &json!("asked"))
    }

    fn multiple_rounds(&self, input: &CallInput<'_>) -> Result<CallToolResponse> {
        let step = input.state.as_ref().and_then(|state| state["step"].as_i64());
        match (step, input.field("step1", "name"), input.field("step2", "color")) {
            (Some(2), _, Some(color)) => done(&format!("{color} it is")),
            (Some(1), Some(name), _) => {
                let schema = json!({
                    "type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"],
                });
                let input_request = elicitation("Step 2: What is your favorite color?", &schema);
                self.request_input_with_state(
                    json!({"step2": input_request}),
                    &json!({"step": 2, "name": name}),
                )
            }
            _ => {
                let input_request = name_question("Step 1: What is your name?");
                self.request_input_with_state(json!({"step1": input_request}), &json!({"step": 1}))
            }
        }
    }
}

/// The input responses of a call.
struct CallInput<'a> {
    responses: Option<&'a InputResponses>,
    state: Option<Value>,
}

impl CallInput<'_> {
    fn response(&self, key: &str) -> Option<&Value> {
        self.responses?.get(key).filter(|response| response.is_object())
    }

    /// A field that the user entered.
    fn field(&self, key: &str, field: &str) -> Option<String> {
        let value = self.response(key)?.get("content")?.get(field)?;
        value.as_str().map(str::to_owned)
    }

    /// The text that a model generated.
    fn content(&self, key: &str) -> Option<String> {
        let text = self.response(key)?.get("content")?.get("text")?;
        text.as_str().map(str::to_owned)
    }
}

fn done(text: &str) -> Result<CallToolResponse> {
    let response: CallToolResult = result(json!({"content": [{"type": "text", "text": text}]}))?;
    Ok(response.into())
}

fn request_input(input_requests: Value) -> Result<CallToolResponse> {
    let input_requests: InputRequests = deserialize(input_requests)?;
    Ok(InputRequiredResult::from_input_requests(input_requests).into())
}

/// Requests only what the client supports.
fn by_capabilities(input: &CallInput<'_>, request: &Request) -> Result<CallToolResponse> {
    if input.responses.is_some() {
        return done("input received");
    }
    let capabilities = request.client_capabilities().unwrap_or_default();
    let mut input_requests = json!({});
    if capabilities.elicitation.is_some() {
        input_requests["user_name"] = name_question("What is your name?");
    }
    if capabilities.sampling.is_some() {
        input_requests["capital_question"] = sampling("What is the capital of France?", 100);
    }
    if capabilities.roots.is_some() {
        input_requests["client_roots"] = roots();
    }
    if input_requests == json!({}) {
        done("the client supports no input requests")
    } else {
        request_input(input_requests)
    }
}

pub(super) fn elicitation(message: &str, schema: &Value) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    })
}

fn name_question(message: &str) -> Value {
    let schema = json!({
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    });
    elicitation(message, &schema)
}

fn sampling(text: &str, tokens: u32) -> Value {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
    json!({
        "method": "sampling/createMessage",
        "params": {"messages": messages, "maxTokens": tokens},
    })
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}
