//! A tool is a row of data: what an agent reads of it, and the function behind it.

use crate::arguments;
pub use crate::arguments::Choice;
use crate::context::Context;
use crate::older::Older;
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

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<T> {
    /// For programs: `structuredContent`, of the type that `outputSchema` tells.
    pub data: T,
    /// For a model that sees only text: short, and complete enough to go on with.
    pub text: String,
}

impl<T> Answer<T> {
    /// An answer.
    pub fn new(data: T, text: impl Into<String>) -> Self {
        Self { data, text: text.into() }
    }
}

/// Why a tool did not do what it was asked: the agent reads it and can do better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// What is wrong.
    pub message: String,
    /// What to do; empty when the message says it.
    pub remedy: String,
}

impl ToolError {
    /// An error whose message says what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: shortened(message.into()), remedy: String::new() }
    }

    /// Adds what to do.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = shortened(remedy.into());
        self
    }
}

/// Characters of an error, and how many of them are its end: an argument that it repeats may be long.
const ERROR: (usize, usize) = (2000, 300);

/// A text, its middle left out where it is too long.
fn shortened(text: String) -> String {
    let (most, end) = ERROR;
    // Bytes are at least as many as characters.
    if text.len() <= most {
        return text;
    }
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.len() <= most {
        return text;
    }
    format!("{} … {}", &text[..places[most - end]], &text[places[places.len() - end]..])
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.remedy) }
    }
}

