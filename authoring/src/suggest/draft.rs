//! Validates a draft of a rule page, runs its examples and runs it on the project.

use super::error::SuggestError;
use super::statement::{Statement, describe_sentence};
use super::trial::{self, Limit, Trial};
use aidd_engine::check::{Distribution, Engine, SKIPPED, Selection};
use aidd_engine::forms;
use aidd_engine::project::config::Config;
use aidd_engine::project::linters::{Enforcement, Settings};
use aidd_engine::rules::registry::{Registry, error_message, project_rule};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Files as _, side_file};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::examples::{self, Expected};
use aidd_engine::workspace::project::Project;
use aidd_page as page;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum size of a draft in bytes.
pub(super) const MAX_DRAFT: usize = 256 << 10;

/// A draft to check.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// A rule page, or only its header, with or without `---` lines.
    pub text: &'a str,
    /// The sentence to enforce; it determines where the page belongs.
    pub sentence: Option<&'a str>,
}

/// A problem in a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Line of the draft, from 1; 0 for the draft as a whole.
    pub line: usize,
    /// The description of the problem.
    pub message: String,
    /// The remedy, in the imperative.
    pub remedy: String,
}

/// The number of examples in a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Examples {
    /// Examples under `## Fails`.
    pub fails: usize,
    /// Examples under `## Passes`.
    pub passes: usize,
}

/// The severity recommended by the trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeverityAdvice {
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// The reason for the recommendation.
    pub reason: String,
}

/// The result of checking a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DraftReport {
    /// The id of the rule; empty when the header cannot be parsed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The path where the page belongs.
    pub path: String,
    /// Whether the draft can be saved unchanged.
    pub valid: bool,
    /// The problems found.
    pub problems: Vec<Problem>,
    /// The number of examples in the draft.
    pub examples: Examples,
    /// The findings of the rule in the project; absent when the rule cannot run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// The severity recommended by the trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<SeverityAdvice>,
    /// The page generated from a header; absent if the draft is already a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Additional remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A draft as a page.
struct Page {
    path: String,
    text: String,
    /// The number of lines inserted before the draft.
    added: usize,
    /// Whether the page was generated from a header.
    is_generated: bool,
}

/// Validates a draft, runs its examples and runs it on the project. Problems of the draft are in
/// the report.
///
/// # Errors
/// Fails when the draft or the sentence is empty or too long, or the project cannot be checked.
pub fn try_draft(
    project: &Project,
    draft: &Draft<'_>,
    limit: &Limit,
) -> Result<DraftReport, SuggestError> {
    if draft.text.len() > MAX_DRAFT {
        return Err(SuggestError::LongDraft);
    }
    if draft.text.trim().is_empty() {
        return Err(SuggestError::EmptyDraft);
    }
    let statement =
        draft.sentence.map(|sentence| describe_sentence(project, sentence)).transpose()?;
    let mut page = to_page(project, draft.text, statement);
    let mut report = DraftReport::default();
    let rule = match page::header(&page.text) {
        Ok(_) => project_rule(&page.path, &page.text),
        Err(error) => {
            let source = Source::new("draft.md", page.text.as_str());
            let at = u32::try_from(error.span.start).unwrap_or(u32::MAX);
            let line = source.position(at, Encoding::CodePoints).line as usize + 1;
            report.problems.push(Problem {
                line: line.saturating_sub(page.added).max(1),
                message: error_message(&error),
                remedy: "correct the header and check the draft again".to_owned(),
            });
            None
        }
    };
    let Some(rule) = rule else {
        report.path = page.path;
        return Ok(report);
    };
    report.rule = rule.id.to_string();
    place_page(project, &rule, &mut page, &mut report);
    report.path.clone_from(&page.path);
    // The globs of a page are relative to the directory to which its rules apply.
    let rule = project_rule(&page.path, &page.text).unwrap_or(rule);
    let can_run = validate_check(project, &rule, &page, &mut report);
    if can_run {
        run_examples(project.distribution(), &rule, &page, &mut report)?;
        let trial = run_trial(project, &page, limit)?;
        report.advice = Some(recommend_severity(&trial));
        report.trial = Some(trial);
    }
    report.valid = report.problems.is_empty();
    report.page = page.is_generated.then_some(page.text);
    Ok(report)
}

