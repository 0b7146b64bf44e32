//! Runs of directives, one step at a time.
//!
//! [`advance`] does the steps of the server until the agent has to act. Records are collected in the
//! run and written when the last step is done, so a run that fails or is abandoned records nothing.
//! The caller saves the run after each call. While the records are written, the state is
//! [`State::Committing`]; each record has an id that follows from the run, so that writing them again
//! after a crash has no further effect.

use super::page::{Action, Condition, Directive, Directives, MAX_CALL_DEPTH, RecordKind, Step};
use aidd_engine::text::paths::rule_globs;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use thiserror::Error;

/// Maximum number of steps that the server does in a row.
const MAX_STEPS: usize = 1_000;

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Steps remain.
    Running,
    /// All steps are done; the records are being written.
    Committing,
    /// The records are written.
    Done,
    /// A step failed, or the run was cancelled. Nothing was recorded.
    Failed,
}

/// A directive of a run, and its current step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The name of the directive.
    pub directive: String,
    /// The index of the current step.
    pub step: usize,
}

/// A record that is written at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What is written.
    pub kind: RecordKind,
    /// The text, with its placeholders replaced.
    pub text: String,
}

/// A finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The id of the rule.
    pub rule: String,
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What the rule reports.
    pub message: String,
}

/// What a run concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// The files and directories that are checked; if empty, the changed files.
    pub paths: Vec<String>,
    /// The id or title of the entry of the work list.
    pub task: Option<String>,
}

/// A run of a directive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `run_<milliseconds>_<hash>`.
    pub id: String,
    /// The directive that was started.
    #[serde(default)]
    pub directive: String,
    /// How far the run is.
    pub state: State,
    /// The directives that are being run, the outermost first.
    pub stack: Vec<Frame>,
    /// What the run concerns.
    pub subject: Subject,
    /// Whether the directive was selected with a score below its threshold.
    pub is_unsure: bool,
    /// The findings of the checks so far.
    pub found: Vec<Found>,
    /// The last answer of the user.
    pub answer: Option<String>,
    /// What will be recorded.
    pub records: Vec<Record>,
    /// What was done, one line per step.
    pub log: Vec<String>,
    /// The action that the agent has to do.
    pub pending: Option<Pending>,
}

/// An action of the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action")]
pub enum Pending {
    /// Call a tool.
    Tool {
        /// The name of the tool.
        name: String,
        /// The arguments.
        with: Map<String, Value>,
    },
    /// Ask the user.
    Ask {
        /// The question to the user.
        question: String,
    },
    /// Follow an instruction.
    Advise {
        /// The instruction.
        text: String,
    },
}

/// Why a run cannot go on.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RunError {
    /// No directive has this name.
    #[error("unknown directive `{0}`")]
    Unknown(String),
    /// A directive calls itself, or the calls are nested too deeply.
    #[error("`{0}` calls itself, or its calls are nested more than {MAX_CALL_DEPTH} levels deep")]
    Depth(String),
    /// The run has ended.
    #[error("the run has ended; start a new one")]
    Ended,
    /// The agent has to do its step first.
    #[error("no step waits for a result")]
    NothingPending,
    /// A step of the server failed.
    #[error("step {step} of `{directive}` failed: {why}; nothing was recorded")]
    Step {
        /// The directive whose step failed.
        directive: String,
        /// The number of the step, from 1.
        step: usize,
        /// The error.
        why: String,
    },
    /// The records cannot be written.
    #[error("the records cannot be written: {0}; call `next` again to retry")]
    Commit(String),
}

/// What a run reads and writes.
pub trait World {
    /// Whether the project has a project record or a work list.
    fn is_initialized(&mut self) -> bool;
    /// Whether a path of the project exists.
    fn exists(&mut self, path: &str) -> bool;
    /// Whether the work list has an entry with this status.
    fn has_task(&mut self, status: &str) -> bool;
    /// Whether all completion criteria are met, counted from the work list, the code index and the
    /// coverage report.
    fn is_complete(&mut self) -> bool;
    /// Checks files with the rules that match the globs.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn check(&mut self, rules: &[String], subject: &Subject) -> Result<Vec<Found>, String>;
    /// Brings the code index up to date; returns what it did.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn index(&mut self) -> Result<String, String>;
    /// Saves the run.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn save(&mut self, run: &Run) -> Result<(), String>;
    /// Writes a record. The id is unique; a record that was written already is not written again.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn record(&mut self, id: &str, record: &Record, subject: &Subject) -> Result<(), String>;
}