/// What to do about the id of a memory that there is not.
pub(crate) const UNKNOWN_MEMORY: &str = "aidd_memory_search names memories; copy an id whole";

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        let remedy = match &error {
            MemoryError::Unknown { what, .. } => match *what {
                "session" => "aidd_session with action list names them",
                "branch" => {
                    "nothing was saved of it; aidd_branch with action list names those known"
                }
                "lifecycle" => "aidd_lifecycle_list names them",
                _ => UNKNOWN_MEMORY,
            },
            MemoryError::Corrupt(_) | MemoryError::Store(_) => {
                "call it once more; if it stays so, `aidd memory doctor` on a terminal says more"
            }
            MemoryError::Io { .. } | MemoryError::Unwritable(_) => {
                "see that the folder can be written and the disk is not full"
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

/// A tool.
#[derive(Clone)]
pub struct Tool {
    /// `^[a-z][a-z0-9_]{0,39}$`.
    pub name: &'static str,
    /// For people, in two or three words.
    pub title: &'static str,
    /// What it does, when to use it, and what to use instead.
    pub description: &'static str,
    /// Where it is listed, beside [`Profile::Engine`].
    pub profiles: &'static [Profile],
    /// Other names it can be called by; not listed. `/` and `.` may stand for `_` in any name.
    pub aliases: &'static [&'static str],
    /// Other spellings of arguments that are taken; not listed.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Other words for values of arguments.
    pub words: &'static [arguments::Word],
    /// Names of earlier products that take the arguments of those.
    pub older: &'static [Older],
    /// The one that this call is made by.
    called_as: Option<&'static Older>,
    /// Which arguments go together.
    pub choice: Option<Choice>,
    /// Whether it changes nothing.
    pub reads_only: bool,
    /// Whether it may take away what was there.
    pub is_destructive: bool,
    /// Whether calling it again with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// Made when it is first asked for: each call is held against it.
    input: Arc<LazyLock<Object>>,
    /// Likewise: who lists tools over HTTP asks for one with every call.
    output: Arc<LazyLock<Object>>,
    run: Arc<Run>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tool {
    /// A tool that only reads, in no profile but [`Profile::Engine`]. Its arguments are the fields of
    /// `In`, described by their doc comments; its answer is an `Out`.
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
                    ToolError::new(format!("the answer cannot be written: {error}"))
                })?;
                Ok(Answer { data, text: answer.text })
            }),
        }
    }

    /// It changes nothing. The default.
    #[must_use]
    pub fn reads(self) -> Self {
        Self { reads_only: true, is_destructive: false, is_idempotent: true, ..self }
    }

    /// It adds, and takes nothing away.
    #[must_use]
    pub fn writes(self) -> Self {
        Self { reads_only: false, is_destructive: false, is_idempotent: false, ..self }
    }

    /// It may take away what was there.
    #[must_use]
    pub fn destroys(self) -> Self {
        Self { reads_only: false, is_destructive: true, is_idempotent: false, ..self }
    }

    /// Calling it again with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self { is_idempotent: true, ..self }
    }

    /// Where it is listed, beside [`Profile::Engine`].
    #[must_use]
    pub fn in_profiles(self, profiles: &'static [Profile]) -> Self {
        Self { profiles, ..self }
    }

    /// Other names it can be called by.
    #[must_use]
    pub fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Other spellings of arguments: those of older names of the tool, and what each stands for.
    #[must_use]
    pub fn taking(self, spellings: &'static [(&'static str, &'static str)]) -> Self {
        Self { spellings, ..self }
    }

    /// Other words for values of arguments.
    #[must_use]
    pub fn reading(self, words: &'static [arguments::Word]) -> Self {
        Self { words, ..self }
    }

    /// Names that earlier products gave it.
    #[must_use]
    pub fn formerly(self, older: &'static [Older]) -> Self {
        Self { older, ..self }
    }

    /// The tool as it is called by `name`, one of its names.
    #[must_use]
    pub fn called_as(&self, name: &str) -> Self {
        let name = crate::catalog::plain(name);
        let called_as = self.older.iter().find(|older| older.name == name);
        Self { called_as, ..self.clone() }
    }

    /// Which arguments it takes with which word of another one.
    #[must_use]
    pub fn choosing(self, choice: Choice) -> Self {
        Self { choice: Some(choice), ..self }
    }

    /// The arguments in the spellings that are listed.
    fn spelled(&self, mut arguments: Object) -> Object {
        for (other, own) in self.spellings {
            if !arguments.contains_key(*own)
                && let Some(value) = arguments.remove(*other)
            {
                arguments.insert((*own).to_owned(), value);
            }
        }
        arguments::in_listed_words(&self.input, self.words, &mut arguments);
        arguments
    }

    /// Whether a profile lists it.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        profile == Profile::Engine || self.profiles.contains(&profile)
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn input(&self) -> Object {
        Object::clone(&self.input)
    }

    /// The schema of its answer.
    #[must_use]
    pub fn output(&self) -> Object {
        Object::clone(&self.output)
    }

    /// Calls it. What its answer should be known with (a store put aside, a fallback) comes last in
    /// the text.
    ///
    /// # Errors
    /// When the arguments do not fit, or the tool cannot do it.
    pub fn call(&self, context: &Context, arguments: Object) -> Result<Answer<Value>, ToolError> {
        let arguments = arguments::without_null(arguments);
        let called_as = self.called_as.unwrap_or(&Older::NONE);
        let (arguments, notes) = called_as.translated(arguments);
        let arguments = self.spelled(arguments);
        let mut problems = arguments::problems(&self.input, &arguments);
        if let Some(choice) = self.choice.as_ref().filter(|_| problems.is_empty()) {
            problems = arguments::misplaced(choice, &arguments);
        }
        if !problems.is_empty() {
            return Err(ToolError::new(problems.join("\n")));
        }
        let mut answer = (self.run)(context, arguments)?;
        if cfg!(debug_assertions) {
            self.keeps_its_word(&answer.data)?;
        }
        let mut notices = context.take_notices();
        notices.extend(notes);
        for notice in &notices {
            answer.text = format!("{}\n\nnote: {notice}", answer.text.trim_end());
        }
        // Some clients show a model the data alone.
        if let Value::Object(data) = &mut answer.data
            && !notices.is_empty()
        {
            data.insert("notices".to_owned(), Value::from(notices));
        }
        Ok(answer)
    }

    /// Clients hold an answer against its schema. A mistake of ours, which tests should see.
    fn keeps_its_word(&self, data: &Value) -> Result<(), ToolError> {
        // A schema may leave fields out that the answer itself shows.
        let mut schema = self.output();
        schema.entry("additionalProperties").or_insert(Value::Bool(true));
        let problems = match data {
            Value::Object(data) => arguments::problems(&schema, data),
            _ => vec!["the answer is no object".to_owned()],
        };
        if problems.is_empty() {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "{} answers otherwise than its schema says: {}",
            self.name,
            problems.join("; ")
        )))
    }

    /// The row of `tools/list`.
    #[must_use]
    pub fn listed(&self) -> rmcp::model::Tool {
        // The protocol reads the other two only of tools that write; `false` is what a client takes
        // the last for anyway.
        let hints = rmcp::model::ToolAnnotations::from_raw(
            None,
            Some(self.reads_only),
            (!self.reads_only).then_some(self.is_destructive),
            (!self.reads_only && self.is_idempotent).then_some(true),
            Some(false),
        );
        rmcp::model::Tool::new(self.name, self.description, schema::listed_input(self.input()))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(schema::listed_output(&self.output)))
            .with_annotations(hints)
    }
}

