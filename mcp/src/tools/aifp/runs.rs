//! The tool that runs directives.

use super::{criteria, purity};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Choice, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::check::Selection;
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::rule_globs;
use aidd_guidance::directives::page::RecordKind;
use aidd_guidance::directives::run::{
    Found, Pending, Record, Run, RunError, State, Subject, World, advance,
};
use aidd_guidance::directives::search::{Certainty, Filter, search};
use aidd_guidance::project_page;
use aidd_memory::MemoryError;
use aidd_memory::kinds::{Convention, Decision, Mistake};
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::ProjectMemory;
use aidd_memory::types::Kind;
use aidd_memory::work_list::{DIRECTIVE_RUN, WorkChange, WorkStatus};
use aidd_report::run::wire::Status;
use aidd_report::run::{self, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Maximum number of findings that a run keeps.
const MAX_FOUND: usize = 50;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_directive",
            "Run directive",
            "Runs a directive one step at a time. Use for the directive that search_directives \
             returns. `next` with `name` or `request` starts a run and \
             returns the step to do; `done` reports the step and returns the next. Checks, records \
             and the index are done by the server.",
            directive,
        )
        .non_destructive()
        .with_choice(Choice {
            argument: "action",
            default: "next",
            allowed: &[
                (&["next"], &["name", "request", "paths", "task", "code", "language"]),
                (&["next", "done", "cancel"], &["run"]),
                (&["done"], &["answer", "error"]),
                (&["list"], &[]),
            ],
        })
        .in_profiles(&[Profile::Aifp]),
    ]
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// Start a run, or repeat its current step
    #[default]
    Next,
    /// Report the current step
    Done,
    /// End a run; nothing is recorded
    Cancel,
    /// List runs
    List,
}

#[derive(Deserialize, JsonSchema)]
struct DirectiveParams {
    #[serde(default)]
    action: Action,
    /// Name of a directive, to start a run
    name: Option<String>,
    /// Words of the user, instead of `name`
    request: Option<String>,
    /// Files and directories to check; default: the changed files
    #[serde(default)]
    paths: Vec<String>,
    /// Id or title of an entry of the work list
    task: Option<String>,
    /// Functions whose purity is answered at once, with the name fp_purity
    code: Option<String>,
    /// Language of the code; default: guessed
    language: Option<String>,
    /// Id of a run; default: the last one that has not ended
    run: Option<String>,
    /// Answer of the user, or result of the step
    answer: Option<String>,
    /// Why the step failed
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Step {
    /// Id of the run.
    pub(super) run: String,
    pub(super) directive: String,
    pub(super) state: String,
    /// The step to do: `action` is `tool`, `ask` or `advise`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<Row>,
    /// Findings of the checks of this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) findings: Vec<Row>,
    /// What was done so far.
    pub(super) log: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) runs: Vec<Row>,
}

fn directive(context: &Context, params: DirectiveParams) -> Result<Answer<Step>, ToolError> {
    match params.action {
        Action::List => list(context),
        Action::Cancel => {
            let mut run = saved(context, params.run.as_deref())?;
            run.cancel("cancelled");
            save(context, &run)?;
            Ok(answer(&run))
        }
        Action::Done => {
            let mut run = saved(context, params.run.as_deref())?;
            if params.error.is_none() {
                run.complete(params.answer).map_err(to_tool_error)?;
            }
            proceed(context, run, params.error.as_deref())
        }
        Action::Next if params.code.is_some() => {
            let code = params.code.as_deref().unwrap_or_default();
            let directives = super::directives(context)?;
            let name = params.name.as_deref().unwrap_or_default();
            if directives.get(name).is_none_or(|found| found.name != purity::DIRECTIVE) {
                return Err(ToolError::new("only the directive fp_purity takes `code`")
                    .remedy("pass the name fp_purity, or omit `code`"));
            }
            purity::answer(context, code, params.language.as_deref())
        }
        Action::Next => match (&params.name, &params.request) {
            (None, None) => {
                let run = saved(context, params.run.as_deref())?;
                match run.pending {
                    Some(_) => Ok(answer(&run)),
                    None => proceed(context, run, None),
                }
            }
            (name, request) => {
                let run = start(context, name.as_deref(), request.as_deref(), &params)?;
                proceed(context, run, None)
            }
        },
    }
}

