//! Detects sentences that contain a requirement, using word lists for English and Korean, without
//! grammar. A false positive costs the reader a glance; a false negative is never seen.

/// Words and phrases of a requirement, at any position: RFC 2119 and common alternatives.
const REQUIREMENT_WORDS: &[&str] = &[
    "must",
    "shall",
    "should",
    "never",
    "always",
    "do not",
    "don't",
    "may not",
    "avoid",
    "forbidden",
    "prohibited",
    "banned",
    "not allowed",
    "disallowed",
    "instead of",
    "rather than",
    "prefer",
    "required",
    "only",
    "at most",
    "no more than",
    "maximum",
    "conventional commits",
    "kebab-case",
    "snake_case",
    "camelcase",
    "pascalcase",
];

/// Words that mark a requirement at the beginning of a sentence: imperatives, and `no`, `every`,
/// `when`.
const LEADING_WORDS: &[&str] = &[
    "no", "use", "run", "set", "pin", "keep", "when", "whenever", "every", "each", "all", "write",
    "add", "put", "name", "follow", "ensure", "make", "import", "export", "commit", "document",
    "test", "return", "handle", "wrap", "validate", "check", "update", "place", "store", "treat",
    "split", "limit", "require", "format", "lint", "execute", "before", "after",
];

/// Phrases that negate a requirement.
const PERMISSIONS: &[&str] = &[
    "need not",
    "no need to",
    "not have to",
    "don't have to",
    "not need to",
    "don't need to",
    "not required",
    "do not hesitate",
    "don't hesitate",
];

/// Parts of Korean requirements, at any position, because Korean words have suffixes.
const KOREAN_REQUIREMENTS: &[&str] = &[
    "금지",
    "불가",
    "지양",
    "마세요",
    "마십시오",
    "마라",
    "말 것",
    "말것",
    "않는다",
    "않습니다",
    "않을 것",
    "안 된다",
    "안된다",
    "안 됩니다",
    "안됩니다",
    "반드시",
    "항상",
    "필수",
    "절대",
    "대신",
    "해야",
    "어야",
    "아야",
    "여야",
    "하세요",
    "할 것",
    "에서만",
    "만 사용",
    "이하",
    "이내",
    "초과",
    "준수",
    "따른다",
    "따릅니다",
    "사용한다",
    "사용합니다",
    "작성한다",
    "작성합니다",
    "유지한다",
    "유지합니다",
    "통일",
    "우선",
    "선호",
];

const KOREAN_PERMISSIONS: &[&str] =
    &["수 있다", "수 있습니다", "해도 된다", "해도 됩니다", "않아도", "무방", "선택 사항"];

/// Headings whose items are prohibitions, in lower case without punctuation.
const PROHIBITION_HEADINGS: &[&str] = &[
    "don't",
    "dont",
    "don'ts",
    "donts",
    "do not",
    "never",
    "never do",
    "things to avoid",
    "what to avoid",
    "avoid",
    "forbidden",
    "forbidden patterns",
    "prohibited",
    "not allowed",
    "anti-patterns",
    "금지",
    "금지 사항",
    "금지사항",
    "절대 금지",
    "하지 말 것",
];

/// Whether `text` contains a requirement.
pub(super) fn is_requirement(text: &str) -> bool {
    // A text that ends with a colon introduces the text after it; a question is not a requirement.
    if text.ends_with([':', '?']) {
        return false;
    }
    if text.chars().any(|c| ('\u{AC00}'..='\u{D7A3}').contains(&c)) {
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        return has(KOREAN_REQUIREMENTS) && !has(KOREAN_PERMISSIONS);
    }
    let words = to_plain_words(text);
    let has = |all: &[&str]| all.iter().any(|word| words.contains(&format!(" {word} ")));
    // A label can precede the requirement: `Types: use …`.
    let after_label = text.split_once(": ").filter(|(label, _)| label.len() <= 40);
    let starts = [Some(text), after_label.map(|(_, rest)| rest)].into_iter().flatten();
    let is_imperative = starts.map(to_plain_words).any(|words| {
        let words = words.trim_start().trim_start_matches("please ");
        words.split(' ').next().is_some_and(|first| LEADING_WORDS.contains(&first))
    });
    !has(PERMISSIONS) && (has(REQUIREMENT_WORDS) || is_imperative)
}

/// Whether a lower-case word is in the lists of requirement words, and therefore is not the name of
/// a rule.
pub(super) fn is_requirement_word(word: &str) -> bool {
    LEADING_WORDS.contains(&word) || REQUIREMENT_WORDS.contains(&word)
}

/// Whether the items under `heading` are prohibitions.
pub(super) fn is_prohibition_heading(heading: &str) -> bool {
    PROHIBITION_HEADINGS.contains(&to_plain_words(heading).trim())
}

/// The words in lower case, separated and surrounded by spaces, without punctuation.
fn to_plain_words(text: &str) -> String {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let is_word = |c: char| c.is_alphanumeric() || "'-_".contains(c);
    let mut words = String::with_capacity(lower.len() + 2);
    words.push(' ');
    for word in lower.split(|c| !is_word(c)) {
        let word = word.trim_matches('-');
        if !word.is_empty() {
            words.push_str(word);
            words.push(' ');
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_detected_by_words() {
        for text in [
            "Never use `eval()`.",
            "**Types**: use `unknown`",
            "Please run the tests.",
            "You MUST sign commits",
            "Don\u{2019}t push to main",
            "File names are in kebab-case.",
            "any 타입 사용 금지",
            "moment 대신 date-fns를 사용하세요.",
            "파일은 500줄 이하로 유지한다.",
        ] {
            assert!(is_requirement(text), "{text}");
        }
        for text in [
            "We like tests.",
            "Should I use this?",
            "You must know these words:",
            "You do not need to call `init()`.",
            "The mustard is useful.",
            "이 문서는 구조를 설명합니다.",
            "컴포넌트 파일은 PascalCase로 작성할 수 있다.",
        ] {
            assert!(!is_requirement(text), "{text}");
        }
    }

    #[test]
    fn prohibition_headings_are_detected() {
        for heading in ["Don't", "Don\u{2019}ts", "🚫 Never do", "Anti-Patterns", "금지 사항"]
        {
            assert!(is_prohibition_heading(heading), "{heading}");
        }
        for heading in ["Do", "Do Not Disturb mode", "Never gonna", "규칙"] {
            assert!(!is_prohibition_heading(heading), "{heading}");
        }
    }
}
