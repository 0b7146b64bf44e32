//! A tool: its name, its description for agents, and its function.

#[cfg(test)]
mod tests;

use crate::agent_text;
use crate::arguments;
pub use crate::arguments::Choice;
use crate::context::Context;
use crate::older::OlderName;
pub use crate::profile::Profile;
use crate::schema::{self, Object};
use aidd_engine::workspace::project::ProjectError;
use aidd_memory::MemoryError;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<T> {
    /// `structuredContent`, which matches `outputSchema`.
    pub data: T,
    /// Text for a model that sees no structured content: short, and complete enough to continue.
    pub text: String,
}

impl<T> Answer<T> {
    /// Creates an answer.
    pub fn new(data: T, text: impl Into<String>) -> Self {
        Self { data, text: text.into() }
    }
}

/// Why a tool failed, in a form that lets the agent correct the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// The fault.
    pub message: String,
    /// The remedy; empty if the message contains it.
    pub remedy: String,
}

impl ToolError {
    /// Creates an error whose message includes the remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: shorten(message.into()), remedy: String::new() }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = shorten(remedy.into());
        self
    }
}

/// The maximum length of an error in characters, and how many of these characters are taken from
/// the end of the original text. Errors can quote long arguments.
const MAX_ERROR_CHARS: (usize, usize) = (2000, 300);

/// Shortens a text that is too long by cutting its middle.
fn shorten(text: String) -> String {
    let (max, end) = MAX_ERROR_CHARS;
    // A string has at least as many bytes as characters.
    if text.len() <= max {
        return text;
    }
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
    if offsets.len() <= max {
        return text;
    }
    format!("{} … {}", &text[..offsets[max - end]], &text[offsets[offsets.len() - end]..])
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.remedy) }
    }
}

/// Remedy for an unknown memory id.
pub(crate) const UNKNOWN_MEMORY: &str = "copy a full id from aidd_memory_search";

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        let remedy = match &error {
            MemoryError::Unknown { item, .. } => match *item {
                "session" => "list ids with aidd_session, action list",
                "branch" => {
                    "the branch has no data; list known branches with aidd_branch, action list"
                }
                "lifecycle" => "list ids with aidd_lifecycle_list",
                "work entry" => "list ids with aidd_work, action list",
                _ => UNKNOWN_MEMORY,
            },
            MemoryError::Corrupt(_) | MemoryError::Store(_) => {
                "retry; if the error persists, run `aidd memory doctor` in a terminal"
            }
            MemoryError::Io { .. } | MemoryError::Unwritable(_) => {
                "check that the directory is writable and the disk is not full"
            }
            MemoryError::Invalid(_) | MemoryError::Newer { .. } | MemoryError::Json(_) => "",
        };
        Self::new(error.to_string()).remedy(remedy)
    }
}

impl From<ProjectError> for ToolError {
    fn from(error: ProjectError) -> Self {
        Self::new(error.message).remedy(error.hint.unwrap_or_default())
    }
}

type Run = dyn Fn(&Context, Object) -> Result<Answer<Value>, ToolError> + Send + Sync;