fn start(
    context: &Context,
    name: Option<&str>,
    request: Option<&str>,
    params: &DirectiveParams,
) -> Result<Run, ToolError> {
    let directives = super::directives(context)?;
    let (directive, score) = match (name, request) {
        (Some(name), _) => {
            let directive = directives.get(name).ok_or_else(|| {
                let near = directives.nearest(name);
                let hint = near.map(|near| format!("did you mean {near}?")).unwrap_or_default();
                to_tool_error(RunError::Unknown(name.to_owned())).remedy(hint)
            })?;
            (directive.clone(), None)
        }
        (None, request) => {
            let found = search(&directives, request.unwrap_or_default(), Filter::default());
            let near: Vec<&str> =
                found.iter().take(3).map(|found| found.directive.name.as_str()).collect();
            let near = near.join(", ");
            match found.first() {
                Some(best) if Certainty::of(best.score) != Certainty::None => {
                    (best.directive.clone(), Some(best.score))
                }
                _ => {
                    return Err(ToolError::new("no directive fits the request")
                        .remedy(format!("nearest: {near}; pass `name`")));
                }
            }
        }
    };
    let paths = params.paths.iter().map(|path| context.to_relative(path));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let subject = Subject { paths, task: params.task.clone() };
    let at = context.now();
    let digest = aidd_memory::id::digest(&[&directive.name, &at.to_string()]);
    let id = format!("run_{at}_{}", &digest[..6]);
    Ok(Run::new(id, &directive, subject, score))
}

/// Does the steps of the server.
fn proceed(
    context: &Context,
    mut run: Run,
    failure: Option<&str>,
) -> Result<Answer<Step>, ToolError> {
    let directives = super::directives(context)?;
    let mut world = ServerWorld { context };
    advance(&directives, &mut run, &mut world, failure).map_err(to_tool_error)?;
    Ok(answer(&run))
}

#[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
fn to_tool_error(error: RunError) -> ToolError {
    let remedy = match &error {
        RunError::Ended => "start a run with `name` or `request`",
        RunError::NothingPending => "call with the action `next`",
        RunError::Unknown(_) => "list the names with get_all_directives",
        RunError::Depth(_) => "correct the pages of the project in ai/directives",
        RunError::Step { .. } => "correct the cause, then start the directive again",
        RunError::Commit(_) => "",
    };
    ToolError::new(error.to_string()).remedy(remedy)
}

/// The run with this id, or the last run that has not ended.
fn saved(context: &Context, id: Option<&str>) -> Result<Run, ToolError> {
    let runs = context.memory(|memory| memory.runs())?;
    let read = |value: &Value| serde_json::from_value::<Run>(value.clone()).ok();
    let run = match id {
        Some(id) => runs.get(id).and_then(read),
        None => runs
            .values()
            .rev()
            .filter_map(read)
            .find(|run| matches!(run.state, State::Running | State::Committing)),
    };
    run.ok_or_else(|| {
        ToolError::new(match id {
            Some(id) => format!("unknown run `{id}`"),
            None => "no run is in progress".to_owned(),
        })
        .remedy("start a run with `name` or `request`")
    })
}

fn save(context: &Context, run: &Run) -> Result<(), ToolError> {
    context.memory(|memory| save_run(memory, run))
}

fn save_run(memory: &mut ProjectMemory, run: &Run) -> Result<(), MemoryError> {
    memory.save_run(&run.id, &serde_json::to_value(run)?)
}

