//! `aidd rule suggest` and `aidd rule coverage`: the sentences of a project's documents, the rules
//! and tools that enforce them, and rule drafts.

use crate::cli::{RuleCoverage, RuleSuggest, SuggestFormat};
use aidd_authoring::suggest::report::{Suggestion, counts_line};
use aidd_authoring::suggest::{
    self, Counts, Draft, Limit, MAX_SENTENCE, StatedSentence, SuggestError, Survey,
};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::{number, one_line};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time limit of the run of a draft on the project.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Maximum number of bytes read from standard input or a draft; sentences and pages are smaller.
const MAX_BYTES: u64 = 1 << 20;

/// The subject that the arguments select.
enum Subject {
    Documents(Vec<String>),
    Sentence(String),
}

/// Runs `aidd rule suggest`.
///
/// # Errors
/// Fails when a document is outside the project or unreadable, or when the sentence or draft is
/// empty or too long.
pub(super) fn suggest(project: &Project, args: &RuleSuggest, io: &mut Io<'_>) -> Result<Exit> {
    let subject = subject(project, args, io)?;
    if let Some(file) = &args.draft {
        let sentence = match &subject {
            Subject::Sentence(sentence) => Some(sentence.as_str()),
            Subject::Documents(paths) if paths.is_empty() => None,
            Subject::Documents(_) => {
                return Err(UserError::new("`--draft` cannot be combined with documents")
                    .hint("pass a sentence in quotes, or no argument")
                    .into());
            }
        };
        return draft(project, file, sentence, args.format, io);
    }
    match subject {
        Subject::Sentence(sentence) => {
            let statement = suggest::describe_sentence(project, &sentence).map_err(user_error)?;
            let suggestion = Suggestion::from_statement(statement);
            print_suggestion(&suggestion, args.format, io)?;
            if !suggestion.forms.is_empty() {
                writeln!(io.err, "write a rule page, then run `aidd rule suggest --draft FILE`")?;
            }
        }
        Subject::Documents(paths) => {
            let survey = suggest::run_survey(project, &paths).map_err(user_error)?;
            let document_count = survey.documents.len();
            let suggestion = Suggestion::from_survey(survey, usize::MAX);
            print_suggestion(&suggestion, args.format, io)?;
            print_document_count(document_count, io)?;
            writeln!(
                io.err,
                "`aidd rule suggest \"SENTENCE\"` shows which forms of check could enforce a sentence"
            )?;
        }
    }
    Ok(Exit::Clean)
}

fn print_suggestion(suggestion: &Suggestion, format: SuggestFormat, io: &mut Io<'_>) -> Result<()> {
    match format {
        SuggestFormat::Json => io.out.json(suggestion)?,
        SuggestFormat::Text => write!(io.out, "{}", suggestion.to_text())?,
    }
    Ok(())
}

fn draft(
    project: &Project,
    file: &Path,
    sentence: Option<&str>,
    format: SuggestFormat,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let text = if file == Path::new("-") {
        read_text(io.stdin, "standard input")?
    } else {
        let path = project::absolute(&io.cwd, file);
        let name = path.display().to_string();
        read_text(&mut File::open(&path).with_context(|| name.clone())?, &name)?
    };
    let limit = Limit { time: TIME_LIMIT, stop: Arc::default() };
    let draft = Draft { text: &text, sentence };
    let report = suggest::try_draft(project, &draft, &limit).map_err(user_error)?;
    let is_valid = report.valid;
    print_suggestion(&Suggestion::from_draft(report), format, io)?;
    Ok(if is_valid { Exit::Clean } else { Exit::Findings })
}

/// Resolves the arguments to files of the project or one sentence. An argument that is not a file
/// and contains a space is a sentence.
fn subject(project: &Project, args: &RuleSuggest, io: &mut Io<'_>) -> Result<Subject> {
    if let [argument] = &args.subjects[..] {
        if argument == "-" {
            if args.draft.as_deref() == Some(Path::new("-")) {
                let error = UserError::new("standard input cannot be both sentence and draft");
                return Err(error.hint("pass a file for one of them").into());
            }
            return Ok(Subject::Sentence(read_text(io.stdin, "standard input")?));
        }
        let is_sentence = argument.contains(char::is_whitespace) || argument.trim().is_empty();
        if is_sentence && !project::absolute(&io.cwd, Path::new(argument)).exists() {
            return Ok(Subject::Sentence(argument.clone()));
        }
    }
    let paths = args.subjects.iter().map(|file| document_path(project, Path::new(file), io));
    Ok(Subject::Documents(paths.collect::<Result<_, _>>()?))
}

