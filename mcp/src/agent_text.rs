//! Prepares answers for an agent: secrets masked, invisible characters removed. Every tool, resource
//! and prompt passes through here, because each can quote the files of the project.

use crate::context::Context;
use crate::tool::{Answer, ToolError};
use rmcp::model::Prompt;
use serde_json::Value;

/// The answer without secrets and invisible characters, in the text and in all strings of the data.
pub(crate) fn clean_answer(context: &Context, mut answer: Answer<Value>) -> Answer<Value> {
    let mut texts = vec![&mut answer.text];
    texts.extend(strings(&mut answer.data));
    context.distribution().clean_for_agent(texts);
    answer
}

/// The error without secrets and invisible characters; it can quote files and arguments.
pub(crate) fn clean_error(context: &Context, mut error: ToolError) -> ToolError {
    context.distribution().clean_for_agent(vec![&mut error.message, &mut error.remedy]);
    error
}

/// The text without secrets and invisible characters.
pub(crate) fn clean(context: &Context, text: &str) -> String {
    context.distribution().agent_text(text)
}

/// The listed prompts without secrets and invisible characters.
pub(crate) fn clean_prompts(context: &Context, mut prompts: Vec<Prompt>) -> Vec<Prompt> {
    let mut texts = Vec::new();
    for prompt in &mut prompts {
        texts.extend(prompt.title.as_mut());
        texts.extend(prompt.description.as_mut());
        let arguments = prompt.arguments.iter_mut().flatten();
        texts.extend(arguments.filter_map(|argument| argument.description.as_mut()));
    }
    context.distribution().clean_for_agent(texts);
    prompts
}

/// All strings in a value.
fn strings(value: &mut Value) -> Vec<&mut String> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values_mut()),
            _ => {}
        }
    }
    found
}
