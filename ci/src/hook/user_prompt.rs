//! `aidd hook user-prompt`: a line that names the tools of the memory which fit what a user typed.
//! It looks at words only, opens nothing, and ends well whatever it is given: a hint is worth less
//! than the prompt it goes with.

use crate::Io;
use crate::exit::Exit;
use serde_json::Value;
use std::io::{Read, Write};

/// Something that a user is about to do.
struct Context {
    /// Its name.
    name: &'static str,
    /// Words that tell it, in lower case. Those in Latin letters count at the beginning of a word,
    /// as `decide` in "decided" but not in "undecided"; others anywhere, as particles stick to them.
    words: &'static [&'static str],
    /// What to suggest.
    suggestion: &'static str,
}

/// The contexts; the first that is told counts. Resuming and deciding go before the others, which
/// use words of theirs more loosely.
const CONTEXTS: [Context; 4] = [
    Context {
        name: "resuming",
        words: &[
            "어제",
            "이어서",
            "지난번",
            "이어가",
            "yesterday",
            "continu",
            "resum",
            "left off",
            "last time",
            "where were we",
            "pick up where",
        ],
        suggestion: "to take up earlier work, call load_checkpoint first, then load_context",
    },
    Context {
        name: "deciding",
        words: &["결정", "선택", "정하자", "decid", "decision", "choice", "choose"],
        suggestion: "look at what was decided before with search_by_context; record what is \
                     decided now with save_decision, a smaller lesson with save_insight",
    },
    Context {
        name: "searching",
        words: &[
            "찾아",
            "어떻게 했",
            "뭐였",
            "기억나",
            "find",
            "search",
            "recall",
            "remember",
            "how did we",
            "what did we",
            "why did we",
        ],
        suggestion: "the project's memory may know: search_by_topic for a topic, \
                     search_by_context for a question, search_recent for the last days",
    },
    Context {
        name: "tracking",
        words: &[
            "실패",
            "성공",
            "안됐",
            "안 됐",
            "fail",
            "success",
            "succeed",
            "worked",
            "didn't work",
            "did not work",
        ],
        suggestion: "say what came of a decision with evolve_outcome (search_by_topic finds its \
                     id), what replaces it with evolve_supersede; record an error and its cure \
                     with aidd_memory_add_mistake",
    },
];

/// More of a prompt is not looked at, in bytes: what a user wants is said at its beginning, and
/// what is pasted below it is not the user's words.
const LOOKED_AT: usize = 4096;
/// More of the client's JSON is not read, in bytes.
const LARGEST: u64 = 8 << 20;

/// Reads what the client says and prints a suggestion, or nothing.
pub(super) fn run(io: &mut Io<'_>) -> Exit {
    let mut bytes = Vec::new();
    if (&mut *io.stdin).take(LARGEST).read_to_end(&mut bytes).is_ok()
        && let Some(context) = prompt(&bytes).as_deref().and_then(context)
    {
        // Nobody may be there to read it, which is no reason to fail.
        let _ = writeln!(io.out, "aidd memory ({}): {}.", context.name, context.suggestion);
    }
    Exit::Clean
}

/// What the user typed; `None` for any other event, and for what is not of this form.
fn prompt(bytes: &[u8]) -> Option<String> {
    let said: Value = serde_json::from_slice(bytes).ok()?;
    let event = said.get("hook_event_name").and_then(Value::as_str);
    if event.is_some_and(|event| event != "UserPromptSubmit") {
        return None;
    }
    said.get("prompt").and_then(Value::as_str).map(str::to_owned)
}

fn context(prompt: &str) -> Option<&'static Context> {
    let start = prompt.trim_start();
    // A command of the client, not a wish.
    if start.starts_with('/') {
        return None;
    }
    let text = start[..start.floor_char_boundary(LOOKED_AT)].to_lowercase();
    CONTEXTS.iter().find(|context| context.words.iter().any(|word| holds(&text, word)))
}

fn holds(text: &str, word: &str) -> bool {
    let starts_word = |at: usize| {
        !word.is_ascii() || !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    text.match_indices(word).any(|(at, _)| starts_word(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(prompt: &str) -> &'static str {
        context(prompt).map_or("none", |context| context.name)
    }

    #[test]
    fn contexts_are_told_in_both_languages() {
        for (prompt, wanted) in [
            ("어제 작업 이어서 하자", "resuming"),
            ("지난번에 하던 거 계속", "resuming"),
            ("Let's continue where we stopped", "resuming"),
            ("Resume the migration, please", "resuming"),
            ("where were we?", "resuming"),
            ("인증 방식을 결정하자", "deciding"),
            ("둘 중에 선택해줘", "deciding"),
            ("Help me DECIDE between Redis and cookies", "deciding"),
            ("What did we decide about auth?", "deciding"),
            ("우리 캐시 어떻게 했지?", "searching"),
            ("그 설정 좀 찾아줘", "searching"),
            ("how did we mend the watcher", "searching"),
            ("Search the notes on tokens", "searching"),
            ("배포가 실패했어", "tracking"),
            ("이번에는 성공했어", "tracking"),
            ("That approach failed in production", "tracking"),
            ("it worked!", "tracking"),
            ("Write a parser for TOML", "none"),
            ("파서를 작성해줘", "none"),
            ("this is undecided and in research, unsuccessful", "none"),
            ("/resume", "none"),
            ("", "none"),
        ] {
            assert_eq!(of(prompt), wanted, "{prompt}");
        }
    }

    #[test]
    fn what_is_pasted_below_a_prompt_does_not_count() {
        let long = format!("Explain this log: {}어제 failed", "가".repeat(LOOKED_AT));
        assert_eq!(of(&long), "none");
    }

    #[test]
    fn every_context_is_told_by_each_of_its_words() {
        for wanted in &CONTEXTS {
            for word in wanted.words {
                let found = context(word).expect(word);
                assert_eq!(found.name, wanted.name, "{word}");
            }
        }
    }

    #[test]
    fn other_events_and_forms_say_nothing() {
        let said = |text: &str| prompt(text.as_bytes());
        let of_client = r#"{"session_id":"s","transcript_path":"/t","cwd":"/c","permission_mode":
            "default","hook_event_name":"UserPromptSubmit","prompt":"continue"}"#;
        assert_eq!(said(of_client).as_deref(), Some("continue"));
        assert_eq!(said(r#"{"prompt":"continue"}"#).as_deref(), Some("continue"));
        for text in [
            "",
            "continue",
            "[]",
            "null",
            r#"{"prompt":["continue"]}"#,
            r#"{"hook_event_name":"Stop","prompt":"continue"}"#,
            "{\"prompt\":",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
