//! What somebody is about to do, by the words they use, and which tools of the agent door serve it.

/// A situation.
#[derive(Debug, PartialEq, Eq)]
pub struct Situation {
    /// Its name.
    pub name: &'static str,
    /// How words begin that tell of it, in lower case; those of a script without spaces may stand
    /// anywhere.
    words: &'static [&'static str],
    /// The tools that serve it, the best first.
    pub tools: &'static [&'static str],
}

/// Every situation; the first whose words are found is meant.
pub const SITUATIONS: &[Situation] = &[
    Situation {
        name: "resuming",
        words: &[
            "continue",
            "continuing",
            "resume",
            "resuming",
            "yesterday",
            "pick up where",
            "where were we",
            "where we left",
            "left off",
            "last session",
            "어제",
            "이어서",
            "이어 ",
            "계속",
            "지난번",
            "다시 시작",
        ],
        tools: &["load_checkpoint", "load_context"],
    },
    Situation {
        name: "deciding",
        words: &[
            "decide",
            "deciding",
            "decision",
            "choice",
            "choose",
            "choosing",
            "should we",
            "which one",
            "trade-off",
            "tradeoff",
            "결정",
            "선택",
            "정하자",
            "고를",
        ],
        tools: &["save_decision", "save_insight", "search_by_context"],
    },
    Situation {
        name: "searching",
        words: &[
            "search",
            "recall",
            "remember",
            "look up",
            "what did we",
            "how did we",
            "why did we",
            "did we ever",
            "찾아",
            "검색",
            "기억",
            "어떻게 했",
            "왜 했",
            "뭐였",
        ],
        tools: &["aidd_memory_search", "search_by_topic", "search_recent"],
    },
    Situation {
        name: "tracking",
        words: &[
            "failed",
            "fails",
            "failure",
            "success",
            "succeed",
            "it worked",
            "did not work",
            "didn't work",
            "turned out",
            "regression",
            "실패",
            "성공",
            "결과",
            "잘 됐",
            "안 됐",
        ],
        tools: &["evolve_outcome", "evolve_supersede", "aidd_memory_add_mistake"],
    },
];

/// Most bytes that are looked at: what somebody is about to do, they say at the start.
const LOOKED_AT: usize = 4096;

/// The situation that a text tells of.
#[must_use]
pub fn detect(text: &str) -> Option<&'static Situation> {
    let end = text.floor_char_boundary(LOOKED_AT);
    let text = text[..end].to_lowercase();
    SITUATIONS.iter().find(|situation| situation.words.iter().any(|word| begins(&text, word)))
}

/// Whether `word` begins a word of the text.
fn begins(text: &str, word: &str) -> bool {
    let is_letter = |before: char| before.is_ascii_alphanumeric() || before == '-';
    text.match_indices(word)
        .any(|(at, _)| !word.is_ascii() || !text[..at].chars().next_back().is_some_and(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> &'static str {
        detect(text).map_or("none", |situation| situation.name)
    }

    #[test]
    fn situations_are_told_by_their_words_in_both_languages() {
        for (text, expected) in [
            ("어제 작업 이어서 하자", "resuming"),
            ("Resume the migration", "resuming"),
            ("let us CONTINUE", "resuming"),
            ("이거 결정하자", "deciding"),
            ("we decided on Postgres", "deciding"),
            ("which one is the better choice?", "deciding"),
            ("그때 어떻게 했지?", "searching"),
            ("what did we say about retries", "searching"),
            ("배포가 실패했어", "tracking"),
            ("the deploy failed again", "tracking"),
            ("fix the typo in README", "none"),
            ("", "none"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_inside_another_tells_nothing() {
        assert_eq!(name("discontinue the plan"), "none");
        assert_eq!(name("do some research"), "none");
        assert_eq!(name("a pre-decision hook"), "none");
    }

    #[test]
    fn the_first_of_several_is_meant_and_long_texts_are_cut_between_letters() {
        assert_eq!(name("continue with the decision"), "resuming");
        assert_eq!(name(&("가".repeat(2000) + "결정")), "none");
        assert_eq!(name(&("가".repeat(1000) + "결정")), "deciding");
    }
}
