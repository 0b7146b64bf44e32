//! The pages of directives.

pub use super::kind::DirectiveType;
use crate::library::{Library, Origin, Page};
use crate::page_kind::PageKind;
use aidd_engine::text::nearest::nearest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The threshold of a directive that does not state one.
pub const DEFAULT_THRESHOLD: f64 = 0.7;
/// Number of words of the summary that replace a missing `short`.
const SHORT_WORDS: usize = 6;
/// Maximum depth of nested calls of directives.
pub const MAX_CALL_DEPTH: usize = 5;

/// What goes wrong, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roadblock {
    /// What goes wrong.
    pub issue: String,
    /// The way out.
    pub resolution: String,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The server checks files with these rules (globs of rule ids).
    Check(Vec<String>),
    /// The server writes a record.
    Record {
        /// The kind of record.
        kind: RecordKind,
        /// The text, with the placeholders `{task}`, `{path}` and `{answer}`.
        text: String,
    },
    /// The server brings the code index up to date.
    Index,
    /// The agent calls a tool.
    Tool {
        /// The name of the tool.
        name: String,
        /// The arguments.
        with: Map<String, Value>,
    },
    /// Another directive is run, then this one continues.
    Call(String),
    /// The agent asks the user; the answer is given to the next steps.
    Ask(String),
    /// The agent follows the instruction.
    Advise(String),
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// An insight in the memory.
    Note,
    /// A decision in the permanent memory.
    Decision,
    /// A convention in the permanent memory.
    Convention,
    /// A mistake in the permanent memory.
    Mistake,
    /// A preference of the user. A step asks the user before.
    Preference,
    /// The task of the run is done.
    TaskDone,
    /// The task of the run is started.
    TaskStarted,
}

/// When a step is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Holds in every run.
    Always,
    /// The project has a project record or a work list.
    Initialized,
    /// The opposite of [`Self::Initialized`].
    Uninitialized,
    /// The directive was selected with a score below its threshold.
    Unsure,
    /// All completion criteria of the project are met.
    Complete,
    /// The opposite of [`Self::Complete`].
    Incomplete,
    /// A check of this run found violations of one of these rules.
    Findings(Vec<String>),
    /// No check of this run found a violation of these rules.
    NoFindings(Vec<String>),
    /// The file or directory exists.
    Exists(String),
    /// The file or directory does not exist.
    Missing(String),
    /// The work list has an entry with this status.
    Task(String),
    /// The last answer of the user was yes (`true`) or no.
    Answer(bool),
}

/// A part of a directive that is done as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The first entry whose condition holds is done.
    pub first: Vec<(Condition, Action)>,
    /// Done if no condition holds.
    pub otherwise: Option<Action>,
    /// Done if the step fails. Without it, the run ends, and nothing is recorded.
    pub on_error: Option<Action>,
}

