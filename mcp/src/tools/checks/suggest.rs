//! Helps an agent turn a sentence into a rule page: one call returns facts about the sentence,
//! another call tests a draft of the page.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_authoring::suggest::report::Suggestion;
use aidd_authoring::suggest::{self, Draft, Limit, SuggestError};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// Default number of sentences of a document in a result.
const DEFAULT_LIMIT: usize = 20;
/// Maximum number of sentences of a document in a result.
const MAX_LIMIT: usize = 50;
/// Time limit of a trial on the project; clients wait at most a minute.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_suggest_rule",
            "Suggest rule",
            "Shows which tools and forms of check can enforce a requirement; with `draft`, \
             validates a rule page and runs it on the project. Use to turn a requirement into a \
             check.",
            suggest_rule,
        )
        .in_profiles(&[Profile::Tools]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Params {
    /// Requirement as a sentence, such as: never use `eval()`
    sentence: Option<String>,
    /// Path of a document with requirements, such as AGENTS.md
    file_path: Option<String>,
    /// Draft of a rule page, or only its header
    draft: Option<String>,
    /// Maximum number of sentences; default: 20
    #[schemars(range(min = 1, max = 50))]
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<usize>,
}

fn suggest_rule(context: &Context, params: Params) -> Result<Answer<Suggestion>, ToolError> {
    let Params { sentence, file_path, draft, limit } = params;
    if file_path.is_some() && (sentence.is_some() || draft.is_some()) {
        return Err(ToolError::new("`filePath` cannot be combined with `sentence` or `draft`")
            .remedy("omit `filePath`: the sentence is looked up in all documents"));
    }
    let project = context.project()?;
    let suggestion = match (sentence, draft, file_path) {
        (sentence, Some(text), _) => {
            let limit = Limit { time: TRIAL_TIMEOUT, stop: context.stop().clone() };
            let draft = Draft { text: &text, sentence: sentence.as_deref() };
            Suggestion::from_draft(suggest::try_draft(&project, &draft, &limit)?)
        }
        (Some(sentence), ..) => {
            Suggestion::from_statement(suggest::describe_sentence(&project, &sentence)?)
        }
        (.., Some(path)) => {
            let survey = suggest::run_survey(&project, &[context.to_relative(&path)?])?;
            if survey.sentences.is_empty() {
                return Err(ToolError::new(format!("`{path}` contains no requirement"))
                    .remedy("pass the sentence itself as `sentence`"));
            }
            Suggestion::from_survey(survey, limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT))
        }
        _ => {
            return Err(ToolError::new("expected `sentence`, `filePath` or `draft`")
                .remedy("pass a requirement as a sentence, or a document with requirements"));
        }
    };
    let mut text = suggestion.to_text();
    if !suggestion.forms.is_empty() {
        text.push_str("Write a rule page and pass it as `draft`, with the sentence.");
    }
    Ok(Answer::new(suggestion, text.trim_end().to_owned()))
}

impl From<SuggestError> for ToolError {
    fn from(error: SuggestError) -> Self {
        Self::new(error.to_string()).remedy(error.remedy())
    }
}