/// Converts a draft to a page. A header without text gets the text of the rule page that contains the
/// sentence, or otherwise the sentence itself.
fn to_page(project: &Project, draft: &str, statement: Option<Statement>) -> Page {
    let text = draft.replace("\r\n", "\n");
    let (path, sentence) = match statement {
        Some(Statement { page, stated, .. }) => (page, stated.sentence),
        None => {
            (".aidd/rules/draft.md".to_owned(), "State the rule and its reason here.".to_owned())
        }
    };
    let (header, added) = if page::has_header(&text) {
        match page::split(&text) {
            Ok((head, body)) if text[body.clone()].trim().is_empty() => (text[head].to_owned(), 0),
            // The draft is a page, or a malformed header whose error is reported at its position.
            _ => return Page { path, text, added: 0, is_generated: false },
        }
    } else {
        (text, 1)
    };
    let name = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".md");
    let body = side_file(&project.disk, &path).map(|old| match page::split(&old) {
        Ok((_, body)) => old[body].to_owned(),
        Err(_) => old,
    });
    let body = body.unwrap_or_else(|| format!("# project/{name}\n\n{sentence}\n"));
    let text = format!("---\n{}\n---\n{body}", header.trim_end());
    Page { path, text, added, is_generated: true }
}

/// Sets the path of the page according to its id, and reports an id that is already in use.
fn place_page(project: &Project, rule: &Rule, page: &mut Page, report: &mut DraftReport) {
    let registry = project.registry();
    match registry.get(&rule.id).map(|known| known.path.as_deref()) {
        Some(None) => report.problems.push(Problem {
            line: line_of(&page.text, "# ", page.added),
            message: format!(
                "`{}` is a rule shipped with aidd; the page would replace it",
                rule.id
            ),
            remedy: "choose another id in the title: `# project/name`".to_owned(),
        }),
        Some(Some(known)) => {
            known.clone_into(&mut page.path);
            report.notes.push(format!("replaces {known}"));
        }
        None => {
            let name = rule.id.rsplit('/').next().unwrap_or(&rule.id);
            // The path of an existing page of prose rules is not changed.
            if project.disk.exists(&page.path) {
                return;
            }
            let directory = page.path.rsplit_once('/').map_or("", |(directory, _)| directory);
            page.path = format!("{directory}/{name}.md");
            if project.disk.exists(&page.path) {
                report.problems.push(Problem {
                    line: line_of(&page.text, "# ", page.added),
                    message: format!("{} already exists and is another page", page.path),
                    remedy: "choose another id in the title: `# project/name`".to_owned(),
                });
            }
        }
    }
}

/// Reports problems of the check; returns whether the page has a check that can run.
fn validate_check(project: &Project, rule: &Rule, page: &Page, report: &mut DraftReport) -> bool {
    let Some(check) = &rule.check else {
        check_enforcer(project, rule, page, report);
        return false;
    };
    let form = check.form().map_or("check", |form| form.key());
    let line = line_of(&page.text, &format!("{form}:"), page.added);
    let problems = forms::problems(rule);
    let is_valid = problems.is_empty();
    report.problems.extend(problems.into_iter().map(|message| Problem {
        line,
        message,
        remedy: format!("correct the value of `{form}`"),
    }));
    is_valid
}

/// Reports the problems of a page without a check: the linter rules that it names must be enabled.
fn check_enforcer(project: &Project, rule: &Rule, page: &Page, report: &mut DraftReport) {
    let key = format!("{}:", page::ENFORCED_BY);
    if rule.enforced_by.is_empty() {
        report.problems.push(Problem {
            line: 1,
            message:
                "the header has neither `check` nor `enforced-by`, so nothing enforces the page"
                    .into(),
            remedy: "add a `check` of one form, or name the linter rule that enforces it"
                .to_owned(),
        });
        return;
    }
    let Ok(engine) = project.engine(&Selection::default()) else { return };
    let listing = super::survey::listing(project, &engine);
    let settings = Settings::read(&project.disk, listing.files());
    for name in &rule.enforced_by {
        match settings.enforced_by(name) {
            Enforcement::By(path) => report.notes.push(format!("`{name}` is enabled in {path}")),
            Enforcement::Unknown(path) => {
                report
                    .notes
                    .push(format!("{path} extends other settings, which can enable `{name}`"));
            }
            Enforcement::Not { why, remedy } => {
                let line = line_of(&page.text, &key, page.added);
                report.problems.push(Problem { line, message: why, remedy });
            }
        }
    }
}