fn state(run: &Run) -> String {
    serde_json::to_value(run.state)
        .ok()
        .and_then(|state| state.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn list(context: &Context) -> Result<Answer<Step>, ToolError> {
    let runs = context.memory(|memory| memory.runs())?;
    let runs =
        runs.values().rev().filter_map(|run| serde_json::from_value::<Run>(run.clone()).ok());
    let mut text = String::new();
    let mut rows = Vec::new();
    for run in runs {
        text +=
            &format!("{} {} {}\n", run.id, state(&run), run.log.last().map_or("", String::as_str));
        rows.push(Row::from_value(
            json!({ "run": run.id, "directive": run.directive, "state": state(&run) }),
        ));
    }
    if rows.is_empty() {
        text.push_str("no runs\n");
    }
    let step = Step {
        run: String::new(),
        directive: String::new(),
        state: String::new(),
        step: None,
        findings: Vec::new(),
        log: Vec::new(),
        runs: rows,
    };
    Ok(Answer::new(step, text))
}

fn answer(run: &Run) -> Answer<Step> {
    let mut text = match &run.pending {
        Some(Pending::Tool { name, with }) if with.is_empty() => format!("Call {name}."),
        Some(Pending::Tool { name, with }) => {
            format!("Call {name} with {}.", Value::Object(with.clone()))
        }
        Some(Pending::Ask { question }) => format!("Ask the user: {question}"),
        Some(Pending::Advise { text }) => text.clone(),
        None if run.state == State::Done => match run.records.len() {
            0 => "The directive is done.".to_owned(),
            1 => "The directive is done; one record was written.".to_owned(),
            count => format!("The directive is done; {count} records were written."),
        },
        None => "The run has ended; nothing was recorded.".to_owned(),
    };
    for found in run.found.iter().take(10) {
        text += &format!("\n{}:{}: {} [{}]", found.path, found.line, found.message, found.rule);
    }
    if run.pending.is_some() {
        text += &format!("\nThen call aidd_directive {{action: done, run: {}}}.", run.id);
    }
    let to_row = |value: Value| Row::from_value(value);
    let step = Step {
        run: run.id.clone(),
        directive: run.directive.clone(),
        state: state(run),
        step: run.pending.as_ref().and_then(|step| serde_json::to_value(step).ok()).map(to_row),
        findings: run.found.iter().map(|found| to_row(json!(found))).collect(),
        log: run.log.clone(),
        runs: Vec::new(),
    };
    Answer::new(step, text)
}

/// The project of the server.
struct ServerWorld<'c> {
    context: &'c Context,
}

/// The message of an error, for a run.
fn message<T>(result: Result<T, ToolError>) -> Result<T, String> {
    result.map_err(|error| error.to_string().replace("\nhint: ", "; "))
}

impl World for ServerWorld<'_> {
    fn is_initialized(&mut self) -> bool {
        let has_work =
            || self.context.memory(|memory| memory.work()).is_ok_and(|work| !work.is_empty());
        self.exists(project_page::PATH) || has_work()
    }

    fn exists(&mut self, path: &str) -> bool {
        let Ok(project) = self.context.project() else { return false };
        let Ok(path) = self.context.to_relative(path) else { return false };
        project.disk.exists(&path) || !project.disk.names(&path).is_empty()
    }

    fn has_task(&mut self, status: &str) -> bool {
        let work = self.context.memory(|memory| memory.work());
        work.is_ok_and(|work| work.entries().any(|entry| work.status(entry).word() == status))
    }

    fn is_complete(&mut self) -> bool {
        criteria::count(self.context).is_ok_and(|criteria| criteria::is_complete(&criteria))
    }

    fn check(&mut self, rules: &[String], subject: &Subject) -> Result<Vec<Found>, String> {
        let project = message(self.context.project().map_err(Into::into))?;
        // A rule that is selected by its id runs even if it is disabled; a glob does not select
        // disabled rules.
        let globs = rule_globs(rules).map_err(|error| error.to_string())?;
        let registry = project.registry();
        let selected = registry.rules().iter().filter(|rule| globs.is_match(&*rule.id));
        let only: Vec<String> = selected.map(|rule| rule.id.to_string()).collect();
        if only.is_empty() {
            return Err(format!("no rule matches {}", rules.join(", ")));
        }
        let selection = Selection { only, ..Selection::default() };
        let target = match &subject.paths[..] {
            [] => Target::Changes { base: None, below: &[] },
            paths => Target::Files(paths),
        };
        let document = run::check_until(&project, &selection, &target, self.context.stop());
        let document = document.map_err(|error| error.to_string())?;
        let findings = document.findings.iter().filter(|finding| finding.status == Status::New);
        let found = findings.take(MAX_FOUND).map(|finding| Found {
            rule: finding.rule.to_string(),
            path: finding.path.clone(),
            line: u32::try_from(finding.start.line).unwrap_or(u32::MAX),
            message: finding.message.clone(),
        });
        Ok(found.collect())
    }

    fn index(&mut self) -> Result<String, String> {
        let project = message(self.context.project().map_err(Into::into))?;
        let (_, update) = self.context.index(&project).map_err(|error| error.to_string())?;
        Ok(format!("index: {} files, {} changed", update.files, update.changed))
    }

    fn save(&mut self, run: &Run) -> Result<(), String> {
        message(save(self.context, run))
    }

    fn record(&mut self, id: &str, record: &Record, subject: &Subject) -> Result<(), String> {
        message(self.context.memory(|memory| write(memory, id, record, subject)))
    }
}

/// Writes a record, unless it was written before.
fn write(
    memory: &mut ProjectMemory,
    id: &str,
    record: &Record,
    subject: &Subject,
) -> Result<(), MemoryError> {
    let kind = match record.kind {
        RecordKind::Note => Kind::Insight,
        RecordKind::Decision => Kind::Decision,
        RecordKind::Convention => Kind::Convention,
        RecordKind::Mistake => Kind::Mistake,
        RecordKind::Preference => Kind::Preference,
        RecordKind::TaskDone | RecordKind::TaskStarted => {
            let is_done = record.kind == RecordKind::TaskDone;
            let status = if is_done { WorkStatus::Done } else { WorkStatus::Started };
            // Setting the same status again has no effect.
            let Some(task) = &subject.task else { return Ok(()) };
            let change = WorkChange { status: Some(status), ..WorkChange::default() };
            return memory.change_work(task, &change).map(|_| ());
        }
    };
    if memory.has_directive_record(kind, id)? {
        return Ok(());
    }
    let mut extra = Map::new();
    extra.insert(DIRECTIVE_RUN.to_owned(), Value::from(id));
    let content = record.text.clone();
    match kind {
        Kind::Decision => {
            let body = Decision { extra, ..Decision::default() };
            memory.save_decision(&NewMemory { content, body, ..NewMemory::default() })?;
        }
        Kind::Convention => {
            let body = Convention { extra, ..Convention::default() };
            memory.save_convention(&NewMemory { content, body, ..NewMemory::default() })?;
        }
        Kind::Mistake => {
            let body = Mistake { extra, ..Mistake::default() };
            memory.save_mistake(&NewMemory { content, body, ..NewMemory::default() })?;
        }
        _ => _ = memory.save_local(kind, &content, extra)?,
    }
    Ok(())
}