/// Arguments as their type. The schema has let them pass; the type may know more.
fn read<In: DeserializeOwned>(arguments: Object) -> Result<In, ToolError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("`{path}`: ") };
        ToolError::new(format!("{place}{}", error.into_inner()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    struct Arguments {
        /// Whom to greet
        name: String,
        #[serde(default)]
        times: u8,
    }

    #[derive(Serialize, JsonSchema)]
    struct Reply {
        greeting: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        more: Option<i64>,
    }

    fn greet(_: &Context, given: Arguments) -> Result<Answer<Reply>, ToolError> {
        let Arguments { name, times } = given;
        if name.is_empty() {
            return Err(ToolError::new("nobody is there").remedy("name somebody"));
        }
        let greeting = format!("hello {name}");
        let text = greeting.clone();
        Ok(Answer::new(Reply { greeting, more: (times > 1).then_some(1) }, text))
    }

    fn tool() -> Tool {
        Tool::new("greet", "Greet", "Greets. Use when somebody comes.", greet)
    }

    fn call(arguments: Value) -> Result<Answer<Value>, ToolError> {
        let folder = tempfile::tempdir().expect("a folder");
        let Value::Object(arguments) = arguments else { panic!("an object") };
        tool().call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
    }

    #[test]
    fn a_tool_reads_its_arguments_and_answers_twice() {
        let answer = call(json!({"name": "you", "times": 2})).expect("an answer");
        assert_eq!(answer.data, json!({"greeting": "hello you", "more": 1}));
        assert_eq!(answer.text, "hello you");
        let absent = call(json!({"name": "you", "times": null})).expect("an answer");
        assert_eq!(absent.data, json!({"greeting": "hello you"}));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let said = |arguments| call(arguments).expect_err("refused").to_string();
        assert_eq!(said(json!({"name": ""})), "nobody is there\nhint: name somebody");
        assert_eq!(
            said(json!({"nam": "you"})),
            "unknown argument `nam`; did you mean `name`?\n`name` is missing: Whom to greet"
        );
        assert_eq!(
            said(json!({"name": "you", "times": 300})),
            "`times` must be at most 255, found 300"
        );
    }

    #[test]
    fn an_argument_that_would_be_passed_over_is_refused() {
        let takes: &[(&[&str], &[&str])] = &[(&["you", "me"], &["times"])];
        let said = |usual, arguments: Value| {
            let folder = tempfile::tempdir().expect("a folder");
            let Value::Object(arguments) = arguments else { panic!("an object") };
            let choice = Choice { by: "name", usual, takes };
            tool()
                .choosing(choice)
                .call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
        };
        assert!(said("", json!({"name": "me", "times": 2})).is_ok());
        assert!(said("", json!({"name": "all", "times": null})).is_ok());
        assert_eq!(
            said("", json!({"name": "all", "times": 0})).expect_err("refused").to_string(),
            "`times` is not taken with `name` all; only with you, me"
        );
        // What does not fit at all is said first.
        let both = said("", json!({"name": "all", "times": "2"})).expect_err("refused");
        assert!(both.to_string().starts_with("`times`: expected an integer"), "{both}");
    }

    #[test]
    fn an_answer_beside_its_schema_is_an_error_where_tests_see_it() {
        #[derive(Serialize)]
        struct Wrong {
            greeting: u8,
        }
        impl JsonSchema for Wrong {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Wrong".into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                Reply::json_schema(generator)
            }
        }
        fn wrong(_: &Context, _: Arguments) -> Result<Answer<Wrong>, ToolError> {
            Ok(Answer::new(Wrong { greeting: 1 }, ""))
        }
        let folder = tempfile::tempdir().expect("a folder");
        let Value::Object(arguments) = json!({"name": "you"}) else { panic!("an object") };
        let tool = Tool::new("wrong", "Wrong", "", wrong);
        let error = tool
            .call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
            .expect_err("refused");
        assert!(error.message.contains("`greeting`: expected a string"), "{error}");
    }

    #[test]
    fn the_row_of_the_list_is_short() {
        let row = |tool: Tool| serde_json::to_string(&tool.listed()).expect("JSON");
        insta::assert_snapshot!(row(tool()), @r#"{"name":"greet","title":"Greet","description":"Greets. Use when somebody comes.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"Whom to greet"},"times":{"type":"integer"}},"required":["name"]},"outputSchema":{"type":"object","properties":{"greeting":{"type":"string"}}},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#);
        insta::assert_snapshot!(row(tool().writes().idempotent()).split("annotations").nth(1).unwrap_or_default(), @r#"":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}"#);
    }
}