impl Run {
    /// A run of `directive` that has not begun.
    #[must_use]
    pub fn new(id: String, directive: &Directive, subject: Subject, score: Option<f64>) -> Self {
        Self {
            id,
            directive: directive.name.clone(),
            state: State::Running,
            stack: vec![Frame { directive: directive.name.clone(), step: 0 }],
            subject,
            is_unsure: score.is_some_and(|score| score < directive.threshold),
            found: Vec::new(),
            answer: None,
            records: Vec::new(),
            log: Vec::new(),
            pending: None,
        }
    }

    /// Completes the pending step of the agent, with the answer of the user or a result.
    ///
    /// # Errors
    /// When no step is pending.
    pub fn complete(&mut self, answer: Option<String>) -> Result<(), RunError> {
        let pending = self.pending.take().ok_or(RunError::NothingPending)?;
        let line = match &pending {
            Pending::Tool { name, .. } => format!("called {name}"),
            Pending::Ask { question } => format!("question: {question}"),
            Pending::Advise { text } => format!("done: {text}"),
        };
        self.log.push(line);
        if matches!(pending, Pending::Ask { .. }) || answer.is_some() {
            self.answer = answer;
        }
        Ok(())
    }

    /// Ends the run; nothing is recorded.
    pub fn cancel(&mut self, why: &str) {
        self.state = State::Failed;
        self.pending = None;
        self.log.push(why.to_owned());
    }
}

/// Does the steps of the server until the agent has to act or the run ends. With a failed result of
/// the agent, `failure`, the `on_error` action of the pending step is done instead of the next step.
///
/// # Errors
/// When a step fails; the run has then ended, and nothing is recorded. When the records cannot be
/// written; the call can then be repeated.
pub fn advance(
    directives: &Directives,
    run: &mut Run,
    world: &mut dyn World,
    failure: Option<&str>,
) -> Result<(), RunError> {
    match run.state {
        State::Running => {}
        State::Committing => return commit(run, world),
        State::Done | State::Failed => return Err(RunError::Ended),
    }
    if let Some(why) = failure {
        run.pending = None;
        // The step counter is already past the pending step.
        let failed = run.stack.last().and_then(|frame| {
            let directive = directives.get(&frame.directive)?;
            directive.steps.get(frame.step.checked_sub(1)?)
        });
        let recovery = failed.and_then(|step| step.on_error.clone());
        recover(directives, run, world, recovery, why.to_owned())?;
    }
    for _ in 0..MAX_STEPS {
        if run.pending.is_some() {
            return save(run, world);
        }
        let Some(frame) = run.stack.last_mut() else {
            run.state = State::Committing;
            return commit(run, world);
        };
        let Some(directive) = directives.get(&frame.directive).cloned() else {
            let name = frame.directive.clone();
            run.cancel("the directive no longer exists");
            let _ = save(run, world);
            return Err(RunError::Unknown(name));
        };
        let Some(step) = directive.steps.get(frame.step) else {
            run.stack.pop();
            continue;
        };
        frame.step += 1;
        let action = choose(step, run, world);
        if let Some(action) = action
            && let Err(why) = execute(directives, run, world, &action)
        {
            recover(directives, run, world, step.on_error.clone(), why)?;
        }
        save(run, world)?;
    }
    run.cancel("too many steps");
    save(run, world)?;
    Err(RunError::Depth(run.stack.first().map(|frame| frame.directive.clone()).unwrap_or_default()))
}

/// Does the recovery of a failed step, or ends the run.
fn recover(
    directives: &Directives,
    run: &mut Run,
    world: &mut dyn World,
    recovery: Option<Action>,
    why: String,
) -> Result<(), RunError> {
    let result = match recovery {
        Some(action) => {
            run.log.push(format!("failed: {why}"));
            execute(directives, run, world, &action)
        }
        None => Err(why),
    };
    let Err(why) = result else { return Ok(()) };
    let frame = run.stack.last().cloned();
    run.cancel(&format!("failed: {why}"));
    let _ = save(run, world);
    let (directive, step) = frame.map(|frame| (frame.directive, frame.step)).unwrap_or_default();
    Err(RunError::Step { directive, step, why })
}

