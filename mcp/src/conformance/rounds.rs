//! Tools that request input from the client and are called again with it, as in revision
//! 2026-07-28.

use super::answers::{from, plain, result, tools_from};
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

/// Signs the state that a client carries from one round to the next.
pub(super) struct Rounds(RequestStateCodec);

impl Default for Rounds {
    fn default() -> Self {
        // Only this process has to verify it.
        let random = RandomState::new();
        let key: Vec<u8> = (0..4_u8).flat_map(|part| random.hash_one(part).to_le_bytes()).collect();
        Self(RequestStateCodec::try_new(key).expect("32 bytes"))
    }
}

impl Rounds {
    pub(super) fn call(
        &self,
        call: &CallToolRequestParams,
        request: &Request,
    ) -> Result<CallToolResponse> {
        let given = CallInput {
            responses: call.input_responses.as_ref(),
            state: call.request_state.as_deref().map(|state| self.open_state(state)).transpose()?,
        };
        match call.name.strip_prefix(PREFIX).unwrap_or_default() {
            "elicitation" => match given.field("user_name", "name") {
                Some(name) => done(&format!("Hello, {name}!")),
                None => ask(json!({"user_name": name_question("What is your name?")})),
            },
            "sampling" => match given.content("capital_question") {
                Some(text) => done(&text),
                None => ask(json!({
                    "capital_question": sampling("What is the capital of France?", 100),
                })),
            },
            "list_roots" => match given.response("client_roots") {
                Some(roots) => done(&format!("the client's roots: {}", roots["roots"])),
                None => ask(json!({"client_roots": roots()})),
            },
            "request_state" => self.confirm(&given, "state-ok"),
            "tampered_state" => self.confirm(&given, "the state is valid"),
            "multiple_inputs" => self.several(&given),
            "multi_round" => self.steps(&given),
            _ => by_capabilities(&given, request),
        }
    }

    fn open_state(&self, state: &str) -> Result<Value> {
        let opened = self.0.open_json(state);
        opened.map_err(|_| ErrorData::invalid_params("the state was modified", None))
    }

    /// Input requests with a state to return.
    fn ask_with(&self, questions: Value, state: &Value) -> Result<CallToolResponse> {
        let sealed = self.0.seal_json(state);
        let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let questions: InputRequests = from(questions)?;
        Ok(InputRequiredResult::new(Some(questions), Some(sealed)).into())
    }

    fn confirm(&self, given: &CallInput<'_>, word: &str) -> Result<CallToolResponse> {
        match (&given.state, given.response("confirm")) {
            (Some(_), Some(_)) => done(word),
            _ => {
                let schema = json!({
                    "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"],
                });
                let question = elicitation("Please confirm", &schema);
                self.ask_with(json!({"confirm": question}), &json!("asked"))
            }
        }
    }

    fn several(&self, given: &CallInput<'_>) -> Result<CallToolResponse> {
        let all = ["user_name", "greeting", "client_roots"];
        if given.state.is_some() && all.iter().all(|key| given.response(key).is_some()) {
            return done("all of it came");
        }
        let questions = json!({
            "user_name": name_question("What is your name?"),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": roots(),
        });
        self.ask_with(questions, &json!("asked"))
    }

    fn steps(&self, given: &CallInput<'_>) -> Result<CallToolResponse> {
        let step = given.state.as_ref().and_then(|state| state["step"].as_i64());
        match (step, given.field("step1", "name"), given.field("step2", "color")) {
            (Some(2), _, Some(color)) => done(&format!("{color} it is")),
            (Some(1), Some(name), _) => {
                let schema = json!({
                    "type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"],
                });
                let question = elicitation("Step 2: What is your favorite color?", &schema);
                self.ask_with(json!({"step2": question}), &json!({"step": 2, "name": name}))
            }
            _ => {
                let question = name_question("Step 1: What is your name?");
                self.ask_with(json!({"step1": question}), &json!({"step": 1}))
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
    let answer: CallToolResult = result(json!({"content": [{"type": "text", "text": text}]}))?;
    Ok(answer.into())
}

fn ask(questions: Value) -> Result<CallToolResponse> {
    let questions: InputRequests = from(questions)?;
    Ok(InputRequiredResult::from_input_requests(questions).into())
}

/// Requests only what the client supports.
fn by_capabilities(given: &CallInput<'_>, request: &Request) -> Result<CallToolResponse> {
    if given.responses.is_some() {
        return done("it came");
    }
    let able = request.client_capabilities().unwrap_or_default();
    let mut questions = json!({});
    if able.elicitation.is_some() {
        questions["user_name"] = name_question("What is your name?");
    }
    if able.sampling.is_some() {
        questions["capital_question"] = sampling("What is the capital of France?", 100);
    }
    if able.roots.is_some() {
        questions["client_roots"] = roots();
    }
    if questions == json!({}) { done("nothing can be asked") } else { ask(questions) }
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