fn run_examples(
    distribution: &'static Distribution,
    rule: &Rule,
    page: &Page,
    report: &mut DraftReport,
) -> Result<(), SuggestError> {
    let remedy = "correct the example, or the `finding` block after it (`line:column text`)";
    let read = match examples::read(rule) {
        Ok((read, _)) => read,
        Err(stray) => {
            report.problems.push(example_problem(&stray.to_string(), remedy));
            return Ok(());
        }
    };
    let fails =
        read.iter().filter(|example| matches!(example.expected, Expected::Fails(_))).count();
    report.examples = Examples { fails, passes: read.len() - fails };
    if read.is_empty() {
        let note = "no examples yet: add `## Fails` and `## Passes` before you save the page";
        report.notes.push(note.to_owned());
        return Ok(());
    }
    let alone = Registry::from_pages(distribution.pages, &[(page.path.clone(), page.text.clone())]);
    let engine = Engine::new(distribution, alone, &Config::default(), &Selection::default())?;
    let failures = examples::run(&engine, rule);
    report.problems.extend(failures.iter().map(|message| example_problem(message, remedy)));
    Ok(())
}

/// Converts a message about an example, which can begin with `line 7: `, to a problem.
fn example_problem(message: &str, remedy: &str) -> Problem {
    let (line, message) = examples::split_line(message);
    Problem { line: line.unwrap_or(0), message: message.to_owned(), remedy: remedy.to_owned() }
}

fn run_trial(project: &Project, page: &Page, limit: &Limit) -> Result<Trial, SuggestError> {
    let others = project.pages.iter().filter(|(path, _)| *path != page.path).cloned();
    let pages: Vec<(String, String)> =
        others.chain([(page.path.clone(), page.text.clone())]).collect();
    let registry = Registry::new(project.distribution().pages, &pages);
    let is_draft = |rule: &&Rule| rule.path.as_deref() == Some(page.path.as_str());
    let Some(id) = registry.rules().iter().find(is_draft).map(|rule| rule.id.clone()) else {
        return Ok(Trial::default());
    };
    let only = vec![id.to_string(), SKIPPED.to_owned()];
    let selection = Selection { only, ..Selection::default() };
    let engine = Engine::new(project.distribution(), registry, &project.config, &selection)?;
    trial::run(project, &engine, &id, limit)
}

/// Maximum number of findings that are considered exceptions; with more findings, the rule does not
/// describe the code.
const MAX_EXCEPTIONS: usize = 20;

/// The severity recommended by the trial.
fn recommend_severity(trial: &Trial) -> SeverityAdvice {
    let (severity, reason) = match (trial.findings, trial.evaluated) {
        (0, 0) => (
            Severity::Warning,
            "the project has nothing that the rule checks: verify `files` and its paths",
        ),
        (0, _) => (Severity::Error, "the project already follows the rule"),
        (1..=MAX_EXCEPTIONS, _) => {
            (Severity::Warning, "few places break the rule: fix them, or run `aidd baseline write`")
        }
        _ => (Severity::Info, "many places break the rule: it does not describe this code yet"),
    };
    SeverityAdvice { severity: severity.to_string(), reason: reason.to_owned() }
}

/// The line of the draft that begins with `key`, from 1; otherwise its first line.
fn line_of(text: &str, key: &str, added: usize) -> usize {
    let at = text.lines().position(|line| line.trim_start().starts_with(key));
    let at = at.or_else(|| text.lines().position(|line| line.contains(key)));
    at.map_or(1, |at| (at + 1).saturating_sub(added).max(1))
}
