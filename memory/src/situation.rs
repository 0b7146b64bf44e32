//! Detects from the words of a prompt what the user is about to do, and which MCP tools are useful
//! for it.

/// Something that a user is about to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Situation {
    /// Identifier, for example "resuming".
    pub name: &'static str,
    /// Words that indicate the situation, in lower case. Words in Latin letters match at the
    /// beginning of a word: `decide` matches "decided", but not "undecided". Other words match
    /// anywhere, because particles are attached to them.
    words: &'static [&'static str],
    /// The tools to use, best first.
    pub tools: &'static [&'static str],
    /// The suggestion to print.
    pub suggestion: &'static str,
}

/// The situations; the first match counts. Resuming and deciding come first, because prompts that
/// match one of them often also contain words of the other situations.
pub const SITUATIONS: &[Situation] = &[
    Situation {
        name: "resuming",
        words: &[
            "어제",
            "이어서",
            "지난번",
            "이어가",
            "계속해줘",
            "계속해 줘",
            "계속하자",
            "계속 진행",
            "어디까지 했",
            "yesterday",
            CONTINUE,
            RESUME,
            "left off",
            "last time",
            "where were we",
            "pick up where",
        ],
        tools: &["load_checkpoint", "load_context"],
        suggestion: "to resume earlier work, call load_checkpoint first, then load_context",
    },
    Situation {
        name: "deciding",
        words: &["결정", "선택", "정하자", "decid", "decision", "choice", "choose"],
        tools: &["search_by_context", "save_decision", "save_insight"],
        suggestion: "find earlier decisions with search_by_context; record a new decision with \
                     save_decision and a lesson with save_insight",
    },
    Situation {
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
        tools: &["search_by_topic", "search_by_context", "search_recent", "aidd_memory_search"],
        suggestion: "search the project's memory: search_by_topic for a topic, \
                     search_by_context for a question, search_recent for the last days",
    },
    Situation {
        name: "tracking",
        words: &[
            "실패",
            "성공",
            "안됐",
            "안 됐",
            "failed",
            "failure",
            "success",
            "succeed",
            "worked",
            "didn't work",
            "did not work",
        ],
        tools: &["evolve_outcome", "evolve_supersede", "aidd_memory_add_mistake"],
        suggestion: "record the outcome of a decision with evolve_outcome (search_by_topic finds \
                     its id), its replacement with evolve_supersede; record an error and its fix \
                     with aidd_memory_add_mistake",
    },
];

/// Words that are common in code and documents: a `continue` in a loop, a résumé to upload.
const CONTINUE: &str = "continu";
const RESUME: &str = "resum";
/// Words that precede [`CONTINUE`] and [`RESUME`] when these refer to the user's work. At the
/// beginning of a sentence, no such word is required.
const INTENT_WORDS: [&str; 16] = [
    "to", "and", "please", "now", "can", "could", "you", "i", "we", "us", "me", "let's", "lets",
    "just", "should", "then",
];

/// Maximum number of bytes of a prompt that are searched: users state their request at the
/// beginning, and text pasted below the request is not their own.
const MAX_SEARCHED_BYTES: usize = 4096;

/// The situation that a prompt indicates.
#[must_use]
pub fn detect(text: &str) -> Option<&'static Situation> {
    let text = text[..text.floor_char_boundary(MAX_SEARCHED_BYTES)].to_lowercase();
    SITUATIONS
        .iter()
        .find(|situation| situation.words.iter().any(|word| contains_word(&text, word)))
}

/// The variable that replaces the detection, for debugging: the name of a situation, or `none`.
pub const OVERRIDE_VARIABLE: &str = "AIDD_SITUATION";

/// Like [`detect`], but `forced`, the value of [`OVERRIDE_VARIABLE`], replaces the detection. A name
/// that is not a situation means none.
#[must_use]
pub fn detect_or(text: &str, forced: Option<&str>) -> Option<&'static Situation> {
    match forced.filter(|name| !name.is_empty()) {
        Some(name) => SITUATIONS.iter().find(|situation| situation.name == name),
        None => detect(text),
    }
}

/// Whether `text` contains `word` as one of [`Situation::words`].
fn contains_word(text: &str, word: &str) -> bool {
    let starts_word = |at: usize| {
        !word.is_ascii() || !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let states_intent = |at: usize| {
        if ![CONTINUE, RESUME].contains(&word) {
            return true;
        }
        let before = text[..at].trim_end();
        let begins_sentence = before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric());
        let last = before.split_whitespace().last().unwrap_or_default();
        (begins_sentence || INTENT_WORDS.contains(&last)) && !text[at..].starts_with("continuous")
    };
    text.match_indices(word).any(|(at, _)| starts_word(at) && states_intent(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation_of(prompt: &str) -> &'static str {
        detect(prompt).map_or("none", |situation| situation.name)
    }

    #[test]
    fn situations_are_detected_in_english_and_korean() {
        for (prompt, expected) in [
            ("어제 작업 이어서 하자", "resuming"),
            ("로그인 작업 계속해줘", "resuming"),
            ("어디까지 했지?", "resuming"),
            ("지난번에 하던 거 계속", "resuming"),
            ("Let's continue where we stopped", "resuming"),
            ("Resume the migration, please", "resuming"),
            ("where were we?", "resuming"),
            ("continue", "resuming"),
            ("OK, let us continue with the parser", "resuming"),
            ("Good, continue", "resuming"),
            ("Can we resume tomorrow's work now?", "resuming"),
            ("Add a continue statement to the loop", "none"),
            ("Why does the for loop continue after a break?", "none"),
            ("Upload the resume as a PDF", "none"),
            ("Continuous integration for the shop", "none"),
            ("Fix the failing test", "none"),
            ("인증 방식을 결정하자", "deciding"),
            ("둘 중에 선택해줘", "deciding"),
            ("Help me DECIDE between Redis and cookies", "deciding"),
            ("What did we decide about auth?", "deciding"),
            ("우리 캐시 어떻게 했지?", "searching"),
            ("그 설정 좀 찾아줘", "searching"),
            ("how did we fix the watcher", "searching"),
            ("Search the notes on tokens", "searching"),
            ("배포가 실패했어", "tracking"),
            ("이번에는 성공했어", "tracking"),
            ("That approach failed in production", "tracking"),
            ("it worked!", "tracking"),
            ("Write a parser for TOML", "none"),
            ("파서를 작성해줘", "none"),
            ("this is undecided and in research, unsuccessful", "none"),
            ("", "none"),
        ] {
            assert_eq!(situation_of(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn a_forced_situation_replaces_the_detection() {
        let name = |forced| detect_or("it worked!", forced).map(|situation| situation.name);
        assert_eq!(name(None), Some("tracking"));
        assert_eq!(name(Some("")), Some("tracking"));
        assert_eq!(name(Some("deciding")), Some("deciding"));
        assert_eq!(name(Some("none")), None);
    }

    #[test]
    fn text_pasted_below_a_prompt_is_ignored() {
        let long = format!("Explain this log: {}어제 failed", "가".repeat(MAX_SEARCHED_BYTES));
        assert_eq!(situation_of(&long), "none");
    }

    #[test]
    fn every_situation_is_detected_by_each_of_its_words() {
        for expected in SITUATIONS {
            for word in expected.words {
                let found = detect(word).expect(word);
                assert_eq!(found.name, expected.name, "{word}");
            }
        }
    }
}
