//! Diagnoses error output: its message, its stack frames, and similar mistakes of this project.

mod category;
mod clean;
mod error_line;
mod forms;
mod mentions;
mod project_files;
mod read;
mod trace;

pub use category::Category;
pub use read::read;
pub use trace::{ErrorText, Frame, Trace};

use super::MemoryError;
use super::kinds::{self, Mistake, Observation};
use super::project::ProjectMemory;
use super::recall::Question;
use super::similarity::PieceCounts;
use super::store::{Layers, Query};
use super::types::{Entry, Kind, Layer};
use super::words::{error_key, pieces};
use aidd_engine::text::files::Disk;
use error_line::ErrorLine;
use project_files::FrameLocator;
use std::collections::{BTreeSet, HashMap};

/// The maximum for each of two selections of mistakes to compare: the mistakes that share the most
/// weight with the error, and the mistakes that a search finds.
const MAX_COMPARED: usize = 64;
/// Score for a project file that occurs both in the error and in the mistake.
const SAME_FILE_SCORE: f64 = 0.15;
/// Score for a project directory that occurs both in the error and in the mistake, if no project
/// file does.
const SAME_DIR_SCORE: f64 = 0.08;
/// Score for a function that occurs both in the error and in the mistake.
const SAME_FUNCTION_SCORE: f64 = 0.10;
/// Factor for words that occur anywhere in a mistake, instead of in its error. A match of such words
/// alone stays below the similarity from which cures are shown without a request.
const OTHER_FIELD_FACTOR: f64 = 0.5;
/// Factor for lines that many errors have, such as the message of an assertion, if the errors are
/// in different files.
const VAGUE_FACTOR: f64 = 0.5;

/// The diagnosis of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The parsed error output; frames in the project's own files are marked.
    pub trace: Trace,
    /// Category of the error.
    pub category: Category,
    /// The innermost frame in a project file, or a project file that a message mentions.
    pub primary: Option<Frame>,
    /// Similar known mistakes, most similar first.
    pub matches: Vec<Match>,
    /// Number of mistakes that reach the threshold.
    pub matched: usize,
    /// Number of known mistakes.
    pub known: usize,
}

/// A known mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Id of the mistake.
    pub id: String,
    /// Layer of the mistake: permanent, or observed only in a session.
    pub layer: Layer,
    /// The error on one line.
    pub error: String,
    /// Root cause of the error.
    pub root_cause: String,
    /// How the error was fixed.
    pub fix: String,
    /// How to prevent the error from recurring.
    pub prevention: String,
    /// Number of occurrences.
    pub occurrences: u64,
    /// Category of the mistake.
    pub category: &'static str,
    /// Similarity, from 0 to 1: see [`ProjectMemory::diagnose`].
    pub similarity: f64,
    /// Project files that occur both in the error and in the mistake.
    pub files: Vec<String>,
}

