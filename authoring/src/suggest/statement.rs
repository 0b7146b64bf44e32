//! Describes one sentence: where the documents contain it, which rules enforce it, which rules are
//! related, and where a page for it belongs.

use super::documents::page_directory;
use super::enforcers::Coverage;
use super::error::SuggestError;
use super::related::{RelatedRule, find_related};
use super::survey::{Place, StatedSentence, enforcers, fold_sentence, listing, run_survey_with};
use aidd_engine::check::Selection;
use aidd_engine::text::escape::is_hidden;
use aidd_engine::text::kind::is_page_path;
use aidd_engine::workspace::project::Project;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Maximum number of characters of a sentence passed to [`describe_sentence`].
pub const MAX_SENTENCE: usize = 2000;

/// The facts about a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Statement {
    /// The sentence, and its places in the documents. There are no places if no document contains
    /// the sentence.
    #[serde(flatten)]
    pub stated: StatedSentence,
    /// Rules that can be about the same subject, for comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedRule>,
    /// The path where a page for the sentence belongs; if a page of prose rules contains the sentence,
    /// the path of this page.
    pub page: String,
}

/// Looks up a sentence in the project.
///
/// # Errors
/// Fails when the sentence has no words or too many characters, or the configuration is invalid.
pub fn describe_sentence(project: &Project, sentence: &str) -> Result<Statement, SuggestError> {
    let sentence = one_line(sentence)?;
    let engine = project.engine(&Selection::default())?;
    let listing = listing(project, &engine);
    let enforcers = enforcers(project, &engine, &listing);
    let survey = run_survey_with(project, &enforcers, &listing, &[])?;
    let stated = find_statement(survey.sentences, &sentence).unwrap_or_else(|| StatedSentence {
        coverage: enforcers.coverage(&sentence),
        sentence,
        places: Vec::new(),
        scope: Vec::new(),
    });
    let related = match stated.coverage {
        Coverage::NotEnforced { .. } => {
            find_related(&engine, &project.disk, &listing, &stated.sentence)
        }
        _ => Vec::new(),
    };
    let first = stated.places.first().map_or("", |place: &Place| place.path.as_str());
    let page = if is_page_path(first) {
        first.to_owned()
    } else {
        format!("{}.aidd/rules/{}.md", page_directory(first), page_name(&stated.sentence))
    };
    Ok(Statement { stated, related, page })
}

/// The sentence on one line, without characters that hide text.
fn one_line(sentence: &str) -> Result<String, SuggestError> {
    // This check comes before any allocation proportional to the length of the text.
    if sentence.chars().nth(MAX_SENTENCE).is_some() {
        return Err(SuggestError::LongSentence);
    }
    let visible: String = sentence.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().any(char::is_alphanumeric) {
        Ok(line)
    } else {
        Err(SuggestError::EmptySentence)
    }
}

/// The sentence in the documents that equals `sentence`, or contains all of its words and few other
/// words.
fn find_statement(documents: Vec<StatedSentence>, sentence: &str) -> Option<StatedSentence> {
    let key = fold_sentence(sentence);
    let words = word_set(sentence);
    let is_similar = |stated: &StatedSentence| {
        let found = word_set(&stated.sentence);
        words.len() > 1 && words.is_subset(&found) && words.len() * 2 >= found.len()
    };
    let exact = documents.iter().position(|stated| fold_sentence(&stated.sentence) == key);
    let at = exact.or_else(|| documents.iter().position(is_similar))?;
    documents.into_iter().nth(at)
}

fn word_set(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The name of a page for the sentence, derived from its first words in Latin letters.
fn page_name(sentence: &str) -> String {
    let words =
        sentence.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: Vec<String> = words.take(5).map(str::to_ascii_lowercase).collect();
    let name: String = name.join("-").chars().take(60).collect();
    if name.is_empty() { "draft".to_owned() } else { name }
}