/// The path of a document relative to the root.
fn document_path(project: &Project, file: &Path, io: &Io<'_>) -> Result<String, UserError> {
    let path = project::absolute(&io.cwd, file);
    let name = file.display();
    if !path.exists() {
        return Err(UserError::new(format!("{name}: no such file"))
            .hint("pass a document of the project, or a sentence in quotes"));
    }
    let relative_path = path.to_str().and_then(|path| project.disk.to_relative(path));
    relative_path.ok_or_else(|| {
        UserError::new(format!("{name} is not in the project"))
            .hint("pass a file inside the project root")
    })
}

/// Reads text of bounded size.
fn read_text(source: &mut dyn Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| name.to_owned())?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{name} is larger than {} KiB", MAX_BYTES >> 10);
        return Err(UserError::new(message)
            .hint(format!("pass one sentence of at most {MAX_SENTENCE} characters, or one page"))
            .into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn user_error(error: SuggestError) -> UserError {
    let remedy = error.remedy();
    let error = UserError::new(error.to_string());
    if remedy.is_empty() { error } else { error.hint(remedy) }
}

/// Runs `aidd rule coverage`.
///
/// # Errors
/// Fails in the same cases as [`suggest()`].
pub(super) fn coverage(project: &Project, args: &RuleCoverage, io: &mut Io<'_>) -> Result<Exit> {
    let paths = args.files.iter().map(|file| document_path(project, file, io));
    let paths: Vec<String> = paths.collect::<Result<_, _>>()?;
    let survey = suggest::run_survey(project, &paths).map_err(user_error)?;
    let document_count = survey.documents.len();
    if args.format == SuggestFormat::Json {
        io.out.json(&Suggestion::from_survey(survey, usize::MAX))?;
        return print_document_count(document_count, io);
    }
    print_table(&survey, io)?;
    for note in &survey.notes {
        writeln!(io.err, "note: {}", one_line(note))?;
    }
    let count = Counts::from_sentences(&survey.sentences);
    writeln!(io.err, "{}", counts_line(&count))?;
    print_document_count(document_count, io)
}

/// Prints a row for each document, and a total.
fn print_table(survey: &Survey, io: &mut Io<'_>) -> Result<()> {
    let mut by_document: BTreeMap<&str, Vec<&StatedSentence>> = BTreeMap::new();
    for sentence in &survey.sentences {
        let path = sentence.places.first().map_or("", |location| location.path.as_str());
        by_document.entry(path).or_default().push(sentence);
    }
    let width = by_document.keys().map(|path| path.chars().count()).max().unwrap_or(0).max(8);
    writeln!(
        io.out,
        "{:width$}  sentences  enforced  by other tools  rule disabled  not enforced",
        "document"
    )?;
    let mut row = |name: &str, count: Counts| {
        let Counts { sentences, enforced, enforced_by_other_tools, disabled, not_enforced } = count;
        let name = one_line(name);
        writeln!(
            io.out,
            "{name:width$}  {sentences:>9}  {enforced:>8}  {enforced_by_other_tools:>14}  {disabled:>13}  {not_enforced:>12}"
        )
    };
    for (path, sentences) in by_document {
        row(path, Counts::from_sentences(sentences))?;
    }
    row("all", Counts::from_sentences(&survey.sentences))?;
    Ok(())
}

fn print_document_count(count: usize, io: &mut Io<'_>) -> Result<Exit> {
    if count == 0 {
        writeln!(
            io.err,
            "no documents found; looked for AGENTS.md, CLAUDE.md, CONTRIBUTING.md, pages in .aidd/rules …"
        )?;
    } else {
        writeln!(io.err, "{} read", number(count, "document"))?;
    }
    Ok(Exit::Clean)
}
