//! What takes from a demand: words that take it back, words that soften it, a heading that turns it.

use regex::Regex;
use std::sync::LazyLock;

/// Nothing is forbidden by these words.
static NO_DEMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:do not|don't|does not|doesn't) (?:have|need) to\b|\bno need to\b|\bnot (?:required|necessary)\b|\boptional(?:ly)?\b|\bdo not hesitate\b|\bdon't hesitate\b|\b(?:is|are) (?:fine|allowed|welcome)\b|\?$|[할쓸될둘] 수(?:도)? (?:있다|있습니다|있음)|[해써돼둬]도 (?:된다|됩니다|됨|돼|좋)|무방|선택 ?사항|^\W*(?:예시?|(?:for )?examples?)\s?[:：]",
    )
    .expect("an expression")
});

/// Whether the words ask for nothing.
pub(super) fn takes_back(text: &str) -> bool {
    NO_DEMAND.is_match(text)
}

/// The sentence holds mostly, or where people think that it fits.
static SOFT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:generally|usually|typically|normally|mostly|ideally|preferabl[ye]|prefer(?:red)?|favou?r|consider|aim for|aim to|try to|(?:where|when)(?:ver)? (?:possible|practical|feasible|appropriate)|if possible|as (?:much|far) as possible|roughly|approximately|around|unless|except(?:ion\w*)?|sparingly|by default|absolutely necessary)\b|권장|가급적|가능하면|가능한|일반적|기본적|기본은|보통|우선|선호|지향|지양|최소화",
    )
    .expect("an expression")
});

/// Whether the words leave room: what is drafted of them is not sure.
pub(super) fn is_soft(text: &str) -> bool {
    SOFT.is_match(text)
}

/// A heading that says of the items below what is not done: "Don't", "Never do", "금지 사항".
static AGAINST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^[\W\d_]*(?:(?:things|patterns|what) )?(?:to )?(?:never(?: (?:do|ever))?|do[ -]?not(?:s| do)?|don'?t'?s?(?: do)?|avoid|not to do|forbidden(?: patterns?)?|prohibited|not allowed|anti-?patterns|(?:절대 ?)?금지(?: ?(?:사항|목록|규칙))?|하지 ?말 ?것)[\W_]*$",
    )
    .expect("an expression")
});

/// An item that says by itself what is to be done or not.
static BY_ITSELF: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\W*(?:no|never|always|must|do|don't|avoid|prefer|instead|only|not|if|when)\b|\b(?:never|must|should|do not|don't|not allowed|avoid)\b|금지|마세요|말 ?것|않|반드시|필수|항상|하세요|대신",
    )
    .expect("an expression")
});

/// Whether an item below `heading` says what is not done, and does not say so by itself.
pub(super) fn is_turned(heading: &str, item: &str) -> bool {
    AGAINST.is_match(&heading.replace('\u{2019}', "'")) && !BY_ITSELF.is_match(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_turn_what_does_not_turn_itself() {
        for (heading, item, wanted) in [
            ("Don't", "Use «0» type casting", true),
            ("Don\u{2019}ts", "Use «0» type casting", true),
            ("\u{1F6AB} Never do", "Commit secrets", true),
            ("Do Not", "Use «0» for imports", true),
            ("금지 사항", "«0» 남기기", true),
            ("4. 절대 금지", "인라인 스타일 사용", true),
            ("Anti-Patterns", "«0» type → properly type everything", true),
            ("Anti-Patterns", "Never use «0»", false),
            ("Do", "Use «0»", false),
            ("Do Not Disturb mode", "Use «0»", false),
            ("What to avoid", "Do not introduce frameworks", false),
            ("금지 사항", "«0» 대신 «1» 사용", false),
        ] {
            assert_eq!(is_turned(heading, item), wanted, "{heading}: {item}");
        }
    }

    #[test]
    fn permissions_ask_for_nothing() {
        assert!(takes_back("컴포넌트 파일은 PascalCase로 작성할 수 있다."));
        assert!(takes_back("You do not need to call «0»."));
        assert!(!takes_back("«0»를 사용할 것"));
        assert!(is_soft("파일 이름은 일반적으로 kebab-case로 작성한다."));
        assert!(!is_soft("Never use «0»."));
    }
}