impl ProjectMemory {
    /// Parses error output and ranks the known mistakes whose similarity is at least `threshold`.
    ///
    /// Similarity is the larger of two values, at most 1. The first is `words` + 0.15 if the
    /// innermost project file is in both (otherwise 0.08 for its directory) + 0.10 for a function in
    /// both, and 0 if `words` is 0. `words` is the weight of the words that both error lines share,
    /// divided by the weight of all words of both lines; times 0.5 if the first names in quotes of
    /// both lines differ, and times 0.5 if the line is vague and the errors are in different files.
    /// For equal error lines, `words` is 1. The second value is 0.5 times the weight of the error
    /// line's words that occur anywhere in the mistake, divided by the weight of all words of the
    /// error line. The weight of a word is ln(1 + N / n), where n of N mistakes contain the word;
    /// numbers, addresses and directories do not count as words.
    ///
    /// # Errors
    /// When the text is empty, or the store cannot be read.
    pub fn diagnose(
        &mut self,
        text: &str,
        threshold: f64,
        limit: usize,
    ) -> Result<Diagnosis, MemoryError> {
        if text.trim().is_empty() {
            return Err(MemoryError::Invalid("the error text is empty".to_owned()));
        }
        let disk = Disk::new(self.root());
        let mut trace = read(text);
        let mut locator = FrameLocator::new(&disk);
        locator.locate(&mut trace);
        let lines = error_lines(&trace);
        let category = category::classify(&lines.join("\n"));
        let error = DiagnosedError::new(&lines, &trace);
        let mistakes = self.mistakes(&error, &lines)?;
        let mut matches = Vec::new();
        for entry in &mistakes.entries {
            let candidate = compare(&mut locator, &error, entry, &mistakes.weights);
            if candidate.similarity >= threshold && candidate.similarity > 0.0 {
                matches.push(candidate);
            }
        }
        matches.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.id.cmp(&b.id)));
        let matched = matches.len();
        matches.truncate(limit);
        let primary = trace.primary().cloned();
        Ok(Diagnosis { trace, category, primary, matches, matched, known: mistakes.known })
    }

    /// Collects the mistakes to compare: all mistakes that sessions observed, and the permanent
    /// mistakes that share the highest weight with the error or match the error in a search.
    fn mistakes(
        &mut self,
        error: &DiagnosedError,
        lines: &[String],
    ) -> Result<Mistakes, MemoryError> {
        let query = Query::active(Layers::SESSION, Kind::Mistake);
        let mut entries = self.read(&mut |store| store.entries(&query))?;
        let error_words: BTreeSet<u64> =
            error.lines.iter().flat_map(|line| &line.words).copied().collect();
        let weights = Weights::new(self.piece_counts(&error_words)?, &entries);
        let weighted: Vec<(u64, f64)> =
            error_words.iter().map(|word| (*word, weights.weight(*word))).collect();
        let mut ids = self.mistakes_sharing(&weighted, MAX_COMPARED);
        // Finds mistakes whose cause or fix contains words of the error.
        let question = Question {
            text: lines.join("\n"),
            kinds: vec![Kind::Mistake],
            limit: MAX_COMPARED,
            ..Question::new(Layers::SAVED)
        };
        ids.extend(self.search(&question)?.hits.into_iter().map(|hit| hit.id));
        let observed: BTreeSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        ids.retain(|id| !observed.contains(id));
        ids.sort_unstable();
        ids.dedup();
        // Another process could have removed some of them in the meantime.
        let (permanent, _) = self.entries_by_id(&ids)?;
        let mut words = error_words;
        for entry in entries.iter().chain(&permanent) {
            words.extend(all_words(entry));
        }
        let weights = Weights::new(self.piece_counts(&words)?, &entries);
        let known = usize::try_from(weights.mistakes).unwrap_or(usize::MAX);
        entries.extend(permanent);
        Ok(Mistakes { entries, weights, known })
    }
}

/// The mistakes to compare with an error.
struct Mistakes {
    entries: Vec<Entry>,
    weights: Weights,
    /// Number of all known mistakes, including those that are not compared.
    known: usize,
}

/// The error to diagnose, prepared for comparison.
struct DiagnosedError {
    lines: Vec<ErrorLine>,
    files: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl DiagnosedError {
    fn new(lines: &[String], trace: &Trace) -> Self {
        let lines = lines.iter().map(|line| ErrorLine::new(line)).collect();
        Self { lines, files: files_of(trace), functions: functions_of(trace) }
    }
}

/// The lines of the raised error and of its cause. A type without a message is left out if there
/// is another line, because many errors share it.
fn error_lines(trace: &Trace) -> Vec<String> {
    let errors = || [Some(&trace.raised), trace.cause.as_ref()].into_iter().flatten();
    let has_message = |error: &&ErrorText| !error.message.is_empty();
    let lines: Vec<String> = errors().filter(has_message).map(ErrorText::line).collect();
    if lines.is_empty() { errors().map(ErrorText::line).collect() } else { lines }
}

/// The innermost project file. Outer files, such as the program's entry point, are part of the
/// frames of many errors.
fn files_of(trace: &Trace) -> BTreeSet<String> {
    trace.primary().and_then(|frame| frame.project_path.clone()).into_iter().collect()
}

/// The functions in project files.
fn functions_of(trace: &Trace) -> BTreeSet<String> {
    let project_frames = trace.frames.iter().filter(|frame| frame.project_path.is_some());
    project_frames
        .filter_map(|frame| frame.function.clone())
        .filter(|name| name.len() > 3)
        .collect()
}

/// Weights of words. The weight of a word is low when many mistakes contain the word.
struct Weights {
    counts: HashMap<u64, u32>,
    mistakes: u32,
}

impl Weights {
    /// Computes weights from the permanent mistakes, counted in `permanent`, and from the mistakes
    /// that sessions observed.
    fn new(permanent: PieceCounts, observed: &[Entry]) -> Self {
        let mut weights = Self { counts: permanent.by_piece, mistakes: permanent.memories };
        for entry in observed {
            weights.mistakes += 1;
            for word in pieces(&error_key(&entry.content)) {
                *weights.counts.entry(word).or_default() += 1;
            }
        }
        weights
    }