/// A tool of the server.
#[derive(Clone)]
pub struct Tool {
    /// `^[a-z][a-z0-9_]{0,39}$`.
    pub name: &'static str,
    /// Title for users, in two or three words.
    pub title: &'static str,
    /// What the tool does, when to use the tool, and what to use instead.
    pub description: &'static str,
    /// Profiles that list the tool, in addition to [`Profile::Engine`].
    pub profiles: &'static [Profile],
    /// Aliases, which are not listed. In every name, `/` and `.` are accepted instead of `_`.
    pub aliases: &'static [&'static str],
    /// Alternative spellings of arguments, which are not listed.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Alternative spellings of argument values.
    pub words: &'static [arguments::ValueAlias],
    /// Names in the memory server MAMA, with the arguments used there.
    pub older: &'static [OlderName],
    /// The older name by which the tool was called, if any.
    called_as: Option<&'static OlderName>,
    /// Which arguments can be combined with which value of another argument.
    pub choice: Option<Choice>,
    /// Whether the tool changes nothing.
    pub reads_only: bool,
    /// Whether the tool can delete or overwrite data.
    pub is_destructive: bool,
    /// Whether repeating a call with the same arguments has no further effect.
    pub is_idempotent: bool,
    /// The input schema, generated on first use, against which arguments are validated.
    input: Arc<LazyLock<Object>>,
    /// The output schema, also generated on first use.
    output: Arc<LazyLock<Object>>,
    run: Arc<Run>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tool {
    /// Creates a read-only tool that only [`Profile::Engine`] lists. The fields of `In` are its
    /// arguments, described by their doc comments; `Out` is its result.
    #[must_use]
    pub fn new<In, Out>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        handler: impl Fn(&Context, In) -> Result<Answer<Out>, ToolError> + Send + Sync + 'static,
    ) -> Self
    where
        In: DeserializeOwned + JsonSchema + 'static,
        Out: Serialize + JsonSchema + 'static,
    {
        Self {
            name,
            title,
            description,
            profiles: &[],
            aliases: &[],
            spellings: &[],
            words: &[],
            older: &[],
            called_as: None,
            choice: None,
            reads_only: true,
            is_destructive: false,
            is_idempotent: true,
            input: Arc::new(LazyLock::new(schema::input::<In>)),
            output: Arc::new(LazyLock::new(schema::output::<Out>)),
            run: Arc::new(move |context, arguments| {
                let answer = handler(context, read(arguments)?)?;
                let data = serde_json::to_value(answer.data).map_err(|error| {
                    ToolError::new(format!("cannot serialize the answer: {error}"))
                })?;
                Ok(Answer { data, text: answer.text })
            }),
        }
    }

    /// Marks the tool as writing without deleting or overwriting.
    #[must_use]
    pub fn non_destructive(self) -> Self {
        Self { reads_only: false, is_destructive: false, is_idempotent: false, ..self }
    }

    /// Marks the tool as destructive.
    #[must_use]
    pub fn destructive(self) -> Self {
        Self { reads_only: false, is_destructive: true, is_idempotent: false, ..self }
    }

    /// Marks the tool as idempotent.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self { is_idempotent: true, ..self }
    }

    /// Sets the profiles that list the tool, in addition to [`Profile::Engine`].
    #[must_use]
    pub fn in_profiles(self, profiles: &'static [Profile]) -> Self {
        Self { profiles, ..self }
    }

    /// Sets aliases.
    #[must_use]
    pub fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Sets pairs of an alternative spelling of an argument, which calls by older names of the tool
    /// use, and the current name of the argument.
    #[must_use]
    pub fn with_spellings(self, spellings: &'static [(&'static str, &'static str)]) -> Self {
        Self { spellings, ..self }
    }

    /// Sets alternative spellings of argument values.
    #[must_use]
    pub fn with_value_aliases(self, words: &'static [arguments::ValueAlias]) -> Self {
        Self { words, ..self }
    }

    /// Sets the names in the memory server MAMA.
    #[must_use]
    pub fn with_older_names(self, older: &'static [OlderName]) -> Self {
        Self { older, ..self }
    }

    /// A copy of the tool for a call that uses `name`, which must be one of the tool's names.
    #[must_use]
    pub fn called_as(&self, name: &str) -> Self {
        let name = crate::catalog::normalized(name);
        let called_as = self.older.iter().find(|older| older.name == name);
        Self { called_as, ..self.clone() }
    }

    /// Sets which arguments can be combined with which value of another argument.
    #[must_use]
    pub fn with_choice(self, choice: Choice) -> Self {
        Self { choice: Some(choice), ..self }
    }

    /// Replaces alternative spellings of arguments with the listed spellings.
    fn normalize_spellings(&self, mut arguments: Object) -> Object {
        for (alias, name) in self.spellings {
            if !arguments.contains_key(*name)
                && let Some(value) = arguments.remove(*alias)
            {
                arguments.insert((*name).to_owned(), value);
            }
        }
        arguments::normalize_enum_values(&self.input, self.words, &mut arguments);
        arguments
    }

    /// Whether a profile lists the tool.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        let listed = |profile| self.profiles.contains(&profile);
        let has_own_job = !listed(Profile::Aifp) && !listed(Profile::Plan);
        listed(profile) || profile == Profile::Plan || profile == Profile::Engine && has_own_job
    }

    /// The input schema.
    #[must_use]
    pub fn input(&self) -> Object {
        Object::clone(&self.input)
    }

    /// The output schema.
    #[must_use]
    pub fn output(&self) -> Object {
        Object::clone(&self.output)
    }

    /// Calls the tool. Notices, such as a store that was moved aside, are appended to the text.
    ///
    /// # Errors
    /// Fails when the arguments are invalid or the tool fails.
    pub fn call(&self, context: &Context, arguments: Object) -> Result<Answer<Value>, ToolError> {
        self.answer(context, arguments)
            .map(|answer| agent_text::clean_answer(context, answer))
            .map_err(|error| agent_text::clean_error(context, error))
    }

    /// The answer as the tool returns it, with notices.
    fn answer(&self, context: &Context, arguments: Object) -> Result<Answer<Value>, ToolError> {
        let arguments = arguments::without_null(arguments);
        let called_as = self.called_as.unwrap_or(&OlderName::NONE);
        let (arguments, notes) = called_as.translate(arguments);
        let arguments = self.normalize_spellings(arguments);
        let mut problems = arguments::problems(&self.input, &arguments);
        if let Some(choice) = self.choice.as_ref().filter(|_| problems.is_empty()) {
            problems = arguments::find_misplaced(choice, &arguments);
        }
        if !problems.is_empty() {
            return Err(ToolError::new(problems.join("\n")));
        }
        let mut answer = (self.run)(context, arguments)?;
        if cfg!(debug_assertions) {
            self.validate_output(&answer.data)?;
        }
        let mut notices = context.take_notices();
        notices.extend(notes);
        for notice in &notices {
            answer.text = format!("{}\n\nnote: {notice}", answer.text.trim_end());
        }
        // Some clients show a model only the structured content.
        if let Value::Object(data) = &mut answer.data
            && !notices.is_empty()
        {
            data.insert("notices".to_owned(), Value::from(notices));
        }
        Ok(answer)
    }

    /// Checks an answer against the output schema, as clients do. A mismatch is a bug that tests
    /// should find.
    fn validate_output(&self, data: &Value) -> Result<(), ToolError> {
        // The schema can omit fields of the answer.
        let mut schema = self.output();
        schema.entry("additionalProperties").or_insert(Value::Bool(true));
        let problems = match data {
            Value::Object(data) => arguments::problems(&schema, data),
            _ => vec!["the answer is not an object".to_owned()],
        };
        if problems.is_empty() {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "the answer of {} does not match its schema: {}",
            self.name,
            problems.join("; ")
        )))
    }

    /// The entry of `tools/list`. Titles and output schemas cost tokens in every conversation, and
    /// a model does not need them, so only [`Profile::Plan`] lists them.
    #[must_use]
    pub fn listed(&self, profile: Profile) -> rmcp::model::Tool {
        // The protocol defines `destructiveHint` and `idempotentHint` only for tools that write;
        // the default of `idempotentHint` is `false`.
        let hints = rmcp::model::ToolAnnotations::from_raw(
            None,
            Some(self.reads_only),
            (!self.reads_only).then_some(self.is_destructive),
            (!self.reads_only && self.is_idempotent).then_some(true),
            (profile == Profile::Plan).then_some(false),
        );
        let input = schema::listed_input(self.input());
        let tool = rmcp::model::Tool::new(self.name, self.description, input);
        let tool = tool.with_annotations(hints);
        if profile != Profile::Plan {
            return tool;
        }
        let output = schema::listed_output(&self.output);
        tool.with_title(self.title).with_raw_output_schema(Arc::new(output))
    }
}

/// Deserializes arguments that match the schema; the type can have further constraints.
fn read<In: DeserializeOwned>(arguments: Object) -> Result<In, ToolError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let location = if path == "." { String::new() } else { format!("`{path}`: ") };
        ToolError::new(format!("{location}{}", error.into_inner()))
    })
}