/// A procedure for agents.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The name of the page.
    pub name: String,
    /// The type.
    pub kind: DirectiveType,
    /// The category, such as `purity`.
    pub category: String,
    /// The level from 0 (gateway) to 4, for directives that are run by others.
    pub level: Option<u8>,
    /// The directive that usually runs this one.
    pub parent: Option<String>,
    /// The minimum score from 0 to 1 at which the directive is run without a question.
    pub threshold: f64,
    /// Other names.
    pub aliases: Vec<String>,
    /// Words and phrases of requests for which the directive is meant.
    pub keywords: Vec<String>,
    /// Related directives.
    pub related: Vec<String>,
    /// The rules that check what the directive asks for.
    pub rules: Vec<String>,
    /// Known problems.
    pub roadblocks: Vec<Roadblock>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The header of the page, for answers.
    pub header: Map<String, Value>,
    /// The path of the page.
    pub path: String,
    /// Whether the page belongs to the project.
    pub is_own: bool,
    /// The summary of the page.
    pub summary: String,
    /// The purpose in a few words, for lists.
    pub short: String,
    /// The Markdown below the header.
    pub body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default)]
    name: Option<String>,
    #[serde(rename = "type")]
    kind: DirectiveType,
    #[serde(default)]
    category: String,
    #[serde(default)]
    level: Option<u8>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    related: Vec<String>,
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default)]
    roadblocks: Vec<Roadblock>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    short: Option<String>,
    steps: Vec<StepFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFields {
    #[serde(default)]
    when: Option<WhenFields>,
    #[serde(default, rename = "do")]
    action: Option<ActionFields>,
    #[serde(default)]
    first: Vec<BranchFields>,
    #[serde(default, rename = "else")]
    otherwise: Option<ActionFields>,
    #[serde(default)]
    on_error: Option<ActionFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchFields {
    #[serde(default)]
    when: Option<WhenFields>,
    #[serde(rename = "do")]
    action: ActionFields,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WhenFields {
    Word(String),
    Map(Map<String, Value>),
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ActionFields {
    check: Option<Vec<String>>,
    record: Option<RecordKind>,
    text: Option<String>,
    index: Option<bool>,
    tool: Option<String>,
    with: Option<Map<String, Value>>,
    call: Option<String>,
    ask: Option<String>,
    advise: Option<String>,
}

impl TryFrom<ActionFields> for Action {
    type Error = String;

    fn try_from(fields: ActionFields) -> Result<Self, String> {
        let ActionFields { check, record, text, index, tool, with, call, ask, advise } = fields;
        let is_record = record.is_some();
        let actions = [
            check.map(Self::Check),
            record.map(|kind| Self::Record { kind, text: text.clone().unwrap_or_default() }),
            index.filter(|index| *index).map(|_| Self::Index),
            tool.clone().map(|name| Self::Tool { name, with: with.clone().unwrap_or_default() }),
            call.map(Self::Call),
            ask.map(Self::Ask),
            advise.map(Self::Advise),
        ];
        let mut actions = actions.into_iter().flatten();
        match (actions.next(), actions.next()) {
            (Some(_), _) if text.is_some() && !is_record => {
                Err("`text` belongs to `record`".to_owned())
            }
            (Some(_), _) if with.is_some() && tool.is_none() => {
                Err("`with` belongs to `tool`".to_owned())
            }
            (Some(action), None) => Ok(action),
            _ => {
                Err("an action is one of check, record, index, tool, call, ask, advise".to_owned())
            }
        }
    }
}

impl TryFrom<Option<WhenFields>> for Condition {
    type Error = String;

    fn try_from(fields: Option<WhenFields>) -> Result<Self, String> {
        let map = match fields {
            None => return Ok(Self::Always),
            Some(WhenFields::Word(word)) => {
                return match &*word {
                    "always" => Ok(Self::Always),
                    "initialized" => Ok(Self::Initialized),
                    "uninitialized" => Ok(Self::Uninitialized),
                    "unsure" => Ok(Self::Unsure),
                    "complete" => Ok(Self::Complete),
                    "incomplete" => Ok(Self::Incomplete),
                    _ => Err(format!(
                        "unknown condition `{word}`; expected always, initialized, uninitialized, complete, incomplete or unsure"
                    )),
                };
            }
            Some(WhenFields::Map(map)) => map,
        };
        let mut entries = map.into_iter();
        let (Some((key, value)), None) = (entries.next(), entries.next()) else {
            return Err("a condition has one key".to_owned());
        };
        let text = || value.as_str().map(str::to_owned).ok_or(format!("`{key}` must be a string"));
        let globs = || match &value {
            Value::String(glob) => Ok(vec![glob.clone()]),
            other => serde_json::from_value(other.clone())
                .map_err(|_| format!("`{key}` must be a list of rules")),
        };
        Ok(match &*key {
            "findings" => Self::Findings(globs()?),
            "no_findings" => Self::NoFindings(globs()?),
            "exists" => Self::Exists(text()?),
            "missing" => Self::Missing(text()?),
            "task" => Self::Task(text()?),
            "answer" => Self::Answer(match &value {
                Value::Bool(answer) => *answer,
                Value::String(word) if word == "yes" => true,
                Value::String(word) if word == "no" => false,
                _ => return Err("`answer` must be yes or no".to_owned()),
            }),
            _ => {
                return Err(format!(
                    "unknown condition `{key}`; expected findings, no_findings, exists, missing, task or answer"
                ));
            }
        })
    }
}

impl TryFrom<StepFields> for Step {
    type Error = String;

    fn try_from(fields: StepFields) -> Result<Self, String> {
        let action = |fields: Option<ActionFields>| fields.map(Action::try_from).transpose();
        let mut first = Vec::new();
        match fields.action {
            Some(own) if fields.first.is_empty() => {
                first.push((Condition::try_from(fields.when)?, own.try_into()?));
            }
            None if fields.when.is_none() && !fields.first.is_empty() => {
                for branch in fields.first {
                    first.push((Condition::try_from(branch.when)?, branch.action.try_into()?));
                }
            }
            _ => {
                return Err(
                    "a step has either `do`, with an optional `when`, or `first`".to_owned()
                );
            }
        }
        Ok(Self { first, otherwise: action(fields.otherwise)?, on_error: action(fields.on_error)? })
    }
}

impl Step {
    /// All actions of the step.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        let first = self.first.iter().map(|(_, action)| action);
        first.chain(&self.otherwise).chain(&self.on_error)
    }
}

impl Directive {
    fn from_page(page: &Page) -> Result<Self, String> {
        let header: Map<String, Value> = (*page.header).clone();
        let fields: Fields = serde_json::from_value(Value::Object(header.clone()))
            .map_err(|error| error.to_string())?;
        let mut steps = Vec::new();
        for (number, step) in fields.steps.into_iter().enumerate() {
            let step = Step::try_from(step);
            steps.push(step.map_err(|error| format!("step {}: {error}", number + 1))?);
        }
        let threshold = fields.threshold.unwrap_or(DEFAULT_THRESHOLD);
        if !(0.0..=1.0).contains(&threshold) {
            return Err("`threshold` must be a number from 0 to 1".to_owned());
        }
        if fields.name.is_some_and(|name| name != page.name) {
            return Err("`name` must be the name of the file".to_owned());
        }
        let summary = fields.summary.unwrap_or_else(|| page.summary.clone());
        let first = || summary.split_whitespace().take(SHORT_WORDS).collect::<Vec<_>>().join(" ");
        Ok(Self {
            short: fields.short.unwrap_or_else(first),
            name: page.name.clone(),
            kind: fields.kind,
            category: fields.category,
            level: fields.level,
            parent: fields.parent,
            threshold,
            aliases: fields.aliases,
            keywords: fields.keywords,
            related: fields.related,
            rules: fields.rules,
            roadblocks: fields.roadblocks,
            steps,
            header,
            path: page.path.clone(),
            is_own: page.origin == Origin::Project,
            summary,
            body: page.body().to_owned(),
        })
    }

    /// The directives that the steps call.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().flat_map(Step::actions).filter_map(|action| match action {
            Action::Call(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// The directives of a project: the shipped ones, and its own.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    all: BTreeMap<String, Arc<Directive>>,
    aliases: HashMap<String, String>,
    /// Pages of the project that cannot be used, one sentence each, starting with the path.
    pub problems: Vec<String>,
}

impl Directives {
    /// Reads the pages of a library. A page of the project without a `type` in its header is not a
    /// directive and is ignored.
    #[must_use]
    pub fn from_library(library: &Library) -> Self {
        let mut directives = Self::default();
        for page in library.pages_of_kind(PageKind::Directives) {
            if page.origin == Origin::Project && !page.header.contains_key("type") {
                continue;
            }
            match Directive::from_page(page) {
                Ok(directive) => {
                    _ = directives.all.insert(directive.name.clone(), Arc::new(directive));
                }
                Err(error) => directives.problems.push(format!("{}: {error}", page.path)),
            }
        }
        for directive in directives.all.values() {
            for alias in &directive.aliases {
                directives.aliases.insert(alias.clone(), directive.name.clone());
            }
        }
        let problems = directives.call_problems();
        directives.problems.extend(problems);
        directives
    }

    /// Calls of missing directives, and cycles of calls.
    fn call_problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for directive in self.all.values() {
            for name in directive.calls() {
                if self.get(name).is_none() {
                    problems
                        .push(format!("{}: calls `{name}`, which does not exist", directive.path));
                }
            }
            if self.depth(&directive.name, 0) > MAX_CALL_DEPTH {
                problems.push(format!(
                    "{}: its calls form a cycle, or are nested more than {MAX_CALL_DEPTH} levels deep",
                    directive.path
                ));
            }
        }
        problems
    }

    fn depth(&self, name: &str, depth: usize) -> usize {
        let Some(directive) = self.get(name).filter(|_| depth <= MAX_CALL_DEPTH) else {
            return depth;
        };
        directive.calls().map(|name| self.depth(name, depth + 1)).max().unwrap_or(depth)
    }

    /// All directives, by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Directive>> {
        self.all.values()
    }

    /// The directive with this name or alias.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Directive>> {
        let name = name.trim();
        self.all.get(name).or_else(|| self.all.get(self.aliases.get(name)?))
    }

    /// The name that is most similar to an unknown name.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.all.keys().chain(self.aliases.keys()).map(String::as_str))
    }
}