    fn weight(&self, word: u64) -> f64 {
        let counts = self.counts.get(&word).copied().unwrap_or_default().max(1);
        (1.0 + f64::from(self.mistakes.max(1)) / f64::from(counts)).ln()
    }

    fn total_weight<'a>(&self, words: impl Iterator<Item = &'a u64>) -> f64 {
        words.map(|word| self.weight(*word)).sum()
    }
}

/// The words of all fields of a mistake.
fn all_words(entry: &Entry) -> BTreeSet<u64> {
    let mut text = entry.content.clone();
    for name in ["rootCause", "fix", "prevention", "narrative"] {
        if let Some(field) = entry.metadata.get(name).and_then(serde_json::Value::as_str) {
            text.push('\n');
            text.push_str(field);
        }
    }
    for fact in
        entry.metadata.get("facts").and_then(serde_json::Value::as_array).into_iter().flatten()
    {
        text.push('\n');
        text.push_str(fact.as_str().unwrap_or_default());
    }
    pieces(&error_key(&text))
}

fn compare(
    locator: &mut FrameLocator<'_>,
    error: &DiagnosedError,
    entry: &Entry,
    weights: &Weights,
) -> Match {
    let mistake: Mistake = kinds::typed(&entry.metadata).unwrap_or_default();
    let observation: Observation = kinds::typed(&entry.metadata).unwrap_or_default();
    let mut trace = read(&entry.content);
    locator.locate(&mut trace);
    let lines = error_lines(&trace);
    let mut files = files_of(&trace);
    files.extend(mistake.files.iter().chain(&observation.files_modified).cloned());
    let shared: Vec<String> = error.files.intersection(&files).cloned().collect();
    let in_other_file = shared.is_empty() && !files.is_empty() && !error.files.is_empty();
    let mut word_score: f64 = 0.0;
    for line in lines.iter().map(|line| ErrorLine::new(line)) {
        for error_line in &error.lines {
            let score = line.similarity(error_line, weights);
            let is_vague = in_other_file && error_line.is_vague();
            word_score = word_score.max(if is_vague { VAGUE_FACTOR * score } else { score });
        }
    }
    let mistake_words = all_words(entry);
    let mut field_score: f64 = 0.0;
    for error_line in &error.lines {
        let all = weights.total_weight(error_line.words.iter());
        if all > 0.0 {
            let shared = weights.total_weight(error_line.words.intersection(&mistake_words));
            field_score = field_score.max(OTHER_FIELD_FACTOR * shared / all);
        }
    }
    let added = file_score(error, &files, &shared)
        + if error.functions.is_disjoint(&functions_of(&trace)) {
            0.0
        } else {
            SAME_FUNCTION_SCORE
        };
    let line_score = if word_score > 0.0 { word_score + added } else { 0.0 };
    let similarity = line_score.min(1.0).max(field_score);
    let headline = trace.headline().line();
    Match {
        id: entry.id.clone(),
        layer: entry.layer,
        category: category::classify(&lines.join("\n")).name,
        error: headline,
        root_cause: mistake.root_cause,
        fix: if mistake.fix.is_empty() {
            observation.narrative.unwrap_or_default()
        } else {
            mistake.fix
        },
        prevention: mistake.prevention,
        occurrences: mistake.occurrences.unwrap_or(1),
        similarity,
        files: shared,
    }
}

fn file_score(error: &DiagnosedError, files: &BTreeSet<String>, shared: &[String]) -> f64 {
    if !shared.is_empty() {
        return SAME_FILE_SCORE;
    }
    let parent = |file: &String| file.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let error_dirs: BTreeSet<String> = error.files.iter().filter_map(parent).collect();
    if files.iter().filter_map(parent).any(|dir| error_dirs.contains(&dir)) {
        SAME_DIR_SCORE
    } else {
        0.0
    }
}

#[cfg(test)]
mod log_tests;
#[cfg(test)]
mod swift_tests;
#[cfg(test)]
mod tests;