fn save(run: &Run, world: &mut dyn World) -> Result<(), RunError> {
    world.save(run).map_err(RunError::Commit)
}

fn commit(run: &mut Run, world: &mut dyn World) -> Result<(), RunError> {
    save(run, world)?;
    for (number, record) in run.records.iter().enumerate() {
        let id = format!("{}_{number}", run.id);
        world.record(&id, record, &run.subject).map_err(RunError::Commit)?;
    }
    run.state = State::Done;
    save(run, world)
}

/// The action of a step whose condition holds.
fn choose(step: &Step, run: &Run, world: &mut dyn World) -> Option<Action> {
    let chosen = step.first.iter().find(|(condition, _)| holds(condition, run, world));
    chosen.map(|(_, action)| action).or(step.otherwise.as_ref()).cloned()
}

fn holds(condition: &Condition, run: &Run, world: &mut dyn World) -> bool {
    let has = |globs: &[String]| run.found.iter().any(|found| matches(globs, &found.rule));
    match condition {
        Condition::Always => true,
        Condition::Initialized => world.is_initialized(),
        Condition::Uninitialized => !world.is_initialized(),
        Condition::Unsure => run.is_unsure,
        Condition::Findings(globs) => has(globs),
        Condition::NoFindings(globs) => !has(globs),
        Condition::Exists(path) => world.exists(path),
        Condition::Missing(path) => !world.exists(path),
        Condition::Task(status) => world.has_task(status),
        Condition::Complete => world.is_complete(),
        Condition::Incomplete => !world.is_complete(),
        Condition::Answer(expected) => {
            run.answer.as_deref().and_then(read_answer) == Some(*expected)
        }
    }
}

/// Whether one of the globs matches the id of a rule.
fn matches(globs: &[String], rule: &str) -> bool {
    rule_globs(globs).is_ok_and(|globs| globs.is_match(rule))
}

/// Whether an answer is a yes or a no, possibly followed by a comma or a full stop and more text.
fn read_answer(answer: &str) -> Option<bool> {
    let word = answer.split([',', '.', ';', '!', '\n']).next()?.trim();
    match &*word.to_lowercase() {
        "yes" | "y" | "true" | "ok" | "okay" | "sure" => Some(true),
        "no" | "n" | "false" | "never" => Some(false),
        _ => None,
    }
}

fn execute(
    directives: &Directives,
    run: &mut Run,
    world: &mut dyn World,
    action: &Action,
) -> Result<(), String> {
    match action {
        Action::Check(rules) => {
            let found = world.check(rules, &run.subject)?;
            run.log.push(format!("checked {}: {} findings", rules.join(", "), found.len()));
            // A later check of the same rules replaces the findings.
            run.found.retain(|known| !matches(rules, &known.rule));
            run.found.extend(found);
        }
        Action::Index => run.log.push(world.index()?),
        Action::Record { kind, text } => {
            let text = filled(text, run);
            run.log.push(format!("will record: {text}"));
            run.records.push(Record { kind: *kind, text });
        }
        Action::Call(name) => {
            let directive: &Arc<Directive> =
                directives.get(name).ok_or_else(|| RunError::Unknown(name.clone()).to_string())?;
            let is_running = run.stack.iter().any(|frame| frame.directive == directive.name);
            if is_running || run.stack.len() >= MAX_CALL_DEPTH {
                return Err(RunError::Depth(name.clone()).to_string());
            }
            run.log.push(format!("runs {}", directive.name));
            run.stack.push(Frame { directive: directive.name.clone(), step: 0 });
        }
        Action::Tool { name, with } => {
            run.pending = Some(Pending::Tool { name: name.clone(), with: with.clone() });
        }
        Action::Ask(question) => {
            run.pending = Some(Pending::Ask { question: filled(question, run) });
        }
        Action::Advise(text) => run.pending = Some(Pending::Advise { text: filled(text, run) }),
    }
    Ok(())
}

/// Replaces the placeholders of a text.
fn filled(text: &str, run: &Run) -> String {
    let mut filled = text.to_owned();
    for (name, value) in [
        ("{task}", run.subject.task.clone()),
        ("{path}", run.subject.paths.first().cloned()),
        ("{answer}", run.answer.clone()),
    ] {
        if filled.contains(name) {
            filled = filled.replace(name, &value.unwrap_or_default());
        }
    }
    filled
}
