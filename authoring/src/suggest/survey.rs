//! The sentences of a project's documents, each with the rules that enforce it.

use super::documents::{documents, scope};
use super::enforcers::{Coverage, Enforcers};
use super::error::SuggestError;
use super::languages::tools;
use super::sentences::extract_sentences;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::linters::Settings;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::text::kind::is_page_path;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk::{self, Walk};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Maximum number of documents that are read.
const MAX_DOCUMENTS: usize = 500;
/// Maximum number of sentences that are compared with rules.
const MAX_SENTENCES: usize = 2000;

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Path relative to the root.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
}

/// A sentence of the documents that contains a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatedSentence {
    /// The text of the sentence.
    pub sentence: String,
    /// The places of the sentence; places in documents that every agent reads come first.
    pub places: Vec<Place>,
    /// Globs of the files to which the document applies; absent for the whole project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// The rules that enforce the sentence.
    pub coverage: Coverage,
}

/// The sentences of a project.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The distinct sentences, in the order of documents and lines.
    pub sentences: Vec<StatedSentence>,
    /// The documents that were read.
    pub documents: Vec<String>,
    /// Descriptions of the parts that were skipped.
    pub notes: Vec<String>,
}

/// The number of sentences by coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// The total number of sentences.
    pub sentences: usize,
    /// The number of sentences enforced by an enabled rule of aidd.
    pub enforced: usize,
    /// The number of sentences enforced by another tool.
    #[serde(rename = "elsewhere")]
    pub enforced_by_other_tools: usize,
    /// The number of sentences that a disabled rule of aidd can enforce.
    #[serde(rename = "off")]
    pub disabled: usize,
    /// The number of sentences that no known rule enforces.
    #[serde(rename = "open")]
    pub not_enforced: usize,
}

impl Counts {
    /// Counts `sentences`.
    pub fn from_sentences<'a>(sentences: impl IntoIterator<Item = &'a StatedSentence>) -> Self {
        let mut counts = Self::default();
        for stated in sentences {
            counts.sentences += 1;
            *match stated.coverage {
                Coverage::Enforced { .. } => &mut counts.enforced,
                Coverage::EnforcedByOtherTool { .. } => &mut counts.enforced_by_other_tools,
                Coverage::Disabled { .. } => &mut counts.disabled,
                Coverage::NotEnforced { .. } => &mut counts.not_enforced,
            } += 1;
        }
        counts
    }
}

/// The sentences of the documents at `paths` (all documents of the project if empty), each with the
/// rules that enforce it.
///
/// # Errors
/// Fails when the configuration is invalid, or a document of `paths` cannot be read.
pub fn run_survey(project: &Project, paths: &[String]) -> Result<Survey, SuggestError> {
    let engine = project.engine(&Selection::default())?;
    let listing = listing(project, &engine);
    run_survey_with(project, &enforcers(project, &engine, &listing), &listing, paths)
}

pub(super) fn listing(project: &Project, engine: &Engine) -> Listing {
    walk::listing(engine, &project.disk, &Walk::over(vec![project.root().to_owned()]))
}

pub(super) fn enforcers<'a>(
    project: &Project,
    engine: &'a Engine,
    listing: &Listing,
) -> Enforcers<'a> {
    let settings = Settings::read(&project.disk, listing.files());
    Enforcers { engine, settings, tools: tools(listing.files()) }
}

pub(super) fn run_survey_with(
    project: &Project,
    enforcers: &Enforcers<'_>,
    listing: &Listing,
    paths: &[String],
) -> Result<Survey, SuggestError> {
    let mut survey = Survey::default();
    let mut index_by_key: HashMap<String, usize> = HashMap::new();
    let mut skipped = 0;
    let enforced = enforced_sentences(project, enforcers);
    for source in read_documents(project, listing, paths, &mut survey)? {
        let path = source.path();
        let (page_coverage, note) = if is_page_path(path) {
            enforcers.page_coverage(path, source.text())
        } else {
            (None, None)
        };
        for (at, sentence) in extract_sentences(&source).into_iter().enumerate() {
            // The further sentences of an enforced page explain its first sentence.
            if page_coverage.is_some() && at > 0 {
                break;
            }
            let line = source.position(sentence.span.start, Encoding::CodePoints).line as usize + 1;
            let place = Place { path: path.to_owned(), line };
            let key = fold_sentence(&sentence.text);
            if let Some(&index) = index_by_key.get(&key) {
                survey.sentences[index].places.push(place);
                continue;
            }
            if survey.sentences.len() >= MAX_SENTENCES {
                skipped += 1;
                continue;
            }
            let coverage = page_coverage.clone().or_else(|| enforced.get(&key).cloned());
            let coverage = coverage.unwrap_or_else(|| match enforcers.coverage(&sentence.text) {
                Coverage::NotEnforced { .. } => Coverage::NotEnforced { note: note.clone() },
                other => other,
            });
            index_by_key.insert(key, survey.sentences.len());
            survey.sentences.push(StatedSentence {
                sentence: sentence.text,
                places: vec![place],
                scope: scope(path, source.text()),
                coverage,
            });
        }
    }
    if skipped > 0 {
        survey.notes.push(format!(
            "skipped {skipped} sentences: at most {MAX_SENTENCES} are compared; name fewer documents"
        ));
    }
    Ok(survey)
}

/// Folds a sentence for comparison: lower case, without punctuation at the beginning and the end.
pub(super) fn fold_sentence(text: &str) -> String {
    let is_edge = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    text.to_lowercase().trim_matches(is_edge).to_owned()
}

/// The sentences of the project's enforced rule pages, folded by [`fold_sentence`]; other documents
/// can repeat these sentences.
fn enforced_sentences(project: &Project, enforcers: &Enforcers<'_>) -> HashMap<String, Coverage> {
    let mut enforced = HashMap::new();
    for (path, text) in &project.pages {
        let (Some(coverage), _) = enforcers.page_coverage(path, text) else { continue };
        for sentence in extract_sentences(&Source::new(path.as_str(), text.as_str())) {
            enforced.entry(fold_sentence(&sentence.text)).or_insert_with(|| coverage.clone());
        }
    }
    enforced
}

fn read_documents(
    project: &Project,
    listing: &Listing,
    paths: &[String],
    survey: &mut Survey,
) -> Result<Vec<Source>, SuggestError> {
    let all = if paths.is_empty() { documents(project, listing.files()) } else { paths.to_vec() };
    let mut sources = Vec::new();
    for path in all.iter().take(MAX_DOCUMENTS) {
        match project.disk.read(path, SIDE_FILE_LIMIT) {
            Ok(bytes) if bytes.len() as u64 == SIDE_FILE_LIMIT => {
                let max = SIDE_FILE_LIMIT >> 20;
                survey.notes.push(format!("{path}: skipped: larger than {max} MiB"));
            }
            Ok(bytes) => {
                survey.documents.push(path.clone());
                sources.push(Source::decode(path.clone(), bytes));
            }
            Err(error) if paths.is_empty() => survey.notes.push(format!("{path}: {error}")),
            Err(source) => return Err(SuggestError::Read { path: path.clone(), source }),
        }
    }
    if let Some(more @ 1..) = all.len().checked_sub(MAX_DOCUMENTS) {
        survey.notes.push(format!(
            "skipped {more} documents: at most {MAX_DOCUMENTS} are read; pass the others by name"
        ));
    }
    Ok(sources)
}
