//! The result of a call in the protocol: a text of limited length, and data that does not repeat it
//! at length.

use crate::profile::Profile;
use crate::schema::Object;
use crate::tool::{Answer, ToolError};
use aidd_engine::text::escape;
use aidd_lexicon::tokens;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use std::collections::HashSet;

/// Maximum number of tokens of an answer whose size the call does not set.
const MAX_TOKENS: usize = 2000;
/// Tokens of the note that the text was cut.
const NOTE_TOKENS: usize = 40;
/// Arguments that set the size of an answer.
const SIZES: [&str; 4] = ["limit", "budget", "tokenBudget", "section"];
/// Tools whose data is always returned, because programs read the scores and ids of the results. If
/// the text has the rest of the results, the data does not.
const SEARCHES: [&str; 5] = [
    "aidd_memory_search",
    "aidd_memory_context",
    "search_by_topic",
    "search_by_context",
    "search_recent",
];
/// Fields of results that the text of a search also has.
const TEXTS: [&str; 4] = ["title", "snippet", "topic", "content"];
/// Length from which data repeats a text at length, in bytes.
const LONG_BYTES: usize = 3000;
/// Minimum length of a word that is compared, in bytes.
const WORD_BYTES: usize = 4;
/// Minimum share of the words of a text that data contains if it repeats the text, in percent.
const REPEATED_PERCENT: usize = 75;

/// What decides the size of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Whether the arguments set the size of the answer.
    is_set: bool,
    /// Whether the data is always returned.
    keeps_data: bool,
    /// Whether the data is that of a search, and may be returned without [`TEXTS`].
    is_search: bool,
}

impl Size {
    /// The size for a call of the tool `name`. A profile that lists output schemas requires data.
    pub(super) fn new(name: &str, arguments: &Object, profile: Profile) -> Self {
        Self {
            is_set: SIZES.iter().any(|name| arguments.contains_key(*name)),
            keeps_data: profile == Profile::Plan,
            is_search: SEARCHES.contains(&name),
        }
    }
}

/// Converts an answer, or an error that the agent can read. Some clients pass both the text and the
/// data to the model, so long data that repeats the text is left out.
pub(super) fn from_answer(answer: Result<Answer<Value>, ToolError>, size: Size) -> CallToolResult {
    match answer {
        Ok(answer) => {
            let text = if size.is_set { answer.text } else { cut(answer.text) };
            let mut data = Some(answer.data);
            if !size.keeps_data && data.as_ref().is_some_and(|data| repeats(&text, data)) {
                data = data.filter(|_| size.is_search).map(without_texts);
            }
            let mut result =
                CallToolResult::success(vec![ContentBlock::text(escape::lines(&text))]);
            result.structured_content = data;
            result
        }
        Err(error) => {
            CallToolResult::error(vec![ContentBlock::text(escape::lines(&error.to_string()))])
        }
    }
}

/// The first lines of a text, within [`MAX_TOKENS`].
fn cut(text: String) -> String {
    // Few tokens are shorter than two bytes.
    if text.len() <= MAX_TOKENS * 2 || tokens::count(&text) <= MAX_TOKENS {
        return text;
    }
    let (mut shown, mut used) = (String::new(), 0);
    let mut lines = text.lines();
    for line in lines.by_ref() {
        used += tokens::count(line) + 1;
        if used > MAX_TOKENS - NOTE_TOKENS {
            break;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    // The line that did not fit is left out too.
    let omitted = lines.count() + 1;
    format!("{shown}({omitted} more lines; pass narrower arguments or a `limit` to see others)")
}

/// The data of a search without the fields that its text has.
fn without_texts(mut data: Value) -> Value {
    let lists = data.as_object_mut().into_iter().flat_map(|data| data.values_mut());
    let rows = lists.filter_map(Value::as_array_mut).flatten();
    for row in rows.filter_map(Value::as_object_mut) {
        row.retain(|name, _| !TEXTS.contains(&&**name));
    }
    data
}

/// Whether data is long and contains what the text says.
fn repeats(text: &str, data: &Value) -> bool {
    let data = data.to_string();
    if data.len() < LONG_BYTES {
        return false;
    }
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| word.len() >= WORD_BYTES).map(str::to_lowercase).collect()
    };
    let (in_text, in_data) = (words(text), words(&data));
    let repeated = in_text.iter().filter(|word| in_data.contains(*word)).count();
    repeated * 100 >= in_text.len() * REPEATED_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(text: &str, data: Value, size: Size) -> (String, bool) {
        let result = from_answer(Ok(Answer::new(data, text)), size);
        let text = result.content.first().and_then(|block| block.as_text());
        (
            text.map(|text| text.text.clone()).unwrap_or_default(),
            result.structured_content.is_some(),
        )
    }

    fn size(name: &str, arguments: &Value, profile: Profile) -> Size {
        Size::new(name, arguments.as_object().expect("an object"), profile)
    }

    #[test]
    fn long_data_that_repeats_the_text_is_left_out() {
        let text = "statement about engines\n".repeat(200);
        let data = json!({"text": text});
        let usual = size("aidd_map", &json!({}), Profile::Engine);
        let plan = size("aidd_map", &json!({}), Profile::Plan);
        let search = size("aidd_memory_search", &json!({}), Profile::Engine);
        assert!(!result(&text, data.clone(), usual).1);
        assert!(result(&text, data.clone(), plan).1);
        assert!(result(&text, data.clone(), search).1);
        let rows = json!({"matched": 1, "results": [{"id": "a1", "score": 0.5, "title": text}]});
        let rest = json!({"matched": 1, "results": [{"id": "a1", "score": 0.5}]});
        let found = |size| from_answer(Ok(Answer::new(rows.clone(), text.clone())), size);
        assert_eq!(found(search).structured_content, Some(rest));
        assert_eq!(found(plan).structured_content, Some(rows.clone()));
        assert!(result("2 entries", data, usual).1);
        assert!(result("short", json!({"text": "short"}), usual).1);
    }

    #[test]
    fn a_text_whose_size_is_not_set_is_cut_at_a_line() {
        let text = "one more statement about engines\n".repeat(800);
        let (short, _) = result(&text, json!({}), size("aidd_map", &json!({}), Profile::Engine));
        assert!(tokens::count(&short) <= MAX_TOKENS, "{}", tokens::count(&short));
        assert!(tokens::count(&short) > MAX_TOKENS * 3 / 4);
        assert!(short.ends_with("more lines; pass narrower arguments or a `limit` to see others)"));
        let set = size("aidd_map", &json!({"limit": 3}), Profile::Engine);
        assert_eq!(result(&text, json!({}), set).0, text);
    }

    #[test]
    fn every_search_is_a_tool() {
        for name in SEARCHES {
            assert!(crate::tools::all().iter().any(|tool| tool.name == name), "{name}");
        }
    }
}
