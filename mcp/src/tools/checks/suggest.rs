//! Checks drafted from sentences: what they would catch, and the page to write.

use crate::context::Context;
use crate::tool::{Answer, Profile, Tool, ToolError};
use aidd_authoring::suggest::{self, Asked, Bounds};
use aidd_report::run::sentences::{Entry, Measure, Sentences, Sort};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use std::time::Duration;

/// Sentences in an answer unless told otherwise.
const LIMIT: usize = 10;
/// Most sentences in an answer.
const MOST: usize = 50;
/// Places of a draft in an answer.
const PLACES: usize = 3;
/// How long the drafts are tried on the project: a client waits a minute at most.
const TIME: Duration = Duration::from_secs(30);
/// Most characters of a sentence that is given.
const LONGEST: usize = 2000;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_suggest_rule",
            "Draft a rule",
            "Drafts a check from a sentence, or from those of a page, and says what it would catch. Use \
             when a rule stands only in words; write the page yourself.",
            draft,
        )
        .in_profiles(&[Profile::Tools]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Given {
    /// Such as: never use `eval()`
    sentence: Option<String>,
    /// AGENTS.md, a rule page
    file_path: Option<String>,
    /// (10)
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

fn draft(context: &Context, given: Given) -> Result<Answer<Sentences>, ToolError> {
    let Given { sentence, file_path, limit } = given;
    let paths: Vec<String> = match (&sentence, &file_path) {
        (None, None) => {
            return Err(ToolError::new("neither `sentence` nor `filePath` is given")
                .remedy("pass the sentence of a rule, or name a page that has some"));
        }
        (Some(_), Some(_)) => {
            return Err(ToolError::new("`sentence` and `filePath` are both given")
                .remedy("leave one out: a sentence is judged by its own words"));
        }
        (Some(sentence), None) if sentence.chars().nth(LONGEST).is_some() => {
            return Err(ToolError::new(format!("`sentence` has more than {LONGEST} characters"))
                .remedy("pass one sentence at a time, or name the page by `filePath`"));
        }
        (_, path) => path.iter().map(|path| context.inside(path)).collect::<Result<_, _>>()?,
    };
    let project = context.project()?;
    let asked = Asked {
        paths: &paths,
        sentence: sentence.as_deref(),
        bounds: Bounds { time: TIME, ..Bounds::default() },
        stop: context.stop().clone(),
        ..Asked::all(&project.disk)
    };
    let survey = suggest::survey(&project, &asked).map_err(ToolError::new)?;
    let limit = limit.unwrap_or(LIMIT).clamp(1, MOST);
    let told = Sentences::of(&survey, Measure { sentences: limit, places: PLACES, pages: true });
    if told.count.sentences == 0 {
        return Err(ToolError::new("no sentence here demands anything").remedy(
            "say what must or must not be: never use `eval()`; files have at most 400 lines",
        ));
    }
    let text = text(&told);
    Ok(Answer::new(told, text))
}

/// A line of sums, a line or a few for each sentence, and the page where there is one only.
fn text(told: &Sentences) -> String {
    let mut text = told.count.line();
    for entry in &told.sentences {
        let place = if entry.path.is_empty() {
            String::new()
        } else {
            format!("{}:{} ", entry.path, entry.line)
        };
        let _ = write!(text, "\n{place}{}", entry.sentence);
        said(entry, &mut text);
    }
    for note in &told.notes {
        let _ = write!(text, "\nnote: {note}");
    }
    if let [Entry { draft: Some(draft), .. }] = &told.sentences[..] {
        let _ = write!(text, "\n\n{}:\n{}", draft.path, draft.page.trim_end());
    }
    text
}

fn said(entry: &Entry, text: &mut String) {
    let by = entry.by.join(", ");
    let _ = match entry.kind {
        Sort::Draft => match &entry.draft {
            Some(draft) => write!(
                text,
                "\n  draft {} (sure: {}), {}: {}",
                draft.rule, draft.sure, draft.severity, draft.why
            ),
            None => Ok(()),
        },
        Sort::Switch => {
            write!(text, "\n  {by} says it and is off; packs: {}", entry.within.join(", "))
        }
        Sort::Enforced => write!(text, "\n  enforced by {by}"),
        Sort::Elsewhere => write!(text, "\n  enforced by {by} ({})", entry.within.join(", ")),
        Sort::Run => write!(text, "\n  for a hook or CI: {by}"),
        Sort::Guidance if by.is_empty() => write!(text, "\n  guidance: no check can tell"),
        Sort::Guidance => write!(text, "\n  guidance: {by}"),
    };
    if let Some(catches) = &entry.catches {
        let _ = write!(text, "\n  catches {}", catches.line());
        for place in &catches.first {
            let _ = write!(text, "\n    {}", place.line(entry.kind == Sort::Switch));
        }
    }
}
