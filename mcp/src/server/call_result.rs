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
/// Length from which data repeats a text at length, in bytes.
const LONG_BYTES: usize = 3000;
/// Minimum length of a word that is compared, in bytes.
const WORD_BYTES: usize = 4;
/// Minimum share of the words of a text that data contains if it repeats the text, in percent.
const REPEATED_PERCENT: usize = 75;

/// Whether the arguments set the size of the answer.
pub(super) fn has_size(arguments: &Object) -> bool {
    SIZES.iter().any(|name| arguments.contains_key(*name))
}

/// Converts an answer, or an error that the agent can read. Some clients pass both the text and the
/// data to the model, so long data that repeats the text is left out, unless the profile lists
/// output schemas, which require data.
pub(super) fn from_answer(
    answer: Result<Answer<Value>, ToolError>,
    profile: Profile,
    has_size: bool,
) -> CallToolResult {
    match answer {
        Ok(answer) => {
            let text = if has_size { answer.text } else { cut(answer.text) };
            let data = answer.data;
            let is_left_out = profile != Profile::Plan && repeats(&text, &data);
            let mut result =
                CallToolResult::success(vec![ContentBlock::text(escape::lines(&text))]);
            result.structured_content = (!is_left_out).then_some(data);
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
    let (mut kept, mut used) = (String::new(), 0);
    let mut lines = text.lines();
    for line in lines.by_ref() {
        used += tokens::count(line) + 1;
        if used > MAX_TOKENS - NOTE_TOKENS {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    // The line that did not fit is left out too.
    let omitted = lines.count() + 1;
    format!("{kept}({omitted} more lines; pass narrower arguments or a `limit` to see others)")
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

    fn result(text: &str, data: Value, profile: Profile, has_size: bool) -> (String, bool) {
        let result = from_answer(Ok(Answer::new(data, text)), profile, has_size);
        let text = result.content.first().and_then(|block| block.as_text());
        (
            text.map(|text| text.text.clone()).unwrap_or_default(),
            result.structured_content.is_some(),
        )
    }

    #[test]
    fn long_data_that_repeats_the_text_is_left_out() {
        let text = "statement about engines\n".repeat(200);
        let data = json!({"text": text});
        assert!(!result(&text, data.clone(), Profile::Engine, false).1);
        assert!(result(&text, data.clone(), Profile::Plan, false).1);
        assert!(result("2 entries", data, Profile::Engine, false).1);
        assert!(result("short", json!({"text": "short"}), Profile::Engine, false).1);
    }

    #[test]
    fn a_text_whose_size_is_not_set_is_cut_at_a_line() {
        let text = "one more statement about engines\n".repeat(800);
        let (short, _) = result(&text, json!({}), Profile::Engine, false);
        assert!(tokens::count(&short) <= MAX_TOKENS, "{}", tokens::count(&short));
        assert!(tokens::count(&short) > MAX_TOKENS * 3 / 4);
        assert!(short.ends_with("more lines; pass narrower arguments or a `limit` to see others)"));
        assert_eq!(result(&text, json!({}), Profile::Engine, true).0, text);
        assert!(has_size(json!({"limit": 3}).as_object().expect("an object")));
    }
}
