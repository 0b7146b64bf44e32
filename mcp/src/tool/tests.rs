//! Tests of the arguments and answers of tools.

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

fn greet(_: &Context, arguments: Arguments) -> Result<Answer<Reply>, ToolError> {
    let Arguments { name, times } = arguments;
    if name.is_empty() {
        return Err(ToolError::new("empty name").remedy("pass a name"));
    }
    let greeting = format!("hello {name}");
    let text = greeting.clone();
    Ok(Answer::new(Reply { greeting, more: (times > 1).then_some(1) }, text))
}

fn tool() -> Tool {
    Tool::new("greet", "Greet", "Greets. Use when somebody arrives.", greet)
}

fn call(arguments: Value) -> Result<Answer<Value>, ToolError> {
    let folder = tempfile::tempdir().expect("a directory");
    let Value::Object(arguments) = arguments else { panic!("an object") };
    tool().call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
}

#[test]
fn a_tool_returns_text_and_data() {
    let answer = call(json!({"name": "you", "times": 2})).expect("an answer");
    assert_eq!(answer.data, json!({"greeting": "hello you", "more": 1}));
    assert_eq!(answer.text, "hello you");
    let absent = call(json!({"name": "you", "times": null})).expect("an answer");
    assert_eq!(absent.data, json!({"greeting": "hello you"}));
}

#[test]
fn invalid_arguments_are_rejected_with_the_expected_type() {
    let error_text = |arguments| call(arguments).expect_err("refused").to_string();
    assert_eq!(error_text(json!({"name": ""})), "empty name\nhint: pass a name");
    assert_eq!(
        error_text(json!({"nam": "you"})),
        "unknown argument `nam`; did you mean `name`?\n`name` is missing (Whom to greet)"
    );
    assert_eq!(
        error_text(json!({"name": "you", "times": 300})),
        "`times` must be at most 255, found 300"
    );
}

#[test]
fn an_argument_without_effect_is_rejected() {
    let allowed: &[(&[&str], &[&str])] = &[(&["you", "me"], &["times"])];
    let call_tool = |default, arguments: Value| {
        let folder = tempfile::tempdir().expect("a directory");
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let choice = Choice { argument: "name", default, allowed };
        tool()
            .with_choice(choice)
            .call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
    };
    assert!(call_tool("", json!({"name": "me", "times": 2})).is_ok());
    assert!(call_tool("", json!({"name": "all", "times": null})).is_ok());
    assert_eq!(
        call_tool("", json!({"name": "all", "times": 0})).expect_err("refused").to_string(),
        "`times` is only allowed if `name` is `you` or `me`; it is `all`"
    );
    // Schema errors are reported first.
    let both = call_tool("", json!({"name": "all", "times": "2"})).expect_err("refused");
    assert!(both.to_string().starts_with("`times`: expected an integer"), "{both}");
}

#[test]
fn a_result_that_violates_the_schema_is_an_error_in_tests() {
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
    let folder = tempfile::tempdir().expect("a directory");
    let Value::Object(arguments) = json!({"name": "you"}) else { panic!("an object") };
    let tool = Tool::new("wrong", "Wrong", "", wrong);
    let error = tool
        .call(&Context::at(&crate::DISTRIBUTION, folder.path()), arguments)
        .expect_err("refused");
    assert!(error.message.contains("`greeting`: expected a string"), "{error}");
}

#[test]
fn the_listed_tool_is_short() {
    let row = |tool: Tool| serde_json::to_string(&tool.listed(Profile::Plan)).expect("JSON");
    insta::assert_snapshot!(row(tool()), @r#"{"name":"greet","title":"Greet","description":"Greets. Use when somebody arrives.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"Whom to greet"},"times":{"type":"integer"}},"required":["name"]},"outputSchema":{"type":"object","properties":{"greeting":{"type":"string"}}},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#);
    insta::assert_snapshot!(row(tool().non_destructive().idempotent()).split("annotations").nth(1).unwrap_or_default(), @r#"":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}"#);
}
