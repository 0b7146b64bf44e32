//! The prompts of the protocol, which users select.

use crate::agent_text;
use crate::context::Context;
use crate::resources::string_value;
use crate::schema::Object;
use aidd_engine::text::escape;
use aidd_guidance::prompts::{Argument, arguments, render};
use aidd_guidance::{Library, Page, PageKind};
use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// The title for users: `aidd_plan_task` becomes `Plan a task`.
#[must_use]
pub fn title(page: &Page) -> String {
    let heading = page.body().lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or(&page.name).to_owned()
}

/// The prompt pages with their arguments.
#[must_use]
pub fn all(library: &Library) -> Vec<(&Page, Vec<Argument>)> {
    let prompts = library.pages_of_kind(PageKind::Prompts);
    prompts.map(|page| (page, arguments(page).unwrap_or_default())).collect()
}

pub(crate) fn listed(context: &Context, library: &Library) -> Vec<Prompt> {
    let argument = |argument: &Argument| {
        let mut description = argument.description.clone();
        if !argument.values.is_empty() {
            description = format!("{description}: {}", argument.values.join(", "));
        }
        PromptArgument::new(&argument.name)
            .with_description(description)
            .with_required(argument.required)
    };
    let prompt = |(page, arguments): (&Page, Vec<Argument>)| {
        let arguments = arguments.iter().map(argument).collect();
        Prompt::new(&page.name, Some(&page.summary), Some(arguments)).with_title(title(page))
    };
    agent_text::clean_prompts(context, all(library).into_iter().map(prompt).collect())
}

/// Renders a prompt with its placeholders filled in.
pub(crate) fn get(
    context: &Context,
    name: &str,
    arguments: Option<&Object>,
) -> Result<GetPromptResult, ErrorData> {
    let invalid_params = |message: String| ErrorData::invalid_params(message, None);
    let library =
        context.library().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let page = library.get(PageKind::Prompts, name).ok_or_else(|| {
        let near = library
            .find(PageKind::Prompts, name)
            .map_or_else(|near| near.join(", "), |page| page.name.clone());
        let hint = if near.is_empty() { String::new() } else { format!("; did you mean {near}?") };
        invalid_params(format!("unknown prompt `{name}`{hint}"))
    })?;
    let names: Vec<String> =
        arguments.map(|arguments| arguments.keys().cloned().collect()).unwrap_or_default();
    let value = |name: &str| string_value(arguments.and_then(|arguments| arguments.get(name)));
    let text = render(&library, page, &value, &names)
        .map_err(|error| invalid_params(error.to_string()))?;
    let text = agent_text::clean(context, &text);
    let message = PromptMessage::new_text(Role::User, escape::lines(&text));
    let summary = agent_text::clean(context, &page.summary);
    Ok(GetPromptResult::new(vec![message]).with_description(summary))
}
